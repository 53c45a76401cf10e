// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! BIC against the listing and the text of Xu, Harfoush and Rhee (INFOCOM 2004).

use airtab_sim::tcp::congestion::{Ack, Bic, BicConfig, Congestion};

const MSS: u64 = 1460;
const LOW_WINDOW: f64 = 14.0;
const S_MAX: f64 = 16.0;
const S_MIN: f64 = 0.01;
const BETA: f64 = 0.8; // what remains

/// The paper's variables and listing, window in segments. Of its text: S_min, and that the maximum before a search
/// counts for fast convergence only while the search is under way.
struct Listing {
    cwnd: f64,
    max_win: f64,
    target_win: f64,
    slow_start: bool,
    ss_cwnd: f64,
    ss_target: f64,
}

const DEFAULT_MAX_WIN: f64 = 1e9;

impl Listing {
    fn loss(&mut self) {
        if self.cwnd < LOW_WINDOW {
            self.cwnd *= 0.5;
            return;
        }
        let prev_max = if self.max_win == DEFAULT_MAX_WIN { 0.0 } else { self.max_win };
        self.max_win = self.cwnd;
        self.cwnd *= BETA;
        let min_win = self.cwnd;
        if prev_max > self.max_win {
            self.max_win = (self.max_win + min_win) / 2.0;
        }
        self.target_win = (self.max_win + min_win) / 2.0;
        self.slow_start = false;
    }

    fn ack(&mut self) {
        if self.cwnd < LOW_WINDOW {
            self.cwnd += 1.0 / self.cwnd;
        } else if self.slow_start {
            self.cwnd += self.ss_cwnd / self.cwnd;
            if self.cwnd >= self.ss_target {
                self.ss_cwnd *= 2.0;
                self.ss_target = self.cwnd + self.ss_cwnd;
            }
            self.slow_start = self.ss_cwnd < S_MAX;
        } else {
            self.target_win = (self.max_win + self.cwnd) / 2.0;
            let distance = self.target_win - self.cwnd;
            self.cwnd += distance.clamp(S_MIN, S_MAX) / self.cwnd;
            if self.cwnd >= self.max_win {
                (self.slow_start, self.ss_cwnd, self.ss_target) = (true, 1.0, self.cwnd + 1.0);
                self.max_win = DEFAULT_MAX_WIN;
            }
        }
    }
}

fn bic(segments: u64) -> Bic {
    Bic::new(MSS, segments * MSS)
}

fn ack(bic: &mut Bic) {
    bic.on_ack(&Ack {
        now: 0,
        bytes: MSS,
        srtt_ns: 0,
        rtt_ns: None,
        window_limited: true,
        after_timeout: false,
    });
}

fn window(bic: &Bic) -> f64 {
    bic.cwnd() as f64 / MSS as f64
}

fn lose(bic: &mut Bic) {
    bic.on_congestion_event(bic.cwnd());
    assert_eq!(bic.cwnd(), bic.ssthresh());
}

/// What a round trip adds: as many acknowledgements as the window has segments.
fn round(bic: &mut Bic) -> f64 {
    let before = window(bic);
    for _ in 0..bic.cwnd().div_ceil(MSS) {
        ack(bic);
    }
    window(bic) - before
}

/// Every window of four searches, through additive increase, search, probing and linear growth, to half a byte per
/// loss: windows are told in whole bytes, and so is the flight at a loss.
#[test]
fn every_window_is_that_of_the_listing() {
    let mut bic = bic(400);
    let mut listing = Listing {
        cwnd: 400.0,
        max_win: DEFAULT_MAX_WIN,
        target_win: 0.0,
        slow_start: false,
        ss_cwnd: 0.0,
        ss_target: 0.0,
    };
    // Past the maximum and far on; below the maximum (fast convergence); while probing; at once.
    for acks in [30_000, 3_000, 9_000, 10] {
        lose(&mut bic);
        listing.loss();
        assert!((window(&bic) - listing.cwnd).abs() * (MSS as f64) < 2.0);
        for i in 0..acks {
            ack(&mut bic);
            listing.ack();
            let bytes = (window(&bic) - listing.cwnd).abs() * MSS as f64;
            assert!(bytes < 4.0, "{bytes} after {i} of {acks} at {}", listing.cwnd);
        }
    }
}

