//! Every `$ref` of the document leads, inside the document, to an object of the kind due there.
//!
//! It refuses dangling, circular and outward references, and a schema where a response is due.

use std::collections::HashMap;

use super::diagnosis;
use crate::{
    error::DocumentError,
    pointer,
    source::Source,
    structure::{Kind, Node, walk},
};

pub(super) fn check(source: &Source, nodes: &[Node<'_>]) -> Result<(), DocumentError> {
    let mut kinds: HashMap<String, Kind> = HashMap::new();
    let mut pending = Vec::new();
    for node in nodes {
        kinds.insert(node.pointer.clone(), node.kind);
        pending.extend(Expectation::of(node));
    }
    // A target outside the known rooms (`#/definitions/…`) brings references of its own.
    while let Some(expectation) = pending.pop() {
        let Expectation { kind, pointer } = expectation;
        let resolved = source.resolve(&pointer)?;
        match kinds.get(&resolved.pointer) {
            Some(found) if *found == kind => {}
            Some(found) => {
                let (due, found) = (kind.name(), found.name());
                let problem = format!("a {due} is due here, the reference leads to a {found}");
                return Err(source.refuse(&pointer, problem));
            }
            None => {
                let target = Node {
                    kind,
                    pointer: resolved.pointer,
                    value: resolved.value,
                };
                diagnosis::check(source, &target)?;
                for node in walk(target) {
                    kinds.insert(node.pointer.clone(), node.kind);
                    pending.extend(Expectation::of(&node));
                }
            }
        }
    }
    Ok(())
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
