// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The receiving half: what arrives in each interval, and echoes for PINGs (Starzetz 6.3.1, `-L`).
//!
//! Every datagram counts towards the rate, from whatever program. Those of our sender also tell how many
//! packets are missing. A state machine; times as in [`super::sender`].
//!
//! What it does not do: flows share one rate, which is what echoes report; use a port for each if they should
//! not. Of more than 1024 flows only the first are checked for losses. A packet that comes after 1024 later numbers
//! stays a loss.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use super::payload::{Header, Kind};
use super::{rate_bps, unwrap_seq};

/// Flows that are checked for losses.
const MAX_FLOWS: usize = 1024;

/// Packets fewer than this behind the newest fill their gap; older ones stay losses.
const WINDOW: u64 = 1024;

/// What to do with what arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Send PINGs back.
    pub echo: bool,
    /// Added to each packet in all rates, bytes: 0, or [`super::header_bytes`].
    pub header_bytes: u64,
    /// From one report to the next, ns, above 0.
    pub report_ns: u64,
    /// End after this time, ns.
    pub duration_ns: Option<u64>,
}

/// What arrived in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// From the start of the run, ns.
    pub start_ns: u64,
    /// When it was really over, ns.
    pub end_ns: u64,
    /// Datagrams.
    pub packets: u64,
    /// Their payload, bytes.
    pub bytes: u64,
    /// Their rate, with headers if so configured, b/s.
    pub rx_bps: u64,
    /// Packets of our senders that later ones overtook, or that are gone.
    pub lost: u64,
    /// Packets of our senders that came after a later one, or twice.
    pub late: u64,
    /// PINGs among them.
    pub pings: u64,
    /// Datagrams of other programs.
    pub foreign: u64,
}

/// Where a flow is.
#[derive(Clone, Copy, Debug)]
struct Flow {
    first: u64,
    highest: u64,
    /// A bit for each of the last [`WINDOW`] sequence numbers, at the number modulo `WINDOW`: it was received.
    came: [u64; (WINDOW / 64) as usize],
}

impl Flow {
    fn new(first: u64) -> Flow {
        let mut flow = Flow { first, highest: first, came: [0; _] };
        flow.mark(first);
        flow
    }

    /// `seq` came, whether for the first time.
    fn mark(&mut self, seq: u64) -> bool {
        let bit = 1 << (seq % 64);
        let word = &mut self.came[(seq % WINDOW / 64) as usize];
        let first = *word & bit == 0;
        *word |= bit;
        first
    }

    /// The newest number is `ahead` greater now.
    fn forward(&mut self, ahead: u64) {
        for seq in self.highest + 1..self.highest + 1 + ahead.min(WINDOW) {
            self.came[(seq % WINDOW / 64) as usize] &= !(1 << (seq % 64));
        }
        self.highest += ahead;
        self.mark(self.highest);
    }
}

/// Counters since the start.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    packets: u64,
    bytes: u64,
    missing: u64,
    late: u64,
    pings: u64,
    foreign: u64,
}

/// One run.
#[derive(Debug)]
pub struct Receiver {
    config: Config,
    start_ns: u64,
    interval_ns: u64,
    next_report_ns: u64,
    flows: BTreeMap<(SocketAddr, u32), Flow>,
    now: Counters,
    before: Counters,
    rx_bps: u64,
    done: bool,
}

impl Receiver {
    /// A run that starts at `now_ns`.
    pub fn new(config: Config, now_ns: u64) -> Receiver {
        Receiver {
            config,
            start_ns: now_ns,
            interval_ns: now_ns,
            next_report_ns: now_ns.saturating_add(config.report_ns),
            flows: BTreeMap::new(),
            now: Counters::default(),
            before: Counters::default(),
            rx_bps: 0,
            done: false,
        }
    }

    /// Gives the report that is due at `now_ns`, and ends the run; call it until there is none.
    pub fn advance(&mut self, now_ns: u64) -> Option<Interval> {
        if self.done || now_ns < self.deadline_ns() {
            return None;
        }
        self.done = now_ns >= self.end_ns();
        let report = self.interval(&self.before, self.interval_ns, now_ns);
        self.rx_bps = report.rx_bps;
        self.before = self.now;
        self.interval_ns = now_ns;
        while self.next_report_ns <= now_ns {
            self.next_report_ns = self.next_report_ns.saturating_add(self.config.report_ns.max(1));
        }
        Some(report)
    }

