// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The radio links: how fast frames go, how long they take, which are lost.
//!
//! A frame's rate and error rate are those of its link when it is made; it keeps
//! them for its repetitions.
//!
//! What it does not do: no rate control, and losses do not depend on rate or length.

use airtab_core::Phy;

use super::config::Loss;
use crate::engine::{Chance, Stream};

/// Longest packet whose duration is looked up instead of computed.
const TABLE: u32 = 2304;

/// How a frame goes out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    /// PHY rate, kb/s.
    pub(super) kbps: u32,
    /// Probability that one of its DATA or ACKs is lost.
    pub(super) loss: Chance,
    pub(super) data_ns: u64,
    /// SIFS and ACK, or the wait for it; 0 if nobody acknowledges.
    pub(super) ack_ns: u32,
}

impl Frame {
    /// What an attempt takes of the channel.
    #[inline]
    pub(super) fn air_ns(&self) -> u64 {
        self.data_ns + u64::from(self.ack_ns)
    }
}

/// Durations at one PHY rate.
struct Rate {
    phy: Phy,
    kbps: u32,
    data_ns: Vec<u32>,
    /// SIFS and ACK, ns: also how long a sender waits for the ACK.
    ack_ns: u32,
}

impl Rate {
    fn new(phy: Phy, kbps: u32) -> Rate {
        let data_ns = (0..=TABLE)
            .map(|bytes| u32::try_from(phy.data_ns(kbps, bytes)).expect("a frame lasts less than 4 s"))
            .collect();
        let ack_ns = phy.sifs_ns() + phy.ack_ns(kbps);
        Rate { phy, kbps, data_ns, ack_ns: ack_ns.try_into().expect("an ACK lasts less than 4 s") }
    }

    #[inline]
    fn data_ns(&self, ip_bytes: u32) -> u64 {
        match self.data_ns.get(ip_bytes as usize) {
            Some(&ns) => ns.into(),
            None => self.phy.data_ns(self.kbps, ip_bytes),
        }
    }
}

/// The links between the access point and its stations, the same both ways.
pub(super) struct Radios {
    /// First that of frames to all: the profile's lowest.
    rates: Vec<Rate>,
    stations: Vec<Radio>,
}

struct Radio {
    /// Index of its rate.
    rate: usize,
    loss: Chance,
    draws: Stream,
}

impl Radios {
    /// Stations with name, PHY rate (kb/s) and losses each.
    pub(super) fn new(phy: Phy, stations: &[(&str, u32, Loss)], seed: u64) -> Radios {
        let radio =
            |name| Radio { rate: 0, loss: Chance::NONE, draws: Stream::new(seed, &format!("radio/{name}")) };
        let mut radios = Radios {
            rates: vec![Rate::new(phy, phy.base_kbps())],
            stations: stations.iter().map(|(name, ..)| radio(name)).collect(),
        };
        for (i, &(_, kbps, loss)) in stations.iter().enumerate() {
            radios.set(i, kbps, loss);
        }
        radios
    }

    /// Another rate and other losses for a station.
    pub(super) fn set(&mut self, station: usize, kbps: u32, loss: Loss) {
        let rate = self.rates.iter().position(|r| r.kbps == kbps).unwrap_or_else(|| {
            let rate = Rate::new(self.rates[0].phy, kbps);
            // In the place of one that nobody uses any more, so that there are never many.
            let used = |i: &usize| self.stations.iter().any(|s| s.rate == *i);
            let place = (1..self.rates.len()).find(|i| !used(i)).unwrap_or(self.rates.len());
            if place == self.rates.len() {
                self.rates.push(rate);
            } else {
                self.rates[place] = rate;
            }
            place
        });
        let radio = &mut self.stations[station];
        (radio.rate, radio.loss) = (rate, Chance::new(loss.frame_error_rate()));
    }

    /// A frame to or from a station (None: to all) of so many bytes of IP.
    #[inline]
    pub(super) fn frame(&self, station: Option<u16>, ip_bytes: u32) -> Frame {
        let radio = station.map(|s| &self.stations[usize::from(s)]);
        let rate = &self.rates[radio.map_or(0, |radio| radio.rate)];
        Frame {
            kbps: rate.kbps,
            loss: radio.map_or(Chance::NONE, |radio| radio.loss),
            data_ns: rate.data_ns(ip_bytes),
            ack_ns: if radio.is_some() { rate.ack_ns } else { 0 },
        }
    }

    /// Draws whether one frame to or from a station is lost.
    #[inline]
    pub(super) fn loses(&mut self, station: u16, loss: Chance) -> bool {
        loss != Chance::NONE && self.stations[usize::from(station)].draws.happens(loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_that_changes_its_rate_often_takes_no_more_memory() {
        let phy = Phy::named("phy-a").expect("a profile of the core");
        let mut radios = Radios::new(phy, &[("a", 54_000, Loss::None), ("b", 54_000, Loss::None)], 1);
        for kbps in 7_000..7_100 {
            radios.set(1, kbps, Loss::None);
            let rates = [Some(0), Some(1), None].map(|station| radios.frame(station, 1500).kbps);
            assert_eq!(rates, [54_000, kbps, phy.base_kbps()]);
        }
        assert!(radios.rates.len() <= 4, "all, two stations, and one while it changes");
    }
}
