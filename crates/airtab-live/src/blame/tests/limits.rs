// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Each limit of `docs/live-view.md`, with the numbers that are written there:
//! what is said just below it, at it, and just above.

use super::*;

/// Something happens, without delay: a fifth of the air in use.
fn some() -> Snapshot {
    let air = AirView { down_ratio: 0.2, idle_ratio: 0.8, ..AirView::default() };
    Snapshot { air, ..Snapshot::default() }
}

/// The parts of a snapshot that the same rule looks at.
type Part<T> = fn(&mut Snapshot) -> &mut T;

const HOPS: [(Part<Quantiles>, &str); 8] = [
    (|s| &mut s.hops.server, "the servers"),
    (|s| &mut s.hops.wired, "the wired line"),
    (|s| &mut s.hops.queue, "the Wi-Fi queue"),
    (|s| &mut s.hops.ring, "the driver's ring below the queue"),
    (|s| &mut s.hops.air, "the air"),
    (|s| &mut s.hops.uplink_queue, "a station's own queue"),
    (|s| &mut s.hops.uplink_air, "the air from the stations"),
    (|s| &mut s.hops.uplink_wired, "the wired line to the servers"),
];

const NOT_WIFI: [&str; 3] = ["the servers", "the wired line", "the wired line to the servers"];

const USES: [Part<f64>; 4] = [
    |s| &mut s.air.down_ratio,
    |s| &mut s.air.up_ratio,
    |s| &mut s.air.collision_ratio,
    |s| &mut s.air.beacon_ratio,
];

fn text(s: &Snapshot) -> String {
    said(s).1
}

/// 20 ms in all, whatever hop they are in.
#[test]
fn a_delay_worth_a_name() {
    for (hop, name) in HOPS {
        let at = |p50_s| {
            let mut s = some();
            *hop(&mut s) = delay(p50_s, p50_s);
            said(&s)
        };
        assert_eq!(at(0.01999), (false, "All quick: packets take 20 ms".into()));
        for p50_s in [0.02, 0.02001] {
            let (trouble, text) = at(p50_s);
            assert_eq!(trouble, !NOT_WIFI.contains(&name));
            assert!(text.to_lowercase().contains(&format!("{} t", name.to_lowercase())), "{text}");
        }
        // Also where the air is hardly used, and as the sum of two hops.
        let mut s = idle();
        *hop(&mut s) = delay(0.010, 0.010);
        let other = if name == "the air" { HOPS[1].0 } else { HOPS[4].0 };
        *other(&mut s) = delay(0.00999, 0.01);
        is(&s, false, "Idle: the air is 100 % free");
        *other(&mut s) = delay(0.010, 0.01);
        assert!(text(&s).contains("share the delay: 10 ms and 10 ms of 20 ms"), "{}", text(&s));
    }
    // Nobody minds a delay that is not worth a name.
    let mut s = some();
    s.apps = vec![app("game", "game_mos", 4.2, "4.20 MOS")];
    s.hops.air = delay(0.01999, 0.02);
    is(&s, false, "All quick: packets take 20 ms");
    s.hops.air = delay(0.02, 0.02);
    is(&s, false, "The air takes 20 ms of 20 ms (1 packet in 100: over 20 ms); game does not feel it");
}

/// 100 ms for one packet in a hundred, at one hop.
#[test]
fn a_tail_worth_a_name() {
    for (hop, name) in HOPS {
        for (mut s, quiet) in
            [(some(), "All quick: packets take 1.0 ms"), (idle(), "Idle: the air is 100 % free")]
        {
            *hop(&mut s) = delay(0.001, 0.0999);
            is(&s, false, quiet);
            for p99_s in [0.1, 0.1001] {
                *hop(&mut s) = delay(0.001, p99_s);
                let unit = if name == "the servers" { "answer" } else { "packet" };
                is(
                    &s,
                    true,
                    &format!("Quick for most (1.0 ms), but 1 {unit} in 100 takes over 100 ms in {name}"),
                );
            }
        }
    }
    // The longest tail is told.
    let mut s = some();
    (s.hops.wired, s.hops.air, s.hops.queue) = (delay(0.003, 0.2), delay(0.001, 0.3), delay(0.002, 0.25));
    is(&s, true, "Quick for most (6.0 ms), but 1 packet in 100 takes over 300 ms in the air");
}

