// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Fixed sizes, sizes by service time, pacing, rate control, fairness (Showail 2016, 2.2, 2.3, 5.4).

use super::super::{adaptive, bdp, fairness, minstrel, pacing};
use super::{all, digits};

#[test]
fn fixed_sizes() {
    assert_eq!(bdp::product(54.0, 200_000.0, 1500.0).unwrap(), 900.0);
    let flows = |n| bdp::many_flows(54.0, 200_000.0, 1500.0, n).unwrap();
    assert_eq!((flows(1.0), flows(100.0)), (900.0, 90.0));
    // 10 to 20 packets for 85 to 90 %, as the text has it, at half the load.
    for (utilisation, window) in [(0.85, 32.0), (0.90, 32.0), (0.85, 64.0), (0.90, 64.0), (0.90, 256.0)] {
        let packets = bdp::tiny(window, utilisation, 0.5).unwrap();
        assert!((10.0..=20.0).contains(&packets), "{packets}");
    }
    // log(4096 / 0.2) to the base 2.
    assert_eq!(digits(bdp::tiny(64.0, 0.9, 0.5).unwrap(), 3), "14.322");
    let [once, squared] = [1e3, 1e6].map(|window| bdp::tiny(window, 0.9, 0.5).unwrap());
    assert!(squared < 2.0 * once, "the logarithm of the window");
}

#[test]
fn sizes_by_service_time() {
    use adaptive::*;
    assert_eq!(ebdp(2_000.0, MOST_WAIT_US, BURST, MOST).unwrap(), 105.0);
    assert_eq!(ebdp(500.0, MOST_WAIT_US, BURST, MOST).unwrap(), 400.0);
    assert_eq!(digits(alt(100.0, 300_000.0, 700_000.0, GROW_PER_S, SHRINK_PER_S).unwrap(), 6), "102.300000");
    assert_eq!(alt(0.5, 0.0, 1e6, GROW_PER_S, SHRINK_PER_S).unwrap(), 0.0);
    assert_eq!(a_star(105.0, 102.3).unwrap(), 102);
    assert_eq!(a_star(105.0, 0.0).unwrap(), 1, "one packet, always");
}

#[test]
fn paced() {
    assert_eq!(pacing::paced_per_s(20.0, 40_000.0).unwrap(), 500.0);
    let path = pacing::Path { hops: 4.0, rate_mbps: 11.0, data_bytes: 1500.0, ack_bytes: 40.0 };
    let per_s = path.segments_per_s(22_000.0, 0.1).unwrap();
    assert_eq!(digits(path.hop_delay_us(22_000.0).unwrap() / 1e3, 3), "2.190");
    assert_eq!(digits(path.four_hops_us(22_000.0).unwrap() / 1e3, 3), "13.124");
    assert_eq!((digits(per_s, 2), digits(per_s * 1460.0 * 8.0 / 1e3, 0)), ("63.50".into(), "742".into()));
    assert_eq!(path.hop_delay_us(1.0).unwrap(), 0.0, "never less than sending");
    assert_eq!(pacing::variation(&[22.0; 50]).unwrap(), 0.0);
    assert_eq!(digits(pacing::variation(&[9.0, 11.0]).unwrap(), 6), "0.100000");
}

#[test]
fn rates_of_minstrel() {
    assert_eq!(minstrel::throughput_mbps(1500.0, 200.0, 0.9).unwrap(), 54.0);
    assert_eq!(minstrel::delivered(9, 10).unwrap(), 0.9);
}

#[test]
fn fairness_of_two_opposite_flows() {
    let index = |x: &[f64]| fairness::jain(x).unwrap();
    let found = [index(&[16.98, 0.10]), index(&[9.85, 0.77]), index(&[18.53, 18.45])];
    assert_eq!(all(&found, 4), ["0.5059", "0.5777", "1.0000"]);
    assert_eq!(index(&[1.0, 0.0, 0.0, 0.0]), 0.25);
}

/// Little's law of tables 5.2 and 5.3: goodput, Mb/s, and round trip, ms, of 1, 2 and 3 hops.
#[test]
fn packets_in_flight() {
    let of = |rows: &[(f64, f64)]| -> Vec<String> {
        rows.iter()
            .map(|(mbps, ms)| digits(fairness::in_flight(*mbps, ms * 1e3, 1500.0).unwrap(), 0))
            .collect()
    };
    assert_eq!(of(&[(155.7, 61.51), (66.67, 169.44), (41.17, 224.387)]), ["798", "941", "770"]);
    assert_eq!(of(&[(145.735, 75.7), (59.226, 185.027), (38.203, 261.256)]), ["919", "913", "832"]);
    assert_eq!(of(&[(134.47, 22.19), (63.89, 57.1), (41.876, 90.428)]), ["249", "304", "316"]);
    assert_eq!(of(&[(135.78, 12.98), (62.64, 30.84), (39.176, 49.471)]), ["147", "161", "162"]);
    assert_eq!(of(&[(58.05, 18.33), (27.8, 40.89), (15.66, 74.44)]), ["89", "95", "97"]);
}
