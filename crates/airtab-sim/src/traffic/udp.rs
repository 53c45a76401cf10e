// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A stream of equal UDP packets, from a server to a station or the other way: at a constant rate or one that
//! [rises in steps](super::Sweep), with equal or exponential gaps (a Poisson stream, as in the CHAP dissertation 6.3), or saturated: there is always
//! a packet in the queue before the air (what models of DCF suppose: Bianchi 2000; Heusse et al. 2003).
//!
//! A saturated source never has more than [`OUTSTANDING`] packets between itself and the end of
//! their last attempt: whenever one is over it sends the next one. So one is at the MAC, the other waits, and
//! no queue is flooded.
//!
//! What it does not do: nothing comes back, and nothing reacts to losses.

use airtab_core::time::MS;

use super::ping::check_bytes;
use super::sweep::Ramp;
use super::{Application, Broken, Io, Kind, Setting, Sweep};
use crate::engine::Stream;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Udp {
    /// How much is sent.
    pub rate: Rate,
    /// IP packet, bytes.
    pub bytes: u32,
    /// Time from one to the next; not of a saturated source.
    pub gaps: Gaps,
    /// From the station to the server, instead of to the station.
    pub upload: bool,
}

/// How much a stream sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// So many bit/s of IP packets, on the mean.
    Mean(u64),
    /// More with each step, on the mean.
    Sweep(Sweep),
    /// As much as its station's queue, or the access point's, gets rid of.
    Max,
}

/// Packets of a saturated source that are on their way to the end of their last attempt.
pub const OUTSTANDING: usize = 2;
/// From a drop of a saturated source's packet to the next one: a full queue is not asked again at once, ns.
const AFTER_DROP_NS: u64 = MS;

/// Time from one packet to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// Always the same.
    Constant,
    /// From the exponential distribution, each independent of the others.
    Exponential,
}

