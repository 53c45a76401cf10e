// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets come from `frames`, which writes them byte by byte and shares no code
//! with what is tested here.

use super::*;
use crate::frames::{self, Ip, TcpHeader, fragment_header, options_header};
use proptest::prelude::*;

const FAR4: [u8; 4] = [198, 18, 0, 1];
const NEAR4: [u8; 4] = [10, 0, 0, 1];

fn v4() -> Ip {
    Ip::new(FAR4.into(), NEAR4.into())
}

fn v6() -> Ip {
    Ip::new("fd00:a1b:2::1".parse().unwrap(), "fd00:a1b:1::1".parse().unwrap())
}

/// The other direction.
fn back(ip: Ip) -> Ip {
    Ip { from: ip.to, to: ip.from, ..ip }
}

fn web() -> TcpHeader {
    TcpHeader { from: 80, to: 50_000, flags: 0x10, window: 1000, ..TcpHeader::default() }
}

fn down(packet: &[u8]) -> FlowKey {
    FlowKey::of(&parse(packet).unwrap(), false)
}

fn marked(packet: &[u8]) -> Vec<u8> {
    let mut bytes = packet.to_vec();
    mark_ce(&mut bytes);
    bytes
}

/// A packet of the RFCs, byte for byte: the builder is no better than its own
/// check. Checksums by hand: 4500+0020+0000+4000+4011 = c531, + c612+0001 (198.18.0.1)
/// = 18b44, + 0a00+0001 = 19545, folded 9546, complement 6ab9.
#[test]
fn the_builder_writes_what_is_in_the_rfcs() {
    let ip = Ip { id: 0, fragment: frames::DONT_FRAGMENT, ..v4() };
    let packet = ip.udp(53, 1234, &[0xab, 0xcd, 0xef, 0x01]);
    let header = [
        0x45, 0, 0, 32, 0, 0, 0x40, 0, 64, 17, 0x6a, 0xb9, 198, 18, 0, 1, 10, 0, 0, 1, // IPv4
        0, 53, 0x04, 0xd2, 0, 12, // UDP: ports, length
    ];
    assert_eq!(packet[..26], header);
    // Pseudo-header c612+0001+0a00+0001+0000+000c+0000+0011 = d031, UDP 0035+04d2+000c =
    // 0513, data abcd+ef01 = 19ace; sum 27012, folded 7014, complement 8feb.
    assert_eq!(packet[26..], [0x8f, 0xeb, 0xab, 0xcd, 0xef, 0x01]);
    // Class 0xb9 lies across bytes 0 and 1, before a label of 20 bits.
    let packet = Ip { octet: 0xb9, label: 0xf_1234, ..v6() }.echo(&[]);
    assert_eq!(packet[..8], [0x6b, 0x9f, 0x12, 0x34, 0, 8, 58, 64]);
    assert_eq!(frames::with_ce(&[0x60, 0x10, 7]), [0x60, 0x30, 7]);
}

#[test]
fn fields_are_read() {
    let ip = Ip { options: vec![1; 8], ..v4() };
    let parsed = parse(&ip.udp(53, 1234, &[7; 9])).unwrap();
    assert_eq!((parsed.source, parsed.destination), (FAR4.into(), NEAR4.into()));
    assert_eq!((parsed.bytes, parsed.ports, parsed.protocol), (20 + 8 + 8 + 9, (53, 1234), 17));
    assert!(parsed.tcp.is_none());
    let parsed = parse(&v6().udp(0x0102, 0xfffe, &[])).unwrap();
    assert_eq!((parsed.source, parsed.destination), (v6().from, v6().to));
    assert_eq!((parsed.bytes, parsed.ports, parsed.protocol), (40 + 8, (0x0102, 0xfffe), 17));
    for (ip, protocol, header) in [(v4(), 1, 20), (v6(), 58, 40)] {
        let parsed = parse(&ip.echo(&[0; 56])).unwrap();
        assert_eq!((parsed.bytes, parsed.ports, parsed.protocol), (header + 64, (0, 0), protocol));
        let parsed = parse(&ip.around(253, &[0xff; 30])).unwrap();
        assert_eq!((parsed.bytes, parsed.ports, parsed.protocol), (header + 30, (0, 0), 253));
    }
}

