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
        self.phy.control_ns(&self.rate, frame)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(phy: &str, options: Mcs, size: u64) -> Exchange {
        Exchange::new(&profile(phy).expect("a profile"), &options, size).expect("an exchange")
    }

    const ANY: Mcs = Mcs { mcs: None, streams: None, width: None, gi: None };

    /// SIFS of 16 us and the answer: an ACK of one frame of 802.11n takes 28 us, a BLOCK ACK with 64 bits 32 us, with 256 bits
    /// 40 us.
    #[test]
    fn answers_are_as_long_as_their_bitmaps() {
        for (phy, frames, answer_us) in [
            ("std-11n", 1, 28),
            ("std-11n", 2, 32),
            ("std-11ac", 1, 32),
            ("std-11ac", 64, 32),
            ("std-11ax", 1, 32),
            ("std-11ax", 64, 32),
            ("std-11ax", 65, 40),
            ("std-11ax", 256, 40),
        ] {
            let exchange = of(phy, ANY, 1500);
            let answer = exchange.success_ns(frames) - exchange.collision_ns(frames);
            assert_eq!(answer, (16 + answer_us) * 1000, "{frames} frames of {phy}");
        }
    }

    /// 7.5 slots of 9 us before a frame, behind AIFS of 43 us; a BAR of 24 bytes takes 32 us, its answer 32 or 40 us.
    #[test]
    fn a_lone_sender_counts_down_once() {
        let exchange = of("std-11ax", ANY, 700);
        for frames in [1, 9] {
            assert_eq!(exchange.cycle_ns(frames) - exchange.success_ns(frames), 67_500);
        }
        assert_eq!(exchange.bar_ns(64), 43_000 + 67_500 + 32_000 + 16_000 + 32_000);
        assert_eq!(exchange.bar_ns(65), 43_000 + 67_500 + 32_000 + 16_000 + 40_000);
        // 6.5 Mb/s: 738 bytes are 5904 + 22 bits, of 26 each symbol 228, behind 36 us.
        let slow = of("std-11n", Mcs { mcs: Some(0), ..ANY }, 700);
        assert_eq!(slow.collision_ns(1), (43 + 36 + 4 * 228) * 1000);
    }

    #[test]
    fn the_most_frames_are_those_of_bytes_time_and_window() {
        for (phy, options, size, most) in [
            // 5484 us of 65 Mb/s; by bytes it would be 42.
            ("std-11n", ANY, 1500, 28),
            // 65535 bytes in subframes of 1540.
            ("std-11n", Mcs { streams: Some(4), width: Some(40), ..ANY }, 1500, 42),
            ("std-11n", ANY, 40, 64),
            ("std-11ax", ANY, 40, 256),
        ] {
            let exchange = of(phy, options, size);
            assert_eq!(exchange.most_frames(), most, "{phy}, {size} bytes");
            assert_eq!(exchange.check(most), Ok(()));
            let said = exchange.check(most + 1).expect_err("too many");
            let rate = exchange.rate;
            assert_eq!(
                said,
                format!("--frames: {} is above {most}, the most in an aggregate at {rate}", most + 1)
            );
        }
    }

    #[test]
    fn packets_have_1_to_2296_bytes() {
        let made = |size: u64| Exchange::new(&profile("std-11n").expect("a profile"), &ANY, size).map(|_| ());
        assert_eq!((made(1), made(2296)), (Ok(()), Ok(())));
        assert_eq!(made(0), Err("--size: 0 is not 1 to 2296 bytes".into()));
        assert_eq!(made(2297), Err("--size: 2297B is not 1 to 2296 bytes".into()));
    }

    /// The highest MCS that goes with the other options; all that is wrong with them is told.
    #[test]
    fn the_highest_rate_is_taken_and_problems_are_listed() {
        let mcs = |phy: &str, options: Mcs| of(phy, options, 1500).rate.mcs();
        assert_eq!(mcs("std-11n", ANY), 7);
        assert_eq!(mcs("std-11ac", Mcs { width: Some(20), ..ANY }), 8);
        assert_eq!(mcs("std-11ac", Mcs { width: Some(20), streams: Some(3), ..ANY }), 9);
        assert_eq!(mcs("std-11ax", ANY), 11);
        assert_eq!(mcs("std-11ax", Mcs { mcs: Some(0), ..ANY }), 0);
        let wrong = Mcs { mcs: Some(9), streams: Some(6), width: Some(80), gi: Some(1600) };
        let said = Exchange::new(&profile("std-11n").expect("a profile"), &wrong, 1500)
            .map(|_| ())
            .expect_err("wrong");
        for option in ["--mcs 9", "--streams 6", "--width 80", "--gi 1600"] {
            assert!(said.split("; ").any(|problem| problem.starts_with(option)), "{option}: {said}");
        }
        let options = Mcs { mcs: Some(3), streams: Some(2), width: Some(40), gi: Some(400) };
        let rate = of("std-11n", options, 1500).rate;
        assert_eq!((rate.mcs(), rate.streams(), rate.width_mhz(), rate.gi_ns()), (3, 2, 40, 400));
    }
}
