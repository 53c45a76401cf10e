// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A block acknowledgement agreement as its originator keeps it: which sequence numbers it may send
//! (IEEE 802.11-2020 10.25.6.7): those of the window that begins with the oldest one whose fate is open.
//!
//! Sequence numbers count on for ever; on the air they are taken modulo 4096.
//!
//! What it does not do: no agreement is set up or torn down; there always is one.

use std::collections::VecDeque;

/// The originator's window.
pub(super) struct Window {
    size: u64,
    /// The oldest sequence number whose fate is open, or `next`.
    oldest: u64,
    /// From `oldest` on: whether it is decided.
    decided: VecDeque<bool>,
}

impl Window {
    /// So many sequence numbers.
    pub(super) fn new(size: u16) -> Window {
        Window { size: size.into(), oldest: 0, decided: VecDeque::with_capacity(size.into()) }
    }

    /// Where it begins.
    pub(super) fn oldest(&self) -> u64 {
        self.oldest
    }

    /// Whether another sequence number may be used.
    pub(super) fn is_open(&self) -> bool {
        (self.decided.len() as u64) < self.size
    }

    /// The next sequence number, of one that is sent for the first time.
    ///
    /// # Panics
    /// If the window is not open.
    pub(super) fn take(&mut self) -> u64 {
        assert!(self.is_open(), "nothing may be sent beyond the window");
        self.decided.push_back(false);
        self.oldest + self.decided.len() as u64 - 1
    }

    /// What has this number is acknowledged, or given up. Said of each packet of an A-MSDU.
    pub(super) fn decide(&mut self, sequence: u64) {
        let Some(place) = sequence.checked_sub(self.oldest) else { return };
        self.decided[place as usize] = true;
        while self.decided.front() == Some(&true) {
            self.decided.pop_front();
            self.oldest += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_open_one_holds_the_window() {
        let mut window = Window::new(4);
        assert_eq!([(); 4].map(|()| window.take()), [0, 1, 2, 3]);
        assert!(!window.is_open());
        for sequence in [1, 3, 2] {
            window.decide(sequence);
            assert!(!window.is_open() && window.oldest() == 0);
        }
        window.decide(0);
        assert!(window.is_open() && window.oldest() == 4);
        assert_eq!([(); 2].map(|()| window.take()), [4, 5]);
        window.decide(4);
        window.decide(4);
        assert_eq!((window.oldest(), window.take()), (5, 6));
    }
}
