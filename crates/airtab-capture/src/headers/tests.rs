// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames written byte by byte.

use super::*;
use crate::unread::UnreadCounts;

const MACS: [u8; 12] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];

/// An IPv4 header of DSCP 46 and ECN bits 1, with `options` bytes of options and a `payload`.
fn ipv4(protocol: u8, offset: u16, options: usize, total: u16, payload: &[u8]) -> Vec<u8> {
    let mut header = vec![0x45 + (options / 4) as u8, 46 << 2 | 1];
    header.extend(total.to_be_bytes());
    header.extend([0, 9]);
    header.extend(offset.to_be_bytes());
    header.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    header.extend(vec![1; options]);
    [&header[..], payload].concat()
}

/// An IPv6 header of DSCP 10 with the ECN bits 2.
fn ipv6(next: u8, length: u16, payload: &[u8]) -> Vec<u8> {
    let mut header = vec![0x60 | 10 >> 2, (10 << 6) as u8 | 2 << 4, 0, 5];
    header.extend(length.to_be_bytes());
    header.extend([next, 64]);
    header.extend([&[0xfd][..], &[0; 14], &[1], &[0xfd], &[0; 14], &[2]].concat());
    [&header[..], payload].concat()
}

/// 4660 to 80, sequence number 0x8123_4567, header of `words` words, then `data` bytes.
fn tcp(words: u8, flags: u8, data: usize) -> Vec<u8> {
    let mut header =
        vec![0x12, 0x34, 0, 80, 0x81, 0x23, 0x45, 0x67, 9, 9, 9, 9, words << 4, flags, 0, 9, 0, 0, 0, 0];
    header.extend(vec![0; usize::from(words) * 4 - 20 + data]);
    header
}

fn ethernet(kind: &[u8], payload: &[u8]) -> Vec<u8> {
    [&MACS[..], kind, payload].concat()
}

fn headers(link: DataLink, bytes: &[u8], length: usize) -> Headers {
    let length = length as u32;
    Headers::of(&Packet { number: 1, at_ns: Some(0), length, bytes, link, interface: None })
}

const V4: [IpAddr; 2] =
    [IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)), IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2))];
const V6: [IpAddr; 2] = [
    IpAddr::V6(std::net::Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1)),
    IpAddr::V6(std::net::Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 2)),
];

/// Link headers of each type precede one segment with options of IPv4 and TCP.
#[test]
fn each_link_header_leads_to_the_same_segment() {
    // 20 + 8 of IPv4, 24 of TCP, 100 of data.
    let packet = ipv4(6, 0, 8, 152, &tcp(6, 0x10, 100));
    let cooked = |link: &[u8]| [link, &packet].concat();
    let cooked_1 = [&[0, 0, 0, 1, 0, 6][..], &[2, 0, 0, 0, 0, 1, 0, 0], &[8, 0]].concat();
    let cooked_2 = [&[8, 0, 0, 0][..], &[0, 0, 0, 3, 0, 1, 0, 6], &[2, 0, 0, 0, 0, 1, 0, 0]].concat();
    for (link, bytes) in [
        (DataLink::ETHERNET, ethernet(&[8, 0], &packet)),
        (DataLink::ETHERNET, ethernet(&[0x81, 0, 0, 7, 8, 0], &packet)),
        // QinQ, a PPPoE session, and one behind a tag whose protocol is compressed to a byte.
        (DataLink::ETHERNET, ethernet(&[0x88, 0xa8, 0, 9, 0x81, 0, 0, 7, 8, 0], &packet)),
        (DataLink::ETHERNET, ethernet(&[0x88, 0x64, 0x11, 0, 0, 5, 0, 154, 0, 0x21], &packet)),
        (DataLink::ETHERNET, ethernet(&[0x81, 0, 0, 7, 0x88, 0x64, 0x11, 0, 0, 5, 0, 153, 0x21], &packet)),
        (DataLink::NULL, cooked(&[2, 0, 0, 0])),
        (DataLink::NULL, cooked(&[0, 0, 0, 2])),
        (DataLink::LOOP, cooked(&[0, 0, 0, 2])),
        (DataLink::Unknown(12), packet.clone()),
        (DataLink::Unknown(14), packet.clone()),
        (DataLink::RAW, packet.clone()),
        (DataLink::IPV4, packet.clone()),
        (DataLink::LINUX_SLL, cooked(&cooked_1)),
        (DataLink::LINUX_SLL2, cooked(&cooked_2)),
    ] {
        let got = headers(link, &bytes, bytes.len());
        let key = Key { protocol: Some(6), ports: Some((4660, 80)), dscp: Some(46) };
        let mapped = |last| [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last];
        let flow = Flow { addresses: [mapped(1), mapped(2)], ports: (4660, 80) };
        let segment = Segment { flow, sequence: 0x8123_4567, syn: false, payload: 100 };
        let ip = Some(Ip { addresses: V4, bytes: 152 });
        assert_eq!(got, Headers { ip, key, segment: Some(segment), unread: None }, "{link:?}");
    }
}

