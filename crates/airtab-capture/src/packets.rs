// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures as packets: pcapng and pcap, in both byte orders, a block at a time.
//!
//! Reading is `pcap-file`'s. It takes every pcapng time stamp for nanoseconds: the interface's resolution is
//! applied here. It refuses pcap packets longer than the file keeps of them: they are read raw.
//!
//! What it does not do: what is in a packet is its reader's to know; no compressed files.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::ControlFlow;

use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, PcapError, TsResolution};

/// Opens the capture; called once for each reading.
pub type Open<'a> = dyn FnMut() -> io::Result<Box<dyn Read>> + 'a;

/// Why a capture cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum CaptureError {
    #[error("cannot read it: {0}")]
    Read(#[from] io::Error),
    #[error("it is empty: give a capture with frames")]
    Empty,
    #[error(
        "it is no pcap or pcapng file (it begins with {0:02x?}): give a capture, as tcpdump -i eth0 -w FILE writes it"
    )]
    Foreign([u8; 4]),
    #[error("it is cut: frame {frame} is not whole. Capture again, or drop it: editcap -r IN OUT 1-{}", frame - 1)]
    Cut { frame: u64 },
    #[error("it is broken at frame {frame}: {what}. Write it anew: editcap IN OUT")]
    Broken { frame: u64, what: String },
    #[error("its link type is {link}: Ethernet, IP or Linux cooked is needed. tcpdump -i eth0 -w FILE")]
    LinkType { link: String },
    #[error("its frames have no time stamps: capture with tcpdump")]
    NoStamps,
    #[error("frame {frame} is {back_us} us earlier than the one before: sort it first, reordercap IN OUT")]
    Unordered { frame: u64, back_us: u64 },
}

/// A packet as the file has it.
pub struct Packet<'a> {
    /// From 1.
    pub number: u64,
    /// The file's time stamp.
    pub at_ns: Option<u64>,
    /// Bytes that it had.
    pub length: u32,
    /// The first of them.
    pub bytes: &'a [u8],
    /// What `bytes` begin with.
    pub link: DataLink,
    /// Name and address of the interface that captured it, if the file has both.
    pub interface: Option<&'a (String, [u8; 6])>,
}

type Each<'a, E> = dyn FnMut(Packet<'_>) -> Result<ControlFlow<()>, E> + 'a;

const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const PCAP: [[u8; 4]; 4] =
    [[0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d], [0x4d, 0x3c, 0xb2, 0xa1]];

/// Whether packets of a link can be read.
pub type Knows<'a> = dyn Fn(DataLink) -> bool + 'a;

/// Hands on each packet, until there are no more or `each` has enough.
///
/// # Errors
/// [`CaptureError`] says what is wrong with the file; a link that is not known is wrong, too. Those of `each` end it.
pub fn packets<E: From<CaptureError>>(
    open: &mut Open<'_>,
    knows: &Knows<'_>,
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    let mut file = open().map_err(CaptureError::from)?;
    let mut begin = [0; 4];
    let mut have = 0;
    while have < 4 {
        match file.read(&mut begin[have..]).map_err(CaptureError::from)? {
            0 if have == 0 => return Err(CaptureError::Empty.into()),
            0 => return Err(CaptureError::Foreign(begin).into()),
            n => have += n,
        }
    }
    let whole = io::Cursor::new(begin).chain(file);
    match begin {
        PCAPNG => pcapng(whole, knows, each),
        _ if PCAP.contains(&begin) => pcap(whole, knows, each),
        _ => Err(CaptureError::Foreign(begin).into()),
    }
}

/// What `pcap-file` says of packet number `frame`.
fn error(e: PcapError, frame: u64) -> CaptureError {
    match e {
        PcapError::IoError(e) if e.kind() == io::ErrorKind::UnexpectedEof => CaptureError::Cut { frame },
        PcapError::IncompleteBuffer => CaptureError::Cut { frame },
        PcapError::IoError(e) => CaptureError::Read(e),
        e => CaptureError::Broken { frame, what: e.to_string() },
    }
}

fn known(link: DataLink, knows: &Knows<'_>) -> Result<(), CaptureError> {
    if knows(link) { Ok(()) } else { Err(CaptureError::LinkType { link: format!("{link:?}") }) }
}

