//! A8 when the database is killed: `kill -9` of every PostgreSQL process under load; every
//! acknowledged change is there afterwards. PostgreSQL runs with fsync.

use std::time::{Duration, Instant};

use crate::support::{
    Deployment, Options, Plan, Random, Record,
    accounts::{Faults, Meter, in_month},
    scale::{factor, report_max, report_sum},
    until,
};

/// Repetitions in the quick form; every other time the servers are frozen during the recovery.
const KILLS: u64 = 4;
const LONGEST_LIFE_MICROSECONDS: u64 = 300_000;
const LONGEST_FREEDOM_MICROSECONDS: u64 = 60_000;
const REQUESTS: u64 = 150;
/// The goal is 2 s, which `cargo xtask endurance` shows; this bound must hold on a busy machine.
const RECOVERY: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_postgres_loses_nothing_that_was_acknowledged() {
    let mut deployment = Deployment::start(Options {
        own_postgres: true,
        lines: 400 * factor(),
        ..Options::default()
    })
    .await;
    let mut random = Random::of_stream(2_000);
    let load = deployment.load(&Plan::mixed());
    let journal = load.journal.clone();
    let kills = KILLS * factor();
    let mut slowest = 0;
    let mut lost = Vec::new();
    for round in 0..kills {
        let before = journal.passed_in_all();
        until("both replicas respond", async || journal.passed_in_all() >= before + REQUESTS).await;
        tokio::time::sleep(Duration::from_micros(random.below(LONGEST_LIFE_MICROSECONDS))).await;
        deployment.postgres().kill().await;
        let since = if round % 2 == 0 {
            // The servers respond for a moment, then they are frozen, so that the rows read next
            // are what the crash left, without later writes or refunds.
            tokio::time::sleep(Duration::from_micros(random.below(LONGEST_FREEDOM_MICROSECONDS)))
                .await;
            deployment.freeze();
            deployment.postgres().start_again().await;
            lost.extend(lost_by(&deployment, &journal.records()).await);
            deployment.thaw();
            Instant::now()
        } else {
            deployment.postgres().start_again().await;
            Instant::now()
        };
        slowest = slowest.max(journal.recovered(since).await);
    }
    let records = load.stop().await;
    report_sum("times PostgreSQL was killed", kills);
    report_max("slowest recovery in milliseconds (goal: 2000)", slowest);
    assert!(lost.is_empty(), "acknowledged, but lost by the crash: {lost:#?}");
    assert!(slowest < RECOVERY.as_millis(), "{slowest} ms until a replica responded again");
    deployment.check_all(&records, Faults::Database).await;
}

/// The changes acknowledged in these records that the tables lack, while nothing else can write.
async fn lost_by(deployment: &Deployment, records: &[Record]) -> Vec<String> {
    let mut lost = Vec::new();
    for (place, organization) in deployment.target.organizations.iter().enumerate() {
        let own = records.iter().filter(|record| record.organization == place);
        let reported = own.filter_map(in_month).map(|place| place.used).max();
        let kept = Meter::read(&deployment.superuser_pool, &organization.id).await.month_used;
        if reported.is_some_and(|reported| reported > kept) {
            lost.push(format!(
                "{}: place {reported:?} was reported, but {kept} are stored",
                organization.id
            ));
        }
    }
    lost.extend(deployment.lost_mutations(records).await);
    lost
}
