// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A discipline that has packets and gives none until its time: every host of the simulator asks again
//! when it says (`wake`), no sooner and no later, whether or not anything else happens.

use crate::common;

use airtab_core::{Meta, Params, Pool, Qdisc};
use airtab_sim::server::{Arrivals, Flow, Server};
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::{Ping, Udp};
use airtab_sim::wifi::{CellConfig, Loss, Medium, MediumConfig, Output};
use airtab_sim::world::{Node, NodeId, Place, Report, Tag, Topology, WireQueue, WireSpec, World};
use airtab_sim::{AppKind, Scenario, Trace, run};
use common::{MS, S, cell, phy, queue, quick_home, station};

/// The shaper at `bandwidth`, b/s; nothing is dropped.
fn shaper(bandwidth: u64) -> Params {
    let mut cake = queue("cake", 10_000);
    cake.set("bandwidth", &format!("{bandwidth}b/s")).expect("in range");
    cake.set("target", "4s").expect("in range");
    cake.set("interval", "4s").expect("in range");
    cake
}

/// 20 Mb/s to or from one station at 54 Mb/s, for 2.9 s; nothing else.
fn flood(medium: MediumConfig, upload: bool) -> Scenario {
    let mut home = quick_home();
    home.medium = medium;
    home.stations.truncate(1);
    home.apps.truncate(1);
    let udp = Udp { rate: Rate::Mean(20_000_000), bytes: 1500, gaps: Gaps::Constant, upload };
    home.apps[0].kind = AppKind::Udp(udp);
    home.apps[0].active_ns = 100 * MS..3 * S;
    (home.duration_ns, home.measure_ns) = (3 * S, 100 * MS..3 * S);
    home
}

/// Packets of 1500 bytes that 5 Mb/s let go between 100 ms and 3 s: one each 2.4 ms.
fn one_each_2400_us(received: u64) {
    assert!((1206..=1209).contains(&received), "{received} packets, not 2.9 s / 2.4 ms");
}

/// The access point's discipline paces a cell and the emulated link, which would carry four times as much.
#[test]
fn an_access_point_waits_for_its_shaper() {
    for medium in [CellConfig::new(phy("phy-a")).into(), MediumConfig::emulator(phy("d7.1"), 0)] {
        let free = run(&flood(medium.clone(), false), &queue("cake", 10_000), 1);
        assert!(free.apps[0].down.received > 4000, "{}", free.apps[0].down.received);
        let paced: Trace = run(&flood(medium, false), &shaper(5_000_000), 1);
        one_each_2400_us(paced.apps[0].down.received);
    }
}

/// So does a station's own, also where the access point's wants to be asked at times of its own.
#[test]
fn a_station_waits_for_its_shaper() {
    let mut home = flood(CellConfig::new(phy("phy-a")).into(), true);
    cell(&mut home).uplink_packets = 1000;
    home.stations[0].uplink = Some(shaper(5_000_000));
    home.stations.push(station("other", 54_000, 1.0));
    let mut down = home.apps[0].clone();
    down.kind =
        AppKind::Udp(Udp { rate: Rate::Mean(8_000_000), bytes: 1500, gaps: Gaps::Constant, upload: false });
    (down.name, down.station) = ("down".into(), 1);
    home.apps.push(down);
    let trace = run(&home, &shaper(2_500_000), 1);
    one_each_2400_us(trace.apps[0].up.received);
    let down = trace.apps[1].down.received;
    assert!((603..=606).contains(&down), "{down} packets, not 2.9 s / 4.8 ms");
}

/// A light flow, alone, does not wait: its packets come when nothing is due.
#[test]
fn a_light_flow_does_not_wait() {
    let mut home = flood(CellConfig::new(phy("phy-a")).into(), false);
    home.apps[0].kind = AppKind::Ping(Ping { interval_ns: 20 * MS, bytes: 84 });
    let trace = run(&home, &shaper(5_000_000), 1);
    let waits = trace.apps[0].paths[0].total.queue_ns / trace.apps[0].paths[0].arrived;
    assert!(waits < MS / 10, "{waits} ns");
}

