// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The command line that repeats a comparison, for manifests and reports.
//!
//! What it does not do: nothing is run by it.

/// `airtab compare` with the options that decide on the figures. `queues`: labels; `seeds`: as `--seeds` has them.
pub fn compare_command(scenario: Option<&str>, queues: &[&str], seeds: &str, short: bool) -> String {
    let mut words = vec!["airtab".to_string(), "compare".into()];
    words.extend(scenario.map(quoted));
    words.extend(["--queues".into(), quoted(&queues.join(",")), "--seeds".into(), quoted(seeds)]);
    words.extend(short.then(|| "--short".into()));
    words.join(" ")
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_safe() {
        assert_eq!(
            [quoted("a/b.toml"), quoted("my home"), quoted("it's")],
            ["a/b.toml", "'my home'", "'it'\\''s'"]
        );
        assert_eq!(
            compare_command(Some("my home.toml"), &["fifo", "chap:limit=70"], "5", true),
            "airtab compare 'my home.toml' --queues fifo,chap:limit=70 --seeds 5 --short"
        );
        assert_eq!(compare_command(None, &["fifo"], "20", false), "airtab compare --queues fifo --seeds 20");
    }

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        for (word, expected) in [
            ("", "''"),
            ("a*", "'a*'"),
            ("$HOME", "'$HOME'"),
            ("a;b", "'a;b'"),
            ("~", "'~'"),
            ("hé", "'hé'"),
            ("a'b'c", "'a'\\''b'\\''c'"),
            ("50%,1-3:x=2+@/_.", "50%,1-3:x=2+@/_."),
        ] {
            assert_eq!(quoted(word), expected);
        }
        assert_eq!(
            compare_command(Some("s"), &["a b", "c"], "1 2", false),
            "airtab compare s --queues 'a b,c' --seeds '1 2'"
        );
    }
}
