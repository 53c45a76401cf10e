// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A packet's addresses and length, protocol, ports and DSCP, and its place in a TCP flow, as far as the capture kept its
//! headers.
//!
//! Link and IP headers are `etherparse`'s to read; PPPoE sessions (RFC 2516) and the address family of loopback links
//! are added. Ports and sequence numbers are read here: a capture may keep fewer bytes than a whole TCP header with its
//! options has.
//!
//! Limits: later fragments have no ports, first ones of IPv6 neither. Of a tunnel the outer headers are read; frames
//! that are not decoded, and tunnels, are marked ([`Unread`]).

use std::net::IpAddr;

use airtab_core::{TCP, UDP};
use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket};
use pcap_file::DataLink;

use crate::packets::Packet;
use crate::unread::Unread;

/// Bytes of Linux's headers of cooked captures.
const COOKED: usize = 16;
const COOKED_2: usize = 20;
/// Ethertype of PPPoE sessions, bytes of their header, and PPP protocols of IPv4 and IPv6.
const PPPOE_SESSION: u16 = 0x8864;
const PPPOE: usize = 6;
const PPP_IP: [u16; 2] = [0x0021, 0x0057];
/// Address families of loopback links: IPv4, and IPv6 as Linux, Windows, NetBSD, FreeBSD and macOS number it.
const FAMILIES: [u32; 6] = [2, 10, 23, 24, 28, 30];
/// Raw IP, as some systems number it in their files.
const RAW_BSD: DataLink = DataLink::Unknown(12);
const RAW_OPENBSD: DataLink = DataLink::Unknown(14);

/// What rules look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Of IP; none of what is not IP.
    pub protocol: Option<u8>,
    /// Source and destination.
    pub ports: Option<(u16, u16)>,
    /// Of IP; none of what is not IP.
    pub dscp: Option<u8>,
}

/// An IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip {
    /// Source and destination.
    pub addresses: [IpAddr; 2],
    /// How long it says that it is, bytes; where it leaves that to a card (0), all of the frame behind its link header.
    pub bytes: u32,
}

/// One direction of a connection: addresses and ports, the sender's first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flow {
    /// IPv4's as those of IPv6.
    pub addresses: [[u8; 16]; 2],
    /// Source and destination.
    pub ports: (u16, u16),
}

/// A segment of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whose.
    pub flow: Flow,
    /// Number of its first byte.
    pub sequence: u32,
    /// It begins the flow.
    pub syn: bool,
    /// Bytes of it.
    pub payload: u32,
}

/// All of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// Its IP packet; none of what is not IP.
    pub ip: Option<Ip>,
    /// What rules look at.
    pub key: Key,
    /// Its segment, if the capture has so much of it.
    pub segment: Option<Segment>,
    /// Encapsulation that is not decoded.
    pub unread: Option<Unread>,
}

/// Whether packets of that link are read.
pub fn knows(link: DataLink) -> bool {
    use DataLink::{ETHERNET, IPV4, IPV6, LINUX_SLL, LINUX_SLL2, LOOP, NULL, RAW};
    matches!(
        link,
        ETHERNET | IPV4 | IPV6 | LINUX_SLL | LINUX_SLL2 | LOOP | NULL | RAW | RAW_BSD | RAW_OPENBSD
    )
}

impl Headers {
    /// Those of a packet of a link that is known; what cannot be read is missing.
    pub fn of(packet: &Packet<'_>) -> Headers {
        match slices(packet) {
            Ok(slices) => slices.net.and_then(|net| Headers::of_net(packet, &net)).unwrap_or_default(),
            Err(unread) => Headers { unread, ..Headers::default() },
        }
    }

