// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Applications with many users.

use crate::common;

use std::collections::HashSet;

use airtab_sim::tcp::Algorithm;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::web::{Client, Pages, Site};
use airtab_sim::traffic::{Download, P2p, Ping, Udp, Web};
use airtab_sim::wifi::Loss;
use airtab_sim::{App, AppKind, AppTrace, Scenario, Simulation, Station, Trace, Users, run};
use common::{S, queue, quick_home};

/// The quick home's first application, with these users, alone.
fn alone(kind: impl Into<AppKind>, users: Users) -> Scenario {
    let mut home = quick_home();
    home.apps.truncate(1);
    home.measure_ns = 0..home.duration_ns;
    home.apps[0].kind = kind.into();
    home.apps[0].users = users;
    home
}

fn web() -> Web {
    Web { pages: Pages::Drawn, client: Client::Loader }
}

/// Numbers and bytes of the pages of user `user`, in the order of their numbers.
fn pages(trace: &Trace, user: u32, users: u32) -> Vec<(u32, u64)> {
    let own = trace.apps[0].pages.iter().filter(|page| page.number % users == user);
    let mut own: Vec<_> = own.map(|page| (page.number / users, page.bytes)).collect();
    own.sort_unstable();
    own
}

/// Page by page as far as both came: they share the channel, so that one has more time than the other.
fn agree(a: &[(u32, u64)], b: &[(u32, u64)]) -> bool {
    let both = a.len().min(b.len());
    both > 3 && a[..both] == b[..both]
}

#[test]
fn another_user_changes_no_draw_of_the_others() {
    let traces = [1, 2, 3].map(|count| run(&alone(web(), Users::at_one(count, S)), &queue("fifo", 350), 1));
    assert!(agree(&pages(&traces[0], 0, 1), &pages(&traces[1], 0, 2)));
    assert!(agree(&pages(&traces[1], 0, 2), &pages(&traces[2], 0, 3)));
    assert!(agree(&pages(&traces[1], 1, 2), &pages(&traces[2], 1, 3)));
    assert!(!agree(&pages(&traces[2], 1, 3), &pages(&traces[2], 0, 3)), "everybody has pages of his own");
    assert!(!agree(&pages(&traces[2], 1, 3), &pages(&traces[2], 2, 3)));
}

/// Users begin at a time of their own in the time that they have; all at the start without one.
#[test]
fn users_begin_within_their_time() {
    let opened = |within_ns| {
        let trace = run(&alone(site(), Users::at_one(40, within_ns)), &queue("fifo", 350), 1);
        let first = trace.apps[0].pages.iter().filter(|page| page.number < 40);
        first.map(|page| page.opened_ns).collect::<Vec<u64>>()
    };
    let start = 3 * S;
    assert!(opened(0).iter().all(|at| *at == start));
    let spread = opened(10 * S);
    assert!(spread.iter().all(|at| (start..start + 10 * S).contains(at)) && spread.len() > 20);
    assert_eq!(spread.iter().collect::<HashSet<_>>().len(), spread.len(), "no two together");
    let late = spread.iter().filter(|at| **at > start + 5 * S).count();
    assert!((spread.len() / 4..spread.len() * 3 / 4).contains(&late), "{late} of {}", spread.len());
}

/// A small page, again and again.
fn site() -> Web {
    Web { pages: Pages::Site { site: Site::ALL[0], reading_ns: 3 * S }, client: Client::Loader }
}

/// Each of them has connections of his own, which open and close, and is a flow of his own to the
/// access point.
#[test]
fn users_have_connections_of_their_own() {
    let peers = P2p { flows: 2, congestion: Algorithm::Cubic, upload: false };
    let peers = alone(peers, Users::at_one(3, 0));
    let mut simulation = Simulation::new(&peers, &queue("fifo", 35), 1);
    simulation.advance(4 * S);
    let flows: HashSet<u32> = simulation.flows(0).collect();
    assert_eq!((flows.len(), simulation.senders(0).flatten().count()), (6, 6));
    assert!(simulation.senders(0).flatten().all(|sender| sender.acked() > 0));

    let browsers = alone(site(), Users::at_one(5, 0));
    let mut simulation = Simulation::new(&browsers, &queue("fifo", 350), 1);
    simulation.advance(4 * S);
    let before: HashSet<u32> = simulation.flows(0).collect();
    simulation.advance(20 * S);
    let after: HashSet<u32> = simulation.flows(0).collect();
    assert!(before.len() == 5 && after.len() == 5 && before.is_disjoint(&after), "pages anew");
    simulation.advance(browsers.duration_ns);
    assert_eq!(simulation.senders(0).flatten().count(), 0, "all closed at its end");
}

