// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Fingerprints of Wi-Fi cards: from a monitor's capture, of every transmitter at once; or from the arrival
//! times of a lone sender's packets, as the thesis has it (Starzetz 2006, 6.4.1).
//!
//! A capture is read twice, a block at a time: the first time to learn how its senders wait, the second time to
//! count what they draw. Memory grows with the number of senders alone.
//!
//! | part | what |
//! |---|---|
//! | `look` | profile and time stamps, by the first frames |
//! | `radiotap`, `frame` | a packet as a frame: who sends, how long it takes |
//! | `exchange` | frames as exchanges: who had access to the channel, whether it was answered |
//! | `waits` | from when on each counts idle slots, after which exchange |
//! | `survey` | first reading: interframe spaces, how backoffs are decremented, the comb's phase |
//! | `account` | second reading: idle slots between the accesses of a sender: its draws |
//! | `arrivals` | the same of a file of times |
//!
//! That between two accesses of a sender others may have the channel is beyond the thesis: a draw then is the sum of the
//! idle slots in between. Derived from IEEE 802.11-2020 10.3.4.3.
//!
//! What it does not do: nothing is judged (`airtab_quality::fingerprint`). No hidden stations, no MU exchanges; a
//! failed RTS counts as no attempt of the frame behind it.

mod account;
mod arrivals;
mod exchange;
mod frame;
mod look;
mod radiotap;
mod survey;
mod teeth;
mod waits;

use std::ops::ControlFlow;

pub use airtab_capture::End;
use airtab_capture::{CaptureError, DataLink, Open, packets};
use airtab_core::Phy;
use airtab_quality::fingerprint::{Card, FALSE_ALARMS, Judgement, judge};

pub use arrivals::{Arrivals, ArrivalsError, of_arrivals};
pub use exchange::{Queue, Sender, address};
pub use survey::Decrement;

use account::Account;
use exchange::Assembler;
use frame::{Frames, Stamps};
use look::Look;
pub(crate) use look::description;
use survey::Survey;

/// Why a monitor's capture cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum FingerprintError {
    #[error(
        "it is no pcap or pcapng file (it begins with {0:02x?}): give a monitor's capture, or a file whose name ends in .txt with a time in s on each line"
    )]
    Foreign([u8; 4]),
    #[error(
        "its link type is {link}: a monitor's is needed, 802.11 behind radiotap (127). tcpdump -i mon0 -y IEEE802_11_RADIO -w FILE"
    )]
    LinkType { link: String },
    #[error("its frames have no time stamps: capture with tcpdump, or a radio that gives TSFT")]
    NoStamps,
    #[error("frame {frame} has no readable radiotap header: {what}")]
    Radiotap { frame: u64, what: &'static str },
    #[error(transparent)]
    Capture(CaptureError),
}

impl From<CaptureError> for FingerprintError {
    fn from(e: CaptureError) -> FingerprintError {
        match e {
            CaptureError::Foreign(begin) => FingerprintError::Foreign(begin),
            CaptureError::LinkType { link } => FingerprintError::LinkType { link },
            CaptureError::NoStamps => FingerprintError::NoStamps,
            e => FingerprintError::Capture(e),
        }
    }
}

/// What a capture says of a sender.
#[derive(Clone, Debug, PartialEq)]
pub struct Fingerprint {
    /// Whose.
    pub sender: Sender,
    /// What the capture calls it.
    pub name: Option<String>,
    /// How often it had access to the channel.
    pub accesses: u64,
    /// Wait before the first slot, and length of a slot, as measured, ns; `None` if it never sent twice in a row.
    pub base_and_slot_ns: Option<(f64, f64)>,
    /// Interframe space that it should wait, ns.
    pub due_ns: u64,
    /// How others' exchanges count.
    pub decrement: Decrement,
    /// How sharp its comb is, 0 to 1.
    pub contrast: Option<f64>,
    /// Attempt, draws, their mean and the largest, slots: of second and later attempts.
    pub attempts: Vec<(u32, u64, f64, u64)>,
    /// Figures and verdict.
    pub judgement: Judgement,
}

/// Source of the profile of 802.11 by which a capture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhySource {
    /// The caller.
    Given,
    /// The description of an interface, as [`crate::capture()`] writes it.
    Named,
    /// The rates that occur: by such a profile no card is accused.
    Guessed,
}

/// What a capture says.
#[derive(Clone, Debug)]
pub struct Heard {
    /// Constants that were supposed.
    pub phy: Phy,
    /// Source of the constants.
    pub phy_source: PhySource,
    /// Frames in it.
    pub frames: u64,
    /// Frames without a rate or of a kind unknown, which only make the channel busy.
    pub unknown: u64,
    /// Unknown frames of 802.11be (EHT).
    pub eht: u64,
    /// Whether the radio's own time stamps were used, not those of the file.
    pub radio_stamps: bool,
    /// Sentences on time stamps and frames that were not used.
    pub notes: Vec<String>,
    /// End of the capture.
    pub end: End,
    /// Senders, by address.
    pub senders: Vec<Fingerprint>,
}