impl Gaps {
    /// Every variant with its name in scenario files.
    pub const NAMES: [(&'static str, Gaps); 2] =
        [("constant", Gaps::Constant), ("exponential", Gaps::Exponential)];
}

/// Mean time from one packet of `bytes` to the next at `rate_bps` > 0, ns.
fn mean_gap_ns(rate_bps: u64, bytes: u32) -> f64 {
    f64::from(bytes) * 8e9 / rate_bps as f64
}

impl Kind for Udp {
    type Application = Packets;
    const PORT: u16 = 5001;

    fn check(&self) -> Result<(), Broken> {
        match &self.rate {
            Rate::Mean(bps) => Broken::unless(*bps > 0, "rate", "must not be 0")?,
            Rate::Sweep(sweep) => sweep.check()?,
            Rate::Max => {}
        }
        check_bytes(self.bytes)
    }

    fn saturates(&self, up: bool) -> bool {
        self.rate == Rate::Max && up == self.upload
    }

    fn user(&self, setting: &Setting) -> Packets {
        let source = match self.rate {
            Rate::Mean(rate_bps) => Some(Source::new(mean_gap_ns(rate_bps, self.bytes), self.gaps, setting)),
            Rate::Sweep(sweep) => Some(Source::swept(sweep, self.bytes, self.gaps, setting)),
            Rate::Max => None,
        };
        Packets { bytes: self.bytes, up: self.upload, source }
    }
}

/// Packets of one user.
pub struct Packets {
    bytes: u32,
    up: bool,
    /// None: saturated.
    source: Option<Source>,
}

impl Application for Packets {
    fn start(&mut self, io: &mut Io) {
        match &mut self.source {
            Some(source) => {
                source.start(io.now());
                io.timer(source.next_ns(io.now()), 0);
            }
            None => (0..OUTSTANDING).for_each(|_| io.send(self.up, self.bytes, 0)),
        }
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        if let Some(source) = &mut self.source {
            io.timer(source.next_ns(due), key);
        }
        io.send(self.up, self.bytes, 0);
    }

    fn over(&mut self, dropped: bool, io: &mut Io) {
        match dropped {
            true => io.timer(io.now() + AFTER_DROP_NS, 0),
            false => io.send(self.up, self.bytes, 0),
        }
    }
}

/// When the packets of one user are sent.
struct Source {
    mean_ns: f64,
    gaps: Gaps,
    /// Packets so far.
    sent: u64,
    first_ns: u64,
    draws: Stream,
    rising: Option<Box<Rising>>,
}

/// What differs where the rate rises.
struct Rising {
    ramp: Ramp,
    /// Bits of a packet.
    each: f64,
    /// Bits that the last packet's gap ended with.
    bits: f64,
}

impl Rising {
    /// When the next packet's gap of so many packets is over, ns after the first.
    fn next_ns(&mut self, packets: f64) -> u64 {
        self.bits += packets * self.each;
        self.ramp.time_ns(self.bits)
    }
}

impl Source {
    fn new(mean_ns: f64, gaps: Gaps, setting: &Setting) -> Source {
        let mut draws = Stream::new(setting.seed, &format!("app/{}/gaps", setting.name()));
        // A random phase, so that streams do not march in step.
        let phase_ns = (draws.unit() * mean_ns) as u64;
        let mut source = Source { mean_ns, gaps, sent: 0, first_ns: 0, draws, rising: None };
        let drawn = if gaps == Gaps::Constant { phase_ns } else { source.gap_ns() };
        source.first_ns = setting.phase_ns.unwrap_or(drawn);
        source
    }

    /// One whose rate rises; its phase is of the first rate.
    fn swept(sweep: Sweep, bytes: u32, gaps: Gaps, setting: &Setting) -> Source {
        let source = Source::new(mean_gap_ns(sweep.start_bps, bytes), gaps, setting);
        let each = f64::from(bytes) * 8.0;
        let rising = Box::new(Rising { ramp: Ramp::new(sweep), each, bits: 0.0 });
        Source { rising: Some(rising), ..source }
    }

    fn start(&mut self, now: u64) {
        self.first_ns += now;
    }

    /// The time of the next packet, asked for when the last one was sent, ns.
    fn next_ns(&mut self, now: u64) -> u64 {
        let n = self.sent;
        self.sent += 1;
        if let Some(rising) = &mut self.rising {
            let packets = match self.gaps {
                _ if n == 0 => 0.0,
                Gaps::Constant => 1.0,
                Gaps::Exponential => exponential(&mut self.draws),
            };
            return self.first_ns + rising.next_ns(packets);
        }
        match self.gaps {
            // From the first one on: rounding to ns never adds up.
            Gaps::Constant => self.first_ns + libm::round(n as f64 * self.mean_ns) as u64,
            Gaps::Exponential if n == 0 => self.first_ns,
            Gaps::Exponential => now + self.gap_ns(),
        }
    }

    /// The next gap, if they are exponential, ns.
    fn gap_ns(&mut self) -> u64 {
        libm::round(self.mean_ns * exponential(&mut self.draws)) as u64
    }
}

/// From the exponential distribution of mean 1.
fn exponential(draws: &mut Stream) -> f64 {
    -libm::log(1.0 - draws.unit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packets of application `app` in run `seed`, begun at `now`.
    fn packets(rate_bps: u64, gaps: Gaps, seed: u64, app: &str, now: u64) -> Source {
        let setting = Setting { seed, app, user: 0, users: 1, active_ns: 0, phase_ns: None };
        let udp = Udp { rate: Rate::Mean(rate_bps), bytes: 1500, gaps, upload: false };
        let mut source = udp.user(&setting).source.expect("it has a rate");
        source.start(now);
        source
    }

    fn times(rate_bps: u64, gaps: Gaps, n: usize) -> Vec<u64> {
        let mut source = packets(rate_bps, gaps, 1, "udp", 0);
        let mut now = 0;
        let next = |_| {
            now = source.next_ns(now);
            now
        };
        (0..n).map(next).collect()
    }

    /// 13.5 Mb/s in packets of 1500 bytes: 1125 a second, 888,888.9 ns apart.
    #[test]
    fn a_constant_rate_keeps_its_rate() {
        let times = times(13_500_000, Gaps::Constant, 11_251);
        assert!(times[0] < 888_889);
        assert_eq!(times[11_250] - times[0], 10_000_000_000, "exact after 10 s");
        assert!(times.windows(2).all(|w| (888_888..=888_890).contains(&(w[1] - w[0]))));
    }

    #[test]
    fn exponential_gaps_have_their_moments() {
        let times = times(13_500_000, Gaps::Exponential, 200_001);
        let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64 / 888_888.9).collect();
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let square = gaps.iter().map(|g| g * g).sum::<f64>() / n;
        // Standard errors: 1 / sqrt(n) = 0.0022 and sqrt(20 / n) = 0.01.
        assert!((mean - 1.0).abs() < 0.007, "{mean}");
        assert!((square - 2.0).abs() < 0.03, "{square}");
        let longer = gaps.iter().filter(|g| **g > 3.0).count() as f64 / n;
        assert!((longer - libm::exp(-3.0)).abs() < 0.0015, "{longer}");
    }

    /// The first packet comes anywhere within a gap, another time for each application and seed.
    #[test]
    fn streams_do_not_march_in_step() {
        let first =
            |seed, app| packets(13_500_000, Gaps::Constant, seed, app, 5_000).next_ns(5_000);
        let firsts: Vec<f64> = (0..400).map(|seed| (first(seed, "udp") - 5_000) as f64 / 888_888.9).collect();
        assert!(firsts.iter().all(|phase| (0.0..1.0).contains(phase)));
        let mean = firsts.iter().sum::<f64>() / 400.0;
        assert!((mean - 0.5).abs() < 0.06, "{mean}: the standard error is 0.014");
        assert_ne!(first(1, "udp"), first(1, "other"));
    }
}
