//! Access behind the API: connections of the app role, and all tenants' rows as the superuser. The
//! catalog lists the tenants' tables.

use payout_server::{id::OrganizationId, postgres::Tenants};
use sqlx::{AssertSqlSafe, PgPool, postgres::PgPoolOptions};

use crate::support::TestServer;

/// The data set's organisation that tests work in.
pub(super) const MAIN: &str = "org_01JV3N8Q5R0000000000000001";
/// The data set's other tenant.
pub(super) const OTHER: &str = "org_01JV3N8Q5R0000000000000002";

/// Reads an organisation's id.
pub(super) fn organization(id: &str) -> OrganizationId {
    OrganizationId::parse(id).unwrap()
}

/// A pool of one connection as the server's role: each use gets the session state of the previous
/// one.
pub(super) async fn app_pool(server: &TestServer) -> PgPool {
    let options = payout_database::app_connect_options(server.database.app_url()).unwrap();
    PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap()
}

/// Tenants' transactions over one connection.
pub(super) async fn tenants(server: &TestServer) -> Tenants {
    Tenants::from(&app_pool(server).await)
}

/// Every table with row-level security.
pub(super) async fn tenant_tables(superuser: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT relname::text FROM pg_class
          WHERE relnamespace = 'payout'::regnamespace AND relkind IN ('r', 'p')
            AND relrowsecurity ORDER BY relname",
    )
    .fetch_all(superuser)
    .await
    .unwrap()
}

/// A checksum of all rows of all tenants.
pub(super) async fn checksum(superuser: &PgPool) -> Vec<(String, String)> {
    let mut sums = Vec::new();
    for table in tenant_tables(superuser).await {
        let statement = format!(
            "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), ''))
               FROM payout.{table} AS t"
        );
        let sum = sqlx::query_scalar(AssertSqlSafe(statement));
        sums.push((table, sum.fetch_one(superuser).await.unwrap()));
    }
    assert!(!sums.is_empty(), "no tenant table was found");
    sums
}

/// Ids, names and addresses that only this organisation has.
pub(super) async fn private_words(superuser: &PgPool, organization: &str) -> Vec<String> {
    let words: Vec<String> = sqlx::query_scalar(
        "SELECT word FROM (
            SELECT id AS word FROM partners WHERE organization_id = $1
            UNION SELECT name FROM partners WHERE organization_id = $1
            UNION SELECT domain FROM partners WHERE organization_id = $1
            UNION SELECT id FROM payouts WHERE organization_id = $1
            UNION SELECT batch_id FROM payouts WHERE organization_id = $1
            UNION SELECT id FROM commission_lines WHERE organization_id = $1
            UNION SELECT id FROM users WHERE organization_id = $1
            UNION SELECT email FROM users WHERE organization_id = $1
            UNION SELECT id FROM tiers WHERE organization_id = $1
            UNION SELECT id FROM phases WHERE organization_id = $1
            UNION SELECT id FROM experience_templates WHERE organization_id = $1
            UNION SELECT $1) AS words
          WHERE word IS NOT NULL",
    )
    .bind(organization)
    .fetch_all(superuser)
    .await
    .unwrap();
    assert!(words.len() > 10, "{words:?}");
    words
}
