// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Settings of an endpoint, and the named profiles.
//!
//! A profile is a constructor: [`Config::home`] is the stack that the home experiments use. Both ends of a connection
//! are expected to use the same MSS; it is not negotiated.

use std::borrow::Cow;
use std::fmt;

use super::congestion::{Algorithm, TcpApConfig, TcpDConfig, VegasConfig, WestwoodFilter};
use airtab_core::time::MS;

/// Settings of one endpoint. Plain data; see [`Config::check`] for the ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Largest payload of a segment without options, timestamps apart, bytes (SMSS).
    pub mss: u32,
    /// Congestion window after the handshake, segments.
    pub initial_window: u32,
    /// Retransmission timeout before the first RTT sample, ns (RFC 6298 2.1).
    pub initial_rto_ns: u64,
    /// Least margin of the retransmission timeout above the smoothed round-trip time, ns, as in Linux; so the timeout
    /// is never below it either.
    pub min_rto_ns: u64,
    /// Upper bound of the retransmission timeout, ns.
    pub max_rto_ns: u64,
    /// Longest time that an acknowledgement is held back, ns.
    pub delayed_ack_ns: u64,
    /// In-order segments after which an acknowledgement is sent at once; 1 acknowledges each.
    pub ack_every: u32,
    /// Receive window, segments of `mss` bytes.
    pub receive_window_segments: u32,
    /// Congestion control of the sending half.
    pub congestion: Algorithm,
    /// How losses are found and repaired.
    pub recovery: Recovery,
    /// Whether a recovery with SACK spreads its reduction (RFC 6937).
    pub prr: bool,
    /// Whether the first slow start ends when delay rises (HyStart++, RFC 9406); wants round-trip times by timestamps.
    pub hystart: bool,
    /// What loss leaves of CUBIC's window, percent.
    pub cubic_beta_percent: u32,
    /// Constants of Vegas.
    pub vegas: VegasConfig,
    /// What makes Westwood's estimate of the rate.
    pub westwood: WestwoodFilter,
    /// Constants of TCP-D.
    pub tcp_d: TcpDConfig,
    /// The way of TCP-AP.
    pub tcp_ap: TcpApConfig,
    /// Whether the first two duplicate acknowledgements let a new segment go each (RFC 3042); with SACK they always do.
    pub limited_transmit: bool,
    /// Retransmission timers expire at multiples of this, ns, and `min_rto_ns` bounds the timeout itself, as in BSD; 0:
    /// at any time.
    pub rto_grid_ns: u64,
    /// When that begins, ns, less than the grid: each host has its own.
    pub rto_phase_ns: u64,
    /// 12 bytes of each segment's options, with the times that they are for.
    pub timestamps: bool,
    /// How round-trip times are measured.
    pub rtt: RttBy,
    /// Slow start threshold at the beginning, segments; None: arbitrarily high.
    pub initial_ssthresh: Option<u32>,
    /// Segments leave at the rate that the congestion control says ([`Congestion::pacing_rate`]), not in bursts; those of
    /// TCP-AP always do.
    ///
    /// [`Congestion::pacing_rate`]: super::congestion::Congestion::pacing_rate
    pub pacing: bool,
    /// Whether data is marked by the network instead of dropped, where both ends want that (RFC 3168).
    pub ecn: bool,
    /// Longest time that a server takes before it sends, ns; each is uniform from 0 on. None: in a dumbbell the transmission time
    /// of a full packet at the bottleneck, elsewhere 0. The simulator's: an endpoint alone has no such time.
    pub send_jitter_ns: Option<u64>,
}

/// How round-trip times are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttBy {
    /// By timing one segment at a time, and none that was retransmitted (RFC 6298 3, Karn).
    OneSegment,
    /// By the timestamp that each acknowledgement of new data echoes (RFC 7323 4).
    Timestamps,
}

/// How losses are found and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// By SACK: RFC 6675, and lost retransmissions by what was sent later.
    Sack,
    /// By duplicate acknowledgements, and partial ones for all losses of a window: RFC 6582.
    NewReno,
    /// By duplicate acknowledgements, until the first new one: RFC 5681 3.2.
    Reno,
}

