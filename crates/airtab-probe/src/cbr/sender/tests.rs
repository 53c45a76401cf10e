// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The sender in virtual time.

use super::*;
use airtab_core::time::{MS, SECOND};

fn config() -> Config {
    Config {
        rate_bps: 1_000_000,
        peak_bps: None,
        sweep: None,
        payload_bytes: 1000,
        burst_bytes: None,
        header_bytes: 0,
        report_ns: SECOND,
        pings: None,
        duration_ns: Some(2 * SECOND),
    }
}

/// Runs it with an echo `rtt_ns` after each PING; its reports.
fn run(config: Config, rtt_ns: u64, rx_bps: u64) -> (Vec<Interval>, Vec<Sample>, Summary) {
    let mut sender = Sender::new(config.clone(), 0, 1).expect("a good configuration");
    let (mut now, mut intervals, mut samples) = (0, Vec::new(), Vec::new());
    let mut echoes: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut payload = vec![0; config.payload_bytes];
    loop {
        while let Some(interval) = sender.advance(now) {
            intervals.push(interval);
        }
        let due = echoes.partition_point(|(at, _)| *at <= now);
        for (at, echo) in echoes.drain(..due) {
            samples.extend(sender.handle(at, &echo));
        }
        if sender.is_done() {
            for (at, echo) in echoes {
                assert!(sender.is_waiting());
                samples.extend(sender.handle(at, &echo));
            }
            let (_, summary) = sender.finish(now + SECOND);
            return (intervals, samples, summary);
        }
        let wait = sender.wait_ns();
        if wait == 0 {
            sender.packet(now + 500, &mut payload);
            let mut header = Header::parse(&payload).expect("a packet");
            if header.kind == Kind::Ping {
                header = Header { kind: Kind::Echo, rx_bps, echo_rx_ns: header.sent_ns + 7, ..header };
                let mut echo = payload.clone();
                header.write(&mut echo);
                echoes.push((now + rtt_ns, echo));
            }
            sender.sent(now, now + 500, true);
        } else {
            let echo = echoes.first().map_or(u64::MAX, |(at, _)| *at);
            now = (now + wait).min(sender.deadline_ns()).min(echo);
        }
    }
}

#[test]
fn the_asked_rate_is_the_rate() {
    let (intervals, _, summary) = run(config(), 0, 0);
    assert_eq!(
        intervals.iter().map(|i| (i.start_ns, i.end_ns)).collect::<Vec<_>>(),
        [(0, SECOND), (SECOND, 2 * SECOND)]
    );
    // 8 ms a packet; what falls on the end belongs to the next interval.
    assert_eq!(intervals.iter().map(|i| i.packets).collect::<Vec<_>>(), [124, 125]);
    assert_eq!((summary.total.packets, summary.total.bytes), (249, 249_000));
    assert_eq!(summary.total.sent_bps, 996_000);
    assert_eq!(summary.steps.len(), 1);
}

#[test]
fn headers_count_if_asked() {
    let (_, _, summary) = run(Config { header_bytes: 28, ..config() }, 0, 0);
    assert_eq!(summary.total.packets, 243);
    assert_eq!(summary.total.sent_bps, 243 * 1028 * 4);
    let (_, _, summary) = run(Config { header_bytes: 48, ..config() }, 0, 0);
    assert_eq!(summary.total.packets, 238);
}

