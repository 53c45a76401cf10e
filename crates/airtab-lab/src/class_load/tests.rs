// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures written by hand, and what they say of classes; bytes of a flow against a book of every byte.

use std::io::Read;

use airtab_capture::Segment;
use etherparse::PacketBuilder;

use super::*;

const ETHERNET: u32 = 1;
const NAMES: [&str; 3] = ["tcp", "mm", "other"];

/// A pcap file with time stamps in ns: when, bytes, and how many of them are kept.
fn file(link: u32, frames: &[(u64, Vec<u8>)], kept: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let mut words = |words: &[u32]| words.iter().for_each(|word| file.extend(word.to_le_bytes()));
    words(&[0xa1b2_3c4d, 4 << 16 | 2, 0, 0, 65535, link]);
    for (at_ns, bytes) in frames {
        let cut = bytes.len().min(kept);
        let head = [at_ns / 1_000_000_000, at_ns % 1_000_000_000, cut as u64, bytes.len() as u64];
        head.iter().for_each(|word| file.extend((*word as u32).to_le_bytes()));
        file.extend(&bytes[..cut]);
    }
    file
}

fn loads(file: &[u8], rules: &str) -> Result<Loads, ClassLoadError> {
    let rules = Rules::parse(rules, &NAMES).expect("rules");
    let mut open = || Ok(Box::new(std::io::Cursor::new(file.to_vec())) as Box<dyn Read>);
    of_capture(&mut open, &rules)
}

const RULES: &str = "tcp=0,udp:6000-6010=1,*=2";

/// A TCP segment in a frame of Ethernet.
fn tcp(sequence: u32, payload: usize) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2([1; 6], [2; 6])
        .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .tcp(80, 5000, sequence, 100);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![0; payload]).expect("a frame");
    bytes
}

fn udp(ports: (u16, u16), payload: usize) -> Vec<u8> {
    let builder =
        PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 3], 64).udp(ports.0, ports.1);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![0; payload]).expect("a frame");
    bytes
}

const MS: u64 = 1_000_000;

/// Frames of 1054, 242 and 142 bytes.
#[test]
fn rates_peaks_and_sizes_by_hand() {
    let mut frames: Vec<(u64, Vec<u8>)> = Vec::new();
    // One of TCP each 100 ms for 10 s; ten more of them in each of the ms from 4000 on, for 2 s.
    for i in 0..=100u64 {
        frames.push((i * 100 * MS, tcp(1000 * i as u32, 1000)));
        if (40..60).contains(&i) {
            frames.extend((0..3).map(|_| (i * 100 * MS + 50 * MS, udp((9000, 6005), 200))));
        }
    }
    frames.push((10_000 * MS, udp((53, 53), 100)));
    let found = loads(&file(ETHERNET, &frames, 65535), RULES).unwrap();
    assert_eq!((found.frames, found.span_ns), (162, 10_000 * MS));
    let [of_tcp, of_mm, of_other] = found.classes.as_slice() else { panic!("three classes") };
    assert_eq!((of_tcp.packets, of_tcp.bytes, of_tcp.new_tcp_bytes), (101, 101 * 1054, Some(101_000)));
    assert_eq!((of_mm.packets, of_mm.bytes, of_mm.new_tcp_bytes), (60, 60 * 242, None));
    assert_eq!((of_other.packets, of_other.packet_bytes()), (1, Some(142.0)));
    assert_eq!(found.rate(of_mm.bytes), 1452.0);
    assert_eq!((found.peak(0), found.peak(1), found.peak(2)), (10_540.0, 7_260.0, 71.0));
    assert_eq!((found.matched.as_slice(), found.unmatched), (&[101, 60, 1][..], 0));
    assert_eq!((of_mm.bins.len(), of_mm.bins[40], of_mm.bins[39]), (60, 726, 0));
}

#[test]
fn a_short_capture_has_its_mean_as_peak() {
    let found = loads(&file(ETHERNET, &[(0, tcp(0, 946)), (500 * MS, tcp(946, 946))], 65535), RULES).unwrap();
    assert_eq!((found.peak(0), found.rate(found.classes[0].bytes)), (4000.0, 4000.0));
}

