// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The configuration: a TOML file with a `[[class]]` for each class of requests (Starzetz 6.3.2; the thesis's own sample is
//! lost). Every problem is told with its place, all at once.
//!
//! What it does not do: no names of servers, only addresses: a benchmark that resolves names measures that
//! too. INI files, as earlier versions had them, are converted by `ini`.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use airtab_core::Unit;
use airtab_reader::{Document, Problem, Section, Value, choice, quantity, text};
use toml::de::DeTable;

use super::ini;
use super::samples::Sampling;

/// Connections at the same time, of all classes.
const MAX_CONNECTIONS: u64 = 4096;
/// How long nothing may happen, ns, unless the file says otherwise.
const TIMEOUT_NS: u64 = 30_000_000_000;
/// Times: more than nothing, and a year.
const TIMES: RangeInclusive<u64> = 1..=365 * 86_400_000_000_000;
/// Bytes of an upload: a PiB.
const SIZES: RangeInclusive<u64> = 0..=1 << 50;
/// Requests of a class.
const COUNTS: RangeInclusive<u64> = 1..=1_000_000_000;

/// A configuration to start from, for users.
pub const EXAMPLE: &str = include_str!("example.toml");

/// What to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// When to begin.
    pub start: Start,
    /// Where results go, if the file says so.
    pub out: Option<PathBuf>,
    /// End after this time, ns, finished or not.
    pub duration_ns: Option<u64>,
    /// A request fails when nothing happened for so long, ns.
    pub timeout_ns: u64,
    /// Of V(t).
    pub sampling: Sampling,
    /// At least one.
    pub classes: Vec<Class>,
}

/// When to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At once.
    Now,
    /// When a UDP datagram arrives on this port.
    Broadcast(u16),
}

/// What is asked of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A download.
    Get,
    /// An upload of `size` random bytes.
    Put {
        /// Bytes.
        size: u64,
    },
}

/// Requests of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Letters, digits, `-` and `_`: names of files begin with it.
    pub name: String,
    /// Where to connect.
    pub server: SocketAddr,
    /// `Host` of the request.
    pub host: String,
    /// Path of the URL, with its query.
    pub path: String,
    /// Download or upload.
    pub method: Method,
    /// Requests at the same time.
    pub concurrency: u32,
    /// Requests in all; none: as long as other classes have some.
    pub count: Option<u64>,
    /// Local address.
    pub bind: Option<IpAddr>,
}

/// Why a file cannot be used: all that is wrong in it, each with its place and what would do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError(pub Vec<Problem>);

impl Config {
    /// Names of the classes.
    pub fn class_names(&self) -> Vec<String> {
        self.classes.iter().map(|class| class.name.clone()).collect()
    }

    /// Reads the text of `file`.
    ///
    /// # Errors
    /// Names file, line, key, value and what would do.
    pub fn parse(file: &str, text: &str) -> Result<Config, ConfigError> {
        if ini::is_ini(text) {
            let message = format!(
                "it is an INI file, as earlier versions read them: airtab htbench --convert {file} prints it as TOML"
            );
            return Err(ConfigError(vec![Problem::of_file(file, message)]));
        }
        let document = Document::new(file, text);
        let config = match DeTable::parse(text) {
            Ok(table) => read(&Section::top(&document, table.get_ref())),
            Err(e) => {
                document.problem(e.span().unwrap_or(0..0), e.message().replace('\n', ", "));
                None
            }
        };
        match (config, document.into_problems()) {
            (Some(config), problems) if problems.is_empty() => Ok(config),
            (_, problems) => Err(ConfigError(problems)),
        }
    }
}

/// None where something that must be there is missing; every problem is noted.
fn read(top: &Section) -> Option<Config> {
    let start = top.read("start", start).unwrap_or(Start::Now);
    let out = top.read("out", |v| match text(v)?.as_str() {
        "" => Err("'' is no directory: name one".into()),
        text => Ok(PathBuf::from(text)),
    });
    let time = |key| top.read(key, quantity(Unit::Ns, TIMES));
    let (duration_ns, timeout_ns) = (time("duration"), time("timeout"));
    let Sampling { min_ns, max_ns } = Sampling::default();
    let (least, most) = (time("sample_min"), time("sample_max"));
    let sampling = {
        let min_ns = least.unwrap_or(min_ns);
        Sampling { min_ns, max_ns: most.unwrap_or(max_ns.max(min_ns)) }
    };
    if sampling.max_ns < sampling.min_ns {
        top.problem_of(
            "sample_max",
            &format!("must not be below sample_min, {}", Unit::Ns.format(sampling.min_ns)),
        );
    }
    let sections = top.sections("class");
    let mut classes: Vec<Class> = Vec::new();
    for s in &sections {
        let class = read_class(s, &classes);
        classes.extend(class);
        s.finish();
    }
    top.finish();
    if top.lacks("class") {
        top.problem("no class of requests: add a [[class]] with name, server and path".into());
    } else if top.is_fine() && duration_ns.is_none() && classes.iter().all(|c| c.count.is_none()) {
        top.problem("nothing ends the run: give a class a count, or the file a duration".into());
    }
    match classes.iter().map(|c| u64::from(c.concurrency)).sum::<u64>() {
        sum if sum > MAX_CONNECTIONS => {
            top.problem(format!("{sum} connections at the same time: use at most {MAX_CONNECTIONS}"));
        }
        _ => {}
    }
    let timeout_ns = timeout_ns.unwrap_or(TIMEOUT_NS);
    Some(Config { start, out, duration_ns, timeout_ns, sampling, classes })
}

