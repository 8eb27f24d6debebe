//! pgbench, which comes with PostgreSQL: what statements cost with no server of ours between.
//!
//! It refuses to count the beginning: there pgbench connects, and each process of PostgreSQL prepares statements and fills
//! its caches, which those of the server have behind them when its turn begins.

mod output;

use std::{
    collections::VecDeque,
    fs, io,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use self::output::{Moment, Progress, Total, cpu, latencies, rate_behind};
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
/// For each so many connections the beginning is a second longer.
const WARMED_A_SECOND: usize = 64;
/// Seconds at the end whose processor time does not count.
const TAKING_LEAVE: usize = 1;
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

impl Script {
    /// Seconds of a run that do not count.
    fn warm_up(&self) -> usize {
        1 + self.connections / WARMED_A_SECOND
    }
}

/// What one run measured, its beginning left out.
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
    #[error("pgbench told no rate behind its beginning; it said:\n{0}")]
    Silent(String),
}

impl Pgbench {
    /// Runs a script until it is warm, which does not count, and for this time; whole seconds. It blocks.
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
        let total = Total::parse(&told);
        let rate = total.and_then(|total| rate_behind(&moments, script.warm_up(), total));
        Ok(Run {
            rate: rate.ok_or(PgbenchError::Silent(said))?,
            latencies: latencies(&log, script.warm_up()),
            cpu: cpu(&moments, script.warm_up(), whole_seconds(time)),
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
        let seconds = script.warm_up() + whole_seconds(time) + TAKING_LEAVE;
        let seconds = seconds.to_string();
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

fn whole_seconds(time: Duration) -> usize {
    usize::try_from(time.as_secs()).expect("a round is short")
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
