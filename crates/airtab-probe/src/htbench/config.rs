// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The configuration: an INI file with a section `[global]` and one `[class NAME]` for each class of
//! requests (Starzetz 6.3.2; the thesis's own sample is lost).
//!
//! `rust-ini` reads it. Before that, comments after values are cut off and sections written on one line
//! (`[class dl] server=10.0.0.1:80 path=/f`) are unfolded; every error names the line of the file.
//!
//! What it does not do: no names of servers, only addresses: a benchmark that resolves names measures that
//! too.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use airtab_core::Unit;
use ini::{Ini, ParseOption, Properties};

use super::samples::Sampling;

/// Connections at the same time, of all classes.
const MAX_CONNECTIONS: u32 = 4096;
/// How long nothing may happen, ns, unless the file says otherwise.
const TIMEOUT_NS: u64 = 30_000_000_000;

/// A configuration to start from, for users.
pub const EXAMPLE: &str = include_str!("example.ini");

/// What to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// When to begin.
    pub start: Start,
    /// Where results go, if the file says so.
    pub outdir: Option<PathBuf>,
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

/// Something in a file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ConfigError {
    /// The file, as it was named.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What is wrong, and what would do.
    pub message: String,
}

impl Config {
    /// Names of the classes.
    pub fn class_names(&self) -> Vec<String> {
        self.classes.iter().map(|class| class.name.clone()).collect()
    }

    /// Reads the text of `file`.
    ///
    /// # Errors
    /// Names file, line, key, value and what would do; the first thing that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Config, ConfigError> {
        let source = Source::new(file, text);
        let options = ParseOption { enabled_quote: false, enabled_escape: false, ..ParseOption::default() };
        let ini = Ini::load_from_str_opt(&source.text, options)
            .map_err(|e| source.error(e.line, format!("{}; write key = value, or [section]", e.msg)))?;
        let mut config = Config {
            start: Start::Now,
            outdir: None,
            duration_ns: None,
            timeout_ns: TIMEOUT_NS,
            sampling: Sampling::default(),
            classes: Vec::new(),
        };
        let mut global_seen = false;
        // In the order of the file, if no section is there twice.
        for (name, properties) in &ini {
            let Some(name) = name else {
                if let Some((key, _)) = properties.iter().next() {
                    let line = source.line("", key);
                    return Err(
                        source.error(line, format!("{key} before any section: put [global] above it"))
                    );
                }
                continue;
            };
            let section = Section { source: &source, name, properties };
            let class = name.strip_prefix("class").filter(|rest| rest.starts_with([' ', '\t']));
            match (name, class.map(str::trim)) {
                ("global", _) if !std::mem::replace(&mut global_seen, true) => section.global(&mut config)?,
                (_, Some(class)) if config.classes.iter().all(|c| c.name != class) => {
                    config.classes.push(section.class(class)?);
                }
                ("global", _) | (_, Some(_)) => return Err(section.wrong("is there twice: remove one")),
                _ => return Err(section.wrong("means nothing here: use [global] or [class NAME]")),
            }
        }
        config.check(&source)?;
        Ok(config)
    }

    fn check(&self, source: &Source) -> Result<(), ConfigError> {
        let fail = |message: String| Err(source.error(source.numbers.len(), message));
        if self.classes.is_empty() {
            return fail("no class of requests: add [class NAME] with server and path".into());
        }
        if self.duration_ns.is_none() && self.classes.iter().all(|c| c.count.is_none()) {
            return fail("nothing ends the run: give a class a count, or [global] a duration".into());
        }
        match self.classes.iter().map(|c| c.concurrency).sum::<u32>() {
            sum if sum > MAX_CONNECTIONS => {
                fail(format!("{sum} connections at the same time: use at most {MAX_CONNECTIONS}"))
            }
            _ => Ok(()),
        }
    }
}

