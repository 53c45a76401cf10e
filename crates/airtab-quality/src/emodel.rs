// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! E-model: the rating R of a phone call from delay and loss, and the mean opinion score of a rating.
//!
//! Two forms. [`simple_r`] is the form of the CHAP dissertation 2.5, eq. 2.6 to 2.8 (after Cole and
//! Rosenbluth 2001): quote it beside the dissertation's figures. Its loss term is about that of G.711
//! *with* concealment. [`g107_r`] is ITU-T G.107 with perfect echo cancelling, and everything else but delay,
//! loss and codec at its default: quote it to anybody else. Both map to a score by [`mos`].
//!
//! What it does not do: no echo (of G.107's three terms for delay there is Idd alone, which remains however well
//! echo is cancelled; the default TELR of 65 dB would take 1 to 7 off R, by the delay), no play-out buffer (it belongs to the delay, and a packet too late for it to the loss: the caller's choice), no
//! wideband.

use crate::NS_PER_MS;
use crate::window::Window;

/// Mean opinion score of a rating, 1 to 4.5 (G.107 annex B; dissertation eq. 2.9). The cubic dips below 1
/// for ratings under 6.5 and is held to 1 there.
pub fn mos(r: f64) -> f64 {
    let r = r.clamp(0.0, 100.0);
    (1.0 + 0.035 * r + 0.000_007 * r * (r - 60.0) * (100.0 - r)).clamp(1.0, 4.5)
}

/// Rating, at most 94, by the dissertation's eq. 2.6 to 2.8: R = 94 - i(d) - i(l), with `delay_ms` the
/// one-way delay including the play-out buffer, at least 0, and `loss` the lost fraction, 0 to 1. May be
/// negative.
pub fn simple_r(delay_ms: f64, loss: f64) -> f64 {
    let by_delay = 0.024 * delay_ms + 0.11 * (delay_ms - 177.3).max(0.0);
    let by_loss = 30.0 * libm::log(1.0 + 15.0 * loss);
    94.0 - by_delay - by_loss
}

/// What each part of a way takes off [`simple_r`], on the scale of R.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TakenOff<const N: usize> {
    /// By its delay; 0 everywhere without delay.
    pub by_delay: [f64; N],
    /// By its losses; 0 everywhere without losses.
    pub by_loss: [f64; N],
}

/// Splits what a way takes off [`simple_r`] among its parts: what its whole delay takes off by each one's delay,
/// and what its losses take off then by each one's losses. `delays_ms` add up to the one-way delay, `losses` to the
/// lost fraction (each as a fraction of all packets of the way); none is below 0. The shares add up to R of a
/// perfect way less that of this one.
pub fn taken_off<const N: usize>(delays_ms: [f64; N], losses: [f64; N]) -> TakenOff<N> {
    let (delay, lost): (f64, f64) = (delays_ms.iter().sum(), losses.iter().sum());
    let (perfect, delayed) = (simple_r(0.0, 0.0), simple_r(delay, 0.0));
    let split =
        |taken: f64, of: [f64; N], all: f64| of.map(|one| if all > 0.0 { taken * one / all } else { 0.0 });
    TakenOff {
        by_delay: split(perfect - delayed, delays_ms, delay),
        by_loss: split(delayed - simple_r(delay, lost), losses, lost),
    }
}

/// R with no delay and no loss, all parameters of G.107 at their defaults (its clause 7.7): Ro - Is, less
/// 0.15 for the listener's echo at no delay. That 0.15 stays, so that R begins where everybody's does; with
/// a delay, echo as bad as at the defaults is no part of it.
pub const G107_DEFAULT_R: f64 = 93.2;

/// How a codec bears loss (ITU-T G.113 appendix I).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Codec {
    /// Equipment impairment without loss, Ie, on the R scale.
    pub ie: f64,
    /// Packet-loss robustness Bpl, in percent of loss; greater is more robust. Above 0.
    pub bpl: f64,
}

impl Codec {
    /// G.711 without packet-loss concealment.
    pub const G711: Self = Self { ie: 0.0, bpl: 4.3 };
    /// G.711 with the packet-loss concealment of its appendix I.
    pub const G711_PLC: Self = Self { ie: 0.0, bpl: 25.1 };
}