    /// Whether the run is over.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// When [`Self::advance`] has something to do at the latest, ns.
    pub fn deadline_ns(&self) -> u64 {
        self.next_report_ns.min(self.end_ns())
    }

    /// A datagram arrived. If it is to be sent back it has been made an echo.
    pub fn handle(&mut self, system_ns: u64, from: SocketAddr, datagram: &mut [u8]) -> bool {
        self.now.packets += 1;
        self.now.bytes += datagram.len() as u64;
        let header = match Header::parse(datagram) {
            Ok(header) if header.kind != Kind::Echo => header,
            _ => {
                self.now.foreign += 1;
                return false;
            }
        };
        self.count(from, &header);
        if header.kind != Kind::Ping {
            return false;
        }
        self.now.pings += 1;
        if self.config.echo {
            let echo = Header { kind: Kind::Echo, rx_bps: self.rx_bps, echo_rx_ns: system_ns, ..header };
            echo.write(datagram);
        }
        self.config.echo
    }

    /// Ends the run: what has not been reported yet, and all of it.
    pub fn finish(self, now_ns: u64) -> (Interval, Interval) {
        let last = self.interval(&self.before, self.interval_ns, now_ns);
        (last, self.interval(&Counters::default(), self.start_ns, now_ns))
    }

    /// Whether a packet is later than those before, and how many it left out.
    fn count(&mut self, from: SocketAddr, header: &Header) {
        let full = self.flows.len() >= MAX_FLOWS;
        let seq = u64::from(header.seq);
        let key = (from, header.flow);
        let flow = match self.flows.get_mut(&key) {
            Some(flow) => flow,
            None if full => return,
            // Room below for packets that are older than the first one that came.
            None => {
                let seq = seq + (1 << 32);
                self.flows.insert(key, Flow::new(seq));
                return;
            }
        };
        // Less than half of the numbers ahead is newer, the rest is older.
        let ahead = header.seq.wrapping_sub(flow.highest as u32);
        if ahead > 0 && ahead < 1 << 31 {
            flow.forward(ahead.into());
            self.now.missing += u64::from(ahead) - 1;
            return;
        }
        self.now.late += 1;
        // A copy, older than the first one that came, or counted as missing.
        let old = unwrap_seq(header.seq, flow.highest).unwrap_or(0);
        if old > flow.first && flow.highest - old < WINDOW && flow.mark(old) {
            self.now.missing -= 1;
        }
    }

    fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.config.duration_ns.unwrap_or(u64::MAX))
    }

    fn interval(&self, before: &Counters, start_ns: u64, now_ns: u64) -> Interval {
        let packets = self.now.packets - before.packets;
        let bytes = self.now.bytes - before.bytes;
        let elapsed = now_ns.saturating_sub(start_ns);
        Interval {
            start_ns: start_ns - self.start_ns,
            end_ns: now_ns.saturating_sub(self.start_ns),
            packets,
            bytes,
            rx_bps: rate_bps(bytes + packets * self.config.header_bytes, elapsed),
            lost: self.now.missing.saturating_sub(before.missing),
            late: self.now.late - before.late,
            pings: self.now.pings - before.pings,
            foreign: self.now.foreign - before.foreign,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use airtab_core::time::SECOND;

    fn receiver(echo: bool, header_bytes: u64) -> Receiver {
        Receiver::new(Config { echo, header_bytes, report_ns: SECOND, duration_ns: None }, 100)
    }

    fn from() -> SocketAddr {
        "192.0.2.1:9".parse().expect("an address")
    }

    fn packet(kind: Kind, seq: u32) -> Vec<u8> {
        let mut payload = vec![0; 100];
        Header { kind, flow: 1, seq, sent_ns: 11, rx_bps: 0, echo_rx_ns: 0 }.write(&mut payload);
        payload
    }

    #[test]
    fn rates_are_of_measured_time() {
        let mut receiver = receiver(false, 28);
        for seq in 0..10 {
            receiver.handle(0, from(), &mut packet(Kind::Data, seq));
        }
        assert_eq!(receiver.advance(SECOND), None);
        // A quarter of a second late.
        let report = receiver.advance(100 + SECOND * 5 / 4).expect("a report");
        assert_eq!((report.packets, report.bytes, report.rx_bps), (10, 1000, 1280 * 8 * 4 / 5));
        assert_eq!(receiver.deadline_ns(), 100 + 2 * SECOND);
    }

    #[test]
    fn echoes_carry_the_last_rate() {
        let mut receiver = receiver(true, 0);
        let mut ping = packet(Kind::Ping, 0);
        assert!(receiver.handle(77, from(), &mut ping));
        let echo = Header::parse(&ping).expect("an echo");
        assert_eq!(
            echo,
            Header { kind: Kind::Echo, flow: 1, seq: 0, sent_ns: 11, rx_bps: 0, echo_rx_ns: 77 }
        );
        receiver.advance(100 + SECOND).expect("a report");
        let mut ping = packet(Kind::Ping, 1);
        receiver.handle(78, from(), &mut ping);
        assert_eq!(Header::parse(&ping).expect("an echo").rx_bps, 800);
        // No echo of echoes, of data, of strangers.
        assert!(!receiver.handle(0, from(), &mut ping));
        assert!(!receiver.handle(0, from(), &mut packet(Kind::Data, 2)));
        assert!(!receiver.handle(0, from(), &mut [0; 10]));
        assert_eq!(receiver.finish(200 + SECOND).1.foreign, 2);
    }

    #[test]
    fn without_r_nothing_comes_back() {
        let mut receiver = receiver(false, 0);
        let (mut ping, same) = (packet(Kind::Ping, 0), packet(Kind::Ping, 0));
        assert!(!receiver.handle(0, from(), &mut ping));
        assert_eq!(ping, same);
        assert_eq!(receiver.finish(200).1.pings, 1);
    }

    #[test]
    fn gaps_are_losses_until_they_are_filled() {
        let mut receiver = receiver(false, 0);
        let mut lost = |seqs: &[u32]| {
            for seq in seqs {
                receiver.handle(0, from(), &mut packet(Kind::Data, *seq));
            }
            (receiver.now.missing, receiver.now.late)
        };
        assert_eq!(lost(&[u32::MAX - 1, u32::MAX, 1]), (1, 0));
        assert_eq!(lost(&[0]), (0, 1));
        assert_eq!(lost(&[0, 1]), (0, 3), "copies");
        assert_eq!(lost(&[5]), (3, 3));
        assert_eq!(lost(&[u32::MAX - 2]), (3, 4), "older than the first");
        assert_eq!(lost(&[2, 2, 2]), (2, 7), "the copies of a late packet fill no other gap");
        // The ring of numbers comes round: 1029 is where 5 was, and 6 is too late.
        assert_eq!(lost(&[1028, 1030]), (1025, 7));
        assert_eq!(lost(&[1029, 1029, 6]), (1024, 10));
        assert_eq!(lost(&[7, 7]), (1023, 12));
        assert_eq!(lost(&[1_000_000, 7]), (1023 + 998_969, 13), "too late for its gap");
    }

    /// Three reports and the rest: each counts what came since the one before, and the total all of it.
    #[test]
    fn each_interval_counts_its_own() {
        let config =
            Config { echo: false, header_bytes: 20, report_ns: SECOND, duration_ns: Some(5 * SECOND / 2) };
        let mut receiver = Receiver::new(config, 100);
        let take = |receiver: &mut Receiver, kind, seqs: &[u32]| {
            for seq in seqs {
                receiver.handle(0, from(), &mut packet(kind, *seq));
            }
        };
        take(&mut receiver, Kind::Data, &[0, 3]);
        take(&mut receiver, Kind::Ping, &[4]);
        assert_eq!(receiver.advance(99 + SECOND), None);
        let first = receiver.advance(100 + SECOND).expect("a report");
        assert_eq!((first.start_ns, first.end_ns), (0, SECOND));
        assert_eq!((first.packets, first.bytes, first.rx_bps), (3, 300, 360 * 8));
        assert_eq!((first.lost, first.late, first.pings, first.foreign), (2, 0, 1, 0));
        assert_eq!(receiver.advance(100 + SECOND), None, "one report");
        // 1 fills a gap, 4 is a copy, then 5 and 6 are missing; 40 bytes of another program.
        take(&mut receiver, Kind::Data, &[1, 4, 7]);
        receiver.handle(0, from(), &mut [0; 40]);
        let second = receiver.advance(100 + 2 * SECOND).expect("a report");
        assert_eq!((second.start_ns, second.end_ns), (SECOND, 2 * SECOND));
        assert_eq!((second.packets, second.bytes, second.rx_bps), (4, 340, 420 * 8));
        assert_eq!((second.lost, second.late, second.pings, second.foreign), (1, 2, 0, 1));
        assert_eq!(receiver.deadline_ns(), 100 + 5 * SECOND / 2);
        assert!(!receiver.is_done());
        take(&mut receiver, Kind::Data, &[8]);
        let third = receiver.advance(100 + 5 * SECOND / 2).expect("the last report");
        assert_eq!((third.start_ns, third.end_ns, third.packets), (2 * SECOND, 5 * SECOND / 2, 1));
        assert_eq!((third.rx_bps, third.lost), (120 * 8 * 2, 0));
        assert!(receiver.is_done());
        assert_eq!(receiver.advance(100 + 9 * SECOND), None, "it is over");
        let (last, total) = receiver.finish(100 + 4 * SECOND);
        assert_eq!((last.packets, last.start_ns), (0, 5 * SECOND / 2));
        assert_eq!((total.start_ns, total.end_ns, total.packets, total.bytes), (0, 4 * SECOND, 8, 740));
        assert_eq!((total.rx_bps, total.pings, total.foreign, total.late), (900 * 8 / 4, 1, 1, 2));
        // 2, 5 and 6 never came.
        assert_eq!(total.lost, 3);
    }

    /// A gap of less than half of all numbers is a loss; a greater one is a packet that is late.
    #[test]
    fn half_of_the_numbers_are_ahead() {
        for (second, lost, late) in
            [(0x7fff_ffffu32, 0x7fff_fffe, 0), (0x8000_0000, 0, 1), (0x8000_0001, 0, 1), (0, 0, 1)]
        {
            let mut receiver = receiver(false, 0);
            for seq in [0, second] {
                receiver.handle(0, from(), &mut packet(Kind::Data, seq));
            }
            let total = receiver.finish(200).1;
            assert_eq!((total.lost, total.late), (lost, late), "{second:#x}");
        }
    }

    /// Numbers of a flow are those of its sender and its flow number; after 1024 flows no further one is checked.
    #[test]
    fn each_flow_has_its_own_numbers() {
        let mut receiver = receiver(false, 0);
        let mut take = |port: u16, flow, seq| {
            let mut payload = vec![0; 40];
            Header { kind: Kind::Data, flow, seq, sent_ns: 0, rx_bps: 0, echo_rx_ns: 0 }.write(&mut payload);
            receiver.handle(0, SocketAddr::from(([192, 0, 2, 1], port)), &mut payload);
            (receiver.now.missing, receiver.now.late)
        };
        take(1, 1, 10);
        assert_eq!(take(2, 1, 5), (0, 0), "another sender");
        assert_eq!(take(1, 2, 7), (0, 0), "another flow");
        assert_eq!(take(1, 1, 12), (1, 0));
        assert_eq!(take(2, 1, 6), (1, 0));
        for flow in 3..1025 {
            assert_eq!(take(1, flow, 0), (1, 0));
        }
        assert_eq!(take(1, 1023, 2), (2, 0), "number 1024 of the flows");
        take(1, 1024, 0);
        assert_eq!(take(1, 1024, 9), (2, 0), "number 1025 of the flows");
        assert_eq!(take(1, 1, 13), (2, 0));
    }

    proptest! {
        /// Hostile datagrams: no panic, and every one is counted.
        #[test]
        fn anything_may_arrive(
            seqs in proptest::collection::vec((any::<u32>(), 0u32..3, any::<bool>()), 0..200),
        ) {
            let mut receiver = receiver(true, 0);
            let count = seqs.len() as u64;
            for (seq, flow, ping) in seqs {
                let mut payload = [0; 64];
                let kind = if ping { Kind::Ping } else { Kind::Data };
                Header { kind, flow, seq, sent_ns: 0, rx_bps: 0, echo_rx_ns: 0 }.write(&mut payload);
                receiver.handle(0, from(), &mut payload);
            }
            prop_assert_eq!(receiver.finish(SECOND).1.packets, count);
        }
    }
}
