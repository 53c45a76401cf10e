// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Attempts at an exchange: how each ends is drawn when it begins.
//!
//! What it does not do: what an end means for parts and their packets is `exchange`'s.

use std::ops::Range;

use airtab_core::Phy;

use super::*;

/// Before each MPDU of an aggregate, bytes.
const DELIMITER: u32 = 4;

impl Exchange {
    /// An attempt begins: how it will end for each part. Every DATA is drawn on
    /// its own, and what goes before it or comes after it if there is any.
    #[inline]
    pub(in crate::wifi) fn begin(&mut self, radios: &mut Radios, collided: bool, now: u64) {
        (self.on_air_ns, self.known_ns) = (self.frame.on_air_ns(), self.frame.known_ns());
        let plain = self.kind == Kind::Data && self.frame.rts_ns == 0 && self.frame.signal.is_none();
        if plain && self.parts.len() == 1 {
            self.begin_plain(radios, collided, now);
        } else {
            self.begin_any(radios, collided, now);
        }
    }

    /// Of a packet alone, without an RTS, that is lost by the same chance whatever its signal: nearly all are so.
    #[inline]
    fn begin_plain(&mut self, radios: &mut Radios, collided: bool, now: u64) {
        let (ns, part) = (self.share.ns(self.known_ns), &mut self.parts[0]);
        if part.attempts == 0 {
            part.since = now;
        }
        part.attempts += 1;
        part.sent += 1;
        part.air += ns;
        (part.end, self.answer) = match self.link {
            None if collided => (End::Collision, Answer::None),
            None => (End::Broadcast, Answer::None),
            Some(_) if collided => (End::Collision, Answer::Missing),
            Some(link) if radios.loses(link, self.frame.loss) => (End::DataLost, Answer::Missing),
            Some(link) if radios.loses(link, self.frame.control_loss) => (End::AckLost, Answer::Garbled),
            Some(_) => (End::Acked, Answer::Ack),
        };
    }

    /// Of whatever is sent.
    #[inline(never)]
    fn begin_any(&mut self, radios: &mut Radios, collided: bool, now: u64) {
        let guarded = self.frame.rts_ns > 0 && self.guard(radios, collided);
        let data = self.kind == Kind::Data;
        let mut split = self.split(self.known_ns);
        for part in &mut self.parts {
            if part.attempts == 0 {
                part.since = now;
            }
            part.attempts += u8::from(data);
            part.sent += u8::from(data && !guarded);
            part.air += split.share(part.bytes);
        }
        self.asked += u8::from(self.kind == Kind::Bar);
        let answered = match self.link {
            _ if collided => self.end(|_| End::Collision),
            None => self.end(|_| End::Broadcast),
            Some(_) if guarded => self.end(|_| End::DataLost),
            Some(link) if data => self.draw(link, radios),
            Some(link) => {
                self.end(|part| if part.received { End::Acked } else { End::DataLost });
                !radios.loses(link, self.frame.control_loss)
            }
        };
        self.answer = match self.link {
            None => Answer::None,
            Some(_) if !answered => Answer::Missing,
            Some(link) if radios.loses(link, self.frame.control_loss) => Answer::Garbled,
            Some(_) => Answer::Ack,
        };
        // A BAR that was not received: what became of the parts is not known.
        if self.answer == Answer::Garbled || (self.answer == Answer::Missing && !data) {
            for part in self.parts.iter_mut().filter(|part| part.end == End::Acked) {
                part.end = End::AckLost;
            }
        }
    }

    /// Others reached its receiver at the same time: nothing of the attempt under way arrives.
    pub(in crate::wifi) fn spoil(&mut self) {
        self.end(|_| End::Collision);
        self.answer = Answer::Missing;
    }

    /// Others reached its receiver meanwhile, ns from the start of DATA: who meets the preamble spoils all of the attempt
    /// under way, who comes later the MPDUs that it overlaps.
    pub(in crate::wifi) fn spoil_during(&mut self, phy: &Phy, overlaps: impl Iterator<Item = Range<u64>>) {
        let Some(rate) = self.frame.mcs.filter(|_| self.kind == Kind::Data && self.parts.len() > 1) else {
            return self.spoil();
        };
        let preamble_ns = phy.preamble_ns(&rate);
        let lasts_ns = self.frame.data_ns - preamble_ns;
        let subframe = |part: &Part| u64::from((part.mpdu_bytes + DELIMITER).next_multiple_of(4));
        let same = |a: &Part, b: &Part| a.sequence.is_some() && a.sequence == b.sequence;
        let all: u64 = self.parts.chunk_by(same).map(|mpdu| subframe(&mpdu[0])).sum();
        for at in overlaps {
            if at.start < preamble_ns {
                return self.spoil();
            }
            let mut before = 0;
            for mpdu in self.parts.chunk_by_mut(same) {
                let from = preamble_ns + lasts_ns * before / all;
                before += subframe(&mpdu[0]);
                if at.start < preamble_ns + lasts_ns * before / all && from < at.end {
                    mpdu.iter_mut().for_each(|part| part.end = End::Collision);
                }
            }
        }
        if !self.parts.iter().any(|part| matches!(part.end, End::Acked | End::AckLost)) {
            self.answer = Answer::Missing;
        }
    }

