//! Where null is valid: the validator, the questions about a schema and its shape say the same of
//! every spelling.

use openapi_document::{Direction, Document};
use serde_json::Value;

const PARTS: &str = "
    Text: { type: string }
    NullableText: { type: string, nullable: true }
    Any: {}
    NullAlone: { enum: [null] }
    Again: { $ref: '#/components/schemas/NullableText' }
    AgainInAllOf: { allOf: [{ $ref: '#/components/schemas/Again' }] }
";

const ONLY_IN_3_0: [(&str, bool); 15] = [
    ("{ type: string, nullable: true }", true),
    ("{ type: string, nullable: false }", false),
    ("{ nullable: true }", true),
    ("{ type: string, nullable: true, enum: [x] }", false),
    ("{ type: string, nullable: true, enum: [x, null] }", true),
    ("{ type: object, nullable: true, enum: [null] }", true),
    ("{ type: object, enum: [null] }", false),
    ("{ nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }", false),
    ("{ type: string, nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }", false),
    ("{ type: string, nullable: true, allOf: [{ $ref: '#/components/schemas/Any' }] }", true),
    ("{ type: string, nullable: true, oneOf: [{ type: string }] }", false),
    ("{ anyOf: [{ type: integer }, { type: string, nullable: true }] }", true),
    ("{ oneOf: [{ type: integer }, { type: string, nullable: true }] }", true),
    ("{ oneOf: [{ type: integer, nullable: true }, { type: string, nullable: true }] }", false),
    ("{ type: string, nullable: true, not: { type: string, nullable: true } }", false),
];

const ONLY_IN_3_1: [(&str, bool); 10] = [
    ("{ type: [string, 'null'] }", true),
    ("{ type: [string, 'null'], enum: [x] }", false),
    ("{ type: [string, 'null'], enum: [x, null] }", true),
    ("{ type: string, nullable: true }", false),
    ("{ type: 'null' }", true),
    ("{ const: null }", true),
    ("{ type: 'null', enum: [x] }", false),
    ("{ anyOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }] }", true),
    ("{ oneOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }] }", true),
    ("{ $ref: '#/components/schemas/Text', type: [string, 'null'] }", false),
];

const IN_BOTH: [(&str, bool); 8] = [
    ("{}", true),
    ("{ type: string }", false),
    ("{ enum: [x] }", false),
    ("{ enum: [x, null] }", true),
    ("{ enum: [null] }", true),
    ("{ anyOf: [{ $ref: '#/components/schemas/Text' }, { enum: [null] }] }", true),
    ("{ oneOf: [{ type: integer }, { $ref: '#/components/schemas/NullAlone' }] }", true),
    ("{ oneOf: [{ $ref: '#/components/schemas/Any' }, { enum: [null] }] }", false),
];

fn document(version: &str, parts: &str, schema: &str) -> Document {
    let text = format!(
        "openapi: {version}\ninfo: {{ title: T, version: '1' }}\npaths: {{}}\ncomponents:\n  \
         schemas:{parts}    It: {schema}\n"
    );
    Document::parse("api.yaml", &text).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

#[track_caller]
fn reads(document: &Document, schema: &str, expected: bool) {
    let at = "/components/schemas/It";
    let written = document.value().pointer(at).expect("the component");
    let validator = document.validator(at, Direction::Either).expect("a validator");
    assert_eq!(validator.is_valid(&Value::Null), expected, "the validator, {schema}");
    assert_eq!(document.admits_null(written), expected, "{schema}");
    assert_eq!(document.shape(at).expect("a shape").is_nullable(), expected, "the shape, {schema}");
}

#[test]
fn null_is_read_alike_in_3_0() {
    for (schema, expected) in ONLY_IN_3_0.into_iter().chain(IN_BOTH) {
        reads(&document("3.0.3", PARTS, schema), schema, expected);
    }
    for name in ["NullableText", "Again", "AgainInAllOf"] {
        let schema = format!("{{ $ref: '#/components/schemas/{name}' }}");
        reads(&document("3.0.3", PARTS, &schema), &schema, true);
    }
}

#[test]
fn null_is_read_alike_in_3_1() {
    let parts = PARTS.replace("type: string, nullable: true", "type: [string, 'null']");
    for (schema, expected) in ONLY_IN_3_1.into_iter().chain(IN_BOTH) {
        reads(&document("3.1.0", &parts, schema), schema, expected);
    }
}

#[test]
fn null_alone_is_told_from_null_among_other_values() {
    for (schema, alone, named) in [
        ("{ enum: [null] }", true, true),
        ("{ type: object, nullable: true, enum: [null] }", true, true),
        ("{ $ref: '#/components/schemas/NullAlone' }", true, true),
        ("{ allOf: [{ $ref: '#/components/schemas/NullAlone' }] }", true, true),
        ("{ enum: [x, null] }", false, true),
        ("{ type: string, nullable: true }", false, true),
        ("{ oneOf: [{ type: string }, { enum: [null] }] }", false, true),
        ("{}", false, false),
        ("{ properties: { a: { enum: [null] } } }", false, false),
    ] {
        let document = document("3.0.3", PARTS, schema);
        let written = document.value().pointer("/components/schemas/It").unwrap();
        assert_eq!(document.is_null_alone(written), alone, "{schema}");
        assert_eq!(document.names_null(written), named, "{schema}");
    }
}

#[test]
fn schema_that_contains_itself_ends() {
    let circle = "{ anyOf: [{ $ref: '#/components/schemas/It' }, { enum: [null] }] }";
    let document = document("3.0.3", PARTS, circle);
    let at = "/components/schemas/It";
    assert!(document.admits_null(document.value().pointer(at).unwrap()));
    assert!(document.shape(at).unwrap().is_nullable());
}
