// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab drain` as a user without a radio has it: one sentence, and exit code 2. On a radio it is shown in the kernel
//! guest (`kernel/test/tests/drain.sh`).

use std::process::{Command, Output, Stdio};

fn airtab(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.args(args).stdin(Stdio::null());
    command.output().expect("airtab starts")
}

/// It fails, with one sentence about what was named that holds one of these words.
fn refused(args: &[&str], words: &[&str]) {
    let output = airtab(args);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(output.stdout.is_empty());
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("error: ") && words.iter().any(|word| said.contains(word)), "{args:?}: {said}");
}

#[test]
fn without_a_radio() {
    // A machine with a Wi-Fi driver knows that this is none; another one has no nl80211.
    let no_radio = ["lo is no Wi-Fi interface", "lo: this kernel has no nl80211"];
    for args in
        [&["drain", "lo"][..], &["drain", "lo", "--apply"], &["drain", "lo", "--json", "--count", "1"]]
    {
        refused(args, &no_radio);
    }
    refused(&["drain", "no-such"], &["no-such: no such network device"]);
    refused(&["drain", "a name too long for a device"], &["a name too long for a device: "]);
}

#[test]
fn usage() {
    for (interval, word) in [("1ms", "10ms to 60s"), ("2min", "10ms to 60s"), ("fast", "fast")] {
        let output = airtab(&["drain", "lo", "--interval", interval]);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2));
        assert!(said.contains(word), "{said}");
    }
    let help = airtab(&["drain", "--help"]).stdout;
    let help = String::from_utf8(help).expect("UTF-8");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["T = (BL / R) / F", "tc qdisc replace dev wlan0 root wqm", "--apply", "needs root"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
