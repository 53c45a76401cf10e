// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Random houses: what Why names for a game and for a call is the largest part that was measured of what lowers its
//! score, by the models' arithmetic worked out here, and the parts are all of its delay and of its losses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use airtab_lab::store::NoStore;
use airtab_lab::{Comparison, Options, compare, why};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Houses, of some seconds each.
const HOUSES: u32 = 150;

/// What stands in a house.
#[derive(Clone, Debug)]
struct House {
    /// Mb/s and metres of three stations.
    stations: [(u32, u32); 3],
    /// Station and latency, ms, of the game and the call.
    talkers: [(usize, u32); 2],
    /// Stations of bulk transfers: downloads, uploads.
    bulk: [Vec<usize>; 2],
    wires_mbps: u32,
    limit: u32,
    uplink_packets: u32,
    queue: &'static str,
    seed: u64,
}

fn houses() -> impl Strategy<Value = House> {
    let station = || (prop::sample::select(vec![54, 24, 6]), prop::sample::select(vec![1, 1, 13, 17]));
    let talker = || (0..3usize, prop::sample::select(vec![1, 5, 40, 200]));
    let bulk = || prop::collection::vec(0..3usize, 0..3);
    let queue = prop::sample::select(vec!["fifo", "chap", "fq_codel"]);
    let sizes = (prop::sample::select(vec![100, 100, 3]), 5..200u32, prop::sample::select(vec![8, 60, 1000]));
    let parts =
        ([station(), station(), station()], [talker(), talker()], [bulk(), bulk()], sizes, queue, 1..1000u64);
    parts.prop_map(|(stations, talkers, bulk, (wires_mbps, limit, uplink_packets), queue, seed)| House {
        stations,
        talkers,
        bulk,
        wires_mbps,
        limit,
        uplink_packets,
        queue,
        seed,
    })
}

impl House {
    fn run(&self) -> Comparison {
        let House { wires_mbps, limit, uplink_packets, .. } = self;
        let mut text = format!(
            "duration = \"5s\"\nmeasure = [\"1s\", \"4500ms\"]\nwifi.uplink_packets = {uplink_packets}\n\
             wired.rate = \"{wires_mbps}Mb/s\"\nqueue.limit = {limit}\n"
        );
        for (i, (mbps, metres)) in self.stations.iter().enumerate() {
            text += &format!("[[station]]\nname = \"s{i}\"\nrate = \"{mbps}Mb/s\"\ndistance = {metres}\n");
        }
        let app = |name: &str, kind: &str, station: usize, rest: &str| {
            format!("[[app]]\nname = \"{name}\"\nkind = \"{kind}\"\nstation = \"s{station}\"\n{rest}\n")
        };
        for ((name, kind), (station, ms)) in
            [("game", "game"), ("call", "voip")].into_iter().zip(self.talkers)
        {
            text += &app(name, kind, station, &format!("latency = \"{ms}ms\""));
        }
        for (kind, stations) in ["download", "upload"].into_iter().zip(&self.bulk) {
            for (i, station) in stations.iter().enumerate() {
                text += &app(&format!("{kind}{i}"), kind, *station, "");
            }
        }
        let file = ScenarioFile::parse("house.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let params = self.queue.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let stop = AtomicBool::new(false);
        let options = Options {
            seeds: &[self.seed],
            short: false,
            jobs: 1,
            stop: &stop,
            store: &NoStore,
            progress: &|_| (),
        };
        compare(&file.scenario, &[(self.queue.into(), params)], &options).unwrap()
    }
}

const QUEUE: &str = "the access point's queue";
const UPLINK: &str = "its station's uplink queue";
const CHANNEL: &str = "the channel";
const WIRES: &str = "the wired line";
/// Place, direction and name in figures.
const PLACES: [(&str, &str, &str); 6] = [
    (WIRES, "down", "wires"),
    (QUEUE, "down", "queue"),
    (CHANNEL, "down", "channel"),
    (UPLINK, "up", "queue"),
    (CHANNEL, "up", "channel"),
    (WIRES, "up", "wires"),
];

/// Sizes by place and by what is met there.
type Sizes = BTreeMap<(&'static str, bool), f64>;

struct App<'a> {
    c: &'a Comparison,
    name: &'a str,
}

impl App<'_> {
    fn get(&self, figure: &str) -> Option<f64> {
        let metric = Metric::named(figure).unwrap_or_else(|| panic!("no figure {figure}"));
        self.c.mean(&self.c.queues[0].label, self.name, metric)
    }

    fn part(&self, direction: &str, place: &str, what: &str) -> f64 {
        self.get(&format!("{direction}_{place}_{what}")).unwrap_or(0.0)
    }

    /// X = 0.104 ping + jitter of the worse direction.
    fn game(&self) -> Sizes {
        let mut sizes = Sizes::new();
        let worse =
            if self.get("jitter_seconds") >= self.get("uplink_jitter_seconds") { "down" } else { "up" };
        for (words, direction, place) in PLACES {
            let varies = if direction == worse { self.part(direction, place, "jitter_seconds") } else { 0.0 };
            let size = 0.104 * self.part(direction, place, "mean_seconds") + varies;
            *sizes.entry((words, false)).or_default() += size;
        }
        sizes
    }