#[derive(Clone, Copy)]
struct Number(u32);

impl Tag for Number {
    fn tag(&self, _peer: u16) -> u32 {
        self.0
    }
}

/// A wire of 1 Gb/s whose discipline allows 8 Mb/s: one packet of 1000 bytes each millisecond, to the ns.
#[test]
fn a_wire_waits_for_its_shaper() {
    let queue = WireQueue::Discipline(shaper(8_000_000));
    let wire = |from, to| WireSpec {
        from: NodeId(from),
        to: NodeId(to),
        rate_bps: 1_000_000_000,
        overhead: 0,
        latency_ns: MS,
        queue: queue.clone(),
    };
    let nodes = vec![Node::Host, Node::Host];
    let mut net: World<Number, u32> =
        World::new(Topology::new(nodes, vec![wire(0, 1), wire(1, 0)], vec![]).unwrap(), 1);
    for i in 0..30 {
        let meta = Meta { bytes: 1000, flow: i % 3, ..Meta::default() };
        net.send(0, NodeId(0), NodeId(1), meta, Number(i));
    }
    let (mut sent, mut arrived) = (Vec::new(), Vec::new());
    while net.advance(S) {
        while let Some(report) = net.poll() {
            match report {
                Report::Sent { at, .. } => {
                    assert_eq!(at, Place::Wire(0));
                    sent.push(net.now());
                }
                Report::Arrived { packet, .. } => {
                    net.take(packet);
                    arrived.push(net.now());
                }
                _ => {}
            }
        }
    }
    assert_eq!(sent, (0..30).map(|i| i * MS + 8_000).collect::<Vec<_>>());
    assert_eq!(arrived, (0..30).map(|i| (i + 1) * MS + 8_000).collect::<Vec<_>>());
}

/// Another discipline takes over while the first one waits: nothing waits any longer.
#[test]
fn a_swap_forgets_when_to_ask() {
    let mut pool: Pool<u32> = Pool::new();
    let qdisc = Qdisc::new(&pool, &shaper(12_000), 1, 0);
    let config = MediumConfig::emulator(phy("d7.1"), 0);
    let mut medium = Medium::new(config, &[("a", 54_000, Loss::None)], qdisc, 1);
    for number in 0..4 {
        let packet = pool.insert(Meta { bytes: 1500, flow: 1, ..Meta::default() }, number);
        medium.send_down(&mut pool, packet, 0);
    }
    let mut came = Vec::new();
    let mut look = |medium: &mut Medium, pool: &mut Pool<u32>, until: u64| {
        while medium.next_event() <= until {
            let now = medium.next_event();
            medium.advance(pool, now);
            let outputs: Vec<_> = std::iter::from_fn(|| medium.poll()).collect();
            came.extend(outputs.iter().filter(|o| matches!(o, Output::Down(_))).map(|_| now));
        }
    };
    // One packet a second.
    look(&mut medium, &mut pool, 1900 * MS);
    medium.swap_queue(&mut pool, &queue("fifo", 10), 1, 1900 * MS);
    look(&mut medium, &mut pool, 3 * S);
    let at = came.iter().map(|ns| ns / MS).collect::<Vec<_>>();
    assert_eq!(at, [0, 1000, 1900, 1900], "{came:?}");
}

/// One queue before a server: services of 1 ms begin 2.4 ms apart.
#[test]
fn a_server_waits_for_its_shaper() {
    let flow = Flow::new(MS, Arrivals::Saturated { backlog: 4 });
    let server = Server { flows: vec![flow], duration_ns: 2400 * MS, warm_up_ns: 0, record: Vec::new() };
    let served = |params: &Params| server.run(params, 1)[0].served;
    assert_eq!(served(&queue("cake", 100)), 2401);
    assert_eq!(served(&shaper(5_000_000)), 1001);
}
