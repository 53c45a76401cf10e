// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The kernel's TCP and new connections with a concurrent flood of new flows.

use crate::common;

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use airtab_live::{NetnsRef, Port, Running, house};
use common::{require_houses, up};

use crate::floods::home;

/// What came of a flood for real.
#[derive(Debug)]
struct Felt {
    alone_bps: f64,
    flooded_bps: f64,
    /// Times to connect, ms, in order.
    connect_ms: Vec<f64>,
    failed: usize,
    late: u64,
}

impl Felt {
    fn at(&self, quantile: f64) -> f64 {
        let last = self.connect_ms.len().saturating_sub(1);
        self.connect_ms.get((last as f64 * quantile).round() as usize).copied().unwrap_or(f64::INFINITY)
    }
}

/// A TCP download alone for 3 s, then 6 s of it beside 1000 new flows a second
/// at another station, with connections from a third one.
fn felt(discipline: &str) -> Felt {
    let running = up(home(&format!("qa-flood-{discipline}")), discipline);
    let (internet, stop) = (ns(&running, Port::Internet), Arc::new(AtomicBool::new(false)));
    let server = |app| SocketAddr::new(IpAddr::V4(house::server(app)), 8000);
    // Whoever connects to the laptop's server gets bytes without end.
    let source = internet.spawn("source", {
        let stop = stop.clone();
        move || {
            let listener = TcpListener::bind(server(1))?;
            let (mut stream, _) = listener.accept()?;
            stream.set_write_timeout(Some(Duration::from_millis(500)))?;
            while !stop.load(Ordering::Relaxed) {
                let _ = stream.write(&[7; 1 << 14]);
            }
            Ok(())
        }
    });
    let doors = internet.spawn("doors", {
        let stop = stop.clone();
        move || {
            let listener = TcpListener::bind(server(0))?;
            listener.set_nonblocking(true)?;
            while !stop.load(Ordering::Relaxed) {
                drop(listener.accept());
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        }
    });
    thread::sleep(Duration::from_millis(200));
    let received = Arc::new(AtomicU64::new(0));
    let sink = ns(&running, Port::Station(1)).spawn("sink", {
        let (stop, received) = (stop.clone(), received.clone());
        move || {
            let mut stream = TcpStream::connect(server(1))?;
            stream.set_read_timeout(Some(Duration::from_millis(100)))?;
            let mut bytes = vec![0; 1 << 16];
            while !stop.load(Ordering::Relaxed) {
                received.fetch_add(stream.read(&mut bytes).unwrap_or(0) as u64, Ordering::Relaxed);
            }
            Ok(())
        }
    });
    let rate = |from: Instant, before: u64| {
        8.0 * (received.load(Ordering::Relaxed) - before) as f64 / from.elapsed().as_secs_f64()
    };
    thread::sleep(Duration::from_secs(1));
    let (start, before) = (Instant::now(), received.load(Ordering::Relaxed));
    thread::sleep(Duration::from_secs(3));
    let alone_bps = rate(start, before);
    let flood = internet.spawn("flood", {
        let stop = stop.clone();
        move || {
            let (start, mut sent) = (Instant::now(), 0u64);
            let tv = house::station(2);
            while !stop.load(Ordering::Relaxed) {
                while sent < start.elapsed().as_millis() as u64 {
                    let socket = UdpSocket::bind((house::server(2), 2000 + (sent % 60_000) as u16))?;
                    let _ = socket.send_to(&[7; 1372], (tv, 9));
                    sent += 1;
                }
                thread::sleep(Duration::from_millis(1));
            }
            Ok(sent)
        }
    });
    thread::sleep(Duration::from_secs(1));
    let (start, before) = (Instant::now(), received.load(Ordering::Relaxed));
    let connects = ns(&running, Port::Station(0)).spawn("connects", move || {
        let mut times = Vec::new();
        for _ in 0..40 {
            let began = Instant::now();
            let made = TcpStream::connect_timeout(&server(0), Duration::from_secs(3));
            times.push(made.ok().map(|_| began.elapsed().as_secs_f64() * 1e3));
            thread::sleep(Duration::from_millis(150));
        }
        Ok(times)
    });
    let times = connects.expect("a thread").join().expect("no panic").expect("its namespace");
    let flooded_bps = rate(start, before);
    stop.store(true, Ordering::Relaxed);
    let sent = flood.expect("a thread").join().expect("no panic").expect("ports are free");
    assert!(sent > 5_000, "{sent} packets of the flood: this machine is too busy");
    for thread in [source, doors, sink] {
        thread.expect("a thread").join().expect("no panic").expect("sockets");
    }
    let late = running.remote().next_snapshot(&Arc::default()).expect("it runs").pace.behind;
    let failed = times.iter().filter(|time| time.is_none()).count();
    let mut connect_ms: Vec<f64> = times.into_iter().flatten().collect();
    connect_ms.sort_by(f64::total_cmp);
    Felt { alone_bps, flooded_bps, connect_ms, failed, late }
}

fn ns(running: &Running, port: Port) -> NetnsRef {
    NetnsRef::named(running.house().netns(port))
}

/// `FLOODS=fifo,fq_codel,chap` shows others beside it.
#[test]
#[ignore = "needs root: network namespaces"]
fn tcp_and_new_connections_live_through_a_flood_under_chap() {
    require_houses();
    let wanted = std::env::var("FLOODS").unwrap_or_else(|_| "chap".into());
    for discipline in wanted.split(',') {
        let felt = felt(discipline);
        println!(
            "{discipline}: {:.2} Mb/s alone, {:.2} in the flood; connecting: median {:.1}, 90 % {:.1}, \
             at most {:.1} ms, {} of {} failed; {} packets late",
            felt.alone_bps / 1e6,
            felt.flooded_bps / 1e6,
            felt.at(0.5),
            felt.at(0.9),
            felt.at(1.0),
            felt.failed,
            felt.failed + felt.connect_ms.len(),
            felt.late
        );
        if discipline == "chap" {
            assert_eq!(felt.failed, 0, "{felt:?}");
            assert!(felt.at(0.9) < 100.0, "{felt:?}");
            assert!(felt.flooded_bps > 0.4 * felt.alone_bps, "{felt:?}");
        }
    }
}
