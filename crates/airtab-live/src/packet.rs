// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the access point must know of a packet's bytes: who talks to whom, and
//! what disciplines may look at.
//!
//! Packets are whole IP packets, IPv4 or IPv6, without a link header. All
//! fragments of a datagram, the first included, have no ports: they stay one flow.
//!
//! What it does not do: nothing is reassembled, and no checksum is verified
//! (whoever receives the packet does). The extension headers of mobility, HIP and
//! shim6, and what ESP encrypts, are protocols without ports.

use std::hash::Hasher;
use std::net::{IpAddr, Ipv4Addr};

use airtab_core::{Key, Tcp};
use etherparse::{
    IpAuthHeaderSlice, IpNumber, Ipv4HeaderSlice, Ipv6FragmentHeaderSlice, Ipv6Header, Ipv6HeaderSlice,
    Ipv6RawExtHeaderSlice, TcpOptionElement, TcpSlice, UdpSlice, ip_number,
};
use siphasher::sip::SipHasher13;

/// A packet as far as it has been understood.
#[derive(Clone, Copy, Debug)]
pub struct Parsed {
    /// Who sent it.
    pub source: IpAddr,
    /// Who shall have it.
    pub destination: IpAddr,
    /// Ports; 0 where the protocol has none or they are not to be seen.
    pub ports: (u16, u16),
    /// Protocol number behind up to eight extension headers.
    pub protocol: u8,
    /// Differentiated services code point.
    pub dscp: u8,
    /// Its sender understands ECN.
    pub ecn: bool,
    /// The TCP header, if it is TCP.
    pub tcp: Option<Tcp>,
    /// Length by its own header, bytes.
    pub bytes: u32,
}

impl Parsed {
    /// What a classifier sees.
    pub fn key(&self) -> Key {
        Key { protocol: self.protocol, dscp: self.dscp, sport: self.ports.0, dport: self.ports.1 }
    }
}

/// Why a packet is not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// No IP packet, or lengths that contradict each other.
    Malformed,
    /// For a group: nobody here asked for any.
    Multicast,
    /// For or from an address that nobody here has.
    NoRoute,
    /// Longer than the link's MTU.
    TooLong,
}

impl Refusal {
    /// All, in order.
    pub const ALL: [Refusal; 4] =
        [Refusal::Malformed, Refusal::Multicast, Refusal::NoRoute, Refusal::TooLong];

    /// Its name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Refusal::Malformed => "malformed",
            Refusal::Multicast => "multicast",
            Refusal::NoRoute => "no_route",
            Refusal::TooLong => "too_long",
        }
    }
}

/// Longest IP packet of the links, bytes.
pub(crate) const MTU: usize = 1500;

/// The maximum segment size of a SYN, or 0, and [`Tcp::option`]. What cannot be read ends the options.
fn options(tcp: &TcpSlice) -> (u16, u8) {
    let (mut mss, mut scale, mut blocks) = (0, 0, 0);
    for option in tcp.options_iterator().map_while(Result::ok) {
        match option {
            TcpOptionElement::MaximumSegmentSize(bytes) => mss = bytes,
            TcpOptionElement::WindowScale(shift) => scale = shift,
            TcpOptionElement::SelectiveAcknowledgement(_, more) => {
                blocks = 1 + more.iter().flatten().count() as u8
            }
            _ => {}
        }
    }
    if tcp.syn() { (mss, scale) } else { (0, blocks) }
}

