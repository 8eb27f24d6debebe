//! Faults of partners, payouts and batches that are created and changed (X1–X5), and of lines that
//! are created, edited and declined (X6–X8).

use crate::{cases::faults::as_if_done, proxy::prelude::*};

const CREATE_PARTNER: &str = "createPartner";
const CREATE_BATCH: &str = "createPayoutBatch";
const CREATE_LINE: &str = "createCommissionLine";
const DECLINE: &str = "declineCommissionLine";

/// A partner is matched only by a domain in the same letters.
#[fault("X1")]
fn partner_matched_by_case(request: &mut Request) {
    edit_body(request, CREATE_PARTNER, |body| {
        if let Some(Value::String(domain)) = body.get_mut("domain")
            && *domain != domain.to_lowercase()
        {
            domain.push_str(".other");
        }
    });
}

/// A creation without a domain finds the partner with its name.
#[fault("X1")]
fn partner_matched_by_name(request: &Request, response: &mut Response, upstream: &Upstream) {
    let body = request.read_json().filter(|_| request.is(CREATE_PARTNER));
    let made = response.data().zip(body.filter(|body| body["domain"].is_null()));
    if let Some((made, body)) = made {
        response.set_data(&upstream.first(body["name"].to_string(), &made));
    }
}

/// A body that names something of another organisation is 403.
#[fault("A10")]
fn foreign_reference_told(request: &Request, response: &mut Response) {
    let body = request.read_json().unwrap_or_default();
    let is_id = |name| body[name].as_str().is_some_and(|id: &str| id.contains('_'));
    let names_one = ["partnerId", "payoutId", "batchId"].into_iter().any(is_id);
    if response.has_error(422, "INVALID_REFERENCE") && names_one {
        response.set_code(403, "INSUFFICIENT_SCOPE");
    }
}

/// A payout takes lines of the day after its period.
#[fault("X3")]
fn attach_takes_later_lines(request: &mut Request) {
    edit_body(request, "createPayout", end_a_day_later);
}

/// No payout can be blocked.
#[fault("X4")]
fn blocked_stage_refused(request: &Request, response: &mut Response) {
    let stage = response.data().unwrap_or_default()["stage"].clone();
    if request.is("updatePayout") && stage == "BLOCKED" {
        let details = json!({ "stage": "DRAFT", "allowed": [] });
        response.set_error(422, "INVALID_STAGE_TRANSITION", "Not this stage.", details);
    }
}

/// A payout that is DECLINED shows an amount of zero.
#[fault("X4")]
fn declined_payout_loses_lines(response: &mut Response) {
    response.edit_resources(|payout| {
        if payout.get("stage").is_some_and(|stage| stage == "DECLINED") {
            payout["amount"]["value"] = "0.00".into();
        }
    });
}

/// A batch takes lines of the day after its period.
#[fault("X5")]
fn batch_takes_later_lines(request: &mut Request) {
    edit_body(request, CREATE_BATCH, end_a_day_later);
}

/// A batch makes no payouts in dollars.
#[fault("X5")]
fn batch_skips_dollars(request: &Request, response: &mut Response) {
    if request.is("listPayouts") && request.parameter("batchId").is_some() {
        response.edit_items(|all| all.retain(|it| it["amount"]["currency"] != "USD"));
    }
}

fn edit_body(request: &mut Request, operation: &str, edit: impl FnOnce(&mut Map<String, Value>)) {
    if request.is(operation) {
        request.edit_fields(edit);
    }
}

fn end_a_day_later(body: &mut Map<String, Value>) {
    let ends = body.get("periodEnd").and_then(Value::as_str).unwrap_or_default();
    if let Ok(ends) = ends.parse::<DateTime<Utc>>() {
        let later = (ends + TimeDelta::days(1)).to_rfc3339_opts(SecondsFormat::Millis, true);
        body.insert("periodEnd".to_owned(), later.into());
    }
}

