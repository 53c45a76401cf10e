// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Exchanges of several parts, though the cell makes none yet.

use airtab_core::{Meta, Phy, Pool, RateSpec};

use super::*;
use crate::wifi::config::Loss;
use crate::wifi::egress::Left;

fn config() -> CellConfig {
    CellConfig::new(Phy::named("phy-a").expect("a profile of the core"))
}

fn radios(loss: Loss) -> Radios {
    Radios::new(&config(), &[("sta", 54_000.into(), loss)], 1)
}

/// One part for each length; its flow, label and ticket are its number, from 1 on.
fn exchange(pool: &mut Pool<u32>, radios: &Radios, lengths: &[u32]) -> Exchange {
    let sum = lengths.iter().sum();
    let mut exchange = Exchange::none();
    exchange.open(Kind::Data, Some(0), Some(1));
    exchange.frame = radios.frame(Some(0), sum);
    for (number, &bytes) in (1..).zip(lengths) {
        let part = part(pool, number, bytes);
        exchange.push(part);
    }
    exchange
}

fn part(pool: &mut Pool<u32>, number: u32, bytes: u32) -> Part {
    let packet = pool.insert(Meta { bytes, flow: number, ..Meta::default() }, number);
    Part::new(
        &pool.view(packet),
        Left { packet, ticket: Ticket { flow: number, ..Ticket::default() }, record: 0 },
        0,
    )
}

fn numbers(exchange: &Exchange) -> Vec<u32> {
    exchange.parts.iter().map(|part| part.ticket.flow).collect()
}

/// Ends an attempt as `ends` says, part by part: the tickets that are over, with
/// their reports, and whether it failed.
fn end(exchange: &mut Exchange, ends: &[End], now: u64) -> (Vec<(u32, Tx)>, bool) {
    let (mut ends, mut reports) = (ends.iter(), Vec::new());
    exchange.parts.iter_mut().for_each(|part| part.end = *ends.next().expect("one for each part"));
    assert_eq!(ends.next(), None);
    let failed = exchange.settle(&config(), |part, settled| {
        if settled.over {
            reports.push((part.ticket.flow, part.tx(settled.acked, now)));
        }
    });
    (reports, failed)
}

#[test]
fn each_ticket_has_its_own_report() {
    let (mut pool, mut radios) = (Pool::new(), radios(Loss::None));
    let mut exchange = exchange(&mut pool, &radios, &[1500, 460, 40]);
    exchange.frame = Frame { data_ns: 900, ack_ns: 101, ..exchange.frame };
    exchange.begin(&mut radios, false, 10_000);
    // 1001 ns by 2000 bytes: 750.75, 230.23, and the rest.
    let reports = end(&mut exchange, &[End::DataLost, End::Acked, End::DataLost], 11_001);
    let tx = |air, span, attempts, acked| Tx { air, span, attempts, acked };
    assert_eq!(reports, (vec![(2, tx(230, 1001, 1, true))], false));
    // The others wait, and go again with one more behind them.
    exchange.charge(154);
    let late = part(&mut pool, 4, 460);
    exchange.push(late);
    assert_eq!(numbers(&exchange), [1, 3, 4]);
    exchange.begin(&mut radios, true, 20_000);
    assert!(exchange.parts.iter().all(|part| part.end == End::Collision));
    assert_eq!(exchange.answer, Answer::Missing);
    exchange.begin(&mut radios, false, 30_000);
    let reports = end(&mut exchange, &[End::Acked, End::DataLost, End::Acked], 31_001);
    // 154 ns by 1540 bytes, then twice 1001 ns by 2000.
    let expected = vec![(1, tx(750 + 150 + 2 * 750, 21_001, 3, true)), (4, tx(2 * 231, 11_001, 2, true))];
    assert_eq!(reports, (expected, false), "one that is acknowledged is enough");
    for n in 4..=7 {
        assert_eq!(numbers(&exchange), [3]);
        exchange.begin(&mut radios, false, 40_000 + n);
        let reports = end(&mut exchange, &[End::DataLost], 50_000);
        // Alone it pays all of it; after its seventh attempt it is given up.
        let air = 21 + 4 + 2 * 20 + (n - 3) * 1001;
        match n {
            7 => assert_eq!(reports, (vec![(3, tx(air, 40_000, 7, false))], false)),
            _ => assert_eq!(reports, (vec![], true)),
        }
    }
    assert!(exchange.is_empty());
}

/// Whichever parts leave, the others keep their order, and new ones go behind them.
#[test]
fn parts_keep_their_order() {
    let (mut pool, radios) = (Pool::new(), radios(Loss::None));
    let mut exchange = exchange(&mut pool, &radios, &[100; 3]);
    let mut model = vec![1, 2, 3];
    for number in 4..2000 {
        // Every third of them leaves or stays, in all combinations.
        let leaves = |flow: u32| (number >> (flow % 3)) & 1 == 1;
        exchange.retain(|part| !leaves(part.ticket.flow));
        model.retain(|flow| !leaves(*flow));
        let new = part(&mut pool, number, 100);
        exchange.push(new);
        model.push(number);
        assert_eq!(numbers(&exchange), model);
        assert_eq!(exchange.bytes as usize, 100 * model.len());
    }
}

