// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures as commands read them: by file, named pipe and standard input, and those that are not whole. Each is written
//! here byte by byte.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::common::text;

/// A program whose standard input has these bytes.
fn piped(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.args(args).current_dir(dir).env("COLUMNS", "100").env_remove("NO_COLOR");
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().expect("airtab starts");
    // It may end before it has read all.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A pcap file of a link type: microseconds and bytes of each frame.
fn pcap(link: u32, frames: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut file = words(&[0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 65535, link]);
    for (us, bytes) in frames {
        let length = bytes.len() as u32;
        file.extend(words(&[(us / 1_000_000) as u32, (us % 1_000_000) as u32, length, length]));
        file.extend(bytes);
    }
    file
}

/// A frame of Ethernet with bytes in front of an IPv4 packet of 40 bytes: TCP without data.
fn frame(head: &[u8]) -> Vec<u8> {
    let ip = [
        &[0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2][..],
        &[0; 12],
        &[0x50],
        &[0; 7],
    ];
    [&[2; 12], head, &ip.concat()].concat()
}

/// A hundred frames in 10 s, every other one in a PPPoE session; one behind MPLS labels.
fn line() -> Vec<(u64, Vec<u8>)> {
    let session = [0x88, 0x64, 0x11, 0, 0, 7, 0, 42, 0, 0x21];
    let head = |i: u64| if i.is_multiple_of(2) { &[8, 0][..] } else { &session[..] };
    let frames = (0..=100).map(|i| (i * 100_000, frame(head(i))));
    frames.chain([(10_000_000, frame(&[0x88, 0x47, 0, 1, 0x41, 64]))]).collect()
}

/// Beacons of a monitor, with a radio's time.
fn air() -> Vec<u8> {
    let beacon = |i: u64| {
        let mut bytes = vec![0, 0, 22, 0, 0x0f, 0, 0, 0];
        bytes.extend((1_000_000 + i * 102_400).to_le_bytes());
        bytes.extend([0x10, 2, 0x6c, 9, 0xa0, 0, 0x80, 0, 0, 0]);
        bytes.extend([&[0xff; 6][..], &[2; 12], &[0; 42]].concat());
        (i * 102_400, bytes)
    };
    pcap(127, &(1..20).map(beacon).collect::<Vec<_>>())
}

#[test]
fn a_pipe_says_what_its_file_says() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let times: String = (0..50).map(|i| format!("{}.5\n", 1_764_000_000 + i)).collect();
    let scenario = "name = \"mine\"\nduration = \"2s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"download\"\nstation = \"s\"\n";
    let plan =
        ["plan", "--link", "10Mb/s", "--latency", "30ms", "--class", "tcp=rest", "--class", "mm=1Mb/s"];
    let plan = [&["model", "cbt"][..], &plan, &["--class", "other=1Mb/s", "--from", "FILE"]].concat();
    for (args, content, name) in [
        (&["classes", "FILE"][..], pcap(1, &line()), "line.pcap"),
        (&["classes", "FILE", "--json"], pcap(1, &line()), "line.pcap"),
        (&plan, pcap(1, &line()), "line.pcap"),
        (&["fingerprint", "FILE"], air(), "air.pcap"),
        (&["fingerprint", "FILE"], times.into_bytes(), "times.txt"),
        (&["scenario", "check", "FILE"], scenario.into(), "mine.toml"),
    ] {
        std::fs::write(dir.path().join(name), &content).expect("written");
        let of = |file: &str, input: &[u8]| {
            let args: Vec<&str> = args.iter().map(|word| if *word == "FILE" { file } else { word }).collect();
            let output = piped(dir.path(), &args, input);
            let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
            (output.status.code(), said)
        };
        let (code, said) = of(name, &[]);
        assert!(!said.contains("cannot read"), "{args:?}: {said}");
        let by_pipe = said.replace(name, "standard input");
        assert_eq!(of("-", &content), (code, by_pipe), "{args:?}");
        if args[0] == "scenario" {
            assert_eq!(of("/dev/fd/0", &content), (code, said.replace(name, "standard input")), "{args:?}");
            continue;
        }
        let fifo = dir.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).expect("made");
        let writer = thread::spawn({
            let fifo = fifo.clone();
            move || std::fs::write(fifo, content)
        });
        assert_eq!(of("fifo", &[]), (code, said.replace(name, "fifo")), "{args:?}");
        writer.join().expect("it ends").expect("written");
        std::fs::remove_file(fifo).expect("removed");
    }
}

/// Runs airtab with the pipe of `<(COMMAND)` for each `FILE`; COMMAND prints `input`.
fn substituted(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    std::fs::write(dir.join("input"), input).expect("written");
    let words = args.iter().map(|word| if *word == "FILE" { "<(cat input)" } else { word });
    let script = format!("exec \"$AIRTAB\" {}", words.collect::<Vec<_>>().join(" "));
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).current_dir(dir).env("AIRTAB", env!("CARGO_BIN_EXE_airtab"));
    bash.env("COLUMNS", "100").stdin(Stdio::null()).output().expect("bash starts")
}

