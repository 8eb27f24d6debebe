//! The table of all runs, and the violations.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use super::scenario::{Ended, Kind, Stat};

#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<(String, Row)>,
    violations: Vec<(String, u64, String)>,
}

#[derive(Debug, Default)]
struct Row {
    runs: u64,
    violations: u64,
    took: Duration,
    stats: BTreeMap<String, u64>,
}

impl Table {
    /// A row for each scenario, without runs.
    pub(super) fn of(names: &[String]) -> Self {
        Self {
            rows: names.iter().map(|name| (name.clone(), Row::default())).collect(),
            violations: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, ended: Ended) {
        let row = self.rows.iter_mut().find(|(name, _)| *name == ended.name);
        let (_, row) = row.expect("every scenario has a row");
        row.runs += 1;
        row.took += ended.took;
        for Stat { kind, name, value } in ended.stats {
            let combined = row.stats.entry(name).or_default();
            *combined = match kind {
                Kind::Sum => *combined + value,
                Kind::Max => value.max(*combined),
            };
        }
        if let Some(violation) = ended.violation {
            row.violations += 1;
            self.violations.push((ended.name, ended.seed, violation));
        }
    }

    pub(super) fn holds(&self) -> bool {
        self.violations.is_empty()
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "\n| scenario | runs | seconds | violations | stats |\n\
             |---|---:|---:|---:|---|\n",
        );
        for (name, row) in &self.rows {
            let stats = row.stats.iter().map(|(name, value)| format!("{name}: {value}"));
            let stats = stats.collect::<Vec<_>>().join("; ");
            let shown = if row.runs == 0 { "DID NOT RUN: increase --minutes" } else { &stats };
            let (runs, seconds, violations) = (row.runs, row.took.as_secs(), row.violations);
            writeln!(text, "| {name} | {runs} | {seconds} | {violations} | {shown} |")
                .expect("a String takes any text");
        }
        for (name, seed, violation) in &self.violations {
            writeln!(text, "\nVIOLATED by {name} with seed {seed}:\n{violation}")
                .expect("a String takes any text");
        }
        if self.holds() {
            text.push_str("\nNo invariant was violated.\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(name: &str, violation: Option<&str>) -> Ended {
        let stat = |kind, name: &str, value| Stat { kind, name: name.to_owned(), value };
        Ended {
            name: name.to_owned(),
            seed: 3,
            took: Duration::from_secs(2),
            stats: vec![stat(Kind::Sum, "kills", 4), stat(Kind::Max, "slowest", 9)],
            violation: violation.map(str::to_owned),
        }
    }

    #[test]
    fn sums_are_added_and_maxima_are_compared() {
        let mut table = Table::of(&["a".to_owned(), "b".to_owned()]);
        table.add(ended("a", None));
        table.add(ended("a", None));
        let text = table.text();
        assert!(text.contains("| a | 2 | 4 | 0 | kills: 8; slowest: 9 |"), "{text}");
        assert!(text.contains("| b | 0 | 0 | 0 | DID NOT RUN"), "{text}");
        assert!(text.ends_with("No invariant was violated.\n"), "{text}");
    }

    #[test]
    fn violation_is_shown_with_its_seed() {
        let mut table = Table::of(&["a".to_owned()]);
        table.add(ended("a", Some("a line is attached twice")));
        assert!(!table.holds());
        let text = table.text();
        assert!(text.contains("VIOLATED by a with seed 3:\na line is attached twice"), "{text}");
        assert!(!text.contains("No invariant"), "{text}");
    }
}
