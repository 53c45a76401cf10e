// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures of a small cell, written out here from the standard: slots, collisions, beacons, cards of known manners.
//! It shares no code with the simulator, nor with the writer of captures.

mod foreign;

use std::io::Cursor;

use airtab_core::Phy;
use airtab_quality::fingerprint::Verdict;
use airtab_sim::Stream;

use super::*;

const SLOT: u64 = 20_000;
const SIFS: u64 = 10_000;
const DIFS: u64 = 50_000;
/// 192 us and 14 bytes at 2 Mb/s.
const ACK: u64 = 248_000;
/// 192 us and 1052 bytes of IP with 36 around them at 11 Mb/s.
const DATA: u64 = 192_000 + 1088 * 8_000 / 11;
/// 192 us and 100 bytes at 1 Mb/s.
const BEACON: u64 = 992_000;
/// EIFS less what who collided waits, in whole slots: (364 - 308) / 20.
const EIFS_LATE: u64 = 3;

const AP: [u8; 6] = [2, 0, 0, 0, 0, 0xaa];

fn mac(station: usize) -> [u8; 6] {
    [2, 0, 0, 0, 0, station as u8]
}

/// How a card misbehaves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Card {
    Good,
    FourMissing,
    HalfWindow,
    Counter,
    NoDoubling,
    Early,
    /// Two slots: it counts from SIFS.
    Earlier,
}

impl Card {
    fn draw(self, failures: u32, before: u64, random: &mut Stream) -> u64 {
        let window = |first: u64| (first << failures).min(1024);
        match self {
            Card::Good | Card::Early | Card::Earlier => random.below(window(32)),
            Card::HalfWindow => random.below(window(16)),
            Card::NoDoubling => random.below(32),
            Card::Counter if failures == 0 => (before + 1) % 32,
            Card::Counter => random.below(window(32)),
            Card::FourMissing => loop {
                let slot = random.below(window(32));
                if ![3, 9, 17, 28].contains(&slot) {
                    return slot;
                }
            },
        }
    }

    fn early(self) -> i64 {
        match self {
            Card::Early => 1,
            Card::Earlier => 2,
            _ => 0,
        }
    }
}

/// A pcap file.
struct File(Vec<u8>);

impl File {
    fn new() -> File {
        let mut header = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        header.extend(65535u32.to_le_bytes());
        header.extend(127u32.to_le_bytes());
        File(header)
    }

    /// `length`: bytes of the MPDU without its FCS.
    fn frame(&mut self, at_ns: u64, half_mbps: u8, head: &[u8], length: usize) {
        let us = at_ns / 1000;
        let mut bytes = vec![0, 0, 22, 0, 0x0f, 0, 0, 0];
        bytes.extend(us.to_le_bytes());
        bytes.extend([0, half_mbps]);
        bytes.extend(2412u16.to_le_bytes());
        bytes.extend(0x00a0u16.to_le_bytes());
        let all = bytes.len() + length;
        bytes.extend(head);
        for word in [us / 1_000_000, us % 1_000_000, bytes.len() as u64, all as u64] {
            self.0.extend((word as u32).to_le_bytes());
        }
        self.0.extend(bytes);
    }

    fn data(&mut self, at_ns: u64, from: usize, retry: bool, sequence: u16) {
        let mut head = vec![0x08, 0x01 | if retry { 0x08 } else { 0 }, 0, 0];
        head.extend([AP, mac(from), AP].as_flattened());
        head.extend((sequence << 4).to_le_bytes());
        self.frame(at_ns, 22, &head, 24 + 8 + 1052);
    }

    fn ack(&mut self, at_ns: u64, to: usize) {
        let mut head = vec![0xd4, 0, 0, 0];
        head.extend(mac(to));
        self.frame(at_ns, 4, &head, 10);
    }

    fn beacon(&mut self, at_ns: u64) {
        let mut head = vec![0x80, 0, 0, 0];
        head.extend([[0xff; 6], AP, AP].as_flattened());
        head.extend([0, 0]);
        self.frame(at_ns, 2, &head, 96);
    }
}

