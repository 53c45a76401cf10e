// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One HTTP/1.1 connection of a client: requests of a fixed size, answers of a
//! known size, and the time of each step. `httparse` reads the answers' heads.
//!
//! What it does not do: no TLS, no redirects, no chunks, no pipelining.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddrV4, TcpStream};

use airtab_sim::traffic::web::REQUEST;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with, sockopt};

use super::work::{LOOK, LOOK_NS, Work, timed_out};

/// An answer's head is shorter.
const HEAD: usize = 4096;

/// A keep-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    server: SocketAddrV4,
    buffer: Vec<u8>,
}

/// When the parts of an answer were there, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) requested_ns: u64,
    pub(crate) first_byte_ns: u64,
    pub(crate) done_ns: u64,
}

/// What is said when the time of an application is over.
pub(crate) fn over() -> io::Error {
    io::Error::new(ErrorKind::BrokenPipe, "the application's time is over")
}

impl Connection {
    /// Connects from the calling thread's namespace; given up at `end`, ns.
    pub(crate) fn open(work: &Work, server: SocketAddrV4, end: u64) -> io::Result<Connection> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        match connect(&socket, &server) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(e) => return Err(e.into()),
        }
        let look = Timespec { tv_sec: 0, tv_nsec: LOOK_NS as i64 };
        while poll(&mut [PollFd::new(&socket, PollFlags::OUT)], Some(&look))? == 0 {
            if work.over(end) {
                return Err(over());
            }
        }
        sockopt::socket_error(&socket)??;
        let stream = TcpStream::from(socket);
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, server, buffer: vec![0; 1 << 16] })
    }

    /// Gets `path`, which has exactly `bytes`; given up at `end`, ns.
    pub(crate) fn get(&mut self, work: &Work, path: &str, bytes: u64, end: u64) -> io::Result<Answer> {
        let requested_ns = work.clock.now();
        self.stream.write_all(&request(path, self.server))?;
        let (mut have, mut first_byte_ns) = (0, 0);
        let body = loop {
            let n = self.read(work, have, end)?;
            if have == 0 {
                first_byte_ns = work.clock.now();
            }
            have += n;
            if let Some(head) = head(&self.buffer[..have], path, bytes)? {
                break have - head;
            }
            if have > HEAD {
                return Err(io::Error::other(format!("{path}: the answer's head does not end")));
            }
        };
        let mut left = bytes.checked_sub(body as u64).ok_or_else(|| too_long(path, bytes))?;
        while left > 0 {
            let n = self.read(work, 0, end)? as u64;
            left = left.checked_sub(n).ok_or_else(|| too_long(path, bytes))?;
        }
        Ok(Answer { requested_ns, first_byte_ns, done_ns: work.clock.now() })
    }

    fn read(&mut self, work: &Work, at: usize, end: u64) -> io::Result<usize> {
        loop {
            match self.stream.read(&mut self.buffer[at..]) {
                Ok(0) => {
                    return Err(io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection"));
                }
                Err(e) if timed_out(&e) => {}
                other => return other,
            }
            if work.over(end) {
                return Err(over());
            }
        }
    }
}

fn too_long(path: &str, bytes: u64) -> io::Error {
    io::Error::other(format!("{path}: more than its {bytes} bytes came"))
}

