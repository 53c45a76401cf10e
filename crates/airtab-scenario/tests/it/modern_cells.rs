// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Cells of 802.11n, ac and ax in scenario files: what is said, what is meant where nothing is said,
//! and what is refused.

use crate::common;

use airtab_scenario::{Metric, QueueSpec, ScenarioFile, measure, station_change};
use airtab_sim::wifi::{
    Aggregation, Category, CategoryChange, Completions, DriverConfig, Edca, GovernorConfig, Loss, Order,
};
use common::{modern, refused};

#[test]
fn modern_cells_aggregate_and_have_categories() {
    for (phy, window, bytes, fastest) in [
        ("std-11n", 64, 65_535, "HT20 MCS 7, 65 Mb/s"),
        ("std-11n-2g4", 64, 65_535, "HT20 MCS 7, 65 Mb/s"),
        ("std-11ac", 64, 1_048_575, "VHT80 MCS 9, 390 Mb/s"),
        ("std-11ax", 256, 4_194_303, "HE80 MCS 11, 600.49 Mb/s"),
    ] {
        let file = modern(phy, "", "");
        let cell = file.scenario.medium.cell().unwrap();
        let aggregation =
            Aggregation { frames: window, bytes, time_ns: 4_000_000, window, amsdu_bytes: 0, bar: false };
        assert_eq!(
            (cell.aggregation, cell.edca, cell.txop),
            (Some(aggregation), Edca::Ieee2012, true),
            "{phy}"
        );
        let prepared = if phy.starts_with("std-11n") { 2 } else { 0 };
        assert_eq!((cell.driver.ring, cell.driver.aggregates), (2 * usize::from(window), prepared), "{phy}");
        assert_eq!((cell.driver.order, cell.rts_bytes), (Order::RoundRobin, None), "{phy}");
        assert_eq!(file.scenario.stations[0].speed.to_string(), fastest);
        assert_eq!((file.warnings.len(), file.scenario.check()), (0, Ok(())), "{phy}");
    }
    // MCS 9 is not there at 20 MHz with one stream.
    let file = modern("std-11ac", "", "[[station]]\nname = \"s\"\nwidth = 20\n");
    assert_eq!(file.scenario.stations[0].speed.to_string(), "VHT20 MCS 8, 78 Mb/s");
}

#[test]
fn old_cells_are_as_they_were() {
    for keys in ["", "edca = \"off\"\naggregation = \"off\"\nampdu_frames = 1\ntxop = false\ndriver.ring = 1"]
    {
        let file = modern("std-11g", keys, "");
        let cell = file.scenario.medium.cell().unwrap();
        let own = (cell.aggregation, cell.edca, cell.txop, cell.rts_bytes, cell.driver);
        assert_eq!(own, (None, Edca::Off, false, None, DriverConfig::default()), "{keys}");
    }
    let driver = modern("std-11g", "driver = { ring = 1000, order = \"fifo\" }", "");
    let driver = driver.scenario.medium.cell().unwrap().driver;
    assert_eq!(
        driver,
        DriverConfig { ring: 1000, aggregates: 1, order: Order::Fifo, ..DriverConfig::default() }
    );
}

