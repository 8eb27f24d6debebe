//! Faults by hand that need no code of their own: rows of the files `faults.toml`, each beside the
//! cases that notice them. Functions with `#[fault]` are the others.

use std::{collections::BTreeMap, sync::LazyLock};

use hyper::header::HeaderName;
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::{
    cases::lines,
    proxy::{
        fault::{Act, Exchange},
        prelude::*,
    },
};

const FILES: [&str; 9] = [
    include_str!("keys/faults.toml"),
    include_str!("framework/faults.toml"),
    include_str!("lists/faults.toml"),
    include_str!("partners/faults.toml"),
    include_str!("lines/faults.toml"),
    include_str!("statements/faults.toml"),
    include_str!("meters/faults.toml"),
    include_str!("life/faults.toml"),
    include_str!("../invariants/faults.toml"),
];

pub(crate) static TABLE: LazyLock<Vec<Fault>> = LazyLock::new(|| {
    let rows = |text| toml::from_str::<BTreeMap<String, Row>>(text).expect("a table of faults");
    FILES.into_iter().flat_map(rows).map(fault_of).collect()
});

/// A row of a table; without an operation and a response, the fault changes every one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    clause: String,
    says: String,
    on: Option<String>,
    /// Members of the request's body.
    #[serde(default)]
    body: Changes,
    without_parameter: Option<String>,
    /// A status, a status and a code, or `error`.
    when: Option<String>,
    /// The status and code in place of these.
    answers: Option<String>,
    /// Members of each resource in `data`.
    #[serde(default)]
    resource: Changes,
    #[serde(default)]
    error: Changes,
    #[serde(default)]
    details: Changes,
    #[serde(default)]
    headers: Changes,
    /// Moves the `updatedAt` of each resource.
    #[serde(default)]
    moves: bool,
    /// Answers each path as the first time.
    #[serde(default)]
    first_again: bool,
    /// The code of a refusal that is answered as if the request were carried out.
    done_despite: Option<String>,
    /// The member that makes concurrent requests one, which the later ones are sent without.
    twice: Option<String>,
    /// Payouts show their amounts as if the operation had not changed their lines.
    #[serde(default)]
    amount_kept: bool,
}

/// Changes of the members of an object.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Changes {
    set: Map<String, Value>,
    null: Vec<String>,
    drop: Vec<String>,
    drop_null: Vec<String>,
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
        request.edit_fields(|members| self.body.make(members));
        if let Some(parameter) = &self.without_parameter {
            request.retain_parameters(|name, _| name != parameter);
        }
        let mut response = match &self.twice {
            Some(member) => made_twice(request.clone(), upstream, member).await,
            None => upstream.send(&request).await,
        };
        if self.when.as_ref().is_none_or(|when| is_meant(when, &response)) {
            self.edit(&mut response);
        }
        if self.moves {
            let at = format!("2100-01-01T00:00:00.{:03}Z", upstream.count() % 1_000);
            response.edit_resources(|resource| {
                resource.insert("updatedAt".to_owned(), at.clone().into());
            });
        }
        if self.first_again
            && let Some(made) = response.data()
        {
            response.set_data(&upstream.first(request.path(), &made));
        }
        match &self.done_despite {
            Some(code) => as_if_done(&request, response, upstream, code).await,
            None => response,
        }
    }

    fn is_about(&self, request: &Request) -> bool {
        self.on.as_ref().is_none_or(|operation| request.is(operation))
    }

    fn edit(&self, response: &mut Response) {
        response.edit_resources(|resource| self.resource.make(resource));
        response.edit_json(|body| {
            let Some(error) = body.get_mut("error").and_then(Value::as_object_mut) else { return };
            self.error.make(error);
            if let Some(details) = error.get_mut("details").and_then(Value::as_object_mut) {
                self.details.make(details);
            }
        });
        if let Some((status, code)) = self.answers.as_ref().and_then(|text| text.split_once(' ')) {
            response.set_code(status.parse().expect("a status"), code);
        }
        for (name, value) in &self.headers.set {
            let value = HeaderValue::from_str(&value.to_string()).expect("a header's value");
            response.headers.insert(name.parse::<HeaderName>().expect("a header's name"), value);
        }
        for name in &self.headers.drop {
            response.headers.remove(name);
        }
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

impl Changes {
    fn make(&self, members: &mut Map<String, Value>) {
        members.extend(self.set.clone());
        for name in &self.null {
            members.entry(name).and_modify(|value| *value = Value::Null);
        }
        members.retain(|name, value| {
            !(self.drop.contains(name) || value.is_null() && self.drop_null.contains(name))
        });
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

/// Answers a request that was refused with this code as if it were carried out.
pub(super) async fn as_if_done(
    request: &Request,
    mut response: Response,
    upstream: &Upstream,
    code: &str,
) -> Response {
    if response.has_error(422, code) {
        let mut resource = upstream.resource(request).await.unwrap_or_default();
        let body = request.read_json().unwrap_or_default();
        for (name, shown) in resource.as_object_mut().into_iter().flatten() {
            shown.clone_from(body.get(name).unwrap_or(&shown.clone()));
        }
        response.set_data(&resource);
    }
    response
}
