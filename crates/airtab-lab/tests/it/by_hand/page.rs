// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The page draws the values that it is given: lengths, points and texts from
//! figures made up so that every one of them differs.

use std::collections::BTreeMap;

use Metric::*;
use airtab_core::Discipline;
use airtab_lab::table::Style;
use airtab_lab::{AppStory, Comparison, Origin, Report, Story, html};
use airtab_scenario::{Metric, QueueScores, ScenarioFile, Scores, Summary};

use super::made::{self, summary};

const APPS: [(&str, &str, Metric); 5] = [
    ("game", "game", GameMos),
    ("call", "voip", VoipMos),
    ("video", "video", FrameRate),
    ("web", "web", PageTime),
    ("download", "download", Goodput),
];

/// Scores with their half widths, and shares of the air.
fn made(label: &str, classes: bool, scores: [(f64, f64); 5], air: [f64; 5]) -> QueueScores {
    let apps = APPS.iter().zip(scores).zip(air).enumerate();
    let apps = apps.map(|(i, (((name, kind, metric), (mean, half)), air))| Scores {
        name: (*name).into(),
        kind,
        station: String::new(),
        // Another figure of the same size: the page must not take it for the air.
        metrics: BTreeMap::from([
            (*metric, summary(mean, half)),
            (Air, summary(air, 0.0)),
            (UplinkAir, summary(UP_AIR[i], 0.0)),
            (Loss, summary(0.5, 0.0)),
        ]),
    });
    let mut params = BTreeMap::from([("limit", "35".to_string())]);
    params.extend(classes.then(|| ("classes", "2".to_string())));
    let ap = Scores { name: "ap".into(), kind: "ap", station: String::new(), metrics: BTreeMap::new() };
    QueueScores {
        label: label.into(),
        discipline: "fifo",
        params,
        apps: apps.collect(),
        ap,
        nodes: Vec::new(),
    }
}

fn comparison(queues: Vec<QueueScores>) -> Comparison {
    // Two classes, also where one application alone is looked at.
    let apps = queues.first().map_or(0, |q| q.apps.len());
    let classes = (0..apps.max(2)).map(|i| u8::from(i > 0)).collect();
    Comparison { scenario: "home".into(), classes, ..made::comparison(queues) }
}

const OLD: [(f64, f64); 5] = [(2.75, 0.35), (3.0, 0.2), (15.0, 1.0), (0.2, 0.01), (24e6, 1e6)];
const NEW: [(f64, f64); 5] = [(4.25, 0.07), (4.4, 0.01), (30.0, 0.0), (0.1, 0.005), (22e6, 1e6)];
const OLD_AIR: [f64; 5] = [0.02, 0.03, 0.10, 0.05, 0.50];
const NEW_AIR: [f64; 5] = [0.01, 0.04, 0.20, 0.15, 0.25];
const UP_AIR: [f64; 5] = [0.005, 0.01, 0.015, 0.02, 0.15];

fn app_story(name: &str, received_bps: &[f64], credit_s: Option<&[Option<f64>]>) -> AppStory {
    AppStory {
        name: name.into(),
        received_bps: received_bps.into(),
        uploaded_bps: vec![0.0; received_bps.len()],
        columns: credit_s.into_iter().map(Vec::from).collect(),
        // 1 ms for a quarter, 10 ms for all.
        queue_delay: vec![(0.0001, 0.0), (0.001, 0.25), (0.010, 1.0)],
    }
}

fn story(label: &str, credits: bool) -> Story {
    let columns_at_ns: Vec<u64> = match credits {
        true => (0..5).map(|i| 90_000_000_000 + i * 1_000_000).collect(),
        false => Vec::new(),
    };
    let apps = APPS.iter().map(|(name, ..)| match (*name, credits) {
        ("download", true) => {
            let credit_s = [Some(0.020), Some(0.010), Some(0.0), Some(-0.010), Some(0.015)];
            app_story(name, &[1e6, 10e6], Some(&credit_s))
        }
        // Known at two of five times: the mean is 6 ms, not 2.4.
        ("call", true) => {
            let credit_s = [None, Some(0.004), None, Some(0.008), None];
            app_story(name, &[0.0, 0.1e6], Some(&credit_s))
        }
        ("download", false) => app_story(name, &[1e6, 10e6], None),
        (_, true) => app_story(name, &[0.0, 0.1e6], Some(&[None; 5])),
        (_, false) => app_story(name, &[0.0, 0.1e6], None),
    });
    Story {
        label: label.into(),
        seed: 1,
        step_ns: 165_000_000_000,
        busy_ns: 90_000_000_000,
        columns: if credits { Discipline::named("chap").unwrap().flow_columns() } else { Vec::new() },
        columns_at_ns,
        apps: apps.collect(),
    }
}

pub fn page_of(comparison: &Comparison, stories: &[Story]) -> String {
    let origin = Origin {
        version: "0.0.1".into(),
        git: "unknown".into(),
        command: "airtab compare".into(),
        scenario_hash: "0123".into(),
    };
    html(&Report { comparison, scenario: &ScenarioFile::home().scenario, stories, origin: &origin })
}

fn page() -> String {
    let queues = vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, NEW, NEW_AIR)];
    page_of(&comparison(queues), &[story("fifo", false), story("chap", true)])
}

/// The figure whose description begins so.
pub fn figure<'a>(page: &'a str, alt: &str) -> &'a str {
    let start = page.find(&format!("<svg role=\"img\" aria-label=\"{alt}")).expect(alt);
    page[start..].split("</svg>").next().unwrap()
}

pub fn attribute<'a>(tag: &'a str, name: &str) -> &'a str {
    tag.split(&format!(" {name}=\""))
        .nth(1)
        .unwrap_or_else(|| panic!("{name} of {tag}"))
        .split('"')
        .next()
        .unwrap()
}

/// What follows the name in each such tag.
pub fn tags<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    svg.split(&format!("<{name} ")).skip(1).map(|tag| tag.split('>').next().unwrap()).collect()
}

/// A number of a tag.
pub fn value(tag: &str, name: &str) -> f64 {
    attribute(&format!(" {tag}"), name).parse().unwrap()
}

