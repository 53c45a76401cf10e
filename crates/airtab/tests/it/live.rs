// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab live` as processes: signals, kills at any moment, leftovers, errors.
//! Tests named `needs_root_` run as root alone.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::interrupt_signal;

const BINARY: &str = env!("CARGO_BIN_EXE_airtab");

fn airtab(args: &[&str]) -> Output {
    Command::new(BINARY)
        .args(args)
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .output()
        .expect("airtab starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs iproute2 and gives what it printed; None if it failed.
fn ip(args: &[&str]) -> Option<String> {
    let output = Command::new("ip").args(args).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0)
}

/// Makes sure that network namespaces can be made.
fn require_houses(test: &str) {
    assert!(is_root(), "this test makes network namespaces, which needs root: run it with sudo");
    let name = format!("qa-probe-{test}-{}", std::process::id());
    for what in ["add", "del"] {
        ip(&["netns", what, &name]).unwrap_or_else(|| panic!("`ip netns {what}` fails: tools/require live"));
    }
}

/// A house file of that name, in a folder that anybody may read.
fn house(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "name = \"{name}\"\nduration = \"60s\"\n[wifi]\nmedium = \"emulator\"\n\
         [[station]]\nname = \"laptop\"\nfer = 0\n\
         [[app]]\nname = \"download\"\nkind = \"download\"\nstation = \"laptop\"\n"
    );
    let path = folder.path().join("house.toml");
    fs::write(&path, text).expect("a file");
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), everybody).expect("our own");
    (folder, path)
}

/// A running `airtab live`.
struct Live {
    child: Child,
    said: Receiver<String>,
}

impl Live {
    fn start(verb: &str, house: &Path) -> Live {
        Live::spawn(Command::new(BINARY).args(["live", verb]).arg(house))
    }

