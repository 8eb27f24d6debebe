//! Pairs the objects of the two documents, and finds the pairs inside a pair.

use std::collections::BTreeSet;

use openapi_document::{Document, Operation, pointer::join};
use serde_json::{Map, Value};

use super::{
    alternatives,
    change::Direction,
    object::Object,
    parameters, properties,
    rule::{Kind, Pair},
    step::Step,
};

const BY_CODE: &str = "x-by-code";

/// Pairs the operations of both documents by method and path; one side may be absent.
pub(super) fn endpoints<'d>(old: &'d Document, new: &'d Document) -> Vec<(String, Pair<'d>)> {
    let mut added: Vec<&Operation> = new.operations().iter().collect();
    let mut pairs = Vec::new();
    let mut unmatched = Vec::new();
    for before in old.operations() {
        match take(&mut added, |after| (after.method, &after.path) == (before.method, &before.path))
        {
            Some(after) => pairs.push((Some(before), Some(after))),
            None => unmatched.push(before),
        }
    }
    // Only the names of the path's parameters differ.
    for before in unmatched {
        let path = without_names(&before.path);
        let same =
            |after: &Operation| after.method == before.method && without_names(&after.path) == path;
        pairs.push((Some(before), take(&mut added, same)));
    }
    pairs.extend(added.into_iter().map(|after| (None, Some(after))));
    let side = |document: &'d Document, operation: Option<&'d Operation>| match operation {
        Some(operation) => Object::of_operation(document, operation),
        None => Object::absent(document),
    };
    let endpoint = |(before, after): (Option<&'d Operation>, Option<&'d Operation>)| {
        let operation = after.or(before)?;
        let (old, new) = (side(old, before), side(new, after));
        let pair = Pair { kind: Kind::Endpoint, direction: Direction::Request, old, new };
        Some((format!("{} {}", operation.method, operation.path), pair))
    };
    pairs.into_iter().filter_map(endpoint).collect()
}

fn take<'d>(
    from: &mut Vec<&'d Operation>,
    is_it: impl Fn(&Operation) -> bool,
) -> Option<&'d Operation> {
    let index = from.iter().position(|operation| is_it(operation))?;
    Some(from.remove(index))
}

fn without_names(path: &str) -> String {
    let mut parts = path.split('{');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str("{}");
        plain.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    plain
}

/// Returns the pairs of objects inside a pair, with the steps to them.
pub(super) fn inside<'d>(pair: &Pair<'d>) -> Vec<(Option<Step>, Pair<'d>)> {
    if pair.old.is_absent() || pair.new.is_absent() {
        return Vec::new();
    }
    match pair.kind {
        Kind::Endpoint => {
            vec![(None, pair.child(Kind::Operation, pair.old.clone(), pair.new.clone()))]
        }
        Kind::Document => responses(pair, "x-unrouted-responses"),
        Kind::Operation => operation(pair),
        Kind::Security => security_schemes(pair),
        Kind::Parameter | Kind::Header => [media_types(pair), one_schema(pair)].concat(),
        Kind::RequestBody => media_types(pair),
        Kind::Response => [media_types(pair), headers(pair)].concat(),
        Kind::MediaType => one_schema(pair),
        Kind::Schema => schema(pair),
        Kind::Servers | Kind::SecurityScheme => Vec::new(),
    }
}

type Inside<'d> = Vec<(Option<Step>, Pair<'d>)>;

fn operation<'d>(pair: &Pair<'d>) -> Inside<'d> {
    let (old, new) = pair.documents();
    let mut inner = responses(pair, "responses");
    for (before, after) in parameters::matched(pair).both {
        let step = Step::Part("parameter", after.name.clone());
        let (before, after) = (Object::at(old, &before.pointer), Object::at(new, &after.pointer));
        inner.push((Some(step), pair.child(Kind::Parameter, before, after)));
    }
    if pair.old.get("requestBody").is_some() && pair.new.get("requestBody").is_some() {
        let before = Object::at(old, &pair.old.pointer("requestBody"));
        let after = Object::at(new, &pair.new.pointer("requestBody"));
        let step = Step::Part("request body", String::new());
        inner.push((Some(step), pair.child(Kind::RequestBody, before, after)));
    }
    for (member, kind) in [("servers", Kind::Servers), ("security", Kind::Security)] {
        let (before, after) = (inherited(&pair.old, member), inherited(&pair.new, member));
        inner.push((None, pair.child(kind, before, after)));
    }
    inner
}

/// Returns a member of the operation, else of its path, else of the document.
fn inherited<'d>(operation: &Object<'d>, member: &str) -> Object<'d> {
    let document = operation.document;
    let path = operation.operation.map_or("", |operation| operation.path.as_str());
    let owners = [operation.pointer(""), join("/paths", path), String::new()];
    let mut pointers = owners.iter().map(|owner| join(owner, member));
    match pointers.find(|pointer| document.value().pointer(pointer).is_some()) {
        Some(pointer) => Object::at(document, &pointer),
        None => Object::absent(document),
    }
}

