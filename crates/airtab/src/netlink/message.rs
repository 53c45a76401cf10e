// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Messages of netlink as commands here speak it: a header of a few bytes that is the protocol's, and attributes.
//! Source: `linux/netlink.h`, `linux/genetlink.h`.
//!
//! What it does not do: it knows no protocol's numbers, and asks nobody (`socket`).

use std::convert::Infallible;

use netlink_packet_core::{
    Emitable, NetlinkDeserializable, NetlinkHeader, NetlinkPayload, NetlinkSerializable, Nla, NlasIterator,
};

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
    pub fn text(kind: impl Into<u16>, text: &str) -> Attribute {
        Attribute::raw(kind.into(), &[text.as_bytes(), b"\0"].concat())
    }

    /// A number of 32 bits.
    pub fn word(kind: impl Into<u16>, word: u32) -> Attribute {
        Attribute::raw(kind.into(), &word.to_ne_bytes())
    }

    /// Others, one behind the other.
    pub fn nested(kind: u16, inner: &[Attribute]) -> Attribute {
        let mut value = vec![0; inner.buffer_len()];
        inner.emit(&mut value);
        Attribute { kind, value }
    }

    /// A number of 64 bits.
    pub fn long(kind: impl Into<u16>, long: u64) -> Attribute {
        Attribute::raw(kind.into(), &long.to_ne_bytes())
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

    /// What one holds; of several the first.
    pub fn value(&self, kind: u16) -> Option<&[u8]> {
        self.0.iter().find(|attr| attr.kind == kind).map(|attr| &attr.value[..])
    }

    /// Whether it is there.
    pub fn has(&self, kind: u16) -> bool {
        self.value(kind).is_some()
    }

    /// A number of 8, 16, 32 or 64 bits.
    pub fn number(&self, kind: u16) -> Option<u64> {
        match self.value(kind)? {
            &[a] => Some(a.into()),
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

/// A message with so many bytes of header in front of its attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<const HEADER: usize> {
    /// Its type: of generic netlink the family's number.
    pub kind: u16,
    /// The protocol's header.
    pub header: [u8; HEADER],
    /// What is said.
    pub attributes: Attributes,
}

/// One of generic netlink: command, version, two bytes that are not used.
pub type Generic = Message<4>;

impl Generic {
    /// A command for a family of that number and version.
    pub fn command(family: u16, command: u8, version: u8, attributes: Vec<Attribute>) -> Generic {
        Message { kind: family, header: [command, version, 0, 0], attributes: Attributes(attributes) }
    }
}

impl<const HEADER: usize> NetlinkSerializable for Message<HEADER> {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        HEADER + self.attributes.0.as_slice().buffer_len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..HEADER].copy_from_slice(&self.header);
        self.attributes.0.as_slice().emit(&mut buffer[HEADER..]);
    }
}

impl<const HEADER: usize> From<Message<HEADER>> for NetlinkPayload<Message<HEADER>> {
    fn from(message: Message<HEADER>) -> NetlinkPayload<Message<HEADER>> {
        NetlinkPayload::InnerMessage(message)
    }
}

impl<const HEADER: usize> NetlinkDeserializable for Message<HEADER> {
    type Error = Infallible;

    /// Cut anywhere, as far as it goes.
    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Message<HEADER>, Infallible> {
        let own = payload.first_chunk().copied().unwrap_or([0; HEADER]);
        let attributes = Attributes::parse(payload.get(HEADER..).unwrap_or(&[]));
        Ok(Message { kind: header.message_type, header: own, attributes })
    }
}

#[cfg(test)]
mod tests {
    use netlink_packet_core::NetlinkMessage;

    use super::*;

    fn bytes(message: &Generic) -> Vec<u8> {
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
        let attributes =
            vec![Attribute::text(1_u16, "air0"), Attribute::word(3_u16, 1000), Attribute::long(11_u16, 7)];
        let message = Generic::command(0x1f, 1, 1, attributes);
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
        let way = Attribute::nested(22 | 0x8000, &[Attribute::long(7_u16, 9)]);
        assert_eq!(way.value, [12, 0, 7, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
        let attributes = vec![Attribute::text(12_u16, "fast"), Attribute::word(13_u16, 54_000), way];
        let message = Generic::command(20, 5, 1, attributes);
        let read = NetlinkMessage::<Generic>::deserialize(&bytes(&message)).expect("it is whole");
        let NetlinkPayload::InnerMessage(read) = read.payload else { panic!("{read:?}") };
        assert_eq!((read.kind, read.header[0]), (20, 5));
        let attributes = &read.attributes;
        assert_eq!(attributes.text(12).as_deref(), Some("fast"));
        assert_eq!(attributes.number(13), Some(54_000));
        let down = attributes.nest(22).expect("a nest");
        assert_eq!(down.number(7), Some(9));
        assert_eq!(down.number(2), None);
    }

    /// Numbers have 8, 16, 32 or 64 bits; a text may lack the zero at its end.
    #[test]
    fn a_value_is_read_by_its_length() {
        let attributes = Attributes(vec![
            Attribute::raw(1, &[200]),
            Attribute::raw(2, &40_000_u16.to_ne_bytes()),
            Attribute::raw(3, &3_000_000_000_u32.to_ne_bytes()),
            Attribute::raw(4, &5_000_000_000_u64.to_ne_bytes()),
            Attribute::raw(5, &[1, 2, 3]),
            Attribute::raw(6, &[]),
            Attribute::raw(7, b"air\0"),
            Attribute::raw(8, b"air"),
            Attribute::raw(1, &[9]),
        ]);
        let numbers = [1, 2, 3, 4, 5, 6, 10].map(|kind| attributes.number(kind));
        let expected = [Some(200), Some(40_000), Some(3_000_000_000), Some(5_000_000_000), None, None, None];
        assert_eq!(numbers, expected, "of several the first");
        assert_eq!([7, 8].map(|kind| attributes.text(kind)), [Some("air".into()), Some("air".into())]);
        assert_eq!((attributes.text(10), attributes.nest(10)), (None, None));
        assert!(attributes.has(6) && !attributes.has(10));
    }

    /// The header of a protocol may be longer than that of generic netlink.
    #[test]
    fn a_header_is_as_long_as_its_protocol_has_it() {
        let header = std::array::from_fn(|i| i as u8 + 1);
        let message =
            Message::<20> { kind: 36, header, attributes: Attributes(vec![Attribute::word(5_u16, 77)]) };
        let mut sent = vec![0; message.buffer_len()];
        message.serialize(&mut sent);
        assert_eq!((sent.len(), message.message_type()), (28, 36));
        let mut of = NetlinkHeader::default();
        of.message_type = 36;
        assert_eq!(Message::<20>::deserialize(&of, &sent), Ok(message));
        let cut = Message::<20>::deserialize(&of, &sent[..19]).expect("it never fails");
        assert_eq!((cut.header, cut.attributes.0.len()), ([0; 20], 0));
    }

    /// Cut anywhere, it is read as far as it goes.
    #[test]
    fn a_message_that_is_cut_short_makes_no_panic() {
        let attributes = vec![Attribute::text(12_u16, "fast"), Attribute::long(20_u16, 3)];
        let message = Generic::command(20, 5, 1, attributes);
        let whole = bytes(&message);
        for end in 16..whole.len() {
            let read =
                Generic::deserialize(&NetlinkHeader::default(), &whole[16..end]).expect("it never fails");
            assert!(read.attributes.0.len() < 2, "{end} bytes: {read:?}");
        }
    }
}
