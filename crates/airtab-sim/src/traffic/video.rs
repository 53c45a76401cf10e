// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Unresponsive video over UDP (CHAP dissertation 6.1.3): the frames of an
//! encoded trace at 30 a second, each as a burst of packets, never sent again.
//!
//! The source's trace (H.264 SVC, CIF, groups of 16 pictures with 3 B frames
//! between references) is not free to ship, so [`Frames::synthetic`] makes one
//! with its published statistics: mean frame 10,310 bytes (2.47 Mb/s), largest
//! 50,427 (a peak of 12.10 Mb/s), same pattern, scenes of some seconds. Its seed is fixed: the video is
//! part of the experiment, not of the replication. A real trace can be read by
//! `airtab-scenario`.
//!
//! What it does not do: no rate adaptation, no play-out buffer.

use std::sync::Arc;

use super::{Application, Broken, Io, Kind, Seen, Setting};
use crate::engine::Stream;

/// One frame that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTrace {
    /// Which of the application's users it was sent to.
    pub user: u32,
    /// When its burst was sent, ns.
    pub sent_ns: u64,
    /// How it was coded.
    pub kind: FrameKind,
    /// Packets that make it whole.
    pub needed: u16,
    /// Packets received, redundant ones included.
    pub received: u16,
}

/// Such an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Video {
    /// What it shows.
    pub frames: Frames,
    /// Redundancy.
    pub fec: Fec,
}

/// From one frame to the next, ns: 30 a second.
pub const PERIOD_NS: u64 = 33_333_333;
/// Largest payload of a packet, bytes; 28 bytes of UDP and IPv4 come on top.
pub const PAYLOAD: u32 = 1472;
/// Bytes of UDP and IPv4 headers.
pub const HEADERS: u32 = 28;

impl Kind for Video {
    type Application = Show;
    const PORT: u16 = 5006;

    fn check(&self) -> Result<(), Broken> {
        Broken::unless(!self.frames.0.is_empty(), "trace", "the video has no frame")
    }

    fn user(&self, setting: &Setting) -> Show {
        Show {
            video: self.clone(),
            phase_ns: setting.phase(&mut setting.draws(), PERIOD_NS),
            log: FrameLog::with_capacity(setting.room(setting.active_ns / PERIOD_NS + 2)),
        }
    }
}

/// The frames of one user sent so far, and what became of them: of every kind that has frames.
#[derive(Debug)]
pub(super) struct FrameLog(Vec<FrameTrace>);

impl FrameLog {
    pub(super) fn with_capacity(frames: usize) -> FrameLog {
        FrameLog(Vec::with_capacity(frames))
    }

    pub(super) fn frames(&self) -> &[FrameTrace] {
        &self.0
    }

    /// One is sent now that so many packets make whole: its number, which is their tag.
    pub(super) fn sent(&mut self, now: u64, kind: FrameKind, needed: u16) -> u32 {
        self.0.push(FrameTrace { user: 0, sent_ns: now, kind, needed, received: 0 });
        self.0.len() as u32 - 1
    }

    /// A packet with that tag has arrived.
    pub(super) fn received(&mut self, tag: u32) {
        if let Some(frame) = self.0.get_mut(tag as usize) {
            frame.received += 1;
        }
    }

    /// Takes them.
    pub(super) fn seen(&mut self) -> Seen {
        Seen { frames: std::mem::take(&mut self.0), ..Seen::default() }
    }
}

/// A video that is sent to one user.
#[derive(Debug)]
pub struct Show {
    video: Video,
    phase_ns: u64,
    /// A packet's tag is its frame's number.
    log: FrameLog,
}

impl Show {
    /// The frames sent so far.
    pub fn frames(&self) -> &[FrameTrace] {
        self.log.frames()
    }
}

impl Application for Show {
    fn start(&mut self, io: &mut Io) {
        io.timer(io.now() + self.phase_ns, 0);
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        let Video { frames: Frames(frames), fec } = &self.video;
        let frame = frames[self.log.frames().len() % frames.len()];
        let number = self.log.sent(io.now(), frame.kind, fec.packets(frame).0 as u16);
        io.timer(due + PERIOD_NS, key);
        for payload in fec.payloads(frame) {
            io.send(false, payload + HEADERS, number);
        }
    }

    fn datagram(&mut self, _: bool, _: u32, tag: u32, _: &mut Io) {
        self.log.received(tag);
    }

    fn seen(&mut self) -> Seen {
        self.log.seen()
    }
}

/// How a frame was coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// On its own.
    I,
    /// From the reference before.
    P,
    /// From the references before and after.
    B,
}

