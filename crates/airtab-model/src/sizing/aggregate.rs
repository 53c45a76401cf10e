// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! K, how many frames an aggregate may have at a rate (Showail 2016, 2.2.3, 5.2, 5.3.2; ath9k).
//!
//! What it does not do: what waits at the time, and what a receiver allows.

use super::{MAX_FRAMES, Quantity, SizingError};

/// What bounds an aggregate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Frames that one block acknowledgement answers.
    pub window: u32,
    /// Frames that the driver puts together; None: any.
    pub driver: Option<u32>,
    /// Bytes.
    pub bytes: u32,
    /// Time on the air, us.
    pub time_us: f64,
    /// A frame on the air: MAC header, delimiter, padding, bytes.
    pub subframe_bytes: u32,
    /// At this rate and below, nothing is aggregated, Mb/s.
    pub alone_mbps: f64,
}

/// 802.11n by ath9k: 32 frames, 65535 bytes, 4 ms; 1500 bytes are 38 of MAC, 4 of delimiter and 2 of padding more; none
/// at 6.5 Mb/s.
pub const ATH9K: Bounds = Bounds {
    window: 64,
    driver: Some(32),
    bytes: 65_535,
    time_us: 4_000.0,
    subframe_bytes: 1544,
    alone_mbps: 6.5,
};

impl Bounds {
    /// K by the bytes that a rate sends in that time, as the source counts them: the preamble is left out, and frames
    /// are all padded.
    ///
    /// # Errors
    /// A rate of 0; subframes of 0 bytes; no time.
    pub fn frames(&self, rate_mbps: f64) -> Result<u32, SizingError> {
        let bytes = Quantity::Rate.of(rate_mbps)? * Quantity::Drain.of(self.time_us)? / 8.0;
        let subframe = Quantity::Packet.of(self.subframe_bytes.into())?;
        let by_time = (bytes / subframe).floor().clamp(1.0, MAX_FRAMES.into()) as u32;
        Ok(self.most(rate_mbps).min(by_time).min(self.bytes / self.subframe_bytes).max(1))
    }

    /// K by exact times: `ppdu_us` says what a PPDU of so many bytes takes, preamble and all. The last frame of an
    /// aggregate has no padding, which of 1500-byte packets are 2 bytes.
    ///
    /// # Errors
    /// A rate of 0.
    pub fn frames_within(
        &self,
        rate_mbps: f64,
        padding_bytes: u32,
        ppdu_us: impl Fn(u32) -> f64,
    ) -> Result<u32, SizingError> {
        Quantity::Rate.of(rate_mbps)?;
        let fits = |frames: &u32| {
            let bytes = frames * self.subframe_bytes - padding_bytes;
            bytes <= self.bytes && ppdu_us(bytes) <= self.time_us
        };
        Ok((1..=self.most(rate_mbps)).take_while(fits).last().unwrap_or(1))
    }

    /// By the window, the driver, and where nothing is aggregated.
    fn most(&self, rate_mbps: f64) -> u32 {
        match rate_mbps > self.alone_mbps {
            true => self.driver.unwrap_or(MAX_FRAMES).min(self.window).clamp(1, MAX_FRAMES),
            false => 1,
        }
    }
}
