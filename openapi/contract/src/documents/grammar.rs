//! Documents as strangers write them, at random: every construct of OpenAPI, in every place where
//! it may stand, under names that are hard for a generator. Most are sensible; some are not.

use proptest::{
    collection::vec,
    prelude::{BoxedStrategy, Just, Strategy as _, any},
    prop_oneof,
    sample::{Index, select},
};
use serde_json::{Map, Value, json};

/// Components of every document, each of which may refer to any, and the forms of a union.
const COMPONENTS: [&str; 4] = ["Pet", "PetName", "Option", "ServerError"];
const FORMS: [&str; 2] = ["Cat", "Dog"];
const NAMES: [&str; 15] = [
    "id", "name", "size", "gen", "self", "userName", "body", "request", "value", "client", "x-y",
    "@type", "2nd", "é", "kind",
];
/// Names that are the same as one of the others for a generator.
const RARE_NAMES: [&str; 4] = ["user_name", "type", "Self", "x_y"];
const IDS: [&str; 9] =
    ["getPet", "listPets", "gen", "pet", "create-pet", "Pet", "2nd", "getPetName", "self"];
const RARE_IDS: [&str; 4] = ["send", "request", "call", "get_pet"];
const FORMATS: [&str; 10] =
    ["date", "date-time", "uuid", "email", "byte", "int32", "int64", "float", "decimal", "other"];
const PATTERNS: [&str; 4] = ["^[A-Z]{2}$", "^a", "^[0-9]+$", "^.{1,3}$"];
const RARE_PATTERNS: [&str; 3] = ["\\d+", "(a)\\1", "("];
/// Values for defaults, examples and enums, which need not fit.
const VALUES: [&str; 11] =
    ["null", "true", "0", "-1", "5.5", "9223372036854775808", "1e400", "\"a\"", "\"\"", "[]", "{}"];

type Made = BoxedStrategy<Value>;

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

/// The document with one edit: a member is removed, renamed or another value.
pub(super) fn edited(document: &Value, at: Index, edit: &Edit) -> Value {
    let mut pointers = Vec::new();
    collect(document, String::new(), &mut pointers);
    let pointer = at.get(&pointers);
    let (parent, name) = pointer.rsplit_once('/').expect("the root is not collected");
    let name = name.replace("~1", "/").replace("~0", "~");
    let mut edited = document.clone();
    match edited.pointer_mut(parent).expect("the pointer was collected") {
        Value::Object(members) => {
            let value = members.get(&name).cloned().unwrap_or_default();
            match edit {
                Edit::Remove => drop(members.shift_remove(&name)),
                Edit::Rename(to) => {
                    members.shift_remove(&name);
                    members.insert(to.clone(), value);
                }
                Edit::Replace(by) => drop(members.insert(name, by.clone())),
            }
        }
        Value::Array(items) => {
            let index: usize = name.parse().expect("items have numbers");
            match edit {
                Edit::Remove => drop(items.remove(index)),
                Edit::Rename(_) => items.push(items[index].clone()),
                Edit::Replace(by) => items[index] = by.clone(),
            }
        }
        _ => unreachable!("only these have members"),
    }
    edited
}

#[derive(Clone, Debug)]
pub(super) enum Edit {
    Remove,
    Rename(String),
    Replace(Value),
}

pub(super) fn edit() -> BoxedStrategy<Edit> {
    let names =
        NAMES.into_iter().chain(RARE_NAMES).chain(["minLength", "required", "204", "text/plain"]);
    prop_oneof![
        2 => Just(Edit::Remove),
        1 => select(names.map(str::to_owned).collect::<Vec<_>>()).prop_map(Edit::Rename),
        1 => any_value().prop_map(Edit::Replace),
        2 => schema(1).prop_map(Edit::Replace),
    ]
    .boxed()
}

fn collect(value: &Value, at: String, pointers: &mut Vec<String>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, it)| (index.to_string(), it)).collect()
        }
        _ => Vec::new(),
    };
    for (name, member) in members {
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        pointers.push(pointer.clone());
        collect(member, pointer, pointers);
    }
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

fn without_null(mut value: Value) -> Value {
    value.as_object_mut().expect("it is an object").retain(|_, member| !member.is_null());
    value
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

/// A schema of one value.
fn plain() -> Made {
    let text = some_of(
        json!({ "type": "string" }),
        vec![
            ("minLength", (0..3).prop_map(Value::from).boxed()),
            ("maxLength", (0..9).prop_map(Value::from).boxed()),
            ("pattern", mostly(&PATTERNS, &RARE_PATTERNS).prop_map(Value::from).boxed()),
            ("format", select(FORMATS.to_vec()).prop_map(Value::from).boxed()),
            ("enum", rarely(json!(["a", "b-c", "2"]), json!(["a", "A", ""]))),
        ],
    );
    let bounds = || {
        vec![
            ("minimum", rarely(json!(0), json!(1.5))),
            ("maximum", rarely(json!(9), json!(9_223_372_036_854_775_808_u64))),
            ("multipleOf", rarely(json!(10), json!(0.01))),
            ("format", select(FORMATS.to_vec()).prop_map(Value::from).boxed()),
            ("enum", Just(json!([1, 2, 30])).boxed()),
        ]
    };
    let plain = prop_oneof![
        5 => text,
        3 => some_of(json!({ "type": "integer" }), bounds()),
        1 => Just(json!({ "type": "integer", "minimum": 0, "exclusiveMinimum": true })),
        2 => some_of(json!({ "type": "number" }), bounds()),
        1 => Just(json!({ "type": "boolean" })),
    ];
    some_beside(
        plain.boxed(),
        vec![
            ("nullable", Just(json!(true)).boxed()),
            ("description", Just(json!("Text.\n\n| a | `*/` |")).boxed()),
            ("deprecated", Just(json!(true)).boxed()),
        ],
    )
}

fn reference() -> Made {
    select(COMPONENTS.to_vec())
        .prop_map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }))
        .boxed()
}

