//! Every way to get a scenario file wrong, and what the reader says about it.
//! The messages are frozen in `snapshots/`: read a change of them as a user would.

use airtab_lab::{HOME, ScenarioFile};

/// Name of the case, text of the built-in scenario to replace, its replacement.
const CASES: &[(&str, &str, &str)] = &[
    ("unknown key at the top", "duration = ", "durration = "),
    ("unknown key far from any", "[wifi]", "[wifi]\nchannel = 6"),
    ("unknown table", "[wired]", "[wires]"),
    ("unknown key of an application", "class = 1", "clas = 1"),
    ("time without unit", "duration = \"330s\"", "duration = 330"),
    ("time with the unit of a rate", "\"1ms\"\n\n[queue]", "\"1Mb/s\"\n\n[queue]"),
    ("negative time", "stop = \"330s\"", "stop = \"-5s\""),
    ("no time at all", "duration = \"330s\"", "duration = \"0s\""),
    ("too long", "duration = \"330s\"", "duration = \"1000000s\""),
    ("more than 64 bits", "duration = \"330s\"", "duration = \"99999999999999999999s\""),
    ("measured past the end", "\"270s\"]", "\"331s\"]"),
    ("measured part empty", "[\"90s\", \"270s\"]", "[\"270s\", \"270s\"]"),
    ("measured part of three times", "[\"90s\", \"270s\"]", "[\"90s\", \"100s\", \"270s\"]"),
    ("measured part of numbers", "[\"90s\", \"270s\"]", "[90, 270]"),
    ("measured part is one time", "[\"90s\", \"270s\"]", "\"90s\""),
    ("unknown profile", "\"phy-a\"", "\"phy-b\""),
    ("profile is a number", "\"phy-a\"", "11"),
    ("no attempts", "attempts = 7", "attempts = 0"),
    ("too many attempts", "attempts = 7", "attempts = 256"),
    ("attempts as text", "attempts = 7", "attempts = \"7\""),
    ("attempts with a fraction", "attempts = 7", "attempts = 7.5"),
    ("backoff rule", "attempts = 7", "backoff = \"bianci\""),
    ("delivery rule", "attempts = 7", "deliver_on = \"later\""),
    ("eifs as text", "attempts = 7", "eifs = \"yes\""),
    ("beacon interval", "attempts = 7", "beacon_interval = \"never\""),
    ("beacon bytes", "attempts = 7", "beacon_bytes = 1"),
    ("uplink packets", "attempts = 7", "uplink_packets = 0"),
    ("wired rate 0", "\"100Mb/s\"", "\"0Mb/s\""),
    ("wired queue 0", "rate = \"100Mb/s\"", "queue = 0"),
    ("limit 0", "limit = 35 ", "limit = 0 "),
    ("limit as text", "limit = 35 ", "limit = \"many\" "),
    ("limit beyond a discipline", "limit = 35 ", "limit = 100000 "),
    ("unknown discipline", "limit = 35 ", "limit = 35\n[queue.chop]\n"),
    ("discipline is a number", "limit = 35 ", "limit = 35\nchap = 25\n"),
    ("unknown parameter", "limit = 35 ", "[queue.chap]\nincrments = \"25ms\"\n"),
    ("parameter out of range", "limit = 35 ", "[queue.chap]\nincrement = \"1h\"\n"),
    ("parameter outside 1 to 16", "limit = 35 ", "[queue.spq]\nclasses = 17\n"),
    ("too many values", "limit = 35 ", "[queue.spq]\nclasses = [1, 2]\n"),
    ("choice", "limit = 35 ", "[queue.chap]\nprofile = \"fast\"\n"),
    ("rule between parameters", "limit = 35 ", "limit = 35\n[queue.chap]\nflows = 20\n"),
    ("station name twice", "name = \"phone\"", "name = \"console\""),
    ("station name empty", "name = \"phone\"", "name = \"\""),
    ("station name with a line break", "name = \"phone\"", "name = \"a\\nb\""),
    ("station without name", "name = \"phone\"", ""),
    ("station rate without unit", "\"54Mb/s\"\ndistance = 1.0                #", "\"54\" #"),
    ("station rate 0", "\"54Mb/s\"\ndistance = 1.0                #", "\"0Mb/s\" #"),
    ("station rate too high", "\"54Mb/s\"\ndistance = 1.0                #", "\"100Gb/s\" #"),
    ("station rate too fine", "\"54Mb/s\"\ndistance = 1.0                #", "\"5500001b/s\" #"),
    ("distance 0", "distance = 1.0                #", "distance = 0 #"),
    ("distance below 0", "distance = 1.0                #", "distance = -1 #"),
    ("distance too far", "distance = 1.0                #", "distance = \"2 km\" #"),
    ("distance 1001 m", "distance = 1.0                #", "distance = 1001 #"),
    ("distance not a number", "distance = 1.0                #", "distance = nan #"),
    ("error rate above 1", "distance = 1.0                #", "fer = 1.5 #"),
    ("error rate as text", "distance = 1.0                #", "fer = \"high\" #"),
    ("distance and error rate", "distance = 1.0                #", "distance = 1\nfer = 0.1 #"),
    ("application name twice", "name = \"call\"", "name = \"game\""),
    ("application without kind", "kind = \"voip\"", ""),
    ("unknown kind", "kind = \"voip\"", "kind = \"phone\""),
    ("unknown station", "station = \"laptop\"", "station = \"labtop\""),
    ("stop before start", "stop = \"270s\"", "stop = \"80s\""),
    ("stop after the end", "stop = \"270s\"", "stop = \"400s\""),
    ("class too high", "class = 1", "class = 255"),
    ("class below 0", "class = 1", "class = -1"),
    (
        "latency too long",
        "latency = \"1ms\"\n\n[[app]]\nname = \"call\"",
        "latency = \"11s\"\n\n[[app]]\nname = \"call\"",
    ),
    ("unknown congestion control", "\"cubic\"", "\"vegas\""),
    ("congestion control of a call", "kind = \"voip\"", "kind = \"voip\"\ncongestion = \"cubic\""),
    ("one table instead of a list", "[[station]]\nname = \"console\"", "[station]\nname = \"console\""),
    ("key twice", "attempts = 7", "attempts = 7\nattempts = 8"),
    ("text without end", "name = \"home\"", "name = \"home"),
    ("tabs before the mark", "attempts = 7", "\tattempts = \t300"),
];

