// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Rate control on links alone: a sender that always has 16 MPDUs, a channel, nothing else.
//!
//! `cargo test -p airtab-sim --test it rate_control:: -- --nocapture` prints what docs/rate-control.md has.

use std::sync::Arc;

use airtab_core::{Control, Phy, RateSpec, ampdu_bytes};
use airtab_sim::Stream;
use airtab_sim::wifi::{
    Aggregation, Ask, Candidate, Choice, ErrorTable, Mean, Outcome, RateControl, Signal, Snr,
};
use rayon::prelude::*;

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;
/// 1500 bytes of IP.
const MPDU: u32 = 1538;
/// AIFS and 7.5 slots at 5 GHz, ns.
const WAIT_NS: u32 = 43_000 + 67_500;
const DISTANCES: [f64; 6] = [1.0, 5.0, 15.0, 30.0, 45.0, 60.0];

/// A kind of station: profile, format of its rates, MHz.
struct Kind {
    name: &'static str,
    phy: Phy,
    rates: Arc<[Candidate]>,
}

fn kind(name: &'static str, profile: &str, mcs: u8, streams: u8, width: u16, gi: u16) -> Kind {
    let phy = Phy::named(profile).expect("a profile of the core");
    let spec =
        RateSpec { mcs, streams: Some(streams), width: Some(width), gi: Some(gi), ..RateSpec::default() };
    let top = phy.rate(&spec).expect("a rate of it");
    let aggregation = Aggregation {
        frames: 64,
        bytes: phy.ampdu_bytes(),
        time_ns: 4_000_000,
        window: phy.window(),
        amsdu_bytes: 0,
        bar: false,
    };
    Kind { name, phy, rates: Candidate::all(&phy, &top, Some(&aggregation), WAIT_NS) }
}

fn kinds() -> [Kind; 4] {
    [
        kind("HT20, 1 stream", "std-11n", 7, 1, 20, 800),
        kind("HT20, 2 streams", "std-11n", 7, 2, 20, 400),
        kind("VHT80, 2 streams", "std-11ac", 9, 2, 80, 400),
        kind("HE80, 2 streams", "std-11ax", 11, 2, 80, 800),
    ]
}

/// What came of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// Of IP, acknowledged.
    bits: u64,
    ns: u64,
    /// Attempts and channel time of a single MPDU though more waited and fitted.
    samples: u64,
    sample_ns: u64,
}

impl Account {
    fn mbps(&self) -> f64 {
        self.bits as f64 * 1000.0 / self.ns as f64
    }
}

/// From `warm` to `end`: MPDUs are lost by the exact formula, each by itself; a BLOCK ACK never is. The distance
/// follows the time.
fn run(
    kind: &Kind,
    mut control: RateControl,
    mut snr: Snr,
    walk: impl Fn(u64) -> Option<Signal>,
    (warm, end): (u64, u64),
    seed: u64,
) -> Account {
    let mut dice = Stream::new(seed, "losses");
    let mut account = Account::default();
    let (mut now, mut attempt) = (0, 1);
    // Of each rate, at what signal it was computed.
    let mut losses = vec![(f64::NAN, 0.0); kind.rates.len()];
    while now < end {
        if let Some(signal) = walk(now) {
            snr.set(signal, now);
        }
        let snr_db = snr.db(now);
        let Choice { rate, mpdus } = control.choose(&Ask { attempt, mpdus: 16, snr_db, now });
        let of = kind.rates[rate];
        let sent = mpdus.min(16);
        if losses[rate].0 != snr_db {
            losses[rate] = (snr_db, of.coding.error_rate(snr_db - of.share_db, MPDU));
        }
        let lost = losses[rate].1;
        let acked = (0..sent).filter(|_| dice.unit() >= lost).count() as u32;
        let answer = kind.phy.control_ns(&of.rate, Control::BlockAck(kind.phy.window()));
        let ppdu = kind.phy.ppdu_ns(&of.rate, ampdu_bytes(sent, MPDU));
        let ns = u64::from(WAIT_NS) + ppdu + kind.phy.sifs_ns() + answer;
        now += ns;
        control.result(&Outcome { rate, sent, acked, now });
        attempt = if acked > 0 { 1 } else { attempt + 1 };
        if now > warm {
            account.bits += u64::from(acked) * 12_000;
            account.ns += ns;
            if sent == 1 && of.most > 1 {
                account.samples += 1;
                account.sample_ns += ns;
            }
        }
    }
    account
}

/// `ideal`, `minstrel`, `aarf`, in this order, on the same link.
fn all_on(kind: &Kind, table: &Arc<ErrorTable>, signal: Signal, span: (u64, u64), seed: u64) -> [Account; 3] {
    let controls = [
        RateControl::ideal(kind.rates.clone(), table.clone()),
        RateControl::minstrel(kind.rates.clone(), seed, "a"),
        RateControl::aarf(kind.rates.clone(), table),
    ];
    controls.map(|control| run(kind, control, Snr::new(signal, seed, "a"), |_| None, span, seed))
}

