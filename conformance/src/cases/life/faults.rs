//! Faults of partners, payouts and batches that are created and changed (X1–X5).

use std::collections::{HashMap, hash_map::Entry};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Map, Value, json};

use crate::{
    exchange::{Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
};

const CREATE_PARTNER: &str = "createPartner";
const CREATE_PAYOUT: &str = "createPayout";
const UPDATE_PAYOUT: &str = "updatePayout";
const CREATE_BATCH: &str = "createPayoutBatch";
const ATTACH: &str = "attachPendingLines";

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("partner-matched-by-case", "X1")
        .says("A partner is matched only by a domain in the same letters.")
        .rewrite(&|request| {
            edit_body(request, CREATE_PARTNER, |body| {
                if let Some(Value::String(domain)) = body.get_mut("domain")
                    && *domain != domain.to_lowercase()
                {
                    domain.push_str(".other");
                }
            });
        }),
    fault("partner-matched-by-name", "X1")
        .says("A creation without a domain finds the partner with its name.")
        .edit_with(&|request, response, upstream| {
            let Some(body) = request.read_json().filter(|_| request.is(CREATE_PARTNER)) else {
                return;
            };
            if body["domain"].is_null() {
                first_again(response, upstream, &body["name"]);
            }
        }),
    fault("newest-partner-matched", "X1")
        .says("A creation finds the newest of several partners with its domain.")
        .exchange(&|request, upstream| Box::pin(newest_matched(request, upstream))),
    fault("partner-made-twice", "X1")
        .says("Concurrent creations of one domain make two partners.")
        .exchange(&|request, upstream| {
            Box::pin(made_twice(request, upstream, CREATE_PARTNER, "domain"))
        }),
    fault("template-leaves-pending", "X1")
        .says("A new partner is pending, whatever its experience template.")
        .edit(&|request, response| shows(request, response, CREATE_PARTNER, "status", "pending")),
    fault("foreign-reference-told", "A10")
        .says("A body that names something of another organisation is 403.")
        .edit(&|request, response| {
            let body = request.read_json().unwrap_or_default();
            let is_id = |name| body[name].as_str().is_some_and(|id: &str| id.contains('_'));
            let names_one = ["partnerId", "payoutId", "batchId"].into_iter().any(is_id);
            if response.has_error(422, "INVALID_REFERENCE") && names_one {
                response.set_code(403, "INSUFFICIENT_SCOPE");
            }
        }),
    fault("attach-takes-later-lines", "X3")
        .says("A payout takes lines of the day after its period.")
        .rewrite(&|request| edit_body(request, CREATE_PAYOUT, end_a_day_later)),
    fault("attach-ignored", "X3")
        .says("A payout takes no pending lines.")
        .rewrite(&|request| leave_out(request, CREATE_PAYOUT, ATTACH)),
    fault("batch-id-ignored", "X3.known")
        .says("A payout that names a batch is made in one of its own.")
        .rewrite(&|request| leave_out(request, CREATE_PAYOUT, "batchId")),
    fault("stage-against-the-table", "X4").says("A payout moves to every stage.").exchange(
        &|request, upstream| {
            Box::pin(as_if_done(request, upstream, UPDATE_PAYOUT, "INVALID_STAGE_TRANSITION"))
        },
    ),
    fault("blocked-stage-refused", "X4").says("No payout can be blocked.").edit(
        &|request, response| {
            let stage = response.data().unwrap_or_default()["stage"].clone();
            if request.is(UPDATE_PAYOUT) && stage == "BLOCKED" {
                let details = json!({ "stage": "DRAFT", "allowed": [] });
                response.set_error(422, "INVALID_STAGE_TRANSITION", "Not this stage.", details);
            }
        },
    ),
    fault("stages-not-told", "X4").says("A rejected move does not say which are allowed.").edit(
        &|_, response| {
            if response.has_error(422, "INVALID_STAGE_TRANSITION") {
                response.edit_json(|body| body["error"]["details"]["allowed"] = json!([]));
            }
        },
    ),
    fault("declined-payout-loses-lines", "X4")
        .says("A payout that is DECLINED shows an amount of zero.")
        .edit(&|_, response| {
            response.edit_resources(|payout| {
                if payout.get("stage").is_some_and(|stage| stage == "DECLINED") {
                    payout["amount"]["value"] = "0.00".into();
                }
            });
        }),
    fault("metadata-never-cleared", "X4.fields")
        .says("`metadata: null` keeps it.")
        .rewrite(&|request| leave_out_null(request, "metadata")),
    fault("po-number-null-ignored", "X4.fields")
        .says("`poNumber: null` keeps the PO number.")
        .rewrite(&|request| leave_out_null(request, "poNumber")),
    fault("equal-payout-moves", "X4.fields")
        .says("A PATCH of a payout that changes nothing moves its updatedAt.")
        .edit_with(&|request, response, upstream| {
            moved(request, response, upstream, UPDATE_PAYOUT)
        }),
    fault("batch-takes-later-lines", "X5")
        .says("A batch takes lines of the day after its period.")
        .rewrite(&|request| edit_body(request, CREATE_BATCH, end_a_day_later)),
    fault("batch-skips-dollars", "X5").says("A batch makes no payouts in dollars.").edit(
        &|request, response| {
            if request.is("listPayouts") && request.parameter("batchId").is_some() {
                response.edit_items(|all| all.retain(|it| it["amount"]["currency"] != "USD"));
            }
        },
    ),
    fault("batch-counts-no-lines", "X5")
        .says("The lineCount of a batch is zero.")
        .edit(&|request, response| shows(request, response, CREATE_BATCH, "lineCount", 0)),
    fault("batches-share-lines", "X5")
        .says("A batch takes the lines of an equal one again.")
        .exchange(&|request, upstream| Box::pin(lines_shared(request, upstream))),
    fault("batch-always-attaches", "X5")
        .says("A batch takes the pending lines although it is not to.")
        .rewrite(&|request| leave_out(request, CREATE_BATCH, ATTACH)),
    fault("batch-takes-no-lines", "§3.1").says("A batch takes no lines.").rewrite(&|request| {
        edit_body(request, CREATE_BATCH, |body| {
            body.insert(ATTACH.to_owned(), false.into());
        });
    }),
];

