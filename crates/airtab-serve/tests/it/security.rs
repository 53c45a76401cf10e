// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who is let in, what is let in, and what every answer says to browsers.

use crate::common;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use airtab_serve::{Options, Server};
use common::{Running, SHORT, options};
use serde_json::json;

/// The status of a request with these headers instead of the right ones.
fn status(server: &Running, method: &str, path: &str, headers: &str, body: &str) -> u16 {
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    server.send(request.as_bytes()).status
}

#[test]
fn only_names_of_this_server_are_answered() {
    let server = Running::start(Options { names: vec!["Lab.example.org".into()], ..options() });
    let (port, auth) = (server.address.port(), format!("Authorization: Bearer {}\r\n", server.token));
    let host = |host: &str, path: &str| status(&server, "GET", path, &format!("Host: {host}\r\n{auth}"), "");
    for own in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "lab.example.org", "lab.example.org:443"] {
        assert_eq!(host(own, "/api/disciplines"), 200, "{own}");
    }
    // On another port, too: a tunnel has its own.
    assert_eq!(host(&format!("localhost:{}", port ^ 1), "/api/disciplines"), 200);
    for foreign in [
        "evil.example.org",
        "localhost.evil.example.org",
        "evil.example.org:8080",
        "user@localhost",
        "localhost@evil.example.org",
        "192.168.1.5",
        "127.0.0.2",
        "",
        "[::2]",
    ] {
        for path in ["/api/disciplines", "/", "/index.html", "/metrics"] {
            assert_eq!(host(foreign, path), 421, "{foreign} {path}");
        }
    }
    assert_eq!(status(&server, "GET", "/api/disciplines", &auth, ""), 421, "none at all");
    let two = format!("Host: localhost\r\nHost: evil.example.org\r\n{auth}");
    assert_eq!(status(&server, "GET", "/api/disciplines", &two, ""), 421, "two");
    // By the request itself.
    let local = format!("Host: localhost\r\n{auth}");
    assert_eq!(status(&server, "GET", "http://evil.example.org/api/disciplines", &local, ""), 421);
    assert_eq!(status(&server, "GET", "http://localhost/api/disciplines", &local, ""), 200);
}

