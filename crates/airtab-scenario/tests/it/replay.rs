// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures as applications: what is read of them by whatever link, what is refused, and how they are judged.
//!
//! `fixtures/call.pcapng` is what [`call()`] makes: a second of a call beside the beginning of a download and others' frames.
//! `AIRTAB_WRITE=1 cargo test -p airtab-scenario --test it replay::` writes it.

use std::io::{Cursor, Read};
use std::path::Path;
use std::time::Duration;

use airtab_core::Discipline;
use airtab_core::time::{MS, SECOND};
use airtab_scenario::{
    About, Figures, Metric, QueueScores, ScenarioFile, Scores, Summary, measure, note, words,
};
use airtab_sim::AppKind;
use airtab_sim::traffic::Replay;
use airtab_sim::traffic::trace::Packet;
use etherparse::PacketBuilder;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::simple_packet::SimplePacketBlock;
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, TsResolution};

const CLIENT: [u8; 4] = [192, 168, 1, 5];
const SERVER: [u8; 4] = [198, 51, 100, 7];
/// Bytes kept of each frame.
const KEPT: usize = 64;

type Frame = (u64, Vec<u8>);

fn ipv4(from: [u8; 4], to: [u8; 4], bytes: usize, tcp: bool) -> Vec<u8> {
    let builder = PacketBuilder::ipv4(from, to, 64);
    let mut out = Vec::new();
    match tcp {
        true => builder.tcp(443, 50_000, 1, 100).write(&mut out, &vec![0; bytes - 40]),
        false => builder.udp(5004, 5006).write(&mut out, &vec![0; bytes - 28]),
    }
    .expect("a packet");
    out
}

fn ethernet(kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(kind.to_be_bytes());
    frame.extend(payload);
    // The least that Ethernet carries: a packet is not longer for that.
    frame.resize(frame.len().max(60), 0);
    frame
}

/// A pcapng file with time stamps in us.
fn pcapng(link: DataLink, frames: &[Frame], kept: usize) -> Vec<u8> {
    let mut writer = PcapNgWriter::new(Vec::new()).expect("a buffer");
    let interface = InterfaceDescriptionBlock { linktype: link, snaplen: 0, options: Vec::new() };
    writer.write_block(&interface.into_block()).expect("a buffer");
    for (at_ns, bytes) in frames {
        let packet = EnhancedPacketBlock {
            interface_id: 0,
            // In ticks of the interface.
            timestamp: Duration::from_nanos(at_ns / 1000),
            original_len: bytes.len() as u32,
            data: bytes[..bytes.len().min(kept)].into(),
            options: Vec::new(),
        };
        writer.write_block(&packet.into_block()).expect("a buffer");
    }
    writer.into_inner()
}

/// A pcap file with time stamps in ns.
fn pcap(link: DataLink, frames: &[Frame]) -> Vec<u8> {
    let header =
        PcapHeader { datalink: link, ts_resolution: TsResolution::NanoSecond, ..PcapHeader::default() };
    let mut writer = PcapWriter::with_header(Vec::new(), header).expect("a buffer");
    for (at_ns, bytes) in frames {
        let packet = PcapPacket::new(Duration::from_nanos(*at_ns), bytes.len() as u32, bytes);
        writer.write_packet(&packet).expect("a buffer");
    }
    writer.into_writer()
}

/// In Ethernet: 200 bytes up each 20 ms, the same down 7 ms later, from 300 ms on three packets of TCP, of the first 100 ms one
/// frame each 25 ms that is none of the client's.
fn call() -> Vec<u8> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut add = |at_ms: u64, packet: Vec<u8>| frames.push((at_ms * MS, ethernet(0x0800, &packet)));
    for i in 0..50 {
        add(i * 20, ipv4(CLIENT, SERVER, 200, false));
        add(i * 20 + 7, ipv4(SERVER, CLIENT, 200, false));
    }
    add(303, ipv4(CLIENT, [203, 0, 113, 9], 52, true));
    add(318, ipv4([203, 0, 113, 9], CLIENT, 1500, true));
    add(319, ipv4([203, 0, 113, 9], CLIENT, 1500, true));
    for i in 0..2 {
        add(i * 50 + 1, ipv4([192, 168, 1, 6], SERVER, 700, false));
    }
    frames.extend((0..2).map(|i| ((i * 50 + 26) * MS, ethernet(0x0806, &[0; 28]))));
    frames.sort_by_key(|frame| frame.0);
    frames.iter_mut().for_each(|frame| frame.0 += 1_800_000_000 * SECOND);
    pcapng(DataLink::ETHERNET, &frames, KEPT)
}

