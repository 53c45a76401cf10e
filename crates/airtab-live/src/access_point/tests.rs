// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Nothing is kept of a packet that is gone, however it went: its place in the pool,
//! its buffer, its flow's count.

use std::net::IpAddr;

use airtab_core::disciplines;
use airtab_core::time::{MS, SECOND as S};
use airtab_core::{NO_STATION, Tx};
use airtab_scenario::ScenarioFile;
use airtab_sim::wifi::{Category, Mean, RateAlgorithm, Signal, Way};
use airtab_sim::world::{Place, Report};

use super::*;
use crate::deadline::deadline;
use crate::frames::{self, Ip};
use crate::house;
use crate::snapshot::{AppView, PathView};

const LAPTOP: u16 = 1;

const EMULATOR: &str = "medium = \"emulator\"";
const CELL: &str = "beacon_interval = \"off\"\nuplink_packets = 3";

fn ap(wifi: &str, queue: &str) -> AccessPoint {
    let text = format!(
        r#"name = "leaks"
duration = "1s"
[wifi]
{wifi}
[wired]
rate = "20Mb/s"
queue = 20
[[station]]
name = "console"
fer = 0
[[station]]
name = "laptop"
fer = 0
[[app]]
name = "game"
kind = "game"
station = "console"
"#
    );
    let house = House::new(ScenarioFile::parse("house.toml", &text).unwrap()).unwrap();
    AccessPoint::new(house, &queue.parse().unwrap(), 1).unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Server,
    Here,
    Station(u16),
}

fn addresses(end: End) -> [IpAddr; 2] {
    match end {
        End::Server => [house::server(0).into(), house::server6(0).into()],
        End::Here => [house::ACCESS_POINT.into(), house::ACCESS_POINT6.into()],
        End::Station(i) => [house::station(i).into(), house::station6(i).into()],
    }
}

fn port(end: End) -> Port {
    match end {
        End::Server => Port::Internet,
        End::Here => Port::AccessPoint,
        End::Station(i) => Port::Station(i),
    }
}

/// `n` packets of one end to another, of both families in turn and a few flows.
fn send(ap: &mut AccessPoint, from: End, to: End, octet: u8, n: usize) {
    let (a, b, now) = (addresses(from), addresses(to), ap.world.now());
    for i in 0..n {
        let ip = Ip::new(a[i % 2], b[i % 2]).octet(octet);
        ap.receive(port(from), &ip.udp(1000, 2000 + i as u16 % 5, &[0x5a; 1200]), now);
    }
}

/// Takes what has come out.
fn take(ap: &mut AccessPoint) -> usize {
    std::iter::from_fn(|| ap.transmit().map(|_| ())).count()
}

/// Lets all packets come to their end; nothing is kept of them then.
fn nothing_is_left(ap: &mut AccessPoint, what: &str) {
    ap.advance(ap.world.now() + 10 * S);
    take(ap);
    let places = ap.buffers.lock();
    let mut free = places.free.clone();
    free.sort_unstable();
    assert!(free.iter().copied().eq(0..places.all.len() as u32), "{what}: buffers {free:?}");
    drop(places);
    assert!(ap.world.pool().is_empty(), "{what}: {} packets in the pool", ap.world.pool().len());
    assert_eq!(ap.books().inside, 0, "{what}");
    assert!(ap.books().balanced(), "{what}: {:?}", ap.books());
    assert!(ap.stations.iter().all(|tally| tally.backlog == 0), "{what}");
    // Flows with a packet on its way are not forgotten.
    ap.flows.sweep(ap.world.now() + 2 * flows::IDLE_NS);
    assert_eq!(ap.flows.iter_mut().count(), 1, "{what}: flows");
}

