// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The effective contention window: how wide a uniform window of the memoryless H scheme must be to collide as
//! often as a given scheme does; with it any scheme can be judged by its outcome alone (Starzetz 2006, 8.1.1).
//!
//! Between two whole windows everything is interpolated linearly in the window.

use super::hash::{Hash, hash};
use super::law::SlotLaw;
use super::{ContentionError, MAX_WINDOW};

/// A scheme's yardstick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matched {
    /// C_eff, the window with the same p_c, slots.
    pub window: f64,
    /// What `n` stations come to with it.
    pub hash: Hash,
}

/// Makes a law of so many slots.
type Make = fn(u32) -> Result<SlotLaw, ContentionError>;

/// C_eff of a scheme of `n` stations that collides with probability `p_collision`, and what H comes to with it.
///
/// # Errors
/// No window of 1 to 65536 slots collides that often; too few stations.
pub fn effective(p_collision: f64, n: u64) -> Result<Matched, ContentionError> {
    matched(SlotLaw::uniform, p_collision, n)
}

/// The same with the ramp of HASH1.
///
/// # Errors
/// As [`effective`].
pub fn ramp(p_collision: f64, n: u64) -> Result<Matched, ContentionError> {
    matched(SlotLaw::ramp, p_collision, n)
}

/// Whether a scheme is better than H, "channel cooperative": at equal p_c both of its waits are shorter.
///
/// # Errors
/// As [`effective`].
pub fn better_than_h(scheme: &Hash, n: u64) -> Result<bool, ContentionError> {
    let h = effective(scheme.p_collision, n)?.hash;
    Ok(scheme.wait_success < h.wait_success && scheme.wait_collision < h.wait_collision)
}

fn matched(make: Make, p_collision: f64, n: u64) -> Result<Matched, ContentionError> {
    let at = |window: u32| hash(&make(window)?, n);
    if p_collision == 1.0 {
        return Ok(Matched { window: 1.0, hash: at(1)? });
    }
    // Widen until it collides less often, then halve what is in between.
    let (mut narrow, mut wide) = (1, 2);
    while at(wide)?.p_collision > p_collision {
        narrow = wide;
        if wide == MAX_WINDOW {
            return Err(ContentionError::Collision { value: p_collision, least: at(wide)?.p_collision });
        }
        wide *= 2;
    }
    if !(0.0..=1.0).contains(&p_collision) {
        return Err(ContentionError::Collision { value: p_collision, least: at(MAX_WINDOW)?.p_collision });
    }
    while wide - narrow > 1 {
        let middle = narrow.midpoint(wide);
        if at(middle)?.p_collision > p_collision { narrow = middle } else { wide = middle }
    }
    Ok(between(narrow, &at(narrow)?, &at(wide)?, p_collision))
}

/// A part of the way from one whole window to the next.
fn between(narrow: u32, a: &Hash, b: &Hash, p_collision: f64) -> Matched {
    let part = (a.p_collision - p_collision) / (a.p_collision - b.p_collision);
    let mix = |a: f64, b: f64| a + part * (b - a);
    Matched {
        window: f64::from(narrow) + part,
        hash: Hash {
            p_collision,
            wait_success: mix(a.wait_success, b.wait_success),
            wait_collision: mix(a.wait_collision, b.wait_collision),
        },
    }
}
