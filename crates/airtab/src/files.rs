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
    written: Vec<(NamedTempFile, PathBuf)>,
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
    pub name: PathBuf,
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
        name: impl AsRef<Path>,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let mut part = self.begin(name.as_ref())?;
        let written = write(&mut part.buffer);
        self.end(part, written)
    }

    /// A file that will be called `name`, to be written and given to [`Files::end`].
    ///
    /// # Errors
    /// Names the file.
    pub fn begin(&self, name: impl AsRef<Path>) -> anyhow::Result<Part> {
        let name = name.as_ref();
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
            self.add(format!("{name}.svg"), |out| out.write_all(figure.svg().as_bytes()))?;
            self.add(format!("{name}.csv"), |out| out.write_all(figure.csv().as_bytes()))?;
        }
        Ok(())
    }

    /// What is said of a file that cannot be written.
    pub fn cannot(&self, name: impl AsRef<Path>) -> String {
        format!("cannot write {}", self.dir.join(name).display())
    }

    /// Names of the files so far.
    pub fn names(&self) -> Vec<String> {
        self.written.iter().map(|(_, name)| name.to_string_lossy().into_owned()).collect()
    }

    /// Gives the files their names. Where they are a result with its manifest, files that the
    /// manifest of an earlier one lists and this one has not are removed.
    ///
    /// # Errors
    /// Names the file that cannot have its name, such as that of a directory, or
    /// cannot be removed; those before it have theirs.
    pub fn finish(self) -> anyhow::Result<()> {
        // Who writes no result of its own replaces none.
        let has = |name: &str| self.written.iter().any(|(_, written)| written == Path::new(name));
        let mut old = if has(MANIFEST) { earlier(&self.dir) } else { Vec::new() };
        old.retain(|name| !has(name));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A folder with files of these names and contents.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).expect("written");
        }
        folder
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let entries =
            std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("readable"));
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    /// Names that airtab gives, in the folder itself.
    #[test]
    fn a_manifest_lists_what_an_earlier_result_left() {
        let ours = [
            "index.html",
            "report.html",
            "report.txt",
            "results.csv",
            "results.json",
            "results.parquet",
            "air-fifo.pcapng",
            "figure-scores.svg",
            "figure-scores.csv",
        ];
        let others = [
            "scenario.toml",
            "input.toml",
            "manifest.json",
            "notes.txt",
            "film.csv",
            "air-fifo.pcap",
            "my-air-fifo.pcapng",
            "figure-scores.txt",
            "my-figure-scores.svg",
            "figure-/../../scores.svg",
            "air-\\..\\fifo.pcapng",
            "Results.json",
        ];
        let listed = [&ours[..], &others].concat();
        let folder = folder(&[(MANIFEST, &json!({ "files": listed }).to_string())]);
        assert_eq!(earlier(folder.path()), ours);
        for manifest in ["", "{}", "[1]", "{\"files\": {}}", "{\"files\": [1, null]}"] {
            std::fs::write(folder.path().join(MANIFEST), manifest).expect("written");
            assert!(earlier(folder.path()).is_empty(), "{manifest}");
        }
    }

    /// A result replaces an earlier one: files that only the earlier one has go, others stay.
    #[test]
    fn only_a_result_replaces_an_earlier_one() {
        let manifest =
            json!({ "files": ["report.txt", "results.csv", "air-x.pcapng", "mine.txt"] }).to_string();
        let there = [
            (MANIFEST, manifest.as_str()),
            ("report.txt", "old"),
            ("results.csv", "old"),
            ("mine.txt", "mine"),
            ("results.parquet", "not listed"),
        ];
        for (manifest, left) in [
            (false, vec![MANIFEST, "mine.txt", "report.txt", "results.csv", "results.parquet"]),
            (true, vec![MANIFEST, "mine.txt", "report.txt", "results.parquet"]),
        ] {
            let folder = folder(&there);
            let mut files = Files::new(folder.path()).expect("it is there");
            files.add("report.txt", |out| out.write_all(b"new")).expect("written");
            if manifest {
                files.add(MANIFEST, |out| out.write_all(b"{}")).expect("written");
            }
            let before = std::fs::read(folder.path().join("report.txt")).expect("it is there");
            assert_eq!(before, b"old", "nothing is replaced before the end");
            files.finish().expect("renamed");
            assert_eq!(names(&folder), left);
            assert_eq!(std::fs::read(folder.path().join("report.txt")).expect("it is there"), b"new");
        }
    }

    /// A file that may be a user's is replaced only if it is the new one, or what the manifest says of it.
    #[test]
    fn a_users_file_is_spared() {
        let hash = |text: &str| text_hash(text.as_bytes());
        let manifest =
            json!({ TEXT_HASH: hash("a"), INPUTS: { "film.txt": hash("b"), "other.txt": hash("c") } });
        let folder = folder(&[
            (MANIFEST, &manifest.to_string()),
            (SCENARIO, "a"),
            ("film.txt", "b"),
            ("other.txt", "b"),
            ("unlisted.txt", "a"),
        ]);
        let files = Files::new(folder.path()).expect("it is there");
        for (name, new, spared) in [
            (SCENARIO, "new", false),
            ("film.txt", "new", false),
            // Its hash is that of another file.
            ("other.txt", "new", true),
            ("other.txt", "b", false),
            ("unlisted.txt", "new", true),
            ("unlisted.txt", "a", false),
            ("absent.txt", "new", false),
        ] {
            let said = files.spare(name, new.as_bytes()).map_err(|e| e.to_string());
            assert_eq!(said.is_err(), spared, "{name}: {said:?}");
            if let Err(said) = said {
                let path = folder.path().join(name);
                assert!(said.starts_with(&format!("{} is not as an earlier", path.display())), "{said}");
            }
        }
        let elsewhere = tempfile::tempdir().expect("a folder");
        std::fs::write(elsewhere.path().join(SCENARIO), "a").expect("written");
        assert!(files.has(SCENARIO, &folder.path().join(SCENARIO)));
        assert!(files.has(
            SCENARIO,
            &folder.path().join("..").join(folder.path().file_name().expect("it has one")).join(SCENARIO)
        ));
        assert!(!files.has(SCENARIO, &elsewhere.path().join(SCENARIO)), "another of that name");
        assert!(!files.has(SCENARIO, &folder.path().join("film.txt")));
        assert!(!files.has("absent.txt", &folder.path().join("absent.txt")));
    }

    #[test]
    fn an_error_names_the_file_and_leaves_none() {
        let folder = folder(&[]);
        let mut files = Files::new(folder.path()).expect("it is there");
        files.add("a.txt", |out| out.write_all(b"a")).expect("written");
        let said = files.add("b.txt", |_| Err(io::Error::other("full"))).expect_err("it fails");
        let expected = format!("cannot write {}", folder.path().join("b.txt").display());
        assert_eq!(
            (said.to_string(), crate::output::message(&said)),
            (expected.clone(), format!("{expected}: full"))
        );
        assert_eq!(files.names(), ["a.txt"]);
        drop(files);
        assert!(names(&folder).is_empty());
    }

    #[test]
    fn a_figure_is_a_picture_and_its_data() {
        use airtab_lab::draw::{Axis, Content, Kind, Line, Look, Panel, Plot, Point};
        let points = vec![Some(Point::new(1.0, 2.0))];
        let line = Line { name: "l".into(), look: Look::of_app(0), kind: Kind::Course, points };
        let axis = |name| Axis::new(name).covering([0.0, 3.0]);
        let plot = Plot { x: axis("x"), y: axis("y"), lines: vec![line], mark: None };
        let panel =
            Panel { name: String::new(), caption: "c".into(), alt: "a".into(), content: Content::Plot(plot) };
        let figure = Figure::new("air", "t", "", vec![panel]);
        let folder = folder(&[]);
        let mut files = Files::new(&folder.path().join("new/one")).expect("it is made");
        files.add_figures(FIGURE, std::slice::from_ref(&figure)).expect("written");
        assert_eq!(files.names(), ["figure-air.svg", "figure-air.csv"]);
        files.finish().expect("renamed");
        let read =
            |name: &str| std::fs::read_to_string(folder.path().join("new/one").join(name)).expect(name);
        assert_eq!([read("figure-air.svg"), read("figure-air.csv")], [figure.svg(), figure.csv()]);
        // Without a name for the picture it has that of the figure; with one, its data is beside it.
        for (out, svg, csv) in [
            ("d", "d/air.svg", "d/air.csv"),
            ("mine.svg", "mine.svg", "mine.csv"),
            ("e/mine.SVG", "e/mine.SVG", "e/mine.csv"),
            ("a.csv", "a.csv/air.svg", "a.csv/air.csv"),
        ] {
            let drawing = crate::output::Drawing::open(&folder.path().join(out)).expect("it is made");
            drawing.write(&figure).expect("written");
            for (name, expected) in [(svg, figure.svg()), (csv, figure.csv())] {
                assert_eq!(std::fs::read_to_string(folder.path().join(name)).expect(name), expected, "{out}");
            }
        }
    }
}
