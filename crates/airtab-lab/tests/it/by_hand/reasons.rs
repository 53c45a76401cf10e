// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Why a score is what it is: a sentence for each case, from figures made up for it.

use Metric::*;
use airtab_lab::why;
use airtab_quality::qoo::{Part, Percentile};
use airtab_scenario::{Direction, Metric, OfPath, Scores};

use super::made::{app, bulk, comparison, down, queue, stream, up, video, web};

pub fn reasons(apps: Vec<Scores>) -> Vec<String> {
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
            "game 3.50 under fifo: 78 % of what lowers its score is the access point's queue, where a packet waits \
             9.0 ms: download holds 33 of the 35 places",
            "download 25.00 Mb/s under fifo: it has 98 % of the air that is used; it holds 33 of the 35 \
             places, and 0.5 % of its packets are dropped",
        ]
    );
}

#[test]
fn a_stream_waits_or_loses() {
    let with = |places, wait, loss, dropped| {
        let stream = bulk(13.5e6, places, wait, 0.3, loss, dropped);
        reasons(vec![
            app("stream", "udp", &stream),
            app("other", "udp", &bulk(1e6, 0.1, 0.0001, 0.1, 0.0, 0.0)),
        ])
        .swap_remove(0)
    };
    let waits = "stream 13.50 Mb/s under fifo: 80 % of its delay of 2.5 ms is the access point's queue, where a packet \
                 waits 2.0 ms";
    assert_eq!(with(0.2, 0.002, 0.0, 0.0), format!("{waits} for the air, nobody before it"));
    assert_eq!(with(5.0, 0.002, 0.0, 0.0), format!("{waits}: it holds 5 of the 35 places itself"));
    assert_eq!(
        with(0.2, 0.0001, 0.0, 0.0),
        "stream 13.50 Mb/s under fifo: 83 % of its delay of 0.60 ms is the channel on the way down, where a packet takes \
         0.50 ms"
    );
    assert_eq!(
        with(20.0, 0.0001, 0.3, 0.3),
        "stream 13.50 Mb/s under fifo: 100 % of its losses is the access point's queue, which drops 30 % of its packets: \
         its own packets fill the queue, 20 of the 35 places"
    );
}

/// 0.8 s, of which 1 ms in the queue; so much of the rest below it, and so many packets there.
#[test]
fn a_ring_below_the_queue() {
    let with = |below: f64, own: f64, others: [f64; 2]| {
        let figures = |packets: f64| [(BelowDelay, below), (BelowPackets, packets)];
        let game = [&stream(GameMos, 1.0, 0.8, 0.001, 0.0, 0.0)[..], &figures(own)].concat();
        let other = |packets| [&bulk(12e6, 0.5, 0.001, 0.3, 0.0, 0.0)[..], &figures(packets)].concat();
        let apps = vec![
            app("game", "game", &game),
            app("a", "download", &other(others[0])),
            app("b", "download", &other(others[1])),
        ];
        reasons(apps).swap_remove(0)
    };
    // 750 of 800 ms.
    let ring = "game 1.00 under fifo: 94 % of what lowers its score is the driver's ring below the queue, where a packet \
                waits 750 ms: ";
    assert_eq!(
        with(0.75, 5.0, [895.0, 100.0]),
        format!("{ring}895 of the 1000 packets there are those of a")
    );
    assert_eq!(
        with(0.75, 5.0, [700.0, 295.0]),
        format!("{ring}700 of the 1000 packets there are those of a")
    );
    assert_eq!(with(0.75, 5.0, [699.0, 296.0]), format!("{ring}1000 packets are there"));
    assert_eq!(with(0.75, 400.0, [300.0, 300.0]), format!("{ring}400 of the 1000 packets there are its own"));
    // 399 of 799 ms below, 400 on the channel.
    let channel = "game 1.00 under fifo: 50 % of what lowers its score is the channel, where a packet takes 400 ms \
                   while b uses 30 % of the air";
    assert_eq!(with(0.399, 5.0, [895.0, 100.0]), channel);
    // More than all of it is all of it.
    assert!(with(0.9, 5.0, [895.0, 100.0]).contains("where a packet waits 799 ms"));
    assert!(with(0.0, 0.0, [0.0, 0.0]).contains("is the channel, where a packet takes 799 ms"));
}

