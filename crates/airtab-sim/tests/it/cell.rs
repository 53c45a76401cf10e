// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The cell against closed forms: Bianchi's model, exchange times, the link
//! model, the performance anomaly; and the books: packets and airtime.

use crate::common;

use airtab_core::{GROUP, Meta, Pool, Qdisc, Tx};
use airtab_model::bianchi::BianchiInput;
use airtab_sim::wifi::{Attempt, Backoff, Beacon, Cell, CellConfig, DeliverOn, End, FrameBody, Loss, Output};
use common::{MS, S, Saturated, phy, queue};
use rayon::prelude::*;

const BYTES: u32 = 1500;

/// Throughput (bit/s) and collision probability of an attempt: measured over
/// the model's value, for n saturated stations.
fn against_bianchi(profile: &str, kbps: u32, rule: Backoff, n: u32, seconds: u64) -> (f64, f64) {
    let phy = phy(profile);
    let mut config = CellConfig::new(phy);
    config.backoff = rule;
    config.eifs = false;
    config.beacon = None;
    config.attempts = u8::MAX; // the model has no retry limit
    let stations = vec![(kbps, Loss::None); n as usize];
    let mut run = Saturated::new(config, &stations, BYTES, false, 7);
    run.run(seconds * S);
    // The model's own T_c: everybody else goes on DIFS after the longest frame.
    let collision = phy.data_ns(kbps, BYTES) + phy.difs_ns();
    let model = BianchiInput {
        n,
        cw_min: phy.cw_min(),
        cw_max: phy.cw_max(),
        slot_ns: phy.slot_ns(),
        t_success_ns: collision + phy.sifs_ns() + phy.ack_ns(kbps),
        t_collision_ns: collision,
        payload_bits: u64::from(BYTES) * 8,
    }
    .solve()
    .expect("sensible input");
    let packets: usize = run.reports.iter().map(Vec::len).sum();
    let attempts: u64 = run.reports.iter().flatten().map(|tx| u64::from(tx.attempts)).sum();
    let throughput = packets as f64 * f64::from(BYTES) * 8.0 / seconds as f64;
    let p = 1.0 - packets as f64 / attempts as f64;
    (throughput / model.throughput_bps - 1.0, if model.p > 0.0 { p / model.p - 1.0 } else { p })
}

/// Every n from 1 to 50 under both rules, within bounds that an independent
/// program measured against the model; some of them as a table.
#[test]
fn saturated_stations_follow_bianchi() {
    let mut table = String::from("measured over model, percent\n");
    table += "profile   n  bianchi: throughput    p   standard: throughput    p\n";
    let cells = [("phy-a", 54_000), ("std-11b", 11_000)];
    let cases: Vec<_> = cells.into_iter().flat_map(|cell| (1..=50).map(move |n| (cell, n))).collect();
    let measured = cases.into_par_iter().map(|((profile, kbps), n)| {
        // So long that the standard error of p is about 1 %.
        let seconds = if n < 6 { 600 } else { 60 };
        let of = |rule| against_bianchi(profile, kbps, rule, n, seconds);
        (profile, n, of(Backoff::Bianchi), of(Backoff::Standard))
    });
    for (profile, n, (throughput, p), (throughput2, p2)) in measured.collect::<Vec<_>>() {
        let bound = if n < 5 { 0.07 } else { 0.03 };
        assert!(throughput.abs() < 0.01, "{profile} bianchi n={n}: throughput {throughput:+.4}");
        assert!(p.abs() < bound, "{profile} bianchi n={n}: p {p:+.4}");
        assert!(throughput2.abs() < 0.025, "{profile} standard n={n}: throughput {throughput2:+.4}");
        // Who collided counts from its timeout, the others from the end of DATA: out of step, they do not collide next.
        assert!(p2.abs() < 0.08, "{profile} standard n={n}: p {p2:+.4}");
        if [1, 2, 3, 5, 10, 20, 50].contains(&n) {
            let row = [throughput, p, throughput2, p2].map(|x| 100.0 * x);
            table += &format!(
                "{profile:<8}{n:>3}{:>+21.1}{:>+6.1}{:>+22.1}{:>+6.1}\n",
                row[0], row[1], row[2], row[3]
            );
        }
    }
    insta::assert_snapshot!(table);
}

