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

    #[test]
    fn a_machine_that_is_too_slow_says_so() {
        let mut s = Snapshot::default();
        (s.pace.behind, s.pace.late_max_s, s.pace.overflowed) = (3, 0.0042, 5);
        let text = text(&s);
        assert!(text.contains("\n  3 packets more than 2.0 ms late so far, at most 4.2 ms\n"), "{text}");
        assert!(text.contains("\n  5 packets lost before they were read"), "{text}");
    }

    #[test]
    fn many_stations_are_counted() {
        let mut s = evening()[0].clone();
        s.stations = vec![s.stations[0].clone(); 200];
        assert!(text(&s).contains("and 190 more stations"));
        assert!(text(&Snapshot::default()).ends_with("Idle: the air is 100 % free\n"));
    }
}