struct Station {
    card: Card,
    random: Stream,
    left: u64,
    drawn: u64,
    failures: u32,
    sequence: u16,
    /// Draws of first attempts that were sent, by slot.
    truth: [u64; 64],
    /// Number, sum and largest of the draws that were sent, by failures before them.
    repeated: Vec<(u64, u64, u64)>,
    /// Waits longer than the others by so many slots, once.
    late: u64,
}

/// Saturated cards in one cell until each has sent `frames`; by `bianchi` the slot in which one begins counts.
fn cell(cards: &[Card], frames: usize, bianchi: bool, seed: u64) -> (Vec<u8>, Vec<Station>) {
    let station = |(i, card): (usize, &Card)| {
        let mut random = Stream::new(seed, &format!("card {i}"));
        let left = card.draw(0, 0, &mut random);
        let (card, drawn) = (*card, left);
        Station {
            card,
            random,
            left,
            drawn,
            failures: 0,
            sequence: 0,
            truth: [0; 64],
            repeated: vec![(0, 0, 0); 20],
            late: 0,
        }
    };
    let mut stations: Vec<Station> = cards.iter().enumerate().map(station).collect();
    let mut file = File::new();
    let (mut idle_ns, mut beacon_ns, mut sent) = (0, 100_000_000, vec![0; cards.len()]);
    while sent.iter().any(|n| *n < frames) {
        let counts = |s: &Station| (s.left + s.late) as i64 - s.card.early();
        let first = stations.iter().map(counts).min().expect("a station");
        let start = (idle_ns + DIFS).saturating_add_signed(first * SLOT as i64);
        let due = |s: &Station| counts(s) == first;
        let winners: Vec<usize> = (0..cards.len()).filter(|&i| due(&stations[i])).collect();
        for station in stations.iter_mut().filter(|s| !due(s)) {
            let counted = (first + station.card.early()).max(0) as u64;
            let counted = counted.saturating_sub(station.late) + u64::from(bianchi);
            station.left = station.left.saturating_sub(counted);
            station.late = 0;
        }
        let alone = winners.len() == 1;
        for &i in &winners {
            let s = &mut stations[i];
            file.data(start, i, s.failures > 0, s.sequence);
            if s.failures == 0 {
                s.truth[s.drawn as usize] += 1;
            }
            let (n, sum, most) = &mut s.repeated[s.failures as usize];
            (*n, *sum, *most) = (*n + 1, *sum + s.drawn, s.drawn.max(*most));
            s.failures = if alone { 0 } else { s.failures + 1 };
            s.sequence = (s.sequence + u16::from(alone)) & 0xfff;
            s.drawn = s.card.draw(s.failures, s.drawn, &mut s.random);
            (s.left, s.late) = (s.drawn, 0);
            sent[i] += usize::from(alone);
        }
        if alone {
            file.ack(start + DATA + SIFS, winners[0]);
        } else {
            let others = stations.iter_mut().enumerate().filter(|(i, _)| !winners.contains(i));
            others.for_each(|(_, s)| s.late = EIFS_LATE);
        }
        idle_ns = start + DATA + SIFS + ACK;
        // A beacon that nobody else wants to beat: it begins where the channel is free.
        if idle_ns > beacon_ns && alone {
            let next = stations.iter().map(counts).min().expect("a station");
            if next > 0 {
                file.beacon(idle_ns + DIFS);
                idle_ns += DIFS + BEACON;
                beacon_ns += 102_400_000;
                stations.iter_mut().for_each(|s| s.left = s.left.saturating_sub(u64::from(bianchi)));
            }
        }
    }
    (file.0, stations)
}

fn by(file: &[u8], phy: Option<Phy>) -> Result<Heard, FingerprintError> {
    of_capture(&mut || Ok(Box::new(Cursor::new(file.to_vec()))), phy)
}

/// By the profile that the file was written with.
fn of(file: &[u8]) -> Result<Heard, FingerprintError> {
    by(file, Phy::named("std-11b"))
}

/// Names of what is held against each station.
fn faults(heard: &Heard) -> Vec<Vec<&'static str>> {
    let names = |f: &Fingerprint| match &f.judgement.verdict {
        Verdict::Conformant => Vec::new(),
        Verdict::Faults(faults) => faults.iter().map(|f| f.name()).collect(),
        other => panic!("{}: {other}", f.sender),
    };
    heard.senders.iter().map(names).collect()
}

