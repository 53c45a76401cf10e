// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Both directions of every application, on the page and in the table of one run: one-way delays, and what TCP sent
//! again.

use airtab_lab::table::{self, Style};
use airtab_scenario::{Metric, OfPath};

use super::made::{app, comparison, down, queue, up};
use super::page::page_of;

/// Directions that have figures, and no others.
#[test]
fn a_run_tells_both_ways() {
    use OfPath::*;
    let delays = |way: fn(OfPath) -> Metric, ms: [f64; 4]| {
        OfPath::PERCENTILES.into_iter().zip(ms).map(move |(n, ms)| (way(Percentile(n)), ms * 1e-3))
    };
    let sent = |way: fn(OfPath) -> Metric, again, timeouts| {
        [(way(RetransmitRatio), again), (way(Timeouts), timeouts), (way(MostTimeouts), 1.0)]
    };
    let game: Vec<_> = delays(down, [1.0, 2.0, 3.0, 4.0]).chain(delays(up, [5.0, 6.0, 7.0, 8.0])).collect();
    let update: Vec<_> = delays(down, [12.25, 30.0, 41.0, 250.5]).chain(sent(down, 0.0125, 3.0)).collect();
    let film: Vec<_> = delays(down, [2.0, 2.5, 3.0, 3.5]).collect();
    let pages: Vec<_> = sent(down, 0.25, 2.0).into_iter().chain(sent(up, 0.0, 0.0)).collect();
    let apps = vec![
        app("game", "game", &game),
        app("an update", "download", &update),
        app("silent", "game", &[(Metric::GameMos, 1.0)]),
        app("film", "video", &film),
        app("pages", "web", &pages),
    ];
    let table = table::run(&queue("fifo", apps), Style { width: 80, colour: false });
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    insta::assert_snapshot!("run_ways", table);
}

/// A row for each figure of a direction that there is under any discipline; the most of one flow where there are several.
#[test]
fn both_ways_are_on_the_page() {
    use OfPath::*;
    let figures = |x: f64| {
        let seconds = [(50, 0.001), (90, 0.002), (95, 0.003), (99, 0.004)];
        let delays = seconds.map(|(n, s)| (down(Percentile(n)), x * s));
        let again = [
            (down(RetransmitRatio), 0.05 * x),
            (down(Retransmits), 120.0 * x),
            (down(MostRetransmits), 70.0 * x),
            (down(Timeouts), 2.0 * x),
            (down(MostTimeouts), 2.0 * x),
        ];
        delays.into_iter().chain(again).collect::<Vec<_>>()
    };
    let under = |label: &str, peers: &[(Metric, f64)], game: &[(Metric, f64)]| {
        queue(label, vec![app("peers", "p2p", peers), app("game", "game", game)])
    };
    let only_up = [(up(Percentile(99)), 0.009), (up(Queue), 0.1), (Metric::Delay, 0.2)];
    let (old, new) = (under("old", &figures(1.0), &[]), under("new", &figures(3.0), &only_up));
    let page = page_of(&comparison(vec![old, new]), &[]);
    let part = page.split("<h2>One-way delay, and what TCP sent again</h2>").nth(1).expect("it is there");
    let part = part.split("</table>").next().unwrap();
    let rows: Vec<String> =
        part.split("<tr").skip(2).map(|row| row.replace("<td>", "|").replace("<th>", "|")).collect();
    let rows: Vec<&str> =
        rows.iter().map(|row| row.split_once('|').unwrap().1.lines().next().unwrap()).collect();
    assert_eq!(
        rows,
        [
            "peers|down p50, ms|1.00 ± 0.01|3.00 ± 0.03</tr>",
            "|down p90, ms|<b>2.00 ± 0.02 *</b>|6.00 ± 0.06</tr>",
            "|down p95, ms|<b>3.00 ± 0.03 *</b>|9.00 ± 0.09</tr>",
            "|down p99, ms|<b>4.00 ± 0.04 *</b>|12.00 ± 0.12</tr>",
            "|down sent again, %|<b>5.00 ± 0.05 *</b>|15.00 ± 0.15</tr>",
            "|down segments sent again|120 ± 1|360 ± 4</tr>",
            "|down segments sent again, most of one flow|70 ± 1|210 ± 2</tr>",
            "|down timeouts|2.0 ± 0.0|6.0 ± 0.1</tr>",
            "game|up p99, ms|-|9.00 ± 0.09</tr>",
        ]
    );
    // Several flows under the second discipline alone.
    let one = [(down(Timeouts), 2.0), (down(MostTimeouts), 2.0)];
    let several = [(down(Timeouts), 2.0), (down(MostTimeouts), 1.0)];
    for (second, rows) in [(&several, 1), (&one, 0)] {
        let page = page_of(&comparison(vec![under("old", &one, &[]), under("new", second, &[])]), &[]);
        assert_eq!(page.matches("down timeouts, most of one flow").count(), rows, "{page}");
    }
    let none = page_of(&comparison(vec![under("old", &[], &[(Metric::Delay, 0.2)])]), &[]);
    assert!(!none.contains("One-way delay"));
}
