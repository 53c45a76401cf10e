// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The access point in virtual time: its books under arbitrary packets, times
//! and orders; rates and latencies against their closed forms and against the
//! simulator's medium.

use crate::common;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::LazyLock;

use airtab_core::{
    Discipline, Emulator, EmulatorConfig, Handle, Meta, Params, Phy, Pool, Qdisc, disciplines,
};
use airtab_live::{AccessPoint, Port};
use airtab_sim::Stream;
use airtab_sim::wifi::{Loss, Medium, Output};
use common::{ADDRESSES, EMULATOR, Inner, MS, S, address, deadline::deadline, frames, house, packet, queue};
use proptest::prelude::*;

const PORTS: [Port; 4] = [Port::Internet, Port::AccessPoint, Port::Station(0), Port::Station(1)];
/// Every discipline, as it is and with a small queue, so that packets are dropped and
/// not all fit after a change.
static QUEUES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = disciplines().map(Discipline::name).zip(5..);
    // What comes out is what went in: vfq writes no acknowledgements here (`acks.rs` is about these).
    let names = names.map(|(name, limit)| {
        (format!("{name}{}", if name == "vfq" { ":ack_burst=0:merge=off" } else { "" }), limit)
    });
    names
        .flat_map(|(spec, limit)| {
            let limited = format!("{spec}:limit={limit}");
            [spec, limited]
        })
        .collect()
});

/// What is done to an access point.
#[derive(Clone, Debug)]
enum Op {
    Packet {
        port: usize,
        from: usize,
        to: usize,
        six: bool,
        inner: Inner,
        flow: u16,
        ecn: u8,
        bytes: usize,
    },
    /// Such packets, damaged: bytes changed, cut or grown.
    Damaged {
        port: usize,
        to: usize,
        six: bool,
        changes: Vec<(usize, u8)>,
        bytes: usize,
    },
    Noise {
        port: usize,
        bytes: Vec<u8>,
    },
    /// So many equal packets to a station at once, from its server or from the
    /// access point.
    Burst {
        wired: bool,
        to: usize,
        n: usize,
    },
    Wait(u64),
    Station {
        station: usize,
        kbps: usize,
        loss: usize,
    },
    Queue(usize),
    Snapshot,
}

fn op() -> impl Strategy<Value = Op> {
    let inner =
        prop::sample::select(vec![Inner::Udp, Inner::Tcp, Inner::Icmp, Inner::Fragment, Inner::Other]);
    let any_packet =
        (0..4usize, 0..ADDRESSES, 0..ADDRESSES, any::<bool>(), inner.clone(), 0..3u16, 0..4u8, 20..1501usize)
            .prop_map(|(port, from, to, six, inner, flow, ecn, bytes)| Op::Packet {
                port,
                from,
                to,
                six,
                inner,
                flow,
                ecn,
                bytes,
            });
    // From its own port, to somebody who is there.
    let good_packet = (0..5usize, 0..5usize, any::<bool>(), inner, 0..3u16, 0..4u8, 20..1501usize).prop_map(
        |(from, to, six, inner, flow, ecn, bytes)| {
            let port = [0, 0, 2, 3, 1][from];
            Op::Packet { port, from, to, six, inner, flow, ecn, bytes }
        },
    );
    let changes = prop::collection::vec((0..120usize, any::<u8>()), 0..6);
    prop_oneof![
        4 => any_packet,
        12 => good_packet,
        2 => (0..4usize, 0..5usize, any::<bool>(), changes, 0..1600usize)
            .prop_map(|(port, to, six, changes, bytes)| Op::Damaged { port, to, six, changes, bytes }),
        1 => (0..4usize, prop::collection::vec(any::<u8>(), 0..80))
            .prop_map(|(port, bytes)| Op::Noise { port, bytes }),
        3 => (any::<bool>(), 2..4usize, 1..40usize).prop_map(|(wired, to, n)| Op::Burst { wired, to, n }),
        6 => prop_oneof![Just(0), 0..1000u64, 0..MS, 0..200 * MS].prop_map(Op::Wait),
        1 => (0..2usize, 0..4usize, 0..4usize)
            .prop_map(|(station, kbps, loss)| Op::Station { station, kbps, loss }),
        2 => (0..QUEUES.len()).prop_map(Op::Queue),
        1 => Just(Op::Snapshot),
    ]
}

/// A packet that went in.
struct Taken {
    number: u64,
    port: Port,
    whole: Vec<u8>,
    /// None of a damaged one: who knows what it looks like.
    flow: Option<Flow>,
}

