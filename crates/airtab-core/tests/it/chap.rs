// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! chap against the published algorithm, and what chap adds to it.

use std::collections::BTreeMap;

use airtab_core::{Discipline, GROUP, Meta, Params, Tx, URGENT};
use proptest::prelude::*;

use crate::host::Host;
use crate::ops::{self, Arrival, Kind, Op, arrival, ops};
use crate::reference::{Key, Reference, Rules};

/// chap with equal shares of flows and without a target: `core/tests/test_chap_codel.c` tests its CoDel.
fn chap(pairs: &[(&str, &str)]) -> Params {
    let mut params = Params::new(Discipline::named("chap").expect("registered"));
    for (name, value) in [("share", "flow"), ("uplink", "off"), ("target", "off")] {
        params.set(name, value).expect("in range");
    }
    for (name, value) in pairs {
        params.set(name, value).expect("in range");
    }
    params
}

/// A running chap and the model that judges it.
struct Judged {
    host: Host,
    reference: Reference,
}

impl Judged {
    fn new(params: Params, ties: bool) -> Judged {
        let host = Host::new(params, 1);
        let param = |name| host.param(name).expect("chap has it");
        let rules = Rules {
            increment: param("increment") as i64,
            bound: host.limit() as usize,
            timeouts: [param("udp_timeout"), param("tcp_timeout")],
            uplink: param("uplink") == 1,
            ties,
        };
        Judged { host, reference: Reference::new(rules) }
    }

    fn enqueue(&mut self, arrival: &Arrival) {
        let out = self.host.enqueue(arrival);
        let key = arrival.meta().flow;
        let now = self.host.now;
        self.reference.arrives_for(out.number, arrival.meta().sta);
        match arrival.kind {
            Kind::Urgent if out.urgent => self.reference.arrived_urgent(out.number, &out.dropped),
            Kind::Multicast => {
                self.reference.arrived(out.number, Key::Multicast, arrival.tcp, now, &out.dropped)
            }
            Kind::Class(_) | Kind::Urgent => {
                self.reference.arrived(out.number, Key::Flow(key), arrival.tcp, now, &out.dropped)
            }
        }
    }

    fn dequeue(&mut self) {
        let given = self.host.dequeue();
        self.reference.dequeued(given.map(|(number, _, ticket)| (number, ticket.generation)), self.host.now);
        if let Some((_, packet, _)) = given.filter(|(_, packet, _)| packet.meta.class == URGENT) {
            self.reference.shared(urgent_payer(&packet.meta), nominal_ns(packet.meta.bytes) as i64);
        }
    }

    fn play(&mut self, op: &Op) {
        let now = self.host.now;
        match op {
            Op::Enqueue(arrival) => self.enqueue(arrival),
            Op::Dequeue => self.dequeue(),
            Op::Sent { back, tx } => {
                if let Some(i) = self.host.tickets.len().checked_sub(1 + back) {
                    // `ties` is `faithful`, which charges the wall clock.
                    let ns = if self.reference.rules.ties { tx.span } else { tx.air };
                    self.reference.sent(self.host.tickets[i].generation, ns, now);
                    self.host.sent(self.host.tickets[i], tx);
                }
            }
            Op::Forged { ticket, tx } => {
                // Record numbers are the core's own business: one that no flow has.
                self.host.sent(airtab_core::Ticket { flow: u32::MAX, ..*ticket }, tx);
            }
            Op::Heard { flow, air } => {
                self.host.heard(*flow, *air);
                self.reference.heard(ops::hash(*flow), *air, now);
            }
            Op::Change(seed) => {
                let mut params = self.host.params.clone();
                params.set("limit", &(2 + seed % 20).to_string()).expect("in range");
                if self.reference.rules.ties {
                    // Only upwards: a credit above 2I is nowhere defined.
                    let increment = self.host.param("increment").expect("chap has it") + seed % 7_777_777;
                    params.set("increment", &format!("{increment}ns")).expect("in range");
                }
                let dropped = self.host.change(params);
                self.reference.rules.increment = self.host.param("increment").expect("chap has it") as i64;
                self.reference.changed(self.host.limit() as usize, &dropped);
            }
            Op::Drain => {
                if let Some(number) = self.host.drain() {
                    self.reference.drained(number);
                }
            }
            Op::Reset => {
                self.host.reset();
                self.reference.reset(now);
            }
            Op::Gate { station, open } => {
                self.host.gate(*station, *open);
                self.reference.gate(*station, *open);
            }
            Op::Wait(ns) => self.host.wait(*ns),
        }
        self.compare();
    }

