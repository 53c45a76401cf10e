// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Hash of what a crate's results depend on: the tokens of its sources and the locked versions of its dependencies.
//!
//! Stored runs of programs with equal hashes are equal, so that a program, a library and a server of one commit share them.
//! Comments, white space and `#[cfg(test)] mod`, with its files, do not change the hash. Build scripts call [`emit`]; the
//! crate has the hash as `env!("AIRTAB_SOURCES")`. A packaged crate has the hash that it has in the repository: except for
//! the lock file, no file outside of the crate is read.
//!
//! Limits: crates of this workspace have hashes of their own; their users combine them ([`together`]).

mod c;
mod document;
mod hash;
mod rust;
mod versions;

use std::fs;
use std::path::{Path, PathBuf};

use cargo_lock::Lockfile;
use hash::Fnv;

/// Where a folder of the repository is, seen from the crate whose build script this is: in the crate itself, which has it
/// by a symbolic link and is packaged with it, or two above where links are plain files, as in some clones on Windows.
///
/// # Panics
/// If `CARGO_MANIFEST_DIR` is not set, as cargo does.
pub fn folder(name: &str) -> String {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    if root.join(name).is_dir() { name.into() } else { format!("../../{name}") }
}

/// Tells cargo the number of the crate whose build script this is; `parts`: files and folders of it; `uses`: whether what
/// it depends on has a part in its results.
///
/// # Panics
/// If a part cannot be read.
pub fn emit(parts: &[&str], uses: bool) {
    emit_as("AIRTAB_SOURCES", parts, uses);
}

/// [`emit`] with the name of the variable.
///
/// # Panics
/// If a part cannot be read.
pub fn emit_as(variable: &str, parts: &[&str], uses: bool) {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    for part in parts {
        println!("cargo:rerun-if-changed={}", root.join(part).display());
    }
    if uses {
        println!("cargo:rerun-if-changed={}", root.join("Cargo.toml").display());
        println!("cargo:rerun-if-changed={}", lock_file(&root).display());
    }
    println!("cargo:rustc-env={variable}={}", number(&root, parts, uses));
}

/// The number of a crate: 16 hexadecimal digits.
///
/// # Panics
/// If a part cannot be read, or is not in the language of its name.
pub fn number(root: &Path, parts: &[&str], uses: bool) -> String {
    let mut hash = Fnv::default();
    for part in parts {
        let part = root.join(part);
        let all = files(&part);
        let tests: Vec<PathBuf> = all.iter().flat_map(|file| tests_of(file)).collect();
        for file in all.into_iter().filter(|file| !tests.iter().any(|test| file.starts_with(test))) {
            let Some(language) = Language::of(&file) else { continue };
            let name = file.strip_prefix(&part).expect("found below it").to_string_lossy().replace('\\', "/");
            hash.add(name.as_bytes());
            language.add(&read(&file), &mut hash).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        }
    }
    if uses {
        let (manifest, lock) = (root.join("Cargo.toml"), lock_file(root));
        let lock = Lockfile::load(&lock).unwrap_or_else(|e| panic!("{}: {e}", lock.display()));
        for version in versions::used(&read(&manifest), &lock) {
            hash.add(version.as_bytes());
        }
    }
    hash.text()
}

/// Files and directories of the test modules that a Rust file declares.
fn tests_of(file: &Path) -> Vec<PathBuf> {
    if !matches!(Language::of(file), Some(Language::Rust)) {
        return Vec::new();
    }
    let names = rust::tokens(&read(file), &mut |_| ());
    let names = names.unwrap_or_else(|e| panic!("{}: not Rust: {e}", file.display()));
    let beside = ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| file.ends_with(name));
    let folder = if beside { file.with_file_name("") } else { file.with_extension("") };
    names.iter().flat_map(|name| [folder.join(format!("{name}.rs")), folder.join(name)]).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The number of a TOML table: 16 hexadecimal digits, independent of comments, white space, notation and the order of keys.
