// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Full duplex: to whom a node may send while it receives (RFD-MAC, as Showail 2016, chapter 6, has it).
//!
//! A node has a table of those around it, and sends to the one of the highest priority that it has a frame for:
//!
//! | priority | to whom | why |
//! |---|---|---|
//! | 1 | the sender of the frame that it receives (*bidirectional*) | is known to be there, and to receive nothing else |
//! | 2 | another one whom that frame does not disturb, and whose ACK does not disturb the other ACK (*relay*) | nothing collides |
//! | - | anybody else, and all at once | avoided: the two frames, or their ACKs, would collide |
//!
//! What it does not do: a table is complete from the start, where the source's fills with what a node overhears; whether
//! a relay's next node sends or waits itself is in no table.

use super::reach::Reach;

/// Priority of a receiver; the lower one is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Priority {
    Bidirectional,
    Relay,
}

/// That of `next` for `node`, which receives a frame of `sender`; None: it is avoided.
pub(super) fn priority(reach: &Reach, sender: usize, node: usize, next: usize) -> Option<Priority> {
    if next == sender {
        return Some(Priority::Bidirectional);
    }
    let frames = reach.loses(node, sender).has(next);
    let acks = reach.loses(node, next).has(sender);
    (!frames && !acks).then_some(Priority::Relay)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::reach::Ranges;

    fn line(capture_db: Option<f64>) -> Reach {
        let places: Vec<(f64, f64)> = (0..4).map(|i| (f64::from(i) * 90.0, 0.0)).collect();
        let ranges = Ranges { tx_m: 90.0, sense_m: 180.0, interference_m: 180.0 };
        Reach::of_positions(&places, &ranges, capture_db)
    }

    /// A frame from 0 to 1, which has frames for both of its neighbours.
    #[test]
    fn every_row() {
        let near = line(None);
        assert_eq!(priority(&near, 0, 1, 0), Some(Priority::Bidirectional));
        assert_eq!(priority(&near, 0, 1, 2), None, "the first one's signal reaches the third");
        let strong = line(Some(12.0));
        assert_eq!(priority(&strong, 0, 1, 2), Some(Priority::Relay), "it is 12.04 dB weaker there");
        assert_eq!(priority(&line(Some(12.1)), 0, 1, 2), None);
        assert!(Priority::Bidirectional < Priority::Relay);
        // By lists: the first one does not reach the third.
        let links = [(0, 1), (1, 2)];
        assert_eq!(priority(&Reach::of_lists(3, &links, &[], &[]), 0, 1, 2), Some(Priority::Relay));
        assert_eq!(priority(&Reach::of_lists(3, &links, &[], &[(0, 2)]), 0, 1, 2), None);
    }
}
