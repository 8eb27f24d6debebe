//! Actions of an operator outside the API, by the stores of the operator's commands, and reads of
//! the tables.

use chrono::{DateTime, Utc};
use payout_server::{
    gate::{ApiKey, Environment},
    id::OrganizationId,
    keys::{NewKey, model::Lifetime, store as keys},
    organizations::{CreditAllowance, store as organizations},
    postgres::{TenantTransaction, Tenants},
};
use serde_json::Value;
use sqlx::PgPool;

use super::server::TestServer;

/// A row of the history.
#[derive(Debug, PartialEq, sqlx::FromRow)]
pub struct HistoryRow {
    pub actor: String,
    pub request_id: Option<String>,
    pub action: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// A row of `meters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Meter {
    pub minute_used: i32,
    pub month_used: i64,
}

/// Creates a key that expires after this many days; returns its id, its text and its expiry.
pub async fn create_key(
    server: &TestServer,
    organization: &str,
    scopes: &[&str],
    (environment, days): (Environment, i32),
) -> (String, String, DateTime<Utc>) {
    let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    let key = ApiKey::generate(environment);
    let new = NewKey { name: "made by a test", scopes: &scopes, life: Lifetime::Days(days) };
    let mut transaction = write(server, organization).await;
    let (id, expires_at) = keys::create_key(&mut transaction, new, &key).await.unwrap();
    transaction.commit().await.unwrap();
    (id, key.reveal().to_owned(), expires_at)
}

/// Revokes a key; in effect when this returns.
pub async fn revoke_key(server: &TestServer, organization: &str, id: &str) {
    let mut transaction = write(server, organization).await;
    let revoked = keys::revoke_key(&mut transaction, "revoke_key", id).await.unwrap();
    revoked.expect("the organisation has this key");
    transaction.commit().await.unwrap();
}

/// Sets the limits of an organisation; `None` means unlimited credits.
pub async fn set_limits(
    server: &TestServer,
    organization: &str,
    requests_per_minute: i32,
    credits_per_month: Option<i64>,
) {
    let mut transaction = write(server, organization).await;
    let credits = Some(CreditAllowance(credits_per_month));
    let limits =
        organizations::set_limits(&mut transaction, Some(requests_per_minute), credits).await;
    limits.unwrap().expect("the organisation exists");
    transaction.commit().await.unwrap();
}

/// The id of a key of the data set.
pub async fn key_id(superuser_pool: &PgPool, organization: &str, name: &str) -> String {
    sqlx::query_scalar("SELECT id FROM api_keys WHERE organization_id = $1 AND name = $2")
        .bind(organization)
        .bind(name)
        .fetch_one(superuser_pool)
        .await
        .unwrap()
}

/// The organisation's meter.
pub async fn meter(superuser_pool: &PgPool, organization: &str) -> Meter {
    sqlx::query_as("SELECT minute_used, month_used FROM meters WHERE organization_id = $1")
        .bind(organization)
        .fetch_one(superuser_pool)
        .await
        .unwrap()
}

/// The history of a resource, oldest first.
pub async fn history(superuser_pool: &PgPool, resource_id: &str) -> Vec<HistoryRow> {
    sqlx::query_as(
        "SELECT actor, request_id, action, before, after FROM history WHERE resource_id = $1
           ORDER BY sequence",
    )
    .bind(resource_id)
    .fetch_all(superuser_pool)
    .await
    .unwrap()
}

async fn write(server: &TestServer, organization: &str) -> TenantTransaction {
    let organization = OrganizationId::parse(organization).unwrap();
    let options = payout_database::app_connect_options(server.database.app_url()).unwrap();
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(1);
    let pool = pool.connect_with(options).await.unwrap();
    Tenants::from(&pool).write(&organization).await.unwrap()
}