/// A lone station has a closed form: exchange + DIFS + mean backoff.
#[test]
fn a_lone_station_has_its_exact_rate() {
    let phy = phy("phy-a");
    let mut config = CellConfig::new(phy);
    config.beacon = None;
    let mut run = Saturated::new(config, &[(54_000, Loss::None)], BYTES, true, 1);
    run.run(100 * S);
    let exchange = phy.data_ns(54_000, BYTES) + phy.sifs_ns() + phy.ack_ns(54_000);
    assert!(run.reports[0].iter().all(|tx| tx.air == exchange && tx.span == exchange && tx.attempts == 1));
    let cycle = (exchange + phy.difs_ns()) as f64 + 7.5 * phy.slot_ns() as f64;
    let rate = run.reports[0].len() as f64 / 100.0 * cycle / 1e9;
    // Standard error of the mean of 265,000 backoffs: 0.03 % of a cycle.
    assert!((rate - 1.0).abs() < 0.001, "{rate}");
}

/// Beside 802.11b stations every OFDM frame has a CTS to self before it, and the station that has DSSS alone
/// the larger window: exchange + DIFS + mean backoff of each, alone.
#[test]
fn stations_of_two_standards_in_one_cell() {
    // CTS (192 + 112 / 11) and SIFS, 57 symbols behind 20 us, 6 silent, SIFS, an ACK at 24 Mb/s; 7.5 slots.
    let g = 192.0 + 10.182 + 10.0 + 254.0 + 10.0 + 34.0 + 50.0 + 7.5 * 20.0;
    // The frame of std-11b, SIFS, an ACK at 11 Mb/s; 15.5 slots.
    let b = 1309.091 + 10.0 + 202.182 + 50.0 + 15.5 * 20.0;
    for (kbps, cycle_us) in [(54_000, g), (11_000, b)] {
        let config = CellConfig { beacon: None, ..CellConfig::new(phy("std-11bg")) };
        let mut run = Saturated::new(config, &[(kbps, Loss::None)], BYTES, false, 1);
        run.run(200 * S);
        let rate = run.arrived[1] as f64 / 200e6 * cycle_us;
        assert!((rate - 1.0).abs() < 0.001, "{kbps}: {rate}");
    }
    // The access point, which has both, draws from the smaller one for either.
    let config = CellConfig { beacon: None, ..CellConfig::new(phy("std-11bg")) };
    let mut run = Saturated::new(config, &[(11_000, Loss::None)], BYTES, true, 1);
    run.run(200 * S);
    let rate = run.arrived[0] as f64 / 200e6 * (b - 8.0 * 20.0);
    assert!((rate - 1.0).abs() < 0.001, "{rate}");
}

/// Stations at 11 and 1 Mb/s get nearly equal packet rates (Heusse et al. 2003). Not quite: after a
/// collision of theirs the slow one waits for an ACK, while the fast one, which gave up on its own long
/// ago, goes on; how much that makes is under test in `monte_carlo.rs`.
#[test]
fn the_slow_station_slows_everybody() {
    let mut config = CellConfig::new(phy("std-11b"));
    config.beacon = None;
    let mut run = Saturated::new(config, &[(11_000, Loss::None), (1_000, Loss::None)], BYTES, false, 1);
    run.run(2000 * S);
    let (fast, slow) = (run.arrived[1] as f64, run.arrived[2] as f64);
    assert!(slow > 100_000.0);
    assert!((1.055..1.075).contains(&(fast / slow)), "{fast} and {slow} packets");
    // Alone, the fast one would send about seven times as many.
    let mut alone = CellConfig::new(phy("std-11b"));
    alone.beacon = None;
    let mut run = Saturated::new(alone, &[(11_000, Loss::None)], BYTES, false, 1);
    run.run(2000 * S);
    assert!(run.arrived[1] as f64 > 6.0 * fast);
}

/// Distance, share of frames acknowledged at attempt 1, 2, 3, and never: the
/// closed form, and (5, 10, 30 m) the figures printed in the CHAP dissertation 6.4.
#[test]
fn attempts_by_distance() {
    for (metres, printed) in
        [(5.0, [92.9, 6.5, 0.5, 0.0]), (10.0, [48.3, 24.9, 12.9, 1.0]), (30.0, [0.4, 0.4, 0.4, 97.3])]
    {
        let loss = Loss::at(metres);
        let mut config = CellConfig::new(phy("phy-a"));
        config.beacon = None;
        let mut run = Saturated::new(config, &[(54_000, loss)], BYTES, true, 3);
        run.run(600 * S);
        let frames = &run.reports[0];
        assert!(frames.len() >= 50_000);
        let percent = |f: &dyn Fn(&airtab_core::Tx) -> bool| {
            100.0 * frames.iter().filter(|tx| f(tx)).count() as f64 / frames.len() as f64
        };
        let s = (1.0 - loss.frame_error_rate()).powi(2);
        for attempt in 1..=3u8 {
            let share = percent(&|tx| tx.acked && tx.attempts == attempt);
            let form = 100.0 * (1.0 - s).powi(i32::from(attempt) - 1) * s;
            assert!((share - form).abs() < 0.5, "{metres} m, attempt {attempt}: {share} %, formula {form}");
            let printed = printed[usize::from(attempt) - 1];
            assert!((share - printed).abs() < 1.0, "{metres} m, attempt {attempt}: {share} %");
        }
        let lost = percent(&|tx| !tx.acked);
        assert!((lost - printed[3]).abs() < 1.0, "{metres} m: {lost} % never acknowledged");
    }
}

