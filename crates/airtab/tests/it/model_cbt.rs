// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt` as a user has it: figures of the source, plans, JSON, pictures, errors.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn cbt(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command
        .args(["model", "cbt"])
        .args(args)
        .env("COLUMNS", "100")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command.output().expect("airtab starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

fn text(args: &[&str]) -> String {
    let output = cbt(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    let text = stdout(&output);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    text.into()
}

/// The words of the line that begins like this.
fn row(text: &str, beginning: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.trim_start().starts_with(beginning));
    let line = line.unwrap_or_else(|| panic!("no line '{beginning}' in\n{text}"));
    line.trim_start()[beginning.len()..].split_whitespace().map(String::from).collect()
}

fn as_json(args: &[&str]) -> Value {
    let output = cbt(&[args, &["--json"]].concat());
    let json: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert_eq!((&json["schema"], &json["model"]), (&json!(1), &json!("cbt")));
    json
}

/// A figure of each row, in tables' decimals.
fn figures(json: &Value, name: &str, scale: f64, decimals: usize) -> Vec<String> {
    let figure = |row: &Value| format!("{:.decimals$}", row[name].as_f64().expect("a number") * scale);
    json["rows"].as_array().expect("rows").iter().map(figure).collect()
}

const PLAN: [&str; 11] = [
    "plan",
    "--link",
    "10Mb/s",
    "--latency",
    "30ms",
    "--class",
    "tcp=rest",
    "--class",
    "call=2Mb/s",
    "--class",
    "other=1Mb/s",
];

fn planned<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&PLAN[..], more].concat()
}

#[test]
fn a_plan_of_three_classes() {
    insta::assert_snapshot!("plan", text(&planned(&["--load", "call=1.6Mb/s"])));
    let json = as_json(&planned(&["--load", "call=1.6Mb/s"]));
    let bytes: Vec<&Value> =
        json["classes"].as_array().unwrap().iter().map(|class| &class["threshold_bytes"]).collect();
    assert_eq!(bytes, [&json!(26250.0), &json!(7500.0), &json!(3750.0)]);
    let loaded = &json["predictions"][1];
    assert_eq!(
        (loaded["when"].as_str(), loaded["rate_call_bytes_per_s"].as_f64()),
        (Some("call 1.6Mb/s"), Some(200e3))
    );
}

/// Runs of the simulator keep what is predicted; where classes leave some of the link, too.
#[test]
fn a_plan_is_verified() {
    let json = as_json(&planned(&["--load", "call=1.6Mb/s", "--verify"]));
    let rows = json["verified"].as_array().expect("rows");
    assert_eq!(rows.len(), 5);
    for row in rows {
        let off = row["off_ratio"].as_f64().expect("a number");
        assert!(off < 0.1, "{row}");
    }
    assert!(
        rows[0]["measured_wait_s"].as_f64().is_some_and(|wait| (wait - 0.03).abs() < 0.001),
        "{}",
        rows[0]
    );
    let some_left = ["--class", "a=50%", "--class", "b=821kb/s", "--verify"];
    let text = text(&[&["plan", "--link", "10Mb/s", "--latency", "30ms"][..], &some_left].concat());
    assert!(text.contains("off by") && !text.contains("more than 10."), "{text}");
}