#[test]
fn draws_are_found_one_by_one() {
    for (cards, bianchi) in [(1, false), (3, false), (3, true), (5, false)] {
        let (file, stations) = cell(&vec![Card::Good; cards], 1500, bianchi, 7);
        let heard = of(&file).unwrap();
        assert_eq!((heard.unknown, heard.radio_stamps), (0, true));
        assert_eq!(heard.senders.len(), cards);
        for (i, (found, station)) in heard.senders.iter().zip(&stations).enumerate() {
            assert_eq!(found.sender.mac, mac(i));
            let figures = found.judgement.figures.as_ref().unwrap();
            let n: f64 = station.truth.iter().sum::<u64>() as f64;
            // All but the first, and a few that collisions of others leave in doubt.
            assert!(figures.n as f64 >= n - 2.0, "{cards}: {} of {n}", figures.n);
            for (slot, mass) in figures.masses.iter().enumerate() {
                let off = (mass * figures.n as f64 - station.truth[slot] as f64).abs();
                assert!(off <= 2.0, "{cards} stations, {bianchi}, slot {slot}: off by {off}");
            }
            if let Some((base, slot)) = found.base_and_slot_ns {
                assert!((base - 50_000.0).abs() < 1_000.0 && (slot - 20_000.0).abs() < 50.0, "{base} {slot}");
            }
            let expected = match (cards, bianchi) {
                (1, _) => Decrement::Unknown,
                (_, true) => Decrement::Bianchi,
                (_, false) => Decrement::Standard,
            };
            assert_eq!(found.decrement, expected);
        }
        assert_eq!(faults(&heard), vec![Vec::<&str>::new(); cards]);
    }
}

/// Second and later attempts are known by how often a frame came, with what was drawn for each.
#[test]
fn attempts_have_their_own_draws() {
    let (file, stations) = cell(&[Card::Good, Card::Good, Card::HalfWindow], 1500, false, 11);
    let heard = of(&file).unwrap();
    for (found, station) in heard.senders.iter().zip(&stations) {
        let of = |attempt: u32| station.repeated[attempt as usize - 1];
        let accesses: u64 = station.repeated.iter().map(|(n, ..)| n).sum();
        assert_eq!(found.accesses, accesses);
        let attempts: Vec<u32> = found.attempts.iter().map(|(attempt, ..)| *attempt).collect();
        assert!(
            attempts.len() >= 2 && attempts.iter().zip(2..).all(|(found, due)| *found == due),
            "{attempts:?}"
        );
        for (attempt, n, mean, most) in &found.attempts[..2] {
            let (sent, sum, largest) = of(*attempt);
            // A few are left out where collisions of others leave them in doubt.
            assert!(*n <= sent && *n + 2 >= sent && sent > 20, "{attempt}: {n} of {sent}");
            let off = (mean * *n as f64 - sum as f64).abs();
            assert!(off <= 2.0 + 130.0 * (sent - n) as f64, "{attempt}: {mean} of {n}, {sum} of {sent}");
            assert!(most.abs_diff(largest) <= 1 || *n < sent, "{attempt}: {most}, {largest}");
        }
    }
}

#[test]
fn each_card_is_named_alone_and_beside_two_others() {
    let cards = [
        (Card::FourMissing, "missing_slots"),
        (Card::HalfWindow, "window"),
        (Card::Counter, "counter"),
        (Card::Early, "short_wait"),
        (Card::Earlier, "short_wait"),
        (Card::NoDoubling, "no_doubling"),
    ];
    for (card, name) in cards {
        // Nobody collides alone: that a window would not double cannot be seen.
        if card != Card::NoDoubling {
            let heard = of(&cell(&[card], 1500, false, 1).0).unwrap();
            assert_eq!(faults(&heard), [vec![name]], "{card:?} alone");
        }
        for bianchi in [false, true] {
            let heard = of(&cell(&[Card::Good, card, Card::Good], 1500, bianchi, 2).0).unwrap();
            assert_eq!(
                faults(&heard),
                [vec![], vec![name], vec![]],
                "{card:?} beside two, bianchi {bianchi}"
            );
        }
    }
}

