// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Contention rules: how many slots a contender waits before it sends, and what
//! it makes of how the last attempt ended. A rule is a variant of [`Rule`], and
//! each contender has one of its own, with a random stream.
//!
//! | rule | source |
//! |---|---|
//! | [`Rule::Dcf`] | IEEE 802.11 10.3.3, binary exponential backoff: a window that doubles at each failure and is the least one after a success or when the frame is given up. Offset: 802.11-M, Starzetz 2006, 8.2 |
//! | [`Rule::IdleSense`] | Heusse et al. 2005 (`idle_sense`) |
//! | [`Rule::Uniform`], [`Rule::Ramp`] | H and HASH1: Starzetz 2006, 8.1.1 and 8.2 |
//! | [`Rule::Turn`] | TCF: Starzetz 2006, 2.2 |
//! | [`Rule::Geometric`] | derived: `docs/access.md` |
//! | [`Rule::Slots`] | any law (`slots`) |
//!
//! What it does not do: no slots are counted here, and nobody's residual is
//! kept (`contention`); what a scenario may ask for is `access`'s.

mod idle_sense;
mod slots;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::access::{AccessRule, Contest};
use super::edca::Access;
use crate::engine::Stream;
use idle_sense::IdleSense;
use slots::{Slots, Table};

/// A contender's rule and what it has learnt.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// Slots from 0 to `window`, which is one less than a power of two, and `offset` more.
    Dcf { window: u32, least: u32, most: u32, offset: u32 },
    /// Any slot below a window that need not be whole.
    IdleSense(IdleSense),
    /// Any of so many slots alike, whatever was drawn before.
    Uniform { slots: u64 },
    /// Of so many slots, each one two less likely than the one before.
    Ramp { slots: u64 },
    /// `place`, and in the next busy period the one behind it, of so many.
    Turn { place: u64, of: u64 },
    /// As likely in every slot as in the one before; `ln_miss`: logarithm of the chance that it is not, for slots that
    /// are not in the table.
    Geometric { table: Arc<Table>, ln_miss: f64 },
    /// Any law.
    Slots(Slots),
}

impl Rule {
    /// What a method is where it is at work.
    pub(super) fn new(rule: &AccessRule, contest: &Contest) -> Rule {
        let attempt = contest.attempt_probability();
        let table = |slots: &Option<u32>, default: f64| slots.map_or(default as u64, u64::from);
        let dcf = |windows, offset| {
            let [least, most] = contest.windows(windows);
            Rule::Dcf { window: least, least, most: most.max(least), offset }
        };
        match rule {
            AccessRule::Dcf(windows) => dcf(*windows, 0),
            AccessRule::DcfM { windows, offset } => {
                dcf(*windows, offset.unwrap_or(2 * contest.contenders as u32))
            }
            AccessRule::IdleSense(window) => Rule::IdleSense(IdleSense::new(*window, contest)),
            AccessRule::H { slots } => Rule::Uniform { slots: table(slots, libm::round(1.0 / attempt)) },
            AccessRule::Hash1 { slots } => Rule::Ramp { slots: table(slots, libm::round(2.0 / attempt)) },
            AccessRule::Tcf => Rule::Turn { place: contest.number as u64, of: contest.contenders as u64 },
            AccessRule::Geometric { hazard } => {
                let hazard = hazard.unwrap_or(attempt);
                Rule::Geometric { table: Arc::new(Table::geometric(hazard)), ln_miss: libm::log1p(-hazard) }
            }
            AccessRule::Slots(law) => Rule::Slots(Slots::new(law, contest.phy.cw_max())),
        }
    }

    /// Its table is `other`'s if they are equal.
    pub(super) fn share(&mut self, other: &Rule) {
        match (self, other) {
            (
                Rule::Slots(Slots { table: own, .. }) | Rule::Geometric { table: own, .. },
                Rule::Slots(Slots { table, .. }) | Rule::Geometric { table, .. },
            ) if own == table => *own = Arc::clone(table),
            _ => {}
        }
    }

    /// DCF with the windows of an access category.
    pub(super) fn edca(access: &Access) -> Rule {
        Rule::Dcf { window: access.least, least: access.least, most: access.most, offset: 0 }
    }

    /// Sets the minimum window, slots; of DCF alone. A window that has grown stays.
    pub(super) fn set_least(&mut self, to: u32) {
        if let Rule::Dcf { window, least, .. } = self {
            if *window == *least || *window < to {
                *window = to;
            }
            *least = to;
        }
    }

    /// Slots of the next backoff.
    #[inline]
    pub(super) fn draw(&mut self, random: &mut Stream) -> u64 {
        match self {
            Rule::Dcf { window, offset, .. } => u64::from(random.masked(*window)) + u64::from(*offset),
            other => other.draw_otherwise(random),
        }
    }

    fn draw_otherwise(&mut self, random: &mut Stream) -> u64 {
        match self {
            Rule::Dcf { .. } => unreachable!("drawn already"),
            Rule::IdleSense(own) => (random.unit() * own.window) as u64,
            Rule::Uniform { slots } => random.below(*slots),
            // Of two draws the lesser one is in slot k or behind with ((C - k) / C)^2: the ramp, slot by slot.
            Rule::Ramp { slots } => random.below(*slots).min(random.below(*slots)),
            Rule::Turn { place, .. } => *place,
            Rule::Geometric { table, ln_miss } => {
                let below = random.unit();
                let rare = || (libm::log1p(-below) / *ln_miss) as u64;
                table.slot_of(below).map_or_else(rare, |slot| slot as u64)
            }
            Rule::Slots(slots) => slots.draw(random),
        }
    }

    /// An attempt failed, and the frame will be sent again.
    #[inline]
    pub(super) fn failed(&mut self) {
        match self {
            Rule::Dcf { window, most, .. } => *window = (*window * 2 + 1).min(*most),
            Rule::Slots(slots) => slots.failed(),
            _ => {}
        }
    }

    /// The frame is done with: it arrived, was broadcast, or is given up.
    #[inline]
    pub(super) fn done(&mut self) {
        match self {
            Rule::Dcf { window, least, .. } => *window = *least,
            Rule::Slots(slots) => slots.done(),
            _ => {}
        }
    }

    /// A busy period begins after so many idle slots: for those that listen.
    pub(super) fn hear(&mut self, idle: u64) {
        match self {
            Rule::IdleSense(own) => own.hear(idle),
            Rule::Turn { place, of } => *place = (*place + 1) % *of,
            _ => {}
        }
    }

    /// Whether it wants to hear of every busy period.
    pub(super) fn listens(&self) -> bool {
        matches!(self, Rule::Turn { .. }) || matches!(self, Rule::IdleSense(own) if own.adapts())
    }

    /// Whether what is left of a backoff when somebody else sends is worth nothing: it draws again.
    pub(super) fn forgets(&self) -> bool {
        match self {
            Rule::Dcf { .. } | Rule::IdleSense(_) => false,
            Rule::Uniform { .. } | Rule::Ramp { .. } | Rule::Turn { .. } | Rule::Geometric { .. } => true,
            Rule::Slots(slots) => !slots.residual,
        }
    }
}
