//! The file that holds the keys of our links.
//!
//! It refuses a file that others could read, and to make one at a place that somebody named.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use super::keyring::{Keyring, KeyringError};

/// Most bytes that are read; a full file of keys has a tenth of it.
const LENGTH_LIMIT_BYTES: u64 = 64 * 1024;

/// Why there are no keys to sign with: what, why, and what mends it.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The key file that was named does not exist.
    #[error(
        "the key file {} does not exist. Name another one with --link-keys, or make it:\n  {}", path.display(), making(path)
    )]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Others may read the key file.
    #[error(
        "the key file {} has mode {mode:03o}, and whoever reads it can make links to every statement. Mend it:\n  chmod 600 {}",
        path.display(), quoted(path)
    )]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The key file holds no usable keys.
    #[error("the key file {} cannot be used: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: KeyringError,
    },
    /// The key file cannot be read or made.
    #[error("the key file {} cannot be used: {source}. Name another one with --link-keys", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl KeyFileError {
    fn system(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::System {
            path: path.to_owned(),
            source,
        }
    }
}

/// Reads a file that somebody named.
///
/// # Errors
/// It is missing, readable by others, or holds no usable keys; each with what mends it.
pub fn load_keys(path: &Path) -> Result<Keyring, KeyFileError> {
    match File::open(path) {
        Ok(file) => read(path, file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(KeyFileError::Missing {
            path: path.to_owned(),
        }),
        Err(error) => Err(KeyFileError::system(path)(error)),
    }
}

/// Reads the file at the default place, and makes it on first use. Processes that come at the same time get the same.
///
/// # Errors
/// As [`load_keys`], or its folder does not take it.
pub fn load_or_create_keys(path: &Path) -> Result<Keyring, KeyFileError> {
    match load_keys(path) {
        Err(KeyFileError::Missing { .. }) => {
            create(path).map_err(KeyFileError::system(path))?;
            load_keys(path)
        }
        loaded => loaded,
    }
}

fn read(path: &Path, file: File) -> Result<Keyring, KeyFileError> {
    let metadata = file.metadata().map_err(KeyFileError::system(path))?;
    if !metadata.is_file() {
        return Err(KeyFileError::system(path)(io::Error::other(
            "it is no file",
        )));
    }
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyFileError::Exposed {
            path: path.to_owned(),
            mode,
        });
    }
    let mut text = String::new();
    file.take(LENGTH_LIMIT_BYTES)
        .read_to_string(&mut text)
        .map_err(KeyFileError::system(path))?;
    Keyring::parse(&text).map_err(|problem| KeyFileError::Content {
        path: path.to_owned(),
        problem,
    })
}

/// Written aside and linked into place, which fails where another process was faster: then its keys hold.
fn create(path: &Path) -> io::Result<()> {
    let mut random = [0; 40];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let (id, secret) = random.split_at(8);
    let draft = with_suffix(path, &format!(".{}.new", hex::encode(id)));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let written = write_new(
        &draft,
        &format!(
            "# Keys of download links, one a line: id and secret. The first one signs, all verify.\n\
         # To rotate: add a key as the last line and restart every server; then move it to the first line and restart them\n\
         # again; remove the old one when its links have expired.\n\
         {} {}\n",
            hex::encode(id),
            hex::encode(secret)
        ),
    );
    let placed = written.and_then(|()| match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    // One that stays behind is as private as the file itself, and is never read.
    let _ = fs::remove_file(&draft);
    placed?;
    // The name must survive a power failure as well: links out there depend on it.
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn making(path: &Path) -> String {
    let secret = "$(od -An -v -N32 -tx1 /dev/urandom | tr -d ' \\n')";
    format!(
        "(umask 077; echo \"$(date +%Y-%m-%d) {secret}\" > {})",
        quoted(path)
    )
}

/// As a shell takes it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
