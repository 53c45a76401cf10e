// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every way to get a scenario file wrong, and what the reader says about it.
//! The messages are frozen in `snapshots/`: read a change of them as a user would.

#[path = "common/bad_cases.rs"]
mod bad_cases;

use airtab_scenario::{HOME, ScenarioFile};
use airtab_sim::traffic::Video;

#[test]
fn every_message() {
    let mut all = String::new();
    for (case, text) in bad_cases::all() {
        let message = match ScenarioFile::parse("home.toml", &text) {
            Ok(_) => panic!("{case}: accepted"),
            Err(e) => e.to_string(),
        };
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}

/// Keys that the kind of an application has, those of all kinds among them, and no other.
#[test]
fn an_unknown_key_names_those_of_its_kind() {
    for (kind, has, lacks) in [
        ("game", &["phase", "access", "start"][..], &["ladder", "trace", "flows", "to", "from"][..]),
        ("streaming", &["ladder", "buffer", "congestion"], &["phase", "voice_bytes", "to", "from"]),
    ] {
        let app = format!("[[app]]\nname = \"a\"\nkind = \"{kind}\"\nstation = \"s\"\nnonsense = 1\n");
        let text = format!("duration = \"9s\"\n[[station]]\nname = \"s\"\n{app}");
        let said = ScenarioFile::parse("x.toml", &text).unwrap_err().to_string();
        let known = said.split_once("(known: ").expect("it lists keys").1.split_once(')').expect("its end").0;
        let known: Vec<&str> = known.split(", ").collect();
        assert!(has.iter().all(|key| known.contains(key)), "{said}");
        assert!(!lacks.iter().any(|key| known.contains(key)), "{said}");
        // Those of other kinds are refused as before.
        let foreign = ScenarioFile::parse("x.toml", &text.replace("nonsense = 1", "fec = true")).unwrap_err();
        assert!(foreign.to_string().contains("[[app]] fec: only for kind video; this is "), "{foreign}");
    }
}

#[test]
fn names_keep_the_direction_of_the_text() {
    for c in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{1b}'] {
        let written = format!("\\u{:04x}", u32::from(c));
        let text = HOME.replacen("name = \"laptop\"", &format!("name = \"lap{written}top\""), 1);
        let said = ScenarioFile::parse("x.toml", &text).unwrap_err().to_string();
        let expected = format!("'lap\\u{{{:x}}}top' is not a name: 1 to 40 characters", u32::from(c));
        assert!(said.contains(&expected), "{said}");
    }
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
    // One problem: the application's station is there.
    let message = ScenarioFile::parse("many.toml", &file(10_000)).unwrap_err().to_string();
    let expected = "many.toml: 10000 stations: at most 2007, where the association numbers of 802.11 end";
    assert_eq!(message, expected);
    let message = ScenarioFile::parse("many.toml", &file(0)).unwrap_err().to_string();
    assert_eq!(message, "many.toml: no station: at least one [[station]] is needed");
}

#[test]
fn more_flows_than_a_cell_can_tell_apart() {
    let peer = |i| format!("[[app]]\nname = \"p{i}\"\nkind = \"p2p\"\nstation = \"s\"\nflows = 1000\n");
    let file = |n| {
        let peers = (0..n).map(peer).collect::<String>();
        format!("duration = \"1s\"\n[[station]]\nname = \"s\"\n{peers}")
    };
    assert!(ScenarioFile::parse("peers.toml", &file(65)).is_ok());
    let message = ScenarioFile::parse("peers.toml", &file(66)).unwrap_err().to_string();
    assert_eq!(message, "peers.toml: 66000 flows of all applications: at most 65535");
}

