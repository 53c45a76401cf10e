// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The server of `airtab serve`: scenarios, comparisons and running houses over HTTP, for the page that it brings.
//!
//! - [`Server`]: listens, and answers until it is stopped; [`Options`], [`Limits`]: what it serves, to whom
//! - [`Exporter`]: `/metrics` and `/health` of a house alone, for `airtab live --metrics-port` (Linux)
//!
//! `docs/serve.md` lists what may be asked. Everything that is answered comes from the crates that the command line has
//! it from, and is equal to it.
//!
//! What this crate does not do: no figure is computed here, no TLS, no users: whoever has the token may ask.

#![forbid(unsafe_code)]

mod answer;
mod catalogue;
mod check;
mod door;
mod files;
mod form;
mod guard;
mod live;
#[cfg(has_live)]
mod metrics;
mod page;
mod runs;
mod server;
mod token;
#[cfg(has_live)]
mod wanted;

pub use live::Replay;
#[cfg(has_live)]
pub use metrics::{Exporter, METRICS_PORT};
pub use server::{DEFAULT_PORT, Limits, Options, ServeError, Server};
