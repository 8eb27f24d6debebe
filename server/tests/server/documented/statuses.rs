//! The responses of each operation to a body that does not arrive, beside a request with the same
//! idempotency key, and without its tables.

use futures_util::stream;
use openapi_document::Operation;
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, PgPool};

use super::{
    document::{DOCUMENT, assert_documented, lists},
    fixtures::{fixture, request},
};
use crate::support::{Key, TestRequest, TestServer, dataset::MAIN};

/// A valid request with main's key of all scopes.
fn sound(server: &TestServer, operation: &Operation) -> TestRequest {
    let request = request(server, operation, fixture(operation).path);
    request.header("x-api-key", server.key(Key::MAIN))
}

#[tokio::test]
async fn body_that_does_not_arrive_is_a_408_of_each_operation() {
    let server = TestServer::start_with(|options| options.body_seconds = 1).await;
    let late = DOCUMENT.operations().iter().map(|operation| async {
        let body = stream::pending::<Result<Vec<u8>, std::io::Error>>();
        // The client leaves out the body of a GET without this header.
        let request = sound(&server, operation).header("transfer-encoding", "chunked");
        let response = request.body(reqwest::Body::wrap_stream(body)).send().await;
        assert_documented(operation, 408, &response);
    });
    futures_util::future::join_all(late).await;
}

#[tokio::test]
async fn request_beside_another_of_its_key_is_a_409_of_each_operation_with_keys() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let with_keys: Vec<_> =
        DOCUMENT.operations().iter().filter(|operation| lists(operation, 409)).collect();
    assert!(!with_keys.is_empty());
    for operation in with_keys {
        let hash: [u8; 32] = Sha256::digest(format!("{MAIN}\0{}\0beside\0", operation.id)).into();
        let (number, _) = hash.split_first_chunk().unwrap();
        let mut other = superuser.begin().await.unwrap();
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)");
        lock.bind(i64::from_be_bytes(*number)).execute(&mut *other).await.unwrap();
        let request = sound(&server, operation).header("idempotency-key", "beside");
        assert_documented(operation, 409, &request.send().await);
        other.rollback().await.unwrap();
    }
}

#[tokio::test]
async fn lost_table_is_a_500_of_each_operation_and_a_lost_meter_a_503() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    for (status, tables) in
        [(500, ["partners", "commission_lines", "payouts"].as_slice()), (503, &["meters"])]
    {
        rename(&superuser, tables, "", "_away").await;
        for operation in DOCUMENT.operations() {
            assert_documented(operation, status, &sound(&server, operation).send().await);
        }
        rename(&superuser, tables, "_away", "").await;
    }
}

async fn rename(superuser: &PgPool, tables: &[&str], from: &str, to: &str) {
    for table in tables {
        let statement = format!("ALTER TABLE payout.{table}{from} RENAME TO {table}{to}");
        sqlx::query(AssertSqlSafe(statement)).execute(superuser).await.unwrap();
    }
}
