// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A small HTTP server: a thread for each connection, good and bad answers.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

pub struct Server {
    pub address: SocketAddr,
    /// Bytes of uploads, with their heads.
    pub received: Arc<AtomicU64>,
    /// Of an upload to `/pause`: bytes that had arrived after 0.4 s in which nobody read.
    pub queued: Arc<AtomicU64>,
}

impl Server {
    /// Its threads end with the test.
    pub fn new(loopback: &str) -> Server {
        let listener = TcpListener::bind(loopback).expect("a port");
        let address = listener.local_addr().expect("bound");
        let received = Arc::new(AtomicU64::new(0));
        let queued = Arc::new(AtomicU64::new(0));
        let (counter, queue) = (Arc::clone(&received), Arc::clone(&queued));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (counter, queue) = (Arc::clone(&counter), Arc::clone(&queue));
                // A client that goes away in between is none of the server's business.
                thread::spawn(move || serve(stream, &counter, &queue));
            }
        });
        Server { address, received, queued }
    }
}

fn serve(mut stream: TcpStream, counter: &AtomicU64, queue: &AtomicU64) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut head, mut length) = (String::new(), 0, 0u64);
    head += reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        head += reader.read_line(&mut line)?;
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().expect("a number");
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).expect("a path").to_string();
    let size = || path.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0usize);
    let pause = |ms| thread::sleep(Duration::from_millis(ms));
    match path.split('/').nth(1).expect("a name") {
        "length" => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", size())?;
            stream.write_all(&vec![b'x'; size()])
        }
        "chunked" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            for chunk in vec![b'x'; size()].chunks(1777) {
                write!(stream, "{:x}\r\n", chunk.len())?;
                stream.write_all(chunk)?;
                stream.write_all(b"\r\n")?;
            }
            stream.write_all(b"0\r\n\r\n")
        }
        "close" => {
            stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n")?;
            stream.write_all(&vec![b'x'; size()])
        }
        "null" | "pause" => {
            if path.contains("pause") {
                pause(400);
                // What has come in and been acknowledged, and is in nobody's hands yet.
                let queued = stream.peek(&mut vec![0; 64 << 20])?;
                queue.store((head + reader.buffer().len() + queued) as u64, Ordering::Relaxed);
            }
            let n = io::copy(&mut reader.take(length), &mut io::sink())?;
            counter.fetch_add(head as u64 + n, Ordering::Relaxed);
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        "missing" => {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
            // Closing with unread data would reset the connection before the answer is read.
            io::copy(&mut reader.take(length), &mut io::sink()).map(|_| ())
        }
        "reset" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")?;
            pause(50);
            // No lingering: a reset instead of a close.
            socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO))
        }
        "short" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"),
        "silent" => {
            pause(2000);
            Ok(())
        }
        "drip" => {
            for byte in b"HTTP/1.1 200 OK\r\nServer: very slow indeed, for it has all the time\r\n" {
                stream.write_all(&[*byte])?;
                pause(20);
            }
            Ok(())
        }
        "late" => {
            pause(100);
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        "slow" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            loop {
                stream.write_all(&[0; 1000])?;
                pause(10);
            }
        }
        _ => {
            stream.write_all(b"220 mail.example.org ESMTP\r\n\r\n")?;
            stream.read(&mut [0]).map(|_| ())
        }
    }
}
