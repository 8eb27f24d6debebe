//! Keywords of OpenAPI 3.1 that 3.0 lacks: the validator reads them, the generator rejects them
//! with their places, and `breaking` reports any change of them.

use openapi_contract::{
    breaking::{Direction, Level, changes},
    codegen::{self, Config},
    lint,
};
use openapi_document::{Direction as Sent, Document};
use serde_json::{Value, json};

/// A document whose components `It` has the schema; the operation has `uses`.
fn document(uses: &str, schema: &str) -> Document {
    let text = format!(
        "openapi: 3.1.0
info: {{ title: T, version: '1' }}
tags: [{{ name: t }}]
paths:
  /things:
    post: {{ operationId: createThing, tags: [t], {uses} }}
components:
  schemas:
    It: {{ {schema} }}
"
    );
    Document::parse("api.yaml", &text).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

const IT: &str = "schema: { $ref: '#/components/schemas/It' }";

/// Keyword, schema, a valid value, and one that the keyword alone excludes.
fn keywords() -> [(&'static str, &'static str, Value, Value); 11] {
    [
        (
            "if",
            "type: object, if: { required: [a] }, then: { required: [b] }",
            json!({ "a": 1, "b": 1 }),
            json!({ "a": 1 }),
        ),
        (
            "else",
            "type: object, if: { required: [a] }, else: { required: [b] }",
            json!({ "b": 1 }),
            json!({}),
        ),
        ("if", "type: string, if: { const: a }, then: false", json!("b"), json!("a")),
        (
            "prefixItems",
            "type: array, prefixItems: [{ type: [string, 'null'] }], items: { type: integer }",
            json!([null, 1]),
            json!([1, 1]),
        ),
        (
            "prefixItems",
            "type: [array, string], prefixItems: [{ const: a }], items: { type: integer }",
            json!(["a", 1]),
            json!(["b", 1]),
        ),
        ("contains", "type: array, items: {}, contains: { const: a }", json!(["a"]), json!(["b"])),
        (
            "maxContains",
            "type: array, items: {}, contains: { const: a }, maxContains: 1",
            json!(["a"]),
            json!(["a", "a"]),
        ),
        (
            "dependentRequired",
            "type: object, dependentRequired: { a: [b] }",
            json!({ "a": 1, "b": 1 }),
            json!({ "a": 1 }),
        ),
        (
            "dependentSchemas",
            "type: object, dependentSchemas: { a: { properties: { b: { exclusiveMinimum: 0 } } } }",
            json!({ "a": 1, "b": 1 }),
            json!({ "a": 1, "b": 0 }),
        ),
        (
            "patternProperties",
            "type: object, patternProperties: { '^a': { type: string } }, properties: { b: {} }",
            json!({ "ab": "" }),
            json!({ "ab": 1 }),
        ),
        (
            "unevaluatedProperties",
            "allOf: [{ type: object, properties: { a: {} } }], unevaluatedProperties: false",
            json!({ "a": 1 }),
            json!({ "b": 1 }),
        ),
    ]
}

#[test]
fn keywords_of_3_1_are_validated_and_are_not_generated() {
    let json = format!("content: {{ application/json: {{ {IT} }} }}");
    let fine = "responses: { '204': { description: A. } }";
    let places = [
        format!("requestBody: {{ required: true, {json} }}, {fine}"),
        format!("requestBody: {{ content: {{ text/plain: {{ {IT} }} }} }}, {fine}"),
        format!("responses: {{ '200': {{ description: A., {json} }} }}"),
        format!("responses: {{ '204': {{ description: A., headers: {{ x-a: {{ {IT} }} }} }} }}"),
        format!("parameters: [{{ name: a, in: query, {IT} }}], {fine}"),
        format!("parameters: [{{ name: x-a, in: header, {IT} }}], {fine}"),
        format!("parameters: [{{ name: a, in: query, {json} }}], {fine}"),
    ];
    let client = Config::parse("client.file = 'generated.rs'").unwrap();
    for (keyword, schema, valid, invalid) in keywords() {
        for uses in &places {
            let it = document(uses, schema);
            let validator = it.validator("/components/schemas/It", Sent::Either).unwrap();
            assert!(validator.is_valid(&valid), "{schema}: {valid}");
            assert!(!validator.is_valid(&invalid), "{schema}: {invalid}");
            for config in [&Config::default(), &client] {
                let coverage = codegen::coverage(&it, config);
                let generated = coverage.map_or(0, |coverage| coverage.generated.len());
                assert_eq!(generated, 0, "{schema}: {uses}");
                let found = lint::lint(&it, config, &lint::Severities::default());
                let is_told = found.iter().any(|it| it.rule == "generation" && it.line >= 6);
                assert!(is_told, "{keyword}: {uses}: {found:#?}");
            }
        }
    }
}

#[test]
fn keywords_of_3_1_are_compared_by_equality() {
    let body = format!("content: {{ application/json: {{ {IT} }} }}");
    let uses =
        format!("requestBody: {{ {body} }}, responses: {{ '200': {{ description: A., {body} }} }}");
    for (keyword, schema, ..) in keywords() {
        let it = document(&uses, schema);
        assert_eq!(changes(&it, &it).len(), 0, "{schema}");
        let without = document(&uses, &schema.replace(&format!("{keyword}:"), "x-a:"));
        for (old, new) in [(&it, &without), (&without, &it)] {
            let found = changes(old, new);
            for direction in [Direction::Request, Direction::Response] {
                let is_breaking = found.iter().any(|change| {
                    (change.direction, change.level) == (direction, Level::Breaking)
                        && change.rule.ends_with("-keyword-changed")
                        && change.sentence.contains(keyword)
                });
                assert!(is_breaking, "{schema} {direction}: {found:#?}");
            }
        }
    }
}
