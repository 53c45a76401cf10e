// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The states of one request (Starzetz 6.3.2): idle, connecting, sending the request, sending the body of an
//! upload, receiving the head, receiving the body, done or failed.
//!
//! A state machine; the engine does its I/O. It says what to write, takes what was read, and keeps V(t).
//! V is what TCP carried of the transfer: bytes received of a download, bytes acknowledged of an upload, both
//! with their HTTP heads. t = 0 is the moment when the connection stands.

use super::config::{Class, Method};
use super::http::{Malformed, Response};
use super::samples::{Samples, Sampling};

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not begun.
    Idle,
    /// The handshake is under way.
    Connecting,
    /// The head of the request goes out.
    SendRequest,
    /// The body of an upload goes out.
    SendBody,
    /// The response has not begun, or its head is not complete.
    ReceiveHead,
    /// Its body comes in.
    ReceiveBody,
    /// Complete.
    Done,
    /// Failed.
    Error,
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No connection.
    #[error("cannot connect: {0}")]
    Connect(String),
    /// The connection broke.
    #[error("connection lost: {0}")]
    Lost(String),
    /// The server ended it too early.
    #[error("the server closed the connection before the response was complete")]
    Closed,
    /// The server refused.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// Not HTTP.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Nothing moved for too long.
    #[error("nothing happened for {0} ms")]
    Stalled(u64),
    /// The head of the response took too long.
    #[error("no whole response head within {0} ms")]
    SlowHead(u64),
}

/// One request on its connection.
#[derive(Debug)]
pub struct Exchange {
    state: State,
    upload: bool,
    /// Its head.
    request: Vec<u8>,
    request_left: usize,
    body_left: u64,
    written: u64,
    response: Response,
    samples: Samples,
    volume: u64,
    /// When the connection stood, the request was out, and something last moved; ns.
    t0_ns: Option<u64>,
    out_ns: Option<u64>,
    moved_ns: u64,
    failure: Option<Failure>,
}

impl Exchange {
    /// A request of `class`, not begun.
    pub fn new(class: &Class, sampling: Sampling, now_ns: u64) -> Exchange {
        let request = head(class);
        let body_left = match class.method {
            Method::Get => 0,
            Method::Put { size } => size,
        };
        Exchange {
            state: State::Idle,
            upload: matches!(class.method, Method::Put { .. }),
            request_left: request.len(),
            request,
            body_left,
            written: 0,
            response: Response::default(),
            samples: Samples::new(sampling),
            volume: 0,
            t0_ns: None,
            out_ns: None,
            moved_ns: now_ns,
            failure: None,
        }
    }

