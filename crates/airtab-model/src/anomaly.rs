// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The anomaly of 802.11 with aggregates: what a slow station leaves of a cell that serves one aggregate after the
//! other, and what the cell carries when each station has the same air.
//!
//! Source: T. Hoiland-Jorgensen, M. Kazior, D. Taht, P. Hurtig, A. Brunstrom, "Ending the Anomaly: Achieving Low
//! Latency and Airtime Fairness in WiFi", USENIX ATC 2017, section 2.2. Alone, a station gets 8 bytes / (T_data +
//! overhead), where T_data is the preamble and its mean aggregate at its rate. Its share of the air is by T_data
//! where stations send one aggregate each in turn, and equal where air is shared equally; it gets that share of
//! what it would get alone.
//!
//! What it does not do: no collisions, no errors, no symbols (air is bytes over rate), and it does not say how long
//! aggregates are: they are measured, or assumed.

/// IP bytes of the full packet of which aggregates are taken to consist, and what it is on the air: MAC header, LLC
/// header, FCS, and delimiter and padding of the subframe.
const PACKET: (f64, f64) = (1500.0, 1544.0);

/// A station that always has something to receive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Rate at which its data is sent, bit/s, above 0.
    pub rate_bps: u64,
    /// IP bytes of its mean aggregate, above 0.
    pub aggregate_bytes: u64,
}

/// What every aggregate costs beside its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Preamble, ns: part of the air that an aggregate takes.
    pub phy_ns: u64,
    /// Interframe spaces, mean backoff, acknowledgement, ns: between the aggregates.
    pub overhead_ns: u64,
}

impl Costs {
    /// The paper's: 32 us, and 150 us.
    pub const PAPER: Costs = Costs { phy_ns: 32_000, overhead_ns: 150_000 };

    /// Air of a station's mean aggregate, preamble included, s.
    fn data_s(&self, station: &Station) -> f64 {
        let bits = 8.0 * station.aggregate_bytes as f64 * PACKET.1 / PACKET.0;
        self.phy_ns as f64 / 1e9 + bits / station.rate_bps as f64
    }

    /// What a station gets alone in the cell, IP bit/s.
    pub fn alone_bps(&self, station: &Station) -> f64 {
        8.0 * station.aggregate_bytes as f64 / (self.data_s(station) + self.overhead_ns as f64 / 1e9)
    }
}

/// What a station has of the cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Share of the air that carries data, 0 to 1.
    pub air: f64,
    /// IP bit/s.
    pub goodput_bps: f64,
}

/// Stations send one aggregate each in turn, as out of one queue: air by the length of aggregates.
pub fn in_turn(stations: &[Station], costs: Costs) -> Vec<Share> {
    let all: f64 = stations.iter().map(|station| costs.data_s(station)).sum();
    stations.iter().map(|station| share(station, costs, costs.data_s(station) / all)).collect()
}

/// Each has the same air.
pub fn fair(stations: &[Station], costs: Costs) -> Vec<Share> {
    stations.iter().map(|station| share(station, costs, 1.0 / stations.len() as f64)).collect()
}

fn share(station: &Station, costs: Costs, air: f64) -> Share {
    Share { air, goodput_bps: air * costs.alone_bps(station) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: [u64; 3] = [144_400_000, 144_400_000, 7_200_000];

    fn stations(aggregates: [u64; 3]) -> Vec<Station> {
        let both = RATES.into_iter().zip(aggregates);
        both.map(|(rate_bps, aggregate_bytes)| Station { rate_bps, aggregate_bytes }).collect()
    }

    fn figures(shares: &[Share]) -> (Vec<String>, Vec<String>, String) {
        let sum: f64 = shares.iter().map(|share| share.goodput_bps).sum();
        (
            shares.iter().map(|share| format!("{:.1}", share.air * 100.0)).collect(),
            shares.iter().map(|share| format!("{:.2}", share.goodput_bps / 1e6)).collect(),
            format!("{:.1}", sum / 1e6),
        )
    }

    /// By hand: T_data is 425.029, 478.691, 3364.753 us; alone 95.884, 99.674, 6.633 Mb/s.
    #[test]
    fn one_queue_gives_the_air_to_the_slow_station() {
        let (air, goodput, sum) = figures(&in_turn(&stations([6892, 7833, 2914]), Costs::PAPER));
        assert_eq!(air, ["10.0", "11.2", "78.8"]);
        assert_eq!(goodput, ["9.55", "11.18", "5.23"]);
        assert_eq!(sum, "26.0");
    }

    #[test]
    fn the_same_air_for_each_gives_the_fast_ones_three_times_as_much() {
        let (air, _, sum) = figures(&fair(&stations([28_434, 28_557, 2914]), Costs::PAPER));
        assert_eq!(air, ["33.3"; 3]);
        assert_eq!(sum, "86.3");
    }

    /// 1500 bytes at 12.352 Mb/s are 1 ms on the air; with 1 ms of overhead in all, 6 Mb/s.
    #[test]
    fn a_lone_station_by_hand() {
        let station = Station { rate_bps: 12_352_000, aggregate_bytes: 1500 };
        let costs = Costs { phy_ns: 250_000, overhead_ns: 750_000 };
        assert_eq!(format!("{:.6}", costs.alone_bps(&station) / 1e6), "6.000000");
        assert_eq!(in_turn(&[station], costs), fair(&[station], costs));
        assert_eq!(in_turn(&[station], costs)[0].air, 1.0);
    }

    /// Preambles are air, overhead is not: with long preambles shares move to equal, with long overhead they stay.
    #[test]
    fn overhead_is_between_the_shares() {
        let of = |phy_ns, overhead_ns| {
            let shares = in_turn(&stations([6892, 7833, 2914]), Costs { phy_ns, overhead_ns });
            shares.iter().map(|share| share.air).collect::<Vec<_>>()
        };
        assert_eq!(of(32_000, 150_000), of(32_000, 900_000_000));
        assert!(of(900_000_000, 0).iter().all(|air| (air - 1.0 / 3.0).abs() < 0.002));
    }
}