    fn of_net(packet: &Packet<'_>, net: &LaxNetSlice<'_>) -> Option<Headers> {
        let (addresses, dscp, later, header, bytes) = match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let addresses = [header.source_addr(), header.destination_addr()].map(IpAddr::V4);
                let (dscp, later) = (header.dcp().value(), header.fragments_offset().value() > 0);
                (addresses, dscp, later, header.slice(), u32::from(header.total_len()))
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                let addresses = [header.source_addr(), header.destination_addr()].map(IpAddr::V6);
                let payload = u32::from(header.payload_length());
                let bytes = if payload > 0 { payload + header.slice().len() as u32 } else { 0 };
                (addresses, header.dscp().value(), ip.is_payload_fragmented(), header.slice(), bytes)
            }
            LaxNetSlice::Arp(_) => return None,
        };
        // Where in the frame that header begins: it is a part of it.
        let link = header.as_ptr() as usize - packet.bytes.as_ptr() as usize;
        let bytes = if bytes > 0 { bytes } else { packet.length.saturating_sub(link as u32) };
        let ip = net.ip_payload_ref()?;
        let protocol = ip.ip_number.0;
        let payload = if later { &[][..] } else { ip.payload };
        let word = |at: usize| Some(u16::from_be_bytes([*payload.get(at)?, *payload.get(at + 1)?]));
        let ports = word(0).zip(word(2)).filter(|_| matches!(protocol, TCP | UDP));
        let key = Key { protocol: Some(protocol), ports, dscp: Some(dscp) };
        // Of what the capture left out at the end.
        let missing = packet.length.saturating_sub(packet.bytes.len() as u32);
        let length = ip.payload.len() as u32 + if ip.incomplete { missing } else { 0 };
        let segment = ports.filter(|_| protocol == TCP).and_then(|ports| {
            let sequence = u32::from(word(4)?) << 16 | u32::from(word(6)?);
            let (header, flags) = (u32::from(payload.get(12)? >> 4) * 4, payload.get(13)?);
            let data = length.saturating_sub(header);
            let flow = Flow { addresses: addresses.map(mapped), ports };
            Some(Segment { flow, sequence, syn: flags & 2 != 0, payload: data })
        });
        let unread = Unread::of_ip(protocol, ports);
        Some(Headers { ip: Some(Ip { addresses, bytes }), key, segment, unread })
    }
}

/// Slices of the frame's headers.
///
/// # Errors
/// It has no IP or ARP header that can be read; the encapsulation, if an IP packet may be in it.
fn slices<'a>(packet: &Packet<'a>) -> Result<LaxSlicedPacket<'a>, Option<Unread>> {
    let bytes = packet.bytes;
    let cooked = |protocol: usize, length: usize| {
        let rest = bytes.get(length..).ok_or(Some(Unread::Damaged))?;
        let kind = u16::from_be_bytes([bytes[protocol], bytes[protocol + 1]]);
        session(LaxSlicedPacket::from_ether_type(EtherType(kind), rest))
    };
    match packet.link {
        DataLink::ETHERNET => {
            session(LaxSlicedPacket::from_ethernet(bytes).map_err(|_| Some(Unread::Damaged))?)
        }
        DataLink::LINUX_SLL => cooked(COOKED - 2, COOKED),
        DataLink::LINUX_SLL2 => cooked(0, COOKED_2),
        DataLink::NULL | DataLink::LOOP => {
            let (family, rest) = bytes.split_first_chunk::<4>().ok_or(Some(Unread::Damaged))?;
            // In the byte order of the host that captured.
            let known = [u32::from_be_bytes(*family), u32::from_le_bytes(*family)];
            if known.iter().any(|family| FAMILIES.contains(family)) { ip(rest) } else { Err(None) }
        }
        _ => ip(bytes),
    }
}

fn ip(bytes: &[u8]) -> Result<LaxSlicedPacket<'_>, Option<Unread>> {
    LaxSlicedPacket::from_ip(bytes).map_err(|_| Some(Unread::Damaged))
}

/// The slices themselves, or those of the packet in a PPPoE session.
fn session(slices: LaxSlicedPacket<'_>) -> Result<LaxSlicedPacket<'_>, Option<Unread>> {
    if slices.net.is_some() {
        return Ok(slices);
    }
    let Some(payload) = slices.ether_payload() else { return Err(None) };
    if payload.ether_type.0 != PPPOE_SESSION {
        return Err(Unread::of_ether_type(payload.ether_type.0));
    }
    let ppp = payload.payload.get(PPPOE..).unwrap_or_default();
    // The protocol may be compressed to its low byte, which is odd.
    let (protocol, rest) = match ppp {
        [low, rest @ ..] if low & 1 == 1 => (u16::from(*low), rest),
        [high, low, rest @ ..] => (u16::from_be_bytes([*high, *low]), rest),
        _ => return Err(Some(Unread::Damaged)),
    };
    if PPP_IP.contains(&protocol) { ip(rest) } else { Err(Unread::of_ppp(protocol)) }
}

/// An address of IPv4 as one of IPv6.
fn mapped(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

#[cfg(test)]
mod tests;