impl Config {
    /// The `home` profile: MSS 1460, no timestamps, initial window 3, SACK, minimum RTO 200 ms, an acknowledgement
    /// every second segment or 40 ms, receive window 2000 segments, CUBIC, PRR. No quick-ACK, HyStart, RACK or ECN.
    pub const fn home() -> Self {
        Config {
            mss: 1460,
            initial_window: 3,
            initial_rto_ns: 1000 * MS,
            min_rto_ns: 200 * MS,
            max_rto_ns: 60_000 * MS,
            delayed_ack_ns: 40 * MS,
            ack_every: 2,
            receive_window_segments: 2000,
            congestion: Algorithm::Cubic,
            recovery: Recovery::Sack,
            prr: true,
            hystart: false,
            cubic_beta_percent: 70,
            vegas: VegasConfig::standard(),
            westwood: WestwoodFilter::RoundTrip,
            tcp_d: TcpDConfig::standard(),
            tcp_ap: TcpApConfig::standard(),
            limited_transmit: true,
            rto_grid_ns: 0,
            rto_phase_ns: 0,
            timestamps: false,
            rtt: RttBy::OneSegment,
            initial_ssthresh: None,
            pacing: false,
            ecn: false,
            send_jitter_ns: None,
        }
    }

    /// The `bsd44` profile, the stack of the CBT study (FreeBSD 2.2.8): MSS 1448 and timestamps, initial window 1,
    /// Reno without SACK, a timeout of at least 1 s on a grid of 500 ms (3 s at first, 64 s at most), an acknowledgement
    /// every second segment or 200 ms, receive window 11 segments (16 KB).
    pub const fn bsd44() -> Self {
        Config {
            mss: 1448,
            initial_window: 1,
            initial_rto_ns: 3000 * MS,
            min_rto_ns: 1000 * MS,
            max_rto_ns: 64_000 * MS,
            delayed_ack_ns: 200 * MS,
            ack_every: 2,
            receive_window_segments: 11,
            congestion: Algorithm::Reno,
            recovery: Recovery::Reno,
            prr: false,
            hystart: false,
            cubic_beta_percent: 70,
            vegas: VegasConfig::standard(),
            westwood: WestwoodFilter::RoundTrip,
            tcp_d: TcpDConfig::standard(),
            tcp_ap: TcpApConfig::standard(),
            limited_transmit: false,
            rto_grid_ns: Self::BSD_GRID,
            rto_phase_ns: 0,
            timestamps: true,
            rtt: RttBy::OneSegment,
            initial_ssthresh: None,
            pacing: false,
            ecn: false,
            send_jitter_ns: None,
        }
    }

    /// The `linux` profile, for comparison with a live access point: initial window 10, timestamps and what they measure,
    /// HyStart++; else as `home`. Packets are as long. Linux's own HyStart is another one, which also looks at trains of
    /// acknowledgements.
    pub const fn linux() -> Self {
        Config { initial_window: 10, hystart: true, ..Config::home().with_timestamps() }
    }

    /// The `stz` profile, the stack of Starzetz 2006 (Tab-7.1): packets of 1500 bytes without timestamps, initial window 4 (2
    /// of Vegas and TCP-D), NewReno without SACK, an acknowledgement for each segment, receive window 32 segments, the
    /// first Westwood's filter. Derived, as the thesis does not say: MSS 1460, timeout `max(200 ms, SRTT + 4 RTTVAR)`, 1 s
    /// at first.
    pub const fn stz() -> Self {
        let home = Config::home();
        Config {
            initial_window: 4,
            ack_every: 1,
            receive_window_segments: 32,
            congestion: Algorithm::NewReno,
            recovery: Recovery::NewReno,
            prr: false,
            limited_transmit: false,
            rto_grid_ns: Self::ANY_TIME,
            rto_phase_ns: 0,
            vegas: VegasConfig { initial_window: Some(2), ..home.vegas },
            westwood: WestwoodFilter::EachAck,
            tcp_d: TcpDConfig { initial_window: Some(2), ..home.tcp_d },
            ..home
        }
    }

