//! Batches read for several tenants, and each tenant sees only its own rows: statements that name
//! no organisation test row-level security. The suite cannot decide which reads share a batch.

use std::{
    future::pending,
    io::ErrorKind,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use payout_server::{
    partners::store::PartnersById,
    payouts::store::PayoutsById,
    postgres::{BatchLoader, Connections, Lookup, PointRead},
    problem::Failure,
};
use sqlx::{Connection as _, PgConnection};

use crate::support::{TestServer, dataset::*, organization};

async fn reader(server: &TestServer) -> Connections {
    server.tenants().await.batch_connection(Duration::from_secs(5))
}

fn lookup(of: &str, id: &str) -> Lookup {
    Lookup { organization: organization(of), id: id.to_owned() }
}

async fn owners(connection: &mut PgConnection, table: &str) -> Vec<String> {
    let statement = format!("SELECT DISTINCT organization_id FROM {table} ORDER BY 1");
    sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_all(connection).await.unwrap()
}

#[tokio::test]
async fn batch_sees_rows_of_its_organisations_alone_and_only_where_batches_read() {
    let server = TestServer::start().await;
    let mut connection = reader(&server).await.get().await.unwrap();
    for of in [&[MAIN][..], &[OTHER], &[MAIN, OTHER], &[]] {
        let mut transaction = connection.begin().await.unwrap();
        sqlx::query("SELECT set_config('app.organization_ids', $1, true)")
            .bind(of.join(","))
            .execute(&mut *transaction)
            .await
            .unwrap();
        for table in ["partners", "payouts", "commission_lines", "users"] {
            assert_eq!(owners(&mut transaction, table).await, of, "{table}");
        }
        for table in ["assets", "current_statements"] {
            let owners = owners(&mut transaction, table).await;
            assert!(owners.iter().all(|owner| of.contains(&owner.as_str())), "{table}");
        }
        for table in ["billing_information", "history", "asset_intents", "payout_batches"] {
            assert!(owners(&mut transaction, table).await.is_empty(), "{table}");
        }
        transaction.commit().await.unwrap();
        assert!(owners(&mut connection, "partners").await.is_empty());
    }
}

#[tokio::test]
async fn batch_changes_nothing() {
    let server = TestServer::start().await;
    let mut connection = reader(&server).await.get().await.unwrap();
    let rejected = sqlx::query("UPDATE partners SET name = 'Changed'")
        .execute(&mut *connection)
        .await
        .unwrap_err();
    assert!(rejected.to_string().contains("read-only"), "{rejected}");
}

#[tokio::test]
async fn batch_leaves_nothing_to_the_next() {
    let server = TestServer::start().await;
    let mut connection = reader(&server).await.get().await.unwrap();
    let requested = lookup(MAIN, ONE_LINE);
    let rows = PayoutsById::read(&mut connection, &[&requested]).await.unwrap();
    assert_eq!(rows.len(), 1);
    for table in ["partners", "payouts", "users"] {
        assert!(owners(&mut connection, table).await.is_empty(), "{table}");
    }
}

/// For small tables PostgreSQL would rather read all rows first and then select the requested ones:
/// before the statement has set their organisations, it would see none.
#[tokio::test]
async fn rows_are_found_however_few_there_are() {
    let server = TestServer::start().await;
    for keep in [3, 1] {
        server.execute("ANALYZE").await;
        let mut connection = reader(&server).await.get().await.unwrap();
        let requested = lookup(MAIN, ONE_LINE);
        let rows = PayoutsById::read(&mut connection, &vec![&requested; keep]).await.unwrap();
        assert_eq!(rows.len(), keep);
        let requested = lookup(MAIN, NORDWIND);
        let rows = PartnersById::read(&mut connection, &vec![&requested; keep]).await.unwrap();
        assert_eq!(rows.len(), keep);
    }
}

#[tokio::test]
async fn id_of_another_organisation_of_the_batch_is_nobodys() {
    let server = TestServer::start().await;
    let mut connection = reader(&server).await.get().await.unwrap();
    let requested = [
        lookup(OTHER, ONE_LINE),
        lookup(MAIN, ONE_LINE),
        lookup(MAIN, FOREIGN_PAYOUT),
        lookup(OTHER, FOREIGN_PAYOUT),
    ];
    let rows = PayoutsById::read(&mut connection, &requested.each_ref()).await.unwrap();
    let rows: Vec<_> =
        rows.iter().map(|row| (row.organization_id.as_str(), row.id.as_str())).collect();
    assert_eq!(rows, [(MAIN, ONE_LINE), (OTHER, FOREIGN_PAYOUT)]);
}

#[tokio::test]
async fn partner_is_found_by_its_crm_id_within_its_organisation() {
    let server = TestServer::start().await;
    let mut connection = reader(&server).await.get().await.unwrap();
    let requested = [
        lookup(MAIN, NORDWIND_EXTERNAL),
        lookup(OTHER, NORDWIND_EXTERNAL),
        // If an id is also another partner's CRM id, the partner with this id is returned.
        lookup(MAIN, NORDWIND),
        lookup(MAIN, NO_PARTNER),
    ];
    let rows = PartnersById::read(&mut connection, &requested.each_ref()).await.unwrap();
    let rows: Vec<_> =
        rows.iter().map(|row| (row.organization_id.as_str(), row.id.as_str())).collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!((rows[0], rows[2]), ((MAIN, NORDWIND), (MAIN, NORDWIND)));
    assert_eq!(rows[1].0, OTHER);
}

/// Reads that fail in this way once, and succeed afterwards.
struct Failing<const LOSES_CONNECTION: bool>;

static READS: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Stops the clock of the runtime, which then skips every wait.
struct PausedClock;

impl Drop for PausedClock {
    fn drop(&mut self) {
        tokio::time::resume();
    }
}

impl<const LOSES_CONNECTION: bool> PointRead for Failing<LOSES_CONNECTION> {
    type Row = ();

    async fn read(_: &mut PgConnection, requested: &[&Lookup]) -> Result<Vec<()>, sqlx::Error> {
        match READS[usize::from(LOSES_CONNECTION)].fetch_add(1, Ordering::SeqCst) {
            0 if LOSES_CONNECTION => Err(std::io::Error::from(ErrorKind::ConnectionReset).into()),
            0 => {
                tokio::time::pause();
                let _clock = PausedClock;
                pending().await
            }
            _ => Ok(vec![(); requested.len()]),
        }
    }

    fn matches((): &(), _: &Lookup) -> bool {
        true
    }
}

#[tokio::test]
async fn batch_that_timed_out_is_not_sent_again_and_one_whose_connection_was_lost_is() {
    let server = TestServer::start().await;
    let (tenants, timeout) = (server.tenants().await, Duration::from_secs(5));
    let read = BatchLoader::<Failing<false>>::start(&tenants, 8, timeout);
    let read = read.get(organization(MAIN), ONE_LINE).await.map_err(Failure::from);
    assert!(matches!(read, Err(Failure::Unavailable { .. })), "{read:?}");
    let read = BatchLoader::<Failing<true>>::start(&tenants, 8, timeout);
    assert_eq!(read.get(organization(MAIN), ONE_LINE).await.unwrap(), Some(()));
    assert_eq!(READS.each_ref().map(|reads| reads.load(Ordering::SeqCst)), [1, 2]);
}
