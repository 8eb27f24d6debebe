//! Gaps: what was missing for skipped cases, and which requirements that left unproved. A
//! requirement that another case or every response of the run tested counts as proved in part.
//! Requirements that nothing proved for another reason are listed apart.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    model::{CaseReport, ClauseReport, Report, UnprovedReport},
    words,
};
use crate::{
    clause::{self, Clause, Source, of_every_response},
    probes,
    verdict::{Diagnosis, Verdict},
};

/// Something missing, the cases that were skipped for it, and their clauses.
#[derive(Debug, Serialize)]
pub(crate) struct Gap<'a> {
    /// The first feature, fixture, hook, consent or key; else the reason in words.
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
        // One that is skipped for several reasons is listed by the first.
        let because = case.because.as_ref();
        let first = |because: &Diagnosis| because.missing.first().cloned();
        let missing = because.map(|because| first(because).unwrap_or_else(|| because.short()));
        let missing = missing.unwrap_or_else(|| "no reason was given".to_owned());
        by_missing.entry(missing).or_default().push(case);
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
fn tested(cases: &[CaseReport]) -> BTreeSet<&str> {
    let ended = cases.iter().filter(|case| matches!(case.verdict, Verdict::Pass | Verdict::Fail));
    let by_cases = ended.map(|case| case.clause.id.as_str());
    let mut exchanges = cases.iter().flat_map(|case| &case.exchanges);
    let has_responses = exchanges.any(|exchange| exchange.response.is_some());
    by_cases.chain(of_every_response().filter(|_| has_responses)).collect()
}

/// The requirements that no case of a run of the whole suite tested and no response was judged by.
/// Those of decisions are left out with `--decisions off`, and those of operations that the
/// deployment's profile does not have always.
pub(crate) fn unproved(reports: &[CaseReport], with_decisions: bool) -> Vec<UnprovedReport> {
    let all = probes::all_cases();
    let in_suite: BTreeSet<&str> = all.iter().map(|case| case.clause).collect();
    let in_run: BTreeSet<&str> = reports.iter().map(|report| &*report.clause.id).collect();
    let tested = tested(reports);
    let is_judged = |clause: &Clause| {
        let is_in_profile = !in_suite.contains(clause.id) || in_run.contains(clause.id);
        is_in_profile && (with_decisions || clause.source() == Source::Specification)
    };
    Clause::all()
        .filter(|clause| is_judged(clause) && !tested.contains(clause.id))
        .map(|clause| UnprovedReport {
            clause: clause.into(),
            without_case: clause::reason_without_case(clause.id).map(str::to_owned),
        })
        .collect()
}

/// The requirements that nothing proved and no gap names: without a case, or with cases that ended
/// without a verdict.
pub(crate) fn unproved_otherwise(report: &Report) -> Vec<&UnprovedReport> {
    let skipped: BTreeSet<&str> =
        words::of(report, Verdict::Skipped).map(|case| &*case.clause.id).collect();
    let unproved = report.unproved.iter();
    unproved.filter(|unproved| !skipped.contains(&*unproved.clause.id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn ids(reports: &[CaseReport], with_decisions: bool) -> Vec<String> {
        let unproved = unproved(reports, with_decisions).into_iter();
        unproved.map(|unproved| unproved.clause.id).collect()
    }

    #[test]
    fn requirement_is_proved_by_a_case_or_by_every_response() {
        let mut reports = sample::report().cases;
        let is_unproved = |id: &str| ids(&reports, true).iter().any(|other| other == id);
        assert!(is_unproved("§4.7.2"), "its cases were skipped");
        assert!(!is_unproved("§4.2.id"), "a case passed");
        assert!(!is_unproved("§4.json"), "every response shows it");
        assert!(is_unproved("E.framework"), "no case is about it alone");
        reports.retain(|report| report.clause.id != "§4.2.id");
        reports.iter_mut().for_each(|report| report.exchanges.clear());
        assert!(ids(&reports, true).contains(&"§4.json".to_owned()));
        assert!(!ids(&reports, true).contains(&"§4.2.id".to_owned()), "not in the profile");
        assert!(!ids(&reports, false).contains(&"E.framework".to_owned()));
    }
}
