// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files of a result: all of them appear, or none.
//!
//! Each is written under another name; when the last one is whole, all are
//! renamed. A full disk leaves what was there before. What an earlier result
//! left in the directory and the new one has not is removed.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use airtab_lab::draw::Figure;
use airtab_lab::text_hash;
use anyhow::{Context, bail};
use tempfile::NamedTempFile;

/// The file that lists the others, as `files`.
pub const MANIFEST: &str = "manifest.json";

/// The scenario as it was read.
pub const SCENARIO: &str = "scenario.toml";
/// What was swept.
pub const INPUT: &str = "input.toml";
/// The page of results.
pub const PAGE: &str = "index.html";
/// Files of results that not every command writes; a scenario may be somebody's input.
const RESULT: [&str; 6] =
    ["index.html", "report.html", "report.txt", "results.csv", "results.json", "results.parquet"];

/// What the manifest has of its text.
const TEXT_HASH: &str = "scenario_text_hash";
/// What it has of other files that somebody may have had before.
const INPUTS: &str = "inputs";

/// What names of a comparison's figures begin with.
pub const FIGURE: &str = "figure-";

/// Files on their way into a directory.
pub struct Files {
    dir: PathBuf,
    written: Vec<(NamedTempFile, String)>,
}

/// A temporary file in the directory of a result, to be renamed when it is complete. It has the permissions of any new file
/// (umask); temporary files usually have 0600.
///
/// # Errors
/// It cannot be made there.
pub fn unnamed(folder: &Path) -> io::Result<NamedTempFile> {
    let mut form = tempfile::Builder::new();
    form.prefix(".airtab-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        form.permissions(std::fs::Permissions::from_mode(0o666));
    }
    form.tempfile_in(folder)
}

/// A file that is being written.
pub struct Part {
    /// Its contents.
    pub buffer: BufWriter<NamedTempFile>,
    /// What it will be called.
    pub name: String,
}

impl Files {
    /// Makes the directory, if it is not there, and shows that it can be written to.
    ///
    /// # Errors
    /// Names the directory and why it cannot be used.
    pub fn new(dir: &Path) -> anyhow::Result<Files> {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("cannot make the directory {}", dir.display()))?;
        tempfile::tempfile_in(dir)
            .with_context(|| format!("cannot write into the directory {}", dir.display()))?;
        Ok(Files { dir: dir.into(), written: Vec::new() })
    }

    /// Whether a file that may be somebody's input would be no loss: it is not there, holds the same as the new one,
    /// or that of which an earlier result's manifest tells.
    ///
    /// # Errors
    /// It is somebody's own.
    pub fn spare(&self, name: &str, new: &[u8]) -> anyhow::Result<()> {
        let path = self.dir.join(name);
        let Ok(there) = std::fs::read(&path) else { return Ok(()) };
        let manifest = manifest(&self.dir);
        let of_earlier = if name == SCENARIO { &manifest[TEXT_HASH] } else { &manifest[INPUTS][name] };
        let written = of_earlier.as_str() == Some(&text_hash(&there));
        if there != new && !written {
            bail!(
                "{} is not as an earlier result left it and would be replaced: name another directory, or move it",
                path.display()
            );
        }
        Ok(())
    }

    /// Whether a file of that name there is that very file.
    pub fn has(&self, name: &str, file: &Path) -> bool {
        let whole = |path: &Path| std::fs::canonicalize(path).ok();
        whole(file).is_some_and(|file| whole(&self.dir.join(name)) == Some(file))
    }

    /// Writes a file that will be called `name`.
    ///
    /// # Errors
    /// Names the file; none of the files is there then.
    pub fn add(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let mut part = self.begin(name)?;
        let written = write(&mut part.buffer);
        self.end(part, written)
    }

    /// A file that will be called `name`, to be written and given to [`Files::end`].
    ///
    /// # Errors
    /// Names the file.
    pub fn begin(&self, name: &str) -> anyhow::Result<Part> {
        let file = unnamed(&self.dir).with_context(|| self.cannot(name))?;
        Ok(Part { buffer: BufWriter::new(file), name: name.into() })
    }

    /// Ends a file; `written` is what came of writing it.
    ///
    /// # Errors
    /// Names the file; none of the files is there then.
    pub fn end(&mut self, part: Part, written: io::Result<()>) -> anyhow::Result<()> {
        let Part { buffer, name } = part;
        let whole = || -> io::Result<NamedTempFile> {
            written?;
            let file = buffer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        let file = whole().with_context(|| self.cannot(&name))?;
        self.written.push((file, name));
        Ok(())
    }

    /// Writes both files of each figure, its picture and its data, with `before` in front of their names.
    ///
    /// # Errors
    /// Names the file; none of the files is there then.
    pub fn add_figures(&mut self, before: &str, figures: &[Figure]) -> anyhow::Result<()> {
        for figure in figures {
            let name = format!("{before}{}", figure.name);
            self.add(&format!("{name}.svg"), |out| out.write_all(figure.svg().as_bytes()))?;
            self.add(&format!("{name}.csv"), |out| out.write_all(figure.csv().as_bytes()))?;
        }
        Ok(())
    }

    /// What is said of a file that cannot be written.
    pub fn cannot(&self, name: &str) -> String {
        format!("cannot write {}", self.dir.join(name).display())
    }

    /// Names of the files so far.
    pub fn names(&self) -> Vec<String> {
        self.written.iter().map(|(_, name)| name.clone()).collect()
    }

    /// Gives the files their names. Where they are a result with its manifest, files that the
    /// manifest of an earlier one lists and this one has not are removed.
    ///
    /// # Errors
    /// Names the file that cannot have its name, such as that of a directory, or
    /// cannot be removed; those before it have theirs.
    pub fn finish(self) -> anyhow::Result<()> {
        // Who writes no result of its own replaces none.
        let result = self.written.iter().any(|(_, name)| name == MANIFEST);
        let mut old = if result { earlier(&self.dir) } else { Vec::new() };
        old.retain(|name| !self.written.iter().any(|(_, new)| new == name));
        for (file, name) in self.written {
            let path = self.dir.join(name);
            file.persist(&path).with_context(|| format!("cannot write {}", path.display()))?;
        }
        for path in old.iter().map(|name| self.dir.join(name)).filter(|path| path.is_file()) {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }
}

/// What the manifest in `dir` lists. Only names that we give: nothing outside of the directory,
/// nothing of others.
fn earlier(dir: &Path) -> Vec<String> {
    let capture = |name: &str| name.starts_with("air-") && name.ends_with(".pcapng");
    let figure = |name: &str| name.starts_with(FIGURE) && (name.ends_with(".svg") || name.ends_with(".csv"));
    let fixed = |name: &str| RESULT.contains(&name);
    let ours = |name: &String| (fixed(name) || capture(name) || figure(name)) && !name.contains(['/', '\\']);
    listed(dir).into_iter().filter(ours).collect()
}

/// The manifest in `dir`; null without one.
fn manifest(dir: &Path) -> serde_json::Value {
    let manifest = std::fs::read(dir.join(MANIFEST)).unwrap_or_default();
    serde_json::from_slice(&manifest).unwrap_or_default()
}

/// What the manifest in `dir` lists; nothing without a manifest of ours.
fn listed(dir: &Path) -> Vec<String> {
    let manifest = manifest(dir);
    let names = manifest["files"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    names.map(str::to_string).collect()
}
