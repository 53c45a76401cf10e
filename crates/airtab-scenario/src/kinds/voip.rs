// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A call: `voip`.
//!
//! Its score is the E-model's (`airtab-quality`), from delays and losses of the
//! downlink; that of the uplink is a figure beside it.
//!
//! What it does not do: how a call sends is `airtab_sim::traffic::voip`'s.

use airtab_quality::Window;
use airtab_quality::emodel::{self, VoiceMeter, VoiceScore, simple_r};
use airtab_sim::traffic::Voip;
use airtab_sim::{AppTrace, StreamTrace};

use super::reason::stream;
use super::{Context, Described, Score, score};
use crate::measure::{Figures, add_stream, took_ns};
use crate::metric::Metric::{
    self, Loss, QueueDelayP50, QueueDelayP99, VoipMos, VoipMosG107, VoipMosUplink, VoipRG107,
};
use crate::reader::Section;
use crate::scores::{QueueScores, Scores};

/// So few drops are no cause worth a name.
const NOTABLE_DROPS: f64 = 0.005;

impl Described for Voip {
    const KEYS: &'static [&'static str] = &["phase"];
    const COLUMNS: &'static [Metric] = &[VoipMos, QueueDelayP50, QueueDelayP99, Loss];
    const SCORE: Score = score::opinion("opinion score of the call (MOS, 1 to 4.5, more is better)");

    fn read(_: &Section, _: &Context) -> Option<Voip> {
        Some(Voip)
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        add_stream(f, seen);
        let uplink = direction(&seen.up, window).map(|score| (VoipMosUplink, score.mos_simple));
        f.extend(uplink);
        let Some(score) = direction(&seen.down, window) else { return };
        f.insert(VoipMos, score.mos_simple);
        f.insert(VoipMosG107, score.mos_g107);
        if let Some(delay_ms) = score.delay_ms {
            f.insert(VoipRG107, emodel::g107_r(emodel::Codec::G711, delay_ms, score.loss, 1.0));
        }
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        match stream(q, app) {
            Ok(s) if loss_weighs_more(s.delay, s.loss) && !few(s.dropped, s.loss) => s.losses,
            Ok(s) => s.late,
            Err(all) => all,
        }
    }

    fn words(&self) -> String {
        "voice call".into()
    }
}

/// The score of what one end hears of the other.
fn direction(stream: &StreamTrace, window: Window) -> Option<VoiceScore> {
    let mut meter = VoiceMeter::new(window);
    // Losses are a matter of counts: when a lost packet was sent plays no part.
    (0..stream.sent.saturating_sub(stream.under_way)).for_each(|_| meter.sent(window.from_ns()));
    for d in &stream.deliveries {
        meter.delivered(d.sent_ns, took_ns(d));
    }
    meter.score()
}

/// Whether its losses are drops of the queue, and few.
fn few(dropped: f64, loss: f64) -> bool {
    dropped >= loss / 2.0 && dropped < NOTABLE_DROPS
}

/// Whether loss takes more off a call's rating than delay does.
fn loss_weighs_more(delay: f64, loss: f64) -> bool {
    let (perfect, delayed) = (simple_r(0.0, 0.0), simple_r(delay * 1e3, 0.0));
    delayed - simple_r(delay * 1e3, loss) > perfect - delayed
}
