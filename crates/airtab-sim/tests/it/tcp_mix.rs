// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Six downloads through one access point, some of which see congestion before losses do: Starzetz 2006, chapters 7 and 10.
//!
//! 802.11b at 11 Mb/s, a FIFO of 60 packets, the profile `stz`; five or all begin at 5 s, the last one at 35 s where it is of
//! another kind. Shares are measured from 40 to 65 s. The bounds are those within which the thesis's figures, read off its
//! plots of one run, and runs of other simulators lie; `docs/tcp.md` has the figures.

use crate::common;

use airtab_sim::tcp::{Algorithm, Config};
use airtab_sim::traffic::{Download, Upload};
use airtab_sim::wifi::{Backoff, Category, CellConfig};
use airtab_sim::{App, AppKind, Course, Latency, Scenario, Servers, Users, Wired, course};
use common::{MS, S, phy, queue, station};

use Algorithm::{NewReno, TcpD, Vegas};

/// A sample of everything, ns.
const STEP: u64 = 100 * MS;

/// These, each at a station of its own; the last one from `late` on.
fn cell(kinds: &[AppKind], late_s: u64) -> Scenario {
    let mut cell = CellConfig::new(phy("starzetz-11b"));
    (cell.backoff, cell.beacon, cell.uplink_packets) = (Backoff::Bianchi, None, 100);
    let last = kinds.len() - 1;
    let app = |(i, kind): (usize, &AppKind)| App {
        name: format!("{i}"),
        kind: kind.clone(),
        station: i,
        active_ns: if i == last { late_s * S } else { 5 * S }..65 * S,
        class: 0,
        users: Users::ONE,
        measure_ns: None,
        servers: Servers::Own(Latency::both(0)),
        access: Category::default(),
        computer: 1,
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
        tcp: None,
    };
    Scenario {
        name: "mix".into(),
        duration_ns: 65 * S,
        measure_ns: 40 * S..65 * S,
        medium: cell.into(),
        wired: Wired::default(),
        servers: Vec::new(),
        tcp: Config::stz(),
        scored: Default::default(),
        windows: Vec::new(),
        changes: Vec::new(),
        stations: (0..kinds.len()).map(|i| station(&format!("s{i}"), 11_000, 1.0)).collect(),
        apps: kinds.iter().enumerate().map(app).collect(),
    }
}

fn downloads(kinds: [Algorithm; 6]) -> Vec<AppKind> {
    kinds.map(|one| Download::endless(one).into()).to_vec()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = values.collect();
    all.iter().sum::<f64>() / all.len() as f64
}

fn jain(rates: &[f64]) -> f64 {
    rates.iter().sum::<f64>().powi(2) / (rates.len() as f64 * rates.iter().map(|x| x * x).sum::<f64>())
}

/// Means over some seeds.
struct Six {
    /// Jain's index of a second, mean over the seconds from 6 s on.
    jain: f64,
    /// Packets in the access point's queue from 10 s on: mean and standard deviation.
    queue: (f64, f64),
    /// Of all flows and the whole run.
    retransmits: f64,
    timeouts: f64,
    /// Rate of the last flow over the mean of the others'.
    last: f64,
}

fn six(kinds: [Algorithm; 6], late_s: u64) -> Six {
    let one = |seed: u64| {
        let scenario = cell(&downloads(kinds), late_s);
        of(&course(&scenario, &queue("fifo", 60), seed, STEP))
    };
    let all: Vec<Six> = (1..=3).map(one).collect();
    let over = |of: fn(&Six) -> f64| mean(all.iter().map(of));
    let six = Six {
        jain: over(|six| six.jain),
        queue: (over(|six| six.queue.0), over(|six| six.queue.1)),
        retransmits: over(|six| six.retransmits),
        timeouts: over(|six| six.timeouts),
        last: over(|six| six.last),
    };
    println!(
        "{kinds:?}: J {:.3}, queue {:.1} +- {:.1}, {:.1} sent again, {:.1} timeouts, last over mean {:.2}",
        six.jain, six.queue.0, six.queue.1, six.retransmits, six.timeouts, six.last
    );
    six
}

