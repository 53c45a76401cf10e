// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Messages of the generic netlink family "airsim". Source: `kernel/airsim/genl.h`, whose numbers these are
//! (a test reads that file), and `linux/genetlink.h`.
//!
//! What it does not do: it asks nobody, and knows no ranges; the module has them.

use std::convert::Infallible;

use netlink_packet_core::{
    Emitable, NetlinkDeserializable, NetlinkHeader, NetlinkPayload, NetlinkSerializable, Nla, NlasIterator,
};

/// The family's name.
pub const FAMILY: &str = "airsim";
/// Its version.
pub const VERSION: u8 = 1;

/// Command, version, two bytes that are not used.
const HEADER: usize = 4;

macro_rules! numbers {
    ($(#[$doc:meta])* $type:ident: $($name:ident = $number:literal $word:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum $type { $($name = $number,)* }

        #[cfg(test)]
        impl $type {
            /// Every one, with its name in C.
            const ALL: &[(&str, u16)] = &[$(($word, $number),)*];
        }
    };
}

numbers! {
    /// What the module is asked to do.
    Verb:
    New = 1 "NEW",
    Set = 2 "SET",
    Del = 3 "DEL",
    Station = 4 "STATION",
    Get = 5 "GET",
}

numbers! {
    /// What is said of a cell or a station.
    Key:
    Dev = 1 "DEV",
    Phy = 2 "PHY",
    Ring = 3 "RING",
    Stop = 4 "STOP",
    Ampdu = 5 "AMPDU",
    AmpduNs = 6 "AMPDU_NS",
    Attempts = 7 "ATTEMPTS",
    DoneFrames = 8 "DONE_FRAMES",
    DoneNs = 9 "DONE_NS",
    Orphan = 10 "ORPHAN",
    Seed = 11 "SEED",
    Name = 12 "NAME",
    Kbps = 13 "KBPS",
    Mcs = 14 "MCS",
    Streams = 15 "STREAMS",
    Width = 16 "WIDTH",
    Gi = 17 "GI",
    Fer = 18 "FER",
    Asleep = 19 "ASLEEP",
    Held = 20 "HELD",
    Dropped = 21 "DROPPED",
    Down = 22 "DOWN",
    Up = 23 "UP",
    NsDown = 24 "NS_DOWN",
    NsUp = 25 "NS_UP",
    NsCollision = 26 "NS_COLLISION",
    NsIdle = 27 "NS_IDLE",
    Ifindex = 28 "IFINDEX",
}

numbers! {
    /// What is counted of one way.
    WayKey:
    Frames = 1 "FRAMES",
    Bytes = 2 "BYTES",
    Failed = 3 "FAILED",
    Attempts = 4 "ATTEMPTS",
    Exchanges = 5 "EXCHANGES",
    Collided = 6 "COLLIDED",
    Air = 7 "AIR",
    Waiting = 8 "WAITING",
}

/// One attribute: its number, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    kind: u16,
    value: Vec<u8>,
}

impl Attribute {
    /// Of a number of any family.
    pub fn raw(kind: u16, value: &[u8]) -> Attribute {
        Attribute { kind, value: value.to_vec() }
    }

    /// A text, which ends with a zero.
    pub fn text(key: Key, text: &str) -> Attribute {
        Attribute::raw(key as u16, &[text.as_bytes(), b"\0"].concat())
    }

    /// A number of 32 bits.
    pub fn word(key: Key, word: u32) -> Attribute {
        Attribute::raw(key as u16, &word.to_ne_bytes())
    }

    /// A number of 64 bits.
    pub fn long(key: Key, long: u64) -> Attribute {
        Attribute::raw(key as u16, &long.to_ne_bytes())
    }
}

impl Nla for Attribute {
    fn value_len(&self) -> usize {
        self.value.len()
    }

    fn kind(&self) -> u16 {
        self.kind
    }

    fn emit_value(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.value);
    }
}

/// Attributes that came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(pub Vec<Attribute>);

impl Attributes {
    /// As many as are whole.
    pub fn parse(bytes: &[u8]) -> Attributes {
        let whole = NlasIterator::new(bytes).map_while(Result::ok);
        Attributes(whole.map(|attr| Attribute::raw(attr.kind(), attr.value())).collect())
    }

    fn value(&self, kind: u16) -> Option<&[u8]> {
        self.0.iter().find(|attr| attr.kind == kind).map(|attr| &attr.value[..])
    }

    /// A number of 16, 32 or 64 bits.
    pub fn number(&self, kind: u16) -> Option<u64> {
        match self.value(kind)? {
            &[a, b] => Some(u16::from_ne_bytes([a, b]).into()),
            &[a, b, c, d] => Some(u32::from_ne_bytes([a, b, c, d]).into()),
            long => Some(u64::from_ne_bytes(long.try_into().ok()?)),
        }
    }

    /// A text without the zero at its end.
    pub fn text(&self, kind: u16) -> Option<String> {
        let bytes = self.value(kind)?;
        Some(String::from_utf8_lossy(bytes.strip_suffix(b"\0").unwrap_or(bytes)).into_owned())
    }

    /// The attributes within one.
    pub fn nest(&self, kind: u16) -> Option<Attributes> {
        self.value(kind).map(Attributes::parse)
    }
}

/// A message of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The family's number.
    pub family: u16,
    /// One of its commands.
    pub command: u8,
    /// What is said.
    pub attributes: Attributes,
}

impl NetlinkSerializable for Message {
    fn message_type(&self) -> u16 {
        self.family
    }