/// The commands for a device; what none of them could do is told.
#[test]
fn a_plan_as_commands() {
    let json = as_json(&planned(&["--tc", "eth0", "--rules", "tcp=0,dscp:ef=1,*=2"]));
    let lines = |name: &str| json["tc"][name].as_array().expect("lines").len();
    assert_eq!(["cbt", "htb", "cake"].map(lines), [2, 13, 6]);
    let cbt_line = json["tc"]["cbt"][1].as_str().expect("a line");
    assert!(cbt_line.ends_with("guard 1 rules 'tcp=0,dscp:ef=1,*=2'"), "{cbt_line}");
    // A full frame of 1538 bytes has a packet of 1500; another class says what its own are.
    let of_packets = planned(&["--tc", "eth0", "--rules", "tcp=0,dscp:ef=1,*=2", "--packet", "call=238B"]);
    let own = as_json(&of_packets)["tc"]["cbt"][1].as_str().expect("a line").to_string();
    for (line, packets) in [(cbt_line, "packet 1500,1500,1500 "), (&own, "packet 1500,200,1500 ")] {
        assert!(line.contains(packets), "{line}");
        assert!(
            line.contains("bandwidth 7000000bit,2000000bit,1000000bit th_min 26250,7500,3750 "),
            "{line}"
        );
    }
    for (device, rules, what) in [
        ("eth0/1", "*=0", "no name of a network device"),
        ("", "*=0", "no name of a network device"),
        ("eth0", "udp:9-8=0", "its ports are reversed"),
        ("eth0", "station:3=1", "knows no numbers of stations"),
        ("eth0", "*=3", "there is no class 3"),
    ] {
        let output = cbt(&planned(&["--tc", device, "--rules", rules]));
        assert_eq!(output.status.code(), Some(2), "{device} {rules}");
        assert!(stderr(&output).contains(what), "{device} {rules}: {}", stderr(&output));
    }
}

#[test]
fn a_plan_by_percentages_and_with_some_left() {
    let plan = |classes: &[&str]| {
        text(&[&["plan", "--link", "10Mb/s", "--latency", "30ms", "--class", "tcp=rest"], classes].concat())
    };
    let percent = plan(&["--class", "call=20%", "--class", "other=10%"]);
    assert_eq!(percent, text(&PLAN));
    let spare = text(&[
        "plan",
        "--link",
        "10Mb/s",
        "--latency",
        "30ms",
        "--class",
        "a=4Mb/s",
        "--class",
        "b=1Mb/s",
        "--load",
        "a=1Mb/s",
        "--load",
        "b=1Mb/s",
    ]);
    assert_eq!(row(&spare, "all busy"), ["8.000", "2.000", "15.00"]);
    assert_eq!(row(&spare, "a 1Mb/s, b 1Mb/s"), ["1.000", "1.000", "0.00"]);
    assert!(
        spare.contains("The classes sum to 5Mb/s") && spare.contains("wait 0: the link is not full"),
        "{spare}"
    );
}

/// Exact values are `airtab-model`'s tests.
#[test]
fn tables_of_the_study() {
    let json = as_json(&["thresholds", "--mix", "ramp", "--latency", "100ms"]);
    assert_eq!(figures(&json, "threshold_packets", 1.0, 2), ["39.07", "19.03", "47.63"]);
    let json = as_json(&["borrow"]);
    assert_eq!(
        figures(&json, "rate_tcp_bytes_per_s", 1e-3, 1),
        ["971.6", "892.2", "812.9", "733.6", "654.3", "575.0", "575.0"]
    );
    assert_eq!(figures(&json, "rate_mm_bytes_per_s", 1e-3, 1)[..2], ["253.4", "232.8"]);
    let json = as_json(&["latency", "--wire", "ethernet", "--path", "2.5ms"]);
    assert_eq!(figures(&json, "busy_s", 1e3, 2), ["20.45", "40.90", "61.36", "81.81", "102.26"]);
    assert_eq!(figures(&json, "with_path_s", 1e3, 2), ["22.95", "43.40", "63.86", "84.31", "104.76"]);
    let json = as_json(&["shares", "--wire", "ethernet"]);
    assert_eq!(format!("{:.1}", json["frames_bytes_per_s"].as_f64().unwrap() / 1e3), "1226.7");
    let json = as_json(&["burst", "--mix", "http-mpeg"]);
    assert_eq!(figures(&json, "burst_packets", 1.0, 0), ["242", "36", "18", "124", "17", "7"]);
    let json = as_json(&["red", "--average", "22.5", "--count", "0,10,18,19"]);
    assert_eq!(figures(&json, "p_drop", 1.0, 3), ["0.050", "0.100", "0.500", "1.000"]);
    assert_eq!(json["burst_packets"], 158.0);
    let json = as_json(&["fred", "--th-min", "5", "--th-max", "60"]);
    assert_eq!(
        (figures(&json, "share", 1e2, 1), &json["flows_that_fill"]),
        (vec!["8.3".into()], &json!(120.0))
    );
    let json = as_json(&["frames", "--loss", "2.6,0%"]);
    assert_eq!(figures(&json, "playable_per_s", 1.0, 1), ["19.5", "30.0"]);
    let json = as_json(&["rate", "--rtt", "220ms", "--loss", "1%"]);
    assert_eq!(figures(&json, "flows_that_fill", 1.0, 1), ["16.8"]);
    assert_eq!(format!("{:.0}", json["browsers_bytes_per_s"].as_f64().unwrap() * 8e-3), "8810");
}

