// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What commands say to the kernel over netlink, and what it says back.
//!
//! What it does not do: which family, device or discipline is asked what is each command's.

pub mod message;
pub mod socket;