/// A station by the signal shows the rate of what goes down, and how much of that is lost.
#[test]
fn a_rate_control_shows_itself() {
    let mut ap = ap("phy = \"std-11n\"\nerrors = \"snr\"", "fifo");
    let now = |ap: &mut AccessPoint| {
        let station = &ap.snapshot().stations[usize::from(LAPTOP)];
        (station.rate_kbps, station.frame_error_rate)
    };
    let (speed, _) = ap.station(LAPTOP.into());
    // A tenth of the MPDUs is lost at MCS 7.
    let loss = Loss::Signal(Signal::steady(Mean::Given(23.79)));
    ap.set_station(LAPTOP.into(), speed, loss);
    let (kbps, lost) = now(&mut ap);
    assert!(kbps == 65_000 && (lost - 0.1).abs() < 0.005, "{kbps} {lost}");
    // Of one with 1500 bytes of IP, whose headers are 26 + 4 + 8 bytes: each bit is lost with the same probability.
    let bits = |rate: f64| -(1.0 - rate).ln();
    let bare = loss.mpdu_error_rate(&speed.rate, 1000);
    assert!((bits(lost) / bits(bare) - 1.538).abs() < 1e-9, "{lost} {bare}");
    assert_eq!(how_heard(loss), "23.8 dB above the noise");
    assert_eq!(how_heard(Loss::Fer(0.25)), "25.00 % of frames lost");
    let ideal = Speed { control: RateAlgorithm::Ideal, ..speed };
    ap.set_station(LAPTOP.into(), ideal, Loss::Signal(Signal::steady(Mean::Given(30.0))));
    for _ in 0..20 {
        send(&mut ap, End::Server, End::Station(LAPTOP), 0, 20);
        ap.advance(ap.world.now() + 10 * MS);
    }
    assert_eq!(now(&mut ap).0, 65_000);
    ap.set_station(LAPTOP.into(), ideal, Loss::Signal(Signal::steady(Mean::Given(5.0))));
    send(&mut ap, End::Server, End::Station(LAPTOP), 0, 20);
    ap.advance(ap.world.now() + 10 * MS);
    let (kbps, lost) = now(&mut ap);
    assert!(kbps == 6_500 && lost < 0.1, "{kbps} {lost}");
    let changed: Vec<&str> = ap.changes().iter().map(|change| change.what.as_str()).collect();
    assert!(
        changed[1].ends_with("became ideal up to HT20 MCS 7, 65 Mb/s, 30.0 dB above the noise"),
        "{changed:?}"
    );
}

/// What the books say of the ends that packets came to.
fn fates(books: &Books) -> [u64; 5] {
    [books.given, books.dropped, books.lost, books.uplink_dropped, books.wired_dropped]
}

/// That of the house file where it says one, else their own; and a cell with categories shows itself as others do.
#[test]
fn packets_have_the_access_category_of_their_application() {
    let _in_time = deadline(300);
    let mut ap = ap("phy = \"std-11n\"", "fq_codel");
    let (be, vo) = (Category::BestEffort, Category::Voice);
    for (access, own, told) in [(be, 0, 0), (be, 46, 46), (vo, 0, 46), (vo, 8, 46)] {
        ap.house.file.scenario.apps[0].access = access;
        for (from, to) in [(End::Server, End::Station(0)), (End::Station(0), End::Server)] {
            send(&mut ap, from, to, own << 2, 50);
        }
        let pool = ap.world.pool();
        assert!(pool.handles().all(|packet| pool.dscp(packet) == told), "{access:?}, {own}");
        ap.advance(ap.world.now() + 10 * MS);
        let snapshot = ap.snapshot();
        assert_eq!((snapshot.stations[0].rate_kbps, snapshot.flows.is_empty()), (65_000, false));
        nothing_is_left(&mut ap, "of categories");
    }
    // What is of no application keeps its own.
    send(&mut ap, End::Here, End::Station(0), 8 << 2, 1);
    let pool = ap.world.pool();
    assert!(pool.handles().all(|packet| pool.dscp(packet) == 8));
}

