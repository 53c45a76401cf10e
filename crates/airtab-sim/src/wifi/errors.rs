// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which part of the MPDUs is lost at a signal-to-noise ratio: [`Coding`], exact, and
//! [`ErrorTable`], the same from a table.
//!
//! The model: G. Pei and T. R. Henderson, "Validation of OFDM error rate model in ns-3"
//! (2010), white noise and the convolutional code of IEEE 802.11 with hard decisions.
//! A decoded bit is wrong with at most
//!
//! ```text
//! p_e = 1 / (2 b) * sum over d of a_d D^d,   D = sqrt(4 p (1 - p)),   capped at 1
//! ```
//!
//! where p is the error rate of the coded bits at the receiver (BPSK, or square QAM with
//! Gray's labels), b the bits that the code takes at once, and a_d the number of
//! wrong bits on all wrong ways of weight d through its trellis (P. Frenger, P. Orten, T. Ottosson,
//! "Multi-rate convolutional codes", 1998; D. Haccoun, G. Begin, IEEE Trans. Comm. 37(11), 1989).
//! An MPDU of n bytes arrives with probability (1 - p_e)^(8 n).
//!
//! What it does not do: no fading within a frame, no LDPC (which HE uses, and gains from), no
//! soft decisions, no interference, no DSSS, and the preamble is never lost.

/// A modulation and the rate of its convolutional code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coding(u8);

/// Bits of a constellation point, and which of the codes.
const CODINGS: [(u8, &Code); 13] = [
    (1, &HALF),
    (2, &HALF),
    (2, &THREE_QUARTERS),
    (4, &HALF),
    (4, &THREE_QUARTERS),
    (6, &TWO_THIRDS),
    (6, &THREE_QUARTERS),
    (6, &FIVE_SIXTHS),
    (8, &THREE_QUARTERS),
    (8, &FIVE_SIXTHS),
    (10, &THREE_QUARTERS),
    (10, &FIVE_SIXTHS),
    // No MCS has it: 9 Mb/s of 802.11a and g.
    (1, &THREE_QUARTERS),
];

/// A convolutional code: what is known of its distances.
struct Code {
    /// Bits that it takes at once.
    bits: u32,
    /// Weight of the first of `wrong`, and from one to the next.
    first: u32,
    step: u32,
    /// a_d.
    wrong: &'static [f64],
}

const HALF: Code = Code {
    bits: 1,
    first: 10,
    step: 2,
    wrong: &[36.0, 211.0, 1404.0, 11633.0, 77433.0, 502690.0, 3322763.0, 21292910.0, 134365911.0],
};
const TWO_THIRDS: Code = Code {
    bits: 2,
    first: 6,
    step: 1,
    wrong: &[3.0, 70.0, 285.0, 1276.0, 6160.0, 27128.0, 117019.0, 498860.0, 2103891.0, 8784123.0],
};
const THREE_QUARTERS: Code = Code {
    bits: 3,
    first: 5,
    step: 1,
    wrong: &[42.0, 201.0, 1492.0, 10469.0, 62935.0, 379644.0, 2253373.0, 13073811.0, 75152755.0, 428005675.0],
};
const FIVE_SIXTHS: Code = Code {
    bits: 5,
    first: 4,
    step: 1,
    wrong: &[
        92.0,
        528.0,
        8694.0,
        79453.0,
        792114.0,
        7375573.0,
        67884974.0,
        610875423.0,
        5427275376.0,
        47664215639.0,
    ],
};

impl Code {
    /// p_e: the share of the decoded bits that are wrong, at most, where of the coded ones `p` are. 0 to 1.
    fn wrong_bits(&self, p: f64) -> f64 {
        let d = libm::sqrt(4.0 * p * (1.0 - p));
        let power = |n| (0..n).fold(1.0, |power, _| power * d);
        let step = power(self.step);
        // Horner's rule.
        let sum = self.wrong.iter().rev().fold(0.0, |sum, a| sum * step + a);
        (sum * power(self.first) / f64::from(2 * self.bits)).min(1.0)
    }
}

impl Coding {
    /// That of an MCS of HT (of one stream), VHT or HE: 0 to 11.
    pub fn mcs(mcs: u8) -> Option<Coding> {
        (mcs < 12).then_some(Coding(mcs))
    }

    /// That of OFDM at 20 MHz (802.11a and g): 6 to 54 Mb/s, in kb/s.
    pub fn ofdm(kbps: u32) -> Option<Coding> {
        let all = [(6, 0), (9, 12), (12, 1), (18, 2), (24, 3), (36, 4), (48, 5), (54, 6)];
        all.iter().find(|(mbps, _)| mbps * 1000 == kbps).map(|&(_, coding)| Coding(coding))
    }

