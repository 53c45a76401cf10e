// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Short-term fairness: Jain's index (Starzetz 2006, 7.1) of who won the last w successes, on average over all
//! places of that window in a sequence of winners (8.2).
//!
//! What it does not do: Jain's index of any shares is `airtab_quality::jain`.

use super::{ContentionError, stations};

/// Mean of (sum x)^2 / (N sum x^2) over all windows of `window` successes in a row; x counts a station's wins in it.
///
/// # Errors
/// A window of 0, or longer than the sequence; fewer than 2 stations, or too many, or fewer than win.
pub fn sliding(winners: &[u16], n: u64, window: usize) -> Result<f64, ContentionError> {
    let n = stations(n)?;
    if winners.iter().any(|winner| u32::from(*winner) >= n) {
        return Err(ContentionError::Stations(n.into()));
    }
    if window == 0 || window > winners.len() {
        return Err(ContentionError::Successes { successes: winners.len(), window });
    }
    let mut wins = vec![0u64; n as usize];
    let (mut squares, mut sum) = (0, 0.0);
    for (k, winner) in winners.iter().enumerate() {
        let x = &mut wins[usize::from(*winner)];
        squares += 2 * *x + 1;
        *x += 1;
        if k + 1 >= window {
            sum += 1.0 / squares as f64;
            let x = &mut wins[usize::from(winners[k + 1 - window])];
            squares -= 2 * *x - 1;
            *x -= 1;
        }
    }
    let places = (winners.len() - window + 1) as f64;
    Ok((window as f64) * (window as f64) / f64::from(n) * sum / places)
}

/// What a memoryless scheme has of long windows, whatever its slot law: 1 / (1 + (N - 1) / w).
///
/// # Errors
/// Fewer than 2 stations, or too many.
pub fn memoryless(n: u64, window: u64) -> Result<f64, ContentionError> {
    Ok(1.0 / (1.0 + f64::from(stations(n)? - 1) / window as f64))
}