#[test]
fn packets_that_arrive() {
    let _in_time = deadline(300);
    use End::{Here, Server, Station};
    let ways = [
        (Server, Station(0)),
        (Server, Here),
        (Here, Server),
        (Here, Station(1)),
        (Station(0), Server),
        (Station(0), Here),
        (Station(0), Station(1)),
    ];
    for wifi in [EMULATOR, CELL] {
        for (from, to) in ways {
            let mut ap = ap(wifi, "chap");
            let mut places = Vec::new();
            for round in 1..=50 {
                send(&mut ap, from, to, 0, 3);
                nothing_is_left(&mut ap, wifi);
                assert_eq!(fates(&ap.books()), [3 * round, 0, 0, 0, 0]);
                places.push(ap.room().places);
            }
            assert!(places[0] <= 3 && places.iter().all(|n| *n == places[0]), "used again: {places:?}");
        }
    }
}

#[test]
fn packets_that_a_queue_drops() {
    let _in_time = deadline(300);
    for discipline in disciplines() {
        let queue = &format!("{}:limit=5", discipline.name());
        for from in [End::Here, End::Server, End::Station(0)] {
            let mut ap = ap(EMULATOR, queue);
            ap.set_station(usize::from(LAPTOP), 6_000, Loss::None); // slower than the wires
            send(&mut ap, from, End::Station(LAPTOP), 0, 20);
            nothing_is_left(&mut ap, queue);
            let [given, dropped, ..] = fates(&ap.books());
            // What it works out of the link may be less.
            let least = if discipline.name() == "wqm" { 1 } else { 5 };
            assert!(given >= least && dropped > 5 && given + dropped == 20, "{queue}: {:?}", ap.books());
        }
    }
    // By CoDel, while they are taken out.
    let mut ap = ap(EMULATOR, "fq_codel:interval=10ms");
    send(&mut ap, End::Here, End::Station(LAPTOP), 0, 300);
    nothing_is_left(&mut ap, "CoDel");
    let aqm = ap.snapshot().qdisc.dropped["aqm"];
    assert!(aqm > 0 && aqm == ap.books().dropped && ap.books().given == 300 - aqm);
    // By a discipline that takes over and holds less.
    send(&mut ap, End::Here, End::Station(LAPTOP), 0, 40);
    ap.set_queue(&"fifo:limit=5".parse().unwrap()).unwrap();
    assert_eq!(ap.books().dropped, aqm + 34, "one is at the MAC, five wait");
    nothing_is_left(&mut ap, "taken over");
}

#[test]
fn packets_that_the_air_loses() {
    let _in_time = deadline(300);
    for (wifi, from, to) in [
        (EMULATOR, End::Here, End::Station(LAPTOP)),
        (CELL, End::Server, End::Station(LAPTOP)),
        (CELL, End::Station(LAPTOP), End::Server),
        (CELL, End::Station(LAPTOP), End::Station(0)),
        (CELL, End::Station(0), End::Station(LAPTOP)),
    ] {
        let mut ap = ap(wifi, "chap");
        ap.set_station(usize::from(LAPTOP), 54_000, Loss::Fer(1.0));
        send(&mut ap, from, to, 0, 3);
        nothing_is_left(&mut ap, wifi);
        assert_eq!(fates(&ap.books()), [0, 0, 3, 0, 0]);
    }
}

#[test]
fn packets_that_full_queues_refuse() {
    let _in_time = deadline(300);
    let mut up = ap(CELL, "chap");
    send(&mut up, End::Station(0), End::Server, 0, 10);
    nothing_is_left(&mut up, "uplink");
    assert_eq!(fates(&up.books()), [4, 0, 0, 6, 0], "one at the MAC, three wait");
    for (from, to) in [(End::Server, End::Here), (End::Here, End::Server)] {
        let mut wire = ap(CELL, "chap");
        send(&mut wire, from, to, 0, 30);
        nothing_is_left(&mut wire, "wires");
        assert_eq!(fates(&wire.books()), [21, 0, 0, 0, 9], "one is being sent, twenty wait");
    }
}

/// What packets of all applications met: arrived, mean times in s, losses, down and up.
fn paths(ap: &mut AccessPoint) -> [PathView; 2] {
    ap.snapshot();
    let mut apps = vec![AppView::default(); ap.house.file.scenario.apps.len()];
    ap.put_paths(&mut apps);
    let of_one = |paths: Vec<PathView>| {
        let met = paths.iter().copied().find(|path| path.arrived + path.lost() > 0);
        met.unwrap_or_default()
    };
    [of_one(apps.iter().map(|app| app.down).collect()), of_one(apps.iter().map(|app| app.up).collect())]
}

