//! When a sync is tried again, and when it fails at once.

use std::time::Duration;

use super::{stub::Answer, *};
use crate::support::dataset::NORDWIND_EXTERNAL;

/// Seconds until the sync may be taken up, once no try of it is under way.
async fn pause(server: &TestServer, id: &str) -> i64 {
    let waits = format!(
        "SELECT coalesce(extract(epoch FROM due_at - service_now())::bigint, -1)
           FROM crm_syncs WHERE id = '{id}' AND status = 'RUNNING' AND NOT in_flight"
    );
    let is_paused = format!("SELECT count(*) FROM ({waits}) AS paused");
    until(async || server.value::<i64>(is_paused.clone()).await == 1).await;
    server.value(waits).await
}

async fn pass(server: &TestServer, seconds: i64) {
    let seconds = u64::try_from(seconds).unwrap();
    server.database.advance_clock(Duration::from_secs(seconds)).await.unwrap();
}

#[tokio::test]
async fn sync_of_a_throttled_crm_waits_as_long_as_it_asked() {
    let (server, crm) = start().await;
    crm.answer([Answer::Status(429, "retry-after: 30\r\n", "{}".to_owned())]);
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    until(async || crm.seen().len() == 1).await;
    assert_eq!(pause(&server, &id).await, 30);
    assert_eq!(read(&server, Key::MAIN, &id).await["status"], "RUNNING");
    pass(&server, 29).await;
    assert_eq!((pause(&server, &id).await, crm.seen().len()), (1, 1));
    pass(&server, 1).await;
    assert_eq!(ended(&server, Key::MAIN, &id).await["status"], "SUCCEEDED");
    assert_eq!(crm.seen().len(), 2);
}

/// The CRM counts the requests of all syncs together.
#[tokio::test]
async fn throttled_crm_gets_no_request_of_another_sync_meanwhile() {
    let (server, crm) = start().await;
    crm.answer([Answer::Status(429, "retry-after: 30\r\n", "{}".to_owned())]);
    let (first, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    pause(&server, &first).await;
    let (second, _) = sync(&server, Key::MAIN, "PARTNER", "ru-77").await;
    let (other, _) = sync(&server, Key::OTHER, "PARTNER", NORDWIND_EXTERNAL).await;
    // Another organisation is taken up, which shows that the queue was looked at.
    ended(&server, Key::OTHER, &other).await;
    assert_eq!(read(&server, Key::MAIN, &second).await["status"], "QUEUED");
    assert_eq!(crm.seen().len(), 2);
    pass(&server, 30).await;
    for id in [first, second] {
        assert_eq!(ended(&server, Key::MAIN, &id).await["status"], "SUCCEEDED");
    }
}

#[tokio::test]
async fn outage_is_tried_five_times_with_growing_pauses() {
    let cut = Answer::Cut("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"properties\":");
    for (answer, code) in [
        (Answer::status(503), "CRM_UNAVAILABLE"),
        (Answer::status(500), "CRM_UNAVAILABLE"),
        (Answer::Cut(""), "CRM_UNAVAILABLE"),
        (cut, "CRM_UNAVAILABLE"),
        (Answer::status(429), "CRM_RATE_LIMITED"),
    ] {
        let (server, crm) = start().await;
        crm.answer_all(answer.clone());
        let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
        let mut pauses = Vec::new();
        for tries in 1..=4 {
            until(async || crm.seen().len() == tries).await;
            pauses.push(pause(&server, &id).await);
            pass(&server, pauses[tries - 1]).await;
        }
        assert_eq!(pauses, [2, 8, 32, 128], "{answer:?}");
        assert_eq!(failure(&ended(&server, Key::MAIN, &id).await), code, "{answer:?}");
        assert_eq!(crm.seen().len(), 5, "{answer:?}");
    }
}

#[tokio::test]
async fn crm_that_is_not_there_is_an_outage() {
    let (server, crm) = start().await;
    // Nobody listens at this port any more.
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    connect(&server, MAIN, &format!("http://{free}")).await;
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!(pause(&server, &id).await, 2);
    connect(&server, MAIN, &crm.url()).await;
    pass(&server, 2).await;
    assert_eq!(ended(&server, Key::MAIN, &id).await["status"], "SUCCEEDED");
}

#[tokio::test]
async fn crm_that_is_silent_is_given_up_and_tried_again() {
    let (server, crm) = start().await;
    crm.answer([Answer::Silent]);
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!(pause(&server, &id).await, 2);
    pass(&server, 2).await;
    assert_eq!(ended(&server, Key::MAIN, &id).await["status"], "SUCCEEDED");
}

#[tokio::test]
async fn refusal_and_answer_that_cannot_be_used_are_final() {
    let (server, crm) = start().await;
    let elsewhere = "location: http://127.0.0.1:1/\r\n";
    let body = |body: &str| Answer::Status(200, "", body.to_owned());
    let huge = format!(r#"{{"properties":{{"region":"{}"}}}}"#, "x".repeat(1024 * 1024));
    let deep =
        format!("{}{}", r#"{"properties":{"a":"#.repeat(100), "1".to_owned() + &"}".repeat(200));
    let mut requests = 0;
    for (answer, code) in [
        (Answer::status(401), "CRM_UNAUTHORIZED"),
        (Answer::status(403), "CRM_UNAUTHORIZED"),
        (Answer::status(404), "OBJECT_NOT_FOUND"),
        (Answer::status(400), "CRM_UNAVAILABLE"),
        (Answer::status(204), "CRM_UNAVAILABLE"),
        (Answer::Status(302, elsewhere, String::new()), "CRM_UNAVAILABLE"),
        (Answer::Status(308, elsewhere, String::new()), "CRM_UNAVAILABLE"),
        (body("<html>"), "CRM_UNAVAILABLE"),
        (body("[]"), "CRM_UNAVAILABLE"),
        (body("{}"), "CRM_UNAVAILABLE"),
        (body(r#"{"properties":null}"#), "CRM_UNAVAILABLE"),
        (body(r#"{"properties":["region"]}"#), "CRM_UNAVAILABLE"),
        (body(&huge), "CRM_UNAVAILABLE"),
        (body(&deep), "CRM_UNAVAILABLE"),
        // Values that the database cannot hold.
        (body(r#"{"properties":{"region":"a\u0000b"}}"#), "CRM_UNAVAILABLE"),
        (body(r#"{"properties":{"deals":1e999999}}"#), "CRM_UNAVAILABLE"),
    ] {
        crm.answer([answer.clone()]);
        let sync = synced(&server, "PARTNER", NORDWIND_EXTERNAL).await;
        assert_eq!(failure(&sync), code, "{answer:.200?}");
        requests += 1;
        assert_eq!(crm.seen().len(), requests, "{answer:.200?}");
    }
    let changed: i64 =
        server.value("SELECT count(*) FROM history WHERE action = 'sync_partner'").await;
    assert_eq!(changed, 0);
}
