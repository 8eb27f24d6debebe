//! Secret keys of the servers, and the files that hold them. The first key is used for what is new
//! and all for what exists, so keys are rotated without breaking anything. A file that others can
//! read is rejected.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use hex::FromHex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tempfile::NamedTempFile;

/// The key in use, and those before it.
const KEYS_LIMIT: usize = 16;
const ID_LENGTH_LIMIT: usize = 32;
const SECRET_LENGTH: usize = 32;

/// What the keys of a file are for, in its head and in messages.
#[derive(Debug)]
pub(crate) struct KeyFile {
    /// The flag that names another file.
    pub(crate) flag: &'static str,
    /// Its name in the data folder.
    pub(crate) name: &'static str,
    /// Comment lines at its beginning.
    pub(crate) head: &'static str,
    /// What anyone who reads it can do.
    pub(crate) danger: &'static str,
}

/// Holds at least one key. The first one signs or seals, all verify or open. `Debug` shows no
/// secret.
#[derive(Clone)]
pub struct Keyring {
    keys: Vec<Key>,
    /// When its file was last changed; `None` for keys that no file has.
    changed: Option<SystemTime>,
}

#[derive(Clone)]
struct Key {
    id: String,
    secret: [u8; SECRET_LENGTH],
}

/// The keys cannot be used. The text tells the operator what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeyFileError(String);

impl Keyring {
    /// Parses one key a line: `id secret`, the secret being 32 bytes in hexadecimal digits. `#`
    /// begins a comment line. The error names the line, counted from 1, and what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut keys: Vec<Key> = Vec::new();
        for (index, content) in text.lines().enumerate() {
            let line = index + 1;
            let content = content.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let key = Key::parse(content).ok_or_else(|| {
                format!(
                    "line {line} is not an id of 1 to {ID_LENGTH_LIMIT} of A-Z a-z 0-9 _ -, a \
                     space, and a secret of 64 hexadecimal digits"
                )
            })?;
            if keys.iter().any(|earlier| earlier.id == key.id) {
                return Err(format!(
                    "line {line} repeats the id of an earlier line: give the key an id of its own"
                ));
            }
            keys.push(key);
        }
        match keys.len() {
            0 => Err("it contains no key".to_owned()),
            1..=KEYS_LIMIT => Ok(Self { keys, changed: None }),
            _ => Err(format!(
                "it contains more than {KEYS_LIMIT} keys: remove those that are no longer in use"
            )),
        }
    }

    pub(crate) fn changed(&self) -> Option<SystemTime> {
        self.changed
    }

    /// The id of the key for what is new.
    pub(crate) fn newest(&self) -> &str {
        &self.signer().id
    }

    /// The secret of the key `id`.
    pub(crate) fn secret(&self, id: &str) -> Option<&[u8; SECRET_LENGTH]> {
        self.keys.iter().find(|key| key.id == id).map(|key| &key.secret)
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 32] {
        self.signer().authenticator(message).finalize().into_bytes().into()
    }

    /// Returns true if the key `id` signs `message` with `signature`; compares in constant time.
    pub(crate) fn verify(&self, id: &str, message: &[u8], signature: &[u8]) -> bool {
        let key = self.keys.iter().find(|key| key.id == id);
        key.is_some_and(|key| key.authenticator(message).verify_slice(signature).is_ok())
    }

    fn signer(&self) -> &Key {
        self.keys.first().expect("a keyring is never empty")
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.keys.iter().map(|key| &key.id);
        formatter.write_str("Keyring ")?;
        formatter.debug_list().entries(ids).finish()
    }
}

impl Key {
    fn parse(line: &str) -> Option<Self> {
        let (id, digits) = line.split_once([' ', '\t'])?;
        let is_id = (1..=ID_LENGTH_LIMIT).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let secret = <[u8; SECRET_LENGTH]>::from_hex(digits.trim_start()).ok()?;
        is_id.then(|| Self { id: id.to_owned(), secret })
    }

    fn authenticator(&self, message: &[u8]) -> Hmac<Sha256> {
        let mut authenticator =
            Hmac::<Sha256>::new_from_slice(&self.secret).expect("HMAC takes keys of any length");
        authenticator.update(message);
        authenticator
    }
}

/// Most bytes that are read; a file of the most keys has a tenth of it.
const LENGTH_LIMIT_BYTES: u64 = 64 * 1024;

impl KeyFile {
    /// Reads the keys of the file that the flag names, else those in the data folder, which are
    /// made on first use.
    pub(crate) fn open(
        &self,
        named: Option<&PathBuf>,
        data_folder: &Path,
    ) -> Result<Keyring, KeyFileError> {
        match named {
            Some(file) => self.load(file),
            None => self.load_or_create(&data_folder.join(self.name)),
        }
    }

    /// Reads a file of keys, which only its owner may read.
    fn load(&self, path: &Path) -> Result<Keyring, KeyFileError> {
        let Self { flag, danger, .. } = self;
        let missing = || {
            format!(
                "the key file {} does not exist. Name another one with {flag}, or make it:\n  {}",
                path.display(),
                making(path)
            )
        };
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => KeyFileError(missing()),
            _ => self.unusable(path, &error),
        })?;
        let metadata = file.metadata().map_err(|error| self.unusable(path, &error))?;
        if !metadata.is_file() {
            return Err(self.unusable(path, &io::Error::other("it is not a file")));
        }
        let mode = metadata.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyFileError(format!(
                "the key file {} has mode {mode:03o}, and anyone who reads it can {danger}. To fix \
                 it:\n  chmod 600 {}",
                path.display(),
                quoted(path)
            )));
        }
        let mut text = String::new();
        let read = file.take(LENGTH_LIMIT_BYTES).read_to_string(&mut text);
        read.map_err(|error| self.unusable(path, &error))?;
        let keyring = Keyring::parse(&text).map_err(|problem| {
            KeyFileError(format!("the key file {} cannot be used: {problem}", path.display()))
        })?;
        // A file system without such times leaves out the age of the keys, and nothing else.
        Ok(Keyring { changed: metadata.modified().ok(), ..keyring })
    }

    fn unusable(&self, path: &Path, error: &io::Error) -> KeyFileError {
        let (path, flag) = (path.display(), self.flag);
        KeyFileError(format!(
            "the key file {path} cannot be used: {error}. Name another one with {flag}"
        ))
    }

    /// Reads the file at the default place, made on first use. Concurrent processes read the same
    /// keys.
    fn load_or_create(&self, path: &Path) -> Result<Keyring, KeyFileError> {
        if !path.exists() {
            self.create(path).map_err(|error| self.unusable(path, &error))?;
        }
        self.load(path)
    }

    /// Written aside and moved into place, which fails if another process was faster: then its keys
    /// are used.
    fn create(&self, path: &Path) -> io::Result<()> {
        let mut random = [0; 40];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let (id, secret) = random.split_at(8);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        // tempfile creates the file with mode 0600.
        let mut draft = NamedTempFile::new_in(folder)?;
        writeln!(draft, "{}{} {}", self.head, hex::encode(id), hex::encode(secret))?;
        draft.as_file().sync_all()?;
        match draft.persist_noclobber(path) {
            Err(failed) if failed.error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed.error);
            }
            _ => {}
        }
        // The name must survive a power failure as well: what the keys protect depends on it.
        File::open(folder)?.sync_all()
    }
}

fn making(path: &Path) -> String {
    let secret = "$(od -An -v -N32 -tx1 /dev/urandom | tr -d ' \\n')";
    format!("(umask 077; echo \"$(date +%Y-%m-%d) {secret}\" > {})", quoted(path))
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
