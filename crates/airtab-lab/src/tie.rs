// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Comparisons in which no discipline can differ, because packets do not wait in the access point's queue.
//!
//! The reason is one of four: a slow wired link, a driver below the queue that takes every packet, a fast bottleneck of a dumbbell, or
//! light traffic. The sentence names the key to change.
//!
//! Limits: meshes and several bottlenecks in a row, which have more than one queue, are left out.

use airtab_core::Unit;
use airtab_scenario::{Metric, QueueScores, Scores};
use airtab_sim::wifi::MediumConfig;
use airtab_sim::{AppKind, Scenario, Servers};

/// Share of a wired link's rate from which on the link is the bottleneck.
const FULL: f64 = 0.9;

/// Reason that no discipline can differ, with the key to change; None if one can, or for a single discipline.
pub(crate) fn reason(scenario: &Scenario, queues: &[QueueScores]) -> Option<String> {
    if queues.len() < 2 || scenario.medium.mesh().is_some() || scenario.wired.hops > 0 {
        return None;
    }
    let least_s = Metric::QueueDelay.relevance()?.absolute;
    let most = |metric: Metric| {
        let apps = queues.iter().flat_map(|q| q.apps.iter().take(scenario.apps.len()));
        apps.filter_map(|app| app.mean(metric)).fold(0.0, f64::max)
    };
    if most(Metric::QueueDropped) > 0.0 || most(Metric::QueueDelay) >= least_s {
        return None;
    }
    let link = full_link(scenario, queues);
    let p99_s = most(Metric::QueueDelayP99);
    if link.is_none() && p99_s >= least_s {
        return None;
    }
    let queue = match scenario.medium.wire() {
        Some(_) => "the router's queue",
        None => "the access point's queue",
    };
    // Behind a full link some packets may wait for the medium.
    let empty = if p99_s < least_s { "empty" } else { "almost always empty" };
    let why = link.unwrap_or_else(|| widen(scenario, most(Metric::BelowDelayP99) >= least_s));
    Some(format!(
        "No discipline can differ here: {queue} is {empty} (99 % of the packets wait at most {:.2} ms in it, under every \
         discipline, and none is dropped). {why}.",
        p99_s * 1e3
    ))
}

