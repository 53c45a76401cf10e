// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The law that moves the limit (Showail 2016, algorithm 2), as a reference for those that run it on packets.
//!
//! At each look T is held against the drain time. Above it, while B is above its floor, an alarm is set, and from the next
//! such look on B is cut; below it, while B is below its largest value, another one, and B rises. An alarm stays set after it
//! acted, and one clears the other. At T equal to the drain time, and where a bound forbids a move, nothing changes. A limit below
//! the floor is lifted at once. A lowered limit drops nothing.
//!
//! What it does not do: it keeps no packets.

use std::str::FromStr;

use super::super::exchange::{Constants, WQM_11N};
use super::super::{Quantity, SizingError};
use super::{DRAIN_US, FREE_FLOOR, MOST, MOST_ROUND_US, drain_aggregated_us, initial, most_within};

/// The part of the limit that must have been used for it to rise, where an idle queue's does not.
pub const USED: f64 = 0.8;

/// How the limit rises and falls: additively by a packet, multiplicatively by 2. The source has steps for `aimd` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// +1, half.
    Aimd,
    /// +1, -1.
    Aiad,
    /// Twice, -1.
    Miad,
    /// Twice, half.
    Mimd,
}

impl Law {
    /// All there are.
    pub const ALL: [Law; 4] = [Law::Aimd, Law::Aiad, Law::Miad, Law::Mimd];

    /// As it is written: `aimd`.
    pub fn name(self) -> &'static str {
        ["aimd", "aiad", "miad", "mimd"][self as usize]
    }

    fn raised(self, limit: u32) -> u32 {
        match self {
            Law::Aimd | Law::Aiad => limit.saturating_add(1),
            Law::Miad | Law::Mimd => limit.saturating_mul(2),
        }
    }

    fn cut(self, limit: u32) -> u32 {
        match self {
            Law::Aimd | Law::Mimd => limit / 2,
            Law::Aiad | Law::Miad => limit.saturating_sub(1),
        }
    }
}

impl FromStr for Law {
    type Err = SizingError;

    fn from_str(text: &str) -> Result<Law, SizingError> {
        let known = Law::ALL.into_iter().find(|law| law.name() == text);
        known.ok_or_else(|| SizingError::Law(text.into()))
    }
}

/// What the limit may be, and when it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// What exchanges take.
    pub exchange: Constants,
    /// The drain time that is aimed at, us.
    pub drain_us: f64,
    /// Whether it is no less than an aggregate takes.
    pub drain_of_aggregate: bool,
    /// The smallest limit; None: K.
    pub least: Option<u32>,
    /// The largest limit.
    pub most: Most,
    /// The first limit; None: R ARTT.
    pub first: Option<u32>,
    /// Looks in a row until B moves.
    pub confirm: u32,
    /// How B moves.
    pub law: Law,
    /// The least that F is taken for.
    pub free_floor: f64,
    /// Whether what waits below the queue, in the driver, counts.
    pub below: bool,
    /// Whether the limit of a queue rises that did not use it.
    pub idle_grow: bool,
    /// Whether the mean length of aggregates counts, where it is known.
    pub kavg: bool,
}

/// The largest limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Most {
    /// So many packets.
    Packets(u32),
    /// What the rate carries in that time, us.
    Within(f64),
}

impl Params {
    /// As the dissertation has it.
    pub const FAITHFUL: Params = Params {
        exchange: WQM_11N,
        drain_us: DRAIN_US,
        drain_of_aggregate: false,
        least: None,
        most: Most::Packets(MOST),
        first: None,
        confirm: 2,
        law: Law::Aimd,
        free_floor: FREE_FLOOR,
        below: false,
        idle_grow: true,
        kavg: false,
    };

    /// For access points of today: the driver's packets count, an aggregate's time is allowed for, the largest limit
    /// follows the rate, and an idle queue's does not rise.
    pub const HARDENED: Params = Params {
        drain_of_aggregate: true,
        most: Most::Within(MOST_ROUND_US),
        below: true,
        idle_grow: false,
        ..Params::FAITHFUL
    };

