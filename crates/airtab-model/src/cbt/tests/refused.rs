// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What has no answer, and what is said then.

use super::super::plan::{Queue, Refused, Wanted, plan};
use super::super::red::Band;
use super::super::share::{Busy, Held};
use super::super::threshold::{Allocation, Class};
use super::super::{CbtError, borrow, burst, cbq, fifo, frames, fred, rate, red, wait, wire};
use super::digits;

fn said<T>(result: Result<T, CbtError>) -> String {
    result.err().expect("refused").to_string()
}

#[test]
fn classes() {
    let class = |rate, packet| Class { rate, packet };
    assert_eq!(said(Allocation::new(&[], 0.1)), "no class: give at least one");
    assert_eq!(
        said(Allocation::new(&[class(1.0, 1.0), class(0.0, 1.0)], 0.1)),
        "rate 0 of class 2: above 0, such as 125000 bytes/s"
    );
    assert_eq!(
        said(Allocation::new(&[class(1.0, 0.0)], 0.1)),
        "packet 0 of class 1: above 0, such as 1500 bytes"
    );
    assert_eq!(said(Allocation::new(&[class(1.0, 1.0)], 0.0)), "latency 0: above 0, such as 0.03 s");
    assert!(Allocation::new(&[class(f64::NAN, 1.0)], 0.1).is_err());
    assert_eq!(
        said(Busy::new(&[Held { threshold: 0.0, packet: 1.0 }], 1.0)),
        "threshold 0 of class 1: above 0, such as 20 packets"
    );
    let busy = Busy::new(&[Held { threshold: 1.0, packet: 1.0 }], 1.0).unwrap();
    assert!(said(Busy::new(busy.held(), 0.0)).starts_with("capacity 0: above 0"));
    assert!(said(wait::by_averages(&busy, &[-1.0])).starts_with("average -1 of class 1"));
    assert_eq!(said(wait::by_rates(&busy, &[1.0], &[])), "load: 0 values for 1 classes; give one for each");
    assert!(said(wire::frame_capacity(&[1.1], &[1.0], 1.0, 24.0)).starts_with("share 1.1 of class 1"));
}

#[test]
fn loads() {
    assert_eq!(said(borrow::steps(&[], &[])), "no class: give at least one");
    assert_eq!(said(borrow::steps(&[1.0, 2.0], &[1.0])), "load: 1 values for 2 classes; give one for each");
    assert_eq!(
        said(borrow::predict(&[1.0], &[-1.0])),
        "load -1 of class 1: 0 or more, infinite for a class that always has a packet"
    );
    assert!(borrow::predict(&[1.0], &[f64::NAN]).is_err() && borrow::predict(&[0.0], &[1.0]).is_err());
}

#[test]
fn disciplines_and_traffic() {
    assert_eq!(
        said(Band::new(40.0, 5.0, 0.1)),
        "thresholds from 40 to 5: the lower is 0 or more, the upper above it; give a larger th_max"
    );
    assert_eq!(said(Band::new(5.0, 40.0, 0.0)), "max_p 0: above 0 and at most 1, such as 0.1");
    assert!(Band::new(5.0, 40.0, 0.1).unwrap().early(-1.0, 0).is_err());
    assert!(fred::share(0.0, 60.0).is_err() && fred::share(60.0, 60.0).is_err());
    assert!(fred::flows_that_fill(0.0).is_err());
    assert!(said(burst::accepted(0.0, 1.0, 1)).starts_with("weight 0: above 0 and at most 1"));
    assert!(burst::average_after(1, 1.5).is_err() && burst::accepted(0.5, 0.0, 1).is_err());
    assert!(burst::mean_wait_s(1, 0.0, 1.0).is_err() && burst::intensity(1.0, 1.0, 0.0).is_err());
    assert!(said(fifo::latency_s(1500.0, 0.0, 1.0)).starts_with("limit 0: above 0"));
    assert!(red::latency_s(0.0, 1.0, 1.0).is_err() && cbq::rate(1, 0.0).is_err());
    assert!(cbq::latency_s(1.0, 0.0, 1.0, 1.0).is_err());
    assert!(said(rate::friendly(1.0, 1.0, 0.0)).starts_with("loss 0"));
    assert!(said(rate::by_window(1.0, 0.0)).starts_with("round trip 0: above 0"));
    assert!(said(frames::STUDY.whole(1.1)).starts_with("loss 1.1: 0 to 1"));
}

