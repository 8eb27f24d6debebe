//! Which cases are tried first on each fault: as few as there can be, such that every case that
//! notices a fault at all is among them. A case that stops noticing is found by that.

use std::collections::{BTreeMap, BTreeSet};

use super::proof::FaultReport;

/// The recorded table: a line for each fault, its id and cases.
pub(crate) fn text(faults: &[FaultReport]) -> String {
    let mut chosen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for fault in faults {
        let cases = if fault.cases_about_the_clause.is_empty() {
            &fault.cases
        } else {
            &fault.cases_about_the_clause
        };
        // A case that no other fault needs yet serves two purposes.
        let case = cases.iter().find(|case| !named.contains(case.as_str())).or(cases.first());
        if let Some(case) = case {
            named.insert(case);
            chosen.entry(&fault.id).or_default().insert(case);
        }
    }
    let every: BTreeSet<&str> =
        faults.iter().flat_map(|fault| fault.cases.iter().map(String::as_str)).collect();
    for case in every.difference(&named) {
        let noticed =
            faults.iter().filter(|fault| fault.cases.iter().any(|noticing| noticing == case));
        let fewest = noticed.min_by_key(|fault| {
            let is_about = fault.cases_about_the_clause.iter().any(|about| about == case);
            (!is_about, chosen.get(fault.id.as_str()).map_or(0, BTreeSet::len))
        });
        if let Some(fault) = fewest {
            chosen.entry(&fault.id).or_default().insert(case);
        }
    }
    let line = |fault: &FaultReport| {
        let cases = chosen.get(fault.id.as_str()).into_iter().flatten();
        let cases: Vec<&str> = cases.copied().collect();
        format!("{}: {}\n", fault.id, cases.join(" "))
    };
    faults.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_noticing_case_is_named_once_and_those_about_the_clause_first() {
        let faults = [
            FaultReport::sample("one", &["a", "b", "c"], &["b"]),
            FaultReport::sample("two", &["b", "c"], &["b"]),
        ];
        assert_eq!(text(&faults), "one: a b\ntwo: b c\n");
    }
}
