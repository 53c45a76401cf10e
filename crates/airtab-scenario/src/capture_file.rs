// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A capture as what one host sent and received: its IP packets by time, length and direction.
//!
//! Reading is `airtab-capture`'s. A packet is as long as its IP header says; what is shorter than UDP over IPv4 ([`HEADERS`])
//! is as long as that. Frames that are not IP, or of others, are counted and left out.
//!
//! What it does not do: no flow is told from another, no copy of a packet from its original: of a capture of several
//! interfaces every copy counts.

use std::collections::HashMap;
use std::io::Read;
use std::net::IpAddr;
use std::ops::ControlFlow;

use airtab_capture::{CaptureError, End, Headers, UnreadCounts, knows, packets};
use airtab_core::TCP;
use airtab_sim::traffic::trace::{LONGEST, MOST_PACKETS, Packet, Packets};
use airtab_sim::traffic::video::HEADERS;

use crate::digits::count;

/// What a capture has of a host.
#[derive(Debug)]
pub(crate) struct Replayed {
    pub(crate) packets: Packets,
    /// How many of them are TCP's.
    pub(crate) tcp: u64,
    /// Frames that are none of them.
    pub(crate) others: u64,
    /// Warnings about packets that may be missing.
    pub(crate) warnings: Vec<String>,
}

/// Why it has nothing of use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    /// Something is wrong with the file.
    #[error("{0}")]
    File(String),
    /// Nothing is of that host.
    #[error("{0}")]
    Client(String),
}

impl From<CaptureError> for Unusable {
    fn from(e: CaptureError) -> Unusable {
        Unusable::File(match e {
            // No word of what may be another's file.
            CaptureError::Foreign(_) => {
                "it is no pcap or pcapng file: give a capture, as tcpdump -i eth0 -w FILE writes it".into()
            }
            CaptureError::Compressed(with) => {
                format!("it is compressed with {}: unpack it first, {} IN > OUT", with.name(), with.cat())
            }
            e => e.to_string(),
        })
    }
}

/// How many addresses are named where the client is none of them.
const NAMED: usize = 5;
/// Addresses that are counted for that.
const MOST_ADDRESSES: usize = 1 << 16;

/// Reads what `client` sent and received.
///
/// # Errors
/// The first thing that is wrong, with the number of its frame, and what would do.
pub(crate) fn read(file: Box<dyn Read>, client: IpAddr) -> Result<Replayed, Unusable> {
    let mut file = Some(file);
    let mut open = || Ok(file.take().expect("it is opened once"));
    let mut reading = Reading::new(client);
    let end = packets(&mut open, &knows, &mut |packet| {
        reading.add(&packet)?;
        Ok::<_, Unusable>(ControlFlow::Continue(()))
    })?;
    reading.end(end)
}

/// What there is so far.
struct Reading {
    client: IpAddr,
    frames: u64,
    ip: u64,
    tcp: u64,
    last_ns: u64,
    first_ns: u64,
    list: Vec<Packet>,
    unread: UnreadCounts,
    /// Packets by address, until the first of the client.
    addresses: HashMap<IpAddr, u64>,
}

impl Reading {
    fn new(client: IpAddr) -> Reading {
        let (list, unread, addresses) = (Vec::new(), UnreadCounts::default(), HashMap::new());
        Reading { client, frames: 0, ip: 0, tcp: 0, last_ns: 0, first_ns: 0, list, unread, addresses }
    }

    fn add(&mut self, packet: &airtab_capture::Packet<'_>) -> Result<(), Unusable> {
        let (frame, at_ns) = (packet.number, packet.at_ns.ok_or(CaptureError::NoStamps)?);
        if at_ns < self.last_ns {
            let back_us = (self.last_ns - at_ns).div_ceil(1000);
            return Err(CaptureError::Unordered { frame, back_us }.into());
        }
        (self.last_ns, self.frames) = (at_ns, self.frames + 1);
        let headers = Headers::of(packet);
        self.unread.add(&headers);
        let Headers { ip: Some(ip), key, .. } = headers else { return Ok(()) };
        self.ip += 1;
        let up = match ip.addresses.map(|address| address.to_canonical() == self.client) {
            [true, false] => true,
            [false, true] => false,
            // Somebody else's, or of the client to itself, which no network sees.
            _ => {
                self.note(ip.addresses);
                return Ok(());
            }
        };
        if ip.bytes > LONGEST {
            return Err(Unusable::File(format!(
                "frame {frame} has an IP packet of {} bytes, and {LONGEST} are the most that go over the air: a network \
                 card joined several. Capture without that, ethtool -K DEVICE gro off gso off tso off",
                ip.bytes
            )));
        }
        if self.list.len() == MOST_PACKETS {
            let before = frame - 1;
            return Err(Unusable::File(format!(
                "frame {frame} is one more than {MOST_PACKETS} packets of {}: take a part, editcap -r IN OUT 1-{before}",
                self.client
            )));
        }
        if self.list.is_empty() {
            (self.first_ns, self.addresses) = (at_ns, HashMap::new());
        }
        self.tcp += u64::from(key.protocol == Some(TCP));
        self.list.push(Packet { at_ns: at_ns - self.first_ns, bytes: ip.bytes.max(HEADERS), up });
        Ok(())
    }

    /// Who sent and who received, if nothing of the client is known yet.
    fn note(&mut self, addresses: [IpAddr; 2]) {
        let host = |address: &IpAddr| match address {
            IpAddr::V4(address) => !address.is_broadcast() && !address.is_multicast(),
            IpAddr::V6(address) => !address.is_multicast(),
        };
        if !self.list.is_empty() {
            return;
        }
        for address in addresses.into_iter().filter(host) {
            if self.addresses.len() < MOST_ADDRESSES || self.addresses.contains_key(&address) {
                *self.addresses.entry(address).or_insert(0) += 1;
            }
        }
    }

    fn end(self, end: End) -> Result<Replayed, Unusable> {
        let Reading { client, frames, ip, tcp, list, unread, addresses, .. } = self;
        if frames == 0 {
            return Err(end.without_frames().into());
        }
        if ip == 0 {
            return Err(Unusable::File(format!(
                "has no IP packet in {frames} frames: capture where the client's packets pass, tcpdump -i DEVICE -w FILE"
            )));
        }
        if list.is_empty() {
            let mut busiest: Vec<_> = addresses.into_iter().collect();
            busiest.sort_by_key(|(address, packets)| (std::cmp::Reverse(*packets), *address));
            let named = |(address, packets): &(IpAddr, u64)| {
                format!("{address} ({})", count(*packets as usize, "packet"))
            };
            let named: Vec<String> = busiest.iter().take(NAMED).map(named).collect();
            let named = match named.is_empty() {
                true => String::new(),
                false => format!("; the busiest addresses are {}", named.join(", ")),
            };
            return Err(Unusable::Client(format!("'{client}' is in none of the {ip} IP packets{named}")));
        }
        let others = frames - list.len() as u64;
        let packets = Packets::new(list).map_err(|broken| Unusable::File(broken.message))?;
        let warnings = end.warning().into_iter().chain(unread.words()).collect();
        Ok(Replayed { packets, tcp, others, warnings })
    }
}
