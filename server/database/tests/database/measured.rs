//! Migrations under load: while they run, no request waits for more than 1 s.
//!
//! `PAYOUT_MIGRATION_ROWS=1000000 cargo nextest run -p payout-database measured` measures a large
//! database.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use payout_database::testing::{migrate_later, reset_to_first_migration};
use payout_database::{MigrateError, Migrated, TestDatabase, app_connect_options};
use sqlx::{Connection as _, PgConnection};
use tokio::sync::{Barrier, Mutex};
use tokio::task::JoinSet;

use crate::{as_superuser, run};

const LIMIT: Duration = Duration::from_secs(1);
const SESSIONS: usize = 6;
/// Between two requests of a session, and between two looks at the locks.
const PACE: Duration = Duration::from_millis(5);
const LINES_OF_A_PAYOUT: i64 = 10;

fn lines() -> i64 {
    let lines = std::env::var("PAYOUT_MIGRATION_ROWS").ok();
    lines.map_or(20_000, |lines| lines.parse().expect("PAYOUT_MIGRATION_ROWS is a number"))
}

/// Four organisations with payouts of ten lines each. Triggers and foreign keys are off meanwhile.
async fn fill(database: &TestDatabase, lines: i64) {
    let payouts = lines / LINES_OF_A_PAYOUT;
    let mut superuser = as_superuser(database).await;
    let statements = include_str!("measured.sql").replace("{payouts}", &payouts.to_string());
    run(&mut superuser, statements.replace("{lines}", &lines.to_string())).await;
}

/// The server's request of this number, reduced to its statement.
fn statement(number: usize) -> &'static str {
    const REQUESTS: &str = include_str!("requests.sql");
    let mut requests = REQUESTS.split_terminator(";\n").cycle();
    requests.nth(number).expect("it begins again")
}

async fn request(
    connection: &mut PgConnection,
    number: usize,
    payouts: i64,
) -> Result<(), sqlx::Error> {
    let row = i64::try_from(number * 7919).unwrap() % payouts;
    let organization = format!("org_{}", row % 4);
    let mut transaction = connection.begin().await?;
    sqlx::query("SELECT set_config('app.organization_id', $1, true)")
        .bind(&organization)
        .execute(&mut *transaction)
        .await?;
    let statement = sqlx::query(statement(number)).bind(&organization).bind(row);
    statement.execute(&mut *transaction).await?;
    transaction.commit().await
}

/// Sends requests while migrations run, and returns what went wrong.
async fn session(
    database_url: String,
    first: usize,
    payouts: i64,
    ready: Arc<Barrier>,
    stop: Arc<AtomicBool>,
) -> Vec<String> {
    let options = app_connect_options(&database_url).unwrap();
    let mut connection = PgConnection::connect_with(&options).await.unwrap();
    let mut faults = Vec::new();
    let mut longest = Duration::ZERO;
    let mut number = first;
    ready.wait().await;
    while !stop.load(Ordering::Relaxed) {
        let begun_at = Instant::now();
        if let Err(error) = request(&mut connection, number, payouts).await {
            faults.push(format!("{}: {error}", statement(number)));
        }
        longest = longest.max(begun_at.elapsed());
        number += SESSIONS;
        tokio::time::sleep(PACE).await;
    }
    assert!(number > first, "this session made no request");
    if longest > LIMIT {
        faults.push(format!("a request took {longest:?}"));
    }
    faults
}

/// The locks that requests wait for, on tables that they use, with how long each was seen.
async fn watch_locks(mut superuser: PgConnection, stop: Arc<AtomicBool>) -> Vec<String> {
    let query = include_str!("locks.sql");
    let (mut held, mut since, mut faults) = (String::new(), Instant::now(), Vec::new());
    while !stop.load(Ordering::Relaxed) {
        let now: String = sqlx::query_scalar(query).fetch_one(&mut superuser).await.unwrap();
        if now != held {
            if !held.is_empty() && since.elapsed() > LIMIT {
                faults.push(format!("{held} was locked for {:?}", since.elapsed()));
            }
            (held, since) = (now, Instant::now());
        }
        tokio::time::sleep(PACE).await;
    }
    faults
}

/// One measurement at a time.
static ALONE: Mutex<()> = Mutex::const_new(());

/// Applies the migrations after the first, released ones and those of the folder, under load.
async fn measure(folder: &Path) -> (Result<Migrated, MigrateError>, Vec<String>) {
    let _alone = ALONE.lock().await;
    let database = TestDatabase::create().await;
    reset_to_first_migration(database.owner_url()).await.unwrap();
    let lines = lines();
    fill(&database, lines).await;
    let (stop, ready) = (Arc::new(AtomicBool::new(false)), Arc::new(Barrier::new(SESSIONS + 1)));
    let mut watchers = JoinSet::new();
    watchers.spawn(watch_locks(as_superuser(&database).await, stop.clone()));
    for number in 0..SESSIONS {
        let url = database.app_url().to_owned();
        let payouts = lines / LINES_OF_A_PAYOUT;
        watchers.spawn(session(url, number, payouts, ready.clone(), stop.clone()));
    }
    ready.wait().await;
    let begun_at = Instant::now();
    let migrated = migrate_later(database.owner_url(), folder, &|line| println!("{line}")).await;
    println!("{lines} lines: {:?}", begun_at.elapsed());
    stop.store(true, Ordering::Relaxed);
    let faults = watchers.join_all().await.concat();
    println!("{faults:#?}");
    (migrated, faults)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_go_on_while_harmless_migrations_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/migrations/harmless");
    let (migrated, faults) = measure(&folder).await;
    assert!(migrated.unwrap().applied >= 11);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// At any number of lines, `slow` takes at least 1.5 s for all of them.
async fn measure_slow(statement: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let one_in = lines() / 1_500;
    let slow = format!(
        "CREATE FUNCTION slow(id text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
         BEGIN
             IF hashtext(id) % {one_in} = 0 THEN PERFORM pg_sleep(0.001); END IF;
             RETURN id;
         END $$;"
    );
    fs::write(folder.path().join("9001_slow.sql"), slow + statement).unwrap();
    let (migrated, faults) = measure(folder.path()).await;
    migrated.unwrap();
    faults
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_generated_column_is_found_to_stop_requests() {
    let faults = measure_slow(
        "ALTER TABLE commission_lines ADD COLUMN late text GENERATED ALWAYS AS (slow(id)) STORED",
    )
    .await;
    assert!(faults.iter().any(|fault| fault.contains("lock timeout")), "{faults:#?}");
    assert!(faults.iter().any(|fault| fault.contains("was locked for")), "{faults:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn index_without_concurrently_is_found_to_stop_writes() {
    let faults = measure_slow("CREATE INDEX late ON commission_lines (slow(id))").await;
    let waited = |fault: &String| fault.contains("lock timeout") && !fault.contains("SELECT");
    assert!(faults.iter().any(waited), "{faults:#?}");
    assert!(faults.iter().any(|fault| fault.contains("was locked for")), "{faults:#?}");
}
