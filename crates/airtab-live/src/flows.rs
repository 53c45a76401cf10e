// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who sends what: running figures of every flow and station, for what one
//! sees of a running access point.
//!
//! At most [`LIMIT`] flows have a record at a time; idle ones are forgotten after
//! [`IDLE_NS`], some at a time. When the table is full, a new flow gets the record of the one that
//! is silent longest, first of those that never lasted, so that a flood of new
//! flows takes the records of its own: a flow that has lasted keeps its record
//! through [`KEEP_NS`] of silence. Where nobody is silent, new flows share record 0.
//! What a record had counted when it went is record 0's from then on: sums stay.
//!
//! A packet costs some steps in balanced trees of at most [`LIMIT`] entries. The end of an
//! interval costs a look at every record and writes none: a record's own interval begins with
//! the first that is counted in it.
//!
//! What it does not do: it plays no part in scheduling; that is the discipline's
//! own table.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use airtab_core::time::SECOND;
use airtab_sim::Histogram;

use crate::packet::{FlowKey, Parsed};
use crate::snapshot::{Quantiles, Rates, Totals};

/// Flows known at a time.
pub const LIMIT: usize = 4096;
/// A flow that sent nothing for so long is forgotten, ns.
pub const IDLE_NS: u64 = 60_000_000_000;
/// So long after its first packet a flow that still sends has lasted, ns.
pub const LASTED_NS: u64 = 1_000_000_000;
/// A flow that has lasted keeps its record through so much silence while there
/// are others to take, ns.
pub const KEEP_NS: u64 = 10_000_000_000;
/// A record is not taken before so much silence, ns: the air may still have to
/// say what the last packet cost, under the record's number.
pub const GRACE_NS: u64 = 100_000_000;

/// Flows forgotten at most at a time, however many fell silent together: each costs its
/// histogram and some steps in trees, and a report must not hold up packets.
pub const SWEPT: usize = 256;

/// Running figures of a flow or a station.
pub struct Tally {
    /// Since the start.
    pub totals: Totals,
    /// Packets in the access point's queue.
    pub backlog: u32,
    /// Totals when the interval began.
    before: Totals,
    sojourn: Spread,
    /// The interval that these two are of.
    interval: u64,
}

impl Tally {
    fn new() -> Tally {
        Tally {
            totals: Totals::default(),
            backlog: 0,
            before: Totals::default(),
            sojourn: Spread::default(),
            interval: 0,
        }
    }

    /// What is counted from now on is of that interval.
    fn begin(&mut self, interval: u64) {
        if self.interval != interval {
            self.interval = interval;
            self.before = self.totals;
            self.sojourn.clear();
        }
    }

    /// Channel time in the interval, ns; None if it did nothing in it.
    fn air_ns(&self, interval: u64) -> Option<u64> {
        match self.interval == interval && self.totals != self.before {
            true => Some(self.totals.air_ns() - self.before.air_ns()),
            false => (self.backlog > 0).then_some(0),
        }
    }

    /// Takes over what another one has counted. Rates of the interval are those of
    /// both then.
    fn absorb(&mut self, other: &Tally) {
        self.totals += other.totals;
        self.before += other.before;
        self.sojourn.absorb(&other.sojourn);
    }

    /// A packet left the access point's queue after `ns`.
    pub fn waited(&mut self, ns: u64) {
        self.sojourn.record(ns);
    }

    /// Figures of the `interval_s` since the last call.
    pub fn rates(&mut self, interval_s: f64) -> Rates {
        let (now, before) = (&self.totals, &self.before);
        let per_second = |now: u64, before: u64| (now - before) as f64 / interval_s;
        let frames = now.frames - before.frames;
        let waited = self.sojourn.take();
        let rates = Rates {
            down_bps: per_second(now.down_bytes, before.down_bytes) * 8.0,
            up_bps: per_second(now.up_bytes, before.up_bytes) * 8.0,
            down_air_ratio: per_second(now.down_air_ns, before.down_air_ns) * 1e-9,
            up_air_ratio: per_second(now.up_air_ns, before.up_air_ns) * 1e-9,
            attempts_mean: if frames > 0 {
                (now.attempts - before.attempts) as f64 / frames as f64
            } else {
                0.0
            },
            drops_per_s: per_second(now.dropped + now.uplink_dropped, before.dropped + before.uplink_dropped),
            sojourn_p50_s: waited.p50_s,
            sojourn_p99_s: waited.p99_s,
        };
        self.before = self.totals;
        rates
    }
}

/// One distribution of times, up to 100 s, 2 digits; no memory until the first value.
pub struct Spread(Histogram);

impl Default for Spread {
    fn default() -> Self {
        Spread(Histogram::new(100 * SECOND, 2))
    }
}