    /// The `ns2` profile, the senders of Showail 2016's chapter 4, which it does not describe (the simulator of its time): MSS
    /// 1460, initial window 2, NewReno with SACK, an acknowledgement for each segment, minimum timeout 200 ms. PRR and the
    /// receive window are `home`'s, as is the timeout, in Linux's form: ns-2.35 has others ([`Config::ns2_35`]).
    pub const fn ns2() -> Self {
        Config { initial_window: 2, ack_every: 1, congestion: Algorithm::NewReno, ..Config::home() }
    }

    /// The `ns2.35` profile, the defaults of ns-2.35's `Agent/TCP/Newreno` and `Agent/TCPSink` (`ns-default.tcl`): MSS 1000, initial
    /// window 2, receive window and first threshold 20 segments, growth by acknowledgements. NewReno without SACK, limited
    /// transmit, an acknowledgement for each segment; timeout `max(200 ms, SRTT + 4 RTTVAR)`, 3 s at first and 60 s at most.
    ///
    /// Limits: ns-2 times round trips in ticks of 10 ms.
    pub const fn ns2_35() -> Self {
        Config {
            mss: 1000,
            initial_window: 2,
            initial_rto_ns: 3000 * MS,
            delayed_ack_ns: 100 * MS,
            ack_every: 1,
            receive_window_segments: 20,
            initial_ssthresh: Some(20),
            congestion: Algorithm::Reno,
            recovery: Recovery::NewReno,
            prr: false,
            rto_grid_ns: Self::ANY_TIME,
            ..Config::home()
        }
    }

    /// [`Config::rto_grid_ns`] of a timer that expires at any time, with a minimum that bounds the timeout itself (RFC 6298).
    pub const ANY_TIME: u64 = 1;
    /// [`Config::rto_grid_ns`] of 4.4BSD.
    pub const BSD_GRID: u64 = 500 * MS;

    /// The `testbed` profile, the senders of Showail 2016's chapters 2 and 5 (Linux 3.17): CUBIC, packets of 1500 bytes with
    /// timestamps (MSS 1448) and a round trip measured with each acknowledgement, initial window 10. Its own HyStart is
    /// left out, as in [`Config::linux`] it would be another one; what it does not say is `home`'s.
    pub const fn testbed() -> Self {
        Config { initial_window: 10, ..Config::home().with_timestamps() }
    }

    /// Whether segments leave at a rate.
    pub const fn paces(&self) -> bool {
        self.pacing || matches!(self.congestion, Algorithm::TcpAp)
    }

    /// Congestion window after the handshake, segments: that of its congestion control, if it has one of its own.
    pub const fn first_window(&self) -> u32 {
        let own = match self.congestion {
            Algorithm::Vegas => self.vegas.initial_window,
            Algorithm::TcpD => self.tcp_d.initial_window,
            _ => None,
        };
        match own {
            Some(segments) => segments,
            None => self.initial_window,
        }
    }

    /// The same settings with another congestion control.
    pub const fn with_congestion(self, congestion: Algorithm) -> Self {
        Config { congestion, ..self }
    }

    /// The same settings with timestamps that tell round-trip times; packets stay as long as they were.
    pub const fn with_timestamps(self) -> Self {
        let mss = if self.timestamps { self.mss } else { self.mss - 12 };
        Config { mss, timestamps: true, rtt: RttBy::Timestamps, ..self }
    }

