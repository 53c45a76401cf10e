// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which disciplines to run, with which parameters: those of the scenario
//! file, then those of the command line. Texts become values once, where they
//! are read.
//!
//! What it does not do: no parameter has a rule here; the tables of
//! `airtab-core` know name, unit and range.

use std::ops::Deref;
use std::str::FromStr;

use airtab_core::{Discipline, ParamError, Params, Unit};
use airtab_sim::Scenario;

use crate::reader::instead;
use crate::set::path_words;

/// Names of the disciplines that a study has where it names none: no queue management, what Linux and OpenWrt install today, chap.
/// `airtab disciplines` lists all.
pub const USUAL_QUEUES: [&str; 5] = ["fifo", "fq_codel", "cake", "airtime_fq", "chap"];

/// The `[queue]` table of a scenario file: parameters of the disciplines that it
/// says something of.
#[derive(Clone, Debug, Default)]
pub struct QueueSettings(Vec<Params>);

impl QueueSettings {
    /// Puts in what a file says of a discipline.
    pub(crate) fn insert(&mut self, params: Params) {
        self.0.push(params);
    }

    /// What the file says of that discipline.
    pub(crate) fn get(&self, discipline: Discipline) -> Option<&Params> {
        self.0.iter().find(|params| params.discipline() == discipline)
    }

    /// The same, or the defaults.
    pub fn params(&self, discipline: Discipline) -> Params {
        self.get(discipline).cloned().unwrap_or_else(|| Params::new(discipline))
    }
}

/// A discipline with parameters: `chap`, `chap:increment=50ms:limit=70`, or `chap:defaults`, which reads no `[queue]` table.
#[derive(Clone, Debug)]
pub struct QueueSpec {
    /// As written; the name of its column.
    pub label: String,
    /// Names of the parameters that were given, and their values; others have their defaults.
    given: Vec<String>,
    values: Params,
    /// Whether the scenario's `[queue]` table is left out: parameters that are not given have the discipline's defaults.
    defaults: bool,
}

/// Word of a label that leaves out the scenario's `[queue]` table.
const DEFAULTS: &str = "defaults";

impl FromStr for QueueSpec {
    type Err = String;

    fn from_str(label: &str) -> Result<QueueSpec, String> {
        let parts = pieces(label);
        let name = parts[0].trim();
        let discipline = Discipline::named(name).ok_or_else(|| {
            let known: Vec<&str> = airtab_core::disciplines().map(|d| d.name()).collect();
            match name.is_empty() {
                true => format!("'{label}' names no discipline (known: {})", known.join(", ")),
                false => format!("no discipline '{name}'{}", instead(name, &known)),
            }
        })?;
        let label = label.trim();
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        let defaults = parts.get(1).is_some_and(|part| part.trim() == DEFAULTS);
        for part in &parts[1 + usize::from(defaults)..] {
            let (param, value) = part.split_once('=').ok_or_else(|| {
                let place =
                    if part.trim() == DEFAULTS { "; `defaults` comes first: chap:defaults" } else { "" };
                format!("'{part}' is not parameter=value, as in chap:limit=70{place}")
            })?;
            let (param, value) = (param.trim(), value.trim());
            if pairs.iter().any(|(other, _)| *other == param) {
                return Err(format!("{name}: {param}: given twice in '{label}'"));
            }
            pairs.push((param, value));
        }
        let mut values = Params::new(discipline);
        let known: Vec<&str> = discipline.params().iter().map(|p| p.name).collect();
        for (param, value) in &pairs {
            if !known.contains(param) {
                return Err(format!("{name}: no parameter '{param}'{}", instead(param, &known)));
            }
            values.set(param, value).map_err(|e| e.to_string())?;
        }
        values.check().map_err(|e| e.to_string())?;
        let given = pairs.into_iter().map(|(param, _)| param.into()).collect();
        Ok(QueueSpec { label: label.into(), given, values, defaults })
    }
}

/// Why no discipline of these reads what is set at `path`; None where one may. It is the parameter of another discipline,
/// or each brings a value of its own.
pub fn unread(path: &str, queues: &[QueueSpec]) -> Option<String> {
    let words = path_words(path)?;
    let [table, name, param] = words.as_slice() else { return None };
    // Who names no discipline is told by the reader of scenarios.
    Discipline::named(name).filter(|_| table == "queue")?;
    let kin: Vec<&QueueSpec> = queues.iter().filter(|q| q.discipline().name() == name).collect();
    let labels =
        |queues: &[&QueueSpec]| queues.iter().map(|q| q.label.clone()).collect::<Vec<_>>().join(", ");
    if kin.is_empty() {
        let all: Vec<&QueueSpec> = queues.iter().collect();
        return Some(format!(
            "nothing reads it: {name} is not among the disciplines ({}); name it, too, or leave this out",
            labels(&all)
        ));
    }
    let own = kin.iter().all(|q| q.defaults || q.given.contains(param));
    own.then(|| format!("nothing reads it: {} says itself what {param} is; set it there", labels(&kin)))
}

