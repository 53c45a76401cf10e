// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A packet's protocol, ports and DSCP, and its place in a TCP flow, as far as the capture kept its headers.
//!
//! Link and IP headers are `etherparse`'s to read. Ports and sequence numbers are read here: a capture may keep fewer
//! bytes than a whole TCP header with its options has.
//!
//! What it does not do: later fragments have no ports, first ones of IPv6 neither.

use airtab_core::{TCP, UDP};
use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket};
use pcap_file::DataLink;

use crate::packets::Packet;

/// Bytes of Linux's headers of cooked captures.
const COOKED: usize = 16;
const COOKED_2: usize = 20;

/// What rules look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// Of IP; none of what is not IP.
    pub(super) protocol: Option<u8>,
    /// Source and destination.
    pub(super) ports: Option<(u16, u16)>,
    pub(super) dscp: Option<u8>,
}

/// One direction of a connection: addresses and ports, the sender's first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Flow {
    addresses: [[u8; 16]; 2],
    ports: (u16, u16),
}

/// A segment of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) flow: Flow,
    pub(super) sequence: u32,
    pub(super) syn: bool,
    /// Bytes of it.
    pub(super) payload: u32,
}

/// All of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Headers {
    pub(super) key: Key,
    pub(super) segment: Option<Segment>,
}

/// Whether packets of that link are read.
pub(super) fn knows(link: DataLink) -> bool {
    use DataLink::{ETHERNET, IPV4, IPV6, LINUX_SLL, LINUX_SLL2, RAW};
    matches!(link, ETHERNET | IPV4 | IPV6 | LINUX_SLL | LINUX_SLL2 | RAW)
}

impl Headers {
    pub(super) fn of(packet: &Packet<'_>) -> Headers {
        let missing = packet.length.saturating_sub(packet.bytes.len() as u32);
        slices(packet).and_then(|slices| Headers::of_net(&slices.net?, missing)).unwrap_or_default()
    }

    /// Of an IP packet, of which the capture left out so many bytes at the end.
    fn of_net(net: &LaxNetSlice<'_>, missing: u32) -> Option<Headers> {
        let (addresses, dscp, later) = match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let addresses = [header.source(), header.destination()].map(mapped);
                (addresses, header.dcp().value(), header.fragments_offset().value() > 0)
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                ([header.source(), header.destination()], header.dscp().value(), ip.is_payload_fragmented())
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let ip = net.ip_payload_ref()?;
        let protocol = ip.ip_number.0;
        let bytes = if later { &[][..] } else { ip.payload };
        let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let ports = word(0).zip(word(2)).filter(|_| matches!(protocol, TCP | UDP));
        let key = Key { protocol: Some(protocol), ports, dscp: Some(dscp) };
        let length = ip.payload.len() as u32 + if ip.incomplete { missing } else { 0 };
        let segment = ports.filter(|_| protocol == TCP).and_then(|ports| {
            let sequence = u32::from(word(4)?) << 16 | u32::from(word(6)?);
            let (header, flags) = (u32::from(bytes.get(12)? >> 4) * 4, bytes.get(13)?);
            let payload = length.saturating_sub(header);
            Some(Segment { flow: Flow { addresses, ports }, sequence, syn: flags & 2 != 0, payload })
        });
        Some(Headers { key, segment })
    }
}

fn slices<'a>(packet: &Packet<'a>) -> Option<LaxSlicedPacket<'a>> {
    let bytes = packet.bytes;
    let cooked = |protocol: usize, length: usize| {
        let kind = u16::from_be_bytes([*bytes.get(protocol)?, *bytes.get(protocol + 1)?]);
        Some(LaxSlicedPacket::from_ether_type(EtherType(kind), bytes.get(length..)?))
    };
    match packet.link {
        DataLink::ETHERNET => LaxSlicedPacket::from_ethernet(bytes).ok(),
        DataLink::LINUX_SLL => cooked(COOKED - 2, COOKED),
        DataLink::LINUX_SLL2 => cooked(0, COOKED_2),
        _ => LaxSlicedPacket::from_ip(bytes).ok(),
    }
}

/// An address of IPv4 as one of IPv6.
fn mapped(address: [u8; 4]) -> [u8; 16] {
    std::net::Ipv4Addr::from(address).to_ipv6_mapped().octets()
}
