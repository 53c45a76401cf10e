// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An experiment as one HTML page: what was expected and what came out, the
//! source's figure, the numbers. Style and rules are those of `report`.
//!
//! What it does not do: no verdict and no figure is computed here.

use std::fmt::Write;

use super::columns::{columns, figure as number};
use super::judge::{State, Verdict};
use super::run::Done;
use super::{Experiment, Outcome};
use crate::draw::{Figure, escape};
use crate::report::{END, Wide, begin, preformatted};
use airtab_scenario::digits::count;

macro_rules! put {
    ($page:expr, $($arguments:tt)*) => {
        let _ = writeln!($page, $($arguments)*);
    };
}

/// The page. `figures`: those of [`figures`]; `command`: what makes it; `built`: the version and commit of airtab.
pub fn page(
    e: &Experiment,
    outcome: &Outcome,
    verdicts: &[Verdict],
    figures: &[Figure],
    command: &str,
    built: &str,
) -> String {
    let mut page = begin(&if e.id == e.title { e.id.clone() } else { format!("{}: {}", e.id, e.title) });
    if !e.checks.is_empty() || !e.source.is_empty() {
        put!(page, "<p class=\"lead\">{}.</p>", escape(&super::text::summary(verdicts.iter())));
    }
    if !e.source.is_empty() {
        put!(page, "<p>{}. {}</p>", escape(&e.source), escape(&e.about));
    }
    if outcome.quick {
        put!(
            page,
            "<p class=\"note\">A quick look: only the points that verdicts need, with fewer seeds.</p>"
        );
    }
    if !verdicts.is_empty() {
        expected(&mut page, verdicts);
    }
    figures.iter().for_each(|figure| page.push_str(&figure.html()));
    if !e.remarks.is_empty() {
        put!(page, "<h2>Remarks</h2>");
    }
    for (subject, remark) in &e.remarks {
        put!(page, "<p>{}: {}</p>", escape(subject), escape(remark));
    }
    match outcome.points.is_empty() {
        true => page.push_str(&format!("<p class=\"note\">{} points: too many for a page.</p>\n", e.size())),
        false => numbers(&mut page, e, outcome),
    }
    put!(
        page,
        "<h2>To reproduce</h2>\n{}\n<p class=\"note\">airtab {}; {}.</p>\n<details><summary>Its \
         file</summary>\n{}</details>",
        preformatted("Command", command),
        escape(built),
        super::text::size(outcome.runs, outcome.seeds),
        preformatted("File of the experiment", &e.toml)
    );
    page.push_str(END);
    page
}

/// What the title of an index begins with.
const INDEX: &str = "Experiments of airtab";

/// A page that leads to those of several experiments, each in a folder of its family beside it.
pub fn index(done: &[Done], built: &str) -> String {
    let mut page = begin(INDEX);
    let verdicts = done.iter().flat_map(|(.., verdicts)| verdicts);
    put!(
        page,
        "<p class=\"lead\">{}: {}.</p>",
        count(done.len(), "experiment"),
        escape(&super::text::summary(verdicts))
    );
    let mut table = Wide::new("numbers", "Experiments", "<th>experiment<th>what it shows<th>verdicts");
    for (e, _, verdicts) in done {
        let said = if e.checks.is_empty() { "-".into() } else { super::text::summary(verdicts.iter()) };
        table.rows(&format!(
            "<tr class=\"first\"><th><a href=\"{0}.html\">{0}</a><td>{1}<td>{2}</tr>\n",
            escape(&e.id),
            escape(&e.title),
            escape(&said)
        ));
    }
    page.push_str(&table.html());
    put!(page, "<p class=\"note\">airtab {}.</p>", escape(built));
    page.push_str(END);
    page
}

/// Whether a page is one of these.
pub fn is_index(page: &str) -> bool {
    page.contains(&format!("<title>{INDEX}"))
}

/// Every check with its verdict, then the causes.
fn expected(page: &mut String, verdicts: &[Verdict]) {
    put!(page, "<h2>Expected and measured</h2>");
    // A column only where something would be in it.
    let rerun = verdicts.iter().any(|v| !v.off_rerun.is_empty());
    let (heading, cell) = if rerun { ("<th>a rerun, and how far from it", "<td>") } else { ("", "") };
    let headings = format!(
        "<th>what<th>verdict<th>measured<th>expected<th>source<th>off the source{heading}<th>section"
    );
    let mut table = Wide::new("numbers verdicts", "Expected and measured", &headings);
    for v in verdicts {
        let class = match v.state {
            State::Holds | State::HoldsAgain => "holds",
            State::Undecided => "open",
            State::Red => "red",
            State::KnownRed => "known",
        };
        table.rows(&format!(
            "<tr class=\"first\"><th>{}<td class=\"{class}\">{}<td>{}<td>{}<td>{}<td>{}{cell}{}<td>{}</tr>\n",
            escape(&v.what),
            v.state.word(),
            escape(&v.measured),
            escape(&v.expected),
            escape(&v.reported),
            escape(&v.off),
            escape(&v.off_rerun),
            escape(&v.section)
        ));
    }
    page.push_str(&table.html());
    for v in verdicts {
        let Some(cause) = &v.cause else { continue };
        put!(
            page,
            "<p class=\"note\"><b>{}</b> ({}): {}</p>",
            escape(&v.what),
            v.state.word(),
            escape(cause)
        );
    }
}