impl Spread {
    /// Adds a time, ns.
    pub fn record(&mut self, ns: u64) {
        self.0.record(ns);
    }

    fn absorb(&mut self, other: &Spread) {
        self.0.add(&other.0);
    }

    fn clear(&mut self) {
        if !self.0.is_empty() {
            self.0.clear();
        }
    }

    /// Its quantiles; it is empty then.
    pub fn take(&mut self) -> Quantiles {
        let quantiles = Quantiles::of(&self.0);
        self.0.clear();
        quantiles
    }
}

/// A flow.
pub struct Flow {
    /// None: the record that flows beyond the limit share.
    pub key: Option<FlowKey>,
    /// What disciplines call it.
    pub hash: u32,
    /// The application whose server it talks to.
    pub app: Option<u16>,
    /// Its station; of record 0 none.
    pub station: u16,
    /// Its figures.
    pub tally: Tally,
    /// Packets of it on their way.
    inside: u32,
    /// When its first packet came, and the last one came or went.
    first_ns: u64,
    last_ns: u64,
    /// It still sent [`LASTED_NS`] after its first packet.
    lasted: bool,
    /// When the server got a request that it has not answered yet.
    asked_ns: Option<u64>,
}

/// All flows, by number.
pub struct Flows {
    numbers: HashMap<FlowKey, u32>,
    flows: Vec<Option<Flow>>,
    free: Vec<u32>,
    /// Those without packets on their way, longest silent first: last time, number.
    /// Ones that never lasted, and ones that have.
    brief: BTreeSet<(u64, u32)>,
    lasting: BTreeSet<(u64, u32)>,
    key: u64,
    /// Number of the interval under way.
    interval: u64,
    /// Room for one entry for each active record: airtime of the interval, number.
    ranking: Vec<(Reverse<u64>, u32)>,
}

impl Flow {
    fn new(key: Option<FlowKey>, hash: u32, app: Option<u16>, station: u16, now: u64) -> Flow {
        let tally = Tally::new();
        Flow {
            key,
            hash,
            app,
            station,
            tally,
            inside: 0,
            first_ns: now,
            last_ns: now,
            lasted: false,
            asked_ns: None,
        }
    }
}

impl Flows {
    /// An empty table; `key` keys the hash that disciplines see.
    pub fn new(key: u64) -> Flows {
        let others = Flow::new(None, 0, None, u16::MAX, 0);
        Flows {
            numbers: HashMap::new(),
            flows: vec![Some(others)],
            free: Vec::new(),
            brief: BTreeSet::new(),
            lasting: BTreeSet::new(),
            key,
            interval: 0,
            ranking: Vec::with_capacity(LIMIT + 1),
        }
    }

