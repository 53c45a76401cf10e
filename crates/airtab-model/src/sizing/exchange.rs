// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a TCP segment and its ACK take on the air, each with its own channel access (Showail 2016, 4.3.1, 5.3.1).
//!
//! Both printed forms are one: with T_PHY for the preamble, and K = 1, equations 5.6 and 5.7 are 4.4 and 4.5.
//!
//! ```text
//! access = mean backoff + DIFS + 2 preambles + SIFS + answer + K (MAC + payload) / R
//! ```
//!
//! Symbols are not rounded up to, and nobody collides. `airtab_core::Phy` has the same profiles in whole ns, and the
//! standard's own times.
//!
//! What it does not do: no retries, no TXOP; an aggregate has no delimiters and no padding.

use super::{Quantity, SizingError};

/// Constants of one PHY and of what is sent over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// A slot, us.
    pub slot_us: f64,
    /// SIFS, us.
    pub sifs_us: f64,
    /// DIFS, us.
    pub difs_us: f64,
    /// CW_min as the source counts it: the mean backoff is (CW_min - 1) / 2 slots. 1: no backoff at all.
    pub cw_min: u32,
    /// In front of every frame, us.
    pub preamble_us: f64,
    /// MAC and LLC headers and FCS of a frame, bytes.
    pub mac_bytes: f64,
    /// The IP packet of a segment, bytes.
    pub packet_bytes: f64,
    /// The IP packet of a TCP ACK, bytes.
    pub tcp_ack_bytes: f64,
    /// ACK or BLOCK ACK of the MAC, bytes.
    pub answer_bytes: f64,
    /// Its rate; None: that of the data.
    pub answer_mbps: Option<f64>,
    /// TCP ACKs for each segment.
    pub acks_per_segment: f64,
    /// Whether RTS (20 bytes) and CTS (14) go before, at the rate of the answer.
    pub rts_cts: bool,
}

/// 802.11b of chapter 4: table 4.1, and frames as they give the totals that the text states (14.6 ms at 1 Mb/s, 2.68 at
/// 11): long preamble, LLC 8 and MAC 28 bytes, the MAC's ACK at the data rate; a TCP ACK for each segment.
pub const DNB_11B: Constants = Constants {
    slot_us: 20.0,
    sifs_us: 10.0,
    difs_us: 50.0,
    cw_min: 31,
    preamble_us: 192.0,
    mac_bytes: 36.0,
    packet_bytes: 1500.0,
    tcp_ack_bytes: 40.0,
    answer_bytes: 14.0,
    answer_mbps: None,
    acks_per_segment: 1.0,
    rts_cts: false,
};

/// 802.11n of chapter 5: table 5.1; a TCP ACK for two segments, in aggregates of K / 2. It is not 802.11n on the air:
/// preamble, BLOCK ACK and backoff differ from the standard's.
pub const WQM_11N: Constants = Constants {
    slot_us: 9.0,
    sifs_us: 16.0,
    difs_us: 34.0,
    cw_min: 15,
    preamble_us: 33.0,
    mac_bytes: 38.0,
    packet_bytes: 1500.0,
    tcp_ack_bytes: 40.0,
    answer_bytes: 30.0,
    answer_mbps: Some(6.0),
    acks_per_segment: 0.5,
    rts_cts: false,
};

/// The part of TCP and IP in a packet, bytes.
pub const TCP_IP_BYTES: f64 = 40.0;
const RTS_BYTES: f64 = 20.0;
const CTS_BYTES: f64 = 14.0;

impl Constants {
    /// L, the bits of a packet.
    pub fn packet_bits(&self) -> f64 {
        self.packet_bytes * 8.0
    }

    /// Mean T_BO = (CW_min - 1) T_slot / 2, us.
    pub fn backoff_us(&self) -> f64 {
        f64::from(self.cw_min.saturating_sub(1)) * self.slot_us / 2.0
    }

    /// Mean backoff if two nodes contend that both always have a frame: the lower of two draws from 0 to CW_min, us.
    /// Of chapter 4 203 where one alone waits 300, of chapter 5 43.6 where it waits 63.
    pub fn contended_backoff_us(&self) -> f64 {
        let w = f64::from(self.cw_min);
        w * (2.0 * w + 1.0) / (6.0 * (w + 1.0)) * self.slot_us
    }

