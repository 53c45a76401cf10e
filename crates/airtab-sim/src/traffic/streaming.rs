// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Responsive video: segments over one TCP connection, each at the bit rate that
//! the player's buffer allows: BBA-0 of Huang, Johari, McKeown, Trunnell and
//! Watson, "A buffer-based approach to rate adaptation" (SIGCOMM 2014), section 4.
//!
//! The rate follows from the buffer alone. Up to the reservoir (3/8 of the
//! buffer) it is the lowest one. It is the highest one from 9/10 of the buffer on, or from
//! the buffer less one segment, if that is less. In between a line
//! f leads from the lowest to the highest, and the rate changes when f has reached
//! the next one. The source's player: 4-s segments, a buffer of 240 s, hence 90 s
//! and 216 s. A segment is requested when there is room for it; it takes exactly
//! its bit rate times its length. Playback starts and resumes with a whole segment.
//!
//! What it does not do: no encoder's variable sizes, no estimate of throughput,
//! no seeking, no end of the film.

use std::sync::Arc;

use airtab_core::Unit;

use super::web::REQUEST;
use super::{Application, Broken, Io, Kind, Progress, Seen, Setting};
use crate::tcp::Algorithm;

/// One segment of a streamed video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentTrace {
    /// Which of the application's users asked for it.
    pub user: u32,
    /// Bit rate at which it was encoded, bit/s.
    pub rate_bps: u64,
    /// When it was requested, ns.
    pub requested_ns: u64,
    /// When it was complete, ns.
    pub done_ns: u64,
}

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

impl Streaming {
    /// Bytes of a segment at the rate `ladder[i]`.
    pub fn bytes(&self, i: usize) -> u64 {
        (u128::from(self.ladder[i]) * u128::from(self.segment_ns) / 8_000_000_000).max(1) as u64
    }

