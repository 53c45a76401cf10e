// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The verdict on a card: does it wait as IEEE 802.11 10.3.3 says?
//!
//! Five tests can raise an alarm by chance: masses, serial correlation, steps, repetition, doubling. Each has a
//! fifth of the level, and in a capture each of m transmitters an m-th of it, so that [`FALSE_ALARMS`] bounds the
//! chance that anything is held against conformant cards (Bonferroni; whether the tests depend on each other
//! does not matter). Missing slots, a window of another length and a short wait are no matter of chance with as
//! many draws as are asked for.
//!
//! What it does not do: a fault is told as what it looks like, not as the code that makes it.

use std::fmt;

use super::draws::{Draws, Retries};
use super::figures::Figures;
use super::significance::at_most_p;

/// Chance of an alarm about conformant cards, of all tests together: half of one in 500.
pub const FALSE_ALARMS: f64 = 0.001;
/// Tests that share it.
const TESTS: f64 = 5.0;
/// Contrast that a comb has at least; noise of a quarter of a slot (standard deviation) leaves 0.29.
pub const CONTRAST: f64 = 0.5;
/// Draws for each slot that a verdict needs: a slot that is there then has a quarter of its due or less once in
/// a million.
const DRAWS_PER_SLOT: u64 = 30;
/// Draws after failures that say whether the window doubles.
const RETRIES: u64 = 20;
/// Draws beyond the window that are no draws, but rare mistakes of a monitor.
const STRAY: f64 = 0.02;
/// Share of one step, or of one repetition, that makes a sequence.
const SEQUENCE: f64 = 0.5;

/// What is known of a card.
#[derive(Clone, Copy, Debug)]
pub struct Card<'a> {
    /// Draws of first attempts.
    pub draws: &'a Draws,
    /// Draws after failures.
    pub retries: &'a Retries,
    /// Slots of the largest window of the standard: `CWmax` + 1.
    pub most: u32,
    /// Slots by which it waits less than it should before it counts; `None` if that is not known.
    pub early: Option<i64>,
    /// Of its comb; `None` without gaps.
    pub contrast: Option<f64>,
}

/// What is held against a card.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Slots that it never draws.
    Missing {
        /// Which.
        slots: Vec<usize>,
        /// Of how many.
        window: usize,
    },
    /// A window of another length.
    Window {
        /// Slots that it has.
        slots: usize,
        /// Slots that it should have.
        standard: usize,
    },
    /// Slots that are not equally likely.
    Uneven {
        /// Of those that are there.
        p: f64,
    },
    /// Draws that follow from the one before.
    Counter {
        /// By so many slots, modulo the window.
        step: usize,
        /// How many of them do, 0 to 1.
        share: f64,
    },
    /// Draws that come again.
    Repeats {
        /// After so many.
        lag: usize,
        /// How many of them do, 0 to 1.
        share: f64,
    },
    /// Draws that depend on each other in another way.
    Dependent {
        /// Serial correlation.
        correlation: f64,
        /// Chance of the least likely of the three figures of order.
        p: f64,
    },
    /// The window is no larger after a failure.
    NoDoubling {
        /// Draws in the upper half of the doubled window.
        upper: u64,
        /// Of so many.
        n: u64,
    },
    /// It begins to count too early.
    ShortWait {
        /// By so many slots.
        slots: i64,
    },
}

/// The end of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing is held against it.
    Conformant,
    /// Something is.
    Faults(Vec<Fault>),
    /// Nothing can be said yet.
    TooFew {
        /// Draws that there are.
        draws: u64,
        /// Draws that it takes.
        needed: u64,
    },
    /// Gaps are not whole slots.
    NoComb {
        /// Of the comb: 1 is sharp.
        contrast: f64,
    },
    /// The draws do not fit a profile of 802.11 that was guessed, which shows no fault.
    Guessed,
    /// It pauses of itself: such gaps are no backoff.
    NotSaturated {
        /// Share of gaps that are longer than any window.
        beyond: f64,
    },
}

/// Figures and verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What the draws come to; `None` if there are none.
    pub figures: Option<Figures>,
    /// Draws in the upper half of doubled windows, and all draws after failures.
    pub upper: (u64, u64),
    /// Whether there were enough of these.
    pub doubling_known: bool,
    /// What it comes to.
    pub verdict: Verdict,
}

/// Judges a card; the chance of a false alarm is at most `level`: [`FALSE_ALARMS`] by the number of cards that
/// are judged together.
pub fn judge(card: &Card<'_>, level: f64) -> Judgement {
    let figures = Figures::of(card.draws);
    let window = figures.as_ref().map_or(card.draws.window(), |f| f.window);
    let upper = card.retries.upper(window, card.most as usize);
    let doubling_known = upper.1 >= RETRIES;
    let verdict = verdict(card, figures.as_ref(), upper, level / TESTS);
    Judgement { figures, upper, doubling_known, verdict }
}