/// A dumbbell with one application that sends `capture`, and keys of it.
fn file(capture: &[u8], bottleneck: &str, keys: &str) -> Result<ScenarioFile, String> {
    let text = format!(
        "duration = \"10s\"\ntopology = \"dumbbell\"\n[bottleneck]\n{bottleneck}\n[queue]\nlimit = 10\n\
         [[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nstation = \"s\"\nkind = \"trace\"\nfile = \"x.pcap\"\n{keys}"
    );
    let open = |path: &Path, what: &str| -> Result<Box<dyn Read>, String> {
        assert_eq!((path, what), (Path::new("d/x.pcap"), "a capture (pcap or pcapng)"));
        Ok(Box::new(Cursor::new(capture.to_vec())))
    };
    ScenarioFile::parse_with("d/house.toml", &text, &open).map_err(|e| e.to_string())
}

const WIDE: &str = "rate = \"1Gb/s\"";
const HOST: &str = "client = \"192.168.1.5\"";

fn replay(file: &ScenarioFile) -> &Replay {
    let AppKind::Replay(replay) = &file.scenario.apps[0].kind else { panic!("no capture") };
    replay
}

fn figures(file: &ScenarioFile) -> Figures {
    let params = file.queues.params(Discipline::named("fifo").expect("registered"));
    measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps.remove(0)
}

#[test]
fn the_fixture_is_what_its_program_makes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/call.pcapng");
    if std::env::var_os("AIRTAB_WRITE").is_some() {
        std::fs::write(&path, call()).expect("written");
    }
    assert!(std::fs::read(path).expect("it is there") == call(), "AIRTAB_WRITE=1 makes it anew");
}

#[test]
fn a_capture_is_what_its_client_sent_and_received() {
    let file = file(&call(), WIDE, HOST).expect("a good one");
    let replay = replay(&file);
    assert_eq!((replay.tcp, replay.others, replay.scale_ppm), (3, 4, 1_000_000));
    assert_eq!((replay.rounds, replay.gap_ns), (Some(1), None));
    let list = replay.packets.list();
    assert_eq!((list.len(), replay.packets.count(false), replay.packets.count(true)), (103, 52, 51));
    let of = |ms: u64, bytes, up| Packet { at_ns: ms * MS, bytes, up };
    assert_eq!(list[..3], [of(0, 200, true), of(7, 200, false), of(20, 200, true)]);
    assert_eq!(
        list[31..36],
        [
            of(303, 52, true),
            of(307, 200, false),
            of(318, 1500, false),
            of(319, 1500, false),
            of(320, 200, true)
        ]
    );
    assert_eq!(list[102], of(987, 200, false));
    // 13000 bytes down in 987 ms and a mean gap of 9.676 ms; 10052 up.
    assert_eq!(words(&file.scenario.apps[0].kind), "packets of a capture, 0.10 Mb/s down and 0.08 up");
    assert_eq!(
        note(&file.scenario.apps[0].kind, 10 * SECOND).as_deref(),
        Some(
            "103 packets, 0.99 s, 0.10 Mb/s down and 0.08 up; nothing is sent after them; 3 of them TCP's, sent as they \
             were: nothing reacts; left out are 4 frames without IP or not of the client"
        )
    );
    for (active_ns, ends_before) in [(987 * MS, false), (987 * MS + 1, true)] {
        let said = note(&file.scenario.apps[0].kind, active_ns).expect("a note");
        assert_eq!(said.contains("nothing is sent after them"), ends_before, "{active_ns}: {said}");
    }
}

