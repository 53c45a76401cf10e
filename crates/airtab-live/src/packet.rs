//! What the access point must know of a packet's bytes: who talks to whom, and
//! what disciplines may look at.
//!
//! Packets are whole IP packets, IPv4 or IPv6, without a link header. All
//! fragments of a datagram, the first included, have no ports: they stay one flow.
//!
//! What it does not do: nothing is reassembled, and no checksum is verified
//! (whoever receives the packet does).

use std::hash::Hasher;
use std::net::IpAddr;

use airtab_core::Tcp;
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
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
    /// Protocol number behind all extension headers.
    pub protocol: u8,
    /// Its sender understands ECN.
    pub ecn: bool,
    /// The TCP header, if it is TCP.
    pub tcp: Option<Tcp>,
    /// Length by its own header, bytes.
    pub bytes: u32,
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
pub const MTU: usize = 1500;

/// Looks at a packet.
///
/// # Errors
/// If it is no packet that can be passed on; any bytes are taken.
pub fn parse(bytes: &[u8]) -> Result<Parsed, Refusal> {
    if bytes.len() > MTU {
        return Err(Refusal::TooLong);
    }
    let packet = SlicedPacket::from_ip(bytes).map_err(|_| Refusal::Malformed)?;
    let (source, destination, ecn, ip): (IpAddr, IpAddr, u8, _) = match packet.net.as_ref() {
        Some(NetSlice::Ipv4(ip)) => {
            let h = ip.header();
            (h.source_addr().into(), h.destination_addr().into(), h.ecn().value(), ip.payload())
        }
        Some(NetSlice::Ipv6(ip)) => {
            let h = ip.header();
            (h.source_addr().into(), h.destination_addr().into(), bytes[1] >> 4 & 3, ip.payload())
        }
        _ => return Err(Refusal::Malformed),
    };
    if destination.is_multicast() || destination == IpAddr::V4(std::net::Ipv4Addr::BROADCAST) {
        return Err(Refusal::Multicast);
    }
    // The payload ends where the header says that the packet does.
    let end = ip.payload.as_ptr() as usize - bytes.as_ptr() as usize + ip.payload.len();
    let (ports, tcp) = match &packet.transport {
        Some(TransportSlice::Tcp(tcp)) => {
            let flags = tcp.slice()[13];
            let header = Tcp {
                seq: tcp.sequence_number(),
                ack: tcp.acknowledgment_number(),
                payload: tcp.payload().len() as u32,
                window: tcp.window_size().into(),
                flags,
            };
            ((tcp.source_port(), tcp.destination_port()), Some(header))
        }
        Some(TransportSlice::Udp(udp)) => ((udp.source_port(), udp.destination_port()), None),
        _ => ((0, 0), None),
    };
    Ok(Parsed {
        source,
        destination,
        ports,
        protocol: ip.ip_number.0,
        ecn: ecn & 3 != 0,
        tcp,
        bytes: end as u32,
    })
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
pub struct FlowKey {
    /// The station's address and port.
    pub near: (IpAddr, u16),
    /// The other end's.
    pub far: (IpAddr, u16),
    /// Protocol number.
    pub protocol: u8,
}

impl FlowKey {
    /// Of a packet that goes to a station, or with `up` comes from one.
    pub fn of(packet: &Parsed, up: bool) -> FlowKey {
        let source = (packet.source, packet.ports.0);
        let destination = (packet.destination, packet.ports.1);
        let (near, far) = if up { (source, destination) } else { (destination, source) };
        FlowKey { near, far, protocol: packet.protocol }
    }

    /// The hash that disciplines see, keyed so that nobody outside can make two
    /// flows collide (SipHash-1-3).
    pub fn hash(&self, key: u64) -> u32 {
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
mod tests {
    use super::*;
    use etherparse::PacketBuilder;
    use proptest::prelude::*;

    fn tcp4(payload: usize) -> Vec<u8> {
        let builder = PacketBuilder::ipv4([198, 18, 0, 1], [10, 0, 0, 1], 64).tcp(80, 50_000, 7, 1000).ack(9);
        let mut bytes = Vec::new();
        builder.write(&mut bytes, &vec![1; payload]).unwrap();
        bytes
    }

    fn udp6(payload: usize) -> Vec<u8> {
        let [from, to] = [1, 2].map(|i| std::net::Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, i).octets());
        let mut bytes = Vec::new();
        PacketBuilder::ipv6(from, to, 64).udp(53, 1234).write(&mut bytes, &vec![1; payload]).unwrap();
        bytes
    }

    #[test]
    fn both_directions_are_one_flow() {
        let down = parse(&tcp4(100)).unwrap();
        assert_eq!((down.bytes, down.ports, down.protocol, down.ecn), (140, (80, 50_000), 6, false));
        let tcp = down.tcp.unwrap();
        assert_eq!((tcp.seq, tcp.ack, tcp.payload, tcp.window, tcp.flags), (7, 9, 100, 1000, 16));
        let mut bytes = Vec::new();
        let up = PacketBuilder::ipv4([10, 0, 0, 1], [198, 18, 0, 1], 64).tcp(50_000, 80, 1, 1);
        up.write(&mut bytes, &[]).unwrap();
        let up = FlowKey::of(&parse(&bytes).unwrap(), true);
        assert_eq!(FlowKey::of(&down, false), up);
        assert_ne!(up.hash(1), up.hash(2));
        assert_eq!(up.to_string(), "tcp 10.0.0.1:50000 198.18.0.1:80");
        let six = parse(&udp6(8)).unwrap();
        assert_eq!((six.bytes, six.ports, six.protocol), (56, (53, 1234), 17));
        assert_eq!(FlowKey::of(&six, false).to_string(), "udp [fd00::2]:1234 [fd00::1]:53");
    }

    #[test]
    fn fragments_have_no_ports() {
        let mut first = tcp4(100);
        first[6] |= 0x20; // more fragments
        let parsed = parse(&first).unwrap();
        assert_eq!((parsed.ports, parsed.protocol, parsed.tcp.is_none()), ((0, 0), 6, true));
    }

    #[test]
    fn refusals_say_why() {
        let mut group = tcp4(10);
        group[16] = 224;
        let mut long = tcp4(10);
        long[3] += 1; // claims a byte more than there is
        let cases: [(&[u8], Refusal); 5] = [
            (&[], Refusal::Malformed),
            (&[0x45; 19], Refusal::Malformed),
            (&group, Refusal::Multicast),
            (&long, Refusal::Malformed),
            (&[0x45; MTU + 1], Refusal::TooLong),
        ];
        for (bytes, refusal) in cases {
            assert_eq!(parse(bytes).unwrap_err(), refusal);
        }
    }

    #[test]
    fn a_mark_keeps_the_checksum_right() {
        for tos in [1u8, 2, 0xb9] {
            let mut bytes = tcp4(5);
            bytes[1] = tos;
            let sum =
                etherparse::Ipv4HeaderSlice::from_slice(&bytes).unwrap().to_header().calc_header_checksum();
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
            assert!(parse(&bytes).unwrap().ecn);
            mark_ce(&mut bytes);
            let header = etherparse::Ipv4HeaderSlice::from_slice(&bytes).unwrap();
            assert_eq!(header.ecn().value(), 3);
            assert_eq!(header.header_checksum(), header.to_header().calc_header_checksum());
        }
        let mut six = udp6(5);
        mark_ce(&mut six);
        assert!(parse(&six).unwrap().ecn);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Any bytes, and damaged packets, are looked at without a panic, and
        /// what is understood lies within the bytes.
        #[test]
        fn any_bytes_are_taken(
            noise in proptest::collection::vec(any::<u8>(), 0..120),
            six in any::<bool>(),
            damage in proptest::collection::vec((0usize..120, any::<u8>()), 0..6),
            cut in 0usize..160,
        ) {
            let _ = parse(&noise);
            let mut bytes = if six { udp6(60) } else { tcp4(60) };
            for (at, value) in damage {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = value;
                }
            }
            bytes.truncate(cut);
            if let Ok(parsed) = parse(&bytes) {
                prop_assert!(parsed.bytes as usize <= bytes.len());
                mark_ce(&mut bytes);
                prop_assert!(parse(&bytes).is_ok());
            }
        }
    }
}
