// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Links that change while a scenario runs, and rules of scenarios beside those of [`Scenario::check`]: of a mesh, of what
//! changes, of who takes turns.
//!
//! What it does not do: what a mesh asks of itself is `wifi`'s.

use airtab_core::{Format, Phy};

use super::{App, Scenario, Servers, Station};
use crate::traffic::udp::OUTSTANDING;
use crate::wifi::{AccessRule, CellConfig, Loss, MediumConfig, MeshConfig, RateAlgorithm, Speed, Ways};

/// Rates of 802.11a and g, kb/s.
const OFDM_KBPS: [u32; 8] = [6_000, 9_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
/// PHY rates of a scenario, kb/s: the lowest and more than the highest of 802.11.
const MIN_KBPS: u32 = 1_000;
const MAX_KBPS: u32 = 10_000_000;

/// A link becomes another one: from then on, until the next change of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When, ns.
    pub at_ns: u64,
    /// Which.
    pub link: Changed,
    /// How fast its frames go then.
    pub speed: Speed,
    /// Which of them are lost.
    pub loss: Loss,
}

/// A link that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Between a station, by its number, and the access point.
    Station(usize),
    /// Of a mesh, by its number.
    Link(usize),
}

impl Scenario {
    /// What a mesh asks of its nodes and applications.
    pub(super) fn check_mesh(&self, mesh: &MeshConfig) -> Result<(), String> {
        let unless = |ok: bool, message: String| if ok { Ok(()) } else { Err(message) };
        let (nodes, known) = (self.stations.len(), mesh.nodes.len());
        unless(nodes == known, format!("{nodes} nodes have names, and {known} a place"))?;
        for Station { name, asleep, walk, access, .. } in &self.stations {
            let plain = asleep.is_none() && walk.is_none() && access.is_none();
            unless(
                plain,
                format!("node {name}: nodes of a mesh neither sleep nor walk, and all have one access"),
            )?;
        }
        let ways = Ways::new(mesh).ok();
        for App { name, servers, station, users, .. } in &self.apps {
            let Servers::Behind(from, _) = servers else { continue };
            let from = usize::from(*from);
            unless(from < nodes, format!("application {name}: no node number {from}"))?;
            unless(from != *station, format!("application {name}: from and to are one node"))?;
            unless(
                users.stations == 1,
                format!("application {name}: stations: in a mesh it is between two nodes"),
            )?;
            let leads = |from: usize, to: usize| {
                ways.as_ref().is_none_or(|ways| ways.next(from as u16, to as u16).is_some())
            };
            let [a, b] = [from, *station].map(|node| &self.stations[node].name);
            unless(
                leads(from, *station) && leads(*station, from),
                format!(
                    "application {name}: no way leads from '{a}' to '{b}': name nodes of one part of the mesh"
                ),
            )?;
        }
        Ok(())
    }

    /// Packets that a saturated source keeps in flight: two block ack windows where there are aggregates.
    pub(crate) fn outstanding(&self) -> usize {
        let mesh = self.medium.mesh();
        let cell = mesh.map(|mesh| &mesh.cell).or(self.medium.cell());
        let aggregates = mesh.is_none_or(|mesh| mesh.nodes.iter().any(|node| node.aggregates));
        let aggregation = cell.and_then(|cell| cell.aggregation).filter(|a| aggregates && a.frames > 1);
        aggregation.map_or(OUTSTANDING, |aggregation| 2 * usize::from(aggregation.window))
    }

    /// Hops of an application's way in a mesh, and what the slowest of their links carries, bit/s; None: in no mesh, or
    /// nothing leads there.
    pub fn way(&self, app: &App) -> Option<(u32, u64)> {
        let (mesh, Servers::Behind(from, _)) = (self.medium.mesh()?, app.servers) else { return None };
        let path = Ways::new(mesh).ok()?.path(from, app.station as u16)?;
        let linked = |hop: &[u16]| {
            let ends = [(hop[0], hop[1]), (hop[1], hop[0])];
            mesh.links.iter().find(|link| ends.contains(&link.ends)).map(|link| link.speed.kbps())
        };
        let slowest = path.windows(2).filter_map(linked).min()?;
        Some((path.len() as u32 - 1, 1000 * u64::from(slowest)))
    }

    /// What changes is there, and does so within the run.
    pub(super) fn check_changes(&self) -> Result<(), String> {
        let links = self.medium.mesh().map(|mesh| mesh.links.len());
        for (i, Change { at_ns, link, speed, loss }) in self.changes.iter().enumerate() {
            let known = match (*link, &self.medium) {
                (Changed::Link(link), _) => links.is_some_and(|links| link < links),
                (Changed::Station(_), MediumConfig::Mesh(_) | MediumConfig::Wire(_)) => false,
                (Changed::Station(station), _) => station < self.stations.len(),
            };
            let p = loss.data_error_rate();
            let good = known && *at_ns <= self.duration_ns && speed.kbps() > 0 && (0.0..=1.0).contains(&p);
            if !good {
                return Err(format!(
                    "change {i}: of no link, after the end of the run, or to what no link is"
                ));
            }
        }
        Ok(())
    }

    /// Whether all contenders have TCF, or none.
    pub(super) fn takes_turns_together(&self) -> bool {
        let Some(cell) = self.medium.cell() else { return true };
        let ap = cell.ap_access.as_ref().unwrap_or(&cell.access);
        let stations = self.stations.iter().map(|station| station.access.as_ref().unwrap_or(&cell.access));
        let mut turns = stations.map(|access| access.rule == AccessRule::Tcf);
        let first = ap.rule == AccessRule::Tcf;
        turns.all(|own| own == first)
    }
}

impl Station {
    /// Checks rate, rate control and losses of a station over the air.
    ///
    /// # Errors
    /// Says which of them the profile or the cell does not have.
    pub(super) fn check_link(&self, cell: Option<&CellConfig>, phy: &Phy) -> Result<(), String> {
        let unless = |ok: bool, message: String| if ok { Ok(()) } else { Err(message) };
        let (Speed { rate, control }, name) = (self.speed, phy.name());
        let kbps = rate.kbps();
        let known = (MIN_KBPS..=MAX_KBPS).contains(&kbps);
        unless(known, format!("{kbps} kb/s: {MIN_KBPS} to {MAX_KBPS}"))?;
        let legacy = rate.format() == Format::Legacy;
        let has = rate.format() <= phy.format() && (!phy.has_mcs() || !legacy || OFDM_KBPS.contains(&kbps));
        unless(has, format!("{rate}: {name} has no such rate"))?;
        let chosen = control != RateAlgorithm::Fixed;
        unless(!legacy || !chosen, format!("{}: only for rates by MCS", control.name()))?;
        let captures = cell.is_some_and(|cell| cell.capture_db.is_some());
        let unknown = "capture: its signal is unknown: a distance or a signal-to-noise ratio";
        unless(!captures || self.loss.capture_m().is_some(), unknown.into())?;
        let by_signal = matches!(self.loss, Loss::Signal(_));
        unless(!by_signal || phy.has_mcs(), format!("{name} has no losses by the signal"))?;
        unless(by_signal || !chosen, format!("{} wants losses by the signal", control.name()))
    }
}