/// x and width of each bar.
pub fn widths(svg: &str) -> Vec<(f64, f64)> {
    let bars = tags(svg, "rect").into_iter().filter(|tag| tag.contains("class=\"bar"));
    bars.map(|tag| (value(tag, "x"), value(tag, "width"))).collect()
}

/// The points of each line of that colour.
pub fn lines(svg: &str, class: &str) -> Vec<Vec<(f64, f64)>> {
    let point = |p: &str| {
        let (x, y) = p.split_once(',').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    let of = |t: &str| attribute(&format!(" {t}"), "points").split_whitespace().map(point).collect();
    let begin = format!("<g class=\"{class}\">");
    let groups = svg.split(&begin).skip(1);
    groups.flat_map(|group| tags(group.split("</g>").next().unwrap(), "polyline")).map(of).collect()
}

/// The numbers of a path, in order.
pub fn numbers(path: &str) -> Vec<f64> {
    let words = path.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    words.filter_map(|word| word.parse().ok()).collect()
}

/// From where to where each interval of a bar reaches.
fn whiskers(svg: &str) -> Vec<(f64, f64)> {
    let paths = tags(svg, "path").into_iter().filter(|tag| tag.contains("class=\"whisker\""));
    // M low y v8 m0 -4 H high m0 -4 v8
    paths.map(|tag| numbers(attribute(&format!(" {tag}"), "d"))).map(|n| (n[0], n[5])).collect()
}

#[test]
fn scores_have_their_lengths_and_intervals() {
    let page = page();
    let game = figure(&page, "game, ");
    assert!(attribute(game, "aria-label").ends_with(": fifo 2.75 ± 0.35; chap 4.25 ± 0.07"), "{game}");
    // 388 are the 3.5 from 1 to 4.5: 194 for 1.75, 38.8 for 0.35.
    assert_eq!(widths(game), [(6.0, 194.0), (6.0, 360.3)]);
    assert_eq!(whiskers(game), [(161.2, 238.8), (358.5, 374.0)]);
    let edge = "<line class=\"axis\" x1=\"6\" y1=\"4\" x2=\"6\" y2=\"84\"/>";
    assert!(game.contains(edge), "bars begin at an edge that is seen: {game}");
    // 30 frames are all of it; pages reach to 225 ms, rates to 25 Mb/s: half a tick beyond what is drawn, at most.
    assert_eq!(widths(figure(&page, "video, ")), [(6.0, 194.0), (6.0, 388.0)]);
    assert_eq!(widths(figure(&page, "web, ")), [(6.0, 344.9), (6.0, 172.4)], "200 and 100 of 225 ms");
    assert_eq!(widths(figure(&page, "download, ")), [(6.0, 372.5), (6.0, 341.4)], "24 and 22 of 25 Mb/s");
    // A discipline is drawn as one, whatever it is about.
    assert!(["game, ", "web, "].iter().all(|alt| {
        let svg = figure(&page, alt);
        svg.matches("<g class=\"d0\">").count() == 1 && svg.matches("<g class=\"d2\">").count() == 1
    }));
}

/// No score is below 1 and no page takes less than nothing: an interval that says so ends, open, at the edge.
#[test]
fn what_cannot_be_is_not_drawn() {
    let mut low = OLD;
    low[0] = (1.35, 0.7);
    low[3] = (0.1, 0.15);
    let page = page_of(&comparison(vec![made("fifo", false, low, OLD_AIR)]), &[]);
    let game = figure(&page, "game, ");
    assert_eq!(widths(game), [(6.0, 38.8)], "0.35 of the 3.5 from 1 to 4.5");
    // To 2.05; y of the middle of the bar, which has no cap at the edge.
    assert!(game.contains("<path class=\"whisker\" d=\"M6 29H122.4m0 -4v8\"/>"), "{game}");
    assert!(game.contains(">1.35 ± 0.70</text>") && !game.contains(">0.5</text>"), "{game}");
    let web = figure(&page, "web, ");
    assert!(web.contains("<path class=\"whisker\" d=\"M6 29H394m0 -4v8\"/>"), "0 to 250 ms: {web}");
    // What ends at the edge has its cap.
    low[0] = (1.35, 0.35);
    let page = page_of(&comparison(vec![made("fifo", false, low, OLD_AIR)]), &[]);
    assert_eq!(whiskers(figure(&page, "game, ")), [(6.0, 83.6)]);
}

#[test]
fn airtime_is_stacked_and_said() {
    let page = page();
    let air = figure(&page, "Airtime. ");
    assert_eq!(
        attribute(air, "aria-label"),
        "Airtime. fifo: game 2.0 % down, 0.5 % up, call 3.0 % down, 1.0 % up, video 10.0 % down, 1.5 % up, web 5.0 % \
         down, 2.0 % up, download 50.0 % down, 15.0 % up; chap: game 1.0 % down, 0.5 % up, call 4.0 % down, 1.0 % up, \
         video 20.0 % down, 1.5 % up, web 15.0 % down, 2.0 % up, download 25.0 % down, 15.0 % up"
    );
    // 388 are all of the time; each part begins where the one before ends: all downlinks, then all uplinks.
    let cumulative = |down: [f64; 5]| {
        let mut from = 0.0;
        let bar = |share: f64| {
            let bar = (6.0 + from * 388.0, share * 388.0);
            from += share;
            bar
        };
        down.into_iter().chain(UP_AIR).map(bar).collect::<Vec<_>>()
    };
    let expected = [cumulative(OLD_AIR), cumulative(NEW_AIR)].concat();
    let found = widths(air);
    let close = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() < 0.06 && (a.1 - b.1).abs() < 0.06;
    assert!(found.len() == 20 && found.iter().zip(&expected).all(close), "{found:?}, not {expected:?}");
    let looks: Vec<&str> = air.split("<g class=\"").skip(1).map(|g| g.split('"').next().unwrap()).collect();
    assert_eq!(looks[..10], ["c0", "c1", "c2", "c3", "c4", "c0", "c1", "c2", "c3", "c4"], "a colour each");
    assert_eq!(air.matches("class=\"bar pale\"").count(), 10, "uplinks are paler");
    let rows = [
        "<tr><th>fifo<td>2.0 + 0.5<td>3.0 + 1.0<td>10.0 + 1.5<td>5.0 + 2.0<td>50.0 + 15.0<td>10.0</tr>",
        "<tr><th>chap<td>1.0 + 0.5",
    ];
    assert!(rows.iter().all(|row| page.contains(row)), "{page}");
    assert!(!page.contains("Not here, for measured"), "all are");
}

/// The area between the axes of a figure with lines: left, right, top, bottom.
pub fn area(svg: &str) -> [f64; 4] {
    let axes: Vec<&str> = tags(svg, "line").into_iter().filter(|t| t.contains("class=\"axis\"")).collect();
    let [bottom, left] = axes[..] else { panic!("two axes: {svg}") };
    [value(left, "x1"), value(bottom, "x2"), value(left, "y1"), value(bottom, "y1")]
}

/// Where a point lies in it, both from 0 to 1.
pub fn at(svg: &str, x: f64, y: f64) -> (f64, f64) {
    let [left, right, top, bottom] = area(svg);
    (left + x * (right - left), bottom - y * (bottom - top))
}

#[track_caller]
pub fn near(points: &[(f64, f64)], expected: &[(f64, f64)]) {
    // Coordinates have tenths.
    let close = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() <= 0.07 && (a.1 - b.1).abs() <= 0.07;
    assert!(
        points.len() == expected.len() && points.iter().zip(expected).all(close),
        "{points:?}, not {expected:?}"
    );
}

const DOWNLOAD: &str = "c4";
const GAME: &str = "c0";

#[test]
fn delays_rates_and_credits_are_where_they_belong() {
    let page = page();
    let delay = figure(&page, "Time in the queue under fifo");
    assert!(attribute(delay, "aria-label").contains("game 1.00 ms; call"), "the point in the middle");
    // 0.1, 1 and 10 ms between 0.01 and 10 ms, each ten times the last.
    let place = |x, y| at(delay, x, y);
    near(&lines(delay, GAME)[0], &[place(1.0 / 3.0, 0.0), place(2.0 / 3.0, 0.25), place(1.0, 1.0)]);

    let received = figure(&page, "Received over time under chap");
    assert!(attribute(received, "aria-label").ends_with("download 10.0 Mb/s"), "{received}");
    // The middles of two halves of the run; 1 and 10 Mb/s between 0.01 and 10 Mb/s.
    let place = |x, y| at(received, x, y);
    near(&lines(received, DOWNLOAD)[0], &[place(0.25, 2.0 / 3.0), place(0.75, 1.0)]);
    near(&lines(received, GAME)[0], &[place(0.25, 0.0), place(0.75, 1.0 / 3.0)]);
    assert!(!page.contains("(up)"), "nothing is sent");

    let credit = figure(&page, "Credit over time under chap");
    assert!(attribute(credit, "aria-label").ends_with("means: call 6.0 ms; download 7.0 ms"), "{credit}");
    // From -10 to 25 ms: room above the most, which has a tick.
    let y = |ms: f64| (ms + 10.0) / 35.0;
    assert!(credit.contains(">20</text>"), "{credit}");
    let expected =
        [20.0, 10.0, 0.0, -10.0, 15.0].iter().enumerate().map(|(i, ms)| at(credit, i as f64 / 4.0, y(*ms)));
    near(&lines(credit, DOWNLOAD)[0], &expected.collect::<Vec<_>>());
    assert!(lines(credit, GAME).is_empty(), "what is not known has no line");
    assert!(page.contains("looked at every 1 ms from 0.1 s before to 0.5 s after second 90:"));
}

/// What an upload sends is drawn, and not what comes back.
#[test]
fn an_upload_is_drawn_as_its_data() {
    let mut stories = [story("fifo", false), story("chap", true)];
    for story in &mut stories {
        story.apps[0].uploaded_bps = vec![1e6, 0.1e6];
        story.apps[4].uploaded_bps = vec![1e6, 20e6]; // less than twice what it receives
    }
    let page = page_of(
        &comparison(vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, NEW, NEW_AIR)]),
        &stories,
    );
    let received = figure(&page, "Received over time under chap");
    let place = |x, y| at(received, x, y);
    near(&lines(received, GAME)[0], &[place(0.25, 2.0 / 3.0), place(0.75, 1.0 / 3.0)]);
    near(&lines(received, DOWNLOAD)[0], &[place(0.25, 2.0 / 3.0), place(0.75, 1.0)]);
    assert!(page.contains("</svg>game (up)</span>") && !page.contains("download (up)"));
    assert!(page.contains("or at its server what an upload sends"));
}