    /// Credit and backlog of every flow, to the nanosecond.
    fn compare(&mut self) {
        let mut expected = self.reference.table(self.host.now);
        let shown: BTreeMap<_, _> = credits(&self.host);
        if !shown.contains_key(&Key::Multicast) {
            expected.remove(&Key::Multicast); // shown once it was used
        }
        assert_eq!(shown, expected);
        assert_eq!(self.host.stat("boosts"), self.reference.boosts);
    }
}

/// Who pays, beside their own row, for urgent packets that go first: the flow of
/// those that do not, if there is one.
fn urgent_payer(meta: &Meta) -> Key {
    if meta.sta == GROUP { Key::Multicast } else { Key::Flow(meta.flow) }
}

/// The exchange at 54 Mb/s, 59.704 us and 148.148 ns a byte, as the core rounds it.
fn nominal_ns(bytes: u32) -> u64 {
    59_704 + ((u64::from(bytes) * 37_926) >> 8)
}

/// Rows of chap's table that are no flow's.
const MULTICAST: u64 = 1 << 32;
const URGENT_ROW: u64 = MULTICAST + 1;

/// Credit and backlog by flow, from chap's own table, but for urgent packets.
fn credits(host: &Host) -> BTreeMap<Key, (i64, usize)> {
    let key = |flow: u64| u32::try_from(flow).map_or(Key::Multicast, Key::Flow);
    let rows = host.rows();
    let flows = rows.iter().filter(|r| r["flow"] != URGENT_ROW);
    flows.map(|r| (key(r["flow"]), (r["credit"] as i64, r["backlog"] as usize))).collect()
}

/// Credits of -4 and -3 ns are equal after a boost: then the older flow goes
/// first, although the other one had more. Too rare for random sequences.
#[test]
fn ties_made_by_rounding_go_to_the_older_flow() {
    const FLOWS: u8 = 32;
    let mut judged = Judged::new(chap(&[("profile", "faithful")]), true);
    for flow in (0..FLOWS).chain(0..FLOWS) {
        judged.play(&Op::Enqueue(Arrival { flow, bytes: 1500, kind: Kind::Class(0), tcp: false }));
    }
    let send = |judged: &mut Judged, span| {
        judged.play(&Op::Dequeue);
        judged.play(&Op::Sent { back: 0, tx: Tx { air: 0, span, attempts: 1, acked: true } });
    };
    // All start with I and are served in order of creation. Pairs of neighbours
    // end 1 ns apart, the older one behind; pairs in no order.
    for flow in 0..u64::from(FLOWS) {
        let pair = flow / 2 * 7 % 16;
        send(&mut judged, 25_000_000 + 2 * pair + 2 - flow % 2);
    }
    assert_eq!(judged.reference.boosts, 0);
    for _ in 0..FLOWS {
        send(&mut judged, 0);
    }
    assert_eq!((judged.reference.boosts, judged.host.queued.len()), (1, 0));
}

/// A packet is sent as soon as it is given out, and reported before anything
/// else happens. No estimate is so far off that a credit would reach -10I.
#[derive(Clone, Debug)]
enum Prompt {
    Arrive(Arrival),
    Send { air: u64, wait: u64 },
    Change(u64),
    Drain,
    Gate(u16, bool),
    Wait(u64),
}