/// One frame of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// How it was coded.
    pub kind: FrameKind,
    /// Encoded size, bytes.
    pub bytes: u32,
}

/// A video, frame by frame in the order of sending; it starts again at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frames(pub Arc<[Frame]>);

/// Redundant packets: a frame of n packets with k more is whole when any n of
/// the n + k arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fec {
    /// None.
    None,
    /// One for each I frame.
    Small,
    /// 15 % of the frame's bytes, rounded up to whole packets, for every frame.
    Large,
}

impl Fec {
    /// Every variant with its name in scenario files.
    pub const NAMES: [(&'static str, Fec); 3] =
        [("none", Fec::None), ("small", Fec::Small), ("large", Fec::Large)];

    /// Packets that a frame needs, and redundant ones sent with it.
    pub fn packets(self, frame: Frame) -> (u32, u32) {
        let needed = frame.bytes.div_ceil(PAYLOAD).max(1);
        let redundant = match self {
            Fec::None => 0,
            Fec::Small => u32::from(frame.kind == FrameKind::I),
            // ceil(1.15 S / 1472) - ceil(S / 1472), in integers
            Fec::Large => (u64::from(frame.bytes) * 23).div_ceil(20 * u64::from(PAYLOAD)) as u32 - needed,
        };
        (needed, redundant)
    }

    /// Payload of each packet of a frame, bytes: full ones, but for the last of the frame's own.
    pub fn payloads(self, frame: Frame) -> impl Iterator<Item = u32> {
        let (needed, redundant) = self.packets(frame);
        let rest = move |i| frame.bytes.saturating_sub(i * PAYLOAD);
        (0..needed + redundant).map(move |i| if i < needed { rest(i).min(PAYLOAD) } else { PAYLOAD })
    }
}

/// IBBBPBBBPBBBPBBB.
const GROUP: [FrameKind; 16] = {
    use FrameKind::{B, I, P};
    [I, B, B, B, P, B, B, B, P, B, B, B, P, B, B, B]
};
/// Mean sizes before scaling, by kind.
const RATIO: [f64; 3] = [22_000.0, 15_000.0, 8_167.0];
const MEAN_BYTES: f64 = 10_310.0;
const MAX_BYTES: f64 = 50_427.0;
/// Scenes: log size follows an AR(1) process per second.
const SCENE_KEEP: f64 = 0.97;
const SCENE_SIGMA: f64 = 0.075;
const FRAME_SIGMA: f64 = 0.15;
/// Seed of the one synthetic video.
const SEED: u64 = 0x0041_4952_5441_4221;

/// Where the second phase of [`Frames::synthetic_two_phase`] begins (170 s), and
/// the mean rate of each, bit/s.
const PHASE_FRAMES: usize = 5100;
const PHASE_BPS: [f64; 2] = [2.70e6, 2.17e6];

impl Frames {
    /// The synthetic video: 300 s, the same each time.
    pub fn synthetic() -> Frames {
        let sizes = raw_sizes();
        finish(&[(&sizes, MEAN_BYTES)])
    }

    /// The same video with the course of the source's: 2.70 Mb/s on the mean in
    /// the first 170 s and 2.17 Mb/s in the other 130 s, 2.47 Mb/s in all. The
    /// CHAP dissertation (6.9) sets it against a fair share of 2.33 Mb/s that
    /// it is above first, and below then.
    pub fn synthetic_two_phase() -> Frames {
        let sizes = raw_sizes();
        let (first, then) = sizes.split_at(PHASE_FRAMES);
        let mean_bytes = PHASE_BPS.map(|bps| bps / (8.0 * 30.0));
        finish(&[(first, mean_bytes[0]), (then, mean_bytes[1])])
    }
}

/// Sizes before scaling.
fn raw_sizes() -> Vec<f64> {
    let mut draws = Stream::new(SEED, "synthetic video");
    let mut scene = SCENE_SIGMA * draws.normal();
    let step = SCENE_SIGMA * libm::sqrt(1.0 - SCENE_KEEP * SCENE_KEEP);
    let mut sizes = Vec::with_capacity(9000);
    for i in 0..9000usize {
        if i > 0 && i % 30 == 0 {
            scene = SCENE_KEEP * scene + step * draws.normal();
        }
        let kind = GROUP[i % GROUP.len()];
        sizes.push(RATIO[kind as usize] * libm::exp(scene + FRAME_SIGMA * draws.normal()));
    }
    sizes
}

/// Frames of the phases one after the other, each scaled to its mean, bytes. The
/// largest of all is made as large as the original's: no draw comes near it.
fn finish(phases: &[(&[f64], f64)]) -> Frames {
    let largest = phases.iter().flat_map(|(sizes, _)| *sizes).copied().fold(0.0, f64::max);
    let scaled = phases.iter().flat_map(|(sizes, mean)| {
        let (mut total, mut drawn) = (mean * sizes.len() as f64, sizes.iter().sum::<f64>());
        if sizes.contains(&largest) {
            total -= MAX_BYTES;
            drawn -= largest;
        }
        let scale = total / drawn;
        sizes.iter().map(move |&size| if size == largest { MAX_BYTES } else { size * scale })
    });
    let frame =
        |(i, size): (usize, f64)| Frame { kind: GROUP[i % GROUP.len()], bytes: libm::round(size) as u32 };
    Frames(scaled.enumerate().map(frame).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_synthetic_video_has_the_published_statistics() {
        let Frames(frames) = Frames::synthetic();
        let bytes: u64 = frames.iter().map(|f| u64::from(f.bytes)).sum();
        let mean = bytes as f64 / frames.len() as f64;
        assert!((mean - MEAN_BYTES).abs() < 1.0, "{mean}");
        assert!((mean * 8.0 * 30.0 / 1e6 - 2.47).abs() < 0.01, "Mb/s");
        let mut sizes: Vec<_> = frames.iter().map(|f| f.bytes).collect();
        sizes.sort_unstable();
        assert_eq!(sizes[8998..], [32_491, 50_427]);
        let mean_of = |kind| {
            let sizes: Vec<_> =
                frames.iter().filter(|f| f.kind == kind).map(|f| f64::from(f.bytes)).collect();
            sizes.iter().sum::<f64>() / sizes.len() as f64
        };
        let ratio = mean_of(FrameKind::I) / mean_of(FrameKind::B);
        assert!((ratio / (22_000.0 / 8_167.0) - 1.0).abs() < 0.03, "{ratio}");
        assert_eq!(Frames::synthetic(), Frames(frames));
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        (mean, (squares / (values.len() - 1) as f64).sqrt())
    }

    #[test]
    fn frames_scatter_within_scenes_and_scenes_last() {
        let Frames(frames) = Frames::synthetic();
        let log = |f: &Frame| libm::log(f64::from(f.bytes) / RATIO[f.kind as usize]);
        let (means, scatter): (Vec<f64>, Vec<f64>) =
            frames.chunks(30).map(|second| moments(&second.iter().map(log).collect::<Vec<_>>())).unzip();
        // Of single frames: 9000 draws of 0.15.
        let within = (scatter.iter().map(|s| s * s).sum::<f64>() / 300.0).sqrt();
        assert!((within - 0.15).abs() < 0.004, "{within}");
        // Of seconds: scenes (0.075) and the mean of 30 frames (0.027) together.
        let (mean, sd) = moments(&means);
        assert!((0.06..0.1).contains(&sd), "{sd}");
        // From one second to the next: 0.97 of the scenes' variance, 0.86 of it all.
        let next: f64 = means.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
        let correlation = next / (299.0 * sd * sd);
        assert!((0.75..0.95).contains(&correlation), "{correlation}");
    }

    #[test]
    fn the_second_phase_of_the_other_is_slower() {
        let Frames(frames) = Frames::synthetic_two_phase();
        assert_eq!(frames.len(), 9000);
        let mbps = |part: &[Frame]| {
            part.iter().map(|f| f64::from(f.bytes)).sum::<f64>() / part.len() as f64 * 8.0 * 30.0 / 1e6
        };
        assert!((mbps(&frames[..5100]) - 2.70).abs() < 0.001, "170 s");
        assert!((mbps(&frames[5100..]) - 2.17).abs() < 0.001, "130 s");
        assert!((mbps(&frames) - 2.47).abs() < 0.001);
        let Frames(plain) = Frames::synthetic();
        assert!(frames.iter().zip(plain.iter()).all(|(a, b)| a.kind == b.kind));
        assert_eq!(frames.iter().map(|f| f.bytes).max(), Some(50_427));
    }

    #[test]
    fn redundant_packets() {
        let frame = |kind, bytes| Frame { kind, bytes };
        let i = frame(FrameKind::I, 22_000); // 15 packets; 25,300 bytes are 18
        assert_eq!(Fec::None.packets(i), (15, 0));
        assert_eq!(Fec::Small.packets(i), (15, 1));
        assert_eq!(Fec::Large.packets(i), (15, 3));
        let b = frame(FrameKind::B, 1280); // 15 % more still fit one packet
        assert_eq!(Fec::Small.packets(b), (1, 0));
        assert_eq!(Fec::Large.packets(b), (1, 0));
        assert_eq!(Fec::Large.packets(frame(FrameKind::B, 1281)), (1, 1));
    }
}
