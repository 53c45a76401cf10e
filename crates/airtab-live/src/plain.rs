// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A snapshot as plain text, for where there is no terminal: a line about the
//! air, a row for each station that sent or received and for each class, a line of
//! blame. No escape codes.
//!
//! What it does not do: flows; the JSON lines have them.

use std::fmt::Write;

use crate::blame::blame;
use crate::snapshot::{OutcomeView, Pace, Snapshot, StationView};
use crate::text::{class, clock, megabits, millis, percent, seconds};

/// Stations in a table; the others are counted.
const STATIONS: usize = 10;

/// A few lines of text, line break included.
pub fn text(s: &Snapshot) -> String {
    let air = &s.air;
    let mut out = format!(
        "{} {} {} on {}: air down {}, up {}, collisions {}, idle {}; {} packets queued\n",
        clock(s.now_s),
        s.house,
        s.queue,
        s.medium,
        percent(air.down_ratio),
        percent(air.up_ratio),
        percent(air.collision_ratio),
        percent(air.idle_ratio),
        s.qdisc.packets,
    );
    let mut stations: Vec<&StationView> = s.stations.iter().filter(|st| active(st)).collect();
    stations.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let more = stations.len().saturating_sub(STATIONS);
    // Writing to a String cannot fail.
    for st in stations.iter().take(STATIONS) {
        let r = &st.rates;
        let _ = writeln!(
            out,
            "  {:<16} down {:>6} up {:>6} Mb/s, air {:>5}, queue {:>4} packets, wait p50 {} p99 {} ms, {:.1} drops/s",
            st.name,
            megabits(r.down_bps),
            megabits(r.up_bps),
            percent(share(st)),
            st.backlog_packets,
            millis(r.sojourn_p50_s),
            millis(r.sojourn_p99_s),
            r.drops_per_s,
        );
    }
    if more > 0 {
        let _ = writeln!(out, "  and {more} more stations");
    }
    for own in s.qdisc.classes.classes.iter().filter(|class| class.is_active()) {
        let _ = writeln!(out, "  {}", class(own));
    }
    for st in &s.stations {
        if let Some(why) = &st.ended {
            let _ = writeln!(out, "  station {} has ended: {why}", st.name);
        }
    }
    let scores: Vec<String> =
        s.apps.iter().filter_map(|app| Some(format!("{} {}", app.name, app.score.as_ref()?.text))).collect();
    if !scores.is_empty() {
        let _ = writeln!(out, "  {}", scores.join(", "));
    }
    let outcomes: Vec<String> = s.outcomes.iter().filter_map(OutcomeView::text).collect();
    if !outcomes.is_empty() {
        let _ = writeln!(out, "  {}", outcomes.join("; "));
    }
    if s.pace.behind > 0 {
        let (late, limit) = (seconds(s.pace.late_max_s), seconds(Pace::BEHIND_S));
        let _ = writeln!(out, "  {} packets more than {limit} late so far, at most {late}", s.pace.behind);
    }
    if s.pace.overflowed > 0 {
        let lost = s.pace.overflowed;
        let _ = writeln!(
            out,
            "  {lost} packets lost before they were read: this machine is too slow for the load"
        );
    }
    let _ = writeln!(out, "  {}", blame(s).text);
    out
}

fn share(s: &StationView) -> f64 {
    s.rates.down_air_ratio + s.rates.up_air_ratio
}

