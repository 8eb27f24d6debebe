//! Writes (§4.3, §4.5): operations that change something, beside PostgreSQL running the statements
//! of each in one durable transaction.

mod paths;

use std::{path::Path, time::Duration};

use self::paths::{ORGANIZATIONS, PATHS, WritePath};
use super::{
    comparison::Id,
    deployment::{Content, Data, Deployment},
    http::{Client, Requests},
    pgbench,
    report::Findings,
    rounds::{Bench, Candidate, Load, Subject},
    run::{LoadProfile, Options},
};
use crate::Result;

const SERVER: &str = "server";
const PGBENCH: &str = "pgbench, one durable transaction";

/// More requests than a machine handles in a second: on one connection, and on all.
const MAX_RATE: usize = 20_000;
const MAX_RATE_OF_CONNECTION: usize = 5_000;

/// The variables of a transaction. `done` and `connections` are defined when pgbench starts, and
/// each connection keeps its own.
const VARIABLES: &str = "\\set number :client_id + :connections * :done
\\set done :done + 1
\\set organization :number % {organizations}
\\set turn :number / {organizations} % 2
";

/// What an operation changes, without its keys, times and ids.
const CHANGED: &str = "
SELECT concat_ws(' ', count(*), min(organization_id), min(action), min(resource_id),
                 min(before::text), min(after::text),
                 (SELECT string_agg(DISTINCT name, ' ' ORDER BY name) FROM partners),
                 (SELECT sum(amount) FROM payouts),
                 (SELECT count(*) FROM commission_lines WHERE status = 'PENDING'))
  FROM history";

#[derive(Debug)]
pub(crate) struct Writes {
    seconds: u64,
}

impl Subject for Writes {
    const NAME: &'static str = "writes";

    fn profile(options: &Options) -> LoadProfile {
        options.profile(LoadProfile { rounds: 3, seconds: 2, connections: vec![1, 8, 64] })
    }

    fn new(_: &Path, _: &Options, profile: &LoadProfile) -> Result<Self> {
        Ok(Self { seconds: profile.seconds })
    }

    fn content(&self) -> Content {
        Content {
            description: "1,000 organisations".to_owned(),
            data: Data::Organizations(ORGANIZATIONS),
        }
    }

    /// Verifies that each transaction changes what the server does.
    async fn prepare(&self, deployment: &Deployment) -> Result<String> {
        let mut client = Client::connect(deployment.api.address).await?;
        for path in PATHS {
            let restore = restore(path, 1);
            deployment.execute(&restore).await?;
            client.send((path.request)(&deployment.api, 0), false).await?;
            let expected = deployment.query(CHANGED.to_owned()).await?;
            deployment.execute(&restore).await?;
            deployment.pgbench.run_once(&script(path))?;
            let changed = deployment.query(CHANGED.to_owned()).await?;
            if changed != expected {
                let name = path.name;
                let message = format!(
                    "the transaction of {name} for pgbench does not change what the server \
                     does:\n{changed}\n{expected}"
                );
                return Err(message.into());
            }
        }
        Ok(String::new())
    }

    async fn measure(self, bench: &Bench) -> Result<Findings> {
        let comparisons = bench.compare_all(|deployment, connections, _| {
            let requests = requests(connections, self.seconds);
            let candidates = |path| {
                let restore = restore(path, requests);
                let loads =
                    [(SERVER, http(path, deployment)), (PGBENCH, Load::Pgbench(script(path)))];
                loads.map(|(name, load)| {
                    let id = Id::new(name, path.name);
                    Candidate::new(id, connections, load).restored_by(restore.clone())
                })
            };
            PATHS.into_iter().flat_map(candidates).collect()
        });
        let comparisons = comparisons.await?;
        let pairs = PATHS.map(|path| (Id::new(SERVER, path.name), Id::new(PGBENCH, path.name)));
        let mut findings = Findings::default();
        findings.compare("Operations in turn with the same transactions", &comparisons, &pairs);
        Ok(findings)
    }
}

fn http(path: WritePath, deployment: &Deployment) -> Load {
    let api = deployment.api.clone();
    // Of numbers without an end: a round uses each once.
    let requests = Requests::made(usize::MAX, move |number| (path.request)(&api, number));
    Load::Http(deployment.load_of(requests))
}

fn script(path: WritePath) -> String {
    VARIABLES.replace("{organizations}", &ORGANIZATIONS.to_string()) + path.transaction
}

/// The statements that make the data of a round with at most so many requests.
fn restore(path: WritePath, requests: usize) -> String {
    let restore = path.restore.replace("{organizations}", &ORGANIZATIONS.to_string());
    format!("TRUNCATE history;\n{}", restore.replace("{requests}", &requests.to_string()))
}

/// At most so many requests has a round, or a run of pgbench with its warm-up.
fn requests(connections: usize, seconds: u64) -> usize {
    let run = pgbench::run_time(connections, Duration::from_secs(seconds));
    run.as_secs() as usize * MAX_RATE.min(MAX_RATE_OF_CONNECTION * connections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_data_have_no_placeholder_left() {
        for path in PATHS {
            for text in [script(path), restore(path, 7)] {
                assert!(!text.contains(['{', '}']), "{text}");
            }
        }
    }

    #[test]
    fn pgbench_reads_no_variable_that_is_not_defined() {
        for path in PATHS {
            let script = script(path).replace("::text", "");
            let uses = script.split(':').skip(1).map(|rest| {
                rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                    .next()
                    .unwrap()
            });
            let defined = ["client_id", "connections", "done", "number", "organization", "turn"];
            for name in uses {
                let is_row = script.contains("\\gset before_") && name.starts_with("before_");
                assert!(is_row || defined.contains(&name), "{name:?} in {}", path.name);
            }
        }
    }

    #[test]
    fn data_of_a_round_grows_with_time_and_connections() {
        assert_eq!(requests(1, 2), 25_000);
        assert_eq!(requests(64, 2), 120_000);
    }
}
