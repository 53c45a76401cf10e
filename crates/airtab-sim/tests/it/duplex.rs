// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Full duplex in a mesh (Showail 2016, chapter 6): the times of a pair of exchanges by hand, who is chosen, what collides
//! before the header is in, the busy tone, and books that balance.

use crate::common;

use airtab_core::{GROUP, Meta, Params, Pool, Qdisc};
use airtab_sim::traffic::{Udp, udp};
use airtab_sim::wifi::{
    Cell, CellConfig, DriverConfig, Loss, MediumConfig, MeshConfig, NodeAir, Output, Ranges,
};
use airtab_sim::{App, AppKind, Latency, Scenario, Servers, Shape, Simulation, Station, Trace, Wired};
use common::{MS, S, home, phy, queue, station};

const US: u64 = 1_000;
const KBPS: u32 = 6_000;
/// Packets are handed to a node that has been idle since the start at 1 ms: it sends with the next slot.
const BEGIN: u64 = 34 * US + 108 * 9 * US;

/// Nodes 90 m apart. `capture`: a frame survives one from twice as far.
fn line(nodes: usize, capture: bool, ring: usize) -> MeshConfig {
    let places: Vec<(f64, f64)> = (0..nodes).map(|i| (i as f64 * 90.0, 0.0)).collect();
    let ranges = Ranges { tx_m: 90.0, sense_m: 180.0, interference_m: 180.0 };
    let cell = CellConfig { beacon: None, ..CellConfig::new(phy("std-11a")) };
    let driver = DriverConfig { ring, ..cell.driver };
    let capture = capture.then_some(12.0);
    MeshConfig {
        duplex: true,
        ..MeshConfig::new(CellConfig { driver, ..cell }, &places, &ranges, capture, KBPS)
    }
}

/// What happened in a mesh, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// A packet of that flow arrived.
    Arrived(u32),
    /// A frame with it is over at its sender: attempts, and whether it was acknowledged.
    Over(u32, u8, bool),
    Lost(u32),
}

/// A mesh whose packets are handed over one by one; a packet's flow is its name.
struct Run {
    cell: Cell,
    pool: Pool<u32>,
    seen: Vec<(u64, Seen)>,
}

impl Run {
    fn new(config: &MeshConfig) -> Run {
        let pool: Pool<u32> = Pool::new();
        let fifo = || Qdisc::new(&pool, &queue("fifo", 50), 0, 0);
        let names = ["a", "b", "c", "d", "e"];
        let nodes = config.reach.nodes();
        let mut cell = Cell::mesh(config, &names[..nodes], fifo(), 1);
        (1..nodes).for_each(|node| cell.set_uplink(node, fifo()));
        Run { cell, pool, seen: Vec::new() }
    }

    /// Lets everything happen before `now`; what happens then comes after what is handed over then.
    fn until(&mut self, now: u64) {
        while self.cell.next_event() < now {
            let at = self.cell.next_event();
            self.cell.advance(&mut self.pool, at);
            while let Some(output) = self.cell.poll() {
                let seen = match output {
                    Output::Across(packet) => Seen::Arrived(self.pool.remove(packet)),
                    Output::NodeSent { label, tx, .. } => Seen::Over(label, tx.attempts, tx.acked),
                    Output::Lost(packet) => Seen::Lost(self.pool.remove(packet)),
                    _ => continue,
                };
                self.seen.push((at, seen));
            }
        }
    }

    /// A packet for the neighbour of that number: it and its flow, bytes.
    fn send(&mut self, node: u16, sta: u16, (flow, bytes): (u32, u32), now: u64) {
        self.until(now);
        let packet = self.pool.insert(Meta { bytes, sta, flow, ..Meta::default() }, flow);
        self.cell.send_from(&mut self.pool, node, packet, now);
    }

    fn at(&self, seen: Seen) -> Option<u64> {
        self.seen.iter().find(|own| own.1 == seen).map(|own| own.0)
    }

