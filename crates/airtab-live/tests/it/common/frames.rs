// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets written byte by byte from the RFCs that define them, and read back the
//! same way: an oracle for `airtab_live::packet`, with which it shares no code.
//!
//! RFC 791 (IPv4), 8200 (IPv6 and its extension headers), 3168 (ECN), 768 (UDP),
//! 9293 (TCP), 792 and 4443 (ICMP), 1071 (the checksum).
//!
//! What it does not do: readers know what is written here, not every packet there is.
#![allow(dead_code)] // each user takes its own part

use std::net::IpAddr;

/// Protocol numbers (IANA).
pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const FRAGMENT: u8 = 44;
pub const ICMP6: u8 = 58;

/// An IP header in the making. `octet` is IPv4's type of service and IPv6's
/// traffic class: six bits of DSCP, two of ECN (RFC 3168, 5).
#[derive(Clone, Debug)]
pub struct Ip {
    pub from: IpAddr,
    pub to: IpAddr,
    pub octet: u8,
    /// IPv4: identification.
    pub id: u16,
    /// IPv4: three flags and the fragment's offset in units of 8 bytes.
    pub fragment: u16,
    /// IPv4: whole words of options.
    pub options: Vec<u8>,
    /// IPv6: 20 bits of flow label.
    pub label: u32,
}

/// IPv4's flags in [`Ip::fragment`].
pub const DONT_FRAGMENT: u16 = 0x4000;
pub const MORE_FRAGMENTS: u16 = 0x2000;

impl Ip {
    pub fn new(from: IpAddr, to: IpAddr) -> Ip {
        Ip { from, to, octet: 0, id: 0x1234, fragment: 0, options: Vec::new(), label: 0 }
    }

    pub fn octet(self, octet: u8) -> Ip {
        Ip { octet, ..self }
    }

    /// The packet: header, then `payload`; `next` is IPv4's protocol, IPv6's
    /// next header.
    pub fn around(&self, next: u8, payload: &[u8]) -> Vec<u8> {
        let mut b = Vec::new();
        match (self.from, self.to) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let words = 5 + self.options.len() / 4;
                assert!(self.options.len().is_multiple_of(4) && words <= 15);
                b.extend([0x40 | words as u8, self.octet]);
                b.extend(((4 * words + payload.len()) as u16).to_be_bytes());
                b.extend(self.id.to_be_bytes());
                b.extend(self.fragment.to_be_bytes());
                b.extend([64, next, 0, 0]);
                b.extend(from.octets());
                b.extend(to.octets());
                b.extend(&self.options);
                sum_header(&mut b);
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                assert!(self.label < 1 << 20);
                // Version, class and label: 4, 8 and 20 bits of one word.
                b.extend((6 << 28 | u32::from(self.octet) << 20 | self.label).to_be_bytes());
                b.extend((payload.len() as u16).to_be_bytes());
                b.extend([next, 64]);
                b.extend(from.octets());
                b.extend(to.octets());
            }
            _ => panic!("two families"),
        }
        b.extend(payload);
        b
    }

    /// The packet with an upper layer's checksum at `at` of `payload`, over the
    /// pseudo-header (RFC 9293 3.1, RFC 8200 8.1).
    fn around_summed(&self, protocol: u8, mut payload: Vec<u8>, at: usize) -> Vec<u8> {
        let mut pseudo = Vec::new();
        for address in [self.from, self.to] {
            match address {
                IpAddr::V4(a) => pseudo.extend(a.octets()),
                IpAddr::V6(a) => pseudo.extend(a.octets()),
            }
        }
        pseudo.extend((payload.len() as u32).to_be_bytes());
        pseudo.extend([0, 0, 0, protocol]);
        pseudo.extend(&payload);
        let sum = !ones_sum(&pseudo);
        payload[at..at + 2].copy_from_slice(&sum.to_be_bytes());
        self.around(protocol, &payload)
    }

    pub fn udp(&self, from: u16, to: u16, data: &[u8]) -> Vec<u8> {
        self.around_summed(UDP, udp(from, to, data), 6)
    }

    pub fn tcp(&self, header: &TcpHeader, data: &[u8]) -> Vec<u8> {
        self.around_summed(TCP, header.write(data), 16)
    }

    /// An echo request: type 8 (RFC 792) or 128 (RFC 4443).
    pub fn echo(&self, data: &[u8]) -> Vec<u8> {
        let (protocol, kind) = if self.from.is_ipv4() { (ICMP, 8) } else { (ICMP6, 128) };
        let mut icmp = vec![kind, 0, 0, 0, 0, 1, 0, 2]; // type, code, checksum, identifier, number
        icmp.extend(data);
        if protocol == ICMP6 {
            return self.around_summed(protocol, icmp, 2);
        }
        let sum = !ones_sum(&icmp); // IPv4's knows no pseudo-header
        icmp[2..4].copy_from_slice(&sum.to_be_bytes());
        self.around(protocol, &icmp)
    }
}

