// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options as settings of the probe, and figures as text and JSON: each field has a value of its own.

use airtab_core::time::{MS, SECOND};
use airtab_probe::cbr::rtt::Echoes;
use clap::Parser;

use super::*;
use crate::args::{Args, Command};

fn parsed(words: &str) -> Cbr {
    let words = ["airtab", "cbr"].into_iter().chain(words.split(' '));
    match Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command {
        Command::Cbr(args) => args,
        _ => panic!("another command"),
    }
}

/// Settings of the sender for a target of documentation (RFC 5737, RFC 3849).
fn config_of(words: &str) -> sender::Config {
    let args = parsed(words);
    let target = target(&args).expect("an address");
    config(&args, &target)
}

#[test]
fn each_option_of_a_sender_reaches_the_probe() {
    let plain = sender::Config {
        rate_bps: 5_000_000,
        peak_bps: None,
        sweep: None,
        payload_bytes: 1000,
        burst_bytes: None,
        header_bytes: 0,
        report_ns: 2 * SECOND,
        pings: None,
        duration_ns: None,
    };
    let to = "-h 192.0.2.1 -p 9000 -r 5Mb/s";
    assert_eq!(config_of(to), plain);
    let pings = Pings { ratio: 0.1, random: false, depth: None };
    let sweep = Sweep { max_bps: 8_000_000, step: Step::Add(250_000), step_ns: 60 * SECOND };
    let count = Sweep { step: Step::Count(7), step_ns: 1_500 * MS, ..sweep };
    for (more, expected) in [
        ("--peak 9Mb/s", sender::Config { peak_bps: Some(9_000_000), ..plain.clone() }),
        ("-M 8Mb/s -T 60 -a 250kb/s", sender::Config { sweep: Some(sweep), ..plain.clone() }),
        ("-M 8Mb/s -T 1500ms -n 7", sender::Config { sweep: Some(count), ..plain.clone() }),
        ("-l 700", sender::Config { payload_bytes: 700, ..plain.clone() }),
        ("-b 9kB", sender::Config { burst_bytes: Some(9_000), ..plain.clone() }),
        ("-H", sender::Config { header_bytes: 28, ..plain.clone() }),
        ("-u 3", sender::Config { report_ns: 3 * SECOND, ..plain.clone() }),
        ("-u 250ms", sender::Config { report_ns: 250 * MS, ..plain.clone() }),
        ("-R", sender::Config { pings: Some(pings), ..plain.clone() }),
        ("-R -U", sender::Config { pings: Some(Pings { random: true, ..pings }), ..plain.clone() }),
        ("-R -N 0.25", sender::Config { pings: Some(Pings { ratio: 0.25, ..pings }), ..plain.clone() }),
        ("-R -P 77", sender::Config { pings: Some(Pings { depth: Some(77), ..pings }), ..plain.clone() }),
        ("-R -P none", sender::Config { pings: Some(pings), ..plain.clone() }),
        ("-N 0.25", plain.clone()),
        ("--duration 30", sender::Config { duration_ns: Some(30 * SECOND), ..plain.clone() }),
    ] {
        assert_eq!(config_of(&format!("{to} {more}")), expected, "{more}");
    }
    assert_eq!(config_of("-6 -h 2001:db8::1 -p 9000 -r 5Mb/s -H").header_bytes, 48);
    assert_eq!(config_of("-h 2001:db8::1 -p 9000 -r 5Mb/s -H").header_bytes, 48);
}

#[test]
fn each_option_of_a_receiver_reaches_the_probe() {
    let plain = receiver::Config { echo: false, header_bytes: 0, report_ns: 2 * SECOND, duration_ns: None };
    let config_of = |words: &str, at: &str| {
        receiver_config(&parsed(&format!("-L -s 9000 {words}")), &at.parse().expect("an address"))
    };
    let (v4, v6) = ("192.0.2.1:9000", "[2001:db8::1]:9000");
    for (words, at, expected) in [
        ("-S", v4, plain),
        ("-R", v4, receiver::Config { echo: true, ..plain }),
        ("-H", v4, receiver::Config { header_bytes: 28, ..plain }),
        ("-H", v6, receiver::Config { header_bytes: 48, ..plain }),
        ("-S", v6, plain),
        ("-u 0.5", v4, receiver::Config { report_ns: 500 * MS, ..plain }),
        ("--duration 1.25", v4, receiver::Config { duration_ns: Some(1_250 * MS), ..plain }),
        ("--duration 3ms", v4, receiver::Config { duration_ns: Some(3 * MS), ..plain }),
    ] {
        assert_eq!(config_of(words, at), expected, "{words} {at}");
    }
}