/// Lengths are those of the packet, also where the capture keeps the first bytes only, where a frame is padded, and where
/// a card is to fill in the length (0).
#[test]
fn lengths_are_those_of_the_packet() {
    let figures = |bytes: &[u8], length: usize| {
        let got = headers(DataLink::ETHERNET, bytes, length);
        (got.ip.map(|ip| ip.bytes), got.segment.map(|segment| segment.payload))
    };
    let v4 = |total, data| ethernet(&[8, 0], &ipv4(6, 0, 0, total, &tcp(5, 0x10, data)));
    let v6 = |length, data| ethernet(&[0x86, 0xdd], &ipv6(6, length, &tcp(5, 0x10, data)));
    let whole = v4(340, 300);
    assert_eq!(figures(&whole, whole.len()), (Some(340), Some(300)));
    // 14 of Ethernet, 20 of IPv4, 14 of TCP: the flags are the last byte that is there.
    for kept in [48, 54, 60, 353] {
        assert_eq!(figures(&whole[..kept], whole.len()), (Some(340), Some(300)), "{kept}");
    }
    assert_eq!(figures(&whole[..47], whole.len()), (Some(340), None), "no flags");
    let padded = [&v4(40, 0)[..], &[0; 6]].concat();
    assert_eq!(figures(&padded, 60), (Some(40), Some(0)));
    let long = v4(0, 300);
    assert_eq!(figures(&long, long.len()).0, Some(340));
    assert_eq!(figures(&long[..100], long.len()).0, Some(340));
    let whole = v6(320, 300);
    assert_eq!(figures(&whole, whole.len()), (Some(360), Some(300)));
    assert_eq!(figures(&whole[..80], whole.len()), (Some(360), Some(300)));
    let long = v6(0, 300);
    assert_eq!(figures(&long, long.len()).0, Some(360));
}

