// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Namespaces, devices, the kernel's own ping and TCP. Needs root.

use crate::common;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use airtab_live::control::{self, Request};
use airtab_live::{AccessPoint, Books, LiveError, NetnsRef, Port, Running, running};
use common::{EMULATOR, deadline::deadline, house, queue, require_houses, run_in, up};
use pnet_datalink::{self as datalink, Channel};

fn books(running: &Running) -> Books {
    running.remote().order(|ap| ap.books()).expect("it runs")
}

fn netns(running: &Running, port: Port) -> String {
    running.house().netns(port)
}

/// Nothing of a house is left.
fn assert_gone(name: &str) {
    assert!(!Path::new("/run/airtab").join(name).exists(), "the folder of {name}");
    let listed = Command::new("ip").args(["netns", "list"]).output().expect("iproute2").stdout;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let left: Vec<&str> = listed.lines().filter(|l| airtab_live::house::owns(name, l)).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Round-trip times, ms.
fn ping(netns: &str, to: &str) -> Vec<f64> {
    let text = run_in(netns, &format!("ping -n -c 5 -i 0.1 -W 2 {to}"));
    let times = text.lines().filter_map(|l| l.split_once("time=")?.1.split(' ').next()?.parse().ok());
    times.collect()
}

/// Never too early: what the wires and the air take is the least.
#[test]
#[ignore = "needs root: network namespaces"]
fn pings_take_the_time_of_wires_and_air() {
    let _in_time = deadline(300);
    require_houses();
    let running = up(house("qa-ping", EMULATOR, ""), "chap");
    let console = netns(&running, Port::Station(0));
    // Eq. 7.1 for 84 and 104 bytes is more than 177 us; up, the emulator takes none.
    for (to, least) in
        [("10.0.255.1", 0.177), ("fd00:a1b::1", 0.177), ("198.18.0.1", 4.177), ("fd00:a1b:2::2", 22.177)]
    {
        let times = ping(&console, to);
        assert!(times.len() >= 4, "{to}: {times:?}");
        assert!(times.iter().all(|t| *t >= least), "{to}: {times:?} ms, at least {least}");
        let best = times.iter().copied().fold(f64::MAX, f64::min);
        assert!(best < least + 5.0, "{to}: {times:?} ms");
    }
    assert!(books(&running).balanced());
    drop(running);
    assert_gone("qa-ping");
}

/// Minimum airtime of a full packet at 54 Mb/s, ns: its bits alone take 222 us.
const FULL_PACKET_NS: u64 = 222_000;

/// TCP keeps running while each discipline is replaced by each other one, a change loses no packet that fits, and the
/// medium is busy while packets wait.
///
/// All of it is measured by the access point's own clock and counters: the load of the machine changes the number of
/// packets that wait, and not their fate.
#[test]
#[ignore = "needs root: network namespaces"]
fn disciplines_change_under_a_download() {
    let _in_time = deadline(300);
    require_houses();
    let mut running = up(house("qa-swap", EMULATOR, ""), "fifo:limit=300");
    let (internet, laptop) = (netns(&running, Port::Internet), netns(&running, Port::Station(1)));
    let (listening, listens) = std::sync::mpsc::channel();
    let (stop, received) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let server = NetnsRef::named(&internet).spawn("server", {
        let stop = stop.clone();
        move || {
            let listener = TcpListener::bind(("198.18.0.2", 5001))?;
            listening.send(()).expect("the test waits");
            let (mut stream, sent) = (listener.accept()?.0, [7; 10_000]);
            let mut bytes = 0;
            while !stop.load(Ordering::Relaxed) {
                stream.write_all(&sent)?;
                bytes += sent.len() as u64;
            }
            Ok(bytes)
        }
    });
    listens.recv().expect("it listens");
    let client = NetnsRef::named(&laptop).spawn("client", {
        let received = received.clone();
        move || {
            let (mut stream, mut buffer) = (TcpStream::connect(("198.18.0.2", 5001))?, [0; 10_000]);
            loop {
                let n = stream.read(&mut buffer)?;
                assert!(buffer[..n].iter().all(|byte| *byte == 7));
                received.fetch_add(n as u64, Ordering::Relaxed);
                if n == 0 {
                    return Ok(());
                }
            }
        }
    });
    let names = common::disciplines();
    // Each pair in both directions: 1 0 2 0 3 0, 2 1 3 1, and so on.
    let pairs = (0..names.len()).flat_map(|from| (from + 1..names.len()).map(move |to| (from, to)));
    let order = pairs.flat_map(|(from, to)| [to, from]);
    let (mut changes, mut handed_over, mut last) = (0, 0, None::<(u64, u64, u64)>);
    let (mut waited_ns, mut busy_ns) = (0_u64, 0_u64);
    for name in order.map(|i| names[i]) {
        let own = common::station_limit(name).map_or(common::roomy(name), |_| ":station_limit=300");
        let spec = queue(&format!("{name}:limit=300{own}"));
        let change = move |ap: &mut AccessPoint| {
            let (before, queued, air) = (ap.books(), ap.snapshot().qdisc.packets, ap.air());
            ap.set_queue(&spec).expect("it fits");
            let after = ap.books();
            assert!(after.balanced());
            assert_eq!(before.dropped, after.dropped, "{queued} packets fit");
            assert_eq!(before.inside, after.inside);
            (u64::from(queued), air.down_ns, air.down_ns + air.idle_ns)
        };
        let (queued, down_ns, now) = running.remote().order(change).expect("it runs");
        if let Some((queued, before_ns, then)) = last {
            let due = (now - then).min(queued * FULL_PACKET_NS);
            waited_ns += due;
            busy_ns += due.min(down_ns - before_ns);
        }
        last = Some((queued, down_ns, now));
        handed_over += queued;
        changes += 1;
        thread::sleep(Duration::from_millis(15));
    }
    let so_far = received.load(Ordering::Relaxed);
    let start = Instant::now();
    while received.load(Ordering::Relaxed) < so_far + 1_000_000 {
        assert!(start.elapsed() < Duration::from_secs(60), "TCP stands still after {so_far} bytes");
        thread::sleep(Duration::from_millis(5));
    }
    stop.store(true, Ordering::Relaxed);
    let sent = server.expect("a thread").join().expect("no panic").expect("it sends");
    client.expect("a thread").join().expect("no panic").expect("it receives");
    assert_eq!(received.load(Ordering::Relaxed), sent);
    println!(
        "{sent} bytes; {changes} changes handed {handed_over} packets over; the air was busy for {busy_ns} of {waited_ns} ns"
    );
    assert!(
        changes == names.len() * (names.len() - 1) && handed_over > 100,
        "{changes} changes, {handed_over} packets"
    );
    assert!(busy_ns * 10 > waited_ns * 9, "busy for {busy_ns} of {waited_ns} ns in which packets waited");
    assert!(running.stop().expect("it ran").books().balanced());
    drop(running);
    assert_gone("qa-swap");
}

/// Whatever a namespace writes into its device is counted; nothing of it ends
/// the access point.
#[test]
#[ignore = "needs root: network namespaces"]
fn malformed_packets_are_counted() {
    let _in_time = deadline(300);
    require_houses();
    let running = up(house("qa-raw", EMULATOR, ""), "fq_codel");
    let console = netns(&running, Port::Station(0));
    const N: u64 = 2000;
    let sent = NetnsRef::named(&console).spawn("raw", || {
        let device = datalink::interfaces().into_iter().find(|d| d.name == "wlan0").expect("it is there");
        let Channel::Ethernet(mut raw, _) = datalink::channel(&device, Default::default())? else {
            unreachable!("the default")
        };
        let mut word = 1u64;
        for i in 0..N {
            let mut bytes = [0u8; 200];
            for byte in &mut bytes {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *byte = (word >> 56) as u8;
            }
            // Headers that are almost right, too.
            bytes[0] = [bytes[0], 0x45, 0x60, 0x4f][i as usize % 4];
            let bytes = &bytes[..1 + i as usize % 200];
            raw.send_to(bytes, None).expect("bytes were given")?;
        }
        Ok(())
    });
    sent.expect("a thread").join().expect("no panic").expect("packets are written");
    let counted = |b: &Books| b.refused.values().sum::<u64>();
    let start = Instant::now();
    while counted(&books(&running)) < N && start.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(20));
    }
    let after = books(&running);
    assert!(after.balanced() && counted(&after) >= N, "{after:?}");
    assert!(after.refused["malformed"] > N / 2, "{after:?}");
    assert!(running.is_up());
    assert!(ping(&console, "10.0.255.1").len() >= 4, "and others are served");
}

