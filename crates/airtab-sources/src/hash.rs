// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! FNV-1a hash of 64 bits over a sequence of byte strings, equal on every machine.

/// State of the hash.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds the bytes and their number, so that "ab", "c" differs from "a", "bc".
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().copied().chain((bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Returns the hash as 16 hexadecimal digits.
    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}