/// Ports are of TCP and UDP, of first fragments alone; a SYN is the second flag.
#[test]
fn each_protocol_has_its_key() {
    let v4 = |protocol, offset, payload: &[u8]| {
        headers(
            DataLink::RAW,
            &ipv4(protocol, offset, 0, 20 + payload.len() as u16, payload),
            20 + payload.len(),
        )
    };
    let udp = [0x13, 0x88, 0, 53, 0, 12, 0, 0, 1, 2, 3, 4];
    let got = v4(17, 0, &udp);
    let key = |protocol, ports| Key { protocol: Some(protocol), ports, dscp: Some(46) };
    assert_eq!((got.key, got.segment), (key(17, Some((5000, 53))), None));
    assert_eq!(v4(1, 0, &[8, 0, 1, 2, 3, 4, 5, 6]).key, key(1, None), "ICMP");
    // 0x2000: more fragments follow; 185: 1480 bytes before it.
    assert_eq!(v4(17, 0x2000, &udp).key, key(17, Some((5000, 53))));
    for offset in [1, 0x2000 | 185, 185] {
        let got = v4(6, offset, &tcp(5, 0x02, 9));
        assert_eq!((got.key, got.segment), (key(6, None), None));
        assert_eq!(got.ip.map(|ip| ip.bytes), Some(49));
    }
    for (flags, syn) in [(0x02, true), (0x12, true), (0x11, false), (0x04, false), (0xfd, false)] {
        assert_eq!(v4(6, 0, &tcp(5, flags, 0)).segment.map(|segment| segment.syn), Some(syn), "{flags:#x}");
    }
    let bytes = ipv6(17, 12, &udp);
    let got = headers(DataLink::IPV6, &bytes, bytes.len());
    assert_eq!(got.key, Key { protocol: Some(17), ports: Some((5000, 53)), dscp: Some(10) });
    assert_eq!(got.ip, Some(Ip { addresses: V6, bytes: 52 }));
    let bytes = ipv6(6, 20, &tcp(5, 0x02, 0));
    let flow = headers(DataLink::IPV6, &bytes, bytes.len()).segment.expect("TCP").flow;
    assert_eq!((flow.addresses[0][0], flow.addresses[0][15], flow.addresses[1][15]), (0xfd, 1, 2));
    let arp = ethernet(
        &[8, 6],
        &[0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 2, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2],
    );
    assert_eq!(headers(DataLink::ETHERNET, &arp, 42), Headers::default());
    for link in [DataLink::ETHERNET, DataLink::RAW, DataLink::LINUX_SLL, DataLink::LINUX_SLL2, DataLink::NULL]
    {
        let cut = Headers { unread: Some(Unread::Damaged), ..Headers::default() };
        assert_eq!((headers(link, &[0x45], 1), headers(link, &[], 0)), (cut, cut), "{link:?}");
    }
}

/// IPv6 in a PPPoE session and behind each number of its address family on loopback links.
#[test]
fn ipv6_in_sessions_and_on_loopback_links() {
    let packet = ipv6(17, 12, &[0x13, 0x88, 0, 53, 0, 12, 0, 0, 1, 2, 3, 4]);
    let session = ethernet(&[0x88, 0x64, 0x11, 0, 0, 5, 0, 54, 0, 0x57], &packet);
    let mut frames = vec![(DataLink::ETHERNET, session)];
    for family in [10u32, 23, 24, 28, 30] {
        for bytes in [family.to_be_bytes(), family.to_le_bytes()] {
            frames.push((DataLink::NULL, [&bytes[..], &packet].concat()));
        }
    }
    for (link, frame) in frames {
        let got = headers(link, &frame, frame.len());
        assert_eq!(
            (got.key.ports, got.ip),
            (Some((5000, 53)), Some(Ip { addresses: V6, bytes: 52 })),
            "{link:?}"
        );
    }
    // AppleTalk on a loopback link has no IP packet.
    assert_eq!(headers(DataLink::NULL, &[16, 0, 0, 0, 0x45, 0], 6), Headers::default());
}