/// A station's own queue is not its air, and what comes behind the access point is neither.
#[test]
fn the_way_up_in_parts() {
    let _in_time = deadline(300);
    for to in [End::Server, End::Station(1)] {
        let mut ap = ap(CELL, "fifo");
        send(&mut ap, End::Station(0), to, 0, 4);
        ap.advance(ap.world.now() + S);
        let hops = ap.snapshot().hops;
        let (queue, air) = (hops.uplink_queue, hops.uplink_air);
        assert_eq!((queue.count, air.count), (4, 4));
        // The last one waits for three frames before it; each is as long as the others.
        assert!(queue.p99_s > 2.0 * air.p50_s && queue.p99_s < 6.0 * air.p99_s, "{hops:?}");
        assert!(air.p50_s > 1e-4 && air.p99_s < 0.002, "{hops:?}");
        assert_eq!(hops.uplink_wired.count, if to == End::Server { 4 } else { 0 });
    }
    let mut ap = ap(CELL, "fifo");
    send(&mut ap, End::Station(0), End::Server, 0, 4);
    ap.advance(ap.world.now() + S);
    let [down, up] = paths(&mut ap);
    assert_eq!((down, up.arrived, up.lost()), (PathView::default(), 4, 0));
    // The quickest did not wait.
    assert!(up.least_s.queue == 0.0 && up.mean_s.queue > up.mean_s.channel, "{up:?}");
}

/// What waits in the driver's ring waits neither in the queue nor on the air.
#[test]
fn a_ring_below_the_queue() {
    let _in_time = deadline(300);
    let seen = |driver: &str| {
        let mut ap = ap(&format!("{CELL}\n{driver}"), "fifo");
        ap.set_station(0, 6_000, Loss::Fer(0.0));
        send(&mut ap, End::Server, End::Station(0), 0, 10);
        ap.advance(ap.world.now() + S);
        let hops = ap.snapshot().hops;
        let mut apps = vec![AppView::default(); 1];
        ap.put_paths(&mut apps);
        (hops, apps[0].down)
    };
    let (none, above) = seen("");
    assert_eq!((none.ring.count, none.air.count, above.ring_s), (0, 10, 0.0));
    let (ring, below) = seen("[wifi.driver]\nring = 100");
    assert_eq!((ring.queue.count, ring.ring.count, ring.air.count), (10, 10, 10));
    assert!(none.queue.p50_s > 2.0 * none.air.p99_s && ring.queue.p99_s < 1e-5, "{none:?} {ring:?}");
    assert!(ring.ring.p50_s > 2.0 * ring.air.p99_s && ring.air.p50_s > 1e-4, "{ring:?}");
    assert!(below.arrived == 10 && below.ring_share() > 0.5 && below.ring_share() < 1.0, "{below:?}");
    // Each waits a frame longer than the one before it: the fifth of ten half a frame less than on the mean.
    let half = (below.ring_s - ring.ring.p50_s) / ring.air.p50_s;
    assert!((0.2..0.7).contains(&half), "{ring:?} {below:?}");
    // What is in the ring and on the air is all of the channel's.
    let channel = below.mean_s.channel - below.ring_s;
    assert!((channel / ring.air.p50_s - 1.0).abs() < 0.1, "{ring:?} {below:?}");
}

/// Below a ring the air is what passes from a frame's first attempt to its last one's end, with what others send between.
#[test]
fn the_air_below_a_ring_has_the_frames_of_others_in_it() {
    let _in_time = deadline(300);
    let mut ap = ap("beacon_interval = \"off\"\nuplink_packets = 50\n[wifi.driver]\nring = 100", "fifo");
    ap.set_station(usize::from(LAPTOP), 54_000, Loss::Fer(1.0));
    send(&mut ap, End::Station(0), End::Here, 0, 50);
    send(&mut ap, End::Server, End::Station(LAPTOP), 0, 1);
    ap.advance(ap.world.now() + S);
    let s = ap.snapshot();
    let totals = s.stations[usize::from(LAPTOP)].totals;
    assert_eq!((s.hops.air.count, totals.lost, totals.frames), (1, 1, 1));
    // Seven attempts of its own; at least three of the fifty frames of 200 us in between.
    let others = s.hops.air.p99_s - totals.down_air_ns as f64 * 1e-9;
    assert!(others > 0.000_6, "{others} {s:?}");
}