    /// Receive window, bytes.
    pub const fn receive_window_bytes(&self) -> u64 {
        self.receive_window_segments as u64 * self.mss as u64
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        let fail = |what: &'static str| Err(ConfigError(what.into()));
        if !(64..=65_483).contains(&self.mss) {
            return fail("mss must be 64..65483 bytes"); // room for a full SACK option; fits an IPv4 packet with timestamps
        }
        if self.initial_window == 0 || self.receive_window_segments == 0 || self.ack_every == 0 {
            return fail("initial_window, receive_window_segments and ack_every must be at least 1");
        }
        if self.initial_ssthresh == Some(0) {
            return fail("initial_ssthresh must be at least 1");
        }
        if self.rtt == RttBy::Timestamps && !self.timestamps {
            return fail("rtt by timestamps takes timestamps");
        }
        if self.hystart && self.rtt != RttBy::Timestamps {
            return fail("hystart takes rtt by timestamps");
        }
        if !(10..=99).contains(&self.cubic_beta_percent) {
            return fail("cubic_beta must be 10 to 99 percent");
        }
        if self.receive_window_bytes() > u64::from(u32::MAX) {
            return fail("the receive window must be below 4 GiB");
        }
        if self.min_rto_ns == 0 || self.initial_rto_ns == 0 {
            return fail("min_rto and initial_rto must be above 0");
        }
        if self.max_rto_ns < self.min_rto_ns || self.max_rto_ns < self.initial_rto_ns {
            return fail("max_rto must not be below min_rto or initial_rto");
        }
        let own = self.vegas.check().and_then(|()| self.tcp_d.check());
        own.and_then(|()| self.tcp_ap.check().map_err(Into::into)).map_err(|said| ConfigError(said.into()))
    }
}

/// A setting is out of range; the text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Cow<'static, str>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let home = Config::home();
        assert_eq!(home.check(), Ok(()));
        let bad = [
            Config { mss: 63, ..home },
            Config { initial_window: 0, ..home },
            Config { ack_every: 0, ..home },
            Config { receive_window_segments: 0, ..home },
            Config { receive_window_segments: 3_000_000, ..home },
            Config { min_rto_ns: 0, ..home },
            Config { max_rto_ns: home.min_rto_ns - 1, ..home },
            Config { initial_ssthresh: Some(0), ..home },
            Config { rtt: RttBy::Timestamps, ..home },
            Config { hystart: true, ..home },
            Config { cubic_beta_percent: 9, ..home },
            Config { cubic_beta_percent: 100, ..home },
            Config { max_rto_ns: home.initial_rto_ns - 1, ..home },
            Config { vegas: VegasConfig { alpha: 0, ..home.vegas }, ..home },
            Config { vegas: VegasConfig { gamma: 1001, ..home.vegas }, ..home },
            Config { vegas: VegasConfig { alpha: 5, ..home.vegas }, ..home },
            Config { vegas: VegasConfig { initial_window: Some(0), ..home.vegas }, ..home },
            Config { tcp_d: TcpDConfig { k: 0, ..home.tcp_d }, ..home },
            Config { tcp_d: TcpDConfig { eps_percent: 96, ..home.tcp_d }, ..home },
            Config { tcp_d: TcpDConfig { q_percent: 0, ..home.tcp_d }, ..home },
            Config { tcp_d: TcpDConfig { initial_window: Some(0), ..home.tcp_d }, ..home },
            Config { tcp_ap: TcpApConfig { hops: Some(0), rate_bps: None }, ..home },
            Config { tcp_ap: TcpApConfig { hops: None, rate_bps: Some(0) }, ..home },
        ];
        for config in bad {
            assert!(config.check().is_err(), "{config:?}");
        }
    }

    /// 40 bytes of headers make 1500 on the wire.
    #[test]
    fn the_profiles_are_in_range() {
        let profiles = [Config::home(), Config::linux(), Config::bsd44(), Config::stz()];
        for profile in profiles.into_iter().chain([Config::ns2(), Config::ns2_35(), Config::testbed()]) {
            assert_eq!(profile.check(), Ok(()), "{profile:?}");
        }
        let (ns2, testbed) = (Config::ns2(), Config::testbed());
        assert_eq!((ns2.mss, ns2.first_window(), ns2.ack_every), (1460, 2, 1));
        assert_eq!((testbed.mss + 12 + 40, testbed.first_window(), testbed.hystart), (1500, 10, false));
        let stz = Config::stz();
        let first = [Algorithm::NewReno, Algorithm::Vegas, Algorithm::TcpD, Algorithm::Westwood]
            .map(|algorithm| stz.with_congestion(algorithm).first_window());
        assert_eq!((stz.mss + 40, first), (1500, [4, 2, 2, 4]));
    }
}
