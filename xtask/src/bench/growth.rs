//! Growth: getPayout by more and more active organisations, each of which has a meter of its own.
//! The rounds take minutes, so that PostgreSQL's checkpoints and vacuums are among them.

use std::path::Path;

use super::{
    comparison::{Comparison, Id, StatGoal},
    deployment::{Content, Data, Deployment},
    http::Requests,
    report::{Bound, Findings, Goal},
    rounds::{Bench, Candidate, Load, Subject},
    run::{LoadProfile, Options},
    stat::Stat,
};
use crate::{
    Result,
    table::{Table, count, number},
};

const NAME: &str = "server, getPayout";
const ONE: Id = Id::new(NAME, "1 organisation");
const THOUSAND: Id = Id::new(NAME, "1,000 organisations");
const HUNDRED_THOUSAND: Id = Id::new(NAME, "100,000 organisations");
const MILLION: Id = Id::new(NAME, "1,000,000 organisations");
/// Ascending; the requests of a smaller scale are also among those of a larger one.
const SCALES: [(Id, usize); 4] =
    [(ONE, 1), (THOUSAND, 1_000), (HUNDRED_THOUSAND, 100_000), (MILLION, 1_000_000)];

const PAIRS: [(Id, Id); 3] = [(ONE, THOUSAND), (HUNDRED_THOUSAND, THOUSAND), (MILLION, THOUSAND)];
const GOAL: StatGoal = StatGoal::ratio(HUNDRED_THOUSAND, THOUSAND, Stat::Rate, Bound::AtLeast(0.9));

const MINUTES: u64 = 10;
const SECONDS: u64 = 15;

/// The second table: of each stat its head, how the rounds are summarised, and digits.
const COSTS: [(&str, Stat, Summary, usize); 8] = [
    ("mean per second", Stat::Rate, mean, 0),
    ("WAL bytes", Stat::WalBytes, mean, 0),
    ("full-page images", Stat::FullPageImages, mean, 3),
    ("blocks read", Stat::BlocksRead, mean, 3),
    ("autovacuums of `meters`", Stat::Autovacuums, sum, 0),
    ("most dead rows in it", Stat::DeadRows, max, 0),
    ("its MB", Stat::Megabytes, max, 0),
    ("server's peak MB", Stat::PeakMegabytes, min, 1),
];

type Summary = fn(&[f64]) -> f64;

#[derive(Debug)]
pub(crate) struct Growth {
    scales: &'static [(Id, usize)],
}

impl Subject for Growth {
    const NAME: &'static str = "growth";

    fn profile(options: &Options) -> LoadProfile {
        let defaults = LoadProfile { rounds: 0, seconds: SECONDS, connections: vec![256] };
        let mut profile = options.profile(defaults);
        if profile.rounds == 0 {
            profile.rounds = rounds(options, &profile);
        }
        profile
    }

    fn new(_: &Path, options: &Options, _: &LoadProfile) -> Result<Self> {
        Ok(Self { scales: scales(options) })
    }

    fn content(&self) -> Content {
        let organizations = self.scales.iter().map(|(_, count)| *count).max().unwrap_or(1);
        Content {
            description: format!("{} organisations", count(organizations)),
            data: Data::Organizations(organizations),
        }
    }

    async fn prepare(&self, _: &Deployment) -> Result<String> {
        Ok(String::new())
    }

    async fn measure(self, bench: &Bench) -> Result<Findings> {
        let comparisons = bench.compare_all(|deployment, connections, _| {
            let candidate = |&(id, count): &_| candidate(id, count, deployment, connections);
            self.scales.iter().map(candidate).collect()
        });
        let comparisons = comparisons.await?;
        let mut findings = Findings::default();
        findings.compare("Active organisations", &comparisons, &PAIRS);
        findings
            .tables
            .push(("PostgreSQL's work per request, and memory".to_owned(), costs(&comparisons)));
        findings.goals = comparisons.iter().flat_map(goals).collect();
        Ok(findings)
    }
}

