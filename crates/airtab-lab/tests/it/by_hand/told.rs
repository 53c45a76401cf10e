// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What sentences say: once, to the digit that the table has, and of whom they can say it.

use Metric::*;
use airtab_lab::{Comparison, headline, why};
use airtab_scenario::{Metric, OfPath, QueueScores, Scores};

use super::made::{app, bulk, comparison, down, queue, stream, summary, up};

fn reason(apps: Vec<Scores>) -> String {
    why(&comparison(vec![queue("fifo", apps)])).swap_remove(0)
}

fn with(mut figures: Vec<(Metric, f64)>, more: &[(Metric, f64)]) -> Vec<(Metric, f64)> {
    figures.extend(more);
    figures
}

#[test]
fn a_ping_is_judged_by_its_round_trip() {
    let ping = |wait: f64, lost: f64| {
        let more = [(Ping, 0.0025 + wait), (Goodput, 6720.0), (up(OfPath::Channel), 0.0005)];
        let ping = with(stream(Goodput, 6720.0, 0.002 + wait, wait, lost, lost), &more);
        let download = bulk(25e6, 33.0, wait, 0.6, 0.005, 0.005);
        vec![app("ping", "ping", &ping), app("download", "download", &download)]
    };
    let slow = "ping 362.5 ms under fifo: 99 % of its round trip of 362 ms is the access point's queue, where a \
                packet waits 360 ms: download holds 33 of the 35 places";
    assert_eq!(reason(ping(0.360, 0.0)), slow);
    // What is lost has no round trip.
    assert_eq!(
        reason(ping(0.360, 0.07)),
        format!("{slow} (not in the score: the access point's queue, which drops 7.0 % of its packets)")
    );
    let c = comparison(vec![queue("fifo", ping(0.360, 0.0)), queue("chap", ping(0.001, 0.0))]);
    let said = headline(&c);
    assert!(
        said.contains(
            "What chap makes better than fifo: a round trip of ping takes 3.5 ms instead of 362.5."
        ),
        "{said}"
    );
}

/// An application of a window is compared with those of that window; a window adds no application to the count.
#[test]
fn a_window_has_its_own_rivals() {
    let of = |wait: f64, held: [f64; 2], window: &str| {
        let game = stream(GameMos, 1.0, 0.002 + wait, wait, 0.0, 0.0);
        let names = ["game", "download", "backup"].map(|name| format!("{name}{window}"));
        let [load, backup] = held.map(|held| bulk(9e6, held, wait, 0.01 * held, 0.0, 0.0));
        vec![
            app(&names[0], "game", &game),
            app(&names[1], "download", &load),
            app(&names[2], "download", &backup),
        ]
    };
    let scores = |label: &str, faster: f64| {
        let times = [(0.3, [30.0, 1.0], ""), (0.2, [2.0, 20.0], "@early"), (0.1, [11.0, 13.0], "@late")];
        let apps = times.map(|(wait, held, window)| of(wait / faster, held, window));
        queue(label, apps.concat())
    };
    let c = Comparison { classes: vec![0; 3], ..comparison(vec![scores("fifo", 1.0)]) };
    let said = why(&c);
    assert_eq!(said.len(), 9);
    let ends = [
        (0, "a packet waits 300 ms: download holds 30 of the 35 places"),
        (3, "a packet waits 200 ms: backup@early holds 20 of the 35 places"),
        (6, "a packet waits 100 ms: the others together hold 24 of the 35 places"),
    ];
    for (at, end) in ends {
        assert!(said[at].ends_with(end), "{}", said[at]);
    }
    // Air as many hundredths as places; 1 % is the game's.
    for (at, part) in
        [(1, "it has 94 % of the air that is used"), (4, "backup@early uses 20 % of the air, it gets 2.0 %")]
    {
        assert!(said[at].contains(part), "{}", said[at]);
    }
    let mut c =
        Comparison { classes: vec![0; 3], ..comparison(vec![scores("fifo", 1.0), scores("chap", 1.0)]) };
    c.queues[1].apps[0].metrics.insert(GameMos, summary(2.0, 0.01));
    c.queues[1].apps[3].metrics.insert(GameMos, summary(2.0, 0.01));
    let said = headline(&c);
    assert!(said.starts_with("chap is best, or as good as the best, for every application."), "{said}");
    c.queues[0].apps[1].metrics.insert(Goodput, summary(99e6, 1e5));
    let said = headline(&c);
    assert!(said.contains("for 2 of 3 applications"), "{said}");
}

/// Whoever holds the places of a queue is named once, where a game waits there and loses there.
#[test]
fn nobody_is_named_twice() {
    let of = |cause: f64, lost: f64, more: &[(Metric, f64)]| {
        let game = with(stream(GameMos, 1.0, 0.002 + cause, cause, lost, lost), more);
        reason(vec![
            app("game", "game", &game),
            app("download", "download", &bulk(25e6, 33.0, cause, 0.6, 0.0, 0.0)),
        ])
    };
    let waits = "game 1.00 under fifo: 99 % of what lowers its score is the access point's queue, where a packet waits \
                 300 ms: download holds 33 of the 35 places";
    let drops = "(not in the score: the access point's queue, which drops 6.0 % of its packets";
    assert_eq!(of(0.3, 0.06, &[]), format!("{waits} {drops})"));
    // Of another place than the cause's nothing was said yet.
    let said = of(0.0005, 0.06, &[]);
    assert!(said.contains("is the channel"), "{said}");
    assert!(said.ends_with(&format!("{drops}: download holds 33 of the 35 places)")), "{said}");
    // Its station's queue is not the access point's, though its own packets are in the way at both.
    let up =
        [(UplinkLoss, 0.25), (UplinkDelay, 0.9), (up(OfPath::Queue), 0.9), (up(OfPath::QueueLoss), 0.25)];
    let said = of(0.0005, 0.0, &up);
    assert!(said.contains("where a packet waits 900 ms behind its own packets"), "{said}");
    assert!(
        said.ends_with("(not in the score: its station's uplink queue, which drops 25 % of its packets)")
    );
}

