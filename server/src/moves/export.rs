//! An export: PDFs first, while requests go on; then the organisation is stopped, and its rows and
//! the newest PDFs are read from one snapshot.

use std::time::Duration;

use chrono::Utc;

use super::{
    MoveError,
    folder::Folder,
    model::{FORMAT, Manifest, TableRows},
    pdfs::PdfExport,
    rows::{self, store::prepare},
    store::{self, State},
};
use crate::{id::OrganizationId, postgres::Tenants, statements::storage::Storage};

pub(crate) struct Export<'a> {
    pub(crate) tenants: &'a Tenants,
    pub(crate) storage: &'a Storage,
    pub(crate) organization: &'a OrganizationId,
    pub(crate) folder: &'a Folder,
    /// How long requests that are under way may go on after no other one is admitted.
    pub(crate) drain: Duration,
}

impl Export<'_> {
    /// Runs it; `report` gets its steps. After an error the organisation may be stopped.
    pub(crate) async fn run(&self, report: &mut impl FnMut(String)) -> Result<Manifest, MoveError> {
        let Self { tenants, organization, .. } = self;
        let mut transaction = tenants.write(organization).await?;
        let state = store::lock_state(&mut transaction).await?;
        drop(transaction);
        match state {
            None => {
                return Err(MoveError::rejected(format!(
                    "there is no organisation {organization}: `payout-server organizations list` \
                     shows them all"
                )));
            }
            Some(State { moved_to: Some(cell), .. }) => {
                return Err(MoveError::rejected(format!(
                    "{organization} has moved to the cell {cell}: export it there"
                )));
            }
            Some(State { stopped_at: Some(_), .. }) => {
                report("is stopped already".to_owned());
            }
            Some(_) => {
                self.export_pdfs(report).await?;
                self.stop(report).await?;
            }
        }
        let mut transaction = tenants.read(organization).await?;
        store::wait_for_open_transactions(&mut transaction).await?;
        drop(transaction);
        self.snapshot(report).await
    }

    /// Writes the PDFs while requests go on, so that few are left for the stop.
    async fn export_pdfs(&self, report: &mut impl FnMut(String)) -> Result<(), MoveError> {
        let mut transaction = self.tenants.read(self.organization).await?;
        let pdfs = self.pdfs();
        pdfs.run(&mut transaction, |count| report_count(report, count, "PDFs written")).await?;
        Ok(())
    }

    /// Two steps, so that requests that were admitted can end as if nothing was.
    async fn stop(&self, report: &mut impl FnMut(String)) -> Result<(), MoveError> {
        let mut transaction = self.tenants.write(self.organization).await?;
        store::stop_keys(&mut transaction).await?;
        transaction.commit().await?;
        report(format!(
            "is stopped; to open it again: payout-server organizations resume {}",
            self.organization
        ));
        tokio::time::sleep(self.drain).await;
        let mut transaction = self.tenants.write(self.organization).await?;
        store::stop(&mut transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn snapshot(&self, report: &mut impl FnMut(String)) -> Result<Manifest, MoveError> {
        let mut transaction = self.tenants.snapshot(self.organization).await?;
        prepare(&mut transaction).await?;
        let mut tables = Vec::new();
        for table in rows::store::list_tables(&mut transaction).await? {
            let written =
                rows::export(&mut transaction, self.organization, &table, self.folder).await?;
            report_rows(report, &written);
            tables.push(written);
        }
        let pdfs = self.pdfs();
        let pdfs =
            pdfs.run(&mut transaction, |count| report_count(report, count, "PDFs written")).await?;
        drop(transaction);
        let manifest = Manifest {
            format: FORMAT,
            schema_version: payout_database::schema_version(),
            organization_id: self.organization.to_string(),
            exported_at: Utc::now(),
            tables,
            pdfs,
        };
        self.folder.write_manifest(&manifest)?;
        Ok(manifest)
    }

    fn pdfs(&self) -> PdfExport<'_> {
        let Self { storage, organization, folder, .. } = self;
        PdfExport { storage, organization, folder }
    }
}

/// Reports a table that is not empty.
pub(super) fn report_rows(report: &mut impl FnMut(String), table: &TableRows) {
    if table.rows > 0 {
        report(format!("rows of {}: {}", table.name, table.rows));
    }
}

/// Reports every thousandth.
pub(super) fn report_count(report: &mut impl FnMut(String), count: u64, what: &str) {
    const STEP: u64 = 1000;
    if count.is_multiple_of(STEP) {
        report(format!("{count} {what}"));
    }
}
