//! The database is restarted under load: 503 with the envelope meanwhile, and then every server
//! recovers without a restart.

use std::time::{Duration, Instant};

use crate::support::{
    Deployment, Options, Plan,
    accounts::Faults,
    scale::{factor, report_max, report_sum},
    until,
};

/// Repetitions in the quick form.
const RESTARTS: u64 = 2;
const REQUESTS: u64 = 100;
/// The goal is 2 s, which `cargo xtask endurance` shows; this bound must hold on a busy machine.
const RECOVERY: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarted_postgres_is_a_503_until_it_is_back() {
    let mut deployment = Deployment::start(Options {
        own_postgres: true,
        lines: 200 * factor(),
        ..Options::default()
    })
    .await;
    let load = deployment.load(&Plan::mixed());
    let journal = load.journal.clone();
    let restarts = RESTARTS * factor();
    let mut slowest = 0;
    for _ in 0..restarts {
        let before = journal.passed_in_all();
        until("both replicas respond", async || journal.passed_in_all() >= before + REQUESTS).await;
        let failed = [0, 1].map(|replica| journal.failed(replica));
        deployment.postgres().stop().await;
        until("both replicas return 503", async || {
            (0..2).all(|replica| journal.failed(replica) > failed[replica])
        })
        .await;
        deployment.postgres().start_again().await;
        slowest = slowest.max(journal.recovered(Instant::now()).await);
    }
    let records = load.stop().await;
    report_sum("restarts of PostgreSQL", restarts);
    report_max("slowest recovery in milliseconds (goal: 2000)", slowest);
    assert!(slowest < RECOVERY.as_millis(), "{slowest} ms until a replica responded again");
    deployment.check_all(&records, Faults::Database).await;
}
