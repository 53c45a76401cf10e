// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! G-model: the mean opinion score of a network game from ping and jitter.
//!
//! Source: CHAP dissertation 2.5, eq. 2.4 and 2.5 (the model of Wattimena et al. 2006, fitted to Quake IV);
//! 6.2 scores intervals of 5 s. Scale: 4.37 (perfect) down to 1.
//!
//! The model has one ping, the round trip, and one jitter. The source takes the downlink's; a game is played in
//! both directions, so [`GameMeter::both_ways`] takes that of the worse one.
//!
//! What it does not do: the model ignores loss, so a game that loses nine packets in ten is judged by the
//! tenth; only a bin through which nothing came at all is held to be unplayable. Jitter is mean minus
//! minimum one-way delay, not the variation between arrivals.

use crate::NS_PER_MS;
use crate::window::Window;

/// The length of a bin over which ping and jitter are taken, unless told otherwise: 5 s.
pub const DEFAULT_BIN_NS: u64 = 5_000_000_000;

/// What a ms of ping weighs in X, by one of jitter.
const PING_WEIGHT: f64 = 0.104;

/// The score of a game that nothing reaches; the floor of the model.
pub const UNPLAYABLE: f64 = 1.0;

/// Mean opinion score of a game, 1 to 4.37, from the mean round-trip time and the jitter (mean minus
/// minimum one-way delay), both in ms. X = 0.104 ping + jitter is held to 0..100, the range of the fit.
pub fn g_mos(ping_ms: f64, jitter_ms: f64) -> f64 {
    mos_of_x(x(ping_ms, jitter_ms).clamp(0.0, 100.0))
}

/// X = 0.104 ping + jitter, both in ms. It is linear: each part of the way adds its own mean delay, in each
/// direction, and what varies there in the direction whose jitter counts (0 in the other one).
pub fn x(ping_ms: f64, jitter_ms: f64) -> f64 {
    PING_WEIGHT * ping_ms + jitter_ms
}

/// G(X) for X in 0..100. Falls everywhere; the lower bound only takes off the rounding at X = 100, where G
/// is 1.
fn mos_of_x(x: f64) -> f64 {
    (((-0.000_005_87 * x + 0.001_39) * x - 0.114) * x + 4.37).max(UNPLAYABLE)
}

/// What a game saw of its network path in some stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Mean downlink plus mean uplink one-way delay, in ms.
    pub ping_ms: f64,
    /// Mean minus minimum downlink one-way delay, in ms.
    pub jitter_ms: f64,
    /// The same of the uplink, in ms.
    pub up_jitter_ms: f64,
}

/// One bin of a [`GameScore`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameBin {
    /// The packets sent in this stretch of time are judged here.
    pub window: Window,
    /// `None` if nothing sent in the bin arrived, in one direction or in both.
    pub path: Option<Path>,
    /// 1 to 4.37; [`UNPLAYABLE`] without a path.
    pub mos: f64,
}

/// How good a game was over the measured time.
#[derive(Clone, Debug, PartialEq)]
pub struct GameScore {
    /// The figure to quote: mean score of the bins, each weighted by its length. 1 to 4.37.
    pub mos_binned: f64,
    /// The score of the whole measured time taken as a single bin. Below `mos_binned` when the delay
    /// wanders, since the minimum is then that of the best moment. 1 to 4.37.
    pub mos_single: f64,
    /// Ping and jitter of the whole measured time; `None` if a direction delivered nothing.
    pub path: Option<Path>,
    /// The bins in time order, at least one.
    pub bins: Vec<GameBin>,
}

impl GameScore {
    /// How many bins were [`UNPLAYABLE`] because nothing came through in at least one direction.
    pub fn dead_bins(&self) -> usize {
        self.bins.iter().filter(|b| b.path.is_none()).count()
    }
}

/// Sums of the delays of one stretch of time.
#[derive(Clone, Copy, Debug)]
struct Sums {
    down_count: u64,
    down_sum_ns: u128,
    down_min_ns: u64,
    up_count: u64,
    up_sum_ns: u128,
    up_min_ns: u64,
}

impl Sums {
    const EMPTY: Self = Self {
        down_count: 0,
        down_sum_ns: 0,
        down_min_ns: u64::MAX,
        up_count: 0,
        up_sum_ns: 0,
        up_min_ns: u64::MAX,
    };

    fn plus(self, other: &Self) -> Self {
        Self {
            down_count: self.down_count + other.down_count,
            down_sum_ns: self.down_sum_ns + other.down_sum_ns,
            down_min_ns: self.down_min_ns.min(other.down_min_ns),
            up_count: self.up_count + other.up_count,
            up_sum_ns: self.up_sum_ns + other.up_sum_ns,
            up_min_ns: self.up_min_ns.min(other.up_min_ns),
        }
    }

