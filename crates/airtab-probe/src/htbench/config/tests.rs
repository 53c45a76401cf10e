// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files that can be used, and what is said of others.

use super::*;

#[test]
fn the_example_can_be_used() {
    let config = Config::parse("example.toml", EXAMPLE).expect("good");
    assert_eq!((config.start, config.out), (Start::Now, Some("results/".into())));
    assert_eq!((config.duration_ns, config.timeout_ns), (None, 30_000_000_000));
    assert_eq!(config.classes.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["dl", "ul"]);
    let [dl, ul] = config.classes.as_slice() else { panic!("two classes") };
    assert_eq!((dl.method, dl.concurrency, dl.count), (Method::Get, 3, Some(30)));
    assert_eq!((dl.bind, ul.bind), (None, None), "addresses of other machines cannot be bound");
    assert_eq!(
        (ul.method, ul.count, ul.host.as_str()),
        (Method::Put { size: 10_000_000 }, None, "192.0.2.1:80")
    );
}

/// The example with what it has as comments, each with another value.
#[test]
fn every_key() {
    let text = EXAMPLE.replace("\"now\"", "\"broadcast:9999\"").replace("\n#", "\n");
    let text =
        text.replace("60s", "5s").replace("30s\"", "7s\"").replace("1ms", "2ms").replace("50ms", "9ms");
    let text = text.split_once("\n\n").expect("a comment and keys").1;
    let config = Config::parse("x.toml", text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((config.start, config.duration_ns), (Start::Broadcast(9999), Some(5_000_000_000)));
    assert_eq!(config.timeout_ns, 7_000_000_000);
    assert_eq!((config.sampling.min_ns, config.sampling.max_ns), (2_000_000, 9_000_000));
    let bound = ["192.0.2.11", "192.0.2.12"].map(|address| Some(address.parse().expect("an address")));
    assert_eq!(config.classes.iter().map(|class| class.bind).collect::<Vec<_>>(), bound);
    let server = |server: &str| {
        let text = format!("[[class]]\nname = \"a\"\nserver = \"{server}\"\npath = \"/;x?y=1#z\"\n");
        let class = Config::parse("x.toml", &text).expect("good").classes.remove(0);
        (class.server.to_string(), class.path, class.concurrency, class.count)
    };
    for (written, address) in [
        ("192.0.2.1", "192.0.2.1:80"),
        ("192.0.2.1:8080", "192.0.2.1:8080"),
        ("2001:db8::1", "[2001:db8::1]:80"),
        ("[2001:db8::1]", "[2001:db8::1]:80"),
        ("[2001:db8::1]:81", "[2001:db8::1]:81"),
    ] {
        assert_eq!(server(written), (address.into(), "/;x?y=1#z".into(), 1, Some(1)));
    }
}

#[test]
fn errors_name_line_key_value_and_fix() {
    let dl = "[[class]]\nname = \"dl\"\nserver = \"192.0.2.1:80\"\npath = \"/f\"\n";
    let other = dl.replace("dl", "b");
    for (text, expected) in [
        ("", "x.toml: no class of requests: add a [[class]] with name, server and path"),
        ("start = now\n", "x.toml:1:9: "),
        ("[other]\na = 1\n", "x.toml:1:2: other: no such key"),
        ("[[class]]\nname = \"a/b\"\n", "x.toml:2:8: [[class]] name: 'a/b' is not a name of letters"),
        (&format!("{dl}{dl}"), "x.toml:6:8: [[class]] name: 'dl' is used twice; names must differ"),
        ("start = \"later\"\n", "x.toml:1:9: start: 'later': use now, or broadcast:PORT"),
        ("start = \"broadcast:0\"\n", "x.toml:1:9: start: 'broadcast:0': use now"),
        ("start = 5\n", "x.toml:1:9: start: '5' is not a text in quotes"),
        ("\nduration = 5\n", "x.toml:2:12: duration: '5' is not a time with its unit"),
        ("timeout = \"0s\"\n", "x.toml:1:11: timeout: '0s' is outside 1ns to 31536000s"),
        ("out = \"\"\n", "x.toml:1:7: out: '' is no directory: name one"),
        ("sample_max = \"1us\"\n", "x.toml:1:14: sample_max: must not be below sample_min, 1ms"),
        (
            "sample_min = \"1s\"\nsample_max = \"1ms\"\n",
            "x.toml:2:14: sample_max: must not be below sample_min, 1s",
        ),
        ("timeuot = \"1s\"\n", "x.toml:1:1: timeuot: no such key; did you mean `timeout`?"),
        (
            "[[class]]\nserver = \"localhost:80\"",
            "x.toml:2:10: [[class]] server: 'localhost:80': use an address",
        ),
        ("[[class]]\nname = \"a\"\npath = \"/\"\n", "[[class]] lacks the key `server`"),
        ("[[class]]\nname = \"a\"\nserver = \"192.0.2.1\"\n", "[[class]] lacks the key `path`"),
        ("[[class]]\npath = \"f\"\n", "x.toml:2:8: [[class]] path: 'f': use a path that begins with /"),
        (&format!("{dl}size = \"3MB\"\n"), "x.toml:5:8: [[class]] size: only uploads have one"),
        (&format!("{dl}method = \"PUT\"\n"), "x.toml:5:10: [[class]] method: an upload needs a size"),
        (&format!("{dl}method = \"POST\"\n"), "x.toml:5:10: [[class]] method: 'POST' is not known"),
        (&format!("{dl}host = \"\"\n"), "x.toml:5:8: [[class]] host: '': use a host name"),
        (
            &format!("{dl}count = 0\n"),
            "x.toml:5:9: [[class]] count: '0' is outside 1 to 1000000000, or \"background\"",
        ),
        (&format!("{dl}count = \"all\"\n"), "x.toml:5:9: [[class]] count: 'all' is not "),
        (&format!("{dl}concurrency = 0\n"), "x.toml:5:15: [[class]] concurrency: '0' is outside 1 to 4096"),
        (
            &format!("{dl}bind = \"::1\"\n"),
            "x.toml:5:8: [[class]] bind: '::1': the server's address is of the other",
        ),
        (&format!("{dl}bind = \"eth0\"\n"), "x.toml:5:8: [[class]] bind: 'eth0' is not a local address"),
        (&format!("{dl}path = \"/g\"\n"), "x.toml:5:1: duplicate key"),
        (&format!("{dl}count = \"background\"\n"), "x.toml: nothing ends the run"),
        (
            &format!("{dl}concurrency = 4000\n{other}concurrency = 97\n"),
            "x.toml: 4097 connections at the same time",
        ),
    ] {
        let error = Config::parse("x.toml", text).expect_err(expected).to_string();
        assert!(error.contains(expected), "{text:?}\n  gives {error}\n  not {expected}");
    }
}

/// One look at a file shows all that is wrong in it.
#[test]
fn all_problems_are_told() {
    let text = "start = \"soon\"\n[[class]]\nname = \"a\"\nserver = \"here\"\npath = \"/\"\ncount = 0\n";
    let ConfigError(problems) = Config::parse("x.toml", text).unwrap_err();
    assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 4, 6]);
}
