//! The template in Postgres. The table's trigger raises the revision where the content changes.

use super::Template;
use crate::{history, postgres::TenantTransaction};

pub(crate) async fn get_template(
    transaction: &mut TenantTransaction,
) -> Result<Template, sqlx::Error> {
    let template = sqlx::query_as!(
        Template,
        "SELECT title, accent_colour, footer, logo FROM statement_templates
          WHERE organization_id = $1",
        transaction.organization() as _
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(template.unwrap_or_default())
}

/// Reads the template, to be changed in this transaction: of two concurrent changes, the second
/// sees the first. `None`: no such organisation.
pub async fn lock_template(
    transaction: &mut TenantTransaction,
) -> Result<Option<Template>, sqlx::Error> {
    // The template's own row may not exist yet. NO KEY, because a mutation of the organisation
    // checks its foreign key against this row, and must not wait for us.
    let locked = sqlx::query_scalar!(
        "SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE",
        transaction.organization() as _
    )
    .fetch_optional(&mut **transaction)
    .await?;
    match locked {
        Some(_) => get_template(transaction).await.map(Some),
        None => Ok(None),
    }
}

/// Replaces the template, with its history row, if its content changes.
pub async fn set_template(
    transaction: &mut TenantTransaction,
    before: &Template,
    after: &Template,
) -> Result<(), sqlx::Error> {
    if before == after {
        return Ok(());
    }
    let organization = transaction.organization();
    sqlx::query!(
        "INSERT INTO statement_templates (organization_id, title, accent_colour, footer, logo)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (organization_id) DO UPDATE
            SET title = excluded.title, accent_colour = excluded.accent_colour,
                footer = excluded.footer, logo = excluded.logo, updated_at = service_now()",
        organization.as_str(),
        after.title,
        after.accent_colour,
        after.footer,
        after.logo
    )
    .execute(&mut **transaction)
    .await?;
    let (before, after) = (Some(before.to_json()), Some(after.to_json()));
    history::record(transaction, "set_template", organization.as_str(), before, after).await
}
