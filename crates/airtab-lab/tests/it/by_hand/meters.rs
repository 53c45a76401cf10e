// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What happened to single packets, told to a meter, to the trace that figures are made of.

use airtab_core::Tx;
use airtab_core::time::{MS, SECOND as S};
use airtab_sim::{AppMeter, AppTrace, AttemptTrace, Delivery, Leg, Legs, SecondTrace};

use super::near;

/// 3.5 s, of which 1 s to 2 s are measured; what is told to the meter; the trace, and the places held in the
/// scenario's measured part.
fn told(app: &str, tell: impl FnOnce(&mut AppMeter)) -> (AppTrace, f64) {
    let text = format!(
        "duration = \"3500ms\"\nmeasure = [\"1s\", \"2s\"]\n[[station]]\nname = \"a\"\n[[app]]\nname = \"x\"\nstation = \"a\"\n{app}\n"
    );
    let scenario = airtab_scenario::ScenarioFile::parse("home.toml", &text).unwrap().scenario;
    let mut meter = AppMeter::new(&scenario.apps[0], &scenario);
    tell(&mut meter);
    meter.finish(3500 * MS)
}

const GAME: &str = "kind = \"game\"";
const DOWNLOAD: &str = "kind = \"download\"";

#[test]
fn a_packet_belongs_to_the_time_in_which_it_was_sent() {
    // Just before, at its start, just before its end, at its end.
    let times = [S - 1, S, 2 * S - 1, 2 * S];
    for up in [false, true] {
        let (trace, _) = told(GAME, |m| {
            times.iter().for_each(|at| m.sent(up, 100, *at));
            times.iter().for_each(|at| m.received(up, (100, 0), *at, at + S));
        });
        let (of, other) = if up { (&trace.up, &trace.down) } else { (&trace.down, &trace.up) };
        assert_eq!((of.sent, of.received, of.under_way), (2, 2, 0), "whenever they arrive");
        let sent: Vec<(u64, u64)> = of.deliveries.iter().map(|d| (d.sent_ns, d.received_ns)).collect();
        assert_eq!(sent, [(S, 2 * S), (2 * S - 1, 3 * S - 1)]);
        // Bytes are those received within the part: what was sent just before it arrived just before its end.
        assert_eq!((of.bytes, other.bytes, other.sent, other.received), (100, 0, 0, 0));
    }
    let (trace, _) = told(DOWNLOAD, |m| m.received(false, (100, 0), S, S + MS));
    assert_eq!(trace.down.deliveries, Vec::<Delivery>::new(), "of constant streams only");
    assert_eq!(trace.down.received, 1);
}

#[test]
fn who_is_still_on_the_way_is_counted_apart() {
    let (trace, _) = told(GAME, |m| {
        for at in [S - 1, S, 2 * S - 1, 2 * S] {
            m.sent(false, 100, at);
            m.under_way(false, at);
        }
        m.under_way(true, S);
    });
    assert_eq!((trace.down.sent, trace.down.received, trace.down.under_way), (2, 0, 2));
    assert_eq!(trace.up.under_way, 1);
}

#[test]
fn bytes_belong_to_the_second_in_which_they_went() {
    let mut so_far = [0; 2];
    let (trace, _) = told(GAME, |m| {
        m.sent(false, 1, 0);
        m.sent(false, 20, S - 1);
        m.sent(false, 300, S);
        m.sent(true, 7000, S);
        m.received(false, (4, 0), 0, S - 1);
        m.received(false, (50, 0), S - 1, 3400 * MS);
        m.received(true, (9000, 0), 0, S);
        so_far = [false, true].map(|up| m.received_bytes(up));
    });
    let second = |sent_bytes, received_bytes| SecondTrace { sent_bytes, received_bytes };
    // The last half second has an entry of its own, and is no more than that.
    assert_eq!(trace.seconds, [second(21, 4), second(300, 0), second(0, 0), second(0, 50)]);
    assert_eq!(so_far, [54, 9000], "down and up, in the whole run");
}

