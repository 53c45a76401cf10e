// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `--flent FILE`: files that are begun before anything runs, so that what cannot be written is said at once, and appear
//! when they are whole.
//!
//! What it does not do: what is in them is `airtab_lab::flent`'s.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use airtab_lab::count;
use airtab_lab::flent::{Document, Plan, SUFFIX};
use airtab_sim::Scenario;
use anyhow::Context;
use tempfile::NamedTempFile;

use super::study::file_name;
use crate::files::unnamed;
use crate::output;

/// Files on their way.
pub struct Files(Vec<(PathBuf, NamedTempFile)>);

/// Those of a scenario, one for each discipline.
pub struct Target {
    plan: Plan,
    files: Files,
}

impl Files {
    /// Begins files of these names.
    ///
    /// # Errors
    /// In words: where one cannot be written; nothing is there then.
    pub fn begin(paths: Vec<PathBuf>) -> Result<Files, String> {
        let begin = |path: PathBuf| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let file = unnamed(folder.unwrap_or(Path::new(".")));
            match file {
                _ if path.is_dir() => Err(format!("--flent {}: it is a folder: name a file", path.display())),
                Ok(file) => Ok((path, file)),
                Err(e) => {
                    let cure = "name a file in a folder that is there and that you can write to";
                    Err(format!("--flent {}: cannot write there: {}: {cure}", path.display(), cause(&e)))
                }
            }
        };
        paths.into_iter().map(begin).collect::<Result<_, _>>().map(Files)
    }

    /// Writes them, in the order of their paths, and says so.
    ///
    /// # Errors
    /// Names the file that could not be written.
    pub fn write(self, documents: &[Document]) -> anyhow::Result<()> {
        assert_eq!(documents.len(), self.0.len(), "a document for each file");
        let mut names = Vec::new();
        for ((path, file), document) in self.0.into_iter().zip(documents) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let cannot = || format!("cannot write {}", path.display());
            let mut buffer = BufWriter::new(file);
            document.write(&name, &mut buffer).with_context(cannot)?;
            let file = buffer.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
            file.persist(&path).map_err(|e| e.error).with_context(cannot)?;
            names.push(path.display().to_string());
        }
        let test = documents.first().map_or("", |document| document.test);
        output::note(&format!(
            "Wrote {} for flent (as its test {test}): {}. Its plots: flent -i {} -p ping_cdf -o plot.png",
            count(names.len(), "file"),
            names.join(", "),
            names.join(" -i ")
        ));
        Ok(())
    }
}

impl Target {
    /// Of a scenario as it is run, under the disciplines of these labels. `each`: several have names of their own, one as
    /// well.
    ///
    /// # Errors
    /// In words: nothing to write, or where it cannot be written; nothing is there then.
    pub fn begin(path: &Path, scenario: &Scenario, labels: &[&str], each: bool) -> Result<Target, String> {
        let plan = Plan::of(scenario).map_err(|e| format!("--flent {}: {e}", path.display()))?;
        let path_of = |label: &&str| if each { named(path, label) } else { path.into() };
        let files = Files::begin(labels.iter().map(path_of).collect())?;
        Ok(Target { plan, files })
    }

    /// What is written.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Writes them, in the order of the labels, and says so.
    ///
    /// # Errors
    /// Names the file that could not be written.
    pub fn write(self, documents: &[Document]) -> anyhow::Result<()> {
        self.files.write(documents)
    }
}

/// What the system said, without the name of a temporary file.
fn cause(e: &io::Error) -> String {
    let text = e.to_string();
    text.split(" at path").next().unwrap_or(&text).into()
}

/// `out-chap.flent.gz`.
fn named(path: &Path, label: &str) -> PathBuf {
    // Without `.gz` and `.flent`.
    let mut name = path.with_extension("").file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{}{SUFFIX}", file_name(label)));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_discipline_has_a_file_of_its_own() {
        let of = |path: &str, label| named(Path::new(path), label).display().to_string();
        assert_eq!(of("d/out.flent.gz", "chap:limit=70"), "d/out-chap-limit=70.flent.gz");
        assert_eq!(of("a.b.flent.gz", "fifo"), "a.b-fifo.flent.gz");
    }

    /// A file that cannot be written is an error before the first run, with its fix, and without the name of a temporary file.
    #[test]
    fn files_are_begun_before_anything_runs() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = |name: &str| dir.path().join(name);
        let said = |all: &[&str]| {
            Files::begin(all.iter().map(|name| path(name)).collect()).map(|files| files.0.len())
        };
        assert_eq!(said(&["a.flent.gz", "b.flent.gz"]), Ok(2));
        std::fs::create_dir(path("c.flent.gz")).expect("a folder");
        let folder = format!("--flent {}: it is a folder: name a file", path("c.flent.gz").display());
        assert_eq!(said(&["a.flent.gz", "c.flent.gz"]), Err(folder));
        let none = said(&["a.flent.gz", "none/d.flent.gz"]).expect_err("there is no such folder");
        let begins = format!(
            "--flent {}: cannot write there: No such file or directory",
            path("none/d.flent.gz").display()
        );
        assert!(
            none.starts_with(&begins)
                && none.ends_with("name a file in a folder that is there and that you can write to")
        );
        assert!(!none.contains("at path"), "{none}");
        let left: Vec<_> = std::fs::read_dir(dir.path()).expect("readable").collect();
        assert_eq!(left.len(), 1, "the folder alone");
    }
}
