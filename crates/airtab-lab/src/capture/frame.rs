// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames as bytes: IEEE 802.11, LLC/SNAP, IPv4, TCP and UDP, behind their radiotap header (`radiotap`).
//!
//! Addresses are locally administered: the access point is 02:61:74:00:00:00,
//! station i 02:61:74:01:i, the router behind the access point
//! 02:61:74:02:00:00.
//!
//! Where rates are by MCS, DATA is QoS DATA: its sequence numbers are those of the block acknowledgement
//! agreement, or without one count per receiver and TID. Else they count per sender, as without QoS.
//!
//! What it does not do: the calibrated profiles count 34 bytes around an IP
//! packet where 802.11 has 36; the frames here have 36, less 4 of FCS.

use std::collections::BTreeMap;

use airtab_core::{Control, Format, Phy, Rate};
use airtab_sim::address::{self, Protocol};
use airtab_sim::tcp::{ACK, CWR, Config, ECE, Recovery, SYN, Segment};
use airtab_sim::wifi::{Beacon, Category, CellConfig};
use airtab_sim::{AirFrame, AirPacket, Content, Scenario};
use etherparse::{IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};

use super::agreement::{Scoreboards, Way, control, sequence_control, tid, way};
use super::radiotap::{CHANNEL_2GHZ, Subframe, half_mbps, radiotap};

pub(super) const AP_MAC: [u8; 6] = [2, b'a', b't', 0, 0, 0];
const ROUTER_MAC: [u8; 6] = [2, b'a', b't', 2, 0, 0];
const BROADCAST: [u8; 6] = [255; 6];

pub(super) fn station_mac(i: usize) -> [u8; 6] {
    let [high, low] = (i as u16).to_be_bytes();
    [2, b'a', b't', 1, high, low]
}

/// Frame control, first byte: type and subtype.
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
const BEACON: u8 = 0x80;
const ACKNOWLEDGE: u8 = 0xd4;
const BLOCK_ACK_REQUEST: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
const REQUEST_TO_SEND: u8 = 0xb4;
const CLEAR_TO_SEND: u8 = 0xc4;
/// Frame control, second byte.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;
/// QoS control, first byte.
const NO_ACK: u8 = 0x20;
const A_MSDU: u8 = 0x80;

/// LLC/SNAP header of IPv4 (RFC 1042).
const LLC_IPV4: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
const TTL: u8 = 64;
/// Window scale that every SYN announces: the simulated window fits then.
const WINDOW_SCALE: u8 = 7;
static PAYLOAD: [u8; 65_536] = [0; 65_536];

/// Makes frames of one channel; keeps the sequence numbers of its senders.
pub(super) struct Frames {
    phy: Phy,
    /// Profile with the rate of RTS and CTS.
    rts_phy: Phy,
    beacon: Option<Beacon>,
    /// TCP of each application.
    tcp: Vec<Config>,
    /// MPDUs of a block acknowledgement agreement; 0: there are none.
    window: u16,
    /// Where frames have no numbers of an agreement: the last one given, by who counts.
    sequence: BTreeMap<Way, u16>,
    received: Scoreboards,
    /// Aggregates so far.
    aggregates: u32,
}

impl Frames {
    pub(super) fn new(scenario: &Scenario) -> Frames {
        let cell = scenario.medium.cell();
        let phy = scenario.medium.phy().expect("captures are of 802.11: the scenario has a PHY");
        let tcp = scenario.apps.iter().map(|app| app.tcp.as_deref().copied().unwrap_or(scenario.tcp));
        Frames {
            phy,
            rts_phy: cell.map_or(phy, CellConfig::rts_phy),
            beacon: cell.and_then(|cell| cell.beacon),
            tcp: tcp.collect(),
            window: cell.and_then(|cell| cell.aggregation).map_or(0, |aggregation| aggregation.window),
            sequence: BTreeMap::new(),
            received: Scoreboards::default(),
            aggregates: 0,
        }
    }

    /// TCP of the application that a packet belongs to, by the address of its server.
    fn tcp(&self, packet: &AirPacket) -> &Config {
        let ends = [packet.tuple.source, packet.tuple.destination];
        let number = ends.iter().find_map(|(ip, _)| address::server_number(*ip)).unwrap_or(0);
        self.tcp.get(usize::from(number)).unwrap_or(&self.tcp[0])
    }

