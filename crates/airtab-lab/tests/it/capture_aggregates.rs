// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures of cells that aggregate, read back by tshark where it is installed (with AIRTAB_TSHARK set it has
//! to be): what is said of each frame against what the simulator says it sent, and what BLOCK ACKs say against
//! the frames before them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::process::Command;

use airtab_core::{Discipline, Format, Params};
use airtab_lab::capture;
use airtab_scenario::ScenarioFile;
use airtab_sim::wifi::{Category, End};
use airtab_sim::{AirFrame, Content, Scenario, Simulation};

const SPAN: Range<u64> = 3_000_000_000..3_400_000_000;

/// Two stations, the second of two streams, with losses; a call, a download and an upload.
fn cell(wifi: &str) -> Scenario {
    let text = format!(
        r#"
        name = "aggregates"
        duration = "4s"
        measure = ["1s", "4s"]
        [wifi]
        {wifi}
        [[station]]
        name = "phone"
        mcs = 4
        fer = 0.05
        [[station]]
        name = "laptop"
        mcs = 7
        streams = 2
        gi = "short"
        fer = 0.2
        [[app]]
        name = "call"
        kind = "voip"
        station = "phone"
        access = "vo"
        [[app]]
        name = "down"
        kind = "download"
        station = "laptop"
        [[app]]
        name = "up"
        kind = "upload"
        station = "laptop"
        [[app]]
        name = "down2"
        kind = "download"
        station = "phone"
        "#
    );
    let gi = match text.contains("11ax") {
        true if text.contains("ofdma") => "800ns", // as the phone's, or they never go together
        true => "1600ns",
        false => "400ns",
    };
    let text = text.replace("short", gi);
    ScenarioFile::parse("aggregates.toml", &text).unwrap_or_else(|e| panic!("{e}")).scenario
}

fn fifo() -> Params {
    Params::new(Discipline::named("fifo").unwrap())
}

fn seen(scenario: &Scenario) -> Vec<AirFrame> {
    let mut simulation = Simulation::new(scenario, &fifo(), 1);
    simulation.advance(SPAN.start);
    simulation.watch_air(true);
    simulation.advance(SPAN.end);
    simulation.frames().collect()
}

/// Whether there is a tshark.
fn tshark_is_there() -> bool {
    let there = Command::new("tshark").arg("--version").output().is_ok();
    assert!(there || std::env::var_os("AIRTAB_TSHARK").is_none(), "tshark is not installed");
    if !there {
        eprintln!("tshark is not installed: nothing was checked");
    }
    there
}

/// TID of a block ACK request and of a BLOCK ACK.
const TID: &str = "wlan.ba.basic.tidinfo";

const FIELDS: [&str; 31] = [
    "radiotap.he.data_1.ppdu_format",
    TID,
    "wlan.fc.type_subtype",
    "wlan.ra",
    "wlan.ta",
    "wlan.seq",
    "wlan.fc.retry",
    "wlan.qos.tid",
    "radiotap.mcs.index",
    "radiotap.mcs.bw",
    "radiotap.mcs.gi",
    "radiotap.vht.mcs.0",
    "radiotap.vht.nss.0",
    "radiotap.vht.bw",
    "radiotap.vht.gi",
    "radiotap.he.data_3.data_mcs",
    "radiotap.he.data_6.nsts",
    "radiotap.he.data_5.data_bw_ru_allocation",
    "radiotap.he.data_5.gi",
    "radiotap.ampdu.reference",
    "radiotap.ampdu.flags.last",
    "radiotap.ampdu.flags.eof",
    "radiotap.datarate",
    "wlan.fixed.ssc.sequence",
    "wlan.ba.bm",
    "frame.comment",
    "frame.time_epoch",
    "wlan_aggregate.a_mdsu.length",
    "frame.len",
    "radiotap.length",
    "wlan.duration",
];

