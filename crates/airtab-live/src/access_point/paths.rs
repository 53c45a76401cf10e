// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What each application's packets met on their way of late: time and losses, by direction and
//! part of the way.
//!
//! Kept by interval and forgotten after [`INTERVALS`] of them, so that it is about the same
//! time as scores of games, calls and videos. A packet counts when it ends.
//!
//! What it does not do: no quantiles, and nothing of packets that no application has.

use airtab_sim::{Leg, Legs};

use crate::snapshot::{Parts, PathView};

/// Intervals that are remembered beside the one under way: of a second each they are the ten that scores are of,
/// and the one in which their packets are on the way.
pub(super) const INTERVALS: usize = 11;

const SECONDS: f64 = 1e-9;

/// One direction in one interval.
#[derive(Clone, Copy, Default)]
struct Path {
    arrived: u64,
    total: Legs,
    /// Those of the quickest packet.
    least: Legs,
    /// By [`Leg`].
    lost: [u64; 3],
    /// Those whose frame is over, and how long they were in the driver's ring before, ns.
    sent: u64,
    ring_ns: u64,
}

impl Path {
    fn passed(&mut self, legs: Legs, packets: u64, least: Legs) {
        if packets > 0 && (self.arrived == 0 || least.sum_ns() < self.least.sum_ns()) {
            self.least = least;
        }
        self.arrived += packets;
        self.total.wires_ns += legs.wires_ns;
        self.total.queue_ns += legs.queue_ns;
        self.total.channel_ns += legs.channel_ns;
    }

    fn add(&mut self, other: &Path) {
        self.passed(other.total, other.arrived, other.least);
        self.lost.iter_mut().zip(other.lost).for_each(|(sum, lost)| *sum += lost);
        self.sent += other.sent;
        self.ring_ns += other.ring_ns;
    }

    fn view(&self) -> PathView {
        let seconds = |legs: &Legs, packets: u64| {
            let each = |ns: u64| if packets > 0 { ns as f64 * SECONDS / packets as f64 } else { 0.0 };
            Parts { wires: each(legs.wires_ns), queue: each(legs.queue_ns), channel: each(legs.channel_ns) }
        };
        let [wires, queue, channel] = self.lost;
        PathView {
            arrived: self.arrived,
            mean_s: seconds(&self.total, self.arrived),
            least_s: seconds(&self.least, 1),
            ring_s: self.ring_ns as f64 * SECONDS / self.sent.max(1) as f64,
            lost: Parts { wires, queue, channel },
        }
    }
}

/// Those of one application.
#[derive(Clone, Default)]
pub(super) struct Paths {
    /// Down and up in each interval, in a ring.
    intervals: [[Path; 2]; INTERVALS + 1],
    /// The one under way.
    now: usize,
}

impl Paths {
    /// A packet of the downlink, or with `up` of the uplink, arrived.
    pub(super) fn passed(&mut self, up: bool, legs: Legs) {
        self.intervals[self.now][usize::from(up)].passed(legs, 1, legs);
    }

    /// A packet's frame is over, which was in the driver's ring so long.
    pub(super) fn below(&mut self, up: bool, ring_ns: u64) {
        let path = &mut self.intervals[self.now][usize::from(up)];
        (path.sent, path.ring_ns) = (path.sent + 1, path.ring_ns + ring_ns);
    }

    /// One ended on its way.
    pub(super) fn lost(&mut self, up: bool, at: Leg) {
        self.intervals[self.now][usize::from(up)].lost[at as usize] += 1;
    }

    /// What is remembered, down and up.
    pub(super) fn views(&self) -> [PathView; 2] {
        [0, 1].map(|direction| {
            let mut sum = Path::default();
            self.intervals.iter().for_each(|interval| sum.add(&interval[direction]));
            sum.view()
        })
    }

    /// The interval under way ends, and the oldest one is forgotten.
    pub(super) fn end_interval(&mut self) {
        self.now = (self.now + 1) % self.intervals.len();
        self.intervals[self.now] = <[Path; 2]>::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn legs(wires: u64, queue: u64, channel: u64) -> Legs {
        Legs { wires_ns: wires * MS, queue_ns: queue * MS, channel_ns: channel * MS }
    }

    fn near(a: Parts<f64>, ms: [f64; 3]) {
        let off = [a.wires, a.queue, a.channel].into_iter().zip(ms).map(|(a, b)| (a * 1e3 - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-9, "{a:?} {ms:?}");
    }

    #[test]
    fn means_and_the_quickest_packet_by_direction() {
        let mut paths = Paths::default();
        assert_eq!(paths.views(), <[PathView; 2]>::default());
        paths.passed(true, legs(1, 10, 4));
        paths.end_interval();
        paths.passed(true, legs(3, 2, 1));
        paths.passed(true, legs(2, 9, 4));
        paths.below(true, 2 * MS);
        paths.below(true, MS);
        paths.lost(true, Leg::Queue);
        paths.lost(true, Leg::Queue);
        paths.lost(false, Leg::Channel);
        paths.lost(false, Leg::Wires);
        let [down, up] = paths.views();
        near(up.mean_s, [2.0, 7.0, 3.0]);
        near(up.least_s, [3.0, 2.0, 1.0]);
        assert_eq!((up.arrived, up.lost), (3, Parts { wires: 0, queue: 2, channel: 0 }));
        assert_eq!((down.arrived, down.lost), (0, Parts { wires: 1, queue: 0, channel: 1 }));
        near(down.mean_s, [0.0; 3]);
        assert!((up.ring_s - 1.5e-3).abs() < 1e-12 && (up.ring_share() - 0.5).abs() < 1e-9);
        assert_eq!((down.ring_s, down.ring_share()), (0.0, 0.0));
    }

    /// Losses and times in the ring of all intervals count, of each direction and part its own.
    #[test]
    fn losses_and_times_in_the_ring_are_summed_over_intervals() {
        let mut paths = Paths::default();
        for (n, [wires, queue, channel]) in [(1, [1, 2, 3]), (2, [10, 20, 30]), (4, [100, 0, 5])] {
            for (up, times) in [(false, 1), (true, 2)] {
                for (leg, lost) in [(Leg::Wires, wires), (Leg::Queue, queue), (Leg::Channel, channel)] {
                    (0..times * lost).for_each(|_| paths.lost(up, leg));
                }
                // n frames with n ms each, up twice as long.
                (0..n).for_each(|_| paths.below(up, times * n * MS));
            }
            paths.end_interval();
        }
        let [down, up] = paths.views();
        assert_eq!(down.lost, Parts { wires: 111, queue: 22, channel: 38 });
        assert_eq!(up.lost, Parts { wires: 222, queue: 44, channel: 76 });
        assert_eq!((down.lost(), up.lost()), (171, 342));
        // (1 + 4 + 16) ms of 7 frames.
        assert!((down.ring_s - 0.003).abs() < 1e-12 && (up.ring_s - 0.006).abs() < 1e-12, "{down:?} {up:?}");
    }

    #[test]
    fn what_is_old_is_forgotten() {
        let mut paths = Paths::default();
        paths.passed(false, legs(1, 1, 1));
        paths.passed(true, legs(2, 1, 1));
        paths.lost(true, Leg::Wires);
        for _ in 0..11 {
            paths.end_interval();
            assert_eq!(paths.views()[0].arrived, 1);
        }
        paths.end_interval();
        assert_eq!(paths.views(), <[PathView; 2]>::default());
    }
}
