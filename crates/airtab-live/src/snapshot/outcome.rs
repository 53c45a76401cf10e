// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Quality of Outcome as a snapshot shows it: by station and kind of application, of the last ten seconds and the last
//! minute.
//!
//! What it does not do: nothing is measured here (`access_point`).

use serde::{Deserialize, Serialize};

/// Of the applications of one kind at one station.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutcomeView {
    /// The station's name.
    pub station: String,
    /// What they are, as in house files.
    pub kind: String,
    /// What they are judged by.
    pub requirement: String,
    /// Of the last 10 s; None: too few packets to say.
    pub last_10_s: Option<ScoreOfLate>,
    /// Of the last 60 s.
    pub last_60_s: Option<ScoreOfLate>,
}

/// A score by Quality of Outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreOfLate {
    /// 0 to 100.
    pub score: f64,
    /// The direction and the part that decided: `down p98`, `up loss`.
    pub decided: String,
}

impl OutcomeView {
    /// The windows by name, and their scores.
    pub fn windows(&self) -> [(&'static str, Option<&ScoreOfLate>); 2] {
        [("10s", self.last_10_s.as_ref()), ("60s", self.last_60_s.as_ref())]
    }

    /// For people: `console game QoO 63 (down p98), 81 in a minute`, the minute where it differs; None where nothing can be said.
    pub fn text(&self) -> Option<String> {
        let now = self.last_10_s.as_ref()?;
        let decided = if now.score < 99.5 { format!(" ({})", now.decided) } else { String::new() };
        let other = self.last_60_s.as_ref().filter(|minute| (minute.score - now.score).abs() >= 1.0);
        let minute = other.map_or(String::new(), |minute| format!(", {:.0} in a minute", minute.score));
        Some(format!("{} {} QoO {:.0}{decided}{minute}", self.station, self.kind, now.score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decided_is_said_where_something_is_missing() {
        let of = |score: f64| Some(ScoreOfLate { score, decided: "down p98".into() });
        let mut view = OutcomeView { station: "tv".into(), kind: "game".into(), ..OutcomeView::default() };
        assert_eq!(view.text(), None);
        view.last_10_s = of(62.6);
        assert_eq!(view.text().as_deref(), Some("tv game QoO 63 (down p98)"));
        (view.last_10_s, view.last_60_s) = (of(100.0), of(81.0));
        assert_eq!(view.text().as_deref(), Some("tv game QoO 100, 81 in a minute"));
        for (now, minute, text) in [
            (99.4, 99.4, "QoO 99 (down p98)"),
            (99.5, 99.5, "QoO 100"),
            (40.0, 41.0, "QoO 40 (down p98), 41 in a minute"),
            (40.0, 40.9, "QoO 40 (down p98)"),
            (40.0, 39.1, "QoO 40 (down p98)"),
            (40.0, 39.0, "QoO 40 (down p98), 39 in a minute"),
        ] {
            (view.last_10_s, view.last_60_s) = (of(now), of(minute));
            assert_eq!(view.text(), Some(format!("tv game {text}")));
        }
        view.last_10_s = None;
        assert_eq!(view.text(), None, "a minute alone is not of late");
    }
}
