// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures as packets: pcap and pcapng, in both byte orders, a packet at a time.
//!
//! A capture that ends within a packet, or in zeros, has the packets before: [`End`] says so. Compressed files are
//! recognised by their first bytes.
//!
//! An FCS at the end of a frame is left out if the file states its length.
//!
//! Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
//!
//! Limits: no decompression; the meaning of a packet's bytes is the caller's.

mod pcap;
mod pcapng;

use std::io::{self, Read};
use std::ops::ControlFlow;

use pcap_file::DataLink;

use crate::input::Input;

/// Opens the capture; called once for each reading.
pub type Open<'a> = dyn FnMut() -> io::Result<Box<dyn Read>> + 'a;

/// Error of reading a capture.
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
    #[error(
        "it is compressed with {what}: unpack it first, {cat} IN > OUT, or pipe it, {cat} IN | airtab COMMAND -",
        what = .0.name(), cat = .0.cat()
    )]
    Compressed(Compression),
    #[error("it ends at byte {offset} within its first frame: capture again")]
    Cut { offset: u64 },
    #[error("it is broken at frame {frame}: {what}. Write it anew: editcap IN OUT")]
    Broken { frame: u64, what: String },
    #[error("its link type is {link}: Ethernet, IP or Linux cooked is needed. tcpdump -i eth0 -w FILE")]
    LinkType { link: String },
    #[error("its frames have no time stamps: capture with tcpdump")]
    NoStamps,
    #[error("frame {frame} is {back_us} us earlier than the one before: sort it first, reordercap IN OUT")]
    Unordered { frame: u64, back_us: u64 },
}

/// A compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // named by themselves
pub enum Compression {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Lz4,
}

impl Compression {
    /// Compression format of a file by its first bytes.
    fn of(begin: [u8; 4]) -> Option<Compression> {
        match begin {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd] => Some(Compression::Zstd),
            [0xfd, b'7', b'z', b'X'] => Some(Compression::Xz),
            [b'B', b'Z', b'h', _] => Some(Compression::Bzip2),
            [0x04, 0x22, 0x4d, 0x18] => Some(Compression::Lz4),
            _ => None,
        }
    }

    /// Name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
            Compression::Lz4 => "lz4",
        }
    }

    /// Program that writes the decompressed file to standard output.
    pub fn cat(self) -> &'static str {
        match self {
            Compression::Gzip => "zcat",
            Compression::Zstd => "zstdcat",
            Compression::Xz => "xzcat",
            Compression::Bzip2 => "bzcat",
            Compression::Lz4 => "lz4cat",
        }
    }
}

/// End of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// Behind a whole frame, or where the reader had enough.
    #[default]
    Whole,
    /// Within a frame or a block, which begins at the offset.
    Cut {
        /// Offset in the file, bytes.
        offset: u64,
        /// Number of frames before.
        frames: u64,
    },
    /// In zeros from the offset to the end.
    Zeros {
        /// Offset in the file, bytes.
        offset: u64,
        /// Number of frames before.
        frames: u64,
    },
}

impl End {
    /// Warning about a capture that is not whole.
    pub fn warning(&self) -> Option<String> {
        let so = |frames: &u64| match frames {
            1 => "the result is of the one frame before".into(),
            frames => format!("the result is of the {frames} frames before"),
        };
        match self {
            End::Whole => None,
            End::Cut { offset, frames } => Some(format!(
                "the capture is cut: a frame that begins at byte {offset} is not whole; {}",
                so(frames)
            )),
            End::Zeros { offset, frames } => {
                Some(format!("the capture has zeros from byte {offset} to its end; {}", so(frames)))
            }
        }
    }

    /// Offset of the first byte that is of no whole frame or block; none of a whole capture.
    pub fn offset(&self) -> Option<u64> {
        match self {
            End::Whole => None,
            End::Cut { offset, .. } | End::Zeros { offset, .. } => Some(*offset),
        }
    }

    /// Error of a capture without a whole frame.
    pub fn without_frames(&self) -> CaptureError {
        match self {
            End::Cut { offset, .. } => CaptureError::Cut { offset: *offset },
            End::Whole | End::Zeros { .. } => CaptureError::Empty,
        }
    }
}

/// An interface of a capture, as far as the file describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name, such as `eth0`.
    pub name: Option<String>,
    /// Description of its hardware or use.
    pub description: Option<String>,
    /// MAC address.
    pub address: Option<[u8; 6]>,
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
    /// The interface that captured it; none in pcap.
    pub interface: Option<&'a Interface>,
}

impl Packet<'_> {
    /// Leaves out the last `fcs` bytes of the frame. Radiotap states the FCS of each frame itself.
    fn without_fcs(self, fcs: u32) -> Self {
        if fcs == 0 || self.link == DataLink::IEEE802_11_RADIOTAP {
            return self;
        }
        let length = self.length.saturating_sub(fcs);
        Packet { length, bytes: &self.bytes[..self.bytes.len().min(length as usize)], ..self }
    }
}

type Each<'a, E> = dyn FnMut(Packet<'_>) -> Result<ControlFlow<()>, E> + 'a;

const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const PCAP: [[u8; 4]; 4] =
    [[0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d], [0x4d, 0x3c, 0xb2, 0xa1]];

/// Whether packets of a link can be read.
pub type Knows<'a> = dyn Fn(DataLink) -> bool + 'a;

/// Hands on each packet, until there are no more or `each` has enough; returns how the capture ends.
///
/// # Errors
/// [`CaptureError`] says what is wrong with the file; a link that is not known is wrong, too. Those of `each` end it.
pub fn packets<E: From<CaptureError>>(
    open: &mut Open<'_>,
    knows: &Knows<'_>,
    each: &mut Each<'_, E>,
) -> Result<End, E> {
    let mut file = open().map_err(CaptureError::from)?;
    let mut begin = Vec::new();
    file.by_ref().take(4).read_to_end(&mut begin).map_err(CaptureError::from)?;
    if begin.is_empty() {
        return Err(CaptureError::Empty.into());
    }
    let mut first = [0; 4];
    first[..begin.len()].copy_from_slice(&begin);
    let input = Input::new(io::Cursor::new(begin).chain(file));
    match (first, Compression::of(first)) {
        (PCAPNG, _) => pcapng::read(input, knows, each),
        (begin, _) if PCAP.contains(&begin) => pcap::read(input, knows, each),
        (_, Some(compression)) => Err(CaptureError::Compressed(compression).into()),
        _ => Err(CaptureError::Foreign(first).into()),
    }
}

/// Zeros that begin at `offset`: to the end they are no packets.
fn zeros(input: &mut Input<impl Read>, offset: u64, frames: u64) -> Result<End, CaptureError> {
    match input.ends_in_zeros()? {
        true => Ok(End::Zeros { offset, frames }),
        false => Err(broken(frames + 1, format!("zeros at byte {offset} before other bytes"))),
    }
}

fn broken(frame: u64, what: String) -> CaptureError {
    CaptureError::Broken { frame, what }
}

fn known(link: DataLink, knows: &Knows<'_>) -> Result<(), CaptureError> {
    let named = || match link {
        DataLink::Unknown(number) => format!("{number}"),
        link => format!("{link:?}"),
    };
    if knows(link) { Ok(()) } else { Err(CaptureError::LinkType { link: named() }) }
}

#[cfg(test)]
mod tests;
