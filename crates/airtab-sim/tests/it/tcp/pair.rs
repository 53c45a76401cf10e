// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Two endpoints and the two links between them, in virtual time.
//!
//! Whatever a test is about, it holds on the way: nobody sends past the window that its peer has offered, or without
//! end at one time. So a sender that does either stops its test and does not hang it.

pub use airtab_core::time::{MS, SECOND};
use airtab_sim::tcp::{ACK, Algorithm, Config, Endpoint, Segment};
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Client,
    Server,
}

/// What becomes of a segment that enters a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Drop,
    /// Arrives this much later, ns, and may be overtaken.
    Late(u64),
}

/// The fate of a segment with its number on the link.
pub type Script = Box<dyn FnMut(&Segment, u64) -> Fate>;

/// A link: serialisation at `rate_bps` behind a drop-tail queue, then a constant delay.
pub struct Link {
    /// 0: no serialisation.
    pub rate_bps: u64,
    pub delay_ns: u64,
    /// Packets that the queue holds, the one being sent included.
    pub queue_limit: usize,
    /// Decides by the segment and its number on this link, counted from 0.
    pub fate: Script,
    /// Sequence numbers of ECN-capable segments that are to be marked.
    marks: Vec<u64>,
    /// Every segment that entered, with its time; also the lost ones.
    pub log: Vec<(u64, Segment)>,
    /// Segments dropped by the full queue.
    pub overflows: u64,
    pub max_backlog: usize,
    departures: VecDeque<u64>,
}

impl Link {
    fn new(delay_ns: u64) -> Self {
        Link {
            rate_bps: 0,
            delay_ns,
            queue_limit: usize::MAX,
            fate: Box::new(|_, _| Fate::Pass),
            marks: Vec::new(),
            log: Vec::new(),
            overflows: 0,
            max_backlog: 0,
            departures: VecDeque::new(),
        }
    }

    /// When the segment arrives at the other side.
    fn send(&mut self, now: u64, segment: &Segment) -> Option<u64> {
        let number = self.log.len() as u64;
        self.log.push((now, *segment));
        let late = match (self.fate)(segment, number) {
            Fate::Pass => 0,
            Fate::Drop => return None,
            Fate::Late(by) => by,
        };
        if self.rate_bps == 0 {
            return Some(now + self.delay_ns + late);
        }
        while self.departures.front().is_some_and(|&t| t <= now) {
            self.departures.pop_front();
        }
        if self.departures.len() >= self.queue_limit {
            self.overflows += 1;
            return None;
        }
        let start = self.departures.back().copied().unwrap_or(now);
        let done = start + u64::from(segment.ip_bytes()) * 8 * SECOND / self.rate_bps;
        self.departures.push_back(done);
        self.max_backlog = self.max_backlog.max(self.departures.len());
        Some(done + self.delay_ns + late)
    }

    /// The segment as it arrives: marked if it is to be and may be, once.
    fn marked(&mut self, segment: Segment) -> Segment {
        match self.marks.iter().position(|&seq| segment.ect && seq == segment.seq) {
            Some(at) => {
                self.marks.swap_remove(at);
                Segment { ce: true, ..segment }
            }
            None => segment,
        }
    }

    /// Data segments that entered the link, retransmissions included.
    pub fn data(&self) -> impl Iterator<Item = &(u64, Segment)> {
        self.log.iter().filter(|(_, s)| s.payload > 0)
    }
}

/// Algorithms whose slow start is RFC 5681's: it doubles in each round trip.
pub fn doubling() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| !avoids_losses(*algorithm))
}

/// Whether an algorithm sees congestion before something is lost; such a one has a slow start of its own.
pub fn avoids_losses(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::Vegas | Algorithm::TcpD)
}

/// Steps of one test, and segments that an end may send at one time: far more than any has.
const MOST_STEPS: u64 = 20_000_000;
const MOST_AT_ONCE: usize = 20_000;

pub struct Pair {
    pub now: u64,
    pub client: Endpoint,
    pub server: Endpoint,
    /// Client to server.
    pub up: Link,
    /// Server to client.
    pub down: Link,
    arrivals: BTreeMap<(u64, u64), (End, Segment)>,
    order: u64,
    /// Ends of the windows that have been offered to the client and to the server: sequence numbers.
    offered: [u64; 2],
    steps: u64,
}

