//! What is not supported is reported, with its place and a fix.

use super::{BASE, changed, diagnostics, reports_in};

/// Replaces one text of the base document; the result must have this diagnostic.
#[track_caller]
fn reports(from: &str, to: &str, pointer: &str, problem: &str) {
    reports_in(BASE, from, to, pointer, problem);
}

const SCHEMAS: &str = "/components/schemas";
const OPERATION: &str = "/paths/~1things~1{id}/patch";

#[test]
fn alternatives() {
    for keyword in ["oneOf", "anyOf"] {
        let alternatives = format!("{keyword}: [{{ type: string }}, {{ type: integer }}]");
        reports(
            "any: {}",
            &format!("any: {{ minLength: 3, {alternatives} }}"),
            &format!("{SCHEMAS}/Thing/properties/any/{keyword}"),
            "beside other keywords",
        );
        reports(
            "Extra: { type: object, additionalProperties: true }",
            &format!("Extra: {{ properties: {{ a: {{}} }}, {alternatives} }}"),
            &format!("{SCHEMAS}/Extra/{keyword}"),
            "in a named schema",
        );
    }
    let parts = "{ allOf: [{ $ref: \"#/components/schemas/Part\" }, \
                 { $ref: \"#/components/schemas/Labels\" }] }";
    reports(
        "any: {}",
        &format!("any: {parts}"),
        &format!("{SCHEMAS}/Thing/properties/any/allOf"),
        "anything but open objects",
    );
    let mistaken =
        "{ type: integer, nullable: true, allOf: [{ $ref: \"#/components/schemas/Part\" }] }";
    reports(
        "any: {}",
        &format!("any: {mistaken}"),
        &format!("{SCHEMAS}/Thing/properties/any/type"),
        "is not the type of",
    );
}

#[test]
fn types_written_in_place_that_would_lose_a_rule() {
    let any = format!("{SCHEMAS}/Thing/properties/any");
    for (written, pointer, problem) in [
        ("{ type: integer, multipleOf: 0.5 }", "/multipleOf", "a whole number above zero"),
        ("{ type: number, format: decimal }", "/format", "is not supported"),
        ("{ enum: [1, two] }", "/enum/0", "must be a text"),
        ("{ type: integer, enum: [1, 2.5] }", "/enum/1", "does not have the type of the set"),
        (
            "{ type: object, properties: { a: { type: object, minProperties: 2 } } }",
            "/properties/a/minProperties",
            "the generated code would lose it",
        ),
        ("{ type: string, enum: [A, a] }", "/enum/1", "would both be the variant `A`"),
    ] {
        reports("any: {}", &format!("any: {written}"), &format!("{any}{pointer}"), problem);
    }
}

#[test]
fn schemas_that_no_type_would_represent() {
    reports(
        "Extra: { type: object,",
        "Extra: { type: object, maxProperties: 3,",
        &format!("{SCHEMAS}/Extra/maxProperties"),
        "the generated code would lose it",
    );
    reports(
        "minimum: 1, maximum: 10",
        "minimum: 11, maximum: 10",
        &format!("{SCHEMAS}/Size"),
        "contradict",
    );
    reports(
        "minimum: 1, maximum: 10, default: 5",
        "minimum: 1, maximum: 10, default: 50",
        &format!("{SCHEMAS}/Size"),
        "contradict",
    );
    reports(
        "\"^[A-Z]{3}$\"",
        "'^(?<digit>[0-9])$'",
        &format!("{SCHEMAS}/Code/pattern"),
        "something else in Rust",
    );
}

#[test]
fn names_that_collide() {
    reports(
        "    Extra: {",
        "    code: { type: string }\n    Extra: {",
        &format!("{SCHEMAS}/code"),
        "would both be the Rust type `Code`",
    );
    reports(
        "any: {}",
        "listed_: { type: boolean }",
        &format!("{SCHEMAS}/Thing/properties/listed_"),
        "would both be the field `listed`",
    );
    reports(
        "[RED, DARK_BLUE]",
        "[DARK_BLUE, dark-blue]",
        &format!("{SCHEMAS}/Color/enum/1"),
        "would both be the variant `DarkBlue`",
    );
    reports(
        "[RED, DARK_BLUE]",
        "[A1, A_1]",
        &format!("{SCHEMAS}/Color/enum/1"),
        "`A1` and `A_1` would both be the variant `A1`",
    );
    reports(
        "[VALIDATION_FAILED, INVALID_REFERENCE]",
        "[VALIDATION_FAILED, INVALID_REFERENCE, invalid_reference]",
        &format!("{OPERATION}/responses/422"),
        "would both be the code `InvalidReference`",
    );
}

