// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The sending half: what to send next, and loss recovery.
//!
//! Sources: RFC 6675 (SACK recovery; section numbers below are its), RFC 6937 (`prr`), RFC 5681 (fast retransmit, timeout, idle
//! restart), RFC 6298 (timer), RFC 3042 (limited transmit, with SACK through `pipe`); without SACK RFC 5681 3.2 and RFC
//! 6582 (`duplicates`).
//!
//! Choices where the RFCs leave one:
//! - the timer is that of the lowest outstanding byte: it restarts when that is acknowledged or retransmitted, and not
//!   with every retransmission (RFC 6675 6 allows both; the latter can put off the timeout of a retransmission that
//!   was lost for as long as others follow);
//! - after a timeout the holes below the highest byte sent are filled in sequence, SACKed data is kept, and no fast
//!   recovery begins until all of it is acknowledged (RFC 6675 5.1);
//! - evidence of loss is looked at with every acknowledgement, also when it is left over from the last recovery;
//! - one segment per round trip is timed, and the sample is taken when it is first acknowledged or SACKed; without SACK
//!   none is timed in a recovery;
//! - without SACK all that was outstanding at a timeout is sent again (go-back-N).
//!
//! Not done: Nagle, RACK, tail loss probes, F-RTO, zero-window probes (the receive window never closes).

mod marks;
mod next_segment;
#[cfg(test)]
mod tests;
mod without_sack;

use super::config::{Config, Recovery, RttBy};
use super::congestion::{Ack, Congestion, Controller};
use super::copies::Copies;
use super::duplicates::Duplicates;
use super::ecn::Reduced;
use super::hystart::{Growth, HyStart};
use super::pacer::Pacer;
use super::prr::Prr;
use super::rtt::Rtt;
use super::scoreboard::Scoreboard;
use super::segment::Segment;
use super::sent_times::SentTimes;
use next_segment::Kind;

const NEVER: u64 = u64::MAX;
const DUP_THRESH: u32 = 3;

/// Counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Data segments sent, retransmissions included.
    pub segments: u64,
    /// Data segments retransmitted.
    pub retransmits: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Acknowledgements of new data with a smoothed round-trip time.
    pub acks: u64,
    /// Sum of the smoothed round-trip time at each of them, ns.
    pub srtt_sum_ns: u64,
    /// Round-trip times measured, each as it was.
    pub round_trips: u64,
    /// The last of them, ns.
    pub round_trip_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Fast recovery until `recovery_point` is acknowledged.
    Recovery,
    /// Filling holes after a timeout, until `recovery_point` is acknowledged.
    Repair,
}

#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub rtt: Rtt,
    pub congestion: Controller,
    pub stats: Stats,
    board: Scoreboard,
    /// None: SACK tells what has left the network.
    without_sack: Option<Duplicates>,
    state: State,
    recovery_point: u64,
    /// With SACK: the retransmissions that are on their way.
    copies: Copies,
    /// None: a recovery sends whatever fits the window.
    prr: Option<Prr>,
    /// None: slow start ends at the threshold.
    hystart: Option<HyStart>,
    /// Round-trip time of the last acknowledgement, ns, by its timestamp.
    round_trip: Option<u64>,
    /// None: nobody marks data.
    ecn: Option<Reduced>,
    /// RescueRxt.
    rescued: u64,
    duplicates: u32,
    /// The first hole goes out whatever the window (5, step 4.3).
    retransmit_now: bool,
    /// End of what the application has written.
    written: u64,
    /// End of what the receiver accepts.
    window_edge: u64,
    window_limited: bool,
    /// When the retransmission timer expires.
    deadline: u64,
    /// None: segments leave as the window allows.
    pacer: Option<Pacer>,
    /// The acknowledgement that is looked at does not open the window.
    closed: bool,
    /// Until when a segment that could go is kept back.
    held: u64,
    by_timestamps: bool,
    /// None: the congestion control does not ask for them.
    sent_times: Option<SentTimes>,
    /// Expiries since data was last acknowledged.
    expiries: u32,
    /// Last byte of the segment being timed, and when it was sent.
    timed: Option<(u64, u64)>,
    last_sent: u64,
    mss: u64,
    restart_window: u64,
}

impl Sender {
    /// Takes over the storage of another sender.
    pub fn adopt(&mut self, old: Sender) {
        self.board.adopt(old.board);
        self.copies.adopt(old.copies);
        if let (Some(own), Some(old)) = (&mut self.sent_times, old.sent_times) {
            own.adopt(old);
        }
    }

