// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Worlds that are no home: a dumbbell whose narrow wire has a discipline, switches in
//! a row, two cells. Times against their closed forms, books after everything that happens.

use crate::common;

use airtab_core::{Handle, Meta};
use airtab_sim::wifi::CellConfig;
use airtab_sim::world::{
    ChannelSpec, Node, NodeId, Place, Report, Tag, Topology, WireQueue, WireSpec, World,
};
use common::{MS, S, disciplines, phy, queue, roomy, station};

/// A packet's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number(u32);

impl Tag for Number {
    const CROSSINGS: bool = true;

    fn tag(&self, _peer: u16) -> u32 {
        self.0
    }
}

type Net = World<Number, u32>;

/// Both directions of a wire.
fn wire(from: u32, to: u32, rate_bps: u64, latency_ns: u64, queue: &WireQueue) -> [WireSpec; 2] {
    let one = |from, to| WireSpec {
        from: NodeId(from),
        to: NodeId(to),
        rate_bps,
        overhead: 0,
        latency_ns,
        queue: queue.clone(),
    };
    [one(from, to), one(to, from)]
}

const FIFO: WireQueue = WireQueue::DropTail(1000);
const GIGABIT: u64 = 1_000_000_000;
/// 1000 bytes in 1 ms.
const NARROW: u64 = 8_000_000;

/// Hosts 0 and 1, switches 2 and 3, hosts 4 and 5. The narrow wire from 2 to 3 is number 8, with 5 ms.
fn dumbbell(narrow: &WireQueue) -> Net {
    let nodes = vec![Node::Host, Node::Host, Node::Switch, Node::Switch, Node::Host, Node::Host];
    let edge = |from, to| wire(from, to, GIGABIT, MS, &FIFO);
    let wires = [edge(0, 2), edge(1, 2), edge(3, 4), edge(3, 5), wire(2, 3, NARROW, 5 * MS, narrow)];
    World::new(Topology::new(nodes, wires.concat(), vec![]).unwrap(), 1)
}

const NARROW_WIRE: u32 = 8;

fn send(net: &mut Net, from: u32, to: u32, bytes: u32, number: u32) -> Handle {
    let meta = Meta { bytes, flow: from + 1, ..Meta::default() };
    net.send(net.now(), NodeId(from), NodeId(to), meta, Number(number))
}

/// What happens until `until`: each report with its time. Packets that came to their end are taken.
fn run(net: &mut Net, until: u64) -> Vec<(u64, Report<u32>, Option<Number>)> {
    let mut all = Vec::new();
    while net.advance(until) {
        while let Some(report) = net.poll() {
            let packet = match report {
                Report::Arrived { packet, .. } | Report::Dropped { packet, .. } | Report::Lost { packet } => {
                    Some(net.take(packet).body)
                }
                _ => None,
            };
            all.push((net.now(), report, packet));
        }
        let books = net.books();
        assert!(books.balanced(), "{books:?}");
        assert_eq!(books.inside, net.pool().len() as u64);
    }
    all
}

/// When packets arrived, where, and which.
fn arrivals(all: &[(u64, Report<u32>, Option<Number>)]) -> Vec<(u64, u32, u32)> {
    let arrived = all.iter().filter_map(|(at, report, number)| match report {
        Report::Arrived { node, .. } => Some((*at, node.0, number.unwrap().0)),
        _ => None,
    });
    arrived.collect()
}

