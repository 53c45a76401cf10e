// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What everybody could see on the air: every attempt of every part, and what goes before it, for captures.
//!
//! What it does not do: no frames as bytes (the laboratory's captures make them).

use airtab_core::{GROUP, Rate};

use super::edca::Category;
use super::exchange::{Answer, Exchange, Kind};
use super::output::{Attempt, End, FrameBody};

/// An exchange under way, and whose it is.
pub(super) struct Seen<'a> {
    pub(super) exchange: &'a Exchange,
    /// 0 the access point, i + 1 station i.
    pub(super) radio: usize,
    pub(super) category: Category,
    /// Where the window of its receiver begins, if it has one.
    pub(super) oldest: Option<u64>,
}

/// The attempts that nobody has looked at yet; None while nobody wants to.
#[derive(Default)]
pub(super) struct Tap(Option<Vec<Attempt>>);

impl Tap {
    pub(super) fn switch(&mut self, on: bool) {
        self.0 = on.then(Vec::new);
    }

    pub(super) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn take(&mut self) -> Option<Vec<Attempt>> {
        self.0.as_mut().map(std::mem::take)
    }

    /// An attempt is over that began at `start_ns`; `collided`: with another's.
    #[cold]
    pub(super) fn note(&mut self, seen: &Seen, start_ns: u64, collided: bool) {
        let Some(attempts) = &mut self.0 else { return };
        let &Seen { exchange, radio, category, oldest } = seen;
        let frame = &exchange.frame;
        let ns = |ns: u64| u32::try_from(ns).expect("a frame lasts less than 4 s");
        let data = Attempt {
            start_ns: start_ns + frame.cts_ns + frame.gap_ns,
            carried: FrameBody::Beacon,
            data_ns: ns(frame.data_ns),
            rest_ns: frame.ack_ns,
            kbps: frame.kbps,
            rate: frame.mcs.unwrap_or_else(|| Rate::legacy(frame.kbps)),
            sender: radio as u16,
            station: exchange.link.unwrap_or(GROUP),
            category,
            sequence: None,
            number: 1,
            end: if collided { End::Collision } else { End::Broadcast },
        };
        if frame.rts_ns > 0 {
            let end = match exchange.cut_short() {
                _ if collided => End::Collision,
                Some(true) => End::DataLost,
                Some(false) => End::AckLost,
                None => End::Acked,
            };
            let rest_ns = ns(frame.known_ns() - frame.rts_ns);
            attempts.push(Attempt {
                start_ns,
                carried: FrameBody::Rts,
                data_ns: ns(frame.rts_ns),
                rest_ns,
                end,
                ..data
            });
            if exchange.cut_short().is_some() {
                return;
            }
        }
        match exchange.kind {
            Kind::Beacon => attempts.push(data),
            Kind::Bar => {
                let end = match exchange.answer {
                    _ if collided => End::Collision,
                    Answer::Ack | Answer::None => End::Acked,
                    Answer::Garbled => End::AckLost,
                    Answer::Missing => End::DataLost,
                };
                let (carried, number) = (FrameBody::Bar, exchange.asked());
                attempts.push(Attempt { carried, sequence: oldest, number, end, ..data });
            }
            Kind::Data => attempts.extend(exchange.parts.iter().map(|part| {
                let carried =
                    if part.received { FrameBody::Duplicate } else { FrameBody::Packet(part.packet) };
                Attempt { carried, sequence: part.sequence, number: part.sent, end: part.end, ..data }
            })),
        }
    }
}