#[test]
fn keys_of_modern_cells_arrive() {
    let keys = "aggregation = \"ampdu+amsdu\"\nampdu_frames = 32\nampdu_bytes = \"60000\"\nampdu_time = \"2ms\"\n\
                amsdu = 7935\nbar = true\nrts = 500\nedca = \"hostapd\"\ntxop = false\nccmp = true\n\
                control_rate = \"6Mb/s\"\n[wifi.driver]\nring = 123\naggregates = 3\norder = \"fifo\"\n";
    let keys = keys.replace("\"60000\"", "60000");
    let station = "[[station]]\nname = \"s\"\nmcs = 4\nstreams = 2\ngi = \"400ns\"\nwidth = \"40 MHz\"\n";
    let file = modern("std-11ac", &keys, station);
    let cell = file.scenario.medium.cell().unwrap();
    let aggregation = Aggregation {
        frames: 32,
        bytes: 60_000,
        time_ns: 2_000_000,
        window: 64,
        amsdu_bytes: 7935,
        bar: true,
    };
    assert_eq!((cell.aggregation, cell.edca, cell.txop), (Some(aggregation), Edca::Hostapd, false));
    assert_eq!(cell.rts_bytes, Some(500));
    assert_eq!(
        (cell.phy.mac_bytes(), cell.phy.control_kbps(&file.scenario.stations[0].speed.rate)),
        (38 + 16, 6_000)
    );
    assert_eq!(
        cell.driver,
        DriverConfig { ring: 123, aggregates: 3, order: Order::Fifo, ..DriverConfig::default() }
    );
    let speed = file.scenario.stations[0].speed;
    assert_eq!(
        (speed.to_string().as_str(), speed.kbps()),
        ("VHT40 MCS 4, 2 streams, 400 ns, 180 Mb/s", 180_000)
    );
    assert_eq!(modern("std-11n", "rts = \"off\"", "").scenario.medium.cell().unwrap().rts_bytes, None);
    for (keys, users) in
        [("", None), ("ofdma = \"off\"", None), ("ofdma = 8", Some(8)), ("ofdma = 16", Some(16))]
    {
        assert_eq!(modern("std-11ax-2g4", keys, "").scenario.medium.cell().unwrap().ofdma, users, "{keys}");
    }
    assert_eq!(modern("std-11g", "ofdma = \"off\"", "").scenario.medium.cell().unwrap().ofdma, None);
}

