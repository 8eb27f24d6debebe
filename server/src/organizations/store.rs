//! Organisations, their limits and billing information in Postgres. Every change writes its history
//! row.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgConnection;

use super::model::{Billing, CreditAllowance, Limits, Organization};
use crate::{
    history,
    id::OrganizationId,
    postgres::{SingleStatement, TenantTransaction},
};

/// Lists all organisations, or only this one, or only those that have used at least so many per
/// cent of the month's credits; by name.
pub(crate) async fn list_organizations(
    connection: &mut PgConnection,
    only: Option<&OrganizationId>,
    credits_used_percent: Option<i64>,
) -> Result<Vec<Organization>, sqlx::Error> {
    sqlx::query_file_as!(
        Organization,
        "src/organizations/list_organizations.sql",
        only.map(OrganizationId::as_str),
        credits_used_percent
    )
    .fetch_all(connection)
    .await
}

/// Counts the organisations that have used at least each part of the month's credits, in per cent.
/// One without any credits has used none.
pub(crate) struct CountCreditsUsed(pub(crate) [i64; 2]);

impl SingleStatement for CountCreditsUsed {
    type Output = [i64; 2];

    async fn run(&self, connection: &mut PgConnection) -> Result<Self::Output, sqlx::Error> {
        let Self([first, second]) = *self;
        let counts = sqlx::query!(
            r#"SELECT count(*) FILTER (WHERE month_used * 100 >= credits_per_month * $1)
                          AS "first!",
                      count(*) FILTER (WHERE month_used * 100 >= credits_per_month * $2)
                          AS "second!"
                 FROM meters
                WHERE credits_per_month > 0
                  AND month >= date_trunc('month', service_now(), 'UTC')"#,
            first,
            second
        );
        let counts = counts.fetch_one(connection).await?;
        Ok([counts.first, counts.second])
    }
}

/// Creates the transaction's organisation, with its meter.
pub async fn create_organization(
    transaction: &mut TenantTransaction,
    name: &str,
    limits: Limits,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "WITH created AS (INSERT INTO organizations (id, name) VALUES ($1, $2))
         INSERT INTO meters (organization_id, requests_per_minute, credits_per_month)
         VALUES ($1, $3, $4)",
        organization.as_str(),
        name,
        limits.requests_per_minute,
        limits.credits_per_month.0
    )
    .execute(&mut **transaction)
    .await?;
    let after = Some(json!({ "name": name, "limits": limits.to_json() }));
    history::record(transaction, "create_organization", organization.as_str(), None, after).await
}

/// Changes the given limits; what was used stays used. `None` where there is no such organisation.
pub async fn set_limits(
    transaction: &mut TenantTransaction,
    requests_per_minute: Option<i32>,
    credits_per_month: Option<CreditAllowance>,
) -> Result<Option<Limits>, sqlx::Error> {
    let organization = transaction.organization();
    let changed = sqlx::query_file!(
        "src/organizations/set_limits.sql",
        organization.as_str(),
        requests_per_minute,
        credits_per_month.is_some(),
        credits_per_month.and_then(|allowance| allowance.0)
    )
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(changed) = changed else {
        return Ok(None);
    };
    let limits = |requests_per_minute, credits| Limits {
        requests_per_minute,
        credits_per_month: CreditAllowance(credits),
    };
    let before = limits(changed.requests_before, changed.credits_before);
    let after = limits(changed.requests_per_minute, changed.credits_per_month);
    let (before, shown) = (Some(before.to_json()), Some(after.to_json()));
    history::record(transaction, "set_limits", organization.as_str(), before, shown).await?;
    Ok(Some(after))
}

#[derive(Clone, Copy, Debug)]
pub struct Used {
    pub month: DateTime<Utc>,
    pub credits: i64,
    pub present_month: DateTime<Utc>,
}

/// Reads the credits used, locked for a change in this transaction. `None` where there is no such
/// organisation.
pub async fn lock_used(transaction: &mut TenantTransaction) -> Result<Option<Used>, sqlx::Error> {
    sqlx::query_as!(
        Used,
        r#"SELECT month, month_used AS credits,
                  date_trunc('month', service_now(), 'UTC') AS "present_month!"
             FROM meters
            WHERE organization_id = $1
              FOR UPDATE"#,
        transaction.organization() as _
    )
    .fetch_optional(&mut **transaction)
    .await
}

pub async fn set_used(
    transaction: &mut TenantTransaction,
    action: &str,
    before: &Used,
    after: &Used,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "UPDATE meters SET month = $2, month_used = $3, credits_granted = 0
          WHERE organization_id = $1",
        organization.as_str(),
        after.month,
        after.credits
    )
    .execute(&mut **transaction)
    .await?;
    let used = |used: &Used| Some(json!({ "month": used.month, "creditsUsed": used.credits }));
    history::record(transaction, action, organization.as_str(), used(before), used(after)).await
}

/// Reads the billing information; empty where none was ever set.
pub(crate) async fn get_billing(
    transaction: &mut TenantTransaction,
) -> Result<Billing, sqlx::Error> {
    let billing = sqlx::query_as!(
        Billing,
        "SELECT legal_name, address_line_1, address_line_2, postal_code, city, country,
                finance_email, company_number, vat_number
           FROM billing_information
          WHERE organization_id = $1",
        transaction.organization() as _
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(billing.unwrap_or_default())
}

/// Reads the billing information, locked for a change in this transaction.
pub(crate) async fn lock_billing(
    transaction: &mut TenantTransaction,
) -> Result<Billing, sqlx::Error> {
    // A row of billing_information may not exist yet, and a lock on the meter's row would block
    // every request. NO KEY: foreign keys to this row stay checkable meanwhile.
    sqlx::query!(
        "SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE",
        transaction.organization() as _
    )
    .fetch_optional(&mut **transaction)
    .await?;
    get_billing(transaction).await
}

pub async fn set_billing(
    transaction: &mut TenantTransaction,
    before: &Billing,
    after: &Billing,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_file!(
        "src/organizations/set_billing.sql",
        organization.as_str(),
        after.legal_name,
        after.address_line_1,
        after.address_line_2,
        after.postal_code,
        after.city,
        after.country,
        after.finance_email,
        after.company_number,
        after.vat_number
    )
    .execute(&mut **transaction)
    .await?;
    let (before, after) = (Some(before.to_json().into()), Some(after.to_json().into()));
    history::record(transaction, "set_billing", organization.as_str(), before, after).await
}
