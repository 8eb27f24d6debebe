//! Records of revocations beside the PDFs. A restore of the database to an earlier time revives the
//! keys that were revoked since; the records revoke them again.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgConnection;

use super::store::{KeyFilter, list_keys, list_unrevoked, revoke_key};
use crate::{
    id::OrganizationId,
    postgres::Tenants,
    statements::storage::{Storage, StorageError},
};

/// The folder of the records, each of which has the id of its key as its name.
const FOLDER: &str = "revocations";

/// Revoked keys may be valid.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    #[error("the records of revoked keys cannot be read: {0}")]
    Storage(#[from] StorageError),
    #[error("recorded keys cannot be revoked: {}", payout_database::reason(.0))]
    Database(#[from] sqlx::Error),
}

/// Records a revocation. The record has no secret.
pub(crate) async fn record(
    storage: &Storage,
    organization: &OrganizationId,
    key_id: &str,
    revoked_at: DateTime<Utc>,
) -> Result<(), StorageError> {
    let record = json!({ "organizationId": organization.as_str(), "revokedAt": revoked_at });
    storage.put_small(&format!("{FOLDER}/{key_id}"), record.to_string().into()).await
}

/// Records the revocations of an organisation, whose rows came from another cell.
pub(crate) async fn record_all(
    connection: &mut PgConnection,
    storage: &Storage,
    organization: &OrganizationId,
) -> Result<(), RecordsError> {
    let filter = KeyFilter { organization: Some(organization), ..KeyFilter::default() };
    for key in list_keys(connection, filter).await? {
        if let Some(revoked_at) = key.revoked_at {
            record(storage, organization, &key.id, revoked_at).await?;
        }
    }
    Ok(())
}

/// Revokes the keys that have a record and are not revoked; returns their ids.
pub(crate) async fn revoke_recorded(
    connection: &mut PgConnection,
    tenants: &Tenants,
    storage: &Storage,
) -> Result<Vec<String>, RecordsError> {
    let names = storage.list_small(FOLDER).await?;
    let ids = names.iter().filter_map(|name| name.rsplit('/').next().map(str::to_owned));
    let mut revoked = Vec::new();
    for (organization, id) in list_unrevoked(connection, &ids.collect::<Vec<_>>()).await? {
        let mut transaction = tenants.write(&organization).await?;
        revoke_key(&mut transaction, "revoke_recorded_key", &id).await?;
        transaction.commit().await?;
        revoked.push(id);
    }
    Ok(revoked)
}
