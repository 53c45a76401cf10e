//! Peer-to-peer traffic: several [downloads](super::download) from different
//! servers at once, in its symmetric form with data both ways in each connection.

use crate::tcp::Algorithm;

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P2p {
    /// How many connections.
    pub flows: u16,
    /// Congestion control of their senders.
    pub congestion: Algorithm,
    /// Whether each connection is an endless upload, too.
    pub upload: bool,
}
