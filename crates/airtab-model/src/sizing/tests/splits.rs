// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How nodes share a buffer (Showail 2016, 4.3.2).

use super::super::split::{Split, cost, exact, of_edge, ratio};
use super::{all, digits};

fn of(split: Split, packets: u32, nodes: usize) -> Vec<u32> {
    split.of(packets, nodes).unwrap()
}

fn costs(limits: &[u32]) -> String {
    digits(cost(&limits.iter().map(|limit| f64::from(*limit)).collect::<Vec<_>>()), 4)
}

#[test]
fn by_ratio() {
    for (packets, real, limits) in [
        (8, &["1.929", "2.729", "3.342"][..], &[2, 3, 3][..]),
        (10, &["1.627", "2.301", "2.818", "3.254"], &[2, 2, 3, 3]),
        (12, &["1.952", "2.761", "3.382", "3.905"], &[2, 3, 3, 4]),
        (14, &["2.278", "3.221", "3.945", "4.556"], &[2, 3, 4, 5]),
        (15, &["2.441", "3.451", "4.227", "4.881"], &[2, 4, 4, 5]),
        (13, &["1.551", "2.193", "2.686", "3.102", "3.468"], &[2, 2, 3, 3, 3]),
        (10, &["1.193", "1.687", "2.066", "2.386", "2.668"], &[1, 2, 2, 2, 3]),
        (
            18,
            &["1.104", "1.561", "1.912", "2.208", "2.468", "2.704", "2.921", "3.122"],
            &[1, 2, 2, 2, 2, 3, 3, 3],
        ),
        (85, &["13.830", "19.558", "23.953", "27.659"], &[14, 19, 24, 28]),
    ] {
        assert_eq!(all(&ratio(packets.into(), real.len()), 3), real, "{packets}");
        assert_eq!(of(Split::Ratio, packets, limits.len()), limits, "{packets}");
    }
    // To the nearest they would be 14 and 86.
    let nearest = |packets: f64, nodes| ratio(packets, nodes).iter().map(|b| b.round()).sum::<f64>();
    assert_eq!((nearest(15.0, 4), nearest(85.0, 4)), (14.0, 86.0));
}

#[test]
fn by_least_cost() {
    for (packets, limits) in [
        (8, &[2, 3, 3][..]),
        (10, &[1, 2, 3, 4]),
        (12, &[2, 3, 3, 4]),
        (14, &[2, 3, 4, 5]),
        (15, &[2, 3, 5, 5]),
        (85, &[13, 20, 24, 28]),
        (13, &[1, 2, 3, 3, 4]),
        (18, &[1, 1, 2, 2, 3, 3, 3, 3]),
    ] {
        assert_eq!(of(Split::Greedy, packets, limits.len()), limits, "{packets}");
    }
}

/// Ten packets of five nodes: nodes 2 and 4 would both save a third with the last one, and the later has it. The table has
/// 1, 2, 2, 2, 3, which costs the same: in binary fractions, one third is not the other.
#[test]
fn of_equal_savings_the_later_node() {
    let greedy = of(Split::Greedy, 10, 5);
    assert_eq!(greedy, [1, 1, 2, 3, 3]);
    assert_eq!([costs(&greedy), costs(&[1, 2, 2, 2, 3])], ["4.7500", "4.7500"]);
    let saved = |i: f64, b: f64| i * (1.0 / (b + 1.0) - 1.0 / (b + 2.0));
    assert!(saved(2.0, 1.0) > saved(4.0, 2.0), "though both are 1/3");
}

#[test]
fn by_the_relaxed_solution() {
    for (packets, real) in [
        (8.0, &["1.653", "2.752", "3.595"][..]),
        (10.0, &["1.278", "2.221", "2.945", "3.556"]),
        (12.0, &["1.603", "2.681", "3.509", "4.206"]),
        (14.0, &["1.929", "3.142", "4.072", "4.857"]),
        (15.0, &["2.091", "3.372", "4.354", "5.183"]),
        (10.0, &["0.789", "1.531", "2.099", "2.579", "3.001"]),
        (85.0, &["13.480", "19.478", "24.081", "27.961"]),
    ] {
        assert_eq!(all(&exact(packets, real.len()), 3), real, "{packets}");
    }
    assert_eq!(of(Split::Exact, 10, 4), [1, 2, 3, 4]);
    assert_eq!(of(Split::Exact, 85, 4), [14, 19, 24, 28]);
    // Printed with 5 for M, it is right for five nodes, and sums to B + 5 - M.
    let printed =
        |packets: f64, nodes: usize| -> f64 { ratio(packets + 5.0, nodes).iter().map(|b| b - 1.0).sum() };
    assert!((printed(10.0, 5) - 10.0).abs() < 1e-12 && (printed(10.0, 4) - 11.0).abs() < 1e-12);
}

/// Sums of i / (b_i + 1): by ratio, at least, for all the same.
#[test]
fn costs_of_splits() {
    for (packets, nodes, printed) in [
        (8, 3, ["1.5833", "1.5833", "1.6364"]),
        (10, 4, ["2.7500", "2.7167", "2.8571"]),
        (12, 4, ["2.3833", "2.3833", "2.5000"]),
        (14, 4, ["2.1000", "2.1000", "2.2222"]),
        (15, 4, ["2.0000", "2.0000", "2.1053"]),
        (10, 5, ["4.7500", "4.7500", "5.0000"]),
        (18, 8, ["10.4167", "10.3333", "11.0769"]),
        (85, 4, ["0.4246", "0.4246", "0.4494"]),
    ] {
        let even = cost(&vec![f64::from(packets) / nodes as f64; nodes]);
        let found = [
            costs(&of(Split::Ratio, packets, nodes)),
            costs(&of(Split::Greedy, packets, nodes)),
            digits(even, 4),
        ];
        assert_eq!(found, printed, "{packets} {nodes}");
    }
}

#[test]
fn all_the_same() {
    assert_eq!(of(Split::Equal, 12, 4), [3, 3, 3, 3]);
    assert_eq!(of(Split::Equal, 10, 4), [2, 2, 3, 3]);
    assert_eq!(of(Split::Equal, 4, 4), [1, 1, 1, 1]);
}

/// Four edges of two relays share 18: 1.864 and 2.636 each, 20 in all.
#[test]
fn of_a_cross() {
    assert_eq!(all(&ratio(4.5, 2), 3), ["1.864", "2.636"]);
    assert_eq!(of_edge(18, 4, 2).unwrap(), [2, 3]);
}

#[test]
fn floored_at_an_aggregate() {
    assert_eq!(super::super::dnb::floored(&[2, 2, 3, 40], 32).unwrap(), [32, 32, 32, 40]);
}
