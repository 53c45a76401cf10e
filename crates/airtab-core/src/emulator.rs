// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The emulated 802.11 link of the core, safely: equations 7.1 to 7.4 of the
//! CHAP dissertation. `docs/emulator.md` has formulas and published figures.

use crate::airtime::Phy;
use crate::ffi::{self, Tx};

/// What an [`Emulator`] is made of.
#[derive(Clone, Copy, Debug)]
pub struct EmulatorConfig {
    /// 802.11 constants; `d7.1` is the published link.
    pub phy: Phy,
    /// Attempts per packet, at least 1; 5 for the published link.
    pub attempts: u8,
    /// Added once to every packet, ns: makes the link a slower bottleneck.
    pub extra_ns: u64,
}

/// Draws how often each packet is sent over a link that loses frames, and what
/// that costs. The same seed gives the same draws on every machine.
#[derive(Clone)]
pub struct Emulator(ffi::Emulator);

impl Emulator {
    /// A link. Any seed will do.
    ///
    /// # Panics
    /// If there is not one attempt.
    pub fn new(config: &EmulatorConfig, seed: u64) -> Emulator {
        assert!(config.attempts > 0, "a packet needs at least one attempt");
        Emulator(ffi::Emulator {
            phy: config.phy.0,
            extra: config.extra_ns,
            random: seed,
            attempts: config.attempts,
        })
    }

    /// Draws the fate of a packet of `ip_bytes` at `kbps`, whose DATA and ACKs
    /// are each lost with probability `error_rate` (a multiple of 2^-32; below
    /// 0 is 0, above 1 is 1). `acked` says that it was not lost; `air` and
    /// `span` are both its cost, ns.
    ///
    /// # Panics
    /// If `kbps` is 0.
    pub fn draw(&mut self, kbps: u32, error_rate: f64, ip_bytes: u32) -> Tx {
        assert!(kbps > 0, "a PHY rate of 0 sends nothing");
        let fer = ((error_rate * ffi::ALWAYS as f64 + 0.5) as u64).min(ffi::ALWAYS);
        let mut tx = Tx::default();
        // SAFETY: both records are valid for the call, kbps is not 0.
        unsafe { ffi::at_emulate(&mut self.0, kbps, fer, ip_bytes, &mut tx) };
        tx
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(extra_ns: u64) -> Emulator {
        let phy = Phy::named("d7.1").unwrap();
        Emulator::new(&EmulatorConfig { phy, attempts: 5, extra_ns }, 1)
    }

    #[test]
    fn the_published_cost_of_a_packet() {
        let once = |air| Tx { air, span: air, attempts: 1, acked: true };
        assert_eq!(published(0).draw(54_000, 0.0, 1500), once(399_259));
        assert_eq!(published(0).draw(54_000, -1.0, 0), once(177_037));
        assert_eq!(published(2_000_000).draw(54_000, f64::NAN, 1500), once(2_399_259));
    }

    #[test]
    fn an_error_rate_of_1_loses_everything() {
        for error_rate in [1.0, 2.0] {
            let tx = published(0).draw(54_000, error_rate, 1500);
            assert!(!tx.acked && tx.attempts == 5);
            assert_eq!((tx.air - 5 * 399_259) % 20_000, 0, "whole slots of backoff");
        }
    }

    /// The same draws on every machine; these were computed by another program
    /// from the description in `airtab/emulator.h`.
    #[test]
    fn draws_are_frozen() {
        let mut link = published(0);
        let draws: Vec<_> =
            (0..4).map(|_| link.draw(54_000, 0.5, 1500)).map(|t| (t.attempts, t.air)).collect();
        assert_eq!(draws, [(1, 399_259), (3, 2_377_777), (1, 399_259), (4, 3_437_036)]);
    }
}
