//! Faults of detaching a commission line (§3.1, §4.5, V4).

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use chrono::{SecondsFormat, Utc};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::{
    exchange::{Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
};

pub(in crate::cases) const DETACH: &str = "detachCommissionLine";
const LINES: &str = "/api/v1/commission-lines";
/// The largest time between the responses to two concurrent detaches.
const BESIDE_EACH_OTHER: Duration = Duration::from_millis(50);

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("detach-of-unattached-200", "§4.5")
        .says("Detaching a line that is in no payout is answered 200.")
        .exchange(&|request, upstream| Box::pin(detach_of_unattached(request, upstream))),
    fault("detach-not-stored", "§3.1")
        .says("A detach is answered right, and the line stays `IN_PAYOUT`.")
        .exchange(&|request, upstream| Box::pin(detach_not_stored(request, upstream))),
    fault("unattached-status-pending", "§3.1")
        .says("The 422 of a line in no payout says that the line is pending, whatever it is.")
        .edit(&|_, response| {
            if response.has_error(422, "LINE_NOT_IN_PAYOUT") {
                response.edit_json(|body| body["error"]["details"]["status"] = "PENDING".into());
            }
        }),
    fault("concurrent-detaches-succeed", "§4.5.422")
        .says("Of two detaches at once both are answered 200.")
        .exchange(&|request, upstream| Box::pin(concurrent_detaches(request, upstream))),
    fault("payout-id-kept", "§4.5")
        .says("The answer of a detach still names the payout.")
        .exchange(&|request, upstream| Box::pin(payout_id_kept(request, upstream))),
    fault("payout-amount-kept", "V4")
        .says("A detach leaves the payout's amount as it was.")
        .exchange(&|request, upstream| Box::pin(amount_kept(request, upstream, DETACH))),
];

/// Lines that were detached: when, and the answer.
#[derive(Default)]
struct Detached(HashMap<String, (Instant, Value)>);

/// The sums that payouts gained by their lines, by their ids.
#[derive(Default)]
struct Gained(HashMap<String, Decimal>);

fn detached(request: &Request) -> Option<String> {
    let id = request.id().filter(|_| request.is(DETACH))?;
    Some(id.to_owned())
}

/// A line as the list shows it.
pub(in crate::cases) async fn line(
    request: &Request,
    upstream: &Upstream,
    id: &str,
) -> Option<Value> {
    let list = upstream.with_all_scopes(&request.then_get(LINES));
    upstream.walk(&list).await.into_iter().find(|line| line["id"] == id)
}

/// The line that a detach is for, as the list shows it before.
async fn line_before(request: &Request, upstream: &Upstream) -> Option<Value> {
    line(request, upstream, &detached(request)?).await
}

/// A line as the answer of its detach.
pub(in crate::cases) fn after_detach(mut line: Value) -> Value {
    line["status"] = json!("PENDING");
    line["payoutId"] = Value::Null;
    line["idempotencyKey"] = Value::Null;
    line["updatedAt"] = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).into();
    line
}

async fn detach_of_unattached(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if let Some(id) = detached(&request)
        && response.has_error(422, "LINE_NOT_IN_PAYOUT")
        && let Some(line) = line(&request, upstream, &id).await
    {
        response.set_data(&after_detach(line));
    }
    response
}

async fn detach_not_stored(request: Request, upstream: &Upstream) -> Response {
    let line = line_before(&request, upstream).await;
    let attached = line.filter(|line| line["status"] == "IN_PAYOUT");
    let Some(attached) = attached else {
        return upstream.send(&request).await;
    };
    // A 404 has the status, the headers and the cost of a request that was carried out, and changes
    // nothing.
    let mut response = upstream.send(&request.for_no_id()).await;
    if response.has_status(404) {
        response.set_data(&after_detach(attached));
    }
    response
}

async fn concurrent_detaches(request: Request, upstream: &Upstream) -> Response {
    let begun = Instant::now();
    let mut response = upstream.send(&request).await;
    let Some(id) = detached(&request) else {
        return response;
    };
    if let Some(line) = response.data() {
        upstream.remember(|Detached(lines)| lines.insert(id, (Instant::now(), line)));
    } else if response.has_status(422) {
        // The detach that won may be answered a moment later.
        tokio::time::sleep(BESIDE_EACH_OTHER).await;
        let first = upstream.remember(|Detached(lines)| lines.get(&id).cloned());
        if let Some((_, line)) = first.filter(|(answered, _)| begun < *answered) {
            response.set_data(&line);
        }
    }
    response
}

async fn payout_id_kept(request: Request, upstream: &Upstream) -> Response {
    let before = line_before(&request, upstream).await;
    let mut response = upstream.send(&request).await;
    if let Some(before) = before {
        response.edit_resources(|line| line["payoutId"] = before["payoutId"].clone());
    }
    response
}

/// Shows the amounts of payouts as if an operation had not changed the lines that are in them.
pub(in crate::cases) async fn amount_kept(
    request: Request,
    upstream: &Upstream,
    operation: &str,
) -> Response {
    let id = request.id().filter(|_| request.is(operation));
    let before = match id {
        Some(id) => line(&request, upstream, id).await.unwrap_or_default(),
        None => Value::Null,
    };
    let mut response = upstream.send(&request).await;
    upstream.remember(|Gained(payouts)| {
        if let Some(after) = response.data().filter(|_| request.is(operation)) {
            for (line, sign) in [(&before, -Decimal::ONE), (&after, Decimal::ONE)] {
                let payout = line["payoutId"].as_str().unwrap_or_default().to_owned();
                *payouts.entry(payout).or_default() += sign * amount(&line["amount"]);
            }
        }
        let gained = request.id().filter(|_| request.is("getPayout"));
        if let Some(gained) = gained.and_then(|id| payouts.get(id)) {
            response.edit_json(|body| {
                if let Some(value) = body.pointer_mut("/data/amount/value") {
                    *value = (amount(value) - gained).to_string().into();
                }
            });
        }
    });
    response
}

fn amount(value: &Value) -> Decimal {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}