/// A wired link that is full under every discipline, and what to change.
fn full_link(scenario: &Scenario, queues: &[QueueScores]) -> Option<String> {
    let rate = |number: usize, app: &Scores, up: bool| {
        let metric = if up { Metric::UplinkIpThroughput } else { Metric::IpThroughput };
        let counts = up || !sends_up_only(&scenario.apps[number].kind);
        app.mean(metric).filter(|_| counts).unwrap_or(0.0)
    };
    let sum = |up: bool, which: &dyn Fn(usize) -> bool| {
        let of = |q: &QueueScores| {
            let apps = q.apps.iter().take(scenario.apps.len()).enumerate().filter(|(i, _)| which(*i));
            apps.map(|(number, app)| rate(number, app, up)).sum::<f64>()
        };
        queues.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    let carried = |which: &dyn Fn(usize) -> bool| sum(false, which).max(sum(true, which));
    let told = |name: String, rate_bps: u64, carried_bps: f64, table: &str| {
        (carried_bps >= FULL * rate_bps as f64).then(|| {
            let rate = Unit::Bps.format(rate_bps);
            let carried = Metric::IpThroughput.shown(carried_bps);
            let decimals = Metric::IpThroughput.decimals();
            format!("{name} of {rate} is the bottleneck: it carries {carried:.decimals$} Mb/s; raise `rate` in {table}")
        })
    };
    let trunk = told("The wired link".into(), scenario.wired.rate_bps, carried(&|_| true), "[wired]");
    let servers = scenario.servers.iter().enumerate().filter_map(|(number, server)| {
        let at = |app: usize| scenario.apps[app].servers == Servers::Shared(number);
        told(
            format!("The link of server '{}'", server.name),
            server.access.rate_bps,
            carried(&at),
            "its [[server]]",
        )
    });
    trunk.into_iter().chain(servers).next()
}

/// True for an application without packets down, whose throughput and losses are those of its packets up.
fn sends_up_only(kind: &AppKind) -> bool {
    match kind {
        AppKind::Udp(udp) => udp.upload,
        AppKind::Replay(trace) => trace.packets.count(false) == 0,
        _ => false,
    }
}

/// Change of a key that makes packets wait in the queue.
fn widen(scenario: &Scenario, waits_below: bool) -> String {
    let governed = |driver: &airtab_sim::wifi::DriverConfig| driver.governor.is_some();
    match &scenario.medium {
        MediumConfig::Wire(_) => "Lower `rate` in [bottleneck], or add a `download`".into(),
        MediumConfig::Dcf(cell) if waits_below && !governed(&cell.driver) => {
            "Packets wait in the driver below it: set `inflight = \"8ms\"` in [wifi.driver]".into()
        }
        _ => "Add a `download` that fills it (an [[app]]), or lower the rate of a [[station]]".into(),
    }
}

#[cfg(test)]
mod tests {
    use Metric::{BelowDelayP99, IpThroughput, QueueDelay, QueueDelayP99, QueueDropped, UplinkIpThroughput};
    use airtab_scenario::ScenarioFile;

    use super::*;
    use crate::made::{app, queue};

    const HOME: &str =
        "duration = \"9s\"\n[wired]\nrate = \"100Mb/s\"\n[wifi]\nphy = \"std-11ac\"\nedca = \"off\"\n";
    const APPS: &str = "[[server]]\nname = \"far\"\nrate = \"20Mb/s\"\n[[station]]\nname = \"s\"\n\
                        [[app]]\nname = \"a\"\nkind = \"download\"\nstation = \"s\"\n\
                        [[app]]\nname = \"b\"\nkind = \"download\"\nstation = \"s\"\nserver = \"far\"\n";

    /// Reason for two disciplines with these figures of the first application; the second application has `b` Mb/s.
    fn said(top: &str, figures: [&[(Metric, f64)]; 2], b: f64) -> Option<String> {
        said_of(&format!("{top}{APPS}"), figures, b)
    }

    /// [`said`] for a scenario with other applications.
    fn said_of(scenario: &str, figures: [&[(Metric, f64)]; 2], b: f64) -> Option<String> {
        let scenario = ScenarioFile::parse("x.toml", scenario).unwrap_or_else(|e| panic!("{e}")).scenario;
        let under = |(label, figures): (&str, &[(Metric, f64)])| {
            let own: Vec<_> = figures.iter().map(|(metric, x)| (*metric, [*x; 3])).collect();
            let other = app("b", "download", &[(IpThroughput, [b * 1e6; 3])]);
            queue(label, vec![app("a", "download", &own), other])
        };
        let queues: Vec<QueueScores> = ["fifo", "chap"].into_iter().zip(figures).map(under).collect();
        assert_eq!(reason(&scenario, &queues[..1]), None, "one discipline is no comparison");
        reason(&scenario, &queues)
    }

    fn of(rate: f64, mean_ms: f64, p99_ms: f64, dropped: f64) -> [(Metric, f64); 4] {
        [
            (IpThroughput, rate * 1e6),
            (QueueDelay, mean_ms * 1e-3),
            (QueueDelayP99, p99_ms * 1e-3),
            (QueueDropped, dropped),
        ]
    }

    #[test]
    fn an_empty_queue_is_told_with_the_key_to_change() {
        let empty = "No discipline can differ here: the access point's queue is empty (99 % of the packets wait at most ";
        let more = "under every discipline, and none is dropped).";
        let light = said(HOME, [&of(5.0, 0.1, 0.5, 0.0), &of(5.0, 0.2, 1.75, 0.0)], 1.0);
        let add = "Add a `download` that fills it (an [[app]]), or lower the rate of a [[station]].";
        assert_eq!(light, Some(format!("{empty}1.75 ms in it, {more} {add}")));
        // 90 of 100 Mb/s under both, the second's 2 with them, and a queue that waits for the medium now and then.
        let wire = said(HOME, [&of(88.0, 0.1, 0.5, 0.0), &of(94.0, 0.2, 4.0, 0.0)], 2.0);
        let raise =
            "The wired link of 100Mbit is the bottleneck: it carries 90.00 Mb/s; raise `rate` in [wired].";
        let some = empty.replace("is empty", "is almost always empty");
        assert_eq!(wire, Some(format!("{some}4.00 ms in it, {more} {raise}")));
        let up = [(UplinkIpThroughput, 95e6), (QueueDelayP99, 0.001)];
        assert!(
            said(HOME, [&up, &up], 1.0)
                .is_some_and(|said| said.ends_with("it carries 95.00 Mb/s; raise `rate` in [wired]."))
        );
        // Links are full-duplex: 50 Mb/s in each direction and 45 more down are 95, but 45 up of an application that only
        // sends up and 12 down do not fill 60.
        let both = [(IpThroughput, 50e6), (UplinkIpThroughput, 50e6), (QueueDelayP99, 0.001)];
        let full = "it carries 95.00 Mb/s; raise `rate` in [wired].";
        assert!(said(HOME, [&both, &both], 45.0).is_some_and(|said| said.ends_with(full)));
        let up = "kind = \"udp\"\nrate = \"45Mb/s\"\nupload = true";
        let only_up = APPS.replacen("kind = \"download\"", up, 1);
        let figures = [(IpThroughput, 45e6), (UplinkIpThroughput, 45e6), (QueueDelayP99, 0.001)];
        let apart =
            said_of(&format!("{}{only_up}", HOME.replace("100Mb/s", "60Mb/s")), [&figures, &figures], 12.0);
        assert!(apart.is_some_and(|said| said.ends_with(add)));
        let server = said(HOME, [&of(5.0, 0.1, 0.5, 0.0); 2], 19.0);
        let far = "The link of server 'far' of 20Mbit is the bottleneck: it carries 19.00 Mb/s; raise `rate` in its [[server]].";
        assert!(server.is_some_and(|said| said.ends_with(far)));
        let below = [(BelowDelayP99, 0.050), (QueueDelayP99, 0.0)];
        let driver = "Packets wait in the driver below it: set `inflight = \"8ms\"` in [wifi.driver].";
        assert!(said(HOME, [&below, &below], 1.0).is_some_and(|said| said.ends_with(driver)));
        let governed = format!("{HOME}driver = {{ inflight = \"8ms\" }}\n");
        assert!(said(&governed, [&below, &below], 1.0).is_some_and(|said| said.ends_with(add)));
    }

    #[test]
    fn a_queue_in_which_packets_wait_can_differ() {
        let light = of(5.0, 0.1, 0.5, 0.0);
        assert_eq!(said(HOME, [&light, &of(5.0, 0.5, 2.0, 0.0)], 1.0), None, "under one of both is enough");
        assert_eq!(said(HOME, [&light, &of(5.0, 0.1, 0.5, 0.01)], 1.0), None, "packets are dropped");
        // A full link before a queue that is not empty.
        assert_eq!(said(HOME, [&of(95.0, 2.0, 9.0, 0.0); 2], 1.0), None);
        // Full under one discipline alone: 84 and 95 with the second's.
        assert_eq!(said(HOME, [&of(83.0, 1.0, 4.0, 0.0), &of(94.0, 1.0, 4.0, 0.0)], 1.0), None);
    }
}
