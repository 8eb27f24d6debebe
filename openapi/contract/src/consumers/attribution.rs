//! Which change an error of the compiler belongs to: one whose property, value, parameter, schema
//! or operation the error names. Names are compared without case and `_`, because the client spells
//! those of the document as Rust does.

use std::collections::BTreeSet;

use openapi_document::Document;
use serde_json::Value;

use super::check::CompileError;
use crate::breaking::{At, Change, Comparison, Level};

/// What an error that belongs to a change names.
#[derive(Debug, Default)]
pub(super) struct Clues {
    /// The names of what changes.
    subjects: BTreeSet<String>,
    /// The schema and the operations that it is part of.
    context: BTreeSet<String>,
    level: Option<Level>,
}

/// The clues of each change.
pub(super) fn clues(comparison: &Comparison) -> Vec<Clues> {
    let (old, new) = (&comparison.old.document, &comparison.new.document);
    comparison.changes.iter().map(|change| Clues::of(change, old, new)).collect()
}

/// The changes that the error belongs to, by their index; several where their names are the same.
pub(super) fn changes_of(error: &CompileError, clues: &[Clues]) -> Vec<usize> {
    let levels: [&[Level]; 2] = [&[Level::Breaking, Level::Warning], &[Level::Compatible]];
    let everything: BTreeSet<String> = error.names.union(&error.nearby).cloned().collect();
    let everything = simplified_all(&everything);
    // What the error is about comes before what is on the same line.
    for names in [simplified_all(&error.names), everything.clone()] {
        for levels in levels {
            let is_named = |index: &usize| {
                let Clues { subjects, level, .. } = &clues[*index];
                level.is_some_and(|level| levels.contains(&level)) && !subjects.is_disjoint(&names)
            };
            let named: Vec<usize> = (0..clues.len()).filter(is_named).collect();
            let mut within = named.clone();
            within.retain(|index| !clues[*index].context.is_disjoint(&everything));
            match (within.is_empty(), named.is_empty()) {
                (false, _) => return within,
                (true, false) => return named,
                (true, true) => {}
            }
        }
    }
    Vec::new()
}

fn simplified_all(names: &BTreeSet<String>) -> BTreeSet<String> {
    let simplified = names.iter().map(|name| {
        let name = name.chars().filter(char::is_ascii_alphanumeric);
        name.collect::<String>().to_lowercase()
    });
    simplified.filter(|name| !name.is_empty()).collect()
}

impl Clues {
    fn of(change: &Change, old: &Document, new: &Document) -> Self {
        if change.hidden {
            return Self::default();
        }
        let (At::Old(pointer) | At::New(pointer)) = &change.at;
        let mut clues = Self { level: Some(change.level), ..Self::default() };
        let schema = pointer.strip_prefix("/components/schemas/");
        clues.context.extend(schema.and_then(|rest| rest.split('/').next()).map(unescaped));
        for (key, location) in &change.locations {
            let operations = [old, new].into_iter().flat_map(Document::operations);
            let ids = operations
                .filter(|operation| format!("{} {}", operation.method, operation.path) == *key)
                .map(|operation| operation.id.clone());
            match location.name() {
                Some(name) => {
                    clues.subjects.insert(name.to_owned());
                    clues.context.extend(ids);
                }
                None => clues.subjects.extend(ids),
            }
        }
        if let Some(value) = changed_value(change, pointer) {
            clues.context.append(&mut clues.subjects);
            clues.subjects.insert(value.to_owned());
        }
        if let At::Old(pointer) = &change.at {
            let lost = referenced(old.value(), pointer);
            let is_lost = |name: &String| new.value().pointer(&schema_pointer(name)).is_none();
            clues.subjects.extend(lost.into_iter().filter(is_lost));
        }
        clues.subjects = simplified_all(&clues.subjects);
        clues.context = simplified_all(&clues.context);
        clues
    }
}

/// The value that a set gains or loses.
fn changed_value<'c>(change: &'c Change, pointer: &str) -> Option<&'c str> {
    const SETS: [&str; 4] = ["enum", "const", "x-known-values", "x-extensible-enum"];
    let member = pointer.rsplit('/').next()?;
    SETS.contains(&member).then_some(())?;
    change.detail.strip_prefix('`')?.strip_suffix('`')
}

fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

fn schema_pointer(name: &str) -> String {
    openapi_document::pointer::join("/components/schemas", name)
}

/// The names of the schemas that a part of a document refers to, directly or not.
fn referenced(document: &Value, pointer: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut pending: Vec<&Value> = document.pointer(pointer).into_iter().collect();
    while let Some(value) = pending.pop() {
        let reference = value.get("$ref").and_then(Value::as_str);
        if let Some(target) = reference.and_then(|reference| reference.strip_prefix('#')) {
            let name = target.strip_prefix("/components/schemas/").map(unescaped);
            let is_known = name.is_some_and(|name| !names.insert(name));
            pending.extend(document.pointer(target).filter(|_| !is_known));
        }
        match value {
            Value::Object(members) => pending.extend(members.values()),
            Value::Array(elements) => pending.extend(elements),
            _ => {}
        }
    }
    names
}
