//! A busy organisation while another transaction stays open, so that old versions of its meter
//! cannot be vacuumed. The slowdown is printed; the responses must keep the same invariants.

use std::time::{Duration, Instant};

use payout_database::owner_connect_options;
use sqlx::{Connection as _, PgConnection};

use crate::support::{
    Deployment, Load, Operation, Options, Plan, Record,
    accounts::Faults,
    dataset::BUSY,
    scale::{factor, report_max},
};

/// Duration without and with it, in the quick form.
const PHASE: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_open_snapshot_slows_a_hot_organisation_and_breaks_nothing() {
    let deployment =
        Deployment::start(Options { flags: &["--acquire-seconds", "30"], ..Options::default() })
            .await;
    let phase = PHASE * u32::try_from(factor()).unwrap();
    let load =
        deployment.load(&Plan::of(|random, _| (BUSY, Operation::GetPayout(random.index(4)))));
    let alone = window(&load, phase).await;
    let options = owner_connect_options(&deployment.superuser_url()).unwrap();
    let mut snapshot = PgConnection::connect_with(&options).await.unwrap();
    // The first statement takes the snapshot; then the session stays idle.
    sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM meters")
        .execute(&mut snapshot)
        .await
        .unwrap();
    let beside = window(&load, phase).await;
    let seen: String = sqlx::query_scalar("SELECT max(month_used)::text FROM meters")
        .fetch_one(&mut snapshot)
        .await
        .unwrap();
    snapshot.close().await.unwrap();
    let records = load.stop().await;
    // The last quarter of each phase: the longer the snapshot is open, the slower the requests.
    let quarter = phase / 4;
    let count = |end: Instant| {
        let inside = |record: &&Record| {
            record.ended <= end && record.ended > end - quarter && record.status() == 200
        };
        records.iter().filter(inside).count()
    };
    let milliseconds = usize::try_from(quarter.as_millis()).unwrap();
    let (before, after) = (count(alone), count(beside));
    report_max("requests a second alone", before * 1_000 / milliseconds);
    report_max("requests a second beside the snapshot, at its end", after * 1_000 / milliseconds);
    report_max("times slower beside the snapshot, in hundredths", 100 * before / after.max(1));
    report_max("seconds the snapshot was open", phase.as_secs());
    assert!(after > 0, "no request was answered during the snapshot");
    let used = records.iter().filter(|record| record.is_charged()).count();
    let seen: usize = seen.parse().unwrap();
    assert!(seen < used, "the snapshot was open, and saw the meter as it was");
    deployment.check_all(&records, Faults::Nothing).await;
}

/// Lets the load run for this long; returns its end.
async fn window(load: &Load, phase: Duration) -> Instant {
    let before = load.journal.passed_in_all();
    tokio::time::sleep(phase).await;
    assert!(load.journal.passed_in_all() > before, "nothing was answered in {phase:?}");
    Instant::now()
}