    fn buffer_len(&self) -> usize {
        HEADER + self.attributes.0.as_slice().buffer_len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..HEADER].copy_from_slice(&[self.command, VERSION, 0, 0]);
        self.attributes.0.as_slice().emit(&mut buffer[HEADER..]);
    }
}

impl From<Message> for NetlinkPayload<Message> {
    fn from(message: Message) -> NetlinkPayload<Message> {
        NetlinkPayload::InnerMessage(message)
    }
}

impl NetlinkDeserializable for Message {
    type Error = Infallible;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Message, Infallible> {
        Ok(Message {
            family: header.message_type,
            command: payload.first().copied().unwrap_or(0),
            attributes: Attributes::parse(payload.get(HEADER..).unwrap_or(&[])),
        })
    }
}

#[cfg(test)]
mod tests {
    use netlink_packet_core::NetlinkMessage;

    use super::*;

    const HEADER_FILE: &str = include_str!("../../../../../kernel/airsim/genl.h");

    /// The names of an enum of C behind AIRSIM_ and a prefix, with their numbers.
    fn enumerators(name: &str, prefix: &str) -> Vec<(String, u16)> {
        let (_, rest) = HEADER_FILE.split_once(&format!("enum {name} {{")).expect("it is there");
        let (body, _) = rest.split_once("};").expect("it ends");
        let mut next = 0;
        let mut all = Vec::new();
        for line in body.lines() {
            let code = line.split("/*").next().expect("a part").trim().trim_end_matches(',');
            let Some(code) = code.strip_prefix("AIRSIM_").filter(|code| !code.is_empty()) else { continue };
            let (name, number) = code
                .split_once(" = ")
                .map_or((code, next), |(name, number)| (name, number.parse().expect("a number")));
            next = number + 1;
            all.push((name.strip_prefix(prefix).unwrap_or(name).to_string(), number));
        }
        all
    }

    fn assert_same(of_c: Vec<(String, u16)>, here: &[(&str, u16)]) {
        let of_c: Vec<_> =
            of_c.iter().map(|(n, i)| (&n[..], *i)).filter(|(n, _)| !["PAD", "ATTRS"].contains(n)).collect();
        assert_eq!(of_c, here);
    }

    #[test]
    fn numbers_are_those_of_the_module() {
        assert_same(enumerators("airsim_command", ""), Verb::ALL);
        assert_same(enumerators("airsim_attr", ""), Key::ALL);
        assert_same(enumerators("airsim_way_attr", "WAY_"), WayKey::ALL);
        assert!(HEADER_FILE.contains(&format!("#define AIRSIM_FAMILY \"{FAMILY}\"\n")));
        assert!(HEADER_FILE.contains(&format!("#define AIRSIM_VERSION {VERSION}\n")));
    }

    fn bytes(message: &Message) -> Vec<u8> {
        let mut netlink = NetlinkMessage::from(message.clone());
        netlink.finalize();
        let mut buffer = vec![0; netlink.buffer_len()];
        netlink.serialize(&mut buffer);
        buffer
    }

    /// Byte by byte as `linux/netlink.h` has it: lengths without padding, values padded to four bytes.
    #[test]
    #[cfg(target_endian = "little")]
    fn a_message_is_laid_out_as_netlink_wants_it() {
        let attributes = vec![
            Attribute::text(Key::Dev, "air0"),
            Attribute::word(Key::Ring, 1000),
            Attribute::long(Key::Seed, 7),
        ];
        let message = Message { family: 0x1f, command: Verb::New as u8, attributes: Attributes(attributes) };
        let sent = bytes(&message);
        assert_eq!(sent[..4], 52_u32.to_ne_bytes(), "16 of netlink, 4 of the family, 12 + 8 + 12");
        assert_eq!(sent[4..6], [0x1f, 0]);
        assert_eq!(sent[16..20], [1, 1, 0, 0]);
        assert_eq!(sent[20..32], *b"\x09\0\x01\0air0\0\0\0\0");
        assert_eq!(sent[32..40], [8, 0, 3, 0, 0xe8, 3, 0, 0]);
        assert_eq!(sent[40..], [12, 0, 11, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_sent_is_read_back() {
        let way = Attribute::raw(Key::Down as u16 | 0x8000, &[12, 0, 7, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
        let attributes = vec![Attribute::text(Key::Name, "fast"), Attribute::word(Key::Kbps, 54_000), way];
        let message = Message { family: 20, command: 5, attributes: Attributes(attributes) };
        let read = NetlinkMessage::<Message>::deserialize(&bytes(&message)).expect("it is whole");
        let NetlinkPayload::InnerMessage(read) = read.payload else { panic!("{read:?}") };
        assert_eq!((read.family, read.command), (20, 5));
        let attributes = &read.attributes;
        assert_eq!(attributes.text(Key::Name as u16).as_deref(), Some("fast"));
        assert_eq!(attributes.number(Key::Kbps as u16), Some(54_000));
        let down = attributes.nest(Key::Down as u16).expect("a nest");
        assert_eq!(down.number(WayKey::Air as u16), Some(9));
        assert_eq!(down.number(WayKey::Bytes as u16), None);
    }

    /// Cut anywhere, it is read as far as it goes.
    #[test]
    fn a_message_that_is_cut_short_makes_no_panic() {
        let attributes = vec![Attribute::text(Key::Name, "fast"), Attribute::long(Key::Held, 3)];
        let message = Message { family: 20, command: 5, attributes: Attributes(attributes) };
        let whole = bytes(&message);
        for end in 16..whole.len() {
            let read =
                Message::deserialize(&NetlinkHeader::default(), &whole[16..end]).expect("it never fails");
            assert!(read.attributes.0.len() < 2, "{end} bytes: {read:?}");
        }
    }
}
