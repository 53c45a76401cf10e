// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The fingerprint of a lone sender from the arrival times of its packets, a time in s on each line: the thesis's
//! own method (Starzetz 2006, 6.4.1). `airtab cbr -L --arrivals FILE` writes such files.
//!
//! All packets have to be of one length, and nobody else may send. The file is read twice.
//!
//! What it does not do: no packet is known to be a repetition, so that nothing is said of windows after failures.

use std::io::{self, BufRead, BufReader};

use airtab_core::Phy;
use airtab_quality::fingerprint::{
    Card, Draws, FALSE_ALARMS, Judgement, Line, Phase, Retries, first_tooth, judge,
};

use super::Open;
use super::teeth::Teeth;

/// Why a file of arrival times cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum ArrivalsError {
    #[error("cannot read it: {0}")]
    Read(#[from] io::Error),
    #[error("it has no arrival times: give a time in s on each line")]
    Empty,
    #[error(
        "line {line}: '{text}' is no time: give one in s, such as 12.000001347, or a comment that begins with #"
    )]
    Time { line: u64, text: String },
    #[error("line {line} is {back_ns} ns earlier than the one before: sort them first, sort -n")]
    Unordered { line: u64, back_ns: u64 },
}

/// What arrival times say.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// Constants that were supposed.
    pub phy: Phy,
    /// True if the profile is a guess by the slots that show: then no card is accused.
    pub guessed: bool,
    /// Packets.
    pub packets: u64,
    /// Gap of no slot, and length of a slot, as measured, ns.
    pub base_and_slot_ns: Option<(f64, f64)>,
    /// How sharp the comb is, 0 to 1.
    pub contrast: Option<f64>,
    /// Figures and verdict.
    pub judgement: Judgement,
}

/// Gaps of so many slots are looked at: 82 ms of 20 us.
const TEETH: usize = 4096;

/// The fingerprint of who sent what arrived; without `phy` the standard's of 802.11b or 802.11g, by the length of
/// the slots that show. With `exchange_ns`, what a packet takes from its first bit to its answer's last, a short
/// interframe space shows too.
///
/// # Errors
/// [`ArrivalsError`] says what is wrong with the file.
pub fn of_arrivals(
    open: &mut Open<'_>,
    phy: Option<Phy>,
    exchange_ns: Option<u64>,
) -> Result<Arrivals, ArrivalsError> {
    let guessed = phy.is_none();
    let named = |name| Phy::named(name).expect("a profile of the core");
    let phys = phy.map_or_else(|| vec![named("std-11b"), named("std-11g")], |phy| vec![phy]);
    let mut combs: Vec<(Phy, Phase, Teeth)> =
        phys.into_iter().map(|phy| (phy, Phase::default(), Teeth::new(phy.slot_ns(), 0, TEETH))).collect();
    let mut packets = 0;
    gaps(open, &mut |gap| {
        packets += 1;
        let Some(gap) = gap else { return };
        for (phy, phase, teeth) in &mut combs {
            phase.add(gap, phy.slot_ns());
            teeth.add(gap);
        }
    })?;
    if packets == 0 {
        return Err(ArrivalsError::Empty);
    }
    let contrast = |comb: &(Phy, Phase, Teeth)| comb.1.contrast().unwrap_or(0.0);
    let sharpest = combs.into_iter().reduce(|a, b| if contrast(&b) > contrast(&a) { b } else { a });
    let (phy, phase, teeth) = sharpest.expect("there is a comb");
    let comb = Comb::new(&phy, phase.ns(phy.slot_ns()), &teeth, exchange_ns);
    let (draws, line) = comb.draws(open)?;
    let retries = Retries::default();
    let contrast = phase.contrast();
    let most = phy.cw_max() + 1;
    let card = Card { draws: &draws, retries: &retries, most, early: comb.early, contrast };
    let judgement = judge(&card, FALSE_ALARMS);
    let judgement = if guessed { judgement.by_guess() } else { judgement };
    Ok(Arrivals { phy, guessed, packets, base_and_slot_ns: line.base_and_slot_ns(), contrast, judgement })
}

