// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A folder of packs as a whole: how large it is, what is damaged in it, and what may go.
//!
//! What it does not do: nothing that another process may be writing is touched.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::packs::{Whose, files, whose};
use super::record::{self, Piece};
use crate::plan::RunKey;

/// Whoever makes a pack locks it within a moment.
const BEGUN: Duration = Duration::from_secs(60);

/// What is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Packs of this program's sources.
    pub packs: usize,
    /// Runs in them, each once.
    pub runs: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Packs of other sources, and such whose head is damaged.
    pub other_packs: usize,
    /// Their bytes.
    pub other_bytes: u64,
    /// Files of that suffix that are not airtab's.
    pub foreign: usize,
}

/// Looks at the heads of all packs.
///
/// # Errors
/// The folder, or a pack, cannot be read.
pub fn size(folder: &Path) -> io::Result<Size> {
    let mut size = Size::default();
    let mut runs = HashSet::new();
    for path in files(folder)? {
        let file = open(&path)?;
        let bytes = file.metadata()?.len();
        match whose(&file)? {
            Whose::Ours => {
                size.packs += 1;
                size.bytes += bytes;
                record::scan(file, |piece| {
                    if let Piece::Run(head, _) = piece {
                        runs.insert(head.run);
                    }
                })?;
            }
            Whose::Other(_) | Whose::Headless => {
                size.other_packs += 1;
                size.other_bytes += bytes;
            }
            Whose::Foreign => size.foreign += 1,
        }
    }
    size.runs = runs.len();
    Ok(size)
}

/// Opens a pack; an error names it.
fn open(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))
}

/// A part of a pack that is of no use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The pack.
    pub pack: PathBuf,
    /// The first byte of it.
    pub at: u64,
    /// How many they are.
    pub bytes: u64,
    /// What is wrong with them.
    pub what: What,
}

/// What is wrong with a part of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It is the beginning of a record that was not written to its end.
    Torn,
    /// It is no record.
    NoRecord,
    /// It is a record whose body is not what was written.
    Body,
    /// The file has no head of a pack.
    Headless,
    /// The file is not airtab's.
    Foreign,
}

impl What {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            What::Torn => "a run that was not written to its end",
            What::NoRecord => "no run",
            What::Body => "a run that is damaged",
            What::Headless => "a pack without its head",
            What::Foreign => "the file is no pack of airtab's, and is left alone",
        }
    }
}

/// Everything that is damaged, and how many runs are not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Records that can be read.
    pub whole: usize,
    /// What cannot.
    pub damaged: Vec<Damage>,
}

/// Reads every record of this program's sources.
///
/// # Errors
/// As [`size`].
pub fn verify(folder: &Path) -> io::Result<Verdict> {
    let mut verdict = Verdict::default();
    for path in files(folder)? {
        let file = open(&path)?;
        let bytes = file.metadata()?.len();
        let what = match whose(&file)? {
            Whose::Ours => {
                let (_, damaged) = records(&path, |_, _| verdict.whole += 1)?;
                verdict.damaged.extend(damaged);
                continue;
            }
            Whose::Other(_) => continue,
            Whose::Headless => What::Headless,
            Whose::Foreign => What::Foreign,
        };
        verdict.damaged.push(Damage { pack: path, at: 0, bytes, what });
    }
    Ok(verdict)
}

/// What [`prune`] has removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Packs of other sources, and such whose head is damaged.
    pub other_packs: usize,
    /// Files of that suffix that are not airtab's, which were left alone.
    pub foreign: usize,
    /// Packs of this program's sources whose runs are now in one pack.
    pub put_together: usize,
    /// Packs that another process is writing, which were left alone.
    pub in_use: usize,
    /// Runs that are left, each once.
    pub runs: usize,
    /// Bytes that the folder has become smaller by.
    pub bytes: u64,
}

