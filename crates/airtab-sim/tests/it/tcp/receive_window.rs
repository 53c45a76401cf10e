// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the receiver offers bounds the sender: RFC 9293 3.8.6, RFC 7323 2. [`Pair`] itself stops a test in which
//! somebody sends more.

use super::pair::{MS, Pair, SECOND, avoids_losses, doubling};
use airtab_sim::tcp::{ACK, Algorithm, Config, Endpoint, SYN, Segment};

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;

/// A window a round trip, exactly, in every window down to one segment.
#[test]
fn a_download_carries_one_receive_window_a_round_trip() {
    for algorithm in Algorithm::ALL {
        for window in [1, 2, 3, 7, 64] {
            let config = Config { receive_window_segments: window, ack_every: 1, ..Config::home() };
            let mut pair = Pair::new(config.with_congestion(algorithm), RTT);
            pair.download(u64::MAX);
            pair.run_to(2 * SECOND);
            let before = pair.client.delivered();
            pair.run_to(4 * SECOND);
            let rounds = 2 * SECOND / RTT;
            let delivered = pair.client.delivered() - before;
            assert_eq!(delivered, rounds * u64::from(window) * MSS, "{algorithm}, {window} segments");
            assert_eq!(pair.server.stats().retransmits, 0);
        }
    }
}

/// The same where the window is larger than what fits into the queue on the way: losses and their repair.
#[test]
fn a_download_with_losses_stays_within_it() {
    for algorithm in Algorithm::ALL {
        let config = Config { receive_window_segments: 40, ..Config::home() };
        let mut pair = Pair::new(config.with_congestion(algorithm), RTT);
        pair.down.rate_bps = 10_000_000;
        pair.down.queue_limit = 12;
        pair.download(u64::MAX);
        pair.run_to(20 * SECOND);
        assert!(pair.server.stats().recoveries > 0 || avoids_losses(algorithm), "{algorithm}");
        // TCP-D takes a window's bursts for a falling rate.
        let least = if algorithm == Algorithm::TcpD { 5_000_000 } else { 10_000_000 };
        assert!(pair.client.delivered() > least, "{algorithm}: {} bytes", pair.client.delivered());
    }
}

/// An end of a connection with a peer of which every segment is written here. The windows are told as they count,
/// in bytes beyond `ack`.
struct Server {
    endpoint: Endpoint,
    now: u64,
}

impl Server {
    fn open(config: Config, window: u32) -> Server {
        let mut server = Server { endpoint: Endpoint::server(config), now: 0 };
        server.endpoint.on_segment(0, &Segment { flags: SYN, window: 65_535, ..Segment::default() });
        assert_eq!(server.sent(), [(0, 0)], "SYN and ACK");
        server.ack(1, window);
        server
    }

    fn ack(&mut self, ack: u64, window: u32) {
        self.now += MS;
        let segment = Segment { flags: ACK, seq: 1, ack, window, ..Segment::default() };
        self.endpoint.on_segment(self.now, &segment);
    }

    /// (first byte, length) of all that it sends now.
    fn sent(&mut self) -> Vec<(u64, u64)> {
        let mut sent = Vec::new();
        while let Some(segment) = self.endpoint.poll_transmit(self.now) {
            sent.push((segment.seq, u64::from(segment.payload)));
            assert!(sent.len() < 1000, "it sends without end");
        }
        sent
    }
}

/// Nothing while it is closed; on its opening what fits; a segment that does not fit is not cut to what does (RFC 9293
/// 3.8.6.2.1). Nobody probes a closed window: the modelled receivers never close theirs.
#[test]
fn a_closed_window_is_waited_for() {
    let mut server = Server::open(Config { initial_window: 10, ..Config::home() }, 0);
    server.endpoint.write(100 * MSS);
    assert_eq!(server.sent(), []);
    server.now += 100 * SECOND;
    server.endpoint.on_timeout(server.now);
    assert_eq!((server.sent(), server.endpoint.next_timeout()), (vec![], None), "no probes");
    server.ack(1, 2 * MSS as u32 - 1);
    assert_eq!(server.sent(), [(1, MSS)]);
    server.ack(1, 3 * MSS as u32);
    assert_eq!(server.sent(), [(1 + MSS, MSS), (1 + 2 * MSS, MSS)]);
    server.ack(1 + 3 * MSS, 0);
    assert_eq!(server.sent(), []);
    server.ack(1 + 3 * MSS, MSS as u32);
    assert_eq!(server.sent(), [(1 + 3 * MSS, MSS)]);
}

