//! Statements (§4.7): the cost of a document, and of first calls, repeated calls and downloads
//! over the API, including the gate.

mod data;
mod documents;

use std::{path::Path, sync::Arc};

use hyper::Method;
use serde_json::Value;

pub(crate) use self::documents::DocumentsError;
use self::{
    data::{Data, LONG_LINES, ORGANIZATIONS},
    documents::Documents,
};
use super::{
    candidate::{Candidate, Id, Load, Stat},
    comparison::{Comparison, Ratio, table},
    deployment::Deployment,
    http::{Client, HttpLoad, Order, Request, request},
    load_profile::{Defaults, LoadProfile},
    report::{Bound, Goal},
    run::BenchError,
    subject::{Bench, Content, Findings, Subject, Target},
};

/// First calls in each round.
const FIRST_CALLS: usize = 100;
/// Connections of downloads and of concurrent first calls.
const MANY: usize = 8;

const GET_ONE: Id = id("getPayout", "1 organisation");
const STATEMENT_ONE: Id = id("generateStatement", "1 organisation");
const GET_ALL: Id = id("getPayout", "64 organisations");
const STATEMENT_ALL: Id = id("generateStatement", "64 organisations");
const FIRST: Id = id("first generateStatement", "25 lines");
const FIRST_LONG: Id = id("first generateStatement", "2,000 lines");
const DOWNLOAD: Id = id("download", "25 lines");

const OF_GET: Ratio = Ratio {
    head: "of getPayout",
    stat: Stat::Rate,
    pairs: &[(STATEMENT_ONE, GET_ONE), (STATEMENT_ALL, GET_ALL)],
};
/// Goals: a repeated call's rate as a share of getPayout's; the long statement's time and memory.
const MIN_RATIO: f64 = 0.9;
const MAX_LONG_MILLISECONDS: f64 = 200.0;
const MAX_LONG_MEGABYTES: f64 = 100.0;

const READING: [&str; 5] = [
    "Documents: each size in its own process, one thread, no database. Others' documents of 25 \
     lines per CPU second, on other machines: reportlab 612, fpdf2 374, pdfkit 362, typst 13.",
    "Repeated calls: `generateStatement` of a payout whose document exists, and `getPayout` of the \
     same payout, in turn. The last column is the median of the ratios of neighbouring rounds; \
     compare ratios, not rates of different runs. With one organisation every request waits for \
     the same meter's row; with 64 the operations themselves weigh more.",
    "First calls: 100 payouts in a round without a document, each of which is rendered, written to \
     disk and recorded; one payout in a round of 2,000 lines.",
    "CPU: processor time per response, from /proc, in steps of 10 ms per round; `–` where it is not \
     available. The load comes from the bench's own process, on the same cores.",
    "Any response but a 200 ends the bench.",
];

const fn id(name: &'static str, data: &'static str) -> Id {
    Id { name, data }
}

#[derive(Debug)]
pub(crate) struct Statements {
    documents: Vec<Documents>,
    data: Data,
}

impl Subject for Statements {
    const NAME: &'static str = "statements";
    const DEFAULTS: Defaults = Defaults {
        rounds: 5,
        seconds: 2,
        connections: &[8, 64],
    };
    /// The path of a document's download.
    type Prepared = String;

    /// Measures documents before any server runs.
    fn new(root: &Path, profile: &LoadProfile) -> Result<Self, BenchError> {
        let rounds = profile.rounds as usize;
        Ok(Self {
            documents: documents::measure_all(root)?,
            data: Data::new(2 * rounds * FIRST_CALLS, rounds),
        })
    }

    fn content(&self) -> Content {
        Content {
            description: "64 organisations",
            data: self.data.file.clone(),
            lines: None,
        }
    }

    async fn prepare(&self, deployment: &Deployment) -> Result<String, BenchError> {
        let mut client = Client::connect(deployment.address()).await?;
        let request = generate_statement(deployment, 0, &self.data.repeated[0]);
        let path = download_path(&client.send(&request).await?);
        path.ok_or_else(|| BenchError::Mismatch("generateStatement returned no link".to_owned()))
    }

    async fn measure(self, bench: &Bench<Self>) -> Result<Findings, BenchError> {
        // First, so that the memory is that of first calls and downloads.
        let single = self.measure_single(bench).await?;
        let (memory, _) = bench.memory();
        let repeated = bench.compare_all(|target, connections, _| {
            let candidate = |id| self.repeated(id, &target.deployment, connections);
            [GET_ONE, STATEMENT_ONE, GET_ALL, STATEMENT_ALL]
                .map(candidate)
                .into()
        });
        let repeated = repeated.await?;
        Ok(Findings {
            goals: goals(&self.documents, &repeated),
            tables: vec![
                documents::table(&self.documents),
                table(
                    "Repeated calls compared with getPayout",
                    &repeated,
                    &[OF_GET],
                ),
                table("First calls and downloads", &single, &[]),
                memory,
            ],
            reading: READING.to_vec(),
        })
    }
}

