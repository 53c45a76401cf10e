// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tables, and who is marked as best in them, from figures made up for each case.

use Metric::*;
use airtab_lab::table::{self, Style};
use airtab_scenario::{Metric, OfPath};

use super::made::{app, bulk, comparison, down, queue, stream, summary, video, web};

const PLAIN: Style = Style { width: 80, colour: false };

/// One row of made-up (mean, half width); which columns are marked.
fn marked(metric: Metric, row: &[(f64, f64)]) -> Vec<bool> {
    let queues = row.iter().enumerate().map(|(i, (mean, half))| {
        let mut scores = app("x", if metric == Goodput { "download" } else { "game" }, &[]);
        scores.metrics.insert(metric, summary(*mean, *half));
        queue(&format!("q{i}"), vec![scores])
    });
    let text = table::comparison(&comparison(queues.collect()), PLAIN);
    let line = text.lines().find(|l| l.starts_with('x')).unwrap();
    line.split(" ± ").skip(1).map(|cell| cell.contains('*')).collect()
}

#[test]
fn the_best_is_marked_if_it_can_be_told() {
    // Two that vary by 0.15 and 0.02: their difference does by 0.13.
    assert_eq!(marked(GameMos, &[(3.5, 0.1), (4.2, 0.15), (4.3, 0.02)]), [false, true, true], "a tie");
    assert_eq!(marked(GameMos, &[(3.5, 0.1), (4.2, 0.11), (4.3, 0.02)]), [false, false, true]);
    assert_eq!(marked(GameMos, &[(4.2, 0.12), (4.25, 0.08), (4.3, 0.01)]), [false; 3], "all alike");
    assert_eq!(marked(QueueDelayP99, &[(0.017, 0.001), (0.001, 0.0001)]), [false, true], "less is better");
    assert_eq!(
        marked(GameMos, &[(4.264, 0.0), (4.262, 0.0), (3.0, 0.0)]),
        [true, true, false],
        "equal as shown"
    );
    assert_eq!(marked(GameMos, &[(4.2, 0.1)]), [false], "nothing to compare with");
}

/// Intervals that overlap hide what the same seeds show.
#[test]
fn what_the_seeds_share_tells_nobody_apart() {
    assert_eq!(marked(GameMos, &[(4.0, 1.0), (4.1, 1.0), (1.0, 1.0)]), [false, true, false]);
    // Only the difference from the best counts, not that from another which is marked.
    assert_eq!(marked(GameMos, &[(4.0, 0.4), (3.5, 0.4), (4.3, 0.05)]), [true, false, true]);
    assert_eq!(marked(QueueDelayP99, &[(0.010, 0.005), (0.013, 0.001), (0.014, 0.003)]), [true, true, false]);
}

#[test]
fn without_intervals_nothing_is_marked() {
    let mut c = comparison(vec![
        queue("a", vec![app("x", "game", &[(GameMos, 3.0)])]),
        queue("b", vec![app("x", "game", &[(GameMos, 4.0)])]),
    ]);
    c.seeds = vec![1];
    for q in &mut c.queues {
        for s in q.apps[0].metrics.values_mut() {
            s.half_width_95 = None;
        }
    }
    let text = table::comparison(&c, PLAIN);
    assert!(!text.contains('*') && text.contains("One seed: no interval"), "{text}");
}

