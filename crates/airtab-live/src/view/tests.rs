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

/// A key counts when it is pressed, also again and again while it is held, and not when it is let go.
#[test]
fn keys_that_are_let_go_do_nothing() {
    use ratatui::crossterm::event::KeyEventKind;
    let kind = |c, kind| KeyEvent { kind, ..key(c) };
    let keys = vec![kind('q', KeyEventKind::Release), kind('p', KeyEventKind::Release), key('x')];
    let (end, shown) = run(keys, evening().into(), true, false);
    assert_eq!(end, End::Feed);
    assert!(!shown.contains("PAUSED"), "{shown}");
    assert_eq!(run(vec![kind('q', KeyEventKind::Repeat)], vec![], false, false).0, End::Quit);
}

/// A view that is paused before there is anything to show shows the first snapshot, and stays there.
#[test]
fn a_view_that_is_paused_early_shows_the_first_snapshot() {
    let (publisher, feed) = channel();
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut keys = [key('p'), key('x'), key('x'), key('q')].into_iter();
    let mut fed = [None, Some(0), Some(1), None].into_iter();
    let end = drive(&mut terminal, &feed, &AtomicBool::new(false), |_: Duration| {
        if let Some(i) = fed.next().flatten() {
            assert!(publisher.publish(Arc::new(evening()[i].clone())));
        }
        Ok(keys.next().map(Event::Key))
    });
    assert_eq!(end.unwrap(), End::Quit);
    let shown = terminal.backend().to_string();
    assert!(shown.contains("PAUSED") && shown.contains("0:01:00"), "{shown}");
}

#[test]
fn a_paused_view_stays_and_goes_on() {
    let again = || evening().into_iter().chain(evening()).collect::<Vec<_>>();
    let (_, shown) = run(vec![key('p'), key('x'), key('x'), key('q')], again(), false, false);
    assert!(shown.contains("PAUSED") && shown.contains("0:01:00"), "{shown}");
    let (_, shown) = run(vec![key('p'), key('p'), key('x'), key('x'), key('q')], again(), false, false);
    assert!(!shown.contains("PAUSED") && shown.contains("0:01:01"), "{shown}");
}

/// Every key of `docs/live-view.md`, at a state in which it changes something, and what it changes.
#[test]
fn each_key_changes_what_it_says() {
    let press = |state: &State, code| {
        let mut state = state.clone();
        let asked = state.on_key(KeyEvent::new(code, KeyModifiers::NONE));
        (asked, state)
    };
    let redraw = |state: State| (Some(Asked::Redraw), state);
    let start = State { offset: 3, sort_stations: 10, sort_flows: 4, ..State::default() };
    let flows = State { shown: Shown::Flows, ..start.clone() };
    let helped = State { help: true, ..start.clone() };
    let paused = State { paused: true, ..start.clone() };
    for code in [KeyCode::Char('f'), KeyCode::Tab] {
        let other = State { shown: Shown::Flows, offset: 0, ..start.clone() };
        assert_eq!(press(&start, code), redraw(other), "from the top of the other table");
        let back = State { offset: 0, ..start.clone() };
        assert_eq!(press(&flows, code), redraw(back));
    }
    for code in [KeyCode::Char('?'), KeyCode::Char('h')] {
        assert_eq!(
            (press(&start, code), press(&helped, code)),
            (redraw(helped.clone()), redraw(start.clone()))
        );
    }
    for code in [KeyCode::Char('p'), KeyCode::Char(' ')] {
        assert_eq!(
            (press(&start, code), press(&paused, code)),
            (redraw(paused.clone()), redraw(start.clone()))
        );
    }
    // There are eleven columns of stations; those of flows are the discipline's matter.
    assert_eq!(press(&start, KeyCode::Char('s')), redraw(State { sort_stations: 0, ..start.clone() }));
    assert_eq!(press(&flows, KeyCode::Char('s')), redraw(State { sort_flows: 5, ..flows.clone() }));
    for (code, from, offset) in [
        (KeyCode::Down, 3, 4),
        (KeyCode::Down, usize::MAX, usize::MAX),
        (KeyCode::Up, 3, 2),
        (KeyCode::Up, 0, 0),
        (KeyCode::Home, 3, 0),
    ] {
        let state = State { offset: from, ..start.clone() };
        assert_eq!(press(&state, code), redraw(State { offset, ..start.clone() }), "{code:?}");
    }
    // The page of keys is left first.
    assert_eq!(press(&helped, KeyCode::Esc), redraw(start.clone()));
    assert_eq!(press(&start, KeyCode::Esc), (Some(Asked::Quit), start.clone()));
    assert_eq!(press(&helped, KeyCode::Char('q')), (Some(Asked::Quit), helped.clone()));
    assert_eq!(press(&start, KeyCode::Char('c')), (None, start.clone()));
    for (c, asked) in [('c', Some(Asked::Interrupt)), ('q', None), ('p', None)] {
        let mut state = start.clone();
        assert_eq!(state.on_key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)), asked);
        assert_eq!(state, start);
    }
}

