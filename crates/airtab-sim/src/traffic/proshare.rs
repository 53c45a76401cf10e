// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A video conference with ProShare: M. Parris, "Class-Based Thresholds", UNC 2001, section A.3.3.1 and table A.2.
//!
//! The server sends two streams that do not know of each other: voice, equal packets without silence suppression, and video,
//! frames of a size drawn from a normal distribution, independent of each other, each [cut](super::Cut) into packets. The study
//! replays the trace of one conference of 294 s; what it prints of it is 10 voice packets and 26 video packets a second,
//! 200 kb/s of video, and 160 kB/s of frames for six of them. Frames of N(1537, 105) bytes give that: 0.732 of them need a
//! second packet, hence 15 x 1.732 = 26.0 packets.
//!
//! What it does not do: nothing comes back, nothing is sent again, no frame needs another one; no scenes.

use airtab_core::time::{MS, SECOND};

use super::cut::{Cut, Frames};
use super::video::{HEADERS, PAYLOAD};
use super::{Application, Broken, Constant, Io, Kind, Setting};
use crate::engine::Stream;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proshare {
    /// Its voice.
    pub voice: Constant,
    /// Video frames a second.
    pub frames_per_second: u32,
    /// Their size: mean and standard deviation, bytes.
    pub frame_bytes: u32,
    /// See there.
    pub deviation_bytes: u32,
    /// How they are cut.
    pub cut: Cut,
}

impl Proshare {
    /// The study's.
    pub const STUDY: Proshare = Proshare {
        voice: Constant { period_ns: 100 * MS, bytes: 200 + HEADERS },
        frames_per_second: 15,
        frame_bytes: 1537,
        deviation_bytes: 105,
        cut: Cut::STUDY,
    };

    /// From one frame to the next, ns.
    fn period_ns(&self) -> u64 {
        (SECOND + u64::from(self.frames_per_second) / 2) / u64::from(self.frames_per_second)
    }
}

impl Kind for Proshare {
    type Application = Conference;
    /// One of those that the study's classes have for multimedia.
    const PORT: u16 = 6000;

    fn check(&self) -> Result<(), Broken> {
        let Proshare { voice, frames_per_second: fps, frame_bytes, deviation_bytes, cut } = *self;
        Broken::unless(voice.period_ns > 0, "voice_interval", "0 ns between two packets: at least 1")?;
        let payload = voice.bytes.saturating_sub(HEADERS);
        let fits = (1..=PAYLOAD).contains(&payload);
        Broken::unless(fits, "voice_bytes", format!("{payload} bytes of payload: 1 to {PAYLOAD}"))?;
        Broken::unless((1..=1000).contains(&fps), "frame_rate", format!("{fps} frames a second: 1 to 1000"))?;
        Broken::unless(frame_bytes > 0, "frame_bytes", "0 bytes are no frame: at least 1")?;
        // Where much of the distribution is below nothing, its mean is not that of the frames.
        let said = format!("{deviation_bytes} bytes: at most half of frame_bytes, {}", frame_bytes / 2);
        Broken::unless(deviation_bytes <= frame_bytes / 2, "frame_deviation", said)?;
        cut.check()
    }

    fn user(&self, setting: &Setting) -> Conference {
        let mut phases = setting.draws();
        let phases = [self.voice.period_ns, self.period_ns()].map(|period| setting.phase(&mut phases, period));
        Conference {
            own: *self,
            phases,
            draws: Stream::new(setting.seed, &format!("app/{}/frames", setting.name())),
            made: 0,
            frames: Frames::new(self.cut),
        }
    }
}

/// Timers: of the next voice packet, of the next frame, of the next packet of a frame.
const VOICE: u16 = 0;
const FRAME: u16 = 1;
const PACKET: u16 = 2;

/// What one user is sent.
pub struct Conference {
    own: Proshare,
    /// Of voice and video.
    phases: [u64; 2],
    /// Sizes of frames.
    draws: Stream,
    /// Frames so far: the tag of a frame's packets is its number, from 1 on; voice has 0.
    made: u32,
    frames: Frames,
}

impl Conference {
    /// The size of the next frame, bytes.
    fn frame_bytes(&mut self) -> u32 {
        let (mean, deviation) = (f64::from(self.own.frame_bytes), f64::from(self.own.deviation_bytes));
        libm::round(mean + deviation * self.draws.normal()).clamp(1.0, Cut::MOST.into()) as u32
    }
}

impl Application for Conference {
    fn start(&mut self, io: &mut Io) {
        for (key, phase) in [VOICE, FRAME].into_iter().zip(self.phases) {
            io.timer(io.now() + phase, key);
        }
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        match key {
            VOICE => self.own.voice.send(false, due, VOICE, io),
            FRAME => {
                io.timer(due + self.own.period_ns(), FRAME);
                self.made = self.made.wrapping_add(1);
                let frame = (self.frame_bytes(), self.made);
                self.frames.frame(due, frame, PACKET, io);
            }
            _ => self.frames.next(due, PACKET, io),
        }
    }
}
