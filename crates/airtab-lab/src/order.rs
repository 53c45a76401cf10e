// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Orders: what another machine needs to make a run, which has nothing but this program. The text of what is run, the files
//! that it names, a discipline, a seed; and what the run is known by, so that no other one is made in its place.
//!
//! What it does not do: nothing is sent ([`crate::plan::Elsewhere`]), and nothing is compared: who makes a run knows only it.

use std::cell::RefCell;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use airtab_scenario::{FileError, QueueSpec, open_file, short};
use serde::{Deserialize, Serialize};

use crate::experiment::{Kind, Workload};
use crate::plan::{Brake, Broken, Cell, Order, RunKey};
use crate::store::packed;

/// Files that a scenario names go with each task: so many bytes of them, all in all.
const MOST: usize = 8 << 20;
/// Far above any study, bytes.
const LARGEST: usize = 64 << 20;

/// What is run, before there is a discipline.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Study {
    kind: Kind,
    /// In messages; its folder is where files that it names are looked for.
    file: String,
    text: String,
    /// Whether by the short schedule of [`short`].
    short: bool,
    /// What it names.
    files: Vec<File>,
}

#[derive(Debug, Deserialize, Serialize)]
struct File {
    path: String,
    length: usize,
    /// Behind the JSON, one after the other.
    #[serde(skip)]
    bytes: Vec<u8>,
}

#[derive(Deserialize, Serialize)]
struct Run {
    queue: String,
    seed: u64,
    /// Hexadecimal: JSON has no numbers of 128 bits.
    key: String,
}

/// Why there is no order.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoOrder {
    #[error(transparent)]
    Wrong(#[from] FileError),
    #[error(transparent)]
    Large(#[from] Broken),
}

impl Study {
    /// Reads what the text names.
    pub(crate) fn new(kind: Kind, file: &Path, text: &str, short: bool) -> Result<Study, NoOrder> {
        let files = RefCell::new(Vec::new());
        let open = |path: &Path, what: &str| -> Result<Box<dyn Read>, String> {
            let mut bytes = Vec::new();
            let file = open_file(path, what)?;
            file.take(1 + MOST as u64).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
            let path = path.display().to_string();
            files.borrow_mut().push(File { path, length: bytes.len(), bytes: bytes.clone() });
            Ok(Box::new(Cursor::new(bytes)))
        };
        let read = Workload::read(kind, file, text, &open);
        let files: Vec<File> = files.into_inner();
        if files.iter().map(|file| file.length).sum::<usize>() > MOST {
            let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            return Err(NoOrder::Large(Broken(format!(
                "{}: more than {} MiB, which is what goes to a cluster with a scenario: take a part of it, or make shards",
                names.join(", "),
                MOST >> 20
            ))));
        }
        read?;
        Ok(Study { kind, file: file.display().to_string(), text: text.into(), short, files })
    }

    /// As it is sent: the length of its JSON (4 bytes), the JSON, the files; all of it as one block of LZ4.
    pub(crate) fn sent(&self) -> Arc<[u8]> {
        let json = serde_json::to_vec(self).expect("texts and numbers are JSON");
        let mut whole = (json.len() as u32).to_le_bytes().to_vec();
        whole.extend(json);
        self.files.iter().for_each(|file| whole.extend(&file.bytes));
        lz4_flex::block::compress_prepend_size(&whole).into()
    }

    fn received(sent: &[u8]) -> Option<Study> {
        let number = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize);
        let (size, block) = sent.split_at_checked(4)?;
        let size = number(size).filter(|size| *size <= LARGEST)?;
        let whole = lz4_flex::block::decompress(block, size).ok()?;
        let (length, rest) = whole.split_at_checked(4)?;
        let (json, mut rest) = rest.split_at_checked(number(length)?)?;
        let mut study: Study = serde_json::from_slice(json).ok()?;
        for file in &mut study.files {
            let (bytes, behind) = rest.split_at_checked(file.length)?;
            (file.bytes, rest) = (bytes.into(), behind);
        }
        Some(study)
    }

    fn workload(&self) -> Result<Workload, FileError> {
        let open = |path: &Path, _: &str| -> Result<Box<dyn Read>, String> {
            let name = path.display().to_string();
            let found = self.files.iter().find(|file| file.path == name);
            found.map_or(Err("did not come with the scenario".into()), |file| {
                Ok(Box::new(Cursor::new(file.bytes.clone())) as Box<dyn Read>)
            })
        };
        let mut workload = Workload::read(self.kind, Path::new(&self.file), &self.text, &open)?;
        if let (true, Workload::Home(home)) = (self.short, &mut workload) {
            home.scenario = short(&home.scenario);
        }
        Ok(workload)
    }
}

