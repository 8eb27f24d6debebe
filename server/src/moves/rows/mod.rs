//! The rows of an organisation in files, one for each table, in PostgreSQL's text format of `COPY`
//! and in the order of the primary key. So a table that was imported gives the same file again.

pub(super) mod store;

use std::io::Read as _;

use sqlx::PgConnection;

use super::{
    MoveError,
    folder::{self, Folder, HashedFile, failed},
    model::{Table, TableRows},
};
use crate::{id::OrganizationId, postgres::TenantTransaction};

/// Writes the rows of a table into its file.
pub(super) async fn export(
    connection: &mut PgConnection,
    organization: &OrganizationId,
    table: &Table,
    folder: &Folder,
) -> Result<TableRows, MoveError> {
    let mut file = HashedFile::create(folder.rows(&table.name))?;
    let mut rows = 0;
    store::copy_out(connection, organization, table, |piece| {
        rows += lines(piece);
        file.write(piece)
    })
    .await?;
    let (name, columns) = (table.name.clone(), table.columns.clone());
    Ok(TableRows { name, columns, rows, sha256: file.finish()? })
}

/// Requires that a file is as the manifest says.
pub(super) fn check(folder: &Folder, expected: &TableRows) -> Result<(), MoveError> {
    let path = folder.rows(&expected.name);
    let mut rows = 0;
    let sha256 = folder::sha256(&path, |piece| rows += lines(piece))?;
    if sha256 == expected.sha256 && rows == expected.rows {
        return Ok(());
    }
    Err(MoveError::rejected(format!(
        "{} is damaged: it has {rows} rows and the SHA-256 {sha256}, and the manifest says {} and \
         {}. Copy the folder again, and nothing else of it",
        path.display(),
        expected.rows,
        expected.sha256
    )))
}

/// Inserts the rows of a file into its table.
pub(super) async fn import(
    transaction: &mut TenantTransaction,
    table: &Table,
    folder: &Folder,
) -> Result<(), MoveError> {
    let path = folder.rows(&table.name);
    let mut file = folder::open(&path)?;
    store::insert(transaction, table, &mut |piece| file.read(piece).map_err(failed("read", &path)))
        .await
}

/// Requires that a table now has each row of its file, byte by byte, and no other one.
pub(super) async fn compare(
    connection: &mut PgConnection,
    organization: &OrganizationId,
    table: &Table,
    folder: &Folder,
) -> Result<(), MoveError> {
    let path = folder.rows(&table.name);
    let mut file = folder::open(&path)?;
    let (mut row, mut expected) = (1, Vec::new());
    let differs = |row: u64| {
        MoveError::rejected(format!(
            "row {row} of {} differs from the exported one: nothing was imported. Have both cells \
             the same release and the same major version of PostgreSQL?",
            table.name
        ))
    };
    store::copy_out(connection, organization, table, |piece| {
        expected.resize(piece.len(), 0);
        if file.read_exact(&mut expected).is_err() || expected != piece {
            return Err(differs(row));
        }
        row += lines(piece);
        Ok(())
    })
    .await?;
    match file.read(&mut [0]).map_err(failed("read", &path))? {
        0 => Ok(()),
        _ => Err(differs(row)),
    }
}

/// A line break ends each row, and stands nowhere else.
fn lines(piece: &[u8]) -> u64 {
    piece.iter().filter(|byte| **byte == b'\n').count() as u64
}
