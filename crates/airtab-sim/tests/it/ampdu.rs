// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Aggregates in the cell: cycles of a lone sender to the digits of IEEE 802.11's own arithmetic, access
//! categories, airtime, and what happens when a BLOCK ACK is lost.

use crate::common;

use airtab_core::{Control, Meta, Phy, Pool, Qdisc, Rate, RateSpec, ampdu_bytes};
use airtab_model::blockack::BlockAck;
use airtab_sim::wifi::{
    Aggregation, Attempt, Category, CellConfig, Coding, DriverConfig, Edca, ErrorTable, Loss, LostBar, Mean,
    Medium, Order, Output, RateAlgorithm, Signal, Speed,
};
use common::{MS, S, Saturated, phy, queue};

fn rate(phy: &Phy, mcs: u8, width: u16, streams: u8, gi: u16) -> Rate {
    let spec =
        RateSpec { mcs, width: Some(width), streams: Some(streams), gi: Some(gi), ..RateSpec::default() };
    phy.rate(&spec).expect("a rate of the profile")
}

/// Aggregates of at most so many MPDUs, as long as the standard allows.
fn aggregation(phy: &Phy, frames: u16) -> Aggregation {
    Aggregation {
        frames,
        bytes: phy.ampdu_bytes(),
        time_ns: 5_484_000,
        window: phy.window(),
        amsdu_bytes: 0,
        bar: false,
    }
}

/// Two aggregates in the driver, of which the second is made while the first is sent if the window has
/// place for both.
fn config(phy: Phy, frames: u16) -> CellConfig {
    let aggregates = if 2 * frames <= phy.window() { 2 } else { 1 };
    CellConfig {
        beacon: None,
        aggregation: Some(aggregation(&phy, frames)),
        edca: Edca::Ieee2012,
        driver: DriverConfig { ring: 2 * usize::from(frames), aggregates, ..DriverConfig::default() },
        ..CellConfig::new(phy)
    }
}

/// A lone saturated sender of 1500-byte packets: its exchange cycle, us.
fn cycle_us(config: CellConfig, rate: Rate, frames: u16, category: Category) -> f64 {
    let depth = 4 * usize::from(frames);
    let seconds = if frames == 1 { 60 } else { 20 };
    let mut lone = Saturated::deep(config, &[(rate, Loss::None)], 1500, true, 1, depth, category);
    lone.run(S / 10);
    let before = lone.arrived[0];
    lone.run(S / 10 + seconds * S);
    let cycles = (lone.arrived[0] - before) as f64 / f64::from(frames);
    seconds as f64 * 1e6 / cycles
}

/// AIFS, mean backoff, PPDU, SIFS, ACK or BLOCK ACK: the issue of arithmetic alone.
#[test]
fn a_lone_senders_cycle() {
    let (n, ac, ax) = ("std-11n", "std-11ac", "std-11ax");
    for (profile, mcs, width, streams, gi, frames, us) in [
        (n, 7, 20, 1, 800, 1, 382.5),
        (n, 7, 20, 1, 800, 2, 578.5),
        (n, 7, 20, 1, 800, 8, 1718.5),
        (n, 7, 20, 1, 800, 28, 5518.5),
        (n, 7, 40, 2, 400, 42, 1930.5),
        (ac, 9, 80, 1, 800, 64, 2226.5),
        (ac, 9, 80, 1, 400, 64, 2026.5),
        (ax, 11, 80, 1, 800, 256, 5486.5),
        (ax, 11, 80, 1, 3200, 224, 5642.5),
    ] {
        let phy = phy(profile);
        let rate = rate(&phy, mcs, width, streams, gi);
        let cycle = cycle_us(config(phy, frames), rate, frames, Category::BestEffort);
        assert!((cycle / us - 1.0).abs() < 1e-3, "{rate}, {frames} MPDUs: {cycle} us, not {us}");
    }
}

