//! A batch of payouts (X5) of a million lines: its time, beside PostgreSQL running its statement
//! alone, the server's memory, and what other organisations' requests take meanwhile.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    comparison::{Comparison, Id, Measured, StatGoal},
    deployment::{Content, Data, Deployment},
    http::{Client, HttpLoad, Requests},
    report::{Bound, Findings, Goal},
    rounds::{Bench, Subject},
    run::{LoadProfile, Options, progress},
    server_statements::ServerStatements,
    stat::{Round, Stat, median},
};
use crate::{
    Result,
    table::{Table, number},
};

/// Of the others, beside the one with the lines.
const ORGANIZATIONS: usize = 1_000;
const PARTNERS: usize = 10_000;
const LINES: usize = 1_000_000;
const PERIOD: [&str; 2] = ["2026-04-01T00:00:00.000Z", "2026-04-30T00:00:00.000Z"];

const DATA: &str = "beside a batch of 1,000,000 lines";
const QUIET: Id = Id::new("getPayout of others, before it", DATA);
const MEANWHILE: Id = Id::new("getPayout of others, meanwhile", DATA);
const GOAL: StatGoal = StatGoal::ratio(MEANWHILE, QUIET, Stat::MedianLatency, Bound::AtMost(2.0));
const SECONDS: f64 = 60.0;
const MEGABYTES: f64 = 150.0;

/// What a batch changes, without its times and ids.
const CHANGED: &str = "
SELECT concat_ws(' ', (SELECT concat_ws(' ', count(*), sum(amount)) FROM payouts),
                 (SELECT count(*) FROM commission_lines WHERE status = 'IN_PAYOUT'),
                 (SELECT string_agg(concat_ws(' ', action, rows), ', ' ORDER BY action)
                    FROM (SELECT action, count(*) AS rows FROM history GROUP BY action) AS done))";

#[derive(Debug)]
pub(crate) struct Batches {
    rounds: usize,
    seconds: u64,
    server_statements: ServerStatements,
}

impl Subject for Batches {
    const NAME: &'static str = "batches";

    fn profile(options: &Options) -> LoadProfile {
        options.profile(LoadProfile { rounds: 2, seconds: 10, connections: vec![1] })
    }

    fn new(root: &Path, _: &Options, profile: &LoadProfile) -> Result<Self> {
        let server_statements = ServerStatements::read(root)?;
        let LoadProfile { rounds, seconds, .. } = *profile;
        Ok(Self { rounds, seconds, server_statements })
    }

    fn content(&self) -> Content {
        Content {
            description: "1,000 organisations, one of them with 1,000,000 pending lines".to_owned(),
            data: Data::Organizations(ORGANIZATIONS),
        }
    }

    async fn prepare(&self, _: &Deployment) -> Result<String> {
        Ok(String::new())
    }

    async fn measure(self, bench: &Bench) -> Result<Findings> {
        let deployment = bench.deployment();
        let mut times: [Vec<f64>; 2] = Default::default();
        let measured =
            |id| Measured { id, connections: 1, is_baseline: false, samples: Vec::new() };
        let (mut quiet, mut meanwhile) = (measured(QUIET), measured(MEANWHILE));
        for round in 1..=self.rounds {
            progress(&format!("round {round} of {}", self.rounds));
            restore(deployment).await?;
            let others = others(deployment);
            let load = others.run(1, Some(Duration::from_secs(self.seconds))).await?;
            quiet.samples.push(load.sample());
            let (time, load) = batch(deployment, &others).await?;
            meanwhile.samples.push(load.sample());
            times[0].push(time);
            let expected = deployment.query(CHANGED.to_owned()).await?;

            restore(deployment).await?;
            let begun = Instant::now();
            deployment.pgbench.run_once(&self.transaction()?)?;
            times[1].push(begun.elapsed().as_secs_f64());
            let changed = deployment.query(CHANGED.to_owned()).await?;
            if changed != expected {
                let problem = "the statement alone does not change what the server does";
                return Err(format!("{problem}:\n{changed}\n{expected}").into());
            }
        }
        let comparison = Comparison { connections: 1, measured: vec![quiet, meanwhile] };
        let memory = deployment.peak_megabytes();
        let [server, alone] = times.map(median);
        let mut findings = Findings::default();
        findings
            .tables
            .push(("Batches of 1,000,000 lines".to_owned(), table(server, alone, memory)));
        let comparisons = [comparison];
        findings.compare("Others", &comparisons, &[(MEANWHILE, QUIET)]);
        findings.goals.extend(Goal::new("seconds".to_owned(), server, Bound::Below(SECONDS)));
        let claim = "server's peak MB".to_owned();
        findings.goals.extend(Goal::new(claim, memory, Bound::Below(MEGABYTES)));
        findings.goals.extend(comparisons[0].goals([&GOAL]));
        Ok(findings)
    }
}