    /// Of the full-duplex relays of chapter 6: 1 to 24 packets from 2 on, at each arrival (K is 1).
    pub const FULL_DUPLEX: Params =
        Params { least: Some(1), most: Most::Packets(24), first: Some(2), ..Params::FAITHFUL };

    /// Smallest and largest limit at that rate and length of aggregates. Where nobody gave a smallest one, K is below no
    /// largest one: an aggregate goes before.
    ///
    /// # Errors
    /// A rate of 0; no frames, or too many; a smallest limit above the largest.
    pub fn bounds(&self, rate_mbps: f64, frames: u32) -> Result<(u32, u32), SizingError> {
        Quantity::Frames.of(frames.into())?;
        let most = match self.most {
            Most::Packets(most) => most,
            Most::Within(us) => most_within(rate_mbps, us, self.exchange.packet_bytes)?,
        };
        Quantity::Rate.of(rate_mbps)?;
        match self.least {
            Some(least) if least > most => Err(SizingError::Bounds { least, most }),
            Some(least) => Ok((least.max(1), most.max(1))),
            None => Ok((frames, most.max(frames))),
        }
    }

    /// The drain time that is aimed at, at that rate and length of aggregates, us.
    ///
    /// # Errors
    /// A rate or a drain time of 0; no frames, or too many.
    pub fn aim_us(&self, rate_mbps: f64, frames: u32) -> Result<f64, SizingError> {
        let aim = Quantity::Drain.of(self.drain_us)?;
        match self.drain_of_aggregate {
            true => Ok(aim.max(self.exchange.aggregate_us(rate_mbps, frames)?)),
            false => Ok(aim),
        }
    }
}

/// Packets that wait somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Backlog {
    /// How many.
    pub packets: u32,
    /// Their bits.
    pub bits: f64,
}

/// What is seen at one look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// R, Mb/s.
    pub rate_mbps: f64,
    /// K.
    pub frames: u32,
    /// BL of the queue.
    pub queue: Backlog,
    /// What waits below it.
    pub below: Backlog,
    /// F; what is below the floor, 0 too, is the floor.
    pub free: f64,
    /// The share of the air that the queue has, 1 of one that has it all.
    pub share: f64,
    /// The most packets that the queue had since the last look.
    pub used: u32,
    /// The mean length of aggregates since then.
    pub mean_frames: Option<f64>,
}

/// What a look did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Hold,
    /// T is too long: from the next such look on B is cut.
    ArmHigh,
    /// T is short: from the next such look on B rises.
    ArmLow,
    /// B rose.
    Raise,
    /// B was cut.
    Cut,
    /// B was below its floor.
    Lift,
}

impl Action {
    /// In a word or two.
    pub fn name(self) -> &'static str {
        ["-", "arm high", "arm low", "raise", "cut", "lift"][self as usize]
    }
}

/// What a look came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// T, us.
    pub drain_us: f64,
    /// What it is held against, us.
    pub aim_us: f64,
    /// What it did.
    pub action: Action,
    /// B after it, packets.
    pub limit: u32,
}

/// One queue's limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wqm {
    params: Params,
    limit: u32,
    /// Looks in a row that were too long, or short, as far as `confirm` asks.
    high: u32,
    low: u32,
}

impl Wqm {
    /// A queue at its first rate: B is what was asked for, or R ARTT within the bounds.
    ///
    /// # Errors
    /// A rate or a drain time of 0; no frames, or too many; bounds that are no range; a first limit outside them; no interval
    /// to confirm; a floor of F that is not above 0 and at most 1.
    pub fn new(params: Params, rate_mbps: f64, frames: u32) -> Result<Wqm, SizingError> {
        Quantity::Intervals.of(params.confirm.into())?;
        Quantity::Free.of(params.free_floor)?;
        params.aim_us(rate_mbps, frames)?;
        let (least, most) = params.bounds(rate_mbps, frames)?;
        let limit = match params.first {
            Some(first) if !(least..=most).contains(&first) => {
                return Err(SizingError::First { first, least, most });
            }
            Some(first) => first,
            None => initial(&params.exchange, rate_mbps, frames)?.clamp(least, most),
        };
        Ok(Wqm { params, limit, high: 0, low: 0 })
    }