/// Encapsulations that are not decoded are named; frames without IP are not.
#[test]
fn frames_that_are_not_decoded_are_counted() {
    let packet = ipv4(17, 0, 0, 40, &[0; 20]);
    let behind = |kind: &[u8]| ethernet(kind, &packet);
    let udp = |port: u16| {
        let [high, low] = port.to_be_bytes();
        ipv4(17, 0, 0, 40, &[0x13, 0x88, high, low, 0, 20, 0, 0, 8, 0, 0, 0, 0, 0, 7, 0, 1, 2, 3, 4])
    };
    let link = DataLink::ETHERNET;
    let unread = [
        (link, behind(&[0x88, 0x47, 0, 1, 0x41, 64]), Some(Unread::Mpls), false),
        (link, behind(&[0x88, 0x48, 0, 1, 0x41, 64]), Some(Unread::Mpls), false),
        (link, behind(&[[0x81, 0, 0, 7].repeat(4), vec![8, 0]].concat()), Some(Unread::Tags), false),
        (link, behind(&[0x88, 0xb5]), Some(Unread::EtherType(0x88b5)), false),
        (link, behind(&[0x88, 0x64, 0x11, 0, 0, 5, 0, 42, 0, 0x2d]), Some(Unread::Ppp(0x2d)), false),
        (link, ethernet(&[8, 0], &[0x65; 20]), Some(Unread::Damaged), false),
        (link, ethernet(&[0x88, 0x64], &[0x11, 0, 0, 5, 0, 1, 0]), Some(Unread::Damaged), false),
        (DataLink::RAW, udp(4789), Some(Unread::Vxlan), true),
        (DataLink::RAW, udp(8472), Some(Unread::Vxlan), true),
        (DataLink::RAW, ipv4(47, 0, 0, 40, &[0; 20]), Some(Unread::Gre), true),
        (DataLink::RAW, ipv4(4, 0, 0, 40, &packet[..20]), Some(Unread::IpInIp), true),
        (DataLink::RAW, ipv4(41, 0, 0, 40, &packet[..20]), Some(Unread::IpInIp), true),
        // Discovery and LCP of PPPoE, LLDP, EAPOL, an 802.3 frame, UDP to another port.
        (link, behind(&[0x88, 0x63]), None, false),
        (link, behind(&[0x88, 0xcc]), None, false),
        (link, behind(&[0x88, 0x8e]), None, false),
        (link, behind(&[0x88, 0x64, 0x11, 0, 0, 5, 0, 42, 0xc0, 0x21]), None, false),
        (link, behind(&[0, 38]), None, false),
        (DataLink::RAW, udp(4788), None, true),
    ];
    let mut counts = UnreadCounts::default();
    for (link, frame, expected, ip) in &unread {
        let got = headers(*link, frame, frame.len());
        assert_eq!((got.unread, got.ip.is_some()), (*expected, *ip), "{frame:02x?}");
        counts.add(&got);
    }
    assert_eq!(
        counts.words(),
        [
            "7 frames are not decoded (MPLS 2, cut or damaged IP header 2, more than 3 VLAN tags 1, ethertype 0x88b5 1, \
             PPP protocol 0x002d 1)",
            "5 frames are of tunnels, of which only the outer headers are read (VXLAN 2, IP in IP 2, GRE 1)"
        ]
    );
    assert_eq!(counts.iter().map(|(_, frames)| frames).sum::<u64>(), 12);
    assert!(UnreadCounts::default().words().is_empty());
    let mut many = UnreadCounts::default();
    for kind in 0x1000..0x1010u16 {
        (0..kind - 0xfff)
            .for_each(|_| many.add(&Headers { unread: Some(Unread::EtherType(kind)), ..Headers::default() }));
    }
    let named: Vec<String> = (12..=16).rev().map(|n| format!("ethertype {:#06x} {n}", 0xfff + n)).collect();
    assert_eq!(many.words(), [format!("136 frames are not decoded ({}, 11 others)", named.join(", "))]);
}

#[test]
fn ten_link_types_are_read() {
    use DataLink::{ETHERNET, IEEE802_11, IPV4, IPV6, LINUX_SLL, LINUX_SLL2, LOOP, NULL, PPP, RAW, Unknown};
    let known = [ETHERNET, IPV4, IPV6, LINUX_SLL, LINUX_SLL2, LOOP, NULL, RAW, Unknown(12), Unknown(14)];
    assert!(known.into_iter().all(knows));
    assert!(![IEEE802_11, PPP, Unknown(13)].into_iter().any(knows));
}