/// Each class has a mean of its own; each direction of each flow its own new bytes, whichever class they are of.
#[test]
fn flows_and_classes_are_kept_apart() {
    let of = |addresses: [u8; 2], ports: (u16, u16), sequence: u32, payload: usize, ef: bool| {
        let [from, to] = addresses.map(|host| [10, 0, 0, host]);
        let builder =
            PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4(from, to, 64).tcp(ports.0, ports.1, sequence, 9);
        let mut bytes = Vec::new();
        builder.write(&mut bytes, &vec![0; payload]).expect("a frame");
        bytes[15] = if ef { 46 << 2 } else { 0 };
        bytes
    };
    let frames = [
        (7 * MS, of([1, 2], (80, 5000), 0, 946, false)),
        (8 * MS, of([2, 1], (5000, 80), 0, 400, false)),
        (9 * MS, of([1, 2], (80, 5001), 0, 300, false)),
        (10 * MS, of([3, 2], (80, 5000), 0, 200, false)),
        // 46 of them again, in another class.
        (11 * MS, of([1, 2], (80, 5000), 900, 100, true)),
        (507 * MS, udp((1, 2), 458)),
    ];
    let found = loads(&file(ETHERNET, &frames, 65535), "dscp:ef=1,tcp=0,*=2").unwrap();
    assert_eq!((found.span_ns, found.matched.as_slice()), (500 * MS, &[1, 4, 1][..]));
    let new: Vec<_> = found.classes.iter().map(|class| class.new_tcp_bytes).collect();
    assert_eq!(new, [Some(946 + 400 + 300 + 200), Some(54), None]);
    // 54 bytes of headers each, of UDP 42; in half a second.
    assert_eq!([0, 1, 2].map(|class| found.peak(class)), [2.0 * 2062.0, 2.0 * 154.0, 2.0 * 500.0]);
    assert_eq!(found.classes[0].packet_bytes(), Some(515.5));
    assert_eq!(ClassLoad::default().packet_bytes(), None);
}

/// What a capture leaves out of frames changes nothing.
#[test]
fn short_snapshots_say_the_same() {
    let frames: Vec<_> =
        (0..20u64).map(|i| (i * MS, tcp(if i == 7 { 0 } else { 1000 * i as u32 }, 1000))).collect();
    let whole = loads(&file(ETHERNET, &frames, 65535), RULES).unwrap();
    assert_eq!(whole.classes[0].new_tcp_bytes, Some(19_000));
    for kept in [54, 64, 128, 1053] {
        assert_eq!(loads(&file(ETHERNET, &frames, kept), RULES).unwrap(), whole, "{kept} bytes");
    }
}

/// A pcapng file of the same, of two interfaces in turn.
fn new_file(frames: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |kind: u32, words: &[u32], data: &[u8]| {
        let padded = data.len().next_multiple_of(4);
        let length = (12 + 4 * words.len() + padded) as u32;
        let head = [&[kind, length], words].concat();
        file.extend(head.iter().flat_map(|word| word.to_le_bytes()));
        file.extend(data);
        file.resize(file.len() + padded - data.len(), 0);
        file.extend(length.to_le_bytes());
    };
    block(0x0a0d_0d0a, &[0x1a2b_3c4d, 1, u32::MAX, u32::MAX], &[]);
    block(1, &[ETHERNET, 0], &[]);
    block(1, &[ETHERNET, 0], &[]);
    for (i, (at_ns, bytes)) in frames.iter().enumerate() {
        let (us, length) = (at_ns / 1000, bytes.len() as u32);
        block(6, &[i as u32 % 2, (us >> 32) as u32, us as u32, length, length], bytes);
    }
    file
}

#[test]
fn both_kinds_of_files_say_the_same() {
    // Microseconds beyond 32 bits.
    let begin_ns = 5_000_000_000 * MS;
    let frames: Vec<_> = (0..30u64).map(|i| (begin_ns + i * 100 * MS, tcp(1000 * i as u32, 1000))).collect();
    let found = loads(&new_file(&frames), RULES).unwrap();
    assert_eq!(found.classes[0].new_tcp_bytes, Some(30_000));
    assert_eq!(found, loads(&file(ETHERNET, &frames, 65535), RULES).unwrap());
}