    /// Where it is.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Done | State::Error)
    }

    /// Whether there is something to write.
    pub fn wants_to_write(&self) -> bool {
        matches!(self.state, State::Connecting | State::SendRequest | State::SendBody)
    }

    /// Whether V(t) is about acknowledged bytes.
    pub fn is_upload(&self) -> bool {
        self.upload
    }

    /// The handshake has begun.
    pub fn connecting(&mut self) {
        debug_assert_eq!(self.state, State::Idle);
        self.state = State::Connecting;
    }

    /// The connection stands: t = 0.
    pub fn connected(&mut self, now_ns: u64) {
        debug_assert_eq!(self.state, State::Connecting);
        self.state = State::SendRequest;
        self.t0_ns = Some(now_ns);
        self.moved_ns = now_ns;
    }

    /// What to write now: from the head, then from `body` over and over.
    pub fn to_write<'a>(&'a self, body: &'a [u8]) -> &'a [u8] {
        match self.state {
            State::SendRequest => &self.request[self.request.len() - self.request_left..],
            State::SendBody => {
                let from = (self.written % body.len() as u64) as usize;
                let left = usize::try_from(self.body_left).unwrap_or(usize::MAX);
                &body[from..from + left.min(body.len() - from)]
            }
            _ => &[],
        }
    }

    /// So much of it was accepted.
    pub fn wrote(&mut self, n: usize, now_ns: u64) {
        self.written += n as u64;
        self.moved_ns = now_ns;
        if self.state == State::SendRequest {
            self.request_left -= n;
        } else {
            self.body_left -= n as u64;
        }
        if self.request_left > 0 {
            return;
        }
        self.state = State::SendBody;
        if self.body_left == 0 {
            self.state = State::ReceiveHead;
            self.out_ns = Some(now_ns);
            self.follow_response(now_ns);
        }
    }

    /// The other side has acknowledged so much since the connection stands.
    pub fn acknowledged(&mut self, bytes: u64, now_ns: u64) {
        // A FIN counts in the kernel, and is no data.
        let bytes = bytes.min(self.written);
        if self.upload && bytes > self.volume {
            self.moved_ns = now_ns;
            self.volume = bytes;
        }
        if self.upload {
            self.samples.offer(self.age_ns(now_ns), self.volume);
        }
    }

    /// Bytes arrived.
    pub fn received(&mut self, bytes: &[u8], now_ns: u64) {
        if self.is_over() {
            return;
        }
        self.moved_ns = now_ns;
        if !self.upload {
            self.volume += bytes.len() as u64;
            self.samples.offer(self.age_ns(now_ns), self.volume);
        }
        if let Err(e) = self.response.take(bytes) {
            return self.fail(e.into(), now_ns);
        }
        match self.response.status() {
            Some(status) if !(200..300).contains(&status) => self.fail(Failure::Status(status), now_ns),
            _ => self.follow_response(now_ns),
        }
    }

    /// Moves on with a good response. One that came early waits until the upload is out.
    fn follow_response(&mut self, now_ns: u64) {
        if self.state == State::ReceiveHead && self.response.status().is_some() {
            self.state = State::ReceiveBody;
        }
        if self.state == State::ReceiveBody && self.response.is_done() {
            self.end(State::Done, now_ns);
        }
    }

    /// The server has closed its side.
    pub fn closed(&mut self, now_ns: u64) {
        match self.response.close() && self.state == State::ReceiveBody {
            true => self.end(State::Done, now_ns),
            false => self.fail(Failure::Closed, now_ns),
        }
    }

    /// It cannot go on.
    pub fn fail(&mut self, failure: Failure, now_ns: u64) {
        self.failure = Some(failure);
        self.end(State::Error, now_ns);
    }

    /// Fails it if it has been still for `limit_ns`, or its head is not complete that long after the request.
    pub fn check_time(&mut self, now_ns: u64, limit_ns: u64) {
        if self.is_over() {
            return;
        }
        let passed = |since: u64| now_ns.saturating_sub(since) >= limit_ns;
        if passed(self.moved_ns) {
            self.fail(Failure::Stalled(limit_ns / 1_000_000), now_ns);
        } else if self.state == State::ReceiveHead && self.out_ns.is_some_and(passed) {
            self.fail(Failure::SlowHead(limit_ns / 1_000_000), now_ns);
        }
    }

    /// When V(t) wants its next point, ns; only uploads have to be asked.
    pub fn next_sample_ns(&self) -> Option<u64> {
        let t0 = self.t0_ns.filter(|_| self.upload && !self.is_over())?;
        Some(t0 + self.samples.next_ns())
    }

    /// Ends the curve of a request that is given up in between.
    pub fn give_up(&mut self, now_ns: u64) {
        if !self.is_over() && self.t0_ns.is_some() {
            self.samples.keep(self.age_ns(now_ns), self.volume);
        }
    }

    /// When the connection stood, ns; none if it never did.
    pub fn t0_ns(&self) -> Option<u64> {
        self.t0_ns
    }

    /// What TCP carried, bytes.
    pub fn volume(&self) -> u64 {
        self.volume
    }

    /// The final status, once there is one.
    pub fn status(&self) -> Option<u16> {
        self.response.status()
    }

    /// Why it failed.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// V(t).
    pub fn into_samples(self) -> Samples {
        self.samples
    }

    fn age_ns(&self, now_ns: u64) -> u64 {
        now_ns.saturating_sub(self.t0_ns.unwrap_or(now_ns))
    }

    fn end(&mut self, state: State, now_ns: u64) {
        self.state = state;
        if self.t0_ns.is_some() {
            self.samples.keep(self.age_ns(now_ns), self.volume);
        }
    }
}

