//! Writes (§4.3, §4.5, X6, X9): operations that change something, beside PostgreSQL running the
//! statements of each in one durable transaction.

mod paths;

use std::{path::Path, time::Duration};

use self::paths::{CREATION, KEYED_CREATION, ORGANIZATIONS, PATHS, WritePath};
use super::{
    comparison::{Id, StatGoal},
    deployment::{Content, Data, Deployment},
    http::{Client, Requests},
    pgbench,
    report::{Bound, Findings},
    rounds::{Bench, Candidate, Load, Subject},
    run::{LoadProfile, Options},
    server_statements::ServerStatements,
    stat::Stat,
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

/// A lone client's rate varies with the disk's, so the goals are of the other numbers.
const GOALS: [StatGoal; 2] = [
    StatGoal::ratio(
        Id::new(SERVER, CREATION),
        Id::new(PGBENCH, CREATION),
        Stat::Rate,
        Bound::AtLeast(0.5),
    ),
    // At most 1.3 times the cost.
    StatGoal::ratio(
        Id::new(SERVER, KEYED_CREATION),
        Id::new(SERVER, CREATION),
        Stat::Rate,
        Bound::AtLeast(1.0 / 1.3),
    ),
];

/// What an operation changes, without its keys, times, and the ids that it makes.
const CHANGED: &str = "
SELECT concat_ws(' ', count(*), min(organization_id), min(action),
                 min(CASE WHEN before IS NOT NULL THEN resource_id END),
                 min(before::text), min(after::text),
                 (SELECT count(*) FROM idempotent_requests),
                 (SELECT string_agg(DISTINCT name, ' ' ORDER BY name) FROM partners),
                 (SELECT sum(amount) FROM payouts),
                 (SELECT count(*) FROM commission_lines WHERE status = 'PENDING'))
  FROM history";

#[derive(Debug)]
pub(crate) struct Writes {
    seconds: u64,
    server_statements: ServerStatements,
}

impl Subject for Writes {
    const NAME: &'static str = "writes";

    fn profile(options: &Options) -> LoadProfile {
        options.profile(LoadProfile { rounds: 3, seconds: 2, connections: vec![1, 8, 64] })
    }

    fn new(root: &Path, _: &Options, profile: &LoadProfile) -> Result<Self> {
        let server_statements = ServerStatements::read(root)?;
        Ok(Self { seconds: profile.seconds, server_statements })
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
            client.send(&(path.request)(&deployment.api, 0), false).await?;
            let expected = deployment.query(CHANGED.to_owned()).await?;
            deployment.execute(&restore).await?;
            deployment.pgbench.run_once(&script(path, &self.server_statements)?)?;
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
        let scripts: Result<Vec<_>> =
            PATHS.iter().map(|path| script(*path, &self.server_statements)).collect();
        let scripts = scripts?;
        let comparisons = bench.compare_all(|deployment, connections, _| {
            let requests = requests(connections, self.seconds);
            let candidates = |(path, script): (WritePath, &String)| {
                let restore = restore(path, requests);
                let loads =
                    [(SERVER, http(path, deployment)), (PGBENCH, Load::Pgbench(script.clone()))];
                loads.map(|(name, load)| {
                    let id = Id::new(name, path.name);
                    Candidate::new(id, connections, load).restored_by(restore.clone())
                })
            };
            PATHS.into_iter().zip(&scripts).flat_map(candidates).collect()
        });
        let comparisons = comparisons.await?;
        let with_pgbench =
            |path: WritePath| (Id::new(SERVER, path.name), Id::new(PGBENCH, path.name));
        let mut pairs: Vec<_> = PATHS.map(with_pgbench).into();
        pairs.push((Id::new(SERVER, KEYED_CREATION), Id::new(SERVER, CREATION)));
        let mut findings = Findings::default();
        findings.compare("Operations in turn with the same transactions", &comparisons, &pairs);
        findings.goals =
            comparisons.iter().flat_map(|comparison| comparison.goals(&GOALS)).collect();
        Ok(findings)
    }
}

fn http(path: WritePath, deployment: &Deployment) -> Load {
    let api = deployment.api.clone();
    // Of numbers without an end: a round uses each once.
    let requests = Requests::made(usize::MAX, move |number| (path.request)(&api, number));
    Load::Http(deployment.load_of(requests))
}

fn script(path: WritePath, server: &ServerStatements) -> Result<String> {
    let variables = VARIABLES.replace("{organizations}", &ORGANIZATIONS.to_string());
    Ok(variables + &path.transaction(server)?)
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

    fn scripts() -> impl Iterator<Item = (WritePath, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let server = ServerStatements::read(root).unwrap();
        PATHS.into_iter().map(move |path| (path, script(path, &server).unwrap()))
    }

    #[test]
    fn scripts_and_data_have_no_placeholder_left() {
        for (path, script) in scripts() {
            assert!(!script.contains("{organizations}"), "{script}");
            let data = restore(path, 7);
            assert!(!data.contains(['{', '}']), "{data}");
        }
    }

    #[test]
    fn pgbench_reads_no_variable_that_is_not_defined() {
        for (path, script) in scripts() {
            let script = script.replace("::", " ");
            let uses = script.split(':').skip(1).map(|rest| {
                rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                    .next()
                    .unwrap()
            });
            let defined = ["client_id", "connections", "done", "number", "organization", "turn"];
            for name in uses {
                let prefix = name.split('_').next().unwrap();
                let is_row = script.contains(&format!("\\gset {prefix}_"));
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