    fn node(&self, node: usize, now: u64) -> NodeAir {
        self.cell.nodes(now)[node]
    }
}

fn data_ns(bytes: u32) -> u64 {
    phy("std-11a").data_ns(KBPS, bytes)
}

/// SIFS and ACK.
fn ack_ns() -> u64 {
    phy("std-11a").sifs_ns() + phy("std-11a").ack_ns(KBPS)
}

/// Two frames in opposite directions, and one that is passed on: the second begins when the header of the first is in;
/// both are acknowledged together, after the later one.
#[test]
fn times_of_a_pair() {
    let header = data_ns(0);
    // Preamble and SIGNAL, and 36 bytes at 24 bits a symbol with service and tail.
    assert_eq!(header, (20 + 13 * 4) * US);
    for (back, first, second) in [
        (true, 1500, 1500),
        (true, 1500, 200),
        (true, 200, 1500),
        (false, 1500, 1500),
        (false, 1500, 200),
        (false, 200, 1500),
    ] {
        let mut run = Run::new(&line(3, true, 1));
        run.send(0, 0, (1, first), MS);
        run.send(1, u16::from(!back), (2, second), BEGIN + 10 * US);
        run.until(10 * MS);
        let (one, other) = (BEGIN + data_ns(first), BEGIN + header + data_ns(second));
        let over = one.max(other) + ack_ns();
        let mut expected = vec![
            (one, Seen::Arrived(1)),
            (other, Seen::Arrived(2)),
            (over, Seen::Over(1, 1, true)),
            (over, Seen::Over(2, 1, true)),
        ];
        expected.sort_unstable();
        run.seen.sort_unstable();
        assert_eq!(run.seen, expected, "back {back}, {first} and {second} bytes");
        // The channel was the first one's from its start to the ACKs, and every nanosecond of every node is known.
        let air = run.cell.air(10 * MS);
        assert_eq!((air.down_ns, air.collision_ns, air.up_ns), (over - BEGIN, 0, 0));
        assert_eq!(air.idle_ns, 10 * MS - (over - BEGIN));
        assert_eq!((air.attempts, air.collided), (2, 0));
        assert_eq!(air.full_duplex_ratio(), Some(1.0));
        assert_eq!(air.duplex_bytes, u64::from(first + second));
        assert_eq!(run.node(0, 10 * MS).own_ns, over - BEGIN);
        // The second one's own time begins with its frame; it sensed the first one 4 us after that began.
        let node = run.node(1, 10 * MS);
        assert_eq!((node.own_ns, node.busy_ns), (over - BEGIN - header, header - 4 * US));
    }
}

/// Who is through and still receives is sensed until the other one is through, too: by a node that hears nothing of
/// the longer frame.
#[test]
fn busy_tone() {
    let header = data_ns(0);
    // From 0 to 1 a long frame, from 1 to 2 a short one. 3 senses 1 and 2, not 0.
    let mut run = Run::new(&line(4, true, 1));
    run.send(0, 0, (1, 1500), MS);
    run.send(1, 1, (2, 200), BEGIN + 10 * US);
    let (closes, short) = (BEGIN + data_ns(1500), BEGIN + header + data_ns(200));
    assert!(short + 500 * US < closes);
    // It would begin at once without a tone.
    run.send(3, 0, (3, 100), short + 200 * US);
    run.until(20 * MS);
    let sensed = 4 * US;
    let begun = run.at(Seen::Arrived(3)).expect("it arrives") - data_ns(100);
    assert!(begun > closes + ack_ns(), "after the tone and the ACKs: {begun}, {closes}");
    assert_eq!((begun - (closes + ack_ns()) - 34 * US) % (9 * US), 0, "DIFS and slots");
    let busy = (data_ns(200) - sensed) + (closes - short - sensed) + (phy("std-11a").ack_ns(KBPS) - sensed);
    let node = run.node(3, 20 * MS);
    let own = data_ns(100) + ack_ns();
    assert_eq!((node.busy_ns, node.own_ns), (busy, own), "frame, tone, ACKs");
    assert_eq!(run.at(Seen::Over(1, 1, true)), Some(closes + ack_ns()), "the tone disturbs nobody");
    // The sender itself has one, where the frame back is the longer one; nobody else has it.
    let mut run = Run::new(&line(4, true, 1));
    run.send(1, 0, (1, 200), MS);
    run.send(0, 0, (2, 1500), BEGIN + 10 * US);
    let closes = BEGIN + header + data_ns(1500);
    run.until(closes + 1);
    let busy = (data_ns(200) - sensed) + (closes - BEGIN - data_ns(200) - sensed);
    assert_eq!(run.node(3, closes).busy_ns, busy);
    run.until(20 * MS);
    assert_eq!(run.at(Seen::Over(2, 1, true)), Some(closes + ack_ns()));
}