/// From 30 lines on there are both tables, and arrows act on the one that is chosen.
#[test]
fn arrows_scroll_the_chosen_table_alone() {
    let [s, _] = evening();
    // Below the header and two lines of air: a head and five stations, a line, a head and flows.
    let rows = |shown, offset, height| {
        let state = State { shown, offset, sort_stations: 0, sort_flows: 0, ..State::default() };
        let text = picture(&s, &state, 120, height).to_string();
        let words = |line: &str| line.trim_matches('"').split("  ").next().unwrap().trim().to_string();
        text.lines().map(words).collect::<Vec<_>>()
    };
    let both = rows(Shown::Stations, 1, 30);
    assert_eq!((&*both[3], &*both[4], &*both[10], &*both[11]), ("station", "laptop", "flow", "browser"));
    let both = rows(Shown::Flows, 1, 30);
    assert_eq!((&*both[3], &*both[4], &*both[10], &*both[11]), ("station", "console", "flow", "call"));
    let mut crowd = s.clone();
    crowd.stations = vec![s.stations[0].clone(); 50];
    let crowd = picture(&crowd, &State::default(), 120, 40).to_string();
    let stations = crowd.lines().filter(|line| line.contains("console  ") && line.contains("54.0")).count();
    assert!(crowd.contains("flow  ") && (10..20).contains(&stations), "half of the room each: {crowd}");
    assert_eq!(&rows(Shown::Stations, 1, 29)[3..5], ["station", "laptop"]);
    let one = rows(Shown::Flows, 2, 29);
    assert_eq!(&one[3..5], ["flow", "film"]);
    assert!(!one.iter().any(|row| row == "console" || row == "station"), "{one:?}");
}

/// The bar has each use's sign in its share of the width, in this order.
#[test]
fn the_bar_is_the_channels_time() {
    let mut s = Snapshot::default();
    (s.air.down_ratio, s.air.up_ratio, s.air.collision_ratio) = (0.4, 0.2, 0.1);
    (s.air.beacon_ratio, s.air.idle_ratio, s.air.stations_jain_ratio) = (0.05, 0.25, Some(0.876));
    let lines = |width| {
        let text = picture(&s, &State::default(), width, 24).to_string();
        text.lines().skip(1).take(2).map(|line| line.trim_matches('"').to_string()).collect::<Vec<_>>()
    };
    let bar = |n: usize| {
        [("█", 8), ("▓", 4), ("x", 2), ("b", 1), ("·", 5)].map(|(sign, part)| sign.repeat(part * n)).concat()
    };
    let wide = lines(80);
    assert_eq!(wide[0], bar(4));
    let words = "air  █ down 40 %  ▓ up 20 %  x collisions 10 %  b beacons 5.0 %  · idle 25 %";
    let all = format!("{words}  stations J 0.88");
    assert_eq!(wide[1], all.chars().take(80).collect::<String>(), "what does not fit is cut");
    assert_eq!(lines(100)[1].trim_end(), all);
    // Below 70 columns signs alone, and no beacons.
    assert!(lines(70)[1].starts_with("air  █ down 40 %"));
    let narrow = lines(60);
    assert_eq!((&*narrow[0], narrow[1].trim_end()), (&*bar(3), "█ 40 %  ▓ 20 %  x 10 %  · 25 %"));
    assert!(lines(69)[1].starts_with("█ 40 %"));
}

