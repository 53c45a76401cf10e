// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A run's frames on the air, as a pcapng file for Wireshark.
//!
//! One file holds the whole channel, with one interface per station (and `ap`
//! for beacons): frames stay in the order in which they shared the air, and
//! `frame.interface_name == "laptop"` shows one station. With a file per
//! station, a collision would be cut in two and a beacon be there n times. The
//! description of each interface names the profile of the PHY, by which
//! `airtab fingerprint` reads the file.
//!
//! Every attempt is in the file, whoever received it: radiotap with rate or MCS,
//! channel and place in an A-MPDU, 802.11 header with its retry flag and sequence
//! number, LLC/SNAP, IPv4, UDP or TCP; RTS, CTS, ACK, block ACK requests and BLOCK
//! ACKs. A frame that was lost carries a packet comment which says how. Payload is
//! zero; of each frame the first [`SNAP_BYTES`] are kept.
//!
//! Sources: IEEE 802.11 9.2-9.3 (frames), radiotap.org, pcapng (IETF opsawg).
//! What it does not do: no FCS, no association, no ARP, no DNS.

mod agreement;
mod frame;
mod radiotap;

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::time::Duration;

use airtab_core::Params;
use airtab_sim::wifi::End;
use airtab_sim::{AirFrame, NEVER, Observer, Scenario, Simulation, watch};
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};

use frame::Frames;

use crate::fingerprint::description;
#[cfg(test)]
pub(crate) use radiotap::plain as radiotap_header;

/// Bytes kept of each frame, radiotap included: all headers, and calls whole.
pub const SNAP_BYTES: u32 = 256;

/// Simulated time between two looks at the run, ns.
const STEP_NS: u64 = 100_000_000;

/// Runs `scenario` and writes what was on the air within `span` (ns of the
/// run) to `out`. Gives the number of frames written.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// As [`airtab_sim::run`] does.
pub fn capture(
    scenario: &Scenario,
    label: &str,
    params: &Params,
    seed: u64,
    span: &Range<u64>,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let mut watcher = Watcher::new(scenario, label, seed, span, out)?;
    watch(Simulation::new(scenario, params, seed), span.end, &mut [&mut watcher]);
    watcher.written
}

/// Writes what is on the air of a run that it looks at.
pub(crate) struct Watcher<'a> {
    file: File<'a>,
    frames: Frames,
    stations: usize,
    span: Range<u64>,
    next_ns: u64,
    /// Frames so far; the first error ends the capture.
    pub(crate) written: io::Result<u64>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(
        scenario: &Scenario,
        label: &str,
        seed: u64,
        span: &Range<u64>,
        out: &'a mut dyn Write,
    ) -> io::Result<Watcher<'a>> {
        Ok(Watcher {
            file: open(scenario, label, seed, out)?,
            frames: Frames::new(scenario),
            stations: scenario.stations.len(),
            span: span.clone(),
            next_ns: span.start,
            written: Ok(0),
        })
    }

    fn write_all(&mut self, simulation: &mut Simulation) -> io::Result<u64> {
        let mut written = 0;
        let seen: Vec<AirFrame> = simulation.frames().collect();
        for ppdu in seen.chunk_by(frame::together) {
            written += write(&mut self.file, &mut self.frames, self.stations, ppdu)?;
        }
        Ok(written)
    }
}

impl Observer for Watcher<'_> {
    fn next_at(&self) -> u64 {
        self.next_ns
    }

    /// The first look begins, the last one ends it.
    fn look(&mut self, now: u64, simulation: &mut Simulation) {
        if now == self.span.start {
            simulation.watch_air(true);
        } else {
            let more = self.write_all(simulation);
            self.written = std::mem::replace(&mut self.written, Ok(0)).and_then(|n| Ok(n + more?));
        }
        let over = now >= self.span.end || self.written.is_err();
        if over {
            simulation.watch_air(false);
        }
        self.next_ns = if over { NEVER } else { (now + STEP_NS).min(self.span.end) };
    }
}

type File<'a> = PcapNgWriter<&'a mut dyn Write>;

fn open<'a>(scenario: &Scenario, label: &str, seed: u64, out: &'a mut dyn Write) -> io::Result<File<'a>> {
    let about = format!("scenario {} under {label}, seed {seed}; times are simulated", scenario.name);
    let section = SectionHeaderBlock {
        endianness: Endianness::Little,
        options: vec![
            SectionHeaderOption::Comment(about.into()),
            SectionHeaderOption::UserApplication(concat!("airtab ", env!("CARGO_PKG_VERSION")).into()),
        ],
        ..SectionHeaderBlock::default()
    };
    let mut file = PcapNgWriter::with_section_header(out, section).map_err(io_error)?;
    let stations =
        scenario.stations.iter().enumerate().map(|(i, s)| (s.name.as_str(), frame::station_mac(i)));
    let phy = scenario.medium.phy().expect("only Wi-Fi is captured");
    for (name, mac) in stations.chain([("ap", frame::AP_MAC)]) {
        let options = vec![
            InterfaceDescriptionOption::IfName(name.into()),
            InterfaceDescriptionOption::IfDescription(description(&phy).into()),
            InterfaceDescriptionOption::IfMacAddr(mac.to_vec().into()),
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        let interface = InterfaceDescriptionBlock {
            linktype: DataLink::IEEE802_11_RADIOTAP,
            snaplen: SNAP_BYTES,
            options,
        };
        file.write_block(&interface.into_block()).map_err(io_error)?;
    }
    Ok(file)
}

/// Writes a PPDU and the answer that it brought; gives how many frames that made.
fn write(file: &mut File, frames: &mut Frames, stations: usize, seen: &[AirFrame]) -> io::Result<u64> {
    let interface = seen[0].station.unwrap_or(stations) as u32;
    let mut written = 0;
    for (mpdu, bytes) in frames.ppdu(seen) {
        let lost = match mpdu.end {
            End::DataLost => Some("lost on the air"),
            End::Collision => Some("collision"),
            End::Acked | End::AckLost | End::Broadcast => None,
        };
        put(file, interface, mpdu.start_ns, &bytes, lost)?;
        written += 1;
    }
    let ends = |end| seen.iter().any(|frame| frame.end == end);
    let lost = match (ends(End::Acked), ends(End::AckLost)) {
        (true, _) => None,
        (false, true) => Some("lost on the air"),
        (false, false) => return Ok(written),
    };
    let (start_ns, answer) = frames.answer(seen);
    put(file, interface, start_ns, &answer, lost)?;
    Ok(written + 1)
}

fn put(
    file: &mut File,
    interface_id: u32,
    at_ns: u64,
    frame: &[u8],
    comment: Option<&str>,
) -> io::Result<()> {
    let kept = frame.len().min(SNAP_BYTES as usize);
    let block = EnhancedPacketBlock {
        interface_id,
        timestamp: Duration::from_nanos(at_ns),
        original_len: frame.len() as u32,
        data: Cow::Borrowed(&frame[..kept]),
        options: comment.map(|c| EnhancedPacketOption::Comment(c.into())).into_iter().collect(),
    };
    file.write_block(&block.into_block()).map_err(io_error)?;
    Ok(())
}

fn io_error(e: PcapError) -> io::Error {
    match e {
        PcapError::IoError(e) => e,
        e => io::Error::other(e),
    }
}
