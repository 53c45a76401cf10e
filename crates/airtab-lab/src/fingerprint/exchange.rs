// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames as exchanges: what follows each other by SIFS, or overlaps, is one busy period of the channel.
//!
//! IEEE 802.11-2020 10.3.2.3.3: nobody who contends begins within SIFS and half a slot; who does goes on with an
//! exchange: behind a CTS, with a fragment, or within the TXOP of an access category. Who does so otherwise has an
//! exchange of its own, and waits too little. Frames that overlap have collided.
//!
//! What it does not do: a monitor that receives one frame of a collision, or none, shows no collision; the
//! exchange then is one without an answer, or an idle channel.

use std::fmt;

use airtab_core::{Phy, ampdu_add};
use airtab_sim::wifi::Category;

use super::frame::{Frame, Kind, Mac};

/// Which of a transmitter's queues contends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Queue {
    /// Data without QoS.
    Plain,
    /// An access category of EDCA.
    Category(Category),
    /// Beacons and other management.
    Management,
}

/// Who contends: each category of a transmitter does so by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sender {
    /// Its address.
    pub mac: [u8; 6],
    /// Its queue.
    pub queue: Queue,
}

/// `02:61:74:01:00:00`, and behind it the category, if there is one: `(be)`.
impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let octets: Vec<String> = self.mac.iter().map(|octet| format!("{octet:02x}")).collect();
        write!(f, "{}", octets.join(":"))?;
        match self.queue {
            Queue::Plain => Ok(()),
            Queue::Category(category) => write!(f, " ({})", Category::NAMES[category as usize]),
            Queue::Management => write!(f, " (management)"),
        }
    }
}

/// A sender's access to the channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) sender: Sender,
    pub(super) from_ap: bool,
    /// End of its own frames.
    pub(super) end_ns: u64,
    /// What the answer to the last of them takes, SIFS included; 0: none is due.
    pub(super) answer_ns: u64,
    /// Of its first frame with data.
    pub(super) retry: bool,
    pub(super) sequence: u16,
    pub(super) aggregate: bool,
}

/// A busy period.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    /// Who had access, in the order of the file; two or more have collided.
    pub(super) accesses: Vec<Access>,
    /// Whether the last frame was an answer.
    pub(super) answered: bool,
    /// Whether frames overlapped.
    pub(super) collided: bool,
}

/// Puts frames together.
pub(super) struct Assembler {
    /// From the end of one frame to the start of another that goes on with it, ns at most.
    follows_ns: u64,
    phy: Phy,
    open: Exchange,
    /// The last frame, and the length of its aggregate so far.
    last: Option<(Frame, u32)>,
}

impl Assembler {
    pub(super) fn new(phy: &Phy) -> Assembler {
        let follows_ns = phy.sifs_ns() + phy.slot_ns() / 2;
        Assembler { follows_ns, phy: *phy, open: Exchange::default(), last: None }
    }

    /// The next frame; hands on the exchange before, if it is over.
    pub(super) fn push(&mut self, frame: &Frame, done: &mut dyn FnMut(&Exchange)) {
        if self.last.is_some() && self.joins(frame) {
            return;
        }
        self.end(done);
        self.open.start_ns = frame.start_ns;
        self.open.end_ns = frame.end_ns;
        self.open.accesses.clear();
        self.open.answered = matches!(frame.kind, Kind::Answers | Kind::Clears);
        self.open.collided = false;
        self.add(frame);
        self.last = Some((*frame, self.aggregate(frame)));
    }

    /// Hands on the last exchange.
    pub(super) fn end(&mut self, done: &mut dyn FnMut(&Exchange)) {
        if self.last.take().is_some() {
            done(&self.open);
        }
    }

    fn aggregate(&self, frame: &Frame) -> u32 {
        frame.aggregate.map_or(0, |(_, mpdu, _)| ampdu_add(0, mpdu))
    }

    /// Whether a frame is of the open exchange; it is added then.
    fn joins(&mut self, frame: &Frame) -> bool {
        let Some((last, psdu)) = self.last else { return false };
        if let (Some((number, ..)), Some((before, ..))) = (frame.aggregate, last.aggregate)
            && number == before
            && frame.from == last.from
            && frame.start_ns < self.open.end_ns
        {
            self.lengthen(frame, psdu);
            return true;
        }
        let overlaps = frame.start_ns < self.open.end_ns;
        if !overlaps && frame.start_ns > self.open.end_ns + self.follows_ns {
            return false;
        }
        match frame.kind {
            Kind::Answers | Kind::Clears => self.open.answered = true,
            Kind::Unknown => (self.open.answered, self.open.collided) = (false, overlaps),
            Kind::Sends | Kind::Asks if overlaps => {
                (self.open.answered, self.open.collided) = (false, true);
                self.add(frame);
            }
            Kind::Sends | Kind::Asks => {
                if !self.goes_on(last.kind, frame) {
                    return false;
                }
            }
        }
        self.open.end_ns = self.open.end_ns.max(frame.end_ns);
        self.last = Some((*frame, self.aggregate(frame)));
        true
    }

