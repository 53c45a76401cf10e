// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Applications in real namespaces, joined by a wire instead of an access point.
//!
//! Needs root and `tools/require live`.

use std::env::temp_dir;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use airtab_core::time::SECOND as S;
use airtab_live::{AppReport, Apps, Clock, House, LiveError, Netns, Port, house, routes};
use airtab_scenario::{Figures, Metric, ScenarioFile, measure};
use airtab_sim::{AppMeter, AppTrace, Trace};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::require_houses;

/// A house of one station whose only wire leads to its servers.
struct Wire {
    house: House,
    internet: Netns,
    station: Netns,
    /// Tests take turns: one that loads the machine would delay the packets of another.
    _turn: MutexGuard<'static, ()>,
}

impl Wire {
    /// Builds its namespaces. `apps` is TOML.
    fn new(seconds: u32, apps: &str) -> Wire {
        require_houses();
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let n = NUMBER.fetch_add(1, Ordering::Relaxed);
        let apps: String = apps.replace("[[app]]", "[[app]]\nstation = \"s\"");
        let text = format!(
            "name = \"test-{}-{n}\"\nduration = \"{seconds}s\"\n[[station]]\nname = \"s\"\n{apps}",
            std::process::id()
        );
        let house = House::new(ScenarioFile::parse("test.toml", &text).unwrap()).unwrap();
        let [internet, station] = [Port::Internet, Port::Station(0)]
            .map(|port| Netns::make(&house.netns(port), Stdio::null()).unwrap());
        let (a, b) = (internet.name(), station.name());
        ip(&format!("link add w0 netns {a} type veth peer name w0 netns {b}"));
        for i in 0..house.file.scenario.apps.len() as u16 {
            ip(&format!("-n {a} addr add {}/32 dev w0", house::server(i)));
        }
        ip(&format!("-n {b} addr add {}/32 dev w0", house::station(0)));
        for (ns, to) in [(a, "10.0.0.0/16"), (b, "198.18.0.0/16")] {
            ip(&format!("-n {ns} link set w0 up"));
            ip(&format!("-n {ns} route add {to} dev w0 congctl cubic"));
        }
        internet.batch(&routes::lines(&house, Port::Internet, "w0")).unwrap();
        station.batch(&routes::lines(&house, Port::Station(0), "w0")).unwrap();
        Wire { house, internet, station, _turn: turn }
    }

    fn start(&self) -> Result<Apps, LiveError> {
        Apps::start(&self.house, Clock::start(), 1, &temp_dir())
    }

    /// Runs to the end of the house's time.
    fn run(&self) -> (Vec<AppTrace>, Vec<AppReport>) {
        let clock = Clock::start();
        let apps = Apps::start(&self.house, clock, 1, &temp_dir()).unwrap();
        sleep_until(clock, self.house.file.scenario.duration_ns);
        println!("{:?}", apps.views());
        self.finish(apps)
    }

    fn finish(&self, apps: Apps) -> (Vec<AppTrace>, Vec<AppReport>) {
        let scenario = &self.house.file.scenario;
        let empty = |app| AppMeter::new(app, scenario).finish(scenario.duration_ns).0;
        let mut traces: Vec<AppTrace> = scenario.apps.iter().map(empty).collect();
        let reports = apps.finish(&mut traces).unwrap();
        for report in &reports {
            println!("{report:?}");
        }
        (traces, reports)
    }

    /// Of the namespace of the servers: connections accepted so far.
    fn accepted(&self) -> u64 {
        let snmp = ["netns", "exec", self.internet.name(), "cat", "/proc/net/snmp"];
        let text = output(Command::new("ip").args(snmp));
        let mut tcp = text.lines().filter(|line| line.starts_with("Tcp:")).map(|l| l.split(' '));
        let (mut names, mut values) = (tcp.next().unwrap(), tcp.next().unwrap());
        let column = names.position(|name| name == "PassiveOpens").unwrap();
        values.nth(column).unwrap().parse().unwrap()
    }

    /// Command lines of what runs in both namespaces.
    fn processes(&self) -> Vec<(u32, String)> {
        let pids = [&self.internet, &self.station]
            .map(|ns| output(Command::new("ip").args(["netns", "pids", ns.name()])));
        let pids = pids.concat();
        let pids = pids.split_whitespace().map(|pid| pid.parse().unwrap());
        pids.filter_map(|pid: u32| {
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
            Some((pid, line.replace('\0', " ")))
        })
        .collect()
    }
}

