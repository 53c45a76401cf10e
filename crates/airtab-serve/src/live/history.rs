// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a house showed in the last hour, for whoever begins to look.
//!
//! All of the last [`RECENT_NS`], before that one snapshot of each [`STEP_NS`]: a screen has no more columns. Those that
//! are over are kept without their flows and compressed: an hour of 60 stations takes some MB. Marks are what a course
//! shows but does not explain: another discipline, a station that was moved or has gone.
//!
//! What it does not do: it draws nothing, and it judges nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};
use serde::Deserialize;
use serde_json::{Value, json};

/// How long things are remembered, ns.
const HOUR_NS: u64 = 3_600_000_000_000;
/// How long every snapshot is kept, ns.
const RECENT_NS: u64 = 600_000_000_000;
/// Of those before, one of each so long, ns.
const STEP_NS: u64 = 5_000_000_000;
/// News that wait for slow readers; who is slower begins anew.
const NEWS: usize = 16;
/// Marks that are remembered.
const MARKS: usize = 1000;
/// A change that was asked for here is not told again if it shows within so long, ns.
#[cfg(any(has_live, test))]
const SAME_NS: u64 = 2_500_000_000;

/// What is looked at in a snapshot: `airtab live watch --json` writes it.
#[derive(Clone, Debug, Deserialize)]
pub struct Glance {
    /// Name of the house.
    pub house: String,
    queue: String,
    now_s: f64,
    stations: Vec<Station>,
}

#[derive(Clone, Debug, Deserialize)]
struct Station {
    name: String,
    rate_kbps: u32,
    frame_error_rate: f64,
    ended: Option<String>,
}

impl Glance {
    /// Reads a line.
    ///
    /// # Errors
    /// It is no snapshot.
    pub fn of(line: &str) -> Result<Glance, String> {
        let glance: Glance = serde_json::from_str(line).map_err(|e| e.to_string())?;
        match glance.now_s.is_finite() && (0.0..1e9).contains(&glance.now_s) {
            true => Ok(glance),
            false => Err(format!("now_s: {} is no time since a start", glance.now_s)),
        }
    }

    /// Time since the start of the house, ns.
    pub fn now_ns(&self) -> u64 {
        (self.now_s * 1e9) as u64
    }
}

/// Something new.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A snapshot: a line of JSON.
    Snapshot(Arc<str>),
    /// A mark: `{"at_ns", "what"}`.
    Mark(Arc<str>),
    /// There will be nothing new, for now: `{"why"}`.
    Down(Arc<str>),
}

/// The past, compressed.
type Packed = Arc<[u8]>;

/// One house.
#[derive(Default)]
pub struct History {
    /// Of the last news.
    number: u64,
    news: VecDeque<News>,
    old: VecDeque<(u64, Packed)>,
    recent: VecDeque<(u64, Packed)>,
    latest: Option<(Glance, Arc<str>)>,
    marks: VecDeque<(u64, Arc<str>)>,
    /// Why nothing is new, since the last snapshot.
    down: Option<Arc<str>>,
    /// Until when a station's change was asked for here, ns.
    told_ns: u64,
}

/// All that is remembered.
pub struct Past {
    /// Number of the last news in it.
    pub number: u64,
    packed: std::collections::vec_deque::IntoIter<(u64, Packed)>,
    latest: Option<Arc<str>>,
    /// Marks, oldest first.
    pub marks: Vec<Arc<str>>,
    /// As [`News::Down`], if nothing came after it.
    pub down: Option<Arc<str>>,
}

impl Iterator for Past {
    type Item = String;

    /// Snapshots, oldest first; only the last one has its flows.
    fn next(&mut self) -> Option<String> {
        match self.packed.next() {
            Some((_, packed)) => {
                let line = decompress_size_prepended(&packed).expect("it was compressed here");
                Some(String::from_utf8(line).expect("it was a text"))
            }
            None => self.latest.take().map(|latest| latest.to_string()),
        }
    }
}