/// One in 500 is the bound. Three conformant cards in a capture count as one seed.
#[test]
fn conformant_cards_beside_each_other_are_let_go() {
    let accused = |seed: &u64| {
        let heard = of(&cell(&[Card::Good; 3], 1000, false, *seed).0).unwrap();
        faults(&heard).iter().any(|faults| !faults.is_empty())
    };
    let n = (0..500).filter(accused).count();
    assert!(n <= 1, "{n} of 500");
}

/// A sender of best effort waits a slot longer than DIFS; who does not begins too early, by what its category is due.
#[test]
fn a_category_is_judged_by_its_own_wait() {
    use airtab_sim::wifi::Category::{Background, BestEffort};
    for (tid, category, due) in [(0, BestEffort, 1), (1, Background, 5)] {
        for early in [0, 1, 2] {
            let mut random = Stream::new(5, "category");
            let mut file = File::new();
            let mut idle_ns = 1_000_000;
            for sequence in 0..1500u16 {
                let start = (idle_ns + DIFS)
                    .saturating_add_signed((due - early + random.below(32) as i64) * SLOT as i64);
                let mut head = vec![0x88, 0x01, 0, 0];
                head.extend([AP, mac(1), AP].as_flattened());
                head.extend((sequence << 4).to_le_bytes());
                head.extend([tid, 0]);
                file.frame(start, 22, &head, 26 + 8 + 1052);
                let end = start + 192_000 + 1090 * 8_000 / 11;
                file.ack(end + SIFS, 1);
                idle_ns = end + SIFS + ACK;
            }
            let heard = of(&file.0).unwrap();
            let found = &heard.senders[0];
            assert_eq!((heard.senders.len(), found.sender.queue), (1, Queue::Category(category)));
            assert_eq!(found.due_ns, DIFS + due as u64 * SLOT, "{category:?}");
            let said = found.judgement.verdict.to_string();
            match early {
                0 => assert_eq!(found.judgement.verdict, Verdict::Conformant, "{category:?}"),
                1 => assert!(said.contains("waits a slot less"), "{category:?}: {said}"),
                n => assert!(said.contains(&format!("waits {n} slots less")), "{category:?}: {said}"),
            }
        }
    }
}

/// Beacons at 1 Mb/s come first; the rates of what follows tell the profile, unless one is given.
#[test]
fn all_of_the_first_frames_tell_the_profile() {
    let mut file = File::new();
    let mut head = vec![0x08, 0x01, 0, 0];
    head.extend([AP, mac(1), AP].as_flattened());
    head.extend([0, 0]);
    (1..20).for_each(|i| file.beacon(i * 100_000_000));
    file.frame(3_000_000_000, 108, &head, 200);
    let heard = by(&file.0, None).unwrap();
    assert_eq!((heard.phy.name(), heard.phy_source), ("std-11g", PhySource::Guessed));
    assert_eq!((heard.frames, heard.unknown), (20, 0));
    // Whoever only sends beacons contends for nothing that is judged.
    assert_eq!(heard.senders.iter().map(|found| found.sender.mac).collect::<Vec<_>>(), [mac(1)]);
    let given = of(&file.0).unwrap();
    assert_eq!((given.phy.name(), given.phy_source), ("std-11b", PhySource::Given));
}

#[test]
fn too_few_samples_are_said_to_be_too_few() {
    let heard = of(&cell(&[Card::FourMissing], 300, false, 1).0).unwrap();
    assert!(matches!(heard.senders[0].judgement.verdict, Verdict::TooFew { draws: 299, needed: 960 }));
}

fn error(file: &[u8]) -> String {
    of(file).expect_err("it is refused").to_string()
}

