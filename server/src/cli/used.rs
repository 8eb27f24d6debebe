//! `organizations set-used`: corrects the credits that an organisation has used, such as after a
//! restore of the database to an earlier time.

use clap::{Args, value_parser};

use super::{error::CliError, values};
use crate::{id::OrganizationId, organizations::store, tenant::Tenants};

/// The flags of `set-used`.
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