/// A UDP datagram with checksum 0.
pub fn udp(from: u16, to: u16, data: &[u8]) -> Vec<u8> {
    let mut b = Vec::new();
    for word in [from, to, 8 + data.len() as u16, 0] {
        b.extend(word.to_be_bytes());
    }
    b.extend(data);
    b
}

/// A TCP header's fields; `options` in whole words.
#[derive(Clone, Debug, Default)]
pub struct TcpHeader {
    pub from: u16,
    pub to: u16,
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    pub window: u16,
    pub options: Vec<u8>,
}

impl TcpHeader {
    /// The segment with checksum 0.
    pub fn write(&self, data: &[u8]) -> Vec<u8> {
        let mut b = Vec::new();
        b.extend(self.from.to_be_bytes());
        b.extend(self.to.to_be_bytes());
        b.extend(self.seq.to_be_bytes());
        b.extend(self.ack.to_be_bytes());
        b.extend([(5 + self.options.len() as u8 / 4) << 4, self.flags]);
        b.extend(self.window.to_be_bytes());
        b.extend([0; 4]); // checksum, urgent pointer
        b.extend(&self.options);
        b.extend(data);
        b
    }
}

/// An IPv6 fragment header (RFC 8200 4.5); `offset` in units of 8 bytes.
pub fn fragment_header(next: u8, offset: u16, more: bool) -> [u8; 8] {
    let [high, low] = (offset << 3 | u16::from(more)).to_be_bytes();
    [next, 0, high, low, 0, 0, 0, 9]
}

/// A hop-by-hop, routing or destination options header of `bytes` (a multiple of
/// 8): its length field counts units of 8 bytes behind the first. Padding inside.
pub fn options_header(next: u8, bytes: usize) -> Vec<u8> {
    let mut b = vec![0; bytes];
    b[0] = next;
    b[1] = (bytes / 8 - 1) as u8;
    b
}

/// The one's complement sum of 16-bit words (RFC 1071), folded; an odd byte is a
/// word's first.
pub fn ones_sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0)));
    let sum: u32 = words.sum();
    let sum = (sum >> 16) + (sum & 0xffff);
    ((sum >> 16) + sum) as u16
}

/// Puts the checksum into an IPv4 header.
pub fn sum_header(bytes: &mut [u8]) {
    let header = usize::from(bytes[0] & 15) * 4;
    bytes[10] = 0;
    bytes[11] = 0;
    let sum = !ones_sum(&bytes[..header]);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
}

/// Length by the packet's own header; None if it has not all of that, or no header.
pub fn length(bytes: &[u8]) -> Option<usize> {
    let word = |at: usize| Some(usize::from(*bytes.get(at)?) << 8 | usize::from(*bytes.get(at + 1)?));
    let length = match bytes.first()? >> 4 {
        4 => word(2).filter(|&n| n >= 20)?,
        6 => 40 + word(4)?,
        _ => return None,
    };
    (length <= bytes.len()).then_some(length)
}

/// The ECN field: 0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE (RFC 3168, 5).
pub fn ecn(bytes: &[u8]) -> u8 {
    match bytes[0] >> 4 {
        4 => bytes[1] % 4,
        _ => bytes[1] / 16 % 4,
    }
}

/// The packet with CE in its ECN field. What a wrong IPv4 checksum was wrong by
/// stays: the sum over the header is as before.
pub fn with_ce(bytes: &[u8]) -> Vec<u8> {
    let mut b = bytes.to_vec();
    if b[0] >> 4 != 4 {
        b[1] = b[1] % 16 + b[1] / 64 * 64 + 48;
        return b;
    }
    // Every bit added to the low byte of a word is subtracted from the checksum.
    let more = u16::from(3 - b[1] % 4);
    b[1] += more as u8;
    let sum = u16::from_be_bytes([b[10], b[11]]);
    let sum = if sum >= more { sum - more } else { sum.wrapping_sub(more) - 1 };
    b[10..12].copy_from_slice(&sum.to_be_bytes());
    b
}
