//! Many runs together: what failed and how often, what changed from run to run, and how long they
//! took. One failure in a thousand runs is a failure.

use std::{collections::BTreeMap, time::Duration};

use super::suite_run::{CaseReport, SuiteRun};

/// Every run, and changes of business data.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    pub(super) runs: Vec<SuiteRun>,
    /// Business data that a read-only run changed, as sentences.
    written: Vec<String>,
    /// Number of compared tables; `None` if the runs may write.
    compared_tables: Option<usize>,
}

/// The number of runs with each verdict of a case.
type Counts = BTreeMap<String, usize>;

impl Summary {
    /// Counts a comparison of the tables before and after runs that may only read.
    pub(super) fn add_comparison(&mut self, tables: usize, changes: Vec<String>) {
        self.compared_tables = Some(tables);
        self.written.extend(changes);
    }

    pub(super) fn holds(&self) -> bool {
        self.failed_runs() == 0 && self.changed().is_empty() && self.written.is_empty()
    }

    /// Runs of which the suite reported a failure, such as that its deadline stopped it.
    fn failed_runs(&self) -> usize {
        self.runs.iter().filter(|run| run.failure.is_some()).count()
    }

    /// Cases that did not end alike in all runs, apart from skips because fixtures were spent.
    fn changed(&self) -> BTreeMap<&str, Counts> {
        let (mut counts, spent) =
            (self.counts(|run, case| !is_forgiven(run, case)), self.counts(is_forgiven));
        counts.retain(|case, counts| {
            let spent = spent.get(case).map_or(0, total);
            counts.len() > 1 || total(counts) + spent < self.runs.len()
        });
        counts
    }

    fn counts(&self, counted: impl Fn(&SuiteRun, &CaseReport) -> bool) -> BTreeMap<&str, Counts> {
        let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
        for run in &self.runs {
            for case in run.cases.iter().filter(|case| counted(run, case)) {
                let of_case = counts.entry(&case.id).or_default();
                *of_case.entry(case.verdict.clone()).or_default() += 1;
            }
        }
        counts
    }

    pub(super) fn text(&self) -> String {
        let runs = self.runs.len();
        let unexpected = self.counts(|_, case| !case.is_expected);
        let (failed, changed) = (self.failed_runs(), self.changed());
        let (cases, changes) = (count(unexpected.len()), count(changed.len()));
        let mut text = format!(
            "{runs} runs, {failed} failed: {cases} unexpected, {changes} changed from run to run\n"
        );
        for (case, counts) in unexpected {
            text += &format!("UNEXPECTED  {case}: {} of {runs} runs\n", shown(&counts));
        }
        for (case, counts) in changed {
            text += &format!("CHANGED     {case}: {}\n", shown(&counts));
        }
        for (case, counts) in self.counts(is_forgiven) {
            text += &format!(
                "spent       {case}: skipped in {} of {runs} runs, its fixtures used up by \
                 earlier ones\n",
                total(&counts)
            );
        }
        text + &self.tables() + &self.seconds()
    }

    /// Says what became of the tables in read-only runs.
    pub(super) fn tables(&self) -> String {
        match self.compared_tables {
            Some(tables) if self.written.is_empty() => {
                format!("read-only   {tables} tables hold exactly the rows that they held\n")
            }
            _ => self.written.iter().map(|change| format!("WRITTEN     {change}\n")).collect(),
        }
    }

    fn seconds(&self) -> String {
        let mut seconds: Vec<Duration> = self.runs.iter().map(|run| run.elapsed).collect();
        seconds.sort_unstable();
        let (Some(min), Some(max)) = (seconds.first(), seconds.last()) else {
            return String::new();
        };
        let [min, median, max] =
            [*min, seconds[seconds.len() / 2], *max].map(|time| time.as_secs_f32());
        format!("seconds     min {min:.1}, median {median:.1}, max {max:.1}\n")
    }
}

/// Returns true if an earlier run caused this skip: a server that was not used has nothing spent.
fn is_forgiven(run: &SuiteRun, case: &CaseReport) -> bool {
    case.is_spent() && case.is_expected && !run.is_first
}

fn total(counts: &Counts) -> usize {
    counts.values().sum()
}

fn shown(counts: &Counts) -> String {
    let counts = counts.iter().map(|(verdict, runs)| format!("{verdict} in {runs}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn count(cases: usize) -> String {
    match cases {
        0 => "no case".to_owned(),
        1 => "1 case".to_owned(),
        _ => format!("{cases} cases"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(is_first: bool, verdicts: &[(&str, &str)]) -> SuiteRun {
        let elapsed = Duration::from_millis(if is_first { 9_900 } else { 12_000 });
        SuiteRun { is_first, elapsed, ..SuiteRun::sample(verdicts) }
    }

    /// The verdicts of runs on one server or on fresh ones, whether they hold, and a line of the
    /// summary.
    #[test]
    fn failures_and_changes_are_findings() {
        let alike = [("a", "pass"), ("b", "skipped")];
        let (pass, fail, spent) = ([("a", "pass")], [("a", "fail")], [("a", "spent")]);
        for (runs, holds, line) in [
            (
                vec![run(true, &alike), run(false, &alike)],
                true,
                "2 runs, 0 failed: no case unexpec",
            ),
            (
                vec![run(true, &pass), run(false, &fail)],
                false,
                "UNEXPECTED  a: fail in 1 of 2 runs",
            ),
            (vec![run(true, &pass), run(false, &fail)], false, "CHANGED     a: fail in 1, pass in"),
            // The same failure in every run is unexpected all the same.
            (
                vec![run(true, &fail), run(false, &fail)],
                false,
                "1 case unexpected, no case changed",
            ),
            (vec![run(true, &pass), run(false, &spent)], true, "spent       a: skipped in 1 of 2"),
            // Nobody had spent anything on a fresh server.
            (vec![run(true, &pass), run(true, &spent)], false, "CHANGED     a: pass in 1, skipped"),
            // A case that is missing in a run is a change.
            (vec![run(true, &alike), run(false, &pass)], false, "CHANGED     b: skipped in 1"),
            (vec![run(true, &pass), run(false, &pass)], true, "min 9.9, median 12.0, max 12.0"),
        ] {
            let summary = Summary { runs, ..Summary::default() };
            let text = summary.text();
            assert_eq!(summary.holds(), holds, "{text}");
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn stopped_run_and_written_data_are_failures() {
        let runs = vec![run(true, &[("a", "pass")])];
        let mut summary = Summary { runs, ..Summary::default() };
        summary.add_comparison(16, Vec::new());
        assert!(summary.holds() && summary.text().contains("16 tables hold exactly"));
        summary.add_comparison(16, vec!["payout.partners: 1 rows before, 2 after".to_owned()]);
        let text = summary.text();
        assert!(!summary.holds() && text.contains("WRITTEN     payout.partners"), "{text}");
        assert!(!text.contains("exactly"), "{text}");
        summary.written.clear();
        // Also where every verdict was expected.
        summary.runs[0].failure = Some("The run was stopped.".to_owned());
        assert!(!summary.holds());
    }
}
