//! A batch of payouts (X5) of a million lines: its time, the server's memory, and what other
//! organisations' requests take meanwhile.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    comparison::{Id, StatGoal},
    deployment::{Content, Deployment},
    http::HttpLoad,
    report::{Bound, Findings, Goal, Report},
    rounds::{Bench, Candidate, Load},
    run::Options,
    stat::Stat,
};
use crate::{
    Result,
    http::{Client, Request},
};

/// The first one has the lines.
const ORGANIZATIONS: usize = 1_000;
const PARTNERS: usize = 10_000;
const LINES: usize = 1_000_000;
const PERIOD: [&str; 2] = ["2026-04-01T00:00:00.000Z", "2026-04-30T00:00:00.000Z"];

const DATA: &str = "1,000,000 lines";
const BATCH: Id = Id::new("createPayoutBatch", DATA);
const QUIET: Id = Id::new("getPayout of others, before it", DATA);
const MEANWHILE: Id = Id::new("getPayout of others, meanwhile", DATA);
const GOAL: StatGoal = StatGoal::ratio(MEANWHILE, QUIET, Stat::MedianLatency, Bound::AtMost(2.0));
const MAX_MILLISECONDS: f64 = 60_000.0;
const MAX_MEGABYTES: f64 = 150.0;

pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report> {
    let profile = options.profile(2, 10, &[1]);
    let rounds = profile.rounds;
    let content = Content {
        description: "1,000 organisations, one of them with 1,000,000 pending lines".to_owned(),
        organizations: ORGANIZATIONS,
        lines: None,
    };
    let bench = Bench::start(("batches", root, options), profile, content, prepare).await?;
    let comparisons = bench.compare_all(|deployment, connections, _| {
        let batch = deployment.load([request(deployment)]);
        let others = others(deployment);
        let candidate = |id, load| Candidate::new(id, connections, load);
        vec![
            candidate(QUIET, Load::Http(others.clone())),
            candidate(BATCH, Load::HttpOnce(vec![batch.clone(); rounds])).restored_by(lines()),
            candidate(MEANWHILE, Load::HttpBeside(others, batch)).restored_by(lines()),
        ]
    });
    let comparisons = comparisons.await?;
    let (memory, peak_megabytes) = bench.memory();
    let mut findings = Findings::default();
    findings.compare("A batch and others' requests", &comparisons, &[(MEANWHILE, QUIET)]);
    findings.tables.push(("Memory".to_owned(), memory));
    for comparison in &comparisons {
        let batch = comparison.find(BATCH);
        let milliseconds = batch.and_then(|batch| batch.median(Stat::MedianLatency));
        let goals = [
            Goal::new("batch: ms".to_owned(), milliseconds, Bound::Below(MAX_MILLISECONDS)),
            Goal::new("peak MB".to_owned(), peak_megabytes, Bound::Below(MAX_MEGABYTES)),
        ];
        findings.goals.extend(goals.into_iter().flatten());
        findings.goals.extend(comparison.goals([&GOAL]));
    }
    Ok(bench.report(findings))
}

/// Verifies once that a batch is of all lines.
async fn prepare(deployment: &Deployment) -> Result<String> {
    deployment.execute(&lines()).await?;
    let mut client = Client::connect(deployment.api.address).await?;
    let response = client.send(&request(deployment), false).await?;
    let response: Value = serde_json::from_slice(response.unwrap_or_default())?;
    let counts = [&response["data"]["payoutCount"], &response["data"]["lineCount"]];
    if counts != [PARTNERS, LINES] {
        return Err(format!("the batch is not of all lines: {response}").into());
    }
    Ok(String::new())
}

/// The statements that make the pending lines.
fn lines() -> String {
    let lines = include_str!("batches.sql").replace("{partners}", &PARTNERS.to_string());
    lines.replace("{lines}", &LINES.to_string())
}

/// Requests of the organisations that have no pending lines.
fn others(deployment: &Deployment) -> HttpLoad {
    let api = deployment.api.clone();
    let number = |number: usize| 1 + number % (ORGANIZATIONS - 1);
    deployment.load_of(usize::MAX, move |request| api.get_payout(number(request), number(request)))
}

fn request(deployment: &Deployment) -> Request {
    let [start, end] = PERIOD;
    let body = json!({ "periodStart": start, "periodEnd": end }).to_string();
    deployment.api.request("POST", "/api/v1/payout-batches", 0).with_json(body)
}
