// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files as other programs write them, or leave them behind: each by the bytes of its format's document.

use super::*;

/// Options that a strict reader refuses: of an unusual length, in another encoding, or without a marker of their end.
#[test]
fn options_of_other_programs_are_skipped() {
    for order in [LITTLE, BIG] {
        let body = |options: &[u8]| [order.u16(1), order.u16(0), order.u32(0), options.to_vec()].concat();
        let name = order.option(2, b"wlan0");
        let end = order.option(0, &[]);
        let interfaces = [
            // No marker of the end.
            name.clone(),
            // if_tzone of 4 bytes, as the document says, and of 1.
            [order.option(10, &order.u32(3600)), order.option(10, &[1]), name.clone(), end.clone()].concat(),
            // An address of 8 bytes, an offset of 4, a speed of 1.
            [order.option(6, &[7; 8]), order.option(14, &order.u32(9)), order.option(8, &[1]), name.clone()]
                .concat(),
            // Codes that no document has, and a comment that is no UTF-8.
            [order.option(0x7777, &[1; 5]), order.option(1, &[0xe9, 0xff]), name.clone(), end.clone()]
                .concat(),
            // Two bytes behind the last option.
            [name.clone(), vec![0, 0]].concat(),
            // An option that is longer than its block.
            [name.clone(), order.u16(12), order.u16(400), vec![1; 4]].concat(),
        ];
        for options in &interfaces {
            let file =
                [order.section(), order.block(1, &body(options)), order.packet(0, 9, 1, &[1])].concat();
            let (packets, end) = read(&file, usize::MAX);
            assert_eq!(end.ok(), Some(End::Whole), "{options:02x?}");
            let named = Interface { name: Some("wlan0".into()), ..Interface::default() };
            assert_eq!((packets.len(), packets[0].at_ns), (1, 9_000), "{options:02x?}");
            assert_eq!(packets[0].interface, Some(named), "{options:02x?}");
        }
        // Latin-1, with a byte of zero behind it, and a field that should be zero.
        let texts =
            [order.option(2, b"caf\xe9\0"), order.option(3, b"PHY \xdf"), order.option(9, &[9, 9])].concat();
        let body = [order.u16(1), order.u16(7), order.u32(0), texts].concat();
        let file = [order.section(), order.block(1, &body), order.packet(0, 9, 1, &[1])].concat();
        let (packets, _) = read(&file, usize::MAX);
        let interface = packets[0].interface.as_ref().expect("of pcapng");
        assert_eq!(interface.name.as_deref(), Some("caf\u{fffd}"));
        assert_eq!(interface.description.as_deref(), Some("PHY \u{fffd}"));
        assert_eq!(packets[0].at_ns, 9);
    }
}

/// Blocks of other kinds are skipped: a host's name in Latin-1, an unknown kind, statistics of no length, and an interface
/// without packets whose resolution is impossible.
#[test]
fn blocks_that_are_not_needed_are_skipped() {
    for order in [LITTLE, BIG] {
        let host =
            [order.u16(1), order.u16(9), vec![10, 0, 0, 1], b"caf\xe9\0".to_vec(), vec![0; 3]].concat();
        let unended = [order.u16(1), order.u16(900), vec![10, 0, 0, 1]].concat();
        let far = order.interface(1, &[(9, &[0xff])]);
        let file = [
            order.section(),
            order.interface(1, &[]),
            far,
            order.block(4, &host),
            order.packet(0, 1, 1, &[1]),
            order.block(4, &unended),
            order.block(5, &[]),
            order.block(0x0bad, &[0xff; 7]),
            order.block(0x8000_0001, &vec![1; 300_000]),
            order.packet(0, 2, 1, &[2]),
        ]
        .concat();
        let (packets, end) = read(&file, usize::MAX);
        assert_eq!((packets.len(), packets[1].number, end.ok()), (2, 2, Some(End::Whole)));
    }
}