    /// One more MPDU of the aggregate that the last frame is of.
    fn lengthen(&mut self, frame: &Frame, psdu: u32) {
        let Some((_, mpdu, rate)) = frame.aggregate else { return };
        let psdu = ampdu_add(psdu, mpdu);
        let end_ns = frame.start_ns.saturating_add(self.phy.ppdu_ns(&rate, psdu));
        if let Some(access) = self.open.accesses.last_mut() {
            access.end_ns = access.end_ns.max(end_ns);
        }
        self.open.end_ns = self.open.end_ns.max(end_ns);
        self.last = Some((*frame, psdu));
    }

    /// Who has the channel sends once more, behind a frame of that kind.
    fn goes_on(&mut self, behind: Kind, frame: &Frame) -> bool {
        if self.open.accesses.is_empty() && behind == Kind::Clears {
            // Its CTS was to itself.
            self.open.answered = false;
            self.add(frame);
            return true;
        }
        let [access] = self.open.accesses.as_mut_slice() else { return false };
        let fragment = frame.sequence == access.sequence && !frame.retry;
        let txop = frame.queue != Queue::Plain || fragment || behind == Kind::Clears;
        if access.sender.mac != frame.from || !txop {
            return false;
        }
        self.open.answered = false;
        let next = access_of(frame);
        // The attempt is that of the first frame with data.
        let asked = access.sender.queue == Queue::Plain && next.sender.queue != Queue::Plain;
        *access =
            if asked { next } else { Access { end_ns: next.end_ns, answer_ns: next.answer_ns, ..*access } };
        true
    }

    fn add(&mut self, frame: &Frame) {
        if matches!(frame.kind, Kind::Sends | Kind::Asks) {
            self.open.accesses.push(access_of(frame));
        }
    }
}

fn access_of(frame: &Frame) -> Access {
    Access {
        sender: Sender { mac: frame.from, queue: frame.queue },
        from_ap: frame.from_ap,
        end_ns: frame.end_ns,
        answer_ns: frame.answer_ns,
        retry: frame.retry,
        sequence: frame.sequence,
        aggregate: frame.aggregate.is_some(),
    }
}

/// An address as text, `02:61:74:01:00:00`.
///
/// # Errors
/// It is none.
pub fn address(text: &str) -> Result<Mac, String> {
    let octet = |text: &str| {
        let digits = text.len() == 2 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        digits.then(|| u8::from_str_radix(text, 16).ok())?
    };
    let octets: Option<Vec<u8>> = text.split([':', '-']).map(octet).collect();
    octets
        .and_then(|octets| <Mac>::try_from(octets.as_slice()).ok())
        .ok_or_else(|| format!("{text}: give a MAC address, such as 02:61:74:01:00:00"))
}

#[cfg(test)]
mod tests {
    use airtab_core::{Format, Rate, RateSpec};

    use super::*;

    const US: u64 = 1000;

    /// A frame of station `from`, us from and to; its answer takes `answer` us.
    fn frame(kind: Kind, from: u8, (start, end): (u64, u64), answer: u64) -> Frame {
        Frame {
            start_ns: start * US,
            end_ns: end * US,
            kind,
            from: [from; 6],
            queue: Queue::Plain,
            from_ap: false,
            retry: false,
            sequence: 0,
            answer_ns: answer * US,
            aggregate: None,
        }
    }

    fn numbered(sequence: u16, frame: Frame) -> Frame {
        Frame { sequence, ..frame }
    }

    fn of_category(frame: Frame) -> Frame {
        Frame { queue: Queue::Category(Category::BestEffort), ..frame }
    }

    /// SIFS of 10 us and half a slot of 20: what begins 20 us later at most goes on.
    fn exchanges(frames: &[Frame]) -> Vec<Exchange> {
        let (mut all, phy) = (Vec::new(), Phy::named("std-11b").unwrap());
        let mut assembler = Assembler::new(&phy);
        let mut keep = |exchange: &Exchange| all.push(exchange.clone());
        frames.iter().for_each(|frame| assembler.push(frame, &mut keep));
        assembler.end(&mut keep);
        all
    }