    fn spawn(command: &mut Command) -> Live {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("airtab starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let (sender, said) = channel();
        thread::spawn(move || lines.map_while(Result::ok).all(|line| sender.send(line).is_ok()));
        Live { child, said }
    }

    /// Waits until it says something.
    fn until(&self, what: &str) -> String {
        loop {
            let line =
                self.said.recv_timeout(Duration::from_secs(30)).unwrap_or_else(|e| panic!("{what}: {e}"));
            if line.contains(what) {
                return line;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    fn end(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

fn namespaces(house: &str) -> Vec<String> {
    let listed = ip(&["netns", "list"]).expect("iproute2");
    let names = listed.lines().filter_map(|l| l.split(' ').next());
    names.filter(|n| n.starts_with(&format!("airtab-{house}-"))).map(Into::into).collect()
}

/// Processes in the namespaces of a house.
fn processes(house: &str) -> Vec<String> {
    let pids = namespaces(house).into_iter().filter_map(|ns| ip(&["netns", "pids", &ns]));
    pids.flat_map(|text| text.split_whitespace().map(Into::into).collect::<Vec<String>>()).collect()
}

fn assert_gone(house: &str) {
    assert_eq!(namespaces(house), Vec::<String>::new());
    assert!(!Path::new("/run/airtab").join(house).exists());
}

/// What the host has of its own: links, namespaces, settings of the network.
fn host() -> [String; 3] {
    let own = |line: &&str| !line.starts_with("airtab-") && !line.starts_with("qa-probe");
    let namespaces = ip(&["netns", "list"]).expect("iproute2");
    let mut namespaces: Vec<&str> =
        namespaces.lines().filter_map(|l| l.split(' ').next()).filter(own).collect();
    namespaces.sort_unstable();
    let settings = Command::new("sh")
        .args([
            "-c",
            "grep -r . /proc/sys/net/ipv4/conf /proc/sys/net/ipv6/conf /proc/sys/net/ipv4/ping_group_range \
            /proc/sys/net/ipv4/tcp_no_metrics_save /proc/sys/net/ipv4/tcp_congestion_control 2>/dev/null | \
            grep -v stable_secret | sort",
        ])
        .output()
        .expect("a shell");
    [
        ip(&["-o", "link"]).expect("iproute2"),
        namespaces.join("\n"),
        String::from_utf8_lossy(&settings.stdout).into_owned(),
    ]
}

#[test]
#[ignore = "needs root: network namespaces"]
fn needs_root_a_house_comes_and_goes_and_touches_nothing_else() {
    require_houses("touch");
    let (_folder, path) = house("qa-touch");
    let other = format!("qa-other-{}", std::process::id());
    ip(&["netns", "add", &other]).expect("a namespace");
    let mut sleeper = Command::new("ip").args(["netns", "exec", &other, "sleep", "600"]).spawn().expect("ip");
    let before = host();
    assert!(before[1].contains(&other));
    for signal in [interrupt_signal(), Signal::TERM] {
        let up = Live::start("up", &path);
        up.until("qa-touch is up");
        assert_eq!(namespaces("qa-touch").len(), 3);
        assert_eq!(host(), before, "while it is up");
        up.signal(signal);
        up.until("qa-touch is down");
        assert_eq!(up.end(), Some(0), "{signal:?}");
        assert_gone("qa-touch");
    }
    // Taken down from elsewhere, and quickly.
    let up = Live::start("up", &path);
    up.until("qa-touch is up");
    let start = Instant::now();
    let down = airtab(&["live", "down", "qa-touch"]);
    assert!(down.status.success(), "{}", stderr(&down));
    assert!(stderr(&down).contains(&format!("process {}", up.child.id())), "{}", stderr(&down));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(up.end(), Some(0));
    assert_gone("qa-touch");
    assert_eq!(host(), before, "afterwards");
    assert!(sleeper.try_wait().expect("ours").is_none(), "others' processes live");
    let _ = (sleeper.kill(), sleeper.wait());
    ip(&["netns", "del", &other]).expect("it is still there");
}

#[test]
#[ignore = "needs root: network namespaces"]
fn needs_root_one_name_is_up_once_and_survives_a_pause() {
    require_houses("once");
    let (_folder, path) = house("qa-once");
    let up = Live::start("up", &path);
    up.until("qa-once is up");
    let again = airtab(&["live", "up", path.to_str().expect("UTF-8")]);
    assert_eq!(again.status.code(), Some(1));
    let said = stderr(&again);
    assert!(said.contains("qa-once is up already"), "{said}");
    assert!(said.contains(&format!("process {}", up.child.id())), "{said}");
    assert!(said.contains("airtab live down qa-once"), "{said}");
    // Longer than any patience of its own.
    up.signal(Signal::STOP);
    thread::sleep(Duration::from_secs(4));
    up.signal(Signal::CONT);
    thread::sleep(Duration::from_millis(500));
    let set = airtab(&["live", "set", "laptop", "fer", "0.5", "--house", "qa-once"]);
    assert!(set.status.success(), "it is still up: {}", stderr(&set));
    up.signal(Signal::TERM);
    assert_eq!(up.end(), Some(0));
    assert_gone("qa-once");
}

/// Killed at many moments of its way up, and while applications run.
#[test]
#[ignore = "needs root: network namespaces"]
fn needs_root_nothing_of_a_killed_house_stays() {
    require_houses("kill");
    let (_folder, path) = house("qa-kill");
    for after_ms in [0, 5, 10, 20, 40, 80, 120, 200, 300, 500] {
        let up = Live::start("up", &path);
        thread::sleep(Duration::from_millis(after_ms));
        up.signal(Signal::KILL);
        assert_eq!(up.end(), None, "killed");
        let down = airtab(&["live", "down", "qa-kill"]);
        assert!(down.status.success(), "{after_ms} ms: {}", stderr(&down));
        assert_gone("qa-kill");
    }
    // The next start cleans up, too, and says so; with applications.
    let run = Live::start("run", &path);
    let start = Instant::now();
    while processes("qa-kill").len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(20), "no application starts");
        thread::sleep(Duration::from_millis(50));
    }
    let pids = processes("qa-kill");
    run.signal(Signal::KILL);
    assert_eq!(run.end(), None);
    let up = Live::start("up", &path);
    let line = up.until("removed what an earlier run left");
    assert!(line.contains("airtab-qa-kill-internet") && line.contains("airtab-qa-kill-sta-laptop"), "{line}");
    up.until("qa-kill is up");
    for pid in pids {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let alive = !state.is_empty() && !state.contains(") Z ");
        let inside = processes("qa-kill").contains(&pid);
        assert!(!alive || inside, "process {pid} of the killed run lives");
    }
    // A name without a namespace behind it, as after a kill in the middle of `ip netns add`.
    up.signal(Signal::KILL);
    assert_eq!(up.end(), None);
    fs::write("/run/netns/airtab-qa-kill-sta-half", "").expect("root");
    let down = airtab(&["live", "down", "qa-kill"]);
    assert!(down.status.success(), "{}", stderr(&down));
    assert!(stderr(&down).contains("sta-half"), "{}", stderr(&down));
    assert_gone("qa-kill");
    let down = airtab(&["live", "down", "qa-kill"]);
    assert!(stderr(&down).contains("nothing is left of it"), "{}", stderr(&down));
}

/// The `ip netns add` under way when a house is killed goes on, and may make its
/// name later than `down` or the next start looks for what is left.
#[test]
#[ignore = "needs root: network namespaces"]
fn needs_root_a_namespace_that_comes_after_the_kill_is_removed_too() {
    require_houses("late");
    let (folder, path) = house("qa-late");
    let begun = folder.path().join("begun");
    let slow = folder.path().join("ip");
    let paths = std::env::var("PATH").expect("there are programs");
    let script = format!(
        "#!/bin/sh\nPATH={paths}\nif [ \"$1 $2\" = \"netns add\" ]; then : >{}; sleep 0.5; fi\nexec ip \"$@\"\n",
        begun.display()
    );
    fs::write(&slow, script).expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&slow, executable).expect("our own");
    let killed_while_adding = || {
        let path_first = format!("{}:{paths}", folder.path().display());
        let up = Live::spawn(Command::new(BINARY).args(["live", "up"]).arg(&path).env("PATH", path_first));
        let start = Instant::now();
        while !begun.exists() {
            assert!(start.elapsed() < Duration::from_secs(20), "no namespace is made");
            thread::sleep(Duration::from_millis(5));
        }
        up.signal(Signal::KILL);
        assert_eq!(up.end(), None, "killed");
        assert_eq!(namespaces("qa-late"), Vec::<String>::new(), "not yet");
        fs::remove_file(&begun).expect("it is there");
    };
    killed_while_adding();
    let down = airtab(&["live", "down", "qa-late"]);
    assert!(down.status.success(), "{}", stderr(&down));
    assert_gone("qa-late");
    thread::sleep(Duration::from_secs(1));
    assert_gone("qa-late");
    killed_while_adding();
    let up = Live::start("up", &path);
    up.until("removed what an earlier run left: airtab-qa-late-internet");
    up.until("qa-late is up");
    up.signal(Signal::TERM);
    assert_eq!(up.end(), Some(0));
    assert_gone("qa-late");
}

/// One line, exit code 1 or 2, the value and the fix.
#[test]
fn errors_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.toml");
    let home = String::from_utf8(airtab(&["scenario", "show"]).stdout).expect("UTF-8");
    fs::write(&bad, home.replace("name = \"home\"", "name = \"-x\"")).expect("a file");
    let bad = bad.to_str().expect("UTF-8");
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&["live", "up", bad], 1, &["\"-x\"", "letters, digits"]),
        (&["live", "up", "/no/such.toml"], 1, &["/no/such.toml"]),
        (&["live", "up", bad, "--queue", "chop"], 2, &["chop", "chap"]),
        (&["live", "queue", "fifo:limit=0"], 2, &["limit", "1"]),
        (&["live", "down", "/etc"], 1, &["\"/etc\"", "letters, digits"]),
        (&["live", "down", ".."], 1, &["\"..\""]),
        (&["live", "down", ""], 1, &["\"\""]),
        (&["live", "set", "a", "fer", "0.1", "--house", "../x"], 1, &["\"../x\""]),
        (&["live", "watch", "--house", "qa-nobody"], 1, &["qa-nobody", "not up", "airtab live up"]),
        (&["live", "set", "a", "fer", "0.1", "--house", "qa-nobody"], 1, &["qa-nobody", "not up"]),
        (&["live", "queue", "chap", "--house", "qa-nobody"], 1, &["qa-nobody", "not up"]),
    ];
    for (args, code, words) in cases {
        let output = airtab(args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(*code), "{args:?}: {said}");
        assert!(words.iter().all(|w| said.contains(w)), "{args:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn without_root_it_says_so() {
    let (folder, path) = house("qa-user");
    let binary = folder.path().join("airtab");
    fs::copy(BINARY, &binary).expect("a copy that anybody may run");
    for args in [
        vec!["up", path.to_str().expect("UTF-8")],
        vec!["run", path.to_str().expect("UTF-8")],
        vec!["down", "qa-user"],
    ] {
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&binary);
                command
            }
            false => Command::new(&binary),
        };
        let output = command.arg("live").args(&args).output().expect("it starts");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("needs root: run it with sudo"), "{args:?}: {said}");
    }
}
