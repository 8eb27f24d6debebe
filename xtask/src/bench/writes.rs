//! Writes (§4.3, §4.5, X6, X9): operations that change something, beside the durable statement of
//! getPayout in PostgreSQL alone.

use std::path::Path;

use serde_json::json;

use super::{
    comparison::{Id, StatGoal},
    deployment::{Content, Deployment},
    gate::{self, CONTRACT, ORGANIZATIONS},
    report::{Bound, Findings, Report},
    rounds::{Bench, Candidate, Load},
    run::Options,
    stat::Stat,
};
use crate::{
    Result,
    http::{Api, Request},
};

const SERVER: &str = "server";
const CREATION: Id = Id::new(SERVER, "createCommissionLine");
const KEYED_CREATION: Id = Id::new(SERVER, "createCommissionLine, idempotency-key");

/// An idempotency key costs at most 1.3 times as much.
const GOAL: StatGoal =
    StatGoal::ratio(KEYED_CREATION, CREATION, Stat::Rate, Bound::AtLeast(1.0 / 1.3));

/// More requests than a machine handles in a second: on one connection, and on all.
const MAX_RATE: usize = 20_000;
const MAX_RATE_OF_CONNECTION: usize = 5_000;

/// An operation that changes something. The requests of a round are numbered from 0 on. They take
/// the organisations in turn, so that no two of them wait for the same row.
#[derive(Clone, Copy, Debug)]
struct Operation {
    id: Id,
    request: fn(&Api, usize) -> Request,
    /// Makes the data that a round with at most `{requests}` changes, as superuser.
    restore: &'static str,
}

const OPERATIONS: [Operation; 4] = [
    Operation {
        id: Id::new(SERVER, "updatePartner"),
        request: update_partner,
        restore: "UPDATE partners SET name = 'Nordlys Consulting'",
    },
    Operation {
        id: Id::new(SERVER, "detachCommissionLine"),
        request: detach_commission_line,
        restore: include_str!("writes.sql"),
    },
    Operation {
        id: CREATION,
        request: create_commission_line,
        restore: "TRUNCATE comments, commission_lines, idempotent_requests CASCADE",
    },
    Operation {
        id: KEYED_CREATION,
        request: create_commission_line_once,
        restore: "TRUNCATE comments, commission_lines, idempotent_requests CASCADE",
    },
];

pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report> {
    let profile = options.profile(3, 2, &[1, 8, 64]);
    let seconds = profile.seconds;
    let content = Content {
        description: "1,000 organisations".to_owned(),
        organizations: ORGANIZATIONS,
        lines: None,
    };
    let bench = Bench::start(("writes", root, options), profile, content, gate::prepare).await?;
    let comparisons = bench.compare_all(|deployment, connections, _| {
        let requests = requests(connections, seconds);
        let operations = OPERATIONS.map(|operation| {
            let load = load(operation, deployment);
            Candidate::new(operation.id, connections, load)
                .restored_by(restore(operation, requests))
        });
        [gate::contract(connections)].into_iter().chain(operations).collect()
    });
    let comparisons = comparisons.await?;
    let mut pairs: Vec<_> = OPERATIONS.map(|operation| (operation.id, CONTRACT)).into();
    pairs.push((KEYED_CREATION, CREATION));
    let mut findings = Findings::default();
    findings.compare("Operations in turn with a durable statement", &comparisons, &pairs);
    findings.goals = comparisons.iter().flat_map(|comparison| comparison.goals([&GOAL])).collect();
    Ok(bench.report(findings))
}

fn load(operation: Operation, deployment: &Deployment) -> Load {
    let api = deployment.api.clone();
    // A round uses each number once.
    Load::Http(deployment.load_of(usize::MAX, move |number| (operation.request)(&api, number)))
}

/// The statements that make the data of a round with at most so many requests.
fn restore(operation: Operation, requests: usize) -> String {
    let restore = operation.restore.replace("{organizations}", &ORGANIZATIONS.to_string());
    format!("TRUNCATE history;\n{}", restore.replace("{requests}", &requests.to_string()))
}

/// The most requests that a round can have.
fn requests(connections: usize, seconds: u64) -> usize {
    seconds as usize * MAX_RATE.min(MAX_RATE_OF_CONNECTION * connections)
}

/// A partner has two names in turn: a name that it has already changes nothing.
fn update_partner(api: &Api, number: usize) -> Request {
    let path = "/api/v1/partners/ptn_01BE0000000000000000000000";
    let request = api.request("PATCH", path, number % ORGANIZATIONS);
    let name = format!("Nordlys Consulting {}", number / ORGANIZATIONS % 2);
    request.with_json(json!({ "name": name }).to_string())
}

/// Each line is attached once.
fn detach_commission_line(api: &Api, number: usize) -> Request {
    let path = format!("/api/v1/commission-lines/cln_01BE{number:022}/detach");
    api.request("POST", &path, number % ORGANIZATIONS)
}

fn create_commission_line(api: &Api, number: usize) -> Request {
    let request = api.request("POST", "/api/v1/commission-lines", number % ORGANIZATIONS);
    let line = json!({
        "partnerId": "ptn_01BE0000000000000000000000", "amount": "1234.50", "currency": "EUR",
        "description": "Annual plan", "periodEnd": "2026-04-30T00:00:00.000Z",
    });
    request.with_json(line.to_string())
}

fn create_commission_line_once(api: &Api, number: usize) -> Request {
    create_commission_line(api, number).with_header("idempotency-key", &number.to_string())
}
