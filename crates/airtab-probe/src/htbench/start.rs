// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Machines that begin together: each waits for a datagram that one of them broadcasts (Starzetz 6.3.2).
//!
//! What it does not do: no clocks are compared. The machines begin as far apart as the datagram reaches them,
//! and what it says does not matter.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::clock::{LOOK_NS, wait};

/// A port on which the start is awaited.
#[derive(Debug)]
pub struct Trigger(UdpSocket);

impl Trigger {
    /// Listens on all addresses, IPv4 and, where the system has it, IPv6.
    ///
    /// # Errors
    /// If the port cannot be had.
    pub fn bind(port: u16) -> io::Result<Trigger> {
        let open = |address: SocketAddr| {
            let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
            if address.is_ipv6() {
                socket.set_only_v6(false)?;
            }
            socket.set_reuse_address(true)?;
            socket.bind(&SockAddr::from(address))?;
            Ok(Trigger(socket.into()))
        };
        open(([0u16; 8], port).into()).or_else(|_: io::Error| open(([0; 4], port).into()))
    }

    /// Waits for a datagram; false if `stop` came first.
    ///
    /// # Errors
    /// If the system fails.
    pub fn wait(&self, stop: &AtomicBool) -> io::Result<bool> {
        self.0.set_nonblocking(true)?;
        while !stop.load(Ordering::Relaxed) {
            match self.0.recv_from(&mut [0; 1]) {
                Ok(_) => return Ok(true),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    wait(&mut [PollFd::new(&self.0, PollFlags::IN)], LOOK_NS)?;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(false)
    }
}

/// Sends the datagram that others wait for, to a broadcast address or a single one.
///
/// # Errors
/// If it cannot be sent.
pub fn trigger(target: SocketAddr) -> io::Result<()> {
    let any: SocketAddr = match target {
        SocketAddr::V4(_) => ([0; 4], 0).into(),
        SocketAddr::V6(_) => ([0u16; 8], 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    if target.is_ipv4() {
        socket.set_broadcast(true)?;
    }
    socket.send_to(b"start", target).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_starts_it() {
        for target in ["127.0.0.1", "::1", "127.255.255.255"] {
            let waiting = Trigger::bind(0).expect("a port");
            let port = waiting.0.local_addr().expect("bound").port();
            let ip: std::net::IpAddr = target.parse().expect("an address");
            trigger((ip, port).into()).expect("sent");
            assert!(waiting.wait(&AtomicBool::new(false)).expect("waits"), "{target}");
        }
    }

    #[test]
    fn it_can_be_given_up() {
        assert!(!Trigger::bind(0).expect("a port").wait(&AtomicBool::new(true)).expect("waits"));
    }
}
