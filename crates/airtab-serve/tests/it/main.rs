// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of `airtab serve` over HTTP.

mod check;
mod common;
mod live;
mod security;
mod studies;
