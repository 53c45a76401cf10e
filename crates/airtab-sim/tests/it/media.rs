// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What holds on every medium, whatever happens to it: the books of packets,
//! each packet's way, the order of a flow; also while disciplines replace each
//! other and stations change.

use crate::common;

use std::collections::HashMap;

use airtab_core::{
    Discipline, GROUP, Handle, Key, Meta, Params, Phy, Pool, Qdisc, RateSpec, Tx, URGENT, disciplines,
};
use airtab_sim::wifi::{
    Aggregation, Category, CellConfig, Completions, DriverConfig, Edca, End, GovernorConfig, Loss, Medium,
    MediumConfig, Order, Output, Speed,
};
use common::{MS, S, phy, queue, roomy};
use proptest::prelude::*;

const STATIONS: u16 = 3;
const FLOWS: u32 = 8;

#[derive(Clone, Debug)]
enum Op {
    Send { flow: u32, up: bool, bytes: u32 },
    Advance(u64),
    Swap { discipline: Discipline, limit: u32 },
    Station { station: usize, kbps: u32, fer: f64 },
    Sleep { station: usize, asleep: bool },
}

fn discipline() -> impl Strategy<Value = Discipline> {
    prop::sample::select(disciplines().collect::<Vec<_>>())
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        30 => (0..FLOWS, prop::bool::weighted(0.2), 28u32..=2304)
            .prop_map(|(flow, up, bytes)| Op::Send { flow, up, bytes }),
        10 => (0..20 * MS).prop_map(Op::Advance),
        2 => (discipline(), 2..40u32).prop_map(|(discipline, limit)| Op::Swap { discipline, limit }),
        2 => (
            0..usize::from(STATIONS),
            prop::sample::select(vec![6_000, 24_000, 54_000]),
            prop::sample::select(vec![0.0, 0.3, 1.0]),
        )
            .prop_map(|(station, kbps, fer)| Op::Station { station, kbps, fer }),
        1 => (0..usize::from(STATIONS), prop::bool::ANY)
            .prop_map(|(station, asleep)| Op::Sleep { station, asleep }),
    ];
    prop::collection::vec(op, 1..300)
}

fn media() -> impl Strategy<Value = MediumConfig> {
    let dcf = |name| CellConfig { beacon: None, uplink_packets: 3, ..CellConfig::new(phy(name)) };
    let aggregation = |frames, amsdu_bytes, bar| {
        let (bytes, window) = (65_535, 8);
        Some(Aggregation { frames, bytes, time_ns: 4_000_000, window, amsdu_bytes, bar })
    };
    let driver =
        |ring, aggregates, order| DriverConfig { ring, aggregates, order, ..DriverConfig::default() };
    let governor = Some(GovernorConfig {
        inflight_ns: 3_000_000,
        inflight_station_ns: 1_000_000,
        ..GovernorConfig::default()
    });
    prop::sample::select(vec![
        dcf("phy-a").into(),
        CellConfig { driver: driver(20, 2, Order::Fifo), ..dcf("phy-a") }.into(),
        CellConfig {
            aggregation: aggregation(5, 0, false),
            driver: driver(12, 2, Order::RoundRobin),
            ..dcf("std-11n")
        }
        .into(),
        CellConfig {
            aggregation: aggregation(8, 3839, true),
            driver: driver(30, 3, Order::Fifo),
            edca: Edca::Hostapd,
            txop: true,
            rts_bytes: Some(2000),
            ..dcf("std-11ac")
        }
        .into(),
        CellConfig { edca: Edca::Ieee2012, txop: true, ..dcf("std-11ax") }.into(),
        CellConfig {
            aggregation: aggregation(8, 3839, true),
            driver: driver(16, 0, Order::RoundRobin),
            edca: Edca::Ieee2012,
            txop: true,
            rts_bytes: Some(2000),
            ..dcf("std-11ac")
        }
        .into(),
        CellConfig {
            aggregation: aggregation(8, 0, false),
            driver: DriverConfig {
                completions: Completions::Aggregate,
                completion_delay_ns: MS,
                governor,
                ..driver(16, 0, Order::Fifo)
            },
            edca: Edca::Ieee2012,
            txop: true,
            ofdma: Some(2),
            ..dcf("std-11ax")
        }
        .into(),
        CellConfig { driver: DriverConfig { governor, ..driver(20, 2, Order::Fifo) }, ..dcf("phy-a") }.into(),
        CellConfig {
            aggregation: aggregation(5, 0, true),
            driver: DriverConfig {
                stop: false,
                completions: Completions::Aggregate,
                completion_delay_ns: MS,
                completions_lost: 0.2,
                governor,
                ..driver(1, 2, Order::RoundRobin)
            },
            edca: Edca::Ieee2012,
            txop: true,
            ..dcf("std-11n")
        }
        .into(),
        CellConfig {
            aggregation: aggregation(8, 0, false),
            driver: DriverConfig { orphan: true, governor, ..driver(12, 2, Order::Fifo) },
            ..dcf("std-11ac")
        }
        .into(),
        CellConfig {
            driver: DriverConfig { completion_delay_ns: 3 * MS, ..driver(20, 1, Order::Fifo) },
            ..dcf("phy-a")
        }
        .into(),
        CellConfig {
            aggregation: aggregation(8, 3839, true),
            driver: driver(30, 2, Order::RoundRobin),
            edca: Edca::Ieee2012,
            txop: true,
            rts_bytes: Some(2000),
            ofdma: Some(2),
            ..dcf("std-11ax")
        }
        .into(),
        CellConfig {
            aggregation: aggregation(5, 0, false),
            driver: DriverConfig {
                completions: Completions::Aggregate,
                completion_delay_ns: MS,
                governor,
                ..driver(20, 1, Order::Fifo)
            },
            ofdma: Some(16),
            ..dcf("std-11ax")
        }
        .into(),
        MediumConfig::emulator(phy("d7.1"), 0),
        MediumConfig::emulator(phy("phy-a"), MS),
    ])
}

