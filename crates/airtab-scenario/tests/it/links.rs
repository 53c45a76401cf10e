// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What frames are lost by, and who chooses their rate, in scenario files and of running stations: what is said,
//! and what is refused.

use crate::common;

use airtab_scenario::{Errors, Metric, QueueSpec, ScenarioFile, measure, station_change};
use airtab_sim::NEVER;
use airtab_sim::wifi::{Loss, Mean, RateAlgorithm, Shadowing, Signal, Walk};
use common::{modern, refused};

pub const SNR: &str = "errors = \"snr\"";

/// The loss of a station with these keys, in an 802.11n cell with those.
fn loss(wifi: &str, station: &str) -> Loss {
    let file = modern("std-11n", wifi, &format!("[[station]]\nname = \"s\"\n{station}\n"));
    assert_eq!((file.warnings.len(), file.scenario.check()), (0, Ok(())));
    file.scenario.stations[0].loss
}

fn steady(mean: Mean) -> Loss {
    Loss::Signal(Signal::steady(mean))
}

#[test]
fn frames_are_lost_by_what_errors_says() {
    let by = Shadowing::default();
    for wifi in ["", "errors = \"shadowing\""] {
        assert_eq!(loss(wifi, ""), Loss::Shadowing { distance_m: 1.0, by });
        assert_eq!(loss(wifi, "distance = 12"), Loss::Shadowing { distance_m: 12.0, by });
        assert_eq!(loss(wifi, "fer = 0.25"), Loss::Fer(0.25));
    }
    assert_eq!(loss("errors = \"fer\"", ""), Loss::None);
    assert_eq!(loss("errors = \"fer\"", "fer = 0.25"), Loss::Fer(0.25));
    assert_eq!(loss(SNR, ""), steady(Mean::Distance(1.0)));
    assert_eq!(loss(SNR, "distance = \"12 m\""), steady(Mean::Distance(12.0)));
    assert_eq!(loss(SNR, "distance = 1000"), steady(Mean::Distance(1000.0)));
    assert_eq!(loss(SNR, "snr = 23.5"), steady(Mean::Given(23.5)));
    assert_eq!(loss(SNR, "snr = \"-3 dB\""), steady(Mean::Given(-3.0)));
    for db in [-20.0, 100.0] {
        assert_eq!(
            loss(SNR, &format!("snr = \"{db} dB\"")),
            steady(Mean::Given(db)),
            "an end of what there is"
        );
    }
    assert_eq!(loss(SNR, "fer = 0"), Loss::None, "whatever the signal");
    let old = modern("std-11g", "errors = \"fer\"", "");
    assert_eq!((old.errors, old.scenario.stations[0].loss), (Errors::Fer, Loss::None));
}

#[test]
fn shadows_stay_for_their_coherence_time() {
    let shadowed = |wifi: &str| match loss(&format!("{SNR}\n{wifi}"), "distance = 20") {
        Loss::Signal(Signal { deviation_db, coherence_ns, .. }) => (deviation_db, coherence_ns),
        loss => panic!("{loss:?}"),
    };
    assert_eq!(shadowed(""), (0.0, NEVER));
    assert_eq!(shadowed("coherence = \"100ms\""), (7.0, 100_000_000));
    assert_eq!(shadowed("coherence = \"2s\"\nshadowing_deviation = 4"), (4.0, 2_000_000_000));
}

