// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The figures of an experiment: where each value is drawn.

use Metric::*;
use airtab_lab::experiment::judge;
use airtab_lab::experiment::{Experiment, figures, page};
use airtab_quality::web::Page;
use airtab_scenario::{Metric, Second};

use super::page::{at, attribute, figure, lines, near, numbers, tags, value, widths};
use super::runs::{HEAD, Host, Which, host, outcome, read, second, told_apart};

/// The page of an experiment with this text behind the axes.
fn drawn(text: &str, host: &Host) -> String {
    drawn_of(&format!("{HEAD}\n{text}"), host)
}

fn drawn_of(text: &str, host: &Host) -> String {
    let check = "[[check]]\nwhat = \"it\"\nsection = \"1\"\nreported = \"1\"\nof = \"game.game_mos\"\nqueue = \"fifo\"\nleast = 0\n";
    let e: Experiment = read(&format!("{text}\n{check}")).unwrap_or_else(|e| panic!("{e}"));
    let o = outcome(&e, false, host);
    page(&e, &o, &judge(&e, &o), &figures(&e, &o, "it"), "", "")
}

/// Where the circles are, which are fifo's markers and the points of clouds.
fn circles(svg: &str) -> Vec<(f64, f64)> {
    tags(svg, "circle").iter().map(|t| (value(t, "cx"), value(t, "cy"))).collect()
}

/// x of the line across.
fn mark(svg: &str) -> f64 {
    value(tags(svg, "line").iter().find(|t| t.contains("class=\"mark\"")).unwrap(), "x1")
}

/// fifo's colour.
const FIFO: &str = "d0";

/// 3, 5, 9 at q = 20, 40, 80 under fifo, twice as much under chap.
const OVER_Q: &str =
    "[[figure]]\ntitle = \"Score\"\nx = \"q\"\ny = \"game.game_mos\"\nqueues = [\"fifo\"]\nat = { d = 1 }\n";

#[test]
fn a_line_is_where_its_values_are() {
    let page = drawn(OVER_Q, &host(&told_apart));
    let svg = figure(&page, "Score: MOS over q; last: fifo 9.00");
    // From 0 to 80, and from 1, the least of an opinion score, to 9.
    let place = |svg: &str, y: &dyn Fn(f64) -> f64| {
        [(0.25, 3.0), (0.5, 5.0), (1.0, 9.0)].map(|(x, s)| at(svg, x, y(s)))
    };
    let expected = place(svg, &|score| (score - 1.0) / 8.0);
    near(&circles(svg), &expected);
    near(lines(svg, FIFO).last().unwrap(), &expected);
    assert_eq!(page.matches("<svg role=").count(), 1, "of d = 1 alone");
    // In units of 2 each.
    let page = drawn(&format!("{OVER_Q}label = \"pairs\"\nper = 2\n"), &host(&told_apart));
    let svg = figure(&page, "Score: pairs over q; last: fifo 4.50");
    near(&circles(svg), &place(svg, &|score| (score - 1.0) / 8.0));
    // From 3 on, and a picture for each value of d.
    let page = drawn(&format!("{OVER_Q}from = 3\n").replace("at = { d = 1 }\n", ""), &host(&told_apart));
    assert_eq!(page.matches("<svg role=").count(), 2);
    assert!(
        page.contains("<figcaption>d = 1</figcaption>") && page.contains("<figcaption>d = 5</figcaption>")
    );
    // Both to 13, the most that either has.
    let svg = figure(&page, "Score: ");
    near(&circles(svg), &place(svg, &|score| (score - 3.0) / 10.0));
}

#[test]
fn an_interval_is_as_long_as_it_is() {
    // Of seeds at 4.75, 5 and 5.25, at q = 40: half width 4.302653 * 0.25 / sqrt 3 = 0.6210.
    let wobble = |w: &Which| if w.q == 40.0 { 0.25 * (w.seed - 2.0) } else { 0.0 };
    let made = |w: &Which| vec![(0, GameMos, w.q / 10.0 + 1.0 + wobble(w))];
    let page = drawn(OVER_Q, &host(&made));
    let svg = figure(&page, "Score: ");
    let intervals: Vec<&str> =
        tags(svg, "path").into_iter().filter(|t| t.contains("class=\"interval\"")).collect();
    assert_eq!(intervals.len(), 1, "of one point alone");
    // M x low h6 m-3 0 V high m-3 0 h6
    let n = numbers(attribute(&format!(" {}", intervals[0]), "d"));
    let y = |score: f64| (score - 1.0) / 8.0;
    near(&[(n[0] + 3.0, n[1]), (n[0] + 3.0, n[5])], &[at(svg, 0.5, y(4.379)), at(svg, 0.5, y(5.621))]);
    // Around 1.25 it reaches below 1: open, from the axis on.
    let made = |w: &Which| vec![(0, GameMos, (w.q / 10.0 - 2.75).max(1.25) + wobble(w))];
    let page = drawn(OVER_Q, &host(&made));
    let svg = figure(&page, "Score: ");
    let interval = tags(svg, "path").into_iter().find(|t| t.contains("class=\"interval\"")).unwrap();
    let path = attribute(&format!(" {interval}"), "d").to_string();
    let n = numbers(&path);
    // From 1 to 5.5: 1.871 is at 0.1936 of it.
    near(&[(n[0], n[1]), (n[0], n[2])], &[at(svg, 0.5, 0.0), at(svg, 0.5, 0.871 / 4.5)]);
    assert!(path.ends_with("m-3 0h6") && !path.contains("h6m"), "{path}");
}

