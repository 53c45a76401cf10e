// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! K, ARTT, first sizes, drain times, and traces of the law (Showail 2016, 5.3).

use airtab_core::{Phy, RateSpec, ampdu_bytes};

use super::super::aggregate::{ATH9K, Bounds};
use super::super::exchange::{Constants, WQM_11N};
use super::super::wqm::law::{Action, Backlog, Law, Most, Params, Sample, Steady, Wqm};
use super::super::wqm::radio::{self, Waiting};
use super::super::wqm::{self, DRAIN_US, MOST};
use super::{digits, exchange};

/// Rates at which 802.11n of 20 or 40 MHz sends: Mb/s, MCS of each stream, streams, MHz, guard interval in ns.
const HT: [(f64, u8, u8, u16, u16); 12] = [
    (6.5, 0, 1, 20, 800),
    (13.0, 1, 1, 20, 800),
    (26.0, 3, 1, 20, 800),
    (52.0, 5, 1, 20, 800),
    (65.0, 7, 1, 20, 800),
    (78.0, 4, 2, 20, 800),
    (104.0, 5, 2, 20, 800),
    (130.0, 7, 2, 20, 800),
    (144.4, 7, 2, 20, 400),
    (300.0, 7, 2, 40, 400),
    (450.0, 7, 3, 40, 400),
    (600.0, 7, 4, 40, 400),
];

#[test]
fn frames_by_the_formula() {
    let of = |bounds: Bounds| HT.map(|(rate, ..)| bounds.frames(rate).unwrap());
    assert_eq!(of(ATH9K), [1, 4, 8, 16, 21, 25, 32, 32, 32, 32, 32, 32]);
    assert_eq!(of(Bounds { driver: None, ..ATH9K }), [1, 4, 8, 16, 21, 25, 33, 42, 42, 42, 42, 42]);
    assert_eq!(of(Bounds { driver: None, alone_mbps: 0.0, ..ATH9K })[0], 2, "it would fit");
}

/// Of 1500-byte packets in 4 ms, preamble and symbols included.
#[test]
fn frames_by_exact_times() {
    let phy = Phy::named("std-11n").unwrap();
    let of = |bounds: Bounds| {
        HT.map(|(mbps, mcs, streams, width, gi)| {
            let spec = RateSpec {
                mcs,
                streams: Some(streams),
                width: Some(width),
                gi: Some(gi),
                ..RateSpec::default()
            };
            let rate = phy.rate(&spec).unwrap();
            assert!((f64::from(rate.kbps()) / 1e3 - mbps).abs() < 0.05, "{rate}");
            bounds.frames_within(mbps, 2, |bytes| phy.ppdu_ns(&rate, bytes) as f64 / 1e3).unwrap()
        })
    };
    let unbounded = Bounds { driver: None, alone_mbps: 0.0, ..ATH9K };
    assert_eq!(of(unbounded), [2, 4, 8, 16, 20, 25, 33, 41, 42, 42, 42, 42]);
    assert_eq!(of(ATH9K), [1, 4, 8, 16, 20, 25, 32, 32, 32, 32, 32, 32], "32 at most, 1 at 6.5");
    assert_eq!(ampdu_bytes(20, 1500 + phy.mac_bytes()), 20 * ATH9K.subframe_bytes - 2);
}