#[test]
fn what_a_call_and_a_ping_wait_for_in_the_ring() {
    let of = |kind, score, mos| {
        let below = [(BelowDelay, 0.75), (BelowPackets, 1.0)];
        let figures = [&stream(score, mos, 0.8, 0.001, 0.0, 0.0)[..], &below].concat();
        let alone = vec![app("one", kind, &figures)];
        reasons(alone).swap_remove(0)
    };
    let ring = "is the driver's ring below the queue";
    for said in [of("voip", VoipMos, 2.0), of("ping", Ping, 0.8), of("udp", Goodput, 1e6)] {
        assert!(said.contains("94 % of ") && said.contains(ring), "{said}");
        assert!(said.contains("waits 750 ms: 1 of the 1 packets there are its own"), "{said}");
    }
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
        "game 3.50 under fifo: 78 % of what lowers its score is the access point's queue, where a packet waits 9.0 ms: \
         the others together hold 33 of the 35 places"
    );
    assert_eq!(
        reasons[1],
        "a 12.00 Mb/s under fifo: b uses 40 % of the air, it gets 30 %; it holds 15 of the 35 places, and 0.5 % \
         of its packets are dropped"
    );
}

/// What spares it is told of a good score alone, and never instead of what lowers it.
#[test]
fn first_in_spite_of_the_download() {
    let of = |score: f64, wait: f64, places: f64, longer: f64| {
        let call = app("call", "voip", &stream(VoipMos, score, 0.0024, wait, 0.0, 0.0));
        let download = app("download", "download", &bulk(25e6, places, longer, 0.6, 0.005, 0.005));
        reasons(vec![call, download]).swap_remove(0)
    };
    let cause = "under fifo: 92 % of what lowers its score is the channel on the way down, where a packet takes 2.2 ms \
                 while download uses 60 % of the air";
    let spared = "; its packets go first, waiting 0.20 ms where those of download wait 12 ms";
    assert_eq!(of(4.42, 0.0002, 33.0, 0.012), format!("call 4.42 {cause}{spared}"));
    assert_eq!(of(4.0, 0.0002, 33.0, 0.012), format!("call 4.00 {cause}{spared}"));
    assert_eq!(
        of(3.99, 0.0002, 33.0, 0.012),
        format!("call 3.99 {cause}"),
        "it is no reason for a low score"
    );
    assert_eq!(of(4.42, 0.0002, 0.4, 0.012), format!("call 4.42 {cause}"), "nobody is there");
    assert_eq!(of(4.42, 0.0002, 33.0, 0.0004), format!("call 4.42 {cause}"), "twice as long is not longer");
    assert!(
        of(4.42, 0.002, 33.0, 0.012).ends_with("download holds 33 of the 35 places"),
        "it waits after all"
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
    // 30 ln(1 + 15 * 0.18) = 39.25 beside 0.024 * 20 = 0.48.
    assert_eq!(
        with(0.18, 0.0),
        "call 2.80 under fifo: 99 % of what lowers its score is the channel on the way down, on which 18 % of its \
         packets are lost"
    );
    // 19.26 in all, five sixths of it in the queue, and 0.48.
    assert_eq!(
        with(0.06, 0.05),
        "call 2.80 under fifo: 81 % of what lowers its score is the access point's queue, which drops 5.0 % of its \
         packets: download holds 33 of the 35 places"
    );
    // The wait is a quarter of an R: 30 ln(1 + 15 l) = 0.24 at l = 0.000536.
    assert!(with(0.00054, 0.0).contains("are lost"), "{}", with(0.00054, 0.0));
    assert!(with(0.00053, 0.0).contains("where a packet"), "{}", with(0.00053, 0.0));
}

#[test]
fn the_score_of_a_game_knows_no_loss() {
    let of = |more: &[(Metric, f64)]| {
        let figures = with(stream(GameMos, 3.9, 0.010, 0.0, 0.2, 0.0), more);
        reasons(vec![app("game", "game", &figures)]).swap_remove(0)
    };
    let cause =
        "game 3.90 under fifo: 100 % of what lowers its score is the channel, where a packet takes 10 ms";
    assert_eq!(
        of(&[]),
        format!(
            "{cause} (not in the score: the channel on the way down, on which 20 % of its packets are lost)"
        )
    );
    let up = [(UplinkLoss, 0.25), (UplinkDelay, 0.001), (up(OfPath::QueueLoss), 0.25)];
    assert_eq!(
        of(&up),
        format!(
            "{cause} (not in the score: its station's uplink queue, which drops 25 % of its packets, behind its own packets)"
        ),
        "the direction that loses more"
    );
}

#[test]
fn alone_or_not_to_blame() {
    let alone = vec![app("game", "game", &stream(GameMos, 4.3, 0.0021, 0.0, 0.0, 0.0))];
    assert_eq!(
        reasons(alone),
        ["game 4.30 under fifo: 100 % of what lowers its score is the channel, where a packet takes 2.1 ms"]
    );
    let apps = vec![
        app("game", "game", &stream(GameMos, 1.5, 0.150, 0.010, 0.0, 0.0)),
        app("download", "download", &bulk(25e6, 20.0, 0.010, 0.6, 0.0, 0.0)),
    ];
    assert_eq!(
        reasons(apps)[0],
        "game 1.50 under fifo: 93 % of what lowers its score is the channel, where a packet takes 140 ms while \
         download uses 60 % of the air"
    );
}

/// Who sends up is in the way on the channel as well.
#[test]
fn a_rival_uses_the_air_both_ways() {
    let mut backup = bulk(1e6, 5.0, 0.010, 0.1, 0.0, 0.0);
    backup.push((UplinkAir, 0.5));
    let apps = vec![
        app("game", "game", &stream(GameMos, 1.5, 0.150, 0.010, 0.0, 0.0)),
        app("download", "download", &bulk(9e6, 15.0, 0.010, 0.3, 0.0, 0.0)),
        app("backup", "upload", &backup),
    ];
    let said = reasons(apps).swap_remove(0);
    assert!(said.ends_with("while backup uses 60 % of the air"), "{said}");
}

/// Its own station's queue, and whoever fills it; another station's packets are in nobody's way there.
#[test]
fn behind_whom_in_the_uplink() {
    let game = [(GameMos, 1.3), (Delay, 0.030), (UplinkDelay, 0.240), (QueueDelayP50, 0.0035), (Loss, 0.0)];
    let ways = [
        (down(OfPath::Queue), 0.0035),
        (down(OfPath::Wires), 0.004),
        (up(OfPath::Queue), 0.240),
        (up(OfPath::Wires), 0.004),
        (UplinkPackets, 6.0),
    ];
    let game: Vec<_> = game.into_iter().chain(ways).collect();
    let of = |places: f64, station: &str| {
        let mut backup =
            app("backup", "upload", &[(UplinkAir, 0.5), (UplinkPackets, places), (QueuePackets, 20.0)]);
        backup.station = station.into();
        backup.metrics.insert(QueueDelay, super::made::summary(0.5, 0.0));
        reasons(vec![app("game", "game", &game), backup]).swap_remove(0)
    };
    let cause = "game 1.30 under fifo: 95 % of what lowers its score is its station's uplink queue, where a packet \
                 waits 240 ms behind ";
    assert_eq!(of(180.0, "game's"), format!("{cause}backup"));
    assert_eq!(of(6.0, "game's"), format!("{cause}its own packets"), "as many are not more");
    assert_eq!(of(180.0, "backup's"), format!("{cause}its own packets"));
}

/// A call by its worse direction, a game by both; what varies weighs ten times as much as what does not.
#[test]
fn which_way_it_is() {
    let ways = [
        (down(OfPath::Wires), 0.040),
        (down(OfPath::Channel), 0.010),
        (up(OfPath::Wires), 0.020),
        (up(OfPath::Channel), 0.100),
        (up(OfPath::Attempts), 2.5),
        (Loss, 0.0),
        (UplinkLoss, 0.0),
        (Delay, 0.050),
        (UplinkDelay, 0.120),
    ];
    let of = |kind, scores: &[(Metric, f64)]| {
        let figures: Vec<_> = ways.into_iter().chain(scores.iter().copied()).collect();
        let reason = reasons(vec![app("x", kind, &figures)]).swap_remove(0);
        reason.split_once(" under fifo: ").unwrap().1.to_string()
    };
    let call =
        |score, down, up| of("voip", &[(VoipMos, score), (VoipMosDownlink, down), (VoipMosUplink, up)]);
    let up_ = "83 % of what lowers its score is the channel on the way up, where a packet takes 100 ms in 2.5 attempts";
    let down_ = "80 % of what lowers its score is the wired line on the way down, where a packet takes 40 ms";
    assert_eq!(call(3.0, 3.5, 3.0), up_);
    assert_eq!(call(3.0, 3.0, 3.5), down_);
    assert_eq!(call(3.5, 3.5, 3.0), down_, "scored by the downlink");
    // Over seeds the mean of the worse is below either mean.
    assert_eq!((call(2.9, 3.5, 3.0).as_str(), call(2.9, 3.0, 3.5).as_str()), (up_, down_));
    // X: 6.24 of wires, 11.44 of the channel.
    let game = |figures: &[(Metric, f64)]| of("game", &[&[(GameMos, 2.0), (Ping, 0.170)], figures].concat());
    assert_eq!(
        game(&[]),
        "65 % of what lowers its score is the channel, where a packet takes 110 ms in 2.5 attempts"
    );
    let wires = |ms: f64| {
        [(Jitter, 0.02), (down(OfPath::WiresJitter), ms * 1e-3), (up(OfPath::ChannelJitter), 0.001)]
    };
    assert!(game(&wires(5.3)).contains("the wired line"), "{}", game(&wires(5.3)));
    assert!(game(&wires(5.1)).contains("the channel"), "6.24 + 5.1 < 11.44");
    let worse_up: Vec<_> = wires(5.3).into_iter().chain([(UplinkJitter, 0.03)]).collect();
    assert!(game(&worse_up).contains("the channel"), "of the worse direction alone");
}

#[test]
fn its_own_packets() {
    let figures = with(stream(GameMos, 1.0, 0.5, 0.45, 0.0, 0.0), &[(QueuePackets, 12.0)]);
    assert_eq!(
        reasons(vec![app("game", "game", &figures)]),
        [
            "game 1.00 under fifo: 90 % of what lowers its score is the access point's queue, where a packet waits 450 ms: \
          it holds 12 of the 35 places itself"
        ]
    );
}

#[test]
fn nothing_arrives() {
    let apps = vec![
        app("game", "game", &[(GameMos, 1.0), (Loss, 1.0), (down(OfPath::ChannelLoss), 1.0)]),
        app(
            "mute",
            "voip",
            &[(VoipMos, 1.0), (Loss, 0.0), (Delay, 0.1), (UplinkLoss, 1.0), (up(OfPath::WiresLoss), 1.0)],
        ),
        app("update", "download", &[(Goodput, 0.0), (Air, 0.2)]),
        app("waits", "game", &[(GameMos, 1.0), (Loss, 0.1), (Delay, 0.1)]),
        app("silent", "voip", &[]),
    ];
    assert_eq!(
        reasons(apps),
        [
            "game 1.00 under fifo: nothing arrives on the way down: the channel on the way down, on which 100 % of its \
             packets are lost",
            "mute 1.00 under fifo: nothing arrives on the way up: the wired line on the way up, which drops 100 % of its \
             packets",
            "update 0.00 Mb/s under fifo: nothing arrives, though it uses 20 % of the air",
            "waits 1.00 under fifo: nothing arrives on the way up: all of it is on its way still",
            "silent under fifo: it sent nothing while measured",
        ]
    );
}

#[test]
fn what_breaks_a_video() {
    ["video", "mpeg"].into_iter().for_each(what_breaks_frames);
}

fn what_breaks_frames(kind: &'static str) {
    let with = |figures: &[(Metric, f64)]| {
        let bulk = bulk(25e6, 30.0, 0.009, 0.6, 0.005, 0.005);
        reasons(vec![app("film", kind, figures), app("download", "download", &bulk)]).remove(0)
    };
    assert_eq!(
        with(&video(14.0, [0.85, 0.6, 0.8, 0.9], 0.03)),
        "film 14.0 fps under fifo: 85 % of its frames arrive whole (60 % of I, 80 % of P, 90 % of B), and a broken \
         one breaks those that refer to it: 100 % of its losses is the access point's queue, which drops 3.0 % of its \
         packets: download holds 30 of the 35 places"
    );
    assert_eq!(
        with(&video(30.0, [0.999, 1.0, 1.0, 0.998], 0.0001)),
        "film 30.0 fps under fifo: 99.9 % of its frames arrive whole, and 99 % of its packets wait at most 12 ms"
    );
    let mut on_the_air = video(10.0, [0.7, 0.5, 0.6, 0.8], 0.001);
    on_the_air.push((down(OfPath::ChannelLoss), 0.049));
    assert!(with(&on_the_air).ends_with(
        "98 % of its losses is the channel on the way down, on which 4.9 % of its packets are lost"
    ));
    assert_eq!(with(&[]), "film under fifo: it sent nothing while measured");
}

#[test]
fn what_a_test_of_responsiveness_saw() {
    let with = |figures: &[(Metric, f64)]| reasons(vec![app("test", "responsiveness", figures)]).remove(0);
    let seen = [(Rpm, 300.0), (IdleLatency, 0.021), (LoadedLatency, 0.2), (Goodput, 25e6)];
    assert_eq!(
        with(&seen),
        "test 300 RPM under fifo: a handshake takes 200 ms beside its transfers, and 21 ms without them"
    );
    let none = "under fifo: not one probe of each sort was answered under load";
    assert_eq!(with(&[(Goodput, 25e6)]), format!("test {none}"));
    assert_eq!(with(&[(Goodput, 25e6), (LoadedLatency, 0.2)]), format!("test {none}"));
    let silent = "test under fifo: it sent nothing while measured";
    assert_eq!((with(&[]), with(&[(Goodput, 0.0)])), (silent.into(), silent.into()));
}

#[test]
fn what_a_page_waits_for() {
    let with = |figures: &[(Metric, f64)]| {
        let bulk = bulk(25e6, 30.0, 0.009, 0.6, 0.005, 0.005);
        reasons(vec![app("news", "web", figures), app("download", "download", &bulk)]).remove(0)
    };
    // 1 ms of the channel and 2.5 ms of wires beside the wait.
    assert_eq!(
        with(&web(0.131, 0.009, 0.012)),
        "news 131 ms under fifo: 72 % of its round trip of 12 ms is the access point's queue, where a packet waits 9.0 ms: \
         download holds 30 of the 35 places; 1.2 % of its packets are dropped and have to be sent again"
    );
    assert_eq!(
        with(&web(0.161, 0.0004, 0.0)),
        "news 161 ms under fifo: 64 % of its round trip of 3.9 ms is the wired line, where a packet takes 2.5 ms; most of \
         the page's time is its 91 kB at the rate it gets"
    );
    assert_eq!(with(&[]), "news under fifo: it sent nothing while measured");
    assert_eq!(
        with(&[(Pages, 0.0)]),
        "news under fifo: no page was both requested and completed while measured"
    );
    assert_eq!(with(&[(Pages, 2.0)]), "news under fifo: no page was completed under every discipline");
}

/// 30 ln(1 + 15 * 0.2) = 41.6 beside 0.5 for 20 ms.
const DROPS: &str = "call 2.00 under fifo: 99 % of what lowers its score is the access point's queue, which drops 20 % of \
                     its packets";

#[test]
fn nobody_is_blamed_for_the_drops_of_others() {
    // Drops of a fifth, with so many places of its own and of a download, which waits so long.
    let with = |own: f64, theirs: f64, wait: f64| {
        let mut call = stream(VoipMos, 2.0, 0.020, 0.010, 0.2, 0.2);
        call[5] = (QueuePackets, own);
        let bulk = bulk(25e6, theirs, wait, 0.6, 0.005, 0.005);
        let reason = reasons(vec![app("call", "voip", &call), app("download", "download", &bulk)]).remove(0);
        reason.strip_prefix(DROPS).unwrap().to_string()
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
    assert_eq!(with(2.0, 20.0, 0.030), ": those that it sends wait 10 ms, its own hold 2 of the 35 places");
}

#[test]
fn a_wait_in_an_empty_queue_is_for_the_air() {
    assert_eq!(
        reasons(vec![app("game", "game", &stream(GameMos, 2.0, 0.100, 0.060, 0.0, 0.0))]),
        [
            "game 2.00 under fifo: 60 % of what lowers its score is the access point's queue, where a packet waits 60 ms \
          for the air, nobody before it"
        ]
    );
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
pub fn beside(first: Scores, places: f64, wait: f64, air: f64) -> String {
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
    // A film that loses so much of it at each place.
    let of = |queue: f64, channel: f64, wires: f64| {
        let lost = [
            (down(OfPath::QueueLoss), queue),
            (down(OfPath::ChannelLoss), channel),
            (down(OfPath::WiresLoss), wires),
        ];
        let film = with(video(14.0, [0.85, 0.6, 0.8, 0.9], queue), &lost);
        let reason = beside(app("film", "video", &film), 33.0, 0.010, 0.6);
        reason.split_once("refer to it: ").unwrap().1.to_string()
    };
    assert!(
        of(0.05, 0.049, 0.049)
            .starts_with("34 % of its losses is the access point's queue, which drops 5.0 %")
    );
    assert!(
        of(0.049, 0.05, 0.0)
            .ends_with("is the channel on the way down, on which 5.0 % of its packets are lost")
    );
    assert!(
        of(0.0, 0.01, 0.03).ends_with(
            "75 % of its losses is the wired line on the way down, which drops 3.0 % of its packets"
        )
    );
    assert_eq!(of(0.0, 0.0, 0.0), "it loses nothing");
}

#[test]
fn a_stream_at_the_bounds() {
    let of = |own: f64, theirs: f64, loss: f64| {
        let figures = bulk(13.5e6, own, 0.001, 0.3, loss, loss);
        let reason = beside(app("stream", "udp", &figures), theirs, 0.0001, 0.1);
        reason.strip_prefix("stream 13.50 Mb/s under fifo: ").unwrap().to_string()
    };
    let waits = "67 % of its delay of 1.5 ms is the access point's queue, where a packet waits 1.0 ms";
    let empty = format!("{waits} for the air, nobody before it");
    assert_eq!(of(0.99, 0.99, 0.0), empty);
    assert_eq!(of(0.99, 0.99, 0.01), empty, "1 % is not worth a word");
    assert!(
        of(0.99, 0.99, 0.0101)
            .ends_with("drops 1.0 % of its packets, though on the mean 2 of the 35 places are taken")
    );
    assert_eq!(of(1.0, 0.5, 0.0), format!("{waits}: it holds 1 of the 35 places itself"));
    assert_eq!(of(0.5, 1.0, 0.0), format!("{waits}: download holds 1 of the 35 places"));
    assert_eq!(of(0.2, 5.0, 0.0), format!("{waits}: download holds 5 of the 35 places"));
    let lost = [(Loss, 1.0), (down(OfPath::QueueLoss), 1.0)];
    assert_eq!(
        reasons(vec![app("stream", "udp", &lost)]),
        [
            "stream under fifo: nothing arrives: 100 % of its losses is the access point's queue, which drops 100 % of its \
             packets, though on the mean 0 of the 35 places are taken"
        ]
    );
    assert_eq!(
        reasons(vec![app("stream", "udp", &[])]),
        ["stream under fifo: it sent nothing while measured"]
    );
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
    assert!(!reason.contains("not in the score") && reason.contains("waits 300 ms"), "{reason}");
}

#[test]
fn whose_places_they_are_at_the_bounds() {
    let of = |own: f64, theirs: f64, wait: f64| {
        let call = with(stream(VoipMos, 2.0, 0.020, 0.0078125, 0.2, 0.2), &[(QueuePackets, own)]);
        let reason = beside(app("call", "voip", &call), theirs, wait, 0.6);
        reason.strip_prefix(DROPS).unwrap().to_string()
    };
    // A quarter of 35 is 8.75.
    assert_eq!(of(2.0, 8.75, 0.0078125), ": download holds 9 of the 35 places");
    assert_eq!(of(8.75, 2.0, 0.0078125), ": its own packets fill the queue, 9 of the 35 places");
    assert_eq!(of(20.0, 20.0, 0.0078125), ": download holds 20 of the 35 places", "as many are not more");
    // 15.625 ms are twice 7.8125 ms, and not more.
    assert_eq!(of(2.0, 20.0, 0.015625), ": download holds 20 of the 35 places");
    assert_eq!(of(2.0, 20.0, 0.016), ": those that it sends wait 7.8 ms, its own hold 2 of the 35 places");
    // Of a queue without a limit nobody knows whether it is full.
    let call =
        app("call", "voip", &with(stream(VoipMos, 2.0, 0.020, 0.010, 0.2, 0.2), &[(QueuePackets, 2.0)]));
    let mut q =
        queue("none", vec![call, app("download", "download", &bulk(25e6, 3.0, 0.010, 0.6, 0.0, 0.0))]);
    q.params.clear();
    assert_eq!(
        why(&comparison(vec![q])),
        [
            "call 2.00 under none: 99 % of what lowers its score is the access point's queue, which drops 20 % of its \
             packets: download holds 3 places",
            "download 25.00 Mb/s under none: it has 98 % of the air that is used; it holds 3 places, and 0 % of \
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
        reason.split_once("where a packet waits 10 ms").unwrap().1.to_string()
    };
    assert_eq!(of(0.5, 14.0, 6.0), ": a holds 14 of the 35 places", "70 % of what others hold");
    assert_eq!(of(0.5, 6.0, 14.0), ": b holds 14 of the 35 places");
    assert_eq!(of(0.5, 13.9, 6.1), ": the others together hold 20 of the 35 places");
    assert_eq!(of(20.0, 14.0, 6.0), ": a holds 14 of the 35 places", "as many are not more");
    assert_eq!(of(21.0, 14.0, 6.0), ": it holds 21 of the 35 places itself");
    let empty = " for the air, nobody before it";
    assert_eq!((of(0.5, 0.5, 0.4).as_str(), of(0.9, 0.1, 0.1).as_str()), (empty, empty));
    assert_eq!(of(0.5, 0.6, 0.4), ": the others together hold 1 of the 35 places");
    assert_eq!(of(1.0, 0.1, 0.1), ": it holds 1 of the 35 places itself");
}

#[test]
fn is_it_the_queue() {
    // A game with 31.25 ms on its way, of which it waits so long in the queue.
    let of = |wait: f64| {
        let game = app("game", "game", &stream(GameMos, 3.0, 0.03125, wait, 0.0, 0.0));
        beside(game, 5.0, 0.1, 0.6).contains("the access point's queue")
    };
    assert!(of(0.0157) && !of(0.0156), "more than half of it");
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
    let of =
        |page: f64, dropped: f64| beside(app("news", "web", &web(page, 0.009, dropped)), 30.0, 0.009, 0.6);
    // A twentieth of 250 ms is the 12.5 ms of its round trip.
    assert!(
        !of(0.2499, 0.0).contains("at the rate it gets") && of(0.2501, 0.0).contains("at the rate it gets")
    );
    assert!(!of(0.25, 0.01).contains("have to be sent again"), "1 % is not told");
    assert!(of(0.25, 0.0101).ends_with("; 1.0 % of its packets are dropped and have to be sent again"));
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
        let said = format!("x 0.00 Mb/s under fifo: nothing arrives, though it uses {written} of the air");
        assert_eq!(of(air), said, "{air}");
    }
}

#[test]
fn how_times_are_written() {
    let of = |wait: f64| {
        let figures = with(bulk(1e6, 0.2, wait, 0.3, 0.0, 0.0), &[(down(OfPath::Channel), 0.0)]);
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
        let said = format!(
            "x 1.00 Mb/s under fifo: 100 % of its delay of {written} is the access point's queue, where a packet waits \
             {written} for the air, nobody before it"
        );
        assert_eq!(of(wait), said, "{wait}");
    }
}

/// The worst part of the score by Quality of Outcome is named with its direction, and none of a score that is shown as 100.
#[test]
fn what_decides_an_outcome_is_told() {
    let p98 = Part::Latency(Percentile::of_percent(98.0).unwrap());
    let said = |qoo: f64, parts: [f64; 4]| {
        let of = [
            (Direction::Down, p98),
            (Direction::Up, p98),
            (Direction::Down, Part::Loss),
            (Direction::Up, Part::Rate),
        ];
        let parts = of.into_iter().zip(parts).map(|((way, part), x)| (Metric::of_outcome(way, part), x));
        let figures = stream(GameMos, 3.0, 0.302, 0.3, 0.0, 0.0).into_iter().chain([(Qoo, qoo)]).chain(parts);
        let c = comparison(vec![queue("fifo", vec![app("game", "game", &figures.collect::<Vec<_>>())])]);
        let said = why(&c).remove(0);
        said.split_once("; ").map(|(_, outcome)| outcome.to_string())
    };
    let some = |text: &str| Some(text.to_string());
    assert_eq!(said(62.6, [70.0, 62.6, 80.0, 100.0]), some("QoO 63 of 100, decided by p98 of its delay up"));
    assert_eq!(
        said(40.0, [40.0, 62.6, 80.0, 100.0]),
        some("QoO 40 of 100, decided by p98 of its delay down")
    );
    assert_eq!(said(0.0, [40.0, 62.6, 80.0, 0.0]), some("QoO 0 of 100, decided by its rate up"));
    assert_eq!(said(99.4, [100.0, 100.0, 99.4, 100.0]), some("QoO 99 of 100, decided by its losses down"));
    assert_eq!(said(99.5, [100.0, 100.0, 99.5, 100.0]), None);
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
            "e 1.26 Mb/s under one, 1.26 Mb/s under two",
            "f 2.35 Mb/s under one, 2.35 Mb/s under two",
            "g 17.46 Mb/s under one, 17.46 Mb/s under two",
            "h 5.06 Mb/s under one, 5.06 Mb/s under two",
        ]
    );
    assert!(why(&comparison(Vec::new())).is_empty());
}
