// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `/metrics` and `/health`: what Prometheus reads of a house, with or without the rest of the server.
//!
//! Alone ([`Exporter`], for `airtab live --metrics-port`) it has one thread; a client has [`DOOR`]'s time for everything
//! and one request per connection. So a slow client costs others seconds at worst, and the access point nothing.
//!
//! What it does not do: no names or passwords: who is on this machine may read it. The text is made by
//! `airtab_live::metrics`.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use airtab_live::metrics::{Format, encode};
use airtab_live::{LiveError, Snapshot};
use axum::Router;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::{oneshot, watch};

use crate::answer::{Refusal, aside};
use crate::door::Door;
use crate::server::Shared;
use crate::wanted;

/// Port where nothing else was asked for.
pub const METRICS_PORT: u16 = 9130;
const DOOR: Door =
    Door { connections: 32, head: Duration::from_secs(3), whole: Some(Duration::from_secs(3)) };
/// Snapshots older than this are no sign of health.
const STALE: Duration = Duration::from_secs(5);
const PLAIN: &str = "text/plain; charset=utf-8";

fn metrics(snapshot: Option<Arc<Snapshot>>, (format, content_type): (Format, &'static str)) -> Response {
    ([(CONTENT_TYPE, content_type), (VARY, "accept")], encode(snapshot, format)).into_response()
}

/// `age`: of the last snapshot.
fn health(age: Option<Duration>) -> Response {
    let (status, text) = match age {
        Some(age) if age < STALE => (StatusCode::OK, "ok\n".into()),
        Some(age) => {
            let text = format!("no news of the access point for {} s\n", age.as_secs());
            (StatusCode::SERVICE_UNAVAILABLE, text)
        }
        None => (StatusCode::SERVICE_UNAVAILABLE, "the access point is starting\n".into()),
    };
    (status, [(CONTENT_TYPE, PLAIN)], text).into_response()
}

/// `GET /metrics` of the server: the first house that it shows.
pub async fn shown(State(shared): State<Arc<Shared>>, asked: HeaderMap) -> Result<Response, Refusal> {
    let (latest, wanted) = (shared.houses.latest(), wanted::format(&asked));
    aside(move || {
        let snapshot = latest.and_then(|(line, _)| serde_json::from_str::<Snapshot>(&line).ok());
        Ok(metrics(snapshot.map(Arc::new), wanted))
    })
    .await
}

/// `GET /health` of the server. Where it shows no house, it is well if it answers.
pub async fn shown_health(State(shared): State<Arc<Shared>>) -> Response {
    match shared.houses.is_empty() {
        true => health(Some(Duration::ZERO)),
        false => health(shared.houses.latest().map(|(_, at)| at.elapsed())),
    }
}

/// A running endpoint of one house; it ends when dropped.
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
        let app = router(latest.clone());
        let thread = thread::Builder::new()
            .name("airtab-metrics".into())
            .spawn(move || {
                runtime.block_on(async {
                    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                    let ends = watch::Sender::new(());
                    let accepting = tokio::spawn(DOOR.serve(listener, app, ends.subscribe()));
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

fn router(latest: Latest) -> Router {
    let other =
        || async { (StatusCode::NOT_FOUND, [(CONTENT_TYPE, PLAIN)], "there are /metrics and /health\n") };
    let snapshot = |State(latest): State<Latest>, asked: HeaderMap| async move {
        let snapshot = latest.lock().as_ref().map(|(snapshot, _)| snapshot.clone());
        metrics(snapshot, wanted::format(&asked))
    };
    let age = |State(latest): State<Latest>| async move {
        let age = latest.lock().as_ref().map(|(_, at)| at.elapsed());
        health(age)
    };
    Router::new()
        .route("/metrics", get(snapshot))
        .route("/health", get(age))
        .fallback(other)
        .method_not_allowed_fallback(other)
        .with_state(latest)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;
    /// Invented: two seconds of a plausible evening.
    const EVENING: &str = include_str!("../../airtab-live/fixtures/evening.jsonl");

    fn evening() -> Snapshot {
        serde_json::from_str(EVENING.lines().next().unwrap()).unwrap()
    }

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

    /// Well up to five seconds after the last snapshot; then it is said for how long there was none.
    #[test]
    fn health_is_the_age_of_the_last_snapshot() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (age_ms, status, text) in [
            (Some(0), 200, "ok\n"),
            (Some(4_999), 200, "ok\n"),
            (Some(5_000), 503, "no news of the access point for 5 s\n"),
            (Some(61_900), 503, "no news of the access point for 61 s\n"),
            (None, 503, "the access point is starting\n"),
        ] {
            let answer = health(age_ms.map(Duration::from_millis));
            assert_eq!(
                (answer.status().as_u16(), answer.headers()[CONTENT_TYPE].to_str().unwrap()),
                (status, PLAIN),
                "{age_ms:?}"
            );
            let body = runtime.block_on(axum::body::to_bytes(answer.into_body(), 1000)).unwrap();
            assert_eq!(body, text, "{age_ms:?}");
        }
    }

    /// A scrape shows the snapshot published last.
    #[test]
    fn a_scrape_has_the_last_snapshot() {
        let exporter = Exporter::start(0).unwrap();
        let second: Snapshot = serde_json::from_str(EVENING.lines().nth(1).unwrap()).unwrap();
        for snapshot in [Arc::new(evening()), Arc::new(second)] {
            exporter.publish(Arc::clone(&snapshot));
            assert_eq!(get_path(exporter.address(), "/metrics").1, encode(Some(snapshot), Format::Text));
        }
    }

    #[test]
    fn a_scrape_over_the_loopback() {
        let exporter = Exporter::start(0).unwrap();
        let at = exporter.address();
        assert!(at.ip().is_loopback());
        assert_eq!(get_path(at, "/metrics").1, "");
        assert!(get_path(at, "/health").0.starts_with("http/1.1 503"));
        let snapshot = Arc::new(evening());
        exporter.publish(Arc::clone(&snapshot));
        let (head, body) = get_path(at, "/metrics?x=1");
        let kind = "\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n";
        assert!(head.starts_with("http/1.1 200") && head.contains(kind), "{head}");
        assert!(head.contains("\r\nvary: accept"), "{head}");
        assert_eq!(body, encode(Some(Arc::clone(&snapshot)), Format::Text));
        let asked = "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n\r\n";
        let answer = get(at, asked);
        let kind = "\r\ncontent-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n";
        assert!(answer.to_lowercase().contains(kind), "{answer}");
        assert!(answer.ends_with(&encode(Some(snapshot), Format::OpenMetrics)), "{answer}");
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
        exporter.publish(Arc::new(evening()));
        let at = exporter.address();
        assert!(get(at, "\0\0\u{1}nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
        let long = format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
        let mut flood = TcpStream::connect(at).unwrap();
        let _ = flood.write_all(long.as_bytes());
        // More than are served at a time, all silent after the first word.
        let slow: Vec<TcpStream> = (0..DOOR.connections + 8)
            .map(|_| {
                let mut stream = TcpStream::connect(at).unwrap();
                stream.write_all(b"GET ").unwrap();
                stream
            })
            .collect();
        let start = Instant::now();
        assert!(get_path(at, "/metrics").0.starts_with("http/1.1 200"));
        assert!(start.elapsed() < DOOR.head * 3, "{:?}", start.elapsed());
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
