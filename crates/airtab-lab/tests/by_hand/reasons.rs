// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Why a score is what it is: a sentence for each case, from figures made up for it.

use Metric::*;
use airtab_lab::why;
use airtab_scenario::{Metric, Scores};

use crate::made::{app, bulk, comparison, queue, stream, video, web};

fn reasons(apps: Vec<Scores>) -> Vec<String> {
    why(&comparison(vec![queue("fifo", apps)]))
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
    let reasons = why(&c);
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].starts_with("game 4.30 under fifo, 4.30 under chap: "), "{}", reasons[0]);
}

/// One application beside a download of so many places, with that wait and air.
fn beside(first: Scores, places: f64, wait: f64, air: f64) -> String {
    let download = app("download", "download", &bulk(25e6, places, wait, air, 0.0, 0.0));
    reasons(vec![first, download]).swap_remove(0)
}

fn with(mut figures: Vec<(Metric, f64)>, changes: &[(Metric, f64)]) -> Vec<(Metric, f64)> {
    figures.retain(|(metric, _)| changes.iter().all(|(other, _)| other != metric));
    figures.extend(changes);
    figures
}

#[test]
fn losses_are_told_where_they_are() {
    // A call that loses so much in all, and so much of it in the queue.
    let of = |loss: f64, dropped: f64| {
        let call = app("call", "voip", &stream(VoipMos, 2.0, 0.020, 0.010, loss, dropped));
        let reason = beside(call, 33.0, 0.010, 0.6);
        reason.strip_prefix("call 2.00 under fifo: ").unwrap().to_string()
    };
    let places = "of its packets: download holds 33 of the 35 places";
    assert_eq!(of(0.2, 0.2), format!("the queue drops 20 % {places}"), "all in the queue");
    assert_eq!(of(0.2, 0.0), "20 % of its packets are lost on the air, 0 % in the queue", "all on the air");
    // 0.2 - 0.15 and 0.2 - 0.1: half of it is the queue's, the other part is told.
    assert_eq!(of(0.2, 0.15), format!("the queue drops 15 % {places}; 5.0 % are lost on the air"));
    assert_eq!(of(0.2, 0.1), format!("the queue drops 10 % {places}; 10 % are lost on the air"));
    assert_eq!(of(0.2, 0.09), "11 % of its packets are lost on the air, 9.0 % in the queue");
    // 1 % and less is not worth a word: 0.03125 - 0.0234375 = 0.0078125.
    assert_eq!(of(0.02, 0.01), format!("the queue drops 1.0 % {places}"), "exactly 1 %");
    assert_eq!(of(0.03125, 0.0234375), format!("the queue drops 2.3 % {places}"));
}

#[test]
fn a_stream_at_the_bounds() {
    let of = |own: f64, theirs: f64, loss: f64| {
        let figures = with(bulk(13.5e6, own, 0.0001, 0.3, loss, loss), &[(QueueDelay, 0.00012)]);
        let reason = |kind| beside(app("stream", kind, &figures), theirs, 0.0001, 0.1);
        assert_eq!(reason("ping"), reason("udp"), "neither is slowed by losses");
        reason("udp").strip_prefix("stream 13.5 Mb/s under fifo: ").unwrap().to_string()
    };
    let empty = "the queue is nearly empty: a packet waits 0.12 ms there";
    assert_eq!(of(0.99, 0.99, 0.0), empty);
    assert_eq!(of(0.99, 0.99, 0.01), empty, "1 % is not worth a word");
    assert!(
        of(0.99, 0.99, 0.0101).starts_with("the queue drops 1.0 % of its packets, though on the mean 2 of")
    );
    assert_eq!(of(1.0, 0.5, 0.0), "it holds 1 of the 35 places itself, and a packet waits 0.12 ms");
    assert_eq!(of(0.5, 1.0, 0.0), "download holds 1 of the 35 places, and a packet waits 0.12 ms");
    assert_eq!(of(0.2, 5.0, 0.0), "download holds 5 of the 35 places, and a packet waits 0.12 ms");
    assert_eq!(
        reasons(vec![app("stream", "udp", &[(Loss, 1.0), (QueueDropped, 1.0)])]),
        [
            "stream under fifo: nothing arrives: the queue drops 100 % of its packets, though on the mean 0 of the 35 \
          places are taken"
        ]
    );
    assert_eq!(
        reasons(vec![app("stream", "udp", &[])]),
        ["stream under fifo: it sent nothing while measured"]
    );
}

