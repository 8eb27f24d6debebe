//! The statements of operators, each change with its history row.

use serde_json::json;

use super::{Disabled, Link, NewLink};
use crate::{affiliate::model::Rate, history, id::IdKind, postgres::TenantTransaction};

/// Makes a link with this code; `None` where another one has it.
pub async fn create_link(
    transaction: &mut TenantTransaction,
    code: &str,
    new: &NewLink<'_>,
) -> Result<Option<String>, sqlx::Error> {
    let id = IdKind::AffiliateLink.generate();
    let (percent, fixed) = match new.rate {
        Rate::Percent(percent) => (Some(*percent), None),
        Rate::Fixed(amount) => (None, Some(amount)),
    };
    let created = sqlx::query!(
        "WITH owner AS (
            INSERT INTO affiliate_codes (organization_id, code, link_id) VALUES ($1, $2, $3)
                ON CONFLICT DO NOTHING
            RETURNING code
        )
        INSERT INTO affiliate_links
               (organization_id, id, partner_id, code, target_url, plan_name, percent,
                fixed_amount, currency, hold_days, window_days)
        SELECT $1, $3, $4, code, $5, $6, $7, $8, $9, $10, $11 FROM owner",
        transaction.organization() as _,
        code,
        id,
        new.partner_id,
        new.target_url,
        new.plan_name,
        percent,
        fixed.map(|amount| amount.value),
        fixed.map(|amount| amount.currency.as_str()),
        new.hold_days,
        new.window_days
    )
    .execute(&mut **transaction)
    .await?;
    if created.rows_affected() == 0 {
        return Ok(None);
    }
    let after = json!({
        "partnerId": new.partner_id,
        "code": code,
        "targetUrl": new.target_url,
        "planName": new.plan_name,
        "percent": percent.map(|percent| format!("{percent:.2}")),
        "fixedAmount": fixed.map(|amount| format!("{:.2}", amount.value)),
        "currency": fixed.map(|amount| &amount.currency),
        "holdDays": new.hold_days,
        "windowDays": new.window_days,
    });
    history::record(transaction, "create_affiliate_link", &id, None, Some(after)).await?;
    Ok(Some(id))
}

/// Lists links, newest first: of all partners, or of this one.
pub async fn list_links(
    transaction: &mut TenantTransaction,
    partner: Option<&str>,
) -> Result<Vec<Link>, sqlx::Error> {
    sqlx::query_as!(
        Link,
        "SELECT link.id, code, partner_id, partner.name AS partner_name, target_url, plan_name,
                percent, fixed_amount, currency, hold_days, window_days, disabled_at
           FROM affiliate_links AS link
           JOIN partners AS partner ON partner.organization_id = $1 AND partner.id = partner_id
          WHERE link.organization_id = $1 AND ($2::text IS NULL OR partner_id = $2)
          ORDER BY link.created_at DESC, link.id DESC",
        transaction.organization() as _,
        partner
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Disables the link with this id or code: it leads nowhere any more, and what its clicks become
/// from now on earns nothing.
pub async fn disable_link(
    transaction: &mut TenantTransaction,
    link: &str,
) -> Result<Disabled, sqlx::Error> {
    let found = sqlx::query!(
        "SELECT id, disabled_at FROM affiliate_links
          WHERE organization_id = $1 AND (id = $2 OR code = $2) FOR NO KEY UPDATE",
        transaction.organization() as _,
        link
    )
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(found) = found else { return Ok(Disabled::NotFound) };
    if let Some(disabled_at) = found.disabled_at {
        return Ok(Disabled::Before(disabled_at));
    }
    sqlx::query!(
        "UPDATE affiliate_links SET disabled_at = service_now()
          WHERE organization_id = $1 AND id = $2",
        transaction.organization() as _,
        found.id
    )
    .execute(&mut **transaction)
    .await?;
    let after = Some(json!({ "disabled": true }));
    history::record(transaction, "disable_affiliate_link", &found.id, None, after).await?;
    Ok(Disabled::Now)
}
