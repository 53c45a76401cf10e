// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The report's page: complete, self-contained, safe with any name, the same
//! for the same figures; and the stories behind it.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use airtab_core::Phy;
use airtab_lab::store::NoStore;
use airtab_lab::{Capture, Comparison, Options, Origin, Report, Story, compare, html, story};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile, short};
use airtab_sim::Scenario;

struct Study {
    scenario: Scenario,
    comparison: Comparison,
    stories: Vec<Story>,
}

fn study(scenario: Scenario, names: &[&str], seeds: &[u64]) -> Study {
    let settings = ScenarioFile::home().queues;
    let spec = |name: &&str| {
        let spec: QueueSpec = name.parse().unwrap();
        (spec.label.clone(), spec.build(&settings).unwrap())
    };
    let queues: Vec<_> = names.iter().map(spec).collect();
    let stop = AtomicBool::new(false);
    let options = Options { seeds, short: true, jobs: 2, stop: &stop, store: &NoStore, progress: &|_| () };
    let comparison = compare(&scenario, &queues, &options).unwrap();
    let stories = queues.iter().map(|(label, q)| story(&short(&scenario), label, q, seeds[0])).collect();
    Study { scenario, comparison, stories }
}

fn page(study: &Study) -> String {
    let origin = Origin {
        version: "0.0.1".into(),
        git: "unknown".into(),
        command: "airtab compare --short".into(),
        scenario_hash: "0123".into(),
    };
    let Study { scenario, comparison, stories } = study;
    html(&Report { comparison, scenario, stories, origin: &origin })
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn the_page_has_everything_and_loads_nothing() {
    let study = study(ScenarioFile::home().scenario, &["fifo", "chap"], &[1, 2, 3]);
    let page = page(&study);
    for heading in [
        "What each application felt",
        "Why",
        "Time in the access point&#39;s queue",
        "Received over time",
        "Credit: airtime that a flow has left",
        "Who used the air",
        "Numbers",
        "One-way delay, and what TCP sent again",
        "To reproduce",
    ] {
        let heading = heading.replace("&#39;", "'");
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "no {heading}");
    }
    let apps = study.scenario.apps.len();
    // A score of each application, delays and rates of both, credits of one, one of the air.
    assert_eq!(count(&page, "<svg role="), apps + 2 + 2 + 1 + 1);
    assert_eq!(count(&page, "<svg role=\"img\" aria-label=\""), count(&page, "<svg role="));
    assert_eq!(count(&page, "<figcaption>"), count(&page, "<svg role="));
    for tag in ["figure", "div", "table", "thead", "tbody", "section", "ul", "svg", "main", "pre", "h2"] {
        assert_eq!(
            count(&page, &format!("<{tag}>")) + count(&page, &format!("<{tag} ")),
            count(&page, &format!("</{tag}>")),
            "{tag}"
        );
    }
    assert!(
        !page.contains("<script")
            && !page.contains("<link")
            && !page.contains("@import")
            && !page.contains("url(")
    );
    assert_eq!(count(&page, "http"), 0, "nothing to load");
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"));
    assert!(!page.contains("NaN") && !page.contains("inf"), "every number is one");
    assert!(page.len() < 500_000, "{} bytes", page.len());
    // The same score in the figure, its description and the table.
    let mos = study.comparison.get("fifo", "game", Metric::GameMos).unwrap();
    let text = format!("{:.2} ± {:.2}", mos.mean, mos.half_width_95.unwrap());
    assert!(count(&page, &text) >= 3, "{text}");
}

/// The style of a page: what is said of these selectors, the last of it first.
fn said<'a>(style: &'a str, selectors: &str) -> &'a str {
    let at = style.rfind(&format!("{selectors} {{")).unwrap_or_else(|| panic!("no {selectors} in {style}"));
    style[at..].split('}').next().unwrap()
}