/// A window does not shrink (RFC 9293 3.8.6: it should not): what was offered may be sent.
#[test]
fn what_was_offered_may_be_sent() {
    let mut server = Server::open(Config { initial_window: 10, ..Config::home() }, 4 * MSS as u32);
    server.ack(1, MSS as u32);
    server.endpoint.write(100 * MSS);
    assert_eq!(server.sent().len(), 4);
}

/// A retransmission is inside a window that was offered before: a receiver that has none left gets it all the same.
#[test]
fn a_timeout_repeats_what_is_inside() {
    let mut server = Server::open(Config { initial_window: 10, ..Config::home() }, 2 * MSS as u32);
    server.endpoint.write(100 * MSS);
    assert_eq!(server.sent().len(), 2);
    server.now = server.endpoint.next_timeout().expect("data is under way");
    server.endpoint.on_timeout(server.now);
    assert_eq!(server.sent(), [(1, MSS)]);
}

/// An acknowledgement of what was never sent says nothing, its window included.
#[test]
fn an_acknowledgement_from_the_future_opens_nothing() {
    let mut server = Server::open(Config { initial_window: 10, ..Config::home() }, MSS as u32);
    server.endpoint.write(100 * MSS);
    assert_eq!(server.sent().len(), 1);
    server.ack(1 + 50 * MSS, 60 * MSS as u32);
    assert_eq!(server.sent(), []);
    assert_eq!(server.endpoint.acked(), 0);
}

/// RFC 7323 2.2: the window of a SYN is not scaled, so that it offers 65,535 bytes at most. What begins with more waits
/// for the first acknowledgement, which is scaled; a server has that before it sends.
#[test]
fn a_syn_offers_an_unscaled_window() {
    for (window, offered) in [(2000, 65_535), (45, 65_535), (44, 44 * MSS), (3, 3 * MSS)] {
        let config = Config { receive_window_segments: window, initial_window: 100, ..Config::home() };
        let mut pair = Pair::new(config, RTT);
        pair.client.write(u64::MAX);
        pair.download(u64::MAX);
        pair.run_to(RTT); // the client has the SYN and ACK; the server has nothing yet
        let syns = [&pair.up, &pair.down].map(|link| link.log[0].1);
        for syn in syns {
            assert_eq!((syn.flags & SYN, u64::from(syn.window)), (SYN, offered));
        }
        let whole = (offered / MSS).min(100);
        assert_eq!(pair.up.data().count() as u64, whole, "{window} segments");
        pair.run_to(RTT + RTT / 2);
        let (_, ack) = pair.up.log.iter().find(|(_, s)| s.flags == ACK).expect("the client answers");
        assert_eq!(u64::from(ack.window), u64::from(window) * MSS, "scaled");
        assert_eq!(pair.down.data().count() as u64, u64::from(window).min(100), "{window} segments");
    }
}

/// With data in flight nobody is idle, however long ago something was sent: acknowledgements that come one by one keep
/// the timer from expiring, and the last of them opens the window again.
#[test]
fn slow_acknowledgements_are_not_idle_time() {
    const OFFERED: u64 = 3 + 6 + 12 + 24;
    for congestion in doubling() {
        let mut server = Server::open(Config::home().with_congestion(congestion), (OFFERED * MSS) as u32);
        server.endpoint.write(u64::MAX);
        let mut acked = 0;
        let mut ack = |server: &mut Server, more: u64| {
            acked += 1;
            server.ack(1 + acked * MSS, ((OFFERED - acked + more) * MSS) as u32);
        };
        for segments in [3, 6, 12] {
            assert_eq!(server.sent().len(), segments);
            (0..segments).for_each(|_| ack(&mut server, 0));
        }
        assert_eq!(
            (server.sent().len() as u64, server.endpoint.cwnd()),
            (24, 24 * MSS),
            "all that is offered"
        );
        let sent_at = server.now;
        for more in [0, 0, 1000] {
            server.now += 150 * MS;
            server.endpoint.on_timeout(server.now);
            ack(&mut server, more);
        }
        assert_eq!(server.endpoint.stats().timeouts, 0);
        assert!(server.now - sent_at > server.endpoint.rto());
        assert_eq!(server.sent().len(), 3, "one for each that was acknowledged");
        assert_eq!(server.endpoint.cwnd(), 24 * MSS, "{congestion}");
    }
}
