// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Channel access methods, as a scenario asks for them: Starzetz 2006, 8.1.1 (H), 8.2 (HASH1, 802.11-M, the
//! arbitrary slot PDF), 8.3 (a PDF for each class); Heusse, Rousseau, Guillier, Duda 2005 (Idle Sense). The
//! geometric law is derived in `docs/access.md`. How each draws is `rule`'s.
//!
//! What it does not do: no access categories (`edca` has those, and no other rules).

use airtab_core::{Phy, Unit};

/// N Pe of Idle Sense's optimum, ln(1 + 1/5.68): attempts in a slot, of all contenders together.
const ZETA: f64 = 0.162_17;
/// Idle slots between two transmissions that Idle Sense aims at on 802.11b.
const TARGET: f64 = 5.68;
/// Slots of an offset, a table, a window.
const MOST: u32 = 65_536;
/// Slots that a law may have weights for.
const MOST_WEIGHTS: usize = 1024;
/// How much longer than SIFS an interframe space may be, slots: the largest AIFSN.
const LONGEST_IFS: u64 = 15;

/// How a contender gets at the channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessMethod {
    /// How it draws.
    pub rule: AccessRule,
    /// How long the channel is idle before it counts, ns; None: DIFS.
    pub ifs_ns: Option<u64>,
}

/// How backoffs are drawn. What is None follows from the number of contenders of the cell, N, access point
/// included: then the chance of an attempt in a slot is that of Idle Sense's optimum, 0.16217 / N.
#[derive(Clone, Debug, PartialEq)]
pub enum AccessRule {
    /// IEEE 802.11 10.3.3: binary exponential backoff.
    Dcf(Windows),
    /// 802.11-M: the same with `offset` slots more in every draw, by default 2 N.
    DcfM {
        /// DCF's.
        windows: Windows,
        /// Slots.
        offset: Option<u32>,
    },
    /// Idle Sense: uniform from one window for all, which no collision doubles.
    IdleSense(IdleWindow),
    /// H: any of `slots` alike, redrawn after every busy period.
    H {
        /// Slots of its table, by default 6.17 N.
        slots: Option<u32>,
    },
    /// HASH1: the density 2 (1 - t) over `slots`, redrawn after every busy period.
    Hash1 {
        /// Slots of its window, by default 12.33 N.
        slots: Option<u32>,
    },
    /// TCF: contender i draws (i + j) mod N in busy period j.
    Tcf,
    /// The same chance in every slot, redrawn after every busy period.
    Geometric {
        /// That chance, by default 0.16217 / N.
        hazard: Option<f64>,
    },
    /// Any law.
    Slots(SlotLaw),
}

impl Default for AccessRule {
    fn default() -> AccessRule {
        AccessRule::Dcf(Windows::default())
    }
}

/// Largest draws of a binary exponential backoff, each one less than a power of two; None: the profile's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Of the first backoff.
    pub least: Option<u32>,
    /// Of any.
    pub most: Option<u32>,
}

/// The window of Idle Sense, slots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum IdleWindow {
    /// 12.33 N - 1, its optimum.
    #[default]
    Optimum,
    /// That one.
    Fixed(f64),
    /// Found by additive increase, multiplicative decrease of the attempt rate, so that between two transmissions
    /// so many slots are idle.
    Adapt(f64),
}

impl IdleWindow {
    /// It finds its window, and aims at what is best on 802.11b.
    pub const ADAPT: IdleWindow = IdleWindow::Adapt(TARGET);
}

/// A law of slots, and what a card makes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotLaw {
    /// Of slot 0, 1, ...; their sum need not be 1.
    pub weights: Vec<f64>,
    /// Whether who loses a contention keeps what is left; else it draws again after every busy period.
    pub residual: bool,
    /// Whether each failure doubles the window: as many copies of the law, one behind the other, each as likely.
    pub doubles: bool,
    /// Whether slots come one after the other, from a random one on, those of weight 0 left out: not drawn.
    pub counter: bool,
}

impl Windows {
    fn check(self) -> Result<(), String> {
        for (key, window) in [("cw_min", self.least), ("cw_max", self.most)] {
            let good = window.is_none_or(|w| (1..=32_767).contains(&w) && (w + 1).is_power_of_two());
            let window = window.unwrap_or(0);
            unless(good, || format!("{key}: {window} slots: one less than a power of two, 1 to 32767"))?;
        }
        Ok(())
    }

    /// First and greatest window, where the profile has these.
    fn of(self, least: u32, most: u32) -> [u32; 2] {
        [self.least.unwrap_or(least), self.most.unwrap_or(most)]
    }
}

/// Where a rule is at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contest<'a> {
    /// The profile.
    pub(super) phy: &'a Phy,
    /// Rate of the contender, kb/s; None: it is the access point.
    pub(super) kbps: Option<u32>,
    /// Its number, and how many there are.
    pub(super) number: usize,
    pub(super) contenders: usize,
}

impl Contest<'_> {
    /// Chance of an attempt in a slot at Idle Sense's optimum.
    pub(super) fn attempt_probability(&self) -> f64 {
        ZETA / self.contenders as f64
    }

    /// DCF's windows in it.
    pub(super) fn windows(&self, windows: Windows) -> [u32; 2] {
        let least = self.kbps.map_or(self.phy.cw_min(), |kbps| self.phy.cw_min_at(kbps));
        windows.of(least, self.phy.cw_max())
    }
}