/// A station that has ended is shown with its own reason, and is told apart from others.
#[test]
fn who_has_ended_is_shown_with_the_reason() {
    let mut ap = ap(EMULATOR, "fifo");
    let shown =
        |ap: &mut AccessPoint| ap.snapshot().stations.into_iter().map(|s| s.ended).collect::<Vec<_>>();
    let reason = |why: &str| Some(why.to_string());
    assert_eq!((shown(&mut ap), ap.ended()), (vec![None, None], vec![]));
    ap.end_station(0, "it fell");
    assert_eq!(shown(&mut ap), [reason("it fell"), None]);
    assert_eq!(ap.ended(), [("console".to_string(), "it fell".to_string())]);
    ap.end_station(usize::from(LAPTOP), "its device is gone");
    assert_eq!(shown(&mut ap), [reason("it fell"), reason("its device is gone")]);
    let all = [("console", "it fell"), ("laptop", "its device is gone")];
    assert_eq!(ap.ended(), all.map(|(name, why)| (name.to_string(), why.to_string())));
    let told: Vec<_> = ap.changes().iter().map(|change| change.what.as_str()).collect();
    assert_eq!(told, ["station console ended: it fell", "station laptop ended: its device is gone"]);
}

/// Where an application's packets are lost, either way.
#[test]
fn losses_by_place() {
    let _in_time = deadline(300);
    let lost = |path: PathView| [path.lost.wires, path.lost.queue, path.lost.channel];
    let mut up = ap(CELL, "chap");
    send(&mut up, End::Station(0), End::Server, 0, 10);
    up.advance(S);
    assert_eq!(paths(&mut up).map(lost), [[0; 3], [0, 6, 0]]);
    for (from, to, expected) in [
        (End::Server, End::Station(LAPTOP), [[0, 0, 3], [0; 3]]),
        (End::Station(LAPTOP), End::Server, [[0; 3], [0, 0, 3]]),
    ] {
        let mut ap = ap(CELL, "chap");
        ap.set_station(usize::from(LAPTOP), 54_000, Loss::Fer(1.0));
        send(&mut ap, from, to, 0, 3);
        ap.advance(S);
        assert_eq!(paths(&mut ap).map(lost), expected);
    }
    let mut down = ap(EMULATOR, "fifo:limit=5");
    down.set_station(usize::from(LAPTOP), 6_000, Loss::None);
    send(&mut down, End::Server, End::Station(LAPTOP), 0, 20);
    down.advance(10 * S);
    let [wires, queue, channel] = lost(paths(&mut down)[0]);
    assert!(queue > 5 && (wires, channel) == (0, 0), "{wires} {queue} {channel}");
    // On wires: one is being sent, twenty wait. Upwards frames come faster than the wires take them.
    let mut down = ap(CELL, "chap");
    send(&mut down, End::Server, End::Station(LAPTOP), 0, 30);
    down.advance(S);
    assert_eq!(paths(&mut down).map(lost), [[9, 0, 0], [0; 3]]);
    let mut up = ap("beacon_interval = \"off\"\nuplink_packets = 100", "chap");
    send(&mut up, End::Station(0), End::Server, 0, 90);
    up.advance(S);
    let refused = up.books().wired_dropped;
    assert!(refused > 5, "{:?}", up.books());
    assert_eq!(paths(&mut up).map(lost), [[0; 3], [refused, 0, 0]]);
}

