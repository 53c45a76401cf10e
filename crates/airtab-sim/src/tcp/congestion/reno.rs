// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Reno's window: RFC 5681 3.1 and 3.2, counting acknowledgements.
//!
//! Each acknowledgement of new data adds a segment in slow start (equation 2) and `SMSS * SMSS / cwnd` in congestion
//! avoidance (equation 3), so that delayed acknowledgements slow its growth; loss halves. What duplicate
//! acknowledgements add in a recovery is the sender's business. Not done: byte counting (`newreno`), 4.3BSD's extra
//! eighth of a segment.

use super::window::Window;
use super::{Ack, Congestion};

/// See the module.
#[derive(Clone, Debug)]
pub struct Reno(Window);

impl Reno {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        Reno(Window::new(mss, window))
    }
}

impl Congestion for Reno {
    fn on_ack(&mut self, ack: &Ack) {
        if !ack.window_limited {
            return;
        }
        let Window { mss, size, threshold } = &mut self.0;
        *size += match size < threshold {
            true => ack.bytes.min(*mss),
            false => (*mss * *mss / *size).max(1),
        };
    }

    fn on_congestion_event(&mut self, flight: u64) {
        self.0.lost(flight);
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        self.0.timed_out(flight, repeated);
    }

    fn on_idle(&mut self, restart: u64) {
        self.0.size = self.0.size.min(restart);
    }

    fn cwnd(&self) -> u64 {
        self.0.size
    }

    fn ssthresh(&self) -> u64 {
        self.0.threshold
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.0.threshold = bytes;
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
    fn an_acknowledgement_counts_once_whatever_it_covers() {
        let mut reno = Reno::new(MSS, MSS);
        reno.on_ack(&ack(MSS));
        reno.on_ack(&ack(2 * MSS)); // delayed: still one
        reno.on_ack(&ack(300)); // less than one: as much
        assert_eq!(reno.cwnd(), 3300);
        reno.on_congestion_event(9 * MSS);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (4500, 4500));
        reno.on_ack(&ack(2 * MSS)); // 10^6 / 4500
        assert_eq!(reno.cwnd(), 4722);
        reno.on_ack(&Ack { window_limited: false, ..ack(MSS) });
        assert_eq!(reno.cwnd(), 4722);
    }

    #[test]
    fn loss_halves_to_two_segments_at_the_least() {
        let mut reno = Reno::new(MSS, 20 * MSS);
        reno.on_congestion_event(3 * MSS);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (2 * MSS, 2 * MSS));
        let mut reno = Reno::new(MSS, 20 * MSS);
        reno.on_timeout(20 * MSS, false);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (MSS, 10 * MSS));
        reno.on_timeout(MSS, true);
        assert_eq!((reno.cwnd(), reno.ssthresh()), (MSS, 10 * MSS));
    }
}
