// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One server, one queue: packets of a few flows wait, under a real discipline of the core, for a server
//! that takes a fixed time for each. No cell, no contention, no TCP: what queueing theory is about.
//!
//! It is a host of the core like the cell: it takes arrivals to `enqueue`, serves what `dequeue` gives, one
//! packet at a time, and reports the end of each service with `sent`. So a discipline is run here as it is
//! everywhere, and its waiting times can be held against closed forms (`airtab-model`, `docs/model-chap.md`).
//!
//! ```
//! use airtab_core::{Discipline, Params};
//! use airtab_sim::server::Server;
//!
//! // Two Poisson flows, rates 1:4, load 0.5, 306 us a packet; the CHAP dissertation's figure 6.5.
//! let server = Server::two_flows(0.5, 0.25, 306_000, 10_000_000_000);
//! let mut chap = Params::new(Discipline::named("chap").unwrap());
//! chap.set("profile", "faithful").unwrap();
//! let traces = server.run(&chap, 1);
//! assert!(traces[0].mean_wait_ns() < traces[1].mean_wait_ns());
//! ```
//!
//! At one instant arrivals come first, then the end of a service, then the next choice. A run depends on the
//! server, the parameters and the seed only; each flow has a random stream of its own.
//!
//! What it does not do: no uplink, no losses on the link.

mod starve;

use airtab_core::{Column, FLOW, Meta, Params, Pool, Qdisc, Ticket, Tx};

use crate::engine::{EventQueue, NEVER, Stream};
pub use starve::{Starvation, starve};

/// The queue's flows and how long to watch them.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// The flows; the discipline sees number + 1 as their hash, and their number as their station.
    pub flows: Vec<Flow>,
    /// Length of the run, ns.
    pub duration_ns: u64,
    /// Packets that arrive before this are served but not counted, ns.
    pub warm_up_ns: u64,
    /// Columns of the discipline's table, by name, to note of every flow after each choice and after each
    /// charge. Takes time in the number of records that the discipline has room for.
    pub record: Vec<&'static str>,
}

/// Packets that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// What the server takes for one, ns; at least 1.
    pub service_ns: u64,
    /// What is charged for one, ns: usually the same.
    pub cost_ns: u64,
    /// Length of one, bytes.
    pub bytes: u32,
    /// Class for disciplines that know some, 0 first.
    pub class: u8,
    /// When they come.
    pub arrivals: Arrivals,
}

/// When the packets of a flow arrive.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// With independent exponential gaps; above 0 packets a second.
    Poisson {
        /// Mean rate.
        per_second: f64,
    },
    /// One a gap, the first after half a gap.
    Constant {
        /// Time between two, ns, at least 1.
        gap_ns: u64,
    },
    /// So that this many wait whenever the server chooses. Its packets arrive when they are needed.
    Saturated {
        /// How many wait, at least 1 and within the queue's limit.
        backlog: u32,
    },
    /// At these times, ns, never decreasing.
    At(Vec<u64>),
}

/// What became of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowTrace {
    /// Packets served that arrived after the warm-up.
    pub served: u64,
    /// Of these, the sum of the times from arrival to the start of service, ns.
    pub wait_sum_ns: u64,
    /// The longest of these times, ns.
    pub wait_max_ns: u64,
    /// Packets dropped, whole run.
    pub dropped: u64,
    /// What was noted, whole run: a list for each of [`Server::record`]. Empty before the discipline knows the
    /// flow, and where its table has no such column.
    pub columns: Vec<Vec<Noted>>,
}

/// What a column said of a flow at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// When, ns.
    pub at_ns: u64,
    /// Its value, in the column's unit.
    pub value: i64,
}

impl FlowTrace {
    /// Mean time from arrival to the start of service, ns; 0 if nothing was served.
    pub fn mean_wait_ns(&self) -> f64 {
        self.wait_sum_ns as f64 / self.served.max(1) as f64
    }

    /// Least and greatest value of column number `column` noted from `from_ns` on; None without any.
    pub fn range(&self, column: usize, from_ns: u64) -> Option<(i64, i64)> {
        let noted = self.columns.get(column)?.iter().filter(|n| n.at_ns >= from_ns).map(|n| n.value);
        Some((noted.clone().min()?, noted.max()?))
    }
}

impl Flow {
    /// A flow of 1500-byte packets in class 0.
    pub fn new(service_ns: u64, arrivals: Arrivals) -> Flow {
        Flow { service_ns, cost_ns: service_ns, bytes: 1500, class: 0, arrivals }
    }
}

impl Server {
    /// A run that counts every packet and notes no columns.
    pub fn new(flows: Vec<Flow>, duration_ns: u64) -> Server {
        Server { flows, duration_ns, warm_up_ns: 0, record: Vec::new() }
    }

