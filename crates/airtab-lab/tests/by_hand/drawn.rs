// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The figures of an experiment: where each value is drawn.

use Metric::*;
use airtab_lab::experiment::judge;
use airtab_lab::experiment::{Experiment, page};
use airtab_quality::web::Page;
use airtab_scenario::{Metric, Second};

use crate::page::{at, attribute, figure, lines, near, tags, widths};
use crate::verdicts::{HEAD, Host, Which, host, outcome, read, second, told_apart};

const GAME: &str = "#0072B2";

/// The page of an experiment with this text behind the axes.
fn drawn(text: &str, host: &Host) -> String {
    drawn_of(&format!("{HEAD}\n{text}"), host)
}

fn drawn_of(text: &str, host: &Host) -> String {
    let check = "[[check]]\nwhat = \"it\"\nsection = \"1\"\nreported = \"1\"\nof = \"game.game_mos\"\nqueue = \"fifo\"\nleast = 0\n";
    let e: Experiment = read(&format!("{text}\n{check}")).unwrap_or_else(|e| panic!("{e}"));
    let o = outcome(&e, false, host);
    page(&e, &o, &judge(&e, &o), "", "")
}

/// Where the circles are.
fn circles(svg: &str) -> Vec<(i32, i32)> {
    let of = |t: &&str| (attribute(t, "cx").parse().unwrap(), attribute(t, "cy").parse().unwrap());
    tags(svg, "circle").iter().map(of).collect()
}

/// 3, 5, 9 at q = 20, 40, 80 under fifo, twice as much under chap.
const OVER_Q: &str =
    "[[figure]]\ntitle = \"Score\"\nx = \"q\"\ny = \"game.game_mos\"\nqueues = [\"fifo\"]\nat = { d = 1 }\n";

#[test]
fn a_line_is_where_its_values_are() {
    let page = drawn(OVER_Q, &host(&told_apart));
    let svg = figure(&page, "Score: MOS over q; last: fifo 9.00");
    // From 0 to 80, and from 0 to a twentieth more than 9.
    let y = |score: f64| score / 9.45;
    let expected = [at(0.25, y(3.0)), at(0.5, y(5.0)), at(1.0, y(9.0))];
    near(&circles(svg), &expected);
    near(lines(svg, GAME).last().unwrap(), &expected);
    assert_eq!(page.matches("<svg ").count(), 1, "of d = 1 alone");
    // In units of 2 each.
    let page = drawn(&format!("{OVER_Q}label = \"pairs\"\nper = 2\n"), &host(&told_apart));
    near(&circles(figure(&page, "Score: pairs over q; last: fifo 4.50")), &expected);
    // From 1 on, and a picture for each value of d.
    let page = drawn(&format!("{OVER_Q}from = 1\n").replace("at = { d = 1 }\n", ""), &host(&told_apart));
    assert_eq!(page.matches("<svg ").count(), 2);
    assert!(
        page.contains("<figcaption>d = 1</figcaption>") && page.contains("<figcaption>d = 5</figcaption>")
    );
    let y = |score: f64| (score - 1.0) / (8.0 * 1.05);
    near(&circles(figure(&page, "Score: ")), &[at(0.25, y(3.0)), at(0.5, y(5.0)), at(1.0, y(9.0))]);
}

#[test]
fn an_interval_is_as_long_as_it_is() {
    // Of seeds at 4.75, 5 and 5.25, at q = 40: half width 4.302653 * 0.25 / sqrt 3 = 0.6210.
    let wobble = |w: &Which| if w.q == 40.0 { 0.25 * (w.seed - 2.0) } else { 0.0 };
    let made = |w: &Which| vec![(0, GameMos, w.q / 10.0 + 1.0 + wobble(w))];
    let page = drawn(OVER_Q, &host(&made));
    let svg = figure(&page, "Score: ");
    let y = |score: f64| score / 9.45;
    near(&lines(svg, GAME)[1], &[at(0.5, y(4.379)), at(0.5, y(5.621))]);
}

#[test]
fn a_logarithm_is_decadic() {
    let text = HEAD.replacen("values = [20, 40, 80]", "values = [20, 40, 80]\nlog = true", 1);
    let page = drawn_of(&format!("{text}\n{OVER_Q}"), &host(&told_apart));
    // From 10 to 100: log10 of 2, 4 and 8.
    let (x, y) = (|q: f64| q.log10() - 1.0, |score: f64| score / 9.45);
    let expected = [at(x(20.0), y(3.0)), at(x(40.0), y(5.0)), at(x(80.0), y(9.0))];
    near(&circles(figure(&page, "Score: ")), &expected);
}

