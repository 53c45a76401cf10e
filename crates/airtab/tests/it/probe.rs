// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab cbr` and `airtab htbench` as a user has them: lines, JSON, files, exit codes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, kill_process};
use serde_json::Value;

use crate::common::interrupt_signal;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.args(args).env("COLUMNS", "100").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn airtab(args: &[&str]) -> Output {
    command(args).output().expect("airtab starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), interrupt_signal()).expect("it runs");
}

/// A receiver on a free port, which it names on standard error.
fn receiver(args: &[&str]) -> (Child, String) {
    let args: Vec<&str> = ["cbr", "-L", "-s", "0"].iter().chain(args).copied().collect();
    let mut child = command(&args).spawn().expect("airtab starts");
    let mut errors = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let address =
        line.strip_prefix("Receiving on ").and_then(|l| l.strip_suffix(" ...\n")).expect("its words");
    let port = address.rsplit(':').next().expect("a port").to_string();
    // What it says later is of interest to nobody, and must not fill the pipe.
    thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
    (child, port)
}

#[test]
fn help_has_examples_and_h_is_a_host_or_help() {
    for command in ["cbr", "equal-access", "fingerprint", "htbench"] {
        let output = airtab(&[command, "--help"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("Examples:"), "{command}");
    }
    for args in [&["cbr", "-h"][..], &["cbr", "-L", "-h"], &["cbr", "-h", "-p", "9"], &["htbench", "-h"]] {
        let output = airtab(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains("Usage: airtab "), "{args:?}");
    }
    let output = airtab(&["cbr", "-h", "192.0.2.1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--port <PORT>"), "{}", text(&output.stderr));
}

#[test]
fn wrong_usage_is_told_with_what_would_do() {
    let send = ["cbr", "-h", "127.0.0.1", "-p", "9"];
    for (args, words) in [
        (&["-r", "5"][..], "'5' is not a rate with its unit"),
        (&["-r", "54Mbps"], "did you mean 54Mb/s?"),
        (&[], "--rate <RATE>"),
        (&["-r", "1Mb/s", "-l", "39"], "a payload of 39 bytes: give at least 40"),
        (&["-r", "1Mb/s", "-l", "65508"], "takes at most 65507"),
        (&["-r", "1Mb/s", "-M", "2Mb/s", "-T", "1"], "<--steps <N>|--add <RATE>>"),
        (&["-r", "1Mb/s", "-M", "2Mb/s", "-T", "1", "-n", "0"], "a sweep needs steps"),
        (&["-r", "2Mb/s", "--peak", "1Mb/s"], "below the average"),
        (&["-r", "1Mb/s", "-U"], "--rtt"),
        (&["-r", "1Mb/s", "-R", "-N", "1.5"], "1.5 of the packets as PINGs"),
        (&["-r", "1Mb/s", "-P", "many"], "a number, or none"),
        (&["-L", "-s", "9"], "cannot be used with"),
    ] {
        let args: Vec<&str> = send.iter().chain(args).copied().collect();
        let output = airtab(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(words), "{args:?}: {}", text(&output.stderr));
    }
    assert_eq!(airtab(&["cbr", "-L"]).status.code(), Some(2), "a receiver needs a port");
    let output = airtab(&["cbr", "-6", "-h", "127.0.0.1", "-p", "9", "-r", "1Mb/s"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("127.0.0.1 has no IPv6 address"), "{}", text(&output.stderr));
    assert_eq!(airtab(&["htbench"]).status.code(), Some(2));
}

#[test]
fn both_ends_over_ipv4_and_ipv6() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    for (host, version) in [("127.0.0.1", &[][..]), ("::1", &["-6"])] {
        let (child, port) = receiver(&[version, &["-R", "--json", "-u", "300ms"]].concat());
        let file = dir.path().join(format!("rtt-{}.txt", version.len()));
        let file = file.to_str().expect("UTF-8");
        let send = ["cbr", "-h", host, "-p", &port, "-r", "4Mb/s", "-l", "500", "-H", "-R", "-N", "0.2"];
        let more = ["-u", "0.5", "--duration", "1", "--json", "-F", file];
        let output = airtab(&[&send, &more[..], version].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        interrupt(&child);
        let received = child.wait_with_output().expect("it ends");
        assert_eq!(received.status.code(), Some(130));

        let sent = lines(&output);
        let summary = sent.last().expect("a summary");
        assert_eq!((&summary["schema"], &summary["event"]), (&1.into(), &"summary".into()));
        assert!(sent[..sent.len() - 1].iter().all(|line| line["event"] == "interval"));
        let packets = summary["packets"].as_u64().expect("a number");
        assert_eq!(summary["bytes"], packets * 500);
        let elapsed = summary["end_ns"].as_u64().expect("a number");
        let header = if version.is_empty() { 28 } else { 48 };
        let rate = u128::from(packets) * (500 + header) * 8_000_000_000 / u128::from(elapsed);
        assert_eq!(summary["sent_bits_per_second"], rate as u64);
        let answered = summary["pings"]["answered"].as_u64().expect("a number");
        assert!(answered > 0 && summary["rtt"]["count"] == answered, "{summary}");
        let samples = std::fs::read_to_string(file).expect("the file");
        assert_eq!(samples.lines().filter(|l| !l.starts_with('#')).count() as u64, answered);
        assert!(
            samples.ends_with('\n')
                && samples.lines().all(|l| l.starts_with('#') || l.split(' ').count() == 3)
        );

        let total = lines(&received).pop().expect("a summary");
        assert_eq!(total["event"], "summary");
        let arrived = total["packets"].as_u64().expect("a number");
        assert!(arrived > 0 && arrived <= packets, "{total}");
        // The share that was asked for.
        assert!(
            total["pings"].as_u64().expect("a number").abs_diff(arrived / 5) <= arrived / 50 + 1,
            "{total}"
        );
    }
}

#[test]
fn columns_for_people() {
    let (mut child, port) = receiver(&["-u", "1"]);
    let send = ["cbr", "-h", "127.0.0.1", "-p", &port, "-r", "100kb/s", "-l", "100", "-u", "100ms"];
    let output = airtab(&[&send[..], &["-M", "300kb/s", "-T", "200ms", "-n", "1"]].concat());
    let table = text(&output.stdout);
    assert!(table.starts_with("   time, s asked, Mb/s  sent, Mb/s   packets\n"), "{table}");
    assert!(table.contains("\nSteps\n") && table.contains(" Mb/s sent"), "{table}");
    let output = airtab(&[&send[..], &["-S", "-R", "--duration", "300ms"]].concat());
    let table = text(&output.stdout);
    assert!(!table.contains("time, s") && table.contains("PINGs: "), "{table}");
    assert!(text(&output.stderr).contains("No echo came: run the receiver with -R"));
    interrupt(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// Answers every GET with `bytes`, at 1000 bytes in 10 ms if `slow`, and swallows every PUT.
fn server(bytes: usize, slow: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || -> std::io::Result<()> {
                let mut reader = BufReader::new(stream.try_clone()?);
                let (mut length, mut line) = (0, String::from("x"));
                while !line.trim().is_empty() {
                    line.clear();
                    reader.read_line(&mut line)?;
                    if let Some(value) = line.strip_prefix("Content-Length: ") {
                        length = value.trim().parse().expect("a number");
                    }
                }
                std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
                let bytes = if length > 0 { 0 } else { bytes };
                write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n")?;
                for piece in vec![b'x'; bytes].chunks(1000) {
                    stream.write_all(piece)?;
                    if slow {
                        thread::sleep(Duration::from_millis(10));
                    }
                }
                Ok(())
            });
        }
    });
    address
}

fn configuration(dir: &Path, content: &str) -> String {
    let path = dir.join("bench.toml");
    std::fs::write(&path, content).expect("written");
    path.to_str().expect("UTF-8").into()
}

#[test]
fn a_benchmark_leaves_its_files() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let (server, out) = (server(400_000, false), dir.path().join("results"));
    let config = configuration(
        dir.path(),
        &format!(
            "[[class]]\nname = 'dl'\nserver = '{server}'\npath = '/f'\nconcurrency = 2\ncount = 4\n\
         [[class]]\nname = 'ul'\nserver = '{server}'\npath = '/null'\nmethod = 'PUT'\nsize = '200kB'\ncount = 3"
        ),
    );
    let run = ["htbench", &config, "--out", out.to_str().expect("UTF-8"), "--json"];
    let output = airtab(&run);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = lines(&output);
    let (summary, requests) = printed.split_last().expect("lines");
    assert_eq!(requests.len(), 7);
    for request in requests {
        assert_eq!((&request["event"], &request["end"]), (&"request".into(), &"done".into()));
        let name = request["file"].as_str().expect("a name");
        let file = std::fs::read_to_string(out.join(name)).expect(name);
        let last = file.lines().last().and_then(|l| l.split(' ').nth(1)).expect("two columns");
        assert_eq!(last, request["bytes"].to_string(), "{name}");
    }
    assert_eq!((&summary["classes"][0]["done"], &summary["classes"][1]["done"]), (&4.into(), &3.into()));
    let kept = std::fs::read_to_string(out.join("summary.json")).expect("the summary");
    assert_eq!(serde_json::from_str::<Value>(&kept).expect("JSON"), *summary);
    assert!(out.join("throughput.txt").is_file() && out.join("jain.txt").is_file());

    let again = airtab(&run);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("it is not empty: name another one"), "{}", text(&again.stderr));
}

