//! Table and reasons, from figures made up for each case.

use std::collections::BTreeMap;

use Metric::*;
use airtab_lab::table::{self, Style};
use airtab_lab::{Comparison, Metric, QueueScores, Scores, Summary, why};

const PLAIN: Style = Style { width: 80, colour: false };

fn summary(mean: f64, half_width: f64) -> Summary {
    Summary { mean, half_width_95: Some(half_width), values: vec![Some(mean); 3] }
}

fn app(name: &str, kind: &'static str, figures: &[(Metric, f64)]) -> Scores {
    let metrics = figures.iter().map(|(m, x)| (*m, summary(*x, 0.01 * x.abs()))).collect();
    Scores { name: name.into(), kind, metrics }
}

fn queue(label: &str, apps: Vec<Scores>) -> QueueScores {
    let params = BTreeMap::from([("limit", "35".to_string())]);
    let ap = Scores { name: "ap".into(), kind: "ap", metrics: BTreeMap::new() };
    QueueScores { label: label.into(), discipline: "fifo", params, apps, ap }
}

fn comparison(queues: Vec<QueueScores>) -> Comparison {
    Comparison {
        schema: 1,
        scenario: "made up".into(),
        quick: false,
        duration_ns: 330_000_000_000,
        measure_ns: [90_000_000_000, 270_000_000_000],
        seeds: vec![1, 2, 3],
        queues,
    }
}

/// Its packets, their delay and their wait in the queue, lost and dropped shares.
fn stream(score: Metric, mos: f64, delay: f64, wait: f64, loss: f64, dropped: f64) -> Vec<(Metric, f64)> {
    vec![
        (score, mos),
        (Delay, delay),
        (Loss, loss),
        (QueueDelayP50, wait),
        (QueuePackets, 0.5),
        (QueueDropped, dropped),
        (Air, 0.01),
    ]
}

fn bulk(goodput: f64, places: f64, wait: f64, air: f64, loss: f64, dropped: f64) -> Vec<(Metric, f64)> {
    vec![
        (Goodput, goodput),
        (Loss, loss),
        (QueueDelayP50, wait),
        (QueuePackets, places),
        (QueueDropped, dropped),
        (Air, air),
    ]
}

fn reasons(apps: Vec<Scores>) -> Vec<String> {
    why::why(&comparison(vec![queue("fifo", apps)]))
}

#[test]
fn a_full_queue_in_front() {
    let apps = vec![
        app("game", "game", &stream(GameMos, 3.5, 0.0115, 0.009, 0.002, 0.002)),
        app("download", "download", &bulk(25e6, 33.0, 0.009, 0.6, 0.005, 0.005)),
    ];
    assert_eq!(
        reasons(apps),
        [
            "game 3.50 under fifo: download holds 33 of the 35 places, so each packet of game waits about 9.0 ms",
            "download 25.0 Mb/s under fifo: it has 98 % of the air that downlinks use; it holds 33 of the 35 \
             places, and 0.5 % of its packets are dropped",
        ]
    );
}

#[test]
fn a_stream_waits_or_loses() {
    let with = |places, loss, dropped| {
        let mut stream = bulk(13.5e6, places, 0.0001, 0.3, loss, dropped);
        stream.push((QueueDelay, 0.00012));
        reasons(vec![
            app("stream", "udp", &stream),
            app("other", "udp", &bulk(1e6, 0.1, 0.0001, 0.1, 0.0, 0.0)),
        ])
        .swap_remove(0)
    };
    assert_eq!(
        with(0.2, 0.0, 0.0),
        "stream 13.5 Mb/s under fifo: the queue is nearly empty: a packet waits 0.12 ms there"
    );
    assert_eq!(
        with(20.0, 0.3, 0.3),
        "stream 13.5 Mb/s under fifo: the queue drops 30 % of its packets: its own packets fill the queue, 20 of the 35 places"
    );
}

#[test]
fn a_film_plays_or_stands_still() {
    let film = |stalled| {
        let mut film = bulk(2.0e6, 3.0, 0.009, 0.06, 0.01, 0.01);
        film.extend([(BitRate, 1.87e6), (Stalled, stalled), (Switches, 5.0)]);
        let peers = app("peers", "p2p", &bulk(20e6, 30.0, 0.012, 0.6, 0.01, 0.01));
        reasons(vec![app("film", "streaming", &film), peers]).swap_remove(0)
    };
    let air = "peers uses 60 % of the air, it gets 6.0 %; it holds 3 of the 35 places, and 1.0 % of its packets \
               are dropped";
    assert_eq!(
        film(0.0),
        format!("film 1.87 Mb/s under fifo: it never stands still and changes its rate 5 times; {air}")
    );
    assert_eq!(
        film(0.2),
        format!(
            "film 1.87 Mb/s under fifo: it stands still for 20 % of its time and changes its rate 5 times; {air}"
        )
    );
    assert_eq!(
        reasons(vec![app("film", "streaming", &[(Goodput, 1e5)])]),
        ["film under fifo: its first segment was not complete in time"]
    );
}

