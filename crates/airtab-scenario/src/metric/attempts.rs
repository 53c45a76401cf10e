// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures of how often frames were sent: one for each number of attempts that a scenario can allow.
//!
//! Limits: the figures of one run end with the attempts that its medium makes.

use super::{Metric, Row, Sense};

/// Names of all of them, as a regular expression.
pub(super) const PATTERN: &str = "^attempts_([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])_ratio$";

/// Every figure: 1 to 255 attempts.
pub(super) fn rows() -> Vec<Row> {
    let row = |n: u8| {
        let (often, sense) = match n {
            1 => ("once".to_string(), Sense::Higher),
            2 => ("twice".to_string(), Sense::Neither),
            _ => (format!("{n} times"), Sense::Neither),
        };
        // Once for each: they are as long there as the program.
        let (name, label) = (format!("attempts_{n}_ratio").leak(), format!("sent {often}, %").leak());
        (Metric::Attempts(n), &*name, &*label, 1e2, 1, sense)
    };
    (1..=u8::MAX).map(row).collect()
}
