//! Who sends what: running figures of every flow and station, for what one
//! sees of a running access point.
//!
//! At most [`LIMIT`] flows are known at a time; idle ones are forgotten after
//! [`IDLE_NS`]. When the table is full, further flows share record 0, so a
//! flood of new flows costs nothing but detail.
//!
//! What it does not do: it plays no part in scheduling; that is the discipline's
//! own table.

use std::collections::HashMap;

use hdrhistogram::Histogram;

use crate::packet::{FlowKey, Parsed};
use crate::snapshot::{Quantiles, Rates, Totals};

/// Flows known at a time.
pub const LIMIT: usize = 4096;
/// A flow that sent nothing for so long is forgotten, ns.
pub const IDLE_NS: u64 = 60_000_000_000;

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
    last_ns: u64,
    /// When the server got a request that it has not answered yet.
    asked_ns: Option<u64>,
}

/// All flows, by number.
pub struct Flows {
    numbers: HashMap<FlowKey, u32>,
    flows: Vec<Option<Flow>>,
    free: Vec<u32>,
    key: u64,
}

impl Flows {
    /// An empty table; `key` keys the hash that disciplines see.
    pub fn new(key: u64) -> Flows {
        let others = Flow {
            key: None,
            hash: 0,
            app: None,
            station: u16::MAX,
            tally: Tally::new(),
            inside: 0,
            last_ns: 0,
            asked_ns: None,
        };
        Flows { numbers: HashMap::new(), flows: vec![Some(others)], free: Vec::new(), key }
    }

    /// The flow of a packet that came in, and the hash that disciplines see.
    pub fn enter(&mut self, key: FlowKey, app: Option<u16>, station: u16, now: u64) -> (u32, u32) {
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None if self.numbers.len() >= LIMIT => 0,
            None => self.insert(key, app, station),
        };
        let flow = self.get_mut(number);
        flow.inside += 1;
        flow.last_ns = now;
        (number, if number == 0 { key.hash(self.key) } else { self.get(number).hash })
    }

    fn insert(&mut self, key: FlowKey, app: Option<u16>, station: u16) -> u32 {
        let flow = Flow {
            key: Some(key),
            hash: key.hash(self.key),
            app,
            station,
            tally: Tally::new(),
            inside: 0,
            last_ns: 0,
            asked_ns: None,
        };
        let number = self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            self.flows.len() as u32 - 1
        });
        self.flows[number as usize] = Some(flow);
        self.numbers.insert(key, number);
        number
    }

    /// A packet of it is gone, whichever way.
    pub fn leave(&mut self, number: u32) {
        self.get_mut(number).inside -= 1;
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
        for (number, place) in self.flows.iter_mut().enumerate().skip(1) {
            let idle = place.as_ref().is_some_and(|f| f.inside == 0 && now - f.last_ns > IDLE_NS);
            if let (true, Some(flow)) = (idle, place.as_mut()) {
                self.numbers.remove(&flow.key.expect("only record 0 has none"));
                *place = None;
                self.free.push(number as u32);
            }
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

    #[test]
    fn a_flood_shares_one_record_and_idle_flows_make_room() {
        let mut flows = Flows::new(1);
        for port in 0..LIMIT as u16 {
            let (number, hash) = flows.enter(key(port), None, 0, 5);
            assert!(number > 0 && hash == key(port).hash(1));
            flows.leave(number);
        }
        let (number, hash) = flows.enter(key(60_000), None, 0, 6);
        assert_eq!((number, hash), (0, key(60_000).hash(1)), "a hash of its own, a shared record");
        flows.leave(number);
        let (busy, _) = flows.enter(key(1), None, 0, 7);
        flows.sweep(8 + IDLE_NS);
        assert_eq!(flows.numbers.len(), 1, "only the one with a packet on its way");
        assert_eq!(flows.enter(key(1), None, 0, 9 + IDLE_NS).0, busy);
        assert!(flows.enter(key(60_000), None, 0, 9 + IDLE_NS).0 > 0);
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
