//! Faults of lists (§2.5, §4.4, §8, R6–R8): limits, order, filters, and where the next page begins.

use std::cmp::Reverse;

use crate::proxy::prelude::*;

/// A cursor that no deployment gives.
const EMPTY_PAGE: &str = "ZW1wdHkgcGFnZQ";
/// The parameters of a list that choose no items.
const OF_PAGES: [&str; 2] = ["limit", "cursor"];

/// `limit=05` is read as 5.
#[fault("R6")]
fn limit_with_leading_zero(request: &mut Request) {
    let limit = request.parameter("limit").filter(|_| request.is_list()).unwrap_or_default();
    let digits = limit.trim_start_matches('0');
    if !digits.is_empty() {
        *request = request.with_parameter("limit", digits);
    }
}

/// The last page has no `nextCursor` instead of null.
#[fault("§2.5")]
fn next_cursor_missing(response: &mut Response) {
    response.edit_json(|body| {
        if let Some(Value::Object(pagination)) = body.get_mut("pagination") {
            pagination.retain(|_, value| !value.is_null());
        }
    });
}

/// Within a page, items of one `createdAt` are in ascending order of their ids.
#[fault("R7")]
fn ties_oldest_first(response: &mut Response) {
    response.edit_items(|items| {
        items.sort_by_key(|item| (Reverse(text(item, "createdAt")), text(item, "id")));
    });
}

/// Within a page, what was changed last comes first.
#[fault("R7")]
fn listed_by_updated_at(response: &mut Response) {
    response.edit_items(|items| items.sort_by_key(|item| Reverse(text(item, "updatedAt"))));
}

/// The list leaves out voided lines if no `status` is given.
#[fault("§4.4")]
fn voided_hidden(request: &Request, response: &mut Response) {
    if request.parameter("status").is_none() {
        response.edit_items(|items| items.retain(|item| item["status"] != "VOIDED"));
    }
}

/// The last item of a page, by the cursor of the next one.
#[derive(Default)]
struct LastItems(HashMap<String, Value>);

fn text(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
}

/// A last page that is full has a `nextCursor`, which leads to an empty page.
#[fault("§2.5")]
async fn next_cursor_at_exact_multiple(request: Request, upstream: &Upstream) -> Response {
    let is_empty_page = request.parameter("cursor").as_deref() == Some(EMPTY_PAGE);
    let mut sent = request.clone();
    if is_empty_page {
        sent.retain_parameters(|name, _| name != "cursor");
    }
    let mut response = upstream.send(&sent).await;
    let limit = request.parameter("limit").and_then(|limit| limit.parse().ok());
    response.edit_json(|body| {
        if is_empty_page {
            *body = json!({ "data": [], "pagination": { "nextCursor": null } });
        } else if body["data"].as_array().map(Vec::len) == Some(limit.unwrap_or(25))
            && body["pagination"]["nextCursor"].is_null()
        {
            body["pagination"]["nextCursor"] = EMPTY_PAGE.into();
        }
    });
    response
}

/// Sends the request of a page; the second value is the last item of the page before it.
async fn page(request: &Request, upstream: &Upstream) -> (Response, Option<Value>) {
    let response = upstream.send(request).await;
    let body = response.json.clone().unwrap_or_default();
    let last = body["data"].as_array().and_then(|items| items.last().cloned());
    let before = upstream.remember(|LastItems(known)| {
        if let (Some(cursor), Some(last)) = (body["pagination"]["nextCursor"].as_str(), last) {
            known.insert(cursor.to_owned(), last);
        }
        request.parameter("cursor").and_then(|cursor| known.get(&cursor).cloned())
    });
    (response, before)
}

/// A page begins with the last item of the page before it.
#[fault("R8")]
async fn item_repeated(request: Request, upstream: &Upstream) -> Response {
    let (mut response, before) = page(&request, upstream).await;
    if let Some(before) = before {
        response.edit_items(|items| {
            items.insert(0, before);
            // The page stays as long as it was.
            items.truncate((items.len() - 1).max(1));
        });
    }
    response
}

/// Where a page ends between items of one `createdAt`, the next leaves out the rest.
#[fault("§4.1.cursor")]
async fn ties_lost_between_pages(request: Request, upstream: &Upstream) -> Response {
    let (mut response, before) = page(&request, upstream).await;
    if let Some(before) = before {
        response.edit_items(|items| {
            items.retain(|item| item["createdAt"] != before["createdAt"]);
        });
    }
    response
}

/// Two filters show the lines of which one holds.
#[fault("§4.4")]
async fn filters_joined_by_or(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    let is_filter = |name: &str| !OF_PAGES.contains(&name);
    let parameters = request.parameters();
    let filters: Vec<_> = parameters.iter().filter(|(name, _)| is_filter(name)).collect();
    if filters.len() < 2 || !response.has_status(200) {
        return response;
    }
    let mut joined = Vec::new();
    for (name, value) in filters {
        let mut alone = request.clone();
        alone.retain_parameters(|parameter, _| !is_filter(parameter));
        joined.extend(upstream.walk(&alone.with_parameter(name, value)).await);
    }
    joined.sort_by_key(|item| Reverse((text(item, "createdAt"), text(item, "id"))));
    joined.dedup_by_key(|item| text(item, "id"));
    let limit = request.parameter("limit").and_then(|limit| limit.parse().ok());
    joined.truncate(limit.unwrap_or(25));
    response.edit_items(|items| *items = joined);
    response
}
