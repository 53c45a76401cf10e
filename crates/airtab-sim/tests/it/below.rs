// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Below the discipline: what a driver with a long ring does to a ping, and what the governor makes of it,
//! also if the driver reports late, at once, hardly or wrongly, or a station sleeps.

use crate::common;

use std::collections::HashMap;

use airtab_core::{GovernorNow, GovernorParams, GovernorStats, Handle, Meta, Pool, Qdisc, RateSpec};
use airtab_sim::wifi::{
    Aggregation, Cell, CellConfig, Completions, DriverConfig, GovernorConfig, Loss, Order, Output, Speed,
};
use common::{MS, S, disciplines, phy, queue};

/// Downloads in packets of 1500 bytes, of whom so many are always in the access point; and a ping to station 0.
const DEPTH: u32 = 700;
const PING_BYTES: u32 = 84;
const PING_NS: u64 = 100 * MS;
/// Its flow, and label; those of a download are its station.
const PING: u32 = 100;

/// 802.11n as of ath9k, and a driver that takes 1000 frames and sends the oldest ones first.
fn cell(driver: DriverConfig) -> CellConfig {
    let aggregation =
        Aggregation { frames: 32, bytes: 65_535, time_ns: 4_000_000, window: 64, amsdu_bytes: 0, bar: true };
    CellConfig { beacon: None, aggregation: Some(aggregation), driver, ..CellConfig::new(phy("std-11n")) }
}

/// A ring of 1000, and who reports well.
fn bare() -> DriverConfig {
    DriverConfig { ring: 1000, aggregates: 2, order: Order::Fifo, ..DriverConfig::default() }
}

fn governed() -> DriverConfig {
    DriverConfig { governor: Some(GovernorConfig::default()), ..bare() }
}

/// HT20, one stream.
fn mcs(mcs: u8) -> Speed {
    phy("std-11n").rate(&RateSpec { mcs, ..RateSpec::default() }).expect("a rate of the profile").into()
}

struct Host {
    cell: Cell,
    pool: Pool<u32>,
    now: u64,
    next_ping: u64,
    pings: HashMap<Handle, u64>,
    /// How long each took, ns.
    waits: Vec<u64>,
    /// Packets of each download.
    arrived: Vec<u64>,
    /// Dropped, and not sent again.
    owed: Vec<u32>,
    last: u64,
    /// Longest time in which nothing arrived, ns.
    silence: u64,
}

impl Host {
    /// Who downloads: the first ones of the stations.
    fn new(driver: DriverConfig, discipline: &str, stations: &[(Speed, Loss)], downloads: usize) -> Host {
        let names = ["a", "b", "c"];
        let stations: Vec<_> = names.iter().zip(stations).map(|(name, s)| (*name, s.0, s.1)).collect();
        let pool = Pool::new();
        let mut params = queue(discipline, 3000);
        if discipline == "airtime_fq" {
            params.set("aql", "off").expect("its own limit of what is below");
        }
        let qdisc = Qdisc::new(&pool, &params, 1, 0);
        let cell = Cell::new(cell(driver), &stations, qdisc, 1);
        let mut host = Host {
            cell,
            pool,
            now: 0,
            next_ping: 7 * MS,
            pings: HashMap::new(),
            waits: Vec::new(),
            arrived: vec![0; downloads],
            owed: vec![0; downloads],
            last: 0,
            silence: 0,
        };
        for _ in 0..DEPTH {
            (0..downloads as u32).for_each(|station| host.send(station));
        }
        host
    }

    fn send(&mut self, station: u32) {
        let meta = Meta { bytes: 1500, flow: station, sta: station as u16, ..Meta::default() };
        let packet = self.pool.insert(meta, station);
        self.cell.send_down(&mut self.pool, packet, self.now);
    }

    fn ping(&mut self) {
        let meta = Meta { bytes: PING_BYTES, flow: PING, sta: 0, ..Meta::default() };
        let packet = self.pool.insert(meta, PING);
        self.pings.insert(packet, self.now);
        self.cell.send_down(&mut self.pool, packet, self.now);
    }

    fn run(&mut self, until: u64) {
        while self.now < until {
            let at = self.cell.next_event().min(self.next_ping).min(until);
            self.now = at;
            self.cell.advance(&mut self.pool, at);
            if at == self.next_ping {
                self.ping();
                (0..self.owed.len() as u32).for_each(|station| self.again(station));
                self.next_ping += PING_NS;
            }
            self.look();
        }
    }