/// Obsolete packet blocks have a count of drops behind their interface's number; simple ones are of the first interface,
/// as long as its snapshots, and have no time.
#[test]
fn three_kinds_of_blocks_have_packets() {
    for order in [LITTLE, BIG] {
        let obsolete = |interface: u16, drops: u16, ticks: u64, bytes: &[u8]| {
            let ids = [order.u16(interface), order.u16(drops)].concat();
            let stamp = [order.u32((ticks >> 32) as u32), order.u32(ticks as u32)].concat();
            let lengths = [order.u32(bytes.len() as u32), order.u32(99)].concat();
            order.block(2, &[&ids[..], &stamp, &lengths, bytes].concat())
        };
        let simple =
            |length: u32, bytes: &[u8]| order.block(3, &[order.u32(length), bytes.to_vec()].concat());
        let cut = order.block(1, &[order.u16(1), order.u16(0), order.u32(3)].concat());
        let file = [
            order.section(),
            cut,
            order.interface(101, &[(9, &[9])]),
            obsolete(1, 0xffff, 7 << 32, &[1, 2]),
            simple(2, &[3, 4]),
            simple(40, &[5, 6, 7]),
            order.packet(0, 8, 5, &[8, 9, 9, 9, 9]),
        ]
        .concat();
        let (packets, end) = read(&file, usize::MAX);
        assert_eq!(end.ok(), Some(End::Whole));
        let figures: Vec<_> =
            packets.iter().map(|p| (p.number, p.at_ns, p.length, p.bytes.as_slice(), p.link)).collect();
        let (ethernet, raw, none) = (DataLink::ETHERNET, DataLink::RAW, u64::MAX);
        let expected: [(u64, u64, u32, &[u8], DataLink); 4] = [
            (1, 7 << 32, 99, &[1, 2], raw),
            (2, none, 2, &[3, 4], ethernet),
            (3, none, 40, &[5, 6, 7], ethernet),
            (4, 8_000, 5, &[8, 9, 9, 9, 9], ethernet),
        ];
        assert_eq!(figures, expected);
    }
}

/// Resolutions, offsets and byte orders of several sections in one file: of the same moment in each.
#[test]
fn sections_of_both_byte_orders_have_one_time() {
    let mut file = Vec::new();
    for (order, resolution, offset, ticks) in [
        (LITTLE, 6u8, 0i64, 1_000_000_000_250_000u64),
        (BIG, 9, 0, 1_000_000_000_250_000_000),
        (LITTLE, 0x82, 999_999_990, 41),
        (BIG, 3, -7, 1_000_000_007_250),
        (BIG, 0x94, 1_000_000_000, 1 << 18),
    ] {
        let offset = order.u64(offset.cast_unsigned());
        file.extend(order.section());
        file.extend(order.interface(1, &[(9, &[resolution]), (14, &offset)]));
        file.extend(order.packet(0, ticks, 1, &[1]));
    }
    let (packets, end) = read(&file, usize::MAX);
    assert_eq!((packets.len(), end.ok()), (5, Some(End::Whole)));
    assert!(packets.iter().all(|packet| packet.at_ns == 1_000_000_000_250_000_000), "{packets:?}");
}

/// The highest bits of a pcap's link type are the length of the FCS in units of 16 bits, if bit 26 is set.
#[test]
fn an_fcs_behind_frames_is_left_out() {
    for order in [LITTLE, BIG] {
        for (field, link, length, kept) in [
            (0x2400_0001, DataLink::ETHERNET, 66, 10),
            (0x4400_0001, DataLink::ETHERNET, 62, 10),
            // Void without its flag.
            (0x4000_0001, DataLink::ETHERNET, 70, 10),
            (0x0400_0001, DataLink::ETHERNET, 70, 10),
            // Radiotap says it for each frame.
            (0x2400_007f, DataLink::IEEE802_11_RADIOTAP, 70, 10),
        ] {
            let file = [order.pcap(0xa1b2_c3d4, field), order.record((1, 0), 70, &[7; 10])].concat();
            let (packets, end) = read(&file, usize::MAX);
            assert_eq!(end.ok(), Some(End::Whole), "{field:#x}");
            let packet = &packets[0];
            assert_eq!((packet.link, packet.length, packet.bytes.len()), (link, length, kept), "{field:#x}");
        }
        // Kept whole, the FCS is at its end.
        let file =
            [order.pcap(0xa1b2_c3d4, 0x2400_0001), order.record((1, 0), 10, &[1, 2, 3, 4, 5, 6, 9, 9, 9, 9])];
        assert_eq!(read(&file.concat(), usize::MAX).0[0].bytes, [1, 2, 3, 4, 5, 6]);
    }
    let unknown = [LITTLE.pcap(0xa1b2_c3d4, 0x2400_0000 | 13), LITTLE.record((1, 0), 1, &[1])].concat();
    let seen = packets(&mut || Ok(Box::new(io::Cursor::new(unknown.clone()))), &crate::knows, &mut |_| {
        Ok::<_, CaptureError>(ControlFlow::Continue(()))
    });
    let said = seen.expect_err("not known").to_string();
    assert!(said.starts_with("its link type is 13: Ethernet, IP"), "{said}");
}