/// What the receiver misses: all seven DATA lost, or never both DATA and ACK.
#[test]
fn delivery_on_data_or_on_ack() {
    let loss = Loss::Fer(0.5);
    for (rule, expected) in [(DeliverOn::Data, 0.5f64.powi(7)), (DeliverOn::Ack, 0.75f64.powi(7))] {
        let mut config = CellConfig::new(phy("phy-a"));
        config.beacon = None;
        config.deliver_on = rule;
        let mut run = Saturated::new(config, &[(54_000, loss)], 200, true, 5);
        run.run(600 * S);
        let frames = run.reports[0].len() as f64;
        let missed = 1.0 - run.arrived[0] as f64 / frames;
        let sigma = (expected * (1.0 - expected) / frames).sqrt();
        assert!((missed - expected).abs() < 4.0 * sigma, "{rule:?}: {missed} missed, expected {expected}");
    }
}

/// The charge of a 1500-byte packet by distance, us: CHAP's clock from the first
/// attempt to the resolution, closed form with mean backoffs.
#[test]
fn cost_by_distance() {
    for (metres, printed) in
        [(1.0, 282.0), (5.0, 317.0), (10.0, 1089.0), (15.0, 5075.0), (20.0, 8930.0), (30.0, 10983.0)]
    {
        let mut config = CellConfig::new(phy("phy-a"));
        config.beacon = None;
        config.eifs = false;
        let stations = [(54_000, Loss::at(metres))];
        let mut run = Saturated::new(config, &stations, BYTES, true, 11);
        run.run(1000 * S);
        let frames = &run.reports[0];
        let mean = |f: &dyn Fn(&airtab_core::Tx) -> u64| {
            frames.iter().map(f).sum::<u64>() as f64 / frames.len() as f64 / 1e3
        };
        let (air, span) = (mean(&|tx| tx.air), mean(&|tx| tx.span));
        assert!((span / printed - 1.0).abs() < 0.005, "{metres} m: {span:.0} us, printed {printed}");
        assert!((air / span - 1.0).abs() < 1e-9, "alone, the wall clock holds only its own airtime");
    }
}

/// The parts of the channel's time sum to the clock, at any moment.
#[test]
fn airtime_sums_to_the_clock() {
    let stations = [(54_000, Loss::Fer(0.3)), (6_000, Loss::None), (24_000, Loss::Fer(0.1))];
    let mut run = Saturated::new(CellConfig::new(phy("std-11g")), &stations, BYTES, false, 2);
    for step in 1..=5000u64 {
        let now = step * 1_234_567;
        run.run(now);
        let air = run.cell.air(now);
        let sum = air.down_ns + air.up_ns + air.collision_ns + air.beacon_ns + air.idle_ns;
        assert_eq!(sum, now);
    }
    let air = run.cell.air(5000 * 1_234_567);
    assert!(air.up_ns > 0 && air.collision_ns > 0 && air.beacon_ns > 0 && air.idle_ns > 0);
    assert_eq!(air.down_ns, 0, "the access point has nothing but beacons");
}

