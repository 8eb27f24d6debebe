//! Many runs together: what failed and how often, what changed from run to run, and how long they
//! took. One failure in a thousand runs is a failure.

use std::{collections::BTreeMap, time::Duration};

use super::judged::{Ended, Judged};

/// Every run, and changes of business data.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    runs: Vec<Judged>,
    /// Business data that a read-only run changed, as sentences.
    written: Vec<String>,
    /// How many tables were compared; none if the runs may write.
    tables_kept: Option<usize>,
}

/// In how many runs a case ended so.
type Counts = BTreeMap<String, usize>;

impl Summary {
    pub(super) fn add(&mut self, run: Judged) {
        self.runs.push(run);
    }

    /// Counts a comparison of the tables before and after runs that may only read.
    pub(super) fn looked(&mut self, tables: usize, changes: Vec<String>) {
        self.tables_kept = Some(tables);
        self.written.extend(changes);
    }

    pub(super) fn holds(&self) -> bool {
        self.unexpected().is_empty() && self.changed().is_empty() && self.written.is_empty()
    }

    /// Cases that ended otherwise than expected.
    fn unexpected(&self) -> BTreeMap<&str, Counts> {
        self.counts(|_, ended| !ended.is_expected)
    }

    /// Cases that did not end alike in all runs, apart from skips because fixtures were spent.
    fn changed(&self) -> BTreeMap<&str, Counts> {
        let mut counts = self.counts(|run, ended| !is_forgiven(run, ended));
        counts.retain(|case, counts| {
            let runs: usize = counts.values().sum();
            let forgiven = self.spent().get(case).copied().unwrap_or(0);
            counts.len() > 1 || runs + forgiven < self.runs.len()
        });
        counts
    }

    /// Cases that were skipped because earlier runs had spent their fixtures, and in how many runs.
    fn spent(&self) -> BTreeMap<&str, usize> {
        let counts = self.counts(is_forgiven);
        counts.into_iter().map(|(case, counts)| (case, counts.values().sum())).collect()
    }

    fn counts(&self, counted: impl Fn(&Judged, &Ended) -> bool) -> BTreeMap<&str, Counts> {
        let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
        for run in &self.runs {
            for (case, ended) in run.cases.iter().filter(|(_, ended)| counted(run, ended)) {
                let of_case = counts.entry(case).or_default();
                *of_case.entry(ended.verdict.clone()).or_default() += 1;
            }
        }
        counts
    }

    pub(super) fn text(&self) -> String {
        let runs = self.runs.len();
        let (unexpected, changed) = (self.unexpected(), self.changed());
        let mut text = format!(
            "{runs} runs: {} unexpected, {} changed from run to run\n",
            cases(unexpected.len()),
            cases(changed.len())
        );
        for (case, counts) in unexpected {
            text += &format!("UNEXPECTED  {case}: {} of {runs} runs\n", shown(&counts));
        }
        for (case, counts) in changed {
            text += &format!("CHANGED     {case}: {}\n", shown(&counts));
        }
        for (case, skipped) in self.spent() {
            text += &format!(
                "spent       {case}: skipped in {skipped} of {runs} runs, its fixtures used up by \
                 earlier ones\n"
            );
        }
        text + &self.tables() + &self.seconds()
    }

    /// What became of the tables in read-only runs.
    pub(super) fn tables(&self) -> String {
        match self.tables_kept {
            Some(tables) if self.written.is_empty() => {
                format!("read-only   {tables} tables hold exactly the rows that they held\n")
            }
            _ => {
                let written = self.written.iter();
                written.map(|change| format!("WRITTEN     {change}\n")).collect()
            }
        }
    }

    fn seconds(&self) -> String {
        let mut all: Vec<Duration> = self.runs.iter().map(|run| run.elapsed).collect();
        all.sort();
        let (Some(least), Some(most)) = (all.first(), all.last()) else {
            return String::new();
        };
        let median = all[all.len() / 2];
        format!(
            "seconds     min {}, median {}, max {}\n",
            seconds(*least),
            seconds(median),
            seconds(*most)
        )
    }
}

/// Whether another run caused this skip: on a server that only this run used, nothing is spent yet.
fn is_forgiven(run: &Judged, ended: &Ended) -> bool {
    ended.is_spent && ended.is_expected && !run.is_first
}

fn shown(counts: &Counts) -> String {
    let counts: Vec<String> =
        counts.iter().map(|(verdict, runs)| format!("{verdict} in {runs}")).collect();
    counts.join(", ")
}

fn cases(count: usize) -> String {
    match count {
        0 => "no case".to_owned(),
        1 => "1 case".to_owned(),
        _ => format!("{count} cases"),
    }
}

pub(super) fn seconds(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(verdict: &str) -> Ended {
        Ended {
            verdict: verdict.replace("spent", "skipped"),
            is_expected: matches!(verdict, "pass" | "skipped" | "spent"),
            what: String::new(),
            is_spent: verdict == "spent",
        }
    }

    fn run(is_first: bool, verdicts: &[(&str, &str)]) -> Judged {
        let cases = verdicts.iter();
        Judged {
            cases: cases.map(|(case, verdict)| ((*case).to_owned(), ended(verdict))).collect(),
            elapsed: Duration::from_millis(if is_first { 9_950 } else { 12_000 }),
            is_first,
        }
    }

    fn summary(runs: &[Judged]) -> Summary {
        let mut summary = Summary::default();
        runs.iter().for_each(|run| summary.add(run.clone()));
        summary
    }

    #[test]
    fn same_verdicts_hold() {
        let alike = [("a", "pass"), ("b", "skipped")];
        let summary = summary(&[run(true, &alike), run(false, &alike)]);
        assert!(summary.holds(), "{}", summary.text());
        assert_eq!(
            summary.text(),
            "2 runs: no case unexpected, no case changed from run to run\nseconds     min 9.9, \
             median 12.0, max 12.0\n"
        );
    }

    #[test]
    fn one_failure_breaks_the_trust_and_is_a_change_too() {
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
    fn spent_fixtures_are_told_and_no_change_but_on_a_fresh_server() {
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
    fn data_that_was_written_breaks_the_trust() {
        let mut summary = summary(&[run(true, &[("a", "pass")])]);
        summary.looked(16, Vec::new());
        assert!(summary.holds() && summary.text().contains("16 tables hold exactly"));
        summary.looked(16, vec!["payout.partners: 1 rows before, 2 after".to_owned()]);
        assert!(!summary.holds());
        assert!(summary.text().contains("WRITTEN     payout.partners"), "{}", summary.text());
        assert!(!summary.text().contains("exactly"));
    }
}
