// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A host that keeps its own books of every packet, and after every call holds
//! the discipline to them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Index;
use std::rc::Rc;

use airtab_core::{
    Discipline, Handle, Heard, Meta, Params, Pool, Qdisc, Reason, Stat, Ticket, Tx, URGENT, Verdict,
};

use crate::ops::{self, Arrival, Op};

/// A packet in the queue, as the host remembers it.
#[derive(Clone, Copy)]
pub struct Packet {
    handle: Handle,
    pub meta: Meta,
}

impl Packet {
    fn urgent(&self) -> bool {
        self.meta.class == URGENT
    }
}

/// The class that an urgent packet beyond the bounds of its privilege counts as.
/// (`core/tests/test_urgent.c` has the bounds; here the discipline's word is taken.)
pub const ORDINARY: u8 = 0xfd;

/// A discipline under test. Packets have numbers, ascending in order of arrival.
pub struct Host {
    pool: Pool<u32>,
    q: Qdisc,
    pub params: Params,
    pub now: u64,
    /// What should be in the queue.
    pub queued: BTreeMap<u32, Packet>,
    arrived: u32,
    given: u64,
    dropped: [u64; Reason::ALL.len()],
    /// Stations whose packets stay.
    closed: BTreeSet<u16>,
    /// The last packet given out, per flow, class and station.
    last: BTreeMap<(u32, u8, u16), u32>,
    pub tickets: Vec<Ticket>,
    /// Names of the discipline's statistics, and of the columns of its table.
    stats: Vec<&'static str>,
    pub columns: Rc<[&'static str]>,
}

/// A row of the discipline's table: its values by the names of their columns.
#[derive(Debug, PartialEq)]
pub struct Row {
    columns: Rc<[&'static str]>,
    values: Vec<u64>,
}

impl Index<&str> for Row {
    type Output = u64;

    fn index(&self, name: &str) -> &u64 {
        &self.values[self.columns.iter().position(|column| *column == name).expect("a column")]
    }
}

/// What became of an arrival.
pub struct Enqueued {
    pub number: u32,
    /// It goes first.
    pub urgent: bool,
    /// Numbers of the packets dropped for it, itself perhaps among them.
    pub dropped: Vec<u32>,
}

impl Host {
    pub fn new(params: Params, seed: u64) -> Host {
        let pool = Pool::new();
        let q = Qdisc::new(&pool, &params, seed, 0);
        let names = |of: Vec<Stat>| -> Vec<_> { of.iter().map(|stat| stat.name).collect() };
        let discipline = params.discipline();
        Host {
            stats: names(discipline.stats()),
            columns: names(discipline.row_stats()).into(),
            pool,
            q,
            params,
            now: 0,
            queued: BTreeMap::new(),
            arrived: 0,
            given: 0,
            dropped: [0; _],
            closed: BTreeSet::new(),
            last: BTreeMap::new(),
            tickets: Vec::new(),
        }
    }

    /// Plays one step.
    pub fn play(&mut self, op: &Op) {
        match op {
            Op::Enqueue(arrival) => drop(self.enqueue(arrival)),
            Op::Dequeue => drop(self.dequeue()),
            Op::Sent { back, tx } => {
                if let Some(i) = self.tickets.len().checked_sub(1 + back) {
                    self.sent(self.tickets[i], tx);
                }
            }
            Op::Forged { ticket, tx } => self.sent(*ticket, tx),
            Op::Heard { flow, air } => self.heard(*flow, *air),
            Op::Change(seed) => {
                let params = ops::params(self.discipline(), *seed, Some(&self.params));
                self.change(params);
            }
            Op::Drain => drop(self.drain()),
            Op::Gate { station, open } => self.gate(*station, *open),
            Op::Reset => self.reset(),
            Op::Wait(ns) => self.wait(*ns),
        }
    }

    pub fn discipline(&self) -> Discipline {
        self.q.discipline()
    }