/// A cell in which the access point and one station always have a packet for
/// each other, half of whose frames are lost: every attempt; every report with
/// its time.
fn contended(eifs: bool, seconds: u64) -> (Vec<Attempt>, Vec<(u64, bool, Tx)>) {
    let mut config = CellConfig::new(phy("phy-a"));
    config.eifs = eifs;
    let mut pool: Pool<u32> = Pool::new();
    let qdisc = Qdisc::new(&pool, &queue("fifo", 10), 0, 0);
    let mut cell = Cell::new(config, &[("sta", 54_000, Loss::Fer(0.5))], qdisc, 1);
    cell.tap(true);
    let packet = |pool: &mut Pool<u32>| pool.insert(Meta { bytes: BYTES, ..Meta::default() }, 0);
    for _ in 0..2 {
        let (down, up) = (packet(&mut pool), packet(&mut pool));
        cell.send_down(&mut pool, down, 0);
        cell.send_up(&mut pool, 0, up, 0);
    }
    let mut reports = Vec::new();
    while cell.next_event() <= seconds * S {
        let now = cell.next_event();
        cell.advance(&mut pool, now);
        while let Some(output) = cell.poll() {
            match output {
                Output::Down(p) | Output::Up(p) | Output::Lost(p) => {
                    pool.remove(p);
                }
                Output::Sent { down, tx, .. } => {
                    reports.push((now, down, tx));
                    let next = packet(&mut pool);
                    if down {
                        cell.send_down(&mut pool, next, now);
                    } else {
                        cell.send_up(&mut pool, 0, next, now);
                    }
                }
                _ => {}
            }
        }
    }
    (cell.attempts().expect("the tap is on"), reports)
}

/// A report's two clocks: `span` is the wall clock from the start of the first
/// attempt; `air` the frame's own attempts, and DIFS (EIFS after an ACK in error) and backoff between them.
#[test]
fn reports_tell_own_airtime_from_the_wall_clock() {
    let phy = phy("phy-a");
    let attempt_ns = phy.data_ns(54_000, BYTES) + phy.sifs_ns() + phy.ack_ns(54_000);
    let (attempts, reports) = contended(true, 20);
    let mut longer = 0;
    for sender in [0, 1] {
        // Frames in order, each the list of its attempts; beacons are not reported.
        let own = attempts.iter().filter(|a| a.sender == sender && a.station != GROUP);
        let mut frames: Vec<Vec<&Attempt>> = Vec::new();
        for a in own {
            if a.number == 1 {
                frames.push(Vec::new());
            }
            frames.last_mut().expect("the first attempt comes first").push(a);
        }
        let own = reports.iter().filter(|(_, down, _)| *down == (sender == 0));
        for ((now, _, tx), frame) in own.zip(&frames) {
            let n = frame.len() as u64;
            assert_eq!((tx.span, u64::from(tx.attempts)), (now - frame[0].start_ns, n));
            let errors = frame[..frame.len() - 1].iter().filter(|a| a.end == End::AckLost).count() as u64;
            let waits = (n - 1) * phy.difs_ns() + errors * (phy.eifs_ns() - phy.difs_ns());
            let slots = tx.air - n * attempt_ns - waits;
            assert_eq!(slots % phy.slot_ns(), 0);
            assert!(slots / phy.slot_ns() <= (1..n).map(|retry| (16 << retry) - 1).sum());
            longer += usize::from(tx.span > tx.air);
        }
    }
    assert!(reports.len() > 5_000 && longer > reports.len() / 4, "{longer} of {}", reports.len());
}

/// Every attempt of stations that have always a packet of so many bytes for the access point.
fn attempts(config: CellConfig, stations: &[(u32, Loss)], bytes: u32, seconds: u64) -> Vec<Attempt> {
    let mut run = Saturated::new(config, stations, bytes, false, 1);
    run.cell.tap(true);
    run.run(seconds * S);
    run.cell.attempts().expect("the tap is on")
}

/// The shortest times from the end of one exchange's DATA, the longest if several collided, to the
/// start of the next, among the pairs that `such` chooses: what was sent, and what came next.
fn shortest_gap(attempts: &[Attempt], such: impl Fn(&[Attempt], &[Attempt]) -> bool) -> u64 {
    let exchanges: Vec<&[Attempt]> = attempts.chunk_by(|a, b| a.start_ns == b.start_ns).collect();
    let end = |exchange: &[Attempt]| {
        let ends = exchange.iter().map(|a| a.start_ns + u64::from(a.data_ns));
        ends.max().expect("somebody sends")
    };
    let pairs: Vec<_> = exchanges.windows(2).filter(|w| such(w[0], w[1])).collect();
    assert!(pairs.len() > 100, "{} pairs", pairs.len());
    pairs.iter().map(|w| w[1][0].start_ns - end(w[0])).min().expect("there are some")
}

