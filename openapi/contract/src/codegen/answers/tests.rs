//! The answers of a small document.

use openapi_document::{Diagnostic, Document};
use serde_json::{Value, json};

use super::{generate, sample};
use crate::codegen::{
    read,
    tests::{config, data},
};

const PETS: &str = r##"
openapi: 3.0.3
info: { title: Pets, version: "1" }
tags: [{ name: pets, description: Pets. }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      tags: [pets]
      summary: Get a pet
      description: One pet.
      x-profile: core
      x-required-scope: pets:read
      parameters:
        - { name: id, in: path, required: true, schema: { $ref: "#/components/schemas/PetId" } }
      responses:
        "200":
          description: The pet.
          headers:
            X-Left: { required: true, schema: { type: integer, minimum: 3 } }
            x-replayed: { schema: { type: string }, example: "true" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Pet" }
              examples:
                Cat:
                  value:
                    id: p1
                    mood: CALM
                    tags: [{ kind: fur }]
                    picture: "https://a.example/b"
                    next: c
                Dog: { value: { id: p2, mood: WILD, tags: [] } }
        "404": { $ref: "#/components/responses/Missing" }
        "422": { $ref: "#/components/responses/Wrong" }
        "500": { $ref: "#/components/responses/Failed" }
    delete:
      operationId: deletePet
      tags: [pets]
      summary: Delete a pet
      description: Deletes one pet.
      x-profile: core
      x-required-scope: pets:read
      parameters:
        - { name: id, in: path, required: true, schema: { $ref: "#/components/schemas/PetId" } }
      responses:
        "204": { description: Deleted. }
        "404": { $ref: "#/components/responses/Missing" }
        "500": { $ref: "#/components/responses/Failed" }
x-unrouted-responses: { "404": { $ref: "#/components/responses/Missing" } }
components:
  securitySchemes:
    ApiKey: { type: apiKey, in: header, name: x-api-key, x-scopes: { "pets:read": Read. } }
  responses:
    Missing:
      description: No such pet.
      x-error-codes: [NO_PET, GONE]
      content:
        application/json:
          schema: { $ref: "#/components/schemas/Error" }
          examples:
            NoPet: { value: { error: { code: NO_PET, message: None., details: { id: p1 } } } }
    Wrong:
      description: Wrong.
      x-error-codes: [VALIDATION_FAILED, INVALID_JSON, INVALID_CURSOR, UNSUPPORTED_MEDIA_TYPE]
      content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }
    Failed:
      description: Failed.
      x-error-codes: [INTERNAL_ERROR]
      content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }
  schemas:
    PetId: { type: string, minLength: 1 }
    Cursor: { type: string }
    NullableCursor: { type: string, nullable: true }
    Mood: { type: string, enum: [CALM, WILD] }
    Tag:
      type: object
      required: [kind]
      properties: { kind: { type: string, x-known-values: [fur] } }
    Pet:
      type: object
      required: [id, mood, tags]
      properties:
        id: { $ref: "#/components/schemas/PetId" }
        mood: { $ref: "#/components/schemas/Mood" }
        tags: { type: array, items: { $ref: "#/components/schemas/Tag" } }
        picture: { type: string, format: uri }
        next: { $ref: "#/components/schemas/NullableCursor" }
    Error:
      type: object
      required: [error]
      properties: { error: { $ref: "#/components/schemas/ErrorObject" } }
    ErrorObject:
      type: object
      required: [code, message]
      properties:
        code: { type: string, minLength: 2 }
        message: { type: string }
        details: { x-by-code: { GONE: { $ref: "#/components/schemas/Gone" } } }
    Gone: { type: object, required: [since], properties: { since: { type: string, format: date } } }
"##;

fn answers(text: &str) -> Result<String, Vec<Diagnostic>> {
    let document = Document::parse("pets.yaml", text).unwrap();
    let (model, _) = read::read(&document, &[], &config()).unwrap();
    generate(&model, &document)
}

