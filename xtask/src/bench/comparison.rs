//! The samples of candidates that took turns: medians, ratios, goals, and the table of them.

use super::{
    report::{Bound, Goal},
    stat::{COLUMNS, Sample, Stat, median},
};
use crate::table::{Table, count, number};

/// Identifies a candidate in tables and ratios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id {
    /// Such as `server, getPayout`.
    pub(crate) name: &'static str,
    /// Such as `1,000 organisations`.
    pub(crate) data: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) connections: usize,
    pub(crate) measured: Vec<Measured>,
}

/// One candidate's samples, in the order of the rounds.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) id: Id,
    pub(crate) connections: usize,
    /// Measured on the baseline build instead of this one.
    pub(crate) is_baseline: bool,
    pub(crate) samples: Vec<Sample>,
}

/// A bound of the ratio of a candidate's stat to another candidate's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatGoal {
    pub(crate) of: Id,
    pub(crate) base: Id,
    pub(crate) stat: Stat,
    pub(crate) bound: Bound,
}

/// The stats of [`ratios`].
const RATIOS: [(&str, Stat); 4] = [
    ("rate", Stat::Rate),
    ("median", Stat::MedianLatency),
    ("server CPU", Stat::ServerCpu),
    ("Postgres CPU", Stat::PostgresCpu),
];

impl Id {
    pub(crate) const fn new(name: &'static str, data: &'static str) -> Self {
        Self { name, data }
    }
}

impl StatGoal {
    pub(crate) const fn ratio(of: Id, base: Id, stat: Stat, bound: Bound) -> Self {
        Self { of, base, stat, bound }
    }
}

impl Measured {
    /// The median of all rounds; `None` where the stat is not available.
    pub(crate) fn median(&self, stat: Stat) -> Option<f64> {
        median(self.values(stat))
    }

    /// The median of the ratios of neighbouring rounds, which saw the same machine.
    pub(crate) fn ratio(&self, base: &Self, stat: Stat) -> Option<f64> {
        let pairs = self.samples.iter().zip(&base.samples);
        let ratios = pairs.filter_map(|(of, base)| Some(of.get(stat)? / base.get(stat)?));
        median(ratios.filter(|ratio| ratio.is_finite()))
    }

    /// The stat in each round in which it is available.
    pub(crate) fn values(&self, stat: Stat) -> Vec<f64> {
        self.samples.iter().filter_map(|sample| sample.get(stat)).collect()
    }

    /// The medians of the stats of [`COLUMNS`].
    fn cells(&self) -> impl Iterator<Item = String> {
        COLUMNS.iter().enumerate().map(|(stat, (_, digits))| {
            number(median(self.samples.iter().filter_map(|sample| sample.0[stat])), *digits)
        })
    }

    pub(crate) fn name(&self) -> String {
        let build = if self.is_baseline { "baseline " } else { "" };
        format!("{build}{}", self.id.name)
    }

    pub(crate) fn summary(&self) -> String {
        let cells: Vec<String> = self.cells().take(2).collect();
        let stats = cells.join(" per second, median ");
        format!("  {}, {}: {stats} ms", self.name(), self.id.data)
    }
}

impl Comparison {
    /// This build's result, or that of something else than the server.
    pub(crate) fn find(&self, id: Id) -> Option<&Measured> {
        self.find_in(id, false)
    }

    fn find_in(&self, id: Id, is_baseline: bool) -> Option<&Measured> {
        let mut measured = self.measured.iter();
        measured.find(|measured| measured.id == id && measured.is_baseline == is_baseline)
    }

    /// The goals of candidates that were measured, and of stats that are available.
    pub(crate) fn goals<'a>(&self, goals: impl IntoIterator<Item = &'a StatGoal>) -> Vec<Goal> {
        let goal = |&StatGoal { of, base, stat, bound }: &StatGoal| {
            let measured = self.find(of)?;
            let (head, connections) = (COLUMNS[stat as usize].0, measured.connections);
            let claim = format!(
                "connections: {connections}, {}: {head} of {}, as a share of {}'s, {}",
                of.data, of.name, base.name, base.data
            );
            let value = measured.ratio(self.find(base)?, stat);
            Goal::new(claim, value, bound)
        };
        goals.into_iter().filter_map(goal).collect()
    }

    /// Returns what a candidate is compared with: the bases of its pairs on the same build, and the
    /// candidate itself on the baseline build.
    fn bases(&self, measured: &Measured, pairs: &[(Id, Id)]) -> Vec<&Measured> {
        let pairs = pairs.iter().filter(|(of, _)| *of == measured.id);
        let bases = pairs.filter_map(|(_, base)| {
            let same_build = self.find_in(*base, measured.is_baseline);
            same_build.or_else(|| self.find_in(*base, false))
        });
        let baseline = self.find_in(measured.id, true).filter(|_| !measured.is_baseline);
        bases.chain(baseline).collect()
    }
}

/// The medians of each candidate.
pub(crate) fn table(comparisons: &[Comparison]) -> Table {
    let mut columns = vec!["connections", "data", "candidate"];
    columns.extend(COLUMNS.map(|(head, _)| head));
    let row = |measured: &Measured| {
        let connections = count(measured.connections);
        let mut row = vec![connections, measured.id.data.to_owned(), measured.name()];
        row.extend(measured.cells());
        row
    };
    let measured = comparisons.iter().flat_map(|comparison| &comparison.measured);
    Table { columns, rows: measured.map(row).collect() }
}

/// The ratios of candidates to others of the same comparison, and to the baseline build.
pub(crate) fn ratios(comparisons: &[Comparison], pairs: &[(Id, Id)]) -> Table {
    let mut columns = vec!["connections", "data", "candidate", "compared with"];
    columns.extend(RATIOS.map(|(head, _)| head));
    let mut rows = Vec::new();
    for comparison in comparisons {
        for measured in &comparison.measured {
            for base in comparison.bases(measured, pairs) {
                let compared_with = format!("{}, {}", base.name(), base.id.data);
                let (connections, data) =
                    (count(measured.connections), measured.id.data.to_owned());
                let mut row = vec![connections, data, measured.name(), compared_with];
                let ratios = RATIOS.map(|(_, stat)| number(measured.ratio(base, stat), 2));
                row.extend(ratios);
                rows.push(row);
            }
        }
    }
    Table { columns, rows }
}
