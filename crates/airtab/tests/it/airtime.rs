// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab airtime` as a user has it: an exchange in words and as JSON, what is refused.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn airtime(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.arg("airtime").args(args).env("COLUMNS", "80").stdin(Stdio::null());
    command.output().expect("airtab starts")
}

fn text(args: &[&str]) -> String {
    let output = airtime(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn as_json(args: &[&str]) -> Value {
    serde_json::from_str(&text(&[args, &["--json"]].concat())).expect("JSON")
}

#[test]
fn an_aggregate_of_28() {
    assert_eq!(
        text(&["std-11n", "--mcs", "7", "--frames", "28"]),
        "\
std-11n: an aggregate of 28 frames of 1500 bytes of IP at HT20 MCS 7, 1 stream, 800 ns: 65 Mb/s

AIFS                43.0 us  best effort
mean backoff        67.5 us  7.5 slots
PPDU              5360.0 us  43230 bytes
SIFS                16.0 us
BLOCK ACK           32.0 us  32 bytes at 24 Mb/s
cycle             5518.5 us  60.886 Mb/s of IP

Most of these frames in one PPDU: 20 in 4 ms, 28 in 5.484 ms.
"
    );
}

#[test]
fn a_frame_at_a_rate_in_mbps() {
    assert_eq!(
        text(&["std-11g", "--rate", "54Mb/s"]),
        "\
std-11g: a frame of 1500 bytes of IP at 54 Mb/s

DIFS                28.0 us
mean backoff        67.5 us  7.5 slots
PPDU               254.0 us  1536 bytes
SIFS                10.0 us
ACK                 34.0 us  at 24 Mb/s
cycle              393.5 us  30.496 Mb/s of IP
"
    );
    assert_eq!(as_json(&["std-11g"])["rate"], json!({ "kbps": 54_000 }), "its highest");
    // What protects an OFDM frame is part of it, as everywhere.
    assert_eq!(as_json(&["std-11bg"])["ppdu_ns"], 212_182 + 254_000);
}

/// Cycles by hand (`docs/airtime.md`), ns.
#[test]
fn cycles_of_each_format() {
    for (args, cycle, psdu) in [
        (&["std-11n", "--mcs=7"][..], 382_500, 1538),
        (&["std-11n-2g4"], 382_500, 1538),
        (&["std-11n", "--streams=2", "--width=40", "--gi=400ns", "--frames=42"], 1_930_500, 64_846),
        (&["std-11ac", "--mcs=9", "--frames=64"], 2_226_500, 98_814),
        (&["std-11ac", "--gi=0.4us", "--frames=64"], 2_026_500, 98_814),
        (&["std-11ax", "--frames=256"], 5_486_500, 395_262),
        (&["std-11ax", "--gi=3.2us", "--frames=224"], 5_642_500, 345_854),
        // One frame is an aggregate, too: 43.2 us, 27 symbols of 13.6; an ACK.
        (&["std-11ax", "--width=20", "--mcs=3"], 43_000 + 67_500 + 410_400 + 16_000 + 28_000, 1542),
        // 26 tones: 24 bits a symbol at MCS 3, 2 streams 96: 129 symbols of 14.4; 36 + 2 * 8.
        (
            &["std-11ax", "--ru=26", "--mcs=3", "--streams=2", "--gi=1.6us"],
            154_500 + 52_000 + 129 * 14_400,
            1542,
        ),
    ] {
        let json = as_json(args);
        assert_eq!((&json["cycle_ns"], &json["psdu_bytes"]), (&json!(cycle), &json!(psdu)), "{args:?}");
        assert_eq!(json["schema"], 1);
    }
    let json = as_json(&["std-11ac", "--width=20"]);
    let rate = json!({ "format": "VHT", "mcs": 8, "streams": 1, "width_mhz": 20, "gi_ns": 800,
        "ru_tones": null, "kbps": 78_000 });
    assert_eq!(json["rate"], rate, "the highest that there is");
    let json = as_json(&["std-11n", "--streams=4", "--width=40", "--bytes=2296"]);
    assert_eq!(json["most_frames"][0], json!({ "ppdu_ns": 4_000_000, "frames": 28, "limited_by": "bytes" }));
    let json = as_json(&["std-11n", "--bytes=40"]);
    assert_eq!(json["most_frames"][1], json!({ "ppdu_ns": 5_484_000, "frames": 64, "limited_by": "window" }));
}

#[test]
fn profiles_are_listed() {
    let listed = text(&[]);
    for phy in airtab_core::Phy::all() {
        assert!(listed.contains(&format!("{} ", phy.name())) && listed.contains(phy.about()), "{listed}");
    }
    assert_eq!(as_json(&[])["profiles"].as_array().map(Vec::len), Some(airtab_core::Phy::all().count()));
}

#[test]
fn what_cannot_be_is_refused_all_at_once() {
    for (args, expected) in [
        (&["std-11m"][..], "error: no profile 'std-11m'; did you mean `std-11"),
        (&["std-11n", "--mcs=8"], "error: --mcs 8: HT has MCS 0 to 7 for each stream"),
        (&["std-11n", "--streams=5"], "error: --streams 5: HT has 1 to 4 streams"),
        (&["std-11n", "--width=80"], "error: --width 80: HT has 20 and 40 MHz"),
        (&["std-11n", "--gi=1.6us"], "error: --gi 1600ns: HT and VHT have guard intervals of 400 and 800 ns"),
        (&["std-11n", "--ru=26"], "error: --ru 26: only HE has resource units"),
        (
            &["std-11ac", "--mcs=9", "--width=20"],
            "error: --mcs 9: VHT has MCS 9 at 20 MHz with 3 or 6 streams",
        ),
        (&["std-11ax-2g4", "--width=80"], "error: --width 80: the profile has 20 and 40 MHz"),
        (&["std-11n", "--rate=65Mb/s"], "error: --rate: std-11n has rates by MCS: give --mcs"),
        (&["std-11g", "--mcs=7"], "error: --mcs: std-11g has rates in Mb/s: give --rate"),
        (&["std-11g", "--rate=11Mb/s"], "error: --rate: '11Mb/s' is no rate of std-11g"),
        (&["std-11g", "--frames=2"], "error: --frames 2: std-11g sends no aggregates"),
        (&["std-11n", "--frames=29"], "it would last longer than 5484us; at most 28 of these"),
        (&["std-11ax", "--ru=26", "--mcs=0"], "26 tones it would last longer than 5484us\n"),
        (&["std-11n", "--bytes=40", "--frames=65"], "the window of std-11n is 64 frames; at most 64"),
        (
            &["std-11n", "--streams=4", "--width=40", "--frames=43"],
            "error: --frames 43: an aggregate of std-11n has at most 65535 bytes; at most 42 of these",
        ),
        (&["std-11n", "--gi=400"], "400"),
        (&["std-11n", "--bytes=2297"], "give a whole number from 1 to 2296"),
        (&["std-11n", "--frames=0"], "give a whole number from 1"),
    ] {
        let output = airtime(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(expected), "{args:?}: {said}");
    }
    let output = airtime(&["std-11n", "--mcs=9", "--streams=9", "--rate=6Mb/s", "--ru=1"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 4);
    let output = airtime(&["std-11g", "--mcs=9", "--streams=9", "--rate=7Mb/s", "--frames=3"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 4);
}

/// The figures of the text, by key; the rate is 65 Mb/s, and 28 frames of 1544 bytes with delimiters and padding are 43,230.
#[test]
fn each_figure_of_an_exchange_has_its_key() {
    let mut json = as_json(&["std-11n", "--mcs", "7", "--frames", "28"]);
    let goodput = json["goodput_bps"].take().as_f64().expect("a rate");
    assert!((goodput / (28.0 * 1500.0 * 8.0 / 5518.5e-6) - 1.0).abs() < 1e-12, "{goodput}");
    let most =
        |ns: u64, frames: u64, limit: &str| json!({ "ppdu_ns": ns, "frames": frames, "limited_by": limit });
    assert_eq!(
        json,
        json!({ "schema": 1, "profile": "std-11n", "frames": 28, "ip_bytes": 1500, "psdu_bytes": 43_230,
            "wait_ns": 43_000, "mean_backoff_ns": 67_500, "ppdu_ns": 5_360_000, "sifs_ns": 16_000,
            "answer": "BLOCK ACK", "answer_ns": 32_000, "cycle_ns": 5_518_500, "goodput_bps": null,
            "most_frames": [most(4_000_000, 20, "time"), most(5_484_000, 28, "time")],
            "rate": { "format": "HT", "mcs": 7, "streams": 1, "width_mhz": 20, "gi_ns": 800, "ru_tones": null,
                "kbps": 65_000 } })
    );
    for (frames, answer) in [("1", "ACK"), ("2", "BLOCK ACK")] {
        assert_eq!(as_json(&["std-11n", "--frames", frames])["answer"], answer);
    }
    // Short frames at a high rate: the window of 64 is the limit; a HT aggregate has at most 65,535 bytes.
    let limit =
        |args: &[&str]| as_json(&[&["std-11n"], args].concat())["most_frames"][1]["limited_by"].clone();
    assert_eq!(limit(&["--mcs", "7", "--bytes", "60"]), "window");
    assert_eq!(limit(&["--mcs", "7", "--streams", "4", "--width", "40"]), "bytes");
    // Each option of a rate.
    for (args, key, value) in [
        (&["--mcs", "3"][..], "mcs", 3),
        (&["--streams", "2"], "streams", 2),
        (&["--width", "40"], "width_mhz", 40),
        (&["--gi", "400ns"], "gi_ns", 400),
    ] {
        assert_eq!(as_json(&[&["std-11n"], args].concat())["rate"][key], value, "{args:?}");
    }
}