#[test]
fn keys_say_how_it_is_sent() {
    let of = |keys: &str| {
        let file = file(&call(), WIDE, &format!("{HOST}\n{keys}")).unwrap_or_else(|e| panic!("{e}"));
        let said = note(&file.scenario.apps[0].kind, SECOND / 2).expect("a note");
        let replay = replay(&file);
        (replay.rounds, replay.scale_ppm, replay.gap_ns, said)
    };
    let (rounds, scale, gap, said) = of("repeat = true\nscale = 2");
    assert_eq!((rounds, scale, gap), (None, 2_000_000, None));
    assert!(
        said.starts_with("103 packets, 0.49 s, 0.21 Mb/s down and 0.16 up; sent again and again; 3"),
        "{said}"
    );
    let (rounds, scale, gap, said) = of("repeat = 7\nscale = 0.5\ngap = \"10ms\"");
    assert_eq!((rounds, scale, gap), (Some(7), 500_000, Some(10 * MS)));
    assert!(said.starts_with("103 packets, 1.97 s, 0.05 Mb/s down and 0.04 up; sent 7 times; 3"), "{said}");
    let (rounds, .., said) = of("repeat = false");
    assert_eq!(rounds, Some(1));
    assert!(!said.contains("nothing is sent"), "it goes on to the end: {said}");
}

