// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames of an MPEG video whose packets are lost: those that are whole, and those that can be decoded
//! (Parris 2001, A.3.3.2, tables A.5 to A.7).
//!
//! A group of pictures is I B B P B B: a P frame needs the I frame, a B frame both of its neighbours, the last two the next
//! I frame, too.
//!
//! What it does not do: packets are lost independently here. Where losses come in bursts, fewer frames than this are
//! spoilt by as many packets; where a discipline prefers to drop from long frames, more (FRED with BULK has 5 frames/s
//! where this says 9).

use super::{CbtError, Quantity};

/// Frames of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// How many a group has.
    pub frames: f64,
    /// Mean packets of one.
    pub packets: f64,
    /// Frames that cannot be decoded if one is lost.
    pub spoilt: f64,
}

/// A group of pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// I frames.
    pub i: Kind,
    /// P frames.
    pub p: Kind,
    /// B frames.
    pub b: Kind,
    /// Frames/s.
    pub rate: f64,
}

/// The study's: "Crocodile Dundee" at 30 frames/s.
pub const STUDY: Group = Group {
    i: Kind { frames: 1.0, packets: 5.26, spoilt: 8.0 },
    p: Kind { frames: 1.0, packets: 1.69, spoilt: 5.0 },
    b: Kind { frames: 4.0, packets: 1.0, spoilt: 1.0 },
    rate: 30.0,
};

/// The same as table A.7 has it, packets of a frame rounded.
pub const WHOLE: Group =
    Group { i: Kind { packets: 6.0, ..STUDY.i }, p: Kind { packets: 2.0, ..STUDY.p }, ..STUDY };

impl Group {
    fn kinds(&self) -> [Kind; 3] {
        [self.i, self.p, self.b]
    }

    /// Frames of a group.
    pub fn frames(&self) -> f64 {
        self.kinds().iter().map(|kind| kind.frames).sum()
    }

    /// Packets of a group.
    pub fn packets(&self) -> f64 {
        self.kinds().iter().map(|kind| kind.frames * kind.packets).sum()
    }

    /// Packets/s.
    pub fn packets_per_s(&self) -> f64 {
        self.packets() * self.rate / self.frames()
    }

    /// Frames of a group that cannot be decoded if one of its packets is lost (table A.7): the sum over kinds of the chance
    /// that the packet is of that kind and what a lost one spoils.
    ///
    /// The source divides 5.166 by 12, the packets of a group, and prints 43 %; of the 6 frames of a group it is 86 %.
    pub fn spoilt(&self) -> f64 {
        self.kinds().iter().map(|kind| kind.frames * kind.packets / self.packets() * kind.spoilt).sum()
    }

    /// Frames/s that are whole if that share of the packets is lost.
    ///
    /// # Errors
    /// A loss that is not 0 to 1.
    pub fn whole(&self, loss: f64) -> Result<f64, CbtError> {
        let [i, p, b] = self.whole_of(loss)?;
        let whole = self.i.frames * i + self.p.frames * p + self.b.frames * b;
        Ok(self.rate * whole / self.frames())
    }

    /// Frames/s that can be decoded: I alone, P with I, two B with both, two with these and the next I; of a group of one I,
    /// one P and four B frames.
    ///
    /// # Errors
    /// As [`Group::whole`].
    pub fn playable(&self, loss: f64) -> Result<f64, CbtError> {
        let [i, p, b] = self.whole_of(loss)?;
        let playable = i + i * p + 2.0 * i * p * b + 2.0 * i * i * p * b;
        Ok(self.rate * playable / self.frames())
    }

    /// Chances that a frame of each kind is whole.
    fn whole_of(&self, loss: f64) -> Result<[f64; 3], CbtError> {
        let loss = Quantity::Loss.of(loss)?;
        Ok(self.kinds().map(|kind| libm::pow(1.0 - loss, kind.packets)))
    }
}
