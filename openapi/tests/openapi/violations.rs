//! The validator reports all violations, each with its pointer and keyword, without the value.

use serde_json::{Value, json};

use crate::support::{schemas, validator};

/// Pointer and keyword of each violation of `value` against the schema `A`.
fn violations(schema: &str, value: &Value) -> Vec<(String, String)> {
    let found = validator(&schemas(schema), "A").validate(value);
    found.into_iter().map(|violation| (violation.pointer, violation.keyword)).collect()
}

fn only(pointer: &str, keyword: &str) -> Vec<(String, String)> {
    vec![(pointer.to_owned(), keyword.to_owned())]
}

const READER: &str = "A:
  type: object
  additionalProperties: false
  required: [name, lines]
  properties:
    name: { type: string, minLength: 2, maxLength: 5 }
    kind: { type: string, enum: [x, y] }
    lines:
      type: array
      maxItems: 3
      items:
        type: object
        required: [amount]
        properties: { amount: { type: integer, minimum: 1, maximum: 9 } }";

#[test]
fn all_violations_are_reported_in_the_order_of_the_value() {
    let value = json!({
        "lines": [{"amount": 0}, {}, {"amount": 10}, {"amount": "1"}],
        "kind": "z", "surplus": 1, "more": 2,
    });
    let expected = [
        ("/kind", "enum"),
        ("/lines", "maxItems"),
        ("/lines/0/amount", "minimum"),
        ("/lines/1/amount", "required"),
        ("/lines/2/amount", "maximum"),
        ("/lines/3/amount", "type"),
        ("/more", "additionalProperties"),
        ("/name", "required"),
        ("/surplus", "additionalProperties"),
    ];
    let expected = expected.map(|(pointer, keyword)| (pointer.to_owned(), keyword.to_owned()));
    assert_eq!(violations(READER, &value), expected);
}

/// As numbers 9 is before 10, as texts 10 before 1a and 1a before 9.
#[test]
fn members_are_reported_in_one_order_however_the_value_orders_them() {
    let schema = "A: { type: object, additionalProperties: false }";
    let sorted = |names: [&str; 6]| {
        let members = names.map(|name| (name.to_owned(), json!(0)));
        violations(schema, &Value::Object(members.into_iter().collect()))
    };
    let first = sorted(["9", "10", "1a", "+9", "09", "99999999999999999999"]);
    let pointers: Vec<_> = first.iter().map(|(pointer, _)| pointer.as_str()).collect();
    assert_eq!(pointers, ["/9", "/10", "/+9", "/09", "/1a", "/99999999999999999999"]);
    assert_eq!(sorted(["1a", "9", "99999999999999999999", "09", "10", "+9"]), first);
    assert_eq!(sorted(["+9", "09", "10", "1a", "99999999999999999999", "9"]), first);
}

#[test]
fn valid_value_has_no_violations() {
    let document = schemas(READER);
    let validator = validator(&document, "A");
    let value = json!({"name": "Ärger", "kind": "x", "lines": [{"amount": 9}]});
    assert_eq!(validator.validate(&value), []);
    assert!(validator.is_valid(&value));
    assert!(!validator.is_valid(&json!({})));
}

#[test]
fn null_differs_from_a_wrong_type() {
    let lines = json!([]);
    let value = json!({"name": null, "kind": null, "lines": lines});
    let expected = [only("/kind", "nullable"), only("/name", "nullable")].concat();
    assert_eq!(violations(READER, &value), expected);
    let value = json!({"name": 7, "kind": 7, "lines": lines});
    let expected = [only("/kind", "type"), only("/name", "type")].concat();
    assert_eq!(violations(READER, &value), expected);
}

#[test]
fn lengths_count_characters() {
    let schema = "A: { type: string, minLength: 2, maxLength: 3 }";
    assert_eq!(violations(schema, &json!("😀")), only("", "minLength"));
    assert_eq!(violations(schema, &json!("äöüß")), only("", "maxLength"));
    assert_eq!(violations(schema, &json!("äöü")), []);
}