    fn look(&mut self) {
        while let Some(output) = self.cell.poll() {
            match output {
                Output::Down(packet) => {
                    match self.pings.remove(&packet) {
                        Some(at) => self.waits.push(self.now - at),
                        None => self.arrived[*self.pool.body(packet) as usize] += 1,
                    }
                    self.silence = self.silence.max(self.now - self.last);
                    self.last = self.now;
                    self.gone(packet);
                }
                Output::Lost(packet) => self.gone(packet),
                Output::Dropped(packet, _) => {
                    self.pings.remove(&packet);
                    let station = *self.pool.body(packet) as usize;
                    self.owed.iter_mut().skip(station).take(1).for_each(|owed| *owed += 1);
                    self.pool.remove(packet);
                }
                Output::Sent { .. } | Output::Dequeued(_) => {}
                other => panic!("nothing else happens here: {other:?}"),
            }
        }
    }

    /// Another one comes in its place, and one in that of one that was dropped.
    fn gone(&mut self, packet: Handle) {
        let station = *self.pool.body(packet);
        self.pool.remove(packet);
        if station == PING {
            return;
        }
        self.send(station);
        self.again(station);
    }

    fn again(&mut self, station: u32) {
        if let Some(owed) = self.owed.get_mut(station as usize).filter(|owed| **owed > 0) {
            *owed -= 1;
            self.send(station);
        }
    }

    /// What happened in the 4 s after the first two; the longest silence is that of all 6.
    fn measure(mut self) -> Seen {
        self.run(2 * S);
        self.waits.clear();
        let before = self.arrived.clone();
        self.run(6 * S);
        let rate = |(now, before): (&u64, u64)| (now - before) as f64 * 12_000.0 / 4e6;
        let mbps: Vec<f64> = self.arrived.iter().zip(before).map(rate).collect();
        let governor = self.cell.governors().next();
        // PIE drops them like all others.
        assert!(self.waits.len() > 10, "{} pings of 40 came", self.waits.len());
        let seen = Seen {
            sum: mbps.iter().sum(),
            mbps,
            ping_ms: self.waits.iter().sum::<u64>() as f64 / self.waits.len() as f64 / 1e6,
            silence_ms: self.silence as f64 / 1e6,
            governor,
        };
        if std::env::var_os("AIRTAB_SHOW").is_some() {
            eprintln!("{seen:?}");
        }
        seen
    }
}

#[derive(Debug)]
struct Seen {
    /// Of each download, and all.
    mbps: Vec<f64>,
    sum: f64,
    ping_ms: f64,
    silence_ms: f64,
    governor: Option<(GovernorStats, GovernorNow)>,
}

/// Downloads to stations with these MCS.
fn downloads(driver: DriverConfig, discipline: &str, all: [u8; 2]) -> Seen {
    if std::env::var_os("AIRTAB_SHOW").is_some() {
        eprintln!("{discipline}, MCS {all:?}, {driver:?}");
    }
    Host::new(driver, discipline, &all.map(|of| (mcs(of), Loss::None)), 2).measure()
}

const FAST_AND_SLOW: [u8; 2] = [7, 0];

/// Whatever the discipline does, it does it above the ring.
#[test]
fn a_ring_of_1000_makes_a_ping_wait() {
    for discipline in disciplines() {
        let seen = downloads(bare(), discipline, FAST_AND_SLOW);
        assert!(seen.ping_ms > 100.0, "{discipline}: {seen:?}");
        let seen = downloads(DriverConfig { stop: false, ..bare() }, discipline, FAST_AND_SLOW);
        assert!(seen.ping_ms > 100.0, "{discipline}, endless: {seen:?}");
    }
}

#[test]
fn the_governor_gives_the_discipline_its_queue_back() {
    for stations in [FAST_AND_SLOW, [7, 7]] {
        for discipline in ["fifo", "chap", "fq_codel", "cake", "airtime_fq"] {
            let without = downloads(bare(), discipline, stations);
            for stop in [true, false] {
                let seen = downloads(DriverConfig { stop, ..governed() }, discipline, stations);
                assert!(seen.sum >= 0.97 * without.sum, "{discipline}: {seen:?}, {without:?}");
                assert!(discipline == "fifo" || seen.ping_ms < 15.0, "{discipline}: {seen:?}");
                let (stats, now) = seen.governor.expect("it is there");
                assert!(
                    !now.paced && stats.early + stats.expired + stats.unknown + stats.missed == 0,
                    "{seen:?}"
                );
            }
        }
    }
}

/// Reports 2 ms late: more must be outstanding for the same goodput, and it is found. 10 ms late, which is more
/// than the budget: an aggregate of 4 ms goes in each 14 ms at least (shared with a slow station it is short).
#[test]
fn late_reports() {
    for discipline in ["chap", "fq_codel"] {
        for (stations, delay_ns, least) in [(FAST_AND_SLOW, 2 * MS, 0.9), ([7, 7], 10 * MS, 4.0 / 14.0)] {
            let driver = DriverConfig { completion_delay_ns: delay_ns, ..governed() };
            let (seen, in_time) =
                (downloads(driver, discipline, stations), downloads(governed(), discipline, stations));
            assert!(seen.ping_ms < 15.0 && seen.sum > least * in_time.sum, "{discipline}: {seen:?}");
        }
    }
}