#[test]
fn pages_of_others_are_refused() {
    let server = Running::start(options());
    let at = server.address;
    let with = |path: &str, more: &str| {
        let headers = format!("Host: {at}\r\nAuthorization: Bearer {}\r\n{more}", server.token);
        status(&server, "GET", path, &headers, "")
    };
    let own = format!("Origin: http://{at}\r\n");
    assert_eq!(with("/api/disciplines", &own), 200);
    assert_eq!(with("/api/disciplines", &format!("Origin: https://{at}\r\n")), 200, "a proxy's");
    for foreign in [
        "Origin: http://evil.example.org\r\n".into(),
        "Origin: null\r\n".into(),
        "Origin: http://localhost:1\r\n".into(),
        format!("Origin: ftp://{at}\r\n"),
        format!("Origin: http://{at}.evil.example.org\r\n"),
        format!("Origin: http://{}\r\n", at.ip()),
        format!("{own}Origin: http://evil.example.org\r\n"),
        "Sec-Fetch-Site: cross-site\r\n".into(),
        "Sec-Fetch-Site: same-site\r\n".into(),
        "Sec-Fetch-Site: none-such\r\n".into(),
        format!("{own}Sec-Fetch-Site: cross-site\r\n"),
        // What lets a page be opened opens nothing else.
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n".into(),
    ] {
        assert_eq!(with("/api/disciplines", &foreign), 403, "{foreign}");
    }
    for own in ["same-origin", "none"] {
        assert_eq!(with("/api/disciplines", &format!("Sec-Fetch-Site: {own}\r\n")), 200, "{own}");
    }
    // A link to the page may be anywhere; a frame or an image of it not.
    let link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: ";
    assert_ne!(with("/", &format!("{link}document\r\n")), 403);
    assert_eq!(with("/", &format!("{link}iframe\r\n")), 403);
    assert_eq!(with("/index.html", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"), 403);
}

#[test]
fn everything_below_api_needs_the_token() {
    let server = Running::start(options());
    let host = format!("Host: {}\r\n", server.address);
    let gets = [
        "schema/scenario",
        "disciplines",
        "experiments",
        "experiments/chap/qsize-game",
        "scenarios",
        "runs/1",
        "runs/1/events",
        "runs/1/report.html",
        "live",
        "live/h/events",
        "nothing",
        "",
    ];
    let json = "Content-Type: application/json\r\n";
    let all = gets.iter().map(|path| ("GET", *path, "")).chain([
        ("POST", "check", json),
        ("POST", "edit", json),
        ("POST", "runs", json),
        ("POST", "live/h", json),
        ("DELETE", "runs/1", ""),
        ("OPTIONS", "runs", ""),
        ("HEAD", "disciplines", ""),
    ]);
    for (method, path, kind) in all {
        let path = format!("/api/{path}");
        let token = &server.token;
        for wrong in [
            String::new(),
            "Authorization: Bearer\r\n".into(),
            format!("Authorization: Bearer {}\r\n", &token[1..]),
            format!("Authorization: Basic {token}\r\n"),
            format!("Cookie: token={token}\r\n"),
            format!("Authorization: Bearer {token}\r\nAuthorization: Bearer x\r\n"),
        ] {
            let headers = format!("{host}{kind}{wrong}");
            let request = format!(
                "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: 0\r\n\r\n"
            );
            let mut stream = server.connect();
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 401 "), "{method} {path} {wrong}: {answer}");
            assert!(answer.contains("www-authenticate: Bearer"), "{answer}");
            assert!(!answer.contains(token), "{answer}");
        }
        assert_ne!(
            status(&server, "GET", &format!("{path}?token={token}"), &host, ""),
            200,
            "not in addresses"
        );
    }
    // Every spelling of a path: what is no API is a file of the page, or nothing.
    for path in ["//api/disciplines", "/API/disciplines", "/./api/disciplines", "/%61pi/disciplines"] {
        assert_ne!(status(&server, "GET", path, &host, ""), 200, "{path}");
    }
}

#[test]
fn what_changes_something_is_json() {
    let server = Running::start(options());
    let head = format!("Host: {}\r\nAuthorization: Bearer {}\r\n", server.address, server.token);
    let body = json!({ "text": SHORT }).to_string();
    let send = |kind: &str, body: &str| status(&server, "POST", "/api/check", &format!("{head}{kind}"), body);
    for kind in ["application/json", "Application/JSON; charset=utf-8"] {
        assert_eq!(send(&format!("Content-Type: {kind}\r\n"), &body), 200, "{kind}");
    }
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"]
    {
        assert_eq!(send(&format!("Content-Type: {kind}\r\n"), &body), 415, "{kind}");
    }
    assert_eq!(send("", &body), 415);
    let json = "Content-Type: application/json\r\n";
    for wrong in ["", "{", "[]", "{}", "{\"text\":1}", "{\"text\":\"\",\"x\":1}", "\u{feff}{\"text\":\"\"}"] {
        assert_eq!(send(json, wrong), 400, "{wrong}");
    }
    assert_eq!(send(json, &"[".repeat(100_000)), 400, "deep");
}

#[test]
fn a_scenario_has_256_kib_at_most() {
    let server = Running::start(options());
    let padded = |n: usize| SHORT.to_string() + &"#".repeat(n - SHORT.len());
    let most = 256 << 10;
    for (path, more) in [("check", json!({})), ("edit", json!({ "path": "duration", "value": "3s" }))] {
        let status = |n: usize| {
            let mut body = more.clone();
            body["text"] = padded(n).into();
            server.post(&format!("/api/{path}"), &body).status
        };
        assert_eq!((status(most), status(most + 1)), (200, 413), "{path}");
    }
    // What is made of it is no longer, either.
    let longer = |n: usize| {
        let body = json!({ "text": padded(n), "path": "duration", "value": "30s" });
        server.post("/api/edit", &body).status
    };
    assert_eq!((longer(most - 1), longer(most)), (200, 413));
    assert_eq!(server.run(&padded(most + 1), &["fifo"], 1).status, 413);
    // Before it fills the memory.
    let head = server.head("POST", "/api/check");
    let mut stream = server.connect();
    stream
        .write_all(
            format!("{head}Content-Type: application/json\r\nContent-Length: 4000000000\r\n\r\n").as_bytes(),
        )
        .unwrap();
    let part = vec![b' '; 1 << 16];
    let sent = (0..).take_while(|_| stream.write_all(&part).is_ok()).take(1000).count();
    assert!(sent < 1000, "{sent} parts of 64 KiB were taken");
}

#[test]
fn every_answer_is_for_the_page_alone() {
    let server = Running::start(options());
    let host = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
    let foreign = "GET / HTTP/1.1\r\nHost: evil.example.org\r\nConnection: close\r\n\r\n";
    let answers = [
        server.get("/api/disciplines"),
        server.get("/api/nothing"),
        server.get("/nothing.js"),
        server.post("/api/check", &json!({ "text": "" })),
        server.send(host.as_bytes()),
        server.send(foreign.as_bytes()),
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("set-cookie"), None);
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "{answer:?}");
    }
    assert_eq!(server.get("/api/disciplines").header("cache-control"), Some("no-store"));
    // A browser that asks for permission gets none.
    let ask = format!(
        "OPTIONS /api/runs HTTP/1.1\r\nHost: {}\r\nOrigin: http://evil.example.org\r\n\
         Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n",
        server.address
    );
    let answer = server.send(ask.as_bytes());
    assert_eq!(answer.status, 403);
    assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "{answer:?}");
}