/// The packets that the kernel host is tested with.
#[test]
fn keys_are_those_of_the_kernel() {
    let mut seen = 0;
    for line in include_str!("../../../../core/tests/keys.txt").lines().filter(|line| !line.starts_with('#'))
    {
        let [name, key, hex] = line.split(" | ").collect::<Vec<_>>().try_into().expect("three parts");
        let key: Vec<u16> = key.split(' ').map(|n| n.parse().unwrap()).collect();
        let hex: Vec<char> = hex.chars().filter(|c| *c != ' ').collect();
        let byte = |pair: &[char]| u8::from_str_radix(&String::from_iter(pair), 16).unwrap();
        let packet: Vec<u8> = hex.chunks(2).map(byte).collect();
        let told = parse(&packet).expect(name).key();
        assert_eq!([told.protocol.into(), told.dscp.into(), told.sport, told.dport], key[..], "{name}");
        seen += 1;
    }
    assert!(seen > 30);
}

#[test]
fn all_of_a_tcp_header_is_read() {
    let header = TcpHeader {
        from: 0x1234,
        to: 0xfedc,
        seq: 0x8765_4321,
        ack: 0xfedc_ba98,
        flags: 0,
        window: 0xabcd,
        options: vec![1; 12],
    };
    for ip in [v4(), v6(), Ip { options: vec![1; 40], ..v4() }] {
        for flags in 0..=255 {
            let packet = ip.tcp(&TcpHeader { flags, ..header.clone() }, &[9; 33]);
            let parsed = parse(&packet).unwrap();
            let tcp = parsed.tcp.unwrap();
            assert_eq!((parsed.ports, parsed.protocol), ((0x1234, 0xfedc), 6));
            assert_eq!((tcp.seq, tcp.ack, tcp.flags), (0x8765_4321, 0xfedc_ba98, flags));
            assert_eq!((tcp.window, tcp.payload), (0xabcd, 33));
        }
        let pure = parse(&ip.tcp(&header, &[])).unwrap();
        assert_eq!(pure.tcp.unwrap().payload, 0);
    }
}

/// RFC 9293, 3.1, RFC 7323, 2.2, RFC 2018, 3: of a SYN its segment size and window scale, of others how many blocks
/// of a selective acknowledgement. What cannot be read ends the options.
#[test]
fn options_of_tcp_are_read() {
    let mss = [2, 4, 0x05, 0xb4]; // 1460
    let scale = [1, 3, 3, 7];
    let blocks = |n: u8| [vec![1, 1, 5, 2 + 8 * n], vec![n; 8 * usize::from(n)]].concat();
    let stamps = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
    let (syn, ack) = (0x02, 0x10);
    for (flags, options, expected) in [
        (syn, [&mss[..], &scale].concat(), (1460, 7)),
        (syn | ack, [&scale[..], &stamps, &mss].concat(), (1460, 7)),
        (syn, mss.to_vec(), (1460, 0)),
        (syn, scale.to_vec(), (0, 7)),
        (syn, [&mss[..], &blocks(2)].concat(), (1460, 0)),
        (ack, [&mss[..], &scale].concat(), (0, 0)),
        (ack, blocks(1), (0, 1)),
        (ack, blocks(2), (0, 2)),
        (ack, [&stamps[..], &blocks(3)].concat(), (0, 3)),
        (ack, blocks(4), (0, 4)),
        (ack, vec![], (0, 0)),
        (syn, [&mss[..], &[3, 9, 7, 0], &scale].concat(), (1460, 0)),
        (syn, [&[0, 0, 0, 0], &mss[..]].concat(), (0, 0)),
    ] {
        for ip in [v4(), v6()] {
            let tcp =
                parse(&ip.tcp(&TcpHeader { flags, options: options.clone(), ..web() }, &[])).unwrap().tcp;
            let tcp = tcp.expect("a segment");
            assert_eq!((tcp.mss, tcp.option), expected, "flags {flags:#x}, {options:?}");
        }
    }
}

/// Offsets of the TCP header and of the packet's end, for segments that may be edited only.
#[test]
fn a_tcp_segment_is_found_directly_behind_its_ip_header() {
    let header = TcpHeader { options: vec![1; 4], ..web() };
    for (ip, at) in [(v4(), 20), (v6(), 40), (Ip { options: vec![1; 8], ..v4() }, 28)] {
        let mut packet = ip.tcp(&header, &[5; 3]);
        let end = at + 24 + 3;
        assert_eq!(tcp_segment(&packet), Some((at, end)));
        packet.resize(200, 0);
        assert_eq!(tcp_segment(&packet), Some((at, end)), "without what pads it");
        assert_eq!(tcp_segment(&packet[..end - 1]), None, "cut");
        assert_eq!(tcp_segment(&ip.udp(80, 50_000, &[5; 3])), None);
    }
    let mut behind = options_header(6, 8);
    behind.extend(header.write(&[]));
    assert_eq!(tcp_segment(&v6().around(60, &behind)), None);
    for fragment in [frames::MORE_FRAGMENTS, 1] {
        assert_eq!(tcp_segment(&Ip { fragment, ..v4() }.tcp(&header, &[8; 40])), None);
    }
}

