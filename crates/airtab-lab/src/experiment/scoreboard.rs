// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scoreboard: the pages that follow from the stored results and the files of the experiments.
//!
//! `README.md` has a row for each study and lists the checks that are not reproduced. `results/FAMILY.md` has each check of
//! a family. Names and causes of checks come from the experiment's file, measured values and verdicts from the result. Equal input
//! gives equal bytes: no clock and no simulation is used.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::judge::State;
use super::record::{CheckRecord, RESULTS, Record, Records, Standing};
use super::text::{one_line, size};
use super::{Check, Class, Experiment};
use airtab_scenario::digits::{self, count};

/// One page: path in the directory of the experiments, and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `README.md` or `results/FAMILY.md`.
    pub path: String,
    /// Markdown of the page.
    pub text: String,
}

/// Verdict on a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The value and its interval are within the bounds.
    Reproduced,
    /// The value is within, its interval is not.
    Inconclusive,
    /// The value is outside, and a trial confirms the cause.
    CauseShown,
    /// The value is outside, and no trial confirms a cause.
    CauseOpen,
}

impl Finding {
    const ALL: [Finding; 4] =
        [Finding::Reproduced, Finding::Inconclusive, Finding::CauseShown, Finding::CauseOpen];

    fn word(self) -> &'static str {
        match self {
            Finding::Reproduced => "reproduced",
            Finding::Inconclusive => "inconclusive",
            Finding::CauseShown => "not reproduced, cause shown",
            Finding::CauseOpen => "not reproduced, cause open",
        }
    }

    fn is_red(self) -> bool {
        matches!(self, Finding::CauseShown | Finding::CauseOpen)
    }
}

/// A stored verdict and the check that it is of.
struct Row<'a> {
    record: &'a CheckRecord,
    /// None if the file has no such check any more.
    check: Option<&'a Check>,
    live: bool,
}

impl Row<'_> {
    fn class(&self) -> Class {
        let number = if self.record.off.is_empty() { Class::Claim } else { Class::Published };
        self.check.map_or(number, |check| check.class)
    }

    fn finding(&self) -> Finding {
        match self.record.state {
            State::Holds | State::HoldsAgain => Finding::Reproduced,
            State::Undecided => Finding::Inconclusive,
            State::Red | State::KnownRed if self.check.is_some_and(|check| check.cause_shown) => {
                Finding::CauseShown
            }
            State::Red | State::KnownRed => Finding::CauseOpen,
        }
    }

    fn cause(&self) -> Option<&str> {
        let known = self.check.and_then(|check| check.known.as_deref());
        let stored = self.record.cause.as_deref();
        match self.record.state {
            State::Holds => None,
            // The machine was too slow: the file does not say so.
            State::Red if self.live => stored.or(known),
            _ => known.or(stored),
        }
    }
}

/// An experiment with its rows.
struct Entry<'a> {
    experiment: &'a Experiment,
    record: Option<&'a Record>,
    standing: Standing,
    rows: Vec<Row<'a>>,
}

impl<'a> Entry<'a> {
    fn new(experiment: &'a Experiment, record: Option<&'a Record>) -> Entry<'a> {
        let same = record.is_some_and(|r| r.experiment.as_ref() == Some(&experiment.number()));
        let checks = record.map_or(&[][..], |record| &record.checks);
        let rows = checks.iter().enumerate().map(|(i, record)| {
            // Where the checks may have changed, names tell which is which.
            let earlier = checks[..i].iter().filter(|other| other.what == record.what).count();
            let check = match same {
                true => experiment.checks.get(i),
                false => experiment.checks.iter().filter(|c| c.what == record.what).nth(earlier),
            };
            Row { record, check, live: experiment.live }
        });
        Entry { experiment, record, standing: experiment.standing(record), rows: rows.collect() }
    }

    /// Link from a page; `folder` is that of the results as seen from there.
    fn link(&self, folder: &str) -> String {
        let e = self.experiment;
        let anchor: String = e.id.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
        let name = e.id.split_once('/').map_or(&*e.id, |(_, name)| name);
        format!("[{name}]({folder}{}.md#{anchor})", e.family())
    }

    fn red(&self) -> usize {
        self.rows.iter().filter(|row| row.finding().is_red()).count()
    }
}

