// SPDX-License-Identifier: MIT OR GPL-2.0-only
use std::collections::{BTreeMap, BTreeSet};

use airtab_core::{Discipline, disciplines};
use prometheus_parse::{Scrape as Parsed, Value};

use super::*;
use crate::fixture::evening;
use crate::snapshot::{AppView, ClassView, Classes, ColumnView, QdiscView, Score, StatView};

fn scrape(s: &Snapshot) -> String {
    encode(Some(Arc::new(s.clone())), Format::OpenMetrics)
}

/// Names with `_total`, as queries spell them.
fn names(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(['{', ' ']).next().unwrap().to_string()).collect()
}

/// Every name that any access point exports: all disciplines, and the scores of
/// the kinds of applications that house files know.
fn all_names() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut s = evening()[0].clone();
    (s.air.stations_jain_ratio, s.air.won_again_ratio) = (Some(0.9), Some(0.3));
    for metric in ["bit_rate_bits_per_second", "uplink_goodput_bits_per_second"] {
        let score = Score { metric: metric.into(), ..Score::default() };
        s.apps.push(AppView { score: Some(score), ..AppView::default() });
    }
    for discipline in disciplines() {
        let stats = discipline.stats().iter().map(|stat| StatView::new(stat, 1)).collect();
        s.qdisc = QdiscView { stats, ..s.qdisc };
        s = with_columns(&s, discipline);
        all.extend(names(&scrape(&s)));
    }
    all
}

/// All flows known to that discipline, 0.25 everywhere.
fn with_columns(s: &Snapshot, discipline: Discipline) -> Snapshot {
    let mut s = s.clone();
    s.qdisc.columns = discipline.flow_columns().iter().map(ColumnView::new).collect();
    for flow in &mut s.flows {
        flow.columns = s.qdisc.columns.iter().map(|column| (column.key(), Some(0.25))).collect();
    }
    s.qdisc.classes = classes_of(discipline);
    s
}

/// Two classes, 7 everywhere, of a discipline whose table has some.
fn classes_of(discipline: Discipline) -> Classes {
    if discipline.column(Classes::CLASS).is_none() {
        return Classes::default();
    }
    let mut classes = Classes::of(&discipline.row_stats());
    let values = vec![7.0; classes.columns.len()];
    classes.classes = [0, 255].map(|number| ClassView::new(number, values.clone(), &classes)).into();
    classes
}

/// What scrapers insist on.
fn check(text: &str) {
    assert!(text.ends_with("\n# EOF\n"));
    let valid = |name: &str| {
        name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            && name.starts_with("airtab_")
            && !name.contains("__")
    };
    let mut types = BTreeMap::new();
    let mut described = BTreeSet::new();
    let mut series = BTreeSet::new();
    let mut family = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        match words[..] {
            ["#", "HELP", name, help] => {
                assert!(valid(name) && help.len() > 3, "{line}");
                assert!(described.insert(name), "HELP twice: {line}");
                family = name.into();
            }
            ["#", "TYPE", name, kind] => {
                assert!(kind == "counter" || kind == "gauge", "{line}");
                assert!(types.insert(name, kind).is_none(), "TYPE twice: {line}");
                assert_eq!(name, family, "TYPE beside HELP");
            }
            ["#", "UNIT", name, unit] => {
                assert!(name.ends_with(unit), "{line}");
                assert_eq!(name, family);
            }
            ["#", "EOF"] => {}
            _ => {
                let (labelled, value) = line.rsplit_once(' ').unwrap();
                let name = labelled.split('{').next().unwrap();
                let suffix = if types[&*family] == "counter" { "_total" } else { "" };
                assert_eq!(name, format!("{family}{suffix}"), "a sample stands with its family");
                assert!(value.parse::<f64>().unwrap().is_finite(), "{line}");
                assert!(series.insert(labelled), "twice: {labelled}");
            }
        }
    }
    assert_eq!(described.len(), types.len());
}

/// Every counter of a text, with its labels.
fn counters(text: &str) -> BTreeMap<String, f64> {
    let parsed = Parsed::parse(text.lines().map(|line| Ok(line.to_string()))).unwrap();
    let value = |v: &Value| match v {
        Value::Counter(x) | Value::Gauge(x) | Value::Untyped(x) => *x,
        other => panic!("no {other:?} is exported"),
    };
    let totals = parsed.samples.iter().filter(|s| s.metric.ends_with("_total"));
    totals.map(|s| (format!("{} {}", s.metric, s.labels), value(&s.value))).collect()
}

