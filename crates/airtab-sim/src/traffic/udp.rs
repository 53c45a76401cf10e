// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A stream of equal UDP packets, from a server to a station or the other way: at a constant rate, one that
//! [rises in steps](super::Sweep) or one that follows a [course](super::Points), with equal gaps, such as scatter, or
//! exponential ones (a Poisson stream, as in the CHAP dissertation 6.3), or saturated: there is always
//! a packet in the queue before the air (what models of DCF suppose: Bianchi 2000; Heusse et al. 2003).
//!
//! Courses and gaps that scatter are those of the CBT study's blast (M. Parris, "Class-Based Thresholds", UNC 2001, IV.5,
//! table 4.4, A.3.2).
//!
//! A saturated source keeps [`OUTSTANDING`] packets between itself and the end of their last attempt. In a cell with
//! aggregates it keeps two block ack windows ([`Setting::outstanding`]). The end of one packet sends the next one, so no
//! queue is flooded.
//!
//! What it does not do: nothing comes back, and nothing reacts to losses.

use airtab_core::time::MS;

use super::paid::Paid;
use super::ping::check_bytes;
use super::sweep::Ramp;
use super::{Application, Broken, Io, Kind, Points, Setting, Sweep};
use crate::engine::Stream;

/// Such an application.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rate {
    /// So many bit/s of IP packets, on the mean.
    Mean(u64),
    /// More with each step, on the mean.
    Sweep(Sweep),
    /// On the mean at times of the run, bit/s.
    Course(Points),
    /// As much as its station's queue, or the access point's, gets rid of.
    Max,
}

/// Packets that a saturated source keeps in flight without aggregates.
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
    /// Uniform between so much less and so much more than the mean, millionths of it, each independent of the others.
    Jitter(u32),
}

impl Gaps {
    /// Those that have a name in scenario files.
    pub const NAMES: [(&'static str, Gaps); 2] =
        [("constant", Gaps::Constant), ("exponential", Gaps::Exponential)];

    /// The next one, in mean ones.
    fn draw(self, draws: &mut Stream) -> f64 {
        match self {
            Gaps::Constant => 1.0,
            Gaps::Exponential => exponential(draws),
            Gaps::Jitter(ppm) => 1.0 + f64::from(ppm) * 1e-6 * (2.0 * draws.unit() - 1.0),
        }
    }
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
            Rate::Course(points) => {
                points.check("course")?;
                let some = points.list().iter().any(|point| point.1 > 0);
                Broken::unless(some, "course", "0 bit/s at all times sends nothing: give a rate somewhere")?;
            }
            Rate::Max => {}
        }
        if let Gaps::Jitter(ppm) = self.gaps {
            Broken::unless(ppm <= 1_000_000, "jitter", "no gap is shorter than nothing: at most 100 %")?;
        }
        check_bytes(self.bytes)
    }

    fn saturates(&self, up: bool) -> bool {
        self.rate == Rate::Max && up == self.upload
    }

    fn user(&self, setting: &Setting) -> Packets {
        let source = match &self.rate {
            Rate::Mean(rate_bps) => Some(Source::new(mean_gap_ns(*rate_bps, self.bytes), self.gaps, setting)),
            Rate::Sweep(sweep) => Some(Source::swept(*sweep, self.bytes, self.gaps, setting)),
            Rate::Course(points) => Some(Source::on_course(points, self.bytes, self.gaps, setting)),
            Rate::Max => None,
        };
        Packets { bytes: self.bytes, up: self.upload, source, outstanding: setting.outstanding }
    }
}

/// Packets of one user.
pub struct Packets {
    bytes: u32,
    up: bool,
    /// None: saturated.
    source: Option<Source>,
    /// Packets that a saturated source keeps in flight.
    outstanding: usize,
}