/// A file with what `rust-ini` reads of it.
struct Source<'a> {
    file: &'a str,
    text: String,
    /// The file's line of each line of the text.
    numbers: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new(file: &'a str, text: &str) -> Source<'a> {
        let mut source = Source { file, text: String::new(), numbers: Vec::new() };
        for (i, line) in text.lines().enumerate() {
            let line = without_comment(line).trim();
            let end = line.find(']').filter(|_| line.starts_with('[')).map_or(line.len(), |end| end + 1);
            let (head, rest) = line.split_at(end);
            for piece in std::iter::once(head).chain(rest.split_whitespace()) {
                source.text.push_str(piece);
                source.text.push('\n');
                source.numbers.push(i + 1);
            }
        }
        source
    }

    /// An error in line `line` (from 1) of the text.
    fn error(&self, line: usize, message: String) -> ConfigError {
        let line = self.numbers.get(line.saturating_sub(1)).or(self.numbers.last()).copied().unwrap_or(1);
        ConfigError { file: self.file.into(), line, message }
    }

    /// The last line of the text in which a section, or a key of it, is.
    fn line(&self, section: &str, key: &str) -> usize {
        let (mut current, mut found) = (String::new(), 1);
        for (i, line) in self.text.lines().enumerate() {
            if let Some(name) = line.strip_prefix('[') {
                current = name.trim_end_matches(']').trim().into();
            }
            let here = line.split(['=', ':']).next().is_some_and(|k| k.trim() == key);
            if current == section && (here || (key.is_empty() && line.starts_with('['))) {
                found = i + 1;
            }
        }
        found
    }
}

/// A comment begins a line, or follows a blank.
fn without_comment(line: &str) -> &str {
    let comment = |(i, c): (usize, char)| {
        let first = line[..i].chars().next_back().is_none_or(char::is_whitespace);
        (first && (c == '#' || c == ';')).then_some(i)
    };
    line.char_indices().find_map(comment).map_or(line, |i| &line[..i])
}

/// A section with its keys.
struct Section<'a> {
    source: &'a Source<'a>,
    name: &'a str,
    properties: &'a Properties,
}

