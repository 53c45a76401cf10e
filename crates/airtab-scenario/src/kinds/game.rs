// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A game over UDP: `game`.
//!
//! Its score is the G-model's (`airtab-quality`), from the delays of both
//! directions; losses are not in it.
//!
//! What it does not do: how a game sends is `airtab_sim::traffic::game`'s.

use airtab_quality::Window;
use airtab_quality::gmodel::{DEFAULT_BIN_NS, GameMeter};
use airtab_sim::AppTrace;
use airtab_sim::traffic::Game;

use super::reason::{NOTABLE_LOSS, stream};
use super::{Context, Described, Score, score};
use crate::measure::{Figures, add_stream, took_ns};
use crate::metric::Metric::{self, GameMos, GameMosWindow, Loss, QueueDelayP50, QueueDelayP99};
use crate::reader::Section;
use crate::scores::{QueueScores, Scores};

impl Described for Game {
    const KEYS: &'static [&'static str] = &["phase"];
    const COLUMNS: &'static [Metric] = &[GameMos, QueueDelayP50, QueueDelayP99, Loss];
    const SCORE: Score = score::opinion("opinion score of the game (MOS, 1 to 4.4, more is better)");

    fn read(_: &Section, _: &Context) -> Option<Game> {
        Some(Game)
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        add_stream(f, seen);
        if seen.down.sent == 0 {
            return;
        }
        let mut meter = GameMeter::new(window, DEFAULT_BIN_NS).expect("the bin is not empty");
        for d in &seen.down.deliveries {
            meter.downlink(d.sent_ns, took_ns(d));
        }
        for d in &seen.up.deliveries {
            meter.uplink(d.sent_ns, took_ns(d));
        }
        let score = meter.score();
        f.insert(GameMos, score.mos_binned);
        f.insert(GameMosWindow, score.mos_single);
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        match stream(q, app) {
            Ok(s) if s.loss > NOTABLE_LOSS => format!("{} (not in the score: {})", s.late, s.losses),
            Ok(s) => s.late,
            Err(all) => all,
        }
    }

    fn words(&self) -> String {
        "online game".into()
    }
}
