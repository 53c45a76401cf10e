// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! p_s, the self-correlation of a station's transmissions: how likely it has sent again within the next d successes
//! (Starzetz 2006, 8.2). Above that of the memoryless H at small d is unfair, below it is fair.
//!
//! What it does not do: nobody wins here (`automaton`, `schedule`).

use super::{ContentionError, stations};

/// p_s(d) of every memoryless scheme of `n` stations: 1 - (1 - 1/N)^d, exact.
///
/// # Errors
/// Fewer than 2 stations, or too many.
pub fn memoryless(n: u64, d: u32) -> Result<f64, ContentionError> {
    let again = 1.0 / f64::from(stations(n)?);
    Ok(-libm::expm1(f64::from(d) * libm::log1p(-again)))
}

/// p_s(1) to p_s(`window`) of a sequence of winners: of the wins that have `window` more behind them, how many are
/// followed by one of the same station within d. Each counts from its first recurrence on.
///
/// # Errors
/// No more wins than `window`.
pub fn measured(winners: &[u16], window: usize) -> Result<Vec<f64>, ContentionError> {
    let looked_at = winners.len().checked_sub(window).filter(|n| *n > 0);
    let looked_at = looked_at.ok_or(ContentionError::Successes { successes: winners.len(), window })?;
    let stations = winners.iter().max().map_or(0, |most| usize::from(*most) + 1);
    let mut next = vec![usize::MAX; stations];
    let mut first = vec![0u64; window + 1];
    for (k, winner) in winners.iter().enumerate().rev() {
        let next = &mut next[usize::from(*winner)];
        let distance = next.saturating_sub(k);
        if k < looked_at && distance <= window {
            first[distance] += 1;
        }
        *next = k;
    }
    let mut again = 0;
    let of = |n: &u64| {
        again += n;
        again as f64 / looked_at as f64
    };
    Ok(first[1..].iter().map(of).collect())
}