#[test]
fn round_trips_and_first_sizes() {
    assert_eq!((WQM_11N.backoff_us(), DRAIN_US, MOST), (63.0, 2_500.0, 95));
    for (rate, frames, times, product, first, within) in [
        (6.5, 1, ["2111.9", "267.0", "2378.9"], "1.29", 2, "1.35"),
        (13.0, 4, ["4004.8", "315.0", "4319.8"], "4.68", 5, "2.71"),
        (65.0, 1, ["408.3", "223.8", "632.1"], "3.42", 4, "13.54"),
        (65.0, 21, ["4194.1", "319.8", "4513.9"], "24.45", 25, "13.54"),
        (144.4, 32, ["2945.6", "288.1", "3233.8"], "38.91", 39, "30.08"),
        (300.0, 32, ["1531.4", "252.3", "1783.7"], "44.59", 45, "62.50"),
        (450.0, 32, ["1094.0", "241.2", "1335.1"], "50.07", 51, "93.75"),
        (600.0, 32, ["875.2", "235.6", "1110.9"], "55.54", 56, "125.00"),
        (600.0, 42, ["1080.3", "240.8", "1321.1"], "66.06", 67, "125.00"),
        (600.0, 64, ["1531.4", "252.3", "1783.7"], "89.19", 90, "125.00"),
    ] {
        assert_eq!(exchange(&WQM_11N, rate, frames), times, "{rate} {frames}");
        assert_eq!(digits(wqm::bound(&WQM_11N, rate, frames).unwrap(), 2), product, "{rate} {frames}");
        assert_eq!(wqm::initial(&WQM_11N, rate, frames).unwrap(), first, "{rate} {frames}");
        let packets = wqm::packets_within(DRAIN_US, rate, 1.0, 1500.0).unwrap();
        assert_eq!(digits(packets, 2), within, "{rate}");
    }
}

/// The largest limit, 95: 1.9 ms of 600 Mb/s. With draws up to 31, ARTT is that; with those of table 5.1 it is less.
#[test]
fn the_largest_limit() {
    let wide = Constants { cw_min: 31, ..WQM_11N };
    assert_eq!((wide.backoff_us(), exchange(&wide, 600.0, 64)[2].as_str()), (135.0, "1927.7"));
    assert_eq!(digits(wqm::bound(&wide, 600.0, 64).unwrap(), 1), "96.4");
    assert_eq!(digits(wqm::bound(&WQM_11N, 600.0, 64).unwrap(), 1), "89.2");
    assert_eq!(wqm::most_within(600.0, 1_900.0, 1500.0).unwrap(), MOST);
    // And the drain time: an exchange at 6.5 Mb/s.
    assert_eq!(
        (exchange(&WQM_11N, 6.5, 1)[2].as_str(), exchange(&wide, 6.5, 1)[2].as_str()),
        ("2378.9", "2522.9")
    );
}

#[test]
fn drain_times() {
    let ms = |packets: f64, rate, free| wqm::drain_us(packets * 12_000.0, rate, free).unwrap() / 1e3;
    let of_1000: Vec<String> =
        [600.0, 300.0, 144.4, 65.0, 13.0, 6.5].map(|rate| digits(ms(1000.0, rate, 1.0), 1)).into();
    assert_eq!(of_1000, ["20.0", "40.0", "83.1", "184.6", "923.1", "1846.2"]);
    assert_eq!(digits(ms(1000.0, 6.5, 1.0), 2), "1846.15");
    assert_eq!(
        (digits(ms(100.0, 65.0, 1.0), 2), digits(ms(100.0, 65.0, 1.0 / 3.0), 2)),
        ("18.46".into(), "55.38".into())
    );
    assert_eq!(digits(ms(100.0, 65.0, 0.333_333_3), 3), "55.385");
    assert_eq!(digits(ms(1000.0, 6.5, 1.0) / ms(1000.0, 600.0, 1.0), 0), "92");
    // With accesses for aggregates: 45 packets in 2.
    let with = wqm::drain_aggregated_us(&WQM_11N, 45, 32.0, 300.0, 1.0).unwrap();
    assert_eq!(digits(with / 1e3, 3), "2.284");
    // A full queue is above the drain time at B = K = 32 from 154 Mb/s down.
    let at = |packets: f64| packets * 12_000.0 / DRAIN_US;
    assert_eq!(digits(at(32.0), 0), "154");
}

/// 20 packets for a station of 300 Mb/s and 20 for one of 13.
#[test]
fn two_stations_behind_one_radio() {
    let waiting = |rate_mbps| Waiting { backlog_bits: 20.0 * 12_000.0, rate_mbps };
    let both = radio::drain_us(&[waiting(300.0), waiting(13.0)], 1.0).unwrap();
    assert_eq!(digits(both / 1e3, 2), "19.26");
    assert_eq!(digits(wqm::drain_us(40.0 * 12_000.0, 300.0, 1.0).unwrap() / 1e3, 1), "1.6");
    let share = radio::equal_share(2).unwrap();
    let alone = radio::drain_of_one_us(&waiting(300.0), 1.0, share).unwrap();
    assert_eq!((share, alone), (0.5, 1_600.0));
    assert!(radio::drain_of_one_us(&waiting(13.0), 0.5, share).unwrap() > 70_000.0);
}

