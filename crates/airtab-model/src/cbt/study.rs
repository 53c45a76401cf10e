// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The classes of the study (Parris 2001, tables 4.3, 5.2, B.13 and B.23).
//!
//! What it does not do: allocations that were tried and rejected are in the tests.

use super::KIB;
use super::threshold::Class;

/// A class of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Studied {
    /// `tcp`, `mm` (multimedia) or `other`.
    pub name: &'static str,
    /// What it is to have, in the KB/s that the source prints.
    pub kb: f64,
    /// Its mean packet as the monitor counts it, bytes.
    pub packet: f64,
    /// w, of a new sample in its average.
    pub weight: f64,
}

impl Studied {
    /// As thresholds are computed: KB of 1024 bytes.
    pub fn class(&self) -> Class {
        Class { rate: self.kb * KIB, packet: self.packet }
    }
}

/// Traffic of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// By which it is asked for.
    pub name: &'static str,
    /// TCP, multimedia and the rest.
    pub classes: [Studied; 3],
}

const fn mix(name: &'static str, [tcp, mm, other]: [(f64, f64); 3]) -> Mix {
    const fn class(name: &'static str, (kb, packet): (f64, f64), weight: f64) -> Studied {
        Studied { name, kb, packet, weight }
    }
    let classes =
        [class("tcp", tcp, 1.0 / 256.0), class("mm", mm, 1.0 / 16.0), class("other", other, 1.0 / 4.0)];
    Mix { name, classes }
}

/// The four mixes with the allocations that were chosen, and that of the run whose load changes (IV.5, `ramp`).
pub const MIXES: [Mix; 5] = [
    mix("http-mpeg", [(880.0, 1053.0), (195.0, 889.0), (150.0, 1075.0)]),
    mix("bulk-mpeg", [(870.0, 1507.0), (205.0, 807.0), (150.0, 1075.0)]),
    mix("http-proshare", [(915.0, 1061.0), (160.0, 738.0), (150.0, 1075.0)]),
    mix("bulk-proshare", [(885.0, 1468.0), (190.0, 757.0), (150.0, 1075.0)]),
    mix("ramp", [(575.0, 1507.0), (150.0, 807.0), (500.0, 1075.0)]),
];

/// The mix of most of its tables.
pub const BULK_MPEG: &Mix = &MIXES[1];
/// That of the run whose load changes.
pub const RAMP: &Mix = &MIXES[4];

/// Bytes/s on the wire of the study's link, 10 Mb/s.
pub const LINK: f64 = 1_250_000.0;
/// The bytes/s of frames to which its allocations sum.
pub const FRAMES: f64 = 1_225_000.0;
/// Packets that the queue holds at most.
pub const LIMIT: u32 = 240;
/// Packets that a class may always hold.
pub const GUARD: u32 = 1;
