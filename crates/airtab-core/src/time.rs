// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Times in nanoseconds, the unit of every interface here.

/// A millisecond.
pub const MS: u64 = 1_000_000;
/// A second.
pub const SECOND: u64 = 1_000_000_000;