fn lead(queues: Vec<QueueScores>) -> String {
    let page = page_of(&comparison(queues), &[]);
    let rest = page.split("<p class=\"lead\">").nth(1);
    rest.map_or("", |rest| rest.split("</p>").next().unwrap()).into()
}

#[test]
fn the_first_sentence_says_what_there_is_to_gain() {
    assert!(
        page().contains("<h1>home: what game, call, video, web and download felt under fifo and chap</h1>")
    );
    const GAIN: &str = "What chap makes better than fifo: game scores 4.25 instead of 2.75, call scores 4.40 instead of \
                        3.00, video shows 30.0 frames a second instead of 15.0 and a page of web takes 100 ms \
                        instead of 200. What it makes worse: download receives 22.00 Mb/s instead of 24.00.";
    // The download varies as much under both, and equally in each seed: a loss of 2 Mb/s is worse.
    assert_eq!(
        lead(vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, NEW, NEW_AIR)]),
        format!("chap is best, or as good as the best, for 4 of 5 applications. {GAIN}")
    );
    // Told by hand which flows matter, a discipline is a little better.
    let mut told = NEW;
    told[3] = (0.08, 0.005);
    let three = || {
        let told = made("spq", true, told, NEW_AIR);
        vec![made("fifo", false, OLD, OLD_AIR), told, made("chap", false, NEW, NEW_AIR)]
    };
    assert_eq!(
        lead(three()),
        format!(
            "spq is best, or as good as the best, for 4 of 5 applications. It goes by classes that were set by hand; \
             of those that are told nothing, chap is best, or as good as the best, for 3 of 5 applications. {GAIN}"
        )
    );
    // Whom none serves better is served best by all.
    let mut alike = NEW;
    alike[0] = OLD[0];
    let page = lead(vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, alike, NEW_AIR)]);
    assert!(page.starts_with("chap is best, or as good as the best, for 4 of 5 applications."), "{page}");
    // With one class for all, nothing was told.
    let page = page_of(&Comparison { classes: vec![1; 5], ..comparison(three()) }, &[]);
    assert!(page.contains(
        "<p class=\"lead\">spq is best, or as good as the best, for 4 of 5 applications. What spq"
    ));
    assert_eq!(
        lead(vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, OLD, OLD_AIR)]),
        "No application can tell fifo and chap apart."
    );
}

