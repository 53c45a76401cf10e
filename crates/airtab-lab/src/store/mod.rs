// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Finished runs, so that what was stopped goes on where it was, and whatever shares a run shares its time.
//!
//! - [`Store`]: where runs are; [`NoStore`]: nowhere
//! - [`Packs`]: in the packs of a folder, the one form in which runs are kept
//! - [`packed`], [`unpacked`]: the same in memory, as it goes from machine to machine
//! - [`tidy`]: how large such a folder is, what is damaged in it, what may go
//!
//! A run is known by its [`RunKey`] and by [`sources()`]: a number for the sources of simulator, disciplines and measures.
//!
//! What it does not do: it never removes a run unasked.

mod packs;
mod record;
pub mod tidy;

use std::io::{self, Cursor};
use std::sync::LazyLock;

use airtab_scenario::Measured;
use airtab_sources::together;

pub use packs::{Packs, Unusable};

use crate::plan::{Broken, RunKey};
use record::{HEAD, PACK_HEAD, Piece};

/// Where runs are kept.
pub trait Store: Sync {
    /// A run that was kept. One that cannot be read is as good as none.
    fn get(&self, run: RunKey) -> Option<Measured>;

    /// Whether the run was kept, as far as can be seen without reading it.
    fn has(&self, run: RunKey) -> bool;

    /// Keeps a run, if it can. That one cannot be kept is no failure of whoever made it: the store remembers why.
    fn put(&self, run: RunKey, measured: &Measured);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStore;

impl Store for NoStore {
    fn get(&self, _: RunKey) -> Option<Measured> {
        None
    }

    fn has(&self, _: RunKey) -> bool {
        false
    }

    fn put(&self, _: RunKey, _: &Measured) {}
}

/// A pack of runs.
///
/// # Errors
/// A run is larger than any can be, or a figure of it is NaN or infinite.
pub fn packed(runs: &[(RunKey, Measured)]) -> io::Result<Vec<u8>> {
    let mut pack = record::pack_head(sources()).to_vec();
    for (run, measured) in runs {
        pack.extend(record::record(*run, measured)?);
    }
    Ok(pack)
}

/// The runs of a pack that came whole, and of these sources.
///
/// # Errors
/// It is of others, or damaged.
pub fn unpacked(pack: &[u8]) -> Result<Vec<(RunKey, Measured)>, Broken> {
    let damaged = || Broken(format!("of {} bytes with runs that came back some are damaged", pack.len()));
    match pack.get(..PACK_HEAD).and_then(record::sources_of) {
        Some(theirs) if theirs == sources() => {}
        Some(theirs) => {
            return Err(Broken(format!(
                "runs that came back are of another version of airtab (sources {theirs}; this program's are {})",
                sources()
            )));
        }
        None => return Err(damaged()),
    }
    let mut runs = Some(Vec::new());
    record::scan(Cursor::new(pack), |piece| {
        let measured = match piece {
            Piece::Run(head, at) => {
                let body = &pack[at as usize + HEAD..(at + head.record()) as usize];
                head.measured(body).map(|measured| (head.run, measured))
            }
            Piece::Damaged(..) | Piece::Torn(_) => None,
        };
        match (&mut runs, measured) {
            (Some(runs), Some(run)) => runs.push(run),
            _ => runs = None,
        }
    })
    .map_err(|e| Broken(e.to_string()))?;
    runs.ok_or_else(damaged)
}

/// A number for the sources that runs come from, 16 hexadecimal digits. Programs of equal number make equal runs: it is
/// made of the numbers of the crates that a figure comes from, and is equal for whatever is built of the same commit.
pub fn sources() -> &'static str {
    static ALL: LazyLock<String> = LazyLock::new(|| {
        together(&[
            airtab_core::SOURCES,
            airtab_model::SOURCES,
            airtab_quality::SOURCES,
            airtab_sim::SOURCES,
            airtab_scenario::SOURCES,
            env!("AIRTAB_SOURCES"),
        ])
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use airtab_scenario::{Figures, Metric};

    use super::*;

    fn run(mos: f64) -> Measured {
        let apps = vec![Figures::from([(Metric::GameMos, mos)])];
        Measured { apps, pages: Vec::new(), seconds: Vec::new(), ap: Figures::new(), nodes: Vec::new() }
    }

    /// All runs of a pack, in their order, or none: whoever sent it makes them again.
    #[test]
    fn a_pack_comes_whole_or_is_refused() {
        let runs = [(RunKey(7), run(1.5)), (RunKey(1 << 100), run(2.5)), (RunKey(7), run(3.5))];
        let pack = packed(&runs).unwrap();
        assert_eq!(unpacked(&pack), Ok(runs.to_vec()));
        assert_eq!(unpacked(&packed(&[]).unwrap()), Ok(Vec::new()));
        let said = |pack: &[u8]| unpacked(pack).unwrap_err().to_string();
        let damaged = |n: usize| format!("of {n} bytes with runs that came back some are damaged");
        for at in [3, PACK_HEAD + 1, PACK_HEAD + HEAD + 2, pack.len() - 1] {
            let mut flipped = pack.clone();
            flipped[at] ^= 1;
            assert_eq!(said(&flipped), damaged(pack.len()), "{at}");
        }
        for kept in [0, PACK_HEAD - 1, PACK_HEAD + 5, pack.len() - 1] {
            assert_eq!(said(&pack[..kept]), damaged(kept));
        }
        let mut other = pack.clone();
        other[8..PACK_HEAD].copy_from_slice(b"0123456789abcdef");
        let expected = format!(
            "runs that came back are of another version of airtab (sources 0123456789abcdef; this program's are {})",
            sources()
        );
        assert_eq!(said(&other), expected);
        assert!(packed(&[(RunKey(1), run(f64::NAN))]).is_err());
        assert!(sources().len() == 16 && sources().bytes().all(|b| b.is_ascii_hexdigit()));
        assert!(NoStore.get(RunKey(7)).is_none() && !NoStore.has(RunKey(7)));
    }
}