impl Statements {
    /// First calls one after the other and concurrently, long ones, and downloads.
    async fn measure_single(&self, bench: &Bench<Self>) -> Result<Vec<Comparison>, BenchError> {
        let (alone, concurrent) = self.data.usual.split_at(self.data.usual.len() / 2);
        let kinds = [
            (FIRST, 1, alone, FIRST_CALLS),
            (FIRST, MANY, concurrent, FIRST_CALLS),
            (FIRST_LONG, 1, self.data.long.as_slice(), 1),
        ];
        let mut single = Vec::new();
        for (id, connections, payouts, per_round) in kinds {
            let loads = |target: &Target<Self>| {
                let deployment = &target.deployment;
                let rounds = payouts.chunks(per_round).map(|payouts| {
                    let payouts = payouts.iter();
                    payouts.map(|payout| generate_statement(deployment, 0, payout))
                });
                let load = |requests| load(deployment, connections, requests);
                rounds.map(|requests| load(requests.collect())).collect()
            };
            single.push(bench.send_all(id, loads).await?);
        }
        let download = |target: &Target<Self>| {
            let address = target.deployment.address();
            let request = request(address, Method::GET, &target.prepared, None);
            let load = Load::Http(load(&target.deployment, MANY, Arc::from([request])));
            vec![Candidate { id: DOWNLOAD, load }]
        };
        single.push(bench.compare(MANY, download).await?);
        Ok(single)
    }

    fn repeated(&self, id: Id, deployment: &Deployment, connections: usize) -> Candidate {
        let count = match id {
            GET_ONE | STATEMENT_ONE => 1,
            _ => ORGANIZATIONS,
        };
        let request = |(organization, payout): (usize, &String)| match id {
            GET_ONE | GET_ALL => get_payout(deployment, organization, payout),
            _ => generate_statement(deployment, organization, payout),
        };
        let payouts = self.data.repeated.iter().take(count).enumerate();
        let load = Load::Http(load(
            deployment,
            connections,
            payouts.map(request).collect(),
        ));
        Candidate { id, load }
    }
}

fn load(deployment: &Deployment, connections: usize, requests: Arc<[Request]>) -> HttpLoad {
    HttpLoad {
        address: deployment.address(),
        connections,
        requests,
        order: Order::Sequential,
        is_overload: false,
    }
}

fn get_payout(deployment: &Deployment, organization: usize, payout: &str) -> Request {
    let path = format!("/api/v1/payouts/{payout}");
    deployment.request(Method::GET, &path, organization)
}

fn generate_statement(deployment: &Deployment, organization: usize, payout: &str) -> Request {
    let path = format!("/api/v1/payouts/{payout}/statement");
    deployment.request(Method::POST, &path, organization)
}

/// Path and query of `downloadUrl`.
fn download_path(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let (_, rest) = body["data"]["downloadUrl"].as_str()?.split_once("://")?;
    rest.find('/').map(|path| rest[path..].to_owned())
}

fn goals(documents: &[Documents], repeated: &[Comparison]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for comparison in repeated {
        for (statement, get) in OF_GET.pairs {
            let claim = format!(
                "the repeated call has at least {MIN_RATIO:.1} of getPayout's rate \
                 (connections: {}, {})",
                comparison.connections, statement.data
            );
            let ratio = comparison.ratio(*statement, *get, OF_GET.stat);
            goals.push(Goal::new(claim, ratio, Bound::AtLeast(MIN_RATIO)));
        }
    }
    if let Some(long) = documents.iter().find(|size| size.lines == LONG_LINES) {
        goals.push(Goal::new(
            format!("2,000 lines take less than {MAX_LONG_MILLISECONDS} ms, also the first time"),
            Some(long.first_milliseconds.max(long.milliseconds)),
            Bound::Below(MAX_LONG_MILLISECONDS),
        ));
        goals.push(Goal::new(
            format!("2,000 lines take less than {MAX_LONG_MEGABYTES} MB"),
            long.peak_megabytes,
            Bound::Below(MAX_LONG_MEGABYTES),
        ));
    }
    goals.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{candidate::Sample, comparison::Measured};

    fn verdicts(ratio: f64, first_milliseconds: f64, peak_megabytes: Option<f64>) -> Vec<bool> {
        let rates = [
            (GET_ONE, 1.0),
            (STATEMENT_ONE, ratio),
            (GET_ALL, 1.0),
            (STATEMENT_ALL, 1.0),
        ];
        let measured = rates.map(|(id, rate)| Measured {
            id,
            connections: 8,
            is_baseline: false,
            samples: vec![Sample::with(&[(Stat::Rate, rate)])],
        });
        let repeated = Comparison {
            connections: 8,
            measured: measured.into(),
        };
        let long = Documents {
            lines: LONG_LINES,
            per_cpu_second: 10.0,
            first_milliseconds,
            milliseconds: 90.0,
            kilobytes: 500.0,
            peak_megabytes,
        };
        let goals = goals(&[long], &[repeated]);
        goals.iter().map(Goal::is_reached).collect()
    }

    #[test]
    fn bounds_are_those_of_the_goals() {
        assert_eq!(verdicts(0.9, 199.0, Some(99.0)), [true; 4]);
        assert_eq!(
            verdicts(0.899, 200.0, Some(100.0)),
            [false, true, false, false]
        );
    }

    #[test]
    fn nothing_is_claimed_of_memory_that_is_not_available() {
        assert_eq!(verdicts(0.9, 199.0, None), [true; 3]);
    }

    #[test]
    fn download_takes_path_and_query_of_the_link() {
        let body = br#"{"data":{"downloadUrl":"http://127.0.0.1:8080/assets/a?s=b"}}"#;
        assert_eq!(download_path(body).unwrap(), "/assets/a?s=b");
        assert_eq!(download_path(b"{}"), None);
    }
}
