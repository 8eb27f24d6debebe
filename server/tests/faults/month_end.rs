//! A4, A6 when minutes and months end under load: each period stays within its limit and reports
//! each of its places once, also where the sessions of the server's role are set to another time
//! zone.
//!
//! A response at a border may belong to either month, so the months are checked together.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use sqlx::AssertSqlSafe;

use crate::support::{
    Deployment, Load, Operation, Options, Plan, Record,
    accounts::{self, Faults, Meter, Place},
    dataset::{BUSY, MANY_CREDITS, MANY_REQUESTS},
    scale::{factor, random, report_sum},
    until,
};

/// Ahead of UTC, with daylight saving time, behind it, and far behind: their months end at other
/// hours.
const ZONES: [&str; 4] =
    ["Pacific/Kiritimati", "Europe/Berlin", "America/New_York", "Pacific/Pago_Pago"];
/// The last days of four months; each is followed by the first of the next.
const ENDS: [(&str, &str); 4] = [
    ("2026-03-31", "2026-04-01"),
    ("2026-04-30", "2026-05-01"),
    ("2026-05-31", "2026-06-01"),
    ("2026-06-30", "2026-07-01"),
];
/// The organisation with a small minute limit; the busy one has a small month limit.
const TIGHT: usize = 1;
const CREDITS: i64 = 120;
const REQUESTS_PER_MINUTE: i64 = 60;
const LONGEST_STAY_REQUESTS: u64 = 60;
/// How long requests queue before the clock moves; below the server's lock timeout of 1 s.
const QUEUE_TIME: Duration = Duration::from_millis(150);

/// One instant of the database's clock.
struct Stay {
    /// Returns true if a UTC month begins at this instant.
    begins_month: bool,
    /// After the clock was set, for every session.
    since: Instant,
    /// Before it was moved on.
    until: Instant,
}

/// The instants around the end of a month. In Kiritimati the month ends at 10:00 UTC of its last
/// day, in Pago Pago at 11:00 UTC of the next one; neither may have an effect.
fn instants((last, first): (&str, &str)) -> [(String, bool); 5] {
    [
        (format!("{last}T09:59:59.999Z"), false),
        (format!("{last}T10:00:00.000Z"), false),
        (format!("{last}T23:59:59.999Z"), false),
        (format!("{first}T00:00:00.000Z"), true),
        (format!("{first}T12:00:00.000Z"), false),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn minutes_and_months_that_end_under_load_overspend_nothing_in_any_zone() {
    for _ in 0..factor() {
        let flags = &["--acquire-seconds", "30"];
        let mut deployment = Deployment::start(Options { flags, ..Options::default() }).await;
        deployment.set_limits(BUSY, MANY_REQUESTS, Some(CREDITS)).await;
        deployment.set_limits(TIGHT, REQUESTS_PER_MINUTE, Some(MANY_CREDITS)).await;
        let mut random = random(4_000);
        let (mut records, mut stays) = (Vec::new(), Vec::new());
        for (zone, end) in ZONES.into_iter().zip(ENDS) {
            let [first, rest @ ..] = instants(end);
            deployment.set_clock(&first.0).await;
            set_zone(&deployment, zone).await;
            // Only new sessions have the zone.
            deployment.restart(0).await;
            deployment.restart(1).await;
            let since = Instant::now();
            let load = deployment.load(&reads());
            let mut stay = (stays.is_empty(), since);
            for (instant, begins_month) in rest {
                stays.push(stay_for(&load, &mut random, stay).await);
                turn(&deployment, &instant).await;
                stay = (begins_month, Instant::now());
            }
            stays.push(stay_for(&load, &mut random, stay).await);
            records.extend(load.stop().await);
            // The load has ended: the responses of its last requests belong to this instant.
            stays.last_mut().unwrap().until = Instant::now();
        }
        check_all(&deployment, &records, &stays).await;
    }
}

fn reads() -> Plan {
    Plan::of(|random, _| match random.u8(..3) {
        0..=1 => (BUSY, Operation::GetPayout(random.usize(..4))),
        _ => (TIGHT, Operation::GetPartner(random.usize(..4))),
    })
}

/// Every new session of the server's role in this database starts in this zone.
async fn set_zone(deployment: &Deployment, zone: &str) {
    let statement = format!(
        "DO $$ BEGIN
           EXECUTE format('ALTER ROLE %I IN DATABASE %I SET timezone = %L', '{role}',
                          current_database(), '{zone}');
           EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), '{zone}');
         END $$",
        role = payout_database::testing::TEST_APP
    );
    // Audited: the names are our constants, and the server quotes them.
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(&deployment.superuser_pool).await.unwrap();
}

/// Moves the clock while requests that have read the old time wait for their meters: these are then
/// decided together with requests of the new time, in any order.
async fn turn(deployment: &Deployment, instant: &str) {
    let mut meters = deployment.superuser_pool.begin().await.unwrap();
    // In the order in which a batch locks them: otherwise the two could deadlock.
    let lock =
        "SELECT FROM meters WHERE organization_id = ANY ($1) ORDER BY organization_id FOR UPDATE";
    sqlx::query(lock)
        .bind([deployment.organization(BUSY), deployment.organization(TIGHT)])
        .execute(&mut *meters)
        .await
        .unwrap();
    let begun = Instant::now();
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                     AND wait_event_type = 'Lock'";
    // It is no error if no connection of the server waits at this moment.
    until("requests wait for their meters", async || {
        let waiting: i64 =
            sqlx::query_scalar(waiting).fetch_one(&deployment.superuser_pool).await.unwrap();
        waiting > 2 || begun.elapsed() > QUEUE_TIME
    })
    .await;
    deployment.set_clock(instant).await;
    meters.rollback().await.unwrap();
}

