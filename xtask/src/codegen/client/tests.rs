//! What the generator makes of small documents, and what it refuses.
//!
//! It refuses to repeat `client/src/generated.rs`: the client's own tests hold that.

use payout_openapi::Document;

use super::generate;

/// One operation with an id in its path, a body, a success and an error.
const DOCUMENT: &str = r##"
openapi: 3.0.3
info: { title: Pets, version: "1" }
paths:
  /pets/{id}:
    patch:
      operationId: updatePet
      summary: Update a pet
      parameters:
        - { name: id, in: path, required: true, schema: { $ref: "#/components/schemas/PetId" } }
        - { name: limit, in: query, schema: { $ref: "#/components/schemas/Limit" } }
        - { name: api-version, in: header, schema: { $ref: "#/components/schemas/Version" } }
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Changes" } } }
      responses:
        "200":
          description: The pet.
          content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } }
        "404":
          description: No such pet.
          content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }
components:
  schemas:
    PetId: { type: string, minLength: 1 }
    Limit: { type: integer, minimum: 1, maximum: 9 }
    Version: { type: string }
    NullableNick: { type: string, nullable: true, minLength: 1 }
    Changes:
      type: object
      additionalProperties: false
      properties: { nick: { $ref: "#/components/schemas/NullableNick" } }
    Mood: { type: string, enum: [CALM, WILD_AT_NIGHT] }
    Pet:
      type: object
      additionalProperties: false
      required: [id, mood]
      properties:
        id: { $ref: "#/components/schemas/PetId" }
        mood: { $ref: "#/components/schemas/Mood" }
        code: { type: string, pattern: "^[A-Z]+$" }
        picture: { $ref: "#/components/schemas/DownloadUrl" }
    DownloadUrl: { type: string, format: uri }
    Error: { type: object }
    Other: { type: object }
"##;

fn generated(text: &str) -> Result<String, String> {
    let document = Document::parse("pets.yaml", text).map_err(|error| error.to_string())?;
    generate(&document).map_err(|error| error.to_string())
}

#[test]
fn shapes_become_the_types_of_the_client() {
    let text = generated(DOCUMENT).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "crate::ids::id!",
        "open_set! { Mood { Calm = \"CALM\" , WildAtNight = \"WILD_AT_NIGHT\" , } }",
        "bounded_integer! { Limit : 1 ..= 9 }",
        "pub nick: crate::Change<crate::types::Nick>",
        "skip_serializing_if = \"crate::Change::is_keep\"",
        "pub picture: ::std::option::Option<crate::DownloadUrl>",
        "pub async fn send(self) -> Result<crate::Response<types::Pet>, crate::Error>",
    ] {
        let compact = |text: &str| text.replace(' ', "");
        assert!(
            compact(&text).contains(&compact(expected)),
            "{expected}\n{text}"
        );
    }
}

#[test]
fn nothing_generated_refuses_what_a_newer_server_sends() {
    let text = generated(DOCUMENT).unwrap();
    assert!(
        !text.contains("deny_unknown_fields") && !text.contains("regress"),
        "{text}"
    );
}

#[test]
fn no_way_to_a_client_without_key_is_left() {
    let text = generated(DOCUMENT).unwrap();
    assert!(!text.contains("pub fn new("), "{text}");
    assert!(text.contains("pub(crate) fn new_with_client("), "{text}");
    assert!(
        text.contains("pub(crate) inner: crate::api_headers::ApiHeaders"),
        "{text}"
    );
}

#[test]
fn same_document_gives_the_same_bytes() {
    assert_eq!(generated(DOCUMENT), generated(DOCUMENT));
}

#[test]
fn what_a_client_cannot_follow_is_refused_with_place_and_mend() {
    let cases = [
        ("      operationId: updatePet\n", "", "has no `operationId`"),
        (
            "\"404\":",
            "default:",
            "tells a client nothing it can match on",
        ),
        (
            "\"404\":",
            "\"4XX\":",
            "tells a client nothing it can match on",
        ),
        ("\"404\":", "\"202\":", "has 2 success responses"),
        (
            "\"404\":\n",
            "\"204\": { description: Done. }\n        \"404\":\n",
            "has 2 success responses",
        ),
        (
            "\"404\":\n",
            "\"400\": { description: Bad. }\n        \"404\":\n",
            "has no `application/json` body",
        ),
        (
            "\"404\":\n",
            "\"400\":\n          description: Bad.\n          content: { application/json: { schema: { $ref: \"#/components/schemas/Other\" } } }\n        \"404\":\n",
            "the errors before it have `Other`",
        ),
        (
            "schema: { $ref: \"#/components/schemas/PetId\" } }",
            "schema: { type: string } }",
            "has no name",
        ),
        (
            "{ type: string, pattern: \"^[A-Z]+$\" }",
            "{ type: string, enum: [A] }",
            "an `enum` inside a response",
        ),
        ("NullableNick", "Nick", "needs three states"),
    ];
    for (from, to, expected) in cases {
        let changed = DOCUMENT.replace(from, to);
        assert_ne!(changed, DOCUMENT, "{from}");
        let refusal = generated(&changed).unwrap_err();
        assert!(refusal.starts_with("pets.yaml:"), "{refusal}");
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn a_version_other_than_3_0_is_refused() {
    let refusal = generated(&DOCUMENT.replace("3.0.3", "3.1.0")).unwrap_err();
    assert!(refusal.starts_with("pets.yaml:2:"), "{refusal}");
}
