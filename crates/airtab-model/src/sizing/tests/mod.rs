// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The source's figures and what follows from its formulas (`dnb`, `splits`, `wqm`, `others`), what formulas promise for
//! anything (`laws`), and what is refused (`refused`).

mod dnb;
mod laws;
mod others;
mod refused;
mod splits;
mod wqm;

use super::SizingError;
use super::exchange::Constants;

/// As printed.
fn digits(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

/// Each as printed.
fn all(values: &[f64], decimals: usize) -> Vec<String> {
    values.iter().map(|value| digits(*value, decimals)).collect()
}

/// T_d_DATA, T_d_ACK and their sum, us, as printed.
fn exchange(constants: &Constants, rate_mbps: f64, frames: u32) -> [String; 3] {
    let data = constants.data_us(rate_mbps, frames).unwrap();
    let ack = constants.ack_us(rate_mbps, frames).unwrap();
    assert_eq!(constants.round_us(rate_mbps, frames).unwrap(), data + ack);
    [data, ack, data + ack].map(|us| digits(us, 1))
}

fn said<T>(result: Result<T, SizingError>) -> String {
    result.err().expect("refused").to_string()
}