/// 60 % for one hop, 80 % for two together. Of 1 s, so that the shares are exact.
#[test]
fn who_holds_the_delay() {
    let of = |server, wired, queue, air| {
        let mut s = some();
        (s.hops.server, s.hops.wired) = (delay(server, server), delay(wired, wired));
        (s.hops.queue, s.hops.air) = (delay(queue, queue), delay(air, air));
        said(&s)
    };
    let alone = "The Wi-Fi queue takes 600 ms of 1.0 s (1 packet in 100: over 600 ms)";
    assert_eq!(of(0.0, 0.0, 0.6, 0.4), (true, alone.into()));
    let both = "The Wi-Fi queue and the air share the delay: 599 ms and 401 ms of 1.0 s";
    assert_eq!(of(0.0, 0.0, 0.599, 0.401), (true, both.into()));
    let both = "The air and the servers share the delay: 500 ms and 300 ms of 1.0 s";
    assert_eq!(of(0.3, 0.2, 0.0, 0.5), (true, both.into()));
    let both = "The servers and the wired line share the delay: 500 ms and 301 ms of 1.0 s";
    assert_eq!(of(0.5, 0.301, 0.199, 0.0), (false, both.into()));
    let many = "No single place holds the delay of 1.0 s: the servers 500 ms, the wired line 299 ms, \
                the Wi-Fi queue 201 ms";
    assert_eq!(of(0.5, 0.299, 0.201, 0.0), (true, many.into()));
}

/// Two share it: trouble if one of them is the Wi-Fi, and its air says why it is slow.
#[test]
fn two_hops_of_which_one_is_the_air() {
    for (hop, name) in HOPS {
        let mut s = some();
        s.hops.wired = delay(0.050, 0.05);
        s.stations = vec![station("tablet", 0.2, 2.0)];
        let words = if name == "the wired line" {
            s.hops.server = delay(0.049, 0.05);
            "The wired line and the servers share the delay: 50 ms and 49 ms of 99 ms".into()
        } else {
            *hop(&mut s) = delay(0.051, 0.06);
            let name = capital(name);
            let why = if name == "The air" { ", tablet needs 2.0 attempts for a frame" } else { "" };
            format!("{name} and the wired line share the delay: 51 ms and 50 ms of 101 ms{why}")
        };
        is(&s, !NOT_WIFI.contains(&name), &words);
        if name == "the air" {
            s.hops.wired = delay(0.052, 0.06); // second, it is the air still
            assert!(text(&s).ends_with("of 103 ms, tablet needs 2.0 attempts for a frame"), "{}", text(&s));
        }
    }
}

/// 5 % of the air make a difference from none, 30 % are worth saying whose.
#[test]
fn how_much_air_is_in_use() {
    for part in USES {
        let at = |used| {
            let mut s = Snapshot::default();
            *part(&mut s) = used;
            text(&s)
        };
        assert_eq!(at(0.0499), "Idle: the air is 95 % free");
        assert_eq!(at(0.05), "All quick: packets take 0 ms");
        assert_eq!(at(0.2999), "All quick: packets take 0 ms");
        assert_eq!(at(0.30), "All quick: packets take 0 ms; 30 % of the air is in use");
    }
    // All uses together.
    let mut s = Snapshot::default();
    (s.air.down_ratio, s.air.up_ratio, s.air.collision_ratio, s.air.beacon_ratio) = (0.25, 0.125, 0.1, 0.025);
    s.air.idle_ratio = 0.5;
    is(&s, false, "All quick: packets take 0 ms; 50 % of the air is in use");
}