    /// From and to, us, stations that had access, answered, collided.
    fn told(frames: &[Frame]) -> Vec<(u64, u64, Vec<u8>, bool, bool)> {
        let of = |e: &Exchange| {
            let senders = e.accesses.iter().map(|access| access.sender.mac[0]).collect();
            (e.start_ns / US, e.end_ns / US, senders, e.answered, e.collided)
        };
        exchanges(frames).iter().map(of).collect()
    }

    use Kind::{Answers, Asks, Clears, Sends, Unknown};

    #[test]
    fn an_exchange_ends_where_others_may_begin() {
        let data = frame(Sends, 1, (100, 200), 50);
        let ack = frame(Answers, 0, (210, 250), 0);
        let first = (100, 250, vec![1], true, false);
        // Another one that begins too early has an exchange of its own, like one that waits.
        for start in [265, 270, 271, 400] {
            let other = frame(Sends, 2, (start, start + 90), 50);
            let second = (start, start + 90, vec![2], false, false);
            assert_eq!(told(&[data, ack, other]), [first.clone(), second], "{start}");
        }
        // An answer that comes later than SIFS and half a slot is none to it.
        let late = |start| frame(Answers, 0, (start, start + 40), 0);
        assert_eq!(told(&[data, late(220)]), [(100, 260, vec![1], true, false)]);
        let alone = (221, 261, vec![], true, false);
        assert_eq!(told(&[data, late(221)]), [(100, 200, vec![1], false, false), alone]);
        assert!(told(&[]).is_empty());
    }

    #[test]
    fn who_goes_on_and_who_begins_anew() {
        let data = numbered(5, frame(Sends, 1, (100, 200), 50));
        let ack = frame(Answers, 0, (210, 250), 0);
        let next = |sequence, from| numbered(sequence, frame(Sends, from, (260, 360), 30));
        let retry = |frame: Frame| Frame { retry: true, ..frame };
        for (what, next, goes_on) in [
            ("a fragment", next(5, 1), true),
            ("its next packet", next(6, 1), false),
            ("a repetition", retry(next(5, 1)), false),
            ("another station", next(5, 2), false),
            ("within its TXOP", of_category(next(6, 1)), true),
            ("of another's TXOP", of_category(next(6, 2)), false),
        ] {
            let found = exchanges(&[data, ack, next]);
            assert_eq!(found.len(), if goes_on { 1 } else { 2 }, "{what}");
            if goes_on {
                let access = found[0].accesses[0];
                assert_eq!(
                    (found[0].accesses.len(), found[0].end_ns, found[0].answered),
                    (1, 360 * US, false)
                );
                assert_eq!((access.end_ns, access.answer_ns), (360 * US, 30 * US), "{what}: of the last");
            }
        }
        // The attempt is that of the first frame of a TXOP, its end and its answer those of the last.
        let first = retry(of_category(data));
        let found = exchanges(&[first, ack, of_category(next(6, 1))]);
        let access = found[0].accesses[0];
        assert_eq!((found.len(), access.sequence, access.retry, access.end_ns), (1, 5, true, 360 * US));
    }

    #[test]
    fn what_asks_for_the_channel_is_no_attempt_of_the_frame_behind_it() {
        let rts = frame(Asks, 1, (100, 150), 40);
        let cts = frame(Clears, 0, (160, 190), 0);
        let data = numbered(9, frame(Sends, 1, (200, 300), 50));
        let ack = frame(Answers, 0, (310, 350), 0);
        let whole = (100, 350, vec![1], true, false);
        assert_eq!(told(&[rts, cts, data, ack]), std::slice::from_ref(&whole));
        let with = Frame { retry: true, ..of_category(data) };
        assert_eq!(told(&[rts, cts, with, ack]), [whole]);
        let access = exchanges(&[rts, cts, with, ack])[0].accesses[0];
        assert_eq!((access.sequence, access.retry, access.sender.queue), (9, true, with.queue));
        assert_eq!((access.end_ns, access.answer_ns), (300 * US, 50 * US));
        // A CTS to oneself has no sender; the frame behind it has.
        assert_eq!(told(&[cts, data]), [(160, 300, vec![1], false, false)]);
        assert_eq!(told(&[cts, data, ack]), [(160, 350, vec![1], true, false)]);
        // Nobody answered an RTS: what others send later is theirs.
        let other = frame(Sends, 2, (400, 500), 50);
        assert_eq!(
            told(&[rts, other]),
            [(100, 150, vec![1], false, false), (400, 500, vec![2], false, false)]
        );
    }

