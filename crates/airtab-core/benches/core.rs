// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a packet costs: nanoseconds per cycle of every discipline, by how many
//! flows are backlogged and how many are known. `cargo bench -p airtab-core`.
//!
//! - `cycle`: dequeue, report, enqueue the same packet again, so that every
//!   flow keeps its backlog and the discipline chooses which flow comes next.
//! - `push-out`: the same in a full queue, with one more arrival that pushes a
//!   packet out; the dropped one is the next to arrive. `fq_codel` drops in
//!   batches: there it is one more arrival, and a batch now and then.
//! - `scattered`: the cycle, with the airtime of each packet drawn anew, 0.1 to
//!   1 ms: the dearest case for `chap`, whose flows then come back anywhere in
//!   its order.
//! - `split`: a pure acknowledgement of eight segments leaves `vfq` in two parts, of which the first one
//!   is made, and the next one comes; of as many stations as there are flows. `whole`: the same of four
//!   segments, which leave at once.
//!
//! The backlogged flows lie spread among the known ones. Under `vfq` and `wfq`, each is of another station. Measured is the CPU time
//! of the thread, so that other work on the machine counts less. The table at
//! the end is made from criterion's medians.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use airtab_core::{Acks, Discipline, Handle, Key, Meta, Params, Pool, Qdisc, Tcp, Tx, disciplines};
use criterion::Criterion;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use rustix::time::{ClockId, clock_gettime};

/// Backlogged and known flows.
const SIZES: [(u32, u32); 4] = [(1, 1), (10, 10), (350, 10_000), (1000, 1_000_000)];
/// The column that the others are compared with.
const BASE: usize = 1;
const KINDS: [&str; 3] = ["cycle", "push-out", "scattered"];
/// Packets that every backlogged flow has waiting.
const DEPTH: u32 = 2;
/// A full-sized packet at 54 Mb/s: 281.93 us.
const AIR_NS: u64 = 281_930;

/// `cake` with four tins, and flows in all of them.
const TINS: &str = "cake-diffserv4";
/// One for each of its tins: best effort, bulk, video, voice.
const DSCP: [u8; 4] = [0, 8, 34, 46];

/// `cbt` with three rules, of which every third flow is another one's; and the same by airtime.
const RULES: &str = "cbt-rules";
const AIRTIME: &str = "cbt-rules-airtime";
/// TCP, a port of UDP, and one that no rule but the last one takes: protocol, source's port.
const PROTOCOLS: [(u8, u16); 3] = [(6, 443), (17, 6003), (17, 53)];

/// What leaves in two parts: its bytes without data, those of what is made to go ahead, and the data that each
/// part acknowledges.
const SPLIT: &str = "split";
const WHOLE: &str = "whole";
const ACK_BYTES: u32 = 52;
const MADE_BYTES: u32 = 40;
const BURST: u32 = 4 * (1500 - ACK_BYTES);

/// The most that a cycle may take of one of `fifo`, at the sizes of [`SIZES`].
const OVER_FIFO: [(&str, f64); 8] = [
    ("red", 1.6),
    ("fred", 2.5),
    (RULES, 2.2),
    (AIRTIME, 2.8),
    ("cbq", 2.8),
    ("wqm", 1.3),
    ("dnb", 1.3),
    ("astar", 1.5),
];

/// The most that one of the first so many of [`KINDS`] may take of one of `fq_codel`, at the sizes of [`SIZES`].
const OVER_FQ_CODEL: [(&str, usize, f64); 6] = [
    ("codel", 1, 1.0),
    ("pie", 1, 1.0),
    ("cake", 1, 3.0),
    (TINS, 1, 3.0),
    ("airtime_fq", 1, 3.0),
    ("chap", KINDS.len(), 1.5),
];

