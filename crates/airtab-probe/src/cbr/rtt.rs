// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! PINGs that wait for their echo (Starzetz 6.3.1, option `-P`).
//!
//! The table holds the last `depth` PINGs. An echo counts once, and only if its flow, number and time stamp
//! are those of a PING in the table; late, repeated and forged ones are told apart and change nothing else.
//!
//! What it does not do: no time-out. A PING is given up when a later one needs its place.

use std::collections::VecDeque;

use super::payload::Header;
use super::unwrap_seq;

/// A PING on its way.
#[derive(Clone, Copy, Debug)]
struct Ping {
    seq: u64,
    /// In the packet: system time.
    stamp_ns: u64,
    /// Monotonic.
    sent_ns: u64,
    answered: bool,
}

/// What an echo turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// The first one of its PING, which was sent at `sent_ns` (monotonic).
    Answer {
        /// When the PING was sent, ns.
        sent_ns: u64,
        /// How long it took, ns.
        rtt_ns: u64,
    },
    /// Its PING had been given up.
    Late,
    /// Its PING was answered before.
    Duplicate,
    /// Nothing that we sent asks for it.
    Forged,
}

/// How many echoes there were of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Echoes {
    /// PINGs sent.
    pub pings: u64,
    /// Echoes that gave a round-trip time.
    pub answered: u64,
    /// Echoes of PINGs that had been given up.
    pub late: u64,
    /// Further echoes of a PING.
    pub duplicates: u64,
    /// Echoes of nothing that was sent, and datagrams that are no echoes.
    pub forged: u64,
}

/// The outstanding PINGs of one flow.
#[derive(Debug)]
pub struct Outstanding {
    flow: u32,
    pings: VecDeque<Ping>,
    depth: usize,
    echoes: Echoes,
}

impl Outstanding {
    /// For the PINGs of `flow`, the last `depth` of them.
    ///
    /// # Panics
    /// If the depth is 0.
    pub fn new(flow: u32, depth: usize) -> Outstanding {
        assert!(depth > 0, "no PING could be remembered");
        Outstanding { flow, pings: VecDeque::with_capacity(depth), depth, echoes: Echoes::default() }
    }

    /// PING number `seq`, greater than those before, leaves at `now_ns` (monotonic) with `stamp_ns` in it.
    pub fn sent(&mut self, seq: u64, stamp_ns: u64, now_ns: u64) {
        if self.pings.len() == self.depth {
            self.pings.pop_front();
        }
        self.pings.push_back(Ping { seq, stamp_ns, sent_ns: now_ns, answered: false });
        self.echoes.pings += 1;
    }

    /// An echo came at `now_ns` (monotonic), when `newest` was the last packet sent.
    pub fn echo(&mut self, header: &Header, newest: u64, now_ns: u64) -> Echo {
        let echo = self.judge(header, newest, now_ns);
        *match echo {
            Echo::Answer { .. } => &mut self.echoes.answered,
            Echo::Late => &mut self.echoes.late,
            Echo::Duplicate => &mut self.echoes.duplicates,
            Echo::Forged => &mut self.echoes.forged,
        } += 1;
        echo
    }

    fn judge(&mut self, header: &Header, newest: u64, now_ns: u64) -> Echo {
        let Some(seq) = unwrap_seq(header.seq, newest).filter(|_| header.flow == self.flow) else {
            return Echo::Forged;
        };
        if self.echoes.pings > self.pings.len() as u64 && self.pings.front().is_some_and(|p| seq < p.seq) {
            return Echo::Late;
        }
        let Ok(i) = self.pings.binary_search_by_key(&seq, |p| p.seq) else { return Echo::Forged };
        let ping = &mut self.pings[i];
        if ping.stamp_ns != header.sent_ns {
            return Echo::Forged;
        }
        if ping.answered {
            return Echo::Duplicate;
        }
        ping.answered = true;
        Echo::Answer { sent_ns: ping.sent_ns, rtt_ns: now_ns.saturating_sub(ping.sent_ns) }
    }

    /// A datagram came that is no echo of ours.
    pub fn foreign(&mut self) {
        self.echoes.forged += 1;
    }

    /// Whether a PING that has not been given up has no echo yet.
    pub fn is_waiting(&self) -> bool {
        self.pings.iter().rev().any(|ping| !ping.answered)
    }

    /// What came so far.
    pub fn echoes(&self) -> Echoes {
        self.echoes
    }
}

#[cfg(test)]
mod tests {
    use super::super::payload::Kind;
    use super::*;

    fn echo(flow: u32, seq: u32, sent_ns: u64) -> Header {
        Header { kind: Kind::Echo, flow, seq, sent_ns, rx_bps: 0, echo_rx_ns: 0 }
    }

    #[test]
    fn an_echo_counts_once() {
        let mut pings = Outstanding::new(7, 10);
        pings.sent(3, 1_000, 50);
        assert_eq!(pings.echo(&echo(7, 3, 1_000), 5, 80), Echo::Answer { sent_ns: 50, rtt_ns: 30 });
        assert_eq!(pings.echo(&echo(7, 3, 1_000), 5, 90), Echo::Duplicate);
        assert_eq!(pings.echoes(), Echoes { pings: 1, answered: 1, late: 0, duplicates: 1, forged: 0 });
    }

    #[test]
    fn the_oldest_gives_way_and_is_late_then() {
        let mut pings = Outstanding::new(7, 2);
        for seq in [10, 20, 30] {
            pings.sent(seq, seq * 100, seq);
        }
        assert_eq!(pings.echo(&echo(7, 10, 1_000), 35, 40), Echo::Late);
        assert_eq!(pings.echo(&echo(7, 30, 3_000), 35, 40), Echo::Answer { sent_ns: 30, rtt_ns: 10 });
        assert_eq!(pings.echo(&echo(7, 20, 2_000), 35, 45), Echo::Answer { sent_ns: 20, rtt_ns: 25 });
    }

    #[test]
    fn forgeries_change_nothing() {
        let mut pings = Outstanding::new(7, 2);
        pings.sent(10, 1_000, 10);
        let forged = [
            echo(8, 10, 1_000), // another flow
            echo(7, 11, 1_000), // that one was no PING
            echo(7, 9, 1_000),  // neither was that, and nothing has been given up
            echo(7, 40, 1_000), // not sent yet
            echo(7, 10, 1_001), // a wrong stamp
        ];
        for header in forged {
            assert_eq!(pings.echo(&header, 12, 20), Echo::Forged, "{header:?}");
        }
        assert_eq!(pings.echo(&echo(7, 10, 1_000), 12, 20), Echo::Answer { sent_ns: 10, rtt_ns: 10 });
        assert_eq!(pings.echoes().forged, 5);
    }

    #[test]
    fn numbers_wrap() {
        let mut pings = Outstanding::new(7, 4);
        let (before, after) = ((1 << 32) - 1, 1 << 32);
        pings.sent(before, 1, 10);
        pings.sent(after, 2, 11);
        assert_eq!(pings.echo(&echo(7, u32::MAX, 1), after, 30), Echo::Answer { sent_ns: 10, rtt_ns: 20 });
        assert_eq!(pings.echo(&echo(7, 0, 2), after, 31), Echo::Answer { sent_ns: 11, rtt_ns: 20 });
    }
}