    #[test]
    fn frames_that_overlap_have_collided() {
        let long = frame(Sends, 1, (100, 400), 50);
        let short = frame(Sends, 2, (100, 200), 50);
        let third = frame(Sends, 3, (399, 450), 50);
        assert_eq!(told(&[long, short, third]), [(100, 450, vec![1, 2, 3], false, true)]);
        assert_eq!(
            told(&[long, short]),
            [(100, 400, vec![1, 2], false, true)],
            "it lasts as long as the longest"
        );
        // Who begins where the other ends has not.
        let after = frame(Sends, 2, (400, 500), 50);
        assert_eq!(
            told(&[long, after]),
            [(100, 400, vec![1], false, false), (400, 500, vec![2], false, false)]
        );
        // The next exchange knows nothing of it.
        let good = [frame(Sends, 3, (600, 700), 50), frame(Answers, 0, (710, 750), 0)];
        let both = told(&[long, short, good[0], good[1]]);
        assert_eq!(both[1], (600, 750, vec![3], true, false));
        let again = frame(Sends, 1, (900, 950), 50);
        assert_eq!(told(&[good[0], good[1], again])[1], (900, 950, vec![1], false, false));
        // Of a damaged frame nobody knows the sender.
        let damaged = |start| frame(Unknown, 9, (start, start + 50), 0);
        assert_eq!(told(&[long, damaged(300)]), [(100, 400, vec![1], false, true)]);
        assert_eq!(told(&[long, damaged(410)]), [(100, 460, vec![1], false, false)]);
        let ack = frame(Answers, 0, (410, 450), 0);
        assert_eq!(told(&[long, ack, damaged(460)]), [(100, 510, vec![1], false, false)]);
    }

    #[test]
    fn an_aggregate_is_as_long_as_its_parts() {
        let phy = Phy::named("std-11n").unwrap();
        let spec =
            RateSpec { format: Some(Format::Ht), mcs: 3, streams: None, width: None, gi: None, ru: None };
        let rate: Rate = phy.rate(&spec).unwrap();
        let part = |number, from, bytes| {
            let end = 100 + phy.ppdu_ns(&rate, ampdu_add(0, bytes)) / US;
            Frame { aggregate: Some((number, bytes, rate)), ..frame(Sends, from, (100, end), 60) }
        };
        let of = |frames: &[Frame]| {
            let mut all = Vec::new();
            let mut assembler = Assembler::new(&phy);
            let mut keep = |exchange: &Exchange| all.push(exchange.clone());
            frames.iter().for_each(|frame| assembler.push(frame, &mut keep));
            assembler.end(&mut keep);
            all
        };
        let parts = [part(7, 1, 1500), part(7, 1, 700), part(7, 1, 1500)];
        let found = of(&parts);
        let bytes = [1500, 700, 1500].into_iter().fold(0, ampdu_add);
        let end_ns = 100 * US + phy.ppdu_ns(&rate, bytes);
        assert_eq!((found.len(), found[0].end_ns, found[0].collided), (1, end_ns, false));
        assert_eq!((found[0].accesses.len(), found[0].accesses[0].end_ns), (1, end_ns));
        assert!(found[0].accesses[0].aggregate);
        // Of another number, or of another sender: a collision.
        for other in [part(8, 1, 700), part(7, 2, 700)] {
            let found = of(&[parts[0], other]);
            assert_eq!((found.len(), found[0].accesses.len(), found[0].collided), (1, 2, true));
        }
    }

    #[test]
    fn addresses_have_six_octets_of_two_digits() {
        let mac = [2, 0x61, 0x74, 1, 0, 0xfe];
        for text in ["02:61:74:01:00:fe", "02-61-74-01-00-FE"] {
            assert_eq!(address(text), Ok(mac), "{text}");
        }
        for wrong in [
            "",
            "02:61:74:01:00",
            "02:61:74:01:00:fe:00",
            "2:61:74:01:00:fe",
            "02:61:74:01:00:0g",
            "002:61:74:01:0:fe",
            "+2:61:74:01:00:fe",
        ] {
            let said = address(wrong).unwrap_err();
            assert_eq!(said, format!("{wrong}: give a MAC address, such as 02:61:74:01:00:00"));
        }
        let name = |queue| Sender { mac, queue }.to_string();
        assert_eq!(name(Queue::Plain), "02:61:74:01:00:fe");
        assert_eq!(name(Queue::Management), "02:61:74:01:00:fe (management)");
        for (category, word) in [
            (Category::Background, "bk"),
            (Category::BestEffort, "be"),
            (Category::Video, "vi"),
            (Category::Voice, "vo"),
        ] {
            assert_eq!(name(Queue::Category(category)), format!("02:61:74:01:00:fe ({word})"));
        }
    }
}
