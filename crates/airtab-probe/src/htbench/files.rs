// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What is kept on disk: a file for each request with two columns, t in s and V in bytes (Starzetz 6.3.2),
//! and the series of the analyses.
//!
//! Lines that begin with `#` say what the columns are; gnuplot and numpy pass over them. A file is written
//! at once when its request has ended: whatever stops the program, no line is half.

use std::fmt::Write;
use std::io;
use std::path::Path;

use super::analysis::{Series, WINDOW_NS};
use super::config::Config;
use super::engine::{End, Request};

/// Makes the directory; it must be new or empty, so that no results mix.
///
/// # Errors
/// If it holds something, or cannot be made.
pub fn prepare(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    match std::fs::read_dir(dir)?.next() {
        None => Ok(()),
        Some(_) => Err(io::Error::other("it is not empty: name another one, or remove what it holds")),
    }
}

/// `CLASS-NUMBER.txt`, or `.failed.txt`, or `.unfinished.txt`; none for a request that never had a connection.
pub fn name(config: &Config, request: &Request) -> Option<String> {
    let end = match request.end {
        End::Done => "",
        End::Failed(_) => ".failed",
        End::Unfinished => ".unfinished",
    };
    request.t0_ns?;
    Some(format!("{}-{:04}{end}.txt", config.classes[request.class].name, request.number))
}

/// Writes a request's V(t).
///
/// # Errors
/// If it cannot be written.
pub fn write_request(dir: &Path, config: &Config, request: &Request) -> io::Result<()> {
    let (Some(name), Some(t0_ns)) = (name(config, request), request.t0_ns) else { return Ok(()) };
    let mut text = String::with_capacity(100 + 24 * request.points.len());
    let end = match &request.end {
        End::Done => "done".into(),
        End::Failed(failure) => failure.to_string(),
        End::Unfinished => "unfinished".into(),
    };
    let class = &config.classes[request.class];
    let (number, connection, t0) = (request.number, request.connection, seconds(t0_ns));
    let _ = writeln!(
        text,
        "# class {}, request {number}, connection {connection}, {end}; connected {t0} s after the start",
        class.name
    );
    text.push_str("# t[s] V[bytes]\n");
    for (t_ns, bytes) in &request.points {
        let _ = writeln!(text, "{} {bytes}", seconds(*t_ns));
    }
    std::fs::write(dir.join(name), text)
}

/// Writes `throughput.txt` (b/s of each connection) and `jain.txt`; `classes` are their names.
///
/// # Errors
/// If one cannot be written.
pub fn write_series(dir: &Path, classes: &[String], series: &Series) -> io::Result<()> {
    let window = seconds(WINDOW_NS);
    let mut rates =
        format!("# throughput in the {window} s before t; nan: the connection was not there\n# t[s]");
    for (class, connection) in &series.flows {
        let _ = write!(rates, " {}-{connection}[b/s]", classes[*class]);
    }
    rates.push('\n');
    let mut fairness =
        format!("# Jain's index of the volumes gained in the {window} s before t; nan: fewer than two\n");
    fairness.push_str("# t[s] connections classes\n");
    for row in &series.rows {
        let t = seconds(row.t_ns);
        let _ = write!(rates, "{t}");
        for bps in &row.bps {
            let _ = write!(rates, " {:.0}", bps.unwrap_or(f64::NAN));
        }
        rates.push('\n');
        let index = |index: Option<f64>| index.map_or("nan".into(), |j| format!("{j:.6}"));
        let _ = writeln!(fairness, "{t} {} {}", index(row.jain_connections), index(row.jain_classes));
    }
    let rates = rates.replace("NaN", "nan");
    std::fs::write(dir.join("throughput.txt"), rates)?;
    std::fs::write(dir.join("jain.txt"), fairness)
}

/// Exact.
fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}