/// All pages.
pub fn pages(experiments: &[Experiment], records: &Records) -> Vec<Page> {
    let entries: Vec<Entry> = experiments.iter().map(|e| Entry::new(e, records.get(&e.id))).collect();
    let mut families: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    entries.iter().for_each(|entry| families.entry(entry.experiment.family()).or_default().push(entry));
    let mut pages = vec![Page { path: "README.md".into(), text: overview(&entries) }];
    pages.extend(families.iter().map(|(family, entries)| Page {
        path: format!("{RESULTS}/{family}.md"),
        text: family_page(family, entries),
    }));
    pages
}

/// Number of rows of each finding: `12 / 3 / 0 / 1`, or nothing.
fn counts<'a>(rows: impl Iterator<Item = &'a Row<'a>> + Clone) -> String {
    if rows.clone().next().is_none() {
        return String::new();
    }
    let of = |finding| rows.clone().filter(|row| row.finding() == finding).count().to_string();
    Finding::ALL.map(of).join(" / ")
}

/// Median over the checks of the distance to the number that the source prints, %: that of the point where it is farthest;
/// and the number of checks that have one.
fn deviation<'a>(rows: impl Iterator<Item = &'a Row<'a>>) -> String {
    let published = rows.filter(|row| row.class() == Class::Published);
    let mut values: Vec<f64> = published.filter_map(|row| row.record.off_percent.map(f64::abs)).collect();
    values.sort_by(f64::total_cmp);
    match values.as_slice() {
        [] => String::new(),
        all => {
            let median = (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0;
            format!("{} % of {}", digits::rounded(median, None, 1), all.len())
        }
    }
}

fn overview(entries: &[Entry]) -> String {
    let rows = || entries.iter().flat_map(|entry| &entry.rows);
    let mut text = format!(
        "# Experiments: measured against published\n\n\
         Generated by `airtab experiment scoreboard` from the results in this directory and the experiments that airtab was built \
         with; do not edit. {} with {}; {} have a result.\n\
         [Experiments](../docs/experiments.md) describes files, verdicts and commands.\n\n\
         | class of check | checks | {} | median deviation |\n|---|---:|---:|---:|---:|---:|---:|\n",
        count(entries.len(), "experiment"),
        count(entries.iter().map(|entry| entry.experiment.checks.len()).sum(), "check"),
        rows().count(),
        Finding::ALL.map(Finding::word).join(" | ")
    );
    for class in Class::ALL {
        let meaning = match class {
            Class::Published => "the source prints a number",
            Class::Claim => "the source states it without a number",
            Class::Oracle => "another program or a closed form",
            Class::Question => "a question of this project",
        };
        total(
            &mut text,
            &format!("`{}`: {meaning}", class.name()),
            rows().filter(|row| row.class() == class),
        );
    }
    total(&mut text, "all", rows());
    stale(&mut text, entries);
    studies(&mut text, entries);
    not_reproduced(&mut text, entries);
    text
}

/// A row of the table of classes.
fn total<'a>(text: &mut String, name: &str, rows: impl Iterator<Item = &'a Row<'a>> + Clone) {
    let of = |finding| rows.clone().filter(|row| row.finding() == finding).count().to_string();
    let _ = writeln!(
        text,
        "| {name} | {} | {} | {} |",
        rows.clone().count(),
        Finding::ALL.map(of).join(" | "),
        deviation(rows.clone())
    );
}

fn stale(text: &mut String, entries: &[Entry]) {
    let of = |standing| entries.iter().filter(|entry| entry.standing == standing).count();
    let (stale, missing) = (of(Standing::Stale), of(Standing::Missing));
    if stale > 0 {
        let live = entries.iter().filter(|entry| entry.standing == Standing::Stale && entry.experiment.live);
        let live: Vec<&str> = live.map(|entry| &*entry.experiment.id).collect();
        let root = match live.is_empty() {
            true => String::new(),
            false => format!(", `sudo airtab experiment run {}` those in real time", live.join(" ")),
        };
        let _ = write!(
            text,
            "\n{stale} of {} results are stale: the simulator, the experiment or the code of verdicts has changed since. `airtab \
             experiment run --stale` repeats those that are simulated{root}.\n",
            entries.len() - missing
        );
    }
    if missing > 0 {
        let without: Vec<String> = entries
            .iter()
            .filter(|entry| entry.standing == Standing::Missing)
            .map(|entry| format!("`{}`", entry.experiment.id))
            .collect();
        let _ = write!(text, "\nWithout a result: {}.\n", without.join(", "));
    }
}

