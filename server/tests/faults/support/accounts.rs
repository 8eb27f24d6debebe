//! Invariants between the responses and the tables (A7, A8): charges, places in the serial order,
//! mutations. Tolerances are counted from the recorded requests.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Instant,
};

use sqlx::PgPool;

use super::{dataset::Organization, journal::Record, request::REQUEST_ID};

/// The injected fault, which decides how requests may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// None: every request succeeds.
    Nothing,
    /// A server ended: requests may be unanswered, none fails.
    Replica,
    /// No connection to the database was available: requests may fail; every credit is refunded,
    /// and a failed request has changed nothing.
    Pool,
    /// The database was down: requests may fail, and a failed one may have happened, because the
    /// acknowledgement of its commit was lost.
    Database,
}

impl Faults {
    fn may_leave_unanswered(self) -> bool {
        self == Self::Replica
    }

    fn may_fail(self) -> bool {
        matches!(self, Self::Pool | Self::Database)
    }

    /// Returns true if a request of unknown outcome may have happened.
    fn may_have_happened(self, record: &Record) -> bool {
        record.response.is_none() || self == Self::Database && record.is_failed()
    }
}

/// A row of `meters`.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Meter {
    pub requests_per_minute: i32,
    pub minute_used: i32,
    pub month_used: i64,
}

impl Meter {
    /// The organisation's meter, as any reader sees it now.
    pub async fn read(superuser_pool: &PgPool, organization: &str) -> Self {
        sqlx::query_as(
            "SELECT requests_per_minute, minute_used, month_used FROM meters
              WHERE organization_id = $1",
        )
        .bind(organization)
        .fetch_one(superuser_pool)
        .await
        .unwrap()
    }
}

/// Every response is allowed for its request, and requests fail or stay unanswered only under the
/// injected fault.
pub fn responses(records: &[Record], faults: Faults) -> Vec<String> {
    let mut broken: Vec<String> = records
        .iter()
        .filter_map(|record| record.operation.objection(record.response.as_ref()?))
        .collect();
    let count = |is: fn(&Record) -> bool| records.iter().filter(|record| is(record)).count();
    let unanswered = count(|record| record.response.is_none());
    if unanswered > 0 && !faults.may_leave_unanswered() {
        broken.push(format!("{unanswered} requests got no response from a running server"));
    }
    let failed = count(Record::is_failed);
    if failed > 0 && !faults.may_fail() {
        broken.push(format!("{failed} requests failed with 5xx without a fault"));
    }
    broken
}

/// Charges of one organisation in one month: answered ≤ charged ≤ answered + unknown.
pub fn charges(records: &[&Record], meter: Meter, faults: Faults) -> Option<String> {
    let answered = count(records, |record| record.charge().is_some());
    let unknown =
        count(records, |record| record.operation.is_metered() && faults.may_have_happened(record));
    amiss("credits", meter.month_used, answered, unknown)
}

/// Requests of one organisation in one minute, in the same way; a request that failed after its
/// admission counts.
pub fn minute(records: &[&Record], meter: Meter, faults: Faults) -> Option<String> {
    let limit = i64::from(meter.requests_per_minute);
    let answered = count(records, |record| has_place_in_minute(record, limit));
    let unknown = count(records, |record| faults.may_have_happened(record));
    amiss("requests", meter.minute_used.into(), answered, unknown)
}

fn amiss(what: &str, counted: i64, answered: i64, unknown: i64) -> Option<String> {
    let is_right = (answered..=answered + unknown).contains(&counted);
    (!is_right).then(|| {
        format!("{counted} {what} are counted, {answered} answered, {unknown} of unknown outcome")
    })
}

/// Places of one organisation in one month and one minute: no value is reported twice, none is
/// beyond the table's, and a request that begins after another was answered comes after it.
pub fn places(records: &[&Record], meter: Meter, faults: Faults) -> Vec<String> {
    let limit = i64::from(meter.requests_per_minute);
    let in_month: Vec<Place> = records.iter().filter_map(|record| in_month(record)).collect();
    let in_minute: Vec<Place> =
        records.iter().filter_map(|record| in_minute(record, limit)).collect();
    // A refunded credit is charged again, and the second request then reports the same value.
    let refunded = count(records, |record| match faults {
        Faults::Database => record.is_failed(),
        _ => record.is_refunded(limit),
    });
    let mut broken = Vec::new();
    for (what, places, table, allowed) in [
        ("month", &in_month, meter.month_used, refunded),
        ("minute", &in_minute, meter.minute_used.into(), 0),
    ] {
        let (repeated, overtaken) = (repeated(places), overtaken(places));
        let most = places.iter().map(|place| place.used).max().unwrap_or(0);
        if repeated > allowed || most > table + allowed || allowed == 0 && overtaken > 0 {
            broken.push(format!(
                "{what}: {repeated} places were reported twice, and {allowed} refunded; place \
                 {most} was reported of {table} in the table; {overtaken} requests came before one \
                 that had been answered when they began"
            ));
        }
    }
    broken
}

/// A place in a serial order, and the time of its request and its response.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub used: i64,
    pub begun: Instant,
    pub ended: Instant,
}

