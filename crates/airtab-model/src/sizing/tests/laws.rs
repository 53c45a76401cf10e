// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What formulas promise for anything, and optima against those found by trying.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::aggregate::{ATH9K, Bounds};
use super::super::dnb::Rule;
use super::super::exchange::{DNB_11B, WQM_11N};
use super::super::split::{Split, cost, exact, ratio};
use super::super::wqm::law::{Action, Backlog, Law, Params, Sample, Wqm};

fn draw(random: &mut ChaCha8Rng, below: u32) -> u32 {
    ((u64::from(random.next_u32()) * u64::from(below)) >> 32) as u32
}

fn real(limits: &[u32]) -> Vec<f64> {
    limits.iter().map(|limit| f64::from(*limit)).collect()
}

/// B in all and at least 1 each, never fewer to a later node; up to 10 nodes whatever the split.
#[test]
fn splits_sum_to_b() {
    for nodes in 1..=10 {
        for packets in (nodes as u32..400).chain([1000, 100_000]) {
            for split in Split::ALL {
                let limits = split.of(packets, nodes).unwrap();
                assert_eq!(limits.len(), nodes);
                assert_eq!(limits.iter().sum::<u32>(), packets, "{split:?} {packets} {nodes}");
                assert!(limits.iter().all(|limit| *limit >= 1), "{split:?} {packets} {nodes}");
                assert!(limits.is_sorted(), "{split:?} {packets} {nodes}: {limits:?}");
            }
        }
    }
}

/// Beyond 10, nodes that are lifted may add to B by ratio, but not otherwise.
#[test]
fn splits_of_many_nodes() {
    let mut lifted = 0;
    for nodes in [11, 12, 20, 40, 100, 256] {
        for packets in (nodes as u32..3 * nodes as u32).step_by(3) {
            for split in Split::ALL {
                let limits = split.of(packets, nodes).unwrap();
                assert!(limits.is_sorted() && limits[0] >= 1);
                let sum: u32 = limits.iter().sum();
                let more = split == Split::Ratio && sum > packets && sum < packets + nodes as u32;
                assert!(sum == packets || more, "{split:?} {packets} {nodes}");
                lifted += sum - packets;
            }
        }
    }
    assert!(lifted > 0, "there are such");
}

/// Every way to give so many packets to so many nodes, at least 1 each.
fn every(packets: u32, nodes: usize, so_far: &mut Vec<u32>, visit: &mut impl FnMut(&[u32])) {
    if so_far.len() + 1 == nodes {
        so_far.push(packets);
        visit(so_far);
        so_far.pop();
        return;
    }
    let others = (nodes - so_far.len() - 1) as u32;
    for limit in 1..=packets - others {
        so_far.push(limit);
        every(packets - limit, nodes, so_far, visit);
        so_far.pop();
    }
}

/// Nothing costs less than what is found packet by packet, and it is among the equals the one of the later nodes.
#[test]
fn greedy_is_the_least_cost() {
    for nodes in 1..=5 {
        for packets in nodes as u32..=18 {
            let greedy = Split::Greedy.of(packets, nodes).unwrap();
            let (least, mut found) = (cost(&real(&greedy)), false);
            every(packets, nodes, &mut Vec::new(), &mut |limits| {
                assert!(cost(&real(limits)) >= least - 1e-12, "{limits:?} is below {greedy:?}");
                found |= limits == greedy;
            });
            assert!(found);
        }
    }
}

/// From nothing on, as the source has it, comes the same wherever nobody is left at 0.
#[test]
fn greedy_from_nothing() {
    let mut same = 0;
    for nodes in 1..=8 {
        for packets in nodes as u32..=60 {
            let mut limits = vec![0u64; nodes];
            for _ in 0..packets {
                let saving = |i: usize| ((i + 1) as u64, (limits[i] + 1) * (limits[i] + 2));
                let more = |a: usize, b: usize| {
                    let (a, b) = (saving(a), saving(b));
                    a.0 * b.1 > b.0 * a.1
                };
                let best = (0..nodes).fold(0, |best, i| if more(best, i) { best } else { i });
                limits[best] += 1;
            }
            if limits.iter().all(|limit| *limit > 0) {
                let found: Vec<u64> =
                    Split::Greedy.of(packets, nodes).unwrap().into_iter().map(u64::from).collect();
                assert_eq!(found, limits, "{packets} {nodes}");
                same += 1;
            }
        }
    }
    assert!(same > 300, "{same}");
}