/// Experiments by family and study.
fn by_study<'a>(entries: &'a [Entry<'a>]) -> BTreeMap<(&'a str, &'a str), Vec<&'a Entry<'a>>> {
    let mut studies: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for entry in entries {
        let e = entry.experiment;
        studies.entry((e.family(), e.study.as_str())).or_default().push(entry);
    }
    studies
}

fn studies(text: &mut String, entries: &[Entry]) {
    let _ = write!(
        text,
        "\n## Studies\n\nCounts are {}. The deviation of a check is its distance to the number that the source prints, at the \
         farthest point. The column has the median and the number of checks with such a number.\n\n\
         | family | study | experiments | stale | {} | deviation |\n|---|---|---:|---:|---|---|---|---|---:|\n",
        Finding::ALL.map(|finding| format!("*{}*", finding.word())).join(" / "),
        Class::ALL.map(Class::name).join(" | ")
    );
    for ((family, study), entries) in by_study(entries) {
        let rows = || entries.iter().flat_map(|entry| &entry.rows);
        let of =
            |class| counts(rows().filter(move |row| row.class() == class).collect::<Vec<_>>().into_iter());
        let stale = entries.iter().filter(|entry| entry.standing == Standing::Stale).count();
        let _ = writeln!(
            text,
            "| [{family}]({RESULTS}/{family}.md) | {} | {} | {stale} | {} | {} |",
            cell(study),
            entries.len(),
            Class::ALL.map(of).join(" | "),
            deviation(rows())
        );
    }
}

fn not_reproduced(text: &mut String, entries: &[Entry]) {
    text.push_str(
        "\n## Not reproduced\n\nExperiments with their numbers of checks that are not reproduced. The pages give the \
         cause of each.\n\n",
    );
    for ((family, study), entries) in by_study(entries) {
        let red = entries.iter().filter(|entry| entry.red() > 0);
        let links: Vec<String> =
            red.map(|entry| format!("{} {}", entry.link(&format!("{RESULTS}/")), entry.red())).collect();
        if !links.is_empty() {
            let _ = writeln!(text, "- {family}, {study}: {}", links.join(", "));
        }
    }
}

fn family_page(family: &str, entries: &[&Entry]) -> String {
    let mut text = format!(
        "# Results of the experiments `{family}`\n\n\
         Generated by `airtab experiment scoreboard`; do not edit. The [scoreboard](../README.md) has the totals,\n\
         [Experiments](../../docs/experiments.md) the meaning of verdicts and classes.\n\n\
         | experiment | quantity | checks | {} | result |\n|---|---|---:|---:|---:|---:|---:|---|\n",
        Finding::ALL.map(Finding::word).join(" | ")
    );
    for entry in entries {
        let of = |finding| entry.rows.iter().filter(|row| row.finding() == finding).count().to_string();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            entry.link(""),
            cell(&entry.experiment.title),
            entry.rows.len(),
            Finding::ALL.map(of).join(" | "),
            entry.standing.word()
        );
    }
    entries.iter().for_each(|entry| details(&mut text, entry));
    text
}

/// Heading, checks, causes and remarks of one experiment.
fn details(text: &mut String, entry: &Entry) {
    let e = entry.experiment;
    let _ = write!(text, "\n## {}\n\n{}. {}", e.id, one_line(&e.title), one_line(&e.source));
    match entry.record {
        None => text.push_str(". No result.\n"),
        Some(record) => {
            let (commit, dirty) = match record.commit.strip_suffix("-dirty") {
                Some(commit) => (commit, " with changed sources"),
                None => (&*record.commit, ""),
            };
            let commit: String = commit.chars().take(12).collect();
            let stale = if entry.standing == Standing::Stale { "; **stale**" } else { "" };
            let size = size(record.runs, record.seeds);
            let _ = writeln!(text, "; {size}; commit {commit}{dirty}, {}{stale}.", record.date);
            checks(text, &entry.rows);
        }
    }
    for (subject, remark) in &e.remarks {
        let subject = if subject == "comparison" { "All disciplines" } else { subject };
        let _ = write!(text, "\n**{subject}.** {}\n", one_line(remark));
    }
}

