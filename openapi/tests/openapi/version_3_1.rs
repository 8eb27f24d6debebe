//! A document of OpenAPI 3.1 is read in the form of 3.0; what 3.0 cannot express is an error.

use openapi_document::{Direction, Document};
use serde_json::{Value, json};

use crate::support::{diagnostic, document};

const HEAD: &str = "openapi: 3.1.0\ninfo: { title: Loans, version: '1' }\n";

fn text_of(schema: &str) -> String {
    format!("{HEAD}components:\n  schemas:\n    Book: {{ type: object }}\n    Loan: {schema}\n")
}

fn rewritten(schema: &str) -> Value {
    document(&text_of(schema)).value()["components"]["schemas"]["Loan"].clone()
}

/// The diagnostic of a schema, after its place and pointer.
fn rejected(schema: &str) -> String {
    diagnostic(&text_of(schema))
}

#[test]
fn keywords_of_3_1_become_those_of_3_0() {
    for (written, expected) in [
        ("{ type: [string, 'null'] }", json!({ "type": "string", "nullable": true })),
        ("{ type: ['null', string] }", json!({ "type": "string", "nullable": true })),
        ("{ type: [integer] }", json!({ "type": "integer" })),
        ("{ type: string, const: A }", json!({ "type": "string", "enum": ["A"] })),
        (
            "{ type: [string, 'null'], enum: [A, null] }",
            json!({ "type": "string", "enum": ["A", null], "nullable": true }),
        ),
        ("{ type: string, enum: [A, null] }", json!({ "type": "string", "enum": ["A", null] })),
        ("{ type: 'null' }", json!({ "enum": [null] })),
        ("{ const: null }", json!({ "enum": [null] })),
        ("{ type: ['null'], enum: [A] }", json!({ "enum": ["A"], "not": {} })),
        ("{ type: string, nullable: true }", json!({ "type": "string" })),
        ("{ type: string, examples: [A, B] }", json!({ "type": "string", "example": "A" })),
        (
            "{ type: integer, exclusiveMinimum: 0 }",
            json!({ "type": "integer", "minimum": 0, "exclusiveMinimum": true }),
        ),
        (
            "{ type: integer, maximum: 5, exclusiveMaximum: 9 }",
            json!({ "type": "integer", "maximum": 5 }),
        ),
        (
            "{ $ref: '#/components/schemas/Book', description: The book. }",
            json!({
                "description": "The book.",
                "allOf": [{ "$ref": "#/components/schemas/Book" }]
            }),
        ),
        (
            "{ anyOf: [{ $ref: '#/components/schemas/Book' }, { type: 'null' }] }",
            json!({ "anyOf": [{ "$ref": "#/components/schemas/Book" }, { "enum": [null] }] }),
        ),
        (
            "{ title: T, oneOf: [{ type: 'null' }, { type: [string] }] }",
            json!({ "title": "T", "oneOf": [{ "enum": [null] }, { "type": "string" }] }),
        ),
        (
            "{ anyOf: [{ type: string }, { type: integer }, { type: 'null' }] }",
            json!({
                "anyOf": [{ "type": "string" }, { "type": "integer" }, { "enum": [null] }]
            }),
        ),
        ("{ type: array, items: true }", json!({ "type": "array", "items": {} })),
        (
            "{ type: string, contentEncoding: base64, $comment: c }",
            json!({ "type": "string", "format": "byte" }),
        ),
        (
            "{ properties: { due: { type: [string, 'null'] } } }",
            json!({ "properties": { "due": { "type": "string", "nullable": true } } }),
        ),
    ] {
        assert_eq!(rewritten(written), expected, "{written}");
    }
}

#[test]
fn null_is_valid_only_where_3_1_allows_it() {
    let document = document(&text_of(
        "{ properties: { a: { type: [string, 'null'] }, b: { type: [string, 'null'], enum: [x] }, \
         c: { anyOf: [{ $ref: '#/components/schemas/Book' }, { type: 'null' }] } } }",
    ));
    let pointer = "/components/schemas/Loan";
    let validator = document.validator(pointer, Direction::Either).unwrap();
    let violations = validator.validate(&json!({ "a": null, "b": null, "c": null }));
    let pointers: Vec<&str> = violations.iter().map(|found| found.pointer.as_str()).collect();
    assert_eq!(pointers, ["/b"]);
}

