//! Who runs a sync: as many at once as are allowed, fairly, each once, also where a server dies.

use std::{sync::Arc, time::Duration};

use tokio::runtime::Runtime;

use super::{stub::Answer, *};
use crate::support::{
    dataset::{NORDWIND, NORDWIND_EXTERNAL},
    within,
};

fn held(region: &str) -> Answer {
    Answer::Held(format!(r#"{{"region":"{region}"}}"#))
}

async fn pass(server: &TestServer, seconds: u64) {
    server.database.advance_clock(Duration::from_secs(seconds)).await.unwrap();
}

async fn sync_all(server: &TestServer, key: Key, objects: &[&str]) -> Vec<String> {
    let mut ids = Vec::new();
    for object in objects {
        ids.push(sync(server, key, "PARTNER", object).await.0);
    }
    ids
}

const MEMBERS: [&str; 9] = [
    "member-1", "member-2", "member-3", "member-4", "member-5", "member-6", "member-7", "member-8",
    "member-9",
];

#[tokio::test]
async fn four_syncs_of_an_organization_run_at_once_on_all_servers_together() {
    let (server, crm) = start().await;
    let _other = server.replica().await;
    crm.answer_all(held("EMEA"));
    let ids = sync_all(&server, Key::MAIN, &MEMBERS).await;
    // Another organisation is taken up by a server that main has filled no further.
    until(async || crm.open() == 4).await;
    let (other, _) = sync(&server, Key::OTHER, "PARTNER", NORDWIND_EXTERNAL).await;
    until(async || crm.open() == 5).await;
    assert_eq!(read(&server, Key::OTHER, &other).await["status"], "RUNNING");
    let running: i64 =
        server.value("SELECT running FROM crm_queue ORDER BY running DESC LIMIT 1").await;
    assert_eq!(running, 4);
    crm.release(MEMBERS.len() + 1);
    for id in &ids {
        assert_eq!(ended(&server, Key::MAIN, id).await["status"], "SUCCEEDED");
    }
    assert_eq!(crm.peak(), (5, Vec::new()));
    assert_eq!(crm.seen().len(), MEMBERS.len() + 1, "each was read once");
}

#[tokio::test]
async fn free_place_goes_to_the_organization_with_the_fewest_syncs() {
    let (server, crm) = start_with(|serve| serve.crm.crm_syncs = 2).await;
    crm.answer_all(held("EMEA"));
    sync_all(&server, Key::MAIN, &MEMBERS).await;
    until(async || crm.open() == 2).await;
    let (other, _) = sync(&server, Key::OTHER, "PARTNER", NORDWIND_EXTERNAL).await;
    // Seven of main wait longer.
    crm.release(1);
    until(async || crm.seen().len() == 3).await;
    assert_eq!(crm.seen()[2].object_id, NORDWIND_EXTERNAL);
    assert_eq!(read(&server, Key::OTHER, &other).await["status"], "RUNNING");
    assert_eq!(crm.peak().0, 2, "all together");
}

#[tokio::test]
async fn server_that_another_one_queued_for_notices_it_by_itself() {
    let (server, _) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    let other = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    assert_eq!(ended(&other, Key::MAIN, &id).await["status"], "SUCCEEDED");
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!(ended(&other, Key::MAIN, &id).await["status"], "SUCCEEDED");
}

/// A server whose tasks vanish from one moment to the next, as in a crash.
#[tokio::test]
async fn sync_of_a_server_that_was_killed_is_run_once_more_after_its_lease() {
    let (server, crm) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    let server = Arc::new(server);
    let doomed = Runtime::new().unwrap();
    let on_it = Arc::clone(&server);
    let replica =
        doomed.spawn(async move { on_it.replica_with(|serve| serve.crm.crm_syncs = 1).await });
    let replica = replica.await.unwrap();
    crm.answer([held("DEAD")]);
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    until(async || crm.open() == 1).await;
    doomed.shutdown_background();
    drop(replica);
    until(async || crm.open() == 0).await;
    let survivor = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    // A sync of another organisation shows that the survivor looks at the queue.
    pass(&server, 59).await;
    let (other, _) = sync(&server, Key::OTHER, "PARTNER", NORDWIND_EXTERNAL).await;
    ended(&survivor, Key::OTHER, &other).await;
    assert_eq!(
        (crm.seen().len(), &read(&server, Key::MAIN, &id).await["status"]),
        (2, &"RUNNING".into())
    );
    pass(&server, 1).await;
    assert_eq!(ended(&survivor, Key::MAIN, &id).await["status"], "SUCCEEDED");
    assert_eq!(crm.seen().len(), 3);
    assert_eq!(crm.peak(), (1, Vec::new()));
    let tries: i32 = server.value(format!("SELECT tries FROM crm_syncs WHERE id = '{id}'")).await;
    assert_eq!(tries, 2);
}

#[tokio::test]
async fn try_that_lost_its_lease_cannot_write_its_result() {
    let (server, crm) = start().await;
    crm.answer([held("OLD")]);
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    until(async || crm.open() == 1).await;
    crm.answer([Answer::object(r#"{"region":"NEW"}"#)]);
    pass(&server, 60).await;
    let sync = ended(&server, Key::MAIN, &id).await;
    crm.release(1);
    until(async || crm.open() == 0).await;
    until(async || server.metrics().contains("payout_crm_syncs_running 0")).await;
    assert_eq!(read(&server, Key::MAIN, &id).await, sync);
    let region: String = server
        .value(format!(
            "SELECT partner_object_crm_properties ->> 'region' FROM partners
              WHERE organization_id = '{MAIN}' AND id = '{NORDWIND}'"
        ))
        .await;
    assert_eq!(region, "NEW");
}

#[tokio::test]
async fn sync_that_was_interrupted_five_times_fails() {
    let (server, crm) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    // What a server that dies in each try leaves.
    server
        .execute(format!(
            "UPDATE crm_syncs SET status = 'RUNNING', tries = 5, in_flight = true WHERE id = '{id}'"
        ))
        .await;
    let other = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    assert_eq!(failure(&ended(&other, Key::MAIN, &id).await), "CRM_UNAVAILABLE");
    assert!(crm.seen().is_empty());
}

#[tokio::test]
async fn server_that_stops_ends_what_it_runs_and_takes_up_nothing_more() {
    let (server, crm) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    let stopping = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    crm.answer_all(held("EMEA"));
    let ids = sync_all(&server, Key::MAIN, &MEMBERS[..2]).await;
    until(async || crm.open() == 1).await;
    let stopped = stopping.stop();
    crm.release(2);
    within(stopped).await.unwrap();
    let statuses = [
        read(&server, Key::MAIN, &ids[0]).await["status"].clone(),
        read(&server, Key::MAIN, &ids[1]).await["status"].clone(),
    ];
    assert_eq!(statuses, ["SUCCEEDED", "QUEUED"]);
}

#[tokio::test]
async fn metrics_show_what_waits_runs_and_ends() {
    let (server, crm) = start().await;
    crm.answer([Answer::status(404), held("EMEA")]);
    assert_eq!(failure(&synced(&server, "PARTNER", "nobody").await), "OBJECT_NOT_FOUND");
    sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    until(async || crm.open() == 1).await;
    let metrics = server.metrics();
    for line in [
        "payout_crm_syncs_running 1",
        r#"payout_crm_syncs_total{outcome="OBJECT_NOT_FOUND"} 1"#,
        r#"payout_crm_syncs_total{outcome="SUCCEEDED"} 0"#,
        r#"payout_crm_tries_total{result="not-found"} 1"#,
        "payout_crm_syncs_queued 0",
        "payout_crm_oldest_queued_seconds 0",
    ] {
        assert!(metrics.lines().any(|known| known.starts_with(line)), "{line} in {metrics}");
    }
}

/// A server that runs none counts what waits for the others.
#[tokio::test]
async fn server_without_syncs_of_its_own_counts_what_waits() {
    let (server, _) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    sync_all(&server, Key::MAIN, &MEMBERS).await;
    pass(&server, 90).await;
    let fresh = server.replica().await;
    until(async || {
        let metrics = fresh.metrics();
        metrics.contains("payout_crm_syncs_queued 9")
            && metrics.contains("payout_crm_oldest_queued_seconds 90")
    })
    .await;
}

#[tokio::test]
async fn sync_of_a_stopped_organization_waits_until_it_goes_on() {
    let (server, crm) = start().await;
    crm.answer_all(held("EMEA"));
    let (waiting, _) = sync(&server, Key::MAIN, "PARTNER", MEMBERS[0]).await;
    until(async || crm.open() == 1).await;
    crm.release(1);
    ended(&server, Key::MAIN, &waiting).await;
    // It is queued, and then its organisation is stopped: both before a worker looks.
    let stop = "WITH queued AS (
            INSERT INTO crm_syncs (organization_id, id, object_type, object_id, actor, request_id,
                                   due_at)
            SELECT organization_id, 'syn_01JV3N8Q5R0000000000000ZZZ', 'PARTNER', object_id, actor,
                   'r', 'epoch'
              FROM crm_syncs WHERE id = '{id}' RETURNING organization_id
        ), due AS (
            UPDATE crm_queue SET due_at = 'epoch', queued = 1
              FROM queued WHERE crm_queue.organization_id = queued.organization_id
        )
        UPDATE organizations SET stopped_at = now() FROM queued WHERE id = queued.organization_id";
    server.execute(stop.replace("{id}", &waiting)).await;
    // A sync of another organisation is taken up later, and ends.
    let (other, _) = sync(&server, Key::OTHER, "PARTNER", NORDWIND_EXTERNAL).await;
    until(async || crm.open() == 1).await;
    crm.release(1);
    ended(&server, Key::OTHER, &other).await;
    assert_eq!(crm.seen().len(), 2, "the stopped one was not read");
    server.execute("UPDATE organizations SET stopped_at = NULL").await;
    until(async || crm.open() == 1).await;
    crm.release(1);
    assert_eq!(crm.seen().len(), 3);
}