/// A device that its namespace takes down, or that is gone, costs its own packets only.
#[test]
#[ignore = "needs root: network namespaces"]
fn a_device_that_is_down_is_not_fatal() {
    let _in_time = deadline(300);
    require_houses();
    let running = up(house("qa-down", EMULATOR, ""), "spq");
    let (console, laptop) = (netns(&running, Port::Station(0)), netns(&running, Port::Station(1)));
    run_in(&laptop, "ip link set wlan0 down");
    let ap = netns(&running, Port::AccessPoint);
    let lost = Command::new("ip")
        .args(["netns", "exec", &ap, "ping", "-c", "2", "-i", "0.1", "-W", "1", "10.0.0.2"])
        .output()
        .expect("ping starts");
    assert!(!lost.status.success());
    assert!(books(&running).unwritten >= 2);
    assert!(ping(&console, "10.0.255.1").len() >= 4);
    assert!(running.is_up() && books(&running).balanced());
}

/// Names that begin alike are still different houses; one name is up once.
#[test]
#[ignore = "needs root: network namespaces"]
fn two_houses_do_not_know_of_each_other() {
    let _in_time = deadline(300);
    require_houses();
    let first = up(house("qa-two", EMULATOR, ""), "fifo");
    let second = up(house("qa-two-b", EMULATOR, ""), "chap");
    assert!(running::houses().iter().filter(|h| h.starts_with("qa-two")).count() == 2);
    let again = Running::up(house("qa-two", EMULATOR, ""), &queue("fifo"), 1, &mut |_| ());
    let said = again.err().expect("refused").to_string();
    let own = std::process::id();
    assert!(said.contains("qa-two is up already") && said.contains(&format!("process {own}")), "{said}");
    drop(first);
    assert!(!running::houses().contains(&"qa-two".into()));
    assert!(ping(&netns(&second, Port::Station(1)), "10.0.255.1").len() >= 4, "the other one lives");
    let down = running::down("qa-two").expect("it may be asked again");
    assert!(down.contains("nothing is left"), "{down}");
    assert!(ping(&netns(&second, Port::Station(1)), "10.0.255.1").len() >= 4);
    drop(second);
    assert_gone("qa-two-b");
}

