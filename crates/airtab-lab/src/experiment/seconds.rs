// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is taken of a video second by second: frames shown against the rate sent
//! (CHAP dissertation 6.10).
//!
//! What it does not do: it measures nothing (`airtab_scenario::Second`).

use airtab_quality::spearman;
use airtab_scenario::Second;

use super::Seconds;

impl Seconds {
    /// None where no second, or none that varies, is left.
    pub(super) fn of(self, seconds: &[Second]) -> Option<f64> {
        let frames = |s: &Second| Some(f64::from(s.playable_frames?));
        let mean = |wanted: &dyn Fn(f64) -> bool| {
            let chosen: Vec<f64> =
                seconds.iter().filter(|s| wanted(s.sent_bits / 1e6)).filter_map(frames).collect();
            (!chosen.is_empty()).then(|| chosen.iter().sum::<f64>() / chosen.len() as f64)
        };
        match self {
            Seconds::Below(rate) => mean(&|sent| sent < rate),
            Seconds::Above(rate) => mean(&|sent| sent > rate),
            Seconds::Correlation => {
                let pairs: Option<Vec<(f64, f64)>> =
                    seconds.iter().map(|s| Some((s.sent_bits, frames(s)?))).collect();
                spearman(&pairs?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_by_the_rate_sent() {
        let second = |(sent, frames): (f64, u32)| Second {
            from_ns: 0,
            sent_bits: sent * 1e6,
            received_bits: 0.0,
            playable_frames: Some(frames),
        };
        let seconds = [(1.0, 30), (2.0, 20), (3.0, 20), (4.0, 0)].map(second);
        assert_eq!(Seconds::Below(2.5).of(&seconds), Some(25.0));
        assert_eq!(Seconds::Above(2.5).of(&seconds), Some(10.0));
        assert_eq!(Seconds::Above(9.0).of(&seconds), None);
        // A second at that very rate is neither below nor above.
        assert_eq!(Seconds::Below(2.0).of(&seconds), Some(30.0));
        assert_eq!(Seconds::Above(3.0).of(&seconds), Some(0.0));
        assert_eq!(Seconds::Above(2.0).of(&seconds), Some(10.0));
        // What is no video has no frames.
        let none = Second { playable_frames: None, ..seconds[0] };
        assert_eq!(Seconds::Below(2.5).of(&[none, seconds[1]]), Some(20.0));
        assert_eq!(Seconds::Correlation.of(&[none, seconds[1], seconds[3]]), None);
        // Frames 30, 20, 20, 0 as rates rise: ranks 4, 2.5, 2.5, 1.
        let rank = Seconds::Correlation.of(&seconds).unwrap();
        assert!((rank + 4.5 / 22.5_f64.sqrt()).abs() < 1e-12, "{rank}");
    }
}