    /// Error rate of coded bits, 0 to 1/2, at a signal-to-noise ratio of a stream, dB.
    fn wrong_coded_bits(self, snr_db: f64) -> f64 {
        let snr = libm::pow(10.0, snr_db / 10.0);
        let bits = f64::from(CODINGS[usize::from(self.0)].0);
        if bits == 1.0 {
            return 0.5 * libm::erfc(libm::sqrt(snr));
        }
        let points = libm::pow(2.0, bits);
        2.0 / bits * (1.0 - 1.0 / libm::sqrt(points)) * libm::erfc(libm::sqrt(1.5 * snr / (points - 1.0)))
    }

    /// -ln(1 - p_e): what a bit adds to the exponent of an MPDU's way to arrive. Infinite where
    /// no bit is sure.
    fn hazard(self, snr_db: f64) -> f64 {
        let (_, code) = CODINGS[usize::from(self.0)];
        -libm::log1p(-code.wrong_bits(self.wrong_coded_bits(snr_db)))
    }

    /// Probability that an MPDU of so many bytes is lost, at a signal-to-noise ratio of its stream, dB.
    pub fn error_rate(self, snr_db: f64, bytes: u32) -> f64 {
        lost(self.hazard(snr_db), bytes)
    }
}

/// Probability that of so many bytes a bit is lost.
fn lost(hazard: f64, bytes: u32) -> f64 {
    -libm::expm1(-hazard * 8.0 * f64::from(bytes))
}

/// From one entry of a table to the next, dB: 1 / 32, so that every entry's place is exact.
const STEPS: f64 = 32.0;
/// Where a table begins and ends: a bit is lost almost surely, and no MPDU is.
const HAZARDS: (f64, f64) = (1.0, 1e-18);
/// No table begins below, dB: there no coding has a hazard within.
const LEAST_DB: f64 = -10.0;
/// All begin within so many steps.
const MOST_STEPS: u32 = 60 * STEPS as u32;

/// Error rates of all codings from a table: one exponential and no error function for an MPDU.
///
/// They differ from [`Coding::error_rate`] by at most 0.00005, for 14 to 65535 bytes.
pub struct ErrorTable {
    curves: [Curve; CODINGS.len()],
}

/// ln of the hazard of one coding, every 1 / `STEPS` dB.
struct Curve {
    /// Of the first entry, in steps.
    first: f64,
    log_hazard: Vec<f64>,
}

impl Curve {
    fn new(coding: Coding) -> Curve {
        let hazard = |step: u32| coding.hazard(LEAST_DB + f64::from(step) / STEPS);
        // Between these it falls below: halved until they are neighbours.
        let (mut before, mut skipped) = (0, MOST_STEPS);
        while skipped - before > 1 {
            let middle = (before + skipped) / 2;
            let part = if hazard(middle) > HAZARDS.0 { &mut before } else { &mut skipped };
            *part = middle;
        }
        let log_hazard = (skipped..).map(hazard).take_while(|h| *h > HAZARDS.1).map(libm::log).collect();
        Curve { first: LEAST_DB * STEPS + f64::from(skipped), log_hazard }
    }

    /// Between two entries on the straight line.
    #[inline]
    fn hazard(&self, snr_db: f64) -> f64 {
        let place = snr_db * STEPS - self.first;
        if place < 0.0 {
            return f64::INFINITY;
        }
        let below = place as usize;
        match self.log_hazard.get(below..) {
            Some(&[a, b, ..]) => libm::exp(a + (b - a) * (place - below as f64)),
            _ => 0.0,
        }
    }
}

impl ErrorTable {
    /// Computes it: some thousand error functions.
    #[expect(clippy::new_without_default, reason = "it is work, not a default")]
    pub fn new() -> ErrorTable {
        ErrorTable { curves: std::array::from_fn(|i| Curve::new(Coding(i as u8))) }
    }

    /// Probability that an MPDU of so many bytes is lost, at a signal-to-noise ratio of its stream, dB.
    #[inline]
    pub fn error_rate(&self, coding: Coding, snr_db: f64, bytes: u32) -> f64 {
        lost(self.curves[usize::from(coding.0)].hazard(snr_db), bytes)
    }

    /// The signal-to-noise ratio, dB, at which a share (above 0, below 1) of MPDUs of so many bytes is lost.
    pub fn needed_db(&self, coding: Coding, bytes: u32, share: f64) -> f64 {
        let curve = &self.curves[usize::from(coding.0)];
        let (mut lost, mut arrives) = (curve.first / STEPS, LEAST_DB);
        arrives += (curve.first + curve.log_hazard.len() as f64) / STEPS - LEAST_DB;
        // Halves the interval until it is a point.
        loop {
            let middle = 0.5 * (lost + arrives);
            if middle <= lost || middle >= arrives {
                return middle;
            }
            match self.error_rate(coding, middle, bytes) > share {
                true => lost = middle,
                false => arrives = middle,
            }
        }
    }
}

#[cfg(test)]
mod tests;
