// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Downloads, uploads and peers: iperf3, its congestion control that of its routes
//! (`routes`), whatever the machine's default is.
//!
//! One server per application in the namespace of the servers, for one test; the
//! client on the station, ended by the schedule with an interrupt, upon which it
//! writes its JSON. The server's lines, one a second, are what is shown
//! meanwhile; its retransmissions count for downloads, where it is the sender.
//!
//! What it does not do: `p2p` connects to one server, not to one per flow, and
//! with `upload` each direction has connections of its own (`--bidir`).

use std::io::{self, BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use airtab_scenario::Metric;
use airtab_sim::traffic::P2p;
use airtab_sim::{AppKind, AppTrace};
use rustix::process::Signal;
use serde_json::Value;

use super::program::{Home, Program, Start, find, how, read_all};
use super::work::{LOOK_NS, Work, lock};
use super::{ActiveApp, AppReport, Bulk, Ends, bits, score};
use crate::error::LiveError;
use crate::netns::NetnsRef;
use crate::routes::linux_name;
use crate::snapshot::Score;

/// Its port at every server's address.
const PORT: u16 = 5201;
/// How long a server may take to listen.
const START: Duration = Duration::from_secs(10);
/// Age at which the last line says nothing any more, ns.
const OLD_NS: u64 = 3_000_000_000;

/// One such application.
pub(crate) struct Iperf {
    upload: bool,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Of the server's last line: when it came, ns, and its rate, bit/s.
    last: Option<(u64, f64)>,
    /// Its interval: the last one is written again at the end.
    interval: String,
    retransmits: u64,
    bulk: Bulk,
}

/// What a run asks of iperf3.
#[derive(Clone, Copy)]
struct Test {
    congestion: &'static str,
    flows: u16,
    down: bool,
    up: bool,
}

impl Iperf {
    /// Starts the server, waits until it listens, and plans the client.
    pub(crate) fn start(work: &Work, ends: &Arc<Ends>) -> Result<Arc<Iperf>, LiveError> {
        let wanted = ends.congestion().ok_or_else(|| ends.failed("not a transfer"))?;
        let congestion = linux_name(wanted).map_err(|e| ends.failed(e))?;
        let test = match ends.app.kind {
            AppKind::Upload(_) => Test { congestion, flows: 1, down: false, up: true },
            AppKind::P2p(P2p { flows, upload, .. }) => Test { congestion, flows, down: true, up: upload },
            AppKind::Download(_) => Test { congestion, flows: 1, down: true, up: false },
            _ => return Err(ends.failed("not a transfer")),
        };
        let file = find("iperf3", "iperf3")?;
        let own = Arc::new(Iperf { upload: !test.down, seen: Mutex::default() });

        let (tell, listening) = mpsc::channel();
        let (ends_, own_, file_) = (ends.clone(), own.clone(), file.clone());
        work.spawn(&ends.app.name, &ends.internet, move |work| {
            own_.serve(work, &ends_, &file_, test, &tell)
        })?;
        if listening.recv_timeout(START).is_err() {
            work.take_fault()?;
            return Err(ends.failed("iperf3 -s does not listen"));
        }

        let (ends_, own_) = (ends.clone(), own.clone());
        work.spawn(&ends.app.name, &ends.station, move |work| {
            let active = ends_.app.active_ns.clone();
            if !work.wait_until(active.start) {
                return Ok(());
            }
            let report = request(work, &ends_, &file, test)?;
            let mut seen = lock(&own_.seen);
            seen.bulk = bulk(&report, test);
            Ok(())
        })?;
        Ok(own)
    }

    /// The server, until its one test is over.
    fn serve(
        &self,
        work: &Work,
        ends: &Ends,
        file: &std::path::Path,
        test: Test,
        listening: &Sender<()>,
    ) -> Result<(), LiveError> {
        let address = ends.server.to_string();
        let args =
            ["-s", "-1", "-B", &address, "-p", &PORT.to_string(), "-i", "1", "--forceflush", "-f", "k"];
        let failed = |e: io::Error| ends.failed(format!("iperf3: {e}"));
        let mut program = start(work, &ends.internet, file, &args.map(String::from)).map_err(failed)?;
        let lines = BufReader::new(program.stdout().expect("piped")).lines();
        thread::scope(|scope| {
            scope.spawn(|| {
                for line in lines.map_while(Result::ok) {
                    if line.starts_with("Server listening") {
                        let _ = listening.send(());
                    }
                    if let Some(line) = Line::read(&line, test) {
                        self.note(&line, work.clock.now());
                    }
                }
            });
            let end = loop {
                if let Some(status) = program.ended() {
                    break Some(status);
                }
                if !work.wait_until(work.clock.now() + LOOK_NS) {
                    break program.end(Signal::INT);
                }
            };
            let complaint = program.complaint();
            // Before its client came it has no reason to end; what it says of a
            // client that was interrupted is no fault.
            match end {
                Some(status) if work.clock.now() < ends.app.active_ns.start && !work.stopped() => {
                    Err(ends.failed(format!("iperf3 -s ended ({}): {complaint}", how(status))))
                }
                _ => Ok(()),
            }
        })
    }

    fn note(&self, line: &Line, now: u64) {
        let mut seen = lock(&self.seen);
        if seen.interval != line.interval {
            seen.interval = line.interval.into();
            seen.retransmits += line.retransmits;
            seen.last = Some((now, line.bps));
        }
    }
}

/// The client, until the schedule ends it: its JSON.
fn request(work: &Work, ends: &Ends, file: &std::path::Path, test: Test) -> Result<Value, LiveError> {
    let (server, port, flows) = (ends.server.to_string(), PORT.to_string(), test.flows.to_string());
    // Without end (-t 0): the schedule's end is no whole second.
    let mut args = vec!["-c", &server, "-p", &port, "-P", &flows, "-t", "0", "-i", "1", "--json"];
    match (test.down, test.up) {
        (true, true) => args.push("--bidir"),
        (true, false) => args.push("-R"),
        _ => {}
    }
    let args: Vec<String> = args.into_iter().map(String::from).collect();
    let failed = |e: io::Error| ends.failed(format!("iperf3: {e}"));
    let mut program = start(work, &ends.station, file, &args).map_err(failed)?;
    let output = program.stdout().expect("piped");
    let reader = thread::spawn(move || read_all(output));
    let mut died = None;
    while died.is_none() && work.wait_until((work.clock.now() + LOOK_NS).min(ends.app.active_ns.end)) {
        if work.over(ends.app.active_ns.end) {
            break;
        }
        died = program.ended();
    }
    let status = died.or_else(|| program.end(Signal::INT));
    let text = reader.join().unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let fails = |said: &str| {
        let (how, complaint) = (status.map_or("killed".into(), how), program_words(said, &text));
        ends.failed(format!("iperf3 ended ({how}): {complaint}"))
    };
    match (died, report["error"].as_str()) {
        (Some(_), said) => Err(fails(&[said.unwrap_or(""), &program.complaint()].join(" "))),
        (None, _) if report["end"].is_null() => Err(fails(&program.complaint())),
        _ => match used(&report) {
            Some(used) if used != test.congestion => Err(ends.failed(format!(
                "its connections used congestion control {used}, not {}: a route of its namespace is gone",
                test.congestion
            ))),
            _ => Ok(report),
        },
    }
}

/// Starts it, without rights.
fn start(work: &Work, ns: &NetnsRef, file: &std::path::Path, args: &[String]) -> io::Result<Program> {
    Program::start(Start { ns, user: work.user, file, args, stdout: Stdio::piped(), home: Home::None })
}

/// The congestion control that its sender says it used.
fn used(report: &Value) -> Option<&str> {
    ["sender_tcp_congestion", "receiver_tcp_congestion"].iter().find_map(|key| report["end"][key].as_str())
}

/// What it said; else the end of what it wrote.
fn program_words(said: &str, text: &str) -> String {
    let said = said.trim();
    let tail: String = text.lines().rev().take(3).collect::<Vec<_>>().join(" ");
    if said.is_empty() { tail } else { said.into() }
}

fn bulk(report: &Value, test: Test) -> Bulk {
    let end = &report["end"];
    let number = |sum: &str, key: &str| end[sum][key].as_f64().unwrap_or(0.0);
    let (down, up) = match (test.down, test.up) {
        (true, true) => ("sum_received_bidir_reverse", "sum_sent"),
        (true, false) => ("sum_received", ""),
        _ => ("", "sum_sent"),
    };
    Bulk {
        congestion: used(report).unwrap_or("").into(),
        down_bps: number(down, "bits_per_second"),
        up_bps: number(up, "bits_per_second"),
        retransmits: number(up, "retransmits") as u64,
        flows: report["start"]["test_start"]["num_streams"].as_u64().unwrap_or(0),
    }
}

impl ActiveApp for Iperf {
    fn score(&self, now: u64) -> Option<Score> {
        let seen = lock(&self.seen);
        let bps = seen.last.filter(|(at, _)| now < at + OLD_NS)?.1;
        let metric = if self.upload { Metric::UplinkGoodput } else { Metric::Goodput };
        let again = match seen.retransmits {
            0 => String::new(),
            n => format!(", {n} retransmitted"),
        };
        Some(score(metric, bps, bits(bps) + &again))
    }

    fn finish(&self, _: &mut AppTrace, report: &mut AppReport) {
        let seen = lock(&self.seen);
        let mut bulk = seen.bulk.clone();
        bulk.retransmits += seen.retransmits;
        report.bulk = Some(bulk);
    }
}

/// One line of a server about one second of all its connections.
#[derive(Debug, PartialEq)]
struct Line<'a> {
    interval: &'a str,
    bps: f64,
    retransmits: u64,
}