/// The scales up to the largest chosen one.
fn scales(options: &Options) -> &'static [(Id, usize)] {
    let chosen = options.organizations.map_or(usize::MAX, |count| count as usize);
    &SCALES[..SCALES.iter().filter(|(_, count)| *count <= chosen).count()]
}

/// As many rounds as fit into the chosen minutes, at least one.
fn rounds(options: &Options, profile: &LoadProfile) -> usize {
    let seconds = 60 * options.minutes.unwrap_or(MINUTES) / profile.seconds;
    let turns = scales(options).len() * profile.connections.len();
    (seconds as usize / turns).max(1)
}

fn candidate(id: Id, count: usize, deployment: &Deployment, connections: usize) -> Candidate {
    let api = deployment.api.clone();
    let requests = Requests::made(count, move |number| api.get_payout(number, number));
    let mut load = deployment.load_of(requests);
    load.is_random = true;
    // A 503 is reported, and does not end a measurement of many minutes.
    load.counts_503 = true;
    Candidate::new(id, connections, Load::Http(load))
}

fn costs(comparisons: &[Comparison]) -> Table {
    let mut columns = vec!["connections", "data", "candidate"];
    columns.extend(COSTS.map(|(head, ..)| head));
    let measured = comparisons.iter().flat_map(|comparison| &comparison.measured);
    let rows = measured.map(|measured| {
        let costs = COSTS.map(|(_, stat, summary, digits)| {
            let values = measured.values(stat);
            number((!values.is_empty()).then(|| summary(&values)), digits)
        });
        let connections = count(measured.connections);
        let mut row = vec![connections, measured.id.data.to_owned(), measured.name()];
        row.extend(costs);
        row
    });
    Table { columns, rows: rows.collect() }
}

fn goals(comparison: &Comparison) -> Vec<Goal> {
    let mut goals = comparison.goals([&GOAL]);
    let measured = SCALES.iter().filter_map(|(id, _)| comparison.find(*id));
    let rejected: Vec<f64> =
        measured.flat_map(|measured| measured.values(Stat::Rejected)).collect();
    let claim = format!("connections: {}: 503 per second in any round", comparison.connections);
    goals.extend(Goal::new(claim, Some(max(&rejected)), Bound::AtMost(0.0)));
    goals
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

fn mean(values: &[f64]) -> f64 {
    sum(values) / values.len() as f64
}

fn max(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn min(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{comparison::Measured, stat::Sample};

    /// Rates and 503 of each round.
    fn measured(id: Id, rounds: [[f64; 2]; 2]) -> Measured {
        let sample = |[rate, rejected]: [f64; 2]| {
            Sample::with(&[
                (Stat::Rate, rate),
                (Stat::Rejected, rejected),
                (Stat::Autovacuums, 1.0),
                (Stat::PeakMegabytes, rate),
            ])
        };
        let samples = rounds.map(sample).into();
        Measured { id, connections: 256, is_baseline: false, samples }
    }

    fn comparison(many: [[f64; 2]; 2]) -> Comparison {
        let measured =
            vec![measured(THOUSAND, [[100.0, 0.0]; 2]), measured(HUNDRED_THOUSAND, many)];
        Comparison { connections: 256, measured }
    }

    #[test]
    fn bounds_are_those_of_the_goals() {
        let are_reached =
            |many| -> Vec<bool> { goals(&comparison(many)).iter().map(Goal::is_reached).collect() };
        assert_eq!(are_reached([[90.0, 0.0]; 2]), [true, true]);
        assert_eq!(are_reached([[89.0, 0.0], [89.0, 0.1]]), [false, false]);
    }

    #[test]
    fn costs_summarise_all_rounds() {
        let table = costs(&[comparison([[80.0, 0.0], [60.0, 0.0]])]);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        let cells =
            ["256", HUNDRED_THOUSAND.data, NAME, "70", "–", "–", "–", "2", "–", "–", "60.0"];
        assert_eq!(table.rows[1], cells);
    }
}