/// Frames on other links are padded to 60 bytes: neither length nor payload has it.
#[test]
fn padding_is_no_part_of_a_packet() {
    for (ip, header) in [(v4(), 20), (v6(), 40)] {
        for padding in [1, 6, 100] {
            let mut packet = ip.tcp(&web(), &[5; 3]);
            packet.resize(packet.len() + padding, 0);
            let parsed = parse(&packet).unwrap();
            assert_eq!((parsed.bytes, parsed.tcp.unwrap().payload), (header + 20 + 3, 3));
        }
        let mut nothing = ip.around(59, &[]); // RFC 8200 4.7: no next header
        nothing.resize(200, 0xff);
        assert_eq!(parse(&nothing).unwrap().bytes, header);
    }
}

#[test]
fn ecn_is_two_bits_of_the_octet_in_both_families() {
    for octet in 0..=255u8 {
        for (ip, first) in [(v4(), 0x45), (v6(), 0x60 | octet >> 4), (Ip { label: 0xf_ffff, ..v6() }, 0)] {
            let packet = ip.clone().octet(octet).udp(1, 2, &[3; 4]);
            assert!(first == 0 || packet[0] == first);
            // RFC 3168, 5: 00 is not ECT; 01 and 10 are; 11 is CE, which only such have.
            assert_eq!(parse(&packet).unwrap().ecn, octet % 4 != 0, "octet {octet:#x}");
            // The mark is the packet of the octet with both bits, and nothing else changes.
            let ce = ip.octet(octet | 3).udp(1, 2, &[3; 4]);
            assert_eq!(marked(&packet), ce, "octet {octet:#x}");
            assert_eq!(frames::with_ce(&packet), ce, "octet {octet:#x}");
            assert_eq!(frames::ecn(&ce), 3);
        }
    }
}

/// Checksums take every value: whatever another word of the header is.
#[test]
fn a_mark_keeps_every_checksum_right() {
    for id in 0..=u16::MAX {
        for octet in [1, 2, 3, 0xfe] {
            let packet = Ip { id, options: vec![0xee; 4], ..v4() }.octet(octet).around(17, &[]);
            let ce = marked(&packet);
            assert_eq!(frames::ones_sum(&ce[..24]), 0xffff, "id {id:#x}, octet {octet:#x}");
            assert_eq!(ce[..10], [&packet[..1], &[octet | 3], &packet[2..10]].concat());
            assert_eq!(ce[12..], packet[12..]);
        }
    }
}

/// A sum that is wrong stays wrong by as much: the receiver shall see it.
#[test]
fn a_mark_heals_no_wrong_checksum() {
    for sum in 0..=u16::MAX {
        for octet in [1, 2] {
            let mut packet = v4().octet(octet).around(17, &[]);
            packet[10..12].copy_from_slice(&sum.to_be_bytes());
            assert_eq!(marked(&packet), frames::with_ce(&packet), "sum {sum:#x}");
        }
    }
}

#[test]
fn both_directions_are_one_flow() {
    for ip in [v4(), v6()] {
        let other = TcpHeader { from: 50_000, to: 80, seq: 7, ..web() };
        let key = down(&ip.tcp(&web(), &[1; 100]));
        let up = FlowKey::of(&parse(&back(ip.clone()).tcp(&other, &[])).unwrap(), true);
        assert_eq!((key, key.hash(7)), (up, up.hash(7)));
        assert_eq!((key.near, key.far, key.protocol), ((ip.to, 50_000), (ip.from, 80), 6));
        assert_eq!(down(&ip.echo(&[])), FlowKey::of(&parse(&back(ip).echo(&[])).unwrap(), true));
    }
}