/// The same packets behind other headers: raw IP, Linux cooked in both versions, a VLAN tag; IPv6.
#[test]
fn links_that_are_known() {
    let (a, b) = (tcp(0, 500), udp((6000, 1), 300));
    let behind = |head: &[u8], link: u32| {
        let frame = |bytes: &[u8]| [head, &bytes[14..]].concat();
        loads(&file(link, &[(0, frame(&a)), (MS, frame(&b))], 65535), RULES).unwrap()
    };
    let mut cooked = [0; 16];
    cooked[14] = 8;
    let mut cooked_2 = [0; 20];
    cooked_2[0] = 8;
    let tagged: [u8; 18] = [2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 0x81, 0, 0, 7, 8, 0];
    for (head, link) in
        [(&[][..], 101), (&[][..], 228), (&cooked[..], 113), (&cooked_2[..], 276), (&tagged[..], 1)]
    {
        let found = behind(head, link);
        assert_eq!(found.matched, [1, 1, 0], "link {link}");
        assert_eq!(found.classes[0].bytes, (540 + head.len()) as u64);
        assert_eq!(found.classes[0].new_tcp_bytes, Some(500));
    }
    let builder = PacketBuilder::ipv6([1; 16], [2; 16], 64).udp(1, 6010);
    let mut six = Vec::new();
    builder.write(&mut six, &[0; 10]).expect("a packet");
    let found = loads(&file(101, &[(0, six.clone()), (MS, six)], 65535), RULES).unwrap();
    assert_eq!(found.matched, [0, 2, 0]);
}

#[test]
fn the_first_rule_decides() {
    let mut expedited = udp((1, 2), 10);
    expedited[15] = 46 << 2;
    let mut fragment = udp((6000, 6000), 10);
    fragment[21] = 1;
    let arp = [&[0xff; 12][..], &[8, 6], &[0; 28]].concat();
    let frames = [(0, expedited), (1, udp((6010, 1), 10)), (2, fragment), (3, arp), (4, tcp(0, 1))];
    let capture = file(ETHERNET, &frames, 65535);
    let found = loads(&capture, "dscp:ef=1,udp:6000-6010=0,udp=2,tcp:5000=1").unwrap();
    assert_eq!((found.matched.as_slice(), found.unmatched), (&[1, 1, 1, 1][..], 1));
    assert_eq!(found.classes.iter().map(|class| class.packets).collect::<Vec<_>>(), [1, 2, 2]);
    // Ports are those of one protocol.
    let found = loads(&capture, " tcp:6000-6010=0 , udp:6010=1,tcp:80=0,udp:5000=0").unwrap();
    assert_eq!((found.matched.as_slice(), found.unmatched), (&[0, 1, 1, 0][..], 3));
    let rules = Rules::parse("tcp=0,dscp:46=1,dscp:EF=1,tcp:80-90=1,udp:7=2", &NAMES).unwrap();
    let found = of_capture(&mut || Ok(Box::new(std::io::Cursor::new(capture.clone()))), &rules).unwrap();
    assert_eq!(
        rules.unreached(&found.matched),
        [
            "rule 3, 'dscp:ef=1', is never reached: rule 2, 'dscp:ef=1', takes all that it would; put it before that one",
            "rule 4, 'tcp:80-90=1', is never reached: rule 1, 'tcp=0', takes all that it would; put it before that one",
            "rule 5, 'udp:7=2', took no packet"
        ]
    );
}

