// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab serve` from outside: its address, its answers beside those of the other commands, its end.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, kill_process};
use serde_json::{Value, json};

use crate::common::interrupt_signal;

/// A scenario of some seconds.
const SCENARIO: &str = "duration = \"3s\"\n[[station]]\nname = \"tv\"\n[[app]]\nname = \"game\"\nkind = \"game\"\n\
                        station = \"tv\"\n[[app]]\nname = \"get\"\nkind = \"download\"\nstation = \"tv\"\n";

fn airtab(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.current_dir(folder).env("AIRTAB_CACHE", folder.join("cache"));
    command
}

/// A server that runs.
struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Served {
    fn start(folder: &Path, args: &[&str]) -> Served {
        let mut command = airtab(folder);
        command.arg("serve").args(["--port", "0"]).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("its address");
        let (address, token) = line.trim_end().split_once("/#token=").expect("an address with a token");
        let address = address.strip_prefix("http://").expect("an address").to_string();
        Served { child, address, token: token.into() }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let (address, token, length) = (&self.address, &self.token, body.len());
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let at = answer.windows(4).position(|part| part == b"\r\n\r\n").expect("a head");
        let status = std::str::from_utf8(&answer[9..12]).expect("a number").parse().expect("a number");
        (status, answer[at + 4..].to_vec())
    }

    fn get(&self, path: &str) -> Vec<u8> {
        let (status, body) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{path}");
        body
    }

    /// By Ctrl-C: its exit code, and what it said.
    fn end(mut self) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), interrupt_signal()).expect("it is there");
        let start = Instant::now();
        let status = self.child.wait().expect("it ends");
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        let mut said = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut said).expect("texts");
        (status.code(), said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn printed(folder: &Path, args: &[&str]) -> Vec<u8> {
    let output = airtab(folder).args(args).output().expect("it starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// One code: what the server answers is what the commands print and write, byte for byte.
#[test]
fn its_answers_are_those_of_the_other_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let server = Served::start(folder, &[]);
    for (path, args) in [
        ("/api/disciplines", &["disciplines", "--json"][..]),
        ("/api/experiments", &["experiment", "list", "--json"]),
        ("/api/experiments/chap/qsize-game", &["experiment", "show", "chap/qsize-game", "--json"]),
        ("/api/schema/scenario", &["schema", "scenario"]),
        ("/api/schema/sweep", &["schema", "sweep"]),
        ("/api/schema/experiment", &["schema", "experiment"]),
        ("/api/schema/results", &["schema", "results"]),
    ] {
        assert!(server.get(path) == printed(folder, args), "{path} and {args:?} differ");
    }
    let home = printed(folder, &["scenario", "show"]);
    let scenarios: Value = serde_json::from_slice(&server.get("/api/scenarios")).expect("JSON");
    let names: Vec<&str> =
        scenarios.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert!(names.contains(&"home") && names.contains(&"rrul"), "{names:?}");
    let of_home =
        scenarios.as_array().expect("a list").iter().find(|s| s["name"] == "home").expect("it is there");
    assert_eq!(of_home["text"].as_str().map(str::as_bytes), Some(&home[..]));

    std::fs::write(folder.join("scenario.toml"), SCENARIO).expect("a file");
    for (short, queues) in [(false, "fifo,chap:limit=70"), (true, "fq_codel")] {
        let out = folder.join("out");
        let _ = std::fs::remove_dir_all(&out);
        let mut args =
            vec!["compare", "scenario.toml", "--queues", queues, "--seeds", "3", "--out", "out", "--json"];
        args.extend(short.then_some("--short"));
        let json = printed(folder, &args);
        let labels: Vec<&str> = queues.split(',').collect();
        let body = json!({ "text": SCENARIO, "queues": labels, "seeds": 3, "short": short }).to_string();
        let (status, asked) = server.ask("POST", "/api/runs", &body);
        assert_eq!(status, 202);
        let id = serde_json::from_slice::<Value>(&asked).expect("JSON")["id"].clone();
        let events = String::from_utf8(server.get(&format!("/api/runs/{id}/events"))).expect("texts");
        assert!(events.ends_with("event: done\ndata: {}\n\n"), "{events}");
        let file = |name: &str| server.get(&format!("/api/runs/{id}/{name}"));
        assert!(file("results.json") == json, "{queues}: what --json prints");
        for name in ["results.json", "results.parquet", "report.html"] {
            let written = std::fs::read(out.join(name)).expect("it is there");
            assert!(file(name) == written, "{queues}: {name} differs");
        }
    }
    let (code, said) = server.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.ends_with("ended\n"), "{said}");
}

#[test]
fn it_ends_by_ctrl_c_whatever_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Served::start(folder.path(), &[]);
    let text = SCENARIO.replace("\"3s\"", "\"86400s\"");
    let body = json!({ "text": text, "queues": ["fifo", "chap"], "seeds": 5 }).to_string();
    assert_eq!(server.ask("POST", "/api/runs", &body).0, 202);
    let (code, said) = server.end();
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn what_it_cannot_do_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let said = |args: &[&str]| {
        let output = airtab(folder).arg("serve").args(args).output().expect("it starts");
        (output.status.code(), String::from_utf8(output.stderr).expect("a text"))
    };
    let server = Served::start(folder, &[]);
    let port = server.address.rsplit(':').next().expect("a port").to_string();
    let (code, told) = said(&["--port", &port]);
    assert_eq!(code, Some(1));
    let expected = format!("error: cannot listen on {}: Address already in use", server.address);
    assert!(told.starts_with(&expected) && told.contains("another port: --port N"), "{told}");
    let (code, told) = said(&["--listen", "0.0.0.0", "--port", "0"]);
    assert!(code == Some(1) && told.contains("--allow-host NAME"), "{told}");
    let (code, told) = said(&["--files", "nothing", "--port", "0"]);
    assert!(code == Some(1) && told.starts_with("error: --files nothing: "), "{told}");
    let (code, told) = said(&["--replay", "nothing.jsonl", "--port", "0"]);
    assert!(code == Some(1) && told.starts_with("error: --replay nothing.jsonl: "), "{told}");
    let (code, told) = said(&["--replay", "nothing.jsonl", "--speed", "0"]);
    assert!(code == Some(2) && told.contains("give a number from 0.1 to 1000000"), "{told}");
}
