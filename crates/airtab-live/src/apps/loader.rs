// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Our own loader of web pages.
//!
//! The page itself comes first, over a connection of its own; then its other
//! objects over that one and up to five more, text before the rest, each
//! connection taking the next object when it has got one, as browsers do with
//! HTTP/1.1. Every page has new connections. CHAP dissertation 6.1.4 and 7.3.2.
//!
//! What it does not do: no rendering, no cache, no name resolution; which page
//! comes when is `web`'s.

use std::io;
use std::net::SocketAddrV4;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use airtab_sim::traffic::web::Objects;

use super::http::{Answer, Connection};
use super::nginx::Nginx;
use super::work::Work;

/// Connections of a browser to one server.
const CONNECTIONS: usize = 6;

/// A page that was loaded.
pub(crate) struct Loaded {
    pub(crate) opened_ns: u64,
    pub(crate) requested_ns: u64,
    pub(crate) done_ns: u64,
    /// From each request to the first byte of its answer, ns.
    pub(crate) first_bytes_ns: Vec<u64>,
}

/// Loads one page; given up at `end`, ns.
pub(super) fn load(
    work: &Work,
    server: SocketAddrV4,
    nginx: &Nginx,
    objects: &Objects,
    end: u64,
) -> io::Result<Loaded> {
    let sizes: Vec<u64> = objects.text.iter().chain(&objects.embedded).copied().collect();
    let paths = sizes.iter().map(|bytes| nginx.object(*bytes)).collect::<io::Result<Vec<_>>>()?;
    let opened_ns = work.clock.now();
    let mut first = Connection::open(work, server, end)?;
    let page = first.get(work, &paths[0], sizes[0], end)?;
    let next = AtomicUsize::new(1);
    // Takes the next object until there is none.
    let fetch = |connection: Option<Connection>| -> io::Result<Vec<Answer>> {
        let mut answers = Vec::new();
        let mut connection = connection;
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= sizes.len() {
                return Ok(answers);
            }
            let open = match connection.take() {
                Some(open) => open,
                None => Connection::open(work, server, end)?,
            };
            answers.push(connection.insert(open).get(work, &paths[i], sizes[i], end)?);
        }
    };
    let mut answers = vec![page];
    thread::scope(|scope| -> io::Result<()> {
        let more = (sizes.len() - 1).min(CONNECTIONS).saturating_sub(1);
        let others: Vec<_> = (0..more).map(|_| scope.spawn(|| fetch(None))).collect();
        answers.extend(fetch(Some(first))?);
        for other in others {
            answers.extend(other.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))?);
        }
        Ok(())
    })?;
    Ok(Loaded {
        opened_ns,
        requested_ns: page.requested_ns,
        done_ns: answers.iter().map(|a| a.done_ns).max().unwrap_or(page.done_ns),
        first_bytes_ns: answers.iter().map(|a| a.first_byte_ns - a.requested_ns).collect(),
    })
}