fn prompt() -> impl Strategy<Value = Vec<Prompt>> {
    let air = prop_oneof![10_000..5_000_000u64, ops::round()];
    let step = prop_oneof![
        10 => arrival(8).prop_map(|a| Prompt::Arrive(Arrival { bytes: a.bytes.min(1500), ..a })),
        9 => (air, 0..1_000_000u64).prop_map(|(air, wait)| Prompt::Send { air, wait }),
        1 => any::<u64>().prop_map(Prompt::Change),
        1 => Just(Prompt::Drain),
        2 => ops::gate(8).prop_map(|(station, open)| Prompt::Gate(station, open)),
        1 => (0..200_000_000_000u64).prop_map(Prompt::Wait),
    ];
    prop::collection::vec(step, 100..400)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// `faithful` is the published algorithm, decision for decision and credit
    /// for credit, whatever the reports say and whenever they come.
    #[test]
    fn faithful_equals_the_publication(ops in ops(10, 38, 400), limit in 2..20u32, uplink: bool) {
        let params = chap(&[
            ("profile", "faithful"),
            ("limit", &limit.to_string()),
            ("uplink", if uplink { "on" } else { "off" }),
        ]);
        let mut judged = Judged::new(params, true);
        for op in &ops {
            judged.play(op);
        }
        judged.host.open_all();
        for station in (0..10).chain([GROUP]) {
            judged.reference.gate(station, true);
        }
        while !judged.host.queued.is_empty() {
            judged.play(&Op::Dequeue);
        }
    }

    /// With one packet at a time below it, prompt reports and no newcomers' tab
    /// the default profile is the published algorithm too, but charges a
    /// packet's own airtime; its limit counts what the queue holds, one less.
    #[test]
    fn default_with_prompt_reports_equals_the_publication(steps in prompt(), limit in 2..20u32) {
        let limit = (limit - 1).to_string();
        let params = chap(&[("limit", &limit), ("newcomers", "off"), ("memory", "2GiB")]);
        let mut judged = Judged::new(params, false);
        for step in &steps {
            match step {
                Prompt::Arrive(arrival) => judged.play(&Op::Enqueue(*arrival)),
                Prompt::Send { air, wait } => {
                    judged.dequeue();
                    let tx = Tx { air: *air, span: air + wait, attempts: 1, acked: true };
                    judged.play(&Op::Sent { back: 0, tx });
                }
                Prompt::Change(seed) => judged.play(&Op::Change(*seed)),
                Prompt::Drain => judged.play(&Op::Drain),
                &Prompt::Gate(station, open) => judged.play(&Op::Gate { station, open }),
                Prompt::Wait(ns) => judged.play(&Op::Wait(*ns)),
            }
        }
    }

    /// Every packet is charged to its flow, the first one too that a newcomer
    /// sends: what the table says adds up to what was reported.
    #[test]
    fn every_packet_is_charged(steps in prompt(), limit in 1..20u32) {
        let mut host = Host::new(chap(&[("limit", &limit.to_string())]), 1);
        let mut charged: BTreeMap<u64, u64> = BTreeMap::new();
        for step in &steps {
            match step {
                Prompt::Arrive(arrival) => drop(host.enqueue(arrival)),
                Prompt::Send { air, wait } => {
                    let over = host.rows().iter().any(|r| r["flow"] == u64::from(ops::hash(ops::LINK_CONTROL)));
                    let Some((_, packet, ticket)) = host.dequeue() else { continue };
                    if over && packet.meta.class == URGENT {
                        *charged.entry(packet.meta.flow.into()).or_default() += nominal_ns(packet.meta.bytes);
                    }
                    host.sent(ticket, &Tx { air: *air, span: air + wait, attempts: 1, acked: true });
                    let payer = match packet.meta {
                        Meta { class: URGENT, .. } => URGENT_ROW,
                        Meta { sta: GROUP, .. } => MULTICAST,
                        Meta { flow, .. } => flow.into(),
                    };
                    *charged.entry(payer).or_default() += air;
                }
                Prompt::Gate(station, open) => host.gate(*station, *open),
                // Nobody is forgotten.
                Prompt::Change(_) | Prompt::Drain | Prompt::Wait(_) => {}
            }
            // Who waits first in line is charged when it arrives.
            for row in host.rows().iter().filter(|r| r["flow"] != URGENT_ROW || r["backlog"] == 0) {
                prop_assert_eq!(row["airtime"], charged.get(&row["flow"]).copied().unwrap_or(0));
            }
        }
    }

    /// Serving and settling a multicast packet moves no unicast credit, boosts
    /// aside, and those move all credits alike.
    #[test]
    fn multicast_charges_no_flow(ops in ops(6, 30, 200), faithful: bool) {
        let profile = if faithful { "faithful" } else { "default" };
        let mut host = Host::new(chap(&[("profile", profile), ("limit", "16")]), 1);
        let increment = host.param("increment").unwrap() as i64;
        for op in &ops {
            match op {
                Op::Change(_) => {}
                Op::Dequeue => {
                    let (before, boosts) = (credits(&host), host.stat("boosts"));
                    let Some((_, packet, ticket)) = host.dequeue() else { continue };
                    if packet.meta.sta != GROUP {
                        continue;
                    }
                    let boosted = host.stat("boosts") > boosts;
                    host.sent(ticket, &Tx { air: 3_000_000, span: 3_000_000, attempts: 1, acked: false });
                    let after = credits(&host);
                    for (key, (credit, _)) in before.into_iter().filter(|(key, _)| *key != Key::Multicast) {
                        let d = credit - 2 * increment;
                        let d = if boosted { d.div_euclid(2) } else { d };
                        prop_assert_eq!(after[&key].0, d + 2 * increment);
                    }
                    prop_assert!(after.contains_key(&Key::Multicast));
                }
                op => host.play(op),
            }
        }
    }
}