/// Impairment Idd by an absolute one-way delay of `delay_ms` (Ta), in ms: 0 up to 100 ms, then growing
/// without bound (G.107 clause 7.4).
pub fn g107_idd(delay_ms: f64) -> f64 {
    if delay_ms <= 100.0 {
        return 0.0;
    }
    let x = libm::log2(delay_ms / 100.0);
    let sixth_power = |v: f64| (v * v * v) * (v * v * v);
    let sixth_root = |v: f64| libm::pow(v, 1.0 / 6.0);
    25.0 * (sixth_root(1.0 + sixth_power(x)) - 3.0 * sixth_root(1.0 + sixth_power(x / 3.0)) + 2.0)
}

/// Impairment Ie,eff of a codec that loses the fraction `loss` (0 to 1) of its packets (G.107 clause 7.5).
/// `burst_ratio` is the mean length of the bursts of lost packets over the one that random loss would give:
/// 1 for random loss, above 1 for bursty loss, above 0 always.
pub fn g107_ie_eff(codec: Codec, loss: f64, burst_ratio: f64) -> f64 {
    let percent = 100.0 * loss;
    codec.ie + (95.0 - codec.ie) * percent / (percent / burst_ratio + codec.bpl)
}

/// Rating by G.107 with perfect echo cancelling, at most 93.2, arguments as in [`g107_idd`] and [`g107_ie_eff`]. May be negative.
pub fn g107_r(codec: Codec, delay_ms: f64, loss: f64, burst_ratio: f64) -> f64 {
    G107_DEFAULT_R - g107_idd(delay_ms) - g107_ie_eff(codec, loss, burst_ratio)
}

/// What a call with two ends is worth, from the scores or ratings of its directions: the lower one, for a call is
/// as good as it is for the worse off. Each direction has its own one-way delay, the E-model's Ta: what the other
/// one adds to the round trip is in the echo terms alone (T, Tr), which perfect echo cancelling leaves out. `None`
/// without a direction.
pub fn worse(directions: impl Iterator<Item = f64>) -> Option<f64> {
    directions.min_by(f64::total_cmp)
}

/// Whether [`worse`] of both is the second: it alone is known, or it is lower.
pub fn second_is_worse(first: Option<f64>, second: Option<f64>) -> bool {
    second.is_some_and(|second| first.is_none_or(|first| second < first))
}

/// How good one direction of a call was over the measured time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoiceScore {
    /// Lost fraction of the packets sent, 0 to 1.
    pub loss: f64,
    /// Mean one-way delay of the packets that arrived, in ms; `None` if none did.
    pub delay_ms: Option<f64>,
    /// Score by [`simple_r`], 1 to 4.5; 1 if nothing arrived.
    pub mos_simple: f64,
    /// Score by [`g107_r`] for G.711 without concealment and random loss, 1 to 4.5; 1 if nothing arrived.
    pub mos_g107: f64,
}

/// Counts the packets of one direction of a call and scores them. Packets sent outside the measured time
/// are ignored, packets that arrive after its end count: let the run go on until they are in, or they are
/// taken for lost.
#[derive(Clone, Debug)]
pub struct VoiceMeter {
    window: Window,
    sent: u64,
    delivered: u64,
    delay_sum_ns: u128,
}

impl VoiceMeter {
    /// A meter of the packets sent in `window`.
    pub fn new(window: Window) -> Self {
        Self { window, sent: 0, delivered: 0, delay_sum_ns: 0 }
    }

    /// A packet was sent at `sent_ns`, whatever becomes of it.
    pub fn sent(&mut self, sent_ns: u64) {
        self.sent += u64::from(self.window.contains(sent_ns));
    }

    /// A packet that was sent at `sent_ns` reached the listener after `delay_ns`, for the first time.
    pub fn delivered(&mut self, sent_ns: u64, delay_ns: u64) {
        if self.window.contains(sent_ns) {
            self.delivered += 1;
            self.delay_sum_ns += u128::from(delay_ns);
        }
    }

