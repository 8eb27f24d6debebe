//! Migrations that are interrupted, lose a race, or wait: the next attempt completes them, and
//! requests go on meanwhile.

use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use payout_database::testing::{migrate_later, plan_later};
use payout_database::{MigrateError, TestDatabase};
use sqlx::PgConnection;
use tempfile::TempDir;

use crate::{as_app, as_owner, as_superuser, run};

fn folder(sql: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("9001_later.sql"), sql).unwrap();
    folder
}

async fn apply(database: &TestDatabase, folder: &TempDir) -> Result<usize, MigrateError> {
    let migrated = migrate_later(database.owner_url(), folder.path(), &|_| ()).await;
    migrated.map(|migrated| migrated.applied)
}

async fn count(connection: &mut PgConnection, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(connection).await.unwrap()
}

/// Two organisations with 1,500 partners each.
async fn fill(database: &TestDatabase) {
    run(
        &mut as_superuser(database).await,
        "INSERT INTO organizations (id, name) VALUES ('org_a', 'A'), ('org_b', 'B');
         INSERT INTO partners (organization_id, id, name, status)
         SELECT organizations.id, 'ptn_' || to_char(n, 'FM0000'), 'P', 'active'
           FROM organizations, generate_series(1, 1500) n;
         ANALYZE",
    )
    .await;
}

#[tokio::test]
async fn index_whose_build_failed_is_built_by_the_next_run() {
    let database = TestDatabase::create().await;
    fill(&database).await;
    let folder = folder(
        "-- no-transaction\n\
         CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS partners_by_name\n\
             ON partners (organization_id, name);",
    );
    let failed = apply(&database, &folder).await.unwrap_err();
    assert!(failed.to_string().contains("migration 9001 failed"), "{failed}");
    let mut superuser = as_superuser(&database).await;
    let invalid = "SELECT count(*) FROM pg_index WHERE NOT indisvalid";
    assert_eq!(count(&mut superuser, invalid).await, 1);

    run(&mut superuser, "UPDATE partners SET name = id").await;
    assert_eq!(apply(&database, &folder).await.unwrap(), 1);
    assert_eq!(count(&mut superuser, invalid).await, 0);
    assert_eq!(
        count(&mut superuser, "SELECT count(*) FROM pg_class WHERE relname = 'partners_by_name'")
            .await,
        1
    );
    assert_eq!(apply(&database, &folder).await.unwrap(), 0);
}

#[tokio::test]
async fn index_that_was_built_before_the_run_ended_is_kept() {
    let database = TestDatabase::create().await;
    let mut owner = as_owner(&database).await;
    run(&mut owner, "CREATE INDEX partners_by_name ON partners (organization_id, name)").await;
    let oid = "SELECT 'partners_by_name'::regclass::oid::bigint";
    let before = count(&mut owner, oid).await;
    let folder = folder(
        "-- no-transaction\n\
         CREATE INDEX CONCURRENTLY IF NOT EXISTS partners_by_name\n\
             ON partners (organization_id, name);",
    );
    assert_eq!(apply(&database, &folder).await.unwrap(), 1);
    assert_eq!(count(&mut owner, oid).await, before);
}

#[tokio::test]
async fn pieces_that_failed_go_on_where_rows_are_left() {
    let database = TestDatabase::create().await;
    fill(&database).await;
    let mut superuser = as_superuser(&database).await;
    run(
        &mut superuser,
        "UPDATE partners SET name = '0' WHERE organization_id = 'org_b' AND id = 'ptn_1200'",
    )
    .await;
    let folder = folder(
        "-- in pieces\n\
         UPDATE partners SET external_company_id = 1 / (CASE name WHEN '0' THEN 0 ELSE 1 END)\n\
         WHERE organization_id = $1 AND id > $2 AND id <= $3 AND external_company_id IS NULL;",
    );
    let failed = apply(&database, &folder).await.unwrap_err();
    assert!(failed.to_string().contains("division by zero"), "{failed}");
    let filled = "SELECT count(*) FROM partners WHERE external_company_id = '1'";
    assert_eq!(count(&mut superuser, filled).await, 2_500);

    run(&mut superuser, "UPDATE partners SET name = 'P', updated_at = 'epoch'").await;
    assert_eq!(apply(&database, &folder).await.unwrap(), 1);
    assert_eq!(count(&mut superuser, filled).await, 3_000);
    assert_eq!(apply(&database, &folder).await.unwrap(), 0);
}

const NAMED: &str = "SELECT count(*) FROM pg_policies WHERE policyname = 'named'";

#[tokio::test]
async fn policies_of_an_interrupted_run_are_kept_and_the_others_created() {
    let database = TestDatabase::create().await;
    let mut owner = as_owner(&database).await;
    let folder = folder(
        "-- table by table\n\
         CREATE POLICY named ON partners AS RESTRICTIVE USING (id <> '');\n\
         CREATE POLICY named ON payouts AS RESTRICTIVE USING (is_named(id));\n\
         CREATE POLICY named ON commission_lines AS RESTRICTIVE USING (id <> '');",
    );
    let failed = apply(&database, &folder).await.unwrap_err();
    assert!(failed.to_string().contains("is_named"), "{failed}");
    assert_eq!(count(&mut owner, NAMED).await, 1);
    let oid = "SELECT min(oid::bigint) FROM pg_policy WHERE polname = 'named'";
    let before = count(&mut owner, oid).await;

    run(&mut owner, "CREATE FUNCTION is_named(id text) RETURNS boolean RETURN id <> ''").await;
    let reports = Mutex::new(Vec::new());
    let report = |line: &str| reports.lock().unwrap().push(line.to_owned());
    migrate_later(database.owner_url(), folder.path(), &report).await.unwrap();
    let reports = reports.into_inner().unwrap();
    assert!(reports.len() == 1 && reports[0].contains("skipped"), "{reports:?}");
    assert_eq!((count(&mut owner, NAMED).await, count(&mut owner, oid).await), (3, before));
    assert_eq!(apply(&database, &folder).await.unwrap(), 0);
}