#[test]
fn bad_captures_are_told() {
    let (good, _) = cell(&[Card::Good], 50, false, 1);
    assert!(error(&[]).starts_with("it is empty"));
    assert!(error(&good[..24]).starts_with("it is empty"));
    assert!(error(b"1.0\n2.0\n").starts_with("it is no pcap or pcapng file"));
    assert!(error(b"1").starts_with("it is no pcap or pcapng file"));
    // Each frame, cut anywhere.
    for end in 25..600 {
        if let Err(e) = of(&good[..end]) {
            assert_eq!(e.to_string(), "it ends at byte 24 within its first frame: capture again", "{end}");
        }
    }
    assert!(error(&[0x1f, 0x8b, 8, 0]).starts_with("it is compressed with gzip: unpack it first, zcat"));
    let mut ethernet = good.clone();
    ethernet[20] = 1;
    assert!(
        error(&ethernet).starts_with("its link type is ETHERNET: a monitor's is needed"),
        "{}",
        error(&ethernet)
    );
    let mut file = File::new();
    (0..3).for_each(|i| file.data(0, 0, false, i));
    assert!(error(&file.0).starts_with("its frames have no time stamps"));
    let mut garbled = good.clone();
    garbled[24 + 16] = 1;
    assert_eq!(error(&garbled), "frame 1 has no readable radiotap header: its version is not 0");
}

/// Bytes changed at random: an answer or an error, never a crash.
#[test]
fn garbled_captures_are_survived() {
    let (good, _) = cell(&[Card::Good; 2], 40, false, 1);
    let mut random = Stream::new(1, "garbled");
    for _ in 0..3000 {
        let mut file = good.clone();
        for _ in 0..1 + random.below(8) {
            let at = random.below(file.len() as u64) as usize;
            file[at] = random.below(256) as u8;
        }
        let _ = of(&file);
    }
}

fn arrivals(text: &str, exchange_ns: Option<u64>) -> Result<Arrivals, ArrivalsError> {
    of_arrivals(&mut || Ok(Box::new(Cursor::new(text.to_string()))), Phy::named("std-11b"), exchange_ns)
}

/// A lone sender's packets: const + 20 us times the draw, after 1297.27 us of exchange and 50 of DIFS.
fn times(n: usize, mut draw: impl FnMut(usize) -> u64) -> String {
    let mut at = 1_764_000_000_000_000_000u64;
    let mut text = "# arrival[s]\n".to_string();
    for i in 0..n {
        at += 1_347_270 + SLOT * draw(i);
        text += &format!("{}.{:09}\n", at / 1_000_000_000, at % 1_000_000_000);
    }
    text
}

/// The published comb (Starzetz 2006, figures 6.1 and 6.2): 32 teeth, 20 us apart; the first at 1347 us by
/// the constants of 802.11b with ACKs at 1 Mb/s.
#[test]
fn the_thesis_comb_from_arrival_times() {
    let mut random = Stream::new(1, "lone");
    let found = arrivals(&times(3000, |_| random.below(32)), Some(1_297_270)).unwrap();
    let (base, slot) = found.base_and_slot_ns.unwrap();
    assert!((base - 1_347_270.0).abs() < 1.0 && (slot - 20_000.0).abs() < 0.1, "{base} {slot}");
    let figures = found.judgement.figures.unwrap();
    assert_eq!((figures.masses.len(), figures.n), (32, 2999));
    assert_eq!(found.judgement.verdict, Verdict::Conformant);
    // Time stamps that are up to 4 us late change nothing.
    let noise: Vec<u64> = (0..3001).map(|_| random.below(4_000)).collect();
    let text = times(3000, |_| random.below(32));
    let mut late = String::new();
    for (line, noise) in text.lines().skip(1).zip(&noise) {
        let (s, ns) = line.split_once('.').unwrap();
        late += &format!("{s}.{:09}\n", (ns.parse::<u64>().unwrap() + noise).min(999_999_999));
    }
    assert_eq!(arrivals(&late, None).unwrap().judgement.verdict, Verdict::Conformant);
    let early = arrivals(&text, Some(1_317_270)).unwrap().judgement.verdict;
    assert!(early.to_string().contains("waits a slot less"), "{early}");
    let counter = arrivals(&times(3000, |i| i as u64 % 32), None).unwrap().judgement.verdict;
    assert!(
        counter.to_string().contains("counts instead of drawing: 100 % of its draws are 1 above"),
        "{counter}"
    );
}

