//! A2 over two processes, under load: a revocation takes effect with its commit, an expiry at its
//! instant. Requests with the key are in flight all the time, and others keep every queue filled.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures_util::future::join_all;
use payout_database::app_connect_options;
use payout_server::{
    gate::{ApiKey, Environment},
    id::OrganizationId,
    keys::{NewKey, model::Lifetime, store},
    postgres::Tenants,
};
use sqlx::postgres::PgPoolOptions;

use crate::support::{
    Deployment, Operation, Options, Outcome, Plan, Random, Record,
    accounts::{self, Faults, Meter},
    deployment::NOON,
    http::Connection,
    load::Target,
    request::request,
    scale::{factor, report_sum},
};

/// Repetitions in the quick form.
const REVOCATIONS: u64 = 100;
const EXPIRIES: u64 = 10;
/// The organisation of the key; the other load uses the others.
const ORGANIZATION: usize = 2;
/// Connections that send right after the commit.
const PROBES: usize = 8;
/// Connections that send requests with the key until it is rejected.
const HAMMERS: usize = 4;
const LONGEST_LIFE_MICROSECONDS: u64 = 6_000;

async fn deployment() -> Deployment {
    Deployment::start(Options {
        flags: &["--acquire-seconds", "30"],
        lines: 40,
        ..Options::default()
    })
    .await
}

/// The load of all other organisations.
fn others() -> Plan {
    let mixed = Plan::mixed();
    Plan::of(move |random, target| {
        loop {
            let (organization, operation) = (mixed.choose)(random, target);
            if organization != ORGANIZATION {
                return (organization, operation);
            }
        }
    })
    .connections(16)
}

/// A key that is revoked or expires: its id, and its text.
#[derive(Clone)]
struct Key {
    id: String,
    text: String,
}

/// The operator's stores.
struct Operator {
    tenants: Tenants,
    organization: OrganizationId,
}

impl Operator {
    async fn of(deployment: &Deployment) -> Self {
        let options = app_connect_options(deployment.app_url()).unwrap();
        let pool = PgPoolOptions::new().max_connections(1).connect_with(options);
        Self {
            tenants: Tenants::from(&pool.await.unwrap()),
            organization: OrganizationId::parse(deployment.organization(ORGANIZATION)).unwrap(),
        }
    }

    async fn create(&self) -> Key {
        let key = ApiKey::generate(Environment::Test);
        let new = NewKey {
            name: "revoked under load",
            scopes: &["commissions:read".to_owned()],
            life: Lifetime::Days(365),
        };
        let mut transaction = self.tenants.write(&self.organization).await.unwrap();
        let (id, _) = store::create_key(&mut transaction, new, &key).await.unwrap();
        transaction.commit().await.unwrap();
        let text = key.reveal().to_owned();
        Key { id, text }
    }

    /// The revocation is in effect when this returns.
    async fn revoke(&self, key: &Key) {
        let mut transaction = self.tenants.write(&self.organization).await.unwrap();
        let revoked = store::revoke_key(&mut transaction, "revoke_key", &key.id).await.unwrap();
        assert!(!revoked.expect("the organisation has this key").was_revoked);
        transaction.commit().await.unwrap();
    }
}

/// One open connection that sends requests with a key.
struct Probe {
    connection: Connection,
    replica: usize,
}

impl Probe {
    async fn open(target: &Target, place: usize) -> Self {
        let replica = place % 2;
        let connection = Connection::open(target.address(replica)).await.unwrap();
        Self { connection, replica }
    }

    async fn request(&mut self, target: &Target, key: &Key) -> Record {
        let number = target.number();
        let payout = &target.organizations[ORGANIZATION].payouts[0];
        let id = format!("probe-{number}");
        let bytes = request("GET", &format!("payouts/{payout}"), &key.text, &id, None);
        let begun = Instant::now();
        let response = self.connection.exchange(&bytes).await.unwrap();
        Record {
            number,
            organization: ORGANIZATION,
            operation: Operation::GetPayout(0),
            replica: self.replica,
            begun,
            ended: Instant::now(),
            outcome: Outcome::Answered(response),
        }
    }
}

/// Sends all requests at once.
async fn send_all(probes: &mut [Probe], target: &Target, key: &Key) -> Vec<Record> {
    join_all(probes.iter_mut().map(|probe| probe.request(target, key))).await
}

fn passed(records: &[Record]) -> usize {
    records.iter().filter(|record| record.status() == 200).count()
}

