// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! CUBIC against the formulas of RFC 9438, written down once more in the RFC's own variables: every window of a
//! connection that loses, pauses, times out, idles and meets a longer path.

use airtab_core::time::MS;
use airtab_sim::tcp::congestion::{Ack, Congestion, Cubic};

const MSS: u64 = 1460;

/// The RFC's state, in segments and seconds.
#[derive(Debug)]
struct Rfc {
    cwnd: f64,
    ssthresh: f64,
    w_max: f64,
    cwnd_prior: f64,
    /// Beginning of the stage of congestion avoidance, and `cwnd_epoch`; None before it has begun.
    epoch: Option<(f64, f64)>,
    /// Time of the stage that does not count (5.8).
    excluded: f64,
    w_est: f64,
    /// No congestion event before the next stage: K is 0 and W_max the window (4.8, 4.10).
    no_maximum: bool,
}

const C: f64 = 0.4;
const BETA: f64 = 0.7;

impl Rfc {
    fn new(window: f64) -> Rfc {
        Rfc {
            cwnd: window,
            ssthresh: f64::INFINITY,
            w_max: 0.0,
            cwnd_prior: window,
            epoch: None,
            excluded: 0.0,
            w_est: 0.0,
            no_maximum: true,
        }
    }

    fn congestion(&mut self) {
        // 4.7, then 4.6
        self.w_max = if self.cwnd < self.w_max { self.cwnd * (1.0 + BETA) / 2.0 } else { self.cwnd };
        self.no_maximum = false;
        self.cwnd_prior = self.cwnd;
        self.ssthresh = (self.cwnd * BETA).max(2.0);
        self.cwnd = self.ssthresh;
        self.epoch = None;
    }

    /// 4.8
    fn timeout(&mut self) {
        self.cwnd_prior = self.cwnd;
        self.ssthresh = (self.cwnd * BETA).max(2.0);
        self.cwnd = 1.0;
        self.w_max = 0.0;
        self.no_maximum = true;
        self.epoch = None;
    }

    /// A segment was acknowledged, with the smoothed round-trip time.
    fn ack(&mut self, now: f64, rtt: f64) {
        let mut segments = 1.0;
        if self.cwnd < self.ssthresh {
            let room = self.ssthresh - self.cwnd;
            if room > 1.0 {
                self.cwnd += 1.0;
                return;
            }
            self.cwnd = self.ssthresh;
            segments -= room; // what slow start leaves over is for the avoidance of congestion
        }
        if self.epoch.is_none() {
            if self.no_maximum || self.w_max < self.cwnd {
                self.w_max = self.cwnd;
            }
            self.epoch = Some((now, self.cwnd));
            self.excluded = 0.0;
            self.w_est = self.cwnd;
        }
        let (start, cwnd_epoch) = self.epoch.unwrap();
        let t = now - start - self.excluded;
        let k = ((self.w_max - cwnd_epoch) / C).cbrt();
        let w_cubic = |t: f64| C * (t - k).powi(3) + self.w_max;
        // 4.3
        let alpha = if self.w_est >= self.cwnd_prior { 1.0 } else { 3.0 * (1.0 - BETA) / (1.0 + BETA) };
        self.w_est += alpha * segments / self.cwnd;
        if w_cubic(t) < self.w_est {
            self.cwnd = self.cwnd.max(self.w_est);
            return;
        }
        // 4.4 and 4.5
        let ahead = w_cubic(t + rtt);
        let target = if ahead < self.cwnd {
            self.cwnd
        } else if ahead > 1.5 * self.cwnd {
            1.5 * self.cwnd
        } else {
            ahead
        };
        self.cwnd += segments * (target - self.cwnd) / self.cwnd;
    }
}

/// Both, side by side.
struct Both {
    cubic: Cubic,
    rfc: Rfc,
    now: u64,
}

impl Both {
    fn new(window: u64) -> Both {
        Both { cubic: Cubic::new(MSS, window * MSS), rfc: Rfc::new(window as f64), now: 1_000 * MS }
    }

    /// To a few bytes: windows are told in whole ones.
    fn agree(&self, what: &str) {
        let bytes = |segments: f64| segments * MSS as f64;
        let (is, should) = (self.cubic.cwnd() as f64, bytes(self.rfc.cwnd));
        assert!((is - should).abs() < 8.0, "{what} at {} ns: {is}, not {should}: {:?}", self.now, self.rfc);
        if self.rfc.ssthresh.is_finite() {
            let (is, should) = (self.cubic.ssthresh() as f64, bytes(self.rfc.ssthresh));
            assert!((is - should).abs() < 8.0, "{what} at {} ns: threshold {is}, not {should}", self.now);
        }
    }

    fn tell(&mut self, rtt: u64, window_limited: bool) {
        self.cubic.on_ack(&Ack {
            now: self.now,
            bytes: MSS,
            srtt_ns: rtt,
            rtt_ns: None,
            window_limited,
            after_timeout: false,
        });
    }

    /// `seconds` on a path of this round-trip time, a window of acknowledgements in each.
    fn run(&mut self, what: &str, rtt_ms: u64, seconds: f64) {
        let (rtt, end) = (rtt_ms * MS, self.now + (seconds * 1e9) as u64);
        while self.now < end {
            self.tell(rtt, true);
            self.rfc.ack(self.now as f64 * 1e-9, rtt as f64 * 1e-9);
            self.agree(what);
            self.now += rtt * MSS / self.cubic.cwnd();
        }
    }

    fn lose(&mut self) {
        self.cubic.on_congestion_event(self.cubic.cwnd());
        self.rfc.congestion();
        self.agree("a loss");
    }