/// Looks at a packet.
///
/// # Errors
/// If it is no packet that can be passed on; any bytes are taken.
pub fn parse(bytes: &[u8]) -> Result<Parsed, Refusal> {
    if bytes.len() > MTU {
        return Err(Refusal::TooLong);
    }
    let ip = Ip::of(bytes)?;
    if ip.destination.is_multicast() || ip.destination == IpAddr::V4(Ipv4Addr::BROADCAST) {
        return Err(Refusal::Multicast);
    }
    let (ports, tcp) = match (ip.protocol, ip.payload) {
        (ip_number::TCP, Some(payload)) => {
            let tcp = TcpSlice::from_slice(payload).or(Err(Refusal::Malformed))?;
            let options = options(&tcp);
            let header = Tcp {
                seq: tcp.sequence_number(),
                ack: tcp.acknowledgment_number(),
                payload: tcp.payload().len() as u32,
                window: tcp.window_size().into(),
                mss: options.0,
                flags: tcp.slice()[13],
                option: options.1,
            };
            ((tcp.source_port(), tcp.destination_port()), Some(header))
        }
        (ip_number::UDP, Some(payload)) => {
            let udp = UdpSlice::from_slice(payload).or(Err(Refusal::Malformed))?;
            ((udp.source_port(), udp.destination_port()), None)
        }
        _ => ((0, 0), None),
    };
    Ok(Parsed {
        source: ip.source,
        destination: ip.destination,
        ports,
        protocol: ip.protocol.0,
        dscp: ip.traffic_class >> 2,
        ecn: ip.traffic_class & 3 != 0,
        tcp,
        bytes: ip.bytes as u32,
    })
}

/// Where the TCP header begins in a packet that [`parse`] has taken, and where the packet ends; None: there is something
/// between the headers, or it is no TCP, or a fragment.
pub(crate) fn tcp_segment(bytes: &[u8]) -> Option<(usize, usize)> {
    let (header, end, next) = if bytes[0] >> 4 == 4 {
        let h = Ipv4HeaderSlice::from_slice(bytes).ok().filter(|h| !h.is_fragmenting_payload())?;
        (h.slice().len(), h.total_len().into(), h.protocol())
    } else {
        let h = Ipv6HeaderSlice::from_slice(bytes).ok()?;
        (Ipv6Header::LEN, Ipv6Header::LEN + usize::from(h.payload_length()), h.next_header())
    };
    (next == ip_number::TCP && end <= bytes.len()).then_some((header, end))
}

/// The IP part of a packet.
struct Ip<'a> {
    source: IpAddr,
    destination: IpAddr,
    /// DSCP and ECN.
    traffic_class: u8,
    protocol: IpNumber,
    /// None of a fragment: its bytes may be the middle of anything.
    payload: Option<&'a [u8]>,
    bytes: usize,
}

impl Ip<'_> {
    fn of(packet: &[u8]) -> Result<Ip<'_>, Refusal> {
        // A packet ends where its header says; what follows is padding.
        match packet.first().map(|first| first >> 4) {
            Some(4) => {
                let h = Ipv4HeaderSlice::from_slice(packet).or(Err(Refusal::Malformed))?;
                let bytes = h.total_len().into();
                let rest = packet.get(h.slice().len()..bytes).ok_or(Refusal::Malformed)?;
                let (protocol, payload) = match h.is_fragmenting_payload() {
                    true => (h.protocol(), None),
                    false => upper(h.protocol(), rest, false)?,
                };
                let (source, destination) = (h.source_addr().into(), h.destination_addr().into());
                let traffic_class = packet[1];
                Ok(Ip { source, destination, traffic_class, protocol, payload, bytes })
            }
            Some(6) => {
                let h = Ipv6HeaderSlice::from_slice(packet).or(Err(Refusal::Malformed))?;
                let bytes = Ipv6Header::LEN + usize::from(h.payload_length());
                let rest = packet.get(Ipv6Header::LEN..bytes).ok_or(Refusal::Malformed)?;
                let (protocol, payload) = upper(h.next_header(), rest, true)?;
                let (source, destination) = (h.source_addr().into(), h.destination_addr().into());
                let traffic_class = packet[0] << 4 | packet[1] >> 4;
                Ok(Ip { source, destination, traffic_class, protocol, payload, bytes })
            }
            _ => Err(Refusal::Malformed),
        }
    }
}

/// Extension headers that are looked behind, in every host.
const EXTENSIONS: usize = 8;

