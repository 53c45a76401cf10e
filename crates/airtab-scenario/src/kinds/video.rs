// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Video over UDP that nothing slows: `video`.
//!
//! Its score is the frames that can be shown (`airtab-quality`): a broken frame
//! breaks those that refer to it. Of several users the mean.
//!
//! What it does not do: how frames are sent is `airtab_sim::traffic::video`'s,
//! the text of traces `video_trace`'s.

use airtab_quality::Window;
use airtab_quality::video::{self, Coding};
use airtab_sim::traffic::Video;
use airtab_sim::traffic::video::{Fec, FrameKind, Frames, PERIOD_NS};
use airtab_sim::{AppTrace, FrameTrace};

use super::reason::{SILENT, losses, mean_ms, percent};
use super::{Context, Described, Score};
use crate::measure::{Figures, mean};
use crate::metric::Metric;
use crate::named_file::Folder;
use crate::reader::{Section, choice, text};
use crate::scores::{QueueScores, Scores};
use crate::video_trace::{self, SizeUnit};

/// The longest traces of public archives have some 5 MiB.
const MAX_TRACE_MIB: u64 = 64;

/// The videos that need no file.
const SYNTHETIC: &str = "synthetic";
/// The same, first faster and then slower than its mean.
const TWO_PHASE: &str = "synthetic-two-phase";
/// Traces that are no files.
pub(crate) const SYNTHETIC_VIDEOS: [&str; 2] = [SYNTHETIC, TWO_PHASE];

/// Above this share of whole frames, frames are no problem worth a cause.
const MOSTLY_WHOLE: f64 = 0.99;

impl Described for Video {
    const KEYS: &'static [&'static str] = &["fec", "trace", "trace_sizes", "phase"];
    const COLUMNS: &'static [Metric] =
        &[Metric::FrameRate, Metric::FramesWhole, Metric::Qoo, Metric::QueueDelayP99, Metric::Loss];
    const REQUIREMENT: Option<&'static str> = Some("video-conference");
    const SCORE: Score = Score {
        caption: "playable frames per second (more is better)",
        axis: (0.0, 30.0),
        unit: Some("fps"),
        unit_of_reason: "fps",
        gain: ("", " shows"),
        unit_of_gain: " frames a second",
    };

    fn read(s: &Section, context: &Context) -> Option<Video> {
        let fec = s.read("fec", choice(Fec::NAMES.to_vec())).unwrap_or(Fec::None);
        let sizes = s.read("trace_sizes", choice(SizeUnit::NAMES.to_vec()));
        let trace = s.read("trace", text);
        Some(Video { frames: read_frames(s, context.folder, trace.as_deref(), sizes)?, fec })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        add_frames(f, &frame_scores(seen, window));
    }

    fn playable(seen: &AppTrace) -> Option<Vec<u32>> {
        let mut all = Vec::new();
        for own in seen.frames.chunk_by(|a, b| a.user == b.user) {
            let shown = video::playable_by_second(&video_frames(own));
            all.resize(all.len().max(shown.len()), 0);
            all.iter_mut().zip(shown).for_each(|(sum, n)| *sum += n);
        }
        Some(all)
    }

    /// Frames are bursts: what matters is whether all of a frame arrives.
    fn reason(q: &QueueScores, app: &Scores) -> String {
        let Some(whole) = app.mean(Metric::FramesWhole) else {
            return SILENT.into();
        };
        if whole >= MOSTLY_WHOLE {
            let wait = mean_ms(app, Metric::QueueDelayP99);
            let whole = percent(whole);
            return format!(
                "{whole} of its frames arrive whole, and 99 % of its packets wait at most {wait}"
            );
        }
        let kinds = [("I", Metric::IFramesWhole), ("P", Metric::PFramesWhole), ("B", Metric::BFramesWhole)];
        let of_kind = |(kind, metric)| Some(format!("{} of {kind}", percent(app.mean(metric)?)));
        let of_kinds: Vec<String> = kinds.into_iter().filter_map(of_kind).collect();
        format!(
            "{} of its frames arrive whole ({}), and a broken one breaks those that refer to it: {}",
            percent(whole),
            of_kinds.join(", "),
            losses(q, app)
        )
    }

    fn words(&self) -> String {
        "video over UDP".into()
    }

    /// What it is like, so that a wrong or cut trace is seen.
    fn note(&self, active_ns: u64) -> Option<String> {
        let Frames(frames) = &self.frames;
        let bytes: u64 = frames.iter().map(|frame| u64::from(frame.bytes)).sum();
        let length_ns = frames.len() as u64 * PERIOD_NS;
        let mbps = bytes as f64 * 8e3 / length_ns as f64;
        let seconds = |ns: u64| (ns as f64 / 1e8).round() / 10.0;
        let again = match length_ns < active_ns {
            true => format!("; it is sent for {} s and starts again", seconds(active_ns)),
            false => String::new(),
        };
        let plural = if frames.len() == 1 { "" } else { "s" };
        Some(format!("{} frame{plural}, {} s, {mbps:.2} Mb/s{again}", frames.len(), seconds(length_ns)))
    }
}

/// The scores of a video's users, each his own.
pub(super) fn frame_scores(seen: &AppTrace, window: Window) -> Vec<video::Score> {
    let users = seen.frames.chunk_by(|a, b| a.user == b.user);
    users.filter_map(|own| video::score(&video_frames(own), window)).collect()
}

