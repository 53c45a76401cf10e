// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! HTBench: concurrent HTTP downloads and uploads, each kept as volume over time (Starzetz 6.3.2).
//!
//! | module | what |
//! |---|---|
//! | [`config`] | the TOML file: classes of requests |
//! | [`ini`] | what was an INI file, to TOML |
//! | [`http`] | one response, byte by byte |
//! | [`connection`] | the states of one request |
//! | [`samples`] | V(t), dense at first and sparser later |
//! | [`engine`] | one thread that serves all connections in random order |
//! | [`start`] | machines that begin together |
//! | [`analysis`] | throughput over time, Jain's index over time, figures of a class |
//! | [`files`] | what is kept on disk |
//! | [`merge`] | results of several machines on one clock |
//!
//! What it does not do: a client only, HTTP/1.1 in clear, one request per connection, no redirects.

pub mod analysis;
pub mod config;
pub mod connection;
pub mod engine;
pub mod files;
pub mod http;
pub mod ini;
pub mod merge;
pub mod samples;
pub mod start;
