// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who decodes, senses and is disturbed by whom: by positions and ranges, or by lists (Showail 2016, 4.2.1, 5.7).
//!
//! All three go both ways, and each holds the one before it: who decodes a frame senses it, and is disturbed by it.
//! With capture a frame survives another one that is so much weaker where it is received; signals fall with the
//! fourth power of the distance, as over flat ground far from the antennas.
//!
//! What it does not do: no fading, no sum of several signals, nobody moves.

use std::ops::BitOr;

/// Nodes that a mesh may have.
pub const MAX_NODES: usize = 256;
/// How signals fall with the distance, for capture.
const EXPONENT: f64 = 4.0;
const WORDS: usize = MAX_NODES / 64;

/// Some of the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeSet([u64; WORDS]);

impl NodeSet {
    /// One node.
    #[inline]
    pub fn of(node: usize) -> NodeSet {
        let mut one = NodeSet::default();
        one.insert(node);
        one
    }

    /// Whether that node is one of them.
    #[inline]
    pub fn has(&self, node: usize) -> bool {
        self.0[node / 64] >> (node % 64) & 1 == 1
    }

    /// One more.
    #[inline]
    pub fn insert(&mut self, node: usize) {
        self.0[node / 64] |= 1 << (node % 64);
    }

    /// Those of them that are not among others.
    #[inline]
    pub fn without(mut self, others: &NodeSet) -> NodeSet {
        self.0.iter_mut().zip(others.0).for_each(|(own, other)| *own &= !other);
        self
    }

    /// All of them, in ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..).zip(self.0).flat_map(|(word, mut left)| {
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    word * 64 + bit
                })
            })
        })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == NodeSet::default()
    }
}

impl BitOr for NodeSet {
    type Output = NodeSet;

    #[inline]
    fn bitor(mut self, other: NodeSet) -> NodeSet {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
        self
    }
}

/// How far frames reach, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// They are decoded.
    pub tx_m: f64,
    /// They are sensed.
    pub sense_m: f64,
    /// They disturb others.
    pub interference_m: f64,
}

/// Of each node, who decodes, senses and is disturbed by what it sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    nodes: usize,
    decodes: Vec<NodeSet>,
    senses: Vec<NodeSet>,
    disturbs: Vec<NodeSet>,
    /// Of each pair, where the first one's frames survive the second one's; empty: nowhere.
    beats: Vec<NodeSet>,
}

impl Reach {
    /// By where the nodes are, metres; `capture_db`: how much stronger a frame has to be than another one that overlaps
    /// it to survive, None: it never does.
    pub fn of_positions(places: &[(f64, f64)], ranges: &Ranges, capture_db: Option<f64>) -> Reach {
        let distance = |a: usize, b: usize| {
            let ((x, y), (u, v)) = (places[a], places[b]);
            libm::sqrt((x - u) * (x - u) + (y - v) * (y - v))
        };
        let within = |range: f64| by_pairs(places.len(), |a, b| distance(a, b) <= range);
        let mut reach = Reach {
            nodes: places.len(),
            decodes: within(ranges.tx_m),
            senses: within(ranges.sense_m),
            disturbs: within(ranges.interference_m),
            beats: Vec::new(),
        };
        if let Some(db) = capture_db {
            let further = libm::pow(10.0, db / 10.0 / EXPONENT);
            let survives = |a: usize, b: usize, at: usize| distance(a, at) * further < distance(b, at);
            for a in 0..places.len() {
                let among = |b: usize| (0..places.len()).filter(move |at| *at != a && *at != b);
                let beaten = |b: usize| set(among(b).filter(|at| survives(a, b, *at)));
                reach.beats.extend((0..places.len()).map(beaten));
            }
        }
        reach
    }