/// After DATA in error, which nobody acknowledges, its receiver counts from the end of DATA: EIFS,
/// or DIFS where nobody waits EIFS. Its sender has waited for the ACK. Either may have drawn no slot:
/// the receiver some time before, and it was kept from sending by waits that were cut off.
#[test]
fn a_receiver_of_an_error_waits_eifs() {
    let phy = phy("phy-a");
    let gap = |eifs, next| {
        let (attempts, _) = contended(eifs, 60);
        shortest_gap(&attempts, |a, b| {
            a.len() == 1
                && a[0].sender == 1
                && a[0].end == End::DataLost
                && b.len() == 1
                && b[0].sender == next
        })
    };
    let timeout = phy.sifs_ns() + phy.ack_ns(54_000);
    let timed_out = timeout + phy.difs_ns();
    // EIFS ends 14 us after the timeout and DIFS.
    assert_eq!((gap(true, 0), gap(true, 1)), (phy.eifs_ns(), timed_out));
    assert_eq!(phy.eifs_ns() - timed_out, 14_000);
    assert_eq!((gap(false, 0), gap(false, 1)), (phy.difs_ns(), timed_out));
}

/// The last frame that a station overhears decides: in error, it waits EIFS after it; else DIFS after the
/// end of what was reserved. By each station's own losses, whoever sent it. A loser of a contention has one
/// slot left, or more; none if it drew none and waited for something when another one began.
#[test]
fn who_overhears_an_error_waits_eifs() {
    let phy = phy("phy-a");
    let timeout = phy.sifs_ns() + phy.ack_ns(54_000);
    let after = |ns, slots| ns + phy.difs_ns() + slots * phy.slot_ns();
    // The third gets nothing but errors, and is heard by none.
    let stations = [(54_000, Loss::None), (54_000, Loss::None), (54_000, Loss::Fer(1.0))];
    let longer = phy.eifs_ns() - phy.difs_ns();
    for (eifs, longer, left) in [(true, longer, 1), (false, 0, 0)] {
        let config = CellConfig { eifs, ..CellConfig::new(phy) };
        let attempts = attempts(config, &stations, BYTES, 200);
        let gap = |end, from: &dyn Fn(u16) -> bool, to: u16| {
            shortest_gap(&attempts, |a, b| {
                a.len() == 1 && a[0].end == end && from(a[0].sender) && b.len() == 1 && b[0].sender == to
            })
        };
        assert_eq!(gap(End::Acked, &|a| a != 2, 2), after(timeout, left), "an ACK, overheard");
        assert_eq!(gap(End::Acked, &|_| true, 3), after(timeout + longer, left), "in error");
        assert_eq!(gap(End::DataLost, &|_| true, 1), after(timeout, left), "DATA, overheard: no ACK comes");
        assert_eq!(gap(End::Broadcast, &|_| true, 1), after(0, left), "a beacon");
    }
    let config = CellConfig {
        beacon: Some(Beacon { interval_ns: MS, first_ns: None, bytes: 100, kbps: 6_000 }),
        ..CellConfig::new(phy)
    };
    let attempts = attempts(config, &stations, 40, 200);
    let gap = shortest_gap(&attempts, |a, b| a[0].end == End::Broadcast && b.len() == 1 && b[0].sender == 3);
    assert_eq!(gap, after(longer, 1), "a beacon in error");
}

