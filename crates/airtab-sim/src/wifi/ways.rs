// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who is next on the way from one node of a mesh to another one: the shortest way by hops, of equal ones that over the
//! neighbours of lower numbers, or what a route says.
//!
//! A route says who is next for all that goes from one of its nodes to its last one. What goes back, and what goes to
//! a node in the middle, has the shortest way, or a route of its own. All ways of one route end there, and two routes to one
//! node agree where they meet: nothing goes round in a loop.
//!
//! What it does not do: no routing protocol, no metric but hops, no way by flow.

use std::collections::VecDeque;
use std::fmt;

use super::mesh::MeshConfig;

/// Nobody is next.
const NONE: u16 = u16::MAX;

/// Of each pair of nodes, who is next.
#[derive(Clone, Debug)]
pub struct Ways {
    nodes: usize,
    next: Vec<u16>,
}

/// Why routes are no ways; they are numbered from 0, as nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayError {
    /// One has a single node, or none.
    Short {
        /// Which.
        route: usize,
    },
    /// One goes from a node to another one that it has no link to.
    Missing {
        /// Which.
        route: usize,
        /// From where to where.
        hop: (u16, u16),
    },
    /// One comes to a node again.
    Again {
        /// Which.
        route: usize,
        /// The node.
        node: u16,
    },
    /// Two to the same node go on differently.
    Split {
        /// The second of them.
        route: usize,
        /// From where on.
        node: u16,
    },
}

impl WayError {
    /// The route that it is about.
    pub fn route(self) -> usize {
        match self {
            WayError::Short { route }
            | WayError::Missing { route, .. }
            | WayError::Again { route, .. }
            | WayError::Split { route, .. } => route,
        }
    }

    /// What is wrong, with the names of nodes.
    pub fn said(self, name: impl Fn(u16) -> String) -> String {
        match self {
            WayError::Short { .. } => "two nodes at least: where it begins and where it ends".into(),
            WayError::Missing { hop: (a, b), .. } => {
                let (a, b) = (name(a), name(b));
                format!(
                    "there is no link between {a} and {b}: put them nearer to each other, give them a [[link]] or let tx_range reach"
                )
            }
            WayError::Again { node, .. } => {
                format!("comes to {} twice: a loop; leave one of them out", name(node))
            }
            WayError::Split { node, .. } => format!(
                "another route to the same node goes on differently from {}: who is next depends on where a packet goes to alone",
                name(node)
            ),
        }
    }
}

impl fmt::Display for WayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "route {}: {}", self.route(), self.said(|node| format!("node {node}")))
    }
}

impl Ways {
    /// Those of a mesh.
    ///
    /// # Errors
    /// All that is wrong with its routes.
    pub fn new(mesh: &MeshConfig) -> Result<Ways, Vec<WayError>> {
        let nodes = mesh.reach.nodes();
        let mut ways = Ways { nodes, next: vec![NONE; nodes * nodes] };
        let neighbours: Vec<Vec<u16>> =
            (0..nodes as u16).map(|node| mesh.neighbours(node).iter().map(|own| own.0).collect()).collect();
        (0..nodes).for_each(|from| ways.spread(from, &neighbours));
        let mut errors = Vec::new();
        let mut said: Vec<(u16, u16, u16)> = Vec::new();
        for (route, path) in mesh.routes.iter().enumerate() {
            let Some(last) = path.last().copied().filter(|_| path.len() > 1) else {
                errors.push(WayError::Short { route });
                continue;
            };
            for (i, hop) in path.windows(2).enumerate() {
                let (node, next) = (hop[0], hop[1]);
                let linked = neighbours.get(usize::from(node)).is_some_and(|own| own.contains(&next));
                let split = |(a, to, other): &(u16, u16, u16)| (*a, *to) == (node, last) && *other != next;
                match () {
                    () if path[..i].contains(&node) => errors.push(WayError::Again { route, node }),
                    () if i + 2 == path.len() && path[..=i].contains(&last) => {
                        errors.push(WayError::Again { route, node: last });
                    }
                    () if !linked => errors.push(WayError::Missing { route, hop: (node, next) }),
                    () if said.iter().any(split) => errors.push(WayError::Split { route, node }),
                    () => {
                        said.push((node, last, next));
                        ways.next[usize::from(node) * nodes + usize::from(last)] = next;
                    }
                }
            }
        }
        if errors.is_empty() { Ok(ways) } else { Err(errors) }
    }

