//! Bodies that are too large or more than their memory holds, and more issues than a response
//! lists. `sessions/limits.session` has the limits of heads and addresses, and malformed requests.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{
    Key, TestServer,
    dataset::{BARE, MAIN},
    wire::{Connection, head},
    within,
};

const CHUNKED: &str = "transfer-encoding: chunked";
/// More than the system's buffers hold.
const UNREAD_BYTES: usize = 64_000_000;

/// The head of an update whose body follows.
fn update(server: &TestServer, headers: &str) -> String {
    let headers = format!("content-type: application/json\r\n{headers}\r\n");
    head(&format!("PATCH /api/v1/partners/{BARE}"), server.key(Key::MAIN), &headers)
}

#[tokio::test]
async fn body_of_300_mb_is_rejected_before_it_has_come() {
    let server = TestServer::start().await;
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for (headers, piece) in
        [("content-length: 300000000", &[b' '; 65_536][..]), (CHUNKED, chunk.as_bytes())]
    {
        let mut client = Connection::open(server.base_url()).await;
        client.send(update(&server, headers)).await;
        let (response, sent) = client.flood(piece).await;
        assert_eq!((response.status.as_u16(), response.header("connection")), (413, Some("close")));
        assert!(sent < UNREAD_BYTES, "{sent} bytes were taken");
    }
}

#[tokio::test]
async fn body_without_memory_is_a_503_until_other_bodies_end() {
    let server = TestServer::start_with(|options| {
        options.body_memory_mebibytes = 1;
        options.body_seconds = 60;
    })
    .await;
    let send = || server.update(BARE, json!({ "name": "Bare Minimum Ltd" })).send();
    assert_eq!(send().await.status, 200);
    // All but one byte of each body: 16 bytes of memory remain, fewer than any body needs.
    let unfinished = join_all((0..16).map(|_| async {
        let mut client = Connection::open(server.base_url()).await;
        client.send(update(&server, "content-length: 65536")).await;
        client.send([b' '; 65_535]).await;
        client
    }))
    .await;
    let mut rejected = send().await;
    while rejected.status == 200 {
        rejected = send().await;
    }
    assert_eq!((rejected.status.as_u16(), rejected.code()), (503, "SERVICE_UNAVAILABLE"));
    assert_eq!(rejected.header("connection"), Some("close"));
    let charged = server.meter(MAIN).await.month_used;
    send().await;
    assert_eq!(server.meter(MAIN).await.month_used, charged);
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    drop(unfinished);
    within(async { while send().await.status != 200 {} }).await;
}

#[tokio::test]
async fn response_lists_the_first_hundred_issues_and_counts_them_all() {
    let server = TestServer::start().await;
    let unknown: Vec<String> = (0..500).map(|number| format!("p{number}=1")).collect();
    let path = format!("/api/v1/partners?{}", unknown.join("&"));
    let response = server.get(Key::MAIN, &path).expect(422).await;
    assert_eq!(response.body["error"]["details"]["issues"].as_array().unwrap().len(), 100);
    let message = "500 values of the request break a rule; details.issues lists the first 100.";
    assert_eq!(response.message(), message);
}