impl Batches {
    /// The server's statement in a transaction, for pgbench.
    fn transaction(&self) -> Result<String> {
        let arguments = [
            "'org_01BE0000000000000000000000'",
            "'pbt_01BE0000000000000000000001'",
            "timestamptz '2026-04-01'",
            "timestamptz '2026-04-30'",
            "'pay_01BF000000'",
            "true",
            "'key_01BE0000000000000000000000'",
            "'req_01BE0000000000000000000000'",
        ];
        let statement = self.server_statements.with("'create_payout_batch'", &arguments)?;
        Ok(format!("BEGIN;\n{statement};\nCOMMIT;\n"))
    }
}

async fn restore(deployment: &Deployment) -> Result<()> {
    let lines = include_str!("batches.sql");
    let lines = lines.replace("{partners}", &PARTNERS.to_string());
    deployment.execute(&lines.replace("{lines}", &LINES.to_string())).await?;
    deployment.settle().await
}

/// Requests of the organisations that have no pending lines.
fn others(deployment: &Deployment) -> HttpLoad {
    let api = deployment.api.clone();
    let number = |number: usize| 1 + number % (ORGANIZATIONS - 1);
    deployment.load_of(Requests::made(usize::MAX, move |request| {
        api.get_payout(number(request), number(request))
    }))
}

/// Creates the batch; returns its seconds, and what others' requests took until then.
async fn batch(deployment: &Deployment, others: &HttpLoad) -> Result<(f64, Round)> {
    let mut client = Client::connect(deployment.api.address).await?;
    let request = deployment.api.request("POST", "/api/v1/payout-batches", 0);
    let [start, end] = PERIOD;
    let body = json!({ "periodStart": start, "periodEnd": end }).to_string();
    let begun = Instant::now();
    let created = tokio::spawn(async move {
        let request = request.with_json(body);
        let response = client.send(&request, false).await;
        let response =
            response.map(|body| body.map(<[u8]>::to_vec)).map_err(|error| error.to_string());
        (response, begun.elapsed().as_secs_f64())
    });
    let mut load = Round::default();
    while !created.is_finished() {
        let round = others.run(1, Some(Duration::from_secs(1))).await?;
        load.elapsed += round.elapsed;
        load.latencies.extend(round.latencies);
    }
    load.latencies.sort_unstable();
    let (response, seconds) = created.await?;
    let response: Value = serde_json::from_slice(&response?.unwrap_or_default())?;
    let counts = [&response["data"]["payoutCount"], &response["data"]["lineCount"]];
    if counts != [PARTNERS, LINES] {
        return Err(format!("the batch is not of all lines: {response}").into());
    }
    Ok((seconds, load))
}

fn table(server: Option<f64>, alone: Option<f64>, memory: Option<f64>) -> Table {
    let row =
        |name: &str, seconds, memory| vec![name.to_owned(), number(seconds, 1), number(memory, 1)];
    let rows = vec![row("server", server, memory), row("its statement alone", alone, None)];
    Table { columns: vec!["candidate", "seconds", "peak MB"], rows }
}
