// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Finished runs, so that what was stopped goes on where it was, and whatever shares a run shares its time.
//!
//! - [`Store`]: where runs are; [`NoStore`]: nowhere
//! - [`Packs`]: in the packs of a folder, the one form in which runs are kept
//! - [`tidy`]: how large such a folder is, what is damaged in it, what may go
//!
//! A run is known by its [`RunKey`] and by [`sources()`]: a number for the sources of simulator, disciplines and measures.
//!
//! What it does not do: it never removes a run unasked.

mod packs;
mod record;
pub mod tidy;

use std::sync::LazyLock;

use airtab_scenario::Measured;
use airtab_sources::together;

pub use packs::{Packs, Unusable};

use crate::plan::RunKey;

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