/// Each row of the table, of a node that receives a frame of its first neighbour: whose frame goes along with it.
#[test]
fn who_is_chosen() {
    const BACK: (u16, u32) = (0, 20);
    const ON: (u16, u32) = (1, 21);
    const ALL: (u16, u32) = (GROUP, 22);
    /// Capture, the frames that wait, by neighbour and flow, and whose flow goes.
    type Case<'a> = (bool, &'a [(u16, u32)], Option<u32>);
    let cases: [Case; 9] = [
        // Nothing collides: the sender first, whatever came first; else whoever is next.
        (true, &[BACK, ON], Some(20)),
        (true, &[ON, BACK], Some(20)),
        (true, &[ON], Some(21)),
        // The first one's frame reaches the third.
        (false, &[ON, BACK], Some(20)),
        (false, &[ON, ON, BACK], Some(20)),
        (false, &[ON], None),
        // To all, and nothing.
        (true, &[ALL], None),
        (true, &[ALL, ON], Some(21)),
        (true, &[], None),
    ];
    for (capture, frames, chosen) in cases {
        let mut run = Run::new(&line(3, capture, 8));
        run.send(0, 0, (1, 1500), MS);
        for (sta, flow) in frames {
            run.send(1, *sta, (*flow, 1500), BEGIN + 10 * US);
        }
        run.until(BEGIN + data_ns(0) + data_ns(1500) + 1);
        let arrived: Vec<u32> =
            [20, 21, 22].into_iter().filter(|own| run.at(Seen::Arrived(*own)).is_some()).collect();
        assert_eq!(arrived, chosen.into_iter().collect::<Vec<_>>(), "capture {capture}, {frames:?}");
        assert!(run.at(Seen::Arrived(1)).is_some(), "the first frame is not disturbed");
        // What was not chosen goes later, in its order.
        run.until(S);
        let over = run.seen.iter().filter(|own| matches!(own.1, Seen::Over(..))).count();
        assert_eq!(over, frames.len() + 1);
        assert!(!run.seen.iter().any(|own| matches!(own.1, Seen::Lost(_) | Seen::Over(_, 2.., _))));
    }
    // Of two for the same neighbour the first one goes.
    let mut run = Run::new(&line(3, false, 8));
    run.send(0, 0, (1, 1500), MS);
    for (flow, sta) in [(2, 1), (3, 0), (4, 0)] {
        run.send(1, sta, (flow, 500), BEGIN + 10 * US);
    }
    run.until(S);
    let order: Vec<u32> = run
        .seen
        .iter()
        .filter_map(|own| if let Seen::Arrived(flow) = own.1 { Some(flow) } else { None })
        .collect();
    assert_eq!(order[0], 3);
    assert!(order.iter().position(|f| *f == 2) < order.iter().position(|f| *f == 4), "{order:?}");
}