/// The thesis's sweep of 6.4.2: 64 to 1024 kb/s in 16 steps of a minute, payloads of 64 bytes.
#[test]
fn a_sweep_keeps_each_rate_for_its_time() {
    let sweep = Sweep { max_bps: 1_024_000, step: Step::Add(64_000), step_ns: 60 * SECOND };
    let config = Config {
        rate_bps: 64_000,
        sweep: Some(sweep),
        payload_bytes: 64,
        report_ns: 10 * SECOND,
        duration_ns: None,
        ..config()
    };
    let (intervals, _, summary) = run(config.clone(), 0, 0);
    assert_eq!(intervals.len(), 96);
    let asked: Vec<u64> = summary.steps.iter().map(|s| s.asked_bps / 64_000).collect();
    assert_eq!(asked, (1..=16).collect::<Vec<_>>());
    for step in &summary.steps {
        assert_eq!(step.end_ns - step.start_ns, 60 * SECOND);
        let expected = step.asked_bps * 60 / 512;
        assert!(step.packets.abs_diff(expected) <= 1, "{step:?}");
    }
    let equal = Sweep { step: Step::Count(15), ..sweep };
    let same = Config { sweep: Some(equal), ..config };
    assert_eq!((0..17).map(|l| same.level_bps(l) / 64_000).collect::<Vec<_>>()[14..], [15, 16, 16]);
    let uneven = Sweep { max_bps: 100_000, step: Step::Add(20_000), ..sweep };
    let uneven = Config { sweep: Some(uneven), ..same };
    assert_eq!((uneven.levels(), uneven.level_bps(1), uneven.level_bps(2)), (3, 84_000, 100_000));
}

/// Half a second late, the new rate has been earned for that half second, and the old one not beyond its end.
#[test]
fn a_late_change_of_rate_is_made_up_for() {
    let sweep = Sweep { max_bps: 16_000, step: Step::Count(1), step_ns: SECOND };
    let config = Config { rate_bps: 8_000, sweep: Some(sweep), burst_bytes: Some(9000), ..config() };
    let mut sender = Sender::new(config, 0, 1).expect("good");
    while sender.advance(SECOND * 3 / 2).is_some() {}
    for _ in 0..2 {
        assert_eq!(sender.wait_ns(), 0);
        sender.sent(SECOND * 3 / 2, 0, true);
    }
    assert_eq!(sender.wait_ns(), SECOND / 2);
}

#[test]
fn every_tenth_packet_measures() {
    let pings = Pings { ratio: 0.1, random: false, depth: None };
    let (intervals, samples, summary) = run(Config { pings: Some(pings), ..config() }, 3 * MS, 5_000_000);
    assert_eq!(summary.echoes, Echoes { pings: 25, answered: 25, ..Echoes::default() });
    assert!(samples.iter().all(|s| s.rtt_ns == 3 * MS && s.forward_ns == 7));
    assert_eq!(summary.impossible, 0);
    assert_eq!(samples[1].sent_ns - samples[0].sent_ns, 80 * MS);
    let rtt = intervals[0].rtt.expect("samples");
    assert_eq!((rtt.count, rtt.min_ns, rtt.max_ns, rtt.mean_ns), (13, 3 * MS, 3 * MS, 3e6));
    assert_eq!(summary.total.rx_bps, Some(5_000_000));
}

#[test]
fn random_pings_have_the_same_share_and_other_gaps() {
    let pings = Pings { ratio: 0.1, random: true, depth: None };
    let config = Config { pings: Some(pings), duration_ns: Some(200 * SECOND), ..config() };
    let (_, samples, summary) = run(config, 3 * MS, 0);
    // 25 000 packets: three standard deviations of the binomial are 143.
    assert!(summary.echoes.pings.abs_diff(2500) < 143, "{:?}", summary.echoes);
    let gaps = samples.windows(2).map(|w| w[1].sent_ns - w[0].sent_ns);
    assert!(gaps.collect::<std::collections::BTreeSet<_>>().len() > 20);
    assert_eq!(summary.total.rx_bps, None, "0 means that the receiver has no rate yet");
}