/// A change keeps what the last change of its own link has set, in the order of the times.
#[test]
fn changes_add_up_link_by_link() {
    let change = |at: u32, station: &str, key: &str, value: &str| {
        format!("[[change]]\nat = \"{at}00ms\"\nstation = \"{station}\"\nkey = \"{key}\"\nvalue = {value}\n")
    };
    let changes = [
        change(9, "s", "streams", "2"),
        change(3, "s", "mcs", "1"),
        change(5, "t", "mcs", "6"),
        change(7, "s", "snr", "11"),
        change(8, "s", "mcs", "2"),
    ];
    let stations =
        "[[station]]\nname = \"s\"\nmcs = 4\nsnr = 30\n[[station]]\nname = \"t\"\nmcs = 5\nsnr = 20\n";
    let scenario = modern("std-11n", SNR, &format!("{stations}{}", changes.concat())).scenario;
    let seen: Vec<_> = scenario
        .changes
        .iter()
        .map(|change| (change.at_ns / 100_000_000, change.speed.to_string(), change.loss))
        .collect();
    let of = |mcs: u8, streams: u8| {
        let key = format!("[[station]]\nname = \"s\"\nmcs = {mcs}\nstreams = {streams}\n");
        modern("std-11n", SNR, &key).scenario.stations[0].speed.to_string()
    };
    let snr = |db: f64| steady(Mean::Given(db));
    let expected = [
        (3, of(1, 1), snr(30.0)),
        (5, of(6, 1), snr(20.0)),
        (7, of(1, 1), snr(11.0)),
        (8, of(2, 1), snr(11.0)),
        (9, of(2, 2), snr(11.0)),
    ];
    assert_eq!(seen, expected);
}

/// Changes of one time come in the order of the file; one that cannot be is told at its own place, whatever its time.
#[test]
fn changes_keep_their_places() {
    let change = |at: u32, value: &str| {
        format!("[[change]]\nat = \"{at}00ms\"\nstation = \"s\"\nkey = \"snr\"\nvalue = {value}\n")
    };
    let text = |changes: &[String]| {
        let app = "[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s\"\n";
        format!(
            "duration = \"1s\"\n[wifi]\nphy = \"std-11n\"\n{SNR}\n[[station]]\nname = \"s\"\nsnr = 30\n{app}{}",
            changes.concat()
        )
    };
    let same = text(&[change(5, "11"), change(3, "7"), change(5, "13"), change(3, "9")]);
    let scenario = ScenarioFile::parse("x.toml", &same).unwrap_or_else(|e| panic!("{e}")).scenario;
    let seen: Vec<_> =
        scenario.changes.iter().map(|change| (change.at_ns / 100_000_000, change.loss)).collect();
    let expected = [(3, 7.0), (3, 9.0), (5, 11.0), (5, 13.0)];
    assert_eq!(seen, expected.map(|(at, db)| (at, steady(Mean::Given(db)))));
    // The second of the file, and the first in time; each change has five lines behind eleven.
    let wrong = text(&[change(5, "11"), change(3, "700"), change(4, "9")]);
    let told = ScenarioFile::parse("x.toml", &wrong).expect_err("too loud").to_string();
    assert!(told.starts_with("x.toml:21:9: [[change]] value: snr: '700' is not a signal"), "{told}");
}

#[test]
fn stations_have_a_rate_control() {
    let of = |key: &str| {
        let file = modern("std-11n", SNR, &format!("[[station]]\nname = \"s\"\nmcs = 4\n{key}\n"));
        file.scenario.stations[0].speed
    };
    for (name, control) in [
        ("fixed", RateAlgorithm::Fixed),
        ("ideal", RateAlgorithm::Ideal),
        ("aarf", RateAlgorithm::Aarf),
        ("minstrel", RateAlgorithm::Minstrel),
    ] {
        assert_eq!(of(&format!("rate_control = \"{name}\"")).control, control);
    }
    assert_eq!(of("").control, RateAlgorithm::Fixed);
    assert_eq!(of("").to_string(), "HT20 MCS 4, 39 Mb/s");
    assert_eq!(of("rate_control = \"minstrel\"").to_string(), "minstrel up to HT20 MCS 4, 39 Mb/s");
    let old = modern("std-11g", "", "[[station]]\nname = \"s\"\nrate_control = \"fixed\"\n");
    assert_eq!(old.scenario.stations[0].speed.control, RateAlgorithm::Fixed);
}