#[test]
fn an_upload_is_not_queued_here() {
    let figures = [(UplinkGoodput, 17.5e6), (UplinkAir, 0.52), (Air, 0.09), (QueueDelayP50, 0.002)];
    let apps = vec![
        app("backup", "upload", &figures),
        app("download", "download", &bulk(7e6, 3.0, 0.009, 0.2, 0.0, 0.0)),
    ];
    assert_eq!(
        reasons(apps)[0],
        "backup 17.5 Mb/s under fifo: it sends for 52 % of the time, downlinks for 29 %; its ACKs wait 2.0 ms in \
         the queue"
    );
}

#[test]
fn several_share_the_full_queue() {
    let apps = vec![
        app("game", "game", &stream(GameMos, 3.5, 0.0115, 0.009, 0.0, 0.0)),
        app("a", "download", &bulk(12e6, 15.0, 0.009, 0.3, 0.005, 0.005)),
        app("b", "download", &bulk(13e6, 18.0, 0.009, 0.4, 0.005, 0.005)),
    ];
    let reasons = reasons(apps);
    assert_eq!(
        reasons[0],
        "game 3.50 under fifo: the others together hold 33 of the 35 places, so each packet of game waits \
         about 9.0 ms"
    );
    assert_eq!(
        reasons[1],
        "a 12.0 Mb/s under fifo: b uses 40 % of the air, it gets 30 %; it holds 15 of the 35 places, and 0.5 % \
         of its packets are dropped"
    );
}

#[test]
fn first_in_spite_of_the_download() {
    let apps = vec![
        app("call", "voip", &stream(VoipMos, 4.42, 0.0024, 0.0002, 0.0, 0.0)),
        app("download", "download", &bulk(25e6, 33.0, 0.012, 0.6, 0.005, 0.005)),
    ];
    assert_eq!(
        reasons(apps)[0],
        "call 4.42 under fifo: its packets go first, waiting 0.20 ms where those of download wait 12 ms; \
         it uses 1.0 % of the air"
    );
}

#[test]
fn losses_outweigh_the_delay_of_a_call() {
    let with = |loss, dropped| {
        let apps = vec![
            app("call", "voip", &stream(VoipMos, 2.8, 0.020, 0.010, loss, dropped)),
            app("download", "download", &bulk(25e6, 33.0, 0.012, 0.6, 0.005, 0.005)),
        ];
        reasons(apps).remove(0)
    };
    assert_eq!(
        with(0.18, 0.0),
        "call 2.80 under fifo: 18 % of its packets are lost on the air, 0 % in the queue"
    );
    assert_eq!(
        with(0.06, 0.05),
        "call 2.80 under fifo: the queue drops 5.0 % of its packets: download holds 33 of the 35 places"
    );
    // 30 ln(1 + 15 l) = 0.024 d at 20 ms and l = 0.00108: below that, delay is the larger part.
    assert!(with(0.0012, 0.0).contains("lost on the air"));
    assert!(with(0.0010, 0.0).contains("waits about"));
    // Drops of less than half a percent are not worth a culprit.
    assert!(with(0.0050, 0.0050).contains("the queue drops 0.5 % of its packets: download holds"));
    assert!(with(0.0049, 0.0049).contains("waits about"));
}

#[test]
fn the_score_of_a_game_knows_no_loss() {
    let apps = vec![app("game", "game", &stream(GameMos, 3.9, 0.010, 0.0, 0.2, 0.0))];
    assert_eq!(
        reasons(apps),
        [
            "game 3.90 under fifo: the queue is nearly empty: a packet waits 0 ms there, of 10 ms on its way (not in \
          the score: 20 % of its packets are lost on the air, 0 % in the queue)"
        ]
    );
}

