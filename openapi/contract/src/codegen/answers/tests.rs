//! The answers of small documents.

use std::{env, fs};

use openapi_document::{Diagnostic, Document};
use serde_json::{Value, json};

use super::{generate, sample};
use crate::codegen::{
    read,
    tests::{config, data, folder},
};

fn answers(text: &str) -> Result<String, Vec<Diagnostic>> {
    let document = Document::parse("pets.yaml", text).unwrap();
    let model = read::read(&document, &[], &config()).unwrap();
    generate(&model, &document)
}

/// Every example with the places that may change, headers, shared responses that are written once,
/// and a body of the schema with its details for a code without an example.
#[test]
fn answers_of_pets_are_those_of_their_file() {
    let found = answers(&data("answers/pets.yaml")).unwrap();
    if env::var_os("WRITE_EXPECTED").is_some() {
        fs::write(folder().join("answers/pets.json"), &found).unwrap();
    }
    assert_eq!(found, data("answers/pets.json"));
    assert!(found.lines().all(|line| line.chars().count() <= 100), "{found}");
}

#[test]
fn value_that_cannot_be_made_is_a_diagnostic_that_asks_for_an_example() {
    let pattern = r#"PetId: { type: string, pattern: "^p[0-9]$" }"#;
    let without_examples = data("answers/pets.yaml")
        .replace("PetId: { type: string, minLength: 1 }", pattern)
        .replace("examples:\n                Cat", "x-examples:\n                Cat");
    let diagnostics = answers(&without_examples).unwrap_err();
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    let text = diagnostics[0].to_string();
    assert!(text.starts_with("pets.yaml:"), "{text}");
    assert!(text.contains("^p[0-9]$") && text.contains("add an `example`"), "{text}");
}

#[test]
fn documents_without_any_example_have_answers_too() {
    for text in ["base", "create"].map(|name| data(&format!("generated/{name}.yaml"))) {
        let text = text.replace(r#", pattern: "^[A-Z]{3}$""#, "");
        let text = text.replace(r", pattern: '^-?(0|[1-9][0-9]{0,17})\.[0-9]{2}$'", "");
        let file: Value = serde_json::from_str(&answers(&text).unwrap()).unwrap();
        assert_ne!(file["operations"].as_object().unwrap().len(), 0);
    }
}

/// An object without a type admits null, and says nothing of it.
#[test]
fn sample_of_an_object_without_type_is_an_object() {
    let text = "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\ncomponents:\n  \
                schemas:\n    A: { required: [a], properties: { a: { enum: [null, x] } } }\n";
    let document = Document::parse("samples.yaml", text).unwrap();
    assert_eq!(sample::of(&document, "/components/schemas/A"), json!({ "a": null }));
}

const RECURSIVE: &str = r"
openapi: 3.0.3
info: { title: T, version: '1' }
paths: {}
components:
  schemas:
    Expr: { oneOf: [A, B], discriminator: { propertyName: kind, mapping: { lit: Lit } } }
    Sum: { required: [kind, left], properties: { kind: { type: string }, left: EXPR } }
    Lit:
      required: [kind, value]
      properties: { kind: { type: string }, value: { type: integer } }
    Endless: { required: [a], properties: { a: { $ref: '#/components/schemas/Endless' } } }
";

/// The first alternative that ends is the sample, whatever comes before it; a discriminator has the
/// value that names it.
#[test]
fn sample_of_a_recursive_union_does_not_depend_on_the_order() {
    for [first, second] in [["Sum", "Lit"], ["Lit", "Sum"]] {
        let reference = |name: &str| format!("{{ $ref: '#/components/schemas/{name}' }}");
        let text = RECURSIVE
            .replace("[A, B]", &format!("[{}, {}]", reference(first), reference(second)))
            .replace("EXPR", &reference("Expr"));
        let document = Document::parse("samples.yaml", &text).unwrap();
        let sample = |name: &str| sample::of(&document, &format!("/components/schemas/{name}"));
        let lit = json!({ "kind": "lit", "value": 0 });
        assert_eq!(sample("Expr"), lit, "{first}");
        assert_eq!(sample("Sum"), json!({ "kind": "", "left": lit }), "{first}");
        assert_eq!(sample("Endless"), json!(null));
    }
}

const BOUNDED: &str = r"
openapi: 3.0.3
info: { title: T, version: '1' }
paths: {}
components:
  schemas:
    A:
      required: [low, high, step, open, at, secret]
      minProperties: 6
      properties:
        low: { type: integer, maximum: -3 }
        high: { type: number, minimum: 5, exclusiveMinimum: true }
        step: { type: integer, minimum: 11, multipleOf: 10 }
        open: { type: integer, minimum: -5, maximum: 5 }
        at: { type: string, format: ipv4 }
        secret: { type: string, writeOnly: true }
        note: { type: string, example: Hm. }
        more: { type: string }
";

/// Patterns and `uniqueItems` alone are left to an `example`.
#[test]
fn samples_keep_bounds_counts_formats_and_directions() {
    let document = Document::parse("samples.yaml", BOUNDED).unwrap();
    let expected = json!({ "low": -3, "high": 5.01, "step": 20, "open": 0, "at": "192.0.2.1",
        "note": "Hm." });
    assert_eq!(sample::of(&document, "/components/schemas/A"), expected);
}