/// An interface of pcapng states the length of its FCS in bits, a packet's flags state their own in bytes.
#[test]
fn an_fcs_of_an_interface_is_left_out() {
    for order in [LITTLE, BIG] {
        // Bytes of a frame of 70, of which 10 are kept, and of one of 10: if_fcslen, flags of the packet, link type.
        for (interface, flags, link, lengths) in [
            (None, None, 1, [(70, 10), (10, 10)]),
            (Some(&[32][..]), None, 1, [(66, 10), (6, 6)]),
            (Some(&[16]), None, 1, [(68, 10), (8, 8)]),
            (Some(&[0]), None, 1, [(70, 10), (10, 10)]),
            // In bytes.
            (Some(&[4]), None, 1, [(66, 10), (6, 6)]),
            (Some(&[]), None, 1, [(70, 10), (10, 10)]),
            (Some(&[255]), None, 1, [(39, 10), (0, 0)]),
            // Unknown for this packet; its own length and other flags; flags of 2 bytes.
            (Some(&[32]), Some(order.u32(0x1e1f)), 1, [(66, 10), (6, 6)]),
            (Some(&[32]), Some(order.u32(0x1e5f)), 1, [(68, 10), (8, 8)]),
            (None, Some(order.u32(0x80)), 1, [(66, 10), (6, 6)]),
            (None, Some(order.u16(0x80)), 1, [(70, 10), (10, 10)]),
            // Radiotap says it for each frame.
            (Some(&[32]), Some(order.u32(0x80)), 127, [(70, 10), (10, 10)]),
        ] {
            let of_interface: Vec<(u16, &[u8])> = interface.map(|value| (13, value)).into_iter().collect();
            let mut file = [order.section(), order.interface(link, &of_interface)].concat();
            let bytes = [1, 2, 3, 4, 5, 6, 9, 9, 9, 9];
            // Padding of two bytes, a comment, flags and the end of the options are behind the bytes.
            let own =
                flags.as_ref().map(|flags| [order.option(1, b"note"), order.option(2, flags), vec![0; 4]]);
            let own = own.map_or(Vec::new(), |own| [vec![0; 2], own.concat()].concat());
            for (kind, length) in [(6, 70u32), (2, 70), (6, 10)] {
                let id = if kind == 6 { order.u32(0) } else { [order.u16(0), order.u16(7)].concat() };
                let head = [id, order.u32(0), order.u32(9), order.u32(10), order.u32(length)].concat();
                file.extend(order.block(kind, &[&head[..], &bytes, &own].concat()));
            }
            // A simple packet has no flags.
            file.extend(order.block(3, &[&order.u32(10)[..], &bytes].concat()));
            let (packets, end) = read(&file, usize::MAX);
            assert_eq!(end.ok(), Some(End::Whole));
            let seen: Vec<_> = packets.iter().map(|p| (p.length, p.bytes.len())).collect();
            let [long, short] = lengths;
            let name = format!("{interface:?}, {flags:?}, link {link}");
            assert_eq!(seen[..3], [long, long, short], "{name}");
            assert!(packets.iter().all(|p| bytes.starts_with(&p.bytes)), "{name}");
            if flags.is_none() {
                assert_eq!(seen[3], short, "{name}: simple");
            }
        }
    }
}

