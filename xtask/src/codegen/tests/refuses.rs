//! What must be refused, where, and with which words.

use super::{changed, refusals};

/// Replaces one text of the base document, and claims where and why the result is refused.
#[track_caller]
fn refused(from: &str, to: &str, pointer: &str, problem: &str) {
    let refusals = refusals(&changed(from, to));
    let found = refusals
        .iter()
        .find(|refusal| refusal.pointer == pointer && refusal.problem.contains(problem));
    let found = found.unwrap_or_else(|| panic!("not among {refusals:#?}"));
    assert!(found.place.line > 1, "{found}");
    assert!(
        found.mend.as_ref().is_some_and(|mend| !mend.is_empty()),
        "{found}"
    );
}

const SCHEMAS: &str = "/components/schemas";
const OPERATION: &str = "/paths/~1things~1{id}/patch";

#[test]
fn alternatives() {
    for keyword in ["oneOf", "anyOf"] {
        let to = format!("any: {{ {keyword}: [{{ type: string }}] }}");
        refused(
            "any: {}",
            &to,
            &format!("{SCHEMAS}/Thing/properties/any/{keyword}"),
            "is not supported",
        );
        let to = format!("Extra: {{ {keyword}: [{{ type: string }}] }}");
        refused(
            "Extra: { type: object, additionalProperties: true }",
            &to,
            &format!("{SCHEMAS}/Extra/{keyword}"),
            "in a named schema",
        );
    }
    let parts = "{ allOf: [{ $ref: \"#/components/schemas/Part\" }, { $ref: \"#/components/schemas/Labels\" }] }";
    refused(
        "any: {}",
        &format!("any: {parts}"),
        &format!("{SCHEMAS}/Thing/properties/any/allOf"),
        "anything but one reference",
    );
    let mistaken =
        "{ type: integer, nullable: true, allOf: [{ $ref: \"#/components/schemas/Part\" }] }";
    refused(
        "any: {}",
        &format!("any: {mistaken}"),
        &format!("{SCHEMAS}/Thing/properties/any/type"),
        "is not the type of",
    );
}

#[test]
fn types_written_in_place() {
    let any = format!("{SCHEMAS}/Thing/properties/any");
    refused(
        "any: {}",
        "any: { type: object, properties: {} }",
        &any,
        "an object in place",
    );
    refused(
        "any: {}",
        "any: { type: string, enum: [A] }",
        &format!("{any}/enum"),
        "a value set in place",
    );
    refused(
        "any: {}",
        "any: { type: string, maxLength: 3 }",
        &format!("{any}/maxLength"),
        "every use would be another type",
    );
    refused(
        "any: {}",
        "any: { type: integer, minimum: 3 }",
        &format!("{any}/minimum"),
        "every use would be another type",
    );
    refused(
        "any: {}",
        "any: { type: number }",
        &any,
        "the type `number`",
    );
    refused(
        "any: {}",
        "any: { type: array, items: { type: object } }",
        &format!("{any}/items"),
        "an object in place",
    );
    refused(
        "any: {}",
        "any: { type: array, items: { type: array, items: { type: string } } }",
        &format!("{any}/items"),
        "a list of lists",
    );
    refused(
        "any: {}",
        "any: { type: array, uniqueItems: true, items: { type: string } }",
        &format!("{any}/uniqueItems"),
        "nothing generated would keep it",
    );
}

#[test]
fn schemas_that_no_type_would_keep() {
    refused(
        "Labels: { type: object,",
        "Labels: { type: object, maxProperties: 3,",
        &format!("{SCHEMAS}/Labels/maxProperties"),
        "nothing generated would keep it",
    );
    refused(
        "additionalProperties: true }",
        "additionalProperties: { type: integer } }",
        &format!("{SCHEMAS}/Extra/additionalProperties"),
        "a map of such values",
    );
    refused(
        "Extra: { type: object, additionalProperties: true }",
        "Extra: { type: object }",
        &format!("{SCHEMAS}/Extra"),
        "without properties",
    );
    refused(
        "Extra: { type: object, additionalProperties: true }",
        "Extra: { type: array, items: { type: string } }",
        &format!("{SCHEMAS}/Extra"),
        "of type `array`",
    );
    refused(
        "minimum: 1, maximum: 10",
        "minimum: 11, maximum: 10",
        &format!("{SCHEMAS}/Size"),
        "contradict",
    );
    refused(
        "minimum: 1, maximum: 10, default: 5",
        "minimum: 1, maximum: 10, default: 50",
        &format!("{SCHEMAS}/Size"),
        "contradict",
    );
    refused(
        "\"^[A-Z]{3}$\"",
        "'^\\d$'",
        &format!("{SCHEMAS}/Code/pattern"),
        "something else in Rust",
    );
    refused(
        "minLength: 1,",
        "format: date-time,",
        &format!("{SCHEMAS}/ThingId/format"),
        "nothing generated would check it",
    );
    refused(
        "minLength: 1,",
        "nullable: true,",
        &format!("{SCHEMAS}/ThingId/nullable"),
        "cannot be nullable",
    );
    refused(
        "required: [price]",
        "required: [prize]",
        &format!("{SCHEMAS}/ChangeThing/required"),
        "`prize` is required",
    );
}

