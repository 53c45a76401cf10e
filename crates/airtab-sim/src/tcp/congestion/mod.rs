//! Congestion control: how much may be in flight.
//!
//! One file per algorithm behind one small trait. Loss detection and retransmission belong to the sender; a controller
//! hears only of progress, of congestion and of time passed idle, and keeps two numbers: the congestion window and the
//! slow start threshold, in bytes. A new algorithm is a file and a line of the list below.

use std::fmt;
use std::str::FromStr;

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

        impl Congestion for Controller {
            fn on_ack(&mut self, ack: &Ack) {
                match self {
                    $(Controller::$Type(c) => c.on_ack(ack)),+
                }
            }

            fn on_congestion_event(&mut self, flight: u64) {
                match self {
                    $(Controller::$Type(c) => c.on_congestion_event(flight)),+
                }
            }

            fn on_timeout(&mut self, flight: u64, repeated: bool) {
                match self {
                    $(Controller::$Type(c) => c.on_timeout(flight, repeated)),+
                }
            }

            fn on_idle(&mut self, restart: u64) {
                match self {
                    $(Controller::$Type(c) => c.on_idle(restart)),+
                }
            }

            fn cwnd(&self) -> u64 {
                match self {
                    $(Controller::$Type(c) => c.cwnd()),+
                }
            }

            fn ssthresh(&self) -> u64 {
                match self {
                    $(Controller::$Type(c) => c.ssthresh()),+
                }
            }
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
        let error = "vegas".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.starts_with("unknown congestion control `vegas`; there are: "), "{error}");
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
