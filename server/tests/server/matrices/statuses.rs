//! Every status that the document promises for an operation happens, and looks as promised.
//!
//! It refuses exceptions: a status that the document gains fails here until a request brings it about.

use futures_util::{future::join_all, stream};
use payout_openapi::{Operation, Status};
use poem::http::Method;
use sqlx::{AssertSqlSafe, PgPool};

use super::{
    document::{DOCUMENT, is_documented, is_promised, promised_statuses},
    fixtures::{ask, fixture},
};
use crate::support::{Answer, Ask, Key, TestServer};

const BODY_SIZE_BYTES: usize = 64 * 1024;

#[tokio::test]
async fn every_documented_status_of_every_operation_happens_and_fits_its_schema() {
    // The shortest time a body may take, because the 408 waits for it.
    let server = TestServer::start_with(|options| options.body_seconds = 1).await;
    let superuser = server.superuser().await;
    use_up_the_minute(&server).await;
    let mut happened = join_all(
        DOCUMENT
            .operations()
            .iter()
            .map(|operation| answers(&server, operation)),
    )
    .await
    .concat();
    for (status, tables) in [
        (500, ["partners", "commission_lines", "payouts"].as_slice()),
        (503, &["meters"]),
    ] {
        rename(&superuser, tables, "", "_away").await;
        for operation in DOCUMENT.operations() {
            let path = fixture(operation).path;
            let answer = ask(&server, operation, path)
                .header("x-api-key", server.key(Key::MAIN))
                .send()
                .await;
            happened.push(checked(operation, status, &answer));
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
    for response in DOCUMENT.unrouted_responses() {
        let answer = match response.status {
            Status::Code(404) => server.ask(Method::GET, "/api/v1/nothing").send().await,
            Status::Code(405) => server.ask(Method::DELETE, "/api/v1/partners").send().await,
            Status::Code(429) => beyond_the_limit_of_an_address(&server).await,
            other => panic!("{other:?} is new in x-unrouted-responses: bring it about here"),
        };
        assert!(
            response.status.matches(answer.status.as_u16()),
            "{}",
            answer.text
        );
        is_promised(&answer, response).unwrap();
    }
}

/// The answer to an unknown path once the address has used up its requests without a key. The
/// minute is that of the machine's clock, and may turn between two requests.
async fn beyond_the_limit_of_an_address(server: &TestServer) -> Answer {
    let replica = server.replica_with(|options| options.anonymous_requests_per_minute = 1);
    let replica = replica.await;
    loop {
        let answer = replica.ask(Method::GET, "/api/v1/nothing", "none").send();
        let answer = answer.await;
        if answer.status != 404 {
            return answer;
        }
    }
}

/// Brings about every promised status that needs no broken database.
async fn answers(server: &TestServer, operation: &'static Operation) -> Vec<(String, u16)> {
    let mut happened = Vec::new();
    for status in promised_statuses(operation) {
        if let Some(ask) = provocation(server, operation, status) {
            happened.push(checked(operation, status, &ask.send().await));
        }
    }
    happened
}

/// How each status comes about; `None` for the two that need a broken database.
fn provocation(server: &TestServer, operation: &Operation, status: u16) -> Option<Ask> {
    let fixture = fixture(operation);
    let by =
        |key: Key, path: &str| ask(server, operation, path).header("x-api-key", server.key(key));
    let sound = || by(Key::MAIN, fixture.path);
    Some(match status {
        200 => by(Key::MAIN, fixture.success_path),
        400 => sound().header("api-version", "1999-12-31"),
        401 => ask(server, operation, fixture.path),
        402 => by(Key("exhausted", "all"), fixture.path),
        403 => by(Key("main", "affiliate-write"), fixture.path),
        404 => by(
            Key::MAIN,
            fixture
                .absent_path
                .expect("an operation with a 404 has an absent path"),
        ),
        // The client sends a GET without its body unless the header insists.
        408 => sound()
            .header("transfer-encoding", "chunked")
            .body(endless_body()),
        413 => sound().body(vec![b' '; BODY_SIZE_BYTES + 1]),
        415 => {
            let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
            let untyped = server
                .ask(method, fixture.path)
                .header("x-api-key", server.key(Key::MAIN));
            untyped.header("content-type", "text/plain").body("{}")
        }
        422 => by(Key::MAIN, &format!("{}?unknown=1", fixture.path)),
        429 => by(Key("tight", "all"), fixture.path),
        500 | 503 => return None,
        other => panic!(
            "{} promises {other}: say here how it comes about",
            operation.id
        ),
    })
}

fn checked(operation: &Operation, expected: u16, answer: &Answer) -> (String, u16) {
    assert_eq!(answer.status, expected, "{}: {}", operation.id, answer.text);
    is_documented(answer, &operation.id).unwrap();
    (operation.id.clone(), expected)
}

/// A body that never arrives.
fn endless_body() -> reqwest::Body {
    reqwest::Body::wrap_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>())
}

/// Takes the five requests a minute of the organisation tight, in a minute that does not end.
async fn use_up_the_minute(server: &TestServer) {
    server
        .database
        .advance_clock(std::time::Duration::ZERO)
        .await
        .unwrap();
    for _ in 0..5 {
        server
            .get(Key("tight", "all"), "/api/v1/partners")
            .expect(200)
            .await;
    }
}

async fn rename(superuser: &PgPool, tables: &[&str], from: &str, to: &str) {
    for table in tables {
        let statement = format!("ALTER TABLE payout.{table}{from} RENAME TO {table}{to}");
        sqlx::query(AssertSqlSafe(statement))
            .execute(superuser)
            .await
            .unwrap();
    }
}
