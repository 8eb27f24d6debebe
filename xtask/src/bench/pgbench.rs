//! pgbench, which comes with PostgreSQL: what statements cost with no server of ours between.
//!
//! It refuses to count the first second: there pgbench connects, and PostgreSQL prepares statements and fills its caches,
//! which the server has behind it when its turn begins.

use std::{
    collections::VecDeque,
    fs, io,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use super::{
    figure::Figure,
    meter::{CpuTimes, Meter},
};

/// What libpq and psql read from the environment; ours alone must count.
const SETTINGS: &str = "PG";
/// UTC and durable as the server's own connections. With generic plans from the first call on, no time goes into plans.
const OPTIONS: &str = "-csearch_path=payout -cTimeZone=UTC -csynchronous_commit=on -cplan_cache_mode=force_generic_plan";
/// Two threads keep more connections busy than one, where there are two.
const THREADS: usize = 2;
const LOG: &str = "pgbench_log";
const MESSAGE_LINES: usize = 10;

/// What pgbench is run with.
#[derive(Clone, Debug)]
pub(crate) struct Pgbench {
    /// The program, of the same installation as the server it talks to.
    pub(crate) program: PathBuf,
    /// Where script and log are written.
    pub(crate) folder: PathBuf,
    /// Of the superuser, whom row-level security costs nothing.
    pub(crate) url: String,
}

/// A script, run over and over on some connections.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) connections: usize,
    /// A statement, with pgbench's own commands.
    pub(crate) text: Arc<str>,
}

/// What one run measured, its first second left out.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Transactions a second.
    pub(crate) rate: Figure,
    /// Of each transaction; sorted.
    pub(crate) latencies: Vec<Duration>,
    /// Processor time, and the transactions it was taken for; `None` where the system does not tell.
    pub(crate) cpu: Option<(CpuTimes, u64)>,
}

/// Why pgbench measured nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PgbenchError {
    /// It cannot be started.
    #[error(
        "{0} cannot be run: {1}. pgbench comes with PostgreSQL; some systems have it in a package of its own \
         (Fedora: postgresql-contrib, Alpine: postgresql-contrib)"
    )]
    Start(PathBuf, io::Error),
    /// A file of it cannot be used.
    #[error("pgbench's files cannot be used: {0}")]
    Files(io::Error),
    /// It failed.
    #[error("pgbench failed; it said:\n{0}")]
    Failed(String),
    /// It told no rate, or none that is understood.
    #[error("pgbench told no rate behind its first second; it said:\n{0}")]
    Silent(String),
}

impl Pgbench {
    /// Runs a script for this time and a second before it, which does not count; whole seconds. It blocks.
    ///
    /// # Errors
    /// pgbench is missing or fails.
    pub(crate) fn run(
        &self,
        script: &Script,
        time: Duration,
        meter: Meter,
    ) -> Result<Run, PgbenchError> {
        let file = self.folder.join("script.sql");
        fs::write(&file, &*script.text).map_err(PgbenchError::Files)?;
        let child = self.command(script, &file, time).spawn();
        let child = child.map_err(|error| PgbenchError::Start(self.program.clone(), error))?;
        let watched = watch(child, meter);
        // Whatever became of the run, its log must not be taken for the next one's.
        let log = self.take_log().map_err(PgbenchError::Files)?;
        let (moments, told, said) = watched?;
        let rate = moments.first().zip(Total::parse(&told));
        let rate = rate.and_then(|(first, total)| rate_behind(first.progress, total));
        Ok(Run {
            rate: rate.ok_or(PgbenchError::Silent(said))?,
            latencies: latencies(&log),
            cpu: cpu(&moments),
        })
    }

    fn command(&self, script: &Script, file: &Path, time: Duration) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(SETTINGS.as_bytes()) {
                command.env_remove(name);
            }
        }
        let connections = script.connections.to_string();
        let threads = script.connections.min(THREADS).to_string();
        let seconds = (time.as_secs() + 1).to_string();
        command
            .args([
                "--no-vacuum",
                "--protocol=prepared",
                "--progress=1",
                "--random-seed=1",
                "--log",
            ])
            .args([
                "--client",
                &connections,
                "--jobs",
                &threads,
                "--time",
                &seconds,
            ])
            .arg("--log-prefix")
            .arg(self.folder.join(LOG))
            .arg("--file")
            .arg(file)
            .arg(&self.url)
            .env("PGOPTIONS", OPTIONS)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The log of each thread, read and removed.
    fn take_log(&self) -> io::Result<String> {
        let mut log = String::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(LOG.as_bytes())
            {
                log.push_str(&fs::read_to_string(entry.path())?);
                fs::remove_file(entry.path())?;
            }
        }
        Ok(log)
    }
}

/// One line of progress, and the processor time when it was read.
#[derive(Clone, Copy, Debug)]
struct Moment {
    progress: Progress,
    cpu: Option<CpuTimes>,
}

/// What pgbench tells every second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress {
    /// Tenths of a second since it was started; connecting is a part of it.
    at: u64,
    /// Tenths of a transaction a second, since the line before.
    rate: u64,
}

/// What pgbench tells at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Total {
    transactions: u64,
    /// Microseconds that connecting took.
    connecting: u64,
    /// Millionths of a transaction a second, connecting left out.
    rate: u64,
}

