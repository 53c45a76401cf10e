// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs in a folder of packs (`record` has their form).
//!
//! A process appends to packs that it has made itself, so no file has two writers, and folders are merged by putting
//! their files together. While a process may append, it holds the pack's lock. An index of all heads is made when the
//! folder is opened; bodies are read when they are asked for. A torn tail is ignored.
//!
//! What it does not do: runs that other processes add later are not seen; packs of other sources are not read.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use airtab_scenario::Measured;

use super::record::{self, HEAD, Head, PACK_HEAD, Piece};
use super::{Store, sources};
use crate::plan::RunKey;

/// How names of packs end.
pub(super) const SUFFIX: &str = ".pack";

/// A pack that is not as it must be.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// It, or its folder, cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// It is of other sources.
    #[error(
        "{}: its runs are of another version of airtab (sources {theirs}; this program's are {}): make them with this program",
        path.display(),
        sources()
    )]
    OtherSources {
        /// Which.
        path: PathBuf,
        /// The number of its sources.
        theirs: String,
    },
    /// It is no pack.
    #[error("{}: is no pack of runs, though it is named as one", path.display())]
    NoPack {
        /// Which.
        path: PathBuf,
    },
    /// There is none.
    #[error("{}: holds no pack of runs (a file that ends in {SUFFIX})", path.display())]
    None {
        /// The folder.
        path: PathBuf,
    },
}

/// Where a record is.
#[derive(Clone, Copy)]
struct Entry {
    run: RunKey,
    at: u64,
    /// The number of its pack.
    pack: u32,
}

/// What this process has written.
#[derive(Default)]
struct Own {
    /// The pack, and its length.
    pack: Option<(File, PathBuf, u64)>,
    runs: HashMap<RunKey, u64>,
}

/// The packs of a folder.
pub struct Packs {
    folder: PathBuf,
    packs: Vec<PathBuf>,
    /// By what runs are known by; one may be there more than once.
    index: Vec<Entry>,
    own: Mutex<Own>,
    failure: OnceLock<io::Error>,
}

impl Packs {
    /// Opens a folder, which is made if it is not there. Packs of other sources are left alone.
    ///
    /// # Errors
    /// It cannot be made or read.
    pub fn open(folder: &Path) -> io::Result<Packs> {
        fs::create_dir_all(folder)?;
        let mut packs = Packs::none(folder);
        for path in files(folder)? {
            // One that has just been removed, or is not to be read, is no failure.
            let Ok(file) = File::open(&path) else { continue };
            if matches!(whose(&file), Ok(Whose::Ours)) {
                packs.add(path, file)?;
            }
        }
        packs.sort();
        Ok(packs)
    }

    /// Opens folders whose runs are put together. Nothing is written.
    ///
    /// # Errors
    /// A folder has no pack, or one that cannot be used.
    pub fn merge(folders: &[PathBuf]) -> Result<Packs, Unusable> {
        let mut packs = Packs::none(Path::new(""));
        for folder in folders {
            let unreadable = |path: &Path| {
                let path = path.to_path_buf();
                |reason| Unusable::Unreadable { path, reason }
            };
            let paths = files(folder).map_err(unreadable(folder))?;
            if paths.is_empty() {
                return Err(Unusable::None { path: folder.clone() });
            }
            for path in paths {
                let file = File::open(&path).map_err(unreadable(&path))?;
                match whose(&file).map_err(unreadable(&path))? {
                    Whose::Ours => packs.add(path.clone(), file).map_err(unreadable(&path))?,
                    Whose::Other(theirs) => return Err(Unusable::OtherSources { path, theirs }),
                    // Somebody was killed before there was anything in it.
                    Whose::Headless if file.metadata().is_ok_and(|is| is.len() == 0) => {}
                    Whose::Headless | Whose::Foreign => return Err(Unusable::NoPack { path }),
                }
            }
        }
        packs.sort();
        Ok(packs)
    }

    fn none(folder: &Path) -> Packs {
        let (own, failure) = (Mutex::default(), OnceLock::new());
        Packs { folder: folder.into(), packs: Vec::new(), index: Vec::new(), own, failure }
    }

    fn add(&mut self, path: PathBuf, file: File) -> io::Result<()> {
        let pack = self.packs.len() as u32;
        record::scan(file, |piece| {
            if let Piece::Run(Head { run, .. }, at) = piece {
                self.index.push(Entry { run, at, pack });
            }
        })?;
        self.packs.push(path);
        Ok(())
    }

