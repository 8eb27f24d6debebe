//! The cases that noticed each fault when the table was last recorded: they are tried first.
//!
//! Together they name every case of the suite that can notice a fault, so that a case which no
//! longer does is found.

use std::collections::BTreeMap;

use crate::proxy::Fault;

/// A line for each fault: its id, a colon, and ids of cases. `cargo xtask faults --record` writes
/// it.
const KILLS: &str = include_str!("../../kills.txt");

pub(crate) fn recorded() -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines = KILLS.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(fault, cases)| (fault, cases.split_whitespace().collect())).collect()
}

/// The cases that are tried first: the probe's own, or those of the table.
pub(crate) fn of(fault: &Fault) -> Vec<&'static str> {
    fault.case.map_or_else(|| recorded().remove(fault.id).unwrap_or_default(), |case| vec![case])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{cases, faults, probes};

    /// Cases by hand that notice no fault, each with the reason why it stays.
    const IDLE: &[(&str, &str)] = &[];

    #[test]
    fn every_case_by_hand_notices_a_fault_or_has_a_reason() {
        let noticing: BTreeSet<&str> = recorded().into_values().flatten().collect();
        let cases = cases::all().iter();
        let idle: Vec<&str> =
            cases.map(|case| case.id).filter(|case| !noticing.contains(case)).collect();
        let explained: Vec<&str> = IDLE.iter().map(|(case, _)| *case).collect();
        assert_eq!(
            idle, explained,
            "add a fault that the case notices, or a reason to IDLE; or run `cargo xtask faults \
             --record`"
        );
    }

    #[test]
    fn table_has_each_fault_by_hand_and_names_only_cases_that_exist() {
        let cases: BTreeSet<&str> = probes::all_cases().into_iter().map(|case| case.id).collect();
        let by_hand = faults::list().filter(|fault| fault.case.is_none());
        let by_hand: BTreeSet<&str> = by_hand.map(|fault| fault.id).collect();
        let record = "run `cargo xtask faults --record`";
        assert_eq!(recorded().into_keys().collect::<BTreeSet<_>>(), by_hand, "{record}");
        for (fault, noticing) in recorded() {
            assert!(!noticing.is_empty(), "{fault}: {record}");
            let unknown = noticing.iter().find(|case| !cases.contains(*case));
            assert_eq!(unknown, None, "{fault}: {record}");
        }
    }
}