/// What was written into a packet: from, to, IPv6, inside, port.
type Flow = (usize, usize, bool, Inner, u16);

/// An access point and all that is known of it from outside.
struct Watched {
    ap: AccessPoint,
    now: u64,
    id: u32,
    /// Packets that were taken and may come out: by their bytes without the
    /// mark, in the order in which they went in.
    taken: HashMap<Vec<u8>, VecDeque<Taken>>,
    n: u64,
    /// The latest packet that came out, by where from, where to and flow.
    order: HashMap<(Port, Port, Flow), u64>,
    given: u64,
    last_at: BTreeMap<Port, u64>,
}

impl Watched {
    fn new(wifi: &str, queue: &str, seed: u64) -> Watched {
        // Slow wires with short queues: they overflow, too.
        let house = house("books", wifi, "rate = \"20Mb/s\"\nqueue = 20");
        Watched {
            ap: AccessPoint::new(house, &common::queue(queue), seed).expect("good parameters"),
            now: 0,
            id: 0,
            taken: HashMap::new(),
            n: 0,
            order: HashMap::new(),
            given: 0,
            last_at: BTreeMap::new(),
        }
    }

    fn receive(&mut self, port: Port, bytes: &[u8], flow: Option<Flow>) {
        if let Some(length) = frames::length(bytes) {
            let whole = bytes[..length].to_vec();
            let taken = Taken { number: self.n, port, whole, flow };
            self.taken.entry(unmarked(&taken.whole)).or_default().push_back(taken);
        }
        self.n += 1;
        self.ap.receive(port, bytes, self.now);
        self.look();
    }

    fn advance(&mut self, ns: u64) {
        self.now += ns;
        self.ap.advance(self.now);
        self.look();
    }

    /// Takes what has come out, and checks it and the books.
    fn look(&mut self) {
        while let Some((to, at, bytes)) = self.ap.transmit() {
            assert!(at <= self.now, "handed over before its time");
            let last = self.last_at.insert(to, at).unwrap_or(0);
            assert!(at >= last, "the past is over");
            let same = self.taken.get_mut(&unmarked(bytes)).expect("bytes that went in");
            let Taken { number, port: from, whole, flow } = same.pop_front().expect("no packet twice");
            if bytes != whole {
                assert!(frames::ecn(&whole) != 0, "marked without consent");
                assert_eq!(bytes, frames::with_ce(&whole), "a mark and nothing else");
            }
            if let Some(flow) = flow {
                let before = self.order.insert((from, to, flow), number);
                assert!(before.is_none_or(|before| before < number), "{flow:?} out of order");
            }
            self.given += 1;
        }
        let books = self.ap.books();
        assert!(books.balanced(), "{books:?}");
        assert_eq!((books.taken, books.given), (self.n, self.given));
    }

    fn act(&mut self, op: &Op) {
        match op {
            &Op::Packet { port, from, to, six, inner, flow, ecn, bytes } => {
                let port_number = 6000 + flow;
                let bytes =
                    packet(address(from, six), address(to, six), inner, port_number, ecn, bytes, self.id);
                self.id += 1;
                let seen = if matches!(inner, Inner::Tcp | Inner::Udp) { port_number } else { 0 };
                self.receive(PORTS[port], &bytes, Some((from, to, six, inner, seen)));
            }
            Op::Damaged { port, to, six, changes, bytes } => {
                let (from, to) = (address([0, 4, 2, 3][*port], *six), address(*to, *six));
                let mut damaged = packet(from, to, Inner::Tcp, 6000, 1, 200, self.id);
                self.id += 1;
                for &(at, value) in changes {
                    damaged[at] = value;
                }
                damaged.resize(*bytes, 0xa5);
                self.receive(PORTS[*port], &damaged, None);
            }
            Op::Noise { port, bytes } => self.receive(PORTS[*port], bytes, None),
            &Op::Burst { wired, to, n } => {
                let from = if wired { to - 2 } else { 4 };
                for _ in 0..n {
                    let bytes =
                        packet(address(from, false), address(to, false), Inner::Udp, 7000, 0, 1000, self.id);
                    self.id += 1;
                    let port = if wired { Port::Internet } else { Port::AccessPoint };
                    self.receive(port, &bytes, Some((from, to, false, Inner::Udp, 7000)));
                }
            }
            &Op::Wait(ns) => self.advance(ns),
            &Op::Station { station, kbps, loss } => {
                let losses = [Loss::None, Loss::Fer(0.5), Loss::Fer(1.0), Loss::at(12.0)];
                self.ap.set_station(station, [54_000, 24_000, 12_000, 6_000][kbps], losses[loss]);
            }
            &Op::Queue(which) => {
                let before = self.ap.books();
                self.ap.set_queue(&queue(&QUEUES[which])).expect("good parameters");
                let after = self.ap.books();
                let limit =
                    QUEUES[which].split_once("limit=").map_or(35, |(_, n)| n.parse().expect("a number"));
                // A station, a class or a flow that has a limit of its own may have more than that.
                let fits = limit.min(common::own_limit(&QUEUES[which]).unwrap_or(limit));
                if before.inside <= fits {
                    assert_eq!(before.dropped, after.dropped, "a change loses nothing that fits");
                }
                self.look();
            }
            Op::Snapshot => {
                let snapshot = self.ap.snapshot();
                assert!(snapshot.books.balanced());
                let queued: u32 = snapshot.stations.iter().map(|s| s.backlog_packets).sum();
                assert_eq!(queued, snapshot.qdisc.packets, "stations' backlogs are the queue's");
            }
        }
    }