/// An order of a study's run.
pub(crate) fn order(study: &Arc<[u8]>, queue: &str, seed: u64, key: RunKey) -> Order {
    let run = Run { queue: queue.into(), seed, key: format!("{:032x}", key.0) };
    Order { study: Arc::clone(study), run: serde_json::to_string(&run).expect("texts are JSON") }
}

/// Makes the runs of orders, study and run of each, on this thread; gives a pack of them. None if the flag was set.
///
/// # Errors
/// What is no order of this program, or cannot be run.
pub fn make(orders: &[(&[u8], &str)], stop: &AtomicBool) -> Result<Option<Vec<u8>>, Broken> {
    let none = || Broken("this is no order of this version of airtab".into());
    let mut last: Option<(&[u8], Workload)> = None;
    let mut made = Vec::with_capacity(orders.len());
    for (sent, run) in orders {
        let workload = match last.take() {
            Some((same, workload)) if same == *sent => workload,
            _ => {
                let study = Study::received(sent).ok_or_else(none)?;
                study.workload().map_err(|e| Broken(e.to_string()))?
            }
        };
        let run: Run = serde_json::from_str(run).map_err(|_| none())?;
        let spec: QueueSpec = run.queue.parse().map_err(Broken)?;
        let params =
            spec.build(workload.queues()).map_err(|e| Broken(format!("queue {}: {e}", run.queue)))?;
        let key = Cell::new(workload.number(), &params).run(run.seed);
        if format!("{:032x}", key.0) != run.key {
            let what = format!("{} with seed {}", run.queue, run.seed);
            return Err(Broken(format!(
                "{what}: this is another run than the one that was asked for: a file that the scenario names has changed \
                 since the command began; run it again"
            )));
        }
        match workload.run(&params, run.seed, &mut Brake::new(stop, None)).map_err(Broken)? {
            Some(measured) => made.push((key, measured)),
            None => return Ok(None),
        }
        last = Some((sent, workload));
    }
    packed(&made).map(Some).map_err(|e| Broken(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::unpacked;

    const TEXT: &str = "duration = \"400ms\"\nmeasure = [\"100ms\", \"300ms\"]\n[[station]]\nname = \"s\"\n\
                        [[app]]\nname = \"a\"\nkind = \"ping\"\nstation = \"s\"\ninterval = \"7ms\"\n";

    fn file(path: &str, bytes: &[u8]) -> File {
        File { path: path.into(), length: bytes.len(), bytes: bytes.into() }
    }

    fn study(text: &str, short: bool) -> Arc<[u8]> {
        let files = vec![file("a.txt", b"of one"), file("b.txt", b""), file("c.txt", b"and another")];
        Study { kind: Kind::Home, file: "mine.toml".into(), text: text.into(), short, files }.sent()
    }

    /// Each file is behind the one before it, and what comes is what was sent.
    #[test]
    fn a_study_is_received_as_it_was_sent() {
        for short in [false, true] {
            let found = Study::received(&study(TEXT, short)).expect("it is whole");
            assert_eq!((found.file.as_str(), found.text.as_str(), found.short), ("mine.toml", TEXT, short));
            let files: Vec<_> = found.files.iter().map(|f| (f.path.as_str(), f.bytes.as_slice())).collect();
            assert_eq!(files, [("a.txt", &b"of one"[..]), ("b.txt", b""), ("c.txt", b"and another")]);
            let Ok(Workload::Home(home)) = found.workload() else { panic!("a home") };
            assert_eq!(home.scenario.duration_ns, if short { 40_000_000 } else { 400_000_000 });
        }
        let read = |short| Study::new(Kind::Home, Path::new("mine.toml"), TEXT, short).unwrap().short;
        assert_eq!([read(false), read(true)], [false, true]);
        assert!(Study::received(&[0, 0]).is_none() && Study::received(&study(TEXT, true)[..40]).is_none());
    }

    /// Orders of several studies, disciplines and seeds, in any order: each has its own run.
    #[test]
    fn each_order_has_its_own_run() {
        let other = TEXT.replace("7ms", "9ms");
        let [one, two, brief] = [study(TEXT, false), study(&other, false), study(TEXT, true)];
        let expected = |sent: &Arc<[u8]>, queue: &str, seed| {
            let workload = Study::received(sent).unwrap().workload().unwrap();
            let params = queue.parse::<QueueSpec>().unwrap().build(workload.queues()).unwrap();
            let key = Cell::new(workload.number(), &params).run(seed);
            let Workload::Home(home) = &workload else { panic!("a home") };
            (key, crate::run(&home.scenario, &params, seed))
        };
        let asked = [
            (&one, "fifo", 1),
            (&one, "chap:limit=9", 2),
            (&two, "fifo", 1),
            (&one, "fifo", 3),
            (&brief, "fifo", 1),
            (&two, "red", 1),
        ];
        let made: Vec<(RunKey, _)> =
            asked.iter().map(|(sent, queue, seed)| expected(sent, queue, *seed)).collect();
        assert!((1..made.len()).all(|i| made[..i].iter().all(|(key, _)| *key != made[i].0)), "they differ");
        let orders: Vec<Order> = asked
            .iter()
            .zip(&made)
            .map(|((sent, queue, seed), (key, _))| order(sent, queue, *seed, *key))
            .collect();
        let batch: Vec<(&[u8], &str)> = orders.iter().map(|o| (&*o.study, o.run.as_str())).collect();
        let pack = make(&batch, &AtomicBool::new(false)).unwrap().expect("nobody stops it");
        let found = unpacked(&pack).unwrap();
        assert_eq!(found.len(), made.len());
        for ((key, run), (due, expected)) in found.iter().zip(&made) {
            assert_eq!(key.0, due.0);
            assert_eq!((&run.apps, &run.ap), (&expected.apps, &expected.ap));
        }
    }

    #[test]
    fn files_of_more_than_8_mib_stay_here() {
        let folder = tempfile::tempdir().unwrap();
        let [text, needs] = ["mine.toml", "needs.toml"].map(|name| folder.path().join(name));
        let with = format!("requirements = \"needs.toml\"\n{TEXT}");
        let of = |bytes: usize| {
            let mut whole = b"# ".to_vec();
            whole.resize(bytes, b' ');
            std::fs::write(&needs, whole).unwrap();
            Study::new(Kind::Home, &text, &with, false).map(|study| study.files.len())
        };
        let said = |found: Result<usize, NoOrder>| found.map_err(|e| e.to_string());
        let large = said(of((8 << 20) + 1)).unwrap_err();
        assert!(
            large.starts_with(&needs.display().to_string()) && large.contains("more than 8 MiB"),
            "{large}"
        );
        // As many are no more than that; a file of requirements is refused for itself.
        let most = said(of(8 << 20)).unwrap_err();
        assert!(!most.contains("more than 8 MiB") && most.contains("requirements: needs.toml"), "{most}");
    }
}
