// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What frames and aggregates take at a rate by MCS, for the models that ask for times.
//!
//! What it does not do: no RTS, no TXOP, best effort alone, and no limit of an aggregate but the standard's own.

use airtab_core::{Control, Format, PPDU_MAX_NS, Phy, Rate, RateError, RateSpec, Unit, ampdu_bytes};
use airtab_scenario::reader::instead;

use super::args::Mcs;

/// Slots behind SIFS before best effort counts down (IEEE 802.11-2020 table 9-155).
const AIFSN: u32 = 3;
/// The highest MCS of any format.
const HIGHEST_MCS: u8 = 11;
/// The longest IP packet that a frame takes: an MSDU of 2304 bytes with its LLC header.
const LONGEST: u64 = 2296;

/// Packets of one size at one rate.
pub struct Exchange {
    phy: Phy,
    pub rate: Rate,
    bytes: u32,
}

impl Exchange {
    /// By the options; the message names the one that is wrong.
    pub fn new(phy: &Phy, options: &Mcs, size: u64) -> Result<Exchange, String> {
        if !phy.has_mcs() {
            return Err(format!("--profile: {} has no rates by MCS, and no aggregates", phy.name()));
        }
        if !(1..=LONGEST).contains(&size) {
            return Err(format!("--size: {} is not 1 to {LONGEST} bytes", Unit::Bytes.format(size)));
        }
        let spec = |mcs| RateSpec {
            mcs,
            streams: options.streams,
            width: options.width,
            gi: options.gi,
            ..RateSpec::default()
        };
        // The highest that there is with the other options; where there is none, what is wrong with them.
        let highest = || (1..=HIGHEST_MCS).rev().find_map(|mcs| phy.rate(&spec(mcs)).ok());
        let rate = match options.mcs {
            Some(mcs) => phy.rate(&spec(mcs)),
            None => highest().map_or_else(|| phy.rate(&spec(0)), Ok),
        };
        let each = |errors: Vec<RateError>| {
            errors.iter().map(|error| format!("--{error}")).collect::<Vec<_>>().join("; ")
        };
        Ok(Exchange { phy: *phy, rate: rate.map_err(each)?, bytes: size as u32 })
    }

    /// So many frames fit into an aggregate: window, bytes, and the longest PPDU.
    pub fn most_frames(&self) -> u32 {
        let longest = self.phy.ampdu_bytes().min(self.phy.psdu_within(&self.rate, PPDU_MAX_NS));
        let fits = |frames: &u32| self.psdu_bytes(*frames) <= longest;
        (1..=u32::from(self.phy.window())).take_while(fits).count() as u32
    }

    /// Whether so many frames fit into an aggregate; the message says how many do.
    pub fn check(&self, frames: u32) -> Result<(), String> {
        match self.most_frames() {
            0 => Err(format!("--size: a frame of {} bytes is too long at {}", self.bytes, self.rate)),
            most if frames <= most => Ok(()),
            most => {
                Err(format!("--frames: {frames} is above {most}, the most in an aggregate at {}", self.rate))
            }
        }
    }

    /// HT sends one frame as it is; the others always aggregate.
    fn aggregates(&self, frames: u32) -> bool {
        frames > 1 || self.rate.format() != Format::Ht
    }

    fn psdu_bytes(&self, frames: u32) -> u32 {
        let mpdu = self.bytes + self.phy.mac_bytes();
        if self.aggregates(frames) { ampdu_bytes(frames, mpdu) } else { mpdu }
    }

    /// AIFS, ns.
    fn aifs_ns(&self) -> u64 {
        self.phy.aifs_ns(AIFSN)
    }

    fn control_ns(&self, frame: Control) -> u64 {
        self.phy.control_ns(self.rate.kbps(), frame)
    }

    /// BLOCK ACK of an aggregate of so many, of which one bitmap of 64 or 256 is enough.
    fn block_ack_ns(&self, frames: u32) -> u64 {
        self.control_ns(Control::BlockAck(if frames > 64 { 256 } else { 64 }))
    }

    /// Mean of a first backoff, ns.
    fn backoff_ns(&self) -> u64 {
        self.phy.slot_ns() * u64::from(self.phy.cw_min()) / 2
    }

    /// From the first symbol of so many frames to the slot boundary at which counters go on: PPDU, SIFS, answer,
    /// AIFS, ns.
    pub fn success_ns(&self, frames: u32) -> u64 {
        let answer = match self.aggregates(frames) {
            true => self.block_ack_ns(frames),
            false => self.control_ns(Control::Ack),
        };
        self.collision_ns(frames) + self.phy.sifs_ns() + answer
    }

    /// The same where nobody answers: PPDU, AIFS, ns.
    pub fn collision_ns(&self, frames: u32) -> u64 {
        self.phy.ppdu_ns(&self.rate, self.psdu_bytes(frames)) + self.aifs_ns()
    }

    /// A lone sender's time for so many frames: AIFS, mean backoff, PPDU, SIFS, answer, ns.
    pub fn cycle_ns(&self, frames: u32) -> u64 {
        self.backoff_ns() + self.success_ns(frames)
    }

    /// A BLOCK ACK REQUEST with its answer, and the contention before it, ns.
    pub fn bar_ns(&self, window: u32) -> u64 {
        let answered = self.control_ns(Control::Bar) + self.phy.sifs_ns() + self.block_ack_ns(window);
        self.aifs_ns() + self.backoff_ns() + answered
    }
}

/// The profile of that name.
pub fn profile(name: &str) -> Result<Phy, String> {
    let known: Vec<_> = Phy::all().map(|phy| phy.name()).collect();
    Phy::named(name).ok_or_else(|| format!("--profile: '{name}' is not known{}", instead(name, &known)))
}
