//! The statements of operators, each change with its history row.

use serde_json::json;

use super::{Ending, OpenSession, PortalUser};
use crate::{history, id::IdKind, postgres::TenantTransaction};

/// Lists who may enter: of all partners, or of this one.
pub async fn list_users(
    transaction: &mut TenantTransaction,
    partner: Option<&str>,
) -> Result<Vec<PortalUser>, sqlx::Error> {
    sqlx::query_as!(
        PortalUser,
        "SELECT partner_id, partner.name AS partner_name, email, portal_users.created_at
           FROM portal_users
           JOIN partners AS partner ON partner.organization_id = $1 AND partner.id = partner_id
          WHERE portal_users.organization_id = $1 AND removed_at IS NULL
            AND ($2::text IS NULL OR partner_id = $2)
          ORDER BY partner.name, partner_id, email_key",
        transaction.organization() as _,
        partner
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Lets an address enter; false where it may already.
pub async fn add_user(
    transaction: &mut TenantTransaction,
    partner: &str,
    email: &str,
) -> Result<bool, sqlx::Error> {
    let added = sqlx::query!(
        "INSERT INTO portal_users AS known (organization_id, partner_id, email)
         VALUES ($1, $2, $3)
             ON CONFLICT (organization_id, partner_id, email_key)
             DO UPDATE SET email = excluded.email, removed_at = NULL
                     WHERE known.removed_at IS NOT NULL",
        transaction.organization() as _,
        partner,
        email
    )
    .execute(&mut **transaction)
    .await?;
    if added.rows_affected() == 0 {
        return Ok(false);
    }
    let after = Some(json!({ "email": email }));
    history::record(transaction, "add_portal_user", partner, None, after).await?;
    Ok(true)
}

/// Lets an address enter no longer, which ends its sessions; false where it may not.
pub async fn remove_user(
    transaction: &mut TenantTransaction,
    partner: &str,
    email: &str,
) -> Result<bool, sqlx::Error> {
    let removed = sqlx::query!(
        r#"UPDATE portal_users SET removed_at = service_now()
          WHERE organization_id = $1 AND partner_id = $2
            AND email_key = lower($3 COLLATE "C") AND removed_at IS NULL"#,
        transaction.organization() as _,
        partner,
        email
    )
    .execute(&mut **transaction)
    .await?;
    if removed.rows_affected() == 0 {
        return Ok(false);
    }
    let before = Some(json!({ "email": email }));
    history::record(transaction, "remove_portal_user", partner, before, None).await?;
    Ok(true)
}

/// Lists a partner's links that can be opened and sessions that have not ended, newest first.
pub async fn list_sessions(
    transaction: &mut TenantTransaction,
    partner: &str,
) -> Result<Vec<OpenSession>, sqlx::Error> {
    sqlx::query_as!(
        OpenSession,
        r#"SELECT id, email, created_at, opened_at,
                  coalesce(expires_at, link_expires_at) AS "expires_at!"
             FROM portal_sessions
            WHERE organization_id = $1 AND partner_id = $2 AND ended_at IS NULL
              AND coalesce(expires_at, link_expires_at) > service_now()
            ORDER BY created_at DESC, id DESC"#,
        transaction.organization() as _,
        partner
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Ends a partner's sessions, and links that were not opened; returns how many.
pub async fn end_sessions(
    transaction: &mut TenantTransaction,
    partner: &str,
    which: Ending<'_>,
) -> Result<u64, sqlx::Error> {
    let ended = sqlx::query!(
        r#"WITH ended AS (
            UPDATE portal_sessions SET ended_at = service_now()
             WHERE organization_id = $1 AND partner_id = $2 AND ended_at IS NULL
               AND coalesce(expires_at, link_expires_at) > service_now()
               AND ($3::text IS NULL OR lower(email COLLATE "C") = lower($3 COLLATE "C"))
               AND ($4::text IS NULL OR id = $4)
            RETURNING id, partner_id, email
        )
        INSERT INTO history (organization_id, actor, action, resource_id, after)
        SELECT $1, $5, 'end_portal_session', id,
               jsonb_build_object('partnerId', partner_id, 'email', email)
          FROM ended"#,
        transaction.organization() as _,
        partner,
        which.email,
        which.session_id,
        history::OPERATOR
    )
    .execute(&mut **transaction)
    .await?;
    Ok(ended.rows_affected())
}

/// Makes an experience template, which publishes the portal of partners that get it.
pub async fn create_template(
    transaction: &mut TenantTransaction,
    name: &str,
) -> Result<String, sqlx::Error> {
    let id = IdKind::ExperienceTemplate.generate();
    sqlx::query!(
        "INSERT INTO experience_templates (organization_id, id, name) VALUES ($1, $2, $3)",
        transaction.organization() as _,
        id,
        name
    )
    .execute(&mut **transaction)
    .await?;
    let after = Some(json!({ "name": name }));
    history::record(transaction, "create_experience_template", &id, None, after).await?;
    Ok(id)
}

/// Lists experience templates by name: their ids and names.
pub async fn list_templates(
    transaction: &mut TenantTransaction,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let found = sqlx::query!(
        "SELECT id, name FROM experience_templates WHERE organization_id = $1 ORDER BY name, id",
        transaction.organization() as _
    )
    .fetch_all(&mut **transaction)
    .await?;
    Ok(found.into_iter().map(|template| (template.id, template.name)).collect())
}

/// Returns a partner's name, and whether it has a portal; `None` where there is no such partner.
pub async fn find_partner(
    transaction: &mut TenantTransaction,
    partner: &str,
) -> Result<Option<(String, bool)>, sqlx::Error> {
    let found = sqlx::query!(
        r#"SELECT name, experience_template_id IS NOT NULL AS "has_portal!"
             FROM partners WHERE organization_id = $1 AND id = $2"#,
        transaction.organization() as _,
        partner
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(found.map(|partner| (partner.name, partner.has_portal)))
}