    /// A PPDU, as many MPDUs as it has numbers: each with what it says of the attempt. And what its receivers
    /// get of it is known from now on.
    pub(super) fn ppdu<'a>(&mut self, seen: &'a [AirFrame]) -> Vec<(&'a AirFrame, Vec<u8>)> {
        let mpdus = mpdus(seen).count();
        let always = seen[0].rate.format() >= Format::Vht;
        let aggregate = mpdus > 1 || always;
        self.aggregates += u32::from(aggregate);
        seen.iter().for_each(|frame| self.received.hear(frame));
        let mut frames = Vec::with_capacity(mpdus);
        for (i, parts) in self::mpdus(seen).enumerate() {
            let subframe = aggregate.then_some(Subframe {
                reference: self.aggregates,
                last: i + 1 == mpdus,
                alone: mpdus == 1 && seen[0].rate.ru() == 0,
            });
            let frame = &parts[0];
            let bytes = match frame.content {
                Content::Beacon => self.beacon(frame),
                Content::Rts => self.request_to_send(frame),
                Content::BlockAckRequest => self.block_ack_request(frame),
                Content::Packet(_) => self.data(parts, subframe),
            };
            frames.push((frame, bytes));
        }
        frames
    }

    /// What answers a PPDU that was received: when it begins, ns, and the frame.
    pub(super) fn answer(&self, seen: &[AirFrame]) -> (u64, Vec<u8>) {
        let frame = &seen[0];
        let start_ns = frame.start_ns + frame.data_ns + self.phy.sifs_ns();
        let mut bytes = radiotap(&self.phy, start_ns, &self.answer_rate(frame), None);
        let [to, from] = ends(frame);
        match (frame.content, frame.sequence) {
            (Content::Rts, _) => {
                let cts_ns = self.phy.sifs_ns() + self.rts_phy.control_ns(&frame.rate, Control::Cts);
                bytes.extend([CLEAR_TO_SEND, 0]);
                bytes.extend(duration(frame.rest_ns.saturating_sub(cts_ns)));
                bytes.extend(from);
            }
            (content, Some(start))
                if content == Content::BlockAckRequest || frame.rate.ru() > 0 || mpdus(seen).count() > 1 =>
            {
                bytes.extend([BLOCK_ACK, 0, 0, 0]);
                bytes.extend([from, to].as_flattened());
                bytes.extend(self.received.block_ack(&way(frame), start, self.window));
            }
            _ => {
                bytes.extend([ACKNOWLEDGE, 0, 0, 0]);
                bytes.extend(from);
            }
        }
        (start_ns, bytes)
    }

    fn beacon(&mut self, seen: &AirFrame) -> Vec<u8> {
        let beacon = self.beacon.expect("there is one on the air");
        let mut frame = radiotap(&self.phy, seen.start_ns, &seen.rate, None);
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

    fn request_to_send(&self, seen: &AirFrame) -> Vec<u8> {
        let rate = Rate::legacy(self.rts_phy.control_kbps(&seen.rate));
        let mut frame = radiotap(&self.phy, seen.start_ns, &rate, None);
        frame.extend([REQUEST_TO_SEND, 0]);
        frame.extend(duration(seen.rest_ns));
        frame.extend(ends(seen).as_flattened());
        frame
    }

    fn block_ack_request(&self, seen: &AirFrame) -> Vec<u8> {
        let mut frame = radiotap(&self.phy, seen.start_ns, &seen.rate, None);
        frame.extend([BLOCK_ACK_REQUEST, 0]);
        frame.extend(duration(seen.rest_ns));
        frame.extend(ends(seen).as_flattened());
        frame.extend(control(seen.category));
        frame.extend(sequence_control(seen.sequence.unwrap_or(0), 0));
        frame
    }

    /// An MPDU with a packet, or with several: an A-MSDU.
    fn data(&mut self, parts: &[AirFrame], subframe: Option<Subframe>) -> Vec<u8> {
        let seen = &parts[0];
        let peer = seen.station.map_or(BROADCAST, station_mac);
        let mut frame = radiotap(&self.phy, seen.start_ns, &seen.rate, subframe);
        let retry = if seen.attempt > 1 { RETRY } else { 0 };
        let several = parts.len() > 1;
        let [to, from] = ends(seen);
        // The far end of an A-MSDU's packets is in their own headers.
        let third = if several { AP_MAC } else { ROUTER_MAC };
        let direction = if seen.down { FROM_DS } else { TO_DS };
        let kind = if self.phy.has_mcs() { QOS_DATA } else { DATA };
        header(&mut frame, [kind, direction | retry], seen.rest_ns, [to, from, third], self.sequence(seen));
        if self.phy.has_mcs() {
            let no_ack = if seen.station.is_none() { NO_ACK } else { 0 };
            let amsdu = if several { A_MSDU } else { 0 };
            frame.extend([tid(seen.category) | no_ack | amsdu, 0]);
        }
        let body = frame.len();
        for part in parts {
            let Content::Packet(packet) = &part.content else { continue };
            if several {
                let padding = (frame.len() - body).next_multiple_of(4) - (frame.len() - body);
                frame.extend(&PAYLOAD[..padding]);
                let far = if seen.down { [peer, ROUTER_MAC] } else { [ROUTER_MAC, peer] };
                frame.extend(far.as_flattened());
                frame.extend((LLC_IPV4.len() as u16 + packet.bytes as u16).to_be_bytes());
            }
            frame.extend(LLC_IPV4);
            ipv4(&mut frame, packet, self.tcp(packet));
        }
        frame
    }

    /// The rate of what answers a frame.
    fn answer_rate(&self, seen: &AirFrame) -> Rate {
        match seen.content {
            Content::Rts => Rate::legacy(self.rts_phy.control_kbps(&seen.rate)),
            Content::Packet(_) if !self.phy.has_mcs() => Rate::legacy(ack_kbps(&self.phy, seen.kbps)),
            _ => Rate::legacy(self.phy.control_kbps(&seen.rate)),
        }
    }

    fn sequence(&mut self, seen: &AirFrame) -> u16 {
        if let Some(number) = seen.sequence {
            return (number & 0xfff) as u16;
        }
        let single = !self.phy.has_mcs() || seen.station.is_none();
        let counter = match single {
            true => (seen.down, seen.station.filter(|_| !seen.down), Category::BestEffort),
            false => way(seen),
        };
        let number = self.sequence.entry(counter).or_insert(0);
        if seen.attempt <= 1 {
            *number = (*number + 1) & 0xfff;
        }
        *number
    }
}