/// CPU time of the calling thread.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    }

    fn end(&self, start: Duration) -> Duration {
        self.start() - start
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// A discipline with a standing backlog.
struct Standing {
    pool: Pool<()>,
    queue: Qdisc,
    now: u64,
    /// State of the draws of `scattered`; else 0.
    draws: u64,
    /// Packets that arrive next, in a full queue: those that were dropped. One
    /// for disciplines that drop singly, some for those that drop in batches.
    spare: Vec<Handle>,
}

impl Standing {
    fn new(name: &str, (backlogged, known): (u32, u32), kind: &str) -> Standing {
        let full = kind == KINDS[1];
        let (given, ruled) = (name, name == RULES || name == AIRTIME);
        let (name, tins) = match name {
            TINS => ("cake", DSCP.len()),
            RULES | AIRTIME => ("cbt", 1),
            name => (name, 1),
        };
        let packets = backlogged * DEPTH;
        let mut params = Params::new(Discipline::named(name).expect("a discipline of the core"));
        let mut set = |key, value: String| params.set(key, &value).expect("a value in range");
        set("limit", (packets + u32::from(!full)).to_string());
        if name == "chap" {
            set("flows", (known + 2).max(packets + 2).to_string());
            set("memory", "2GiB".into());
            set("target", "1s".into()); // as for fq_codel below
        }
        if ["fq_codel", "airtime_fq"].contains(&name) {
            // A queue for every flow, as far as there are so many.
            let fewest = if name == "fq_codel" { 1024 } else { 4096 };
            set("flows", known.next_power_of_two().clamp(fewest, 65_536).to_string());
        }
        if ["fq_codel", "airtime_fq", "codel", "pie"].contains(&name) {
            // CoDel and PIE look at every packet and drop none, so that the
            // backlog stands.
            set("target", "4s".into());
        }
        if ["red", "fred"].contains(&name) {
            // As of these: it never drops.
            set("min", "65535".into());
            set("max", "65535".into());
        }
        if ["vfq", "wfq"].contains(&name) {
            set("station_limit", "4096".into());
            set("stations", backlogged.max(256).to_string());
        }
        if name == "vfq" {
            set("flows", known.clamp(4096, 65_536).to_string());
            set("target", "1s".into());
        }
        if name == "fred" {
            set("flows", (backlogged + 1).to_string()); // the spare packet may be another flow's
        }
        if name == "cbq" {
            set("class_limit", (packets + 1).min(65535).to_string());
        }
        if name == "wqm" {
            set("least", (packets + 1).min(65535).to_string());
        }
        if name == "dnb" {
            set("limits", (packets + 1).min(65535).to_string());
        }
        if name == "astar" {
            set("burst", (packets + 1).min(65535).to_string());
            set("law", "ebdp".into());
        }
        if name == "cbt" {
            set("guard", (packets + 1).min(65535).to_string());
        }
        if ruled {
            set("rules", "tcp=0,udp:6000-6010=1,*=2".into());
        }
        if given == AIRTIME {
            set("mode", "airtime".into());
            set("station_rate", "54Mb/s".into());
        }
        if name == "cake" {
            set("target", "4s".into());
            set("interval", "4s".into());
            set("tins", if tins > 1 { "diffserv4" } else { "besteffort" }.into());
        }
        let pool = Pool::new();
        let queue = Qdisc::new(&pool, &params, 1, 0);
        let stations = if ["vfq", "wfq"].contains(&name) { backlogged } else { 1 };
        let packet = |pool: &mut Pool<()>, i: u32| {
            let flow = i.wrapping_mul(0x9e37_79b1);
            let dscp = (tins > 1).then(|| DSCP[(flow >> 30) as usize]);
            let protocol = ruled.then(|| PROTOCOLS[(i % 3) as usize]);
            let key = (tins > 1 || ruled).then(|| {
                let (protocol, sport) = protocol.unwrap_or_default();
                Key { protocol, dscp: dscp.unwrap_or(0), sport, dport: 50_000 }
            });
            let sta = (i / (known / backlogged) % stations) as u16;
            pool.insert(Meta { bytes: 1500, flow, sta, class: (i % 2) as u8, key, ..Meta::default() }, ())
        };
        let mut standing = Standing { queue, now: 0, draws: 0, spare: Vec::new(), pool };
        for i in 0..known {
            let handle = packet(&mut standing.pool, i);
            standing.queue.enqueue(&mut standing.pool, handle, 0);
            let handle = standing.depart();
            standing.pool.remove(handle);
        }
        for i in 0..packets {
            let handle = packet(&mut standing.pool, i % backlogged * (known / backlogged));
            standing.queue.enqueue(&mut standing.pool, handle, 0);
        }
        if full {
            standing.spare.push(packet(&mut standing.pool, 0));
        }
        standing.draws = u64::from(kind == KINDS[2]);
        for _ in 0..10 * packets {
            standing.cycle();
        }
        let stats = standing.queue.stats(standing.now);
        if name == "chap" {
            // Idle flows are still known, and nearly all flows are backlogged:
            // the spare packet may be one's last.
            let stat = |name: &str| {
                let table = standing.queue.discipline().stats();
                stats[table.iter().position(|s| s.name == name).expect("a statistic of chap")]
            };
            assert_eq!(stat("flows"), u64::from(known));
            assert!(stat("backlogged") + 1 >= u64::from(backlogged), "{}", stat("backlogged"));
        }
        standing
    }

    /// Of the next packet, ns.
    fn air(&mut self) -> u64 {
        if self.draws == 0 {
            return AIR_NS;
        }
        // Xorshift (Marsaglia, Journal of Statistical Software 8, 2003).
        self.draws ^= self.draws << 13;
        self.draws ^= self.draws >> 7;
        self.draws ^= self.draws << 17;
        100_000 + self.draws % 900_000
    }

    /// One packet is sent, and its transmission is reported.
    fn depart(&mut self) -> Handle {
        let (packet, ticket) = self.queue.dequeue(&mut self.pool, self.now).expect("a standing backlog");
        let air = self.air();
        self.now += air;
        let tx = Tx { air, span: air, attempts: 1, acked: true };
        self.queue.sent(&ticket, &tx, self.now);
        packet
    }

    fn cycle(&mut self) {
        let packet = self.depart();
        self.queue.enqueue(&mut self.pool, packet, self.now);
        if let Some(spare) = self.spare.pop() {
            self.queue.enqueue(&mut self.pool, spare, self.now);
            self.spare.extend(self.queue.dropped().map(|d| d.packet));
            debug_assert!(!self.spare.is_empty());
        }
    }
}

/// Stations that get nothing but acknowledgements of so many bytes.
struct Splitting {
    standing: Standing,
    /// The last number of each station's flow, and how far the next one goes.
    numbers: Vec<u32>,
    by: u32,
}

struct Made;

impl Acks<()> for Made {
    fn make(&mut self, (): &(), _: u32) -> Option<((), u32)> {
        Some(((), MADE_BYTES))
    }

    fn merge(&mut self, (): &mut (), (): &()) -> bool {
        false
    }
}

impl Splitting {
    fn new(stations: u32, by: u32) -> Splitting {
        let mut params = Params::new(Discipline::named("vfq").expect("a discipline of the core"));
        for (key, value) in
            [("limit", 4 * stations), ("stations", stations.max(256)), ("station_limit", 4096)]
        {
            params.set(key, &value.to_string()).expect("a value in range");
        }
        params.set("target", "1s").expect("a value in range");
        let mut pool = Pool::new();
        pool.lend_acks(Made);
        let queue = Qdisc::new(&pool, &params, 1, 0);
        let standing = Standing { pool, queue, now: 0, draws: 0, spare: Vec::new() };
        let mut splitting = Splitting { standing, numbers: vec![0; stations as usize], by };
        for i in 0..stations * DEPTH {
            splitting.arrive((i % stations) as u16);
        }
        let cycles = u64::from(10 * stations * DEPTH);
        for _ in 0..cycles {
            splitting.cycle();
        }
        let made = splitting.standing.pool.acks_made();
        let expected = if by > BURST { cycles } else { 0 };
        assert!(made.abs_diff(expected) <= u64::from(stations), "all but each station's first: {made}");
        splitting
    }

    fn arrive(&mut self, sta: u16) {
        let number = &mut self.numbers[usize::from(sta)];
        *number = number.wrapping_add(self.by);
        let tcp = Tcp { ack: *number, window: 65_535, flags: 16, ..Tcp::default() };
        let meta =
            Meta { bytes: ACK_BYTES, flow: u32::from(sta) + 1, sta, tcp: Some(tcp), ..Meta::default() };
        let handle = self.standing.pool.insert(meta, ());
        self.standing.queue.enqueue(&mut self.standing.pool, handle, self.standing.now);
    }

    /// Until one that was not made has left, for which another one comes.
    fn cycle(&mut self) {
        loop {
            let packet = self.standing.depart();
            let (bytes, sta) = {
                let view = self.standing.pool.view(packet);
                (view.bytes, view.sta)
            };
            self.standing.pool.remove(packet);
            if bytes == ACK_BYTES {
                return self.arrive(sta);
            }
        }
    }
}

/// What is measured.
fn names() -> impl Iterator<Item = &'static str> {
    disciplines().map(Discipline::name).chain([TINS, RULES, AIRTIME])
}

