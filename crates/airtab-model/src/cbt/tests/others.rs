// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The other disciplines, TCP, and video.

use super::super::red::{self, Band};
use super::super::study::{FRAMES, LINK};
use super::super::{KB, burst, cbq, fifo, frames, fred, rate};
use super::{digits, near};

#[test]
fn waits_behind_a_full_queue() {
    near(fifo::latency_s(1500.0, 1.0, LINK).unwrap(), 1.2e-3, 1e-15);
    near(fifo::latency_s(1500.0, 240.0, LINK).unwrap(), 0.288, 1e-12);
    assert_eq!(digits(1e3 * fifo::latency_s(1524.0, 240.0, LINK).unwrap(), 0), "293");
    near(red::latency_s(1000.0, 120.0, LINK).unwrap(), 0.096, 1e-12);
    assert_eq!(digits(1e3 * red::latency_s(1400.0, 60.0, LINK).unwrap(), 1), "67.2");
    // Ten packets of 1500 bytes at once: the last waits for nine, the mean for half of that.
    near(burst::mean_wait_s(10, 1500.0, LINK).unwrap(), 5.4e-3, 1e-12);
    assert_eq!(burst::mean_wait_s(0, 1500.0, LINK).unwrap(), 0.0);
    near(burst::intensity(1250.0, 1000.0, LINK).unwrap(), 1.0, 1e-12);
}

/// Early drops of the study's RED: average, count, p_a.
#[test]
fn early_drops() {
    let band = Band::new(5.0, 40.0, 0.1).unwrap();
    for (average, count, p) in [
        (22.5, 0, 0.05),
        (22.5, 10, 0.1),
        (22.5, 18, 0.5),
        (22.5, 19, 1.0),
        (22.5, 20, 1.0),
        (22.5, 1000, 1.0),
        (40.0, 0, 0.1),
        (40.0, 8, 0.5),
        (40.0, 9, 1.0),
        (5.35, 0, 0.001),
        (5.35, 500, 0.002),
        (12.0, 3, 0.021_276_6),
        (15.5, 32, 0.75),
        (15.5, 33, 1.0),
        (5.0, 100, 0.0),
        (40.001, 0, 1.0),
    ] {
        near(band.early(average, count).unwrap(), p, 1e-7);
    }
    assert_eq!([5.0, 22.5, 40.0].map(|a| band.certain(a).unwrap()), [None, Some(19), Some(9)]);
    assert_eq!(band.certain(41.0).unwrap(), Some(0), "every packet");
}

#[test]
fn flows_under_fred() {
    near(fred::share(5.0, 60.0).unwrap(), 1.0 / 12.0, 1e-15);
    assert_eq!(fred::flows_that_fill(240.0).unwrap(), 120.0);
}

/// Whole percents of 1225 KB/s (section B.7).
#[test]
fn shares_of_cbq() {
    let percents = [11, 12, 13, 14, 15, 16, 17, 71, 72, 73, 74, 75, 76, 77];
    let printed = [135, 147, 159, 172, 184, 196, 208, 870, 882, 894, 907, 919, 931, 943];
    for (percent, printed) in percents.into_iter().zip(printed) {
        near(cbq::rate(percent, FRAMES).unwrap() / KB, f64::from(printed), 0.5);
    }
    assert_eq!(cbq::latency_s(100.0, 150.0, 1500.0, cbq::LIMIT).unwrap(), 0.0);
    assert_eq!(cbq::latency_s(150.0, 150.0, 1500.0, cbq::LIMIT).unwrap(), 0.0, "all that it sends");
    near(cbq::latency_s(200e3, 150e3, 750.0, cbq::LIMIT).unwrap(), 0.3, 1e-12);
}

#[test]
fn tcp_by_losses_and_windows() {
    // A segment for each round trip and 1 % of losses: ten segments, by both constants.
    near(rate::friendly(1460.0, 0.1, 0.01).unwrap(), 12.2 * 14_600.0, 1e-6);
    near(rate::at_most(1.0, 1.0, 1.0).unwrap(), 1.224_744_871_391_589, 1e-12);
    assert_eq!(digits(rate::by_window(rate::WINDOW, 0.126).unwrap() * 8.0 / 1e6, 2), "1.04");
    assert_eq!(digits(rate::flows_that_fill(LINK, rate::WINDOW, 0.22).unwrap(), 1), "16.8");
    assert_eq!(digits(rate::browsers(rate::BROWSERS) * 8.0 / 1e3, 0), "8810");
    assert_eq!([digits(rate::browsers(3000.0) / 1e6, 1), digits(rate::browsers(18.0), 0)], ["1.1", "0"]);
}

/// Table A.7: 4.00, 0.833 and 0.333 frames; 43 % of 12 packets, 86 % of 6 frames.
#[test]
fn frames_that_one_loss_spoils() {
    assert_eq!(digits(frames::WHOLE.spoilt(), 3), "5.167");
    assert_eq!((frames::WHOLE.packets(), frames::WHOLE.frames()), (12.0, 6.0));
    assert_eq!(digits(frames::WHOLE.spoilt() / frames::WHOLE.packets(), 2), "0.43");
    assert_eq!(digits(frames::WHOLE.spoilt() / frames::WHOLE.frames(), 2), "0.86");
    assert_eq!(digits(frames::STUDY.packets_per_s(), 2), "54.75");
}

/// Losses of tables 5.5 and 5.7, packets/s of a flow, and the frames/s that are whole and playable with them.
#[test]
fn frames_by_losses() {
    for (loss, whole, playable) in [
        (19.0, "16.0", "1.2"),
        (13.7, "19.2", "3.0"),
        (9.2, "22.2", "6.5"),
        (2.6, "27.5", "19.5"),
        (33.1, "9.0", "0.1"),
        (1.1, "28.9", "25.0"),
        (0.62, "29.4", "27.1"),
        (10.2, "21.5", "5.5"),
        (8.2, "22.9", "7.7"),
    ] {
        let loss = loss / frames::STUDY.packets_per_s();
        assert_eq!(digits(frames::STUDY.whole(loss).unwrap(), 1), whole);
        assert_eq!(digits(frames::STUDY.playable(loss).unwrap(), 1), playable);
    }
    assert_eq!(
        [0.0, 1.0].map(|loss| digits(frames::STUDY.playable(loss).unwrap(), 9)),
        ["30.000000000", "0.000000000"]
    );
}
