//! Creating a line in one statement, and finding out why it was not created.

use sqlx::PgConnection;

use super::{
    super::{model::CommissionLine, store::select_lines},
    Named, NamedPayout, NewLine,
};
use crate::{
    contract::value_sets::PayoutStage,
    gate::Caller,
    payouts::TAKES_LINES,
    postgres::{SingleStatement, TenantTransaction},
};

/// Inserts a line, raises the amount of its payout and writes the history row. `None` where the
/// line cannot be created, or another one has its idempotency key.
pub(in super::super) struct CreateLine<'a> {
    pub(in super::super) caller: &'a Caller,
    pub(in super::super) new: &'a NewLine,
}

impl SingleStatement for CreateLine<'_> {
    type Output = Option<CommissionLine>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Self::Output, sqlx::Error> {
        let Self { caller, new } = self;
        let stages = TAKES_LINES.map(PayoutStage::as_str);
        // The lock waits for a change of the payout's stage, and then compares the new one.
        sqlx::query_file_as!(
            CommissionLine,
            "src/commission_lines/creation/create_line.sql",
            caller.organization.as_str(),
            new.id,
            new.partner_id,
            new.payout_id,
            new.description,
            new.amount,
            new.source_amount,
            new.currency,
            new.plan_name,
            new.period_end,
            new.idempotency_key,
            &stages as _,
            &*caller.key_id,
            &*caller.request_id
        )
        .fetch_optional(connection)
        .await
    }
}

pub(in super::super) async fn line_of_idempotency_key(
    transaction: &mut TenantTransaction,
    key: &str,
) -> Result<Option<CommissionLine>, sqlx::Error> {
    select_lines!(
        "",
        ["FROM commission_lines WHERE organization_id = $1 AND idempotency_key = $2"],
        transaction.organization() as _,
        key
    )
    .fetch_optional(&mut **transaction)
    .await
}

pub(in super::super) async fn find_named(
    transaction: &mut TenantTransaction,
    new: &NewLine,
) -> Result<Named, sqlx::Error> {
    let has_partner = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM partners WHERE organization_id = $1 AND id = $2) AS "is!""#,
        transaction.organization() as _,
        new.partner_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    let payout = match &new.payout_id {
        Some(id) => find_payout(transaction, id).await?,
        None => None,
    };
    Ok(Named { has_partner, payout })
}

pub(in super::super) async fn find_payout(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<NamedPayout>, sqlx::Error> {
    sqlx::query_as!(
        NamedPayout,
        "SELECT partner_id, currency, stage FROM payouts WHERE organization_id = $1 AND id = $2",
        transaction.organization() as _,
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}