#[test]
fn an_interrupted_benchmark_keeps_what_it_has() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let (server, out) = (server(10_000_000, true), dir.path().join("results"));
    let content =
        format!("out = '{}'\n[[class]]\nname = 'dl'\nserver = '{server}'\npath = '/f'", out.display());
    let child = command(&["htbench", &configuration(dir.path(), &content)]).spawn().expect("airtab starts");
    thread::sleep(Duration::from_millis(700));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stdout).contains("s, interrupted\n"), "{}", text(&output.stdout));
    let file = std::fs::read_to_string(out.join("dl-0001.unfinished.txt")).expect("the file");
    assert!(file.ends_with('\n') && file.lines().count() > 10, "{file}");
    assert!(out.join("summary.json").is_file());
}

/// `--duration` and `--out` go before those of the file.
#[test]
fn an_option_goes_before_the_file_of_a_benchmark() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let (server, out) = (server(10_000_000, true), dir.path().join("option"));
    let file = dir.path().join("file");
    let content = format!(
        "out = '{}'\nduration = '100s'\n[[class]]\nname = 'dl'\nserver = '{server}'\npath = '/f'",
        file.display()
    );
    let path = configuration(dir.path(), &content);
    let out = out.to_str().expect("UTF-8");
    let output = airtab(&["htbench", &path, "--duration", "300ms", "--out", out, "--json"]);
    let summary = lines(&output).pop().expect("a summary");
    let took = summary["duration_ns"].as_u64().expect("ns");
    assert!((300_000_000..10_000_000_000).contains(&took), "{took}");
    assert_eq!(summary["classes"][0]["unfinished"], 1);
    assert!(Path::new(out).join("summary.json").is_file() && !file.exists());
}

