// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A port on which datagrams are taken in, and the loop that hands them to a [`Sink`].
//!
//! When a datagram came is the system's time as the loop gets at it, or, [`Listener::with_kernel_stamps`],
//! the time at which the kernel took it from the device (`SO_TIMESTAMPNS`, socket(7)): what comes
//! while the loop is busy or asleep has its own time then.
//!
//! What it does not do: no hardware time stamps.

use std::io::{self, ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use rustix::event::{PollFd, PollFlags};

use super::receiver;
use super::socket::{BATCH, Error, bind};
use crate::clock::{LOOK_NS, monotonic_ns, system_ns, wait};

/// What takes in datagrams. Times are monotonic, but where it says so.
pub trait Sink {
    /// Does what is due at `now_ns`.
    fn advance(&mut self, now_ns: u64);

    /// When [`Self::advance`] has something to do at the latest, ns.
    fn deadline_ns(&self) -> u64;

    /// Whether the run is over.
    fn is_done(&self) -> bool;

    /// A datagram came, at that system time in ns since 1970. Whether it, as it has been made now, goes back.
    fn handle(&mut self, arrived_ns: u64, from: SocketAddr, datagram: &mut [u8]) -> bool;
}

/// A receiver with its port.
#[derive(Debug)]
pub struct Listener {
    socket: UdpSocket,
    address: SocketAddr,
    kernel_stamps: bool,
}

impl Listener {
    /// Takes a port; 0 is any. An IPv6 address takes IPv6 only.
    ///
    /// # Errors
    /// If it cannot be had.
    pub fn bind(address: SocketAddr) -> Result<Listener, Error> {
        let socket = bind(address)?;
        let address = socket.local_addr().map_err(|source| Error::Bind { address, source })?;
        Ok(Listener { socket, address, kernel_stamps: false })
    }

    /// Asks the kernel for the time of each datagram.
    ///
    /// # Errors
    /// If it has none to give.
    pub fn with_kernel_stamps(mut self) -> Result<Listener, Error> {
        setsockopt(&self.socket, sockopt::ReceiveTimestampns, &true).map_err(io::Error::from)?;
        self.kernel_stamps = true;
        Ok(self)
    }

    /// The address and port that it has.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Receives until the configured end or until `stop`; gives what came in all. Blocks; `report` is called
    /// from this thread, and so is `arrived`, with the system time of each datagram in ns since 1970.
    ///
    /// # Errors
    /// If the system fails.
    pub fn run(
        &self,
        config: &receiver::Config,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&receiver::Interval),
        arrived: &mut dyn FnMut(u64),
    ) -> Result<receiver::Interval, Error> {
        let receiver = receiver::Receiver::new(*config, monotonic_ns());
        let mut reporting = Reporting { receiver, report, arrived };
        self.serve(stop, &mut reporting)?;
        let Reporting { receiver, report, .. } = reporting;
        let (last, total) = receiver.finish(monotonic_ns());
        if last.packets > 0 {
            report(&last);
        }
        Ok(total)
    }

    /// Hands datagrams to `sink` until it is done, or until `stop`.
    ///
    /// # Errors
    /// If the system fails.
    pub fn serve(&self, stop: &AtomicBool, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut datagram = vec![0; 1 << 16];
        while !stop.load(Ordering::Relaxed) {
            sink.advance(monotonic_ns());
            if sink.is_done() {
                break;
            }
            if self.take(&mut datagram, sink) {
                let timeout = sink.deadline_ns().saturating_sub(monotonic_ns()).min(LOOK_NS);
                wait(&mut [PollFd::new(&self.socket, PollFlags::IN)], timeout)?;
            }
        }
        Ok(())
    }

    /// Takes in what has come; whether that was all.
    fn take(&self, datagram: &mut [u8], sink: &mut dyn Sink) -> bool {
        for _ in 0..BATCH {
            match self.receive(datagram) {
                Ok((n, from, arrived_ns)) => {
                    if sink.handle(arrived_ns, from, &mut datagram[..n]) {
                        // An echo that cannot be sent is one more lost packet.
                        let _ = self.socket.send_to(&datagram[..n], from);
                    }
                }
                Err(e) => return e.kind() == ErrorKind::WouldBlock,
            }
        }
        false
    }

    /// A datagram: its length, who sent it, when it came.
    fn receive(&self, datagram: &mut [u8]) -> io::Result<(usize, SocketAddr, u64)> {
        if !self.kernel_stamps {
            let (n, from) = self.socket.recv_from(datagram)?;
            return Ok((n, from, system_ns()));
        }
        let mut parts = [IoSliceMut::new(datagram)];
        let mut space = nix::cmsg_space!(TimeSpec);
        let flags = MsgFlags::empty();
        let message =
            recvmsg::<SockaddrStorage>(self.socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
        let from = message.address.and_then(|address| {
            let v4 = address.as_sockaddr_in().map(|a| SocketAddr::V4((*a).into()));
            v4.or_else(|| address.as_sockaddr_in6().map(|a| SocketAddr::V6((*a).into())))
        });
        let from = from.ok_or_else(|| io::Error::other("a datagram from nowhere"))?;
        let stamp = message.cmsgs()?.find_map(|control| match control {
            // A clock that was set to before 1970 stands at 0.
            ControlMessageOwned::ScmTimestampns(at) => {
                Some(u64::try_from(at.tv_sec()).map_or(0, |s| s * 1_000_000_000 + at.tv_nsec() as u64))
            }
            _ => None,
        });
        Ok((message.bytes, from, stamp.unwrap_or_else(system_ns)))
    }
}

/// A receiver that reports.
struct Reporting<'a> {
    receiver: receiver::Receiver,
    report: &'a mut dyn FnMut(&receiver::Interval),
    arrived: &'a mut dyn FnMut(u64),
}

impl Sink for Reporting<'_> {
    fn advance(&mut self, now_ns: u64) {
        while let Some(interval) = self.receiver.advance(now_ns) {
            (self.report)(&interval);
        }
    }

    fn deadline_ns(&self) -> u64 {
        self.receiver.deadline_ns()
    }

    fn is_done(&self) -> bool {
        self.receiver.is_done()
    }

    fn handle(&mut self, arrived_ns: u64, from: SocketAddr, datagram: &mut [u8]) -> bool {
        (self.arrived)(arrived_ns);
        self.receiver.handle(arrived_ns, from, datagram)
    }
}
