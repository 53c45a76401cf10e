// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A rate that rises in equal steps, as a tool that looks for a path's limit sends: Starzetz 2006, section T-6.3.1.
//!
//! It begins with the first packet. The rate is that of a token bucket: a packet leaves when the rate, over time, has paid
//! for it, so that one that waits across a step is paid for by both rates, and rounding never adds up.
//!
//! What it does not do: the packets and their gaps (`udp`).

use airtab_core::time::SECOND;

use super::Broken;

/// Rates of one stream, bit/s of IP packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The first one.
    pub start_bps: u64,
    /// The last one, at which it stays.
    pub max_bps: u64,
    /// From one to the next; the last of these may be less.
    pub add_bps: u64,
    /// How long one lasts, ns.
    pub each_ns: u64,
}

impl Sweep {
    /// What must hold.
    ///
    /// # Errors
    /// Names what is out of range.
    pub fn check(&self) -> Result<(), Broken> {
        let Sweep { start_bps: start, max_bps: max, add_bps, each_ns } = *self;
        Broken::unless(start > 0, "rates", "start: 0 bit/s is no rate: at least 1")?;
        Broken::unless(
            max > start,
            "rates",
            format!(
                "max: {max} bit/s is not above the start, {start} bit/s: give a higher one, or a plain rate"
            ),
        )?;
        Broken::unless(add_bps > 0, "rates", "add: 0 bit/s never gets to max: at least 1, or fewer steps")?;
        Broken::unless(each_ns > 0, "rates", "each: 0 ns is no step: at least 1")
    }

    /// The rate of step `n`, counted from 0, bit/s.
    pub fn rate_bps(&self, n: u64) -> u64 {
        self.start_bps.saturating_add(self.add_bps.saturating_mul(n)).min(self.max_bps)
    }
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    sweep: Sweep,
    /// The step, and the bits that all before it have paid for.
    step: u64,
    paid: f64,
}

impl Ramp {
    pub(super) fn new(sweep: Sweep) -> Ramp {
        Ramp { sweep, step: 0, paid: 0.0 }
    }

    /// When `bits` are paid for, ns from the beginning. They never become fewer from call to call.
    pub(super) fn time_ns(&mut self, bits: f64) -> u64 {
        let Sweep { each_ns, max_bps, .. } = self.sweep;
        let second = SECOND as f64;
        loop {
            let rate = self.sweep.rate_bps(self.step);
            let pays = rate as f64 * each_ns as f64 / second;
            if rate == max_bps || bits - self.paid < pays {
                let within = (bits - self.paid) * second / rate as f64;
                return self.step * each_ns + libm::round(within) as u64;
            }
            self.step += 1;
            self.paid += pays;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// 8, 16, 20 kb/s for 250 ms each: 2000, 4000 bits, and from then on 20 bits a ms.
    fn sweep() -> Sweep {
        Sweep { start_bps: 8_000, max_bps: 20_000, add_bps: 8_000, each_ns: 250 * MS }
    }

    #[test]
    fn the_last_step_is_the_largest_rate() {
        assert_eq!(
            [0, 1, 2, 3, u64::MAX].map(|n| sweep().rate_bps(n)),
            [8_000, 16_000, 20_000, 20_000, 20_000]
        );
    }

    /// A packet of 800 bits each 100, 50, 40 ms; the third is paid for by 50 ms of the first rate and 25 of the second.
    #[test]
    fn a_packet_across_a_step_is_paid_for_by_both_rates() {
        let mut ramp = Ramp::new(sweep());
        let times = [0, 1, 2, 3, 4, 7, 8, 9, 100].map(|n| ramp.time_ns(f64::from(n) * 800.0) / MS);
        // 5600 bits: 2000 + 3600 of 4000; 6400: 6000 and 400 at 20 a ms.
        assert_eq!(times, [0, 100, 200, 275, 325, 475, 520, 560, 500 + (80_000 - 6_000) / 20]);
    }

    #[test]
    fn what_is_no_sweep_is_refused() {
        let good = sweep();
        assert_eq!(good.check(), Ok(()));
        for (bad, says) in [
            (Sweep { start_bps: 0, ..good }, "rates: start: 0 bit/s"),
            (Sweep { max_bps: 8_000, ..good }, "rates: max: 8000 bit/s is not above the start, 8000 bit/s"),
            (Sweep { add_bps: 0, ..good }, "rates: add: 0 bit/s"),
            (Sweep { each_ns: 0, ..good }, "rates: each: 0 ns"),
        ] {
            let said = bad.check().unwrap_err().to_string();
            assert!(said.starts_with(says), "{said}");
        }
    }
}