    pub fn new(config: &Config) -> Self {
        let mss = u64::from(config.mss);
        let initial = u64::from(config.first_window()) * mss;
        let mut congestion = Controller::new(config.congestion, mss, initial);
        congestion.configure(config);
        if let Some(segments) = config.initial_ssthresh {
            congestion.set_ssthresh(u64::from(segments) * mss);
        }
        Sender {
            rtt: Rtt::new(config),
            sent_times: congestion.times_each().then(SentTimes::default),
            congestion,
            stats: Stats::default(),
            board: Scoreboard::new(mss),
            without_sack: (config.recovery != Recovery::Sack).then(|| Duplicates::new(config)),
            state: State::Open,
            recovery_point: 0,
            copies: Copies::default(),
            prr: config.prr.then(Prr::default),
            hystart: config.hystart.then(HyStart::default),
            round_trip: None,
            ecn: None,
            rescued: 0,
            duplicates: 0,
            retransmit_now: false,
            written: 1,
            window_edge: 1,
            window_limited: false,
            deadline: NEVER,
            pacer: config.paces().then(Pacer::default),
            closed: false,
            held: NEVER,
            by_timestamps: config.rtt == RttBy::Timestamps,
            expiries: 0,
            timed: None,
            last_sent: 0,
            mss,
            restart_window: initial,
        }
    }

    /// The handshake had to be repeated: one segment to begin with (RFC 5681 3.1), a longer timer (RFC 6298 5.7).
    pub fn restart_after_lost_syn(&mut self) {
        self.congestion.on_idle(self.mss);
        self.rtt.restart_after_lost_syn();
    }

    pub fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    /// Bytes acknowledged in sequence.
    pub fn acknowledged(&self) -> u64 {
        self.board.una() - 1
    }

    /// Bytes believed to be in the network.
    pub fn pipe(&self) -> u64 {
        self.board.pipe()
    }

    /// Sequence number of the next new byte.
    pub fn next(&self) -> u64 {
        self.board.next()
    }

    pub fn deadline(&self) -> u64 {
        self.deadline.min(self.held)
    }

    pub fn on_ack(&mut self, now: u64, segment: &Segment) {
        if segment.ack > self.board.next() {
            return; // acknowledges what was never sent
        }
        let edge = segment.ack + u64::from(segment.window);
        let repeats = segment.ack == self.board.una()
            && segment.payload == 0
            && edge == self.window_edge
            && self.board.flight() > 0;
        self.window_edge = self.window_edge.max(edge);
        if self.board.flight() == 0 {
            return; // nothing is outstanding that it could tell of
        }
        let (flight, arrived) = (self.board.flight(), self.board.arrived());
        let una = self.board.una();
        let bytes = self.board.acknowledge(segment.ack);
        if bytes > 0 {
            self.copies.on_delivered(una, segment.ack, false);
        }
        let mut sampled = self.timed.is_some_and(|(last, _)| last < self.board.una());
        let mut sacked = false;
        for &(start, end) in segment.sack_blocks() {
            let timed = self.timed;
            let copies = &mut self.copies;
            sacked |= self.board.sack(start, end, |start, end| {
                copies.on_delivered(start, end, true);
                sampled |= timed.is_some_and(|(last, _)| (start..end).contains(&last));
            });
        }
        let delivered = match &mut self.without_sack {
            None => self.board.arrived() - arrived,
            Some(known) => known.delivered(bytes, repeats),
        };
        if delivered > 0 {
            self.congestion.on_delivered(now, delivered);
        }
        let timed = if sampled { self.timed.take() } else { None };
        let sample = timed.map(|(_, sent)| now - sent);
        if self.by_timestamps {
            let echoes = bytes > 0 && segment.timestamps;
            let us = echoes.then(|| super::timestamp(now).wrapping_sub(segment.tsecr));
            self.round_trip = us.map(|us| 1000 * u64::from(us));
            if let Some(round_trip) = self.round_trip {
                self.measured(round_trip, flight.div_ceil(2 * self.mss)); // an acknowledgement for two
            }
        } else if let Some(sample) = sample {
            self.measured(sample, 1);
        }
        if bytes > 0 {
            self.heard(now);
        }
        self.on_echo(segment, flight);
        if self.without_sack.is_some() {
            self.react_to_duplicates(now, bytes, repeats, sample);
            return;
        }
        if bytes > 0 {
            self.progress(now);
        }
        if sacked {
            self.duplicates += 1; // a duplicate acknowledgement is one that SACKs something new (2)
        }
        while let Some((start, end)) = self.copies.take_lost(self.mss) {
            self.board.lose_again(start, end);
        }
        self.react(now, bytes, sacked, sample);
        if let (State::Recovery, Some(prr)) = (self.state, &mut self.prr) {
            prr.on_ack(delivered, self.board.pipe(), self.congestion.cwnd(), self.mss);
        }
    }

