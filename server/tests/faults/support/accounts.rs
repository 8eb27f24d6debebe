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
        record.response().is_none() || self == Self::Database && record.is_failed()
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
        .filter_map(|record| record.operation.objection(record.response()?))
        .collect();
    let count = |is: fn(&Record) -> bool| records.iter().filter(|record| is(record)).count();
    let unanswered = count(|record| record.response().is_none());
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
pub fn charges(records: &[&Record], meter: Meter, faults: Faults) -> Vec<String> {
    let answered = count(records, |record| record.is_charged());
    let unknown =
        count(records, |record| record.operation.is_metered() && faults.may_have_happened(record));
    let charged = meter.month_used;
    if (answered..=answered + unknown).contains(&charged) {
        return Vec::new();
    }
    vec![format!(
        "{charged} credits are charged, {answered} charges were answered, and {unknown} requests \
         of unknown outcome may have been charged"
    )]
}

/// Requests of one organisation in one minute, in the same way; a request that failed after its
/// admission counts.
pub fn minute(records: &[&Record], meter: Meter, faults: Faults) -> Vec<String> {
    let limit = i64::from(meter.requests_per_minute);
    let answered = count(records, |record| has_place_in_minute(record, limit));
    let unknown = count(records, |record| faults.may_have_happened(record));
    let counted = i64::from(meter.minute_used);
    if (answered..=answered + unknown).contains(&counted) {
        return Vec::new();
    }
    vec![format!(
        "the minute counts {counted} requests, {answered} were answered with a place in it, and \
         {unknown} of unknown outcome may have been counted"
    )]
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
        let repeated = repeated(places);
        if repeated > allowed {
            broken.push(format!(
                "{repeated} places in the {what} were reported twice, but {allowed} refunded"
            ));
        }
        let most = places.iter().map(|place| place.used).max().unwrap_or(0);
        if most > table + allowed {
            broken.push(format!(
                "place {most} in the {what} was reported, but the table has {table}"
            ));
        }
        let overtaken = overtaken(places);
        if allowed == 0 && overtaken > 0 {
            broken.push(format!(
                "{overtaken} requests came before one that had been answered when they began \
                 ({what})"
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
    let response = record.response().filter(|_| record.is_charged())?;
    let (limit, remaining) = response.credits?;
    Some(Place { used: limit - remaining, begun: record.begun, ended: record.ended })
}

/// The place of an answered request in its organisation's minute.
pub fn in_minute(record: &Record, limit: i64) -> Option<Place> {
    let response = record.response().filter(|_| has_place_in_minute(record, limit))?;
    Some(Place { used: limit - response.rate_remaining, begun: record.begun, ended: record.ended })
}

/// Each acknowledged mutation has one row of history, each row belongs to a request that was
/// acknowledged or has an unknown outcome, and both name the same resource.
pub async fn mutations(
    superuser_pool: &PgPool,
    organizations: &[Organization],
    records: &[Record],
    faults: Faults,
) -> Vec<String> {
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT request_id, organization_id, resource_id FROM history
           WHERE starts_with(request_id, $1) ORDER BY sequence",
    )
    .bind(REQUEST_ID)
    .fetch_all(superuser_pool)
    .await
    .unwrap();
    let by_number: HashMap<u64, &Record> =
        records.iter().map(|record| (record.number, record)).collect();
    let mut written = HashSet::new();
    let mut broken = Vec::new();
    for (request, organization, resource) in rows {
        let number: u64 = request[REQUEST_ID.len()..].parse().unwrap();
        let Some(record) = by_number.get(&number) else {
            broken.push(format!("{request} wrote history, but was never sent"));
            continue;
        };
        let requested = &organizations[record.organization];
        if requested.id != organization || record.operation.changes(requested) != Some(&resource) {
            broken.push(format!(
                "{request} ({:?}) wrote history of {resource} in {organization}",
                record.operation
            ));
        }
        if !written.insert(number) {
            broken.push(format!("{request} wrote history twice"));
        }
        if record.status() != 200 && !faults.may_have_happened(record) {
            broken
                .push(format!("{request} got status {}, but changed {resource}", record.status()));
        }
    }
    broken.extend(lost(organizations, records, &written));
    broken
}

/// Mutations answered 200 that are not among the written rows.
fn lost(organizations: &[Organization], records: &[Record], written: &HashSet<u64>) -> Vec<String> {
    let lost = records.iter().filter(|record| {
        let mutates = record.operation.changes(&organizations[record.organization]).is_some();
        mutates && record.status() == 200 && !written.contains(&record.number)
    });
    lost.map(|record| format!("{:?} was answered 200, but is lost", record.operation)).collect()
}

/// Like the above, while requests are in flight whose rows may already be there.
pub async fn lost_mutations(
    superuser_pool: &PgPool,
    organizations: &[Organization],
    records: &[Record],
) -> Vec<String> {
    let rows: Vec<String> =
        sqlx::query_scalar("SELECT request_id FROM history WHERE starts_with(request_id, $1)")
            .bind(REQUEST_ID)
            .fetch_all(superuser_pool)
            .await
            .unwrap();
    let written = rows.iter().map(|request| request[REQUEST_ID.len()..].parse().unwrap());
    lost(organizations, records, &written.collect())
}

/// The number of repeated values.
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
    record.response().is_some_and(|response| response.rate_limit == limit && response.status != 429)
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