#[test]
fn what_a_link_cannot_be_is_refused() {
    let n = |keys: &str| format!("phy = \"std-11n\"\n{keys}");
    let snr = n(SNR);
    let one = "give one of distance, fer, snr, mpdu_error_rate and walk: each says which frames are lost";
    for (wifi, station, messages) in [
        (
            n("errors = \"nsr\""),
            "snr = 20\nrate_control = \"ideal\"",
            &["[wifi] errors: 'nsr' is not known; did you mean `snr`? (known: fer, shadowing, snr)"][..],
        ),
        (
            "errors = \"snr\"".into(),
            "",
            &[
                "[wifi] errors: \"snr\" is for profiles with rates by MCS; this is phy-a: \"fer\" or \"shadowing\"",
            ],
        ),
        (
            "medium = \"emulator\"\nerrors = \"snr\"".into(),
            "",
            &["[wifi] errors: \"snr\" is only for medium dcf; this is emulator"],
        ),
        (
            n("coherence = \"1s\""),
            "snr = 20",
            &[
                "[[station]] snr: only with errors = \"snr\" in [wifi]; this is \"shadowing\"",
                "[wifi] coherence: only with errors = \"snr\"; this is \"shadowing\"",
            ],
        ),
        (
            n(
                "errors = \"fer\"\nshadowing_deviation = 4\npath_loss_exponent = 2\nlink_margin = 3\ncoherence = \"1s\"",
            ),
            "distance = 3",
            &[
                "[[station]] distance: only with errors = \"shadowing\" or \"snr\" in [wifi]; this is \"fer\"",
                "[wifi] shadowing_deviation: only with errors = \"shadowing\" or \"snr\"; this is \"fer\"",
                "[wifi] path_loss_exponent: only with errors = \"shadowing\"; this is \"fer\"",
                "[wifi] link_margin: only with errors = \"shadowing\"; this is \"fer\"",
                "[wifi] coherence: only with errors = \"snr\"; this is \"fer\"",
            ],
        ),
        (
            n("errors = \"snr\"\npath_loss_exponent = 2\nlink_margin = 3\nshadowing_deviation = 4"),
            "",
            &[
                "[wifi] path_loss_exponent: only with errors = \"shadowing\"; this is \"snr\"",
                "[wifi] link_margin: only with errors = \"shadowing\"; this is \"snr\"",
                "[wifi] shadowing_deviation: with errors = \"snr\" shadows come and go: say how long each stays, such as coherence = \"1s\"",
            ],
        ),
        (
            n("errors = \"snr\"\ncoherence = \"0s\""),
            "snr = 101",
            &[
                "[[station]] snr: '101' is not a signal-to-noise ratio in dB, such as 25 or \"25 dB\" (-20 to 100)",
                "[wifi] coherence: '0s' is outside 1ms to 86400s",
            ],
        ),
        (snr.clone(), "snr = nan", &["[[station]] snr: 'nan' is not a signal"]),
        (snr.clone(), "snr = -inf", &["[[station]] snr: '-inf' is not a signal"]),
        (snr.clone(), "snr = -20.5", &["[[station]] snr: '-20.5' is not a signal"]),
        (snr.clone(), "snr = \"25 m\"", &["[[station]] snr: '25 m' is not a signal"]),
        (snr.clone(), "distance = 3\nsnr = 20", &[&format!("[[station]] snr: {one}")]),
        (snr.clone(), "fer = 0.1\nsnr = 20", &[&format!("[[station]] snr: {one}")]),
        (
            snr.clone(),
            "distance = 3\nfer = 0.1\nsnr = 20",
            &[&format!("[[station]] fer: {one}"), &format!("[[station]] snr: {one}")],
        ),
        (
            snr.clone(),
            "rate_control = \"minstrell\"",
            &[
                "[[station]] rate_control: 'minstrell' is not known; did you mean `minstrel`? (known: fixed, ideal, aarf, minstrel)",
            ],
        ),
        (
            snr,
            "fer = 0.1\nrate_control = \"aarf\"",
            &[
                "[[station]] rate_control: \"aarf\" chooses by what arrives at each rate, and here frames are lost whatever the rate: with errors = \"snr\" in [wifi], and a distance or snr",
            ],
        ),
        (n(""), "rate_control = \"ideal\"", &["[[station]] rate_control: \"ideal\" chooses by"]),
        (n(""), "rate_control = \"minstrel\"", &["[[station]] rate_control: \"minstrel\" chooses by"]),
        (
            "phy = \"std-11g\"".into(),
            "rate_control = \"minstrel\"",
            &["[[station]] rate_control: only for profiles with rates by MCS; this is std-11g: \"fixed\""],
        ),
    ] {
        let told = refused(&wifi, station, "");
        assert_eq!(told.len(), messages.len(), "{told:#?}");
        for message in messages {
            assert!(told.iter().any(|told| told.starts_with(message)), "{message}: {told:#?}");
        }
    }
}

