//! One random stream per entity.
//!
//! The stream of an entity depends on the run's seed and the entity's name
//! only: adding a station changes no draw of another. ChaCha8 words; integers
//! and reals are made from them here, so that they are the same everywhere.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The random numbers of one entity.
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of the entity `name` in the run `seed`.
    pub fn new(seed: u64, name: &str) -> Stream {
        // Two FNV-1a hashes with different offsets: 128 bits of name.
        let hash = |offset: u64| {
            name.bytes().fold(offset, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
        };
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&hash(0xcbf2_9ce4_8422_2325).to_le_bytes());
        key[16..24].copy_from_slice(&hash(0x8422_2325_cbf2_9ce4).to_le_bytes());
        key[24..].copy_from_slice(b"airtab-1");
        Stream(ChaCha8Rng::from_seed(key))
    }

    /// An integer from 0 to `mask`, which is a power of two less one.
    pub fn masked(&mut self, mask: u32) -> u32 {
        debug_assert!(mask & mask.wrapping_add(1) == 0);
        self.0.next_u32() & mask
    }

    /// An integer from 0 to `n - 1`.
    pub fn below(&mut self, n: u64) -> u64 {
        // The high half of a 64x64 product; its bias is below n / 2^64.
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A real in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_and_name_only() {
        let draw = |seed, name| {
            let mut s = Stream::new(seed, name);
            [s.below(1 << 60), s.below(1 << 60), u64::from(s.masked(1023))]
        };
        assert_eq!(draw(1, "sta1"), draw(1, "sta1"));
        assert_ne!(draw(1, "sta1"), draw(2, "sta1"));
        assert_ne!(draw(1, "sta1"), draw(1, "sta2"));
    }

    /// The same draws on every machine and after every upgrade of the library.
    #[test]
    fn draws_are_frozen() {
        let mut s = Stream::new(1, "sta1");
        let draws = (s.masked(1023), s.below(1_000_000), (s.unit() * 1e6) as u32);
        assert_eq!(draws, (93, 1092, 344_945));
    }
}
