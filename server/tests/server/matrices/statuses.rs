//! Every status that the document lists for an operation occurs, and the response fits the
//! document.

use futures_util::{future::join_all, stream};
use openapi_document::{Operation, Status};
use poem::http::Method;
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, PgPool};

use super::{
    document::{DOCUMENT, is_documented, is_promised, promised_statuses},
    fixtures::{fixture, request},
};
use crate::support::{Key, TestRequest, TestResponse, TestServer, dataset::MAIN};

const BODY_SIZE_BYTES: usize = 64 * 1024;

#[tokio::test]
async fn every_documented_status_of_every_operation_happens_and_fits_its_schema() {
    // The shortest timeout of a body, because the 408 waits for it.
    let server = TestServer::start_with(|options| options.body_seconds = 1).await;
    let superuser = server.superuser().await;
    use_up_the_minute(&server).await;
    let mut happened =
        join_all(DOCUMENT.operations().iter().map(|operation| answers(&server, operation)))
            .await
            .concat();
    for operation in DOCUMENT.operations() {
        if promised_statuses(operation).contains(&409) {
            let response = beside_another(&server, operation, &superuser).await;
            happened.push(checked(operation, 409, &response));
        }
    }
    for (status, tables) in
        [(500, ["partners", "commission_lines", "payouts"].as_slice()), (503, &["meters"])]
    {
        rename(&superuser, tables, "", "_away").await;
        for operation in DOCUMENT.operations() {
            let path = fixture(operation).path;
            let response = request(&server, operation, path)
                .header("x-api-key", server.key(Key::MAIN))
                .send()
                .await;
            happened.push(checked(operation, status, &response));
        }
        rename(&superuser, tables, "_away", "").await;
    }
    let promised = DOCUMENT.operations().iter().flat_map(|operation| {
        let statuses = promised_statuses(operation).into_iter();
        statuses.map(|status| (operation.id.clone(), status))
    });
    let mut promised: Vec<_> = promised.collect();
    promised.sort();
    happened.sort();
    assert_eq!(happened, promised);
}

#[tokio::test]
async fn an_unknown_path_and_an_unknown_method_answer_as_the_document_says() {
    let server = TestServer::start().await;
    for documented in DOCUMENT.unrouted_responses() {
        let response = match documented.status {
            Status::Code(404) => server.request(Method::GET, "/api/v1/nothing").send().await,
            Status::Code(405) => server.request(Method::DELETE, "/api/v1/partners").send().await,
            Status::Code(429) => beyond_the_limit_of_the_address(&server).await,
            other => panic!("{other:?} is new in x-unrouted-responses: bring it about here"),
        };
        assert!(documented.status.matches(response.status.as_u16()), "{}", response.text);
        is_promised(&response, documented).unwrap();
    }
}

/// The response to an unknown path once the address has used up its requests without a key. The
/// minute is that of the machine's clock, and may end between two requests.
async fn beyond_the_limit_of_the_address(server: &TestServer) -> TestResponse {
    let replica = server.replica_with(|options| options.anonymous_requests_per_minute = 1);
    let replica = replica.await;
    loop {
        let response = replica.request(Method::GET, "/api/v1/nothing", "none").send();
        let response = response.await;
        if response.status != 404 {
            return response;
        }
    }
}

/// Causes every documented status that needs no broken database.
async fn answers(server: &TestServer, operation: &'static Operation) -> Vec<(String, u16)> {
    let mut happened = Vec::new();
    for status in promised_statuses(operation) {
        if let Some(request) = provocation(server, operation, status) {
            happened.push(checked(operation, status, &request.send().await));
        }
    }
    happened
}

/// How to cause each status; `None` for the two that need a broken database, and for the one that
/// needs a request beside it.
fn provocation(server: &TestServer, operation: &Operation, status: u16) -> Option<TestRequest> {
    let fixture = fixture(operation);
    let by = |key: Key, path: &str| {
        request(server, operation, path).header("x-api-key", server.key(key))
    };
    let sound = || by(Key::MAIN, fixture.path);
    Some(match status {
        200 => by(Key::MAIN, fixture.success_path),
        201 => sound().body(fixture.created.expect("an operation with a 201 has such a body")),
        400 => sound().header("api-version", "1999-12-31"),
        401 => request(server, operation, fixture.path),
        402 => by(Key("exhausted", "all"), fixture.path),
        403 => by(Key("main", "affiliate-write"), fixture.path),
        404 => {
            by(Key::MAIN, &fixture.absent_path.expect("an operation with a 404 has an absent path"))
        }
        // The client drops the body of a GET unless the header is set.
        408 => sound().header("transfer-encoding", "chunked").body(endless_body()),
        413 => sound().body(vec![b' '; BODY_SIZE_BYTES + 1]),
        415 => {
            let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
            let untyped =
                server.request(method, fixture.path).header("x-api-key", server.key(Key::MAIN));
            untyped.header("content-type", "text/plain").body("{}")
        }
        422 => by(Key::MAIN, &format!("{}?unknown=1", fixture.path)),
        429 => by(Key("tight", "all"), fixture.path),
        409 | 500 | 503 => return None,
        other => panic!("{} promises {other}: say here how it comes about", operation.id),
    })
}

fn checked(operation: &Operation, expected: u16, response: &TestResponse) -> (String, u16) {
    assert_eq!(response.status, expected, "{}: {}", operation.id, response.text);
    is_documented(response, &operation.id).unwrap();
    (operation.id.clone(), expected)
}

/// The response to a request with an idempotency key while another holds the key's lock.
async fn beside_another(
    server: &TestServer,
    operation: &Operation,
    superuser: &PgPool,
) -> TestResponse {
    let hash: [u8; 32] = Sha256::digest(format!("{MAIN}\0{}\0beside\0", operation.id)).into();
    let (number, _) = hash.split_first_chunk().unwrap();
    let mut transaction = superuser.begin().await.unwrap();
    let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(i64::from_be_bytes(*number));
    lock.execute(&mut *transaction).await.unwrap();
    let request = request(server, operation, fixture(operation).path)
        .header("x-api-key", server.key(Key::MAIN))
        .header("idempotency-key", "beside");
    let response = request.send().await;
    transaction.rollback().await.unwrap();
    response
}

/// A body that never arrives.
fn endless_body() -> reqwest::Body {
    reqwest::Body::wrap_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>())
}

/// Uses all five requests a minute of the organisation tight; the clock is stopped.
async fn use_up_the_minute(server: &TestServer) {
    server.database.advance_clock(std::time::Duration::ZERO).await.unwrap();
    for _ in 0..5 {
        server.get(Key("tight", "all"), "/api/v1/partners").expect(200).await;
    }
}

async fn rename(superuser: &PgPool, tables: &[&str], from: &str, to: &str) {
    for table in tables {
        let statement = format!("ALTER TABLE payout.{table}{from} RENAME TO {table}{to}");
        sqlx::query(AssertSqlSafe(statement)).execute(superuser).await.unwrap();
    }
}
