// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Several stations in one PPDU of the access point: times worked out by hand from IEEE Std 802.11ax-2021,
//! who goes together, who pays what, and what losses do to it.

use crate::common;

use airtab_core::{Handle, Meta, Phy, Pool, Qdisc, Rate, RateSpec, Tx};
use airtab_sim::wifi::{
    Aggregation, Attempt, Category, CellConfig, DriverConfig, Edca, End, FrameBody, Loss, Mean, Medium,
    Order, Output, RateAlgorithm, Signal, Speed,
};
use common::{MS, S, Saturated, phy, queue};
use proptest::prelude::*;

fn rate(mcs: u8, width: u16, gi: u16) -> Rate {
    let spec = RateSpec { mcs, width: Some(width), gi: Some(gi), ..RateSpec::default() };
    phy("std-11ax").rate(&spec).expect("a rate of the profile")
}

/// Aggregates of at most so many MPDUs and so long, to up to so many stations at once.
fn config(frames: u16, time_ns: u32, ofdma: Option<u8>) -> CellConfig {
    let phy: Phy = phy("std-11ax");
    let aggregation = Aggregation {
        frames,
        bytes: phy.ampdu_bytes(),
        time_ns,
        window: phy.window(),
        amsdu_bytes: 0,
        bar: false,
    };
    CellConfig {
        beacon: None,
        aggregation: Some(aggregation),
        edca: Edca::Ieee2012,
        ofdma,
        // All is made when it is set out.
        driver: DriverConfig { ring: 100_000, aggregates: 1, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    }
}

/// An access point, and what happened.
struct Host {
    medium: Medium,
    pool: Pool<u32>,
    now: u64,
    seen: Vec<Attempt>,
    /// By station, what packets took, and how many arrived.
    told: Vec<Vec<Tx>>,
    arrived: Vec<usize>,
    lost: usize,
    /// Number of the last one that arrived at each station.
    last: Vec<u32>,
    made: u32,
    /// When each was sent, and how long those of calls took, ns.
    sent_at: Vec<u64>,
    waits: Vec<u64>,
}

/// What went out at once: when it began, how long it was and its answers were, ns; its MPDUs for each station.
#[derive(Debug)]
struct Ppdu {
    start_ns: u64,
    took_ns: [u64; 2],
    users: Vec<(u16, usize)>,
}

/// Length of a packet of a call, bytes of IP.
const CALL: u32 = 200;

impl Host {
    fn new(config: CellConfig, stations: &[(Speed, Loss)]) -> Host {
        let names: Vec<String> = (0..stations.len()).map(|i| format!("sta{i}")).collect();
        let stations: Vec<_> = names.iter().zip(stations).map(|(n, s)| (n.as_str(), s.0, s.1)).collect();
        let pool = Pool::new();
        let qdisc = Qdisc::new(&pool, &queue("fifo", 100_000), 0, 0);
        let mut medium = Medium::new(config.into(), &stations, qdisc, 1);
        medium.tap(true);
        let n = stations.len();
        let (told, arrived, last) = (vec![Vec::new(); n], vec![0; n], vec![0; n]);
        Host {
            medium,
            pool,
            now: 0,
            seen: Vec::new(),
            told,
            arrived,
            lost: 0,
            last,
            made: 0,
            sent_at: Vec::new(),
            waits: Vec::new(),
        }
    }

    fn send(&mut self, station: usize, bytes: u32) {
        self.made += 1;
        self.sent_at.push(self.now);
        let meta = Meta { bytes, sta: station as u16, flow: station as u32, ..Meta::default() };
        let packet = self.pool.insert(meta, self.made);
        self.medium.send_down(&mut self.pool, packet, self.now);
    }

    /// A packet from a station, which sends another one when it has arrived.
    fn upload(&mut self, station: usize) {
        let meta = Meta { bytes: 1500, sta: station as u16, flow: station as u32, ..Meta::default() };
        let packet = self.pool.insert(meta, 0);
        self.medium.send_up(&mut self.pool, station, packet, self.now);
    }

    /// Packets that are not of calls.
    fn downloaded(&self) -> usize {
        self.arrived.iter().sum::<usize>() - self.waits.len()
    }

    fn run(&mut self, until: u64) {
        while self.medium.next_event() <= until {
            self.now = self.medium.next_event();
            self.medium.advance(&mut self.pool, self.now);
            self.look();
        }
        self.now = until;
    }

    fn look(&mut self) {
        self.seen.extend(self.medium.attempts().into_iter().flatten());
        while let Some(output) = self.medium.poll() {
            match output {
                Output::Down(packet) => self.arrived(packet),
                Output::Lost(packet) => {
                    self.lost += 1;
                    self.pool.remove(packet);
                }
                Output::Up(packet) => {
                    let station = usize::from(self.pool.sta(packet));
                    self.pool.remove(packet);
                    self.upload(station);
                }
                Output::Sent { down: false, .. } => {}
                Output::Sent { label, tx, .. } => {
                    let station = self.station_of(label);
                    self.told[station].push(tx);
                }
                Output::Dequeued(_) => {}
                other => panic!("nothing else happens here: {other:?}"),
            }
        }
    }

    /// Labels are numbers of packets; stations get them in turn.
    fn station_of(&self, label: u32) -> usize {
        (label - 1) as usize % self.told.len()
    }

    fn arrived(&mut self, packet: Handle) {
        let (station, bytes) = (usize::from(self.pool.sta(packet)), self.pool.bytes(packet));
        let number = self.pool.remove(packet);
        assert!(std::mem::replace(&mut self.last[station], number) < number, "in order");
        self.arrived[station] += 1;
        if bytes == CALL {
            self.waits.push(self.now - self.sent_at[number as usize - 1]);
        }
    }

    /// The PPDUs so far.
    fn ppdus(&self) -> Vec<Ppdu> {
        let begin = |a: &Attempt, b: &Attempt| a.start_ns == b.start_ns;
        let ppdu = |all: &[Attempt]| {
            assert!(all.iter().all(|a| (a.data_ns, a.rest_ns) == (all[0].data_ns, all[0].rest_ns)));
            let users = all.chunk_by(|a, b| a.station == b.station).map(|own| (own[0].station, own.len()));
            let took_ns = [all[0].data_ns.into(), all[0].rest_ns.into()];
            Ppdu { start_ns: all[0].start_ns, took_ns, users: users.collect() }
        };
        self.seen.chunk_by(begin).map(ppdu).collect()
    }

    fn told_ns(&self) -> u64 {
        self.told.iter().flatten().map(|tx| tx.air).sum()
    }
}

/// HE80 MCS 11, 0.8 us, ten MPDUs of 1538 bytes for each of 2, 4, 8, 16: 15438 bytes and 16 bits are 123 520 bits, in
/// symbols of 13.6 us of 3900, 1950, 850, 400 bits; 43.2 us and HE-SIG-B before them. A BLOCK ACK has 496 bits, in symbols of
/// 14.4 us of 936, 468, 204, 96 bits behind 48 us and SIFS.
const WORKED: [(u8, u64, u64); 4] = [
    (2, 43_200 + 12_000 + 32 * 13_600, 16_000 + 48_000 + 14_400),
    (4, 43_200 + 16_000 + 64 * 13_600, 16_000 + 48_000 + 2 * 14_400),
    (8, 43_200 + 24_000 + 146 * 13_600, 16_000 + 48_000 + 3 * 14_400),
    (16, 43_200 + 40_000 + 309 * 13_600, 16_000 + 48_000 + 6 * 14_400),
];

#[test]
fn an_exchange_with_several_takes_what_the_standard_says() {
    let units = [484, 242, 106, 52];
    for ((users, data_ns, rest_ns), tones) in WORKED.into_iter().zip(units) {
        let all = usize::from(users);
        let mut host =
            Host::new(config(10, 5_484_000, Some(16)), &vec![(rate(11, 80, 800).into(), Loss::None); all]);
        (0..=10 * all).for_each(|i| host.send(i % all, 1500));
        host.run(S);
        let ppdus = host.ppdus();
        // The first packet found nobody beside it.
        assert_eq!(ppdus[0].users, [(0, 1)]);
        let mut stations = ppdus[1].users.clone();
        stations.sort_unstable();
        assert_eq!(ppdus[1].took_ns, [data_ns, rest_ns], "{users} stations");
        assert_eq!(stations, (0..users.into()).map(|station| (station, 10)).collect::<Vec<_>>());
        assert!(host.seen[1..=10 * all].iter().all(|a| a.rate.ru() == tones && a.rate.mcs() == 11));
        // Equal parts of the air, the remainder to the last station; then by bytes.
        let mut paid: Vec<u64> = host.told.iter().map(|told| told.iter().map(|tx| tx.air).sum()).collect();
        paid[0] = host.told[0][1..=10].iter().map(|tx| tx.air).sum();
        let one = (data_ns + rest_ns) / u64::from(users);
        assert!(paid[1..].iter().all(|ns| (one..one + u64::from(users)).contains(ns)), "{paid:?} of {one}");
        let air = host.medium.air(host.now);
        assert_eq!(host.told_ns(), air.down_ns);
        assert_eq!(air.down_ns + air.idle_ns, host.now);
    }
}

/// AIFS, mean backoff, PPDU, SIFS and BLOCK ACKs.
#[test]
fn a_cycle_of_saturated_stations() {
    for (users, data_ns, rest_ns) in WORKED {
        let stations = vec![(rate(11, 80, 800), Loss::None); users.into()];
        let mut run = Fed::new(config(10, 5_484_000, Some(16)), &stations, 40);
        run.run(S / 10);
        let before = run.sent;
        run.run(S / 10 + 20 * S);
        let cycle = 20.0 * 1e9 * 10.0 * f64::from(users) / (run.sent - before) as f64;
        let expected = (43_000 + 67_500 + data_ns + rest_ns) as f64;
        assert!((cycle / expected - 1.0).abs() < 1e-3, "{users}: {cycle} ns, not {expected}");
    }
}

/// Stations that always have so many packets.
struct Fed {
    host: Host,
    per_station: usize,
    sent: usize,
}

impl Fed {
    fn new(config: CellConfig, stations: &[(Rate, Loss)], per_station: usize) -> Fed {
        let stations: Vec<_> = stations.iter().map(|s| (Speed::from(s.0), s.1)).collect();
        let mut host = Host::new(config, &stations);
        host.medium.tap(false);
        let all = stations.len();
        (0..all * per_station).for_each(|i| host.send(i % all, 1500));
        Fed { host, per_station, sent: 0 }
    }

    fn run(&mut self, until: u64) {
        let all = self.host.told.len();
        while self.host.medium.next_event() <= until {
            let next = self.host.medium.next_event();
            self.host.run(next);
            // Labels name stations in turn: all get as many as the one that has most room.
            let room = self.host.told.iter().map(Vec::len).max().unwrap_or(0) * all + self.per_station * all;
            while (self.host.made as usize) < room {
                self.host.send(self.host.made as usize % all, 1500);
            }
            self.sent = self.host.told.iter().map(Vec::len).sum();
        }
    }
}

/// One that has less is padded, and pays as much; MCS and streams are each one's own, LTFs and the BLOCK ACKs those of
/// who needs most.
#[test]
fn all_are_as_long_as_the_longest() {
    let spec = RateSpec { mcs: 1, streams: Some(2), ..RateSpec::default() };
    let two = phy("std-11ax").rate(&spec).expect("a rate of the profile");
    let stations = [(rate(11, 80, 800).into(), Loss::None), (two.into(), Loss::None)];
    let mut host = Host::new(config(256, 4_000_000, Some(4)), &stations);
    for i in 0..12 {
        host.send(i % 2, if i % 2 == 0 { 100 } else { 1500 });
    }
    host.run(S);
    let ppdus = host.ppdus();
    // 6 MPDUs of 1538 bytes: 74 112 bits and 16, in symbols of 468 x 2 x 2 / 2 = 936 bits: 80. Two LTFs. QPSK 1/2 for
    // the BLOCK ACK: 496 bits, 468 in a symbol.
    let data_ns = 36_000 + 2 * 7_200 + 12_000 + 80 * 13_600;
    assert_eq!(ppdus[1].took_ns, [data_ns, 16_000 + 48_000 + 2 * 14_400]);
    assert_eq!(ppdus[1].users, [(1, 6), (0, 5)]);
    let paid: [u64; 2] = [0, 1].map(|s| host.told[s].iter().map(|tx| tx.air).sum());
    let all = data_ns + 16_000 + 48_000 + 2 * 14_400;
    assert_eq!(paid[1], all / 2);
    assert_eq!(host.told[0].iter().skip(1).map(|tx| tx.air).sum::<u64>(), all - all / 2);
}

/// Without another one that is backlogged a cell is what it is without OFDMA, to the last report; and so is one
/// whose stations cannot go together.
#[test]
fn who_is_alone_has_the_whole_channel() {
    let run = |ofdma, stations: &[(Rate, Loss)]| {
        let mut run = Fed::new(config(256, 4_000_000, ofdma), stations, 300);
        run.host.medium.tap(true);
        run.run(S);
        (run.host.told, run.host.arrived, run.host.seen)
    };
    let he = rate(7, 80, 800);
    for stations in [
        vec![(he, Loss::Fer(0.2))],
        vec![(he, Loss::Fer(0.2)), (rate(7, 40, 800), Loss::None)],
        vec![(he, Loss::Fer(0.2)), (rate(7, 80, 1600), Loss::None)],
        vec![(he, Loss::None), (Rate::legacy(6_000), Loss::Fer(0.1))],
    ] {
        assert!(run(None, &stations) == run(Some(16), &stations));
    }
    let two = [(he, Loss::None), (he, Loss::None)];
    assert!(run(None, &two) != run(Some(2), &two));
}

/// As many as there are, as far as is allowed and as the channel has units.
#[test]
fn how_many_go_together() {
    let users = |width, stations: usize, ofdma| {
        let all = vec![(rate(11, width, 800).into(), Loss::None); stations];
        let mut host = Host::new(config(256, 4_000_000, Some(ofdma)), &all);
        (0..3 * stations).for_each(|i| host.send(i % stations, 200));
        host.run(S);
        host.ppdus()[1].users.len()
    };
    for (width, stations, ofdma, expected) in [
        (80, 2, 16, 2),
        (80, 3, 16, 2),
        (80, 7, 16, 4),
        (80, 15, 16, 8),
        (80, 20, 16, 16),
        (80, 20, 8, 8),
        (80, 20, 4, 4),
        (80, 20, 2, 2),
        (20, 20, 16, 8),
        (40, 20, 16, 16),
        (160, 20, 16, 16),
    ] {
        assert_eq!(users(width, stations, ofdma), expected, "{width} MHz, {stations}, {ofdma}");
    }
}

/// A PPDU is not longer than `ampdu_time`, for whoever is in it; whose MPDU would be has a larger unit, or the whole
/// channel.
#[test]
fn no_ppdu_is_too_long() {
    for (mcs, time_ns, users) in [
        (11, 4_000_000, 16),
        (11, 1_000_000, 16),
        // Ten MPDUs are 309 symbols, 4202.4 us, behind 43.2 and HE-SIG-B of 40.
        (11, 4_285_600, 16),
        (11, 4_285_599, 16),
        // 24 bits a symbol of 13.6 us: 12 328 take 513 symbols, 6977 us; on 106 tones (51 bits) 242, 3291 us.
        (0, 4_000_000, 8),
        (0, 5_484_000, 8),
        // 242 tones, 117 bits: 106 symbols, 1442 us.
        (0, 1_510_000, 4),
        (0, 1_200_000, 2),
        // 484 tones, 234 bits: 53 symbols, 721 us.
        (0, 700_000, 1),
    ] {
        let all = vec![(rate(mcs, 80, 800).into(), Loss::None); 16];
        let mut host = Host::new(config(256, time_ns, Some(16)), &all);
        (0..16 * 40).for_each(|i| host.send(i % 16, 1500));
        host.run(10 * S);
        let ppdus = host.ppdus();
        assert_eq!(ppdus[1].users.len(), users, "MCS {mcs}, {time_ns} ns");
        assert!(ppdus[1..].iter().all(|ppdu| ppdu.took_ns[0] <= time_ns.into()), "MCS {mcs}, {time_ns} ns");
        // And it would be with an MPDU more, where they have them.
        let full = ppdus[1].users.iter().map(|user| user.1).max().expect("users") as u64;
        assert!(full == 39 || (full + 1) * ppdus[1].took_ns[0] / full > u64::from(time_ns), "{full}");
        assert_eq!(host.arrived, [40; 16]);
    }
}

/// Within its TXOP (3.008 ms of video) a PPDU is followed by its answers.
#[test]
fn a_txop_holds_all() {
    let stations = vec![(Speed::from(rate(11, 80, 800)), Loss::None); 4];
    let mut config = config(256, 4_000_000, Some(4));
    config.txop = true;
    let mut host = Host::new(config, &stations);
    for i in 0..400 {
        host.made += 1;
        host.sent_at.push(0);
        let key = Some(airtab_core::Key { dscp: Category::Video.dscp(), ..Default::default() });
        let meta = Meta { bytes: 1500, sta: i % 4, key, ..Meta::default() };
        let packet = host.pool.insert(meta, host.made);
        host.medium.send_down(&mut host.pool, packet, 0);
    }
    host.run(S);
    // 3008 us less 92.8 of answers: 59.2, and symbols of 13.6 of 1950 bits; 33 MPDUs of 1544 bytes are 210 of them.
    let ppdu = &host.ppdus()[1];
    assert_eq!(ppdu.users.iter().map(|user| user.1).collect::<Vec<_>>(), [33; 4]);
    assert_eq!(ppdu.took_ns, [59_200 + 210 * 13_600, 92_800]);
    assert_eq!(host.arrived, [100; 4]);
}

/// One misses BLOCK ACKs and MPDUs, the others nothing: it alone sends again, and the air is that of the exchanges.
#[test]
fn who_misses_something_sends_again_alone() {
    let he = Speed::from(rate(5, 80, 800));
    let stations = [(he, Loss::Fer(0.3)), (he, Loss::None), (he, Loss::None), (he, Loss::None)];
    let config = CellConfig { attempts: 100, ..config(16, 4_000_000, Some(4)) };
    let mut host = Host::new(config, &stations);
    (0..4 * 20_000).for_each(|i| host.send(i % 4, 700));
    // Until the others have little left: it is never alone.
    while host.told[1].len() < 19_900 {
        let next = host.medium.next_event();
        host.run(next);
    }
    assert_eq!(host.lost, 0);
    assert!(host.told[1..].iter().flatten().all(|tx| tx.attempts == 1 && tx.acked));
    // Sent once: it was received, and its BLOCK ACK was.
    let (once, all) = (host.told[0].iter().filter(|tx| tx.attempts == 1).count(), host.told[0].len());
    assert!((once as f64 / all as f64 - 0.49).abs() < 0.03, "{once} of {all}");
    assert!(host.seen.iter().all(|a| a.station == 0 || a.number == 1));
}

/// Nobody answers: all pay alike for the wait, too, and all is given up in the end.
#[test]
fn nobody_answers() {
    let he = Speed::from(rate(5, 80, 800));
    let mut host = Host::new(config(8, 4_000_000, Some(4)), &[(he, Loss::Fer(1.0)); 4]);
    (0..4 * 9).for_each(|i| host.send(i % 4, 700));
    host.run(10 * S);
    assert_eq!((host.lost, host.arrived.clone(), host.medium.held()), (36, vec![0; 4], 0));
    for told in &host.told {
        assert!(told.iter().all(|tx| !tx.acked && tx.attempts == 7 && tx.span >= tx.air));
    }
    let air = host.medium.air(host.now);
    assert_eq!(air.down_ns + air.idle_ns, host.now);
    let several: Vec<_> = host.ppdus().into_iter().filter(|ppdu| ppdu.users.len() == 4).collect();
    assert!(several.len() >= 6, "{}", several.len());
    // From one to the next the backoff doubles: 15 slots of AIFS and wait at least, 1023 at most.
    let waits: Vec<u64> =
        several.windows(2).map(|two| two[1].start_ns - two[0].start_ns - two[0].took_ns[0]).collect();
    assert!(waits.iter().max() > Some(&(10 * 43_000)), "{waits:?}");
    // Nobody pays for what another one has paid for: all that is between the beginnings of DATA and of what follows it.
    let ppdus: Vec<_> = host.seen.chunk_by(|a, b| a.start_ns == b.start_ns).map(|all| all[0]).collect();
    let data = ppdus.windows(2).filter(|two| two[0].carried != FrameBody::Bar);
    let most: u64 = data.map(|two| two[1].start_ns - two[0].start_ns).sum();
    assert!(host.told_ns() <= most, "{} of {most}", host.told_ns());
}

/// One that answers is enough, whoever of them it is: the window is never doubled for the other.
#[test]
fn one_that_answers_is_enough() {
    let he = Speed::from(rate(5, 80, 800));
    for deaf in 0..2 {
        let config = CellConfig { attempts: 255, ..config(8, 4_000_000, Some(2)) };
        let loss = |station| if station == deaf { Loss::Fer(1.0) } else { Loss::None };
        let mut host = Host::new(config, &[0, 1].map(|station| (he, loss(station))));
        (0..2 * 2000).for_each(|i| host.send(i % 2, 700));
        while host.told[1 - deaf].len() < 1900 {
            let next = host.medium.next_event();
            host.run(next);
        }
        assert!(host.told[1 - deaf].iter().all(|tx| tx.attempts == 1 && tx.acked));
        let ppdus: Vec<_> = host.ppdus().into_iter().filter(|ppdu| ppdu.users.len() == 2).collect();
        assert!(ppdus.len() > 200);
        // SIFS, three slots, and 15 at most.
        for two in ppdus.windows(2) {
            let idle_ns = two[1].start_ns - two[0].start_ns - two[0].took_ns.iter().sum::<u64>();
            assert!((43_000..=43_000 + 15 * 9_000).contains(&idle_ns), "{idle_ns}");
        }
    }
}

/// Where nobody answers, all who were meant wait EIFS from the end of DATA, which is earlier than the end of what was
/// reserved for BLOCK ACKs and AIFS.
#[test]
fn who_is_meant_and_receives_nothing_waits_eifs() {
    let he = Speed::from(rate(5, 80, 800));
    let config = CellConfig { attempts: 255, ..config(8, 4_000_000, Some(4)) };
    let mut host = Host::new(config, &[(he, Loss::Fer(1.0)); 4]);
    (0..4 * 40).for_each(|i| host.send(i % 4, 700));
    (0..4 * 40).for_each(|i| host.upload(i % 4));
    host.run(20 * S);
    let mut least = [u64::MAX; 4];
    for two in host.seen.windows(2).filter(|two| two[0].sender == 0 && two[0].rate.ru() > 0) {
        let (sender, from) = (usize::from(two[1].sender), two[0].start_ns + u64::from(two[0].data_ns));
        if sender > 0 && two[1].start_ns > two[0].start_ns {
            least[sender - 1] = least[sender - 1].min(two[1].start_ns - from);
        }
    }
    let reserved = 16_000 + 48_000 + 2 * 14_400 + 43_000;
    let eifs = phy("std-11ax").eifs_ns();
    assert!(least.iter().all(|ns| (eifs..reserved).contains(ns)), "{least:?} from {eifs} to {reserved}");
}

/// By the signal, each by its own and its own MCS: a station far away loses, its neighbours on other units do not.
#[test]
fn each_has_its_own_errors_and_rate_control() {
    let speed = |mcs, control| Speed { control, ..rate(mcs, 80, 800).into() };
    let signal = |db| Loss::Signal(Signal::steady(Mean::Given(db)));
    // MCS 7 of 80 MHz loses a tenth at 23.79 + 6 dB.
    let stations = [
        (speed(7, RateAlgorithm::Fixed), signal(29.79)),
        (speed(7, RateAlgorithm::Fixed), signal(45.0)),
        (speed(11, RateAlgorithm::Ideal), signal(20.0)),
        (speed(11, RateAlgorithm::Minstrel), signal(20.0)),
    ];
    let mut host = Host::new(config(16, 4_000_000, Some(4)), &stations);
    (0..4 * 4000).for_each(|i| host.send(i % 4, 1500));
    host.run(800 * MS);
    let once = |station: usize| {
        let told = &host.told[station];
        assert!(told.len() > 500, "{station}: {}", told.len());
        told.iter().filter(|tx| tx.attempts == 1).count() as f64 / told.len() as f64
    };
    assert!((once(0) - 0.9).abs() < 0.03, "{}", once(0));
    assert!(once(1) > 0.999 && once(2) > 0.85 && once(3) > 0.7, "{} {} {}", once(1), once(2), once(3));
    assert!(host.ppdus()[1..].iter().filter(|ppdu| ppdu.users.len() == 4).count() > 20);
}

/// Who stays silent where another one answers has failed: its next attempts are at the later rates of its chain, as
/// if it had been alone.
#[test]
fn who_fails_beside_one_that_answers_goes_down_its_chain() {
    let speed = |control| Speed { control, ..rate(9, 80, 800).into() };
    let signal = |db| Loss::Signal(Signal::steady(Mean::Given(db)));
    let (learner, near) = (speed(RateAlgorithm::Minstrel), speed(RateAlgorithm::Fixed));
    let mut host = Host::new(config(8, 4_000_000, Some(2)), &[(learner, signal(24.0)), (near, signal(50.0))]);
    (0..2 * 8000).for_each(|i| host.send(i % 2, 700));
    host.run(600 * MS);
    host.medium.set_station(0, learner, signal(-30.0), host.now);
    let before = host.seen.len();
    host.run(640 * MS);
    // By how often the packet has been sent: the rates of units, kb/s.
    let mut rates: [Vec<u32>; 3] = Default::default();
    let silent = host.seen[before..].iter().filter(|a| a.station == 0 && a.rate.ru() > 0);
    for attempt in silent.filter(|a| a.end == End::DataLost && (1..=3).contains(&a.number)) {
        rates[usize::from(attempt.number) - 1].push(attempt.rate.kbps());
    }
    let mean = |of: &[u32]| of.iter().map(|kbps| f64::from(*kbps)).sum::<f64>() / of.len() as f64;
    assert!(rates.iter().all(|of| of.len() >= 8), "{rates:?}");
    assert!(mean(&rates[0]) > mean(&rates[1]) && mean(&rates[1]) > mean(&rates[2]), "{rates:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Books, order and channel time, whoever loses what, of whatever rate, however many go together.
    #[test]
    fn nothing_gets_lost_among_several(
        ofdma in prop::sample::select(vec![2, 4, 8, 16]),
        stations in prop::collection::vec(
            (0..=11u8, prop::sample::select(vec![20, 80]), prop::sample::select(vec![0.0, 0.3, 0.7])), 2..24),
        sends in prop::collection::vec((1..60usize, 28..2304u32, 0..3 * MS), 1..40),
        frames in 1..40u16,
        ring in 1..400usize,
        fifo in any::<bool>(),
    ) {
        let mut config = config(frames, 4_000_000, Some(ofdma));
        let order = if fifo { Order::Fifo } else { Order::RoundRobin };
        config.driver = DriverConfig { ring, order, ..config.driver };
        let all: Vec<_> =
            stations.iter().map(|s| (rate(s.0, s.1, 800).into(), Loss::Fer(s.2))).collect();
        let mut host = Host::new(config, &all);
        for (n, bytes, ns) in sends {
            for _ in 0..n {
                host.send(host.made as usize % all.len(), bytes);
            }
            host.look();
            host.run(host.now + ns);
        }
        host.run(host.now + 1000 * S);
        let arrived: usize = host.arrived.iter().sum();
        prop_assert_eq!((arrived + host.lost, host.medium.held()), (host.made as usize, 0));
        let air = host.medium.air(host.now);
        prop_assert_eq!(air.down_ns + air.idle_ns, host.now);
        // Else there are waits beside, and BARs that nobody pays.
        if stations.iter().all(|s| s.2 == 0.0) {
            prop_assert_eq!(host.told_ns(), air.down_ns);
        }
        prop_assert_eq!(host.pool.len(), 0);
    }
}

/// Small packets to sixteen, in us: the first one alone, 100.8; of the others 8 (43.2 + 24 + 4 13.6 + 16 + 48 + 3 14.4), 4
/// (43.2 + 16 + 2 13.6 + 16 + 48 + 2 14.4), 2 (43.2 + 12 + 13.6 + 16 + 48 + 14.4) and the last one.
#[test]
fn small_packets_to_many_take_less_air() {
    let air_ns = |ofdma| {
        let mut host =
            Host::new(config(256, 4_000_000, ofdma), &vec![(rate(7, 80, 800).into(), Loss::None); 16]);
        for at in 0..100 {
            (0..16).for_each(|station| host.send(station, 200));
            host.look();
            host.run((at + 1) * 20 * MS);
        }
        assert_eq!(host.arrived, [100; 16]);
        host.medium.air(host.now).down_ns as f64
    };
    let (alone, together) = (air_ns(None), air_ns(Some(16)));
    assert_eq!(alone, 100.0 * 16.0 * 100_800.0);
    assert_eq!(together, 100.0 * (100_800.0 + 228_800.0 + 179_200.0 + 147_200.0 + 100_800.0));
}

/// Others that contend make exchanges with several collide; books and time hold.
#[test]
fn several_collide_with_others() {
    let stations = vec![(rate(7, 80, 800), Loss::None); 4];
    let mut run =
        Saturated::deep(config(16, 4_000_000, Some(4)), &stations, 1500, false, 1, 8, Category::BestEffort);
    run.run(S);
    let air = run.cell.air(S);
    assert!(air.collided > 0);
    assert_eq!(air.down_ns + air.up_ns + air.collision_ns + air.idle_ns, S);
}

/// What is sent: how often a packet of 200 bytes to each of 16 stations; downloads to the first ones of them, of
/// which 32 to 64 packets each are always in the access point; uploads from others, that always have packets.
struct Load {
    mcs: u8,
    call_ns: u64,
    downloads: usize,
    uploads: usize,
}

/// Of HE80, 10 s: goodput of the downloads, Mb/s; mean wait of a call's packet, ms; share of the air that the
/// access point uses.
fn bring(ofdma: Option<u8>, load: &Load) -> [f64; 3] {
    const STATIONS: usize = 16;
    let &Load { mcs, call_ns, downloads, uploads } = load;
    let mut config = config(256, 4_000_000, ofdma);
    config.driver.aggregates = 2;
    let mut host = Host::new(config, &vec![(rate(mcs, 80, 800).into(), Loss::None); STATIONS + uploads]);
    host.medium.tap(false);
    (0..300 * uploads).for_each(|i| host.upload(STATIONS + i % uploads));
    let mut next: Vec<u64> = (0..STATIONS as u64).map(|i| (i * 7 % 16) * call_ns / 16).collect();
    let mut downloaded = 0;
    while host.now < 10 * S {
        let at = next.iter().copied().min().expect("calls").min(host.medium.next_event());
        host.now = at;
        host.medium.advance(&mut host.pool, at);
        host.look();
        for (station, next) in next.iter_mut().enumerate().filter(|(_, next)| **next == at) {
            host.send(station, CALL);
            *next += call_ns;
        }
        while downloaded - host.downloaded() < 32 * downloads {
            (0..32 * downloads).for_each(|i| host.send(i % downloads, 1500));
            downloaded += 32 * downloads;
        }
        host.look();
    }
    let wait_ns = host.waits.iter().sum::<u64>() as f64 / host.waits.len() as f64;
    let air = host.medium.air(host.now).down_ns as f64 / host.now as f64;
    [host.downloaded() as f64 * 12_000.0 / 10e6, wait_ns / 1e6, air]
}

/// With `AIRTAB_SHOW=1` it prints the table of docs/wifi.md.
#[test]
fn what_it_brings() {
    let table = |mcs, call_us: u64, downloads, uploads| {
        let load = Load { mcs, call_ns: call_us * 1000, downloads, uploads };
        [None, Some(2), Some(4), Some(8), Some(16)].map(|ofdma| {
            let row = bring(ofdma, &load);
            if std::env::var_os("AIRTAB_SHOW").is_some() {
                let [mbps, wait, air] = row;
                println!("MCS {mcs}, {call_us} us, {downloads} down, {uploads} up, {ofdma:?}: {mbps:.1} Mb/s, {wait:.2} ms, {air:.3}");
            }
            row
        })
    };
    let [mbps, wait] = [0, 1];
    let rows = table(7, 20_000, 0, 0);
    assert!(rows.iter().all(|row| *row == rows[0]), "nobody is backlogged beside another");
    let rows = table(7, 1_250, 0, 0);
    assert!(rows[4][wait] < 0.25 * rows[0][wait]);
    let rows = table(7, 20_000, 0, 5);
    assert!(rows[4][wait] < 0.4 * rows[0][wait]);
    let rows = table(7, 20_000, 4, 0);
    assert!(rows[4][mbps] < 0.8 * rows[0][mbps], "a call's packet is padded to a download's");
    let rows = table(7, 20_000, 16, 0);
    // Of 980 data tones 16 units have 768.
    let share = rows[4][mbps] / rows[0][mbps] / (768.0 / 980.0);
    assert!((0.95..1.0).contains(&share), "{share}");
    let rows = table(2, 20_000, 16, 0);
    assert!(rows[4][mbps] < 0.75 * rows[0][mbps]);
}
