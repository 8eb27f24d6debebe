//! The probes: what the document carries itself. Each asks one question about an operation, with
//! the answer that the document gives, and has the fault of a deployment that answers otherwise.
//!
//! | file | questions |
//! |---|---|
//! | `probe` | a case with its fault |
//! | `recipes` | what the document does not say of an operation |
//! | `subject` | one operation, and requests of it |
//! | `values` | values that a schema accepts and rejects |
//! | `keys` | which keys are accepted, and which scope is required |
//! | `routes` | paths and methods |
//! | `headers` | `api-version` and `x-request-id` |
//! | `queries` | parameters of the query |
//! | `bodies` | bodies and their members |
//! | `fields` | the values of parameters and members |
//! | `ids` | unknown and foreign ids, and what a success looks like |
//! | `foreign` | what another organisation has, in a state that is rejected |
//! | `created` | what an operation makes anew each time |
//! | `idempotency` | what an `idempotency-key` repeats |
//! | `checks`, `order` | how far a request got, and which of two failed checks is answered |
//! | `costs` | what each outcome costs, and what is left without credits |
//! | `lists` | pages, limits, cursors and filters |
//! | `untouched` | what a success must not change |
//! | `generated` | random requests |

mod bodies;
mod checks;
mod costs;
mod created;
mod fields;
mod foreign;
pub(crate) mod generated;
mod headers;
mod idempotency;
mod ids;
mod keys;
mod lists;
mod order;
mod prelude;
mod probe;
mod queries;
mod recipes;
mod routes;
mod subject;
mod untouched;
mod values;

use std::sync::LazyLock;

use crate::{case::Case, cases, document::DOCUMENT, proxy::Fault};
use probe::{Evidence, Probe};
use subject::Subject;

/// Adds the probes of one file about one operation.
type Derive = fn(&'static Subject, &mut Vec<Probe>);

const FILES: [Derive; 14] = [
    keys::derive,
    routes::derive,
    headers::derive,
    queries::derive,
    bodies::derive,
    ids::derive,
    foreign::derive,
    created::derive,
    idempotency::derive,
    order::derive,
    costs::derive,
    lists::derive,
    untouched::derive,
    generated::derive,
];

static SUBJECTS: LazyLock<Vec<Subject>> =
    LazyLock::new(|| DOCUMENT.operations().iter().map(Subject::new).collect());

static PROBES: LazyLock<Vec<Probe>> = LazyLock::new(|| {
    let mut probes = Vec::new();
    for subject in SUBJECTS.iter() {
        for derive in FILES {
            derive(subject, &mut probes);
        }
    }
    probes
});

/// Every case of the suite: those of the document, operation by operation, then those by hand.
pub(crate) fn all_cases() -> Vec<&'static Case> {
    let derived = PROBES.iter().map(|probe| &probe.case);
    derived.chain(cases::all().iter().copied()).collect()
}

/// Says which fault proves that a derived case can fail.
pub(crate) fn evidence(case: &Case) -> Option<String> {
    let probe = PROBES.iter().find(|probe| probe.case.id == case.id)?;
    let operation = case.id.split('.').next().unwrap_or_default();
    Some(match &probe.evidence {
        Evidence::Faults(faults) if faults.len() == 1 => format!("the fault {}", faults[0].id),
        Evidence::Faults(faults) => format!("{} faults, {}.*", faults.len(), case.id),
        Evidence::Shared(probe) => format!("the fault {operation}.{probe}"),
        Evidence::ByHand(fault) => format!("the fault {fault}"),
        Evidence::Without(reason) => format!("no fault. {reason}"),
    })
}

pub(crate) fn faults() -> impl Iterator<Item = &'static Fault> {
    PROBES.iter().flat_map(|probe| match &probe.evidence {
        Evidence::Faults(faults) => faults.as_slice(),
        _ => &[],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::clause::Clause;

    #[test]
    fn each_probe_has_faults_or_names_one_that_there_is() {
        let is_by_hand = |id| crate::faults::find(id).is_some_and(|fault| fault.case.is_none());
        for Probe { case, evidence } in PROBES.iter() {
            let operation = case.id.split('.').next().unwrap();
            let holds = match evidence {
                Evidence::Faults(faults) => !faults.is_empty(),
                Evidence::Shared(probe) => {
                    faults().any(|fault| fault.id == format!("{operation}.{probe}"))
                }
                Evidence::ByHand(id) => is_by_hand(id),
                Evidence::Without(reason) => reason.ends_with('.'),
            };
            assert!(holds, "{}", case.id);
        }
    }

    #[test]
    fn each_case_has_an_id_of_its_own_and_proves_a_clause() {
        let mut seen = BTreeSet::new();
        for case in all_cases() {
            assert!(seen.insert(case.id), "{} is used twice", case.id);
            assert!(Clause::find(case.clause).is_some(), "{}: no clause {}", case.id, case.clause);
            assert!(case.sentence.ends_with('.'), "{}", case.id);
            let is_plain =
                |letter: char| letter.is_ascii_lowercase() || "-.0123456789".contains(letter);
            assert!(case.id.chars().all(is_plain), "{}", case.id);
        }
    }

    /// A new operation gets these cases without a line of its own.
    #[test]
    fn each_operation_has_many_cases() {
        for subject in SUBJECTS.iter() {
            let id = subject.operation.id.as_str();
            let count = PROBES.iter().filter(|probe| probe.case.operation == Some(id)).count();
            assert!(count >= 40, "{id}: {count} cases");
        }
    }
}
