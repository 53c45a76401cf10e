// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Applications of a house: real programs and sockets inside its namespaces,
//! which yield what the simulator's trace yields, so that `airtab-scenario` judges
//! both the same way.
//!
//! | kind | what runs |
//! |---|---|
//! | `game`, `voip`, `video`, `udp`, `ping`, `trace`, and whatever else speaks UDP | the simulator's application over sockets (`udp`) |
//! | `download`, `upload`, `p2p` | iperf3 (`iperf`) |
//! | `web` | nginx, and our own page loader (`web`, `loader`, `http`) or Chromium (`chromium`) |
//! | `streaming` | nginx, and our own player (`streaming`) |
//! | `responsiveness` | client and server of `airtab rpm` (`responsiveness`) |
//!
//! Sizes, periods, phases, pages and rates are the simulator's for the same seed.
//! Sources: CHAP dissertation 6.1 and 7.3. `docs/live-apps.md` describes each.
//!
//! What it does not do: it makes no namespaces and moves no packets (`netns`,
//! `driver`), and what becomes of packets in the access point is not its to say.

mod chromium;
mod http;
mod iperf;
mod loader;
mod nginx;
mod program;
mod refusal;
mod responsiveness;
mod streaming;
mod udp;
mod web;
mod work;

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use airtab_scenario::Metric;
use airtab_sim::tcp::Algorithm;
use airtab_sim::{App, AppKind, AppTrace, Scenario};
use serde::Serialize;

use crate::clock::Clock;
use crate::error::LiveError;
use crate::house::{self, House, Port};
use crate::netns::NetnsRef;
use crate::snapshot::{AppView, Quantiles, Score};
use crate::user::User;

use work::Work;

/// The applications of a house, under way. All ends when it is dropped.
pub struct Apps {
    work: Work,
    running: Vec<(Arc<Ends>, Arc<dyn ActiveApp>)>,
    /// Serves pages and films; ends last.
    _nginx: Option<Arc<nginx::Nginx>>,
}

/// What an application says of itself, beside its trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AppReport {
    /// Its name in the house.
    pub name: String,
    /// What it is, as in house files.
    pub kind: String,
    /// How long after its time each packet or burst was sent; UDP only. More
    /// than a millisecond says that the machine was too busy to believe scores.
    pub late: Quantiles,
    /// From the request of an object to the first byte of its answer; pages and films only.
    pub first_byte: Quantiles,
    /// Pages or segments that could not be loaded.
    pub failed: u64,
    /// What iperf3 measured; downloads, uploads and peers only.
    pub bulk: Option<Bulk>,
    /// Why it ended before its time; None: it did not.
    pub ended: Option<String>,
}

/// What iperf3 measured, from the application's start to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bulk {
    /// Congestion control that the sender says it used.
    pub congestion: String,
    /// TCP payload received at the station, bit/s.
    pub down_bps: f64,
    /// TCP payload that the station's TCP took, bit/s.
    pub up_bps: f64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Connections.
    pub flows: u64,
}

/// An application's place in its house.
pub(crate) struct Ends {
    /// Its number in the house.
    index: u16,
    app: App,
    scenario: Arc<Scenario>,
    internet: NetnsRef,
    station: NetnsRef,
    server: Ipv4Addr,
    client: Ipv4Addr,
}

/// An application under way.
pub(crate) trait ActiveApp: Send + Sync {
    /// What its user feels, of late.
    fn score(&self, now: u64) -> Option<Score>;
    /// Puts what it knows into its trace; nothing of it runs any more.
    fn finish(&self, trace: &mut AppTrace, report: &mut AppReport);
}