impl History {
    /// Adds a snapshot: a line of JSON.
    pub fn add(&mut self, line: &str, glance: Glance) {
        let line: Arc<str> = line.trim_end().into();
        let now = glance.now_ns();
        if let Some((before, past)) = self.latest.take() {
            if now <= before.now_ns() {
                // It was started anew: what was before has other times.
                *self = History {
                    number: self.number,
                    news: std::mem::take(&mut self.news),
                    ..History::default()
                };
            } else {
                self.recent.push_back((before.now_ns(), packed(&past)));
                let told = self.told_ns >= now;
                changes(&before, &glance, told).into_iter().for_each(|what| self.mark(now, &what));
            }
        }
        self.latest = Some((glance, line.clone()));
        self.down = None;
        self.thin(now);
        self.tell(News::Snapshot(line));
    }

    fn thin(&mut self, now: u64) {
        while let Some((at, _)) = self.recent.front()
            && now - at > RECENT_NS
        {
            let (at, packed) = self.recent.pop_front().expect("it is there");
            if self.old.back().is_none_or(|(last, _)| last / STEP_NS < at / STEP_NS) {
                self.old.push_back((at, packed));
            }
        }
        while self.old.front().is_some_and(|(at, _)| now - at > HOUR_NS) {
            self.old.pop_front();
        }
        while self.marks.len() > MARKS
            || self.marks.front().is_some_and(|(at, _)| now.saturating_sub(*at) > HOUR_NS)
        {
            self.marks.pop_front();
        }
    }

    fn tell(&mut self, news: News) {
        self.number += 1;
        self.news.push_back(news);
        if self.news.len() > NEWS {
            self.news.pop_front();
        }
    }

    fn mark(&mut self, at_ns: u64, what: &str) {
        let mark: Arc<str> = json!({ "at_ns": at_ns, "what": what }).to_string().into();
        self.marks.push_back((at_ns, mark.clone()));
        self.tell(News::Mark(mark));
    }

    /// A station was changed here: `what` says how.
    #[cfg(any(has_live, test))]
    pub fn changed(&mut self, what: &str) {
        let now = self.latest.as_ref().map_or(0, |(glance, _)| glance.now_ns());
        self.told_ns = now + SAME_NS;
        self.mark(now, what);
    }

    /// The house is down.
    pub fn down(&mut self, why: &str) {
        let why: Arc<str> = json!({ "why": why }).to_string().into();
        self.down = Some(why.clone());
        self.tell(News::Down(why));
    }

    /// The last snapshot.
    pub fn latest(&self) -> Option<Arc<str>> {
        self.latest.as_ref().map(|(_, line)| line.clone())
    }

    /// What came after the news of that number; None if some of it is forgotten, or that number is none.
    pub fn after(&self, number: u64) -> Option<Vec<(u64, News)>> {
        let first = self.number - self.news.len() as u64;
        let skip = number.checked_sub(first).filter(|_| number <= self.number)? as usize;
        Some((number + 1..).zip(self.news.iter().skip(skip).cloned()).collect())
    }

    /// All that is remembered.
    pub fn past(&self) -> Past {
        let packed: VecDeque<_> = self.old.iter().chain(&self.recent).cloned().collect();
        Past {
            number: self.number,
            packed: packed.into_iter(),
            latest: self.latest(),
            marks: self.marks.iter().map(|(_, mark)| mark.clone()).collect(),
            down: self.down.clone(),
        }
    }
}

/// Without flows, of which only the last are looked at.
fn packed(line: &str) -> Packed {
    let without = serde_json::from_str::<Value>(line).map(|mut value| {
        if let Some(flows) = value.get_mut("flows") {
            *flows = json!([]);
        }
        value.to_string()
    });
    compress_prepend_size(without.as_deref().unwrap_or(line).as_bytes()).into()
}

