// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the live access point can do on this machine: rates, added delay,
//! packets a second, and TUN against AF_PACKET. `cargo bench -p airtab-live`,
//! as root; some two minutes. Every figure is the median of three runs.
//!
//! Applications are threads with UDP sockets in the namespaces of a house;
//! rates are what their sockets received, by the wall clock.

#[path = "../tests/it/common/mod.rs"]
mod common;

use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use airtab_core::Phy;
use airtab_live::{AccessPoint, Netns, NetnsRef, Pace, Port, Running, Snapshot, Tun};
use common::{EMULATOR, Inner, address, house, packet, queue, up};
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{self, AddressFamily, LinkAddr, SockFlag, SockProtocol, SockType, sockopt};
use rustix::time::{ClockId, clock_gettime};

const RUNS: usize = 3;
/// What makes an IP packet of 1500 bytes.
const PAYLOAD: usize = 1472;
const SECONDS: f64 = 4.0;

fn main() {
    common::require_houses();
    rates();
    idle();
    forwarding();
    overload();
    change();
    packet_io();
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Runs it three times: the median of each figure.
fn medians<const N: usize>(mut run: impl FnMut() -> [f64; N]) -> [f64; N] {
    let runs: Vec<[f64; N]> = (0..RUNS).map(|_| run()).collect();
    std::array::from_fn(|i| median(runs.iter().map(|r| r[i]).collect()))
}

/// Sends from a namespace until told to stop: `rate_bps` of IP packets, or as
/// fast as it goes with 0.
fn blast(netns: String, to: &'static str, rate_bps: f64, stop: &Arc<AtomicBool>) -> thread::JoinHandle<()> {
    let stop = stop.clone();
    let work = NetnsRef::named(netns).spawn("blast", move || {
        let socket = UdpSocket::bind("0.0.0.0:0")?;
        let (start, mut sent) = (Instant::now(), 0.0);
        while !stop.load(Ordering::Relaxed) {
            let due = if rate_bps > 0.0 {
                start.elapsed().as_secs_f64() * rate_bps / 12_000.0
            } else {
                sent + 64.0
            };
            while sent < due {
                let _ = socket.send_to(&[0; PAYLOAD], (to, 9000));
                sent += 1.0;
            }
            if rate_bps > 0.0 {
                thread::sleep(Duration::from_micros(500));
            }
        }
        Ok(())
    });
    let work = work.expect("a thread");
    thread::spawn(move || work.join().expect("no panic").expect("a socket"))
}

/// Counts the packets that a namespace receives.
fn count(netns: String, stop: &Arc<AtomicBool>) -> Arc<AtomicU64> {
    let (stop, counted) = (stop.clone(), Arc::new(AtomicU64::new(0)));
    let counter = counted.clone();
    let work = NetnsRef::named(netns).spawn("count", move || {
        let socket = UdpSocket::bind("0.0.0.0:9000")?;
        socket.set_read_timeout(Some(Duration::from_millis(100)))?;
        let mut buffer = [0; 2048];
        while !stop.load(Ordering::Relaxed) {
            if socket.recv(&mut buffer).is_ok() {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    });
    drop(work.expect("a thread"));
    counted
}

/// A load on a house: packets a second that arrived, and the last snapshot.
fn loaded(running: &Running, from: Port, to: Port, address: &'static str, rate_bps: f64) -> (f64, Snapshot) {
    let stop = Arc::new(AtomicBool::new(false));
    let counted = count(running.house().netns(to), &stop);
    let blaster = blast(running.house().netns(from), address, rate_bps, &stop);
    thread::sleep(Duration::from_secs(1)); // queues fill
    let (start, before) = (Instant::now(), counted.load(Ordering::Relaxed));
    thread::sleep(Duration::from_secs_f64(SECONDS));
    let arrived = counted.load(Ordering::Relaxed) - before;
    let pps = arrived as f64 / start.elapsed().as_secs_f64();
    let snapshot = running.remote().next_snapshot(&Arc::default()).expect("it runs");
    stop.store(true, Ordering::Relaxed);
    blaster.join().expect("no panic");
    (pps, (*snapshot).clone())
}

/// A saturated station against the airtime formula, and Bianchi's model with
/// one sender.
fn rates() {
    let emulated = Phy::named("d7.1").expect("it is there");
    let cell = Phy::named("phy-a").expect("it is there");
    let exchange =
        |phy: Phy| (phy.difs_ns() + phy.data_ns(54_000, 1500) + phy.sifs_ns() + phy.ack_ns(54_000)) as f64;
    let backoff = f64::from(cell.cw_min()) / 2.0 * cell.slot_ns() as f64;
    for (name, wifi, formula_ns) in [
        ("emulator", EMULATOR, exchange(emulated)),
        ("cell", "beacon_interval = \"off\"", exchange(cell) + backoff),
    ] {
        let [mbps, cpu] = medians(|| {
            let running = up(house("bench-rate", wifi, ""), "fifo:limit=100");
            let (pps, snapshot) = loaded(&running, Port::Internet, Port::Station(1), "10.0.0.2", 45e6);
            [pps * 0.012, snapshot.pace.cpu_ratio]
        });
        let formula = 12e6 / formula_ns;
        println!(
            "rate, {name}: {mbps:.3} Mb/s, formula {formula:.3} ({:+.2} %), {:.1} % of a core",
            100.0 * (mbps / formula - 1.0),
            100.0 * cpu
        );
    }
}

/// What is added to a ping when nothing else happens.
fn idle() {
    const N: usize = 1500;
    let phy = Phy::named("d7.1").expect("it is there");
    let medium_ns = (phy.difs_ns() + phy.data_ns(54_000, 128) + phy.sifs_ns() + phy.ack_ns(54_000)) as f64;
    let [p50, p99, late50, late99] = medians(|| {
        let running = up(house("bench-idle", EMULATOR, ""), "chap");
        let stop = Arc::new(AtomicBool::new(false));
        let ended = stop.clone();
        let echo = NetnsRef::named(running.house().netns(Port::AccessPoint)).spawn("echo", move || {
            let socket = UdpSocket::bind("10.0.255.1:7")?;
            socket.set_read_timeout(Some(Duration::from_millis(100)))?;
            let mut buffer = [0; 2048];
            while !ended.load(Ordering::Relaxed) {
                if let Ok((bytes, from)) = socket.recv_from(&mut buffer) {
                    socket.send_to(&buffer[..bytes], from)?;
                }
            }
            Ok(())
        });
        let pings = NetnsRef::named(running.house().netns(Port::Station(1))).spawn("ping", move || {
            let socket = UdpSocket::bind("10.0.0.2:0")?;
            let mut times = Vec::new();
            for _ in 0..N {
                let start = Instant::now();
                socket.send_to(&[0; 100], "10.0.255.1:7")?;
                socket.recv(&mut [0; 200])?;
                times.push(start.elapsed().as_nanos() as f64 - medium_ns);
                thread::sleep(Duration::from_millis(2));
            }
            Ok(times)
        });
        let mut times = pings.expect("a thread").join().expect("no panic").expect("answers");
        let Pace { late_p50_s, late_p99_s, .. } =
            running.remote().next_snapshot(&Arc::default()).expect("it runs").pace;
        stop.store(true, Ordering::Relaxed);
        let _ = echo.expect("a thread").join();
        times.sort_by(f64::total_cmp);
        [times[N / 2] / 1e3, times[N * 99 / 100] / 1e3, late_p50_s * 1e6, late_p99_s * 1e6]
    });
    println!(
        "idle: handing over p50 {late50:.0} us, p99 {late99:.0} us late; a ping (4 wake-ups of threads) takes \
         p50 {p50:.0} us, p99 {p99:.0} us more than its medium"
    );
}

/// Wires that take next to nothing: what the thread itself can carry.
fn forwarding() {
    let [pps, cpu, late99] = medians(|| {
        let wired = "rate = \"100Gbit\"\ntrunk_latency = \"0ms\"\nqueue = 100000";
        let running = up(house("bench-wire", EMULATOR, wired), "fifo");
        let (pps, snapshot) = loaded(&running, Port::Internet, Port::AccessPoint, "10.0.255.1", 0.0);
        [pps, snapshot.pace.cpu_ratio, snapshot.pace.late_p99_s]
    });
    println!(
        "forwarding: {:.0} Mb/s, {pps:.0} packets/s of 1500 bytes with {:.0} % of a core: {:.0} Mb/s on a whole one; \
         p99 {:.0} us late",
        pps * 0.012,
        100.0 * cpu,
        pps * 0.012 / cpu,
        1e6 * late99
    );
}

/// 300 Mb/s are offered, and the cell carries a tenth: most packets are dropped.
fn overload() {
    for (discipline, offered) in
        [("fifo:limit=1000", 300e6), ("chap", 300e6), ("fq_codel", 300e6), ("fifo", 0.0)]
    {
        let [pps, taken, cpu, behind, overflowed, late99] = medians(|| {
            let running = up(house("bench-over", "", "rate = \"10Gbit\""), discipline);
            let (pps, snapshot) = loaded(&running, Port::Internet, Port::Station(1), "10.0.0.2", offered);
            let taken = snapshot.books.taken as f64 / snapshot.now_s;
            let pace = snapshot.pace;
            [pps, taken, pace.cpu_ratio, pace.behind as f64, pace.overflowed as f64, pace.late_p99_s]
        });
        let offered =
            if offered > 0.0 { format!("{:.0} Mb/s", offered / 1e6) } else { "all that goes".into() };
        println!(
            "overload, {discipline}, {offered}: {:.0} Mb/s taken, {:.1} carried, {:.0} % of a core, p99 {:.0} us late, \
             {behind:.0} behind, {overflowed:.0} lost unread",
            taken * 0.012,
            pps * 0.012,
            100.0 * cpu,
            1e6 * late99
        );
    }
}

/// How long the access point stands still while a full queue is handed over.
fn change() {
    for flows in [10, 1000] {
        let [ms] = medians(|| {
            let mut ap =
                AccessPoint::new(house("bench-change", "", ""), &queue("fq_codel"), 1).expect("good");
            for n in 0..10_000u32 {
                let port = 1000 + (n % flows) as u16;
                let bytes = packet(address(4, false), address(3, false), Inner::Udp, port, 0, 1500, n);
                ap.receive(Port::AccessPoint, &bytes, 0);
            }
            let start = cpu_ns();
            ap.set_queue(&queue("fifo:limit=10000")).expect("good");
            assert_eq!(ap.books().dropped, 0);
            [(cpu_ns() - start) / 1e6]
        });
        println!("change of discipline, 10000 packets of {flows} flows in fq_codel: {ms:.1} ms");
    }
}

fn cpu_ns() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// Reads packets of one namespace and writes them to another, both ways of it.
fn packet_io() {
    const PACKETS: usize = 5000;
    const ROUNDS: usize = 20;
    let ns = |name: &str| Netns::make(&format!("airtab-bench-{name}"), Stdio::null()).expect("a namespace");
    let (left, right, middle) = (ns("left"), ns("right"), ns("middle"));
    let fill = |netns: &Netns| {
        let work = netns.handle().spawn("fill", || {
            let socket = UdpSocket::bind("0.0.0.0:0")?;
            let start = cpu_ns();
            for _ in 0..PACKETS {
                socket.send_to(&[0; PAYLOAD], "192.0.2.9:9000")?;
            }
            Ok((cpu_ns() - start) / PACKETS as f64)
        });
        work.expect("a thread").join().expect("no panic").expect("packets are sent")
    };

    let tun =
        |netns, address: &str| Tun::make(netns, "tun0", &[address.parse().expect("one")]).expect("a device");
    let (from, to) = (tun(&left, "192.0.2.1"), tun(&right, "192.0.2.9"));
    let mut buffer = [0; 2048];
    let [filled, moved, n] = medians(|| {
        let (mut filled, mut moved, mut n) = (0.0, 0.0, 0.0);
        for _ in 0..ROUNDS {
            filled += fill(&left) / ROUNDS as f64;
            let start = cpu_ns();
            while let Some(bytes) = from.recv(&mut buffer).expect("it is there") {
                to.send(&buffer[..bytes]).expect("it is up");
                n += 1.0;
            }
            moved += cpu_ns() - start;
        }
        [filled, moved / n, n]
    });
    println!("packet I/O, TUN: {moved:.0} ns a packet, {filled:.0} ns for its sender ({n:.0} packets)");
    drop((from, to));

    // veth: left a0 - a1 middle b1 - b0 right; a0 knows b0's address already.
    let lines = [
        "link add a0 netns airtab-bench-left type veth peer name a1 netns airtab-bench-middle",
        "link add b0 netns airtab-bench-right type veth peer name b1 netns airtab-bench-middle",
        "-n airtab-bench-left link set a0 up",
        "-n airtab-bench-right link set b0 address 02:00:00:00:00:09 up",
        "-n airtab-bench-middle link set a1 up",
        "-n airtab-bench-middle link set b1 up",
        "-n airtab-bench-left address add 192.0.2.1/24 dev a0",
        "-n airtab-bench-right address add 192.0.2.9/24 dev b0",
        "-n airtab-bench-left neighbour add 192.0.2.9 lladdr 02:00:00:00:00:09 dev a0",
    ];
    for line in lines {
        assert!(Command::new("ip").args(line.split(' ')).status().expect("iproute2").success(), "{line}");
    }
    let sockets = middle.handle().spawn("sockets", || {
        let open = |name: &str, protocol| {
            let fd = socket::socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_NONBLOCK, protocol)?;
            let device: LinkAddr = getifaddrs()?
                .filter(|d| d.interface_name == name)
                .find_map(|d| d.address.as_ref()?.as_link_addr().copied())
                .expect("a veth has an address");
            socket::setsockopt(&fd, sockopt::RcvBufForce, &(64 << 20))?;
            socket::bind(std::os::fd::AsRawFd::as_raw_fd(&fd), &device)?;
            Ok::<_, std::io::Error>(fd)
        };
        Ok((open("a1", SockProtocol::EthAll)?, open("b1", SockProtocol::EthAll)?))
    });
    let (from, to) = sockets.expect("a thread").join().expect("no panic").expect("sockets");
    let [filled, moved, n] = medians(|| {
        let (mut filled, mut moved, mut n) = (0.0, 0.0, 0.0);
        for _ in 0..ROUNDS {
            filled += fill(&left) / ROUNDS as f64;
            let start = cpu_ns();
            while let Ok((bytes, _)) = rustix::net::recv(&from, &mut buffer, rustix::net::RecvFlags::empty())
            {
                let sent = rustix::net::send(&to, &buffer[..bytes], rustix::net::SendFlags::empty());
                n += f64::from(u8::from(sent.is_ok()));
            }
            moved += cpu_ns() - start;
        }
        [filled, moved / n, n]
    });
    println!(
        "packet I/O, AF_PACKET over veth: {moved:.0} ns a packet, {filled:.0} ns for its sender ({n:.0} packets)"
    );
}
