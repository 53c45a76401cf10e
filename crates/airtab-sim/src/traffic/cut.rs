// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames that their source cuts into packets and sends one after the other, at a distance: M. Parris, "Class-Based
//! Thresholds", UNC 2001, section A.3.3. What audio and video tools over UDP do that leave nothing for IP to cut.
//!
//! What it does not do: how large frames are, and when they come, is their kind's. A frame that comes while packets of
//! the one before are left waits for its turn; none is given up.

use std::collections::VecDeque;

use super::video::{HEADERS, PAYLOAD};
use super::{Broken, Io};

/// How frames are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Largest payload of a packet, bytes; 28 bytes of UDP and IPv4 come on top.
    pub payload: u32,
    /// From one packet of a frame to the next, ns.
    pub spacing_ns: u64,
}

impl Cut {
    /// The study's: what an Ethernet frame carries, 1.3 ms apart.
    pub const STUDY: Cut = Cut { payload: PAYLOAD, spacing_ns: 1_300_000 };

    /// Least payload, bytes: no frame has more packets than are counted.
    pub const LEAST: u32 = 100;
    /// Most bytes of a frame.
    pub const MOST: u32 = 1 << 22;

    /// Packets of a frame of so many bytes, at most [`Cut::MOST`].
    pub fn packets(self, bytes: u32) -> u32 {
        bytes.div_ceil(self.payload).max(1)
    }

    pub(super) fn check(self) -> Result<(), Broken> {
        let fits = (Cut::LEAST..=PAYLOAD).contains(&self.payload);
        let said = format!("{} bytes of payload: {} to {PAYLOAD}", self.payload, Cut::LEAST);
        Broken::unless(fits, "split", said)
    }
}

/// The frames of one source that are being sent.
#[derive(Debug)]
pub(super) struct Frames {
    cut: Cut,
    /// What is left of each, bytes, and its tag.
    left: VecDeque<(u32, u32)>,
}

impl Frames {
    pub(super) fn new(cut: Cut) -> Frames {
        // More wait only where frames come faster than they can be sent.
        Frames { cut, left: VecDeque::with_capacity(8) }
    }

    /// A frame that was due at `due`: its first packet leaves at once, if nothing is left of another. The timer `key` will say
    /// when the next one does, to [`Frames::next`].
    pub(super) fn frame(&mut self, due: u64, (bytes, tag): (u32, u32), key: u16, io: &mut Io) {
        self.left.push_back((bytes.max(1), tag));
        if self.left.len() == 1 {
            self.next(due, key, io);
        }
    }

    /// A packet that was due at `due`.
    pub(super) fn next(&mut self, due: u64, key: u16, io: &mut Io) {
        let Some((bytes, tag)) = self.left.front_mut() else { return };
        let (payload, tag) = ((*bytes).min(self.cut.payload), *tag);
        *bytes -= payload;
        if *bytes == 0 {
            self.left.pop_front();
        }
        if !self.left.is_empty() {
            io.timer(due + self.cut.spacing_ns, key);
        }
        io.send(false, payload + HEADERS, tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Action;

    /// What is wanted: packets (true: a timer was set before it) and when the next one is due.
    fn wanted(io: &mut Io) -> (Vec<(u32, u32)>, Option<u64>) {
        let (mut sent, mut next) = (Vec::new(), None);
        while let Some(action) = io.poll() {
            match action {
                Action::Send { up: false, bytes, tag } => sent.push((bytes, tag)),
                Action::Timer { at, key: 7 } => next = Some(at),
                other => panic!("{other:?}"),
            }
        }
        (sent, next)
    }

    #[test]
    fn a_frame_is_cut_and_the_next_one_waits_for_it() {
        let (mut frames, mut io) = (Frames::new(Cut { payload: 1000, spacing_ns: 50 }), Io::default());
        frames.frame(100, (1000, 1), 7, io.at(100));
        assert_eq!(wanted(&mut io), (vec![(1028, 1)], None), "it fits one packet");
        frames.frame(200, (2001, 2), 7, io.at(200));
        assert_eq!(wanted(&mut io), (vec![(1028, 2)], Some(250)));
        frames.frame(220, (3, 3), 7, io.at(220));
        assert_eq!(wanted(&mut io), (vec![], None), "one timer is under way");
        for (due, sent, next) in
            [(250, (1028, 2), Some(300)), (300, (29, 2), Some(350)), (350, (31, 3), None)]
        {
            frames.next(due, 7, io.at(due + 9));
            assert_eq!(wanted(&mut io), (vec![sent], next), "by its own time, however late");
        }
        frames.frame(360, (0, 4), 7, io.at(360));
        assert_eq!(wanted(&mut io), (vec![(29, 4)], None), "no packet is empty");
    }

    #[test]
    fn packets_of_a_frame() {
        assert_eq!([0, 1, 1472, 1473, 2944, 2945].map(|n| Cut::STUDY.packets(n)), [1, 1, 1, 2, 2, 3]);
        assert_eq!(Cut::STUDY.check(), Ok(()));
        assert!(Cut { payload: Cut::LEAST, ..Cut::STUDY }.packets(Cut::MOST) < u32::from(u16::MAX));
        for payload in [0, 99, 1473] {
            let said = Cut { payload, ..Cut::STUDY }.check().unwrap_err().to_string();
            assert_eq!(said, format!("split: {payload} bytes of payload: 100 to 1472"));
        }
    }
}