fn value(text: &str) -> Value {
    serde_json::from_str(&answers(text).unwrap()).unwrap()
}

#[test]
fn every_status_leads_to_a_response_and_shared_ones_are_written_once() {
    let file = value(PETS);
    assert_eq!(
        file["operations"]["getPet"],
        json!({
            "method": "GET",
            "path": "/pets/{id}",
            "responses": { "200": "getPet 200", "404": "Missing", "422": "Wrong", "500": "Failed" },
        })
    );
    assert_eq!(file["operations"]["deletePet"]["responses"]["404"], "Missing");
    assert_eq!(file["unrouted"], json!({ "404": "Missing" }));
    assert_eq!(file["responses"].as_object().unwrap().len(), 5);
}

#[test]
fn success_has_every_example_with_the_places_that_may_change() {
    let success = value(PETS)["responses"]["getPet 200"].take();
    assert_eq!(success["bodies"][0]["example"], "Cat");
    assert_eq!(success["bodies"][0]["places"]["objects"], json!(["", "/tags/0"]));
    assert_eq!(success["bodies"][0]["places"]["sets"], json!(["/mood", "/tags/0/kind"]));
    assert_eq!(success["bodies"][0]["places"]["links"], json!(["/picture"]));
    assert_eq!(success["bodies"][0]["places"]["cursors"], json!(["/next"]));
    assert_eq!(success["bodies"][1]["body"]["id"], "p2");
    assert_eq!(success["bodies"][1]["places"].get("links"), None);
}

#[test]
fn headers_have_their_example_or_a_value_of_their_schema() {
    let success = value(PETS)["responses"]["getPet 200"].take();
    assert_eq!(success["headers"], json!({ "x-left": "3" }));
    assert_eq!(success["optionalHeaders"], json!({ "x-replayed": "true" }));
}

#[test]
fn code_without_an_example_has_a_body_of_the_schema_and_its_details() {
    let file = value(PETS);
    let missing = &file["responses"]["Missing"]["bodies"];
    assert_eq!(missing[0]["code"], "NO_PET");
    assert_eq!(missing[0]["body"]["error"]["details"], json!({ "id": "p1" }));
    assert_eq!(
        missing[1],
        json!({
            "code": "GONE",
            "body": { "error": {
                "code": "GONE",
                "message": "An example of GONE.",
                "details": { "since": "2026-01-01" },
            } },
            "places": { "objects": ["", "/error"] },
        })
    );
}

#[test]
fn response_without_content_has_no_media_type() {
    let deleted = value(PETS)["responses"]["deletePet 204"].take();
    assert_eq!(deleted["mediaType"], Value::Null);
    assert_eq!(deleted["bodies"], json!([{ "body": null }]));
}

#[test]
fn value_that_cannot_be_made_is_a_diagnostic_that_asks_for_an_example() {
    let pattern = r#"PetId: { type: string, pattern: "^p[0-9]$" }"#;
    let without_examples = PETS
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
        let file = value(&text);
        assert_ne!(file["operations"].as_object().unwrap().len(), 0);
    }
}

#[test]
fn what_fits_on_a_line_is_on_one_line() {
    let text = answers(PETS).unwrap();
    let line = r#"          "body": {"error": {"code": "NO_PET""#.replace(": ", ":");
    let compact: Vec<String> = text.lines().map(|line| line.replace(": ", ":")).collect();
    assert!(compact.iter().any(|known| known.contains(line.trim())), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn same_document_gives_the_same_bytes() {
    assert_eq!(answers(PETS).unwrap(), answers(PETS).unwrap());
}

/// An object without a type admits null, and says nothing of it.
#[test]
fn sample_of_an_object_without_type_is_an_object() {
    let text = "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\ncomponents:\n  \
                schemas:\n    A: { required: [a], properties: { a: { enum: [null, x] } } }\n";
    let document = Document::parse("samples.yaml", text).unwrap();
    assert_eq!(sample::of(&document, "/components/schemas/A"), json!({ "a": null }));
}
