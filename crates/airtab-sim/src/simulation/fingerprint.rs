// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A number that tells two runs apart: a hash of what happened, and when.

use super::Simulation;

/// Of a run so far.
pub(super) struct Fingerprint(pub(super) u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Something happened at `now`, ns.
    #[inline]
    pub(super) fn note(&mut self, now: u64, what: u64, value: u64) {
        let word = now ^ what << 56 ^ value << 40;
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

impl Simulation {
    /// Something happened now.
    pub(super) fn note(&mut self, what: u64, value: u64) {
        self.fingerprint.note(self.now, what, value);
    }
}