    fn sort(&mut self) {
        self.index.sort_unstable_by_key(|entry| (entry.run, entry.pack, entry.at));
    }

    /// Begins the pack of this process, if that has not been done: a folder without runs is one of packs, too.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn begin(&self) -> io::Result<()> {
        let mut own = self.own.lock().expect("nobody panics with it");
        if own.pack.is_none() {
            own.pack = Some(begin(&self.folder)?);
        }
        Ok(())
    }

    /// How many records there were when it was opened.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Why the first run that could not be kept was not; None while all of them were.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.get()
    }

    /// All places of a run among the packs that were there.
    fn places(&self, run: RunKey) -> &[Entry] {
        let from = self.index.partition_point(|entry| entry.run < run);
        let own = &self.index[from..];
        &own[..own.partition_point(|entry| entry.run == run)]
    }

    fn append(&self, run: RunKey, measured: &Measured) -> io::Result<()> {
        let record = record::record(run, measured)?;
        let mut own = self.own.lock().expect("nobody panics with it");
        if own.pack.is_none() {
            own.pack = Some(begin(&self.folder)?);
        }
        let (file, _, end) = own.pack.as_mut().expect("made above");
        if let Err(e) = file.write_all(&record) {
            // Not in the way of the next one, for which there may be room.
            let _ = file.set_len(*end);
            let _ = file.seek(SeekFrom::Start(*end));
            return Err(e);
        }
        let at = *end;
        *end += record.len() as u64;
        own.runs.insert(run, at);
        Ok(())
    }

    /// Where this process has written it.
    fn own(&self, run: RunKey) -> Option<(PathBuf, u64)> {
        let own = self.own.lock().expect("nobody panics with it");
        let at = *own.runs.get(&run)?;
        Some((own.pack.as_ref()?.1.clone(), at))
    }
}

impl Store for Packs {
    fn get(&self, run: RunKey) -> Option<Measured> {
        if let Some((path, at)) = self.own(run) {
            return read(&path, run, at);
        }
        self.places(run).iter().find_map(|entry| read(&self.packs[entry.pack as usize], run, entry.at))
    }

    fn has(&self, run: RunKey) -> bool {
        !self.places(run).is_empty() || self.own(run).is_some()
    }

    fn put(&self, run: RunKey, measured: &Measured) {
        if let Err(e) = self.append(run, measured) {
            // The first says it all.
            let _ = self.failure.set(e);
        }
    }
}

/// Paths of the packs of a folder, in alphabetical order.
pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // Neither folders nor pipes, which would be waited for, nor links to nothing.
        let regular = || fs::metadata(&path).is_ok_and(|is| is.is_file());
        if path.to_string_lossy().ends_with(SUFFIX) && regular() {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Whose a file of that name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// A pack of these sources.
    Ours,
    /// A pack of those.
    Other(String),
    /// It was to be a pack, and its head was not written to its end, or is damaged.
    Headless,
    /// No pack of airtab's: others give the same suffix to theirs.
    Foreign,
}

/// Looks at its head.
pub(super) fn whose(file: &File) -> io::Result<Whose> {
    let mut head = Vec::new();
    file.take(PACK_HEAD as u64).read_to_end(&mut head)?;
    Ok(match record::sources_of(&head) {
        Some(theirs) if theirs == sources() => Whose::Ours,
        Some(theirs) => Whose::Other(theirs.into()),
        None if record::was_to_be(&head) => Whose::Headless,
        None => Whose::Foreign,
    })
}

/// A pack of its own: open, locked, with its head.
pub(super) fn begin(folder: &Path) -> io::Result<(File, PathBuf, u64)> {
    let mut form = tempfile::Builder::new();
    let prefix = format!("{}-", sources());
    form.prefix(&prefix).suffix(SUFFIX).rand_bytes(10);
    #[cfg(unix)]
    {
        // Temporary files are private; packs are put together by whoever may.
        use std::os::unix::fs::PermissionsExt;
        form.permissions(fs::Permissions::from_mode(0o644));
    }
    let mut part = form.tempfile_in(folder)?;
    part.as_file().lock()?;
    let head = record::pack_head(sources());
    part.write_all(&head)?;
    let (file, path) = part.keep().map_err(|e| e.error)?;
    Ok((file, path, head.len() as u64))
}

/// The run whose record begins there; None if it is not that one, or damaged.
pub(super) fn read(path: &Path, run: RunKey, at: u64) -> Option<Measured> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut head = [0; HEAD];
    file.read_exact(&mut head).ok()?;
    let head = Head::read(&head).filter(|head| head.run == run)?;
    let mut body = Vec::new();
    file.take(u64::from(head.length)).read_to_end(&mut body).ok()?;
    head.measured(&body)
}

