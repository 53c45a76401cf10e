//! Congestion control: how much may be in flight.
//!
//! One file per algorithm behind one small trait. Loss detection and retransmission belong to the sender; a controller
//! hears only of progress, of congestion and of time passed idle, and keeps two numbers: the congestion window and the
//! slow start threshold, in bytes. A new algorithm is a file, a variant of [`Algorithm`] and one of [`Controller`].

mod bic;
mod compound;
mod cubic;
mod newreno;

pub use bic::{Bic, BicConfig};
pub use compound::{Compound, CompoundConfig};
pub use cubic::Cubic;
pub use newreno::NewReno;

use super::config::{Algorithm, Config};

/// New data was acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// Time of arrival, ns.
    pub now: u64,
    /// Bytes newly acknowledged by the cumulative acknowledgement.
    pub bytes: u64,
    /// Smoothed round-trip time, ns; 0 before the first sample.
    pub srtt_ns: u64,
    /// Round-trip time that it measured, ns. One segment is timed per round trip, so that a sample also says that a
    /// round trip has passed; those that end in fast recovery are missing.
    pub rtt_ns: Option<u64>,
    /// The congestion window, and neither the application nor the receive window, bounds the sender. Without it the
    /// window must not grow (RFC 7661, RFC 9438 5.8).
    pub window_limited: bool,
    /// The sender is repairing the losses that a timeout revealed.
    pub after_timeout: bool,
}

/// A congestion control. All quantities in bytes.
///
/// `flight` is the data outstanding when loss was found, at most the congestion window: data that limited transmit or
/// a recovery sent beyond the window does not count (RFC 5681 3.2).
pub trait Congestion {
    /// New data was acknowledged outside of fast recovery.
    fn on_ack(&mut self, ack: &Ack);

    /// Fast retransmit: once per window of data. The window is the reduced one from here on.
    fn on_congestion_event(&mut self, flight: u64);

    /// The retransmission timer expired; `repeated` if it did before for the same data (RFC 5681 3.1: the threshold
    /// stays).
    fn on_timeout(&mut self, flight: u64, repeated: bool);

    /// Sending resumes after nothing was sent for a retransmission timeout: the window is at most `restart` (RFC 5681
    /// 4.1).
    fn on_idle(&mut self, restart: u64);

    /// Congestion window.
    fn cwnd(&self) -> u64;

    /// Slow start threshold; `u64::MAX` before the first congestion.
    fn ssthresh(&self) -> u64;
}

/// The congestion control that a configuration names.
#[derive(Clone, Debug)]
pub enum Controller {
    /// See [`NewReno`].
    NewReno(NewReno),
    /// See [`Bic`].
    Bic(Bic),
    /// See [`Cubic`].
    Cubic(Cubic),
    /// See [`Compound`].
    Compound(Compound),
}

impl Controller {
    /// A controller that begins with a window of `window` bytes.
    pub fn new(config: &Config, window: u64) -> Self {
        let mss = u64::from(config.mss);
        match config.congestion {
            Algorithm::NewReno => Controller::NewReno(NewReno::new(mss, window)),
            Algorithm::Bic => Controller::Bic(Bic::new(BicConfig::default(), mss, window)),
            Algorithm::Cubic => Controller::Cubic(Cubic::new(mss, window)),
            Algorithm::Compound => {
                Controller::Compound(Compound::new(CompoundConfig::default(), mss, window))
            }
        }
    }
}

macro_rules! each {
    ($controller:expr, $c:ident => $call:expr) => {
        match $controller {
            Controller::NewReno($c) => $call,
            Controller::Bic($c) => $call,
            Controller::Cubic($c) => $call,
            Controller::Compound($c) => $call,
        }
    };
}

impl Congestion for Controller {
    fn on_ack(&mut self, ack: &Ack) {
        each!(self, c => c.on_ack(ack))
    }

    fn on_congestion_event(&mut self, flight: u64) {
        each!(self, c => c.on_congestion_event(flight))
    }

    fn on_timeout(&mut self, flight: u64, repeated: bool) {
        each!(self, c => c.on_timeout(flight, repeated))
    }

    fn on_idle(&mut self, restart: u64) {
        each!(self, c => c.on_idle(restart))
    }

    fn cwnd(&self) -> u64 {
        each!(self, c => c.cwnd())
    }

    fn ssthresh(&self) -> u64 {
        each!(self, c => c.ssthresh())
    }
}

/// Growth in slow start, bytes: what was acknowledged, at most two segments per acknowledgement, or one while the
/// losses of a timeout are repaired (RFC 3465 2.2, 2.3), and never past `room`, the distance to the threshold.
fn slow_start_growth(ack: &Ack, mss: u64, room: u64) -> u64 {
    let limit = if ack.after_timeout { 1 } else { 2 };
    ack.bytes.min(limit * mss).min(room)
}

/// Slow start of a window in segments; gives the segments that are left for congestion avoidance, if it is over.
fn slow_start(cwnd: &mut f64, ssthresh: f64, mss: f64, ack: &Ack) -> Option<f64> {
    let segments = ack.bytes as f64 / mss;
    if *cwnd >= ssthresh {
        return Some(segments);
    }
    let room = ((ssthresh - *cwnd) * mss) as u64; // saturates
    let growth = slow_start_growth(ack, mss as u64, room);
    if growth < room {
        *cwnd += growth as f64 / mss;
        return None;
    }
    *cwnd = ssthresh;
    Some(segments - growth as f64 / mss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_counts_bytes_within_its_limits() {
        let ack = |bytes, after_timeout| Ack {
            now: 0,
            bytes,
            srtt_ns: 0,
            rtt_ns: None,
            window_limited: true,
            after_timeout,
        };
        assert_eq!(slow_start_growth(&ack(700, false), 1000, u64::MAX), 700);
        assert_eq!(slow_start_growth(&ack(2000, false), 1000, u64::MAX), 2000);
        assert_eq!(slow_start_growth(&ack(5000, false), 1000, u64::MAX), 2000);
        assert_eq!(slow_start_growth(&ack(5000, true), 1000, u64::MAX), 1000);
        assert_eq!(slow_start_growth(&ack(2000, false), 1000, 300), 300);
    }
}