/// Without a profile it is that of the slots which show: 20 us of 802.11b, 9 us of 802.11g.
#[test]
fn the_slots_tell_the_profile_of_a_lone_sender() {
    let mut random = Stream::new(3, "lone");
    for (profile, slot, window, most) in [("std-11b", 20_000, 32, 1024), ("std-11g", 9_000, 16, 1024)] {
        let mut at = 5_000_000_000u64;
        let mut text = String::new();
        for _ in 0..3000 {
            at += 700_000 + slot * random.below(window);
            text += &format!("{}.{:09} 1500 and more\r\n", at / 1_000_000_000, at % 1_000_000_000);
        }
        let found = of_arrivals(&mut || Ok(Box::new(Cursor::new(text.clone()))), None, None).unwrap();
        assert_eq!((found.phy.name(), found.guessed, found.packets), (profile, true, 3000));
        let (base, measured) = found.base_and_slot_ns.unwrap();
        assert!((base - 700_000.0).abs() < 1.0 && (measured - slot as f64).abs() < 0.1, "{base} {measured}");
        assert!(found.contrast.unwrap() > 0.99, "{:?}", found.contrast);
        assert_eq!(found.judgement.verdict, Verdict::Conformant, "{profile}");
        assert_eq!(found.judgement.figures.unwrap().n, 2999);
        assert_eq!(found.phy.cw_max() + 1, most);
    }
}

/// The first slots of a window are missing where the exchange is known: it never draws them.
#[test]
fn who_begins_late_leaves_its_first_slots_out() {
    let mut random = Stream::new(4, "lone");
    let text = times(3000, |_| 3 + random.below(29));
    let figures = arrivals(&text, Some(1_297_270)).unwrap().judgement.figures.unwrap();
    assert_eq!(figures.masses[..3], [0.0; 3]);
    assert!(figures.masses[3..32].iter().all(|mass| *mass > 0.0), "{:?}", figures.masses);
    // Unknown, its first slot is the first that it draws.
    let figures = arrivals(&text, None).unwrap().judgement.figures.unwrap();
    assert!(figures.masses[..29].iter().all(|mass| *mass > 0.0) && figures.masses[29..] == [0.0; 3]);
}

/// Starzetz 2006, figure 6.3: a source that seldom sends has the channel at once; 32 kB/s in packets of 1500 bytes
/// by a timer of 10 ms come 40 and 50 ms apart, and there is no comb of 20 us.
#[test]
fn a_source_that_seldom_sends_shows_no_backoff() {
    let mut random = Stream::new(2, "seldom");
    let mut at = 0u64;
    let mut text = String::new();
    for i in 0..2000u64 {
        at = (i * 46_875_000).div_ceil(10_000_000) * 10_000_000 + random.below(300_000);
        text += &format!("{}.{:09}\n", at / 1_000_000_000, at % 1_000_000_000);
    }
    let verdict = arrivals(&text, None).unwrap().judgement.verdict;
    assert!(
        matches!(verdict, Verdict::NoComb { .. } | Verdict::TooFew { .. } | Verdict::NotSaturated { .. }),
        "{verdict}"
    );
    assert!(at > 0);
}

#[test]
fn bad_arrival_times_are_told() {
    let error = |text: &str| arrivals(text, None).unwrap_err().to_string();
    assert!(error("").starts_with("it has no arrival times"));
    assert!(error("# nothing\n\n").starts_with("it has no arrival times"));
    assert!(error("1.0\nsoon\n").starts_with("line 2: 'soon' is no time: give one in s"));
    assert!(error("2.5\n2.4\n").starts_with("line 2 is 100000000 ns earlier than the one before"));
    // Comments and empty lines have numbers; a packet at the time of another is none too early.
    assert!(error("# s\n\n1.0\n1.0\n1.5x\n").starts_with("line 5: '1.5x' is no time"));
    assert!(error("# s\n1.0\n0.999999999 7\n").starts_with("line 3 is 1 ns earlier than the one before"));
    let few = arrivals("1.0\n", None).unwrap().judgement.verdict;
    assert!(matches!(few, Verdict::TooFew { draws: 0, needed: 960 }));
}