/// The largest that fits, by bytes (HT's 65535), by time, by window.
#[test]
fn an_aggregate_is_as_long_as_it_may_be() {
    let longest = |profile: &str, mcs, width, streams, gi, time_ns, us: f64, frames| {
        let phy = phy(profile);
        let all = phy.window();
        let mut config = config(phy, all);
        config.aggregation.as_mut().expect("it aggregates").time_ns = time_ns;
        let cycle = cycle_us(config, rate(&phy, mcs, width, streams, gi), all, Category::BestEffort);
        let expected = us * f64::from(all) / f64::from(frames);
        assert!(
            (cycle / expected - 1.0).abs() < 2e-3,
            "{profile}: {cycle} us for {all} packets, not {expected}"
        );
    };
    longest("std-11n", 7, 20, 1, 800, 4_000_000, 3998.5, 20);
    longest("std-11n", 7, 20, 1, 800, 5_484_000, 5518.5, 28);
    longest("std-11n", 7, 40, 2, 400, 5_484_000, 1930.5, 42);
    longest("std-11ac", 9, 80, 1, 800, 5_484_000, 2226.5, 64);
    longest("std-11ax", 11, 80, 1, 3200, 5_484_000, 5642.5, 224);
}

/// Single MCS 7 frames by category; video with its TXOP sends ten exchanges at once.
#[test]
fn categories_differ_by_aifs_window_and_txop() {
    let phy = phy("std-11n");
    let rate = rate(&phy, 7, 20, 1, 800);
    let single =
        |txop| CellConfig { aggregation: None, driver: DriverConfig::default(), txop, ..config(phy, 1) };
    let mbps = |us: f64| 12_000.0 / us;
    for (category, expected) in [
        (Category::Voice, 37.56),
        (Category::Video, 35.56),
        (Category::BestEffort, 31.37),
        (Category::Background, 28.67),
    ] {
        let got = mbps(cycle_us(single(false), rate, 1, category));
        assert!((got / expected - 1.0).abs() < 1e-3, "{category:?}: {got} Mb/s, not {expected}");
    }
    let got = mbps(cycle_us(single(true), rate, 1, Category::Video));
    assert!((got / 40.96 - 1.0).abs() < 1e-3, "{got} Mb/s");
    // 34 us of AIFS, 31.5 of backoff, ten of 272 us and nine SIFS of 16.
    let cycle = 34.0 + 31.5 + 10.0 * 272.0 + 9.0 * 16.0;
    assert!((mbps(cycle / 10.0) / got - 1.0).abs() < 1e-3);
}

/// A retransmitted frame is charged AIFS and backoff of its category for each attempt after the first.
#[test]
fn another_attempt_costs_aifs_and_backoff() {
    let phy = phy("std-11n");
    let rate = rate(&phy, 7, 20, 1, 800);
    let config = CellConfig {
        aggregation: None,
        driver: DriverConfig::default(),
        txop: false,
        eifs: false,
        ..config(phy, 1)
    };
    let ppdu = phy.ppdu_ns(&rate, 1500 + phy.mac_bytes());
    let attempt = ppdu + phy.sifs_ns() + phy.control_ns(&rate, Control::Ack);
    // IEEE 802.11-2012 table 8-105: AIFSN, and the window after one failure.
    for (category, aifsn, window) in [
        (Category::Voice, 2, 7),
        (Category::Video, 2, 15),
        (Category::BestEffort, 3, 31),
        (Category::Background, 7, 31),
    ] {
        let mut lone = Saturated::deep(config.clone(), &[(rate, Loss::Fer(0.3))], 1500, true, 1, 4, category);
        lone.run(20 * S);
        let twice = lone.reports[0].iter().filter(|tx| tx.attempts == 2);
        let waits = twice.map(|tx| tx.air - 2 * attempt - 16_000 - aifsn * 9_000);
        let slots: Vec<u64> =
            waits.inspect(|ns| assert_eq!(ns % 9_000, 0, "{category:?}")).map(|ns| ns / 9_000).collect();
        assert!(slots.len() > 2_000, "{category:?}: {}", slots.len());
        let drawn: Vec<u64> = (0..=window).filter(|slot| slots.contains(slot)).collect();
        assert_eq!(drawn, Vec::from_iter(0..=window), "{category:?}: every number of slots is drawn");
        assert_eq!(slots.iter().max(), Some(&window), "{category:?}");
    }
}

