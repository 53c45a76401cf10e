// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Congestion control: how much may be in flight.
//!
//! One file per algorithm behind one small trait. Loss detection and retransmission belong to the sender; a controller
//! hears only of progress, of round-trip times, of congestion and of time passed idle, and keeps two numbers: the
//! congestion window and the slow start threshold, in bytes. From them follows a rate, if segments are to be paced. A new algorithm is a file and a line of the list below.

mod window;

use std::fmt;
use std::str::FromStr;

use airtab_core::time::SECOND;

use super::Config;

/// Makes of a list of algorithms their modules, [`Algorithm`], which names one, and [`Controller`], which is one. A file
/// `NAME.rs` exports a type with `new(mss, window)` that is a [`Congestion`], and its configuration if it has one.
macro_rules! algorithms {
    ($($(#[doc = $doc:literal])+ $name:ident: $Type:ident),+ $(,)?) => {
        $(mod $name; pub use $name::*;)+

        /// Congestion controls.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Algorithm {
            $($(#[doc = $doc])+ $Type),+
        }

        impl Algorithm {
            /// Every congestion control, in the order of the documentation.
            pub const ALL: [Algorithm; [$(stringify!($name)),+].len()] = [$(Algorithm::$Type),+];

            /// The name that scenario files use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Algorithm::$Type => stringify!($name)),+
                }
            }
        }

        /// The congestion control that a configuration names.
        #[derive(Clone, Debug)]
        pub enum Controller {
            $(#[doc = concat!("See [`", stringify!($Type), "`].")] $Type($Type)),+
        }

        impl Controller {
            /// A controller that begins with a window of `window` bytes, of segments of `mss`.
            pub fn new(algorithm: Algorithm, mss: u64, window: u64) -> Self {
                match algorithm {
                    $(Algorithm::$Type => Controller::$Type($Type::new(mss, window))),+
                }
            }
        }

        /// What each of them does with a call.
        macro_rules! each {
            ($controller:expr, $one:ident => $call:expr) => {
                match $controller {
                    $(Controller::$Type($one) => $call),+
                }
            };
        }
    };
}

algorithms! {
    /// RFC 5681: `reno`.
    reno: Reno,
    /// RFC 5681 with byte counting: `newreno`.
    newreno: NewReno,
    /// Xu, Harfoush and Rhee 2004: `bic`.
    bic: Bic,
    /// RFC 9438: `cubic`.
    cubic: Cubic,
    /// Tan, Song, Zhang and Sridharan 2006: `compound`.
    compound: Compound,
    /// Grieco and Mascolo 2004, or Mascolo and others 2001: `westwood`.
    westwood: Westwood,
    /// Brakmo and Peterson 1995: `vegas`.
    vegas: Vegas,
    /// Starzetz 2006: `tcp_d`.
    tcp_d: TcpD,
    /// ElRakabawy, Klemm and Lindemann 2005: `tcp_ap`.
    tcp_ap: TcpAp,
}

impl Congestion for Controller {
    fn configure(&mut self, config: &Config) {
        each!(self, c => c.configure(config))
    }

    fn times_each(&self) -> bool {
        each!(self, c => c.times_each())
    }

    fn on_ack(&mut self, ack: &Ack) {
        each!(self, c => c.on_ack(ack))
    }

    fn on_rtt_sample(&mut self, rtt_ns: u64) {
        each!(self, c => c.on_rtt_sample(rtt_ns))
    }

    fn on_delivered(&mut self, now: u64, bytes: u64) {
        each!(self, c => c.on_delivered(now, bytes))
    }

    fn on_sent(&mut self, now: u64) {
        each!(self, c => c.on_sent(now))
    }

    fn on_congestion_event(&mut self, flight: u64) {
        each!(self, c => c.on_congestion_event(flight))
    }

    fn on_recovered(&mut self, now: u64) {
        each!(self, c => c.on_recovered(now))
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

    fn set_ssthresh(&mut self, bytes: u64) {
        each!(self, c => c.set_ssthresh(bytes))
    }

    fn fine_timeout_ns(&self) -> Option<u64> {
        each!(self, c => c.fine_timeout_ns())
    }

    fn pacing_rate(&self, srtt_ns: u64) -> Option<u64> {
        each!(self, c => c.pacing_rate(srtt_ns))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|a| a.name() == name).ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

/// No congestion control has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm(String);

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Algorithm::ALL.map(Algorithm::name).join(", ");
        write!(f, "unknown congestion control `{}`; there are: {names}", self.0)
    }
}

impl std::error::Error for UnknownAlgorithm {}

/// New data was acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// Time of arrival, ns.
    pub now: u64,
    /// Bytes newly acknowledged by the cumulative acknowledgement.
    pub bytes: u64,
    /// Smoothed round-trip time, ns; 0 before the first sample.
    pub srtt_ns: u64,
    /// Round-trip time of the segment that was timed, ns. One is timed per round trip, so that it also says that a round
    /// trip has passed; those that end in fast recovery are missing here, and in [`Congestion::on_rtt_sample`] are not.
    pub rtt_ns: Option<u64>,
    /// The congestion window, and neither the application nor the receive window, bounds the sender. Without it the
    /// window must not grow (RFC 7661, RFC 9438 5.8).
    pub window_limited: bool,
    /// The sender is repairing the losses that a timeout revealed.
    pub after_timeout: bool,
}

/// A congestion control. All quantities in bytes. The verbs after [`cwnd`](Self::cwnd) have bodies that suit most.
///
/// `flight` is the data outstanding when loss was found, at most the congestion window: data that limited transmit or
/// a recovery sent beyond the window does not count (RFC 5681 3.2).
///
/// What duplicate acknowledgements add to the window in a recovery without SACK is no verb: it stands for what has left the
/// network, as `pipe` does with SACK, and is the same for every algorithm (`duplicates`).
pub trait Congestion {
    /// New data was acknowledged outside of fast recovery.
    fn on_ack(&mut self, ack: &Ack);

    /// Fast retransmit: once per window of data. The window is the reduced one from here on.
    fn on_congestion_event(&mut self, flight: u64);

    /// The retransmission timer expired; `repeated` if the threshold was reduced for the same data, by the last expiry (RFC
    /// 5681 3.1: it stays) or by a recovery.
    fn on_timeout(&mut self, flight: u64, repeated: bool);

    /// Sending resumes after nothing was sent for a retransmission timeout: the window is at most `restart` (RFC 5681
    /// 4.1).
    fn on_idle(&mut self, restart: u64);

    /// Slow start threshold; `u64::MAX` before the first congestion, unless one was set.
    fn ssthresh(&self) -> u64;

    /// Begins with this threshold (RFC 5681 3.1: it may be anything; a cache of paths, for example).
    fn set_ssthresh(&mut self, bytes: u64);

    /// Congestion window.
    fn cwnd(&self) -> u64;

    /// Takes from `config` what is this algorithm's own, before anything else.
    fn configure(&mut self, _config: &Config) {}

    /// Whether it wants a round-trip time with every acknowledgement of new data. The sender then notes when each segment
    /// was sent, and looks at [`fine_timeout_ns`](Self::fine_timeout_ns).
    fn times_each(&self) -> bool {
        false
    }

    /// Data took `rtt_ns` there and back; in fast recovery too, and before `on_ack` of the same acknowledgement. Once
    /// per round trip, or with every acknowledgement of new data if timestamps tell or it [wants so](Self::times_each).
    fn on_rtt_sample(&mut self, _rtt_ns: u64) {}

    /// A segment with data leaves at `now`, for the first time or again.
    fn on_sent(&mut self, _now: u64) {}

    /// `bytes` more have reached the receiver, as an acknowledgement at `now` tells: cumulatively, by SACK, or as a duplicate,
    /// which stands for a segment; in fast recovery too, and before the other verbs of the same acknowledgement.
    fn on_delivered(&mut self, _now: u64, _bytes: u64) {}

    /// A fast recovery is over, as an acknowledgement at `now` tells: from here on new data opens the window again.
    fn on_recovered(&mut self, _now: u64) {}

    /// Age at which the oldest segment counts as lost when it is looked at, with the first duplicate acknowledgement and the
    /// first two of new data after a retransmission, ns; None: never.
    fn fine_timeout_ns(&self) -> Option<u64> {
        None
    }

    /// Bytes per second at which segments leave if the configuration wants them paced, when a round trip takes
    /// `srtt_ns`; None: as the window allows.
    ///
    /// The body is Linux's (`tcp_update_pacing_rate`): a window per round trip times 2 below half of the threshold, and
    /// times 1.2 from there on, so that what is paced can still grow.
    fn pacing_rate(&self, srtt_ns: u64) -> Option<u64> {
        let percent = if self.cwnd() < self.ssthresh() / 2 { 200 } else { 120 };
        let window = u128::from(self.cwnd()) * percent * u128::from(SECOND / 100);
        let rate = window.checked_div(srtt_ns.into())?;
        Some(u64::try_from(rate).unwrap_or(u64::MAX).max(1))
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
    fn names_round_trip() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
        }
        let error = "tahoe".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.starts_with("unknown congestion control `tahoe`; there are: "), "{error}");
        assert!(error.contains("newreno, bic, cubic, compound"), "{error}");
    }

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