impl AccessMethod {
    /// The rules that it breaks in a cell of that profile.
    ///
    /// # Errors
    /// Says what is wrong with which value, and what is allowed.
    pub fn check(&self, phy: &Phy) -> Result<(), String> {
        self.rule.check(phy)?;
        let Some(ifs_ns) = self.ifs_ns else { return Ok(()) };
        let (sifs, slot) = (phy.sifs_ns(), phy.slot_ns());
        let on_slots = ifs_ns.abs_diff(phy.difs_ns()) % slot == 0;
        unless(on_slots && (sifs..=sifs + LONGEST_IFS * slot).contains(&ifs_ns), || {
            let [ifs, difs, slot, most] =
                [ifs_ns, phy.difs_ns(), slot, sifs + LONGEST_IFS * slot].map(|ns| Unit::Ns.format(ns));
            let sifs = Unit::Ns.format(sifs);
            format!("ifs: {ifs}: {sifs} to {most}, and whole slots of {slot} from DIFS, which is {difs}")
        })
    }
}

impl AccessRule {
    /// The rule of that name, as files have it, with its defaults; `slots` is refused until it has weights.
    pub fn named(name: &str) -> Option<AccessRule> {
        let law = SlotLaw { weights: Vec::new(), residual: true, doubles: true, counter: false };
        Some(match name {
            "dcf" => AccessRule::default(),
            "dcf-m" => AccessRule::DcfM { windows: Windows::default(), offset: None },
            "idle-sense" => AccessRule::IdleSense(IdleWindow::Optimum),
            "h" => AccessRule::H { slots: None },
            "hash1" => AccessRule::Hash1 { slots: None },
            "tcf" => AccessRule::Tcf,
            "geometric" => AccessRule::Geometric { hazard: None },
            "slots" => AccessRule::Slots(law),
            _ => return None,
        })
    }

    /// The names that there are.
    pub const NAMES: [&str; 8] = ["dcf", "dcf-m", "idle-sense", "h", "hash1", "tcf", "geometric", "slots"];

    /// Its own.
    pub fn name(&self) -> &'static str {
        match self {
            AccessRule::Dcf(_) => "dcf",
            AccessRule::DcfM { .. } => "dcf-m",
            AccessRule::IdleSense(_) => "idle-sense",
            AccessRule::H { .. } => "h",
            AccessRule::Hash1 { .. } => "hash1",
            AccessRule::Tcf => "tcf",
            AccessRule::Geometric { .. } => "geometric",
            AccessRule::Slots(_) => "slots",
        }
    }

    fn check(&self, phy: &Phy) -> Result<(), String> {
        match self {
            AccessRule::Dcf(windows) | AccessRule::DcfM { windows, .. } => {
                windows.check()?;
                let [least, most] = windows.of(phy.cw_min(), phy.cw_max());
                // The profile's own are the cell's to check.
                unless(least <= most || *windows == Windows::default(), || {
                    format!("cw_min is {least} and cw_max {most}: give both, in order")
                })?;
            }
            _ => {}
        }
        match *self {
            AccessRule::DcfM { offset: Some(offset), .. } => unless((1..=MOST).contains(&offset), || {
                format!("offset: {offset} slots: 1 to {MOST}; rule = \"dcf\" has none")
            }),
            AccessRule::IdleSense(IdleWindow::Fixed(cw)) => unless((1.0..=MOST.into()).contains(&cw), || {
                format!("cw: a window of {cw} slots: 1 to {MOST}, or \"adapt\"")
            }),
            AccessRule::IdleSense(IdleWindow::Adapt(target)) => {
                unless((0.1..=100.0).contains(&target), || {
                    format!("target: {target} idle slots: 0.1 to 100, such as {TARGET}")
                })
            }
            AccessRule::H { slots: Some(slots) } | AccessRule::Hash1 { slots: Some(slots) } => {
                unless((1..=MOST).contains(&slots), || {
                    format!("c: {slots} slots: 1 to {MOST}; without the key it follows from the stations")
                })
            }
            AccessRule::Geometric { hazard: Some(hazard) } => unless((1e-6..1.0).contains(&hazard), || {
                format!("hazard: {hazard}: a chance within (0, 1), at least 1e-6, such as 0.05")
            }),
            AccessRule::Slots(ref law) => law.check(),
            _ => Ok(()),
        }
    }
}

impl SlotLaw {
    fn check(&self) -> Result<(), String> {
        let weights = &self.weights;
        let n = weights.len();
        unless((1..=MOST_WEIGHTS).contains(&n), || {
            format!("weights: {n} slots: 1 to {MOST_WEIGHTS}, such as weights = [3, 2, 1]")
        })?;
        if let Some((slot, w)) = weights.iter().enumerate().find(|(_, w)| !(0.0..=1e12).contains(*w)) {
            return Err(format!("weights: {w} of slot {slot}: 0 to 1e12"));
        }
        unless(weights.iter().any(|w| *w > 0.0), || "weights: all are 0: one at least must be above".into())
    }
}

fn unless(ok: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if ok { Ok(()) } else { Err(message()) }
}