    /// The score so far, without play-out buffer; `None` if nothing was sent.
    pub fn score(&self) -> Option<VoiceScore> {
        if self.sent == 0 {
            return None;
        }
        let loss = self.sent.saturating_sub(self.delivered) as f64 / self.sent as f64;
        let delay_ms =
            (self.delivered > 0).then(|| self.delay_sum_ns as f64 / self.delivered as f64 / NS_PER_MS);
        Some(VoiceScore {
            loss,
            delay_ms,
            mos_simple: delay_ms.map_or(1.0, |d| mos(simple_r(d, loss))),
            mos_g107: delay_ms.map_or(1.0, |d| mos(g107_r(Codec::G711, d, loss, 1.0))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn simple_mos(delay_ms: f64, loss: f64) -> f64 {
        mos(simple_r(delay_ms, loss))
    }

    #[test]
    fn score_of_a_rating() {
        let printed = [
            (94.0, "4.4242"),
            (90.0, "4.3390"),
            (80.0, "4.0240"),
            (60.0, "3.1000"),
            (50.0, "2.5750"),
            (20.0, "1.2520"),
            (0.0, "1.0000"),
            (100.0, "4.5000"),
        ];
        for (r, score) in printed {
            assert_eq!(format!("{:.4}", mos(r)), score, "R = {r}");
        }
        assert_eq!((mos(-40.0), mos(3.0), mos(120.0)), (1.0, 1.0, 4.5), "held to the scale");
    }

    /// Values worked out from eq. 2.6 to 2.9 at 5 ms, to the digits printed.
    #[test]
    fn simple_form_by_loss() {
        let printed = [
            (0.0, "4.422"),
            (0.005, "4.379"),
            (0.01, "4.331"),
            (0.02, "4.229"),
            (0.05, "3.909"),
            (0.1, "3.424"),
            (0.2, "2.696"),
            (0.5, "1.596"),
        ];
        for (loss, score) in printed {
            assert_eq!(format!("{:.3}", simple_mos(5.0, loss)), score, "loss {loss}");
        }
    }

    #[test]
    fn simple_form_has_its_knee_at_177_ms() {
        assert_eq!(simple_r(0.0, 0.0), 94.0);
        assert_eq!(simple_r(100.0, 0.0), 94.0 - 2.4);
        assert_eq!(simple_r(177.3, 0.0), 94.0 - 0.024 * 177.3);
        assert_eq!(format!("{:.4}", simple_r(277.3, 0.0)), "76.3448");
        assert_eq!(format!("{:.4}", simple_r(0.0, 1.0)), "10.8223", "30 ln 16, the natural logarithm");
    }

    #[test]
    fn what_parts_take_off_is_split_by_their_delay_and_losses() {
        // 200 ms take off 4.8 and 0.11 (200 - 177.3) = 2.497; a loss of 0.2 takes off 30 ln 4 = 41.588831.
        let taken = taken_off([20.0, 150.0, 30.0], [0.05, 0.15, 0.0]);
        assert_eq!(taken.by_delay.map(|x| format!("{x:.5}")), ["0.72970", "5.47275", "1.09455"]);
        assert_eq!(taken.by_loss.map(|x| format!("{x:.5}")), ["10.39721", "31.19162", "0.00000"]);
        let all: f64 = taken.by_delay.iter().chain(&taken.by_loss).sum();
        assert_eq!(format!("{:.9}", 94.0 - all), format!("{:.9}", simple_r(200.0, 0.2)));
    }

    #[test]
    fn a_way_without_delay_or_losses_takes_nothing_off() {
        assert_eq!(taken_off([0.0; 2], [0.0; 2]), TakenOff { by_delay: [0.0; 2], by_loss: [0.0; 2] });
        assert_eq!(taken_off([100.0], [0.0]).by_loss, [0.0]);
        assert_eq!(format!("{:.5}", taken_off([0.0], [0.2]).by_loss[0]), "41.58883");
    }

    #[test]
    fn the_worse_of_two_directions() {
        assert!(second_is_worse(Some(4.0), Some(3.0)) && second_is_worse(None, Some(4.0)));
        assert!(!second_is_worse(Some(3.0), Some(4.0)) && !second_is_worse(Some(3.0), Some(3.0)));
        assert!(!second_is_worse(Some(3.0), None) && !second_is_worse(None, None));
    }

    #[test]
    fn g107_delay_impairment() {
        for (delay_ms, idd) in [
            (0.0, "0.00"),
            (100.0, "0.00"),
            (150.0, "0.16"),
            (200.0, "3.04"),
            (300.0, "14.76"),
            (400.0, "24.07"),
        ] {
            assert_eq!(format!("{:.2}", g107_idd(delay_ms)), idd, "{delay_ms} ms");
        }
    }

    #[test]
    fn g107_loss_impairment() {
        assert_eq!(g107_ie_eff(Codec::G711, 0.0, 1.0), 0.0);
        assert_eq!(format!("{:.1}", g107_ie_eff(Codec::G711, 0.01, 1.0)), "17.9");
        assert_eq!(format!("{:.1}", g107_r(Codec::G711, 0.0, 0.01, 1.0)), "75.3");
        assert_eq!(g107_r(Codec::G711, 0.0, 0.0, 1.0), 93.2);
        assert_eq!(format!("{:.2}", mos(G107_DEFAULT_R)), "4.41");
        assert_eq!(format!("{:.2}", g107_ie_eff(Codec::G711_PLC, 0.01, 1.0)), "3.64");
        assert!(g107_ie_eff(Codec::G711, 0.01, 2.0) > g107_ie_eff(Codec::G711, 0.01, 1.0), "bursts hurt");
    }

    /// G.107 clauses 7.2 to 7.4 at the default parameters of its table 2 (SLR 8, RLR 2, STMR 15, LSTR 18,
    /// Ds 3, TELR 65, WEPL 110, qdu 1, Nc -70, Nfor -64, Ps = Pr = 35, no delay): the constant above
    /// follows from them.
    ///
    /// Noise and basic rating: No and Ro.
    fn default_noise() -> (f64, f64) {
        let db = |x: f64| libm::pow(10.0, x / 10.0);
        let log10 = libm::log10;
        let (slr, rlr, olr) = (8.0, 2.0, 10.0);

        let nos = 35.0 - slr - 3.0 - 100.0 + 0.004 * libm::pow(35.0 - olr - 3.0 - 14.0, 2.0);
        let pre = 35.0 + 10.0 * log10(1.0 + db(10.0 - 18.0));
        let nor = rlr - 121.0 + pre + 0.008 * libm::pow(pre - 35.0, 2.0);
        let no = 10.0 * log10(db(-70.0) + db(nos) + db(nor) + db(-64.0 + rlr));
        (no, 15.0 - 1.5 * (slr + no))
    }

    /// Idte, the talker's own echo after `t_ms` one way, at TELR 65.
    fn default_talker_echo(t_ms: f64) -> f64 {
        let (no, _) = default_noise();
        let spread = libm::log10((1.0 + t_ms / 10.0) / (1.0 + t_ms / 150.0));
        let terv = 65.0 - 40.0 * spread + 6.0 * libm::exp(-0.3 * t_ms * t_ms);
        let (roe, re) = (-1.5 * (no - 2.0), 80.0 + 2.5 * (terv - 14.0));
        let half = (roe - re) / 2.0;
        (half + libm::sqrt(half * half + 100.0) - 1.0) * (1.0 - libm::exp(-t_ms))
    }

    /// Idle, the listener's echo after `tr_ms` both ways, at WEPL 110.
    fn default_listener_echo(tr_ms: f64) -> f64 {
        let (_, ro) = default_noise();
        let half = (ro - 10.5 * (110.0 + 7.0) * libm::pow(tr_ms + 1.0, -0.25)) / 2.0;
        half + libm::sqrt(half * half + 169.0)
    }

    #[test]
    fn g107_constant_follows_from_the_default_parameters() {
        let db = |x: f64| libm::pow(10.0, x / 10.0);
        let log10 = libm::log10;
        let (rlr, olr) = (2.0, 10.0);
        let (no, ro) = default_noise();

        // `wide(x, n)` is the n-th root of 1 + x^n.
        let wide = |x: f64, n: f64| libm::pow(1.0 + libm::pow(x, n), 1.0 / n);
        let xolr = olr + 0.2 * (64.0 + no - rlr);
        let iolr = 20.0 * (wide(xolr / 8.0, 8.0) - xolr / 8.0);
        let stmro = -10.0 * log10(db(-15.0) + db(-65.0));
        let ist = 12.0 * wide((stmro - 13.0) / 6.0, 8.0)
            - 28.0 * wide((stmro + 1.0) / 19.4, 35.0)
            - 13.0 * wide((stmro - 3.0) / 33.0, 13.0)
            + 29.0;
        let q = 37.0;
        let g = 1.07 + 0.258 * q + 0.0602 * q * q;
        let y = (ro - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0;
        let z = 46.0 / 30.0 - g / 40.0;
        let iq = 15.0 * log10(1.0 + libm::pow(10.0, y) + libm::pow(10.0, z));

        let idle = default_listener_echo(0.0);

        assert_eq!(format!("{ro:.2}"), "94.77");
        assert_eq!(format!("{:.2}", iolr + ist + iq), "1.41");
        assert_eq!(format!("{idle:.2}"), "0.15");
        assert_eq!(format!("{:.1}", ro - iolr - ist - iq - idle), format!("{G107_DEFAULT_R:.1}"));
    }

    /// The rating is G.107's at its defaults without delay; with one, only if echo is cancelled perfectly: at
    /// the default TELR and WEPL the talker's echo and the listener's would take off so much more (clause
    /// 7.4, T = Ta, Tr = 2 T).
    #[test]
    fn g107_default_echo_is_left_out() {
        let default_r = |t: f64| {
            let echo = default_talker_echo(t) + default_listener_echo(2.0 * t) - default_listener_echo(0.0);
            G107_DEFAULT_R - echo - g107_idd(t)
        };
        for (t, echo) in [
            (0.0, "0.00"),
            (5.0, "0.17"),
            (20.0, "0.67"),
            (50.0, "1.45"),
            (100.0, "2.54"),
            (150.0, "3.50"),
            (200.0, "4.36"),
            (300.0, "5.78"),
            (400.0, "6.89"),
        ] {
            let perfect = g107_r(Codec::G711, t, 0.0, 1.0);
            assert_eq!(format!("{:.2}", perfect - default_r(t)), echo, "{t} ms");
            assert_eq!(perfect, 93.2 - g107_idd(t), "Idd alone");
        }
    }

    #[test]
    fn a_meter_counts_what_was_sent_in_the_window() {
        let mut m = VoiceMeter::new(Window::new(100, 200).unwrap());
        assert_eq!(m.score(), None);
        for at in [99, 100, 120, 140, 199, 200] {
            m.sent(at);
            m.delivered(at, if at < 100 { 900_000_000 } else { 4_000_000 });
        }
        m.sent(150); // lost
        let score = m.score().unwrap();
        assert_eq!((score.loss, score.delay_ms), (0.2, Some(4.0)));
        assert_eq!(score.mos_simple, mos(simple_r(4.0, 0.2)));
        assert_eq!(score.mos_g107, mos(g107_r(Codec::G711, 4.0, 0.2, 1.0)));
    }

    #[test]
    fn a_call_that_hears_nothing_scores_the_floor() {
        let mut m = VoiceMeter::new(Window::new(0, 10).unwrap());
        m.sent(1);
        let silence = VoiceScore { loss: 1.0, delay_ms: None, mos_simple: 1.0, mos_g107: 1.0 };
        assert_eq!(m.score(), Some(silence));
    }

    proptest! {
        #[test]
        fn worse_paths_never_score_better(
            delay in 0.0..2000.0f64, loss in 0.0..1.0f64, more_delay in 0.0..500.0f64, share in 0.0..1.0f64,
        ) {
            let more_loss = loss + (1.0 - loss) * share;
            let forms: [fn(f64, f64) -> f64; 3] = [
                simple_mos,
                |d, l| mos(g107_r(Codec::G711, d, l, 1.0)),
                |d, l| mos(g107_r(Codec::G711_PLC, d, l, 2.0)),
            ];
            for form in forms {
                let score = form(delay, loss);
                prop_assert!((1.0..=4.5).contains(&score));
                // The roots in Idd round: allow for the last bits of the score.
                prop_assert!(form(delay + more_delay, loss) <= score + 1e-12);
                prop_assert!(form(delay, more_loss) <= score + 1e-12);
            }
        }
    }
}
