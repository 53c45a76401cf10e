// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Measuring tools with real sockets, for any network: [`cbr`] sends UDP at a constant rate and measures
//! what arrives and how long it takes; [`htbench`] downloads and uploads over HTTP, and keeps the volume of
//! each connection over time; [`rpm`] measures round trips a minute while transfers fill the way; [`equal`] holds the packet rates of two senders against each other.
//!
//! Source: P. Starzetz, thesis, INPG 2006, 6.3.1, 6.3.2 and 6.4.2, and draft-ietf-ippm-responsiveness.
//! `docs/probe.md` and `docs/measures.md` describe them.
//!
//! Each tool is a state machine that neither reads a clock nor does I/O, and a thin loop around it that
//! does. The loops block, obey a stop flag within a tenth of a second, and hand what they measure to the
//! caller's closure: they can be run in any thread, also in one that sits in a network namespace.
//!
//! What it does not do: no printing; the command line has that.

pub mod cbr;
pub mod clock;
pub mod equal;
pub mod htbench;
pub mod rpm;
mod tcp_info;
pub mod token_bucket;