#[test]
fn the_whole_table() {
    let under = |label: &str, mos, wait| {
        let apps = vec![
            app("game", "game", &stream(GameMos, mos, 0.012, wait, 0.0, 0.0)),
            app("a call", "voip", &stream(VoipMos, 4.4, 0.012, wait, 0.004, 0.0)),
            app("film", "video", &video(29.9, [0.999, 1.0, 1.0, 0.998], 0.0001)),
            app("news", "web", &web(0.061, 0.0004, 0.0)),
            app("download", "download", &bulk(25e6, 33.0, 0.012, 0.6, 0.0, 0.0)),
            app("peers", "p2p", &bulk(5e6, 33.0, 0.012, 0.2, 0.0, 0.0)),
        ];
        queue(label, apps)
    };
    let c = comparison(vec![
        under("fifo", 3.5, 0.0095),
        under("chap", 4.27, 0.0002),
        under("chap:increment=50ms:limit=350", 4.26, 0.0002),
    ]);
    insta::assert_snapshot!("table_80", table::comparison(&c, PLAIN));
    insta::assert_snapshot!("table_60", table::comparison(&c, Style { width: 60, colour: false }));
    insta::assert_snapshot!("run", table::run(&c.queues[0], PLAIN));
    for style in [PLAIN, Style { width: 60, colour: false }] {
        let widest = table::comparison(&c, style).lines().map(|l| l.chars().count()).max().unwrap();
        assert!(widest <= style.width, "{widest} columns in {}", style.width);
    }
    let coloured = table::comparison(&c, Style { width: 80, colour: true });
    assert!(coloured.contains("\u{1b}[1m"), "the best is bold");
    let plain = table::comparison(&c, PLAIN);
    let rows = plain.lines().filter(|line| !line.starts_with('*'));
    let marks = rows.map(|line| line.matches('*').count());
    assert_eq!(coloured.matches("\u{1b}[1m").count(), marks.sum::<usize>(), "and nothing else is");
    assert!(!table::comparison(&c, PLAIN).contains('\u{1b}'));
}

/// The row of an upload is about its data, not about its ACKs; air is that of both ways.
#[test]
fn a_row_is_about_the_applications_own_data() {
    let both = [(Air, 0.07), (UplinkAir, 0.44)];
    let of = |own: &[(Metric, f64)]| own.iter().chain(&both).copied().collect::<Vec<_>>();
    let apps = vec![
        app(
            "backup",
            "upload",
            &of(&[(UplinkGoodput, 5e6), (Goodput, 1e5), (Loss, 0.5), (UplinkLoss, 0.02)]),
        ),
        app("film", "streaming", &of(&[(BitRate, 3e6), (Goodput, 1e6), (Loss, 0.01), (UplinkLoss, 0.5)])),
        app("update", "download", &[(Goodput, 7e6), (Air, 0.25)]),
        app("peers", "p2p", &of(&[(Goodput, 7e6), (UplinkGoodput, 2e6), (Loss, 0.01)])),
        app("ping", "ping", &of(&[(Ping, 0.0125), (Goodput, 1e4), (Loss, 0.01)])),
    ];
    let table = table::run(&queue("fifo", apps), PLAIN);
    let row = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().skip(2).map(str::to_string).collect::<Vec<_>>().join(" ")
    };
    // Score with its unit, data, lost, the queue, air. A rate that has a column of its own is no score beside it.
    assert_eq!(row("backup"), "5.00 Mb/s up 5.00 2.00 - - - 51.0", "{table}");
    assert_eq!(row("film"), "3.00 Mb/s 1.00 1.00 - - - 51.0", "{table}");
    assert_eq!(row("update"), "- 7.00 - - - - 25.0", "{table}");
    assert_eq!(row("peers"), "- 9.00 1.00 - - - 51.0", "{table}");
    assert_eq!(row("ping"), "12.50 ms 0.01 1.00 - - - 51.0", "{table}");
}

