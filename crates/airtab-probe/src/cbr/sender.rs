// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The sending half: when which packet goes, the steps of a sweep, and what echoes say (Starzetz 6.3.1).
//!
//! A state machine: `now_ns` is monotonic, `system_ns` the system time that travels in packets. Call
//! [`Sender::advance`] until it gives nothing, then [`Sender::packet`] and [`Sender::sent`] while
//! [`Sender::wait_ns`] is 0, and [`Sender::handle`] for whatever arrives.
//!
//! What it does not do: no I/O, no clock; no rate of its own that would mean anything on a network that
//! drops packets: what arrives is known from echoes only.

use airtab_quality::Delays;

use super::payload::{HEADER_BYTES, Header, Kind};
use super::rate_bps;
use super::rtt::{Echo, Echoes, Outstanding};
use crate::token_bucket::Shaper;

/// What to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Average rate, b/s; the first one of a sweep.
    pub rate_bps: u64,
    /// No two packets follow each other faster than this rate says, b/s.
    pub peak_bps: Option<u64>,
    /// Raise the rate in steps.
    pub sweep: Option<Sweep>,
    /// UDP payload of each packet, bytes.
    pub payload_bytes: usize,
    /// Depth of the average bucket: what may be made up for after a late wake-up, bytes. Without one: 50 ms
    /// at the rate, and at least four packets.
    pub burst_bytes: Option<u64>,
    /// Added to each packet in all rates, bytes: 0, or [`super::header_bytes`].
    pub header_bytes: u64,
    /// From one report to the next, ns.
    pub report_ns: u64,
    /// Measure round-trip times.
    pub pings: Option<Pings>,
    /// End after this time, ns; without one a sweep ends with its last step, and a constant rate never.
    pub duration_ns: Option<u64>,
}

/// A rising rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The last rate, b/s.
    pub max_bps: u64,
    /// From one rate to the next.
    pub step: Step,
    /// How long each rate is kept, ns.
    pub step_ns: u64,
}

/// From one rate of a sweep to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many equal steps.
    Count(u32),
    /// So much is added, b/s; the last step may be smaller.
    Add(u64),
}

/// Which packets are PINGs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pings {
    /// Share of the packets, above 0 and up to 1.
    pub ratio: f64,
    /// Draw each at random, instead of every round(1/ratio)-th.
    pub random: bool,
    /// How many PINGs to remember; without one those of 10 s, between 16 and 65536.
    pub depth: Option<usize>,
}

