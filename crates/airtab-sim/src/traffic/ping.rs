//! Requests that a server echoes, over UDP (CHAP dissertation 7.3.3: a game's
//! server browser asks each server and shows how long its answer took).
//!
//! The station asks at constant intervals; the server answers each request at
//! once with a packet of the same length.
//!
//! What it does not do: a request is never repeated, and none waits for an answer.

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping {
    /// From one request to the next, ns.
    pub interval_ns: u64,
    /// IP packet, each way, bytes.
    pub bytes: u32,
}

/// Server port: the echo protocol's (RFC 862).
pub const PORT: u16 = 7;