    /// Lets everything come to its end.
    fn drain(&mut self) {
        for _ in 0..10_000 {
            if self.ap.books().inside == 0 {
                break;
            }
            self.advance(100 * MS);
        }
        let books = self.ap.books();
        assert_eq!(books.inside, 0, "something stays inside: {books:?}");
        let snapshot = self.ap.snapshot();
        assert!(snapshot.stations.iter().all(|s| s.backlog_packets == 0));
        assert!(snapshot.flows.iter().all(|f| f.backlog_packets == 0));
    }
}

/// Bytes without what a mark changes: ECN and IPv4's checksum.
fn unmarked(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes[0] >> 4 == 4 {
        bytes[1] |= 3;
        bytes[10..12].fill(0);
    } else {
        bytes[1] |= 0x30;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn books_balance_whatever_happens(
        dcf in any::<bool>(),
        first in 0..QUEUES.len(),
        seed in any::<u64>(),
        ops in prop::collection::vec(op(), 1..200),
    ) {
        let _in_time = deadline(60);
        let mut watched = Watched::new(if dcf { "" } else { EMULATOR }, &QUEUES[first], seed);
        for op in &ops {
            watched.act(op);
        }
        watched.drain();
    }
}

/// More with AIRTAB_CASES.
fn cases() -> u32 {
    std::env::var("AIRTAB_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// Keeps a station's queue from running empty, and gives the times at which
/// `n` packets arrived.
fn saturated(wifi: &str, fer: f64, seed: u64, n: usize) -> Vec<u64> {
    let mut ap = AccessPoint::new(house("rate", wifi, ""), &queue("fifo:limit=100"), seed).unwrap();
    ap.set_station(1, 54_000, if fer > 0.0 { Loss::Fer(fer) } else { Loss::None });
    let bytes = packet(address(4, false), address(3, false), Inner::Udp, 1, 0, 1500, 0);
    let (mut now, mut arrived) = (0, Vec::new());
    while arrived.len() < n {
        while ap.snapshot().qdisc.packets < 2 {
            ap.receive(Port::AccessPoint, &bytes, now);
        }
        now = ap.next_event();
        ap.advance(now);
        while let Some((port, at, _)) = ap.transmit() {
            assert_eq!(port, Port::Station(1));
            arrived.push(at);
        }
    }
    arrived
}

/// Equation 7.1: packets follow each other in exactly their time.
#[test]
fn the_emulators_rate_is_the_formulas() {
    let _in_time = deadline(300);
    let phy = Phy::named("d7.1").unwrap();
    let each = phy.difs_ns() + phy.data_ns(54_000, 1500) + phy.sifs_ns() + phy.ack_ns(54_000);
    let arrived = saturated(EMULATOR, 0.0, 1, 1000);
    assert!(arrived.iter().zip(1..).all(|(&at, n)| at == n * each));
    let arrived = saturated("medium = \"emulator\"\nextra_delay = \"2ms\"", 0.0, 1, 1000);
    assert!(arrived.iter().zip(1..).all(|(&at, n)| at == n * (each + 2 * MS)));
}

/// With losses every arrival is where the core's draws put it.
#[test]
fn the_emulators_losses_are_the_cores() {
    let _in_time = deadline(300);
    let config = EmulatorConfig { phy: Phy::named("d7.1").unwrap(), attempts: 5, extra_ns: 0 };
    for seed in [1, 2] {
        let mut link = Emulator::new(&config, Stream::new(seed, "emulator").below(u64::MAX));
        let mut now = 0;
        let mut expected = Vec::new();
        while expected.len() < 1000 {
            let tx = link.draw(54_000, 0.25, 1500);
            now += tx.air;
            if tx.acked {
                expected.push(now);
            }
        }
        assert_eq!(saturated(EMULATOR, 0.25, seed, 1000), expected);
    }
}

/// The same packets at the same times through the simulator's cell alone: every
/// packet arrives at the same nanosecond.
#[test]
fn the_cell_is_the_simulators() {
    let _in_time = deadline(300);
    const N: usize = 3000;
    let house = house("cell", "", "");
    let scenario = &house.file.scenario;
    assert!(scenario.medium.cell().is_some());
    let stations: Vec<_> = scenario.stations.iter().map(|s| (s.name.as_str(), s.speed, s.loss)).collect();
    let params: Params = queue("fifo:limit=100").build(&house.file.queues).unwrap();
    for seed in [1, 5] {
        let mut pool: Pool<u32> = Pool::new();
        let qdisc = Qdisc::new(&pool, &params, 0, 0);
        let mut medium = Medium::new(scenario.medium.clone(), &stations, qdisc, seed);
        let mut alone = Vec::new();
        let insert = |pool: &mut Pool<u32>, station: u16| -> Handle {
            let (flow, ecn, tcp) = (station.into(), false, None);
            pool.insert(Meta { bytes: 1500, flow, sta: station, class: 1, ecn, tcp, ..Meta::default() }, 0)
        };
        // Down to the first station, up from the second: they contend.
        while alone.len() < N {
            let now = if alone.is_empty() && pool.is_empty() { 0 } else { medium.next_event() };
            medium.advance(&mut pool, now);
            while let Some(output) = medium.poll() {
                if let Output::Down(packet) | Output::Up(packet) = output {
                    alone.push((now, matches!(output, Output::Down(_))));
                    pool.remove(packet);
                    let (down, station) = (matches!(output, Output::Down(_)), 1);
                    let packet = insert(&mut pool, if down { 0 } else { station });
                    if down {
                        medium.send_down(&mut pool, packet, now);
                    } else {
                        medium.send_up(&mut pool, 1, packet, now);
                    }
                }
            }
            if now == 0 {
                for _ in 0..3 {
                    let down = insert(&mut pool, 0);
                    medium.send_down(&mut pool, down, 0);
                    let up = insert(&mut pool, 1);
                    medium.send_up(&mut pool, 1, up, 0);
                }
            }
        }

        let mut ap = AccessPoint::new(house.clone(), &queue("fifo:limit=100"), seed).unwrap();
        let down = packet(address(4, false), address(2, false), Inner::Udp, 1, 0, 1500, 0);
        let up = packet(address(3, false), address(4, false), Inner::Udp, 1, 0, 1500, 0);
        for _ in 0..3 {
            ap.receive(Port::AccessPoint, &down, 0);
            ap.receive(Port::Station(1), &up, 0);
        }
        let mut live = Vec::new();
        while live.len() < N {
            let now = ap.next_event();
            ap.advance(now);
            while let Some((port, at, _)) = ap.transmit() {
                live.push((at, port == Port::Station(0)));
                match port {
                    Port::Station(0) => ap.receive(Port::AccessPoint, &down, at),
                    _ => ap.receive(Port::Station(1), &up, at),
                }
            }
        }
        let differ = alone.iter().zip(&live).position(|(a, b)| a != b);
        assert_eq!(differ, None, "{:?}", differ.map(|i| (alone[i], live[i])));
    }
}

/// A lone sender in the cell: exchange, DIFS, mean backoff of 7.5 slots (Bianchi's model with one
/// station), to what 200,000 draws allow.
#[test]
fn a_lone_sender_has_its_closed_form() {
    let _in_time = deadline(300);
    let phy = Phy::named("phy-a").unwrap();
    let exchange = phy.data_ns(54_000, 1500) + phy.sifs_ns() + phy.ack_ns(54_000) + phy.difs_ns();
    let cycle = exchange as f64 + phy.cw_min() as f64 / 2.0 * phy.slot_ns() as f64;
    let n = 200_000;
    let arrived = saturated("beacon_interval = \"off\"", 0.0, 1, n);
    let measured = *arrived.last().unwrap() as f64 / n as f64;
    let sigma = ((256.0 - 1.0) / 12.0f64).sqrt() * phy.slot_ns() as f64 / (n as f64).sqrt();
    assert!((measured - cycle).abs() < 4.0 * sigma, "{measured} ns, closed form {cycle}");
}

/// Rate and latency of each wire, to the nanosecond, both ways, alone and in a row.
#[test]
fn wires_take_their_time() {
    let _in_time = deadline(300);
    let wired = "rate = \"8Mb/s\"\ntrunk_latency = \"3ms\"\nqueue = 4";
    let mut ap = AccessPoint::new(house("wires", "", wired), &queue("fifo"), 1).unwrap();
    // 1000 bytes take 1 ms on a wire; latencies are 1 ms (game) and 10 ms (download).
    let down = |i| packet(address(i, true), address(4, true), Inner::Udp, 1, 0, 1000, 0);
    let up = packet(address(4, true), address(1, true), Inner::Udp, 1, 0, 1000, 0);
    ap.receive(Port::Internet, &down(0), 0);
    ap.receive(Port::Internet, &down(1), 0);
    ap.receive(Port::Internet, &down(1), 0);
    ap.receive(Port::AccessPoint, &up, 0);
    ap.advance(S);
    let mut arrivals = Vec::new();
    while let Some((port, at, _)) = ap.transmit() {
        arrivals.push((port, at / 1000));
    }
    let expected = [
        (Port::AccessPoint, 1_000 + 1_000 + 1_000 + 3_000),
        (Port::Internet, 1_000 + 3_000 + 1_000 + 10_000),
        (Port::AccessPoint, 1_000 + 10_000 + 1_000 + 3_000),
        (Port::AccessPoint, 2_000 + 10_000 + 1_000 + 3_000),
    ];
    assert_eq!(arrivals, expected);
    // One is being sent and four wait: the sixth is dropped, and counted.
    for _ in 0..6 {
        ap.receive(Port::Internet, &down(0), S);
    }
    assert_eq!(ap.books().wired_dropped, 1);
    assert_eq!(ap.books().inside, 5);
}

/// Wires are two wires, one for each direction: eight packets down keep none up waiting.
#[test]
fn wires_are_full_duplex() {
    let _in_time = deadline(300);
    let wired = "rate = \"8Mb/s\"\ntrunk_latency = \"3ms\"";
    let mut ap = AccessPoint::new(house("duplex", "", wired), &queue("fifo"), 1).unwrap();
    let down = packet(address(0, true), address(4, true), Inner::Udp, 1, 0, 1000, 0);
    let up = packet(address(4, true), address(0, true), Inner::Udp, 1, 0, 1000, 0);
    (0..8).for_each(|_| ap.receive(Port::Internet, &down, 0));
    // They are on the access link from 0 to 8 ms, on the trunk from 2 to 10 ms. Up it is 1 ms on
    // the trunk and 1 ms on the link, and latencies of 3 and 1 ms.
    for at in [0, 3 * MS, 5 * MS] {
        ap.advance(at);
        ap.receive(Port::AccessPoint, &up, at);
    }
    ap.advance(S);
    let (mut ups, mut downs) = (Vec::new(), Vec::new());
    while let Some((port, at, _)) = ap.transmit() {
        if port == Port::Internet { ups.push(at / MS) } else { downs.push(at / MS) }
    }
    assert_eq!(ups, [6, 9, 11]);
    assert_eq!(downs, [6, 7, 8, 9, 10, 11, 12, 13]);
}

/// A packet between stations crosses the air twice, and its end sees its bytes.
#[test]
fn stations_talk_to_each_other_over_two_hops() {
    let _in_time = deadline(300);
    let mut ap = AccessPoint::new(house("peers", EMULATOR, ""), &queue("chap"), 1).unwrap();
    let bytes = packet(address(2, false), address(3, false), Inner::Tcp, 9, 2, 700, 4);
    ap.receive(Port::Station(0), &bytes, 5);
    ap.advance(S);
    assert_eq!(ap.transmit().map(|(port, _, b)| (port, b.to_vec())), Some((Port::Station(1), bytes)));
    assert_eq!(ap.transmit(), None);
    let snapshot = ap.snapshot();
    let totals = |i: usize| snapshot.stations[i].totals;
    assert_eq!((totals(0).up_bytes, totals(1).down_bytes), (700, 700));
}
