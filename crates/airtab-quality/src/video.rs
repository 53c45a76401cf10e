// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Playable frame rate (CHAP dissertation 2.5): how many frames a second a
//! decoder can show.
//!
//! A frame that arrived whole can be shown if what it was coded from can: an I
//! frame always, a P frame if the reference (I or P) before it can, a B frame if
//! the references before and after it can. The receiver never discards late
//! frames, and does not conceal.
//!
//! What it does not do: B frames that refer to other B frames (hierarchical
//! coding) count as if they referred to I and P frames only.

use crate::window::Window;

/// What a frame was coded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Nothing else.
    I,
    /// The reference before.
    P,
    /// The references before and after.
    B,
}

/// One frame that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When, ns.
    pub sent_ns: u64,
    /// How it was coded.
    pub coding: Coding,
    /// Whether it arrived whole, or could be repaired.
    pub whole: bool,
}

/// What became of the frames that were sent within a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Frames that can be shown, for each second of the window.
    pub frames_per_second: f64,
    /// Frames that arrived whole, whatever they were coded from, for each second of the window: the "actual" frame rate of
    /// M. Parris, "Class-Based Thresholds", UNC 2001, A.7.
    pub whole_per_second: f64,
    /// Share of frames that arrived whole.
    pub whole: f64,
    /// The same of I, P and B frames; None if there were none.
    pub whole_of: [Option<f64>; 3],
}

/// Scores the frames of a video, all of them in the order of display; those
/// sent outside the window count as references only. None if it has no others.
pub fn score(frames: &[Frame], window: Window) -> Option<Score> {
    let coded: Vec<(Coding, bool)> = frames.iter().map(|f| (f.coding, f.whole)).collect();
    let shown = playable(&coded);
    let (mut sent, mut whole, mut playable) = ([0u64; 3], [0u64; 3], 0u64);
    for (frame, shown) in frames.iter().zip(shown).filter(|(f, _)| window.contains(f.sent_ns)) {
        sent[frame.coding as usize] += 1;
        whole[frame.coding as usize] += u64::from(frame.whole);
        playable += u64::from(shown);
    }
    let share = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
    let rate = |frames: u64| frames as f64 * 1e9 / window.length_ns() as f64;
    Some(Score {
        whole: share(whole.iter().sum(), sent.iter().sum())?,
        whole_of: [0, 1, 2].map(|i| share(whole[i], sent[i])),
        frames_per_second: rate(playable),
        whole_per_second: rate(whole.iter().sum()),
    })
}

/// Frames that can be shown, of those sent in each second from 0 on, up to the
/// last second in which one was sent. `frames`: all of them in the order of display.
pub fn playable_by_second(frames: &[Frame]) -> Vec<u32> {
    let coded: Vec<(Coding, bool)> = frames.iter().map(|f| (f.coding, f.whole)).collect();
    let second = |f: &Frame| (f.sent_ns / 1_000_000_000) as usize;
    let mut counts = vec![0; frames.iter().map(second).max().map_or(0, |last| last + 1)];
    for (frame, shown) in frames.iter().zip(playable(&coded)) {
        counts[second(frame)] += u32::from(shown);
    }
    counts
}

/// Which frames can be shown, given each one's coding and whether it arrived
/// whole, in the order of display. A B frame after the last reference cannot.
pub fn playable(frames: &[(Coding, bool)]) -> Vec<bool> {
    let mut shown = vec![false; frames.len()];
    let mut before = false; // whether the reference before can be shown
    let mut waiting = 0..0; // B frames since then
    for (i, &(coding, whole)) in frames.iter().enumerate() {
        if coding == Coding::B {
            waiting.end = i + 1;
            continue;
        }
        let this = whole && (coding == Coding::I || before);
        for b in waiting {
            shown[b] = frames[b].1 && before && this;
        }
        shown[i] = this;
        before = this;
        waiting = i + 1..i + 1;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::Coding::{B, I, P};
    use super::*;

    fn shown(frames: &[(Coding, bool)]) -> String {
        playable(frames).iter().map(|&shown| if shown { '1' } else { '.' }).collect()
    }

    #[test]
    fn a_frame_needs_what_it_was_coded_from() {
        let video = |lost: &[usize]| -> Vec<(Coding, bool)> {
            let group = [I, B, B, B, P, B, B, B, P, B, B, B, P, B, B, B];
            (0..33).map(|i| (group[i % 16], !lost.contains(&i))).collect()
        };
        let runs = |parts: &[(char, usize)]| -> String {
            parts.iter().map(|&(c, n)| c.to_string().repeat(n)).collect()
        };
        assert_eq!(shown(&video(&[])), runs(&[('1', 33)]));
        assert_eq!(shown(&video(&[2])), runs(&[('1', 2), ('.', 1), ('1', 30)]), "a B frame: only itself");
        assert_eq!(
            shown(&video(&[8])),
            runs(&[('1', 5), ('.', 11), ('1', 17)]),
            "a P frame: what refers to it"
        );
        assert_eq!(
            shown(&video(&[16])),
            runs(&[('1', 13), ('.', 19), ('1', 1)]),
            "an I frame: B before it too"
        );
        assert_eq!(shown(&[(P, true), (B, true), (I, true), (B, true)]), "..1.", "nothing to refer to");
        assert_eq!(shown(&[]), "");
    }
    #[test]
    fn only_frames_of_the_window_are_scored() {
        // One frame a second: I B P B I; the P frame, sent at 2 s, is lost.
        let frames: Vec<Frame> = [(I, true), (B, true), (P, false), (B, true), (I, true)]
            .iter()
            .zip(0..)
            .map(|(&(coding, whole), i)| Frame { sent_ns: i * 1_000_000_000, coding, whole })
            .collect();
        let of = |from: u64, until: u64| score(&frames, Window::new(from, until).unwrap());
        let all = of(0, 5_000_000_000).unwrap();
        assert_eq!((all.frames_per_second, all.whole), (2.0 / 5.0, 4.0 / 5.0), "both I frames");
        assert_eq!(all.whole_per_second, 4.0 / 5.0, "and both B frames");
        assert_eq!(all.whole_of, [Some(1.0), Some(0.0), Some(1.0)]);
        let late = of(3_000_000_000, 5_000_000_000).unwrap();
        assert_eq!((late.frames_per_second, late.whole), (0.5, 1.0), "its reference is gone");
        assert_eq!(late.whole_of, [Some(1.0), None, Some(1.0)]);
        assert_eq!(of(5_000_000_000, 6_000_000_000), None);
    }

    #[test]
    fn frames_belong_to_the_second_of_their_sending() {
        // Two a second from 1 s on: I B, P B, I; the B frame of the first second is lost.
        let frames: Vec<Frame> = [(I, true), (B, false), (P, true), (B, true), (I, true)]
            .iter()
            .zip(2..)
            .map(|(&(coding, whole), i)| Frame { sent_ns: i * 500_000_000, coding, whole })
            .collect();
        assert_eq!(playable_by_second(&frames), [0, 1, 2, 1]);
        assert_eq!(playable_by_second(&[]), []);
    }
}
