// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab mesh show`: a mesh of a scenario file before anything is sent (Showail 2016, 4.2.1, 4.3).
//!
//! All of it is the simulator's: a controller of limits (`[mesh.dnb]`) has the same plan, by the load that it measures. The
//! load here is that of applications which all send at one rate, the largest one that no domain refuses: r / R summed
//! over its links is 1 in the fullest.
//!
//! What it does not do: nothing is simulated, and what applications send by themselves is not looked at.

pub mod args;

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use airtab_core::Rate;
use airtab_scenario::{Direction, ScenarioFile, greedy};
use airtab_sim::Servers;
use airtab_sim::wifi::{DnbConfig, DnbPlan, Domain, Layout, MeshConfig, Neighborhood, Ways};
use anyhow::{Context, anyhow, bail};
use serde_json::{Value, json};

use self::args::{Mesh, MeshCommand};
use crate::output;

/// Shows a file's mesh.
pub fn mesh(args: &Mesh) -> anyhow::Result<ExitCode> {
    let MeshCommand::Show { scenario, form } = &args.command;
    let file = super::load(scenario)?;
    let shown = Shown::new(&file).with_context(|| scenario.display().to_string())?;
    let text = if form.is_json() { format!("{:#}\n", shown.json()) } else { shown.text(scenario) };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A mesh and what follows from it.
struct Shown<'a> {
    name: &'a str,
    mesh: &'a MeshConfig,
    names: Vec<&'a str>,
    /// Applications with their ways, in the order of the plan's flows.
    apps: Vec<(&'a str, Vec<u16>)>,
    plan: DnbPlan,
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
            // From where its data is sent on: an upload's goes back.
            let up = greedy(&app.kind, Direction::Up) && !greedy(&app.kind, Direction::Down);
            let ends = if up { (app.station as u16, from) } else { (from, app.station as u16) };
            Some((app.name.as_str(), ways.path(ends.0, ends.1)?))
        };
        let apps: Vec<(&str, Vec<u16>)> = scenario.apps.iter().filter_map(path).collect();
        let ways: Vec<Vec<u16>> = apps.iter().map(|app| app.1.clone()).collect();
        let rates: Vec<Rate> = mesh.links.iter().map(|link| link.speed.rate).collect();
        let config = mesh.dnb.unwrap_or_else(|| DnbConfig::new(&mesh.cell.phy));
        let plan = DnbPlan::new(mesh, &config, &ways, &rates, None);
        Ok(Shown { name: &scenario.name, mesh, names, apps, plan })
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
        for domain in &self.plan.domains {
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
        for ((app, way), flow) in self.apps.iter().zip(&self.plan.flows) {
            let limits: Vec<String> = flow
                .limits
                .iter()
                .map(|(node, limit)| format!("{} {limit}", self.names[usize::from(*node)]))
                .collect();
            let _ = writeln!(
                text,
                "{:<14} {}; {}; {}: {}",
                app,
                self.of_nodes(way.iter().map(|node| usize::from(*node))),
                self.of_link(self.plan.domains[flow.bottleneck].link),
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
        let flow = |((app, way), flow): (&(&str, Vec<u16>), &Neighborhood)| {
            let limit = |(node, limit): &(u16, u32)| json!({ "node": self.names[usize::from(*node)], "packets": limit });
            json!({
                "app": app,
                "way": names(&mut way.iter().map(|node| usize::from(*node))),
                "bottleneck": link(self.plan.domains[flow.bottleneck].link),
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
            "domains": self.plan.domains.iter().map(domain).collect::<Vec<_>>(),
            "apps": self.apps.iter().zip(&self.plan.flows).map(flow).collect::<Vec<_>>(),
        })
    }
}