fn checks(text: &mut String, rows: &[Row]) {
    // A column only where a row has something in it.
    let rerun = rows.iter().any(|row| !row.record.off_rerun.is_empty());
    let (heading, line) = if rerun { (" rerun, and distance to it |", "---|") } else { ("", "") };
    let _ = write!(
        text,
        "\n| check | class | section | stated | expected | measured | deviation |{heading} verdict |\n\
         |---|---|---|---|---|---|---|{line}---|\n"
    );
    for row in rows {
        let (r, c) = (row.record, row.check);
        let off = if rerun { format!("{} | {}", r.off, r.off_rerun) } else { r.off.clone() };
        let finding = row.finding();
        let word = if finding.is_red() { format!("**{}**", finding.word()) } else { finding.word().into() };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {off} | {word} |",
            cell(c.map_or(&r.what, |c| &c.what)),
            row.class().name(),
            cell(c.map_or(&r.section, |c| &c.section)),
            cell(&r.reported),
            cell(&r.expected),
            cell(&r.measured),
        );
    }
    let mut first = true;
    for row in rows {
        let Some(cause) = row.cause() else { continue };
        if std::mem::take(&mut first) {
            text.push('\n');
        }
        let what = row.check.map_or(&row.record.what, |check| &check.what);
        let _ = writeln!(
            text,
            "- {} ({}): {}",
            one_line(what),
            row.finding().word(),
            one_line(cause.strip_prefix("open: ").unwrap_or(cause))
        );
    }
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result of each experiment in which no check holds.
    fn red() -> (Vec<Experiment>, Records) {
        let all = crate::experiment::all();
        let check = |check: &Check| CheckRecord {
            what: check.what.clone(),
            section: check.section.clone(),
            reported: check.reported.clone(),
            expected: "at least 1".into(),
            measured: "0".into(),
            off: "-1".into(),
            off_percent: Some(-10.0),
            off_rerun: String::new(),
            state: State::KnownRed,
            cause: Some("stored".into()),
            values: Vec::new(),
        };
        let record = |e: &Experiment| Record {
            schema: 1,
            id: e.id.clone(),
            commit: "0123456789abcdef".into(),
            date: "2026-11-28".into(),
            sources: Some(crate::store::sources().into()),
            experiment: Some(e.number()),
            runs: 1,
            seeds: 1,
            checks: e.checks.iter().map(check).collect(),
        };
        let records = all.iter().map(|e| (e.id.clone(), record(e))).collect();
        (all, records)
    }

    #[test]
    fn the_overview_of_all_experiments_has_fewer_than_150_lines() {
        let (all, records) = red();
        let made = pages(&all, &records);
        assert_eq!(made, pages(&all, &records), "the same bytes");
        let overview = &made[0];
        assert_eq!(overview.path, "README.md");
        assert!(overview.text.lines().count() < 150, "{}", overview.text);
        // Each experiment with its number of checks, and each family with its page.
        for e in &all {
            let (family, name) = e.id.split_once('/').unwrap();
            assert!(overview.text.contains(&format!("[{name}]({RESULTS}/{family}.md#")), "{}", e.id);
            let page = made.iter().find(|page| page.path == format!("{RESULTS}/{family}.md")).unwrap();
            assert!(page.text.contains(&format!("\n## {}\n", e.id)), "{}", e.id);
            assert!(!e.study.is_empty() && e.study != family, "{}: add `study`", e.id);
        }
        let without: Vec<&str> =
            overview.text.lines().filter(|line| line.starts_with("Without a result")).collect();
        assert!(without.is_empty(), "{without:?}");
        assert!(pages(&all, &Records::new())[0].text.contains("Without a result: `beyond/afq`, "));
    }

    #[test]
    fn texts_come_from_the_file_and_values_from_the_result() {
        let (all, records) = red();
        let e = all.iter().find(|e| e.id == "chap/qsize-game").unwrap();
        let mut changed = e.clone();
        changed.checks[0].what = "another name".into();
        changed.checks[0].known = Some("another cause".into());
        let page = |e: &Experiment, records: &Records| pages(std::slice::from_ref(e), records).remove(1).text;
        let text = page(&changed, &records);
        assert!(text.contains("\n| another name | published | 6.6 | "), "{text}");
        assert!(text.contains("\n- another name (not reproduced, cause open): another cause\n"), "{text}");
        assert!(!text.contains("**stale**"), "{text}");
        // Where the checks may be others, a name that is not found stands for itself.
        let mut stale = records.clone();
        stale.get_mut(&e.id).unwrap().experiment = None;
        let text = page(&changed, &stale);
        assert!(!text.contains("another name") && text.contains("**stale**"), "{text}");
        assert!(
            text.contains(&format!("- {} (not reproduced, cause open): stored\n", e.checks[0].what)),
            "{text}"
        );
    }

    /// A check with these lines, and its stored verdict.
    fn made(what: &str, lines: &str, state: State, off_percent: Option<f64>) -> (String, CheckRecord) {
        let text = format!(
            "[[check]]\nwhat = \"{what}\"\nsection = \"1.2\"\nreported = \"r\"\nof = \"g.game_mos\"\nqueue = \"fifo\"\nleast = 1\n{lines}\n"
        );
        let record = CheckRecord {
            what: what.into(),
            section: "1.2".into(),
            reported: "r".into(),
            expected: "at least 1".into(),
            measured: "m | m".into(),
            off: off_percent.map_or(String::new(), |off| format!("{off} %")),
            off_percent,
            off_rerun: String::new(),
            state,
            cause: Some("stored".into()),
            values: Vec::new(),
        };
        (text, record)
    }

    fn entry(
        id: &str,
        study: &str,
        head: &str,
        checks: Vec<(String, CheckRecord)>,
        stale: bool,
    ) -> (Experiment, Record) {
        use super::super::file::Purpose;
        use super::super::made::{HOME, read};
        let (texts, checks): (Vec<String>, Vec<CheckRecord>) = checks.into_iter().unzip();
        let text = format!(
            "title = \"T {id}\"\nsource = \"S {id}\"\nstudy = \"{study}\"\n{head}\n{HOME}{}",
            texts.concat()
        );
        let e = read(id, &text, Purpose::Judge).unwrap_or_else(|e| panic!("{e}"));
        let record = Record {
            schema: 1,
            id: id.into(),
            commit: "0123456789abcdef-dirty".into(),
            date: "2010-06-01".into(),
            sources: Some(crate::store::sources().into()),
            experiment: Some(if stale { "0".repeat(16) } else { e.number() }),
            runs: 12,
            seeds: 3,
            checks,
        };
        (e, record)
    }

    /// Four studies of two families: each number of the overview is another one.
    fn board() -> Vec<Page> {
        let published = "class = \"published\"";
        let known = "class = \"published\"\nknown = \"open: why\"\ncause = \"shown\"";
        let mut all = vec![
            entry(
                "chap/a-1",
                "Lee 2010",
                "",
                vec![
                    made("one", published, State::Holds, Some(-10.0)),
                    made("two", published, State::Undecided, Some(4.0)),
                    made("three", known, State::KnownRed, Some(30.0)),
                    made("four", "class = \"oracle\"", State::Red, Some(999.0)),
                ],
                false,
            ),
            entry(
                "chap/b",
                "Lee 2010",
                "",
                vec![
                    made("five", "class = \"claim\"", State::HoldsAgain, None),
                    made("six", published, State::KnownRed, Some(2.0)),
                    made("seven", published, State::Holds, None),
                ],
                true,
            ),
            entry(
                "stz/c",
                "Starzetz",
                "",
                vec![made("eight", "class = \"question\"", State::Holds, None)],
                false,
            ),
            entry(
                "live/d",
                "mine",
                "live = true",
                vec![made("nine", "known = \"file\"", State::Red, None)],
                true,
            ),
            entry("live/e", "mine", "live = true", Vec::new(), true),
            entry("live/g", "mine", "live = true", Vec::new(), false),
        ];
        let (without, _) = entry("stz/f", "Another", "", vec![made("ten", "", State::Red, None)], false);
        let records = all.iter().map(|(e, record)| (e.id.clone(), record.clone())).collect();
        let mut experiments: Vec<Experiment> = all.drain(..).map(|(e, _)| e).collect();
        experiments.push(without);
        pages(&experiments, &records)
    }

    #[test]
    fn the_overview_counts_each_check_once() {
        let board = board();
        let paths: Vec<&str> = board.iter().map(|page| page.path.as_str()).collect();
        assert_eq!(paths, ["README.md", "results/chap.md", "results/live.md", "results/stz.md"]);
        let text = &board[0].text;
        assert!(text.contains("do not edit. 7 experiments with 10 checks; 9 have a result.\n"), "{text}");
        for line in [
            // Of 10, 4, 30 and 2 %: (4 + 10) / 2.
            "| `published`: the source prints a number | 5 | 2 | 1 | 1 | 1 | 7.0 % of 4 |",
            "| `claim`: the source states it without a number | 2 | 1 | 0 | 0 | 1 |  |",
            "| `oracle`: another program or a closed form | 1 | 0 | 0 | 0 | 1 |  |",
            "| `question`: a question of this project | 1 | 1 | 0 | 0 | 0 |  |",
            "| all | 9 | 4 | 1 | 1 | 3 | 7.0 % of 4 |",
            "3 of 6 results are stale: the simulator, the experiment or the code of verdicts has changed since. `airtab experiment run --stale` repeats those that are simulated, `sudo airtab experiment run live/d live/e` those in real time.",
            "Without a result: `stz/f`.",
            "| [chap](results/chap.md) | Lee 2010 | 2 | 1 | 2 / 1 / 1 / 1 | 1 / 0 / 0 / 0 | 0 / 0 / 0 / 1 |  | 7.0 % of 4 |",
            "| [live](results/live.md) | mine | 3 | 2 |  | 0 / 0 / 0 / 1 |  |  |  |",
            "| [stz](results/stz.md) | Another | 1 | 0 |  |  |  |  |  |",
            "| [stz](results/stz.md) | Starzetz | 1 | 0 |  |  |  | 1 / 0 / 0 / 0 |  |",
            "- chap, Lee 2010: [a-1](results/chap.md#chapa-1) 2, [b](results/chap.md#chapb) 1",
            "- live, mine: [d](results/live.md#lived) 1",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        assert!(!text.contains("- stz"), "all of it is reproduced: {text}");
    }

    #[test]
    fn the_page_of_a_family_has_each_check() {
        let board = board();
        let (chap, live, stz) = (&board[1].text, &board[2].text, &board[3].text);
        for line in [
            "| [a-1](chap.md#chapa-1) | T chap/a-1 | 4 | 1 | 1 | 1 | 1 | current |",
            "| [b](chap.md#chapb) | T chap/b | 3 | 2 | 0 | 0 | 1 | stale |",
            "T chap/a-1. S chap/a-1; 12 runs, 3 seeds; commit 0123456789ab with changed sources, 2010-06-01.",
            "T chap/b. S chap/b; 12 runs, 3 seeds; commit 0123456789ab with changed sources, 2010-06-01; **stale**.",
            "| two | published | 1.2 | r | at least 1 | m \\| m | 4 % | inconclusive |",
            "| three | published | 1.2 | r | at least 1 | m \\| m | 30 % | **not reproduced, cause shown** |",
            // What the file says of a cause is before what is stored; what holds has none.
            "- two (inconclusive): stored",
            "- three (not reproduced, cause shown): why",
            "- four (not reproduced, cause open): stored",
            "- five (reproduced): stored",
        ] {
            assert!(chap.lines().any(|l| l == line), "{line}\n{chap}");
        }
        assert!(!chap.contains("- one (") && !chap.contains("- seven ("), "{chap}");
        // In real time a red verdict may be the machine's: the run says so.
        assert!(live.contains("\n- nine (not reproduced, cause open): stored\n"), "{live}");
        assert!(stz.contains("\n## stz/f\n\nT stz/f. S stz/f. No result.\n"), "{stz}");
        assert!(stz.contains("| [f](stz.md#stzf) | T stz/f | 0 | 0 | 0 | 0 | 0 | none |\n"), "{stz}");
    }

    /// Two checks of one name keep their own stored verdicts, also if the experiment has changed since.
    #[test]
    fn checks_of_one_name_are_told_apart() {
        for stale in [false, true] {
            let checks = vec![
                made("same", "class = \"oracle\"\nknown = \"first\"", State::Red, None),
                made("gone", "class = \"claim\"", State::Red, None),
                made("same", "class = \"question\"\nknown = \"second\"", State::Red, None),
            ];
            let (mut e, record) = entry("chap/x", "X", "", checks, stale);
            if stale {
                e.checks.remove(1);
            }
            let records = Records::from([(e.id.clone(), record)]);
            let text = pages(&[e], &records).remove(1).text;
            let causes: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
            let told = |what: &str, cause: &str| format!("- {what} (not reproduced, cause open): {cause}");
            assert_eq!(causes, [told("same", "first"), told("gone", "stored"), told("same", "second")]);
            let classes: Vec<&str> = text
                .lines()
                .filter(|line| line.contains("| 1.2 |"))
                .map(|line| line.split(" | ").nth(1).unwrap())
                .collect();
            assert_eq!(classes, ["oracle", "claim", "question"]);
        }
    }
}
