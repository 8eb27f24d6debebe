//! OpenAPI 3.0 schemas become JSON Schema 2020-12: one test per construct that differs.

use openapi_document::Direction::{Either, Request, Response};
use serde_json::json;

use crate::support::{converted, schemas};

#[test]
fn nullable_type_becomes_two_types() {
    let document = schemas("A: { type: string, maxLength: 3, nullable: true }");
    let expected = json!({"type": ["string", "null"], "maxLength": 3});
    assert_eq!(converted(&document, "A", Request), expected);
}

#[test]
fn nullable_false_changes_nothing() {
    let document = schemas("A: { type: string, nullable: false }");
    assert_eq!(converted(&document, "A", Request), json!({"type": "string"}));
}

#[test]
fn nullable_adds_no_null_to_an_enum() {
    let document = schemas(
        "A: { type: string, nullable: true, enum: [x] }\nB: { type: string, nullable: true, enum: \
         [x, null] }",
    );
    let expected = json!({"type": ["string", "null"], "enum": ["x"]});
    assert_eq!(converted(&document, "A", Request), expected);
    let expected = json!({"type": ["string", "null"], "enum": ["x", null]});
    assert_eq!(converted(&document, "B", Request), expected);
}

#[test]
fn nullable_adds_nothing_to_a_reference() {
    let document = schemas(
        "A: { nullable: true, allOf: [{ $ref: '#/components/schemas/B' }] }\nB: { type: object }",
    );
    let expected = json!({
        "allOf": [{"$ref": "#/$defs/B"}],
        "$defs": {"B": {"type": "object"}},
    });
    assert_eq!(converted(&document, "A", Request), expected);
}

#[test]
fn exclusive_flags_become_bounds() {
    let document = schemas(
        "A: { type: number, minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: \
         false }",
    );
    let expected = json!({"type": "number", "maximum": 9, "exclusiveMinimum": 1});
    assert_eq!(converted(&document, "A", Request), expected);
}

#[test]
fn exclusive_flag_without_bound_says_nothing() {
    let document = schemas("A: { type: number, exclusiveMinimum: true }");
    assert_eq!(converted(&document, "A", Request), json!({"type": "number"}));
}

#[test]
fn integer_formats_become_bounds_where_none_is_written() {
    let document = schemas(
        "A: { type: integer, format: int32, minimum: 0 }\nB: { type: integer, format: int64 }",
    );
    let expected = json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": i32::MAX});
    assert_eq!(converted(&document, "A", Request), expected);
    let expected =
        json!({"type": "integer", "format": "int64", "minimum": i64::MIN, "maximum": i64::MAX});
    assert_eq!(converted(&document, "B", Request), expected);
}

#[test]
fn siblings_of_a_reference_are_ignored() {
    let document = schemas(
        "A: { $ref: '#/components/schemas/B', nullable: true, type: integer }\nB: { type: string }",
    );
    let expected = json!({"$ref": "#/$defs/B", "$defs": {"B": {"type": "string"}}});
    assert_eq!(converted(&document, "A", Request), expected);
}

#[test]
fn annotations_extensions_and_unknown_keywords_are_dropped() {
    let document = schemas(
        "A: { type: object, example: {}, xml: {}, discriminator: { propertyName: k }, x-a: 1,
  externalDocs: { url: 'https://docs.example' }, deprecated: true, default: {}, const: 1, if: {} }",
    );
    assert_eq!(converted(&document, "A", Request), json!({"type": "object"}));
}

#[test]
fn properties_named_like_keywords_stay() {
    let document =
        schemas("A: { properties: { example: { type: string }, x-a: {}, nullable: {} } }");
    let expected =
        json!({"properties": {"example": {"type": "string"}, "x-a": {}, "nullable": {}}});
    assert_eq!(converted(&document, "A", Request), expected);
}

#[test]
fn required_follows_the_direction() {
    let document = schemas(
        "A:
  type: object
  required: [id, secret, name, undeclared]
  properties:
    id: { type: string, readOnly: true }
    secret: { $ref: '#/components/schemas/Secret' }
    name: { type: string }
Secret: { type: string, writeOnly: true }",
    );
    let required = |direction| converted(&document, "A", direction)["required"].clone();
    assert_eq!(required(Request), json!(["secret", "name", "undeclared"]));
    assert_eq!(required(Response), json!(["id", "name", "undeclared"]));
    assert_eq!(required(Either), json!(["name", "undeclared"]));
}

#[test]
fn required_disappears_when_nothing_is_left_of_it() {
    let document =
        schemas("A: { required: [id], properties: { id: { type: string, readOnly: true } } }");
    let expected = json!({"properties": {"id": {"type": "string"}}});
    assert_eq!(converted(&document, "A", Request), expected);
}

#[test]
fn schemas_are_converted_at_any_depth() {
    let document = schemas(
        "A:
  additionalProperties: { type: string, nullable: true }
  items: { type: string, nullable: true }
  not: { type: string, nullable: true }
  oneOf: [{ type: string, nullable: true }]
B: { additionalProperties: false }",
    );
    let nullable = json!({"type": ["string", "null"]});
    let expected = json!({
        "additionalProperties": nullable, "items": nullable, "not": nullable, "oneOf": [nullable],
    });
    assert_eq!(converted(&document, "A", Request), expected);
    let expected = json!({"additionalProperties": false, "properties": {}});
    assert_eq!(converted(&document, "B", Request), expected);
}

#[test]
fn recursive_schema_refers_to_its_own_definition() {
    let document = schemas(
        "Tree: { properties: { children: { type: array, items: { $ref: \
         '#/components/schemas/Tree' } } } }",
    );
    let tree =
        json!({"properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}});
    let schema = converted(&document, "Tree", Request);
    assert_eq!(schema["$defs"], json!({"Tree": tree}));
    assert_eq!(schema["properties"], tree["properties"]);
}

#[test]
fn references_into_schemas_get_names_of_their_own() {
    let document = schemas(
        "A:
  properties:
    x: { $ref: '#/components/schemas/B/properties/a~1b' }
    y: { $ref: '#/components/schemas/B/properties/a_b' }
B: { properties: { a/b: { type: string }, a_b: { type: integer } } }",
    );
    let schema = converted(&document, "A", Request);
    let definition = |property: &str| {
        let reference = schema["properties"][property]["$ref"].as_str().unwrap();
        schema.pointer(&reference[1..]).unwrap().clone()
    };
    assert_eq!(definition("x"), json!({"type": "string"}));
    assert_eq!(definition("y"), json!({"type": "integer"}));
}

#[test]
fn pointer_to_nothing_is_an_error_at_its_nearest_ancestor() {
    let document = schemas("A: {}");
    let error = document.json_schema("/components/schemas/B", Request).unwrap_err();
    assert_eq!(
        error.to_string(),
        "api.yaml:5:3: /components/schemas/B: there is no schema at this JSON pointer"
    );
}

#[test]
fn schema_of_a_property_follows_the_code_beside_it() {
    let document = schemas(
        "A: { type: object, properties: { code: { type: string }, details: { x-by-code: { GONE: { \
         $ref: '#/components/schemas/B' } } } } }\nB: { type: object, required: [since] }",
    );
    let expected = json!({
        "type": "object",
        "properties": {"code": {"type": "string"}, "details": {}},
        "allOf": [{
            "if": {"required": ["code"], "properties": {"code": {"const": "GONE"}}},
            "then": {"required": ["details"], "properties": {"details": {"$ref": "#/$defs/B"}}},
        }],
        "$defs": {"B": {"type": "object", "required": ["since"]}},
    });
    assert_eq!(converted(&document, "A", Response), expected);
}
