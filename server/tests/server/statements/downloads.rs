//! Links to PDFs in local storage (S9): altered ones, across servers, and beyond the limits of
//! downloads. The suite sees one server.

use super::{Statement, download, generate, rejection};
use crate::support::{Key, TestServer, dataset::*, until};

#[tokio::test]
async fn altered_link_is_rejected_before_anything_is_looked_up() {
    let server = TestServer::start().await;
    let statement = generate(&server, ONE_LINE).await;
    // Reading the file would fail now.
    server.execute("ALTER TABLE assets RENAME TO assets_away").await;
    for altered in [
        statement.url.replace(MAIN, "org_01JV3N8Q5R0000000000000002"),
        statement.url.replace("statement-Nordwind", "statement-nordwind"),
        statement.url.replace("expires=1", "expires=2"),
        format!("{}/statements/..%2F..%2Fetc/passwd", server.base_url()),
    ] {
        let rejected = rejection(&server, &altered).await;
        assert_eq!(rejected, (403, "LINK_INVALID".to_owned()), "{altered}");
    }
    assert_eq!(rejection(&server, &statement.url).await.0, 500, "the sound link is looked up");
}

#[tokio::test]
async fn link_of_one_replica_works_on_the_other() {
    let server = TestServer::start_with(|options| {
        options.statements.links.public_url = Some("https://pay.example/base".parse().unwrap());
    })
    .await;
    let replica = server.replica().await;
    let statement = generate(&server, ONE_LINE).await;
    let path = statement.url.strip_prefix("https://pay.example/base").unwrap();
    for base in [server.base_url(), replica.base_url()] {
        download(&server, &format!("{base}{path}")).await;
        // A proxy may keep the path of the public address.
        download(&server, &format!("{base}/base{path}")).await;
    }
}

#[tokio::test]
async fn downloads_beyond_their_limit_are_503_and_leave_places_to_others_and_to_the_api() {
    let server = TestServer::start_with(|options| {
        options.downloads_in_flight = 2;
        options.database_connections = 1;
        options.lock_seconds = 30;
        options.query_seconds = 30;
        options.acquire_seconds = 30;
    })
    .await;
    let noisy = generate(&server, ONE_LINE).await;
    let quiet = server.post(Key::OTHER, &format!("/api/v1/payouts/{FOREIGN_PAYOUT}/statement"));
    let quiet = Statement::of(&quiet.expect(200).await);
    let lock = server.hold("LOCK TABLE assets IN ACCESS EXCLUSIVE MODE").await;
    let mut running = Vec::new();
    for (waiting, url) in [(1, &noisy.url), (2, &quiet.url)] {
        running.push(tokio::spawn(server.follow(url).send()));
        until(async || server.waiting().await >= waiting).await;
        assert_eq!(rejection(&server, &noisy.url).await.0, 503);
    }
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    lock.rollback().await.unwrap();
    for response in running {
        assert_eq!(response.await.unwrap().unwrap().status(), 200);
    }
    download(&server, &noisy.url).await;
}