/// Each bit of the five-tuple makes another flow, and so does the key. No two of
/// these hashes are equal (a chance of 1 in 40,000, and the hash draws nothing).
#[test]
fn a_flow_is_all_of_its_tuple() {
    let mut hashes = std::collections::BTreeSet::new();
    let mut n = 0;
    let mut differs = |key: FlowKey, secret: u64| {
        n += 1;
        assert!(hashes.insert(key.hash(secret)), "{key} with key {secret:#x}");
    };
    for base in [down(&v4().tcp(&web(), &[])), down(&v6().tcp(&web(), &[]))] {
        differs(base, 0);
        for bit in 0..64 {
            differs(base, 1 << bit);
        }
        for bit in 0..8 {
            differs(FlowKey { protocol: base.protocol ^ 1 << bit, ..base }, 0);
        }
        for bit in 0..16 {
            differs(FlowKey { near: (base.near.0, base.near.1 ^ 1 << bit), ..base }, 0);
            differs(FlowKey { far: (base.far.0, base.far.1 ^ 1 << bit), ..base }, 0);
        }
        let flipped = |address: IpAddr, bit: usize| -> Option<IpAddr> {
            match address {
                IpAddr::V4(a) => (bit < 32).then(|| (u32::from(a) ^ 1 << bit).to_be_bytes().into()),
                IpAddr::V6(a) => Some((u128::from(a) ^ 1 << bit).to_be_bytes().into()),
            }
        };
        for bit in 0..128 {
            let Some(near) = flipped(base.near.0, bit) else { break };
            differs(FlowKey { near: (near, base.near.1), ..base }, 0);
            let far = flipped(base.far.0, bit).expect("of one family");
            differs(FlowKey { far: (far, base.far.1), ..base }, 0);
        }
        // The ends are told apart, and a port belongs to its address.
        differs(FlowKey { near: base.far, far: base.near, ..base }, 0);
        differs(FlowKey { near: (base.near.0, 80), far: (base.far.0, 50_000), ..base }, 0);
    }
    assert_eq!(n, hashes.len());
}

/// TCP and UDP between equal ports of equal addresses.
#[test]
fn the_protocol_tells_flows_apart() {
    for ip in [v4(), v6()] {
        let tcp = down(&ip.tcp(&web(), &[]));
        let udp = down(&ip.udp(80, 50_000, &[]));
        assert_eq!((tcp.near, tcp.far), (udp.near, udp.far));
        assert_ne!(tcp, udp);
        assert_ne!(tcp.hash(1), udp.hash(1));
    }
}

/// RFC 791, 3.2: of three fragments only the first has the UDP header, so none
/// shows it: they are one flow. RFC 8200, 4.5 likewise.
#[test]
fn fragments_are_one_flow_without_ports() {
    let datagram = frames::udp(53, 1234, &[0xff; 40]); // 48 bytes: 16, 16, 16
    let mut keys = Vec::new();
    for (offset, more) in [(0, true), (2, true), (4, false)] {
        let part = &datagram[usize::from(offset) * 8..][..16];
        let flags = if more { frames::MORE_FRAGMENTS } else { 0 };
        let packet = Ip { fragment: flags | offset, ..v4() }.around(17, part);
        let parsed = parse(&packet).unwrap();
        assert_eq!((parsed.ports, parsed.protocol, parsed.bytes), ((0, 0), 17, 36));
        keys.push(FlowKey::of(&parsed, false));
        let mut payload = fragment_header(17, offset, more).to_vec();
        payload.extend(part);
        // Behind a routing header, as it may be: RFC 8200, 4.1.
        let mut behind = options_header(frames::FRAGMENT, 24);
        behind.extend(&payload);
        for (next, payload) in [(frames::FRAGMENT, payload), (43, behind)] {
            let packet = v6().octet(2).around(next, &payload);
            let parsed = parse(&packet).unwrap();
            assert_eq!((parsed.ports, parsed.protocol), ((0, 0), 17));
            assert_eq!((parsed.bytes as usize, parsed.ecn), (packet.len(), true));
            keys.push(FlowKey::of(&parsed, false));
        }
    }
    assert!(keys.iter().step_by(3).all(|key| *key == keys[0]), "{keys:?}");
    assert!((0..9).filter(|i| i % 3 != 0).all(|i| keys[i] == keys[1]), "{keys:?}");
    // A TCP segment's, too: no header of it is made up from what its bytes are.
    for fragment in [frames::MORE_FRAGMENTS, 1, 0x1fff, frames::MORE_FRAGMENTS | 1] {
        let parsed = parse(&Ip { fragment, ..v4() }.tcp(&web(), &[8; 40])).unwrap();
        assert!(parsed.tcp.is_none() && parsed.ports == (0, 0) && parsed.protocol == 6);
    }
    // None of the other flag bits makes a fragment.
    for fragment in [frames::DONT_FRAGMENT, 0x8000] {
        assert!(parse(&Ip { fragment, ..v4() }.tcp(&web(), &[8; 40])).unwrap().tcp.is_some());
    }
    // RFC 6946: a fragment that is the whole packet has all of it to see.
    let mut whole = fragment_header(6, 0, false).to_vec();
    whole.extend(web().write(&[1; 5]));
    let parsed = parse(&v6().around(frames::FRAGMENT, &whole)).unwrap();
    assert_eq!((parsed.ports, parsed.tcp.unwrap().payload), ((80, 50_000), 5));
}

