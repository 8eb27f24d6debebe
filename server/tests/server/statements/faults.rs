//! Failures of the object store: the envelope without detail, the credit refunded, and no partial
//! result. The suite breaks no store.

use std::net::SocketAddr;

use payout_server::{
    config::ServeOptions,
    statements::storage::{AssetOptions, Storage},
};
use poem::http::Method;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::generate;
use crate::support::{Key, Replica, TestRequest, TestResponse, TestServer, dataset::*, operator};

const EMPTY_LISTING: &str = "<?xml version=\"1.0\"?><ListBucketResult>\
    <Name>statements</Name><Prefix></Prefix><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys>\
    <IsTruncated>false</IsTruncated></ListBucketResult>";

/// A store that lists its bucket, so that a server starts with it, and never responds afterwards.
async fn silent_store() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(list_or_be_silent(connection));
        }
    });
    address
}

async fn list_or_be_silent(mut connection: TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match connection.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    if String::from_utf8_lossy(&head).contains("list-type=2") {
        let length = EMPTY_LISTING.len();
        let response = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n{EMPTY_LISTING}"
        );
        let _ = connection.write_all(response.as_bytes()).await;
    } else {
        std::future::pending::<()>().await;
    }
}

async fn storage_at(address: SocketAddr, operation_seconds: u64) -> Storage {
    let options = AssetOptions {
        assets: Some("s3://statements".parse().unwrap()),
        s3_endpoint: Some(format!("http://{address}").parse().unwrap()),
        object_store_operation_seconds: operation_seconds,
        ..AssetOptions::default()
    };
    let secret = |name: &str| {
        name.starts_with("AWS_").then(|| "x".to_owned()).filter(|_| !name.ends_with("TOKEN"))
    };
    options.open_with(std::path::Path::new("/nowhere"), secret).await.unwrap()
}

async fn silent(
    server: &TestServer,
    operation_seconds: u64,
    change: impl FnOnce(&mut ServeOptions),
) -> Replica {
    let storage = storage_at(silent_store().await, operation_seconds).await;
    let mut options = server.options();
    change(&mut options);
    server.replica_on(storage, options).await
}

async fn unavailable(server: &TestServer, replica: &Replica) -> TestResponse {
    let path = format!("/api/v1/payouts/{ONE_LINE}/statement");
    let response = replica.request(Method::POST, &path, server.key(Key::MAIN)).expect(503).await;
    assert_eq!(response.code(), "SERVICE_UNAVAILABLE");
    assert!(!response.text.contains("statements/"), "{}", response.text);
    response
}

async fn nothing_is_kept(server: &TestServer) {
    let superuser_pool = server.superuser().await;
    let kept: i64 =
        sqlx::query_scalar("SELECT count(*) FROM payout.assets WHERE fingerprint IS NOT NULL")
            .fetch_one(&superuser_pool)
            .await
            .unwrap();
    assert_eq!(kept, 0);
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 0, "the credit is back");
}

#[tokio::test]
async fn store_that_answers_nothing_is_a_503_after_its_time_and_costs_no_credit() {
    let server = TestServer::start().await;
    let replica = silent(&server, 1, |_| {}).await;
    unavailable(&server, &replica).await;
    nothing_is_kept(&server).await;
    let statement = generate(&server, ONE_LINE).await;
    assert!(!statement.is_uploaded, "with a store that responds, it is generated");
}

#[tokio::test]
async fn statement_that_takes_longer_than_a_request_waits_is_a_503() {
    let server = TestServer::start().await;
    let replica = silent(&server, 60, |options| options.statements.statement_seconds = 1).await;
    unavailable(&server, &replica).await;
    nothing_is_kept(&server).await;
}

#[tokio::test]
async fn statements_beyond_those_rendered_at_once_wait_their_turn() {
    let server = TestServer::start().await;
    let replica = silent(&server, 60, |options| {
        options.statements.concurrent_renders = Some(1);
        options.statements.statement_seconds = 1;
    })
    .await;
    unavailable(&server, &replica).await;
    // The first still waits for the store, so another payout's never begins and inserts no intent.
    let path = format!("/api/v1/payouts/{FORTY_ONE}/statement");
    replica.request(Method::POST, &path, server.key(Key::MAIN)).expect(503).await;
    let superuser_pool = server.superuser().await;
    let begun: i64 = sqlx::query_scalar("SELECT count(*) FROM payout.asset_intents")
        .fetch_one(&superuser_pool)
        .await
        .unwrap();
    assert_eq!(begun, 1);
}

