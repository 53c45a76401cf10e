// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! MPEG-1 video over UDP, as the CBT study has it (M. Parris, "Class-Based Thresholds", UNC 2001, A.3.3.2): `mpeg`.
//!
//! Its score and its causes are a `video`'s, user by user; beside them the study's actual frame rate, of all frames that
//! arrived whole.
//!
//! What it does not do: how large frames are and how they are sent is `airtab_sim::traffic::mpeg`'s.

use airtab_core::Unit;
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::{Cut, Mpeg, Points, Video};

use super::course::read_points;
use super::proshare::{cut, frame_rate};
use super::video::{add_frames, frame_scores};
use super::{Context, Described, Score};
use crate::measure::{Figures, mean};
use crate::metric::Metric;
use crate::reader::{Section, number, quantity};
use crate::scores::{QueueScores, Scores};

/// What sizes are multiplied with.
const SCALES: std::ops::RangeInclusive<f64> = 0.001..=10.0;

impl Described for Mpeg {
    const KEYS: &'static [&'static str] = &[
        "frame_rate",
        "i_bytes",
        "p_bytes",
        "b_bytes",
        "scale",
        "course",
        "sigma",
        "split",
        "spacing",
        "phase",
    ];
    const COLUMNS: &'static [Metric] =
        &[Metric::FrameRate, Metric::WholeFrameRate, Metric::QueueDelayP99, Metric::Loss];
    const REQUIREMENT: Option<&'static str> = Some("video-conference");
    const SCORE: Score = Video::SCORE;

    fn read(s: &Section, context: &Context) -> Option<Mpeg> {
        let study = Mpeg::study();
        let bytes = |key| s.read(key, quantity(Unit::Bytes, 1..=1 << 20)).map(|n| n as u32);
        let mut frame_bytes = study.frame_bytes;
        for (of, key) in frame_bytes.iter_mut().zip(["i_bytes", "p_bytes", "b_bytes"]) {
            *of = bytes(key).unwrap_or(*of);
        }
        let scale = s.read("scale", number(SCALES, "a number such as 0.93")).map(millionths);
        let course = s.read("course", |v| {
            read_points(s, v, context.duration_ns, "[[\"0s\", 0.93], [\"60s\", 0.75]]", |text| {
                let known = text.parse::<f64>().ok().filter(|x| SCALES.contains(x));
                let said = || format!("'{text}' is outside {} to {}", SCALES.start(), SCALES.end());
                known.map(millionths).ok_or_else(said)
            })
        });
        if s.get("scale").is_some() && s.get("course").is_some() {
            s.problem_of("course", "not with scale, which is the same at all times: take one of both away");
        }
        let sigma = s.read("sigma", number(0.0..=2.0, "a number such as 0.25")).map(millionths);
        Some(Mpeg {
            frame_bytes,
            scale: course.or(scale.map(Points::constant)).unwrap_or(study.scale),
            sigma_ppm: sigma.map_or(study.sigma_ppm, |n| n as u32),
            frames_per_second: frame_rate(s).unwrap_or(study.frames_per_second),
            cut: cut(s),
        })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        let scores = frame_scores(seen, window);
        add_frames(f, &scores);
        f.extend(mean(scores.iter().map(|s| s.whole_per_second)).map(|x| (Metric::WholeFrameRate, x)));
    }

    fn playable(seen: &AppTrace) -> Option<Vec<u32>> {
        Video::playable(seen)
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        Video::reason(q, app)
    }

    fn words(&self) -> String {
        format!("MPEG-1 video over UDP, {} frames a second", self.frames_per_second)
    }

    /// What it is like.
    fn note(&self, _: u64) -> Option<String> {
        let Cut { payload, .. } = self.cut;
        let list = self.scale.list().iter().map(|(_, scale)| *scale);
        let bounds = [list.clone().min(), list.max()].map(|scale| scale.unwrap_or(0) as f64 / 1e6);
        let [i, p, b] = self.frame_bytes.map(f64::from);
        let group = i + p + 4.0 * b;
        let rate = |scale: f64| scale * group * f64::from(self.frames_per_second) / 6.0 * 8e-6;
        let [low, high] = bounds.map(rate);
        let mbps = if low == high { format!("{low:.2}") } else { format!("{low:.2} to {high:.2}") };
        Some(format!("{mbps} Mb/s of frames on the mean, cut at {payload} bytes"))
    }
}

/// Parts of 1, as a whole number of millionths.
pub(super) fn millionths(x: f64) -> u64 {
    (x * 1e6).round() as u64
}