/// The place of an answered charge in its month.
pub fn in_month(record: &Record) -> Option<Place> {
    let (limit, remaining) = record.charge()?;
    Some(Place { used: limit - remaining, begun: record.begun, ended: record.ended })
}

/// The place of an answered request in its organisation's minute.
pub fn in_minute(record: &Record, limit: i64) -> Option<Place> {
    let response = record.response.as_ref().filter(|_| has_place_in_minute(record, limit))?;
    Some(Place { used: limit - response.rate.1, begun: record.begun, ended: record.ended })
}

/// Each acknowledged change has one row of history, and each row belongs to a request of its
/// organisation that was acknowledged or has an unknown outcome.
pub async fn mutations(
    superuser_pool: &PgPool,
    organizations: &[Organization],
    records: &[Record],
    faults: Faults,
) -> Vec<String> {
    let rows = written(superuser_pool).await;
    let by_number: HashMap<u64, &Record> =
        records.iter().map(|record| (record.number, record)).collect();
    let mut broken = lost(records, &rows);
    let mut seen = HashSet::new();
    for (number, organization) in rows {
        let Some(record) = by_number.get(&number) else {
            broken.push(format!("request {number} wrote history, but was never sent"));
            continue;
        };
        let Record { operation, .. } = record;
        if organizations[record.organization].id != organization {
            broken.push(format!("{operation:?} wrote history in {organization}"));
        }
        if !seen.insert(number) {
            broken.push(format!("{operation:?} wrote history twice"));
        }
        if record.status() != 200 && !faults.may_have_happened(record) {
            broken.push(format!("{operation:?} got status {}, but changed", record.status()));
        }
    }
    broken
}

/// Acknowledged changes without a row of history, while others may be in flight.
pub async fn lost_mutations(superuser_pool: &PgPool, records: &[Record]) -> Vec<String> {
    lost(records, &written(superuser_pool).await)
}

/// The numbers and organisations of the requests that wrote history.
async fn written(superuser_pool: &PgPool) -> Vec<(u64, String)> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT request_id, organization_id FROM history WHERE starts_with(request_id, $1)",
    )
    .bind(REQUEST_ID)
    .fetch_all(superuser_pool)
    .await
    .unwrap();
    let number = |request: &str| request[REQUEST_ID.len()..].parse().unwrap();
    rows.into_iter().map(|(request, organization)| (number(&request), organization)).collect()
}

/// Changes answered 200 that are not among the written ones.
fn lost(records: &[Record], written: &[(u64, String)]) -> Vec<String> {
    let written: HashSet<u64> = written.iter().map(|(number, _)| *number).collect();
    let lost = records.iter().filter(|record| {
        record.operation.is_change() && record.status() == 200 && !written.contains(&record.number)
    });
    lost.map(|record| format!("{:?} was answered 200, but is lost", record.operation)).collect()
}

pub fn repeated(places: &[Place]) -> i64 {
    let mut times: BTreeMap<i64, i64> = BTreeMap::new();
    for place in places {
        *times.entry(place.used).or_default() += 1;
    }
    times.values().map(|times| times - 1).sum()
}

/// The number of requests with a place before one that had been answered when they began.
pub fn overtaken(places: &[Place]) -> usize {
    let mut by_end: Vec<&Place> = places.iter().collect();
    by_end.sort_by_key(|place| place.ended);
    let mut by_begin: Vec<&Place> = places.iter().collect();
    by_begin.sort_by_key(|place| place.begun);
    let mut answered = by_end.into_iter().peekable();
    let mut latest = i64::MIN;
    let mut overtaken = 0;
    for place in by_begin {
        while let Some(before) = answered.next_if(|before| before.ended < place.begun) {
            latest = latest.max(before.used);
        }
        overtaken += usize::from(place.used < latest);
    }
    overtaken
}

fn has_place_in_minute(record: &Record, limit: i64) -> bool {
    let response = record.response.as_ref();
    response.is_some_and(|response| response.rate.0 == limit && response.status != 429)
}

fn count(records: &[&Record], is: impl Fn(&Record) -> bool) -> i64 {
    let count = records.iter().filter(|record| is(record)).count();
    i64::try_from(count).unwrap()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Places as (used, began, ended), in milliseconds.
    fn places(reported: &[(i64, u64, u64)]) -> Vec<Place> {
        let zero = Instant::now();
        let at = |milliseconds| zero + Duration::from_millis(milliseconds);
        let place = |(used, begun, ended): &(i64, u64, u64)| Place {
            used: *used,
            begun: at(*begun),
            ended: at(*ended),
        };
        reported.iter().map(place).collect()
    }

    #[test]
    fn value_reported_twice_is_found() {
        assert_eq!(repeated(&places(&[(1, 0, 1), (2, 0, 1), (2, 5, 6), (2, 5, 6)])), 2);
        assert_eq!(repeated(&places(&[(1, 0, 1), (2, 0, 1)])), 0);
    }

    #[test]
    fn requests_side_by_side_may_have_either_order_and_later_ones_may_not() {
        assert_eq!(overtaken(&places(&[(2, 0, 9), (1, 5, 12)])), 0);
        assert_eq!(overtaken(&places(&[(2, 0, 4), (1, 5, 12), (3, 13, 14)])), 1);
    }
}
