// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Domains, buffers and shares of the source's meshes and examples.

use airtab_core::RateSpec;

use super::*;
use crate::shapes::Shape;
use crate::wifi::{Aggregation, CellConfig};

/// A mesh by name with the nodes' names.
fn mesh(name: &str, phy: &str, rate: Rate) -> (MeshConfig, Vec<String>) {
    let Shape { names, places, ranges } = Shape::named(name).expect("it has a name");
    let cell = CellConfig::new(Phy::named(phy).expect("a profile of the core"));
    (MeshConfig::new(cell, &places, &ranges, None, rate), names)
}

fn b(name: &str) -> (MeshConfig, Vec<String>) {
    mesh(name, "dnb-11b", Rate::legacy(11_000))
}

fn rates(mesh: &MeshConfig) -> Vec<Rate> {
    mesh.links.iter().map(|link| link.speed.rate).collect()
}

fn plan(mesh: &MeshConfig, config: &DnbConfig, ways: &[Vec<u16>], busy: Option<&[f64]>) -> DnbPlan {
    DnbPlan::new(mesh, config, ways, &rates(mesh), busy)
}

fn usual(mesh: &MeshConfig) -> DnbConfig {
    DnbConfig::new(&mesh.cell.phy)
}

/// What each node of the first flow's way holds, from its source on.
fn shares(plan: &DnbPlan) -> Vec<u32> {
    plan.flows[0].limits.iter().map(|own| own.1).collect()
}

/// B and b_i of chains at 11 Mb/s (4.4.1, 4.4.2): 8 packets as 2, 3, 3 and 10 as 2, 2, 3, 3. Of six hops at most five are
/// one domain: the third link's, links 1 to 5.
#[test]
fn chains() {
    for (hops, packets, expected) in [
        (1, 3, &[3][..]),
        (2, 5, &[2, 3]),
        (3, 8, &[2, 3, 3]),
        (4, 10, &[2, 2, 3, 3]),
        (5, 13, &[2, 2, 3, 3, 3]),
    ] {
        let (mesh, _) = b(&if hops == 1 { "one-hop".into() } else { format!("chain-{hops}") });
        let plan = plan(&mesh, &usual(&mesh), &[(0..=hops).collect()], None);
        assert_eq!((plan.flows[0].packets, shares(&plan).as_slice()), (packets, expected), "{hops} hops");
    }
    let (mesh, _) = b("chain-6");
    let plan = plan(&mesh, &usual(&mesh), &[(0..=6).collect()], None);
    let third = &plan.domains[2];
    assert_eq!((third.link, third.links.as_slice()), (2, &[0, 1, 2, 3, 4][..]), "links 1 to 5");
    assert_eq!((third.senders.as_slice(), third.packets), (&[0, 1, 2, 3, 4][..], 13));
    let lengths: Vec<usize> = plan.domains.iter().map(|domain| domain.links.len()).collect();
    assert_eq!(lengths, [3, 4, 5, 5, 4, 3]);
    // Both of the largest are as full: the first one.
    assert_eq!((plan.flows[0].bottleneck, shares(&plan).as_slice()), (2, &[2, 2, 3, 3, 3][..]));
}

/// Four flows to the gateway: what all links beside it contend with are the nodes one and two hops away, eight of them,
/// and each one's own edge has a third.
#[test]
fn a_cross() {
    let (mesh, names) = b("cross");
    let way = |edge: u16| -> Vec<u16> { (1..=5).rev().map(|i| edge * 5 + i).chain([0]).collect() };
    let ways: Vec<Vec<u16>> = (0..4).map(way).collect();
    let plan = plan(&mesh, &usual(&mesh), &ways, None);
    let beside: Vec<&Domain> = plan.domains.iter().filter(|d| mesh.links[d.link].ends.0 == 0).collect();
    assert_eq!(beside.len(), 4);
    let all = |node: &usize| beside.iter().all(|domain| domain.senders.contains(node));
    let shared: Vec<&str> = (0..names.len()).filter(all).map(|node| names[node].as_str()).collect();
    assert_eq!(shared, ["n1", "n2", "e1", "e2", "s1", "s2", "w1", "w2"]);
    // Each flow as if it were alone on its three links of the domain.
    for (flow, way) in plan.flows.iter().zip(&ways) {
        assert_eq!(flow.packets, 8);
        assert_eq!(flow.limits, [(way[2], 2), (way[3], 3), (way[4], 3)]);
    }
}

/// Splits of B = 10 and 12 over four nodes and of 18 over the edges' two, and B as it is given (2.6 of the vectors).
#[test]
fn splits() {
    let (mesh, _) = b("chain-4");
    let ways = [(0..=4).collect()];
    let of = |split, buffer| shares(&plan(&mesh, &DnbConfig { split, buffer, ..usual(&mesh) }, &ways, None));
    assert_eq!(of(Split::Ratio, None), [2, 2, 3, 3]);
    assert_eq!(of(Split::Greedy, None), [1, 2, 3, 4]);
    assert_eq!(of(Split::Ratio, Some(12)), [2, 3, 3, 4]);
    assert_eq!(of(Split::Equal, Some(12)), [3, 3, 3, 3]);
    assert_eq!(of(Split::Ratio, Some(85)), [14, 19, 24, 28]);
    assert_eq!(of(Split::Ratio, Some(1)), [1, 1, 1, 1], "no queue without a packet");
    let relay = Rule { origin: Origin::FirstRelay, ..usual(&mesh).rule };
    let relays = plan(&mesh, &DnbConfig { rule: relay, ..usual(&mesh) }, &ways, None);
    assert_eq!(relays.flows[0].limits, [(1, 3), (2, 3), (3, 4)]);
    let (alone, _) = b("one-hop");
    let config = DnbConfig { rule: relay, ..usual(&alone) };
    assert_eq!(plan(&alone, &config, &[vec![0, 1]], None).flows[0].limits, []);
}