#[test]
fn few_drops_are_no_cause() {
    let of = |loss: f64, dropped: f64| {
        let call = app("call", "voip", &stream(VoipMos, 2.0, 0.020, 0.010, loss, dropped));
        beside(call, 33.0, 0.010, 0.6)
    };
    // 0.0048 of which half in the queue: few drops; a little less of them, and it is the air's loss.
    assert!(of(0.0048, 0.0024).contains("each packet of call waits about 10 ms"), "{}", of(0.0048, 0.0024));
    assert!(of(0.0048, 0.0023).contains("lost on the air"), "{}", of(0.0048, 0.0023));
}

#[test]
fn a_game_at_the_bounds() {
    let of = |loss: f64| {
        let game = app("game", "game", &stream(GameMos, 3.0, 0.020, 0.010, loss, 0.0));
        beside(game, 33.0, 0.010, 0.6).contains("(not in the score: ")
    };
    assert!(!of(0.01) && of(0.0101), "above 1 %");
    // What a call loses is in its score.
    let call = app("call", "voip", &stream(VoipMos, 2.0, 0.400, 0.300, 0.02, 0.0));
    let reason = beside(call, 33.0, 0.010, 0.6);
    assert!(!reason.contains("not in the score") && reason.contains("waits about 300 ms"), "{reason}");
}

#[test]
fn whose_places_they_are_at_the_bounds() {
    let of = |own: f64, theirs: f64, wait: f64| {
        let call = with(stream(VoipMos, 2.0, 0.020, 0.0078125, 0.2, 0.2), &[(QueuePackets, own)]);
        let reason = beside(app("call", "voip", &call), theirs, wait, 0.6);
        reason.strip_prefix("call 2.00 under fifo: the queue drops 20 % of its packets").unwrap().to_string()
    };
    // A quarter of 35 is 8.75.
    assert_eq!(of(2.0, 8.75, 0.0078125), ": download holds 9 of the 35 places");
    assert_eq!(of(8.75, 2.0, 0.0078125), ": its own packets fill the queue, 9 of the 35 places");
    assert_eq!(of(20.0, 20.0, 0.0078125), ": download holds 20 of the 35 places", "as many are not more");
    // 15.625 ms are twice 7.8125 ms, and not more.
    assert_eq!(of(2.0, 20.0, 0.015625), ": download holds 20 of the 35 places");
    assert!(
        of(2.0, 20.0, 0.016)
            .contains("though they go first, waiting 7.8 ms where those of download wait 16 ms")
    );
    // Of a queue without a limit nobody knows whether it is full.
    let call =
        app("call", "voip", &with(stream(VoipMos, 2.0, 0.020, 0.010, 0.2, 0.2), &[(QueuePackets, 2.0)]));
    let mut q =
        queue("none", vec![call, app("download", "download", &bulk(25e6, 3.0, 0.010, 0.6, 0.0, 0.0))]);
    q.params.clear();
    assert_eq!(
        why(&comparison(vec![q])),
        [
            "call 2.00 under none: the queue drops 20 % of its packets: download holds 3 places",
            "download 25.0 Mb/s under none: it has 98 % of the air that downlinks use; it holds 3 places, and 0 % of \
             its packets are dropped"
        ]
    );
}