/// Every table can be moved sideways, with words that the browser shows where it is wider than its box, however
/// wide the screen; its headings go on each page of paper, rows of an application stay together.
#[test]
fn tables_say_that_there_is_more_and_keep_together_on_paper() {
    let study = study(ScenarioFile::home().scenario, &["fifo", "chap"], &[1, 2, 3]);
    let page = page(&study);
    let (style, body) = page.split_once("</style>").unwrap();
    let tables: Vec<&str> =
        body.split("<table ").skip(1).map(|t| t.split("</table>").next().unwrap()).collect();
    assert_eq!(tables.len(), 6, "applications, changes, shares, numbers, both directions, parameters");
    let begin = "tabindex=\"0\"><div class=\"fit\"><p class=\"note sideways\">More to the right: move the table \
                 sideways.</p>\n<table ";
    assert_eq!(count(body, begin), tables.len(), "{body}");
    for table in &tables {
        let head =
            table.split("<thead>\n<tr>").nth(1).and_then(|t| t.split("</tr>\n</thead>\n<tbody>").next());
        assert!(head.is_some_and(|head| head.starts_with("<th>") && !head.contains("<tr")), "{table}");
    }
    // No header cell is empty, in corners neither.
    let empty = body
        .split("<th>")
        .skip(1)
        .find(|cell| cell.starts_with("<th>") || cell.starts_with("<td>") || cell.starts_with("</"));
    assert_eq!(empty, None);
    assert_eq!(count(body, "<tr><th>application<th>figure<th>"), 3, "changes, numbers, both directions");
    // Shown by the widths of table and box, and not by that of the screen.
    let (wide, print) = style.split_once("@media print").unwrap();
    assert!(said(wide, ".wide").contains("overflow-x: auto; container-type: inline-size;"), "{wide}");
    assert!(said(wide, ".sideways").contains("--more: calc((100% - 100cqi - 1px) * 999);"), "{wide}");
    assert!(said(wide, ".sideways").contains("max-width: max(0px, var(--more));"), "{wide}");
    assert_eq!(count(wide, ".sideways {"), 2, "nowhere else: {wide}");
    // What each is judged by.
    let needs = ["competitive-game", "voice", "video-conference", "web", ""];
    for (row, need) in tables[0].split("<tr><th>").skip(2).zip(needs) {
        assert!(row.contains(&format!("<td>{need}</tr>")), "{need}: {row}");
    }
    // A part for each application, and that of the queue, with its name in the first row.
    let numbers = tables[3].split("<tbody>\n").skip(1).collect::<Vec<_>>();
    let names = study.comparison.queues[0].apps.iter().map(|app| app.name.as_str()).chain(["queue"]);
    for (part, name) in numbers.iter().zip(names) {
        assert!(part.starts_with(&format!("<tr class=\"first\"><th>{name}<td>")), "{name}: {part}");
        assert_eq!(count(part, "class=\"first\""), 1, "{part}");
        assert_eq!(count(part, "<th>"), 1, "{part}");
    }
    assert_eq!(numbers.len(), study.comparison.queues[0].apps.len() + 1);
    assert!(numbers.iter().any(|part| count(part, "<tr") > 3), "{numbers:?}");
    assert!(said(print, "thead").contains("display: table-header-group;"), "{print}");
    assert!(print.contains("figure, tr, tbody, li, pre { break-inside: avoid; }"), "{print}");
}

#[test]
fn equal_figures_equal_page() {
    let make = || page(&study(ScenarioFile::home().scenario, &["chap"], &[1, 2]));
    assert_eq!(make(), make());
}

#[test]
fn names_are_text_not_markup() {
    let mut scenario = ScenarioFile::home().scenario;
    scenario.name = "<script>alert(1)</script>".into();
    scenario.apps[0].name = "a \"b\" & <c>".into();
    scenario.stations[0].name = "<i>".into();
    let page = page(&study(scenario, &["fifo", "chap"], &[1, 2]));
    assert!(!page.contains("<script") && !page.contains("<c>") && !page.contains("<i>"));
    assert!(page.contains("a &quot;b&quot; &amp; &lt;c&gt;"));
}

#[test]
fn one_seed_one_discipline_one_silent_application() {
    let mut scenario = ScenarioFile::home().scenario;
    scenario.apps[0].active_ns = 320_000_000_000..330_000_000_000;
    let page = page(&study(scenario, &["fifo"], &[7]));
    assert!(page.contains("One seed: no interval") && page.contains("seeds 7;"));
    assert!(page.contains("it sent nothing while measured") && !page.contains("Credit: "));
    assert!(!page.contains("NaN"));
}

#[test]
fn the_first_sentence_follows_the_marks() {
    let mut study = study(ScenarioFile::home().scenario, &["fifo", "chap"], &[1, 2, 3]);
    assert!(!page(&study).contains("class=\"lead\""), "nothing is concluded from a short schedule");
    study.comparison.short = false;
    let page = page(&study);
    let lead = page.split("<p class=\"lead\">").nth(1).unwrap().split("</p>").next().unwrap();
    let n = study.scenario.apps.len();
    assert!(
        lead.starts_with("chap is best, or as good as the best, for ")
            && lead.contains("What chap makes better than fifo: "),
        "{lead}, {n} applications"
    );
}

