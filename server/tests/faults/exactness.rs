//! A4, A6–A8 over two processes: the limits are met to the unit, and every place in the serial
//! order is reported once.

use crate::support::{
    Deployment, Operation, Options, Plan, Record,
    accounts::{self, Faults, Meter},
    dataset::{BUSY, MANY_CREDITS, MANY_REQUESTS},
    scale::{factor, report_sum},
};

/// Below the default limits of two servers for one address and for one organisation.
const CLIENTS: usize = 96;

async fn deployment() -> Deployment {
    // No request times out in a queue, however slow the machine: the test is about exactness, not
    // overload.
    let flags = &["--acquire-seconds", "30", "--lock-seconds", "30", "--query-seconds", "30"];
    Deployment::start(Options { flags, ..Options::default() }).await
}

fn busy_reads() -> Plan {
    Plan::of(|random, _| {
        let operation = match random.u8(..3) {
            0 => Operation::GetPayout(random.usize(..4)),
            1 => Operation::GetPartner(random.usize(..4)),
            _ => Operation::ListPartners,
        };
        (BUSY, operation)
    })
}

/// Runs this many requests of the busy organisation beside a load of all others; returns them, and
/// checks all.
async fn send(deployment: &Deployment, plan: Plan, requests: u64) -> Vec<Record> {
    let cold = Plan::of(|random, target| {
        let organization = random.usize(1..target.organizations.len());
        (organization, Operation::GetPayout(random.usize(..4)))
    });
    let cold = deployment.load(&Plan { clients: 4, ..cold });
    let plan = Plan { clients: CLIENTS, requests: Some(requests), ..plan };
    let busy = deployment.load(&plan).finish().await;
    let all = [busy.clone(), cold.stop().await].concat();
    deployment.check_all(&all, Faults::Nothing).await;
    busy
}

fn count(records: &[Record], status: u16) -> u64 {
    let count = records.iter().filter(|record| record.status() == status).count();
    u64::try_from(count).unwrap()
}

fn from_zero_to(end: u64) -> Vec<i64> {
    (0..i64::try_from(end).unwrap()).collect()
}

fn sorted(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable();
    values
}

/// The `remaining` of the month in the charged responses, sorted.
fn credits(records: &[Record]) -> Vec<i64> {
    sorted(records.iter().filter_map(Record::charge).map(|(_, remaining)| remaining))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_thousand_credits_exactly_a_thousand_are_spent() {
    let deployment = deployment().await;
    let allowance = 1_000 * factor();
    deployment.set_limits(BUSY, MANY_REQUESTS, Some(i64::try_from(allowance).unwrap())).await;
    let busy = send(&deployment, busy_reads(), 3 * allowance).await;
    report_sum("credits", allowance);
    assert_eq!((count(&busy, 200), count(&busy, 402)), (allowance, 2 * allowance));
    assert_eq!(credits(&busy), from_zero_to(allowance), "each place in the month once");
    let responses = busy.iter().filter_map(|record| record.response.as_ref());
    let mut rejected = responses.filter(|response| response.status == 402);
    assert!(rejected.all(|response| response.credits.unwrap().1 == 0), "a 402 reports 0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_five_hundred_requests_a_minute_exactly_five_hundred_pass() {
    let deployment = deployment().await;
    let allowance = 500 * factor();
    deployment.set_limits(BUSY, i64::try_from(allowance).unwrap(), Some(MANY_CREDITS)).await;
    let busy = send(&deployment, busy_reads(), 3 * allowance).await;
    report_sum("requests a minute", allowance);
    assert_eq!((count(&busy, 200), count(&busy, 429)), (allowance, 2 * allowance));
    let reported = |status| {
        let records = busy.iter().filter(move |record| record.status() == status);
        records.map(|record| record.response.as_ref().unwrap().rate.1)
    };
    assert_eq!(sorted(reported(200)), from_zero_to(allowance), "each place in the minute once");
    assert!(reported(429).all(|remaining| remaining == 0), "a 429 reports 0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rejected_requests_in_between_cost_what_is_decided() {
    let deployment = deployment().await;
    let allowance = 300 * factor();
    deployment.set_limits(BUSY, MANY_REQUESTS, Some(i64::try_from(allowance).unwrap())).await;
    let mixed = Plan::of(|random, target| {
        let operation = match random.u8(..10) {
            0..=1 => Operation::GetPayout(random.usize(..4)),
            2 => Operation::GetAbsentPartner,
            3..=4 => Operation::DetachLine(target.line(BUSY)),
            5 => Operation::UpdatePartner(random.usize(..4)),
            6 => Operation::WithBadLimit,
            7 => Operation::WithBrokenJson,
            _ => Operation::WithoutScope,
        };
        (BUSY, operation)
    });
    let requests = 5 * allowance;
    let busy = send(&deployment, mixed, requests).await;
    let costs = "200, 404 and 422 of a state cost one each";
    assert_eq!(credits(&busy), from_zero_to(allowance), "{costs}");
    let free = busy.iter().filter(|record| !record.operation.is_metered());
    let rejected = count(&busy, 402) + allowance + u64::try_from(free.count()).unwrap();
    assert_eq!(rejected, requests, "402 to every other request that would cost one");
    let meter = Meter::read(&deployment.superuser_pool, deployment.organization(BUSY)).await;
    let places = busy.iter().filter_map(|record| accounts::in_minute(record, MANY_REQUESTS));
    assert_eq!(u64::try_from(places.count()).unwrap(), requests, "each counts in the minute");
    assert_eq!(u64::try_from(meter.minute_used).unwrap(), requests);
}
