// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Responsiveness in round trips a minute (RPM): a client over HTTP/2 and TLS for any server that has the configuration
//! document of draft-ietf-ippm-responsiveness, and such a server.
//!
//! | module | what |
//! |---|---|
//! | [`document`] | what to ask whom for: addresses and the configuration document |
//! | [`trust`] | TLS: which certificates are believed, and a self-made one |
//! | `connection` | one connection, with the time of each step |
//! | [`client`] | a measurement: idle latency, then each direction |
//! | [`server`] | the other end |
//!
//! When connections are added, probes sent and the test ended is `airtab_quality::rpm`'s.
//!
//! What it does not do: no HTTP/3, HTTP/1.1 or unencrypted HTTP, no TLS before 1.3, no search for servers by DNS.

pub mod client;
mod connection;
pub mod document;
pub mod server;
pub mod trust;

use std::io;

/// Direction of the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the client.
    Down,
    /// From the client.
    Up,
}

impl Way {
    /// "down" or "up".
    pub fn name(self) -> &'static str {
        match self {
            Way::Down => "down",
            Way::Up => "up",
        }
    }
}

/// What went wrong: where, why, and what helps.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was to be measured is no address.
    #[error("{given}: {why}; give a host, as in example.org or 192.0.2.1:4043, or https://HOST/PATH")]
    Target {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
    /// It has no address.
    #[error("{host}: no address ({said}): check its name, and the way to the name server")]
    Unknown {
        /// The name.
        host: String,
        /// What the system says.
        said: io::Error,
    },
    /// No connection.
    #[error("{place}: no answer ({said}): is a server running there, and lets a firewall it through?")]
    NoAnswer {
        /// Host and address.
        place: String,
        /// What the system says.
        said: io::Error,
    },
    /// No TLS.
    #[error("{place}: TLS refused ({why}): {cure}")]
    Tls {
        /// Host and address.
        place: String,
        /// What TLS says.
        why: String,
        /// What helps.
        cure: String,
    },
    /// A configuration document that is none, or one of another kind.
    #[error(
        "{place}: {why}: it has no configuration document of draft-ietf-ippm-responsiveness; another server?"
    )]
    Document {
        /// Where it came from.
        place: String,
        /// What is wrong in it.
        why: String,
    },
    /// A connection ended that should not.
    #[error("{place}: stopped in the middle ({why}), {doing}: is the server still running? Try again")]
    Stopped {
        /// Host and address.
        place: String,
        /// What HTTP says.
        why: String,
        /// What was going on.
        doing: String,
    },
    /// Of this machine.
    #[error("{what}: {said}")]
    System {
        /// What was tried.
        what: String,
        /// What the system says.
        said: io::Error,
    },
}