    /// A slow and a fast Poisson flow (classes 0 and 1) that keep the server busy for the share `rho` of the
    /// time; the slow one has `kappa` times the rate of the fast one. The CHAP dissertation's figures 5.4 and
    /// 6.5.
    pub fn two_flows(rho: f64, kappa: f64, service_ns: u64, duration_ns: u64) -> Server {
        let fast = rho * 1e9 / service_ns as f64 / (1.0 + kappa);
        let flow = |class, per_second| {
            let arrivals = Arrivals::Poisson { per_second };
            Flow { class, ..Flow::new(service_ns, arrivals) }
        };
        Server::new(vec![flow(0, kappa * fast), flow(1, fast)], duration_ns)
    }

    /// Flows whose packets all arrive at once, in batches: of flow i `packets[i]` in each, charged `costs_ns[i]`.
    /// The next batch comes when the one before is served. The CHAP dissertation's tables 4.1 to 5.4.
    ///
    /// # Panics
    /// If there are not as many costs as numbers of packets.
    pub fn batches(packets: &[u32], costs_ns: &[u64], service_ns: u64, batches: u64) -> Server {
        assert_eq!(packets.len(), costs_ns.len(), "each flow has a cost");
        let batch_ns = packets.iter().map(|n| u64::from(*n)).sum::<u64>() * service_ns;
        let flow = |(n, cost_ns): (&u32, &u64)| {
            let of_batch = |b| std::iter::repeat_n(b * batch_ns, *n as usize);
            let arrivals = Arrivals::At((0..batches).flat_map(of_batch).collect());
            Flow { cost_ns: *cost_ns, ..Flow::new(service_ns, arrivals) }
        };
        Server::new(packets.iter().zip(costs_ns).map(flow).collect(), batches * batch_ns)
    }

    /// Flows that take these shares of the server, the last one always backlogged and the others with constant
    /// gaps, for so many services. The CHAP dissertation's section 5.1.
    ///
    /// # Panics
    /// If there is no share, or one is not above 0.
    pub fn shares(shares: &[f64], service_ns: u64, services: u64) -> Server {
        assert!(shares.iter().all(|share| *share > 0.0), "every share must be above 0: {shares:?}");
        let (_, others) = shares.split_last().expect("there are shares");
        let constant = |share: &f64| {
            Flow::new(service_ns, Arrivals::Constant { gap_ns: (service_ns as f64 / share) as u64 })
        };
        let mut flows: Vec<Flow> = others.iter().map(constant).collect();
        flows.push(Flow::new(service_ns, Arrivals::Saturated { backlog: 50 }));
        Server::new(flows, services * service_ns)
    }

    /// Runs it under a discipline; one trace for each flow, in their order.
    ///
    /// # Panics
    /// If [`Params::check`] would fail, or a flow breaks a rule of its fields.
    pub fn run(&self, params: &Params, seed: u64) -> Vec<FlowTrace> {
        Run::new(self, params, seed).finished()
    }
}

/// What the server knows of a packet.
#[derive(Clone, Copy)]
struct Packet {
    flow: usize,
    arrived: u64,
}

/// A packet in service.
struct Service {
    packet: Packet,
    ticket: Ticket,
    ends: u64,
}

struct Run<'a> {
    server: &'a Server,
    pool: Pool<Packet>,
    queue: Qdisc,
    /// The next arrival of each flow; of a saturated one only the first.
    arrivals: EventQueue<usize>,
    /// One for each flow.
    sources: Vec<Source>,
    in_service: Option<Service>,
    /// When the discipline wants to be asked again, if nothing else happens.
    wake: u64,
    traces: Vec<FlowTrace>,
    /// Columns of the discipline's table: which flow a row is about, and those to be noted.
    flow: Option<Column>,
    columns: Vec<Option<Column>>,
}

struct Source {
    stream: Stream,
    /// Packets so far.
    made: usize,
    /// Of these, those in the queue.
    waiting: u32,
}

