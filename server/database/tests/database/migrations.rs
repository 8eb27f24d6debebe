//! Migrations: from an empty database, once, and the check of a database's version.

use std::sync::Mutex;

use payout_database::testing::TEST_APP;
use payout_database::{
    MigrateError, Migrated, SchemaMismatch, TestDatabase, check_schema_version, migrate,
    migrate_reporting, schema_version,
};

use crate::{as_app, as_owner, run};

async fn emptied() -> TestDatabase {
    let database = TestDatabase::create().await;
    run(&mut as_owner(&database).await, "DROP SCHEMA payout CASCADE").await;
    database
}

#[tokio::test]
async fn migrations_run_from_nothing_and_the_second_run_does_nothing() {
    let database = emptied().await;
    let error = check_schema_version(&mut as_app(&database).await).await.unwrap_err();
    assert!(matches!(error, SchemaMismatch::Older { found: 0, .. }), "{error}");
    assert!(error.to_string().contains("run `payout-server migrate`"), "{error}");

    let reports = Mutex::new(Vec::new());
    let report = |line: &str| reports.lock().unwrap().push(line.to_owned());
    let first = migrate_reporting(database.owner_url(), TEST_APP, &report).await.unwrap();
    // A policy that an earlier file created would be skipped in every database.
    let reports = reports.into_inner().unwrap();
    assert!(!reports.iter().any(|line| line.contains("skipped")), "{reports:?}");
    assert_eq!((first.from, first.to), (0, schema_version()));
    assert!(first.applied > 0);
    check_schema_version(&mut as_app(&database).await).await.unwrap();

    let second = migrate(database.owner_url(), TEST_APP).await.unwrap();
    let nothing = Migrated { from: schema_version(), to: schema_version(), applied: 0 };
    assert_eq!(second, nothing);
}

#[tokio::test]
async fn two_migrations_at_once_apply_each_file_once() {
    let database = emptied().await;
    let (first, second) = tokio::join!(
        migrate(database.owner_url(), TEST_APP),
        migrate(database.owner_url(), TEST_APP)
    );
    let applied = [first.unwrap().applied, second.unwrap().applied];
    assert_eq!(applied.iter().filter(|count| **count == 0).count(), 1, "{applied:?}");
}

#[tokio::test]
async fn newer_database_is_rejected_by_server_and_migrator_with_what_to_deploy() {
    let database = TestDatabase::create().await;
    run(
        &mut as_owner(&database).await,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         SELECT max(version) + 1, 'of a later release', true, '\\x00', 0 FROM _sqlx_migrations",
    )
    .await;
    let error = check_schema_version(&mut as_app(&database).await).await.unwrap_err();
    let (found, expected) = (schema_version() + 1, schema_version());
    let message = error.to_string();
    assert!(message.contains(&format!("version {found}")), "{message}");
    assert!(message.contains(&format!("only {expected}")), "{message}");
    assert!(message.contains("older than the database; deploy"), "{message}");

    let rejected = migrate(database.owner_url(), TEST_APP).await;
    assert!(matches!(rejected, Err(MigrateError::Mismatch(SchemaMismatch::Newer { .. }))));
}

#[tokio::test]
async fn edited_migration_is_rejected() {
    let database = TestDatabase::create().await;
    let mut owner = as_owner(&database).await;
    run(&mut owner, "UPDATE _sqlx_migrations SET checksum = '\\x00'").await;
    let edited = check_schema_version(&mut owner).await.unwrap_err();
    assert!(matches!(edited, SchemaMismatch::Edited { version: 1 }), "{edited}");
}

#[tokio::test]
async fn app_role_that_would_need_quoting_is_rejected() {
    let rejected = migrate("postgres://localhost/payout", "x; DROP SCHEMA payout").await;
    assert!(matches!(rejected, Err(MigrateError::Name(_))));
}