/// Files of each end: all round trips of a sender, all arrivals of a receiver.
#[test]
fn arrivals_begin_with_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gaps.txt");
    let listening = |more: &str| arrivals(&parsed(&format!("-L -s 9000{more}"))).map(|file| file.is_some());
    assert_eq!(listening("").ok(), Some(false));
    assert_eq!(listening(&format!(" --arrivals {}", path.display())).ok(), Some(true));
    let written = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(written, "# arrival[s], by the kernel's clock\n");
    let nowhere = folder.path().join("none/gaps.txt");
    let said = listening(&format!(" --arrivals {}", nowhere.display())).expect_err("no folder").to_string();
    assert_eq!(said, format!("cannot write {}", nowhere.display()));
    assert_eq!(exact(1_000_000_007), "1.000000007");
    assert_eq!(exact(999_999_999), "0.999999999");
}

/// Lines go on until one cannot be written; the first error is told, and ends the run.
#[test]
fn the_first_line_that_cannot_be_written_ends_the_run() {
    let stop = AtomicBool::new(false);
    let mut lines = Lines { json: false, stop: &stop, failed: None };
    lines.note(Ok(()));
    assert!(!stop.load(Ordering::Relaxed));
    lines.note(Err(io::Error::other("first")));
    assert!(stop.load(Ordering::Relaxed));
    lines.note(Err(io::Error::other("second")));
    lines.note(Ok(()));
    assert_eq!(lines.end().expect_err("it failed").to_string(), "first");
    let whole = Lines { json: false, stop: &stop, failed: None };
    assert!(whole.end().is_ok());
}

#[test]
fn addresses_are_of_one_ip_version() {
    let target_of = |words: &str| target(&parsed(words)).map(|at| at.to_string()).map_err(|e| e.to_string());
    assert_eq!(target_of("-h 192.0.2.1 -p 9 -r 1Mb/s"), Ok("192.0.2.1:9".into()));
    assert_eq!(target_of("-h 2001:db8::1 -p 9 -r 1Mb/s"), Ok("[2001:db8::1]:9".into()));
    assert_eq!(target_of("-6 -h 2001:db8::1 -p 9 -r 1Mb/s"), Ok("[2001:db8::1]:9".into()));
    let refused = target_of("-6 -h 192.0.2.1 -p 9 -r 1Mb/s").expect_err("IPv4");
    assert!(refused.starts_with("192.0.2.1 has no IPv6 address"), "{refused}");
    let local_of = |words: &str, ipv6| local(&parsed(words), ipv6).ok().map(|at| at.to_string());
    assert_eq!(local_of("-L -s 9000", false), Some("0.0.0.0:9000".into()));
    assert_eq!(local_of("-L -s 9000", true), Some("[::]:9000".into()));
    assert_eq!(local_of("-h x -p 9 -r 1Mb/s", false), Some("0.0.0.0:0".into()));
    assert_eq!(local_of("-L -s 9000 --bind 192.0.2.7", false), Some("192.0.2.7:9000".into()));
    assert_eq!(local_of("-L -s 9000 --bind 192.0.2.7", true), None);
    assert_eq!(local_of("-L -s 9000 --bind 2001:db8::7", false), None);
}

/// An interval from 1 s to 3.5 s whose figures differ from each other.
fn sent() -> sender::Interval {
    sender::Interval {
        start_ns: SECOND,
        end_ns: 3_500 * MS,
        asked_bps: 5_250_000,
        packets: 1_234,
        bytes: 987_654,
        sent_bps: 4_125_000,
        errors: 3,
        rtt: Some(Rtt {
            count: 45,
            mean_ns: 2_718_281.8,
            min_ns: 1_100_000,
            p50_ns: 2_200_000,
            p95_ns: 9_500_000,
            p99_ns: 9_900_000,
            max_ns: 12_340_000,
        }),
        rx_bps: Some(3_875_000),
    }
}

#[test]
fn each_figure_of_a_sender_is_shown_in_its_column() {
    let whole = sent();
    assert_eq!(
        sender_json(&whole),
        json!({ "start_ns": 1_000_000_000u64, "end_ns": 3_500_000_000u64, "asked_bits_per_second": 5_250_000,
            "sent_bits_per_second": 4_125_000, "packets": 1_234, "bytes": 987_654, "refused": 3,
            "received_bits_per_second": 3_875_000,
            "rtt": { "count": 45, "mean_ns": 2_718_281.8, "min_ns": 1_100_000, "p50_ns": 2_200_000,
                "p95_ns": 9_500_000, "p99_ns": 9_900_000, "max_ns": 12_340_000 } })
    );
    let event = event_json("interval", sender_json(&whole));
    assert_eq!(
        (&event["schema"], &event["event"], &event["packets"]),
        (&json!(1), &json!("interval"), &json!(1_234))
    );
    let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(
        words(&sender_row(&whole, true)),
        ["3.500", "5.250", "4.125", "1234", "2.718", "1.100", "12.340", "45", "3.875", "3", "refused"]
    );
    assert_eq!(words(&sender_row(&whole, false)), ["3.500", "5.250", "4.125", "1234", "3", "refused"]);
    let silent = sender::Interval { rtt: None, rx_bps: None, errors: 0, ..whole };
    assert_eq!(
        words(&sender_row(&silent, true)),
        ["3.500", "5.250", "4.125", "1234", "-", "-", "-", "0", "-"]
    );
    // Columns end where their headings do.
    for rtt in [false, true] {
        let (header, row) = (sender_header(rtt), sender_row(&silent, rtt));
        assert_eq!(header.chars().count(), row.chars().count());
    }
}