/// A window of 400 that lost: 320; S_max until half of the way is less, then half of what is left, then S_min. The
/// window grows while its acknowledgements come in, so that a round adds a little less than the rule says.
#[test]
fn it_adds_then_searches_then_probes() {
    let mut bic = bic(400);
    lose(&mut bic);
    assert_eq!(window(&bic), 320.0);
    while window(&bic) < 400.0 - 2.0 * S_MAX - S_MAX {
        let added = round(&mut bic);
        assert!((S_MAX * 320.0 / 337.0..=S_MAX).contains(&added), "{added}");
    }
    // Continuous: the minimum follows with every acknowledgement, so that e^(-1/2) of the distance is left.
    let mut searched = 0;
    while window(&bic) < 399.9 {
        let before = 400.0 - window(&bic);
        let left = (before - round(&mut bic)) / before;
        if before < 2.0 * S_MAX {
            assert!((left - (-0.5f64).exp()).abs() < 0.03, "{left} of {before}");
            searched += 1;
        }
    }
    assert_eq!(searched, 11, "2 ln(24 / 0.1) round trips");
    // 2 ln(0.1 / 0.02) round trips, and S_min takes it over the last 0.02 segments in two more.
    let mut acks = 0;
    while window(&bic) < 400.0 {
        ack(&mut bic);
        acks += 1;
    }
    assert!((4 * 400..=6 * 400).contains(&acks), "{acks}");
    assert_probing(&mut bic);
}

/// Steps of 1, 2, 4, 8, each for a window of acknowledgements, then S_max. The window grows meanwhile: half a step more.
fn assert_probing(bic: &mut Bic) {
    for step in [1.0, 2.0, 4.0, 8.0] {
        let (from, mut acks) = (window(bic), 0.0);
        while window(bic) < from + step - 0.002 {
            ack(bic);
            acks += 1.0;
        }
        assert!((acks - from - step / 2.0).abs() < 2.0, "step {step}: {acks} acknowledgements at {from}");
    }
    for _ in 0..3 {
        let before = window(bic);
        let added = round(bic);
        assert!((S_MAX * before / (before + S_MAX)..=1.01 * S_MAX).contains(&added), "{added}");
    }
}

#[test]
fn a_window_in_a_downward_trend_aims_lower() {
    for fast_convergence in [true, false] {
        let mut bic =
            Bic::with_config(BicConfig { fast_convergence, ..BicConfig::default() }, MSS, 400 * MSS);
        lose(&mut bic);
        for _ in 0..3 {
            round(&mut bic);
        }
        let lost = window(&bic);
        assert!(lost < 370.0, "below the maximum of 400");
        lose(&mut bic);
        let max = if fast_convergence { lost * (1.0 + BETA) / 2.0 } else { lost };
        // 40 round trips of search end at the maximum, within what S_min leaves.
        let mut rounds = 0;
        while round(&mut bic) > 0.02 {
            rounds += 1;
        }
        assert!((window(&bic) - max).abs() < 0.05, "{} {max} after {rounds}", window(&bic));
    }
}

#[test]
fn below_the_low_window_it_is_reno() {
    let mut bic = bic(13);
    lose(&mut bic);
    assert_eq!(window(&bic), 6.5);
    while window(&bic) < LOW_WINDOW - 1.0 {
        let added = round(&mut bic);
        assert!((0.9..1.15).contains(&added), "{added}");
    }
    let mut bic = self::bic(14);
    lose(&mut bic);
    assert!((window(&bic) - BETA * 14.0).abs() < 0.001);
}

#[test]
fn after_a_timeout_it_probes_from_the_threshold() {
    let mut bic = bic(400);
    lose(&mut bic);
    bic.on_timeout(bic.cwnd(), false);
    assert_eq!((bic.cwnd(), bic.ssthresh()), (MSS, 256 * MSS));
    bic.on_timeout(bic.cwnd(), true);
    assert_eq!((bic.cwnd(), bic.ssthresh()), (MSS, 256 * MSS));
    for _ in 0..255 {
        ack(&mut bic);
    }
    assert_eq!(bic.cwnd(), 256 * MSS);
    assert_probing(&mut bic);
}
