//! `organizations export`, `import`, `close`, `resume` and `routes`: an organisation moves to
//! another cell, which is another database with its servers.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::{Args, value_parser};

use super::{
    database::{Database, DatabaseOptions},
    error::CliError,
    values,
};
use crate::{
    gate::Cell,
    id::OrganizationId,
    moves::{
        MoveError,
        export::Export,
        folder::Folder,
        import::Import,
        model::{Manifest, Receipt},
        store,
    },
    postgres::Tenants,
    statements::storage::AssetOptions,
};

#[derive(Args, Debug)]
pub(crate) struct ExportArguments {
    /// The organisation's id
    #[arg(value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    id: OrganizationId,
    /// A new folder, for this account alone; it gets all rows and PDFs of the organisation
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// How long requests that are under way may go on after the stop; what they have not changed
    /// until then they do not change, and get a 503
    #[arg(
        long,
        default_value_t = 5,
        value_parser = value_parser!(u64).range(0..=600),
        value_name = "SECONDS"
    )]
    drain_seconds: u64,
    #[command(flatten)]
    assets: AssetOptions,
}

#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The folder of an export
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    #[command(flatten)]
    cell: CellArguments,
    #[command(flatten)]
    assets: AssetOptions,
}

/// The cell whose database this is.
#[derive(Args, Debug)]
pub(crate) struct CellArguments {
    /// The cell of this database: two characters
    #[arg(long, env = "PAYOUT_CELL")]
    cell: Cell,
}

