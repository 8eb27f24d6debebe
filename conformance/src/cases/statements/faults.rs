//! Faults of statements (§2.4, §3.2, §4.7, S1, S2, S10): which document a payout has, what its
//! answer says, and what the PDF shows.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hyper::Uri;

use crate::{pdf, proxy::prelude::*};

const OPERATION: &str = "generateStatement";

/// Every call makes a new document.
#[fault("§4.7")]
fn new_asset_each_call(request: &Request, response: &mut Response, upstream: &Upstream) {
    let made = upstream.count().to_string();
    edit_statement(request, response, |statement| {
        statement["assetId"] = other_id(&statement["assetId"], &made);
    });
}

/// Another statement note rebuilds nothing.
#[fault("§4.7")]
async fn note_ignored(request: Request, upstream: &Upstream) -> Response {
    kept(request, upstream, "poNumber").await
}

/// Another PO number rebuilds nothing.
#[fault("§4.7")]
async fn po_number_ignored(request: Request, upstream: &Upstream) -> Response {
    kept(request, upstream, "metadata").await
}

/// A statement is rendered where a person has uploaded one.
#[fault("§4.7")]
async fn upload_rerendered(request: Request, upstream: &Upstream) -> Response {
    replaced(request, upstream, is_uploaded, |other| other.has_status(200)).await
}

/// A payout without lines gets a statement.
#[fault("§4.7")]
async fn empty_payout_200(request: Request, upstream: &Upstream) -> Response {
    replaced(request, upstream, lacks_lines, |other| other.has_status(200)).await
}

/// A payout without lines is answered that billing information is incomplete.
#[fault("S1", needs(NoBilling))]
async fn billing_before_lines(request: Request, upstream: &Upstream) -> Response {
    replaced(request, upstream, lacks_lines, lacks_billing).await
}

/// An uploaded PDF is withheld where billing information is incomplete.
#[fault("S1", needs(NoBilling))]
async fn billing_before_upload(request: Request, upstream: &Upstream) -> Response {
    replaced(request, upstream, is_uploaded, lacks_billing).await
}

/// `expiresAt` is an hour after the link's end.
#[fault("§2.4")]
fn link_ends_early(request: &Request, response: &mut Response) {
    edit_statement(request, response, |statement| {
        let expires = statement["expiresAt"].as_str();
        if let Some(expires) = expires.and_then(|time| time.parse::<DateTime<Utc>>().ok()) {
            let later = expires + TimeDelta::hours(1);
            statement["expiresAt"] = later.to_rfc3339_opts(SecondsFormat::Millis, true).into();
        }
    });
}

/// A statement's name lacks the month.
#[fault("S10")]
fn filename_without_month(request: &Request, response: &mut Response) {
    edit_statement(request, response, |statement| {
        let name = without_month(statement["filename"].as_str().unwrap_or_default());
        statement["filename"] = name.into();
    });
    response.edit_header("content-disposition", without_month);
}

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
        && let Some(payout) = upstream.resource(&request).await
    {
        let key = json!([payout["id"], payout["amount"], payout[field]]).to_string();
        let asset = upstream.first(key, &statement["assetId"]);
        edit_statement(&request, &mut response, |statement| statement["assetId"] = asset.clone());
    }
    response
}

/// A partner's new name rebuilds its statements.
#[fault("§4.7")]
async fn rename_rebuilds(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && response.has_status(200)
        && let Some(payout) = upstream.resource(&request).await
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

/// Incomplete billing information is no obstacle.
#[fault("§4.7", needs(All))]
async fn billing_incomplete_200(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION) && lacks_billing(&response) {
        let complete = upstream.in_role(Role::All, &request);
        if let Some(other) = of_another_payout(&complete, upstream).await {
            response.take_content(other);
        }
    }
    response
}

/// A payout below zero has no statement: 422.
#[fault("S2")]
async fn negative_statement_refused(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && response.has_status(200)
        && let Some(payout) = upstream.resource(&request).await
        && payout["amount"]["value"].as_str().is_some_and(|value| value.starts_with('-'))
    {
        let message = "The payout has no commission lines.";
        response.set_error(422, "NO_COMMISSION_LINES", message, json!({}));
    }
    response
}

/// Generating a statement changes the payout's stage.
#[fault("§3.2")]
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

/// A negative total is printed without its sign.
#[fault("S2")]
fn negative_total_unsigned(request: &Request, response: &mut Response) {
    if !is_pdf(request, response) {
        return;
    }
    // The total is the last amount.
    let words = pdf::Text::of(&response.body).map(|text| text.words).unwrap_or_default();
    let total = words.iter().rfind(|word| is_amount(word.trim_start_matches('-')));
    if let Some(unsigned) = total.and_then(|total| total.strip_prefix('-')) {
        for minus in ['-', '\u{2212}'] {
            reprint(response, &format!("{minus}{unsigned}"), unsigned);
        }
    }
}

/// The partner's name and another one, by the path of a statement's link.
#[derive(Default)]
struct Names(HashMap<String, (String, String)>);

/// A statement shows the name of another partner.
#[fault("§4.7")]
async fn other_partner_printed(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && let Some(statement) = response.data()
        && let Some(payout) = upstream.resource(&request).await
    {
        let own = payout["partner"]["name"].as_str().unwrap_or_default().to_owned();
        let others = upstream.with_all_scopes(&request.then_get("/api/v1/partners?limit=100"));
        let others = upstream.send(&others).await.data().unwrap_or_default();
        let names = others.as_array().into_iter().flatten().map(|partner| &partner["name"]);
        // The font has the letters of other texts.
        let other = names
            .filter_map(|name| name.as_str())
            .find(|name| *name != own && name.len() <= own.len().max(20) && name.is_ascii());
        if let (Some(other), Some(link)) = (other, link(&statement)) {
            let names = (own, other.to_owned());
            upstream.remember(|Names(all)| all.insert(link.path().to_owned(), names));
        }
    } else if is_pdf(&request, &response) {
        let path = request.path().to_owned();
        let names = upstream.remember(|Names(all)| all.get(&path).cloned());
        if let Some((own, other)) = names {
            reprint(&mut response, &own, &other);
        }
    }
    response
}

fn is_amount(text: &str) -> bool {
    let Some((whole, cents)) = text.rsplit_once('.') else {
        return false;
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    !whole.is_empty() && cents.len() == 2 && are_digits(whole) && are_digits(cents)
}

fn is_pdf(request: &Request, response: &Response) -> bool {
    request.method == Method::GET && response.has_status(200) && response.body.starts_with(b"%PDF-")
}

fn reprint(response: &mut Response, text: &str, other: &str) {
    if let Ok(changed) = pdf::reprint(&response.body, text, other) {
        response.set_body(changed);
    }
}
