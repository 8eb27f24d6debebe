//! Faults of pages (§2.5, §8, R6–R8): limits, order, and where the next page begins.

use std::{cmp::Reverse, collections::HashMap};

use serde_json::{Value, json};

use crate::{
    fault::{Fault, fault},
    message::{Request, Response},
    upstream::Upstream,
};

/// A cursor that no deployment gives.
const EMPTY_PAGE: &str = "ZW1wdHkgcGFnZQ";
const MAX_LIMIT: u64 = 100;

pub(super) const FAULTS: &[Fault] = &[
    fault("limit-with-leading-zero", "R6", "`limit=05` is read as 5.").rewrite(&|request| {
    edit_limit(request, |limit| {
        let digits = limit.trim_start_matches('0');
        (!digits.is_empty()).then(|| digits.to_owned())
    });
}),
    fault("next-cursor-missing", "§2.5", "The last page has no `nextCursor` instead of null.").edit(&|_, response| {
    response.edit_json(|body| {
        if let Some(Value::Object(pagination)) = body.get_mut("pagination") {
            pagination.retain(|_, value| !value.is_null());
        }
    });
}),
    fault("next-cursor-at-exact-multiple", "§2.5", "A last page that is full has a `nextCursor`, which leads to an empty page.").exchange(&|request, upstream| Box::pin(next_cursor_at_exact_multiple(request, upstream))),
    fault("item-repeated", "R8", "A page begins with the last item of the page before it.").exchange(&|request, upstream| Box::pin(item_repeated(request, upstream))),
    fault("ties-lost-between-pages", "§4.1.cursor", "Where a page ends between items of one `createdAt`, the next one leaves out the rest of them.").exchange(&|request, upstream| Box::pin(ties_lost(request, upstream))),
    fault("ties-oldest-first", "R7", "Within a page, items of one `createdAt` are in ascending order of their ids.").edit(&|_, response| {
    response.edit_items(|items| {
        items.sort_by_key(|item| (Reverse(text(item, "createdAt")), text(item, "id")));
    });
}),
    fault("listed-by-updated-at", "R7", "Within a page, what was changed last comes first.").edit(&|_, response| {
    response.edit_items(|items| {
        items.sort_by_key(|item| Reverse(text(item, "updatedAt")));
    });
}),
];

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
