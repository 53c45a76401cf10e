// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The first 40 bytes of each packet, big-endian. The rest of a payload means nothing.
//!
//! | byte | field |
//! |---|---|
//! | 0 | `CBR1` |
//! | 4 | flags: 1 PING, 2 ECHO |
//! | 6 | payload length, bytes |
//! | 8 | flow, a random number of the sender |
//! | 12 | sequence number, from 0, wraps |
//! | 16 | sender's system time just before sending, ns since 1970 |
//! | 24 | ECHO: the receiver's last measured rate, b/s; 0: none yet |
//! | 32 | ECHO: the receiver's system time when the PING came, ns since 1970 |

/// What a payload has at least, bytes.
pub const HEADER_BYTES: usize = 40;

const MAGIC: [u8; 4] = *b"CBR1";
const PING: u16 = 1;
const ECHO: u16 = 2;

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It takes up room.
    Data,
    /// It does so too, and wants an echo.
    Ping,
    /// The answer to a PING.
    Echo,
}

/// The header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the packet is for.
    pub kind: Kind,
    /// Random number that the sender's run gave itself.
    pub flow: u32,
    /// Lower half of the packet's number.
    pub seq: u32,
    /// Sender's system time, ns since 1970.
    pub sent_ns: u64,
    /// In an echo: the receiver's last measured rate, b/s; 0: none yet.
    pub rx_bps: u64,
    /// In an echo: the receiver's system time, ns since 1970.
    pub echo_rx_ns: u64,
}

/// Why a datagram is not one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    /// It is shorter than a header.
    #[error("shorter than 40 bytes")]
    Short,
    /// It begins with something else.
    #[error("does not begin with CBR1")]
    Magic,
    /// The length within is not the datagram's.
    #[error("its length field is not its length")]
    Length,
    /// Flags that this version does not know.
    #[error("unknown flags")]
    Flags,
}

impl Header {
    /// Writes the header to the front of a payload of at most 65 535 bytes.
    ///
    /// # Panics
    /// If the payload is shorter than a header, or longer than that.
    pub fn write(&self, payload: &mut [u8]) {
        let length = u16::try_from(payload.len()).expect("a UDP payload");
        let flags = match self.kind {
            Kind::Data => 0,
            Kind::Ping => PING,
            Kind::Echo => ECHO,
        };
        payload[0..4].copy_from_slice(&MAGIC);
        payload[4..6].copy_from_slice(&flags.to_be_bytes());
        payload[6..8].copy_from_slice(&length.to_be_bytes());
        payload[8..12].copy_from_slice(&self.flow.to_be_bytes());
        payload[12..16].copy_from_slice(&self.seq.to_be_bytes());
        payload[16..24].copy_from_slice(&self.sent_ns.to_be_bytes());
        payload[24..32].copy_from_slice(&self.rx_bps.to_be_bytes());
        payload[32..40].copy_from_slice(&self.echo_rx_ns.to_be_bytes());
    }

    /// Reads the header of a datagram, whatever that is.
    ///
    /// # Errors
    /// Says what shows that it is none of ours.
    pub fn parse(payload: &[u8]) -> Result<Header, Foreign> {
        let (header, _) = payload.split_first_chunk::<HEADER_BYTES>().ok_or(Foreign::Short)?;
        let (magic, rest) = header.split_first_chunk::<4>().expect("40 bytes");
        if *magic != MAGIC {
            return Err(Foreign::Magic);
        }
        let (flags, rest) = rest.split_first_chunk().expect("36 bytes");
        let (length, rest) = rest.split_first_chunk().expect("34 bytes");
        let (flow, rest) = rest.split_first_chunk().expect("32 bytes");
        let (seq, rest) = rest.split_first_chunk().expect("28 bytes");
        let (sent, rest) = rest.split_first_chunk().expect("24 bytes");
        let (rx, rest) = rest.split_first_chunk().expect("16 bytes");
        let (echo, _) = rest.split_first_chunk().expect("8 bytes");
        if usize::from(u16::from_be_bytes(*length)) != payload.len() {
            return Err(Foreign::Length);
        }
        let kind = match u16::from_be_bytes(*flags) {
            0 => Kind::Data,
            PING => Kind::Ping,
            ECHO => Kind::Echo,
            _ => return Err(Foreign::Flags),
        };
        Ok(Header {
            kind,
            flow: u32::from_be_bytes(*flow),
            seq: u32::from_be_bytes(*seq),
            sent_ns: u64::from_be_bytes(*sent),
            rx_bps: u64::from_be_bytes(*rx),
            echo_rx_ns: u64::from_be_bytes(*echo),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_layout_is_the_documented_one() {
        let mut payload = [0xee; 44];
        let header = Header {
            kind: Kind::Ping,
            flow: 0x0102_0304,
            seq: 0x0506_0708,
            sent_ns: 0x1112_1314_1516_1718,
            rx_bps: 0x2122_2324_2526_2728,
            echo_rx_ns: 0x3132_3334_3536_3738,
        };
        header.write(&mut payload);
        let expected = [
            b'C', b'B', b'R', b'1', 0, 1, 0, 44, 1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
            0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36,
            0x37, 0x38, 0xee, 0xee, 0xee, 0xee,
        ];
        assert_eq!(payload, expected);
        assert_eq!(Header::parse(&payload), Ok(header));
    }

    #[test]
    fn each_kind_of_stranger_is_named() {
        let mut payload = [0; 40];
        let header = Header { kind: Kind::Data, flow: 0, seq: 0, sent_ns: 0, rx_bps: 0, echo_rx_ns: 0 };
        header.write(&mut payload);
        assert_eq!(Header::parse(&payload[..39]), Err(Foreign::Short));
        assert_eq!(Header::parse(&[payload.as_slice(), &[0]].concat()), Err(Foreign::Length));
        payload[5] = 3;
        assert_eq!(Header::parse(&payload), Err(Foreign::Flags));
        payload[0] = b'c';
        assert_eq!(Header::parse(&payload), Err(Foreign::Magic));
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_what_was_written(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..200),
            ours in any::<bool>(),
        ) {
            if ours && bytes.len() >= 8 {
                bytes[..4].copy_from_slice(&MAGIC);
                bytes[4] = 0;
                bytes[5] &= 3;
                let length = bytes.len() as u16;
                bytes[6..8].copy_from_slice(&length.to_be_bytes());
            }
            if let Ok(header) = Header::parse(&bytes) {
                let mut again = bytes.clone();
                header.write(&mut again);
                prop_assert_eq!(again, bytes);
            } else {
                prop_assert!(!ours || bytes.len() < HEADER_BYTES || bytes[5] == 3);
            }
        }
    }
}