/// Two senders, one narrow wire, under every discipline: while packets wait, one leaves each
/// millisecond, and the discipline is told so.
#[test]
fn a_dumbbell_carries_its_rate() {
    for name in disciplines() {
        let mut net = dumbbell(&WireQueue::Discipline(roomy(name, 100)));
        for i in 0..30 {
            send(&mut net, 0, 4, 1000, i);
            send(&mut net, 1, 5, 1000, 100 + i);
        }
        let all = run(&mut net, S);
        // 8 us and 1 ms to the switch, 1 ms and 5 ms over the narrow wire, 8 us and 1 ms to the end.
        let first = 8_000 + MS + MS + 5 * MS + 8_000 + MS;
        let arrived = arrivals(&all);
        let expected: Vec<u64> = (0..60).map(|i| first + i * MS).collect();
        assert_eq!(arrived.iter().map(|a| a.0).collect::<Vec<_>>(), expected, "{name}");
        assert!(arrived.iter().all(|a| a.1 == if a.2 < 100 { 4 } else { 5 }), "{name}");
        for (_, report, _) in &all {
            if let Report::Sent { at, tx, .. } = report {
                assert_eq!((*at, tx.air, tx.span, tx.attempts), (Place::Wire(NARROW_WIRE), MS, MS, 1));
            }
        }
        let count = |what: fn(&Report<u32>) -> bool| all.iter().filter(|(_, r, _)| what(r)).count();
        assert_eq!(count(|r| matches!(r, Report::Queued { .. })), 60);
        assert_eq!(count(|r| matches!(r, Report::Dequeued { .. })), 60);
        assert_eq!(count(|r| matches!(r, Report::Sent { .. })), 60);
        assert_eq!((net.books().received, net.books().inside), (60, 0), "{name}");
    }
}

/// Twice what the narrow wire carries: it carries its rate and drops the rest, by a discipline or
/// without one.
#[test]
fn an_overloaded_wire_keeps_its_books() {
    let disciplines = disciplines().map(|name| WireQueue::Discipline(queue(name, 20)));
    for narrow in disciplines.chain([WireQueue::DropTail(20)]) {
        let mut net = dumbbell(&narrow);
        for i in 0..1000 {
            send(&mut net, 0, 4, 1000, i);
            send(&mut net, 1, 5, 1000, i);
            run(&mut net, (u64::from(i) + 1) * MS);
        }
        run(&mut net, 2 * S);
        let books = net.books();
        assert_eq!((books.made, books.inside), (2000, 0), "{narrow:?}");
        assert_eq!(books.received + books.dropped_wired, 2000);
        // One each millisecond from the first on, and what waits at the end.
        assert!((1000..=1021).contains(&books.received), "{narrow:?}: {books:?}");
        if let Some(qdisc) = net.wire_queue(NARROW_WIRE) {
            let counters = qdisc.counters();
            assert_eq!(counters.dropped.iter().sum::<u64>(), books.dropped_wired);
            assert_eq!((counters.given, counters.queued), (books.received, 0));
        }
    }
}

/// What a packet costs on a wire is its time there: chap gives flows equal shares of it, whatever
/// their packets are; fifo gives what was asked for.
#[test]
fn chap_shares_a_wire_by_time() {
    let shares = |name: &str| {
        let mut net = dumbbell(&WireQueue::Discipline(queue(name, 35)));
        let mut time = [0u64; 2];
        for i in 0..10_000 {
            // 1500 and 300 bytes each millisecond: 1.8 times the rate.
            send(&mut net, 0, 4, 1500, 1500);
            send(&mut net, 1, 5, 300, 300);
            for (_, report, _) in run(&mut net, (i + 1) * MS) {
                if let Report::Sent { tag, tx, .. } = report {
                    time[usize::from(tag == 300)] += tx.air;
                }
            }
        }
        time.map(|ns| ns as f64 / 10e9)
    };
    let [long, short] = shares("fifo");
    assert!(long > 2.0 * short, "{long} {short}");
    // All of the short ones, and the rest of the wire for the long ones.
    let [long, short] = shares("chap");
    assert!((short - 0.3).abs() < 0.01 && (long - 0.7).abs() < 0.01, "{long} {short}");
}

