//! Faults of lines that are created, edited and declined (X6–X8), and of the payouts they are in.

use std::collections::HashSet;

use serde_json::Value;

use super::faults::{
    as_if_done, current, edit_body, first_again, leave_out, made_twice, moved, shows,
};
use crate::{
    cases::lines::faults::amount_kept,
    exchange::{Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
};

const CREATE: &str = "createCommissionLine";
const UPDATE: &str = "updateCommissionLine";
const DECLINE: &str = "declineCommissionLine";
const ATTACH: &str = "attachCommissionLine";
const GET_BATCH: &str = "getPayoutBatch";

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("new-line-not-in-amount", "X6")
        .says("A payout's amount does not gain its new line.")
        .exchange(&|request, upstream| Box::pin(amount_kept(request, upstream, CREATE))),
    fault("line-of-another-payout", "X6.payout")
        .says("A line that names a payout of another partner or currency is left pending.")
        .exchange(&|request, upstream| Box::pin(left_pending(request, upstream, "MISMATCH"))),
    fault("locked-payout-takes-lines", "X6.payout")
        .says("A line that names a payout in a later stage is left pending.")
        .exchange(&|request, upstream| Box::pin(left_pending(request, upstream, "LOCKED"))),
    fault("large-sum-fails", "V4.sum")
        .says("A payout whose amount has more than 18 digits before the point is a 500.")
        .edit(&|_, response| {
            let body = response.json.clone().unwrap_or_default();
            let amount = body.pointer("/data/amount/value").and_then(Value::as_str);
            if amount.is_some_and(|amount| amount.len() > "999999999999999999.99".len()) {
                response.set_code(500, "INTERNAL_ERROR");
            }
        }),
    fault("attached-line-not-in-amount", "X23")
        .says("A payout's amount does not gain a line that is attached.")
        .exchange(&|request, upstream| Box::pin(amount_kept(request, upstream, ATTACH))),
    fault("attached-line-stays-pending", "X23")
        .says("An attached line is shown as pending.")
        .edit(&|request, response| shows(request, response, ATTACH, "status", "PENDING")),
    fault("line-of-another-payout-attached", "X23.line")
        .says("A line in another payout is attached.")
        .exchange(&|request, upstream| {
            Box::pin(as_if_done(request, upstream, ATTACH, "LINE_IN_PAYOUT"))
        }),
    fault("voided-line-attached", "X23.line").says("A voided line is attached.").exchange(
        &|request, upstream| Box::pin(as_if_done(request, upstream, ATTACH, "LINE_NOT_PENDING")),
    ),
    fault("line-attached-to-another-partner", "X23.payout")
        .says("A line is attached to the payout of another partner.")
        .exchange(&|request, upstream| {
            Box::pin(as_if_done(request, upstream, ATTACH, "PARTNER_MISMATCH"))
        }),
    fault("line-attached-to-another-currency", "X23.payout")
        .says("A line is attached to a payout of another currency.")
        .exchange(&|request, upstream| {
            Box::pin(as_if_done(request, upstream, ATTACH, "CURRENCY_MISMATCH"))
        }),
    fault("locked-payout-takes-attached-lines", "X23.payout")
        .says("A payout takes pending lines in every stage.")
        .exchange(&|request, upstream| {
            Box::pin(as_if_done(request, upstream, ATTACH, "PAYOUT_LOCKED"))
        }),
    fault("batch-as-it-was-made", "X24")
        .says("A batch shows the counts and sums of its first response.")
        .edit_with(&|request, response, upstream| {
            if request.is(GET_BATCH) {
                first_again(response, upstream, &request.path().into());
            }
        }),
    fault("totals-out-of-order", "X24")
        .says("A batch shows its currencies in another order.")
        .edit(&|_, response| {
            response.edit_resources(|batch| {
                if let Some(Value::Array(totals)) = batch.get_mut("totals") {
                    totals.reverse();
                }
            });
        }),
    fault("known-line-as-requested", "X6.key")
        .says("A second creation with an idempotencyKey is answered with its own amount.")
        .edit(&|request, response| {
            if response.has_status(200) {
                let body = request.read_json().unwrap_or_default();
                shows(request, response, CREATE, "amount", body["amount"].clone());
            }
        }),
    fault("line-made-twice", "X6.key")
        .says("Concurrent creations with one idempotencyKey make two lines.")
        .exchange(&|request, upstream| {
            Box::pin(made_twice(request, upstream, CREATE, "idempotencyKey"))
        }),
    fault("edit-not-in-amount", "X7")
        .says("A payout's amount does not follow an edited line.")
        .exchange(&|request, upstream| Box::pin(amount_kept(request, upstream, UPDATE))),
    fault("equal-line-moves", "X7")
        .says("A PATCH of a line that changes nothing moves its updatedAt.")
        .edit_with(&|request, response, upstream| moved(request, response, upstream, UPDATE)),
    fault("statement-before-edit", "§4.7.2")
        .says("The statement stays as it was before its line was edited.")
        .edit_with(&|request, response, upstream| {
            if request.is("generateStatement") {
                first_again(response, upstream, &request.path().into());
            }
        }),
    fault("paid-line-edited", "X7.locked").says("A line of a PAID payout is edited.").exchange(
        &|request, upstream| Box::pin(as_if_done(request, upstream, UPDATE, "LINE_LOCKED")),
    ),
    fault("voided-line-edited", "X7.locked").says("A voided line is edited.").exchange(
        &|request, upstream| Box::pin(as_if_done(request, upstream, UPDATE, "LINE_VOIDED")),
    ),
    fault("paid-line-declined", "X8").says("A line of a PAID payout is declined.").exchange(
        &|request, upstream| Box::pin(as_if_done(request, upstream, DECLINE, "LINE_LOCKED")),
    ),
    fault("scheduled-line-declined", "X8")
        .says("A line of a payout that is not PAID yet is declined.")
        .exchange(&|request, upstream| Box::pin(declined_before_paid(request, upstream))),
    fault("decline-not-in-amount", "X8")
        .says("A decline leaves the payout's amount as it was.")
        .exchange(&|request, upstream| Box::pin(amount_kept(request, upstream, DECLINE))),
    fault("declined-line-pending", "X8")
        .says("A declined line returns to the pending pool.")
        .edit(&|request, response| shows(request, response, DECLINE, "status", "PENDING")),
    fault("custom-without-note", "X8.note").says("A CUSTOM reason needs no note.").rewrite(
        &|request| {
            edit_body(request, DECLINE, |body| {
                body.entry("note").or_insert_with(|| "None".into());
            });
        },
    ),
    fault("emptied-payout-stays", "X8.last")
        .says("A payout whose last line is declined stays in its stage.")
        .edit(&|_, response| emptied(response, "DECLINED", "APPROVED")),
    fault("emptied-payout-always-declined", "X8.last")
        .says("A payout whose last line is declined becomes DECLINED against the table of stages.")
        .edit(&|_, response| emptied(response, "POSTPONED", "DECLINED")),
    fault("emptied-failed-payout-stays", "X8.last")
        .says("A FAILED payout whose last line is declined stays FAILED.")
        .exchange(&|request, upstream| Box::pin(failed_stays(request, upstream))),
];

