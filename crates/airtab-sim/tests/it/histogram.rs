// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The histogram against hdrhistogram, whose bins and figures it has, and its memory.

use airtab_core::time::{MS, SECOND};
use airtab_sim::Histogram;
use proptest::prelude::*;

const HIGHEST: u64 = 100 * SECOND;

type Reference = hdrhistogram::Histogram<u64>;

fn reference(highest: u64, digits: u8) -> Reference {
    Reference::new_with_bounds(1_000, highest, digits).expect("bounds are in order")
}

/// All that both can tell.
fn assert_same(own: &Histogram, reference: &Reference) {
    assert_eq!((own.len(), own.is_empty()), (reference.len(), reference.is_empty()));
    assert_eq!(own.max(), reference.max());
    assert_eq!(own.mean().to_bits(), reference.mean().to_bits());
    let (deviation, expected) = (own.deviation(), reference.stdev());
    assert!((deviation - expected).abs() <= 1e-9 * expected.max(1.0), "{deviation} {expected}");
    for i in 0..=200 {
        let q = f64::from(i) / 200.0;
        let theirs = if reference.is_empty() { 0 } else { reference.value_at_quantile(q) };
        assert_eq!(own.value_at_quantile(q), theirs, "{q}");
    }
    for q in [0.001, 0.99, 0.999, 1.5] {
        let theirs = if reference.is_empty() { 0 } else { reference.value_at_quantile(q) };
        assert_eq!(own.value_at_quantile(q), theirs, "{q}");
    }
}

/// Times at which a bin, an octave or the range ends, and their neighbours.
#[test]
fn every_edge_is_where_it_is_in_the_library() {
    for (highest, digits) in [(HIGHEST, 3), (HIGHEST, 2), (1000 * SECOND, 3), (1 << 37, 2)] {
        let edges = (0..64).flat_map(|bits| {
            let at = 1u64 << bits;
            [at - 1, at, at + 1, at + at / 2, at.saturating_add(at / 1024 * 3)]
        });
        for ns in edges.chain([0, highest - 1, highest, highest + 1, u64::MAX]) {
            let (mut own, mut theirs) = (Histogram::new(highest, digits.into()), reference(highest, digits));
            own.record(ns);
            theirs.saturating_record(ns);
            assert_same(&own, &theirs);
        }
    }
}

/// A counter has 16 bits: 200,000 equal times, and sums of such, are counted in full.
#[test]
fn counters_carry() {
    let (mut own, mut theirs) = (Histogram::new(HIGHEST, 3), reference(HIGHEST, 3));
    let times = [(0, 65_535), (700, 65_536), (3 * MS, 200_000), (50 * MS, 131_072), (60 * MS, 10)];
    for (ns, count) in times {
        (0..count).for_each(|_| own.record(ns));
        theirs.saturating_record_n(ns, count);
    }
    assert_same(&own, &theirs);
    let copy = own.clone();
    own.add(&copy);
    theirs.add(theirs.clone()).expect("equal bounds");
    assert_same(&own, &theirs);
}

#[test]
fn cleared_it_is_empty_and_can_be_used_again() {
    let mut own = Histogram::new(HIGHEST, 2);
    (0..100_000).for_each(|_| own.record(5 * MS));
    let bytes = own.bytes();
    own.clear();
    assert_same(&own, &reference(HIGHEST, 2));
    let mut theirs = reference(HIGHEST, 2);
    for ns in [7 * MS, 5 * MS] {
        own.record(ns);
        theirs.saturating_record(ns);
    }
    assert_same(&own, &theirs);
    assert_eq!(own.bytes(), bytes);
}

/// A busy queue, a delay of every microsecond up to 30 ms, takes 15 kB from its first time on, where the library takes
/// 156; an idle one 0.1, and a flow known to 2 digits 6.
#[test]
fn it_is_small() {
    let mut own = Histogram::new(HIGHEST, 3);
    assert!(own.bytes() <= 112, "{}", own.bytes());
    own.record(0);
    let first = own.bytes();
    (0..30_000).for_each(|i| own.record(i * 1000));
    assert_eq!(own.bytes(), first);
    assert!(first < 15_500, "{first}");
    let mut flow = Histogram::new(HIGHEST, 2);
    flow.record(MS);
    assert!(flow.bytes() < 6_000, "{}", flow.bytes());
}

proptest! {
    #[test]
    fn tells_what_the_library_tells(
        a in prop::collection::vec((0u32..45, any::<u64>()), 0..300),
        b in prop::collection::vec(0u64..20_000_000, 0..300),
        digits in 2u8..=3,
    ) {
        let a = a.iter().map(|&(bits, ns)| ns % (1 << bits));
        let (mut own, mut theirs) = (Histogram::new(HIGHEST, digits.into()), reference(HIGHEST, digits));
        for ns in a {
            own.record(ns);
            theirs.saturating_record(ns);
        }
        assert_same(&own, &theirs);
        let (mut second, mut their_second) = (Histogram::new(HIGHEST, digits.into()), reference(HIGHEST, digits));
        for ns in b {
            second.record(ns);
            their_second.saturating_record(ns);
        }
        own.add(&second);
        theirs.add(their_second).expect("equal bounds");
        assert_same(&own, &theirs);
    }
}