/// What a video is judged by: of several users the mean.
pub(super) fn add_frames(f: &mut Figures, scores: &[video::Score]) {
    f.extend(mean(scores.iter().map(|s| s.frames_per_second)).map(|x| (Metric::FrameRate, x)));
    f.extend(mean(scores.iter().map(|s| s.whole)).map(|x| (Metric::FramesWhole, x)));
    for (i, metric) in (0..).zip([Metric::IFramesWhole, Metric::PFramesWhole, Metric::BFramesWhole]) {
        f.extend(mean(scores.iter().filter_map(|s| s.whole_of[i])).map(|x| (metric, x)));
    }
}

/// Frames of a video as its score takes them.
pub fn video_frames(frames: &[FrameTrace]) -> Vec<video::Frame> {
    let frame = |frame: &FrameTrace| video::Frame {
        sent_ns: frame.sent_ns,
        coding: match frame.kind {
            FrameKind::I => Coding::I,
            FrameKind::P => Coding::P,
            FrameKind::B => Coding::B,
        },
        whole: frame.received >= frame.needed,
    };
    frames.iter().map(frame).collect()
}

/// The synthetic video, or a trace from a file beside the scenario.
fn read_frames(s: &Section, folder: &Folder, trace: Option<&str>, sizes: Option<SizeUnit>) -> Option<Frames> {
    let name = match trace {
        Some(name) if !SYNTHETIC_VIDEOS.contains(&name) => name,
        own => {
            if sizes.is_some() {
                s.problem_of("trace_sizes", "only for a trace from a file");
            }
            return Some(match own {
                Some(TWO_PHASE) => Frames::synthetic_two_phase(),
                _ => Frames::synthetic(),
            });
        }
    };
    let path = folder.path(name);
    let file = path.display().to_string();
    match folder.text(&path, MAX_TRACE_MIB, "a trace of frame sizes") {
        Ok(text) => match video_trace::parse(&file, &text, sizes.unwrap_or(SizeUnit::Bytes)) {
            Ok(frames) => return Some(frames),
            Err(problem) => s.problem_elsewhere("trace", *problem),
        },
        Err(reason) => s.problem_of("trace", &format!("{file}: {reason}")),
    }
    None
}

#[cfg(test)]
mod tests {
    use airtab_sim::traffic::video::Frame;

    use super::*;

    /// 30 frames a second: of 1000 bytes each 0.24 Mb/s, whatever their number.
    #[test]
    fn a_note_says_how_long_a_video_is() {
        let note = |sizes: &[u32], active_ms: u64| {
            let frames = sizes.iter().map(|bytes| Frame { kind: FrameKind::I, bytes: *bytes }).collect();
            Video { frames: Frames(frames), fec: Fec::None }.note(active_ms * 1_000_000).unwrap()
        };
        assert_eq!(note(&[1000; 75], 2_400), "75 frames, 2.5 s, 0.24 Mb/s");
        assert_eq!(
            note(&[1000; 75], 9_040),
            "75 frames, 2.5 s, 0.24 Mb/s; it is sent for 9 s and starts again"
        );
        assert_eq!(note(&[3000], 33), "1 frame, 0 s, 0.72 Mb/s");
        assert_eq!(note(&[500, 1500, 2500], 50), "3 frames, 0.1 s, 0.36 Mb/s");
    }

    /// Seconds of all users are summed, each to its own end.
    #[test]
    fn seconds_of_users_are_summed() {
        let frame = |user, second: u64| FrameTrace {
            user,
            sent_ns: second * 1_000_000_000,
            kind: FrameKind::I,
            needed: 1,
            received: 1,
        };
        let mut home = crate::ScenarioFile::home().scenario;
        (home.duration_ns, home.measure_ns) = (1_000_000_000, 0..1_000_000_000);
        home.apps.truncate(3);
        home.apps.iter_mut().for_each(|app| app.active_ns = 0..1_000_000_000);
        let spec: crate::QueueSpec = "fifo".parse().unwrap();
        let mut seen = airtab_sim::run(&home, &spec.build(&Default::default()).unwrap(), 1).apps.remove(2);
        seen.frames = vec![frame(0, 0), frame(0, 3), frame(1, 1), frame(2, 0), frame(2, 3), frame(2, 4)];
        assert_eq!(Video::playable(&seen), Some(vec![2, 1, 0, 2, 1]));
        seen.frames = vec![frame(0, 3), frame(1, 1)];
        assert_eq!(Video::playable(&seen), Some(vec![0, 1, 0, 1]));
    }

    /// A frame is whole with as many packets as it needs, or more.
    #[test]
    fn frames_are_whole_with_what_they_need() {
        let frame = |kind, needed, received| FrameTrace { user: 0, sent_ns: 7, kind, needed, received };
        let frames = [frame(FrameKind::I, 3, 2), frame(FrameKind::P, 3, 3), frame(FrameKind::B, 3, 4)];
        let seen: Vec<_> =
            video_frames(&frames).iter().map(|frame| (frame.coding, frame.whole, frame.sent_ns)).collect();
        assert_eq!(seen, [(Coding::I, false, 7), (Coding::P, true, 7), (Coding::B, true, 7)]);
    }
}
