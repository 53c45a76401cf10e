// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets of a pcapng file, block by block.
//!
//! Four kinds of blocks are read besides section headers: interface descriptions, enhanced and simple packets, and
//! obsolete packet blocks. All others are skipped by their length. Options that are not used,
//! have an unexpected length or end without a marker are ignored, and text may have any encoding.

use std::io::Read;

use pcap_file::DataLink;

use super::{CaptureError, Each, End, Interface, Knows, PCAPNG, Packet, broken, known, zeros};
use crate::input::{Input, Order};

/// Types of blocks that are read.
const INTERFACE: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
/// Type and length in front of a block's body, and length behind it.
const AROUND: u32 = 12;
/// Bytes of a block that is read, at most.
const MOST: u32 = 1 << 28;
/// Interfaces of a section, at most: obsolete packet blocks number them with 16 bits.
const MOST_INTERFACES: usize = 1 << 16;

/// Options of an interface.
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const ADDRESS: u16 = 6;
const RESOLUTION: u16 = 9;
const FCS_BITS: u16 = 13;
const OFFSET: u16 = 14;

/// Option of a packet: a word of flags, which has the bytes of its FCS in bits 5 to 8; 0: unknown.
const FLAGS: u16 = 2;

/// An interface of a section.
struct Described {
    link: DataLink,
    /// Bytes kept of a packet at most; 0: all.
    snapshot: u32,
    /// `if_tsresol`.
    resolution: u8,
    /// Ticks of its time stamps in a second; none beyond 64 bits.
    ticks: Option<u64>,
    /// Added to its time stamps, seconds.
    offset_s: i64,
    /// Bytes of FCS behind each frame whose flags do not state them.
    fcs: u32,
    about: Interface,
}

impl Described {
    /// An interface from its block's body of at least 8 bytes.
    fn new(body: &[u8], order: Order) -> Described {
        let link = DataLink::from(u32::from(order.u16(body, 0)));
        let (mut about, mut resolution, mut offset_s, mut fcs) = (Interface::default(), 6, 0, 0);
        let text = |value: &[u8]| Some(String::from_utf8_lossy(value).trim_end_matches('\0').to_string());
        for (code, value) in options(&body[8..], order) {
            match code {
                NAME => about.name = text(value),
                DESCRIPTION => about.description = text(value),
                ADDRESS => about.address = value.try_into().ok(),
                RESOLUTION => resolution = value.first().copied().unwrap_or(resolution),
                FCS_BITS => fcs = value.first().map_or(fcs, |length| fcs_bytes(*length)),
                OFFSET if value.len() == 8 => offset_s = order.u64(value, 0).cast_signed(),
                _ => {}
            }
        }
        // The highest bit: a power of two, not of ten.
        let exponent = u32::from(resolution & 0x7f);
        let ticks =
            if resolution & 0x80 == 0 { 10u64.checked_pow(exponent) } else { 1u64.checked_shl(exponent) };
        Described { link, snapshot: order.u32(body, 4), resolution, ticks, offset_s, fcs, about }
    }

    /// Time since 1970, ns; times before, or beyond 64 bits, are the nearest that can be stated.
    fn ns(&self, stamp: u64, frame: u64) -> Result<u64, CaptureError> {
        let what = || format!("interface with time stamps of 1/{:#x} s (if_tsresol)", self.resolution);
        let ticks = self.ticks.ok_or_else(|| broken(frame, what()))?;
        let ns = u128::from(stamp) * 1_000_000_000 / u128::from(ticks);
        let ns = (ns as i128).saturating_add(i128::from(self.offset_s) * 1_000_000_000);
        Ok(ns.clamp(0, u64::MAX.into()) as u64)
    }
}

/// Bytes of an FCS by `if_fcslen`, which is in bits. No FCS has fewer than 8 bits: smaller values are in bytes, as some
/// programs write them.
fn fcs_bytes(length: u8) -> u32 {
    u32::from(if length < 8 { length } else { length / 8 })
}

/// Code and value of each option, up to the marker of their end, or the first that is not whole.
fn options(mut bytes: &[u8], order: Order) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let code = (bytes.len() >= 4).then(|| order.u16(bytes, 0)).filter(|code| *code != 0)?;
        let length = usize::from(order.u16(bytes, 2));
        let value = bytes.get(4..4 + length)?;
        bytes = bytes.get(4 + length.next_multiple_of(4)..).unwrap_or(&[]);
        Some((code, value))
    })
}