/// Drop-tail wires in a row are one event: times are those of each wire, and a full queue in the
/// middle is the one that drops.
#[test]
fn switches_in_a_row() {
    let nodes = vec![Node::Host, Node::Switch, Node::Switch, Node::Host];
    let wires = |slow: usize| {
        let rate = |i| if i == slow { NARROW } else { 10 * NARROW };
        let two = WireQueue::DropTail(2);
        [wire(0, 1, rate(0), MS, &FIFO), wire(1, 2, rate(1), 2 * MS, &two), wire(2, 3, rate(2), 3 * MS, &two)]
            .concat()
    };
    for slow in 0..3 {
        let mut net: Net = World::new(Topology::new(nodes.clone(), wires(slow), vec![]).unwrap(), 1);
        (0..5).for_each(|i| _ = send(&mut net, 0, 3, 1000, i));
        let all = run(&mut net, S);
        let first = 6 * MS + MS + 2 * MS / 10;
        // One on the wire and two wait: with packets each 0.1 ms, two of five find it full.
        let passed = if slow == 0 { 5 } else { 3 };
        let expected: Vec<_> = (0..passed).map(|i| (first + u64::from(i) * MS, 3, i)).collect();
        assert_eq!(arrivals(&all), expected, "slow wire {slow}");
        let dropped = all.iter().filter(|(_, r, _)| matches!(r, Report::Dropped { .. })).count() as u32;
        assert_eq!(dropped, 5 - passed);
        for (_, report, _) in all {
            if let Report::Dropped { at, .. } = report {
                assert_eq!(at, Place::Wire(2 * slow as u32));
            }
        }
    }
}

/// Behind a switch that two wires lead to, who comes first goes first, whoever was sent first.
#[test]
fn a_switch_serves_in_order_of_arrival() {
    let nodes = vec![Node::Host, Node::Host, Node::Switch, Node::Host];
    let wires =
        [wire(0, 2, GIGABIT, 20 * MS, &FIFO), wire(1, 2, GIGABIT, MS, &FIFO), wire(2, 3, NARROW, 0, &FIFO)];
    let mut net: Net = World::new(Topology::new(nodes, wires.concat(), vec![]).unwrap(), 1);
    send(&mut net, 0, 3, 1000, 0);
    send(&mut net, 1, 3, 1000, 1);
    let near = 8_000 + MS + MS;
    assert_eq!(arrivals(&run(&mut net, S)), [(near, 3, 1), (near + 19 * MS, 3, 0)]);
}

