// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The channel access methods of chapter 8 (Starzetz 2006, 8.1.1 and 8.2), as rules of the automaton.
//!
//! What it does not do: no method has code of its own.

use super::ContentionError;
use super::automaton::{Decrement, Draw, Growth, Losers, Rules};
use super::idle_sense::Control;
use super::law::SlotLaw;

/// CWmin of 802.11b, slots.
pub const CW_MIN: u32 = 32;
/// CWmax of 802.11b, slots.
pub const CW_MAX: u32 = 1024;

const PLAIN: Rules = Rules {
    draw: Draw::Uniform,
    window: CW_MIN as f64,
    growth: Growth::None,
    losers: Losers::Keep,
    decrement: Decrement::SlotsAndOne,
    offset: 0,
    noise: 0.0,
};

/// 802.11: residual and exponential backoff.
pub fn dcf(cw_min: u32, cw_max: u32) -> Rules {
    Rules { window: cw_min.into(), growth: Growth::Double { most: cw_max }, ..PLAIN }
}

/// 802.11-M: the same, with M slots added to every draw, so that who has just sent does not send again at once.
///
/// # Errors
/// An offset of 0, or above 65536: `dcf` has none.
pub fn dcf_offset(cw_min: u32, cw_max: u32, offset: u32) -> Result<Rules, ContentionError> {
    match offset {
        0 => Err(ContentionError::Offset(0)),
        offset => Ok(Rules { offset, ..dcf(cw_min, cw_max) }),
    }
}

/// 802.11 with losers that draw anew in what is left of their window.
pub fn dcf_shortened(cw_min: u32, cw_max: u32) -> Rules {
    Rules { losers: Losers::Shorten, ..dcf(cw_min, cw_max) }
}

/// Idle Sense with its optimum as a fixed window: residual backoff, no doubling.
pub fn idle_sense(window: f64) -> Rules {
    Rules { window, ..PLAIN }
}

/// Idle Sense as it finds its window itself, from that of 802.11.
pub fn idle_sense_control(target: f64) -> Rules {
    Rules { growth: Growth::IdleSense(Control::new(target)), ..PLAIN }
}

/// HASH1: all draw anew by the ramp in every cycle.
pub fn hash1(window: f64) -> Rules {
    Rules { draw: Draw::Ramp, window, losers: Losers::Redraw, ..PLAIN }
}

/// H: all draw anew, uniformly, in every cycle.
pub fn h(window: f64) -> Rules {
    Rules { window, losers: Losers::Redraw, ..PLAIN }
}

/// All draw anew by one law in every cycle.
pub fn memoryless(law: SlotLaw) -> Rules {
    Rules { draw: Draw::Law(law), losers: Losers::Redraw, ..PLAIN }
}
