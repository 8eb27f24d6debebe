//! Saves a PDF as a file, atomically: a temporary file in the same folder is renamed after its last
//! byte has reached the disk. Only `save_over` replaces an existing file.

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

use super::{body::Download, filename};
use crate::Error;

/// Why a PDF cannot be saved. An existing file of that name is unchanged.
///
/// ```
/// use std::path::PathBuf;
///
/// use payout_client::{Download, Error, SaveError};
///
/// /// Saves a statement, or keeps the file that has it already.
/// async fn save_once(download: Download) -> Result<PathBuf, Error> {
///     match download.save_in("statements").await {
///         Err(Error::Save(error)) => match *error {
///             SaveError::Exists { path } => Ok(path),
///             other => Err(Error::Save(Box::new(other))),
///         },
///         saved => saved,
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// There is a file of this name, which was kept.
    #[error(
        "`{}` exists already and was kept; choose another name, or replace it with `save_over`",
        .path.display()
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot save the PDF as `{}`: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The suggested filename is not that of a PDF in a folder.
    #[error(
        "the server suggests the filename {filename:?}, which is not safe; \
         choose one with `save_as`"
    )]
    UnsafeFilename {
        /// The filename.
        filename: String,
    },
}

/// The treatment of an existing file of that name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Existing {
    Kept,
    Replaced,
}

impl Download {
    /// Saves the PDF in an existing folder, under the filename that the server suggests, and
    /// returns its path.
    ///
    /// The file gets the default permissions of new files. An existing file of that name is kept,
    /// and reported as an error. A killed process leaves nothing but a hidden `.statement-*.part`
    /// file.
    ///
    /// # Errors
    /// [`Error::Save`]; and as for [`chunk`](Self::chunk).
    pub async fn save_in(self, folder: impl AsRef<Path>) -> Result<PathBuf, Error> {
        if !filename::is_safe(self.filename()) {
            let filename = self.filename().to_owned();
            return Err(Error::Save(Box::new(SaveError::UnsafeFilename { filename })));
        }
        let path = folder.as_ref().join(self.filename());
        self.save(&path, Existing::Kept).await?;
        Ok(path)
    }

    /// Saves the PDF as a new file; otherwise like [`save_in`](Self::save_in).
    ///
    /// # Errors
    /// Fails where [`save_in`](Self::save_in) fails.
    pub async fn save_as(self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save(path.as_ref(), Existing::Kept).await
    }

    /// Saves the PDF as a file, and replaces an existing one atomically.
    ///
    /// # Errors
    /// Fails where [`save_in`](Self::save_in) fails.
    pub async fn save_over(self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save(path.as_ref(), Existing::Replaced).await
    }

    async fn save(mut self, path: &Path, existing: Existing) -> Result<(), Error> {
        let failed = |source: io::Error| failure(path, source);
        // The rename at the end checks this again; checking now saves a useless download.
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
        // `sync_all` waits for background writes, and returns their error.
        file.sync_all().await.map_err(failed)?;
        drop(file.into_std().await);
        let target = path.to_owned();
        let renamed = spawn_blocking(move || rename(temporary, &target, existing)).await;
        flatten(renamed).map_err(failed)
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

/// A temporary file, which is deleted when it is dropped, also with a cancelled download.
fn create(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".statement-").suffix(".part");
    // tempfile's default is 0600; this one becomes a file like any other, so the umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn rename(temporary: TempPath, path: &Path, existing: Existing) -> io::Result<()> {
    let persisted = match existing {
        Existing::Kept => temporary.persist_noclobber(path),
        Existing::Replaced => temporary.persist(path),
    };
    persisted.map_err(|error| error.error)?;
    // Flushes the folder's entry too. Not every system can flush a folder; a power failure before
    // that loses the name, and never leaves a partial PDF under it.
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    Ok(())
}