#[cfg(test)]
mod tests {
    use airtab_scenario::{Figures, Metric};

    use super::*;

    /// Known by the value of its only figure.
    fn run(mos: f64) -> Measured {
        let apps = vec![Figures::from([(Metric::GameMos, mos)])];
        Measured { apps, pages: Vec::new(), seconds: Vec::new(), ap: Figures::new(), nodes: Vec::new() }
    }

    fn value(run: Option<Measured>) -> Option<f64> {
        run.map(|run| run.apps[0][&Metric::GameMos])
    }

    /// Runs of several directories are found; a run in the own pack is found by its key.
    #[test]
    fn runs_of_several_packs_are_found() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        for (i, folder) in folders.iter().enumerate() {
            for pack in 0..2 {
                let store = Packs::open(folder.path()).unwrap();
                assert_eq!((store.len(), store.is_empty()), (3 * pack, pack == 0));
                for place in 0..3 {
                    let n = 100 - (6 * i + 3 * pack + place);
                    let key = RunKey((n as u128) << 64);
                    assert!(!store.has(key));
                    store.put(key, &run(n as f64));
                    assert!(store.has(key) && value(store.get(key)) == Some(n as f64));
                }
            }
        }
        let both = folders.each_ref().map(|folder| folder.path().to_path_buf());
        let merged = Packs::merge(&both).unwrap();
        assert_eq!(merged.len(), 12);
        let key = |n: usize| RunKey((n as u128) << 64);
        for n in 89..=100 {
            assert_eq!((merged.has(key(n)), value(merged.get(key(n)))), (true, Some(n as f64)));
        }
        assert!([88, 101].iter().all(|n| !merged.has(key(*n)) && merged.get(key(*n)).is_none()));
        let second = Packs::merge(&both[1..]).unwrap();
        assert_eq!((second.len(), second.has(key(100)), second.has(key(94))), (6, false, true));
    }

    /// The first of two failures is told; a folder that is there again takes no run of this process.
    #[test]
    fn a_run_that_cannot_be_kept_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("runs");
        let store = Packs::open(&inside).unwrap();
        assert!(inside.is_dir() && store.failure().is_none(), "it is made");
        fs::remove_dir(&inside).unwrap();
        fs::write(&inside, "in the way").unwrap();
        store.put(RunKey(1), &run(1.0));
        let first = store.failure().map(io::Error::kind).expect("it is no folder");
        fs::remove_file(&inside).unwrap();
        store.put(RunKey(1), &run(1.0));
        assert_eq!(store.failure().map(io::Error::kind), Some(first));
        assert_ne!(first, io::ErrorKind::NotFound);
        assert!(!store.has(RunKey(1)) && store.get(RunKey(1)).is_none());
    }

    /// A pack is begun once, with its head alone, by which others see that it is of these sources.
    #[test]
    fn a_pack_is_begun_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Packs::open(folder.path()).unwrap();
        store.begin().unwrap();
        store.begin().unwrap();
        store.put(RunKey(3), &run(3.0));
        let all = files(folder.path()).unwrap();
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].to_string_lossy().ends_with(".pack"));
        assert_eq!(whose(&File::open(&all[0]).unwrap()).unwrap(), Whose::Ours);
        assert_eq!(read(&all[0], RunKey(3), PACK_HEAD as u64), Some(run(3.0)));
        assert_eq!(read(&all[0], RunKey(4), PACK_HEAD as u64), None, "another run");
        assert_eq!(read(&all[0], RunKey(3), PACK_HEAD as u64 + 1), None, "no record");
    }

    #[test]
    fn whose_a_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let of = |bytes: &[u8]| {
            let path = folder.path().join("x.pack");
            fs::write(&path, bytes).unwrap();
            whose(&File::open(&path).unwrap()).unwrap()
        };
        let head = record::pack_head(sources());
        assert_eq!(of(&head), Whose::Ours);
        assert_eq!(of(&[&head[..], b"more"].concat()), Whose::Ours);
        assert_eq!(of(b"airtabP10123456789abcdef and more"), Whose::Other("0123456789abcdef".into()));
        assert_eq!(
            [of(b""), of(&head[..20]), of(b"airtabP2")],
            [Whose::Headless, Whose::Headless, Whose::Headless]
        );
        assert_eq!(of(b"PACK of git"), Whose::Foreign);
    }
}
