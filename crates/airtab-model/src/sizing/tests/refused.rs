// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What has no answer, and what is said then.

use super::super::aggregate::ATH9K;
use super::super::dnb::{Origin, Rule, floored};
use super::super::domain::{self, Link};
use super::super::exchange::{DNB_11B, WQM_11N};
use super::super::split::{Split, of_edge};
use super::super::wqm::law::{Law, Most, Params, Steady, Wqm};
use super::super::wqm::{self, radio};
use super::super::{adaptive, backlog, bdp, chain, fairness, minstrel, pacing};
use super::said;

#[test]
fn fixed_and_by_service_time() {
    assert_eq!(said(bdp::product(0.0, 1.0, 1500.0)), "rate 0: above 0, such as 300 Mb/s");
    assert_eq!(said(bdp::product(1.0, 0.0, 1500.0)), "round trip 0: above 0, such as 200000 us");
    assert_eq!(said(bdp::product(1.0, 1.0, 0.0)), "packet 0: above 0, such as 1500 bytes");
    assert_eq!(said(bdp::many_flows(1.0, 1.0, 1.0, 0.0)), "flows 0: 1 or more");
    assert_eq!(said(bdp::tiny(0.5, 0.9, 0.5)), "window 0.5: 1 packet or more");
    assert_eq!(said(bdp::tiny(64.0, 1.0, 0.5)), "utilisation 1: above 0 and below 1, such as 0.9");
    assert!(bdp::tiny(64.0, 0.9, 1.0).is_err() && bdp::product(f64::NAN, 1.0, 1.0).is_err());
    assert_eq!(said(adaptive::ebdp(0.0, 1.0, 5.0, 400.0)), "service time 0: above 0, such as 2000 us");
    assert_eq!(said(adaptive::alt(-1.0, 1.0, 1.0, 1.0, 1.0)), "queue -1: 0 packets or more");
    assert_eq!(said(adaptive::alt(1.0, 1.0, 1.0, -1.0, 1.0)), "gain -1: 0 or more packets for each second");
    assert!(adaptive::alt(1.0, -1.0, 1.0, 1.0, 1.0).is_err() && adaptive::a_star(f64::NAN, 1.0).is_err());
    assert!(minstrel::throughput_mbps(1500.0, 0.0, 0.9).is_err() && minstrel::delivered(2, 1).is_err());
    assert!(minstrel::delivered(0, 0).is_err() && fairness::jain(&[]).is_err());
    assert_eq!(said(fairness::jain(&[1.0, -1.0])), "load -1, number 2: 0 Mb/s or more");
    assert!(fairness::jain(&[0.0, 0.0]).is_err());
}

#[test]
fn paths() {
    let path = pacing::Path { hops: 0.0, rate_mbps: 11.0, data_bytes: 1500.0, ack_bytes: 40.0 };
    assert_eq!(said(path.hop_delay_us(1.0)), "hops 0: 1 to 256");
    let path = pacing::Path { hops: 4.0, ..path };
    assert_eq!(said(path.segments_per_s(22_000.0, -0.1)), "variation -0.1: 0 or more, such as 0.1");
    assert!(path.four_hops_us(0.0).is_err() && pacing::variation(&[]).is_err());
    assert_eq!(said(pacing::variation(&[1.0, 0.0])), "round trip 0, number 2: above 0, such as 200000 us");
    assert!(pacing::paced_per_s(0.0, 1.0).is_err());
}

#[test]
fn neighborhoods() {
    let rule = Rule::new(DNB_11B);
    assert_eq!(said(rule.neighborhood(&[])), "rate: none is given; give at least one");
    assert_eq!(said(rule.neighborhood(&[11.0, 0.0])), "rate 0, number 2: above 0, such as 300 Mb/s");
    assert_eq!(said(rule.neighborhood(&[1.0; 257])), "rate: 257 values, at most 256 are taken; give fewer");
    let relays = Rule { origin: Origin::FirstRelay, ..rule };
    assert_eq!(said(relays.neighborhood(&[11.0])), "nodes 0: 1 to 256");
    let far = Rule { extra_us: 1e12, ..rule };
    assert!(
        said(far.neighborhood(&[11.0]))
            .ends_with("packets: 1000000 at most; give lower rates, or less delay beside the domain")
    );
    assert!(Rule { packet_bytes: 0.0, ..rule }.neighborhood(&[11.0]).is_err());
    assert_eq!(
        said(Split::Ratio.of(3, 4)),
        "3 packets for 4 nodes: each has at least 1; give 4 to 1000000 packets"
    );
    for split in Split::ALL {
        assert_eq!(said(split.of(1, 0)), "nodes 0: 1 to 256");
        assert!(split.of(300, 257).is_err() && split.of(1_000_001, 4).is_err() && split.of(0, 1).is_err());
        assert_eq!(split.name().parse(), Ok(split));
    }
    assert_eq!(said("sqrt".parse::<Split>()), "split 'sqrt': ratio, greedy, exact or equal");
    assert!(of_edge(7, 4, 2).is_err() && of_edge(18, 0, 2).is_err() && of_edge(18, 200, 2).is_err());
    assert!(floored(&[1], 0).is_err());
}