#[test]
fn packets_that_nobody_takes() {
    let _in_time = deadline(300);
    let mut ap = ap(CELL, "chap");
    send(&mut ap, End::Server, End::Station(77), 0, 4);
    send(&mut ap, End::Station(0), End::Station(77), 0, 4);
    send(&mut ap, End::Here, End::Here, 0, 4);
    send(&mut ap, End::Server, End::Server, 0, 4);
    for bytes in [&[0x45; 20][..], &[0; 100], &[0x60; 1501], &[]] {
        ap.receive(Port::Station(0), bytes, 0);
    }
    let group = Ip::new(addresses(End::Here)[0], [224, 0, 0, 1].into()).around(frames::UDP, &[0; 8]);
    ap.receive(Port::AccessPoint, &group, 0);
    nothing_is_left(&mut ap, "refused");
    assert_eq!((fates(&ap.books()), ap.books().taken), ([0; 5], 21));
    assert_eq!((ap.refused, ap.room().places), ([3, 1, 16, 1], 0));
}

/// Addresses past the last server and the last station are nobody's.
#[test]
fn the_first_address_past_the_end_is_nobodys() {
    let mut ap = ap(CELL, "fifo");
    let (one, two) = (IpAddr::V4(house::server(1)), IpAddr::V6(house::station6(2)));
    let four = Ip::new(addresses(End::Station(0))[0], one).udp(1, 2, &[0; 9]);
    let six = Ip::new(addresses(End::Station(0))[1], two).udp(1, 2, &[0; 9]);
    ap.receive(Port::Station(0), &four, 0);
    ap.receive(Port::Station(0), &six, 0);
    let back = Ip::new(one, addresses(End::Station(0))[0]).udp(1, 2, &[0; 9]);
    ap.receive(Port::Internet, &back, 0);
    assert_eq!((ap.refused, ap.books().inside), ([0, 0, 3, 0], 0));
}

/// A station ends: what is under way goes its way, what comes later is refused.
#[test]
fn packets_of_a_station_that_ends() {
    let _in_time = deadline(300);
    for wifi in [EMULATOR, CELL] {
        let mut ap = ap(wifi, "chap");
        send(&mut ap, End::Here, End::Station(LAPTOP), 0, 10);
        send(&mut ap, End::Station(LAPTOP), End::Server, 0, 3);
        send(&mut ap, End::Station(0), End::Station(LAPTOP), 0, 3);
        ap.end_station(usize::from(LAPTOP), "its device is gone");
        send(&mut ap, End::Here, End::Station(LAPTOP), 0, 5);
        send(&mut ap, End::Here, End::Station(0), 0, 2);
        nothing_is_left(&mut ap, wifi);
        assert_eq!((fates(&ap.books()), ap.refused), ([18, 0, 0, 0, 0], [0, 0, 5, 0]));
    }
}

/// The discipline is told of each station's link: at the start, at changes, every
/// 100 ms, and a new one at once; who left is told once.
#[test]
fn links_of_stations() {
    for wifi in [EMULATOR, CELL] {
        let mut ap = ap(wifi, "links");
        ap.advance(150 * MS);
        ap.set_station(usize::from(LAPTOP), 6_000, Loss::None);
        ap.end_station(0, "its device is gone");
        ap.advance(201 * MS);
        // When (ms), station, whether it is there, rate (Mb/s).
        let told = |ap: &AccessPoint| -> Vec<[u64; 4]> {
            let rows = ap.world.medium(0).queue().rows(ap.world.pool(), ap.world.now());
            rows.iter().map(|row| [row[0] / MS, row[1], row[2], row[5] / 1000]).collect()
        };
        let both = |at| [[at, 0, 1, 54], [at, 1, 1, 54]];
        let [first, second] = [both(0), both(100)];
        let changes = [[150, 1, 1, 6], [150, 0, 0, 0], [200, 1, 1, 6]];
        assert_eq!(told(&ap), [&first[..], &second, &changes].concat(), "{wifi}");
        ap.set_queue(&"links".parse().unwrap()).unwrap();
        assert_eq!(told(&ap), [[201, 1, 1, 6]], "{wifi}");
    }
}