#[derive(Args, Debug)]
pub(crate) struct CloseArguments {
    /// The folder of the export, in which the import has left its receipt
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct ResumeArguments {
    /// The organisation's id
    #[arg(value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    id: OrganizationId,
}

pub(crate) async fn export(
    options: &DatabaseOptions,
    database: &Database,
    tenants: &Tenants,
    arguments: &ExportArguments,
) -> Result<(), CliError> {
    let storage = options.storage_of(database, &arguments.assets, false).await?;
    let folder = Folder::create(&arguments.to)?;
    let (id, begun) = (&arguments.id, Instant::now());
    let export = Export {
        tenants,
        storage: &storage,
        organization: id,
        folder: &folder,
        drain: Duration::from_secs(arguments.drain_seconds),
    };
    let manifest = export.run(&mut |step| anstream::eprintln!("{id}: {step}")).await;
    let manifest = manifest.map_err(|error| unless_open(id, &error))?;
    summary("exported", &manifest, begun.elapsed());
    anstream::eprintln!(
        "Next, at the other cell: payout-server organizations import {}",
        folder.path().display()
    );
    Ok(())
}

pub(crate) async fn import(
    options: &DatabaseOptions,
    database: &Database,
    arguments: &ImportArguments,
) -> Result<(), CliError> {
    let folder = Folder::open(&arguments.folder)?;
    let owner = database.owner_pool().await?;
    if !store::can_import(&mut *owner.acquire().await?).await? {
        return Err(CliError::message(
            "an import needs the role that owns the schema, and the role of DATABASE_URL does not: \
             set DATABASE_OWNER_URL, as for `payout-server migrate`",
        ));
    }
    let tenants = &Tenants::from(&owner);
    let storage = options.storage_of(database, &arguments.assets, false).await?;
    let begun = Instant::now();
    let cell = arguments.cell.cell.as_str();
    let import = Import { tenants, storage: &storage, folder: &folder, cell };
    let imported = import.run(&mut |step| anstream::eprintln!("{step}")).await?;
    if imported.was_imported {
        anstream::println!("{} was imported from this export before", imported.organization);
    } else {
        summary("imported", &imported.manifest, begun.elapsed());
    }
    if let Some(key) = imported.token_key {
        anstream::eprintln!(
            "Its CRM token is sealed with the key {key} of the other cell: add that line of the \
             other --crm-keys as the last one of this cell's, or connect the CRM again"
        );
    }
    anstream::eprintln!(
        "Next, here: payout-server organizations routes, for the proxy\n\
         Then, at the other cell: payout-server organizations close {}",
        folder.path().display()
    );
    Ok(())
}

pub(crate) async fn close(tenants: &Tenants, arguments: &CloseArguments) -> Result<(), CliError> {
    let folder = Folder::open(&arguments.folder)?;
    let (manifest, sha256): (Manifest, String) = folder.read_manifest()?;
    let receipt = folder.read_receipt::<Receipt>()?.filter(|receipt| {
        receipt.manifest_sha256 == sha256 && receipt.organization_id == manifest.organization_id
    });
    let receipt = receipt.ok_or_else(|| {
        CliError::message(format!(
            "{} has no receipt of an import of this export: `payout-server organizations import` \
             at the other cell writes it into the folder",
            folder.path().display()
        ))
    })?;
    let id = values::organization_id(&receipt.organization_id).map_err(CliError::message)?;
    let mut transaction = tenants.write(&id).await?;
    let state = store::lock_state(&mut transaction).await?;
    let state = state.ok_or_else(|| CliError::no_organization(&id))?;
    match (state.stopped_at, state.moved_to) {
        (_, Some(cell)) if cell == receipt.cell => {}
        (_, Some(cell)) => {
            return Err(CliError::message(format!("{id} has moved to the cell {cell} before")));
        }
        (None, None) => {
            return Err(CliError::message(format!(
                "{id} is open here, so it may have changed since the export: is DATABASE_URL that \
                 of the cell that it has left? If it was opened again with `organizations resume`, \
                 both cells have it now: keep one of them from the proxy, and decide which"
            )));
        }
        (Some(_), None) => {
            store::close(&mut transaction, &receipt).await?;
            transaction.commit().await?;
        }
    }
    anstream::println!("{id} has moved to the cell {}; the copy here is closed", receipt.cell);
    Ok(())
}

pub(crate) async fn resume(tenants: &Tenants, arguments: &ResumeArguments) -> Result<(), CliError> {
    let id = &arguments.id;
    let mut transaction = tenants.write(id).await?;
    let state = store::lock_state(&mut transaction).await?;
    let state = state.ok_or_else(|| CliError::no_organization(id))?;
    if let Some(cell) = state.moved_to {
        return Err(CliError::message(format!(
            "{id} has moved to the cell {cell}, where it changes: its copy here stays closed"
        )));
    }
    store::resume(&mut transaction).await?;
    transaction.commit().await?;
    anstream::println!("{id} is open");
    Ok(())
}

/// Prints a line for each key and each affiliate code: what the proxy sees of it, and this cell.
pub(crate) async fn routes(pool: &sqlx::PgPool, arguments: &CellArguments) -> Result<(), CliError> {
    let cell = arguments.cell.as_str();
    for route in store::list_routes(&mut *pool.acquire().await?).await? {
        anstream::println!("{route} {cell}");
    }
    Ok(())
}

/// Adds what to do about the stop, which the error may have come after.
fn unless_open(id: &OrganizationId, error: &MoveError) -> CliError {
    CliError::message(format!(
        "{error}\nIf {id} is stopped now (`payout-server organizations show {id}`), repeat the \
         export, or open it again: payout-server organizations resume {id}"
    ))
}

fn summary(done: &str, manifest: &Manifest, took: Duration) {
    let rows: u64 = manifest.tables.iter().map(|table| table.rows).sum();
    let pdfs = manifest.pdfs;
    anstream::println!(
        "{} {done} in {:.1} s: {} tables with {rows} rows; PDFs: {}, of {} bytes",
        manifest.organization_id,
        took.as_secs_f64(),
        manifest.tables.len(),
        pdfs.count,
        pdfs.bytes
    );
    if pdfs.damaged > 0 {
        anstream::eprintln!(
            "{} PDFs were damaged before, and have no file: `payout-server assets verify` names \
             them",
            pdfs.damaged
        );
    }
}
