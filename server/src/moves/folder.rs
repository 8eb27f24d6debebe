//! The files of an export. Each is complete and on disk once it has its name; the manifest comes
//! last, so a folder without one is no export.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, BufReader, BufWriter, Read as _, Write as _},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use super::MoveError;
use crate::id::AssetId;

const MANIFEST: &str = "manifest.json";
const RECEIPT: &str = "imported.json";
const ROWS: &str = "rows";
const PDFS: &str = "pdfs";
/// In the format of `sha256sum`, in the order of the names.
const SUMS: &str = "SHA256SUMS";
/// Ends the name of a file that is not complete.
const PARTIAL: &str = "partial";
/// The files have what the database has: nobody else may read them.
const MODE: u32 = 0o700;
const PIECE_BYTES: usize = 64 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder, or takes the one of an export that did not end.
    pub(crate) fn create(path: &Path) -> Result<Self, MoveError> {
        let folder = Self(path.to_owned());
        if folder.manifest().exists() {
            return Err(MoveError::rejected(format!(
                "{} has a complete export already: name a new folder with --to",
                path.display()
            )));
        }
        for folder in [path.to_owned(), path.join(ROWS), path.join(PDFS)] {
            let created = DirBuilder::new().recursive(true).mode(MODE).create(&folder);
            created.map_err(failed("created", &folder))?;
        }
        Ok(folder)
    }

    pub(crate) fn open(path: &Path) -> Result<Self, MoveError> {
        let folder = Self(path.to_owned());
        if folder.manifest().is_file() {
            return Ok(folder);
        }
        Err(MoveError::rejected(format!(
            "{} has no {MANIFEST}: it is no export, or one that did not end. Name the folder that \
             `payout-server organizations export --to` has filled",
            path.display()
        )))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn rows(&self, table: &str) -> PathBuf {
        self.0.join(ROWS).join(format!("{table}.copy"))
    }

    pub(super) fn pdf(&self, id: &AssetId) -> PathBuf {
        self.0.join(PDFS).join(format!("{id}.pdf"))
    }

    pub(super) fn sums(&self) -> PathBuf {
        self.0.join(PDFS).join(SUMS)
    }

    fn manifest(&self) -> PathBuf {
        self.0.join(MANIFEST)
    }

    pub(super) fn write_manifest(&self, manifest: &impl Serialize) -> Result<(), MoveError> {
        write_json(self.manifest(), manifest)
    }

    pub(crate) fn write_receipt(&self, receipt: &impl Serialize) -> Result<(), MoveError> {
        write_json(self.0.join(RECEIPT), receipt)
    }

    /// Returns the manifest, and its SHA-256.
    pub(crate) fn read_manifest<T: DeserializeOwned>(&self) -> Result<(T, String), MoveError> {
        read_json(&self.manifest())
    }

    /// Returns the receipt; `None` if the export was not imported.
    pub(crate) fn read_receipt<T: DeserializeOwned>(&self) -> Result<Option<T>, MoveError> {
        let path = self.0.join(RECEIPT);
        if !path.exists() {
            return Ok(None);
        }
        read_json(&path).map(|(receipt, _)| Some(receipt))
    }
}

/// A file that is hashed while it is written.
pub(super) struct HashedFile {
    path: PathBuf,
    file: BufWriter<File>,
    hash: Sha256,
}

impl HashedFile {
    pub(super) fn create(path: PathBuf) -> Result<Self, MoveError> {
        let partial = path.with_extension(PARTIAL);
        let file = File::create(&partial).map_err(failed("created", &partial))?;
        Ok(Self { path, file: BufWriter::new(file), hash: Sha256::new() })
    }

    pub(super) fn write(&mut self, piece: &[u8]) -> Result<(), MoveError> {
        self.hash.update(piece);
        self.file.write_all(piece).map_err(failed("written", &self.path))
    }

    /// Writes the file to disk under its name; returns its SHA-256 in hexadecimal digits.
    pub(super) fn finish(self) -> Result<String, MoveError> {
        let Self { path, file, hash } = self;
        let finish = || {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(path.with_extension(PARTIAL), &path)?;
            File::open(path.parent().unwrap_or(&path))?.sync_all()
        };
        finish().map_err(failed("written", &path))?;
        Ok(hex::encode(hash.finalize()))
    }
}

/// Reads a file in pieces, and returns its SHA-256 in hexadecimal digits.
pub(super) fn sha256(path: &Path, mut each: impl FnMut(&[u8])) -> Result<String, MoveError> {
    let mut file = open(path)?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE_BYTES]);
    loop {
        let length = file.read(&mut piece).map_err(failed("read", path))?;
        if length == 0 {
            return Ok(hex::encode(hash.finalize()));
        }
        hash.update(&piece[..length]);
        each(&piece[..length]);
    }
}

pub(super) fn open(path: &Path) -> Result<BufReader<File>, MoveError> {
    let file = File::open(path).map_err(failed("read", path))?;
    Ok(BufReader::with_capacity(PIECE_BYTES, file))
}

pub(super) fn failed(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> MoveError + use<> {
    let path = path.to_owned();
    move |error| MoveError::File { action, path, error }
}

fn write_json(path: PathBuf, value: &impl Serialize) -> Result<(), MoveError> {
    let mut file = HashedFile::create(path)?;
    let text = serde_json::to_string_pretty(value).expect("names, numbers and texts");
    file.write(text.as_bytes())?;
    file.write(b"\n")?;
    file.finish().map(drop)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<(T, String), MoveError> {
    let text = fs::read(path).map_err(failed("read", path))?;
    let value = serde_json::from_slice(&text).map_err(|error| {
        let path = path.display();
        MoveError::rejected(format!(
            "{path} is damaged, or another release wrote it: {error}. Export again with the \
             release of this server"
        ))
    })?;
    Ok((value, hex::encode(Sha256::digest(&text))))
}
