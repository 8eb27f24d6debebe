//! The command `import FILE`.

use std::path::PathBuf;

use clap::Args;
use payout_server::tools::{
    AssetOptions, Cell, DatabaseOptions, Environment, KeyPrefix, read_text, table,
};

use crate::{
    Error,
    import::{Dataset, Imported, import},
    key_file,
};

/// Import organisations with users, tiers, phases, templates, partners, payouts and lines
///
/// The file is JSON; conformance/dataset.json is an example, and dataset.md beside it describes the
/// entries. Nothing is written before the whole file is read. Each organisation is imported in one
/// transaction; existing ones are rejected. The import makes the API keys and shows them once.
#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The file; - reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Read the file, and write nothing: values that only the database checks are not checked
    #[arg(long)]
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
    /// Cell of the keys, where there is more than one database: two characters
    #[arg(long, env = "PAYOUT_CELL")]
    pub(crate) cell: Option<Cell>,
    #[command(flatten)]
    pub(crate) assets: AssetOptions,
}

impl ImportOptions {
    pub(crate) fn key_prefix(&self) -> KeyPrefix {
        KeyPrefix { environment: self.environment, cell: self.cell }
    }
}

pub(crate) async fn run(
    database: &DatabaseOptions,
    arguments: ImportArguments,
) -> Result<(), Error> {
    let dataset = Dataset::read(&read_text(&arguments.file)?)?;
    if arguments.check {
        anstream::println!("{} can be read.", arguments.file.display());
        return Ok(());
    }
    let options = &arguments.options;
    let storage = database.storage(&options.assets).await?;
    let database = database.open().await?;
    let imported = import(&database.pool().await?, &storage, dataset, options.key_prefix()).await?;
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
