//! Reads what binds a store to its database: the database's id, and its newest PDFs.

use sqlx::PgConnection;

use crate::{
    id::{AssetId, OrganizationId},
    statements::storage::AssetKey,
};

pub(super) async fn get_database_id(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar!("SELECT id FROM database_identity").fetch_one(connection).await
}

/// Lists the newest PDFs of all organisations that are not known to be damaged, one of each.
pub(super) async fn list_newest_assets(
    connection: &mut PgConnection,
    limit: i64,
) -> Result<Vec<AssetKey>, sqlx::Error> {
    sqlx::query_file_as!(AssetKey, "src/statements/assets/binding/list_newest_assets.sql", limit)
        .fetch_all(connection)
        .await
}
