//! pgbench, which comes with PostgreSQL: the cost of statements without a server in between.
//!
//! A run has a warm-up, in which pgbench connects and PostgreSQL's processes prepare statements
//! and fill their caches. Only transactions that end between warm-up and exit count.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    cpu::{CpuTimes, Meter},
    stat::Round,
};
use crate::{Result, environment::remove_variables};

/// UTC and durable as the server's own connections; generic plans spare planning time.
const OPTIONS: &str = "-csearch_path=payout -cTimeZone=UTC -csynchronous_commit=on \
                       -cplan_cache_mode=force_generic_plan";
/// Two threads keep more connections busy than one.
const THREADS: usize = 2;
/// The warm-up takes one second, and one more for each of these.
const CONNECTIONS_PER_WARM_UP_SECOND: usize = 64;
/// Keeps pgbench running until the measurement is over.
const MARGIN: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub(crate) struct Pgbench {
    /// Belongs to the installation of the PostgreSQL server.
    pub(crate) program: PathBuf,
    /// Names the superuser, who bypasses row-level security.
    pub(crate) url: String,
}

impl Pgbench {
    /// Runs a script, which every connection repeats, for its warm-up and then `time`; whole
    /// seconds.
    pub(crate) async fn run(
        &self,
        script: &str,
        connections: usize,
        time: Duration,
        meter: Meter,
    ) -> Result<Round> {
        let folder = tempfile::tempdir()?;
        let mut command = self.command(script, connections, time, folder.path())?;
        let child = command.spawn().map_err(|error| {
            format!(
                "{} cannot be run: {error}. It comes with PostgreSQL; some systems package it \
                 separately (Fedora: postgresql-contrib, Alpine: postgresql-contrib)",
                self.program.display()
            )
        })?;

        tokio::time::sleep(warm_up(connections)).await;
        let (before, begun) = (meter.now(), SystemTime::now());
        tokio::time::sleep(time).await;
        let (after, ended) = (meter.now(), SystemTime::now());

        let output = tokio::task::spawn_blocking(|| child.wait_with_output()).await??;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            return Err(format!("pgbench failed:\n{}", message.trim_end()).into());
        }
        let latencies = latencies(&read_log(folder.path())?, begun, ended);
        if latencies.is_empty() {
            let message = "pgbench completed no transaction after its warm-up. Where one takes \
                           longer than a round, give longer rounds with --seconds";
            return Err(message.into());
        }
        let elapsed = ended.duration_since(begun).unwrap_or(time);
        Ok(Round { elapsed, latencies, rejected: 0, cpu: CpuTimes::between(before, after) })
    }

    /// pgbench with this script; it writes its log into the folder.
    fn command(
        &self,
        script: &str,
        connections: usize,
        time: Duration,
        folder: &Path,
    ) -> Result<Command> {
        fs::write(folder.join("script.sql"), script)?;
        let mut command = Command::new(&self.program);
        // libpq reads variables that begin with PG.
        remove_variables(&mut command, &["PG"]);
        command
            .args(["--no-vacuum", "--protocol=prepared", "--random-seed=1", "--log"])
            .arg(format!("--client={connections}"))
            .arg(format!("--jobs={}", connections.min(THREADS)))
            .arg(format!("--time={}", (warm_up(connections) + time + MARGIN).as_secs()))
            .args(["--log-prefix=pgbench_log", "--file=script.sql"])
            .arg(&self.url)
            .env("PGOPTIONS", OPTIONS)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Ok(command)
    }
}

fn warm_up(connections: usize) -> Duration {
    Duration::from_secs(1 + (connections / CONNECTIONS_PER_WARM_UP_SECOND) as u64)
}

/// The logs of pgbench's threads; they are the only files but the script, which has no such line.
fn read_log(folder: &Path) -> io::Result<String> {
    fs::read_dir(folder)?.map(|entry| fs::read_to_string(entry?.path())).collect()
}

/// The sorted latencies of the transactions that ended in this span.
fn latencies(log: &str, begun: SystemTime, ended: SystemTime) -> Vec<Duration> {
    let transactions = log.lines().filter_map(parse_transaction);
    let counted = transactions.filter(|(at, _)| (begun..ended).contains(at));
    let mut latencies: Vec<Duration> = counted.map(|(_, latency)| latency).collect();
    latencies.sort_unstable();
    latencies
}

/// End and latency in a line of `client number latency script seconds microseconds`, of which
/// `latency` is in microseconds and the last two are the epoch time of the end.
fn parse_transaction(line: &str) -> Option<(SystemTime, Duration)> {
    let mut fields = line.split_ascii_whitespace();
    let latency = fields.nth(2)?.parse().ok()?;
    let seconds: u64 = fields.nth(1)?.parse().ok()?;
    let microseconds: u64 = fields.next()?.parse().ok()?;
    let at = Duration::from_secs(seconds) + Duration::from_micros(microseconds);
    Some((UNIX_EPOCH + at, Duration::from_micros(latency)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_count_that_end_within_the_measurement() {
        let log = "0 1 402 0 100 900000\n1 1 164 0 101 899999\n0 2 90 0 101 900000\n\
                   1 2 30 0 102 900000 77\n0 3 55 0 103 0\ncut 1\n";
        let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(seconds);
        let counted = |begun, ended| -> Vec<u128> {
            let latencies = latencies(log, at(begun), at(ended));
            latencies.iter().map(Duration::as_micros).collect()
        };
        assert_eq!(counted(101, 103), [30, 90, 164]);
        assert_eq!(counted(100, 101), [402]);
        assert_eq!(counted(104, 105), [] as [u128; 0]);
    }
}
