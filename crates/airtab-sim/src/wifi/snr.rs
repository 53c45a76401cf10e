// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How far the signal is above the noise, on the link between the access point and a
//! station, the same both ways.
//!
//! Path loss by the logarithm of the distance with log-normal shadowing (T. S. Rappaport, Wireless
//! Communications, 4.9), which stays for a *coherence time* and is then drawn anew. 67.3 dB at 1 m and 20 MHz
//! is what 20 dBm at 5.18 GHz leave above the noise of a receiver with a noise figure of 7 dB; the exponent is 3.
//!
//! What it does not do: no gradual change from one shadow to the next, no fading, no antennas
//! (each of several streams has its part of the power and nothing else), no interference.

use crate::engine::{NEVER, Stream};

/// Mean signal-to-noise ratio at 20 MHz, one stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mean {
    /// Of this distance, metres, above 0.
    Distance(f64),
    /// This, dB.
    Given(f64),
}

impl Mean {
    /// At a distance of 1 m, dB.
    pub const NEAR_DB: f64 = 67.3;
    /// Path-loss exponent.
    pub const EXPONENT: f64 = 3.0;

    /// dB.
    pub fn db(self) -> f64 {
        match self {
            Mean::Distance(metres) => Mean::NEAR_DB - 10.0 * Mean::EXPONENT * libm::log10(metres),
            Mean::Given(db) => db,
        }
    }
}

/// The signal of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// Without shadowing.
    pub mean: Mean,
    /// Standard deviation of the shadowing, dB, not negative. 0: there is none, and nothing is drawn.
    pub deviation_db: f64,
    /// How long a shadow stays, ns, above 0: from one multiple of it to the next.
    /// [`NEVER`]: the whole run.
    pub coherence_ns: u64,
}

impl Signal {
    /// Without shadowing.
    pub fn steady(mean: Mean) -> Signal {
        Signal { mean, deviation_db: 0.0, coherence_ns: NEVER }
    }
}

/// The signal-to-noise ratio of a link over time.
///
/// The shadows are those of the link's name, the run's seed and the time: neither what is sent nor when it is
/// asked for changes them.
pub struct Snr {
    signal: Signal,
    mean_db: f64,
    /// Standard normal.
    shadow: f64,
    /// When the shadow is over, ns.
    until: u64,
    now_db: f64,
    draws: Stream,
}

impl Snr {
    /// From the time 0 on; `name` is that of its random stream.
    pub fn new(signal: Signal, seed: u64, name: &str) -> Snr {
        let draws = Stream::new(seed, &format!("shadowing/{name}"));
        let none = Signal::steady(signal.mean);
        let mut snr = Snr { signal: none, mean_db: 0.0, shadow: 0.0, until: NEVER, now_db: 0.0, draws };
        snr.set(signal, 0);
        snr
    }

    /// Another signal from now on, ns. The shadow stays until it is over, if there are shadows and
    /// their time is the same.
    pub fn set(&mut self, signal: Signal, now: u64) {
        debug_assert!(signal.coherence_ns > 0 && signal.deviation_db >= 0.0);
        if signal.deviation_db == 0.0 {
            self.until = NEVER;
        } else if self.signal.deviation_db == 0.0 || self.signal.coherence_ns != signal.coherence_ns {
            self.shadow = self.draws.normal();
            self.until = (now / signal.coherence_ns + 1).saturating_mul(signal.coherence_ns);
        }
        (self.signal, self.mean_db) = (signal, signal.mean.db());
        self.look(now);
    }

    /// At 20 MHz, one stream, dB. `now`, ns, does not go back.
    #[inline]
    pub fn db(&mut self, now: u64) -> f64 {
        if now >= self.until {
            self.look(now);
        }
        self.now_db
    }

    /// One draw for each shadow since the last, so that the next one is that of its time.
    #[cold]
    fn look(&mut self, now: u64) {
        while now >= self.until && self.until != NEVER {
            self.shadow = self.draws.normal();
            self.until = self.until.saturating_add(self.signal.coherence_ns);
        }
        self.now_db = self.mean_db + self.signal.deviation_db * self.shadow;
    }

