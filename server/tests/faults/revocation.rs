//! A2 over two processes, under load: a revocation takes effect with its commit, an expiry at its
//! instant. Requests with the key are in flight all the time, and others keep every queue filled.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures_util::future::join_all;
use payout_server::{
    gate::{ApiKey, Environment},
    id::OrganizationId,
    keys::{NewKey, model::Lifetime, store},
    postgres::Tenants,
};

use crate::support::{
    Deployment, Operation, Options, Plan, Record, Target,
    accounts::{self, Faults, Meter},
    deployment::NOON,
    scale::{factor, random, report_sum},
};

const REVOCATIONS: u64 = 100;
const EXPIRIES: u64 = 10;
/// The organisation of the key; the other load uses the others.
const ORGANIZATION: usize = 2;
/// Requests that are sent at once right after the commit, over connections that are open already.
const PROBES: usize = 8;
/// Clients that send requests with the key until it is rejected.
const HAMMERS: usize = 4;
const LONGEST_LIFE_MICROSECONDS: u64 = 6_000;

async fn deployment() -> Deployment {
    let flags = &["--acquire-seconds", "30"];
    Deployment::start(Options { flags, lines: 40, ..Options::default() }).await
}

fn others() -> Plan {
    let mixed = Plan::mixed();
    let others = Plan::of(move |random, target| {
        loop {
            let (organization, operation) = (mixed.choose)(random, target);
            if organization != ORGANIZATION {
                return (organization, operation);
            }
        }
    });
    Plan { clients: 16, ..others }
}

/// A key that is revoked or expires: its id, and its text.
#[derive(Clone)]
struct Key {
    id: String,
    text: String,
}

struct Operator {
    tenants: Tenants,
    organization: OrganizationId,
}

impl Operator {
    async fn of(deployment: &Deployment) -> Self {
        let organization = OrganizationId::parse(deployment.organization(ORGANIZATION)).unwrap();
        Self { tenants: Tenants::from(&deployment.app_pool().await), organization }
    }

    async fn create(&self) -> Key {
        let (key, scopes) = (ApiKey::generate(Environment::Test), ["commissions:read".to_owned()]);
        let life = Lifetime::Days(365);
        let new = NewKey { name: "revoked under load", scopes: &scopes, life };
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

/// A request with the key to one of the replicas.
async fn request(target: &Target, key: &Key, number: usize) -> Record {
    let operation = (ORGANIZATION, Operation::GetPayout(0));
    let path = format!("/api/v1/payouts/{}", target.organizations[ORGANIZATION].payouts[0]);
    let get = target.request(number % 2, reqwest::Method::GET, &path, &key.text);
    let record = target.record(number % 2, operation, |_| get).await;
    record.expect("the servers run")
}

async fn probe(target: &Target, key: &Key) -> Vec<Record> {
    join_all((0..PROBES).map(|number| request(target, key, number))).await
}

fn count(records: &[Record], status: u16) -> usize {
    records.iter().filter(|record| record.status() == status).count()
}

/// Sends requests with the key until it is rejected.
async fn hammer(target: Arc<Target>, key: Key, number: usize) -> Vec<Record> {
    let mut records = Vec::new();
    loop {
        let record = request(&target, &key, number).await;
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
    let mut random = random(3_000);
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
        let fresh = probe(&target, &key).await;
        assert_eq!(count(&fresh, 200), PROBES, "{round}: a valid key passes at once: {fresh:?}");
        records.extend(fresh);
        let hammers = (0..HAMMERS)
            .map(|number| tokio::spawn(hammer(Arc::clone(&target), key.clone(), number)));
        let hammers: Vec<_> = hammers.collect();
        tokio::time::sleep(Duration::from_micros(random.u64(..LONGEST_LIFE_MICROSECONDS))).await;
        operator.revoke(&key).await;
        let revoked = Instant::now();
        late += PROBES - count(&probe(&target, &key).await, 401);
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
        let before = probe(&target, &key).await;
        let valid = "it is valid up to its last millisecond";
        assert_eq!(count(&before, 200), PROBES, "{round}: {valid}: {before:?}");
        records.extend(before);
        deployment.set_clock(&text(expiry)).await;
        late += PROBES - count(&probe(&target, &key).await, 401);
    }
    records.extend(load.stop().await);
    report_sum("expiries", expiries);
    assert_eq!(late, 0, "requests passed that began after the key had expired");
    // The minutes have ended; the month is the same.
    let mut broken = accounts::responses(&records, Faults::Nothing);
    for (index, organization) in target.organizations.iter().enumerate() {
        let own: Vec<&Record> =
            records.iter().filter(|record| record.organization == index).collect();
        let meter = Meter::read(&deployment.superuser_pool, &organization.id).await;
        broken.extend(accounts::charges(&own, meter, Faults::Nothing));
    }
    broken.extend(deployment.state(&records, Faults::Nothing).await);
    deployment.report_violations(&records, broken);
}