/// Commands that read a file take `-` for standard input and `<(COMMAND)`, and name that in errors.
#[test]
fn a_dash_is_standard_input_of_each_command() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    for args in [
        &["run", "FILE"][..],
        &["compare", "FILE"],
        &["scenario", "check", "FILE"],
        &["mesh", "show", "FILE"],
        &["sweep", "FILE"],
        &["experiment", "show", "FILE"],
        &["experiment", "run", "FILE"],
        #[cfg(has_live)]
        &["live", "run", "FILE"],
        #[cfg(has_live)]
        &["live", "up", "FILE"],
        &["htbench", "FILE"],
        &["htbench", "--convert", "FILE"],
        &["rpm", "localhost", "--ca", "FILE"],
        &["serve", "--replay", "FILE"],
        &["classes", "FILE"],
        &["fingerprint", "FILE"],
    ] {
        let dash: Vec<&str> = args.iter().map(|word| if *word == "FILE" { "-" } else { word }).collect();
        for (name, output) in [
            ("standard input", piped(dir.path(), &dash, b"nonsense = 1\n")),
            ("pipe 63", substituted(dir.path(), args, b"nonsense = 1\n")),
        ] {
            let said = text(&output.stderr);
            assert!(output.status.code() != Some(0) && said.contains(name), "{args:?}: {said}");
            let of_content = ["nonsense", "it has none (PEM", "no snapshot", "no pcap"];
            assert!(of_content.iter().any(|words| said.contains(words)), "{args:?}: {said}");
        }
    }
    for args in [&["classes", "-", "--before", "-"][..], &["scenario", "check", "-", "-"]] {
        let twice = piped(dir.path(), args, &pcap(1, &line()));
        let said = text(&twice.stderr);
        assert!(said.contains("standard input: it is read already: give - once"), "{args:?}: {said}");
    }
}

/// A scenario of a pipe names files of the current directory.
#[test]
fn files_of_a_piped_scenario_are_in_the_current_folder() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let frames: String = (0..90).map(|i| format!("{i} {} 3000\n", ["I", "P", "P"][i % 3])).collect();
    std::fs::write(dir.path().join("frames.txt"), frames).expect("written");
    let scenario = "name = \"mine\"\nduration = \"2s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \
                    \"video\"\nstation = \"s\"\ntrace = \"frames.txt\"\n";
    for output in [
        piped(dir.path(), &["scenario", "check", "-"], scenario.as_bytes()),
        substituted(dir.path(), &["scenario", "check", "FILE"], scenario.as_bytes()),
    ] {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

/// A capture that is not whole, or not decoded, has a warning and the figures of its other frames; compression is named.
#[test]
fn a_capture_that_is_not_whole_has_figures_and_one_warning() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let (frames, file) = (line(), pcap(1, &line()));
    // The last frame has 58 bytes behind a header of 16.
    let last = file.len() - 16 - 58;
    let mpls = "warning: standard input: 1 frame is not decoded (MPLS 1)\n";
    let zeros = [&file[..], &[0; 4096]].concat();
    for (input, warnings, at) in [
        (file.clone(), mpls.to_string(), json!(null)),
        (
            file[..file.len() - 1].to_vec(),
            format!(
                "warning: standard input: the capture is cut: a frame that begins at byte {last} is not whole; the result is \
                 of the 101 frames before\n"
            ),
            json!(last),
        ),
        (
            zeros,
            format!(
                "warning: standard input: the capture has zeros from byte {} to its end; the result is of the {} frames \
                 before\n{mpls}",
                file.len(),
                frames.len()
            ),
            json!(file.len()),
        ),
    ] {
        let asked = ["classes", "-", "--json", "--rules", "tcp=0", "--names", "tcp,rest"];
        let output = piped(dir.path(), &asked, &input);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), &*warnings));
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&found["classes"][0]["packets"], &found["whole_until_byte"]), (&json!(101), &at));
        let mpls = if at == json!(last) { json!({}) } else { json!({ "MPLS": 1 }) };
        assert_eq!(found["unread_frames"], mpls);
    }
    let air = air();
    let output = piped(dir.path(), &["fingerprint", "-"], &air[..air.len() - 3]);
    let said = text(&output.stderr);
    assert!(
        said.contains("the capture is cut: a frame that begins at byte") && said.lines().count() == 1,
        "{said}"
    );
    assert!(
        text(&output.stdout).contains("standard input: 18 frames, profile std-11b (a guess by its rates")
    );
    for command in ["classes", "fingerprint"] {
        let output = piped(dir.path(), &[command, "-"], &[0x1f, 0x8b, 8, 0, 0, 0]);
        let expected = "error: standard input: it is compressed with gzip: unpack it first, zcat IN > OUT, or pipe it, zcat \
                        IN | airtab COMMAND -\n";
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), expected));
    }
}
