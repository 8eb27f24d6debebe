//! The generated client of a small document.

use openapi_document::Document;

use super::generate;
use crate::codegen::tests::{config, data};

/// One operation with an id in its path, a body, a success and an error.
fn generated(text: &str) -> String {
    let config = config();
    let client = config.client.as_ref().unwrap();
    let document = Document::parse("pets.yaml", text).unwrap();
    let (_, rewritten) = crate::codegen::read::read(&document, &[], &config).unwrap();
    generate(&rewritten, &config, client).unwrap()
}

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
      required: [born]
      properties:
        nick: { $ref: "#/components/schemas/NullableNick" }
        weight: { type: number, nullable: true }
        note: { type: string, nullable: true }
        colour: { type: string, nullable: true, maxLength: 9 }
        toys: { type: array, nullable: true, items: { type: string } }
        home: { anyOf: [{ $ref: "#/components/schemas/Home" }, { enum: [null] }] }
        born: { type: string, nullable: true }
        any: { nullable: true }
    Home: { type: object, properties: { street: { type: string, nullable: true } } }
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

#[test]
fn shapes_become_the_types_of_the_client() {
    let text = generated(DOCUMENT);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "crate::texts::text!",
        "pub fn update_pet(&self, id: impl TryInto<crate::types::PetId, Error: std::fmt::Display>,",
        "open_set! { Mood { Calm = \"CALM\" , WildAtNight = \"WILD_AT_NIGHT\" , } }",
        "static LIMIT: &[Rule] = &[Rule::Minimum(\"1\"), Rule::Maximum(\"9\")]",
        "pub fn limit<V>(mut self, value: V) -> Self where V: std::convert::TryInto<i64>",
        "pub nick: crate::Change<crate::types::Nick>",
        "pub weight: crate::Change<f64>",
        "pub note: crate::Change<::std::string::String>",
        "pub colour: crate::Change<crate::types::ChangesColour>",
        "pub toys: crate::Change<crate::types::ChangesToys>",
        "pub home: crate::Change<crate::types::Home>",
        "pub street: crate::Change<::std::string::String>",
        "pub any: ::std::option::Option<::serde_json::Value>",
        "skip_serializing_if = \"crate::Change::is_keep\"",
        "pub picture: ::std::option::Option<crate::DownloadUrl>",
        "pub async fn send(self) -> Result<crate::Response<types::Pet>, crate::Error>",
    ] {
        let compact = |text: &str| text.replace(' ', "");
        assert!(compact(&text).contains(&compact(expected)), "{expected}\n{text}");
    }
    // A required member is sent even where it is null.
    let (before, after) = text.split_once("pub born:").unwrap();
    let (_, attributes) = before.rsplit_once("pub ").unwrap();
    assert!(!attributes.contains("skip_serializing_if"), "{attributes}");
    assert!(after.starts_with(" ::std::option::Option<::std::string::String>"), "{text}");
}

#[test]
fn operation_that_creates_takes_a_key_and_says_which_status_it_had() {
    let text = generated(&data("generated/create.yaml"));
    for expected in [
        "pub fn idempotency_key<V>(mut self, value: V) -> Self",
        "V: std::convert::TryInto<crate::types::IdempotencyKey>,",
        "header_map.append(\"idempotency-key\", value.to_string().try_into()?);",
        "/// The status of the response is 200 or 201.",
        "pub async fn send(self) -> Result<crate::Response<types::Thing>, crate::Error>",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text.contains("pub fn api_version<V>"), "{text}");
}

#[test]
fn defaults_are_the_servers() {
    let text = generated(&data("generated/create.yaml"));
    for expected in [
        "pub amount: crate::Money,",
        "pub fee: ::std::option::Option<crate::Money>,",
        "pub urgent: ::std::option::Option<bool>,",
        "pub reason: ::std::option::Option<crate::types::Reason>,",
        "pub end: ::std::option::Option<crate::Timestamp>,",
        "pub labels: crate::Change<crate::types::Labels>,",
        "pub ::std::collections::HashMap<::std::string::String, ::std::string::String>,",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn rules_of_requests_are_tables() {
    let text = generated(&data("generated/create.yaml"));
    for expected in [
        "static CODE: &[Rule] = &[pattern!(\"^[A-Z]{3}$\")];",
        "Rule::Property(\"amount\", &[Rule::Of(&MONEY), Rule::NotZero]),",
        "Rule::Required(\"start\"),",
        "Rule::LaterThan(\"end\", \"start\"),",
        "Rule::RequiredWhen(\"note\", \"reason\", \"CUSTOM\"),",
        "Rule::Names(&[Rule::AtLeast(1), Rule::AtMost(64)]),",
        "Rule::Values(&[Rule::AtMost(2000)]),",
        "crate::rules::all_or_return!(idempotency_key, body);",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text.contains("static THING: &[Rule]"), "it is only in responses\n{text}");
}

const NUMBERS: &str = r##"{ type: object, properties: {
      size: { type: number, minimum: 0, exclusiveMinimum: true, maximum: 1.5, multipleOf: 0.5 },
      tags: { type: array, uniqueItems: true, maxItems: 3,
        items: { type: string, maxLength: 4 } } } }"##;

