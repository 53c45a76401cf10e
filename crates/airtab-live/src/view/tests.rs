// SPDX-License-Identifier: MIT OR GPL-2.0-only
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::Event;

use super::run::drive;
use super::*;
use crate::feed::{End, channel};
use crate::fixture::evening;
use crate::snapshot::{ClassView, Snapshot};

fn picture(s: &Snapshot, state: &State, width: u16, height: u16) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, s, state)).unwrap();
    terminal.backend().clone()
}

/// Against the pictures in `tests/snapshots`.
macro_rules! assert_shown {
    ($picture:expr) => {
        insta::with_settings!({snapshot_path => "../../tests/snapshots"}, {
            insta::assert_snapshot!($picture);
        });
    };
}

fn key(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
}

#[test]
fn an_evening_at_80_by_24() {
    assert_shown!(picture(&evening()[0], &State::default(), 80, 24));
}

#[test]
fn an_evening_at_120_by_40() {
    assert_shown!(picture(&evening()[0], &State::default(), 120, 40));
}

#[test]
fn an_evening_at_40_by_12() {
    assert_shown!(picture(&evening()[0], &State::default(), 40, 12));
}

#[test]
fn flows_sorted_by_a_disciplines_column_while_paused() {
    let mut state = State::default();
    for c in ['f', 's', 'p'] {
        assert_eq!(state.on_key(key(c)), Some(Asked::Redraw));
    }
    assert_shown!(picture(&evening()[0], &state, 80, 24));
}

#[test]
fn the_page_shows_the_view() {
    let page = include_str!("../../../../docs/live-view.md");
    let shown = picture(&evening()[0], &State::default(), 80, 24).to_string();
    for line in shown.lines().map(|line| line.trim_matches('"').trim_end()) {
        assert!(page.lines().any(|l| l.trim_end() == line), "docs/live-view.md lacks: {line}");
    }
}

#[test]
fn help() {
    let state = State { help: true, ..State::default() };
    assert_shown!(picture(&evening()[0], &state, 80, 24));
}

#[test]
fn a_machine_that_is_behind_says_so() {
    let mut s = evening()[0].clone();
    s.pace.late_p99_s = 0.004;
    let shown = picture(&s, &State::default(), 80, 24).to_string();
    assert!(shown.contains("BEHIND") && shown.contains("Do not trust"), "{shown}");
}

#[test]
fn classes_have_a_line_each_where_there_is_room() {
    let mut s = evening()[0].clone();
    let class = |class: &str, packets| ClassView {
        class: class.into(),
        backlog_packets: packets,
        sent_bps: Some(1e6 * packets),
        drops_per_s: Some(0.0),
        threshold_ratio: Some(0.5),
        ..ClassView::default()
    };
    s.qdisc.classes.classes = vec![class("0", 7.0), class("1", 0.0), class("2", 3.0)];
    let shown = picture(&s, &State::default(), 100, 24).to_string();
    let line =
        "class 0         7.00 Mb/s  queue    7  wait     - ms      0 drops/s  average  50 % of its threshold";
    assert!(shown.contains(line) && shown.contains("class 2         3.00 Mb/s"), "{shown}");
    assert!(!shown.contains("class 1"), "nothing of it: {shown}");
    assert!(!picture(&s, &State::default(), 100, 12).to_string().contains("class 0"));
    s.qdisc.classes.classes = vec![class("0", 7.0); 200];
    let shown = picture(&s, &State::default(), 100, 24).to_string();
    assert_eq!(shown.matches("class 0").count(), 6, "{shown}");
    assert!(shown.contains("game 4.28 MOS"), "{shown}");
}

#[test]
fn a_user_who_suffers_is_marked() {
    let mut s = evening()[0].clone();
    let score = s.apps[0].score.as_mut().unwrap();
    (score.value, score.text) = (1.9, "1.90 MOS".into());
    let shown = picture(&s, &State::default(), 120, 40).to_string();
    assert!(shown.contains("game! 1.90 MOS") && shown.contains("game (1.90 MOS) suffers"), "{shown}");
}