#[test]
fn the_summary_of_a_sender_has_steps_percentiles_and_echoes() {
    let echoes = Echoes { pings: 60, answered: 45, late: 7, duplicates: 2, forged: 1 };
    let total = sent();
    let summary = sender::Summary {
        total,
        steps: vec![sender::Interval { packets: 77, ..total }],
        echoes,
        impossible: 0,
    };
    let text = sender_summary(&summary, true);
    assert_eq!(
        text,
        "\n3.500 s: 1234 packets, 987654 bytes, 4.125 Mb/s sent, 3 refused by the system; 3.875 Mb/s received at last\n\
         rtt, ms: min 1.100, mean 2.718, median 2.200, 95 % 9.500, 99 % 9.900, max 12.340 (45 samples)\n\
         PINGs: 60 sent, 45 answered; echoes: 7 late, 2 duplicate, 1 forged or foreign"
    );
    let two = [77, 88].map(|packets| sender::Interval { packets, ..total });
    let text = sender_summary(&sender::Summary { steps: two.into(), ..summary }, false);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1] == "Steps" && lines[2] == sender_header(false), "{text}");
    assert_eq!(lines[3..5], two.map(|step| sender_row(&step, false)));
    assert!(!text.contains("PINGs"), "{text}");
}

#[test]
fn the_summary_of_a_sender_as_json() {
    let echoes = Echoes { pings: 60, answered: 45, late: 7, duplicates: 2, forged: 1 };
    let total = sent();
    let steps = [77, 88].map(|packets| sender::Interval { packets, ..total });
    let summary = sender::Summary { total, steps: steps.into(), echoes, impossible: 6 };
    let json = summary_json(&summary);
    let pings = json!({ "sent": 60, "answered": 45, "late": 7, "duplicates": 2, "forged": 1, "impossible_one_way": 6 });
    assert_eq!(json["pings"], pings);
    assert_eq!(
        (&json["event"], &json["schema"], &json["packets"]),
        (&json!("summary"), &json!(1), &json!(1_234))
    );
    assert_eq!(json["steps"], json!(steps.map(|step| sender_json(&step))));
    // Said only where PINGs were asked for, sent, and not answered.
    let (with, without) = (parsed("-h x -p 9 -r 1Mb/s -R"), parsed("-h x -p 9 -r 1Mb/s"));
    for (pings, answered, told) in [(60, 45, false), (60, 0, true), (0, 0, false)] {
        let summary = sender::Summary { echoes: Echoes { pings, answered, ..echoes }, ..summary.clone() };
        assert_eq!((unanswered(&with, &summary), unanswered(&without, &summary)), (told, false), "{pings}");
    }
}

#[test]
fn each_figure_of_a_receiver_is_shown_in_its_column() {
    let whole = receiver::Interval {
        start_ns: 2_000 * MS,
        end_ns: 4_500 * MS,
        packets: 1_000,
        bytes: 64_000,
        rx_bps: 307_200,
        lost: 12,
        late: 5,
        pings: 99,
        foreign: 4,
    };
    assert_eq!(
        receiver_json(&whole),
        json!({ "start_ns": 2_000_000_000u64, "end_ns": 4_500_000_000u64, "received_bits_per_second": 307_200,
            "packets": 1_000, "bytes": 64_000, "lost": 12, "late": 5, "pings": 99, "foreign": 4 })
    );
    let words: Vec<String> = receiver_row(&whole).split_whitespace().map(String::from).collect();
    // 1000 packets in 2.5 s.
    assert_eq!(words, ["4.500", "0.307", "1000", "400.0", "12", "5", "99", "4"]);
    assert_eq!(receiver_header().chars().count(), receiver_row(&whole).chars().count());
}

#[test]
fn a_sample_is_exact_and_an_impossible_one_way_time_is_marked() {
    let sample = Sample { sent_ns: 12_000_000_345, rtt_ns: 1_000_000_001, forward_ns: -2_500_000_007 };
    assert_eq!(sample_row(&sample), "12.000000345 1.000000001 nan # -2.500000007");
    let late = Sample { forward_ns: 1_000_000_002, ..sample };
    assert_eq!(sample_row(&late), "12.000000345 1.000000001 nan # 1.000000002");
    let said = disagreement(3, 40, Path::new("rtt.txt"));
    assert!(
        said.starts_with("3 of 40 one-way times are below 0 or above their round trip, and nan in rtt.txt")
    );
    assert_eq!(sample_row(&Sample { forward_ns: 7, ..sample }), "12.000000345 1.000000001 0.000000007");
}
