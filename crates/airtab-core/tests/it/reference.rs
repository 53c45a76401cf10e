// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! CHAP as published, an independent model: every flow in one list, every
//! choice a scan of it, every boost a loop over it.
//!
//! Sources: CHAP dissertation 4.2-4.4; MMSys 2010, algorithms 1 and 2. Credits
//! are whole ns; a boost halves the distance to 2I towards minus infinity, so
//! this agrees with the core to the last bit (C's `/ 2` would not).
//!
//! It judges rather than decides: it is told which packet the core gave out or
//! dropped and says whether that was right.
//!
//! What it does not do: give up records when a table is full, count bytes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Whom a packet is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Multicast,
    Flow(u32),
}

struct Flow {
    key: Key,
    /// Order of creation.
    created: u64,
    credit: i64,
    /// Last served, or created, ns.
    last: u64,
    tcp: bool,
    backlog: VecDeque<u32>,
}

/// What may differ between the runs that are judged.
#[derive(Clone, Copy)]
pub struct Rules {
    /// I, ns.
    pub increment: i64,
    /// Packets that remain after an arrival.
    pub bound: usize,
    /// After which an idle flow is forgotten, ns: not TCP, TCP.
    pub timeouts: [u64; 2],
    /// Received frames are charged.
    pub uplink: bool,
    /// Of flows with equal credits the first created is served and the last
    /// created loses. Else either may be: rounding makes close credits equal.
    pub ties: bool,
}

pub struct Reference {
    pub rules: Rules,
    flows: Vec<Flow>,
    urgent: VecDeque<u32>,
    /// Of every packet that ever came.
    station: BTreeMap<u32, u16>,
    closed: BTreeSet<u16>,
    created: u64,
    /// Served flow by ticket, as long as no report came.
    open: BTreeMap<u32, u64>,
    pub boosts: u64,
}

/// Longest duration that one report charges, ns.
const LONGEST: u64 = 1 << 40;

impl Reference {
    pub fn new(rules: Rules) -> Reference {
        let mut reference = Reference {
            rules,
            flows: Vec::new(),
            urgent: VecDeque::new(),
            station: BTreeMap::new(),
            closed: BTreeSet::new(),
            created: 0,
            open: BTreeMap::new(),
            boosts: 0,
        };
        reference.create(Key::Multicast, false, 0);
        reference
    }

    fn create(&mut self, key: Key, tcp: bool, now: u64) -> usize {
        self.flows.push(Flow {
            key,
            created: self.created,
            credit: self.rules.increment,
            last: now,
            tcp,
            backlog: VecDeque::new(),
        });
        self.created += 1;
        self.flows.len() - 1
    }

    fn forget_expired(&mut self, now: u64) {
        let timeouts = self.rules.timeouts;
        self.flows.retain(|f| {
            f.key == Key::Multicast || !f.backlog.is_empty() || now - f.last <= timeouts[usize::from(f.tcp)]
        });
    }

    /// Packet `number`, which arrives next, is for this station.
    pub fn arrives_for(&mut self, number: u32, station: u16) {
        self.station.insert(number, station);
    }

    /// A station was closed or opened: nobody is served with its packets meanwhile.
    pub fn gate(&mut self, station: u16, open: bool) {
        if open {
            self.closed.remove(&station)
        } else {
            self.closed.insert(station)
        };
    }

    /// The oldest of these that may go.
    fn first(&self, packets: &VecDeque<u32>) -> Option<u32> {
        packets.iter().copied().find(|number| !self.closed.contains(&self.station[number]))
    }

    /// An urgent packet arrived and `dropped` were dropped for it.
    pub fn arrived_urgent(&mut self, number: u32, dropped: &[u32]) {
        self.urgent.push_back(number);
        self.made_room(dropped);
    }

    /// A packet arrived and `dropped` were dropped for it.
    pub fn arrived(&mut self, number: u32, key: Key, tcp: bool, now: u64, dropped: &[u32]) {
        self.forget_expired(now);
        let known = self.flows.iter().position(|f| f.key == key);
        let flow = known.unwrap_or_else(|| self.create(key, tcp, now));
        self.flows[flow].backlog.push_back(number);
        self.made_room(dropped);
    }

    fn len(&self) -> usize {
        self.flows.iter().map(|f| f.backlog.len()).sum::<usize>() + self.urgent.len()
    }

    /// The backlogged flow whose oldest packet is `number`.
    fn owner(&self, number: u32) -> usize {
        let owner = self.flows.iter().position(|f| f.backlog.front() == Some(&number));
        owner.unwrap_or_else(|| panic!("packet {number} is not the oldest of its flow"))
    }

    /// Whether all packets of a flow, which has some, are of closed stations.
    fn is_parked(&self, flow: &Flow) -> bool {
        !flow.backlog.is_empty() && self.first(&flow.backlog).is_none()
    }

    /// Who may have to make room: the backlogged flows, or those of closed stations if
    /// these have more than half of the packets.
    fn losers(&self) -> Vec<usize> {
        let packets = self.flows.iter().map(|f| &f.backlog).chain([&self.urgent]).flatten();
        let parked = packets.filter(|&number| self.closed.contains(&self.station[number])).count();
        let all = (0..self.flows.len()).filter(|&i| !self.flows[i].backlog.is_empty());
        let asleep: Vec<_> = all.clone().filter(|&i| self.is_parked(&self.flows[i])).collect();
        if parked > self.len() / 2 && !asleep.is_empty() { asleep } else { all.collect() }
    }

