// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Streamed video: start-up delay, stalls, bit rate and switches (the measures of Huang et al., SIGCOMM 2014,
//! and of ITU-T P.1203's input).
//!
//! Everything follows from when each segment was complete: it is played when it is there and the one before has
//! been played. A stall is the time in between, after the start. Playback resumes with one whole segment.
//!
//! What it does not do: no single score; bit rates say nothing of how a picture looks.

use crate::NS_PER_S;
use crate::window::Window;

/// One segment that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Bit rate at which it was encoded, bit/s.
    pub rate_bps: u64,
    /// When it was requested, ns.
    pub requested_ns: u64,
    /// When it was complete, ns.
    pub done_ns: u64,
}

/// What a viewer got within a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// From the request of the first segment to its end, s, wherever the window is.
    pub startup: f64,
    /// Stalls that began.
    pub stalls: u32,
    /// Time stalled, share of the time played or stalled.
    pub stalled: f64,
    /// Mean bit rate of what was played, bit/s; None if nothing was.
    pub rate_bps: Option<f64>,
    /// Segments that were played at another rate than the one before.
    pub switches: u32,
}

/// Scores a playback: its segments in order, each `segment_ns` long, up to the end of the window. None if it
/// did not start before that.
pub fn score(segments: &[Segment], segment_ns: u64, window: Window) -> Option<Score> {
    let first = segments.first().filter(|s| s.done_ns < window.until_ns())?;
    let within =
        |from: u64, to: u64| to.min(window.until_ns()).saturating_sub(from.max(window.from_ns())) as f64;
    let (mut stalls, mut switches) = (0, 0);
    let (mut stalled, mut played, mut bits) = (0.0, 0.0, 0.0);
    let mut stall = |from: u64, to: u64| {
        stalls += u32::from(from < to && window.contains(from));
        stalled += within(from, to);
    };
    let mut until = first.done_ns; // when all of the segments so far have been played
    let mut before = first.rate_bps;
    for s in segments {
        let from = s.done_ns.max(until);
        stall(until, from);
        switches += u32::from(s.rate_bps != before && window.contains(from));
        until = from + segment_ns;
        played += within(from, until);
        bits += within(from, until) * s.rate_bps as f64;
        before = s.rate_bps;
    }
    stall(until, u64::MAX);
    let whole = played + stalled;
    Some(Score {
        startup: (first.done_ns - first.requested_ns) as f64 / NS_PER_S,
        stalls,
        stalled: if whole > 0.0 { stalled / whole } else { 0.0 },
        rate_bps: (played > 0.0).then(|| bits / played),
        switches,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    /// Complete at these seconds, at these rates.
    fn segments(list: &[(u64, u64)]) -> Vec<Segment> {
        list.iter()
            .map(|&(done, rate_bps)| Segment { rate_bps, requested_ns: S, done_ns: done * S })
            .collect()
    }

    fn of(list: &[(u64, u64)], from: u64, until: u64) -> Option<Score> {
        score(&segments(list), 4 * S, Window::new(from * S, until * S).unwrap())
    }

    /// Played 3-7, 7-11, (stalled 11-15,) 15-19, 19-23.
    const PLAY: [(u64, u64); 4] = [(3, 100), (4, 100), (15, 200), (16, 400)];

    #[test]
    fn a_stall_is_what_lies_between_two_segments() {
        let all = of(&PLAY, 0, 23).unwrap();
        assert_eq!((all.startup, all.stalls, all.switches), (2.0, 1, 2));
        assert_eq!(all.stalled, 4.0 / 20.0);
        assert_eq!(all.rate_bps, Some((8.0 * 100.0 + 4.0 * 200.0 + 4.0 * 400.0) / 16.0));
    }

    #[test]
    fn only_the_window_counts() {
        let part = of(&PLAY, 13, 17).unwrap();
        assert_eq!((part.stalls, part.stalled), (0, 0.5), "it began before, and lasts 2 of 4 s");
        assert_eq!((part.rate_bps, part.switches, part.startup), (Some(200.0), 1, 2.0));
        let none_played = of(&PLAY, 12, 14).unwrap();
        assert_eq!((none_played.stalled, none_played.rate_bps), (1.0, None));
    }

    #[test]
    fn who_has_nothing_left_stalls_to_the_end() {
        let late = of(&PLAY, 19, 27).unwrap();
        assert_eq!((late.stalls, late.stalled), (1, 0.5), "23 to 27 s");
        let exactly = of(&PLAY, 19, 23).unwrap();
        assert_eq!((exactly.stalls, exactly.stalled), (0, 0.0));
    }

    #[test]
    fn waiting_for_the_start_is_no_stall() {
        let early = of(&PLAY, 0, 5).unwrap();
        assert_eq!((early.stalls, early.stalled, early.rate_bps), (0, 0.0, Some(100.0)));
        assert_eq!(of(&PLAY, 0, 3), None, "it had not started");
        assert_eq!(of(&[], 0, 3), None);
    }
}
