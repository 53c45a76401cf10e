// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Flow Random Early Drop, the variant for many flows: what a flow that does not yield gets, and until how many flows the
//! queue is bounded (Parris 2001, III.3.3).
//!
//! What it does not do: frames of several packets lose more than a flow of single packets of the same rate, because the
//! test of a flow is of what it has in the queue now. The source has exceptions to the share where Th_max is small.

use super::{CbtError, Quantity};

/// Packets of each flow that are let in whatever the average.
const TWO: f64 = 2.0;

/// Th_min / Th_max of the queue, and so of the link: the most that one flow holds, against the average at its upper
/// threshold.
///
/// # Errors
/// Thresholds that are no band.
pub fn share(min: f64, max: f64) -> Result<f64, CbtError> {
    if !(min > 0.0 && max.is_finite() && max > min) {
        return Err(CbtError::Band { min, max });
    }
    Ok(min / max)
}

/// Active flows with which two packets of each fill a queue of `limit` packets: with more, nothing but the limit bounds
/// the wait ([`fifo::latency_s`](super::fifo::latency_s)).
///
/// # Errors
/// A limit that is not above 0.
pub fn flows_that_fill(limit: f64) -> Result<f64, CbtError> {
    Ok(Quantity::Limit.of(limit)? / TWO)
}
