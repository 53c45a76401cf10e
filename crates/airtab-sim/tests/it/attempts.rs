// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Attempts in which nothing is sent, or nothing but a block ACK request.

use crate::common;

use airtab_core::{Key, Meta, Pool, Qdisc, Rate, RateSpec};
use airtab_sim::wifi::{
    Aggregation, Attempt, Category, CellConfig, DriverConfig, Edca, End, FrameBody, Loss, LostBar, Medium,
    Output,
};
use common::{S, Saturated, phy, queue};

fn config() -> CellConfig {
    CellConfig {
        beacon: None,
        edca: Edca::Ieee2012,
        driver: DriverConfig { ring: 4, ..DriverConfig::default() },
        ..CellConfig::new(phy("std-11n"))
    }
}

fn rate() -> Rate {
    phy("std-11n").rate(&RateSpec { mcs: 7, ..RateSpec::default() }).expect("a rate of the profile")
}

/// The frame after a BAR that is not answered: the share of BARs among these frames, by each rule.
#[test]
fn what_follows_a_lost_bar() {
    let rate = rate();
    let next = |lost_bar| {
        let mut config = CellConfig { lost_bar, ..config() };
        config.aggregation = Some(Aggregation {
            frames: 2,
            bytes: 65_535,
            time_ns: 5_484_000,
            window: 64,
            amsdu_bytes: 0,
            bar: true,
        });
        let mut lone =
            Saturated::deep(config, &[(rate, Loss::Fer(0.5))], 1500, true, 1, 8, Category::BestEffort);
        lone.cell.tap(true);
        lone.run(5 * S);
        let seen = lone.cell.attempts().expect("they are looked at");
        let frames: Vec<&Attempt> = seen.chunk_by(|a, b| a.start_ns == b.start_ns).map(|of| &of[0]).collect();
        let is_bar = |of: &Attempt| of.carried == FrameBody::Bar;
        let lost = frames.windows(2).filter(|of| is_bar(of[0]) && of[0].end != End::Acked);
        let next: Vec<bool> = lost.map(|of| is_bar(of[1])).collect();
        assert!(next.len() > 500, "{}", next.len());
        let most = frames.iter().filter(|of| is_bar(of)).map(|of| of.number).max();
        (next.iter().filter(|bar| **bar).count() as f64 / next.len() as f64, most.expect("there are some"))
    };
    // Every BAR but the seventh is repeated.
    let (bars, most) = next(LostBar::Repeat);
    assert!(bars > 0.9 && most == 7, "{bars}, {most} times");
    let (bars, most) = next(LostBar::AfterSuccess);
    assert!(bars < 1e-9 && most == 1, "{bars}, {most} times");
    // Those that only move the window are repeated.
    let (bars, most) = next(LostBar::Data);
    assert!((0.01..0.5).contains(&bars) && most == 7, "{bars}, {most} times");
}

/// Two saturated categories of one station. If both are due at once, best effort has one attempt less, and its packet is
/// dropped after the last one. The channel has no frame of these attempts.
#[test]
fn an_internal_collision_counts_as_an_attempt() {
    let rate = rate();
    let run = |attempts| {
        let config = CellConfig { attempts, driver: DriverConfig::default(), ..config() };
        let mut pool = Pool::new();
        let qdisc = Qdisc::new(&pool, &queue("fifo", 100), 0, 0);
        let mut cell = Medium::new(config.into(), &[("sta", rate, Loss::None)], qdisc, 1);
        let send = |cell: &mut Medium, pool: &mut Pool<u32>, of: u32, now| {
            let dscp = [Category::BestEffort, Category::Voice][of as usize].dscp();
            let key = Some(Key { dscp, ..Key::default() });
            let packet = pool.insert(Meta { bytes: 1500, key, ..Meta::default() }, of);
            cell.send_up(pool, 0, packet, now);
        };
        (0..6).for_each(|i| send(&mut cell, &mut pool, i % 2, 0));
        let (mut sent, mut lost) = ([[0_u64; 8]; 2], 0);
        while cell.next_event() < 20 * S {
            let now = cell.next_event();
            cell.advance(&mut pool, now);
            while let Some(output) = cell.poll() {
                match output {
                    Output::Up(packet) => {
                        pool.remove(packet);
                    }
                    Output::Lost(packet) => {
                        assert_eq!(pool.remove(packet), 0, "voice goes first");
                        lost += 1;
                    }
                    Output::Sent { label, tx, .. } => {
                        sent[label as usize][usize::from(tx.attempts)] += 1;
                        send(&mut cell, &mut pool, label, now);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        (sent, lost, cell.air(20 * S))
    };
    let ([best_effort, voice], lost, air) = run(7);
    let total = |of: [u64; 8]| of.iter().sum::<u64>();
    assert_eq!(voice[1], total(voice), "voice has one attempt each");
    let more = total(best_effort) - best_effort[1];
    assert!(more > total(best_effort) / 20, "{best_effort:?}");
    assert_eq!(air.collided, 0);
    assert!(
        air.attempts.abs_diff(total(voice) + total(best_effort) - lost) <= 1,
        "nothing else was on the air"
    );
    let ([best_effort, _], lost, _) = run(2);
    assert!(lost > 0 && best_effort[2] > lost && best_effort[3..] == [0; 5], "{lost} of {best_effort:?}");
}
