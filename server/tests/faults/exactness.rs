//! A4, A6–A8 over two processes: the limits are met to the unit, and every place in the serial
//! order is reported once.

use crate::support::{
    Deployment, Load, Operation, Options, Plan, Record,
    accounts::{self, Faults, Meter},
    dataset::{HOT, MANY_CREDITS, MANY_REQUESTS},
    scale::{done, factor},
};

/// Below the default limits of two servers for one address and for one organisation.
const CONNECTIONS: usize = 96;

async fn deployment() -> Deployment {
    Deployment::start(Options {
        // No request times out in a queue, however slow the machine: the test is about exactness,
        // not overload.
        flags: &[
            "--acquire-seconds",
            "30",
            "--lock-seconds",
            "30",
            "--query-seconds",
            "30",
        ],
        ..Options::default()
    })
    .await
}

/// Reads of the busy organisation.
fn hot_reads() -> Plan {
    Plan::of(|random, _| {
        let operation = match random.below(3) {
            0 => Operation::GetPayout(random.index(4)),
            1 => Operation::GetPartner(random.index(4)),
            _ => Operation::ListPartners,
        };
        (HOT, operation)
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
    let hot = deployment.load(plan).finish().await;
    (hot, cold.stop().await)
}

fn count(records: &[Record], status: u16) -> u64 {
    let count = records
        .iter()
        .filter(|record| record.status() == status)
        .count();
    u64::try_from(count).unwrap()
}

/// The `remaining` of the month in the charged responses, sorted.
fn credits(records: &[Record]) -> Vec<i64> {
    let charged = records.iter().filter(|record| record.is_charged());
    let mut values: Vec<i64> = charged
        .map(|record| record.answer().unwrap().credits.unwrap().1)
        .collect();
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
    deployment
        .set_limits(HOT, MANY_REQUESTS, Some(i64::try_from(allowance).unwrap()))
        .await;
    let (hot, cold) = send(&deployment, &hot_reads().requests(3 * allowance)).await;
    done("credits", allowance);
    assert_eq!(
        (count(&hot, 200), count(&hot, 402)),
        (allowance, 2 * allowance)
    );
    assert_eq!(
        credits(&hot),
        from_zero_to(allowance),
        "each place in the month once"
    );
    let refused = hot.iter().filter(|record| record.status() == 402);
    let mut told = refused.map(|record| record.answer().unwrap().credits.unwrap().1);
    assert!(told.all(|remaining| remaining == 0), "a 402 tells 0");
    deployment
        .judge(&[hot, cold].concat(), Faults::Nothing)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_five_hundred_requests_a_minute_exactly_five_hundred_pass() {
    let deployment = deployment().await;
    let allowance = 500 * factor();
    deployment
        .set_limits(HOT, i64::try_from(allowance).unwrap(), Some(MANY_CREDITS))
        .await;
    let (hot, cold) = send(&deployment, &hot_reads().requests(3 * allowance)).await;
    done("requests a minute", allowance);
    assert_eq!(
        (count(&hot, 200), count(&hot, 429)),
        (allowance, 2 * allowance)
    );
    let told = |status| {
        let records = hot.iter().filter(move |record| record.status() == status);
        records.map(|record| record.answer().unwrap().rate_remaining)
    };
    let mut passed: Vec<i64> = told(200).collect();
    passed.sort_unstable();
    assert_eq!(
        passed,
        from_zero_to(allowance),
        "each place in the minute once"
    );
    assert!(told(429).all(|remaining| remaining == 0), "a 429 tells 0");
    deployment
        .judge(&[hot, cold].concat(), Faults::Nothing)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_requests_in_between_cost_what_is_decided() {
    let deployment = deployment().await;
    let allowance = 300 * factor();
    deployment
        .set_limits(HOT, MANY_REQUESTS, Some(i64::try_from(allowance).unwrap()))
        .await;
    let mixed = Plan::of(|random, target| {
        let operation = match random.below(10) {
            0..=1 => Operation::GetPayout(random.index(4)),
            2 => Operation::GetAbsentPartner,
            3..=4 => Operation::DetachLine(target.line(HOT)),
            5 => Operation::UpdatePartner(random.index(4)),
            6 => Operation::WithBadLimit,
            7 => Operation::WithBrokenJson,
            _ => Operation::WithoutScope,
        };
        (HOT, operation)
    });
    let requests = 5 * allowance;
    let (hot, cold) = send(
        &deployment,
        &mixed.connections(CONNECTIONS).requests(requests),
    )
    .await;
    assert_eq!(
        credits(&hot),
        from_zero_to(allowance),
        "200, 404 and 422 of a state cost one each"
    );
    let free = hot.iter().filter(|record| !record.operation.is_metered());
    let refused = count(&hot, 402) + allowance + u64::try_from(free.count()).unwrap();
    assert_eq!(
        refused, requests,
        "402 to every other request that would cost one"
    );
    let meter = Meter::read(&deployment.behind, deployment.organization(HOT)).await;
    let places = hot
        .iter()
        .filter_map(|record| accounts::in_minute(record, MANY_REQUESTS));
    assert_eq!(
        u64::try_from(places.count()).unwrap(),
        requests,
        "each counts in the minute"
    );
    assert_eq!(u64::try_from(meter.minute_used).unwrap(), requests);
    deployment
        .judge(&[hot, cold].concat(), Faults::Nothing)
        .await;
}
