// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TCP-D, differential congestion control: Starzetz 2006, section T-10.2.
//!
//! Goodput rises with the window until the path is full, and not from there on. So the sender looks at
//! `xi = dB / dcwnd` (10.1), the change of the rate B at which the receiver gets data over that of the window: below 0 the
//! window is too large, before anything is lost. B is the rate of an interval (10.3), smoothed with weight eps for the
//! past (10.4). An interval ends when more than `min(k, cwnd)` segments are acknowledged, or one and a half times as many
//! sent. If xi < 0 the window gives up the share `q = min(Q, cwnd |xi| / B)` (10.5).
//!
//! It begins cold, half a segment more for each acknowledged; from the first reduction on it avoids congestion, a segment
//! more for a window acknowledged, of the window that the last reduction left. Loss takes Q off, once for a window's
//! data; a timeout begins cold again with two segments. There is no slow start threshold: cold is a window below the
//! one that the last reduction left, which a timeout forgets; one that is set from outside ends the cold start, too.
//!
//! Readings of the text: |xi| in (10.5), whose sign would enlarge the window; k, eps and the minimum in place of "at
//! least", which the text leaves open, are calibrated against its figures. Derived: duplicates count in B by what they say
//! has arrived, so that a segment that a later acknowledgement tells of again counts once; growth in cold start is bounded per
//! acknowledgement as everybody's (RFC 3465); no interval of no length; idle time is in no interval, and the
//! rate before it is forgotten.
//! Not done: its alternative growth by a share of the window (Scalable TCP's).

use super::{Ack, Congestion, slow_start_growth};
use crate::tcp::Config;

/// Growth in cold start, segments for each acknowledged.
const COLD_GAIN: f64 = 0.5;
/// The least window, and that after a timeout, segments.
const LEAST: f64 = 2.0;
/// What is sent in an interval at most, of what is acknowledged in it.
const SENT_MORE: f64 = 1.5;

/// How long an interval is, of k and the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The smaller of both.
    Min,
    /// The larger of both.
    Max,
}

/// Constants of TCP-D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpDConfig {
    /// Segments of an interval.
    pub k: u32,
    /// Weight of the past in the rate, percent.
    pub eps_percent: u32,
    /// The largest share that the window gives up at once (Q), percent.
    pub q_percent: u32,
    /// How k and the window make the interval.
    pub form: Form,
    /// Its window after the handshake, segments; None: as any other's.
    pub initial_window: Option<u32>,
}

impl TcpDConfig {
    /// Starzetz 2006, T-10.2: Q 0.25; k 4, eps 0.5 and the minimum by calibration against its figures.
    pub const fn standard() -> Self {
        TcpDConfig { k: 4, eps_percent: 50, q_percent: 25, form: Form::Min, initial_window: None }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// Names the setting that is out of range, the range, and what to do.
    pub fn check(&self) -> Result<(), String> {
        let TcpDConfig { k, eps_percent: eps, q_percent: q, initial_window, .. } = *self;
        if !(1..=1000).contains(&k) {
            return Err(format!("tcp_d.k is {k}: an interval has 1 to 1000 segments, such as 4"));
        }
        if eps > 95 {
            return Err(format!(
                "tcp_d.eps is {eps} percent: 0 to 95; a rate with more of the past in it does not follow the window"
            ));
        }
        if !(1..=50).contains(&q) {
            return Err(format!("tcp_d.q is {q} percent: the window gives up 1 to 50 at once, such as 25"));
        }
        match initial_window {
            Some(0) => Err("tcp_d.initial_window is 0: at least 1 segment".into()),
            _ => Ok(()),
        }
    }
}

/// An interval under way.
#[derive(Clone, Copy, Debug)]
struct Interval {
    /// When it began, ns.
    since: u64,
    /// Segments acknowledged, delivered and sent in it so far.
    acked: f64,
    delivered: f64,
    sent: f64,
    /// It ends when more are acknowledged.
    length: f64,
    /// Window and rate at its beginning.
    cwnd: f64,
    rate: Option<f64>,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct TcpD {
    config: TcpDConfig,
    mss: f64,
    /// Segments.
    cwnd: f64,
    /// What the last reduction left, segments: below it the start is cold; infinite before the first one.
    threshold: f64,
    /// Growth in congestion avoidance, segments for each acknowledged: 1 / cwnd at the last reduction.
    growth: f64,
    /// B, segments per second; None before the first interval is over.
    rate: Option<f64>,
    /// None: it begins with the next segment that is sent.
    interval: Option<Interval>,
    /// Segments that have to arrive before loss reduces again.
    suppressed: f64,
}

impl TcpD {
    /// Segments of `mss` bytes, a first window of `window` bytes.
    pub fn new(mss: u64, window: u64) -> Self {
        TcpD::with_config(TcpDConfig::standard(), mss, window)
    }

