// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The wire into a namespace: a TUN device there, its file here.
//!
//! A TUN device carries IP packets without a link header, no larger than its
//! MTU and with checksums in place: the kernel has undone every offload when it
//! hands one over. The device ends with its file, so a killed process leaves none.
//!
//! What it does not do: no queue of its own beyond the device's.

use std::fs::{self, File};
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use tun_rs::{DeviceBuilder, SyncDevice};

use crate::error::LiveError;
use crate::netns::Netns;
use crate::packet::MTU;

/// Packets that wait in the kernel until we read them. Enough for the burst of a
/// whole TCP window; what overflows is lost before anybody counts it.
const QUEUE: u32 = 10_000;

/// A TUN device in a namespace.
pub struct Tun {
    device: SyncDevice,
    /// The kernel's table of the namespace's devices.
    counters: File,
}

impl Tun {
    /// Makes a device of this `name` in `ns`, up, with `addresses` and default
    /// routes on which TCP is CUBIC.
    ///
    /// # Errors
    /// If the kernel or iproute2 refuses.
    pub fn make(ns: &Netns, name: &'static str, addresses: &[IpAddr]) -> Result<Tun, LiveError> {
        let failed = |cause| LiveError::System { what: format!("making {name} in {}", ns.name()), cause };
        let made = ns.handle().spawn("tun", move || {
            let device = DeviceBuilder::new()
                .name(name)
                .layer(tun_rs::Layer::L3)
                .mtu(MTU as u16)
                .tx_queue_len(QUEUE)
                .enable(false)
                .build_sync()?;
            device.set_nonblocking(true)?;
            quiet(name)?;
            // Stays this namespace's, whoever reads it.
            Ok((device, File::open("/proc/thread-self/net/dev")?))
        });
        let (device, counters) = made.map_err(failed)?.join().expect("it does not panic").map_err(failed)?;
        let mut lines = vec![format!("link set {name} addrgenmode none")];
        for address in addresses {
            let bits = if address.is_ipv4() { "32" } else { "128 nodad" };
            lines.push(format!("address add {address}/{bits} dev {name}"));
        }
        lines.push(format!("link set {name} up"));
        for all in ["0.0.0.0/0", "::/0"] {
            // The host's default may be another; applications can still choose.
            lines.push(format!("route add {all} dev {name} congctl cubic"));
        }
        ns.batch(&lines)?;
        Ok(Tun { device, counters })
    }

    /// The next packet that its namespace sends; None if there is none now.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn recv(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.recv(buffer) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Packets that found the device's queue full, since it was made.
    ///
    /// # Errors
    /// If the namespace is gone.
    pub fn overflowed(&self) -> io::Result<u64> {
        let mut table = [0; 2048];
        let bytes = self.counters.read_at(&mut table, 0)?;
        Ok(dropped(&String::from_utf8_lossy(&table[..bytes])))
    }

    /// Hands a packet to its namespace.
    ///
    /// # Errors
    /// If the namespace's kernel does not take it.
    pub fn send(&self, packet: &[u8]) -> io::Result<()> {
        self.device.send(packet).map(drop)
    }
}

/// Packets that devices dropped when they were to be sent, by the kernel's table.
fn dropped(table: &str) -> u64 {
    // NAME: 8 numbers of what was received, then of what was sent: bytes
    // packets errors dropped; the loopback drops nothing.
    let lines = table.lines().skip(2).filter(|line| !line.trim_start().starts_with("lo:"));
    lines.filter_map(|line| line.split_whitespace().nth(12)?.parse::<u64>().ok()).sum()
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

/// Settings of the namespace that this thread is in: the device sends nothing
/// of its own accord, and TCP does not remember earlier connections.
fn quiet(device: &str) -> io::Result<()> {
    let settings = [
        (format!("ipv6/conf/{device}/router_solicitations"), "0"),
        (format!("ipv6/conf/{device}/accept_ra"), "0"),
        ("ipv4/tcp_no_metrics_save".into(), "1"),
        ("ipv4/ping_group_range".into(), "0 2147483647"),
    ];
    for (path, value) in settings {
        match fs::write(format!("/proc/sys/net/{path}"), value) {
            // A kernel without IPv6.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(io::Error::new(e.kind(), format!("/proc/sys/net/{path}: {e}"))),
            Ok(()) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `/proc/net/dev` as Linux writes it, each number another one.
    #[test]
    fn drops_are_those_of_what_was_to_be_sent() {
        let head = "Inter-|   Receive                                                |  Transmit\n \
                    face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n";
        let lo = "    lo:   10       11    12   13    14     15        16         17       18      19   20   21    22    23      24         25\n";
        let eth0 = "  eth0: 1010     1011  1012 1013  1014   1015      1016       1017     1018    1019 1020 1021  1022  1023    1024       1025\n";
        let tail = "  wlan0:   1        2     3    4     5      6         7          8        9      10   11   12    13    14      15         16\n";
        assert_eq!(dropped(&[head, lo, eth0].concat()), 1021);
        assert_eq!(dropped(&[head, eth0, lo, tail].concat()), 1033, "of all devices");
        assert_eq!(dropped(&[head, lo].concat()), 0);
    }
}
