// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a segment costs TCP: `cargo bench -p airtab-sim --bench tcp`.
//!
//! One transfer over a bottleneck of 12 Mb/s with a queue of 30 packets and 20 ms of wires, which holds fewer than the
//! window grows to, so that every congestion control loses and recovers: CPU time of both ends by the segments that were sent, as
//! `home` and as `stz` (Starzetz 2006) have it, beside that of NewReno.
//!
//! Each figure is the least of several runs, in CPU time of the thread.
//!
//! What it does not do: no cell, no events, no other traffic (`sim`).

use std::collections::VecDeque;

use airtab_core::time::MS;
use airtab_sim::tcp::{Algorithm, Config, Endpoint, Segment, Stats};
use rustix::time::{ClockId, clock_gettime};

/// A packet each ms.
const SERVICE_NS: u64 = MS;
/// Of the wires, one way.
const DELAY_NS: u64 = 10 * MS;
/// Packets that the queue holds.
const LIMIT: usize = 30;
const SEGMENTS: u64 = 200_000;

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Segments under way in one direction: when each arrives.
type Wire = VecDeque<(u64, Segment)>;

/// When the first of them arrives.
fn first(wire: &Wire) -> u64 {
    wire.front().map_or(u64::MAX, |(at, _)| *at)
}

/// What the sender of a transfer did.
fn transfer(config: Config) -> Stats {
    let (mut client, mut server) = (Endpoint::client(config), Endpoint::server(config));
    let bytes = SEGMENTS * u64::from(config.mss);
    let (mut down, mut up) = (Wire::new(), Wire::new());
    let mut leaves = VecDeque::new();
    client.open();
    server.write(bytes);
    let mut now = 0;
    loop {
        while let Some(segment) = client.poll_transmit(now) {
            up.push_back((now + DELAY_NS, segment));
        }
        while leaves.front().is_some_and(|at| *at <= now) {
            leaves.pop_front();
        }
        while let Some(segment) = server.poll_transmit(now) {
            if leaves.len() < LIMIT {
                let leaves_at = leaves.back().copied().unwrap_or(now) + SERVICE_NS;
                leaves.push_back(leaves_at);
                down.push_back((leaves_at + DELAY_NS, segment));
            }
        }
        if client.delivered() >= bytes {
            return server.stats();
        }
        let timeouts = [&client, &server].map(|end| end.next_timeout().unwrap_or(u64::MAX));
        now = first(&down).min(first(&up)).min(timeouts[0]).min(timeouts[1]);
        assert_ne!(now, u64::MAX, "the transfer stands still");
        if first(&down) == now {
            client.on_segment(now, &down.pop_front().expect("it was seen").1);
        } else if first(&up) == now {
            server.on_segment(now, &up.pop_front().expect("it was seen").1);
        } else {
            client.on_timeout(now);
            server.on_timeout(now);
        }
    }
}

/// CPU time for a segment, ns, and the share of segments that were sent again.
fn per_segment(config: Config, runs: usize) -> (f64, f64) {
    let mut least = f64::INFINITY;
    let mut stats = Stats::default();
    for _ in 0..runs {
        let begin = cpu_seconds();
        stats = transfer(config);
        least = least.min((cpu_seconds() - begin) * 1e9 / stats.segments as f64);
    }
    (least, stats.retransmits as f64 / stats.segments as f64)
}

fn main() {
    // `cargo test --benches` only wants to see it run.
    let runs = if std::env::args().any(|a| a == "--bench") { 15 } else { 1 };
    println!("{:<24}{:>12}{:>16}{:>14}{:>12}", "", "ns/segment", "over newreno", "sent again", "target");
    for (profile, config) in [("home", Config::home()), ("stz", Config::stz())] {
        let (newreno, _) = per_segment(config.with_congestion(Algorithm::NewReno), runs);
        for algorithm in Algorithm::ALL {
            let (own, again) = per_segment(config.with_congestion(algorithm), runs);
            let target = match algorithm {
                Algorithm::Vegas | Algorithm::TcpD => "<= 1.5",
                _ => "",
            };
            let name = format!("{profile}, {}", algorithm.name());
            println!("{name:<24}{own:>12.1}{:>16.2}{:>12.2} %{target:>12}", own / newreno, again * 100.0);
        }
    }
}
