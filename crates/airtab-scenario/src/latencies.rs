// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One-way latencies of the packets of one direction, in order: each of them where the trace has each, else its
//! histogram.
//!
//! What it does not do: means are `measure`'s.

use airtab_quality::qoo::Percentile;
use airtab_sim::{Histogram, StreamTrace};

use crate::measure::took_ns;

/// In order.
pub(crate) enum Latencies<'a> {
    /// Of constant streams.
    Each(Vec<u64>),
    /// Of others.
    Counted(&'a Histogram),
}

impl Latencies<'_> {
    /// Those of a direction.
    pub(crate) fn of(stream: &StreamTrace) -> Latencies<'_> {
        if stream.deliveries.is_empty() {
            return Latencies::Counted(&stream.delay_ns);
        }
        let mut each: Vec<u64> = stream.deliveries.iter().map(took_ns).collect();
        each.sort_unstable();
        Latencies::Each(each)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Latencies::Each(each) => each.len() as u64,
            Latencies::Counted(histogram) => histogram.len(),
        }
    }

    /// The least that so many per cent did not exceed, ns; None of none.
    pub(crate) fn at(&self, percentile: Percentile) -> Option<u64> {
        let rank = percentile.rank(self.count())?;
        Some(match self {
            Latencies::Each(each) => each[rank as usize - 1],
            Latencies::Counted(histogram) => histogram.value_at_quantile(percentile.percent() / 100.0),
        })
    }
}