/// A third of what is in use names a user: here all of the air is.
#[test]
fn whose_air_it_is() {
    let of = |a: (f64, f64), b: (f64, f64)| {
        let mut s = Snapshot::default();
        s.air.up_ratio = 1.0;
        s.flows = vec![flow(Some("film"), a.0, 0, 0.0), flow(Some("update"), b.0, 0, 0.0)];
        s.flows[0].rates.up_air_ratio = a.1;
        s.flows[1].rates.up_air_ratio = b.1;
        text(&s).split_once("; ").unwrap().1.to_string()
    };
    assert_eq!(of((0.33, 0.0), (0.33, 0.0)), "of the air, film (laptop) 33 % and update (laptop) 33 %");
    assert_eq!(of((0.5, 0.0), (0.0, 0.33)), "of the air, film (laptop) 50 % and update (laptop) 33 %");
    assert_eq!(of((0.0, 0.3299), (0.25, 0.25)), "update (laptop) uses 50 % of the air");
    assert_eq!(of((0.25, 0.08), (0.3299, 0.0)), "film (laptop) uses 33 % of the air");
    let many = "100 % of the air is in use, by many: update (laptop) has most, 33 %";
    assert_eq!(of((0.32, 0.0), (0.3299, 0.0)), many);
    // Of half of it, half as much is enough.
    let mut s = Snapshot::default();
    s.air.down_ratio = 0.5;
    s.flows = vec![flow(Some("film"), 0.165, 0, 0.0)];
    assert!(text(&s).ends_with("; film (laptop) uses 16 % of the air"), "{}", text(&s));
    s.flows[0].rates.down_air_ratio = 0.1649;
    assert!(text(&s).ends_with("by many: film (laptop) has most, 16 %"), "{}", text(&s));
}

/// Half of the queued packets: two flows of an application count together.
#[test]
fn whose_queue_it_is() {
    let of = |packets, backlogs: [u32; 3]| {
        let mut s = some();
        s.hops.queue = delay(0.1, 0.1);
        s.qdisc.packets = packets;
        let [a, b, c] = backlogs;
        s.flows = vec![
            flow(Some("update"), 0.0, a, 0.4),
            flow(Some("update"), 0.0, b, 0.3),
            flow(Some("game"), 0.0, c, 0.4),
        ];
        text(&s).split_once("100 ms)").unwrap().1.to_string()
    };
    let update = ", most of its packets are those of update (laptop)";
    assert_eq!(of(100, [50, 0, 1]), update);
    assert_eq!(of(100, [49, 1, 1]), update);
    assert_eq!(of(100, [49, 0, 1]), "");
    assert_eq!(of(100, [30, 30, 40]), update, "the game has most of any flow, not of any application");
    assert_eq!(of(100, [10, 20, 70]), ", most of its packets are those of game (laptop)");
    assert_eq!(of(0, [0, 0, 0]), "", "nobody owns an empty queue");
}

/// Others wait less than a quarter as long: the wait is the owner's own.
#[test]
fn whose_wait_it_is() {
    let of = |owner, others: &[f64]| {
        let mut s = some();
        s.hops.queue = delay(0.1, 0.1);
        s.qdisc.packets = 10;
        s.flows = vec![flow(Some("update"), 0.0, 10, owner)];
        for (i, &wait) in others.iter().enumerate() {
            s.flows.push(flow(Some(&format!("app {i}")), 0.0, 0, wait));
        }
        let (trouble, text) = said(&s);
        (trouble, text.split_once("100 ms)").unwrap().1.to_string())
    };
    let all = (true, ", most of its packets are those of update (laptop)".to_string());
    let own = |wait| (false, format!(", but only from update (laptop); others wait {wait} at most"));
    assert_eq!(of(0.4, &[0.0999]), own("100 ms"));
    assert_eq!(of(0.4, &[0.1]), all);
    assert_eq!(of(0.4, &[0.001, 0.05, 0.02]), own("50 ms"));
    assert_eq!(of(0.4, &[0.001, 0.1, 0.02]), all);
    assert_eq!(of(0.4, &[]), all, "alone, nobody is spared");
    assert_eq!(of(0.4, &[0.0]), all, "whoever sent nothing is nobody who is spared");
    // The longest wait of several flows counts, in any order of the flows.
    let several = |owner: [f64; 2], other: [f64; 2]| {
        let mut s = some();
        s.hops.queue = delay(0.1, 0.1);
        s.qdisc.packets = 10;
        s.flows = owner.map(|wait| flow(Some("update"), 0.0, 5, wait)).to_vec();
        s.flows.extend(other.map(|wait| flow(Some("game"), 0.0, 0, wait)));
        let (trouble, text) = said(&s);
        (trouble, text.split_once("100 ms)").unwrap().1.to_string())
    };
    for owner in [[0.4, 0.1], [0.1, 0.4]] {
        for other in [[0.09, 0.01], [0.01, 0.09]] {
            assert_eq!(several(owner, other), own("90 ms"), "{owner:?} {other:?}");
        }
        assert_eq!(several(owner, [0.2, 0.01]), all, "{owner:?}");
    }
}