/// Whatever is split over however many parts of whatever length, no nanosecond is lost.
#[test]
fn shares_sum_to_the_whole() {
    let (mut pool, radios) = (Pool::new(), radios(Loss::None));
    for n in 1..40u32 {
        let lengths: Vec<u32> = (0..n).map(|i| 28 + i * 7919 % 1473).collect();
        let mut exchange = exchange(&mut pool, &radios, &lengths);
        let whole = 1_000_003 * u64::from(n);
        exchange.charge(whole);
        assert_eq!(exchange.parts.iter().map(|part| part.air).sum::<u64>(), whole);
    }
}

/// Every DATA is drawn on its own, the ACK once; there is none if nothing arrived.
#[test]
fn losses_are_drawn_by_part_and_the_ack_once() {
    let p: f64 = 0.3;
    let (mut pool, mut radios) = (Pool::new(), radios(Loss::Fer(p)));
    let mut exchange = exchange(&mut pool, &radios, &[1500, 40]);
    let (mut counts, attempts) = ([[0.0; 3]; 3], 200_000);
    let number = |part: &Part| match part.end {
        End::Acked => 0,
        End::AckLost => 1,
        End::DataLost => 2,
        other => panic!("{other:?}"),
    };
    for _ in 0..attempts {
        exchange.parts.iter_mut().for_each(|part| (part.attempts, part.sent) = (0, 0));
        exchange.begin(&mut radios, false, 0);
        let ends: Vec<usize> = exchange.parts.iter().map(number).collect();
        counts[ends[0]][ends[1]] += 1.0;
        assert_eq!(exchange.answer == Answer::Missing, ends == [2, 2]);
    }
    let (one, both) = ((1.0 - p) * p, (1.0 - p) * (1.0 - p));
    let expected = [
        [both * (1.0 - p), 0.0, one * (1.0 - p)],
        [0.0, both * p, one * p],
        [one * (1.0 - p), one * p, p * p],
    ];
    for (seen, expected) in counts.iter().flatten().zip(expected.iter().flatten()) {
        let (share, sigma) = (seen / attempts as f64, (expected * (1.0 - expected) / attempts as f64).sqrt());
        assert!((share - expected).abs() <= 4.0 * sigma, "{counts:?}");
    }
}

/// The packets of an A-MSDU are lost or received as one: each number is drawn once.
#[test]
fn packets_of_a_number_end_alike() {
    let p: f64 = 0.3;
    let (mut pool, mut radios) = (Pool::new(), radios(Loss::Fer(p)));
    let mut exchange = exchange(&mut pool, &radios, &[1500, 40, 40, 460, 460, 1500]);
    for (part, sequence) in exchange.parts.iter_mut().zip([7, 7, 7, 8, 8, 9]) {
        part.sequence = Some(sequence);
    }
    let (mut lost, attempts) = ([0.0; 3], 50_000);
    for _ in 0..attempts {
        exchange.parts.iter_mut().for_each(|part| (part.attempts, part.sent) = (0, 0));
        exchange.begin(&mut radios, false, 0);
        let ends: Vec<End> = exchange.parts.iter().map(|part| part.end).collect();
        assert!(ends[..3] == [ends[0]; 3] && ends[3] == ends[4], "{ends:?}");
        [0, 3, 5].iter().zip(&mut lost).for_each(|(i, n)| *n += f64::from(ends[*i] == End::DataLost));
    }
    for n in lost {
        let sigma = (p * (1.0 - p) / f64::from(attempts)).sqrt();
        assert!((n / f64::from(attempts) - p).abs() <= 4.0 * sigma, "{lost:?}");
    }
}

/// Three MPDUs of 1538 bytes at HT20 MCS 7: 608 us, of which 36 are the preamble. Others spoil what they overlap, and all of it
/// with the preamble.
#[test]
fn overlaps_spoil_what_they_meet() {
    let phy = Phy::named("std-11n").expect("a profile of the core");
    let rate = phy.rate(&RateSpec { mcs: 7, ..RateSpec::default() }).expect("it has MCS 7");
    let (mut pool, radios) = (Pool::new(), radios(Loss::None));
    let mut of = |spans: &[(u64, u64)]| {
        let mut exchange = exchange(&mut pool, &radios, &[1500; 3]);
        exchange.frame.mcs = Some(rate);
        exchange.frame.data_ns = phy.ppdu_ns(&rate, 3 * 1544 - 2);
        assert_eq!(exchange.frame.data_ns, 608_000);
        for (sequence, part) in (0..).zip(&mut exchange.parts) {
            (part.sequence, part.mpdu_bytes, part.end) = (Some(sequence), 1538, End::Acked);
        }
        exchange.answer = Answer::Ack;
        exchange.spoil_during(&phy, spans.iter().map(|(from, until)| from * 1000..until * 1000));
        let lost: Vec<bool> = exchange.parts.iter().map(|part| part.end == End::Collision).collect();
        (lost, exchange.answer)
    };
    assert_eq!(of(&[(35, 36)]), (vec![true; 3], Answer::Missing), "the preamble");
    assert_eq!(of(&[(100, 150)]), (vec![true, false, false], Answer::Ack));
    // The first one is over at 226.67 us.
    assert_eq!(of(&[(200, 226)]), (vec![true, false, false], Answer::Ack));
    assert_eq!(of(&[(200, 227)]), (vec![true, true, false], Answer::Ack));
    assert_eq!(of(&[(227, 300)]), (vec![false, true, false], Answer::Ack));
    assert_eq!(of(&[(40, 41), (500, 9000)]), (vec![true, false, true], Answer::Ack));
    assert_eq!(of(&[(40, 9000)]), (vec![true; 3], Answer::Missing), "nobody answers what has errors alone");
}