/// What disciplines see of a packet's headers, also when it crosses the air twice.
#[test]
fn what_a_classifier_sees() {
    let mut ap = ap(EMULATOR, "told");
    send(&mut ap, End::Server, End::Station(LAPTOP), 46 << 2, 2);
    send(&mut ap, End::Station(0), End::Station(LAPTOP), 8 << 2 | 1, 1);
    ap.advance(S);
    let rows = ap.world.medium(0).queue().rows(ap.world.pool(), ap.world.now());
    let mut told: Vec<&[u64]> = rows.iter().map(|row| &row[7..]).collect();
    told.sort_unstable();
    assert_eq!(told, [[1, 17, 8, 1000, 2000], [1, 17, 46, 1000, 2000], [1, 17, 46, 1000, 2001]]);
}

/// A minute of silence, and a snapshot: whoever sent before is forgotten, others are not.
#[test]
fn flows_that_are_idle() {
    let _in_time = deadline(300);
    let mut ap = ap(EMULATOR, "fifo");
    let known = |ap: &mut AccessPoint| ap.flows.iter_mut().count() - 1;
    send(&mut ap, End::Here, End::Station(LAPTOP), 0, 4);
    ap.advance(30 * S);
    send(&mut ap, End::Here, End::Station(0), 0, 2);
    for (at, left) in [(59, 6), (60, 6), (61, 2), (90, 2), (91, 0)] {
        ap.advance(at * S);
        ap.snapshot();
        assert_eq!(known(&mut ap), left, "after {at} s");
    }
}

/// A wire's discipline is not the access point's, and its bits are not on the air.
#[test]
fn what_queues_on_wires_is_not_counted_here() {
    let mut ap = ap(EMULATOR, "fifo");
    send(&mut ap, End::Server, End::Station(LAPTOP), 0, 1);
    let packet = ap.world.pool().handles().next().expect("it is on the wire");
    assert_eq!(ap.world.pool().body(packet).peer, NO_STATION);
    let tag = ap.world.pool().body(packet).body.flow | u32::from(LAPTOP) << 16;
    let at = Place::Wire(0);
    let tx = Tx { air: MS, span: MS, attempts: 1, acked: true };
    for report in [
        Report::Queued { at, packet },
        Report::Dequeued { at, packet },
        Report::Sent { at, tag, tx, way: Way::default() },
    ] {
        ap.see(report);
    }
    let flow = ap.world.pool().body(packet).body.flow;
    assert_eq!((ap.flows.tally(flow).totals.up_air_ns, ap.flows.tally(flow).backlog), (0, 0));
    assert_eq!(ap.stations[usize::from(LAPTOP)].totals.up_air_ns, 0);
    nothing_is_left(&mut ap, "a wire's");
    let hops = ap.snapshot().hops;
    assert_eq!((hops.queue.count, hops.wired.count, ap.books().given), (1, 1, 1));
}

/// All at once, with losses, changes and marks, again and again.
#[test]
fn packets_of_every_fate() {
    let _in_time = deadline(300);
    let all: Vec<_> = disciplines().collect();
    for wifi in [EMULATOR, CELL] {
        let mut ap = ap(wifi, "chap:limit=20:target=1ms");
        let mut places = 0;
        for round in 0..30 {
            ap.set_station(usize::from(LAPTOP), 6_000, Loss::Fer(0.6));
            for (from, to) in [(End::Server, End::Station(0)), (End::Here, End::Station(LAPTOP))] {
                send(&mut ap, from, to, 2, 15);
                send(&mut ap, to, from, 2, 15);
            }
            send(&mut ap, End::Station(0), End::Station(LAPTOP), 1, 15);
            ap.advance(ap.world.now() + 7_000_000);
            let queue = format!("{}:limit={}", all[round % all.len()].name(), 6 + round % 5);
            ap.set_queue(&queue.parse().unwrap()).unwrap();
            nothing_is_left(&mut ap, wifi);
            places = if round == 5 { ap.room().places } else { places };
        }
        assert!(ap.room().places <= places.max(75), "they are used again");
        assert!(fates(&ap.books())[..3].iter().all(|n| *n > 0), "{:?}", ap.books());
    }
}
