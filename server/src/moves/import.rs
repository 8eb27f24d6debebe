//! An import: the files are checked, the PDFs are stored and read back, and all rows are inserted
//! and compared in one transaction, whose commit opens the organisation. Until then the cell does
//! not know it, so that an import that failed or was killed is repeated.

use super::{
    MoveError,
    export::{report_count, report_rows},
    folder::Folder,
    model::{FORMAT, Manifest, Receipt, Table},
    pdfs,
    rows::{
        self,
        store::{list_tables, prepare, raise_history_sequence},
    },
    store,
};
use crate::{
    id::OrganizationId, keys::records::record_all, postgres::Tenants, statements::storage::Storage,
};

pub(crate) struct Import<'a> {
    pub(crate) tenants: &'a Tenants,
    pub(crate) storage: &'a Storage,
    pub(crate) folder: &'a Folder,
    /// The cell that it is imported into.
    pub(crate) cell: &'a str,
}

/// An organisation that this cell has.
pub(crate) struct Imported {
    pub(crate) organization: OrganizationId,
    pub(crate) manifest: Manifest,
    /// An earlier run had imported it.
    pub(crate) was_imported: bool,
    /// The id of the key that seals its CRM token.
    pub(crate) token_key: Option<String>,
}

impl Import<'_> {
    /// Runs it; `report` gets its steps.
    pub(crate) async fn run(&self, report: &mut impl FnMut(String)) -> Result<Imported, MoveError> {
        let (manifest, sha256): (Manifest, String) = self.folder.read_manifest()?;
        let organization = self.check(&manifest)?;
        let was_imported = self.is_known(&organization, &sha256).await?;
        if !was_imported {
            for table in &manifest.tables {
                rows::check(self.folder, table)?;
            }
            report("every file of rows is as the manifest says".to_owned());
            let stored = pdfs::import(self.storage, &organization, self.folder, |count| {
                report_count(report, count, "PDFs stored and read back");
            });
            let stored = stored.await?;
            report(format!("PDFs stored, each with its SHA-256: {stored}"));
            self.insert(&organization, &manifest, &sha256, report).await?;
        }
        self.folder.write_receipt(&Receipt {
            organization_id: organization.to_string(),
            manifest_sha256: sha256,
            cell: self.cell.to_owned(),
        })?;
        let mut transaction = self.tenants.read(&organization).await?;
        let token_key = store::find_token_key(&mut transaction).await?;
        Ok(Imported { organization, manifest, was_imported, token_key })
    }

    fn check(&self, manifest: &Manifest) -> Result<OrganizationId, MoveError> {
        let (found, own) = (manifest.schema_version, payout_database::schema_version());
        if manifest.format != FORMAT || found != own {
            return Err(MoveError::rejected(format!(
                "{} has the schema version {found}, and this server {own}: a move needs the same \
                 release on both cells. Upgrade the older one, and export again",
                self.folder.path().display()
            )));
        }
        let id = &manifest.organization_id;
        let no_id = || MoveError::rejected(format!("{id:?} in the manifest is no organisation"));
        OrganizationId::parse(id).ok_or_else(no_id)
    }

    /// Returns true if an earlier run has imported this export.
    async fn is_known(
        &self,
        organization: &OrganizationId,
        sha256: &str,
    ) -> Result<bool, MoveError> {
        let mut transaction = self.tenants.write(organization).await?;
        let Some(state) = store::lock_state(&mut transaction).await? else { return Ok(false) };
        if state.moved_to.is_none() && store::was_imported(&mut transaction, sha256).await? {
            return Ok(true);
        }
        Err(MoveError::rejected(match state.moved_to {
            Some(cell) => format!(
                "{organization} was here before it moved to the cell {cell}, and its closed copy \
                 is still here. An organisation does not return to a cell that it has left: \
                 import it into another one"
            ),
            None => format!(
                "this database has the organisation {organization} already, and not from this \
                 export. Is DATABASE_URL that of the cell that it shall leave?"
            ),
        }))
    }

    async fn insert(
        &self,
        organization: &OrganizationId,
        manifest: &Manifest,
        sha256: &str,
        report: &mut impl FnMut(String),
    ) -> Result<(), MoveError> {
        let mut transaction = self.tenants.write(organization).await?;
        prepare(&mut transaction).await?;
        let tables = list_tables(&mut transaction).await?;
        require_same(&tables, manifest)?;
        for (table, written) in tables.iter().zip(&manifest.tables) {
            rows::import(&mut transaction, table, self.folder).await?;
            report_rows(report, written);
        }
        // After all of them, because rows of one table can change those of another.
        for table in &tables {
            rows::compare(&mut transaction, organization, table, self.folder).await?;
        }
        pdfs::compare(&mut transaction, self.folder).await?;
        report("every row is as it was exported".to_owned());
        raise_history_sequence(&mut transaction).await?;
        record_all(&mut transaction, self.storage, organization).await?;
        store::note_import(&mut transaction, manifest, sha256).await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Requires the tables and columns of the export.
fn require_same(tables: &[Table], manifest: &Manifest) -> Result<(), MoveError> {
    let own = tables.iter().map(|table| (&table.name, &table.columns));
    let exported = manifest.tables.iter().map(|table| (&table.name, &table.columns));
    if own.eq(exported) {
        return Ok(());
    }
    Err(MoveError::rejected(
        "the export has other tables or columns than this database: were the migrations of both \
         cells applied by the same release?",
    ))
}
