//! All proofs together as a table, and whether they are enough.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::{
    proof::{FaultReport, Noticed, Proof},
    variations::Variation,
};

#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) faults: Vec<FaultReport>,
    variations: Vec<Variation>,
    /// Cases that failed without a fault, and on how many servers.
    failing: BTreeMap<String, usize>,
    /// Servers, each judged without a fault before and after its faults.
    servers: usize,
    elapsed: Duration,
}

impl Table {
    pub(crate) fn new(proofs: Vec<Proof>, variations: Vec<Variation>, elapsed: Duration) -> Self {
        let mut table = Self { elapsed, servers: proofs.len(), variations, ..Self::default() };
        for proof in proofs {
            table.faults.extend(proof.faults);
            for case in proof.failing_without_fault.into_iter().collect::<BTreeSet<_>>() {
                *table.failing.entry(case).or_default() += 1;
            }
        }
        table
    }

    /// Whether the suite can be trusted.
    pub(crate) fn holds(&self) -> bool {
        self.findings().is_empty()
    }

    /// What is wrong, each as a line that says how to mend it.
    fn findings(&self) -> Vec<String> {
        let mut findings = Vec::new();
        for fault in &self.faults {
            let FaultReport { id, clause, sentence, .. } = fault;
            match fault.noticed {
                Noticed::Missed => findings.push(format!(
                    "MISSED    {id} ({clause}): {sentence} Write the case that notices it: \
                     CONTRIBUTING.md"
                )),
                Noticed::NotTried => findings.push(format!(
                    "NOT TRIED {id} ({clause}); missing: {}",
                    fault.missing.join(
                        ", \
                        "
                    )
                )),
                Noticed::Yes if fault.cases_about_the_clause.is_empty() => findings.push(format!(
                    "ELSEWHERE {id} breaks {clause}, and only cases about other clauses notice \
                     it: {}",
                    fault.cases.join(", ")
                )),
                Noticed::Yes => {}
            }
            if !fault.recorded_and_silent.is_empty() {
                findings.push(format!(
                    "SILENT    {id}: recorded, but not noticed by {}. Sharpen them, or run `cargo \
                     xtask faults --record`",
                    fault.recorded_and_silent.join(", ")
                ));
            }
        }
        for Variation { id, failing, .. } in &self.variations {
            for (case, what) in failing {
                findings.push(format!("FALSE     {case} failed on {id}, which conforms: {what}"));
            }
        }
        for (case, count) in &self.failing {
            findings.push(format!(
                "FALSE     {case} failed without a fault on {count} of {} servers",
                self.servers
            ));
        }
        findings
    }

    /// The table, and below it what is wrong.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from(
            "| fault | clause | what is broken | noticed by | seconds |\n|---|---|---|---|---:|\n",
        );
        for fault in &self.faults {
            let cases = match fault.noticed {
                Noticed::Yes => fault.cases.join(", "),
                Noticed::Missed => "**none**".to_owned(),
                Noticed::NotTried => "not tried".to_owned(),
            };
            text += &format!(
                "| {} | {} | {} | {cases} | {} |\n",
                fault.id,
                fault.clause,
                fault.sentence,
                seconds(Duration::from_millis(fault.elapsed_milliseconds))
            );
        }
        let noticed = |fault: &&FaultReport| fault.noticed == Noticed::Yes;
        text += &format!(
            "\n{} of {} faults noticed; {} servers, each judged without a fault before and after; \
             {} s.\n",
            self.faults.iter().filter(noticed).count(),
            self.faults.len(),
            self.servers,
            seconds(self.elapsed)
        );
        for Variation { id, passed, failing } in &self.variations {
            let failing = failing.len();
            text += &format!("{id}: {failing} cases failed, {passed} passed.\n");
        }
        for finding in self.findings() {
            text += &format!("{finding}\n");
        }
        text
    }
}

fn seconds(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(fault: FaultReport, failing: &[&str]) -> Table {
        let failing_without_fault = failing.iter().map(|case| (*case).to_owned()).collect();
        let proof = Proof { faults: vec![fault], failing_without_fault };
        Table::new(vec![proof], Vec::new(), Duration::from_secs(1))
    }

    #[test]
    fn missed_fault_and_false_failure_each_break_the_trust() {
        assert!(table(FaultReport::sample("a", &["x"], &["x"]), &[]).holds());
        let missed = table(FaultReport::sample("a", &[], &[]), &[]);
        assert!(!missed.holds() && missed.markdown().contains("MISSED    a (R9)"));
        let elsewhere = table(FaultReport::sample("a", &["x"], &[]), &[]);
        assert!(!elsewhere.holds() && elsewhere.markdown().contains("ELSEWHERE a"));
        let mut varied = table(FaultReport::sample("a", &["x"], &["x"]), &[]);
        let failing = vec![("y".to_owned(), "Why.".to_owned())];
        varied.variations = vec![Variation { id: "allowed-b".to_owned(), passed: 1, failing }];
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