#[test]
fn stations_walk() {
    let walk = |errors: &str, stops: &str| {
        modern("std-11n", errors, &format!("[[station]]\nname = \"s\"\nwalk = {stops}\n"))
            .scenario
            .stations
            .remove(0)
    };
    let far = walk(SNR, "[[\"200ms\", 2], [\"1s\", \"18 m\"]]");
    assert_eq!(far.walk, Walk::new(vec![(200_000_000, 2.0), (1_000_000_000, 18.0)]).ok());
    assert_eq!(far.loss, steady(Mean::Distance(2.0)), "where it sets out");
    let by = Shadowing::default();
    assert_eq!(walk("", "[[\"0s\", 3]]").loss, Loss::Shadowing { distance_m: 3.0, by });
    let n = |keys: &str| format!("phy = \"std-11n\"\n{keys}");
    let list = "is not a list of times and distances such as [[\"0s\", 1], [\"60s\", 60]]";
    for (wifi, station, message) in [
        (n(""), "walk = []", "nowhere to be: at least one time and distance"),
        (n(""), "walk = 3", &format!("3 {list}")),
        (n(""), "walk = [3]", &format!("[3] {list}")),
        (n(""), "walk = [[\"0s\", 1, 2]]", &format!("[[\"0s\", 1, 2]] {list}")),
        (n(""), "walk = [[0, 1]]", "'0' is not a time"),
        (n(""), "walk = [[\"2s\", 1]]", "2s is past the end of the run (1s)"),
        (n(""), "walk = [[\"0s\", 0]]", "'0' is not a distance in metres above 0"),
        (n(""), "walk = [[\"0s\", 1], [\"0s\", 2]]", "0ns is not after 0ns: times must rise"),
        (
            n(""),
            "distance = 2\nwalk = [[\"0s\", 1]]",
            "give one of distance, fer, snr, mpdu_error_rate and walk",
        ),
        (
            n("errors = \"fer\""),
            "walk = [[\"0s\", 1]]",
            "only with errors = \"shadowing\" or \"snr\" in [wifi]",
        ),
        ("medium = \"emulator\"".into(), "walk = [[\"0s\", 1]]", "only for medium dcf; nobody walks"),
    ] {
        let told = refused(&wifi, station, "");
        assert!(told.len() == 1 && told[0].starts_with(&format!("[[station]] walk: {message}")), "{told:#?}");
    }
}

/// 1 m/s, at MCS 7 alone: at 15 m all arrives, at 45 m (17.7 dB) nothing.
#[test]
fn who_walks_away_is_heard_no_more() {
    let goodput = |place: &str, from: u64| {
        let text = format!(
            "duration = \"60s\"\nmeasure = [\"{from}s\", \"{}s\"]\n[wifi]\nphy = \"std-11n\"\n{SNR}\n\
             [[station]]\nname = \"s\"\n{place}\n\
             [[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\nrate = \"10Mb/s\"\n",
            from + 10
        );
        let file = ScenarioFile::parse("walk.toml", &text).unwrap();
        let params = "fifo:limit=100".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let apps = measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps;
        apps[0].get(&Metric::Goodput).copied().unwrap_or(0.0)
    };
    let walk = "walk = [[\"0s\", 1], [\"59s\", 60]]";
    assert_eq!(goodput(walk, 10), goodput("distance = 15", 10));
    assert_eq!((goodput(walk, 40), goodput("distance = 15", 40) > 9e6), (0.0, true));
    let back = "walk = [[\"0s\", 60], [\"39s\", 1]]";
    assert_eq!(goodput(back, 0), 0.0);
    assert!(goodput(back, 45) > 9e6, "it came back");
}