pub fn of_table(table: &toml::Table) -> String {
    let mut hash = Fnv::default();
    document::add(table, &mut hash);
    hash.text()
}

/// One number for several.
pub fn together(numbers: &[&str]) -> String {
    let mut hash = Fnv::default();
    numbers.iter().for_each(|number| hash.add(number.as_bytes()));
    hash.text()
}

/// The lock file: that of the crate, if it has been packaged, or that of its workspace.
fn lock_file(root: &Path) -> PathBuf {
    let mut found = root.ancestors().map(|folder| folder.join("Cargo.lock")).filter(|path| path.exists());
    found.next().unwrap_or_else(|| panic!("{}: no Cargo.lock there or above", root.display()))
}

/// Language of a source file. Other files are of builds and editors.
enum Language {
    C,
    Rust,
    Toml,
}

impl Language {
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" | "h" | "def" => Some(Language::C),
            "rs" => Some(Language::Rust),
            "toml" => Some(Language::Toml),
            _ => None,
        }
    }

    /// Adds the tokens of `text`.
    fn add(&self, text: &str, hash: &mut Fnv) -> Result<(), String> {
        match self {
            Language::C => c::tokens(text, &mut |token| hash.add(token.as_bytes())),
            Language::Rust => {
                let added = rust::tokens(text, &mut |token| hash.add(token.as_bytes()));
                added.map(drop).map_err(|e| format!("not Rust: {e}"))
            }
            Language::Toml => {
                document::add(&text.parse().map_err(|e| format!("not TOML: {e}"))?, hash);
                Ok(())
            }
        }
    }
}

/// All files below, or the file itself, in alphabetical order.
fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return vec![path.into()] };
    let mut entries: Vec<PathBuf> = entries.map(|e| e.expect("the folder can be read").path()).collect();
    entries.sort();
    entries.iter().flat_map(|path| files(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::versions::tests::LOCK;

    #[test]
    fn a_number_depends_on_code_names_and_versions_alone() {
        let make = |source: &str, name: &str, lock: &str| {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().join("crates/x");
            fs::create_dir_all(root.join("src")).unwrap();
            fs::write(root.join("src").join(name), source).unwrap();
            fs::write(root.join("src/notes.txt"), name).unwrap();
            fs::write(root.join("Cargo.toml"), "[dependencies]\na = \"1\"\n").unwrap();
            fs::write(dir.path().join("Cargo.lock"), lock).unwrap();
            number(&root, &["src"], true)
        };
        let first = make("fn x() {}", "lib.rs", LOCK);
        assert_eq!(first, make("fn x() {}", "lib.rs", &LOCK.replace("9.0.0", "9.0.1")), "of a test alone");
        assert_eq!(first, make("//! Of x.\nfn  x( )\n{\n}\n", "lib.rs", LOCK), "of comments and white space");
        for other in [
            make("fn x() { y() }", "lib.rs", LOCK),
            make("fn x() {}", "bil.rs", LOCK),
            make("fn x() {}", "lib.rs", &LOCK.replace("b 2.0.0", "b 1.0.0")),
        ] {
            assert_ne!(first, other);
        }
        assert_ne!(together(&["ab", "c"]), together(&["a", "bc"]));
    }

    #[test]
    fn files_of_test_modules_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = dir.path().join("src").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let number = || number(dir.path(), &["src"], false);
        put("lib.rs", "mod a; #[cfg(test)] mod tests; #[cfg(test)] mod more;");
        put("a.rs", "mod b; #[cfg(test)] mod tests;");
        put("a/b.rs", "fn b() {}");
        let first = number();
        for name in ["tests.rs", "more/mod.rs", "more/deep/x.rs", "a/tests.rs"] {
            put(name, "fn test() {}");
            assert_eq!(number(), first, "{name}");
        }
        for name in ["a/more.rs", "b/tests.rs", "testset.rs"] {
            let before = number();
            put(name, "fn code() {}");
            assert_ne!(number(), before, "{name}");
        }
    }
}