/// All packets of an aggregate are reported when the last of them is, where one in ten goes out again.
#[test]
fn reports_by_the_aggregate() {
    for discipline in ["chap", "fq_codel"] {
        let seen = |completions| {
            let stations = FAST_AND_SLOW.map(|of| (mcs(of), Loss::Fer(0.1)));
            Host::new(DriverConfig { completions, ..governed() }, discipline, &stations, 2).measure()
        };
        let (each, batched) = (seen(Completions::Each), seen(Completions::Aggregate));
        assert!(each.ping_ms < 15.0 && batched.ping_ms < 15.0, "{each:?}, {batched:?}");
        let without = downloads(bare(), discipline, FAST_AND_SLOW);
        assert!(batched.sum >= 0.9 * without.sum, "{discipline}: {batched:?}, {without:?}");
    }
}

/// One report in ten, or each, never comes: nothing waits for it longer than the expiry.
#[test]
fn lost_reports() {
    let expiry_ms = f64::from(GovernorParams::default().expiry) / 1e6;
    for discipline in ["chap", "fq_codel"] {
        for (share, least) in [(0.1, 0.9), (1.0, 0.97)] {
            let driver = DriverConfig { completions_lost: share, ..governed() };
            let seen = downloads(driver, discipline, FAST_AND_SLOW);
            let without = downloads(bare(), discipline, FAST_AND_SLOW);
            assert!(seen.silence_ms < expiry_ms + 10.0, "{discipline}: {seen:?}");
            assert!(seen.sum >= least * without.sum, "{discipline}, {share}: {seen:?}, {without:?}");
            let (stats, now) = seen.governor.expect("it is there");
            assert!(stats.expired > 0 && now.paced == (share == 1.0), "{seen:?}");
        }
    }
}

/// A driver that lets go of packets when it gets them: they are paced by the estimates.
#[test]
fn orphaned_packets() {
    for discipline in ["chap", "fq_codel"] {
        let seen = downloads(DriverConfig { orphan: true, ..governed() }, discipline, FAST_AND_SLOW);
        let without = downloads(bare(), discipline, FAST_AND_SLOW);
        assert!(seen.sum >= 0.97 * without.sum, "{discipline}: {seen:?}, {without:?}");
        assert!(seen.ping_ms < 25.0, "{discipline}: {seen:?}");
        let (stats, now) = seen.governor.expect("it is there");
        assert!(now.paced && stats.early > 1000 && stats.valid == 0, "{seen:?}");
    }
}

/// The other stations lose less than a fifteenth, and the station that slept gets its packets once it wakes.
#[test]
fn a_station_sleeps() {
    let stations = [7, 0, 4].map(|of| (mcs(of), Loss::None));
    for discipline in ["chap", "fq_codel"] {
        let alone = Host::new(governed(), discipline, &stations, 2).measure();
        let mut host = Host::new(governed(), discipline, &stations, 3);
        host.run(S);
        assert!(host.arrived[2] > 0);
        host.cell.set_asleep(2, S..100 * S);
        let seen = host.measure();
        assert_eq!(seen.mbps[2], 0.0, "{discipline}: it sleeps");
        for (own, alone) in seen.mbps[..2].iter().zip(&alone.mbps) {
            assert!(*own > 14.0 / 15.0 * alone, "{discipline}: {seen:?}, {alone:?}");
        }
        assert!(seen.ping_ms < 15.0, "{discipline}: {seen:?}");
    }
}

/// Without frame errors within 10 ms. With them the first packet can be lost twice in that time, and others wait for it.
#[test]
fn who_wakes_gets_what_waited() {
    for (driver, loss) in
        [bare(), governed()].into_iter().flat_map(|d| [(d, Loss::None), (d, Loss::Fer(0.2))])
    {
        let mut host = Host::new(driver, "fq_codel", &[(mcs(7), loss)], 1);
        host.run(S);
        host.cell.sleep(0, true, S);
        // The exchange that is under way ends, and the receiver waits no longer for what it lacks.
        host.run(S + 200 * MS);
        let asleep = host.arrived[0];
        host.run(2 * S);
        assert_eq!(host.arrived[0], asleep, "it sleeps");
        host.cell.sleep(0, false, 2 * S);
        host.run(2 * S + 10 * MS);
        assert!(loss != Loss::None || host.arrived[0] > asleep, "it is awake");
        host.run(3 * S);
        assert!(host.arrived[0] - asleep > asleep / 2, "as fast as before");
    }
}
