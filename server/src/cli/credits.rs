//! `organizations credit` and `set-used`: correct the credits that an organisation has used, such
//! as after a restore of the database to an earlier time.

use chrono::{DateTime, Utc};
use clap::{Args, value_parser};

use super::{error::CliError, values};
use crate::{id::OrganizationId, organizations::store, postgres::Tenants};

#[derive(Args, Debug)]
pub(crate) struct CreditArguments {
    /// The organisation's id
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
    /// Credits; what was used never falls below 0
    #[arg(long, value_parser = value_parser!(i64).range(1..=1_000_000_000))]
    credits: i64,
    /// The month that they were used in, in UTC, such as 2026-05; an error if it has ended
    /// [default: the present month]
    #[arg(long, value_parser = values::month)]
    month: Option<DateTime<Utc>>,
}

#[derive(Args, Debug)]
pub(crate) struct SetUsedArguments {
    /// The organisation's id
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
    /// Credits used in the present month
    #[arg(long, value_parser = value_parser!(i64).range(0..=1_000_000_000))]
    credits: i64,
}

pub(crate) async fn set_used(
    tenants: Tenants,
    arguments: SetUsedArguments,
) -> Result<(), CliError> {
    let id = &arguments.organization;
    let mut transaction = tenants.write(id).await?;
    let before = store::lock_used(&mut transaction).await?;
    let before = before.ok_or_else(|| CliError::no_organization(id.as_str()))?;
    let after = store::Used { month: before.present_month, credits: arguments.credits, ..before };
    store::set_used(&mut transaction, "set_used", &before, &after).await?;
    transaction.commit().await?;
    anstream::println!(
        "{id}: {} credits used in {}, before: {} in {}",
        after.credits,
        after.month.format("%Y-%m"),
        before.credits,
        before.month.format("%Y-%m")
    );
    Ok(())
}

pub(crate) async fn credit(tenants: Tenants, arguments: CreditArguments) -> Result<(), CliError> {
    let id = &arguments.organization;
    let mut transaction = tenants.write(id).await?;
    let used = store::lock_used(&mut transaction).await?;
    let before = used.ok_or_else(|| CliError::no_organization(id.as_str()))?;
    let month = arguments.month.unwrap_or(before.present_month);
    if month != before.month {
        return Err(CliError::message(format!(
            "{id} has used no credits in {}: the latest use is of {}, and an earlier month needs \
             no credits any more",
            month.format("%Y-%m"),
            before.month.format("%Y-%m")
        )));
    }
    let after = store::Used { credits: (before.credits - arguments.credits).max(0), ..before };
    store::set_used(&mut transaction, "credit", &before, &after).await?;
    transaction.commit().await?;
    anstream::println!(
        "{id}: {} credits used in {}, before: {}",
        after.credits,
        month.format("%Y-%m"),
        before.credits
    );
    Ok(())
}