#[test]
fn users_that_cannot_be() {
    let refused = |kind: &str, keys: &str| {
        let app = format!("[[app]]\nname = \"a\"\nkind = \"{kind}\"\nstation = \"s\"\n{keys}\n");
        let text = format!("duration = \"10s\"\n[[station]]\nname = \"s\"\ncount = 3\n{app}");
        ScenarioFile::parse("users.toml", &text).err().map(|e| e.to_string())
    };
    assert_eq!(refused("web", "users = 10000\nwithin = \"9999ms\""), None);
    for (keys, expected) in [
        ("users = 0", "[[app]] users: '0' is outside 1 to 10000"),
        ("computer = 0", "[[app]] computer: '0' is outside 1 to 255"),
        ("computer = 256", "[[app]] computer: '256' is outside 1 to 255"),
        ("users = 10001", "[[app]] users: '10001' is outside 1 to 10000"),
        ("users = \"ten\"", "[[app]] users: "),
        ("users = 2\nstations = 3", "[[app]] stations: 3: 1 to as many as it has users, which are 2"),
        ("users = 9\nstations = 4", "[[app]] stations: '4' is outside 1 to 3"),
        (
            "users = 2\nwithin = \"10s\"",
            "[[app]] within: its users must begin before it stops: less than 10s",
        ),
        ("users = 2\nwithin = 3", "[[app]] within: "),
    ] {
        let message = refused("web", keys).expect(keys);
        assert!(message.contains(expected), "{message}");
    }
    let message = refused("p2p", "users = 6554").expect("too many");
    assert_eq!(message, "users.toml: 65540 flows of all applications: at most 65535");
}

/// The emulated link has no queue at its stations that could be kept full.
#[test]
fn nothing_saturates_the_uplink_of_the_emulator() {
    let with = |keys: &str| {
        let app = format!("[[app]]\nname = \"a\"\nkind = \"udp\"\nstation = \"s\"\n{keys}\n");
        let text = format!("duration = \"1s\"\nwifi.medium = \"emulator\"\n[[station]]\nname = \"s\"\n{app}");
        ScenarioFile::parse("up.toml", &text).err().map(|e| e.to_string())
    };
    assert_eq!(with("rate = \"max\""), None);
    assert_eq!(with("rate = \"1Mb/s\"\nupload = true"), None);
    let expected =
        "up.toml: application a: rate: the emulated link has no uplink queue that could be kept full";
    assert_eq!(with("rate = \"max\"\nupload = true").as_deref(), Some(expected));
}

/// A scenario and a trace in a folder of their own.
fn with_trace(trace: &str) -> Result<ScenarioFile, String> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = folder.path();
    std::fs::create_dir_all(folder.join("traces")).unwrap();
    std::fs::write(folder.join("traces/movie.txt"), trace).unwrap();
    let scenario = "duration = \"1s\"\n[[station]]\nname = \"tv\"\n[[app]]\nname = \"film\"\nkind = \"video\"\n\
                    trace = \"traces/movie.txt\"\nstation = \"tv\"\n";
    std::fs::write(folder.join("film.toml"), scenario).unwrap();
    ScenarioFile::load(&folder.join("film.toml"))
        .map_err(|e| e.to_string().replace(folder.to_str().unwrap(), ""))
}

#[test]
fn a_trace_is_read_beside_its_scenario_and_blamed_itself() {
    let file = with_trace("0 I 5000\n1 P 900\n").unwrap();
    let airtab_sim::AppKind::Video(Video { frames, .. }) = &file.scenario.apps[0].kind else {
        panic!("no video")
    };
    assert_eq!(frames.0.iter().map(|f| f.bytes).collect::<Vec<_>>(), [5000, 900]);
    assert_eq!(
        with_trace("# Number of Frames: 4\n0 I 5000\n1 P 900\n").unwrap_err(),
        "/traces/movie.txt: has 2 frames, and line 1 says another number: is it cut short?"
    );
    assert_eq!(
        with_trace("0 I 5000\n1 P many\n").unwrap_err(),
        "/traces/movie.txt:2:5: is not the size of a frame: 1 to 1000000 bytes, a whole number"
    );
}
