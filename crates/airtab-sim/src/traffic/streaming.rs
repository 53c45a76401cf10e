//! Responsive video: segments over one TCP connection, each at the bit rate that
//! the player's buffer allows: BBA-0 of Huang, Johari, McKeown, Trunnell and
//! Watson, "A buffer-based approach to rate adaptation" (SIGCOMM 2014), section 4.
//!
//! The rate follows from the buffer alone. Up to the reservoir (3/8 of the
//! buffer) it is the lowest one, from 9/10 on the highest one; in between a line
//! f leads from the lowest to the highest, and the rate changes when f has reached
//! the next one. The source's player: 4-s segments, a buffer of 240 s, hence 90 s
//! and 216 s. A segment is requested when there is room for it; it takes exactly
//! its bit rate times its length. Playback starts and resumes with a whole segment.
//!
//! What it does not do: no encoder's variable sizes, no estimate of throughput,
//! no seeking, no end of the film.

use std::sync::Arc;

use crate::tcp::Algorithm;
use crate::trace::SegmentTrace;
use crate::traffic::download::Connection;
use crate::traffic::web::REQUEST;

/// Such an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streaming {
    /// Bit rates to choose from, bit/s, ascending.
    pub ladder: Arc<[u64]>,
    /// Playing time of a segment, ns.
    pub segment_ns: u64,
    /// Playing time that its player's buffer holds, ns.
    pub buffer_ns: u64,
    /// Congestion control of its sender.
    pub congestion: Algorithm,
}

/// Server port.
pub const PORT: u16 = 443;

/// What a player is given.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Bit rates, bit/s, ascending.
    pub ladder: &'a [u64],
    /// Playing time of a segment, ns.
    pub segment_ns: u64,
    /// Playing time that the buffer holds, ns.
    pub buffer_ns: u64,
}

impl Plan<'_> {
    /// Bytes of a segment at the rate `ladder[i]`.
    pub fn bytes(&self, i: usize) -> u64 {
        (u128::from(self.ladder[i]) * u128::from(self.segment_ns) / 8_000_000_000).max(1) as u64
    }

    /// Index of the rate of the next segment, with `level_ns` in the buffer and
    /// `last` as the rate before.
    pub fn next_rate(&self, last: usize, level_ns: u64) -> usize {
        let top = self.ladder.len() - 1;
        let (reservoir, high) = (self.buffer_ns / 8 * 3, self.buffer_ns / 10 * 9);
        if level_ns <= reservoir {
            return 0;
        }
        if level_ns >= high {
            return top;
        }
        let (low, rise) = (self.ladder[0], self.ladder[top] - self.ladder[0]);
        let climbed = u128::from(rise) * u128::from(level_ns - reservoir) / u128::from(high - reservoir);
        let f = low + climbed as u64;
        if f >= self.ladder[(last + 1).min(top)] {
            // The highest below f, but for f at the very rate never less than before.
            self.ladder.iter().rposition(|rate| *rate < f).unwrap_or(0).max(last)
        } else if f <= self.ladder[last.saturating_sub(1)] {
            self.ladder.iter().position(|rate| *rate > f).unwrap_or(top).min(last)
        } else {
            last
        }
    }
}

/// A player under way.
pub(crate) struct Player {
    rate: usize,
    /// When it has played what it has.
    plays_until: u64,
    /// Requests sent, and those that the server has answered.
    asked: u64,
    answered: u64,
    /// Bytes of all segments requested so far, and of the last one.
    wanted: u64,
    bytes: u64,
    requested_ns: u64,
}

impl Player {
    /// Starts at `now` with the request of the first segment; the connection is
    /// the caller's to make.
    pub(crate) fn start(plan: &Plan, now: u64, connection: &mut Connection) -> Player {
        let mut player =
            Player { rate: 0, plays_until: 0, asked: 0, answered: 0, wanted: 0, bytes: 0, requested_ns: 0 };
        player.request(plan, now, connection);
        player
    }

    /// Requests the next segment.
    pub(crate) fn request(&mut self, plan: &Plan, now: u64, connection: &mut Connection) {
        self.rate = plan.next_rate(self.rate, self.plays_until.saturating_sub(now));
        self.bytes = plan.bytes(self.rate);
        self.wanted += self.bytes;
        self.asked += 1;
        self.requested_ns = now;
        connection.client.endpoint.write(REQUEST);
    }