/// One discipline with one application: its score, of so many seeds.
fn single(label: &str, kind: &'static str, metric: Metric, (mean, half): (f64, f64)) -> QueueScores {
    let metrics = BTreeMap::from([(metric, summary(mean, half))]);
    let app = Scores { name: "it".into(), kind, station: String::new(), metrics };
    QueueScores { apps: vec![app], ..made(label, false, OLD, OLD_AIR) }
}

/// What is said of chap beside fifo, with a third that is worse than both.
fn said(kind: &'static str, metric: Metric, old: (f64, f64), new: (f64, f64)) -> String {
    let worst = match metric.sense() > 0.0 {
        true => (0.0, 0.0),
        false => (1e6, 0.0),
    };
    let of = |label, score| single(label, kind, metric, score);
    lead(vec![of("fifo", old), of("chap", new), of("red", worst)])
}

/// What chap makes better.
fn gain(kind: &'static str, metric: Metric, old: (f64, f64), new: (f64, f64)) -> Option<String> {
    let said = said(kind, metric, old, new);
    let (_, gains) = said.split_once(" What chap makes better than fifo: ")?;
    let (gains, rest) = gains.split_once(". ")?;
    assert_eq!(rest, "Nothing gets worse beyond its interval.");
    Some(gains.into())
}

#[test]
fn a_difference_is_beyond_its_own_interval() {
    let mos = |old, new| gain("game", GameMos, old, new);
    // 0.5 more. What all seeds share says nothing against it.
    assert_eq!(mos((3.75, 0.75), (4.25, 0.75)).as_deref(), Some("it scores 4.25 instead of 3.75"));
    assert_eq!(mos((3.75, 0.51), (4.25, 0.0)), None, "the difference varies by more");
    assert_eq!(mos((3.75, 0.0), (4.25, 0.51)), None, "likewise");
    assert_eq!(mos((3.75, 0.0), (4.25, 0.49)).as_deref(), Some("it scores 4.25 instead of 3.75"));
    // What tables show as one number is one.
    assert_eq!(mos((4.251, 0.0), (4.254, 0.0)), None);
    // Less is better: 100 instead of 200 ms.
    let page = |old, new| gain("web", PageTime, old, new);
    assert_eq!(page((0.2, 0.04), (0.1, 0.05)).as_deref(), Some("a page of it takes 100 ms instead of 200"));
    assert_eq!(page((0.125, 0.0), (0.0625, 0.0626)), None);
    // As many digits as the difference bears.
    let rate = |new| gain("download", Goodput, (10e6, 0.0), new).unwrap();
    assert_eq!(rate((24.837e6, 2.1e6)), "it receives 24.8 Mb/s instead of 10.0");
}

#[test]
fn what_gets_worse_is_said_as_loud() {
    let best = "fifo is best, or as good as the best, for every application.";
    assert_eq!(said("streaming", BitRate, (2.5e6, 0.0), (1e6, 0.0)), best, "who is best changes nothing");
    // Four of each at most, the largest ones, in the order of the scenario.
    let of = |label: &str, scores: &[f64]| {
        let app = |(i, mbps): (usize, &f64)| Scores {
            name: format!("a{i}"),
            ..single(label, "download", Goodput, (mbps * 1e6, 0.0)).apps.remove(0)
        };
        QueueScores {
            apps: scores.iter().enumerate().map(app).collect(),
            ..single(label, "udp", Goodput, (1.0, 0.0))
        }
    };
    let old = of("fifo", &[10.0; 12]);
    let new = of("chap", &[11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 9.0, 8.0, 6.0, 7.0, 5.0]);
    let text = lead(vec![old, new]);
    let (_, said) = text.split_once("applications. ").unwrap();
    assert_eq!(
        said,
        "What chap makes better than fifo: a3 receives 14.00 Mb/s instead of 10.00, a4 receives 15.00 Mb/s instead of \
         10.00, a5 receives 16.00 Mb/s instead of 10.00, a6 receives 17.00 Mb/s instead of 10.00 and 3 more (below). \
         What it makes worse: a8 receives 8.00 Mb/s instead of 10.00, a9 receives 6.00 Mb/s instead of 10.00, a10 \
         receives 7.00 Mb/s instead of 10.00, a11 receives 5.00 Mb/s instead of 10.00 and 1 more (below)."
    );
    // Changes are ordered as parts of the old value: 4 of 100 is less than 1 of 1.
    let text = lead(vec![of("fifo", &[100.0, 1.0, 1.0, 1.0, 1.0]), of("chap", &[104.0, 2.0, 2.0, 2.0, 2.0])]);
    assert!(text.contains(": a1 receives 2.00") && text.contains("and 1 more (below)"), "{text}");
    // Of five that are as large the first four.
    let text = lead(vec![of("fifo", &[1.0; 5]), of("chap", &[2.0; 5])]);
    assert!(text.contains("a3 receives 2.00 Mb/s instead of 1.00 and 1 more (below)."), "{text}");
}