/// Nor are its own places told twice of a download that need not wait for those of others.
#[test]
fn no_places_are_told_twice() {
    let peers = app("peers", "p2p", &bulk(5e6, 3.0, 0.010, 0.3, 0.05, 0.05));
    let backup = app("backup", "download", &bulk(5e6, 20.0, 0.200, 0.3, 0.0, 0.0));
    let said = reason(vec![peers, backup]);
    assert!(
        said.ends_with(
            "; it holds 3 of the 35 places, and 5.0 % of its packets are dropped: those that it sends wait 10 ms"
        ),
        "{said}"
    );
}

/// What a sentence says of a value is what the table says of it.
#[test]
fn sentences_have_the_digits_of_the_table() {
    let of = |kind: &'static str, metric: Metric, mean: f64, half: f64| {
        let mut it = app("it", kind, &[]);
        it.metrics.insert(metric, summary(mean, half));
        reason(vec![it]).split(" under").next().unwrap().to_string()
    };
    assert_eq!(of("web", PageTime, 2.745, 0.65), "it 2750 ms");
    assert_eq!(of("web", PageTime, 2.745, 0.014), "it 2745 ms");
    assert_eq!(of("download", Goodput, 4.446e6, 0.0), "it 4.45 Mb/s");
    assert_eq!(of("download", Goodput, 4.446e6, 1.2e6), "it 4.4 Mb/s");
    assert_eq!(of("voip", VoipMos, 3.456, 0.3), "it 3.46");
    // Waits of the queue, too: 868 ± 140 ms.
    let mut backup = app("backup", "upload", &[(UplinkAir, 0.44), (QueueDelayP50, 0.0012)]);
    backup.metrics.insert(QueueDelay, summary(0.868, 0.14));
    assert!(reason(vec![backup.clone()]).ends_with("its ACKs wait 870 ms in the queue"));
    backup.metrics.insert(QueueDelay, summary(0.868, 0.014));
    assert!(reason(vec![backup]).ends_with("its ACKs wait 868 ms in the queue"));
    let wait = |half: f64| {
        let mut stream = app("it", "udp", &bulk(1e6, 0.2, 2.745, 0.3, 0.0, 0.0));
        stream.metrics.insert(down(OfPath::Queue), summary(2.745, half));
        reason(vec![stream])
    };
    assert!(
        wait(1.2).contains("its delay of 2700 ms") && wait(1.2).contains("waits 2700 ms"),
        "{}",
        wait(1.2)
    );
    assert!(wait(0.01).contains("its delay of 2746 ms") && wait(0.01).contains("waits 2745 ms"));
}

fn scored(label: &str, scores: &[Option<f64>]) -> QueueScores {
    let app = |(i, score): (usize, &Option<f64>)| {
        let figures: Vec<_> = score.iter().map(|score| (GameMos, *score)).collect();
        app(&format!("g{i}"), "game", &figures)
    };
    queue(label, scores.iter().enumerate().map(app).collect())
}

/// What has no figure counts for nobody, neither what nobody nor what one discipline alone has one of.
#[test]
fn only_what_has_figures_counts() {
    let said = |old: &[Option<f64>], new: &[Option<f64>]| {
        headline(&comparison(vec![scored("fifo", old), scored("chap", new)]))
    };
    let (low, high) = (Some(2.0), Some(4.0));
    let gain = "What chap makes better than fifo: g0 scores 4.00 instead of 2.00.";
    assert_eq!(
        said(&[low, high, None], &[high, low, None]),
        format!(
            "fifo and chap are best, or as good as the best, for 1 of the 2 applications that can be compared. {gain} \
             What it makes worse: g1 scores 2.00 instead of 4.00. g2 has no figure to compare."
        )
    );
    assert_eq!(
        said(&[low, None, high], &[high, None, None]),
        format!(
            "chap is best, or as good as the best, for 1 of the 1 applications that can be compared. {gain} Nothing \
             gets worse beyond its interval. g1 and g2 have no figure to compare."
        )
    );
    assert_eq!(
        said(&[low, None], &[low, None]),
        "No application with a figure can tell fifo and chap apart. g1 has no figure to compare."
    );
    assert_eq!(said(&[None], &[None]), "No application has a figure to compare.");
    // Four are named, five are counted.
    let few = |n: usize| said(&[vec![low], vec![None; n]].concat(), &[vec![high], vec![None; n]].concat());
    assert!(few(4).ends_with(" g1, g2, g3 and g4 have no figure to compare."), "{}", few(4));
    assert!(few(5).ends_with(" 5 applications have no figure to compare."), "{}", few(5));
    // Without a figure a discipline is not as good as the best of two others.
    let three = [[low, low], [low, low], [low, None]];
    let queues = ["fifo", "chap", "red"].into_iter().zip(&three).map(|(label, s)| scored(label, s));
    let mut c = comparison(queues.collect());
    c.queues[1].apps[0] = scored("chap", &[high]).apps.remove(0);
    c.queues[2].apps[0] = scored("red", &[high]).apps.remove(0);
    assert!(
        headline(&c).starts_with("chap is best, or as good as the best, for every application."),
        "{}",
        headline(&c)
    );
}
