// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What TCP senders did, by application and end: of the measured part alone, each connection once.

use crate::common;

use airtab_sim::tcp::{Algorithm, Config, Recovery, Stats};
use airtab_sim::traffic::web::{Client, Pages};
use airtab_sim::traffic::{Download, Game, P2p, Upload, Web};
use airtab_sim::wifi::{Category, End, Loss};
use airtab_sim::{
    App, AppKind, AppTrace, Content, Latency, Observer, Scenario, SenderTrace, Servers, Simulation, Users,
    run, watch,
};
use common::{MS, S, cell, queue, quick_home, station};

const CONGESTION: Algorithm = Algorithm::Cubic;

/// 60 s, of which 20 s to 50 s are measured; each application from 1.05 s to 58 s at a station that loses frames.
fn lossy(kinds: &[AppKind]) -> Scenario {
    let app = |(station, kind): (usize, &AppKind)| App {
        name: format!("{} {station}", kind.name()),
        kind: kind.clone(),
        station,
        active_ns: 1050 * MS..58 * S,
        class: 0,
        users: Users::ONE,
        measure_ns: None,
        servers: Servers::Own(Latency::both(20 * MS)),
        access: Category::default(),
        computer: 1,
        tunnel: false,
        arrivals: false,
        phase_ns: None,
        requirement: None,
        tcp: None,
    };
    let mut home = quick_home();
    (home.duration_ns, home.measure_ns) = (60 * S, 20 * S..50 * S);
    let names = (0..kinds.len()).map(|i| format!("station {i}"));
    home.stations = names.map(|name| station(&name, 54_000, 1.0)).collect();
    home.stations.iter_mut().for_each(|station| station.loss = Loss::Fer(0.25));
    home.apps = kinds.iter().enumerate().map(app).collect();
    cell(&mut home).attempts = 2;
    home
}

fn download() -> AppKind {
    Download::endless(CONGESTION).into()
}

fn only(kind: AppKind) -> AppTrace {
    run(&lossy(&[kind]), &queue("fifo", 20), 1).apps.remove(0)
}

/// What the servers of an application had done just before some times.
struct Before {
    times: Vec<u64>,
    seen: Vec<Vec<Stats>>,
}

impl Observer for Before {
    fn next_at(&self) -> u64 {
        self.times.get(self.seen.len()).map_or(u64::MAX, |at| at - 1)
    }

    fn look(&mut self, _: u64, simulation: &mut Simulation) {
        self.seen.push(simulation.senders(0).map(|s| s.map_or(Stats::default(), |s| s.stats())).collect());
    }
}

/// The counters of each server's own, read before the measured part and at its end.
#[test]
fn the_measured_part_counts_and_nothing_else() {
    let peers = P2p { flows: 3, congestion: CONGESTION, upload: false }.into();
    for kind in [download(), peers] {
        let scenario = lossy(&[kind]);
        let mut before = Before { times: vec![20 * S, 50 * S, 58 * S], seen: Vec::new() };
        let simulation = Simulation::new(&scenario, &queue("fifo", 20), 1);
        let trace = watch(simulation, scenario.duration_ns, &mut [&mut before]).apps.remove(0);
        let [first, last, all] = &before.seen[..] else { panic!("three looks") };
        let each = |of: fn(&Stats) -> u64| last.iter().zip(first).map(move |(b, a)| of(b) - of(a));
        let (retransmits, timeouts) = (each(|s| s.retransmits), each(|s| s.timeouts));
        let seen = SenderTrace {
            segments: each(|s| s.segments).sum(),
            most_retransmits: retransmits.clone().max().unwrap(),
            retransmits: retransmits.sum(),
            most_timeouts: timeouts.clone().max().unwrap(),
            timeouts: timeouts.sum(),
            acks: each(|s| s.acks).sum(),
            srtt_sum_ns: each(|s| s.srtt_sum_ns).sum(),
            most_window: trace.tcp[0].most_window, // looks see some of them
        };
        assert_eq!(trace.round_trips_ns.len(), each(|s| s.round_trips).sum::<u64>());
        assert!(seen.most_window > 0);
        assert_eq!(trace.tcp, [seen, SenderTrace::default()], "the station sends no data");
        assert!(seen.retransmits > 20 && seen.timeouts > 0, "{seen:?}");
        let whole = all.iter().map(|flow| flow.retransmits).sum::<u64>();
        assert!(whole > seen.retransmits + 20, "of {whole} some are before or after: {seen:?}");
        assert_eq!(seen.most_retransmits < seen.retransmits, first.len() > 1, "{seen:?}");
    }
}

/// Every packet of a sender is a segment of data, as the other end sends none. It repeats what was lost, and little else.
#[test]
fn each_end_has_its_own() {
    let upload = only(Upload::endless(CONGESTION).into());
    let both = only(P2p { flows: 2, congestion: CONGESTION, upload: true }.into());
    let [down, up] = upload.tcp;
    assert_eq!((down, up.segments), (SenderTrace::default(), upload.up.sent));
    let lost: u64 = upload.paths[1].lost.iter().sum();
    assert!((lost..=lost + lost / 4 + 5).contains(&up.retransmits), "{lost} lost: {up:?}");
    for (end, sent) in both.tcp.iter().zip([both.down.sent, both.up.sent]) {
        assert!(end.retransmits > 0 && end.most_retransmits < end.retransmits, "{end:?}");
        assert!(end.segments < sent, "acknowledgements are no data: {end:?}");
    }
    assert_ne!(both.tcp[0], both.tcp[1]);
    assert_eq!(only(Game.into()).tcp, [SenderTrace::default(); 2], "no TCP");
}