/// Waits for pgbench's end; returns its progress, what it told at its end, and the last of its messages.
fn watch(mut child: Child, meter: Meter) -> Result<(Vec<Moment>, String, String), PgbenchError> {
    let messages = child.stderr.take().expect("it is piped");
    let mut moments = Vec::new();
    let mut said = VecDeque::new();
    for line in BufReader::new(messages).lines() {
        let line = line.map_err(PgbenchError::Files)?;
        if let Some(progress) = Progress::parse(&line) {
            let cpu = meter.now();
            moments.push(Moment { progress, cpu });
        }
        said.push_back(line);
        if said.len() > MESSAGE_LINES {
            said.pop_front();
        }
    }
    // What it tells at its end fits into the pipe.
    let output = child.wait_with_output().map_err(PgbenchError::Files)?;
    let said = Vec::from(said).join("\n");
    if output.status.success() {
        let total = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok((moments, total, said))
    } else {
        Err(PgbenchError::Failed(said))
    }
}

impl Progress {
    /// `progress: 2.0 s, 927.3 tps, lat 1.077 ms stddev 0.421, 0 failed`.
    fn parse(line: &str) -> Option<Self> {
        let (at, rest) = line.strip_prefix("progress: ")?.split_once(" s, ")?;
        let (rate, _) = rest.split_once(" tps")?;
        Some(Self {
            at: scaled(at, 1)?,
            rate: scaled(rate, 1)?,
        })
    }
}

impl Total {
    fn parse(text: &str) -> Option<Self> {
        let after = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let (connecting, _) = after("initial connection time = ")?.split_once(" ms")?;
        let (rate, _) = after("tps = ")?.split_once(" (without initial")?;
        let transactions = after("number of transactions actually processed: ")?;
        Some(Self {
            transactions: transactions.parse().ok()?,
            connecting: scaled(connecting, 3)?,
            rate: scaled(rate, 6)?,
        })
    }
}

/// `12.3` with one digit after the point as 123.
fn scaled(text: &str, digits: usize) -> Option<u64> {
    let (whole, rest) = text.split_once('.')?;
    if rest.len() != digits {
        return None;
    }
    format!("{whole}{rest}").parse().ok()
}

/// The rate behind the first line of progress. The last second's line may be missing, so its end is told by the total.
fn rate_behind(first: Progress, total: Total) -> Option<Figure> {
    let all = u128::from(total.transactions);
    // Tenths of a second times tenths of a transaction.
    let before = u128::from(first.at * first.rate / 100);
    let running = (all * 1_000_000_000_000).checked_div(total.rate.into())?;
    let elapsed = running + u128::from(total.connecting);
    let elapsed = elapsed.checked_sub(u128::from(first.at) * 100_000)?;
    let counted = all.saturating_sub(before) * 1_000_000;
    (elapsed > 0).then(|| Figure::quotient(counted, elapsed))
}

/// Processor time between the first line of progress and the last, and the transactions it was taken for. What connecting
/// and taking leave cost is left out with it. `None` of one line, or where the system does not tell.
fn cpu(moments: &[Moment]) -> Option<(CpuTimes, u64)> {
    let (first, last) = (moments.first()?, moments.last()?);
    let each = moments.windows(2).map(|pair| {
        let [before, after] = [pair[0].progress, pair[1].progress];
        after.rate * after.at.saturating_sub(before.at)
    });
    let transactions = each.sum::<u64>() / 100;
    let times = last.cpu?.since(first.cpu?);
    (transactions > 0).then_some((times, transactions))
}

/// From a log of `client number microseconds script seconds microseconds`: the latencies of what ended a second after the
/// first or later; where nothing did, of all.
fn latencies(log: &str) -> Vec<Duration> {
    let ended: Vec<(u64, u64)> = log.lines().filter_map(parse_transaction).collect();
    let begun = ended.iter().map(|(at, _)| *at).min().unwrap_or_default();
    let late = |(at, _): &&(u64, u64)| *at >= begun + 1_000_000;
    let mut counted: Vec<_> = ended.iter().filter(late).collect();
    if counted.is_empty() {
        counted = ended.iter().collect();
    }
    let latency = |(_, took): &(u64, u64)| Duration::from_micros(*took);
    let mut latencies: Vec<_> = counted.into_iter().map(latency).collect();
    latencies.sort_unstable();
    latencies
}

/// When it ended, in microseconds of the epoch, and how long it took, in microseconds.
fn parse_transaction(line: &str) -> Option<(u64, u64)> {
    let mut fields = line.split_ascii_whitespace();
    let took = fields.nth(2)?.parse().ok()?;
    let seconds: u64 = fields.nth(1)?.parse().ok()?;
    let microseconds: u64 = fields.next()?.parse().ok()?;
    Some((seconds * 1_000_000 + microseconds, took))
}

/// Runs a script on a thread of its own, so that whoever waits can be interrupted.
///
/// # Errors
/// As [`Pgbench::run`].
pub(crate) async fn run(
    pgbench: Pgbench,
    script: Script,
    time: Duration,
    meter: Meter,
) -> Result<Run, PgbenchError> {
    let run = tokio::task::spawn_blocking(move || pgbench.run(&script, time, meter));
    run.await.expect("reading pgbench does not panic")
}

#[cfg(test)]
mod tests;
