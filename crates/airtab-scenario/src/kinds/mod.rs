// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The kinds of applications: one file for each. The list of them is the
//! simulator's; a kind that has no file here does not build.
//!
//! A file has all that scenario files, tables, sentences and the report know of
//! its kind: which keys it has and how they are read, which figures its trace
//! gives, which of them are shown, in which words, and what made its score.
//!
//! What it does not do: how an application sends is its file's in `airtab-sim`
//! (`traffic`), what its messages in live mode are is `airtab-live`'s.

mod cause;
mod course;
mod download;
mod game;
mod http;
#[cfg(test)]
mod made;
mod mpeg;
mod p2p;
mod ping;
mod proshare;
mod rate;
mod reason;
mod responsiveness;
mod score;
mod streaming;
mod trace;
mod udp;
mod upload;
mod video;
mod voip;
mod volume;
mod web;

pub(crate) use video::SYNTHETIC_VIDEOS;

use std::collections::BTreeMap;

use airtab_core::Unit;
use airtab_quality::Window;
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic;
use airtab_sim::traffic::video::HEADERS;
use airtab_sim::wifi::CellConfig;
use airtab_sim::{App, AppKind, AppTrace};

use crate::measure::Figures;
use crate::metric::{Direction, Metric};
use crate::named_file::Folder;
use crate::reader::{Section, choice, quantity};
use crate::requirements::Requirements;
use crate::scores::{QueueScores, Scores};
pub use score::Score;
pub use video::video_frames;

/// What the reader of a scenario hands to its kinds.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Where files that it names are looked for.
    pub(crate) folder: &'a Folder<'a>,
    /// Congestion control of connections that name none.
    pub(crate) congestion: Algorithm,
    /// TCP of applications that have none of their own.
    pub(crate) tcp: &'a Config,
    /// How long the run is, ns.
    pub(crate) duration_ns: u64,
    /// What applications may need of the network.
    pub(crate) requirements: &'a Requirements,
    /// The cell that it is in, where there is one.
    pub(crate) cell: Option<&'a CellConfig>,
    /// It is in a mesh: between two nodes.
    pub(crate) meshed: bool,
}

/// One kind, as its configuration in the simulator knows itself.
trait Described: Sized {
    /// Keys of an `[[app]]` that not every kind has.
    const KEYS: &'static [&'static str] = &[];
    /// The figures that tables show of it; the first is its score.
    const COLUMNS: &'static [Metric];
    /// How its score is shown.
    const SCORE: Score;
    /// Further scored figures, and how each is shown.
    const ALSO: &'static [(Metric, Score)] = &[];
    /// What it gets of its data, as a sum, and which part of it is lost.
    const DATA: (&'static [Metric], Metric) = (&[Metric::Goodput], Metric::Loss);
    /// Whether it fills a queue for as long as it runs.
    const BULK: bool = false;
    /// What it needs of the network, by name; None if it takes what it gets.
    const REQUIREMENT: Option<&'static str> = None;
    /// False if no requirement fits it: it has no Quality of Outcome.
    const OUTCOME: bool = true;

    /// Reads its keys: None after a problem without which it cannot be.
    fn read(s: &Section, context: &Context) -> Option<Self>;

    /// Adds what only this kind has to the figures of one application, from its
    /// trace within the time in which it was both active and measured.
    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        let _ = (f, seen, window);
    }

    /// Adds figures of all applications of this kind to those of the access point.
    fn together(all: &[&Figures], ap: &mut Figures) {
        let _ = (all, ap);
    }

    /// Bits of its data a second, by its figures; None if it does not take all that it can get.
    fn taken(&self, f: &Figures) -> Option<f64> {
        Self::BULK.then(|| f.get(&Self::COLUMNS[0]).copied().unwrap_or(0.0))
    }

    /// Whether it takes all that it can get in a direction: its rate there says something of the network.
    fn greedy(&self, direction: Direction) -> bool {
        Self::BULK && Self::DATA.0.contains(&Metric::goodput(direction))
    }

    /// Frames that can be shown, of those sent in each second of the run; None if it has no frames.
    fn playable(seen: &AppTrace) -> Option<Vec<u32>> {
        let _ = seen;
        None
    }

    /// What made its score under a discipline: the end of a sentence, without a full stop.
    fn reason(q: &QueueScores, app: &Scores) -> String;

    /// What it does, for people: the end of a table's row.
    fn words(&self) -> String;

    /// What who checks a scenario should see of it, in a line.
    /// `active_ns` is the time in which it sends.
    fn note(&self, active_ns: u64) -> Option<String> {
        let _ = active_ns;
        None
    }
}