/// An echo takes so long that five later PINGs have gone. Of a queue of four, which is what `-P` says, only the
/// last four can still be answered: they come when the run is over.
#[test]
fn a_short_queue_of_pings_forgets() {
    let pings = Pings { ratio: 1.0, random: false, depth: Some(4) };
    let (_, samples, summary) = run(Config { pings: Some(pings), ..config() }, 40 * MS + 1, 0);
    assert_eq!((samples.len(), summary.echoes.pings), (4, 249));
    assert_eq!((summary.echoes.late, summary.echoes.answered), (245, 4));
    let deep = Pings { depth: Some(6), ..pings };
    let (_, samples, summary) = run(Config { pings: Some(deep), ..config() }, 40 * MS + 1, 0);
    assert_eq!((samples.len(), summary.echoes.late), (249, 0));
    // The wait for echoes is no part of the run.
    assert_eq!(summary.total.end_ns, 2 * SECOND);
    assert_eq!(summary.total.rtt.expect("samples").count, 249);
}

#[test]
fn strangers_are_counted() {
    let pings = Some(Pings { ratio: 1.0, random: false, depth: None });
    let mut sender = Sender::new(Config { pings, ..config() }, 0, 1).expect("good");
    sender.advance(8 * MS);
    let mut payload = [0; 1000];
    sender.packet(3, &mut payload);
    sender.sent(8 * MS, 3, true);
    assert_eq!(sender.handle(9 * MS, b"hello"), None);
    assert_eq!(sender.handle(9 * MS, &payload), None, "a PING is no echo");
    assert_eq!(sender.finish(9 * MS).1.echoes, Echoes { pings: 1, forged: 2, ..Echoes::default() });
}