#[test]
fn each_application_has_its_verdict() {
    let page = page_of(
        &comparison(vec![
            made("fifo", false, OLD, OLD_AIR),
            made("chap:limit=70", false, NEW, NEW_AIR),
            made("red", false, OLD, OLD_AIR),
        ]),
        &[],
    );
    assert!(page.contains("<h3>Against fifo</h3>"));
    for row in [
        "<tr><th>game<td>MOS<td class=\"better\">better, +1.50 ± 0.28<td class=\"same\">same, 0.00 ± 0.00</tr>",
        "<tr><th>web<td>page, ms<td class=\"better\">better, -100 ± 5<td class=\"same\">same, 0 ± 0</tr>",
        "<tr><th>download<td>Mb/s<td class=\"worse\">worse, -2.00 ± 0.00<td class=\"same\">same, 0.00 ± 0.00</tr>",
    ] {
        assert!(page.contains(row), "no {row} in {page}");
    }
    // One without a score under one discipline has no change there.
    let mut queues = vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, NEW, NEW_AIR)];
    queues[1].apps[1].metrics.remove(&VoipMos);
    let page = page_of(&comparison(queues), &[]);
    for row in
        ["<tr><th>call<td>MOS<td>-</tr>", "<tr><th>game<td>MOS<td class=\"better\">better, +1.50 ± 0.28</tr>"]
    {
        assert!(page.contains(row), "no {row} in {page}");
    }
    let one = Comparison { seeds: vec![1], ..comparison(vec![single("a", "udp", Goodput, (1.0, 0.0)); 2]) };
    let mut one = one;
    one.queues.iter_mut().for_each(|q| q.apps[0].metrics.get_mut(&Goodput).unwrap().values.truncate(1));
    assert!(!page_of(&one, &[]).contains("Against"), "one seed tells nothing");
}

/// A seed without a score under one of two disciplines says nothing about their difference.
#[test]
fn a_seed_that_only_one_has_is_left_out() {
    let of = |label, scores: [Option<f64>; 4]| {
        let mut q = single(label, "web", PageTime, (0.0, 0.0));
        let known: Vec<f64> = scores.iter().copied().flatten().collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        q.apps[0]
            .metrics
            .insert(PageTime, Summary { mean, half_width_95: Some(1.0), values: scores.to_vec() });
        q
    };
    // Of the seeds that both have, 30 ms less each time: 13 % of 225 ms. The means of what each has are 433 and 620 ms.
    let old = of("fifo", [Some(0.20), Some(0.25), Some(0.85), None]);
    let c = comparison(vec![old, of("chap", [Some(0.17), Some(0.22), None, Some(1.47)])]);
    let change = c.changes()[0].apps[0].change.unwrap();
    assert!((change.mean + 0.03).abs() < 1e-12 && change.half_width_95 < 1e-12, "{change:?}");
    assert_eq!(change.verdict, airtab_lab::Verdict::Better);
}

/// Some applications have more than one scored figure: a call of a capture delay and losses, a stream its rate and stalls.
#[test]
fn each_figure_that_counts_has_its_verdict() {
    let of = |label: &str, figures: &[(Metric, f64)]| {
        let metrics = figures.iter().map(|(metric, x)| (*metric, summary(*x, 0.0))).collect();
        let call = Scores { name: "call".into(), kind: "trace", station: String::new(), metrics };
        QueueScores { apps: vec![call], ..made(label, false, OLD, OLD_AIR) }
    };
    let old = of("fifo", &[(WorseDelayP99, 0.317), (WorseLoss, 0.021), (Loss, 0.021)]);
    let quick = of("chap", &[(WorseDelayP99, 0.0025), (WorseLoss, 0.021), (Loss, 0.021)]);
    assert_eq!(
        lead(vec![old.clone(), quick.clone()]),
        "chap is best, or as good as the best, for every application. What chap makes better than fifo: 99 % of the arriving \
         packets of call take at most 2.50 ms instead of 317.00. Nothing gets worse beyond its interval."
    );
    let page = page_of(&comparison(vec![old.clone(), quick]), &[]);
    for row in [
        "<tr><th>call<td>delay p99, worse direction, ms<td class=\"better\">better, -314.50 ± 0.00</tr>",
        "<tr><th>call<td>lost, worse direction, %<td class=\"same\">same, 0.00 ± 0.00</tr>",
    ] {
        assert!(page.contains(row), "no {row} in {page}");
    }
    // Quick because most is lost: best in one figure is not best for the application.
    let lossy = of("red", &[(WorseDelayP99, 0.0025), (WorseLoss, 0.4), (Loss, 0.4)]);
    assert_eq!(
        lead(vec![old, lossy]),
        "No discipline is best, or as good as the best, for an application. What red makes better than fifo: 99 % of the \
         arriving packets of call take at most 2.50 ms instead of 317.00. What it makes worse: call loses 40.00 % of its packets \
         instead of 2.10."
    );
    // A stream of the same rate that stands still less.
    let film = |label: &str, stalled: f64| {
        let mut q = single(label, "streaming", BitRate, (3e6, 0.0));
        q.apps[0].metrics.insert(Stalled, summary(stalled, 0.0));
        q
    };
    let said = lead(vec![film("fifo", 0.05), film("chap", 0.0)]);
    assert!(
        said.contains(
            "What chap makes better than fifo: it stands still for 0.0 % of its time instead of 5.0."
        ),
        "{said}"
    );
    assert_eq!(
        lead(vec![film("fifo", 0.009), film("chap", 0.0)]),
        "No application can tell fifo and chap apart."
    );
}

/// A tenth of a schedule has no headline; disciplines that cannot differ have the reason there.
#[test]
fn nothing_is_concluded_from_a_short_schedule() {
    let two = || vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, NEW, NEW_AIR)];
    let short = Comparison { short: true, ..comparison(two()) };
    assert_eq!(airtab_lab::headline(&short), "");
    assert!(!page_of(&short, &[]).contains("class=\"lead\""));
    let reason = Some("No discipline can differ here: the queue is empty.".to_string());
    for short in [false, true] {
        let c = Comparison { no_difference: reason.clone(), short, ..comparison(two()) };
        assert_eq!(Some(airtab_lab::headline(&c)), reason);
    }
}

