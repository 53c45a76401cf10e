// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Markov chain of the block-ack window: how long aggregates are when MPDUs are lost.
//!
//! Source: the rules of IEEE 802.11-2020 10.25.6 (HT-immediate block ack). A sender that always has more to send
//! puts what the last bitmap lacked first into the next aggregate, then new MPDUs, up to the aggregate's limit and
//! to the end of the window, which begins at the oldest MPDU without an acknowledgement. Each MPDU is lost
//! independently with the same probability. An MPDU that was lost `attempts` times is given up, and the window
//! moves over it.
//!
//! Two chains. [`BlockAck::exact`] has as its state what the sender knows: for each sequence number from the
//! window's beginning how often it was sent in vain, 0 once it is through. That is all that the next aggregate
//! depends on, but there are up to 2^(window - 1) states without a limit of attempts, and more with one: it serves
//! small windows. [`BlockAck::wide`] serves the windows of the standard, and is an approximation (`wide.rs` says
//! which, `docs/model-aggregates.md` how close).
//!
//! What it does not do: no lost BLOCK ACK, no collisions, no limit of an aggregate in bytes or time (give the frames
//! that fit), and no receiver: in what order packets are passed up does not change what the sender does.

mod exact;
mod wide;

/// The largest window of the exact chain.
pub const EXACT_WINDOW: u32 = 10;
/// The largest window of the standard: 256 (HE).
pub const WIDEST: u32 = 256;

/// A lone sender that always has MPDUs to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockAck {
    /// Sequence numbers in the window, 1 to [`WIDEST`].
    pub window: u32,
    /// MPDUs in an aggregate at most, 1 to `window`.
    pub frames: u32,
    /// Probability that an MPDU is lost, 0 to below 1.
    pub error: f64,
    /// How often an MPDU is sent before it is given up, at least 1; None: until it is through.
    pub attempts: Option<u32>,
}

/// The chain in its stationary state, for each aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregates {
    /// Probability that an aggregate has so many MPDUs, from 0 (never) to the most.
    pub lengths: Vec<f64>,
    /// MPDUs that are delivered, on average.
    pub delivered: f64,
    /// MPDUs that are given up, on average.
    pub given_up: f64,
    /// Probability that after it MPDUs are given up, and a BAR moves the window.
    pub bars: f64,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BlockAckError {
    /// No window of the standard.
    #[error("a window of {0}: it is from 1 to 256 sequence numbers")]
    Window(u32),
    /// An aggregate that the window does not hold.
    #[error("aggregates of {frames} frames: they are from 1 to the window's {window}")]
    Frames {
        /// As given.
        frames: u32,
        /// As given.
        window: u32,
    },
    /// No probability, or nothing ever arrives.
    #[error("an error rate of {0}: it is from 0 to below 1")]
    Error(f64),
    /// An MPDU that is never sent.
    #[error("0 attempts: a frame is sent at least once")]
    Attempts,
    /// A state for the chain to be exact is too large, and the approximation has no attempts.
    #[error("a limit of attempts is for windows of at most {EXACT_WINDOW}, not of {0}")]
    AttemptsOfWide(u32),
    /// More than the exact chain can hold.
    #[error("a window of {0}: the exact chain is for at most {EXACT_WINDOW}")]
    TooWide(u32),
}

impl BlockAck {
    /// The chain that fits: exact up to [`EXACT_WINDOW`], else wide.
    pub fn solve(&self) -> Result<Aggregates, BlockAckError> {
        if self.window <= EXACT_WINDOW { self.exact() } else { self.wide() }
    }

    /// The exact chain.
    pub fn exact(&self) -> Result<Aggregates, BlockAckError> {
        self.check()?;
        if self.window > EXACT_WINDOW {
            return Err(BlockAckError::TooWide(self.window));
        }
        Ok(exact::solve(self))
    }

    /// The approximate chain, for windows of any size.
    pub fn wide(&self) -> Result<Aggregates, BlockAckError> {
        self.check()?;
        if self.attempts.is_some() {
            return Err(BlockAckError::AttemptsOfWide(self.window));
        }
        Ok(wide::solve(self))
    }

    fn check(&self) -> Result<(), BlockAckError> {
        if !(1..=WIDEST).contains(&self.window) {
            return Err(BlockAckError::Window(self.window));
        }
        if !(1..=self.window).contains(&self.frames) {
            return Err(BlockAckError::Frames { frames: self.frames, window: self.window });
        }
        if !(0.0..1.0).contains(&self.error) {
            return Err(BlockAckError::Error(self.error));
        }
        if self.attempts == Some(0) {
            return Err(BlockAckError::Attempts);
        }
        Ok(())
    }
}

impl Aggregates {
    /// MPDUs in an aggregate, on average.
    pub fn mean_frames(&self) -> f64 {
        self.lengths.iter().enumerate().map(|(frames, chance)| frames as f64 * chance).sum()
    }

    /// Bits delivered in a second where an MPDU carries `bits`, an aggregate of so many frames takes `cycle_ns` from
    /// its contention to the next one, and a BAR with its answer takes `bar_ns`.
    pub fn goodput_bps(&self, bits: u64, bar_ns: u64, cycle_ns: impl Fn(u32) -> u64) -> f64 {
        let cycles = self.lengths.iter().enumerate().filter(|(_, chance)| **chance > 0.0);
        let mean_ns: f64 = cycles.map(|(frames, chance)| chance * cycle_ns(frames as u32) as f64).sum();
        self.delivered * bits as f64 * 1e9 / (mean_ns + self.bars * bar_ns as f64)
    }
}

#[cfg(test)]
mod tests;