#[test]
fn free_shares() {
    assert_eq!(wqm::free_by_survey(100.0, 60.0, 20.0, 0.05).unwrap(), 0.6, "one's own sending is no others'");
    assert_eq!(wqm::free_by_survey(100.0, 100.0, 0.0, 0.05).unwrap(), 0.05);
    assert_eq!(wqm::free_by_survey(100.0, 20.0, 30.0, 0.05).unwrap(), 1.0, "counters that do not agree");
    assert_eq!(wqm::free_by_active(3, 0.05).unwrap(), 1.0 / 3.0);
    assert_eq!(wqm::free_by_active(100, 0.05).unwrap(), 0.05);
}

fn limits(params: Params, steady: Steady, looks: usize) -> (u32, Vec<u32>) {
    let mut queue = Wqm::new(params, steady.rate_mbps, steady.frames).unwrap();
    let first = queue.limit();
    (first, queue.trace(&steady, looks).unwrap().iter().map(|look| look.limit).collect())
}

fn full(rate_mbps: f64, frames: u32, free: f64) -> Steady {
    Steady { rate_mbps, frames, free, packets: None, mean_frames: None }
}

/// B after looks 1, 2, ... at a queue that is full each time.
#[test]
fn traces_of_full_queues() {
    for (id, steady, first, trace) in [
        ("A", full(65.0, 21, 1.0), 25, [25, 21, 21, 21, 21, 21, 21, 21]),
        ("C", full(300.0, 32, 0.5), 45, [45, 32, 32, 32, 32, 32, 32, 32]),
        ("D", full(6.5, 1, 1.0), 2, [2, 1, 1, 2, 2, 1, 1, 2]),
        ("E", full(600.0, 64, 1.0), 90, [90, 91, 92, 93, 94, 95, 95, 95]),
        ("F", full(13.0, 4, 1.0), 5, [5, 4, 4, 4, 4, 4, 4, 4]),
        ("G", full(144.4, 32, 1.0), 39, [39, 32, 32, 32, 32, 32, 32, 32]),
    ] {
        assert_eq!(limits(Params::FAITHFUL, steady, 8), (first, trace.to_vec()), "{id}");
    }
}

/// V-WQM-B: between 32 and 63, 34 looks a turn.
#[test]
fn the_sawtooth() {
    let (first, trace) = limits(Params::FAITHFUL, full(300.0, 32, 1.0), 200);
    assert_eq!(first, 45);
    let mut want = vec![45];
    want.extend(46..=63);
    want.extend([63, 32, 32]);
    want.extend(33..=63);
    want.extend([63, 32]);
    assert_eq!(trace[..55], want);
    for (look, limit) in
        [(1, 45), (2, 46), (19, 63), (20, 63), (21, 32), (22, 32), (23, 33), (53, 63), (54, 63), (55, 32)]
    {
        assert_eq!(trace[look - 1], limit, "look {look}");
    }
    assert!((21..166).all(|look| trace[look - 1] == trace[look + 33]), "a period of 34");
}

/// V-WQM-I: an idle queue's limit rises in the dissertation, and stays where the hardened law has it.
#[test]
fn an_idle_queue() {
    let idle = Steady { packets: Some(0), ..full(300.0, 32, 1.0) };
    assert_eq!(limits(Params::FAITHFUL, idle, 5), (45, vec![45, 46, 47, 48, 49]));
    assert_eq!(limits(Params::HARDENED, idle, 5), (45, vec![45; 5]));
    // It rises as soon as 0.8 of it is used: 36 of 45.
    let mut queue = Wqm::new(Params::HARDENED, 300.0, 32).unwrap();
    queue.trace(&idle, 5).unwrap();
    assert_eq!(queue.trace(&Steady { packets: Some(35), ..idle }, 1).unwrap()[0].action, Action::Hold);
    let used = queue.trace(&Steady { packets: Some(36), ..idle }, 1).unwrap()[0];
    assert_eq!((used.action, used.limit), (Action::Raise, 46));
}

