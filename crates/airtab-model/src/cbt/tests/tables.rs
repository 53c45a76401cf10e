// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Thresholds, shares and waits as the source prints them.

use super::super::share::{Busy, Held};
use super::super::study::{FRAMES, LINK, MIXES};
use super::super::threshold::{Allocation, Class};
use super::super::{KB, KIB, borrow, wait, wire};
use super::{allocation, digits, mix, near};

/// Largest deviation of a printed threshold, packets: the source rounded its packet sizes.
const PRINTED: f64 = 0.05;

fn threshold(kib: f64, latency_s: f64, packet: f64) -> f64 {
    Allocation::of_kib(&[Class { rate: kib, packet }], latency_s).unwrap().threshold(0)
}

#[test]
fn thresholds_by_equation_b_5() {
    for (kib, packet, printed) in [
        (185.0, 889.0, 21.3),
        (575.0, 1507.0, 39.07),
        (150.0, 807.0, 19.04),
        (500.0, 1075.0, 47.63),
        (150.0, 1075.0, 14.28),
        (150.0, 1075.0, 14.29),
        (195.0, 889.0, 22.45),
        (205.0, 807.0, 26.06),
        (160.0, 738.0, 22.19),
        (190.0, 757.0, 25.69),
        (880.0, 1053.0, 85.58),
        (870.0, 1507.0, 59.11),
        (915.0, 1061.0, 88.35),
        (885.0, 1468.0, 61.74),
    ] {
        near(threshold(kib, 0.1, packet), printed, PRINTED);
        near(threshold(kib, 0.03, packet), 0.3 * printed, 0.3 * PRINTED);
    }
    assert_eq!(digits(threshold(185.0, 0.1, 889.0), 3), "21.309");
    assert_eq!(digits(threshold(150.0, 0.1, 1075.0), 3), "14.288");
    assert_eq!(digits(threshold(915.0, 0.1, 1061.0), 2), "88.31");
}

/// Table 5.3, L = 30 ms: TCP, multimedia, other.
#[test]
fn thresholds_of_table_5_3() {
    for (name, printed) in [
        ("http-mpeg", [25.67, 6.74, 4.28]),
        ("bulk-mpeg", [17.73, 7.81, 4.29]),
        ("http-proshare", [26.50, 6.66, 4.29]),
        ("bulk-proshare", [18.52, 7.71, 4.29]),
    ] {
        let allocation = allocation(mix(name), 0.03);
        (0..3).for_each(|i| near(allocation.threshold(i), printed[i], PRINTED));
    }
}

/// Tables 4.3, and B.16, B.18, B.20 and B.22 with all that was tried: B_mm, B_tcp, Th_mm, Th_tcp.
#[test]
fn thresholds_of_all_allocations_tried() {
    let mut rows = 0;
    for (name, tried) in TRIED {
        let [tcp, mm, other] = mix(name).classes.map(|class| class.packet);
        for &[b_mm, b_tcp, th_mm, th_tcp] in tried {
            assert_eq!(b_mm + b_tcp + 150.0, 1225.0);
            near(threshold(b_mm, 0.1, mm), th_mm, PRINTED);
            near(threshold(b_tcp, 0.1, tcp), th_tcp, PRINTED);
            near(threshold(150.0, 0.1, other), 14.285, PRINTED);
            rows += 1;
        }
    }
    assert_eq!(rows, 39);
}

const TRIED: [(&str, &[[f64; 4]]); 4] = [
    (
        "http-mpeg",
        &[
            [220.0, 855.0, 25.33, 83.15],
            [200.0, 875.0, 23.03, 85.09],
            [195.0, 880.0, 22.45, 85.58],
            [190.0, 885.0, 21.87, 86.07],
            [185.0, 890.0, 21.30, 86.55],
            [180.0, 895.0, 20.72, 87.04],
            [160.0, 915.0, 18.42, 88.98],
            [140.0, 935.0, 16.12, 90.93],
        ],
    ),
    (
        "bulk-mpeg",
        &[
            [220.0, 855.0, 27.93, 58.09],
            [210.0, 865.0, 26.66, 58.77],
            [205.0, 870.0, 26.06, 59.11],
            [200.0, 875.0, 25.39, 59.45],
            [195.0, 880.0, 24.76, 59.79],
            [190.0, 885.0, 24.12, 60.13],
            [185.0, 890.0, 23.49, 60.47],
            [180.0, 895.0, 22.85, 60.81],
            [160.0, 915.0, 20.31, 62.17],
            [140.0, 935.0, 17.77, 63.52],
        ],
    ),
    (
        "http-proshare",
        &[
            [190.0, 885.0, 26.35, 85.45],
            [170.0, 905.0, 23.58, 87.38],
            [165.0, 910.0, 22.88, 87.87],
            [160.0, 915.0, 22.19, 88.35],
            [155.0, 920.0, 21.50, 88.83],
            [150.0, 925.0, 20.80, 89.32],
            [130.0, 945.0, 18.03, 91.25],
            [110.0, 965.0, 15.26, 93.18],
        ],
    ),
    (
        "bulk-proshare",
        &[
            [200.0, 875.0, 27.04, 61.04],
            [195.0, 880.0, 26.36, 61.39],
            [190.0, 885.0, 25.69, 61.74],
            [185.0, 890.0, 25.01, 62.09],
            [180.0, 895.0, 24.33, 62.44],
            [175.0, 900.0, 23.66, 62.79],
            [170.0, 905.0, 22.98, 63.14],
            [165.0, 910.0, 22.31, 63.49],
            [160.0, 915.0, 21.63, 63.83],
            [155.0, 920.0, 20.95, 64.18],
            [150.0, 925.0, 20.28, 64.53],
            [130.0, 945.0, 17.57, 65.93],
            [110.0, 965.0, 14.87, 67.32],
        ],
    ),
];

