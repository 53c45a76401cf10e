//! Why a score is what it is: a sentence for each case, from figures made up for it.

use Metric::*;
use airtab_lab::{Metric, Scores, why};

use crate::made::{app, bulk, comparison, queue, stream, video, web};

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
