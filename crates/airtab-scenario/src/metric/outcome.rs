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

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of each direction has its own name, label and words.
    #[test]
    fn parts_are_named_with_their_direction() {
        let p = |percent| Part::Latency(Percentile::of_percent(percent).unwrap());
        for (direction, part, name, label, words) in [
            (Direction::Down, p(98.0), "qoo_down_p98_score", "QoO down, p98", "p98 of its delay down"),
            (Direction::Up, p(99.9), "qoo_up_p99_9_score", "QoO up, p99.9", "p99.9 of its delay up"),
            (Direction::Up, Part::Loss, "qoo_up_loss_score", "QoO up, loss", "its losses up"),
            (Direction::Down, Part::Rate, "qoo_down_rate_score", "QoO down, rate", "its rate down"),
        ] {
            let metric = Metric::of_outcome(direction, part);
            assert_eq!((metric.name(), metric.label()), (name, label));
            assert_eq!(Metric::named(name), Some(metric));
            assert_eq!(OutcomeFigure { direction, part }.words(), words);
        }
        assert_eq!(rows().len(), 2 * (Percentile::ALL.len() + 2));
    }
}
