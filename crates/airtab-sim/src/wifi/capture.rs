// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frame capture in a cell: a frame that overlaps others survives if its signal at its receiver is stronger than each of
//! theirs by a margin.
//!
//! All transmit with equal power, and signals fall by the path-loss exponent of the links. Distances between stations
//! follow from those to the access point: sqrt(a^2 + b^2), the root mean square over all directions.
//!
//! Limits: mean signals without shadowing, no sum of several signals; frames to all do not survive.

use super::config::{CellConfig, Loss};
use super::snr::Mean;

/// Distances of the stations, and how much farther who disturbs a receiver must be than who sends to it.
pub(super) struct Capture {
    margin_db: f64,
    /// To the access point, metres.
    distances: Vec<f64>,
    exponent: f64,
}

/// The access point, or a station by number.
type Radio = Option<usize>;

impl Capture {
    /// None: no frame survives others.
    pub(super) fn new<'a>(
        config: &CellConfig,
        losses: impl Iterator<Item = &'a Loss>,
    ) -> Option<Box<Capture>> {
        let margin_db = config.capture_db?;
        let mut capture = Capture { margin_db, distances: Vec::new(), exponent: Mean::EXPONENT };
        for (station, loss) in losses.enumerate() {
            capture.distances.push(1.0);
            capture.set(station, loss);
        }
        Some(Box::new(capture))
    }

    /// Another distance of a station.
    pub(super) fn set(&mut self, station: usize, loss: &Loss) {
        self.distances[station] = loss.capture_m().unwrap_or(self.distances[station]);
        if let Loss::Shadowing { by, .. } = loss {
            self.exponent = by.exponent;
        }
    }

    fn distance(&self, a: Radio, b: Radio) -> f64 {
        match (a, b) {
            (Some(a), Some(b)) => libm::hypot(self.distances[a], self.distances[b]),
            (Some(station), None) | (None, Some(station)) => self.distances[station],
            (None, None) => 0.0,
        }
    }

    /// Whether a frame survives another one at its receiver.
    pub(super) fn survives(&self, from: Radio, to: Radio, other: Radio) -> bool {
        if other == to {
            return false; // it sends, and hears nothing
        }
        let [own, others] = [from, other].map(|sender| self.distance(sender, to));
        10.0 * self.exponent * libm::log10(others / own) > self.margin_db
    }
}

impl Loss {
    /// Distance to the access point that capture uses, metres; None: the signal is unknown.
    pub fn capture_m(&self) -> Option<f64> {
        match self {
            Loss::Shadowing { distance_m, .. } => Some(*distance_m),
            Loss::Signal(signal) => Some(match signal.mean {
                Mean::Distance(metres) => metres,
                Mean::Given(db) => libm::pow(10.0, (Mean::NEAR_DB - db) / 10.0 / Mean::EXPONENT),
            }),
            Loss::None | Loss::Fer(_) | Loss::Mpdu(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::Phy;

    use super::*;
    use crate::wifi::snr::Signal;

    /// Stations at 3 and 4 m are 5 m apart; 30 dB a decade: 30 log10(4 / 3) = 3.748, 30 log10(5 / 4) = 2.907,
    /// 30 log10(5 / 3) = 6.655 dB.
    #[test]
    fn who_is_nearer_by_the_margin_survives() {
        let phy = Phy::named("std-11n").expect("a profile of the core");
        let losses = [Loss::at(3.0), Loss::Signal(Signal::steady(Mean::Given(Mean::Distance(4.0).db())))];
        let survives = |db: f64, from, to, other| {
            let cell = CellConfig { capture_db: Some(db), ..CellConfig::new(phy) };
            Capture::new(&cell, losses.iter()).expect("it has a margin").survives(from, to, other)
        };
        for (from, to, other, db) in [
            (Some(0), None, Some(1), 3.748),
            (None, Some(1), Some(0), 2.907),
            (None, Some(0), Some(1), 6.655),
        ] {
            assert!(
                survives(db - 0.001, from, to, other) && !survives(db + 0.001, from, to, other),
                "{from:?}"
            );
        }
        assert!(!survives(0.0, Some(1), None, Some(0)), "the farther one");
        assert!(!survives(0.0, Some(0), None, None), "the access point sends");
        assert!(!survives(0.0, None, Some(1), Some(1)), "its receiver sends");
        assert!(Capture::new(&CellConfig::new(phy), losses.iter()).is_none());
    }
}
