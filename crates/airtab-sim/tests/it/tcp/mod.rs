// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Behaviour of the TCP endpoint over a scripted path.

mod bic;
mod compound;
mod cubic;
mod ecn;
mod handshake;
mod hystart;
mod idle;
mod pacing;
mod pair;
mod prr;
mod random;
mod receive_window;
mod recovery;
mod tcp_d;
mod timestamps;
mod transfer;
mod vegas;
mod westwood;
mod window;
mod without_sack;
