// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A comparison with everything that is shown of it: the first seed's run of each
//! discipline tells its story and fills its capture while it is measured. Nothing
//! is simulated twice.
//!
//! What it does not do: no files are made here, no page (`report`).

use std::convert::Infallible;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Mutex;

use airtab_core::Params;
use airtab_scenario::{Measured, short};
use airtab_sim::{Observer, Scenario};

use crate::capture::Watcher;
use crate::compare::{Comparison, Options, simulated, through};
use crate::flent::{Document, Plan};
use crate::measure::run_watched;
use crate::plan::{Brake, Job, Stopped, Work};
use crate::so_far::Watch;
use crate::story::{Story, Teller};

/// A comparison, and what was seen of each discipline's run with the first seed.
pub struct Study {
    /// The comparison.
    pub comparison: Comparison,
    /// The story of each discipline, in their order.
    pub stories: Vec<Story>,
    /// How many frames each of the captures has, in their order.
    pub captured: Vec<io::Result<u64>>,
    /// The file for flent of each discipline, in their order, if there is a plan.
    pub documents: Vec<Document>,
}

/// Where a discipline's frames go.
pub struct Capture<'a> {
    /// Of which part of the run, ns.
    pub span: Range<u64>,
    /// The file.
    pub out: &'a mut (dyn Write + Send),
}

/// Compares, with the stories, captures and files for flent of the first seed's runs. `captures`:
/// one for each discipline, or none at all; `plan`: of the scenario as it is run, or none; `watch`: whoever looks at it on
/// its way, if somebody does.
///
/// # Errors
/// [`Stopped`] as [`crate::compare()`]; captures are incomplete then.
///
/// # Panics
/// As [`crate::compare()`] does.
pub fn study(
    scenario: &Scenario,
    queues: &[(String, Params)],
    options: &Options,
    captures: Vec<Capture>,
    plan: Option<&Plan>,
    watch: Option<Watch>,
) -> Result<Study, Stopped> {
    let scenario = &if options.short { short(scenario) } else { scenario.clone() };
    let runs = Runs {
        scenario,
        queues,
        plan,
        // One run alone takes each.
        captures: captures.into_iter().map(Mutex::new).collect(),
        seen: queues.iter().map(|_| Mutex::default()).collect(),
    };
    let comparison = through(scenario, queues, options, &runs, watch)?;
    let (mut stories, mut captured, mut documents) = (Vec::new(), Vec::new(), Vec::new());
    for seen in runs.seen {
        let seen = seen.into_inner().expect("nobody panics with it");
        stories.extend(seen.story);
        captured.extend(seen.captured);
        documents.extend(seen.document);
    }
    Ok(Study { comparison, stories, captured, documents })
}

/// Runs that are looked at, if it is their discipline's first.
struct Runs<'a, 'c> {
    scenario: &'a Scenario,
    queues: &'a [(String, Params)],
    plan: Option<&'a Plan>,
    captures: Vec<Mutex<Capture<'c>>>,
    seen: Vec<Mutex<Seen>>,
}

/// What is left of a discipline's first run.
#[derive(Default)]
struct Seen {
    story: Option<Story>,
    captured: Option<io::Result<u64>>,
    document: Option<Document>,
}

impl Work for Runs<'_, '_> {
    type Error = Infallible;

    fn run(&self, job: &Job, brake: &mut Brake) -> Result<Option<Measured>, Infallible> {
        let (scenario, (label, params)) = (self.scenario, &self.queues[job.queue]);
        if job.place > 0 {
            let made = run_watched(scenario, scenario, params, job.seed, &mut [brake]);
            return Ok(made.map(|(measured, _)| measured));
        }
        let mut capture =
            self.captures.get(job.queue).map(|capture| capture.lock().expect("nobody panics with it"));
        let mut watcher = capture.as_deref_mut().map(|capture| {
            let Capture { span, out } = capture;
            Watcher::new(scenario, label, job.seed, span, *out)
        });
        let mut teller = Teller::new(scenario, params);
        let mut observers: Vec<&mut dyn Observer> = teller.observers().into();
        if let Some(Ok(watcher)) = &mut watcher {
            observers.push(watcher);
        }
        observers.push(brake);
        let run = self.plan.map_or(scenario, Plan::scenario);
        let Some((measured, trace)) = run_watched(scenario, run, params, job.seed, &mut observers) else {
            return Ok(None);
        };
        *self.seen[job.queue].lock().expect("nobody panics with it") = Seen {
            story: Some(teller.tell(label, job.seed, &trace)),
            captured: watcher.map(|watcher| watcher.and_then(|watcher| watcher.written)),
            document: self.plan.map(|plan| simulated(plan, &trace, label, job.seed)),
        };
        Ok(Some(measured))
    }

