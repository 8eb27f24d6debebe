//! Random histories of all operations that change something, on two servers, the second half of
//! them while servers are killed. Each is compared with a model of the operations (X1–X9): every
//! response, and then all that the organisation has.

mod client;
mod model;
mod request;
mod rules;
mod shown;

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use payout_devdata::Dataset;
use payout_server::{config::ServeOptions, gate::Environment};
use serde_json::{Value, json};
use sqlx::{PgPool, postgres::PgPoolOptions};

use self::{
    client::{Answered, Client, Response},
    model::{Listed, Model},
    request::{Drawing, Request, Step},
    shown::contains,
};
use crate::{
    state_invariants::{INVARIANTS, broken},
    support::{
        Deployment, Options, Random, dataset,
        scale::{chosen_history, factor, report_sum},
    },
};

const HISTORIES: u64 = 1_000;
/// Of requests, one or two at once.
const GROUPS: u64 = 20;
/// Histories at once.
const WORKERS: usize = 6;
const SHORTEST_LIFE: Duration = Duration::from_millis(100);
const LONGEST_LIFE_MILLISECONDS: u64 = 500;

/// The deployment and the keys of all histories.
#[derive(Clone)]
struct World {
    client: Client,
    superuser_pool: PgPool,
    /// Ids and keys of an organisation for each history.
    organizations: Arc<Vec<(String, String)>>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_agree_with_the_model() {
    let flags = &["--acquire-seconds", "30", "--connections-per-address", "1000"];
    let mut deployment = Deployment::start(Options { flags, ..Options::default() }).await;
    let count = HISTORIES * factor();
    // An error means that another test has already set it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let world = World {
        client: Client {
            http: reqwest::Client::new(),
            target: deployment.target.clone(),
            key: String::new(),
        },
        superuser_pool: deployment.superuser_pool.clone(),
        organizations: Arc::new(import(&deployment, count).await),
    };
    world.run(0..count / 2, false).await;
    let is_over = AtomicBool::new(false);
    let histories = async {
        world.run(count / 2..count, true).await;
        is_over.store(true, Ordering::SeqCst);
    };
    let (kills, ()) = tokio::join!(kill_until(&mut deployment, &is_over), histories);
    report_sum("histories", count);
    report_sum("servers killed beside histories", kills);
    let broken = broken(&deployment.superuser_pool, &INVARIANTS).await;
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Kills a server, and starts it again, until the histories are over.
async fn kill_until(deployment: &mut Deployment, is_over: &AtomicBool) -> u64 {
    let mut random = Random::of_stream(2_000);
    let mut kills = 0;
    while !is_over.load(Ordering::SeqCst) {
        let life = Duration::from_millis(random.below(LONGEST_LIFE_MILLISECONDS));
        tokio::time::sleep(SHORTEST_LIFE + life).await;
        let victim = random.index(2);
        deployment.kill(victim);
        deployment.restart(victim).await;
        kills += 1;
    }
    kills
}

/// Imports an organisation for each history; returns their ids and keys.
async fn import(deployment: &Deployment, count: u64) -> Vec<(String, String)> {
    let organization = |number| {
        json!({
            "name": format!("history {number}"),
            "keys": [{ "name": "all", "scopes": dataset::SCOPES }],
            "billing": {
                "legalName": "Meridian Software GmbH", "addressLine1": "Am Sandtorkai 30",
                "postalCode": "20457", "city": "Hamburg", "country": "DE",
                "financeEmail": "finance@meridian.example", "vatNumber": "DE123456789",
            },
        })
    };
    let file = json!({ "organizations": (0..count).map(organization).collect::<Vec<_>>() });
    let app = payout_database::app_connect_options(deployment.app_url()).unwrap();
    let app = PgPoolOptions::new().max_connections(1).connect_lazy_with(app);
    let folder = tempfile::tempdir().unwrap();
    let storage = ServeOptions::default().assets.open(folder.path()).await.unwrap();
    let file = Dataset::read(&file.to_string()).unwrap();
    let imported = payout_devdata::import(&app, &storage, file, Environment::Test).await.unwrap();
    let unlimited = "UPDATE meters SET requests_per_minute = 2000000000, credits_per_month = NULL";
    sqlx::query(unlimited).execute(&deployment.superuser_pool).await.unwrap();
    let parts = imported.iter().map(|it| (it.id.to_string(), it.keys[0].key.reveal().to_owned()));
    parts.collect()
}

impl World {
    /// Some histories at a time.
    async fn run(&self, numbers: Range<u64>, is_killed: bool) {
        let next = Arc::new(AtomicU64::new(numbers.start));
        let workers = (0..WORKERS).map(|_| {
            let (world, next, end) = (self.clone(), Arc::clone(&next), numbers.end);
            tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= end {
                        return;
                    }
                    if chosen_history().is_none_or(|chosen| chosen == number) {
                        world.history(number, is_killed).await;
                    }
                }
            })
        });
        for ended in join_all(workers).await {
            ended.unwrap();
        }
    }

    async fn history(&self, number: u64, is_killed: bool) {
        let (organization, key) = &self.organizations[usize::try_from(number).unwrap()];
        let client = Client { key: key.clone(), ..self.client.clone() };
        let mut drawing = Drawing::new(Random::of_stream(10_000 + number), is_killed);
        // Of two requests at once the responses may not tell which was done first.
        let mut models = vec![Model::default()];
        let mut log = Vec::new();
        let repeat =
            format!("PAYOUT_FAULT_HISTORY={number} cargo test --workspace --test faults histories");
        for _ in 0..GROUPS {
            let group = drawing.group(&models[0]);
            let replica = drawing.random.index(2);
            let sent = group.iter().enumerate();
            let sent = sent.map(|(index, step)| client.send(step, (replica + index) % 2));
            let answered = join_all(sent).await;
            let exchanges = group.iter().zip(&answered);
            log.extend(exchanges.map(|(step, Answered { response, is_repeated })| {
                format!("{step:?}, repeated: {is_repeated}\n   {response:?}")
            }));
            let listed = client.listed(&group, &answered).await;
            let exchanges = group.iter().zip(&answered);
            let exchanges = exchanges.map(|(step, answered)| {
                let may_be_done = answered.is_repeated && step.key.is_none();
                Exchange { step, answered, may_be_done }
            });
            let group: Vec<_> = exchanges.collect();
            let mut problems = Vec::new();
            models = models
                .iter()
                .flat_map(|model| explain(model, &group, &listed, &mut problems))
                .collect();
            models.dedup_by_key(|model| format!("{model:?}"));
            let (log, problems) = (&log, problems.join("\n"));
            assert!(
                !models.is_empty(),
                "history {number}:\n{}\nno order explains the last:\n{problems}\n{repeat}",
                log.join("\n")
            );
        }
        let mut problems = Vec::new();
        for model in &models {
            problems = self.differences(&client, organization, model).await;
            if problems.is_empty() {
                return;
            }
        }
        panic!("history {number}:\n{}\n{problems:#?}\n{repeat}", log.join("\n"));
    }

    /// Where the organisation differs from the model.
    async fn differences(&self, client: &Client, organization: &str, model: &Model) -> Vec<String> {
        let mut problems = Vec::new();
        let expected = [
            ("partners", all(&model.partners, |id| model.partner_json(id))),
            ("payouts", all(&model.payouts, |id| model.payout_json(id))),
            ("commission-lines", all(&model.lines, |id| model.line_json(id))),
        ];
        for (path, expected) in expected {
            let shown = client.get(&format!("{path}?limit=100")).await;
            let shown = shown.as_array().unwrap();
            if shown.len() != expected.len() {
                problems.push(format!("{} {path}, and not {}", shown.len(), expected.len()));
            }
            for mut expected in expected {
                // Of single lines alone.
                expected.as_object_mut().unwrap().remove("idempotencyKey");
                let found = shown.iter().find(|shown| shown["id"] == expected["id"]);
                let found = found.ok_or_else(|| format!("no {expected}"));
                problems.extend(found.and_then(|found| contains(found, &expected)).err());
            }
        }
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT action, count(*) FROM history
              WHERE organization_id = $1 AND request_id IS NOT NULL GROUP BY action",
        )
        .bind(organization)
        .fetch_all(&self.superuser_pool)
        .await
        .unwrap();
        let rows: BTreeMap<&str, i64> =
            rows.iter().map(|(action, rows)| (&**action, *rows)).collect();
        if rows != model.history {
            problems.push(format!("the history has {rows:?}, and not {:?}", model.history));
        }
        problems
    }
}

