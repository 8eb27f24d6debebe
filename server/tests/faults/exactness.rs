//! A4, A6–A8 over two processes: the limits are met to the unit, and every place in the serial
//! order is reported once.

use crate::support::{
    Deployment, Load, Operation, Options, Plan, Record,
    accounts::{self, Faults, Meter},
    dataset::{BUSY, MANY_CREDITS, MANY_REQUESTS},
    scale::{factor, report_sum},
};

/// Below the default limits of two servers for one address and for one organisation.
const CONNECTIONS: usize = 96;

async fn deployment() -> Deployment {
    Deployment::start(Options {
        // No request times out in a queue, however slow the machine: the test is about exactness,
        // not overload.
        flags: &["--acquire-seconds", "30", "--lock-seconds", "30", "--query-seconds", "30"],
        ..Options::default()
    })
    .await
}

/// Reads of the busy organisation.
fn busy_reads() -> Plan {
    Plan::of(|random, _| {
        let operation = match random.below(3) {
            0 => Operation::GetPayout(random.index(4)),
            1 => Operation::GetPartner(random.index(4)),
            _ => Operation::ListPartners,
        };
        (BUSY, operation)
    })
    .connections(CONNECTIONS)
}

/// The load of all other organisations.
fn cold_load(deployment: &Deployment) -> Load {
    let plan = Plan::of(|random, target| {
        let organization = 1 + random.index(target.organizations.len() - 1);
        (organization, Operation::GetPayout(random.index(4)))
    });
    deployment.load(&plan.connections(4))
}

/// Runs this many requests of the busy organisation; returns them and the concurrent load's.
async fn send(deployment: &Deployment, plan: &Plan) -> (Vec<Record>, Vec<Record>) {
    let cold = cold_load(deployment);
    let busy = deployment.load(plan).finish().await;
    (busy, cold.stop().await)
}

fn count(records: &[Record], status: u16) -> u64 {
    let count = records.iter().filter(|record| record.status() == status).count();
    u64::try_from(count).unwrap()
}

/// The `remaining` of the month in the charged responses, sorted.
fn credits(records: &[Record]) -> Vec<i64> {
    let charged = records.iter().filter(|record| record.is_charged());
    let mut values: Vec<i64> =
        charged.map(|record| record.response().unwrap().credits.unwrap().1).collect();
    values.sort_unstable();
    values
}

fn from_zero_to(end: u64) -> Vec<i64> {
    (0..i64::try_from(end).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_thousand_credits_exactly_a_thousand_are_spent() {
    let deployment = deployment().await;
    let allowance = 1_000 * factor();
    deployment.set_limits(BUSY, MANY_REQUESTS, Some(i64::try_from(allowance).unwrap())).await;
    let (busy, cold) = send(&deployment, &busy_reads().requests(3 * allowance)).await;
    report_sum("credits", allowance);
    assert_eq!((count(&busy, 200), count(&busy, 402)), (allowance, 2 * allowance));
    assert_eq!(credits(&busy), from_zero_to(allowance), "each place in the month once");
    let rejected = busy.iter().filter(|record| record.status() == 402);
    let mut reported = rejected.map(|record| record.response().unwrap().credits.unwrap().1);
    assert!(reported.all(|remaining| remaining == 0), "a 402 reports 0");
    deployment.check_all(&[busy, cold].concat(), Faults::Nothing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_five_hundred_requests_a_minute_exactly_five_hundred_pass() {
    let deployment = deployment().await;
    let allowance = 500 * factor();
    deployment.set_limits(BUSY, i64::try_from(allowance).unwrap(), Some(MANY_CREDITS)).await;
    let (busy, cold) = send(&deployment, &busy_reads().requests(3 * allowance)).await;
    report_sum("requests a minute", allowance);
    assert_eq!((count(&busy, 200), count(&busy, 429)), (allowance, 2 * allowance));
    let reported = |status| {
        let records = busy.iter().filter(move |record| record.status() == status);
        records.map(|record| record.response().unwrap().rate_remaining)
    };
    let mut passed: Vec<i64> = reported(200).collect();
    passed.sort_unstable();
    assert_eq!(passed, from_zero_to(allowance), "each place in the minute once");
    assert!(reported(429).all(|remaining| remaining == 0), "a 429 reports 0");
    deployment.check_all(&[busy, cold].concat(), Faults::Nothing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rejected_requests_in_between_cost_what_is_decided() {
    let deployment = deployment().await;
    let allowance = 300 * factor();
    deployment.set_limits(BUSY, MANY_REQUESTS, Some(i64::try_from(allowance).unwrap())).await;
    let mixed = Plan::of(|random, target| {
        let operation = match random.below(10) {
            0..=1 => Operation::GetPayout(random.index(4)),
            2 => Operation::GetAbsentPartner,
            3..=4 => Operation::DetachLine(target.line(BUSY)),
            5 => Operation::UpdatePartner(random.index(4)),
            6 => Operation::WithBadLimit,
            7 => Operation::WithBrokenJson,
            _ => Operation::WithoutScope,
        };
        (BUSY, operation)
    });
    let requests = 5 * allowance;
    let (busy, cold) = send(&deployment, &mixed.connections(CONNECTIONS).requests(requests)).await;
    assert_eq!(
        credits(&busy),
        from_zero_to(allowance),
        "200, 404 and 422 of a state cost one each"
    );
    let free = busy.iter().filter(|record| !record.operation.is_metered());
    let rejected = count(&busy, 402) + allowance + u64::try_from(free.count()).unwrap();
    assert_eq!(rejected, requests, "402 to every other request that would cost one");
    let meter = Meter::read(&deployment.superuser_pool, deployment.organization(BUSY)).await;
    let places = busy.iter().filter_map(|record| accounts::in_minute(record, MANY_REQUESTS));
    assert_eq!(u64::try_from(places.count()).unwrap(), requests, "each counts in the minute");
    assert_eq!(u64::try_from(meter.minute_used).unwrap(), requests);
    deployment.check_all(&[busy, cold].concat(), Faults::Nothing).await;
}