/// A saturated sender of video with its TXOP, window 64, three aggregates prepared: all its PPDUs from `from` to `until`,
/// ns with SIFS and BLOCK ACK, and the numbers in them.
fn video(speed: Speed, loss: Loss, down: bool, from: u64, until: u64) -> Vec<(u64, Vec<u64>)> {
    guarded_video(None, speed, loss, down, from, until)
}

/// [`video`] with RTS before frames of more than `rts_bytes`.
fn guarded_video(
    rts_bytes: Option<u32>,
    speed: Speed,
    loss: Loss,
    down: bool,
    from: u64,
    until: u64,
) -> Vec<(u64, Vec<u64>)> {
    let phy = phy("std-11n");
    let driver = DriverConfig { ring: 192, aggregates: 3, ..DriverConfig::default() };
    let config = CellConfig { txop: true, driver, rts_bytes, ..config(phy, 64) };
    let mut lone = Saturated::deep(config, &[(speed, loss)], 1500, down, 1, 256, Category::Video);
    lone.run(from);
    lone.cell.tap(true);
    lone.run(until);
    let sent = lone.cell.attempts().expect("they are looked at");
    let ppdus = sent.chunk_by(|a, b| a.start_ns == b.start_ns);
    let ns = |of: &Attempt| u64::from(of.data_ns) + u64::from(of.rest_ns);
    ppdus.map(|of| (ns(&of[0]), of.iter().filter_map(|mpdu| mpdu.sequence).collect())).collect()
}

/// An aggregate ends before the TXOP does: 15 MPDUs at MCS 7, made so, not cut to that, and so in order of their numbers.
/// At a rate that is lower than that it was made for it has fewer.
#[test]
fn an_aggregate_fits_into_its_txop() {
    let rate = rate(&phy("std-11n"), 7, 20, 1, 800);
    for down in [true, false] {
        let ppdus = video(rate.into(), Loss::None, down, S, 2 * S);
        assert!(ppdus.len() > 300);
        // PPDU, SIFS and 32 bytes at 24 Mb/s.
        assert!(ppdus.iter().all(|(ns, mpdus)| (*ns, mpdus.len()) == (2_888_000 + 48_000, 15)), "{ppdus:?}");
        let numbers: Vec<u64> = ppdus.into_iter().flat_map(|ppdu| ppdu.1).collect();
        assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1), "{numbers:?}");
        // MCS 5 is what this signal is good for; MCS 6 is tried, and what it loses goes out again at 5.
        let speed = Speed { control: RateAlgorithm::Aarf, ..rate.into() };
        let ppdus = video(speed, Loss::Signal(Signal::steady(Mean::Given(21.4))), down, 0, 10 * S);
        assert!(ppdus.len() > 2500);
        assert!(ppdus.iter().all(|(ns, _)| *ns <= 3_008_000), "{:?}", ppdus.iter().max());
        let several = ppdus.iter().filter(|(_, mpdus)| mpdus.len() > 1).count();
        assert!(several > ppdus.len() / 2, "{several} of {}", ppdus.len());
    }
}

