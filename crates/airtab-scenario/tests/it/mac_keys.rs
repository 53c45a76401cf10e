// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Keys of the MAC against IEEE 802.11's arithmetic: one sender that always has packets of 1500 bytes, whose cycle is AIFS,
//! a mean backoff, its exchange. Each duration is written out in microseconds.

use crate::common::refused;

use airtab_scenario::{Direction, Figures, Metric, OfPath, QueueSpec, ScenarioFile, measure};

/// Figures of the applications of 5 s, under a long FIFO.
fn figures(wifi: &str, rest: &str) -> Vec<Figures> {
    let text = format!(
        "duration = \"6s\"\nmeasure = [\"900ms\", \"5900ms\"]\n[wired]\nrate = \"10Gb/s\"\n[wifi]\nbeacon_interval = \"off\"\n\
         {wifi}\n{rest}\n"
    );
    let file = ScenarioFile::parse("mac.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let fifo = "fifo:limit=2000".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    measure(&file.scenario, &airtab_sim::run(&file.scenario, &fifo, 1)).apps
}

/// Throughput of one stream of UDP, in IP packets, that is more than its station gets, Mb/s.
fn goodput(wifi: &str, station: &str, app: &str) -> f64 {
    let rest = format!(
        "[[station]]\nname = \"s\"\n{station}\n[[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\n{app}\n"
    );
    figures(wifi, &rest)[0][&Metric::IpThroughput] / 1e6
}

#[track_caller]
fn near(found: f64, expected: f64, within: f64) {
    assert!((found / expected - 1.0).abs() < within, "{found}, not {expected}");
}

const SINGLE: &str = "phy = \"std-11n\"\naggregation = \"off\"";
const LOAD: &str = "rate = \"80Mb/s\"";
/// PPDU of 1538 bytes at HT20 MCS 7, SIFS, ACK.
const EXCHANGE: f64 = 228.0 + 16.0 + 28.0;

#[test]
fn constants_of_a_category_change_its_cycle() {
    let of =
        |keys: &str, app: &str| goodput(&format!("{SINGLE}\n{keys}"), "fer = 0", &format!("{LOAD}\n{app}"));
    near(of("", ""), 12_000.0 / (43.0 + 67.5 + EXCHANGE), 0.002);
    // Eight exchanges and seven SIFS are 2288 us of 2528; nine are 2576.
    let eight = 43.0 + 67.5 + 8.0 * EXCHANGE + 7.0 * 16.0;
    near(of("edca = \"ieee2016\"", ""), 8.0 * 12_000.0 / eight, 0.002);
    // SIFS and nine slots; 0 to 31 slots.
    let be = "category.be = { aifsn = 9, cw_min = 31 }";
    near(of(be, ""), 12_000.0 / (16.0 + 81.0 + 139.5 + EXCHANGE), 0.002);
    let single = 12_000.0 / (34.0 + 31.5 + EXCHANGE);
    near(of("category.vi.txop = \"0us\"", "access = \"vi\""), single, 0.002);
    // Only video's constants changed.
    near(of("category.be = { aifsn = 9 }\ncategory.vi.txop = \"0us\"", "access = \"vi\""), single, 0.002);
}

/// HE80 MCS 11, one aggregate at a time. Window 64: 64 MPDUs, 98814 bytes in 97 symbols of 13.6 us behind 43.2 us, and a BLOCK ACK
/// of 32 bytes. Window 256: 5486.5 us with one of 56 bytes.
#[test]
fn a_smaller_block_ack_window_shortens_aggregate_and_answer() {
    let wifi = "phy = \"std-11ax\"\nampdu_time = \"5484us\"\ndriver = { ring = 512, aggregates = 1 }";
    let of = |key: &str| goodput(&format!("{wifi}\n{key}"), "fer = 0", "rate = \"700Mb/s\"");
    let cycle = 43.0 + 67.5 + (43.2 + 97.0 * 13.6) + 16.0 + 32.0;
    near(of("block_ack_window = 64"), 64.0 * 12_000.0 / cycle, 0.002);
    near(of("block_ack_window = 256"), 256.0 * 12_000.0 / 5486.5, 0.002);
    assert_eq!(of("block_ack_window = 256"), of(""));
}

/// RTS and CTS have 20 and 14 bytes: at 24 Mb/s 28 us each, at 6 Mb/s 52 and 44; an ACK at 6 Mb/s has 44.
#[test]
fn rts_and_ack_have_rates_of_their_own() {
    let of = |keys: &str| goodput(&format!("{SINGLE}\nrts = 0\n{keys}"), "fer = 0", LOAD);
    let cycle = |rts: f64, cts: f64, ack: f64| 43.0 + 67.5 + rts + 16.0 + cts + 16.0 + 228.0 + 16.0 + ack;
    near(of(""), 12_000.0 / cycle(28.0, 28.0, 28.0), 0.002);
    near(of("rts_rate = \"6Mb/s\""), 12_000.0 / cycle(52.0, 44.0, 28.0), 0.002);
    near(of("rts_rate = \"24Mb/s\"\ncontrol_rate = \"6Mb/s\""), 12_000.0 / cycle(28.0, 28.0, 44.0), 0.002);
}

/// 0.7 of the packets need one attempt if no answer is lost, 0.49 if answers are lost as MPDUs are.
#[test]
fn an_mpdu_error_rate_spares_answers() {
    for keys in ["aggregation = \"off\"", ""] {
        for (loss, expected) in [("mpdu_error_rate", 0.7), ("fer", 0.49)] {
            let wifi = format!("phy = \"std-11n\"\n{keys}");
            let rest = format!(
                "[[station]]\nname = \"s\"\n{loss} = 0.3\n[[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\n{LOAD}\n"
            );
            let found = figures(&wifi, &rest)[0][&Metric::Attempts(1)];
            assert!((found - expected).abs() < 0.02, "{keys} {loss}: {found}");
        }
    }
}

/// More arrives than leaves, so each packet that is sent has waited for its lifetime: in order of arrival, up to the two
/// aggregates that are prepared.
#[test]
fn packets_do_not_outlive_their_time_in_the_driver() {
    let of = |lifetime: &str| {
        let wifi = format!("phy = \"std-11n\"\ndriver = {{ ring = 10000, order = \"fifo\"{lifetime} }}");
        let rest = format!(
            "[[station]]\nname = \"s\"\nfer = 0\n[[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\n{LOAD}\n"
        );
        figures(&wifi, &rest).remove(0)
    };
    let (cycle_s, lifetime_s) = (3998.5e-6, 0.05);
    let limited = of(", lifetime = \"50ms\"");
    let served = 20.0 * 12_000.0 / cycle_s;
    near(limited[&Metric::IpThroughput], served, 0.005);
    near(
        limited[&Metric::of_path(Direction::Down, OfPath::loss(airtab_sim::Leg::Channel))],
        1.0 - served / 80e6,
        0.02,
    );
    let p99 = limited[&Metric::BelowDelayP99];
    assert!((lifetime_s - cycle_s..lifetime_s + 2.5 * cycle_s).contains(&p99), "{p99}");
    assert!(of("")[&Metric::BelowDelayP99] > 1.0, "10,000 packets take two seconds");
    let told = refused("phy = \"std-11g\"\ndriver.lifetime = \"50ms\"", "", "");
    assert_eq!(
        told,
        [
            "[wifi.driver] lifetime: only where packets wait at the driver: a profile with rates by MCS, or a ring above 1"
        ]
    );
}

/// Downlink packets at 83 a second with eight saturated uplinks, lifetime 1 ms. A packet is discarded when the next one
/// comes; it is transmitted if its sender wins first.
#[test]
fn a_contender_without_a_packet_withdraws() {
    let stations: String = (0..8)
        .map(|i| {
            format!(
                "[[station]]\nname = \"s{i}\"\n[[app]]\nname = \"u{i}\"\nkind = \"udp\"\nstation = \"s{i}\"\n{LOAD}\nupload = true\n"
            )
        })
        .collect();
    let sparse = "[[app]]\nname = \"d\"\nkind = \"udp\"\nstation = \"s0\"\nrate = \"1Mb/s\"\n";
    for aggregates in [0, 2] {
        let wifi = format!("phy = \"std-11n\"\ndriver = {{ aggregates = {aggregates}, lifetime = \"1ms\" }}");
        let all = figures(&wifi, &format!("{stations}{sparse}"));
        let own = all.last().expect("nine applications");
        let lost = own[&Metric::of_path(Direction::Down, OfPath::loss(airtab_sim::Leg::Channel))];
        assert!((0.01..0.99).contains(&lost), "{aggregates} aggregates: {lost} of the packets discarded");
    }
}

/// Packets are discarded while reports of others are still to come: in a cell with a governor, and at nodes that do not
/// all sense each other.
#[test]
fn lifetimes_go_with_late_reports() {
    let load = |of: &str| format!("[[app]]\nname = \"{of}\"\nkind = \"udp\"\n{LOAD}\n");
    let station = |name: &str| format!("[[station]]\nname = \"{name}\"\n");
    let to = |of: &str, station: &str| format!("{}station = \"{station}\"\n", load(of));
    let driver =
        "driver = { lifetime = \"1ms\", stop = false, completion_delay = \"3ms\", inflight = \"2ms\" }";
    let cell = format!("{}mcs = 0\n{}{}{}", station("a"), station("b"), to("u", "a"), to("v", "b"));
    for app in figures(&format!("phy = \"std-11ac\"\n{driver}"), &cell) {
        assert!(app[&Metric::IpThroughput] > 1e6, "{app:?}");
    }
    let node = |name: &str, x: u32| format!("[[node]]\nname = \"{name}\"\nx = {x}\ny = 0\n");
    let between = |of: &str, from: &str, to: &str| format!("{}from = \"{from}\"\nto = \"{to}\"\n", load(of));
    let nodes = [node("a", 0), node("b", 90), node("c", 180), node("d", 270)].concat();
    let mesh = format!(
        "[mesh]\ntx_range = 100\nsense_range = 120\n{nodes}{}{}",
        between("u", "a", "c"),
        between("v", "d", "b")
    );
    let driver = "driver = { lifetime = \"1ms\", ring = 8, completion_delay = \"3ms\" }";
    let text = format!(
        "duration = \"3s\"\nmeasure = [\"1s\", \"3s\"]\n[wifi]\nmedium = \"mesh\"\nphy = \"std-11ac\"\n{driver}\n{mesh}"
    );
    let file = ScenarioFile::parse("mesh.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    for queue in ["fifo", "pie", "chap"] {
        let params = queue.parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let apps = measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps;
        assert!(apps.iter().all(|app| app[&Metric::IpThroughput] > 1e5), "{queue}: {apps:?}");
    }
}

/// 54 Mb/s: 258 us with the signal extension of 2.4 GHz, AIFS 37, SIFS 10, ACK 34 us; at 5 GHz 252, 43, 16, 28: both 406.5 us. After
/// the last attempt the next packet follows, not a block ACK request.
#[test]
fn a_station_of_11g_in_a_cell_of_11n() {
    for phy in ["std-11n-2g4", "std-11n"] {
        for upload in ["", "upload = true"] {
            let of = |keys: &str, loss: &str| {
                let wifi = format!("phy = \"{phy}\"\n{keys}");
                goodput(&wifi, &format!("rate = \"54Mb/s\"\n{loss}"), &format!("{LOAD}\n{upload}"))
            };
            near(of("", "fer = 0"), 12_000.0 / 406.5, 0.002);
            near(of("attempts = 1", "mpdu_error_rate = 0.5"), 6_000.0 / 406.5, 0.02);
        }
    }
    let n = "phy = \"std-11n\"";
    assert_eq!(
        refused(n, "rate = \"11Mb/s\"", ""),
        ["[[station]] rate: '11Mb/s' is no rate of std-11n: 6, 9, 12, 18, 24, 36, 48 or 54Mb/s"]
    );
    assert_eq!(
        refused(n, "rate = \"54Mb/s\"\nmcs = 3", ""),
        [
            "[[station]] mcs: a rate in Mb/s makes it a station of 802.11a or g, whose only key of these is rate"
        ]
    );
    assert_eq!(
        refused(&format!("{n}\nerrors = \"snr\""), "rate = \"54Mb/s\"\nrate_control = \"ideal\"", ""),
        ["[[station]] rate_control: only for rates by MCS; this is a station of 802.11a or g: \"fixed\""]
    );
}

/// 4 ms have room for 20 MPDUs, down and up.
#[test]
fn a_saturated_source_fills_aggregates() {
    for (way, metric) in [("", Metric::AmpduFrames), ("upload = true", Metric::UplinkAmpduFrames)] {
        let rest = format!(
            "[[station]]\nname = \"s\"\nfer = 0\n[[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\nrate = \"max\"\n{way}\n"
        );
        let found = &figures("phy = \"std-11n\"", &rest)[0];
        near(found[&metric], 20.0, 0.005);
        near(found[&Metric::IpThroughput], 20.0 * 12_000.0 / 3998.5e-6, 0.005);
    }
}

/// Two stations that upload, 1 and 20 m away, and one that downloads: with a margin of 10 dB the near one never repeats a frame.
#[test]
fn the_nearer_station_survives_collisions() {
    let station = |name: &str, distance| format!("[[station]]\nname = \"{name}\"\ndistance = {distance}\n");
    let stations = station("near", 1) + &station("far", 20);
    let app = |station: &str, keys: &str| {
        format!(
            "[[app]]\nname = \"{station}{keys:.1}\"\nkind = \"udp\"\nstation = \"{station}\"\nrate = \"max\"\n{keys}\n"
        )
    };
    let run = |wifi: &str, apps: &[(&str, &str)]| {
        let apps: String = apps.iter().map(|(station, keys)| app(station, keys)).collect();
        let cell = "phy = \"std-11g\"\neifs = false\nlink_margin = 150\nattempts = 255\n";
        figures(&format!("{cell}{wifi}"), &format!("{stations}{apps}"))
    };
    let up = |of: &Figures| of[&Metric::of_path(Direction::Up, OfPath::Attempts)];
    let down = |of: &Figures| of[&Metric::of_path(Direction::Down, OfPath::Attempts)];
    let both = [("near", "upload = true"), ("far", "upload = true")];
    let plain = run("", &both);
    assert!(up(&plain[0]) > 1.05 && up(&plain[1]) > 1.05);
    let captured = run("capture = 10", &both);
    assert_eq!(up(&captured[0]), 1.0);
    assert!(up(&captured[1]) > 1.05);
    let ratio = captured[0][&Metric::IpThroughput] / captured[1][&Metric::IpThroughput];
    near(ratio, successes(2_000_000), 0.02);
    // 39 dB of 40, and 0.02 dB: the access point sends to the near one as the far one sends, and the reverse.
    let beside = run("capture = 10", &[("near", ""), ("far", "upload = true")]);
    assert!(down(&beside[0]) == 1.0 && up(&beside[1]) > 1.05);
    let beside = run("capture = 10", &[("far", ""), ("near", "upload = true")]);
    assert!(down(&beside[0]) > 1.05 && up(&beside[1]) > 1.05);
    // Both at 5 m: a frame to one is 4.5 dB stronger there than the other's, and its answer as strong as that.
    let equal = |own: &str, other: &str| {
        let (to, from) = (app("a", own), app("b", &format!("upload = true\n{other}")));
        let stations = station("a", 5) + &station("b", 5);
        let cell = "phy = \"std-11g\"\neifs = false\nlink_margin = 150\nattempts = 255\ncapture = 3";
        down(&figures(cell, &format!("{stations}{to}{from}"))[0])
    };
    assert_eq!(equal("", "bytes = 200"), 1.0);
    assert!(equal("bytes = 200", "") > 1.05, "the longer frame is still on the air as the answer begins");
    assert!(run("capture = 40", &both).iter().all(|app| up(app) > 1.05));
    let told = refused("capture = 10\nerrors = \"fer\"", "", "");
    assert_eq!(
        told,
        [
            "[wifi] capture: signals follow from distances: with errors = \"shadowing\" or \"snr\", and a distance or snr of \
             each station"
        ]
    );
    let told = refused("capture = 10", "fer = 0.1", "");
    assert_eq!(
        told,
        [
            "[[station]] fer: with capture in [wifi] each station has a distance, walk or snr: its signal follows from that"
        ]
    );
    let change = "distance = 2\n[[change]]\nat = \"1s\"\nstation = \"s\"\nkey = \"fer\"\nvalue = 0.1";
    let told = refused("capture = 10", change, "");
    assert!(told[0].starts_with("[[change]] value: fer: with capture in [wifi] each station"), "{told:?}");
}

/// Frames of the near station for each of the far one, slot by slot: the near one's window stays 15, and the far one fails where both
/// counters end together.
fn successes(rounds: u64) -> f64 {
    let mut state = 1_u64;
    let mut draw = move |window: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) & window
    };
    let (mut near, mut far, mut window) = (draw(15), draw(15), 15);
    let (mut near_frames, mut far_frames) = (0_u64, 0_u64);
    for _ in 0..rounds {
        let idle = near.min(far);
        (near, far) = (near - idle, far - idle);
        match (near, far) {
            (0, 0) => {
                near_frames += 1;
                window = (2 * window + 1).min(1023);
                (near, far) = (draw(15), draw(window));
            }
            (0, _) => {
                near_frames += 1;
                near = draw(15);
            }
            _ => {
                far_frames += 1;
                window = 15;
                far = draw(15);
            }
        }
    }
    near_frames as f64 / far_frames as f64
}

/// The message names the medium that has hidden stations.
#[test]
fn hidden_stations_are_refused() {
    let told = "all stations of a cell sense each other: for hidden stations write medium = \"mesh\" in [wifi], with [[node]] \
                instead of [[station]]";
    for key in ["hidden = true", "hidden_from = [\"t\"]", "x = 7", "senses = []"] {
        let name = key.split(' ').next().unwrap();
        assert_eq!(refused("", key, ""), [format!("[[station]] {name}: {told}")]);
    }
    for key in ["hidden = true", "sense_range = 20", "interference_range = 40"] {
        let name = key.split(' ').next().unwrap();
        assert_eq!(refused(key, "", ""), [format!("[wifi] {name}: {told}")]);
    }
}
