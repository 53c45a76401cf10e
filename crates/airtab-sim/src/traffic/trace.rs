// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The packets of a capture, sent again: each at its time, of its length and on its way, once, so many times or until the
//! application stops. What they carried is not known; all are datagrams here.
//!
//! Open loop: a sender of the capture reacted to what it met then, and nothing reacts now. A capture's TCP is sent as it was,
//! whatever is lost of it.
//!
//! The packets are kept once, 16 bytes each, for all users and runs. What a run is stored by has their digest in their place.
//!
//! What it does not do: it reads no file (`airtab-scenario`), draws nothing, and nothing answers.

use std::fmt;
use std::hash::Hasher;
use std::sync::Arc;

use siphasher::sip128::{Hasher128, SipHasher24};

use super::video::HEADERS;
use super::{Application, Broken, Io, Kind, Setting};
use crate::engine::NEVER;

/// Most packets of a capture.
pub const MOST_PACKETS: usize = 1_000_000;
/// Longest packet, bytes: the most that an 802.11 frame carries.
pub const LONGEST: u32 = 2304;
/// Millionths in 1.
const MILLION: u64 = 1_000_000;

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// When it is sent, after the first one, ns.
    pub at_ns: u64,
    /// IP packet, bytes.
    pub bytes: u32,
    /// From the station to the server.
    pub up: bool,
}

/// The packets of a capture, in order of time. Copies share them.
#[derive(Clone, PartialEq, Eq)]
pub struct Packets(Arc<Kept>);

#[derive(PartialEq, Eq)]
struct Kept {
    list: Box<[Packet]>,
    /// How many go down, and up.
    count: [u64; 2],
    longest: u32,
    digest: u128,
}

impl Packets {
    /// Those, from the first to the last.
    ///
    /// # Errors
    /// There are none or more than [`MOST_PACKETS`]; one is before the one in front of it, or its length is none.
    pub fn new(list: Vec<Packet>) -> Result<Packets, Broken> {
        let some = (1..=MOST_PACKETS).contains(&list.len());
        Broken::unless(some, "file", format!("{} packets: 1 to {MOST_PACKETS}", list.len()))?;
        Broken::unless(list[0].at_ns == 0, "file", "the first packet is sent at 0")?;
        Broken::unless(list.is_sorted_by_key(|p| p.at_ns), "file", "packets must be in order of time")?;
        let unfit = list.iter().map(|p| p.bytes).find(|n| !(HEADERS..=LONGEST).contains(n));
        let said = format!("a packet of {} bytes: {HEADERS} to {LONGEST}", unfit.unwrap_or(0));
        Broken::unless(unfit.is_none(), "file", said)?;
        let (mut hasher, mut count, mut longest) = (SipHasher24::new(), [0; 2], 0);
        for packet in &list {
            count[usize::from(packet.up)] += 1;
            longest = longest.max(packet.bytes);
            hasher.write(&packet.at_ns.to_le_bytes());
            hasher.write(&(packet.bytes << 1 | u32::from(packet.up)).to_le_bytes());
        }
        let digest = hasher.finish128().as_u128();
        Ok(Packets(Arc::new(Kept { list: list.into(), count, longest, digest })))
    }

    /// One after the other.
    pub fn list(&self) -> &[Packet] {
        &self.0.list
    }

    /// How many go down, or `up`.
    pub fn count(&self, up: bool) -> u64 {
        self.0.count[usize::from(up)]
    }

    /// The longest one, bytes.
    pub fn longest(&self) -> u32 {
        self.0.longest
    }

    /// From the first to the last, ns.
    pub fn span_ns(&self) -> u64 {
        self.list()[self.list().len() - 1].at_ns
    }
}

/// A number for all that they are: a million of them in words would be a hundred megabytes.
impl fmt::Debug for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packets({}, {:032x})", self.list().len(), self.0.digest)
    }
}

/// Such an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// What is sent.
    pub packets: Packets,
    /// How many of them were TCP's.
    pub tcp: u64,
    /// Frames of the capture that are none of them.
    pub others: u64,
    /// How much faster than they were captured, millionths: 2,000,000 sends them in half the time.
    pub scale_ppm: u64,
    /// How often they are sent; None: until the application stops.
    pub rounds: Option<u32>,
    /// From the last packet of a round to the first of the next, ns; None: the mean time from one packet to the next.
    pub gap_ns: Option<u64>,
}

