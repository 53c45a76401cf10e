// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Equal access: do two cards that always have a packet get the channel equally often? (Starzetz 2006, 6.4.2)
//!
//! DCF gives saturated stations equal numbers of packets, whatever their length. One sender is *best effort*: long
//! packets, as fast as they go. The other, *expedited*, sends short ones at a rate that rises step by step. From
//! the step on at which the channel does not carry what it offers, both rates should be the same.
//!
//! | module | what |
//! |---|---|
//! | [`plan`] | lengths, rates and times that both senders and the receiver keep to; both senders as [`crate::cbr`] |
//! | [`judge`] | packets that arrive, step by step, and the verdict |
//!
//! What it does not do: nothing is known of what else is on the channel; a third sender takes from both.

pub mod judge;
pub mod plan;