/// As `airtab live set` does.
#[test]
fn the_link_of_a_running_station() {
    let station = "[[station]]\nname = \"other\"\n[[station]]\nname = \"s\"\nrate_control = \"minstrel\"\n";
    let file = modern("std-11n", &format!("{SNR}\ncoherence = \"1s\""), station);
    let signal = |mean| Loss::Signal(Signal { mean, deviation_db: 7.0, coherence_ns: 1_000_000_000 });
    let now = |number: usize| (file.scenario.stations[number].speed, file.scenario.stations[number].loss);
    let change = |number, key: &str, value: &str| station_change(&file, number, now(number), key, value);
    let (speed, _) = now(1);
    assert_eq!(change(1, "distance", "20 m"), Ok((speed, signal(Mean::Distance(20.0)))));
    assert_eq!(change(1, "snr", "12.5"), Ok((speed, signal(Mean::Given(12.5)))));
    for (share, loss) in [("0.5", Loss::Fer(0.5)), ("1", Loss::Fer(1.0)), ("0", Loss::None)] {
        assert_eq!(change(0, "fer", share), Ok((now(0).0, loss)));
    }
    assert_eq!(change(1, "mcs", "3").map(|changed| changed.0.control), Ok(RateAlgorithm::Minstrel));
    for control in RateAlgorithm::ALL {
        let changed = change(1, "rate_control", control.name()).expect("it is one");
        assert_eq!((changed.0.control, changed.0.rate, changed.1), (control, speed.rate, now(1).1));
    }
    for (number, key, value, message) in [
        (1, "fer", "0.5", "fer: its rate_control: \"minstrel\" chooses by what arrives at each rate"),
        (1, "fer", "nan", "fer: 'nan' is not a share of frames such as 0.1 (0 to 1)"),
        (1, "snr", "nan", "snr: 'nan' is not a signal-to-noise ratio in dB"),
        (1, "snr", "1e9", "snr: '1e9' is not a signal-to-noise ratio in dB"),
        (1, "distance", "1000.5", "distance: '1000.5' is not a distance in metres above 0 and up to 1000"),
        (1, "distance", "0", "distance: '0' is not a distance in metres above 0"),
        (1, "snr", "100.5 dB", "snr: '100.5 dB' is not a signal-to-noise ratio in dB"),
        (1, "distance", "inf", "distance: 'inf' is not a distance"),
        (1, "distance", "+3", "distance: '+3' is not a distance"),
        (1, "snr", "-.5", "snr: '-.5' is not a signal-to-noise ratio in dB"),
        (1, "rate_control", "samplerate", "rate_control: 'samplerate' is not known (known: fixed, ideal"),
        (
            1,
            "rate_control",
            "minstrell",
            "rate_control: 'minstrell' is not known; did you mean `minstrel`? (known: fixed, ideal",
        ),
    ] {
        let refused = change(number, key, value).unwrap_err();
        assert!(refused.starts_with(message), "{refused}");
    }
    let refused = |file: &ScenarioFile, key: &str, value: &str| {
        let station = &file.scenario.stations[0];
        station_change(file, 0, (station.speed, station.loss), key, value).unwrap_err()
    };
    let (fer, plain) = (modern("std-11n", "errors = \"fer\"", ""), modern("std-11n", "", ""));
    let old = modern("std-11g", "", "");
    assert_eq!(
        refused(&fer, "distance", "3"),
        "distance: only with errors = \"shadowing\" or \"snr\" in [wifi]; this is \"fer\""
    );
    assert_eq!(
        refused(&plain, "snr", "3"),
        "snr: only with errors = \"snr\" in [wifi]; this is \"shadowing\""
    );
    assert!(refused(&plain, "rate_control", "aarf").starts_with("rate_control: \"aarf\" chooses by"));
    assert_eq!(
        refused(&old, "rate_control", "aarf"),
        "rate_control: only for profiles with rates by MCS; this is std-11g: \"fixed\""
    );
}

