// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A call: `voip`.
//!
//! Its score is the E-model's (`airtab-quality`): each end hears the other with the
//! delay and the losses of one direction, and the worse off of the two counts.
//!
//! What it does not do: how a call sends is `airtab_sim::traffic::voip`'s.

use airtab_quality::Window;
use airtab_quality::emodel::{self, Codec, VoiceMeter, VoiceScore};
use airtab_sim::traffic::Voip;
use airtab_sim::{AppTrace, Scored, StreamTrace};

use super::cause::Parts;
use super::reason::of_stream;
use super::{Context, Described, Score, score};
use crate::measure::{Figures, add_stream, took_ns};
use crate::metric::Metric::{self, Qoo, VoipMos, VoipMosDownlink, VoipMosG107, VoipMosUplink, VoipRG107};
use crate::metric::stream_columns;
use crate::reader::Section;
use crate::scores::{QueueScores, Scores};

impl Described for Voip {
    const KEYS: &'static [&'static str] = &["phase"];
    const COLUMNS: &'static [Metric] = &stream_columns::<12>(&[VoipMos, VoipMosDownlink, VoipMosUplink, Qoo]);
    const REQUIREMENT: Option<&'static str> = Some("voice");
    const SCORE: Score = score::opinion("opinion score of the call (MOS, 1 to 4.5, more is better)");

    fn read(_: &Section, _: &Context) -> Option<Voip> {
        Some(Voip)
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        add_stream(f, seen);
        let (down, up) = (direction(&seen.down, window), direction(&seen.up, window));
        f.extend(down.map(|score| (VoipMosDownlink, score.mos_simple)));
        f.extend(up.map(|score| (VoipMosUplink, score.mos_simple)));
        let up = up.filter(|_| seen.scored == Scored::Both);
        let r_g107 = |s: VoiceScore| s.delay_ms.map(|ms| emodel::g107_r(Codec::G711, ms, s.loss, 1.0));
        let both = || down.into_iter().chain(up);
        f.extend(emodel::worse(both().map(|s| s.mos_simple)).map(|x| (VoipMos, x)));
        f.extend(emodel::worse(both().map(|s| s.mos_g107)).map(|x| (VoipMosG107, x)));
        if both().all(|score| score.delay_ms.is_some()) {
            f.extend(emodel::worse(both().filter_map(r_g107)).map(|x| (VoipRG107, x)));
        }
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        of_stream(q, app, VoipMos, &Parts::of_call(app))
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
