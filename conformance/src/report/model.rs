//! The outcome of a run as data, from which every report is written. Its JSON form is published as
//! a JSON Schema. Secrets are removed before a text gets in here.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    baseline::ComparisonReport,
    case::Changes,
    clause::{Clause, Source},
    verdict::{Diagnosis, Verdict},
};

/// Version of this format; it rises when a reader of an older one would misread a newer.
pub(crate) const FORMAT: u32 = 3;

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Version of this format.
    pub(crate) format: u32,
    /// Version of `payout-conformance`.
    pub(crate) suite_version: String,
    /// `info.version` of the OpenAPI document.
    pub(crate) document_version: String,
    /// The deployment that was tested.
    pub(crate) target: TargetReport,
    /// When the run began: UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub(crate) began_at: String,
    /// Duration of the run, in milliseconds.
    pub(crate) elapsed_milliseconds: u64,
    /// How the cases ended.
    pub(crate) summary: Summary,
    /// How the answers differ from those of a baseline or of another deployment, if they were
    /// compared.
    #[serde(default)]
    pub(crate) comparison: Option<ComparisonReport>,
    /// Each case, in the order of the suite.
    pub(crate) cases: Vec<CaseReport>,
    /// Requirements that nothing in this run proved; none for a run of chosen cases.
    #[serde(default)]
    pub(crate) unproved: Vec<UnprovedReport>,
    /// What of the document was seen in responses.
    pub(crate) coverage: Vec<CoverageReport>,
    /// What the run cost.
    pub(crate) cost: Cost,
    /// Changes that the run did not undo.
    pub(crate) remains: Vec<Remains>,
}

/// The deployment that was tested.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetReport {
    /// Its name in the target file.
    pub(crate) name: String,
    /// Path of the target file, as given on the command line.
    pub(crate) file: String,
    /// Without user and password.
    pub(crate) base_url: String,
    /// The capabilities that it has, of those in the document's `x-profiles`.
    pub(crate) profiles: Vec<String>,
    /// Operations of the document that these profiles do not have: no case is about them.
    #[serde(default)]
    pub(crate) left_out: Vec<String>,
    /// Random requests to each operation (`--generate`); none for a run of chosen cases.
    #[serde(default)]
    pub(crate) random_requests: Option<u32>,
    /// Whether cases that prove a decision were run.
    pub(crate) with_decisions: bool,
    /// Whether cases that change data were left out.
    pub(crate) read_only: bool,
}

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Summary {
    /// The deployment meets the requirement.
    pub(crate) pass: usize,
    /// The deployment violates the requirement.
    pub(crate) fail: usize,
    /// Proved nothing: the positive control did not succeed.
    pub(crate) inconclusive: usize,
    /// Not run.
    pub(crate) skipped: usize,
    /// The suite itself, or the connection to the deployment, failed.
    pub(crate) error: usize,
    /// Of all: ended otherwise than the expectations file says; where it says nothing, otherwise
    /// than with a pass or a skip.
    pub(crate) unexpected: usize,
}

/// One case.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CaseReport {
    /// Stable id, such as `partners.get.by-external-id`.
    pub(crate) id: String,
    /// What the case proves.
    pub(crate) sentence: String,
    /// The requirement it proves.
    pub(crate) clause: ClauseReport,
    /// The profile of its operation, by the document; `core` if it is about no single one.
    pub(crate) profile: String,
    /// `operationId`, if the case is about one operation.
    pub(crate) operation: Option<String>,
    /// What the case does to the deployment.
    pub(crate) changes: Changes,
    /// How it ended.
    pub(crate) verdict: Verdict,
    /// Whether the expectations file foresees this verdict; without an entry, whether it is a pass
    /// or a skip.
    pub(crate) expected: bool,
    /// The comment in the expectations file.
    pub(crate) expectation: Option<String>,
    /// What to do about an entry of the expectations file that did not happen.
    pub(crate) advice: Option<String>,
    /// Why it ended so; none on a pass.
    pub(crate) because: Option<Diagnosis>,
    /// Duration, in milliseconds.
    pub(crate) elapsed_milliseconds: u64,
    /// Requests and responses, in order.
    pub(crate) exchanges: Vec<ExchangeReport>,
}

/// The requirement that a case proves.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ClauseReport {
    /// Such as `§4.5` or `R9`.
    pub(crate) id: String,
    /// Where it is written.
    pub(crate) source: Source,
    /// Its text.
    pub(crate) sentence: String,
}

/// A requirement that nothing in a run proved.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnprovedReport {
    /// The requirement.
    pub(crate) clause: ClauseReport,
    /// Why no case of the suite proves it; none if a case does, and was not run to its end.
    pub(crate) without_case: Option<String>,
}

/// One request and its response.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExchangeReport {
    /// The request.
    pub(crate) request: MessageReport,
    /// The response; none if the connection failed.
    pub(crate) response: Option<MessageReport>,
    /// The response's status, such as 200; none if the connection failed.
    pub(crate) status: Option<u16>,
    /// The operation of the document that it belongs to, if any.
    pub(crate) operation: Option<String>,
    /// From sending to the last byte, in milliseconds.
    pub(crate) elapsed_milliseconds: u64,
    /// The same request as a command line, with the key as `$VARIABLE`.
    pub(crate) curl: String,
    /// Invariants that the response violates, each as a sentence.
    pub(crate) violations: Vec<String>,
}

/// A message as it was sent, without secrets.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageReport {
    /// `GET /api/v1/partners` or `200 OK`.
    pub(crate) line: String,
    /// Names and values, in order.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, if it is text; long ones are cut.
    pub(crate) body: Option<String>,
    /// The body's length in bytes.
    pub(crate) body_bytes: usize,
}

/// One operation and one documented status: whether such a response was seen.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CoverageReport {
    /// `operationId`.
    pub(crate) operation: String,
    /// A status that the document names for it.
    pub(crate) status: u16,
    /// How many such responses were seen.
    pub(crate) responses: usize,
    /// Documented headers that were never seen with it.
    pub(crate) headers_missing: Vec<String>,
    /// Documented properties that were never seen in it, as JSON pointers.
    pub(crate) properties_missing: Vec<String>,
    /// Why it need not be seen: no client can provoke it.
    pub(crate) exempt: Option<String>,
}

/// What a run cost.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cost {
    /// Requests that were sent.
    pub(crate) requests: u64,
    /// Credits that were spent, by the role in the target file whose organisation paid.
    pub(crate) credits: BTreeMap<String, u64>,
    /// What cannot be undone, such as `detach cln_…`.
    pub(crate) irreversible: Vec<String>,
    /// How long the suite waited to stay within rate limits, in milliseconds.
    pub(crate) paced_milliseconds: u64,
}

/// A change that was not undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Remains {
    /// The case that made it.
    pub(crate) case: String,
    /// What is changed, and how to undo it.
    pub(crate) what: String,
}

impl From<&Clause> for ClauseReport {
    fn from(clause: &Clause) -> Self {
        Self {
            id: clause.id.to_owned(),
            source: clause.source(),
            sentence: clause.sentence.to_string(),
        }
    }
}

impl Summary {
    pub(crate) fn of(cases: &[CaseReport]) -> Self {
        let mut summary = Self::default();
        for case in cases {
            summary.count(case.verdict, case.expected);
        }
        summary
    }

    pub(crate) fn count(&mut self, verdict: Verdict, expected: bool) {
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::Fail => self.fail += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
            Verdict::Skipped => self.skipped += 1,
            Verdict::Error => self.error += 1,
        }
        self.unexpected += usize::from(!expected);
    }
}