#[test]
fn alone_or_not_to_blame() {
    let alone = vec![app("game", "game", &stream(GameMos, 4.3, 0.0021, 0.0, 0.0, 0.0))];
    assert_eq!(
        reasons(alone),
        ["game 4.30 under fifo: the queue is nearly empty: a packet waits 0 ms there, of 2.1 ms on its way"]
    );
    let apps = vec![
        app("game", "game", &stream(GameMos, 1.5, 0.150, 0.010, 0.0, 0.0)),
        app("download", "download", &bulk(25e6, 20.0, 0.010, 0.6, 0.0, 0.0)),
    ];
    assert_eq!(
        reasons(apps)[0],
        "game 1.50 under fifo: the queue is not to blame: a packet waits 10 ms there, of 150 ms on its way"
    );
}

#[test]
fn its_own_packets() {
    let mut figures = stream(GameMos, 1.0, 0.5, 0.45, 0.0, 0.0);
    figures[4] = (QueuePackets, 12.0);
    assert_eq!(
        reasons(vec![app("game", "game", &figures)]),
        ["game 1.00 under fifo: its own packets queue up, 12 of them, and wait 450 ms"]
    );
}

#[test]
fn nothing_arrives() {
    let apps = vec![
        app("game", "game", &[(GameMos, 1.0), (Loss, 1.0), (QueueDropped, 0.0)]),
        app("update", "download", &[(Goodput, 0.0), (Air, 0.2)]),
        app("silent", "voip", &[]),
    ];
    assert_eq!(
        reasons(apps),
        [
            "game 1.00 under fifo: nothing arrives: 100 % of its packets are lost on the air, 0 % in the queue",
            "update 0.0 Mb/s under fifo: nothing arrives, though it uses 20 % of the air",
            "silent under fifo: it sent nothing while measured",
        ]
    );
}

#[test]
fn what_slows_a_download() {
    let one = |figures: &[(Metric, f64)]| reasons(vec![app("d", "download", figures)]).remove(0);
    assert_eq!(
        one(&bulk(2e6, 3.0, 0.005, 0.4, 0.05, 0.0)),
        "d 2.0 Mb/s under fifo: 5.0 % of its packets are lost on the air, which slows TCP; it uses 40 % of the air"
    );
    assert_eq!(
        one(&bulk(5e6, 0.2, 0.0001, 0.12, 0.0, 0.0)),
        "d 5.0 Mb/s under fifo: it has 100 % of the air that downlinks use; its packets do not queue: its window \
         and the path's latency set its rate"
    );
}

fn video(fps: f64, whole: [f64; 4], dropped: f64) -> Vec<(Metric, f64)> {
    let kinds = [FramesWhole, IFramesWhole, PFramesWhole, BFramesWhole];
    let mut figures: Vec<_> = kinds.into_iter().zip(whole).collect();
    let rest = [
        (FrameRate, fps),
        (Loss, dropped),
        (QueueDropped, dropped),
        (QueueDelayP99, 0.012),
        (QueuePackets, 2.0),
    ];
    figures.extend(rest);
    figures
}

fn web(page: f64, wait: f64, dropped: f64) -> Vec<(Metric, f64)> {
    let of_queue =
        [(QueueDelayP50, wait), (QueueDelayP99, 0.02), (QueueDropped, dropped), (QueuePackets, 0.1)];
    let of_pages = [(PageTime, page), (PageBytes, 91_000.0), (Pages, 20.0), (PagesCompared, 18.0)];
    of_queue.into_iter().chain(of_pages).collect()
}

#[test]
fn what_breaks_a_video() {
    let with = |figures: &[(Metric, f64)]| {
        let bulk = bulk(25e6, 30.0, 0.009, 0.6, 0.005, 0.005);
        reasons(vec![app("film", "video", figures), app("download", "download", &bulk)]).remove(0)
    };
    assert_eq!(
        with(&video(14.0, [0.85, 0.6, 0.8, 0.9], 0.03)),
        "film 14.0 fps under fifo: 85 % of its frames arrive whole (60 % of I, 80 % of P, 90 % of B), and a broken \
         one breaks those that refer to it: the queue drops 3.0 % of its packets: download holds 30 of the 35 places"
    );
    assert_eq!(
        with(&video(30.0, [0.999, 1.0, 1.0, 0.998], 0.0001)),
        "film 30.0 fps under fifo: 99.9 % of its frames arrive whole, and 99 % of its packets wait at most 12 ms"
    );
    let mut on_the_air = video(10.0, [0.7, 0.5, 0.6, 0.8], 0.001);
    on_the_air[5] = (Loss, 0.05);
    assert!(with(&on_the_air).ends_with("4.9 % of its packets are lost on the air, 0.1 % in the queue"));
    assert_eq!(with(&[]), "film under fifo: it sent nothing while measured");
}