    pub fn enqueue(&mut self, arrival: &Arrival) -> Enqueued {
        let meta = arrival.meta();
        let number = self.arrived;
        self.arrived += 1;
        let handle = self.pool.insert(meta, number);
        self.queued.insert(number, Packet { handle, meta });
        let over = self.urgent_over();
        let verdict = self.q.enqueue(&mut self.pool, handle, self.now);
        if self.urgent_over() > over {
            assert!(meta.class == URGENT && self.urgent_over() == over + 1);
            if let Some(packet) = self.queued.get_mut(&number) {
                packet.meta.class = ORDINARY;
            }
        }
        let urgent = self.queued[&number].urgent();
        let drops = self.take_drops();
        let own = drops.iter().any(|&(n, ..)| n == number);
        let kin = drops.iter().any(|&(n, packet, _)| n != number && packet.meta.flow == meta.flow);
        let expected = match (own, kin) {
            (true, _) => Verdict::Dropped,
            (false, true) => Verdict::Congested,
            (false, false) => Verdict::Queued,
        };
        assert_eq!(verdict, expected, "the verdict says what was dropped");
        for &(n, _, reason) in &drops {
            assert_ne!(reason, Reason::Reset);
            assert!(n != number || reason != Reason::Pushout, "an arrival is refused, not pushed out");
        }
        self.urgent_is_spared(&drops);
        self.check();
        Enqueued { number, urgent, dropped: drops.iter().map(|d| d.0).collect() }
    }

    /// The number of the packet given out, and its ticket.
    pub fn dequeue(&mut self) -> Option<(u32, Packet, Ticket)> {
        let out = self.q.dequeue(&mut self.pool, self.now);
        let drops = self.take_drops();
        assert!(drops.iter().all(|d| d.2 == Reason::Aqm), "dequeue drops for an AQM only");
        let Some((handle, ticket)) = out else {
            // A queue may hold packets back only if it says until when.
            let open = self.queued.values().any(|p| self.is_open(p));
            assert!(!open || self.q.wake(self.now).is_some(), "work conserving");
            self.check();
            return None;
        };
        let (number, packet) = self.returned(handle);
        assert!(self.is_open(&packet), "the packets of a closed station stay");
        self.given += 1;
        self.tickets.push(ticket);
        let key = (packet.meta.flow, packet.meta.class, packet.meta.sta);
        if let Some(last) = self.last.insert(key, number) {
            assert!(last < number, "the packets of a flow keep their order");
        }
        self.check();
        Some((number, packet, ticket))
    }

    /// Lets the time pass after which the discipline wants to be asked; false: it names none.
    pub fn waits(&mut self) -> bool {
        let at = self.q.wake(self.now);
        if let Some(at) = at {
            self.wait(at.saturating_sub(self.now));
        }
        at.is_some()
    }

    pub fn sent(&mut self, ticket: Ticket, tx: &Tx) {
        self.q.sent(&ticket, tx, self.now);
        self.nothing_dropped();
    }

    pub fn heard(&mut self, flow: u8, air: u64) {
        self.q.heard(&Heard { flow: ops::hash(flow), sta: u16::from(flow), air }, self.now);
        self.nothing_dropped();
    }

    /// The numbers of the packets that do not fit any more.
    pub fn change(&mut self, params: Params) -> Vec<u32> {
        self.q.change(&mut self.pool, &params, self.now);
        self.params = params;
        let drops = self.take_drops();
        for &(.., reason) in &drops {
            assert!(matches!(reason, Reason::Limit | Reason::Memory), "a change drops to its limits");
        }
        self.urgent_is_spared(&drops);
        self.check();
        drops.iter().map(|d| d.0).collect()
    }

    pub fn drain(&mut self) -> Option<u32> {
        let oldest = self.queued.keys().next().copied();
        let out = self.q.drain(&mut self.pool).map(|handle| self.returned(handle));
        assert_eq!(out.map(|o| o.0), oldest, "handing over goes in order of arrival");
        if let Some((number, packet)) = out {
            let key = (packet.meta.flow, packet.meta.class, packet.meta.sta);
            self.last.insert(key, number);
            self.given += 1;
        }
        self.nothing_dropped();
        oldest
    }

    pub fn gate(&mut self, station: u16, open: bool) {
        self.q.gate(&mut self.pool, station, open, self.now);
        if open {
            self.closed.remove(&station)
        } else {
            self.closed.insert(station)
        };
        self.nothing_dropped();
    }

    /// Opens all stations.
    pub fn open_all(&mut self) {
        for station in self.closed.clone() {
            self.gate(station, true);
        }
    }

    /// Whether a packet's station is open.
    pub fn is_open(&self, packet: &Packet) -> bool {
        !self.closed.contains(&packet.meta.sta)
    }

    pub fn reset(&mut self) {
        self.q.reset(&mut self.pool, self.now);
        let drops = self.take_drops();
        assert!(drops.iter().all(|d| d.2 == Reason::Reset));
        assert!(self.queued.is_empty(), "a reset leaves nothing");
        self.check();
    }