/// `[[class]]`.
fn read_class(s: &Section, others: &[Class]) -> Option<Class> {
    let name = s.require("name", |v| name(v, others));
    let server = s.require("server", address);
    let path = s.require("path", path);
    let host = s.read("host", host);
    let size = s.read("size", quantity(Unit::Bytes, SIZES));
    let put = s.read("method", choice(vec![("GET", false), ("PUT", true)])).unwrap_or(false);
    match (put, s.get("size").is_some()) {
        (false, true) => s.problem_of("size", "only uploads have one: add method = \"PUT\""),
        (true, false) => s.problem_of("method", "an upload needs a size: add size = \"10MB\""),
        _ => {}
    }
    let concurrency = s.read("concurrency", quantity(Unit::Count, 1..=MAX_CONNECTIONS)).unwrap_or(1);
    let count = s.read("count", |v| match v.value.as_str() {
        Some("background") => Ok(None),
        _ => quantity(Unit::Count, COUNTS)(v).map(Some).map_err(|e| format!("{e}, or \"background\"")),
    });
    let bind = s.read("bind", |v| {
        let wrong = |_| format!("'{}' is not a local address, such as 192.0.2.11", v.written);
        text(v)?.parse::<IpAddr>().map_err(wrong)
    });
    if let (Some(server), Some(bind)) = (server, bind)
        && bind.is_ipv4() != server.is_ipv4()
    {
        s.problem_of("bind", &format!("'{bind}': the server's address is of the other IP version"));
    }
    let server = server?;
    Some(Class {
        name: name?,
        server,
        host: host.unwrap_or_else(|| server.to_string()),
        path: path?,
        method: if put { Method::Put { size: size? } } else { Method::Get },
        concurrency: concurrency as u32,
        count: count.unwrap_or(Some(concurrency)),
        bind,
    })
}

fn name(v: &Value, others: &[Class]) -> Result<String, String> {
    let name = text(v)?;
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
        return Err(format!("'{name}' is not a name of letters, digits, - and _, such as \"dl\""));
    }
    match others.iter().any(|other| other.name == name) {
        true => Err(format!("'{name}' is used twice; names must differ")),
        false => Ok(name),
    }
}

fn start(v: &Value) -> Result<Start, String> {
    let written = text(v)?;
    let port = |text: &str| text.parse().ok().filter(|port| *port > 0);
    match (written.as_str(), written.strip_prefix("broadcast:").and_then(port)) {
        ("now", _) => Ok(Start::Now),
        (_, Some(port)) => Ok(Start::Broadcast(port)),
        _ => Err(format!("'{written}': use now, or broadcast:PORT")),
    }
}

/// An address with or without port.
fn address(v: &Value) -> Result<SocketAddr, String> {
    let written = text(v)?;
    let bare = written.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(&written);
    let without = bare.parse().map(|ip: IpAddr| SocketAddr::new(ip, 80));
    match written.parse().or(without) {
        Ok(address) if address.port() > 0 => Ok(address),
        _ => Err(format!(
            "'{written}': use an address with its port, such as 192.0.2.1:80 or [2001:db8::1]:80"
        )),
    }
}

fn path(v: &Value) -> Result<String, String> {
    match text(v)? {
        path if path.starts_with('/') && path.bytes().all(|b| b.is_ascii_graphic()) => Ok(path),
        path => Err(format!("'{path}': use a path that begins with /, of visible ASCII characters")),
    }
}

fn host(v: &Value) -> Result<String, String> {
    match text(v)? {
        host if !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic()) => Ok(host),
        host => Err(format!("'{host}': use a host name")),
    }
}

#[cfg(test)]
mod tests;
