//! All rules. To add one, add a row to the table of its kind of object, and an example to the
//! tests.

mod annotations;
mod bodies;
mod bounds;
mod constraints;
mod objects;
mod operations;
mod parameters;
mod responses;
mod security;
mod unions;
mod values;

use super::{
    alternatives,
    rule::{Kind, Pair, Rule},
};

/// The rules about each kind of object.
const TABLES: [(Kind, &[Rule]); 16] = [
    (Kind::Document, operations::DOCUMENT),
    (Kind::Document, responses::STATUSES),
    (Kind::Endpoint, operations::ENDPOINTS),
    (Kind::Operation, operations::OPERATIONS),
    (Kind::Operation, parameters::OPERATIONS),
    (Kind::Operation, bodies::OPERATIONS),
    (Kind::Operation, responses::STATUSES),
    (Kind::Servers, operations::SERVERS),
    (Kind::Security, security::REQUIREMENTS),
    (Kind::SecurityScheme, security::SCHEMES),
    (Kind::Parameter, parameters::PARAMETERS),
    (Kind::RequestBody, bodies::REQUEST_BODIES),
    (Kind::Response, responses::RESPONSES),
    (Kind::Header, responses::HEADERS),
    (Kind::MediaType, bodies::MEDIA_TYPES),
    (Kind::Schema, unions::UNIONS),
];

/// The rules about schemas that are described by their own keywords, not by a union.
const SCHEMAS: [&[Rule]; 4] =
    [values::VALUES, bounds::BOUNDS, constraints::CONSTRAINTS, objects::PROPERTIES];

/// Returns the rules that apply to a pair.
pub(super) fn of(pair: &Pair<'_>) -> impl Iterator<Item = &'static Rule> {
    let kind = pair.kind;
    let is_incomplete = pair.old.is_absent() || pair.new.is_absent();
    let can_be_absent = matches!(kind, Kind::Endpoint | Kind::Servers | Kind::Security);
    let own = TABLES.iter().filter(move |(of, _)| *of == kind && (!is_incomplete || can_be_absent));
    let is_schema = kind == Kind::Schema && !is_incomplete && !alternatives::is_reshaped(pair);
    let schemas = SCHEMAS.iter().filter(move |_| is_schema);
    let is_described = !is_incomplete && kind != Kind::Endpoint;
    let annotations = is_described.then_some(annotations::ANNOTATIONS);
    own.map(|(_, rules)| *rules).chain(schemas.copied()).chain(annotations).flatten()
}

/// Returns every rule once.
pub(super) fn all() -> Vec<&'static Rule> {
    let tables = TABLES.iter().map(|(_, rules)| *rules).chain(SCHEMAS);
    let mut rules: Vec<&Rule> = tables.chain([annotations::ANNOTATIONS]).flatten().collect();
    rules.sort_by_key(|rule| rule.name);
    rules.dedup_by_key(|rule| rule.name);
    rules
}