impl Line<'_> {
    /// `[SUM][TX-S]   0.00-1.00   sec   995 MBytes  8320057 Kbits/sec   19`
    fn read(line: &str, test: Test) -> Option<Line<'_>> {
        let both = test.down && test.up;
        let ours = (test.flows == 1 || line.starts_with("[SUM]")) && (!both || line.contains("[TX-S]"));
        if !line.starts_with('[') || !ours || line.ends_with("sender") || line.ends_with("receiver") {
            return None;
        }
        let words: Vec<&str> = line.rsplit(']').next()?.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "Kbits/sec")?;
        let retransmits = words.get(at + 1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let kbps: f64 = words.get(at.checked_sub(1)?)?.parse().ok()?;
        Some(Line { interval: words.first()?, bps: kbps * 1e3, retransmits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates are of the receiver downwards and of the sender upwards; the client counts retransmissions of uploads alone.
    #[test]
    fn a_report_is_read_by_its_directions() {
        let mut report = serde_json::json!({
            "start": { "test_start": { "num_streams": 3 } },
            "end": {
                "sum_sent": { "bits_per_second": 1e6, "retransmits": 11 },
                "sum_received": { "bits_per_second": 2e6, "retransmits": 22 },
                "sum_sent_bidir_reverse": { "bits_per_second": 3e6, "retransmits": 33 },
                "sum_received_bidir_reverse": { "bits_per_second": 4e6, "retransmits": 44 },
                "sender_tcp_congestion": "reno",
                "receiver_tcp_congestion": "cubic",
            },
        });
        for (down, up, down_bps, up_bps, retransmits) in
            [(true, false, 2e6, 0.0, 0), (false, true, 0.0, 1e6, 11), (true, true, 4e6, 1e6, 11)]
        {
            let test = Test { congestion: "reno", flows: 9, down, up };
            let expected = Bulk { congestion: "reno".into(), down_bps, up_bps, retransmits, flows: 3 };
            assert_eq!(bulk(&report, test), expected);
        }
        report["end"]["sender_tcp_congestion"] = Value::Null;
        assert_eq!(used(&report), Some("cubic"));
        assert_eq!(program_words(" said ", "a\nb"), "said");
        assert_eq!(program_words(" ", "a\nb\nc\nd"), "d c b");
    }

    /// The server's retransmissions of each second, once, and those that the client counted.
    #[test]
    fn seconds_are_counted_once_and_shown_for_three() {
        for (upload, metric) in [(false, Metric::Goodput), (true, Metric::UplinkGoodput)] {
            let own = Iperf { upload, seen: Mutex::default() };
            let line = |interval, mbps: f64, retransmits| Line { interval, bps: mbps * 1e6, retransmits };
            assert_eq!(own.score(0), None);
            own.note(&line("0.00-1.00", 5.0, 0), 1_000);
            assert_eq!(own.score(1_000).unwrap().text, "5.00 Mb/s");
            own.note(&line("1.00-2.00", 4.0, 7), 2_000);
            own.note(&line("2.00-3.00", 3.0, 2), 3_000);
            own.note(&line("2.00-3.00", 9.0, 5), 4_000);
            let shown = own.score(3_000 + OLD_NS - 1).unwrap();
            assert_eq!((shown.metric.as_str(), shown.value), (metric.name(), 3e6));
            assert_eq!(shown.text, "3.00 Mb/s, 9 retransmitted");
            assert_eq!(own.score(3_000 + OLD_NS), None);
            lock(&own.seen).bulk = Bulk { retransmits: 11, down_bps: 2.0, ..Bulk::default() };
            let mut report = AppReport::default();
            let ends = super::super::fixture::ends("kind = \"download\"");
            own.finish(&mut airtab_sim::AppMeter::new(&ends.app, &ends.scenario).finish(1).0, &mut report);
            assert_eq!(report.bulk, Some(Bulk { retransmits: 20, down_bps: 2.0, ..Bulk::default() }));
        }
    }

    /// Both ways a line of what the server sends counts; of several connections their sum.
    #[test]
    fn lines_of_both_directions_and_several_connections() {
        let line = |id: &str, kbps: u32| format!("{id}   0.00-1.00   sec   4 MBytes  {kbps} Kbits/sec    5");
        let rate = |line: &str, flows, down, up| {
            let test = Test { congestion: "cubic", flows, down, up };
            Line::read(line, test).map(|line| line.bps)
        };
        let all = [
            ("[  5]", [Some(8e6), None, None, None]),
            ("[  5][TX-S]", [Some(8e6), None, Some(8e6), None]),
            ("[  5][RX-S]", [Some(8e6), None, None, None]),
            ("[SUM]", [Some(8e6), Some(8e6), None, None]),
            ("[SUM][TX-S]", [Some(8e6), Some(8e6), Some(8e6), Some(8e6)]),
            ("[SUM][RX-S]", [Some(8e6), Some(8e6), None, None]),
        ];
        for (id, expected) in all {
            let line = line(id, 8000);
            let told = [(1, false), (2, false), (1, true), (2, true)]
                .map(|(flows, up)| rate(&line, flows, true, up));
            assert_eq!(told, expected, "{id}");
            assert_eq!(rate(&line, 1, false, true), Some(8e6), "an upload is the server's only one");
        }
        let longer = "[  5]  10.00-11.00  sec  1.00 GBytes  12.5 Kbits/sec";
        let test = Test { congestion: "cubic", flows: 1, down: false, up: true };
        let told = Line { interval: "10.00-11.00", bps: 12_500.0, retransmits: 0 };
        assert_eq!(Line::read(longer, test), Some(told));
    }

    #[test]
    fn lines_of_a_server() {
        let test = |flows, up| Test { congestion: "cubic", flows, down: true, up };
        let one = "[  5]   0.00-1.00   sec   499 MBytes  4170481 Kbits/sec    7   7.56 MBytes       ";
        let line = Line::read(one, test(1, false)).unwrap();
        assert_eq!(line, Line { interval: "0.00-1.00", bps: 4_170_481e3, retransmits: 7 });
        assert_eq!(Line::read(one, test(2, false)), None, "one of several");
        let sum = "[SUM][TX-S]   1.00-2.01   sec   685 MBytes  5721241 Kbits/sec   32             ";
        assert_eq!(Line::read(sum, test(2, true)).unwrap().retransmits, 32);
        assert_eq!(Line::read(&sum.replace("[TX-S]", "[RX-S]"), test(2, true)), None);
        let received = "[  5]   0.00-1.00   sec   499 MBytes  4170481 Kbits/sec                  ";
        assert_eq!(Line::read(received, test(1, false)).unwrap().retransmits, 0);
        for other in [
            "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd",
            "- - - - - - - - - - - - - - - - - - - - - - - - -",
            "[  5]   0.00-3.01   sec  1.38 GBytes  3932990 Kbits/sec   23             sender",
            "[  5] local 127.0.0.1 port 5201 connected to 127.0.0.1 port 46388",
            "",
        ] {
            assert_eq!(Line::read(other, test(1, false)), None, "{other}");
        }
    }
}
