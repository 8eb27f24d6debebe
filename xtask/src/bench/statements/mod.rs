//! Statements (§4.7): the cost of a document, and of first calls, repeated calls and downloads
//! over the API, including the gate.

mod documents;

use std::{ops::Range, path::Path};

use serde_json::Value;

use self::documents::Documents;
use super::{
    comparison::{Comparison, Id, StatGoal},
    deployment::{Content, Deployment},
    report::{Bound, Findings, Goal, Report},
    rounds::{Bench, Candidate, Load},
    run::Options,
    stat::Stat,
};
use crate::{
    Result,
    http::{Client, Request, payout_id, request},
};

/// Organisations of repeated calls, each with a payout of 25 lines.
const ORGANIZATIONS: usize = 64;
const USUAL_LINES: usize = 25;
const LONG_LINES: usize = 2_000;
/// First calls in each round.
const FIRST_CALLS: usize = 100;
/// Connections of downloads and of concurrent first calls.
const MANY: usize = 8;

const GET_ONE: Id = Id::new("getPayout", "1 organisation");
const STATEMENT_ONE: Id = Id::new("generateStatement", "1 organisation");
const GET_ALL: Id = Id::new("getPayout", "64 organisations");
const STATEMENT_ALL: Id = Id::new("generateStatement", "64 organisations");
const FIRST: Id = Id::new("first generateStatement", "25 lines");
const FIRST_LONG: Id = Id::new("first generateStatement", "2,000 lines");
const DOWNLOAD: Id = Id::new("download", "25 lines");

const PAIRS: [(Id, Id); 2] = [(STATEMENT_ONE, GET_ONE), (STATEMENT_ALL, GET_ALL)];
/// A repeated call's rate as a share of getPayout's.
const GOALS: [StatGoal; 2] = [
    StatGoal::ratio(STATEMENT_ONE, GET_ONE, Stat::Rate, Bound::AtLeast(0.9)),
    StatGoal::ratio(STATEMENT_ALL, GET_ALL, Stat::Rate, Bound::AtLeast(0.9)),
];
/// Limits of a statement of 2,000 lines.
const MAX_MILLISECONDS: f64 = 200.0;
const MAX_MEGABYTES: f64 = 100.0;

/// Payouts for first calls, of 25 and of 2,000 lines. The first payouts are for repeated calls.
#[derive(Clone, Debug)]
struct Payouts {
    usual: Range<usize>,
    long: Range<usize>,
}

pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report> {
    let profile = options.profile(5, 2, &[8, 64]);
    let usual = ORGANIZATIONS..ORGANIZATIONS + 2 * profile.rounds * FIRST_CALLS;
    let payouts = Payouts { long: usual.end..usual.end + profile.rounds, usual };
    // Measured before any server runs.
    let documents = documents::measure_all(root)?;
    let content = Content {
        description: "64 organisations".to_owned(),
        organizations: ORGANIZATIONS,
        lines: None,
    };
    let prepare = async |deployment: &Deployment| prepare(deployment, &payouts).await;
    let bench = Bench::start(("statements", root, options), profile, content, prepare).await?;
    // First, so that the memory is that of first calls and downloads.
    let single = measure_single(&bench, &payouts).await?;
    let (memory, _) = bench.memory();
    let repeated = bench.compare_all(|deployment, connections, _| {
        let candidate = |id| repeated(id, deployment, connections);
        [GET_ONE, STATEMENT_ONE, GET_ALL, STATEMENT_ALL].map(candidate).into()
    });
    let repeated = repeated.await?;
    let mut findings = Findings::default();
    let table = documents::table(&documents);
    findings.tables.push(("Documents, typeset on one thread".to_owned(), table));
    findings.compare("Repeated calls compared with getPayout", &repeated, &PAIRS);
    findings.compare("First calls and downloads", &single, &[]);
    findings.tables.push(("Memory".to_owned(), memory));
    findings.goals = goals(&documents, &repeated);
    Ok(bench.report(findings))
}