#[test]
fn minstrel_is_within_5_percent_of_ideal_at_six_distances() {
    let table = Arc::new(ErrorTable::new());
    for kind in kinds() {
        for metres in DISTANCES {
            let signal = Signal::steady(Mean::Distance(metres));
            let [ideal, minstrel, aarf] = all_on(&kind, &table, signal, (2 * S, 32 * S), 1);
            let share = |of: Account| of.mbps() / ideal.mbps();
            println!(
                "{:16} {metres:4} m {:7.2} Mb/s, minstrel {:.3}, aarf {:.3}; samples {:.2} % of the time",
                kind.name,
                ideal.mbps(),
                share(minstrel),
                share(aarf),
                100.0 * minstrel.sample_ns as f64 / minstrel.ns as f64
            );
            assert!(share(minstrel) >= 0.95, "{} at {metres} m: {}", kind.name, share(minstrel));
        }
    }
}

/// Where two rates are alike by min(p, 0.9) they are not alike, and samples of single MPDUs tell them badly apart:
/// a tenth at most.
#[test]
fn between_the_six_it_is_worse_at_few_and_never_by_much() {
    let table = Arc::new(ErrorTable::new());
    for kind in kinds() {
        let shares: Vec<[f64; 2]> = (1..=60)
            .into_par_iter()
            .map(|metres: u32| {
                let signal = Signal::steady(Mean::Distance(metres.into()));
                let [ideal, minstrel, aarf] = all_on(&kind, &table, signal, (2 * S, 12 * S), 1);
                [minstrel, aarf].map(|of| of.mbps() / ideal.mbps())
            })
            .collect();
        let report = |name: &str, of: usize| {
            let all = || shares.iter().map(|share| share[of]);
            let within = all().filter(|share| *share >= 0.95).count();
            let (mean, least) = (all().sum::<f64>() / 60.0, all().fold(f64::INFINITY, f64::min));
            println!("{:16} {name:8} {within} of 60 within 5 %, mean {mean:.3}, least {least:.3}", kind.name);
            (within, mean, least)
        };
        let (within, mean, least) = report("minstrel", 0);
        assert!(within >= 52 && mean >= 0.97 && least >= 0.87, "{}", kind.name);
        report("aarf", 1);
    }
}

/// One MPDU every 20 ms, of a rate that is faster than the best, or not slower than what is used anyway.
#[test]
fn samples_cost_little() {
    for kind in kinds() {
        for metres in DISTANCES {
            let control = RateControl::minstrel(kind.rates.clone(), 1, "a");
            let snr = Snr::new(Signal::steady(Mean::Distance(metres)), 1, "a");
            let of = run(&kind, control, snr, |_| None, (2 * S, 12 * S), 1);
            assert!(of.samples <= of.ns / (20 * MS) + 1, "{}: {} samples", kind.name, of.samples);
            assert!(of.sample_ns * 1000 <= of.ns * 25, "{} at {metres} m: {} ns", kind.name, of.sample_ns);
        }
    }
}

/// From 2 m to 60 m and back in 58 s, 2 m a second.
#[test]
fn walking_is_followed() {
    let table = Arc::new(ErrorTable::new());
    for kind in kinds() {
        let walk = |now: u64| {
            // Every 20 ms.
            let way = 2.0 * (now / (20 * MS)) as f64 / 50.0;
            let metres = 2.0 + if way < 58.0 { way } else { 116.0 - way };
            Some(Signal::steady(Mean::Distance(metres)))
        };
        let controls = [
            RateControl::ideal(kind.rates.clone(), table.clone()),
            RateControl::minstrel(kind.rates.clone(), 1, "a"),
            RateControl::aarf(kind.rates.clone(), &table),
        ];
        let [ideal, minstrel, aarf] = controls.map(|control| {
            let snr = Snr::new(Signal::steady(Mean::Distance(2.0)), 1, "a");
            run(&kind, control, snr, walk, (0, 58 * S), 1).mbps()
        });
        println!(
            "{:16} walking {ideal:7.2} Mb/s, minstrel {:.3}, aarf {:.3}",
            kind.name,
            minstrel / ideal,
            aarf / ideal
        );
        assert!(minstrel >= 0.9 * ideal, "{}: {minstrel} of {ideal}", kind.name);
    }
}

/// Shadows of 4 dB at 20 m that stay for 100 ms, or 1 s: reported, and a bound.
#[test]
fn shadows_cost_who_must_measure() {
    let table = Arc::new(ErrorTable::new());
    for kind in kinds() {
        let shares = [100 * MS, S, 10 * S].map(|coherence_ns| {
            let signal = Signal { mean: Mean::Distance(20.0), deviation_db: 4.0, coherence_ns };
            let [ideal, minstrel, aarf] = all_on(&kind, &table, signal, (2 * S, 62 * S), 1);
            println!(
                "{:16} shadows of {:5} ms {:7.2} Mb/s, minstrel {:.3}, aarf {:.3}",
                kind.name,
                coherence_ns / MS,
                ideal.mbps(),
                minstrel.mbps() / ideal.mbps(),
                aarf.mbps() / ideal.mbps()
            );
            minstrel.mbps() / ideal.mbps()
        });
        assert!(shares[0] <= shares[1] + 0.02 && shares[1] <= shares[2] + 0.02, "{}: {shares:?}", kind.name);
    }
}
