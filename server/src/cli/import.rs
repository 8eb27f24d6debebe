//! `import FILE`: organisations with all they own, from JSON.
//!
//! It refuses a file with a single fault, and organisations that exist.

use std::path::PathBuf;

use clap::Args;

use super::output::say;
use super::{
    database::{DatabaseOptions, read_text},
    error::CliError,
    key_file, output,
};
use crate::{
    gate::Environment,
    import::{
        read,
        write::{self, ImportError, Imported},
    },
    statements::storage::AssetOptions,
};

/// Import organisations with their users, tiers, phases, templates, partners, payouts and commission lines
///
/// The file is JSON of the schema that --print-schema prints; conformance/dataset.json is an example. It is judged whole
/// before anything is written, and every violation is listed. Each organisation is imported in one transaction; one that
/// exists already is refused. Keys are made now, and shown this once.
#[derive(Args, Debug)]
pub struct ImportArguments {
    /// The file; - reads standard input
    #[arg(required_unless_present = "print_schema", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print the JSON Schema of the file, and do nothing else
    #[arg(long)]
    print_schema: bool,
    /// Judge the file, and do nothing else
    #[arg(long, conflicts_with = "print_schema")]
    check: bool,
    /// Write the keys to this file (mode 0600, shell variables) instead of printing them
    #[arg(long, value_name = "FILE")]
    keys_file: Option<PathBuf>,
    /// Which servers take the keys: pcp_live_… or pcp_test_…
    #[arg(long, env = "PAYOUT_ENVIRONMENT", default_value = "test", value_enum)]
    environment: Environment,
    #[command(flatten)]
    assets: AssetOptions,
}

/// Runs the command.
///
/// # Errors
/// The file is not sound, an organisation exists, or the database cannot be used.
pub async fn run(options: &DatabaseOptions, arguments: ImportArguments) -> Result<(), CliError> {
    let Some(file) = arguments.file.filter(|_| !arguments.print_schema) else {
        say!("{}", output::json(&read::schema()));
        return Ok(());
    };
    let dataset = read::read(&read_text(&file)?)?;
    if arguments.check {
        say!("{} is sound.", file.display());
        return Ok(());
    }
    let database = options.open().await?;
    let pool = database.pool().await?;
    let storage = options.storage(&arguments.assets).await?;
    let imported = write::import(&pool, &storage, dataset, arguments.environment).await;
    let imported = imported.map_err(|error| match error {
        ImportError::Exists(_) => CliError::told(format!(
            "{error}. Take them out of the file, or give them another name and id"
        )),
        other => other.into(),
    })?;
    print_counts(&imported);
    match &arguments.keys_file {
        Some(path) => {
            key_file::write(path, &imported)?;
            say!("Keys: {}", path.display());
        }
        None if imported
            .iter()
            .any(|organization| !organization.keys.is_empty()) =>
        {
            say!(
                "\nThese keys are not shown again:\n{}",
                key_file::as_table(&imported)
            );
        }
        None => {}
    }
    database.close().await
}

/// What was imported, for people.
pub(super) fn print_counts(imported: &[Imported]) {
    let row = |organization: &Imported| {
        let counts = [
            organization.keys.len(),
            organization.partners,
            organization.payouts,
            organization.commission_lines,
        ];
        let names = [organization.name.clone(), organization.id.to_string()];
        names
            .into_iter()
            .chain(counts.map(|count| count.to_string()))
            .collect()
    };
    let heads = ["organisation", "id", "keys", "partners", "payouts", "lines"];
    say!(
        "{}",
        output::table(
            &heads,
            &imported.iter().map(row).collect::<Vec<Vec<String>>>()
        )
    );
}