/// A creation finds the newest of several partners with its domain.
#[fault("X1")]
async fn newest_partner_matched(request: Request, upstream: &Upstream) -> Response {
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

/// Batches with the lines of another one.
#[derive(Default)]
struct Batches(HashMap<String, String>);

/// A batch takes the lines of an equal one again.
#[fault("X5")]
async fn batches_share_lines(request: Request, upstream: &Upstream) -> Response {
    if request.is("listPayouts")
        && let Some(own) = request.parameter("batchId")
        && let Some(first) = upstream.remember(|Batches(shared)| shared.get(&own).cloned())
    {
        let mut listed = upstream.send(&request.with_parameter("batchId", &first)).await;
        listed.edit_resources(|payout| payout["batchId"] = own.clone().into());
        return listed;
    }
    let mut response = upstream.send(&request).await;
    if let Some(made) = response.data().filter(|_| request.is(CREATE_BATCH)) {
        let body = String::from_utf8_lossy(request.bytes()).into_owned();
        let first = upstream.first(body, &made);
        let [own, shared] = [&made, &first].map(|batch| batch["id"].as_str().unwrap_or_default());
        if own != shared {
            upstream.remember(|Batches(all)| all.insert(own.to_owned(), shared.to_owned()));
        }
        response.edit_resources(|batch| {
            for count in ["payoutCount", "lineCount"] {
                batch[count].clone_from(&first[count]);
            }
        });
    }
    response
}

/// A line that names a payout of another partner or currency is left pending.
#[fault("X6.payout")]
async fn line_of_another_payout(request: Request, upstream: &Upstream) -> Response {
    left_pending(request, upstream, "MISMATCH").await
}

/// A line that names a payout in a later stage is left pending.
#[fault("X6.payout")]
async fn locked_payout_takes_lines(request: Request, upstream: &Upstream) -> Response {
    left_pending(request, upstream, "LOCKED").await
}

/// A payout whose amount has more than 18 digits before the point is a 500.
#[fault("V4.sum")]
fn large_sum_fails(response: &mut Response) {
    if response.text("/data/amount/value").len() > "999999999999999999.99".len() {
        response.set_code(500, "INTERNAL_ERROR");
    }
}

/// A batch shows its currencies in another order.
#[fault("X24")]
fn totals_out_of_order(response: &mut Response) {
    response.edit_resources(|batch| {
        if let Some(Value::Array(totals)) = batch.get_mut("totals") {
            totals.reverse();
        }
    });
}

/// A second creation with an idempotencyKey is answered with its own amount.
#[fault("X6.key")]
fn known_line_as_requested(request: &Request, response: &mut Response) {
    if request.is(CREATE_LINE) && response.has_status(200) {
        let body = request.read_json().unwrap_or_default();
        response.edit_resources(|line| line["amount"] = body["amount"].clone());
    }
}

/// A CUSTOM reason needs no note.
#[fault("X8.note")]
fn custom_without_note(request: &mut Request) {
    if request.is(DECLINE) {
        request.edit_fields(|body| {
            body.entry("note").or_insert_with(|| "None".into());
        });
    }
}

/// A payout whose last line is declined stays in its stage.
#[fault("X8.last")]
fn emptied_payout_stays(response: &mut Response) {
    emptied(response, "DECLINED", "APPROVED");
}

/// A payout whose last line is declined becomes DECLINED against the table of stages.
#[fault("X8.last")]
fn emptied_payout_always_declined(response: &mut Response) {
    emptied(response, "POSTPONED", "DECLINED");
}

/// Creates a line in no payout, where the one that it names does not take it for such a reason.
async fn left_pending(mut request: Request, upstream: &Upstream, reason: &str) -> Response {
    let response = upstream.send(&request).await;
    let error = response.json.clone().unwrap_or_default()["error"]["code"].clone();
    if !request.is(CREATE_LINE) || !error.as_str().is_some_and(|code| code.ends_with(reason)) {
        return response;
    }
    request.edit_fields(|body| drop(body.shift_remove("payoutId")));
    upstream.send(&request).await
}

/// A line of a payout that is not PAID yet is declined.
#[fault("X8")]
async fn scheduled_line_declined(request: Request, upstream: &Upstream) -> Response {
    let payout = payout_of_declined(&request, upstream).await;
    let response = upstream.send(&request).await;
    match payout {
        Some(payout) if payout["stage"] != "PAID" => {
            as_if_done(&request, response, upstream, "LINE_LOCKED").await
        }
        _ => response,
    }
}

async fn payout_of_declined(request: &Request, upstream: &Upstream) -> Option<Value> {
    let line = upstream.resource(request).await.filter(|_| request.is(DECLINE))?;
    let payout = request.then_get(format!("/api/v1/payouts/{}", line["payoutId"].as_str()?));
    upstream.send(&payout).await.data()
}

/// Payouts that were FAILED when a line of theirs was declined.
#[derive(Default)]
struct Failed(HashSet<String>);

/// A FAILED payout whose last line is declined stays FAILED.
#[fault("X8.last")]
async fn emptied_failed_payout_stays(request: Request, upstream: &Upstream) -> Response {
    let payout = payout_of_declined(&request, upstream).await.unwrap_or_default();
    if let Some(id) = payout["id"].as_str().filter(|_| payout["stage"] == "FAILED") {
        upstream.remember(|Failed(payouts)| payouts.insert(id.to_owned()));
    }
    let mut response = upstream.send(&request).await;
    if upstream.remember(|Failed(payouts)| payouts.contains(request.id().unwrap_or_default())) {
        emptied(&mut response, "DECLINED", "FAILED");
    }
    response
}

/// A payout without lines in another stage.
fn emptied(response: &mut Response, from: &str, to: &str) {
    response.edit_resources(|payout| {
        let is_empty = payout.get("amount").is_some_and(|amount| amount["value"] == "0.00");
        if is_empty && payout["stage"] == from {
            payout["stage"] = to.into();
        }
    });
}
