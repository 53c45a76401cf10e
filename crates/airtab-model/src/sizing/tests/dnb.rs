// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Exchange times, B, contention and overflow, domains (Showail 2016, 4.2, 4.3).

use super::super::backlog::{overflow, overflow_saturated, receive_backlogged, receive_empty, states, win};
use super::super::chain::{aggregated_mbps, contended_mbps, serial_mbps, strict_mbps};
use super::super::dnb::{Origin, Rounding, Rule};
use super::super::domain::{self, Crossed, Link};
use super::super::exchange::{Constants, DNB_11B, WQM_11N};
use super::{all, digits, exchange};

#[test]
fn exchanges_of_802_11b() {
    assert_eq!(DNB_11B.backoff_us(), 300.0);
    for (rate, printed) in [
        (1.0, ["13144.0", "1464.0", "14608.0"]),
        (2.0, ["6944.0", "1104.0", "8048.0"]),
        (5.5, ["2998.5", "874.9", "3873.5"]),
        (11.0, ["1871.3", "809.5", "2680.7"]),
    ] {
        assert_eq!(exchange(&DNB_11B, rate, 1), printed, "{rate}");
    }
}

/// Readings of the frames that nobody printed.
#[test]
fn exchanges_of_other_frames() {
    let sum = |constants: Constants| exchange(&constants, 11.0, 1)[2].clone();
    assert_eq!(sum(Constants { answer_mbps: Some(1.0), ..DNB_11B }), "2884.4");
    assert_eq!(sum(Constants { answer_mbps: Some(2.0), ..DNB_11B }), "2772.4");
    assert_eq!(sum(Constants { preamble_us: 96.0, ..DNB_11B }), "2296.7");
    // RTS, CTS and two SIFS for each of the two: 2 (384 + 20 + (160 + 112) / 11).
    assert_eq!(sum(Constants { rts_cts: true, ..DNB_11B }), digits(2_680.727_272 + 857.454_545, 1));
}

fn rule(exchange: Constants, packet_bytes: f64) -> Rule {
    Rule { packet_bytes, ..Rule::new(exchange) }
}

/// RTT lambda with packets of 1500 bytes, as the source's worked cases have it.
#[test]
fn products_of_worked_cases() {
    let product = |rate: f64, nodes: usize, constants: Constants| {
        let domain = rule(constants, 1500.0).neighborhood(&vec![rate; nodes]).unwrap();
        digits(domain.product, 2)
    };
    let of_11: Vec<String> = [1, 2, 3, 4, 5, 6, 7, 8].map(|m| product(11.0, m, DNB_11B)).into();
    assert_eq!(of_11, ["2.46", "4.91", "7.37", "9.83", "12.29", "14.74", "17.20", "19.66"]);
    let of_n: Vec<String> = [54.0, 65.0, 600.0].map(|rate| product(rate, 4, WQM_11N)).into();
    assert_eq!(of_n, ["12.09", "13.70", "91.81"]);
    let of_n: Vec<String> = [54.0, 65.0, 600.0].map(|rate| exchange(&WQM_11N, rate, 1)[2].clone()).into();
    assert_eq!(of_n, ["671.6", "632.1", "459.0"]);
    // The MAC's ACK of 14 bytes at 6 Mb/s: 83.3, where 83.4 is printed.
    let short = Constants { answer_bytes: 14.0, ..WQM_11N };
    assert_eq!(
        (exchange(&short, 600.0, 1)[2].as_str(), product(600.0, 4, short).as_str()),
        ("416.4", "83.27")
    );
}

/// B with L = 1460 bytes and the nearest packet.
#[test]
fn buffers() {
    let domain = |rates: &[f64], constants| Rule::new(constants).neighborhood(rates).unwrap();
    for (rate, nodes, constants, product, packets) in [
        (11.0, 3, DNB_11B, "7.57", 8),
        (11.0, 4, DNB_11B, "10.10", 10),
        (11.0, 7, DNB_11B, "17.67", 18),
        (54.0, 4, WQM_11N, "12.42", 12),
        (65.0, 4, WQM_11N, "14.07", 14),
        (600.0, 4, WQM_11N, "94.32", 94),
    ] {
        let domain = domain(&vec![rate; nodes], constants);
        assert_eq!(
            (digits(domain.product, 2).as_str(), domain.packets),
            (product, packets),
            "{rate} {nodes}"
        );
        assert_eq!(domain.nodes, nodes);
    }
    let mixed = domain(&[11.0, 5.5, 2.0, 11.0], DNB_11B);
    assert_eq!(
        (digits(mixed.round_trip_us, 1).as_str(), mixed.packets),
        ("17282.9", 4),
        "3, and one for each"
    );
    let of_1500 = rule(DNB_11B, 1500.0).neighborhood(&[11.0, 5.5, 2.0, 11.0]).unwrap();
    assert_eq!(
        (digits(of_1500.packets_per_s, 2).as_str(), digits(of_1500.product, 2).as_str(), of_1500.packets),
        ("166.67", "2.88", 4)
    );
}

