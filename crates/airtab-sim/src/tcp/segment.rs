// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What travels between two endpoints: one TCP segment as plain data.
//!
//! Sequence numbers are 64-bit byte offsets that never wrap: the SYN occupies 0..1, the first data byte is 1.
//! There is no payload, only its length. Not modelled: ports, checksums, URG, PSH, FIN and RST.

/// The segment opens a connection and occupies one sequence number.
pub const SYN: u8 = 0x02;
/// The field `ack` is valid.
pub const ACK: u8 = 0x10;
/// Marked data was received; in a SYN: ECN is wanted (RFC 3168 6.1).
pub const ECE: u8 = 0x40;
/// The window was reduced; in a SYN: ECN is wanted.
pub const CWR: u8 = 0x80;

/// SACK blocks that a segment can carry: 2 + 8 n of the 40 bytes of options (RFC 2018 3).
pub const SACK_BLOCKS: usize = 4;
/// The same beside timestamps.
pub(super) const SACK_BLOCKS_TIMED: usize = 3;

/// IPv4 header and TCP header without options, bytes.
const HEADERS: u32 = 40;
/// Options of a SYN, bytes: MSS (4), window scale (3), SACK permitted (2; padding where it is not).
const SYN_OPTIONS: u32 = 9;
/// The timestamps option, bytes (RFC 7323 3.2).
const TIMESTAMPS: u32 = 10;

/// One TCP segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// First sequence number of the segment, bytes.
    pub seq: u64,
    /// Next sequence number that the sender of this segment expects, bytes; valid with [`ACK`].
    pub ack: u64,
    /// Data bytes.
    pub payload: u32,
    /// Receive window beyond `ack`, bytes, already scaled; that of a SYN is not, so at most 65,535 (RFC 7323 2.2).
    pub window: u32,
    /// [`SYN`], [`ACK`], [`ECE`] and [`CWR`].
    pub flags: u8,
    /// SACK blocks `[start, end)` in bytes, most recent first; the first `sack_len` are valid (RFC 2018).
    pub sack: [(u64, u64); SACK_BLOCKS],
    /// Number of valid SACK blocks.
    pub sack_len: u8,
    /// The packet is ECN-capable: it may be marked instead of dropped.
    pub ect: bool,
    /// The network marked it: congestion experienced.
    pub ce: bool,
    /// The segment has the timestamps option (RFC 7323 3.2).
    pub timestamps: bool,
    /// TSval: when the segment was sent, us, modulo 2^32; valid with `timestamps`.
    pub tsval: u32,
    /// TSecr: TSval of the segment that this one answers; valid with `timestamps` and [`ACK`].
    pub tsecr: u32,
}

impl Segment {
    /// Bytes of TCP options, padded to a multiple of four: 9 of a SYN, 10 of timestamps, 2 + 8 n of n SACK blocks.
    pub fn option_bytes(&self) -> u32 {
        let syn = if self.flags & SYN != 0 { SYN_OPTIONS } else { 0 };
        let timestamps = if self.timestamps { TIMESTAMPS } else { 0 };
        let sack = if self.sack_len > 0 { 2 + 8 * u32::from(self.sack_len) } else { 0 };
        (syn + timestamps + sack).next_multiple_of(4)
    }

    /// Size of the IPv4 packet that carries the segment, bytes.
    pub fn ip_bytes(&self) -> u32 {
        HEADERS + self.option_bytes() + self.payload
    }

    /// Nothing follows it: who sends an acknowledgement alone has no data to send.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.payload == 0 && self.flags & SYN == 0
    }

    /// The valid SACK blocks.
    pub fn sack_blocks(&self) -> &[(u64, u64)] {
        &self.sack[..usize::from(self.sack_len)]
    }
}

/// Size of a SACK option of `blocks` blocks with its padding, bytes.
pub(super) fn sack_option_bytes(blocks: u8) -> u32 {
    if blocks == 0 { 0 } else { 4 + 8 * u32::from(blocks) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_on_the_wire() {
        let size =
            |flags, payload, sack_len| Segment { flags, payload, sack_len, ..Segment::default() }.ip_bytes();
        assert_eq!(size(SYN, 0, 0), 52);
        assert_eq!(size(ACK, 0, 0), 40);
        assert_eq!(size(ACK, 1460, 0), 1500);
        let timed = |flags, payload| Segment { flags, payload, timestamps: true, ..Segment::default() };
        assert_eq!([timed(SYN, 0), timed(ACK, 1448)].map(|s| s.ip_bytes()), [60, 1500]);
        assert_eq!(Segment { sack_len: 3, ..timed(ACK, 0) }.ip_bytes(), 76);
        assert_eq!([1, 2, 3, 4].map(|blocks| size(ACK, 0, blocks)), [52, 60, 68, 76]);
    }
}