#[test]
fn rules_that_are_none() {
    for (rules, message) in [
        ("tcp=0,udp:6010-6000=1", "rule 2, 'udp:6010-6000=1': its ports are reversed; write 6000-6010"),
        (
            "tcp=3",
            "rule 1, 'tcp=3': there is no class 3: they are 0 to 2 (tcp, mm, other); name more classes",
        ),
        ("tcp", "rule 1, 'tcp': 'tcp' names no class; write PATTERN=CLASS, such as udp:6000-6010=1"),
        (
            "tcp=x",
            "rule 1, 'tcp=x': 'x' is no number of a class; write PATTERN=CLASS, such as udp:6000-6010=1",
        ),
        ("station:7=2", "rule 1, 'station:7=2': a capture knows no numbers of stations; use ports or dscp"),
        (" tcp=0 , station:2=1", "rule 2, 'station:2=1': a capture knows no numbers of stations"),
        ("tcp=0,host", "rule 2, 'host': a capture has no classifier of its own; write *=CLASS"),
        (
            "sctp=1",
            "rule 1, 'sctp=1': 'sctp' is no pattern: tcp, udp, tcp:PORTS, udp:PORTS, dscp:NAME, station:NUMBER or *",
        ),
        ("udp:70000=1", "'70000' is no port: 1 to 65535, or two with a dash, such as 6000-6010"),
        ("dscp:gold=1", "'gold' is no code point: ef, af11 to af43, cs0 to cs7, be, le, va or 0 to 63"),
        ("dscp:64=1", "'64' is no code point"),
        ("", "rule 1, '': '' names no class"),
    ] {
        let said = Rules::parse(rules, &NAMES).unwrap_err().to_string();
        assert!(said.contains(message), "{rules}: {said}");
    }
}

/// A cut capture says what its whole frames say; so does one with zeros at its end.
#[test]
fn a_capture_that_is_not_whole_counts_to_its_end() {
    let frames: Vec<_> = (0..3u64).map(|i| (i * 500 * MS, tcp(946 * i as u32, 946))).collect();
    let (two, three) = (file(ETHERNET, &frames[..2], 65535), file(ETHERNET, &frames, 65535));
    let whole = loads(&two, RULES).unwrap();
    let (offset, frames) = (two.len() as u64, 2);
    for (bytes, end) in [
        (three[..two.len() + 1].to_vec(), End::Cut { offset, frames }),
        (three[..two.len() + 20].to_vec(), End::Cut { offset, frames }),
        (three[..three.len() - 1].to_vec(), End::Cut { offset, frames }),
        ([two, vec![0; 4096]].concat(), End::Zeros { offset, frames }),
    ] {
        assert_eq!(loads(&bytes, RULES).unwrap(), Loads { end, ..whole.clone() });
    }
    assert_eq!(whole.rate(whole.classes[0].bytes), 4000.0);
}

/// Half of a line's packets come in PPPoE sessions: they are counted by their own headers. Those in MPLS are counted by
/// none.
#[test]
fn sessions_are_decoded_and_labels_are_counted() {
    let behind = |head: &[u8], frame: Vec<u8>| [&frame[..12], head, &frame[14..]].concat();
    let session = [0x88, 0x64, 0x11, 0, 0, 7, 0, 0, 0, 0x21];
    let frames: Vec<_> = (0..40u64)
        .map(|i| {
            let frame = tcp(1000 * i as u32, 1000);
            (i * MS, if i % 2 == 0 { frame } else { behind(&session, frame) })
        })
        .chain([(40 * MS, behind(&[0x88, 0x47, 0, 1, 0x41, 64], tcp(0, 1000)))])
        .collect();
    let found = loads(&file(ETHERNET, &frames, 65535), RULES).unwrap();
    assert_eq!(found.classes[0].new_tcp_bytes, Some(40_000));
    assert_eq!(found.classes[0].bytes, 20 * 1054 + 20 * (1054 + 8));
    assert_eq!((found.matched.as_slice(), found.unmatched), (&[40, 0, 1][..], 0));
    assert_eq!(found.unread.words(), ["1 frame is not decoded (MPLS 1)"]);
}