/// A rate of one stream.
fn by_mcs(phy: &Phy, mcs: u8) -> Speed {
    phy.rate(&RateSpec { mcs, ..RateSpec::default() }).expect("a rate of the profile").into()
}

/// Where a packet is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    /// In the access point's discipline.
    Queue,
    /// Between it and the stations, or in a station.
    Mac,
}

struct Host {
    medium: Medium,
    phy: Phy,
    has_driver: bool,
    pool: Pool<u32>,
    now: u64,
    inside: HashMap<Handle, At>,
    made: u32,
    arrived: u32,
    lost: u32,
    dropped: u32,
    /// Number of the last packet that arrived, by flow and direction.
    last: HashMap<(u32, bool), u32>,
}

impl Host {
    fn new(config: MediumConfig, params: &Params) -> Host {
        Host::with_uplink(config, params, None)
    }

    /// A station has a discipline of its own, if the medium's stations have queues.
    fn with_uplink(config: MediumConfig, params: &Params, uplink: Option<&Params>) -> Host {
        let pool = Pool::new();
        let queues = config.cell().is_some();
        let qdisc = Qdisc::new(&pool, params, 1, 0);
        let phy = config.phy().unwrap();
        let has_driver = config.cell().is_some_and(|cell| cell.driver.ring > 1 || phy.has_mcs());
        let speed = if phy.has_mcs() { by_mcs(&phy, 4) } else { 54_000.into() };
        let stations = ["a", "b", "c"].map(|name| (name, speed, Loss::Fer(0.2)));
        let mut medium = Medium::new(config, &stations, qdisc, 1);
        if let Some(uplink) = uplink.filter(|_| queues) {
            medium.set_uplink(1, Qdisc::new(&pool, uplink, 2, 0));
        }
        Host {
            medium,
            phy,
            has_driver,
            pool,
            now: 0,
            inside: HashMap::new(),
            made: 0,
            arrived: 0,
            lost: 0,
            dropped: 0,
            last: HashMap::new(),
        }
    }