const VOICE: &str =
    "[[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\nrate = \"1Mb/s\"\naccess = \"vo\"\n";

/// HT20 MCS 0 sends 26 bits in 4 us: 1500 bytes, 38 and 22 bits around them in 475 symbols, preamble of 36, SIFS and ACK
/// of 60 us: 1996 us. The TXOP of voice is 1504 us.
#[test]
fn a_packet_beyond_its_txop_is_refused() {
    let text = format!(
        "duration = \"1s\"\n[wifi]\nphy = \"std-11n\"\naggregation = \"off\"\n[[station]]\nname = \"s\"\nmcs = 0\n{VOICE}"
    );
    let told = ScenarioFile::parse("txop.toml", &text).unwrap_err().to_string();
    assert_eq!(
        told,
        "txop.toml:13:10: [[app]] access: vo: a packet of 1500 bytes takes 1996us at HT20 MCS 0, 6.5 Mb/s, and its TXOP is \
         1504us: a faster rate, smaller packets, another category, or txop = false in [wifi]\n   13 | access = \"vo\"\n      |          ^^^^"
            .replace("   13 |", "  13 |")
            .replace("      |          ^", "     |          ^")
    );
    let refuses = |text: &str| ScenarioFile::parse("txop.toml", text).is_err();
    for (from, to) in [
        ("mcs = 0", "mcs = 1"),
        ("mcs = 0", "width = 40\nmcs = 0"),
        ("access = \"vo\"", "access = \"vi\""),
        ("access = \"vo\"", "access = \"be\""),
        ("access = \"vo\"", "access = \"vo\"\nbytes = 1100"),
        ("kind = \"udp\"\nstation = \"s\"\nrate = \"1Mb/s\"", "kind = \"voip\"\nstation = \"s\""),
        ("kind = \"udp\"\nstation = \"s\"\nrate = \"1Mb/s\"", "kind = \"ping\"\nstation = \"s\""),
        ("phy = \"std-11n\"", "phy = \"std-11n\"\ntxop = false"),
        // Alone, under a block ACK agreement.
        ("aggregation = \"off\"", ""),
        ("aggregation = \"off\"", "aggregation = \"ampdu+amsdu\""),
        ("phy = \"std-11n\"", "phy = \"std-11n\"\nedca = \"off\""),
        ("mcs = 0", "mcs = 1\nrate_control = \"minstrel\"\n[wifi]\nphy = \"std-11n\"\nerrors = \"snr\""),
    ] {
        let fine = text.replace(from, to);
        let fine = if to.contains("[wifi]") {
            fine.replacen("[wifi]\nphy = \"std-11n\"\naggregation = \"off\"\n", "", 1)
        } else {
            fine
        };
        assert!(!refuses(&fine), "{to}");
    }
    for (from, to) in [
        ("access = \"vo\"", "access = \"vo\"\nbytes = 1200"),
        ("kind = \"udp\"\nstation = \"s\"\nrate = \"1Mb/s\"", "kind = \"download\"\nstation = \"s\""),
        ("kind = \"udp\"\nstation = \"s\"\nrate = \"1Mb/s\"", "kind = \"video\"\nstation = \"s\""),
        ("phy = \"std-11n\"", "phy = \"std-11n\"\nedca = \"hostapd\""),
        // It would fit with shorter segments.
        ("kind = \"udp\"\nstation = \"s\"\nrate = \"1Mb/s\"", "kind = \"upload\"\nstation = \"s\""),
        // It would fit without the RTS.
        ("phy = \"std-11n\"", "phy = \"std-11n\"\nrts = 500"),
    ] {
        assert!(refuses(&text.replace(from, to)), "{to}");
    }
    let short = text
        .replace("kind = \"udp\"\nstation = \"s\"\nrate = \"1Mb/s\"", "kind = \"upload\"\nstation = \"s\"");
    assert!(!refuses(&format!("{short}[tcp]\nmss = 1000\n")));
    let told = |bytes: u32, rts: &str| {
        let text = text.replace("phy = \"std-11n\"", &format!("phy = \"std-11n\"\n{rts}"));
        refuses(&text.replace("access = \"vo\"", &format!("access = \"vo\"\nbytes = {bytes}")))
    };
    assert_eq!([told(1103, ""), told(1104, "")], [false, true]);
    assert_eq!([told(999, "rts = 0"), told(1000, "rts = 0")], [false, true]);
}

