// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The endpoint: `/metrics` and `/health` over HTTP, on the loopback only.
//!
//! One thread. A client has [`DEADLINE`] for everything and one request per
//! connection; at most [`CONNECTIONS`] are served at a time, the others wait in
//! the kernel. So a slow client costs others seconds at worst, and the access
//! point nothing.
//!
//! What it does not do: no TLS, no names or passwords: who is on this machine may read it.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::sync::{Semaphore, oneshot};

use super::encode;
use crate::error::LiveError;
use crate::snapshot::Snapshot;

/// Port where nothing else was asked for.
pub const DEFAULT_PORT: u16 = 9130;
/// Connections served at a time.
const CONNECTIONS: usize = 32;
/// For the whole of a connection.
const DEADLINE: Duration = Duration::from_secs(3);
/// Snapshots older than this are no sign of health.
const STALE: Duration = Duration::from_secs(5);
/// Pause when the kernel gives no connection: out of file descriptors, say.
const PAUSE: Duration = Duration::from_millis(100);
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

/// A running endpoint; it ends when dropped.
pub struct Exporter {
    latest: Latest,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The last snapshot, and when it came.
#[derive(Clone, Default)]
struct Latest(Arc<Mutex<Option<Stamped>>>);

type Stamped = (Arc<Snapshot>, Instant);

impl Latest {
    fn lock(&self) -> MutexGuard<'_, Option<Stamped>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn response(&self, request: &Request<hyper::body::Incoming>) -> Response<String> {
        let found = matches!(*request.method(), Method::GET | Method::HEAD);
        let (status, kind, body) = match request.uri().path() {
            "/metrics" if found => {
                let snapshot = self.lock().as_ref().map(|(snapshot, _)| Arc::clone(snapshot));
                (StatusCode::OK, OPENMETRICS, encode(snapshot))
            }
            "/health" if found => match self.lock().as_ref().map(|(_, at)| at.elapsed()) {
                Some(age) if age < STALE => (StatusCode::OK, PLAIN, "ok\n".into()),
                Some(age) => {
                    let text = format!("no news of the access point for {} s\n", age.as_secs());
                    (StatusCode::SERVICE_UNAVAILABLE, PLAIN, text)
                }
                None => (StatusCode::SERVICE_UNAVAILABLE, PLAIN, "the access point is starting\n".into()),
            },
            _ => (StatusCode::NOT_FOUND, PLAIN, "there are /metrics and /health\n".into()),
        };
        let response = Response::builder().status(status).header(CONTENT_TYPE, kind);
        response.body(body).expect("status and header are constants")
    }
}

impl Exporter {
    /// Listens on `127.0.0.1`, in the network namespace of the calling thread.
    /// Port 0: any that is free.
    ///
    /// # Errors
    /// If the port is taken, or there is no thread to be had.
    pub fn start(port: u16) -> Result<Exporter, LiveError> {
        let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let tried = format!("listening on {asked} for Prometheus (another port: --metrics-port)");
        let listener = TcpListener::bind(asked).map_err(LiveError::system(tried.as_str()))?;
        let address = listener.local_addr().map_err(LiveError::system(tried.as_str()))?;
        listener.set_nonblocking(true).map_err(LiveError::system(tried.as_str()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(LiveError::system("starting the metrics endpoint"))?;
        let latest = Latest::default();
        let (stop, stopped) = oneshot::channel();
        let served = latest.clone();
        let thread = thread::Builder::new()
            .name("airtab-metrics".into())
            .spawn(move || {
                runtime.block_on(async {
                    let accepting = tokio::spawn(accept(listener, served));
                    // Both say the same: the exporter is dropped.
                    let _ = stopped.await;
                    accepting.abort();
                });
            })
            .map_err(LiveError::system("starting the metrics endpoint"))?;
        Ok(Exporter { latest, address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the next scrape gets.
    pub fn publish(&self, snapshot: Arc<Snapshot>) {
        *self.latest.lock() = Some((snapshot, Instant::now()));
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: TcpListener, latest: Latest) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let permit = Arc::clone(&free).acquire_owned().await.expect("it is never closed");
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let latest = latest.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let response = latest.response(&request);
                async move { Ok::<_, Infallible>(response) }
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            let connection =
                http.keep_alive(false).max_buf_size(16 << 10).serve_connection(TokioIo::new(stream), service);
            // A client that is too slow or talks nonsense is no concern of ours.
            let _ = tokio::time::timeout(DEADLINE, connection).await;
            drop(permit);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;
    use crate::fixture::evening;

    fn get(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A refusal may reset the connection after the answer.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    fn get_path(address: SocketAddr, path: &str) -> (String, String) {
        let answer = get(address, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head.to_lowercase(), body.into())
    }

    #[test]
    fn a_scrape_over_the_loopback() {
        let exporter = Exporter::start(0).unwrap();
        let at = exporter.address();
        assert!(at.ip().is_loopback());
        assert_eq!(get_path(at, "/metrics").1, "# EOF\n");
        assert!(get_path(at, "/health").0.starts_with("http/1.1 503"));
        let snapshot = Arc::new(evening()[0].clone());
        exporter.publish(Arc::clone(&snapshot));
        let (head, body) = get_path(at, "/metrics?x=1");
        assert!(head.starts_with("http/1.1 200") && head.contains(OPENMETRICS), "{head}");
        assert_eq!(body, encode(Some(snapshot)));
        assert_eq!(get_path(at, "/health").1, "ok\n");
        for path in ["/", "/metrics/", "/../etc/passwd", "/metricsx"] {
            assert!(get_path(at, path).0.starts_with("http/1.1 404"), "{path}");
        }
        let post = get(at, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
        assert!(post.starts_with("HTTP/1.1 404"), "{post}");
    }

    #[test]
    fn slow_and_hostile_clients_keep_nobody_out() {
        let exporter = Exporter::start(0).unwrap();
        exporter.publish(Arc::new(evening()[0].clone()));
        let at = exporter.address();
        assert!(get(at, "\0\0\u{1}nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
        let long = format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
        let mut flood = TcpStream::connect(at).unwrap();
        let _ = flood.write_all(long.as_bytes());
        // More than are served at a time, all silent after the first word.
        let slow: Vec<TcpStream> = (0..CONNECTIONS + 8)
            .map(|_| {
                let mut stream = TcpStream::connect(at).unwrap();
                stream.write_all(b"GET ").unwrap();
                stream
            })
            .collect();
        let start = Instant::now();
        assert!(get_path(at, "/metrics").0.starts_with("http/1.1 200"));
        assert!(start.elapsed() < DEADLINE * 3, "{:?}", start.elapsed());
        drop(slow);
    }

    #[test]
    fn it_ends_when_dropped_even_with_a_client_inside() {
        let exporter = Exporter::start(0).unwrap();
        let at = exporter.address();
        let mut client = TcpStream::connect(at).unwrap();
        client.write_all(b"GET ").unwrap();
        thread::sleep(Duration::from_millis(50));
        let start = Instant::now();
        drop(exporter);
        assert!(start.elapsed() < Duration::from_secs(1));
        // The port is free again.
        let again = Exporter::start(at.port()).unwrap();
        let taken = Exporter::start(again.address().port()).err().unwrap().to_string();
        assert!(taken.contains(&at.to_string()) && taken.contains("--metrics-port"), "{taken}");
    }
}