    /// The flow of a packet that came in, and the hash that disciplines see.
    pub fn enter(&mut self, key: FlowKey, app: Option<u16>, station: u16, now: u64) -> (u32, u32) {
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None => self.insert(key, app, station, now),
        };
        if number == 0 {
            self.get_mut(0).inside += 1;
            return (0, key.hash(self.key));
        }
        if self.get(number).inside == 0 {
            let place = (self.get(number).last_ns, number);
            self.silent(number).remove(&place);
        }
        let flow = self.get_mut(number);
        flow.inside += 1;
        flow.last_ns = now;
        flow.lasted |= now - flow.first_ns >= LASTED_NS;
        (number, flow.hash)
    }

    /// One more packet of a flow that has some on their way is under way.
    pub fn join(&mut self, number: u32) {
        self.get_mut(number).inside += 1;
    }

    /// A record for a new flow; 0 if there is none to be had.
    fn insert(&mut self, key: FlowKey, app: Option<u16>, station: u16, now: u64) -> u32 {
        if self.numbers.len() >= LIMIT {
            match self.least_missed(now) {
                Some(number) => self.forget(number),
                None => return 0,
            }
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            self.flows.len() as u32 - 1
        });
        self.flows[number as usize] = Some(Flow::new(Some(key), key.hash(self.key), app, station, now));
        self.numbers.insert(key, number);
        number
    }

    /// Whose record a new flow gets.
    fn least_missed(&self, now: u64) -> Option<u32> {
        let silent = |flows: &BTreeSet<(u64, u32)>, ns: u64| {
            flows.first().filter(|(last, _)| now.saturating_sub(*last) >= ns).map(|(_, number)| *number)
        };
        silent(&self.lasting, KEEP_NS)
            .or_else(|| silent(&self.brief, GRACE_NS))
            .or_else(|| silent(&self.lasting, GRACE_NS))
    }

    /// Gives up a silent flow's record; what it has counted is kept.
    fn forget(&mut self, number: u32) {
        let place = (self.get(number).last_ns, number);
        self.silent(number).remove(&place);
        let mut flow = self.flows[number as usize].take().expect("it is silent, not forgotten");
        self.numbers.remove(&flow.key.expect("only record 0 has none"));
        self.free.push(number);
        flow.tally.begin(self.interval);
        self.tally(0).absorb(&flow.tally);
    }

    /// The silent ones among which a flow is, or will be.
    fn silent(&mut self, number: u32) -> &mut BTreeSet<(u64, u32)> {
        if self.get(number).lasted { &mut self.lasting } else { &mut self.brief }
    }

    /// A packet of it is gone, whichever way.
    pub fn leave(&mut self, number: u32, now: u64) {
        let flow = self.get_mut(number);
        flow.inside -= 1;
        flow.last_ns = now;
        if number != 0 && flow.inside == 0 {
            self.silent(number).insert((now, number));
        }
    }

    /// The figures of a flow that has packets on their way.
    pub fn tally(&mut self, number: u32) -> &mut Tally {
        let interval = self.interval;
        let tally = &mut self.get_mut(number).tally;
        tally.begin(interval);
        tally
    }

    /// The application of a flow; None, too, if it is forgotten.
    pub fn app(&self, number: u32) -> Option<u16> {
        self.flows.get(number as usize)?.as_ref()?.app
    }

    /// The figures of a flow that may be forgotten by now.
    pub fn tally_if_known(&mut self, number: u32) -> Option<&mut Tally> {
        let tally = &mut self.flows.get_mut(number as usize)?.as_mut()?.tally;
        tally.begin(self.interval);
        Some(tally)
    }

    /// The server got a packet of it: notes the time if it asks for something.
    pub fn asked(&mut self, number: u32, packet: &Parsed, now: u64) {
        let asks = packet.tcp.is_some_and(|tcp| tcp.payload > 0 || tcp.flags & SYN != 0);
        if asks && number != 0 {
            self.get_mut(number).asked_ns = Some(now);
        }
    }

    /// The server sent a packet of it: how long it took to answer, ns.
    pub fn answered(&mut self, number: u32, packet: &Parsed, now: u64) -> Option<u64> {
        let answers = packet.tcp.is_some_and(|tcp| tcp.payload > 0 || tcp.flags & SYN != 0);
        let asked = answers.then(|| self.get_mut(number).asked_ns.take()).flatten()?;
        Some(now - asked)
    }

    /// Forgets flows that are idle, those that are silent longest first: at most [`SWEPT`]. A record
    /// that is left for the next time is there for a new flow meanwhile.
    pub fn sweep(&mut self, now: u64) {
        let oldest = |flows: &BTreeSet<(u64, u32)>| flows.first().copied();
        for _ in 0..SWEPT {
            match oldest(&self.brief).into_iter().chain(oldest(&self.lasting)).min() {
                Some((last, number)) if now.saturating_sub(last) > IDLE_NS => self.forget(number),
                _ => break,
            }
        }
    }

    /// Ends the interval, and shows the flows that did anything in it: most airtime first, at most `most`.
    pub fn busiest(&mut self, most: usize) -> Vec<u32> {
        self.ranking.clear();
        for (number, flow) in (0..).zip(&self.flows) {
            let air = flow.as_ref().and_then(|flow| flow.tally.air_ns(self.interval));
            self.ranking.extend(air.map(|air| (Reverse(air), number)));
        }
        if self.ranking.len() > most {
            self.ranking.select_nth_unstable(most);
            self.ranking.truncate(most);
        }
        self.ranking.sort_unstable();
        let numbers: Vec<u32> = self.ranking.iter().map(|(_, number)| *number).collect();
        for number in &numbers {
            self.tally(*number);
        }
        self.interval += 1;
        numbers
    }

    /// One of [`Flows::busiest`], until the next packet: its tally is of the interval that has ended.
    pub fn seen(&mut self, number: u32) -> &mut Flow {
        self.get_mut(number)
    }

    /// All that are known.
    #[cfg(test)]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Flow> {
        self.flows.iter_mut().flatten()
    }

    fn get(&self, number: u32) -> &Flow {
        self.flows[number as usize].as_ref().expect("a flow with packets on their way is not forgotten")
    }

    fn get_mut(&mut self, number: u32) -> &mut Flow {
        self.flows[number as usize].as_mut().expect("a flow with packets on their way is not forgotten")
    }
}

const SYN: u8 = 2;

/// Figures of stations.
pub fn tallies(stations: usize) -> Vec<Tally> {
    (0..stations).map(|_| Tally::new()).collect()
}

#[cfg(test)]
mod tests;
