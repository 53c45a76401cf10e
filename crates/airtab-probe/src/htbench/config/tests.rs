// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files that can be used, and what is said of others.

use super::*;

#[test]
fn the_example_can_be_used() {
    let config = Config::parse("example.ini", EXAMPLE).expect("good");
    assert_eq!((config.start, config.outdir), (Start::Now, Some("results/".into())));
    assert_eq!(config.classes.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["dl", "ul"]);
    let [dl, ul] = config.classes.as_slice() else { panic!("two classes") };
    assert_eq!((dl.method, dl.concurrency, dl.count), (Method::Get, 3, Some(30)));
    assert_eq!(dl.bind, Some("192.0.2.11".parse().expect("an address")));
    assert_eq!(
        (ul.method, ul.count, ul.host.as_str()),
        (Method::Put { size: 10_000_000 }, None, "192.0.2.1:80")
    );
}

/// The form of the specification: a class on one line.
#[test]
fn a_section_may_be_one_line() {
    let text = "[global]            # requests per run\n\
        start = broadcast:9999       # or now\n\
        outdir = results/\n\
        [class dl]  server=10.0.0.1:80  host=www  path=/10MB.bin  method=GET  concurrency=1 count=10 bind=10.0.0.11\n\
        [class ul]  server=[2001:db8::1]  path=/cgi-bin/null;x?y=1#z method=PUT size=10485760\n";
    let config = Config::parse("x.ini", text).expect("good");
    assert_eq!(config.start, Start::Broadcast(9999));
    let [dl, ul] = config.classes.as_slice() else { panic!("two classes") };
    assert_eq!((dl.host.as_str(), dl.path.as_str(), dl.count), ("www", "/10MB.bin", Some(10)));
    assert_eq!(ul.server, "[2001:db8::1]:80".parse().expect("an address"));
    assert_eq!(
        (ul.path.as_str(), ul.method, ul.count),
        ("/cgi-bin/null;x?y=1#z", Method::Put { size: 10 << 20 }, Some(1))
    );
}

#[test]
fn errors_name_line_key_value_and_fix() {
    let dl = "[class dl]\nserver = 192.0.2.1:80\npath = /f\n";
    for (text, expected) in [
        ("", "x.ini:1: no class of requests: add [class NAME] with server and path"),
        ("[global]\n", "x.ini:1: no class of requests"),
        ("start = now\n", "x.ini:1: start before any section: put [global] above it"),
        ("[other]\na = 1\n", "x.ini:1: [other] means nothing here: use [global] or [class NAME]"),
        ("[class]\n", "x.ini:1: [class] means nothing here"),
        ("\n[class a/b]\n", "x.ini:2: [class a/b] needs a name of letters"),
        ("[global\n", "x.ini:1: "),
        ("[global]\nwhat\n", "x.ini:"),
        (&format!("{dl}{dl}"), "[class dl] is there twice"),
        ("[global]\n[global]\n", "[global] is there twice"),
        ("[global]\nstart = later\n", "x.ini:2: start = later: use now, or broadcast:PORT"),
        ("[global]\nstart = broadcast:0\n", "x.ini:2: start = broadcast:0: use now"),
        ("[global]\n\nduration = 5\n", "x.ini:3: duration = 5: '5' is not a time with its unit"),
        ("[global]\ntimeout = 0s\n", "x.ini:2: timeout = 0s: give more than 0s"),
        ("[global]\nsample_max = 1us\n", "x.ini:2: sample_max = 1us: sample_max must not be below"),
        ("[global]\ncolour = red\n", "x.ini:2: colour = red: no such key: use start, outdir"),
        ("[class a] server=localhost:80 path=/\n", "x.ini:1: server = localhost:80: use an address"),
        ("[class a]\npath = /\n", "x.ini:1: [class a] has no server: add server = 192.0.2.1:80"),
        ("[class a]\nserver = 192.0.2.1\n", "x.ini:1: [class a] has no path"),
        ("[class a]\nserver = 192.0.2.1\npath = f\n", "x.ini:3: path = f: use a path that begins with /"),
        (&format!("{dl}size = 3\n"), "x.ini:4: size = 3: only uploads have one"),
        (&format!("{dl}method = PUT\n"), "x.ini:4: method = PUT: an upload needs a size"),
        (&format!("{dl}method = POST\n"), "x.ini:4: method = POST: use GET or PUT"),
        (&format!("{dl}count = 0\n"), "x.ini:4: count = 0: use 1 or more, or background"),
        (&format!("{dl}concurrency = 0\n"), "x.ini:4: concurrency = 0: use 1 to 4096"),
        (&format!("{dl}bind = ::1\n"), "x.ini:4: bind = ::1: the server's address is of the other"),
        (&format!("{dl}bind = eth0\n"), "x.ini:4: bind = eth0: invalid IP address syntax"),
        (&format!("{dl}path = /g\n"), "x.ini:4: path = /f: it is there twice"),
        (&format!("{dl}count = background\n"), "nothing ends the run"),
        (&format!("{dl}concurrency=4000\n[class b]server=::1 path=/ concurrency=97"), "4097 connections"),
    ] {
        let error = Config::parse("x.ini", text).expect_err(expected).to_string();
        assert!(error.contains(expected), "{text:?}\n  gives {error}\n  not {expected}");
    }
}
