// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Cells of 802.11n, ac and ax that never run empty: aggregates to stations at their fastest rate, out of a
//! discipline and a driver's ring.
//!
//! What it does not do: no contention of many; the stations send TCP's ACKs and nothing else.

use airtab_core::time::SECOND as S;
use airtab_core::{Phy, RateSpec};
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::{Download, Udp};
use airtab_sim::wifi::{
    Aggregation, Category, CellConfig, DriverConfig, Edca, Loss, Mean, RateAlgorithm, Signal, Speed,
};
use airtab_sim::{App, AppKind, Latency, Scenario, Servers, Station, Users, Wired};

/// A cell, and what a simulated second of it may take.
pub struct Modern {
    /// Of the figure.
    pub name: &'static str,
    profile: &'static str,
    mcs: u8,
    gi: u16,
    stations: usize,
    udp: bool,
    /// CPU seconds.
    pub target: f64,
}

/// Simulated seconds of a run.
pub const SECONDS: u64 = 5;

/// Their targets are a hundredth of what ns-3 takes for the like.
pub const MODERN: [Modern; 3] = [
    Modern {
        name: "ht20-3sta-udp",
        profile: "std-11n",
        mcs: 7,
        gi: 800,
        stations: 3,
        udp: true,
        target: 0.003,
    },
    Modern {
        name: "vht80-3sta-tcp",
        profile: "std-11ac",
        mcs: 9,
        gi: 800,
        stations: 3,
        udp: false,
        target: 0.015,
    },
    Modern {
        name: "he80-10sta-tcp",
        profile: "std-11ax",
        mcs: 11,
        gi: 3200,
        stations: 10,
        udp: false,
        target: 0.03,
    },
];

impl Modern {
    /// The driver's defaults, EDCA, 60 Mb/s of UDP offered to each station or a CUBIC download by each.
    pub fn scenario(&self, control: RateAlgorithm) -> Scenario {
        let phy = Phy::named(self.profile).expect("a profile of the core");
        let spec = RateSpec { mcs: self.mcs, gi: Some(self.gi), ..RateSpec::default() };
        let speed = Speed { rate: phy.rate(&spec).expect("a rate of the profile"), control };
        let loss = match control {
            RateAlgorithm::Fixed => Loss::None,
            _ => Loss::Signal(Signal::steady(Mean::Distance(1.0))),
        };
        let kind = match self.udp {
            true => AppKind::Udp(Udp {
                rate: Rate::Mean(60_000_000),
                bytes: 1500,
                gaps: Gaps::Constant,
                upload: false,
            }),
            false => AppKind::Download(Download::endless(Algorithm::Cubic)),
        };
        let app = |station| App {
            name: format!("app {station}"),
            kind: kind.clone(),
            station,
            active_ns: 0..SECONDS * S,
            class: 0,
            users: Users::ONE,
            measure_ns: None,
            servers: Servers::Own(Latency::both(1_000_000)),
            access: Category::default(),
            computer: 1,
            tunnel: false,
            arrivals: false,
            phase_ns: None,
            requirement: None,
            tcp: None,
        };
        let name = |i| format!("station {i}");
        let station =
            |i| Station { name: name(i), speed, loss, uplink: None, asleep: None, walk: None, access: None };
        let frames = phy.window();
        let aggregation = Aggregation {
            frames,
            bytes: phy.ampdu_bytes(),
            time_ns: 4_000_000,
            window: phy.window(),
            amsdu_bytes: 0,
            bar: false,
        };
        let cell = CellConfig {
            aggregation: Some(aggregation),
            edca: Edca::Ieee2012,
            txop: true,
            driver: DriverConfig { ring: 2 * usize::from(frames), aggregates: 2, ..DriverConfig::default() },
            ..CellConfig::new(phy)
        };
        Scenario {
            name: self.name.into(),
            duration_ns: SECONDS * S,
            measure_ns: S..SECONDS * S,
            medium: cell.into(),
            wired: Wired { rate_bps: 1_000_000_000, ..Wired::default() },
            servers: Vec::new(),
            tcp: Config::home(),
            scored: Default::default(),
            windows: Vec::new(),
            changes: Vec::new(),
            stations: (0..self.stations).map(station).collect(),
            apps: (0..self.stations).map(app).collect(),
        }
    }
}