/// Creates a line in no payout, where the one that it names does not take it for such a reason.
async fn left_pending(mut request: Request, upstream: &Upstream, reason: &str) -> Response {
    let response = upstream.send(&request).await;
    let error = response.json.clone().unwrap_or_default()["error"]["code"].clone();
    if !request.is(CREATE) || !error.as_str().is_some_and(|code| code.ends_with(reason)) {
        return response;
    }
    leave_out(&mut request, CREATE, "payoutId");
    upstream.send(&request).await
}

/// Declines a line of a locked payout, unless the payout is PAID.
async fn declined_before_paid(request: Request, upstream: &Upstream) -> Response {
    let line = match request.is(DECLINE) {
        true => current(&request, upstream).await,
        false => Value::Null,
    };
    if payout_of(&line, &request, upstream).await["stage"] == "PAID" {
        return upstream.send(&request).await;
    }
    as_if_done(request, upstream, DECLINE, "LINE_LOCKED").await
}

/// The payout of a line.
async fn payout_of(line: &Value, request: &Request, upstream: &Upstream) -> Value {
    let Some(id) = line["payoutId"].as_str() else { return Value::Null };
    let payout = request.then_get(format!("/api/v1/payouts/{id}"));
    upstream.send(&payout).await.data().unwrap_or_default()
}

/// Payouts that were FAILED when a line of theirs was declined.
#[derive(Default)]
struct Failed(HashSet<String>);

async fn failed_stays(request: Request, upstream: &Upstream) -> Response {
    if request.is(DECLINE) {
        let line = current(&request, upstream).await;
        let payout = payout_of(&line, &request, upstream).await;
        if let Some(id) = payout["id"].as_str().filter(|_| payout["stage"] == "FAILED") {
            upstream.remember(|Failed(payouts)| payouts.insert(id.to_owned()));
        }
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
