//! The sentences that all reports share: the order of cases, what a response lacks, how to run a
//! case alone.

use std::collections::BTreeSet;

use super::model::{CaseReport, CoverageReport, ExchangeReport, Remains, Report};
use crate::{
    baseline::{Compare, ComparisonReport},
    case::Changes,
    clause::Source,
    verdict::Verdict,
};

/// The cases by verdict, unexpected ones first, else in the order of the suite.
pub(crate) fn ranked(report: &Report) -> Vec<&CaseReport> {
    let mut cases: Vec<&CaseReport> = report.cases.iter().collect();
    cases.sort_by_key(|case| (case.verdict, case.expected));
    cases
}

/// Returns true if a case passed or was skipped although the expectations file lists another
/// verdict.
pub(crate) fn is_surprise(case: &CaseReport) -> bool {
    !case.expected && matches!(case.verdict, Verdict::Pass | Verdict::Skipped)
}

/// The cases with this verdict, in the order of the suite.
pub(crate) fn of(report: &Report, verdict: Verdict) -> impl Iterator<Item = &CaseReport> {
    report.cases.iter().filter(move |case| case.verdict == verdict)
}

/// Returns what a documented response lacks, as one phrase; `None` if nothing, or if it is exempt.
pub(crate) fn lack(coverage: &CoverageReport) -> Option<String> {
    if let Some(reason) = &coverage.exempt {
        return (coverage.responses > 0).then(|| {
            format!(
                "seen, although it is exempt ({reason}): the deployment has a bug, or the \
                 exemption must go"
            )
        });
    }
    if coverage.responses == 0 {
        return Some("no such response was seen".to_owned());
    }
    let missing =
        [("header", &coverage.headers_missing), ("property", &coverage.properties_missing)];
    let missing: Vec<String> = missing
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("{kind} never seen: {}", names.join(", ")))
        .collect();
    (!missing.is_empty()).then(|| missing.join("; "))
}

/// Invariants that responses of this case violate, each once, in order.
pub(crate) fn violations(case: &CaseReport) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let all = case.exchanges.iter().flat_map(|exchange| &exchange.violations);
    all.map(String::as_str).filter(|violation| seen.insert(*violation)).collect()
}

/// The exchange that shows why a case ended so.
pub(crate) fn telling_exchange(case: &CaseReport) -> Option<&ExchangeReport> {
    case.exchanges.get(case.because.as_ref()?.exchange?)
}

/// The command that runs one case alone, with the options of this run and the consent it needs.
pub(crate) fn run_alone(report: &Report, case: &CaseReport) -> String {
    let target = &report.target;
    let mut command = format!(
        "payout-conformance run --target {} --case {}",
        shell_word(&target.file),
        shell_word(&case.id)
    );
    if !target.with_decisions {
        command.push_str(" --decisions off");
    }
    if target.read_only {
        command.push_str(" --read-only");
    } else if case.changes == Changes::Irreversible {
        command.push_str(" --consent irreversible");
    }
    command
}

/// Returns the changes of irreversible cases among those that remain.
pub(crate) fn irreversible(cases: &[CaseReport], remains: &[Remains]) -> Vec<String> {
    let is_irreversible = |id: &str| {
        let mut cases = cases.iter();
        cases.any(|case| case.id == id && case.changes == Changes::Irreversible)
    };
    let lasting = remains.iter().filter(|remains| is_irreversible(&remains.case));
    lasting.map(|remains| remains.what.clone()).collect()
}

/// Where a requirement is written, in words.
pub(crate) fn said_by(source: Source) -> &'static str {
    match source {
        Source::Specification => "the specification",
        Source::Decision => "a decision of this project",
    }
}

/// Returns what the expectations file says about the end of a case, if anything.
pub(crate) fn expectation(case: &CaseReport) -> Option<String> {
    let comment = case.expectation.as_deref()?;
    if case.expected {
        return Some(format!("Listed in the expectations file: {comment}"));
    }
    let advice = case.advice.as_deref().unwrap_or("update the entry");
    Some(format!("The expectations file lists another verdict ({comment}): {advice}."))
}

/// Returns how the answers of the run compare with those of its baseline, as a sentence.
pub(crate) fn comparison(target: &str, comparison: &ComparisonReport) -> String {
    let ComparisonReport { baseline, recorded_at, responses, differences, .. } = comparison;
    let recorded = recorded_at.get(..16).unwrap_or(recorded_at).replace('T', " ");
    let before = format!("{baseline} did at {recorded} UTC");
    let compared = counted(*responses, "response was compared", "responses were compared");
    let how = match comparison.compare {
        Compare::Form => " by form",
        Compare::Stable => "",
        Compare::Values => " with all values",
    };
    let additions = match comparison.additions.len() {
        0 => String::new(),
        count => format!(" {} new.", counted(count, "thing is", "things are")),
    };
    if differences.is_empty() {
        let but = if comparison.holds() { "answers as" } else { "answers more than" };
        return format!(
            "{target} {but} {before}: {compared}{how}, without a difference.{additions}"
        );
    }
    format!(
        "{target} does not answer as {before}: {compared}{how}, with {} at {}.{additions}",
        counted(differences.len(), "difference", "differences"),
        counted(comparison.places(), "place", "places")
    )
}

/// `3.214 s`, from milliseconds.
pub(crate) fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03} s", milliseconds / 1_000, milliseconds % 1_000)
}

/// `1 case`, `2 cases`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A word of a command line, quoted if a shell would read it otherwise.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./:@+=,".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