/// A line of tshark's.
struct Line(BTreeMap<&'static str, String>);

impl Line {
    fn text(&self, field: &str) -> &str {
        &self.0[field]
    }

    fn number(&self, field: &str) -> u64 {
        let text = self.text(field);
        let text = text.split(',').next().unwrap();
        match (text, text.strip_prefix("0x")) {
            ("False", _) => 0,
            ("True", _) => 1,
            (_, Some(hex)) => u64::from_str_radix(hex, 16).unwrap(),
            _ => text.parse().unwrap_or_else(|_| panic!("{field}: '{text}'")),
        }
    }

    fn kind(&self) -> u64 {
        self.number("wlan.fc.type_subtype")
    }

    fn heard(&self) -> bool {
        self.text("frame.comment").is_empty()
    }

    /// Sender, receiver, TID.
    fn way(&self) -> (String, String, u64) {
        (self.text("wlan.ta").into(), self.text("wlan.ra").into(), self.number("wlan.qos.tid"))
    }
}

/// What tshark says of a capture; and that nothing in it is malformed.
fn lines(scenario: &Scenario) -> Vec<Line> {
    let mut file = Vec::new();
    let written = capture(scenario, "fifo", &fifo(), 1, &SPAN, &mut file).unwrap();
    // A name of its own: the same test may run twice at once.
    let capture = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(&capture, &file).unwrap();
    let tshark = |arguments: &[&str]| {
        let output = Command::new("tshark").arg("-r").arg(capture.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let bad = "_ws.malformed || _ws.expert.severity == error || radiotap.length < 22";
    assert_eq!(tshark(&["-Y", bad]), "");
    let fields: Vec<&str> = FIELDS.iter().flat_map(|field| ["-e", field]).collect();
    let text = tshark(&[&["-T", "fields"], &fields[..]].concat());
    let line = |line: &str| Line(FIELDS.into_iter().zip(line.split('\t').map(str::to_string)).collect());
    let lines: Vec<Line> = text.lines().map(line).collect();
    assert_eq!(lines.len() as u64, written);
    lines
}

const QOS_DATA: u64 = 0x28;
const BEACON: u64 = 0x08;
const BAR: u64 = 0x18;
const BLOCK_ACK: u64 = 0x19;
const RTS: u64 = 0x1b;
const CTS: u64 = 0x1c;
const ACK: u64 = 0x1d;

/// What tells a PPDU from others, be they sent at once.
fn ppdu(frame: &AirFrame) -> (u64, bool, Option<usize>) {
    (frame.start_ns, frame.down, frame.station)
}

/// What is said of each frame's rate, place and number, against what the simulator sent.
fn check_frames(lines: &[Line], seen: &[AirFrame]) {
    let sent: Vec<&Line> = lines.iter().filter(|l| ![ACK, BLOCK_ACK, CTS].contains(&l.kind())).collect();
    // The packets of an A-MSDU are one frame.
    let amsdu =
        |a: &AirFrame, b: &AirFrame| a.sequence.is_some() && (ppdu(a), a.sequence) == (ppdu(b), b.sequence);
    let mpdus: Vec<&[AirFrame]> = seen.chunk_by(amsdu).collect();
    assert_eq!(sent.len(), mpdus.len());
    let mut references = BTreeMap::new();
    let mut last = 0;
    for (i, (line, mpdu)) in sent.iter().zip(&mpdus).enumerate() {
        let frame = &mpdu[0];
        let kind = match frame.content {
            Content::Beacon => BEACON,
            Content::Rts => RTS,
            Content::BlockAckRequest => BAR,
            Content::Packet(_) => QOS_DATA,
        };
        assert_eq!(line.kind(), kind);
        let seconds: f64 = line.text("frame.time_epoch").parse().unwrap();
        assert_eq!((seconds * 1e9).round() as u64 / 1000, frame.start_ns / 1000);
        let comment = match frame.end {
            End::Collision => "collision",
            End::DataLost => "lost on the air",
            _ => "",
        };
        assert_eq!(line.text("frame.comment"), comment);
        assert_eq!(line.number("wlan.duration"), frame.rest_ns.div_ceil(1000));
        if kind != QOS_DATA {
            assert!([6, 12, 24].contains(&line.number("radiotap.datarate")));
            assert_eq!(line.text("radiotap.ampdu.reference"), "");
            continue;
        }
        let number = frame.sequence.unwrap();
        assert_eq!(line.number("wlan.seq"), number % 4096);
        assert_eq!(line.number("wlan.fc.retry") == 1, frame.attempt > 1);
        assert_eq!(line.number("wlan.qos.tid"), if frame.category == Category::Voice { 6 } else { 0 });
        let bytes: u32 = mpdu
            .iter()
            .map(|part| match part.content {
                Content::Packet(packet) => packet.bytes,
                _ => unreachable!(),
            })
            .sum();
        let around = match mpdu.len() {
            1 => 34..=34,
            n => 26 + 22 * n as u64..=26 + 25 * n as u64,
        };
        let length = line.number("frame.len") - line.number("radiotap.length");
        assert!(around.contains(&(length - u64::from(bytes))), "{} packets, {length} bytes", mpdu.len());
        let rate = &frame.rate;
        let (mcs, streams) = (u64::from(rate.mcs()), u64::from(rate.streams()));
        match rate.format() {
            Format::Legacy => panic!("{rate}"),
            Format::Ht => {
                assert_eq!(line.number("radiotap.mcs.index"), mcs + 8 * (streams - 1));
                assert_eq!(line.number("radiotap.mcs.gi"), u64::from(rate.gi_ns() == 400));
                assert_eq!(line.number("radiotap.mcs.bw"), u64::from(rate.width_mhz() == 40));
                // tshark works it out from the MCS.
                let mbps: f64 = line.text("radiotap.datarate").parse().unwrap_or(f64::NAN);
                assert!(mbps.is_nan() || (mbps - f64::from(rate.kbps()) / 1e3).abs() < 0.06, "{mbps}");
            }
            Format::Vht => {
                assert_eq!(line.number("radiotap.vht.mcs.0"), mcs);
                assert_eq!(line.number("radiotap.vht.nss.0"), streams);
                assert_eq!(line.number("radiotap.vht.gi"), u64::from(rate.gi_ns() == 400));
                assert_eq!((line.number("radiotap.vht.bw"), rate.width_mhz()), (4, 80));
            }
            Format::He => {
                assert_eq!(line.number("radiotap.he.data_3.data_mcs"), mcs);
                assert_eq!(line.number("radiotap.he.data_6.nsts"), streams);
                assert_eq!(line.number("radiotap.he.data_5.gi"), u64::from(rate.gi_ns() / 1600));
                // HE SU in 80 MHz, or HE MU on a half of it.
                let format = line.number("radiotap.he.data_1.ppdu_format");
                let place = line.number("radiotap.he.data_5.data_bw_ru_allocation");
                assert_eq!((format, place), if rate.ru() == 484 { (2, 8) } else { (0, 2) });
                assert_eq!((rate.width_mhz(), rate.ru() % 484), (80, 0));
            }
        }
        // One number for each aggregate, and nothing else in it.
        let alike = |j: usize| ppdu(&mpdus[j][0]) == ppdu(frame);
        let first = i == 0 || !alike(i - 1);
        let end = i + 1 == mpdus.len() || !alike(i + 1);
        if first && end && rate.format() == Format::Ht {
            assert_eq!(line.text("radiotap.ampdu.reference"), "");
            continue;
        }
        let reference = line.number("radiotap.ampdu.reference");
        assert_eq!(reference > last, first);
        last = reference;
        references.entry(reference).or_insert_with(Vec::new).push(number);
        assert_eq!(line.number("radiotap.ampdu.flags.last") == 1, end);
        // On a resource unit a lone one is an aggregate of one: it is answered by a BLOCK ACK.
        let alone = first && end && rate.ru() == 0;
        assert_eq!(line.number("radiotap.ampdu.flags.eof") == 1, alone);
    }
    assert!(references.values().any(|numbers| numbers.len() > 8), "long ones");
    for numbers in references.values() {
        assert!(numbers.is_sorted_by(|a, b| a < b) && numbers[numbers.len() - 1] < numbers[0] + 256);
    }
}

/// What the file alone shows of an agreement.
#[derive(Default)]
struct Agreement {
    newest: u64,
    received: BTreeSet<u64>,
    acknowledged: BTreeSet<u64>,
}

impl Agreement {
    /// A number on the air, counted on.
    fn whole(&mut self, number: u64) -> u64 {
        if self.newest == 0 {
            self.newest = 4096 + number;
        }
        let step = (number + 4096 - self.newest % 4096) % 4096;
        let whole = if step < 2048 { self.newest + step } else { self.newest + step - 4096 };
        self.newest = self.newest.max(whole);
        whole
    }
}

/// BLOCK ACKs against the frames before them, from the file alone. Gives how many there were, how many of them
/// showed a gap, and BARs.
fn check_block_acks(lines: &[Line], octets: usize) -> [usize; 3] {
    let mut agreements: BTreeMap<(String, String, u64), Agreement> = BTreeMap::new();
    let [mut answers, mut gaps, mut bars] = [0; 3];
    let mut asked = None;
    // Numbers of the PPDU that may be answered, and those of them that arrived in it.
    let mut aggregate: Vec<u64> = Vec::new();
    let mut arrived: BTreeSet<u64> = BTreeSet::new();
    let mut before = (String::new(), String::new());
    for line in lines {
        match line.kind() {
            QOS_DATA => {
                let agreement = agreements.entry(line.way()).or_default();
                let number = agreement.whole(line.number("wlan.seq"));
                assert!(!agreement.acknowledged.contains(&number), "{number} is acknowledged already");
                let ppdu = (line.text("frame.time_epoch").into(), line.text("wlan.ta").into());
                if before != ppdu {
                    aggregate.clear();
                    arrived.clear();
                }
                before = ppdu;
                aggregate.push(number);
                if line.heard() {
                    agreement.received.insert(number);
                    arrived.insert(number);
                }
                asked = Some(line.way());
            }
            BAR => {
                bars += 1;
                aggregate.clear();
                arrived.clear();
                let start = line.number("wlan.fixed.ssc.sequence");
                let way = (line.text("wlan.ta").into(), line.text("wlan.ra").into(), line.number(TID));
                asked = Some(way.clone());
                let agreement = agreements.entry(way).or_default();
                aggregate.push(agreement.whole(start));
            }
            BLOCK_ACK => {
                let way = asked.clone().unwrap();
                assert_eq!((line.text("wlan.ra"), line.text("wlan.ta")), (&way.0[..], &way.1[..]));
                assert_eq!(line.number(TID), way.2);
                let agreement = agreements.get_mut(&way).unwrap();
                let start = agreement.whole(line.number("wlan.fixed.ssc.sequence"));
                assert_eq!(start, aggregate[0]);
                let bitmap = line.text("wlan.ba.bm");
                assert_eq!(bitmap.len(), 2 * octets, "{bitmap}");
                for i in 0..8 * octets {
                    let byte = u8::from_str_radix(&bitmap[i / 8 * 2..i / 8 * 2 + 2], 16).unwrap();
                    let (bit, number) = (byte >> (i % 8) & 1 == 1, start + i as u64);
                    assert_eq!(bit, agreement.received.contains(&number), "{number}: {start}, {bitmap}");
                    // Its sender counts on what arrived in this attempt.
                    if line.heard() && arrived.contains(&number) {
                        assert!(bit);
                        agreement.acknowledged.insert(number);
                    }
                }
                answers += 1;
                gaps += usize::from(aggregate.iter().any(|number| !agreement.received.contains(number)));
            }
            _ => {}
        }
    }
    [answers, gaps, bars]
}

#[test]
fn aggregates_of_802_11n() {
    if !tshark_is_there() {
        return;
    }
    let scenario = cell("phy = \"std-11n\"");
    let (lines, seen) = (lines(&scenario), seen(&scenario));
    check_frames(&lines, &seen);
    let [answers, gaps, bars] = check_block_acks(&lines, 8);
    assert!(answers > 50 && gaps > 20, "{answers} {gaps} {bars}");
}

#[test]
fn aggregates_of_802_11ac_with_a_msdus_and_rts() {
    if !tshark_is_there() {
        return;
    }
    let scenario = cell("phy = \"std-11ac\"\naggregation = \"ampdu+amsdu\"\nrts = 500");
    let (lines, seen) = (lines(&scenario), seen(&scenario));
    check_frames(&lines, &seen);
    let [answers, gaps, _] = check_block_acks(&lines, 8);
    assert!(answers > 50 && gaps > 20, "{answers} {gaps}");
    let count = |kind| lines.iter().filter(|l| l.kind() == kind).count();
    assert!(count(RTS) > count(CTS) && count(CTS) > 50, "{} {}", count(RTS), count(CTS));
    assert!(lines.iter().any(|l| l.text("wlan_aggregate.a_mdsu.length").contains(',')), "A-MSDUs");
}

#[test]
fn aggregates_of_802_11ax_asked_for_by_a_bar() {
    if !tshark_is_there() {
        return;
    }
    let scenario = cell("phy = \"std-11ax\"\nbar = true");
    let (lines, seen) = (lines(&scenario), seen(&scenario));
    check_frames(&lines, &seen);
    let [answers, gaps, bars] = check_block_acks(&lines, 32);
    assert!(answers > 50 && gaps > 20 && bars > 5, "{answers} {gaps} {bars}");
}

#[test]
fn aggregates_of_802_11ax_on_resource_units() {
    if !tshark_is_there() {
        return;
    }
    let scenario = cell("phy = \"std-11ax\"\nofdma = 2");
    let (lines, seen) = (lines(&scenario), seen(&scenario));
    check_frames(&lines, &seen);
    let of_two = seen.iter().filter(|frame| frame.rate.ru() == 484).count();
    assert!(of_two > 100 && of_two < seen.len(), "{of_two} of {}", seen.len());
}

/// A frame that comes again has the packet that it had, however many are under way: by each sender, receiver
/// and number.
#[test]
fn repetitions_carry_what_was_sent_before() {
    let scenario = cell("phy = \"std-11n\"\naggregation = \"ampdu+amsdu\"");
    let mut first: BTreeMap<(bool, Option<usize>, Category, u64), Vec<_>> = BTreeMap::new();
    let seen = seen(&scenario);
    let ppdu = |a: &AirFrame, b: &AirFrame| {
        let of = |f: &AirFrame| (f.start_ns, f.down, f.station, f.category, f.sequence);
        of(a) == of(b)
    };
    let (mut again, mut received_before) = (0, 0);
    let mut received = BTreeSet::new();
    for mpdu in seen.chunk_by(ppdu) {
        let Some(number) = mpdu[0].sequence.filter(|_| matches!(mpdu[0].content, Content::Packet(_))) else {
            continue;
        };
        let key = (mpdu[0].down, mpdu[0].station, mpdu[0].category, number);
        let packets: Vec<_> = mpdu.iter().map(|frame| frame.content).collect();
        if let Some(before) = first.get(&key) {
            assert_eq!(*before, packets, "{key:?}");
            again += 1;
            received_before += usize::from(received.contains(&key));
        }
        if matches!(mpdu[0].end, End::AckLost) {
            received.insert(key);
        }
        first.insert(key, packets);
    }
    assert!(again > 50 && received_before > 20, "{again} {received_before}");
    assert!(first.values().any(|packets| packets.len() > 1), "A-MSDUs");
}