#[test]
fn an_evening_as_scrapers_want_it() {
    let [first, second] = evening();
    let texts = [scrape(&first), scrape(&second)];
    texts.iter().for_each(|text| check(text));
    let [first, second] = texts.map(|text| counters(&text));
    assert!(first.len() > 100, "{}", first.len());
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    for (name, before) in &first {
        assert!(second[name] >= *before, "{name} went from {before} to {}", second[name]);
    }
    assert!(first.iter().filter(|(name, before)| second[*name] > **before).count() > 50);
}

#[test]
fn values_are_in_base_units() {
    let text = scrape(&evening()[0]);
    let line = |wanted: &str| assert!(text.lines().any(|l| l == wanted), "{wanted}\n{text}");
    line(r#"airtab_info{house="evening",queue="chap:increment=25ms",medium="dcf"} 1.0"#);
    line("airtab_qdisc_newcomer_credit_seconds 0.025");
    line("airtab_qdisc_boosts_total 2210.0");
    line("# HELP airtab_qdisc_boosts Discipline: boosts");
    line(r#"airtab_queue_dropped_packets_total{reason="pushout"} 182.0"#);
    line(r#"airtab_station_bytes_total{station="phone",direction="up"} 605040.0"#);
    line(r#"airtab_station_airtime_seconds_total{station="tv",direction="down"} 7.08"#);
    line(r#"airtab_station_sojourn_seconds{station="laptop",quantile="0.99"} 0.1684"#);
    line(r#"airtab_station_phy_rate_bits_per_second{station="tablet"} 6000000.0"#);
    line(r#"airtab_air_seconds_total{use="collision"} 1.86"#);
    line(r#"airtab_hop_delay_seconds{hop="queue",quantile="0.5"} 0.1204"#);
    line(r#"airtab_app_game_mos{app="game",kind="game",station="console"} 4.28"#);
    line(r#"airtab_app_page_seconds{app="browser",kind="web",station="laptop"} 0.84"#);
    // What the discipline says of flows; one that it does not know has no such series.
    assert_eq!(text.matches("\nairtab_flow_credit_seconds{").count(), 5);
}

#[test]
fn every_discipline_has_its_statistics() {
    for discipline in disciplines() {
        let stats: Vec<StatView> = discipline.stats().iter().map(|stat| StatView::new(stat, 7)).collect();
        let count = stats.len();
        let s = Snapshot { qdisc: QdiscView { stats, ..QdiscView::default() }, ..evening()[0].clone() };
        let s = with_columns(&s, discipline);
        let text = scrape(&s);
        check(&text);
        assert_eq!(text.matches("# HELP airtab_qdisc_").count(), count, "{}", discipline.name());
        let classes = s.qdisc.classes.columns.len();
        assert_eq!(text.matches("# HELP airtab_class_").count(), classes, "{}", discipline.name());
        assert_eq!(text.matches("class=\"urgent\"").count(), classes, "{}", discipline.name());
        // And each flow has what its table says of it.
        for column in &s.qdisc.columns {
            let help = format!("Discipline: {}\n", column.help);
            let described =
                text.lines().find(|line| format!("{line}\n").ends_with(&help)).expect("it is there");
            let name = described.split(' ').nth(2).expect("HELP, name, text");
            assert_eq!(text.matches(&format!("\n{name}{{")).count(), s.flows.len(), "{name}");
        }
    }
}

#[test]
fn names_from_outside_break_nothing() {
    let mut s = evening()[0].clone();
    s.house = "a\"b\\c\nd{}".into();
    s.flows[0].tuple = "\"\n# TYPE x counter".into();
    let score = Score { metric: "Ö-x \n".into(), value: 1.0, ..Score::default() };
    s.apps.push(AppView { name: "\n".into(), score: Some(score), ..AppView::default() });
    let stat = StatView {
        name: "A b".into(),
        help: "two\nlines".into(),
        unit: "furlong".into(),
        ..StatView::default()
    };
    s.qdisc.stats.push(stat);
    let text = scrape(&s);
    assert!(text.contains(r#"house="a\"b\\c\nd{}""#), "{text}");
    assert!(text.contains("\nairtab_qdisc_a_b 0.0\n"));
    assert!(text.lines().all(|line| line.starts_with('#') || line.starts_with("airtab_")), "{text}");
}

#[test]
fn nothing_yet_is_a_valid_answer() {
    assert_eq!(encode(None, Format::OpenMetrics), "# EOF\n");
    assert_eq!(encode(None, Format::Text), "");
    check(&scrape(&Snapshot::default()));
}

/// Line by line, from both specifications: a counter's family has no `_total` in OpenMetrics, and has it in 0.0.4, which has
/// neither UNIT nor EOF, and the label `quantile` in summaries only.
#[test]
fn the_text_format_names_counters_by_their_samples() {
    let open = "# HELP a_seconds Time.\n# TYPE a_seconds counter\n# UNIT a_seconds seconds\na_seconds_total{x=\"# HELP y\"} 1.5\n\
                # HELP b Now\n# TYPE b gauge\nb 2.0\nb{of=\"c\"} 3.0\n# HELP q Late\n# TYPE q gauge\nq{quantile=\"0.5\"} 4.0\n\
                # HELP r Not\n# TYPE r gauge\nr{of=\"quantile=\\\"0.5\\\"\"} 5.0\n# EOF\n";
    let text = "# HELP a_seconds_total Time.\n# TYPE a_seconds_total counter\na_seconds_total{x=\"# HELP y\"} 1.5\n\
                # HELP b Now\n# TYPE b gauge\nb 2.0\nb{of=\"c\"} 3.0\n# HELP q Late\n# TYPE q summary\nq{quantile=\"0.5\"} 4.0\n\
                # HELP r Not\n# TYPE r gauge\nr{of=\"quantile=\\\"0.5\\\"\"} 5.0\n";
    assert_eq!(text_format(open), text);
}

/// Both formats have the same samples, and a parser of 0.0.4 knows their types.
#[test]
fn both_formats_have_the_same_samples() {
    let s = Arc::new(evening()[1].clone());
    let (open, text) = (encode(Some(Arc::clone(&s)), Format::OpenMetrics), encode(Some(s), Format::Text));
    let samples = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with('#')).map(String::from).collect()
    };
    assert_eq!(samples(&open), samples(&text));
    assert!(!text.contains("# EOF") && !text.contains("# UNIT"));
    let parsed = Parsed::parse(text.lines().map(|line| Ok(line.to_string()))).unwrap();
    assert!(parsed.samples.iter().any(|sample| matches!(sample.value, Value::Summary(_))));
    for sample in &parsed.samples {
        let counter = matches!(sample.value, Value::Counter(_));
        assert!(counter || matches!(sample.value, Value::Gauge(_) | Value::Summary(_)), "{sample:?}");
        assert_eq!(counter, sample.metric.ends_with("_total"), "{sample:?}");
        assert!(parsed.docs.contains_key(&sample.metric), "{sample:?}");
    }
}

const BOARD: &str = include_str!("../../../../docs/grafana/airtab.json");
const PAGE: &str = include_str!("../../../../docs/live-view.md");

/// Words of a text that are names of ours.
fn names_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("airtab_")).map(String::from).collect()
}

#[test]
fn the_board_asks_for_what_is_exported() {
    let board: serde_json::Value = serde_json::from_str(BOARD).unwrap();
    let panels = board["panels"].as_array().unwrap();
    let all = all_names();
    let mut asked = 0;
    for panel in panels {
        let title = panel["title"].as_str().unwrap();
        for target in panel["targets"].as_array().map_or(&[][..], |t| t) {
            let query = target["expr"].as_str().unwrap();
            for name in names_in(query) {
                assert!(all.contains(&name), "panel '{title}' asks for {name}: {query}");
                asked += 1;
            }
        }
    }
    // Variables ask, too.
    assert!(names_in(BOARD).is_subset(&all));
    assert!(asked >= 12, "{asked} names in {} panels", panels.len());
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "ids of panels are unique");
}

#[test]
fn the_page_lists_every_metric_and_no_other() {
    let table = PAGE.split("<!-- metrics -->").nth(1).expect("the table stands between two marks");
    let (listed, exported) = (names_in(table), all_names());
    let missing: Vec<_> = exported.difference(&listed).collect();
    let made_up: Vec<_> = listed.difference(&exported).collect();
    assert_eq!((missing, made_up), (vec![], vec![]), "not listed; listed and not exported");
}
