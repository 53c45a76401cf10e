// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Bytes of libFuzzer's as what happens to a live access point: packets on any
//! port, waits, changes of stations and disciplines. After each, the books must
//! balance; at the end, everything must come out. `make fuzz` at the top.
//!
//! Input: medium, discipline, then operations of one byte and their arguments.
//! What it does not do: no devices and no clock; `tests/it/needs_root/live.rs` of `airtab-live` has those.

#![no_main]

use std::sync::LazyLock;

use airtab_core::{Discipline, disciplines};
use airtab_live::house::{ACCESS_POINT, ACCESS_POINT6, server, server6, station, station6};
use airtab_live::packet::{mark_ce, parse};
use airtab_live::{AccessPoint, House, Port};
use airtab_scenario::{QueueSpec, ScenarioFile};
use airtab_sim::wifi::{Loss, Shadowing};
use libfuzzer_sys::fuzz_target;

const PORTS: [Port; 4] = [Port::Internet, Port::AccessPoint, Port::Station(0), Port::Station(1)];

/// With the cell, and with the emulator.
static HOUSES: LazyLock<[House; 2]> = LazyLock::new(|| {
    ["dcf", "emulator"].map(|medium| {
        let text = format!(
            "name = \"fuzz\"\nduration = \"1s\"\n[wifi]\nmedium = \"{medium}\"\n[wired]\nqueue = 5\n\
             [[station]]\nname = \"a\"\nfer = 0\n[[station]]\nname = \"b\"\nfer = 0\n\
             [[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"a\"\n\
             [[app]]\nname = \"download\"\nkind = \"download\"\nstation = \"b\"\nclass = 1\n"
        );
        House::new(ScenarioFile::parse("fuzz.toml", &text).expect("a good file")).expect("a good house")
    })
});
/// Every discipline, as it is and with a small queue, of another size for each; and
/// the tests' one that is told of links.
static QUEUES: LazyLock<Vec<QueueSpec>> = LazyLock::new(|| {
    let specs = disciplines().map(Discipline::name).zip(3..);
    let specs = specs.flat_map(|(name, limit)| [name.to_string(), format!("{name}:limit={limit}")]);
    let specs = specs.chain(["links".to_string()]);
    specs.map(|spec| spec.parse().expect("a good discipline")).collect()
});

/// What is left of the input.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first)
    }

    fn bytes(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// Gives a packet an address of the house at both ends, as far as it reaches.
fn address(packet: &mut [u8], from: usize, to: usize) {
    let v4 = [server(0), server(1), station(0), station(1), ACCESS_POINT];
    let v6 = [server6(0), server6(1), station6(0), station6(1), ACCESS_POINT6];
    match packet.first().map(|b| b >> 4) {
        Some(4) if packet.len() >= 20 => {
            packet[12..16].copy_from_slice(&v4[from % 5].octets());
            packet[16..20].copy_from_slice(&v4[to % 5].octets());
        }
        Some(6) if packet.len() >= 40 => {
            packet[8..24].copy_from_slice(&v6[from % 5].octets());
            packet[24..40].copy_from_slice(&v6[to % 5].octets());
        }
        _ => {}
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let house = HOUSES[input.byte() % 2].clone();
    let queue = &QUEUES[input.byte() % QUEUES.len()];
    let mut ap = AccessPoint::new(house, queue, 1).expect("good parameters");
    let (mut now, mut given) = (0, 0);
    while !input.0.is_empty() {
        match input.byte() % 8 {
            0..=3 => {
                let (port, ends, length) = (PORTS[input.byte() % 4], input.byte(), input.byte());
                let mut packet = input.bytes(length).to_vec();
                packet.resize(length * (1 + ends / 64), 0x5a);
                if ends % 8 > 0 {
                    address(&mut packet, ends / 8, ends);
                }
                if let Ok(parsed) = parse(&packet) {
                    let mut marked = packet[..parsed.bytes as usize].to_vec();
                    mark_ce(&mut marked);
                    let again = parse(&marked).expect("a mark harms nothing");
                    assert!(again.ecn && again.bytes == parsed.bytes && again.ports == parsed.ports);
                }
                ap.receive(port, &packet, now);
            }
            4 | 5 => {
                now += (input.byte() * input.byte() * 1000) as u64;
                ap.advance(now);
            }
            6 => {
                let shadowed = Loss::Shadowing { distance_m: 9.0, by: Shadowing::default() };
                let loss = [Loss::None, Loss::Fer(0.5), Loss::Fer(1.0), shadowed];
                let which = input.byte();
                if which / 16 == 15 {
                    ap.end_station(which % 2, "it left");
                }
                ap.set_station(which % 2, [54_000, 6_000][which / 2 % 2], loss[which / 4 % 4]);
            }
            _ => match input.byte() % 10 {
                9 => assert!(ap.snapshot().books.balanced()),
                which => ap.set_queue(&QUEUES[which % QUEUES.len()]).expect("good parameters"),
            },
        }
        while let Some((_, at, bytes)) = ap.transmit() {
            assert!(at <= now && parse(bytes).is_ok());
            given += 1;
        }
        assert!(ap.books().balanced());
    }
    for _ in 0..1000 {
        if ap.books().inside == 0 {
            break;
        }
        now += 1_000_000_000;
        ap.advance(now);
        while ap.transmit().is_some() {
            given += 1;
        }
    }
    let books = ap.books();
    assert!(books.balanced() && books.inside == 0 && books.given == given, "{books:?}");
});