/// The protocol behind the extension headers, and its bytes; of an IPv6 fragment
/// what its header names, and no bytes (RFC 8200, 4). IPv4 has only one of them.
fn upper(mut next: IpNumber, mut rest: &[u8], six: bool) -> Result<(IpNumber, Option<&[u8]>), Refusal> {
    use ip_number::{AUTH, IPV6_DEST_OPTIONS, IPV6_FRAG, IPV6_HOP_BY_HOP, IPV6_ROUTE};
    for _ in 0..EXTENSIONS {
        let after;
        (after, rest) = match next {
            IPV6_FRAG if six => {
                let h = Ipv6FragmentHeaderSlice::from_slice(rest).or(Err(Refusal::Malformed))?;
                if h.is_fragmenting_payload() {
                    return Ok((h.next_header(), None));
                }
                (h.next_header(), &rest[h.slice().len()..])
            }
            IPV6_HOP_BY_HOP | IPV6_ROUTE | IPV6_DEST_OPTIONS if six => {
                let h = Ipv6RawExtHeaderSlice::from_slice(rest).or(Err(Refusal::Malformed))?;
                (h.next_header(), &rest[h.slice().len()..])
            }
            AUTH => {
                let h = IpAuthHeaderSlice::from_slice(rest).or(Err(Refusal::Malformed))?;
                (h.next_header(), &rest[h.slice().len()..])
            }
            _ => return Ok((next, Some(rest))),
        };
        next = after;
    }
    Ok((next, Some(rest)))
}

/// Sets "congestion experienced" in a packet that [`parse`] has taken.
pub fn mark_ce(bytes: &mut [u8]) {
    match bytes[0] >> 4 {
        4 => {
            // RFC 1624, eqn. 3: HC' = ~(~HC + ~m + m')
            let old = u16::from_be_bytes([bytes[0], bytes[1]]);
            bytes[1] |= 3;
            let new = u16::from_be_bytes([bytes[0], bytes[1]]);
            let sum =
                u32::from(!u16::from_be_bytes([bytes[10], bytes[11]])) + u32::from(!old) + u32::from(new);
            let sum = (sum & 0xffff) + (sum >> 16);
            let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        _ => bytes[1] |= 0x30,
    }
}

/// One conversation, the station's end first: both directions have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FlowKey {
    /// The station's address and port.
    pub near: (IpAddr, u16),
    /// The other end's.
    pub far: (IpAddr, u16),
    /// Protocol number.
    pub protocol: u8,
}

impl FlowKey {
    /// Of a packet that goes to a station, or with `up` comes from one.
    pub(crate) fn of(packet: &Parsed, up: bool) -> FlowKey {
        let source = (packet.source, packet.ports.0);
        let destination = (packet.destination, packet.ports.1);
        let (near, far) = if up { (source, destination) } else { (destination, source) };
        FlowKey { near, far, protocol: packet.protocol }
    }

    /// The hash that disciplines see, keyed so that nobody outside can make two
    /// flows collide (SipHash-1-3).
    pub(crate) fn hash(&self, key: u64) -> u32 {
        let mut hasher = SipHasher13::new_with_keys(key, 0);
        for (address, port) in [self.far, self.near] {
            match address {
                IpAddr::V4(a) => hasher.write(&a.octets()),
                IpAddr::V6(a) => hasher.write(&a.octets()),
            }
            hasher.write(&port.to_be_bytes());
        }
        hasher.write(&[self.protocol]);
        hasher.finish() as u32
    }
}

impl std::fmt::Display for FlowKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.protocol {
            6 => write!(f, "tcp ")?,
            17 => write!(f, "udp ")?,
            1 | 58 => write!(f, "icmp ")?,
            other => write!(f, "ip-{other} ")?,
        }
        let end = |(address, port): (IpAddr, u16)| match (address, port) {
            (address, 0) => address.to_string(),
            (address, port) => std::net::SocketAddr::new(address, port).to_string(),
        };
        write!(f, "{} {}", end(self.near), end(self.far))
    }
}

#[cfg(test)]
mod tests;
