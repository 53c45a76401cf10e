// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who overhears a frame in error: a station that neither sends it nor is meant by
//! it misses it with its own frame error rate. IEEE 802.11-2020 10.3.2.3.7: whoever's
//! PHY indicates an erroneous frame waits EIFS.
//!
//! Nothing is drawn per frame: a station draws how many frames it hears until the next
//! one in error, which is geometric, and the frames are counted once for all. Those of its
//! own count too: what came before says nothing about what comes next.
//!
//! What it does not do: stations have one frame error rate, that of their link, whoever sends.

use super::config::Loss;
use crate::engine::{NEVER, Stream};

/// The stations' ears.
pub(super) struct Overhearing {
    /// Frames so far.
    frames: u64,
    /// The first of `next` of all stations.
    next: u64,
    stations: Vec<Ear>,
}

struct Ear {
    /// ln(1 - frame error rate).
    log_right: f64,
    /// Number of the next frame that it gets in error; NEVER: it gets none.
    next: u64,
    draws: Stream,
}

impl Ear {
    fn listen(&mut self, frames: u64) {
        self.next = match self.log_right {
            0.0 => NEVER,
            // 1 for the next one. What is too much for an integer is its largest.
            log => {
                let right = libm::log(1.0 - self.draws.unit()) / log;
                frames.saturating_add(1).saturating_add(right as u64)
            }
        };
    }
}

impl Overhearing {
    /// Stations with losses; `names` are those of their random streams.
    pub(super) fn new<'a>(stations: impl Iterator<Item = (&'a str, Loss)>, seed: u64) -> Overhearing {
        let ear = |(name, _): &(&str, Loss)| Ear {
            log_right: 0.0,
            next: NEVER,
            draws: Stream::new(seed, &format!("overhearing/{name}")),
        };
        let (ears, losses): (Vec<_>, Vec<_>) = stations.map(|s| (ear(&s), s.1)).unzip();
        let mut overhearing = Overhearing { frames: 0, next: NEVER, stations: ears };
        for (station, loss) in losses.into_iter().enumerate() {
            overhearing.set(station, loss);
        }
        overhearing
    }

    /// Other losses for a station.
    pub(super) fn set(&mut self, station: usize, loss: Loss) {
        let ear = &mut self.stations[station];
        ear.log_right = libm::log1p(-loss.frame_error_rate());
        ear.listen(self.frames);
        self.look_ahead();
    }

    /// A frame was sent. True if one of the stations is to be asked about it.
    #[inline]
    pub(super) fn frame(&mut self) -> bool {
        self.frames += 1;
        self.frames == self.next
    }

    /// Tells who got this frame in error, if it heard it.
    #[cold]
    pub(super) fn in_error(&mut self, mut tell: impl FnMut(usize)) {
        for (station, ear) in self.stations.iter_mut().enumerate() {
            if ear.next == self.frames {
                ear.listen(self.frames);
                tell(station);
            }
        }
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        self.next = self.stations.iter().map(|ear| ear.next).min().unwrap_or(NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each station by its own rate, frame by frame, whatever the others do: two of one rate, too.
    #[test]
    fn every_station_errs_by_its_own_rate() {
        let rates = [0.0, 1e-3, 0.3, 0.95, 1.0, 0.3];
        let names = ["a", "b", "c", "d", "e", "f"];
        let losses = || names.into_iter().zip(rates.map(Loss::Fer));
        let mut all = Overhearing::new(losses(), 1);
        let mut alone = Overhearing::new(losses().skip(2).take(1), 1);
        let frames = 1_000_000;
        // Frames in error, and pairs of them in succession; those in error for both of one rate.
        let (mut errors, mut pairs, mut both) = ([0u64; 6], [0u64; 6], 0);
        let mut before = [false; 6];
        for _ in 0..frames {
            let mut erred = [false; 6];
            if all.frame() {
                all.in_error(|station| erred[station] = true);
            }
            let mut lone = false;
            if alone.frame() {
                alone.in_error(|_| lone = true);
            }
            assert_eq!(erred[2], lone, "another station changes no draw");
            both += u64::from(erred[2] && erred[5]);
            for i in 0..6 {
                errors[i] += u64::from(erred[i]);
                pairs[i] += u64::from(erred[i] && before[i]);
            }
            before = erred;
        }
        assert_eq!((errors[0], errors[4], pairs[4]), (0, frames, frames - 1));
        let close = |seen: u64, p: f64| {
            let expected = frames as f64 * p;
            (seen as f64 - expected).abs() <= 5.0 * expected.sqrt()
        };
        assert!(close(both, 0.3 * 0.3), "{both}");
        for (i, p) in rates.iter().enumerate() {
            assert!(close(errors[i], *p) && close(pairs[i], p * p), "{p}: {errors:?}, {pairs:?}");
        }
    }

    #[test]
    fn other_losses_count_from_the_next_frame_on() {
        let mut all = Overhearing::new([("a", Loss::Fer(1.0)), ("b", Loss::None)].into_iter(), 1);
        let erred = |all: &mut Overhearing| {
            let mut who = Vec::new();
            if all.frame() {
                all.in_error(|station| who.push(station));
            }
            who
        };
        assert_eq!(erred(&mut all), [0]);
        all.set(1, Loss::Fer(1.0));
        assert_eq!(erred(&mut all), [0, 1]);
        all.set(0, Loss::None);
        assert_eq!(erred(&mut all), [1]);
    }
}
