// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Fingerprints of the simulator's own cards, from its captures: every one conforms, whatever the cell.

use std::io::Cursor;

use airtab_core::{Discipline, Params, Phy};
use airtab_lab::capture;
use airtab_lab::fingerprint::{Decrement, Heard, PhySource, Queue, of_capture};
use airtab_quality::fingerprint::{Fault, Verdict};
use airtab_scenario::ScenarioFile;
use airtab_sim::Stream;
use pcap_file::DataLink;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionBlock;
use pcap_file::pcapng::blocks::simple_packet::SimplePacketBlock;
use pcap_file::pcapng::{Block, PcapNgBlock, PcapNgWriter};

const SECOND: u64 = 1_000_000_000;

/// Stations that always have a packet to send, `extra` in `[wifi]` and in each `[[station]]`.
fn captured(stations: usize, wifi: &str, station: &str, seed: u64, seconds: u64) -> Vec<u8> {
    captured_beside("", stations, wifi, station, seed, seconds)
}

/// [`captured`] with further stations and applications, `others`.
fn captured_beside(
    others: &str,
    stations: usize,
    wifi: &str,
    station: &str,
    seed: u64,
    seconds: u64,
) -> Vec<u8> {
    let mut text = format!(
        "name = \"cards\"\nduration = \"{}s\"\nmeasure = [\"1s\", \"{}s\"]\n[wifi]\n{wifi}\n",
        seconds + 2,
        seconds + 1
    );
    for i in 0..stations {
        text += &format!("[[station]]\nname = \"card{i}\"\n{station}\n");
        text += &format!(
            "[[app]]\nname = \"up{i}\"\nkind = \"udp\"\nstation = \"card{i}\"\nrate = \"max\"\nupload = true\n"
        );
    }
    text += others;
    let file = ScenarioFile::parse("cards.toml", &text).expect("a good scenario");
    let params = Params::new(Discipline::named("fifo").expect("registered"));
    let mut out = Vec::new();
    let span = SECOND..(1 + seconds) * SECOND;
    capture(&file.scenario, "fifo", &params, seed, &span, &mut out).expect("written");
    out
}

fn of(file: &[u8], phy: &str) -> Heard {
    let mut open = || -> std::io::Result<Box<dyn std::io::Read>> { Ok(Box::new(Cursor::new(file.to_vec()))) };
    of_capture(&mut open, Phy::named(phy)).expect("a good capture")
}

fn all_conform(heard: &Heard, stations: usize, what: &str) {
    assert_eq!(heard.senders.len(), stations, "{what}");
    assert_eq!(heard.unknown, 0, "{what}");
    for found in &heard.senders {
        let verdict = &found.judgement.verdict;
        assert_eq!(*verdict, Verdict::Conformant, "{what}: {} {verdict}", found.sender);
        // Alone, nothing fails but by loss.
        assert_eq!(found.judgement.doubling_known, stations > 1 || what.contains("0.1"), "{what}");
        // TSFT is in whole us: two cuts blur a slot grid of 9 us to 0.96, before any other rounding. After a lost ACK the
        // wait ends off the slot grid: EIFS of 802.11b is 364 us, DIFS 50, 14 us apart in slots of 20: a tenth of such gaps
        // leaves |0.9 + 0.1 exp(2 pi i 14 / 20)| = 0.874.
        let least = if what.contains("0.1") { 0.86 } else { 0.9 };
        assert!(found.contrast.expect("gaps") > least, "{what}: {:?}", found.contrast);
    }
}

#[test]
fn conformant_cards_of_many_cells() {
    let b = "rate = \"11Mb/s\"\nfer = 0.0";
    let lossy = "rate = \"11Mb/s\"\nfer = 0.1";
    let g = "rate = \"54Mb/s\"\nfer = 0.0";
    for (stations, wifi, station, profile, seconds) in [
        (1, "phy = \"std-11b\"", b, "std-11b", 4),
        (1, "phy = \"starzetz-11b\"\nbackoff = \"bianchi\"", b, "starzetz-11b", 4),
        (3, "phy = \"std-11b\"", b, "std-11b", 12),
        (3, "phy = \"starzetz-11b\"\nbackoff = \"bianchi\"", b, "starzetz-11b", 12),
        (3, "phy = \"std-11b\"\neifs = false", b, "std-11b", 12),
        (1, "phy = \"std-11b\"", lossy, "std-11b", 8),
        (5, "phy = \"std-11g\"", g, "std-11g", 8),
        (2, "phy = \"phy-a\"", g, "phy-a", 4),
    ] {
        let what = format!("{stations} stations, {wifi}, {station}");
        all_conform(&of(&captured(stations, wifi, station, 1, seconds), profile), stations, &what);
    }
}