#[test]
fn who_is_the_crowd() {
    // A game that waits 10 of 11 ms, beside a and b.
    let of = |own: f64, a: f64, b: f64| {
        let game = with(stream(GameMos, 3.0, 0.011, 0.010, 0.0, 0.0), &[(QueuePackets, own)]);
        let reason = reasons(vec![
            app("game", "game", &game),
            app("a", "download", &bulk(12e6, a, 0.009, 0.3, 0.0, 0.0)),
            app("b", "download", &bulk(12e6, b, 0.009, 0.3, 0.0, 0.0)),
        ])
        .swap_remove(0);
        reason.strip_prefix("game 3.00 under fifo: ").unwrap().to_string()
    };
    let wait = "so each packet of game waits about 10 ms";
    assert_eq!(
        of(0.5, 14.0, 6.0),
        format!("a holds 14 of the 35 places, {wait}"),
        "70 % of what others hold"
    );
    assert_eq!(of(0.5, 6.0, 14.0), format!("b holds 14 of the 35 places, {wait}"));
    assert_eq!(of(0.5, 13.9, 6.1), format!("the others together hold 20 of the 35 places, {wait}"));
    assert_eq!(of(20.0, 14.0, 6.0), format!("a holds 14 of the 35 places, {wait}"), "as many are not more");
    assert_eq!(of(21.0, 14.0, 6.0), "its own packets queue up, 21 of them, and wait 10 ms");
    let empty = "the queue is nearly empty, yet a packet waits 10 ms there for the air";
    assert_eq!((of(0.5, 0.5, 0.4).as_str(), of(0.9, 0.1, 0.1).as_str()), (empty, empty));
    assert_eq!(of(0.5, 0.6, 0.4), format!("the others together hold 1 of the 35 places, {wait}"));
    assert_eq!(of(1.0, 0.1, 0.1), "its own packets queue up, 1 of them, and wait 10 ms");
}

#[test]
fn is_it_the_queue() {
    // A game with 31.25 ms on its way, of which it waits so long in the queue.
    let of = |wait: f64, places: f64, theirs: f64| {
        let game = app("game", "game", &stream(GameMos, 3.0, 0.03125, wait, 0.0, 0.0));
        let reason = beside(game, places, theirs, 0.6);
        reason.strip_prefix("game 3.00 under fifo: ").unwrap().to_string()
    };
    assert_eq!(
        of(0.015625, 5.0, 0.1),
        "download holds 5 of the 35 places, so each packet of game waits about 16 ms"
    );
    assert!(
        of(0.0156, 5.0, 0.1)
            .starts_with("its packets go first, waiting 16 ms where those of download wait 100 ms")
    );
    // Twice as long is not more than twice as long.
    assert_eq!(
        of(0.015, 5.0, 0.03),
        "the queue is not to blame: a packet waits 15 ms there, of 31 ms on its way"
    );
    assert!(of(0.015, 5.0, 0.0301).ends_with("wait 30 ms; it uses 1.0 % of the air"));
    assert!(of(0.015, 1.0, 0.1).starts_with("its packets go first"));
    assert_eq!(
        of(0.015, 0.9, 0.1),
        "the queue is nearly empty: a packet waits 15 ms there, of 31 ms on its way"
    );
    assert_eq!(
        of(0.015, 1.0, 0.02),
        "the queue is not to blame: a packet waits 15 ms there, of 31 ms on its way"
    );
}

#[test]
fn a_video_at_the_bound() {
    let of = |whole: f64| {
        let film = app("film", "video", &video(29.0, [whole, 1.0, 1.0, 1.0], 0.001));
        beside(film, 30.0, 0.009, 0.6)
    };
    assert!(of(0.99).contains("99 % of its frames arrive whole, and 99 % of its packets wait at most 12 ms"));
    assert!(
        of(0.9899)
            .contains("99 % of its frames arrive whole (100 % of I, 100 % of P, 100 % of B), and a broken")
    );
}

