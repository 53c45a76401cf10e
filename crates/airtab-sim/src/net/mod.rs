// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The wired side: links and addresses.

pub mod address;
mod link;

pub use link::Link;