/// Hands on each packet.
///
/// # Errors
/// As [`super::packets`].
pub(super) fn read<E: From<CaptureError>>(
    mut input: Input<impl Read>,
    knows: &Knows<'_>,
    each: &mut Each<'_, E>,
) -> Result<End, E> {
    let mut order = Order { big: false };
    let mut interfaces: Vec<Described> = Vec::new();
    let mut frames = 0;
    loop {
        let offset = input.offset();
        let head = input.take(8).map_err(CaptureError::from)?;
        if head.is_empty() {
            return Ok(End::Whole);
        }
        let cut = Ok(End::Cut { offset, frames });
        let Ok(head) = <[u8; 8]>::try_from(head) else { return cut };
        if head == [0; 8] {
            return Ok(zeros(&mut input, offset, frames)?);
        }
        let section = head[..4] == PCAPNG;
        if section {
            let magic = input.take(4).map_err(CaptureError::from)?;
            order = match magic {
                [0x1a, 0x2b, 0x3c, 0x4d] => Order { big: true },
                [0x4d, 0x3c, 0x2b, 0x1a] => Order { big: false },
                _ if magic.len() < 4 => return cut,
                _ => {
                    return Err(
                        broken(frames + 1, format!("a section without byte order at byte {offset}")).into()
                    );
                }
            };
            interfaces.clear();
        }
        let (kind, length) = (order.u32(&head, 0), order.u32(&head, 4));
        let least = AROUND + if section { 16 } else { 0 };
        if length < least || length % 4 != 0 {
            return Err(broken(frames + 1, format!("a block of {length} bytes at byte {offset}")).into());
        }
        let reads = matches!(kind, INTERFACE | OBSOLETE_PACKET | SIMPLE_PACKET | ENHANCED_PACKET);
        if section || !reads {
            let left = u64::from(length) - if section { 12 } else { 8 };
            if !input.skip(left).map_err(CaptureError::from)? {
                return cut;
            }
            continue;
        }
        if length > MOST {
            return Err(broken(frames + 1, format!("a block of {length} bytes at byte {offset}")).into());
        }
        let body = input.take(length as usize - 8).map_err(CaptureError::from)?;
        let Some((body, behind)) =
            body.split_at_checked((length - AROUND) as usize).filter(|(_, b)| b.len() == 4)
        else {
            return cut;
        };
        let again = order.u32(behind, 0);
        let least = match kind {
            INTERFACE => 8,
            SIMPLE_PACKET => 4,
            _ => 20,
        };
        if again != length || body.len() < least {
            let what = format!("a block at byte {offset} of {length} bytes, or of {again}");
            return Err(broken(frames + 1, what).into());
        }
        if kind == INTERFACE {
            if interfaces.len() == MOST_INTERFACES {
                let what = format!("more than {MOST_INTERFACES} interfaces in a section at byte {offset}");
                return Err(broken(frames + 1, what).into());
            }
            interfaces.push(Described::new(body, order));
            continue;
        }
        let number = frames + 1;
        let packet = match kind {
            SIMPLE_PACKET => simple(body, order, &interfaces, number),
            _ => stamped(kind, body, order, &interfaces, number),
        }?;
        known(packet.link, knows)?;
        frames = number;
        if each(packet)?.is_break() {
            return Ok(End::Whole);
        }
    }
}

fn interface(interfaces: &[Described], id: u32, frame: u64) -> Result<&Described, CaptureError> {
    let what = || format!("interface {id} of {}", interfaces.len());
    interfaces.get(id as usize).ok_or_else(|| broken(frame, what()))
}

/// The packet of an enhanced or an obsolete block, whose body has at least 20 bytes.
fn stamped<'a>(
    kind: u32,
    body: &'a [u8],
    order: Order,
    interfaces: &'a [Described],
    number: u64,
) -> Result<Packet<'a>, CaptureError> {
    // Obsolete blocks have a count of drops in the same word.
    let id = if kind == OBSOLETE_PACKET { u32::from(order.u16(body, 0)) } else { order.u32(body, 0) };
    let interface = interface(interfaces, id, number)?;
    let [high, low, kept, length] = [4, 8, 12, 16].map(|at| order.u32(body, at));
    let what = || format!("it keeps {kept} bytes of a packet in a block of {}", body.len() - 20);
    let bytes = body[20..].get(..kept as usize).ok_or_else(|| broken(number, what()))?;
    let at_ns = Some(interface.ns(u64::from(high) << 32 | u64::from(low), number)?);
    let behind = body[20..].get(bytes.len().next_multiple_of(4)..).unwrap_or(&[]);
    let flags = options(behind, order).find(|(code, value)| *code == FLAGS && value.len() == 4);
    let own = flags.map_or(0, |(_, flags)| order.u32(flags, 0) >> 5 & 0xf);
    let fcs = if own > 0 { own } else { interface.fcs };
    let packet =
        Packet { number, at_ns, length, bytes, link: interface.link, interface: Some(&interface.about) };
    Ok(packet.without_fcs(fcs))
}

/// The packet of a simple block: it is of the first interface, and has no time stamp.
fn simple<'a>(
    body: &'a [u8],
    order: Order,
    interfaces: &'a [Described],
    number: u64,
) -> Result<Packet<'a>, CaptureError> {
    let interface = interface(interfaces, 0, number)?;
    let length = order.u32(body, 0);
    let snapshot = if interface.snapshot == 0 { length } else { interface.snapshot };
    let kept = length.min(snapshot) as usize;
    let bytes = &body[4..][..kept.min(body.len() - 4)];
    let packet = Packet {
        number,
        at_ns: None,
        length,
        bytes,
        link: interface.link,
        interface: Some(&interface.about),
    };
    Ok(packet.without_fcs(interface.fcs))
}
