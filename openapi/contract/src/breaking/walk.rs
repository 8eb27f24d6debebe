//! Pairs the objects of the two documents, and finds the pairs inside a pair.

use std::collections::BTreeSet;

use openapi_document::{Document, Operation, pointer::join};
use serde_json::{Map, Value};

use super::{
    alternatives,
    change::Direction,
    matched::Matched,
    object::Object,
    parameters,
    properties::Properties,
    rule::{Kind, Pair},
    step::Step,
};

/// Pairs the operations of both documents by method and path; one side may be absent.
pub(super) fn endpoints<'d>(old: &'d Document, new: &'d Document) -> Vec<(String, Pair<'d>)> {
    let mut matched =
        Matched::of(old.operations().iter().collect(), new.operations().iter().collect());
    let key = |operation: &Operation| (operation.method, operation.path.clone());
    matched.pair(|before, after| key(before) == key(after));
    // Only the names of the path's parameters differ.
    let key = |operation: &Operation| (operation.method, without_names(&operation.path));
    matched.pair(|before, after| key(before) == key(after));
    let endpoint = |operation: &'d Operation, old, new| {
        let pair = Pair { kind: Kind::Endpoint, direction: Direction::Request, old, new };
        (format!("{} {}", operation.method, operation.path), pair)
    };
    let before = |operation| Object::of_operation(old, operation);
    let after = |operation| Object::of_operation(new, operation);
    let both = matched.both.into_iter().map(|(old, new)| endpoint(new, before(old), after(new)));
    let removed = matched.removed.into_iter();
    let removed = removed.map(|gone| endpoint(gone, before(gone), Object::absent(new)));
    let added = matched.added.into_iter();
    let added = added.map(|come| endpoint(come, Object::absent(old), after(come)));
    both.chain(removed).chain(added).collect()
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
    let mut inside = Inside { pair, found: Vec::new() };
    if pair.old.is_absent() || pair.new.is_absent() {
        return inside.found;
    }
    match pair.kind {
        Kind::Endpoint => inside.add(None, Kind::Operation, pair.old.clone(), pair.new.clone()),
        Kind::Document => inside.responses("x-unrouted-responses"),
        Kind::Operation => inside.operation(),
        Kind::Security => inside.security_schemes(),
        Kind::Parameter | Kind::Header => {
            inside.media_types();
            inside.nested(None, "schema");
        }
        Kind::RequestBody => inside.media_types(),
        Kind::Response => {
            inside.media_types();
            inside.members("headers", Kind::Header, |name| {
                Step::Part("header", name.to_ascii_lowercase())
            });
        }
        Kind::MediaType => inside.nested(None, "schema"),
        Kind::Schema => inside.schema(),
        Kind::Servers | Kind::SecurityScheme => {}
    }
    inside.found
}

struct Inside<'p, 'd> {
    pair: &'p Pair<'d>,
    found: Vec<(Option<Step>, Pair<'d>)>,
}

impl<'d> Inside<'_, 'd> {
    fn add(&mut self, step: Option<Step>, kind: Kind, old: Object<'d>, new: Object<'d>) {
        let direction =
            if kind == Kind::Response { Direction::Response } else { self.pair.direction };
        self.found.push((step, Pair { kind, direction, old, new }));
    }

    fn add_at(&mut self, step: Step, kind: Kind, old: &str, new: &str) {
        let documents = self.pair.documents();
        self.add(Some(step), kind, Object::at(documents.0, old), Object::at(documents.1, new));
    }

    fn add_schema(&mut self, step: Option<Step>, old: Vec<String>, new: Vec<String>) {
        let documents = self.pair.documents();
        let (old, new) = (Object::schema(documents.0, old), Object::schema(documents.1, new));
        self.add(step, Kind::Schema, old, new);
    }

    /// Adds the schemas of a member that both sides have.
    fn nested(&mut self, step: Option<Step>, member: &str) {
        let pointers = |object: &Object<'d>| -> Vec<String> {
            let all = object.all(member).into_iter().filter(|part| part.value.is_object());
            all.map(|part| part.pointer).collect()
        };
        let (old, new) = (pointers(&self.pair.old), pointers(&self.pair.new));
        if !old.is_empty() && !new.is_empty() {
            self.add_schema(step, old, new);
        }
    }

    /// Adds the members of a map by their names without case.
    fn members(&mut self, map: &str, kind: Kind, step: impl Fn(&str) -> Step) {
        let after = self.pair.new.members(map);
        for (name, old) in self.pair.old.members(map) {
            let is_extension = name.starts_with("x-") && kind != Kind::Header;
            let same = after.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            if let Some((_, new)) = same.filter(|_| !is_extension) {
                self.add_at(step(name), kind, &old, new);
            }
        }
    }

    fn responses(&mut self, map: &str) {
        self.members(map, Kind::Response, |status| {
            Step::Part("response", status.to_ascii_uppercase())
        });
    }

    fn media_types(&mut self) {
        self.members("content", Kind::MediaType, |name| Step::Media(name.to_owned()));
    }

    fn operation(&mut self) {
        let (old, new) = (&self.pair.old, &self.pair.new);
        self.responses("responses");
        for (before, after) in parameters::matched(self.pair).0.both {
            let step = Step::Part("parameter", after.name.clone());
            self.add_at(step, Kind::Parameter, &before.pointer, &after.pointer);
        }
        const BODY: &str = "requestBody";
        if old.get(BODY).is_some() && new.get(BODY).is_some() {
            let step = Step::Part("request body", String::new());
            self.add_at(step, Kind::RequestBody, &old.pointer(BODY), &new.pointer(BODY));
        }
        for (member, kind) in [("servers", Kind::Servers), ("security", Kind::Security)] {
            self.add(None, kind, inherited(old, member), inherited(new, member));
        }
    }

    fn security_schemes(&mut self) {
        let names = |object: &Object<'d>| -> BTreeSet<&'d str> {
            let alternatives = object.parts.iter().filter_map(|part| part.value.as_array());
            let schemes = alternatives.flatten().filter_map(Value::as_object).flat_map(Map::keys);
            schemes.map(String::as_str).collect()
        };
        for name in names(&self.pair.old).intersection(&names(&self.pair.new)) {
            let at = join("/components/securitySchemes", name);
            let step = Step::Part("security scheme", (*name).to_owned());
            self.add_at(step, Kind::SecurityScheme, &at, &at);
        }
    }

    fn schema(&mut self) {
        let pair = self.pair;
        for (old, new) in alternatives::matched(pair).both {
            let position = old.pointer.rsplit('/').next().unwrap_or_default().to_owned();
            let name = old.name.or(new.name).unwrap_or(position);
            self.add_schema(Some(Step::Alternative(name)), vec![old.pointer], vec![new.pointer]);
        }
        if alternatives::is_reshaped(pair) {
            return;
        }
        let mut after = Properties::of(&pair.new, pair.direction).sent;
        for (name, before) in Properties::of(&pair.old, pair.direction).sent {
            if let Some(after) = after.remove(name) {
                self.add_schema(Some(Step::Property(name.to_owned())), before, after);
            }
        }
        // The schemas of an error's details, by its code.
        let after = pair.new.members("x-by-code");
        for (code, before) in pair.old.members("x-by-code") {
            if let Some((_, after)) = after.iter().find(|(other, _)| *other == code) {
                let step = Step::Alternative(code.to_owned());
                self.add_schema(Some(step), vec![before], vec![after.clone()]);
            }
        }
        self.nested(Some(Step::Items), "items");
        self.nested(Some(Step::Values), "additionalProperties");
    }
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