impl Pair {
    /// Links of half of `rtt_ns` each, without serialisation or losses.
    pub fn new(config: Config, rtt_ns: u64) -> Self {
        Pair {
            now: 0,
            client: Endpoint::client(config),
            server: Endpoint::server(config),
            up: Link::new(rtt_ns / 2),
            down: Link::new(rtt_ns / 2),
            arrivals: BTreeMap::new(),
            order: 0,
            offered: [0; 2],
            steps: 0,
        }
    }

    /// Sets the fate of segments from the server.
    pub fn script_down(&mut self, fate: impl FnMut(&Segment, u64) -> Fate + 'static) {
        self.down.fate = Box::new(fate);
    }

    /// Loses the first copy of the server's data segments of these numbers, counted from 0.
    pub fn lose_data(&mut self, numbers: &[u64], mss: u64) {
        let mut starts: Vec<u64> = numbers.iter().map(|n| 1 + n * mss).collect();
        self.script_down(move |segment, _| {
            match starts.iter().position(|&s| segment.payload > 0 && s == segment.seq) {
                Some(at) => {
                    starts.swap_remove(at);
                    Fate::Drop
                }
                None => Fate::Pass,
            }
        });
    }

    /// Marks the first copy of the server's data segments of these numbers, counted from 0.
    pub fn mark_data(&mut self, numbers: &[u64], mss: u64) {
        self.down.marks = numbers.iter().map(|n| 1 + n * mss).collect();
    }

    pub fn open(&mut self) {
        self.client.open();
        self.flush();
    }

    /// Opens the connection and lets the server write `bytes`.
    pub fn download(&mut self, bytes: u64) {
        self.server.write(bytes);
        self.open();
    }

    /// Sends what the endpoints have to send; call after acting on one from outside.
    pub fn flush(&mut self) {
        for end in [End::Client, End::Server] {
            let (from, link, to) = match end {
                End::Client => (&mut self.client, &mut self.up, End::Server),
                End::Server => (&mut self.server, &mut self.down, End::Client),
            };
            let mut sent = 0;
            while let Some(segment) = from.poll_transmit(self.now) {
                sent += 1;
                assert!(sent <= MOST_AT_ONCE, "the {end:?} sends without end at {} ns", self.now);
                let (last, offered) = (segment.seq + u64::from(segment.payload), self.offered[end as usize]);
                let fits = segment.payload == 0 || last <= offered;
                assert!(fits, "the {end:?} sends up to {last}, its peer takes up to {offered}");
                if let Some(at) = link.send(self.now, &segment) {
                    self.arrivals.insert((at, self.order), (to, link.marked(segment)));
                    self.order += 1;
                }
            }
        }
    }

    /// When something happens next.
    pub fn next_event(&self) -> Option<u64> {
        let arrival = self.arrivals.keys().next().map(|k| k.0);
        [arrival, self.client.next_timeout(), self.server.next_timeout()].into_iter().flatten().min()
    }

    /// Lets the next thing happen; false if there is none.
    pub fn step(&mut self) -> bool {
        let Some(at) = self.next_event() else { return false };
        assert!(at >= self.now, "time went back");
        self.steps += 1;
        assert!(self.steps <= MOST_STEPS, "{MOST_STEPS} steps, and no end at {} ns", self.now);
        self.now = at;
        match self.arrivals.first_entry() {
            Some(entry) if entry.key().0 == at => {
                let (to, segment) = entry.remove();
                if segment.flags & ACK != 0 {
                    let offered = &mut self.offered[to as usize];
                    *offered = (*offered).max(segment.ack + u64::from(segment.window));
                }
                match to {
                    End::Client => self.client.on_segment(at, &segment),
                    End::Server => self.server.on_segment(at, &segment),
                }
            }
            _ => {
                self.client.on_timeout(at);
                self.server.on_timeout(at);
            }
        }
        self.flush();
        true
    }

    /// Steps until `done`; panics when it takes more than `limit_ns` of virtual time or nothing is left to happen.
    pub fn run_until(&mut self, limit_ns: u64, mut done: impl FnMut(&Pair) -> bool) {
        while !done(self) {
            assert!(self.step(), "nothing left to happen at {} ns", self.now);
            assert!(self.now <= limit_ns, "not done after {} ns", self.now);
        }
    }

    /// Steps through everything up to `end_ns`.
    pub fn run_to(&mut self, end_ns: u64) {
        while self.next_event().is_some_and(|at| at <= end_ns) {
            self.step();
        }
        self.now = end_ns;
    }
}
