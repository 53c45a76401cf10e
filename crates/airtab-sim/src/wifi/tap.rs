// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What everybody could see on the air: every attempt of every part, for captures.
//!
//! What it does not do: no frames as bytes (the laboratory's captures make them).

use airtab_core::GROUP;

use super::exchange::{Answer, Exchange, Kind};
use super::output::{Attempt, End, FrameBody};

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

    /// A transmitter's attempt is over that began at `start_ns`; `collided`: with another's.
    #[cold]
    pub(super) fn note(&mut self, exchange: &Exchange, transmitter: usize, start_ns: u64, collided: bool) {
        let Some(attempts) = &mut self.0 else { return };
        let attempt = |carried, number, end| Attempt {
            start_ns,
            carried,
            data_ns: exchange.frame.data_ns.try_into().expect("a frame lasts less than 4 s"),
            kbps: exchange.frame.kbps,
            sender: transmitter as u16,
            station: exchange.link.unwrap_or(GROUP),
            number,
            end,
        };
        if exchange.kind == Kind::Beacon {
            let end = if collided { End::Collision } else { End::Broadcast };
            return attempts.push(attempt(FrameBody::Beacon, 1, end));
        }
        if exchange.kind == Kind::Bar {
            let end = match exchange.answer {
                _ if collided => End::Collision,
                Answer::Ack | Answer::None => End::Acked,
                Answer::Garbled => End::AckLost,
                Answer::Missing => End::DataLost,
            };
            return attempts.push(attempt(FrameBody::Bar, exchange.asked(), end));
        }
        attempts.extend(exchange.parts.iter().map(|part| {
            let carried = if part.received { FrameBody::Duplicate } else { FrameBody::Packet(part.packet) };
            attempt(carried, part.attempts, part.end)
        }));
    }
}