/// What is known of a kind without one of its applications.
pub struct About {
    /// Its name in scenario files and results.
    pub name: &'static str,
    /// The figures that tables show of it; the first is its score.
    pub columns: &'static [Metric],
    /// How its score is shown.
    pub score: Score,
    also: &'static [(Metric, Score)],
    /// What it gets of its data, as a sum, and which part of it is lost.
    pub data: (&'static [Metric], Metric),
    /// Whether it fills a queue for as long as it runs.
    pub bulk: bool,
    /// What it needs of the network where its table names nothing else.
    pub requirement: Option<&'static str>,
    /// False if no requirement fits it: it has no Quality of Outcome.
    pub outcome: bool,
    keys: &'static [&'static str],
    read: fn(&Section, &Context) -> Option<AppKind>,
    together: fn(&[&Figures], &mut Figures),
    reason: fn(&QueueScores, &Scores) -> String,
}

/// Makes of the simulator's list of kinds [`ALL`], and what asks an application's own kind. Each implements
/// [`Described`] in its file.
macro_rules! kinds {
    ($($name:ident: $Type:ident),+) => {
        /// Every kind, in the order of the documentation.
        static ALL: &[About] = &[$(About {
            name: stringify!($name),
            columns: <traffic::$Type as Described>::COLUMNS,
            score: <traffic::$Type as Described>::SCORE,
            also: <traffic::$Type as Described>::ALSO,
            data: <traffic::$Type as Described>::DATA,
            bulk: <traffic::$Type as Described>::BULK,
            requirement: <traffic::$Type as Described>::REQUIREMENT,
            outcome: <traffic::$Type as Described>::OUTCOME,
            keys: <traffic::$Type as Described>::KEYS,
            read: |s, context| <traffic::$Type as Described>::read(s, context).map(AppKind::from),
            together: <traffic::$Type as Described>::together,
            reason: <traffic::$Type as Described>::reason,
        }),+];

        /// What it does, for people.
        pub fn words(kind: &AppKind) -> String {
            match kind { $(AppKind::$Type(own) => own.words()),+ }
        }

        /// What who checks a scenario should see of it, in a line.
        /// `active_ns` is the time in which it sends.
        pub fn note(kind: &AppKind, active_ns: u64) -> Option<String> {
            match kind { $(AppKind::$Type(own) => own.note(active_ns)),+ }
        }

        /// Adds what only its kind has to the figures of an application.
        pub(crate) fn measure(kind: &AppKind, f: &mut Figures, seen: &AppTrace, window: Window) {
            match kind { $(AppKind::$Type(own) => own.measure(f, seen, window)),+ }
        }

        /// Bits of its data a second, by its figures; None if it does not take all that it can get.
        pub(crate) fn taken(kind: &AppKind, f: &Figures) -> Option<f64> {
            match kind { $(AppKind::$Type(own) => own.taken(f)),+ }
        }

        /// Whether it takes all that it can get in a direction, so that its rate there says something of the network.
        pub fn greedy(kind: &AppKind, direction: Direction) -> bool {
            match kind { $(AppKind::$Type(own) => own.greedy(direction)),+ }
        }

        /// Frames that can be shown, of those sent in each second of the run.
        pub(crate) fn playable(kind: &AppKind, seen: &AppTrace) -> Option<Vec<u32>> {
            match kind { $(AppKind::$Type(_) => <traffic::$Type as Described>::playable(seen)),+ }
        }
    };
}

airtab_sim::every_kind!();

impl About {
    /// The kind of that name.
    pub fn named(name: &str) -> Option<&'static About> {
        ALL.iter().find(|about| about.name == name)
    }

    /// The kind of an application.
    pub fn of(kind: &AppKind) -> &'static About {
        About::named(kind.name()).expect("one list has all of them")
    }

    /// What made the score of `app`, one of this kind under the discipline `q`.
    pub fn reason(&self, q: &QueueScores, app: &Scores) -> String {
        (self.reason)(q, app)
    }

    /// True if an `[[app]]` of this kind takes that key, one that not every kind has.
    pub(crate) fn takes(&self, key: &str) -> bool {
        self.keys.contains(&key)
    }

    /// Its score: the first of its columns.
    pub fn metric(&self) -> Metric {
        self.columns[0]
    }

    /// Scored figures, the score first, and how each is shown.
    pub fn scored(&self) -> impl Iterator<Item = (Metric, &Score)> {
        [(self.metric(), &self.score)]
            .into_iter()
            .chain(self.also.iter().map(|(metric, score)| (*metric, score)))
    }
}