/// The table of one application, its lines cut into columns.
fn lines(apps: Vec<Vec<(Metric, f64)>>, kind: &'static str) -> Vec<String> {
    let labels = ["fifo", "chap:limit=70"];
    let queues = apps.iter().zip(labels).map(|(figures, label)| queue(label, vec![app("x", kind, figures)]));
    let text = table::comparison(&comparison(queues.collect()), PLAIN);
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_row_has_its_unit_and_its_interval() {
    let of = |mos: f64, p99: f64, lost: f64| vec![(GameMos, mos), (QueueDelayP99, p99), (Loss, lost)];
    let table = lines(vec![of(3.5, 0.012, 0.00751), of(4.0, 0.0004, 0.0)], "game");
    // Half widths are a hundredth of the means: 3.5 and 4.0 are 0.5 apart, and 0.075 reach.
    assert!(table.contains(&"x MOS 3.50 ± 0.04 4.00 ± 0.04 *".to_string()), "{table:?}");
    assert!(table.contains(&"queue p99, ms 12.00 ± 0.12 0.40 ± 0.00 *".to_string()), "{table:?}");
    assert!(table.contains(&"lost, % 0.75 ± 0.01 0.00 ± 0.00 *".to_string()), "{table:?}");
    assert!(
        table.contains(&"Mean of 3 seeds ± half the width of its 95 % interval.".to_string()),
        "{table:?}"
    );
    assert!(table.contains(&"Limits, packets: fifo 35, chap:limit=70 35.".to_string()), "{table:?}");
    // What is missing under one discipline is no nought, and nobody's best.
    let table = lines(vec![of(3.5, 0.012, 0.0), vec![]], "game");
    assert!(table.contains(&"x MOS 3.50 ± 0.04 -".to_string()), "{table:?}");
    assert!(!table.iter().any(|line| line.starts_with("lost")), "no losses, no row: {table:?}");
}

#[test]
fn losses_have_a_row_where_there_are_some() {
    let of = |lost: f64| lines(vec![vec![(GameMos, 3.5), (Loss, lost)], vec![(GameMos, 3.5)]], "game");
    let has = |table: Vec<String>| table.iter().any(|line| line.starts_with("lost"));
    // Whichever discipline loses them.
    let second = lines(vec![vec![(GameMos, 3.5), (Loss, 0.0)], vec![(GameMos, 3.5), (Loss, 0.01)]], "game");
    assert!(second.contains(&"lost, % 0.00 ± 0.00 * 1.00 ± 0.01".to_string()), "{second:?}");
    // 0.005 % is the least that is not shown as 0.00.
    assert!(has(of(0.000051)) && !has(of(0.000049)));
}

/// Losses and drops of each sort have a row where there are some, and any other figure has one of noughts.
#[test]
fn noughts_of_losses_and_drops_have_no_row() {
    let labels = |more: Option<(Metric, f64)>| {
        let figures = [(VoipMos, 3.5), (Loss, 0.0), (UplinkLoss, 0.0), (Jitter, 0.0)];
        let mut q = queue("fifo", vec![app("call", "voip", &figures)]);
        let of_ap = [(UplinkDropped, 0.0), (WiredDropped, 0.0), (QueuePackets, 0.0)];
        q.ap.metrics.extend(of_ap.map(|(metric, x)| (metric, summary(x, 0.0))));
        if let Some((metric, x)) = more {
            let own =
                [&mut q.apps[0].metrics, &mut q.ap.metrics].into_iter().find(|m| m.contains_key(&metric));
            own.unwrap().insert(metric, summary(x, 0.0));
        }
        let text = table::comparison(&comparison(vec![q]), PLAIN);
        let has = |metric: &Metric| text.contains(&format!("  {}  ", metric.label()));
        [Loss, UplinkLoss, UplinkDropped, WiredDropped, QueuePackets].map(|metric| has(&metric))
    };
    assert_eq!(labels(None), [false, false, false, false, true]);
    for (i, metric) in [Loss, UplinkLoss, UplinkDropped, WiredDropped].into_iter().enumerate() {
        let mut expected = [false, false, false, false, true];
        expected[i] = true;
        assert_eq!(labels(Some((metric, 3.0))), expected, "{metric:?}");
    }
}

/// Columns that fit to the last character are in one table.
#[test]
fn a_table_is_as_wide_as_the_lines() {
    let of = |label: &str, mos: f64| queue(label, vec![app("game", "game", &[(GameMos, mos)])]);
    let c = comparison(vec![of("fifo", 3.5), of("chap", 4.0)]);
    // "game" and "MOS", then "3.50 ± 0.04 *" twice, each with two spaces.
    let wide = 6 + 5 + 2 * 15;
    let tables = |width: usize| {
        let text = table::comparison(&c, table::Style { width, colour: false });
        text.split("Against").next().unwrap().lines().filter(|line| line.contains("────")).count()
    };
    assert_eq!([wide - 1, wide, wide + 1].map(tables), [2, 1, 1]);
    // Each further table begins with the same two words, and is no wider.
    let labels = ["a", "b", "c", "d", "e", "f", "g"];
    let c = comparison(labels.iter().map(|label| of(label, if *label == "g" { 4.0 } else { 3.5 })).collect());
    let text = table::comparison(&c, table::Style { width: wide, colour: false });
    let scores: Vec<&str> =
        text.split("Against").next().unwrap().lines().filter(|line| line.starts_with("game")).collect();
    assert_eq!(scores.len(), 4, "{text}");
    assert_eq!(scores.iter().map(|line| line.matches('±').count()).collect::<Vec<_>>(), [2, 2, 2, 1]);
    assert!(text.lines().all(|line| line.chars().count() <= wide), "{text}");
}

#[test]
fn pages_and_a_short_schedule_are_said() {
    let mut c = comparison(vec![queue("fifo", vec![app("news", "web", &web(0.061, 0.0004, 0.0))])]);
    let text = table::comparison(&c, PLAIN);
    // 18 pages in each of three seeds.
    assert!(text.contains("Page times: the 54 pages of 3 seeds completed.\n"), "{text}");
    assert!(!text.contains("Short: "));
    c.short = true;
    c.queues.push(c.queues[0].clone());
    let metrics = &mut c.queues[0].apps[0].metrics;
    metrics.get_mut(&PagesCompared).unwrap().values = vec![Some(5.0), None, Some(2.0)];
    let text = table::comparison(&c, PLAIN);
    assert!(
        text.contains("Page times: the 7 pages of 2 seeds completed under every discipline.\n"),
        "{text}"
    );
    // Without page times there is nothing to say of them, however many pages there are.
    let mut without = c.clone();
    without.queues.iter_mut().for_each(|q| drop(q.apps[0].metrics.remove(&PageTime)));
    let said = table::comparison(&without, PLAIN);
    assert!(said.contains("pages completed") && !said.contains("Page times:"), "{said}");
    // A row of page times under one discipline alone, and no page to compare.
    for q in &mut c.queues {
        q.apps[0].metrics.remove(&PagesCompared);
    }
    let none = table::comparison(&c, PLAIN);
    assert!(none.contains("Page times: no page was completed under every discipline.\n"), "{none}");
    assert!(
        text.contains("Short: all times of the schedule were divided by 10; a first look, not"),
        "{text}"
    );
}

/// One scenario's two web applications in the measured time and in two windows, which overlap it.
#[test]
fn each_page_and_each_seed_is_counted_once() {
    let of = |name: &str, pages: [Option<f64>; 3]| {
        let mut app = app(name, "web", &web(0.061, 0.0004, 0.0));
        app.metrics.get_mut(&PagesCompared).unwrap().values = pages.to_vec();
        app
    };
    let apps = vec![
        of("news", [Some(5.0), None, Some(2.0)]),
        of("shop", [Some(17.0), None, None]),
        of("news@early", [Some(4.0), Some(1.0), None]),
        of("shop@early", [Some(9.0), None, None]),
        of("news@late", [Some(3.0), None, Some(2.0)]),
        of("shop@late", [Some(11.0), None, None]),
    ];
    let said = |apps: &[airtab_scenario::Scores], queues: usize| {
        let c = comparison(vec![queue("fifo", apps.to_vec()); queues]);
        let c = airtab_lab::Comparison { classes: vec![0, 0], ..c };
        let text = table::comparison(&c, PLAIN);
        text.split_once("Page times: ").unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(said(&apps[..2], 1), "the 24 pages of 2 seeds completed.");
    let all = "the 24 pages of 2 seeds completed under every discipline in the measured time.";
    assert_eq!(said(&apps, 2), all);
    let mut early = apps;
    for app in &mut early[..2] {
        app.metrics.get_mut(&PagesCompared).unwrap().values = vec![None; 3];
    }
    assert_eq!(said(&early, 1), "no page was completed in the measured time.");
}

/// Two disciplines with the same figures, of which one goes by classes.
fn with_classes(classes: &[u8], figures: [f64; 2]) -> String {
    let mut queues = ["fifo", "told"].map(|label| queue(label, vec![]));
    for (q, mos) in queues.iter_mut().zip(figures) {
        q.apps = vec![app("a", "game", &[(GameMos, mos)]), app("b", "game", &[(GameMos, 4.0)])];
    }
    queues[1].params.insert("classes", "2".into());
    let c = airtab_lab::Comparison { classes: classes.into(), ..comparison(queues.to_vec()) };
    // As one line: it may be broken anywhere.
    table::comparison(&c, PLAIN).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn who_is_told_nothing_is_said() {
    let nothing = "told goes by classes, and every application here has class 0: it has nothing to go by";
    assert!(
        with_classes(&[0, 0], [3.0, 3.0])
            .contains(&format!("{nothing}, and its figures are those of fifo to the digit."))
    );
    assert!(with_classes(&[0, 0], [3.0, 3.1]).contains(&format!("{nothing}.")), "another limit, for one");
    let last = with_classes(&[1, 7], [3.0, 3.1]);
    assert!(
        last.contains("every application here has class 1: it has nothing"),
        "a higher class is the last: {last}"
    );
    assert!(!with_classes(&[0, 1], [3.0, 3.1]).contains("classes"));
    let same = "fifo and told have the same figures, to the digit.";
    assert!(with_classes(&[0, 1], [3.0, 3.0]).contains(same));
    // One figure that differs, in no row of the table, is one; what their own tables say is none.
    let with = |metric| {
        let mut queues =
            ["fifo", "told"].map(|label| queue(label, vec![app("a", "game", &[(GameMos, 3.0)])]));
        queues[1].apps[0].metrics.insert(metric, summary(1.0, 0.0));
        let text = table::comparison(&comparison(queues.to_vec()), PLAIN);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!with(down(OfPath::Channel)).contains(same));
    let own = Metric::all().find(|metric| matches!(metric, Column(_))).unwrap();
    assert!(with(own).contains(same));
}

#[test]
fn the_indices_of_fairness_say_what_they_are_of() {
    let mut q = queue("fifo", vec![app("x", "download", &[(Goodput, 5e6)])]);
    assert!(!table::comparison(&comparison(vec![q.clone()]), PLAIN).contains("Jain"));
    for (metric, x) in [(FlowsRateJain, 0.9), (FlowsAirJain, 0.8), (StationsAirJain, 0.7)] {
        q.ap.metrics.insert(metric, summary(x, 0.0));
    }
    let text = table::comparison(&comparison(vec![q]), PLAIN);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Jain of rates, flows 0.900 ± 0.000 Jain of air, flows 0.800"), "{text}");
    assert!(
        text.contains("Jain of air, stations 0.700") && text.contains("equal bits give it more air."),
        "{text}"
    );
}

/// One sentence for each application: of the discipline that serves it worst.
#[test]
fn short_reasons_are_of_the_worst() {
    let under = |label: &str, mos, page| {
        let game = app("game", "game", &stream(GameMos, mos, 0.012, 0.001, 0.0, 0.0));
        queue(label, vec![game, app("news", "web", &web(page, 0.0004, 0.0)), app("silent", "game", &[])])
    };
    let c = comparison(vec![under("a", 4.0, 0.1), under("b", 3.0, 0.1), under("c", 3.5, 0.3)]);
    let short = airtab_lab::why_short(&c);
    let begins: Vec<&str> = short.iter().map(|sentence| sentence.split(':').next().unwrap()).collect();
    assert_eq!(begins, ["game 3.00 under b", "news 300 ms under c", "silent under a"], "{short:?}");
    // Those with one reason share a sentence.
    let all = airtab_lab::why(&c);
    assert_eq!(all.last().unwrap(), "silent under a, under b, under c: it sent nothing while measured");
    // Of equally bad ones the first asked for.
    let short = airtab_lab::why_short(&comparison(vec![under("a", 3.0, 0.1), under("b", 3.0, 0.1)]));
    assert!(
        short[0].starts_with("game 3.00 under a:") && short[1].starts_with("news 100 ms under a:"),
        "{short:?}"
    );
}

/// Each discipline has its own limit; one without is not among them.
#[test]
fn each_limit_is_its_own() {
    let mut queues = ["fifo", "chap:limit=70", "none"]
        .map(|label| queue(label, vec![app("x", "game", &[(GameMos, 3.0)])]));
    queues[1].params.insert("limit", "70".into());
    queues[2].params.clear();
    let said =
        |queues: &[airtab_scenario::QueueScores]| table::comparison(&comparison(queues.to_vec()), PLAIN);
    assert!(said(&queues).contains("Limits, packets: fifo 35, chap:limit=70 70.\n"), "{}", said(&queues));
    assert!(!said(&queues[2..]).contains("Limits"));
}

/// Each discipline but the first against the first, application by application; nothing where no seeds can tell.
#[test]
fn changes_are_those_of_each_discipline() {
    let of = |label: &str, mos: f64, page: Option<f64>| {
        let news = page.map(|page| vec![(PageTime, page)]).unwrap_or_default();
        queue(label, vec![app("game", "game", &[(GameMos, mos)]), app("news", "web", &news)])
    };
    let c = comparison(vec![of("old", 3.0, Some(0.2)), of("one", 4.0, Some(0.3)), of("two", 2.0, None)]);
    let text = table::comparison(&c, Style { width: 120, colour: false });
    let (_, changes) = text.split_once("Against old, by the differences of the same seeds").unwrap();
    let lines: Vec<String> =
        changes.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    // Half widths are a hundredth of the means: those of the differences are a hundredth of the differences.
    for line in
        ["one two", "game MOS better, +1.00 ± 0.01 worse, -1.00 ± 0.01", "news page, ms worse, +100 ± 1 -"]
    {
        assert!(lines.iter().any(|found| found == line), "no {line} in {lines:?}");
    }
    let mut single = c;
    for scores in single.queues.iter_mut().flat_map(|q| &mut q.apps) {
        scores.metrics.values_mut().for_each(|summary| summary.values.truncate(1));
    }
    assert!(!table::comparison(&single, PLAIN).contains("Against"));
}

/// A row for each node by its name, and the figures of the access point in their units.
#[test]
fn a_run_tells_its_nodes_and_its_access_point() {
    let node = |name: &str, x: f64| {
        let figures = [(QueuePackets, x), (QueueMax, 2.0 * x), (LimitMean, 5.0 * x)];
        let figures = figures.map(|(metric, x)| (metric, summary(x, 0.0)));
        let mut scores = app(name, "node", &[]);
        scores.metrics.extend(figures);
        scores.metrics.insert(DropShare, summary(x / 100.0, 0.0));
        scores
    };
    let mut q = queue("fifo", vec![app("x", "download", &[(Goodput, 5e6)])]);
    // The last label is longer than the column of most tables.
    let of_ap = [(QueueMax, 12.0), (QueueDelayP99, 0.0125), (IdleBeforeCollision, 4.5)];
    q.ap.metrics.extend(of_ap.map(|(metric, x)| (metric, summary(x, 0.0))));
    let row = |text: &str, begin: &str| {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(begin))
            .unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let without = table::run(&q, PLAIN);
    let (_, of_ap) = without.split_once("\naccess point\n").unwrap();
    for (metric, value) in [(QueueMax, 12.0), (QueueDelayP99, 12.5), (IdleBeforeCollision, 4.5)] {
        assert_eq!(row(of_ap, metric.label()), format!("{} {value:.*}", metric.label(), metric.decimals()));
    }
    assert!(!without.contains("node"), "{without}");
    q.nodes = vec![node("node/n0", 3.0), node("node/edge", 40.0)];
    let with = table::run(&q, PLAIN);
    let shown = |metric: Metric, x: f64| format!("{:.*}", metric.decimals(), metric.shown(x));
    for (name, x) in [("n0", 3.0), ("edge", 40.0)] {
        let figures = [
            shown(QueuePackets, x),
            shown(QueueMax, 2.0 * x),
            shown(LimitMean, 5.0 * x),
            "-".into(),
            shown(DropShare, x / 100.0),
        ];
        assert_eq!(row(&with, name), format!("{name} {} - -", figures.join(" ")), "{with}");
    }
}

/// Headings of several lines, figures to the right of their columns.
#[test]
fn tables_of_figures_stand_to_the_right() {
    let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    let text = table::figures(
        &words(&["N\n", "wait\nslots"]),
        &[words(&["2", "10.50"]), words(&["15", "3"])],
        PLAIN,
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[1], lines.len()), (" N   wait", "    slots", 5), "{text}");
    assert_eq!(lines[3..], [" 2  10.50", "15      3"]);
}