/// Whom a frame is for answers it, and who sends it hears nothing else: both go on as if they heard everything
/// right, whatever their ears are. Who neither sends it nor is meant waits EIFS.
#[test]
fn who_is_meant_and_who_sends_overhear_nothing() {
    let phy = phy("phy-a");
    // The access point has a frame for the first station, which has two for it, and the second has one.
    // A deaf one's frames that were made before keep their losses: none. The first two exchanges.
    let two = |deaf: Option<usize>, seed| {
        let config = CellConfig { beacon: None, ..CellConfig::new(phy) };
        let mut pool: Pool<u32> = Pool::new();
        let qdisc = Qdisc::new(&pool, &queue("fifo", 10), 0, 0);
        let stations = [("meant", 54_000, Loss::None), ("other", 54_000, Loss::None)];
        let mut cell = Cell::new(config, &stations, qdisc, seed);
        cell.tap(true);
        let mut packet = || pool.insert(Meta { bytes: BYTES, ..Meta::default() }, 0);
        let [down, up, again, other] = [packet(), packet(), packet(), packet()];
        cell.send_down(&mut pool, down, 0);
        cell.send_up(&mut pool, 0, up, 0);
        cell.send_up(&mut pool, 0, again, 0);
        cell.send_up(&mut pool, 1, other, 0);
        if let Some(deaf) = deaf {
            cell.set_station(deaf, 54_000, Loss::Fer(1.0), 0);
        }
        cell.advance(&mut pool, S);
        let attempts = cell.attempts().expect("the tap is on");
        let mut exchanges = attempts.chunk_by(|a, b| a.start_ns == b.start_ns);
        let mut next = || {
            let exchange = exchanges.next().expect("four frames go out");
            (exchange[0].start_ns, exchange.iter().map(|a| a.sender).collect::<Vec<_>>())
        };
        [next(), next()]
    };
    // By first sender and who is deaf: runs in which that one is next.
    let mut next_is_deaf = [[0; 2]; 3];
    for seed in 0..600 {
        let [first, second] = two(None, seed);
        let ([from], [next]) = (&first.1[..], &second.1[..]) else { continue };
        for deaf in [0, 1] {
            let [same, later] = two(Some(deaf), seed);
            assert_eq!(same, first);
            let concerned = *from == 0 && deaf == 0 || *from == deaf as u16 + 1;
            let is_next = *next == deaf as u16 + 1;
            next_is_deaf[usize::from(*from)][deaf] += u32::from(is_next);
            match concerned || !is_next {
                true => assert_eq!(later, second, "seed {seed}: {from} sent, station {deaf} is deaf"),
                false if later.1 == second.1 => {
                    assert_eq!(later.0, second.0 + phy.eifs_ns() - phy.difs_ns());
                }
                false => assert!(later.0 > second.0, "another one was faster"),
            }
        }
    }
    // The second station has no second frame.
    next_is_deaf[2][1] += 20;
    assert!(next_is_deaf.as_flattened().iter().all(|runs| *runs >= 20), "{next_is_deaf:?}");
}

/// Who hears DATA right and no ACK after it waits for the end of what its sender reserved, however long its own
/// frame would take, also where others, who got it in error and wait no EIFS, count from the end of DATA.
#[test]
fn no_ack_comes_in_the_time_that_the_sender_reserved() {
    let phy = phy("phy-a");
    for (own, lost) in [(54_000, 6_000), (6_000, 54_000)] {
        let config = CellConfig { beacon: None, eifs: false, ..CellConfig::new(phy) };
        let (hearing, deaf) = ((own, Loss::None), (lost, Loss::Fer(1.0)));
        let attempts = attempts(config, &[hearing, hearing, deaf, deaf], BYTES, 200);
        let gap = |next: &[u16]| {
            shortest_gap(&attempts, |a, b| {
                a.len() == 1 && a[0].end == End::DataLost && b.len() == 1 && next.contains(&b[0].sender)
            })
        };
        let reserved = phy.sifs_ns() + phy.ack_ns(lost) + phy.difs_ns();
        assert_eq!(gap(&[1, 2]), reserved, "{own} beside {lost}");
        assert_eq!(gap(&[3, 4]), phy.difs_ns(), "{own} beside {lost}");
    }
}

/// A frame is passed up when its DATA is over; its sender knows when the ACK is.
#[test]
fn a_frame_arrives_at_the_end_of_its_data() {
    let phy = phy("phy-a");
    let (data, ack) = (phy.data_ns(54_000, BYTES), phy.sifs_ns() + phy.ack_ns(54_000));
    for up in [false, true] {
        let config = CellConfig { beacon: None, ..CellConfig::new(phy) };
        let mut pool: Pool<u32> = Pool::new();
        let qdisc = Qdisc::new(&pool, &queue("fifo", 10), 0, 0);
        let mut cell = Cell::new(config, &[("sta", 54_000, Loss::None)], qdisc, 1);
        let packet = pool.insert(Meta { bytes: BYTES, ..Meta::default() }, 0);
        match up {
            true => cell.send_up(&mut pool, 0, packet, 0),
            false => cell.send_down(&mut pool, packet, 0),
        }
        let start = cell.next_event();
        let mut seen = Vec::new();
        while cell.next_event() < S {
            let now = cell.next_event();
            cell.advance(&mut pool, now);
            while let Some(output) = cell.poll() {
                match output {
                    Output::Up(p) => seen.push((now - start, up && p == packet)),
                    Output::Down(p) => seen.push((now - start, !up && p == packet)),
                    Output::Sent { tx, .. } => seen.push((now - start, tx.acked)),
                    _ => {}
                }
            }
            assert_eq!(cell.held(), usize::from(now < start + data));
        }
        assert_eq!(seen, [(data, true), (data + ack, true)]);
    }
}

