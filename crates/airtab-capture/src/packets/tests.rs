// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures written byte by byte, in both byte orders.

mod foreign;

use super::*;

/// A packet as [`read`] returns it.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    number: u64,
    at_ns: u64,
    length: u32,
    bytes: Vec<u8>,
    link: DataLink,
    interface: Option<Interface>,
}

/// A file that gives a byte at a time, as a pipe may.
struct Slow(io::Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(1);
        self.0.read(&mut into[..most])
    }
}

/// The first `most` packets of a file, and how it ends. Packets without a time stamp have the largest.
fn read(file: &[u8], most: usize) -> (Vec<Seen>, Result<End, CaptureError>) {
    let mut seen = Vec::new();
    let mut open = || Ok(Box::new(Slow(io::Cursor::new(file.to_vec()))) as Box<dyn Read>);
    let done = packets(&mut open, &|link| link != DataLink::IEEE802_11, &mut |packet| {
        seen.push(Seen {
            number: packet.number,
            at_ns: packet.at_ns.unwrap_or(u64::MAX),
            length: packet.length,
            bytes: packet.bytes.to_vec(),
            link: packet.link,
            interface: packet.interface.cloned(),
        });
        Ok::<_, CaptureError>(match seen.len() < most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    });
    (seen, done)
}

/// Writes numbers in one byte order.
struct Order {
    big: bool,
}

impl Order {
    fn u16(&self, n: u16) -> Vec<u8> {
        (if self.big { n.to_be_bytes() } else { n.to_le_bytes() }).to_vec()
    }

    fn u32(&self, n: u32) -> Vec<u8> {
        (if self.big { n.to_be_bytes() } else { n.to_le_bytes() }).to_vec()
    }

    fn u64(&self, n: u64) -> Vec<u8> {
        (if self.big { n.to_be_bytes() } else { n.to_le_bytes() }).to_vec()
    }

    fn block(&self, kind: u32, body: &[u8]) -> Vec<u8> {
        let body = [body, &vec![0; body.len().next_multiple_of(4) - body.len()]].concat();
        let length = self.u32(12 + body.len() as u32);
        [self.u32(kind), length.clone(), body, length].concat()
    }

    fn section(&self) -> Vec<u8> {
        let body = [self.u32(0x1a2b_3c4d), self.u16(1), self.u16(0), self.u64(u64::MAX)].concat();
        self.block(0x0a0d_0d0a, &body)
    }

    fn option(&self, code: u16, value: &[u8]) -> Vec<u8> {
        let padding = vec![0; value.len().next_multiple_of(4) - value.len()];
        [self.u16(code), self.u16(value.len() as u16), value.to_vec(), padding].concat()
    }

    fn interface(&self, link: u16, options: &[(u16, &[u8])]) -> Vec<u8> {
        let options: Vec<u8> =
            options.iter().flat_map(|(code, value)| self.option(*code, value)).chain([0; 4]).collect();
        self.block(1, &[self.u16(link), self.u16(0), self.u32(0), options].concat())
    }

    fn packet(&self, interface: u32, ticks: u64, length: u32, bytes: &[u8]) -> Vec<u8> {
        let stamp = [self.u32((ticks >> 32) as u32), self.u32(ticks as u32)].concat();
        let body = [self.u32(interface), stamp, self.u32(bytes.len() as u32), self.u32(length)].concat();
        self.block(6, &[&body[..], bytes].concat())
    }

    fn pcap(&self, magic: u32, link: u32) -> Vec<u8> {
        let zone = [self.u32(0), self.u32(0)].concat();
        [self.u32(magic), self.u16(2), self.u16(4), zone, self.u32(65_535), self.u32(link)].concat()
    }

    fn record(&self, stamp: (u32, u32), length: u32, bytes: &[u8]) -> Vec<u8> {
        let lengths = [self.u32(bytes.len() as u32), self.u32(length)].concat();
        [self.u32(stamp.0), self.u32(stamp.1), lengths, bytes.to_vec()].concat()
    }
}

const LITTLE: Order = Order { big: false };
const BIG: Order = Order { big: true };

/// Resolution, offset and address belong to the interface of each packet, and interfaces to their section. Frame
/// numbers run on.
#[test]
fn each_section_has_interfaces_of_its_own() {
    let (name, address): (&[u8], &[u8]) = (b"wlan0", &[2, 0, 0, 0, 0, 7]);
    let offset = LITTLE.u64(5);
    let early = LITTLE.u64((-3i64).cast_unsigned());
    let file = [
        LITTLE.section(),
        LITTLE.interface(1, &[]),
        LITTLE.interface(101, &[(2, name), (6, address), (9, &[9])]),
        LITTLE.interface(113, &[(2, name), (9, &[0x8a]), (14, &offset)]),
        LITTLE.packet(0, 3_000_007, 60, &[1, 2, 3]),
        LITTLE.packet(1, 3_000_007, 3, &[4, 5, 6]),
        LITTLE.packet(2, 3 * 1024 + 256, 9, &[7]),
        LITTLE.interface(1, &[(9, &[3]), (14, &early)]),
        LITTLE.packet(3, 4_001, 8, &[8]),
        LITTLE.packet(3, 2_000, 8, &[8]),
        // The resolution of the first interface is not that of the interface with the same number before.
        BIG.section(),
        BIG.interface(101, &[(9, &[9])]),
        BIG.packet(0, (1 << 32) + 5, 1, &[9]),
        BIG.packet(1, 0, 1, &[9]),
    ]
    .concat();
    let seen = |number, at_ns, length, bytes: &[u8], link| Seen {
        number,
        at_ns,
        length,
        bytes: bytes.into(),
        link,
        interface: Some(Interface::default()),
    };
    let named = Interface { name: Some("wlan0".into()), ..Interface::default() };
    let with_address = Interface { address: Some([2, 0, 0, 0, 0, 7]), ..named.clone() };
    let (packets, end) = read(&file, usize::MAX);
    assert_eq!(
        packets,
        [
            seen(1, 3_000_007_000, 60, &[1, 2, 3], DataLink::ETHERNET),
            Seen { interface: Some(with_address), ..seen(2, 3_000_007, 3, &[4, 5, 6], DataLink::RAW) },
            // 3.25 s and the offset.
            Seen { interface: Some(named), ..seen(3, 8_250_000_000, 9, &[7], DataLink::LINUX_SLL) },
            seen(4, 1_001_000_000, 8, &[8], DataLink::ETHERNET),
            // A second before 1970.
            seen(5, 0, 8, &[8], DataLink::ETHERNET),
            seen(6, 4_294_967_301, 1, &[9], DataLink::RAW),
        ]
    );
    let error = end.expect_err("the second section has one interface").to_string();
    assert!(error.starts_with("it is broken at frame 7: interface 1 of 1."), "{error}");
}

/// Finest resolutions that 64 bits can hold, and the first ones that they cannot.
#[test]
fn a_resolution_beyond_64_bits_is_refused() {
    for (resolution, ns) in [
        (0, Ok(7_000_000_000)),
        (19, Ok(0)),
        (0x80, Ok(7_000_000_000)),
        (0xbf, Ok(0)),
        (20, Err(())),
        (0xc0, Err(())),
    ] {
        let file =
            [LITTLE.section(), LITTLE.interface(1, &[(9, &[resolution])]), LITTLE.packet(0, 7, 1, &[1])]
                .concat();
        let (packets, end) = read(&file, usize::MAX);
        match ns {
            Ok(ns) => assert_eq!((packets[0].at_ns, end.ok()), (ns, Some(End::Whole)), "{resolution:#x}"),
            Err(()) => {
                let said = end.expect_err("refused").to_string();
                assert!(said.contains("(if_tsresol)"), "{resolution:#x}: {said}")
            }
        }
    }
}

/// Microseconds and nanoseconds, both byte orders, a packet longer than the file keeps of it.
#[test]
fn each_kind_of_pcap_has_its_stamps_and_lengths() {
    for (order, magic, ns) in [
        (LITTLE, 0xa1b2_c3d4, 5_000_017_000),
        (BIG, 0xa1b2_c3d4, 5_000_017_000),
        (LITTLE, 0xa1b2_3c4d, 5_000_000_017),
        (BIG, 0xa1b2_3c4d, 5_000_000_017),
    ] {
        let file = [
            order.pcap(magic, 113),
            order.record((5, 17), 1500, &[1, 2]),
            order.record((4_000_000_000, 0), 3, &[3, 4, 5]),
        ]
        .concat();
        let (packets, end) = read(&file, usize::MAX);
        assert_eq!(end.ok(), Some(End::Whole));
        let figures: Vec<_> =
            packets.iter().map(|p| (p.number, p.at_ns, p.length, p.bytes.as_slice(), p.link)).collect();
        let link = DataLink::LINUX_SLL;
        let last: (u64, u64, u32, &[u8], DataLink) = (2, 4_000_000_000_000_000_000, 3, &[3, 4, 5], link);
        assert_eq!(figures, [(1, ns, 1500, &[1, 2][..], link), last]);
    }
}

/// The reader ends a file where it has enough.
#[test]
fn reading_ends_where_the_reader_has_enough() {
    let pcap =
        [BIG.pcap(0xa1b2_c3d4, 1), BIG.record((1, 0), 1, &[1]), BIG.record((2, 0), 1, &[2]), vec![7; 5]];
    let ng = [
        BIG.section(),
        BIG.interface(1, &[]),
        BIG.packet(0, 1, 1, &[1]),
        BIG.packet(0, 2, 1, &[2]),
        vec![7; 5],
    ];
    for file in [pcap.concat(), ng.concat()] {
        for most in [1, 2] {
            let (packets, end) = read(&file, most);
            assert_eq!((packets.len(), end.ok()), (most, Some(End::Whole)));
        }
        let (packets, end) = read(&file, usize::MAX);
        assert_eq!(packets.len(), 2);
        assert_eq!(end.ok(), Some(End::Cut { offset: file.len() as u64 - 5, frames: 2 }));
    }
}

/// Errors name the reason, of the first packet that cannot be read.
#[test]
fn each_unreadable_file_has_its_reason() {
    let wifi = [BIG.section(), BIG.interface(105, &[]), BIG.packet(0, 1, 1, &[1])].concat();
    let unused =
        [BIG.section(), BIG.interface(105, &[]), BIG.interface(1, &[]), BIG.packet(1, 1, 1, &[1])].concat();
    for (file, words) in [
        (vec![], "it is empty"),
        (vec![0xa1, 0xb2, 0xc3], "it is no pcap or pcapng file (it begins with [a1, b2, c3, 00])"),
        (b"GIF89a".to_vec(), "it is no pcap or pcapng file (it begins with [47, 49, 46, 38])"),
        (wifi, "its link type is IEEE802_11"),
        (LITTLE.pcap(0xa1b2_c3d4, 105), "its link type is IEEE802_11"),
        ([BIG.section(), BIG.packet(0, 1, 1, &[1])].concat(), "it is broken at frame 1: interface 0 of 0"),
    ] {
        let error = read(&file, usize::MAX).1.expect_err(words).to_string();
        assert!(error.starts_with(words), "{error}");
    }
    // An interface without packets may be of any kind.
    assert_eq!(read(&unused, usize::MAX).0.len(), 1);
    let mut closed = || Err::<Box<dyn Read>, _>(io::Error::other("closed"));
    let error = packets(&mut closed, &|_| true, &mut |_| Ok::<_, CaptureError>(ControlFlow::Continue(())));
    assert_eq!(error.expect_err("closed").to_string(), "cannot read it: closed");
}