/// A request of exactly [`REQUEST`] bytes, as those of the simulator.
fn request(path: &str, server: SocketAddrV4) -> Vec<u8> {
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: airtab\r\nAccept: */*\r\nCookie: ",
        server.ip()
    );
    let end = "\r\n\r\n";
    let room = (REQUEST as usize).saturating_sub(head.len() + end.len()).max(1);
    [head.as_bytes(), &vec![b'x'; room], end.as_bytes()].concat()
}

/// Length of the head of an answer, if all of it is there.
fn head(data: &[u8], path: &str, bytes: u64) -> io::Result<Option<usize>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let wrong = |what: String| io::Error::new(ErrorKind::InvalidData, format!("{path}: {what}"));
    let httparse::Status::Complete(length) = response.parse(data).map_err(|e| wrong(e.to_string()))? else {
        return Ok(None);
    };
    let code = response.code.unwrap_or(0);
    if code != 200 {
        return Err(wrong(format!("HTTP status {code}")));
    }
    let said = response.headers.iter().find(|h| h.name.eq_ignore_ascii_case("content-length"));
    let said = said.and_then(|h| std::str::from_utf8(h.value).ok()?.parse::<u64>().ok());
    if said != Some(bytes) {
        return Err(wrong(format!("Content-Length {said:?}, expected {bytes}")));
    }
    Ok(Some(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_as_long_as_the_simulators() {
        let server = "198.18.0.1:80".parse().unwrap();
        for path in ["/b/1", "/b/6000000"] {
            assert_eq!(request(path, server).len() as u64, REQUEST);
        }
    }

    /// One connection to a server that answers with these bytes, in turn, and then hangs up.
    fn asked(answers: &[Vec<u8>], bytes: &[u64]) -> Vec<Result<Answer, String>> {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let std::net::SocketAddr::V4(at) = server.local_addr().unwrap() else { panic!("IPv4") };
        let work = super::super::fixture::work();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let (mut stream, _) = server.accept().unwrap();
                for answer in answers {
                    let mut request = [0; REQUEST as usize];
                    stream.read_exact(&mut request).unwrap();
                    assert!(request.starts_with(b"GET /b/") && request.ends_with(b"\r\n\r\n"));
                    stream.write_all(answer).unwrap();
                }
            });
            let mut open = Connection::open(&work, at, u64::MAX).unwrap();
            let get = |bytes: &u64| {
                open.get(&work, &format!("/b/{bytes}"), *bytes, u64::MAX).map_err(|e| e.to_string())
            };
            bytes.iter().map(get).collect()
        })
    }

    /// Bodies that come with their head and long after it, one after the other; what is too long or too short fails.
    #[test]
    fn answers_are_read_whole() {
        let answer = |bytes: usize, sent: usize| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n");
            [head.into_bytes(), vec![b'y'; sent]].concat()
        };
        let sizes = [3, 300_000, 0, 70_000];
        let answers = sizes.map(|n| answer(n, n));
        let mut last = 0;
        for told in asked(&answers, &sizes.map(|n| n as u64)) {
            let Answer { requested_ns, first_byte_ns, done_ns } = told.unwrap();
            assert!(last <= requested_ns && requested_ns < first_byte_ns && first_byte_ns <= done_ns);
            last = done_ns;
        }
        for (bytes, sent, said) in [
            (10, 12, "/b/10: more than its 10 bytes came"),
            (100_000, 100_001, "/b/100000: more than its 100000 bytes came"),
            (10, 9, "the server closed the connection"),
            (100_000, 99_999, "the server closed the connection"),
        ] {
            assert_eq!(asked(&[answer(bytes, sent)], &[bytes as u64])[0].as_ref().unwrap_err(), said);
        }
        let endless = [b"HTTP/1.1 200 OK\r\nX: ".to_vec(), vec![b'z'; 9000]].concat();
        let told = asked(&[endless], &[5]);
        assert_eq!(told[0].as_ref().unwrap_err(), "/b/5: the answer's head does not end");
    }

    #[test]
    fn heads_of_answers() {
        let answer = b"HTTP/1.1 200 OK\r\nServer: nginx\r\ncontent-length: 7\r\n\r\nabc";
        assert_eq!(head(answer, "/", 7).unwrap(), Some(answer.len() - 3));
        assert_eq!(head(&answer[..30], "/", 7).unwrap(), None);
        assert!(head(answer, "/", 8).unwrap_err().to_string().contains("expected 8"));
        let gone = head(b"HTTP/1.1 404 Not Found\r\n\r\n", "/b/7", 7).unwrap_err().to_string();
        assert_eq!(gone, "/b/7: HTTP status 404");
        for code in [206, 301, 500] {
            let other = format!("HTTP/1.1 {code} X\r\nContent-Length: 7\r\n\r\n");
            let told = head(other.as_bytes(), "/b/7", 7).unwrap_err().to_string();
            assert_eq!(told, format!("/b/7: HTTP status {code}"));
        }
        let none = head(b"HTTP/1.1 200 OK\r\nX: 7\r\n\r\n", "/b/7", 7).unwrap_err().to_string();
        assert_eq!(none, "/b/7: Content-Length None, expected 7");
        assert!(head(b"SSH-2.0-x\r\n", "/", 7).is_err());
    }
}
