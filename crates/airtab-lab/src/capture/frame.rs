// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames as bytes: radiotap, IEEE 802.11, LLC/SNAP, IPv4, TCP and UDP.
//!
//! Addresses are locally administered: the access point is 02:61:74:00:00:00,
//! station i 02:61:74:01:i, the router behind the access point
//! 02:61:74:02:00:00. Sequence numbers count per sender, as without QoS.
//!
//! What it does not do: the calibrated profiles count 34 bytes around an IP
//! packet where 802.11 has 36; the frames here have 36, less 4 of FCS.

use airtab_core::Phy;
use airtab_sim::address::Protocol;
use airtab_sim::tcp::{ACK, Config, Recovery, SYN, Segment};
use airtab_sim::wifi::{Beacon, MediumConfig};
use airtab_sim::{AirFrame, AirPacket};
use etherparse::{IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};

pub(super) const AP_MAC: [u8; 6] = [2, b'a', b't', 0, 0, 0];
const ROUTER_MAC: [u8; 6] = [2, b'a', b't', 2, 0, 0];
const BROADCAST: [u8; 6] = [255; 6];

pub(super) fn station_mac(i: usize) -> [u8; 6] {
    let [high, low] = (i as u16).to_be_bytes();
    [2, b'a', b't', 1, high, low]
}

/// Frame control, first byte: type and subtype.
const DATA: u8 = 0x08;
const BEACON: u8 = 0x80;
const ACKNOWLEDGE: u8 = 0xd4;
/// Frame control, second byte.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;

/// LLC/SNAP header of IPv4 (RFC 1042).
const LLC_IPV4: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
const TTL: u8 = 64;
/// Window scale that every SYN announces: the simulated window fits then.
const WINDOW_SCALE: u8 = 7;
static PAYLOAD: [u8; 65_536] = [0; 65_536];

/// Makes frames of one channel; keeps the sequence numbers of its senders.
pub(super) struct Frames {
    phy: Phy,
    beacon: Option<Beacon>,
    tcp: Config,
    /// Per contender, the access point first.
    sequence: Vec<u16>,
}

impl Frames {
    pub(super) fn new(medium: &MediumConfig, tcp: Config) -> Frames {
        let beacon = medium.cell().and_then(|cell| cell.beacon);
        Frames { phy: medium.phy(), beacon, tcp, sequence: Vec::new() }
    }

    pub(super) fn data(&mut self, seen: &AirFrame, packet: &AirPacket) -> Vec<u8> {
        let peer = seen.station.map_or(BROADCAST, station_mac);
        let mut frame = radiotap(&self.phy, seen.start_ns, seen.kbps);
        let retry = if seen.attempt > 1 { RETRY } else { 0 };
        let addresses = match seen.down {
            true => [peer, AP_MAC, ROUTER_MAC],
            false => [AP_MAC, peer, ROUTER_MAC],
        };
        let direction = if seen.down { FROM_DS } else { TO_DS };
        let answer = if seen.station.is_some() { self.phy.sifs_ns() + self.phy.ack_ns(seen.kbps) } else { 0 };
        header(&mut frame, [DATA, direction | retry], answer, addresses, self.sequence(seen));
        frame.extend(LLC_IPV4);
        ipv4(&mut frame, packet, &self.tcp);
        frame
    }

    pub(super) fn beacon(&mut self, seen: &AirFrame) -> Vec<u8> {
        let beacon = self.beacon.expect("there is one on the air");
        let mut frame = radiotap(&self.phy, seen.start_ns, seen.kbps);
        let from = frame.len();
        header(&mut frame, [BEACON, 0], 0, [BROADCAST, AP_MAC, AP_MAC], self.sequence(seen));
        frame.extend((seen.start_ns / 1000).to_le_bytes());
        let units = (beacon.interval_ns + 512_000) / 1_024_000;
        frame.extend(u16::try_from(units).unwrap_or(u16::MAX).to_le_bytes());
        frame.extend([0x01, 0x00]); // capabilities: infrastructure
        frame.extend([0, 6]);
        frame.extend(b"airtab");
        frame.extend([1, 1, 0x80 | half_mbps(beacon.kbps).unwrap_or(0x7f)]); // its rate is basic
        frame.extend([3, 1, CHANNEL_2GHZ.0]);
        // The rest of its length, FCS aside: a vendor's element.
        let rest = (beacon.bytes as usize).saturating_sub(4 + frame.len() - from);
        if (5..=257).contains(&rest) {
            frame.extend([221, (rest - 2) as u8]);
            frame.extend(&ROUTER_MAC[..3]);
            frame.extend(&PAYLOAD[..rest - 5]);
        }
        frame
    }

