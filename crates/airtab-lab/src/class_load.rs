// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What classes of packets send, from a capture of Ethernet or IP: bytes in bins of 100 ms, the mean, the largest mean of
//! 2 s, packet sizes, and the TCP bytes that were seen for the first time (M. Parris, dissertation, UNC 2001, A.3 and A.7:
//! its monitor and its metrics).
//!
//! | part | what |
//! |---|---|
//! | `rules` | which class a packet is of |
//! | `goodput` | bytes of a flow that are new |
//!
//! A packet's bytes are those of its frame without FCS, as the file says them, whatever it keeps. Bytes of TCP that come a
//! second time were lost behind the capture, or needlessly sent again.
//!
//! What it does not do: it does not know what the capture missed, nor that it has a packet of two interfaces twice, nor
//! frames of 802.11. Memory grows with the number of TCP flows.

mod goodput;
mod rules;

use std::collections::HashMap;
use std::ops::ControlFlow;

use airtab_capture::{CaptureError, Flow, Headers, Open, Packet, knows, packets};
pub use airtab_capture::{End, UnreadCounts};

use goodput::Seen;
pub use rules::{RuleError, Rules};

/// Length of a bin, ns.
pub const BIN_NS: u64 = 100_000_000;
/// Bins of a mean of 2 s.
pub const PEAK_BINS: usize = 20;
/// Bins of a capture at most: four months.
const MOST_BINS: u64 = 100_000_000;

/// Why a capture says nothing of classes.
#[derive(Debug, thiserror::Error)]
pub enum ClassLoadError {
    /// Frames without time between them.
    #[error(
        "its frames are all of one moment ({frames} of them): a rate needs two moments; capture for some seconds"
    )]
    Moment {
        /// How many.
        frames: u64,
    },
    /// Frames with too much time between them.
    #[error(
        "it is {seconds} s long, more than the 10000000 s that are counted: write a part of it, editcap -A START -B END IN OUT"
    )]
    Long {
        /// How long.
        seconds: u64,
    },
    /// Something is wrong with the file.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

/// What a class sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassLoad {
    /// Packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Payload of TCP that came for the first time; `None` if no TCP did.
    pub new_tcp_bytes: Option<u64>,
    /// Bytes in each bin, up to the last with some.
    pub bins: Vec<u64>,
}

/// What a capture says of classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loads {
    /// Frames in it.
    pub frames: u64,
    /// From the first to the last, ns.
    pub span_ns: u64,
    /// Each class.
    pub classes: Vec<ClassLoad>,
    /// Packets that each rule took.
    pub matched: Vec<u64>,
    /// Packets that none did: they are of the last class.
    pub unmatched: u64,
    /// Frames whose IP packet is not decoded, or only its outer header.
    pub unread: UnreadCounts,
    /// End of the capture.
    pub end: End,
}

impl ClassLoad {
    /// Mean size of its packets, bytes; none without packets.
    pub fn packet_bytes(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.bytes as f64 / self.packets as f64)
    }

    fn add(&mut self, bin: usize, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += bytes;
    }
}

impl Loads {
    /// Bytes over all of the time, bytes/s.
    pub fn rate(&self, bytes: u64) -> f64 {
        bytes as f64 * 1e9 / self.span_ns as f64
    }

    /// The largest mean of a class over 2 s in a row, bytes/s; over all of a capture that is shorter.
    pub fn peak(&self, class: usize) -> f64 {
        let class = &self.classes[class];
        if self.span_ns <= PEAK_BINS as u64 * BIN_NS {
            return self.rate(class.bytes);
        }
        let (mut sum, mut most) = (0, 0);
        for (i, bytes) in class.bins.iter().enumerate() {
            sum += bytes;
            sum -= if i >= PEAK_BINS { class.bins[i - PEAK_BINS] } else { 0 };
            most = most.max(sum);
        }
        most as f64 * 1e9 / (PEAK_BINS as u64 * BIN_NS) as f64
    }
}

/// Reads a capture.
///
/// # Errors
/// [`ClassLoadError`] says what is wrong with the file.
pub fn of_capture(open: &mut Open<'_>, rules: &Rules) -> Result<Loads, ClassLoadError> {
    let mut count = Count::new(rules);
    count.loads.end =
        packets::<CaptureError>(open, &knows, &mut |packet| count.add(&packet).map(ControlFlow::Continue))?;
    count.end()
}

/// What there is so far.
struct Count<'a> {
    rules: &'a Rules,
    loads: Loads,
    first_ns: Option<u64>,
    flows: HashMap<Flow, Seen>,
}

impl Count<'_> {
    fn new(rules: &Rules) -> Count<'_> {
        let loads = Loads {
            frames: 0,
            span_ns: 0,
            classes: vec![ClassLoad::default(); rules.classes()],
            matched: vec![0; rules.len()],
            unmatched: 0,
            unread: UnreadCounts::default(),
            end: End::Whole,
        };
        Count { rules, loads, first_ns: None, flows: HashMap::new() }
    }

    fn add(&mut self, packet: &Packet<'_>) -> Result<(), CaptureError> {
        let at_ns = packet.at_ns.ok_or(CaptureError::NoStamps)?;
        let first_ns = *self.first_ns.get_or_insert(at_ns);
        let last_ns = first_ns + self.loads.span_ns;
        if at_ns < last_ns {
            let back_us = (last_ns - at_ns).div_ceil(1000);
            return Err(CaptureError::Unordered { frame: packet.number, back_us });
        }
        self.loads.frames += 1;
        self.loads.span_ns = at_ns - first_ns;
        let bin = self.loads.span_ns / BIN_NS;
        if bin >= MOST_BINS {
            return Ok(());
        }
        let headers = Headers::of(packet);
        self.loads.unread.add(&headers);
        let rule = self.rules.first(&headers.key);
        match rule {
            Some(rule) => self.loads.matched[rule] += 1,
            None => self.loads.unmatched += 1,
        }
        let class = &mut self.loads.classes[self.rules.class(rule)];
        class.add(bin as usize, packet.length.into());
        if let Some(segment) = headers.segment {
            let seen = self.flows.entry(segment.flow).or_default();
            *class.new_tcp_bytes.get_or_insert(0) += seen.new_bytes(&segment);
        }
        Ok(())
    }

    fn end(self) -> Result<Loads, ClassLoadError> {
        let loads = self.loads;
        match loads.frames {
            0 => Err(loads.end.without_frames().into()),
            frames if loads.span_ns == 0 => Err(ClassLoadError::Moment { frames }),
            _ if loads.span_ns / BIN_NS >= MOST_BINS => {
                Err(ClassLoadError::Long { seconds: loads.span_ns / 1_000_000_000 })
            }
            _ => Ok(loads),
        }
    }
}

#[cfg(test)]
mod tests;
