// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TCP: one endpoint as a state machine without I/O or clock.
//!
//! [`Endpoint`] is both halves of one end of a connection. The host passes in segments, written bytes and expired
//! timers, always with the time, and polls for segments until there is none:
//!
//! ```
//! use airtab_sim::tcp::{Config, Endpoint};
//!
//! let mut client = Endpoint::client(Config::home());
//! let mut server = Endpoint::server(Config::home());
//! client.open();
//! client.write(350);
//! let (mut now, delay) = (0, 1_000_000); // ns
//! while server.delivered() < 350 {
//!     now += delay;
//!     while let Some(segment) = client.poll_transmit(now) {
//!         server.on_segment(now + delay, &segment);
//!     }
//!     now += delay;
//!     while let Some(segment) = server.poll_transmit(now) {
//!         client.on_segment(now + delay, &segment);
//!     }
//! }
//! assert!(client.established());
//! ```
//!
//! Sources: RFC 9293 (segments, handshake), 3168, 5681, 6298, 6675, 6937, 7323, 3465, 9406, 9438; one file per part, which names its sections.
//! Not modelled: PAWS, FIN and RST (a host drops the endpoint), MSS negotiation, Nagle, urgent data, zero
//! windows. `docs/tcp.md` tells what follows from that.

mod config;
pub mod congestion;
mod copies;
mod duplicates;
mod ecn;
mod handshake;
mod hystart;
mod pacer;
mod prr;
mod ranges;
mod receiver;
mod rtt;
mod scoreboard;
mod segment;
mod sender;
mod sent_times;

pub use config::{Config, ConfigError, Recovery, RttBy};
pub use congestion::{Algorithm, UnknownAlgorithm};
pub use segment::{ACK, CWR, ECE, SACK_BLOCKS, SYN, Segment};
pub use sender::Stats;

use congestion::Congestion;
use ecn::Ecn;
use handshake::Handshake;
use receiver::Receiver;
use sender::Sender;

/// The clock of timestamps: microseconds, as Linux's since 6.7.
fn timestamp(now: u64) -> u32 {
    (now / 1000) as u32 // modulo 2^32
}

/// One end of a TCP connection.
///
/// Times are nanoseconds of one monotonic clock and never go back from call to call. After every other call, call
/// [`poll_transmit`](Self::poll_transmit) until it returns `None`, then look at
/// [`next_timeout`](Self::next_timeout).
#[derive(Clone, Debug)]
pub struct Endpoint {
    handshake: Handshake,
    sender: Sender,
    receiver: Receiver,
    ecn: Ecn,
    mss: u32,
    timestamps: bool,
}

impl Endpoint {
    /// The end that opens the connection, by [`open`](Self::open).
    ///
    /// # Panics
    /// If the configuration does not pass [`Config::check`].
    pub fn client(config: Config) -> Self {
        Self::new(config, Handshake::client(&config))
    }

    /// The end that waits for a SYN.
    ///
    /// # Panics
    /// If the configuration does not pass [`Config::check`].
    pub fn server(config: Config) -> Self {
        Self::new(config, Handshake::server(&config))
    }

    fn new(config: Config, handshake: Handshake) -> Self {
        if let Err(error) = config.check() {
            panic!("tcp: {error}");
        }
        Endpoint {
            handshake,
            sender: Sender::new(&config),
            receiver: Receiver::new(&config),
            ecn: Ecn::new(&config),
            mss: config.mss,
            timestamps: config.timestamps,
        }
    }

    /// Takes over the storage of an end that is over, so that connections without end allocate nothing.
    pub fn adopt(&mut self, old: Endpoint) {
        self.sender.adopt(old.sender);
        self.receiver.adopt(old.receiver);
    }

    /// Opens the connection: the SYN becomes due. No effect on a server or a second time.
    pub fn open(&mut self) {
        self.handshake.open();
    }

    /// Queues `bytes` more to send; `u64::MAX` makes the source endless.
    pub fn write(&mut self, bytes: u64) {
        self.sender.write(bytes);
    }

    /// A segment arrived at `now`.
    pub fn on_segment(&mut self, now: u64, segment: &Segment) {
        if segment.timestamps {
            self.receiver.on_timestamp(segment.seq, segment.tsval);
        }
        if segment.flags & SYN != 0 && !self.handshake.established() {
            self.ecn.on_syn(segment.flags);
        }
        if let Some(opened) = self.handshake.on_segment(now, segment) {
            match opened.rtt {
                Some(rtt) => self.sender.rtt.sample(rtt, 1),
                None => self.sender.restart_after_lost_syn(),
            }
        }
        if !self.handshake.established() {
            return;
        }
        self.sender.use_ecn(self.ecn.used());
        if segment.flags & SYN != 0 {
            self.receiver.acknowledge_now();
        }
        if segment.flags & ACK != 0 {
            self.sender.on_ack(now, segment);
        }
        if segment.payload > 0 {
            self.ecn.on_data(segment);
            self.receiver.on_data(now, segment.seq, segment.seq + u64::from(segment.payload));
        }
    }

