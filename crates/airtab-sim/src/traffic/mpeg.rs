// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! MPEG-1 video over UDP: M. Parris, "Class-Based Thresholds", UNC 2001, section A.3.3.2 and tables A.4, A.5.
//!
//! The study sends the frames of a film (IBBPBB, 30 a second), each [cut](super::Cut) into packets. The film's mean sizes are printed,
//! its trace is not: a frame here has its kind's mean, times `scale`, times a factor from a lognormal distribution of mean 1.
//! With `scale` 0.93 and a deviation of 0.25 four of them are 186 kB/s with all headers, what the study measured in most of its
//! runs. Over a film that changes slowly, from 130 to 200 kB/s, hence `scale` may be a course.
//!
//! A frame counts as a [video](super::video)'s does: whole or not, playable if what it was coded from is.
//!
//! What it does not do: no scenes of its own, no frame that depends on the one before, nothing sent again. Frames are sent in
//! the order of display, as their trace has them, not in that of decoding.

use airtab_core::time::SECOND;

use super::cut::{Cut, Frames};
use super::video::{FrameKind, FrameLog, FrameTrace};
use super::{Application, Broken, Io, Kind, Points, Seen, Setting};
use crate::engine::Stream;

/// Such an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mpeg {
    /// Mean sizes of I, P and B frames before scaling, bytes.
    pub frame_bytes: [u32; 3],
    /// What they are multiplied with, millionths, at times of the run.
    pub scale: Points,
    /// Standard deviation of the logarithm of a size, millionths.
    pub sigma_ppm: u32,
    /// Frames a second.
    pub frames_per_second: u32,
    /// How they are cut.
    pub cut: Cut,
}

/// IBBPBB.
const GROUP: [FrameKind; 6] = {
    use FrameKind::{B, I, P};
    [I, B, B, P, B, B]
};

/// Parts of 1.
const MILLION: f64 = 1e6;

impl Mpeg {
    /// The study's film: mean sizes of table A.5.
    pub fn study() -> Mpeg {
        Mpeg {
            frame_bytes: [6916, 1646, 241],
            scale: Points::constant(930_000),
            sigma_ppm: 250_000,
            frames_per_second: 30,
            cut: Cut::STUDY,
        }
    }

    /// From one frame to the next, ns.
    fn period_ns(&self) -> u64 {
        SECOND / u64::from(self.frames_per_second)
    }
}

impl Kind for Mpeg {
    type Application = Film;
    /// One of those that the study's classes have for multimedia.
    const PORT: u16 = 6001;

    fn check(&self) -> Result<(), Broken> {
        let keys = ["i_bytes", "p_bytes", "b_bytes"];
        for (key, bytes) in keys.into_iter().zip(self.frame_bytes) {
            Broken::unless(bytes > 0, key, "0 bytes are no frame: at least 1")?;
        }
        let fps = self.frames_per_second;
        Broken::unless((1..=1000).contains(&fps), "frame_rate", format!("{fps} frames a second: 1 to 1000"))?;
        Broken::unless(self.sigma_ppm <= 2_000_000, "sigma", "above 2: a mean that few frames make; at most 2")?;
        self.scale.check("course")?;
        self.cut.check()
    }

    fn user(&self, setting: &Setting) -> Film {
        let frames = setting.active_ns / self.period_ns() + 2;
        Film {
            // A group's length: films that began together need not send their I frames together.
            phase_ns: setting.phase(&mut setting.draws(), self.period_ns() * GROUP.len() as u64),
            draws: Stream::new(setting.seed, &format!("app/{}/frames", setting.name())),
            log: FrameLog::with_capacity(setting.room(frames)),
            frames: Frames::new(self.cut),
            own: self.clone(),
        }
    }
}

/// Timers: of the next frame, of the next packet of one.
const FRAME: u16 = 0;
const PACKET: u16 = 1;

/// A film that is sent to one user.
pub struct Film {
    own: Mpeg,
    phase_ns: u64,
    /// Sizes of frames.
    draws: Stream,
    /// A packet's tag is its frame's number.
    log: FrameLog,
    frames: Frames,
}

impl Film {
    /// The frames sent so far.
    pub fn frames(&self) -> &[FrameTrace] {
        self.log.frames()
    }

    /// The size of a frame that is sent now, bytes.
    fn frame_bytes(&mut self, kind: FrameKind, now: u64) -> u32 {
        let sigma = f64::from(self.own.sigma_ppm) / MILLION;
        let factor = self.draws.lognormal(-sigma * sigma / 2.0, sigma) * self.own.scale.at(now) / MILLION;
        libm::round(f64::from(self.own.frame_bytes[kind as usize]) * factor).clamp(1.0, Cut::MOST.into()) as u32
    }
}

impl Application for Film {
    fn start(&mut self, io: &mut Io) {
        io.timer(io.now() + self.phase_ns, FRAME);
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        if key == PACKET {
            return self.frames.next(due, PACKET, io);
        }
        io.timer(due + self.own.period_ns(), FRAME);
        let kind = GROUP[self.log.frames().len() % GROUP.len()];
        let bytes = self.frame_bytes(kind, due);
        let number = self.log.sent(io.now(), kind, self.own.cut.packets(bytes) as u16);
        self.frames.frame(due, (bytes, number), PACKET, io);
    }

    fn datagram(&mut self, _: bool, _: u32, tag: u32, _: &mut Io) {
        self.log.received(tag);
    }

    fn seen(&mut self) -> Seen {
        self.log.seen()
    }
}
