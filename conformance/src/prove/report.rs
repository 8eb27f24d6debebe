//! What a proof found: for each fault whether the suite noticed it, by which cases, or what was missing to try.

use schemars::JsonSchema;
use serde::Serialize;

/// Version of this format; it changes when a field changes its meaning or goes.
pub(crate) const FORMAT: u32 = 1;

/// A proof.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProofReport {
    /// Version of this format.
    pub(crate) format: u32,
    /// What the target file calls the deployment.
    pub(crate) target: String,
    /// Where it is.
    pub(crate) base_url: String,
    /// Each fault that was chosen.
    pub(crate) faults: Vec<FaultReport>,
    /// Cases that failed without a fault, before or after the others: they prove nothing here.
    pub(crate) failing_without_fault: Vec<String>,
    /// Cases that passed without a fault.
    pub(crate) passing_without_fault: usize,
    /// Requests that were sent by the cases.
    pub(crate) requests: u64,
    /// How long it took, in milliseconds.
    pub(crate) elapsed_milliseconds: u64,
}

/// One fault.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FaultReport {
    /// Such as `key-from-query`.
    pub(crate) id: String,
    /// The clause it breaks.
    pub(crate) clause: String,
    /// What is broken.
    pub(crate) sentence: String,
    /// Whether the suite noticed it.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Noticed {
    /// A case failed.
    Noticed,
    /// Every case that could see it passed.
    Missed,
    /// It could not be tried here, or not all the cases that see it could run.
    NotTried,
}

impl ProofReport {
    /// How many faults ended so.
    pub(crate) fn count(&self, noticed: Noticed) -> usize {
        self.faults
            .iter()
            .filter(|fault| fault.noticed == noticed)
            .count()
    }

    /// The proof in one sentence.
    pub(crate) fn sentence(&self) -> String {
        format!(
            "Of {} seeded faults this suite would notice {} at {}; {} it would miss, and {} could not be tried.",
            self.faults.len(),
            self.count(Noticed::Noticed),
            self.target,
            self.count(Noticed::Missed),
            self.count(Noticed::NotTried),
        )
    }
}