impl Apps {
    /// Starts what every application of the house needs. Each sends by its own
    /// schedule on `clock`. The namespaces exist and have their addresses; files of
    /// programs go into `folder`, and go with them.
    ///
    /// # Errors
    /// If a program is missing or does not start, a port is taken, or the house
    /// asks for what only the simulator has.
    pub fn start(house: &House, clock: Clock, seed: u64, folder: &Path) -> Result<Apps, LiveError> {
        Apps::admit(&house.file.scenario)?;
        let scenario = Arc::new(house.file.scenario.clone());
        let internet = NetnsRef::named(house.netns(Port::Internet));
        let ends = |(index, app): (u16, &App)| {
            let station = app.station as u16;
            Arc::new(Ends {
                index,
                app: app.clone(),
                scenario: scenario.clone(),
                internet: internet.clone(),
                station: NetnsRef::named(house.netns(Port::Station(station))),
                server: house::server(index),
                client: house::station(station),
            })
        };
        let all: Vec<_> = (0..).zip(&scenario.apps).map(ends).collect();
        let work = Work::new(clock, seed, folder, User::of(house.name())?);
        let mut apps = Apps { work, running: Vec::new(), _nginx: None };
        apps._nginx = nginx::Nginx::start(&apps.work, &internet, &all)?.map(Arc::new);
        for ends in all {
            let running = apps.start_one(&ends)?;
            apps.running.push((ends, running));
        }
        Ok(apps)
    }

    /// Which applications of a scenario only the simulator has, and why: what
    /// [`Apps::start`] refuses on every machine. What a machine lacks is not among it.
    pub fn refusals(scenario: &Scenario) -> Vec<LiveError> {
        let why = |app: &App| {
            let said = refusal::refusal(app, scenario.tcp.congestion)?;
            Some(LiveError::App { app: app.name.clone(), said })
        };
        scenario.apps.iter().filter_map(why).collect()
    }

    /// Whether there is nothing that [`Apps::start`] refuses on every machine: to be
    /// asked before a house is built.
    ///
    /// # Errors
    /// The first of [`Apps::refusals`].
    pub fn admit(scenario: &Scenario) -> Result<(), LiveError> {
        Apps::refusals(scenario).into_iter().next().map_or(Ok(()), Err)
    }

    fn start_one(&self, ends: &Arc<Ends>) -> Result<Arc<dyn ActiveApp>, LiveError> {
        let work = &self.work;
        let nginx = || self._nginx.clone().expect("started for every page and film");
        Ok(match ends.app.kind {
            AppKind::Download(_) | AppKind::Upload(_) | AppKind::P2p(_) => iperf::Iperf::start(work, ends)?,
            AppKind::Web(_) => web::Web::start(work, ends, nginx())?,
            AppKind::Streaming(_) => streaming::Film::start(work, ends, nginx())?,
            AppKind::Responsiveness(_) => responsiveness::Tester::start(work, ends)?,
            _ => udp::Udp::start(work, ends)?,
        })
    }

    /// The first thing that went wrong since it was last asked: ask once a second.
    ///
    /// # Errors
    /// What went wrong, in the words of the program that failed.
    pub fn check(&self) -> Result<(), LiveError> {
        self.work.take_fault()
    }

    /// A station has ended: its applications fail, which is no fault of theirs,
    /// and say so in their reports.
    pub fn end_station(&self, station: &str, why: &str) {
        for (ends, _) in &self.running {
            if ends.scenario.stations[ends.app.station].name == station {
                self.work.excuse(&ends.app.name, &format!("station {station} ended: {why}"));
            }
        }
    }

    /// What the user of each feels, in the order of the house.
    pub fn views(&self) -> Vec<AppView> {
        let now = self.work.clock.now();
        let view = |(ends, running): &(Arc<Ends>, Arc<dyn ActiveApp>)| AppView {
            name: ends.app.name.clone(),
            kind: ends.app.kind.name().into(),
            station: ends.scenario.stations[ends.app.station].name.clone(),
            score: if ends.app.active_ns.contains(&now) { running.score(now) } else { None },
            ..AppView::default()
        };
        self.running.iter().map(view).collect()
    }

    /// Ends everything and waits for it, some 0.1 s. Do this while the access
    /// point still runs: without it, applications fail.
    pub fn stop(&self) {
        self.work.stop();
    }

