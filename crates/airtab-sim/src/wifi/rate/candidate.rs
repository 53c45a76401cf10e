// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A rate that can be chosen: what it needs of the channel, and what it takes of it.

use std::sync::Arc;

use airtab_core::{Control, Format, Phy, Rate, RateSpec, ampdu_bytes};

use crate::wifi::config::Aggregation;
use crate::wifi::errors::{Coding, ErrorTable};
use crate::wifi::snr::Snr;

/// Length of the MPDUs that rates are compared by, bytes: 1500 of IP.
pub(super) const MPDU_BYTES: u32 = 1538;

/// MPDUs that an MPDU's channel time is the mean of.
const MANY: u32 = 32;

/// A rate and what it means for a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The rate.
    pub rate: Rate,
    /// PHY rate, kb/s.
    pub kbps: u32,
    /// Modulation and code.
    pub coding: Coding,
    /// Signal-to-noise ratio of a stream below that of 20 MHz and one stream, dB.
    pub share_db: f64,
    /// Rates of one group differ by nothing but their MCS. Numbers from 0 on.
    pub group: usize,
    /// Channel time of an exchange without its MPDUs: waits, preamble, SIFS, answer; ns.
    pub fixed_ns: u32,
    /// Channel time of an MPDU of 1500 bytes of IP in an aggregate, ns, above 0.
    pub mpdu_ns: u32,
    /// Most MPDUs of that length that an aggregate may have, at least 1.
    pub most: u32,
}

impl Candidate {
    /// The rates that a sender may choose from, all of `top`'s format and guard interval: those of at most its MCS,
    /// its streams and its width, as far as the profile has them. Groups are widths and streams, narrow ones first.
    ///
    /// `aggregation`: what bounds an aggregate; None: there is one MPDU and an ACK. `wait_ns`: what the channel stands idle before an exchange, on average (AIFS and backoff).
    /// `top` is a rate by MCS of a whole width.
    pub fn all(phy: &Phy, top: &Rate, aggregation: Option<&Aggregation>, wait_ns: u32) -> Arc<[Candidate]> {
        assert!(top.format() != Format::Legacy && top.ru() == 0, "{top}: a rate by MCS of a whole width");
        let mut all = Vec::new();
        let widths = [20, 40, 80, 160].into_iter().filter(|width| *width <= top.width_mhz());
        let groups = widths.flat_map(|width| (1..=top.streams()).map(move |streams| (width, streams)));
        for (group, (width, streams)) in groups.enumerate() {
            all.extend((0..=top.mcs()).filter_map(|mcs| {
                let rate = phy
                    .rate(&RateSpec {
                        format: Some(top.format()),
                        mcs,
                        streams: Some(streams),
                        width: Some(width),
                        gi: Some(top.gi_ns()),
                        ru: None,
                    })
                    .ok()?;
                Some(Candidate::new(phy, rate, aggregation, wait_ns, group))
            }));
        }
        all.into()
    }

    fn new(
        phy: &Phy,
        rate: Rate,
        aggregation: Option<&Aggregation>,
        wait_ns: u32,
        group: usize,
    ) -> Candidate {
        let ns = |ns: u64| u32::try_from(ns).expect("a PPDU lasts less than 4 s");
        let bytes = |mpdus| ampdu_bytes(mpdus, MPDU_BYTES);
        // The mean over many, since a PPDU has whole symbols.
        let (one, many) = (phy.ppdu_ns(&rate, bytes(1)), phy.ppdu_ns(&rate, bytes(1 + MANY)));
        let mpdu_ns = ((many - one) / u64::from(MANY)).max(1);
        let (answer, most) = match aggregation {
            None => (Control::Ack, 1),
            Some(of) => {
                let longest = of.bytes.min(phy.psdu_within(&rate, of.time_ns));
                let fit = (1..=of.frames.into()).rev().find(|n| bytes(*n) <= longest);
                (Control::BlockAck(of.window), fit.unwrap_or(1))
            }
        };
        let answer = phy.sifs_ns() + phy.control_ns(&rate, answer);
        Candidate {
            kbps: rate.kbps(),
            coding: Coding::mcs(rate.mcs()).expect("MCS of one stream are 0 to 11"),
            share_db: Snr::share_db(rate.width_mhz(), rate.streams()),
            group,
            fixed_ns: ns(u64::from(wait_ns) + one.saturating_sub(mpdu_ns) + answer),
            mpdu_ns: ns(mpdu_ns),
            most,
            rate,
        }
    }

    /// Probability that an MPDU of so many bytes is lost, at a signal-to-noise ratio at 20 MHz and
    /// one stream, dB.
    #[inline]
    pub fn error_rate(&self, table: &ErrorTable, snr_db: f64, bytes: u32) -> f64 {
        table.error_rate(self.coding, snr_db - self.share_db, bytes)
    }

    /// Channel time for each MPDU, of at most so many together (at least 1), ns.
    #[inline]
    pub(super) fn ns_each(&self, mpdus: f64) -> f64 {
        f64::from(self.mpdu_ns) + f64::from(self.fixed_ns) / mpdus.min(f64::from(self.most))
    }
}

/// The rates, slowest first, each of which loses a tenth of the MPDUs at less signal than every faster one:
/// what is left needs more for being faster.
pub(super) fn steps(rates: &[Candidate], table: &ErrorTable) -> Vec<usize> {
    let needed = |rate: &Candidate| table.needed_db(rate.coding, MPDU_BYTES, 0.1) + rate.share_db;
    let mut steps: Vec<usize> = (0..rates.len()).collect();
    // Of equal rates the one that needs less is the faster.
    steps.sort_by(|&a, &b| {
        let [a, b] = [&rates[a], &rates[b]];
        b.kbps.cmp(&a.kbps).then(needed(a).total_cmp(&needed(b)))
    });
    let mut least = f64::INFINITY;
    steps.retain(|&i| {
        let needed = needed(&rates[i]);
        let better = needed < least;
        least = least.min(needed);
        better
    });
    steps.reverse();
    steps
}
