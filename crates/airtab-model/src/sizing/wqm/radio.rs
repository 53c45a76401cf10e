// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Queues of several stations behind one radio. Not in the dissertation, whose law has one R for all: a queue with packets
//! for a slow station drains far slower than the last rate says.
//!
//! What it does not do: who is served next.

use super::super::{Quantity, SizingError};

/// What waits for one station and class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Bits.
    pub backlog_bits: f64,
    /// Of that station, Mb/s.
    pub rate_mbps: f64,
}

/// How long the radio takes for all of it: the sum of BL / R, over F, us.
///
/// # Errors
/// A backlog below 0, a rate of 0, a free share that is not above 0 and at most 1.
pub fn drain_us(waiting: &[Waiting], free: f64) -> Result<f64, SizingError> {
    let one = |(i, one): (usize, &Waiting)| {
        let rate = Quantity::Rate.of_place(i, one.rate_mbps)?;
        Ok(Quantity::Packets.of_place(i, one.backlog_bits)? / rate)
    };
    let air: f64 = waiting.iter().enumerate().map(one).sum::<Result<_, SizingError>>()?;
    Ok(air / Quantity::Free.of(free)?)
}

/// How long one queue takes if it has that share of the air: (BL / R) / (F share), us.
///
/// # Errors
/// As [`drain_us`]; a share that is not above 0 and at most 1.
pub fn drain_of_one_us(waiting: &Waiting, free: f64, share: f64) -> Result<f64, SizingError> {
    Ok(drain_us(&[*waiting], free)? / Quantity::Share.of(share)?)
}

/// The share of the air of each of so many backlogged queues that take turns by airtime.
///
/// # Errors
/// None is backlogged.
pub fn equal_share(backlogged: u32) -> Result<f64, SizingError> {
    Ok(1.0 / Quantity::Flows.of(backlogged.into())?)
}
