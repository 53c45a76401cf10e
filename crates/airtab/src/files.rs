//! Files of a result: all of them appear, or none.
//!
//! Each is written under another name; when the last one is whole, all are
//! renamed. A full disk leaves what was there before.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

/// Files on their way into a directory.
pub struct Files {
    dir: PathBuf,
    written: Vec<(NamedTempFile, String)>,
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

    /// Writes a file that will be called `name`.
    ///
    /// # Errors
    /// Names the file; none of the files is there then.
    pub fn add(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let done = || -> io::Result<()> {
            let mut file = NamedTempFile::new_in(&self.dir)?;
            #[cfg(unix)]
            {
                // Temporary files are private; results are not.
                use std::os::unix::fs::PermissionsExt;
                file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
            }
            let mut buffer = BufWriter::new(file.as_file_mut());
            write(&mut buffer)?;
            buffer.flush()?;
            drop(buffer);
            file.as_file().sync_all()?;
            self.written.push((file, name.into()));
            Ok(())
        };
        done().with_context(|| format!("cannot write {}", self.dir.join(name).display()))
    }

    /// Names of the files so far.
    pub fn names(&self) -> Vec<String> {
        self.written.iter().map(|(_, name)| name.clone()).collect()
    }

    /// Gives the files their names.
    ///
    /// # Errors
    /// Names the file that cannot have its name, such as that of a directory;
    /// those before it have theirs.
    pub fn finish(self) -> anyhow::Result<()> {
        for (file, name) in self.written {
            let path = self.dir.join(name);
            file.persist(&path).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}