/// Headers that are themselves cut into fragments are in the first one only: the
/// others' bytes are data, whatever they look like.
#[test]
fn a_fragments_bytes_are_not_taken_for_headers() {
    for next in [60, 43, 51, 44, 0] {
        let mut middle = fragment_header(next, 4, true).to_vec();
        middle.extend([0xff; 16]);
        let parsed = parse(&v6().around(frames::FRAGMENT, &middle)).unwrap();
        assert_eq!((parsed.protocol, parsed.ports, parsed.bytes), (next, (0, 0), 64));
    }
    let parsed = parse(&Ip { fragment: 2, ..v4() }.around(51, &[0xff; 16])).unwrap();
    assert_eq!((parsed.protocol, parsed.bytes), (51, 36));
}

#[test]
fn ports_are_found_behind_every_extension_header() {
    let udp = frames::udp(53, 1234, &[1, 2]);
    // Hop-by-hop, destination options, routing, destination options (RFC 8200, 4.1).
    let sizes = [8, 16, 24, 2040 - 8 * 150];
    let nexts = [60, 43, 60, 17];
    let mut payload = Vec::new();
    for (bytes, next) in sizes.into_iter().zip(nexts) {
        payload.extend(options_header(next, bytes));
    }
    payload.extend(&udp);
    let packet = v6().octet(1).around(0, &payload);
    let parsed = parse(&packet).unwrap();
    assert_eq!((parsed.ports, parsed.protocol, parsed.ecn), ((53, 1234), 17, true));
    assert_eq!(parsed.bytes as usize, packet.len());
    // An authentication header counts words of 4 bytes, less 2 (RFC 4302, 2.2).
    let mut payload = vec![17, 4, 0, 0];
    payload.extend([0xaa; 20]);
    payload.extend(&udp);
    for ip in [v4(), v6()] {
        let parsed = parse(&ip.around(51, &payload)).unwrap();
        assert_eq!((parsed.ports, parsed.protocol), ((53, 1234), 17));
    }
    // In IPv4 the others are protocols like any other.
    for protocol in [0, 43, 44, 60] {
        let parsed = parse(&v4().around(protocol, &[0xff; 12])).unwrap();
        assert_eq!((parsed.protocol, parsed.ports), (protocol, (0, 0)));
    }
}

/// Cut anywhere, a packet is refused: its header says that there is more. With a
/// header that says so, only data may be missing: of TCP's, whose header has no
/// length of it.
#[test]
fn truncated_packets_are_refused() {
    let segment = TcpHeader { options: vec![1; 8], ..web() }.write(&[7; 9]);
    let datagram = frames::udp(1, 2, &[7; 9]);
    let mut extended = options_header(frames::FRAGMENT, 16);
    extended.extend(fragment_header(6, 0, false));
    extended.extend(&segment);
    let mut authenticated = vec![17, 4, 0, 0];
    authenticated.extend([0; 20]);
    authenticated.extend(&datagram);
    let packets = [
        (Ip { options: vec![1; 12], ..v4() }.around(6, &segment), 9),
        (v4().around(17, &datagram), 0),
        (v4().around(51, &authenticated), 0),
        (v6().around(0, &extended), 9),
        (v6().around(17, &datagram), 0),
    ];
    for (packet, data) in packets {
        assert!(parse(&packet).is_ok());
        for cut in 0..packet.len() {
            assert_eq!(parse(&packet[..cut]).unwrap_err(), Refusal::Malformed, "{packet:?} cut to {cut}");
            let (at, header) = if packet[0] >> 4 == 4 { (2, 0) } else { (4, 40) };
            let Some(length) = cut.checked_sub(header) else { continue };
            let mut short = packet.clone();
            short[at..at + 2].copy_from_slice(&(length as u16).to_be_bytes());
            match parse(&short) {
                Ok(parsed) => {
                    assert!(cut >= packet.len() - data, "{packet:?} cut to {cut}");
                    assert_eq!(parsed.bytes as usize, cut);
                }
                Err(refusal) => {
                    assert!(cut < packet.len() - data, "{packet:?} cut to {cut}");
                    assert_eq!(refusal, Refusal::Malformed);
                }
            }
        }
    }
}

