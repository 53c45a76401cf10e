// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Round-trip time estimate and retransmission timeout: RFC 6298, integer nanoseconds.
//!
//! `RTO = SRTT + max(min_rto, 4 RTTVAR)`: the minimum takes the place of the clock granularity G in RFC 6298 2.3 and
//! bounds the variance term, as in Linux. Bounding the sum instead leaves no margin on paths longer than the minimum:
//! RTTVAR decays to nothing while the queue is empty, and the first queue that builds up looks like a loss.
//! With a grid, as BSD's 500 ms, it is `max(min_rto, SRTT + 4 RTTVAR)`, and timers expire at multiples of the grid, from the
//! host's phase on.
//! Samples from retransmitted data are not offered (Karn), so that the backoff lasts until fresh data is acknowledged; with
//! timestamps they are, because what they echo is the time of the copy that arrived.
//! Not done: Eifel, F-RTO.

use super::config::Config;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rtt {
    smoothed: Option<u64>,
    variation: u64,
    minimum: Option<u64>,
    rto: u64,
    min_rto: u64,
    max_rto: u64,
    /// Of BSD's timers, ns; 0: none.
    grid: u64,
    /// When it begins.
    phase: u64,
}

impl Rtt {
    pub fn new(config: &Config) -> Self {
        Rtt {
            smoothed: None,
            variation: 0,
            minimum: None,
            rto: config.initial_rto_ns,
            min_rto: config.min_rto_ns,
            max_rto: config.max_rto_ns,
            grid: config.rto_grid_ns,
            phase: config.rto_phase_ns,
        }
    }

    /// When a timer that is set at `now` expires: after the timeout, at a multiple of the grid.
    pub fn deadline(&self, now: u64) -> u64 {
        match self.grid {
            0 => now + self.rto,
            // A timeout is longer than a phase.
            grid => (now + self.rto).saturating_sub(self.phase).next_multiple_of(grid) + self.phase,
        }
    }

    /// Smoothed round-trip time, ns.
    pub fn smoothed(&self) -> Option<u64> {
        self.smoothed
    }

    /// Smallest sample, ns.
    pub fn minimum(&self) -> Option<u64> {
        self.minimum
    }

    /// Retransmission timeout with its backoff, ns.
    pub fn rto(&self) -> u64 {
        self.rto
    }

    /// One round trip took `sample` ns (RFC 6298 2.2, 2.3), of `expected` samples in it: each weighs less by that much
    /// (RFC 7323 appendix G), so that the estimate remembers as many round trips.
    pub fn sample(&mut self, sample: u64, expected: u64) {
        let smoothed = match self.smoothed {
            None => {
                self.variation = sample / 2;
                sample
            }
            Some(smoothed) => {
                let (quarter, eighth) = (4 * expected, 8 * expected);
                self.variation = ((quarter - 1) * self.variation + smoothed.abs_diff(sample)) / quarter;
                ((eighth - 1) * smoothed + sample) / eighth
            }
        };
        self.smoothed = Some(smoothed);
        self.minimum = Some(self.minimum.map_or(sample, |m| m.min(sample)));
        let rto = match self.grid {
            0 => smoothed + self.min_rto.max(4 * self.variation),
            _ => self.min_rto.max(smoothed + 4 * self.variation),
        };
        self.rto = rto.min(self.max_rto);
    }

    /// The timer expired (RFC 6298 5.5).
    pub fn back_off(&mut self) {
        self.rto = (2 * self.rto).min(self.max_rto);
    }

    /// The handshake had to be repeated: data starts with at least 3 s (RFC 6298 5.7).
    pub fn restart_after_lost_syn(&mut self) {
        self.rto = self.rto.max(3_000_000_000).min(self.max_rto);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_core::time::MS;

    #[test]
    fn follows_the_formulas() {
        let mut rtt = Rtt::new(&Config::home());
        assert_eq!(rtt.rto(), 1000 * MS);
        rtt.sample(200 * MS, 1); // RTTVAR 100, RTO 200 + 4 * 100
        assert_eq!((rtt.smoothed(), rtt.rto()), (Some(200 * MS), 600 * MS));
        rtt.sample(280 * MS, 1); // RTTVAR (300 + 80) / 4 = 95, SRTT (1400 + 280) / 8 = 210
        assert_eq!((rtt.smoothed(), rtt.rto()), (Some(210 * MS), 590 * MS));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), 2360 * MS);
        assert_eq!(rtt.minimum(), Some(200 * MS));
    }

    /// Four samples expected: a 16th of the variation, a 32nd of the time.
    #[test]
    fn several_samples_of_a_round_trip_weigh_as_much_as_one() {
        let mut rtt = Rtt::new(&Config::home());
        rtt.sample(160 * MS, 4); // the first counts in full: RTTVAR 80
        rtt.sample(224 * MS, 4); // RTTVAR (15 * 80 + 64) / 16 = 79, SRTT (31 * 160 + 224) / 32 = 162
        assert_eq!((rtt.smoothed(), rtt.rto()), (Some(162 * MS), 478 * MS));
    }

    #[test]
    fn stays_within_its_bounds() {
        let mut rtt = Rtt::new(&Config::home());
        rtt.sample(4 * MS, 1);
        assert_eq!(rtt.rto(), 204 * MS);
        (0..20).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), 60_000 * MS);
    }

    #[test]
    fn a_grid_bounds_the_sum_and_rounds_the_deadline_up() {
        let mut rtt = Rtt::new(&Config::bsd44());
        assert_eq!(rtt.deadline(1), 3500 * MS);
        rtt.sample(200 * MS, 1); // 200 + 4 * 100
        assert_eq!(rtt.rto(), 1000 * MS);
        assert_eq!(rtt.deadline(0), 1000 * MS);
        assert_eq!(rtt.deadline(1), 1500 * MS);
        rtt.sample(1000 * MS, 1); // RTTVAR (300 + 800) / 4 = 275, SRTT (1400 + 1000) / 8 = 300
        assert_eq!(rtt.rto(), 1400 * MS);
        (0..9).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), 64_000 * MS);
        let mut late = Rtt::new(&Config { rto_phase_ns: 120 * MS, ..Config::bsd44() });
        assert_eq!(late.deadline(1), 3120 * MS);
        late.sample(200 * MS, 1);
        assert_eq!([119, 120, 121].map(|ms| late.deadline(ms * MS) / MS), [1120, 1120, 1620]);
    }

    /// At least 3 s (RFC 6298 5.7): more if it began with more, less if it is bounded.
    #[test]
    fn a_lost_syn_makes_it_longer_not_shorter() {
        let after = |initial_rto_ns, max_rto_ns| {
            let mut rtt = Rtt::new(&Config { initial_rto_ns, max_rto_ns, ..Config::home() });
            rtt.restart_after_lost_syn();
            rtt.rto()
        };
        assert_eq!(after(1000 * MS, 60_000 * MS), 3000 * MS);
        assert_eq!(after(5000 * MS, 60_000 * MS), 5000 * MS);
        assert_eq!(after(1000 * MS, 2000 * MS), 2000 * MS);
    }
}