#[test]
fn a_logarithm_is_decadic() {
    let text = HEAD.replacen("values = [20, 40, 80]", "values = [20, 40, 80]\nlog = true", 1);
    let page = drawn_of(&format!("{text}\n{OVER_Q}"), &host(&told_apart));
    // From 20 to 80, with a tenth more at both ends.
    let svg = figure(&page, "Score: ");
    let x = |q: f64| (q * 1.1 / 20.0).log2() / (4.0 * 1.1 * 1.1f64).log2();
    let expected =
        [(20.0, 3.0), (40.0, 5.0), (80.0, 9.0)].map(|(q, score)| at(svg, x(q), (score - 1.0) / 8.0));
    near(&circles(svg), &expected);
    assert!([">20<", ">40<", ">80<"].iter().all(|tick| svg.contains(tick)), "{svg}");
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
    // 388 are the 5 from 1 to chap's 6.
    let svg =
        figure(&page, "Score, q = 20, d = 1, game, MOS: spq 3.00 ± 0.00; fifo 3.00 ± 0.00; chap 6.00 ± 0.00");
    assert_eq!(widths(svg), [(6.0, 155.2), (6.0, 155.2), (6.0, 388.0)]);
}

/// `*` is one figure, the sum seed by seed; a seed without a part has none. What the source printed of such a sum is beside it.
#[test]
fn a_sum_is_one_bar_and_one_line() {
    let goodput = |w: &Which| vec![(1, Goodput, 4e6 + 1e6 * w.seed), (2, Goodput, 1e6 * w.seed)];
    // Of one application it is that application's figure.
    let text = "[[figure]]\ntitle = \"Sum\"\ny = [\"l*.goodput_bits_per_second\", \"w*.goodput_bits_per_second\"]\n\
                at = { q = 20, d = 1 }\n";
    let page = drawn(text, &host(&goodput));
    figure(&page, "Sum, q = 20, d = 1, l*, Mb/s: spq 6.0 ± 2.5; fifo 6.0 ± 2.5; chap 6.0 ± 2.5");
    figure(&page, "Sum, q = 20, d = 1, w*, Mb/s: spq 2.0 ± 2.5");
    assert!(page.contains("<th>l* <br>Mb/s<th>w* <br>Mb/s"), "{page}");
    // Four that begin with nothing.
    let made = |w: &Which| (0..4).map(|app| (app, Loss, 0.01 * w.seed)).collect();
    let text = format!(
        "{}\n[[check]]\nwhat = \"it\"\nsection = \"1\"\nreported = \"x\"\nqueue = \"fifo\"\nat = {{ q = 40, d = 1 }}\n\
         of = \"*.loss_ratio\"\npublished = 7\nleast = 0\n",
        OVER_Q.replace("game.game_mos", "*.loss_ratio")
    );
    let page = drawn(&text, &host(&made));
    // 1, 2 and 3 % of each of four: 8 on average.
    let svg = figure(&page, "Score: lost, % over q; last: fifo 8.00");
    assert_eq!(svg.matches("class=\"published\"").count(), 1, "{svg}");
    let gap =
        |w: &Which| (0..if w.seed == 3.0 { 3 } else { 4 }).map(|app| (app, Loss, 0.01 * w.seed)).collect();
    let page = drawn(&text, &host(&gap));
    figure(&page, "Score: lost, % over q; last: fifo 6.00");
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
    // From 1 to 4 Mb/s; from 0 to 30.
    let place = |svg: &str, (mbps, frames): (f64, f64)| at(svg, (mbps - 1.0) / 3.0, frames / 30.0);
    let svg = figure(&page, "Seconds, q = 20, d = 1, chap: playable frames/s over rate sent, Mb/s, 3 points");
    near(&circles(svg), &[(1.0, 30.0), (4.0, 10.0), (2.0, 20.0)].map(|p| place(svg, p)));
    near(&[(mark(svg), 0.0)], &[(at(svg, 0.5, 0.0).0, 0.0)]);
    let svg = figure(&page, "Seconds, q = 20, d = 1, fifo: playable frames/s over rate sent, Mb/s, 1 points");
    near(&circles(svg), &[place(svg, (3.0, 5.0))]);
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
    // From 1 to 50 kB and from 0.02 to 1 s: both are fifty times.
    let place = |svg: &str, (kb, s): (f64, f64)| at(svg, kb.ln() / 50f64.ln(), (s / 0.02).ln() / 50f64.ln());
    let svg = figure(&page, "Pages, q = 20, d = 1, chap: response time, s over size, kB, 2 points");
    near(&circles(svg), &[(1.0, 0.02), (50.0, 0.1)].map(|p| place(svg, p)));
    // The median of two sizes is the lower one.
    near(&[(mark(svg), 0.0)], &[(at(svg, 0.0, 0.0).0, 0.0)]);
    let svg = figure(&page, "Pages, q = 20, d = 1, fifo: ");
    near(&circles(svg), &[(1.0, 0.2), (50.0, 1.0)].map(|p| place(svg, p)));
}