#[test]
fn refusals_say_why() {
    let group = |ip: Ip, to: &str| Ip { to: to.parse().unwrap(), ..ip }.udp(1, 2, &[]);
    let mut version = v4().udp(1, 2, &[]);
    version[0] = 0x55;
    let mut words = v4().udp(1, 2, &[]);
    words[0] = 0x44; // four words: less than a header
    let cases = [
        (vec![], Refusal::Malformed),
        (vec![0x45; 19], Refusal::Malformed),
        (vec![0x60; 39], Refusal::Malformed),
        (version, Refusal::Malformed),
        (words, Refusal::Malformed),
        (vec![0x45; MTU + 1], Refusal::TooLong),
        (group(v4(), "224.0.0.5"), Refusal::Multicast),
        (group(v4(), "239.255.255.250"), Refusal::Multicast),
        (group(v4(), "255.255.255.255"), Refusal::Multicast),
        (group(v6(), "ff02::fb"), Refusal::Multicast),
    ];
    for (bytes, refusal) in cases {
        assert_eq!(parse(&bytes).unwrap_err(), refusal, "{bytes:?}");
    }
    // Next to the groups.
    for ip in ["223.255.255.255", "240.0.0.0", "255.255.255.254"] {
        assert!(parse(&group(v4(), ip)).is_ok(), "{ip}");
    }
    assert!(parse(&group(v6(), "fe80::1")).is_ok());
    let names: Vec<_> = Refusal::ALL.into_iter().map(Refusal::name).collect();
    assert_eq!(names, ["malformed", "multicast", "no_route", "too_long"]);
    assert!(Refusal::ALL.is_sorted());
}

#[test]
fn a_packet_of_the_mtu_is_whole() {
    for (ip, header) in [(v4(), 20), (v6(), 40)] {
        let packet = ip.octet(2).udp(1, 2, &vec![6; 1500 - header - 8]);
        assert_eq!(packet.len(), 1500);
        assert_eq!(parse(&packet).unwrap().bytes, 1500);
        assert_eq!(marked(&packet), frames::with_ce(&packet));
    }
}

#[test]
fn a_flow_is_told_by_protocol_and_both_ends() {
    let told = |packet: &[u8]| down(packet).to_string();
    assert_eq!(told(&v4().tcp(&web(), &[])), "tcp 10.0.0.1:50000 198.18.0.1:80");
    assert_eq!(told(&v6().udp(53, 1234, &[])), "udp [fd00:a1b:1::1]:1234 [fd00:a1b:2::1]:53");
    assert_eq!(told(&v4().echo(&[])), "icmp 10.0.0.1 198.18.0.1");
    assert_eq!(told(&v6().echo(&[])), "icmp fd00:a1b:1::1 fd00:a1b:2::1");
    assert_eq!(told(&v4().around(253, &[])), "ip-253 10.0.0.1 198.18.0.1");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any bytes, and damaged packets, are looked at without a panic, and
    /// what is understood lies within the bytes, where the header says.
    #[test]
    fn any_bytes_are_taken(
        noise in proptest::collection::vec(any::<u8>(), 0..120),
        six in any::<bool>(),
        damage in proptest::collection::vec((0usize..120, any::<u8>()), 0..6),
        cut in 0usize..160,
    ) {
        let _ = parse(&noise);
        let ip = if six { v6() } else { v4() };
        let mut bytes = ip.octet(1).tcp(&web(), &[1; 60]);
        for (at, value) in damage {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        bytes.truncate(cut);
        if let Ok(parsed) = parse(&bytes) {
            prop_assert_eq!(Some(parsed.bytes as usize), frames::length(&bytes));
            prop_assert_eq!(parsed.ecn, frames::ecn(&bytes) != 0);
            let ce = marked(&bytes);
            prop_assert!(parse(&ce).is_ok_and(|p| p.ecn && p.bytes == parsed.bytes));
            if parsed.ecn && frames::ecn(&bytes) != 3 {
                prop_assert_eq!(ce, frames::with_ce(&bytes));
            }
        }
    }
}
