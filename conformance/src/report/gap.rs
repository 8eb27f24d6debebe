//! Gaps: what was missing for skipped cases, and which requirements that left unproved. A
//! requirement that another case or every response of the run tested counts as proved in part.
//! Requirements that nothing proved for another reason are listed apart.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    model::{CaseReport, ClauseReport, Report, UnprovedReport},
    words,
};
use crate::{clause::of_every_response, verdict::Verdict};

/// What was missing, the cases that were skipped for it, and their clauses.
#[derive(Debug, Serialize)]
pub(crate) struct Gap<'a> {
    /// Features, fixtures, hooks, consent or keys; else the reason in words.
    pub(crate) missing: String,
    /// In the order of the suite.
    pub(crate) cases: Vec<&'a CaseReport>,
    /// Requirements that no case of this run tested.
    pub(crate) unproved: Vec<&'a ClauseReport>,
    /// Requirements that other cases or every response of this run tested in part.
    pub(crate) proved_in_part: Vec<&'a ClauseReport>,
}

/// The skipped cases by what was missing, the largest gap first.
pub(crate) fn gaps(report: &Report) -> Vec<Gap<'_>> {
    let tested = tested(&report.cases);
    let mut by_missing: BTreeMap<String, Vec<&CaseReport>> = BTreeMap::new();
    for case in words::of(report, Verdict::Skipped) {
        by_missing.entry(missing(case)).or_default().push(case);
    }
    let mut gaps: Vec<Gap<'_>> = by_missing
        .into_iter()
        .map(|(missing, cases)| {
            let mut seen = BTreeSet::new();
            let clauses = cases
                .iter()
                .map(|case| &case.clause)
                .filter(|clause| seen.insert(clause.id.as_str()));
            let (proved_in_part, unproved) =
                clauses.partition(|clause| tested.contains(clause.id.as_str()));
            Gap { missing, cases, unproved, proved_in_part }
        })
        .collect();
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.cases.len()));
    gaps
}

/// The requirements that cases tested, and those that every response is judged by.
pub(crate) fn tested(cases: &[CaseReport]) -> BTreeSet<&str> {
    let ended = cases.iter().filter(|case| matches!(case.verdict, Verdict::Pass | Verdict::Fail));
    let by_cases = ended.map(|case| case.clause.id.as_str());
    let mut exchanges = cases.iter().flat_map(|case| &case.exchanges);
    let has_responses = exchanges.any(|exchange| exchange.response.is_some());
    by_cases.chain(of_every_response().filter(|_| has_responses)).collect()
}

/// The requirements that nothing proved and no gap names: without a case, or with cases that ended
/// without a verdict.
pub(crate) fn unproved_otherwise(report: &Report) -> Vec<&UnprovedReport> {
    let skipped: BTreeSet<&str> =
        words::of(report, Verdict::Skipped).map(|case| &*case.clause.id).collect();
    let unproved = report.unproved.iter();
    unproved.filter(|unproved| !skipped.contains(&*unproved.clause.id)).collect()
}

fn missing(case: &CaseReport) -> String {
    match &case.because {
        Some(because) if because.missing.is_empty() => because.what.clone(),
        Some(because) => because.missing.join(", "),
        None => "no reason was given".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn requirement_without_a_case_is_listed_apart_from_gaps() {
        let report = sample::report();
        let all: Vec<&str> = report.unproved.iter().map(|each| &*each.clause.id).collect();
        assert_eq!(all, ["§4.5.body", "§4.7.2"]);
        let apart = unproved_otherwise(&report);
        let apart: Vec<&str> = apart.iter().map(|each| &*each.clause.id).collect();
        assert_eq!(apart, ["§4.5.body"]);
    }

    #[test]
    fn gap_names_requirements_that_no_other_case_tested() {
        let report = sample::report();
        let ids = |clauses: &[&ClauseReport]| {
            let ids: Vec<&str> = clauses.iter().map(|clause| clause.id.as_str()).collect();
            ids.join(" ")
        };
        let gaps = gaps(&report);
        let told: Vec<(&str, usize, String, String)> = gaps
            .iter()
            .map(|gap| {
                (
                    gap.missing.as_str(),
                    gap.cases.len(),
                    ids(&gap.unproved),
                    ids(&gap.proved_in_part),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("hook set_note", 3, "§4.7.2 §4.7.3".to_owned(), "§4.2.id".to_owned()),
                ("hook set_po_number", 1, "§4.7.2".to_owned(), String::new()),
            ]
        );
    }
}