    /// The next segment to send at `now`, if any; after one that [`is_last`](Segment::is_last) there is none.
    pub fn poll_transmit(&mut self, now: u64) -> Option<Segment> {
        if !self.handshake.established() {
            return self.handshake.poll(now).map(|flags| self.syn(now, flags));
        }
        let max = self.mss - self.receiver.option_bytes();
        let fresh = self.sender.next();
        let (seq, payload) = match self.sender.poll(now, u64::from(max)) {
            Some(data) => data,
            None if self.receiver.ack_due() => (self.sender.next(), 0),
            None => return None,
        };
        let mut segment = self.stamped(now);
        (segment.seq, segment.payload) = (seq, payload as u32); // at most the MSS
        self.receiver.acknowledge(&mut segment);
        self.ecn.mark(&mut segment);
        if self.ecn.used() && payload > 0 && seq >= fresh {
            segment.ect = true;
            segment.flags |= if self.sender.tells() { CWR } else { 0 };
        }
        Some(segment)
    }

    /// A segment of the handshake.
    #[cold]
    fn syn(&mut self, now: u64, flags: u8) -> Segment {
        let mut segment = self.stamped(now);
        self.receiver.acknowledge(&mut segment);
        segment.flags = flags | self.ecn.of_syn(flags);
        segment.window = segment.window.min(u16::MAX.into()); // not scaled yet (RFC 7323 2.2)
        if flags & ACK == 0 {
            segment.ack = 0;
        }
        segment
    }

    /// An empty segment that leaves now.
    #[inline]
    fn stamped(&self, now: u64) -> Segment {
        let tsval = if self.timestamps { timestamp(now) } else { 0 };
        Segment { timestamps: self.timestamps, tsval, ..Segment::default() }
    }

    /// When [`on_timeout`](Self::on_timeout) is to be called, ns; `None` if nothing is pending. May move either way
    /// with every call.
    pub fn next_timeout(&self) -> Option<u64> {
        let next = self.handshake.deadline().min(self.sender.deadline()).min(self.receiver.deadline());
        (next != u64::MAX).then_some(next)
    }

    /// Time has reached `now`; without effect if no timer has expired.
    pub fn on_timeout(&mut self, now: u64) {
        self.handshake.on_timeout(now);
        self.sender.on_timeout(now);
        self.receiver.on_timeout(now);
    }

    /// The handshake is complete at this end.
    pub fn established(&self) -> bool {
        self.handshake.established()
    }

    /// Transmissions of this end's SYN.
    pub fn syn_transmissions(&self) -> u32 {
        self.handshake.transmissions()
    }

    /// Bytes received in sequence.
    pub fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    /// Bytes received, in sequence or behind a hole, each counted once.
    pub fn received(&self) -> u64 {
        self.receiver.distinct()
    }

    /// Bytes sent, each counted once.
    pub fn sent(&self) -> u64 {
        self.sender.next() - 1
    }

    /// Bytes sent and acknowledged in sequence.
    pub fn acked(&self) -> u64 {
        self.sender.acknowledged()
    }

    /// Bytes believed to be in the network: neither acknowledged, nor SACKed, nor lost (RFC 6675 SetPipe).
    pub fn in_flight(&self) -> u64 {
        self.sender.pipe()
    }

    /// Congestion window, bytes.
    pub fn cwnd(&self) -> u64 {
        self.sender.congestion.cwnd()
    }

    /// Slow start threshold, bytes; `u64::MAX` before the first congestion.
    pub fn ssthresh(&self) -> u64 {
        self.sender.congestion.ssthresh()
    }

    /// Smoothed round-trip time, ns.
    pub fn srtt(&self) -> Option<u64> {
        self.sender.rtt.smoothed()
    }

    /// Smallest round-trip time measured, ns.
    pub fn min_rtt(&self) -> Option<u64> {
        self.sender.rtt.minimum()
    }

    /// Retransmission timeout with its backoff, ns.
    pub fn rto(&self) -> u64 {
        self.sender.rtt.rto()
    }

    /// What the sending half did so far.
    pub fn stats(&self) -> Stats {
        self.sender.stats
    }

    /// [`Endpoint::stats`], where they are.
    #[inline]
    pub(crate) fn counters(&self) -> &Stats {
        &self.sender.stats
    }
}