/// Where the teeth are.
struct Comb {
    slot_ns: i64,
    window: u32,
    /// Gap of the first tooth.
    base_ns: i64,
    early: Option<i64>,
}

impl Comb {
    fn new(phy: &Phy, phase: i64, teeth: &Teeth, exchange_ns: Option<u64>) -> Comb {
        let (slot_ns, window) = (phy.slot_ns() as i64, phy.cw_min() + 1);
        let first = first_tooth(&teeth.counts(phase), window as usize).unwrap_or(0) as i64;
        let shown_ns = first * slot_ns + phase;
        let due_ns = exchange_ns.map(|ns| (ns + phy.difs_ns()) as i64);
        let slots = |ns: i64| (ns + slot_ns / 2).div_euclid(slot_ns);
        let early = due_ns.map(|due_ns| slots(due_ns - shown_ns));
        // Who begins later than is due leaves its first slots out.
        let base_ns = shown_ns + early.map_or(0, |early| early.min(0) * slot_ns);
        Comb { slot_ns, window, base_ns, early }
    }

    fn draws(&self, open: &mut Open<'_>) -> Result<(Draws, Line), ArrivalsError> {
        let (mut draws, mut line) = (Draws::new(self.window.clamp(2, 256)), Line::default());
        gaps(open, &mut |gap| {
            let Some(gap) = gap else { return };
            let slots = (gap - self.base_ns + self.slot_ns / 2).div_euclid(self.slot_ns);
            match u64::try_from(slots) {
                Ok(draw) => draws.push(draw),
                Err(_) => draws.pause(),
            }
            if (0..i64::from(self.window)).contains(&slots) {
                line.add(slots, gap);
            }
        })?;
        Ok((draws, line))
    }
}

/// Hands on the gap before each packet, ns; none before the first.
fn gaps(open: &mut Open<'_>, each: &mut dyn FnMut(Option<i64>)) -> Result<(), ArrivalsError> {
    let mut reader = BufReader::with_capacity(1 << 16, open()?);
    let (mut text, mut number) = (Vec::new(), 0);
    let mut before: Option<u64> = None;
    loop {
        text.clear();
        number += 1;
        if reader.read_until(b'\n', &mut text)? == 0 {
            return Ok(());
        }
        let line = text.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let column = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let now = time(column).ok_or_else(|| ArrivalsError::Time {
            line: number,
            text: String::from_utf8_lossy(&column[..column.len().min(40)]).into_owned(),
        })?;
        if let Some(back_ns) = before.and_then(|before| before.checked_sub(now)).filter(|ns| *ns > 0) {
            return Err(ArrivalsError::Unordered { line: number, back_ns });
        }
        each(before.map(|before| (now - before) as i64));
        before = Some(now);
    }
}

/// Seconds with a fraction, as ns; what is beyond is cut off.
fn time(text: &[u8]) -> Option<u64> {
    let (whole, fraction) = match text.iter().position(|byte| *byte == b'.') {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &[][..]),
    };
    let digits = |text: &[u8]| {
        text.iter().try_fold(0u64, |sum, digit| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            sum.checked_mul(10)?.checked_add(digit)
        })
    };
    fraction.iter().all(u8::is_ascii_digit).then_some(())?;
    let kept = &fraction[..fraction.len().min(9)];
    let ns = digits(kept)? * 10u64.pow(9 - kept.len() as u32);
    (!whole.is_empty())
        .then(|| digits(whole)?.checked_mul(1_000_000_000)?.checked_add(ns))?
        .filter(|ns| *ns <= i64::MAX as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(time(b"12.000001347"), Some(12_000_001_347));
        assert_eq!(time(b"1764000000.1"), Some(1_764_000_000_100_000_000));
        assert_eq!(time(b"0.1234567891"), Some(123_456_789));
        assert_eq!(time(b"7"), Some(7_000_000_000));
        for wrong in [&b""[..], b".5", b"-1", b"1e3", b"1.2.3", b"1,5", b"99999999999999"] {
            assert_eq!(time(wrong), None, "{}", String::from_utf8_lossy(wrong));
        }
    }
}