    /// Index of the rate of the next segment, with `level_ns` in the buffer and
    /// `last` as the rate before.
    pub fn next_rate(&self, last: usize, level_ns: u64) -> usize {
        let top = self.ladder.len() - 1;
        let reservoir = self.buffer_ns / 8 * 3;
        // No segment is requested with more in the buffer.
        let high = (self.buffer_ns / 10 * 9).min(self.buffer_ns - self.segment_ns);
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

impl Kind for Streaming {
    type Application = Film;
    const PORT: u16 = 443;

    fn check(&self) -> Result<(), Broken> {
        let ladder = &self.ladder;
        let ascending = ladder.first().is_some_and(|rate| *rate > 0) && ladder.is_sorted_by(|a, b| a < b);
        Broken::unless(ascending, "ladder", "must be ascending rates above 0")?;
        Broken::unless(self.segment_ns > 0, "segment", "must not be 0")?;
        let least_ns = self.segment_ns.saturating_mul(2);
        let message = format!("must hold two segments: at least {}", Unit::Ns.format(least_ns));
        Broken::unless(self.buffer_ns >= least_ns, "buffer", message)
    }

    fn congestion(&self, _: Algorithm) -> Option<Algorithm> {
        Some(self.congestion)
    }

    fn user(&self, setting: &Setting) -> Film {
        // What will be played, and what the buffer holds.
        let segments = setting.active_ns.saturating_add(self.buffer_ns) / self.segment_ns + 2;
        Film {
            player: Player::new(self.clone()),
            asked: 0,
            answered: 0,
            wanted: 0,
            bytes: 0,
            requested_ns: 0,
            segments: Vec::with_capacity(setting.room(segments)),
        }
    }
}

/// A player's buffer, and what it asks for.
#[derive(Debug)]
pub struct Player {
    film: Streaming,
    rate: usize,
    /// When it has played what it has.
    plays_until: u64,
}

impl Player {
    /// With an empty buffer.
    pub fn new(film: Streaming) -> Player {
        Player { film, rate: 0, plays_until: 0 }
    }

    /// Chooses the next segment at `now`: its bytes.
    pub fn choose(&mut self, now: u64) -> u64 {
        self.rate = self.film.next_rate(self.rate, self.plays_until.saturating_sub(now));
        self.film.bytes(self.rate)
    }

    /// The segment that was chosen, requested at `requested_ns`, is complete at `now`: with it,
    /// when the next one is to be requested.
    pub fn complete(&mut self, requested_ns: u64, now: u64) -> (SegmentTrace, u64) {
        let Streaming { ladder, segment_ns, buffer_ns, .. } = &self.film;
        self.plays_until = self.plays_until.max(now) + segment_ns;
        let trace = SegmentTrace { user: 0, rate_bps: ladder[self.rate], requested_ns, done_ns: now };
        (trace, now.max((self.plays_until + segment_ns).saturating_sub(*buffer_ns)))
    }
}

/// A film that one user sees: his player and its server.
#[derive(Debug)]
pub struct Film {
    player: Player,
    /// Requests sent, and those that the server has answered.
    asked: u64,
    answered: u64,
    /// Bytes of all segments requested so far, and of the one under way, 0 if there is none.
    wanted: u64,
    bytes: u64,
    requested_ns: u64,
    segments: Vec<SegmentTrace>,
}

impl Film {
    fn choose(&mut self, now: u64) {
        self.bytes = self.player.choose(now);
        self.wanted += self.bytes;
        self.asked += 1;
        self.requested_ns = now;
    }
}

impl Application for Film {
    fn start(&mut self, io: &mut Io) {
        self.choose(io.now());
        io.open(0, 0, REQUEST);
    }

    fn timer(&mut self, _: u64, _: u16, io: &mut Io) {
        self.choose(io.now());
        io.write(0, true, REQUEST);
    }

    fn progress(&mut self, flow: u16, at: &Progress, io: &mut Io) {
        if self.answered < self.asked && at.at_server >= REQUEST * self.asked {
            io.write(flow, false, self.bytes);
            self.answered = self.asked;
        }
        if self.answered < self.asked || at.at_client < self.wanted || self.bytes == 0 {
            return;
        }
        self.bytes = 0;
        let (segment, next_ns) = self.player.complete(self.requested_ns, io.now());
        self.segments.push(segment);
        io.timer(next_ns, 0);
    }

    fn seen(&mut self) -> Seen {
        Seen { segments: std::mem::take(&mut self.segments), ..Seen::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_core::time::SECOND as S;

    /// 1, 2, 3 and 5 Mb/s; reservoir 90 s, line up to 216 s: 1 Mb/s in 31.5 s.
    fn film(ladder: &[u64]) -> Streaming {
        let congestion = Algorithm::Cubic;
        Streaming { ladder: ladder.into(), segment_ns: 4 * S, buffer_ns: 240 * S, congestion }
    }

    const LADDER: [u64; 4] = [1_000_000, 2_000_000, 3_000_000, 5_000_000];

    #[test]
    fn the_rate_follows_the_buffer() {
        let film = film(&LADDER);
        let next = |last, level_s: f64| film.next_rate(last, (level_s * 1e9) as u64);
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

    /// In a buffer of 30 s a segment of 4 s has room with 26 s: less than 9/10 of it, and the highest rate.
    #[test]
    fn a_full_buffer_has_the_highest_rate() {
        for (buffer_s, full_s) in [(8, 4), (30, 26), (39, 35), (50, 45), (240, 216)] {
            let film = Streaming { buffer_ns: buffer_s * S, ..film(&LADDER) };
            assert_eq!(film.next_rate(2, full_s * S), 3, "{buffer_s} s");
            assert!(film.next_rate(2, full_s * S - S / 10) < 3, "{buffer_s} s");
            assert_eq!(film.next_rate(3, buffer_s * S / 8 * 3), 0, "{buffer_s} s");
        }
    }

    #[test]
    fn a_ladder_of_one_rate() {
        let film = film(&[700_000]);
        for level in [0, 100, 150, 239] {
            assert_eq!(film.next_rate(0, level * S), 0);
        }
        assert_eq!(film.bytes(0), 350_000);
    }

    /// Time stood still is not played: a segment that comes late is played from when it came. With room for two of
    /// 4 s, two that took 10 s each and a third at once fill the buffer until 28 s; the next has room at 24 s.
    #[test]
    fn a_film_that_stood_still_goes_on_from_there() {
        let mut player = Player::new(Streaming { buffer_ns: 8 * S, ..film(&LADDER[..1]) });
        let mut next_ns = 0;
        for now in [10 * S, 20 * S, 20 * S] {
            assert_eq!(player.choose(next_ns), 500_000);
            next_ns = player.complete(next_ns, now).1;
        }
        assert_eq!(next_ns, 24 * S);
    }
}
