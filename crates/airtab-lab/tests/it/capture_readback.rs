// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures read back by other programs' code: pcap-file, radiotap and
//! etherparse always, tshark where it is installed (with AIRTAB_TSHARK set it
//! has to be).

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::process::Command;

use airtab_core::{Discipline, Params};
use airtab_lab::{SNAP_BYTES, capture};
use airtab_scenario::{ScenarioFile, short};
use airtab_sim::tcp::Config;
use airtab_sim::wifi::{End, Loss};
use airtab_sim::{Scenario, Simulation};
use etherparse::{IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::blocks::section_header::SectionHeaderOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use radiotap::Radiotap;

const SPAN: Range<u64> = 9_000_000_000..10_500_000_000;

/// The built-in home with lossy links: ACKs are lost, frames are repeated.
fn rough_home() -> Scenario {
    let mut scenario = short(&ScenarioFile::home().scenario);
    scenario.stations.iter_mut().for_each(|s| s.loss = Loss::at(12.0));
    scenario
}

fn chap() -> Params {
    let mut params = Params::new(Discipline::named("chap").unwrap());
    for (name, value) in [("share", "flow"), ("uplink", "off"), ("target", "5ms")] {
        params.set(name, value).unwrap();
    }
    params
}

fn captured(scenario: &Scenario) -> Vec<u8> {
    let mut file = Vec::new();
    let frames = capture(scenario, "chap", &chap(), 1, &SPAN, &mut file).unwrap();
    assert_eq!(frames as usize, read(&file).1.len());
    file
}

struct Frame {
    interface: usize,
    at_ns: u64,
    length: usize,
    bytes: Vec<u8>,
    comment: Option<String>,
}

impl Frame {
    /// Radiotap and what follows it.
    fn parts(&self) -> (Radiotap, &[u8]) {
        let (radiotap, rest) = Radiotap::parse(&self.bytes).unwrap();
        (radiotap, rest)
    }
}

/// Names of the interfaces, and the frames.
fn read(file: &[u8]) -> (Vec<String>, Vec<Frame>) {
    let mut reader = PcapNgReader::new(file).unwrap();
    let (mut interfaces, mut frames) = (Vec::new(), Vec::new());
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::InterfaceDescription(i) => {
                let name = i.options.iter().find_map(|o| match o {
                    InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                    _ => None,
                });
                assert!(i.options.contains(&InterfaceDescriptionOption::IfTsResol(9)), "nanoseconds");
                interfaces.push(name.unwrap());
            }
            Block::EnhancedPacket(p) => frames.push(Frame {
                interface: p.interface_id as usize,
                at_ns: p.timestamp.as_nanos() as u64,
                length: p.original_len as usize,
                bytes: p.data.to_vec(),
                comment: p.options.iter().find_map(|o| match o {
                    EnhancedPacketOption::Comment(c) => Some(c.to_string()),
                    _ => None,
                }),
            }),
            other => panic!("{other:?}"),
        }
    }
    (interfaces, frames)
}

const DATA: u8 = 0x08;
const BEACON: u8 = 0x80;
const ACK: u8 = 0xd4;
const RETRY: u8 = 0x08;

#[test]
fn every_attempt_is_there_with_its_rate_and_its_end() {
    let scenario = rough_home();
    let (interfaces, frames) = read(&captured(&scenario));
    let names: Vec<&str> = scenario.stations.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(interfaces, [&names[..], &["ap"]].concat());
    assert!(frames.is_sorted_by_key(|f| f.at_ns) && SPAN.contains(&frames[0].at_ns));

    let mut simulation = Simulation::new(&scenario, &chap(), 1);
    simulation.advance(SPAN.start);
    simulation.watch_air(true);
    simulation.advance(SPAN.end);
    let mut rest = frames.iter();
    let (mut retries, mut lost_acks) = (0, 0);
    for seen in simulation.frames() {
        let frame = rest.next().unwrap();
        assert_eq!(frame.at_ns, seen.start_ns);
        let (radiotap, mac) = frame.parts();
        assert_eq!(radiotap.tsft.unwrap().value, seen.start_ns / 1000);
        assert_eq!(radiotap.rate.unwrap().value * 1000.0, seen.kbps as f32);
        assert_eq!(radiotap.channel.unwrap().freq, 2412);
        let retry = mac[1] & RETRY != 0;
        assert_eq!(retry, seen.attempt > 1);
        retries += u32::from(retry);
        let expected = match seen.end {
            End::Collision => Some("collision"),
            End::DataLost => Some("lost on the air"),
            _ => None,
        };
        assert_eq!(frame.comment.as_deref(), expected);
        if matches!(seen.end, End::Acked | End::AckLost) {
            let ack = rest.next().unwrap();
            let (radiotap, answer) = ack.parts();
            assert_eq!(ack.at_ns, seen.start_ns + seen.data_ns + scenario.medium.phy().unwrap().sifs_ns());
            assert_eq!(radiotap.rate.unwrap().value, 24.0, "the ACK of 54 Mb/s");
            assert_eq!((answer[0], &answer[4..10]), (ACK, &mac[10..16]), "to the sender");
            assert_eq!(ack.comment.as_deref(), (seen.end == End::AckLost).then_some("lost on the air"));
            lost_acks += u32::from(seen.end == End::AckLost);
        }
        let interface = seen.station.unwrap_or(interfaces.len() - 1);
        assert_eq!(frame.interface, interface);
    }
    assert!(rest.next().is_none() && retries > 100 && lost_acks > 10, "{retries} {lost_acks}");
}

