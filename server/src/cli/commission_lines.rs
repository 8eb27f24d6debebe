//! `commission-lines mature`: expected lines become pending when their hold is over (X19).

use clap::{Args, Subcommand};

use super::{database::DatabaseOptions, error::CliError, organizations, values};
use crate::{commission_lines::maturity::store, id::OrganizationId, postgres::Tenants};

/// Commission lines: mature the expected ones
#[derive(Debug, Subcommand)]
pub(crate) enum CommissionLinesCommand {
    /// Make expected lines pending whose conversion's hold is over; run it daily
    ///
    /// The command can be stopped at any time and goes on where it was. It may run beside servers,
    /// and beside itself.
    Mature(MatureArguments),
}

#[derive(Args, Debug)]
pub(crate) struct MatureArguments {
    /// Only lines of this organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: Option<OrganizationId>,
    /// These expected lines instead, at once: also one within its hold, or without a conversion
    #[arg(value_name = "LINE_ID", requires = "organization")]
    lines: Vec<String>,
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    command: CommissionLinesCommand,
) -> Result<(), CliError> {
    let CommissionLinesCommand::Mature(MatureArguments { organization, lines }) = command;
    let database = options.open().await?;
    let pool = database.pool().await?;
    let tenants = Tenants::from(&pool);
    let ids = match organization {
        Some(organization) => {
            organizations::find(&pool, &organization).await?;
            vec![organization]
        }
        None => organizations::list_open_ids(&pool).await?,
    };
    let mut matured = 0;
    for id in ids {
        matured += match lines.is_empty() {
            true => mature_due(&tenants, &id).await?,
            false => mature_lines(&tenants, &id, &lines).await?,
        };
    }
    match matured {
        1 => anstream::println!("1 line is pending now"),
        _ => anstream::println!("{matured} lines are pending now"),
    }
    database.close().await
}

async fn mature_due(tenants: &Tenants, organization: &OrganizationId) -> Result<i64, CliError> {
    const SHOWN_LINES: i64 = 100_000;
    let mut shown = 0;
    let progress = |matured| {
        if matured >= shown + SHOWN_LINES {
            shown = matured;
            anstream::eprintln!("{organization}: {matured} lines so far");
        }
    };
    Ok(store::mature_all(tenants, organization, progress).await?)
}

/// Matures all of these lines, or none.
async fn mature_lines(
    tenants: &Tenants,
    organization: &OrganizationId,
    lines: &[String],
) -> Result<i64, CliError> {
    let mut transaction = tenants.write(organization).await?;
    let matured = store::mature_lines(&mut transaction, lines).await?;
    let others: Vec<&str> =
        lines.iter().filter(|line| !matured.contains(line)).map(String::as_str).collect();
    if !others.is_empty() {
        return Err(CliError::message(format!(
            "{organization} has no expected line {}, so nothing was changed: \
             GET /api/v1/commission-lines?status=EXPECTED lists them",
            others.join(", ")
        )));
    }
    transaction.commit().await?;
    Ok(i64::try_from(matured.len()).unwrap_or(i64::MAX))
}