#[test]
fn buffers_by_other_rules() {
    let rates = [11.0; 4];
    let up = Rule { rounding: Rounding::Up, ..Rule::new(DNB_11B) };
    assert_eq!(up.neighborhood(&rates).unwrap().packets, 11);
    let line = Rule { extra_us: 20_000.0, ..Rule::new(DNB_11B) };
    let domain = line.neighborhood(&rates).unwrap();
    assert_eq!((digits(domain.round_trip_us, 1).as_str(), domain.packets), ("30722.9", 29));
    let relays = Rule { origin: Origin::FirstRelay, ..Rule::new(DNB_11B) }.neighborhood(&rates).unwrap();
    assert_eq!((relays.nodes, relays.packets), (3, 10), "the same air, a node fewer");
}

#[test]
fn contention() {
    let six = |nodes, idle| {
        let all = [win(nodes, idle), receive_empty(nodes, idle), receive_backlogged(nodes, idle)];
        all.map(|p| digits(p.unwrap(), 6))
    };
    for (nodes, idle, printed) in [
        (2, 0.25, ["0.625000", "0.750000", "0.375000"]),
        (3, 0.10, ["0.370000", "0.495000", "0.315000"]),
        (4, 0.0, ["0.250000", "0.333333", "0.250000"]),
        (4, 0.10, ["0.277750", "0.333000", "0.240750"]),
        (4, 0.50, ["0.468750", "0.291667", "0.177083"]),
        (6, 0.25, ["0.222168", "0.199805", "0.155566"]),
    ] {
        assert_eq!(six(nodes, idle), printed, "{nodes} {idle}");
    }
    assert_eq!(six(1, 0.3), ["1.000000", "0.000000", "0.000000"], "nobody else is there");
    assert_eq!(six(5, 1.0), ["1.000000", "0.000000", "0.000000"], "nobody else has anything");
}

/// The sums against their closed forms.
#[test]
fn contention_in_closed_form() {
    for nodes in 2..=60 {
        for x in [0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99] {
            let m = nodes as f64;
            let (all, others) = (1.0 - libm::pow(x, m), (1.0 - libm::pow(x, m - 1.0)) / (m - 1.0));
            let closed = [all / (m * (1.0 - x)), others, (all / m - x * others) / (1.0 - x)];
            let sums = [win(nodes, x), receive_empty(nodes, x), receive_backlogged(nodes, x)];
            for (sum, closed) in sums.into_iter().zip(closed) {
                assert!((sum.unwrap() - closed).abs() < 1e-12, "{nodes} {x}");
            }
        }
    }
}

/// The states of a queue, which are no distribution.
#[test]
fn the_chain_as_printed() {
    for (nodes, idle, limit) in [(4, 0.4, 3), (2, 0.1, 1), (5, 0.7, 8), (8, 0.05, 0)] {
        let sum: f64 = states(nodes, idle, limit).unwrap().iter().sum();
        let ratio = receive_backlogged(nodes, idle).unwrap() / win(nodes, idle).unwrap();
        let closed = 1.0 - (1.0 - idle) * libm::pow(ratio, limit.into());
        assert!((sum - closed).abs() < 1e-12, "{nodes} {idle} {limit}: {sum}, {closed}");
        assert!(sum < 1.0);
    }
}

#[test]
fn overflows() {
    assert_eq!(overflow_saturated(4, 3).unwrap(), 0.0625);
    // All lengths as likely, everybody busy: 4.10 is 4.13.
    assert!((overflow(4, 0.0, 0.25).unwrap() - 0.0625).abs() < 1e-15);
    assert_eq!(digits(overflow(4, 0.5, 0.25).unwrap(), 6), digits(0.25 * 0.177_083_333, 6));
}

#[test]
fn utilisations() {
    let link = |load_mbps, rate_mbps| Link { load_mbps, rate_mbps };
    assert_eq!(domain::utilisation(&[link(2.75, 11.0); 4]).unwrap(), 1.0);
    assert_eq!(domain::utilisation(&[]).unwrap(), 0.0);
    assert_eq!(domain::alone_mbps(&[11.0; 4]).unwrap(), 2.75);
    assert_eq!(domain::utilisation(&[link(1.0, 2.0), link(1.0, 4.0)]).unwrap(), 0.75);
}