fn ip(args: &str) {
    output(Command::new("ip").args(args.split(' ')));
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn sleep_until(clock: Clock, at: u64) {
    thread::sleep(Duration::from_nanos(at.saturating_sub(clock.now())));
}

/// Waits until `what` holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// What `airtab-scenario` makes of the traces.
fn judged(wire: &Wire, apps: Vec<AppTrace>) -> Vec<Figures> {
    let scenario = &wire.house.file.scenario;
    let trace = Trace {
        measure_ns: scenario.measure_ns.clone(),
        apps,
        ap: airtab_sim::run(
            scenario,
            &airtab_core::Params::new(airtab_core::Discipline::named("fifo").unwrap()),
            1,
        )
        .ap,
        fingerprint: 0,
        exchanges: 0,
        nodes: Vec::new(),
    };
    measure(scenario, &trace).apps
}

#[test]
#[ignore = "needs root: network namespaces"]
fn udp_endpoints_deliver_and_are_judged() {
    let wire = Wire::new(
        6,
        "[[app]]\nname = \"game\"\nkind = \"game\"\nstop = \"5s\"\n\
         [[app]]\nname = \"call\"\nkind = \"voip\"\nstart = \"1s\"\nstop = \"5s\"\n\
         [[app]]\nname = \"film\"\nkind = \"video\"\nfec = \"small\"\nstop = \"5s\"\n\
         [[app]]\nname = \"udp\"\nkind = \"udp\"\nrate = \"6Mb/s\"\ngaps = \"exponential\"\nstop = \"5s\"\n\
         [[app]]\nname = \"host\"\nkind = \"ping\"\ninterval = \"50ms\"\nbytes = 60\nstop = \"5s\"\n",
    );
    let (traces, reports) = wire.run();
    // All of 5 s of 40 ms, 4 s of 20 ms, 5 s of 50 ms, less a phase.
    for (i, least, most) in [(0, 124, 125), (1, 199, 200), (4, 99, 100)] {
        for stream in [&traces[i].down, &traces[i].up] {
            assert!((least..=most).contains(&stream.sent), "{}: {}", traces[i].name, stream.sent);
            assert_eq!((stream.received, stream.deliveries.len() as u64), (stream.sent, stream.sent));
            for d in &stream.deliveries {
                let took = d.received_ns - d.sent_ns;
                assert!(took < S / 10, "{}: {took} ns", traces[i].name);
            }
        }
    }
    assert_eq!(traces[0].down.bytes, 100 * traces[0].down.sent, "whole IP packets");
    assert_eq!(traces[0].up.bytes, 72 * traces[0].up.sent);
    assert_eq!(
        (traces[4].down.bytes, traces[4].up.bytes),
        (60 * traces[4].down.sent, 60 * traces[4].up.sent)
    );
    // The same frames at the same phases as in the simulator.
    let fifo = airtab_core::Params::new(airtab_core::Discipline::named("fifo").unwrap());
    let simulated = airtab_sim::run(&wire.house.file.scenario, &fifo, 1);
    let frames = |apps: &[AppTrace]| apps[2].frames.iter().map(|f| (f.kind, f.needed)).collect::<Vec<_>>();
    assert_eq!(frames(&traces), frames(&simulated.apps));
    assert!(traces[2].frames.iter().all(|f| f.received >= f.needed), "nothing was lost");
    assert_eq!(
        (traces[2].down.sent, traces[2].down.received),
        (simulated.apps[2].down.sent, traces[2].down.sent)
    );
    assert_eq!(traces[3].down.sent, simulated.apps[3].down.sent, "the same gaps");
    assert_eq!(traces[3].down.received, traces[3].down.sent);
    for report in &reports {
        assert!(report.late.count > 0 && report.late.p50_s < 0.01, "{report:?}");
    }
    let figures = judged(&wire, traces);
    assert!(figures[0][&Metric::GameMos] > 4.0, "{:?}", figures[0]);
    assert!(figures[1][&Metric::VoipMos] > 4.3);
    assert!(figures[2][&Metric::FrameRate] > 29.0);
    assert!(figures[4][&Metric::Ping] < 0.01);
}

/// All of a capture's packets, three times, both ways: as many, as long and at the times as in the simulator.
#[test]
#[ignore = "needs root: network namespaces"]
fn a_capture_is_sent_as_in_the_simulator() {
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/../airtab-scenario/tests/fixtures/call.pcapng");
    let wire = Wire::new(
        5,
        &format!(
            "[[app]]\nname = \"call\"\nkind = \"trace\"\nfile = \"{capture}\"\nclient = \"192.168.1.5\"\n\
             repeat = 3\nstart = \"1s\"\n"
        ),
    );
    let (traces, reports) = wire.run();
    let fifo = airtab_core::Params::new(airtab_core::Discipline::named("fifo").unwrap());
    let simulated = airtab_sim::run(&wire.house.file.scenario, &fifo, 1);
    let ways = |trace: &AppTrace| [trace.down.clone(), trace.up.clone()];
    for (live, simulated, sent) in ways(&traces[0])
        .into_iter()
        .zip(ways(&simulated.apps[0]))
        .zip([156, 153])
        .map(|((a, b), n)| (a, b, n))
    {
        assert_eq!((live.sent, live.received, live.deliveries.len() as u64), (sent, sent, sent));
        assert_eq!((simulated.sent, simulated.received, simulated.bytes), (sent, sent, live.bytes));
        for (a, b) in live.deliveries.iter().zip(&simulated.deliveries) {
            let late = a.sent_ns.checked_sub(b.sent_ns).expect("never early");
            assert!(late < S / 5, "{} ms late", late / 1_000_000);
        }
    }
    assert!(reports[0].late.count > 0 && reports[0].late.p50_s < 0.01, "{:?}", reports[0]);
    let figures = judged(&wire, traces).remove(0);
    assert_eq!((figures[&Metric::Loss], figures[&Metric::UplinkLoss]), (0.0, 0.0));
    assert!(figures[&Metric::Delay] < 0.05 && figures[&Metric::UplinkDelay] < 0.05, "{figures:?}");
    assert_eq!(figures[&Metric::ReplayedTcp], 3.0 / 103.0);
}

#[test]
#[ignore = "needs root: network namespaces"]
fn views_tell_what_users_feel() {
    let wire = Wire::new(
        60,
        "[[app]]\nname = \"game\"\nkind = \"game\"\n[[app]]\nname = \"call\"\nkind = \"voip\"\n\
         [[app]]\nname = \"film\"\nkind = \"video\"\n[[app]]\nname = \"host\"\nkind = \"ping\"\ninterval = \"100ms\"\n\
         [[app]]\nname = \"later\"\nkind = \"game\"\nstart = \"50s\"\n",
    );
    let apps = wire.start().unwrap();
    assert!(apps.views().iter().all(|view| view.score.is_none()), "nothing to say yet");
    thread::sleep(Duration::from_secs(4));
    let views = apps.views();
    println!("{views:?}");
    let score = |i: usize| views[i].score.clone().unwrap();
    assert_eq!((score(0).metric.as_str(), views[0].station.as_str()), ("game_mos", "s"));
    assert!(score(0).value > 4.0 && score(1).value > 4.3 && score(2).value > 25.0);
    assert!((1e-6..0.05).contains(&score(3).value));
    assert_eq!(views[4].score, None);
    apps.check().unwrap();
    // A wire that is cut: scores fall, and who cannot send says so.
    ip(&format!("-n {} link set w0 down", wire.station.name()));
    thread::sleep(Duration::from_secs(13));
    let views = apps.views();
    println!("{views:?}");
    assert!(views[1].score.as_ref().unwrap().value < 1.1);
    assert!(views[0].score.as_ref().unwrap().value < 1.1);
    let said = apps.check().unwrap_err().to_string();
    assert!(said.contains("sending to 198.18.0.") && said.contains("unreachable"), "{said}");
    let began = Instant::now();
    drop(apps);
    assert!(began.elapsed() < Duration::from_secs(2), "it ends soon");
}

#[test]
#[ignore = "needs root: network namespaces"]
fn iperf3_transfers_with_its_congestion_control_pinned() {
    let wire = Wire::new(
        4,
        "[[app]]\nname = \"down\"\nkind = \"download\"\nstop = \"3500ms\"\n\
         [[app]]\nname = \"up\"\nkind = \"upload\"\ncongestion = \"newreno\"\nstop = \"3500ms\"\n\
         [[app]]\nname = \"peers\"\nkind = \"p2p\"\nflows = 3\nupload = true\nstop = \"3500ms\"\n",
    );
    for ns in [&wire.internet, &wire.station] {
        ip(&format!(
            "netns exec {} tc qdisc add dev w0 root tbf rate 50mbit burst 20kb latency 50ms",
            ns.name()
        ));
    }
    let clock = Clock::start();
    let apps = Apps::start(&wire.house, clock, 1, &temp_dir()).unwrap();
    sleep_until(clock, 2_700_000_000);
    // What each sender really uses, as its kernel says.
    let sockets = |ns: &Netns, filter: &str| {
        let args = ["netns", "exec", ns.name(), "ss", "-Htin", "state", "established"];
        output(Command::new("ip").args(args).args(filter.split(' ')))
    };
    let servers = sockets(&wire.internet, &format!("src {}", house::server(0)));
    assert!(servers.contains(" cubic ") && !servers.contains(" reno "), "{servers}");
    let clients = sockets(&wire.station, &format!("dst {}", house::server(1)));
    assert!(clients.contains(" reno ") && clients.contains(" bytes_acked:"), "{clients}");
    let peers = sockets(&wire.internet, &format!("src {}", house::server(2)));
    assert!(peers.matches(" cubic ").count() >= 6, "three each way: {peers}");
    let views = apps.views();
    println!("{views:?}");
    let shown = |i: usize| views[i].score.clone().unwrap();
    assert_eq!(shown(0).metric, "goodput_bits_per_second");
    assert_eq!(shown(1).metric, "uplink_goodput_bits_per_second");
    assert!(shown(0).value > 1e5 && shown(1).value > 1e5 && shown(2).value > 1e5);
    sleep_until(clock, 4 * S);
    let (_, reports) = wire.finish(apps);
    let [down, up, peers] = [0, 1, 2].map(|i: usize| reports[i].bulk.clone().unwrap());
    assert_eq!(
        (down.congestion.as_str(), up.congestion.as_str(), peers.congestion.as_str()),
        ("cubic", "reno", "cubic")
    );
    assert_eq!((down.flows, up.flows, peers.flows), (1, 1, 3));
    // 50 Mb/s each way; the upload counts what is still in its buffer, too.
    let down_bps = down.down_bps + peers.down_bps;
    assert!((35e6..50e6).contains(&down_bps), "{down_bps}");
    let up_bps = up.up_bps + peers.up_bps;
    assert!((35e6..65e6).contains(&up_bps), "{up_bps}");
    assert_eq!((down.up_bps, up.down_bps), (0.0, 0.0));
}

#[test]
#[ignore = "needs root: network namespaces"]
fn pages_are_loaded_whole_over_six_connections() {
    let site = "[[app]]\nname = \"cnn\"\nkind = \"web\"\nsite = \"cnn\"\nreading = \"100s\"\n";
    let wire = Wire::new(4, &format!("{site}[[app]]\nname = \"drawn\"\nkind = \"web\"\nstart = \"2s\"\n"));
    // 20 Mb/s to the station.
    let shaped = "tc qdisc add dev w0 root tbf rate 20mbit burst 10kb latency 200ms";
    ip(&format!("netns exec {} {shaped}", wire.internet.name()));
    let clock = Clock::start();
    let apps = Apps::start(&wire.house, clock, 1, &temp_dir()).unwrap();
    let before = 1; // of Apps::start, whether it listens
    sleep_until(clock, 2 * S - S / 10);
    assert_eq!(wire.accepted() - before, 6, "136 objects over six connections");
    sleep_until(clock, 4 * S);
    let (traces, reports) = wire.finish(apps);
    let [page] = traces[0].pages[..] else { panic!("{:?}", traces[0].pages) };
    assert_eq!((page.number, page.bytes), (0, 1_142_000));
    assert!(page.opened_ns < page.requested_ns && page.requested_ns < page.opened_ns + S / 20);
    // 1.142 MB take 0.457 s, their headers some 5 % more.
    let took = (page.done_ns - page.requested_ns) as f64 * 1e-9;
    println!("{took} s");
    assert!((0.457..0.7).contains(&took), "{took} s");
    assert_eq!(reports[0].first_byte.count, 136, "{reports:?}");
    // The same pages as in the simulator.
    let fifo = airtab_core::Params::new(airtab_core::Discipline::named("fifo").unwrap());
    let simulated = airtab_sim::run(&wire.house.file.scenario, &fifo, 1);
    let sizes = |apps: &[AppTrace]| apps[1].pages.iter().map(|p| (p.number, p.bytes)).collect::<Vec<_>>();
    let (ours, theirs) = (sizes(&traces), sizes(&simulated.apps));
    let n = ours.len().min(theirs.len());
    assert!(n > 0, "{ours:?} {theirs:?}");
    assert_eq!(ours[..n], theirs[..n]);
    assert!((reports[0].failed, reports[1].failed) == (0, 0));
    let figures = judged(&wire, traces);
    assert_eq!(figures[0][&Metric::Pages], 1.0);
}

#[test]
#[ignore = "needs root: network namespaces"]
fn a_film_plays_at_the_highest_rate_that_fits() {
    let film = "[[app]]\nname = \"film\"\nkind = \"streaming\"\ncongestion = \"newreno\"\n\
                ladder = [\"500kb/s\", \"2Mb/s\"]\nsegment = \"500ms\"\nbuffer = \"6s\"\n";
    let wire = Wire::new(6, film);
    let (traces, reports) = wire.run();
    let segments = &traces[0].segments;
    // Twelve fill the buffer, then one each half second.
    assert!((22..=25).contains(&segments.len()), "{}", segments.len());
    assert_eq!((segments[0].rate_bps, segments.last().unwrap().rate_bps), (500_000, 2_000_000));
    assert_eq!((reports[0].failed, reports[0].first_byte.count), (0, segments.len() as u64));
    assert_eq!(judged(&wire, traces)[0][&Metric::Stalls], 0.0);
}

/// One server serves both, and each of its connections uses what its application
/// wants, whatever the machine's default is.
#[test]
#[ignore = "needs root: network namespaces"]
fn pages_and_films_have_each_their_own_congestion_control() {
    let wire = Wire::new(
        20,
        "[[app]]\nname = \"web\"\nkind = \"web\"\nsite = \"cnn\"\nreading = \"10ms\"\n\
         [[app]]\nname = \"film\"\nkind = \"streaming\"\nladder = [\"2Mb/s\"]\nsegment = \"2s\"\n",
    );
    let apps = wire.start().unwrap();
    let senders = |i: u16| {
        let ss = ["netns", "exec", wire.internet.name(), "ss", "-Htin", "state", "established"];
        output(Command::new("ip").args(ss).args(["src".to_string(), house::server(i).to_string()]))
    };
    for (i, own, other) in [(0, " reno ", " cubic "), (1, " cubic ", " reno ")] {
        let mut seen = String::new();
        until("a connection is open", || {
            apps.check().unwrap();
            seen = senders(i);
            seen.contains(own) || seen.contains(other)
        });
        assert!(seen.contains(own) && !seen.contains(other) && !seen.contains(" bbr "), "{i}: {seen}");
    }
}

#[test]
#[ignore = "needs root: network namespaces"]
fn a_browser_loads_a_page() {
    let site = "[[app]]\nname = \"news\"\nkind = \"web\"\nsite = \"google-news\"\nreading = \"100s\"\nclient = \"chromium\"\n";
    let wire = Wire::new(40, site);
    let apps = match wire.start() {
        Err(LiveError::Missing { program, .. }) if program == "chromium" => {
            assert!(std::env::var_os("AIRTAB_CHROMIUM").is_none(), "chromium is not installed");
            println!("no chromium: nothing tested; tools/require chromium");
            return;
        }
        other => other.unwrap(),
    };
    let began = Instant::now();
    while apps.views()[0].score.is_none() && began.elapsed() < Duration::from_secs(38) {
        apps.check().unwrap();
        thread::sleep(Duration::from_millis(100));
    }
    let now = began.elapsed().as_nanos() as u64;
    let (traces, reports) = wire.finish(apps);
    let [page] = traces[0].pages[..] else { panic!("{:?} {reports:?}", traces[0].pages) };
    assert_eq!((page.bytes, reports[0].failed, reports[0].first_byte.count), (155_000, 0, 6));
    assert!(page.opened_ns <= page.requested_ns && page.requested_ns < page.done_ns && page.done_ns < now);
    until("the browser is gone", || wire.processes().is_empty());
}

#[test]
#[ignore = "needs root: network namespaces"]
fn a_web_server_that_dies_is_an_error() {
    let wire =
        Wire::new(60, "[[app]]\nname = \"web\"\nkind = \"web\"\nsite = \"yahoo\"\nreading = \"10ms\"\n");
    let apps = wire.start().unwrap();
    until("pages come", || apps.views()[0].score.is_some());
    apps.check().unwrap();
    let nginx = wire.processes().into_iter().find(|(_, line)| line.contains("nginx")).unwrap().0;
    kill(nginx);
    let mut said = String::new();
    until("it is noticed", || {
        said = apps.check().err().map(|e| e.to_string()).unwrap_or_default();
        !said.is_empty()
    });
    assert!(said.starts_with("application web server: nginx ended (killed by signal 9)"), "{said}");
}

#[test]
#[ignore = "needs root: network namespaces"]
fn a_transfer_that_dies_is_an_error_in_its_programs_words() {
    let wire = Wire::new(60, "[[app]]\nname = \"get\"\nkind = \"download\"\nstart = \"200ms\"\n");
    let apps = wire.start().unwrap();
    let is_server = |line: &str| line.contains("iperf3 -s");
    until("it runs", || wire.processes().iter().filter(|(_, line)| line.contains("iperf3 -c")).count() == 1);
    thread::sleep(Duration::from_millis(500));
    let server = wire.processes().into_iter().find(|(_, line)| is_server(line)).unwrap().0;
    kill(server);
    let mut said = String::new();
    until("it is noticed", || {
        said = apps.check().err().map(|e| e.to_string()).unwrap_or_default();
        !said.is_empty()
    });
    println!("{said}");
    assert!(said.starts_with("application get: iperf3 ended (exit code "), "{said}");
    assert!(said.contains("control socket has closed"), "{said}");
}

#[test]
#[ignore = "needs root: network namespaces"]
fn everything_ends_when_it_is_dropped_also_in_a_panic() {
    let wire = Wire::new(
        60,
        "[[app]]\nname = \"get\"\nkind = \"download\"\n[[app]]\nname = \"put\"\nkind = \"upload\"\nstart = \"50s\"\n\
         [[app]]\nname = \"web\"\nkind = \"web\"\n[[app]]\nname = \"game\"\nkind = \"game\"\n",
    );
    for panics in [false, true] {
        let apps = wire.start().unwrap();
        until("all run", || wire.processes().len() == 4); // nginx, two servers, a client
        let ended = thread::scope(|scope| {
            scope
                .spawn(move || {
                    let _apps = apps;
                    assert!(!panics, "on purpose");
                })
                .join()
        });
        assert_eq!(ended.is_err(), panics);
        assert_eq!(wire.processes(), [], "nothing is left at once");
    }
}

#[test]
#[ignore = "needs root: network namespaces"]
fn what_cannot_be_run_is_refused_with_a_reason() {
    for (app, said) in [
        (
            "kind = \"download\"\ncongestion = \"compound\"",
            "application a: congestion compound: this kernel has ",
        ),
        ("kind = \"download\"\nreconnect = \"1s\"", "application a: `reconnect` is the simulator's"),
        ("kind = \"upload\"\nvolume = \"1MB\"", "application a: `volume` is the simulator's"),
        ("kind = \"p2p\"\nflows = 200", "application a: 200 flows: iperf3 takes at most 128"),
        ("kind = \"http\"", "application a: no program loads this kind here; only the simulator has it"),
        (
            "kind = \"udp\"\nrate = \"1Mb/s\"\nbytes = 40",
            "application a: bytes = 40: its packets carry their time",
        ),
    ] {
        let wire = Wire::new(5, &format!("[[app]]\nname = \"a\"\n{app}\n"));
        let refused = wire.start().err().unwrap().to_string();
        assert!(refused.starts_with(said), "{refused}");
        assert_eq!(wire.processes(), []);
    }
}
