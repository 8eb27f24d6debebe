//! Faults of statements (§2.4, §3.2, §4.7, S1, S10): which document a payout has, and what its
//! answer says.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use chrono::{DateTime, SecondsFormat, TimeDelta};
use hyper::{Method, Uri};
use serde_json::{Map, Value, json};

use crate::{
    exchange::{Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
    target::Role,
};

pub(super) const OPERATION: &str = "generateStatement";

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("new-asset-each-call", "§4.7").says("Every call makes a new document.").edit_with(
        &|request, response, upstream| {
            let made = upstream.count().to_string();
            edit_statement(request, response, |statement| {
                statement["assetId"] = other_id(&statement["assetId"], &made);
            });
        },
    ),
    fault("note-ignored", "§4.7")
        .says("Another statement note rebuilds nothing.")
        .exchange(&|request, upstream| Box::pin(kept(request, upstream, "poNumber"))),
    fault("po-number-ignored", "§4.7")
        .says("Another PO number rebuilds nothing.")
        .exchange(&|request, upstream| Box::pin(kept(request, upstream, "metadata"))),
    fault("rename-rebuilds", "§4.7")
        .says("A partner's new name rebuilds its statements.")
        .exchange(&|request, upstream| Box::pin(rename_rebuilds(request, upstream))),
    fault("upload-rerendered", "§4.7")
        .says("A statement is rendered where a person has uploaded one.")
        .exchange(&|request, upstream| {
            Box::pin(replaced(request, upstream, is_uploaded, |other| other.has_status(200)))
        }),
    fault("upload-not-told", "§4.7").says("`isUploaded` is false of an uploaded PDF.").edit(
        &|request, response| {
            edit_statement(request, response, |statement| statement["isUploaded"] = false.into())
        },
    ),
    fault("empty-payout-200", "§4.7").says("A payout without lines gets a statement.").exchange(
        &|request, upstream| {
            Box::pin(replaced(request, upstream, lacks_lines, |other| other.has_status(200)))
        },
    ),
    fault("billing-incomplete-200", "§4.7")
        .says("Incomplete billing information is no obstacle.")
        .needs(&[Role::All])
        .exchange(&|request, upstream| Box::pin(billing_incomplete(request, upstream))),
    fault("billing-before-lines", "S1")
        .says("A payout without lines is answered that billing information is incomplete.")
        .needs(&[Role::NoBilling])
        .exchange(&|request, upstream| {
            Box::pin(replaced(request, upstream, lacks_lines, lacks_billing))
        }),
    fault("billing-before-upload", "S1")
        .says("An uploaded PDF is withheld where billing information is incomplete.")
        .needs(&[Role::NoBilling])
        .exchange(&|request, upstream| {
            Box::pin(replaced(request, upstream, is_uploaded, lacks_billing))
        }),
    fault("negative-statement-refused", "S2")
        .says("A payout below zero has no statement: 422.")
        .exchange(&|request, upstream| Box::pin(negative_refused(request, upstream))),
    fault("stage-moved", "§3.2")
        .says("Generating a statement changes the payout's stage.")
        .edit_with(&stage_moved),
    fault("link-ends-early", "§2.4").says("`expiresAt` is an hour after the link's end.").edit(
        &|request, response| {
            edit_statement(request, response, |statement| {
                let expires = statement["expiresAt"].as_str();
                let expires = expires.and_then(|time| DateTime::parse_from_rfc3339(time).ok());
                if let Some(expires) = expires {
                    let later = (expires + TimeDelta::hours(1)).to_utc();
                    statement["expiresAt"] =
                        later.to_rfc3339_opts(SecondsFormat::Millis, true).into();
                }
            })
        },
    ),
    fault("filename-without-month", "S10").says("A statement's name lacks the month.").edit(
        &|request, response| {
            edit_statement(request, response, |statement| {
                let name = without_month(statement["filename"].as_str().unwrap_or_default());
                statement["filename"] = name.into();
            });
            response.edit_header("content-disposition", without_month);
        },
    ),
];

/// The asset of each payout, by what its document depends on.
#[derive(Default)]
struct Assets(HashMap<String, Value>);

#[derive(Default)]
struct Moved(HashSet<String>);

fn edit_statement(
    request: &Request,
    response: &mut Response,
    edit: impl FnMut(&mut Map<String, Value>),
) {
    if request.is(OPERATION) && response.has_status(200) {
        response.edit_resources(edit);
    }
}

/// The address of a statement's download.
pub(in crate::cases) fn link(statement: &Value) -> Option<Uri> {
    statement["downloadUrl"].as_str()?.parse().ok()
}