    /// 94 - R = 0.024 d + 0.11 max(0, d - 177.3) + 30 ln(1 + 15 l) of the worse direction.
    fn call(&self) -> Sizes {
        let mut sizes = Sizes::new();
        let up = self.get("voip_mos_uplink") < self.get("voip_mos_downlink");
        let own = PLACES.iter().filter(|(_, direction, _)| (*direction == "up") == up);
        let all =
            |what| own.clone().map(|(_, direction, place)| self.part(direction, place, what)).sum::<f64>();
        let (ms, lost) = (1e3 * all("mean_seconds"), all("loss_ratio"));
        let by_delay = 0.024 * ms + 0.11 * (ms - 177.3).max(0.0);
        let by_loss = 30.0 * (1.0 + 15.0 * lost).ln();
        for (words, direction, place) in own.clone() {
            let share = |what, of: f64| if of > 0.0 { self.part(direction, place, what) / of } else { 0.0 };
            sizes.insert((words, false), by_delay * share("mean_seconds", ms * 1e-3));
            sizes.insert((words, true), by_loss * share("loss_ratio", lost));
        }
        sizes
    }
}

/// What was named; None where too little came through to say.
fn check(c: &Comparison, name: &'static str) -> Result<Option<(&'static str, bool)>, TestCaseError> {
    let app = App { c, name };
    let (sentences, start) = (why(c), format!("{name} "));
    let said = sentences.iter().find(|said| said.starts_with(&start)).expect("a sentence for each");
    // End to end by the endpoints, part by part on the way.
    for (direction, delay, loss) in
        [("down", "delay_seconds", "loss_ratio"), ("up", "uplink_delay_seconds", "uplink_loss_ratio")]
    {
        let all = |what| {
            ["wires", "queue", "channel"].map(|place| app.part(direction, place, what)).iter().sum::<f64>()
        };
        let Some(delay) = app.get(delay) else {
            prop_assert!(said.contains(&format!("nothing arrives on the way {direction}")), "{said}");
            return Ok(None);
        };
        prop_assert!((all("mean_seconds") - delay).abs() < 1e-9, "{name} {direction}: {delay}");
        prop_assert!((all("loss_ratio") - app.get(loss).unwrap()).abs() < 1e-9, "{name} {direction}");
    }
    let (sizes, score) = match name {
        "game" => (app.game(), app.get("game_mos")),
        _ => (app.call(), app.get("voip_mos")),
    };
    let mut ranked: Vec<_> = sizes.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ((place, lost), largest) = ranked[0];
    let named = said.split_once(" of what lowers its score is ").map(|(_, rest)| rest);
    prop_assert!(named.is_some(), "{said}");
    let named = named.unwrap();
    let is = |(place, lost): (&str, bool)| {
        let takes_off = if lost { ["which drops", "on which"] } else { ["where a packet", "where a packet"] };
        named.starts_with(place)
            && takes_off.iter().any(|words| named.split(':').next().unwrap().contains(words))
    };
    let as_large = ranked.iter().take_while(|(_, size)| *size > 0.999 * largest);
    prop_assert!(
        as_large.clone().any(|(part, _)| is(*part)),
        "{place}, {lost}: {largest} is the largest: {said}"
    );
    prop_assert!(score.unwrap() >= 4.0 || !said.contains("go first"), "no reason for a low score: {said}");
    Ok(Some((place, lost)))
}

#[test]
fn the_largest_part_is_named() {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config =
        Config { cases: HOUSES, failure_persistence: None, max_shrink_iters: 20, ..Config::default() };
    let named = std::cell::RefCell::new(BTreeSet::new());
    let run = TestRunner::new_with_rng(config, rng).run(&houses(), |house| {
        let c = house.run();
        for name in ["game", "call"] {
            named.borrow_mut().extend(check(&c, name)?);
        }
        Ok(())
    });
    run.unwrap_or_else(|e| panic!("{e}"));
    let named = named.into_inner();
    for place in [QUEUE, UPLINK, CHANNEL, WIRES] {
        assert!(named.contains(&(place, false)), "{place} is never the cause: {named:?}");
    }
    assert!(named.iter().filter(|(_, lost)| *lost).count() >= 2, "losses: {named:?}");
}

/// A ring of 1000 packets: fq_codel's own queue is short, and what a ping waits for is below it, behind two downloads.
#[test]
fn a_ring_of_1000_is_named() {
    let text = "duration = \"32s\"\nmeasure = [\"10s\", \"30s\"]\nwired.rate = \"1Gb/s\"\n\
                wifi = { phy = \"std-11n\", driver = { ring = 1000, order = \"fifo\" } }\n\
                station = [{ name = \"near\", mcs = 7 }, { name = \"far\", mcs = 0 }]\n\
                app = [{ name = \"ping\", kind = \"ping\", interval = \"100ms\", station = \"near\" },\n\
                { name = \"one\", kind = \"download\", station = \"near\" },\n\
                { name = \"other\", kind = \"download\", station = \"far\" }]\n";
    let file = ScenarioFile::parse("ring.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let params = "fq_codel".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: false, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    let c = compare(&file.scenario, &[("fq_codel".into(), params)], &options).unwrap();
    let [path, below] = ["down_channel_mean_seconds", "below_delay_mean_seconds"]
        .map(|figure| c.mean("fq_codel", "ping", Metric::named(figure).unwrap()).unwrap());
    assert!(below > 0.1 && (below / path - 1.0).abs() < 0.2, "{below} of {path}");
    let why = why(&c).swap_remove(0);
    let waits = format!(
        "is the driver's ring below the queue, where a packet waits {:.0} ms: ",
        below.min(path) * 1e3
    );
    assert!(why.starts_with("ping ") && why.contains(&waits), "{why}");
}
