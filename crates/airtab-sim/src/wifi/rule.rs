// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Contention rules: how many slots a contender waits before it sends, and what
//! it makes of how the last attempt ended. A rule is a variant of [`Rule`], and
//! each contender has one of its own, with a random stream.
//!
//! - [`Rule::Dcf`]: IEEE 802.11 10.3.3, binary exponential backoff: a draw from
//!   a window that doubles at each failure and is the least one after a success
//!   or when the frame is given up.
//!
//! What it does not do: no slots are counted here, and nobody's residual is
//! kept (`contention`).

use airtab_core::Phy;

use super::edca::Access;
use crate::engine::Stream;

/// A contender's rule and what it has learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Slots from 0 to `window`, which is one less than a power of two.
    Dcf { window: u32, least: u32, most: u32 },
}

impl Rule {
    /// DCF with the windows that a PHY has for a station of that rate, kb/s; None: the access point.
    pub(super) fn dcf(phy: &Phy, kbps: Option<u32>) -> Rule {
        let least = kbps.map_or(phy.cw_min(), |kbps| phy.cw_min_at(kbps));
        Rule::Dcf { window: least, least, most: phy.cw_max() }
    }

    /// The same with the windows of an access category.
    pub(super) fn edca(access: &Access) -> Rule {
        Rule::Dcf { window: access.least, least: access.least, most: access.most }
    }

    /// Slots of the next backoff.
    pub(super) fn draw(&self, random: &mut Stream) -> u64 {
        match *self {
            Rule::Dcf { window, .. } => random.masked(window).into(),
        }
    }

    /// An attempt failed, and the frame will be sent again.
    pub(super) fn failed(&mut self) {
        match self {
            Rule::Dcf { window, most, .. } => *window = (*window * 2 + 1).min(*most),
        }
    }

    /// The frame is done with: it arrived, was broadcast, or is given up.
    pub(super) fn done(&mut self) {
        match self {
            Rule::Dcf { window, least, .. } => *window = *least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> Rule {
        Rule::dcf(&Phy::named("std-11b").expect("a profile of the core"), None)
    }

    /// Largest of many draws: the window itself.
    fn largest(rule: &Rule) -> u64 {
        let mut random = Stream::new(1, "rule");
        (0..200_000).map(|_| rule.draw(&mut random)).max().expect("some were drawn")
    }

    #[test]
    fn the_window_doubles_to_its_bound_and_begins_anew() {
        let mut rule = rule();
        let mut windows = Vec::new();
        for _ in 0..8 {
            windows.push(largest(&rule));
            rule.failed();
        }
        assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023, 1023]);
        rule.done();
        assert_eq!(largest(&rule), 31);
    }

    #[test]
    fn all_slots_are_equally_likely() {
        let (rule, mut random) = (rule(), Stream::new(2, "rule"));
        let mut counts = [0u32; 32];
        for _ in 0..320_000 {
            counts[rule.draw(&mut random) as usize] += 1;
        }
        // 10,000 each, deviation 98.
        assert!(counts.iter().all(|n| n.abs_diff(10_000) < 500), "{counts:?}");
    }
}
