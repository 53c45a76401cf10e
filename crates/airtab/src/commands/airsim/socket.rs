// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The module airsim, over generic netlink. Refusals have the kernel's own words, and what to do about them.

use std::io;

use anyhow::{Context, anyhow, bail};
use netlink_packet_core::{NLM_F_ACK, NLM_F_DUMP};
use netlink_sys::{Socket, protocols::NETLINK_GENERIC};

use super::genl::{FAMILY, VERSION, Verb};
use crate::netlink::message::{Attribute, Attributes, Generic};
use crate::netlink::socket::{ENODEV, EPERM, Problem, ask, family, open};

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
        let socket = open(NETLINK_GENERIC).context("no socket for netlink")?;
        match family(&socket, FAMILY).map_err(words)? {
            Some(family) => Ok(Module { socket, family }),
            None => bail!(
                "the module airsim is not loaded: modprobe airsim (as root). \
                 Where it is not installed: make -C kernel install"
            ),
        }
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

    fn message(&self, verb: Verb, attributes: Vec<Attribute>) -> Generic {
        Generic::command(self.family, verb as u8, VERSION, attributes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do() {
        let refusal = |errno, said: Option<&str>| {
            words(Problem::Refused { errno, words: said.map(String::from) }).to_string()
        };
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
