// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Equal UDP packets: `udp`.
//!
//! What it does not do: when they are sent is `airtab_sim::traffic::udp`'s.

use airtab_core::Unit;
use airtab_sim::traffic::Udp;
use airtab_sim::traffic::udp::Gaps;

use super::{Context, Described, FULL_PACKET, Score, packet_bytes, reason, score};
use crate::metric::Metric;
use crate::reader::{Section, choice, quantity};
use crate::scores::{QueueScores, Scores};

impl Described for Udp {
    const KEYS: &'static [&'static str] = &["rate", "bytes", "gaps"];
    const COLUMNS: &'static [Metric] =
        &[Metric::Goodput, Metric::QueueDelay, Metric::QueueDelayP99, Metric::Loss];
    const SCORE: Score = score::RECEIVED;

    fn read(s: &Section, _: &Context) -> Option<Udp> {
        let rate = s.require("rate", quantity(Unit::Bps, 1_000..=10_000_000_000));
        let bytes = packet_bytes(s).unwrap_or(FULL_PACKET);
        let gaps = s.read("gaps", choice(Gaps::NAMES.to_vec())).unwrap_or(Gaps::Constant);
        Some(Udp { rate_bps: rate?, bytes, gaps })
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        reason::of_packets(q, app)
    }

    fn words(&self) -> String {
        format!("UDP packets, {} Mb/s", self.rate_bps as f64 / 1e6)
    }
}
