//! Stores that do not respond, and statements that wait for them: 503, the credit refunded, and no
//! partial result. The suite breaks no store.

use std::{net::SocketAddr, time::Duration};

use futures_util::future::join_all;
use payout_server::{
    config::ServeOptions,
    statements::storage::{AssetOptions, Storage},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::{generate, intents};
use crate::support::{Key, Replica, TestServer, dataset::*};

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
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close");
        let _ = connection.write_all(format!("{head}\r\n\r\n{EMPTY_LISTING}").as_bytes()).await;
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

async fn unavailable(replica: &Replica, key: Key, payout: &str) {
    let statement = replica.post(key, &format!("/api/v1/payouts/{payout}/statement"));
    let response = statement.expect(503).await;
    assert_eq!(response.code(), "SERVICE_UNAVAILABLE");
    assert!(!response.text.contains("statements/"), "{}", response.text);
}

async fn nothing_is_kept(server: &TestServer) {
    let kept = "SELECT count(*) FROM assets WHERE fingerprint IS NOT NULL";
    assert_eq!(server.value::<i64>(kept).await, 0);
    assert_eq!(server.meter(MAIN).await.month_used, 0, "the credit is back");
}

#[tokio::test]
async fn store_that_answers_nothing_is_a_503_after_its_time_or_that_of_the_request() {
    for (operation_seconds, statement_seconds) in [(1, 60), (60, 1)] {
        let server = TestServer::start().await;
        let replica = silent(&server, operation_seconds, |options| {
            options.statements.statement_seconds = statement_seconds;
        })
        .await;
        unavailable(&replica, Key::MAIN, ONE_LINE).await;
        nothing_is_kept(&server).await;
        generate(&server, ONE_LINE).await;
    }
}

#[tokio::test]
async fn one_organization_cannot_take_every_render() {
    let server = TestServer::start().await;
    let replica = silent(&server, 60, |options| {
        options.statements.concurrent_renders = Some(2);
        options.statements.statement_seconds = 2;
    })
    .await;
    let noisy =
        [ONE_LINE, FORTY_ONE, NEGATIVE].map(|payout| unavailable(&replica, Key::MAIN, payout));
    let quiet = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        unavailable(&replica, Key::OTHER, FOREIGN_PAYOUT).await;
    };
    tokio::join!(join_all(noisy), quiet);
    let begun = "SELECT string_agg(organization_id, ' ' ORDER BY 1) FROM asset_intents";
    let expected = format!("{MAIN} org_01JV3N8Q5R0000000000000002");
    assert_eq!(server.value::<String>(begun).await, expected);
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
    let fill = [ONE_LINE, FORTY_ONE].map(|payout| unavailable(&replica, Key::MAIN, payout));
    let beyond = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let requested = std::time::Instant::now();
        unavailable(&replica, Key::MAIN, NEGATIVE).await;
        let rejected_after = requested.elapsed();
        unavailable(&replica, Key::OTHER, FOREIGN_PAYOUT).await;
        (rejected_after, requested.elapsed())
    };
    let (_, (rejected, waited)) = tokio::join!(join_all(fill), beyond);
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
    let requested = [ONE_LINE, FORTY_ONE].map(|payout| unavailable(&replica, Key::MAIN, payout));
    join_all(requested).await;
    assert_eq!(intents(&server).await, 1, "the other one waited its turn");
    // The first attempt ends with its store operation; then the second could begin.
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(intents(&server).await, 1);
}
