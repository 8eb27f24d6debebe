//! The command `organizations`: any number of organisations for measurements, each with a key, a
//! partner and a payout. Everything but the keys follows from an organisation's number.

use std::{fmt::Write as _, path::PathBuf, time::Instant};

use clap::{Args, value_parser};
use payout_server::tools::{ApiKey, DatabaseOptions, Environment, newest_version};
use sqlx::PgPool;

use crate::{Error, key_file};

const MAX_ORGANIZATIONS: u32 = 1_000_000;
/// Organisations that are generated in one transaction, and the step of the progress.
const ORGANIZATIONS_PER_BATCH: usize = 20_000;

const STATEMENTS: &str = include_str!("organizations.sql");

/// Generate organisations for measurements, each with a key, a partner and a payout
///
/// Organisation 7 is org_01BE0000000000000000000007, and its payout pay_01BE0000000000000000000007.
/// A million take about a minute. They can be generated only once.
#[derive(Args, Debug)]
pub(crate) struct OrganizationsArguments {
    /// Number of organisations, up to a million
    #[arg(value_parser = value_parser!(u32).range(1..=i64::from(MAX_ORGANIZATIONS)))]
    #[arg(value_name = "ORGANIZATIONS")]
    count: u32,
    /// Write the keys to this file (mode 0600, shell variables)
    #[arg(long, value_name = "FILE")]
    keys_file: PathBuf,
    /// Environment of the servers that accept the keys: pcp_live_… or pcp_test_…
    #[arg(long, env = "PAYOUT_ENVIRONMENT", default_value = "test", value_enum)]
    environment: Environment,
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    arguments: OrganizationsArguments,
) -> Result<(), Error> {
    let begun = Instant::now();
    let database = options.open().await?;
    let pool = database.owner_pool().await?;
    anstream::eprintln!("Generating {} organisations …", arguments.count);
    let numbers: Vec<u32> = (0..arguments.count).collect();
    let mut keys = String::new();
    for batch in numbers.chunks(ORGANIZATIONS_PER_BATCH) {
        let generated = |number: &u32| (*number, ApiKey::generate(arguments.environment));
        let batch: Vec<(u32, ApiKey)> = batch.iter().map(generated).collect();
        insert(&pool, &batch).await.map_err(explain)?;
        for (number, key) in &batch {
            let name = key_file::variable(&format!("bench {number}"), "all");
            writeln!(keys, "{name}={}", key.reveal())?;
        }
        if let Some((last, _)) = batch.last() {
            anstream::eprintln!("  {} of {}", last + 1, arguments.count);
        }
    }
    key_file::write_text(&arguments.keys_file, &keys)?;
    sqlx::raw_sql("ANALYZE").execute(&pool).await?;
    anstream::println!("Generated them in {} s.", begun.elapsed().as_secs());
    Ok(database.close().await?)
}

async fn insert(pool: &PgPool, batch: &[(u32, ApiKey)]) -> Result<(), sqlx::Error> {
    let ids: Vec<String> =
        batch.iter().map(|(number, _)| format!("org_01BE{number:022}")).collect();
    let hashes: Vec<_> = batch.iter().map(|(_, key)| key.hash()).collect();
    let hashes: Vec<&[u8]> = hashes.iter().map(|hash| hash.as_bytes()).collect();
    let last_four: Vec<&str> = batch.iter().map(|(_, key)| key.last_four()).collect();
    let mut transaction = pool.begin().await?;
    for statement in STATEMENTS.trim_end().split_terminator(';') {
        let query = sqlx::query(statement).bind(&ids).bind(&hashes).bind(&last_four);
        query.bind(newest_version()).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

fn explain(error: sqlx::Error) -> Error {
    match error.as_database_error() {
        Some(database_error) if database_error.is_unique_violation() => {
            "organisations were generated before; use another database".into()
        }
        _ => error.into(),
    }
}
