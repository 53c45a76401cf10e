// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The link emulator against the closed form of CHAP dissertation 7.1
//! (equations 7.1-7.4): goodput, cost, attempts; what it does with multicast
//! and with packets of stations; where its time goes.

use crate::common;

use airtab_core::{GROUP, Meta, Pool, Qdisc, Tx};
use airtab_sim::wifi::{Loss, Medium, MediumConfig, Output, Way};
use common::{MS, S, Saturated, phy, queue};

const BYTES: u32 = 1500;
const ATTEMPTS: u32 = 5;

/// Equation 7.1, us.
fn attempt_us() -> f64 {
    let phy = phy("d7.1");
    (phy.difs_ns() + phy.data_ns(54_000, BYTES) + phy.sifs_ns() + phy.ack_ns(54_000)) as f64 / 1e3
}

/// One way in which a packet's service may end.
struct Case {
    probability: f64,
    delivered: bool,
    /// Mean and variance of its cost, us.
    cost: f64,
    variance: f64,
}

/// Equations 7.2-7.4 for a frame error rate.
fn closed_form(p: f64, extra_us: f64) -> Vec<Case> {
    let fails = p + (1.0 - p) * p;
    let (mut cases, mut cost, mut variance, mut reached) = (Vec::new(), extra_us, 0.0, 1.0);
    for n in 1..=ATTEMPTS {
        cost += attempt_us();
        cases.push(Case { probability: reached * (1.0 - fails), delivered: true, cost, variance });
        reached *= fails;
        if n == ATTEMPTS {
            cases.push(Case { probability: reached, delivered: false, cost, variance });
        }
        let window = f64::from(32u32 << (n - 1)).min(1024.0);
        cost += (window - 1.0) / 2.0 * 20.0;
        variance += (window * window - 1.0) / 12.0 * 400.0;
    }
    cases
}

fn mean(cases: &[Case], value: impl Fn(&Case) -> f64) -> f64 {
    cases.iter().map(|c| c.probability * value(c)).sum()
}

/// Frame error rate; goodput of 1500-byte packets as published, Mb/s, and the
/// last digit of that figure.
const PUBLISHED: [(f64, f64, f64); 6] = [
    (0.0001, 30.05, 0.01),
    (0.01, 29.0, 0.1),
    (0.10, 20.5, 0.1),
    (0.25, 10.2, 0.1),
    (0.50, 2.9, 0.1),
    (0.75, 0.59, 0.01),
];

#[test]
fn saturated_goodput_has_its_closed_form() {
    const SECONDS: u64 = 2000;
    for (fer, published, digit) in PUBLISHED {
        let cases = closed_form(fer, 0.0);
        let cost = mean(&cases, |c| c.cost);
        let bits = |c: &Case| if c.delivered { f64::from(BYTES * 8) } else { 0.0 };
        let form = mean(&cases, bits) / cost;
        assert!((form - published).abs() < 0.5 * digit, "{fer}: {form} Mb/s");
        // A renewal process with rewards: variance of the mean rate.
        let spread = mean(&cases, |c| (bits(c) - form * c.cost).powi(2) + (form * form) * c.variance);
        let sigma = (spread / cost / (SECONDS as f64 * 1e6)).sqrt();

        let config = MediumConfig::emulator(phy("d7.1"), 0);
        let mut run = Saturated::new(config, &[(54_000, Loss::Fer(fer))], BYTES, true, 1);
        run.run(SECONDS * S);
        let measured = (run.arrived[0] * u64::from(BYTES) * 8) as f64 / SECONDS as f64 / 1e6;
        println!("{fer}: {measured:.4} Mb/s, closed form {form:.4}, standard error {sigma:.4}");
        assert!((measured - form).abs() < 4.0 * sigma, "{fer}: {measured} Mb/s, closed form {form}");
        assert!((measured - published).abs() < digit, "{fer}: {measured} Mb/s, published {published}");

        let reports = &run.reports[0];
        let packets = reports.len() as f64;
        let air: u64 = reports.iter().map(|tx| tx.air).sum();
        let squares = mean(&cases, |c| c.cost * c.cost + c.variance);
        let sigma = ((squares - cost * cost) / packets).sqrt();
        let average = air as f64 / packets / 1e3;
        assert!((average - cost).abs() < 4.0 * sigma, "{fer}: {average} us, closed form {cost}");
        for (n, case) in (1..).zip(&cases) {
            let is = |tx: &&Tx| tx.acked == case.delivered && u32::from(tx.attempts) == n.min(ATTEMPTS);
            let (seen, expected) = (reports.iter().filter(is).count() as f64, packets * case.probability);
            let sigma = (expected * (1.0 - case.probability)).sqrt();
            // A count below ten is not near a normal distribution.
            assert!(
                expected < 10.0 || (seen - expected).abs() < 4.0 * sigma,
                "{fer}: {n}: {seen}, {expected}"
            );
        }
    }
}

