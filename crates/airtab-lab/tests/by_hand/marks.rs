//! Tables, and who is marked as best in them, from figures made up for each case.

use Metric::*;
use airtab_lab::Metric;
use airtab_lab::table::{self, Style};

use crate::made::{app, bulk, comparison, queue, stream, summary, video, web};

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
    assert_eq!(marked(GameMos, &[(3.5, 0.1), (4.2, 0.1), (4.3, 0.1)]), [false, true, true], "a tie");
    assert_eq!(marked(GameMos, &[(3.5, 0.1), (3.9, 0.1), (4.3, 0.1)]), [false, false, true]);
    assert_eq!(marked(GameMos, &[(4.2, 0.1), (4.25, 0.1), (4.3, 0.1)]), [false; 3], "all alike");
    assert_eq!(marked(QueueDelayP99, &[(0.017, 0.001), (0.001, 0.0001)]), [false, true], "less is better");
    assert_eq!(
        marked(GameMos, &[(4.264, 0.0), (4.262, 0.0), (3.0, 0.0)]),
        [true, true, false],
        "equal as shown"
    );
    assert_eq!(marked(GameMos, &[(4.2, 0.1)]), [false], "nothing to compare with");
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
    assert!(!table::comparison(&c, PLAIN).contains('\u{1b}'));
}