/// A request for a statement, with its key.
fn statement(server: &TestServer, replica: &Replica, key: Key, payout: &str) -> TestRequest {
    let path = format!("/api/v1/payouts/{payout}/statement");
    replica.request(Method::POST, &path, server.key(key))
}

/// The number of intents, by organisation.
async fn intents(server: &TestServer) -> Vec<(String, i64)> {
    let superuser_pool = server.superuser().await;
    sqlx::query_as(
        "SELECT organization_id, count(*) FROM payout.asset_intents GROUP BY 1 ORDER BY 1",
    )
    .fetch_all(&superuser_pool)
    .await
    .unwrap()
}

#[tokio::test]
async fn one_organization_cannot_take_every_render() {
    let server = TestServer::start().await;
    let replica = silent(&server, 60, |options| {
        options.statements.concurrent_renders = Some(2);
        options.statements.statement_seconds = 2;
    })
    .await;
    let noisy = [ONE_LINE, FORTY_ONE, NEGATIVE]
        .map(|payout| statement(&server, &replica, Key::MAIN, payout).expect(503));
    let quiet = async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let quiet = statement(&server, &replica, Key::OTHER, FOREIGN_PAYOUT);
        quiet.expect(503).await
    };
    tokio::join!(futures_util::future::join_all(noisy), quiet);
    let begun = intents(&server).await;
    let counts: Vec<i64> = begun.iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [1, 1], "{begun:?}");
}

#[tokio::test]
async fn statement_beyond_the_queue_of_its_organization_is_a_503_at_once_and_costs_no_credit() {
    let server = TestServer::start().await;
    let replica = silent(&server, 60, |options| {
        options.statements.concurrent_renders = Some(1);
        options.statements.queued_renders_per_organization = 1;
        options.statements.statement_seconds = 4;
    })
    .await;
    let fill = [ONE_LINE, FORTY_ONE]
        .map(|payout| statement(&server, &replica, Key::MAIN, payout).expect(503));
    let beyond = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        let requested = std::time::Instant::now();
        statement(&server, &replica, Key::MAIN, NEGATIVE).expect(503).await;
        let rejected_after = requested.elapsed();
        let others = statement(&server, &replica, Key::OTHER, FOREIGN_PAYOUT);
        others.expect(503).await;
        (rejected_after, requested.elapsed())
    };
    let (_, (rejected, waited)) = tokio::join!(futures_util::future::join_all(fill), beyond);
    assert!(rejected.as_secs() < 2, "refused after {rejected:?}");
    assert!(waited.as_secs() >= 4, "the other one's waits: {waited:?}");
    nothing_is_kept(&server).await;
}

#[tokio::test]
async fn attempt_whose_caller_gave_up_before_it_began_never_begins() {
    let server = TestServer::start().await;
    let replica = silent(&server, 4, |options| {
        options.statements.concurrent_renders = Some(1);
        options.statements.statement_seconds = 1;
    })
    .await;
    let requested = [ONE_LINE, FORTY_ONE].map(|payout| {
        let requested = statement(&server, &replica, Key::MAIN, payout);
        requested.expect(503)
    });
    futures_util::future::join_all(requested).await;
    // The first attempt ends with its store operation; then the second can begin.
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(intents(&server).await, [(MAIN.to_owned(), 1)]);
}

#[tokio::test]
async fn directory_that_takes_no_file_fails_and_leaves_no_asset() {
    let server = TestServer::start().await;
    let folder = server.folder().join("assets").join(MAIN);
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "a file where a folder should be").unwrap();
    server.statement(ONE_LINE).expect(500).await;
    nothing_is_kept(&server).await;
    std::fs::remove_file(&folder).unwrap();
    generate(&server, ONE_LINE).await;
}
