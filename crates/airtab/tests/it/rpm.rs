// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab rpm` as a user has it: both ends over loopback; and beside irtt, on the station of a live house whose
//! emulated link has a known rate and delay (as root).

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, kill_process};
use serde_json::Value;

use crate::common::interrupt_signal;

const BINARY: &str = env!("CARGO_BIN_EXE_airtab");

/// One test after the other: a load over loopback takes the processors that a latency is measured with.
static ALONE: Mutex<()> = Mutex::new(());

fn airtab(args: &[&str]) -> Output {
    Command::new(BINARY).args(args).output().expect("airtab starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Something that is ended when nobody looks any more.
struct Running(Child);

impl Running {
    fn end(&mut self) -> Option<i32> {
        let _ = kill_process(Pid::from_child(&self.0), interrupt_signal());
        self.0.wait().ok()?.code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// A server, its address and its fingerprint, as the first line says them.
fn server(command: &mut Command) -> (Running, String, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("airtab starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    let said: Value = serde_json::from_str(&line).expect("JSON");
    let of = |key: &str| said[key].as_str().expect("there").to_string();
    (Running(child), of("address"), of("fingerprint"))
}

#[test]
fn both_ends_over_loopback() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut other, address, fingerprint) =
        server(Command::new(BINARY).args(["rpm", "--serve", "127.0.0.1:0", "--json"]));
    let folder = tempfile::tempdir().expect("a folder");
    let flent = folder.path().join("mine.flent.gz");
    let flent = flent.to_str().expect("UTF-8");
    let measured = ["rpm", &address, "--trust", &fingerprint, "--down", "--duration", "4s", "--json"];
    let output = airtab(&[&measured[..], &["--flent", flent]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (last, intervals) = lines.split_last().expect("lines");
    assert!(intervals.len() >= 3 && intervals.iter().all(|line| line["way"] == "down"), "{lines:?}");
    assert!(last["down"]["goodput_bits_per_second"].as_u64() > Some(10_000_000), "{last}");
    assert!(last["idle_latency_ns"].as_u64() > Some(0) && last.get("up").is_none(), "{last}");
    assert_eq!(last["down"]["rpm_confidence"], "low", "4 s are too short for a stable one");

    let said = text(&output.stderr);
    assert!(said.contains("flent -i") && fs::metadata(flent).expect("written").len() > 500, "{said}");
    let nowhere = airtab(&[&measured[..], &["--flent", "/nowhere/mine.flent.gz"]].concat());
    assert_eq!((nowhere.status.code(), text(&nowhere.stdout)), (Some(2), ""), "before anything is measured");
    assert!(text(&nowhere.stderr).contains("cannot write there"), "{}", text(&nowhere.stderr));

    let wrong = airtab(&["rpm", &address]);
    let said = text(&wrong.stderr);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        said.contains("TLS refused") && said.contains(&fingerprint) && said.contains("--trust"),
        "{said}"
    );
    assert_eq!(other.end(), Some(130), "Ctrl-C ends a server");
    let gone = airtab(&["rpm", &address, "--trust", &fingerprint]);
    assert!(text(&gone.stderr).contains("no answer (Connection refused"), "{}", text(&gone.stderr));
}

/// A server that takes connections and sends no byte: the first Ctrl-C ends the wait for it.
#[test]
fn an_interrupt_ends_the_wait_for_a_server() {
    let mute = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = mute.local_addr().expect("bound").to_string();
    let mut command = Command::new(BINARY);
    command.args(["rpm", &at]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("airtab starts");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("piped")).read_line(&mut line).expect("it says what it does");
    assert!(line.starts_with(&format!("Measuring {at}, ")), "{line}");
    thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    kill_process(Pid::from_child(&child), interrupt_signal()).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert!(text(&output.stdout).starts_with(&format!("{at}, interrupted\n")), "{}", text(&output.stdout));
}

#[test]
fn wrong_usage_is_told() {
    for (args, says) in [
        (&["rpm"][..], "URL|HOST"),
        (&["rpm", "x", "--serve"], "cannot be used with"),
        (&["rpm", "x", "--duration", "3s"], "give whole seconds, from 4s to 120s"),
        (&["rpm", "x", "--flent", "x.gz"], "x.flent.gz"),
        (&["rpm", "--serve", "--flent", "x.flent.gz"], "cannot be used with"),
        (&["rpm", "x", "--trust", "abc"], "64 hexadecimal digits"),
        (&["rpm", "--serve", "here"], "an address of this machine"),
    ] {
        let output = airtab(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
    let said = airtab(&["rpm", "http://example.org"]);
    assert_eq!(said.status.code(), Some(1));
    assert!(
        text(&said.stderr).contains("http://example.org: not https; give a host"),
        "{}",
        text(&said.stderr)
    );
    assert!(text(&airtab(&["rpm", "--help"]).stdout).contains("Examples:"));
}

/// A command inside a namespace, before others on a busy machine: latencies are measured.
fn within(namespace: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", namespace, "nice", "-n", "-19"]);
    command
}

/// Round trips of irtt: each with the time when its request was sent, in ns since 1970, and what it took, ms.
fn irtt(namespace: &str, seconds: &str) -> Vec<(u128, f64)> {
    let options = ["-i", "20ms", "-d", seconds, "-q", "-o", "-", "198.18.0.1"];
    let mut client = within(namespace);
    client.args(["irtt", "client"]).args(options);
    let output = client.output().expect("ip");
    let told: Value = serde_json::from_slice(&output.stdout).expect("irtt's JSON");
    let one = |trip: &Value| {
        let sent = trip["timestamps"]["client"]["send"]["wall"].as_u64()?;
        Some((u128::from(sent), trip["delay"]["rtt"].as_f64()? / 1e6))
    };
    told["round_trips"].as_array().expect("there").iter().filter_map(one).collect()
}

/// The median of what `trips` took, ms.
fn median(trips: &[(u128, f64)]) -> f64 {
    assert!(trips.len() > 50, "{} answers", trips.len());
    let mut ms: Vec<f64> = trips.iter().map(|&(_, ms)| ms).collect();
    ms.sort_by(f64::total_cmp);
    ms[ms.len() / 2]
}

#[test]
#[ignore = "needs root: network namespaces"]
fn needs_root_latencies_are_those_of_irtt() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(
        rustix::process::geteuid().is_root(),
        "this test builds a house, which needs root: run it with sudo"
    );
    assert!(Command::new("irtt").arg("version").output().is_ok(), "irtt is missing: tools/require live");
    let (name, folder) = (format!("t{}rpm", std::process::id()), tempfile::tempdir().expect("a folder"));
    let house = folder.path().join("house.toml");
    // 5 ms each way by wire; the emulated link takes 1.1 ms a packet: 11 Mb/s, 220 ms of a full queue.
    let scenario = format!(
        "name = \"{name}\"\nduration = \"600s\"\n[wifi]\nmedium = \"emulator\"\nextra_delay = \"700us\"\n\
         [queue]\nlimit = 100\n[[station]]\nname = \"phone\"\nfer = 0\n\
         [[app]]\nname = \"get\"\nkind = \"download\"\nstation = \"phone\"\nlatency = \"5ms\"\n"
    );
    fs::write(&house, scenario).expect("a file");
    let mut up = Command::new(BINARY);
    up.args(["live", "up"]).arg(&house).args(["--queue", "fifo"]).stdout(Stdio::null()).stderr(Stdio::null());
    let _house = Running(up.spawn().expect("airtab starts"));
    let (internet, phone) = (format!("airtab-{name}-internet"), format!("airtab-{name}-sta-phone"));
    for left in (0..300).rev() {
        let pinged = within(&phone).args(["ping", "-c", "1", "-W", "1", "198.18.0.1"]).output().expect("ip");
        if pinged.status.success() {
            break;
        }
        assert!(left > 0, "the house is not up: {}", text(&pinged.stderr));
        thread::sleep(Duration::from_millis(100));
    }
    let echo = within(&internet).args(["irtt", "server", "-b", "198.18.0.1"]).stdout(Stdio::null()).spawn();
    let _echo = Running(echo.expect("ip"));
    let (_other, address, fingerprint) =
        server(within(&internet).args([BINARY, "rpm", "--serve", "198.18.0.1:4043", "--json"]));
    thread::sleep(Duration::from_millis(500));
    let idle_ms = median(&irtt(&phone, "3s"));
    // Begins while the link is idle: a full queue can drop what opens it, and it waits seconds then.
    let beside_it = thread::spawn({
        let phone = phone.clone();
        move || irtt(&phone, "16s")
    });
    thread::sleep(Duration::from_millis(500));
    let rpm = ["rpm", &address, "--trust", &fingerprint, "--down", "--duration", "12s", "--json"];
    let output = within(&phone).arg(BINARY).args(rpm).output().expect("ip");
    let ended = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    let last = text(&output.stdout).lines().last().unwrap_or_else(|| panic!("{}", text(&output.stderr)));
    let last: Value = serde_json::from_str(last).expect("JSON");
    let mut trips = beside_it.join().expect("irtt");
    // The last four seconds of the load, whose end takes rpm some tenths of a second.
    trips.retain(|&(sent, _)| (ended - 4_500_000_000..ended - 500_000_000).contains(&sent));
    let loaded_ms = median(&trips);
    let ms = |value: &Value| value.as_f64().expect("measured") / 1e6;
    let (idle, beside) = (ms(&last["idle_latency_ns"]), ms(&last["down"]["loaded_latency_ns"]));
    println!("idle: {idle:.3} ms, irtt {idle_ms:.3}; loaded: {beside:.1} ms, irtt {loaded_ms:.1}; {last}");
    assert!((idle - idle_ms).abs() < 0.5, "idle: {idle:.3} ms, irtt {idle_ms:.3}");
    assert!((beside / loaded_ms - 1.0).abs() < 0.1, "loaded: {beside:.1} ms, irtt {loaded_ms:.1}");
}