    /// The same with other constants.
    pub fn with_config(config: TcpDConfig, mss: u64, window: u64) -> Self {
        let mss = mss as f64;
        let cwnd = window as f64 / mss;
        TcpD {
            config,
            mss,
            cwnd,
            threshold: f64::INFINITY,
            growth: 0.0,
            rate: None,
            interval: None,
            suppressed: 0.0,
        }
    }

    /// The rate at which the receiver gets data, bytes per second; None before the first interval is over.
    pub fn rate(&self) -> Option<f64> {
        self.rate.map(|segments| segments * self.mss)
    }

    /// Whether it has not met its limit since it began, or since a timeout.
    pub fn is_cold(&self) -> bool {
        self.cwnd < self.threshold
    }

    fn begin(&mut self, now: u64) {
        let k = f64::from(self.config.k);
        let length = match self.config.form {
            Form::Min => k.min(self.cwnd),
            Form::Max => k.max(self.cwnd),
        };
        let (cwnd, rate) = (self.cwnd, self.rate);
        self.interval =
            Some(Interval { since: now, acked: 0.0, delivered: 0.0, sent: 0.0, length, cwnd, rate });
    }

    fn grow(&mut self, ack: &Ack) {
        if !self.is_cold() {
            self.cwnd += self.growth * ack.bytes as f64 / self.mss;
            return;
        }
        let counted = slow_start_growth(ack, self.mss as u64, u64::MAX) as f64 / self.mss;
        self.cwnd = (self.cwnd + COLD_GAIN * counted).min(self.threshold);
        self.growth = 1.0 / self.cwnd;
    }

    /// The window gives up the share `q`.
    fn reduce(&mut self, q: f64) {
        self.cwnd = (self.cwnd * (1.0 - q)).max(LEAST);
        self.threshold = self.cwnd;
        self.growth = 1.0 / self.cwnd;
    }

    /// The interval is over: (10.3) to (10.5).
    fn conclude(&mut self, interval: &Interval, now: u64) {
        let measured = interval.delivered * 1e9 / (now - interval.since) as f64;
        let eps = f64::from(self.config.eps_percent) / 100.0;
        let rate = self.rate.map_or(measured, |rate| eps * rate + (1.0 - eps) * measured);
        self.rate = Some(rate);
        let grown = self.cwnd - interval.cwnd;
        if let Some(before) = interval.rate.filter(|_| grown > 0.0) {
            let xi = (rate - before) / grown;
            if xi < 0.0 {
                let most = f64::from(self.config.q_percent) / 100.0;
                self.reduce((self.cwnd * -xi / rate).min(most));
            }
        }
        self.begin(now);
    }
}

impl Congestion for TcpD {
    fn configure(&mut self, config: &Config) {
        self.config = config.tcp_d;
    }

    fn on_sent(&mut self, now: u64) {
        if self.interval.is_none() {
            self.begin(now);
        }
        if let Some(interval) = &mut self.interval {
            interval.sent += 1.0;
        }
    }

    fn on_delivered(&mut self, _now: u64, bytes: u64) {
        let segments = bytes as f64 / self.mss;
        self.suppressed -= segments;
        if let Some(interval) = &mut self.interval {
            interval.delivered += segments;
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.window_limited {
            self.grow(ack);
        }
        let Some(interval) = &mut self.interval else { return };
        interval.acked += ack.bytes as f64 / self.mss;
        let over = interval.acked > interval.length || interval.sent > SENT_MORE * interval.length;
        if over && ack.now > interval.since {
            let interval = *interval;
            self.conclude(&interval, ack.now);
        }
    }

    fn on_congestion_event(&mut self, _flight: u64) {
        if self.suppressed <= 0.0 {
            self.reduce(f64::from(self.config.q_percent) / 100.0);
            self.suppressed = self.cwnd;
        }
    }

    fn on_recovered(&mut self, now: u64) {
        self.begin(now);
    }

    fn on_timeout(&mut self, _flight: u64, _repeated: bool) {
        (self.cwnd, self.threshold) = (LEAST, f64::INFINITY);
        self.interval = None;
    }

    fn on_idle(&mut self, restart: u64) {
        self.cwnd = self.cwnd.min(restart as f64 / self.mss);
        (self.rate, self.interval) = (None, None); // the rate was that of another window
    }

    fn cwnd(&self) -> u64 {
        (self.cwnd * self.mss) as u64
    }

    fn ssthresh(&self) -> u64 {
        (self.threshold * self.mss) as u64 // infinity becomes u64::MAX
    }

    fn set_ssthresh(&mut self, bytes: u64) {
        self.threshold = bytes as f64 / self.mss;
    }
}
