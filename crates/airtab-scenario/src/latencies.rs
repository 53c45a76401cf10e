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

#[cfg(test)]
mod tests {
    use airtab_sim::Delivery;

    use super::*;

    /// Percentiles by nearest rank, and the number of packets.
    #[test]
    fn ranks_are_of_the_sorted_latencies() {
        let took = [70, 10, 50, 30, 90, 20, 100, 40, 60, 80];
        let delivery = |took: u64| Delivery { sent_ns: 1000 - took, received_ns: 1000 };
        let stream = StreamTrace { deliveries: took.map(delivery).to_vec(), ..StreamTrace::default() };
        let latencies = Latencies::of(&stream);
        assert_eq!(latencies.count(), 10);
        let at = |percent| latencies.at(Percentile::of_percent(percent).unwrap());
        assert_eq!([10.0, 50.0, 75.0, 90.0, 99.0].map(at), [10, 50, 80, 90, 100].map(Some));
        let mut counted = StreamTrace::default();
        assert_eq!(Latencies::of(&counted).at(Percentile::of_percent(50.0).unwrap()), None);
        [7, 3, 7].iter().for_each(|ms| counted.delay_ns.record(ms * 1_000_000));
        let latencies = Latencies::of(&counted);
        let ms = latencies.at(Percentile::of_percent(50.0).unwrap()).map(|ns| (ns as f64 / 1e6).round());
        assert_eq!((latencies.count(), ms), (3, Some(7.0)));
    }
}
