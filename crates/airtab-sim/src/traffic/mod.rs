//! What applications send: one file per application.
//!
//! Parameters of the CHAP dissertation, 6.1. Sizes are whole IP packets.

pub mod download;
pub mod game;
pub mod ping;
pub mod streaming;
pub mod udp;
pub mod video;
pub mod voip;
pub mod web;

/// A constant stream of equal packets, one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// From one packet to the next, ns.
    pub period_ns: u64,
    /// IP packet, bytes.
    pub bytes: u32,
}