    /// The ACK that answers a frame, and when it begins, ns.
    pub(super) fn ack(&self, seen: &AirFrame) -> (u64, Vec<u8>) {
        let start_ns = seen.start_ns + seen.data_ns + self.phy.sifs_ns();
        let mut frame = radiotap(&self.phy, start_ns, ack_kbps(&self.phy, seen.kbps));
        frame.extend([ACKNOWLEDGE, 0, 0, 0]);
        frame.extend(if seen.down { AP_MAC } else { seen.station.map_or(BROADCAST, station_mac) });
        (start_ns, frame)
    }

    fn sequence(&mut self, seen: &AirFrame) -> u16 {
        let sender = if seen.down { 0 } else { seen.station.map_or(0, |s| s + 1) };
        if self.sequence.len() <= sender {
            self.sequence.resize(sender + 1, 0);
        }
        let number = &mut self.sequence[sender];
        if seen.attempt <= 1 {
            *number = (*number + 1) & 0xfff;
        }
        *number
    }
}

/// 802.11 header of three addresses; what follows the frame lasts `answer_ns`.
fn header(frame: &mut Vec<u8>, control: [u8; 2], answer_ns: u64, addresses: [[u8; 6]; 3], sequence: u16) {
    frame.extend(control);
    let duration_us = answer_ns.div_ceil(1000).min(32_767) as u16;
    frame.extend(duration_us.to_le_bytes());
    frame.extend(addresses.as_flattened());
    frame.extend((sequence << 4).to_le_bytes());
}

/// Channel number and frequency, MHz.
const CHANNEL_2GHZ: (u8, u16) = (1, 2412);
const CHANNEL_5GHZ: (u8, u16) = (36, 5180);
/// SIFS of the profiles at 5 GHz, ns.
const SIFS_5GHZ: u64 = 16_000;

/// Radiotap: TSFT, flags, rate (where its byte can hold it) and channel.
fn radiotap(phy: &Phy, start_ns: u64, kbps: u32) -> Vec<u8> {
    const TSFT: u32 = 1 << 0;
    const FLAGS: u32 = 1 << 1;
    const RATE: u32 = 1 << 2;
    const CHANNEL: u32 = 1 << 3;
    const LENGTH: u16 = 22;
    let rate = half_mbps(kbps);
    let present = TSFT | FLAGS | CHANNEL | if rate.is_some() { RATE } else { 0 };
    let (band, (_, frequency)) = match phy.sifs_ns() {
        SIFS_5GHZ => (0x0100, CHANNEL_5GHZ),
        _ => (0x0080, CHANNEL_2GHZ),
    };
    let modulation = if [1_000, 2_000, 5_500, 11_000].contains(&kbps) { 0x0020 } else { 0x0040 };
    let mut bytes = vec![0, 0];
    bytes.extend(LENGTH.to_le_bytes());
    bytes.extend(present.to_le_bytes());
    bytes.extend((start_ns / 1000).to_le_bytes());
    bytes.push(0);
    bytes.push(rate.unwrap_or(0)); // padding where there is no rate
    bytes.extend(frequency.to_le_bytes());
    bytes.extend((band | modulation as u16).to_le_bytes());
    bytes
}

/// A rate in radiotap's unit.
fn half_mbps(kbps: u32) -> Option<u8> {
    kbps.is_multiple_of(500).then_some(kbps / 500)?.try_into().ok()
}

