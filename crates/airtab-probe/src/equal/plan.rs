// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What both senders and the receiver keep to (Starzetz 2006, 6.4.2: 768 bytes as fast as they go, 64 bytes from 8 to
//! 128 kB/s in steps of 8 kB/s, a minute each).
//!
//! Lengths and rates are of UDP payload. The receiver tells the two apart by their lengths.

use crate::cbr::sender::{self, ConfigError, Step, Sweep};

/// As fast as it goes, b/s.
const FULL_BPS: u64 = 10_000_000_000;

/// The setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// UDP payload of the best-effort sender's packets, bytes.
    pub best_effort_bytes: usize,
    /// That of the expedited one's, another one, bytes.
    pub expedited_bytes: usize,
    /// First and last rate of the expedited sender, b/s.
    pub rates_bps: (u64, u64),
    /// What each step adds, b/s.
    pub add_bps: u64,
    /// How long each is kept, ns.
    pub step_ns: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            best_effort_bytes: 768,
            expedited_bytes: 64,
            rates_bps: (64_000, 1_024_000),
            add_bps: 64_000,
            step_ns: 60_000_000_000,
        }
    }
}

impl Plan {
    /// # Errors
    /// Names the first value that makes no sense, and what would.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.best_effort_bytes == self.expedited_bytes {
            let n = self.best_effort_bytes;
            return Err(ConfigError(format!(
                "both senders have packets of {n} bytes: give them different lengths, by which the receiver knows them"
            )));
        }
        self.best_effort().check()?;
        self.expedited().check()
    }

    /// The best-effort sender, until it is stopped.
    pub fn best_effort(&self) -> sender::Config {
        self.sender(self.best_effort_bytes, FULL_BPS, None)
    }

    /// The expedited sender, all steps.
    pub fn expedited(&self) -> sender::Config {
        let (rate_bps, max_bps) = self.rates_bps;
        let sweep = Sweep { max_bps, step: Step::Add(self.add_bps), step_ns: self.step_ns };
        self.sender(self.expedited_bytes, rate_bps, Some(sweep))
    }

    fn sender(&self, payload_bytes: usize, rate_bps: u64, sweep: Option<Sweep>) -> sender::Config {
        sender::Config {
            rate_bps,
            peak_bps: None,
            sweep,
            payload_bytes,
            burst_bytes: None,
            header_bytes: 0,
            report_ns: 2_000_000_000,
            pings: None,
            duration_ns: None,
        }
    }

    /// Steps of the sweep.
    pub fn steps(&self) -> usize {
        let (from, to) = self.rates_bps;
        1 + to.saturating_sub(from).div_ceil(self.add_bps.max(1)) as usize
    }

    /// Packets a second that the expedited sender offers in a step, from 0.
    pub fn offered(&self, step: usize) -> f64 {
        let (from, to) = self.rates_bps;
        let bps = from.saturating_add(self.add_bps.saturating_mul(step as u64)).min(to);
        bps as f64 / (8 * self.expedited_bytes) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 125 to 2000 packets a second in 16 steps, 16 minutes.
    #[test]
    fn the_thesis_setup() {
        let plan = Plan::default();
        assert_eq!(plan.check(), Ok(()));
        assert_eq!(
            (plan.steps(), plan.offered(0), plan.offered(15), plan.offered(99)),
            (16, 125.0, 2000.0, 2000.0)
        );
        let same = Plan { expedited_bytes: 768, ..plan };
        assert!(same.check().unwrap_err().to_string().starts_with("both senders have packets of 768 bytes"));
        let short = Plan { expedited_bytes: 39, ..plan };
        assert!(short.check().unwrap_err().to_string().contains("give at least 40"));
        let falling = Plan { rates_bps: (64_000, 8_000), ..plan };
        assert!(falling.check().unwrap_err().to_string().contains("end above the start"));
        let still = Plan { add_bps: 0, ..plan };
        assert!(still.check().unwrap_err().to_string().contains("a sweep needs steps"));
    }
}