/// Every step of the derivation gives the same threshold, and it leads back to the rates and the latency.
#[test]
fn the_derivation_holds() {
    for mix in &MIXES {
        let allocation = allocation(mix, 0.1);
        let same = |value: f64, want: f64| near(value / want, 1.0, 1e-12);
        same(allocation.capacity(), 1225.0 * KIB);
        let held = (0..3)
            .map(|i| Held { threshold: allocation.threshold(i), packet: allocation.classes()[i].packet });
        let busy = Busy::new(&held.collect::<Vec<_>>(), 1225.0 * KIB).unwrap();
        same(busy.latency_s(), 0.1);
        same((0..3).map(|i| busy.share(i)).sum(), 1.0);
        for j in 0..3 {
            let threshold = allocation.threshold(j);
            same(allocation.threshold_by_latency(j), threshold);
            same(allocation.threshold_by_capacity(j), threshold);
            same(allocation.latency_by(j, threshold), 0.1);
            same(busy.rate(j), mix.classes[j].kb * KIB);
            same(wait::by_class(&busy, j), 0.1);
            same(allocation.drain_rate(j) * 0.1, threshold);
            for i in 0..3 {
                same(allocation.ratio(i, j), allocation.threshold(i) / threshold);
                same(allocation.threshold_by(i, j, threshold), allocation.threshold(i));
            }
        }
    }
}

fn held(classes: &[(f64, f64)]) -> Vec<Held> {
    classes.iter().map(|&(threshold, packet)| Held { threshold, packet }).collect()
}

#[test]
fn thresholds_give_rates_and_latency() {
    let classes = held(&[(14.288, 1075.0), (26.012, 807.0), (59.116, 1507.0)]);
    let busy = Busy::new(&classes, 1225.0 * KIB).unwrap();
    near(busy.latency_s(), 0.1, 1e-5);
    for (i, kib) in [150.0, 205.0, 870.0].into_iter().enumerate() {
        near(busy.rate(i) / KIB, kib, 0.01);
    }
    // Queued bytes 1000, 2000, 7000.
    let busy = Busy::new(&held(&[(10.0, 100.0), (20.0, 100.0), (7.0, 1000.0)]), 1.0).unwrap();
    assert_eq!(
        [0, 1, 2].map(|i| digits(busy.share(i), 12)),
        ["0.100000000000", "0.200000000000", "0.700000000000"]
    );
    let two = Busy::new(&held(&[(10.0, 100.0), (20.0, 100.0)]), 1.0).unwrap();
    assert_eq!([0, 1].map(|i| digits(two.share(i), 4)), ["0.3333", "0.6667"]);
}

/// Thresholds in packets give long packets more (IV.4, V.2.1.2).
#[test]
fn packets_of_another_size() {
    let busy = Busy::new(&held(&[(20.0, 1439.0), (20.0, 700.0)]), FRAMES).unwrap();
    assert_eq!(digits(busy.rate(0) / busy.rate(1), 3), "2.056");
    let busy = Busy::new(&held(&[(10.0, 1000.0), (10.0, 500.0), (10.0, 500.0)]), FRAMES).unwrap();
    assert_eq!([0, 1, 2].map(|i| busy.share(i)), [0.5, 0.25, 0.25]);
    assert_eq!([0, 1].map(|i| busy.held()[i].bytes()), [10_000.0, 5_000.0]);
}

#[test]
fn frames_of_a_mix_fill_the_link() {
    for (name, kb) in [
        ("ramp", "1225.2"),
        ("http-mpeg", "1221.4"),
        ("bulk-mpeg", "1226.7"),
        ("http-proshare", "1220.8"),
        ("bulk-proshare", "1226.1"),
    ] {
        let classes = mix(name).classes;
        let shares = classes.map(|class| class.kb / 1225.0);
        let frames = wire::frame_capacity(&shares, &classes.map(|class| class.packet), LINK, wire::ETHERNET);
        assert_eq!(digits(frames.unwrap() / KB, 1), kb, "{name}");
    }
}

