// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bursts into an empty queue: what they do to an average that is sampled at arrivals, and how long they wait
//! (Parris 2001, B.3.2; II and III for the wait).
//!
//! The average lags behind: a class whose weight is small lets in far more at once than its threshold, one whose weight
//! is large little more.
//!
//! What it does not do: nothing leaves the queue while the burst comes. An average over time, as against one over
//! arrivals, does not move in that time at all.

use super::{CbtError, Quantity};

/// Where counting ends: no queue holds so many.
const MOST: u64 = 1 << 40;

/// avg(L) = L + 1 + ((1-w)^(L+1) - 1) / w, packets: the average of an empty queue once `packets` are in it and one more
/// comes (eq. B.2).
///
/// # Errors
/// A weight that is not above 0, or is above 1.
pub fn average_after(packets: u64, weight: f64) -> Result<f64, CbtError> {
    let weight = Quantity::Weight.of(weight)?;
    let samples = packets as f64 + 1.0;
    Ok(samples + libm::expm1(samples * libm::log1p(-weight)) / weight)
}

/// How many packets an empty class lets in before the first forced drop, its average being 0: the fewest, more than the
/// `guard` packets that it may always hold, after which the average is above the threshold (IV.3.2). 2^40 if it lets in
/// more.
///
/// # Errors
/// A weight or a threshold that is not above 0, a weight above 1.
pub fn accepted(weight: f64, threshold: f64, guard: u32) -> Result<u64, CbtError> {
    let threshold = Quantity::Threshold.of(threshold)?;
    let drops = |packets: u64| Ok::<bool, CbtError>(average_after(packets, weight)? > threshold);
    let (mut low, mut high) = (u64::from(guard), u64::from(guard) + 1);
    while !drops(high)? {
        if high >= MOST {
            return Ok(MOST);
        }
        (low, high) = (high, 2 * high);
    }
    // It is not dropped with `low` packets in the queue, or the guard forbids it; with `high` it is.
    while high - low > 1 {
        let middle = low.midpoint(high);
        if drops(middle)? { high = middle } else { low = middle }
    }
    Ok(high)
}

/// Mean wait of `packets` packets of `packet` bytes that come at once, before a link of `capacity` bytes/s:
/// (N-1)/2 L/R, s.
///
/// # Errors
/// A packet or a capacity that is not above 0.
pub fn mean_wait_s(packets: u64, packet: f64, capacity: f64) -> Result<f64, CbtError> {
    let service = Quantity::Packet.of(packet)? / Quantity::Capacity.of(capacity)?;
    Ok((packets as f64 - 1.0).max(0.0) / 2.0 * service)
}

/// La/R, what arrivals of `packets_per_s` ask of the link: from 1 on the queue grows without end.
///
/// # Errors
/// A packet or a capacity that is not above 0.
pub fn intensity(packets_per_s: f64, packet: f64, capacity: f64) -> Result<f64, CbtError> {
    Ok(packets_per_s * Quantity::Packet.of(packet)? / Quantity::Capacity.of(capacity)?)
}