/// Two packets each, with the offsets behind which they are whole.
fn small_files() -> Vec<(Vec<u8>, [usize; 3])> {
    let mut files = Vec::new();
    for order in [LITTLE, BIG] {
        let pieces = [
            order.pcap(0xa1b2_c3d4, 1),
            order.record((1, 0), 60, &[1; 5]),
            order.record((2, 0), 60, &[2; 9]),
        ];
        files.push(pieces.to_vec());
        let head = [order.section(), order.interface(1, &[(2, b"wlan0")])].concat();
        files.push(vec![head, order.packet(0, 1, 60, &[1; 5]), order.packet(0, 2, 60, &[2; 9])]);
        let head = [order.section(), order.interface(1, &[])].concat();
        let simple = order.block(3, &[order.u32(2), vec![1, 2]].concat());
        files.push(vec![head, simple, order.packet(0, 2, 60, &[2; 9])]);
    }
    let ends = |pieces: &[Vec<u8>]| {
        let mut end = 0;
        [0, 1, 2].map(|i: usize| {
            end += pieces[i].len();
            end
        })
    };
    files.iter().map(|pieces| (pieces.concat(), ends(pieces))).collect()
}

/// Cut at every byte: the packets that are whole, and the offset behind them.
#[test]
fn a_cut_capture_has_its_whole_packets() {
    for (file, ends) in small_files() {
        for cut in 4..file.len() {
            let (packets, end) = read(&file[..cut], usize::MAX);
            let whole = ends.iter().skip(1).filter(|end| **end <= cut).count();
            assert_eq!(packets.len(), whole, "{cut}");
            match end.expect("no error") {
                End::Whole => assert!(ends.contains(&cut) || packets.is_empty(), "{cut}"),
                End::Cut { offset, frames } => {
                    assert_eq!(frames, whole as u64, "{cut}");
                    // Before the first packet the blocks in front of it are cut.
                    assert!(
                        if whole > 0 { offset == ends[whole] as u64 } else { offset < cut as u64 },
                        "{cut}"
                    );
                }
                End::Zeros { .. } => panic!("{cut}: no header of a packet or a block is of zeros"),
            }
        }
        assert_eq!(read(&file, usize::MAX).1.ok(), Some(End::Whole));
    }
    let said = |end: End| end.warning().expect("a warning");
    assert_eq!(
        said(End::Cut { offset: 133, frames: 2 }),
        "the capture is cut: a frame that begins at byte 133 is not whole; the result is of the 2 frames before"
    );
    assert!(said(End::Cut { offset: 45, frames: 1 }).ends_with("the result is of the one frame before"));
    assert_eq!(End::Whole.warning(), None);
    let none = |end: End| end.without_frames().to_string();
    assert_eq!(none(End::Whole), "it is empty: give a capture with frames");
    assert_eq!(
        none(End::Cut { offset: 24, frames: 0 }),
        "it ends at byte 24 within its first frame: capture again"
    );
}

/// A crash leaves zeros at the end of a file whose space was allocated before.
#[test]
fn zeros_at_the_end_are_no_packets() {
    for (file, _) in small_files() {
        for zeros in [16, 17, 4096, 100_000] {
            let (packets, end) = read(&[&file[..], &vec![0; zeros]].concat(), usize::MAX);
            let (offset, frames) = (file.len() as u64, 2);
            assert_eq!((packets.len(), end.ok()), (2, Some(End::Zeros { offset, frames })), "{zeros}");
        }
        // Fewer than a header has may be the beginning of one.
        let (_, end) = read(&[&file[..], &[0; 7]].concat(), usize::MAX);
        assert_eq!(end.ok(), Some(End::Cut { offset: file.len() as u64, frames: 2 }));
        let (packets, end) = read(&[&file[..], &[0; 64], &[1]].concat(), usize::MAX);
        let said = end.expect_err("broken").to_string();
        let expected = format!("it is broken at frame 3: zeros at byte {} before other bytes.", file.len());
        assert!(packets.len() == 2 && said.starts_with(&expected), "{said}");
    }
    let said = End::Zeros { offset: 133, frames: 2 }.warning().expect("a warning");
    assert_eq!(said, "the capture has zeros from byte 133 to its end; the result is of the 2 frames before");
}