fn pcap<E: From<CaptureError>>(file: impl Read, knows: &Knows<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    let mut reader = PcapReader::new(file).map_err(|e| error(e, 1))?;
    let header = reader.header();
    let link = header.datalink;
    known(link, knows)?;
    let unit = if header.ts_resolution == TsResolution::NanoSecond { 1 } else { 1000 };
    let mut number = 0;
    while let Some(packet) = reader.next_raw_packet() {
        number += 1;
        let packet = packet.map_err(|e| error(e, number))?;
        let at_ns = u64::from(packet.ts_sec) * 1_000_000_000 + u64::from(packet.ts_frac) * unit;
        let (length, bytes) = (packet.orig_len, &packet.data[..]);
        if each(Packet { number, at_ns: Some(at_ns), length, bytes, link, interface: None })?.is_break() {
            break;
        }
    }
    Ok(())
}

/// An interface of a pcapng section.
struct Interface {
    link: DataLink,
    /// Ticks of its time stamps in a second.
    ticks: u64,
    /// What is added to them, seconds.
    offset_s: i64,
    named: Option<(String, [u8; 6])>,
}

impl Interface {
    fn new(block: &InterfaceDescriptionBlock<'_>, frame: u64) -> Result<Interface, CaptureError> {
        let (mut name, mut address, mut resolution, mut offset_s) = (None, None, 6, 0);
        for option in &block.options {
            match option {
                InterfaceDescriptionOption::IfName(text) => name = Some(text.to_string()),
                InterfaceDescriptionOption::IfMacAddr(bytes) => {
                    let bytes: &Cow<'_, [u8]> = bytes;
                    address = <[u8; 6]>::try_from(&bytes[..]).ok();
                }
                InterfaceDescriptionOption::IfTsResol(value) => resolution = *value,
                InterfaceDescriptionOption::IfTsOffset(value) => offset_s = value.cast_signed(),
                _ => {}
            }
        }
        // The highest bit: a power of two, not of ten.
        let exponent = u32::from(resolution & 0x7f);
        let ticks =
            if resolution & 0x80 == 0 { 10u64.checked_pow(exponent) } else { 1u64.checked_shl(exponent) };
        let what = || format!("interface with time stamps of 1/{resolution:#x} s (if_tsresol)");
        let ticks = ticks.ok_or_else(|| CaptureError::Broken { frame, what: what() })?;
        Ok(Interface { link: block.linktype, ticks, offset_s, named: name.zip(address) })
    }

    /// Since 1970, ns; what is before or after all that can be said is its first or last moment.
    fn ns(&self, ticks: u64) -> u64 {
        let ns = u128::from(ticks) * 1_000_000_000 / u128::from(self.ticks);
        let ns = (ns as i128).saturating_add(i128::from(self.offset_s) * 1_000_000_000);
        ns.clamp(0, u64::MAX.into()) as u64
    }
}

fn pcapng<E: From<CaptureError>>(
    file: impl Read,
    knows: &Knows<'_>,
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    let mut reader = PcapNgReader::new(file).map_err(|e| error(e, 1))?;
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut number = 1;
    while let Some(block) = reader.next_block() {
        match block.map_err(|e| error(e, number))? {
            Block::SectionHeader(_) => interfaces.clear(),
            Block::InterfaceDescription(block) => interfaces.push(Interface::new(&block, number)?),
            Block::SimplePacket(_) => return Err(CaptureError::NoStamps.into()),
            Block::EnhancedPacket(block) => {
                let Some(interface) = interfaces.get(block.interface_id as usize) else {
                    let what = format!("interface {} of {}", block.interface_id, interfaces.len());
                    return Err(CaptureError::Broken { frame: number, what }.into());
                };
                known(interface.link, knows)?;
                let packet = Packet {
                    number,
                    at_ns: Some(interface.ns(block.timestamp.as_nanos() as u64)),
                    length: block.original_len,
                    bytes: &block.data,
                    link: interface.link,
                    interface: interface.named.as_ref(),
                };
                number += 1;
                if each(packet)?.is_break() {
                    break;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