/// What changed between two snapshots, in words. `told`: a station's change was told already.
fn changes(before: &Glance, now: &Glance, told: bool) -> Vec<String> {
    let mut all = Vec::new();
    if before.queue != now.queue {
        all.push(format!("the discipline is {} now", now.queue));
    }
    for station in &now.stations {
        let Some(was) = before.stations.iter().find(|was| was.name == station.name) else { continue };
        let name = &station.name;
        match (&was.ended, &station.ended) {
            (None, Some(why)) => all.push(format!("station {name} is gone: {why}")),
            (Some(_), None) => all.push(format!("station {name} is back")),
            // Where the rate changed too, rate control may have done it.
            _ if !told
                && was.rate_kbps == station.rate_kbps
                && was.frame_error_rate != station.frame_error_rate =>
            {
                let rate = |rate: f64| (rate * 1e4).round() / 1e2;
                let (from, to) = (rate(was.frame_error_rate), rate(station.frame_error_rate));
                all.push(format!(
                    "station {name} was moved: {from} % of its frames were lost, {to} % are now"
                ));
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(now_s: u64, queue: &str, fer: f64) -> String {
        let station = json!({ "name": "tv", "rate_kbps": 54_000, "frame_error_rate": fer });
        json!({ "house": "h", "queue": queue, "now_s": now_s, "stations": [station], "flows": [1] })
            .to_string()
    }

    fn add(history: &mut History, now_s: u64, queue: &str, fer: f64) {
        let line = line(now_s, queue, fer);
        history.add(&line, Glance::of(&line).unwrap());
    }

    #[test]
    fn an_hour_is_remembered_and_the_last_ten_minutes_in_full() {
        let mut history = History::default();
        (1..=5000).for_each(|now| add(&mut history, now, "fifo", 0.0));
        let past: Vec<Value> = history.past().map(|line| serde_json::from_str(&line).unwrap()).collect();
        let times: Vec<u64> = past.iter().map(|line| line["now_s"].as_u64().unwrap()).collect();
        assert_eq!(times.last(), Some(&5000));
        let recent: Vec<u64> = times.iter().copied().filter(|at| *at >= 4400).collect();
        assert_eq!(recent, (4400..=5000).collect::<Vec<_>>());
        let old: Vec<u64> = times.iter().copied().filter(|at| *at < 4400).collect();
        assert_eq!(old, (1400..4400).step_by(5).collect::<Vec<_>>());
        assert_eq!(past[0]["flows"], json!([]), "only the last has them");
        assert_eq!(past.last().unwrap()["flows"], json!([1]));
    }

    #[test]
    fn marks_say_what_changed() {
        let mut history = History::default();
        add(&mut history, 1, "fifo", 0.0);
        add(&mut history, 2, "chap", 0.0);
        add(&mut history, 3, "chap", 0.125);
        let marks = history.past().marks;
        assert_eq!(&*marks[0], r#"{"at_ns":2000000000,"what":"the discipline is chap now"}"#);
        let moved = "station tv was moved: 0 % of its frames were lost, 12.5 % are now";
        assert_eq!(&*marks[1], json!({ "at_ns": 3_000_000_000_u64, "what": moved }).to_string());
        // What was asked for here is told once.
        history.changed("station tv: 54 Mb/s, 9 m away");
        add(&mut history, 4, "chap", 0.25);
        add(&mut history, 5, "chap", 0.25);
        add(&mut history, 6, "chap", 0.5);
        let whats: Vec<Value> =
            history.past().marks[2..].iter().map(|mark| serde_json::from_str(mark).unwrap()).collect();
        assert_eq!(whats.len(), 2);
        assert_eq!(whats[0], json!({ "at_ns": 3_000_000_000_u64, "what": "station tv: 54 Mb/s, 9 m away" }));
        assert_eq!(whats[1]["at_ns"], 6_000_000_000_u64);
    }

    #[test]
    fn who_missed_too_much_begins_anew() {
        let mut history = History::default();
        assert_eq!(history.after(0), Some(vec![]));
        assert_eq!(history.after(1), None, "no such news");
        (1..=3).for_each(|now| add(&mut history, now, "fifo", 0.0));
        let numbers = |after| history.after(after).map(|all| all.iter().map(|(n, _)| *n).collect::<Vec<_>>());
        assert_eq!((numbers(0), numbers(2), numbers(3)), (Some(vec![1, 2, 3]), Some(vec![3]), Some(vec![])));
        (4..=100).for_each(|now| add(&mut history, now, "fifo", 0.0));
        assert_eq!(history.after(3), None);
        assert_eq!(history.after(100 - NEWS as u64).map(|all| all.len()), Some(NEWS));
    }

    #[test]
    fn a_house_that_starts_anew_has_no_past() {
        let mut history = History::default();
        add(&mut history, 8, "fifo", 0.0);
        add(&mut history, 9, "fifo", 0.0);
        add(&mut history, 1, "chap", 0.5);
        assert_eq!((history.past().count(), history.past().marks.len(), history.number), (1, 0, 3));
        // A reader that was there goes on by its number.
        let numbers = history.after(0).map(|all| all.iter().map(|(number, _)| *number).collect::<Vec<_>>());
        assert_eq!(numbers, Some(vec![1, 2, 3]));
        // The same time again is a new start, too.
        add(&mut history, 2, "chap", 0.5);
        add(&mut history, 2, "chap", 0.5);
        assert_eq!(history.past().count(), 1);
    }

    /// Each change between two snapshots has a mark: the discipline's first, then those of stations in their order.
    #[test]
    fn several_changes_at_once_are_all_told() {
        let station = |name: &str, fer: f64, ended: Option<&str>| json!({ "name": name, "rate_kbps": 6_000, "frame_error_rate": fer, "ended": ended });
        let mut history = History::default();
        for (now_s, queue, stations) in [
            (
                1,
                "fifo",
                json!([station("a", 0.5, None), station("b", 0.25, None), station("c", 0.0, Some("off"))]),
            ),
            (
                2,
                "chap",
                json!([station("a", 0.25, None), station("b", 0.25, Some("left")), station("c", 0.5, None)]),
            ),
        ] {
            let line =
                json!({ "house": "h", "queue": queue, "now_s": now_s, "stations": stations }).to_string();
            history.add(&line, Glance::of(&line).unwrap());
        }
        let expected = [
            "the discipline is chap now",
            "station a was moved: 50 % of its frames were lost, 25 % are now",
            "station b is gone: left",
            "station c is back",
        ];
        assert_eq!(whats(&history), expected.map(|what| (2, what.to_string())));
        // Snapshot, marks, snapshot: what comes of news is in the order in which it came.
        let news: Vec<bool> =
            history.after(1).unwrap().iter().map(|(_, news)| matches!(news, News::Mark(_))).collect();
        assert_eq!(news, [true, true, true, true, false]);
    }

    fn whats(history: &History) -> Vec<(u64, String)> {
        let mark = |mark: &Arc<str>| {
            let mark: Value = serde_json::from_str(mark).unwrap();
            (mark["at_ns"].as_u64().unwrap() / 1_000_000_000, mark["what"].as_str().unwrap().to_string())
        };
        history.past().marks.iter().map(mark).collect()
    }

    /// A change of a station by a client of this server suppresses marks of stations for 2.5 s, both ends included;
    /// marks of the discipline are never suppressed.
    #[test]
    fn a_change_by_a_client_suppresses_station_marks_for_its_time() {
        let at = |ms: u64, queue: &str, fer: f64| {
            let station = json!({ "name": "tv", "rate_kbps": 54_000, "frame_error_rate": fer });
            let now_s = ms as f64 / 1e3;
            json!({ "house": "h", "queue": queue, "now_s": now_s, "stations": [station] }).to_string()
        };
        for (ms, queue, marks) in [(2_500, "fifo", 1), (2_501, "fifo", 2), (1_000, "chap", 2)] {
            let mut history = History::default();
            for line in [at(4_000, "fifo", 0.0), at(4_000 + ms, queue, 0.5)] {
                history.add(&line, Glance::of(&line).unwrap());
                if history.number == 1 {
                    history.changed("asked");
                }
            }
            assert_eq!(whats(&history).len(), marks, "{ms} ms, {queue}: {:?}", whats(&history));
        }
        // A new start of that name forgets it.
        let mut history = History::default();
        add(&mut history, 900, "fifo", 0.0);
        history.changed("asked");
        (1..=2).for_each(|now| add(&mut history, now, "fifo", now as f64 / 8.0));
        assert_eq!(whats(&history).len(), 1, "{:?}", whats(&history));
    }

    /// `(before, after)` of two stations, which are found by their names and not by their places.
    #[test]
    fn marks_are_of_the_station_that_changed() {
        let station = |name: &str, rate: u32, fer: f64, ended: Option<&str>| json!({ "name": name, "rate_kbps": rate, "frame_error_rate": fer, "ended": ended });
        let moved = "station tv was moved: 1.23 % of its frames were lost, 50 % are now";
        for (before, after, expected) in [
            ((6_000, 0.01234, None), (6_000, 0.5, None), Some(moved)),
            // Rate control may have changed both.
            ((6_000, 0.01234, None), (9_000, 0.5, None), None),
            ((6_000, 0.01234, None), (9_000, 0.01234, None), None),
            ((6_000, 0.0, None), (6_000, 0.0, Some("unplugged")), Some("station tv is gone: unplugged")),
            ((6_000, 0.0, Some("unplugged")), (6_000, 0.0, None), Some("station tv is back")),
            ((6_000, 0.0, Some("unplugged")), (6_000, 0.0, Some("again")), None),
        ] {
            let other = station("pc", 54_000, 0.25, None);
            let of = |(rate, fer, ended)| station("tv", rate, fer, ended);
            let mut history = History::default();
            for (now_s, stations) in [
                (3, json!([of(before), other])),
                (4, json!([other, of(after), station("new", 1, 0.75, None)])),
            ] {
                let line =
                    json!({ "house": "h", "queue": "q", "now_s": now_s, "stations": stations }).to_string();
                history.add(&line, Glance::of(&line).unwrap());
            }
            let expected: Vec<_> = expected.into_iter().map(|what| (4, what.to_string())).collect();
            assert_eq!(whats(&history), expected, "{before:?} {after:?}");
        }
    }

    /// Snapshots and marks of exactly an hour ago are there, those of a second more are not; of marks at most 1000.
    #[test]
    fn the_past_ends_an_hour_ago() {
        let mut history = History::default();
        for now in [5, 10, 3605, 3606] {
            add(&mut history, now, if now < 10 { "fifo" } else { "chap" }, 0.0);
        }
        let times = |history: &History| {
            let time =
                |line: String| serde_json::from_str::<Value>(&line).unwrap()["now_s"].as_u64().unwrap();
            history.past().map(time).collect::<Vec<_>>()
        };
        assert_eq!(times(&history), [10, 3605, 3606]);
        assert_eq!(whats(&history), [(10, "the discipline is chap now".into())]);
        add(&mut history, 3610, "chap", 0.0);
        assert_eq!((times(&history), whats(&history).len()), (vec![10, 3605, 3606, 3610], 1));
        add(&mut history, 3611, "chap", 0.0);
        assert_eq!((times(&history), whats(&history).len()), (vec![3605, 3606, 3610, 3611], 0));
        (0..1003).for_each(|i| history.changed(&format!("change {i}")));
        add(&mut history, 3612, "chap", 0.0);
        let kept = whats(&history);
        assert_eq!((kept.len(), kept[0].1.as_str(), kept[999].1.as_str()), (1000, "change 3", "change 1002"));
    }

    /// Ten minutes ago, exactly, is recent; beyond it one snapshot of each 5 s is kept, the first.
    #[test]
    fn what_is_older_than_ten_minutes_is_thinned() {
        let mut history = History::default();
        (6..=14).chain([611, 613]).for_each(|now| add(&mut history, now, "fifo", 0.0));
        assert_eq!((history.old.len(), history.recent.len()), (2, 3));
        let seconds =
            |all: &VecDeque<(u64, Packed)>| all.iter().map(|(at, _)| *at / 1_000_000_000).collect::<Vec<_>>();
        assert_eq!((seconds(&history.old), seconds(&history.recent)), (vec![6, 10], vec![13, 14, 611]));
    }

    /// The end is part of the past until a snapshot follows.
    #[test]
    fn an_end_is_told_until_the_house_is_up_again() {
        let mut history = History::default();
        add(&mut history, 1, "fifo", 0.0);
        history.down("it ended");
        assert_eq!(history.past().down.as_deref(), Some(r#"{"why":"it ended"}"#));
        assert_eq!(history.after(1).unwrap().len(), 1);
        add(&mut history, 2, "fifo", 0.0);
        assert_eq!((history.past().down, history.number), (None, 3));
        assert_eq!(history.latest().as_deref(), Some(&*line(2, "fifo", 0.0)));
    }
}
