//! Mutations of operations, and of the responses, parameters and headers that they share.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Mutation,
    places::{Reach, operations},
};

/// Its name, and the edits of one object: rule with level, member and value.
type Edits = fn(&Value) -> Vec<(&'static str, String, Value)>;

const OF_OPERATIONS: &[(&str, Edits)] = &[
    ("operation-id", |_| vec![edit("operation-id-changed warning", "operationId", json!("zz"))]),
    ("tag", |_| vec![edit("operation-tag-changed warning", "tags", json!(["zz"]))]),
    ("scope", |_| vec![edit("required-scope-changed breaking", "x-required-scope", json!("zz"))]),
    ("no-scope", |operation| {
        removed(operation, "x-required-scope", "required-scope-removed compatible")
    }),
    ("profile", |_| vec![edit("profile-changed warning", "x-profile", json!("zz"))]),
    ("idempotency", |operation| removed(operation, "x-idempotent", "idempotency-lost breaking")),
    ("deprecation", |_| vec![edit("deprecated compatible", "deprecated", json!(true))]),
    ("security", |_| vec![edit("security-alternative-added compatible", "security", json!([]))]),
    ("required-parameter", |operation| {
        let schema = json!({ "type": "string" });
        let parameter = json!({ "name": "zz", "in": "query", "required": true, "schema": schema });
        let last = operation["parameters"].as_array().unwrap().len();
        let rule = "request-required-parameter-added breaking";
        vec![(rule, format!("parameters/{last}"), parameter)]
    }),
    ("optional-parameter", |operation| {
        let parameter = json!({ "name": "zz", "in": "header", "schema": { "type": "string" } });
        let last = operation["parameters"].as_array().unwrap().len();
        let rule = "request-optional-parameter-added compatible";
        vec![(rule, format!("parameters/{last}"), parameter)]
    }),
    ("no-parameter", |operation| {
        let last = operation["parameters"].as_array().unwrap().len() - 1;
        let rule = "request-parameter-removed breaking";
        vec![(rule, format!("parameters/{last}"), Value::Null)]
    }),
    ("no-body", |operation| removed(operation, "requestBody", "request-body-removed breaking")),
    ("optional-body", |operation| {
        let body = operation.get("requestBody");
        let rule = "request-body-became-optional compatible";
        body.map(|_| edit(rule, "requestBody/required", Value::Null)).into_iter().collect()
    }),
    ("body-media-type", |operation| {
        let body = operation.get("requestBody");
        let rule = "request-media-type-added compatible";
        let place = "requestBody/content/application~1zz";
        body.map(|_| edit(rule, place, json!({}))).into_iter().collect()
    }),
    ("no-status", |operation| {
        statuses(operation).map(|(status, rule)| (rule, status, Value::Null)).collect()
    }),
    ("error-status", |_| {
        let response = json!({ "description": "A teapot." });
        vec![edit("response-error-status-added compatible", "responses/418", response)]
    }),
    ("success-status", |_| {
        let response = json!({ "description": "Later." });
        vec![edit("response-success-status-added warning", "responses/202", response)]
    }),
];

const OF_RESPONSES: &[(&str, Edits)] = &[
    ("error-code", |response| {
        let last = response["x-error-codes"].as_array().map(Vec::len);
        let added = last.map(|last| format!("x-error-codes/{last}"));
        let rule = "response-error-code-added compatible";
        added.map(|place| (rule, place, json!("ZZ"))).into_iter().collect()
    }),
    ("no-error-code", |response| {
        removed(response, "x-error-codes", "response-error-code-removed warning")
    }),
    ("header", |_| {
        let header = json!({ "schema": { "type": "string" } });
        vec![edit("response-header-added compatible", "headers/x-zz", header)]
    }),
    ("no-media-type", |response| {
        removed(response, "content", "response-media-type-removed breaking")
    }),
];

const OF_HEADERS: &[(&str, Edits)] = &[
    ("optional-header", |header| {
        let is_it = header["required"] == true;
        let rule = "response-header-became-optional breaking";
        is_it.then(|| edit(rule, "required", Value::Null)).into_iter().collect()
    }),
    ("required-header", |header| {
        let is_it = header["required"] != true;
        let rule = "response-header-became-required compatible";
        is_it.then(|| edit(rule, "required", json!(true))).into_iter().collect()
    }),
];

const OF_PARAMETERS: &[(&str, Edits)] = &[
    ("parameter-required", |parameter| {
        let is_it = parameter["required"] != true;
        let rule = "request-parameter-became-required breaking";
        is_it.then(|| edit(rule, "required", json!(true))).into_iter().collect()
    }),
    ("parameter-moved", |parameter| {
        let is_it = parameter["in"] == "query";
        let rule = "request-parameter-location-changed breaking";
        is_it.then(|| edit(rule, "in", json!("header"))).into_iter().collect()
    }),
    ("parameter-style", |parameter| {
        let is_it = parameter["in"] == "query";
        let rule = "request-parameter-style-changed breaking";
        is_it.then(|| edit(rule, "explode", json!(false))).into_iter().collect()
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

fn apply(
    pointer: &str,
    object: &Value,
    table: &[(&'static str, Edits)],
    mutations: &mut Vec<Mutation>,
) {
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

fn edit(rule: &'static str, member: &str, value: Value) -> (&'static str, String, Value) {
    (rule, member.to_owned(), value)
}

fn removed(object: &Value, member: &str, rule: &'static str) -> Vec<(&'static str, String, Value)> {
    object.get(member).map(|_| edit(rule, member, Value::Null)).into_iter().collect()
}

fn statuses(operation: &Value) -> impl Iterator<Item = (String, &'static str)> {
    operation["responses"].as_object().unwrap().keys().map(|status| {
        let rule = if status.starts_with('2') {
            "response-success-status-removed breaking"
        } else {
            "response-error-status-removed compatible"
        };
        (format!("responses/{status}"), rule)
    })
}
