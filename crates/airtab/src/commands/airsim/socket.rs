// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A socket to the module airsim: one request, and what answers it. Refusals have the kernel's own words
//! (netlink's extended acknowledgement), and what to do about them.

use std::io;

use anyhow::{Context, anyhow, bail};
use netlink_packet_core::{
    ErrorMessage, NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST, NetlinkMessage, NetlinkPayload,
};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_GENERIC};

use super::genl::{Attribute, Attributes, FAMILY, Message, Verb};

/// The controller of families, and what it is asked (`linux/genetlink.h`).
const CONTROLLER: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;

/// An acknowledgement's header is followed by attributes, and one of these is a text (`linux/netlink.h`).
const ACK_HAS_ATTRIBUTES: u16 = 0x200;
const WORDS: u16 = 1;
/// Of a message of netlink.
const HEADER: usize = 16;

const EPERM: i32 = 1;
const ENOENT: i32 = 2;
const ENODEV: i32 = 19;

/// The module, by the number that its family has.
pub struct Module {
    socket: Socket,
    family: u16,
}

impl Module {
    /// Finds it.
    ///
    /// # Errors
    /// It is not loaded.
    pub fn find() -> anyhow::Result<Module> {
        let socket = open().context("no socket for netlink")?;
        let name = Attribute::raw(FAMILY_NAME, &[FAMILY.as_bytes(), b"\0"].concat());
        let request = Message { family: CONTROLLER, command: GET_FAMILY, attributes: Attributes(vec![name]) };
        let said = match ask(&socket, request, NLM_F_ACK) {
            Err(Problem::Refused { errno: ENOENT, .. }) => bail!(
                "the module airsim is not loaded: modprobe airsim (as root). \
                 Where it is not installed: make -C kernel install"
            ),
            said => said.map_err(words)?,
        };
        let family = said.iter().find_map(|message| message.attributes.number(FAMILY_ID));
        let family = family.and_then(|id| u16::try_from(id).ok()).context("the kernel names no family")?;
        Ok(Module { socket, family })
    }

    /// Has it do something.
    ///
    /// # Errors
    /// It refuses, with its words.
    pub fn tell(&self, verb: Verb, attributes: Vec<Attribute>) -> anyhow::Result<()> {
        ask(&self.socket, self.message(verb, attributes), NLM_F_ACK).map_err(words)?;
        Ok(())
    }

    /// What it says of each device in this network namespace.
    ///
    /// # Errors
    /// Of the socket.
    pub fn devices(&self) -> anyhow::Result<Vec<Attributes>> {
        let all = ask(&self.socket, self.message(Verb::Get, vec![]), NLM_F_DUMP).map_err(words)?;
        Ok(all.into_iter().map(|message| message.attributes).collect())
    }

    fn message(&self, verb: Verb, attributes: Vec<Attribute>) -> Message {
        Message { family: self.family, command: verb as u8, attributes: Attributes(attributes) }
    }
}

fn open() -> io::Result<Socket> {
    let mut socket = Socket::new(NETLINK_GENERIC)?;
    socket.bind_auto()?;
    socket.set_ext_ack(true)?;
    // A refusal does not hold the request again.
    socket.set_cap_ack(true)?;
    socket.connect(&SocketAddr::new(0, 0))?;
    Ok(socket)
}

/// Why there is no answer.
#[derive(Debug)]
enum Problem {
    Refused { errno: i32, words: Option<String> },
    Other(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(e: E) -> Problem {
        Problem::Other(e.into())
    }
}

/// A problem in words, and what to do.
fn words(problem: Problem) -> anyhow::Error {
    let (errno, words) = match problem {
        Problem::Other(e) => return e.context("netlink"),
        Problem::Refused { errno, words } => (errno, words),
    };
    let said = words.unwrap_or_else(|| io::Error::from_raw_os_error(errno).to_string());
    match errno {
        EPERM => anyhow!("this needs root, or CAP_NET_ADMIN in this network namespace: {said}"),
        ENODEV => anyhow!("{said}; `airtab airsim show` lists those that there are"),
        _ => anyhow!("airsim says: {said}"),
    }
}

/// Sends a request and reads messages until the last one.
fn ask(socket: &Socket, request: Message, flags: u16) -> Result<Vec<Message>, Problem> {
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
fn take(mut datagram: &[u8], messages: &mut Vec<Message>) -> Result<bool, Problem> {
    while datagram.len() >= HEADER {
        let message = NetlinkMessage::<Message>::deserialize(datagram)?;
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
    let attributes = error.header.get(HEADER..).filter(|_| flags & ACK_HAS_ATTRIBUTES != 0);
    let words = attributes.and_then(|bytes| Attributes::parse(bytes).text(WORDS));
    Err(Problem::Refused { errno: code.get().saturating_neg(), words })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of netlink.
    fn message(kind: u16, flags: u16, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(HEADER + payload.len()).expect("small");
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
        let mut messages = Vec::new();
        take(datagram, &mut messages).map(|last| (last, messages.len()))
    }

    fn refusal(errno: i32, said: Option<&str>) -> String {
        words(taken(&answer(errno, said)).expect_err("a refusal")).to_string()
    }

    #[test]
    fn a_dump_of_two_messages_and_its_end() {
        let device = message(0x1f, 2, &[5, 1, 0, 0, 8, 0, 3, 0, 1, 0, 0, 0]);
        let two = [device.clone(), device].concat();
        assert_eq!(taken(&two).expect("good"), (false, 2));
        assert_eq!(taken(&[two, message(3, 2, &[0; 4])].concat()).expect("good"), (true, 2));
    }

    #[test]
    fn an_acknowledgement_ends_an_answer() {
        assert_eq!(taken(&answer(0, None)).expect("good"), (true, 0));
    }

    #[test]
    fn a_refusal_has_the_kernels_words_and_what_to_do() {
        let said = "ampdu: 65, but std-11n has a window of 64";
        assert_eq!(refusal(22, Some(said)), format!("airsim says: {said}"));
        assert_eq!(
            refusal(ENODEV, Some("air1: no access point of airsim here")),
            "air1: no access point of airsim here; `airtab airsim show` lists those that there are"
        );
        assert!(refusal(EPERM, None).starts_with("this needs root, or CAP_NET_ADMIN"));
        assert!(refusal(12, None).contains("Cannot allocate memory"), "{}", refusal(12, None));
    }
}