fn id(name: &str, size: (u32, u32)) -> String {
    format!("{name}-{}-{}", size.0, size.1)
}

/// Median of a benchmark, ns, as criterion stored it.
fn median(output: &Path, kind: &str, id: &str) -> Option<f64> {
    let path = output.join(kind).join(id).join("new/estimates.json");
    let estimates: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

fn print_table(output: &Path) {
    println!("\nns per packet, and times the column (10,10); (backlogged flows, known flows)\n");
    for kind in KINDS {
        print!("{kind:<16}");
        for (backlogged, known) in SIZES {
            print!("{:>18}", format!("({backlogged},{known})"));
        }
        println!();
        let row = |name| SIZES.map(|size| median(output, kind, &id(name, size)));
        let fifo = row("fifo");
        for name in names() {
            let values = row(name);
            print!("{name:<16}");
            for value in values {
                let cell = value.zip(values[BASE]).map(|(v, base)| format!("{v:.0} ({:.2}x)", v / base));
                print!("{:>18}", cell.unwrap_or_else(|| "-".into()));
            }
            println!();
            print!("{:<16}", "  over fifo");
            for (value, fifo) in values.into_iter().zip(fifo) {
                let cell = value.zip(fifo).map(|(v, fifo)| format!("{:.1}x", v / fifo));
                print!("{:>18}", cell.unwrap_or_else(|| "-".into()));
            }
            println!();
        }
        println!();
    }
    for name in ["chap", "vfq"] {
        let cycle = |size| median(output, KINDS[0], &id(name, size));
        if let (Some(large), Some(base)) = (cycle(SIZES[3]), cycle(SIZES[BASE])) {
            let ratio = large / base;
            let met = if ratio <= 4.0 { "met" } else { "NOT MET" };
            println!("{name}, cycle, (1000,1000000) over (10,10): {ratio:.2}; target at most 4: {met}");
        }
    }
    for name in ["wfq", "vfq"] {
        let cycle = |name| median(output, KINDS[0], &id(name, SIZES[BASE]));
        if let (Some(own), Some(fq_codel)) = (cycle(name), cycle("fq_codel")) {
            let ratio = own / fq_codel;
            let met = if ratio <= 3.0 { "met" } else { "NOT MET" };
            println!("{name} over fq_codel, cycle, (10,10): {ratio:.2}; target at most 3: {met}");
        }
    }
    for size in SIZES {
        let (flows, cycle) = (size.0, median(output, KINDS[0], &id("vfq", size)));
        let row = |kind| median(output, kind, &flows.to_string());
        if let (Some(split), Some(whole), Some(cycle)) = (row(SPLIT), row(WHOLE), cycle) {
            let ratio = (split - whole) / cycle;
            let met = if ratio <= 2.0 { "met" } else { "NOT MET" };
            print!(
                "vfq, {flows} stations, an acknowledgement: {split:.0} ns in two parts, {whole:.0} whole; "
            );
            println!("a split is {ratio:.2} cycles; target at most 2: {met}");
        }
    }
    for (name, most) in OVER_FIFO {
        judge(output, KINDS[0], name, "fifo", most);
    }
    for (name, kinds, most) in OVER_FQ_CODEL {
        KINDS[..kinds].iter().for_each(|kind| judge(output, kind, name, "fq_codel", most));
    }
}

/// A discipline beside another one at all sizes.
fn judge(output: &Path, kind: &str, name: &str, other: &str, most: f64) {
    let cost = |name, size| median(output, kind, &id(name, size));
    let ratios: Option<Vec<f64>> =
        SIZES.iter().map(|&size| Some(cost(name, size)? / cost(other, size)?)).collect();
    let Some(ratios) = ratios else { return };
    let met = if ratios.iter().all(|ratio| *ratio <= most) { "met" } else { "NOT MET" };
    println!("{name} over {other}, {kind}: {ratios:.2?}; target at most {most}: {met}");
}

fn main() {
    let output = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../criterion");
    let mut criterion = Criterion::default()
        .with_measurement(CpuTime)
        .output_directory(&output)
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200))
        .configure_from_args();
    for kind in KINDS {
        let mut group = criterion.benchmark_group(kind);
        for name in names() {
            for size in SIZES {
                let mut standing = None;
                group.bench_function(id(name, size), |b| {
                    // Made only if a filter on the command line lets it run.
                    let standing: &mut Standing =
                        standing.get_or_insert_with(|| Standing::new(name, size, kind));
                    b.iter(|| black_box(&mut *standing).cycle());
                });
            }
        }
        group.finish();
    }
    for (kind, by) in [(SPLIT, 2 * BURST), (WHOLE, BURST)] {
        let mut group = criterion.benchmark_group(kind);
        for (stations, _) in SIZES {
            let mut splitting = None;
            group.bench_function(stations.to_string(), |b| {
                let splitting: &mut Splitting = splitting.get_or_insert_with(|| Splitting::new(stations, by));
                b.iter(|| black_box(&mut *splitting).cycle());
            });
        }
        group.finish();
    }
    criterion.final_summary();
    print_table(&output);
}