#[test]
fn lines_are_disciplines_or_figures() {
    let page = drawn(&OVER_Q.replace("[\"fifo\"]", "[\"chap\", \"fifo\"]"), &host(&told_apart));
    figure(&page, "Score: MOS over q; last: chap 18.00, fifo 9.00");
    let two = OVER_Q.replace("\"game.game_mos\"", "[\"game.game_mos\", \"load.goodput_bits_per_second\"]");
    let made = |w: &Which| {
        let mut all = told_apart(w);
        all.push((1, Goodput, 7e6));
        all
    };
    let page = drawn(&two, &host(&made));
    figure(&page, "Score: MOS over q; last: game: MOS 9.00, load: Mb/s 7.00");
    assert!(page.contains("<figcaption>d = 1, fifo</figcaption>"));
    // A point without value is a gap.
    let gap = |w: &Which| if w.q == 40.0 { Vec::new() } else { told_apart(w) };
    let page = drawn(OVER_Q, &host(&gap));
    assert_eq!(circles(figure(&page, "Score: ")).len(), 2);
}

#[test]
fn bars_are_as_long_as_their_values() {
    let bars = "[[figure]]\ntitle = \"Score\"\ny = \"game.game_mos\"\nat = { q = 20, d = 1 }\n";
    let page = drawn(bars, &host(&told_apart));
    // 270 are the 6 of chap.
    let svg =
        figure(&page, "Score, q = 20, d = 1, game, MOS: spq 3.00 ± 0.00; fifo 3.00 ± 0.00; chap 6.00 ± 0.00");
    assert_eq!(widths(svg), [(4, 135), (4, 135), (4, 270)]);
}

#[test]
fn clouds_have_a_point_for_each() {
    let seconds = |w: &Which| match (w.queue, w.q as u64, w.d as u64, w.seed as u64) {
        ("chap", 20, 1, 1) => vec![second(1.0, 30), second(4.0, 10)],
        ("chap", 20, 1, 3) => vec![second(2.0, 20)],
        ("fifo", 20, 1, 1) => vec![second(3.0, 5)],
        _ => Vec::<Second>::new(),
    };
    let text = "[[scatter]]\ntitle = \"Seconds\"\napp = \"film\"\ny = \"frames\"\nmark = 2.5\nat = { q = 20, d = 1 }\n";
    let host = Host { made: &told_apart, pages: &|_| Vec::new(), seconds: &seconds };
    let page = drawn(text, &host);
    // From 1 to 4 Mb/s; from 0 to a twentieth more than 30.
    let place = |(mbps, frames): (f64, f64)| at((mbps - 1.0) / 3.0, frames / 31.5);
    let svg = figure(&page, "Seconds, q = 20, d = 1, chap: playable frames/s over rate sent, Mb/s, 3 points");
    near(&circles(svg), &[(1.0, 30.0), (4.0, 10.0), (2.0, 20.0)].map(place));
    near(lines(svg, "#000000").last().unwrap(), &[at(0.5, 0.0), at(0.5, 1.0)]);
    let svg = figure(&page, "Seconds, q = 20, d = 1, fifo: playable frames/s over rate sent, Mb/s, 1 points");
    near(&circles(svg), &[place((3.0, 5.0))]);
}

#[test]
fn pages_are_drawn_by_their_size() {
    let pages = |w: &Which| {
        let page = |number: u32, kb: u64, ms: u64| Page {
            number,
            opened_ns: 0,
            requested_ns: 5_000_000,
            done_ns: (5 + ms) * 1_000_000,
            bytes: kb * 1000,
        };
        let slow = if w.queue == "fifo" { 10 } else { 1 };
        if w.seed == 1.0 { vec![page(1, 1, 20 * slow), page(2, 50, 100 * slow)] } else { Vec::new() }
    };
    let text = "[[scatter]]\ntitle = \"Pages\"\napp = \"web\"\ny = \"pages\"\nqueues = [\"fifo\", \"chap\"]\nat = { q = 20, d = 1 }\n";
    let host = Host { made: &told_apart, pages: &pages, seconds: &|_| Vec::new() };
    let page = drawn(text, &host);
    // From 1 to 100 kB and from 0.01 to 1 s.
    let place = |(kb, s): (f64, f64)| at(kb.log10() / 2.0, (s.log10() + 2.0) / 2.0);
    let svg = figure(&page, "Pages, q = 20, d = 1, chap: response time, s over size, kB, 2 points");
    near(&circles(svg), &[(1.0, 0.02), (50.0, 0.1)].map(place));
    // The median of two sizes is the lower one.
    near(lines(svg, "#000000").last().unwrap(), &[at(0.0, 0.0), at(0.0, 1.0)]);
    let svg = figure(&page, "Pages, q = 20, d = 1, fifo: ");
    near(&circles(svg), &[(1.0, 0.2), (50.0, 1.0)].map(place));
}
