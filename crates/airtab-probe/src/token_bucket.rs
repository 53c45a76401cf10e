// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Token buckets in integer nanoseconds, one for the average rate and one for the peak rate (Starzetz
//! 6.3.1).
//!
//! A bucket is refilled by the time that has really passed since it was last looked at, however late that
//! is. What a late wake-up leaves over stays in the bucket, up to its depth, so that the mean rate does not
//! drift with the granularity of timers. A token is a billionth of a bit: rate times nanoseconds then has no
//! remainder, and nothing is ever rounded away.
//!
//! What it does not do: no clock and no sleeping.

/// Billionths of a bit in a byte.
const BYTE: u128 = 8_000_000_000;

/// One bucket; it starts empty.
#[derive(Clone, Debug)]
struct TokenBucket {
    rate_bps: u64,
    /// Billionths of a bit, as the depth.
    tokens: u128,
    depth: u128,
}

impl TokenBucket {
    fn new(rate_bps: u64, depth_bytes: u64) -> TokenBucket {
        assert!(rate_bps > 0, "a bucket without rate never fills");
        TokenBucket { rate_bps, tokens: 0, depth: u128::from(depth_bytes) * BYTE }
    }

    fn fill(&mut self, elapsed_ns: u64) {
        let more = u128::from(self.rate_bps) * u128::from(elapsed_ns);
        self.tokens = (self.tokens + more).min(self.depth);
    }

    fn wait_ns(&self, bytes: u64) -> u64 {
        let missing = (u128::from(bytes) * BYTE).saturating_sub(self.tokens);
        missing.div_ceil(u128::from(self.rate_bps)).try_into().unwrap_or(u64::MAX)
    }

    fn take(&mut self, bytes: u64) {
        self.tokens = self.tokens.checked_sub(u128::from(bytes) * BYTE).expect("wait_ns() said 0");
    }
}

/// Two chained buckets: a packet needs tokens of both.
#[derive(Clone, Debug)]
pub struct Shaper {
    average: TokenBucket,
    peak: Option<TokenBucket>,
    filled_ns: u64,
}

impl Shaper {
    /// Empty buckets at `now_ns`. The average one holds `burst_bytes`; the peak one, if there is a peak rate,
    /// holds one packet of `packet_bytes`.
    ///
    /// # Panics
    /// If a rate is 0, or the burst is shorter than a packet: such a bucket never has enough.
    pub fn new(
        now_ns: u64,
        average_bps: u64,
        peak_bps: Option<u64>,
        burst_bytes: u64,
        packet_bytes: u64,
    ) -> Shaper {
        assert!(burst_bytes >= packet_bytes, "the burst holds no packet");
        Shaper {
            average: TokenBucket::new(average_bps, burst_bytes),
            peak: peak_bps.map(|rate| TokenBucket::new(rate, packet_bytes)),
            filled_ns: now_ns,
        }
    }

    /// Adds the tokens of the time since the last call. A clock that goes back adds none.
    pub fn refill(&mut self, now_ns: u64) {
        let elapsed = now_ns.saturating_sub(self.filled_ns);
        self.average.fill(elapsed);
        if let Some(peak) = &mut self.peak {
            peak.fill(elapsed);
        }
        self.filled_ns = self.filled_ns.max(now_ns);
    }

    /// How long after the last refill both buckets have enough for `bytes`, ns; 0: now.
    pub fn wait_ns(&self, bytes: u64) -> u64 {
        let peak = self.peak.as_ref().map_or(0, |peak| peak.wait_ns(bytes));
        self.average.wait_ns(bytes).max(peak)
    }

    /// Takes the tokens of a packet.
    ///
    /// # Panics
    /// If [`Self::wait_ns`] is not 0.
    pub fn take(&mut self, bytes: u64) {
        self.average.take(bytes);
        if let Some(peak) = &mut self.peak {
            peak.take(bytes);
        }
    }

