// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One direction of a wired link: rate, latency, drop-tail queue.
//!
//! A FIFO link needs no events of its own: when a packet is handed to it, its
//! arrival at the other end is known. Calls must come in order of time.

use std::collections::VecDeque;

use airtab_core::time::SECOND;

/// What a byte takes at 1 bit/s, ns.
const BYTE: u64 = 8 * SECOND;

/// A simplex link.
pub struct Link {
    rate_bps: u64,
    /// What a byte takes, if that is a whole number of ns; else 0.
    byte_ns: u64,
    latency_ns: u64,
    limit: usize,
    /// When the last packet will be gone.
    free_at: u64,
    /// When the first one will be that found the link free, and all those that wait behind it.
    first: u64,
    departures: VecDeque<u64>,
}

impl Link {
    /// `rate_bps` > 0; `limit`: packets in its queue, the one being sent apart.
    pub fn new(rate_bps: u64, latency_ns: u64, limit: usize) -> Link {
        assert!(rate_bps > 0);
        let byte_ns = if BYTE.is_multiple_of(rate_bps) { BYTE / rate_bps } else { 0 };
        // A home has thousands of wires, few of which ever hold more.
        let departures = VecDeque::with_capacity(limit.min(31) + 1);
        Link { rate_bps, byte_ns, latency_ns, limit, free_at: 0, first: 0, departures }
    }

    /// Hands over a packet of `bytes` at `now`: when its last bit arrives, or
    /// None if the queue is full.
    #[inline(always)]
    pub fn send(&mut self, now: u64, bytes: u32) -> Option<u64> {
        let ns = match self.byte_ns {
            0 => u64::from(bytes) * BYTE / self.rate_bps,
            one => u64::from(bytes) * one,
        };
        if self.free_at <= now {
            // As a rule: nothing to remember but when it is free again.
            self.departures.clear();
            self.first = now + ns;
            self.free_at = self.first;
        } else {
            while self.departures.front().is_some_and(|&at| at <= now) {
                self.departures.pop_front();
            }
            if usize::from(self.first > now) + self.departures.len() > self.limit {
                return None;
            }
            self.free_at += ns;
            self.departures.push_back(self.free_at);
        }
        Some(self.free_at + self.latency_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_follow_each_other_at_the_rate() {
        let mut link = Link::new(100_000_000, 1_000_000, 2);
        assert_eq!(link.send(0, 1500), Some(1_120_000));
        assert_eq!(link.send(0, 1500), Some(1_240_000));
        assert_eq!(link.send(0, 1500), Some(1_360_000));
        assert_eq!(link.send(0, 1500), None, "one on the wire, two wait");
        assert_eq!(link.send(120_000, 100), Some(1_368_000), "the first has gone");
        assert_eq!(link.send(9_000_000, 1250), Some(10_100_000), "idle again");
    }

    /// 1500 bytes at 7 Mb/s: 1714285.7 ns, without the fraction; never 1500 times that of a byte.
    #[test]
    fn a_byte_may_take_a_fraction_of_a_nanosecond() {
        let mut link = Link::new(7_000_000, 0, 1);
        assert_eq!([(); 2].map(|()| link.send(0, 1500)), [Some(1_714_285), Some(3_428_570)]);
        assert_eq!(Link::new(3_000_000_000, 0, 1).send(0, 1500), Some(4_000));
    }
}
