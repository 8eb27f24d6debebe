//! Documents as strangers write them, at random: every construct of OpenAPI, in every place where
//! it may stand, under names that are hard for a generator. Most are sensible; some are not.

use proptest::{
    collection::vec,
    prelude::{BoxedStrategy, Just, Strategy as _, any},
    prop_oneof,
    sample::select,
};
use serde_json::{Map, Value, json};

use super::schemas::{
    COMPONENTS, FORMS, Made, NAMES, RARE_NAMES, list, mostly, object, plain, rarely, rarely_of,
    schema, without_null,
};

const IDS: [&str; 9] =
    ["getPet", "listPets", "gen", "pet", "create-pet", "Pet", "2nd", "getPetName", "self"];
const RARE_IDS: [&str; 4] = ["send", "request", "call", "get_pet"];

/// A document of one to three operations.
pub(super) fn document() -> Made {
    let operations = vec(operation(), 1..=3);
    let components = COMPONENTS.map(|_| prop_oneof![5 => object(schema(1)), 1 => plain()]);
    let version = select(vec!["3.0.3", "3.0.3", "3.0.3", "3.1.0"]);
    let security = rarely(json!([{ "Key": [] }]), json!([{ "OAuth": ["read"] }, {}]));
    (version, operations, components, error(), security)
        .prop_map(|(version, operations, components, error, security)| {
            let mut paths = Map::new();
            for (index, (path, method, operation)) in operations.into_iter().enumerate() {
                paths.insert(path.replace('N', &index.to_string()), json!({ method: operation }));
            }
            let names = COMPONENTS.map(str::to_owned).into_iter();
            let mut schemas: Map<String, Value> = names.zip(components).collect();
            schemas.insert("Error".to_owned(), error);
            for name in FORMS {
                let form = json!({ "type": "object", "required": ["kind"], "properties": {
                    "kind": { "type": "string" }, name: { "type": "integer" } } });
                schemas.insert(name.to_owned(), form);
            }
            let schemes = json!({
                "Key": { "type": "apiKey", "in": "header", "name": "x-key" },
                "OAuth": { "type": "oauth2", "flows": { "clientCredentials": {
                    "tokenUrl": "https://example.com/token", "scopes": { "read": "Read." } } } },
            });
            let mut document = json!({
                "openapi": version,
                "info": { "title": "Made", "version": "1" },
                "security": security,
                "paths": paths,
                "components": { "schemas": schemas, "securitySchemes": schemes },
            });
            if version == "3.1.0" {
                as_3_1(&mut document);
            }
            document
        })
        .boxed()
}