#[test]
fn a_ring_below_one_aggregate_is_a_warning() {
    let warned = |keys: &str| {
        let file = modern("std-11n", keys, "");
        file.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let expected = "modern.toml:4:15: [wifi.driver] ring: 63 packets are less than one aggregate of 64 \
                    (ampdu_frames): none is ever full\n  4 | driver.ring = 63\n    |               ^^";
    assert_eq!(warned("driver.ring = 63"), [expected]);
    assert!(warned("driver.ring = 64").is_empty());
    assert!(warned("driver.ring = 8\nampdu_frames = 8").is_empty());
    assert!(warned("driver.ring = 1\naggregation = \"off\"").is_empty());
    let idle = warned("driver = { stop = false, ring = 63 }");
    assert_eq!(idle.len(), 1, "{idle:?}");
    let told = "[wifi.driver] ring: with stop = false the access point's driver takes everything: only stations have this ring";
    assert!(idle[0].contains(told), "{}", idle[0]);
}

/// The ring has room for two aggregates of the size that they have; an A-MSDU has the shorter of the two lengths.
#[test]
fn what_is_not_said_follows_from_what_is() {
    let ring = |keys: &str| {
        let driver = modern("std-11n", keys, "").scenario.medium.cell().unwrap().driver;
        (driver.ring, driver.aggregates)
    };
    assert_eq!(ring("ampdu_frames = 8"), (16, 2));
    assert_eq!(ring("aggregation = \"off\""), (2, 2));
    assert_eq!(ring("ampdu_frames = 8\ndriver.aggregates = 5"), (16, 5));
    let amsdu = |keys: &str| {
        let file = modern("std-11ac", keys, "");
        file.scenario.medium.cell().unwrap().aggregation.map(|aggregation| aggregation.amsdu_bytes)
    };
    assert_eq!(amsdu("aggregation = \"ampdu+amsdu\""), Some(3839));
    assert_eq!(amsdu("aggregation = \"ampdu\""), Some(0));
    let txop = |keys: &str| modern("std-11n", keys, "").scenario.medium.cell().unwrap().txop;
    assert_eq!((txop("edca = \"off\""), txop("edca = \"hostapd\"")), (false, true));
}

/// Each constant arrives at its category; what is not given is the parameter set's.
#[test]
fn constants_of_access_categories_arrive() {
    let of = |keys: &str| modern("std-11n", keys, "").scenario.medium.cell().unwrap().categories;
    let none = CategoryChange::default();
    assert_eq!(of("edca = \"ieee2016\""), [none; 4]);
    let all = "[wifi.category.bk]\naifsn = 9\n[wifi.category.be]\ncw_min = 31\ncw_max = 63\n\
               [wifi.category.vi]\ntxop = \"0us\"\n[wifi.category.vo]\naifsn = 1\ntxop = \"8160us\"\n";
    assert_eq!(
        of(all),
        [
            CategoryChange { aifsn: Some(9), ..none },
            CategoryChange { cw_min: Some(31), cw_max: Some(63), ..none },
            CategoryChange { txop_ns: Some(0), ..none },
            CategoryChange { aifsn: Some(1), txop_ns: Some(8_160_000), ..none },
        ]
    );
}

/// Announced constants arrive at their category, and the adaptive limit.
#[test]
fn announced_constants_arrive() {
    let of = |keys: &str| {
        let cell = modern("std-11n", keys, "").scenario.medium.cell().unwrap().clone();
        (cell.announced, cell.adapts_announced)
    };
    let none = CategoryChange::default();
    let all = "[wifi.announced.be]\naifsn = 5\ncw_min = 31\ncw_max = 63\ntxop = \"1024us\"\n\
               [wifi.announced.vi]\ntxop = \"0us\"\n";
    let best_effort =
        CategoryChange { aifsn: Some(5), cw_min: Some(31), cw_max: Some(63), txop_ns: Some(1_024_000) };
    let video = CategoryChange { txop_ns: Some(0), ..none };
    assert_eq!(of(all), ([none, best_effort, video, none], false));
    let adaptive = "announced = { adapt = true, be = { aifsn = 5 } }";
    assert_eq!(of(adaptive), ([none, CategoryChange { aifsn: Some(5), ..none }, none, none], true));
    assert_eq!(of(""), ([none; 4], false));
}

/// As `airtab live set` does.
#[test]
fn one_key_of_a_running_station() {
    let file = modern("std-11ac", "", "");
    let change = |file: &ScenarioFile, key: &str, value: &str| {
        let station = &file.scenario.stations[0];
        airtab_scenario::station_change(file, 0, (station.speed, Loss::None), key, value)
            .map(|(speed, _)| speed.to_string())
    };
    let ok = |text: &str| Ok(text.to_string());
    assert_eq!(change(&file, "mcs", "3"), ok("VHT80 MCS 3, 117 Mb/s"));
    assert_eq!(change(&file, "streams", "2"), ok("VHT80 MCS 9, 2 streams, 780 Mb/s"));
    assert_eq!(change(&file, "gi", "400ns"), ok("VHT80 MCS 9, 400 ns, 433.333 Mb/s"));
    assert_eq!(change(&file, "width", "40 MHz"), ok("VHT40 MCS 9, 180 Mb/s"));
    // What was changed before stays, whatever the file says.
    let slow = station_change(&file, 0, (file.scenario.stations[0].speed, Loss::None), "mcs", "3").unwrap();
    let both = station_change(&file, 0, slow, "streams", "2").unwrap();
    assert_eq!(both.0.to_string(), "VHT80 MCS 3, 2 streams, 234 Mb/s");
    let all = "[[station]]\nname = \"s\"\nmcs = 4\nstreams = 2\ngi = \"400ns\"\nwidth = 40\n";
    let all = modern("std-11ac", "", all);
    assert_eq!(change(&all, "mcs", "3"), ok("VHT40 MCS 3, 2 streams, 400 ns, 120 Mb/s"));
    assert_eq!(change(&all, "streams", "1"), ok("VHT40 MCS 4, 400 ns, 90 Mb/s"));
    assert_eq!(change(&all, "gi", "800ns"), ok("VHT40 MCS 4, 2 streams, 162 Mb/s"));
    assert_eq!(change(&all, "width", "80"), ok("VHT80 MCS 4, 2 streams, 400 ns, 390 Mb/s"));
    for (key, value, message) in [
        ("width", "20", "mcs 9: VHT has MCS 9 at 20 MHz with 3 or 6 streams alone"),
        ("mcs", "10", "mcs 10: VHT has MCS 0 to 9"),
        ("mcs", "x", "mcs: 'x' is not"),
        ("mcs", "300", "mcs 300: VHT has MCS 0 to 9"),
        ("gi", "1600ns", "gi 1600ns: HT and VHT have guard intervals of 400 and 800 ns"),
        ("gi", "400", "gi: '400' is not"),
        ("streams", "9", "streams 9: VHT has 1 to 8 streams"),
        ("width", "320 MHz", "width 320 MHz: VHT has 20, 40, 80 and 160 MHz"),
        ("rate", "54Mb/s", "rate: the rates of std-11ac are by MCS: write mcs, streams, gi, width"),
        (
            "color",
            "blue",
            "no key 'color' of a station that runs (known: distance, fer, snr, mpdu_error_rate, rate_control, rate, mcs, streams, gi, width)",
        ),
        ("stream", "2", "no key 'stream' of a station that runs; did you mean `streams`? (known: "),
    ] {
        let refused = change(&file, key, value).unwrap_err();
        assert!(refused.starts_with(message), "{refused}");
    }
    let old = modern("std-11g", "", "");
    assert_eq!(change(&old, "rate", "6Mb/s"), ok("6 Mb/s"));
    let refused = change(&old, "mcs", "7").unwrap_err();
    assert_eq!(refused, "mcs: the rates of std-11g are in Mb/s: write rate");
}

#[test]
fn applications_have_an_access_category() {
    let of = |access: &str| {
        let text = format!(
            "duration = \"1s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n{access}\n"
        );
        ScenarioFile::parse("access.toml", &text).unwrap().scenario.apps[0].access
    };
    assert_eq!(of(""), Category::BestEffort);
    for (name, category) in [
        ("vo", Category::Voice),
        ("vi", Category::Video),
        ("be", Category::BestEffort),
        ("bk", Category::Background),
    ] {
        assert_eq!(of(&format!("access = \"{name}\"")), category);
    }
}

#[test]
fn what_a_cell_does_not_have_is_refused() {
    for (wifi, messages) in [
        (
            "phy = \"std-11n\"\nampdu_frames = 65\nampdu_bytes = 65536\nampdu_time = \"5485us\"",
            &[
                "[wifi] ampdu_frames: '65' is outside 1 to 64",
                "[wifi] ampdu_bytes: '65536' is outside 1B to 65535B",
                "[wifi] ampdu_time: '5485us' is outside 1us to 5484us",
            ][..],
        ),
        ("phy = \"std-11ax\"\nampdu_frames = 257", &["[wifi] ampdu_frames: '257' is outside 1 to 256"]),
        (
            "phy = \"std-11g\"\nedca = \"ieee2012\"\ntxop = true\naggregation = \"ampdu\"\nbar = true\ncontrol_rate = \"6Mb/s\"",
            &[
                "[wifi] edca: only for profiles with rates by MCS; this is std-11g: \"off\"",
                "[wifi] aggregation: only for profiles with rates by MCS; this is std-11g: \"off\"",
                "[wifi] bar: only for profiles with rates by MCS; this is std-11g",
                "[wifi] control_rate: std-11g has ack_rate in its place",
            ],
        ),
        (
            "phy = \"std-11n\"\nedca = \"of\"\nack_rate = \"6Mb/s\"\nrts = \"on\"",
            &[
                "[wifi] edca: 'of' is not known; did you mean `off`? (known: off, ieee2012, ieee2016, hostapd)",
                "[wifi] ack_rate: std-11n has control_rate in its place",
                "[wifi] rts: 'on' is not a size such as 1500, 64KiB or 4MiB (0 to 4MiB), or \"off\"",
            ],
        ),
        (
            "phy = \"std-11n\"\nedca = \"off\"\ntxop = true",
            &[
                "[wifi] txop: only access categories have one: with edca = \"ieee2012\", \"ieee2016\" or \"hostapd\"",
            ],
        ),
        (
            "phy = \"std-11n\"\ncw_min = 31\ncw_max = 63\nbackoff = \"bianchi\"",
            &[
                "[wifi] cw_min: each access category has windows of its own: write cw_min in [wifi.category.be] (or bk, vi, vo), or \
                 edca = \"off\"",
                "[wifi] cw_max: each access category has windows of its own: write cw_max in [wifi.category.be] (or bk, vi, vo), or \
                 edca = \"off\"",
                "[wifi] backoff: access categories count down by one rule, IEEE 802.11-2020 10.23.2.4: write aifsn, cw_min or \
                 cw_max in [wifi.category.be] (or bk, vi, vo), or edca = \"off\"",
            ],
        ),
        (
            "phy = \"std-11n\"\ntxop = false\ncategory = { vo = { txop = \"1ms\" }, vi = { cw_min = 31 }, be = { aifsn = 16, \
             cw_max = 20, txop = \"8161us\" }, voice = {} }",
            &[
                "[wifi.category.vo] txop: each category has one exchange at a time with txop = false",
                "[wifi.category.vi] cw_min: cw_min is 31 and cw_max 15: give both",
                "[wifi.category.be] aifsn: '16' is outside 1 to 15",
                "[wifi.category.be] cw_max: 20 is not one less than a power of two, such as 15 or 31",
                "[wifi.category.be] txop: '8161us' is outside 0ns to 8160us",
                "[wifi.category] voice: no such key",
            ],
        ),
        (
            "phy = \"std-11n\"\ntxop = false\nannounced = { adapt = true, vo = { cw_min = 31 } }",
            &[
                "[wifi.announced] adapt: each category has one exchange at a time with txop = false",
                "[wifi.announced.vo] cw_min: cw_min is 31 and cw_max 7: give both",
            ],
        ),
        (
            "phy = \"std-11n\"\nedca = \"off\"\nannounced.be.aifsn = 2",
            &[
                "[wifi] announced: only with access categories: edca = \"ieee2012\", \"ieee2016\" or \"hostapd\"",
            ],
        ),
        (
            "phy = \"std-11n\"\nedca = \"off\"\ncategory.be.aifsn = 2",
            &[
                "[wifi] category: only with access categories: edca = \"ieee2012\", \"ieee2016\" or \"hostapd\"",
            ],
        ),
        (
            "phy = \"std-11n\"\naggregation = \"off\"\nampdu_frames = 2\namsdu = 3839",
            &[
                "[wifi] ampdu_frames: only with aggregation = \"ampdu\" or \"ampdu+amsdu\"",
                "[wifi] amsdu: only with aggregation = \"ampdu+amsdu\"",
            ],
        ),
        (
            "phy = \"std-11n\"\naggregation = \"ampdu+amsdu\"\namsdu = 7935",
            &["[wifi] amsdu: an MPDU of an HT A-MPDU has at most 4095 bytes: 3839"],
        ),
        (
            "phy = \"std-11ac\"\naggregation = \"ampdu+amsdu\"\namsdu = 4000",
            &["[wifi] amsdu: '4000' is no longest A-MSDU: 3839 or 7935 bytes"],
        ),
        (
            "phy = \"std-11n\"\ndriver = { ring = 0, aggregates = 65, order = \"lifo\", stopp = 1 }",
            &[
                "[wifi.driver] ring: '0' is outside 1 to 1000000",
                "[wifi.driver] aggregates: '65' is outside 0 to 64",
                "[wifi.driver] order: 'lifo' is not known; did you mean `fifo`? (known: fifo, round_robin)",
                "[wifi.driver] stopp: no such key",
            ],
        ),
        (
            "phy = \"std-11ac\"\nofdma = 4",
            &["[wifi] ofdma: only for profiles of 802.11ax; this is std-11ac: \"off\""],
        ),
        (
            "phy = \"std-11ax\"\nofdma = 3",
            &["[wifi] ofdma: '3' is not 2, 4, 8 or 16 stations at once, or \"off\""],
        ),
        (
            "phy = \"std-11ax\"\nofdma = 16\naggregation = \"off\"",
            &["[wifi] ofdma: only with aggregation = \"ampdu\" or \"ampdu+amsdu\""],
        ),
        ("phy = \"std-11n\"\ndriver = 7", &["[wifi] driver: '7' is not a table [wifi.driver]"]),
        (
            "medium = \"emulator\"\nphy = \"std-11n\"\nedca = \"ieee2012\"",
            &[
                "[wifi] phy: its rates are by MCS: only for medium dcf; this is emulator",
                "[wifi] edca: only for medium dcf; this is emulator",
            ],
        ),
    ] {
        let told = refused(wifi, "", "");
        assert_eq!(told.len(), messages.len(), "{told:#?}");
        for message in messages {
            assert!(told.iter().any(|told| told.starts_with(message)), "{message}: {told:#?}");
        }
    }
}

#[test]
fn rates_that_a_cell_does_not_have_are_refused() {
    let ac = "phy = \"std-11ac\"";
    let n = "phy = \"std-11n\"";
    for (wifi, station, messages) in [
        ("phy = \"std-11g\"", "mcs = 7", &["mcs: the rates of std-11g are in Mb/s: write rate"][..]),
        (ac, "mcs = 9\nwidth = 20", &["mcs: 9: VHT has MCS 9 at 20 MHz with 3 or 6 streams alone"]),
        (
            n,
            "mcs = 8\nstreams = 5\nwidth = 80\ngi = \"1600ns\"",
            &[
                "mcs: 8: HT has MCS 0 to 7 for each stream: MCS 15 is 7 with 2 streams",
                "streams: 5: HT has 1 to 4 streams",
                "width: 80: HT has 20 and 40 MHz",
                "gi: 1600ns: HT and VHT have guard intervals of 400 and 800 ns",
            ],
        ),
        (
            ac,
            "mcs = 12\nstreams = 9\nwidth = 320\ngi = \"1600ns\"",
            &[
                "mcs: 12: VHT has MCS 0 to 9",
                "streams: 9: VHT has 1 to 8 streams",
                "width: 320: VHT has 20, 40, 80 and 160 MHz",
                "gi: 1600ns: HT and VHT have guard intervals of 400 and 800 ns",
            ],
        ),
        (n, "streams = 9", &["streams: 9: HT has 1 to 4 streams"]),
        // As large as they like, and a part that is no number hides no other one.
        (
            n,
            "mcs = 70000\nstreams = 256\nwidth = \"wide\"",
            &["mcs: 70000: HT has MCS 0 to 7", "streams: 256: HT has 1 to 4 streams", "width: 'wide' is not"],
        ),
        (
            n,
            "mcs = \"7\"\nstreams = 0\ngi = 400\nwidth = \"wide\"",
            &[
                "mcs: '7' is not a whole number (write it without quotes)",
                "streams: 0: HT has 1 to 4 streams",
                "gi: '400' is not",
                "width: 'wide' is not",
            ],
        ),
        (
            n,
            "distance = 3\nfer = 0.1",
            &[
                "fer: give one of distance, fer, snr, mpdu_error_rate and walk: each says which frames are lost",
            ],
        ),
    ] {
        let told = refused(wifi, station, "");
        assert_eq!(told.len(), messages.len(), "{told:#?}");
        for message in messages {
            let message = format!("[[station]] {message}");
            assert!(told.iter().any(|told| told.starts_with(&message)), "{message}: {told:#?}");
        }
    }
    let told = refused(n, "", "access = \"voice\"");
    assert_eq!(told, ["[[app]] access: 'voice' is not known (known: vo, vi, be, bk)"]);
}

/// More than fits, in aggregates of the 20 frames that 4 ms have room for at 65 Mb/s; a cycle is AIFS and a mean
/// backoff of 43 + 67.5 us, 3840 us of PPDU, SIFS and BLOCK ACK, in all 3998.5 us.
#[test]
fn what_waits_below_the_queue_is_measured() {
    let text = "duration = \"11s\"\nmeasure = [\"1s\", \"11s\"]\n[wifi]\nphy = \"std-11n\"\nbeacon_interval = \"off\"\n\
                [[station]]\nname = \"s\"\nfer = 0\n\
                [[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\nrate = \"80Mb/s\"\n";
    let file = ScenarioFile::parse("below.toml", text).unwrap();
    let params = "fifo:limit=100".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
    let figures = &measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps[0];
    // Of the ring's 128 places 20 are free at the end of an aggregate. Those that come are after 108 others: of
    // each 20 the first 12 go out with the sixth aggregate from then on, 8 with the seventh.
    let cycle_s = 3998.5e-6;
    let wait_s = (12.0 * 5.0 + 8.0 * 6.0) / 20.0 * cycle_s + 110.5e-6;
    for (metric, expected) in [
        (Metric::IpThroughput, 20.0 * 12_000.0 / cycle_s),
        (Metric::AmpduFrames, 20.0),
        (Metric::PhyRate, 65e6),
        (Metric::BelowDelay, wait_s),
        (Metric::BelowPackets, 20.0 / cycle_s * wait_s),
    ] {
        let seen = figures[&metric];
        assert!((seen / expected - 1.0).abs() < 0.005, "{}: {seen} instead of {expected}", metric.name());
    }
    let (p99, least) = (figures[&Metric::BelowDelayP99], 6.0 * cycle_s);
    assert!((least..1.1 * least).contains(&p99), "{p99}");
    // One packet at a time: nothing waits there.
    let old = ScenarioFile::parse("below.toml", &text.replace("std-11n", "std-11g")).unwrap();
    let figures = &measure(&old.scenario, &airtab_sim::run(&old.scenario, &params, 1)).apps[0];
    assert!(!figures.contains_key(&Metric::BelowPackets) && !figures.contains_key(&Metric::AmpduFrames));
}

#[test]
fn the_driver_below() {
    let keys = "[wifi.driver]\nstop = false\ncompletions = \"aggregate\"\ncompletion_delay = \"2ms\"\n\
                completions_lost = 0.1\norphan = true\ninflight = \"10ms\"\ninflight_station = \"5ms\"\nstale = \"30ms\"\n";
    let station = "[[station]]\nname = \"s\"\nmcs = 4\nasleep = [\"100ms\", \"800ms\"]\n";
    let file = modern("std-11n", keys, station);
    let expected = DriverConfig {
        ring: 128,
        aggregates: 2,
        stop: false,
        completions: Completions::Aggregate,
        completion_delay_ns: 2_000_000,
        completions_lost: 0.1,
        orphan: true,
        governor: Some(GovernorConfig {
            inflight_ns: 10_000_000,
            inflight_station_ns: 5_000_000,
            stale_ns: 30_000_000,
        }),
        ..DriverConfig::default()
    };
    assert_eq!(file.scenario.medium.cell().unwrap().driver, expected);
    assert_eq!(file.scenario.stations[0].asleep, Some(100_000_000..800_000_000));
    let governor = |keys: &str| {
        let file = modern("std-11n", &format!("[wifi.driver]\n{keys}\n"), "");
        let governor = file.scenario.medium.cell().unwrap().driver.governor;
        const US: u32 = 1000;
        governor.map(|governor| {
            [governor.inflight_ns, governor.inflight_station_ns, governor.stale_ns].map(|ns| ns / US)
        })
    };
    assert_eq!(governor("ring = 1000"), None);
    assert_eq!(governor("inflight = \"off\""), None);
    assert_eq!(governor("inflight = \"9ms\""), Some([9_000, 4_000, 100_000]));
    assert_eq!(governor("inflight = \"3ms\""), Some([3_000, 3_000, 100_000]));
    assert_eq!(governor("inflight = \"140ms\""), Some([140_000, 4_000, 140_000]));
    assert_eq!(governor("inflight_station = \"2ms\""), Some([8_000, 2_000, 100_000]));
    assert_eq!(governor("stale = \"30ms\""), Some([8_000, 4_000, 30_000]));
    assert_eq!(governor("inflight = \"off\"\ninflight_station = \"2ms\"\nstale = \"100ms\""), None);
}

#[test]
fn what_a_driver_cannot_is_refused() {
    let driver = |keys: &str| refused(&format!("phy = \"std-11n\"\n[wifi.driver]\n{keys}"), "", "");
    for (keys, message) in [
        ("stop = 1", "[wifi.driver] stop: '1' is not true or false"),
        ("completions = \"all\"", "[wifi.driver] completions: 'all' is not known (known: each, aggregate)"),
        ("completion_delay = \"2s\"", "[wifi.driver] completion_delay: '2s' is outside 0ns to 1s"),
        ("completions_lost = 1.5", "[wifi.driver] completions_lost: '1.5' is outside 0 to 1"),
        ("inflight = \"10us\"", "[wifi.driver] inflight: '10us' is outside 100us to 1s, or \"off\""),
        (
            "inflight_station = \"9ms\"",
            "[wifi.driver] inflight_station: more than inflight, which is 8ms: that or less",
        ),
        (
            "inflight = \"20ms\"\nstale = \"19ms\"",
            "[wifi.driver] stale: less than inflight, which is 20ms: that or more",
        ),
    ] {
        assert_eq!(driver(keys), [message]);
    }
    let asleep =
        |phy: &str, time: &str| refused(&format!("phy = \"{phy}\""), &format!("asleep = {time}"), "");
    assert_eq!(
        asleep("std-11g", "[\"100ms\", \"200ms\"]"),
        [
            "[[station]] asleep: only where packets wait at the driver: medium dcf, and a profile with rates by MCS or a ring \
          above 1 in [wifi.driver]"
        ]
    );
    assert_eq!(
        asleep("std-11n", "[\"100ms\", \"2s\"]"),
        ["[[station]] asleep: [\"100ms\", \"2s\"] goes past the end of the run (1s)"]
    );
    assert_eq!(
        asleep("std-11n", "[\"200ms\", \"100ms\"]"),
        ["[[station]] asleep: [\"200ms\", \"100ms\"] is empty: the second time must be after the first"]
    );
}
