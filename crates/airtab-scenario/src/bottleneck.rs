// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `topology` of a scenario file, and `[bottleneck]`: the narrow wire of a dumbbell, which is in the place of the
//! cell, or a mesh by its name (`mesh`).
//!
//! What it does not do: wires from servers to the switch and on to the router are `wired`'s.

use airtab_core::{Rate, Unit};
use airtab_sim::wifi::{Loss, MediumConfig, WireConfig};
use airtab_sim::{Shape, Station};

use crate::copies;
use crate::links::Errors;
use crate::mesh;
use crate::reader::{Section, choice, quantity, unused};
use crate::wifi::{default_wifi, read_wifi};
use crate::wired::RATES;

/// What is between the access point, or router, and the stations, and what frames are lost by. None: it has a problem.
/// And how many narrow wires are before it, and the nodes of a mesh.
pub(crate) fn read_medium(top: &Section) -> Network {
    let meshes = Shape::NAMES.into_iter().map(|name| (name, Kind::Mesh(Some(name))));
    let names = [("home", Kind::Home), ("dumbbell", Kind::Dumbbell)].into_iter().chain(meshes).collect();
    let kind =
        if top.get("topology").is_some() { top.read("topology", choice(names)) } else { Some(Kind::Home) };
    let mut network = Network { medium: None, errors: None, hops: 0, nodes: None, meshed: false };
    match kind {
        None => {
            let _ = (top.get("wifi"), top.get("bottleneck"));
            network.meshed = mesh::TABLES.iter().filter(|key| top.get(key).is_some()).count() > 0;
        }
        Some(Kind::Home | Kind::Mesh(_)) => {
            if top.get("bottleneck").is_some() {
                top.problem_of("bottleneck", "only with topology = \"dumbbell\"; a home has [wifi] there");
            }
            let name = if let Some(Kind::Mesh(name)) = kind { name } else { None };
            let (medium, errors, is_mesh) = match top.section("wifi") {
                Some(s) => read_wifi(s, name.is_some()),
                None => {
                    let (medium, errors) = default_wifi();
                    (medium, errors, name.is_some())
                }
            };
            (network.medium, network.errors, network.meshed) = (medium, errors, is_mesh);
            if is_mesh {
                let cell = network.medium.take().and_then(|medium| medium.cell().cloned());
                match cell.and_then(|cell| mesh::read_mesh(top, cell, name.and_then(Shape::named))) {
                    Some((config, nodes)) => {
                        network.medium = Some(MediumConfig::Mesh(Box::new(config)));
                        network.nodes = Some(nodes);
                    }
                    None => mesh::TABLES.iter().for_each(|key| drop(top.get(key))),
                }
            } else {
                no_mesh(top);
            }
        }
        Some(Kind::Dumbbell) => {
            if top.get("wifi").is_some() {
                top.problem_of("wifi", "not with topology = \"dumbbell\", which has [bottleneck] there");
            }
            no_mesh(top);
            let (wire, hops) = read_bottleneck(top);
            (network.medium, network.errors, network.hops) =
                (wire.map(MediumConfig::Wire), Some(Errors::Fer), hops);
        }
    }
    network
}

/// What is between servers and stations.
pub(crate) struct Network {
    pub(crate) medium: Option<MediumConfig>,
    pub(crate) errors: Option<Errors>,
    pub(crate) hops: u16,
    /// Those of a mesh.
    pub(crate) nodes: Option<Vec<Station>>,
    /// It is a mesh, or should be one.
    pub(crate) meshed: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Home,
    Dumbbell,
    Mesh(Option<&'static str>),
}

/// Tables that only a mesh has.
fn no_mesh(top: &Section) {
    for key in mesh::TABLES.into_iter().filter(|key| top.get(key).is_some()) {
        top.problem_of(key, "only with medium = \"mesh\" in [wifi], or with a topology that is a mesh");
    }
}

fn read_bottleneck(top: &Section) -> (Option<WireConfig>, u16) {
    let Some(s) = top.section("bottleneck") else {
        if top.get("bottleneck").is_none() {
            top.problem("a dumbbell has a narrow wire: [bottleneck] with its rate is missing".into());
        }
        return (None, 0);
    };
    let rate = s.require("rate", quantity(Unit::Bps, RATES));
    let overhead = s.read("overhead", quantity(Unit::Bytes, 0..=MOST_OVERHEAD));
    if s.keys().any(|key| key == "latency") && s.get("latency").is_some() {
        s.problem_of(
            "latency",
            "latencies are those of the trunk and of the access links: trunk_latency in [wired], latency of a server or an application",
        );
    }
    let hops = s.read("hops", quantity(Unit::Count, 1..=MOST_HOPS));
    s.finish();
    let overhead = overhead.map_or(WireConfig::ETHERNET, |bytes| bytes as u32);
    (rate.map(|rate_bps| WireConfig { rate_bps, overhead }), hops.map_or(0, |hops| hops as u16 - 1))
}

/// Narrow wires in a row.
pub(crate) const MOST_HOPS: u64 = 16;

/// Bytes that a packet may have around it.
const MOST_OVERHEAD: u64 = 1_000;

/// Keys of a station that are about its radio, or about a queue of its own.
const OF_A_CELL: [&str; 14] = [
    "rate",
    "mcs",
    "streams",
    "gi",
    "width",
    "rate_control",
    "distance",
    "walk",
    "fer",
    "mpdu_error_rate",
    "snr",
    "asleep",
    "access",
    "uplink",
];

/// The `[[station]]`s behind that wire: names.
pub(crate) fn read_sinks(sections: Vec<Section>, wire: WireConfig) -> Vec<Station> {
    let kbps = (wire.rate_bps / 1000).clamp(1, u64::from(u32::MAX)) as u32;
    let mut stations: Vec<Station> = Vec::new();
    for s in sections {
        let name = s.require("name", |v| unused(v, &stations, |s| &s.name)).unwrap_or_default();
        for key in OF_A_CELL.into_iter().filter(|key| s.get(key).is_some()) {
            s.problem_of(
                key,
                "not with topology = \"dumbbell\": its stations are behind one wire, [bottleneck], and have no radio; leave it out",
            );
        }
        let station = Station {
            name,
            speed: Rate::legacy(kbps).into(),
            loss: Loss::None,
            uplink: None,
            asleep: None,
            walk: None,
            access: None,
        };
        let copies = copies::read(&s, station, &stations);
        s.finish();
        stations.extend(copies);
    }
    stations
}