    /// Bits of the MAC's header and a payload, us.
    fn frame_us(&self, rate_mbps: f64, payload_bytes: f64) -> f64 {
        (self.mac_bytes + payload_bytes) * 8.0 / rate_mbps
    }

    /// All of an access but its backoff and its payload, us.
    fn around_us(&self, rate_mbps: f64) -> f64 {
        let control = |bytes: f64| bytes * 8.0 / self.answer_mbps.unwrap_or(rate_mbps);
        let protection = match self.rts_cts {
            true => 2.0 * (self.preamble_us + self.sifs_us) + control(RTS_BYTES) + control(CTS_BYTES),
            false => 0.0,
        };
        let answer = control(self.answer_bytes);
        self.difs_us + 2.0 * self.preamble_us + self.sifs_us + answer + protection
    }

    /// One access with so many frames, us.
    fn access_us(&self, rate_mbps: f64, frames: f64, payload_bytes: f64) -> f64 {
        let payload = frames * self.frame_us(rate_mbps, payload_bytes);
        self.backoff_us() + self.around_us(rate_mbps) + payload
    }

    /// T_d_DATA: one access with K segments (eq. 4.4, 5.6), us.
    ///
    /// # Errors
    /// A rate of 0; no frames, or too many.
    pub fn data_us(&self, rate_mbps: f64, frames: u32) -> Result<f64, SizingError> {
        let (rate, frames) = checked(rate_mbps, frames)?;
        Ok(self.access_us(rate, frames, self.packet_bytes))
    }

    /// T_d_ACK: one access with the TCP ACKs of K segments (eq. 4.5, 5.7), us. With one ACK for two segments and K = 1
    /// it is half an ACK, as printed.
    ///
    /// # Errors
    /// As [`Constants::data_us`].
    pub fn ack_us(&self, rate_mbps: f64, frames: u32) -> Result<f64, SizingError> {
        let (rate, frames) = checked(rate_mbps, frames)?;
        Ok(self.access_us(rate, frames * self.acks_per_segment, self.tcp_ack_bytes))
    }

    /// ARTT = T_d_DATA + T_d_ACK: a round trip over one hop without a queue, us. A term of the sum of eq. 4.6.
    ///
    /// # Errors
    /// As [`Constants::data_us`].
    pub fn round_us(&self, rate_mbps: f64, frames: u32) -> Result<f64, SizingError> {
        Ok(self.data_us(rate_mbps, frames)? + self.ack_us(rate_mbps, frames)?)
    }

    /// The aggregate of K segments alone: its preamble and its bits, us.
    ///
    /// # Errors
    /// As [`Constants::data_us`].
    pub fn aggregate_us(&self, rate_mbps: f64, frames: u32) -> Result<f64, SizingError> {
        let (rate, frames) = checked(rate_mbps, frames)?;
        Ok(self.preamble_us + frames * self.frame_us(rate, self.packet_bytes))
    }

    /// One segment and its part of a TCP ACK where nothing is aggregated, and an ACK has an access of its own, us.
    ///
    /// # Errors
    /// A rate of 0.
    pub fn segment_us(&self, rate_mbps: f64, acks_per_segment: f64) -> Result<f64, SizingError> {
        let rate = Quantity::Rate.of(rate_mbps)?;
        let acks = Quantity::Share.of(acks_per_segment)?;
        let ack = self.access_us(rate, 1.0, self.tcp_ack_bytes);
        Ok(self.access_us(rate, 1.0, self.packet_bytes) + acks * ack)
    }

    /// The same between two ends that both always have a frame, so that each access waits for the lower of two draws,
    /// and nobody collides, us.
    ///
    /// # Errors
    /// As [`Constants::segment_us`].
    pub fn contended_segment_us(&self, rate_mbps: f64, acks_per_segment: f64) -> Result<f64, SizingError> {
        let spared = self.backoff_us() - self.contended_backoff_us();
        Ok(self.segment_us(rate_mbps, acks_per_segment)? - spared * (1.0 + acks_per_segment))
    }
}

/// A rate, and the frames of an aggregate.
fn checked(rate_mbps: f64, frames: u32) -> Result<(f64, f64), SizingError> {
    Ok((Quantity::Rate.of(rate_mbps)?, Quantity::Frames.of(f64::from(frames))?))
}