    /// Ends everything as [`Apps::stop`] does, and puts into each trace what the
    /// application knows better than the access point: every delivery of games,
    /// calls and pings, packets sent and received of videos and UDP streams,
    /// video frames, pages, segments. Gives what else they have to say.
    ///
    /// # Errors
    /// What went wrong since [`Apps::check`] was last asked.
    ///
    /// # Panics
    /// If there is not a trace for each application of the house.
    pub fn finish(self, traces: &mut [AppTrace]) -> Result<Vec<AppReport>, LiveError> {
        assert_eq!(traces.len(), self.running.len(), "a trace for each application");
        self.check()?;
        self.work.stop();
        let report = |((ends, running), trace): (&(Arc<Ends>, Arc<dyn ActiveApp>), &mut AppTrace)| {
            let (name, kind) = (ends.app.name.clone(), ends.app.kind.name().into());
            let ended = self.work.excused(&name);
            let mut report = AppReport { name, kind, ended, ..AppReport::default() };
            running.finish(trace, &mut report);
            report
        };
        Ok(self.running.iter().zip(traces).map(report).collect())
    }
}

impl Drop for Apps {
    fn drop(&mut self) {
        self.work.stop();
    }
}

impl Ends {
    /// What the application's connections use; None: it speaks UDP.
    fn congestion(&self) -> Option<Algorithm> {
        self.app.kind.congestion(self.scenario.tcp.congestion)
    }

    fn failed(&self, said: impl Into<String>) -> LiveError {
        LiveError::App { app: self.app.name.clone(), said: said.into() }
    }
}

fn score(metric: Metric, value: f64, text: String) -> Score {
    Score { metric: metric.name().into(), value, text, down: None, up: None }
}

/// A rate for people.
fn bits(bps: f64) -> String {
    format!("{:.2} Mb/s", bps / 1e6)
}

#[cfg(test)]
pub(crate) mod fixture {
    use std::path::Path;
    use std::sync::Arc;

    use airtab_scenario::{Metric, ScenarioFile};
    use airtab_sim::{AppMeter, AppTrace};

    use super::work::Work;
    use super::{ActiveApp, AppReport, Apps, Clock, Ends, NetnsRef, Score, User, house, score};

    /// One application on one station for 60 s; `app` is TOML.
    pub(crate) fn ends(app: &str) -> Ends {
        let text = format!(
            "name = \"x\"\nduration = \"60s\"\n[[station]]\nname = \"s\"\n\
             [[app]]\nname = \"a\"\nstation = \"s\"\n{app}\n"
        );
        let scenario = ScenarioFile::parse("x.toml", &text).expect("a good file").scenario;
        Ends {
            index: 0,
            app: scenario.apps[0].clone(),
            scenario: Arc::new(scenario),
            internet: NetnsRef::named("none"),
            station: NetnsRef::named("none"),
            server: house::server(0),
            client: house::station(0),
        }
    }

    /// Scores its number, and reports it.
    struct Numbered(u64);

    impl ActiveApp for Numbered {
        fn score(&self, _: u64) -> Option<Score> {
            Some(score(Metric::Ping, self.0 as f64, format!("{} s", self.0)))
        }

        fn finish(&self, trace: &mut AppTrace, report: &mut AppReport) {
            (trace.down.sent, report.failed) = (self.0, self.0);
        }
    }

    /// Applications of which nothing runs, and a trace for each: a game on the pc, a call and a film on the tv, of which
    /// the call has not begun and the film is over.
    pub(crate) fn apps() -> (Apps, Vec<AppTrace>) {
        let text = "name = \"x\"\nduration = \"600s\"\n[[station]]\nname = \"pc\"\n[[station]]\nname = \"tv\"\n\
            [[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"pc\"\n\
            [[app]]\nname = \"b\"\nkind = \"voip\"\nstation = \"tv\"\n\
            [[app]]\nname = \"c\"\nkind = \"video\"\nstation = \"tv\"\n";
        let scenario = Arc::new(ScenarioFile::parse("x.toml", text).expect("a good file").scenario);
        let active = [0..u64::MAX, u64::MAX - 1..u64::MAX, 0..1];
        let running = (0..).zip(&scenario.apps).zip(active).map(|((index, app), active_ns)| {
            let mut app = app.clone();
            app.active_ns = active_ns;
            let (scenario, none) = (scenario.clone(), NetnsRef::named("none"));
            let (server, client) = (house::server(index), house::station(index));
            let ends = Ends { index, app, scenario, internet: none.clone(), station: none, server, client };
            let own: Arc<dyn ActiveApp> = Arc::new(Numbered(u64::from(index) + 1));
            (Arc::new(ends), own)
        });
        let traces = scenario.apps.iter().map(|app| AppMeter::new(app, &scenario).finish(1).0).collect();
        (Apps { work: work(), running: running.collect(), _nginx: None }, traces)
    }