/// Users at three stations in turn: station by station what an application for each station does.
#[test]
fn users_are_at_several_stations() {
    let udp = Udp { rate: Rate::Max, bytes: 1500, gaps: Gaps::Constant, upload: true };
    let mut together = alone(udp, Users { count: 4, within_ns: 0, stations: 3 });
    let at_a_distance = |i: u32| Station {
        name: format!("s{i}"),
        loss: Loss::at(f64::from(4 * i)),
        ..together.stations[0].clone()
    };
    together.stations = (1..5).map(at_a_distance).collect();
    together.apps[0].station = 1;
    let mut apart = together.clone();
    let at =
        |(i, station)| App { name: format!("{i}"), station, users: Users::ONE, ..together.apps[0].clone() };
    apart.apps = [1, 2, 3, 1].into_iter().enumerate().map(at).collect();
    let [all, apart] = [&together, &apart].map(|scenario| run(scenario, &queue("fifo", 350), 1));
    let sum = |f: fn(&AppTrace) -> u64| apart.apps.iter().map(f).sum::<u64>();
    assert!(all.apps[0].up.received > 1000);
    assert_eq!(all.apps[0].up.received, sum(|app| app.up.received));
    assert_eq!(all.exchanges, apart.exchanges);

    let mut refused = |count, stations| {
        together.apps[0].users = Users { count, within_ns: 0, stations };
        together.check().unwrap_err()
    };
    assert_eq!(refused(4, 4), "application game: no station number 4");
    assert_eq!(refused(2, 3), "application game: stations: 3: 1 to as many as it has users, which are 2");
    assert_eq!(refused(2, 0), "application game: stations: 0: 1 to as many as it has users, which are 2");
}

/// An application's users have one meter: it counts what as many applications with a meter each would.
#[test]
fn users_are_measured_together() {
    let download = Download::endless(Algorithm::Cubic);
    let together = run(&alone(download, Users::at_one(3, 0)), &queue("fifo", 350), 1);
    let mut apart = alone(download, Users::ONE);
    let names = ["game", "game/user/1", "game/user/2"];
    apart.apps = names.map(|name| airtab_sim::App { name: name.into(), ..apart.apps[0].clone() }).to_vec();
    let apart = run(&apart, &queue("fifo", 350), 1);
    let sum = |f: fn(&airtab_sim::AppTrace) -> u64| apart.apps.iter().map(f).sum::<u64>();
    let [all] = &together.apps[..] else { panic!("one entry, one meter") };
    assert_eq!(all.down.bytes, sum(|app| app.down.bytes));
    assert_eq!(all.up.received, sum(|app| app.up.received));
    assert_eq!(all.queue.dropped, sum(|app| app.queue.dropped));
    assert_eq!(all.air_ns, sum(|app| app.air_ns));
    assert_eq!(all.seconds[10].received_bytes, sum(|app| app.seconds[10].received_bytes));
    assert!(all.queue.dropped > 0 && all.down.bytes > 10_000_000);
}

/// As many flows as a scenario may have.
#[test]
fn every_number_of_a_flow_is_one() {
    let mut crowd = alone(Ping { interval_ns: S, bytes: 84 }, Users::ONE);
    let one = crowd.apps[0].clone();
    let counts = [10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 5_535];
    let of_count = |count: u32| Users::at_one(count, 0);
    crowd.apps = (0..)
        .zip(counts)
        .map(|(i, count)| App { name: format!("{i}"), users: of_count(count), ..one.clone() })
        .collect();
    assert_eq!(crowd.apps.iter().map(App::flows).sum::<usize>(), 65_535);
    let mut simulation = Simulation::new(&crowd, &queue("fifo", 35), 1);
    simulation.advance(crowd.apps[0].active_ns.start + S / 1000);
    assert!(simulation.packets().made > 30);
    crowd.apps[6].users.count += 1;
    assert!(crowd.check().is_err());
}
