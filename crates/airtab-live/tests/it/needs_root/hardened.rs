// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a house leaves open to others: nothing in /run, no rights to its
//! programs; and what it survives. Needs root.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use airtab_live::{Apps, House, Port, Running, running, trial};
use airtab_scenario::ScenarioFile;
use common::{EMULATOR, house, queue, require_houses, run_in, up};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").mode() & 0o7777
}

fn place(house: &str) -> PathBuf {
    Path::new("/run/airtab").join(house)
}

/// A house of applications of that name; `apps` is TOML.
fn house_of(name: &str, seconds: u32, apps: &str) -> House {
    let text = format!(
        "name = \"{name}\"\nduration = \"{seconds}s\"\nmeasure = [\"1s\", \"{}s\"]\n\
         [[station]]\nname = \"console\"\n[[station]]\nname = \"laptop\"\n{apps}",
        seconds - 1
    );
    House::new(ScenarioFile::parse("house.toml", &text).expect("a good file")).expect("a good house")
}

/// Waits, and longer than any but a starved machine takes.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(55), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs root: network namespaces"]
fn nobody_else_can_enter_what_a_house_has_in_run() {
    require_houses();
    let name = "qa-modes";
    let running = up(house(name, EMULATOR, ""), "fifo");
    for (path, expected) in [
        (place(""), 0o700),
        (place(name), 0o700),
        (place(name).join("lock"), 0o600),
        (place(name).join("control"), 0o600),
    ] {
        assert_eq!(mode(&path), expected, "{}", path.display());
        assert_eq!(fs::symlink_metadata(&path).expect("it is there").uid(), 0);
    }
    drop(running);
    assert!(!place(name).exists());
}

/// Somebody put a link where a house's folder, or its lock, would be.
#[test]
#[ignore = "needs root: network namespaces"]
fn links_in_the_way_are_refused_and_left_alone() {
    require_houses();
    drop(up(house("qa-links", EMULATOR, ""), "fifo")); // makes /run/airtab
    let elsewhere = tempfile::tempdir().expect("a folder");
    let precious = elsewhere.path().join("precious");
    fs::write(&precious, "as it was").expect("a file");
    let before = (mode(elsewhere.path()), mode(&precious));
    let refused = |said: Vec<String>, path: &Path| {
        for said in said {
            assert!(said.starts_with(&path.display().to_string()), "{said}");
            assert!(said.contains("symbolic link") && said.contains("remove it"), "{said}");
        }
        assert_eq!(fs::read_to_string(&precious).expect("it is there"), "as it was");
        assert_eq!((mode(elsewhere.path()), mode(&precious)), before);
        assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 1);
    };
    let try_all = |name: &str| {
        let up = Running::up(house(name, EMULATOR, ""), &queue("fifo"), 1, &mut |_| ());
        vec![up.err().expect("refused").to_string(), running::down(name).unwrap_err().to_string()]
    };
    symlink(elsewhere.path(), place("qa-linked")).expect("a link");
    let said = try_all("qa-linked");
    fs::remove_file(place("qa-linked")).expect("it is still the link");
    refused(said, &place("qa-linked"));

    fs::create_dir(place("qa-linked-lock")).expect("a folder");
    symlink(&precious, place("qa-linked-lock").join("lock")).expect("a link");
    let said = try_all("qa-linked-lock");
    fs::remove_file(place("qa-linked-lock").join("lock")).expect("it is still the link");
    refused(said, &place("qa-linked-lock").join("lock"));

    // Cleaning up after a killed run takes links, not what they lead to.
    fs::write(place("qa-linked-lock").join("old"), "").expect("a file");
    symlink(elsewhere.path(), place("qa-linked-lock").join("out")).expect("a link");
    running::down("qa-linked-lock").expect("it goes");
    assert!(!place("qa-linked-lock").exists());
    refused(Vec::new(), elsewhere.path());
}

/// Of a running program: what `/proc/PID/status` says.
fn status(pid: &str) -> Option<BTreeMap<String, String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    Some(lines.map(|(key, value)| (key.to_string(), value.trim().to_string())).collect())
}

/// Pids and names of what runs in the namespaces of a house and is past its
/// beginnings (`ip`, `setpriv`, `sh`, `mount`).
fn programs(house: &House) -> Vec<(String, String)> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for port in house.ports() {
        let pids = Command::new("ip").args(["netns", "pids", &house.netns(port)]).output().expect("iproute2");
        for pid in String::from_utf8_lossy(&pids.stdout).split_whitespace().filter(|pid| **pid != own) {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            let name = name.trim().to_string();
            if !["", "ip", "setpriv", "sh", "mount"].contains(&name.as_str()) {
                found.push((pid.to_string(), name));
            }
        }
    }
    found
}

