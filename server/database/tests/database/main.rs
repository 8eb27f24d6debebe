//! Tests of the database crate, each on a real PostgreSQL.

#![expect(
    clippy::unwrap_used,
    reason = "this binary is tests from end to end; Clippy exempts only their bodies"
)]

mod bootstrap;
mod catalog;
mod cluster;
mod measured;
mod migration_races;
mod migrations;
mod roles;
mod test_database;

use payout_database::{TestDatabase, app_connect_options, owner_connect_options};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

async fn as_app(database: &TestDatabase) -> PgConnection {
    let options = app_connect_options(database.app_url()).unwrap();
    PgConnection::connect_with(&options).await.unwrap()
}

async fn as_owner(database: &TestDatabase) -> PgConnection {
    let options = owner_connect_options(database.owner_url()).unwrap();
    PgConnection::connect_with(&options).await.unwrap()
}

async fn as_superuser(database: &TestDatabase) -> PgConnection {
    let options = owner_connect_options(&database.superuser_url()).unwrap();
    PgConnection::connect_with(&options).await.unwrap()
}

async fn run(connection: &mut PgConnection, statement: impl Into<String>) {
    let statement = statement.into();
    sqlx::raw_sql(AssertSqlSafe(statement.clone()))
        .execute(connection)
        .await
        .unwrap_or_else(|error| panic!("{statement}: {error}"));
}