/// Busy classes of a mix on the wire.
fn on_the_wire(name: &str, latency_s: f64) -> f64 {
    let allocation = allocation(mix(name), latency_s);
    let held: Vec<Held> = (0..3)
        .map(|i| Held { threshold: allocation.threshold(i), packet: allocation.classes()[i].packet })
        .collect();
    wire::busy(&held, LINK, wire::ETHERNET).unwrap().latency_s()
}

/// Table 4.5: L, what busy classes wait on the wire, and what was measured with 2 to 5 ms of path behind it.
#[test]
fn waits_of_table_4_5() {
    for (l, wire_ms, printed) in [
        (0.020, "20.45", 23.0),
        (0.040, "40.90", 44.0),
        (0.060, "61.36", 64.0),
        (0.080, "81.81", 85.0),
        (0.100, "102.26", 103.0),
    ] {
        let ms = 1e3 * on_the_wire("bulk-mpeg", l);
        assert_eq!(digits(ms, 2), wire_ms);
        near(ms + 2.5, printed, 2.0);
    }
    assert_eq!(digits(1e3 * on_the_wire("bulk-mpeg", 0.03), 2), "30.68");
    assert_eq!(digits(1e3 * on_the_wire("ramp", 0.1), 2), "102.38");
    // KB of 1024 bytes in the thresholds, of 1000 in the capacity.
    near(1e3 * on_the_wire("ramp", 0.1), 102.4, 0.05);
}

/// Table 4.8: what TCP and multimedia get beside x KB/s of the rest.
#[test]
fn rates_of_table_4_8() {
    let rates = [575.0, 150.0, 500.0];
    for (x, tcp, mm) in [
        (0.0, 971.6, 253.4),
        (100.0, 892.2, 232.8),
        (200.0, 812.9, 212.1),
        (300.0, 733.6, 191.4),
        (400.0, 654.3, 170.7),
    ] {
        let got = borrow::predict(&rates, &[1600.0, 340.0, x]).unwrap();
        near(got[0], tcp, 0.1);
        near(got[1], mm, 0.1);
        assert_eq!(got[2], x);
        near(got[1] / (got[0] + got[1]), 150.0 / 725.0, 1e-12);
    }
    for x in [500.0, 800.0, f64::INFINITY] {
        assert_eq!(borrow::predict(&rates, &[1600.0, 340.0, x]).unwrap(), rates);
    }
    assert_eq!(borrow::predict(&rates, &[1600.0, 0.0, 0.0]).unwrap(), [1225.0, 0.0, 0.0]);
}

/// Table 4.9, and the wait of TCP alone, which it leaves out: L' with one KB for both, and with both of the source's.
#[test]
fn waits_of_table_4_9() {
    let rates = [575.0, 150.0, 500.0];
    let thresholds = allocation(mix("ramp"), 0.1);
    let queue = |unit: f64| {
        let one = |i: usize| Held {
            threshold: thresholds.threshold(i) * unit / KIB,
            packet: thresholds.classes()[i].packet,
        };
        Busy::new(&[0, 1, 2].map(one), FRAMES).unwrap()
    };
    for (loads, plain, printed) in [
        ([1600.0, 340.0, 0.0], "59.2", "60.6"),
        ([1600.0, 340.0, 200.0], "70.7", "72.4"),
        ([1600.0, 340.0, 500.0], "100.0", "102.4"),
        ([1600.0, 0.0, 0.0], "46.9", "48.1"),
        ([500.0, 100.0, 100.0], "0.0", "0.0"),
    ] {
        let got = borrow::predict(&rates, &loads).unwrap().iter().map(|kb| kb * KB).collect::<Vec<_>>();
        let loads = loads.map(|kb| kb * KB);
        assert_eq!(digits(1e3 * wait::by_rates(&queue(KB), &got, &loads).unwrap(), 1), plain);
        assert_eq!(digits(1e3 * wait::by_rates(&queue(KIB), &got, &loads).unwrap(), 1), printed);
    }
}

/// Averages below the thresholds shorten the wait by what is missing.
#[test]
fn waits_by_averages() {
    let queue = Busy::new(&held(&[(20.0, 1000.0), (10.0, 500.0)]), 250_000.0).unwrap();
    assert_eq!(digits(queue.latency_s(), 9), "0.100000000");
    let averages = [20.0, 4.0];
    assert!(wait::within(&averages, &queue) && !wait::within(&[20.1, 4.0], &queue));
    assert_eq!([wait::deficit(&queue, 0, 20.0), wait::deficit(&queue, 1, 4.0)], [0.0, 6.0]);
    assert_eq!(digits(wait::deficit_s(&queue, 1, 4.0), 9), "0.012000000");
    assert_eq!(digits(wait::by_averages(&queue, &averages).unwrap(), 9), "0.088000000");
    assert!(wait::is_short(50.0, 40.0) && !wait::is_short(50.0, 50.0) && !wait::is_short(50.0, 60.0));
}