/// Timers and wires at one time: in the order of their making.
#[test]
fn ties_go_by_the_order_of_making() {
    let nodes = vec![Node::Host, Node::Host];
    let mut net: Net =
        World::new(Topology::new(nodes, wire(0, 1, NARROW, MS, &FIFO).to_vec(), vec![]).unwrap(), 1);
    net.timer(2 * MS, 7);
    send(&mut net, 0, 1, 1000, 0);
    net.timer(2 * MS, 8);
    net.timer(MS, 9);
    let order: Vec<_> = run(&mut net, S)
        .into_iter()
        .map(|(at, report, _)| match report {
            Report::Timer(key) => (at, key),
            Report::Arrived { .. } => (at, 0),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(order, [(MS, 9), (2 * MS, 7), (2 * MS, 0), (2 * MS, 8)]);
    assert_eq!((net.now(), net.next_event()), (S, u64::MAX));
    assert!(!net.advance(u64::MAX), "nothing is left, however long one waits");
    assert_eq!(net.now(), u64::MAX);
}

/// Two access points with a wire between them, and a server with a long way to one of them.
fn two_cells() -> Net {
    let cell = |access_point, node| ChannelSpec {
        access_point: NodeId(access_point),
        stations: vec![
            (NodeId(node), station("near", 54_000, 1.0)),
            (NodeId(node + 1), station("other", 54_000, 1.0)),
        ],
        medium: CellConfig::new(phy("phy-a")).into(),
        queue: queue("fifo", 100),
    };
    let wires = [wire(0, 1, GIGABIT, MS, &FIFO), wire(6, 1, GIGABIT, 20 * MS, &FIFO)];
    let topology = Topology::new(vec![Node::Host; 7], wires.concat(), vec![cell(0, 2), cell(1, 4)]);
    World::new(topology.unwrap(), 1)
}

/// A packet between stations of two cells crosses both, under the number of each.
#[test]
fn from_cell_to_cell() {
    let mut net = two_cells();
    for i in 0..50 {
        send(&mut net, 3, 4, 1000, i); // station 1 of the first to station 0 of the second
        send(&mut net, 2, 3, 1000, 100 + i); // inside the first
    }
    let all = run(&mut net, S);
    assert!(all.iter().all(|(_, r, _)| !matches!(r, Report::Crossed { station, .. } if *station > 1)));
    let crossed = |own| {
        all.iter().filter(|(_, r, _)| matches!(r, Report::Crossed { station, .. } if *station == own)).count()
    };
    assert_eq!((crossed(0), crossed(1)), (50, 50));
    let queued = |channel| {
        let here = Place::AccessPoint(channel);
        all.iter().filter(|(_, r, _)| matches!(r, Report::Queued { at, .. } if *at == here)).count()
    };
    assert_eq!((queued(0), queued(1)), (50, 50));
    let mut arrived: Vec<_> = arrivals(&all).into_iter().map(|(_, node, number)| (node, number)).collect();
    arrived.sort_unstable();
    let expected: Vec<_> = (0..50).map(|i| (3, 100 + i)).chain((0..50).map(|i| (4, i))).collect();
    assert_eq!(arrived, expected);
    assert_eq!(net.books().received, 100);
}

/// A station that passes a packet on into another cell: each discipline knows it by the number of the station that it
/// goes to next, also at its last access point.
#[test]
fn a_station_joins_two_cells() {
    let cell = |access_point, node| ChannelSpec {
        access_point: NodeId(access_point),
        stations: [0, 1].map(|i: u32| (NodeId(node + i), station("any", 54_000, 1.0))).to_vec(),
        medium: CellConfig::new(phy("phy-a")).into(),
        queue: queue("fifo", 100),
    };
    // Station 0 of the first has a wire to the second's access point.
    let wires = wire(1, 3, GIGABIT, MS, &FIFO).to_vec();
    let topology = Topology::new(vec![Node::Host; 6], wires, vec![cell(0, 1), cell(3, 4)]);
    let mut net: Net = World::new(topology.unwrap(), 1);
    send(&mut net, 0, 5, 1000, 0);
    let (mut stations, mut arrived) = (Vec::new(), Vec::new());
    while net.advance(S) {
        while let Some(report) = net.poll() {
            match report {
                Report::Queued { at: Place::AccessPoint(channel), packet } => {
                    stations.push((channel, net.pool().sta(packet)));
                }
                Report::Arrived { node, packet } => arrived.push((node.0, net.take(packet).body.0)),
                _ => {}
            }
        }
    }
    assert_eq!((stations, arrived), (vec![(0, 0), (1, 1)], vec![(5, 0)]));
}

/// Of several wires to one access point, what comes first is there first.
#[test]
fn wires_to_an_access_point_are_in_order() {
    let mut net = two_cells();
    send(&mut net, 6, 1, 1000, 0);
    send(&mut net, 0, 1, 1000, 1);
    assert_eq!(arrivals(&run(&mut net, S)), [(8_000 + MS, 1, 1), (8_000 + 20 * MS, 1, 0)]);
}

#[test]
fn topologies_are_checked() {
    let two = || vec![Node::Host, Node::Host];
    let pair = |from, to, rate| wire(from, to, rate, 0, &FIFO).to_vec();
    let cell = |access_point: u32, at: u32| ChannelSpec {
        access_point: NodeId(access_point),
        stations: vec![(NodeId(at), station("phone", 54_000, 1.0))],
        medium: CellConfig::new(phy("phy-a")).into(),
        queue: queue("fifo", 10),
    };
    let error = |nodes, wires, channels| Topology::new(nodes, wires, channels).unwrap_err();
    let mut one_way = pair(0, 1, 1);
    one_way.pop();
    for (message, said) in [
        (error(vec![], vec![], vec![]), "at least one host"),
        (error(two(), vec![], vec![]), "no way leads from node 0 to node 1"),
        (error(two(), one_way, vec![]), "no way leads from node 1 to node 0"),
        (error(two(), pair(0, 2, 1), vec![]), "wire 0: no node number 2"),
        (error(two(), pair(1, 1, 1), vec![]), "wire 0: leads to where it begins"),
        (error(two(), pair(0, 1, 0), vec![]), "wire 0: the rate must not be 0"),
        (error(two(), vec![], vec![cell(0, 2)]), "channel 0: no node number 2"),
        (error(two(), vec![], vec![cell(0, 1), cell(1, 0)]), "channel 1: node 1 has a radio already"),
        (error(vec![Node::Host, Node::Switch], vec![], vec![cell(0, 1)]), "channel 0: node 1 is a switch"),
    ] {
        assert!(message.contains(said), "{message}");
    }
}