/// 10 Mb/s, L = 30 ms, full packets of 1538 bytes.
const QUEUE: Queue = Queue { link: 1_250_000.0, latency_s: 0.03, full_packet: 1538.0, guard: 1, limit: 240 };

fn wanted(mbps: &[f64]) -> Vec<Wanted> {
    let one = |(i, mbps): (usize, &f64)| Wanted {
        name: format!("c{i}"),
        class: Class { rate: mbps * 125_000.0, packet: 1538.0 },
        weight: 1.0 / 256.0,
    };
    mbps.iter().enumerate().map(one).collect()
}

#[test]
fn plans_that_work() {
    let allocation = plan(&QUEUE, &wanted(&[7.0, 2.0, 1.0])).unwrap();
    assert_eq!(
        [0, 1, 2].map(|i| digits(allocation.threshold_bytes(i), 6)),
        ["26250.000000", "7500.000000", "3750.000000"]
    );
    assert!(plan(&QUEUE, &wanted(&[7.0, 1.0])).is_ok(), "what is left is borrowed");
}

#[test]
fn plans_beyond_the_link() {
    let refused = plan(&QUEUE, &wanted(&[8.0, 2.0, 1.0])).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "classes sum to 11 Mb/s, the link carries 10 Mb/s: it must carry 11 Mb/s at least, or take 1 Mb/s from the classes"
    );
}

/// Two full packets in 30 ms are 820.267 kb/s.
#[test]
fn plans_below_what_a_class_may_always_hold() {
    let refused = plan(&QUEUE, &wanted(&[7.0, 0.8])).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "class c1: 800 kb/s for 30 ms are 3000 bytes, fewer than the 2 full packets (3076 bytes) that it may always hold: \
         give it at least 820.3 kb/s, or a latency of at least 30.8 ms"
    );
    let Refused::Floor { least_rate, least_latency_s, .. } = refused else { panic!("{refused}") };
    assert!(plan(&QUEUE, &wanted(&[7.0, least_rate / 125_000.0])).is_ok());
    assert!(plan(&QUEUE, &wanted(&[7.0, least_rate / 125_000.0 - 1e-6])).is_err());
    let slower = Queue { latency_s: least_latency_s, ..QUEUE };
    assert!(plan(&slower, &wanted(&[7.0, 0.8])).is_ok());
    assert!(plan(&Queue { guard: 0, ..QUEUE }, &wanted(&[7.0, 0.8])).is_ok());
}

/// TCP of HTTP-MPEG at 100 ms lets in 242 packets where 240 fit.
#[test]
fn plans_whose_bursts_fill_the_queue() {
    let tcp = Class { rate: 880.0 * 1024.0, packet: 1053.0 };
    let wanted = [Wanted { name: "tcp".into(), class: tcp, weight: 1.0 / 256.0 }];
    let queue = Queue { latency_s: 0.1, ..QUEUE };
    let refused = plan(&queue, &wanted).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "class tcp: it lets in 242 packets at once before its average reaches 85.58, and the queue holds 240: take a limit of \
         at least 242, a latency of at most 98.9 ms, or a larger weight"
    );
    let Refused::Burst { most_latency_s, .. } = refused else { panic!("{refused}") };
    assert!(plan(&Queue { latency_s: most_latency_s * 0.999_999, ..queue }, &wanted).is_ok());
    assert!(plan(&Queue { latency_s: most_latency_s * 1.000_001, ..queue }, &wanted).is_err());
    assert!(plan(&Queue { limit: 242, ..queue }, &wanted).is_ok());
    assert!(plan(&queue, &[Wanted { weight: 1.0 / 16.0, ..wanted[0].clone() }]).is_ok());
}

#[test]
fn plans_of_nothing() {
    assert_eq!(plan(&QUEUE, &[]).unwrap_err(), Refused::Value(CbtError::NoClass));
    assert!(plan(&Queue { link: 0.0, ..QUEUE }, &wanted(&[1.0])).is_err());
    assert!(plan(&Queue { full_packet: 0.0, ..QUEUE }, &wanted(&[1.0])).is_err());
    let unaveraged = [Wanted { weight: 0.0, ..wanted(&[1.0])[0].clone() }];
    assert!(plan(&QUEUE, &unaveraged).unwrap_err().to_string().starts_with("weight 0: above 0"));
}