impl Replay {
    /// `packets` as they were, once.
    pub fn once(packets: Packets) -> Replay {
        Replay { packets, tcp: 0, others: 0, scale_ppm: MILLION, rounds: Some(1), gap_ns: None }
    }

    /// `time / parts` of the capture as time of the run, to the nearest ns.
    fn scaled(&self, time_ns: u128, parts: u64) -> Option<u64> {
        let divisor = u128::from(parts) * u128::from(self.scale_ppm);
        let ns = (time_ns * u128::from(MILLION) + divisor / 2).checked_div(divisor)?;
        u64::try_from(ns).ok()
    }

    /// When a packet is sent after its round's first one, ns; None: after the end of all time.
    pub fn offset_ns(&self, packet: usize) -> Option<u64> {
        self.scaled(self.packets.list()[packet].at_ns.into(), 1)
    }

    /// From a round to the next, ns; None: there is no other one, or never.
    pub fn period_ns(&self) -> Option<u64> {
        let (span, n) = (self.packets.span_ns(), self.packets.list().len() as u64);
        match self.gap_ns {
            _ if self.rounds == Some(1) => None,
            Some(gap) => self.scaled(span.into(), 1)?.checked_add(gap),
            // All of n gaps, where n - 1 are known.
            None => self.scaled(u128::from(span) * u128::from(n), n - 1),
        }
    }
}

impl Kind for Replay {
    type Application = Replayer;
    /// No protocol's: what packets carried is not known (RFC 6335, dynamic ports).
    const PORT: u16 = 49_152;

    fn check(&self) -> Result<(), Broken> {
        let scales = 1_000..=1_000 * MILLION;
        Broken::unless(scales.contains(&self.scale_ppm), "scale", "0.001 to 1000")?;
        Broken::unless(self.rounds != Some(0), "repeat", "sent no time at all: at least 1")?;
        if self.rounds == Some(1) {
            return Broken::unless(self.gap_ns.is_none(), "gap", "only with repeat: nothing follows");
        }
        let moment = self.packets.span_ns() == 0;
        let known = !(moment && self.gap_ns.is_none());
        Broken::unless(
            known,
            "repeat",
            "the capture's packets are all of one moment: say how long after it the next round begins, gap = \"1s\"",
        )?;
        let key = if self.gap_ns.is_some() { "gap" } else { "scale" };
        Broken::unless(
            self.period_ns() != Some(0),
            key,
            "a round takes less than 1ns: a longer gap, or a smaller scale",
        )
    }

    fn recorded(&self, up: bool, within_ns: u64) -> Option<u64> {
        let most = self.rounds.map_or(u64::MAX, u64::from);
        let rounds = self.period_ns().map_or(1, |period| most.min(within_ns / period.max(1) + 2));
        Some(self.packets.count(up).saturating_mul(rounds))
    }

    fn user(&self, setting: &Setting) -> Replayer {
        let first_ns = setting.phase_ns.unwrap_or(0);
        Replayer { own: self.clone(), round_ns: first_ns, round: 0, next: 0 }
    }
}

/// The packets of one user.
#[derive(Debug)]
pub struct Replayer {
    own: Replay,
    /// When this round began, ns; before the start the phase.
    round_ns: u64,
    round: u32,
    /// Which of its packets is sent next.
    next: usize,
}

impl Replayer {
    /// When the next packet is sent, ns; None: no other one is.
    fn next_ns(&mut self) -> Option<u64> {
        if self.next == self.own.packets.list().len() {
            (self.next, self.round) = (0, self.round.saturating_add(1));
            let another = self.own.rounds.is_none_or(|n| self.round < n);
            self.round_ns = self.round_ns.checked_add(self.own.period_ns().filter(|_| another)?)?;
        }
        let at = self.round_ns.checked_add(self.own.offset_ns(self.next)?)?;
        Some(at).filter(|at| *at < NEVER)
    }
}

impl Application for Replayer {
    fn start(&mut self, io: &mut Io) {
        self.round_ns += io.now();
        self.next_ns().into_iter().for_each(|at| io.timer(at, 0));
    }

    fn timer(&mut self, _: u64, key: u16, io: &mut Io) {
        let Packet { bytes, up, .. } = self.own.packets.list()[self.next];
        self.next += 1;
        self.next_ns().into_iter().for_each(|at| io.timer(at, key));
        io.send(up, bytes, 0);
    }
}