    /// What a stream has less than at 20 MHz alone, dB: 3 for each doubling of the width (MHz: 20, 40, 80,
    /// 160), and its share of the power among so many streams. A resource unit has the
    /// power of its tones: the width of its PPDU counts.
    pub fn share_db(width: u16, streams: u8) -> f64 {
        debug_assert!(width >= 20 && streams > 0);
        f64::from((width / 20).ilog2()) * 3.0 + 10.0 * libm::log10(f64::from(streams))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_mean_falls_by_30_db_a_decade() {
        for (metres, db) in [(1.0, 67.3), (10.0, 37.3), (100.0, 7.3), (1000.0, -22.7)] {
            assert!((Mean::Distance(metres).db() - db).abs() < 1e-12, "{metres} m");
        }
        // 9.03 dB for twice as far.
        assert!((Mean::Distance(20.0).db() - 28.269_1).abs() < 1e-4);
        assert_eq!(Mean::Given(12.5).db(), 12.5);
        let mut snr = Snr::new(Signal::steady(Mean::Distance(10.0)), 1, "a");
        assert_eq!((snr.db(0), snr.db(NEVER)), (Mean::Distance(10.0).db(), Mean::Distance(10.0).db()));
    }

    #[test]
    fn widths_and_streams_share_the_power() {
        let shares =
            [(20, 1, 0.0), (40, 1, 3.0), (80, 1, 6.0), (160, 1, 9.0), (20, 2, 3.0103), (80, 4, 12.0206)];
        for (width, streams, db) in shares {
            assert!((Snr::share_db(width, streams) - db).abs() < 1e-4, "{width} MHz, {streams}");
        }
    }

    /// The two mechanisms by which 67.3 comes about, within a tenth.
    #[test]
    fn near_is_what_the_power_leaves_above_the_noise() {
        let wavelength = 299_792_458.0 / 5.18e9;
        let path = 20.0 * (4.0 * std::f64::consts::PI / wavelength).log10();
        let noise = 10.0 * (1.380_649e-23 * 290.0 * 20e6 * 1000.0f64).log10() + 7.0;
        assert!((20.0 - path - noise - Mean::NEAR_DB).abs() < 0.1);
    }

    fn shadowed(deviation_db: f64, coherence_ns: u64) -> Signal {
        Signal { mean: Mean::Given(20.0), deviation_db, coherence_ns }
    }

    #[test]
    fn a_shadow_stays_for_its_time_and_not_longer() {
        let mut snr = Snr::new(shadowed(4.0, 10 * MS), 1, "a");
        let mut before = f64::NAN;
        for period in 0..1000 {
            let [first, last] = [0, 10 * MS - 1].map(|after| snr.db(period * 10 * MS + after));
            assert_eq!(first, last);
            assert_ne!(first, before);
            before = first;
        }
    }

    /// Mean 20, deviation 4, no memory: within four standard errors.
    #[test]
    fn shadows_are_normal_and_do_not_remember() {
        let n = 100_000;
        let mut snr = Snr::new(shadowed(4.0, MS), 1, "a");
        let drawn: Vec<f64> = (0..n).map(|i| (snr.db(i * MS) - 20.0) / 4.0).collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / n as f64;
        let error = 4.0 / (n as f64).sqrt();
        assert!(mean(&mut drawn.iter().copied()).abs() < error);
        assert!((mean(&mut drawn.iter().map(|x| x * x)) - 1.0).abs() < error * 2f64.sqrt());
        assert!(mean(&mut drawn.windows(2).map(|pair| pair[0] * pair[1])).abs() < error);
        let beyond = drawn.iter().filter(|x| x.abs() > 1.959_964).count() as f64 / n as f64;
        assert!((beyond - 0.05).abs() < error * 0.05f64.sqrt());
    }

    /// Whoever asks often sees what somebody who asks seldom does.
    #[test]
    fn shadows_are_those_of_the_time() {
        let signal = shadowed(7.0, 10 * MS);
        let [mut often, mut seldom] = ["a", "a"].map(|name| Snr::new(signal, 3, name));
        let (mut other, mut again) = (Snr::new(signal, 3, "b"), Snr::new(signal, 4, "a"));
        for now in (0..5000).map(|i| i * MS) {
            let seen = often.db(now);
            if now % (370 * MS) == 0 {
                assert_eq!(seen, seldom.db(now), "{now}");
                assert!(seen != other.db(now) && seen != again.db(now));
            }
        }
    }

    #[test]
    fn another_place_keeps_the_shadow() {
        let signal = shadowed(7.0, 10 * MS);
        let mut snr = Snr::new(signal, 1, "a");
        snr.set(signal, 0);
        let shadow = snr.db(12 * MS) - 20.0;
        snr.set(Signal { mean: Mean::Given(5.0), ..signal }, 13 * MS);
        assert!((snr.db(19 * MS) - 5.0 - shadow).abs() < 1e-12);
        let next = snr.db(20 * MS);
        let mut still = Snr::new(signal, 1, "a");
        assert!((next + 15.0 - still.db(20 * MS)).abs() < 1e-12, "and the shadows after it");
        // Twice the deviation is twice the shadow; none is none.
        snr.set(Signal { deviation_db: 14.0, ..signal }, 21 * MS);
        assert!((snr.db(21 * MS) - 20.0 - 2.0 * (next - 5.0)).abs() < 1e-12);
        snr.set(Signal::steady(Mean::Given(20.0)), 22 * MS);
        assert_eq!(snr.db(1000 * MS), 20.0);
        // Other times count from now on.
        snr.set(shadowed(7.0, 30 * MS), 1001 * MS);
        let first = snr.db(1001 * MS);
        assert_eq!(first, snr.db(1020 * MS - 1));
        assert_ne!(first, snr.db(1020 * MS));
        snr.set(shadowed(7.0, 45 * MS), 1021 * MS);
        let first = snr.db(1021 * MS);
        assert!(first == snr.db(1035 * MS - 1) && first != snr.db(1035 * MS));
        // Without shadows nothing is drawn.
        let mut late = Snr::new(Signal::steady(Mean::Given(20.0)), 1, "a");
        late.db(1000 * MS);
        late.set(signal, 1000 * MS);
        assert_eq!(late.db(1000 * MS), Snr::new(signal, 1, "a").db(0));
        // Once for the whole run.
        let mut once = Snr::new(shadowed(7.0, NEVER), 1, "a");
        assert!(once.db(0) != 20.0 && once.db(0) == once.db(NEVER - 1));
    }
}