    /// Time passes; a timer that is due fires.
    pub fn wait(&mut self, ns: u64) {
        self.now += ns;
        if self.q.wake(self.now).is_some_and(|at| at <= self.now) {
            self.q.tick(&mut self.pool, self.now);
        }
        self.nothing_dropped();
    }

    /// The discipline's table: column names and rows.
    pub fn rows(&self) -> Vec<Row> {
        let rows = self.q.rows(&self.pool, self.now).into_iter();
        rows.map(|values| Row { columns: Rc::clone(&self.columns), values }).collect()
    }

    /// One of the discipline's statistics.
    pub fn stat(&self, name: &str) -> u64 {
        let i = self.stats.iter().position(|stat| *stat == name).expect("a statistic");
        self.q.stats(self.now)[i]
    }

    /// A parameter with one value.
    pub fn param(&self, name: &str) -> Option<u64> {
        self.params.get(name).map(|v| v[0])
    }

    fn returned(&mut self, handle: Handle) -> (u32, Packet) {
        let number = *self.pool.body(handle);
        let packet = self.queued.remove(&number).expect("a packet comes back once");
        assert_eq!(self.pool.remove(packet.handle), number, "a packet comes back as it was");
        (number, packet)
    }

    fn take_drops(&mut self) -> Vec<(u32, Packet, Reason)> {
        let drops: Vec<_> = self.q.dropped().collect();
        drops
            .into_iter()
            .map(|d| {
                self.dropped[d.reason as usize] += 1;
                let (number, packet) = self.returned(d.packet);
                (number, packet, d.reason)
            })
            .collect()
    }

    fn nothing_dropped(&mut self) {
        assert!(self.take_drops().is_empty(), "only arrivals, dequeues, changes and resets drop");
        self.check();
    }

    /// Urgent packets that are ordinary ones so far; 0 where nothing is told apart.
    fn urgent_over(&self) -> u64 {
        let told = self.stats.contains(&"urgent_over");
        if told { self.stat("urgent_over") } else { 0 }
    }

    /// Link control goes only when link control alone does not fit, and is at most
    /// 32 packets of at most 1514 bytes. Single queues tell nothing apart; those that size queues bound each class by
    /// itself, if they have classes at all.
    fn urgent_is_spared(&self, drops: &[(u32, Packet, Reason)]) {
        if ["fifo", "codel", "pie", "red", "wqm", "dnb", "astar"].contains(&self.discipline().name()) {
            return;
        }
        let queued = self.queued.values().filter(|p| p.urgent());
        assert!(queued.clone().count() <= 32 && queued.clone().all(|p| p.meta.bytes <= 1514));
        let dropped = drops.iter().filter(|d| d.1.urgent()).count();
        assert!(
            dropped == 0 || (queued.count() + dropped) as u64 > self.limit(),
            "an urgent packet was dropped while others could make room"
        );
    }

    /// Packets that may stay.
    pub fn limit(&self) -> u64 {
        let faithful = self.discipline().name() == "chap" && self.param("profile") == Some(1);
        self.param("limit").expect("every discipline has a limit") - u64::from(faithful)
    }

    /// Bytes that may stay; None also where 0 leaves that to the discipline.
    fn memory(&self) -> Option<u64> {
        match self.discipline().name() {
            "chap" if self.param("profile") == Some(1) => None,
            _ => self.param("memory").or(self.param("bytes")).filter(|&b| b > 0),
        }
    }

    /// The books agree and no limit is exceeded.
    fn check(&self) {
        let c = self.q.counters();
        let bytes: u64 = self.queued.values().map(|p| u64::from(p.meta.bytes)).sum();
        assert_eq!(c.taken + c.made, c.given + c.dropped.iter().sum::<u64>() + u64::from(c.queued));
        assert_eq!(
            (c.taken, c.given, c.dropped, c.queued as usize, c.bytes),
            (u64::from(self.arrived), self.given, self.dropped, self.queued.len(), bytes)
        );
        let parked = self.queued.values().filter(|p| !self.is_open(p)).count();
        assert_eq!(self.q.parked() as usize, parked, "those of closed stations are parked");
        assert_eq!(self.pool.len(), self.queued.len(), "nobody else holds packets");
        assert!(u64::from(c.queued) <= self.limit(), "{} packets, limit {}", c.queued, self.limit());
        assert!(self.memory().is_none_or(|memory| bytes <= memory), "{bytes} bytes");
    }
}
