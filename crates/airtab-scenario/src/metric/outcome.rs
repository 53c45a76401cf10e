// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of the Quality of Outcome: each part of the score of one direction, 0 to 100.
//!
//! What it does not do: it computes none of them (that is `outcome`).

use airtab_quality::qoo::{Part, Percentile};

use super::{Direction, Metric, Row, Sense};

/// One part of the score of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutcomeFigure {
    direction: Direction,
    part: Part,
}

impl Metric {
    /// A part of the score by Quality of Outcome.
    pub const fn of_outcome(direction: Direction, part: Part) -> Metric {
        Metric::Outcome(OutcomeFigure { direction, part })
    }
}

impl OutcomeFigure {
    /// In sentences: "p98 of its delay up".
    pub(crate) fn words(self) -> String {
        let word = self.direction.word();
        match self.part {
            Part::Latency(percentile) => format!("p{percentile} of its delay {word}"),
            Part::Loss => format!("its losses {word}"),
            Part::Rate => format!("its rate {word}"),
        }
    }
}

/// Every part of both directions.
pub(super) fn rows() -> Vec<Row> {
    let parts = Percentile::ALL.map(Part::Latency).into_iter().chain([Part::Loss, Part::Rate]);
    let row = |direction: Direction, part: Part| {
        let word = direction.word();
        let part_name = match part {
            Part::Latency(percentile) => format!("p{percentile}"),
            Part::Loss => "loss".into(),
            Part::Rate => "rate".into(),
        };
        // Once for each: they are as long there as the program.
        let name = format!("qoo_{word}_{}_score", part_name.replace('.', "_")).leak();
        let label = format!("QoO {word}, {part_name}").leak();
        (Metric::of_outcome(direction, part), &*name, &*label, 1.0, 1, Sense::Higher)
    };
    parts.flat_map(|part| Direction::BOTH.map(|direction| row(direction, part))).collect()
}