/// Settings that cannot be sent with; says which, and what would do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl Config {
    /// # Errors
    /// Names the first value that makes no sense, and what would.
    pub fn check(&self) -> Result<(), ConfigError> {
        let fail = |message: String| Err(ConfigError(message));
        let packet = self.packet_bytes();
        if self.rate_bps == 0 || self.peak_bps == Some(0) {
            return fail("a rate of 0 sends nothing: give more than 0b/s".into());
        }
        if self.payload_bytes < HEADER_BYTES || self.payload_bytes > usize::from(u16::MAX) {
            let n = self.payload_bytes;
            return fail(format!(
                "a payload of {n} bytes: give at least {HEADER_BYTES}, which are the header, and at most 65507"
            ));
        }
        if let Some(burst) = self.burst_bytes.filter(|burst| *burst < packet) {
            return fail(format!("a burst of {burst} bytes holds no packet: give at least {packet}"));
        }
        if let Some(peak) = self.peak_bps.filter(|peak| *peak < self.top_bps()) {
            let top = self.top_bps();
            return fail(format!("a peak rate of {peak} b/s is below the average of {top}: give more"));
        }
        if self.report_ns == 0 || self.duration_ns == Some(0) {
            return fail("a time of 0 between reports, or in all: give more than 0s".into());
        }
        if let Some(sweep) = &self.sweep {
            if sweep.max_bps <= self.rate_bps {
                let (max, rate) = (sweep.max_bps, self.rate_bps);
                return fail(format!(
                    "the sweep ends at {max} b/s and starts at {rate}: end above the start"
                ));
            }
            if sweep.step_ns == 0 || matches!(sweep.step, Step::Count(0) | Step::Add(0)) {
                return fail("a sweep needs steps, each with a length: give more than 0".into());
            }
        }
        if let Some(pings) = &self.pings {
            if !(pings.ratio > 0.0 && pings.ratio <= 1.0) {
                return fail(format!("{} of the packets as PINGs: give more than 0, up to 1", pings.ratio));
            }
            if pings.depth.is_some_and(|depth| !(1..=1 << 20).contains(&depth)) {
                return fail("the queue of PINGs: give 1 to 1048576, or none".into());
            }
        }
        Ok(())
    }

    /// What a packet costs, bytes.
    fn packet_bytes(&self) -> u64 {
        self.payload_bytes as u64 + self.header_bytes
    }

    /// Number of rates.
    pub fn levels(&self) -> u64 {
        1 + self.sweep.map_or(0, |sweep| match sweep.step {
            Step::Count(n) => u64::from(n),
            Step::Add(add) => (sweep.max_bps - self.rate_bps).div_ceil(add),
        })
    }

    /// Rate number `level`, b/s; the last one if there are fewer.
    pub fn level_bps(&self, level: u64) -> u64 {
        let Some(sweep) = self.sweep else { return self.rate_bps };
        let range = sweep.max_bps - self.rate_bps;
        let more = match sweep.step {
            Step::Count(n) => u128::from(range) * u128::from(level) / u128::from(n),
            Step::Add(add) => u128::from(add) * u128::from(level),
        };
        self.rate_bps + more.min(range.into()) as u64
    }

    fn top_bps(&self) -> u64 {
        self.sweep.map_or(self.rate_bps, |sweep| sweep.max_bps)
    }

    fn burst(&self, rate_bps: u64) -> u64 {
        self.burst_bytes.unwrap_or_else(|| (rate_bps / 160).max(4 * self.packet_bytes()))
    }

    fn depth(&self, pings: &Pings) -> usize {
        let second = self.top_bps() as f64 / (self.packet_bytes() * 8) as f64 * pings.ratio;
        pings.depth.unwrap_or((second * 10.0).clamp(16.0, 65536.0) as usize)
    }
}

/// Round-trip times of a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rtt {
    /// How many.
    pub count: u64,
    /// Mean, ns.
    pub mean_ns: f64,
    /// Smallest, ns.
    pub min_ns: u64,
    /// Median, ns, at most 0.1 % too great, as the other percentiles.
    pub p50_ns: u64,
    /// 95th percentile, ns.
    pub p95_ns: u64,
    /// 99th percentile, ns.
    pub p99_ns: u64,
    /// Greatest, ns.
    pub max_ns: u64,
}

impl Rtt {
    fn of(delays: &Delays) -> Option<Rtt> {
        Some(Rtt {
            count: delays.count(),
            mean_ns: delays.mean_ns()?,
            min_ns: delays.min_ns()?,
            p50_ns: delays.p50_ns()?,
            p95_ns: delays.quantile_ns(0.95)?,
            p99_ns: delays.p99_ns()?,
            max_ns: delays.max_ns()?,
        })
    }
}

/// What happened in a stretch of time at one asked rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// From the start of the run, ns.
    pub start_ns: u64,
    /// When it was really over, ns.
    pub end_ns: u64,
    /// Average rate asked for, b/s.
    pub asked_bps: u64,
    /// Packets that the socket took.
    pub packets: u64,
    /// Their payload, bytes.
    pub bytes: u64,
    /// Their rate, with headers if so configured, b/s.
    pub sent_bps: u64,
    /// Packets that the socket refused.
    pub errors: u64,
    /// Round-trip times of the echoes that came.
    pub rtt: Option<Rtt>,
    /// The last rate that an echo reported, b/s.
    pub rx_bps: Option<u64>,
}

/// One round-trip time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When the PING was sent, ns from the start of the run.
    pub sent_ns: u64,
    /// From there to the arrival of the echo, ns.
    pub rtt_ns: u64,
    /// From there to the arrival at the receiver, ns: the difference of two system clocks.
    pub forward_ns: i64,
}

impl Sample {
    /// True if the one-way time is within the round trip; otherwise the system clocks differ, or one was set meanwhile.
    ///
    /// Limits: a difference of the clocks below the one-way time of the echo is not noticed.
    pub fn clocks_agree(&self) -> bool {
        u64::try_from(self.forward_ns).is_ok_and(|there_ns| there_ns <= self.rtt_ns)
    }
}