fn station(name: &str, air: f64, attempts_mean: f64) -> StationView {
    let rates = Rates { down_air_ratio: air, attempts_mean, ..Rates::default() };
    StationView { name: name.into(), rates, ..StationView::default() }
}

/// 1.5 attempts a frame, of the station with most air both ways; else collisions
/// of 10 %.
#[test]
fn why_the_air_is_slow() {
    let of = |collisions, stations: &[StationView]| {
        let mut s = some();
        s.air.down_ratio = 0.1; // not worth more words
        s.air.collision_ratio = collisions;
        s.hops.air = delay(0.1, 0.1);
        s.stations = stations.to_vec();
        text(&s).split_once("100 ms)").unwrap().1.to_string()
    };
    assert_eq!(of(0.0, &[station("tv", 0.2, 1.499)]), "");
    assert_eq!(of(0.0, &[station("tv", 0.2, 1.5)]), ", tv needs 1.5 attempts for a frame");
    assert_eq!(of(0.0999, &[]), "");
    assert_eq!(of(0.1, &[]), ", collisions take 10 % of the air");
    assert_eq!(of(0.1, &[station("tv", 0.2, 1.499)]), ", collisions take 10 % of the air");
    assert_eq!(of(0.1, &[station("tv", 0.2, 3.0)]), ", tv needs 3.0 attempts for a frame");
    let mut uploads = station("phone", 0.0, 2.0);
    uploads.rates.up_air_ratio = 0.15;
    let mixed = [station("tv", 0.14, 3.0), uploads.clone(), station("pad", 0.1, 4.0)];
    assert_eq!(of(0.0, &mixed), ", phone needs 2.0 attempts for a frame");
    uploads.rates.up_air_ratio = 0.01;
    uploads.rates.down_air_ratio = 0.14;
    assert_eq!(of(0.0, &[station("tv", 0.145, 3.0), uploads]), ", phone needs 2.0 attempts for a frame");
}

/// Whoever sends most is named, if anybody sends.
#[test]
fn who_uploads() {
    let of = |rates: [f64; 2]| {
        let mut s = some();
        s.hops.uplink_queue = delay(0.1, 0.1);
        s.stations = vec![station("tv", 0.1, 1.0), station("phone", 0.0, 1.0)];
        s.stations[0].rates.up_bps = rates[0];
        s.stations[1].rates.up_bps = rates[1];
        text(&s).split_once("100 ms)").unwrap().1.to_string()
    };
    assert_eq!(of([1e6, 2.5e6]), ", phone sends most: 2.5 Mb/s");
    assert_eq!(of([3e6, 2.5e6]), ", tv sends most: 3.0 Mb/s");
    assert_eq!(of([0.0, 0.0]), "");
}

/// At the limit nobody suffers yet.
#[test]
fn where_users_begin_to_suffer() {
    let limits = [
        ("game_mos", 3.6, 3.59),
        ("voip_mos", 3.6, 3.59),
        ("voip_mos_g107", 3.6, 3.59),
        ("playable_frames_per_second", 15.0, 14.9),
        ("page_seconds", 3.0, 3.01),
        ("stalled_ratio", 0.01, 0.0101),
    ];
    for (metric, fine, bad) in limits {
        assert_eq!(suffers(&app("x", metric, fine, "")), Some(false), "{metric}");
        assert_eq!(suffers(&app("x", metric, bad, "")), Some(true), "{metric}");
    }
    assert_eq!(limits.len(), SUFFERS.len());
    for metric in ["goodput_bits_per_second", "no_such"] {
        assert_eq!(suffers(&app("x", metric, 0.0, "")), None);
    }
    assert_eq!(suffers(&AppView::default()), None);
}