#[test]
fn senseless_settings_are_named() {
    let sweep = |max_bps, step| Some(Sweep { max_bps, step, step_ns: SECOND });
    let pings = |ratio| Some(Pings { ratio, random: false, depth: None });
    for (config, words) in [
        (Config { rate_bps: 0, ..config() }, "a rate of 0"),
        (Config { payload_bytes: 39, ..config() }, "39 bytes: give at least 40"),
        (Config { burst_bytes: Some(999), ..config() }, "999 bytes holds no packet: give at least 1000"),
        (Config { peak_bps: Some(900_000), ..config() }, "900000 b/s is below the average of 1000000"),
        (Config { report_ns: 0, ..config() }, "a time of 0"),
        (Config { sweep: sweep(1_000_000, Step::Count(2)), ..config() }, "end above the start"),
        (Config { sweep: sweep(2_000_000, Step::Count(0)), ..config() }, "needs steps"),
        (Config { pings: pings(0.0), ..config() }, "0 of the packets"),
        (Config { pings: pings(f64::NAN), ..config() }, "NaN of the packets"),
    ] {
        let error = config.check().expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Percentiles, mean and extremes of 200 skewed delays differ from each other.
#[test]
fn each_figure_of_a_delay_is_its_own() {
    let mut delays = Delays::new();
    assert_eq!(Rtt::of(&delays), None);
    // i^2 ms for i from 1 to 200, the largest first.
    (1..=200u64).rev().for_each(|i| delays.record_ns(i * i * MS));
    let rtt = Rtt::of(&delays).expect("samples");
    let near = |ns: u64, i: u64| assert!(ns >= i * i * MS && ns <= i * i * MS * 1001 / 1000, "{ns} {i}");
    near(rtt.p50_ns, 100);
    near(rtt.p95_ns, 190);
    near(rtt.p99_ns, 198);
    assert_eq!((rtt.count, rtt.min_ns, rtt.max_ns), (200, MS, 40_000 * MS));
    // n (n + 1) (2n + 1) / 6 over n.
    let mean = 201.0 * 401.0 / 6.0 * MS as f64;
    assert!((rtt.mean_ns / mean - 1.0).abs() < 1e-3, "{}", rtt.mean_ns);
}

/// Packets that the socket refuses count as errors, not as packets or PINGs; they use sequence numbers and tokens.
#[test]
fn a_refused_packet_is_an_error() {
    let pings = Some(Pings { ratio: 0.5, random: false, depth: None });
    let config = Config { pings, header_bytes: 28, ..config() };
    let mut sender = Sender::new(config, 0, 1).expect("good");
    let mut payload = [0; 1000];
    let mut seqs = Vec::new();
    for (i, accepted) in [true, true, false, false, true].into_iter().enumerate() {
        let now = (i as u64 + 1) * 10 * MS;
        assert_eq!(sender.advance(now), None);
        assert_eq!(sender.wait_ns(), 0);
        sender.packet(now, &mut payload);
        let header = Header::parse(&payload).expect("a packet");
        seqs.push((header.seq, header.kind));
        sender.sent(now, now, accepted);
    }
    let kinds = [Kind::Ping, Kind::Data, Kind::Ping, Kind::Data, Kind::Ping];
    assert_eq!(seqs, (0..).zip(kinds).collect::<Vec<_>>());
    let (last, summary) = sender.finish(100 * MS);
    for interval in [last, summary.total, summary.steps[0]] {
        assert_eq!((interval.packets, interval.errors, interval.bytes), (3, 2, 3000));
        assert_eq!(interval.sent_bps, 3 * 1028 * 8 * 10);
        assert_eq!((interval.start_ns, interval.end_ns, interval.asked_bps), (0, 100 * MS, 1_000_000));
    }
    assert_eq!(summary.echoes.pings, 2, "of three PINGs one was refused");
}

/// Each interval and step has its own packets, delays and received rate; a rate of 0 replaces none.
#[test]
fn each_interval_has_its_own_echoes() {
    let sweep = Sweep { max_bps: 2_000_000, step: Step::Count(1), step_ns: 3 * SECOND };
    let pings = Some(Pings { ratio: 1.0, random: false, depth: None });
    let config = Config { sweep: Some(sweep), pings, duration_ns: None, ..config() };
    let start = 7 * SECOND;
    let mut sender = Sender::new(config, start, 1).expect("good");
    let mut payload = vec![0; 1000];
    let mut reports = Vec::new();
    let mut samples = Vec::new();
    // When a packet goes, after how long its echo comes, and the rate in it.
    for (at, rtt, rx_bps) in [
        (100 * MS, 5 * MS, 0),
        (200 * MS, 7 * MS, 800_000),
        (300 * MS, 9 * MS, 0),
        (1_500 * MS, 20 * MS, 900_000),
        (3_500 * MS, 40 * MS, 1_700_000),
    ] {
        let now = start + at;
        while let Some(report) = sender.advance(now) {
            reports.push(report);
        }
        sender.packet(now - 3, &mut payload);
        sender.sent(now, now - 3, true);
        let mut header = Header::parse(&payload).expect("a packet");
        header = Header { kind: Kind::Echo, rx_bps, echo_rx_ns: header.sent_ns - 11, ..header };
        header.write(&mut payload);
        samples.extend(sender.handle(now + rtt, &payload));
    }
    while let Some(report) = sender.advance(start + 6 * SECOND) {
        reports.push(report);
    }
    assert!(sender.is_done() && sender.wait_ns() == u64::MAX);
    let (last, summary) = sender.finish(start + 9 * SECOND);
    assert_eq!((last.packets, last.start_ns, last.end_ns), (0, 6 * SECOND, 6 * SECOND));
    let figures = |i: &Interval| {
        (i.start_ns / MS, i.end_ns / MS, i.packets, i.rtt.map(|r| (r.count, r.max_ns / MS)), i.rx_bps)
    };
    // A report comes when the loop gets to it: the second one 0.5 s late.
    assert_eq!(
        reports.iter().map(figures).collect::<Vec<_>>(),
        [
            (0, 1_500, 3, Some((3, 9)), Some(800_000)),
            (1_500, 3_500, 1, Some((1, 20)), Some(900_000)),
            (3_500, 6_000, 1, Some((1, 40)), Some(1_700_000)),
        ]
    );
    assert_eq!(reports.iter().map(|i| i.asked_bps).collect::<Vec<_>>(), [1_000_000, 1_000_000, 2_000_000]);
    assert_eq!(
        summary.steps.iter().map(figures).collect::<Vec<_>>(),
        [(0, 3_500, 4, Some((4, 20)), Some(900_000)), (3_500, 6_000, 1, Some((1, 40)), Some(1_700_000))]
    );
    assert_eq!(figures(&summary.total), (0, 6_000, 5, Some((5, 40)), Some(1_700_000)));
    assert_eq!(summary.total.asked_bps, 2_000_000);
    let sent: Vec<u64> = samples.iter().map(|sample| sample.sent_ns / MS).collect();
    assert_eq!(sent, [100, 200, 300, 1_500, 3_500]);
    assert!(samples.iter().all(|sample| sample.forward_ns == -11), "the receiver's clock is behind");
    assert_eq!(summary.impossible, 5);
}

/// The receiver's clock is right, 3 s ahead, 3 s behind, at 1970 and at the end of its 64 bits. Round trips are those of the
/// monotonic clock. A one-way time outside of its round trip is impossible, and does not wrap.
#[test]
fn clocks_that_disagree_are_noticed_and_change_no_round_trip() {
    let pings = Some(Pings { ratio: 1.0, random: false, depth: None });
    let mut sender = Sender::new(Config { pings, duration_ns: None, ..config() }, 0, 1).expect("good");
    let (mut now, mut payload) = (10 * SECOND, vec![0; 1000]);
    // Any time after 1970, and one near the end of what 64 bits with a sign hold.
    for (i, stamp) in [1_800_000_000 * SECOND, 10_000_000_000 * SECOND].into_iter().enumerate() {
        let s = SECOND as i64;
        for (arrived, forward_ns, agree) in [
            (stamp, 0, true),
            (stamp + 5 * MS, 5 * MS as i64, true),
            (stamp + 9 * MS, 9 * MS as i64, true),
            (stamp + 9 * MS + 1, 9 * MS as i64 + 1, false),
            (stamp - 1, -1, false),
            (stamp + 3 * SECOND, 3 * s, false),
            (stamp - 3 * SECOND, -3 * s, false),
            (0, if i == 0 { -1_800_000_000 * s } else { i64::MIN }, false),
            (u64::MAX, if i == 0 { i64::MAX } else { (u64::MAX - stamp) as i64 }, false),
        ] {
            now += SECOND;
            while sender.advance(now).is_some() {}
            sender.packet(stamp, &mut payload);
            sender.sent(now, stamp, true);
            let header = Header::parse(&payload).expect("a packet");
            Header { kind: Kind::Echo, echo_rx_ns: arrived, ..header }.write(&mut payload);
            let sample = sender.handle(now + 9 * MS, &payload).expect("an answer");
            assert_eq!((sample.rtt_ns, sample.forward_ns), (9 * MS, forward_ns), "{stamp} {arrived}");
            assert_eq!(sample.clocks_agree(), agree, "{stamp} {arrived}");
        }
    }
    let (_, summary) = sender.finish(now);
    let rtt = summary.total.rtt.expect("samples");
    assert_eq!((summary.impossible, rtt.count, rtt.min_ns, rtt.max_ns), (12, 18, 9 * MS, 9 * MS));
}

/// Numbers on the wire have 32 bits and go on with 0.
#[test]
fn sequence_numbers_wrap_on_the_wire() {
    let pings = Some(Pings { ratio: 1.0, random: false, depth: Some(2) });
    let mut sender = Sender::new(Config { pings, ..config() }, 0, 1).expect("good");
    sender.seq = u64::from(u32::MAX);
    let mut payload = vec![0; 1000];
    let mut echoes = Vec::new();
    for (i, seq) in [(1, u32::MAX), (2, 0)] {
        sender.advance(i * 8 * MS);
        sender.packet(i, &mut payload);
        assert_eq!(Header::parse(&payload).map(|header| header.seq), Ok(seq));
        sender.sent(i * 8 * MS, i, true);
        let mut echo = payload.clone();
        let header = Header::parse(&payload).expect("a packet");
        Header { kind: Kind::Echo, ..header }.write(&mut echo);
        echoes.push(echo);
    }
    let rtts: Vec<u64> =
        echoes.iter().filter_map(|echo| sender.handle(20 * MS, echo)).map(|s| s.rtt_ns).collect();
    assert_eq!(rtts, [12 * MS, 4 * MS]);
}

/// Default bucket depth: 50 ms at the rate, at least four packets. Default table: PINGs of 10 s, 16 to 65536.
#[test]
fn buckets_and_tables_have_their_defaults() {
    let burst = |rate, header_bytes| Config { header_bytes, ..config() }.burst(rate);
    assert_eq!([burst(1_000_000, 0), burst(1_000_000, 28), burst(100_000_000, 0)], [6_250, 6_250, 625_000]);
    assert_eq!([burst(640_000, 0), burst(640_000, 28)], [4_000, 4_112]);
    assert_eq!(Config { burst_bytes: Some(1_500), ..config() }.burst(100_000_000), 1_500);
    let depth = |ratio, depth, max_bps| {
        let sweep = Sweep { max_bps, step: Step::Count(1), step_ns: SECOND };
        let pings = Pings { ratio, random: false, depth };
        Config { sweep: Some(sweep), ..config() }.depth(&pings)
    };
    // 250 packets a second at the last rate.
    assert_eq!(depth(0.1, None, 2_000_000), 250);
    assert_eq!([depth(0.005, None, 2_000_000), depth(1.0, None, 2_000_000_000)], [16, 65_536]);
    assert_eq!(depth(0.1, Some(3), 2_000_000), 3);
}

#[test]
fn settings_at_their_bounds_are_good() {
    let sweep = |max_bps, step, step_ns| Some(Sweep { max_bps, step, step_ns });
    let pings = |ratio, depth| Some(Pings { ratio, random: false, depth });
    let peak = |peak| Config { peak_bps: Some(peak), sweep: sweep(2_000_000, Step::Count(1), 1), ..config() };
    for (config, good) in [
        (Config { payload_bytes: 40, ..config() }, true),
        (Config { payload_bytes: 65_535, ..config() }, true),
        (Config { payload_bytes: 65_536, ..config() }, false),
        (Config { burst_bytes: Some(1_000), ..config() }, true),
        (Config { burst_bytes: Some(1_027), header_bytes: 28, ..config() }, false),
        (Config { burst_bytes: Some(1_028), header_bytes: 28, ..config() }, true),
        (Config { peak_bps: Some(1_000_000), ..config() }, true),
        (Config { peak_bps: Some(0), ..config() }, false),
        (peak(1_999_999), false),
        (peak(2_000_000), true),
        (Config { duration_ns: Some(0), ..config() }, false),
        (Config { duration_ns: Some(1), report_ns: 1, ..config() }, true),
        (Config { sweep: sweep(1_000_001, Step::Add(1), 1), ..config() }, true),
        (Config { sweep: sweep(1_000_001, Step::Add(0), 1), ..config() }, false),
        (Config { sweep: sweep(1_000_001, Step::Add(1), 0), ..config() }, false),
        (Config { pings: pings(1.0, None), ..config() }, true),
        (Config { pings: pings(1.001, None), ..config() }, false),
        (Config { pings: pings(0.5, Some(0)), ..config() }, false),
        (Config { pings: pings(0.5, Some(1)), ..config() }, true),
        (Config { pings: pings(0.5, Some(1 << 20)), ..config() }, true),
        (Config { pings: pings(0.5, Some((1 << 20) + 1)), ..config() }, false),
    ] {
        assert_eq!(config.check().is_ok(), good, "{config:?}");
    }
}
