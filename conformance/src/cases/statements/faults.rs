//! Faults of statements (§4.7, S1, S2): another payout's answer, and what the PDF shows.

use hyper::Uri;

use crate::{pdf, proxy::prelude::*};

const OPERATION: &str = "generateStatement";

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

/// The address of a statement's download.
pub(in crate::cases) fn link(statement: &Value) -> Option<Uri> {
    statement["downloadUrl"].as_str()?.parse().ok()
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