/// T and what it did, look by look, where the source says both.
#[test]
fn what_looks_do() {
    let looks = |steady: Steady, n| {
        let mut queue = Wqm::new(Params::FAITHFUL, steady.rate_mbps, steady.frames).unwrap();
        let looks = queue.trace(&steady, n).unwrap();
        looks.iter().map(|look| (digits(look.drain_us / 1e3, 3), look.action)).collect::<Vec<_>>()
    };
    let is = |ms: &str, action| (ms.to_string(), action);
    use Action::*;
    assert_eq!(looks(full(65.0, 21, 1.0), 3), [is("4.615", ArmHigh), is("4.615", Cut), is("3.877", Hold)]);
    assert_eq!(
        looks(full(6.5, 1, 1.0), 4),
        [is("3.692", ArmHigh), is("3.692", Cut), is("1.846", ArmLow), is("1.846", Raise)]
    );
    assert_eq!(looks(full(13.0, 4, 1.0), 3)[2], is("3.692", Hold));
    assert_eq!(looks(full(144.4, 32, 1.0), 3)[2], is("2.659", Hold));
    assert_eq!(looks(full(300.0, 32, 0.5), 3), [is("3.600", ArmHigh), is("3.600", Cut), is("2.560", Hold)]);
    let sawtooth = looks(full(300.0, 32, 1.0), 22);
    assert_eq!(sawtooth[0], is("1.800", ArmLow));
    assert_eq!(sawtooth[19..], [is("2.520", ArmHigh), is("2.520", Cut), is("1.280", ArmLow)]);
    assert_eq!(looks(full(600.0, 64, 1.0), 7)[6], is("1.900", Hold));
}

/// A rate that rises lifts the limit to its K at once, whatever T is; nothing else does.
#[test]
fn a_rate_that_rises() {
    let mut queue = Wqm::new(Params::FAITHFUL, 6.5, 1).unwrap();
    let look = queue.trace(&full(300.0, 32, 1.0), 1).unwrap()[0];
    assert_eq!((look.action, look.limit), (Action::Lift, 32));
    assert_eq!(queue.trace(&full(6.5, 1, 1.0), 1).unwrap()[0].limit, 32, "the next look is the first above");
    assert_eq!(queue.trace(&full(6.5, 1, 1.0), 1).unwrap()[0].limit, 16);
}

/// T as long as the drain time, and bounds that forbid a move, leave alarms as they are.
#[test]
fn alarms_stay() {
    // 30 packets at 144 Mb/s drain in 2.5 ms exactly.
    let params = Params { first: Some(30), least: Some(1), ..Params::FAITHFUL };
    let mut queue = Wqm::new(params, 144.0, 1).unwrap();
    let steady = |packets| Steady { packets: Some(packets), ..full(144.0, 1, 1.0) };
    let mut look = |packets| {
        let look = queue.trace(&steady(packets), 1).unwrap()[0];
        (look.action, look.limit)
    };
    assert_eq!(look(29), (Action::ArmLow, 30));
    assert_eq!(look(30), (Action::Hold, 30));
    assert_eq!(look(29), (Action::Raise, 31), "it was armed all the time");
    assert_eq!(look(31), (Action::ArmHigh, 31));
    assert_eq!(look(29), (Action::ArmLow, 31), "one clears the other");
    assert_eq!(look(31), (Action::ArmHigh, 31));
}

#[test]
fn laws_and_confirmations() {
    let steps = |law, confirm, packets| {
        let params = Params { law, confirm, least: Some(1), first: Some(20), ..Params::FAITHFUL };
        let steady = Steady { packets, ..full(65.0, 1, 1.0) };
        limits(params, steady, 5).1
    };
    // 20 packets take 3.69 ms.
    assert_eq!(steps(Law::Aimd, 2, None), [20, 10, 10, 11, 12]);
    assert_eq!(steps(Law::Aiad, 2, None), [20, 19, 18, 17, 16]);
    assert_eq!(steps(Law::Miad, 2, Some(0)), [20, 40, 80, 95, 95]);
    assert_eq!(steps(Law::Mimd, 2, None), [20, 10, 10, 20, 20]);
    assert_eq!(steps(Law::Aimd, 1, None), [10, 11, 12, 13, 14]);
    assert_eq!(steps(Law::Aimd, 4, None), [20, 20, 20, 10, 10]);
    assert_eq!(Law::ALL.map(|law| law.name().parse()), Law::ALL.map(Ok));
}

