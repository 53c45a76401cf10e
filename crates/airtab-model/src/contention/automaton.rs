// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The contention phase as an automaton: who draws which slot, who sends first, what the others keep
//! (Starzetz 2006, 2.2: operator M; 8.2: the simulator).
//!
//! A cycle: the stations with the lowest slot m send; one of them succeeds, several collide (operator M). Noise makes
//! a success look like a collision to everybody. Senders draw anew; what the others do is a rule ([`Losers`]). The
//! slot in which somebody starts counts for the others ([`Decrement::SlotsAndOne`]): only so do the thesis'
//! contention times (9.3) and its statements about waits come out.
//!
//! Stations' slots are kept as times, so that those who wait cost nothing.
//!
//! What it does not do: no retry limit, no change of load, no random numbers of its own: a function for each station
//! gives reals in [0, 1).

use super::idle_sense::Control;
use super::law::SlotLaw;
use super::{ContentionError, MAX_WINDOW, stations};

/// How slots are drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// Uniform in the window.
    Uniform,
    /// By the ramp of HASH1 in the window.
    Ramp,
    /// By any law; the window does not matter.
    Law(SlotLaw),
}

/// What stations do that did not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Losers {
    /// Keep what is left of their backoff (residual backoff).
    Keep,
    /// Draw anew in the whole window: no memory.
    Redraw,
    /// Draw anew in the window shortened by the slots waited: the same as keeping, but for who wins (8.1.2).
    Shorten,
}

/// By how much backoff goes down while somebody else gets the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decrement {
    /// m: by the idle slots.
    Slots,
    /// m + 1: and by the slot in which the other one starts.
    SlotsAndOne,
}

/// How windows change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// Never.
    None,
    /// Twice as wide after a collision up to this, back after a success (exponential backoff).
    Double {
        /// Largest window, slots.
        most: u32,
    },
    /// All stations steer their common window by the idle slots that they see (Idle Sense).
    IdleSense(Control),
}

/// A channel access method.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// How slots are drawn.
    pub draw: Draw,
    /// First window, slots; need not be whole.
    pub window: f64,
    /// How it changes.
    pub growth: Growth,
    /// What losers do.
    pub losers: Losers,
    /// By how much they count down.
    pub decrement: Decrement,
    /// M, added to every draw, slots (802.11-M).
    pub offset: u32,
    /// sigma: how often noise spoils a success, 0 to below 1.
    pub noise: f64,
}

/// What came out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Successes.
    pub successes: u64,
    /// Collisions, and what noise spoilt.
    pub collisions: u64,
    /// Idle slots before successes.
    pub success_slots: u64,
    /// Idle slots before collisions.
    pub collision_slots: u64,
    /// Sum of the first station's window over all cycles, slots.
    pub windows: f64,
}

impl Tally {
    /// R, collisions for each success.
    pub fn collisions_per_success(&self) -> f64 {
        self.collisions as f64 / self.successes as f64
    }

    /// p_c, the share of cycles that end in a collision.
    pub fn p_collision(&self) -> f64 {
        self.collisions as f64 / self.cycles()
    }

    /// W_T, mean idle slots before a success.
    pub fn wait_success(&self) -> f64 {
        self.success_slots as f64 / self.successes as f64
    }

    /// W_C, mean idle slots before a collision; NaN without one.
    pub fn wait_collision(&self) -> f64 {
        self.collision_slots as f64 / self.collisions as f64
    }

    /// Mean idle slots of a cycle.
    pub fn idle(&self) -> f64 {
        (self.success_slots + self.collision_slots) as f64 / self.cycles()
    }

    /// Mean window, slots.
    pub fn window(&self) -> f64 {
        self.windows / self.cycles()
    }

    /// Idle slots, and the time `lost` (slots) of each collision, for each success.
    pub fn wasted(&self, lost: f64) -> f64 {
        let idle = (self.success_slots + self.collision_slots) as f64;
        (idle + lost * self.collisions as f64) / self.successes as f64
    }

    fn cycles(&self) -> f64 {
        (self.successes + self.collisions) as f64
    }
}

impl Rules {
    /// Whether they make sense.
    ///
    /// # Errors
    /// A window, a largest window or a noise out of range; a shortened window where it is not known what that is.
    pub fn check(&self) -> Result<(), ContentionError> {
        if !(1.0..=f64::from(MAX_WINDOW)).contains(&self.window) {
            return Err(ContentionError::Window(self.window));
        }
        match self.growth {
            Growth::Double { most } if f64::from(most) < self.window => {
                return Err(ContentionError::Windows { least: self.window as u32, most });
            }
            Growth::Double { most } if most > MAX_WINDOW => return Err(ContentionError::Window(most.into())),
            _ => {}
        }
        if self.offset > MAX_WINDOW {
            return Err(ContentionError::Offset(self.offset));
        }
        if self.losers == Losers::Shorten && (self.draw != Draw::Uniform || self.offset > 0) {
            return Err(ContentionError::Shortened);
        }
        if !(0.0..1.0).contains(&self.noise) {
            return Err(ContentionError::Noise(self.noise));
        }
        Ok(())
    }
}