/// RTS, SIFS, CTS and SIFS, 88 us, are in the TXOP of 3008 us, too: 14 MPDUs of 2700 us and their BLOCK ACK, 48 us, fit
/// behind them. Where an RTS comes before more than 23158 bytes alone, 15 MPDUs go without one.
#[test]
fn an_aggregate_behind_an_rts_fits_into_its_txop() {
    let rate = rate(&phy("std-11n"), 7, 20, 1, 800);
    for down in [true, false] {
        let seen = guarded_video(Some(0), rate.into(), Loss::None, down, S, 2 * S);
        let (rts, data): (Vec<_>, Vec<_>) = seen.into_iter().partition(|(_, mpdus)| mpdus.is_empty());
        assert!(rts.len() > 300 && rts.len().abs_diff(data.len()) <= 1, "{} {}", rts.len(), data.len());
        assert!(rts.iter().all(|(ns, _)| *ns == 2_836_000), "{:?}", rts.iter().max());
        assert!(data.iter().all(|(ns, mpdus)| (*ns, mpdus.len()) == (2_748_000, 14)));
        let seen = guarded_video(Some(23_158), rate.into(), Loss::None, down, S, 2 * S);
        assert!(seen.iter().all(|(ns, mpdus)| (*ns, mpdus.len()) == (2_936_000, 15)), "that is not above it");
    }
}

/// Single frames of video behind RTS: one RTS reserves the channel for ten exchanges. 34 us of AIFS, 31.5 of backoff, 88
/// of RTS and CTS with SIFS, ten of 272 us and nine SIFS of 16.
#[test]
fn one_rts_is_enough_for_a_txop() {
    let phy = phy("std-11n");
    let rate = rate(&phy, 7, 20, 1, 800);
    let config = CellConfig {
        aggregation: None,
        driver: DriverConfig::default(),
        txop: true,
        rts_bytes: Some(0),
        ..config(phy, 1)
    };
    let us = cycle_us(config, rate, 1, Category::Video);
    let expected = (34.0 + 31.5 + 88.0 + 10.0 * 272.0 + 9.0 * 16.0) / 10.0;
    assert!((us / expected - 1.0).abs() < 1e-3, "{us} us, not {expected}");
}

/// What each packet is told that it took sums to what the channel was used for, whatever their lengths.
#[test]
fn parts_sum_to_the_exchange() {
    for (profile, frames) in [("std-11n", 28), ("std-11ac", 64), ("std-11ax", 256)] {
        let phy = phy(profile);
        let rate = rate(&phy, 5, 20, 1, 800);
        let lossless = [(rate, Loss::None)];
        let depth = 4 * usize::from(frames);
        let mut lone =
            Saturated::deep(config(phy, frames), &lossless, 777, true, 1, depth, Category::BestEffort);
        lone.run(S);
        let done = lone.reports[0].len();
        let mut now = S;
        while lone.reports[0].len() == done {
            now = lone.cell.next_event();
            lone.run(now);
        }
        // An exchange has ended just now.
        let air = lone.cell.air(now);
        assert_eq!(lone.reports[0].iter().map(|tx| tx.air).sum::<u64>(), air.down_ns);
        assert_eq!(air.down_ns + air.idle_ns, now);
        assert!(lone.reports[0].len() - done > 1, "of several packets");
    }
}

/// One MPDU at a time is what the cell did before it knew aggregates, to the last report.
#[test]
fn aggregates_of_one_change_nothing() {
    let phy = phy("std-11g");
    let plain = CellConfig::new(phy);
    let one = CellConfig {
        aggregation: Some(Aggregation { bytes: 65_535, window: 64, ..aggregation(&phy, 1) }),
        ..plain.clone()
    };
    let run = |config: CellConfig| {
        let stations = [(54_000, Loss::Fer(0.3)), (6_000, Loss::Fer(0.1)), (24_000, Loss::None)];
        let mut cell = Saturated::new(config, &stations, 1500, false, 3);
        cell.run(3 * S);
        (cell.reports, cell.arrived)
    };
    assert!(run(plain) == run(one));
}

