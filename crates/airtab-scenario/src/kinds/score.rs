// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How the score of a kind is shown: in captions, tables and sentences.
//!
//! What it does not do: the factor to the shown unit, and decimals, are the metric's.

/// Words around a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// What it is, with unit and sense.
    pub caption: &'static str,
    /// Axis of figures, in the shown unit: what is drawn at least.
    pub axis: (f64, f64),
    /// Unit behind it in the table of one run; None where that has a column for it.
    pub unit: Option<&'static str>,
    /// Unit behind it in reasons.
    pub unit_of_reason: &'static str,
    /// Words before and after an application's name, as in "NAME receives 5 Mb/s instead of 4".
    pub gain: (&'static str, &'static str),
    /// Unit behind the value there.
    pub unit_of_gain: &'static str,
}

/// An opinion score, in figures always on the same axis: they can be compared.
pub(super) const fn opinion(caption: &'static str) -> Score {
    Score {
        caption,
        axis: (1.0, 4.5),
        unit: Some("MOS"),
        unit_of_reason: "",
        gain: ("", " scores"),
        unit_of_gain: "",
    }
}

/// A rate at which the station receives.
pub(super) const RECEIVED: Score = Score {
    caption: "received, Mb/s (more is better)",
    axis: (0.0, 1.0),
    unit: None,
    unit_of_reason: "Mb/s",
    gain: ("", " receives"),
    unit_of_gain: " Mb/s",
};

/// Packets that do not arrive.
pub(super) const LOST: Score = Score {
    caption: "packets lost, % (less is better)",
    axis: (0.0, 1.0),
    unit: Some("% lost"),
    unit_of_reason: "% lost",
    gain: ("", " loses"),
    unit_of_gain: " % of its packets",
};

/// Packets of both directions that do not arrive.
pub(super) const LOST_OF_WORSE: Score =
    Score { caption: "packets lost in the worse direction, % (less is better)", ..LOST };

/// Time that all but one packet in a hundred take, in the worse direction.
pub(super) const LATE: Score = Score {
    caption: "one-way delay that 99 % of the packets that arrive do not exceed, worse direction, ms (less is better)",
    axis: (0.0, 1.0),
    unit: Some("ms p99"),
    unit_of_reason: "ms p99",
    gain: ("99 % of the arriving packets of ", " take at most"),
    unit_of_gain: " ms",
};

/// Time that a video stands still.
pub(super) const STALLED: Score = Score {
    caption: "time stood still, % (less is better)",
    axis: (0.0, 1.0),
    unit: Some("% stalled"),
    unit_of_reason: "% stalled",
    gain: ("", " stands still for"),
    unit_of_gain: " % of its time",
};
