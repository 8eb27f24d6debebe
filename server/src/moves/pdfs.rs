//! The PDFs of an organisation in files, with a list of their SHA-256.

use std::io::BufRead as _;

use bytes::Bytes;
use futures_util::TryStreamExt as _;

use super::{
    MoveError,
    folder::{self, Folder, HashedFile, failed},
    model::Pdfs,
};
use crate::{
    id::{AssetId, OrganizationId},
    postgres::TenantTransaction,
    statements::{
        assets::{
            Asset,
            integrity::{self, ReadError, store::list_assets_after},
        },
        storage::{AssetKey, Storage},
    },
};

const ASSETS_PER_QUERY: i64 = 500;

/// The store and the folder of an organisation's PDFs.
pub(super) struct PdfExport<'a> {
    pub(super) storage: &'a Storage,
    pub(super) organization: &'a OrganizationId,
    pub(super) folder: &'a Folder,
}

impl PdfExport<'_> {
    /// Writes the PDFs that the transaction sees and that have no file yet, and the list of all.
    /// `report` gets how many have a file.
    pub(super) async fn run(
        &self,
        transaction: &mut TenantTransaction,
        mut report: impl FnMut(u64),
    ) -> Result<Pdfs, MoveError> {
        let mut sums = HashedFile::create(self.folder.sums())?;
        let (mut pdfs, mut last) = (Pdfs::default(), String::new());
        loop {
            let page = list_assets_after(transaction, &last, ASSETS_PER_QUERY).await?;
            let Some(end) = page.last() else { break };
            last = end.asset.id.to_string();
            for asset in page.iter().map(|stored| &stored.asset) {
                if asset.is_damaged {
                    pdfs.damaged += 1;
                    continue;
                }
                self.write(asset).await?;
                sums.write(
                    format!("{}  {}.pdf\n", hex::encode(asset.sha256), asset.id).as_bytes(),
                )?;
                pdfs.count += 1;
                pdfs.bytes += asset.length_bytes();
                report(pdfs.count);
            }
        }
        sums.finish()?;
        Ok(pdfs)
    }

    /// Writes a PDF while it is compared with its row. A file with its name is complete.
    async fn write(&self, asset: &Asset) -> Result<(), MoveError> {
        let path = self.folder.pdf(&asset.id);
        if path.metadata().is_ok_and(|file| file.len() == asset.length_bytes()) {
            return Ok(());
        }
        let mut file = HashedFile::create(path)?;
        let key = asset.key(self.organization);
        let read = integrity::read(self.storage, &key, asset, 0..asset.length_bytes()).await;
        let mut pieces = read.map_err(|error| unreadable(&key, error))?;
        while let Some(piece) = pieces.try_next().await.map_err(|error| unreadable(&key, error))? {
            file.write(&piece)?;
        }
        file.finish().map(drop)
    }
}

fn unreadable(key: &AssetKey, error: ReadError) -> MoveError {
    match error {
        ReadError::Storage(error) => error.into(),
        ReadError::Damaged(damage) => MoveError::rejected(format!(
            "{key} cannot be exported: {damage}. `payout-server assets verify --repair` makes it \
             again, or notes that it is lost; then repeat the export"
        )),
    }
}

/// Writes the PDFs of an export into the store, and reads each one back. One that is there already
/// is only read.
pub(super) async fn import(
    storage: &Storage,
    organization: &OrganizationId,
    folder: &Folder,
    mut report: impl FnMut(u64),
) -> Result<u64, MoveError> {
    let mut count = 0;
    let mut sums = Sums::open(folder)?;
    while let Some((id, sha256)) = sums.next()? {
        let path = folder.pdf(&id);
        let mut bytes = Vec::new();
        if folder::sha256(&path, |piece| bytes.extend_from_slice(piece))? != sha256 {
            return Err(MoveError::rejected(format!(
                "{} is damaged: its SHA-256 is not the one in {}. Copy it again; `sha256sum \
                 --check SHA256SUMS` finds others",
                path.display(),
                folder.sums().display()
            )));
        }
        let key = AssetKey::new(organization, &id);
        let bytes = Bytes::from(bytes);
        if !is_stored(storage, &key, &bytes).await? {
            storage.put(&key, bytes.clone()).await?;
            if !is_stored(storage, &key, &bytes).await? {
                return Err(MoveError::rejected(format!(
                    "{} returned other bytes of {key} than it was given",
                    storage.name()
                )));
            }
        }
        count += 1;
        report(count);
    }
    Ok(count)
}

/// Returns true if the store has exactly these bytes.
async fn is_stored(storage: &Storage, key: &AssetKey, bytes: &Bytes) -> Result<bool, MoveError> {
    use crate::statements::storage::StorageError;
    let content = match storage.get(key).await {
        Err(StorageError::NotFound { .. }) => return Ok(false),
        content => content?,
    };
    if content.length_bytes != bytes.len() as u64 {
        return Ok(false);
    }
    let mut at = 0;
    let mut body = content.body;
    while let Some(piece) = body.try_next().await? {
        if bytes.get(at..at + piece.len()) != Some(&*piece) {
            return Ok(false);
        }
        at += piece.len();
    }
    Ok(at == bytes.len())
}

/// Requires that each row of an asset has the SHA-256 of a file that was imported, and that each
/// file has a row.
pub(super) async fn compare(
    transaction: &mut TenantTransaction,
    folder: &Folder,
) -> Result<(), MoveError> {
    let mut sums = Sums::open(folder)?;
    let mut last = String::new();
    let differs = |id: &str| {
        MoveError::rejected(format!(
            "the row and the file of the PDF {id} do not fit together: nothing was imported. \
             Export again into a new folder"
        ))
    };
    loop {
        let page = list_assets_after(transaction, &last, ASSETS_PER_QUERY).await?;
        let Some(end) = page.last() else { break };
        last = end.asset.id.to_string();
        for asset in page.iter().map(|stored| &stored.asset).filter(|asset| !asset.is_damaged) {
            let expected = (asset.id.clone(), hex::encode(asset.sha256));
            if sums.next()? != Some(expected) {
                return Err(differs(&asset.id));
            }
        }
    }
    match sums.next()? {
        None => Ok(()),
        Some((id, _)) => Err(differs(&id)),
    }
}

/// Reads the list of the PDFs, line by line.
struct Sums {
    folder: Folder,
    lines: std::io::Lines<std::io::BufReader<std::fs::File>>,
}

impl Sums {
    fn open(folder: &Folder) -> Result<Self, MoveError> {
        Ok(Self { folder: folder.clone(), lines: folder::open(&folder.sums())?.lines() })
    }

    fn next(&mut self) -> Result<Option<(AssetId, String)>, MoveError> {
        let path = self.folder.sums();
        let Some(line) = self.lines.next() else { return Ok(None) };
        let line = line.map_err(failed("read", &path))?;
        let parsed = line.split_once("  ").and_then(|(sha256, name)| {
            Some((AssetId::parse(name.strip_suffix(".pdf")?)?, sha256.to_owned()))
        });
        let damaged = || {
            let path = path.display();
            MoveError::rejected(format!("{path} is damaged at {line:?}: copy the folder again"))
        };
        parsed.map(Some).ok_or_else(damaged)
    }
}