/// The first resource of each name.
#[derive(Default)]
struct Firsts(HashMap<String, Value>);

/// Answers again with what the first response of this name had.
pub(super) fn first_again(response: &mut Response, upstream: &Upstream, name: &Value) {
    let Some(made) = response.data() else { return };
    let first = upstream.remember(|Firsts(all)| match all.entry(name.to_string()) {
        Entry::Occupied(first) => Some(first.get().clone()),
        Entry::Vacant(place) => {
            place.insert(made);
            None
        }
    });
    if let Some(first) = first {
        response.set_data(&first);
    }
}

/// Changes the body of an operation's requests.
pub(super) fn edit_body(
    request: &mut Request,
    operation: &str,
    edit: impl FnOnce(&mut Map<String, Value>),
) {
    if request.is(operation) {
        request.edit_fields(edit);
    }
}

pub(super) fn leave_out(request: &mut Request, operation: &str, member: &str) {
    edit_body(request, operation, |body| body.retain(|name, _| name != member));
}

/// Shows this value in each resource that an operation answers with.
pub(super) fn shows(
    request: &Request,
    response: &mut Response,
    operation: &str,
    member: &str,
    value: impl Into<Value>,
) {
    if request.is(operation) {
        let value = value.into();
        response.edit_resources(|resource| resource[member] = value.clone());
    }
}

fn leave_out_null(request: &mut Request, member: &str) {
    edit_body(request, UPDATE_PAYOUT, |body| {
        body.retain(|name, value| name != member || !value.is_null());
    });
}

fn end_a_day_later(body: &mut Map<String, Value>) {
    let ends = body.get("periodEnd").and_then(Value::as_str).unwrap_or_default();
    if let Ok(ends) = ends.parse::<DateTime<Utc>>() {
        let later = (ends + TimeDelta::days(1)).to_rfc3339_opts(SecondsFormat::Millis, true);
        body.insert("periodEnd".to_owned(), later.into());
    }
}