    /// B, packets.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// T of a sample, us.
    fn drain_us(&self, sample: &Sample) -> Result<f64, SizingError> {
        let free = sample.free.clamp(self.params.free_floor, 1.0) * Quantity::Share.of(sample.share)?;
        let (mut packets, mut bits) = (sample.queue.packets, sample.queue.bits);
        if self.params.below {
            packets = packets.saturating_add(sample.below.packets);
            bits += sample.below.bits;
        }
        match sample.mean_frames.filter(|_| self.params.kavg) {
            Some(mean) => drain_aggregated_us(&self.params.exchange, packets, mean, sample.rate_mbps, free),
            None => super::drain_us(bits, sample.rate_mbps, free),
        }
    }

    /// One look.
    ///
    /// # Errors
    /// A rate or a share of 0; no frames, or too many; a backlog below 0. The limit stays as it was then.
    pub fn look(&mut self, sample: &Sample) -> Result<Look, SizingError> {
        let (least, most) = self.params.bounds(sample.rate_mbps, sample.frames)?;
        let aim_us = self.params.aim_us(sample.rate_mbps, sample.frames)?;
        let drain_us = self.drain_us(sample)?;
        let mut action = Action::Hold;
        if drain_us > aim_us && self.limit > least {
            action = Action::ArmHigh;
            self.low = 0;
            if confirmed(&mut self.high, self.params.confirm) {
                (action, self.limit) = (Action::Cut, self.params.law.cut(self.limit).max(least));
            }
        } else if drain_us < aim_us && self.limit < most {
            action = Action::ArmLow;
            self.high = 0;
            let used = self.params.idle_grow || f64::from(sample.used) >= USED * f64::from(self.limit);
            if confirmed(&mut self.low, self.params.confirm) {
                action = if used { Action::Raise } else { Action::Hold };
                self.limit = if used { self.params.law.raised(self.limit).min(most) } else { self.limit };
            }
        }
        if self.limit < least {
            (action, self.limit) = (Action::Lift, least);
        }
        Ok(Look { drain_us, aim_us, action, limit: self.limit })
    }

    /// Looks at a queue that is as full as its limit lets it be, or holds so many packets, at a rate that stays.
    ///
    /// # Errors
    /// As [`Wqm::look`].
    pub fn trace(&mut self, steady: &Steady, looks: usize) -> Result<Vec<Look>, SizingError> {
        let one = |_| {
            let packets = steady.packets.unwrap_or(u32::MAX).min(self.limit);
            let bits = f64::from(packets) * self.params.exchange.packet_bits();
            self.look(&Sample {
                rate_mbps: steady.rate_mbps,
                frames: steady.frames,
                queue: Backlog { packets, bits },
                below: Backlog::default(),
                free: steady.free,
                share: 1.0,
                used: packets,
                mean_frames: steady.mean_frames,
            })
        };
        (0..looks).map(one).collect()
    }
}

/// A queue that is the same at each look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// R, Mb/s.
    pub rate_mbps: f64,
    /// K.
    pub frames: u32,
    /// F.
    pub free: f64,
    /// What waits, at most the limit; None: always the limit.
    pub packets: Option<u32>,
    /// The mean length of aggregates.
    pub mean_frames: Option<f64>,
}

/// Counts a look; whether it is one of enough.
fn confirmed(count: &mut u32, confirm: u32) -> bool {
    *count = count.saturating_add(1).min(confirm);
    *count >= confirm
}