/// Path, method and operation.
fn operation() -> BoxedStrategy<(String, String, Value)> {
    let paths = ["/rN", "/rN/{id}", "/rN/{id}:cancel", "/rN/{id}/x/{name}", "/rN.{kind}"];
    let methods = ["get", "get", "post", "put", "patch", "delete", "head"];
    let responses = vec(response(), 0..=2);
    (select(paths.to_vec()), select(methods.to_vec()), mostly(&IDS, &RARE_IDS))
        .prop_flat_map(move |(path, method, id)| {
            let in_path = path.split('{').skip(1).filter_map(|part| part.split('}').next());
            let in_path: Vec<Made> = in_path.map(|name| parameter("path", name)).collect();
            let others = vec(any_parameter(), 0..=3);
            let body = match method {
                "get" | "head" | "delete" => rarely_of(Just(Value::Null).boxed(), body()),
                _ => prop_oneof![1 => Just(Value::Null), 4 => body()].boxed(),
            };
            let security = rarely(Value::Null, json!([]));
            (Just((path, method, id)), in_path, others, body, responses.clone(), security)
        })
        .prop_map(|((path, method, id), in_path, others, body, responses, security)| {
            let mut parameters = in_path;
            for parameter in others {
                let is_known = |known: &Value| {
                    known["name"] == parameter["name"] && known["in"] == parameter["in"]
                };
                if !parameters.iter().any(is_known) {
                    parameters.push(parameter);
                }
            }
            let failed = json!({ "description": "Failed.", "content": {
                "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } });
            let mut responses: Map<String, Value> = responses.into_iter().collect();
            responses.entry("default").or_insert(failed);
            if !responses.keys().any(|status| status.starts_with('2')) {
                responses.insert("200".to_owned(), json!({ "description": "Done." }));
            }
            let operation = json!({
                "operationId": id,
                "parameters": parameters,
                "requestBody": body,
                "responses": responses,
                "security": security,
            });
            (path.to_owned(), method.to_owned(), without_null(operation))
        })
        .boxed()
}

fn any_parameter() -> Made {
    (mostly(&["query", "query", "header"], &["cookie"]), mostly(&NAMES, &RARE_NAMES))
        .prop_flat_map(|(place, name)| parameter(place, name))
        .boxed()
}

fn parameter(place: &'static str, name: &'static str) -> Made {
    let is_required = if place == "path" { Just(true).boxed() } else { any::<bool>().boxed() };
    let is_query = place == "query";
    let plain_one = plain().prop_map(|schema| (schema, json!({}))).boxed();
    let styled = prop_oneof![
        2 => list(plain()).prop_map(|schema| (schema, json!({}))),
        1 => list(plain()).prop_map(|schema| (schema, json!({ "explode": false }))),
        1 => list(plain())
            .prop_map(|schema| (schema, json!({ "style": "pipeDelimited", "explode": false }))),
        2 => object(plain())
            .prop_map(|schema| (schema, json!({ "style": "deepObject", "explode": true }))),
        1 => object(plain()).prop_map(|schema| (schema, json!({ "content": true }))),
        1 => plain().prop_map(|schema| (schema, json!({ "allowEmptyValue": true }))),
        1 => schema(1).prop_map(|schema| (schema, json!({}))),
    ];
    let styled = if is_query { styled.boxed() } else { schema(1).prop_map(no_style).boxed() };
    let weight = if is_query { 3 } else { 30 };
    let value = prop_oneof![weight => plain_one, 1 => styled];
    (value, is_required)
        .prop_map(move |((schema, style), is_required)| {
            let mut parameter = json!({ "name": name, "in": place, "required": is_required });
            let members = parameter.as_object_mut().expect("it is an object");
            match style.get("content") {
                Some(_) => {
                    let content = json!({ "application/json": { "schema": schema } });
                    members.insert("content".to_owned(), content);
                }
                None => {
                    members.insert("schema".to_owned(), schema);
                    members.extend(style.as_object().into_iter().flatten().map(owned));
                }
            }
            parameter
        })
        .boxed()
}

fn no_style(schema: Value) -> (Value, Value) {
    (schema, json!({}))
}

fn body() -> Made {
    let types = prop_oneof![
        8 => Just("application/json"),
        1 => Just("application/merge-patch+json"),
        1 => Just("application/x-www-form-urlencoded"),
        1 => Just("multipart/form-data"),
        1 => Just("text/plain; charset=utf-8"),
        1 => Just("application/octet-stream"),
    ];
    let content = vec((types, schema(2)), 1..=2);
    let required = prop_oneof![2 => Just(json!(true)), 1 => Just(json!(false))];
    (content, required)
        .prop_map(|(content, required)| json!({ "content": media(content), "required": required }))
        .boxed()
}

fn media(content: Vec<(&str, Value)>) -> Value {
    let types = content.into_iter().map(|(name, schema)| {
        let schema = match name {
            "text/plain; charset=utf-8" | "text/csv" => json!({ "type": "string" }),
            "application/octet-stream" | "application/pdf" => {
                json!({ "type": "string", "format": "binary" })
            }
            _ => schema,
        };
        (name.to_owned(), json!({ "schema": schema }))
    });
    Value::Object(types.collect())
}

fn response() -> BoxedStrategy<(String, Value)> {
    let statuses = ["200", "200", "201", "202", "204", "302", "404", "409", "4XX", "default"];
    let types = prop_oneof![
        8 => Just("application/json"),
        1 => Just("application/problem+json"),
        1 => Just("text/csv"),
        1 => Just("application/pdf"),
    ];
    let headers = rarely_of(
        Just(Value::Null).boxed(),
        (select(vec!["Location", "X-Total", "ETag"]), plain(), any::<bool>())
            .prop_map(|(name, schema, is_required)| {
                json!({ name: { "schema": schema, "required": is_required } })
            })
            .boxed(),
    );
    (select(statuses.to_vec()), vec((types, schema(2)), 0..=2), headers)
        .prop_map(|(status, content, headers)| {
            let content = match status {
                "204" | "302" => Value::Null,
                // Errors have one form, but for a few.
                "404" | "409" | "4XX" | "default" if content.len() < 2 => {
                    let error = json!({ "$ref": "#/components/schemas/Error" });
                    json!({ "application/json": { "schema": error } })
                }
                _ if content.is_empty() => Value::Null,
                _ => media(content),
            };
            let response = json!({ "description": "It is.", "content": content,
                "headers": headers });
            (status.to_owned(), without_null(response))
        })
        .boxed()
}

/// The schema of errors.
fn error() -> Made {
    let text = json!({ "type": "string" });
    prop_oneof![
        8 => Just(json!({ "type": "object", "required": ["code", "message"],
            "properties": { "code": text, "message": text, "details": {} } })),
        4 => Just(json!({ "type": "object", "required": ["title", "status"],
            "properties": { "title": text, "status": { "type": "integer" }, "detail": text } })),
        1 => object(plain()),
    ]
    .boxed()
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// Writes what 3.1 writes in another way.
fn as_3_1(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.get("nullable") == Some(&json!(true)) {
                members.shift_remove("nullable");
                match members.get("type").cloned() {
                    Some(Value::String(name)) => {
                        members.insert("type".to_owned(), json!([name, "null"]));
                    }
                    _ => {
                        let alternatives =
                            json!([Value::Object(members.clone()), { "type": "null" }]);
                        *members = Map::from_iter([("anyOf".to_owned(), alternatives)]);
                    }
                }
            }
            if members.get("exclusiveMinimum") == Some(&json!(true)) {
                members.insert("exclusiveMinimum".to_owned(), json!(0));
            }
            members.values_mut().for_each(as_3_1);
        }
        Value::Array(items) => items.iter_mut().for_each(as_3_1),
        _ => {}
    }
}
