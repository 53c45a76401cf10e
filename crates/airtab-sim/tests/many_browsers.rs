// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Three thousand browsers fit into little memory. Alone in its file: what it
//! looks at is the whole process.

#[path = "it/common/mod.rs"]
mod common;

use airtab_sim::traffic::Web;
use airtab_sim::traffic::web::{Client, Pages};
use airtab_sim::{Simulation, Users};
use common::{S, home, queue};

const BROWSERS: u32 = 3000;

/// The most memory that this process has had, KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak of the memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// They start, each opens its first page, and most are reading then.
#[test]
fn three_thousand_browsers_start_below_64_mb() {
    let mut home = home();
    home.apps.truncate(1);
    home.apps[0].kind = Web { pages: Pages::Drawn, client: Client::Loader }.into();
    home.apps[0].users = Users::at_one(BROWSERS, 100 * S);
    let mut simulation = Simulation::new(&home, &queue("fifo", 350), 1);
    let after_start = peak_kib();
    assert!(after_start < 64 << 10, "{after_start} KiB before the first packet");
    simulation.advance(140 * S);
    let begun = simulation.senders(0).flatten().count();
    assert_eq!(begun, BROWSERS as usize, "all have begun");
    let peak = peak_kib();
    println!("{after_start} KiB, then {peak} KiB");
    assert!(peak < 64 << 10, "{peak} KiB");
}
