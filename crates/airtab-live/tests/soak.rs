// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A house under full load while everything changes: `AIRTAB_SOAK=SECONDS` says
//! for how long (`make soak`). Only `--test soak` runs it (`test = false`).
//!
//! Memory and open files must stay flat, and the books balanced. The most packets
//! that are inside at a time are a matter of chance and of what else the machine
//! does, and the queues' limits bound them: memory may grow by what they take, and
//! each second every buffer in use is one of a packet that the books have.
//!
//! Load: UDP both ways beyond what the cell carries, to two stations, plus TCP; all
//! the while disciplines are replaced, stations walk about, clients of the control
//! socket come and go, and the process is stopped and continued.

#[path = "it/common/mod.rs"]
mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use airtab_live::control::{self, Request};
use airtab_live::{NetnsRef, Port};
use common::{house, require_houses, resident_kb, up};

const NAME: &str = "qa-soak";
/// Memory may grow by so much after the first sixth of the time, packets apart:
/// allocators round, and now and then something comes to lie where a discipline
/// was, and the next one, of 0.7 MB at most, elsewhere.
const GROWTH_KB: u64 = 1536;
/// What one more packet at a time takes: a buffer of 1500 bytes, what the world
/// knows of it, and its places in lists, which grow by doubling.
const PACKET_BYTES: u64 = 1800;

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").expect("it is ours").count()
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").expect("it is ours").count()
}

/// Sends packets of several sizes as fast as `gap` says.
fn blast(
    netns: &str,
    from: &'static str,
    to: &'static str,
    gap: Duration,
    stop: &Arc<AtomicBool>,
) -> Blaster {
    let stop = stop.clone();
    NetnsRef::named(netns)
        .spawn("blast", move || {
            let socket = UdpSocket::bind((from, 0))?;
            let buffer = [7; 1472];
            let mut sent = 0u64;
            while !stop.load(Ordering::Relaxed) {
                let bytes = [1472, 200, 1472, 40][sent as usize % 4];
                // A full device is what we are after.
                let _ = socket.send_to(&buffer[..bytes], (to, 9000 + (sent % 20) as u16));
                sent += 1;
                thread::sleep(gap);
            }
            Ok(sent)
        })
        .expect("a thread")
}

type Blaster = thread::JoinHandle<std::io::Result<u64>>;

#[test]
fn nothing_grows_and_nothing_is_lost() {
    let seconds = std::env::var("AIRTAB_SOAK").expect("AIRTAB_SOAK is a number of seconds: use `make soak`");
    let seconds: u64 = seconds.parse().expect("AIRTAB_SOAK is a number of seconds");
    require_houses();
    assert!(seconds >= 20, "AIRTAB_SOAK={seconds}: at least 20 s");
    let mut running = up(house(NAME, "", ""), "chap");
    let (internet, console, laptop) = (
        running.house().netns(Port::Internet),
        running.house().netns(Port::Station(0)),
        running.house().netns(Port::Station(1)),
    );
    let stop = Arc::new(AtomicBool::new(false));
    // 0.4 ms: some 2000 packets a second each; the cell carries 2600 in all.
    let gap = Duration::from_micros(400);
    let blasters = [
        blast(&internet, "198.18.0.1", "10.0.0.1", gap, &stop),
        blast(&internet, "198.18.0.2", "10.0.0.2", gap, &stop),
        blast(&console, "10.0.0.1", "198.18.0.1", 4 * gap, &stop),
        blast(&laptop, "10.0.0.2", "10.0.0.1", 10 * gap, &stop),
    ];
    let mut server = NetnsRef::named(&internet)
        .command("iperf3")
        .args(["-s", "-B", "fd00:a1b:2::2"])
        .stdout(Stdio::null())
        .spawn()
        .expect("iperf3 starts");
    thread::sleep(Duration::from_millis(500));
    let time = seconds.to_string();
    let mut client = NetnsRef::named(&laptop)
        .command("iperf3")
        .args(["-c", "fd00:a1b:2::2", "--bidir", "-P", "2", "-t", &time])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("iperf3 starts");

    let requests = Arc::new(AtomicU64::new(0));
    let clients = [changes(&stop, &requests), watchers(&stop, &requests), stops(&stop, &requests)];

    let start = Instant::now();
    let (mut settled, mut peak, mut shown) = (None, 0, 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        thread::sleep(Duration::from_secs(1));
        let (kb, files, tasks) = (resident_kb(), open_files(), threads());
        let (books, room) = running.remote().order(|ap| (ap.books(), ap.room())).expect("it runs");
        assert!(books.balanced(), "{books:?}");
        assert_eq!((room.packets as u64, room.buffers), (books.inside, room.packets + room.arrived));
        let age = start.elapsed().as_secs();
        if age >= seconds / 6 {
            let (first_kb, first_places) = *settled.get_or_insert((kb, room.places));
            peak = peak.max(kb);
            let packets_kb = (room.places - first_places) as u64 * PACKET_BYTES / 1024;
            assert!(
                kb <= first_kb + packets_kb + GROWTH_KB,
                "{kb} kB after {age} s, {first_kb} kB at first; {packets_kb} kB of it are of packets"
            );
        }
        assert!(files < 100 && tasks < 60, "{files} files, {tasks} threads");
        if age / 10 > shown {
            shown = age / 10;
            eprintln!(
                "{age} s: {kb} kB, {files} files, {tasks} threads, {} packets, {} inside, {} at most, {} dropped, {} requests",
                books.taken,
                books.inside,
                room.places,
                books.dropped,
                requests.load(Ordering::Relaxed)
            );
        }
    }
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.join().expect("a client");
    }
    let sent: u64 = blasters.map(|b| b.join().expect("no panic").expect("a socket")).iter().sum();
    let _ = (client.kill(), client.wait(), server.kill(), server.wait());
    let pace = running.remote().next_snapshot(&Arc::default()).expect("it runs").pace;
    let ap = running.stop().expect("it ran to its end");
    let books = ap.books();
    let (settled_kb, settled_places) = settled.expect("long enough");
    println!(
        "{seconds} s: memory {settled_kb} kB settled, {peak} kB at most; {settled_places} packets at most settled, \
         {} at the end; {sent} datagrams offered; {} requests;\n{books:?}\n{pace:?}",
        ap.room().places,
        requests.load(Ordering::Relaxed)
    );
    assert!(books.balanced());
    assert!(books.given > seconds * 500, "{} packets", books.given);
    assert!(books.made > 0, "vfq made no acknowledgement");
    drop(running);
    assert!(!control::socket(NAME).exists());
}