#[test]
fn tables_as_text() {
    for args in [
        &["thresholds", "--mix", "bulk-mpeg"][..],
        &[
            "shares",
            "--threshold",
            "a=10",
            "--threshold",
            "b=10",
            "--packet",
            "a=500B",
            "--packet",
            "b=500B",
            "--sends",
            "a=1000B",
        ],
        &[
            "borrow",
            "--class",
            "tcp=935KB/s",
            "--class",
            "mm=140KB/s",
            "--class",
            "other=150KB/s",
            "--load",
            "tcp=700KB/s",
            "--load",
            "mm=160KB/s",
            "--load",
            "other=1000KB/s",
            "--steps",
        ],
        &[
            "latency",
            "--mix",
            "ramp",
            "--latency",
            "100ms",
            "--load",
            "mm=340KB/s",
            "--load",
            "other=0,200KB/s,busy",
        ],
        &["burst", "--mix", "http-mpeg", "--every", "500ms"],
        &["red"],
        &["fred"],
        &["frames"],
        &["rate"],
    ] {
        insta::assert_snapshot!(format!("table_{}", args[0]), text(args));
    }
}

#[test]
fn figures_are_drawn() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let out = dir.path().to_str().expect("UTF-8");
    for args in [
        &["thresholds"][..],
        &["shares"],
        &["borrow"],
        &["latency"],
        &["burst"],
        &["red"],
        &["fred"],
        &["frames"],
        &["rate"],
        &PLAN,
    ] {
        text(&[args, &["--out", out]].concat());
        let svg = dir.path().join(args[0]).with_extension("svg");
        let drawn = std::fs::read_to_string(&svg).expect("written");
        assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"), "{args:?}");
        assert!(drawn.contains("<polyline") || drawn.contains("class=\"bar\""), "{args:?}: {drawn}");
        std::fs::remove_file(svg.with_extension("csv")).expect("its data");
    }
    let output = cbt(&["latency", "--latency", "30ms", "--out", out]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--out: give several latencies, such as"), "{}", stderr(&output));
}

