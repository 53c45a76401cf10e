// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Numbers as people read them: a few digits, a unit. Shared by the terminal
//! view, the plain lines and the sentences.
//!
//! What it does not do: nothing here is read back; for programs there are JSON
//! and metrics.

use crate::snapshot::ClassView;

/// A time, s, as `310 ms`, `6.2 ms`, `0.31 ms` or `1.4 s`.
pub fn seconds(s: f64) -> String {
    match s * 1e3 {
        x if x.abs() >= 999.5 => format!("{:.1} s", x / 1e3),
        x if x.abs() >= 9.95 => format!("{x:.0} ms"),
        x if x.abs() >= 0.995 => format!("{x:.1} ms"),
        x if x.abs() >= 0.005 => format!("{x:.2} ms"),
        _ => "0 ms".into(),
    }
}

/// A time, s, in ms without its unit, for columns that name it.
pub fn millis(s: f64) -> String {
    match s * 1e3 {
        x if x.abs() >= 99.95 => format!("{x:.0}"),
        x if x.abs() >= 9.995 => format!("{x:.1}"),
        x => format!("{x:.2}"),
    }
}

/// A share as `71 %`, `6.2 %` or `0 %`.
pub fn percent(ratio: f64) -> String {
    match ratio * 1e2 {
        x if !(0.05..9.95).contains(&x) => format!("{x:.0} %"),
        x => format!("{x:.1} %"),
    }
}

/// A rate, bit/s, in Mb/s without its unit.
pub fn megabits(bps: f64) -> String {
    match bps / 1e6 {
        x if x >= 9.95 => format!("{x:.1}"),
        x if x >= 0.0005 || x == 0.0 => format!("{x:.2}"),
        x => format!("{x:.4}"),
    }
}

/// A time of the day since the start, s, as `1:02:03`.
pub fn clock(s: f64) -> String {
    let s = s.max(0.0) as u64;
    format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}

/// `a`, `a and b`, `a, b and c`; of more than three the first three and how
/// many more there are.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [a, b, c, more @ ..] if !more.is_empty() => format!("{a}, {b}, {c} and {} more", more.len()),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A class of the discipline in a line: what it sent, what waits, how long it waited, what was dropped, and its average.
pub fn class(class: &ClassView) -> String {
    let ClassView { category, backlog_packets, .. } = class;
    let mut text = match category.is_empty() {
        true => format!("class {:<6}", class.class),
        false => format!("class {:<6} {category}", class.class),
    };
    if let Some(bps) = class.sent_bps {
        text += &format!("  {:>6} Mb/s", megabits(bps));
    }
    text += &format!("  queue {backlog_packets:>4}");
    if class.drops_per_s.is_some() {
        let wait = class.wait_mean_s.map_or("-".into(), millis);
        text += &format!("  wait {wait:>5} ms");
    }
    if let Some(drops) = class.drops_per_s {
        text += &format!("  {drops:>5.0} drops/s");
    }
    if let Some(ratio) = class.threshold_ratio {
        text += &format!("  average {:>5} of its threshold", percent(ratio));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_tells_what_its_table_does() {
        let bare = ClassView { class: "2".into(), backlog_packets: 3.0, ..ClassView::default() };
        assert_eq!(class(&bare), "class 2       queue    3");
        let full = ClassView {
            category: "vi".into(),
            sent_bps: Some(2.5e6),
            drops_per_s: Some(41.4),
            wait_mean_s: Some(0.0283),
            threshold_ratio: Some(0.96),
            ..bare.clone()
        };
        let told = "class 2      vi    2.50 Mb/s  queue    3  wait  28.3 ms     41 drops/s  average  96 % of its threshold";
        assert_eq!(class(&full), told);
        let uncounted = ClassView { drops_per_s: None, ..full.clone() };
        let told = "class 2      vi    2.50 Mb/s  queue    3  average  96 % of its threshold";
        assert_eq!(class(&uncounted), told, "a wait of packets that the table does not count is none");
        let idle = ClassView { wait_mean_s: None, ..full };
        assert!(class(&idle).contains("wait     - ms"), "{}", class(&idle));
    }

    #[test]
    fn three_digits_say_enough() {
        let times: Vec<String> =
            [0.0, 4e-6, 3.1e-4, 0.0062, 0.00996, 0.31, 0.9996, 62.0].into_iter().map(seconds).collect();
        assert_eq!(times, ["0 ms", "0 ms", "0.31 ms", "6.2 ms", "10 ms", "310 ms", "1.0 s", "62.0 s"]);
        assert_eq!(seconds(-0.025), "-25 ms");
        // On both sides of each change of unit or digits.
        for (ms, text) in [
            (0.0049, "0 ms"),
            (0.0051, "0.01 ms"),
            (0.9949, "0.99 ms"),
            (0.996, "1.0 ms"),
            (9.949, "9.9 ms"),
            (9.951, "10 ms"),
            (999.4, "999 ms"),
            (999.6, "1.0 s"),
        ] {
            assert_eq!(seconds(ms * 1e-3), text, "{ms} ms");
        }
        for (ms, text) in [(9.994, "9.99"), (9.996, "10.0"), (99.94, "99.9"), (99.96, "100")] {
            assert_eq!(millis(ms * 1e-3), text, "{ms} ms");
        }
        for (ratio, text) in [(0.00049, "0 %"), (0.00051, "0.1 %"), (0.0994, "9.9 %"), (0.0996, "10 %")] {
            assert_eq!(percent(ratio), text);
        }
        for (mbps, text) in [(9.94, "9.94"), (9.96, "10.0"), (0.0004, "0.0004"), (0.0006, "0.00")] {
            assert_eq!(megabits(mbps * 1e6), text);
        }
        assert_eq!([-1.0, 59.99, 60.0, 36_000.0].map(clock), ["0:00:00", "0:00:59", "0:01:00", "10:00:00"]);
        let columns: Vec<String> = [0.0, 3.14e-3, 0.0314, 1.314].into_iter().map(millis).collect();
        assert_eq!(columns, ["0.00", "3.14", "31.4", "1314"]);
        let shares: Vec<String> = [0.0, 0.0004, 0.062, 0.712, 1.0].into_iter().map(percent).collect();
        assert_eq!(shares, ["0 %", "0 %", "6.2 %", "71 %", "100 %"]);
        let rates: Vec<String> = [0.0, 120.0, 64e3, 2.5e6, 25.4e6].into_iter().map(megabits).collect();
        assert_eq!(rates, ["0.00", "0.0001", "0.06", "2.50", "25.4"]);
        assert_eq!(clock(3723.9), "1:02:03");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).into();
        let lists: Vec<String> = (0..=5).map(|n| list(&names[..n])).collect();
        assert_eq!(lists, ["", "a", "a and b", "a, b and c", "a, b, c and 1 more", "a, b, c and 2 more"]);
    }
}
