//! Checks that every `$ref` leads to an object of the expected kind inside the document.

use std::collections::{HashMap, VecDeque};

use super::typed;
use crate::{
    error::DocumentError,
    pointer,
    source::Source,
    structure::{Kind, Node, walk},
};

pub(super) fn check(source: &Source, nodes: &[Node<'_>]) -> Result<(), DocumentError> {
    let mut kinds: HashMap<String, Kind> = HashMap::new();
    let mut pending = VecDeque::new();
    let mut checks = Vec::new();
    for node in nodes {
        checks.push(check_reference_is_text(source, node));
        kinds.insert(node.pointer.clone(), node.kind);
        pending.extend(Expectation::of(node));
    }
    // A target outside the known sections (`#/definitions/…`) has references of its own.
    while let Some(expectation) = pending.pop_front() {
        let Expectation { kind, pointer } = expectation;
        let resolved = match source.resolve(&pointer) {
            Ok(resolved) => resolved,
            Err(error) => {
                checks.push(Err(error));
                continue;
            }
        };
        match kinds.get(&resolved.pointer) {
            Some(found) if *found == kind => {}
            Some(found) => {
                let (expected, found) = (kind.name(), found.name());
                let problem = format!("expected a {expected}, the reference leads to a {found}");
                checks.push(Err(source.error(&pointer, problem)));
            }
            None => {
                let target = Node { kind, pointer: resolved.pointer, value: resolved.value };
                checks.push(typed::check(source, &target));
                for node in walk(target) {
                    kinds.insert(node.pointer.clone(), node.kind);
                    pending.extend(Expectation::of(&node));
                }
            }
        }
    }
    DocumentError::all(checks)
}

/// `openapiv3` ignores such a member.
fn check_reference_is_text(source: &Source, node: &Node<'_>) -> Result<(), DocumentError> {
    match node.value.get("$ref") {
        Some(reference) if !reference.is_string() => {
            let at = pointer::join(&node.pointer, "$ref");
            let problem = "a reference must be a text such as `#/components/schemas/Name`";
            Err(source.error(&at, problem))
        }
        _ => Ok(()),
    }
}

/// A reference, and the kind of object it must lead to.
struct Expectation {
    kind: Kind,
    pointer: String,
}

impl Expectation {
    fn of(node: &Node<'_>) -> Option<Self> {
        pointer::reference_in(node.value)?;
        let (kind, pointer) = (node.kind, node.pointer.clone());
        Some(Self { kind, pointer })
    }
}