fn of(course: &Course) -> Six {
    let seconds: Vec<Vec<f64>> = course.apps.iter().map(|app| app.rate_bps(STEP, 10)).collect();
    let fairness = (6..65).map(|second| jain(&seconds.iter().map(|of| of[second]).collect::<Vec<_>>()));
    let held: Vec<f64> = course.queue_packets[100..].iter().map(|n| f64::from(*n)).collect();
    let middle = mean(held.iter().copied());
    let spread = mean(held.iter().map(|n| (n - middle).powi(2))).sqrt();
    let shares: Vec<f64> = seconds.iter().map(|of| mean(of[40..65].iter().copied())).collect();
    let (last, others) = shares.split_last().expect("six");
    let stats = || course.apps.iter().flat_map(|app| &app.flows).map(|flow| flow.stats);
    Six {
        jain: mean(fairness),
        queue: (middle, spread),
        retransmits: stats().map(|s| s.retransmits as f64).sum(),
        timeouts: stats().map(|s| s.timeouts as f64).sum(),
        last: last / mean(others.iter().copied()),
    }
}

/// T-10.3, figures F-10.3 to F-10.5: their queue is calm and next to nothing is lost, where NewReno fills it again and again.
#[test]
fn six_of_tcp_d_share_a_calm_queue() {
    let (tcp_d, reno) = (six([TcpD; 6], 5), six([NewReno; 6], 5));
    assert!(tcp_d.jain > 0.98 && tcp_d.jain > reno.jain, "{} {}", tcp_d.jain, reno.jain);
    assert!(tcp_d.queue.1 < 4.0 && reno.queue.1 > 6.0, "{:?} {:?}", tcp_d.queue, reno.queue);
    assert!(tcp_d.retransmits < reno.retransmits / 20.0, "{} {}", tcp_d.retransmits, reno.retransmits);
}

/// F-10.6 to F-10.8 and F-7.6: Vegas gets less than TCP-D, which gets less than NewReno; NewReno among Vegas takes more than among
/// TCP-D.
#[test]
fn the_shares_are_in_the_order_of_the_thesis() {
    let among_reno = six([NewReno, NewReno, NewReno, NewReno, NewReno, TcpD], 35).last;
    let among_vegas = six([Vegas, Vegas, Vegas, Vegas, Vegas, TcpD], 35).last;
    let [of_tcp_d, of_vegas] =
        [TcpD, Vegas].map(|many| six([many, many, many, many, many, NewReno], 35).last);
    assert!((0.4..0.6).contains(&among_reno), "{among_reno}");
    assert!((1.1..1.7).contains(&among_vegas), "{among_vegas}");
    assert!(of_tcp_d > 1.0 && of_tcp_d < of_vegas, "{of_tcp_d} {of_vegas}");
    assert!((6.0..14.0).contains(&of_vegas), "{of_vegas}");
}

/// Little's law by what a run reports: without losses a window of 32 packets is the rate times the round trip, down and up.
#[test]
fn without_losses_rate_times_round_trip_is_the_window() {
    for (kind, up) in [(AppKind::from(Download::endless(NewReno)), 0), (Upload::endless(NewReno).into(), 1)] {
        let scenario = cell(&[kind.clone(), kind], 5);
        let course = course(&scenario, &queue("fifo", 200), 1, STEP);
        for app in &course.trace.apps {
            let sender = app.tcp[up];
            let bytes = if up == 1 { app.up.bytes } else { app.down.bytes };
            let rate = bytes as f64 / 1500.0 / 25.0;
            let held = rate * sender.srtt_sum_ns as f64 / sender.acks as f64 / 1e9;
            println!("{}: {rate:.1} packets a second, {held:.2} of 32", app.name);
            assert_eq!((sender.retransmits, app.tcp[1 - up].acks), (0, 0));
            assert!((held / 32.0 - 1.0).abs() < 0.03, "{held}");
        }
    }
}
