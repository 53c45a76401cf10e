// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Distributed Neighborhood Buffer while a mesh runs: which flows there are, when limits are computed anew, and their
//! way into the queues (Showail 2016, 4.2.3, 4.4.1).
//!
//! Each interval, a second at least, it looks at flows, rates and channel. A flow is there from the first packet with
//! data that a node sees of it, and gone when two looks in a row saw none; each direction is one. Limits are computed anew
//! when flows came or went, or when the slowest link of some flow's bottleneck differs by more than a tenth from what
//! was computed with, at two looks in a row. A flow's limit is that of its class in the `dnb` queue of each of its nodes in
//! the bottleneck; flows of one class have their limits' sum there. All else, and nodes under another discipline, stay as
//! they were set up.
//!
//! What it does not do: what limits follow from is `wifi/dnb`'s; no message goes over the air.

use airtab_core::{Params, Rate};

use super::Simulation;
use crate::scenario::{Scenario, Servers};
use crate::wifi::{DnbConfig, DnbPlan, MeshConfig, NodeAir, Ways};

/// The discipline whose limits are set.
const DISCIPLINE: &str = "dnb";
/// Classes that it knows; those beyond share the last one.
const CLASSES: usize = 16;
/// The most packets of a class that it takes.
const MOST: u64 = 65_535;
/// Looks in a row after which something has changed.
const LOOKS: u32 = 2;
/// By how much a rate may differ.
const TOLERANCE: f64 = 0.1;

/// Of one run.
pub(super) struct Controller {
    mesh: MeshConfig,
    config: DnbConfig,
    /// By flow and direction, down first.
    flows: Vec<[Direction; 2]>,
    /// What each node's queue was set up with; None: another discipline.
    queues: Vec<Option<Params>>,
    /// What the last look found.
    looks: u32,
    at_ns: u64,
    idle_ns: Vec<u64>,
    /// What limits were computed with: which directions, and of each the slowest rate, kb/s.
    planned: Vec<(usize, usize)>,
    plan: Option<DnbPlan>,
    slowest: Vec<u32>,
    /// Looks in a row that found other rates.
    other_rates: u32,
}

struct Direction {
    way: Vec<u16>,
    class: usize,
    /// The look before which its last packet came; 0: none did.
    seen: u32,
}

impl Controller {
    /// Of a scenario that has one; `queue`: the discipline of nodes that name none.
    pub(super) fn new(scenario: &Scenario, queue: &Params) -> Option<Controller> {
        let mesh = scenario.medium.mesh()?;
        let config = mesh.dnb?;
        let ways = Ways::new(mesh).expect("a mesh is checked before a run");
        let mut flows = Vec::new();
        for app in &scenario.apps {
            let Servers::Behind(from, _) = app.servers else { continue };
            for user in 0..app.users.count {
                let to = (app.station + (user % app.users.stations) as usize) as u16;
                let way = |from, to| ways.path(from, to).expect("a way leads there");
                let direction =
                    |way| Direction { way, class: usize::from(app.class).min(CLASSES - 1), seen: 0 };
                let both = || [way(from, to), way(to, from)].map(direction);
                flows.extend((0..app.kind.flows()).map(|_| both()));
            }
        }
        let queues = scenario.stations.iter().map(|node| node.uplink.as_ref().unwrap_or(queue));
        let managed =
            queues.map(|own| Some(own).filter(|own| own.discipline().name() == DISCIPLINE).cloned());
        Some(Controller {
            flows,
            queues: managed.collect(),
            looks: 1,
            at_ns: 0,
            idle_ns: vec![0; mesh.nodes.len()],
            planned: Vec::new(),
            plan: None,
            slowest: Vec::new(),
            other_rates: 0,
            mesh: mesh.clone(),
            config,
        })
    }

    /// From one look to the next, ns.
    pub(super) fn interval_ns(&self) -> u64 {
        self.config.interval_ns
    }

    /// A node saw a packet with data.
    pub(super) fn saw(&mut self, flow: u16, up: bool) {
        self.flows[usize::from(flow)][usize::from(up)].seen = self.looks;
    }