/// Whether two frames are of one PPDU.
pub(super) fn together(a: &AirFrame, b: &AirFrame) -> bool {
    let packets = matches!((a.content, b.content), (Content::Packet(_), Content::Packet(_)));
    packets && (a.start_ns, way(a)) == (b.start_ns, way(b))
}

/// The MPDUs of a PPDU: packets that have one number are in one.
fn mpdus(seen: &[AirFrame]) -> impl Iterator<Item = &[AirFrame]> {
    seen.chunk_by(|a, b| a.sequence.is_some() && a.sequence == b.sequence)
}

/// Receiver and transmitter.
fn ends(seen: &AirFrame) -> [[u8; 6]; 2] {
    let peer = seen.station.map_or(BROADCAST, station_mac);
    if seen.down { [peer, AP_MAC] } else { [AP_MAC, peer] }
}

fn duration(ns: u64) -> [u8; 2] {
    (ns.div_ceil(1000).min(32_767) as u16).to_le_bytes()
}

/// 802.11 header of three addresses; what follows the frame lasts `answer_ns`.
fn header(frame: &mut Vec<u8>, control: [u8; 2], answer_ns: u64, addresses: [[u8; 6]; 3], sequence: u16) {
    frame.extend(control);
    frame.extend(duration(answer_ns));
    frame.extend(addresses.as_flattened());
    frame.extend((sequence << 4).to_le_bytes());
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
    (tcp.ece, tcp.cwr) = (segment.flags & ECE != 0, segment.flags & CWR != 0);
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
    use airtab_sim::address::FiveTuple;

    use super::*;

    #[test]
    fn the_rate_of_answers_by_profile() {
        for (profile, kbps, ack) in [
            ("std-11b", 11_000, 2_000),
            ("std-11b", 1_000, 1_000),
            ("std-11g", 54_000, 24_000),
            ("std-11g", 9_000, 6_000),
            ("std-11a", 54_000, 24_000),
            ("std-11a", 18_000, 12_000),
            ("phy-a", 54_000, 24_000),
            // Block ACKs of this profile are sent at 6 Mb/s, whatever the data's rate.
            ("wqm-11n", 300_000, 6_000),
        ] {
            let phy = Phy::named(profile).unwrap();
            assert_eq!(ack_kbps(&phy, kbps), ack, "{profile} {kbps}: ACK");
        }
    }

    fn segment() -> Segment {
        Segment {
            seq: (3 << 32) + 123_456,
            ack: (5 << 32) + 777,
            payload: 1000,
            window: 300_000,
            flags: ACK | ECE,
            timestamps: true,
            tsval: 11,
            tsecr: 22,
            ..Segment::default()
        }
    }

    #[test]
    fn a_segment_is_its_header() {
        let config = Config::home();
        let found = tcp(&segment(), 80, 5000, &config);
        assert_eq!((found.source_port, found.destination_port), (80, 5000));
        assert_eq!((found.sequence_number, found.acknowledgment_number), (123_456, 777));
        assert_eq!((found.syn, found.ack, found.ece, found.cwr), (false, true, true, false));
        // In units of 128 bytes.
        assert_eq!(found.window_size, 2343);
        let options = |found: &TcpHeader| found.options_iterator().map(Result::unwrap).collect::<Vec<_>>();
        assert_eq!(options(&found), [TcpOptionElement::Timestamp(11, 22)]);
        let found = tcp(&Segment { flags: CWR, window: u32::MAX, ..segment() }, 80, 5000, &config);
        assert_eq!((found.ack, found.ece, found.cwr, found.window_size), (false, false, true, u16::MAX));
        // The window of a SYN has no scale.
        let syn = Segment { flags: SYN, window: 64_000, timestamps: false, ..segment() };
        let found = tcp(&syn, 80, 5000, &config);
        assert_eq!((found.syn, found.ack, found.window_size), (true, false, 64_000));
        use TcpOptionElement::{
            MaximumSegmentSize, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, WindowScale,
        };
        let mss = MaximumSegmentSize(config.mss as u16);
        assert_eq!(options(&found), [mss, WindowScale(7), SelectiveAcknowledgementPermitted]);
        // Blocks in their order, as far as there are any.
        let sack = [(1 << 32, (1 << 32) + 5), (30, 40), (70, 90), (0, 0)];
        let with = |sack_len| {
            let segment = Segment { sack, sack_len, timestamps: false, ..segment() };
            options(&tcp(&segment, 80, 5000, &config))
        };
        assert_eq!(with(1), [SelectiveAcknowledgement((0, 5), [None; 3])]);
        assert_eq!(with(3), [SelectiveAcknowledgement((0, 5), [Some((30, 40)), Some((70, 90)), None])]);
    }

    #[test]
    fn a_packet_has_its_ends_and_its_length() {
        let hosts = [[198, 18, 0, 9], [10, 0, 0, 3]];
        let [source, destination] = hosts.map(std::net::Ipv4Addr::from);
        let packet = |protocol, bytes, segment| {
            let tuple = FiveTuple { source: (source, 443), destination: (destination, 5001), protocol };
            let mut frame = Vec::new();
            ipv4(&mut frame, &AirPacket { tuple, bytes, segment }, &Config::home());
            frame
        };
        let udp = packet(Protocol::Udp, 200, None);
        let (ip, rest) = Ipv4Header::from_slice(&udp).unwrap();
        assert_eq!((udp.len(), ip.total_len, ip.time_to_live, ip.protocol.0), (200, 200, 64, 17));
        assert_eq!([ip.source, ip.destination], hosts);
        let (head, body) = UdpHeader::from_slice(rest).unwrap();
        assert_eq!((head.source_port, head.destination_port, head.length, body.len()), (443, 5001, 180, 172));
        // Timestamps: 12 bytes of options.
        let tcp = packet(Protocol::Tcp, 1052, Some(segment()));
        let (ip, rest) = Ipv4Header::from_slice(&tcp).unwrap();
        assert_eq!((tcp.len(), ip.total_len, ip.protocol.0), (1052, 1052, 6));
        let (head, body) = TcpHeader::from_slice(rest).unwrap();
        assert_eq!((head.source_port, head.destination_port, body.len()), (443, 5001, 1000));
    }

    fn seen(down: bool, station: Option<usize>, attempt: u8, content: Content) -> AirFrame {
        AirFrame {
            start_ns: 7_654_321_000,
            data_ns: 100_000,
            rest_ns: 34_001,
            kbps: 54_000,
            rate: Rate::legacy(54_000),
            down,
            station,
            category: Category::BestEffort,
            sequence: None,
            attempt,
            end: airtab_sim::wifi::End::Acked,
            content,
        }
    }

    /// The MPDU: the bytes after the radiotap header.
    fn mac(bytes: &[u8]) -> &[u8] {
        &bytes[usize::from(u16::from_le_bytes([bytes[2], bytes[3]]))..]
    }

    /// The SYN of each application has its own options: MSS 1460 with SACK permitted, MSS 1000 without, in both directions.
    #[test]
    fn a_syn_has_the_options_of_its_application() {
        let mut scenario = airtab_scenario::ScenarioFile::home().scenario;
        scenario.apps[4].tcp = Some(Box::new(Config::ns2_35()));
        let frames = Frames::new(&scenario);
        for (number, expected) in [(3, (1460, Recovery::Sack)), (4, (1000, Recovery::NewReno))] {
            let tuple = FiveTuple {
                source: (address::server(number), 80),
                destination: (address::station(number), 50_000),
                protocol: Protocol::Tcp,
            };
            for tuple in [tuple, tuple.reversed()] {
                let found = frames.tcp(&AirPacket { tuple, bytes: 52, segment: Some(segment()) });
                assert_eq!((found.mss, found.recovery), expected, "{number}");
            }
        }
    }

    fn home() -> Frames {
        let scenario = airtab_scenario::ScenarioFile::home().scenario;
        Frames::new(&scenario)
    }

    #[test]
    fn data_frames_say_who_sends_to_whom_and_how_often() {
        let host = |port| (std::net::Ipv4Addr::new(10, 0, 0, 1), port);
        let tuple = FiveTuple { source: host(1), destination: host(2), protocol: Protocol::Udp };
        let data = Content::Packet(AirPacket { tuple, bytes: 60, segment: None });
        let mut frames = home();
        let mut told = |down, station, attempt| {
            let ppdu = [seen(down, Some(station), attempt, data)];
            let bytes = frames.ppdu(&ppdu).remove(0).1;
            let mac = mac(&bytes);
            let number = u16::from_le_bytes([mac[22], mac[23]]) >> 4;
            assert_eq!((mac[0], u16::from_le_bytes([mac[2], mac[3]])), (0x08, 35), "us, rounded up");
            let [to, from, far] = [4, 10, 16].map(|at| mac[at..at + 6].to_vec());
            assert_eq!((far, mac.len()), (vec![2, 0x61, 0x74, 2, 0, 0], 24 + 8 + 60));
            (mac[1], to, from, number)
        };
        let ap = vec![2, 0x61, 0x74, 0, 0, 0];
        let of = |station: u16| [&[2, 0x61, 0x74, 1][..], &station.to_be_bytes()].concat();
        // The access point counts by itself, and so does each station.
        assert_eq!(told(true, 3, 1), (0x02, of(3), ap.clone(), 1));
        assert_eq!(told(true, 3, 2), (0x0a, of(3), ap.clone(), 1));
        assert_eq!(told(true, 300, 1), (0x02, of(300), ap.clone(), 2));
        assert_eq!(told(false, 3, 1), (0x01, ap.clone(), of(3), 1));
        assert_eq!(told(false, 300, 1), (0x01, ap.clone(), of(300), 1));
        assert_eq!(told(false, 300, 1), (0x01, ap.clone(), of(300), 2));
        assert_eq!(told(false, 300, 3), (0x09, ap, of(300), 2));
    }

    #[test]
    fn a_beacon_tells_its_time_and_its_interval() {
        let mut frames = home();
        for (interval_ns, units) in [(102_400_000, 100), (100_000_000, 98), (51_200_000, 50)] {
            let beacon = Beacon { interval_ns, first_ns: None, kbps: 5_500, bytes: 150 };
            frames.beacon = Some(beacon);
            let bytes = frames.ppdu(&[seen(true, None, 1, Content::Beacon)]).remove(0).1;
            let mac = mac(&bytes);
            assert_eq!((mac[0], &mac[4..10], mac.len()), (0x80, &[255; 6][..], 146), "less its FCS");
            assert_eq!(u64::from_le_bytes(mac[24..32].try_into().unwrap()), 7_654_321, "us");
            assert_eq!(u16::from_le_bytes([mac[32], mac[33]]), units, "of 1024 us");
            assert_eq!(mac[34..44], [1, 0, 0, 6, b'a', b'i', b'r', b't', b'a', b'b']);
            // One basic rate of 5.5 Mb/s, and the channel.
            assert_eq!(mac[44..50], [1, 1, 0x80 | 11, 3, 1, 1]);
        }
    }

    /// Frames of a cell of that profile, its PHY, and a rate of it.
    fn cell(profile: &str, ru: Option<u16>) -> (Frames, Phy, Rate) {
        let text = format!(
            "duration = \"1s\"\n[wifi]\nphy = \"{profile}\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"download\"\n\
             station = \"s\"\n"
        );
        let file = airtab_scenario::ScenarioFile::parse("mine.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let phy = Phy::named(profile).unwrap();
        let spec = airtab_core::RateSpec { format: None, mcs: 3, streams: None, width: None, gi: None, ru };
        let rate = phy.rate(&spec).unwrap_or_else(|e| panic!("{e:?}"));
        (Frames::new(&file.scenario), phy, rate)
    }

    /// A UDP packet of so many bytes under that number, at `rate`.
    fn packet(rate: Rate, (down, station): (bool, Option<usize>), number: u64, bytes: u32) -> AirFrame {
        let host = |port| (std::net::Ipv4Addr::new(10, 0, 0, 1), port);
        let tuple = FiveTuple { source: host(1), destination: host(2), protocol: Protocol::Udp };
        let content = Content::Packet(AirPacket { tuple, bytes, segment: None });
        AirFrame { rate, kbps: rate.kbps(), sequence: Some(number), ..seen(down, station, 1, content) }
    }

    /// Number and flags of an A-MPDU, behind 22 bytes and what the format puts in front of it.
    fn ampdu(bytes: &[u8], at: usize) -> Option<(u32, u16)> {
        let present = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
        let number = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        (present & 1 << 20 != 0).then(|| (number, u16::from_le_bytes([bytes[at + 4], bytes[at + 5]])))
    }

    /// Each aggregate has the next number; its last MPDU is known to be that; a lone one of HT is in none.
    #[test]
    fn aggregates_are_numbered_and_have_a_last_part() {
        let (mut frames, _, rate) = cell("std-11n", None);
        let way = (true, Some(0));
        let of = |numbers: &[u64]| numbers.iter().map(|n| packet(rate, way, *n, 100)).collect::<Vec<_>>();
        let mut told = |numbers: &[u64]| {
            let ppdu = of(numbers);
            let parts = frames.ppdu(&ppdu);
            parts.iter().map(|(_, bytes)| ampdu(bytes, 28)).collect::<Vec<_>>()
        };
        const KNOWN: u16 = 0x0004;
        const LAST: u16 = 0x000c;
        assert_eq!(told(&[10, 11, 12]), [Some((1, KNOWN)), Some((1, KNOWN)), Some((1, LAST))]);
        assert_eq!(told(&[13]), [None]);
        assert_eq!(
            told(&[14, 14, 15]),
            [Some((2, KNOWN)), Some((2, LAST))],
            "of two packets under one number"
        );
        // From 802.11ac on a lone one is an aggregate that says so; on a resource unit it does not.
        for (profile, ru, flags) in [
            ("std-11ac", None, LAST | 0x00c0),
            ("std-11ax", None, LAST | 0x00c0),
            ("std-11ax", Some(242), LAST),
        ] {
            let (mut frames, _, rate) = cell(profile, ru);
            let ppdu = [packet(rate, way, 7, 100)];
            assert_eq!(ampdu(&frames.ppdu(&ppdu)[0].1, 24), Some((1, flags)), "{profile} {ru:?}");
        }
    }

    /// IEEE 802.11-2020 9.3.2.2: far end and near end, length and packet, each part at a multiple of four bytes.
    #[test]
    fn an_a_msdu_has_a_header_for_each_packet() {
        let router = [2, 0x61, 0x74, 2, 0, 0];
        let station = [2, 0x61, 0x74, 1, 0, 5];
        for (down, ends) in [(true, [station, router]), (false, [router, station])] {
            let (mut frames, _, rate) = cell("std-11n", None);
            let ppdu = [101, 60].map(|bytes| packet(rate, (down, Some(5)), 9, bytes));
            let bytes = frames.ppdu(&ppdu).remove(0).1;
            let mac = mac(&bytes);
            // QoS control: best effort, an A-MSDU.
            assert_eq!((mac[0], &mac[24..26], &mac[16..22]), (0x88, &[0x80, 0][..], &AP_MAC[..]));
            let body = &mac[26..];
            assert_eq!((&body[..12], &body[12..14]), (ends.as_flattened(), &109u16.to_be_bytes()[..]));
            // 14 + 8 + 101 bytes, and one more.
            let second = &body[124..];
            assert_eq!((&second[..12], &second[12..14]), (ends.as_flattened(), &68u16.to_be_bytes()[..]));
            assert_eq!((second.len(), body[123]), (14 + 8 + 60, 0));
        }
        let (mut frames, _, rate) = cell("std-11n", None);
        let alone = |frames: &mut Frames, station| {
            let bytes = frames.ppdu(&[packet(rate, (true, station), 9, 60)]).remove(0).1;
            mac(&bytes)[24..26].to_vec()
        };
        assert_eq!(alone(&mut frames, Some(5)), [0, 0]);
        assert_eq!(alone(&mut frames, None), [0x20, 0], "nobody answers what is for all");
    }

    /// SIFS after its end: a BLOCK ACK of an aggregate and of a resource unit, else an ACK; a CTS keeps the rest reserved.
    #[test]
    fn each_ppdu_has_its_answer() {
        let (mut frames, phy, rate) = cell("std-11ax", None);
        let way = (true, Some(5));
        let start_ns = 7_654_321_000 + 100_000 + phy.sifs_ns();
        let several: Vec<AirFrame> = [20, 21, 23].map(|n| packet(rate, way, n, 60)).into();
        frames.ppdu(&several);
        let (at, bytes) = frames.answer(&several);
        let answer = mac(&bytes);
        assert_eq!((at, answer[0]), (start_ns, 0x94));
        let from = [2, 0x61, 0x74, 1, 0, 5];
        assert_eq!((&answer[4..10], &answer[10..16]), (&AP_MAC[..], &from[..]), "to who sent it");
        // From 20 on: 20, 21 and 23, of a window of 256.
        assert_eq!((answer[20], answer.len()), (0b1011, 20 + 32));
        let alone = [packet(rate, way, 30, 60)];
        frames.ppdu(&alone);
        let bytes = frames.answer(&alone).1;
        assert_eq!((mac(&bytes)[0], mac(&bytes).len(), &mac(&bytes)[4..10]), (0xd4, 10, &AP_MAC[..]));
        let (mut of_units, _, unit) = cell("std-11ax", Some(242));
        let alone = [packet(unit, way, 30, 60)];
        of_units.ppdu(&alone);
        assert_eq!(mac(&of_units.answer(&alone).1)[0], 0x94);
        // What the RTS reserved, less SIFS and this CTS.
        let rts =
            AirFrame { rest_ns: 500_000, content: Content::Rts, sequence: None, ..packet(rate, way, 1, 60) };
        let bytes = frames.answer(&[rts]).1;
        let rest = 500_000 - phy.sifs_ns() - phy.control_ns(&rate, Control::Cts);
        let clear = mac(&bytes);
        assert_eq!((clear[0], u16::from_le_bytes([clear[2], clear[3]])), (0xc4, rest.div_ceil(1000) as u16));
        // A request of a BLOCK ACK, and what is answered to it.
        let bar = AirFrame { content: Content::BlockAckRequest, ..packet(rate, way, 20, 60) };
        let bytes = frames.ppdu(&[bar]).remove(0).1;
        let asked = mac(&bytes);
        assert_eq!((asked[0], &asked[4..10], &asked[16..20]), (0x84, &from[..], &[0x04, 0, 0x40, 0x01][..]));
        assert_eq!((mac(&frames.answer(&[bar]).1)[0], mac(&frames.answer(&[bar]).1)[20]), (0x94, 0b1011));
    }
}
