//! A report of a subject: tables and goals as Markdown, with the machine and the commit.
//! `server/BENCH.md` holds the latest one of each subject between HTML comments; the text outside
//! these comments is left as it is.

use std::{env::consts, fs, path::Path, process::Command, thread};

use super::comparison::{Comparison, Id, ratios, table};
use crate::{
    Result,
    program::output,
    table::{Table, number},
};

const FILE: &str = "server/BENCH.md";

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) subject: &'static str,
    pub(crate) machine: String,
    /// Says how it was measured.
    pub(crate) setting: String,
    pub(crate) findings: Findings,
}

#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Tables after their titles.
    pub(crate) tables: Vec<(String, Table)>,
    pub(crate) goals: Vec<Goal>,
}

#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// Names what is measured; its bound follows.
    claim: String,
    measured: f64,
    bound: Bound,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
}

impl Bound {
    /// Returns the bound in words, and true if this value is within it.
    fn judge(self, value: f64) -> (String, bool) {
        match self {
            Self::AtLeast(bound) => (format!("at least {bound}"), value >= bound),
            Self::AtMost(bound) => (format!("at most {bound}"), value <= bound),
            Self::Below(bound) => (format!("below {bound}"), value < bound),
        }
    }
}

impl Goal {
    /// Nothing is claimed of what was not measured.
    pub(crate) fn new(claim: String, measured: Option<f64>, bound: Bound) -> Option<Self> {
        Some(Self { claim, measured: measured?, bound })
    }

    pub(crate) fn is_reached(&self) -> bool {
        self.bound.judge(self.measured).1
    }

    fn row(&self) -> Vec<String> {
        let (bound, is_reached) = self.bound.judge(self.measured);
        let verdict = if is_reached { "reached" } else { "MISSED" };
        let goal = format!("{}: {bound}", self.claim);
        vec![goal, number(self.measured, 2), verdict.to_owned()]
    }
}

impl Findings {
    /// Adds the table of comparisons, and that of the ratios of these pairs.
    pub(crate) fn compare(&mut self, title: &str, all: &[Comparison], pairs: &[(Id, Id)]) {
        self.tables.push((title.to_owned(), table(all)));
        let ratios = ratios(all, pairs);
        if !ratios.rows.is_empty() {
            self.tables.push((format!("{title}: ratios"), ratios));
        }
    }
}

impl Report {
    pub(crate) fn holds(&self) -> bool {
        self.findings.goals.iter().all(Goal::is_reached)
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n{} {}\n", self.subject, self.machine, self.setting);
        for (title, table) in &self.findings.tables {
            text += &format!("\n### {title}\n\n{}", table.markdown());
        }
        if !self.findings.goals.is_empty() {
            let rows = self.findings.goals.iter().map(Goal::row).collect();
            let goals = Table { columns: vec!["goal", "measured", "verdict"], rows };
            text += &format!("\n### Goals\n\n{}", goals.markdown());
        }
        text
    }

    /// Writes the report into `server/BENCH.md`, in place of the subject's previous one.
    pub(crate) fn record(&self, root: &Path) -> Result<()> {
        let path = root.join(FILE);
        let record = fs::read_to_string(&path)
            .and_then(|text| fs::write(path, with_section(&text, self.subject, &self.markdown())));
        record.map_err(|error| format!("{FILE} cannot be written: {error}").into())
    }
}

fn with_section(text: &str, subject: &str, section: &str) -> String {
    let (begin, end) = (format!("<!-- begin: {subject} -->"), format!("<!-- end: {subject} -->"));
    let section = format!("{begin}\n{}\n{end}", section.trim_end());
    let around = text.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(&end)?;
        Some((before, after))
    });
    match around {
        Some((before, after)) => format!("{before}{section}{after}"),
        None => format!("{}\n\n{section}\n", text.trim_end()),
    }
}

/// The machine and the commit, without the names of the machine or its user, such as
/// `AMD EPYC 7B13, 2 cores, linux x86_64; commit 0123abc, with changes.`
pub(crate) fn machine(root: &Path) -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor(&cpuinfo).unwrap_or("unknown processor");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let describe = ["describe", "--always", "--exclude=*", "--dirty=, with changes"];
    // An unpacked archive has no history.
    let commit = output(Command::new("git").args(describe).current_dir(root));
    let commit = commit.unwrap_or_else(|_| "unknown".to_owned());
    let (system, architecture) = (consts::OS, consts::ARCH);
    format!("{processor}, {cores} cores, {system} {architecture}; commit {}.", commit.trim())
}

fn processor(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{
        comparison::{Measured, StatGoal},
        stat::{Sample, Stat},
    };

    const FILE: &str = "# Bench\n\n<!-- begin: a -->\nold\n<!-- end: a -->\n\nBy hand.\n";
    const PGBENCH: Id = Id::new("pgbench", "one");
    const SERVER: Id = Id::new("server", "one");
    const IDLE: Id = Id::new("idle", "one");

    fn report() -> Report {
        let measured = |id, is_baseline, rates: [f64; 3]| {
            let samples = rates.map(|rate| Sample::with(&[(Stat::Rate, rate)])).into();
            Measured { id, connections: 8, is_baseline, samples }
        };
        // The machine got half as fast after the first round, for all; one round was bad.
        let measured = vec![
            measured(PGBENCH, false, [100.0, 50.0, 51.0]),
            measured(SERVER, false, [90.0, 45.0, 2.0]),
            measured(SERVER, true, [45.0, 22.5, 1.0]),
            measured(IDLE, false, [0.0, 0.0, 0.0]),
        ];
        let comparison = Comparison { connections: 8, measured };
        let goal = |bound| StatGoal::ratio(SERVER, PGBENCH, Stat::Rate, bound);
        let absent = StatGoal::ratio(SERVER, PGBENCH, Stat::ServerCpu, Bound::Below(1.0));
        let bounds = [Bound::AtLeast(0.9), Bound::AtMost(0.9), Bound::Below(0.9)];
        let goals = comparison.goals(&[bounds.map(goal).as_slice(), &[absent]].concat());
        let mut findings = Findings { goals, ..Findings::default() };
        findings.compare("In turn", &[comparison], &[(SERVER, PGBENCH), (SERVER, IDLE)]);
        Report {
            subject: "gate",
            machine: "Some CPU, 2 cores; commit 0123abc.".to_owned(),
            setting: "PostgreSQL 15.8.".to_owned(),
            findings,
        }
    }

    #[test]
    fn report_has_medians_ratios_of_neighbouring_rounds_and_goals() {
        assert_eq!(report().markdown(), include_str!("report.md"));
    }

    #[test]
    fn one_missed_goal_is_enough() {
        let mut report = report();
        assert!(!report.holds());
        report.findings.goals.pop();
        assert!(report.holds());
    }

    #[test]
    fn section_replaces_the_previous_one_or_is_appended() {
        let expected = "# Bench\n\n<!-- begin: a -->\nnew\n<!-- end: a -->\n\nBy hand.\n";
        assert_eq!(with_section(FILE, "a", "new\n"), expected);
        assert_eq!(with_section(expected, "a", "new\n"), expected);
        let appended = format!("{FILE}\n<!-- begin: b -->\nnew\n<!-- end: b -->\n");
        assert_eq!(with_section(FILE, "b", "new"), appended);
    }

    #[test]
    fn processor_is_read_from_cpuinfo() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nprocessor\t: 1\n";
        assert_eq!(processor(cpuinfo), Some("Some CPU @ 2.00GHz"));
        assert_eq!(processor("processor : 0"), None);
    }
}
