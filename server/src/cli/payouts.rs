//! `payouts`: create one with lines of the pending pool, set its PO number and its note. Its amount
//! is the sum of its lines.

use chrono::{DateTime, Utc};
use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use serde_json::json;

use super::{
    database::DatabaseOptions, error::CliError, output, statements::PayoutArguments, values,
};
use crate::{
    contract::value_sets::PayoutStage,
    history::OPERATOR,
    id::{IdKind, OrganizationId},
    payouts::{
        creation::store::{Actor, NewPayout, create_payout},
        model::NOTE_LIMIT_CHARACTERS,
        store::{self, Changed, Printed},
    },
    postgres::Tenants,
};

/// Payouts: create one, set its PO number or its note
#[derive(Debug, Subcommand)]
pub(crate) enum PayoutsCommand {
    /// Create a payout for a partner, empty or with the partner's pending lines
    Create(CreateArguments),
    /// Set or clear the purchase-order number, which the statement prints
    SetPoNumber(SetPoNumberArguments),
    /// Set or clear the note, which the statement prints
    SetNote(SetNoteArguments),
}

#[derive(Args, Debug)]
pub(crate) struct SetPoNumberArguments {
    #[command(flatten)]
    payout: PayoutArguments,
    /// The purchase-order number, 1 to 100 characters
    #[arg(value_parser = values::po_number, required_unless_present = "clear")]
    po_number: Option<String>,
    /// Remove it
    #[arg(long, conflicts_with = "po_number")]
    clear: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SetNoteArguments {
    #[command(flatten)]
    payout: PayoutArguments,
    /// The note, 1 to 2,000 characters; its line breaks are kept
    #[arg(value_parser = note, required_unless_present = "clear")]
    note: Option<String>,
    /// Remove it
    #[arg(long, conflicts_with = "note")]
    clear: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CreateArguments {
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
    #[arg(long, value_parser = stage(), default_value = "DRAFT")]
    stage: PayoutStage,
    /// Take the partner's pending lines in this currency, up to the end of the period
    #[arg(long)]
    attach_pending: bool,
    /// Purchase-order number, which its statement prints; 1 to 100 characters
    #[arg(long, value_parser = values::po_number)]
    po_number: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Returns the stages of the document, which `--help` lists.
fn stage() -> impl TypedValueParser<Value = PayoutStage> {
    PossibleValuesParser::new(PayoutStage::VALUES).try_map(|stage| PayoutStage::parse(&stage))
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    command: PayoutsCommand,
) -> Result<(), CliError> {
    match command {
        PayoutsCommand::Create(arguments) => create(options, arguments).await,
        PayoutsCommand::SetPoNumber(SetPoNumberArguments { payout, po_number, .. }) => {
            set(options, payout, Printed::PoNumber(po_number.as_deref())).await
        }
        PayoutsCommand::SetNote(SetNoteArguments { payout, note, .. }) => {
            set(options, payout, Printed::Note(note.as_deref())).await
        }
    }
}

fn note(value: &str) -> Result<String, String> {
    values::bounded(value, NOTE_LIMIT_CHARACTERS)
}

async fn set(
    options: &DatabaseOptions,
    PayoutArguments { organization, payout }: PayoutArguments,
    printed: Printed<'_>,
) -> Result<(), CliError> {
    let database = options.open().await?;
    let mut transaction = Tenants::from(&database.pool().await?).write(&organization).await?;
    let changed = store::set(&mut transaction, &payout, printed).await?;
    transaction.commit().await?;
    let what = match printed {
        Printed::PoNumber(_) => "PO number",
        Printed::Note(_) => "note",
    };
    match changed {
        Changed::Yes => {
            anstream::println!("{payout}: the {what} is changed; the next statement prints it")
        }
        Changed::Same => anstream::println!("{payout}: the {what} has not changed"),
        Changed::NotFound => {
            return Err(CliError::message(format!(
                "{organization} has no payout {payout}: GET /api/v1/payouts lists them"
            )));
        }
    }
    database.close().await
}

async fn create(options: &DatabaseOptions, arguments: CreateArguments) -> Result<(), CliError> {
    if arguments.period_end <= arguments.period_start {
        return Err(CliError::message(format!(
            "--period-end must be later than --period-start, which is {}",
            output::time(arguments.period_start)
        )));
    }
    let database = options.open().await?;
    let pool = database.pool().await?;
    let id = IdKind::Payout.generate();
    let new = NewPayout {
        id: &id,
        partner_id: &arguments.partner,
        batch_id: None,
        period_start: arguments.period_start,
        period_end: arguments.period_end,
        currency: &arguments.currency,
        stage: arguments.stage.as_str(),
        po_number: arguments.po_number.as_deref(),
        metadata: None,
        attach_pending: arguments.attach_pending,
    };
    let organization = &arguments.organization;
    let mut transaction = Tenants::from(&pool).write(organization).await?;
    let actor = Actor { id: OPERATOR, request_id: None };
    let created = create_payout(&mut transaction, actor, new).await?;
    let created = created.ok_or_else(|| {
        CliError::message(format!(
            "{organization} has no partner {}: `payout-server organizations list` shows the \
             organisations, GET /api/v1/partners the partners",
            arguments.partner
        ))
    })?;
    transaction.commit().await?;
    let amount = format!("{:.2}", created.amount);
    if arguments.json {
        let amount = json!({ "value": amount, "currency": arguments.currency });
        let shown = json!({ "id": id, "lines": created.lines, "amount": amount });
        anstream::println!("{}", output::json(&shown));
    } else {
        anstream::println!("{id}: {} lines, {amount} {}", created.lines, arguments.currency);
    }
    database.close().await
}