/// The rate of the ACK to data at `kbps`: the slowest whose ACK lasts as long.
fn ack_kbps(phy: &Phy, kbps: u32) -> u32 {
    const RATES: [u32; 12] =
        [1_000, 2_000, 5_500, 6_000, 9_000, 11_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
    let as_long = |rate: &u32| *rate >= phy.base_kbps() && phy.ack_ns(*rate) == phy.ack_ns(kbps);
    RATES.into_iter().find(as_long).unwrap_or(kbps)
}

fn ipv4(frame: &mut Vec<u8>, packet: &AirPacket, config: &Config) {
    let (tuple, protocol) = (packet.tuple, IpNumber(packet.tuple.protocol as u8));
    let length = packet.bytes.saturating_sub(20) as u16;
    let [source, destination] = [tuple.source, tuple.destination].map(|(address, _)| address.octets());
    let mut ip = Ipv4Header::new(length, TTL, protocol, source, destination).expect("a packet has a length");
    ip.header_checksum = ip.calc_header_checksum();
    frame.extend(ip.to_bytes());
    let body = match (tuple.protocol, &packet.segment) {
        (Protocol::Tcp, Some(segment)) => {
            let mut tcp = tcp(segment, tuple.source.1, tuple.destination.1, config);
            let payload = &PAYLOAD[..segment.payload as usize];
            tcp.checksum = tcp.calc_checksum_ipv4(&ip, payload).expect("the payload fits");
            frame.extend(tcp.to_bytes());
            payload
        }
        _ => {
            let payload = &PAYLOAD[..usize::from(length.saturating_sub(8))];
            let udp = UdpHeader::with_ipv4_checksum(tuple.source.1, tuple.destination.1, &ip, payload);
            frame.extend(udp.expect("the payload fits").to_bytes());
            payload
        }
    };
    frame.extend(body);
}

fn tcp(segment: &Segment, source: u16, destination: u16, config: &Config) -> TcpHeader {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp,
        WindowScale,
    };
    let syn = segment.flags & SYN != 0;
    let scale = if syn { 0 } else { WINDOW_SCALE };
    let window = (segment.window >> scale).min(u16::MAX.into()) as u16;
    let mut tcp = TcpHeader::new(source, destination, segment.seq as u32, window);
    tcp.syn = syn;
    tcp.ack = segment.flags & ACK != 0;
    tcp.acknowledgment_number = segment.ack as u32;
    let mut options: Vec<_> = if syn {
        let mut options = vec![MaximumSegmentSize(config.mss as u16), WindowScale(WINDOW_SCALE)];
        match config.recovery {
            Recovery::Sack => options.push(SelectiveAcknowledgementPermitted),
            Recovery::NewReno | Recovery::Reno => options.extend([Noop, Noop]),
        }
        options
    } else {
        let mut blocks = segment.sack_blocks().iter().map(|b| (b.0 as u32, b.1 as u32));
        let first = blocks.next();
        first
            .map(|b| SelectiveAcknowledgement(b, [blocks.next(), blocks.next(), blocks.next()]))
            .into_iter()
            .collect()
    };
    if segment.timestamps {
        options.push(Timestamp(segment.tsval, segment.tsecr));
    }
    tcp.set_options(&options).expect("a segment has no more blocks than fit beside its timestamps");
    tcp
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channel_modulation_and_the_rate_of_answers_by_profile() {
        const BAND_2GHZ: u16 = 0x0080;
        const BAND_5GHZ: u16 = 0x0100;
        const CCK: u16 = 0x0020;
        const OFDM: u16 = 0x0040;
        for (profile, kbps, frequency, flags, ack) in [
            ("std-11b", 11_000, 2412, BAND_2GHZ | CCK, 2_000),
            ("std-11b", 1_000, 2412, BAND_2GHZ | CCK, 1_000),
            ("std-11g", 54_000, 2412, BAND_2GHZ | OFDM, 24_000),
            ("std-11g", 9_000, 2412, BAND_2GHZ | OFDM, 6_000),
            ("std-11a", 54_000, 5180, BAND_5GHZ | OFDM, 24_000),
            ("std-11a", 18_000, 5180, BAND_5GHZ | OFDM, 12_000),
            ("phy-a", 54_000, 2412, BAND_2GHZ | OFDM, 24_000),
        ] {
            let phy = Phy::named(profile).unwrap();
            let header = radiotap(&phy, 7_000, kbps);
            let word = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
            assert_eq!(header[17], (kbps / 500) as u8, "{profile} {kbps}: rate");
            assert_eq!((word(18), word(20)), (frequency, flags), "{profile} {kbps}: channel");
            assert_eq!(ack_kbps(&phy, kbps), ack, "{profile} {kbps}: ACK");
        }
        // Block ACKs of this profile are sent at 6 Mb/s, whatever the data's rate.
        assert_eq!(ack_kbps(&Phy::named("wqm-11n").unwrap(), 300_000), 6_000);
        assert_eq!(half_mbps(300_000), None);
    }
}