/// A station's queue holds as many packets as it says, and the MAC one more.
#[test]
fn an_uplink_queue_holds_its_limit() {
    let mut config = CellConfig::new(phy("phy-a"));
    config.uplink_packets = 3;
    let mut pool: Pool<u32> = Pool::new();
    let qdisc = Qdisc::new(&pool, &queue("fifo", 10), 0, 0);
    let mut cell = Cell::new(config, &[("sta", 54_000, Loss::None)], qdisc, 1);
    let packets: Vec<_> =
        (0..6).map(|i| pool.insert(Meta { bytes: BYTES, flow: i, ..Meta::default() }, 0)).collect();
    for &packet in &packets {
        cell.send_up(&mut pool, 0, packet, 0);
    }
    let dropped = |o: Output| matches!(o, Output::UplinkDropped(p, _) if p == packets[4] || p == packets[5]);
    let outputs: Vec<_> = std::iter::from_fn(|| cell.poll()).collect();
    assert!(outputs.len() == 2 && outputs.iter().all(|o| dropped(*o)), "{outputs:?}");
    assert_eq!(cell.held(), 4);
}

/// After a collision everybody who did not send has received a frame in error, and counts from the end
/// of DATA: EIFS, or DIFS where nobody waits EIFS. Who collided has waited for the ACK of its own frame.
#[test]
fn after_a_collision_each_waits_for_its_own_reason() {
    let phy = phy("phy-a");
    let after = |ns, slots| ns + phy.difs_ns() + slots * phy.slot_ns();
    let collided = |a: &[Attempt], b: &[Attempt], sender: &dyn Fn(&Attempt) -> bool| {
        a.len() == 2 && b.len() == 1 && a.iter().any(|a| a.sender == b[0].sender && sender(a))
    };
    let bystander = |a: &[Attempt], b: &[Attempt]| {
        a.len() > 1 && !a.iter().any(|a| b.iter().any(|b| a.sender == b.sender))
    };
    let timeout = phy.sifs_ns() + phy.ack_ns(54_000);
    let same = [(54_000, Loss::None); 4];
    for (eifs, bystanders, colliders) in
        [(true, phy.eifs_ns() + phy.slot_ns(), after(timeout, 0)), (false, after(0, 0), after(timeout, 0))]
    {
        let config = CellConfig { eifs, beacon: None, ..CellConfig::new(phy) };
        let attempts = attempts(config, &same, BYTES, 20);
        assert_eq!(
            shortest_gap(&attempts, bystander),
            bystanders,
            "one slot is left, or none of a wait cut off"
        );
        assert_eq!(shortest_gap(&attempts, |a, b| collided(a, b, &|_| true)), colliders, "it may draw 0");
    }
    // Of two rates: the fast one's timeout is over long before the slow one's frame is. The slow one's is that of its ACK.
    let config = CellConfig { beacon: None, ..CellConfig::new(phy) };
    let mixed =
        attempts(config, &[(54_000, Loss::None), (54_000, Loss::None), (6_000, Loss::None)], BYTES, 200);
    let slow = |a: &[Attempt]| a.len() == 2 && a[1].kbps == 6_000;
    let gap = |kbps| shortest_gap(&mixed, |a, b| slow(a) && collided(a, b, &|a| a.kbps == kbps));
    assert_eq!((gap(54_000), gap(6_000)), (after(0, 0), after(phy.sifs_ns() + phy.ack_ns(6_000), 0)));
    assert_eq!(shortest_gap(&mixed, |a, b| slow(a) && bystander(a, b)), phy.eifs_ns() + phy.slot_ns());
}

/// A beacon is the longest frame of a collision: EIFS counts from its end, for nobody acknowledges it.
#[test]
fn eifs_after_a_collision_with_a_beacon() {
    let phy = phy("phy-a");
    let beacon = Some(Beacon { interval_ns: MS, first_ns: None, bytes: 100, kbps: 6_000 });
    let config = CellConfig { beacon, ..CellConfig::new(phy) };
    let attempts = attempts(config, &[(54_000, Loss::None); 3], 40, 20);
    let gap = shortest_gap(&attempts, |a, b| {
        let beacon = a.len() > 1 && a.iter().any(|a| a.carried == FrameBody::Beacon);
        beacon && !a.iter().any(|a| b.iter().any(|b| a.sender == b.sender))
    });
    assert_eq!(gap, phy.eifs_ns() + phy.slot_ns());
}

