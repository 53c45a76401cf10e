//! The radio links: how long frames take, which are lost.

use airtab_core::Phy;

use super::config::Loss;
use crate::engine::Stream;

/// Longest packet whose duration is looked up instead of computed.
const TABLE: u32 = 2304;

/// Durations at one PHY rate.
pub(super) struct Rate {
    phy: Phy,
    kbps: u32,
    data_ns: Vec<u32>,
    /// SIFS and ACK, ns: also how long a sender waits for the ACK.
    pub(super) ack_ns: u64,
}

impl Rate {
    pub(super) fn new(phy: Phy, kbps: u32) -> Rate {
        let data_ns = (0..=TABLE)
            .map(|bytes| u32::try_from(phy.data_ns(kbps, bytes)).expect("a frame lasts less than 4 s"))
            .collect();
        Rate { phy, kbps, data_ns, ack_ns: phy.sifs_ns() + phy.ack_ns(kbps) }
    }

    pub(super) fn kbps(&self) -> u32 {
        self.kbps
    }

    pub(super) fn data_ns(&self, ip_bytes: u32) -> u64 {
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
    error_rate: f64,
    draws: Stream,
}

impl Radios {
    /// Stations with name, PHY rate (kb/s) and losses each.
    pub(super) fn new(phy: Phy, stations: &[(&str, u32, Loss)], seed: u64) -> Radios {
        let radio =
            |name| Radio { rate: 0, error_rate: 0.0, draws: Stream::new(seed, &format!("radio/{name}")) };
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
        let rate = self.rates.iter().position(|r| r.kbps() == kbps).unwrap_or_else(|| {
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
        (radio.rate, radio.error_rate) = (rate, loss.frame_error_rate());
    }

    /// The rate to and from a station, or to all.
    #[inline]
    pub(super) fn rate(&self, station: Option<usize>) -> &Rate {
        &self.rates[station.map_or(0, |s| self.stations[s].rate)]
    }

    #[inline]
    pub(super) fn error_rate(&self, station: usize) -> f64 {
        self.stations[station].error_rate
    }

    /// Draws whether one frame to or from a station is lost.
    #[inline]
    pub(super) fn loses(&mut self, station: usize, error_rate: f64) -> bool {
        error_rate > 0.0 && self.stations[station].draws.unit() < error_rate
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
            assert_eq!((radios.rate(Some(0)).kbps(), radios.rate(Some(1)).kbps()), (54_000, kbps));
            assert_eq!(radios.rate(None).kbps(), phy.base_kbps());
        }
        assert!(radios.rates.len() <= 4, "all, two stations, and one while it changes");
    }
}