/// A discipline's own columns are on the page by their names, whichever discipline it is.
#[test]
fn columns_of_other_disciplines_are_on_the_page() {
    let study = study(ScenarioFile::home().scenario, &["fq_codel", "fifo"], &[1]);
    let page = page(&study);
    assert!(page.contains("<h2>Sojourn: age of the oldest packet</h2>"));
    let figure =
        page.split("aria-label=\"Sojourn over time under fq_codel, means: ").nth(1).expect("it is drawn");
    let means = figure.split('"').next().unwrap();
    assert!(means.contains("download ") && means.ends_with(" ms"), "{means}");
    assert!(!page.contains("over time under fifo, means"), "its table says nothing of flows");
    assert_eq!(count(&page, "<svg role="), study.scenario.apps.len() + 2 + 2 + 1 + 1);
    let mean = Metric::named("sojourn_mean_seconds").expect("fq_codel's table has it");
    let of = |queue: usize| study.comparison.queues[queue].app("download").unwrap().mean(mean);
    assert!(of(0).is_some_and(|s| (0.001..0.1).contains(&s)) && of(1).is_none(), "{:?}", of(0));
}

/// A full disk: the capture says so, and the run goes on.
#[test]
fn a_capture_that_cannot_be_written_is_told() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("full"))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let scenario = ScenarioFile::home().scenario;
    let queues = [(
        "fifo".to_string(),
        "fifo".parse::<QueueSpec>().unwrap().build(&ScenarioFile::home().queues).unwrap(),
    )];
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1], short: true, jobs: 1, stop: &stop, store: &NoStore, progress: &|_| () };
    for room in [10, 100_000] {
        let mut out = Full(room);
        let capture = Capture { span: 9_000_000_000..9_500_000_000, out: &mut out };
        let Ok(seen) = airtab_lab::study(&scenario, &queues, &options, vec![capture], None, None) else {
            panic!()
        };
        assert_eq!(seen.captured[0].as_ref().unwrap_err().to_string(), "full");
        assert_eq!(seen.stories.len(), 1);
    }
}

#[test]
fn a_story_is_the_run_that_was_measured() {
    let study = study(ScenarioFile::home().scenario, &["fifo", "chap"], &[1]);
    let [fifo, chap] = &study.stories[..] else { panic!("two") };
    for (story, q) in study.stories.iter().zip(&study.comparison.queues) {
        for (app, scores) in story.apps.iter().zip(&q.apps) {
            // The steps of the measured part hold the bytes of the throughput.
            let seconds = 18.0;
            let steps = 9_000_000_000 / story.step_ns as usize as u64..27_000_000_000 / story.step_ns;
            let mean: f64 = app.received_bps[steps.start as usize..steps.end as usize].iter().sum::<f64>()
                * story.step_ns as f64
                / 1e9
                / seconds;
            let throughput = scores.mean(Metric::IpThroughput).unwrap();
            assert!((mean - throughput).abs() <= 1e-9 * throughput, "{}: {mean} {throughput}", app.name);
            let p99 = app.queue_delay.iter().find(|p| p.1 >= 0.99).map(|p| p.0);
            assert_eq!(p99, scores.mean(Metric::QueueDelayP99), "{}", app.name);
            assert!(app.queue_delay.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
        }
    }
    assert!(fifo.columns_at_ns.is_empty() && fifo.apps.iter().all(|a| a.columns.is_empty()));
    let expected: Vec<u64> = (8900..9500).map(|ms| ms * 1_000_000).collect();
    assert_eq!((chap.busy_ns, &chap.columns_at_ns), (9_000_000_000, &expected), "every millisecond");
    let mean = |name: &str| {
        let app = chap.apps.iter().find(|a| a.name == name).unwrap();
        let known: Vec<f64> = app.columns[0].iter().flatten().copied().collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    assert!(mean("game") > mean("download"), "{} {}", mean("game"), mean("download"));
    // Charges and boosts can be seen. A frame that collided began long before it is settled, and what it took beyond
    // its estimate is charged at once, with the estimate of the next, which that raises by an eighth of the surplus.
    // Here no frame takes more than three attempts: it then takes three exchanges and two backoffs from windows of 31
    // and 63 slots at most, and in the rest of the ms three frames more may follow. Measured: 2.05 ms, of which
    // 1.80 ms at once; 1.43 ms with two attempts at most, the same with four and five, and without losses on
    // the air; 1.32 ms with UDP, of which nothing comes back to collide with.
    let download: Vec<f64> = chap.apps[4].columns[0][200..].iter().map(|c| c.unwrap()).collect();
    let steps: Vec<f64> = download.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let phy = Phy::named("phy-a").unwrap();
    let exchange = phy.data_ns(54_000, 1500) + phy.sifs_ns() + phy.ack_ns(54_000);
    let three = 3 * exchange + 2 * phy.difs_ns() + (31 + 63) * phy.slot_ns();
    let bound = (three + (three - exchange) / 8 + 3 * exchange) as f64 * 1e-9;
    assert!(steps.iter().all(|step| *step > -bound), "{bound}: {steps:?}");
    // A rise of 10 ms or more some 27 times a second.
    let boosts = steps.iter().filter(|step| **step > 0.010).count();
    assert!((6..=16).contains(&boosts), "{boosts} in 0.4 s");
    assert!(steps.iter().filter(|step| **step < -0.0002).count() > 200, "{steps:?}");
}