/// Applies the file while a transaction reads partners, which ends at the first report. Returns the
/// report, and how many policies others saw then.
async fn apply_after_a_reader(database: &TestDatabase, sql: &str) -> (String, i64) {
    let mut reader = as_superuser(database).await;
    run(&mut reader, "BEGIN; SELECT 1 FROM partners LIMIT 1").await;
    let folder = folder(sql);
    let (sender, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let report = |line: &str| sender.send(line.to_owned()).unwrap();
    let end_the_reader = async {
        let report = reports.recv().await.unwrap();
        let policies = count(&mut reader, NAMED).await;
        run(&mut reader, "COMMIT").await;
        (report, policies)
    };
    let (migrated, seen) =
        tokio::join!(migrate_later(database.owner_url(), folder.path(), &report), end_the_reader);
    assert_eq!(migrated.unwrap().applied, 1);
    seen
}

#[tokio::test]
async fn statement_that_waits_for_a_long_transaction_gives_up_and_is_tried_again() {
    let database = TestDatabase::create().await;
    let (report, _) =
        apply_after_a_reader(&database, "ALTER TABLE partners ADD COLUMN note text;").await;
    assert!(report.contains("lock timeout") && report.contains("attempt 2 of 100"), "{report}");
}

#[tokio::test]
async fn policy_that_waits_for_a_long_transaction_is_tried_again_after_the_others_are_committed() {
    let database = TestDatabase::create().await;
    let (report, policies) = apply_after_a_reader(
        &database,
        "-- table by table\n\
         CREATE POLICY named ON payouts AS RESTRICTIVE USING (id <> '');\n\
         CREATE POLICY named ON partners AS RESTRICTIVE USING (id <> '');",
    )
    .await;
    assert!(report.contains("lock timeout") && report.contains("attempt 2 of 100"), "{report}");
    assert_eq!(policies, 1);
    assert_eq!(count(&mut as_owner(&database).await, NAMED).await, 2);
}

/// A vacuum has the same lock; requests do not queue behind the migration that waits for it.
#[tokio::test]
async fn requests_go_on_while_a_migration_waits_for_a_vacuum() {
    let database = TestDatabase::create().await;
    fill(&database).await;
    let mut vacuum = as_superuser(&database).await;
    run(&mut vacuum, "BEGIN; LOCK TABLE partners IN SHARE UPDATE EXCLUSIVE MODE").await;
    let folder = folder("ALTER TABLE partners ADD COLUMN note text;");
    let reports = Mutex::new(Vec::new());
    let report = |line: &str| reports.lock().unwrap().push(line.to_owned());
    let requests = async {
        let mut superuser = as_superuser(&database).await;
        // Copies of one template have the same numbers of tables.
        let waiting = "SELECT count(*) FROM pg_locks
                         JOIN pg_database ON pg_database.oid = pg_locks.database
                        WHERE NOT granted AND relation = 'partners'::regclass
                          AND datname = current_database()";
        while count(&mut superuser, waiting).await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        run(
            &mut as_app(&database).await,
            "BEGIN; SELECT set_config('app.organization_id', 'org_a', true);
             UPDATE partners SET name = 'Q' WHERE organization_id = 'org_a' AND id = 'ptn_0001';
             COMMIT",
        )
        .await;
        assert_eq!(count(&mut superuser, waiting).await, 1);
        run(&mut vacuum, "COMMIT").await;
    };
    let (migrated, ()) =
        tokio::join!(migrate_later(database.owner_url(), folder.path(), &report), requests);
    assert_eq!(migrated.unwrap().applied, 1);
    assert_eq!(reports.into_inner().unwrap(), [""; 0]);
}

#[tokio::test]
async fn plan_names_locks_and_rows_and_changes_nothing() {
    let database = TestDatabase::create().await;
    fill(&database).await;
    let folder = folder(
        "ALTER TABLE partners ADD COLUMN note text;\nCREATE INDEX a ON partners (organization_id);",
    );
    fs::write(
        folder.path().join("9002_built.sql"),
        "-- no-transaction\n\
         CREATE INDEX CONCURRENTLY IF NOT EXISTS b ON payouts (organization_id);",
    )
    .unwrap();
    fs::write(
        folder.path().join("9003_named.sql"),
        "-- table by table\n\
         CREATE POLICY named ON partners AS RESTRICTIVE USING (id <> '');\n\
         CREATE POLICY named ON payouts AS RESTRICTIVE USING (id <> '');",
    )
    .unwrap();
    let plan = plan_later(database.owner_url(), folder.path()).await.unwrap().unwrap();
    insta::assert_snapshot!(plan);
    assert_eq!(plan_later(database.owner_url(), folder.path()).await.unwrap().unwrap(), plan);
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(plan_later(database.owner_url(), empty.path()).await.unwrap(), None);
}