/// The same packets by whatever link, file and version of IP, whole or cut.
#[test]
fn every_link_says_the_same() {
    let list = [(0, 200, true), (1500, 60, false), (2_000_000, 1500, false)];
    let expected = list.map(|(at_ns, bytes, up)| Packet { at_ns, bytes: bytes as u32, up });
    let start = 1_800_000_000 * SECOND;
    let packets = list.map(|(at, bytes, up)| {
        let (from, to) = if up { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        (start + at, ipv4(from, to, bytes, false))
    });
    let [mine, other] = [5, 7].map(|last| [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    let packets6 = list.map(|(at, bytes, up)| {
        let (from, to) = if up { (mine, other) } else { (other, mine) };
        let mut out = Vec::new();
        PacketBuilder::ipv6(from, to, 64).udp(1, 2).write(&mut out, &vec![0; bytes - 48]).expect("a packet");
        (start + at, out)
    });
    let framed = |packets: &[Frame; 3], with: &dyn Fn(&[u8]) -> Vec<u8>| {
        packets.iter().map(|(at, packet)| (*at, with(packet))).collect::<Vec<Frame>>()
    };
    let behind = |head: &'static [u8]| move |packet: &[u8]| [head, packet].concat();
    let sll: &[u8] = &[0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0];
    let sll2: &[u8] = &[8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0];
    let links: [(DataLink, Vec<Frame>); 7] = [
        (DataLink::ETHERNET, framed(&packets, &|p| ethernet(0x0800, p))),
        (DataLink::ETHERNET, framed(&packets, &|p| ethernet(0x8100, &[&[0, 5, 8, 0], p].concat()))),
        (DataLink::LINUX_SLL, framed(&packets, &behind(sll))),
        (DataLink::LINUX_SLL2, framed(&packets, &behind(sll2))),
        (DataLink::RAW, packets.to_vec()),
        (DataLink::IPV4, packets.to_vec()),
        (DataLink::RAW, packets6.to_vec()),
    ];
    for (i, (link, frames)) in links.iter().enumerate() {
        let client = if i == 6 { "client = \"2001:db8::5\"" } else { HOST };
        let read = |capture: &[u8]| file(capture, WIDE, client).map(|f| replay(&f).packets.list().to_vec());
        assert_eq!(read(&pcap(*link, frames)), Ok(expected.to_vec()), "{link:?} {i}");
        // In whole us there: 1.5 us are 1.
        let mut in_us = expected.to_vec();
        in_us[1].at_ns = 1000;
        assert_eq!(read(&pcapng(*link, frames, KEPT)), Ok(in_us), "{link:?} {i}, cut");
    }
    let one = |client: &str| {
        file(&pcap(DataLink::RAW, &packets), WIDE, client).map(|f| replay(&f).packets.list().len())
    };
    assert_eq!(
        one("client = \"::ffff:192.168.1.5\""),
        Ok(3),
        "an address of IPv4 is one however it is written"
    );
    assert_eq!(one("client = \"198.51.100.7\""), Ok(3), "the other end's view");
}

/// Interfaces count from moments of their own (if_tsoffset, in seconds): one here from 3 s before the other.
#[test]
fn interfaces_have_clocks_of_their_own() {
    let mut writer = PcapNgWriter::new(Vec::new()).expect("a buffer");
    let before = vec![InterfaceDescriptionOption::IfTsOffset((-3i64).cast_unsigned())];
    for options in [Vec::new(), before] {
        let interface = InterfaceDescriptionBlock { linktype: DataLink::RAW, snaplen: 0, options };
        writer.write_block(&interface.into_block()).expect("a buffer");
    }
    let packet = ipv4(SERVER, CLIENT, 100, false);
    for (interface_id, ms) in [(0, 10_000), (1, 13_005), (0, 10_007), (1, 2_000), (0, 10_010)] {
        let block = EnhancedPacketBlock {
            interface_id,
            timestamp: Duration::from_micros(ms), // in ticks of us
            original_len: packet.len() as u32,
            data: (&packet[..]).into(),
            options: Vec::new(),
        };
        writer.write_block(&block.into_block()).expect("a buffer");
    }
    let all = writer.into_inner();
    // The fourth was before 1970.
    let refused = file(&all, WIDE, HOST).map(|_| ()).unwrap_err();
    assert!(refused.contains("frame 4"), "{refused}");
    let whole = {
        let len = all.len();
        let of_one = 32 + packet.len().next_multiple_of(4);
        [&all[..len - 2 * of_one], &all[len - of_one..]].concat()
    };
    let sent = file(&whole, WIDE, HOST).map(|f| replay(&f).packets.list().iter().map(|p| p.at_ns).collect());
    assert_eq!(sent, Ok(vec![0, 5_000_000, 7_000_000, 10_000_000]));
}

/// Times count from the client's first packet; frames of others before it, TCP's too, are only counted.
#[test]
fn frames_of_others_come_before_the_first_of_the_client() {
    let other = [10, 0, 0, 1];
    let frames = [
        (SECOND, ipv4(other, SERVER, 100, true)),
        (2 * SECOND, ipv4(SERVER, other, 1500, true)),
        (5 * SECOND, ipv4(SERVER, CLIENT, 300, true)),
        (5 * SECOND + MS, ipv4(CLIENT, SERVER, 40, true)),
        (6 * SECOND, ipv4(other, SERVER, 100, true)),
        (7 * SECOND, ipv4(CLIENT, SERVER, 500, false)),
    ];
    let file = file(&pcap(DataLink::RAW, &frames), WIDE, HOST).expect("a good one");
    let replay = replay(&file);
    let of = |ms: u64, bytes, up| Packet { at_ns: ms * MS, bytes, up };
    assert_eq!(replay.packets.list(), [of(0, 300, false), of(1, 40, true), of(2000, 500, true)]);
    assert_eq!((replay.tcp, replay.others), (2, 3));
}

/// The five addresses with the most packets are named, of equal ones the lower first; groups are no hosts.
#[test]
fn the_busiest_addresses_are_named() {
    let host = |last: u8| [10, 0, 0, last];
    let mut frames: Vec<Frame> = Vec::new();
    let mut add = |to: [u8; 4], from: u8, n: usize| {
        frames.extend((0..n).map(|_| (SECOND, ipv4(host(from), to, 60, false))));
    };
    for (from, n) in [(1, 2), (2, 5), (3, 1), (4, 2), (5, 3), (6, 1)] {
        add([255, 255, 255, 255], from, n);
    }
    add([224, 0, 0, 251], 2, 1);
    add(host(5), 6, 1);
    // As many as the second of them has, each of another host.
    for last in 1..=5 {
        let mut six = Vec::new();
        let udp = PacketBuilder::ipv6([last; 16], [0xff; 16], 64).udp(1, 2);
        udp.write(&mut six, &[0; 12]).expect("a packet");
        frames.push((SECOND, six));
    }
    let told = file(&pcap(DataLink::RAW, &frames), WIDE, HOST).unwrap_err();
    let expected = "'192.168.1.5' is in none of the 21 IP packets; the busiest addresses are 10.0.0.2 (6 packets), \
                    10.0.0.5 (4 packets), 10.0.0.1 (2 packets), 10.0.0.4 (2 packets), 10.0.0.6 (2 packets)";
    assert!(told.lines().next().unwrap().ends_with(expected), "{told}");
}

/// 2304 bytes are what goes over the air, and one more does not.
#[test]
fn the_longest_packet_is_that_of_the_air() {
    let of = |bytes| {
        let frames = [(SECOND, ipv4(SERVER, CLIENT, bytes, false))];
        file(&pcap(DataLink::RAW, &frames), WIDE, HOST).map(|f| replay(&f).packets.list()[0].bytes)
    };
    assert_eq!(of(2304), Ok(2304));
    assert!(of(2305).unwrap_err().contains("frame 1 has an IP packet of 2305 bytes"));
}

/// What a card leaves to be filled in (a length of 0) is as long as the frame; what is shorter than UDP is as long as that; what
/// a host sends itself is nobody's.
#[test]
fn lengths_that_are_none() {
    let mut zero = ipv4(CLIENT, SERVER, 900, true);
    zero[2..4].copy_from_slice(&[0, 0]);
    let mut short = ipv4(CLIENT, SERVER, 28, false);
    short[2..4].copy_from_slice(&[0, 24]);
    let own = ipv4(CLIENT, CLIENT, 100, false);
    let frames: Vec<Frame> = [zero, short, own].into_iter().map(|p| (SECOND, ethernet(0x0800, &p))).collect();
    let file = file(&pcap(DataLink::ETHERNET, &frames), WIDE, HOST).expect("a good one");
    assert_eq!(replay(&file).packets.list().iter().map(|p| p.bytes).collect::<Vec<_>>(), [900, 28]);
    assert_eq!(replay(&file).others, 1);
}

#[test]
fn what_is_wrong_is_told_with_its_frame_and_a_cure() {
    let of = |at: u64, packet: Vec<u8>| (at, ethernet(0x0800, &packet));
    let up = |at, bytes| of(at, ipv4(CLIENT, SERVER, bytes, false));
    let other = |last, bytes| of(SECOND, ipv4([10, 0, 0, last], [224, 0, 0, 251], bytes, false));
    let made = |frames: &[Frame]| pcap(DataLink::ETHERNET, frames);
    let whole = made(&[up(SECOND, 100), up(SECOND, 100)]);
    let simple = {
        let mut writer = PcapNgWriter::new(Vec::new()).expect("a buffer");
        let interface =
            InterfaceDescriptionBlock { linktype: DataLink::RAW, snaplen: 0, options: Vec::new() };
        writer.write_block(&interface.into_block()).expect("a buffer");
        let (_, data) = up(0, 100);
        let packet = SimplePacketBlock { original_len: data.len() as u32, data: data.into() };
        writer.write_block(&packet.into_block()).expect("a buffer");
        writer.into_inner()
    };
    let strangers = [other(9, 50), other(8, 50), other(9, 60)];
    let big = {
        // 1001 of them before one of 2962 bytes.
        let mut frames = vec![up(SECOND, 100); 1001];
        frames.push(up(SECOND, 2962));
        made(&frames)
    };
    for (what, capture, expected) in [
        ("empty", Vec::new(), "d/x.pcap: it is empty: give a capture with frames"),
        ("no frames", made(&[]), "d/x.pcap: it is empty: give a capture with frames"),
        (
            "text",
            b"[[station]]".to_vec(),
            "d/x.pcap: it is no pcap or pcapng file: give a capture, as tcpdump",
        ),
        ("cut", whole[..99].to_vec(), "d/x.pcap: it ends at byte 24 within its first frame: capture again"),
        (
            "compressed",
            vec![0x1f, 0x8b, 8, 0],
            "d/x.pcap: it is compressed with gzip: unpack it first, zcat IN > OUT",
        ),
        (
            "radio",
            pcap(DataLink::IEEE802_11_RADIOTAP, &[up(0, 100)]),
            "d/x.pcap: its link type is IEEE802_11_RADIOTAP: Ethernet, IP or Linux cooked is needed",
        ),
        ("no stamps", simple, "d/x.pcap: its frames have no time stamps: capture with tcpdump"),
        (
            "back",
            made(&[up(SECOND, 100), up(SECOND - 1500, 100)]),
            "d/x.pcap: frame 2 is 2 us earlier than the one before: sort it first, reordercap IN OUT",
        ),
        (
            "no IP",
            made(&[(0, ethernet(0x0806, &[0; 28])), (0, ethernet(0x0806, &[0; 28]))]),
            "d/x.pcap: has no IP packet in 2 frames: capture where the client's packets pass",
        ),
        (
            "joined",
            big,
            "d/x.pcap: frame 1002 has an IP packet of 2962 bytes, and 2304 are the most that go over the air",
        ),
        (
            "nobody",
            made(&strangers),
            "d/house.toml:14:10: [[app]] client: d/x.pcap: '192.168.1.5' is in none of the 3 IP packets; the busiest addresses are 10.0.0.9 (2 packets), 10.0.0.8 (1 packet)",
        ),
    ] {
        let said = file(&capture, WIDE, HOST).expect_err(what);
        assert!(said.starts_with(expected), "{what}: {said}");
    }
    // A header of 24 bytes, and each packet as the first.
    let one = made(&[up(SECOND, 60)]);
    let many = |n: usize| [&one[..24], &one[24..].repeat(n)].concat();
    let said = file(&many(1_000_001), WIDE, HOST).unwrap_err();
    let expected = "d/x.pcap: frame 1000001 is one more than 1000000 packets of 192.168.1.5: take a part, editcap -r IN OUT 1-1000000";
    assert_eq!(said, expected);
    let said = file(&many(1_000_000), WIDE, HOST).map(|f| replay(&f).packets.list().len());
    assert_eq!(said, Ok(1_000_000), "as many as fit");
}

/// A cut capture is sent as far as it is whole; the warning about frames that are not decoded names the key.
#[test]
fn what_a_capture_may_lack_is_a_warning() {
    let up = |at| (at, ethernet(0x0800, &ipv4(CLIENT, SERVER, 100, false)));
    let session = (SECOND, ethernet(0x8864, &[&[0x11, 0, 0, 1, 0, 102, 0, 0x21], &up(0).1[14..]].concat()));
    let labels = (SECOND, ethernet(0x8847, &[0, 1, 0x41, 64]));
    let frames = [up(SECOND), session, labels, up(2 * SECOND)];
    let whole = pcap(DataLink::ETHERNET, &frames);
    let warnings = |capture: &[u8]| {
        let file = file(capture, WIDE, HOST).expect("a good one");
        let said: Vec<String> = file.warnings.iter().map(|warning| warning.message.clone()).collect();
        (replay(&file).packets.list().len(), said)
    };
    let not_decoded = "[[app]] file: d/x.pcap: 1 frame is not decoded (MPLS 1)".to_string();
    assert_eq!(warnings(&whole), (3, vec![not_decoded.clone()]));
    // 24 bytes of the file, 16 of each packet; frames of 114, 122 and 60 bytes.
    let cut = "[[app]] file: d/x.pcap: the capture is cut: a frame that begins at byte 368 is not whole; the result is of \
               the 3 frames before";
    assert_eq!(warnings(&whole[..whole.len() - 1]), (2, vec![cut.into(), not_decoded]));
}

/// Every prefix of a capture is refused or read, every byte of it may be another: nothing panics.
#[test]
fn a_capture_that_is_broken_anywhere_is_no_crash() {
    let whole = call();
    for end in (0..whole.len()).step_by(7) {
        let _ = file(&whole[..end], WIDE, HOST);
    }
    for at in (0..whole.len().min(1500)).step_by(3) {
        let mut broken = whole.clone();
        broken[at] ^= 0xff;
        let _ = file(&broken, WIDE, HOST);
    }
}

/// 1462 and 38 bytes at 1 Mb/s take 12 ms. A hundred that come within that time meet a wire that takes one and a queue of ten.
#[test]
fn what_a_full_queue_drops_is_lost() {
    let burst: Vec<Frame> = vec![(SECOND, ipv4(SERVER, CLIENT, 1462, false)); 100];
    let up = (SECOND, ipv4(CLIENT, SERVER, 100, true));
    let ends = std::slice::from_ref(&up);
    let frames = [ends, &burst[..], ends].concat();
    let file = file(&pcap(DataLink::RAW, &frames), "rate = \"1Mb/s\"", HOST).expect("a good one");
    let f = figures(&file);
    assert_eq!((f[&Metric::Loss], f[&Metric::UplinkLoss]), (0.89, 0.0));
    let bits = |bytes: f64| bytes * 8.0 / 10.0;
    assert_eq!(
        (f[&Metric::IpThroughput], f[&Metric::UplinkIpThroughput]),
        (bits(11.0 * 1462.0), bits(200.0))
    );
    assert_eq!((f[&Metric::Goodput], f[&Metric::UplinkGoodput]), (bits(11.0 * 1434.0), bits(144.0)));
    // All were sent at once, and the nth of eleven comes n times 12 ms after the first: 5 times that on the mean.
    assert!((f[&Metric::Jitter] - 0.060).abs() < 1e-9, "{}", f[&Metric::Jitter]);
    // The last of the eleven is the 99th percentile: another five times that. Up nothing is lost or late.
    assert!((f[&Metric::WorseDelayP99] - f[&Metric::Delay] - 0.060).abs() < 1e-9, "{f:?}");
    assert_eq!(f[&Metric::WorseLoss], 0.89);
    assert_eq!(f.get(&Metric::Ping), None, "nothing answers");
    assert_eq!(f[&Metric::ReplayedTcp], 2.0 / 102.0);
}

/// What goes up alone is judged by the way up.
#[test]
fn a_capture_that_goes_up_alone() {
    let frames: Vec<Frame> = (0..10).map(|i| (SECOND + i * MS, ipv4(CLIENT, SERVER, 1000, false))).collect();
    let file = file(&pcap(DataLink::RAW, &frames), WIDE, HOST).expect("a good one");
    let f = figures(&file);
    assert_eq!((f[&Metric::Loss], f[&Metric::UplinkLoss], f[&Metric::ReplayedTcp]), (0.0, 0.0, 0.0));
    assert_eq!((f[&Metric::IpThroughput], f[&Metric::UplinkIpThroughput]), (8000.0, 8000.0));
    assert_eq!((f[&Metric::Goodput], f[&Metric::UplinkGoodput]), (7776.0, 7776.0), "28 bytes of headers");
    // Each of its packets takes the same time.
    assert!(
        (f[&Metric::WorseDelayP99] - f[&Metric::UplinkDelay]).abs() < 1e-12 && f[&Metric::WorseLoss] == 0.0
    );
    assert!(
        f[&Metric::UplinkDelay] > 0.0
            && f[&Metric::UplinkJitter].abs() < 1e-12
            && !f.contains_key(&Metric::Delay)
    );
}

/// What is said of a run's scores: of the direction that loses more, else of the slower one, and that nothing reacts.
fn reason(file: &ScenarioFile) -> String {
    let summary = |(metric, mean)| (metric, Summary { mean, half_width_95: None, values: Vec::new() });
    let metrics = figures(file).into_iter().map(summary).collect();
    let app = Scores { name: "a".into(), kind: "trace", station: "s".into(), metrics };
    let ap = Scores { name: "ap".into(), kind: "ap", station: String::new(), metrics: Default::default() };
    let params = [("limit", "10".to_string())].into();
    let (label, discipline) = ("fifo".into(), "fifo");
    let q = QueueScores { label, discipline, params, apps: vec![app.clone()], ap, nodes: Vec::new() };
    About::named("trace").expect("a kind").reason(&q, &app)
}

#[test]
fn reasons_say_where_it_is_lost_and_that_nothing_reacts() {
    let burst: Vec<Frame> = (0..100).map(|_| (SECOND, ipv4(SERVER, CLIENT, 1462, true))).collect();
    let lossy = file(&pcap(DataLink::RAW, &burst), "rate = \"1Mb/s\"", HOST).expect("a good one");
    let said = reason(&lossy);
    assert!(said.contains("the access point's queue, which drops 89 % of its packets"), "{said}");
    assert!(said.ends_with("(100 % of its packets were TCP's, and nothing reacts now)"), "{said}");
    let up: Vec<Frame> = (0..10).map(|i| (SECOND + i * MS, ipv4(CLIENT, SERVER, 1000, false))).collect();
    let said = reason(&file(&pcap(DataLink::RAW, &up), WIDE, HOST).expect("a good one"));
    assert!(said.contains("on the way up") && !said.contains("TCP"), "{said}");
}

/// What a run is stored by has all of the capture, and no more than a line of it.
#[test]
fn another_capture_is_another_scenario() {
    let of = |bytes| {
        let frames =
            [(SECOND, ipv4(CLIENT, SERVER, bytes, false)), (2 * SECOND, ipv4(CLIENT, SERVER, 99, false))];
        let file = file(&pcap(DataLink::RAW, &frames), WIDE, HOST).expect("a good one");
        format!("{:?}", file.scenario.apps[0].kind)
    };
    assert_eq!(of(100), of(100));
    assert_ne!(of(100), of(101));
    assert!(of(100).len() < 250, "{}", of(100));
}