impl Client {
    /// The payouts of the batches that these steps made.
    async fn listed(&self, group: &[Step], answered: &[Answered]) -> Listed {
        let mut listed = Listed::new();
        for (step, Answered { response, .. }) in group.iter().zip(answered) {
            if matches!(step.request, Request::CreateBatch { .. }) && response.status == 201 {
                let batch = response.text_at("/data/id");
                let payouts = self.get(&format!("payouts?limit=100&batchId={batch}")).await;
                listed.insert(batch, payouts.as_array().unwrap().clone());
            }
        }
        listed
    }
}

fn all<T>(things: &BTreeMap<String, T>, json: impl Fn(&str) -> Value) -> Vec<Value> {
    things.keys().map(|id| json(id)).collect()
}

/// A step that was sent, and its response.
#[derive(Clone, Copy)]
struct Exchange<'a> {
    step: &'a Step,
    answered: &'a Answered,
    /// An attempt without a response may have done it before. With a key it is done once.
    may_be_done: bool,
}

/// The models after the steps, for each order that explains the responses; reports what is wrong
/// in the others.
fn explain(
    model: &Model,
    group: &[Exchange<'_>],
    listed: &Listed,
    problems: &mut Vec<String>,
) -> Vec<Model> {
    if group.is_empty() {
        return vec![model.clone()];
    }
    let mut explained = Vec::new();
    for (index, Exchange { step, answered, may_be_done }) in group.iter().enumerate() {
        let mut attempt = |response: Option<&Response>, rest: &[Exchange<'_>]| {
            let mut after = model.clone();
            match after.apply(step, response, listed) {
                Ok(()) => explained.extend(explain(&after, rest, listed, problems)),
                Err(problem) => problems.push(problem),
            }
        };
        let mut rest = group.to_vec();
        rest[index].may_be_done = false;
        if *may_be_done {
            attempt(None, &rest);
        }
        rest.remove(index);
        attempt(Some(&answered.response), &rest);
    }
    explained
}
