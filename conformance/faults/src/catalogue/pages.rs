//! Faults of pages (§2.5, §8, R6–R8): limits, order, and where the next page begins.

use std::{cmp::Reverse, collections::HashMap};

use serde_json::{Value, json};

use crate::{
    fault::faults,
    message::{Request, Response},
    upstream::Upstream,
};

/// A cursor that no deployment gives.
const EMPTY_PAGE: &str = "ZW1wdHkgcGFnZQ";
const MAX_LIMIT: u64 = 100;

faults! {
    "limit-101-accepted" "§4.4.limit" exchange(limit_101_accepted)
        "`limit=101` is accepted, and gives 101 items.";
    "limit-zero-is-all" "§8" exchange(limit_zero_is_all)
        "`limit=0` gives the whole list.";
    "default-limit-20" "§4.4" rewrite(default_limit_20)
        "Without `limit` a page holds 20 items.";
    "limit-100-refused" "§4.4.limit" rewrite(limit_100_refused)
        "`limit=100` is refused.";
    "limit-capped" "§4.4.limit" rewrite(limit_capped)
        "A limit above 100 is read as 100.";
    "limit-with-leading-zero" "R6" rewrite(limit_with_leading_zero)
        "`limit=05` is read as 5.";
    "next-cursor-missing" "§2.5" edit(next_cursor_missing)
        "The last page has no `nextCursor` instead of null.";
    "next-cursor-at-exact-multiple" "§2.5" exchange(next_cursor_at_exact_multiple)
        "A last page that is full has a `nextCursor`, which leads to an empty page.";
    "item-repeated" "R8" exchange(item_repeated)
        "A page begins with the last item of the page before it.";
    "ties-lost-between-pages" "§4.1.cursor" exchange(ties_lost)
        "Where a page ends between items of one `createdAt`, the next one leaves out the rest of \
         them.";
    "oldest-first" "R7" edit(oldest_first)
        "Each page is in ascending order.";
    "ties-oldest-first" "R7" edit(ties_oldest_first)
        "Within a page, items of one `createdAt` are in ascending order of their ids.";
    "listed-by-updated-at" "R7" edit(listed_by_updated_at)
        "Within a page, what was changed last comes first.";
}

fn default_limit_20(request: &mut Request) {
    if request.is_list() && request.parameter("limit").is_none() {
        *request = request.with_parameter("limit", "20");
    }
}

fn limit_100_refused(request: &mut Request) {
    edit_limit(request, |limit| (limit == "100").then(|| "101".to_owned()));
}

fn limit_capped(request: &mut Request) {
    edit_limit(request, |limit| {
        let limit: u64 = limit.parse().ok()?;
        (limit > MAX_LIMIT).then(|| MAX_LIMIT.to_string())
    });
}

fn limit_with_leading_zero(request: &mut Request) {
    edit_limit(request, |limit| {
        let digits = limit.trim_start_matches('0');
        (!digits.is_empty()).then(|| digits.to_owned())
    });
}

fn next_cursor_missing(_: &Request, response: &mut Response) {
    response.edit_json(|body| {
        if let Some(Value::Object(pagination)) = body.get_mut("pagination") {
            pagination.retain(|_, value| !value.is_null());
        }
    });
}

fn oldest_first(_: &Request, response: &mut Response) {
    response.edit_items(|items| items.reverse());
}

fn ties_oldest_first(_: &Request, response: &mut Response) {
    response.edit_items(|items| {
        items.sort_by_key(|item| (Reverse(text(item, "createdAt")), text(item, "id")));
    });
}

fn listed_by_updated_at(_: &Request, response: &mut Response) {
    response.edit_items(|items| {
        items.sort_by_key(|item| Reverse(text(item, "updatedAt")));
    });
}

/// The last item of a page, by the cursor of the next one.
#[derive(Default)]
struct LastItems(HashMap<String, Value>);

fn text(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
}

fn edit_limit(request: &mut Request, edit: impl Fn(&str) -> Option<String>) {
    let limit = request.parameter("limit").filter(|_| request.is_list());
    if let Some(limit) = limit.and_then(|limit| edit(&limit)) {
        *request = request.with_parameter("limit", &limit);
    }
}

async fn limit_101_accepted(request: Request, upstream: &Upstream) -> Response {
    if !request.is_list() || request.parameter("limit").as_deref() != Some("101") {
        return upstream.send(&request).await;
    }
    let mut response = upstream.send(&request.with_parameter("limit", "100")).await;
    let body = response.json().unwrap_or_default();
    if let Some(cursor) = body["pagination"]["nextCursor"].as_str() {
        let next = request.with_parameter("limit", "1").with_parameter("cursor", cursor);
        let next = upstream.send(&next).await.json().unwrap_or_default();
        response.edit_json(|body| {
            body["pagination"] = next["pagination"].clone();
            if let (Some(items), Some(more)) =
                (body["data"].as_array_mut(), next["data"].as_array())
            {
                items.extend(more.iter().cloned());
            }
        });
    }
    response
}

async fn limit_zero_is_all(request: Request, upstream: &Upstream) -> Response {
    if !request.is_list() || request.parameter("limit").as_deref() != Some("0") {
        return upstream.send(&request).await;
    }
    let mut response = upstream.send(&request.with_parameter("limit", "1")).await;
    let items = upstream.walk(&request).await;
    response.edit_json(|body| {
        *body = json!({ "data": items, "pagination": { "nextCursor": null } });
    });
    response
}

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
    let body = response.json().unwrap_or_default();
    let last = body["data"].as_array().and_then(|items| items.last().cloned());
    let before = upstream.remember(|LastItems(known)| {
        if let (Some(cursor), Some(last)) = (body["pagination"]["nextCursor"].as_str(), last) {
            known.insert(cursor.to_owned(), last);
        }
        request.parameter("cursor").and_then(|cursor| known.get(&cursor).cloned())
    });
    (response, before)
}

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

async fn ties_lost(request: Request, upstream: &Upstream) -> Response {
    let (mut response, before) = page(&request, upstream).await;
    if let Some(before) = before {
        response.edit_items(|items| {
            items.retain(|item| item["createdAt"] != before["createdAt"]);
        });
    }
    response
}