impl Section<'_> {
    fn global(&self, config: &mut Config) -> Result<(), ConfigError> {
        self.only(&["start", "outdir", "duration", "timeout", "sample_min", "sample_max"])?;
        let time = |text: &str| match Unit::Ns.parse(text) {
            Ok(0) => Err("give more than 0s".to_string()),
            result => result.map_err(|e| e.to_string()),
        };
        config.start = self.get("start", start)?.unwrap_or(config.start);
        config.outdir = self.get("outdir", |text| match text {
            "" => Err("name a directory".into()),
            text => Ok(text.into()),
        })?;
        config.duration_ns = self.get("duration", time)?;
        config.timeout_ns = self.get("timeout", time)?.unwrap_or(config.timeout_ns);
        let Sampling { min_ns, max_ns } = &mut config.sampling;
        *min_ns = self.get("sample_min", time)?.unwrap_or(*min_ns);
        *max_ns = self.get("sample_max", time)?.unwrap_or((*max_ns).max(*min_ns));
        if max_ns < min_ns {
            let key = if self.properties.contains_key("sample_max") { "sample_max" } else { "sample_min" };
            return Err(self.bad(key, "sample_max must not be below sample_min"));
        }
        Ok(())
    }

    fn class(&self, name: &str) -> Result<Class, ConfigError> {
        self.only(&["server", "host", "path", "method", "size", "concurrency", "count", "bind"])?;
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
            return Err(self.wrong("needs a name of letters, digits, - and _, such as [class dl]"));
        }
        let server = self.get("server", address)?;
        let server = server.ok_or_else(|| self.wrong("has no server: add server = 192.0.2.1:80"))?;
        let path = self.get("path", path)?;
        let path = path.ok_or_else(|| self.wrong("has no path: add path = /file"))?;
        let size = self.get("size", |text| Unit::Bytes.parse(text).map_err(|e| e.to_string()))?;
        let put = self.get("method", |text| match text {
            "GET" => Ok(false),
            "PUT" => Ok(true),
            _ => Err("use GET or PUT".into()),
        })?;
        let method = match (put.unwrap_or(false), size) {
            (false, None) => Method::Get,
            (true, Some(size)) => Method::Put { size },
            (false, Some(_)) => return Err(self.bad("size", "only uploads have one: use method = PUT")),
            (true, None) => return Err(self.bad("method", "an upload needs a size: add size = 10MB")),
        };
        let bind: Option<IpAddr> = self.get("bind", |text| parse(text, "use a local address"))?;
        if bind.is_some_and(|bind| bind.is_ipv4() != server.is_ipv4()) {
            return Err(self.bad("bind", "the server's address is of the other IP version"));
        }
        let concurrency = self.get("concurrency", |text| match text.parse() {
            Ok(n @ 1..=MAX_CONNECTIONS) => Ok(n),
            _ => Err(format!("use 1 to {MAX_CONNECTIONS}")),
        })?;
        let count = self.get("count", |text| match (text, text.parse()) {
            ("background", _) => Ok(None),
            (_, Ok(n @ 1..)) => Ok(Some(n)),
            _ => Err("use 1 or more, or background".into()),
        })?;
        let concurrency = concurrency.unwrap_or(1);
        Ok(Class {
            name: name.into(),
            server,
            host: self.get("host", host)?.unwrap_or_else(|| server.to_string()),
            path,
            method,
            concurrency,
            count: count.unwrap_or(Some(concurrency.into())),
            bind,
        })
    }

    /// Keys that are known, each once.
    fn only(&self, known: &[&str]) -> Result<(), ConfigError> {
        for (key, _) in self.properties.iter() {
            if !known.contains(&key) {
                return Err(self.bad(key, &format!("no such key: use {}", known.join(", "))));
            }
            if self.properties.get_all(key).count() > 1 {
                return Err(self.bad(key, "it is there twice: remove one"));
            }
        }
        Ok(())
    }

    /// The value of a key.
    fn get<T>(
        &self,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.properties.get(key) else { return Ok(None) };
        read(text.trim()).map(Some).map_err(|e| self.bad(key, &e))
    }

    fn bad(&self, key: &str, message: &str) -> ConfigError {
        let value = self.properties.get(key).unwrap_or_default();
        let line = self.source.line(self.name, key);
        self.source.error(line, format!("{key} = {value}: {message}"))
    }

    fn wrong(&self, message: &str) -> ConfigError {
        self.source.error(self.source.line(self.name, ""), format!("[{}] {message}", self.name))
    }
}

fn parse<T: FromStr<Err: Display>>(text: &str, fix: &str) -> Result<T, String> {
    text.parse().map_err(|e| format!("{e}: {fix}"))
}

fn start(text: &str) -> Result<Start, String> {
    let port = |text: &str| text.parse().ok().filter(|port| *port > 0);
    match (text, text.strip_prefix("broadcast:").and_then(port)) {
        ("now", _) => Ok(Start::Now),
        (_, Some(port)) => Ok(Start::Broadcast(port)),
        _ => Err("use now, or broadcast:PORT".into()),
    }
}

/// An address with or without port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let without = bare.parse().map(|ip: IpAddr| SocketAddr::new(ip, 80));
    match text.parse().or(without) {
        Ok(address) if address.port() > 0 => Ok(address),
        _ => Err("use an address with its port, such as 192.0.2.1:80 or [2001:db8::1]:80".into()),
    }
}

fn path(text: &str) -> Result<String, String> {
    match text.starts_with('/') && text.bytes().all(|b| b.is_ascii_graphic()) {
        true => Ok(text.into()),
        false => Err("use a path that begins with /, of visible ASCII characters".into()),
    }
}

fn host(text: &str) -> Result<String, String> {
    match !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic()) {
        true => Ok(text.into()),
        false => Err("use a host name".into()),
    }
}

#[cfg(test)]
mod tests;
