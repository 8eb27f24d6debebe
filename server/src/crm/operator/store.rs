//! The statements of operators, each change with its history row. None shows a token.

use serde_json::json;

use super::{Connection, Settings};
use crate::{crm::token::SealedToken, history, postgres::TenantTransaction};

/// The connection of the transaction's organisation, locked for a change; `None` where there is
/// none.
pub async fn find_connection(
    transaction: &mut TenantTransaction,
) -> Result<Option<Connection>, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT id, base_url, partner_type, company_type, partner_properties,
                  company_properties, token_key AS "token_key!", sealed_token AS "sealed_token!",
                  connected_at,
                  (SELECT count(*) FROM crm_syncs
                    WHERE organization_id = $1 AND due_at IS NOT NULL) AS "open_syncs!"
             FROM crm_connections
            WHERE organization_id = $1 AND sealed_token IS NOT NULL
              FOR NO KEY UPDATE"#,
        transaction.organization() as _
    );
    let row = row.fetch_optional(&mut **transaction).await?;
    Ok(row.map(|row| Connection {
        id: row.id,
        settings: Settings {
            base_url: row.base_url,
            partner_type: row.partner_type,
            company_type: row.company_type,
            partner_properties: row.partner_properties,
            company_properties: row.company_properties,
        },
        token: SealedToken { key: row.token_key, bytes: row.sealed_token },
        connected_at: row.connected_at,
        open_syncs: row.open_syncs,
    }))
}

/// Makes the connection, or another one in its place. What the CRM before it asked for is over.
pub async fn connect(
    transaction: &mut TenantTransaction,
    id: &str,
    settings: &Settings,
    token: &SealedToken,
) -> Result<(), sqlx::Error> {
    let before = find_connection(transaction).await?;
    sqlx::query!(
        "WITH rest AS (
            UPDATE crm_queue SET rests_until = 'epoch' WHERE organization_id = $1
        )
        INSERT INTO crm_connections (organization_id, id, base_url, partner_type, company_type,
                                     partner_properties, company_properties, token_key,
                                     sealed_token)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (organization_id) DO UPDATE
           SET id = excluded.id, base_url = excluded.base_url,
               partner_type = excluded.partner_type, company_type = excluded.company_type,
               partner_properties = excluded.partner_properties,
               company_properties = excluded.company_properties,
               token_key = excluded.token_key, sealed_token = excluded.sealed_token,
               connected_at = service_now()",
        transaction.organization() as _,
        id,
        settings.base_url,
        settings.partner_type,
        settings.company_type,
        &settings.partner_properties,
        &settings.company_properties,
        token.key,
        token.bytes
    )
    .execute(&mut **transaction)
    .await?;
    let before = before.map(|before| json!(before.settings));
    history::record(transaction, "connect_crm", id, before, Some(json!(settings))).await
}

/// Ends the connection: its token is gone. Its id; `None` where there is none.
pub async fn disconnect(
    transaction: &mut TenantTransaction,
) -> Result<Option<String>, sqlx::Error> {
    let Some(before) = find_connection(transaction).await? else { return Ok(None) };
    sqlx::query!(
        "UPDATE crm_connections SET token_key = NULL, sealed_token = NULL
          WHERE organization_id = $1",
        transaction.organization() as _
    )
    .execute(&mut **transaction)
    .await?;
    let settings = Some(json!(before.settings));
    history::record(transaction, "disconnect_crm", &before.id, settings, None).await?;
    Ok(Some(before.id))
}

/// Replaces the sealed token by the same one, sealed with another key.
pub async fn reseal(
    transaction: &mut TenantTransaction,
    connection: &Connection,
    token: &SealedToken,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE crm_connections SET token_key = $2, sealed_token = $3
          WHERE organization_id = $1",
        transaction.organization() as _,
        token.key,
        token.bytes
    )
    .execute(&mut **transaction)
    .await?;
    let (before, after) =
        (json!({ "tokenKey": connection.token.key }), json!({ "tokenKey": token.key }));
    history::record(transaction, "reseal_crm_token", &connection.id, Some(before), Some(after))
        .await
}
