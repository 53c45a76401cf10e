// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Gaps between the arrivals of an application's packets: their histogram in bins of 1 us, and its peaks. Of a lone
//! sender that always has a packet each peak is a number of backoff slots; of one that rarely has, there is but the
//! time between its packets.
//!
//! Source: Starzetz 2006, 6.4.1, figures 6.1 to 6.3. What a peak is, is ours.
//!
//! What it does not do: nothing is judged; a card's verdict is `airtab fingerprint`'s (`airtab_quality::fingerprint`).

use std::collections::BTreeMap;

use airtab_sim::Delivery;

use crate::measure::Figures;
use crate::metric::{Direction, Metric, OfPath};

/// Width of a bin, ns.
const BIN_NS: u64 = 1_000;
/// A bin with at least this share of the gaps is a peak: a third of what each of 32 slots has.
const PEAK: f64 = 0.01;

/// Adds the figures of a direction; none for fewer than two packets.
pub(crate) fn add(f: &mut Figures, direction: Direction, deliveries: &[Delivery]) {
    let mut bins = BTreeMap::<u64, u64>::new();
    let (mut least, mut most) = (u64::MAX, 0);
    for pair in deliveries.windows(2) {
        let gap = pair[1].received_ns - pair[0].received_ns;
        (least, most) = (least.min(gap), most.max(gap));
        *bins.entry(gap / BIN_NS).or_default() += 1;
    }
    let [Some(first), Some(last)] = [deliveries.first(), deliveries.last()] else { return };
    if bins.is_empty() {
        return;
    }
    let n = (deliveries.len() - 1) as f64;
    let mut add = |of: OfPath, value: f64| f.insert(Metric::of_path(direction, of), value);
    add(OfPath::GapLeast, least as f64 * 1e-9);
    add(OfPath::GapMean, (last.received_ns - first.received_ns) as f64 / n * 1e-9);
    add(OfPath::GapMost, most as f64 * 1e-9);
    let peaks: Vec<(u64, f64)> = bins
        .into_iter()
        .map(|(at, count)| (at, count as f64 / n))
        .filter(|(_, share)| *share >= PEAK)
        .collect();
    add(OfPath::GapPeaks, peaks.len() as f64);
    let [Some((first, _)), Some((last, _))] = [peaks.first(), peaks.last()] else { return };
    if peaks.len() > 1 {
        add(OfPath::GapSpacing, (last - first) as f64 / (peaks.len() - 1) as f64 * 1e-6);
    }
    let shares = || peaks.iter().map(|(_, share)| *share);
    add(OfPath::GapPeakLeast, shares().fold(1.0, f64::min));
    add(OfPath::GapPeakMost, shares().fold(0.0, f64::max));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(times_ns: &[u64]) -> Figures {
        let deliveries: Vec<_> =
            times_ns.iter().map(|&received_ns| Delivery { sent_ns: 0, received_ns }).collect();
        let mut f = Figures::new();
        add(&mut f, Direction::Up, &deliveries);
        f
    }

    #[test]
    fn every_slot_is_a_peak() {
        // Gaps of 1347.27 us and 0 to 3 slots, each as often; 60 of one slot more are too few of 10060 to be one.
        let gaps = (0..2500).flat_map(|_| 0..4).chain((0..60).map(|_| 4));
        let mut now = 7;
        let mut times = vec![now];
        for slots in gaps {
            now += 1_347_270 + 20_000 * slots;
            times.push(now);
        }
        let f = figures(&times);
        let of = |of| f.get(&Metric::of_path(Direction::Up, of)).copied();
        let close = |of_path: OfPath, wanted: f64| {
            let value = of(of_path).unwrap();
            assert!((value / wanted - 1.0).abs() < 1e-12, "{of_path:?}: {value}, not {wanted}");
        };
        close(OfPath::GapLeast, 1347.27e-6);
        close(OfPath::GapMost, 1427.27e-6);
        close(OfPath::GapPeaks, 4.0);
        close(OfPath::GapSpacing, 20e-6);
        close(OfPath::GapPeakLeast, 2500.0 / 10060.0);
        close(OfPath::GapPeakMost, 2500.0 / 10060.0);
        close(OfPath::GapMean, (1347.27e-6 * 10060.0 + 20e-6 * (2500.0 * 6.0 + 240.0)) / 10060.0);
        assert_eq!(of(OfPath::Wires), None);
    }

    /// A bin with one gap in a hundred is a peak, one with fewer is none.
    #[test]
    fn a_hundredth_of_the_gaps_is_a_peak() {
        let peaks = |rare: u64| {
            let gaps = (0..rare).map(|_| 3_000).chain((0..200 - rare).map(|_| 7_000));
            let mut now = 0;
            let times: Vec<u64> = std::iter::once(0)
                .chain(gaps.map(|gap| {
                    now += gap;
                    now
                }))
                .collect();
            let f = figures(&times);
            [OfPath::GapPeaks, OfPath::GapPeakLeast, OfPath::GapPeakMost]
                .map(|of| f[&Metric::of_path(Direction::Up, of)])
        };
        assert_eq!(peaks(2), [2.0, 0.01, 0.99]);
        assert_eq!(peaks(1), [1.0, 0.995, 0.995]);
    }

    #[test]
    fn few_packets_and_no_peak() {
        assert_eq!(figures(&[]), Figures::new());
        assert_eq!(figures(&[5]), Figures::new());
        // One gap is its own peak, without a distance from another.
        let one = figures(&[1000, 47_876_000]);
        let names: Vec<_> = one.iter().map(|(metric, value)| (metric.name(), *value)).collect();
        assert_eq!(
            names,
            [
                ("up_gap_least_seconds", 0.047875),
                ("up_gap_mean_seconds", 0.047875),
                ("up_gap_most_seconds", 0.047875),
                ("up_gap_peaks", 1.0),
                ("up_gap_peak_least_ratio", 1.0),
                ("up_gap_peak_most_ratio", 1.0),
            ]
        );
        // 200 gaps, all of another length: no bin has a hundredth of them.
        let times: Vec<u64> = (0..=200u64).map(|i| i * i * 10_000).collect();
        let none = figures(&times);
        assert_eq!(none[&Metric::of_path(Direction::Up, OfPath::GapPeaks)], 0.0);
        assert!(!none.contains_key(&Metric::of_path(Direction::Up, OfPath::GapPeakLeast)));
    }
}
