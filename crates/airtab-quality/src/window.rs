// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The measured time: which packets count, and the rate of what was received.
//!
//! Source: CHAP dissertation chapter 6 (results are those of 90 s to 270 s of a run, when all flows are
//! up). A packet belongs to the window in which it was *sent*, so that loss and delay speak of the same
//! packets. This module does not collect anything.

/// A half-open stretch of time `[from_ns, until_ns)`, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    from_ns: u64,
    until_ns: u64,
}

impl Window {
    /// The window from `from_ns` up to, not including, `until_ns`; `None` if it would be empty.
    pub fn new(from_ns: u64, until_ns: u64) -> Option<Self> {
        (from_ns < until_ns).then_some(Self { from_ns, until_ns })
    }

    /// First instant of the window, in ns.
    pub fn from_ns(&self) -> u64 {
        self.from_ns
    }

    /// First instant after the window, in ns.
    pub fn until_ns(&self) -> u64 {
        self.until_ns
    }

    /// Length in ns, at least 1.
    pub fn length_ns(&self) -> u64 {
        self.until_ns - self.from_ns
    }

    /// Whether the instant `at_ns` lies inside.
    pub fn contains(&self, at_ns: u64) -> bool {
        (self.from_ns..self.until_ns).contains(&at_ns)
    }

    /// Rate in bit/s at which `bytes` arrived during the window. Goodput, if the bytes are those handed to
    /// the application.
    pub fn rate_bps(&self, bytes: u64) -> f64 {
        bytes as f64 * 8.0 * 1e9 / self.length_ns() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_half_open_and_empty_is_refused() {
        let w = Window::new(10, 20).unwrap();
        assert_eq!(
            (w.contains(9), w.contains(10), w.contains(19), w.contains(20)),
            (false, true, true, false)
        );
        assert_eq!(w.length_ns(), 10);
        assert_eq!(Window::new(10, 10), None);
        assert_eq!(Window::new(11, 10), None);
    }

    #[test]
    fn rate_counts_bits_per_second() {
        // The measured time of the dissertation, 90 s to 270 s, at 26 Mb/s.
        let w = Window::new(90_000_000_000, 270_000_000_000).unwrap();
        assert_eq!(w.rate_bps(585_000_000), 26e6);
        assert_eq!(w.rate_bps(0), 0.0);
    }
}