    /// The shortest ways from a node.
    fn spread(&mut self, from: usize, neighbours: &[Vec<u16>]) {
        let first = &mut self.next[from * self.nodes..][..self.nodes];
        let mut open = VecDeque::new();
        for &to in &neighbours[from] {
            first[usize::from(to)] = to;
            open.push_back(to);
        }
        while let Some(node) = open.pop_front() {
            for &to in &neighbours[usize::from(node)] {
                if usize::from(to) != from && first[usize::from(to)] == NONE {
                    first[usize::from(to)] = first[usize::from(node)];
                    open.push_back(to);
                }
            }
        }
    }

    /// Who is next from a node to another one; None: nothing gets there, or it is there.
    pub fn next(&self, from: u16, to: u16) -> Option<u16> {
        let next = self.next[usize::from(from) * self.nodes + usize::from(to)];
        Some(next).filter(|next| *next != NONE && from != to)
    }

    /// All nodes on the way, both ends included; None: nothing gets there.
    pub fn path(&self, from: u16, to: u16) -> Option<Vec<u16>> {
        let mut path = vec![from];
        while *path.last()? != to {
            path.push(self.next(*path.last()?, to)?);
            if path.len() > self.nodes {
                return None;
            }
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::Phy;

    use super::*;
    use crate::wifi::{CellConfig, Ranges};

    /// A square: 0 and 3 are opposite each other.
    fn square(routes: &[&[u16]]) -> MeshConfig {
        let places = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        let ranges = Ranges { tx_m: 1.2, sense_m: 1.2, interference_m: 1.2 };
        let cell = CellConfig::new(Phy::named("std-11b").expect("a profile of the core"));
        let mut mesh = MeshConfig::new(cell, &places, &ranges, None, 11_000);
        mesh.routes = routes.iter().map(|route| route.to_vec()).collect();
        mesh
    }

    #[test]
    fn the_shortest_way_or_the_route() {
        let path =
            |routes: &[&[u16]], from, to| Ways::new(&square(routes)).expect("they are ways").path(from, to);
        assert_eq!(path(&[], 0, 3), Some(vec![0, 1, 3]));
        assert_eq!(path(&[], 0, 0), Some(vec![0]));
        assert_eq!(path(&[&[0, 2, 3]], 0, 3), Some(vec![0, 2, 3]));
        assert_eq!(path(&[&[0, 2, 3]], 3, 0), Some(vec![3, 1, 0]), "the way back is another one");
        assert_eq!(path(&[&[0, 2, 3]], 0, 2), Some(vec![0, 2]));
    }

    #[test]
    fn what_is_no_way() {
        let errors = |routes: &[&[u16]]| Ways::new(&square(routes)).expect_err("it is none");
        assert_eq!(errors(&[&[0]]), [WayError::Short { route: 0 }]);
        assert_eq!(errors(&[&[0, 3]]), [WayError::Missing { route: 0, hop: (0, 3) }]);
        assert_eq!(errors(&[&[0, 1, 0, 2]]), [WayError::Again { route: 0, node: 0 }]);
        assert_eq!(errors(&[&[0, 1, 3, 2, 0]]), [WayError::Again { route: 0, node: 0 }]);
        assert_eq!(errors(&[&[0, 1, 3], &[0, 2, 3]]), [WayError::Split { route: 1, node: 0 }]);
        // 1 sends by way of 0, whose shortest way to 3 is over 1.
        assert_eq!(errors(&[&[1, 0, 2, 3], &[0, 1, 3]]).len(), 2);
        let mut mesh = square(&[]);
        mesh.routes = vec![vec![1, 0]];
        assert!(Ways::new(&mesh).is_ok());
        mesh.links.retain(|link| link.ends != (0, 2));
        mesh.routes = vec![vec![1, 0, 2, 3]];
        assert_eq!(
            Ways::new(&mesh).expect_err("a link is missing")[0],
            WayError::Missing { route: 0, hop: (0, 2) }
        );
    }
}
