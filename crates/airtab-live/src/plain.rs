//! A snapshot as plain text, for where there is no terminal: a line about the
//! air, a row for each station that sent or received, a line of blame. No
//! escape codes.
//!
//! What it does not do: flows; the JSON lines have them.

use std::fmt::Write;

use crate::blame::blame;
use crate::snapshot::{Pace, Snapshot, StationView};
use crate::text::{clock, megabits, millis, percent, seconds};

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

    #[test]
    fn many_stations_are_counted() {
        let mut s = evening()[0].clone();
        s.stations = vec![s.stations[0].clone(); 200];
        assert!(text(&s).contains("and 190 more stations"));
        assert!(text(&Snapshot::default()).ends_with("Idle: the air is 100 % free\n"));
    }
}