/// Warning about a discipline with an airtime limit of its own above the governor of a scenario; None if only one of both limits.
/// Both bound the airtime below the queue, and the smaller budget throttles what the larger one allows.
pub fn limited_twice(scenario: &Scenario, params: &Params) -> Option<String> {
    let governed = scenario.medium.cell().is_some_and(|cell| cell.driver.governor.is_some());
    let aql = params.get("aql") == Some(&[1]);
    (governed && aql).then(|| {
        let name = params.discipline().name();
        format!(
            "{name}: AQL and the governor (`inflight` in [wifi.driver]) both limit the airtime below the queue; pages took 2260 ms \
             instead of 805 in one home: set `aql = \"off\"` in [queue.{name}], or {name}:aql=off"
        )
    })
}

/// Disciplines as one text: `fifo,chap:limit=70,vfq:weight=1,2`.
#[derive(Clone, Debug)]
pub struct QueueList(Vec<QueueSpec>);

impl Deref for QueueList {
    type Target = [QueueSpec];

    fn deref(&self) -> &[QueueSpec] {
        &self.0
    }
}

impl From<Vec<QueueSpec>> for QueueList {
    fn from(specs: Vec<QueueSpec>) -> QueueList {
        QueueList(specs)
    }
}

impl FromStr for QueueList {
    type Err = String;

    fn from_str(text: &str) -> Result<QueueList, String> {
        let mut labels: Vec<String> = Vec::new();
        for piece in text.split(',') {
            match labels.last_mut().filter(|last| ends_in_list(last) && !begins(piece)) {
                Some(last) => *last = format!("{last},{piece}"),
                None => labels.push(piece.into()),
            }
        }
        labels.iter().map(|label| label.parse()).collect::<Result<_, _>>().map(QueueList)
    }
}

/// Whether a piece begins with the name of a discipline.
fn begins(piece: &str) -> bool {
    Discipline::named(piece.split(':').next().unwrap_or_default().trim()).is_some()
}

/// Whether the last parameter of a label takes more than one value.
fn ends_in_list(label: &str) -> bool {
    let pieces = pieces(label);
    let last = pieces[1..].last().and_then(|part| part.split_once('='));
    let params = Discipline::named(pieces[0].trim()).map(Discipline::params).unwrap_or_default();
    last.is_some_and(|(name, _)| params.iter().any(|p| p.name == name.trim() && p.max_len > 1))
}

/// What stands between colons, but for those within a rule: `udp:443=0`.
fn pieces(label: &str) -> Vec<&str> {
    const BEFORE: [&str; 4] = ["tcp", "udp", "dscp", "station"];
    let params = label
        .split(':')
        .next()
        .and_then(|name| Discipline::named(name.trim()))
        .map(Discipline::params)
        .unwrap_or_default();
    let rules = |name: &str| params.iter().any(|p| p.name == name.trim() && p.unit == Unit::Rule);
    let (mut pieces, mut from) = (Vec::new(), 0);
    for (at, _) in label.match_indices(':') {
        let word = label[from..at].rsplit([',', '=']).next().unwrap_or_default();
        let in_rules = label[from..at].split_once('=').is_some_and(|(name, _)| rules(name));
        if in_rules && BEFORE.contains(&word.trim()) {
            continue;
        }
        pieces.push(&label[from..at]);
        from = at + 1;
    }
    pieces.push(&label[from..]);
    pieces
}

impl QueueSpec {
    /// The discipline that it names.
    pub fn discipline(&self) -> Discipline {
        self.values.discipline()
    }

    /// The parameters to run with: those of the scenario, unless the label says `defaults`, then its own.
    ///
    /// # Errors
    /// Values that the discipline does not take beside each other.
    pub fn build(&self, settings: &QueueSettings) -> Result<Params, ParamError> {
        if self.defaults {
            return Ok(self.values.clone());
        }
        let mut params = settings.params(self.values.discipline());
        self.given.iter().for_each(|name| params.copy(name, &self.values));
        params.check()?;
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        text.parse::<QueueList>().unwrap().iter().map(|queue| queue.label.clone()).collect()
    }

    #[test]
    fn what_no_discipline_reads_is_known() {
        let said = |path: &str, queues: &str| unread(path, &queues.parse::<QueueList>().unwrap());
        let other = "nothing reads it: red is not among the disciplines (fifo, chap); name it, too, or leave this out";
        assert_eq!(said("queue.red.limit", "fifo,chap").as_deref(), Some(other));
        let own = "nothing reads it: chap:limit=70 says itself what limit is; set it there";
        assert_eq!(said("queue.chap.limit", "fifo,chap:limit=70").as_deref(), Some(own));
        for path in
            ["queue.chap.increment", "queue.fifo.limit", "queue.chop.limit", "wifi.attempts", "queue", "a..b"]
        {
            assert_eq!(said(path, "fifo,chap:limit=70"), None, "{path}");
        }
        assert_eq!(said("queue.chap.limit", "chap,chap:limit=70"), None, "one of them reads it");
        assert_eq!(said("queue.chap.limit", "chap,chap:defaults"), None, "one of them reads it");
        let defaults = "nothing reads it: chap:defaults says itself what limit is; set it there";
        assert_eq!(said("queue.chap.limit", "fifo,chap:defaults").as_deref(), Some(defaults));
    }