#[test]
fn contention_and_domains() {
    assert_eq!(said(backlog::win(0, 0.5)), "nodes 0: 1 to 256");
    assert_eq!(said(backlog::win(4, 1.5)), "idle share 1.5: 0 (every node always has a packet) to 1");
    assert!(backlog::receive_empty(4, -0.1).is_err() && backlog::receive_backlogged(257, 0.0).is_err());
    assert!(backlog::states(0, 0.0, 1).is_err() && backlog::overflow(4, 0.0, 1.1).is_err());
    assert!(backlog::overflow_saturated(0, 1).is_err());
    let link = Link { load_mbps: 1.0, rate_mbps: 0.0 };
    assert_eq!(said(domain::utilisation(&[link])), "rate 0, number 1: above 0, such as 300 Mb/s");
    assert!(domain::alone_mbps(&[]).is_err() && domain::of_chain(0, 1).is_err());
    assert_eq!(said(domain::of_chain(4, 5)), "link 5: 1 to 4 in a chain of 4");
    assert!(domain::largest_of_chain(0).is_err());
    assert!(chain::serial_mbps(&DNB_11B, &[], 1460.0, 1.0).is_err());
    assert!(chain::serial_mbps(&DNB_11B, &[11.0], 1460.0, 0.0).is_err());
    assert!(chain::aggregated_mbps(&DNB_11B, &[11.0], 0.0, 1).is_err());
    assert!(chain::contended_mbps(&DNB_11B, 0.0, 1460.0, 1.0).is_err());
}

#[test]
fn limits() {
    assert_eq!(said(WQM_11N.data_us(0.0, 1)), "rate 0: above 0, such as 300 Mb/s");
    assert_eq!(said(WQM_11N.round_us(65.0, 0)), "frames 0: 1 to 1024 in an aggregate, 1 for none");
    assert!(WQM_11N.ack_us(65.0, 1025).is_err() && ATH9K.frames(0.0).is_err());
    assert!(ATH9K.frames_within(0.0, 2, |_| 0.0).is_err());
    assert_eq!(
        said(wqm::drain_us(1.0, 65.0, 0.0)),
        "free share 0: above 0 and at most 1, 1 for a channel of one's own"
    );
    assert!(wqm::drain_us(1.0, 65.0, 1.1).is_err() && wqm::drain_us(-1.0, 65.0, 1.0).is_err());
    assert!(wqm::packets_within(0.0, 65.0, 1.0, 1500.0).is_err());
    assert!(wqm::drain_aggregated_us(&WQM_11N, 1, 0.5, 65.0, 1.0).is_err());
    assert!(wqm::free_by_survey(0.0, 0.0, 0.0, 0.05).is_err() && wqm::free_by_active(0, 0.05).is_err());
    let slow = radio::Waiting { backlog_bits: 1.0, rate_mbps: 0.0 };
    assert!(radio::drain_us(&[slow], 1.0).is_err() && radio::equal_share(0).is_err());
    assert!(radio::drain_of_one_us(&radio::Waiting { rate_mbps: 1.0, ..slow }, 1.0, 0.0).is_err());
}

#[test]
fn laws() {
    let of = |params| said(Wqm::new(params, 65.0, 21));
    let faithful = Params::FAITHFUL;
    assert_eq!(of(Params { drain_us: 0.0, ..faithful }), "drain 0: above 0, such as 2500 us");
    assert_eq!(
        of(Params { least: Some(96), ..faithful }),
        "least 96 is above most 95; give a larger most, or a smaller least"
    );
    assert_eq!(of(Params { first: Some(20), ..faithful }), "first 20: 21 to 95, between least and most");
    assert_eq!(of(Params { first: Some(96), ..faithful }), "first 96: 21 to 95, between least and most");
    assert_eq!(of(Params { confirm: 0, ..faithful }), "confirm 0: 1 interval or more");
    assert!(of(Params { free_floor: 0.0, ..faithful }).starts_with("free share 0: above 0"));
    assert!(of(Params { most: Most::Within(0.0), ..faithful }).starts_with("round trip 0: above 0"));
    assert_eq!(said("amid".parse::<Law>()), "law 'amid': aimd, aiad, miad or mimd");
    assert!(Wqm::new(faithful, 0.0, 21).is_err() && Wqm::new(faithful, 65.0, 0).is_err());
    // What is refused changes nothing.
    let mut queue = Wqm::new(faithful, 65.0, 21).unwrap();
    let nowhere = Steady { rate_mbps: 0.0, frames: 21, free: 1.0, packets: None, mean_frames: None };
    assert!(queue.trace(&nowhere, 1).is_err());
    assert_eq!(queue.limit(), 25);
}