/// Goodput of a lone sender to a station with this signal, Mb/s, and the share of MPDUs sent once.
fn by_signal(signal: Signal, control: RateAlgorithm, mcs: u8) -> (f64, f64) {
    let phy = phy("std-11n");
    let speed = Speed { control, ..rate(&phy, mcs, 20, 1, 800).into() };
    let driver = DriverConfig { ring: 56, aggregates: 1, order: Order::Fifo, ..DriverConfig::default() };
    let config = CellConfig { attempts: 100, driver, ..config(phy, 28) };
    let mut lone = Saturated::deep(
        config,
        &[(speed, Loss::Signal(signal))],
        1500,
        true,
        1,
        4 * 28,
        Category::BestEffort,
    );
    lone.run(2 * S);
    let (before, reports) = (lone.arrived[0], lone.reports[0].len());
    lone.run(12 * S);
    let once = lone.reports[0][reports..].iter().filter(|tx| tx.attempts == 1).count();
    let all = lone.reports[0].len() - reports;
    ((lone.arrived[0] - before) as f64 * 12_000.0 / 10e6, once as f64 / all.max(1) as f64)
}

/// At the signal at which a tenth of 1538-byte MPDUs is lost, a tenth is sent again.
#[test]
fn losses_follow_from_the_signal() {
    for (mcs, db) in [(0, 3.97), (4, 16.62), (7, 23.79)] {
        let (_, once) = by_signal(Signal::steady(Mean::Given(db)), RateAlgorithm::Fixed, mcs);
        assert!((once - 0.9).abs() < 0.01, "MCS {mcs} at {db} dB: {once}");
    }
}

/// Goodput where MPDUs are lost, against a Markov chain of the window: one aggregate is prepared at a time, no
/// MPDU is given up, and BLOCK ACKs arrive.
#[test]
fn losses_cost_what_a_chain_of_the_window_says() {
    let phy = phy("std-11n");
    let rate = rate(&phy, 7, 20, 1, 800);
    let coding = Coding::mcs(7).expect("an MCS");
    let cycle_ns = |frames: u32| {
        let mpdu = 1500 + phy.mac_bytes();
        let (psdu, answer) = match frames {
            1 => (mpdu, Control::Ack),
            frames => (ampdu_bytes(frames, mpdu), Control::BlockAck(64)),
        };
        let ppdu = phy.ppdu_ns(&rate, psdu) + phy.sifs_ns() + phy.control_ns(&rate, answer);
        phy.aifs_ns(3) + 67_500 + ppdu
    };
    for error in [0.1, 0.3, 0.5] {
        let db = ErrorTable::new().needed_db(coding, 1538, error);
        let (seen, _) = by_signal(Signal::steady(Mean::Given(db)), RateAlgorithm::Fixed, 7);
        let chain = BlockAck { window: 64, frames: 28, error, attempts: None };
        let expected = chain.solve().expect("a window").goodput_bps(12_000, 0, cycle_ns) / 1e6;
        assert!((seen / expected - 1.0).abs() < 0.01, "{error}: {seen} Mb/s, not {expected}");
    }
}

/// Who measures comes close to who knows, near and far; one rate for all distances is too fast or too slow.
#[test]
fn minstrel_is_close_to_ideal_at_six_distances() {
    for metres in [1.0, 5.0, 15.0, 30.0, 45.0, 60.0] {
        let signal = Signal::steady(Mean::Distance(metres));
        let goodput = |control| by_signal(signal, control, 7).0;
        let [fixed, ideal, minstrel] =
            [RateAlgorithm::Fixed, RateAlgorithm::Ideal, RateAlgorithm::Minstrel].map(goodput);
        assert!(minstrel > 0.95 * ideal, "{metres} m: minstrel {minstrel}, ideal {ideal}");
        assert!(ideal > 0.999 * fixed, "{metres} m: MCS 7 alone {fixed}, ideal {ideal}");
    }
}

