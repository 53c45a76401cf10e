// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab mesh show`: a mesh of a scenario file before anything is sent (Showail 2016, 4.2.1, 4.3).
//!
//! Ways are the simulator's, domains and buffers `airtab-model`'s. The load is that of applications which all send at one
//! rate, the largest one that no domain refuses: r / R summed over its links is 1 in the fullest.
//!
//! What it does not do: nothing is simulated, and what applications send by themselves is not looked at.

pub mod args;

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use airtab_model::sizing::dnb::Rule;
use airtab_model::sizing::domain::{self, Crossed, THRESHOLD, two_hop, utilisation};
use airtab_model::sizing::exchange::{DNB_11B, WQM_11N};
use airtab_model::sizing::split::Split;
use airtab_scenario::ScenarioFile;
use airtab_sim::Servers;
use airtab_sim::wifi::{Layout, MeshConfig, Ways};
use anyhow::{Context, anyhow, bail};
use serde_json::{Value, json};

use self::args::{Mesh, MeshCommand};
use crate::output;

/// Shows a file's mesh.
pub fn mesh(args: &Mesh) -> anyhow::Result<ExitCode> {
    let MeshCommand::Show { scenario, json } = &args.command;
    let file = super::load(scenario)?;
    let shown = Shown::new(&file).with_context(|| scenario.display().to_string())?;
    let text = if *json { format!("{:#}\n", shown.json()) } else { shown.text(scenario) };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A mesh and what follows from it.
struct Shown<'a> {
    name: &'a str,
    mesh: &'a MeshConfig,
    names: Vec<&'a str>,
    domains: Vec<Domain>,
    flows: Vec<Flow<'a>>,
}

/// The collision domain of a link that is used.
struct Domain {
    link: usize,
    /// Those that contend with it and are used, itself among them.
    links: Vec<usize>,
    /// Nodes that send on them.
    senders: Vec<usize>,
    utilisation: f64,
    packets: u32,
}

/// An application: its way, what bounds it, and what its nodes should hold if it were alone.
struct Flow<'a> {
    app: &'a str,
    path: Vec<u16>,
    /// Number of its bottleneck among the domains.
    bottleneck: usize,
    /// Its nodes that send in there, from its source on, with what each holds.
    limits: Vec<(u16, u32)>,
    packets: u32,
}

