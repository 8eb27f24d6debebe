//! Faults of download links (§2.4, §4.7, S9): which links work, and what they lead to.

use crate::{cases::statements::faults::link, proxy::prelude::*};

/// One asset has other bytes at each download.
#[fault("§4.7")]
fn other_bytes(response: &mut Response, upstream: &Upstream) {
    if is_pdf(response) {
        append(response, &format!("\n% download {}\n", upstream.count()));
    }
}

/// A link works after its `expiresAt`.
#[fault("§2.4")]
async fn link_outlives_expiry(request: Request, upstream: &Upstream) -> Response {
    outlived(request, upstream, TimeDelta::days(1)).await
}

/// A link works for a second after its `expiresAt`.
#[fault("§2.4")]
async fn link_outlives_by_second(request: Request, upstream: &Upstream) -> Response {
    outlived(request, upstream, TimeDelta::seconds(1)).await
}

/// The origin of each link, by its path and query.
#[derive(Default)]
struct Links(HashMap<String, Given>);

#[derive(Clone)]
struct Given {
    statement: Request,
    is_uploaded: bool,
    expires_at: Option<DateTime<Utc>>,
}

/// The path and query of a statement's link.
fn target(statement: &Value) -> Option<String> {
    Some(link(statement)?.path_and_query()?.to_string())
}

/// Sends a request and remembers the link that its answer gives.
async fn noted(request: &Request, upstream: &Upstream) -> Response {
    let response = upstream.send(request).await;
    if let Some(statement) = response.data()
        && let Some(link) = target(&statement)
    {
        let expires_at = statement["expiresAt"].as_str();
        let given = Given {
            statement: request.clone(),
            is_uploaded: statement["isUploaded"] == true,
            expires_at: expires_at.and_then(|time| time.parse().ok()),
        };
        upstream.remember(|Links(links)| links.insert(link, given));
    }
    response
}

/// The origin of a request's link.
fn given(request: &Request, upstream: &Upstream) -> Option<Given> {
    upstream.remember(|Links(links)| links.get(&request.target).cloned())
}

/// A link that was given, for which something holds.
fn known(upstream: &Upstream, holds: impl Fn(&str) -> bool) -> Option<String> {
    upstream.remember(|Links(links)| links.keys().find(|link| holds(link)).cloned())
}

fn is_pdf(response: &Response) -> bool {
    let kind = response.headers.get(CONTENT_TYPE);
    response.has_status(200)
        && kind.is_some_and(|kind| kind == "application/pdf")
        && !response.body.is_empty()
}

fn append(response: &mut Response, text: &str) {
    let body = [&response.body, text.as_bytes()].concat();
    response.set_body(body);
}

/// An uploaded PDF is downloaded with a line added.
#[fault("§4.7")]
async fn upload_altered(request: Request, upstream: &Upstream) -> Response {
    let mut response = noted(&request, upstream).await;
    let is_uploaded = given(&request, upstream).is_some_and(|given| given.is_uploaded);
    if is_uploaded && is_pdf(&response) {
        append(&mut response, "\n% passed on\n");
    }
    response
}

/// Downloads again by a new link, where a refused one was given and ended no longer than `longest`
/// ago.
async fn outlived(request: Request, upstream: &Upstream, longest: TimeDelta) -> Response {
    let response = noted(&request, upstream).await;
    let Some(given) = given(&request, upstream).filter(|_| response.has_status(403)) else {
        return response;
    };
    let ended = given.expires_at.map(|expires_at| Utc::now() - expires_at);
    if ended.is_none_or(|ended| ended > longest) {
        return response;
    }
    let statement = upstream.send(&given.statement).await.data().unwrap_or_default();
    match target(&statement) {
        Some(target) => upstream.send(&Request { target, ..request }).await,
        None => response,
    }
}

/// A link answers only a request with an API key.
#[fault("S9")]
async fn link_needs_key(request: Request, upstream: &Upstream) -> Response {
    let response = noted(&request, upstream).await;
    if given(&request, upstream).is_none() || request.key != Key::None {
        return response;
    }
    let mut refused =
        Response { status: StatusCode::UNAUTHORIZED, headers: HeaderMap::new(), ..response };
    refused.set_error(401, "UNAUTHORIZED", "Send an API key with the link.", Value::Null);
    refused
}

/// A link's signature is not compared.
#[fault("S9")]
async fn altered_link_accepted(request: Request, upstream: &Upstream) -> Response {
    let response = noted(&request, upstream).await;
    if !response.has_status(403) {
        return response;
    }
    match known(upstream, |link| link.split('?').next() == Some(request.path())) {
        Some(target) => upstream.send(&Request { target, ..request }).await,
        None => response,
    }
}

/// Parameters behind those of a link are not covered by its signature.
#[fault("S9")]
async fn more_parameters_ignored(mut request: Request, upstream: &Upstream) -> Response {
    let genuine = known(upstream, |link| request.target.starts_with(&format!("{link}&")));
    request.target = genuine.unwrap_or(request.target);
    noted(&request, upstream).await
}

/// The range `bytes=2-` of a download lacks the last byte.
#[fault("S9")]
fn open_range_cut(request: &Request, response: &mut Response) {
    let range = request.headers.get(RANGE).and_then(|range| range.to_str().ok());
    if !range.is_some_and(|range| range.ends_with('-')) || !response.has_status(206) {
        return;
    }
    let body = response.body.slice(..response.body.len().saturating_sub(1));
    response.set_body(body);
    response.edit_header("content-range", |range| {
        let parts = range.split_once('/').and_then(|(part, whole)| {
            let (first, last) = part.rsplit_once('-')?;
            Some((first, last.parse::<u64>().ok()?.checked_sub(1)?, whole))
        });
        parts.map_or_else(
            || range.to_owned(),
            |(first, last, whole)| format!("{first}-{last}/{whole}"),
        )
    });
}