/// Before the header is in, its receiver may begin itself: both are lost. And what comes too late for the header
/// waits as anybody does.
#[test]
fn until_the_header_is_in() {
    let mut run = Run::new(&line(3, true, 1));
    run.send(0, 0, (1, 1500), MS);
    run.send(1, 0, (2, 1500), MS);
    run.until(BEGIN + data_ns(1500) + ack_ns() + 1);
    assert_eq!(run.seen, [], "both began in the same slot");
    let air = run.cell.air(BEGIN + data_ns(1500) + ack_ns() + 1);
    assert_eq!((air.attempts, air.collided), (2, 2));
    assert_eq!(air.full_duplex_ratio(), Some(0.0));
    run.until(S);
    let over = |flow| run.seen.iter().find(|own| matches!(own.1, Seen::Over(f, 2.., true) if f == flow));
    assert!(over(1).is_some() && over(2).is_some(), "{:?}", run.seen);
    for late in [0, 1] {
        let mut run = Run::new(&line(3, true, 1));
        run.send(0, 0, (1, 1500), MS);
        run.send(1, 0, (2, 200), BEGIN + data_ns(0) + late);
        run.until(BEGIN + data_ns(1500) + 1);
        assert_eq!(run.at(Seen::Arrived(2)).is_some(), late == 0, "{late} ns late");
    }
    // A hidden node that begins before the header is in takes it away: no second frame, and no first.
    let mut run = Run::new(&line(4, false, 1));
    run.send(0, 0, (1, 1500), MS);
    run.send(3, 0, (3, 1500), MS);
    run.send(1, 0, (2, 200), BEGIN + 10 * US);
    run.until(BEGIN + data_ns(1500) + ack_ns() + 1);
    assert_eq!(run.seen, [], "0 and 3 do not sense each other, and reach 1 and 2");
}

/// A second frame that is lost, and a first: each is sent again by itself, and the other one is not.
#[test]
fn halves_fail_alone() {
    for (lost, kept) in [(0, 1), (1, 0)] {
        let mut config = line(3, true, 1);
        config.links[lost].loss = Loss::Fer(1.0);
        let mut run = Run::new(&config);
        run.send(0, 0, (0, 1500), MS);
        run.send(1, 1, (1, 700), BEGIN + 10 * US);
        run.until(S);
        let flow = |flow: usize| flow as u32;
        let over = BEGIN + data_ns(1500) + ack_ns();
        assert_eq!(run.at(Seen::Over(flow(kept), 1, true)), Some(over));
        assert!(run.at(Seen::Over(flow(lost), 7, false)).is_some(), "{:?}", run.seen);
        assert!(run.at(Seen::Lost(flow(lost))).is_some());
    }
}

fn app(name: &str, rate: udp::Rate, from: u16, to: usize, seconds: u64) -> App {
    App {
        name: name.into(),
        kind: AppKind::Udp(Udp { rate, bytes: 1500, gaps: udp::Gaps::Constant, upload: false }),
        station: to,
        servers: Servers::Behind(from, Latency::both(0)),
        active_ns: 0..seconds * S,
        ..home().apps[0].clone()
    }
}

fn scenario(mesh: MeshConfig, apps: Vec<App>, seconds: u64) -> Scenario {
    let node = |i: usize| Station { loss: Loss::None, ..station(&format!("n{i}"), KBPS, 1.0) };
    Scenario {
        name: "duplex".into(),
        duration_ns: seconds * S,
        measure_ns: S..seconds * S,
        stations: (1..=mesh.reach.nodes()).map(node).collect(),
        medium: MediumConfig::Mesh(Box::new(mesh)),
        wired: Wired { trunk: Latency::both(0), ..Wired::default() },
        apps,
        ..home()
    }
}

/// Every packet is somewhere, and every nanosecond of every node and of the channel is on one account.
fn checked(scenario: &Scenario, queue: &Params, seed: u64) -> Trace {
    let mut simulation = Simulation::new(scenario, queue, seed);
    for part in 1..=8 {
        simulation.advance(scenario.duration_ns * part / 8);
        assert!(simulation.packets().balanced(), "{:?}", simulation.packets());
    }
    let trace = simulation.finish();
    let air = trace.ap.air;
    assert_eq!(
        air.down_ns + air.up_ns + air.beacon_ns + air.collision_ns + air.idle_ns,
        scenario.duration_ns
    );
    for node in &trace.nodes {
        let own = node.air;
        assert_eq!(own.own_ns + own.busy_ns + own.idle_ns, scenario.duration_ns, "{}", node.name);
        assert!(own.collided <= own.attempts);
    }
    assert_eq!(trace.nodes.iter().map(|node| node.air.attempts).sum::<u64>(), air.attempts);
    trace
}