/// Disciplines and stations change four times a second.
fn changes(stop: &Arc<AtomicBool>, requests: &Arc<AtomicU64>) -> thread::JoinHandle<()> {
    let (stop, requests) = (stop.clone(), requests.clone());
    thread::spawn(move || {
        for n in 0usize.. {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let set = |station: &str, key: &str, value: &str| Request::Set {
                station: station.into(),
                key: key.into(),
                value: value.into(),
            };
            let request = match n % 7 {
                0 => Request::Queue("fq_codel:limit=1000".into()),
                1 => set("laptop", "distance", ["3", "8", "12", "1"][n / 7 % 4]),
                2 => Request::Queue("spq:limit=200".into()),
                3 => set("console", "rate", ["6Mb/s", "24Mb/s", "54Mb/s"][n / 7 % 3]),
                4 => Request::Queue("fifo:limit=1000".into()),
                // Acknowledgements of the upload in pieces.
                5 => Request::Queue("vfq:ack_burst=1:uplink=ack".into()),
                _ => Request::Queue("chap".into()),
            };
            control::ask(NAME, &request).unwrap_or_else(|e| panic!("{request:?}: {e}"));
            requests.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(250));
        }
    })
}

/// Clients that watch for a while, and some that talk nonsense.
fn watchers(stop: &Arc<AtomicBool>, requests: &Arc<AtomicU64>) -> thread::JoinHandle<()> {
    let (stop, requests) = (stop.clone(), requests.clone());
    thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            let mut stream = UnixStream::connect(control::socket(NAME)).expect("it listens");
            stream.write_all(b"\"watch\"\n").expect("it reads");
            for line in BufReader::new(stream).lines().take(2) {
                let line = line.expect("a line");
                assert!(line.contains(NAME), "{line}");
            }
            let mut stream = UnixStream::connect(control::socket(NAME)).expect("it listens");
            let _ = stream.write_all(b"nonsense\n");
            requests.fetch_add(2, Ordering::Relaxed);
        }
    })
}

/// The whole process is stopped for a moment now and then, as by Ctrl-Z.
fn stops(stop: &Arc<AtomicBool>, requests: &Arc<AtomicU64>) -> thread::JoinHandle<()> {
    let (stop, requests) = (stop.clone(), requests.clone());
    thread::spawn(move || {
        let own = std::process::id();
        let line = format!("kill -STOP {own}; sleep 0.3; kill -CONT {own}");
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_secs(5));
            assert!(Command::new("sh").args(["-c", &line]).status().expect("a shell").success());
            requests.fetch_add(1, Ordering::Relaxed);
        }
    })
}