#[test]
fn what_3_0_cannot_express_is_an_error_with_place_and_help() {
    for (written, expected) in [
        ("{ type: [string, integer] }", "/type: `type: [\"string\",\"integer\"]` is not one type"),
        ("{ if: {}, then: {} }", "/if: `if` cannot be expressed in OpenAPI 3.0"),
        ("{ prefixItems: [] }", "/prefixItems: `prefixItems` cannot be expressed"),
        ("{ $dynamicRef: '#a' }", "/$dynamicRef: `$dynamicRef` cannot be expressed"),
        ("{ $schema: 'https://example.com/s' }", "/$schema: the JSON Schema dialect"),
        ("{ unevaluatedProperties: false }", "/unevaluatedProperties: `unevaluatedProperties`"),
    ] {
        let found = rejected(written);
        assert!(found.starts_with("api.yaml:6:"), "{found}");
        let start = format!("/components/schemas/Loan{expected}");
        assert!(found.contains(&start), "{found} lacks {start}");
        assert!(found.contains("; "), "no help in {found}");
    }
    let dialect = diagnostic(&format!("{HEAD}jsonSchemaDialect: https://example.com/d\n"));
    assert!(dialect.starts_with("api.yaml:3:1: /jsonSchemaDialect: the JSON Schema"), "{dialect}");
}

#[test]
fn nullable_of_3_0_is_noted_as_without_effect() {
    let document = document(&text_of("{ type: string, nullable: true }"));
    let notes: Vec<String> = document.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["api.yaml:6:27: /components/schemas/Loan/nullable: `nullable` has no effect in OpenAPI \
          3.1, where null is a type"]
    );
}

#[test]
fn document_of_3_1_may_lack_paths_and_have_webhooks() {
    let document = document(
        "openapi: 3.1.1\ninfo: { title: T, summary: S, version: '1', license: { name: MIT, \
         identifier: MIT } }\nwebhooks: { overdue: {} }\ncomponents: { securitySchemes: { tls: { \
         type: mutualTLS } } }\n",
    );
    assert!(document.operations().is_empty());
    assert_eq!(document.value()["info"]["license"], json!({ "name": "MIT" }));
    let notes: Vec<String> = document.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "api.yaml:3:1: /webhooks: webhooks are not part of OpenAPI 3.0 and are left out",
            "api.yaml:4:34: /components/securitySchemes/tls: `mutualTLS` is not part of OpenAPI \
             3.0 and is left out",
        ]
    );
}

#[test]
fn path_items_and_definitions_are_rewritten_where_references_lead() {
    let document = document(&format!(
        "{HEAD}paths: {{ /loans: {{ $ref: '#/components/pathItems/Loans' }} }}\ncomponents:\n  \
         schemas:\n    Loan: {{ $defs: {{ Due: {{ type: [string, 'null'] }} }}, properties: {{ \
         due: {{ $ref: '#/components/schemas/Loan/$defs/Due' }} }} }}\n  pathItems:\n    \
         Loans:\n      get: {{ parameters: [{{ name: q, in: query, \
         schema: {{ type: [string] }} }}] }}\n"
    ));
    let [operation] = document.operations() else {
        panic!("one operation");
    };
    let schema = operation.parameters[0].schema_pointer.as_deref().unwrap();
    assert_eq!(document.resolve(schema).unwrap().value["type"], "string");
    let due = document.resolve("/components/schemas/Loan/properties/due").unwrap();
    assert_eq!(due.value["nullable"], true);
}

#[test]
fn keywords_of_3_1_mean_nothing_in_3_0() {
    let text = text_of("{ type: string, examples: [A] }").replace("3.1.0", "3.0.3\npaths: {}");
    let document = Document::parse("api.yaml", &text).unwrap();
    assert!(document.value()["components"]["schemas"]["Loan"].get("examples").is_some());
}