#[test]
fn a_page_at_the_bounds() {
    let of = |page: f64, wait: f64, dropped: f64, places: f64, theirs: f64| {
        beside(app("news", "web", &web(page, wait, dropped)), places, theirs, 0.6)
    };
    // A twentieth of 250 ms is 12.5 ms.
    assert!(of(0.25, 0.0124, 0.0, 30.0, 0.0125).contains("the rest is the 91 kB"));
    let round_trips = |reason: String| reason.contains("so in each round trip its packets wait about");
    assert!(round_trips(of(0.25, 0.0125, 0.0, 30.0, 0.0125)));
    // Waits from 0.67 of its own to 1.25 of it are those of one line for all.
    for (theirs, one_line) in [(0.66, false), (0.68, true), (1.24, true), (1.25, false)] {
        assert_eq!(round_trips(of(0.25, 0.03125, 0.0, 30.0, theirs * 0.03125)), one_line, "{theirs}");
    }
    assert!(!round_trips(of(0.25, 0.0125, 0.0, 1.0, 0.1)), "who holds a place counts");
    assert!(round_trips(of(0.25, 0.0125, 0.0, 0.9, 0.1)), "who holds less does not");
    assert!(!of(0.25, 0.0125, 0.01, 30.0, 0.0125).contains("have to be sent again"), "1 % is not told");
    assert!(
        of(0.25, 0.0125, 0.0101, 30.0, 0.0125)
            .ends_with("; 1.0 % of its packets are dropped and have to be sent again")
    );
}

#[test]
fn a_download_at_the_bounds() {
    let of = |loss: f64, dropped: f64, places: f64| {
        let reason = reasons(vec![app("d", "download", &bulk(5e6, places, 0.0001, 0.125, loss, dropped))]);
        reason[0].strip_prefix("d 5.0 Mb/s under fifo: ").unwrap().to_string()
    };
    let slows =
        |reason: String| reason.contains("are lost on the air, which slows TCP; it uses 12 % of the air");
    assert!(
        slows(of(0.05, 0.0, 3.0)) && slows(of(0.0101, 0.0, 3.0)) && !slows(of(0.01, 0.0, 3.0)),
        "above 1 %"
    );
    // 0.0625 in all, half of it in the queue: not more on the air; and less of it.
    assert!(
        !slows(of(0.0625, 0.03125, 3.0)) && slows(of(0.0625, 0.03, 3.0)) && !slows(of(0.0625, 0.04, 3.0))
    );
    assert!(of(0.0625, 0.03, 3.0).starts_with("3.2 % of its packets"), "{}", of(0.0625, 0.03, 3.0));
    let alone = "it has 100 % of the air that downlinks use; ";
    let free = format!("{alone}its packets do not queue: its window and the path's latency set its rate");
    assert_eq!(of(0.0, 0.0009, 0.9), free);
    let held = |places, drops| {
        format!("{alone}it holds {places} of the 35 places, and {drops} of its packets are dropped")
    };
    assert_eq!(of(0.0, 0.0, 1.0), held(1, "0 %"));
    assert_eq!(of(0.001, 0.001, 0.4), held(0, "0.1 %"));
    // Air of an eighth: a rival has 5/32 or more.
    let rival =
        |air: f64| beside(app("d", "download", &bulk(5e6, 3.0, 0.001, 0.125, 0.0, 0.0)), 3.0, 0.001, air);
    assert!(rival(0.15625).contains("download uses 16 % of the air, it gets 12 %"), "{}", rival(0.15625));
    assert!(rival(0.156).contains("it has 44 % of the air that downlinks use"), "{}", rival(0.156));
}