/// The control socket: changes, refusals that say what is allowed, garbage.
#[test]
#[ignore = "needs root: network namespaces"]
fn the_control_socket_takes_anything() {
    let _in_time = deadline(300);
    require_houses();
    let name = "qa-control";
    let running = up(house(name, EMULATOR, ""), "fifo");
    let path = control::socket(name);
    let garbage: [&[u8]; 7] = [
        b"\n",
        b"{}\n",
        b"\xff\xfe\x00\n",
        b"\"down",
        b"{\"set\":{\"station\":1}}\n",
        b"[[[[[[[[[[[[[[[[[[[[\n",
        &[b'x'; 10_000],
    ];
    for bytes in garbage {
        let mut stream = UnixStream::connect(&path).expect("it listens");
        // It may have hung up before it has read all.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        assert!(said.contains("refused") && said.contains("no request that is understood"), "{said:?}");
    }
    // Clients that say nothing, or go away in the middle.
    let idle: Vec<_> = (0..50).map(|_| UnixStream::connect(&path).expect("it listens")).collect();
    let mut watcher = UnixStream::connect(&path).expect("it listens");
    watcher.write_all(b"\"watch\"\n").expect("it reads");
    drop(watcher);

    let set = |station: &str, key: &str, value: &str| {
        let (station, key, value) = (station.into(), key.into(), value.into());
        control::ask(name, &Request::Set { station, key, value }).map_err(|e| e.to_string())
    };
    assert_eq!(set("laptop", "fer", "0.25").unwrap(), "station laptop: 54 Mb/s, 25.00 % of frames lost");
    assert!(set("laptop", "distance", "12").unwrap().contains("12 m away"));
    assert!(set("laptop", "rate", "6Mb/s").unwrap().contains("6 Mb/s"));
    for (station, key, value, named, fix) in [
        ("tv", "fer", "0.1", "'tv'", "console, laptop"),
        ("laptop", "colour", "red", "'colour'", "distance, fer, snr"),
        ("laptop", "fer", "1.5", "'1.5'", "0 to 1"),
        ("laptop", "fer", "nan", "'nan'", "0 to 1"),
        ("laptop", "distance", "0", "'0'", "above 0 and up to 1000"),
        ("laptop", "distance", "-3", "'-3'", "above 0 and up to 1000"),
        ("laptop", "distance", "inf", "'inf'", "above 0 and up to 1000"),
        ("laptop", "rate", "7Mb/s", "7Mb/s", "54"),
        ("laptop", "rate", "0", "0", "Mb/s"),
    ] {
        let said = set(station, key, value).unwrap_err();
        assert!(said.contains(named) && said.contains(fix), "{station} {key} {value}: {said}");
    }
    let swap = |spec: &str| control::ask(name, &Request::Queue(spec.into())).map_err(|e| e.to_string());
    assert_eq!(swap("chap:limit=70").unwrap(), "the discipline is chap:limit=70 now");
    for (spec, named) in [("chop", "chap"), ("fifo:limit=0", "limit"), ("fifo:limit", "parameter=value")] {
        let said = swap(spec).unwrap_err();
        assert!(said.contains(named), "{spec}: {said}");
    }
    let missing = control::ask("qa-nobody", &Request::Down).unwrap_err();
    assert!(matches!(missing, LiveError::Down { .. }));
    assert!(running.is_up());
    drop(idle);
    let said = control::ask(name, &Request::Down).expect("it ends");
    assert_eq!(said, "it ends");
    drop(running);
    assert_gone(name);
}