    /// Looks at both ends after something arrived: the segment that is complete,
    /// and when the next one is to be requested.
    pub(crate) fn progress(
        &mut self,
        plan: &Plan,
        now: u64,
        connection: &mut Connection,
    ) -> Option<(SegmentTrace, u64)> {
        let (client, server) = (&connection.client.endpoint, &mut connection.server.endpoint);
        if self.answered < self.asked && server.delivered() >= REQUEST * self.asked {
            server.write(self.bytes);
            self.answered = self.asked;
        }
        if self.answered < self.asked || client.delivered() < self.wanted || self.bytes == 0 {
            return None;
        }
        self.bytes = 0; // complete: nothing is under way
        self.plays_until = self.plays_until.max(now) + plan.segment_ns;
        let rate_bps = plan.ladder[self.rate];
        let trace = SegmentTrace { rate_bps, requested_ns: self.requested_ns, done_ns: now };
        Some((trace, now.max((self.plays_until + plan.segment_ns).saturating_sub(plan.buffer_ns))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_core::time::SECOND as S;

    /// 1, 2, 3 and 5 Mb/s; reservoir 90 s, line up to 216 s: 1 Mb/s in 31.5 s.
    const PLAN: Plan =
        Plan { ladder: &[1_000_000, 2_000_000, 3_000_000, 5_000_000], segment_ns: 4 * S, buffer_ns: 240 * S };

    #[test]
    fn the_rate_follows_the_buffer() {
        let next = |last, level_s: f64| PLAN.next_rate(last, (level_s * 1e9) as u64);
        for last in 0..4 {
            assert_eq!((next(last, 0.0), next(last, 90.0)), (0, 0), "the reservoir");
            assert_eq!((next(last, 216.0), next(last, 240.0)), (3, 3), "nearly full");
        }
        // f is 2 Mb/s at 121.5 s, 3 at 153, 4 at 184.5.
        assert_eq!((next(0, 121.4), next(0, 121.6)), (0, 1), "up when f passes the next rate");
        assert_eq!(next(0, 160.0), 2, "over several steps at once, to the highest below f");
        assert_eq!((next(2, 140.0), next(2, 121.6)), (2, 2), "down only when f has come to the rate below");
        assert_eq!((next(2, 121.4), next(3, 121.4)), (1, 1), "and then to the lowest above f");
        assert_eq!((next(3, 200.0), next(3, 153.1), next(3, 152.9)), (3, 3, 2));
        assert_eq!(next(0, 121.5), 0, "f at the very rate: not below it yet");
    }

    #[test]
    fn a_ladder_of_one_rate() {
        let plan = Plan { ladder: &[700_000], ..PLAN };
        for level in [0, 100, 150, 239] {
            assert_eq!(plan.next_rate(0, level * S), 0);
        }
        assert_eq!(plan.bytes(0), 350_000);
    }

    /// Lets everything through that both ends have to send, at once.
    fn exchange(connection: &mut Connection, now: u64) {
        let mut sent = true;
        while sent {
            sent = false;
            for from_server in [true, false] {
                while let Some(segment) = connection.socket(from_server).endpoint.poll_transmit(now) {
                    connection.socket(!from_server).endpoint.on_segment(now, &segment);
                    sent = true;
                }
            }
        }
    }

    /// Time stood still is not played: a segment that comes late is played from when it came. With room for two of
    /// 4 s, two that took 10 s each and a third at once fill the buffer until 28 s; the next has room at 24 s.
    #[test]
    fn a_film_that_stood_still_goes_on_from_there() {
        use crate::tcp::Config;
        let plan = Plan { buffer_ns: 8 * S, ..PLAN };
        let mut connection = Connection::open(Config::home(), 0);
        let mut player = Player::start(&plan, 0, &mut connection);
        let mut next_ns = 0;
        for now in [10 * S, 20 * S, 20 * S] {
            if next_ns > 0 {
                player.request(&plan, next_ns, &mut connection);
            }
            exchange(&mut connection, now);
            assert!(
                player.progress(&plan, now, &mut connection).is_none(),
                "the server has the request only now"
            );
            exchange(&mut connection, now);
            let (_, next) = player.progress(&plan, now, &mut connection).expect("the segment is complete");
            next_ns = next;
        }
        assert_eq!(next_ns, 24 * S);
    }
}
