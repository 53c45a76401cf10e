// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The other end of a measurement ("Responsiveness Test Server"): one byte, a download without end, an upload that is
//! thrown away, and the document that names them.
//!
//! One thread. So many connections at a time and no more, each for so long and no longer: whoever talks to it can take
//! its capacity, and nothing else.
//!
//! What it does not do: no files, no names or passwords, and no certificate but its own, made at its start.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::connection::{CONNECTION_WINDOW, NOT_SENT, PATIENCE, STREAM_WINDOW, Zeros, prepare};
use super::document::{Config, LARGE, SMALL, UPLOAD, WELL_KNOWN};
use super::trust::{Fingerprint, self_made};
use super::{Error, connection};

/// Port where nothing else was asked for.
pub const PORT: u16 = 4043;
/// Connections at a time; two tests have room.
pub const CONNECTIONS: usize = 128;
/// For the whole of a connection: longer than a direction of a test may take.
pub const DEADLINE: Duration = Duration::from_secs(150);
/// From one look at the stop flag to the next, and when the kernel gives no connection.
const LOOK: Duration = Duration::from_millis(100);
/// What the draft asks of the large object at least, bytes.
const LARGE_BYTES: u64 = 8 << 30;

/// A server that listens.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    tls: TlsAcceptor,
    fingerprint: Fingerprint,
}

impl Server {
    /// Listens, in the network namespace of the calling thread. Port 0: any that is free.
    ///
    /// # Errors
    /// If the port is taken or not to be had.
    pub fn bind(at: SocketAddr) -> Result<Server, Error> {
        let system = |said| Error::System { what: format!("listening on {at}"), said };
        let listener = std::net::TcpListener::bind(at).map_err(system)?;
        listener.set_nonblocking(true).map_err(system)?;
        let address = listener.local_addr().map_err(system)?;
        let (config, fingerprint) = self_made()?;
        Ok(Server { listener, address, tls: config.into(), fingerprint })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Of its certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Serves until it is told to stop. Each connection that comes is told, and whether there was room for it.
    ///
    /// # Errors
    /// If it cannot begin.
    pub fn run(self, stop: &AtomicBool, told: &mut dyn FnMut(SocketAddr, bool)) -> Result<(), Error> {
        let runtime = connection_runtime()?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener)
                .map_err(|said| Error::System { what: format!("listening on {}", self.address), said })?;
            let free = Arc::new(Semaphore::new(CONNECTIONS));
            while !stop.load(Ordering::Relaxed) {
                let Ok(accepted) = tokio::time::timeout(LOOK, listener.accept()).await else { continue };
                let Ok((stream, from)) = accepted else {
                    tokio::time::sleep(LOOK).await;
                    continue;
                };
                let permit = Arc::clone(&free).try_acquire_owned();
                told(from, permit.is_ok());
                // Who finds no room is told so at once: to wait would be measured.
                let Ok(permit) = permit else { continue };
                let tls = self.tls.clone();
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(DEADLINE, serve(stream, tls)).await;
                    drop(permit);
                });
            }
            Ok(())
        })
    }
}

/// One thread that waits for sockets and time.
pub(super) fn connection_runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|said| Error::System { what: "starting".into(), said })
}

/// One connection. A client that leaves or talks nonsense is no concern of ours.
async fn serve(stream: TcpStream, tls: TlsAcceptor) {
    if prepare(&stream).is_err() {
        return;
    }
    let Ok(Ok(mut stream)) = tokio::time::timeout(PATIENCE, tls.accept(stream)).await else { return };
    stream.get_mut().1.set_buffer_limit(Some(NOT_SENT as usize));
    let mut http = http2::Builder::new(TokioExecutor::new());
    http.initial_stream_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
    let _ = http.serve_connection(TokioIo::new(stream), service_fn(answer)).await;
}

async fn answer(request: Request<Incoming>) -> Result<Response<Answer>, Infallible> {
    let (status, kind, body) = match (request.method(), request.uri().path()) {
        (&Method::GET, SMALL) => (StatusCode::OK, BYTES, Answer::Zeros(Zeros { left: 1 })),
        (&Method::GET, LARGE) => (StatusCode::OK, BYTES, Answer::Zeros(Zeros { left: LARGE_BYTES })),
        (&Method::POST, UPLOAD) => {
            // A client that stops in the middle is the rule.
            let taken = connection::read(Response::new(request.into_body()), |_| Ok(())).await;
            let status = if taken.is_ok() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
            (status, BYTES, Answer::text(String::new()))
        }
        (&Method::GET, WELL_KNOWN) => match request.uri().authority() {
            Some(at) => (StatusCode::OK, "application/json", Answer::text(Config::document(at.as_str()))),
            None => (StatusCode::BAD_REQUEST, TEXT, Answer::text("no host\n".into())),
        },
        _ => {
            let said = format!("there are GET {WELL_KNOWN}, {SMALL}, {LARGE} and POST {UPLOAD}\n");
            (StatusCode::NOT_FOUND, TEXT, Answer::text(said))
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

const BYTES: &str = "application/octet-stream";
const TEXT: &str = "text/plain";

/// What is answered.
enum Answer {
    Zeros(Zeros),
    Text(Option<Bytes>),
}

impl Answer {
    fn text(text: String) -> Answer {
        Answer::Text((!text.is_empty()).then(|| text.into()))
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Answer::Zeros(zeros) => std::pin::Pin::new(zeros).poll_frame(cx),
            Answer::Text(text) => {
                std::task::Poll::Ready(text.take().map(|text| Ok(hyper::body::Frame::data(text))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Answer::Zeros(zeros) => zeros.is_end_stream(),
            Answer::Text(text) => text.is_none(),
        }
    }
}
