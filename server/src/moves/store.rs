//! Where an organisation is: open, stopped, moved to another cell, or imported from one.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgConnection;

use super::{
    MoveError,
    model::{Manifest, Receipt},
};
use crate::{history, postgres::TenantTransaction};

/// Between two looks at the transactions that have not ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Longer than any statement of a server may take.
const OLDER_TRANSACTIONS_LIMIT: Duration = Duration::from_secs(300);
const IMPORT: &str = "import_organization";

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) stopped_at: Option<DateTime<Utc>>,
    pub(crate) moved_to: Option<String>,
}

/// Returns true if this role may fill tables from temporary ones, and number the history: the
/// schema's owner.
pub(crate) async fn can_import(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT has_database_privilege(current_database(), 'TEMPORARY')
              AND has_sequence_privilege('payout.history_sequence_seq', 'UPDATE') AS "can!""#
    )
    .fetch_one(connection)
    .await
}

/// Reads the state, locked for a change in this transaction; `None` where there is no such
/// organisation.
pub(crate) async fn lock_state(
    transaction: &mut TenantTransaction,
) -> Result<Option<State>, sqlx::Error> {
    sqlx::query_as!(
        State,
        "SELECT stopped_at, moved_to FROM organizations WHERE id = $1 FOR NO KEY UPDATE",
        transaction.organization() as _
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Stops requests, before they are admitted; those that are under way go on.
pub(super) async fn stop_keys(transaction: &mut TenantTransaction) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE api_keys SET stopped_at = service_now()
          WHERE organization_id = $1 AND stopped_at IS NULL",
        transaction.organization() as _
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Stops everything: from its commit on no transaction begins that changes something.
pub(super) async fn stop(transaction: &mut TenantTransaction) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    history::record(transaction, "stop_organization", organization.as_str(), None, None).await?;
    stop_keys(transaction).await?;
    sqlx::query!(
        "UPDATE organizations SET stopped_at = service_now() WHERE id = $1",
        organization.as_str()
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Waits until every transaction of the servers has ended that is open now.
pub(super) async fn wait_for_open_transactions(
    connection: &mut PgConnection,
) -> Result<(), MoveError> {
    let mut open = list_open_transactions(connection).await?;
    let wait = async {
        while !open.is_empty() {
            tokio::time::sleep(POLL_INTERVAL).await;
            let still = list_open_transactions(connection).await?;
            open.retain(|transaction| still.contains(transaction));
        }
        Ok(())
    };
    tokio::time::timeout(OLDER_TRANSACTIONS_LIMIT, wait).await.unwrap_or_else(|_| {
        Err(MoveError::rejected(format!(
            "a transaction of this role has been open for more than {OLDER_TRANSACTIONS_LIMIT:?}: \
             `SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start` shows it"
        )))
    })
}

/// Lists the transactions of this role in this database, but for this one.
async fn list_open_transactions(connection: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT virtualxid AS "id!" FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'virtualxid' AND datname = current_database()
              AND usename = current_user AND pid <> pg_backend_pid()"#
    )
    .fetch_all(connection)
    .await
}

/// Opens a stopped organisation again.
pub(crate) async fn resume(transaction: &mut TenantTransaction) -> Result<(), sqlx::Error> {
    set_state(transaction, false, None).await?;
    let organization = transaction.organization();
    history::record(transaction, "resume_organization", organization.as_str(), None, None).await
}

/// Closes a stopped organisation permanently: another cell has it.
pub(crate) async fn close(
    transaction: &mut TenantTransaction,
    receipt: &Receipt,
) -> Result<(), sqlx::Error> {
    // The history of a stopped organisation takes no row, and nobody sees it open in between.
    set_state(transaction, false, None).await?;
    let organization = transaction.organization();
    let after = Some(json!({ "movedTo": receipt.cell, "manifestSha256": receipt.manifest_sha256 }));
    history::record(transaction, "close_organization", organization.as_str(), None, after).await?;
    set_state(transaction, true, Some(&receipt.cell)).await
}

async fn set_state(
    transaction: &mut TenantTransaction,
    is_stopped: bool,
    moved_to: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH organization AS (
            UPDATE organizations
               SET stopped_at = CASE WHEN $2 THEN service_now() END, moved_to = $3
             WHERE id = $1
            RETURNING id, stopped_at
        )
        UPDATE api_keys SET stopped_at = organization.stopped_at, moved_to = $3
          FROM organization WHERE api_keys.organization_id = organization.id",
        transaction.organization() as _,
        is_stopped,
        moved_to
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Notes that the organisation came from another cell.
pub(super) async fn note_import(
    transaction: &mut TenantTransaction,
    manifest: &Manifest,
    manifest_sha256: &str,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "UPDATE organizations SET imported_at = service_now() WHERE id = $1",
        organization.as_str()
    )
    .execute(&mut **transaction)
    .await?;
    let rows: u64 = manifest.tables.iter().map(|table| table.rows).sum();
    let after = json!({ "manifestSha256": manifest_sha256, "rows": rows });
    history::record(transaction, IMPORT, organization.as_str(), None, Some(after)).await
}

/// Returns true if the organisation was imported from the export with this manifest.
pub(super) async fn was_imported(
    transaction: &mut TenantTransaction,
    manifest_sha256: &str,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM history
                           WHERE organization_id = $1 AND resource_id = $1 AND action = $2
                             AND after ->> 'manifestSha256' = $3) AS "exists!""#,
        transaction.organization() as _,
        IMPORT,
        manifest_sha256
    )
    .fetch_one(&mut **transaction)
    .await
}

/// Returns the id of the key that seals the organisation's CRM token, if it has one.
pub(crate) async fn find_token_key(
    transaction: &mut TenantTransaction,
) -> Result<Option<String>, sqlx::Error> {
    let key = sqlx::query_scalar!(
        "SELECT token_key FROM crm_connections WHERE organization_id = $1",
        transaction.organization() as _
    );
    Ok(key.fetch_optional(&mut **transaction).await?.flatten())
}

/// Lists what a proxy must send here although it looks like another cell's: the SHA-256 of the keys
/// of imported organisations, and the codes of their affiliate links.
pub(crate) async fn list_routes(connection: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"WITH imported AS (
            SELECT id FROM organizations WHERE imported_at IS NOT NULL AND moved_to IS NULL
        )
        SELECT encode(hash, 'hex') AS "route!"
          FROM api_keys JOIN imported ON organization_id = imported.id
        UNION ALL
        SELECT code FROM affiliate_codes JOIN imported ON organization_id = imported.id
         ORDER BY 1"#
    )
    .fetch_all(connection)
    .await
}
