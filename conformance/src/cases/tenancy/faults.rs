//! Faults of tenancy (§5.3): another organisation's data is shown or changed.

use crate::{
    cases::lines::faults::{after_detach, line},
    proxy::prelude::*,
};

const OTHER: Role = Role::OtherOrganization;

/// Sends the request in the other organisations; returns the first success, or the last refusal.
async fn elsewhere(request: &Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&upstream.in_role(OTHER, request)).await;
    for role in upstream.keys().other_organizations() {
        if response.status.is_success() {
            break;
        }
        response = upstream.send(&upstream.in_role(role, request)).await;
    }
    response
}

/// A partner is found by its `externalId` in every organisation.
#[fault("§4.2", needs(OtherOrganization))]
async fn partner_by_external_id_unscoped(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if response.has_status(404) && request.is("getPartner") {
        let foreign = elsewhere(&request, upstream).await;
        if foreign.data().is_some_and(|data| data["id"].as_str() != request.id()) {
            response.take_content(foreign);
        }
    }
    response
}

/// A line of another organisation is detached.
#[fault("§5.3", needs(OtherOrganization))]
async fn foreign_detach_works(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    let id =
        request.id().filter(|_| response.has_status(404) && request.is("detachCommissionLine"));
    for role in upstream.keys().other_organizations().filter(|_| id.is_some()) {
        let elsewhere = upstream.in_role(role, &request);
        if let Some(line) = line(&elsewhere, upstream, id.unwrap_or_default()).await {
            response.set_data(&after_detach(line));
            break;
        }
    }
    response
}

/// Returns true if the request was for another organisation's payout, and was refused.
async fn is_of_foreign_payout(
    operation: &str,
    request: &Request,
    response: &Response,
    upstream: &Upstream,
) -> bool {
    let payout = request.then_get(request.path().trim_end_matches("/statement"));
    response.has_status(404)
        && request.is(operation)
        && elsewhere(&payout, upstream).await.has_status(200)
}

/// The statement of a foreign payout is 403, which shows that the payout exists.
#[fault("§4.7", needs(OtherOrganization))]
async fn foreign_statement_403(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if is_of_foreign_payout("generateStatement", &request, &response, upstream).await {
        response.set_code(403, "INSUFFICIENT_SCOPE");
    }
    response
}

/// The 404 of a foreign payout has another message than that of an absent one.
#[fault("§5.3", needs(OtherOrganization))]
async fn foreign_id_told(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if is_of_foreign_payout("getPayout", &request, &response, upstream).await {
        let message = json!("There is no access to this payout.");
        response.edit_json(|body| body["error"]["message"] = message);
    }
    response
}

/// Every page but the first shows rows of all organisations.
#[fault("§5.3", needs(OtherOrganization))]
async fn second_page_unscoped(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if response.has_status(200) && request.is_list() && request.parameter("cursor").is_some() {
        add_foreign_items(&request, &mut response, upstream).await;
    }
    response
}

/// Adds the other organisation's items to a page, in their place by time.
async fn add_foreign_items(request: &Request, response: &mut Response, upstream: &Upstream) {
    let foreign = upstream.walk(&upstream.in_role(OTHER, request)).await;
    let created_at = |item: &Value| item["createdAt"].as_str().unwrap_or_default().to_owned();
    response.edit_items(|items| {
        let length = items.len().max(1) + 1;
        let first = items.first().map(created_at);
        let is_later = |item: &Value| first.as_ref().is_none_or(|first| created_at(item) <= *first);
        items.extend(foreign.into_iter().filter(is_later));
        items.sort_by_key(|item| std::cmp::Reverse(created_at(item)));
        items.truncate(length);
    });
}