    /// A round trip took so long, one sample of `expected`.
    fn measured(&mut self, rtt_ns: u64, expected: u64) {
        self.rtt.sample(rtt_ns, expected);
        if self.sent_times.is_none() {
            self.sampled(rtt_ns);
        }
    }

    /// A round trip as it was measured: for the congestion control, and for who counts.
    fn sampled(&mut self, rtt_ns: u64) {
        self.stats.round_trips += 1;
        self.stats.round_trip_ns = rtt_ns;
        self.congestion.on_rtt_sample(rtt_ns);
    }

    /// New data was acknowledged: what it says of the round trip, for who wants that of each, and for the counters.
    fn heard(&mut self, now: u64) {
        let una = self.board.una();
        if let Some(rtt_ns) = self.sent_times.as_mut().and_then(|times| times.acknowledged(una, now)) {
            self.sampled(rtt_ns);
        }
        if let Some(srtt) = self.rtt.smoothed() {
            self.stats.acks += 1;
            self.stats.srtt_sum_ns += srtt;
        }
    }

    /// New data was acknowledged.
    fn progress(&mut self, now: u64) {
        self.expiries = 0;
        self.duplicates = 0;
        self.deadline = if self.board.flight() == 0 { NEVER } else { self.rtt.deadline(now) };
    }

    fn grow(&mut self, now: u64, bytes: u64, rtt_ns: Option<u64>, after_timeout: bool) {
        if self.closed {
            return;
        }
        let bytes = if self.hystart.is_some() { self.conservative(bytes) } else { bytes };
        self.congestion.on_ack(&Ack {
            now,
            bytes,
            srtt_ns: self.rtt.smoothed().unwrap_or(0),
            rtt_ns,
            window_limited: self.window_limited,
            after_timeout,
        });
    }

    /// What counts of `bytes` that were acknowledged in the first slow start.
    fn conservative(&mut self, bytes: u64) -> u64 {
        let first = self.congestion.cwnd() < self.congestion.ssthresh();
        let Some(hystart) = self.hystart.as_mut().filter(|_| first) else {
            self.hystart = None;
            return bytes;
        };
        match hystart.on_ack(self.board.una(), self.board.next(), self.round_trip) {
            Growth::By(1) => bytes,
            Growth::By(divisor) => bytes.min(2 * self.mss) / divisor,
            Growth::Over => {
                self.congestion.set_ssthresh(self.congestion.cwnd());
                self.hystart = None;
                bytes
            }
        }
    }

    /// Moves between the states after an acknowledgement of `bytes` new bytes, or one that `sacked` something new, which gave a
    /// round-trip time, or none (5).
    fn react(&mut self, now: u64, bytes: u64, sacked: bool, rtt_ns: Option<u64>) {
        let repairing = self.state == State::Repair;
        if self.state != State::Open && self.board.una() >= self.recovery_point {
            let recovered = self.state == State::Recovery;
            self.state = State::Open;
            self.retransmit_now = false;
            if recovered {
                self.congestion.on_recovered(now);
            }
            if recovered && self.board.loss_edge() <= self.board.una() {
                return; // the data that a recovery repaired does not open the window
            }
        }
        let overdue = self.overdue(now, bytes, sacked);
        let lost = overdue || self.duplicates >= DUP_THRESH || self.board.loss_edge() > self.board.una();
        if self.state == State::Open && lost {
            self.enter_recovery();
            self.retransmit_now |= overdue;
        } else {
            if overdue {
                self.repeat_oldest();
            }
            if self.state != State::Recovery && bytes > 0 {
                self.grow(now, bytes, rtt_ns, repairing);
            }
        }
    }

