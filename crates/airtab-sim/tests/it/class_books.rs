// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `cbt` in the simulator: what holds of its classes after everything that happens, whatever comes and however it is set
//! (M. Parris, "Class-Based Thresholds", UNC 2001, IV.3: one queue in order of arrival, of which each class has a part; a
//! packet that arrives is dropped or never).
//!
//! `core/tests/test_cbt.c` holds the discipline alone to the source's pseudocode; here packets come over wires and leave over a
//! wire or the air.

use crate::common;

use std::collections::HashMap;

use airtab_core::{Discipline, Meta, Params, Qdisc, Reason, URGENT};
use airtab_sim::wifi::{Loss, MediumConfig, WireConfig};
use airtab_sim::world::{Home, HomeHost, Report, Tag, World};
use airtab_sim::{Access, Latency, Scenario, Wired};
use common::{S, home, phy, station};
use proptest::prelude::*;

/// Largest packet that comes, bytes.
const LARGEST: u64 = 1500;
const OVERHEAD: u64 = 38;

/// Number of a packet, and whether it is urgent.
#[derive(Clone, Copy)]
struct Numbered(u32, bool);

impl Tag for Numbered {
    fn tag(&self, _peer: u16) -> u32 {
        self.0
    }
}

/// A class as its row shows it.
#[derive(Clone, Copy, Default)]
struct Row {
    backlog: u64,
    /// Packets, or bytes with overheads; of airtime nothing.
    held: Option<u64>,
    average: f64,
    th_max: f64,
    arrivals: u64,
    /// Forced, full, cap, early.
    drops: u64,
    marks: u64,
    sent: u64,
    count: u64,
    /// The most that it has held so far.
    most: u64,
}

/// What was seen of a queue so far.
struct Seen {
    cap: Option<f64>,
    limit: u64,
    /// Of columns in a row, and of statistics.
    places: HashMap<&'static str, usize>,
    stats: [usize; 2],
    rows: Vec<Row>,
    /// Packets that came and were dropped, marked, and made room.
    dropped: u64,
    marked: u64,
    pushed_out: u64,
}

impl Seen {
    fn new(params: &Params) -> Seen {
        let of = |name: &str| params.get(name).and_then(|values| values.iter().max().copied()).unwrap_or(0);
        // Of the default, which the profile decides, and of none nothing is asked here.
        let cap =
            Some(of("cap")).filter(|cap| *cap > 0 && *cap != 65535 << 16).map(|cap| cap as f64 / 65536.0);
        let discipline = params.discipline();
        let columns = discipline.row_stats().into_iter().enumerate().map(|(place, stat)| (stat.name, place));
        let stats = discipline.stats();
        let stat = |name| stats.iter().position(|stat| stat.name == name).expect("a statistic");
        Seen {
            cap,
            limit: of("limit"),
            places: columns.collect(),
            stats: ["unit", "guard"].map(stat),
            rows: vec![Row::default(); of("classes") as usize],
            dropped: 0,
            marked: 0,
            pushed_out: 0,
        }
    }

