// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The law of `wqm` in the core against the model's (`sizing::wqm::law`), which knows nothing of each other: the same
//! backlogs, looks and links at random, the same limits.
//!
//! What it does not do: rates that change, where the core caps a limit and the model does not; stations and classes.

use airtab_core::{Discipline, Link, Meta, Params, Pool, Qdisc};
use airtab_model::sizing::wqm::law::{Backlog, Law, Params as Laws, Sample, Wqm};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const INTERVAL_NS: u64 = 100_000_000;
const RATES: [u32; 8] = [6_500, 13_000, 26_000, 65_000, 144_400, 300_000, 450_000, 600_000];

/// One history of so many looks; how often the limit moved.
fn history(profile: &str, laws: Laws, draws: &mut ChaCha8Rng) -> u32 {
    let mut below = |n: u32| draws.next_u32() % n;
    let law = Law::ALL[below(4) as usize];
    let (kbps, frames, confirm) = (RATES[below(8) as usize], 1 + below(64), 1 + below(4));
    let free_ppm = 1 + below(1_000_000);
    let discipline = Discipline::named("wqm").expect("a discipline of the core");
    let mut params = Params::new(discipline);
    for (key, value) in [
        ("profile", profile),
        ("scope", "interface"),
        ("rate_source", "phy"),
        ("law", law.name()),
        ("confirm", &confirm.to_string()),
    ] {
        params.set(key, value).expect("in range");
    }
    let limit = discipline.stats().iter().position(|s| s.name == "limit").expect("a statistic");
    let mut pool = Pool::new();
    let mut queue = Qdisc::new(&pool, &params, 1, 0);
    let link = Link { here: true, rate_kbps: kbps, ampdu_frames: frames, free_ppm, ..Link::default() };
    queue.link(&link, 0);
    let rate_mbps = f64::from(kbps) / 1000.0;
    let mut model = Wqm::new(Laws { law, confirm, ..laws }, rate_mbps, frames).expect("a queue");
    let (mut used, mut moved) = (0, 0);
    for look in 1..=300 {
        let now = look * INTERVAL_NS;
        for _ in 0..below(1 + 2 * queue.len()) {
            let Some((packet, _)) = queue.dequeue(&mut pool, now - 1) else { break };
            pool.remove(packet);
        }
        for _ in 0..below(150) {
            let packet = pool.insert(Meta { bytes: 1500, ..Meta::default() }, ());
            queue.enqueue(&mut pool, packet, now - 1);
            for dropped in queue.dropped() {
                pool.remove(dropped.packet);
            }
            used = used.max(queue.len());
        }
        let before = model.limit();
        let packets = queue.len();
        let sample = Sample {
            rate_mbps,
            frames,
            queue: Backlog { packets, bits: f64::from(packets) * 12_000.0 },
            below: Backlog::default(),
            free: f64::from(free_ppm) / 1e6,
            share: 1.0,
            used,
            mean_frames: None,
        };
        model.look(&sample).expect("a look");
        queue.tick(&mut pool, now);
        used = packets;
        let limit = queue.stats(now)[limit];
        assert_eq!(limit, u64::from(model.limit()), "{profile}, {law:?}, {link:?}, look {look}");
        moved += u32::from(model.limit() != before);
    }
    moved
}

#[test]
fn the_core_moves_limits_as_the_model_does() {
    let mut draws = ChaCha8Rng::seed_from_u64(1);
    for (profile, laws) in [("faithful", Laws::FAITHFUL), ("default", Laws::HARDENED)] {
        let moved: u32 = (0..200).map(|_| history(profile, laws, &mut draws)).sum();
        assert!(moved > 5_000, "{profile}: limits moved {moved} times");
    }
}
