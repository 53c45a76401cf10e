// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures read: a file as packets ([`packets()`]), and a packet's headers of link, IP and TCP ([`Headers`]).
//!
//! Memory is that of one block, however long the file is. Sources: pcapng and pcap (IETF opsawg), RFC 791, 8200 and 2516,
//! the link types of tcpdump.org.
//!
//! What this crate does not do: no file is opened here, no frame of 802.11 is read, and what packets mean is their
//! reader's to know.

mod headers;
mod input;
mod packets;
mod unread;

pub use headers::{Flow, Headers, Ip, Key, Segment, knows};
pub use packets::{CaptureError, Compression, End, Interface, Knows, Open, Packet, packets};
pub use pcap_file::DataLink;
pub use unread::{Unread, UnreadCounts};
