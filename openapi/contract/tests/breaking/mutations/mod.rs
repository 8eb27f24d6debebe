//! Mutations of a whole document: each row of `mutations.txt` is applied at places chosen by their
//! structure, and each mutation must be found with its rules and levels, and nothing else.

mod places;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use openapi_contract::breaking::changes;
use openapi_document::Document;
use serde_json::{Value, json};

use crate::support::{document, with};
use places::{Object, Reach, properties};

/// An edit of the document, and the rules that must be found, with their levels.
struct Mutation {
    operator: &'static str,
    /// Pointers, and the values to set there; null removes one.
    edits: Vec<(String, Value)>,
    expected: BTreeSet<String>,
}

/// Each operator is tried at this many places.
const PLACES_PER_OPERATOR: usize = 4;
const SEED: usize = 20_260_520;

#[test]
fn mutations_are_found_with_their_levels() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api.yaml");
    let old = Document::load(&path).unwrap();
    let reach = Reach::of(&old);
    let objects = places::objects(&old, &reach);
    let mut mutations = Vec::new();
    let mut nowhere = Vec::new();
    for row in include_str!("../mutations.txt").lines().skip(1) {
        let count = mutations.len();
        mutations.extend(objects.iter().flat_map(|object| mutations_of(row, object, &reach)));
        nowhere.extend((mutations.len() == count).then_some(row));
    }
    assert!(nowhere.is_empty(), "{nowhere:#?}");
    let chosen = chosen(mutations);
    assert!(chosen.len() >= 100, "only {} mutations", chosen.len());
    let mut wrong = Vec::new();
    for Mutation { operator, edits, expected } in &chosen {
        let edited = edits
            .iter()
            .fold(old.value().clone(), |edited, (pointer, value)| with(edited, pointer, value));
        let new = document("new.json", &edited);
        let found = changes(&old, &new).into_iter().filter(|change| !change.hidden);
        let found: BTreeSet<String> =
            found.map(|change| format!("{} {}", change.rule, change.level)).collect();
        if found != *expected {
            let place = &edits[0].0;
            wrong.push(format!("{operator} at {place}: {found:?} instead of {expected:?}"));
        }
    }
    let count = chosen.len();
    assert!(wrong.is_empty(), "{} of {count} mutations:\n{}", wrong.len(), wrong.join("\n"));
}

/// Applies a row of the table, if the object is one of its kind with the members that it names;
/// with `@property`, `@optional` or `@required` to each of these properties, whose name is `%`.
fn mutations_of(row: &'static str, object: &Object<'_>, reach: &Reach) -> Vec<Mutation> {
    let columns: Vec<&str> = row.split('|').map(str::trim).collect();
    let [kind, rule, levels, conditions, members, values] = columns[..] else { panic!("{row}") };
    let at = |member: &str| object.value.pointer(&format!("/{member}"));
    let holds = |condition: &&str| {
        let wanted = condition.trim_start_matches('!');
        let is_there = match wanted.split_once('=') {
            Some((member, value)) => at(member) == serde_json::from_str(value).ok().as_ref(),
            None => at(wanted).is_some(),
        };
        is_there == (wanted == *condition)
    };
    let conditions = conditions.split(' ').filter(|it| !it.is_empty());
    let (each, conditions): (Vec<_>, Vec<_>) = conditions.partition(|it| it.starts_with('@'));
    if kind != object.kind || !conditions.iter().all(holds) {
        return Vec::new();
    }
    let required = at("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut names = properties(object.value);
    match each.first() {
        None => names = vec![String::new()],
        Some(&"@required") => names.retain(|name| required.contains(&json!(name))),
        Some(&"@optional") => names.retain(|name| !required.contains(&json!(name))),
        Some(_) => {}
    }
    let expected = match levels.split_once(' ') {
        Some((request, response)) => reach.rules(&object.component, rule, request, response),
        None => BTreeSet::from([format!("{rule} {levels}")]),
    };
    let mutation = |name: String| {
        let edits = members.split(" & ").zip(values.split(" & ")).map(|(member, value)| {
            let (member, value) = (member.replace('%', &name), value.replace('%', &name));
            let pointer = match member.as_str() {
                "." => object.pointer.clone(),
                member => format!("{}/{member}", object.pointer),
            };
            (pointer, changed(at(&member).unwrap_or(&Value::Null), &value))
        });
        Mutation { operator: rule, edits: edits.collect(), expected: expected.clone() }
    };
    names.into_iter().map(mutation).collect()
}

/// Returns the new value: `add` adds a number or an element, and `remove` removes an element, by
/// default the last.
fn changed(old: &Value, new: &str) -> Value {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    match (old, new.split_once(' ').unwrap_or((new, ""))) {
        (Value::Number(number), ("add", more)) => {
            json!(number.as_i64().unwrap() + read(more).as_i64().unwrap())
        }
        (Value::Array(elements), ("add", more)) => {
            json!([elements.clone(), vec![read(more)]].concat())
        }
        (Value::Null, ("add", more)) => json!([read(more)]),
        (Value::Array(elements), ("remove", "")) => json!(elements[..elements.len() - 1]),
        (Value::Array(elements), ("remove", one)) => {
            let others: Vec<&Value> = elements.iter().filter(|it| **it != read(one)).collect();
            if others.is_empty() { Value::Null } else { json!(others) }
        }
        (Value::Null, ("remove", _)) => Value::Null,
        _ => read(new),
    }
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
