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
    sqlx::query_as!(
        AssetKey,
        r#"WITH scope AS MATERIALIZED (
            SELECT set_config('app.organization_ids', coalesce(string_agg(id, ','), ''), true)
                   AS ids
              FROM organizations
        )
        SELECT found.organization_id AS "organization!: OrganizationId",
               found.id AS "attempt!: AssetId"
          FROM scope
         CROSS JOIN LATERAL unnest(string_to_array(scope.ids, ',')) AS asked (organization_id)
         CROSS JOIN LATERAL (
            SELECT assets.organization_id, assets.id
              FROM assets
             WHERE assets.organization_id = asked.organization_id AND assets.damaged_at IS NULL
             ORDER BY assets.id DESC
             LIMIT 1) AS found
         ORDER BY found.id DESC
         LIMIT $1"#,
        limit
    )
    .fetch_all(connection)
    .await
}
