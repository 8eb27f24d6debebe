//! Which requirements nothing in a run proved, so that one without a case does not disappear.

use std::collections::BTreeSet;

use crate::{
    clause::{self, Clause, Source},
    families,
    report::{
        gap::tested,
        model::{CaseReport, UnprovedReport},
    },
};

/// The requirements that no case of a run of the whole suite tested and no response was judged by.
/// Those of decisions are left out with `--decisions off`, and those of operations that the
/// deployment's profile does not have always.
pub(crate) fn unproved(reports: &[CaseReport], with_decisions: bool) -> Vec<UnprovedReport> {
    let all = families::all_cases();
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
        assert!(is_unproved("A10"), "no case is about it alone");
        reports.retain(|report| report.clause.id != "§4.2.id");
        reports.iter_mut().for_each(|report| report.exchanges.clear());
        assert!(ids(&reports, true).contains(&"§4.json".to_owned()));
        assert!(!ids(&reports, true).contains(&"§4.2.id".to_owned()), "not in the profile");
        assert!(!ids(&reports, false).contains(&"A10".to_owned()));
    }
}