impl<'a> Run<'a> {
    fn new(server: &'a Server, params: &Params, seed: u64) -> Run<'a> {
        let pool = Pool::new();
        let queue = Qdisc::new(&pool, params, seed, 0);
        let discipline = params.discipline();
        let trace = FlowTrace { columns: vec![Vec::new(); server.record.len()], ..FlowTrace::default() };
        let source = |i| Source { stream: Stream::new(seed, &format!("server/{i}")), made: 0, waiting: 0 };
        let mut run = Run {
            server,
            pool,
            queue,
            arrivals: EventQueue::new(),
            sources: (0..server.flows.len()).map(source).collect(),
            in_service: None,
            wake: NEVER,
            traces: vec![trace; server.flows.len()],
            flow: discipline.column(FLOW).filter(|_| !server.record.is_empty()),
            columns: server.record.iter().map(|name| discipline.column(name)).collect(),
        };
        for (i, flow) in server.flows.iter().enumerate() {
            assert!(flow.service_ns > 0, "service of flow {i} must take time");
            run.expect_arrival(i, 0);
        }
        run
    }

    /// What is left when the time is over.
    fn finished(mut self) -> Vec<FlowTrace> {
        loop {
            let ends = self.in_service.as_ref().map_or(NEVER, |s| s.ends);
            let now = ends.min(self.arrivals.next_at()).min(self.wake);
            if now > self.server.duration_ns {
                return self.traces;
            }
            while self.arrivals.next_at() == now {
                let (_, flow) = self.arrivals.pop().expect("there is one");
                self.arrive(flow, now);
                self.expect_arrival(flow, now);
            }
            if ends == now {
                self.finish(now);
            }
            if self.wake == now {
                self.queue.tick(&mut self.pool, now);
                self.collect_drops();
            }
            if self.in_service.is_none() {
                self.choose(now);
            }
        }
    }

    /// Puts the next arrival of a flow behind `now` into the list.
    fn expect_arrival(&mut self, flow: usize, now: u64) {
        let source = &mut self.sources[flow];
        let at = match &self.server.flows[flow].arrivals {
            Arrivals::Poisson { per_second } => {
                assert!(*per_second > 0.0, "the rate of flow {flow} must be above 0, not {per_second}");
                let gap = -libm::log(1.0 - source.stream.unit()) * 1e9 / per_second;
                Some(now.saturating_add(libm::round(gap) as u64))
            }
            Arrivals::Constant { gap_ns } => {
                assert!(*gap_ns > 0, "the gap of flow {flow} must be above 0");
                Some(gap_ns / 2 + gap_ns * source.made as u64)
            }
            // The first choice is made at 0: a saturated flow begins there.
            Arrivals::Saturated { backlog } => {
                assert!(*backlog > 0, "the backlog of flow {flow} must be above 0");
                (source.made == 0).then_some(0)
            }
            Arrivals::At(times) => times.get(source.made).copied(),
        };
        if let Some(at) = at {
            assert!(at >= now, "arrivals of flow {flow} go back from {now} ns to {at} ns");
            self.arrivals.push(at, flow);
        }
    }

    fn arrive(&mut self, flow: usize, now: u64) {
        let Flow { bytes, class, .. } = self.server.flows[flow];
        let meta = Meta { bytes, flow: flow as u32 + 1, sta: flow as u16, class, ..Meta::default() };
        let packet = self.pool.insert(meta, Packet { flow, arrived: now });
        self.sources[flow].made += 1;
        self.sources[flow].waiting += 1;
        self.queue.enqueue(&mut self.pool, packet, now);
        self.collect_drops();
    }

    fn collect_drops(&mut self) {
        for dropped in self.queue.dropped() {
            let packet = self.pool.remove(dropped.packet);
            self.sources[packet.flow].waiting -= 1;
            self.traces[packet.flow].dropped += 1;
        }
    }

    /// The packet in service is done: the discipline hears what it took.
    fn finish(&mut self, now: u64) {
        let Some(Service { packet, ticket, .. }) = self.in_service.take() else { return };
        let cost = self.server.flows[packet.flow].cost_ns;
        self.queue.sent(&ticket, &Tx { air: cost, span: cost, attempts: 1, acked: true }, now);
        self.note(now);
    }

    /// The next packet goes into service, if one waits.
    fn choose(&mut self, now: u64) {
        for (i, flow) in self.server.flows.iter().enumerate() {
            if let Arrivals::Saturated { backlog } = flow.arrivals {
                for _ in self.sources[i].waiting..backlog {
                    self.arrive(i, now);
                }
            }
        }
        let next = self.queue.dequeue(&mut self.pool, now);
        self.collect_drops();
        let Some((handle, ticket)) = next else {
            self.wake = self.queue.wake(now).map_or(NEVER, |at| at.max(now + 1));
            return;
        };
        self.wake = NEVER;
        let packet = self.pool.remove(handle);
        self.sources[packet.flow].waiting -= 1;
        if packet.arrived >= self.server.warm_up_ns {
            let (trace, wait) = (&mut self.traces[packet.flow], now - packet.arrived);
            trace.served += 1;
            trace.wait_sum_ns += wait;
            trace.wait_max_ns = trace.wait_max_ns.max(wait);
        }
        let ends = now + self.server.flows[packet.flow].service_ns;
        self.in_service = Some(Service { packet, ticket, ends });
        self.note(now);
    }

    fn note(&mut self, at_ns: u64) {
        let Some(flow) = self.flow else { return };
        let (columns, traces) = (&self.columns, &mut self.traces);
        self.queue.for_each_row(&self.pool, at_ns, |row| {
            // Numbers begin at 0, hashes at 1.
            let number = usize::try_from(flow.value(row) - 1).ok();
            let Some(trace) = number.and_then(|i| traces.get_mut(i)) else { return };
            for (column, noted) in columns.iter().zip(&mut trace.columns) {
                noted.extend(column.map(|c| Noted { at_ns, value: c.value(row) }));
            }
        });
    }
}