/// Timers of a millisecond send again what has arrived or is in the queue. The bytes that the station got are counted apart, by the
/// segments of all frames that it received, one by one.
#[test]
fn goodput_counts_each_payload_byte_once() {
    let mut duplicates = 0;
    for (recovery, min_rto_ns) in [(Recovery::Reno, MS), (Recovery::Sack, MS), (Recovery::NewReno, 200 * MS)]
    {
        let mut scenario = lossy(&[download()]);
        (scenario.duration_ns, scenario.measure_ns) = (20 * S, 0..20 * S);
        scenario.apps[0].active_ns = 0..20 * S;
        scenario.tcp = Config { recovery, prr: false, min_rto_ns, ..scenario.tcp };
        let mut simulation = Simulation::new(&scenario, &queue("fifo", 100), 1);
        simulation.watch_air(true);
        simulation.advance(scenario.duration_ns);
        let received =
            simulation.frames().filter(|frame| frame.down && matches!(frame.end, End::Acked | End::AckLost));
        let (mut seen, mut packets) = (Vec::new(), 0);
        for frame in received {
            let Content::Packet(packet) = frame.content else { continue };
            let Some(segment) = packet.segment.filter(|segment| segment.payload > 0) else { continue };
            packets += 1;
            let (start, end) = (segment.seq as usize, segment.seq as usize + segment.payload as usize);
            seen.resize(seen.len().max(end), false);
            seen[start..end].fill(true);
        }
        let app = simulation.finish().apps.remove(0);
        let distinct = seen.iter().filter(|known| **known).count() as u64;
        println!("{recovery:?}: {distinct} bytes, {} IP bytes, {packets} frames", app.down.bytes);
        assert_eq!(app.down.payload_bytes, distinct, "{recovery:?}");
        duplicates += (app.down.bytes - 40 * app.down.received).saturating_sub(distinct);
        assert_eq!(app.up.payload_bytes, 0, "acknowledgements have none");
    }
    assert!(duplicates > 20 * 1460, "{duplicates} bytes twice");
}

/// A run whose only application has its own TCP is the run of a scenario with that TCP.
#[test]
fn an_application_has_its_own_tcp() {
    let own = lossy(&[download()]);
    let run = |own: &Scenario| run(own, &queue("fifo", 20), 1).fingerprint;
    let usual = run(&own);
    for tcp in [
        Config::bsd44(),
        Config::ns2_35(),
        Config { recovery: Recovery::Reno, prr: false, ..own.tcp },
        Config { send_jitter_ns: Some(4 * MS), ..own.tcp },
    ] {
        let common = Scenario { tcp, ..own.clone() };
        let mut apart = own.clone();
        apart.apps[0].tcp = Some(Box::new(tcp));
        assert_eq!(run(&apart), run(&common), "{tcp:?}");
        assert_ne!(run(&apart), usual, "{tcp:?}");
    }
}

/// A connection every 700 ms: what is left of a server's packets are the answers to their first ones.
#[test]
fn every_connection_counts_once() {
    let anew = only(Download { reconnect_ns: Some(700 * MS), ..Download::endless(CONGESTION) }.into());
    let [down, up] = anew.tcp;
    // Each 700 ms from 1.05 s on: 43 in the measured part, some of which nobody hears.
    let answers = anew.down.sent - down.segments;
    assert!((38..=48).contains(&answers), "{answers} besides {down:?}");
    assert_eq!(up, SenderTrace::default());
    assert!(down.most_retransmits > 0 && down.most_retransmits < down.retransmits, "{down:?}");
}

/// A request for the text of a page and one for what it embeds, a segment each; some are lost.
#[test]
fn requests_are_the_stations_and_pages_the_servers() {
    let mut scenario = lossy(&[Web { pages: Pages::Drawn, client: Client::Loader }.into()]);
    scenario.stations[0].loss = Loss::Fer(0.4);
    (scenario.duration_ns, scenario.measure_ns) = (600 * S, 0..600 * S);
    scenario.apps[0].active_ns = 0..600 * S;
    let trace = run(&scenario, &queue("fifo", 20), 1).apps.remove(0);
    let [down, up] = trace.tcp;
    let asked = |n: u32| 1 + u64::from(Pages::Drawn.page(1, "web 0", n).objects > 0);
    let done: u64 = trace.pages.iter().map(|page| asked(page.number)).sum();
    let requests = up.segments - up.retransmits;
    assert!(trace.pages.len() > 5 && up.retransmits > 0, "{up:?}");
    assert!((done..=done + 2).contains(&requests), "{requests} for {done}");
    let bytes: u64 = trace.pages.iter().map(|page| page.bytes).sum();
    assert!(down.segments - down.retransmits >= bytes / 1460, "{down:?}");
}