/// What a scenario with this trace is told.
fn traced(server: &Running, file: &str) -> String {
    let app = format!("[[app]]\nname = \"film\"\nkind = \"video\"\ntrace = {file:?}\nstation = \"tv\"\n");
    let answer = server.post("/api/check", &json!({ "text": format!("{SHORT}{app}") })).json();
    let problems = answer["problems"].as_array().expect("a list");
    problems.iter().map(|problem| problem["message"].as_str().expect("a text").to_string()).collect()
}

#[test]
fn files_are_read_below_one_folder_only() {
    let outside = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.txt");
    std::fs::write(&secret, "root:secret").unwrap();
    let inside = folder.path();
    std::fs::create_dir(inside.join("deep")).unwrap();
    std::fs::write(inside.join("deep/movie.txt"), "# no frames\n").unwrap();
    symlink(&secret, inside.join("link.txt")).unwrap();
    symlink(outside.path(), inside.join("out")).unwrap();
    symlink("deep/movie.txt", inside.join("within.txt")).unwrap();

    let without = Running::start(options());
    let with = Running::start(Options { files: Some(inside.into()), ..options() });
    for name in [secret.to_str().unwrap(), "deep/movie.txt", "/etc/passwd"] {
        let told = traced(&without, name);
        assert!(
            told.contains("no file is read here: start `airtab serve` with --files DIR"),
            "{name}: {told}"
        );
    }
    // Those within are read, and found to be no trace.
    for name in ["deep/movie.txt", "./deep/movie.txt", "within.txt"] {
        let told = traced(&with, name);
        assert_eq!(told, "has no frame", "{name}");
    }
    let up = format!("../{}/secret.txt", outside.path().file_name().unwrap().to_str().unwrap());
    for name in [secret.to_str().unwrap(), "/etc/passwd", &up, "deep/../../x", "deep/../deep/movie.txt"] {
        let told = traced(&with, name);
        assert!(told.contains("only files below the folder of --files are read"), "{name}: {told}");
    }
    for name in ["link.txt", "out/secret.txt", "nothing.txt", "out/nothing.txt"] {
        let told = traced(&with, name);
        assert!(told.ends_with(": no such file or directory"), "{name}: {told}");
        assert!(!told.contains("frame"), "{name}: {told}");
    }
    assert!(traced(&with, "deep").contains("is a directory"));
    // An experiment is one that airtab brings, and no file.
    let file = inside.join("own.toml");
    std::fs::write(&file, "title = \"x\"").unwrap();
    let name = file.to_str().unwrap();
    for path in [name, &name[1..], "own.toml", "..%2f..%2fetc%2fpasswd"] {
        assert_eq!(with.get(&format!("/api/experiments/{path}")).status, 404, "{path}");
    }
}

#[test]
fn whom_it_listens_to_is_said() {
    let refused = |options: Options| Server::bind(options).err().expect("refused").to_string();
    let anywhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let told = refused(Options { listen: anywhere, ..options() });
    assert!(told.starts_with("--listen 0.0.0.0 lets other machines ask: say by which name"), "{told}");
    for name in ["", "a b", "lab:80", "http://lab", "*", "[::1", "a/b", "a@b"] {
        let told = refused(Options { names: vec![name.into()], ..options() });
        assert!(told.contains("is no name of a host"), "{name}: {told}");
    }
    assert!(Server::bind(Options { listen: anywhere, names: vec!["lab".into()], ..options() }).is_ok());
    let first = Server::bind(options()).unwrap();
    assert!(first.address().ip().is_loopback());
    let told = refused(Options { port: first.address().port(), ..options() });
    assert!(told.starts_with(&format!("cannot listen on {}: ", first.address())), "{told}");
    assert!(told.contains("--port"), "says what to do: {told}");
    assert_eq!(first.link(), format!("http://{}/#token={}", first.address(), first.token()));
    // One that listens everywhere is reached by the loopback; others by their own address.
    let names = vec!["lab".to_string()];
    let everywhere = Server::bind(Options { listen: anywhere, names, ..options() }).unwrap();
    let at = format!("http://127.0.0.1:{}/#token={}", everywhere.address().port(), everywhere.token());
    assert_eq!(everywhere.link(), at);
    let second = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let own = Server::bind(Options { listen: second, ..options() }).unwrap();
    assert!(
        own.link().starts_with(&format!("http://127.0.0.2:{}/#token=", own.address().port())),
        "{}",
        own.link()
    );
    let told = refused(Options { files: Some("/no/such".into()), ..options() });
    assert!(told.starts_with("--files /no/such: "), "{told}");
}

#[test]
fn slow_and_hostile_clients_keep_nobody_out() {
    let server = Running::start(options());
    assert_eq!(server.send(b"\0\0\x01nonsense\r\n\r\n").status, 400);
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    assert!(matches!(server.send(long.as_bytes()).status, 400 | 431));
    // All are silent after the first word.
    let slow: Vec<_> = (0..100).map(|_| server.connect()).collect();
    slow.iter().for_each(|mut stream| stream.write_all(b"GET ").unwrap());
    let start = Instant::now();
    assert_eq!(server.get("/api/disciplines").status, 200);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    drop(slow);
}