/// The head of a request.
fn head(class: &Class) -> Vec<u8> {
    let (verb, length) = match class.method {
        Method::Get => ("GET", String::new()),
        Method::Put { size } => {
            ("PUT", format!("Content-Type: application/octet-stream\r\nContent-Length: {size}\r\n"))
        }
    };
    let (path, host) = (&class.path, &class.host);
    format!(
        "{verb} {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: airtab-htbench\r\nAccept: */*\r\n\
         Connection: close\r\n{length}\r\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtab_core::time::MS;

    fn exchange(method: Method) -> Exchange {
        let class = Class {
            name: "a".into(),
            server: "192.0.2.1:80".parse().expect("an address"),
            host: "www".into(),
            path: "/f".into(),
            method,
            concurrency: 1,
            count: Some(1),
            bind: None,
        };
        let mut exchange = Exchange::new(&class, Sampling::default(), 100 * MS);
        assert_eq!(exchange.state(), State::Idle);
        exchange.connecting();
        assert_eq!(exchange.state(), State::Connecting);
        exchange.connected(110 * MS);
        exchange
    }

    fn send_head(exchange: &mut Exchange) -> String {
        let text = exchange.to_write(&[0]).to_vec();
        exchange.wrote(10, 111 * MS);
        assert_eq!(exchange.to_write(&[0]), &text[10..]);
        exchange.wrote(text.len() - 10, 111 * MS);
        String::from_utf8(text).expect("ASCII")
    }

    #[test]
    fn a_download_passes_all_its_states() {
        let mut get = exchange(Method::Get);
        assert_eq!(get.state(), State::SendRequest);
        let head = send_head(&mut get);
        assert!(head.starts_with("GET /f HTTP/1.1\r\nHost: www\r\n") && head.ends_with("\r\n\r\n"), "{head}");
        assert_eq!(get.state(), State::ReceiveHead);
        get.received(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", 120 * MS);
        assert_eq!(get.state(), State::ReceiveBody);
        get.received(b"cde", 130 * MS);
        assert_eq!(get.state(), State::Done);
        // The handshake is not part of t; the heads are part of V.
        assert_eq!((get.volume(), get.t0_ns()), (43, Some(110 * MS)));
        assert_eq!(get.into_samples().points(), [(0, 0), (10 * MS, 40), (20 * MS, 43), (20 * MS, 43)]);
    }

    #[test]
    fn an_upload_counts_what_is_acknowledged() {
        let mut put = exchange(Method::Put { size: 10 });
        let head = send_head(&mut put);
        assert!(head.contains("\r\nContent-Length: 10\r\n"), "{head}");
        assert_eq!(put.state(), State::SendBody);
        assert_eq!(put.to_write(&[1, 2, 3, 4]).len(), 4 - head.len() % 4);
        put.wrote(6, 112 * MS);
        assert!(put.to_write(&[0; 100]).len() == 4);
        put.wrote(4, 113 * MS);
        assert_eq!(put.state(), State::ReceiveHead);
        let sent = head.len() as u64 + 10;
        put.acknowledged(sent - 4, 120 * MS);
        put.acknowledged(sent + 1, 125 * MS);
        assert_eq!(put.volume(), sent, "not more than was written");
        put.received(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 130 * MS);
        assert_eq!(put.state(), State::Done);
        assert_eq!(put.into_samples().points()[1..], [(10 * MS, sent - 4), (15 * MS, sent), (20 * MS, sent)]);
    }

    #[test]
    fn an_early_refusal_ends_an_upload() {
        let mut put = exchange(Method::Put { size: 10 });
        send_head(&mut put);
        put.received(b"HTTP/1.1 413 Too Large\r\n\r\n", 120 * MS);
        assert_eq!((put.state(), put.failure()), (State::Error, Some(&Failure::Status(413))));
    }

    #[test]
    fn an_early_success_does_not() {
        let mut put = exchange(Method::Put { size: 10 });
        send_head(&mut put);
        put.received(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 120 * MS);
        assert_eq!(put.state(), State::SendBody);
        put.wrote(10, 130 * MS);
        assert_eq!(put.state(), State::Done);
    }

    #[test]
    fn time_limits() {
        let mut get = exchange(Method::Get);
        get.check_time(209 * MS, 100 * MS);
        assert!(!get.is_over());
        get.check_time(210 * MS, 100 * MS);
        assert_eq!(get.failure(), Some(&Failure::Stalled(100)));
        // A head that trickles in moves, and is too slow all the same.
        let mut get = exchange(Method::Get);
        send_head(&mut get);
        for (i, byte) in b"HTTP/1.1 200 OK\r\nServer: slow".iter().enumerate() {
            let now = (115 + 10 * i as u64) * MS;
            get.received(&[*byte], now);
            get.check_time(now, 100 * MS);
        }
        assert_eq!(get.failure(), Some(&Failure::SlowHead(100)));
    }
}
