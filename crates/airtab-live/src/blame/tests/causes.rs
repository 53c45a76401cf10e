// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is said of whom suffers, by kind of application.

use super::*;
use crate::snapshot::{Parts, PathView};

fn path(arrived: u64, ms: [f64; 3], least: [f64; 3], lost: [u64; 3]) -> PathView {
    let times = |[wires, queue, channel]: [f64; 3]| Parts {
        wires: wires * 1e-3,
        queue: queue * 1e-3,
        channel: channel * 1e-3,
    };
    let [wires, queue, channel] = lost;
    let lost = Parts { wires, queue, channel };
    PathView { arrived, mean_s: times(ms), least_s: times(least), lost, ..PathView::default() }
}

fn told(app: AppView, text: &str) {
    let mut s = idle();
    s.hops.server = delay(0.015, 0.015);
    s.apps = vec![app];
    is(&s, true, text);
}

fn game() -> AppView {
    let mut game = app("game", "game_mos", 2.1, "2.10 MOS");
    game.down = path(100, [1.0, 20.0, 1.0], [1.0, 0.0, 1.0], [0; 3]);
    game.up = path(100, [1.0, 150.0, 4.0], [1.0, 140.0, 1.0], [0; 3]);
    game
}

/// X of the game: 0.104 (22 + 155) + 20 = 38.4, of which the queue down is 22.1, the one up 15.6.
#[test]
fn a_game_by_its_ping_and_what_varies() {
    told(game(), "game (2.10 MOS) suffers, 57 % of it from the Wi-Fi queue (20 ms)");
    // Now the uplink varies more, if it counts: 0.104 177 + 53, 65.6 of it in the queue.
    let mut varies = game();
    varies.up.least_s.queue = 0.1;
    told(varies.clone(), "game (2.10 MOS) suffers, 92 % of it from its station's own queue (150 ms)");
    varies.down_alone = true;
    told(varies, "game (2.10 MOS) suffers, 57 % of it from the Wi-Fi queue (20 ms)");
    let mut air = game();
    (air.down.mean_s.queue, air.up.mean_s, air.up.least_s) = (0.0, air.down.mean_s, air.down.least_s);
    (air.down.mean_s.channel, air.up.mean_s.queue) = (0.040, 0.0);
    told(air.clone(), "game (2.10 MOS) suffers, 100 % of it from the air (41 ms)");
    // 36 of the 40 ms down are in the ring.
    air.down.ring_s = 0.036;
    told(air, "game (2.10 MOS) suffers, 89 % of it from the driver's ring below the queue (36 ms)");
}

#[test]
fn losses_that_a_score_does_not_tell() {
    let mut lossy = game();
    lossy.up.lost.channel = 1;
    told(lossy.clone(), "game (2.10 MOS) suffers, 57 % of it from the Wi-Fi queue (20 ms)");
    // One of a hundred exactly.
    (lossy.up.arrived, lossy.up.lost.channel) = (99, 1);
    told(lossy.clone(), "game (2.10 MOS) suffers, 57 % of it from the Wi-Fi queue (20 ms)");
    (lossy.up.arrived, lossy.up.lost.channel) = (100, 3);
    let text = "game (2.10 MOS) suffers, 57 % of it from the Wi-Fi queue (20 ms); 2.9 % of its packets are \
                lost in the air";
    told(lossy, text);
    let mut silent = game();
    silent.up = path(0, [0.0; 3], [0.0; 3], [1, 30, 9]);
    let text = "game (2.10 MOS) suffers, nothing of it arrives on the way up: 75 % of its losses are in its \
                station's own queue";
    told(silent, text);
}

/// Two parts that vary inversely: the share of a part is at most 100 %.
#[test]
fn a_part_is_at_most_all_of_the_cause() {
    let mut game = game();
    // The quickest packet waited for the air, the others in the queue: X is 20.8 + 2.1 + 10.
    game.down = path(100, [0.0, 200.0, 10.0], [0.0, 20.0, 180.0], [0; 3]);
    (game.up, game.down_alone) = (PathView { arrived: 100, ..PathView::default() }, true);
    told(game, "game (2.10 MOS) suffers, 100 % of it from the Wi-Fi queue (200 ms)");
}