/// Bounds and drain times of the hardened law.
#[test]
fn hardened() {
    let of = |rate, frames| {
        let aim = Params::HARDENED.aim_us(rate, frames).unwrap();
        (Params::HARDENED.bounds(rate, frames).unwrap(), digits(aim, 1))
    };
    assert_eq!(of(6.5, 1), ((1, 3), "2500.0".into()));
    assert_eq!(of(13.0, 4), ((4, 6), "3818.8".into()));
    assert_eq!(of(65.0, 21), ((21, 28), "4008.1".into()));
    assert_eq!(of(300.0, 32), ((32, 125), "2500.0".into()));
    assert_eq!(of(6.5, 32), ((32, 32), "60606.5".into()), "an aggregate goes before");
    // At 300 Mb/s the same sawtooth.
    let both = [Params::FAITHFUL, Params::HARDENED].map(|params| limits(params, full(300.0, 32, 1.0), 100));
    assert_eq!(both[0], both[1]);
    // At 65 an aggregate's time is allowed: 21 packets are not too many.
    assert_eq!(limits(Params::HARDENED, full(65.0, 21, 1.0), 6), (25, vec![25, 21, 21, 22, 22, 21]));
}

/// What is below the queue counts in the hardened law alone.
#[test]
fn a_ring_below() {
    let sample = Sample {
        rate_mbps: 300.0,
        frames: 32,
        queue: Backlog { packets: 10, bits: 120_000.0 },
        below: Backlog { packets: 123, bits: 123.0 * 12_000.0 },
        free: 1.0,
        share: 1.0,
        used: 45,
        mean_frames: Some(32.0),
    };
    let drain = |params| {
        let look = Wqm::new(params, 300.0, 32).unwrap().look(&sample).unwrap();
        (digits(look.drain_us / 1e3, 2), look.action)
    };
    assert_eq!(drain(Params::FAITHFUL), ("0.40".into(), Action::ArmLow));
    assert_eq!(drain(Params::HARDENED), ("5.32".into(), Action::ArmHigh));
    // 133 packets in 5 aggregates.
    let kavg = Params { kavg: true, ..Params::HARDENED };
    assert_eq!(drain(kavg).0, digits((5.0 * 219.0 + 133.0 * 12_304.0 / 300.0) / 1e3, 2));
    let half = Sample { share: 0.5, free: 0.0, ..sample };
    let look = Wqm::new(Params::FAITHFUL, 300.0, 32).unwrap().look(&half).unwrap();
    assert_eq!(digits(look.drain_us, 0), "16000", "the floor of F, 0.05, and half of that");
}

#[test]
fn full_duplex_relays() {
    let (first, trace) = limits(Params::FULL_DUPLEX, full(54.0, 1, 1.0), 30);
    assert_eq!((first, trace[0], trace[9], trace[10], trace[11]), (2, 2, 11, 12, 12));
    assert_eq!(Params::FULL_DUPLEX.bounds(54.0, 1).unwrap(), (1, 24));
    assert_eq!(Params { most: Most::Packets(3), ..Params::FULL_DUPLEX }.bounds(6.0, 1).unwrap(), (1, 3));
    // What 24 and 2 may come from: 8 R ARTT at 54 Mb/s, R ARTT at 6.
    assert_eq!(digits(8.0 * wqm::bound(&WQM_11N, 54.0, 1).unwrap(), 2), "24.18");
    assert_eq!(digits(wqm::bound(&WQM_11N, 6.0, 1).unwrap(), 2), "1.27");
    assert_eq!(wqm::initial(&WQM_11N, 6.0, 1).unwrap(), 2);
}