/// Removes packs of other sources and what is damaged, and puts the rest into one pack, each run once; `all`: removes
/// everything.
///
/// # Errors
/// The folder cannot be read, or a file not be written or removed. No run is lost then.
pub fn prune(folder: &Path, all: bool) -> io::Result<Pruned> {
    let mut pruned = Pruned::default();
    let (mut seen, mut old) = (HashSet::new(), Vec::new());
    let mut new = None;
    let mut written = 0;
    for path in files(folder)? {
        let file = open(&path)?;
        let of = whose(&file)?;
        if of == Whose::Foreign {
            pruned.foreign += 1;
            continue;
        }
        // Whoever writes it holds it; a pack that is locked here is nobody's.
        if file.try_lock().is_err() {
            pruned.in_use += 1;
            continue;
        }
        let is = file.metadata()?;
        let bytes = is.len();
        if bytes == 0 && is.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age < BEGUN)) {
            // Made, and about to be locked.
            pruned.in_use += 1;
            continue;
        }
        if of == Whose::Ours && !all {
            let mut failed = None;
            records(&path, |run, record| {
                if !seen.insert(run) || failed.is_some() {
                    return;
                }
                let mut write = || -> io::Result<()> {
                    if new.is_none() {
                        let (file, path, head) = super::packs::begin(folder)?;
                        (new, written) = (Some((file, path)), head);
                    }
                    let (file, _) = new.as_mut().expect("made above");
                    file.write_all(record)?;
                    written += record.len() as u64;
                    Ok(())
                };
                failed = write().err();
            })?;
            if let Some(e) = failed {
                // The old ones are still there.
                if let Some((_, path)) = &new {
                    let _ = fs::remove_file(path);
                }
                return Err(e);
            }
            pruned.put_together += 1;
        } else {
            pruned.other_packs += 1;
        }
        pruned.bytes += bytes;
        old.push((path, file));
    }
    if let Some((file, _)) = &new {
        file.sync_all()?;
    }
    for (path, _held) in &old {
        fs::remove_file(path)?;
    }
    pruned.runs = seen.len();
    pruned.bytes = pruned.bytes.saturating_sub(written);
    Ok(pruned)
}

/// Hands over every whole record of a pack; gives how many they were, and what is damaged.
fn records(path: &Path, mut each: impl FnMut(RunKey, &[u8])) -> io::Result<(usize, Vec<Damage>)> {
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    let mut note = |at, bytes, what| damaged.push(Damage { pack: path.into(), at, bytes, what });
    record::scan(&file, |piece| match piece {
        Piece::Run(head, at) => found.push((head, at)),
        Piece::Damaged(at, bytes) => note(at, bytes, What::NoRecord),
        Piece::Torn(at) => note(at, end - at, What::Torn),
    })?;
    let mut whole = 0;
    let mut bytes = Vec::new();
    for (head, at) in found {
        bytes.clear();
        file.seek(SeekFrom::Start(at))?;
        (&file).take(head.record()).read_to_end(&mut bytes)?;
        match bytes.split_at_checked(record::HEAD).and_then(|(_, body)| head.measured(body)) {
            Some(_) => {
                whole += 1;
                each(head.run, &bytes);
            }
            None => note(at, head.record(), What::Body),
        }
    }
    Ok((whole, damaged))
}

#[cfg(test)]
mod tests {
    use airtab_scenario::{Figures, Measured, Metric};

    use super::super::record::{HEAD, PACK_HEAD, pack_head, record};
    use super::super::sources;
    use super::*;

    fn run(n: u128) -> Vec<u8> {
        let apps = vec![Figures::from([(Metric::GameMos, n as f64)])];
        let measured =
            Measured { apps, pages: Vec::new(), seconds: Vec::new(), ap: Figures::new(), nodes: Vec::new() };
        record(RunKey(n), &measured).unwrap()
    }

    fn pack(sources: &str, records: &[&[u8]]) -> Vec<u8> {
        [&pack_head(sources)[..], &records.concat()].concat()
    }

    /// Two packs of these sources with a run in common, two of others, one whose head is cut, one of git; a file that is none.
    fn folder() -> (tempfile::TempDir, [u64; 6]) {
        let folder = tempfile::tempdir().unwrap();
        let (one, two, three) = (run(1), run(2), run(3));
        let files = [
            ("a.pack", pack(sources(), &[&one, &two])),
            ("b.pack", pack(sources(), &[&two, &three])),
            ("c.pack", pack("0123456789abcdef", &[&one, &two, &three])),
            ("d.pack", pack("fedcba9876543210", &[&one])),
            ("e.pack", pack(sources(), &[])[..11].to_vec()),
            ("f.pack", b"PACK".to_vec()),
        ];
        let sizes = files.each_ref().map(|(_, bytes)| bytes.len() as u64);
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        fs::write(folder.path().join("g.txt"), "no pack").unwrap();
        (folder, sizes)
    }

