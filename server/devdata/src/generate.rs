//! The command `generate`: any number of commission lines for one organisation, with partners and
//! payouts in proportion. The same number always gives the same rows, so measurements compare.

use std::{sync::Mutex, time::Instant};

use clap::{Args, value_parser};
use payout_server::tools::{
    DatabaseOptions, OrganizationId, TenantTransaction, Tenants, organization_id,
};

use crate::Error;

const MAX_LINES: u32 = 10_000_000;
/// Half of the lines are attached; a payout gets about this many.
const LINES_PER_PAYOUT: u32 = 50;
const LINES_PER_PARTNER: u32 = 1_000;
const MAX_PARTNERS: u32 = 1_000;
/// Partners whose rows are generated in one transaction.
const PARTNERS_PER_BATCH: u32 = 20;

const STATEMENTS: &str = include_str!("generate.sql");

/// Generate commission lines for measurements, with partners and payouts in proportion
///
/// The same number gives the same rows; a million lines take less than a minute. An organisation
/// can have generated lines only once.
#[derive(Args, Debug)]
pub(crate) struct GenerateArguments {
    /// Number of commission lines, up to 10 million
    #[arg(value_parser = value_parser!(u32).range(1..=i64::from(MAX_LINES)), value_name = "LINES")]
    lines: u32,
    /// Organisation that owns them [default: main of the data set]
    #[arg(
        long,
        value_parser = organization_id,
        default_value = "org_01JV3N8Q5R0000000000000001",
        hide_default_value = true,
        value_name = "ORGANIZATION_ID"
    )]
    organization: OrganizationId,
}

/// Two batches at a time: the checks of foreign keys take most of the time, and so run on both
/// connections.
pub(crate) async fn run(
    options: &DatabaseOptions,
    arguments: GenerateArguments,
) -> Result<(), Error> {
    let begun = Instant::now();
    let GenerateArguments { lines, organization } = arguments;
    let plan = Plan::of(lines);
    let database = options.open().await?;
    let pool = database.owner_pool().await?;
    anstream::eprintln!(
        "Generating {lines} lines, {} partners, {} payouts in {organization} …",
        plan.partners,
        plan.payouts()
    );
    let batches = Mutex::new(plan.batches());
    let tenants = Tenants::from(&pool);
    let work = || async {
        loop {
            let batch = batches.lock().expect("no thread panics with the lock").next();
            let Some((from, to)) = batch else {
                return Ok::<(), sqlx::Error>(());
            };
            let mut transaction = tenants.write(&organization).await?;
            insert(&mut transaction, plan, from, to).await?;
            transaction.commit().await?;
        }
    };
    tokio::try_join!(work(), work()).map_err(|error| explain(error, &organization))?;
    sqlx::query("ANALYZE partners, payouts, commission_lines").execute(&pool).await?;
    anstream::println!("Generated them in {} s.", begun.elapsed().as_secs());
    Ok(database.close().await?)
}

/// Every payout's amount is the exact sum of its lines when the transaction commits.
async fn insert(
    transaction: &mut TenantTransaction,
    plan: Plan,
    from: u32,
    to: u32,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    let Plan { lines, partners, payouts_per_partner } = plan;
    for statement in STATEMENTS.trim_end().split_terminator(';') {
        let mut query = sqlx::query(statement).bind(organization.as_str());
        for number in [from, to, partners, lines, payouts_per_partner] {
            query = query.bind(i64::from(number));
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

fn explain(error: sqlx::Error, organization: &OrganizationId) -> Error {
    let Some(database_error) = error.as_database_error() else {
        return error.into();
    };
    if database_error.is_unique_violation() {
        format!(
            "{organization} has generated lines already; \
             `payout-devdata seed --reset` removes those of the data set"
        )
        .into()
    } else if database_error.is_foreign_key_violation() {
        format!(
            "there is no organisation {organization}: `payout-server organizations list` lists \
             all, and `payout-devdata seed` imports the data set"
        )
        .into()
    } else {
        error.into()
    }
}

/// Numbers of rows that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    lines: u32,
    /// Lines are assigned to partners in turn.
    partners: u32,
    payouts_per_partner: u32,
}

impl Plan {
    fn of(lines: u32) -> Self {
        let partners = lines.div_ceil(LINES_PER_PARTNER).clamp(1, MAX_PARTNERS);
        let payouts = (lines / 2).div_ceil(LINES_PER_PAYOUT);
        let payouts_per_partner = payouts.div_ceil(partners).max(1);
        Self { lines, partners, payouts_per_partner }
    }

    /// Ranges of partners: about 20,000 lines each.
    fn batches(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.partners)
            .step_by(PARTNERS_PER_BATCH as usize)
            .map(move |from| (from, self.partners.min(from + PARTNERS_PER_BATCH)))
    }

    fn payouts(self) -> u32 {
        self.partners * self.payouts_per_partner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_and_payouts_grow_with_the_lines_within_bounds() {
        let least = Plan { lines: 1, partners: 1, payouts_per_partner: 1 };
        assert_eq!(Plan::of(1), least);
        let million = Plan::of(1_000_000);
        assert_eq!((million.partners, million.payouts()), (1_000, 10_000));
        let batches: Vec<_> = Plan::of(45_000).batches().collect();
        assert_eq!(batches, [(0, 20), (20, 40), (40, 45)]);
        let most = Plan::of(MAX_LINES);
        assert_eq!((most.partners, most.payouts()), (1_000, 100_000));
    }
}
