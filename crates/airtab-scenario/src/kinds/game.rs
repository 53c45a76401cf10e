// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A game over UDP: `game`.
//!
//! Its score is the G-model's (`airtab-quality`), from the round trip and the
//! jitter of the worse direction; losses are not in it.
//!
//! What it does not do: how a game sends is `airtab_sim::traffic::game`'s.

use airtab_quality::Window;
use airtab_quality::gmodel::{DEFAULT_BIN_NS, GameMeter};
use airtab_sim::traffic::Game;
use airtab_sim::{AppTrace, Scored};

use super::cause::Parts;
use super::reason::{of_stream, with_losses};
use super::{Context, Described, Score, score};
use crate::measure::{Figures, add_stream, took_ns};
use crate::metric::Metric::{self, GameMos, GameMosWindow, Qoo, UplinkJitter};
use crate::metric::stream_columns;
use crate::reader::Section;
use crate::scores::{QueueScores, Scores};

impl Described for Game {
    const KEYS: &'static [&'static str] = &["phase"];
    const COLUMNS: &'static [Metric] = &stream_columns::<10>(&[GameMos, Qoo]);
    const REQUIREMENT: Option<&'static str> = Some("competitive-game");
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
        match seen.scored {
            Scored::Both => meter = meter.both_ways(),
            // It does not count.
            Scored::Down => drop(f.remove(&UplinkJitter)),
        }
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
        with_losses(q, app, of_stream(q, app, GameMos, &Parts::of_game(app)))
    }

    fn words(&self) -> String {
        "online game".into()
    }
}