/// Answers with the newest partner of the domain, as the body would change it.
async fn newest_matched(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    let body =
        request.read_json().filter(|_| request.is(CREATE_PARTNER) && response.has_status(200));
    let domain = |value: &Value| value["domain"].as_str().map(str::to_lowercase);
    if let Some(body) = body {
        let partners = upstream.walk(&request.then_get(request.path())).await;
        let newest = partners.into_iter().find(|partner| domain(partner) == domain(&body));
        if let Some(mut newest) = newest {
            for name in ["name", "domain"] {
                newest[name].clone_from(&body[name]);
            }
            response.set_data(&newest);
        }
    }
    response
}

/// The first batch of each body, and those with the lines of another one.
#[derive(Default)]
struct Batches(HashMap<String, Value>, HashMap<String, String>);

/// Gives a batch the counts and the payouts of an earlier one with an equal body.
async fn lines_shared(request: Request, upstream: &Upstream) -> Response {
    if request.is("listPayouts")
        && let Some(own) = request.parameter("batchId")
        && let Some(first) = upstream.remember(|Batches(_, shared)| shared.get(&own).cloned())
    {
        let mut listed = upstream.send(&request.with_parameter("batchId", &first)).await;
        listed.edit_resources(|payout| payout["batchId"] = own.clone().into());
        return listed;
    }
    let mut response = upstream.send(&request).await;
    if let Some(made) = response.data().filter(|_| request.is(CREATE_BATCH)) {
        let body = String::from_utf8_lossy(request.bytes()).into_owned();
        let first = upstream.remember(|Batches(first, shared)| {
            let first = first.entry(body).or_insert_with(|| made.clone()).clone();
            let ids = [&made, &first].map(|batch| batch["id"].as_str().unwrap_or_default());
            if ids[0] != ids[1] {
                shared.insert(ids[0].to_owned(), ids[1].to_owned());
            }
            first
        });
        response.edit_resources(|batch| {
            for count in ["payoutCount", "lineCount"] {
                batch[count].clone_from(&first[count]);
            }
        });
    }
    response
}

/// Leaves out what makes requests one, where another one of it is running.
pub(super) async fn made_twice(
    request: Request,
    upstream: &Upstream,
    operation: &str,
    member: &str,
) -> Response {
    let body = request.read_json().filter(|_| request.is(operation)).unwrap_or_default();
    let name = body[member].as_str().map(str::to_owned);
    let change = |request: &mut Request| leave_out(request, operation, member);
    upstream.send_concurrently(name, request, change).await
}

/// Moves the updatedAt of each response to these requests.
pub(super) fn moved(
    request: &Request,
    response: &mut Response,
    upstream: &Upstream,
    operation: &str,
) {
    let at = format!("2100-01-01T00:00:00.{:03}Z", upstream.count() % 1_000);
    shows(request, response, operation, "updatedAt", at);
}

/// Reads the resource that a request is about.
pub(super) async fn current(request: &Request, upstream: &Upstream) -> Value {
    let path = request.path();
    // The path of the resource has no verb.
    let verbs = ["/attach", "/decline"];
    let path = verbs.iter().find_map(|verb| path.strip_suffix(verb)).unwrap_or(path);
    upstream.send(&request.then_get(path)).await.data().unwrap_or_default()
}

/// Answers a request that is refused with this code as if it were carried out.
pub(super) async fn as_if_done(
    request: Request,
    upstream: &Upstream,
    operation: &str,
    code: &str,
) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(operation) && response.has_error(422, code) {
        let mut resource = current(&request, upstream).await;
        let body = request.read_json().unwrap_or_default();
        for (name, shown) in resource.as_object_mut().into_iter().flatten() {
            shown.clone_from(body.get(name).unwrap_or(&shown.clone()));
        }
        response.set_data(&resource);
    }
    response
}