    /// What is stored has neither story nor frames.
    fn takes_stored(&self, job: &Job) -> bool {
        job.place > 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use airtab_core::Discipline;
    use airtab_scenario::ScenarioFile;

    use super::*;
    use crate::store::NoStore;
    use crate::{compare, story};

    /// Each discipline has its own story, capture and file, all of the first seed; the comparison is what it is without.
    #[test]
    fn each_discipline_is_seen_with_the_first_seed() {
        let text = "duration = \"120s\"\nmeasure = [\"60s\", \"65s\"]\n[[station]]\nname = \"s\"\n\
                    [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\nstart = \"59s\"\nstop = \"66s\"\n";
        let scenario = ScenarioFile::parse("mine.toml", text).unwrap().scenario;
        let queues: Vec<(String, Params)> = [("fifo", "fifo"), ("chap", "chap:limit=9")]
            .map(|(name, label)| (label.to_string(), Params::new(Discipline::named(name).unwrap())))
            .into();
        let (stop, seeds) = (AtomicBool::new(false), [8, 3]);
        for brief in [false, true] {
            let options = Options {
                seeds: &seeds,
                short: brief,
                jobs: 1,
                stop: &stop,
                store: &NoStore,
                progress: &|_| (),
            };
            let run = if brief { short(&scenario) } else { scenario.clone() };
            let plan = (!brief).then(|| Plan::of(&run).unwrap());
            let at = run.measure_ns.start;
            let (mut first, mut second) = (Vec::new(), Vec::new());
            let captures = vec![
                Capture { span: at..at + 100_000_000, out: &mut first },
                Capture { span: at..at + 400_000_000, out: &mut second },
            ];
            let seen = study(&scenario, &queues, &options, captures, plan.as_ref(), None).unwrap();
            let bare = compare(&scenario, &queues, &options).unwrap();
            assert_eq!(serde_json::to_value(&seen.comparison).unwrap(), serde_json::to_value(&bare).unwrap());
            let stories: Vec<Story> =
                queues.iter().map(|(label, params)| story(&run, label, params, 8)).collect();
            assert_eq!(seen.stories, stories);
            let frames: Vec<u64> = seen.captured.into_iter().map(Result::unwrap).collect();
            for (((label, params), file), (frames, ms)) in
                queues.iter().zip([&first, &second]).zip(frames.iter().zip([100, 400]))
            {
                let mut own = Vec::new();
                let written =
                    crate::capture(&run, label, params, 8, &(at..at + ms * 1_000_000), &mut own).unwrap();
                assert_eq!((*frames, file), (written, &own), "{label}");
            }
            let documents: Vec<_> =
                seen.documents.iter().map(|d| (d.title.as_str(), d.note.as_str())).collect();
            let note = "simulated by airtab, seed 8; time 0 is 1970";
            assert_eq!(documents, if brief { vec![] } else { vec![("fifo", note), ("chap:limit=9", note)] });
        }
    }

    /// A run that is looked at is made anew; of the others the stored ones are taken.
    #[test]
    fn the_first_seed_is_never_a_stored_one() {
        let scenario = ScenarioFile::home().scenario;
        let runs =
            Runs { scenario: &scenario, queues: &[], plan: None, captures: Vec::new(), seen: Vec::new() };
        let job = |place| Job { point: 0, queue: 0, place, seed: 1 };
        assert_eq!([0, 1, 2].map(|place| runs.takes_stored(&job(place))), [false, true, true]);
    }
}