    /// Looks at it once more: what cannot be is a panic.
    fn look(&mut self, queue: &Qdisc, world: &World<Numbered, u32>) {
        let stats = queue.stats(world.now());
        let [unit, guard] = self.stats.map(|place| stats[place]);
        let (mut sum, mut pushed_out) = (0, 0);
        queue.for_each_row(world.pool(), world.now(), |row| {
            let of = |name| row[self.places[name]];
            sum += of("backlog");
            if of("class") == u64::from(URGENT) {
                return;
            }
            let before = self.rows[of("class") as usize];
            let size = [1, LARGEST + OVERHEAD, 0][unit as usize];
            let held = [Some(of("backlog")), Some(of("backlog_bytes") + OVERHEAD * of("backlog")), None];
            let held = held[unit as usize];
            let drops = ["forced_drops", "full_drops", "cap_drops", "early_drops"].map(of).iter().sum();
            let came = of("arrivals") - before.arrivals;
            // Of several that came since, all but the last may have been seen by the next one.
            let between = before.held.unwrap_or(0) + came.saturating_sub(1) * size;
            let now = Row {
                backlog: of("backlog"),
                held,
                average: of("average") as f64 / 65536.0,
                th_max: of("th_max") as f64 / 65536.0,
                arrivals: of("arrivals"),
                drops,
                marks: of("marks"),
                sent: of("sent"),
                count: of("count"),
                most: before.most.max(between).max(held.unwrap_or(0)),
            };
            // What came is here, was sent, or was dropped as it came; but for those that made room for urgent ones.
            let gone = now.arrivals - now.drops - now.sent;
            assert!(
                gone >= now.backlog,
                "{} packets of {gone}: one was dropped later, or none is left",
                now.backlog
            );
            pushed_out += gone - now.backlog;
            assert_eq!(now.backlog == 0, of("backlog_bytes") == 0);
            assert!(of("backlog_bytes") <= LARGEST * now.backlog, "{} bytes", of("backlog_bytes"));
            if let Some(held) = held {
                assert!(now.average <= now.most as f64 + 1e-3, "{} of at most {}", now.average, now.most);
                // What is above its cap, and is not guarded, grows no more.
                if let Some(cap) = self.cap
                    && held > before.held.unwrap_or(0)
                {
                    let most = (cap * now.th_max).max(((guard + 1) * size) as f64);
                    assert!(held as f64 <= most + 1e-3, "{held} held, {cap} times {} may be", now.th_max);
                }
            }
            if came == 1 && (now.drops > before.drops || now.marks > before.marks) {
                assert_eq!(now.count, 0, "packets since the last drop or mark, which was this one");
            }
            self.rows[of("class") as usize] = now;
        });
        assert_eq!(sum, u64::from(queue.len()), "the classes' packets, and the queue's");
        assert!(sum <= self.limit, "{sum} of {}", self.limit);
        let counters = queue.counters();
        assert_eq!(
            pushed_out,
            counters.dropped[Reason::ALL.iter().position(|r| *r == Reason::Pushout).unwrap()]
        );
        (self.dropped, self.pushed_out) = (self.rows.iter().map(|row| row.drops).sum(), pushed_out);
        self.marked = self.rows.iter().map(|row| row.marks).sum();
        assert_eq!(
            counters.dropped.iter().sum::<u64>(),
            self.dropped + pushed_out,
            "nothing else was dropped"
        );
    }
}

/// A packet that comes: after the one before, ns; its class, its bytes; urgent; ECN.
type Packet = (u64, u8, u32, bool, bool);

/// Packets from a server to two stations behind a queue with those parameters, which are looked at after everything that
/// happens. Those that came, by station, in order.
fn drive(scenario: &Scenario, params: &Params, packets: &[Packet], ordered: bool) -> Seen {
    let access = Access { rate_bps: 1_000_000_000, latency: Latency::both(0), hop: 0 };
    let (home, topology) = Home::new(scenario, [access], params).expect("a home");
    let mut world: World<Numbered, u32> = World::new(topology, 7);
    let [server, left, right] =
        [HomeHost::Server(0), HomeHost::Station(0), HomeHost::Station(1)].map(|host| home.node(host));
    let mut seen = Seen::new(params);
    let mut last = [0; 2];
    let mut settle = |world: &mut World<Numbered, u32>, until: u64| {
        while world.advance(until) {
            while let Some(report) = world.poll() {
                match report {
                    Report::Arrived { packet, node } => {
                        let Numbered(number, urgent) = world.take(packet).body;
                        let last = &mut last[usize::from(node == right)];
                        assert!(!ordered || urgent || number > *last, "{number} after {last}");
                        *last = if urgent { *last } else { number };
                    }
                    Report::Dropped { packet, .. } | Report::Lost { packet } => {
                        world.take(packet);
                    }
                    _ => {}
                }
            }
            assert!(world.books().balanced(), "{:?}", world.books());
            seen.look(world.medium(0).queue(), world);
        }
    };
    let mut now = 0;
    for (number, &(gap, class, bytes, urgent, ecn)) in (1u32..).zip(packets) {
        now += gap;
        settle(&mut world, now);
        let meta =
            Meta { bytes, flow: 1, class: if urgent { URGENT } else { class }, ecn, ..Meta::default() };
        let to = if number.is_multiple_of(3) { right } else { left };
        world.send(now, server, to, meta, Numbered(number, urgent));
    }
    settle(&mut world, now + 100 * S);
    assert_eq!(world.books().inside, 0, "all that came has left");
    seen
}

