// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The queue disciplines of a device, by rtnetlink: what waits in them, and which of them are `wqm`. Source:
//! `linux/rtnetlink.h`, `linux/gen_stats.h`; for parameters `kernel/common/wire.h`.
//!
//! What it does not do: what waits below a discipline is the radio's (`radio`).

use std::io;

use airtab_core::{Discipline, Unit};
use anyhow::{Context, anyhow, bail};
use netlink_packet_core::{NLM_F_ACK, NLM_F_DUMP};
use netlink_sys::{Socket, protocols::NETLINK_ROUTE};

use super::Backlog;
use crate::netlink::message::{Attribute, Attributes, Message};
use crate::netlink::socket::{EPERM, Problem, ask, open};

const GET_LINK: u16 = 18;
const LINK_NAME: u16 = 3;
const NEW_QDISC: u16 = 36;
const GET_QDISC: u16 = 38;
const KIND: u16 = 1;
const OPTIONS: u16 = 2;
const STATS: u16 = 7;
const STATS_QUEUE: u16 = 3;
const ROOT: u32 = 0xffff_ffff;

/// `struct ifinfomsg`, and where the number of the device is in it.
type OfLink = Message<16>;
/// `struct tcmsg`: family and three bytes, device, handle, parent, info.
type OfQueue = Message<20>;

/// The number of a network device.
///
/// # Errors
/// There is none of that name.
pub fn index_of(device: &str) -> anyhow::Result<u32> {
    let socket = open(NETLINK_ROUTE).context("no socket for rtnetlink")?;
    let request = OfLink {
        kind: GET_LINK,
        header: [0; 16],
        attributes: Attributes(vec![Attribute::text(LINK_NAME, device)]),
    };
    match ask(&socket, request, NLM_F_ACK) {
        Ok(said) => said.first().map(|link| word(&link.header, 4)).context("the kernel names no device"),
        // Too long a name is refused otherwise.
        Err(Problem::Refused { .. }) => {
            bail!("{device}: no such network device in this network namespace; `iw dev` lists those of Wi-Fi")
        }
        Err(problem) => Err(words(problem)),
    }
}

/// Four bytes of a header.
fn word(header: &[u8], at: usize) -> u32 {
    header.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_ne_bytes(*bytes))
}

fn words(problem: Problem) -> anyhow::Error {
    match problem {
        Problem::Other(e) => e.context("rtnetlink"),
        Problem::Refused { errno: EPERM, .. } => {
            anyhow!("--apply changes a qdisc: this needs root, or CAP_NET_ADMIN in this network namespace")
        }
        Problem::Refused { errno, words } => {
            anyhow!("tc: {}", words.unwrap_or_else(|| io::Error::from_raw_os_error(errno).to_string()))
        }
    }
}

/// A `wqm` of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wqm {
    handle: u32,
    parent: u32,
}

/// What waits in a device's disciplines, and which are `wqm`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// In the root, which counts what is below it.
    pub above: Backlog,
    pub wqm: Vec<Wqm>,
}

impl Waits {
    /// Of a dump of all devices.
    fn of(all: &[OfQueue], index: u32) -> Waits {
        let mut waits = Waits::default();
        for own in all.iter().filter(|own| own.kind == NEW_QDISC && word(&own.header, 4) == index) {
            let [handle, parent] = [8, 12].map(|at| word(&own.header, at));
            if own.attributes.text(KIND).as_deref() == Some("wqm") {
                waits.wqm.push(Wqm { handle, parent });
            }
            let stats = own.attributes.nest(STATS);
            if let (ROOT, Some(queue)) = (parent, stats.as_ref().and_then(|stats| stats.value(STATS_QUEUE))) {
                let [packets, bytes] = [0, 4].map(|at| word(queue, at).into());
                waits.above = Backlog { packets, bytes };
            }
        }
        waits
    }
}

/// What a `wqm` is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// R, bits/s.
    pub bits: u64,
    /// K.
    pub frames: u32,
    /// F, above 0 and at most 1.
    pub free: f64,
}

impl Told {
    /// F in whole per cent, ppm.
    fn free_ppm(&self) -> u64 {
        10_000 * (self.free * 100.0).round().clamp(1.0, 100.0) as u64
    }

    /// Whether a discipline would be told something else.
    pub fn differs(&self, other: &Told) -> bool {
        (self.bits, self.frames, self.free_ppm()) != (other.bits, other.frames, other.free_ppm())
    }

