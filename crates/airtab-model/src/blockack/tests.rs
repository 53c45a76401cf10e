// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The chains against hand calculation, sets of sequence numbers, and dice.

use super::*;

fn cell(window: u32, frames: u32, error: f64) -> BlockAck {
    BlockAck { window, frames, error, attempts: None }
}

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within * b.abs(), "{a} is not {b} within {within}");
}

#[test]
fn without_losses_aggregates_are_full() {
    for (window, frames) in [(1, 1), (8, 5), (64, 28), (64, 64), (256, 224)] {
        let solved = cell(window, frames, 0.0).solve().unwrap();
        close(solved.lengths[frames as usize], 1.0, 1e-12);
        close(solved.delivered, f64::from(frames), 1e-12);
        assert_eq!((solved.given_up, solved.bars), (0.0, 0.0));
    }
}

/// One sequence number after the other: every aggregate has one MPDU, and the window is never in the way.
#[test]
fn single_frames() {
    for window in [1, 5, 64] {
        let solved = cell(window, 1, 0.3).solve().unwrap();
        close(solved.lengths[1], 1.0, 1e-12);
        close(solved.delivered, 0.7, 1e-12);
    }
}

/// Two sequence numbers: an aggregate is short only after the first was lost and the second not, and then until the
/// first is through. x = (1 - x) p q + x p, so x = p / (1 + p).
#[test]
fn a_window_of_two_by_hand() {
    for p in [0.1, 0.3, 0.5, 0.9] {
        let solved = cell(2, 2, p).exact().unwrap();
        close(solved.lengths[1], p / (1.0 + p), 1e-11);
        close(solved.mean_frames(), 2.0 - p / (1.0 + p), 1e-11);
    }
}

/// Mean length of aggregates by the set of outstanding sequence numbers as bits, all transitions in a matrix and its
/// equations solved by elimination.
fn by_sets(window: u32, frames: u32, p: f64) -> f64 {
    // (used, outstanding), the oldest in bit 0; no more than an aggregate holds.
    let odd = |used: u32| (1..1_u32 << used).step_by(2).map(move |set| (used, set));
    let states: Vec<(u32, u32)> = [(0, 0)].into_iter().chain((1..=window).flat_map(odd)).collect();
    let states: Vec<_> = states.into_iter().filter(|(_, set)| set.count_ones() <= frames).collect();
    let number = |state: (u32, u32)| states.iter().position(|s| *s == state).expect("a state");
    let length = |(used, set): (u32, u32)| frames.min(set.count_ones() + window - used);
    let n = states.len();
    // Columns: where from; the last row says that probabilities are 1 together.
    let mut matrix = vec![vec![0.0; n + 1]; n];
    for (from, &(used, set)) in states.iter().enumerate() {
        let end = used + length((used, set)) - set.count_ones();
        let sent = set | ((1 << end) - (1 << used));
        for lost in (0..1_u32 << end).filter(|lost| lost & !sent == 0) {
            let k = lost.count_ones();
            let chance = p.powi(k as i32) * (1.0 - p).powi((sent.count_ones() - k) as i32);
            let gone = lost.trailing_zeros().min(end);
            let next = if lost == 0 { (0, 0) } else { (end - gone, lost >> gone) };
            matrix[number(next)][from] += chance;
        }
        matrix[from][from] -= 1.0;
    }
    matrix[n - 1] = vec![1.0; n + 1];
    for i in 0..n {
        let pivot = (i..n).max_by(|a, b| matrix[*a][i].abs().total_cmp(&matrix[*b][i].abs())).unwrap();
        matrix.swap(i, pivot);
        let taken = matrix[i].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(number, _)| *number != i) {
            let factor = row[i] / taken[i];
            row.iter_mut().zip(&taken).for_each(|(cell, of)| *cell -= factor * of);
        }
    }
    (0..n).map(|i| matrix[i][n] / matrix[i][i] * f64::from(length(states[i]))).sum()
}

#[test]
fn the_exact_chain_is_that_of_sets() {
    for window in 1..=6 {
        for frames in 1..=window {
            for p in [0.05, 0.3, 0.7] {
                let solved = cell(window, frames, p).exact().unwrap();
                close(solved.mean_frames(), by_sets(window, frames, p), 1e-10);
                close(solved.lengths.iter().sum(), 1.0, 1e-12);
            }
        }
    }
}

/// An MPDU is given up if it is lost each time, whatever the window does meanwhile.
#[test]
fn as_many_are_given_up_as_are_lost_each_time() {
    for (window, frames, p, attempts) in [(1, 1, 0.5, 3), (4, 4, 0.5, 2), (6, 3, 0.3, 3), (5, 5, 0.6, 1)] {
        let limited = BlockAck { attempts: Some(attempts), ..cell(window, frames, p) };
        let solved = limited.exact().unwrap();
        close(solved.given_up / (solved.given_up + solved.delivered), p.powi(attempts as i32), 1e-10);
        assert!(solved.bars <= solved.given_up && solved.bars > 0.0);
    }
    // With one attempt there is never anything to send again.
    let once = BlockAck { attempts: Some(1), ..cell(6, 4, 0.5) }.exact().unwrap();
    close(once.lengths[4], 1.0, 1e-12);
    close(once.bars, 1.0 - 0.5_f64.powi(4), 1e-12);
    // A limit that is hardly reached changes hardly anything.
    let many = BlockAck { attempts: Some(40), ..cell(4, 4, 0.3) }.exact().unwrap();
    close(many.mean_frames(), cell(4, 4, 0.3).exact().unwrap().mean_frames(), 1e-10);
}