    /// Push-out from the flow with the least credit.
    fn made_room(&mut self, dropped: &[u32]) {
        for &number in dropped {
            assert!(self.len() > self.rules.bound, "dropped although there was room");
            let victim = self.owner(number);
            let losers = self.losers();
            let least = losers.iter().map(|&i| self.flows[i].credit).min().expect("somebody is backlogged");
            assert_eq!(self.flows[victim].credit, least, "the victim has the least credit");
            assert!(losers.contains(&victim), "parked flows lose first if they have more than half");
            if self.rules.ties {
                let last = losers.iter().rfind(|&&i| self.flows[i].credit == least);
                assert_eq!(Some(&victim), last, "of equals, the last created loses");
            }
            self.flows[victim].backlog.pop_front();
        }
        let others = self.flows.iter().any(|f| !f.backlog.is_empty());
        assert!(self.len() <= self.rules.bound || !others, "the queue is too long");
    }

    /// The core gave out packet `number` with a ticket, or nothing.
    pub fn dequeued(&mut self, given: Option<(u32, u32)>, now: u64) {
        let Some((number, ticket)) = given else {
            let backlogs = self.flows.iter().map(|f| &f.backlog).chain([&self.urgent]);
            assert!(backlogs.into_iter().all(|packets| self.first(packets).is_none()), "work conserving");
            return;
        };
        if let Some(urgent) = self.first(&self.urgent) {
            assert_eq!(number, urgent, "urgent packets go first");
            self.urgent.retain(|&n| n != number);
            assert!(ticket > 0, "and are charged, to nobody's credit");
            return;
        }
        let may_go = |f: &Flow| self.first(&f.backlog).is_some();
        let served = self.flows.iter().position(|f| self.first(&f.backlog) == Some(number));
        let served = served.expect("the first of its flow that may go");
        let most = self.flows.iter().filter(|f| may_go(f)).map(|f| f.credit).max();
        let most = most.expect("somebody may be served");
        assert_eq!(self.flows[served].credit, most, "the flow with the most credit is served");
        if self.rules.ties {
            let first = self.flows.iter().position(|f| may_go(f) && f.credit == most);
            assert_eq!(Some(served), first, "of equals, the first created is served");
        }
        if most <= 0 {
            self.boosts += 1;
            let increment = self.rules.increment;
            for flow in &mut self.flows {
                flow.credit = (flow.credit - 2 * increment).div_euclid(2) + 2 * increment;
            }
        }
        let flow = &mut self.flows[served];
        flow.backlog.retain(|&n| n != number);
        flow.last = now;
        assert!(ticket > 0 && self.open.insert(ticket, flow.created).is_none(), "a ticket of its own");
    }

    /// A flow, if it is known, has its share in `ns` that went by beside it. `faithful`
    /// (`ties`) knows no such thing.
    pub fn shared(&mut self, key: Key, ns: i64) {
        if let Some(flow) = self.flows.iter_mut().find(|f| !self.rules.ties && f.key == key) {
            flow.credit -= ns;
        }
    }

    /// A report of `ns` for a ticket; only the first one counts.
    pub fn sent(&mut self, ticket: u32, ns: u64, now: u64) {
        self.forget_expired(now);
        let Some(created) = self.open.remove(&ticket) else { return };
        if let Some(flow) = self.flows.iter_mut().find(|f| f.created == created) {
            flow.credit -= ns.min(LONGEST) as i64;
        }
    }

    /// A frame of the flow was received.
    pub fn heard(&mut self, key: u32, ns: u64, now: u64) {
        self.forget_expired(now);
        if let Some(flow) = self.flows.iter_mut().find(|f| self.rules.uplink && f.key == Key::Flow(key)) {
            flow.credit -= ns.min(LONGEST) as i64;
        }
    }

    /// Another bound came into force and `dropped` were dropped for it.
    pub fn changed(&mut self, bound: usize, dropped: &[u32]) {
        self.rules.bound = bound;
        let urgent: Vec<_> = dropped.iter().filter(|n| self.urgent.contains(n)).copied().collect();
        let others: Vec<_> = dropped.iter().filter(|n| !self.urgent.contains(n)).copied().collect();
        self.made_room(&others);
        for number in urgent {
            assert!(self.urgent.len() > bound);
            assert_eq!(self.urgent.pop_front(), Some(number), "the oldest urgent packet goes first");
        }
        assert!(self.len() <= bound);
    }

    /// A packet was handed over, uncharged.
    pub fn drained(&mut self, number: u32) {
        self.urgent.retain(|&n| n != number);
        for flow in &mut self.flows {
            flow.backlog.retain(|&n| n != number);
        }
    }

    /// Everything was dropped and forgotten.
    pub fn reset(&mut self, now: u64) {
        self.flows.clear();
        self.urgent.clear();
        self.open.clear();
        self.create(Key::Multicast, false, now);
    }

    /// Credit and backlog of every flow that is known.
    pub fn table(&mut self, now: u64) -> BTreeMap<Key, (i64, usize)> {
        self.forget_expired(now);
        self.flows.iter().map(|f| (f.key, (f.credit, f.backlog.len()))).collect()
    }
}