#[test]
fn numbers_and_lists_have_their_rules() {
    let home = "{ type: object, properties: { street: { type: string, nullable: true } } }";
    let text = generated(&DOCUMENT.replace(home, NUMBERS));
    for expected in [
        "&[Rule::MoreThan(\"0\"), Rule::Maximum(\"1.5\"), Rule::MultipleOf(\"0.5\")]",
        "Rule::AtMost(3)",
        "Rule::Unique",
        "Rule::Items(&[Rule::Of(&HOME_TAGS_ITEM)])",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

const RELATION: &str = r##"
openapi: 3.0.3
info: { title: Relations, version: "1" }
paths:
  /pets/{petId}/friends/{friendId}:
    put:
      operationId: putFriend
      parameters:
        - { name: petId, in: path, required: true, schema: { $ref: "#/components/schemas/PetId" } }
        - name: friendId
          in: path
          required: true
          schema: { $ref: "#/components/schemas/PetId" }
        - { name: until, in: query, required: true, schema: { type: string } }
        - { name: from, in: query, required: true, schema: { type: string } }
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Friend" } } }
      responses:
        "200":
          description: The friend.
          content: { application/json: { schema: { $ref: "#/components/schemas/Friend" } } }
components:
  schemas:
    PetId: { type: string, minLength: 1 }
    Name: { type: string, minLength: 2, maxLength: 9 }
    Day: { type: string }
    Friend:
      type: object
      required: [name, start, petId, end]
      properties:
        name: { $ref: "#/components/schemas/Name" }
        petId: { $ref: "#/components/schemas/PetId" }
        start:
          description: The first day. (§1.2, X3)
          allOf: [{ $ref: "#/components/schemas/Day" }]
        end: { $ref: "#/components/schemas/Day" }
    Error: { type: object }
"##;

/// The lines of the methods that take values, and what those begin with.
fn signatures(text: &str) -> Vec<String> {
    let compact = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let methods = compact.split("pub fn ").skip(1);
    methods.map(|method| method.split('{').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn order_of_required_and_parameters_changes_no_signature() {
    let text = generated(RELATION);
    let found = signatures(&text);
    let arguments = |name: &str| {
        let method = found.iter().find(|method| method.starts_with(name)).unwrap();
        let arguments = method.split(": impl").filter_map(|part| part.split(' ').next_back());
        arguments.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(arguments("put_friend(")[..3], ["pet_id", "friend_id", "body"]);
    assert_eq!(arguments("builder(")[..2], ["pet_id", "name"]);
    for named in ["pub fn start<V>", "pub fn end<V>", "pub fn until<V>", "pub fn from<V>"] {
        assert!(text.contains(named), "{named}\n{text}");
    }
    let pet = RELATION.lines().find(|line| line.contains("name: petId, in")).unwrap();
    let until = RELATION.lines().find(|line| line.contains("name: until, in")).unwrap();
    let other = RELATION
        .replace("[name, start, petId, end]", "[end, petId, start, name]")
        .replace(until, "UNTIL")
        .replace(pet, until)
        .replace("UNTIL", pet);
    assert_ne!(other, RELATION);
    assert_eq!(signatures(&generated(&other)), found);
}

#[test]
fn missing_value_that_is_set_by_name_is_a_violation() {
    let text = generated(RELATION);
    assert!(text.contains("missing(types::ViolationLocation::Query, \"/until\")"), "{text}");
    assert!(text.contains("id: Err(Vec::new())"), "{text}");
}

#[test]
fn documentation_has_limits_and_no_references() {
    let text = generated(RELATION);
    assert!(text.contains("2 to 9 characters."), "{text}");
    assert!(text.contains("/// The first day.\n"), "{text}");
}

#[test]
fn generated_types_accept_responses_of_a_newer_server() {
    let text = generated(DOCUMENT);
    assert!(!text.contains("deny_unknown_fields") && !text.contains("regress"), "{text}");
}

#[test]
fn client_without_key_cannot_be_made() {
    let text = generated(DOCUMENT);
    assert!(!text.contains("pub fn new("), "{text}");
    assert!(text.contains("pub(crate) fn new_with_client("), "{text}");
    assert!(text.contains("pub(crate) inner: crate::call::Connection"), "{text}");
}

#[test]
fn builders_own_their_client_and_warn_where_they_are_forgotten() {
    let text = generated(DOCUMENT);
    for (expected, count) in [
        ("#[must_use = \"nothing is sent until `send` is called\"]\n    pub struct UpdatePet {", 1),
        ("#[must_use = \"it is the body of a call, which takes it as an argument\"]", 2),
        ("        client: super::Client,\n", 1),
    ] {
        assert_eq!(text.matches(expected).count(), count, "{expected}\n{text}");
    }
    assert!(!text.contains("UpdatePet<"), "{text}");
}

#[test]
fn same_document_gives_the_same_bytes() {
    assert_eq!(generated(DOCUMENT), generated(DOCUMENT));
}
