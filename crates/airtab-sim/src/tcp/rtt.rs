//! Round-trip time estimate and retransmission timeout: RFC 6298, integer nanoseconds.
//!
//! The clock granularity G of the RFC is zero here. Samples from retransmitted data are not offered (Karn), so the
//! backoff lasts until fresh data is acknowledged. Not done: timestamps, Eifel, F-RTO.

use super::config::Config;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rtt {
    smoothed: Option<u64>,
    variation: u64,
    minimum: Option<u64>,
    rto: u64,
    min_rto: u64,
    max_rto: u64,
}

impl Rtt {
    pub fn new(config: &Config) -> Self {
        Rtt {
            smoothed: None,
            variation: 0,
            minimum: None,
            rto: config.initial_rto_ns.max(config.min_rto_ns),
            min_rto: config.min_rto_ns,
            max_rto: config.max_rto_ns,
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

    /// One round trip took `sample` ns (RFC 6298 2.2, 2.3).
    pub fn sample(&mut self, sample: u64) {
        let smoothed = match self.smoothed {
            None => {
                self.variation = sample / 2;
                sample
            }
            Some(smoothed) => {
                self.variation = (3 * self.variation + smoothed.abs_diff(sample)) / 4;
                (7 * smoothed + sample) / 8
            }
        };
        self.smoothed = Some(smoothed);
        self.minimum = Some(self.minimum.map_or(sample, |m| m.min(sample)));
        self.rto = (smoothed + 4 * self.variation).clamp(self.min_rto, self.max_rto);
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

    const MS: u64 = 1_000_000;

    #[test]
    fn follows_the_formulas() {
        let mut rtt = Rtt::new(&Config::home());
        assert_eq!(rtt.rto(), 1000 * MS);
        rtt.sample(100 * MS); // RTTVAR 50, RTO 100 + 4 * 50
        assert_eq!((rtt.smoothed(), rtt.rto()), (Some(100 * MS), 300 * MS));
        rtt.sample(180 * MS); // RTTVAR (150 + 80) / 4 = 57.5, SRTT (700 + 180) / 8 = 110
        assert_eq!((rtt.smoothed(), rtt.rto()), (Some(110 * MS), 340 * MS));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), 1360 * MS);
        assert_eq!(rtt.minimum(), Some(100 * MS));
    }

    #[test]
    fn stays_within_its_bounds() {
        let mut rtt = Rtt::new(&Config::home());
        rtt.sample(4 * MS);
        assert_eq!(rtt.rto(), 200 * MS);
        (0..20).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), 60_000 * MS);
    }
}
