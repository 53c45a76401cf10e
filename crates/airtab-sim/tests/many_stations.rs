// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A thousand saturated stations fit into the memory of a cell. Alone in its file: the peak of memory is that of the
//! whole process.

#[path = "it/common/mod.rs"]
mod common;

use airtab_sim::traffic::Udp;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::{App, Simulation};
use common::{S, home, queue, station};

const STATIONS: usize = 1000;

/// Peak of this process's memory, KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak of the memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Each station always has a packet to send. The bound is that of `make bench` for a cell.
#[test]
fn a_thousand_saturated_stations_need_less_than_64_mb() {
    let mut home = home();
    (home.duration_ns, home.measure_ns) = (10 * S, 0..10 * S);
    home.stations = (0..STATIONS).map(|i| station(&format!("s{i}"), 54_000, 1.0)).collect();
    let app = App { active_ns: 0..10 * S, ..home.apps.remove(0) };
    let saturated = Udp { rate: Rate::Max, bytes: 1500, gaps: Gaps::Constant, upload: true };
    let of = |i| App { name: format!("up{i}"), kind: saturated.clone().into(), station: i, ..app.clone() };
    home.apps = (0..STATIONS).map(of).collect();
    let mut simulation = Simulation::new(&home, &queue("fifo", 350), 1);
    simulation.advance(10 * S);
    let air = simulation.air();
    let peak = peak_kib();
    println!("{peak} KiB; {air:?}");
    // Windows of at most 1024 slots for a thousand stations: most attempts collide.
    assert!(air.attempts > STATIONS as u64 && 2 * air.collided > air.attempts, "{air:?}");
    assert!(peak < 64 << 10, "{peak} KiB");
}