#[test]
fn what_has_no_air_or_no_data() {
    let one =
        |kind: &'static str, figures: &[(Metric, f64)]| reasons(vec![app("x", kind, figures)]).swap_remove(0);
    assert_eq!(
        one("download", &[(Goodput, 0.0), (Air, 0.0)]),
        "x 0.0 Mb/s under fifo: nothing arrives, and it uses 0 % of the air"
    );
    assert_eq!(one("p2p", &[]), "x under fifo: it sent nothing while measured");
    assert_eq!(one("streaming", &[(Goodput, 0.0)]), "x under fifo: it sent nothing while measured");
    assert_eq!(one("streaming", &[]), "x under fifo: it sent nothing while measured");
    assert_eq!(one("upload", &[(UplinkAir, 0.0)]), "x under fifo: it sent nothing while measured");
    assert_eq!(
        one("upload", &[(UplinkAir, 0.25), (Air, 0.125)]),
        "x under fifo: it sends for 25 % of the time, downlinks for 12 %; its ACKs wait 0 ms in the queue"
    );
}

#[test]
fn how_shares_are_written() {
    let of = |air: f64| reasons(vec![app("x", "download", &[(Goodput, 0.0), (Air, air)])]).swap_remove(0);
    for (air, written) in [
        (1.0, "100 %"),
        (0.9996, "more than 99.9 %"),
        (0.9994, "99.9 %"),
        (0.9951, "99.5 %"),
        (0.9949, "99 %"),
        (0.5, "50 %"),
        (0.1, "10 %"),
        (0.099, "9.9 %"),
        (0.0015, "0.1 %"),
        (0.001, "0.1 %"),
        (0.0009, "less than 0.1 %"),
    ] {
        let said = format!("x 0.0 Mb/s under fifo: nothing arrives, though it uses {written} of the air");
        assert_eq!(of(air), said, "{air}");
    }
}

#[test]
fn how_times_are_written() {
    let of = |wait: f64| {
        let figures = with(bulk(1e6, 0.2, wait, 0.3, 0.0, 0.0), &[(QueueDelay, wait)]);
        reasons(vec![app("x", "udp", &figures)]).swap_remove(0)
    };
    for (wait, written) in [
        (0.25, "250 ms"),
        (0.010, "10 ms"),
        (0.0099, "9.9 ms"),
        (0.001, "1.0 ms"),
        (0.00098, "0.98 ms"),
        (0.0000051, "0.01 ms"),
        (0.0000049, "0 ms"),
    ] {
        let said =
            format!("x 1.0 Mb/s under fifo: the queue is nearly empty: a packet waits {written} there");
        assert_eq!(of(wait), said, "{wait}");
    }
}

#[test]
fn scores_have_their_units() {
    let apps = |page: f64| {
        vec![
            app("a", "game", &[(GameMos, 3.456)]),
            app("b", "voip", &[(VoipMos, 4.256)]),
            app("c", "video", &[(FrameRate, 29.96)]),
            app("d", "web", &[(PageTime, page)]),
            app("e", "udp", &[(Goodput, 1.26e6)]),
            app("f", "streaming", &[(BitRate, 2.346e6)]),
            app("g", "upload", &[(UplinkGoodput, 17.46e6)]),
            app("h", "p2p", &[(Goodput, 5.06e6)]),
        ]
    };
    let said = why(&comparison(vec![queue("one", apps(0.0614)), queue("two", apps(0.0716))]));
    let scores: Vec<&str> = said.iter().map(|s| s.split(": ").next().unwrap()).collect();
    assert_eq!(
        scores,
        [
            "a 3.46 under one, 3.46 under two",
            "b 4.26 under one, 4.26 under two",
            "c 30.0 fps under one, 30.0 fps under two",
            "d 61 ms under one, 72 ms under two",
            "e 1.3 Mb/s under one, 1.3 Mb/s under two",
            "f 2.35 Mb/s under one, 2.35 Mb/s under two",
            "g 17.5 Mb/s under one, 17.5 Mb/s under two",
            "h 5.1 Mb/s under one, 5.1 Mb/s under two",
        ]
    );
    assert!(why(&comparison(Vec::new())).is_empty());
}