/// An access point that stood still says so: what was late, and what was lost
/// before it could be read. Nothing is missing in the sum.
#[test]
#[ignore = "needs root: network namespaces"]
fn who_falls_behind_says_so() {
    let _in_time = deadline(300);
    require_houses();
    const N: u64 = 15_000;
    let running = up(house("qa-behind", EMULATOR, ""), "fifo");
    let console = netns(&running, Port::Station(0));
    let remote = running.remote().clone();
    let (begun, began) = std::sync::mpsc::channel();
    let pause = thread::spawn(move || {
        remote.order(move |_| {
            begun.send(()).expect("somebody waits");
            thread::sleep(Duration::from_secs(2));
        })
    });
    began.recv().expect("it begins");
    let sent = NetnsRef::named(&console).spawn("burst", || {
        let socket = UdpSocket::bind("0.0.0.0:0")?;
        for _ in 0..N {
            // To nobody: counted as such when it is read.
            socket.send_to(&[0; 100], "192.0.2.1:9")?;
        }
        Ok(())
    });
    sent.expect("a thread").join().expect("no panic").expect("packets are sent");
    pause.join().expect("no panic").expect("it runs");
    let mut seen = Arc::default();
    let start = Instant::now();
    let (books, pace) = loop {
        let snapshot = running.remote().next_snapshot(&seen).expect("it runs");
        if snapshot.books.taken + snapshot.pace.overflowed >= N {
            break (snapshot.books.clone(), snapshot.pace);
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{:?} {:?}", snapshot.books, snapshot.pace);
        seen = snapshot;
    };
    assert_eq!(books.taken + pace.overflowed, N, "{books:?} {pace:?}");
    assert!(pace.overflowed >= 4000, "{pace:?}");
}
