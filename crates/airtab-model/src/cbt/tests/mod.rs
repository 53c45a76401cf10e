// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The source's tables (`tables`, `others`), borrowing against progressive filling and bursts against the discipline
//! packet by packet (`oracles`), and what is refused (`refused`).

mod oracles;
mod others;
mod refused;
mod tables;

use super::study::{MIXES, Mix};
use super::threshold::{Allocation, Class};

/// As printed.
fn digits(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

fn near(value: f64, want: f64, by: f64) {
    assert!((value - want).abs() <= by, "{value}, not {want}");
}

fn mix(name: &str) -> &'static Mix {
    MIXES.iter().find(|mix| mix.name == name).expect("a mix of that name")
}

/// A mix with KB of 1024 bytes.
fn allocation(mix: &Mix, latency_s: f64) -> Allocation {
    let class = |class: &super::study::Studied| Class { rate: class.kb, packet: class.packet };
    Allocation::of_kib(&mix.classes.map(|one| class(&one)), latency_s).expect("a mix is one")
}
