// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How much of what was written to a TCP connection the other side has acknowledged (Linux, `TCP_INFO`).
//!
//! The system call is `nix`'s, by its macro for socket options; this page only says how the structure begins.
//!
//! What it does not do: none of the other figures of that structure.

use std::io;
use std::os::fd::AsFd;

use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::GetStruct;

/// The front part of Linux's `struct tcp_info`, as far as `tcpi_bytes_acked` (Linux 4.1 and newer). The
/// kernel copies as much of it as is asked for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Front {
    /// States, options and 24 counters of 32 bits.
    _before: [u32; 26],
    _pacing_rate: u64,
    _max_pacing_rate: u64,
    bytes_acked: u64,
}

#[derive(Clone, Copy, Debug)]
struct TcpInfo;

nix::getsockopt_impl!(TcpInfo, libc::IPPROTO_TCP, libc::TCP_INFO, Front, GetStruct<Front>);

/// Bytes of this connection that were acknowledged, among them one for the SYN.
///
/// # Errors
/// If the system cannot tell.
pub(crate) fn bytes_acked(socket: &impl AsFd) -> io::Result<u64> {
    Ok(getsockopt(socket, TcpInfo)?.bytes_acked)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn it_counts_what_arrived() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(address).expect("a port");
            let mut client = TcpStream::connect(listener.local_addr().expect("bound")).expect("connects");
            let (mut server, _) = listener.accept().expect("accepts");
            let before = bytes_acked(&client).expect("Linux");
            client.write_all(&[0; 100_000]).expect("written");
            server.read_exact(&mut [0; 100_000]).expect("read");
            // The last acknowledgement may be on its way; one byte back brings it.
            server.write_all(&[1]).expect("written");
            client.read_exact(&mut [0; 1]).expect("read");
            assert_eq!(bytes_acked(&client).expect("Linux") - before, 100_000);
        }
    }
}