    #[test]
    fn a_folder_is_as_large_as_its_packs() {
        let (folder, [a, b, c, d, e, _]) = folder();
        let expected =
            Size { packs: 2, runs: 3, bytes: a + b, other_packs: 3, other_bytes: c + d + e, foreign: 1 };
        assert_eq!(size(folder.path()).unwrap(), expected);
        assert!(size(&folder.path().join("nowhere")).is_err());
    }

    /// The files removed, and the bytes freed; a second prune frees few.
    #[test]
    fn a_prune_says_what_it_removed() {
        let (folder, [a, b, c, d, e, f]) = folder();
        // One that was begun a moment ago will be locked.
        fs::write(folder.path().join("young.pack"), "").unwrap();
        let one = (PACK_HEAD + run(1).len() + run(2).len() + run(3).len()) as u64;
        let first = Pruned {
            other_packs: 3,
            foreign: 1,
            put_together: 2,
            in_use: 1,
            runs: 3,
            bytes: a + b + c + d + e - one,
        };
        assert_eq!(prune(folder.path(), false).unwrap(), first);
        let left = files(folder.path()).unwrap();
        let sizes: Vec<u64> = left.iter().map(|path| fs::metadata(path).unwrap().len()).collect();
        assert_eq!(sizes.iter().sum::<u64>(), one + f, "{left:?}");
        assert!(folder.path().join("young.pack").exists() && folder.path().join("g.txt").exists());
        let again = Pruned { other_packs: 0, put_together: 1, bytes: 0, ..first };
        assert_eq!(prune(folder.path(), false).unwrap(), again);
        let all = Pruned { other_packs: 1, put_together: 0, runs: 0, bytes: one, ..first };
        assert_eq!(prune(folder.path(), true).unwrap(), all);
        assert_eq!(size(folder.path()).unwrap().packs, 0);
        assert_eq!(fs::read(folder.path().join("f.pack")).unwrap(), b"PACK");
    }

    /// Each sort of damage is told with its pack, its first byte and its length; what is left of a pack is counted.
    #[test]
    fn damage_is_told_where_it_is() {
        let (folder, sizes) = folder();
        let (one, two) = (run(1).len() as u64, run(2).len() as u64);
        let (begin, head) = (PACK_HEAD as u64, HEAD as u64);
        let path = |name: &str| folder.path().join(name);
        let damaged = |name: &str, at, bytes, what| Damage { pack: path(name), at, bytes, what };
        let of_others =
            [damaged("e.pack", 0, sizes[4], What::Headless), damaged("f.pack", 0, sizes[5], What::Foreign)];
        let expected = |whole, own: Vec<Damage>| Verdict {
            whole,
            damaged: own.into_iter().chain(of_others.clone()).collect(),
        };
        assert_eq!(verify(folder.path()).unwrap(), expected(4, Vec::new()));
        let flip = |name: &str, at: u64| {
            let mut bytes = fs::read(path(name)).unwrap();
            bytes[at as usize] ^= 1;
            fs::write(path(name), bytes).unwrap();
        };
        // The head of the first run of a, the body of the second; the last byte of b is not there.
        flip("a.pack", begin + 9);
        flip("a.pack", begin + one + head);
        let bytes = fs::read(path("b.pack")).unwrap();
        fs::write(path("b.pack"), &bytes[..bytes.len() - 1]).unwrap();
        let own = vec![
            damaged("a.pack", begin, one, What::NoRecord),
            damaged("a.pack", begin + one, two, What::Body),
            damaged("b.pack", begin + two, run(3).len() as u64 - 1, What::Torn),
        ];
        assert_eq!(verify(folder.path()).unwrap(), expected(1, own));
        let pruned = prune(folder.path(), false).unwrap();
        assert_eq!((pruned.runs, pruned.put_together), (1, 2), "the second run of b");
        assert_eq!(verify(folder.path()).unwrap().whole, 1);
    }

    #[test]
    fn each_sort_of_damage_has_its_words() {
        let all = [What::Torn, What::NoRecord, What::Body, What::Headless, What::Foreign].map(What::words);
        let parts = ["not written to its end", "no run", "is damaged", "without its head", "left alone"];
        for (i, words) in all.iter().enumerate() {
            let fits: Vec<usize> = (0..parts.len()).filter(|k| words.contains(parts[*k])).collect();
            assert_eq!(fits, [i], "{words}");
        }
    }
}