fn rejected(records: &[Record]) -> usize {
    records.iter().filter(|record| record.status() == 401).count()
}

/// Sends requests with the key until it is rejected.
async fn hammer(target: Arc<Target>, key: Key, place: usize) -> Vec<Record> {
    let mut probe = Probe::open(&target, place).await;
    let mut records = Vec::new();
    loop {
        let record = probe.request(&target, &key).await;
        if record.status() == 401 {
            return records;
        }
        records.push(record);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_that_begins_after_a_revocation_passes() {
    let deployment = deployment().await;
    let target = Arc::clone(&deployment.target);
    let operator = Operator::of(&deployment).await;
    let mut random = Random::of_stream(3_000);
    let mut probes = join_all((0..PROBES).map(|place| Probe::open(&target, place))).await;
    let load = deployment.load(&others());
    let mut key = operator.create().await;
    let (mut records, mut late) = (Vec::new(), 0);
    let revocations = REVOCATIONS * factor();
    for round in 0..revocations {
        if round % 2 == 1 {
            sqlx::query("UPDATE api_keys SET revoked_at = NULL WHERE id = $1")
                .bind(&key.id)
                .execute(&deployment.superuser_pool)
                .await
                .unwrap();
        } else if round > 0 {
            key = operator.create().await;
        }
        let fresh = send_all(&mut probes, &target, &key).await;
        assert_eq!(passed(&fresh), PROBES, "round {round}: a valid key passes at once: {fresh:?}");
        records.extend(fresh);
        let hammers =
            (0..HAMMERS).map(|place| tokio::spawn(hammer(Arc::clone(&target), key.clone(), place)));
        let hammers: Vec<_> = hammers.collect();
        tokio::time::sleep(Duration::from_micros(random.below(LONGEST_LIFE_MICROSECONDS))).await;
        operator.revoke(&key).await;
        let revoked = Instant::now();
        let after = send_all(&mut probes, &target, &key).await;
        late += PROBES - rejected(&after);
        for hammer in join_all(hammers).await {
            let hammered = hammer.unwrap();
            late += hammered.iter().filter(|record| record.begun > revoked).count();
            records.extend(hammered);
        }
    }
    records.extend(load.stop().await);
    report_sum("revocations", revocations);
    assert_eq!(late, 0, "requests passed that began after the revocation's commit");
    deployment.check_all(&records, Faults::Nothing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_passes_from_a_keys_expiry_on() {
    let deployment = deployment().await;
    let target = Arc::clone(&deployment.target);
    let key = Operator::of(&deployment).await.create().await;
    let mut probes = join_all((0..PROBES).map(|place| Probe::open(&target, place))).await;
    let load = deployment.load(&others());
    let noon: DateTime<Utc> = NOON.parse().unwrap();
    let text = |instant: DateTime<Utc>| instant.to_rfc3339_opts(SecondsFormat::Millis, true);
    let (mut records, mut late) = (Vec::new(), 0);
    let expiries = EXPIRIES * factor();
    for round in 1..=expiries {
        let expiry = noon + TimeDelta::seconds(i64::try_from(round).unwrap());
        sqlx::query("UPDATE api_keys SET expires_at = $2 WHERE id = $1")
            .bind(&key.id)
            .bind(expiry)
            .execute(&deployment.superuser_pool)
            .await
            .unwrap();
        deployment.set_clock(&text(expiry - TimeDelta::milliseconds(1))).await;
        let before = send_all(&mut probes, &target, &key).await;
        assert_eq!(
            passed(&before),
            PROBES,
            "round {round}: it is valid up to its last millisecond: {before:?}"
        );
        records.extend(before);
        deployment.set_clock(&text(expiry)).await;
        late += PROBES - rejected(&send_all(&mut probes, &target, &key).await);
    }
    records.extend(load.stop().await);
    report_sum("expiries", expiries);
    assert_eq!(late, 0, "requests passed that began after the key had expired");
    // The minutes have ended; the month is the same.
    let mut broken = accounts::responses(&records, Faults::Nothing);
    for (place, organization) in target.organizations.iter().enumerate() {
        let own: Vec<&Record> =
            records.iter().filter(|record| record.organization == place).collect();
        let meter = Meter::read(&deployment.superuser_pool, &organization.id).await;
        broken.extend(accounts::charges(&own, meter, Faults::Nothing));
    }
    broken.extend(deployment.state(&records, Faults::Nothing).await);
    deployment.report_violations(&records, broken);
}