/// 2 ms more for every packet: the access line of the dissertation's case studies.
#[test]
fn an_extra_delay_makes_it_the_bottleneck() {
    let config = MediumConfig::emulator(phy("d7.1"), 2 * MS);
    let mut run = Saturated::new(config, &[(54_000, Loss::None)], BYTES, true, 1);
    run.run(2_399_259 * 10_000);
    assert_eq!(run.arrived[0], 10_000, "one in 2399.259 us: 5.00 Mb/s");
    assert!(run.reports[0].iter().all(|tx| tx.air == 2_399_259 && tx.span == tx.air && tx.attempts == 1));
}

/// Somebody is served all the time; and the reports add up to that time.
#[test]
fn the_servers_time_is_that_of_its_packets() {
    let config = MediumConfig::emulator(phy("d7.1"), 0);
    let stations = [(54_000, Loss::Fer(0.5)), (6_000, Loss::Fer(0.1))];
    let mut run = Saturated::new(config, &stations, BYTES, true, 3);
    for step in 1..=1000 {
        let now = step * 1_234_567;
        run.run(now);
        let air = run.cell.air(now);
        assert_eq!((air.down_ns, air.idle_ns), (now, 0));
        let reported: u64 = run.reports[0].iter().map(|tx| tx.air).sum();
        assert!(reported <= now && now - reported < 20 * MS, "one packet is in service");
    }
    let attempts: u64 = run.reports[0].iter().map(|tx| u64::from(tx.attempts)).sum();
    assert_eq!(run.cell.exchanges(), attempts);
}

/// Multicast goes at the lowest rate and arrives; packets of stations pass at
/// once, whatever is being served.
#[test]
fn multicast_and_uplink() {
    let phy = phy("d7.1");
    let mut pool: Pool<u32> = Pool::new();
    let qdisc = Qdisc::new(&pool, &queue("chap", 10), 0, 0);
    let stations = [("sta", 54_000, Loss::Fer(1.0))];
    let mut link = Medium::new(MediumConfig::emulator(phy, 0), &stations, qdisc, 1);
    let down = pool.insert(Meta { bytes: 500, flow: 7, sta: GROUP, ..Meta::default() }, 0);
    let up = pool.insert(Meta { bytes: 500, flow: 7, ..Meta::default() }, 0);
    link.send_down(&mut pool, down, 0);
    link.send_up(&mut pool, 0, up, 10);
    let outputs: Vec<_> = std::iter::from_fn(|| link.poll()).collect();
    assert_eq!(outputs, [Output::Dequeued(down), Output::Up(up)]);
    let ns = phy.difs_ns() + phy.data_ns(1_000, 500) + phy.sifs_ns() + phy.ack_ns(1_000);
    assert_eq!(link.next_event(), ns);
    link.advance(&mut pool, ns);
    let tx = Tx { air: ns, span: ns, attempts: 1, acked: true };
    let outputs: Vec<_> = std::iter::from_fn(|| link.poll()).collect();
    assert_eq!(outputs, [Output::Down(down), Output::Sent { down: true, label: 0, tx, way: Way::default() }]);
}

/// What stations send takes no airtime here, so that nobody pays for it, whatever the discipline charges.
#[test]
fn packets_of_stations_cost_nothing() {
    let mut params = queue("chap", 10);
    params.set("uplink", "on").expect("a parameter of chap");
    let mut pool: Pool<u32> = Pool::new();
    let qdisc = Qdisc::new(&pool, &params, 0, 0);
    let config = MediumConfig::emulator(phy("d7.1"), 0);
    let mut link = Medium::new(config, &[("sta", 54_000, Loss::None)], qdisc, 1);
    let packet = |pool: &mut Pool<u32>| pool.insert(Meta { bytes: BYTES, flow: 7, ..Meta::default() }, 0);
    let down = packet(&mut pool);
    link.send_down(&mut pool, down, 0);
    link.advance(&mut pool, 10 * MS);
    let column = link.queue().discipline().row_stats().iter().position(|c| c.name == "airtime");
    let charged = |link: &Medium, pool: &Pool<u32>| {
        link.queue().rows(pool, 10 * MS)[0][column.expect("a column of chap")]
    };
    let before = charged(&link, &pool);
    assert_eq!(before, 399_259, "one exchange");
    for _ in 0..5 {
        let up = packet(&mut pool);
        link.send_up(&mut pool, 0, up, 10 * MS);
    }
    assert_eq!(charged(&link, &pool), before);
}
