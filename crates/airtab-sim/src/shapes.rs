// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Meshes that the studies of buffer sizing have, by name: where their nodes are, and how far frames reach (Showail
//! 2016, chapters 4 to 6).
//!
//! Nodes of the chains are 200 m apart, and decode those beside them alone. All nodes of a chain of up to four hops sense
//! each other, but for the ends of `chain-4-hidden`. Of the lines, 90 m apart, nobody says who senses whom: three hops.
//!
//! What it does not do: who sends to whom is a scenario's.

use crate::wifi::Ranges;

/// A mesh by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Names of its nodes.
    pub names: Vec<String>,
    /// Where they are, metres.
    pub places: Vec<(f64, f64)>,
    /// How far frames reach.
    pub ranges: Ranges,
}

/// From one node of a chain to the next, metres.
const HOP_M: f64 = 200.0;
/// The same of a line.
const LINE_M: f64 = 90.0;
/// Frames of a chain are decoded so far.
const TX_M: f64 = 250.0;
/// Four hops, and three.
const NEAR_M: f64 = 900.0;
const HIDDEN_M: f64 = 700.0;
/// Edges of the cross.
const EDGES: [(&str, f64, f64); 4] = [("n", 0.0, 1.0), ("e", 1.0, 0.0), ("s", 0.0, -1.0), ("w", -1.0, 0.0)];
/// Hops of each.
const EDGE_HOPS: u32 = 5;

impl Shape {
    /// The names that there are.
    pub const NAMES: [&str; 15] = [
        "one-hop",
        "chain-2",
        "chain-3",
        "chain-4",
        "chain-5",
        "chain-6",
        "chain-4-hidden",
        "parking-lot",
        "cross",
        "disjoint",
        "lot-a",
        "lot-b",
        "line-3",
        "line-4",
        "line-5",
    ];

    /// The one of that name; None: there is none.
    pub fn named(name: &str) -> Option<Shape> {
        Some(match name {
            "one-hop" => Shape::chain(1, NEAR_M),
            "chain-2" => Shape::chain(2, NEAR_M),
            "chain-3" | "lot-b" => Shape::chain(3, NEAR_M),
            "chain-4" | "lot-a" => Shape::chain(4, NEAR_M),
            "chain-5" => Shape::chain(5, NEAR_M),
            "chain-6" | "parking-lot" => Shape::chain(6, NEAR_M),
            "chain-4-hidden" => Shape::chain(4, HIDDEN_M),
            "cross" => Shape::cross(),
            "disjoint" => Shape::disjoint(),
            "line-3" => Shape::line(3),
            "line-4" => Shape::line(4),
            "line-5" => Shape::line(5),
            _ => return None,
        })
    }

    fn chain(hops: u32, sense_m: f64) -> Shape {
        let place = |i: u32| (f64::from(i) * HOP_M, 0.0);
        Shape::of((0..=hops).map(|i| (format!("n{i}"), place(i))), TX_M, sense_m)
    }

    fn line(nodes: u32) -> Shape {
        let place = |i: u32| (f64::from(i - 1) * LINE_M, 0.0);
        Shape::of((1..=nodes).map(|i| (format!("n{i}"), place(i))), LINE_M, 3.0 * LINE_M)
    }

    /// The gateway in the middle, and four edges.
    fn cross() -> Shape {
        let edge = |(name, x, y): (&'static str, f64, f64)| {
            (1..=EDGE_HOPS).map(move |i| {
                let away = f64::from(i) * HOP_M;
                (format!("{name}{i}"), (x * away, y * away))
            })
        };
        let gateway = std::iter::once(("gw".to_string(), (0.0, 0.0)));
        Shape::of(gateway.chain(EDGES.into_iter().flat_map(edge)), TX_M, NEAR_M)
    }

    /// A chain of three hops beside one of four: nobody decodes the other chain, all sense it.
    fn disjoint() -> Shape {
        let chain = |name: &'static str, nodes: u32, y: f64| {
            (0..nodes).map(move |i| (format!("{name}{i}"), (f64::from(i) * HOP_M, y)))
        };
        Shape::of(chain("a", 4, 0.0).chain(chain("b", 5, 1.5 * HOP_M)), TX_M, NEAR_M)
    }

    fn of(nodes: impl Iterator<Item = (String, (f64, f64))>, tx_m: f64, sense_m: f64) -> Shape {
        let (names, places) = nodes.unzip();
        Shape { names, places, ranges: Ranges { tx_m, sense_m, interference_m: sense_m } }
    }
}