/// An aggregate whose BLOCK ACK is lost is retransmitted at once, or after one BAR, or after up to seven.
#[test]
fn a_lost_block_ack() {
    let phy = phy("std-11n");
    let rate = rate(&phy, 7, 20, 1, 800);
    let mut goodput = Vec::new();
    // A BAR is received and its answer is, or not.
    let (arrives, asked) = (0.8 * 0.8, |times: i32| 1.0 - 0.36_f64.powi(times));
    assert!((asked(1) - arrives).abs() < 1e-12);
    for (bar, lost_bar, times) in [
        (false, LostBar::Repeat, 0),
        (true, LostBar::Data, 1),
        (true, LostBar::AfterSuccess, 1),
        (true, LostBar::Repeat, 7),
    ] {
        let mut config = CellConfig { lost_bar, ..config(phy, 28) };
        config.aggregation.as_mut().expect("it aggregates").bar = bar;
        let mut lone =
            Saturated::deep(config, &[(rate, Loss::Fer(0.2))], 1500, true, 1, 112, Category::BestEffort);
        lone.run(20 * S);
        goodput.push(lone.arrived[0] as f64 * 12_000.0 / 20e6);
        let attempts = |n: u8| lone.reports[0].iter().filter(|tx| tx.attempts == n).count() as f64;
        let all = lone.reports[0].len() as f64;
        let once = attempts(1) / all;
        // Sent once: it was received, and the BLOCK ACK was, or else a BAR and the answer to it.
        let expected = 0.8 * (0.8 + 0.2 * asked(times));
        assert!((once / expected - 1.0).abs() < 0.02, "{bar}, {lost_bar:?}: {once}, not {expected}");
    }
    assert!(goodput[1] > 1.1 * goodput[0], "to ask is cheaper than to send all again: {goodput:?}");
    assert!(goodput[3] > 1.02 * goodput[1] && goodput[1] > goodput[2], "{goodput:?}");
}

/// After the last attempt at an MPDU a BAR moves the window: what is behind it does not wait for the 100 ms after which its
/// receiver gives up by itself. BLOCK ACKs and BARs arrive.
#[test]
fn what_is_behind_a_given_up_mpdu_does_not_wait_for_it() {
    let phy = phy("std-11n");
    let db = ErrorTable::new().needed_db(Coding::mcs(7).expect("an MCS"), 1538, 0.6);
    let loss = Loss::Signal(Signal::steady(Mean::Given(db)));
    let config = CellConfig { attempts: 2, ..config(phy, 8) };
    let mut pool = Pool::new();
    let qdisc = Qdisc::new(&pool, &queue("fifo", 100), 0, 0);
    let mut cell = Medium::new(config.into(), &[("sta", rate(&phy, 7, 20, 1, 800), loss)], qdisc, 1);
    let (rounds, mut arrived, mut lost, mut behind) = (1000, 0, 0, 0);
    for round in 0..rounds {
        let start = round * 200 * MS;
        for number in 0..8u32 {
            let packet = pool.insert(Meta { bytes: 1500, ..Meta::default() }, number);
            cell.send_down(&mut pool, packet, start);
        }
        let mut given_up = 8;
        while cell.next_event() < start + 200 * MS {
            let now = cell.next_event();
            cell.advance(&mut pool, now);
            while let Some(output) = cell.poll() {
                match output {
                    Output::Down(packet) => {
                        let number = pool.remove(packet);
                        arrived += 1;
                        behind += u32::from(number > given_up);
                        assert!(
                            now - start < 20 * MS,
                            "packet {number} of round {round}: {} ns",
                            now - start
                        );
                    }
                    Output::Lost(packet) => {
                        given_up = given_up.min(pool.remove(packet));
                        lost += 1;
                    }
                    _ => {}
                }
            }
        }
    }
    assert_eq!(arrived + lost, 8 * rounds);
    let share = lost as f64 / (8 * rounds) as f64;
    assert!((share - 0.36).abs() < 0.02, "two attempts, of which 0.6 each are lost: {share}");
    assert!(behind > 1000, "{behind}");
}
