//! The cases that noticed each fault when the table was last recorded: they are tried first.
//!
//! Together they name every case of the suite that can notice a fault, so that a case which no
//! longer does is found.

use std::collections::BTreeMap;

use payout_faults::Fault;

/// A line for each fault: its id, a colon, and ids of cases. `cargo xtask faults --record` writes
/// it.
const KILLS: &str = include_str!("../../faults/kills.txt");

pub(crate) fn recorded() -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines = KILLS.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(fault, cases)| (fault, cases.split_whitespace().collect())).collect()
}

pub(crate) fn of(fault: &Fault) -> Vec<&'static str> {
    recorded().remove(fault.id).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cases;

    /// Cases that notice no fault, each with the reason why it stays.
    const IDLE: &[(&str, &str)] = &[];

    #[test]
    fn every_case_notices_a_fault_or_has_a_reason() {
        let noticing: BTreeSet<&str> = recorded().into_values().flatten().collect();
        let cases = cases::all();
        let idle = cases.iter().map(|case| case.id).filter(|case| !noticing.contains(case));
        let explained: Vec<&str> = IDLE.iter().map(|(case, _)| *case).collect();
        assert_eq!(
            idle.collect::<Vec<_>>(),
            explained,
            "add a fault that the case notices, or a reason to IDLE; or run `cargo xtask faults \
             --record`"
        );
    }

    #[test]
    fn table_names_every_fault_and_only_cases_that_exist() {
        let recorded = recorded();
        let cases: Vec<&str> = cases::all().iter().map(|case| case.id).collect();
        let record = "run `cargo xtask faults --record`";
        for fault in payout_faults::list() {
            let known = recorded.get(fault.id).is_some_and(|cases| !cases.is_empty());
            assert!(known, "no case is recorded for the fault {}: {record}", fault.id);
        }
        for (fault, killers) in recorded {
            assert!(payout_faults::find(fault).is_some(), "there is no fault {fault}: {record}");
            for case in killers {
                assert!(cases.contains(&case), "there is no case {case}: {record}");
            }
        }
    }
}
