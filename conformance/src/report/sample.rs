//! Sample outcomes for the tests of the reports: `sample.json`, a run with every verdict and a
//! hostile response, and a run in which every case passed.

use super::model::{CaseReport, Report, Summary};
use crate::clause::Clause;

/// A body that tries to leave whatever it is put into.
pub(super) const HOSTILE: &str = "</script><script>alert(1)</script>\u{1b}[2J\u{202e}]]>&\"'";

/// A run with every verdict, expected and not.
pub(crate) fn report() -> Report {
    serde_json::from_str(include_str!("sample.json")).expect("the sample is a report")
}

/// A run whose answers differ from those of a baseline.
pub(super) fn compared() -> Report {
    let comparison = include_str!("sample_comparison.json");
    let comparison = serde_json::from_str(comparison).expect("the sample is a comparison");
    Report { comparison: Some(comparison), ..conforming() }
}

/// A run in which every case passed.
pub(super) fn conforming() -> Report {
    let mut report = report_of(vec![
        passed("partners.get.by-external-id", "§4.2.id", Some("getPartner")),
        passed("keys.in-query", "§5.2", None),
    ]);
    report.remains.clear();
    report.unproved.clear();
    report.target.left_out.clear();
    report.coverage.truncate(1);
    report
}

/// The sample run with these cases.
pub(super) fn report_of(cases: Vec<CaseReport>) -> Report {
    Report { summary: Summary::of(&cases), cases, ..report() }
}

/// A case that passed, with one exchange.
pub(super) fn passed(id: &str, clause: &str, operation: Option<&str>) -> CaseReport {
    let clause = Clause::find(clause).expect("the sample names clauses that exist");
    CaseReport {
        id: id.to_owned(),
        clause: clause.into(),
        operation: operation.map(str::to_owned),
        ..report().cases.swap_remove(0)
    }
}
