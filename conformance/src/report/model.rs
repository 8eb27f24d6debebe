//! A run's outcome as data: what every report is written from. Its JSON form is published as a JSON Schema.
//!
//! It refuses secrets: whatever enters it has gone through [`Redaction`](crate::secret::Redaction).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::clause::Source;

/// The form of this file; it rises when a reader of an older one would misread a newer.
pub const FORMAT: u32 = 1;

/// One run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The form of this file.
    pub format: u32,
    /// Version of `payout-conformance`.
    pub suite_version: String,
    /// `info.version` of the document that was judged by.
    pub document_version: String,
    /// What was judged.
    pub target: TargetReport,
    /// When the run began: UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub began_at: String,
    /// How long it took, in milliseconds.
    pub elapsed_milliseconds: u64,
    /// How the cases ended.
    pub summary: Summary,
    /// Each case, in the order of the suite.
    pub cases: Vec<CaseReport>,
    /// What of the document was exercised.
    pub coverage: Vec<CoverageReport>,
    /// What the run cost.
    pub cost: Cost,
    /// What stayed changed in the deployment.
    pub remains: Vec<Remains>,
}

/// What was judged.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetReport {
    /// The target file's name for it.
    pub name: String,
    /// The target file, as it was named to the suite: what runs a case alone names it too.
    pub file: String,
    /// Without user and password.
    pub base_url: String,
    /// `core` or `extended`.
    pub profile: String,
    /// Whether cases that prove a decision were run.
    pub with_decisions: bool,
    /// Whether no case was run that changes data.
    pub read_only: bool,
}

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// Kept their clause.
    pub pass: usize,
    /// Broke their clause.
    pub fail: usize,
    /// Could not prove anything: the positive control did not succeed.
    pub inconclusive: usize,
    /// Were not run.
    pub skipped: usize,
    /// The suite itself, or the way to the deployment, failed.
    pub error: usize,
    /// Of them all, ended otherwise than the expectations file says, or than pass and skip where it says nothing.
    pub unexpected: usize,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The clause was broken.
    Fail,
    /// The suite itself, or the way to the deployment, failed.
    Error,
    /// The positive control did not succeed, so a refusal proves nothing.
    Inconclusive,
    /// Not run.
    Skipped,
    /// The clause was kept.
    Pass,
}

/// One case.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaseReport {
    /// Such as `partners.get.by-external-id`; stable.
    pub id: String,
    /// What is proved.
    pub sentence: String,
    /// Why that matters.
    pub clause: ClauseReport,
    /// `core` or `extended`.
    pub profile: String,
    /// `operationId`, where the case is about one operation.
    pub operation: Option<String>,
    /// How it ended.
    pub verdict: Verdict,
    /// Whether the expectations file, or its silence, foresaw that.
    pub expected: bool,
    /// The comment of the expectations file.
    pub expectation: Option<String>,
    /// Why it ended so; none on a pass.
    pub because: Option<Diagnosis>,
    /// How long it took, in milliseconds.
    pub elapsed_milliseconds: u64,
    /// What was asked and answered, in order.
    pub exchanges: Vec<ExchangeReport>,
}

/// The sentence that a case proves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClauseReport {
    /// Such as `§4.5` or `R9`.
    pub id: String,
    /// Who says it.
    pub source: Source,
    /// What is said there.
    pub sentence: String,
}

/// Why a case ended otherwise than with a pass.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// One sentence.
    pub what: String,
    /// What should have come; may have several lines.
    pub expected: Option<String>,
    /// What came; may have several lines.
    pub actual: Option<String>,
    /// Index into the case's exchanges: the one that shows it.
    pub exchange: Option<usize>,
    /// Of a skipped case: features, fixtures, hooks, consent or keys that were missing.
    pub missing: Vec<String>,
}

/// One request and its response.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeReport {
    /// What was asked.
    pub request: MessageReport,
    /// What was answered; none where the connection failed.
    pub response: Option<MessageReport>,
    /// The response's status, such as 200; none where the connection failed.
    pub status: Option<u16>,
    /// The operation of the document that it belongs to, if any.
    pub operation: Option<String>,
    /// From sending to the last byte, in milliseconds.
    pub elapsed_milliseconds: u64,
    /// The same request as a command line, its key as `$VARIABLE`.
    pub curl: String,
    /// Invariants that the response broke, each as a sentence.
    pub broken_laws: Vec<String>,
}

/// A message as it travelled, secrets taken out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageReport {
    /// `GET /api/v1/partners` or `200 OK`.
    pub line: String,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body as text, where it is text; cut where it is long.
    pub body: Option<String>,
    /// The body's length in bytes.
    pub body_bytes: usize,
}

/// One operation and one documented status: whether a response of it was seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageReport {
    /// `operationId`.
    pub operation: String,
    /// A status that the document names for it.
    pub status: u16,
    /// How many responses of it were seen.
    pub responses: usize,
    /// The document's headers that were never seen with it.
    pub headers_missing: Vec<String>,
    /// The document's properties that were never seen in it, as JSON pointers.
    pub properties_missing: Vec<String>,
    /// Why nothing is missed here: no client can provoke it.
    pub exempt: Option<String>,
}

/// What a run cost.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// Requests that were sent.
    pub requests: u64,
    /// Credits that were spent, by the organisation's role in the target file.
    pub credits: BTreeMap<String, u64>,
    /// What cannot be undone, such as `detach cln_…`.
    pub irreversible: Vec<String>,
    /// How long the suite waited so as not to exceed a rate limit, in milliseconds.
    pub paced_milliseconds: u64,
}

/// A change that stayed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Remains {
    /// The case that made it.
    pub case: String,
    /// What stayed, and how it can be mended.
    pub what: String,
}

impl Summary {
    /// Counts one case.
    pub fn count(&mut self, verdict: Verdict, expected: bool) {
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::Fail => self.fail += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
            Verdict::Skipped => self.skipped += 1,
            Verdict::Error => self.error += 1,
        }
        if !expected {
            self.unexpected += 1;
        }
    }
}

impl Verdict {
    /// As it is written in every report and in the expectations file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Error => "error",
            Self::Inconclusive => "inconclusive",
            Self::Skipped => "skipped",
            Self::Pass => "pass",
        }
    }
}
