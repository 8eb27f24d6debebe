//! Faults of lists (§4.4) that read other lists.

use std::cmp::Reverse;

use crate::proxy::prelude::*;

/// The parameters of a list that choose no items.
const OF_PAGES: [&str; 2] = ["limit", "cursor"];

fn text(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
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