/// A file of interface descriptions alone takes no more memory than a section's interfaces need.
#[test]
fn interfaces_of_a_section_are_limited() {
    let of = |interfaces: usize| [LITTLE.section(), LITTLE.interface(1, &[]).repeat(interfaces)].concat();
    assert!(read(&of(1 << 16), usize::MAX).1.is_ok());
    let said = read(&of((1 << 16) + 1), usize::MAX).1.expect_err("too many").to_string();
    assert!(said.contains("more than 65536 interfaces in a section at byte"), "{said}");
}

/// Errors of impossible lengths have their offset; no memory is allocated for such lengths.
#[test]
fn impossible_lengths_are_told() {
    for order in [LITTLE, BIG] {
        let head = [order.section(), order.interface(1, &[])].concat();
        let record =
            |kept: u32| [order.u32(1), order.u32(0), order.u32(kept), order.u32(60), vec![1; 60]].concat();
        let of_pcap = |kept| [order.pcap(0xa1b2_c3d4, 1), record(kept)].concat();
        let of_block = |kind: u32, length: u32, behind: u32| {
            [&head[..], &order.u32(kind), &order.u32(length), &[0; 20], &order.u32(behind), &[1; 60]].concat()
        };
        let at = head.len();
        for (file, words) in [
            (
                of_pcap(0x7fff_ffff),
                "it keeps 2147483647 bytes of a packet at byte 24, and 262144 are the most".into(),
            ),
            (of_block(6, 0xffff_fff0, 0), format!("a block of 4294967280 bytes at byte {at}")),
            (of_block(6, 8, 8), format!("a block of 8 bytes at byte {at}")),
            (of_block(5, 4, 4), format!("a block of 4 bytes at byte {at}")),
            (of_block(5, 33, 33), format!("a block of 33 bytes at byte {at}")),
            (of_block(6, 32, 31), format!("a block at byte {at} of 32 bytes, or of 31")),
            (of_block(6, 16, 16), format!("a block at byte {at} of 16 bytes, or of 0")),
        ] {
            let said = read(&file, usize::MAX).1.expect_err(&words).to_string();
            assert!(said.starts_with(&format!("it is broken at frame 1: {words}.")), "{said}");
        }
        // More of a packet than its block has.
        let mut packet = order.packet(0, 1, 60, &[1; 8]);
        let kept = if order.big { 23 } else { 20 };
        packet[kept] = 9;
        let said = read(&[&head[..], &packet].concat(), usize::MAX).1.expect_err("too much").to_string();
        assert!(said.contains("it keeps 9 bytes of a packet in a block of 8."), "{said}");
        // A length of 4 GiB in a block that is not needed: the file ends within it.
        let (_, end) = read(&of_block(5, 0xffff_fffc, 0), usize::MAX);
        assert_eq!(end.ok(), Some(End::Cut { offset: at as u64, frames: 0 }));
    }
}

/// Compressed captures are recognised by their first bytes; the error has the program that unpacks them.
#[test]
fn compressed_captures_are_named() {
    for (begin, name, cat) in [
        (&[0x1f, 0x8b, 8, 0, 0][..], "gzip", "zcat"),
        (&[0x28, 0xb5, 0x2f, 0xfd, 4], "zstd", "zstdcat"),
        (&[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "xz", "xzcat"),
        (b"BZh91AY", "bzip2", "bzcat"),
        (&[4, 0x22, 0x4d, 0x18, 0x64], "lz4", "lz4cat"),
    ] {
        let said = read(begin, usize::MAX).1.expect_err(name).to_string();
        let expected = format!(
            "it is compressed with {name}: unpack it first, {cat} IN > OUT, or pipe it, {cat} IN | airtab COMMAND -"
        );
        assert_eq!(said, expected);
    }
}