/// What the source printed is drawn where it belongs, as far as it is about what the figure shows.
#[test]
fn published_values_are_drawn() {
    let check = |keys: &str| {
        format!("[[check]]\nwhat = \"it\"\nsection = \"1\"\nreported = \"x\"\nleast = 0\n{keys}\n")
    };
    let game = "of = \"game.game_mos\"\n";
    let checks = [
        check(&format!("{game}queue = \"fifo\"\nat = {{ q = 40, d = 1 }}\npublished = 6")),
        check(&format!("{game}queue = \"fifo\"\nat = {{ q = 80 }}\npublished = [7, 12]")),
        check(&format!("{game}queue = \"chap\"\nat = {{ q = 20 }}\npublished = 1")),
        check("of = \"load.goodput_bits_per_second\"\nqueue = \"fifo\"\npublished = 2"),
    ];
    let page = drawn(&format!("{OVER_Q}\n{}", checks.concat()), &host(&told_apart));
    let svg = figure(&page, "Score: ");
    let published: Vec<&str> = svg.split("class=\"published\" ").skip(1).collect();
    assert_eq!(published.len(), 2, "neither chap nor the load is in this figure: {svg}");
    let y = |score: f64| (score - 1.0) / 11.5;
    // From 1 to 12.5: a diamond of 10 pixels around 6, and a bar from 7 to 12.
    let diamond = numbers(attribute(&format!(" {}", published[0]), "d"));
    near(&[(diamond[0], diamond[1] + 5.0)], &[at(svg, 0.5, y(6.0))]);
    let range = published[1];
    near(&[(value(range, "x") + 4.0, value(range, "y"))], &[at(svg, 1.0, y(12.0))]);
    let (top, height) = (value(range, "y"), value(range, "height"));
    near(&[(0.0, top + height)], &[(0.0, at(svg, 0.0, y(7.0)).1)]);
    assert!(page.contains("</svg>published</span>") && page.contains("</svg>published range</span>"));
    // And on bars.
    let bars = "[[figure]]\ntitle = \"Score\"\ny = \"game.game_mos\"\nat = { q = 40, d = 1 }\n";
    let page = drawn(&format!("{bars}\n{}", checks.concat()), &host(&told_apart));
    let svg = figure(&page, "Score, q = 40");
    assert_eq!(svg.matches("class=\"published\"").count(), 1);
    let diamond = numbers(attribute(svg.split("class=\"published\"").nth(1).unwrap(), "d"));
    near(&[(diamond[0], 0.0)], &[(6.0 + 388.0 * 5.0 / 9.0, 0.0)]);
}

/// A metric that an application has not at a point makes no empty picture.
#[test]
fn what_was_not_measured_has_no_panel() {
    let made = |w: &Which| if w.q == 40.0 { vec![(0, VoipMos, 4.0)] } else { vec![(0, GameMos, 3.0)] };
    let text = "[[figure]]\ntitle = \"Felt\"\ny = [\"game.game_mos\", \"game.voip_mos\"]\nat = { d = 1 }\n";
    let page = drawn(text, &host(&made));
    assert_eq!(page.matches("<svg role=").count(), 3, "one for each q, and not two");
    let none =
        drawn(&text.replace("voip_mos", "page_seconds").replace("game_mos", "page_seconds"), &host(&made));
    assert!(!none.contains("<h2>Felt</h2>"), "nor a heading above nothing");
}