/// A discipline under which the download has half serves all others best, and is not called so.
#[test]
fn a_discipline_that_halves_bulk_transfers_is_not_called_best() {
    let with = |rate: f64| {
        let mut scores = NEW;
        scores[4] = (rate, 1e5);
        let mut told = OLD;
        told[0] = NEW[0];
        vec![
            made("fifo", false, OLD, OLD_AIR),
            made("starve", false, scores, NEW_AIR),
            made("red", false, told, OLD_AIR),
        ]
    };
    assert!(
        lead(with(12.1e6))
            .starts_with("starve is best, or as good as the best, for 4 of 5 applications. What starve")
    );
    let said = lead(with(12e6));
    assert!(
        said.starts_with(
            "red is best, or as good as the best, for 2 of 5 applications. What red makes better"
        ),
        "{said}"
    );
    let end = " starve is not called best: its bulk transfers have 12.00 Mb/s, under fifo 24.00: half of it, or less.";
    assert!(said.ends_with(end), "{said}");
    // Nor has it a mark in a table, where it is best.
    let table =
        |rate| airtab_lab::table::comparison(&comparison(with(rate)), Style { width: 120, colour: false });
    let call = |text: &str| text.lines().find(|line| line.starts_with("call")).unwrap().matches('*').count();
    assert_eq!([call(&table(12.1e6)), call(&table(12e6))], [1, 0]);
    assert!(
        table(12e6).contains("starve is not called best: ") && !table(12.1e6).contains("not called best")
    );
}

#[test]
fn gains_have_their_units() {
    let of = |kind, metric, old: f64, new: f64| gain(kind, metric, (old, 0.0), (new, 0.0)).unwrap();
    assert_eq!(of("voip", VoipMos, 3.0, 4.256), "it scores 4.26 instead of 3.00");
    assert_eq!(of("video", FrameRate, 15.0, 30.0), "it shows 30.0 frames a second instead of 15.0");
    assert_eq!(of("streaming", BitRate, 1e6, 2.5e6), "it plays at 2.50 Mb/s instead of 1.00");
    assert_eq!(of("upload", UplinkGoodput, 10e6, 12e6), "it sends 12.00 Mb/s instead of 10.00");
    assert_eq!(of("download", Goodput, 10e6, 12e6), "it receives 12.00 Mb/s instead of 10.00");
}

#[test]
fn who_is_best_is_said_where_it_can_be() {
    let of = |label, score| single(label, "game", GameMos, score);
    assert_eq!(lead(vec![of("fifo", (3.0, 0.1))]), "", "alone");
    let none = QueueScores { apps: Vec::new(), ..of("fifo", (3.0, 0.1)) };
    assert_eq!(lead(vec![none.clone(), none]), "", "no application");
    let two = || vec![of("fifo", (3.0, 0.1)), of("chap", (4.0, 0.1))];
    for (seeds, said) in [
        (vec![7], "One seed cannot tell which of fifo and chap is best."),
        (
            vec![1, 2],
            "chap is best, or as good as the best, for every application. What chap makes better than fifo: it \
             scores 4.00 instead of 3.00. Nothing gets worse beyond its interval.",
        ),
    ] {
        let c = Comparison { seeds, ..comparison(two()) };
        let page = page_of(&c, &[]);
        assert!(page.contains(&format!("<p class=\"lead\">{said}</p>")), "{said}");
    }
    // The first column is best: nothing to gain.
    assert_eq!(
        lead(vec![of("fifo", (4.0, 0.1)), of("chap", (3.0, 0.1))]),
        "fifo is best, or as good as the best, for every application."
    );
    // Two that cannot be told apart, of which the first is the reference.
    assert_eq!(
        lead(vec![of("fifo", (4.0, 0.3)), of("chap", (4.1, 0.1)), of("red", (3.0, 0.1))]),
        "fifo and chap are best, or as good as the best, for every application. No application can tell chap from fifo."
    );
}

#[test]
fn what_was_told_by_hand_is_set_apart() {
    let told = |label, score| {
        let mut q = single(label, "game", GameMos, score);
        q.params.insert("classes", "2".into());
        q
    };
    let of = |label, score| single(label, "game", GameMos, score);
    assert_eq!(
        lead(vec![of("fifo", (3.0, 0.1)), told("spq", (4.0, 0.1)), told("drr", (4.1, 0.3))]),
        "spq and drr are best, or as good as the best, for every application. They go by classes that were set by hand."
    );
    assert_eq!(
        lead(vec![told("spq", (4.0, 0.1)), told("drr", (3.0, 0.1))]),
        "spq is best, or as good as the best, for every application.",
        "nobody is told nothing"
    );
}

#[test]
fn scores_are_named_with_their_unit() {
    for (kind, metric, said) in [
        ("game", GameMos, "opinion score of the game (MOS, 1 to 4.4, more is better)"),
        ("voip", VoipMos, "opinion score of the call (MOS, 1 to 4.5, more is better)"),
        ("video", FrameRate, "playable frames per second (more is better)"),
        ("web", PageTime, "time to load a page, ms (less is better)"),
        ("udp", Goodput, "received, Mb/s (more is better)"),
        ("upload", UplinkGoodput, "received from the station, Mb/s (more is better)"),
        ("streaming", BitRate, "bit rate of what is played, Mb/s (more is better)"),
    ] {
        let page = page_of(&comparison(vec![single("fifo", kind, metric, (2.0, 0.0))]), &[]);
        figure(&page, &format!("it, {said}: fifo "));
    }
    // Videos are shown on a scale of 30 frames, also where none has as many: 15 are half of it.
    let page = page_of(&comparison(vec![single("fifo", "video", FrameRate, (15.0, 0.0))]), &[]);
    assert_eq!(widths(figure(&page, "it, playable")), [(6.0, 194.0)]);
    // From nothing to 1 where there is no scale: 270 are all of it.
    let page = page_of(&comparison(vec![single("fifo", "udp", Goodput, (0.5e6, 0.0))]), &[]);
    assert_eq!(widths(figure(&page, "it, received")), [(6.0, 194.0)]);
}

#[test]
fn seven_names_are_a_number() {
    let many = |n: usize| {
        let mut q = made("fifo", false, OLD, OLD_AIR);
        q.apps = (0..n)
            .map(|i| Scores {
                name: format!("a{i}"),
                kind: "game",
                station: String::new(),
                metrics: BTreeMap::new(),
            })
            .collect();
        page_of(&comparison(vec![q]), &[])
    };
    assert!(many(6).contains("<h1>home: what a0, a1, a2, a3, a4 and a5 felt under fifo</h1>"));
    assert!(many(7).contains("<h1>home: what 7 applications felt under fifo</h1>"));
}