    /// Work whose clock starts now.
    pub(crate) fn work() -> Work {
        Work::new(Clock::start(), 3, Path::new("/nowhere"), User::of("fixture").expect("a user is free"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An application has a score from its start to its end.
    #[test]
    fn views_are_in_the_order_of_the_house() {
        let (apps, _) = fixture::apps();
        while apps.work.clock.now() == 0 {}
        let views = apps.views();
        let told: Vec<_> = views
            .iter()
            .map(|view| {
                let text = view.score.as_ref().map(|score| score.text.as_str());
                (view.name.as_str(), view.kind.as_str(), view.station.as_str(), text)
            })
            .collect();
        let expected =
            [("a", "game", "pc", Some("1 s")), ("b", "voip", "tv", None), ("c", "video", "tv", None)];
        assert_eq!(told, expected);
    }

    /// Reports of a station that has ended state it; each report and trace has its own application's figures.
    #[test]
    fn reports_are_in_the_order_of_the_house_and_say_what_ended() {
        let (apps, mut traces) = fixture::apps();
        apps.end_station("tv", "its device is gone");
        apps.end_station("nowhere", "x");
        apps.work.fault(LiveError::App { app: "b".into(), said: "no such device".into() });
        assert!(apps.check().is_ok(), "no fault of its own");
        let reports = apps.finish(&mut traces).unwrap();
        let gone = Some("station tv ended: its device is gone".to_string());
        let told: Vec<_> =
            reports.into_iter().map(|own| (own.name, own.kind, own.failed, own.ended)).collect();
        let expected = [("a", "game", 1, None), ("b", "voip", 2, gone.clone()), ("c", "video", 3, gone)];
        assert_eq!(told, expected.map(|(name, kind, n, ended)| (name.into(), kind.into(), n, ended)));
        assert_eq!(traces.iter().map(|trace| trace.down.sent).collect::<Vec<_>>(), [1, 2, 3]);
        // A fault of any other is the run's.
        let (apps, mut traces) = fixture::apps();
        apps.end_station("tv", "its device is gone");
        apps.work.fault(LiveError::App { app: "a".into(), said: "it fell over".into() });
        assert_eq!(apps.finish(&mut traces).unwrap_err().to_string(), "application a: it fell over");
    }

    /// Every refused application has its own reason, in the order of the file; the error at start names the first.
    #[test]
    fn refusals_are_in_the_order_of_the_house() {
        let app =
            |name: &str, kind: &str| format!("[[app]]\nname = \"{name}\"\nstation = \"s\"\nkind = {kind}\n");
        let text = [
            "name = \"x\"\nduration = \"9s\"\n[[station]]\nname = \"s\"\n".to_string(),
            app("a", "\"game\""),
            app("b", "\"http\""),
            app("c", "\"web\""),
            app("d", "\"p2p\"\nflows = 129"),
        ];
        let scenario = airtab_scenario::ScenarioFile::parse("x.toml", &text.concat()).unwrap().scenario;
        let told: Vec<String> = Apps::refusals(&scenario).iter().map(ToString::to_string).collect();
        let http = "application b: no program loads this kind here; only the simulator has it";
        assert_eq!(told, [http, "application d: 129 flows: iperf3 takes at most 128"]);
        assert_eq!(Apps::admit(&scenario).unwrap_err().to_string(), http);
    }
}