/// Frames that are looked at to learn which PHY it is.
const LOOK: u64 = 2000;

/// Fingerprints of all who send in a capture; without `phy` by the profile that the capture names, else by the
/// standard's for the rates that occur.
///
/// # Errors
/// [`FingerprintError`] says what is wrong with the file.
pub fn of_capture(open: &mut Open<'_>, phy: Option<Phy>) -> Result<Heard, FingerprintError> {
    let Look { guess, named, stamps, note } = look(open)?;
    let (phy, phy_source) = match (phy, named) {
        (Some(phy), _) => (phy, PhySource::Given),
        (None, Some(phy)) => (phy, PhySource::Named),
        (None, None) => (guess, PhySource::Guessed),
    };
    let mut survey = Survey::new(&phy);
    read(open, &phy, stamps, &mut |event| match event {
        Event::Exchange(exchange) => survey.add(exchange),
        Event::Step => survey.restart(),
    })?;
    let manners = survey.manners();
    let mut account = Account::new(&phy, &manners);
    let (frames, end) = read(open, &phy, stamps, &mut |event| match event {
        Event::Exchange(exchange) => account.add(exchange),
        Event::Step => account.restart(),
    })?;
    let senders: Vec<_> = manners.senders.keys().filter(|s| s.queue != Queue::Management).collect();
    let draws = |sender: &Sender| &account.cards[sender];
    let judged = senders.iter().filter(|s| draws(s).is_enough()).count().max(1);
    let fingerprint = |sender: &&Sender| {
        let (manner, card) = (&manners.senders[*sender], draws(sender));
        let known = Card {
            draws: &card.draws,
            retries: &card.retries,
            most: manner.due.most,
            early: Some(manner.due.offset - manner.offset),
            contrast: manner.contrast,
        };
        let judgement = judge(&known, FALSE_ALARMS / judged as f64);
        Fingerprint {
            sender: **sender,
            name: frames.name(sender.mac).map(str::to_string),
            accesses: manner.accesses,
            base_and_slot_ns: card.line.base_and_slot_ns(),
            due_ns: phy.difs_ns().saturating_add_signed(manner.due.offset * phy.slot_ns() as i64),
            decrement: manner.decrement,
            contrast: manner.contrast,
            attempts: card.retries.attempts().collect(),
            judgement: if phy_source == PhySource::Guessed { judgement.by_guess() } else { judgement },
        }
    };
    let senders = senders.iter().map(fingerprint).collect();
    Ok(Heard {
        phy,
        phy_source,
        frames: frames.count,
        unknown: frames.unknown,
        eht: frames.eht,
        radio_stamps: stamps == Stamps::Radio,
        notes: note.into_iter().chain(frames.notes()).collect(),
        end,
        senders,
    })
}

/// The first frames: which PHY, and whose time stamps.
fn look(open: &mut Open<'_>) -> Result<Look, FingerprintError> {
    let mut guess = look::Guess::default();
    let end = packets::<FingerprintError>(open, &is_radiotap, &mut |packet| {
        guess.add(&packet)?;
        Ok(if guess.frames < LOOK { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    if guess.frames == 0 {
        return Err(end.without_frames().into());
    }
    guess.end()
}

/// Whether packets are 802.11 behind radiotap.
fn is_radiotap(link: DataLink) -> bool {
    link == DataLink::IEEE802_11_RADIOTAP
}

/// Next part of a capture.
enum Event<'a> {
    Exchange(&'a exchange::Exchange),
    /// The radio's clock was set: no time passes from the exchange before to the next one.
    Step,
}

/// Reads all of it as exchanges.
fn read(
    open: &mut Open<'_>,
    phy: &Phy,
    stamps: Stamps,
    each: &mut dyn FnMut(Event<'_>),
) -> Result<(Frames, End), FingerprintError> {
    let mut frames = Frames::new(phy, stamps);
    let mut assembler = Assembler::new(phy);
    let end = packets::<FingerprintError>(open, &is_radiotap, &mut |packet| {
        let steps = frames.steps;
        let frame = frames.frame(&packet)?;
        if frames.steps > steps {
            assembler.end(&mut |exchange| each(Event::Exchange(exchange)));
            each(Event::Step);
        }
        if let Some(frame) = frame {
            assembler.push(&frame, &mut |exchange| each(Event::Exchange(exchange)));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    assembler.end(&mut |exchange| each(Event::Exchange(exchange)));
    Ok((frames, end))
}

#[cfg(test)]
mod tests;