/// What the experiment's page shows: figures, courses (which are simulated for it) and clouds, without
/// those that have nothing to show. `name` is what their files begin with.
pub fn figures(e: &Experiment, outcome: &Outcome, name: &str) -> Vec<Figure> {
    let figures = e.figures.iter().map(|f| (&f.title, f.draw(e, outcome)));
    let courses = e.courses.iter().map(|c| &c.title).zip(super::course::draw(e));
    let scatters = e.scatters.iter().map(|s| (&s.title, s.draw(e, outcome)));
    let all = figures.chain(courses).chain(scatters).zip(1..);
    let one = |((title, panels), i)| Figure::new(format!("{name}-figure-{i}"), title, "", panels);
    all.map(one).filter(|figure| !figure.is_empty()).collect()
}

/// What the page of a sweep shows: each application's score over the axis with most values, or as bars.
pub fn sweep_figures(e: &Experiment, outcome: &Outcome) -> Vec<Figure> {
    let all = super::figure::of_sweep(e, columns(e, outcome));
    let drawn = all.iter().map(|figure| (&figure.title, figure.draw(e, outcome)));
    let drawn = drawn.zip(1..).map(|((title, panels), i)| Figure::new(i.to_string(), title, "", panels));
    drawn.filter(|figure| !figure.is_empty()).collect()
}

/// Every point, with the metrics that figures and checks are about.
fn numbers(page: &mut String, e: &Experiment, outcome: &Outcome) {
    let columns = columns(e, outcome);
    put!(page, "<h2>Numbers</h2>\n<p>Mean over the seeds and half the width of its 95 % interval.</p>");
    let mut headings = String::from("<th>point<th>discipline");
    for column in &columns {
        let _ = write!(headings, "<th>{} <br>{}", escape(&column.app), escape(column.metric.label()));
    }
    let mut table = Wide::new("numbers", "Numbers", &headings);
    for point in &outcome.points {
        let mut rows = String::new();
        for (k, q) in point.queues.iter().enumerate() {
            let place = match k {
                0 => format!(" class=\"first\"><th>{}", escape(&e.place(&point.at))),
                _ => "><td>".into(),
            };
            let _ = write!(rows, "<tr{place}<td>{}", escape(&q.label));
            for column in &columns {
                let _ = write!(rows, "<td>{}", number(q, column));
            }
            rows.push_str("</tr>\n");
        }
        table.rows(&rows);
    }
    page.push_str(&table.html());
}

#[cfg(test)]
mod tests {
    use super::super::file::Purpose;
    use super::super::judge::judge;
    use super::super::made::{HOME, parse, point, read};
    use super::*;

    const Q: &str = "[[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [20, 40]\n";
    const CHECK: &str = "[[check]]\nwhat = \"w < x\"\nsection = \"1\"\nreported = \"r\"\nof = \"g.game_mos\"\nqueue = \"fifo\"\nmost = 3\n";

    fn text(lines: &str) -> String {
        format!(
            "title = \"a & b\"\nsource = \"s\"\nabout = \"what\"\nqueues = [\"fifo\", \"chap\"]\n{HOME}{Q}{lines}"
        )
    }

    fn outcome(quick: bool) -> Outcome {
        let at = |q: usize| point(&[q], &[("fifo", [1.0 + q as f64; 3]), ("chap", [4.0; 3])]);
        Outcome { quick, seeds: 3, runs: 12, points: vec![at(0), at(1)] }
    }

    #[test]
    fn a_page_has_a_row_for_each_point_and_discipline() {
        let e = parse(&text(CHECK));
        let of =
            |outcome: &Outcome| page(&e, outcome, &judge(&e, outcome), &[], "airtab <it>", "1.2 (commit c)");
        let all = of(&outcome(false));
        let rows: Vec<&str> = all
            .lines()
            .filter(|line| line.contains("<td>fifo<td>") || line.contains("<td>chap<td>"))
            .collect();
        assert_eq!(
            rows,
            [
                "<tr class=\"first\"><th>q = 20<td>fifo<td>1.00 ± 0.00</tr>",
                "<tr><td><td>chap<td>4.00 ± 0.00</tr>",
                "<tr class=\"first\"><th>q = 40<td>fifo<td>2.00 ± 0.00</tr>",
                "<tr><td><td>chap<td>4.00 ± 0.00</tr>",
            ]
        );
        for part in [
            "<title>mine: a &amp; b",
            "<p class=\"lead\">1 of 1 reproduced.</p>",
            "<p>s. what</p>",
            "<th>w &lt; x<td class=\"holds\">reproduced<td>1.00, 2.00<td>at most 3<td>r<td><td>1</tr>",
            " tabindex=\"0\">airtab &lt;it&gt;</pre>\n<p class=\"note\">airtab 1.2 (commit c); 12 runs, 3 seeds.</p>",
        ] {
            assert!(all.contains(part), "{part}: {all}");
        }
        assert!(
            !all.contains("A quick look") && of(&outcome(true)).contains("A quick look: only the points")
        );
        assert!(!all.contains("a rerun") && !all.contains("<h2>Remarks"));
        // A sweep whose points are too many has none of them here, and one without a source no verdicts.
        let sweep = read(
            "sweep",
            &format!("title = \"sweep\"\n{HOME}{Q}[remarks]\nfifo = \"<r>\"\n"),
            Purpose::Sweep,
        )
        .unwrap();
        let none = page(&sweep, &Outcome { points: Vec::new(), ..outcome(false) }, &[], &[], "", "");
        assert!(none.contains("<title>sweep<") && !none.contains("class=\"lead\""), "{none}");
        assert!(
            none.contains("<p class=\"note\">2 points: too many for a page.</p>")
                && !none.contains("<h2>Numbers")
        );
        assert!(none.contains("<h2>Remarks</h2>\n<p>fifo: &lt;r&gt;</p>"));
    }

