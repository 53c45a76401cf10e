// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a scenario file says of wires: `[wired]`, the `[[server]]` tables, and where an `[[app]]` has its
//! servers.
//!
//! What it does not do: which server is which node is `airtab_sim::world`'s.

use airtab_core::time::{MS, SECOND};
use airtab_core::{Format, Phy, Unit};
use airtab_sim::wifi::MediumConfig;
use airtab_sim::{Access, Latency, Server, Servers, Wired};

use crate::bottleneck::MOST_HOPS;
use crate::reader::{Section, instead, quantity, unused};

/// Of links, kbit/s to 100 Gbit/s.
pub(crate) const RATES: std::ops::RangeInclusive<u64> = 100_000..=100_000_000_000;

/// Where nothing is said of the wires behind the nodes of a mesh: queues are to build at the nodes.
pub(crate) const MESH_WIRED: Wired =
    Wired { rate_bps: 1_000_000_000, trunk: Latency::both(0), queue_packets: 1000, hops: 0 };

/// Default `[wired] rate` of cells of 802.11ac and ax, bit/s. They carry more than 100 Mb/s, and the queue is to build at the
/// access point.
const FAST_BPS: u64 = 1_000_000_000;

/// Default of the table `[wired]`.
pub(crate) fn usual_wired(medium: Option<&MediumConfig>, meshed: bool) -> Wired {
    let phy = match medium {
        Some(MediumConfig::Dcf(cell)) => Some(&cell.phy),
        Some(MediumConfig::Emulator(link)) => Some(&link.phy),
        _ => None,
    };
    match phy.map(Phy::format) {
        _ if meshed => MESH_WIRED,
        Some(Format::Vht | Format::He) => Wired { rate_bps: FAST_BPS, ..Wired::default() },
        _ => Wired::default(),
    }
}

/// `[wired]`.
pub(crate) fn read_wired(s: Section, default: Wired) -> Wired {
    let rate = s.read("rate", quantity(Unit::Bps, RATES));
    let trunk = read_latency(&s, ["trunk_latency", "trunk_latency_up"]);
    let queue = s.read("queue", quantity(Unit::Count, 1..=1_000_000));
    s.finish();
    Wired {
        rate_bps: rate.unwrap_or(default.rate_bps),
        trunk: trunk.unwrap_or(default.trunk),
        queue_packets: queue.map_or(default.queue_packets, |n| n as usize),
        ..default
    }
}

/// `[[server]]`, those that applications have in common.
pub(crate) fn read_servers(top: &Section, wired: &Wired) -> Vec<Server> {
    let mut servers: Vec<Server> = Vec::new();
    for s in top.sections("server") {
        let name = s.require("name", |v| unused(v, &servers, |s| &s.name)).unwrap_or_default();
        let rate_bps = s.read("rate", quantity(Unit::Bps, RATES)).unwrap_or(wired.rate_bps);
        let latency = read_latency(&s, LATENCY).unwrap_or(NEAR);
        let hop = read_hop(&s, wired.hops);
        s.finish();
        servers.push(Server { name, access: Access { rate_bps, latency, hop } });
    }
    servers
}

/// Which of the narrow wires a server's packets come to first, from 0 on.
fn read_hop(s: &Section, before_last: u16) -> u16 {
    let hop = s.read("hop", quantity(Unit::Count, 1..=MOST_HOPS)).unwrap_or(1) as u16 - 1;
    if hop > before_last {
        s.problem_of("hop", "there are not so many narrow wires: hops in [bottleneck] says how many");
    }
    hop.min(before_last)
}

/// Where an application has its servers.
pub(crate) fn read_place(s: &Section, servers: &[Server]) -> Option<Servers> {
    let latency = read_latency(s, LATENCY);
    if s.get("server").is_none() {
        return Some(Servers::Own(latency.unwrap_or(NEAR)));
    }
    for key in LATENCY.into_iter().filter(|key| s.get(key).is_some()) {
        s.problem_of(key, "the server has one access link for all: write it in its [[server]]");
    }
    let names: Vec<&str> = servers.iter().map(|s| s.name.as_str()).take(20).collect();
    let shared = s.read("server", |v| {
        let found = servers.iter().position(|server| server.name == v.written);
        found.ok_or_else(|| match names[..] {
            [] => format!("no server '{}': there is no [[server]]", v.written),
            _ => format!("no server '{}'{}", v.written, instead(&v.written, &names)),
        })
    });
    shared.map(Servers::Shared)
}

/// Where an application of a mesh has its servers: behind that node.
pub(crate) fn read_behind(s: &Section, from: Option<u16>) -> Option<Servers> {
    if s.get("server").is_some() {
        s.problem_of(
            "server",
            "in a mesh each flow has a server of its own, behind the node of from; leave it out",
        );
    }
    let latency = read_latency(s, LATENCY).unwrap_or(Latency::both(0));
    from.map(|from| Servers::Behind(from, latency))
}

/// Where nothing is said of an access link.
const NEAR: Latency = Latency::both(MS);
/// The keys of an access link's latency.
const LATENCY: [&str; 2] = ["latency", "latency_up"];

/// One-way latency by the keys `both`, for both directions, and `up`, for the one to the servers. None: neither is there.
fn read_latency<'s>(s: &Section<'s, '_>, [both, up]: [&'s str; 2]) -> Option<Latency> {
    let time = |key| s.read(key, quantity(Unit::Ns, 0..=10 * SECOND));
    let (both, up) = (time(both), time(up));
    let down_ns = both.or(up.map(|_| MS))?;
    Some(Latency { down_ns, up_ns: up.unwrap_or(down_ns) })
}