/// Also of a running station.
#[test]
fn no_station_becomes_too_slow_for_its_txop() {
    let station = "[[station]]\nname = \"other\"\n[[station]]\nname = \"s\"\n";
    let file = modern("std-11n", "aggregation = \"off\"", &format!("{station}{VOICE}"));
    let change = |number: usize| {
        let own = &file.scenario.stations[number];
        station_change(&file, number, (own.speed, own.loss), "mcs", "0")
    };
    assert_eq!(
        change(1).unwrap_err(),
        "mcs: application u: access: vo: a packet of 1500 bytes takes 1996us at HT20 MCS 0, 6.5 Mb/s, and its TXOP is 1504us: \
         a faster rate, smaller packets, another category, or txop = false in [wifi]"
    );
    assert!(change(0).is_ok(), "nobody speaks there");
    let both = VOICE.replace("station = \"s\"", "station = \"s\"\nstations = 2");
    let file = modern("std-11n", "aggregation = \"off\"", &format!("{station}count = 2\n{both}"));
    let refused = [0, 1, 2].map(|number| {
        let own = &file.scenario.stations[number];
        station_change(&file, number, (own.speed, own.loss), "mcs", "0").is_err()
    });
    assert_eq!(refused, [false, true, true], "at each of its stations");
}

/// A change to a rate at which a packet does not fit is refused at each station of the application, and at the end of
/// the run as before it.
#[test]
fn changes_are_held_against_txops() {
    let refused = |at: &str, station: &str, mcs: u8| {
        let stations = "[[station]]\nname = \"a\"\n[[station]]\nname = \"b\"\ncount = 2\n";
        let voice = VOICE.replace("station = \"s\"", "station = \"b\"\nstations = 2");
        let text = format!(
            "duration = \"9s\"\n[wifi]\nphy = \"std-11n\"\naggregation = \"off\"\n{stations}{voice}[[change]]\nat = \"{at}\"\n\
             station = \"{station}\"\nkey = \"mcs\"\nvalue = {mcs}\n"
        );
        ScenarioFile::parse("change.toml", &text).err().map(|e| e.to_string())
    };
    for station in ["b", "b 2"] {
        let told = refused("9s", station, 0).expect(station);
        assert!(
            told.contains("[[change]] value: mcs: application u: access: vo: a packet of 1500 bytes"),
            "{told}"
        );
        assert_eq!(refused("9s", station, 1), None, "it fits, and the end of the run is part of it");
    }
    assert_eq!(refused("1s", "a", 0), None, "nobody speaks there");
    let late = refused("9001ms", "a", 1).expect("it is past the end");
    assert!(late.contains("[[change]] at: 9001ms is past the end of the run (9s)"), "{late}");
}

/// At 23.79 dB MCS 7 loses a tenth of its MPDUs (the reference of `errors`); 16 dB are too few for any of them. Rate
/// controls at 16 dB: `rate_chains`.
#[test]
fn losses_are_those_of_the_signal() {
    let run = |station: &str| {
        let text = format!(
            "duration = \"6s\"\nmeasure = [\"1s\", \"5s\"]\n[wifi]\nphy = \"std-11n\"\n{SNR}\n\
             [[station]]\nname = \"s\"\n{station}\n\
             [[app]]\nname = \"u\"\nkind = \"udp\"\nstation = \"s\"\nrate = \"70Mb/s\"\n"
        );
        let file = ScenarioFile::parse("snr.toml", &text).unwrap();
        let params = "fifo:limit=100".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps.remove(0)
    };
    let once = run("snr = 23.79")[&Metric::Attempts(1)];
    assert!((once - 0.9).abs() < 0.01, "{once}");
    assert_eq!(run("snr = 16").get(&Metric::Goodput).copied().unwrap_or(0.0), 0.0);
}
