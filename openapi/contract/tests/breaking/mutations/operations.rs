//! Mutations of operations, and of the responses, parameters and headers that they share.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Mutation,
    places::{Reach, operations},
};

/// The rule with its level, the member to set, and its value.
type Edit = (&'static str, String, Value);

/// A name, and the edits of one object.
type Operator = (&'static str, fn(&Value) -> Vec<Edit>);

const OF_OPERATIONS: &[Operator] = &[
    ("operation-id", |_| set("operation-id-changed warning", true, "operationId", json!("zz"))),
    ("tag", |_| set("operation-tag-changed warning", true, "tags", json!(["zz"]))),
    ("scope", |_| set("required-scope-changed breaking", true, "x-required-scope", json!("zz"))),
    ("no-scope", |it| removed("required-scope-removed compatible", it, "x-required-scope")),
    ("profile", |_| set("profile-changed warning", true, "x-profile", json!("zz"))),
    ("idempotency", |it| removed("idempotency-lost breaking", it, "x-idempotent")),
    ("deprecation", |_| set("deprecated compatible", true, "deprecated", json!(true))),
    ("security", |_| set("security-alternative-added compatible", true, "security", json!([]))),
    ("required-parameter", |it| {
        let parameter = json!({ "name": "zz", "in": "query", "required": true, "schema": {} });
        set("request-required-parameter-added breaking", true, &parameter_at(it, 0), parameter)
    }),
    ("optional-parameter", |it| {
        let parameter = json!({ "name": "zz", "in": "header", "schema": { "type": "string" } });
        set("request-optional-parameter-added compatible", true, &parameter_at(it, 0), parameter)
    }),
    ("no-parameter", |it| {
        set("request-parameter-removed breaking", true, &parameter_at(it, 1), Value::Null)
    }),
    ("no-body", |it| removed("request-body-removed breaking", it, "requestBody")),
    ("optional-body", |it| {
        let rule = "request-body-became-optional compatible";
        set(rule, has(it, "requestBody"), "requestBody/required", Value::Null)
    }),
    ("body-media-type", |it| {
        let rule = "request-media-type-added compatible";
        set(rule, has(it, "requestBody"), "requestBody/content/application~1zz", json!({}))
    }),
    ("no-status", |it| {
        let statuses = it["responses"].as_object().unwrap().keys();
        let edits = statuses.map(|status| match status.starts_with('2') {
            true => (GONE_SUCCESS, format!("responses/{status}"), Value::Null),
            false => (GONE_ERROR, format!("responses/{status}"), Value::Null),
        });
        edits.collect()
    }),
    ("error-status", |_| {
        let response = json!({ "description": "A teapot." });
        set("response-error-status-added compatible", true, "responses/418", response)
    }),
    ("success-status", |_| {
        let response = json!({ "description": "Later." });
        set("response-success-status-added warning", true, "responses/202", response)
    }),
];

const GONE_SUCCESS: &str = "response-success-status-removed breaking";
const GONE_ERROR: &str = "response-error-status-removed compatible";

const OF_RESPONSES: &[Operator] = &[
    ("error-code", |it| {
        let codes = it["x-error-codes"].as_array().map(Vec::len);
        let member = format!("x-error-codes/{}", codes.unwrap_or_default());
        set("response-error-code-added compatible", codes.is_some(), &member, json!("ZZ"))
    }),
    ("no-error-code", |it| removed("response-error-code-removed warning", it, "x-error-codes")),
    ("header", |_| {
        let header = json!({ "schema": { "type": "string" } });
        set("response-header-added compatible", true, "headers/x-zz", header)
    }),
    ("no-media-type", |it| removed("response-media-type-removed breaking", it, "content")),
];

const OF_HEADERS: &[Operator] = &[
    ("optional-header", |it| {
        let rule = "response-header-became-optional breaking";
        set(rule, it["required"] == true, "required", Value::Null)
    }),
    ("required-header", |it| {
        let rule = "response-header-became-required compatible";
        set(rule, it["required"] != true, "required", json!(true))
    }),
];

const OF_PARAMETERS: &[Operator] = &[
    ("parameter-required", |it| {
        let rule = "request-parameter-became-required breaking";
        set(rule, it["required"] != true, "required", json!(true))
    }),
    ("parameter-moved", |it| {
        let rule = "request-parameter-location-changed breaking";
        set(rule, it["in"] == "query", "in", json!("header"))
    }),
    ("parameter-style", |it| {
        let rule = "request-parameter-style-changed breaking";
        set(rule, it["in"] == "query", "explode", json!(false))
    }),
];

pub(super) fn mutations(document: &Value, reach: &Reach) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    for (pointer, operation) in operations(document) {
        apply(&pointer, operation, OF_OPERATIONS, &mut mutations);
        mutations.push(Mutation {
            operator: "no-operation",
            place: pointer.clone(),
            edits: vec![(pointer.clone(), Value::Null)],
            expected: BTreeSet::from(["operation-removed breaking".to_owned()]),
        });
    }
    let kinds =
        [("responses", OF_RESPONSES), ("headers", OF_HEADERS), ("parameters", OF_PARAMETERS)];
    for (kind, table) in kinds {
        for (name, object) in document["components"][kind].as_object().unwrap() {
            let pointer = format!("/components/{kind}/{name}");
            if reach.reaches(&pointer) {
                apply(&pointer, object, table, &mut mutations);
            }
        }
    }
    mutations
}

fn apply(pointer: &str, object: &Value, table: &[Operator], mutations: &mut Vec<Mutation>) {
    for (operator, edits) in table {
        for (rule, member, value) in edits(object) {
            let place = format!("{pointer}/{member}");
            mutations.push(Mutation {
                operator,
                edits: vec![(place.clone(), value)],
                place,
                expected: BTreeSet::from([rule.to_owned()]),
            });
        }
    }
}

/// Returns one edit, if the operator applies to the object.
fn set(rule: &'static str, is_it: bool, member: &str, value: Value) -> Vec<Edit> {
    is_it.then(|| (rule, member.to_owned(), value)).into_iter().collect()
}

fn removed(rule: &'static str, object: &Value, member: &str) -> Vec<Edit> {
    set(rule, has(object, member), member, Value::Null)
}

fn has(object: &Value, member: &str) -> bool {
    object.get(member).is_some()
}

/// Returns the place of a parameter, counted from the end of the list.
fn parameter_at(operation: &Value, from_end: usize) -> String {
    format!("parameters/{}", operation["parameters"].as_array().unwrap().len() - from_end)
}