#[test]
fn failed_requests_and_bad_files_are_told() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let nobody = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let output = airtab(&[
        "htbench",
        &configuration(
            dir.path(),
            &format!("[[class]]\nname = 'a'\nserver = '{nobody}'\npath = '/'\ncount = 7"),
        ),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.contains("\na: 7 times cannot connect: Connection refused"), "{said}");
    assert_eq!(said.matches("Connection refused").count(), 1, "{said}");
    let config = configuration(dir.path(), "[[class]]\nname = 'a'\nserver = '127.0.0.1'\npath = 'f'");
    let output = airtab(&["htbench", &config]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    let expected = format!("{config}:4:8: [[class]] path: 'f': use a path that begins with /");
    assert!(error.contains(&expected), "{error}");
    let example = airtab(&["htbench", "--example"]);
    assert!(text(&example.stdout).contains("[[class]]\nname = \"dl\""));
}

/// A configuration of earlier versions is refused with what makes another one of it, and that runs.
#[test]
fn an_ini_file_is_converted() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let server = server(1000, false);
    let config = configuration(dir.path(), &format!("[class dl] server={server} path=/f count=2 # both\n"));
    let refused = airtab(&["htbench", &config]);
    assert_eq!(refused.status.code(), Some(1));
    let cure = format!("airtab htbench --convert {config} prints it as TOML");
    assert!(text(&refused.stderr).contains(&cure), "{}", text(&refused.stderr));
    let converted = airtab(&["htbench", "--convert", &config]);
    assert_eq!((converted.status.code(), text(&converted.stderr)), (Some(0), ""));
    let ran = airtab(&["htbench", &configuration(dir.path(), text(&converted.stdout)), "--json"]);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    assert_eq!(lines(&ran).last().expect("a summary")["classes"][0]["done"], 2);
    let broken = airtab(&["htbench", "--convert", &configuration(dir.path(), "[global]\nnow\n")]);
    assert_eq!(broken.status.code(), Some(1));
    let expected = format!("{config}:2: 'now' is no key with a value: write key = value");
    assert!(text(&broken.stderr).contains(&expected), "{}", text(&broken.stderr));
    let nothing = airtab(&["htbench", "--convert", "/no/such.ini"]);
    assert!(text(&nothing.stderr).contains("/no/such.ini: cannot read it"), "{}", text(&nothing.stderr));
}

