//! `payouts create`: a payout, with the lines it takes from the pending pool.
//!
//! It refuses to take an amount: that is the sum of the lines.

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde_json::json;

use super::output::say;
use super::{database::DatabaseOptions, error::CliError, output, values};
use crate::{
    gate::OrganizationId,
    history::OPERATOR,
    id::Kind,
    payouts::store::{self, NewPayout},
    sets::PayoutStage,
    tenant::Tenants,
};

/// Payouts: create one
#[derive(Debug, Subcommand)]
pub enum PayoutsCommand {
    /// Create a payout for a partner, empty or with the partner's pending lines
    Create(CreateArguments),
}

/// The flags of `create`.
#[derive(Args, Debug)]
pub struct CreateArguments {
    /// Id of the organisation
    #[arg(long, value_parser = values::organization_id, value_name = "ORGANIZATION_ID")]
    organization: OrganizationId,
    /// Id of the partner that is paid
    #[arg(long, value_name = "PARTNER_ID")]
    partner: String,
    /// Its currency, ISO 4217; only lines of it are taken
    #[arg(long, value_parser = values::currency)]
    currency: String,
    /// Start of its period: a day (00:00 UTC) or a time
    #[arg(long, value_parser = values::instant, value_name = "TIME")]
    period_start: DateTime<Utc>,
    /// End of its period: a day (00:00 UTC) or a time
    #[arg(long, value_parser = values::instant, value_name = "TIME")]
    period_end: DateTime<Utc>,
    /// Its stage
    #[arg(long, value_enum, default_value = "DRAFT")]
    stage: PayoutStage,
    /// Take all of the partner's pending lines in this currency
    #[arg(long)]
    attach_pending: bool,
    /// Purchase-order number, which its statement prints
    #[arg(long, value_parser = values::text)]
    po_number: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// The database cannot be used, or the organisation has no such partner.
pub async fn run(options: &DatabaseOptions, command: PayoutsCommand) -> Result<(), CliError> {
    let PayoutsCommand::Create(arguments) = command;
    if arguments.period_end < arguments.period_start {
        return Err(CliError::told(
            "--period-end is before --period-start: exchange them",
        ));
    }
    let database = options.open().await?;
    let pool = database.pool().await?;
    let (id, batch_id) = (Kind::Payout.mint(), Kind::PayoutBatch.mint());
    let new = NewPayout {
        id: &id,
        partner_id: &arguments.partner,
        batch_id: &batch_id,
        period_start: arguments.period_start,
        period_end: arguments.period_end,
        currency: &arguments.currency,
        stage: arguments.stage.as_str(),
        po_number: arguments.po_number.as_deref(),
        attach_pending: arguments.attach_pending,
    };
    let organization = &arguments.organization;
    let mut transaction = Tenants::new(pool).write(organization).await?;
    let created = store::create_payout(&mut transaction, OPERATOR, None, new).await?;
    let created = created.ok_or_else(|| {
        CliError::told(format!(
            "{organization} has no partner {}: `payout-server organizations list` shows the organisations, GET /api/v1/partners the partners",
            arguments.partner
        ))
    })?;
    transaction.commit().await?;
    let amount = format!("{:.2}", created.amount);
    if arguments.json {
        let shown = json!({ "id": id, "lines": created.lines, "amount": { "value": amount, "currency": arguments.currency } });
        say!("{}", output::json(&shown));
    } else {
        say!(
            "{id}: {} lines, {amount} {}",
            created.lines,
            arguments.currency
        );
    }
    database.close().await
}