#[test]
fn what_a_page_waits_for() {
    let with = |figures: &[(Metric, f64)]| {
        let bulk = bulk(25e6, 30.0, 0.009, 0.6, 0.005, 0.005);
        reasons(vec![app("news", "web", figures), app("download", "download", &bulk)]).remove(0)
    };
    assert_eq!(
        with(&web(0.061, 0.005, 0.02)),
        "news 61 ms under fifo: its packets wait 5.0 ms where those of download wait 9.0 ms; a page is a burst, \
         whose packets wait for each other too; 2.0 % of its packets are dropped and have to be sent again"
    );
    assert!(
        with(&web(0.075, 0.017, 0.0))
            .contains("its packets wait 17 ms where those of download wait 9.0 ms; a page")
    );
    assert_eq!(
        with(&web(0.131, 0.009, 0.012)),
        "news 131 ms under fifo: download holds 30 of the 35 places, so in each round trip its packets wait about \
         9.0 ms; 1.2 % of its packets are dropped and have to be sent again"
    );
    assert_eq!(
        with(&web(0.061, 0.0004, 0.0)),
        "news 61 ms under fifo: its packets wait 0.40 ms (99 % of them at most 20 ms); the rest is the 91 kB of a \
         page at the rate it gets"
    );
    assert_eq!(with(&[]), "news under fifo: it sent nothing while measured");
    assert_eq!(
        with(&[(Pages, 0.0)]),
        "news under fifo: no page was both requested and completed while measured"
    );
    assert_eq!(with(&[(Pages, 2.0)]), "news under fifo: no page was completed under every discipline");
}

#[test]
fn nobody_is_blamed_for_the_drops_of_others() {
    // Drops of a fifth, with so many places of its own and of a download, which waits so long.
    let with = |own: f64, theirs: f64, wait: f64| {
        let mut call = stream(VoipMos, 2.0, 0.020, 0.010, 0.2, 0.2);
        call[4] = (QueuePackets, own);
        let bulk = bulk(25e6, theirs, wait, 0.6, 0.005, 0.005);
        let reason = reasons(vec![app("call", "voip", &call), app("download", "download", &bulk)]).remove(0);
        reason.strip_prefix("call 2.00 under fifo: the queue drops 20 % of its packets").unwrap().to_string()
    };
    assert_eq!(with(2.0, 30.0, 0.010), ": download holds 30 of the 35 places");
    assert_eq!(with(20.0, 14.0, 0.010), ": its own packets fill the queue, 20 of the 35 places");
    assert_eq!(with(1.0, 1.0, 0.010), ", though on the mean 2 of the 35 places are taken");
    assert_eq!(
        with(2.0, 8.7, 0.010),
        ", though on the mean 11 of the 35 places are taken",
        "below a quarter"
    );
    assert_eq!(with(2.0, 8.8, 0.010), ": download holds 9 of the 35 places", "and above it");
    assert_eq!(
        with(2.0, 20.0, 0.030),
        ", though they go first, waiting 10 ms where those of download wait 30 ms: they come in bursts"
    );
}

#[test]
fn a_wait_in_an_empty_queue_is_for_the_air() {
    assert_eq!(
        reasons(vec![app("game", "game", &stream(GameMos, 2.0, 0.100, 0.060, 0.0, 0.0))]),
        ["game 2.00 under fifo: the queue is nearly empty, yet a packet waits 60 ms there for the air"]
    );
}

#[test]
fn a_rival_has_notably_more_air() {
    let with = |theirs| {
        let two = |air| bulk(12e6, 15.0, 0.009, air, 0.005, 0.005);
        reasons(vec![app("a", "download", &two(0.20)), app("b", "download", &two(theirs))]).remove(0)
    };
    assert!(with(0.24).contains(": it has 45 % of the air that downlinks use; "), "{}", with(0.24));
    assert!(with(0.26).contains(": b uses 26 % of the air, it gets 20 %; "), "{}", with(0.26));
}

#[test]
fn equal_reasons_share_a_sentence() {
    let apps = || vec![app("game", "game", &stream(GameMos, 4.3, 0.0021, 0.0, 0.0, 0.0))];
    let c = comparison(vec![queue("fifo", apps()), queue("chap", apps())]);
    let reasons = why::why(&c);
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].starts_with("game 4.30 under fifo, 4.30 under chap: "), "{}", reasons[0]);
}

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