/// No capability, now or ever, nobody's user, no file but its own.
fn assert_confined(pid: &str, name: &str) -> Option<u32> {
    let status = status(pid)?;
    let of = |key: &str| status.get(key).map_or("", String::as_str);
    for key in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert_eq!(of(key).trim_start_matches('0'), "", "{name}: {key} {}", of(key));
    }
    assert_eq!((of("NoNewPrivs"), of("Groups")), ("1", ""), "{name}");
    let numbers: Vec<u32> = of("Uid").split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [real, effective, saved, files] = numbers[..] else { panic!("{name}: Uid {}", of("Uid")) };
    assert_eq!(of("Uid"), of("Gid"), "{name}");
    assert!(real == effective && real == saved && real == files, "{name}: Uid {}", of("Uid"));
    assert!((61_184..=65_519).contains(&real), "{name}: Uid {}", of("Uid"));
    for file in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
        let Ok(to) = fs::read_link(file.path()) else { continue };
        let to = to.display().to_string();
        assert!(!to.contains("/dev/net/tun") && !to.contains("/lock"), "{name} has {to}");
    }
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    let known = ["PATH", "HOME", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"];
    for (key, value) in std::env::vars().filter(|(key, _)| !known.contains(&key.as_str())) {
        let ours = format!("{key}={value}");
        assert!(!environment.split('\0').any(|line| line == ours), "{name} has our {ours}");
    }
    Some(real)
}

/// Every program of a house with every kind of application.
#[test]
#[ignore = "needs root: network namespaces"]
fn programs_have_no_rights_and_a_user_of_their_own() {
    require_houses();
    let house = house_of(
        "qa-rights",
        60,
        "[[app]]\nname = \"get\"\nkind = \"download\"\nstation = \"laptop\"\n\
         [[app]]\nname = \"put\"\nkind = \"upload\"\nstation = \"laptop\"\ncongestion = \"newreno\"\n\
         [[app]]\nname = \"web\"\nkind = \"web\"\nsite = \"google-news\"\nreading = \"100ms\"\nstation = \"console\"\n\
         [[app]]\nname = \"film\"\nkind = \"streaming\"\nstation = \"console\"\n",
    );
    let running = up(house.clone(), "chap");
    let apps = Apps::start(&house, running.clock(), 1, running.folder()).expect("they start");
    // A web server, two servers of transfers and their clients.
    let found = until("all programs run", || Some(programs(&house)).filter(|found| found.len() == 5));
    let users: Vec<u32> = found.iter().filter_map(|(pid, name)| assert_confined(pid, name)).collect();
    assert_eq!(users.len(), 5, "{found:?}");
    assert!(users.iter().all(|user| *user == users[0]), "one user for one house: {users:?}");
    // And so they work: port 80, congestion control, pages, films.
    until("pages and films come", || {
        apps.check().expect("nothing failed");
        let views = apps.views();
        [0, 1, 2, 3].iter().all(|i: &usize| views[*i].score.is_some()).then_some(())
    });
    let used = |port: Port, filter: &str| run_in(&house.netns(port), &format!("ss -Htin {filter}"));
    let senders = used(Port::Internet, "src 198.18.0.1");
    assert!(senders.contains(" cubic ") && !senders.contains(" reno "), "{senders}");
    let senders = used(Port::Station(1), "dst 198.18.0.2");
    assert!(senders.contains(" reno ") && !senders.contains(" cubic "), "{senders}");
    // What they may read and write of the house: the server's own folder, from inside it.
    for (path, why) in [(place("qa-rights"), "the house"), (place(""), "all houses")] {
        let user = users[0].to_string();
        let shown = Command::new("setpriv")
            .args(["--reuid", &user, "--regid", &user, "--clear-groups", "ls"])
            .arg(&path)
            .output()
            .expect("setpriv");
        assert!(!shown.status.success(), "the programs' user may list {why}");
    }
    drop(apps);
    assert_eq!(programs(&house), []);
}