/// Every kind of application, on stations of every kind of loss.
const ALL: &str = r#"
name = "all"
duration = "30s"
[wired]
rate = "50Mb/s"
trunk_latency = "2ms"
[[station]]
name = "near"
[[station]]
name = "far"
rate = "24Mb/s"
distance = 5.5
[[station]]
name = "bad"
fer = 0.25
[[app]]
name = "a"
kind = "game"
station = "near"
latency = "1500us"
[[app]]
name = "b"
kind = "voip"
station = "far"
[[app]]
name = "c"
kind = "video"
station = "bad"
[[app]]
name = "d"
kind = "web"
station = "near"
[[app]]
name = "e"
kind = "web"
site = "yahoo"
station = "near"
[[app]]
name = "f"
kind = "ping"
interval = "250ms"
station = "near"
[[app]]
name = "g"
kind = "udp"
rate = "2500kbit"
station = "near"
[[app]]
name = "h"
kind = "download"
station = "near"
[[app]]
name = "i"
kind = "upload"
congestion = "newreno"
station = "near"
[[app]]
name = "j"
kind = "p2p"
flows = 3
station = "near"
[[app]]
name = "k"
kind = "p2p"
flows = 4
upload = true
station = "near"
[[app]]
name = "l"
kind = "streaming"
station = "near"
[[app]]
name = "m"
kind = "download"
reconnect = "2s"
station = "near"
"#;

