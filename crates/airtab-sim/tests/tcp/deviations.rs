// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Where the endpoints differ from the standards, and know it: each would move figures and is to be mended together
//! with the cell and the rest of TCP, so that figures move once. `docs/tcp.md` says by how much each does. These tests
//! hold what is so today; whoever mends it turns them round.

use crate::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{Algorithm, Config};

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;

/// RFC 5681 3.1, equation 4: after a timeout the threshold is half of FlightSize, all that is not acknowledged. In a
/// recovery the window has been halved already, and what counts here is the flight within it: a quarter remains. The
/// window of data is the one that the recovery has reduced for, so its threshold is to stay: never more than equation 4
/// allows, for what is outstanding does not shrink while its first segment is missing.
#[test]
fn a_timeout_in_a_recovery_halves_again() {
    let mut pair = Pair::new(Config::home().with_congestion(Algorithm::NewReno), RTT);
    let mut copies = 0;
    pair.script_down(move |segment, _| {
        let lost = segment.payload > 0 && segment.seq == 1 + 50 * MSS && copies < 2;
        copies += u32::from(lost);
        if lost { Fate::Drop } else { Fate::Pass }
    });
    pair.download(u64::MAX);
    pair.run_until(SECOND, |p| p.server.stats().recoveries == 1);
    let threshold = pair.server.ssthresh();
    assert!(threshold > 20 * MSS);
    pair.run_until(2 * SECOND, |p| p.server.stats().timeouts == 1);
    assert_eq!(pair.server.ssthresh(), threshold / 2);
    let sent = pair.down.data().map(|(_, s)| s.seq + u64::from(s.payload)).max().expect("it has sent");
    let flight_size = sent - 1 - pair.server.acked();
    assert!(flight_size / 2 >= threshold, "equation 4 allows {flight_size} / 2");
}

/// RFC 2018 3: n blocks take 8 n + 2 bytes, and 40 are there. Without timestamps four fit; three are told here, as with
/// them.
#[test]
fn three_blocks_are_told_where_four_fit() {
    let mut pair = Pair::new(Config { initial_window: 20, ..Config::home() }, RTT);
    pair.lose_data(&[1, 3, 5, 7, 9], MSS);
    pair.download(11 * MSS);
    pair.run_to(2 * RTT + RTT / 2); // all of the first window has arrived, and its acknowledgements
    let most = pair.up.log.iter().map(|(_, s)| s.sack_len).max();
    assert_eq!(most, Some(3));
    let full = pair.up.log.iter().find(|(_, s)| s.sack_len == 3).expect("that is one").1;
    assert_eq!(full.option_bytes(), 28, "40 are there: another block is 8");
}
