// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One HTTP/1.x response, byte by byte: where its head ends, and where its body does (RFC 9112 4 and 6).
//!
//! `httparse` reads the head and the sizes of chunks. Bodies are counted and forgotten.
//!
//! What it does not do: no content or transfer coding except `chunked`.

use httparse::{EMPTY_HEADER, Status};

/// The longest head, bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// The longest line within a chunked body, bytes.
const MAX_LINE_BYTES: usize = 4096;
const MAX_HEADERS: usize = 128;

/// Where in a response one is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Head,
    /// So many bytes are left.
    Length(u64),
    ChunkSize,
    ChunkData(u64),
    /// What of CR LF is left after a chunk.
    ChunkEnd(&'static [u8]),
    Trailer,
    UntilClose,
    Done,
}

/// A response that is not HTTP as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed response: {0}")]
pub struct Malformed(String);

/// A response on its way in.
#[derive(Clone, Debug)]
pub struct Response {
    place: Place,
    /// Head, or line of a chunked body.
    text: Vec<u8>,
    status: Option<u16>,
    body_bytes: u64,
}

impl Default for Response {
    fn default() -> Response {
        Response { place: Place::Head, text: Vec::with_capacity(1024), status: None, body_bytes: 0 }
    }
}

impl Response {
    /// Takes what arrived. What follows the end of the response is ignored.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn take(&mut self, mut input: &[u8]) -> Result<(), Malformed> {
        while !input.is_empty() {
            let used = self.some(input)?;
            input = &input[used..];
        }
        Ok(())
    }

    /// The server closed. Whether the response is complete now.
    pub fn close(&mut self) -> bool {
        if self.place == Place::UntilClose {
            self.place = Place::Done;
        }
        self.is_done()
    }

    /// The final status, once its head is complete.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Bytes of the body so far, without the framing of chunks.
    pub fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// Whether it is complete.
    pub fn is_done(&self) -> bool {
        self.place == Place::Done
    }

    /// Takes a first part of the input; how much.
    fn some(&mut self, input: &[u8]) -> Result<usize, Malformed> {
        match &mut self.place {
            Place::Head => self.head(input),
            Place::Length(left) | Place::ChunkData(left) => {
                let n = (*left).min(input.len() as u64);
                *left -= n;
                let (last, chunked) = (*left == 0, matches!(self.place, Place::ChunkData(_)));
                self.body_bytes += n;
                if last {
                    self.place = if chunked { Place::ChunkEnd(b"\r\n") } else { Place::Done };
                }
                Ok(n as usize)
            }
            Place::ChunkEnd(rest) => {
                if input[0] != rest[0] {
                    return Err(Malformed("a chunk does not end where its size says".into()));
                }
                *rest = &rest[1..];
                if rest.is_empty() {
                    self.place = Place::ChunkSize;
                }
                Ok(1)
            }
            Place::ChunkSize | Place::Trailer => self.line(input),
            Place::UntilClose => {
                self.body_bytes += input.len() as u64;
                Ok(input.len())
            }
            Place::Done => Ok(input.len()),
        }
    }

    fn head(&mut self, input: &[u8]) -> Result<usize, Malformed> {
        let before = self.text.len();
        // To the end of a line at most: heads are parsed when a line is whole.
        let n = input.iter().position(|b| *b == b'\n').map_or(input.len(), |i| i + 1);
        self.text.extend_from_slice(&input[..n]);
        if self.text.len() > MAX_HEAD_BYTES {
            return Err(Malformed(format!("its head is longer than {MAX_HEAD_BYTES} bytes")));
        }
        // An empty line ends a head; nothing else needs a look.
        let ends = |text: &[u8]| text.ends_with(b"\n\r\n") || text.ends_with(b"\n\n");
        if before == 0 || ends(&self.text) {
            let mut headers = [EMPTY_HEADER; MAX_HEADERS];
            let mut head = httparse::Response::new(&mut headers);
            let whole = head.parse(&self.text).map_err(|e| Malformed(e.to_string()))?;
            if let Status::Complete(_) = whole {
                let status = head.code.unwrap_or(0);
                self.place = body(status, head.headers)?;
                self.status = (status >= 200).then_some(status);
                self.text.clear();
            }
        }
        Ok(n)
    }

    fn line(&mut self, input: &[u8]) -> Result<usize, Malformed> {
        let n = input.iter().position(|b| *b == b'\n').map_or(input.len(), |i| i + 1);
        self.text.extend_from_slice(&input[..n]);
        if self.text.len() > MAX_LINE_BYTES {
            return Err(Malformed("a line of its chunked body does not end".into()));
        }
        if self.text.last() != Some(&b'\n') {
            return Ok(n);
        }
        if self.place == Place::ChunkSize {
            self.place = match httparse::parse_chunk_size(&self.text) {
                Ok(Status::Complete((_, 0))) => Place::Trailer,
                Ok(Status::Complete((_, size))) => Place::ChunkData(size),
                _ => return Err(Malformed("a chunk has no size".into())),
            };
        } else if self.text.iter().all(|b| b"\r\n".contains(b)) {
            self.place = Place::Done;
        }
        self.text.clear();
        Ok(n)
    }
}