/// An ACK in error is a frame in error: its receiver, the sender of DATA, waits EIFS after it.
#[test]
fn the_receiver_of_a_garbled_ack_waits_eifs() {
    let phy = phy("phy-a");
    let timeout = phy.sifs_ns() + phy.ack_ns(54_000);
    for (eifs, wait) in [(true, phy.eifs_ns()), (false, phy.difs_ns())] {
        let (attempts, _) = contended(eifs, 60);
        let gap = |again| {
            shortest_gap(&attempts, |a, b| {
                a[0].end == End::AckLost && b.len() == 1 && (b[0].sender == a[0].sender) == again
            })
        };
        assert_eq!(gap(true), timeout + wait, "a draw of no slot");
        assert_eq!(gap(false), timeout + phy.difs_ns(), "who sent the ACK");
    }
}

/// A cell without packets, with beacons from `first_ns` on, or from a drawn time.
fn idle_cell(pool: &Pool<u32>, first_ns: Option<u64>, seed: u64) -> Cell {
    let qdisc = Qdisc::new(pool, &queue("fifo", 10), 0, 0);
    let mut config = CellConfig::new(phy("phy-a"));
    config.beacon = config.beacon.map(|beacon| Beacon { first_ns, ..beacon });
    Cell::new(config, &[("sta", 54_000, Loss::None)], qdisc, seed)
}

/// An idle cell holds nothing but beacons: their number and length. From 50 ms to 100.05 s there are 976 whole
/// intervals of 102.4 ms, from 0 on 977.
#[test]
fn beacons_take_their_time() {
    let phy = phy("phy-a");
    let mut pool: Pool<u32> = Pool::new();
    let mut from_0 = idle_cell(&pool, Some(0), 1);
    from_0.advance(&mut pool, 100 * S + 50 * MS);
    assert_eq!(from_0.exchanges(), 978);
    let mut cell = idle_cell(&pool, Some(50 * MS), 1);
    cell.advance(&mut pool, 100 * S + 50 * MS);
    let air = cell.air(100 * S + 50 * MS);
    let beacon_ns = phy.data_ns(6_000, 100 - phy.mac_bytes()); // 100 bytes at 6 Mb/s
    assert_eq!(beacon_ns, 20_000 + 133_333);
    assert_eq!((air.beacon_ns, cell.exchanges()), (977 * beacon_ns, 977));
    assert_eq!(air.idle_ns, 100 * S + 50 * MS - air.beacon_ns);
}

/// Half of 400 cells have sent their first beacon after half an interval (50 are five standard deviations), all of them
/// after a whole one, and none a second one.
#[test]
fn the_first_beacon_comes_at_a_random_time() {
    let mut pool: Pool<u32> = Pool::new();
    let mut cells: Vec<Cell> = (0..400).map(|seed| idle_cell(&pool, None, seed)).collect();
    let mut begun = |at| {
        cells.iter_mut().for_each(|cell| cell.advance(&mut pool, at));
        cells.iter().map(Cell::exchanges).sum::<u64>()
    };
    let half = begun(51_200_000);
    assert!((150..250).contains(&half), "{half} of 400");
    assert_eq!(begun(102_399_999), 400);
}

/// Multicast: lowest rate, one attempt, no ACK, whatever the stations' losses;
/// charged to a record of its own.
#[test]
fn multicast_is_sent_once_at_the_lowest_rate() {
    let phy = phy("phy-a");
    let mut config = CellConfig::new(phy);
    config.beacon = None;
    let mut pool: Pool<u32> = Pool::new();
    let qdisc = Qdisc::new(&pool, &queue("chap", 10), 0, 0);
    let mut cell = Cell::new(config, &[("sta", 54_000, Loss::Fer(1.0))], qdisc, 1);
    let packet = pool.insert(Meta { bytes: 500, flow: 7, sta: GROUP, ..Meta::default() }, 0);
    cell.send_down(&mut pool, packet, 0);
    cell.advance(&mut pool, S);
    let outputs: Vec<_> = std::iter::from_fn(|| cell.poll()).collect();
    let [Output::Dequeued(_), Output::Down(_), Output::Sent { tx, .. }] = outputs[..] else {
        panic!("{outputs:?}")
    };
    assert_eq!((tx.air, tx.span, tx.attempts), (phy.data_ns(6_000, 500), phy.data_ns(6_000, 500), 1));
    let table = cell.queue().discipline().row_stats();
    let column = |name| table.iter().position(|c| c.name == name).expect("a column of chap");
    let rows = cell.queue().rows(&pool, S);
    assert_eq!(rows.len(), 1, "no unicast flow");
    assert_eq!(rows[0][column("flow")], 1 << 32);
    assert_eq!(rows[0][column("airtime")], tx.air);
}
