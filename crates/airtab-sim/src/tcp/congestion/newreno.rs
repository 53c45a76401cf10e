// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! NewReno's window: RFC 5681 with appropriate byte counting (RFC 3465).
//!
//! Slow start adds what is acknowledged, congestion avoidance one segment per window acknowledged; loss halves. The
//! partial-acknowledgement rules of RFC 6582 are the sender's business, which recovers with SACK.

use super::window::Window;
use super::{Ack, Congestion, slow_start_growth};

/// See the module.
#[derive(Clone, Debug)]
pub struct NewReno {
    window: Window,
    /// Bytes acknowledged since congestion avoidance last grew the window.
    counted: u64,
}

impl NewReno {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        NewReno { window: Window::new(mss, window), counted: 0 }
    }

    /// Loss leaves `bytes`, at least two segments, of a larger window.
    pub(super) fn leave(&mut self, bytes: u64) {
        let Window { mss, size, threshold } = &mut self.window;
        *threshold = bytes.max(2 * *mss);
        *size = (*size).min(*threshold);
        self.counted = 0;
    }
}

impl Congestion for NewReno {
    fn on_ack(&mut self, ack: &Ack) {
        if !ack.window_limited {
            return;
        }
        let Window { mss, size, threshold } = &mut self.window;
        let mut bytes = ack.bytes;
        if size < threshold {
            let growth = slow_start_growth(ack, *mss, *threshold - *size);
            *size += growth;
            if size < threshold {
                return;
            }
            bytes -= growth;
        }
        self.counted += bytes;
        if self.counted >= *size {
            self.counted -= *size;
            *size += *mss;
        }
    }

    fn on_congestion_event(&mut self, flight: u64) {
        self.window.lost(flight);
        self.counted = 0;
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        self.window.timed_out(flight, repeated);
        self.counted = 0;
    }

    fn on_idle(&mut self, restart: u64) {
        self.window.size = self.window.size.min(restart);
    }

    fn cwnd(&self) -> u64 {
        self.window.size
    }

    fn ssthresh(&self) -> u64 {
        self.window.threshold
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.window.threshold = bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn ack(bytes: u64) -> Ack {
        Ack { now: 0, bytes, srtt_ns: 0, rtt_ns: None, window_limited: true, after_timeout: false }
    }

    #[test]
    fn one_segment_per_window() {
        let mut reno = NewReno::new(MSS, 20 * MSS);
        reno.on_congestion_event(20 * MSS);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (10 * MSS, 10 * MSS));
        for window in 10..30 {
            assert_eq!(reno.cwnd(), window * MSS);
            for _ in 0..window {
                reno.on_ack(&ack(MSS));
            }
        }
    }

    #[test]
    fn slow_start_ends_at_the_threshold() {
        let mut reno = NewReno::new(MSS, 3 * MSS);
        reno.on_timeout(20 * MSS, false);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (MSS, 10 * MSS));
        reno.on_timeout(MSS, true);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (MSS, 10 * MSS));
        for _ in 0..4 {
            reno.on_ack(&ack(2 * MSS));
        }
        assert_eq!(reno.cwnd(), 9 * MSS);
        reno.on_ack(&ack(2 * MSS)); // one to the threshold, one counted
        assert_eq!(reno.cwnd(), 10 * MSS);
        reno.on_ack(&ack(9 * MSS));
        assert_eq!(reno.cwnd(), 11 * MSS);
    }

    #[test]
    fn does_not_grow_unless_the_window_limits() {
        let mut reno = NewReno::new(MSS, 3 * MSS);
        reno.on_ack(&Ack { window_limited: false, ..ack(3 * MSS) });
        assert_eq!(reno.cwnd(), 3 * MSS);
    }

    #[test]
    fn the_threshold_is_at_least_two_segments() {
        let mut reno = NewReno::new(MSS, 2 * MSS);
        reno.on_congestion_event(2 * MSS);
        assert_eq!(reno.ssthresh(), 2 * MSS);
    }
}
