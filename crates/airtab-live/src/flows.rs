//! Who sends what: running figures of every flow and station, for what one
//! sees of a running access point.
//!
//! At most [`LIMIT`] flows have a record at a time; idle ones are forgotten after
//! [`IDLE_NS`]. When the table is full, a new flow gets the record of the one that
//! is silent longest, first of those that never lasted, so that a flood of new
//! flows takes the records of its own: a flow that has lasted keeps its record
//! through [`KEEP_NS`] of silence. Where nobody is silent, new flows share record 0.
//! What a record had counted when it went is record 0's from then on: sums stay.
//!
//! A packet costs some steps in balanced trees of at most [`LIMIT`] entries.
//!
//! What it does not do: it plays no part in scheduling; that is the discipline's
//! own table.

use std::collections::{BTreeSet, HashMap};

use hdrhistogram::Histogram;

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

/// Running figures of a flow or a station.
pub struct Tally {
    /// Since the start.
    pub totals: Totals,
    /// Packets in the access point's queue.
    pub backlog: u32,
    before: Totals,
    sojourn: Spread,
}

impl Tally {
    fn new() -> Tally {
        Tally { totals: Totals::default(), backlog: 0, before: Totals::default(), sojourn: Spread::default() }
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

    /// Whether it did anything since the last [`Tally::rates`].
    pub fn active(&self) -> bool {
        self.totals != self.before || self.backlog > 0
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

/// One distribution of times, from 1 us to 100 s, 2 digits; no memory until the
/// first value.
#[derive(Default)]
pub struct Spread(Option<Histogram<u32>>);

impl Spread {
    /// Adds a time, ns.
    pub fn record(&mut self, ns: u64) {
        self.0
            .get_or_insert_with(|| {
                Histogram::new_with_bounds(1_000, 100_000_000_000, 2).expect("bounds are in order")
            })
            .saturating_record(ns);
    }

    fn absorb(&mut self, other: &Spread) {
        match (&mut self.0, &other.0) {
            (_, None) => {}
            (None, Some(theirs)) => self.0 = Some(theirs.clone()),
            (Some(own), Some(theirs)) => own.add(theirs).expect("all have the same bounds"),
        }
    }

    /// Its quantiles; it is empty then.
    pub fn take(&mut self) -> Quantiles {
        let Some(times) = self.0.as_mut().filter(|times| !times.is_empty()) else {
            return Quantiles::default();
        };
        let at = |q| times.value_at_quantile(q) as f64 * 1e-9;
        let quantiles = Quantiles { p50_s: at(0.5), p99_s: at(0.99), count: times.len() };
        times.reset();
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
        let flow = self.flows[number as usize].take().expect("it is silent, not forgotten");
        self.numbers.remove(&flow.key.expect("only record 0 has none"));
        self.free.push(number);
        self.get_mut(0).tally.absorb(&flow.tally);
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
        &mut self.get_mut(number).tally
    }

    /// The application of a flow; None, too, if it is forgotten.
    pub fn app(&self, number: u32) -> Option<u16> {
        self.flows.get(number as usize)?.as_ref()?.app
    }

    /// The figures of a flow that may be forgotten by now.
    pub fn tally_if_known(&mut self, number: u32) -> Option<&mut Tally> {
        Some(&mut self.flows.get_mut(number as usize)?.as_mut()?.tally)
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

    /// Forgets flows that are idle.
    pub fn sweep(&mut self, now: u64) {
        let oldest = |flows: &BTreeSet<(u64, u32)>| flows.first().copied();
        while let Some((last, number)) = oldest(&self.brief).into_iter().chain(oldest(&self.lasting)).min()
            && now.saturating_sub(last) > IDLE_NS
        {
            self.forget(number);
        }
    }

    /// All that are known.
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
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    fn key(port: u16) -> FlowKey {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        FlowKey { near: (address, port), far: (address, 80), protocol: 6 }
    }

    const MS: u64 = 1_000_000;
    const S: u64 = 1_000_000_000;

    /// A packet of a flow that passes at once.
    fn pass(flows: &mut Flows, port: u16, now: u64) -> u32 {
        let (number, hash) = flows.enter(key(port), None, 0, now);
        assert_eq!(hash, key(port).hash(1), "a hash of its own, whatever its record");
        flows.tally(number).totals.down_bytes += 100;
        flows.leave(number, now);
        number
    }

    /// Each in its own record, one a microsecond from `from` on.
    fn flood(flows: &mut Flows, ports: std::ops::Range<u16>, from: u64) -> u64 {
        ports
            .zip(0..)
            .map(|(port, i)| {
                pass(flows, port, from + i * 1000);
                from + i * 1000
            })
            .last()
            .unwrap()
    }

    fn known(flows: &Flows, port: u16) -> bool {
        flows.numbers.contains_key(&key(port))
    }

    fn counted(flows: &mut Flows) -> u64 {
        flows.iter_mut().map(|flow| flow.tally.totals.down_bytes).sum()
    }

    #[test]
    fn the_longest_silent_record_goes_when_a_new_flow_needs_it() {
        let mut flows = Flows::new(1);
        let end = flood(&mut flows, 0..LIMIT as u16, 0);
        assert_eq!(pass(&mut flows, 60_000, end), 0, "the air may still speak of all of them");
        // The first and the third of the flood speak again.
        pass(&mut flows, 0, end + 1);
        pass(&mut flows, 2, end + 2);
        let later = end + GRACE_NS;
        for (new, old) in [(60_000, 1), (60_001, 3), (60_002, 4)] {
            assert!(known(&flows, old));
            assert!(pass(&mut flows, new, later) > 0);
            assert!(known(&flows, new) && !known(&flows, old), "{old} was silent longest");
            assert_eq!(flows.numbers.len(), LIMIT);
        }
        assert!(known(&flows, 0) && known(&flows, 2));
        assert_eq!(counted(&mut flows), 100 * (LIMIT as u64 + 1 + 2 + 3), "nothing is lost in the sum");
    }

    /// Whatever many new flows come, and however fast.
    #[test]
    fn a_flood_takes_no_record_of_a_flow_that_has_lasted() {
        let mut flows = Flows::new(1);
        // A game that sends every 40 ms, and a page every 5 s; and a flow whose
        // packet is on its way all the time.
        let (game, page, held) = (50_000, 50_001, 50_002);
        flows.enter(key(held), None, 0, 0);
        pass(&mut flows, game, 0);
        pass(&mut flows, page, 0);
        pass(&mut flows, page, LASTED_NS);
        let mut port = 0;
        for ms in 0..20_000 {
            for _ in 0..20 {
                port = (port + 1) % 45_000;
                pass(&mut flows, port, (1000 + ms) * MS);
            }
            if ms % 40 == 0 {
                assert!(pass(&mut flows, game, (1000 + ms) * MS) > 0);
            }
            if ms % 5000 == 0 {
                assert!(pass(&mut flows, page, (1000 + ms) * MS) > 0);
            }
            assert!(known(&flows, game) && known(&flows, page) && known(&flows, held), "{ms} ms");
        }
        assert_eq!(flows.numbers.len(), LIMIT);
        let others = flows.get(0).tally.totals.down_bytes;
        assert!(others > 100 * (20 * 20_000 - LIMIT as u64), "{others}");
        assert_eq!(counted(&mut flows), 100 * (20 * 20_000 + 3 + 500 + 4));
        flows.leave(flows.numbers[&key(held)], 22 * S);
    }

    /// A flood of flows that have lasted, too, must not keep all records when it
    /// is over.
    #[test]
    fn after_a_flood_that_lasted_new_flows_are_known_at_once() {
        let mut flows = Flows::new(1);
        flood(&mut flows, 0..LIMIT as u16, 0);
        let end = flood(&mut flows, 0..LIMIT as u16, 2 * S);
        assert_eq!((flows.brief.len(), flows.lasting.len()), (0, LIMIT));
        for (i, ms) in [100, 200, 5_000, 10_001, 10_002].into_iter().enumerate() {
            let port = 60_000 + i as u16;
            assert!(pass(&mut flows, port, end + ms * MS) > 0, "{ms} ms after");
            assert!(known(&flows, port));
        }
        // 10 s after, those of the flood go before those that came since.
        assert!(known(&flows, 60_002) && known(&flows, 60_003) && known(&flows, 60_004));
    }

    /// A packet that waits long in a queue makes no flow that lasts.
    #[test]
    fn waiting_is_not_lasting() {
        let mut flows = Flows::new(1);
        for port in 0..100 {
            flows.enter(key(port), None, 0, 0);
        }
        for port in 0..100 {
            flows.leave(flows.numbers[&key(port)], 5 * S);
        }
        assert_eq!((flows.brief.len(), flows.lasting.len()), (100, 0));
    }

    #[test]
    fn where_nobody_is_silent_new_flows_share_a_record() {
        let mut flows = Flows::new(1);
        let numbers: Vec<u32> = (0..LIMIT as u16).map(|port| flows.enter(key(port), None, 0, 0).0).collect();
        assert!(numbers.iter().all(|n| *n > 0));
        assert_eq!(pass(&mut flows, 60_000, IDLE_NS), 0);
        flows.sweep(2 * IDLE_NS);
        assert_eq!(flows.numbers.len(), LIMIT, "none is forgotten with a packet on its way");
        numbers.into_iter().for_each(|n| flows.leave(n, 2 * IDLE_NS));
        flows.sweep(3 * IDLE_NS);
        assert_eq!(flows.numbers.len(), LIMIT);
        flows.sweep(3 * IDLE_NS + 1);
        assert_eq!((flows.numbers.len(), flows.brief.len(), flows.lasting.len()), (0, 0, 0));
        assert_eq!(counted(&mut flows), 100, "and what was counted stays");
        assert!(pass(&mut flows, 1, 4 * IDLE_NS) > 0);
    }

    /// Of what a record had counted, only what is of this interval is a rate.
    #[test]
    fn a_record_that_goes_adds_no_burst_to_the_rates() {
        let mut flows = Flows::new(1);
        for port in 0..LIMIT as u16 {
            pass(&mut flows, port, 0);
        }
        flows.iter_mut().for_each(|flow| {
            flow.tally.rates(1.0);
        });
        let number = flows.numbers[&key(0)];
        flows.tally(number).totals.down_bytes += 50;
        flows.tally(number).waited(2_000_000);
        for new in 0..10 {
            assert!(pass(&mut flows, 60_000 + new, S) > 0);
        }
        let rates = flows.get_mut(0).tally.rates(1.0);
        assert_eq!(rates.down_bps, 400.0, "50 bytes in this second, not 1050");
        assert!((rates.sojourn_p50_s - 0.002).abs() < 5e-5, "{}", rates.sojourn_p50_s);
        assert_eq!(flows.get(0).tally.totals.down_bytes, 1050);
    }

    #[test]
    fn rates_are_of_the_interval() {
        let mut tally = Tally::new();
        tally.totals.down_bytes = 1000;
        tally.totals.frames = 2;
        tally.totals.attempts = 3;
        tally.waited(1_000_000);
        let rates = tally.rates(2.0);
        assert_eq!((rates.down_bps, rates.attempts_mean), (4000.0, 1.5));
        assert!((rates.sojourn_p50_s - 0.001).abs() < 2e-5);
        assert!(!tally.active());
        assert_eq!(tally.rates(1.0), Rates::default());
    }
}