#[test]
fn each_keyword_is_reported_by_its_name() {
    for (schema, value, keyword) in [
        ("A: { minimum: 1, exclusiveMinimum: true }", json!(1), "exclusiveMinimum"),
        ("A: { maximum: 1, exclusiveMaximum: true }", json!(1), "exclusiveMaximum"),
        ("A: { multipleOf: 5 }", json!(7), "multipleOf"),
        ("A: { minItems: 1 }", json!([]), "minItems"),
        ("A: { uniqueItems: true }", json!([1, 1]), "uniqueItems"),
        ("A: { minProperties: 1 }", json!({}), "minProperties"),
        ("A: { maxProperties: 0 }", json!({"a": 1}), "maxProperties"),
        ("A: { not: { type: string } }", json!("a"), "not"),
        ("A: { anyOf: [{ type: string }, { type: boolean }] }", json!(1), "anyOf"),
        ("A: { oneOf: [{ type: string }, { type: boolean }] }", json!(1), "oneOf"),
        ("A: { oneOf: [{ type: integer }, { type: number }] }", json!(1), "oneOf"),
        ("A: { type: integer, format: int32 }", json!(2_147_483_648_i64), "maximum"),
    ] {
        assert_eq!(violations(schema, &value), only("", keyword), "{schema}");
    }
}

#[test]
fn patterns_know_the_classes_of_ecmascript() {
    let schema = r"A: { type: string, pattern: '^\d{2}\w[\s-]\p{Lu}$' }";
    assert_eq!(violations(schema, &json!("12x-Ä")), []);
    assert_eq!(violations(schema, &json!("1ax-Ä")), only("", "pattern"));
    // ECMAScript's \d is ASCII alone.
    assert_eq!(violations(schema, &json!("1٣x-Ä")), only("", "pattern"));
}

#[test]
fn formats_are_asserted() {
    for (format, good, bad) in [
        ("date-time", "2026-05-20T10:00:00.000Z", "2026-05-20 10:00"),
        ("date", "2026-05-20", "2026-02-30"),
        ("uri", "https://library.example/a?b#c", "library"),
        ("email", "ada@example.com", "ada@"),
        ("uuid", "01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d"),
        ("ipv4", "127.0.0.1", "127.0.0"),
    ] {
        let schema = format!("A: {{ type: string, format: {format} }}");
        assert_eq!(violations(&schema, &json!(good)), [], "{format}");
        assert_eq!(violations(&schema, &json!(bad)), only("", "format"), "{format}");
    }
}

#[test]
fn nullable_alternative_hides_no_violation() {
    for null in ["{ enum: [null] }", "{ type: object, nullable: true, enum: [null] }"] {
        let schema = format!(
            "A: {{ oneOf: [{{ $ref: '#/components/schemas/B' }}, {null}] }}
B: {{ type: object, required: [name], properties: {{ name: {{ type: string }} }} }}"
        );
        assert_eq!(violations(&schema, &json!(null)), []);
        assert_eq!(violations(&schema, &json!({"name": "x"})), []);
        assert_eq!(violations(&schema, &json!({})), only("/name", "required"));
        assert_eq!(violations(&schema, &json!({"name": 1})), only("/name", "type"));
    }
}

#[test]
fn recursive_values_are_judged_to_the_leaves() {
    let schema = "\
A:
  type: object
  required: [id]
  properties: { id: { type: string }, next: { $ref: '#/components/schemas/A' } }";
    let value = json!({"id": "1", "next": {"id": "2", "next": {}}});
    assert_eq!(violations(schema, &value), only("/next/next/id", "required"));
}

#[test]
fn pointers_are_escaped() {
    let schema = "A: { type: object, additionalProperties: false, required: [a/b] }";
    let expected = [only("/a~1b", "required"), only("/c~0d", "additionalProperties")];
    assert_eq!(violations(schema, &json!({"c~d": 1})), expected.concat());
}

#[test]
fn messages_are_sentences_without_the_value() {
    let document = schemas(READER);
    let value = json!({"name": "secret-key", "kind": "secret-key", "lines": "secret-key"});
    let messages: Vec<String> =
        validator(&document, "A").validate(&value).iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "/kind must be one of [\"x\",\"y\"]",
            "/lines must be an array",
            "/name must have at most 5 characters",
        ]
    );
}