impl<'a> Shown<'a> {
    fn new(file: &'a ScenarioFile) -> anyhow::Result<Shown<'a>> {
        let scenario = &file.scenario;
        let Some(mesh) = scenario.medium.mesh() else {
            bail!("is no mesh: write medium = \"mesh\" in [wifi], or a topology such as \"chain-4\"");
        };
        let ways = Ways::new(mesh).map_err(|errors| anyhow!("{}", errors[0]))?;
        let names = scenario.stations.iter().map(|node| node.name.as_str()).collect();
        let path = |app: &'a airtab_sim::App| {
            let Servers::Behind(from, _) = app.servers else { return None };
            Some((app.name.as_str(), ways.path(from, app.station as u16)?))
        };
        let paths: Vec<(&str, Vec<u16>)> = scenario.apps.iter().filter_map(path).collect();
        let ends: Vec<(usize, usize)> =
            mesh.links.iter().map(|link| (link.ends.0.into(), link.ends.1.into())).collect();
        let hops = |path: &[u16]| -> Vec<usize> {
            path.windows(2).filter_map(|hop| mesh.link_between(hop[0], hop[1])).collect()
        };
        let rate = |link: usize| f64::from(mesh.links[link].speed.kbps()) / 1e3;
        let mut flows_over = vec![0u32; mesh.links.len()];
        paths.iter().flat_map(|(_, path)| hops(path)).for_each(|link| flows_over[link] += 1);
        let used = |link: &usize| flows_over[*link] > 0;
        let near = |a: usize, b: usize| mesh.reach.decodes(a).has(b);
        let contends =
            |link: usize| -> Vec<usize> { two_hop(&ends, link, near).into_iter().filter(used).collect() };
        // What is crossed by n flows has n times the load.
        let per_mbps = |links: &[usize]| -> f64 {
            links.iter().map(|link| f64::from(flows_over[*link]) / rate(*link)).sum()
        };
        let all: Vec<(usize, Vec<usize>)> =
            (0..mesh.links.len()).filter(used).map(|link| (link, contends(link))).collect();
        let fullest = all.iter().map(|(_, links)| per_mbps(links)).fold(0.0, f64::max);
        let rule = Rule::new(if mesh.cell.phy.has_mcs() { WQM_11N } else { DNB_11B });
        let rates = |links: &[usize]| -> Vec<f64> { links.iter().map(|link| rate(*link)).collect() };
        let domain = |(link, links): (usize, Vec<usize>)| -> anyhow::Result<Domain> {
            let sends = |path: &[u16]| -> Vec<usize> {
                let inside =
                    |hop: &&[u16]| mesh.link_between(hop[0], hop[1]).is_some_and(|l| links.contains(&l));
                path.windows(2).filter(inside).map(|hop| hop[0].into()).collect()
            };
            let mut senders: Vec<usize> = paths.iter().flat_map(|(_, path)| sends(path)).collect();
            senders.sort_unstable();
            senders.dedup();
            let load = |link: &usize| domain::Link {
                load_mbps: f64::from(flows_over[*link]) / fullest,
                rate_mbps: rate(*link),
            };
            let loads: Vec<domain::Link> = links.iter().map(load).collect();
            let packets = rule.neighborhood(&rates(&links))?.packets;
            Ok(Domain { link, utilisation: utilisation(&loads)?, packets, senders, links })
        };
        let domains: Vec<Domain> = all.into_iter().map(domain).collect::<anyhow::Result<_>>()?;
        let flow = |(app, path): (&'a str, Vec<u16>)| -> anyhow::Result<Flow<'a>> {
            let own = hops(&path);
            let crossed: Vec<(usize, Crossed)> = (0..domains.len())
                .filter(|d| domains[*d].links.iter().any(|link| own.contains(link)))
                .map(|d| {
                    let Domain { links, utilisation, senders, .. } = &domains[d];
                    let flow_mbps = 1.0 / per_mbps(links);
                    (d, Crossed { utilisation: *utilisation, flow_mbps, nodes: senders.len() })
                })
                .collect();
            let figures: Vec<Crossed> = crossed.iter().map(|(_, figures)| *figures).collect();
            let place = domain::bottleneck(&figures, THRESHOLD).context("it crosses a link")?;
            let bottleneck = crossed[place].0;
            let inside: Vec<(u16, usize)> = path
                .windows(2)
                .filter_map(|hop| Some((hop[0], mesh.link_between(hop[0], hop[1])?)))
                .filter(|(_, link)| domains[bottleneck].links.contains(link))
                .collect();
            let links: Vec<usize> = inside.iter().map(|(_, link)| *link).collect();
            let packets = rule.neighborhood(&rates(&links))?.packets;
            let shares = Split::Ratio.of(packets, inside.len())?;
            let limits = inside.iter().map(|(node, _)| *node).zip(shares).collect();
            Ok(Flow { app, path, bottleneck, limits, packets })
        };
        let flows = paths.into_iter().map(flow).collect::<anyhow::Result<_>>()?;
        Ok(Shown { name: &scenario.name, mesh, names, domains, flows })
    }

    fn of_nodes(&self, nodes: impl Iterator<Item = usize>) -> String {
        let names: Vec<&str> = nodes.map(|node| self.names[node]).collect();
        if names.is_empty() { "-".into() } else { names.join(" ") }
    }

    fn of_link(&self, link: usize) -> String {
        let (a, b) = self.mesh.links[link].ends;
        format!("{}-{}", self.names[usize::from(a)], self.names[usize::from(b)])
    }

    fn text(&self, path: &Path) -> String {
        let (mesh, reach) = (self.mesh, &self.mesh.reach);
        let mut text = format!(
            "{}: {} ({}), {} nodes, {} links, {}\n",
            path.display(),
            self.name,
            mesh.cell.phy.name(),
            reach.nodes(),
            mesh.links.len(),
            if reach.is_one_domain() { "all sense each other" } else { "not all sense each other" },
        );
        if let Some(Layout { ranges, capture_db, .. }) = &mesh.layout {
            let capture = capture_db.map_or("off".into(), |db| format!("{db} dB"));
            let _ = writeln!(
                text,
                "decoded within {} m, sensed within {} m, disturb within {} m, capture {capture}",
                ranges.tx_m, ranges.sense_m, ranges.interference_m,
            );
        }
        text += "\nnode        decodes; does not sense\n";
        for (node, name) in self.names.iter().enumerate() {
            let all = 0..reach.nodes();
            let hidden = all.filter(|other| *other != node && !reach.senses(node).has(*other));
            let decoded = self.of_nodes(reach.decodes(node).iter());
            let _ = writeln!(text, "{name:<12}{decoded}; {}", self.of_nodes(hidden));
        }
        text += "\nlink           Mb/s   load    M    B  contends with\n";
        for domain in &self.domains {
            let rate = f64::from(mesh.links[domain.link].speed.kbps()) / 1e3;
            let links: Vec<String> = domain.links.iter().map(|link| self.of_link(*link)).collect();
            let _ = writeln!(
                text,
                "{:<13}{rate:>6.1} {:>6.2} {:>4} {:>4}  {}",
                self.of_link(domain.link),
                domain.utilisation,
                domain.senders.len(),
                domain.packets,
                links.join(" "),
            );
        }
        text += "\napplication    way; bottleneck; B, and what each node holds of it\n";
        for flow in &self.flows {
            let limits: Vec<String> = flow
                .limits
                .iter()
                .map(|(node, limit)| format!("{} {limit}", self.names[usize::from(*node)]))
                .collect();
            let _ = writeln!(
                text,
                "{:<14} {}; {}; {}: {}",
                flow.app,
                self.of_nodes(flow.path.iter().map(|node| usize::from(*node))),
                self.of_link(self.domains[flow.bottleneck].link),
                flow.packets,
                limits.join(", "),
            );
        }
        text
    }

    fn json(&self) -> Value {
        let (mesh, reach) = (self.mesh, &self.mesh.reach);
        let names =
            |nodes: &mut dyn Iterator<Item = usize>| -> Vec<&str> { nodes.map(|n| self.names[n]).collect() };
        let node = |node: usize| {
            let place = mesh.layout.as_ref().map(|layout| layout.places[node]);
            json!({
                "name": self.names[node],
                "x_m": place.map(|place| place.0),
                "y_m": place.map(|place| place.1),
                "decodes": names(&mut reach.decodes(node).iter()),
                "senses": names(&mut reach.senses(node).iter()),
                "disturbs": names(&mut reach.disturbs(node).iter()),
            })
        };
        let link = |link: usize| {
            let (a, b) = mesh.links[link].ends;
            json!([self.names[usize::from(a)], self.names[usize::from(b)]])
        };
        let domain = |domain: &Domain| {
            json!({
                "link": link(domain.link),
                "rate_bps": u64::from(mesh.links[domain.link].speed.kbps()) * 1000,
                "contends": domain.links.iter().map(|l| link(*l)).collect::<Vec<_>>(),
                "senders": names(&mut domain.senders.iter().copied()),
                "load_ratio": domain.utilisation,
                "m_nodes": domain.senders.len(),
                "b_packets": domain.packets,
            })
        };
        let flow = |flow: &Flow| {
            let limit = |(node, limit): &(u16, u32)| json!({ "node": self.names[usize::from(*node)], "packets": limit });
            json!({
                "app": flow.app,
                "way": names(&mut flow.path.iter().map(|node| usize::from(*node))),
                "bottleneck": link(self.domains[flow.bottleneck].link),
                "b_packets": flow.packets,
                "limits": flow.limits.iter().map(limit).collect::<Vec<_>>(),
            })
        };
        let ranges = mesh.layout.as_ref().map(|layout| {
            json!({
                "tx_m": layout.ranges.tx_m,
                "sense_m": layout.ranges.sense_m,
                "interference_m": layout.ranges.interference_m,
                "capture_db": layout.capture_db,
            })
        });
        json!({
            "schema": 1,
            "name": self.name,
            "phy": mesh.cell.phy.name(),
            "one_domain": reach.is_one_domain(),
            "ranges": ranges,
            "nodes": (0..reach.nodes()).map(node).collect::<Vec<_>>(),
            "domains": self.domains.iter().map(domain).collect::<Vec<_>>(),
            "apps": self.flows.iter().map(flow).collect::<Vec<_>>(),
        })
    }
}
