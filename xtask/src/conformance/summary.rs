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

    fn summary(runs: &[SuiteRun]) -> Summary {
        Summary { runs: runs.to_vec(), ..Summary::default() }
    }

    #[test]
    fn stopped_run_fails_also_where_every_verdict_was_expected() {
        let mut summary = summary(&[run(true, &[("a", "skipped")])]);
        summary.runs[0].failure = Some("The run was stopped.".to_owned());
        assert!(!summary.holds());
    }

    #[test]
    fn same_verdicts_hold() {
        let alike = [("a", "pass"), ("b", "skipped")];
        let summary = summary(&[run(true, &alike), run(false, &alike)]);
        assert!(summary.holds(), "{}", summary.text());
        assert_eq!(
            summary.text(),
            "2 runs, 0 failed: no case unexpected, no case changed from run to run\nseconds     \
             min 9.9, median 12.0, max 12.0\n"
        );
    }

    #[test]
    fn one_failure_is_enough_and_is_a_change_too() {
        let summary = summary(&[
            run(true, &[("a", "pass")]),
            run(false, &[("a", "fail")]),
            run(false, &[("a", "pass")]),
        ]);
        assert!(!summary.holds());
        let text = summary.text();
        assert!(text.contains("UNEXPECTED  a: fail in 1 of 3 runs"), "{text}");
        assert!(text.contains("CHANGED     a: fail in 1, pass in 2"), "{text}");
    }

    #[test]
    fn same_failure_in_every_run_is_unexpected_all_the_same() {
        let summary = summary(&[run(true, &[("a", "fail")]), run(false, &[("a", "fail")])]);
        assert!(!summary.holds() && summary.changed().is_empty());
    }

    #[test]
    fn spent_fixtures_are_reported_and_a_change_only_on_a_fresh_server() {
        let later = summary(&[run(true, &[("a", "pass")]), run(false, &[("a", "spent")])]);
        assert!(later.holds(), "{}", later.text());
        assert!(later.text().contains("spent       a: skipped in 1 of 2 runs"));
        let at_once = summary(&[run(true, &[("a", "pass")]), run(true, &[("a", "spent")])]);
        assert!(!at_once.holds(), "nobody had spent anything there");
    }

    #[test]
    fn case_that_is_missing_in_a_run_is_a_change() {
        let summary =
            summary(&[run(true, &[("a", "pass"), ("b", "pass")]), run(false, &[("a", "pass")])]);
        assert_eq!(summary.changed().into_keys().collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn written_data_is_a_failure() {
        let mut summary = summary(&[run(true, &[("a", "pass")])]);
        summary.add_comparison(16, Vec::new());
        assert!(summary.holds() && summary.text().contains("16 tables hold exactly"));
        summary.add_comparison(16, vec!["payout.partners: 1 rows before, 2 after".to_owned()]);
        assert!(!summary.holds());
        assert!(summary.text().contains("WRITTEN     payout.partners"), "{}", summary.text());
        assert!(!summary.text().contains("exactly"));
    }
}