/// Makes the payouts; returns the path of a download.
async fn prepare(deployment: &Deployment, Payouts { long, .. }: &Payouts) -> Result<String> {
    let mut payouts = include_str!("statements.sql").to_owned();
    for (name, number) in [
        ("{organizations}", ORGANIZATIONS),
        ("{payouts}", long.end),
        ("{usual}", USUAL_LINES),
        ("{long}", LONG_LINES),
        ("{long_from}", long.start),
    ] {
        payouts = payouts.replace(name, &number.to_string());
    }
    deployment.execute(&payouts).await?;
    let mut client = Client::connect(deployment.api.address).await?;
    let request = generate_statement(deployment, 0, 0);
    let path = download_path(client.send(&request, false).await?.unwrap_or_default());
    path.ok_or_else(|| "generateStatement returned no link".into())
}

/// First calls one after the other and concurrently, long ones, and downloads.
async fn measure_single(
    bench: &Bench,
    Payouts { usual, long }: &Payouts,
) -> Result<Vec<Comparison>> {
    let middle = (usual.start + usual.end) / 2;
    let kinds = [
        (FIRST, 1, usual.start..middle, FIRST_CALLS),
        (FIRST, MANY, middle..usual.end, FIRST_CALLS),
        (FIRST_LONG, 1, long.clone(), 1),
    ];
    let mut single = Vec::new();
    for (id, connections, payouts, per_round) in kinds {
        let first_calls = |deployment: &Deployment| {
            let round = |start: usize| {
                let payouts = start..start + per_round;
                deployment.load(payouts.map(|payout| generate_statement(deployment, 0, payout)))
            };
            let load = Load::HttpOnce(payouts.clone().step_by(per_round).map(round).collect());
            vec![Candidate::new(id, connections, load)]
        };
        single.push(bench.compare(connections, first_calls).await?);
    }
    let download = |deployment: &Deployment| {
        let request = request(deployment.api.address, "GET", &deployment.prepared, None);
        vec![Candidate::new(DOWNLOAD, MANY, Load::Http(deployment.load([request])))]
    };
    single.push(bench.compare(MANY, download).await?);
    Ok(single)
}

fn repeated(id: Id, deployment: &Deployment, connections: usize) -> Candidate {
    let count = if [GET_ONE, STATEMENT_ONE].contains(&id) { 1 } else { ORGANIZATIONS };
    let request = |number| match id {
        GET_ONE | GET_ALL => deployment.api.get_payout(number, number),
        _ => generate_statement(deployment, number, number),
    };
    Candidate::new(id, connections, Load::Http(deployment.load((0..count).map(request))))
}

fn generate_statement(deployment: &Deployment, organization: usize, payout: usize) -> Request {
    let path = format!("/api/v1/payouts/{}/statement", payout_id(payout));
    deployment.api.request("POST", &path, organization)
}

/// Path and query of `downloadUrl`.
fn download_path(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let (_, rest) = body["data"]["downloadUrl"].as_str()?.split_once("://")?;
    rest.find('/').map(|path| rest[path..].to_owned())
}

fn goals(documents: &[Documents], repeated: &[Comparison]) -> Vec<Goal> {
    let mut goals: Vec<Goal> =
        repeated.iter().flat_map(|comparison| comparison.goals(&GOALS)).collect();
    if let Some(long) = documents.iter().find(|size| size.lines == LONG_LINES) {
        let milliseconds = long.first_milliseconds.max(long.milliseconds);
        let claim = "2,000 lines: ms, also the first time".to_owned();
        goals.extend(Goal::new(claim, Some(milliseconds), Bound::Below(MAX_MILLISECONDS)));
        let claim = "2,000 lines: peak MB".to_owned();
        goals.extend(Goal::new(claim, long.peak_megabytes, Bound::Below(MAX_MEGABYTES)));
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn download_takes_path_and_query_of_the_link() {
        let body = br#"{"data":{"downloadUrl":"http://127.0.0.1:8080/assets/a?s=b"}}"#;
        assert_eq!(download_path(body).unwrap(), "/assets/a?s=b");
        assert_eq!(download_path(b"{}"), None);
    }
}
