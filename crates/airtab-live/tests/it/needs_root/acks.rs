// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The kernel's own TCP gets every byte through what vfq does to acknowledgements, over IPv4 and IPv6.

use crate::common;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use airtab_live::{NetnsRef, Port};
use common::{EMULATOR, address, deadline::deadline, house, require_houses, up};

/// Bytes that look like nothing else.
fn bytes(seed: u64, n: usize) -> Vec<u8> {
    let mut word = seed;
    let next = |_| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 56) as u8
    };
    (0..n).map(next).collect()
}

/// Both ends write while they read, in pieces, and get what the other one wrote.
fn exchange(mut stream: TcpStream, out: Vec<u8>, pause: Duration) -> std::io::Result<Vec<u8>> {
    let mut writer = stream.try_clone()?;
    let writing = thread::spawn(move || {
        for piece in out.chunks(20_000) {
            writer.write_all(piece)?;
            thread::sleep(pause);
        }
        writer.shutdown(Shutdown::Write)
    });
    let mut got = Vec::new();
    stream.read_to_end(&mut got)?;
    writing.join().expect("no panic")?;
    Ok(got)
}

/// An upload with data the other way, over both families at once: every byte arrives, both ways. How many
/// acknowledgements were made and merged.
fn every_byte_gets_through(name: &str, spec: &str) -> [f64; 2] {
    let mut running = up(house(name, EMULATOR, ""), spec);
    let netns = |port| running.house().netns(port);
    let (internet, laptop) = (netns(Port::Internet), netns(Port::Station(1)));
    let (up, down) = (bytes(1, 6_000_000), bytes(2, 400_000));
    let ends = [false, true].map(|six| {
        let to = SocketAddr::new(address(1, six), 5001);
        let (down, up) = (down.clone(), up.clone());
        let (listening, listens) = std::sync::mpsc::channel();
        let server = NetnsRef::named(&internet).spawn("server", move || {
            let listener = TcpListener::bind(to)?;
            listening.send(()).expect("somebody waits");
            exchange(listener.accept()?.0, down, Duration::from_millis(50))
        });
        listens.recv().expect("it listens");
        let client = NetnsRef::named(&laptop)
            .spawn("client", move || exchange(TcpStream::connect(to)?, up, Duration::ZERO));
        (server.expect("a thread"), client.expect("a thread"))
    });
    for (server, client) in ends {
        let at_server = server.join().expect("no panic").expect("it is served");
        let at_client = client.join().expect("no panic").expect("it is served");
        assert!(at_server == up, "{} of {} bytes up", at_server.len(), up.len());
        assert!(at_client == down, "{} of {} bytes down", at_client.len(), down.len());
    }
    let stats = running.remote().order(|ap| ap.snapshot().qdisc.stats).expect("it runs");
    let counts =
        ["split", "merged"].map(|name| stats.iter().find(|s| s.name == name).expect("it is there").value);
    println!("{spec}: {} acknowledgements made, {} merged", counts[0], counts[1]);
    assert!(running.stop().expect("it ran").books().balanced());
    counts
}

#[test]
#[ignore = "needs root: network namespaces"]
fn tcp_gets_every_byte_through_pieces_of_one_segment() {
    let _in_time = deadline(300);
    require_houses();
    let [split, _] = every_byte_gets_through("qa-split", "vfq:ack_burst=1:uplink=ack");
    assert!(split >= 1000.0, "{split}");
}

#[test]
#[ignore = "needs root: network namespaces"]
fn tcp_gets_every_byte_through_merges() {
    let _in_time = deadline(300);
    require_houses();
    let [_, merged] = every_byte_gets_through("qa-merge", "vfq:ack_burst=0");
    assert!(merged >= 10.0, "{merged}");
}
