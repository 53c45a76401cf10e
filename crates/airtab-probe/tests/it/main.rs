// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of the measuring tools with real sockets.

mod cbr;
mod htbench;
mod odd;
mod rpm;
mod server;