#[test]
fn every_message() {
    let mut all = String::new();
    for (case, from, to) in CASES {
        assert!(HOME.contains(from), "{case}: '{from}' is not in the built-in scenario");
        let text = HOME.replacen(from, to, 1);
        let message = match ScenarioFile::parse("home.toml", &text) {
            Ok(_) => panic!("{case}: accepted"),
            Err(e) => e.to_string(),
        };
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    for (case, text) in [
        ("empty file", ""),
        ("not TOML", "<scenario/>"),
        ("no stations and applications", "duration = \"1s\"\nstation = []\napp = []"),
        ("stations are numbers", "duration = \"1s\"\nstation = [1]\napp = 2"),
    ] {
        let message = ScenarioFile::parse("home.toml", text).expect_err(case);
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_cut_file_is_refused_or_whole() {
    // Cut anywhere, the file is wrong or still says something complete; never a panic.
    for end in (0..HOME.len()).filter(|i| HOME.is_char_boundary(*i)) {
        let _ = ScenarioFile::parse("cut.toml", &HOME[..end]);
    }
    let in_the_middle = &HOME[..HOME.find("[[app]]").expect("there are applications")];
    let message = ScenarioFile::parse("cut.toml", in_the_middle).unwrap_err().to_string();
    assert_eq!(message, "cut.toml: no application: at least one [[app]] is needed");
}

#[test]
fn more_stations_than_802_11_can_number() {
    let stations = |n: usize| (0..n).map(|i| format!("[[station]]\nname = \"s{i}\"\n")).collect::<String>();
    let app = "[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s0\"\n";
    let file = |n| format!("duration = \"1s\"\n{}{app}", stations(n));
    assert!(ScenarioFile::parse("many.toml", &file(2007)).is_ok());
    let message = ScenarioFile::parse("many.toml", &file(2008)).unwrap_err().to_string();
    assert!(message.contains("2008 stations: at most 2007"), "{message}");
}
