// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Random sequences of what a host may do to a discipline.

use airtab_core::{Discipline, GROUP, Meta, Param, Params, Tcp, Ticket, Tx, URGENT, Unit};
use proptest::prelude::*;

/// One step of a host.
#[derive(Clone, Debug)]
pub enum Op {
    /// A packet arrives.
    Enqueue(Arrival),
    /// The MAC wants a packet.
    Dequeue,
    /// A report for the ticket that was given out `back` dequeues ago; the
    /// ticket stays on the list, so that reports come late and repeatedly.
    Sent { back: usize, tx: Tx },
    /// A report for a ticket that nobody may have given out.
    Forged { ticket: Ticket, tx: Tx },
    /// An uplink frame.
    Heard { flow: u8, air: u64 },
    /// Other parameters, drawn from this seed; fixed ones stay.
    Change(u64),
    /// Another discipline takes over one packet.
    Drain,
    /// A station is closed or opened.
    Gate { station: u16, open: bool },
    /// Everything is dropped.
    Reset,
    /// Nanoseconds pass.
    Wait(u64),
}

/// A packet to be.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub flow: u8,
    pub bytes: u32,
    pub kind: Kind,
    pub tcp: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Class(u8),
    Multicast,
    Urgent,
}

impl Arrival {
    pub fn meta(&self) -> Meta {
        let (sta, class) = match self.kind {
            Kind::Class(class) => (u16::from(self.flow), class),
            Kind::Multicast => (GROUP, 1),
            Kind::Urgent => (u16::from(self.flow), URGENT),
        };
        let tcp = self.tcp.then(Tcp::default);
        Meta {
            bytes: self.bytes,
            flow: if class == URGENT { hash(LINK_CONTROL) } else { hash(self.flow) },
            source: hash(self.flow % 3),
            sta,
            class,
            ecn: self.tcp,
            tcp,
            key: None,
        }
    }
}

/// Flow number of urgent packets: in every host they are apart from others.
pub const LINK_CONTROL: u8 = 255;

/// The hash of a small flow number; flow 0 has hash 0.
pub fn hash(flow: u8) -> u32 {
    u32::from(flow).wrapping_mul(0x9e37_79b1)
}

/// Every order of magnitude is as likely.
fn magnitude(bits: u32) -> impl Strategy<Value = u64> {
    (any::<u64>(), 64 - bits..64).prop_map(|(value, shift)| value >> shift)
}

/// Parts of the default credit increment, some a bit off: credits become equal,
/// exactly 0, and so close that a boost makes them equal.
pub fn round() -> impl Strategy<Value = u64> {
    (0..6u64, prop_oneof![2 => Just(0), 1 => 0..4u64]).prop_map(|(n, off)| n * 5_000_000 + off)
}

fn tx(bits: u32) -> impl Strategy<Value = Tx> {
    let ns = || prop_oneof![magnitude(bits), round()];
    (ns(), ns(), any::<u8>(), any::<bool>()).prop_map(|(air, span, attempts, acked)| Tx {
        air,
        span,
        attempts,
        acked,
    })
}

/// Arrivals of `flows` flows; GSO-sized ones, multicast and urgent ones now and then.
pub fn arrival(flows: u8) -> impl Strategy<Value = Arrival> {
    let bytes = prop_oneof![8 => 20..=1500u32, 1 => 0..=65_535u32];
    let kind = prop_oneof![
        10 => (0..4u8).prop_map(Kind::Class),
        1 => Just(Kind::Multicast),
        1 => Just(Kind::Urgent),
    ];
    (0..flows, bytes, kind, any::<bool>()).prop_map(|(flow, bytes, kind, tcp)| Arrival {
        flow,
        bytes,
        kind,
        tcp,
    })
}

/// A station of those that `flows` flows have, or multicast. More are opened than closed.
pub fn gate(flows: u8) -> impl Strategy<Value = (u16, bool)> {
    let station = prop_oneof![8 => (0..flows).prop_map(u16::from), 1 => Just(GROUP)];
    (station, prop::bool::weighted(0.7))
}

/// Arrivals and departures, with everything else in between. Times are below
/// 2^`bits` ns.
pub fn ops(flows: u8, bits: u32, length: usize) -> impl Strategy<Value = Vec<Op>> {
    let ticket = (any::<u32>(), 0..300u32, any::<u32>()).prop_map(|(flow, generation, est)| Ticket {
        flow: flow >> 28,
        generation,
        est,
        light: 0,
        up: 0,
    });
    let op = prop_oneof![
        40 => arrival(flows).prop_map(Op::Enqueue),
        30 => Just(Op::Dequeue),
        20 => (0..8usize, tx(bits)).prop_map(|(back, tx)| Op::Sent { back, tx }),
        1 => (ticket, tx(bits)).prop_map(|(ticket, tx)| Op::Forged { ticket, tx }),
        2 => (0..flows, magnitude(bits)).prop_map(|(flow, air)| Op::Heard { flow, air }),
        2 => any::<u64>().prop_map(Op::Change),
        1 => Just(Op::Drain),
        6 => gate(flows).prop_map(|(station, open)| Op::Gate { station, open }),
        6 => magnitude(bits).prop_map(Op::Wait),
    ];
    // A reset now and then, not in every sequence.
    (prop::collection::vec(op, length / 2..length), prop::option::weighted(0.3, 0..length)).prop_map(
        |(mut ops, reset)| {
            if let Some(at) = reset {
                ops.insert(at.min(ops.len()), Op::Reset);
            }
            ops
        },
    )
}

/// host, *=1, tcp=0, udp:80-8000=1, dscp:ef=0, station:2=0.
const RULES: [u64; 6] = [0, 0x11, 0x620, 0x1f40_0050_1131, 0x2e40, 0x2_0050];

/// SplitMix64 (Steele, Lea, Flood 2014): parameters from one number.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn value(&mut self, param: &Param) -> u64 {
        if param.unit == Unit::Rule {
            return RULES[self.next() as usize % RULES.len()];
        }
        // Small numbers of packets and flows, so that limits are met.
        let max = if param.unit == Unit::Count { param.max.min(param.min + 64) } else { param.max };
        let span = max - param.min;
        match (param.unit, self.next() % 8) {
            (Unit::Bool | Unit::Choice, _) => param.min + self.next() % (span + 1),
            (_, 0) => param.default,
            (_, 1) => param.min,
            (_, 2) => max,
            // Uniform in its logarithm.
            _ => param.min + (self.next() >> (self.next() % 64)) % (span + 1),
        }
    }
}

/// Random parameters that the discipline accepts; with `keep`, a change of
/// these that a running discipline accepts.
pub fn params(discipline: Discipline, seed: u64, keep: Option<&Params>) -> Params {
    let mut draw = Draw(seed);
    for _ in 0..64 {
        let mut params = keep.cloned().unwrap_or_else(|| Params::new(discipline));
        for param in discipline.params() {
            // Of another class than those before, a packet passes them: once, at a change.
            if keep.is_some() && (param.fixed || param.unit == Unit::Rule) {
                continue;
            }
            let length = 1 + draw.next() as usize % param.max_len;
            let values: Vec<_> = (0..length).map(|_| param.format(draw.value(&param))).collect();
            params.set(param.name, &values.join(",")).expect("drawn within its range");
        }
        if params.check().is_ok() {
            return params;
        }
    }
    keep.cloned().unwrap_or_else(|| Params::new(discipline))
}