/// Two stations without errors behind that medium.
fn behind(medium: MediumConfig) -> Scenario {
    let mut stations = ["left", "right"].map(|name| station(name, 54_000, 1.0)).to_vec();
    stations.iter_mut().for_each(|station| station.loss = Loss::None);
    let wired = Wired { rate_bps: 1_000_000_000, ..Wired::default() };
    Scenario { medium, stations, wired, apps: home().apps[..1].to_vec(), ..home() }
}

/// Packets of three classes, most of the first, and of all sizes, in rushes of 300 packets with gaps below `gap`, ns, and four times that between them;
/// now and then a pause, and urgent ones.
fn rushes(seed: u64, gap: u64, packets: u64) -> Vec<Packet> {
    let mut draws = seed;
    let mut below = |most: u64| {
        draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (draws >> 33) % most
    };
    let one = |number: u64| {
        let rush = (number / 300).is_multiple_of(2);
        let pause = if below(200) == 0 { below(300_000_000) } else { 0 };
        let urgent = number % 400 < 40 && number.is_multiple_of(2);
        let wait = pause + below(if rush { gap } else { 4 * gap });
        (wait, below(5).saturating_sub(2) as u8, 40 + below(LARGEST - 39) as u32, urgent, below(2) == 0)
    };
    (0..packets).map(one).collect()
}

fn parameters() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let choice = |name, of: &'static [&'static str]| {
        proptest::sample::select(of).prop_map(move |value| (name, value.to_string()))
    };
    (
        choice("mode", &["auto", "packet", "byte"]),
        choice("average", &["auto", "sampled", "all", "time"]),
        choice("weight", &["0", "1", "1/4", "1/256"]),
        choice("tau", &["1ms", "20ms", "200ms"]),
        choice("latency", &["10ms", "30ms", "100ms"]),
        choice("limit", &["80", "240", "1000"]),
        choice("guard", &["0", "1", "7"]),
        choice("cap", &["1", "1.5", "2", "65535", "0"]),
        choice("ecn", &["on", "off"]),
        choice("hard", &["on", "off"]),
        choice("gentle", &["on", "off"]),
        choice("profile", &["default", "faithful"]),
    )
        .prop_map(|(a, b, c, d, e, f, g, h, i, j, k, l)| vec![a, b, c, d, e, f, g, h, i, j, k, l])
}

fn cbt(parameters: &[(&str, String)]) -> Params {
    let mut params = Params::new(Discipline::named("cbt").expect("registered"));
    for (name, value) in parameters {
        params.set(name, value).unwrap_or_else(|e| panic!("{name} = {value}: {e}"));
    }
    params
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn on_a_wire(seed in any::<u64>(), gap in 100_000..1_000_000u64, parameters in parameters()) {
        let params = cbt(&parameters);
        prop_assume!(params.check().is_ok());
        let wire = WireConfig { rate_bps: 10_000_000, overhead: OVERHEAD as u32 };
        drive(&behind(MediumConfig::Wire(wire)), &params, &rushes(seed, gap, 2000), true);
    }
}

/// What came about, so that the looks above had something to see: in bytes on the wire, in airtime in a cell, where a
/// frame that is lost is sent again and aggregates take several packets at once.
#[test]
fn every_kind_of_drop_was_seen() {
    let wire = MediumConfig::Wire(WireConfig { rate_bps: 10_000_000, overhead: OVERHEAD as u32 });
    for average in ["time", "sampled", "all"] {
        let params = cbt(&[("average", average.into()), ("limit", "60".into()), ("mode", "byte".into())]);
        let seen = drive(&behind(wire.clone()), &params, &rushes(1, 600_000, 6000), true);
        let told = format!(
            "{average}: {} dropped, {} marked, {} pushed out",
            seen.dropped, seen.marked, seen.pushed_out
        );
        assert!(seen.dropped > 500 && seen.marked > 0 && seen.pushed_out > 0, "{told}");
    }
    for medium in [home().medium, MediumConfig::emulator(phy("std-11g"), 0)] {
        let seen = drive(&behind(medium), &cbt(&[]), &rushes(1, 60_000, 6000), false);
        assert!(seen.dropped > 500 && seen.marked > 0, "{} dropped, {} marked", seen.dropped, seen.marked);
    }
}
