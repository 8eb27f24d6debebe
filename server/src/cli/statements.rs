//! `statements`: upload, remove-upload, show. Only requests generate statements, because they are
//! metered and recorded.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{database::DatabaseOptions, error::CliError, output, values};
use crate::{
    id::OrganizationId,
    organizations::MissingBilling,
    payouts,
    postgres::Tenants,
    statements::{
        assets::{self, AssetRecord},
        model::{Facts, LINES_LIMIT, Obstacle},
        storage::AssetOptions,
        store,
        upload::{self, Pdf, UploadError},
    },
};

/// Statements: upload a PDF in place of the rendered one, remove it, show the PDFs of a payout
#[derive(Debug, Subcommand)]
pub(crate) enum StatementsCommand {
    /// Use your own PDF as the statement of a payout; the API returns it unchanged
    Upload(UploadArguments),
    /// Withdraw an uploaded PDF: the API renders the statement again
    ///
    /// The PDF itself is kept, and download links that were already given out lead to it until they
    /// expire: at most --link-lifetime-seconds of `serve`.
    RemoveUpload(PayoutArguments),
    /// Show the PDFs of a payout, and what generateStatement would return now
    Show(ShowArguments),
}

#[derive(Args, Debug)]
pub(crate) struct PayoutArguments {
    /// Id of the organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    pub(super) organization: OrganizationId,
    /// Id of the payout
    #[arg(value_name = "PAYOUT_ID")]
    pub(super) payout: String,
}

#[derive(Args, Debug)]
pub(crate) struct UploadArguments {
    #[command(flatten)]
    payout: PayoutArguments,
    /// The PDF, of at most 25 MB
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    assets: AssetOptions,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    payout: PayoutArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    command: StatementsCommand,
) -> Result<(), CliError> {
    match command {
        StatementsCommand::Upload(arguments) => upload(options, arguments).await,
        StatementsCommand::RemoveUpload(arguments) => remove_upload(options, arguments).await,
        StatementsCommand::Show(arguments) => show(options, arguments).await,
    }
}

async fn upload(options: &DatabaseOptions, arguments: UploadArguments) -> Result<(), CliError> {
    let UploadArguments { payout: PayoutArguments { organization, payout }, file, assets } =
        arguments;
    let shown = file.display().to_string();
    let bytes = std::fs::read(&file)
        .map_err(|error| CliError::message(format!("{shown} cannot be read: {error}")))?;
    let pdf =
        Pdf::new(bytes.into()).map_err(|error| CliError::message(format!("{shown}: {error}")))?;
    let database = options.open().await?;
    let storage = options.storage_of(&database, &assets, false).await?;
    let tenants = Tenants::from(&database.pool().await?);
    let asset = upload::upload(&tenants, &storage, &organization, &payout, pdf).await;
    let asset = asset.map_err(|error| match error {
        UploadError::NoPayout => no_payout(&organization, &payout),
        UploadError::Database(error) => error.into(),
        error => CliError::message(error.to_string()),
    })?;
    anstream::println!("{}: {} bytes, returned for {payout} from now on", asset.id, asset.length);
    database.close().await
}

async fn remove_upload(
    options: &DatabaseOptions,
    arguments: PayoutArguments,
) -> Result<(), CliError> {
    let PayoutArguments { organization, payout } = arguments;
    let database = options.open().await?;
    let mut transaction = Tenants::from(&database.pool().await?).write(&organization).await?;
    let removed = upload::remove(&mut transaction, &payout).await?;
    if removed.is_none() && payouts::store::get_payout(&mut transaction, &payout).await?.is_none() {
        return Err(no_payout(&organization, &payout));
    }
    transaction.commit().await?;
    match removed {
        Some(asset) => anstream::println!("{asset} is kept, and no longer returned for {payout}"),
        None => anstream::println!("{payout} has no uploaded PDF: nothing changed"),
    }
    database.close().await
}