    /// Its parameters, within what `wqm` takes.
    fn options(&self) -> Vec<Attribute> {
        let wqm = Discipline::named("wqm").expect("a discipline of the core");
        let values = [("rate", self.bits), ("frames", self.frames.into()), ("free", self.free_ppm())];
        let rows = wqm.params();
        let one = |(name, value): (&str, u64)| {
            let row = rows.iter().find(|row| row.name == name).expect("a parameter of wqm");
            debug_assert!(matches!(row.unit, Unit::Bps | Unit::Count | Unit::Ppm));
            Attribute::long(row.id, value.clamp(row.min, row.max))
        };
        values.map(one).into()
    }
}

/// The disciplines of one device.
pub struct Queues {
    socket: Socket,
    device: String,
    index: u32,
}

impl Queues {
    /// # Errors
    /// Of the socket.
    pub fn open(device: &str, index: u32) -> anyhow::Result<Queues> {
        let socket = open(NETLINK_ROUTE).context("no socket for rtnetlink")?;
        Ok(Queues { socket, device: device.into(), index })
    }

    /// What waits now.
    ///
    /// # Errors
    /// Of the socket.
    pub fn look(&mut self) -> anyhow::Result<Waits> {
        let request = OfQueue { kind: GET_QDISC, header: [0; 20], attributes: Attributes::default() };
        let all = ask(&self.socket, request, NLM_F_DUMP).map_err(words)?;
        Ok(Waits::of(&all, self.index))
    }

    /// As `tc qdisc change ... wqm rate R frames K free F`.
    ///
    /// # Errors
    /// No rights; it is gone.
    pub fn tell(&mut self, wqm: &[Wqm], told: &Told) -> anyhow::Result<()> {
        if wqm.is_empty() {
            bail!("{}: its wqm is gone", self.device);
        }
        for own in wqm {
            ask(&self.socket, change(own, self.index, told), NLM_F_ACK).map_err(words)?;
        }
        Ok(())
    }
}