#[test]
fn captures_that_say_nothing() {
    let frames = [(5 * MS, tcp(0, 10)), (6 * MS, tcp(10, 10))];
    let good = file(ETHERNET, &frames, 65535);
    let said = |file: &[u8]| loads(file, RULES).unwrap_err().to_string();
    assert_eq!(said(&[]), "it is empty: give a capture with frames");
    assert_eq!(said(&file(ETHERNET, &[], 65535)), "it is empty: give a capture with frames");
    assert!(
        said(b"hello, world")
            .starts_with("it is no pcap or pcapng file (it begins with [68, 65, 6c, 6c]): give")
    );
    assert_eq!(said(&good[..30]), "it ends at byte 24 within its first frame: capture again");
    let reversed = file(ETHERNET, &[frames[1].clone(), frames[0].clone()], 65535);
    assert_eq!(
        said(&reversed),
        "frame 2 is 1000 us earlier than the one before: sort it first, reordercap IN OUT"
    );
    assert!(said(&file(127, &frames, 65535)).contains("Ethernet, IP or Linux cooked is needed"));
    assert!(
        said(&file(ETHERNET, &frames[..1], 65535))
            .starts_with("its frames are all of one moment (1 of them)")
    );
    let later = file(ETHERNET, &[(0, tcp(0, 10)), (4_000_000_000 * 1_000_000_000, tcp(0, 10))], 65535);
    assert!(said(&later).starts_with("it is 4000000000 s long"), "{}", said(&later));
    // What is no packet at all is of the last class.
    let odd =
        loads(&file(ETHERNET, &[(0, vec![0; 3]), (MS, vec![]), (2 * MS, vec![0xff; 60])], 65535), RULES)
            .unwrap();
    assert_eq!(odd.classes[2].packets, 3);
}

/// Segments at random, with what is sent again, overtakes and overlaps, around the end of the sequence numbers.
#[test]
fn new_bytes_are_those_of_a_book() {
    let flow = Flow::default();
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for begin in [0u32, 77, u32::MAX - 20_000] {
        let mut seen = Seen::default();
        let mut book = vec![false; 60_000];
        let first = Segment { flow, sequence: begin, syn: true, payload: 0 };
        assert_eq!(seen.new_bytes(&first), 0);
        for _ in 0..400 {
            let (from, length) = (random(58_000), random(1500));
            let sequence = begin.wrapping_add(1).wrapping_add(from as u32);
            let found = seen.new_bytes(&Segment { flow, sequence, syn: false, payload: length as u32 });
            let bytes = &mut book[from as usize..(from + length) as usize];
            assert_eq!(found, bytes.iter().filter(|known| !**known).count() as u64);
            bytes.fill(true);
        }
        // What is known is new when the ports are used again.
        let again = Segment { flow, sequence: begin.wrapping_add(1), syn: false, payload: 100 };
        seen.new_bytes(&again);
        assert_eq!(seen.new_bytes(&again), 0);
        assert_eq!(seen.new_bytes(&first), 0);
        assert_eq!((seen.new_bytes(&again), seen.new_bytes(&again)), (100, 0));
        // Data of a SYN begins behind it.
        assert_eq!(seen.new_bytes(&Segment { payload: 60, ..first }), 60);
        assert_eq!((seen.new_bytes(&again), seen.new_bytes(&again)), (40, 0));
    }
}

/// Pieces that touch are one, in whichever order they come: no hole is forgotten for them.
#[test]
fn pieces_that_touch_are_one() {
    let segment = |sequence| Segment { flow: Flow::default(), sequence, syn: false, payload: 1 };
    let mut seen = Seen::default();
    let new: u64 = [0].into_iter().chain((2..3000).rev()).map(|i| seen.new_bytes(&segment(i))).sum();
    assert_eq!((new, seen.new_bytes(&segment(1)), seen.new_bytes(&segment(1))), (2999, 1, 0));
}

/// Frames of 1.5 s: the largest mean of 2 s is the mean of all. Of 2.1 s, the last 2 s have less than the first.
#[test]
fn a_peak_is_of_two_seconds_at_most() {
    let of = |last_ms: u64| {
        let frames = [(0, tcp(0, 946)), (100 * MS, tcp(946, 446)), (last_ms * MS, tcp(1392, 46))];
        let found = loads(&file(ETHERNET, &frames, 65535), RULES).unwrap();
        (found.peak(0), found.rate(found.classes[0].bytes))
    };
    // 1000, 500 and 100 bytes.
    assert_eq!(of(1500), (1600.0 / 1.5, 1600.0 / 1.5));
    assert_eq!(of(2000), (800.0, 800.0));
    assert_eq!(of(2100), (750.0, 1600.0 / 2.1));
    // One ns earlier than the frame before is earlier.
    let frames = [(5 * MS, tcp(0, 10)), (5 * MS - 1, tcp(10, 10)), (6 * MS, tcp(20, 10))];
    let said = loads(&file(ETHERNET, &frames, 65535), RULES).unwrap_err().to_string();
    assert!(said.starts_with("frame 2 is 1 us earlier than the one before"), "{said}");
    let frames = [(5 * MS, tcp(0, 10)), (5 * MS, tcp(10, 10)), (6 * MS, tcp(20, 10))];
    assert_eq!(loads(&file(ETHERNET, &frames, 65535), RULES).map(|found| found.frames).ok(), Some(3));
}

