//! Calls that make a document or none (§4.7, S1–S8): rows that no request writes, two servers,
//! uploads at once. The suite sees no tables, and no payout of 20,000 lines.

use std::{collections::BTreeSet, time::Duration};

use futures_util::{TryStreamExt as _, future::join_all};

use super::*;
use crate::support::dataset::*;

/// On an idle server the operation begins beside its admission.
#[tokio::test]
async fn rejected_call_makes_no_document() {
    let server = TestServer::start().await;
    crate::support::log::begin();
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    server.set_limits(MAIN, 1000, Some(0)).await;
    server.statement(ONE_LINE).expect(402).await;
    server.set_limits(MAIN, 1, None).await;
    server.statement(ONE_LINE).expect(429).await;
    let made = "SELECT count(*) FROM assets WHERE payout_id";
    let made: i64 = server.value(format!("{made} = '{ONE_LINE}'")).await;
    assert_eq!((made, intents(&server).await), (0, 0));
    let lines = crate::support::log::lines();
    assert!(!lines.iter().any(|line| line.contains("was not admitted")), "it is no failure");
}

#[tokio::test]
async fn document_is_the_same_40_days_later_after_a_restart() {
    let server = TestServer::start().await;
    let first = generate(&server, FORTY_ONE).await;
    let bytes = download(&server, &first.url).await;
    server.database.advance_clock(Duration::from_secs(40 * 86_400)).await.unwrap();
    let replica = server.replica().await;
    let there = Statement::of(&replica.statement(FORTY_ONE).expect(200).await);
    assert_eq!((&there.asset_id, &there.filename), (&first.asset_id, &first.filename));
    assert_eq!(download(&server, &there.url).await, bytes);
}

#[tokio::test]
async fn concurrent_first_calls_on_two_servers_make_one_asset() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let objects = async || -> usize {
        let objects: Vec<_> = server.storage().await.list().try_collect().await.unwrap();
        objects.len()
    };
    let before = objects().await;
    let statements = generate_at_once(&server, &replica, FORTY_ONE, 32).await;
    let ids: BTreeSet<&str> = statements.iter().map(|one| one.asset_id.as_str()).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let assets: i64 =
        server.value("SELECT count(*) FROM assets WHERE fingerprint IS NOT NULL").await;
    assert_eq!((assets, intents(&server).await), (1, 0));
    assert_eq!(server.history(FORTY_ONE).await.len(), 1);
    assert_eq!(objects().await, before + 1, "the losers have removed their files");
    let mut bytes = BTreeSet::new();
    for statement in &statements {
        bytes.insert(download(&server, &statement.url).await);
    }
    assert_eq!(bytes.len(), 1);
}

#[tokio::test]
async fn uploads_at_once_leave_one_that_holds() {
    let server = TestServer::start().await;
    let uploads = (0..8).map(|_| upload(&server, &b"%PDF-one of many"[..]));
    let ids = join_all(uploads).await;
    assert!(ids.contains(&generate(&server, ONE_LINE).await.asset_id));
    let counts =
        "SELECT count(*) || ' ' || count(*) FILTER (WHERE withdrawn_at IS NULL) FROM assets
                   WHERE payout_id";
    let counts: String = server.value(format!("{counts} = '{ONE_LINE}'")).await;
    assert_eq!(counts, "8 1", "all, and those that hold");
}