/// The keys' line names the other table, and the column that sorts this one.
#[test]
fn the_keys_name_the_other_table_and_the_column() {
    let [s, _] = evening();
    let last = |state: &State, width| {
        let text = picture(&s, state, width, 24).to_string();
        text.lines().last().unwrap().trim_matches('"').trim_end().to_string()
    };
    let state = State { sort_stations: 2, sort_flows: 5, ..State::default() };
    assert_eq!(last(&state, 70), "q quit  f flows  s sort (by up Mb/s)  p pause  ? help");
    let flows = State { shown: Shown::Flows, ..state };
    assert_eq!(last(&flows, 70), "q quit  f stations  s sort (by credit ms)  p pause  ? help");
    // Eleven columns with the discipline's one: round and round.
    let flows = State { sort_flows: 11 + 3, ..flows };
    assert_eq!(last(&flows, 70), "q quit  f stations  s sort (by up Mb/s)  p pause  ? help");
    assert_eq!(last(&flows, 69), "q quit f stations s sort p pause ? help");
}

/// Scores that users notice are yellow, also without a sentence; the column that sorts is underlined.
#[test]
fn trouble_is_yellow() {
    use ratatui::style::{Color, Modifier};
    let mut s = evening()[0].clone();
    // Colour and modifiers of the cells at which these words begin.
    let styles = |s: &Snapshot, state: &State, wanted: &[&str]| {
        let backend = picture(s, state, 120, 30);
        let buffer = backend.buffer();
        let row = |y| (0..120).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        let rows: Vec<String> = (0..30).map(row).collect();
        let style = |words: &&str| {
            let at = |(y, row): (u16, &String)| Some((row.find(words)? as u16, y));
            let (x, y) = (0..).zip(&rows).find_map(at).expect(words);
            (buffer[(x, y)].fg, buffer[(x, y)].modifier.contains(Modifier::UNDERLINED))
        };
        wanted.iter().map(style).collect::<Vec<_>>()
    };
    let state = State::default();
    let words = ["The Wi-Fi queue takes", "game 4.28", "on time: "];
    let plain = [Color::Reset, Color::Reset, Color::DarkGray].map(|colour| (colour, false));
    assert_eq!(styles(&s, &state, &words), plain);
    let sorted = State { sort_stations: 5, ..State::default() };
    let underlined = styles(&s, &sorted, &["p99 ms", "p50 ms", "drops/s"]);
    assert_eq!(underlined.iter().map(|style| style.1).collect::<Vec<_>>(), [true, false, false]);
    s.apps[0].score.as_mut().unwrap().value = 1.9;
    let words = ["game! ", "call 4.41", "game (4.28 MOS) suffers", "on time: "];
    let told = [Color::Yellow, Color::Reset, Color::Yellow, Color::DarkGray].map(|colour| (colour, false));
    assert_eq!(styles(&s, &state, &words), told);
    s.pace.late_p99_s = 0.0021;
    assert_eq!(styles(&s, &state, &["BEHIND: "]), [(Color::Yellow, false)]);
}

#[test]
fn the_line_of_pace_says_how_late_and_how_busy() {
    let mut s = Snapshot::default();
    (s.pace.late_p50_s, s.pace.late_p99_s, s.pace.late_max_s) = (0.0001, 0.0015, 0.5);
    (s.pace.behind, s.pace.overflowed, s.pace.cpu_ratio) = (7, 5, 0.25);
    let line = |s: &Snapshot| {
        let text = picture(s, &State::default(), 120, 24).to_string();
        text.lines().nth(22).unwrap().trim_matches('"').trim_end().to_string()
    };
    let fine = "on time: 99 % of packets within 1.5 ms, 7 behind so far, 25 % of a processor";
    assert_eq!(line(&s), fine);
    s.pace.late_p99_s = 0.002;
    assert_eq!(line(&s), fine.replace("1.5", "2.0"), "2 ms are not behind");
    s.pace.late_p99_s = 0.0021;
    assert_eq!(line(&s), "BEHIND: 1 packet in 100 over 2.1 ms late; this machine is too slow or too busy");
}