    #[test]
    fn each_verdict_has_its_class_and_each_cause_its_words() {
        let known = "known = \"because\"\n";
        let check =
            |bound: &str, known: &str| CHECK.replace("most = 3", bound).replace("w < x", bound) + known;
        let checks = [
            check("most = 1", ""),
            check("most = 0.5", known),
            check("most = 9", known),
            check("least = 0", "rerun = 2\n"),
        ];
        let e = parse(&text(&checks.concat()));
        let outcome = outcome(false);
        let all = page(&e, &outcome, &judge(&e, &outcome), &[], "", "");
        for (state, rows) in [
            ("red\">not reproduced<", 1),
            ("known\">not reproduced, known<", 1),
            ("holds\">reproduced again<", 1),
            ("holds\">reproduced<", 1),
        ] {
            assert_eq!(all.matches(&format!("<td class=\"{state}")).count(), rows, "{state}");
        }
        assert!(all.contains("<th>off the source<th>a rerun, and how far from it<th>section"));
        let notes: Vec<&str> = all.lines().filter(|line| line.starts_with("<p class=\"note\"><b>")).collect();
        assert_eq!(
            notes,
            [
                "<p class=\"note\"><b>most = 1</b> (not reproduced): not so: 2.00 at q = 40</p>",
                "<p class=\"note\"><b>most = 0.5</b> (not reproduced, known): because</p>",
                "<p class=\"note\"><b>most = 9</b> (reproduced again): because</p>",
            ]
        );
        assert!(all.contains("2 of 4 reproduced, 1 not reproduced (known), 1 not reproduced, 1 of the reproduced listed as known not to be"));
    }

    #[test]
    fn an_index_leads_to_each_page() {
        let of = |id: &str, lines: &str| {
            let e = read(id, &text(lines), Purpose::Judge).unwrap();
            let outcome = outcome(false);
            let verdicts = judge(&e, &outcome);
            (e, outcome, verdicts)
        };
        let done =
            [of("chap/a", CHECK), of("chap/b", ""), of("stz/c", &CHECK.replace("most = 3", "most = 1"))];
        let all = index(&done, "1.2");
        assert!(
            all.contains("<p class=\"lead\">3 experiments: 1 of 2 reproduced, 1 not reproduced.</p>"),
            "{all}"
        );
        let row = |id: &str, said: &str| {
            format!("<tr class=\"first\"><th><a href=\"{id}.html\">{id}</a><td>a &amp; b<td>{said}</tr>")
        };
        for (id, said) in [
            ("chap/a", "1 of 1 reproduced"),
            ("chap/b", "-"),
            ("stz/c", "0 of 1 reproduced, 1 not reproduced"),
        ] {
            assert!(all.contains(&row(id, said)), "{id}: {all}");
        }
        assert!(all.contains("airtab 1.2.") && is_index(&all) && !is_index("<title>chap/a: a"));
    }

    /// A figure that shows nothing leaves its number; those of a sweep are numbers alone.
    #[test]
    fn figures_are_numbered_as_they_are_written() {
        let figure = |y: &str| format!("[[figure]]\ntitle = \"{y}\"\ny = \"{y}\"\nx = \"q\"\n");
        let e = parse(&text(
            &[figure("g.game_mos"), figure("v.voip_mos"), figure("*.game_mos"), figure("ap.idle_ratio")]
                .concat(),
        ));
        let names = |figures: Vec<Figure>| figures.into_iter().map(|f| (f.name, f.title)).collect::<Vec<_>>();
        let expected = [("it-figure-1".to_string(), "g.game_mos".to_string())];
        assert_eq!(names(figures(&e, &outcome(false), "it")), expected);
        let later = parse(&text(&[figure("v.voip_mos"), figure("g.game_mos")].concat()));
        assert_eq!(
            names(figures(&later, &outcome(false), "it")),
            [("it-figure-2".to_string(), "g.game_mos".to_string())]
        );
        let sweep = parse(&text(""));
        assert_eq!(names(sweep_figures(&sweep, &outcome(false))), [("1".to_string(), "g: MOS".to_string())]);
    }
}
