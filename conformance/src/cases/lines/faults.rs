//! Faults of detaching a commission line (§3.1, §4.5, V4).

use std::time::{Duration, Instant};

use crate::proxy::prelude::*;

const DETACH: &str = "detachCommissionLine";
const LINES: &str = "/api/v1/commission-lines";
/// The largest time between the responses to two concurrent detaches.
const BESIDE_EACH_OTHER: Duration = Duration::from_millis(50);

/// Lines that were detached: when, and the answer.
#[derive(Default)]
struct Detached(HashMap<String, (Instant, Value)>);

fn detached(request: &Request) -> Option<String> {
    let id = request.id().filter(|_| request.is(DETACH))?;
    Some(id.to_owned())
}

/// A line as the list shows it.
pub(in crate::cases) async fn line(
    request: &Request,
    upstream: &Upstream,
    id: &str,
) -> Option<Value> {
    let list = upstream.with_all_scopes(&request.then_get(LINES));
    upstream.walk(&list).await.into_iter().find(|line| line["id"] == id)
}

/// The line that a detach is for, as the list shows it before.
async fn line_before(request: &Request, upstream: &Upstream) -> Option<Value> {
    line(request, upstream, &detached(request)?).await
}

/// A line as the answer of its detach.
pub(in crate::cases) fn after_detach(mut line: Value) -> Value {
    line["status"] = json!("PENDING");
    line["payoutId"] = Value::Null;
    line["idempotencyKey"] = Value::Null;
    line["updatedAt"] = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).into();
    line
}

/// Detaching a line that is in no payout is answered 200.
#[fault("§4.5")]
async fn detach_of_unattached_200(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if let Some(id) = detached(&request)
        && response.has_error(422, "LINE_NOT_IN_PAYOUT")
        && let Some(line) = line(&request, upstream, &id).await
    {
        response.set_data(&after_detach(line));
    }
    response
}

/// A detach is answered right, and the line stays `IN_PAYOUT`.
#[fault("§3.1")]
async fn detach_not_stored(request: Request, upstream: &Upstream) -> Response {
    let line = line_before(&request, upstream).await;
    let attached = line.filter(|line| line["status"] == "IN_PAYOUT");
    let Some(attached) = attached else {
        return upstream.send(&request).await;
    };
    // A 404 has the status, the headers and the cost of a request that was carried out, and changes
    // nothing.
    let mut response = upstream.send(&request.for_no_id()).await;
    if response.has_status(404) {
        response.set_data(&after_detach(attached));
    }
    response
}

/// Two concurrent detaches of a line are both answered 200.
#[fault("§4.5.422")]
async fn concurrent_detaches_succeed(request: Request, upstream: &Upstream) -> Response {
    let begun = Instant::now();
    let mut response = upstream.send(&request).await;
    let Some(id) = detached(&request) else {
        return response;
    };
    if let Some(line) = response.data() {
        upstream.remember(|Detached(lines)| lines.insert(id, (Instant::now(), line)));
    } else if response.has_status(422) {
        // The detach that won may be answered a moment later.
        tokio::time::sleep(BESIDE_EACH_OTHER).await;
        let first = upstream.remember(|Detached(lines)| lines.get(&id).cloned());
        if let Some((_, line)) = first.filter(|(answered, _)| begun < *answered) {
            response.set_data(&line);
        }
    }
    response
}

/// The answer of a detach still names the payout.
#[fault("§4.5")]
async fn payout_id_kept(request: Request, upstream: &Upstream) -> Response {
    let before = line_before(&request, upstream).await;
    let mut response = upstream.send(&request).await;
    if let Some(before) = before {
        response.edit_resources(|line| line["payoutId"] = before["payoutId"].clone());
    }
    response
}