async fn show(options: &DatabaseOptions, arguments: ShowArguments) -> Result<(), CliError> {
    let PayoutArguments { organization, payout } = arguments.payout;
    let database = options.open().await?;
    let mut transaction = Tenants::from(&database.pool().await?).snapshot(&organization).await?;
    let facts = store::get_facts(&mut transaction, &payout).await?;
    let facts = facts.ok_or_else(|| no_payout(&organization, &payout))?;
    let answer = answer(&organization, &facts);
    let kept = assets::store::list_assets(&mut transaction, &payout).await?;
    drop(transaction);
    if arguments.json {
        let assets: Vec<Value> = kept.iter().map(to_json).collect();
        anstream::println!("{}", output::json(&json!({ "answer": answer, "assets": assets })));
    } else {
        anstream::println!("generateStatement would answer: {answer}");
        if !kept.is_empty() {
            let heads = ["asset", "made", "by", "bytes", "sha256", "filename"];
            let rows: Vec<Vec<String>> = kept.iter().map(row).collect();
            anstream::println!("\n{}", output::table(&heads, &rows));
        }
    }
    database.close().await
}

/// Returns the response to a request now, in the order of the checks (S1).
fn answer(organization: &OrganizationId, facts: &Facts) -> String {
    match (&facts.state.current, facts.obstacle()) {
        (Some(asset), _) if asset.is_damaged && asset.is_uploaded => format!(
            "500 INTERNAL_ERROR, the uploaded {} is damaged; to fix it: payout-server statements \
             upload --organization {organization} {} FILE",
            asset.id, facts.state.payout_id
        ),
        (Some(asset), None) if asset.is_damaged => {
            format!("200, {} made again, because its object is damaged", asset.id)
        }
        (Some(asset), _) if asset.is_uploaded => format!("200, the uploaded {}", asset.id),
        (Some(asset), _) => format!("200, the same document as before, {}", asset.id),
        (None, None) => {
            "200, a document of the present lines, PO number, note and template".to_owned()
        }
        (None, Some(Obstacle::NoBilling(missing))) => format!(
            "422 NO_BILLING_INFO; to fix it: payout-server organizations set-billing \
             {organization} {} …",
            MissingBilling::flags(&missing).join(" … ")
        ),
        (None, Some(Obstacle::TooLarge { .. })) => {
            format!("422 STATEMENT_TOO_LARGE, more than {LINES_LIMIT} lines")
        }
        (None, Some(Obstacle::NoLines)) => "422 NO_COMMISSION_LINES".to_owned(),
    }
}

fn no_payout(organization: &OrganizationId, payout: &str) -> CliError {
    CliError::message(format!(
        "{organization} has no payout {payout}: \
         GET /api/v1/commission-lines lists the payouts of its lines"
    ))
}

fn origin(kept: &AssetRecord) -> String {
    let by = if kept.is_uploaded { "uploaded" } else { "rendered" };
    let withdrawn = kept.withdrawn_at.map(|_| ", withdrawn").unwrap_or_default();
    let damaged = kept.damaged_at.map(|_| ", damaged").unwrap_or_default();
    format!("{by}{withdrawn}{damaged}")
}

fn row(kept: &AssetRecord) -> Vec<String> {
    vec![
        kept.id.clone(),
        output::time(kept.created_at),
        origin(kept),
        kept.length.to_string(),
        hex::encode(&kept.sha256[..6]),
        kept.filename.clone(),
    ]
}

fn to_json(kept: &AssetRecord) -> Value {
    json!({
        "id": kept.id,
        "filename": kept.filename,
        "length": kept.length,
        "sha256": hex::encode(kept.sha256),
        "isUploaded": kept.is_uploaded,
        "createdAt": output::time(kept.created_at),
        "withdrawnAt": kept.withdrawn_at.map(output::time),
        "damagedAt": kept.damaged_at.map(output::time),
    })
}