    fn enter_recovery(&mut self) {
        self.state = State::Recovery;
        self.recovery_point = self.board.next();
        self.rescued = 0;
        // What the last recovery has retransmitted already is on its way.
        self.retransmit_now = self.board.retransmitted() == self.board.una();
        self.stats.recoveries += 1;
        self.hystart = None;
        let flight = self.flight();
        // A mark may have reduced the window for the same data.
        if !self.reduces() {
            self.congestion.on_congestion_event(flight);
        }
        if let Some(prr) = &mut self.prr {
            prr.begin(flight);
        }
    }

    /// Data outstanding, without what was sent beyond the window.
    fn flight(&self) -> u64 {
        self.board.flight().min(self.congestion.cwnd())
    }

    pub fn on_timeout(&mut self, now: u64) {
        if now < self.deadline {
            return;
        }
        // A recovery has reduced for this window of data: its threshold stays, as in Linux (`tcp_enter_loss`). RFC 5681's
        // equation 4 bounds it by half of what is outstanding now, which is less once the recovery has sent less.
        let reduced = self.reduces() || self.expiries > 0 || self.state == State::Recovery;
        self.congestion.on_timeout(self.flight(), reduced);
        self.hystart = None;
        self.board.on_timeout();
        self.copies.clear();
        self.state = State::Repair;
        self.recovery_point = self.board.next();
        self.retransmit_now = false;
        self.duplicates = 0;
        self.timed = None;
        self.expiries += 1;
        self.stats.timeouts += 1;
        self.rtt.back_off();
        self.deadline = self.rtt.deadline(now);
    }

    /// The next data segment to send, as sequence number and length, of at most `max` bytes.
    pub fn poll(&mut self, now: u64, max: u64) -> Option<(u64, u64)> {
        self.held = NEVER;
        if self.board.flight() == 0 {
            if self.written == self.board.next() {
                self.window_limited = false;
                return None; // nothing is left to send, first or again
            }
            if now - self.last_sent > self.rtt.rto() {
                self.congestion.on_idle(self.restart_window);
            }
        }
        let (start, len, kind) = if self.retransmit_now { self.first_hole(max) } else { self.fitting(max) }?;
        if let Some(next) = self.pacer.map(|pacer| pacer.next()).filter(|next| now < *next) {
            self.held = next;
            self.window_limited = true; // whose rate it is
            return None;
        }
        if self.retransmit_now {
            self.retransmit_now = false;
            self.rescued = start + len;
        }
        self.record(now, start, len, kind);
        self.pace(now, len);
        Some((start, len))
    }

    /// A segment of `len` bytes left: keeps the next one back, if a round-trip time is known.
    fn pace(&mut self, now: u64, len: u64) {
        let Some(pacer) = &mut self.pacer else { return };
        if let Some(rate) = self.rtt.smoothed().and_then(|srtt| self.congestion.pacing_rate(srtt)) {
            pacer.on_sent(now, len, rate);
        }
    }

    fn record(&mut self, now: u64, start: u64, len: u64, kind: Kind) {
        let end = start + len;
        self.stats.segments += 1;
        self.last_sent = now;
        self.congestion.on_sent(now);
        if let Some(times) = &mut self.sent_times {
            match kind {
                Kind::New => times.on_new(end, now),
                _ => times.on_again(start, end, now),
            }
        }
        if let Kind::New = kind {
            self.board.on_sent(len);
            if self.without_sack.is_none() || self.state != State::Recovery {
                self.timed.get_or_insert((end - 1, now));
            }
        } else {
            self.stats.retransmits += 1;
            let keeps = self.state == State::Recovery && self.without_sack.is_some_and(|k| k.keeps_timer());
            if start == self.board.una() && !keeps {
                self.deadline = NEVER; // restarts below
            }
            if self.timed.is_some_and(|(last, _)| (start..end).contains(&last)) {
                self.timed = None;
            }
            match kind {
                Kind::Rescue => self.rescued = self.recovery_point,
                _ => {
                    self.board.settle(start, end);
                    self.board.on_retransmitted(end);
                    if self.without_sack.is_none() {
                        if self.sent_times.is_some() {
                            self.copies.replace(start, end); // a segment's age may have told of its loss
                        }
                        self.copies.on_sent(start, end, self.board.next());
                    }
                }
            }
        }
        if let Some(prr) = &mut self.prr {
            prr.on_sent(len);
        }
        if self.deadline == NEVER {
            self.deadline = self.rtt.deadline(now);
        }
    }
}