    /// Either limit alone is no reason to warn.
    #[test]
    fn an_airtime_limit_above_a_governor_is_told() {
        let said = |driver: &str, queue: &str, label: &str| {
            let text = format!(
                "duration = \"9s\"\n[wifi]\nphy = \"std-11n\"\n{driver}\n{queue}\n[[station]]\nname = \"s\"\nmcs = 7\n\
                 [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\n"
            );
            let file = crate::ScenarioFile::parse("x.toml", &text).unwrap_or_else(|e| panic!("{e}"));
            let spec: QueueSpec = label.parse().unwrap();
            limited_twice(&file.scenario, &spec.build(&file.queues).unwrap())
        };
        let governor = "driver = { inflight = \"8ms\" }";
        let both = said(governor, "", "airtime_fq").expect("both limit");
        assert!(
            both.starts_with("airtime_fq: AQL and the governor") && both.ends_with("or airtime_fq:aql=off"),
            "{both}"
        );
        assert_eq!(said(governor, "", "airtime_fq:aql=off"), None);
        assert_eq!(said(governor, "[queue.airtime_fq]\naql = \"off\"", "airtime_fq"), None);
        assert_eq!(said(governor, "", "fq_codel"), None);
        assert_eq!(said("", "", "airtime_fq"), None);
        assert_eq!(said("driver = { ring = 100 }", "", "airtime_fq"), None);
    }

    /// A label with `defaults` leaves out what the file says of its discipline.
    #[test]
    fn a_label_can_leave_out_the_table_of_the_file() {
        let file = crate::ScenarioFile::parse(
            "x.toml",
            "duration = \"9s\"\nqueue = { limit = 50, chap = { increment = \"7ms\" } }\n[[station]]\nname = \"s\"\n\
             [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\n",
        );
        let file = file.unwrap_or_else(|e| panic!("{e}"));
        let built = |label: &str| {
            let params = label.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
            ["increment", "limit"].map(|name| params.get(name).unwrap()[0])
        };
        assert_eq!(built("chap"), [7_000_000, 50]);
        assert_eq!(built("chap:limit=70"), [7_000_000, 70]);
        assert_eq!(built("chap:defaults"), [25_000_000, 2048]);
        assert_eq!(built("chap: defaults:limit=70"), [25_000_000, 70]);
        assert_eq!(
            labels("fifo,chap:defaults,chap:defaults:limit=9")[1..],
            ["chap:defaults", "chap:defaults:limit=9"]
        );
        let wrong = "chap:limit=70:defaults".parse::<QueueSpec>().unwrap_err();
        assert_eq!(
            wrong,
            "'defaults' is not parameter=value, as in chap:limit=70; `defaults` comes first: chap:defaults"
        );
    }

    #[test]
    fn commas_and_colons_of_values_are_told_from_those_between() {
        assert_eq!(labels("fifo,chap:limit=70, vfq:weight=1,2,fq_codel").len(), 4);
        assert_eq!(
            labels("spq:classes=3:rules=tcp=0,udp:6000-6010=1,dscp:ef=1,station:7=2,*=2:limit=9,fifo"),
            ["spq:classes=3:rules=tcp=0,udp:6000-6010=1,dscp:ef=1,station:7=2,*=2:limit=9", "fifo"]
        );
        let spec: QueueSpec = "chap:share=station:limit=5".parse().unwrap();
        assert_eq!(spec.values.get("limit").unwrap(), [5]);
        let spec: QueueSpec = "spq:rules=udp:443=0,host:limit=5".parse().unwrap();
        assert_eq!(spec.values.get("rules").unwrap(), [0x01bb_01bb_1130, 0]);
        assert_eq!(spec.values.get("limit").unwrap(), [5]);
    }

    #[test]
    fn what_is_wrong_is_said_of_the_value() {
        for (text, said) in [
            ("fifo,chapp", "no discipline 'chapp'"),
            ("spq:rules=udp:9-8=0", "spq: rules: its ports are reversed; write 8-9"),
            ("spq:rules=tcp=2", "spq: rules: names a class that is not among classes"),
            ("spq:rules=tcp", "spq: rules: 'tcp' names no class; write PATTERN=CLASS"),
            ("vfq:weight=1,x", "vfq: weight: 'x' is not a number"),
        ] {
            let error = text.parse::<QueueList>().unwrap_err();
            assert!(error.starts_with(said), "{text}: {error}");
        }
    }

    #[test]
    fn a_rule_that_is_never_reached_is_told() {
        let spec: QueueSpec = "spq:rules=*=0,tcp=1".parse().unwrap();
        assert_eq!(spec.values.warnings().len(), 1);
    }
}