/// Chromium, where there is one.
#[test]
#[ignore = "needs root: network namespaces"]
fn a_browser_has_no_rights_and_a_user_of_its_own() {
    require_houses();
    let house = house_of(
        "qa-browser",
        60,
        "[[app]]\nname = \"web\"\nkind = \"web\"\nsite = \"google-news\"\nreading = \"100ms\"\n\
         client = \"chromium\"\nstation = \"console\"\n",
    );
    let running = up(house.clone(), "chap");
    let apps = match Apps::start(&house, running.clock(), 1, running.folder()) {
        Err(airtab_live::LiveError::Missing { program, .. }) if program == "chromium" => {
            assert!(std::env::var_os("AIRTAB_CHROMIUM").is_none(), "chromium is not installed");
            println!("no chromium: nothing tested; tools/require chromium");
            return;
        }
        apps => apps.expect("they start"),
    };
    let mut confined = 0;
    until("a page is loaded", || {
        apps.check().expect("nothing failed");
        for (pid, name) in programs(&house).iter().filter(|(_, name)| name.starts_with("chrom")) {
            confined += u32::from(assert_confined(pid, name).is_some());
        }
        apps.views()[0].score.clone().filter(|score| !score.text.contains("failed"))
    });
    assert!(confined > 0, "the browser was seen");
    drop(apps);
    assert_eq!(programs(&house), []);
    assert!(!fs::read_dir("/tmp").expect("it is there").flatten().any(|e| e.file_name() == "profile"));
}

/// Somebody deletes the device of one station in the middle of a run.
#[test]
#[ignore = "needs root: network namespaces"]
fn a_device_that_is_deleted_ends_its_station_alone() {
    require_houses();
    let house = house_of(
        "qa-deleted",
        8,
        "[[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"console\"\n\
         [[app]]\nname = \"call\"\nkind = \"voip\"\nstation = \"laptop\"\n\
         [[app]]\nname = \"get\"\nkind = \"download\"\nstation = \"laptop\"\n\
         [[app]]\nname = \"web\"\nkind = \"web\"\nsite = \"google-news\"\nreading = \"100ms\"\nstation = \"laptop\"\n",
    );
    let laptop = house.netns(Port::Station(1));
    let mut last = Arc::default();
    let (mut notes, mut deleted, mut cpu) = (Vec::new(), false, Vec::new());
    let stop = AtomicBool::new(false);
    let ran = trial::run(
        house,
        &queue("chap"),
        1,
        &stop,
        &mut |snapshot| {
            if snapshot.now_s > 3.0 && !deleted {
                run_in(&laptop, "ip link del wlan0");
                deleted = true;
            }
            if snapshot.now_s > 5.5 {
                cpu.push(snapshot.pace.cpu_ratio);
            }
            last = snapshot.clone();
        },
        &mut |note| notes.push(note.to_string()),
    );
    let trial = ran.expect("it is no fault of the house").expect("it ran to its end");
    let why = "its device wlan0 is gone (";
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with(&format!("station laptop ended: {why}")), "{notes:?}");
    assert_eq!(last.stations[0].ended, None);
    assert!(last.stations[1].ended.as_ref().is_some_and(|said| said.starts_with(why)), "{:?}", last.stations);
    assert!(
        trial.changes[0].what.starts_with(&format!("station laptop ended: {why}")),
        "{:?}",
        trial.changes
    );
    assert!((3_000_000_000..4_500_000_000).contains(&trial.changes[0].at_ns), "{:?}", trial.changes);
    assert_eq!(trial.changes.len(), 1);
    let ended: Vec<bool> = trial
        .reports
        .iter()
        .map(|r| r.ended.as_ref().is_some_and(|said| said.starts_with("station laptop ended: its device")))
        .collect();
    assert_eq!(ended, [false, true, true, true]);
    assert!(trial.books.balanced(), "{:?}", trial.books);
    // The console's game went on: 25 packets in the last second that is measured.
    let game = &trial.trace.apps[0];
    let late = game.up.deliveries.iter().filter(|d| d.sent_ns > 6_000_000_000).count();
    assert!(late >= 20, "{late} packets");
    // And nobody asks the deleted device again and again.
    assert!(!cpu.is_empty() && cpu.iter().all(|ratio| *ratio < 0.3), "{cpu:?}");
    assert!(!place("qa-deleted").exists());
    let left = run_in_host("ip netns list");
    assert!(!left.contains("airtab-qa-deleted-"), "{left}");
}

fn run_in_host(line: &str) -> String {
    let mut words = line.split_whitespace();
    let output = Command::new(words.next().expect("a program")).args(words).output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Without the servers' device, or the access point's own, there is no house: it
/// ends, and says which one it was.
#[test]
#[ignore = "needs root: network namespaces"]
fn a_house_whose_own_device_is_deleted_ends_by_name() {
    require_houses();
    for (port, device) in [(Port::Internet, "eth0"), (Port::AccessPoint, "br0")] {
        let mut running = up(house("qa-gone", EMULATOR, ""), "fifo");
        let netns = running.house().netns(port);
        run_in(&netns, &format!("ip link del {device}"));
        until("it ends", || (!running.is_up()).then_some(()));
        let said = running.stop().err().expect("an error").to_string();
        assert!(said.contains(&format!("{netns}: its device {device} is gone")), "{said}");
        drop(running);
        assert!(!place("qa-gone").exists());
    }
}