/// The largest loss of either direction is told beside, and where nothing of both arrives, the downlink's.
#[test]
fn losses_of_both_directions_beside_a_cause() {
    let mut lossy = game();
    let is_queue = "game (2.10 MOS) suffers, 57 % of it from the Wi-Fi queue (20 ms); ";
    (lossy.down.lost, lossy.up.lost.queue) = (Parts { wires: 2, queue: 20, channel: 5 }, 20);
    // 20 of 127, 20 of 120.
    told(lossy.clone(), &format!("{is_queue}17 % of its packets are lost in its station's own queue"));
    lossy.up.lost = Parts { wires: 0, queue: 0, channel: 9 };
    told(lossy.clone(), &format!("{is_queue}16 % of its packets are lost in the Wi-Fi queue"));
    (lossy.down.arrived, lossy.up.arrived) = (0, 0);
    let text = "game (2.10 MOS) suffers, nothing of it arrives on the way down: 74 % of its losses are in the \
                Wi-Fi queue";
    told(lossy.clone(), text);
    lossy.down.arrived = 1;
    let text =
        "game (2.10 MOS) suffers, nothing of it arrives on the way up: 100 % of its losses are in the air";
    told(lossy, text);
}

/// Losses of a call are a part of the cause or none; its better direction is not reported.
#[test]
fn a_call_tells_of_its_worse_direction_alone() {
    let mut call = app("call", "voip_mos", 2.5, "s");
    call.down = path(0, [0.0; 3], [0.0; 3], [0, 50, 50]);
    call.up = path(900, [40.0, 300.0, 60.0], [0.0; 3], [20, 0, 0]);
    let score = call.score.as_mut().unwrap();
    (score.down, score.up) = (Some(3.5), Some(2.5));
    // 400 ms: 0.024 400 + 0.11 222.7 = 34.1, of which three quarters; 30 ln(1 + 15 20 / 920) = 8.5 by losses.
    told(call.clone(), "call (s) suffers, 60 % of it from its station's own queue (300 ms)");
    call.up.mean_s = Parts { wires: 0.3, queue: 0.04, channel: 0.06 };
    told(call.clone(), "call (s) suffers, 60 % of it from the wired line on the way up (300 ms)");
    call.score.as_mut().unwrap().down = Some(1.0);
    let text = "call (s) suffers, nothing of it arrives on the way down: 50 % of its losses are in ";
    let mut s = idle();
    s.apps = vec![call];
    assert!(said(&s).1.starts_with(text), "{}", said(&s).1);
}

/// A call's worse direction, by its delay and its losses.
#[test]
fn a_call_by_its_worse_direction() {
    let mut call = app("call", "voip_mos", 2.5, "2.50 MOS (down 3.50, up 2.50)");
    call.down = path(100, [1.0, 300.0, 1.0], [0.0; 3], [0; 3]);
    call.up = path(90, [1.0, 8.0, 1.0], [0.0; 3], [1, 0, 9]);
    let score = call.score.as_mut().unwrap();
    (score.down, score.up) = (Some(3.5), Some(2.5));
    let said = "call (2.50 MOS (down 3.50, up 2.50)) suffers, ";
    told(
        call.clone(),
        &format!("{said}89 % of it from losses in the air on the way up (9.0 % of its packets)"),
    );
    call.up.lost = Parts::default();
    told(call.clone(), &format!("{said}80 % of it from its station's own queue (8.0 ms)"));
    call.score.as_mut().unwrap().down = Some(2.4);
    told(call, &format!("{said}99 % of it from the Wi-Fi queue (300 ms)"));
}

#[test]
fn a_video_by_its_losses() {
    let mut film = app("film", "playable_frames_per_second", 9.0, "9.0 frames/s");
    film.down = path(900, [1.0, 90.0, 1.0], [0.0; 3], [0, 75, 25]);
    told(
        film.clone(),
        "film (9.0 frames/s) suffers, 75 % of it from losses in the Wi-Fi queue (7.5 % of its packets)",
    );
    film.down.lost = Parts::default();
    told(film, "film (9.0 frames/s) suffers, 98 % of it from the Wi-Fi queue (90 ms)");
}

/// Round trips, and the servers' 15 ms.
#[test]
fn a_page_by_what_it_waits_for() {
    let mut page = app("browser", "page_seconds", 6.2, "6.2 s page");
    page.down = path(100, [2.0, 1.0, 6.0], [0.0; 3], [0; 3]);
    page.up = path(100, [2.0, 1.0, 8.0], [0.0; 3], [0, 5, 0]);
    let lost = "; 4.8 % of its packets are lost in its station's own queue";
    told(page.clone(), &format!("browser (6.2 s page) suffers, 43 % of it from the servers (15 ms){lost}"));
    page.up.mean_s.channel = 0.01;
    told(page, &format!("browser (6.2 s page) suffers, 43 % of it from the air (16 ms){lost}"));
}
