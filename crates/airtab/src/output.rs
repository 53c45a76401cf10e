//! Where output goes: standard output as it is (terminal, pipe, closed pipe),
//! and files that are either whole or not there.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use airtab_lab::table::Style;
pub use airtab_lab::table::wrap;
use anyhow::Context;

/// Width of reports that no terminal shows.
const FILE_WIDTH: usize = 100;

/// How to lay out text for standard output: the terminal's width, or
/// `COLUMNS`; bold only in a terminal, and not if `NO_COLOR` is set.
pub fn stdout_style() -> Style {
    let terminal = io::stdout().is_terminal();
    let wanted = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let found = || terminal.then(terminal_size::terminal_size).flatten().map(|(w, _)| usize::from(w.0));
    Style {
        width: wanted.or_else(found).unwrap_or(FILE_WIDTH).max(20),
        colour: terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

/// How to lay out text for a file.
pub fn file_style() -> Style {
    Style { width: FILE_WIDTH, colour: false }
}

/// Writes to standard output.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Whether the reader of our output went away.
pub fn is_broken_pipe(e: &anyhow::Error) -> bool {
    let kinds = e.chain().filter_map(|c| c.downcast_ref::<io::Error>());
    kinds.into_iter().any(|io| io.kind() == ErrorKind::BrokenPipe)
}

/// Makes a directory, if it is not there, and shows that it can be written to.
///
/// # Errors
/// Names the directory and why it cannot be used.
pub fn directory(dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make the directory {}", dir.display()))?;
    tempfile::tempfile_in(dir)
        .with_context(|| format!("cannot write into the directory {}", dir.display()))?;
    Ok(())
}

/// Writes a file under another name and renames it when it is whole.
///
/// # Errors
/// Names the file; nothing of it is left then.
pub fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let write = || -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        #[cfg(unix)]
        {
            // Temporary files are private; results are not.
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
