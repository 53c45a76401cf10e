// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Servers over TLS that answer each request as a test says, and a link of a known rate before any server.

use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use airtab_probe::rpm::client::Job;
use airtab_probe::rpm::document::Config;
use airtab_probe::rpm::trust::{Fingerprint, Trust};
use airtab_quality::rpm::Parameters;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::TlsAcceptor;

/// An answer to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Status 200, a body of N bytes.
    Bytes(usize),
    /// The configuration document.
    Document,
    /// Status 302 to that place.
    Redirect(&'static str),
    /// The request stays without an answer.
    Silence,
    /// A mebibyte of a longer body, then the end of the connection.
    Cut,
}

/// The answer to request `n`, from 0, for a path.
pub type Answers = fn(&str, u64) -> Answer;

/// A server; its threads end with the test.
pub struct Odd {
    pub address: SocketAddr,
    fingerprint: Fingerprint,
}

impl Odd {
    /// Starts a server that offers these protocols by ALPN.
    pub fn start(alpn: &[&[u8]], answers: Answers) -> Odd {
        let made = rcgen::generate_simple_self_signed(["odd".to_string()]).expect("a certificate");
        let digest = ring::digest::digest(&ring::digest::SHA256, made.cert.der());
        let hex: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let config = config.expect("TLS 1.3").with_no_client_auth();
        let mut config =
            config.with_single_cert(vec![made.cert.der().clone()], key.into()).expect("a pair of keys");
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        listener.set_nonblocking(true).expect("a socket");
        let tls = TlsAcceptor::from(Arc::new(config));
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
                let asked = Arc::new(AtomicU64::new(0));
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, tls.clone(), answers, Arc::clone(&asked)));
                }
            });
        });
        Odd { address, fingerprint: hex.parse().expect("hexadecimal") }
    }

    pub fn job(&self, parameters: Parameters) -> Job {
        Job {
            target: self.address.to_string(),
            trust: Trust::Fingerprint(self.fingerprint),
            ways: vec![airtab_probe::rpm::Way::Down],
            parameters,
        }
    }
}

async fn serve(stream: tokio::net::TcpStream, tls: TlsAcceptor, answers: Answers, asked: Arc<AtomicU64>) {
    let Ok(stream) = tls.accept(stream).await else { return };
    let cut = Arc::new(AtomicBool::new(false));
    let service = |request: Request<Incoming>| {
        let (n, cut) = (asked.fetch_add(1, Ordering::Relaxed), Arc::clone(&cut));
        let answer = answers(request.uri().path(), n);
        let at = request.uri().authority().map(|at| at.to_string()).unwrap_or_default();
        async move {
            let mut response = Response::builder();
            let content = match answer {
                Answer::Silence => std::future::pending().await,
                Answer::Bytes(n) => Content { left: n, cut: None },
                Answer::Cut => Content { left: 1 << 20, cut: Some(cut) },
                Answer::Document => {
                    let text = Bytes::from(Config::document(&at));
                    return Ok::<_, Infallible>(Response::new(Either::Text(Some(text))));
                }
                Answer::Redirect(to) => {
                    response = response.status(302).header("location", to);
                    Content { left: 0, cut: None }
                }
            };
            Ok(response.body(Either::Zeros(content)).expect("a response"))
        }
    };
    let mut connection = pin!(
        http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service_fn(service))
    );
    while !cut.load(Ordering::Relaxed) {
        if tokio::time::timeout(Duration::from_millis(10), connection.as_mut()).await.is_ok() {
            return;
        }
    }
}

/// A body of zeros, after which the flag is set, if there is one, and the body does not end.
struct Content {
    left: usize,
    cut: Option<Arc<AtomicBool>>,
}

enum Either {
    Zeros(Content),
    Text(Option<Bytes>),
}

impl Body for Either {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Either::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Either::Zeros(content) => {
                let n = content.left.min(16 << 10);
                content.left -= n;
                match (n, &content.cut) {
                    (0, None) => Poll::Ready(None),
                    (0, Some(cut)) => {
                        cut.store(true, Ordering::Relaxed);
                        Poll::Pending
                    }
                    _ => Poll::Ready(Some(Ok(Frame::data(vec![0; n].into())))),
                }
            }
        }
    }
}

/// A link to `server` of that rate, shared by all connections in both directions; the result is its near end.
pub fn link(server: SocketAddr, bits_per_second: u64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let free = Arc::new(Mutex::new(Instant::now()));
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let Ok(server) = TcpStream::connect(server) else { continue };
            let (there, back) =
                (client.try_clone().expect("a socket"), server.try_clone().expect("a socket"));
            for (from, to) in [(client, server), (back, there)] {
                let free = Arc::clone(&free);
                thread::spawn(move || carry(from, to, &free, bits_per_second));
            }
        }
    });
    address
}

fn carry(mut from: TcpStream, mut to: TcpStream, free: &Mutex<Instant>, bits_per_second: u64) {
    let mut packet = [0; 1448];
    while let Ok(n @ 1..) = from.read(&mut packet) {
        let until = {
            let mut free = free.lock().expect("no panic");
            *free = (*free).max(Instant::now())
                + Duration::from_nanos(n as u64 * 8_000_000_000 / bits_per_second);
            *free
        };
        thread::sleep(until.saturating_duration_since(Instant::now()));
        if to.write_all(&packet[..n]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(std::net::Shutdown::Both), to.shutdown(std::net::Shutdown::Both));
}

/// Runs work that must end within a time.
pub fn within<T>(most: Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    assert!(start.elapsed() < most, "it took {:?}, more than {most:?}", start.elapsed());
    done
}