    /// A look at the channel as each node finds it, and at the rates of all links: whether limits are other ones now.
    fn look(&mut self, air: &[NodeAir], rates: &[Rate], now: u64) -> bool {
        let passed = (now - std::mem::replace(&mut self.at_ns, now)) as f64;
        let busy = |(air, before): (&NodeAir, &mut u64)| {
            1.0 - (air.idle_ns - std::mem::replace(before, air.idle_ns)) as f64 / passed
        };
        let busy: Vec<f64> = air.iter().zip(&mut self.idle_ns).map(busy).collect();
        let (flows, looks) = (&self.flows, self.looks);
        self.looks += 1;
        let is_there = |(flow, way): &(usize, usize)| {
            let seen = flows[*flow][*way].seen;
            seen > 0 && looks - seen < LOOKS
        };
        let there: Vec<(usize, usize)> =
            (0..flows.len()).flat_map(|flow| [(flow, 0), (flow, 1)]).filter(is_there).collect();
        let slowest = |plan: &DnbPlan| -> Vec<u32> {
            let of = |links: &[usize]| links.iter().map(|link| rates[*link].kbps()).min().unwrap_or(u32::MAX);
            plan.flows.iter().map(|flow| of(&flow.links)).collect()
        };
        let found = self.plan.as_ref().map_or(Vec::new(), slowest);
        let differs =
            |(now, before): (&u32, &u32)| (f64::from(*now) / f64::from(*before) - 1.0).abs() > TOLERANCE;
        let differs = found.iter().zip(&self.slowest).any(differs);
        self.other_rates = if differs { self.other_rates + 1 } else { 0 };
        if there == self.planned && self.other_rates < LOOKS {
            return false;
        }
        let ways: Vec<Vec<u16>> = there.iter().map(|(flow, way)| flows[*flow][*way].way.clone()).collect();
        let plan = DnbPlan::new(&self.mesh, &self.config, &ways, rates, Some(&busy));
        self.slowest = slowest(&plan);
        (self.plan, self.planned, self.other_rates) = (Some(plan), there, 0);
        true
    }

    /// What a node's queue is to be; None: it is another discipline's.
    fn params(&self, node: u16) -> Option<Params> {
        let set_up = self.queues[usize::from(node)].as_ref()?;
        let mut sums = [0u64; CLASSES];
        let flows = self.plan.iter().flat_map(|plan| &plan.flows);
        for ((flow, way), own) in self.planned.iter().zip(flows) {
            let limit = own.limits.iter().find(|limit| limit.0 == node).map_or(0, |limit| limit.1);
            sums[self.flows[*flow][*way].class] += u64::from(limit);
        }
        let before = set_up.get("limits").expect("the discipline has limits");
        let usual = |class: usize| before[class.min(before.len() - 1)];
        let limit = |class: usize| if sums[class] == 0 { usual(class) } else { sums[class].min(MOST) };
        let limits: Vec<String> = (0..CLASSES).map(|class| limit(class).to_string()).collect();
        let mut params = set_up.clone();
        params.set("limits", &limits.join(",")).expect("within the discipline's bounds");
        Some(params)
    }
}

impl Simulation {
    /// It is time to look at flows, rates and channel.
    #[cold]
    pub(super) fn size_queues(&mut self) {
        let Some(controller) = &mut self.dnb else { return };
        let (medium, links) = (self.world.medium(0), controller.mesh.links.len());
        let rates: Vec<Rate> = (0..links).map(|link| medium.rate(link).expect("a mesh has links")).collect();
        let changed = controller.look(&medium.nodes(self.now), &rates, self.now);
        let next = self.now + controller.interval_ns();
        let nodes = (0..controller.queues.len() as u16).filter(|_| changed);
        let queues: Vec<(u16, Params)> =
            nodes.filter_map(|node| Some((node, controller.params(node)?))).collect();
        for (node, params) in &queues {
            self.world.change_queue(0, *node, params);
        }
        self.world.timer(next, super::Event::SizeQueues);
    }
}

#[cfg(test)]
mod tests;
