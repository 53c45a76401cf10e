// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Connections of one listener: how many, how patient, until when.
//!
//! What it does not do: it knows no request.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::future::select;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;

/// Pause when the kernel gives no connection: out of file descriptors, say.
const PAUSE: Duration = Duration::from_millis(100);

/// How connections are served.
#[derive(Clone, Copy)]
pub struct Door {
    /// At a time; others wait in the kernel.
    pub connections: usize,
    /// For the head of a request.
    pub head: Duration,
    /// For the whole of a connection, which has one request then; None: as many as the client wants, as long as it wants.
    pub whole: Option<Duration>,
}

impl Door {
    /// Serves connections until the task is ended; each ends with the sender of `ends`.
    pub async fn serve(self, listener: TcpListener, app: Router, ends: watch::Receiver<()>) {
        let free = Arc::new(Semaphore::new(self.connections));
        loop {
            let permit = free.clone().acquire_owned().await.expect("it is never closed");
            let Ok((stream, _)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            // Events are small, and late ones are no use.
            let _ = stream.set_nodelay(true);
            let service = TowerToHyperService::new(app.clone());
            let mut ends = ends.clone();
            tokio::spawn(async move {
                let mut http = hyper::server::conn::http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(self.head).max_buf_size(64 << 10);
                http.keep_alive(self.whole.is_none());
                let connection = http.serve_connection(TokioIo::new(stream), service);
                let limit = async {
                    match self.whole {
                        Some(whole) => sleep(whole).await,
                        None => std::future::pending().await,
                    }
                };
                // Of `ends` only its end can come.
                let (limit, ended) = (pin!(limit), pin!(ends.changed()));
                // A client that is too slow or talks nonsense is no concern of ours.
                let _ = select(pin!(connection), select(limit, ended)).await;
                drop(permit);
            });
        }
    }
}