    fn play(&mut self, op: &Op) {
        match *op {
            Op::Send { flow, up, bytes } => {
                // The last flow is multicast, the one before it urgent.
                let sta = if flow == FLOWS - 1 { GROUP } else { (flow % u32::from(STATIONS)) as u16 };
                let class = if flow == FLOWS - 2 { URGENT } else { (flow % 2) as u8 };
                let dscp = Category::ALL[flow as usize % Category::ALL.len()].dscp();
                let key = Some(Key { dscp, ..Key::default() });
                let meta = Meta { bytes, flow, sta, class, key, ..Meta::default() };
                let packet = self.pool.insert(meta, self.made);
                self.made += 1;
                if up {
                    self.inside.insert(packet, At::Mac);
                    self.medium.send_up(
                        &mut self.pool,
                        (flow % u32::from(STATIONS)) as usize,
                        packet,
                        self.now,
                    );
                } else {
                    self.inside.insert(packet, At::Queue);
                    self.medium.send_down(&mut self.pool, packet, self.now);
                }
            }
            Op::Advance(ns) => {
                self.now += ns;
                self.medium.advance(&mut self.pool, self.now);
            }
            Op::Swap { discipline, limit } => {
                let one = self.medium.queued() == self.medium.queue().len();
                let (queued, dropped) = (self.medium.queue().len(), self.dropped);
                let params = roomy(discipline.name(), limit);
                self.medium.swap_queue(&mut self.pool, &params, u64::from(self.made), self.now);
                self.look();
                assert_eq!(self.medium.queue().discipline(), discipline);
                let (dropped, over) = (self.dropped - dropped, queued.saturating_sub(limit));
                // One that is full drops the packet too many, or half of a queue at once.
                let batches = discipline.params().iter().any(|p| p.name == "drop_batch") && over > 0;
                assert!(
                    !one || dropped == over || (batches && dropped > over),
                    "{dropped} dropped of {over} too many"
                );
            }
            Op::Station { station, kbps, fer } => {
                // A station that knows nothing else, or one of its rates by MCS.
                let speed = match kbps {
                    24_000.. if self.phy.has_mcs() => by_mcs(&self.phy, (kbps / 12_000) as u8),
                    kbps => kbps.into(),
                };
                self.medium.set_station(station, speed, Loss::Fer(fer), self.now)
            }
            Op::Sleep { station, asleep } if self.has_driver => {
                self.medium.sleep(station, asleep, self.now);
            }
            Op::Sleep { .. } => {}
        }
        self.look();
        self.balance();
    }

    fn look(&mut self) {
        while let Some(output) = self.medium.poll() {
            match output {
                Output::Down(packet) => self.arrived(packet, false),
                Output::Up(packet) => self.arrived(packet, true),
                Output::Lost(packet) => {
                    self.lost += 1;
                    assert_eq!(self.leaves(packet), At::Mac);
                }
                Output::Dropped(packet, _) => {
                    self.dropped += 1;
                    assert_eq!(self.leaves(packet), At::Queue);
                }
                Output::UplinkDropped(packet, _) => {
                    self.dropped += 1;
                    assert_eq!(self.leaves(packet), At::Mac);
                }
                Output::Dequeued(packet) => {
                    assert_eq!(self.inside.insert(packet, At::Mac), Some(At::Queue));
                }
                Output::Sent { tx, .. } => {
                    assert!(tx.attempts > 0 && tx.air > 0 && tx.span >= tx.air, "{tx:?}")
                }
                of_a_mesh => unreachable!("{of_a_mesh:?} of a cell"),
            }
        }
    }

    fn arrived(&mut self, packet: Handle, up: bool) {
        self.arrived += 1;
        let (flow, number) = (self.pool.flow(packet), *self.pool.body(packet));
        // Urgent packets beyond their bounds are passed by younger ones.
        let before = self.last.insert((flow, up), number);
        if let Some(before) = before.filter(|_| flow != FLOWS - 2) {
            assert!(before < number, "flow {flow}: packet {number} after {before}");
        }
        assert_eq!(self.leaves(packet), At::Mac);
    }

    fn leaves(&mut self, packet: Handle) -> At {
        self.pool.remove(packet);
        self.inside.remove(&packet).expect("a packet leaves once")
    }