/// A file says of what run it is, and that of each interface its address is that of its frames.
#[test]
fn a_file_says_of_what_run_it_is() {
    let mut scenario = rough_home();
    scenario.name = "rough".into();
    let mut file = Vec::new();
    capture(&scenario, "chap:limit=70", &chap(), 23, &(SPAN.start..SPAN.start + 50_000_000), &mut file)
        .unwrap();
    let mut reader = PcapNgReader::new(&file[..]).unwrap();
    let comments: Vec<String> = reader
        .section()
        .options
        .iter()
        .filter_map(|option| match option {
            SectionHeaderOption::Comment(comment) => Some(comment.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(comments, ["scenario rough under chap:limit=70, seed 23; times are simulated"]);
    let (mut addresses, mut own) = (Vec::new(), 0);
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::InterfaceDescription(i) => addresses.extend(i.options.iter().find_map(|o| match o {
                InterfaceDescriptionOption::IfMacAddr(mac) => Some(mac.to_vec()),
                _ => None,
            })),
            Block::EnhancedPacket(p) => {
                let (_, mac) = Radiotap::parse(&p.data).unwrap();
                // A frame of data is one of its station's, down or up.
                if mac[0] == DATA {
                    let station = if mac[1] & 2 != 0 { &mac[4..10] } else { &mac[10..16] };
                    assert_eq!(addresses[p.interface_id as usize], station);
                    own += 1;
                }
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(own > 20 && addresses.len() == scenario.stations.len() + 1, "{own} {addresses:?}");
}

#[test]
fn headers_lengths_and_checksums_are_right() {
    let options = check_headers(&rough_home());
    assert_eq!(options, HashSet::from(["sack", "mss", "scale", "permitted"]));
    let mut old = rough_home();
    old.tcp = Config::bsd44();
    let options = check_headers(&old);
    assert_eq!(options, HashSet::from(["mss", "scale", "noop", "timestamps"]));
}

/// The TCP options that its frames have.
fn check_headers(scenario: &Scenario) -> HashSet<&'static str> {
    let (_, frames) = read(&captured(scenario));
    let mss = scenario.tcp.mss as u16;
    let mut sequence: BTreeMap<[u8; 6], u16> = BTreeMap::new();
    let mut options = HashSet::new();
    let (mut tcp_frames, mut udp_frames, mut beacons) = (0, 0, 0);
    for frame in &frames {
        assert_eq!(frame.bytes.len(), frame.length.min(SNAP_BYTES as usize));
        let (radiotap, mac) = frame.parts();
        if mac[0] == ACK {
            assert_eq!((mac.len(), &mac[1..4]), (10, &[0; 3][..]));
            continue;
        }
        let sender: [u8; 6] = mac[10..16].try_into().unwrap();
        let number = u16::from_le_bytes([mac[22], mac[23]]) >> 4;
        if let Some(last) = sequence.insert(sender, number) {
            let step = u16::from(mac[1] & RETRY == 0);
            assert_eq!(number, (last + step) & 0xfff, "one number for each frame, not for each attempt");
        }
        if mac[0] == BEACON {
            assert_eq!(&mac[4..10], &[255; 6]);
            assert_eq!(mac.len(), 100 - 4, "less its FCS");
            let mut elements = &mac[36..];
            while let [_, length, rest @ ..] = elements {
                elements = &rest[usize::from(*length)..];
            }
            assert!(elements.is_empty(), "elements end with the frame");
            beacons += 1;
            continue;
        }
        assert_eq!((mac[0], mac[1] & 3 == 1 || mac[1] & 3 == 2), (DATA, true), "to or from the wires");
        assert_eq!(u16::from_le_bytes([mac[2], mac[3]]), 35, "SIFS 10, preamble 20, 14 bytes 4.67 us");
        assert_eq!(mac[24..32], [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
        let (ip, rest) = Ipv4Header::from_slice(&mac[32..]).unwrap();
        assert_eq!(usize::from(ip.total_len), frame.length - radiotap.header.length - 32);
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        let (down, up) = ([198, 18], [10, 0]);
        let ends = if mac[1] & 2 != 0 { (down, up) } else { (up, down) };
        assert_eq!((&ip.source[..2], &ip.destination[..2]), (&ends.0[..], &ends.1[..]));
        if ip.protocol == IpNumber::UDP {
            let (udp, _) = UdpHeader::from_slice(rest).unwrap();
            let payload = vec![0; usize::from(udp.length) - 8];
            assert_eq!(udp.length, ip.total_len - 20);
            assert_eq!(udp.checksum, udp.calc_checksum_ipv4(&ip, &payload).unwrap());
            udp_frames += 1;
        } else {
            let (tcp, _) = TcpHeader::from_slice(rest).unwrap();
            let payload = vec![0; usize::from(ip.total_len) - 20 - tcp.header_len()];
            assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(&ip, &payload).unwrap());
            for option in tcp.options_iterator() {
                options.insert(match option.unwrap() {
                    TcpOptionElement::SelectiveAcknowledgement((left, right), _) => {
                        assert!(left < right && left >= tcp.acknowledgment_number);
                        "sack"
                    }
                    TcpOptionElement::MaximumSegmentSize(own) if tcp.syn && own == mss => "mss",
                    TcpOptionElement::WindowScale(7) if tcp.syn => "scale",
                    TcpOptionElement::SelectiveAcknowledgementPermitted if tcp.syn => "permitted",
                    TcpOptionElement::Noop => "noop",
                    TcpOptionElement::Timestamp(value, echo) if echo < value => "timestamps",
                    other => panic!("{other:?}"),
                });
            }
            tcp_frames += 1;
        }
    }
    assert!(tcp_frames > 500 && udp_frames > 100, "{tcp_frames} {udp_frames}");
    assert!((14..=15).contains(&beacons), "{beacons} in 1.5 s");
    options
}

#[test]
fn the_file_grows_with_the_span_and_not_beyond() {
    let scenario = short(&ScenarioFile::home().scenario);
    let frames = |span: Range<u64>| {
        let mut file = Vec::new();
        capture(&scenario, "chap", &chap(), 1, &span, &mut file).unwrap();
        read(&file).1
    };
    let (short, long) = (frames(9_000_000_000..9_250_000_000), frames(9_000_000_000..9_500_000_000));
    assert!(short.iter().all(|f| f.at_ns < 9_250_000_000));
    assert!(long.len() > short.len() && long.iter().zip(&short).all(|(a, b)| a.bytes == b.bytes));
    assert!(frames(0..1).is_empty(), "nobody has sent yet");
}

fn tshark(path: &std::path::Path, arguments: &[&str]) -> Vec<String> {
    let output = Command::new("tshark").arg("-r").arg(path).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

#[test]
fn tshark_reads_the_same() {
    if Command::new("tshark").arg("--version").output().is_err() {
        assert!(std::env::var_os("AIRTAB_TSHARK").is_none(), "tshark is not installed");
        eprintln!("tshark is not installed: nothing was checked");
        return;
    }
    let file = captured(&rough_home());
    // A name of its own: the same test may run twice at once.
    let capture = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(&capture, &file).unwrap();
    let path = capture.path();
    let (_, frames) = read(&file);
    let bad =
        "_ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0 || tcp.checksum.status == 0";
    let checks = ["ip", "udp", "tcp"].map(|protocol| format!("{protocol}.check_checksum:TRUE"));
    let mut arguments: Vec<&str> = checks.iter().flat_map(|check| ["-o", check]).collect();
    arguments.extend(["-Y", bad]);
    assert_eq!(tshark(path, &arguments), Vec::<String>::new(), "malformed, or a wrong checksum");
    let seen = tshark(
        path,
        &["-T", "fields", "-e", "radiotap.datarate", "-e", "wlan.fc.retry", "-e", "wlan.fc.type_subtype"],
    );
    let expected = frames.iter().map(|f| {
        let (radiotap, mac) = f.parts();
        let kind = match mac[0] {
            DATA => "0x0020",
            BEACON => "0x0008",
            _ => "0x001d",
        };
        format!("{}\t{}\t{kind}", radiotap.rate.unwrap().value, u8::from(mac[1] & RETRY != 0))
    });
    let truth = |line: &String| line.replace("False", "0").replace("True", "1");
    assert_eq!(seen.iter().map(truth).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let laptop = tshark(path, &["-Y", "frame.interface_name == \"laptop\" && tcp.port == 80"]);
    assert!(laptop.len() > 1000, "{}", laptop.len());
}
