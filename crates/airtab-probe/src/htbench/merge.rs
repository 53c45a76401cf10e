// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Results of several machines on one clock: one Jain curve over all flows (Starzetz 2006, 6.3.2: the laptops began by
//! one broadcast packet).
//!
//! Runs that began by the same datagram share their zero: they are as far apart as it reached them. Others are put
//! where their system clocks say that they began.
//!
//! What it does not do: no clock is corrected; why a request failed stays in its file.

use std::io;
use std::path::{Path, PathBuf};

use super::connection::Failure;
use super::engine::{End, Outcome, Request};

/// Results of a machine.
#[derive(Clone, Debug)]
pub struct Part {
    /// What its classes' names begin with.
    pub name: String,
    /// Names of its classes.
    pub classes: Vec<String>,
    /// What it adds to all of its times, ns.
    pub offset_ns: u64,
    /// How long it ran, ns.
    pub duration_ns: u64,
    /// Its requests, of those classes.
    pub requests: Vec<Request>,
}

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum MergeError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: '{text}' is not what htbench writes there")]
    Line { path: PathBuf, line: usize, text: String },
    #[error(
        "{path} is of class '{class}', which the directory's summary.json does not have: its results are mixed"
    )]
    Class { path: PathBuf, class: String },
    #[error("{dir} has no requests that had a connection: leave it out")]
    Nothing { dir: PathBuf },
}