/// What the survey learns of a cell is what the scenario says.
#[test]
fn the_cells_rules_are_recognised() {
    let b = "rate = \"11Mb/s\"\nfer = 0.0";
    for (backoff, decrement) in [("standard", Decrement::Standard), ("bianchi", Decrement::Bianchi)] {
        let wifi = format!("phy = \"starzetz-11b\"\nbackoff = \"{backoff}\"");
        let heard = of(&captured(3, &wifi, b, 2, 8), "starzetz-11b");
        for found in &heard.senders {
            assert_eq!((found.decrement, found.due_ns), (decrement, 50_000));
            let (base, slot) = found.base_and_slot_ns.expect("twice in a row");
            assert!((base - 50_000.0).abs() < 1_000.0 && (slot - 20_000.0).abs() < 100.0, "{base} {slot}");
            assert_eq!(found.name.as_deref().map(|name| name.starts_with("card")), Some(true));
        }
    }
}

/// `scenarios/cards.toml`: each card alone, then beside two others. What is wrong with it is named, and nothing else.
#[test]
fn the_scenarios_cards_are_named() {
    let text = include_str!("../../../../scenarios/cards.toml");
    let file = ScenarioFile::parse("cards.toml", text).expect("a good scenario");
    let params = Params::new(Discipline::named("fifo").expect("registered"));
    for (span, beside) in [(0..36 * SECOND, false), (36 * SECOND..60 * SECOND, true)] {
        let mut out = Vec::new();
        capture(&file.scenario, "fifo", &params, 1, &span, &mut out).expect("written");
        let heard = of(&out, "std-11b");
        assert_eq!((heard.senders.len(), heard.unknown), (6, 0), "{span:?}");
        for found in &heard.senders {
            let name = found.name.as_deref().expect("the capture names stations");
            let verdict = &found.judgement.verdict;
            let faults = match verdict {
                Verdict::Conformant => &[][..],
                Verdict::Faults(faults) => faults,
                _ => panic!("{name}, {span:?}: {verdict}"),
            };
            let named = match (name, faults) {
                ("conformant", []) => true,
                ("missing", [Fault::Missing { slots, window: 32 }]) => *slots == [3, 10, 19, 28],
                ("cwmin-15", [Fault::Window { slots: 16, standard: 32 }]) => true,
                ("counter", [Fault::Counter { step: 1, .. }]) => !beside,
                // It counts on from a failure, too.
                ("counter", [Fault::Counter { step: 1, .. }, Fault::NoDoubling { .. }]) => beside,
                // Alone nothing collides, and nothing is drawn after a failure.
                ("no-doubling", []) => !beside,
                ("no-doubling", [Fault::NoDoubling { .. }]) => beside,
                ("short-ifs", [Fault::ShortWait { slots: 2 }]) => true,
                _ => false,
            };
            assert!(named, "{name}, {span:?}: {verdict}");
        }
    }
}

/// A capture names its profile: the card that conforms to it is not accused by the standard's that its rates suggest, whose
/// frames end on other moments.
#[test]
fn a_capture_names_its_phy() {
    let station = "rate = \"54Mb/s\"\nfer = 0.0";
    let mut file = captured(2, "phy = \"phy-a\"", station, 1, 4);
    let read = |file: &[u8], phy| {
        let mut open =
            || -> std::io::Result<Box<dyn std::io::Read>> { Ok(Box::new(Cursor::new(file.to_vec()))) };
        of_capture(&mut open, phy).expect("a good capture")
    };
    let named = read(&file, None);
    assert_eq!((named.phy.name(), named.phy_source), ("phy-a", PhySource::Named));
    assert!(named.senders.len() == 2 && named.notes.is_empty(), "{:?}", named.notes);
    assert!(named.senders.iter().all(|found| found.judgement.verdict == Verdict::Conformant));
    let other = read(&file, Phy::named("std-11g"));
    let accused = |verdict: &Verdict| matches!(verdict, Verdict::Faults(_));
    assert!(
        other.senders.iter().any(|found| accused(&found.judgement.verdict)),
        "std-11g is another profile"
    );
    // Without the name it is a guess, by which no card is accused.
    let name = b"PHY profile phy-a";
    while let Some(at) = file.windows(name.len()).position(|bytes| bytes == name) {
        file[at] = b'p';
    }
    let guessed = read(&file, None);
    assert_eq!((guessed.phy.name(), guessed.phy_source), ("std-11g", PhySource::Guessed));
    assert!(!guessed.senders.iter().any(|found| accused(&found.judgement.verdict)));
}

/// An access category has an interframe space and a window of its own.
#[test]
fn aggregates_of_an_access_category() {
    let n = "mcs = 7\nfer = 0.0";
    let heard = of(&captured(2, "phy = \"std-11n\"", n, 1, 8), "std-11n");
    assert_eq!(heard.senders.len(), 2);
    for found in &heard.senders {
        assert!(matches!(found.sender.queue, Queue::Category(_)), "{}", found.sender);
        let verdict = &found.judgement.verdict;
        assert_eq!(*verdict, Verdict::Conformant, "{} {verdict}", found.sender);
        // AIFS of best effort: SIFS and three slots of 9 us.
        assert_eq!(found.due_ns, 43_000);
    }
}