fn page_about(text: &str) -> String {
    let scenario = ScenarioFile::parse("all.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario;
    let origin =
        Origin { version: "0".into(), git: "0".into(), command: "airtab".into(), scenario_hash: "0".into() };
    let c = comparison(vec![made("fifo", false, OLD, OLD_AIR)]);
    html(&Report { comparison: &c, scenario: &scenario, stories: &[], origin: &origin })
}

#[test]
fn the_home_is_described() {
    let page = page_about(ALL);
    let near = "near: 54 Mb/s, 1 m away";
    for row in [
        // 1.5 ms to the switch and 2 ms of the trunk; 1 ms where nothing is said.
        &format!("a<td>online game<td>{near}<td>3.5 ms<td>competitive-game</tr>"),
        "b<td>voice call<td>far: 24 Mb/s, 5.5 m away<td>3 ms<td>voice</tr>",
        "c<td>video over UDP<td>bad: 54 Mb/s, 25 % of frames lost<td>3 ms<td>video-conference</tr>",
        "d<td>web pages, one after the other<td>",
        "e<td>visits of one page (yahoo)<td>",
        "f<td>requests to a distant host, one each 250ms<td>",
        "g<td>UDP packets, 2.5 Mb/s<td>",
        "h<td>endless download (cubic)<td>",
        "i<td>endless upload (newreno)<td>",
        "j<td>3 endless downloads (cubic)<td>",
        "k<td>4 endless downloads and uploads (cubic)<td>",
        "l<td>streamed video, 0.235 to 5.8 Mb/s<td>",
        "m<td>endless download (cubic, a new connection each 2s)<td>",
    ] {
        assert!(page.contains(&format!("</svg>{row}")), "{row}: {page}");
    }
    assert!(page.contains("3 stations behind one access point (phy-a: "), "{page}");
    assert!(page.contains(
        "), servers on wires of 50 Mb/s. 330 s simulated, measured from 90 s to 270 s, 3 seeds for each"
    ));
    let one = "duration = \"9s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"game\"\nstation = \"s\"\n";
    assert!(page_about(one).contains("One station behind one access point (phy-a: "));
    let emulated = |extra: &str| page_about(&format!("{one}[wifi]\nmedium = \"emulator\"\n{extra}"));
    assert!(emulated("").contains(", an emulated link), servers"));
    let extra = emulated("extra_delay = \"2ms\"");
    assert!(extra.contains(", an emulated link that adds 2ms to every packet), servers"), "{extra}");
    let dumbbell = |extra: &str| {
        page_about(&format!("topology = \"dumbbell\"\n{one}[bottleneck]\nrate = \"10Mb/s\"\n{extra}"))
    };
    let page = dumbbell("");
    let wire = "One station behind one wire of 10Mbit, where a packet has 38 bytes around it, servers before its router on wires of 100 Mb/s.";
    assert!(page.contains(wire), "{page}");
    assert!(dumbbell("overhead = 0").contains("behind one wire of 10Mbit, servers before its router"));
}

/// The report of two disciplines, with what is told by each.
fn report_of(c: &Comparison, scenario: &airtab_sim::Scenario, stories: &[Story]) -> (String, Vec<String>) {
    let origin = Origin {
        version: "3.2.1".into(),
        git: "abcdef".into(),
        command: "airtab compare 'a & b'".into(),
        scenario_hash: "0123456789".into(),
    };
    let report = Report { comparison: c, scenario, stories, origin: &origin };
    let names = airtab_lab::figures(&report).into_iter().map(|figure| figure.name).collect();
    (html(&report), names)
}

#[test]
fn a_page_says_how_it_is_made_again() {
    let mut queues = vec![made("fifo", false, OLD, OLD_AIR), made("chap:limit=70", true, NEW, NEW_AIR)];
    queues[1].params.insert("limit", "70".into());
    let home = ScenarioFile::home().scenario;
    let of = |seeds: &[u64]| {
        let c = Comparison { seeds: seeds.to_vec(), short: seeds.len() == 1, ..comparison(queues.clone()) };
        report_of(&c, &home, &[]).0
    };
    for (seeds, said, each) in [
        (&[4, 5, 6][..], "4 to 6", "3 seeds"),
        (&[4, 6, 7], "4, 6, 7", "3 seeds"),
        (&[6, 5, 4], "6, 5, 4", "3 seeds"),
        (&[9], "9", "one seed"),
    ] {
        let page = of(seeds);
        let note = format!("airtab 3.2.1, commit abcdef; seeds {said}; scenario home, number 0123456789.");
        assert!(page.contains(&note), "{said}: {page}");
        assert!(page.contains(&format!(", {each} for each discipline.</p>")), "{each}");
        let means = if seeds.len() > 1 {
            "Means over the seeds, with 95 % intervals."
        } else {
            "Means over the seeds."
        };
        assert!(page.contains(&format!("<p>{means}</p>")), "{means}");
        assert_eq!(
            page.contains("<p class=\"note\">Short: all times of the schedule were divided by 10."),
            seeds.len() == 1
        );
    }
    let page = of(&[1, 2]);
    assert!(page.contains(" tabindex=\"0\">airtab compare 'a &amp; b'</pre>"), "{page}");
    for row in ["<tr><th>fifo<td>limit=35</tr>", "<tr><th>chap:limit=70<td>classes=2 limit=70</tr>"] {
        assert!(page.contains(row), "no {row} in {page}");
    }
    assert!(
        page.contains("<th>fifo<th>chap:<br>limit=70</tr>"),
        "a heading has its parameters below it: {page}"
    );
    // A number stays with its unit.
    for said in [
        "<li>game 2.75 under fifo, 4.25 under chap:limit=70: ",
        "<li>web 200&nbsp;ms under fifo, 100&nbsp;ms under ",
    ] {
        assert!(page.contains(said), "no {said} in {page}");
    }
}

/// An application that is measured in a time of its own has no part of the others' time.
#[test]
fn air_of_another_time_is_not_added() {
    let mut scenario = ScenarioFile::home().scenario;
    scenario.apps[1].measure_ns = Some(100_000_000_000..110_000_000_000);
    scenario.apps[3].measure_ns = Some(100_000_000_000..120_000_000_000);
    // What is measured in the same time, though said for itself, is.
    scenario.apps[2].measure_ns = Some(scenario.measure_ns.clone());
    let c = comparison(vec![made("fifo", false, OLD, OLD_AIR), made("chap", false, NEW, NEW_AIR)]);
    let (page, names) = report_of(&c, &scenario, &[story("fifo", false), story("chap", true)]);
    let air = figure(&page, "Airtime. ");
    let apps: Vec<&str> = [0, 2, 4].map(|i| scenario.apps[i].name.as_str()).into();
    let shares = [(2.0, 0.5), (10.0, 1.5), (50.0, 15.0)];
    let said: Vec<String> = apps
        .iter()
        .zip(shares)
        .map(|(name, (down, up))| format!("{name} {down:.1} % down, {up:.1} % up"))
        .collect();
    assert!(
        attribute(air, "aria-label").starts_with(&format!("Airtime. fifo: {}; chap: ", said.join(", "))),
        "{air}"
    );
    let looks: Vec<&str> = air.split("<g class=\"").skip(1).map(|g| g.split('"').next().unwrap()).collect();
    assert_eq!(looks[..6], ["c0", "c2", "c4", "c0", "c2", "c4"]);
    // All that is neither of these three: 21 % down and up.
    assert!(page.contains("<tr><th>fifo<td>2.0 + 0.5<td>10.0 + 1.5<td>50.0 + 15.0<td>21.0</tr>"), "{page}");
    let [one, two] = [1, 3].map(|i| scenario.apps[i].name.as_str());
    assert!(
        page.contains(&format!("Not here, for measured in a time of their own: {one} and {two}.")),
        "{page}"
    );
    assert!(page.contains("Share of the measured time, 180 s, mean over the seeds"), "{page}");
    assert_eq!(names, ["scores", "queue-delay", "received", "column-credit", "air"]);
    assert_eq!(report_of(&c, &scenario, &[]).1, ["scores"], "without a story nothing happens over time");
}

/// Columns are known by their names, wherever a discipline's table has them; peaks are the highest of all steps.
#[test]
fn columns_and_peaks_are_each_disciplines_own() {
    let [credit, sojourn] =
        ["chap", "fq_codel"].map(|name| Discipline::named(name).unwrap().flow_columns()[0]);
    let of = |label: &str, columns: Vec<airtab_core::Column>, values: Vec<Vec<Option<f64>>>| {
        let mut story = story(label, true);
        (story.columns, story.seed) = (columns, 6);
        for app in &mut story.apps {
            app.columns = vec![vec![None; 5]; values.len()];
        }
        story.apps[4].columns = values;
        story.apps[0].received_bps = vec![7e6, 2e6];
        story
    };
    let of_credit = vec![Some(0.001); 5];
    let of_sojourn = vec![Some(0.030), None, Some(0.050), None, None];
    let stories = [
        of("one", vec![credit, sojourn], vec![of_credit.clone(), of_sojourn]),
        of("two", vec![sojourn], vec![vec![Some(0.090); 5]]),
        of("three", vec![credit], vec![of_credit]),
    ];
    let queues = ["one", "two", "three"].map(|label| made(label, false, OLD, OLD_AIR));
    let (page, names) = report_of(&comparison(queues.into()), &ScenarioFile::home().scenario, &stories);
    let means = |column: &str, queue: &str| {
        let begin = format!("aria-label=\"{column} over time under {queue}, means: ");
        page.split(begin.as_str()).nth(1).map(|rest| rest.split('"').next().unwrap().to_string())
    };
    assert_eq!(means("Sojourn", "one").as_deref(), Some("download 40.0 ms"));
    assert_eq!(means("Sojourn", "two").as_deref(), Some("download 90.0 ms"));
    assert_eq!(means("Sojourn", "three"), None);
    assert_eq!(["one", "two", "three"].map(|queue| means("Credit", queue)), {
        let one = Some("download 1.0 ms".to_string());
        [one.clone(), None, one]
    });
    assert_eq!(names, ["scores", "queue-delay", "received", "column-credit", "column-sojourn", "air"]);
    // Which run it is, and how it is looked at.
    assert!(page.contains("One run of each discipline (seed 6): which share"), "{page}");
    assert!(page.contains("The same runs, in steps of 165 s: what arrives"), "{page}");
    // Each application as it is drawn.
    let rows: Vec<&str> = page.split("<tr><th><svg class=\"key\"").skip(1).collect();
    assert_eq!(rows.len(), APPS.len());
    for (i, row) in rows.iter().enumerate() {
        assert!(row.split("</svg>").next().unwrap().contains(&format!("<g class=\"c{i}\">")), "{i}: {row}");
    }
    let received = figure(&page, "Received over time under two, highest: ");
    assert!(attribute(received, "aria-label").contains(": game 7.0 Mb/s; call 0.1 Mb/s"), "{received}");
}