#[test]
fn bottlenecks() {
    let crossed = |utilisation, flow_mbps, nodes| Crossed { utilisation, flow_mbps, nodes };
    let of = |all: &[Crossed]| domain::bottleneck(all, domain::THRESHOLD);
    assert_eq!(of(&[crossed(0.95, 2.0, 4), crossed(0.91, 1.0, 3), crossed(0.99, 3.0, 5)]), Some(1));
    assert_eq!(
        of(&[crossed(0.90, 1.0, 3), crossed(0.95, 1.0, 5), crossed(0.95, 1.0, 5)]),
        Some(1),
        "the larger"
    );
    assert_eq!(
        of(&[crossed(0.5, 1.0, 3), crossed(0.7, 2.0, 3), crossed(0.89, 3.0, 2)]),
        Some(2),
        "none is full"
    );
    assert_eq!(of(&[]), None);
}

#[test]
fn domains_of_chains() {
    assert_eq!(domain::of_chain(6, 3).unwrap(), 1..=5);
    assert_eq!(domain::of_chain(6, 1).unwrap(), 1..=3);
    assert_eq!(domain::of_chain(6, 6).unwrap(), 4..=6);
    assert_eq!([1, 4, 5, 6, 20].map(|hops| domain::largest_of_chain(hops).unwrap()), [1, 4, 5, 5, 5]);
    // The same by who decodes whom: nodes 0 to 9, each its neighbours.
    for hops in 1..10 {
        let links: Vec<(usize, usize)> = (0..hops).map(|i| (i, i + 1)).collect();
        for link in 0..hops {
            let found = domain::two_hop(&links, link, |a, b| a.abs_diff(b) <= 1);
            let want: Vec<usize> = domain::of_chain(hops, link + 1).unwrap().map(|l| l - 1).collect();
            assert_eq!(found, want, "{hops} {link}");
        }
    }
}

/// A cross of four edges of five hops to a gateway: eight relays send in the domain around it.
#[test]
fn domain_of_a_cross() {
    // Node 0 is the gateway, 5 e + 1 to 5 e + 5 those of edge e, from the gateway on.
    let node = |edge: usize, away: usize| if away == 0 { 0 } else { 5 * edge + away };
    let links: Vec<(usize, usize)> =
        (0..4).flat_map(|e| (0..5).map(move |d| (node(e, d + 1), node(e, d)))).collect();
    let in_range = |a: usize, b: usize| links.contains(&(a, b)) || links.contains(&(b, a));
    let inner = domain::two_hop(&links, 0, in_range);
    // Its own edge out to the third link, and of the other edges the links of the 1- and 2-hop nodes.
    assert_eq!(inner, [0, 1, 2, 5, 6, 10, 11, 15, 16]);
    let around = inner.iter().map(|l| links[*l].0).filter(|n| (n - 1) % 5 < 2).count();
    assert_eq!(around, 8);
}

/// One flow through hops that share a channel: 802.11b, 1460 bytes, an ACK for each segment.
#[test]
fn chains_of_802_11b() {
    let (mut serial, mut strict) = (Vec::new(), Vec::new());
    for hops in 1..=4 {
        let rates = vec![11.0; hops];
        serial.push(serial_mbps(&DNB_11B, &rates, 1460.0, 1.0).unwrap() * 1e3);
        strict.push(strict_mbps(&DNB_11B, &rates, 1460.0, 1.0).unwrap() * 1e3);
    }
    assert_eq!(all(&serial, 0), ["4357", "2179", "1452", "1089"]);
    assert_eq!(all(&strict, 0), ["5613", "2807", "1871", "1403"]);
    assert_eq!(digits(DNB_11B.contended_backoff_us(), 1), "203.4");
}

/// The same of 802.11n by table 5.1, four hops of 65 Mb/s, 1448 bytes. 6.7649 is the last of them.
#[test]
fn chains_of_802_11n() {
    let rates = [65.0; 4];
    assert_eq!(
        all(&[WQM_11N.segment_us(65.0, 1.0).unwrap(), WQM_11N.segment_us(65.0, 0.5).unwrap()], 1),
        ["636.9", "522.6"]
    );
    let of = |acks| {
        let both = [serial_mbps(&WQM_11N, &rates, 1448.0, acks), strict_mbps(&WQM_11N, &rates, 1448.0, acks)];
        both.map(|mbps| digits(mbps.unwrap(), 2))
    };
    assert_eq!((of(1.0), of(0.5)), (["4.55", "5.67"].map(String::from), ["5.54", "6.76"].map(String::from)));
    assert_eq!(digits(aggregated_mbps(&WQM_11N, &rates, 1448.0, 21).unwrap(), 1), "13.5");
}

/// One hop whose two ends are both busy, an ACK for each segment, nothing aggregated.
#[test]
fn one_hop_without_aggregates() {
    let mbps = [6.5, 144.4, 300.0].map(|rate| contended_mbps(&WQM_11N, rate, 1448.0, 1.0).unwrap());
    assert_eq!(digits(mbps[0], 3), "4.851");
    assert_eq!(all(&mbps[1..], 2), ["23.70", "26.19"]);
    assert_eq!(digits(WQM_11N.contended_backoff_us(), 1), "43.6");
}
