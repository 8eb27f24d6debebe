//! What pgbench tells: progress every second, a total at its end, and a log of transactions.
//!
//! It refuses what belongs to the beginning, which is told in seconds.

use std::time::Duration;

use crate::bench::{figure::Figure, meter::CpuTimes};

/// One line of progress, and the processor time when it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) progress: Progress,
    pub(super) cpu: Option<CpuTimes>,
}

/// What pgbench tells every second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Progress {
    /// Tenths of a second since it was started; connecting is a part of it.
    at: u64,
    /// Tenths of a transaction a second, since the line before.
    rate: u64,
}

/// What pgbench tells at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Total {
    transactions: u64,
    /// Microseconds that connecting took.
    connecting: u64,
    /// Millionths of a transaction a second, connecting left out.
    rate: u64,
}

impl Progress {
    /// `progress: 2.0 s, 927.3 tps, lat 1.077 ms stddev 0.421, 0 failed`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (at, rest) = line.strip_prefix("progress: ")?.split_once(" s, ")?;
        let (rate, _) = rest.split_once(" tps")?;
        Some(Self {
            at: scaled(at, 1)?,
            rate: scaled(rate, 1)?,
        })
    }
}

impl Total {
    pub(super) fn parse(text: &str) -> Option<Self> {
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

/// The rate behind the warm-up's last line of progress. The last second's line may be missing, so its end is told by the
/// total.
pub(super) fn rate_behind(moments: &[Moment], warm_up: usize, total: Total) -> Option<Figure> {
    let begun = moments.get(warm_up.checked_sub(1)?)?.progress.at;
    let all = u128::from(total.transactions);
    let before = u128::from(transactions(&moments[..warm_up], 0));
    let running = (all * 1_000_000_000_000).checked_div(total.rate.into())?;
    let elapsed = running + u128::from(total.connecting);
    let elapsed = elapsed.checked_sub(u128::from(begun) * 100_000)?;
    let counted = all.saturating_sub(before) * 1_000_000;
    (elapsed > 0).then(|| Figure::quotient(counted, elapsed))
}

/// Processor time between the warm-up's last line of progress and the line so many seconds later, and the transactions it
/// was taken for. What connecting and taking leave cost is left out with it: while processes of PostgreSQL end, some are
/// counted neither as living nor as ended. `None` without a line between, or where the system does not tell.
pub(super) fn cpu(moments: &[Moment], warm_up: usize, seconds: usize) -> Option<(CpuTimes, u64)> {
    let first = moments.get(warm_up.checked_sub(1)?)?;
    let counted = &moments[warm_up..moments.len().min(warm_up + seconds)];
    let transactions = transactions(counted, first.progress.at);
    let times = counted.last()?.cpu?.since(first.cpu?);
    (transactions > 0).then_some((times, transactions))
}

/// Those that the lines tell of; the line before the first is of this moment.
fn transactions(moments: &[Moment], begun: u64) -> u64 {
    let mut before = begun;
    let each = moments.iter().map(|moment| {
        let Progress { at, rate } = moment.progress;
        let elapsed = at.saturating_sub(before);
        before = at;
        // Tenths of a second times tenths of a transaction.
        rate * elapsed
    });
    each.sum::<u64>() / 100
}

/// From a log of `client number microseconds script seconds microseconds`: the latencies of what ended so many seconds after
/// the first or later; where nothing did, of all.
pub(super) fn latencies(log: &str, warm_up: usize) -> Vec<Duration> {
    let warm_up = 1_000_000 * u64::try_from(warm_up).expect("64 bits");
    let ended: Vec<(u64, u64)> = log.lines().filter_map(parse_transaction).collect();
    let begun = ended.iter().map(|(at, _)| *at).min().unwrap_or_default();
    let late = |(at, _): &&(u64, u64)| *at >= begun + warm_up;
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

#[cfg(test)]
mod tests;
