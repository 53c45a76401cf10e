// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The published thresholds, the code's own distances, the noise itself.

use super::*;

fn every() -> impl Iterator<Item = Coding> {
    (0..CODINGS.len()).map(|i| Coding(i as u8))
}

/// 10 % of 1538-byte MPDUs, MCS 0 to 11.
const THRESHOLDS_DB: [f64; 12] =
    [3.97, 6.98, 9.87, 13.51, 16.62, 21.36, 22.63, 23.79, 28.50, 29.71, 34.35, 35.60];

#[test]
fn a_tenth_is_lost_where_the_model_says() {
    let table = ErrorTable::new();
    for (mcs, db) in (0..).zip(THRESHOLDS_DB) {
        let coding = Coding::mcs(mcs).expect("twelve");
        let needed = table.needed_db(coding, 1538, 0.1);
        assert!((needed - db).abs() < 0.02, "MCS {mcs}: {needed}, not {db}");
        // The printed ones are rounded to a hundredth.
        let rounded = libm::round(needed * 100.0) / 100.0;
        assert_eq!(rounded, db, "MCS {mcs}: {needed}");
        for (nearby, less) in [(needed - 0.01, false), (needed + 0.01, true)] {
            assert_eq!(coding.error_rate(nearby, 1538) < 0.1, less, "MCS {mcs} at {nearby}");
        }
    }
    assert_eq!(Coding::mcs(12), None);
}

/// At 20 MHz: BPSK 1/2 to 64-QAM 3/4. Only BPSK 3/4 is not also that of an MCS.
#[test]
fn ofdm_rates_have_the_codings_of_the_standard() {
    let codings = [6, 12, 18, 24, 36, 48, 54].map(|mbps| Coding::ofdm(mbps * 1000));
    assert_eq!(codings, [0, 1, 2, 3, 4, 5, 6].map(Coding::mcs));
    let nine = Coding::ofdm(9000).expect("a rate");
    assert!(every().take(12).all(|other| other != nine));
    // BPSK has on one axis what QPSK has on two.
    let qpsk = Coding::mcs(2).expect("QPSK 3/4");
    let double = 10.0 * libm::log10(2.0);
    assert!((nine.error_rate(6.8, 1000) - qpsk.error_rate(6.8 + double, 1000)).abs() < 1e-12);
    assert_eq!([5500, 11_000, 0, 54].map(Coding::ofdm), [None; 4]);
}

/// a_d of the code with generators 133 and 171 (octal), of which the `kept` coded bits are sent: walks
/// every way that leaves the right one at the beginning of a block and is back at the end of one.
fn distances(kept: &[(u32, u32)], largest: usize) -> Vec<u64> {
    let even = |bits: u32| bits.count_ones() % 2;
    let mut wrong = vec![0; largest + 1];
    // By state and weight: ways, and wrong bits on them.
    let mut ways = vec![vec![(0u64, 0u64); largest + 1]; 64];
    ways[0][0] = (1, 0);
    while ways.iter().flatten().any(|w| w.0 > 0) {
        for &(first, second) in kept {
            let mut next = vec![vec![(0, 0); largest + 1]; 64];
            for (state, bit) in (0..64).flat_map(|state| [(state, 0u32), (state, 1)]) {
                let window = (bit << 6) | state as u32;
                let weight = first * even(window & 0o133) + second * even(window & 0o171);
                for d in 0..=largest - weight as usize {
                    let (n, bits) = ways[state][d];
                    let to = &mut next[(window >> 1) as usize][d + weight as usize];
                    *to = (to.0 + n, to.1 + bits + n * u64::from(bit));
                }
            }
            ways = next;
        }
        for (d, (_, bits)) in ways[0].iter_mut().map(std::mem::take).enumerate() {
            wrong[d] += bits;
        }
    }
    wrong
}

