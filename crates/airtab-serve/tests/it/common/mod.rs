// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A server on the loopback, and requests to it, written by hand: so that wrong ones can be sent too.
#![allow(dead_code)] // by tests that need less

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use airtab_lab::store::NoStore;
use airtab_serve::{Limits, Options, Server};
use serde_json::{Value, json};

/// A scenario of two seconds.
pub const SHORT: &str = "duration = \"2s\"\n[[station]]\nname = \"tv\"\n[[app]]\nname = \"game\"\nkind = \"game\"\n\
                         station = \"tv\"\n[[app]]\nname = \"get\"\nkind = \"download\"\nstation = \"tv\"\n";
/// One that takes minutes.
pub fn long() -> String {
    SHORT.replace("\"2s\"", "\"86400s\"")
}

/// As the command line has them, but for the port.
pub fn options() -> Options {
    Options {
        listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        names: Vec::new(),
        files: None,
        scenarios: &[("short", SHORT)],
        live: Vec::new(),
        replay: Vec::new(),
        version: "9.9.9".into(),
        git: "abc".into(),
        store: Arc::new(NoStore),
        jobs: 2,
        limits: Limits::default(),
    }
}

/// A server that runs; it ends when dropped.
pub struct Running {
    pub address: SocketAddr,
    pub token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server does not panic");
        }
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }
}

impl Running {
    pub fn start(options: Options) -> Running {
        let server = Server::bind(options).unwrap_or_else(|e| panic!("{e}"));
        let (address, token) = (server.address(), server.token().to_string());
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = thread::spawn(move || server.run(&flag).unwrap_or_else(|e| panic!("{e}")));
        Running { address, token, stop, thread: Some(thread) }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time is no wrong one");
        stream
    }

    /// Sends bytes, reads an answer to its end.
    pub fn send(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A refusal may come before all is sent.
        let _ = stream.write_all(request);
        let mut reader = BufReader::new(stream);
        let (status, headers) = head(&mut reader);
        let mut answer = Answer { status, headers, body: Vec::new() };
        if answer.header("transfer-encoding").is_some() {
            while let Some(chunk) = chunk(&mut reader) {
                answer.body.extend(chunk);
            }
        } else if let Some(length) = answer.header("content-length").map(|n| n.parse().expect("a number")) {
            answer.body = vec![0; length];
            reader.read_exact(&mut answer.body).expect("all of it");
        }
        answer
    }

    /// The head of a right request, without its last line.
    pub fn head(&self, method: &str, path: &str) -> String {
        let Running { address, token, .. } = self;
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
        )
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send(format!("{}\r\n", self.head("GET", path)).as_bytes())
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.send(format!("{}\r\n", self.head("DELETE", path)).as_bytes())
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let (head, body) = (self.head("POST", path), body.to_string());
        let length = body.len();
        self.send(
            format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
                .as_bytes(),
        )
    }

    /// Asks for a study.
    pub fn run(&self, text: &str, queues: &[&str], seeds: u64) -> Answer {
        self.post("/api/runs", &json!({ "text": text, "queues": queues, "seeds": seeds }))
    }

    /// Opens a stream of events.
    pub fn events(&self, path: &str, last: Option<u64>) -> Events {
        let last = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
        let mut stream = self.connect();
        stream.write_all(format!("{}{last}\r\n", self.head("GET", path)).as_bytes()).expect("it reads");
        let mut reader = BufReader::new(stream);
        let (status, headers) = head(&mut reader);
        assert_eq!(status, 200);
        assert!(headers.iter().any(|(name, value)| name == "content-type" && value == "text/event-stream"));
        Events { reader, text: String::new() }
    }

    /// Waits until a study is over; gives what it says of itself.
    pub fn finished(&self, id: u64) -> Value {
        for _ in 0..1200 {
            let study = self.get(&format!("/api/runs/{id}")).json();
            if !["waiting", "running"].contains(&study["state"].as_str().expect("a state")) {
                return study;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("study {id} does not end");
    }
}

fn head(reader: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    reader.read_line(&mut line).expect("an answer");
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status: {line:?}"));
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(": ") else { return (status, headers) };
        headers.push((name.to_ascii_lowercase(), value.to_string()));
    }
}

/// A part of a body of parts; None at its end.
fn chunk(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let length = usize::from_str_radix(line.trim_end(), 16).ok().filter(|length| *length > 0)?;
    let mut body = vec![0; length + 2];
    reader.read_exact(&mut body).ok()?;
    body.truncate(length);
    Some(body)
}

/// Events, one after the other.
pub struct Events {
    reader: BufReader<TcpStream>,
    text: String,
}

/// One.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: Option<u64>,
    pub name: String,
    pub data: Value,
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let start = Instant::now();
        loop {
            // A beat comes all the while: no read is too long.
            assert!(start.elapsed() < Duration::from_secs(120), "no event");
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_string(), rest.to_string());
                self.text = rest;
                let field = |name| {
                    event
                        .lines()
                        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(String::from))
                };
                let Some(data) = field("data") else { continue };
                return Some(Event {
                    id: field("id").map(|id| id.parse().expect("a number")),
                    name: field("event").expect("each has a name"),
                    data: serde_json::from_str(&data).unwrap_or_else(|e| panic!("{e}: {data}")),
                });
            }
            let chunk = chunk(&mut self.reader)?;
            self.text.push_str(std::str::from_utf8(&chunk).expect("texts are not cut within a character"));
        }
    }
}