#[test]
fn names_that_collide() {
    refused(
        "    Extra: {",
        "    Note: { type: string }\n    Extra: {",
        &format!("{SCHEMAS}/Note"),
        "would both be the Rust type `Note`",
    );
    refused(
        "    Code: {",
        "    Option: { type: string }\n    Code: {",
        &format!("{SCHEMAS}/Option"),
        "uses this name",
    );
    refused(
        "    Code: {",
        "    some_name: { type: string }\n    Code: {",
        &format!("{SCHEMAS}/some_name"),
        "UpperCamelCase",
    );
    refused(
        "    Code: {",
        "    ChangeThingQuery: { type: string }\n    Code: {",
        OPERATION,
        "both a schema and a type",
    );
    refused(
        "any: {}",
        "listed_: { type: boolean }",
        &format!("{SCHEMAS}/Thing/properties/listed_"),
        "the same field in Rust",
    );
    refused(
        "[RED, DARK_BLUE]",
        "[DARK_BLUE, dark-blue]",
        &format!("{SCHEMAS}/Color/enum/1"),
        "the same name in Rust",
    );
}

#[test]
fn operations_that_a_gate_could_not_judge() {
    refused(
        "      operationId: changeThing\n",
        "",
        OPERATION,
        "no `operationId`",
    );
    refused("      tags: [things]\n", "", OPERATION, "no `tags`");
    refused("      x-profile: core\n", "", OPERATION, "no `x-profile`");
    refused(
        "      x-required-scope: things:write\n",
        "",
        OPERATION,
        "no `x-required-scope`",
    );
    refused(
        "x-required-scope: things:write",
        "x-required-scope: things:read",
        &format!("{OPERATION}/x-required-scope"),
        "not known",
    );
    refused(
        "x-profile: core",
        "x-profile: best",
        &format!("{OPERATION}/x-profile"),
        "not known",
    );
    refused(
        "x-profile: core",
        "x-profile: core\n      security: []",
        &format!("{OPERATION}/security"),
        "is not supported",
    );
}

#[test]
fn parameters_that_have_no_one_spelling() {
    let at = |index: usize| format!("{OPERATION}/parameters/{index}");
    refused(
        "api-version, in: header",
        "api-version, in: cookie",
        &at(3),
        "a cookie",
    );
    refused(
        "name: limit, in: query,",
        "name: limit, in: query, style: form,",
        &format!("{}/style", at(1)),
        "is not supported",
    );
    refused(
        "name: limit, in: query, schema: { $ref: \"#/components/schemas/Size\" }",
        "name: limit, in: query, schema: { type: array, items: { type: string } }",
        &format!("{}/schema", at(1)),
        "a scalar",
    );
    refused(
        "/things/{id}:",
        "/things/{id}/{part}:",
        "/paths/~1things~1{id}~1{part}/patch",
        "do not agree",
    );
    refused(
        "/things/{id}:",
        "/things/x-{id}:",
        "/paths/~1things~1x-{id}/patch",
        "mixes a parameter with text",
    );
}

#[test]
fn bodies_and_answers_that_a_client_could_not_read() {
    let responses = format!("{OPERATION}/responses");
    refused(
        "        required: true\n",
        "",
        &format!("{OPERATION}/requestBody"),
        "an optional body",
    );
    refused(
        "content: { application/json: { schema: { $ref: \"#/components/schemas/ChangeThing\" } } }",
        "content: { text/plain: { schema: { type: string } } }",
        &format!("{OPERATION}/requestBody/content/text~1plain"),
        "`text/plain`",
    );
    refused(
        "content: { application/json: { schema: { $ref: \"#/components/schemas/Thing\" } } }",
        "content: { application/json: { schema: { type: string } } }",
        &format!("{responses}/201/content/application~1json/schema"),
        "must be named",
    );
    refused(
        "\"400\":",
        "default:",
        &format!("{responses}/default"),
        "a default or a range",
    );
    refused(
        "\"400\":",
        "\"4XX\":",
        &format!("{responses}/4XX"),
        "a default or a range",
    );
    refused("\"400\":", "\"200\":", OPERATION, "exactly one success");
    refused("\"201\":", "\"409\":", OPERATION, "exactly one success");
    refused("\"500\":", "\"501\":", OPERATION, "documents no 500");
    refused(
        "[VALIDATION_FAILED, INVALID_REFERENCE]",
        "[VALIDATION_FAILED, INVALID_REFERENCE, INVALID_JSON]",
        &format!("{responses}/422"),
        "has the statuses 400 and 422",
    );
    refused(
        "          x-error-codes: [INTERNAL_ERROR]\n",
        "",
        &format!("{responses}/500"),
        "no `x-error-codes`",
    );
    refused(
        "[VALIDATION_FAILED, INVALID_REFERENCE]",
        "[VALIDATION_FAILED]",
        "/paths",
        "`INVALID_REFERENCE`",
    );
}

#[test]
fn error_of_another_shape() {
    let from = "x-error-codes: [INTERNAL_ERROR]\n          content: { application/json: { schema: { $ref: \"#/components/schemas/Error\" } } }";
    let to = "x-error-codes: [INTERNAL_ERROR]\n          content: { application/json: { schema: { $ref: \"#/components/schemas/Thing\" } } }";
    refused(
        from,
        to,
        &format!("{OPERATION}/responses/500"),
        "has the schema `Thing`",
    );
}

#[test]
fn all_refusals_come_at_once_with_their_places() {
    let document = changed(
        "any: {}",
        "any: { oneOf: [] }\n        sum: { type: number }",
    );
    let told: Vec<String> = refusals(&document)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(
        told.iter().all(|line| line.starts_with("small.yaml:")),
        "{told:#?}"
    );
}
