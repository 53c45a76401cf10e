// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! When the first slow start is to end before the queue overflows: HyStart++, RFC 9406.
//!
//! A round is a window of data. A round whose least round-trip time exceeds that of the round before by an eighth of it
//! (at least 4, at most 16 ms) begins *conservative slow start*, which grows a quarter as fast. After five such rounds slow
//! start is over; if meanwhile a round is shorter than the one that began it, the delay was none of ours, and slow
//! start resumes. Loss ends it all, and later slow starts go up to the threshold.
//!
//! What it does not do: the RFC's limit of 8 segments per acknowledgement, as slow start here has RFC 3465's 2; round-trip
//! times, of which it wants one with nearly every acknowledgement (timestamps).

use airtab_core::time::MS;

/// Section 4.3.
const MIN_RTT_THRESH: u64 = 4 * MS;
const MAX_RTT_THRESH: u64 = 16 * MS;
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u64 = 4;
const CSS_ROUNDS: u32 = 5;

/// Before the first sample.
const UNKNOWN: u64 = u64::MAX;

/// What an acknowledgement in slow start does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The window grows by what was acknowledged, divided by this.
    By(u64),
    /// Slow start is over: the window is the threshold.
    Over,
}

/// Conservative slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Css {
    /// Least round-trip time of the round that began it, ns.
    baseline: u64,
    /// Rounds of it that are over, the one in which it began included.
    rounds: u32,
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct HyStart {
    /// The round under way ends when this byte is acknowledged, which was the next to be sent when it began.
    window_end: u64,
    /// Least round-trip times of the last round and of this one, ns.
    last: u64,
    current: u64,
    samples: u32,
    css: Option<Css>,
}

impl Default for HyStart {
    fn default() -> Self {
        HyStart { window_end: 0, last: UNKNOWN, current: UNKNOWN, samples: 0, css: None }
    }
}

impl HyStart {
    /// All below `una` is acknowledged, `next` is the next new byte; a round trip took so long, if that is known.
    pub fn on_ack(&mut self, una: u64, next: u64, rtt_ns: Option<u64>) -> Growth {
        if una > self.window_end && self.next_round(next) {
            return Growth::Over;
        }
        if let Some(rtt) = rtt_ns {
            self.current = self.current.min(rtt);
            self.samples += 1;
        }
        if self.samples >= N_RTT_SAMPLE && self.current != UNKNOWN {
            self.judge();
        }
        Growth::By(if self.css.is_some() { CSS_GROWTH_DIVISOR } else { 1 })
    }

    /// A round begins (4.2); whether it was the last of conservative slow start.
    fn next_round(&mut self, next: u64) -> bool {
        *self = HyStart { window_end: next, last: self.current, css: self.css, ..HyStart::default() };
        self.css.as_mut().is_some_and(|css| {
            css.rounds += 1;
            css.rounds >= CSS_ROUNDS
        })
    }

    fn judge(&mut self) {
        match self.css {
            None if self.last != UNKNOWN => {
                let threshold = (self.last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if self.current >= self.last + threshold {
                    self.css = Some(Css { baseline: self.current, rounds: 0 });
                }
            }
            Some(css) if self.current < css.baseline => self.css = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round of a hundred segments, some of them acknowledged, with such round-trip times; what each does.
    fn round(hystart: &mut HyStart, number: u64, rtts_ms: &[u64]) -> Vec<Growth> {
        let acks = (1..).zip(rtts_ms);
        acks.map(|(i, ms)| hystart.on_ack(number * 100 + i, (number + 1) * 100, Some(ms * MS))).collect()
    }

    const FULL: Growth = Growth::By(1);
    const QUARTER: Growth = Growth::By(4);

    #[test]
    fn eight_samples_of_a_rise_begin_conservative_slow_start() {
        let mut hystart = HyStart::default();
        assert_eq!(round(&mut hystart, 0, &[100; 20]), [FULL; 20]);
        // An eighth of 100 ms is 12.5.
        assert_eq!(round(&mut hystart, 1, &[112; 20]), [FULL; 20]);
        let growth = round(&mut hystart, 2, &[126; 20]);
        assert_eq!((&growth[..7], &growth[7..]), (&[FULL; 7][..], &[QUARTER; 13][..]), "112 and an eighth");
    }

    #[test]
    fn the_threshold_is_4_to_16_ms() {
        for (base, rise, css) in [(8, 3, false), (8, 4, true), (400, 15, false), (400, 16, true)] {
            let mut hystart = HyStart::default();
            round(&mut hystart, 0, &[base; 10]);
            let growth = round(&mut hystart, 1, &[base + rise; 10]);
            assert_eq!(growth[9] == QUARTER, css, "{base} ms and {rise} more");
        }
    }

    #[test]
    fn it_is_the_least_of_the_round_that_counts() {
        let mut hystart = HyStart::default();
        round(&mut hystart, 0, &[100; 10]);
        let mut rtts = [150; 20];
        rtts[3] = 101;
        assert_eq!(round(&mut hystart, 1, &rtts), [FULL; 20]);
    }

    #[test]
    fn five_rounds_of_it_end_slow_start() {
        let mut hystart = HyStart::default();
        round(&mut hystart, 0, &[100; 10]);
        round(&mut hystart, 1, &[120; 10]); // the round in which it begins is the first of five
        for number in 2..=5 {
            assert_eq!(round(&mut hystart, number, &[125; 10]), [QUARTER; 10], "round {number}");
        }
        assert_eq!(hystart.on_ack(601, 700, None), Growth::Over);
    }

    #[test]
    fn a_shorter_round_resumes_slow_start() {
        let mut hystart = HyStart::default();
        round(&mut hystart, 0, &[100; 10]);
        round(&mut hystart, 1, &[120; 10]);
        let growth = round(&mut hystart, 2, &[119; 10]);
        assert_eq!((&growth[..7], &growth[7..]), (&[QUARTER; 7][..], &[FULL; 3][..]));
        // And may begin again: the last round's least is 119 now.
        assert_eq!(round(&mut hystart, 3, &[140; 10])[9], QUARTER);
    }
}