/// A schema that nests other schemas so often at most.
fn schema(depth: u32) -> Made {
    let leaf = prop_oneof![6 => plain(), 4 => reference(), 1 => Just(json!({}))];
    let inner = move || schema(depth - 1);
    if depth == 0 {
        return leaf.boxed();
    }
    let map =
        inner().prop_map(|values| json!({ "type": "object", "additionalProperties": values }));
    let nullable = reference().prop_map(|it| json!({ "nullable": true, "allOf": [it] }));
    prop_oneof![
        30 => leaf,
        60 => object(inner()),
        20 => list(inner()),
        10 => map,
        10 => nullable,
        10 => vec(object(plain()), 1..=3).prop_map(|parts| json!({ "allOf": parts })),
        3 => vec(prop_oneof![reference(), inner()], 1..=3)
            .prop_map(|parts| json!({ "allOf": parts })),
        10 => union(),
        2 => vec(inner(), 1..=3).prop_map(|parts| json!({ "anyOf": parts })),
        2 => inner().prop_map(|part| json!({ "not": part })),
        2 => (inner(), any_value(), select(vec!["default", "example"])).prop_map(
            |(mut schema, value, keyword)| {
                schema[keyword] = value;
                schema
            },
        ),
    ]
    .boxed()
}

fn object(inner: Made) -> Made {
    let access = prop_oneof![
        8 => Just(None),
        1 => Just(Some("readOnly")),
        1 => Just(Some("writeOnly")),
    ];
    let property = (mostly(&NAMES, &RARE_NAMES), inner, access, any::<bool>());
    vec(property, 0..=4)
        .prop_flat_map(|properties| {
            let mut object = json!({ "type": "object", "properties": {} });
            let mut required = Vec::new();
            for (name, mut schema, access, is_required) in properties {
                if let (Some(access), None) = (access, schema.get("$ref")) {
                    schema[access] = json!(true);
                }
                object["properties"][name] = schema;
                if is_required && !required.contains(&name) {
                    required.push(name);
                }
            }
            object["required"] = json!(required);
            some_of(
                object,
                vec![
                    ("additionalProperties", Just(json!(false)).boxed()),
                    ("minProperties", (0..3).prop_map(Value::from).boxed()),
                    ("maxProperties", (0..5).prop_map(Value::from).boxed()),
                    ("nullable", Just(json!(true)).boxed()),
                ],
            )
        })
        .boxed()
}

/// Alternatives: forms that a member tells apart, or others, sometimes by a mapping that leads
/// nowhere.
fn union() -> Made {
    let forms = || FORMS.map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }));
    let mappings = vec![
        Value::Null,
        json!({ "cat": "#/components/schemas/Cat" }),
        json!({ "a": "Cat", "b": "Cat", "Dog": "Dog" }),
    ];
    let nowhere = vec![
        json!({ "x": "#/components/schemas/Nowhere" }),
        json!({ "x": "other.yaml#/Cat" }),
        json!({ "a": "Pet" }),
    ];
    let discriminator =
        |mapping| without_null(json!({ "propertyName": "kind", "mapping": mapping }));
    prop_oneof![
        8 => select(mappings).prop_map(move |mapping| {
            json!({ "oneOf": forms(), "discriminator": discriminator(mapping) })
        }),
        1 => select(nowhere).prop_map(move |mapping| {
            json!({ "oneOf": forms(), "discriminator": discriminator(mapping) })
        }),
        4 => Just(json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] })),
        1 => vec(prop_oneof![reference(), plain()], 1..=3)
            .prop_map(|parts| json!({ "oneOf": parts })),
    ]
    .boxed()
}

fn list(items: Made) -> Made {
    let list = items.prop_map(|items| json!({ "type": "array", "items": items }));
    let limits = vec![
        ("minItems", (0..3).prop_map(Value::from).boxed()),
        ("maxItems", (3..5).prop_map(Value::from).boxed()),
        ("uniqueItems", Just(json!(true)).boxed()),
    ];
    some_beside(list.boxed(), limits)
}

/// One of the usual texts, rarely another.
fn mostly(usual: &[&'static str], rare: &[&'static str]) -> BoxedStrategy<&'static str> {
    prop_oneof![30 => select(usual.to_vec()), 1 => select(rare.to_vec())].boxed()
}

fn some_of(base: Value, members: Vec<(&'static str, Made)>) -> Made {
    some_beside(Just(base).boxed(), members)
}

/// An object, with one in eight of these members.
fn some_beside(base: Made, members: Vec<(&'static str, Made)>) -> Made {
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, value)| (Just(name), proptest::option::weighted(0.125, value)))
        .collect();
    (base, members)
        .prop_map(|(mut base, members)| {
            for (name, value) in members {
                if let Some(value) = value {
                    base[name] = value;
                }
            }
            base
        })
        .boxed()
}

fn any_value() -> Made {
    let values = VALUES.iter().map(|text| serde_json::from_str(text).unwrap_or_default());
    select(values.collect::<Vec<Value>>()).boxed()
}

fn rarely(usual: Value, rare: Value) -> Made {
    rarely_of(Just(usual).boxed(), Just(rare).boxed())
}

fn rarely_of(usual: Made, rare: Made) -> Made {
    prop_oneof![20 => usual, 1 => rare].boxed()
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
