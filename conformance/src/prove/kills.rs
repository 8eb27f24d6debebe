//! The cases that noticed each fault when the table was last recorded: they are tried first.
//!
//! Together they name every case of the suite that can notice a fault, so that a case which no
//! longer does is found.

use std::collections::BTreeMap;

use crate::{families, proxy::Fault};

/// A line for each fault: its id, a colon, and ids of cases. `cargo xtask faults --record` writes
/// it.
const KILLS: &str = include_str!("../../kills.txt");

pub(crate) fn recorded() -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines = KILLS.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(fault, cases)| (fault, cases.split_whitespace().collect())).collect()
}

/// The cases that are tried first: those of the table, and for a fault of the document the case
/// with its id, or with the beginning of it, such as `update-payout.untouched`.
pub(crate) fn of(fault: &Fault) -> Vec<&'static str> {
    recorded().remove(fault.id).unwrap_or_else(|| {
        let cases = families::all_cases().into_iter().map(|case| case.id);
        let longest = cases.filter(|case| is_of(fault, case)).max_by_key(|case| case.len());
        vec![longest.unwrap_or(fault.id)]
    })
}

/// Returns true if the fault's id is the case's, or begins with it.
pub(super) fn is_of(fault: &Fault, case: &str) -> bool {
    let rest = fault.id.strip_prefix(case);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Cases that notice no fault, each with the reason why it stays.
    const IDLE: &[(&str, &str)] = &[];

    /// A derived case without its operation, such as `query.limit.too-large`.
    fn question(id: &str) -> &str {
        id.split_once('.').map_or(id, |(_, question)| question)
    }

    #[test]
    fn every_case_notices_a_fault_or_has_a_reason() {
        let recorded = recorded().into_values().flatten();
        let derived = crate::catalogue::list().filter(|fault| fault.id.contains('.'));
        let noticing: BTreeSet<&str> = recorded.chain(derived.flat_map(of)).collect();
        // One fault is enough for a question that is asked about every operation.
        let questions: BTreeSet<&str> = noticing.iter().map(|id| question(id)).collect();
        let cases = families::all_cases().into_iter();
        let idle = cases.filter(|case| {
            // `key.altered.cut` is `key.altered` or, with a fault of its own, itself.
            let mut parts = question(case.id);
            let mut is_asked = questions.contains(parts);
            while let Some((shorter, _)) = parts.rsplit_once('.').filter(|_| !is_asked) {
                parts = shorter;
                is_asked = questions.contains(parts);
            }
            let is_asked = case.is_derived && is_asked;
            // Random requests are sent on demand, and notice what the others notice.
            !noticing.contains(case.id) && !is_asked && !case.is_generated
        });
        let explained: Vec<&str> = IDLE.iter().map(|(case, _)| *case).collect();
        assert_eq!(
            idle.map(|case| case.id).collect::<Vec<_>>(),
            explained,
            "add a fault that the case notices, or a reason to IDLE; or run `cargo xtask faults \
             --record`"
        );
    }

    #[test]
    fn every_fault_has_a_case_and_the_table_names_only_cases_that_exist() {
        let recorded = recorded();
        let cases: BTreeSet<&str> = families::all_cases().into_iter().map(|case| case.id).collect();
        for fault in crate::catalogue::list() {
            for case in of(fault) {
                let record = "run `cargo xtask faults --record`";
                assert!(cases.contains(case), "{}: there is no case {case}: {record}", fault.id);
            }
        }
        for fault in recorded.keys() {
            assert!(crate::catalogue::find(fault).is_some(), "there is no fault {fault}");
        }
    }
}
