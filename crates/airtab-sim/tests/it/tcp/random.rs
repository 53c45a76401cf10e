// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Any path that lets something through delivers everything.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{Algorithm, Config, Segment};
use proptest::prelude::*;

/// SplitMix64: a small generator for the path's fates.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn path(mut state: u64, loss_percent: u64, late_percent: u64) -> impl FnMut(&Segment, u64) -> Fate {
    move |_, _| {
        let (a, b, c) = (draw(&mut state), draw(&mut state), draw(&mut state));
        if a % 100 < loss_percent {
            Fate::Drop
        } else if b % 100 < late_percent {
            Fate::Late(c % (30 * MS))
        } else {
            Fate::Pass
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn everything_written_arrives(
        seed in any::<u64>(),
        loss in 0u64..30,
        late in prop_oneof![Just(0u64), 0u64..50],
        writes in prop::collection::vec((prop_oneof![1u64..3000, 1u64..300_000], 0u64..200), 1..6),
        up_bytes in 0u64..20_000,
        congestion in prop::sample::select(Algorithm::ALL.to_vec()),
        window in prop_oneof![Just(2000u32), 1u32..20],
        rate in prop_oneof![Just(0u64), 1_000_000u64..50_000_000],
        queue in 3usize..60,
        ack_every in 1u32..4,
        pacing in any::<bool>(),
        profile in prop::sample::select(vec![Config::home(), Config::home().with_timestamps()]),
    ) {
        let config = Config { receive_window_segments: window, ack_every, congestion, pacing, ..profile };
        let mut pair = Pair::new(config, 20 * MS);
        pair.down.rate_bps = rate;
        pair.down.queue_limit = queue;
        pair.up.fate = Box::new(path(seed, loss, late));
        pair.script_down(path(!seed, loss, late));
        pair.client.write(up_bytes);
        pair.open();

        let mut written = 0;
        let mut writes = writes.into_iter();
        let mut next_write = 0;
        let total = loop {
            if pair.now >= next_write {
                let Some((bytes, pause_ms)) = writes.next() else { break written };
                pair.server.write(bytes);
                written += bytes;
                next_write = pair.now + pause_ms * MS;
                pair.flush();
            }
            if pair.next_event().is_some_and(|at| at < next_write) {
                pair.step();
            } else {
                pair.run_to(next_write);
            }
            prop_assert!(pair.client.delivered() <= written);
        };
        let (mut delivered, mut up_delivered) = (pair.client.delivered(), pair.server.delivered());
        // 30 % loss with backoff up to 60 s: hours of virtual time are plenty.
        pair.run_until(20_000 * SECOND, |p| {
            assert!(p.client.delivered() >= delivered && p.client.delivered() <= total);
            assert!(p.server.delivered() >= up_delivered && p.server.delivered() <= up_bytes);
            assert!(p.server.acked() <= p.client.delivered());
            assert!(p.client.acked() <= p.server.delivered());
            assert!(p.server.cwnd() >= u64::from(config.mss));
            (delivered, up_delivered) = (p.client.delivered(), p.server.delivered());
            p.server.acked() == total && p.client.acked() == up_bytes
        });
        prop_assert_eq!((pair.client.delivered(), pair.server.delivered()), (total, up_bytes));
        prop_assert_eq!(pair.server.in_flight(), 0);
        prop_assert!(pair.down.log.iter().all(|(_, s)| s.seq + u64::from(s.payload) <= total + 1));
        prop_assert!(pair.down.log.iter().all(|(_, s)| s.ip_bytes() <= 1500));
        pair.run_to(pair.now + 200 * SECOND);
        prop_assert_eq!(pair.next_event(), None);
    }
}

#[test]
fn the_same_path_gives_the_same_trace() {
    let run = || {
        let mut pair = Pair::new(Config::home(), 20 * MS);
        pair.up.fate = Box::new(path(1, 5, 5));
        pair.script_down(path(2, 5, 5));
        pair.download(2_000_000);
        pair.run_until(1000 * SECOND, |p| p.server.acked() == 2_000_000);
        pair.down.log
    };
    assert_eq!(run(), run());
}
