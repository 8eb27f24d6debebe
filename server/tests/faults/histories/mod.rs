//! Random histories of all operations that change something, on two servers, the second half of
//! them while servers are killed. Each is compared with a model of the operations (X1–X9, X14–X16,
//! X18–X20): every response, and then all that the organisation has.

mod model;
mod request;

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, future::join_all, stream};
use payout_server::{
    commission_lines::maturity::store::mature_all, id::OrganizationId, postgres::Tenants,
};
use serde_json::{Value, json};
use sqlx::PgPool;

use self::{
    model::{Model, Resources, contains},
    request::{CLICKS, Drawing, FORM, MATURE, Step, TEMPLATE},
};
use crate::{
    state_invariants::broken,
    support::{
        Deployment, Options, Response, Target, dataset,
        load::{RETRY_INTERVAL, TIMEOUT},
        scale::{chosen_history, factor, random, report_sum},
    },
};

const HISTORIES: u64 = 400;
/// Of requests, one or two at once.
const GROUPS: u64 = 20;
/// Histories at once.
const WORKERS: usize = 6;
const SHORTEST_LIFE: Duration = Duration::from_millis(100);
const LONGEST_LIFE_MILLISECONDS: u64 = 500;

/// The deployment and the keys of all histories.
#[derive(Clone)]
struct World {
    target: Arc<Target>,
    superuser_pool: PgPool,
    /// Of the operator.
    tenants: Tenants,
    /// Ids and keys of an organisation for each history.
    organizations: Arc<Vec<(String, String)>>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_agree_with_the_model() {
    let flags = &["--acquire-seconds", "30", "--connections-per-address", "1000"];
    let mut deployment = Deployment::start(Options { flags, ..Options::default() }).await;
    let count = HISTORIES * factor();
    let imported = deployment.import((0..count).map(organization).collect()).await;
    let parts = imported.iter().map(|it| (it.id.to_string(), it.keys[0].key.reveal().to_owned()));
    let world = World {
        target: deployment.target.clone(),
        superuser_pool: deployment.superuser_pool.clone(),
        tenants: Tenants::from(&deployment.app_pool().await),
        organizations: Arc::new(parts.collect()),
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
    let broken = broken(&deployment.superuser_pool).await;
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The id of the partner that an organisation begins with.
fn earner(number: u64) -> String {
    format!("ptn_01JV3N8Q5R{number:016}")
}

/// An organisation begins with a key, billing information, a form, and a partner whose links were
/// clicked.
fn organization(number: u64) -> Value {
    let mut entry = dataset::entry(&format!("history {number}"), 4);
    for name in ["payouts", "commissionLines", "comments"] {
        entry[name] = json!([]);
    }
    entry["partners"] = json!([{ "ref": "earner", "id": earner(number), "name": "Earner" }]);
    let field = json!({ "key": "company", "label": "Company", "type": "TEXT", "required": true });
    let form = json!({ "name": "Deal", "kind": "OTHER", "review": true, "fields": [field] });
    entry["experienceTemplates"] =
        json!([{ "ref": "template", "id": TEMPLATE, "name": "Standard" }]);
    entry["forms"] =
        json!([{ "ref": "form", "id": FORM, "definition": form, "publishedVersion": 1 }]);
    let link = |name: &str| {
        json!({
            "ref": name, "partner": "earner", "code": format!("history-{number}-{name}"),
            "targetUrl": "https://shop.example/", "planName": "Referral", "holdDays": 0,
            "windowDays": 90, "createdAt": "2026-05-01T09:00:00.000Z",
        })
    };
    let (mut percent, mut fixed, mut disabled) = (link("percent"), link("fixed"), link("disabled"));
    percent["percent"] = json!("12.50");
    (fixed["fixedAmount"], fixed["currency"]) = (json!("25.00"), json!("EUR"));
    fixed["holdDays"] = json!(30);
    disabled["percent"] = json!("12.50");
    disabled["disabledAt"] = json!("2026-05-02T09:00:00.000Z");
    entry["affiliateLinks"] = json!([percent, fixed, disabled]);
    let click = |(link, id): (&str, &str)| {
        let clicked_at = "2026-05-01T10:00:00.000Z";
        json!({ "ref": id, "id": id, "link": link, "createdAt": clicked_at })
    };
    let links = ["percent", "fixed", "disabled"];
    entry["clicks"] = links.into_iter().zip(CLICKS).map(click).collect();
    entry
}

async fn kill_until(deployment: &mut Deployment, is_over: &AtomicBool) -> u64 {
    let mut random = random(2_000);
    let mut kills = 0;
    while !is_over.load(Ordering::SeqCst) {
        let life = Duration::from_millis(random.u64(..LONGEST_LIFE_MILLISECONDS));
        tokio::time::sleep(SHORTEST_LIFE + life).await;
        let victim = random.usize(..2);
        deployment.kill(victim);
        deployment.restart(victim).await;
        kills += 1;
    }
    kills
}

impl World {
    /// Some histories at a time.
    async fn run(&self, numbers: Range<u64>, is_killed: bool) {
        let chosen = numbers.filter(|number| chosen_history().is_none_or(|it| it == *number));
        let histories = stream::iter(chosen).map(|number| {
            let world = self.clone();
            tokio::spawn(async move { world.history(number, is_killed).await })
        });
        histories.buffer_unordered(WORKERS).for_each(|ended| async { ended.unwrap() }).await;
    }

    async fn history(&self, number: u64, is_killed: bool) {
        let (organization, key) = &self.organizations[usize::try_from(number).unwrap()];
        let id = OrganizationId::parse(organization).unwrap();
        let client = Client { target: &self.target, key, organization: id, tenants: &self.tenants };
        let random = random(10_000 + number);
        let mut drawing = Drawing { random, always_keyed: is_killed, drawn: 0, earlier: None };
        // Of two requests at once the responses may not tell which was done first.
        let mut models = vec![Model::new(earner(number))];
        let mut log = Vec::new();
        let repeat =
            format!("PAYOUT_FAULT_HISTORY={number} cargo test --workspace --test faults histories");
        for _ in 0..GROUPS {
            let group = drawing.group(&models[0]);
            let replica = drawing.random.usize(..2);
            let sent = group.into_iter().enumerate();
            let sent = sent.map(|(index, step)| client.exchange(step, (replica + index) % 2));
            let group = join_all(sent).await;
            log.extend(group.iter().map(|exchange| format!("{exchange:?}")));
            let mut problems = Vec::new();
            models =
                models.iter().flat_map(|model| explain(model, &group, &mut problems)).collect();
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
    async fn differences(
        &self,
        client: &Client<'_>,
        organization: &str,
        model: &Model,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        let payouts = model.payouts.keys().map(|id| (id.clone(), model.payout(id)));
        let payouts: Resources = payouts.collect();
        for (path, expected) in [
            ("partners", &model.partners),
            ("payouts", &payouts),
            ("commission-lines", &model.lines),
            ("comments", &model.comments),
            ("form-submissions", &model.submissions),
            ("affiliate/conversions", &model.conversions),
        ] {
            let shown = client.get(&format!("{path}?limit=100")).await;
            let shown = shown.as_array().unwrap();
            if shown.len() != expected.len() {
                problems.push(format!("{} {path}, and not {}", shown.len(), expected.len()));
            }
            for expected in expected.values() {
                let mut expected = expected.clone();
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

/// A step that was sent, and its response.
#[derive(Clone, Debug)]
struct Exchange {
    step: Step,
    response: Response,
    /// The payouts of the batch that it made, or the lines that claw back what it reversed.
    listed: Vec<Value>,
    /// An attempt without a response may have done it before. With a key it is done once.
    may_be_done: bool,
}

/// The models after the steps, for each order that explains the responses; reports what is wrong
/// in the others.
fn explain(model: &Model, group: &[Exchange], problems: &mut Vec<String>) -> Vec<Model> {
    if group.is_empty() {
        return vec![model.clone()];
    }
    let mut explained = Vec::new();
    for (index, Exchange { step, response, listed, may_be_done }) in group.iter().enumerate() {
        let mut attempt = |response: Option<&Response>, rest: &[Exchange]| {
            let mut after = model.clone();
            match after.apply(step, response, listed) {
                Ok(()) => explained.extend(explain(&after, rest, problems)),
                Err(problem) => problems.push(problem),
            }
        };
        let mut rest = group.to_vec();
        rest[index].may_be_done = false;
        if *may_be_done {
            attempt(None, &rest);
        }
        rest.remove(index);
        attempt(Some(response), &rest);
    }
    explained
}

/// A client of both servers. A request that gets no response, because its server was killed, is
/// sent again to the other one.
struct Client<'a> {
    target: &'a Target,
    key: &'a str,
    organization: OrganizationId,
    /// Of the operator.
    tenants: &'a Tenants,
}

impl Client<'_> {
    /// Sends a step to one server, and then to the servers in turn until it has a response.
    async fn exchange(&self, step: Step, replica: usize) -> Exchange {
        if step.request.operation == MATURE {
            let response = self.mature().await;
            return Exchange { step, response, listed: Vec::new(), may_be_done: false };
        }
        let (method, path) = step.request.line();
        let request = |replica| {
            let mut request = self.target.request(replica, method.clone(), &path, self.key);
            if let Some(key) = &step.key {
                request = request.header("idempotency-key", key);
            }
            request.json(&step.request.body)
        };
        let (mut response, is_repeated) = send(replica, request).await;
        response.is_replayed = response.is_replayed.filter(|_| !is_repeated);
        let listed = self.listed(step.request.operation, &response.body["data"]).await;
        let may_be_done = is_repeated && step.key.is_none();
        Exchange { step, response, listed, may_be_done }
    }

    /// What a response does not show of what its request made.
    async fn listed(&self, operation: &str, data: &Value) -> Vec<Value> {
        let Some(id) = data["id"].as_str() else { return Vec::new() };
        let path = match operation {
            "createPayoutBatch" => format!("payouts?limit=100&batchId={id}"),
            "reverseConversion" => "commission-lines?limit=100".to_owned(),
            _ => return Vec::new(),
        };
        let mut listed = self.get(&path).await.as_array().cloned().unwrap_or_default();
        if operation == "reverseConversion" {
            let reversed = data["externalId"].as_str().unwrap_or(id);
            let description = format!("Reversal of conversion {reversed}");
            listed.retain(|line| line["description"] == *description);
        }
        listed
    }

    /// Matures lines as an operator; the response has their number.
    async fn mature(&self) -> Response {
        let matured = mature_all(self.tenants, &self.organization, |_| ()).await.unwrap();
        Response {
            status: 200,
            code: String::new(),
            rate: (0, 0),
            credits: None,
            is_replayed: Some(false),
            body: json!({ "data": { "matured": matured } }),
        }
    }

    /// The `data` of a GET.
    async fn get(&self, path: &str) -> Value {
        let path = format!("/api/v1/{path}");
        let request = |replica| self.target.request(replica, reqwest::Method::GET, &path, self.key);
        let (response, _) = send(0, request).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
        response.body["data"].clone()
    }
}

/// Sends a request to one server, and then to the servers in turn until it has a response; returns
/// it, and whether it was sent again.
pub async fn send(
    mut replica: usize,
    request: impl Fn(usize) -> reqwest::RequestBuilder,
) -> (Response, bool) {
    let begun = Instant::now();
    let mut is_repeated = false;
    loop {
        // The killed server's transaction may still hold the key.
        match Response::read(request(replica)).await {
            Ok(response)
                if response.status != 503
                    && !(is_repeated && response.code == "IDEMPOTENCY_IN_PROGRESS") =>
            {
                return (response, is_repeated);
            }
            last => assert!(begun.elapsed() < TIMEOUT, "no response: {last:?}"),
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
        (is_repeated, replica) = (true, 1 - replica);
    }
}
