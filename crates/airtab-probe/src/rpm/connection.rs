// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One connection of a client, with the time of each step, and the bodies that go over it.
//!
//! What TCP has not sent yet is held to [`NOT_SENT`] (`TCP_NOTSENT_LOWAT`, as the draft wants of both ends): what a self
//! probe waits for is then the network's, not the machine's.
//!
//! What it does not do: when and what for is `client`'s.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::header::LOCATION;
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::Error;
use super::document::Host;

/// Bytes that TCP may hold unsent, and as many TLS.
pub(super) const NOT_SENT: u32 = 16 << 10;
/// Flow control of HTTP/2: what may be under way of a stream, and of a connection. What arrives is taken at once, so
/// nothing waits there.
pub(super) const STREAM_WINDOW: u32 = 8 << 20;
pub(super) const CONNECTION_WINDOW: u32 = 16 << 20;
/// The longest wait for one step of the server: its address, a connection, TLS, the start of HTTP/2, an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Where to, and whom to believe there.
#[derive(Clone)]
pub(super) struct Remote {
    pub(super) host: Host,
    pub(super) address: SocketAddr,
    pub(super) tls: Arc<ClientConfig>,
}

impl Remote {
    /// For messages.
    pub(super) fn place(&self) -> String {
        match self.host.name == self.address.ip().to_string() {
            true => self.host.to_string(),
            false => format!("{} ({})", self.host, self.address),
        }
    }
}

/// The result of a step, or that it took longer than [`PATIENCE`].
pub(super) async fn in_time<T>(step: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let late = |_| Err(format!("no answer within {} s", PATIENCE.as_secs()));
    tokio::time::timeout(PATIENCE, step).await.unwrap_or_else(late)
}

/// A connection that is open.
pub(super) struct Open {
    pub(super) requests: SendRequest<Zeros>,
    /// The same socket, to look at.
    pub(super) socket: socket2::Socket,
    pub(super) tcp: Duration,
    pub(super) tls: Duration,
}

/// What spawns what HTTP/2 does in the background, in the set of tasks of this thread.
#[derive(Clone, Copy)]
struct Here;

impl<F: Future<Output = ()> + 'static> hyper::rt::Executor<F> for Here {
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}

/// What TCP may hold unsent, and no waiting for more to send.
pub(super) fn prepare(socket: &TcpStream) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    SockRef::from(socket).set_tcp_notsent_lowat(NOT_SENT)
}

/// Opens a connection: TCP, TLS, HTTP/2.
pub(super) async fn open(to: &Remote) -> Result<Open, Error> {
    let no_answer = |said| Error::NoAnswer { place: to.place(), said };
    let late = || std::io::Error::from(std::io::ErrorKind::TimedOut);
    let start = Instant::now();
    let connecting = tokio::time::timeout(PATIENCE, TcpStream::connect(to.address));
    let stream = connecting.await.unwrap_or_else(|_| Err(late())).map_err(no_answer)?;
    let tcp = start.elapsed();
    prepare(&stream).map_err(no_answer)?;
    let socket = SockRef::from(&stream).try_clone().map_err(no_answer)?;

    let refused = |why: String| {
        let cure = if why.contains("not believed") {
            "if it is your own server's, as it prints it: --trust FINGERPRINT; or --ca FILE with who signed it"
        } else {
            "TLS 1.3 and HTTP/2 are needed there; is it the right port?"
        };
        Error::Tls { place: to.place(), why, cure: cure.into() }
    };
    let name = ServerName::try_from(to.host.name.clone()).map_err(|e| refused(e.to_string()))?;
    let start = Instant::now();
    let connecting =
        tokio::time::timeout(PATIENCE, TlsConnector::from(Arc::clone(&to.tls)).connect(name, stream));
    let mut stream = connecting.await.unwrap_or_else(|_| Err(late())).map_err(|e| refused(e.to_string()))?;
    stream.get_mut().1.set_buffer_limit(Some(NOT_SENT as usize));
    let tls = start.elapsed();
    if stream.get_ref().1.alpn_protocol().is_none() {
        return Err(refused("it does not speak HTTP/2".into()));
    }

    let mut http = Builder::new(Here);
    http.initial_stream_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
    let stopped = |why| Error::Stopped { place: to.place(), why, doing: "HTTP/2 began".into() };
    let beginning = async { http.handshake(TokioIo::new(stream)).await.map_err(|e| chain(&e)) };
    let (requests, connection) = in_time(beginning).await.map_err(stopped)?;
    tokio::task::spawn_local(async {
        // How it ends is told by its requests.
        let _ = connection.await;
    });
    Ok(Open { requests, socket, tcp, tls })
}

/// A GET, or a POST of what has no end.
pub(super) fn request(uri: &Uri, upload: bool) -> Request<Zeros> {
    let request = Request::builder().uri(uri.clone()).header("accept-encoding", "identity");
    let request = match upload {
        true => request.method(Method::POST).header("content-type", "application/octet-stream"),
        false => request,
    };
    request.body(Zeros { left: if upload { u64::MAX } else { 0 } }).expect("made of what was read before")
}

/// All of an answer, at most so many bytes; each piece is told.
pub(super) async fn read(
    answer: Response<Incoming>,
    mut each: impl FnMut(&Bytes) -> Result<(), String>,
) -> Result<(), String> {
    if !answer.status().is_success() {
        let to = answer.headers().get(LOCATION).map(|to| String::from_utf8_lossy(to.as_bytes()));
        let to = to.map_or(String::new(), |to| format!(", which leads to {to}"));
        return Err(format!("it answers {}{to}", answer.status()));
    }
    let mut body = answer.into_body();
    loop {
        let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        match frame {
            None => return Ok(()),
            Some(Err(e)) => return Err(chain(&e)),
            Some(Ok(frame)) => frame.data_ref().map_or(Ok(()), &mut each)?,
        }
    }
}

/// An error with what caused it: hyper's own words say little.
pub(super) fn chain(e: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(e.source(), |e| e.source()).map(|e| format!(": {e}"));
    format!("{e}{}", causes.collect::<String>())
}

/// A body of so many bytes, all of them 0.
pub(super) struct Zeros {
    pub(super) left: u64,
}

/// What is handed to HTTP/2 at a time.
static PIECE: [u8; 64 << 10] = [0; 64 << 10];

impl Body for Zeros {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let n = self.left.min(PIECE.len() as u64);
        self.left -= n;
        Poll::Ready((n > 0).then(|| Ok(Frame::data(Bytes::from_static(&PIECE[..n as usize])))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }
}
