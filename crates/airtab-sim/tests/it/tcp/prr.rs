// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Proportional rate reduction: RFC 6937's worked examples, and others by its formulas.
//!
//! The examples (section 3.1): 20 segments in flight, Reno, so that 10 are to remain; two more leave by limited transmit.
//! The sender is driven by acknowledgements that the test writes.

use airtab_sim::tcp::{ACK, Algorithm, Config, Endpoint, Recovery, SYN, Segment};

const MSS: u64 = 1000;

/// A sender of 20 segments of a window that is full, and how many segments have left.
struct Example {
    sender: Endpoint,
    sent: u64,
    blocks: Vec<(u64, u64)>,
}

impl Example {
    fn new(config: Config) -> Self {
        Example::with_data(config, u64::MAX / MSS)
    }

    fn with_data(config: Config, segments: u64) -> Self {
        let config = Config { mss: MSS as u32, initial_window: 20, ..config };
        let mut sender = Endpoint::server(config);
        let syn = Segment { flags: SYN, window: 65_000, ..Segment::default() };
        sender.on_segment(0, &syn);
        assert!(sender.poll_transmit(0).is_some(), "the SYN-ACK");
        sender.write(segments * MSS);
        let mut example = Example { sender, sent: 0, blocks: Vec::new() };
        assert_eq!(example.acknowledge(0), (20, 0));
        example
    }

    /// Segments below `number` have arrived in sequence; what leaves: new segments, and old ones.
    fn acknowledge(&mut self, number: u64) -> (u64, u64) {
        let mut segment = Segment { flags: ACK, seq: 1, ack: 1 + number * MSS, ..Segment::default() };
        segment.window = 1_000_000;
        for (place, block) in segment.sack.iter_mut().zip(&self.blocks) {
            *place = *block;
            segment.sack_len += 1;
        }
        self.sender.on_segment(1_000_000, &segment);
        let (mut new, mut old) = (0, 0);
        while let Some(segment) = self.sender.poll_transmit(1_000_000) {
            match segment.seq == 1 + self.sent * MSS {
                true => (self.sent, new) = (self.sent + 1, new + 1),
                false => old += 1,
            }
        }
        (new, old)
    }

    /// A segment has arrived that is not the next; those before it are still missing.
    fn sack(&mut self, number: u64, una: u64) -> (u64, u64) {
        let (start, end) = (1 + number * MSS, 1 + (number + 1) * MSS);
        match self.blocks.last_mut() {
            Some(block) if block.1 == start => block.1 = end,
            _ => self.blocks.push((start, end)),
        }
        self.acknowledge(una)
    }

    fn pipe(&self) -> u64 {
        self.sender.in_flight() / MSS
    }
}

fn newreno() -> Config {
    Config::home().with_congestion(Algorithm::NewReno)
}

const N: (u64, u64) = (1, 0);
const R: (u64, u64) = (0, 1);
const NONE: (u64, u64) = (0, 0);

/// The first example, figure "PRR": segment 0 is lost. After N N R every second acknowledgement lets a new segment go, and
/// by the end 10 are in flight. (From acknowledgement 17 on the figure is not that of its own formula: 16 delivered times 10 / 20
/// is 8, of which the seven sent leave one.)
#[test]
fn one_loss_spreads_the_reduction_over_the_round_trip() {
    let mut example = Example::new(newreno());
    let sent: Vec<_> = (1..=19).map(|number| example.sack(number, 0)).collect();
    let mut expected = vec![N, N, R];
    expected.extend((4..=19).map(|number| if number % 2 == 1 && number < 18 { N } else { NONE }));
    assert_eq!(sent, expected);
    // 20 and 21, of limited transmit, are on their way yet; each lets one go from here on: 10 are in flight.
    assert_eq!(example.pipe(), 10);
    assert_eq!([example.sack(20, 0), example.sack(21, 0)], [N, N]);
    assert_eq!(example.pipe(), 10);
    example.blocks.clear();
    assert_eq!(example.acknowledge(22), N, "the copy has arrived: 9 are left of 10");
    assert_eq!(example.sender.cwnd(), 10 * MSS);
}

/// The second example, figure "PRR-SSRB": segments 0 to 14 are lost; each of the acknowledgements that are left sends one
/// segment more than it tells of.
#[test]
fn a_burst_of_losses_is_repaired_in_slow_start() {
    let mut example = Example::new(newreno());
    assert_eq!([example.sack(15, 0), example.sack(16, 0)], [N, N]);
    for pipe_before in [4, 5, 6] {
        let number = pipe_before + 13;
        assert_eq!(example.sack(number, 0), (0, 2), "acknowledgement of {number}");
        assert_eq!(example.pipe(), pipe_before + 2);
    }
}

/// The same, figure "RFC 6675": all that fits at once.
#[test]
fn without_it_the_window_is_filled_at_once() {
    let mut example = Example::new(Config { prr: false, ..newreno() });
    assert_eq!([example.sack(15, 0), example.sack(16, 0)], [N, N]);
    assert_eq!(example.sack(17, 0), (0, 6), "4 in flight, and room for 10");
    assert_eq!([example.sack(18, 0), example.sack(19, 0)], [R, R]);
}

/// An application that stalls saves up (section 4): the next acknowledgement lets go what those before it could have.
#[test]
fn what_a_stall_has_saved_goes_later() {
    let mut example = Example::with_data(newreno(), 22);
    assert_eq!([1, 2, 3].map(|number| example.sack(number, 0)), [N, N, R]);
    for number in 4..=9 {
        assert_eq!(example.sack(number, 0), NONE, "there is nothing to send");
    }
    example.sender.write(u64::MAX);
    assert_eq!(example.sack(10, 0), (3, 0), "8 delivered times 10 / 20, less R");
}

/// It is of recoveries with SACK: without, inflation is the rule.
#[test]
fn without_sack_it_does_nothing() {
    let sent = |prr| {
        let mut example = Example::new(Config { recovery: Recovery::NewReno, prr, ..newreno() });
        (1..=25).map(|_| example.acknowledge(0)).collect::<Vec<_>>()
    };
    assert_eq!(sent(true), sent(false));
}