fn active(s: &StationView) -> bool {
    share(s) > 0.0 || s.backlog_packets > 0 || s.rates.drops_per_s > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::evening;

    #[test]
    fn an_evening_in_plain_text() {
        let text = text(&evening()[0]);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_station_that_has_ended_is_named_with_its_reason() {
        let mut s = evening()[0].clone();
        s.stations[4].ended = Some("its device wlan0 is gone".into());
        assert!(text(&s).contains("\n  station tablet has ended: its device wlan0 is gone\n"));
    }

    /// Whoever sent, received, waits or lost packets has a row; most airtime, both ways, first.
    #[test]
    fn stations_that_did_anything_have_a_row() {
        let mut s = Snapshot::default();
        for name in ["idle", "sends", "receives", "waits", "drops"] {
            s.stations.push(StationView { name: name.into(), ..StationView::default() });
        }
        s.stations[1].rates.up_air_ratio = 0.2;
        s.stations[1].rates.up_bps = 2e6;
        s.stations[2].rates.down_air_ratio = 0.1;
        s.stations[2].rates.down_bps = 1e6;
        s.stations[3].backlog_packets = 3;
        s.stations[4].rates.drops_per_s = 4.0;
        let text = text(&s);
        let rows: Vec<&str> = text.lines().skip(1).take(4).map(str::trim).collect();
        let tail = "queue    0 packets, wait p50 0.00 p99 0.00 ms, 0.0 drops/s";
        assert_eq!(rows[0], format!("sends            down   0.00 up   2.00 Mb/s, air  20 %, {tail}"));
        assert_eq!(rows[1], format!("receives         down   1.00 up   0.00 Mb/s, air  10 %, {tail}"));
        assert!(rows[2].starts_with("waits ") && rows[2].contains("queue    3 packets"), "{text}");
        assert!(rows[3].starts_with("drops ") && rows[3].ends_with("4.0 drops/s"), "{text}");
        assert!(!text.contains("\n  idle "), "{text}");
    }

    /// Each number of the first line and of a row from its own place; what is under way of applications below.
    #[test]
    fn every_number_is_in_its_place() {
        use crate::snapshot::{AppView, Rates, Score, ScoreOfLate};
        let mut s =
            Snapshot { house: "h".into(), queue: "q".into(), medium: "m".into(), ..Snapshot::default() };
        s.now_s = 3661.0;
        (s.air.down_ratio, s.air.up_ratio, s.air.collision_ratio) = (0.11, 0.12, 0.13);
        (s.air.beacon_ratio, s.air.idle_ratio, s.qdisc.packets) = (0.14, 0.5, 17);
        let rates = Rates {
            down_bps: 1e6,
            up_bps: 2e6,
            down_air_ratio: 0.25,
            up_air_ratio: 0.125,
            attempts_mean: 9.0,
            drops_per_s: 7.0,
            sojourn_p50_s: 0.011,
            sojourn_p99_s: 0.022,
        };
        s.stations =
            vec![StationView { name: "tv".into(), backlog_packets: 5, rates, ..StationView::default() }];
        let app = |name: &str, text: Option<&str>| AppView {
            name: name.into(),
            score: text.map(|text| Score { text: text.into(), ..Score::default() }),
            ..AppView::default()
        };
        s.apps = vec![app("a", Some("1 MOS")), app("b", None), app("c", Some("2 s"))];
        let outcome = |station: &str, score: Option<f64>| OutcomeView {
            station: station.into(),
            kind: "k".into(),
            last_10_s: score.map(|score| ScoreOfLate { score, decided: "up loss".into() }),
            ..OutcomeView::default()
        };
        s.outcomes = vec![outcome("x", Some(100.0)), outcome("y", None), outcome("z", Some(5.0))];
        let text = text(&s);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "1:01:01 h q on m: air down 11 %, up 12 %, collisions 13 %, idle 50 %; 17 packets queued"
        );
        assert_eq!(
            lines[1],
            "  tv               down   1.00 up   2.00 Mb/s, air  38 %, queue    5 packets, wait p50 11.0 p99 22.0 ms, 7.0 drops/s"
        );
        assert_eq!(lines[2..4], ["  a 1 MOS, c 2 s", "  x k QoO 100; z k QoO 5 (up loss)"]);
        assert_eq!(lines.len(), 5, "and the line of blame: {text}");
    }

    #[test]
    fn a_machine_that_is_too_slow_says_so() {
        let mut s = Snapshot::default();
        (s.pace.behind, s.pace.late_max_s, s.pace.overflowed) = (3, 0.0042, 5);
        let text = text(&s);
        assert!(text.contains("\n  3 packets more than 2.0 ms late so far, at most 4.2 ms\n"), "{text}");
        assert!(text.contains("\n  5 packets lost before they were read"), "{text}");
        (s.pace.behind, s.pace.overflowed) = (1, 0);
        let one = self::text(&s);
        assert!(
            one.contains("\n  1 packets more than 2.0 ms late") && !one.contains("before they were"),
            "{one}"
        );
        (s.pace.behind, s.pace.overflowed) = (0, 1);
        let one = self::text(&s);
        assert!(one.contains("\n  1 packets lost before they were") && !one.contains("late so far"), "{one}");
    }

    #[test]
    fn many_stations_are_counted() {
        let mut s = evening()[0].clone();
        s.stations = vec![s.stations[0].clone(); 200];
        assert!(text(&s).contains("and 190 more stations"));
        for (n, more) in [(10, None), (11, Some("  and 1 more stations"))] {
            s.stations.truncate(n);
            s.stations.resize(n, s.stations[0].clone());
            let text = text(&s);
            let rows = text.lines().filter(|line| line.contains(" packets, wait p50 "));
            assert_eq!((rows.count(), text.lines().find(|line| line.ends_with("more stations"))), (10, more));
        }
        assert!(text(&Snapshot::default()).ends_with("Idle: the air is 100 % free\n"));
    }
}
