// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets of a pcap file: time stamps in microseconds and nanoseconds, link types with an FCS length.

use std::io::Read;

use pcap_file::DataLink;

use super::{CaptureError, Each, End, Knows, Packet, broken, known, zeros};
use crate::input::{Input, Order};

/// Bytes of the file's header and of a packet's.
const FILE: usize = 24;
const RECORD: usize = 16;
/// Bytes kept of a packet at most: libpcap's bound, or the file's own snapshot length up to that of its longest link.
const MOST_KEPT: u32 = 1 << 18;
const MOST_SNAPSHOT: u32 = 1 << 27;
/// If this flag is set, the four highest bits of the link type are the length of the FCS in units of 16 bits.
const FCS_KNOWN: u32 = 1 << 26;

/// Hands on each packet.
///
/// # Errors
/// As [`super::packets`].
pub(super) fn read<E: From<CaptureError>>(
    mut input: Input<impl Read>,
    knows: &Knows<'_>,
    each: &mut Each<'_, E>,
) -> Result<End, E> {
    let header = input.take(FILE).map_err(CaptureError::from)?;
    if header.len() < FILE {
        return Ok(End::Cut { offset: 0, frames: 0 });
    }
    let order = Order { big: header[0] == 0xa1 };
    let unit = if order.u32(header, 0) == 0xa1b2_3c4d { 1 } else { 1000 };
    let most = order.u32(header, 16).clamp(MOST_KEPT, MOST_SNAPSHOT);
    let (link, fcs) = link(order.u32(header, 20));
    known(link, knows)?;
    let mut frames = 0;
    loop {
        let offset = input.offset();
        let record = input.take(RECORD).map_err(CaptureError::from)?;
        if record.is_empty() {
            return Ok(End::Whole);
        }
        if record.len() < RECORD {
            return Ok(End::Cut { offset, frames });
        }
        if record.iter().all(|byte| *byte == 0) {
            return Ok(zeros(&mut input, offset, frames)?);
        }
        let [seconds, fraction, kept, length] = [0, 4, 8, 12].map(|at| order.u32(record, at));
        if kept > most {
            let what = format!("it keeps {kept} bytes of a packet at byte {offset}, and {most} are the most");
            return Err(broken(frames + 1, what).into());
        }
        let bytes = input.take(kept as usize).map_err(CaptureError::from)?;
        if bytes.len() < kept as usize {
            return Ok(End::Cut { offset, frames });
        }
        frames += 1;
        let at_ns = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * unit;
        let packet = Packet { number: frames, at_ns: Some(at_ns), length, bytes, link, interface: None };
        let packet = packet.without_fcs(fcs);
        if each(packet)?.is_break() {
            return Ok(End::Whole);
        }
    }
}

/// Link type and bytes of FCS behind each frame.
fn link(field: u32) -> (DataLink, u32) {
    let fcs = if field & FCS_KNOWN != 0 { 2 * (field >> 28) } else { 0 };
    (DataLink::from(field & 0xffff), fcs)
}
