// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the report of a second costs the packet thread: `AccessPoint::snapshot` with as many live flows as there are
//! records, each of which sent something since the last one. `cargo bench -p airtab-live --bench report`.
//!
//! Measured is the CPU time of the thread, so that other work on the machine counts less. The least of all reports is
//! printed beside criterion's estimate, and must be below [`MOST`]; so must that of reports after which all these
//! flows have been silent for so long that they are forgotten.

#[path = "../tests/it/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Duration;

use airtab_core::disciplines;
use airtab_live::{AccessPoint, Port, house};
use common::{EMULATOR, Inner, house, packet, queue};
use criterion::Criterion;
use rustix::time::{ClockId, clock_gettime};

/// Flows: as many as the access point has records for.
const LIVE: u16 = 4096;
/// Between two packets, ns: one of 60 bytes takes less of the line.
const GAP_NS: u64 = 400_000;
/// So long a silent flow is known, ns.
const IDLE_NS: u64 = 60_000_000_000;

/// What the least of all reports may take.
const MOST: Duration = Duration::from_micros(200);

fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// An access point and the time.
struct Live {
    ap: AccessPoint,
    now: u64,
    /// One of each flow.
    packets: Vec<Vec<u8>>,
}

impl Live {
    fn new(discipline: &str) -> Live {
        let ap =
            AccessPoint::new(house("bench-report", EMULATOR, ""), &queue(discipline), 1).expect("it fits");
        let (from, to) = (house::server(0).into(), house::station(0).into());
        let packets = (0..LIVE).map(|port| packet(from, to, Inner::Udp, port, 0, 60, 0)).collect();
        Live { ap, now: 0, packets }
    }

    /// Every flow sends a packet, and it arrives.
    fn second(&mut self) {
        for packet in &self.packets {
            self.now += GAP_NS;
            self.ap.advance(self.now);
            while self.ap.transmit().is_some() {}
            self.ap.receive(Port::Internet, packet, self.now);
        }
    }

    /// What one report takes.
    fn report(&mut self) -> Duration {
        self.second();
        self.snapshot()
    }

    /// What the first report takes after all flows fell silent.
    fn report_of_silence(&mut self) -> Duration {
        self.second();
        self.now += 2 * IDLE_NS;
        self.ap.advance(self.now);
        while self.ap.transmit().is_some() {}
        self.snapshot()
    }

    fn snapshot(&mut self) -> Duration {
        let start = cpu();
        black_box(self.ap.snapshot());
        cpu() - start
    }
}

fn main() {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    for discipline in disciplines() {
        let mut live = Live::new(discipline.name());
        live.second();
        let seen = live.ap.snapshot();
        let shared = seen.flows.iter().any(|flow| flow.tuple == "many other flows");
        assert!(seen.books.dropped == 0 && !shared, "each has a record: {:?}", seen.flows);
        let mut least = Duration::MAX;
        let name = format!("report/{LIVE} flows/{}", discipline.name());
        criterion.bench_function(&name, |bencher| {
            bencher.iter_custom(|n| {
                let times = (0..n).map(|_| live.report());
                times.inspect(|time| least = least.min(*time)).sum()
            });
        });
        let silent = (0..10).map(|_| live.report_of_silence()).min().expect("there are ten");
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        println!("{name}: at least {:.1} us, after a silence {:.1} us", us(least), us(silent));
        assert!(least < MOST, "a report takes too long");
        assert!(silent < MOST, "a report that forgets flows takes too long");
    }
    criterion.final_summary();
}
