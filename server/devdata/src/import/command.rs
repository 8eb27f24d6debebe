//! The command `import FILE`.

use std::path::PathBuf;

use clap::Args;
use payout_server::tools::{AssetOptions, DatabaseOptions, Environment, json, read_text, table};

use super::{
    read,
    write::{self, ImportError, Imported},
};
use crate::{Error, key_file};

/// Import organisations with users, tiers, phases, templates, partners, payouts and lines
///
/// The file is JSON of the schema that --print-schema prints; conformance/dataset.json is an
/// example. The whole file is validated before anything is written, and every violation is listed.
/// Each organisation is imported in one transaction; existing ones are rejected. The import makes
/// the API keys and shows them once.
#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The file; - reads standard input
    #[arg(required_unless_present = "print_schema", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print the JSON Schema of the file, and do nothing else
    #[arg(long)]
    print_schema: bool,
    /// Validate the file, and do nothing else
    #[arg(long, conflicts_with = "print_schema")]
    check: bool,
    /// Write the keys to this file (mode 0600, shell variables) instead of printing them
    #[arg(long, value_name = "FILE")]
    keys_file: Option<PathBuf>,
    #[command(flatten)]
    options: ImportOptions,
}

/// The flags of every command that imports.
#[derive(Args, Debug)]
pub(crate) struct ImportOptions {
    /// Environment of the servers that accept the keys: pcp_live_… or pcp_test_…
    #[arg(long, env = "PAYOUT_ENVIRONMENT", default_value = "test", value_enum)]
    pub(crate) environment: Environment,
    #[command(flatten)]
    pub(crate) assets: AssetOptions,
}

pub(crate) async fn run(
    database: &DatabaseOptions,
    arguments: ImportArguments,
) -> Result<(), Error> {
    let Some(file) = arguments.file.filter(|_| !arguments.print_schema) else {
        anstream::println!("{}", json(&read::schema()));
        return Ok(());
    };
    let dataset = read::read(&read_text(&file)?)?;
    if arguments.check {
        anstream::println!("{} is valid.", file.display());
        return Ok(());
    }
    let ImportOptions { environment, assets } = arguments.options;
    let storage = database.storage(&assets).await?;
    let database = database.open().await?;
    let imported = write::import(&database.pool().await?, &storage, dataset, environment).await;
    let imported = imported.map_err(|error| -> Error {
        match error {
            ImportError::Exists(_) => {
                format!("{error}. Remove them from the file, or change their names and ids").into()
            }
            other => other.into(),
        }
    })?;
    print_counts(&imported);
    match &arguments.keys_file {
        Some(path) => {
            key_file::write(path, &imported)?;
            anstream::println!("Keys: {}", path.display());
        }
        None if imported.iter().any(|organization| !organization.keys.is_empty()) => {
            let keys = key_file::as_table(&imported);
            anstream::println!("\nThese keys are not shown again:\n{keys}");
        }
        None => {}
    }
    Ok(database.close().await?)
}

/// Prints what was imported.
pub(crate) fn print_counts(imported: &[Imported]) {
    let row = |organization: &Imported| {
        vec![
            organization.name.clone(),
            organization.id.to_string(),
            organization.keys.len().to_string(),
            organization.partners.to_string(),
            organization.payouts.to_string(),
            organization.commission_lines.to_string(),
        ]
    };
    let heads = ["organisation", "id", "keys", "partners", "payouts", "lines"];
    anstream::println!("{}", table(&heads, &imported.iter().map(row).collect::<Vec<_>>()));
}