/// The name of each kind.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|about| about.name)
}

/// The keys of an `[[app]]` that not every kind has, each with the kinds that have it.
pub(crate) fn own_keys() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for about in ALL {
        about.keys.iter().for_each(|key| all.entry(key).or_default().push(about.name));
    }
    all
}

/// Reads what an `[[app]]` is, and refuses keys that only other kinds have.
pub(crate) fn read(s: &Section, context: &Context) -> Option<AppKind> {
    let kind = s.require("kind", choice(ALL.iter().map(|about| (about.name, about)).collect()));
    let read = kind.and_then(|kind| (kind.read)(s, context));
    for (key, owners) in own_keys() {
        match kind {
            Some(kind) if kind.takes(key) => {}
            Some(kind) => s.refuse(key, &format!("only for kind {}; this is {}", any_of(&owners), kind.name)),
            // Without a kind any of them may be right.
            None => _ = s.get(key),
        }
    }
    read
}

/// Congestion control of its connections.
fn congestion(s: &Section, context: &Context) -> Algorithm {
    let own = s.read("congestion", choice(Algorithm::ALL.map(|a| (a.name(), a)).to_vec()));
    own.unwrap_or(context.congestion)
}

/// Bytes of a full IP packet, and the most that an 802.11 frame carries.
const FULL_PACKET: u32 = 1500;
const MAX_PACKET: u64 = 2304;

/// Bytes of its IP packets.
fn packet_bytes(s: &Section) -> Option<u32> {
    s.read("bytes", quantity(Unit::Bytes, u64::from(HEADERS)..=MAX_PACKET)).map(|n| n as u32)
}

/// "a, b or c".
fn any_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// Adds the figures of all applications of a kind, kind by kind, to those of the access point. They compare users
/// with each other, each an application: a kind has none where several users share one.
pub(crate) fn together<'a>(apps: impl Iterator<Item = (&'a App, &'a Figures)> + Clone, ap: &mut Figures) {
    for about in ALL {
        let own = || apps.clone().filter(|(app, _)| app.kind.name() == about.name);
        if own().all(|(app, _)| app.users.count == 1) {
            (about.together)(&own().map(|(_, f)| f).collect::<Vec<_>>(), ap);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_judged_by_a_figure_that_has_a_sense() {
        for about in ALL {
            for (metric, _) in about.scored() {
                assert!(metric.sense() != 0.0 && about.columns.contains(&metric), "{}", about.name);
                assert!(metric.relevance().is_some(), "{}: {} without a limit", about.name, metric.name());
            }
        }
    }

    /// Pages of a crowd of browsers count as those of one, by when they were requested.
    #[test]
    fn pages_are_counted_of_both_kinds() {
        use airtab_sim::traffic::web::PageTrace;
        for kind in ["web", "http"] {
            let app = format!("[[app]]\nname = \"a\"\nkind = \"{kind}\"\nstation = \"s\"\n");
            let text =
                format!("duration = \"2s\"\nmeasure = [\"1s\", \"2s\"]\n[[station]]\nname = \"s\"\n{app}");
            let file = crate::ScenarioFile::parse("pages.toml", &text).unwrap();
            let spec: crate::QueueSpec = "fifo".parse().unwrap();
            let mut trace = airtab_sim::run(&file.scenario, &spec.build(&file.queues).unwrap(), 1);
            let page = |number, requested_ns| PageTrace {
                number,
                bytes: 1,
                opened_ns: requested_ns,
                requested_ns,
                done_ns: 3_000_000_000,
            };
            let at = [999_999_999, 1_000_000_000, 1_500_000_000, 1_999_999_999, 2_000_000_000];
            trace.apps[0].pages = (1..).zip(at).map(|(number, at)| page(number, at)).collect();
            assert_eq!(crate::measure(&file.scenario, &trace).apps[0][&Metric::Pages], 3.0, "{kind}");
        }
    }

    #[test]
    fn alternatives_are_joined_by_or_before_the_last() {
        for (names, expected) in
            [(&[][..], ""), (&["a"], "a"), (&["a", "b"], "a or b"), (&["a", "b", "c"], "a, b or c")]
        {
            assert_eq!(any_of(names), expected);
        }
    }
}
