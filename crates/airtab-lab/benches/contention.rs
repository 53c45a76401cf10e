// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How fast the automaton of contention is: a million successes of fifteen stations, with the project's random streams.
//! `cargo bench -p airtab-lab --bench contention`.

use std::hint::black_box;

use airtab_model::contention::automaton::{self, Rules};
use airtab_model::contention::methods;
use airtab_sim::Stream;
use criterion::{Criterion, criterion_group, criterion_main};

const STATIONS: usize = 15;
const SUCCESSES: u64 = 1_000_000;

fn run(rules: &Rules) -> u64 {
    let stream = |i: usize| {
        let mut stream = Stream::new(1, &format!("contender {i}"));
        move || stream.unit()
    };
    let mut streams: Vec<_> = (1..=STATIONS).map(stream).collect();
    let tally = automaton::run(rules, &mut streams, &mut stream(0), SUCCESSES, |winner| {
        black_box(winner);
    });
    tally.expect("the rules are right").collisions
}

fn methods(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a million successes, 15 stations");
    group.sample_size(10);
    for (name, rules) in [
        ("dcf", methods::dcf(methods::CW_MIN, methods::CW_MAX)),
        ("idle-sense", methods::idle_sense(184.0)),
        ("hash1", methods::hash1(190.0)),
    ] {
        group.bench_function(name, |bencher| bencher.iter(|| run(black_box(&rules))));
    }
    group.finish();
}

criterion_group!(benches, methods);
criterion_main!(benches);
