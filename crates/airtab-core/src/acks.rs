// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Acknowledgements that a discipline has made, or lets go with another packet: what a host
//! lends it for that ([`Acks`]), and what a host does to the bytes of a real packet
//! (`airtab/tcpedit.h`, which has the rules).
//!
//! What it does not do: it finds no headers; a host knows where they are.

use crate::ffi;

/// What the host of a [`Pool`](crate::Pool) does with acknowledgements for disciplines. `T` is its part of a packet.
pub trait Acks<T>: Send {
    /// Its part of a pure acknowledgement of that number, of the same connection and way as a packet, and its length,
    /// bytes; None: it cannot be made. What a discipline may see of it is otherwise as of the packet.
    fn make(&mut self, packet: &T, number: u32) -> Option<(T, u32)>;

    /// Whether `data` says from now on all that the pure acknowledgement `ack` does, which is dropped then: number,
    /// window and time stamps are the later ones of the two.
    fn merge(&mut self, data: &mut T, ack: &T) -> bool;
}

/// Bytes of an IP packet that is one TCP segment, whole, and where its TCP header begins; None if that cannot be.
fn segment(packet: &mut [u8], tcp: usize) -> Option<ffi::Segment> {
    let header = usize::from(packet.get(tcp + 12)? >> 4) * 4;
    let payload = packet.len().checked_sub(tcp + header)?;
    if tcp < 20 || header < 20 || packet[0] >> 4 == 6 && tcp < 40 {
        return None;
    }
    let bytes = u32::try_from(payload).ok()?;
    // SAFETY: the bytes behind the header are in the packet, as was just checked.
    let sum = unsafe { ffi::at_sum(packet.as_ptr().add(tcp + header), bytes) };
    let ip = packet.as_mut_ptr();
    // SAFETY: the place is inside the packet.
    let tcp = unsafe { ip.add(tcp) };
    Some(ffi::Segment { ip, tcp, room: header as u32, payload: bytes, sum, offloaded: false })
}

/// Makes a whole IP packet, whose TCP header begins at `tcp`, a pure acknowledgement of that number; returns how many
/// of its bytes are left. None: it cannot be made, and nothing was written.
pub fn edit_ack(packet: &mut [u8], tcp: usize, number: u32) -> Option<usize> {
    let mut segment = segment(packet, tcp)?;
    // SAFETY: headers and room are within the packet, which is borrowed for the call.
    let bytes = unsafe { ffi::at_edit_ack(&mut segment, number) } as usize;
    (bytes > 0).then_some(bytes)
}

/// Whether `data` says from now on all that `ack` does; whole IP packets, whose TCP headers begin at these places.
/// False: nothing was written.
pub fn edit_merge(data: (&mut [u8], usize), ack: (&mut [u8], usize)) -> bool {
    let (Some(mut data), Some(ack)) = (segment(data.0, data.1), segment(ack.0, ack.1)) else { return false };
    // SAFETY: headers and room are within the packets, which are borrowed for the call and are not the same.
    unsafe { ffi::at_edit_merge(&mut data, &ack) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 192.168.1.2:443 to 10.0.0.3:5000, one byte of data; checksums of both headers as a sender computes them.
    fn packet(number: u32, payload: &[u8]) -> Vec<u8> {
        let mut bytes = headers(number, payload);
        let sum = |bytes: &[u8], start: u32| {
            let words = bytes.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0)));
            let sum = words.fold(start, |sum, word| (sum + word) % 0xffff);
            (!(sum as u16)).to_be_bytes()
        };
        let ip = sum(&bytes[..20], 0);
        bytes[10..12].copy_from_slice(&ip);
        let pseudo = bytes[12..20].chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum::<u32>();
        let tcp = sum(&bytes[20..], pseudo + 6 + (bytes.len() - 20) as u32);
        bytes[36..38].copy_from_slice(&tcp);
        bytes
    }

    fn headers(number: u32, payload: &[u8]) -> Vec<u8> {
        let length = (40 + payload.len() as u16).to_be_bytes();
        let mut bytes = vec![0x45, 0, length[0], length[1], 0, 1, 0x40, 0, 64, 6, 0, 0];
        bytes.extend([192, 168, 1, 2, 10, 0, 0, 3, 1, 187, 0x13, 0x88, 0, 0, 0, 9]);
        bytes.extend(number.to_be_bytes());
        bytes.extend([0x50, 16, 4, 0, 0, 0, 0, 0]);
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn an_edit_is_what_a_sender_would_have_sent() {
        let mut bytes = packet(70_000, b"abc");
        assert_eq!(edit_ack(&mut bytes, 20, 60_000), Some(40));
        assert_eq!(bytes[..40], packet(60_000, b"")[..]);
        let mut data = packet(70_000, b"abcd");
        assert!(edit_merge((&mut data, 20), (&mut packet(90_000, b""), 20)));
        assert_eq!(data, packet(90_000, b"abcd"));
    }

    /// Whatever the bytes, and wherever the header is said to be.
    #[test]
    fn what_is_no_segment_is_left_alone() {
        let whole = packet(70_000, b"abc");
        for cut in 0..whole.len() {
            for tcp in [0, 12, 19, 20, 24, 30, 40, 43, 60, usize::MAX - 20] {
                let (mut bytes, before) = (whole[..cut].to_vec(), &whole[..cut]);
                if tcp != 20 || cut < 40 {
                    assert_eq!((edit_ack(&mut bytes, tcp, 5), &bytes[..]), (None, before), "{cut} {tcp}");
                }
            }
        }
        assert!(!edit_merge((&mut packet(1, b"abc"), 20), (&mut packet(2, b"abc"), 20)), "both have data");
    }
}