fn verdict(card: &Card<'_>, figures: Option<&Figures>, upper: (u64, u64), level: f64) -> Verdict {
    let needed = DRAWS_PER_SLOT * card.draws.window() as u64;
    if card.draws.len() < needed {
        return Verdict::TooFew { draws: card.draws.len(), needed };
    }
    if let Some(contrast) = card.contrast.filter(|contrast| *contrast < CONTRAST) {
        return Verdict::NoComb { contrast };
    }
    let Some(f) = figures.filter(|f| f.beyond <= STRAY) else {
        return Verdict::NotSaturated { beyond: figures.map_or(1.0, |f| f.beyond) };
    };
    let faults: Vec<Fault> = [
        card.early.filter(|early| *early > 0).map(|slots| Fault::ShortWait { slots }),
        (f.window != f.standard).then_some(Fault::Window { slots: f.window, standard: f.standard }),
        (!f.missing.is_empty()).then(|| Fault::Missing { slots: f.missing.clone(), window: f.window }),
        (f.p_present < level).then_some(Fault::Uneven { p: f.p_present }),
        order(f, level),
        (upper.1 >= RETRIES && at_most_p(upper.0, upper.1, 0.5) < level)
            .then_some(Fault::NoDoubling { upper: upper.0, n: upper.1 }),
    ]
    .into_iter()
    .flatten()
    .collect();
    if faults.is_empty() { Verdict::Conformant } else { Verdict::Faults(faults) }
}

/// What is wrong with the order of draws, told once.
fn order(f: &Figures, level: f64) -> Option<Fault> {
    let p = f.p_correlation.min(f.p_steps).min(f.p_repeat);
    if p >= level {
        return None;
    }
    let sequence = |found: Option<(usize, f64)>| found.filter(|(_, share)| *share > SEQUENCE);
    let counter = sequence(f.step).map(|(step, share)| Fault::Counter { step, share });
    let repeats = || sequence(f.repeat).map(|(lag, share)| Fault::Repeats { lag, share });
    let other = || Fault::Dependent { correlation: f.correlation.unwrap_or(0.0), p };
    Some(counter.or_else(repeats).unwrap_or_else(other))
}

impl Fault {
    /// A word for it, as JSON has it.
    pub fn name(&self) -> &'static str {
        match self {
            Fault::Missing { .. } => "missing_slots",
            Fault::Window { .. } => "window",
            Fault::Uneven { .. } => "uneven",
            Fault::Counter { .. } => "counter",
            Fault::Repeats { .. } => "repeats",
            Fault::Dependent { .. } => "dependent",
            Fault::NoDoubling { .. } => "no_doubling",
            Fault::ShortWait { .. } => "short_wait",
        }
    }
}

/// What it does, as the rest of a sentence that begins with the card.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| 100.0 * share;
        match self {
            Fault::Missing { slots, window } => {
                let list: Vec<String> = slots.iter().map(usize::to_string).collect();
                write!(f, "never draws {} of {window} slots: {}", slots.len(), list.join(", "))
            }
            Fault::Window { slots, standard } => {
                write!(
                    f,
                    "draws from {slots} slots, where the standard has {standard} (CWmin {} for {})",
                    slots - 1,
                    standard - 1
                )
            }
            Fault::Uneven { p } => write!(f, "does not draw its slots equally often (p {p:.1e})"),
            Fault::Counter { step, share } => {
                write!(
                    f,
                    "counts instead of drawing: {:.0} % of its draws are {step} above the one before",
                    percent(share)
                )
            }
            Fault::Repeats { lag, share } => {
                write!(
                    f,
                    "repeats itself: {:.0} % of its draws are the same as the one {lag} before",
                    percent(share)
                )
            }
            Fault::Dependent { correlation, p } => {
                write!(
                    f,
                    "makes draws that depend on those before (serial correlation {correlation:.3}, p {p:.1e})"
                )
            }
            Fault::NoDoubling { upper, n } => {
                write!(
                    f,
                    "does not double its window after a failure: {upper} of {n} such draws are in the upper half, where half should be"
                )
            }
            Fault::ShortWait { slots: 1 } => {
                write!(f, "waits a slot less than its interframe space before it counts")
            }
            Fault::ShortWait { slots } => {
                write!(f, "waits {slots} slots less than its interframe space before it counts")
            }
        }
    }
}

impl Judgement {
    /// The judgement by a profile that was guessed: faults become [`Verdict::Guessed`].
    pub fn by_guess(self) -> Judgement {
        match self.verdict {
            Verdict::Faults(_) => Judgement { verdict: Verdict::Guessed, ..self },
            _ => self,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Conformant => {
                write!(f, "conforms: its slots are equally likely, and no draw follows from another")
            }
            Verdict::Faults(faults) => {
                let said: Vec<String> = faults.iter().map(Fault::to_string).collect();
                write!(f, "does not conform: it {}", said.join("; it "))
            }
            Verdict::Guessed => write!(
                f,
                "does not fit the profile, which is a guess: that shows no fault. Give the profile of its network with --phy"
            ),
            Verdict::TooFew { draws, needed } => {
                write!(f, "too few samples: {draws} of the {needed} that a verdict needs")
            }
            Verdict::NoComb { contrast } => write!(
                f,
                "shows no comb of slots (contrast {contrast:.2}, {CONTRAST} is needed): it sends at other times than after a backoff, or the time stamps are too coarse"
            ),
            Verdict::NotSaturated { beyond } => write!(
                f,
                "has gaps longer than any window, {:.0} % of them, which say nothing of a backoff: it is not saturated, or stations often receive in error",
                100.0 * beyond
            ),
        }
    }
}

#[cfg(test)]
mod tests;