#[test]
fn places_are_held_from_arrival_to_the_end_of_their_wait() {
    let (trace, common) = told(DOWNLOAD, |m| {
        m.arrived(500 * MS); // held from before the measured part ...
        m.arrived(1250 * MS);
        m.dequeued(500 * MS, 1500 * MS); // ... to its middle: 0.5 s of it
        m.dropped(1750 * MS); // 0.5 s
        m.arrived(1900 * MS);
        m.dequeued(1900 * MS, 2500 * MS); // 0.1 s
    });
    near(trace.queue.mean_packets, 1.1);
    near(common, 1.1);
    assert_eq!((trace.queue.arrived, trace.queue.dropped), (2, 1), "while measured");
    // Waits are those of packets that came while measured: 0.6 s, to three digits.
    assert_eq!(trace.queue.delay_ns.len(), 1);
    assert!((trace.queue.delay_ns.max() as f64 / 6e8 - 1.0).abs() < 1e-3);
    // A measured part of its own, 2 to 3 s; the scenario's mean is told apart.
    let (trace, common) = told(&format!("{DOWNLOAD}\nmeasure = [\"2s\", \"3s\"]"), |m| {
        m.arrived(1500 * MS);
        m.dequeued(1500 * MS, 2250 * MS);
    });
    near(trace.queue.mean_packets, 0.25);
    near(common, 0.5);
    assert_eq!((trace.queue.arrived, trace.queue.delay_ns.len()), (0, 0));
    // One that is in the queue to the end.
    near(told(DOWNLOAD, |m| m.arrived(1750 * MS)).0.queue.mean_packets, 0.25);
}

#[test]
fn frames_count_where_they_end() {
    let tx = |attempts, acked| Tx { air: 1000 * u64::from(attempts), span: 99, attempts, acked };
    let (trace, _) = told(DOWNLOAD, |m| {
        m.transmitted(false, tx(1, true), S - 1);
        for attempts in [1, 1, 2, 7, 8] {
            m.transmitted(false, tx(attempts, true), S);
        }
        m.transmitted(false, tx(3, false), 2 * S - 1);
        m.transmitted(true, tx(4, true), S);
        m.transmitted(false, tx(5, true), 2 * S);
    });
    let expected = AttemptTrace { acked: vec![2, 1, 0, 0, 0, 0, 1, 1], given_up: 1 };
    assert_eq!((trace.attempts.frames(), trace.attempts), (6, expected));
    // 1 + 1 + 2 + 7 + 8 + 3, and 4 up.
    assert_eq!((trace.air_ns, trace.up_air_ns), (22_000, 4_000));
}

#[test]
fn a_packet_spends_its_time_on_parts_of_its_way() {
    let legs = |wires_ns, queue_ns, channel_ns| Legs { wires_ns, queue_ns, channel_ns };
    let (trace, _) = told(GAME, |m| {
        m.passed(false, S - 1, legs(1, 1, 1)); // sent too early
        m.passed(false, S, legs(10, 500, 30));
        m.passed(false, S + 1, legs(12, 0, 40));
        m.passed(false, S + 2, legs(20, 2, 30));
        m.passed(true, 2 * S - 1, legs(7, 8, 9));
        m.passed(true, 2 * S, legs(1, 1, 1)); // too late
        for (up, sent_ns, at) in [
            (false, S - 1, Leg::Wires),
            (false, S, Leg::Queue),
            (false, S + 1, Leg::Queue),
            (false, S, Leg::Channel),
            (true, S, Leg::Wires),
            (true, 2 * S, Leg::Queue),
        ] {
            m.lost(up, sent_ns, at);
        }
        for (up, attempts, at) in [(false, 1, S), (false, 7, S), (false, 3, 2 * S), (true, 2, S)] {
            m.transmitted(up, Tx { air: 1, span: 1, attempts, acked: true }, at);
        }
    });
    let [down, up] = trace.paths;
    assert_eq!((down.arrived, down.total, down.least), (3, legs(42, 502, 100), legs(10, 0, 30)));
    assert_eq!((down.lost, down.frames, down.attempts), ([0, 2, 1], 2, 8));
    assert_eq!((up.arrived, up.total, up.least), (1, legs(7, 8, 9), legs(7, 8, 9)));
    assert_eq!((up.lost, up.frames, up.attempts), ([1, 0, 0], 1, 2));
}

#[test]
fn delays_are_kept_of_what_has_no_deliveries() {
    let sends = |m: &mut AppMeter| {
        for (sent, took) in [(S - 1, 1), (S, 5), (S, 7), (2 * S, 1)] {
            m.received(true, (100, 0), sent, sent + took * MS);
        }
    };
    let up = told(DOWNLOAD, sends).0.up;
    assert_eq!((up.delay_ns.len(), up.deliveries.len()), (2, 0));
    assert!((up.delay_ns.mean() / 6e6 - 1.0).abs() < 0.01, "known to 2 digits");
    let up = told(GAME, sends).0.up;
    assert_eq!((up.delay_ns.len(), up.deliveries.len()), (0, 2), "of constant streams each is kept");
}