#[test]
fn a_datagram_starts_those_that_wait() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let server = server(1000, false);
    let port = std::net::UdpSocket::bind("127.0.0.1:0").and_then(|s| s.local_addr()).expect("a port").port();
    let content =
        format!("start = 'broadcast:{port}'\n[[class]]\nname = 'a'\nserver = '{server}'\npath = '/'");
    let mut child =
        command(&["htbench", &configuration(dir.path(), &content)]).spawn().expect("airtab starts");
    let mut errors = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    while !line.starts_with("Waiting for a datagram") {
        line.clear();
        assert!(errors.read_line(&mut line).expect("a line") > 0, "it ended");
    }
    let sent = airtab(&["htbench", "--trigger", &format!("127.255.255.255:{port}")]);
    assert_eq!(sent.status.code(), Some(0), "{}", text(&sent.stderr));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("\na                 1      0"), "{}", text(&output.stdout));
}

/// What the receiver writes is what the fingerprint reads.
#[test]
fn arrival_times_go_into_a_file() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let file = dir.path().join("gaps.txt");
    let file = file.to_str().expect("UTF-8");
    let (child, port) = receiver(&["--arrivals", file, "--json"]);
    let send = ["cbr", "-h", "127.0.0.1", "-p", &port, "-r", "80kb/s", "-l", "100", "--duration", "1"];
    let output = airtab(&send);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // What has been sent over loopback has arrived.
    interrupt(&child);
    let received = child.wait_with_output().expect("it ends");
    let packets = lines(&received).pop().expect("a summary")["packets"].as_u64().expect("a number");
    let written = std::fs::read_to_string(file).expect("the file");
    assert!(
        written.starts_with("# arrival[s], by the kernel's clock\n") && written.ends_with('\n'),
        "{written}"
    );
    let times: Vec<f64> = written.lines().skip(1).map(|line| line.parse().expect("a time in s")).collect();
    assert!(times.len() as u64 == packets && packets > 10, "{packets}");
    assert!(times.is_sorted());
    let output = airtab(&["fingerprint", file, "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["files"][0]["packets"], packets);
    assert_eq!(found["files"][0]["verdict"], "too_few_samples");
    let nowhere = airtab(&["cbr", "-L", "-s", "0", "--arrivals", "/nonesuch/gaps.txt"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(text(&nowhere.stderr).contains("cannot write /nonesuch/gaps.txt"), "{}", text(&nowhere.stderr));
}

/// 32 slots of 20 us, each as often as the others, in an order without rule; and a counter.
#[test]
fn a_card_is_judged_by_its_arrival_times() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let write = |name: &str, draw: &dyn Fn(u64) -> u64| {
        let mut at = 1_764_000_000_000_000_000u64;
        let mut content = String::new();
        for i in 0..2000 {
            at += 1_347_270 + 20_000 * draw(i);
            content += &format!("{}.{:09}\n", at / 1_000_000_000, at % 1_000_000_000);
        }
        let path = dir.path().join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("UTF-8").to_string()
    };
    let random = |i: u64| {
        let z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 59
    };
    let (good, counter) = (write("good.txt", &random), write("counter.txt", &|i| i % 32));
    let output = airtab(&["fingerprint", &good, "--phy", "std-11b", "--exchange", "1297.27us"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("2000 packets, profile std-11b") && said.contains("1347.27"), "{said}");
    assert!(said.contains("The sender conforms: its slots are equally likely"), "{said}");
    // An exchange that ends two slots later: the same sender is two slots early, and draws as many slots as before.
    let early = ["fingerprint", &good, "--phy", "std-11b", "--exchange", "1337.27us", "--json"];
    let output = airtab(&early);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let file = &json["files"][0];
    assert_eq!(file["faults"][0]["text"], "waits 2 slots less than its interframe space before it counts");
    assert_eq!(file["faults"].as_array().map(Vec::len), Some(1), "{file:#}");
    assert_eq!(file["figures"]["masses"].as_array().map(Vec::len), Some(32), "{file:#}");
    assert_eq!((&file["figures"]["draws"], &file["base_ns"]), (&1999.into(), &1_347_270.0.into()));
    // Without a profile it is a guess, by which no card is accused.
    let output = airtab(&["fingerprint", &counter]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("The sender does not fit the profile, which is a guess: that shows no fault"),
        "{said}"
    );
    let output = airtab(&["fingerprint", &good, &counter, "--phy", "std-11b"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.contains("it counts instead of drawing: 100 % of its draws are 1 above"), "{said}");
}

#[test]
fn what_is_no_capture_is_told() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let path = |name: &str, content: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("UTF-8").to_string()
    };
    let (empty, page) = (path("empty.pcap", b""), path("page.html", b"<html>"));
    let (none, words) = (path("none.txt", b"# none\n"), path("words.txt", b"1.0\nsoon\n"));
    for (args, expected) in [
        (&[&*empty][..], "empty.pcap: it is empty: give a capture with frames"),
        (&[&*page], "page.html: it is no pcap or pcapng file"),
        (&[&*none], "none.txt: it has no arrival times"),
        (&[&*words], "words.txt: line 2: 'soon' is no time"),
        (&["/nonesuch"], "/nonesuch: cannot read it"),
        (
            &[&*words, "--station", "02:61:74:01:00:00"],
            "arrival times have no addresses: leave --station out",
        ),
        (&[&*empty, "--exchange", "1ms"], "leave --exchange out, it is for arrival times (.txt)"),
    ] {
        let output = airtab(&[&["fingerprint"], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
    }
    for (args, expected) in [
        (&["--phy", "11b"][..], "no such profile; known: phy-a"),
        (&["--station", "02:61"], "02:61: give a MAC address, such as 02:61:74:01:00:00"),
        (&["--exchange", "0us"], "more than 0ns, at most 1s"),
    ] {
        let output = airtab(&[&["fingerprint", &empty], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
    }
}

/// All three over loopback, which is never full.
#[test]
fn equal_access_from_end_to_end() {
    let plan = ["--to", "128kb/s", "--step-time", "500ms"];
    let listen = ["equal-access", "listen", "0", "--bind", "127.0.0.1", "--json"];
    let mut child = command(&[&listen[..], &plan].concat()).spawn().expect("airtab starts");
    let mut errors = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let address =
        line.strip_prefix("Receiving on ").and_then(|l| l.strip_suffix(" ...\n")).expect("its words");
    let send = |role| [&["equal-access", "send", role, address][..], &plan].concat();
    let best_effort = command(&send("be")).spawn().expect("airtab starts");
    thread::sleep(Duration::from_millis(300));
    let expedited = airtab(&send("ef"));
    assert_eq!(expedited.status.code(), Some(0), "{}", text(&expedited.stderr));
    interrupt(&best_effort);
    assert_eq!(best_effort.wait_with_output().expect("it ends").status.code(), Some(0));
    let output = child.wait_with_output().expect("it ends");
    let told = lines(&output);
    let (summary, steps) = told.split_last().expect("a summary");
    assert_eq!((steps.len(), &summary["event"]), (2, &"summary".into()), "{told:?}");
    assert_eq!((&steps[0]["offered_packets_per_second"], &steps[1]["step"]), (&125.0.into(), &2.into()));
    assert!(steps.iter().all(|step| step["best_effort_packets_per_second"].as_f64() > Some(0.0)), "{told:?}");
    assert!(summary["best_effort_alone_packets_per_second"].as_f64() > Some(0.0), "{summary}");
    assert_eq!(output.status.code(), Some(if summary["verdict"] == "equal" { 0 } else { 1 }));
    let same = airtab(&["equal-access", "listen", "0", "--ef-length", "768"]);
    assert_eq!(same.status.code(), Some(2));
    assert!(text(&same.stderr).contains("both senders have packets of 768 bytes"), "{}", text(&same.stderr));
    let nowhere = airtab(&["equal-access", "send", "be", "127.0.0.1"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(text(&nowhere.stderr).contains("cannot find 127.0.0.1 (HOST:PORT)"), "{}", text(&nowhere.stderr));
}

/// Two machines' directories, as one: their classes under their names, one curve over all flows.
#[test]
fn results_of_several_machines_are_merged() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let server = server(150_000, true);
    let path = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_string();
    let config =
        configuration(dir.path(), &format!("[[class]]\nname = 'dl'\nserver = '{server}'\npath = '/f'"));
    let runs = ["one", "two"].map(|name| {
        let child = command(&["htbench", &config, "--out", &path(name)]).spawn();
        child.expect("airtab starts")
    });
    for run in runs {
        assert_eq!(run.wait_with_output().expect("it ends").status.code(), Some(0));
    }
    let output = airtab(&["htbench", "--merge", &path("one"), &path("two"), "--out", &path("all"), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("placed by their system clocks"), "{}", text(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&summary["flows"], &summary["clock"]), (&2.into(), &"system".into()));
    assert_eq!(
        (&summary["classes"][0]["class"], &summary["classes"][1]["class"]),
        (&"one/dl".into(), &"two/dl".into())
    );
    let kept = std::fs::read_to_string(dir.path().join("all/throughput.txt")).expect("the series");
    assert!(kept.contains("# t[s] one/dl-1[b/s] two/dl-1[b/s]\n"), "{kept}");
    assert!(dir.path().join("all/jain.txt").is_file());

    // Offsets by the system clocks; 0 for runs that one datagram started, with a warning if the clocks are over 60 s apart.
    let begun = |name: &str, started_ns: u64, start: &str| {
        let file = dir.path().join(name).join("summary.json");
        let mut summary: Value = serde_json::from_slice(&std::fs::read(&file).expect("there")).expect("JSON");
        (summary["started_ns"], summary["start"]) = (started_ns.into(), start.into());
        std::fs::write(file, summary.to_string()).expect("written");
    };
    let first = 1_700_000_000_000_000_000;
    let apart = "by their system clocks the runs began 60 s apart";
    for (later_ns, start, clock, warned) in [
        (250_000_000, "now", "system", false),
        (61_000_000_000, "now", "system", false),
        (60_000_000_000, "broadcast:9", "datagram", false),
        (60_000_000_001, "broadcast:9", "datagram", true),
    ] {
        begun("one", first, "broadcast:9");
        begun("two", first + later_ns, start);
        let out = path(&format!("later{later_ns}"));
        let output = airtab(&["htbench", "--merge", &path("two"), &path("one"), "--out", &out, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr).contains(apart), warned, "{later_ns}: {}", text(&output.stderr));
        let merged: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(merged["clock"], clock, "{later_ns}");
        let offset = if clock == "system" { later_ns } else { 0 };
        let [two, one] = [0, 1].map(|part| &merged["parts"][part]);
        assert_eq!((&two["name"], &two["offset_ns"]), (&"two".into(), &offset.into()), "{later_ns}");
        assert_eq!((&one["name"], &one["offset_ns"]), (&"one".into(), &0.into()), "{later_ns}");
    }

    std::fs::create_dir_all(path("x/one")).expect("made");
    for entry in std::fs::read_dir(path("one")).expect("there").map_while(Result::ok) {
        std::fs::copy(entry.path(), dir.path().join("x/one").join(entry.file_name())).expect("copied");
    }
    std::fs::create_dir(path("nothing")).expect("made");
    for (dirs, out, expected) in [
        ([path("one"), path("x/one")], path("b"), "two directories are called one"),
        ([path("one"), path("nothing")], path("b"), "is no result of htbench, or was not finished"),
        ([path("one"), path("all")], path("b"), "does not say when it began"),
        ([path("one"), path("two")], path("all"), "it is not empty: name another one"),
    ] {
        let output = airtab(&["htbench", "--merge", &dirs[0], &dirs[1], "--out", &out]);
        assert_eq!(output.status.code(), Some(1), "{expected}");
        assert!(text(&output.stderr).contains(expected), "{expected}: {}", text(&output.stderr));
    }
    assert_eq!(airtab(&["htbench", "--merge", &path("one"), "--out", &path("b")]).status.code(), Some(2));
}
