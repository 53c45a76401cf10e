// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is delivered behind a hole, as congestion controls hear of it.

use super::*;
use crate::tcp::Algorithm;
use airtab_core::time::MS;

/// Ten segments leave, the first is acknowledged at 100 ms and begins a round trip. The second is lost; three behind it
/// arrive by 200 ms: 3000 bytes in 100 ms. By 300 ms the hole is filled, and the acknowledgement for four segments tells
/// of one that was not known.
#[test]
fn what_is_behind_a_hole_is_delivered_once() {
    for recovery in [Recovery::Sack, Recovery::NewReno, Recovery::Reno] {
        let congestion = Algorithm::Westwood;
        let config = Config { mss: 1000, initial_window: 10, congestion, recovery, ..Config::home() };
        let mut sender = Sender::new(&config);
        sender.write(10_000);
        let mut ack = |now, ack: u64, sacked: u64| {
            let sack = [(2001, sacked), (0, 0), (0, 0), (0, 0)];
            let sack_len = u8::from(sacked > 0 && recovery == Recovery::Sack);
            sender.on_ack(now * MS, &Segment { ack, sack, sack_len, window: 100_000, ..Segment::default() });
            while sender.poll(now * MS, 1000).is_some() {}
            match &sender.congestion {
                Controller::Westwood(westwood) => westwood.rate(),
                _ => unreachable!("it was asked for"),
            }
        };
        ack(0, 1, 0); // the handshake's: ten segments leave
        let rates = [(100, 1001, 0), (150, 1001, 3001), (160, 1001, 4001), (200, 1001, 5001), (300, 5001, 0)]
            .map(|(now, cumulative, sacked)| ack(now, cumulative, sacked));
        assert_eq!(rates, [None, None, None, Some(30_000), Some(28_000)], "{recovery:?}");
    }
}
