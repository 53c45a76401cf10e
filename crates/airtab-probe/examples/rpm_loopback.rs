// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How much `airtab rpm` moves over loopback, both ends in one process:
//! `taskset -c 0 cargo run --release -p airtab-probe --example rpm_loopback`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use airtab_probe::rpm::client::{Job, run};
use airtab_probe::rpm::server::Server;
use airtab_probe::rpm::trust::Trust;
use airtab_probe::rpm::{Error, Way};
use airtab_quality::rpm::Parameters;

fn main() -> Result<(), Error> {
    let server = Server::bind(([127, 0, 0, 1], 0).into())?;
    let job = Job {
        target: server.address().to_string(),
        trust: Trust::Fingerprint(server.fingerprint()),
        ways: vec![Way::Down, Way::Up],
        parameters: Parameters { limit_ns: 10_000_000_000, ..Parameters::DRAFT },
    };
    let stop = AtomicBool::new(false);
    let report = thread::scope(|scope| {
        scope.spawn(|| server.run(&stop, &mut |_, _| {}));
        let report = run(&job, &AtomicBool::new(false), &mut |_| {});
        stop.store(true, Ordering::Relaxed);
        report
    })?;
    println!("idle {:?} ns", report.idle_ns());
    for (way, measured) in [("down", report.down), ("up", report.up)] {
        let outcome = measured.map(|measured| measured.outcome);
        let rpm = outcome.as_ref().and_then(|outcome| outcome.rpm().ok());
        println!("{way}: {:?} Mb/s, {rpm:?}", outcome.map(|outcome| outcome.goodput_bps / 1_000_000));
    }
    Ok(())
}