#[test]
fn no_size_and_no_snapshot_is_too_odd_to_draw() {
    let [full, _] = evening();
    let mut crowd = full.clone();
    crowd.stations = vec![full.stations[0].clone(); 200];
    crowd.flows = vec![full.flows[0].clone(); 20];
    let mut odd = full.clone();
    odd.air.down_ratio = f64::NAN;
    odd.air.up_ratio = 7.0;
    odd.stations[0].rates.down_bps = f64::INFINITY;
    odd.stations[0].name = "x".repeat(300);
    odd.apps[0].name = "y".repeat(70_000);
    odd.now_s = f64::NAN;
    for s in [&full, &crowd, &odd, &Snapshot::default()] {
        for help in [false, true] {
            for shown in [Shown::Stations, Shown::Flows] {
                let state = State { help, shown, offset: usize::MAX, ..State::default() };
                for (width, height) in [(1, 1), (1, 40), (200, 1), (2, 2), (13, 5), (40, 12), (300, 100)] {
                    picture(s, &state, width, height);
                }
            }
        }
    }
}

#[test]
fn every_column_sorts_and_the_sorting_one_is_shown() {
    let [s, _] = evening();
    let first = |state: &State| {
        let shown = picture(&s, state, 40, 24).to_string();
        let row = shown.lines().nth(4).unwrap().trim_matches('"').to_string();
        (shown, row)
    };
    assert!(first(&State::default()).1.starts_with("laptop"), "most airtime first");
    let mut state = State { sort_stations: 0, ..State::default() };
    let start = state.clone();
    assert!(first(&state).1.starts_with("console"), "by name");
    for column in &table::stations()[1..] {
        state.on_key(key('s'));
        let (shown, row) = first(&state);
        assert!(shown.contains(&*column.head), "{}: {shown}", column.head);
        assert!(!row.starts_with("tablet"), "it does least, yet sorts first by {}", column.head);
    }
    state.on_key(key('s'));
    assert_eq!(state, start, "round and round");
}

#[test]
fn scrolling_ends_with_the_last_row() {
    let [s, _] = evening();
    let mut state = State { sort_stations: 0, ..State::default() };
    let down = KeyEvent::new(KeyCode::Down, KeyModifiers::NONE);
    for _ in 0..3 {
        state.on_key(down);
    }
    let shown = picture(&s, &state, 80, 24).to_string();
    assert!(shown.lines().nth(4).unwrap().contains("tablet"), "{shown}");
    for _ in 0..99 {
        state.on_key(down);
    }
    let shown = picture(&s, &state, 80, 24).to_string();
    assert!(shown.lines().nth(4).unwrap().contains("tv"), "{shown}");
}

/// Runs the loop with scripted keys, one after each look; gives how it ended
/// and what was on the screen then.
fn run(keys: Vec<KeyEvent>, fed: Vec<Snapshot>, ends: bool, stop: bool) -> (End, String) {
    let (publisher, feed) = channel();
    let mut fed = fed.into_iter();
    if let Some(first) = fed.next() {
        publisher.publish(Arc::new(first));
    }
    let mut publisher = Some(publisher);
    let mut keys = keys.into_iter();
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let end = drive(&mut terminal, &feed, &AtomicBool::new(stop), |_: Duration| {
        match fed.next() {
            Some(snapshot) => drop(publisher.as_ref().unwrap().publish(Arc::new(snapshot))),
            None if ends => publisher = None,
            None => {}
        }
        match keys.next() {
            Some(key) => Ok(Some(Event::Key(key))),
            None if ends => Ok(None),
            None => Err(io::Error::other("the loop should have ended")),
        }
    });
    (end.unwrap(), terminal.backend().to_string())
}

#[test]
fn the_loop_ends_as_asked() {
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(run(vec![key('q')], vec![], false, false).0, End::Quit);
    assert_eq!(run(vec![key('x'), ctrl_c], vec![], false, false).0, End::Interrupted);
    assert_eq!(run(vec![], vec![], false, true).0, End::Interrupted);
    let (end, shown) = run(vec![], evening().into(), true, false);
    assert_eq!(end, End::Feed);
    assert!(shown.contains("0:01:01"), "the last snapshot: {shown}");
    assert!(run(vec![key('q')], vec![], false, false).1.contains("waiting for the access point"));
}

#[test]
fn a_paused_view_stays_and_goes_on() {
    let again = || evening().into_iter().chain(evening()).collect::<Vec<_>>();
    let (_, shown) = run(vec![key('p'), key('x'), key('x'), key('q')], again(), false, false);
    assert!(shown.contains("PAUSED") && shown.contains("0:01:00"), "{shown}");
    let (_, shown) = run(vec![key('p'), key('p'), key('x'), key('x'), key('q')], again(), false, false);
    assert!(!shown.contains("PAUSED") && shown.contains("0:01:01"), "{shown}");
}
