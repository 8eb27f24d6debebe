//! `cargo xtask endurance upgrade`: the rehearsal of an upgrade. A load goes on while this version
//! migrates, both versions run side by side on the new schema, and one server after the other is
//! replaced.

mod older;
mod servers;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use clap::value_parser;
use sqlx::Connection as _;
use tokio::{runtime::Runtime, task::spawn_blocking, time::sleep};

use self::{older::Older, servers::Servers};
use super::{
    Profile, progress,
    rehearsal::{Attempt, Before, GROWING, Journal, Load, connect, evidence, excerpt, fill, judge},
};
use crate::{
    Result,
    deployment::{Installation, Postgres},
    program::{build, output},
    table::{Table, count},
};

/// A client may see no error at all.
const ALLOWED: [u16; 2] = [200, 201];
const DATABASE: &str = "payout";
const MAX_CONNECTIONS: u16 = 300;
/// The load between two steps.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Options {
    /// The revision to upgrade from [default: the newest tag, or else the commit that the file
    /// `from` beside the command's source names]
    #[arg(long, value_name = "REVISION")]
    from: Option<String>,
    /// Operations a second
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..=100_000))]
    rate: u32,
    /// Lines that are there before the migration, which may take longer on more
    #[arg(long, default_value_t = 100_000)]
    #[arg(value_parser = value_parser!(u32).range(0..=100_000_000))]
    lines: u32,
    /// Seed of the operations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The build of both versions
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
}

/// A step, and when it began.
type Step = (&'static str, Duration);

/// Rehearses the upgrade; `false` where a client saw an error, or a row was lost.
pub(super) fn run(root: &Path, options: &Options) -> Result<bool> {
    if let Err(error) = output(Command::new("haproxy").arg("-v")) {
        let help = "On Debian and Ubuntu:\n  apt-get install --no-install-recommends haproxy";
        return Err(format!("the rehearsal needs haproxy: {error}. {help}").into());
    }
    let older = Older::build(root, options.from.as_deref(), options.profile)?;
    progress("building this version (some minutes the first time)");
    let newer = build(root, options.profile.arguments(), "--bin", "payout-server")?;
    let logs = root.join("target/endurance/upgrade/logs");
    if logs.exists() {
        fs::remove_dir_all(&logs)?;
    }
    fs::create_dir_all(&logs)?;
    Runtime::new()?.block_on(async {
        tokio::select! {
            ended = rehearse(&older, &newer, &logs, options) => ended,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                Err("interrupted; all processes were stopped".into())
            }
        }
    })
}

async fn rehearse(older: &Older, newer: &Path, logs: &Path, options: &Options) -> Result<bool> {
    progress(&format!("starting PostgreSQL and two servers of {}", older.name));
    let postgres = Postgres::durable("upgrade", MAX_CONNECTIONS)?;
    let old = Installation {
        server: older.server.clone(),
        devdata: older.devdata.clone(),
        folder: postgres.folder().to_owned(),
        urls: postgres.database(DATABASE).await?,
    };
    let new = Installation { server: newer.to_owned(), ..old.clone() };
    let keys = fill(&old)?;
    let lines = include_str!("lines.sql").replace("{lines}", &options.lines.to_string());
    postgres.execute(DATABASE, lines).await?;
    // Not while the load runs.
    postgres.execute(DATABASE, "CHECKPOINT".to_owned()).await?;
    let mut servers = Servers::start(&old, logs).await?;
    let load =
        Load { addresses: vec![servers.proxy], keys, rate: options.rate, seed: options.seed };
    let mut connection = connect(&postgres.superuser_url(DATABASE)).await?;
    let before = Before::read(&mut connection, 0).await?;
    let versions = (&old, &new);
    let ran = load.run(0, &before.amounts[..GROWING], async |begun| {
        upgrade(&mut servers, versions, begun).await
    });
    let (attempts, _, steps) = ran.await;
    let mut journal = Journal::create(logs)?;
    journal.add("upgrade", &attempts)?;
    let steps = steps?;
    let verdict = judge(&attempts, &evidence(&mut connection, &before).await?, &ALLOWED);
    connection.close().await?;
    drop(servers);
    postgres.stop()?;
    anstream::println!("\nfrom {}\n\n{}", older.name, table(&steps, &attempts).markdown());
    journal.find("upgrade", &verdict.findings)?;
    anstream::print!("{}", excerpt(&verdict.findings));
    anstream::println!(
        "{}",
        match verdict.findings.len() {
            0 => "No client saw an error, and nothing was lost or done twice.".to_owned(),
            findings => format!("{findings} FINDINGS"),
        }
    );
    anstream::println!("Every answer: {}; the logs are beside it.", journal.path().display());
    Ok(verdict.findings.is_empty())
}

/// Goes through `server/OPERATIONS.md`, Upgrade.
async fn upgrade(
    servers: &mut Servers,
    (old, new): (&Installation, &Installation),
    begun: Instant,
) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mut step = |name: &'static str| {
        progress(name);
        steps.push((name, begun.elapsed()));
    };
    step("the old version on its schema");
    sleep(PAUSE).await;
    step("the new version migrates");
    let migrating = new.clone();
    let migrate = move || {
        let mut command = Command::new(&migrating.server);
        output(migrating.prepare(command.arg("migrate")))
    };
    spawn_blocking(migrate).await??;
    step("the old version on the new schema");
    sleep(PAUSE).await;
    step("an old server is restarted");
    servers.replace(0, old, "restarted").await?;
    step("the first server is replaced");
    servers.replace(0, new, "new").await?;
    step("both versions side by side");
    sleep(2 * PAUSE).await;
    step("the second server is replaced");
    servers.replace(1, new, "new").await?;
    step("the new version");
    sleep(PAUSE).await;
    Ok(steps)
}

fn table(steps: &[Step], attempts: &[Attempt]) -> Table {
    let begins: BTreeMap<Duration, usize> =
        steps.iter().enumerate().map(|(index, (_, begun))| (*begun, index)).collect();
    let mut of_step: Vec<Vec<&Attempt>> = vec![Vec::new(); steps.len()];
    for attempt in attempts {
        if let Some((_, index)) = begins.range(..=attempt.sent).next_back() {
            of_step[*index].push(attempt);
        }
    }
    let row = |((name, _), attempts): (&Step, &Vec<&Attempt>)| {
        let errors = attempts.iter().filter(|attempt| !attempt.is_success()).count();
        let slowest = attempts.iter().map(|attempt| attempt.took.as_millis()).max();
        let slowest = count(slowest.unwrap_or_default() as usize);
        vec![(*name).to_owned(), count(attempts.len()), count(errors), slowest]
    };
    Table {
        columns: vec!["step", "requests", "errors", "slowest, ms"],
        rows: steps.iter().zip(&of_step).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::rehearsal::Kind, *};

    #[test]
    fn requests_are_counted_in_the_step_in_which_they_were_sent() {
        let attempt = |sent, status| Attempt {
            operation: sent,
            kind: Kind::Read,
            organization: 0,
            server: 0,
            sent: Duration::from_secs(sent),
            took: Duration::from_millis(sent),
            status,
            is_replayed: false,
            text: String::new(),
            amount: 0,
            at_least: 0,
        };
        let steps = [("old", Duration::from_secs(0)), ("new", Duration::from_secs(5))];
        let attempts = [attempt(1, 200), attempt(4, 503), attempt(5, 201)];
        let rows = table(&steps, &attempts).rows;
        assert_eq!(rows, [["old", "2", "1", "4"], ["new", "1", "0", "5"]]);
    }
}