    /// Others reached its sender: it does not get the answer of the attempt under way.
    pub(in crate::wifi) fn spoil_answer(&mut self) {
        self.answer = Answer::Garbled;
        for part in self.parts.iter_mut().filter(|part| part.end == End::Acked) {
            part.end = End::AckLost;
        }
    }

    /// RTS (`rts`) or CTS did not arrive in the attempt under way, though nothing but others could lose it, and nothing else is sent:
    /// that is what is paid for.
    pub(in crate::wifi) fn cut(&mut self, rts: bool) {
        let known_ns = self.frame.cts_ns;
        if self.known_ns == known_ns {
            return; // drawn so
        }
        let (mut before, mut after) = (self.split(self.known_ns), self.split(known_ns));
        let data = self.kind == Kind::Data;
        for part in &mut self.parts {
            part.air = part.air - before.share(part.bytes) + after.share(part.bytes);
            part.sent -= u8::from(data);
            part.end = End::Collision;
        }
        (self.known_ns, self.on_air_ns) = (known_ns, if rts { self.frame.rts_ns } else { self.frame.cts_ns });
        self.answer = Answer::Missing;
    }

    /// Each part ends in a way that needs no draw, and nobody answers.
    fn end(&mut self, how: impl Fn(&Part) -> End) -> bool {
        self.parts.iter_mut().for_each(|part| part.end = how(part));
        false
    }

    /// Draws which DATA is lost, each MPDU on its own. True: one arrives.
    #[inline]
    fn draw(&mut self, link: u16, radios: &mut Radios) -> bool {
        let (mut loss, mut judged) = (self.frame.loss, 0);
        let (mut before, mut answered) = ((None, End::Collision), false);
        for part in &mut self.parts {
            if part.sequence.is_none() || part.sequence != before.0 {
                if let Some(heard) = self.frame.signal.filter(|_| judged != part.mpdu_bytes) {
                    (loss, judged) = (radios.mpdu_loss(&heard, part.mpdu_bytes), part.mpdu_bytes);
                }
                let lost = radios.loses(link, loss);
                before = (part.sequence, if lost { End::DataLost } else { End::Acked });
            }
            part.end = before.1;
            answered |= part.end == End::Acked;
        }
        answered
    }

    /// An RTS comes first. True: no CTS comes back, and nothing else is sent.
    fn guard(&mut self, radios: &mut Radios, collided: bool) -> bool {
        let loss = self.frame.control_loss;
        let mut lost = || self.link.is_some_and(|link| radios.loses(link, loss));
        let (rts, cts) = (self.frame.rts_ns, self.frame.cts_ns);
        let fails = match () {
            () if collided || lost() => rts,
            // Garbled, but sent.
            () if lost() => cts,
            () => return false,
        };
        (self.on_air_ns, self.known_ns) = (fails, cts);
        true
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::{Meta, Pool, Ticket};

    use super::*;
    use crate::wifi::config::Loss;
    use crate::wifi::egress::Left;

    /// The way of a packet alone is the way of all: draw by draw, to a station and to all, with and without collisions.
    #[test]
    fn a_packet_alone_ends_as_any() {
        let config = CellConfig::new(Phy::named("phy-a").expect("a profile of the core"));
        let radios = || Radios::new(&config, &[("sta", 54_000.into(), Loss::Fer(0.4))], 7);
        let (mut short, mut general) = (radios(), radios());
        let mut pool = Pool::new();
        let packet = pool.insert(Meta { bytes: 1500, ..Meta::default() }, 1_u32);
        let mut ends = Vec::new();
        for (link, to) in [(Some(0), Some(1)), (None, None)] {
            let alone = || {
                let mut exchange = Exchange::none();
                exchange.open(Kind::Data, link, to);
                exchange.frame = short.frame(link, 1500);
                exchange.push(Part::new(
                    &pool.view(packet),
                    Left { packet, ticket: Ticket::default(), record: 0 },
                    0,
                ));
                exchange
            };
            let (mut a, mut b) = (alone(), alone());
            for now in 1..=300 {
                let collided = now % 3 == 0;
                a.begin(&mut short, collided, now);
                (b.on_air_ns, b.known_ns) = (b.frame.on_air_ns(), b.frame.known_ns());
                b.begin_any(&mut general, collided, now);
                let told = |e: &Exchange| {
                    let part = &e.parts[0];
                    (
                        e.answer,
                        part.end,
                        part.attempts,
                        part.sent,
                        part.air,
                        part.since,
                        e.on_air_ns,
                        e.known_ns,
                    )
                };
                assert_eq!(told(&a), told(&b), "attempt {now} over {link:?}");
                ends.push(a.parts[0].end);
                for exchange in [&mut a, &mut b] {
                    let part = &mut exchange.parts[0];
                    (part.attempts, part.sent) = (part.attempts % 7, part.sent % 7);
                }
            }
        }
        for end in [End::Acked, End::AckLost, End::DataLost, End::Collision, End::Broadcast] {
            assert!(ends.contains(&end), "{end:?} never came");
        }
    }
}
