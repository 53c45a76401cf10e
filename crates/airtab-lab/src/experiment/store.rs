// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Finished runs as small files, so that an interrupted experiment goes on
//! where it was, and experiments that share a point share its runs.
//!
//! A run's name is a hash of all that decides on its figures: the sources of
//! simulator, disciplines and measures ([`FIGURES`]), scenario, parameters,
//! seed. Nothing has to be removed by hand; everything may be.
//!
//! A run that cannot be kept is no failure: [`Store::failure`] tells whoever asks.
//!
//! What it does not do: it never removes a file.

use std::collections::BTreeMap;
use std::fs;
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use airtab_core::Params;
use airtab_quality::web::Page;
use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128, SipHasher24};
use tempfile::NamedTempFile;

use airtab_scenario::{Figures, Measured, Metric, Second};

/// A number for the sources that runs come from (`build.rs`).
const FIGURES: &str = env!("AIRTAB_FIGURES");

/// A folder of finished runs; without one nothing is kept.
#[derive(Debug, Default)]
pub struct Store {
    folder: Option<PathBuf>,
    failure: OnceLock<io::Error>,
}

impl Store {
    /// In a folder of that one, made if it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open(folder: &Path) -> io::Result<Store> {
        let folder = folder.join(FIGURES);
        fs::create_dir_all(&folder)?;
        Ok(Store { folder: Some(folder), failure: OnceLock::new() })
    }

    /// Why the first run that could not be kept was not; None while all of them were.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.get()
    }

    /// Whether every run that it was given is there.
    pub fn keeps(&self) -> bool {
        self.folder.is_some() && self.failure.get().is_none()
    }

    fn path(&self, run: RunKey) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:032x}.json", run.0)))
    }

    /// A run that was kept. One that cannot be read is as good as none.
    pub(super) fn get(&self, run: RunKey) -> Option<Measured> {
        let text = fs::read(self.path(run)?).ok()?;
        serde_json::from_slice::<Kept>(&text).ok()?.measured()
    }

    /// Whether the run was kept.
    pub(super) fn has(&self, run: RunKey) -> bool {
        self.path(run).is_some_and(|path| path.exists())
    }

    /// Keeps a run, if it can: the file appears whole or not at all.
    pub(super) fn put(&self, run: RunKey, measured: &Measured) {
        if let Err(e) = self.write(run, measured) {
            // The first says it all. A disk that is full now may have room for the next.
            let _ = self.failure.set(e);
        }
    }

    fn write(&self, run: RunKey, measured: &Measured) -> io::Result<()> {
        let (Some(folder), Some(path)) = (&self.folder, self.path(run)) else { return Ok(()) };
        // A name of its own: another thread may just have ended the same run.
        let mut part = NamedTempFile::new_in(folder)?;
        part.write_all(&serde_json::to_vec(&Kept::of(measured))?)?;
        part.persist(path).map(|_| ()).map_err(|e| e.error)
    }
}

/// What a run is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RunKey(u128);

impl RunKey {
    /// `workload`: its number.
    pub(super) fn new(workload: u128, params: &Params, seed: u64) -> RunKey {
        let mut hasher = SipHasher24::new();
        hasher.write_u128(workload);
        hasher.write(params.discipline().name().as_bytes());
        for param in params.discipline().params() {
            hasher.write(format!("{}{:?}", param.name, params.get(param.name)).as_bytes());
        }
        hasher.write_u64(seed);
        RunKey(hasher.finish128().as_u128())
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    apps: Vec<BTreeMap<String, f64>>,
    /// Number, opened, requested, done, bytes.
    pages: Vec<Vec<[u64; 5]>>,
    ap: BTreeMap<String, f64>,
    #[serde(default)]
    nodes: Vec<(String, BTreeMap<String, f64>)>,
    /// Of videos only: what a second began at, ns; bits sent, bits received, playable frames.
    seconds: Vec<Vec<(u64, f64, f64, u32)>>,
}

impl Kept {
    fn of(m: &Measured) -> Kept {
        let figures = |f: &Figures| f.iter().map(|(metric, value)| (metric.name().into(), *value)).collect();
        let second = |s: &Second| Some((s.from_ns, s.sent_bits, s.received_bits, s.playable_frames?));
        let page = |p: &Page| [p.number.into(), p.opened_ns, p.requested_ns, p.done_ns, p.bytes];
        Kept {
            apps: m.apps.iter().map(figures).collect(),
            pages: m.pages.iter().map(|pages| pages.iter().map(page).collect()).collect(),
            ap: figures(&m.ap),
            nodes: m.nodes.iter().map(|(name, f)| (name.clone(), figures(f))).collect(),
            seconds: m.seconds.iter().map(|all| all.iter().filter_map(second).collect()).collect(),
        }
    }

    /// None if it has a metric that this version does not know.
    fn measured(&self) -> Option<Measured> {
        let figures = |f: &BTreeMap<String, f64>| -> Option<Figures> {
            f.iter().map(|(name, value)| Some((Metric::named(name)?, *value))).collect()
        };
        let second = |&(from_ns, sent_bits, received_bits, playable): &(u64, f64, f64, u32)| Second {
            from_ns,
            sent_bits,
            received_bits,
            playable_frames: Some(playable),
        };
        let page = |p: &[u64; 5]| {
            let [number, opened_ns, requested_ns, done_ns, bytes] = *p;
            Some(Page { number: number.try_into().ok()?, opened_ns, requested_ns, done_ns, bytes })
        };
        Some(Measured {
            apps: self.apps.iter().map(figures).collect::<Option<_>>()?,
            pages: self.pages.iter().map(|pages| pages.iter().map(page).collect()).collect::<Option<_>>()?,
            ap: figures(&self.ap)?,
            nodes: self
                .nodes
                .iter()
                .map(|(name, f)| Some((name.clone(), figures(f)?)))
                .collect::<Option<_>>()?,
            seconds: self.seconds.iter().map(|all| all.iter().map(second).collect()).collect(),
        })
    }
}
