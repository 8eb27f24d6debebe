//! A PDF as a file.
//!
//! It refuses to leave half a PDF under the file's name, and to overwrite a file that nobody told it to: a temporary
//! file in the same folder takes the name when its last byte has reached the disk.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile, TempPath};
use tokio::{
    fs,
    io::AsyncWriteExt as _,
    task::{JoinError, spawn_blocking},
};

use super::{body::Download, file_name};
use crate::Error;

/// Why a PDF could not be saved. The file's name is as free, or its content as old, as before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// There is a file of this name, which was kept.
    #[error("`{}` exists already and was kept; choose another name, or replace it by `save_over`", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("cannot save the PDF as `{}`: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The suggested filename is not that of a PDF in a folder.
    #[error(
        "the server suggests the filename {filename:?}, which is not safe; choose one by `save_as`"
    )]
    UnsafeFilename {
        /// The filename, as it came.
        filename: String,
    },
}

/// What happens to a file that has the name already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Existing {
    Kept,
    Replaced,
}

impl Download {
    /// Saves the PDF in a folder that exists, under the filename that the server suggests, and gives its path. (S10)
    ///
    /// The file gets the permissions of any new file. One of that name is kept, and an error says so. A process killed
    /// half-way leaves a hidden `.statement-*.part` file, and nothing else.
    ///
    /// # Errors
    /// [`Error::Save`]; and as [`chunk`](Self::chunk).
    pub async fn save_in(self, folder: impl AsRef<Path>) -> Result<PathBuf, Error> {
        if !file_name::is_safe(self.filename()) {
            let filename = self.filename().to_owned();
            return Err(Error::Save(Box::new(SaveError::UnsafeFilename {
                filename,
            })));
        }
        let path = folder.as_ref().join(self.filename());
        self.save(&path, Existing::Kept).await?;
        Ok(path)
    }

    /// Saves the PDF as a new file; otherwise as [`save_in`](Self::save_in).
    ///
    /// # Errors
    /// As [`save_in`](Self::save_in).
    pub async fn save_as(self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save(path.as_ref(), Existing::Kept).await
    }

    /// Saves the PDF as a file, in place of one that may have the name. At every moment it is the old file or the new.
    ///
    /// # Errors
    /// As [`save_in`](Self::save_in).
    pub async fn save_over(self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save(path.as_ref(), Existing::Replaced).await
    }

    async fn save(mut self, path: &Path, existing: Existing) -> Result<(), Error> {
        let failed = |source: io::Error| failure(path, source);
        // The name is claimed at the end; this spares a download that would be for nothing.
        if existing == Existing::Kept && fs::symlink_metadata(path).await.is_ok() {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        let folder = folder_of(path);
        let created = spawn_blocking(move || create(&folder)).await;
        let (file, temporary) = flatten(created).map_err(failed)?.into_parts();
        let mut file = fs::File::from_std(file);
        while let Some(chunk) = self.chunk().await? {
            file.write_all(&chunk).await.map_err(failed)?;
        }
        // `sync_all` waits for what is written in the background, and tells its error.
        file.sync_all().await.map_err(failed)?;
        drop(file.into_std().await);
        let target = path.to_owned();
        let named = spawn_blocking(move || name(temporary, &target, existing)).await;
        flatten(named).map_err(failed)
    }
}

fn failure(path: &Path, source: io::Error) -> Error {
    let path = path.to_owned();
    Error::Save(Box::new(match source.kind() {
        io::ErrorKind::AlreadyExists => SaveError::Exists { path },
        _ => SaveError::Io { path, source },
    }))
}

fn flatten<T>(result: Result<io::Result<T>, JoinError>) -> io::Result<T> {
    result.unwrap_or_else(|error| Err(io::Error::other(error)))
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A temporary file, which goes when it is dropped: also when the download is.
fn create(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".statement-").suffix(".part");
    // A temporary file is for its owner alone; this one becomes a file like any other, and the umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn name(temporary: TempPath, path: &Path, existing: Existing) -> io::Result<()> {
    let persisted = match existing {
        Existing::Kept => temporary.persist_noclobber(path),
        Existing::Replaced => temporary.persist(path),
    };
    persisted.map_err(|error| error.error)?;
    // The name is an entry of the folder, which should reach the disk, too. Not every system can do that to a folder;
    // where power fails before, the name is missing, and no half a PDF stands under it.
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    Ok(())
}