    /// The application has nothing to send for some acknowledgements; the first acknowledgement after it counts.
    fn pause(&mut self, seconds: u64) {
        let since = self.now;
        self.tell(100 * MS, false);
        self.now += seconds * 1_000 * MS / 2;
        self.tell(100 * MS, false);
        self.now += seconds * 1_000 * MS / 2;
        self.rfc.excluded += (self.now - since) as f64 * 1e-9;
        self.agree("a pause");
    }

    fn time_out(&mut self) {
        self.cubic.on_timeout(self.cubic.cwnd(), false);
        self.rfc.timeout();
        self.agree("a timeout");
        // again for the same data: the threshold stays (RFC 5681 3.1)
        self.cubic.on_timeout(MSS, true);
        self.agree("a second timeout");
    }

    /// Nothing was sent for a retransmission timeout: RFC 5681 4.1 lets it begin with `segments` again. The stage of
    /// congestion avoidance begins anew when slow start is back at the threshold, below the same maximum.
    fn idle(&mut self, segments: u64, seconds: u64) {
        self.now += seconds * 1_000 * MS;
        self.cubic.on_idle(segments * MSS);
        self.rfc.cwnd = self.rfc.cwnd.min(segments as f64);
        self.rfc.epoch = None;
        self.agree("idle");
    }
}

/// Concave, plateau, convex; fast convergence; time without need; a timeout; idle time.
#[test]
fn every_window_is_that_of_the_rfc() {
    let mut both = Both::new(400);
    both.lose();
    both.run("back to the maximum and past it", 100, 9.0);
    assert!(both.rfc.cwnd > 400.0);
    both.lose();
    both.run("below the maximum", 100, 3.0);
    assert!(both.rfc.cwnd < both.rfc.w_max);
    let w_max = both.rfc.w_max;
    both.lose(); // fast convergence
    assert!(both.rfc.w_max < 0.99 * w_max);
    both.run("towards the lower maximum", 100, 2.0);
    both.pause(20);
    both.run("as if there had been no pause", 100, 6.0);
    both.time_out();
    both.run("slow start, then from K = 0", 100, 8.0);
    assert!(both.rfc.epoch.is_some_and(|(_, cwnd)| cwnd == both.rfc.w_max), "a maximum of its own");
    both.lose();
    both.run("a second", 100, 1.0);
    both.idle(3, 30);
    both.run("slow start and the same maximum", 100, 12.0);
    assert!(both.rfc.cwnd > both.rfc.w_max);
}

/// The time at which a stage begins is that of its first acknowledgement, not that of the loss.
#[test]
fn a_stage_begins_with_its_first_acknowledgement() {
    let mut both = Both::new(200);
    both.lose();
    both.now += 5_000 * MS;
    both.run("after a wait", 100, 4.0);
    assert!(both.rfc.cwnd < 200.0, "K is {}", (60.0f64 / 0.4).cbrt());
}

/// A window above the maximum that is known (slow start after idle time, with a threshold above it) has itself as
/// maximum: K is 0 and never negative.
#[test]
fn a_window_above_the_maximum_is_its_own() {
    let mut both = Both::new(100);
    both.lose(); // to 70
    both.run("a little", 100, 0.3);
    both.lose(); // below the maximum: 85 % of the window, and 70 % left
    both.run("past it", 100, 8.0);
    let threshold = both.rfc.ssthresh;
    assert!(both.rfc.cwnd > both.rfc.w_max && threshold < both.rfc.w_max);
    both.idle(1000, 10); // a window that may stay: only the stage is over
    both.run("from where it was", 100, 3.0);
    let (_, cwnd_epoch) = both.rfc.epoch.unwrap();
    assert_eq!(both.rfc.w_max, cwnd_epoch);
}

/// On short paths Reno's window is the larger one: alpha 9/17 up to the window that was lost, then 1.
#[test]
fn the_reno_friendly_region() {
    let mut both = Both::new(30);
    both.lose();
    both.run("Reno's", 10, 1.0);
    // 9 segments at 9/17 a round trip are 17 of them, and 83 are left.
    assert!((both.rfc.w_est - 113.0).abs() < 2.0 && both.rfc.cwnd == both.rfc.w_est, "{:?}", both.rfc);
    both.run("and CUBIC's again where time is long", 10, 12.0);
    assert!(both.rfc.cwnd > both.rfc.w_est || both.rfc.cwnd > 500.0);
    both.lose();
    both.run("not below", 200, 20.0);
    assert!(both.rfc.cwnd > both.rfc.w_est, "CUBIC is ahead where round trips are long");
}

/// No more than half of the window in a round trip, however far the curve is ahead: a path of 10 s.
#[test]
fn growth_is_bounded_by_half_a_window() {
    let mut both = Both::new(20);
    both.lose();
    let mut bounded = 0;
    for _ in 0..200 {
        let before = both.rfc.cwnd;
        both.run("a long path", 10_000, 0.001);
        let grown = both.rfc.cwnd - before;
        assert!(grown < 0.5 + 1e-9);
        bounded += usize::from((grown - 0.5).abs() < 1e-9);
    }
    assert!(bounded > 20, "{bounded} of 200 at the bound");
}

/// Two segments remain, and one after a timeout.
#[test]
fn least_windows() {
    let mut both = Both::new(2);
    both.lose();
    assert_eq!(both.cubic.cwnd(), 2 * MSS);
    both.time_out();
    assert_eq!((both.cubic.cwnd(), both.cubic.ssthresh()), (MSS, 2 * MSS));
}