    /// Changes the average rate from `at_ns` on; what was earned until then was earned at the old one.
    ///
    /// # Panics
    /// If the rate is 0.
    pub fn set_average(&mut self, at_ns: u64, average_bps: u64, burst_bytes: u64) {
        assert!(average_bps > 0, "a bucket without rate never fills");
        self.refill(at_ns);
        self.average.rate_bps = average_bps;
        self.average.depth = u128::from(burst_bytes) * BYTE;
        self.average.tokens = self.average.tokens.min(self.average.depth);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use airtab_core::time::SECOND;

    /// Sends whenever it may, and sleeps `late(i)` ns longer than asked; when each packet went, ns.
    fn run(shaper: &mut Shaper, bytes: u64, end_ns: u64, mut late: impl FnMut() -> u64) -> Vec<u64> {
        let (mut now, mut sent) = (0, Vec::new());
        loop {
            shaper.refill(now);
            match shaper.wait_ns(bytes) {
                0 => {
                    shaper.take(bytes);
                    sent.push(now);
                }
                wait => now += wait + late(),
            }
            if now > end_ns {
                return sent;
            }
        }
    }

    #[test]
    fn a_perfect_timer_gives_exact_spacing() {
        // 1000 bytes at 3 Mb/s are 8/3 ms: never a whole number of ns, never a drift.
        let sent = run(&mut Shaper::new(0, 3_000_000, None, 1000, 1000), 1000, 8 * SECOND, || 0);
        // A bucket of one packet: what a wait, rounded up, earned too much is lost at its brim.
        assert!(sent.windows(2).all(|w| w[1] - w[0] == 2_666_667));
        assert_eq!(sent.len(), 2999);
        let sent = run(&mut Shaper::new(0, 3_000_000, None, 2000, 1000), 1000, 8 * SECOND, || 0);
        assert_eq!(sent.len(), 3000);
        for (i, at) in sent.iter().enumerate() {
            assert_eq!(*at, (8_000_000 * (i as u64 + 1)).div_ceil(3));
        }
    }

    /// Figure 6.3: 32 kB/s in packets of 1500 bytes, where a sleep lasts whole ticks of 10 ms and one more, as
    /// in Linux 2.4: gaps alternate around the ideal 46.875 ms, and the mean rate is kept. (The figure has a
    /// third peak, which takes a clock that jitters.)
    #[test]
    fn a_coarse_timer_alternates_around_the_ideal_gap() {
        const TICK: u64 = 10_000_000;
        let mut shaper = Shaper::new(0, 256_000, None, 6000, 1500);
        let (mut now, mut sent) = (0, Vec::new());
        // The last packet is earned at 60 s, and up to two ticks late.
        while now <= 60 * SECOND + 2 * TICK {
            shaper.refill(now);
            match shaper.wait_ns(1500) {
                0 => {
                    shaper.take(1500);
                    sent.push(now);
                }
                wait => now += (wait.div_ceil(TICK) + 1) * TICK,
            }
        }
        assert_eq!(sent.len(), 1280);
        let gaps: std::collections::BTreeSet<u64> = sent.windows(2).map(|w| (w[1] - w[0]) / TICK).collect();
        assert_eq!(gaps.into_iter().collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn the_peak_rate_spreads_a_burst() {
        // Half a second of silence earns 62 500 bytes at 1 Mb/s; they leave at 2 Mb/s, not at once.
        let mut shaper = Shaper::new(0, 1_000_000, Some(2_000_000), 100_000, 1000);
        shaper.refill(SECOND / 2);
        let mut now = SECOND / 2;
        let mut sent = Vec::new();
        while now < SECOND {
            shaper.refill(now);
            match shaper.wait_ns(1000) {
                0 => {
                    shaper.take(1000);
                    sent.push(now);
                }
                wait => now += wait,
            }
        }
        assert!(sent.windows(2).all(|w| w[1] - w[0] == 4_000_000), "{sent:?}");
        // 62 500 bytes and what is earned meanwhile, up to the last gap: the 125th goes at 1 s.
        assert_eq!(sent.len(), 124);
        let mut unbounded = Shaper::new(0, 1_000_000, None, 100_000, 1000);
        unbounded.refill(SECOND / 2);
        let burst = std::iter::from_fn(|| (unbounded.wait_ns(1000) == 0).then(|| unbounded.take(1000)));
        assert_eq!(burst.count(), 62);
    }

    #[test]
    fn a_new_rate_counts_from_its_moment_on() {
        let mut shaper = Shaper::new(0, 8_000, None, 10_000, 1000);
        shaper.refill(SECOND / 2);
        shaper.set_average(SECOND, 16_000, 10_000);
        shaper.refill(2 * SECOND);
        shaper.take(3000);
        assert_eq!(shaper.wait_ns(1), 500_000);
    }

    proptest! {
        /// Whatever the timer does, as long as no wake-up is later than the burst lasts: after each wake-up
        /// exactly the packets have gone that the rate allows.
        #[test]
        fn no_drift(
            rate in 1_000u64..10_000_000_000,
            bytes in 40u64..65_000,
            lateness in proptest::collection::vec(0u64..1000, 1..200),
        ) {
            let packet_ns = (u128::from(bytes) * BYTE).div_ceil(u128::from(rate)) as u64;
            let mut shaper = Shaper::new(0, rate, None, 4 * bytes, bytes);
            let (mut now, mut sent) = (0u64, 0u128);
            for late in lateness {
                shaper.refill(now);
                while shaper.wait_ns(bytes) == 0 {
                    shaper.take(bytes);
                    sent += 1;
                }
                let allowed = u128::from(rate) * u128::from(now) / (u128::from(bytes) * BYTE);
                prop_assert_eq!(sent, allowed);
                now += shaper.wait_ns(bytes) + packet_ns * 2 * late / 1000;
            }
        }

        /// With a peak rate: never more than that in any stretch, and the mean still holds.
        #[test]
        fn peak_bounds_every_stretch(
            rate in 100_000u64..1_000_000,
            factor in 2u64..10,
            lateness in proptest::collection::vec(0u64..1_000_000, 50),
        ) {
            let peak = rate * factor;
            let mut shaper = Shaper::new(0, rate, Some(peak), 50_000, 500);
            let mut late = lateness.into_iter().cycle();
            let sent = run(&mut shaper, 500, 2 * SECOND, || late.next().unwrap());
            for pair in sent.windows(2) {
                prop_assert!(pair[1] - pair[0] >= 500 * 8 * SECOND / peak);
            }
            let expected = rate * 2 / 4000;
            let count = sent.len() as u64;
            prop_assert!(count <= expected + 1 && count + 6 >= expected, "{} of {}", count, expected);
        }
    }
}