pub(super) async fn payout(request: &Request, upstream: &Upstream) -> Option<Value> {
    let path = request.path().strip_suffix("/statement")?;
    let get = upstream.with_all_scopes(&request.then_get(path));
    upstream.send(&get).await.data()
}

/// Another asset id, which depends on `text`.
fn other_id(id: &Value, text: &str) -> Value {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let id = id.as_str().unwrap_or_default();
    let kept = id.len().saturating_sub(8);
    format!("{}{:08}", &id[..kept], hasher.finish() % 100_000_000).into()
}

/// Answers the asset that the payout had when its amount and this field were the same.
async fn kept(request: Request, upstream: &Upstream, field: &str) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && let Some(statement) =
            response.data().filter(|statement| statement["isUploaded"] == false)
        && let Some(payout) = payout(&request, upstream).await
    {
        let key = json!([payout["id"], payout["amount"], payout[field]]).to_string();
        let asset = upstream.remember(|Assets(assets)| {
            assets.entry(key).or_insert_with(|| statement["assetId"].clone()).clone()
        });
        edit_statement(&request, &mut response, |statement| statement["assetId"] = asset.clone());
    }
    response
}

async fn rename_rebuilds(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && response.has_status(200)
        && let Some(payout) = payout(&request, upstream).await
    {
        let name = payout["partner"]["name"].to_string();
        edit_statement(&request, &mut response, |statement| {
            statement["assetId"] = other_id(&statement["assetId"], &name);
        });
    }
    response
}

/// The answer for another payout of the same organisation, one that has lines.
async fn of_another_payout(request: &Request, upstream: &Upstream) -> Option<Response> {
    let list = request.then_get("/api/v1/commission-lines?limit=100&status=IN_PAYOUT");
    let lines = upstream.send(&upstream.with_all_scopes(&list)).await.data()?;
    let own = request.id();
    let mut payouts = lines.as_array()?.iter().filter_map(|line| line["payoutId"].as_str());
    let other = payouts.find(|payout| Some(*payout) != own)?;
    let statement = request.then_get(format!("/api/v1/payouts/{other}/statement"));
    Some(upstream.send(&Request { method: Method::POST, ..statement }).await)
}

/// Sends the request; where `is_replaced` holds of the response, its content is that of another
/// payout's statement.
async fn replaced(
    request: Request,
    upstream: &Upstream,
    is_replaced: fn(&Response) -> bool,
    is_wanted: fn(&Response) -> bool,
) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && is_replaced(&response)
        && let Some(other) = of_another_payout(&request, upstream).await
        && is_wanted(&other)
    {
        response.take_content(other);
    }
    response
}

fn is_uploaded(response: &Response) -> bool {
    response.data().is_some_and(|statement| statement["isUploaded"] == true)
}

fn lacks_billing(response: &Response) -> bool {
    response.has_error(422, "NO_BILLING_INFO")
}

fn lacks_lines(response: &Response) -> bool {
    response.has_error(422, "NO_COMMISSION_LINES")
}

async fn billing_incomplete(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION) && lacks_billing(&response) {
        let complete = upstream.in_role(Role::All, &request);
        if let Some(other) = of_another_payout(&complete, upstream).await {
            response.take_content(other);
        }
    }
    response
}

async fn negative_refused(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && response.has_status(200)
        && let Some(payout) = payout(&request, upstream).await
        && payout["amount"]["value"].as_str().is_some_and(|value| value.starts_with('-'))
    {
        let message = "The payout has no commission lines.";
        response.set_error(422, "NO_COMMISSION_LINES", message, json!({}));
    }
    response
}

fn stage_moved(request: &Request, response: &mut Response, upstream: &Upstream) {
    if request.is(OPERATION) && response.has_status(200) {
        let id = request.id().unwrap_or_default().to_owned();
        upstream.remember(|Moved(payouts)| payouts.insert(id));
    }
    if request.is("getPayout") {
        upstream.remember(|Moved(payouts)| {
            response.edit_resources(|payout| {
                let id = payout.get("id").and_then(Value::as_str);
                if id.is_some_and(|id| payouts.contains(id)) {
                    let is_approved = payout["stage"] == "APPROVED";
                    let other = if is_approved { "PENDING_INVOICE" } else { "APPROVED" };
                    payout["stage"] = other.into();
                }
            });
        });
    }
}

/// Takes the month off a name such as `statement-Nordwind-2026-05.pdf`.
fn without_month(text: &str) -> String {
    const MONTH: usize = "-2026-05".len();
    match text.find(".pdf").filter(|end| *end > MONTH) {
        Some(end) if text.is_char_boundary(end - MONTH) => {
            format!("{}{}", &text[..end - MONTH], &text[end..])
        }
        _ => text.to_owned(),
    }
}