/// Beside who suffers, 20 ms of all packets are worth a word, or a tail of 100 ms.
#[test]
fn what_is_told_beside_who_suffers() {
    let mut s = some();
    s.apps = vec![app("game", "game_mos", 2.0, "2.00 MOS")];
    let game = "game (2.00 MOS) suffers, and none of its packets was seen on the way";
    is(&s, true, game);
    for (hop, name) in HOPS {
        let mut at = |p50_s, p99_s| {
            *hop(&mut s) = delay(p50_s, p99_s);
            text(&s)
        };
        assert_eq!(at(0.01999, 0.0999), game);
        let unit = if name == "the servers" { "answer" } else { "packet" };
        assert_eq!(at(0.01999, 0.1), format!("{game}; 1 {unit} in 100 takes over 100 ms in {name}"));
        let most = format!("{game}; of all packets' delay {name} takes most, 20 ms of 20 ms");
        assert_eq!(at(0.02, 0.1), most);
        at(0.0, 0.0);
    }
}

/// Users of the air are reported with the application that suffers, and not if the machine is too slow.
#[test]
fn users_of_the_air_are_told_beside_who_suffers() {
    let mut s = some();
    (s.air.down_ratio, s.air.idle_ratio) = (0.5, 0.5);
    s.apps = vec![app("game", "game_mos", 2.0, "2.00 MOS"), app("call", "voip_mos", 4.4, "4.40 MOS")];
    s.flows = vec![flow(Some("update"), 0.3, 0, 0.0), flow(Some("film"), 0.1, 0, 0.0)];
    let game = "game (2.00 MOS) suffers, and none of its packets was seen on the way";
    let air = "update (laptop) uses 30 % of the air";
    is(&s, true, &format!("{game}; {air}"));
    s.hops.queue = delay(0.1, 0.2);
    let most = "of all packets' delay the Wi-Fi queue takes most, 100 ms of 100 ms";
    is(&s, true, &format!("{game}; {most}; {air}"));
    // Where flows are known, stations are not asked: they are the same air again.
    let rates = Rates { down_air_ratio: 0.4, ..Rates::default() };
    s.stations = vec![StationView { name: "laptop".into(), rates, ..StationView::default() }];
    is(&s, true, &format!("{game}; {most}; {air}"));
    // Who is fine does not feel a delay that is worth a name, but may feel a tail.
    s.apps.remove(0);
    s.hops.queue = delay(0.001, 0.2);
    is(
        &s,
        true,
        &format!("Quick for most (1.0 ms), but 1 packet in 100 takes over 200 ms in the Wi-Fi queue; {air}"),
    );
}

/// Three who suffer are told with what they suffer from.
#[test]
fn many_who_suffer() {
    let of = |n: usize| {
        let mut s = some();
        s.apps = (0..n).map(|i| app(&format!("game{i}"), "game_mos", 2.0, "2.00 MOS")).collect();
        let text = text(&s);
        let (last, told) = (text.split("; ").last().unwrap().to_string(), text.matches("suffers,").count());
        (told, last)
    };
    let last = |n| format!("game{n} (2.00 MOS) suffers, and none of its packets was seen on the way");
    assert_eq!(of(1), (1, last(0)));
    assert_eq!(of(3), (3, last(2)));
    assert_eq!(of(4), (3, "1 more suffers".into()));
    assert_eq!(of(5), (3, "2 more suffer".into()));
}

/// 2 ms, of one packet in a hundred.
#[test]
fn when_the_machine_is_too_slow() {
    for (late_p99_s, trusted) in [(0.001999, true), (0.002, true), (0.002001, false)] {
        let mut s = some();
        s.pace.late_p99_s = late_p99_s;
        (s.pace.late_p50_s, s.pace.late_max_s) = (0.0, 1.0);
        assert_eq!(text(&s) == "All quick: packets take 0 ms", trusted, "{}", text(&s));
        assert_eq!(text(&s).starts_with("Do not trust these figures"), !trusted);
    }
}
