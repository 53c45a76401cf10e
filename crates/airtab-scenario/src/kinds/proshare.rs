// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A video conference with ProShare, as the CBT study has it (M. Parris, "Class-Based Thresholds", UNC 2001, A.3.3.1):
//! `proshare`.
//!
//! It is judged by what is lost of it: its frames have no score of their own there.
//!
//! What it does not do: when packets are sent is `airtab_sim::traffic::proshare`'s. No opinion of its voice.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_sim::traffic::video::{HEADERS, PAYLOAD};
use airtab_sim::traffic::{Constant, Cut, Proshare};

use super::{Context, Described, Score, reason, score};
use crate::metric::Metric;
use crate::reader::{Section, quantity};
use crate::scores::{QueueScores, Scores};

impl Described for Proshare {
    const KEYS: &'static [&'static str] = &[
        "voice_bytes",
        "voice_interval",
        "frame_rate",
        "frame_bytes",
        "frame_deviation",
        "split",
        "spacing",
        "phase",
    ];
    const COLUMNS: &'static [Metric] =
        &[Metric::Loss, Metric::Goodput, Metric::QueueDelay, Metric::QueueDelayP99];
    const REQUIREMENT: Option<&'static str> = Some("video-conference");
    const SCORE: Score = score::LOST;

    fn read(s: &Section, _: &Context) -> Option<Proshare> {
        let study = Proshare::STUDY;
        let voice = s.read("voice_bytes", quantity(Unit::Bytes, 1..=PAYLOAD.into()));
        let interval = s.read("voice_interval", quantity(Unit::Ns, MS..=60 * SECOND));
        let mean = s.read("frame_bytes", quantity(Unit::Bytes, 1..=MOST)).map(|n| n as u32);
        let deviation = s.read("frame_deviation", quantity(Unit::Bytes, 0..=MOST)).map(|n| n as u32);
        let voice = Constant {
            period_ns: interval.unwrap_or(study.voice.period_ns),
            bytes: voice.map_or(study.voice.bytes, |n| n as u32 + HEADERS),
        };
        let own = Proshare {
            voice,
            frames_per_second: frame_rate(s).unwrap_or(study.frames_per_second),
            frame_bytes: mean.unwrap_or(study.frame_bytes),
            deviation_bytes: deviation.unwrap_or(study.deviation_bytes),
            cut: cut(s),
        };
        Some(own)
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        reason::of_packets(q, app)
    }

    fn words(&self) -> String {
        let voice = SECOND as f64 / self.voice.period_ns as f64;
        let (frames, bytes) = (self.frames_per_second, self.frame_bytes);
        format!(
            "a conference over UDP: {voice:.0} voice packets and {frames} frames of {bytes} bytes a second"
        )
    }
}

/// Bytes of a frame at most.
pub(super) const MOST: u64 = 1 << 20;

/// Frames a second.
pub(super) fn frame_rate(s: &Section) -> Option<u32> {
    s.read("frame_rate", quantity(Unit::Count, 1..=1000)).map(|n| n as u32)
}

/// How frames are cut into packets.
pub(super) fn cut(s: &Section) -> Cut {
    let payload =
        s.read("split", quantity(Unit::Bytes, Cut::LEAST.into()..=PAYLOAD.into())).map(|n| n as u32);
    let spacing_ns = s.read("spacing", quantity(Unit::Ns, 0..=SECOND));
    Cut {
        payload: payload.unwrap_or(Cut::STUDY.payload),
        spacing_ns: spacing_ns.unwrap_or(Cut::STUDY.spacing_ns),
    }
}