    fn path(&self) -> Option<Path> {
        if self.down_count == 0 || self.up_count == 0 {
            return None;
        }
        let down_ns = self.down_sum_ns as f64 / self.down_count as f64;
        let up_ns = self.up_sum_ns as f64 / self.up_count as f64;
        Some(Path {
            ping_ms: (down_ns + up_ns) / NS_PER_MS,
            jitter_ms: (down_ns - self.down_min_ns as f64) / NS_PER_MS,
            up_jitter_ms: (up_ns - self.up_min_ns as f64) / NS_PER_MS,
        })
    }
}

/// With the jitter of the worse direction, or of the downlink.
fn mos_of_path(path: Option<Path>, both_ways: bool) -> f64 {
    let jitter_ms = |p: Path| if both_ways { p.jitter_ms.max(p.up_jitter_ms) } else { p.jitter_ms };
    path.map_or(UNPLAYABLE, |p| g_mos(p.ping_ms, jitter_ms(p)))
}

/// Collects the delivered packets of one game and scores them. Memory: one record per bin, whatever the
/// packet rate.
///
/// A packet belongs to the bin in which it was *sent*: a queue that holds a second of packets then spoils
/// the bin that it filled in, and a packet that never arrives cannot move another one's delay between bins.
#[derive(Clone, Debug)]
pub struct GameMeter {
    window: Window,
    bin_ns: u64,
    bins: Vec<Sums>,
    both_ways: bool,
}

impl GameMeter {
    /// A meter of the packets sent in `window`, in bins of `bin_ns` ([`DEFAULT_BIN_NS`]); `None` if
    /// `bin_ns` is 0. The last bin takes the remainder: there are `length / bin_ns` bins, at least one, and
    /// none is a sliver.
    pub fn new(window: Window, bin_ns: u64) -> Option<Self> {
        let count = window.length_ns().checked_div(bin_ns)?.max(1);
        Some(Self { window, bin_ns, bins: vec![Sums::EMPTY; usize::try_from(count).ok()?], both_ways: false })
    }

    /// The same, to be scored by the jitter of the worse direction in each bin instead of the downlink's.
    #[must_use]
    pub fn both_ways(self) -> Self {
        Self { both_ways: true, ..self }
    }

    fn bin_of(&mut self, sent_ns: u64) -> Option<&mut Sums> {
        if !self.window.contains(sent_ns) {
            return None;
        }
        let index = ((sent_ns - self.window.from_ns()) / self.bin_ns) as usize;
        let last = self.bins.len() - 1;
        Some(&mut self.bins[index.min(last)])
    }

    /// A packet from the server that was sent at `sent_ns` reached the player after `delay_ns`. Packets
    /// sent outside the measured time are ignored; packets that arrive after its end count, so let the run
    /// go on until they are in.
    pub fn downlink(&mut self, sent_ns: u64, delay_ns: u64) {
        if let Some(bin) = self.bin_of(sent_ns) {
            bin.down_count += 1;
            bin.down_sum_ns += u128::from(delay_ns);
            bin.down_min_ns = bin.down_min_ns.min(delay_ns);
        }
    }

    /// A packet from the player that was sent at `sent_ns` reached the server after `delay_ns`; as
    /// [`Self::downlink`].
    pub fn uplink(&mut self, sent_ns: u64, delay_ns: u64) {
        if let Some(bin) = self.bin_of(sent_ns) {
            bin.up_count += 1;
            bin.up_sum_ns += u128::from(delay_ns);
            bin.up_min_ns = bin.up_min_ns.min(delay_ns);
        }
    }

    /// The score so far. Always defined: a game that got nothing through is [`UNPLAYABLE`], not unknown.
    pub fn score(&self) -> GameScore {
        let bins: Vec<GameBin> = (0..self.bins.len())
            .map(|i| {
                let path = self.bins[i].path();
                GameBin { window: self.window_of(i), path, mos: mos_of_path(path, self.both_ways) }
            })
            .collect();
        let weighted: f64 = bins.iter().map(|b| b.mos * b.window.length_ns() as f64).sum();
        let path = self.bins.iter().fold(Sums::EMPTY, Sums::plus).path();
        GameScore {
            mos_binned: weighted / self.window.length_ns() as f64,
            mos_single: mos_of_path(path, self.both_ways),
            path,
            bins,
        }
    }

