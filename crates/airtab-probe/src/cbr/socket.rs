// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The sender over a real socket: clock, waiting, I/O.
//!
//! The socket's own buffer is the only queue: a packet that it has no room for waits until the device below
//! has taken others, as a blocking socket would. All delays of the operating system are part of what is
//! measured, on purpose (Starzetz 6.3.1).
//!
//! What it does not do: no receiving but of echoes (`listener`).

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::sender;
use crate::clock::{LOOK_NS, monotonic_ns, system_ns, wait};

/// Room that is asked for in front of the receiver, bytes; the system may give less.
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// How long a sender that is done waits for echoes, ns.
const LINGER_NS: u64 = 1_000_000_000;
/// Datagrams that are taken in before the clock is looked at again.
pub(super) const BATCH: usize = 64;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings make no sense.
    #[error(transparent)]
    Config(#[from] sender::ConfigError),
    /// The port or the address cannot be had.
    #[error("cannot use UDP {address}: {source}")]
    Bind {
        /// What was asked for.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Not even the first packet could be sent.
    #[error("cannot send to {target}: {source}")]
    Send {
        /// Where to.
        target: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The system fails us.
    #[error("cannot wait for packets: {0}")]
    Wait(#[from] io::Error),
}

/// What a sender has to say while it runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A report is due.
    Interval(&'a sender::Interval),
    /// An echo came.
    Sample(&'a sender::Sample),
}

/// Sends to `target`, from the address `source` if there is one, until the configured end or until `stop`;
/// waits up to a second for the last echoes. Blocks; `report` is called from this thread.
///
/// # Errors
/// If the settings make no sense, the address cannot be used, or the first packet is refused. Later ones
/// that are refused count as errors in the reports.
pub fn send(
    target: SocketAddr,
    source: Option<SocketAddr>,
    config: &sender::Config,
    stop: &AtomicBool,
    report: &mut dyn FnMut(Event<'_>),
) -> Result<sender::Summary, Error> {
    config.check()?;
    let any = match target {
        SocketAddr::V4(_) => SocketAddr::from(([0; 4], 0)),
        SocketAddr::V6(_) => SocketAddr::from(([0u16; 8], 0)),
    };
    let socket = bind(source.unwrap_or(any))?;
    let mut payload = vec![0; config.payload_bytes];
    let mut datagram = vec![0; 1 << 16];
    let mut sender = sender::Sender::new(config.clone(), monotonic_ns(), fastrand::u64(..))?;
    let mut sent_any = false;
    while !stop.load(Ordering::Relaxed) {
        let now = monotonic_ns();
        while let Some(interval) = sender.advance(now) {
            report(Event::Interval(&interval));
        }
        if sender.is_done() {
            break;
        }
        take_echoes(&socket, &mut sender, &mut datagram, report);
        let mut wanted = PollFlags::IN;
        let mut pause = sender.wait_ns();
        if pause == 0 {
            let (now, stamp) = (monotonic_ns(), system_ns());
            sender.packet(stamp, &mut payload);
            match socket.send_to(&payload, target) {
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    wanted |= PollFlags::OUT;
                    pause = LOOK_NS;
                }
                Err(source) if !sent_any => return Err(Error::Send { target, source }),
                result => {
                    sent_any = true;
                    sender.sent(now, stamp, result.is_ok());
                    continue;
                }
            }
        }
        let until_report = sender.deadline_ns().saturating_sub(monotonic_ns());
        // What has passed since advance() need not be waited for.
        let passed = monotonic_ns() - now;
        let timeout = pause.saturating_sub(passed).min(until_report).min(LOOK_NS);
        wait(&mut [PollFd::new(&socket, wanted)], timeout)?;
    }
    let end_ns = monotonic_ns() + LINGER_NS;
    while sender.is_done() && sender.is_waiting() && monotonic_ns() < end_ns && !stop.load(Ordering::Relaxed)
    {
        wait(&mut [PollFd::new(&socket, PollFlags::IN)], end_ns.saturating_sub(monotonic_ns()).min(LOOK_NS))?;
        take_echoes(&socket, &mut sender, &mut datagram, report);
    }
    let (last, summary) = sender.finish(monotonic_ns());
    if last.packets > 0 {
        report(Event::Interval(&last));
    }
    Ok(summary)
}

/// Takes in what has come.
fn take_echoes(
    socket: &UdpSocket,
    sender: &mut sender::Sender,
    datagram: &mut [u8],
    report: &mut dyn FnMut(Event<'_>),
) {
    for _ in 0..BATCH {
        let Ok(n) = socket.recv(datagram) else { return };
        if let Some(sample) = sender.handle(monotonic_ns(), &datagram[..n]) {
            report(Event::Sample(&sample));
        }
    }
}

/// A UDP socket with that address.
pub(super) fn bind(address: SocketAddr) -> Result<UdpSocket, Error> {
    let open = || -> io::Result<UdpSocket> {
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        } else {
            socket.set_broadcast(true)?;
        }
        socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
        socket.set_nonblocking(true)?;
        socket.bind(&SockAddr::from(address))?;
        Ok(socket.into())
    };
    open().map_err(|source| Error::Bind { address, source })
}