#[test]
fn distances_are_those_of_the_punctured_code() {
    for (code, kept) in [
        (&HALF, &[(1, 1)][..]),
        (&TWO_THIRDS, &[(1, 1), (1, 0)]),
        (&THREE_QUARTERS, &[(1, 1), (1, 0), (0, 1)]),
        (&FIVE_SIXTHS, &[(1, 1), (1, 0), (0, 1), (1, 0), (0, 1)]),
    ] {
        assert_eq!(code.bits as usize, kept.len());
        let largest = code.first as usize + (code.wrong.len() - 1) * code.step as usize;
        let mut told = vec![0; largest + 1];
        for (i, &a) in code.wrong.iter().enumerate() {
            told[code.first as usize + i * code.step as usize] = a as u64;
        }
        assert_eq!(distances(kept, largest), told, "rate {}/{}", code.bits, code.bits + 1);
    }
}

/// Bits from points in white noise, as a demodulator without regard to the code decides: nearest point of
/// an axis, Gray's labels. The formula counts only errors to the nearest neighbours.
#[test]
fn coded_bits_are_wrong_as_often_as_noise_makes_them() {
    let mut noise = crate::engine::Stream::new(1, "errors");
    let gray = |level: u32| level ^ (level >> 1);
    for (mcs, snr_db) in [(0, 1.0), (1, 4.0), (3, 11.0), (5, 17.0), (8, 23.0), (10, 29.0)] {
        let bits = u32::from(CODINGS[mcs].0);
        // An axis of a QAM has half of its bits, and half of its power.
        let (axis_bits, power) = if bits == 1 { (1, 1.0) } else { (bits / 2, 0.5) };
        let levels = 1u32 << axis_bits;
        let spacing = libm::sqrt(12.0 * power / (f64::from(levels * levels) - 1.0));
        let deviation = libm::sqrt(0.5 * libm::pow(10.0, -snr_db / 10.0));
        let (points, mut wrong) = (400_000u32, 0);
        for i in 0..points {
            let sent = i % levels;
            let received = f64::from(sent) + deviation / spacing * noise.normal();
            let decided = libm::round(received).clamp(0.0, f64::from(levels - 1)) as u32;
            wrong += (gray(sent) ^ gray(decided)).count_ones();
        }
        let seen = f64::from(wrong) / f64::from(points * axis_bits);
        let told = Coding(mcs as u8).wrong_coded_bits(snr_db);
        let error = 5.0 / libm::sqrt(f64::from(wrong));
        assert!((seen / told - 1.0).abs() < error + 0.01, "MCS {mcs}: {seen}, not {told}");
        assert!(error < 0.04, "enough of them: {wrong}");
    }
}

#[test]
fn the_table_is_as_exact_as_it_says() {
    let table = ErrorTable::new();
    let mut largest = 0.0f64;
    for coding in every() {
        for step in 0..60 * 499 {
            let snr_db = -10.0 + f64::from(step) / 499.0;
            for bytes in [14, 32, 90, 1538, 7935, 65535] {
                let exact = coding.error_rate(snr_db, bytes);
                let looked_up = table.error_rate(coding, snr_db, bytes);
                assert!([exact, looked_up].iter().all(|p| (0.0..=1.0).contains(p)), "{coding:?} at {snr_db}");
                largest = largest.max((looked_up - exact).abs());
            }
        }
    }
    println!("largest deviation {largest}");
    assert!(largest < 5e-5, "{largest}");
}

#[test]
fn more_signal_and_shorter_mpdus_lose_less() {
    let table = ErrorTable::new();
    for coding in every() {
        let mut before = 1.0;
        for step in -20 * 64..50 * 64 {
            let snr_db = f64::from(step) / 64.0;
            let [short, long] = [100, 1538].map(|bytes| table.error_rate(coding, snr_db, bytes));
            assert!(short <= long && long <= before, "{coding:?} at {snr_db}");
            before = long;
        }
        assert_eq!(before, 0.0);
        assert_eq!([f64::NEG_INFINITY, -20.0].map(|db| table.error_rate(coding, db, 14)), [1.0; 2]);
        assert_eq!([1e9, f64::INFINITY].map(|db| table.error_rate(coding, db, 65535)), [0.0; 2]);
    }
}
