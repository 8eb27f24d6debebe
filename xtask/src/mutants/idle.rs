//! Cases that kill no mutant, each with the reason why it stays.
//!
//! It refuses a reason that is out of date: a case that kills again is taken off the list.

use std::collections::BTreeSet;

/// The case, and why it stays.
pub(super) const REASONS: &[(&str, &str)] = &[];

/// What is wrong with the list, as whole lines: cases that were idle without a reason, and reasons of cases that were not.
pub(super) fn faults(idle: &[String], reasons: &[(&str, &str)]) -> Vec<String> {
    let known: BTreeSet<&str> = reasons.iter().map(|(case, _)| *case).collect();
    let unexplained = idle.iter().filter(|case| !known.contains(case.as_str()));
    let outdated = known
        .iter()
        .filter(|case| idle.iter().all(|idle| idle != *case));
    let unexplained = unexplained.map(|case| {
        format!("IDLE      {case} kills no mutant: add the mutant that it sees, or a reason in xtask/src/mutants/idle.rs")
    });
    let outdated = outdated.map(|case| {
        format!("OUTDATED  {case} kills a mutant, or is no case: take it out of xtask/src/mutants/idle.rs")
    });
    unexplained.chain(outdated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_case_wants_a_reason_and_a_reason_an_idle_case() {
        let idle = ["a".to_owned(), "b".to_owned()];
        assert_eq!(
            faults(&idle, &[("a", "why"), ("b", "why")]),
            Vec::<String>::new()
        );
        let told = faults(&idle, &[("a", "why"), ("c", "why")]);
        assert_eq!(told.len(), 2);
        assert!(told[0].starts_with("IDLE      b "), "{told:?}");
        assert!(told[1].starts_with("OUTDATED  c "), "{told:?}");
    }
}