/// Moving a bit from one node to another never makes the relaxed solution cheaper; it sums to B, and is not below 0.
#[test]
fn the_relaxed_solution_is_the_least_cost() {
    for nodes in 2..=40 {
        for packets in [1.0, 3.5, 10.0, 18.0, 85.0, 1000.0] {
            let best = exact(packets, nodes);
            assert!((best.iter().sum::<f64>() - packets).abs() < 1e-9, "{packets} {nodes}");
            assert!((ratio(packets, nodes).iter().sum::<f64>() - packets).abs() < 1e-9);
            assert!(best.iter().all(|b| *b >= 0.0));
            let least = cost(&best);
            for (from, to) in (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))) {
                let mut moved = best.clone();
                let bit = moved[from].min(1e-3);
                moved[from] -= bit;
                moved[to] += bit;
                assert!(cost(&moved) >= least - 1e-12, "{packets} {nodes} {from} {to}");
            }
        }
    }
}

/// B grows with hops and is at least one for each; the slowest link decides the rate.
#[test]
fn buffers_grow_with_hops() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..500 {
        let hops = 1 + draw(&mut random, 12) as usize;
        let rates: Vec<f64> =
            (0..hops).map(|_| [1.0, 2.0, 5.5, 11.0][draw(&mut random, 4) as usize]).collect();
        let domain = Rule::new(DNB_11B).neighborhood(&rates).unwrap();
        let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(domain.packets_per_s, slowest * 1e6 / 11_680.0);
        assert_eq!(domain.packets, (domain.product.round() as u32).max(hops as u32));
        let longer = Rule::new(DNB_11B).neighborhood(&[&rates[..], &[slowest]].concat()).unwrap();
        assert!(longer.product > domain.product);
        for split in Split::ALL {
            assert!(split.of(domain.packets, hops).is_ok());
        }
    }
}

/// K is within all bounds, grows with the rate, and one more frame would not do.
#[test]
fn frames_fill_their_time() {
    let mut last = 0;
    for tenths in 66..7000 {
        let rate = f64::from(tenths) / 10.0;
        let frames = Bounds { driver: None, ..ATH9K }.frames(rate).unwrap();
        assert!((1..=42).contains(&frames) && frames >= last);
        let takes = |frames: u32| f64::from(frames * 1544 * 8) / rate;
        assert!(takes(frames) < 4_000.000_001 || frames == 1);
        assert!(frames == 42 || takes(frames + 1) > 3_999.999_999);
        last = frames;
    }
}

/// Anything may come: the limit stays within its bounds, moves as the law says, and by one step a look.
#[test]
fn the_limit_stays_within_bounds() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for run in 0..400 {
        let law = Law::ALL[run % 4];
        let params = Params { law, ..if run % 8 < 4 { Params::FAITHFUL } else { Params::HARDENED } };
        let rates = [6.5, 13.0, 65.0, 144.4, 300.0, 600.0];
        let mut queue = Wqm::new(params, 65.0, 21).unwrap();
        for _ in 0..200 {
            let rate_mbps = rates[draw(&mut random, 6) as usize];
            let frames = ATH9K.frames(rate_mbps).unwrap();
            let packets = draw(&mut random, queue.limit() + 1);
            let sample = Sample {
                rate_mbps,
                frames,
                queue: Backlog { packets, bits: f64::from(packets) * 12_000.0 },
                below: Backlog { packets: 2, bits: 24_000.0 },
                free: f64::from(draw(&mut random, 101)) / 100.0,
                share: 1.0,
                used: packets,
                mean_frames: None,
            };
            let before = queue.limit();
            let look = queue.look(&sample).unwrap();
            let (least, most) = params.bounds(rate_mbps, frames).unwrap();
            assert_eq!(look.limit, queue.limit());
            // A largest limit that fell takes nothing away.
            assert!(look.limit >= least && look.limit <= most.max(before), "{look:?}");
            match look.action {
                Action::Raise => assert!(look.drain_us < look.aim_us && look.limit > before),
                Action::Cut => assert!(look.drain_us > look.aim_us && look.limit < before),
                Action::Lift => assert!(look.limit == least && least > before),
                _ => assert_eq!(look.limit, before),
            }
        }
    }
}

/// Longer aggregates and faster links: more is under way, less time is lost around a frame.
#[test]
fn aggregates_pay() {
    for rate in [13.0, 65.0, 144.4, 300.0, 600.0] {
        let per_frame = |frames| WQM_11N.round_us(rate, frames).unwrap() / f64::from(frames);
        assert!((1..64).all(|frames| per_frame(frames) > per_frame(frames + 1)));
    }
}