fn goodput(trace: &Trace) -> f64 {
    let bytes: u64 = trace.apps.iter().map(|app| app.down.bytes).sum();
    bytes as f64 * 8e6 / (trace.measure_ns.end - trace.measure_ns.start) as f64
}

/// Lines of three to five nodes, one flow and two opposite ones, saturated, with losses: books balance. With three nodes full
/// duplex brings more.
#[test]
fn books_balance() {
    for nodes in [3, 4, 5] {
        for both in [false, true] {
            let mut got = [0.0; 2];
            for (duplex, got) in [false, true].into_iter().zip(&mut got) {
                let mut apps = vec![app("there", udp::Rate::Max, 0, nodes - 1, 6)];
                if both {
                    apps.push(app("back", udp::Rate::Max, nodes as u16 - 1, 0, 6));
                }
                let mut mesh = MeshConfig { duplex, ..line(nodes, true, 4) };
                mesh.links[0].loss = Loss::Fer(0.05);
                let trace = checked(&scenario(mesh, apps, 6), &queue("fifo", 20), 1);
                *got = goodput(&trace);
                let ratio = trace.ap.air.full_duplex_ratio();
                println!("{nodes} nodes, both {both}, duplex {duplex}: {got:.0} kb/s, {ratio:?}");
                assert_eq!(ratio.is_some(), duplex);
                assert!(ratio.is_none_or(|ratio| ratio > 0.1 && ratio < 1.0));
            }
            assert!(nodes > 3 || got[1] > 1.2 * got[0], "{got:?}");
        }
    }
}

/// Where no receiver ever has a frame of its own, full duplex is what half duplex is, event by event; and a mesh that says
/// nothing of it is not in full duplex.
#[test]
fn without_a_second_frame_nothing_changes() {
    let run = |duplex: bool| {
        // The mute one is out of range of the others but for the second: the slots are not shared.
        let mesh = MeshConfig { duplex, ..line(4, true, 1) };
        let apps = vec![app("a", udp::Rate::Max, 0, 1, 4), app("b", udp::Rate::Max, 3, 2, 4)];
        checked(&scenario(mesh, apps, 4), &queue("fifo", 20), 3)
    };
    let (half, full) = (run(false), run(true));
    assert_eq!(half.fingerprint, full.fingerprint);
    assert_eq!(half.exchanges, full.exchanges);
    assert_eq!(full.ap.air.full_duplex_ratio(), Some(0.0));
    assert!(full.ap.air.attempts > 1_000);
    let Shape { places, ranges, .. } = Shape::named("line-3").expect("a shape");
    assert!(!MeshConfig::new(CellConfig::new(phy("std-11a")), &places, &ranges, None, KBPS).duplex);
}

#[test]
fn what_it_cannot_be() {
    let mut mesh = line(3, true, 1);
    assert_eq!(mesh.check(), Ok(()));
    mesh.cell.rts_bytes = Some(500);
    assert!(mesh.check().unwrap_err().contains("no RTS"));
    let places = [(0.0, 0.0), (9.0, 0.0)];
    let ranges = Ranges { tx_m: 9.0, sense_m: 9.0, interference_m: 9.0 };
    let n = CellConfig::new(phy("std-11n"));
    let rate = n.phy.rate(&Default::default()).expect("it has rates");
    let mesh = MeshConfig { duplex: true, ..MeshConfig::new(n, &places, &ranges, None, rate) };
    assert!(mesh.check().unwrap_err().contains("has aggregates"));
}