fn responses<'d>(pair: &Pair<'d>, map: &str) -> Inside<'d> {
    let mut inner = same_members(pair, map, Kind::Response, |status| {
        Step::Part("response", status.to_ascii_uppercase())
    });
    for (_, response) in &mut inner {
        response.direction = Direction::Response;
    }
    inner
}

fn headers<'d>(pair: &Pair<'d>) -> Inside<'d> {
    same_members(pair, "headers", Kind::Header, |name| {
        Step::Part("header", name.to_ascii_lowercase())
    })
}

fn media_types<'d>(pair: &Pair<'d>) -> Inside<'d> {
    same_members(pair, "content", Kind::MediaType, |name| Step::Media(name.to_owned()))
}

fn security_schemes<'d>(pair: &Pair<'d>) -> Inside<'d> {
    let (old, new) = pair.documents();
    let names = |object: &Object<'d>| -> BTreeSet<&'d str> {
        let alternatives = object.parts.iter().filter_map(|part| part.value.as_array()).flatten();
        alternatives.filter_map(Value::as_object).flat_map(Map::keys).map(String::as_str).collect()
    };
    let mut inner = Vec::new();
    for name in names(&pair.old).intersection(&names(&pair.new)) {
        let at = join("/components/securitySchemes", name);
        let step = Step::Part("security scheme", (*name).to_owned());
        let schemes = (Object::at(old, &at), Object::at(new, &at));
        inner.push((Some(step), pair.child(Kind::SecurityScheme, schemes.0, schemes.1)));
    }
    inner
}

/// Pairs the members of a map by their names without case.
fn same_members<'d>(
    pair: &Pair<'d>,
    map: &str,
    kind: Kind,
    step: impl Fn(&str) -> Step,
) -> Inside<'d> {
    let (old, new) = pair.documents();
    let mut inner = Vec::new();
    let after = pair.new.members(map);
    for (name, pointer) in pair.old.members(map) {
        let same = after.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        if let Some((_, other)) = same.filter(|_| !name.starts_with("x-") || kind == Kind::Header) {
            let objects = (Object::at(old, &pointer), Object::at(new, other));
            inner.push((Some(step(name)), pair.child(kind, objects.0, objects.1)));
        }
    }
    inner
}

fn one_schema<'d>(pair: &Pair<'d>) -> Inside<'d> {
    nested(pair, "schema").into_iter().map(|schema| (None, schema)).collect()
}

/// Pairs the schemas of a member that both sides have.
fn nested<'d>(pair: &Pair<'d>, member: &str) -> Option<Pair<'d>> {
    let pointers = |object: &Object<'d>| -> Vec<String> {
        let all = object.all(member).into_iter().filter(|part| part.value.is_object());
        all.map(|part| part.pointer).collect()
    };
    let (before, after) = (pointers(&pair.old), pointers(&pair.new));
    let (old, new) = pair.documents();
    (!before.is_empty() && !after.is_empty())
        .then(|| pair.child(Kind::Schema, Object::schema(old, before), Object::schema(new, after)))
}

fn schema<'d>(pair: &Pair<'d>) -> Inside<'d> {
    let (old, new) = pair.documents();
    let mut inner = Vec::new();
    for alternative in alternatives::matched(pair).both {
        let position = alternative.0.pointer.rsplit('/').next().unwrap_or_default().to_owned();
        let name = alternative.0.name.or(alternative.1.name).unwrap_or(position);
        let before = Object::schema(old, vec![alternative.0.pointer]);
        let after = Object::schema(new, vec![alternative.1.pointer]);
        let step = Step::Alternative(name);
        inner.push((Some(step), pair.child(Kind::Schema, before, after)));
    }
    if alternatives::is_reshaped(pair) {
        return inner;
    }
    let mut after = properties::sent(&pair.new, pair.direction);
    for (name, before) in properties::sent(&pair.old, pair.direction) {
        if let Some(after) = after.remove(name) {
            let schemas = (Object::schema(old, before), Object::schema(new, after));
            let step = Step::Property(name.to_owned());
            inner.push((Some(step), pair.child(Kind::Schema, schemas.0, schemas.1)));
        }
    }
    // The schemas of an error's details, by its code.
    let mut after: Vec<(&str, String)> = pair.new.members(BY_CODE);
    for (code, before) in pair.old.members(BY_CODE) {
        if let Some(index) = after.iter().position(|(other, _)| *other == code) {
            let after = Object::schema(new, vec![after.swap_remove(index).1]);
            let step = Step::Alternative(code.to_owned());
            inner.push((
                Some(step),
                pair.child(Kind::Schema, Object::schema(old, vec![before]), after),
            ));
        }
    }
    for (member, step) in [("items", Step::Items), ("additionalProperties", Step::Values)] {
        inner.extend(nested(pair, member).map(|schema| (Some(step), schema)));
    }
    inner
}
