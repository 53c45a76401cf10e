// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One random stream per entity.
//!
//! The stream of an entity depends on the run's seed and the entity's name
//! only: adding a station changes no draw of another. ChaCha8 words; integers
//! and reals are made from them here, so that they are the same everywhere.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Values of [`Stream::unit`].
const UNITS: f64 = (1u64 << 53) as f64;

/// A probability, as the number of values of [`Stream::unit`] below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) const NONE: Chance = Chance(0);

    /// Of 0 to 1.
    pub(crate) fn new(probability: f64) -> Chance {
        Chance(libm::ceil(probability * UNITS) as u64)
    }
}

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
        (self.0.next_u64() >> 11) as f64 * (1.0 / UNITS)
    }

    /// Whether something happens: as [`Stream::unit`] below the probability, draw for draw.
    #[inline]
    pub(crate) fn happens(&mut self, chance: Chance) -> bool {
        self.0.next_u64() >> 11 < chance.0
    }

    /// A real from the standard normal distribution (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(2.0 * std::f64::consts::PI * self.unit())
    }

    /// exp(mu + sigma N).
    pub fn lognormal(&mut self, mu: f64, sigma: f64) -> f64 {
        libm::exp(mu + sigma * self.normal())
    }

    /// From the gamma distribution (Marsaglia and Tsang 2000), any shape > 0.
    pub fn gamma(&mut self, shape: f64, scale: f64) -> f64 {
        if shape < 1.0 {
            let power = libm::pow(1.0 - self.unit(), 1.0 / shape);
            return power * self.gamma(shape + 1.0, scale);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        loop {
            let x = self.normal();
            let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
            if v > 0.0 && libm::log(1.0 - self.unit()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return scale * d * v;
            }
        }
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

    #[test]
    fn distributions_have_their_moments() {
        let mut s = Stream::new(1, "moments");
        let mut moments = |draw: &mut dyn FnMut(&mut Stream) -> f64| {
            let x: Vec<f64> = (0..200_000).map(|_| draw(&mut s)).collect();
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            (mean, x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / x.len() as f64)
        };
        let (mean, variance) = moments(&mut |s| s.normal());
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02);
        for shape in [0.141_385, 3.0] {
            let (mean, variance) = moments(&mut |s| s.gamma(shape, 2.0));
            assert!((mean / (2.0 * shape) - 1.0).abs() < 0.03, "{mean}");
            assert!((variance / (4.0 * shape) - 1.0).abs() < 0.06, "{variance}");
        }
    }

    /// Where it matters: at a drawn value itself and next to it.
    #[test]
    fn chances_are_those_of_reals() {
        for name in 0..200 {
            let stream = || Stream::new(7, &format!("{name}"));
            let x = stream().unit();
            for p in [0.0, x.next_down(), x, x.next_up(), 1.0] {
                let (mut a, mut b) = (stream(), stream());
                assert_eq!(a.unit() < p, b.happens(Chance::new(p)), "{p} at {x}");
                assert_eq!(a.unit(), b.unit(), "one draw each");
            }
        }
        assert_eq!((Chance::new(0.0), Chance::new(f64::MIN_POSITIVE)), (Chance::NONE, Chance(1)));
    }

    /// The same draws on every machine and after every upgrade of the library.
    #[test]
    fn draws_are_frozen() {
        let mut s = Stream::new(1, "sta1");
        let draws = (s.masked(1023), s.below(1_000_000), (s.unit() * 1e6) as u32);
        assert_eq!(draws, (93, 1092, 344_945));
    }
}
