//! A8 when a server is killed: `kill -9` of one replica under load, repeatedly, while the other
//! continues. An unanswered request may or may not have happened; both are accounted for.

use std::time::Duration;

use crate::support::{
    Deployment, Options, Plan, Random,
    accounts::Faults,
    scale::{factor, report_sum},
    until,
};

/// Repetitions in the quick form.
const KILLS: u64 = 4;
/// A kill can hit any step of a request.
const LONGEST_LIFE_MICROSECONDS: u64 = 200_000;
/// Requests that a replica must complete before and after a kill.
const REQUESTS: u64 = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_replica_loses_nothing_and_the_other_continues() {
    let mut deployment = Deployment::start(Options {
        flags: &["--acquire-seconds", "30"],
        lines: 400 * factor(),
        ..Options::default()
    })
    .await;
    let mut random = Random::of_stream(1_000);
    let load = deployment.load(&Plan::mixed());
    let journal = load.journal.clone();
    let kills = KILLS * factor();
    for _ in 0..kills {
        for replica in 0..2 {
            let before = journal.passed(replica);
            until("both replicas respond", async || journal.passed(replica) >= before + REQUESTS)
                .await;
        }
        tokio::time::sleep(Duration::from_micros(random.below(LONGEST_LIFE_MICROSECONDS))).await;
        let victim = random.index(2);
        deployment.kill(victim);
        let before = journal.passed(1 - victim);
        until("the other replica continues", async || {
            journal.passed(1 - victim) >= before + REQUESTS
        })
        .await;
        deployment.restart(victim).await;
    }
    let records = load.stop().await;
    report_sum("replicas killed", kills);
    let unanswered = records.iter().filter(|record| record.response().is_none()).count();
    assert!(unanswered > 0, "no kill met a request: this has shown nothing");
    deployment.check_all(&records, Faults::Replica).await;
}
