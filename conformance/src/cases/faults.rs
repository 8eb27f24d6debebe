//! Faults by hand that are rows of the files `faults.toml`, each beside the cases that notice them:
//! filters in the language of jq that change requests or responses. Functions with `#[fault]` are
//! the others.

use std::{collections::BTreeMap, sync::LazyLock};

use rust_decimal::Decimal;
use serde::Deserialize;

use crate::{
    cases::lines,
    proxy::{
        fault::{Act, Exchange},
        filter::Filter,
        prelude::*,
    },
};

const FILES: [&str; 11] = [
    include_str!("keys/faults.toml"),
    include_str!("framework/faults.toml"),
    include_str!("lists/faults.toml"),
    include_str!("partners/faults.toml"),
    include_str!("lines/faults.toml"),
    include_str!("statements/faults.toml"),
    include_str!("links/faults.toml"),
    include_str!("meters/faults.toml"),
    include_str!("life/faults.toml"),
    include_str!("../invariants/faults.toml"),
    include_str!("../proxy/variations.toml"),
];

pub(crate) static TABLE: LazyLock<Vec<Fault>> =
    LazyLock::new(|| FILES.into_iter().flat_map(rows).map(fault_of).collect());

fn rows(text: &str) -> BTreeMap<String, Row> {
    toml::from_str(text).expect("a table of faults")
}

/// A row of a table; without an operation and a response, the fault changes every one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    clause: String,
    says: String,
    on: Option<String>,
    /// A status, a status and a code, or `error`.
    when: Option<String>,
    /// When the resource is read that the path of a request names, if the request is no read.
    reads: Option<Reads>,
    request: Option<Filter>,
    response: Option<Filter>,
    /// JSON is written with indents.
    #[serde(default)]
    indented: bool,
    /// The member that makes concurrent requests one, which the later ones are sent without.
    twice: Option<String>,
    /// Payouts show their amounts as if the operation had not changed their lines.
    #[serde(default)]
    amount_kept: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reads {
    Before,
    After,
}

/// The sums that payouts gained by their lines, by their ids.
#[derive(Default)]
struct Gained(HashMap<String, Decimal>);

fn fault_of((id, row): (String, Row)) -> Fault {
    // Faults live as long as the program.
    let row: &'static Row = Box::leak(Box::new(row));
    let exchange: Box<Exchange> =
        Box::new(move |request, upstream| Box::pin(row.respond(request, upstream)));
    Fault {
        id: id.leak(),
        clause: &row.clause,
        sentence: &row.says,
        roles: &[],
        act: Act::Exchange(Box::leak(exchange)),
        case: None,
    }
}

impl Row {
    async fn respond(&self, mut request: Request, upstream: &Upstream) -> Response {
        if self.amount_kept {
            return self.amount_kept(request, upstream).await;
        }
        if !self.is_about(&request) {
            return upstream.send(&request).await;
        }
        let before = self.read(Reads::Before, &request, upstream).await;
        if let Some(filter) = &self.request {
            filter.change_request(&mut request, before.as_ref());
        }
        let mut response = match &self.twice {
            Some(member) => made_twice(request.clone(), upstream, member).await,
            None => upstream.send(&request).await,
        };
        let is_meant = self.when.as_ref().is_none_or(|when| is_meant(when, &response));
        let Some(filter) = self.response.as_ref().filter(|_| is_meant) else { return response };
        let resource = [before, self.read(Reads::After, &request, upstream).await];
        let again = filter.change_response(&request, resource, &mut response, upstream);
        if let Some(again) = again {
            return upstream.send(&again).await;
        }
        if let Some(json) = response.json.as_ref().filter(|_| self.indented) {
            response.set_body(format!("{json:#}"));
        }
        response
    }

    fn is_about(&self, request: &Request) -> bool {
        self.on.as_ref().is_none_or(|operation| request.is(operation))
    }

    async fn read(&self, when: Reads, request: &Request, upstream: &Upstream) -> Option<Value> {
        let is_read = self.reads == Some(when) && request.method != Method::GET;
        if is_read { upstream.resource(request).await } else { None }
    }

    async fn amount_kept(&self, request: Request, upstream: &Upstream) -> Response {
        let amount = |value: &Value| -> Decimal {
            value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
        };
        let before = match request.id().filter(|_| self.is_about(&request)) {
            Some(id) => lines::faults::line(&request, upstream, id).await.unwrap_or_default(),
            None => Value::Null,
        };
        let mut response = upstream.send(&request).await;
        upstream.remember(|Gained(payouts)| {
            if let Some(after) = response.data().filter(|_| self.is_about(&request)) {
                for (line, sign) in [(&before, -Decimal::ONE), (&after, Decimal::ONE)] {
                    let payout = line["payoutId"].as_str().unwrap_or_default().to_owned();
                    *payouts.entry(payout).or_default() += sign * amount(&line["amount"]);
                }
            }
            let gained = request.id().filter(|_| request.is("getPayout"));
            if let Some(gained) = gained.and_then(|id| payouts.get(id)) {
                response.edit_json(|body| {
                    if let Some(value) = body.pointer_mut("/data/amount/value") {
                        *value = (amount(value) - gained).to_string().into();
                    }
                });
            }
        });
        response
    }
}

fn is_meant(when: &str, response: &Response) -> bool {
    match when.split_once(' ') {
        Some((status, code)) => {
            response.status.as_str() == status && response.text("/error/code") == code
        }
        None if when == "error" => !response.is_success(),
        None => response.status.as_str() == when,
    }
}

/// Leaves out what makes requests one, where another one of it is running.
async fn made_twice(request: Request, upstream: &Upstream, member: &str) -> Response {
    let name = request.read_json().unwrap_or_default()[member].as_str().map(str::to_owned);
    let change = |request: &mut Request| {
        request.edit_fields(|body| body.retain(|name, _| name != member));
    };
    upstream.send_concurrently(name, request, change).await
}

#[test]
fn every_filter_is_in_the_language() {
    for row in FILES.into_iter().flat_map(rows).map(|(_, row)| row) {
        [row.request, row.response].iter().flatten().for_each(Filter::compile);
    }
}

/// A filter that fails leaves the response as it is: of a fault that shows as MISSED, but a
/// variation without an effect would pass.
#[test]
fn each_variation_changes_a_response_and_fails_on_none() {
    let response = |operation: &str, status: u16, body: Value| {
        json!({
            "request": { "operation": operation, "method": "PATCH", "organization": "main" },
            "status": status,
            "headers": { "content-type": "application/json", "content-length": "9" },
            "body": body,
            "memory": {},
        })
    };
    let responses = [
        response("updatePartner", 200, json!({ "data": { "experienceTemplateId": null } })),
        response("getPayout", 200, json!({ "data": { "stage": "PAID", "metadata": null } })),
        response("listPartners", 200, json!({ "data": [{ "owner": {} }], "pagination": {} })),
        response("getPartner", 404, json!({ "error": { "message": "?", "details": {} } })),
        response("none", 502, Value::Null),
    ];
    let variations = FILES.into_iter().flat_map(rows).filter(|(id, _)| id.starts_with("allowed-"));
    for (id, row) in variations {
        let filter = row.response.expect("variations change responses");
        let changed = responses.each_ref().map(|response| filter.apply(response).expect(&id));
        assert!(row.indented || changed != responses, "{id} changes nothing");
    }
}
