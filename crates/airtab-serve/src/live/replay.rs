// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A recorded house: the lines of `airtab live watch --json`, played by their own times.
//!
//! It begins when somebody looks, so that two who look see the same.
//!
//! What it does not do: it is asked for nothing.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::time::{Duration, Instant};

use super::history::Glance;
use super::house::House;

/// Largest line that is read, bytes.
const LINE_BYTES: u64 = 4 << 20;

/// A recording of a house that was checked.
#[derive(Debug)]
pub struct Replay {
    file: File,
    /// Speed at which it is played, 1 for that of the house.
    pub speed: f64,
    /// Name of the recorded house.
    pub house: String,
}

impl Replay {
    /// Opens a recording and checks all of it; it is played `speed` times as fast as it was.
    ///
    /// # Errors
    /// It is not a regular file, or as [`Replay::of_file`].
    pub fn open(path: &Path, speed: f64) -> Result<Replay, String> {
        let file = File::open(path).map_err(|e| e.to_string())?;
        if !file.metadata().is_ok_and(|is| is.is_file()) {
            return Err("is no regular file".into());
        }
        Replay::of_file(file, speed)
    }

    /// Checks all of an open recording.
    ///
    /// # Errors
    /// Names the line that is no snapshot, is of another house or goes back in time.
    pub fn of_file(file: File, speed: f64) -> Result<Replay, String> {
        let mut last: Option<Glance> = None;
        for line in Lines::of(&file)? {
            let (number, _, glance) = line?;
            let wrong = |what: String| Err(format!("line {number}: {what}"));
            match &last {
                Some(last) if last.house != glance.house => {
                    return wrong(format!(
                        "is of house {}, those before are of {}",
                        glance.house, last.house
                    ));
                }
                Some(last) if last.now_ns() >= glance.now_ns() => {
                    return wrong("is not later than the line before".into());
                }
                _ => last = Some(glance),
            }
        }
        let last = last.ok_or("has no snapshot: `airtab live watch --json > FILE.jsonl` records some")?;
        Ok(Replay { file, speed, house: last.house })
    }

    /// Plays it, until it ends or the house is closed.
    pub fn play(&self, house: &House) {
        if !house.wait_for_reader() {
            return;
        }
        let why = self.played(house).map_or_else(|e| e, |()| "the recording ends here".into());
        house.history().down(&why);
        house.tell();
    }

    fn played(&self, house: &House) -> Result<(), String> {
        let start = Instant::now();
        let mut first_ns = None;
        for line in Lines::of(&self.file)? {
            let (_, line, glance) = line?;
            let since_ns = glance.now_ns() - *first_ns.get_or_insert(glance.now_ns());
            let due = start + Duration::from_nanos((since_ns as f64 / self.speed) as u64);
            if !house.wait_until(due) {
                return Ok(());
            }
            house.add(&line, glance);
        }
        Ok(())
    }
}

/// Lines with their numbers.
struct Lines {
    reader: BufReader<File>,
    number: usize,
}

impl Lines {
    /// Lines from the beginning. The position is that of `file`: one reads at a time.
    fn of(file: &File) -> Result<Lines, String> {
        let file =
            file.try_clone().and_then(|mut file| file.rewind().map(|()| file)).map_err(|e| e.to_string())?;
        Ok(Lines { reader: BufReader::new(file), number: 0 })
    }
}

impl Iterator for Lines {
    type Item = Result<(usize, String, Glance), String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.number += 1;
        let mut line = String::new();
        match self.reader.by_ref().take(LINE_BYTES).read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(match Glance::of(&line) {
                Ok(glance) => Ok((self.number, line, glance)),
                Err(e) => Err(format!("line {}: is no snapshot of airtab live: {e}", self.number)),
            }),
            Err(e) => Some(Err(format!("line {}: {e}", self.number))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(house: &str, now_s: f64) -> String {
        format!("{{\"house\":\"{house}\",\"queue\":\"fifo\",\"now_s\":{now_s},\"stations\":[]}}\n")
    }

    #[test]
    fn what_is_no_recording_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("house.jsonl");
        let read = |text: String| {
            std::fs::write(&path, text).unwrap();
            Replay::open(&path, 1.0).map(|replay| replay.house)
        };
        assert_eq!(read(line("h", 1.0) + &line("h", 2.0)), Ok("h".into()));
        for (text, expected) in [
            (String::new(), "has no snapshot"),
            (line("h", 1.0) + "{}\n", "line 2: is no snapshot of airtab live: missing field"),
            (line("h", 1.0) + &line("g", 2.0), "line 2: is of house g, those before are of h"),
            (line("h", 2.0) + &line("h", 2.0), "line 2: is not later than the line before"),
            (line("h", -1.0), "line 1: is no snapshot of airtab live: now_s: -1 is no time since a start"),
            (line("h", 1e300), "line 1: is no snapshot of airtab live: now_s: "),
            (line("h", 1.0) + "\u{0}\n", "line 2: is no snapshot"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}");
        }
        assert_eq!(Replay::open(folder.path(), 1.0).unwrap_err(), "is no regular file");
    }
}
