// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `tools/release`, in a repository made for it: a release that is right, and each thing that can be wrong with one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository with the files that the tool looks at, committed, and a folder as `make dist` leaves it.
struct Release {
    folder: tempfile::TempDir,
}

impl Release {
    fn new() -> Release {
        let release = Release { folder: tempfile::tempdir().expect("a folder") };
        let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/release");
        for (name, text) in [
            (
                "Cargo.toml",
                "[workspace.package]\nversion = \"1.2.3\"\n\n[workspace.dependencies]\n\
                 airtab-core = { path = \"crates/airtab-core\", version = \"=1.2.3\" }\n",
            ),
            ("Cargo.lock", "[[package]]\nname = \"airtab\"\nversion = \"1.2.3\"\n"),
            ("fuzz/Cargo.lock", "[[package]]\nname = \"airtab-fuzz\"\nversion = \"1.2.3\"\n"),
            ("fuzz/Cargo.toml", "[package]\nversion = \"1.2.3\"\n"),
            ("web/package.json", "{\n  \"version\": \"1.2.3\",\n  \"private\": true\n}\n"),
            ("CITATION.cff", "cff-version: 1.2.0\nversion: 1.2.3\n"),
            ("CHANGELOG.md", "# Changelog\n\n## 1.2.3\n\n- All of it.\n\n## 1.2.2\n"),
            ("pyproject.toml", "[project]\ndynamic = [\"version\"]\n"),
            (".gitignore", "/target\n"),
            ("tools/release", &fs::read_to_string(tool).expect("it is there")),
        ] {
            release.write(name, text);
        }
        release.git(&["init", "-q"]);
        release.commit();
        release
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        if text.starts_with("#!") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        }
    }

    fn git(&self, args: &[&str]) -> String {
        let own = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgSign=false"];
        let output =
            Command::new("git").args(own).args(args).current_dir(self.folder.path()).output().expect("git");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_string()
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "Another state"]);
    }

    /// What `make dist` leaves for the commit that is checked out.
    fn dist(&self) {
        let arch = std::env::consts::ARCH;
        let program =
            format!("#!/bin/sh\necho airtab 1.2.3\necho commit {}\n", self.git(&["rev-parse", "HEAD"]));
        for name in [
            &format!("airtab-1.2.3-{arch}-linux.tar.xz"),
            "airtab_1.2.3_any.deb",
            "airtab-1.2.3.tar.gz",
            &format!("airtab-1.2.3-cp310-abi3-linux_{arch}.whl"),
            "container/Containerfile",
        ] {
            self.write(&format!("target/dist/{name}"), name);
        }
        self.write("target/dist/container/airtab", &program);
        self.sums();
    }

    fn sums(&self) {
        let sums = "find . -type f ! -name SHA256SUMS -exec sha256sum {} + >SHA256SUMS";
        let dist = self.path("target/dist");
        assert!(Command::new("sh").args(["-c", sums]).current_dir(dist).status().expect("sh").success());
    }

    /// What it prints, or says is wrong.
    fn verdict(&self) -> Result<String, String> {
        let output = Command::new(self.path("tools/release")).output().expect("bash");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        match output.status.code() {
            Some(0) => Ok(text(&output.stdout)),
            _ => Err(text(&output.stderr)),
        }
    }
}

#[test]
fn what_is_right_gets_the_command_that_tags_it() {
    let release = Release::new();
    let said = release.verdict().expect_err("no files yet");
    assert_eq!(said, "tools/release: target/dist: nothing there: make dist\n");
    release.dist();
    let said = release.verdict().expect("all is right");
    let command =
        format!("git tag --annotate v1.2.3 --message 'airtab 1.2.3' {}", release.git(&["rev-parse", "HEAD"]));
    assert!(said.contains(&command), "{said}");
    assert_eq!(release.git(&["tag"]), "", "it tags nothing itself");
}

#[test]
fn another_version_is_named_with_its_place() {
    for (name, from, to, said) in [
        ("Cargo.toml", "=1.2.3", "=1.2.2", "Cargo.toml: what is asked of airtab-core is 1.2.2, but"),
        ("Cargo.lock", "1.2.3", "1.2.2", "Cargo.lock: airtab is 1.2.2, but Cargo.toml has 1.2.3"),
        ("fuzz/Cargo.lock", "1.2.3", "1.2.1", "fuzz/Cargo.lock: airtab-fuzz is 1.2.1, but"),
        ("fuzz/Cargo.toml", "1.2.3", "1.2.4", "fuzz/Cargo.toml: the fuzzers' version is 1.2.4, but"),
        ("web/package.json", "1.2.3", "1.2.4", "web/package.json: the page's version is 1.2.4, but"),
        ("CITATION.cff", "version: 1.2.3", "", "CITATION.cff: the version is missing, but"),
        ("CHANGELOG.md", "## 1.2.3", "## Unreleased", "CHANGELOG.md: the first heading is Unreleased, but"),
        ("pyproject.toml", "dynamic", "# dynamic", "pyproject.toml: does not take its version"),
    ] {
        let release = Release::new();
        let text = fs::read_to_string(release.path(name)).expect("it is there");
        release.write(name, &text.replacen(from, to, 1));
        release.commit();
        release.dist();
        let errors = release.verdict().expect_err(name);
        assert!(errors.starts_with(&format!("tools/release: {said}")), "{name}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{name}: {errors}");
    }
}

#[test]
fn a_state_that_is_not_that_of_the_files_is_refused() {
    let release = Release::new();
    release.dist();
    release.write("notes.txt", "not committed");
    let errors = release.verdict().expect_err("a file more");
    assert!(errors.contains("not committed: ?? notes.txt"), "{errors}");
    release.commit();
    let errors = release.verdict().expect_err("files of the commit before");
    assert!(errors.contains("the program is 'airtab 1.2.3 commit "), "{errors}");
    release.dist();
    release.write("target/dist/airtab-1.2.3.tar.gz", "other bytes");
    let errors = release.verdict().expect_err("other bytes");
    assert!(errors.contains("files are not those of its SHA256SUMS"), "{errors}");
    fs::remove_file(release.path("target/dist/airtab-1.2.3.tar.gz")).expect("it was there");
    release.write("target/dist/airtab-1.2.2.tar.gz", "old");
    release.sums();
    let errors = release.verdict().expect_err("of another version");
    assert!(errors.contains("lacks airtab-1.2.3.tar.gz"), "{errors}");
    assert!(errors.contains("airtab-1.2.2.tar.gz is of another version"), "{errors}");
    release.dist();
    fs::remove_file(release.path("target/dist/airtab-1.2.2.tar.gz")).expect("it was there");
    release.sums();
    release.verdict().expect("all is right");
    release.git(&["tag", "v1.2.3"]);
    let errors = release.verdict().expect_err("tagged");
    assert!(errors.contains("there is a tag v1.2.3"), "{errors}");
}