    fn window_of(&self, index: usize) -> Window {
        let from_ns = self.window.from_ns() + index as u64 * self.bin_ns;
        let is_last = index + 1 == self.bins.len();
        let until_ns = if is_last { self.window.until_ns() } else { from_ns + self.bin_ns };
        Window::new(from_ns, until_ns).expect("bins divide the window")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;
    const S: u64 = 1_000 * MS;

    fn meter(from_s: u64, until_s: u64) -> GameMeter {
        GameMeter::new(Window::new(from_s * S, until_s * S).unwrap(), DEFAULT_BIN_NS).unwrap()
    }

    /// Values worked out from eq. 2.5, to the digits printed.
    #[test]
    fn score_of_x() {
        let printed = [
            (0.0, "4.3700"),
            (1.0, "4.2574"),
            (2.0, "4.1475"),
            (5.0, "3.8340"),
            (8.5, "3.4978"),
            (10.0, "3.3631"),
            (20.0, "2.5990"),
            (30.0, "2.0425"),
            (60.0, "1.2661"),
            (100.0, "1.0000"),
        ];
        for (x, mos) in printed {
            assert_eq!(format!("{:.4}", g_mos(0.0, x)), mos, "X = {x}");
        }
        // The dissertation's own figures for an idle link and for a long queue.
        assert_eq!(format!("{:.2}", g_mos(0.0, 0.887)), "4.27");
        assert_eq!(format!("{:.2}", g_mos(0.0, 45.8)), "1.50");
    }

    #[test]
    fn x_weighs_ping_and_is_clamped() {
        assert_eq!(g_mos(100.0, 0.0), g_mos(0.0, 10.4));
        assert_eq!(g_mos(100.0, 2.0), g_mos(0.0, 12.4));
        assert_eq!(g_mos(0.0, 1e9), 1.0);
        assert_eq!(g_mos(f64::INFINITY, 0.0), 1.0);
        assert_eq!(g_mos(-5.0, -5.0), 4.37);
    }

    #[test]
    fn x_is_the_sum_of_its_parts() {
        assert_eq!(format!("{:.12}", x(100.0, 20.0)), "30.400000000000");
        // 12 ms down of which 8 vary, 5 ms up of which 3 vary: the downlink's jitter counts.
        assert_eq!(format!("{:.12}", x(12.0, 8.0) + x(5.0, 0.0)), format!("{:.12}", x(17.0, 8.0)));
        assert_eq!(g_mos(100.0, 20.0), mos_of_x(x(100.0, 20.0)));
    }

    #[test]
    fn ping_and_jitter_of_a_bin() {
        let mut m = meter(90, 95);
        m.downlink(90 * S, 2 * MS);
        m.downlink(91 * S, 3 * MS);
        m.downlink(92 * S, 10 * MS);
        m.uplink(90 * S, 4 * MS);
        m.uplink(92 * S, 6 * MS);
        let score = m.score();
        assert_eq!(score.path, Some(Path { ping_ms: 10.0, jitter_ms: 3.0, up_jitter_ms: 1.0 }));
        assert_eq!(score.mos_binned, g_mos(10.0, 3.0));
        assert_eq!(score.mos_single, score.mos_binned);
    }

    #[test]
    fn bins_forgive_a_slow_drift_and_the_single_window_does_not() {
        let mut m = meter(0, 10);
        for i in 0..250 {
            let sent = i * 40 * MS;
            m.downlink(sent, if sent < 5 * S { 2 * MS } else { 32 * MS });
            m.uplink(sent, 2 * MS);
        }
        let score = m.score();
        assert_eq!(score.bins.len(), 2);
        assert_eq!(score.mos_binned, (g_mos(4.0, 0.0) + g_mos(34.0, 0.0)) / 2.0);
        assert_eq!(score.mos_single, g_mos(19.0, 15.0));
        assert!(score.mos_single < score.mos_binned);
    }

    #[test]
    fn packets_belong_to_the_bin_they_were_sent_in() {
        let mut m = meter(0, 10);
        m.uplink(0, 0);
        m.uplink(5 * S, 0);
        m.downlink(5 * S - 1, 20 * S);
        m.downlink(5 * S, 0);
        let score = m.score();
        assert_eq!(score.bins[0].path, Some(Path { ping_ms: 20_000.0, jitter_ms: 0.0, up_jitter_ms: 0.0 }));
        assert_eq!(score.bins[0].mos, 1.0);
        assert_eq!(score.bins[1].mos, 4.37);
    }

    #[test]
    fn bins_are_counted_from_the_start_of_the_measured_time() {
        // 92 to 97 s and 97 to 102 s.
        let mut m = meter(92, 102);
        m.downlink(97 * S - 1, 2 * MS);
        m.uplink(92 * S, 2 * MS);
        m.downlink(97 * S, 20 * MS);
        m.uplink(102 * S - 1, 10 * MS);
        let pings: Vec<Option<f64>> = m.score().bins.iter().map(|b| b.path.map(|p| p.ping_ms)).collect();
        assert_eq!(pings, [Some(4.0), Some(30.0)]);
    }

    #[test]
    fn packets_sent_outside_the_measured_time_do_not_count() {
        let mut m = meter(90, 95);
        for at in [90 * S - 1, 95 * S] {
            m.downlink(at, MS);
            m.uplink(at, MS);
        }
        assert_eq!(m.score().path, None);
    }

    #[test]
    fn a_bin_without_packets_in_either_direction_is_unplayable() {
        let mut m = meter(0, 20);
        m.downlink(0, 0);
        m.uplink(0, 0);
        m.downlink(5 * S, 0); // no uplink
        m.uplink(10 * S, 0); // no downlink
        let score = m.score();
        let mos: Vec<f64> = score.bins.iter().map(|b| b.mos).collect();
        assert_eq!(mos, [4.37, 1.0, 1.0, 1.0]);
        assert_eq!(score.dead_bins(), 3);
        assert_eq!(score.mos_binned, (4.37 + 3.0) / 4.0);
        assert_eq!(score.mos_single, 4.37);

        let silent = meter(0, 20).score();
        assert_eq!((silent.mos_binned, silent.mos_single, silent.path), (1.0, 1.0, None));
    }

    #[test]
    fn the_last_bin_takes_the_remainder() {
        let mut m = meter(0, 12);
        for at in [0, 11 * S] {
            m.downlink(at, 0);
            m.uplink(at, 0);
        }
        let score = m.score();
        assert_eq!(score.bins.len(), 2);
        assert_eq!(score.bins[1].window, Window::new(5 * S, 12 * S).unwrap());
        assert_eq!(score.dead_bins(), 0);

        let mut m = meter(0, 12);
        m.downlink(0, 0);
        m.uplink(0, 0);
        assert_eq!(m.score().mos_binned, (5.0 * 4.37 + 7.0) / 12.0, "weighted by length");

        assert_eq!(meter(0, 3).score().bins.len(), 1);
        assert!(GameMeter::new(Window::new(0, S).unwrap(), 0).is_none());
    }

    /// Down 4 and 6 ms, up 10 and 30 ms: a jitter of 1 and of 10 ms at a ping of 25.
    #[test]
    fn both_ways_is_the_jitter_of_the_worse_one() {
        let score = |down: [u64; 2], up: [u64; 2], both: bool| {
            let mut m = meter(0, 5);
            if both {
                m = m.both_ways();
            }
            for (i, (down, up)) in (0..).zip(down.into_iter().zip(up)) {
                m.downlink(i * MS, down * MS);
                m.uplink(i * MS, up * MS);
            }
            let score = m.score();
            assert_eq!(score.mos_binned, score.mos_single, "one bin");
            (score.path.unwrap(), score.mos_binned)
        };
        let (path, down_only) = score([4, 6], [10, 30], false);
        assert_eq!((path.ping_ms, path.jitter_ms, path.up_jitter_ms), (25.0, 1.0, 10.0));
        assert_eq!(down_only, g_mos(25.0, 1.0));
        assert_eq!(score([4, 6], [10, 30], true).1, g_mos(25.0, 10.0));
        assert_eq!(score([10, 30], [4, 6], true).1, g_mos(25.0, 10.0), "whichever it is");
        assert_eq!(score([10, 30], [4, 6], false).1, g_mos(25.0, 10.0));
    }

    proptest! {
        #[test]
        fn worse_paths_never_score_better(
            ping in 0.0..2000.0f64, jitter in 0.0..200.0f64, more in 0.0..500.0f64,
        ) {
            let mos = g_mos(ping, jitter);
            prop_assert!((1.0..=4.37).contains(&mos));
            // The cubic rounds: allow for the last bits of the score.
            prop_assert!(g_mos(ping + more, jitter) <= mos + 1e-12);
            prop_assert!(g_mos(ping, jitter + more) <= mos + 1e-12);
        }

        #[test]
        fn a_meter_stays_in_range(
            delays in prop::collection::vec((0u64..25_000, 0u64..400_000, any::<bool>()), 0..200),
        ) {
            let mut m = meter(0, 23);
            for (at_ms, delay_us, down) in delays {
                let (sent, delay) = (at_ms * MS, delay_us * 1_000);
                if down { m.downlink(sent, delay) } else { m.uplink(sent, delay) }
            }
            let score = m.score();
            let weighted: f64 = score.bins.iter().map(|b| b.mos * b.window.length_ns() as f64).sum();
            let total: u64 = score.bins.iter().map(|b| b.window.length_ns()).sum();
            prop_assert_eq!(total, 23 * S);
            prop_assert_eq!(score.mos_binned, weighted / total as f64);
            for mos in score.bins.iter().map(|b| b.mos).chain([score.mos_binned, score.mos_single]) {
                prop_assert!((1.0..=4.37 + 1e-12).contains(&mos));
            }
        }
    }
}
