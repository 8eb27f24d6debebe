//! Faults of a list's query parameters (§4.4, R8–R10): filters, cursors with other filters, what is
//! unknown or repeated.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use serde_json::Value;

use crate::{
    fault::{Fault, fault},
    message::{Request, Response},
    upstream::Upstream,
};

/// The parameters of a list that choose no items.
const OF_PAGES: [&str; 2] = ["limit", "cursor"];

pub(super) const FAULTS: &[Fault] = &[
    fault("filters-joined-by-or", "§4.4", "Two filters show the lines of which one holds.")
        .exchange(&|request, upstream| Box::pin(filters_joined_by_or(request, upstream))),
    fault("payout-filter-ignored", "§4.4", "The filter `payoutId` is ignored.").rewrite(
        &|request| {
            request.retain_parameters(|name, _| name != "payoutId");
        },
    ),
    fault("voided-hidden", "§4.4", "Without `status` the list leaves out voided lines.").edit(
        &|request, response| {
            if request.parameter("status").is_none() {
                response.edit_items(|items| items.retain(|item| item["status"] != "VOIDED"));
            }
        },
    ),
];

#[derive(Default)]
struct Cursors(HashMap<String, Request>);

async fn filters_joined_by_or(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    let is_filter = |name: &str| !OF_PAGES.contains(&name);
    let parameters = request.parameters();
    let filters: Vec<_> = parameters.iter().filter(|(name, _)| is_filter(name)).collect();
    if filters.len() < 2 || !response.is(200) {
        return response;
    }
    let mut joined = Vec::new();
    for (name, value) in filters {
        let mut alone = request.clone();
        alone.retain_parameters(|parameter, _| !is_filter(parameter));
        joined.extend(upstream.walk(&alone.with_parameter(name, value)).await);
    }
    let text = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    joined.sort_by_key(|item| Reverse((text(item, "createdAt"), text(item, "id"))));
    joined.dedup_by_key(|item| text(item, "id"));
    let limit = request.parameter("limit").and_then(|limit| limit.parse().ok());
    joined.truncate(limit.unwrap_or(25));
    response.edit_items(|items| *items = joined);
    response
}

/// Sends the request again without the parameters that a 422 found fault with.
async fn without_invalid(
    request: &Request,
    upstream: &Upstream,
    is_ignored: impl Fn(&Value) -> bool,
) -> Response {
    let response = upstream.send(request).await;
    let issues = response.issues();
    let ignored: Vec<&str> = issues
        .iter()
        .filter(|issue| issue["in"] == "query" && is_ignored(issue))
        .filter_map(|issue| issue["path"].as_str()?.strip_prefix('/'))
        .collect();
    if ignored.is_empty() {
        return response;
    }
    let mut again = request.clone();
    again.retain_parameters(|name, _| !ignored.contains(&name));
    upstream.send(&again).await
}

/// Sends the request; where its cursor is refused, the second value is the request that the cursor
/// came from.
async fn refused_cursor(request: &Request, upstream: &Upstream) -> (Response, Option<Request>) {
    let response = upstream.send(request).await;
    if let Some(body) = response.json()
        && let Some(cursor) = body["pagination"]["nextCursor"].as_str()
    {
        upstream.remember(|Cursors(known)| known.insert(cursor.to_owned(), request.clone()));
    }
    let cursor = request.parameter("cursor").filter(|_| response.is_error(400, "INVALID_CURSOR"));
    let origin =
        cursor.and_then(|cursor| upstream.remember(|Cursors(known)| known.get(&cursor).cloned()));
    (response, origin)
}

async fn first_page(request: &Request, upstream: &Upstream) -> Response {
    let mut first = request.clone();
    first.retain_parameters(|name, _| name != "cursor");
    upstream.send(&first).await
}
