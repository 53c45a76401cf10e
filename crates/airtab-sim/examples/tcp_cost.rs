// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a TCP segment costs: sender, receiver and its share of the acknowledgements, in ns of this machine.
//!
//! `cargo run --release -p airtab-sim --example tcp_cost`
//!
//! The path is two rings of constant delay, so that little but the endpoints is measured.

use airtab_sim::tcp::{Algorithm, Config, Endpoint, Segment};
use std::collections::VecDeque;
use std::time::Instant;

const SEGMENTS: u64 = 5_000_000;
/// 300 Mb/s: a window of 2000 segments at 80 ms.
const SPACING_NS: u64 = 40_000;
const DELAY_NS: u64 = 40_000_000;

/// Nanoseconds per data segment and retransmits, when one segment in `loss` is lost (0: none).
fn run(algorithm: Algorithm, loss: u64) -> (f64, u64) {
    let config = Config::home().with_congestion(algorithm);
    let (mut client, mut server) = (Endpoint::client(config), Endpoint::server(config));
    let mut up: VecDeque<(u64, Segment)> = VecDeque::with_capacity(4096);
    let mut down: VecDeque<(u64, Segment)> = VecDeque::with_capacity(4096);
    server.write(u64::MAX);
    client.open();
    let (mut now, mut free_at, mut sent) = (0, 0, 0);
    let started = Instant::now();
    while sent < SEGMENTS {
        while let Some(segment) = client.poll_transmit(now) {
            up.push_back((now + DELAY_NS, segment));
        }
        while let Some(segment) = server.poll_transmit(now) {
            sent += 1;
            free_at = now.max(free_at) + SPACING_NS;
            if loss == 0 || sent % loss != 0 {
                down.push_back((free_at + DELAY_NS, segment));
            }
        }
        let next = |ring: &VecDeque<(u64, Segment)>| ring.front().map_or(u64::MAX, |s| s.0);
        let timer = |end: &Endpoint| end.next_timeout().unwrap_or(u64::MAX);
        now = next(&up).min(next(&down)).min(timer(&client)).min(timer(&server));
        if next(&down) == now {
            client.on_segment(now, &down.pop_front().unwrap().1);
        } else if next(&up) == now {
            server.on_segment(now, &up.pop_front().unwrap().1);
        } else {
            client.on_timeout(now);
            server.on_timeout(now);
        }
    }
    (started.elapsed().as_nanos() as f64 / sent as f64, server.stats().retransmits)
}

fn main() {
    for algorithm in Algorithm::ALL {
        for loss in [0, 1000, 100] {
            let (ns, retransmits) = run(algorithm, loss);
            println!("{algorithm:8} loss 1/{loss:<5} {ns:6.1} ns a segment, {retransmits} retransmits");
        }
    }
}
