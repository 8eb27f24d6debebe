//! Mutations of a whole document: each operator is applied at places chosen by their structure, and
//! each mutation must be found with its rules and levels, and nothing else.

mod operations;
mod operators;
mod places;
mod schemas;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use openapi_contract::breaking::changes;
use openapi_document::Document;
use serde_json::Value;

use crate::support::{document, with};
use places::Reach;

/// An edit of the document, and the rules that must be found, with their levels.
pub(crate) struct Mutation {
    pub(crate) operator: &'static str,
    /// The pointer, for the message.
    pub(crate) place: String,
    /// Pointers, and the values to set there; null removes.
    pub(crate) edits: Vec<(String, Value)>,
    pub(crate) expected: BTreeSet<String>,
}

/// Each operator is tried at this many places.
const PLACES_PER_OPERATOR: usize = 4;
const SEED: usize = 20_260_520;

#[test]
fn mutations_are_found_with_their_levels() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api.yaml");
    let old = Document::load(&path).unwrap();
    let reach = Reach::of(old.value());
    let mut mutations = schemas::mutations(old.value(), &reach);
    mutations.extend(operations::mutations(old.value(), &reach));
    let chosen = chosen(mutations);
    assert!(chosen.len() >= 100, "only {} mutations", chosen.len());
    let mut wrong = Vec::new();
    for Mutation { operator, place, edits, expected } in &chosen {
        let edited = edits
            .iter()
            .fold(old.value().clone(), |edited, (pointer, value)| with(edited, pointer, value));
        let new = document("new.json", &edited);
        let found = changes(&old, &new).into_iter().filter(|change| !change.hidden);
        let found: BTreeSet<String> =
            found.map(|change| format!("{} {}", change.rule, change.level)).collect();
        if found != *expected {
            wrong.push(format!("{operator} at {place}: {found:?} instead of {expected:?}"));
        }
    }
    let count = chosen.len();
    assert!(wrong.is_empty(), "{} of {count} mutations:\n{}", wrong.len(), wrong.join("\n"));
}

/// Chooses some mutations of each operator, the same ones in each run.
fn chosen(mutations: Vec<Mutation>) -> Vec<Mutation> {
    let mut by_operator: BTreeMap<&str, Vec<Mutation>> = BTreeMap::new();
    for mutation in mutations {
        by_operator.entry(mutation.operator).or_default().push(mutation);
    }
    let mut random = SEED;
    let mut chosen = Vec::new();
    for mut candidates in by_operator.into_values() {
        for _ in 0..PLACES_PER_OPERATOR.min(candidates.len()) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            chosen.push(candidates.swap_remove((random >> 33) % candidates.len()));
        }
    }
    chosen
}