/// The example of mixed rates: 17282.9 us at 2 Mb/s are 2.96 packets of 1460 bytes, and four nodes have one each. A
/// larger packet of the rule is a smaller B.
#[test]
fn rates_decide() {
    let (mesh, _) = b("chain-4");
    let mixed = [11_000, 5_500, 2_000, 11_000].map(Rate::legacy);
    let config = usual(&mesh);
    let plan = DnbPlan::new(&mesh, &config, &[(0..=4).collect()], &mixed, None);
    assert_eq!((plan.flows[0].packets, shares(&plan)), (4, vec![1, 1, 1, 1]));
    let extra = DnbConfig { rule: Rule { extra_us: 10_000.0, ..config.rule }, ..config };
    let plan = DnbPlan::new(&mesh, &extra, &[(0..=4).collect()], &[Rate::legacy(11_000); 4], None);
    assert_eq!(plan.flows[0].packets, 20, "10.1 and 9.4 packets");
    // 65 Mb/s without aggregates: 14 packets.
    let (mesh, _) = self::mesh("chain-4", "wqm-11n", Rate::legacy(65_000));
    let plan = self::plan(&mesh, &usual(&mesh), &[(0..=4).collect()], None);
    assert_eq!((plan.flows[0].packets, shares(&plan)), (14, vec![2, 3, 4, 5]));
}

/// Measured: at 0.9 and above the domain that gives least, else the one that is used most.
#[test]
fn the_busy_one_is_the_bottleneck() {
    let (mesh, _) = b("chain-6");
    let ways = [(0..=6).collect()];
    let config = usual(&mesh);
    let of = |busy: [f64; 7]| plan(&mesh, &config, &ways, Some(&busy)).flows[0].bottleneck;
    // Of the links' domains the busier end counts.
    assert_eq!(of([0.5, 0.4, 0.3, 0.3, 0.3, 0.3, 0.3]), 0);
    assert_eq!(of([0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.5]), 5);
    assert_eq!(
        of([0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.99]),
        2,
        "all are bottlenecks: the third has five links"
    );
    assert_eq!(of([0.9, 0.89, 0.89, 0.89, 0.89, 0.89, 0.89]), 0);
    let low = DnbConfig { threshold: 0.2, ..config };
    assert_eq!(plan(&mesh, &low, &ways, Some(&[0.3; 7])).flows[0].bottleneck, 2);
}

/// A chain of six where all hear each other over four hops: measured maps hold all of it in one domain but for links too
/// far apart.
#[test]
fn measured_interference_reaches_farther() {
    let (mesh, _) = b("chain-6");
    let config = DnbConfig { interference: Interference::Measured, ..usual(&mesh) };
    let plan = plan(&mesh, &config, &[(0..=6).collect()], None);
    let lengths: Vec<usize> = plan.domains.iter().map(|domain| domain.links.len()).collect();
    assert_eq!(lengths, [6, 6, 6, 6, 6, 6]);
    assert_eq!(shares(&plan), [1, 2, 3, 3, 3, 3], "15 packets");
}

/// Two flows that share relays: each has what it had alone.
#[test]
fn flows_are_sized_alone() {
    let (mesh, _) = b("parking-lot");
    let ways: Vec<Vec<u16>> = [4u16, 5, 6].map(|from| (0..=from).rev().collect()).to_vec();
    let plan = plan(&mesh, &usual(&mesh), &ways, None);
    // The fullest domain is that of the second and the third link, with links 1 to 4 and 1 to 5.
    assert_eq!(plan.flows[0].packets, 10);
    assert_eq!(plan.flows[0].limits, [(4, 2), (3, 2), (2, 3), (1, 3)]);
    assert_eq!(plan.flows[1].limits, [(5, 2), (4, 2), (3, 3), (2, 3), (1, 3)]);
    assert_eq!(plan.flows[2].limits, plan.flows[1].limits, "its first hop is outside");
}

/// "DNB+floor": as many packets as an aggregate has at its node's rate, where that node sends any.
#[test]
fn no_queue_below_an_aggregate() {
    let phy = Phy::named("std-11n").expect("a profile of the core");
    let rate = phy.rate(&RateSpec { mcs: 7, ..RateSpec::default() }).expect("65 Mb/s");
    let (mut mesh, _) = mesh("chain-3", "std-11n", rate);
    let window = phy.window();
    mesh.cell.aggregation = Some(Aggregation {
        frames: window,
        bytes: phy.ampdu_bytes(),
        time_ns: 4_000_000,
        window,
        amsdu_bytes: 0,
        bar: false,
    });
    mesh.nodes[1].aggregates = false;
    let ways = [(0..=3).collect()];
    let config = usual(&mesh);
    let plain = shares(&plan(&mesh, &config, &ways, None));
    let frames = mesh.aggregate_frames(0, rate);
    assert_eq!(frames, 20, "4 ms of 65 Mb/s");
    let floor = shares(&plan(&mesh, &DnbConfig { floor_to_ampdu: true, ..config }, &ways, None));
    assert_eq!(floor, [20, plain[1], 20]);
}
