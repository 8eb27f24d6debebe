//! Checks of the package as a whole: published schemas are current (with `WRITE_SCHEMAS` set, they
//! are written first), and clauses and names of the target file have cases.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::{
    clause::{Clause, is_judged_by_every_response, reason_without_case},
    document::DOCUMENT,
    probes,
    target::{Feature, Fixture, Hook, Role},
};

/// How to write them all.
const COMMAND: &str =
    "WRITE_SCHEMAS=1 cargo test -p payout-conformance published_schema_is_current";

/// Asserts that the file in this package's folder is this schema.
pub(crate) fn is_current(file: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = format!("{schema:#}\n");
    if std::env::var_os("WRITE_SCHEMAS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    assert!(published == text, "conformance/{file} is stale; to write it: {COMMAND}");
}

#[test]
fn each_clause_has_a_case_or_an_invariant_or_a_reason_why_not() {
    let cited: BTreeSet<&str> = probes::all_cases().iter().map(|case| case.clause).collect();
    for clause in Clause::all() {
        let is_judged = cited.contains(clause.id) || is_judged_by_every_response(clause.id);
        let reason = reason_without_case(clause.id);
        assert_eq!(!is_judged, reason.is_some(), "{}: {reason:?}", clause.id);
    }
}

#[test]
fn each_role_fixture_and_hook_of_a_target_file_is_needed_by_a_case() {
    let all = probes::all_cases();
    for role in Role::ALL {
        assert!(all.iter().any(|case| case.keys.contains(role)), "{role}");
    }
    for fixture in Fixture::ALL {
        assert!(all.iter().any(|case| case.fixtures.contains(fixture)), "{fixture}");
    }
    for hook in Hook::ALL {
        assert!(all.iter().any(|case| case.hooks.contains(hook)), "{hook}");
    }
    for feature in Feature::ALL {
        assert!(all.iter().any(|case| case.features.contains(feature)), "{}", feature.name());
    }
}

#[test]
fn each_operation_of_a_case_is_in_the_document() {
    for case in probes::all_cases() {
        let operation = case.operation.unwrap_or("listPartners");
        let mut known = DOCUMENT.operations().iter();
        assert!(known.any(|known| known.id == operation), "{}: {operation}", case.id);
    }
}
