//! All proofs together as a table, and whether they are enough.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::proof::{FaultReport, Noticed, Proof};
use crate::{
    conformance::SuiteRun,
    table::{Table, seconds},
};

#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) faults: Vec<FaultReport>,
    /// Variations that conform, such as further fields, and how the suite ended on each.
    variations: Vec<(String, SuiteRun)>,
    /// Cases that failed without a fault, and on how many servers.
    failing: BTreeMap<String, usize>,
    /// Servers, each tested without a fault before and after its faults.
    servers: usize,
    elapsed: Duration,
}

impl Findings {
    pub(crate) fn new(
        proofs: Vec<Proof>,
        variations: Vec<(String, SuiteRun)>,
        elapsed: Duration,
    ) -> Self {
        let mut findings = Self { elapsed, servers: proofs.len(), variations, ..Self::default() };
        for proof in proofs {
            findings.faults.extend(proof.faults);
            for case in proof.failing_without_fault.into_iter().collect::<BTreeSet<_>>() {
                *findings.failing.entry(case).or_default() += 1;
            }
        }
        findings
    }

    /// Returns true if the suite can be trusted.
    pub(crate) fn holds(&self) -> bool {
        self.lines().is_empty()
    }

    /// Lists the findings, each as a line that says how to mend it.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for fault in &self.faults {
            let FaultReport { id, clause, sentence, .. } = fault;
            let (cases, missing) = (fault.cases.join(", "), fault.missing.join(", "));
            match fault.noticed {
                Noticed::Missed => lines.push(format!(
                    "MISSED    {id} ({clause}): {sentence} Write the case that notices it: \
                     CONTRIBUTING.md"
                )),
                Noticed::NotTried => {
                    lines.push(format!("NOT TRIED {id} ({clause}); missing: {missing}"));
                }
                Noticed::Yes if fault.cases_about_the_clause.is_empty() => lines.push(format!(
                    "ELSEWHERE {id} breaks {clause}, and only cases about other clauses notice \
                     it: {cases}"
                )),
                Noticed::Yes => {}
            }
            if !fault.recorded_and_silent.is_empty() {
                let silent = fault.recorded_and_silent.join(", ");
                lines.push(format!(
                    "SILENT    {id}: recorded, but not noticed by {silent}. Sharpen them, or run \
                     `cargo xtask faults --record`"
                ));
            }
        }
        for (id, run) in &self.variations {
            for case in run.cases.iter().filter(|case| !case.is_expected) {
                let (case, what) = (&case.id, case.what());
                lines.push(format!("FALSE     {case} failed on {id}, which conforms: {what}"));
            }
        }
        for (case, count) in &self.failing {
            let servers = self.servers;
            lines.push(format!(
                "FALSE     {case} failed without a fault on {count} of {servers} servers"
            ));
        }
        lines
    }

    /// The table, and below it what is wrong.
    pub(crate) fn markdown(&self) -> String {
        let row = |fault: &FaultReport| {
            let cases = match fault.noticed {
                Noticed::Yes => fault.cases.join(", "),
                Noticed::Missed => "**none**".to_owned(),
                Noticed::NotTried => "not tried".to_owned(),
            };
            vec![
                fault.id.clone(),
                fault.clause.clone(),
                fault.sentence.clone(),
                cases,
                seconds(Duration::from_millis(fault.elapsed_milliseconds)),
            ]
        };
        let table = Table {
            columns: vec!["fault", "clause", "what is broken", "noticed by", "seconds"],
            rows: self.faults.iter().map(row).collect(),
        };
        let noticed = self.faults.iter().filter(|fault| fault.noticed == Noticed::Yes);
        let mut text = format!(
            "{}\n{} of {} faults noticed; {} servers, each tested without a fault before and \
             after; {:.1} s.\n",
            table.markdown(),
            noticed.count(),
            self.faults.len(),
            self.servers,
            self.elapsed.as_secs_f32()
        );
        for (id, run) in &self.variations {
            let failing = run.cases.iter().filter(|case| !case.is_expected).count();
            let passed = run.cases.iter().filter(|case| case.verdict == "pass").count();
            text += &format!("{id}: {failing} cases failed, {passed} passed.\n");
        }
        for line in self.lines() {
            text += &format!("{line}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(fault: FaultReport, failing: &[&str]) -> Findings {
        let failing_without_fault = failing.iter().map(|case| (*case).to_owned()).collect();
        let proof = Proof { faults: vec![fault], failing_without_fault };
        Findings::new(vec![proof], Vec::new(), Duration::from_secs(1))
    }

    #[test]
    fn missed_faults_and_false_failures_are_findings() {
        assert!(table(FaultReport::sample("a", &["x"], &["x"]), &[]).holds());
        let missed = table(FaultReport::sample("a", &[], &[]), &[]);
        assert!(!missed.holds() && missed.markdown().contains("MISSED    a (R9)"));
        let elsewhere = table(FaultReport::sample("a", &["x"], &[]), &[]);
        assert!(!elsewhere.holds() && elsewhere.markdown().contains("ELSEWHERE a"));
        let mut varied = table(FaultReport::sample("a", &["x"], &["x"]), &[]);
        let run = SuiteRun::sample(&[("x", "pass"), ("y", "fail")]);
        varied.variations = vec![("allowed-b".to_owned(), run)];
        assert!(varied.markdown().contains("FALSE     y failed on allowed-b"), "{varied:?}");
        let mut silent = FaultReport::sample("a", &["x"], &["x"]);
        silent.recorded_and_silent = vec!["y".to_owned()];
        assert!(table(silent, &[]).markdown().contains("SILENT    a"));
        assert!(
            table(FaultReport::sample("a", &["x"], &["x"]), &["y"])
                .markdown()
                .contains("FALSE     y")
        );
    }
}