    fn balance(&self) {
        let counters = self.medium.counters();
        let count = |at| self.inside.values().filter(|a| **a == at).count();
        assert_eq!(count(At::Queue), counters.queued as usize);
        assert_eq!(count(At::Mac), self.medium.held());
        let gone = self.arrived + self.lost + self.dropped;
        assert_eq!(self.made, gone + self.medium.held() as u32 + counters.queued);
        let air = self.medium.air(self.now);
        let sum = air.down_ns + air.up_ns + air.collision_ns + air.beacon_ns + air.idle_ns;
        assert_eq!(sum, self.now, "the parts of the channel's time sum to the clock");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_that_is_not_reported(
        config in media(),
        first in discipline(),
        limit in 2..40u32,
        own in prop::option::of(discipline()),
        ops in ops(),
    ) {
        let own = own.map(|own| queue(own.name(), 3));
        let mut host = Host::with_uplink(config, &queue(first.name(), limit), own.as_ref());
        for op in &ops {
            host.play(op);
        }
        (0..STATIONS.into()).for_each(|station| host.play(&Op::Sleep { station, asleep: false }));
        host.play(&Op::Advance(1000 * S));
        prop_assert_eq!((host.medium.held(), host.medium.queued(), host.pool.len()), (0, 0, 0));
    }
}

/// The frame at the MAC keeps the rate and the losses with which it began.
#[test]
fn a_station_changes_from_the_next_frame_on() {
    let dcf = CellConfig { beacon: None, ..CellConfig::new(phy("phy-a")) };
    for config in [dcf.into(), MediumConfig::emulator(phy("d7.1"), 0)] {
        let (attempts, phy) = (config.attempts(), config.phy().unwrap());
        // The emulator counts the DIFS before an attempt, the cell what is between two.
        let difs = if config.cell().is_some() { 0 } else { phy.difs_ns() };
        let mut host = Host::new(config, &queue("fifo", 35));
        host.medium.tap(true);
        host.play(&Op::Station { station: 0, kbps: 54_000, fer: 1.0 });
        for _ in 0..2 {
            host.play(&Op::Send { flow: 0, up: false, bytes: 1500 });
        }
        host.play(&Op::Station { station: 0, kbps: 6_000, fer: 0.0 });
        host.now = S;
        host.medium.advance(&mut host.pool, host.now);
        let seen = host.medium.attempts();
        let sent: Vec<Tx> = std::iter::from_fn(|| host.medium.poll())
            .filter_map(|output| if let Output::Sent { tx, .. } = output { Some(tx) } else { None })
            .collect();
        assert_eq!((sent[0].acked, sent[0].attempts), (false, attempts));
        let air = difs + phy.data_ns(6_000, 1500) + phy.sifs_ns() + phy.ack_ns(6_000);
        assert_eq!(sent[1], Tx { air, span: air, attempts: 1, acked: true });
        if let Some(seen) = seen {
            let seen: Vec<_> = seen.iter().map(|attempt| (attempt.kbps, attempt.end)).collect();
            assert_eq!(seen, [&[(54_000, End::DataLost); 7][..], &[(6_000, End::Acked)]].concat());
        }
    }
}

/// A packet is at the MAC while the discipline changes: what it took is no
/// business of the new one.
#[test]
fn a_ticket_of_the_old_discipline_is_worth_nothing_to_the_new_one() {
    for config in [CellConfig::new(phy("phy-a")).into(), MediumConfig::emulator(phy("d7.1"), 0)] {
        let mut host = Host::new(config, &queue("chap", 35));
        let send = Op::Send { flow: 0, up: false, bytes: 1500 };
        host.play(&send);
        host.play(&send);
        host.play(&Op::Swap { discipline: Discipline::named("chap").expect("registered"), limit: 35 });
        assert_eq!((host.medium.held(), host.medium.queue().len()), (1, 1));
        while host.arrived + host.lost == 0 {
            host.play(&Op::Advance(MS / 100));
        }
        let q = host.medium.queue();
        let stale = q.discipline().stats().iter().position(|s| s.name == "stale").expect("chap counts them");
        assert_eq!(q.stats(host.now)[stale], 0);
        host.play(&Op::Advance(S));
        let q = host.medium.queue();
        assert_eq!((q.stats(host.now)[stale], q.counters().given), (0, 1), "its own packet");
    }
}