#[test]
fn refused_with_place_value_and_cure() {
    for (args, expected) in [
        (
            planned(&["--class", "small=800kb/s"]),
            "class small: 800 kb/s for 30 ms are 3000 bytes, fewer than the 2 full packets",
        ),
        (
            planned(&["--class", "small=800kb/s"]),
            "give it at least 820.3 kb/s, or a latency of at least 30.8 ms",
        ),
        (
            planned(&["--class", "big=8Mb/s"]),
            "--class tcp=rest: nothing is left, the others sum to 11Mb/s of 10Mb/s",
        ),
        (planned(&["--class", "more=rest"]), "--class more=rest: tcp has the rest; give one of them a rate"),
        (planned(&["--class", "call=1Mb/s"]), "--class call: it is there twice; give it once"),
        (planned(&["--class", "call=120%"]), "'120%' is more than the link: at most 100%"),
        (planned(&["--class", "x=0Mb/s"]), "'0Mb/s' is nothing; give more than 0"),
        (planned(&["--class", "x=0%"]), "'0%' is nothing; give more than 0%"),
        (planned(&["--class", "x=2Mbps"]), "did you mean 2Mb/s?"),
        (planned(&["--class", "2Mb/s"]), "'2Mb/s' names no class: write NAME=VALUE"),
        (planned(&["--class", "=2Mb/s"]), "'' is no name of a class"),
        (
            planned(&["--load", "cal=1Mb/s"]),
            "--load cal: no class 'cal'; did you mean `call`? (known: tcp, call, other)",
        ),
        (planned(&["--load", "call=1Mb"]), "--load"),
        (planned(&["--packet", "call=0B"]), "'0B' is nothing; give more than 0"),
        (planned(&["--weight", "call=2"]), "'2' is no weight: above 0 and at most 1, such as 1/256"),
        (planned(&["--limit", "60"]), "take a limit of at least"),
        (
            vec!["plan", "--link", "10Mb/s", "--latency", "0ms", "--class", "a=rest"],
            "'0ms' is nothing; give more than 0",
        ),
        (
            vec!["plan", "--link", "0Mb/s", "--latency", "30ms", "--class", "a=rest"],
            "'0Mb/s' is nothing; give more than 0",
        ),
        (
            vec!["plan", "--link", "10Mb/s", "--latency", "30ms", "--class", "a=60%", "--class", "b=50%"],
            "classes sum to 11 Mb/s, the link carries 10 Mb/s: it must carry 11 Mb/s at least",
        ),
        (vec!["thresholds", "--class", "a=rest"], "--class a=rest: of what? give --link"),
        (
            vec!["thresholds", "--class", "a=2Mb/s", "--link", "1Mb/s"],
            "--link 1Mb/s: the classes sum to 2Mb/s",
        ),
        (vec!["thresholds", "--mix", "bulk-mpg"], "no mix 'bulk-mpg'; did you mean `bulk-mpeg`?"),
        (vec!["thresholds", "--mix", "ramp", "--class", "a=2Mb/s"], "cannot be used with"),
        (vec!["thresholds", "--class", "a=2KBps"], "'2KBps' is not a rate"),
        (vec!["shares", "--threshold", "a=0"], "'0' is no number of packets: above 0, such as 14.28"),
        (vec!["shares", "--sends", "video=1B"], "--sends video: no class 'video'"),
        (vec!["borrow", "--steps"], "--steps: of one load for each class; give one, not a list"),
        (vec!["borrow", "--load", "mm=0,1KB/s", "--load", "mm=0"], "--load mm: it is there twice"),
        (
            vec!["borrow", "--steps", "--load", "other=1KB/s", "--load", "mm=1KB/s", "--out", "x"],
            "--out: give a class several loads, such as --load other=0,100KB/s,500KB/s, without --steps",
        ),
        (vec!["red", "--th-max", "4"], "thresholds from 5 to 4: the lower is 0 or more, the upper above it"),
        (vec!["fred", "--th-min", "60"], "thresholds from 60 to 40"),
        (vec!["frames", "--loss", "60"], "--loss 60: the video has 54.75 packets/s; give at most that"),
        (vec!["frames", "--loss", "101%"], "'101%' is no loss"),
        (vec!["rate", "--loss", "0%"], "'0%' is no loss of TCP: above 0 and at most 100%"),
    ] {
        let output = cbt(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn help_teaches() {
    for subject in
        ["plan", "thresholds", "shares", "borrow", "latency", "burst", "red", "fred", "frames", "rate"]
    {
        assert!(text(&[subject, "--help"]).contains("Examples:"), "{subject}");
    }
    assert!(text(&["--help"]).contains("KB/s are 1000 bytes, KiB/s 1024"));
}

/// A capture of `tcpdump`: frames of Ethernet in pcap, microseconds and bytes each.
fn capture(frames: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let words = [0xa1b2_c3d4u32, 4 << 16 | 2, 0, 0, 65535, 1];
    let mut file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (at_us, bytes) in frames {
        let head = [at_us / 1_000_000, at_us % 1_000_000, bytes.len() as u64, bytes.len() as u64];
        file.extend(head.iter().flat_map(|word| (*word as u32).to_le_bytes()));
        file.extend(bytes);
    }
    file
}

/// A frame of so many bytes, its IP packet of that protocol, from and to that port, with a sequence number.
fn frame(bytes: usize, protocol: u8, port: u16, sequence: u32) -> Vec<u8> {
    let mut frame = vec![0; bytes];
    frame[12..15].copy_from_slice(&[8, 0, 0x45]);
    frame[16..18].copy_from_slice(&((bytes - 14) as u16).to_be_bytes());
    frame[22..24].copy_from_slice(&[64, protocol]);
    frame[34..36].copy_from_slice(&port.to_be_bytes());
    frame[36..38].copy_from_slice(&port.to_be_bytes());
    frame[38..42].copy_from_slice(&sequence.to_be_bytes());
    frame[46] = 0x50;
    frame
}

/// Ten seconds: 100 frames/s of TCP, every tenth sent again, and 20 of video, 60 in the fifth and sixth second.
fn ten_seconds() -> Vec<(u64, Vec<u8>)> {
    let mut frames = Vec::new();
    for i in 0..1000u64 {
        let again = u64::from(i % 10 == 9);
        frames.push((10_000 * i, frame(1514, 6, 80, 1460 * (i - again) as u32)));
        let burst = (400..600).contains(&i);
        if i % 5 == 0 {
            (0..if burst { 3 } else { 1 })
                .for_each(|_| frames.push((10_000 * i + 10, frame(826, 17, 6003, 0))));
        }
    }
    frames.push((10_000_000, frame(60, 1, 0, 0)));
    frames
}

/// `airtab classes`, as the model takes it.
fn classes(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.arg("classes").args(args).env("COLUMNS", "100").env_remove("NO_COLOR").stdin(Stdio::null());
    command.output().expect("airtab starts")
}

#[test]
fn classes_of_a_capture() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_string();
    let (after, before, out) = (path("after.pcap"), path("before.pcap"), path("figures"));
    let frames = ten_seconds();
    std::fs::write(&after, capture(&frames)).expect("written");
    let twice: Vec<_> = frames.iter().flat_map(|frame| [frame.clone(), frame.clone()]).collect();
    std::fs::write(&before, capture(&twice)).expect("written");

    let output = classes(&[&after, "--before", &before, "--out", &out]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let shown = stdout(&output);
    // 151.4 KB/s, of which 90 % of 1460 bytes are new; 280 frames of 826 bytes, 120 of them within 2 s.
    assert_eq!(row(shown, "tcp"), ["1000", "302.8", "151.4", "131.4", "1514", "151.4"]);
    assert_eq!(row(shown, "mm"), ["280", "46.3", "23.1", "-", "826", "49.6"]);
    assert!(
        std::fs::read_to_string(dir.path().join("figures/classes.svg")).expect("drawn").contains("<polyline")
    );
    let output = classes(&[&after, "--rules", "udp=1,udp:6003=0,tcp=0,dscp:ef=1", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["unmatched_packets"], &json["classes"][1]["packets"]), (&json!(1), &json!(280)));
    assert!(stderr(&output).contains("rule 2, 'udp:6003=0', is never reached: rule 1, 'udp=1', takes all"));
    assert!(stderr(&output).contains("rule 4, 'dscp:ef=1', took no packet"));

    let plan = [
        "plan",
        "--from",
        &after,
        "--link",
        "10Mb/s",
        "--latency",
        "30ms",
        "--class",
        "tcp=rest",
        "--class",
        "mm=1Mb/s",
        "--class",
        "other=1Mb/s",
    ];
    let planned = as_json(&plan);
    let drain = planned["classes"][1]["drain_packets_per_s"].as_f64().expect("a rate");
    assert!((drain - 125_000.0 / 850.0).abs() < 1e-9, "packets of 826 bytes and 24 on the wire: {drain}");
    let bare = as_json(&[&plan[..], &["--wire", "none"]].concat());
    let drain = bare["classes"][1]["drain_packets_per_s"].as_f64().expect("a rate");
    assert!((drain - 125_000.0 / 826.0).abs() < 1e-9, "frames as they are in the file: {drain}");
    // What each class sent on the wire: 100 frames of 1538 bytes in a second, and 28 of 850.
    let whens: Vec<&str> = planned["predictions"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["when"].as_str())
        .collect();
    assert_eq!(whens[1], "tcp 1.23Mb/s, mm 0.19Mb/s, other 0Mb/s");
    // 120 frames of 850 bytes within 2 s.
    let peak = plan.map(|word| if word == "mm=1Mb/s" { "mm=peak" } else { word });
    let output = cbt(&peak);
    assert!(stderr(&output).contains("class mm: 408 kb/s for 30 ms are 1530 bytes"), "{}", stderr(&output));
    let other = [&plan[..], &["--rules", "tcp=0,udp=1,*=1"]].concat();
    let other: Vec<&str> =
        other.into_iter().map(|word| if word == "other=1Mb/s" { "other=peak" } else { word }).collect();
    let output = cbt(&other);
    assert!(
        stderr(&output).contains("--class other=peak: the capture has no packet of it"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn captures_are_refused_with_place_and_cure() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut reversed = ten_seconds()[..3].to_vec();
    reversed.reverse();
    for (name, bytes, expected) in [
        ("empty", Vec::new(), "it is empty: give a capture with frames"),
        ("unordered", capture(&reversed), "earlier than the one before: sort it first, reordercap IN OUT"),
    ] {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let output = classes(&[path.to_str().expect("UTF-8")]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(
            stderr(&output).contains(&format!("{name}: ")) && stderr(&output).contains(expected),
            "{}",
            stderr(&output)
        );
    }
    for (args, expected) in [
        (
            &["x", "--rules", "udp:6010-6000=1"][..],
            "--rules: rule 1, 'udp:6010-6000=1': its ports are reversed; write 6000-6010",
        ),
        (&["x", "--rules", "tcp=3"], "there is no class 3: they are 0 to 2 (tcp, mm, other)"),
        (&["x", "--names", "a,a"], "--names a: it is there twice"),
    ] {
        let output = classes(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    assert_eq!(classes(&["/no/such/file"]).status.code(), Some(1));
    let output = cbt(&planned(&["--class", "x=peak"]));
    assert!(
        stderr(&output).contains("--class x=peak: of what? give --from FILE, or a rate"),
        "{}",
        stderr(&output)
    );
    assert!(stdout(&classes(&["--help"])).contains("Examples:"));
}

/// Iterations are the steps after the first; the unused rate is that of the link less the sum of the rates.
#[test]
fn a_row_of_loads_is_the_last_step() {
    let loads = ["--load", "tcp=400KB/s", "--load", "mm=340KB/s", "--load", "other=100KB/s"];
    let row = as_json(&[&["borrow"], &loads[..]].concat())["rows"][0].clone();
    let steps = as_json(&[&["borrow", "--steps"], &loads[..]].concat())["rows"].clone();
    let steps = steps.as_array().expect("steps");
    assert_eq!(row["iterations"].as_f64(), Some(steps.len() as f64 - 1.0));
    let last = &steps[steps.len() - 1];
    let keys = ["rate_tcp_bytes_per_s", "rate_mm_bytes_per_s", "rate_other_bytes_per_s"];
    assert!(keys.iter().all(|key| row[key] == last[key]), "{row} {last}");
    // 575, 150 and 500 KB/s are the link.
    let sum: f64 = keys.iter().map(|key| row[key].as_f64().expect("a rate")).sum();
    assert!((row["spare_bytes_per_s"].as_f64().expect("a rate") - (1_225e3 - sum)).abs() < 1e-3, "{row}");
    assert!(sum < 1_000e3);
    let plan = as_json(&planned(&[]));
    assert_eq!((plan["link_bytes_per_s"].as_f64(), plan["subject"].as_str()), (Some(1.25e6), Some("plan")));
    assert!((plan["latency_s"].as_f64().expect("s") - 0.03).abs() < 1e-12);
}
