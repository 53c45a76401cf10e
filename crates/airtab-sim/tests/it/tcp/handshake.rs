// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The three-way handshake and its losses.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{ACK, Config, SYN};

const RTT: u64 = 10 * MS;

fn pair() -> Pair {
    Pair::new(Config::home(), RTT)
}

fn times(log: &[(u64, airtab_sim::tcp::Segment)], flags: u8) -> Vec<u64> {
    log.iter().filter(|(_, s)| s.flags == flags).map(|&(t, _)| t).collect()
}

#[test]
fn takes_one_and_a_half_round_trips() {
    let mut pair = pair();
    pair.open();
    pair.run_until(SECOND, |p| p.client.established());
    assert_eq!(pair.now, RTT);
    pair.run_until(SECOND, |p| p.server.established());
    assert_eq!(pair.now, RTT + RTT / 2);
    assert_eq!((pair.client.srtt(), pair.server.srtt()), (Some(RTT), Some(RTT)));
    assert!(!pair.step(), "an idle connection has no timers");
    let flags: Vec<u8> = pair.up.log.iter().chain(&pair.down.log).map(|(_, s)| s.flags).collect();
    assert_eq!(flags, [SYN, ACK, SYN | ACK]);
}

#[test]
fn the_request_carries_the_last_acknowledgement() {
    let mut pair = pair();
    pair.client.write(350);
    pair.open();
    pair.run_until(SECOND, |p| p.server.delivered() == 350);
    assert_eq!(pair.now, RTT + RTT / 2);
    assert_eq!(pair.up.log.len(), 2);
}

#[test]
fn a_lost_syn_is_repeated_with_backoff() {
    let mut pair = pair();
    pair.up.fate = Box::new(|_, n| if n < 3 { Fate::Drop } else { Fate::Pass });
    pair.open();
    pair.run_until(20 * SECOND, |p| p.server.established());
    assert_eq!(times(&pair.up.log, SYN), [0, SECOND, 3 * SECOND, 7 * SECOND]);
    assert_eq!(pair.client.syn_transmissions(), 4);
    // RFC 5681 3.1 and RFC 6298 5.7, at the end that lost its SYN only.
    assert_eq!((pair.client.cwnd(), pair.client.rto()), (1460, 3 * SECOND));
    assert_eq!((pair.server.cwnd(), pair.server.rto()), (3 * 1460, RTT + 200 * MS));
    assert_eq!(pair.client.srtt(), None);
}

#[test]
fn a_lost_syn_ack_is_repeated() {
    let mut pair = pair();
    pair.script_down(|_, n| if n == 0 { Fate::Drop } else { Fate::Pass });
    pair.open();
    pair.run_until(5 * SECOND, |p| p.server.established());
    // The client's second SYN leaves at 1 s; the server's timer, 5 ms later, coincides with its arrival.
    assert_eq!(times(&pair.up.log, SYN), [0, SECOND]);
    assert_eq!(times(&pair.down.log, SYN | ACK)[..2], [RTT / 2, SECOND + RTT / 2]);
    assert_eq!(pair.server.cwnd(), 1460);
}

#[test]
fn a_lost_last_acknowledgement_is_repeated() {
    let mut pair = pair();
    pair.up.fate = Box::new(|_, n| if n == 1 { Fate::Drop } else { Fate::Pass });
    pair.download(10_000); // the server cannot send before it is established
    pair.run_until(5 * SECOND, |p| p.client.delivered() == 10_000);
    assert_eq!(times(&pair.down.log, SYN | ACK), [RTT / 2, SECOND + RTT / 2]);
    assert_eq!(pair.client.syn_transmissions(), 1);
}

#[test]
fn data_stands_in_for_a_lost_last_acknowledgement() {
    let mut pair = pair();
    pair.up.fate = Box::new(|_, n| if n == 1 { Fate::Drop } else { Fate::Pass });
    pair.open();
    pair.run_until(SECOND, |p| p.client.established());
    pair.client.write(350);
    pair.flush();
    pair.run_until(SECOND, |p| p.server.delivered() == 350);
    assert!(pair.server.established());
    assert_eq!(pair.now, RTT + RTT / 2);
    assert_eq!(pair.server.syn_transmissions(), 1);
}

/// A SYN once more means that the answer was lost: it is answered at once, not when the server's timer says so.
#[test]
fn a_second_syn_is_answered_at_once() {
    let mut server = airtab_sim::tcp::Endpoint::server(Config::home());
    let syn = airtab_sim::tcp::Segment { flags: SYN, window: 65_535, ..Default::default() };
    for now in [0, 100 * MS, 250 * MS] {
        server.on_segment(now, &syn);
        let answer = server.poll_transmit(now).expect("an answer");
        assert_eq!((answer.flags, answer.ack), (SYN | ACK, 1));
        assert_eq!(server.poll_transmit(now), None);
    }
    assert_eq!(server.syn_transmissions(), 3);
}