/// A whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The whole time; its asked rate is that of the last step.
    pub total: Interval,
    /// Each rate of a sweep, as far as it came; a single one without a sweep.
    pub steps: Vec<Interval>,
    /// What became of the PINGs.
    pub echoes: Echoes,
    /// One-way times below 0 or above their round trip.
    pub impossible: u64,
}

/// Sums of a stretch.
#[derive(Debug)]
struct Sums {
    start_ns: u64,
    packets: u64,
    errors: u64,
    delays: Delays,
    rx_bps: Option<u64>,
}

impl Sums {
    fn new(start_ns: u64) -> Sums {
        Sums { start_ns, packets: 0, errors: 0, delays: Delays::new(), rx_bps: None }
    }
}

/// One run.
#[derive(Debug)]
pub struct Sender {
    config: Config,
    flow: u32,
    random: fastrand::Rng,
    shaper: Shaper,
    outstanding: Option<Outstanding>,
    start_ns: u64,
    /// Of the next packet.
    seq: u64,
    ping: bool,
    level: u64,
    next_report_ns: u64,
    interval: Sums,
    step: Sums,
    total: Sums,
    steps: Vec<Interval>,
    impossible: u64,
    /// When the run was over.
    done_ns: Option<u64>,
}

impl Sender {
    /// A run that starts at `now_ns`. `seed` decides on its flow number and on random PINGs.
    ///
    /// # Errors
    /// As [`Config::check`].
    pub fn new(config: Config, now_ns: u64, seed: u64) -> Result<Sender, ConfigError> {
        config.check()?;
        let mut random = fastrand::Rng::with_seed(seed);
        let flow = random.u32(..);
        let (rate, packet) = (config.rate_bps, config.packet_bytes());
        let mut sender = Sender {
            flow,
            shaper: Shaper::new(now_ns, rate, config.peak_bps, config.burst(rate), packet),
            outstanding: config.pings.map(|pings| Outstanding::new(flow, config.depth(&pings))),
            start_ns: now_ns,
            seq: 0,
            ping: false,
            level: 0,
            next_report_ns: now_ns.saturating_add(config.report_ns),
            interval: Sums::new(now_ns),
            step: Sums::new(now_ns),
            total: Sums::new(now_ns),
            steps: Vec::new(),
            impossible: 0,
            done_ns: None,
            random,
            config,
        };
        sender.ping = sender.choose();
        Ok(sender)
    }

    /// Moves to `now_ns`: earns tokens, changes the rate, ends the run. Gives a report that is due; call it
    /// until there is none.
    pub fn advance(&mut self, now_ns: u64) -> Option<Interval> {
        if self.is_done() || now_ns < self.deadline_ns() {
            self.shaper.refill(now_ns);
            return None;
        }
        let report = self.close_interval(now_ns);
        let level_end = self.level_end_ns();
        if now_ns >= self.end_ns() || (now_ns >= level_end && self.level + 1 == self.config.levels()) {
            self.done_ns = Some(now_ns);
        } else if now_ns >= level_end {
            self.close_step(now_ns);
            self.level += 1;
            let rate = self.config.level_bps(self.level);
            self.shaper.set_average(level_end, rate, self.config.burst(rate));
        }
        while self.next_report_ns <= now_ns {
            self.next_report_ns = self.next_report_ns.saturating_add(self.config.report_ns);
        }
        Some(report)
    }

    /// Whether the run is over.
    pub fn is_done(&self) -> bool {
        self.done_ns.is_some()
    }

    /// Whether echoes may still come.
    pub fn is_waiting(&self) -> bool {
        self.outstanding.as_ref().is_some_and(Outstanding::is_waiting)
    }

    /// How long after the last [`Self::advance`] the next packet may go, ns; 0: now.
    pub fn wait_ns(&self) -> u64 {
        if self.is_done() { u64::MAX } else { self.shaper.wait_ns(self.config.packet_bytes()) }
    }

    /// When [`Self::advance`] has something to do at the latest, ns.
    pub fn deadline_ns(&self) -> u64 {
        self.next_report_ns.min(self.level_end_ns()).min(self.end_ns())
    }

    /// Writes the next packet's header. It does not count as sent yet.
    pub fn packet(&self, system_ns: u64, payload: &mut [u8]) {
        let kind = if self.ping { Kind::Ping } else { Kind::Data };
        let seq = self.seq as u32;
        Header { kind, flow: self.flow, seq, sent_ns: system_ns, rx_bps: 0, echo_rx_ns: 0 }.write(payload);
    }

