// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A socket of netlink: one request, and what answers it. Refusals have the kernel's own words (netlink's extended
//! acknowledgement).
//!
//! What it does not do: what to do about a refusal is each command's to say.

use std::io;

use netlink_packet_core::{ErrorMessage, NLM_F_ACK, NLM_F_REQUEST, NetlinkMessage, NetlinkPayload};
use netlink_sys::{Socket, SocketAddr};

use super::message::{Attribute, Attributes, Generic, Message};

/// The controller of families, and what it is asked (`linux/genetlink.h`).
const CONTROLLER: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;

/// An acknowledgement's header is followed by attributes, and one of these is a text (`linux/netlink.h`).
const ACK_HAS_ATTRIBUTES: u16 = 0x200;
const WORDS: u16 = 1;
/// Bytes of a message's header.
const NETLINK: usize = 16;

/// No rights, no such thing, no such device.
pub const EPERM: i32 = 1;
/// See there.
pub const ENOENT: i32 = 2;
/// See there.
pub const ENODEV: i32 = 19;

/// A socket to the kernel for a protocol of netlink.
///
/// # Errors
/// There is none for it.
pub fn open(protocol: isize) -> io::Result<Socket> {
    let mut socket = Socket::new(protocol)?;
    socket.bind_auto()?;
    socket.set_ext_ack(true)?;
    // A refusal does not hold the request again.
    socket.set_cap_ack(true)?;
    socket.connect(&SocketAddr::new(0, 0))?;
    Ok(socket)
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Problem {
    /// The kernel refuses, perhaps in words.
    Refused {
        /// Its number.
        errno: i32,
        /// Netlink's extended acknowledgement.
        words: Option<String>,
    },
    /// Of the socket, or of what came.
    Other(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(e: E) -> Problem {
        Problem::Other(e.into())
    }
}

/// The number that a family of generic netlink has; None: there is none of that name.
///
/// # Errors
/// Of the socket.
pub fn family(socket: &Socket, name: &str) -> Result<Option<u16>, Problem> {
    let name = Attribute::text(FAMILY_NAME, name);
    let said = match ask(socket, Generic::command(CONTROLLER, GET_FAMILY, 1, vec![name]), NLM_F_ACK) {
        Err(Problem::Refused { errno: ENOENT, .. }) => return Ok(None),
        said => said?,
    };
    let id = said.iter().find_map(|message| message.attributes.number(FAMILY_ID));
    Ok(id.and_then(|id| u16::try_from(id).ok()))
}

/// Sends a request and reads messages until the last one.
///
/// # Errors
/// The kernel refuses, or the socket fails.
pub fn ask<const HEADER: usize>(
    socket: &Socket,
    request: Message<HEADER>,
    flags: u16,
) -> Result<Vec<Message<HEADER>>, Problem> {
    let mut request = NetlinkMessage::from(request);
    request.header.flags = NLM_F_REQUEST | flags;
    request.finalize();
    let mut bytes = vec![0; request.buffer_len()];
    request.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let mut messages = Vec::new();
    loop {
        let (datagram, _) = socket.recv_from_full()?;
        if take(&datagram, &mut messages)? {
            return Ok(messages);
        }
    }
}

/// Takes the messages of a datagram; whether the last of all was among them.
fn take<const HEADER: usize>(
    mut datagram: &[u8],
    messages: &mut Vec<Message<HEADER>>,
) -> Result<bool, Problem> {
    while datagram.len() >= NETLINK {
        let message = NetlinkMessage::<Message<HEADER>>::deserialize(datagram)?;
        match message.payload {
            NetlinkPayload::Done(_) => return Ok(true),
            NetlinkPayload::Error(error) => return end(message.header.flags, &error).map(|()| true),
            NetlinkPayload::InnerMessage(message) => messages.push(message),
            _ => {}
        }
        let length = (message.header.length as usize).next_multiple_of(4);
        datagram = datagram.get(length..).unwrap_or(&[]);
    }
    Ok(false)
}

/// An acknowledgement, or a refusal.
fn end(flags: u16, error: &ErrorMessage) -> Result<(), Problem> {
    let Some(code) = error.code else { return Ok(()) };
    let attributes = error.header.get(NETLINK..).filter(|_| flags & ACK_HAS_ATTRIBUTES != 0);
    let words = attributes.and_then(|bytes| Attributes::parse(bytes).text(WORDS));
    Err(Problem::Refused { errno: code.get().saturating_neg(), words })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of netlink.
    fn message(kind: u16, flags: u16, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(NETLINK + payload.len()).expect("small");
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        bytes.extend([0; 8]);
        bytes.extend(payload);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// `NLMSG_ERROR` with the header of the request and, perhaps, words.
    fn answer(errno: i32, said: Option<&str>) -> Vec<u8> {
        let mut payload = (-errno).to_ne_bytes().to_vec();
        payload.extend(message(0x1f, 5, &[]));
        let Some(said) = said else { return message(2, 0x100, &payload) };
        payload.extend(u16::try_from(said.len() + 5).expect("short").to_ne_bytes());
        payload.extend(WORDS.to_ne_bytes());
        payload.extend([said.as_bytes(), b"\0"].concat());
        payload.resize(payload.len().next_multiple_of(4), 0);
        message(2, 0x100 | ACK_HAS_ATTRIBUTES, &payload)
    }

    fn taken(datagram: &[u8]) -> Result<(bool, usize), Problem> {
        let mut messages: Vec<Generic> = Vec::new();
        take(datagram, &mut messages).map(|last| (last, messages.len()))
    }

    /// The controller of families is one itself, with a fixed number; the kernel answers everybody.
    #[test]
    fn the_kernel_knows_its_families() {
        let socket = open(netlink_sys::protocols::NETLINK_GENERIC).expect("a socket");
        assert_eq!(family(&socket, "nlctrl").expect("an answer"), Some(CONTROLLER));
        assert_eq!(family(&socket, "no-such-family").expect("an answer"), None);
        // The same socket goes on.
        let wrong = Generic::command(CONTROLLER, 250, 1, vec![]);
        assert!(matches!(ask(&socket, wrong, NLM_F_ACK), Err(Problem::Refused { errno: 95, .. })));
        assert_eq!(family(&socket, "nlctrl").expect("an answer"), Some(CONTROLLER));
    }

    #[test]
    fn a_dump_of_two_messages_and_its_end() {
        let device = message(0x1f, 2, &[5, 1, 0, 0, 8, 0, 3, 0, 1, 0, 0, 0]);
        let two = [device.clone(), device].concat();
        assert_eq!(taken(&two).expect("good"), (false, 2));
        assert_eq!(taken(&[two, message(3, 2, &[0; 4])].concat()).expect("good"), (true, 2));
    }

    /// Each message begins at a multiple of four bytes, however long the one before is.
    #[test]
    fn messages_of_any_length_follow_each_other() {
        let name = |text: &[u8]| {
            let length = u16::try_from(text.len() + 4).expect("short");
            [&[5, 1, 0, 0][..], &length.to_ne_bytes(), &2_u16.to_ne_bytes(), text].concat()
        };
        let mut messages: Vec<Generic> = Vec::new();
        let datagram = [message(0x1f, 2, &name(b"a\0")), message(0x2f, 2, &name(b"bcdef\0"))].concat();
        assert!(!take(&datagram, &mut messages).expect("good"));
        // Another datagram of the same answer, and nothing behind its end.
        let rest =
            [message(0x3f, 2, &name(b"gh\0")), message(3, 2, &[0; 4]), message(0x4f, 2, &name(b"i\0"))];
        assert!(take(&rest.concat(), &mut messages).expect("good"));
        let read: Vec<_> =
            messages.iter().map(|one| (one.kind, one.attributes.text(2).unwrap_or_default())).collect();
        let expected = [(0x1f, "a"), (0x2f, "bcdef"), (0x3f, "gh")];
        assert_eq!(read, expected.map(|(kind, text)| (kind, text.to_string())));
        assert_eq!(taken(&[0; 15]).expect("less than a header"), (false, 0));
    }

    #[test]
    fn an_acknowledgement_ends_an_answer() {
        assert_eq!(taken(&answer(0, None)).expect("good"), (true, 0));
    }

    #[test]
    fn a_refusal_has_the_kernels_words() {
        let refused = |errno, said| match taken(&answer(errno, said)).expect_err("a refusal") {
            Problem::Refused { errno, words } => (errno, words),
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(22, Some("ampdu: 65")), (22, Some("ampdu: 65".into())));
        assert_eq!(refused(EPERM, None), (EPERM, None));
        // Without the flag what follows is no text.
        let mut unflagged = answer(ENODEV, Some("no device"));
        unflagged[6..8].copy_from_slice(&0x100_u16.to_ne_bytes());
        match taken(&unflagged).expect_err("a refusal") {
            Problem::Refused { errno, words } => assert_eq!((errno, words), (ENODEV, None)),
            other => panic!("{other:?}"),
        }
        // Messages before a refusal do not hide it.
        let late = [message(0x1f, 2, &[5, 1, 0, 0]), answer(ENOENT, None)].concat();
        assert!(matches!(taken(&late), Err(Problem::Refused { errno: 2, .. })));
        let words = [EPERM, ENOENT, ENODEV].map(|errno| io::Error::from_raw_os_error(errno).to_string());
        for (said, meant) in
            words.iter().zip(["Operation not permitted (", "No such file or directory (", "No such device ("])
        {
            assert!(said.starts_with(meant), "{said}");
        }
    }
}