impl Application for Packets {
    fn start(&mut self, io: &mut Io) {
        match &mut self.source {
            Some(source) => {
                source.start(io.now());
                source.next_ns(io.now()).into_iter().for_each(|at| io.timer(at, 0));
            }
            None => (0..self.outstanding).for_each(|_| io.send(self.up, self.bytes, 0)),
        }
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        if let Some(source) = &mut self.source {
            source.next_ns(due).into_iter().for_each(|at| io.timer(at, key));
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
    /// Gaps that are over, in mean ones, where they scatter.
    over: f64,
    changing: Option<Box<Changing>>,
}

/// What differs where the rate changes.
struct Changing {
    rate: Changes,
    /// Bits of a packet.
    each: f64,
    /// Bits that the last packet's gap ended with.
    bits: f64,
}

/// How it changes.
enum Changes {
    /// From the first packet on.
    Steps(Ramp),
    /// With the run's time, from when it begins; so much of the first packet is paid for then. None before.
    Course { points: Points, paid: Option<Paid> },
}

impl Source {
    fn new(mean_ns: f64, gaps: Gaps, setting: &Setting) -> Source {
        let mut draws = Stream::new(setting.seed, &format!("app/{}/gaps", setting.name()));
        // A random phase, so that streams do not march in step.
        let phase_ns = (draws.unit() * mean_ns) as u64;
        let mut source =
            Source { mean_ns, gaps, sent: 0, first_ns: 0, draws, over: 0.0, changing: None };
        let drawn = if gaps == Gaps::Exponential { source.gap_ns() } else { phase_ns };
        source.first_ns = setting.phase_ns.unwrap_or(drawn);
        source
    }

    /// One whose rate rises; its phase is of the first rate.
    fn swept(sweep: Sweep, bytes: u32, gaps: Gaps, setting: &Setting) -> Source {
        let source = Source::new(mean_gap_ns(sweep.start_bps, bytes), gaps, setting);
        source.changing(Changes::Steps(Ramp::new(sweep)), bytes, 0.0)
    }

    /// One whose rate follows a course. Its phase is a part of a packet, not of a time: the rate may be nothing yet.
    fn on_course(points: &Points, bytes: u32, gaps: Gaps, setting: &Setting) -> Source {
        let mut source = Source::new(0.0, gaps, setting);
        let first = match (setting.phase_ns, gaps) {
            (Some(_), _) => 0.0,
            (None, Gaps::Exponential) => exponential(&mut source.draws),
            (None, _) => 1.0 - source.draws.unit(),
        };
        source.changing(Changes::Course { points: points.clone(), paid: None }, bytes, first)
    }

    fn changing(self, rate: Changes, bytes: u32, first: f64) -> Source {
        let each = f64::from(bytes) * 8.0;
        Source { changing: Some(Box::new(Changing { rate, each, bits: first * each })), ..self }
    }

    fn start(&mut self, now: u64) {
        self.first_ns += now;
        if let Some(Changing { rate: Changes::Course { points, paid }, .. }) = self.changing.as_deref_mut() {
            *paid = Some(Paid::begun(points.clone(), self.first_ns));
        }
    }

    /// The time of the next packet, asked for when the last one was sent, ns; None: no other one comes.
    fn next_ns(&mut self, now: u64) -> Option<u64> {
        let n = self.sent;
        self.sent += 1;
        if let Some(Changing { rate, each, bits }) = self.changing.as_deref_mut() {
            if n > 0 {
                *bits += self.gaps.draw(&mut self.draws) * *each;
            }
            return match rate {
                Changes::Steps(ramp) => Some(self.first_ns + ramp.time_ns(*bits)),
                Changes::Course { paid, .. } => paid.as_mut()?.time_ns(*bits),
            };
        }
        Some(match self.gaps {
            // From the first one on: rounding to ns never adds up.
            Gaps::Constant => self.first_ns + libm::round(n as f64 * self.mean_ns) as u64,
            _ if n == 0 => self.first_ns,
            Gaps::Exponential => now + self.gap_ns(),
            Gaps::Jitter(_) => {
                self.over += self.gaps.draw(&mut self.draws);
                self.first_ns + libm::round(self.over * self.mean_ns) as u64
            }
        })
    }

    /// The next gap, if they are exponential, ns.
    fn gap_ns(&mut self) -> u64 {
        libm::round(self.mean_ns * exponential(&mut self.draws)) as u64
    }
}

/// From the exponential distribution of mean 1.
pub(super) fn exponential(draws: &mut Stream) -> f64 {
    -libm::log(1.0 - draws.unit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packets of application `app` in run `seed`, begun at `now`.
    fn packets(rate_bps: u64, gaps: Gaps, seed: u64, app: &str, now: u64) -> Source {
        let setting = Setting { seed, app, user: 0, users: 1, active_ns: 0, phase_ns: None, outstanding: 2 };
        let udp = Udp { rate: Rate::Mean(rate_bps), bytes: 1500, gaps, upload: false };
        let mut source = udp.user(&setting).source.expect("it has a rate");
        source.start(now);
        source
    }

    fn times(rate_bps: u64, gaps: Gaps, n: usize) -> Vec<u64> {
        let mut source = packets(rate_bps, gaps, 1, "udp", 0);
        let mut now = 0;
        let next = |_| {
            now = source.next_ns(now).expect("another one");
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

    /// Uniform from half to one and a half of the mean gap; the rate stays.
    #[test]
    fn gaps_that_scatter_have_their_moments() {
        let times = times(13_500_000, Gaps::Jitter(500_000), 200_001);
        let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64 / 888_888.9).collect();
        assert!(gaps.iter().all(|gap| (0.499_99..1.500_01).contains(gap)));
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let variance = gaps.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / n;
        // A standard error of 0.289 / sqrt(n) = 0.0006; 1/12 of the width squared.
        assert!((mean - 1.0).abs() < 0.002, "{mean}");
        assert!((variance * 12.0 - 1.0).abs() < 0.01, "{variance}");
        let below = gaps.iter().filter(|gap| **gap < 0.75).count() as f64 / n;
        assert!((below - 0.25).abs() < 0.004, "{below}: a quarter of them");
    }

    /// The first packet comes anywhere within a gap, another time for each application and seed.
    #[test]
    fn streams_do_not_march_in_step() {
        let first =
            |seed, app| packets(13_500_000, Gaps::Constant, seed, app, 5_000).next_ns(5_000).expect("a first one");
        let firsts: Vec<f64> = (0..400).map(|seed| (first(seed, "udp") - 5_000) as f64 / 888_888.9).collect();
        assert!(firsts.iter().all(|phase| (0.0..1.0).contains(phase)));
        let mean = firsts.iter().sum::<f64>() / 400.0;
        assert!((mean - 0.5).abs() < 0.06, "{mean}: the standard error is 0.014");
        assert_ne!(first(1, "udp"), first(1, "other"));
    }
}