    /// By pairs: who decodes each other, who senses each other beside, and who disturbs each other beside these.
    pub fn of_lists(
        nodes: usize,
        links: &[(u16, u16)],
        sense: &[(u16, u16)],
        disturb: &[(u16, u16)],
    ) -> Reach {
        let among = |lists: &[&[(u16, u16)]]| {
            let is_one = |a: usize, b: usize| {
                let mut pairs = lists.iter().flat_map(|list| list.iter());
                pairs.any(|&(c, d)| (a, b) == (c.into(), d.into()) || (b, a) == (c.into(), d.into()))
            };
            by_pairs(nodes, is_one)
        };
        Reach {
            nodes,
            decodes: among(&[links]),
            senses: among(&[links, sense]),
            disturbs: among(&[links, sense, disturb]),
            beats: Vec::new(),
        }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Who decodes what a node sends.
    #[inline]
    pub fn decodes(&self, node: usize) -> NodeSet {
        self.decodes[node]
    }

    /// Who senses that it sends.
    #[inline]
    pub fn senses(&self, node: usize) -> NodeSet {
        self.senses[node]
    }

    /// Whose reception it disturbs.
    #[inline]
    pub fn disturbs(&self, node: usize) -> NodeSet {
        self.disturbs[node]
    }

    /// Where what `node` sends is lost if `other` sends at the same time.
    #[inline]
    pub fn loses(&self, node: usize, other: usize) -> NodeSet {
        let mut lost = match self.beats.get(node * self.nodes + other) {
            None => self.disturbs[other],
            Some(beaten) => self.disturbs[other].without(beaten),
        };
        lost.insert(other);
        lost
    }

    /// Whether everybody senses and disturbs everybody else, and no frame survives another one.
    pub fn is_one_domain(&self) -> bool {
        let all = |sets: &[NodeSet]| sets.iter().all(|set| set.len() + 1 == self.nodes);
        all(&self.senses) && all(&self.disturbs) && self.beats.is_empty()
    }

    /// Whether everybody decodes everybody else.
    pub(super) fn is_decoded_by_all(&self) -> bool {
        self.decodes.iter().all(|set| set.len() + 1 == self.nodes)
    }
}

fn set(nodes: impl Iterator<Item = usize>) -> NodeSet {
    nodes.fold(NodeSet::default(), |mut all, node| {
        all.insert(node);
        all
    })
}

/// Of each node the others that are together with it.
fn by_pairs(nodes: usize, together: impl Fn(usize, usize) -> bool) -> Vec<NodeSet> {
    (0..nodes).map(|a| set((0..nodes).filter(|b| a != *b && together(a, *b)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sets() {
        let mut own = NodeSet::default();
        assert!(own.is_empty());
        [0, 63, 64, 255].into_iter().for_each(|node| own.insert(node));
        assert_eq!(own.iter().collect::<Vec<_>>(), [0, 63, 64, 255]);
        assert!(own.has(64) && !own.has(65) && own.len() == 4);
        let other = set([63, 1].into_iter());
        assert_eq!(own.without(&other).iter().collect::<Vec<_>>(), [0, 64, 255]);
        assert_eq!((own | other).len(), 5);
    }

    #[test]
    fn ranges_and_lists_say_the_same() {
        let places: Vec<(f64, f64)> = (0..4).map(|i| (f64::from(i) * 200.0, 0.0)).collect();
        let ranges = Ranges { tx_m: 250.0, sense_m: 400.0, interference_m: 600.0 };
        let by_place = Reach::of_positions(&places, &ranges, None);
        let links = [(0, 1), (1, 2), (2, 3)];
        assert_eq!(by_place, Reach::of_lists(4, &links, &[(2, 0), (1, 3)], &[(0, 3)]));
        assert!(!by_place.is_one_domain());
        let wide = Ranges { sense_m: 600.0, ..ranges };
        let wide = Reach::of_positions(&places, &wide, None);
        assert!(wide.is_one_domain() && !wide.is_decoded_by_all());
    }

    /// At 200 m from its sender a frame survives one from 400 m by 12.04 dB.
    #[test]
    fn the_nearer_one_survives() {
        let places = [(0.0, 0.0), (200.0, 0.0), (600.0, 0.0)];
        let ranges = Ranges { tx_m: 700.0, sense_m: 700.0, interference_m: 700.0 };
        for (db, survives) in [(12.0, true), (12.1, false)] {
            let reach = Reach::of_positions(&places, &ranges, Some(db));
            assert_eq!(reach.loses(0, 2).has(1), !survives, "{db} dB");
            assert!(reach.loses(2, 0).has(1), "the weaker one never does");
            assert!(reach.loses(0, 1).has(1), "who sends receives nothing");
            assert!(!reach.is_one_domain());
        }
    }
}