/// Voice begins a slot before best effort counts: such an exchange takes no slot of its backoff.
#[test]
fn best_effort_beside_voice_conforms() {
    let call = "[[station]]\nname = \"phone\"\nfer = 0.0\n[[app]]\nname = \"call\"\nkind = \"udp\"\nstation = \"phone\"\n\
                rate = \"400kb/s\"\nbytes = 200\naccess = \"vo\"\nupload = true\n";
    let file = captured_beside(call, 2, "phy = \"std-11n\"", "mcs = 7\nfer = 0.0", 1, 12);
    let heard = of(&file, "std-11n");
    let best_effort = heard.senders.iter().filter(|found| found.due_ns == 43_000);
    let verdicts: Vec<&Verdict> = best_effort.map(|found| &found.judgement.verdict).collect();
    assert_eq!(verdicts, [&Verdict::Conformant; 2]);
}

/// A pcapng file: one interface of that link type, and these blocks.
fn pcapng(link: DataLink, blocks: Vec<Block<'_>>) -> Vec<u8> {
    let mut writer = PcapNgWriter::new(Vec::new()).expect("written");
    writer.write_block(&InterfaceDescriptionBlock::new(link, 256).into_block()).expect("written");
    for block in &blocks {
        writer.write_block(block).expect("written");
    }
    writer.into_inner()
}

fn error(file: &[u8]) -> String {
    let mut open = || -> std::io::Result<Box<dyn std::io::Read>> { Ok(Box::new(Cursor::new(file.to_vec()))) };
    of_capture(&mut open, None).expect_err("it is refused").to_string()
}

#[test]
fn bad_pcapng_files_are_told() {
    let good = captured(1, "phy = \"std-11b\"", "rate = \"11Mb/s\"\nfer = 0.0", 1, 1);
    assert_eq!(error(&good[..40]), "it ends at byte 0 within its first frame: capture again");
    // Radiotap with a rate alone.
    let rate_only = [0, 0, 9, 0, 4, 0, 0, 0, 22, 0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1];
    let simple = SimplePacketBlock { original_len: 19, data: rate_only[..].into() };
    let said = error(&pcapng(DataLink::IEEE802_11_RADIOTAP, vec![simple.into_block()]));
    assert!(said.starts_with("its frames have no time stamps"), "{said}");
    let packet = EnhancedPacketBlock {
        interface_id: 0,
        timestamp: std::time::Duration::from_secs(1),
        original_len: 4,
        data: vec![0; 4].into(),
        options: Vec::new(),
    };
    let said = error(&pcapng(DataLink::IEEE802_11, vec![packet.into_block()]));
    assert!(said.starts_with("its link type is IEEE802_11: a monitor's is needed"), "{said}");
    assert!(error(&pcapng(DataLink::IEEE802_11_RADIOTAP, Vec::new())).starts_with("it is empty"));
}

/// Bytes changed at random: an answer or an error, never a crash.
#[test]
fn garbled_pcapng_files_are_survived() {
    let mut good = captured(1, "phy = \"std-11b\"", "rate = \"11Mb/s\"\nfer = 0.0", 1, 1);
    good.truncate(30_000);
    let mut random = Stream::new(1, "garbled");
    for _ in 0..1000 {
        let mut file = good.clone();
        for _ in 0..1 + random.below(8) {
            let range = if random.below(2) == 0 { 400 } else { file.len() as u64 };
            let at = random.below(range) as usize;
            file[at] = random.below(256) as u8;
        }
        let mut open =
            || -> std::io::Result<Box<dyn std::io::Read>> { Ok(Box::new(Cursor::new(file.clone()))) };
        let _ = of_capture(&mut open, None);
    }
}

/// Three cards of the simulator, a capture of each seed: at most one in 500 accuses anybody. AIRTAB_SEEDS says how many
/// seeds.
#[test]
fn false_alarms_are_rare() {
    let seeds: u64 = std::env::var("AIRTAB_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let accused = |seed: &u64| {
        let b = "rate = \"11Mb/s\"\nfer = 0.0";
        let heard = of(&captured(3, "phy = \"std-11b\"", b, *seed, 6), "std-11b");
        assert_eq!(heard.senders.len(), 3);
        let verdicts = heard.senders.iter().map(|found| &found.judgement.verdict);
        let faults = verdicts.filter(|verdict| matches!(verdict, Verdict::Faults(_))).count();
        let few = heard.senders.iter().filter(|f| matches!(f.judgement.verdict, Verdict::TooFew { .. }));
        assert_eq!(few.count(), 0, "seed {seed}");
        faults > 0
    };
    let n = (1..=seeds).filter(accused).count() as u64;
    println!("{n} of {seeds} captures accuse a conformant card");
    assert!(n <= seeds.div_ceil(500), "{n} of {seeds}");
}
