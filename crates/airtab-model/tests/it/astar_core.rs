// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! ALT of `astar` in the core against the model's (`sizing::adaptive::alt`), which knows nothing of each other: the same
//! times with and without packets at random, the same size at the end of each interval.
//!
//! What it does not do: service times, which are the host's to report.

use airtab_core::{Discipline, Meta, Params, Pool, Qdisc};
use airtab_model::sizing::adaptive::alt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const SECOND_NS: u64 = 1_000_000_000;
const MOST: f64 = 20.0;

/// One history of so many intervals of 1 s; how many ended at 0, within, and at the largest size.
fn history(draws: &mut ChaCha8Rng, ends: &mut [u32; 3]) {
    let mut below = |n: u64| draws.next_u64() % n;
    let (grow, shrink) = (1 + below(20), 1 + below(20));
    let discipline = Discipline::named("astar").expect("a discipline of the core");
    let mut params = Params::new(discipline);
    for (key, value) in [
        ("law", "alt"),
        ("limit", "20"),
        ("first", "10"),
        ("grow", &grow.to_string()),
        ("shrink", &shrink.to_string()),
    ] {
        params.set(key, value).expect("in range");
    }
    let stat = discipline.stats().iter().position(|s| s.name == "alt").expect("a statistic");
    let mut pool = Pool::new();
    let mut queue = Qdisc::new(&pool, &params, 1, 0);
    let mut size = 10.0;
    for second in 1..=200 {
        let (mut now, end) = ((second - 1) * SECOND_NS, second * SECOND_NS);
        let (mut idle, mut loaded) = (0, 0);
        while now < end {
            let longest = if below(4) == 0 { 2 * SECOND_NS } else { SECOND_NS / 4 };
            let until = end.min(now + 1 + below(longest));
            *(if queue.is_empty() { &mut idle } else { &mut loaded }) += until - now;
            now = until;
            if now == end {
                break;
            }
            if queue.is_empty() {
                let packet = pool.insert(Meta { bytes: 1500, ..Meta::default() }, ());
                queue.enqueue(&mut pool, packet, now);
            } else if let Some((packet, _)) = queue.dequeue(&mut pool, now) {
                pool.remove(packet);
            }
        }
        let us = |ns: u64| ns as f64 / 1e3;
        size = alt(size, us(idle), us(loaded), grow as f64, shrink as f64).expect("a size").min(MOST);
        ends[if size == 0.0 { 0 } else { 1 + usize::from(size == MOST) }] += 1;
        // the core takes the interval's end when something comes: the gate of a station without packets
        queue.gate(&mut pool, 9, second % 2 == 0, end);
        let seen = queue.stats(end)[stat] as f64 / 65536.0;
        assert!(
            (seen - size).abs() < 2e-5,
            "grow {grow}, shrink {shrink}, second {second}: {seen}, not {size}"
        );
    }
}

#[test]
fn the_core_sizes_by_idle_time_as_the_model_does() {
    let mut draws = ChaCha8Rng::seed_from_u64(1);
    let mut ends = [0; 3];
    for _ in 0..100 {
        history(&mut draws, &mut ends);
    }
    assert!(ends.iter().all(|n| *n > 1_000), "sizes at 0, within, at the largest: {ends:?}");
}