/// Dice: sequence numbers as they are sent, the mean length of `aggregates` of them, and the share with a BAR.
fn dice(cell: BlockAck, aggregates: u64) -> (f64, f64) {
    let mut state = 1_u64;
    let mut lost = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - cell.error < 0.0
    };
    let (mut outstanding, mut next): (Vec<(u64, u32)>, u64) = (Vec::new(), 0);
    let (mut sum, mut bars) = (0, 0);
    for _ in 0..aggregates {
        let end = outstanding.first().map_or(next, |oldest| oldest.0) + u64::from(cell.window);
        while outstanding.len() < cell.frames as usize && next < end {
            outstanding.push((next, 0));
            next += 1;
        }
        sum += outstanding.len();
        outstanding.retain_mut(|(_, times)| {
            *times += 1;
            lost()
        });
        let kept = outstanding.len();
        outstanding.retain(|(_, times)| cell.attempts != Some(*times));
        bars += u64::from(outstanding.len() < kept);
    }
    (sum as f64 / aggregates as f64, bars as f64 / aggregates as f64)
}

#[test]
fn exact_chain_and_dice() {
    for attempts in [None, Some(2), Some(4)] {
        let cell = BlockAck { attempts, ..cell(7, 5, 0.4) };
        let (solved, (mean, bars)) = (cell.exact().unwrap(), dice(cell, 400_000));
        close(solved.mean_frames(), mean, 0.002);
        assert!((solved.bars - bars).abs() < 0.003, "{} {bars}", solved.bars);
    }
}

/// The table of docs/model-aggregates.md: mean lengths, and goodput on 20 MHz at MCS 7 (200 us an aggregate, 190 us a
/// frame) and on 80 MHz at MCS 9 (200 us, 32 us).
#[test]
fn wide_chain_and_dice() {
    for (window, frames, p, within) in [
        (64, 28, 0.1, 0.003),
        (64, 28, 0.3, 0.005),
        (64, 28, 0.5, 0.017),
        (64, 64, 0.1, 0.002),
        (64, 64, 0.3, 0.015),
        (64, 64, 0.5, 0.037),
    ] {
        let cell = cell(window, frames, p);
        let (solved, (mean, _)) = (cell.wide().unwrap(), dice(cell, 300_000));
        let off = [190_000, 32_000].map(|frame_ns| {
            // Cycles are linear in the length, so that their mean is that of the mean length.
            let diced = (1.0 - p) * mean * 12_000.0 * 1e9 / (200_000.0 + mean * frame_ns as f64);
            solved.goodput_bps(12_000, 0, |frames| 200_000 + u64::from(frames) * frame_ns) / diced - 1.0
        });
        println!(
            "| {window} | {frames} | {p} | {:.2} | {mean:.2} | {:+.2} % | {:+.2} % | {:+.2} % |",
            solved.mean_frames(),
            (solved.mean_frames() / mean - 1.0) * 100.0,
            off[0] * 100.0,
            off[1] * 100.0
        );
        close(solved.mean_frames(), mean, within);
        assert!(off[0].abs() < 0.002 && off[1].abs() < 0.008, "{off:?}");
    }
}

/// A cycle that is not linear in the length, BARs, and bits by hand: lengths 1 and 2 by the window of two.
#[test]
fn goodput_by_hand() {
    let solved = cell(2, 2, 0.5).exact().unwrap();
    // 1/3 of length 1, 2/3 of length 2: 5/3 MPDUs, half of them delivered, in 1/3 x 100 + 2/3 x 400 us.
    close(solved.goodput_bps(1000, 0, |frames| u64::from(frames * frames) * 100_000), 2.5e6 / 0.9, 1e-10);
    let once = BlockAck { attempts: Some(1), ..cell(1, 1, 0.5) }.exact().unwrap();
    // Every other MPDU is lost and costs a BAR of 20 us beside its 90 us.
    close(once.goodput_bps(1000, 20_000, |_| 90_000), 5e6, 1e-10);
}

#[test]
fn the_wide_chain_is_close_for_small_windows() {
    for (window, frames) in [(4, 4), (8, 5), (10, 10)] {
        for p in [0.1, 0.5] {
            let cell = cell(window, frames, p);
            close(cell.wide().unwrap().mean_frames(), cell.exact().unwrap().mean_frames(), 0.01);
        }
    }
}

#[test]
fn wrong_cells_are_refused() {
    let message = |cell: BlockAck| cell.solve().unwrap_err().to_string();
    assert_eq!(message(cell(0, 1, 0.1)), "a window of 0: it is from 1 to 256 sequence numbers");
    assert_eq!(message(cell(257, 1, 0.1)), "a window of 257: it is from 1 to 256 sequence numbers");
    assert_eq!(message(cell(8, 9, 0.1)), "aggregates of 9 frames: they are from 1 to the window's 8");
    assert_eq!(message(cell(8, 0, 0.1)), "aggregates of 0 frames: they are from 1 to the window's 8");
    assert_eq!(message(cell(8, 8, 1.0)), "an error rate of 1: it is from 0 to below 1");
    assert_eq!(message(cell(8, 8, f64::NAN)), "an error rate of NaN: it is from 0 to below 1");
    let limited = |window, attempts| BlockAck { attempts: Some(attempts), ..cell(window, 8, 0.1) };
    assert_eq!(message(limited(8, 0)), "0 attempts: a frame is sent at least once");
    assert_eq!(message(limited(64, 7)), "a limit of attempts is for windows of at most 10, not of 64");
    assert_eq!(cell(11, 8, 0.1).exact(), Err(BlockAckError::TooWide(11)));
}