/// More holes than are remembered: the oldest count as filled, and nothing grows.
#[test]
fn holes_are_forgotten() {
    let segment = |sequence| Segment { flow: Flow::default(), sequence, syn: false, payload: 1 };
    let mut seen = Seen::default();
    let new: u64 = (0..5000).map(|i| seen.new_bytes(&segment(2 * i))).sum();
    assert_eq!(new, 5000);
    assert_eq!(seen.new_bytes(&segment(1)), 0, "an old hole");
    assert_eq!(seen.new_bytes(&segment(9_997)), 1, "a young one");
    // 1024 pieces have all of their holes; one more, and the first of them is filled.
    let holes = |pieces: u32| {
        let mut seen = Seen::default();
        assert_eq!((0..pieces).map(|i| seen.new_bytes(&segment(2 * i))).sum::<u64>(), u64::from(pieces));
        [1, 3].map(|hole| seen.new_bytes(&segment(hole)))
    };
    assert_eq!([1024, 1025].map(holes), [[1, 1], [0, 1]]);
}

/// A TCP segment in a frame of Ethernet: 54 bytes of headers.
fn segment(ports: (u16, u16), sequence: u32, payload: usize) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2([1; 6], [2; 6])
        .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .tcp(ports.0, ports.1, sequence, 100);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![0; payload]).expect("a frame");
    bytes
}

/// Flows with the same sequence numbers, of two classes, one sent again; the other direction is a flow of its own.
#[test]
fn each_flow_and_each_class_has_its_own_bytes() {
    let frames = [
        (0, segment((80, 5000), 0, 1000)),
        (1, segment((80, 5001), 0, 700)),
        (2, segment((443, 5002), 0, 400)),
        (3, segment((5000, 80), 0, 90)),
        (4, segment((80, 5000), 0, 1000)),
        (5, segment((443, 5002), 400, 50)),
        (6, udp((7, 7), 10)),
        (7, udp((7, 7), 10)),
        (8 * MS, udp((6000, 7), 10)),
    ];
    let found = loads(&file(ETHERNET, &frames, 65535), "tcp:80=1,tcp=0,udp:6000=0").unwrap();
    let [first, second, last] = found.classes.as_slice() else { panic!("three classes") };
    let new = [first, second, last].map(|class| class.new_tcp_bytes);
    assert_eq!(new, [Some(450), Some(1790), None]);
    assert_eq!([first, second, last].map(|class| class.packets), [3, 4, 2]);
    // A frame of UDP has 42 bytes of headers.
    assert_eq!((first.bytes, second.bytes), (2 * 54 + 450 + 52, 4 * 54 + 2790));
    assert_eq!((found.matched.as_slice(), found.unmatched), (&[4, 2, 1][..], 2));
    assert_eq!((first.packet_bytes(), ClassLoad::default().packet_bytes()), (Some(610.0 / 3.0), None));
    assert_eq!((found.frames, found.span_ns), (9, 8 * MS));
}

/// Space around a rule and both ends of a range of ports.
#[test]
fn rules_are_read_as_they_are_meant() {
    let frames: Vec<_> =
        [5999, 6000, 6010, 6011].into_iter().zip(0..).map(|(port, i)| (i * MS, udp((port, 9), 10))).collect();
    let found = loads(&file(ETHERNET, &frames, 65535), " udp:6000-6010=1 , udp=0 ").unwrap();
    assert_eq!((found.matched.as_slice(), found.unmatched), (&[2, 2][..], 0));
    let rules = Rules::parse("tcp=2,*=0", &NAMES).unwrap();
    assert_eq!((rules.len(), rules.classes(), rules.all().len()), (2, 3, 2));
    let last = Rules::parse("tcp=0, udp:7=1, udp:8=9 ", &NAMES).unwrap_err();
    assert_eq!((last.number, last.written.as_str()), (3, "udp:8=9"));
}