#[test]
fn operations_without_scope_or_id() {
    reports("      operationId: changeThing\n", "", OPERATION, "no `operationId`");
    reports("      x-required-scope: things:write\n", "", OPERATION, "no `x-required-scope`");
    reports(
        "x-required-scope: things:write",
        "x-required-scope: things:read",
        &format!("{OPERATION}/x-required-scope"),
        "is not a known",
    );
    reports(
        "x-profile: core",
        "x-profile: best",
        &format!("{OPERATION}/x-profile"),
        "is not a known",
    );
}

#[test]
fn parameters() {
    let at = |index: usize| format!("{OPERATION}/parameters/{index}");
    let limit = "name: limit, in: query, schema: { $ref: \"#/components/schemas/Size\" }";
    for (written, pointer, problem) in [
        ("name: limit, in: query, schema: { type: array, items: {} }", "/schema", "an object or"),
        ("name: limit, in: query, schema: { type: object }", "/schema", "an object or a list"),
        (
            "name: limit, in: query, content: { text/xml: { schema: { type: string } } }",
            "/content",
            "a parameter of `text/xml`",
        ),
        (
            "name: limit, in: query, required: true, allowEmptyValue: true, schema: { type: \
             integer }",
            "/allowEmptyValue",
            "a required parameter that may be empty",
        ),
        (
            "name: limit, in: query, schema: { type: string, enum: [a], default: b }",
            "/schema/default",
            "breaks its schema",
        ),
        ("name: Id, in: query, schema: { type: string }", "", "would both be the argument `id`"),
    ] {
        reports(limit, written, &format!("{}{pointer}", at(1)), problem);
    }
    reports("api-version, in: header", "api-version, in: cookie", &at(3), "a cookie");
    reports(
        "/things/{id}:",
        "/things/{id}/{part}:",
        "/paths/~1things~1{id}~1{part}/patch",
        "do not agree",
    );
    reports(
        "/things/{id}:",
        "/things/x-{id}:",
        "/paths/~1things~1x-{id}/patch",
        "mixes a parameter with text",
    );
}

#[test]
fn bodies_and_responses() {
    let responses = format!("{OPERATION}/responses");
    reports(
        "content: { application/json: { schema: { $ref: \"#/components/schemas/ChangeThing\" } } }",
        "content: { multipart/form-data: { schema: { type: object } } }",
        &format!("{OPERATION}/requestBody/content/multipart~1form-data"),
        "`multipart/form-data`",
    );
    reports("\"400\":", "default:", &format!("{responses}/default"), "a default or a range");
    reports("\"400\":", "\"4XX\":", &format!("{responses}/4XX"), "a default or a range");
    reports("\"201\":", "\"409\":", OPERATION, "an operation needs a success");
    reports("\"400\":", "\"101\":", &format!("{responses}/101"), "it ends no response");
    reports("\"500\":", "\"501\":", OPERATION, "documents no 500");
    reports(
        "[VALIDATION_FAILED, INVALID_REFERENCE]",
        "[VALIDATION_FAILED, INVALID_REFERENCE, INVALID_JSON]",
        &format!("{responses}/422"),
        "has the statuses 400 and 422",
    );
    reports(
        "          x-error-codes: [INTERNAL_ERROR]\n",
        "",
        &format!("{responses}/500"),
        "no `x-error-codes`",
    );
    reports("[UNSUPPORTED_MEDIA_TYPE]", "[OTHER_MEDIA_TYPE]", "/paths", "`UNSUPPORTED_MEDIA_TYPE`");
}

#[test]
fn error_of_another_shape() {
    let response = |schema: &str| {
        format!(
            "x-error-codes: [INTERNAL_ERROR]\n          content: {{ application/json: \
             {{ schema: {{ $ref: \"#/components/schemas/{schema}\" }} }} }}"
        )
    };
    reports(
        &response("Error"),
        &response("Thing"),
        &format!("{OPERATION}/responses/500"),
        "has the schema `Thing`",
    );
}

#[test]
fn all_diagnostics_come_at_once_with_their_places() {
    let document =
        changed(BASE, "any: {}", "any: { not: {} }\n        sum: { type: number, format: x }");
    let messages: Vec<String> = diagnostics(&document).iter().map(ToString::to_string).collect();
    assert_eq!(messages.len(), 2, "{messages:#?}");
    assert!(messages.iter().all(|line| line.starts_with("small.yaml:")), "{messages:#?}");
}
