//! Responses as snapshots: `snapshots/<operation>/<status>_<case>.snap`, reviewed with `cargo insta
//! review`. Masked headers were checked by [`TestRequest::send`](super::TestRequest::send).

use insta::{Settings, assert_json_snapshot};
use serde_json::{Map, Value, json};

use super::exchange::TestResponse;

/// Headers that a snapshot shows, in this order.
const SHOWN: [&str; 8] = [
    "allow",
    "content-type",
    "retry-after",
    "x-ratelimit-limit-minute",
    "x-ratelimit-remaining-minute",
    "x-request-id",
    "x-service-credits-limit-month",
    "x-service-credits-remaining-month",
];

/// Compares status, headers and body with the snapshot of this operation and case.
pub fn snapshot(operation: &str, case: &str, response: &TestResponse) {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(format!("../snapshots/{operation}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let headers: Map<String, Value> = SHOWN
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), shown(response, name)?)))
        .collect();
    let seen = json!({
        "status": response.status.as_u16(),
        "headers": headers,
        "body": response.body,
    });
    let name = format!("{}_{case}", response.status.as_u16());
    settings.bind(|| assert_json_snapshot!(name, seen));
}

/// The credits of a 402 are shown: they are always `0`.
fn shown(response: &TestResponse, name: &str) -> Option<Value> {
    let value = response.header(name)?;
    let masked = match name {
        "x-request-id" => "[request id]",
        "x-ratelimit-limit-minute" => "[limit]",
        "x-ratelimit-remaining-minute" => "[remaining]",
        "x-service-credits-limit-month" => "[limit]",
        "x-service-credits-remaining-month" if response.status != 402 => "[remaining]",
        _ => value,
    };
    Some(masked.into())
}