    /// The packet that was written with this `system_ns` was handed over at `now_ns`, and `accepted` or not.
    ///
    /// # Panics
    /// If it was not its turn.
    pub fn sent(&mut self, now_ns: u64, system_ns: u64, accepted: bool) {
        self.shaper.take(self.config.packet_bytes());
        for sums in [&mut self.interval, &mut self.step, &mut self.total] {
            *(if accepted { &mut sums.packets } else { &mut sums.errors }) += 1;
        }
        if let Some(outstanding) = self.outstanding.as_mut().filter(|_| self.ping && accepted) {
            outstanding.sent(self.seq, system_ns, now_ns);
        }
        self.seq += 1;
        self.ping = self.choose();
    }

    /// A datagram arrived at `now_ns`. Gives a round-trip time if it is an answer.
    pub fn handle(&mut self, now_ns: u64, datagram: &[u8]) -> Option<Sample> {
        let outstanding = self.outstanding.as_mut()?;
        let header = match Header::parse(datagram) {
            Ok(header) if header.kind == Kind::Echo => header,
            _ => {
                outstanding.foreign();
                return None;
            }
        };
        let Echo::Answer { sent_ns, rtt_ns } = outstanding.echo(&header, self.seq.saturating_sub(1), now_ns)
        else {
            return None;
        };
        for sums in [&mut self.interval, &mut self.step, &mut self.total] {
            sums.delays.record_ns(rtt_ns);
            sums.rx_bps = Some(header.rx_bps).filter(|rx| *rx > 0).or(sums.rx_bps);
        }
        let forward_ns = i128::from(header.echo_rx_ns) - i128::from(header.sent_ns);
        let forward_ns = forward_ns.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let sample = Sample { sent_ns: sent_ns - self.start_ns, rtt_ns, forward_ns };
        self.impossible += u64::from(!sample.clocks_agree());
        Some(sample)
    }

    /// Ends the run, with what has not been reported yet. Echoes that came after its end count.
    pub fn finish(mut self, now_ns: u64) -> (Interval, Summary) {
        let now_ns = self.done_ns.unwrap_or(now_ns);
        let last = self.close_interval(now_ns);
        self.close_step(now_ns);
        let total = self.report(&self.total, now_ns);
        let echoes = self.outstanding.as_ref().map(Outstanding::echoes).unwrap_or_default();
        (last, Summary { total, steps: self.steps, echoes, impossible: self.impossible })
    }

    fn choose(&mut self) -> bool {
        match self.config.pings {
            None => false,
            Some(Pings { ratio, random: true, .. }) => self.random.f64() < ratio,
            Some(Pings { ratio, .. }) => self.seq.is_multiple_of((1.0 / ratio).round() as u64),
        }
    }

    fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.config.duration_ns.unwrap_or(u64::MAX))
    }

    fn level_end_ns(&self) -> u64 {
        let step_ns = self.config.sweep.map_or(u64::MAX, |sweep| sweep.step_ns);
        self.start_ns.saturating_add(step_ns.saturating_mul(self.level + 1))
    }

    fn close_interval(&mut self, now_ns: u64) -> Interval {
        let sums = std::mem::replace(&mut self.interval, Sums::new(now_ns));
        self.report(&sums, now_ns)
    }

    fn close_step(&mut self, now_ns: u64) {
        let sums = std::mem::replace(&mut self.step, Sums::new(now_ns));
        self.steps.push(self.report(&sums, now_ns));
    }

    fn report(&self, sums: &Sums, now_ns: u64) -> Interval {
        let bytes = sums.packets * self.config.packet_bytes();
        Interval {
            start_ns: sums.start_ns - self.start_ns,
            end_ns: now_ns.saturating_sub(self.start_ns),
            asked_bps: self.config.level_bps(self.level),
            packets: sums.packets,
            bytes: sums.packets * self.config.payload_bytes as u64,
            sent_bps: rate_bps(bytes, now_ns.saturating_sub(sums.start_ns)),
            errors: sums.errors,
            rtt: Rtt::of(&sums.delays),
            rx_bps: sums.rx_bps,
        }
    }
}

#[cfg(test)]
mod tests;