/// What follows a head.
fn body(status: u16, headers: &[httparse::Header<'_>]) -> Result<Place, Malformed> {
    let values = |name: &str| {
        let name = name.to_string();
        headers.iter().filter(move |h| h.name.eq_ignore_ascii_case(&name)).map(|h| h.value)
    };
    match status {
        100..=199 => return Ok(Place::Head),
        204 | 304 => return Ok(Place::Done),
        _ => {}
    }
    if let Some(coding) = values("transfer-encoding").next() {
        return match coding.eq_ignore_ascii_case(b"chunked") {
            true => Ok(Place::ChunkSize),
            false => Err(Malformed("it has a transfer coding other than chunked".into())),
        };
    }
    let mut lengths = values("content-length");
    let Some(length) = lengths.next() else { return Ok(Place::UntilClose) };
    let number = std::str::from_utf8(length).ok().filter(|s| s.bytes().all(|b| b.is_ascii_digit()));
    match number.and_then(|s| s.parse().ok()) {
        Some(_) if lengths.any(|other| other != length) => Err(Malformed("it has two lengths".into())),
        Some(0) => Ok(Place::Done),
        Some(n) => Ok(Place::Length(n)),
        None => Err(Malformed("its Content-Length is no number".into())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(text: &[u8]) -> Result<Response, Malformed> {
        let mut response = Response::default();
        response.take(text)?;
        Ok(response)
    }

    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        5\r\nhello\r\n1a;name=value\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: x\r\n\r\n";

    #[test]
    fn each_way_to_end_a_body() {
        let r = whole(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef").expect("good");
        assert_eq!((r.status(), r.body_bytes(), r.is_done()), (Some(200), 3, true));
        let r = whole(CHUNKED).expect("good");
        assert_eq!((r.status(), r.body_bytes(), r.is_done()), (Some(200), 31, true));
        let mut r = whole(b"HTTP/1.0 200 OK\r\n\r\nabc").expect("good");
        assert_eq!((r.body_bytes(), r.is_done(), r.close()), (3, false, true));
        let r = whole(b"HTTP/1.1 204 No Content\r\n\r\n").expect("good");
        assert!(r.is_done());
        let r = whole(b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 0\r\n\r\n").expect("good");
        assert!(r.is_done());
    }

    #[test]
    fn interim_responses_are_passed_over() {
        let r = whole(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n")
            .expect("good");
        assert_eq!((r.status(), r.is_done()), (Some(404), false));
    }

    #[test]
    fn an_early_end_is_no_end() {
        let mut r = whole(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc").expect("good");
        assert!(!r.close());
        let mut r = whole(&CHUNKED[..CHUNKED.len() - 2]).expect("good");
        assert!(!r.close());
        assert!(!Response::default().close());
    }

    #[test]
    fn nonsense_is_named() {
        let long = [b"HTTP/1.1 200 OK\r\nX: ".as_slice(), &[b'a'; 70_000]].concat();
        for (text, words) in [
            (b"SSH-2.0-OpenSSH\r\n".as_slice(), "malformed response"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n", "no number"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", "two lengths"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "other than chunked"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "has no size"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", "size says"),
            (&long, "longer than 65536 bytes"),
        ] {
            let error = whole(text).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(cuts in proptest::collection::vec(1usize..20, 1..60)) {
            let (mut response, mut rest) = (Response::default(), CHUNKED);
            for n in cuts.into_iter().cycle() {
                let (piece, more) = rest.split_at(n.min(rest.len()));
                response.take(piece).expect("good");
                rest = more;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert!(response.is_done());
            prop_assert_eq!(response.body_bytes(), 31);
        }

        #[test]
        fn anything_may_arrive(
            head in prop_oneof![Just(b"".as_slice()), Just(CHUNKED.split_at(47).0)],
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let mut response = Response::default();
            let _ = response.take(head).and_then(|()| response.take(&bytes));
            prop_assert!(response.body_bytes() <= bytes.len() as u64);
        }
    }
}