fn change(wqm: &Wqm, index: u32, told: &Told) -> OfQueue {
    let mut header = [0; 20];
    for (at, value) in [(4, index), (8, wqm.handle), (12, wqm.parent)] {
        header[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    }
    let attributes = vec![Attribute::text(KIND, "wqm"), Attribute::nested(OPTIONS, &told.options())];
    OfQueue { kind: NEW_QDISC, header, attributes: Attributes(attributes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn qdisc(index: u32, ids: [u32; 2], kind: &str, queue: Option<[u32; 5]>) -> OfQueue {
        let mut header = [0; 20];
        for (at, value) in [(4, index), (8, ids[0]), (12, ids[1])] {
            header[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        let stats = queue.map(|queue| {
            let bytes: Vec<u8> = queue.iter().flat_map(|n| n.to_ne_bytes()).collect();
            Attribute::nested(STATS, &[Attribute::raw(1, &[0; 12]), Attribute::raw(STATS_QUEUE, &bytes)])
        });
        let attributes = [Some(Attribute::text(KIND, kind)), stats].into_iter().flatten().collect();
        OfQueue { kind: NEW_QDISC, header, attributes: Attributes(attributes) }
    }

    /// The root's counts are those of all below it; disciplines of other devices are not looked at.
    #[test]
    fn what_waits_and_which_are_wqm() {
        let root = [0x1_0000, ROOT];
        let all = [
            qdisc(1, [0, ROOT], "noqueue", None),
            qdisc(7, root, "mq", Some([12, 18_000, 1, 2, 3])),
            qdisc(7, [0x8001_0000, 0x1_0001], "wqm", Some([9, 13_500, 0, 0, 0])),
            qdisc(7, [0x8002_0000, 0x1_0002], "fq_codel", Some([3, 4_500, 0, 0, 0])),
            qdisc(8, root, "wqm", Some([99, 99, 0, 0, 0])),
        ];
        let wqm = Wqm { handle: 0x8001_0000, parent: 0x1_0001 };
        let above = Backlog { packets: 12, bytes: 18_000 };
        assert_eq!(Waits::of(&all, 7), Waits { above, wqm: vec![wqm] });
        assert_eq!(Waits::of(&all, 1), Waits::default());
        assert_eq!(Waits::of(&all, 8).wqm, [Wqm { handle: 0x1_0000, parent: ROOT }]);
    }

    /// By the ids of the core's table, a u64 each; F in whole per cent.
    #[test]
    fn what_a_wqm_is_told() {
        let told = Told { bits: 144_400_000, frames: 32, free: 0.874 };
        let change = change(&Wqm { handle: 0x1_0000, parent: ROOT }, 7, &told);
        assert_eq!(change.kind, NEW_QDISC);
        assert_eq!([4, 8, 12].map(|at| word(&change.header, at)), [7, 0x1_0000, ROOT]);
        assert_eq!(change.attributes.text(KIND).as_deref(), Some("wqm"));
        let options = change.attributes.nest(OPTIONS).expect("options");
        assert_eq!([16, 17, 18].map(|id| options.number(id)), [Some(144_400_000), Some(32), Some(870_000)]);
        assert!(options.0.len() == 3 && options.value(16).is_some_and(|bytes| bytes.len() == 8));
        // Out of what it takes: the nearest that it does.
        let options = Attributes(Told { bits: 9, frames: 5_000, free: 0.0001 }.options());
        assert_eq!([16, 17, 18].map(|id| options.number(id)), [Some(100_000), Some(1024), Some(10_000)]);
        assert!(!told.differs(&Told { free: 0.8701, ..told }));
        for other in [Told { free: 0.86, ..told }, Told { frames: 31, ..told }, Told { bits: 1, ..told }] {
            assert!(told.differs(&other));
        }
    }

    /// By the numbers of `linux/rtnetlink.h` and `linux/gen_stats.h`: `tc qdisc` of a device with `mq`, and what a change says.
    #[test]
    fn a_dump_is_read_by_the_numbers_of_the_kernel() {
        let mut header = [0; 20];
        header[4..8].copy_from_slice(&7_u32.to_ne_bytes());
        header[8..12].copy_from_slice(&0x1_0000_u32.to_ne_bytes());
        header[12..16].copy_from_slice(&u32::MAX.to_ne_bytes());
        // Of the root's queue: packets, bytes, drops, requeues, overlimits.
        let queue: Vec<u8> = [12_u32, 18_000, 5, 6, 7].iter().flat_map(|n| n.to_ne_bytes()).collect();
        let stats = Attribute::nested(7, &[Attribute::raw(1, &[9; 16]), Attribute::raw(3, &queue)]);
        let other = Attribute::raw(3, &[9; 20]);
        let own = OfQueue {
            kind: 36,
            header,
            attributes: Attributes(vec![Attribute::text(1_u16, "wqm"), other, stats]),
        };
        let above = Backlog { packets: 12, bytes: 18_000 };
        let wqm = vec![Wqm { handle: 0x1_0000, parent: u32::MAX }];
        assert_eq!(Waits::of(std::slice::from_ref(&own), 7), Waits { above, wqm });
        // What is gone is no discipline.
        assert_eq!(Waits::of(&[OfQueue { kind: 37, ..own }], 7), Waits::default());
        assert_eq!((GET_LINK, LINK_NAME, GET_QDISC), (18, 3, 38));
        let change =
            change(&Wqm { handle: 5, parent: 6 }, 7, &Told { bits: 1_000_000, frames: 2, free: 1.0 });
        assert_eq!((change.kind, change.attributes.text(1).as_deref()), (36, Some("wqm")));
        let options = change.attributes.nest(2).expect("options");
        assert_eq!([16, 17, 18].map(|id| options.number(id)), [Some(1_000_000), Some(2), Some(1_000_000)]);
    }

    /// Several disciplines of one device, in the order of the dump.
    #[test]
    fn every_wqm_of_a_device_is_found() {
        let all = [
            qdisc(7, [0x1_0000, ROOT], "mq", None),
            qdisc(7, [0x8001_0000, 0x1_0001], "wqm", Some([9, 13_500, 0, 0, 0])),
            qdisc(7, [0x8002_0000, 0x1_0002], "wqm", Some([3, 4_500, 0, 0, 0])),
        ];
        let handles: Vec<u32> = Waits::of(&all, 7).wqm.iter().map(|wqm| wqm.handle).collect();
        assert_eq!(handles, [0x8001_0000, 0x8002_0000]);
        assert_eq!(Waits::of(&all, 7).above, Backlog::default(), "the root says nothing");
    }

    /// The loopback device is in every network namespace.
    #[test]
    fn a_device_has_its_number() {
        let index = std::fs::read_to_string("/sys/class/net/lo/ifindex").expect("it is there");
        assert_eq!(index_of("lo").expect("it is there").to_string(), index.trim());
        let said = index_of("no-such").expect_err("there is none").to_string();
        assert!(said.starts_with("no-such: no such network device in this network namespace"), "{said}");
    }

    #[test]
    fn refusals() {
        let said = |errno| words(Problem::Refused { errno, words: None }).to_string();
        assert!(said(EPERM).contains("needs root"));
        assert!(said(2).starts_with("tc: "));
        let told = words(Problem::Refused { errno: 22, words: Some("wqm: rate".into()) });
        assert_eq!(told.to_string(), "tc: wqm: rate");
        let mut gone =
            Queues { socket: open(NETLINK_ROUTE).expect("a socket"), device: "wlan7".into(), index: 1 };
        let said = gone.tell(&[], &Told { bits: 1, frames: 1, free: 1.0 }).expect_err("there is none");
        assert_eq!(said.to_string(), "wlan7: its wqm is gone");
    }
}