/// The requests of a result directory, of these classes.
///
/// # Errors
/// If a file cannot be read, or is not as [`super::files::write_request`] writes it.
pub fn requests(dir: &Path, classes: &[String]) -> Result<Vec<Request>, MergeError> {
    let read = |source| MergeError::Read { path: dir.into(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(read)? {
        paths.push(entry.map_err(read)?.path());
    }
    paths.sort();
    let mut requests = Vec::new();
    for path in paths.iter().filter(|path| is_request(path)) {
        let text = std::fs::read_to_string(path)
            .map_err(|source| MergeError::Read { path: path.clone(), source })?;
        requests.push(request(path, &text, classes)?);
    }
    match requests.is_empty() {
        true => Err(MergeError::Nothing { dir: dir.into() }),
        false => Ok(requests),
    }
}

/// Whether a file is called as that of a request is: `CLASS-NUMBER.txt`, also `.failed` and `.unfinished`.
fn is_request(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(stem) = name.strip_suffix(".txt") else { return false };
    let stem = stem.trim_end_matches(".failed").trim_end_matches(".unfinished");
    stem.rsplit_once('-')
        .is_some_and(|(_, number)| number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn request(path: &Path, text: &str, classes: &[String]) -> Result<Request, MergeError> {
    let wrong = |line: usize, text: &str| MergeError::Line { path: path.into(), line, text: text.into() };
    let mut lines = text.lines().enumerate();
    let first = lines.next().map_or("", |(_, line)| line);
    let (class, number, connection, end, t0_ns) = head(first).ok_or_else(|| wrong(1, first))?;
    let class = classes
        .iter()
        .position(|name| name == class)
        .ok_or_else(|| MergeError::Class { path: path.into(), class: class.into() })?;
    let mut points = Vec::new();
    for (i, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
        let point = line.split_once(' ').and_then(|(t, bytes)| Some((ns(t)?, bytes.parse().ok()?)));
        let grows = |point: &(u64, u64)| {
            points.last().is_none_or(|last: &(u64, u64)| last.0 <= point.0 && last.1 <= point.1)
        };
        points.push(point.filter(grows).ok_or_else(|| wrong(i + 1, line))?);
    }
    let (last_ns, volume_bytes) = points.last().copied().ok_or_else(|| wrong(1, first))?;
    Ok(Request {
        class,
        number,
        connection,
        t0_ns: Some(t0_ns),
        end_ns: t0_ns.checked_add(last_ns).ok_or_else(|| wrong(1, first))?,
        end,
        status: None,
        volume_bytes,
        points,
    })
}

/// `# class dl, request 1, connection 1, done; connected 0.001000000 s after the start`.
fn head(line: &str) -> Option<(&str, u64, u32, End, u64)> {
    let (rest, t0) = line.strip_prefix("# class ")?.rsplit_once("; connected ")?;
    let (class, rest) = rest.split_once(", request ")?;
    let (number, rest) = rest.split_once(", connection ")?;
    let (connection, end) = rest.split_once(", ")?;
    let end = match end {
        "done" => End::Done,
        "unfinished" => End::Unfinished,
        told => End::Failed(Failure::Lost(told.into())),
    };
    Some((
        class,
        number.parse().ok()?,
        connection.parse().ok()?,
        end,
        ns(t0.strip_suffix(" s after the start")?)?,
    ))
}

/// Seconds with nine digits, ns.
fn ns(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.')?;
    let digits =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
    (fraction.len() == 9)
        .then(|| digits(seconds)?.checked_mul(1_000_000_000)?.checked_add(digits(fraction)?))?
}

/// All of it as one run, and the names of its classes: `PART/CLASS`.
pub fn merge(parts: &[Part]) -> (Vec<String>, Outcome) {
    let mut names = Vec::new();
    let mut requests = Vec::new();
    for part in parts {
        let before = names.len();
        names.extend(part.classes.iter().map(|class| format!("{}/{class}", part.name)));
        requests.extend(part.requests.iter().map(|request| Request {
            class: before + request.class,
            t0_ns: request.t0_ns.map(|t0| t0.saturating_add(part.offset_ns)),
            end_ns: request.end_ns.saturating_add(part.offset_ns),
            ..request.clone()
        }));
    }
    requests.sort_by_key(|request| request.end_ns);
    let ends = parts.iter().map(|part| part.duration_ns.saturating_add(part.offset_ns));
    let duration_ns = ends.max().unwrap_or(0);
    (names, Outcome { started_ns: 0, duration_ns, stopped: false, requests })
}

#[cfg(test)]
mod tests {
    use super::super::analysis::Series;
    use super::super::config::Config;
    use super::super::files::write_request;
    use super::*;
    use airtab_core::time::SECOND;

    fn config() -> Config {
        Config::parse(
            "x",
            "[[class]]\nname = 'a-b'\nserver = '192.0.2.1'\npath = '/'\n\
         [[class]]\nname = 'ul'\nserver = '192.0.2.1'\npath = '/'",
        )
        .expect("good")
    }

    fn one(class: usize, number: u64, t0_ns: u64, bytes: u64, end: End) -> Request {
        Request {
            class,
            number,
            connection: 1,
            t0_ns: Some(t0_ns),
            end_ns: t0_ns + 4 * SECOND,
            end,
            status: None,
            volume_bytes: bytes,
            points: vec![(0, 0), (4 * SECOND, bytes)],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let lost = End::Failed(Failure::Lost("gone, as they say; for good".into()));
        let written =
            [one(0, 1, 1_500, 1000, End::Done), one(0, 12345, 7, 9, lost), one(1, 1, 3, 0, End::Unfinished)];
        for request in &written {
            write_request(dir.path(), &config(), request).expect("written");
        }
        std::fs::write(dir.path().join("jain.txt"), "none of ours").expect("written");
        let read = requests(dir.path(), &config().class_names()).expect("good");
        assert_eq!(read.len(), 3);
        let told = End::Failed(Failure::Lost("connection lost: gone, as they say; for good".into()));
        for (read, written) in read.iter().zip(&written) {
            let end = if matches!(written.end, End::Failed(_)) { told.clone() } else { written.end.clone() };
            assert_eq!(*read, Request { end, ..written.clone() });
        }
    }

    #[test]
    fn wrong_files_are_told() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("ul-0001.txt");
        let names = config().class_names();
        let error = |text: &str| {
            std::fs::write(&path, text).expect("written");
            requests(dir.path(), &names).expect_err("wrong").to_string()
        };
        let head = "# class ul, request 1, connection 1, done; connected 0.000000001 s after the start\n";
        assert!(error("").contains("ul-0001.txt:1: '' is not what htbench writes there"));
        assert!(error(head).contains(":1: "), "no points");
        assert!(error(&format!("{head}# t V\n0.000000000 0\n1.0 5\n")).contains(":4: '1.0 5' is not"));
        assert!(error(&format!("{head}1.000000000 5\n0.500000000 6\n")).contains(":3: "), "back in time");
        assert!(error(&head.replace("ul", "dl")).contains("is of class 'dl', which the directory's"));
        std::fs::remove_file(&path).expect("removed");
        let nothing = requests(dir.path(), &names).expect_err("nothing").to_string();
        assert!(nothing.ends_with("has no requests that had a connection: leave it out"), "{nothing}");
        let nowhere = requests(&dir.path().join("x"), &names).expect_err("nowhere").to_string();
        assert!(nowhere.starts_with("cannot read "), "{nowhere}");
    }

    /// Two machines, 3000 and 1000 bytes a second: 16 / (2 * 10). The second began a second later.
    #[test]
    fn one_curve_over_all_flows() {
        let part = |name: &str, offset_ns, bytes| Part {
            name: name.into(),
            classes: config().class_names(),
            offset_ns,
            duration_ns: 4 * SECOND,
            requests: vec![one(1, 1, 0, bytes, End::Done)],
        };
        let (names, outcome) = merge(&[part("p", 0, 12_000), part("q", SECOND, 4_000)]);
        assert_eq!(names, ["p/a-b", "p/ul", "q/a-b", "q/ul"]);
        assert_eq!(outcome.duration_ns, 5 * SECOND);
        let series = Series::new(&outcome);
        assert_eq!(series.flows, [(1, 1), (3, 1)]);
        let at = |s: u64| series.rows.iter().find(|row| row.t_ns == s * SECOND).expect("a row");
        assert_eq!((at(1).jain_connections, at(5).jain_connections), (None, None), "one of them alone");
        for s in 2..=4 {
            assert!((at(s).jain_connections.expect("two flows") - 0.8).abs() < 1e-12, "{s}");
        }
    }
}