/// Runs until there were so many successes: a station for each of `streams`, `noise` beside them. `won` gets the
/// number of each winner, from 0.
///
/// # Errors
/// As [`Rules::check`]; fewer than 2 stations (one alone has nobody to contend with), or too many.
pub fn run<U: FnMut() -> f64>(
    rules: &Rules,
    streams: &mut [U],
    noise: &mut U,
    successes: u64,
    mut won: impl FnMut(u16),
) -> Result<Tally, ContentionError> {
    rules.check()?;
    // One station is fine here: it has no collision, and waits for what it draws.
    if streams.len() != 1 {
        stations(streams.len() as u64)?;
    }
    let mut cell = Cell::new(rules, streams);
    while cell.tally.successes < successes {
        if let Some(winner) = cell.cycle(noise) {
            won(winner as u16);
        }
    }
    Ok(cell.tally)
}

/// The stations between two cycles.
struct Cell<'a, U> {
    rules: &'a Rules,
    streams: &'a mut [U],
    /// Window of each, slots.
    windows: Vec<f64>,
    /// What of it the next draw is from: all, but where losers shorten it.
    left: Vec<f64>,
    /// Slot, counted from the start, in which each will send.
    due: Vec<u64>,
    /// The slot of now.
    now: u64,
    control: Option<Control>,
    tally: Tally,
}

impl<'a, U: FnMut() -> f64> Cell<'a, U> {
    fn new(rules: &'a Rules, streams: &'a mut [U]) -> Cell<'a, U> {
        let n = streams.len();
        let control = match rules.growth {
            Growth::IdleSense(control) => Some(control),
            _ => None,
        };
        let windows = vec![rules.window; n];
        let (left, due, tally) = (windows.clone(), vec![0; n], Tally::default());
        let mut cell = Cell { rules, streams, windows, left, due, now: 0, control, tally };
        (0..n).for_each(|i| cell.draw(i));
        cell
    }

    /// A slot for station `i` in the window that it has left.
    fn draw(&mut self, i: usize) {
        let (u, window) = ((self.streams[i])(), self.left[i]);
        let slot = match &self.rules.draw {
            Draw::Uniform => (u * window) as u64,
            Draw::Ramp => ((1.0 - (1.0 - u).sqrt()) * window) as u64,
            Draw::Law(law) => law.slot(u),
        };
        self.due[i] = self.now + slot + u64::from(self.rules.offset);
    }

    /// One contention; the station that succeeded.
    fn cycle(&mut self, noise: &mut U) -> Option<usize> {
        let least = self.due.iter().copied().min().unwrap_or(self.now);
        let senders = self.due.iter().filter(|due| **due == least).count();
        let clean = self.rules.noise == 0.0 || noise() >= self.rules.noise;
        let success = senders == 1 && clean;
        let waited = least - self.now;
        self.count(success, waited);
        let passed = waited + u64::from(self.rules.decrement == Decrement::SlotsAndOne);
        self.now += passed;
        let mut winner = None;
        for i in 0..self.due.len() {
            if self.due[i] == least {
                winner = Some(i);
                self.adapt(i, success);
                self.draw(i);
            } else {
                self.lose(i, passed);
            }
        }
        self.steer(waited);
        winner.filter(|_| success)
    }

    fn count(&mut self, success: bool, waited: u64) {
        let tally = &mut self.tally;
        tally.windows += self.windows[0];
        match success {
            true => {
                (tally.successes, tally.success_slots) = (tally.successes + 1, tally.success_slots + waited)
            }
            false => {
                (tally.collisions, tally.collision_slots) =
                    (tally.collisions + 1, tally.collision_slots + waited);
            }
        }
    }

    /// The window of a sender.
    fn adapt(&mut self, i: usize, success: bool) {
        match self.rules.growth {
            Growth::Double { most } if !success => {
                self.windows[i] = (2.0 * self.windows[i]).min(f64::from(most));
            }
            Growth::IdleSense(_) => {}
            _ => self.windows[i] = self.rules.window,
        }
        self.left[i] = self.windows[i];
    }

    /// A station that did not send while `passed` slots went by.
    fn lose(&mut self, i: usize, passed: u64) {
        match self.rules.losers {
            Losers::Keep => return,
            Losers::Redraw => self.left[i] = self.windows[i],
            Losers::Shorten => self.left[i] -= passed as f64,
        }
        self.draw(i);
    }

    /// The common window, after `waited` idle slots.
    fn steer(&mut self, waited: u64) {
        if let Some(control) = &mut self.control
            && let Some(window) = control.observe(waited, self.windows[0])
        {
            self.windows.fill(window.clamp(1.0, f64::from(MAX_WINDOW)));
        }
    }
}
