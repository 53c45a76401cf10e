// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bursts, the starvation that they cause, and the choice of the increment (CHAP dissertation 5.4).
//!
//! A flow without credit waits while flows that were idle spend theirs, 2I each. The longer I is, the longer
//! they may; the shorter it is, the less of a page or a video frame gets through at once. The source bounds I
//! from both sides. Times in seconds.

/// Highest throughput that the source's simulated 802.11g gives to applications, bit/s.
pub const APPLICATION_BPS: f64 = 27e6;
/// A delay that users notice, s.
pub const NOTICED_S: f64 = 0.1;
/// Payload of a full packet, bytes.
pub const PACKET_BYTES: f64 = 1500.0;
/// Pictures a second over pictures from one I frame to the next: seconds between I frames.
pub const I_FRAME_S: f64 = 16.0 / 30.0;
/// The largest frame of each video that the source looked at, bytes.
pub const LARGEST_FRAMES: [(&str, f64); 4] = [
    ("Indiana Jones", 50_427.0),
    ("Die Hard", 37_359.0),
    ("Matrix", 63_092.0),
    ("Lord of the Rings", 55_971.0),
];

/// A mean web page and its reader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// The document, bytes.
    pub document_bytes: f64,
    /// An object in it, bytes.
    pub object_bytes: f64,
    /// How many objects it has.
    pub objects: f64,
    /// Round trips before the last byte: connecting, and asking.
    pub round_trips: f64,
    /// Length of one, s.
    pub round_trip_s: f64,
    /// What the user reads before asking for the next, s.
    pub reading_s: f64,
}

/// The source's.
pub const PAGE: Page = Page {
    document_bytes: 11_872.0,
    object_bytes: 12_460.0,
    objects: 5.0,
    round_trips: 2.0,
    round_trip_s: 0.1,
    reading_s: 39.70,
};

impl Page {
    /// Document and objects, bytes.
    pub fn bytes(&self) -> f64 {
        self.document_bytes + self.objects * self.object_bytes
    }

    /// How long it keeps the network busy: its transfer and its round trips, s.
    pub fn activity_s(&self) -> f64 {
        transfer_s(self.bytes(), APPLICATION_BPS) + self.round_trips * self.round_trip_s
    }

    /// Share of the time in which it does.
    ///
    /// The source prints 0.144 / 39.922 = 0.0036; its own 0.222 s of activity, which 39.922 s contain, give
    /// 0.0056. Nothing hangs on it.
    pub fn activity(&self) -> f64 {
        self.activity_s() / (self.activity_s() + self.reading_s)
    }
}

/// How long `bytes` take at `bps` bit/s, s.
pub fn transfer_s(bytes: f64, bps: f64) -> f64 {
    bytes * 8.0 / bps
}

/// Share of the time in which a video sends its I frames, if each is as large as `bytes`.
pub fn video_activity(bytes: f64) -> f64 {
    transfer_s(bytes, APPLICATION_BPS) / I_FRAME_S
}

/// The probability that a second flow goes on where a first one stops starving a third: p(2) = p^2, with
/// `p` the share of time in which each is active (eq. 5.38).
pub fn second_burst(p: f64) -> f64 {
    p * p
}

/// The probability that two more go on, one after the other: p(3) = p times the integral over x from 0 to p
/// of p + x, which is 3/2 p^3 (eq. 5.39; printed as 2 p^3).
pub fn third_burst(p: f64) -> f64 {
    1.5 * p * p * p
}

/// How long a flow without credit waits while `flows` that were idle burst together: 2 `flows` I, in the unit
/// of the increment. They take turns and all run dry at the end.
pub fn starvation(flows: u32, increment: f64) -> f64 {
    2.0 * f64::from(flows) * increment
}

/// The largest increment with which `flows` bursts stay within `noticed`: [`starvation`] solved for I.
pub fn increment_at_most(noticed: f64, flows: u32) -> f64 {
    noticed / (2.0 * f64::from(flows))
}

/// The smallest increment that lets a burst of `bytes` through, s: its whole packets at `bps` (eq. 5.40,
/// where the rate is printed as 27,000,000 Mbps and is 27,000,000 bit/s).
pub fn increment_at_least(bytes: f64, bps: f64) -> f64 {
    transfer_s(libm::ceil(bytes / PACKET_BYTES) * PACKET_BYTES, bps)
}

/// The source's bounds of I, s: a mean page, and two bursts within the time that users notice (eq. 5.41).
pub fn increment_range_s() -> (f64, f64) {
    (increment_at_least(PAGE.bytes(), APPLICATION_BPS), increment_at_most(NOTICED_S, 2))
}
