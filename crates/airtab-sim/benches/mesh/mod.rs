// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Meshes of 802.11b at 11 Mb/s under a FIFO of 50 packets at each node: `scenarios/mesh-chain4.toml`, whose nodes share a
//! cell's slots, and `scenarios/mesh-cross.toml`, where not all sense each other, of 100 s each.
//!
//! What it does not do: it reads no file.

use airtab_core::time::SECOND as S;
use airtab_core::{Discipline, Params, Phy};
use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::Download;
use airtab_sim::wifi::{Category, CellConfig, Loss, MediumConfig, MeshConfig};
use airtab_sim::{App, AppKind, Latency, Scenario, Servers, Shape, Station, Users, Wired};

/// A mesh with its targets.
pub struct Mesh {
    pub name: &'static str,
    shape: &'static str,
    /// Names of the ends of each flow.
    flows: &'static [(&'static str, &'static str)],
    /// CPU time of a run, s, and of an exchange, ns.
    pub seconds: f64,
    pub exchange_ns: f64,
}

/// All of them.
pub const MESHES: [Mesh; 2] = [
    Mesh {
        name: "mesh-chain4-11b",
        shape: "chain-4",
        flows: &[("n0", "n4")],
        seconds: 0.2,
        exchange_ns: 1_000.0,
    },
    Mesh {
        name: "mesh-cross",
        shape: "cross",
        flows: &[("n5", "gw"), ("e5", "gw"), ("s5", "gw"), ("w5", "gw")],
        seconds: 1.5,
        exchange_ns: 3_000.0,
    },
];

impl Mesh {
    /// Exchanges of a run, and bit/s that arrived.
    pub fn run(&self) -> (u64, f64) {
        let mut queue = Params::new(Discipline::named("fifo").expect("a discipline of the core"));
        queue.set("limit", "50").expect("in range");
        let trace = airtab_sim::run(&self.scenario(), &queue, 1);
        let bytes: u64 = trace.apps.iter().map(|app| app.down.bytes).sum();
        (trace.exchanges, bytes as f64 * 8.0 / 100.0)
    }

    fn scenario(&self) -> Scenario {
        let Shape { names, places, ranges } = Shape::named(self.shape).expect("a mesh by name");
        let cell = CellConfig::new(Phy::named("dnb-11b").expect("a profile of the core"));
        let node = |name: &String| Station {
            name: name.clone(),
            speed: 11_000.into(),
            loss: Loss::None,
            uplink: None,
            asleep: None,
            walk: None,
            access: None,
        };
        let at = |name: &str| names.iter().position(|own| own == name).expect("a node");
        let app = |(from, to): &(&str, &str)| App {
            name: format!("from {from}"),
            kind: AppKind::Download(Download::endless(Algorithm::NewReno)),
            station: at(to),
            active_ns: 0..102 * S,
            class: 0,
            users: Users::ONE,
            measure_ns: None,
            servers: Servers::Behind(at(from) as u16, Latency::both(0)),
            access: Category::default(),
            computer: 1,
            tunnel: false,
            arrivals: false,
            phase_ns: None,
            requirement: None,
            tcp: None,
        };
        Scenario {
            name: self.name.into(),
            duration_ns: 102 * S,
            measure_ns: 2 * S..102 * S,
            medium: MediumConfig::Mesh(Box::new(MeshConfig::new(cell, &places, &ranges, None, 11_000))),
            wired: Wired { rate_bps: 1_000_000_000, trunk: Latency::both(0), ..Wired::default() },
            servers: Vec::new(),
            tcp: Config { ack_every: 1, ..Config::home() },
            scored: Default::default(),
            windows: Vec::new(),
            changes: Vec::new(),
            stations: names.iter().map(node).collect(),
            apps: self.flows.iter().map(app).collect(),
        }
    }
}
