//! The report of a proof: for each fault whether the suite noticed it, by which cases, or what was
//! missing to try it; as JSON, text and HTML.

use minijinja::context;
use serde::Serialize;

use super::html;

/// Version of this format; it changes when a field changes its meaning or goes.
pub(crate) const FORMAT: u32 = 1;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProofReport {
    pub(crate) format: u32,
    /// What the target file calls the deployment.
    pub(crate) target: String,
    pub(crate) base_url: String,
    pub(crate) faults: Vec<FaultReport>,
    /// Cases that failed without a fault, before or after the others: they prove nothing here.
    pub(crate) failing_without_fault: Vec<String>,
    pub(crate) passing_without_fault: usize,
    /// Requests that were sent by the cases.
    pub(crate) requests: u64,
    /// How long it took, in milliseconds.
    pub(crate) elapsed_milliseconds: u64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FaultReport {
    /// Such as `missing-key-403`.
    pub(crate) id: String,
    pub(crate) clause: String,
    pub(crate) sentence: String,
    pub(crate) noticed: Noticed,
    /// Cases that failed on it, in the order of the suite.
    pub(crate) cases: Vec<String>,
    /// Of those, the cases about the clause that the fault breaks.
    pub(crate) cases_about_the_clause: Vec<String>,
    /// Cases that are recorded for this fault, ran, and did not fail.
    pub(crate) recorded_and_silent: Vec<String>,
    /// What was missing to try it.
    pub(crate) missing: Vec<String>,
    /// How long it took, in milliseconds.
    pub(crate) elapsed_milliseconds: u64,
}

/// Whether the suite noticed a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Noticed {
    /// A case failed.
    #[serde(rename = "noticed")]
    Yes,
    /// Every case that could see it passed.
    Missed,
    /// It could not be tried here, or not all the cases that see it could run.
    NotTried,
}

impl ProofReport {
    pub(crate) fn ended(&self, noticed: Noticed) -> impl Iterator<Item = &FaultReport> {
        self.faults.iter().filter(move |fault| fault.noticed == noticed)
    }

    /// Whether the suite can be trusted here: it missed nothing, and fails without a fault nowhere.
    pub(crate) fn holds(&self) -> bool {
        self.ended(Noticed::Missed).next().is_none() && self.failing_without_fault.is_empty()
    }

    pub(crate) fn sentence(&self) -> String {
        format!(
            "Of {} seeded faults this suite would notice {} at {}; it would miss {}, and {} could \
             not be tried.",
            self.faults.len(),
            self.ended(Noticed::Yes).count(),
            self.target,
            self.ended(Noticed::Missed).count(),
            self.ended(Noticed::NotTried).count(),
        )
    }

    /// As text: what was missed, what could not be tried, and the sentence.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for fault in self.ended(Noticed::Missed).chain(self.ended(Noticed::NotTried)) {
            text += &format!("\n{}\n  {} {}\n", fault.line(), fault.clause, fault.sentence);
        }
        for case in &self.failing_without_fault {
            text += &format!("\n{case} fails without a fault, so it proves nothing here\n");
        }
        format!("{text}\n{}\n", self.sentence())
    }

    pub(crate) fn page(&self) -> String {
        let worst = if self.holds() { "pass" } else { "fail" };
        html::proof(context! { proof => self, sentence => self.sentence(), worst })
    }
}

impl FaultReport {
    pub(crate) fn line(&self) -> String {
        match self.noticed {
            Noticed::Yes => format!("{}: noticed by {}", self.id, self.cases.join(", ")),
            Noticed::Missed => format!("{}: MISSED", self.id),
            Noticed::NotTried => {
                format!("{}: not tried; missing: {}", self.id, self.missing.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json;

    fn fault(id: &str, noticed: Noticed, cases: &[&str], missing: &[&str]) -> FaultReport {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        FaultReport {
            id: id.to_owned(),
            clause: "R9".to_owned(),
            sentence: "An <unknown> parameter is ignored.".to_owned(),
            noticed,
            cases: owned(cases),
            cases_about_the_clause: Vec::new(),
            recorded_and_silent: Vec::new(),
            missing: owned(missing),
            elapsed_milliseconds: 1,
        }
    }

    #[test]
    fn every_report_says_what_was_noticed_missed_and_not_tried() {
        let mut proof = ProofReport {
            format: FORMAT,
            target: "staging".to_owned(),
            base_url: "https://staging.example".to_owned(),
            faults: vec![
                fault("one", Noticed::Yes, &["a.case"], &[]),
                fault("two", Noticed::Missed, &[], &[]),
                fault("three", Noticed::NotTried, &[], &["key other_organization"]),
            ],
            failing_without_fault: Vec::new(),
            passing_without_fault: 2,
            requests: 40,
            elapsed_milliseconds: 1_500,
        };
        assert!(!proof.holds());
        let sentence = "Of 3 seeded faults this suite would notice 1 at staging; it would miss 1, \
                        and 1 could not be tried.";
        assert!(proof.text().contains("two: MISSED\n  R9 An <unknown>"), "{}", proof.text());
        let missing = "three: not tried; missing: key other_organization";
        assert!(proof.text().contains(missing) && proof.text().ends_with(&format!("{sentence}\n")));
        let json: serde_json::Value = serde_json::from_str(&json::text(&proof)).unwrap();
        assert_eq!(json["faults"][2]["noticed"], "not-tried");
        let page = proof.page();
        assert!(page.contains(sentence) && page.contains("a.case") && page.contains("key other"));
        assert!(page.contains("An &lt;unknown&gt; parameter") && !page.contains("<unknown>"));
        proof.faults.remove(1);
        assert!(proof.holds());
    }
}