/// Waits for some requests of both organisations: by then the month's credits may or may not be
/// spent.
async fn stay_for(
    load: &Load,
    random: &mut fastrand::Rng,
    (begins_month, since): (bool, Instant),
) -> Stay {
    let wanted = 4 + random.u64(..LONGEST_STAY_REQUESTS);
    for (organization, wanted) in [(BUSY, wanted), (TIGHT, 1 + wanted / 2)] {
        until("requests are answered after the clock has moved", async || {
            load.journal.answered_since(organization, since) >= wanted
        })
        .await;
    }
    Stay { begins_month, since, until: Instant::now() }
}

async fn check_all(deployment: &Deployment, records: &[Record], stays: &[Stay]) {
    // On a busy machine a slow move makes the waiting requests fail with 503; they are not charged.
    let mut broken = accounts::responses(records, Faults::Pool);
    let of = |place: usize| records.iter().filter(move |record| record.organization == place);
    let in_month: Vec<Place> = of(BUSY).filter_map(accounts::in_month).collect();
    let limit = REQUESTS_PER_MINUTE;
    let in_minute: Vec<Place> =
        of(TIGHT).filter_map(|record| accounts::in_minute(record, limit)).collect();
    let minutes: Vec<(Instant, Instant)> =
        stays.iter().map(|stay| (stay.since, stay.until)).collect();
    let months = months(stays);
    report_sum("months", months.len());
    report_sum("minutes", minutes.len());
    broken.extend(shape("month", &in_month, &months, CREDITS));
    broken.extend(shape("minute", &in_minute, &minutes, REQUESTS_PER_MINUTE));
    let rejected = records.iter().filter_map(|record| record.response.as_ref());
    let reported_wrong = rejected.filter(|response| {
        response.status == 402 && response.credits != Some((CREDITS, 0))
            || response.status == 429 && response.rate.1 != 0
    });
    let reported_wrong = reported_wrong.count();
    if reported_wrong > 0 {
        broken.push(format!("{reported_wrong} rejections reported that something was left"));
    }
    // The last month and the last minute are recorded to their end. A request that waited when they
    // began was submitted again, and may have any place in them.
    let last = |places: &[Place], since| {
        let later = places.iter().filter(|place| place.begun > since).map(|place| place.used).max();
        let waited = places.iter().filter(|place| place.begun <= since && place.ended > since);
        later.map(|later| later..=later + i64::try_from(waited.count()).unwrap())
    };
    let busy = Meter::read(&deployment.superuser_pool, deployment.organization(BUSY)).await;
    let tight = Meter::read(&deployment.superuser_pool, deployment.organization(TIGHT)).await;
    for (what, reported, kept) in [
        ("month", last(&in_month, months.last().unwrap().0), busy.month_used),
        ("minute", last(&in_minute, minutes.last().unwrap().0), tight.minute_used.into()),
    ] {
        if reported.as_ref().is_some_and(|reported| !reported.contains(&kept)) {
            broken.push(format!(
                "the last {what} reported {reported:?} as used, but the table has {kept}"
            ));
        }
    }
    broken.extend(deployment.state(records, Faults::Pool).await);
    deployment.report_violations(records, broken);
}

/// The UTC months, each from its beginning to its end.
fn months(stays: &[Stay]) -> Vec<(Instant, Instant)> {
    let mut months: Vec<(Instant, Instant)> = Vec::new();
    for stay in stays {
        match months.last_mut() {
            Some(month) if !stay.begins_month => month.1 = stay.until,
            _ => months.push((stay.since, stay.until)),
        }
    }
    months
}

/// Each period reports its places 1, 2, 3 … once and in order, and none beyond its limit. A
/// response at a border may belong to either side. Over all periods, each place was reached by as
/// many periods as reported it, and by none without the places before it.
fn shape(what: &str, places: &[Place], periods: &[(Instant, Instant)], limit: i64) -> Vec<String> {
    let mut broken = Vec::new();
    for (number, (since, until)) in periods.iter().enumerate() {
        let inside = places.iter().filter(|place| place.begun > *since && place.ended < *until);
        let inside: Vec<Place> = inside.copied().collect();
        let (repeated, overtaken) = (accounts::repeated(&inside), accounts::overtaken(&inside));
        if repeated > 0 || overtaken > 0 {
            broken.push(format!(
                "{what} {number}: {repeated} places were reported twice, {overtaken} requests \
                 overtaken"
            ));
        }
    }
    let mut times: BTreeMap<i64, usize> = BTreeMap::new();
    for place in places {
        *times.entry(place.used).or_default() += 1;
    }
    let mut reached = periods.len();
    for used in 1..=limit {
        let reported = times.remove(&used).unwrap_or(0);
        if reported > reached {
            broken.push(format!(
                "place {used} was reported {reported} times, but {reached} {what}s have reached it"
            ));
        }
        reached = reported;
    }
    if !times.is_empty() {
        broken.push(format!("places beyond the {what}'s limit: {times:?}"));
    }
    broken
}
