//! One direction of a wired link: rate, latency, drop-tail queue.
//!
//! A FIFO link needs no events of its own: when a packet is handed to it, its
//! arrival at the other end is known. Calls must come in order of time.

use std::collections::VecDeque;

/// A simplex link.
pub struct Link {
    rate_bps: u64,
    latency_ns: u64,
    limit: usize,
    /// When the packets that wait or are being sent will be gone.
    departures: VecDeque<u64>,
}

impl Link {
    /// `rate_bps` > 0; `limit`: packets in its queue, the one being sent apart.
    pub fn new(rate_bps: u64, latency_ns: u64, limit: usize) -> Link {
        assert!(rate_bps > 0);
        // A home has thousands of wires, few of which ever hold more.
        let departures = VecDeque::with_capacity(limit.min(31) + 1);
        Link { rate_bps, latency_ns, limit, departures }
    }

    /// Hands over a packet of `bytes` at `now`: when its last bit arrives, or
    /// None if the queue is full.
    pub fn send(&mut self, now: u64, bytes: u32) -> Option<u64> {
        while self.departures.front().is_some_and(|&at| at <= now) {
            self.departures.pop_front();
        }
        if self.departures.len() > self.limit {
            return None;
        }
        let start = self.departures.back().map_or(now, |&at| at.max(now));
        let end = start + u64::from(bytes) * 8 * 1_000_000_000 / self.rate_bps;
        self.departures.push_back(end);
        Some(end + self.latency_ns)
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
}
