//! Requests and responses of documents of others: forms, objects in a query, texts and files.

use openapi_document::Document;

use super::{config, holds_in, subset::library};
use crate::coverage;

/// A list with this parameter.
fn listed(parameter: &str) -> String {
    library("{ type: string }", "").replace(
        "operationId: listLoans",
        &format!("operationId: listLoans\n      parameters: [{{ {parameter} }}]"),
    )
}

/// An operation with this body.
fn with_body(content: &str) -> String {
    library("{}", "").replace("application/json: { schema: {} }", content)
}

/// The only response of the first operation.
fn with_response(response: &str) -> String {
    library("{ type: string }", "").replacen("'204': { description: Done. }", response, 1)
}

const OBJECT: &str = "{ type: object, required: [a], properties: { a: { type: integer }, \
                      b: { type: array, items: { type: string } }, \
                      c: { type: object, properties: { d: {} } } } }";

#[test]
fn form_is_read_into_the_type_of_its_schema() {
    let form = format!("application/x-www-form-urlencoded: {{ schema: {OBJECT} }}");
    let text = with_body(&form);
    holds_in(
        &text,
        "decode.rs",
        &[
            "reader.body_in::<CreateLoanRequest>(",
            "BodyFormat::Form( &[(\"c\", openapi_runtime::reading::Encoding::Json)], )",
            "(\"a\", <i64 as FromJson>::of_text),",
        ],
    );
    holds_in(&text, "traits.rs", &["body: CreateLoanRequest"]);
    let encoding = "encoding: { b: { style: form, explode: false }, c: { style: deepObject } }";
    let text = with_body(&form.replace(" } } } } }", &format!(" }} }} }} }}, {encoding} }}")));
    holds_in(&text, "decode.rs", &["Encoding::Separated(',')", "Encoding::Brackets"]);
    let both = with_body(&format!("application/json: {{ schema: {OBJECT} }}, {form}"));
    holds_in(&both, "decode.rs", &["BodyFormat::Json(\"application/json\"),", "BodyFormat::Form("]);
}

#[test]
fn text_and_bytes_are_bodies() {
    let text = with_body("text/plain: { schema: { type: string } }");
    holds_in(&text, "decode.rs", &["reader.text_body(&[\"text/plain\"])"]);
    holds_in(&text, "traits.rs", &["body: String"]);
    let file = with_body("image/png: {}, image/jpeg: {}");
    holds_in(&file, "decode.rs", &["reader.bytes_body(&[\"image/png\", \"image/jpeg\"])"]);
    holds_in(&file, "traits.rs", &["body: Vec<u8>"]);
    let optional = file.replace("required: true", "required: false");
    holds_in(&optional, "traits.rs", &["body: Vec<u8>"]);
    holds_in(&optional, "decode.rs", &[".map(Option::unwrap_or_default);"]);
    let text = with_response("'200': { description: Rows., content: { text/csv: {} } }");
    holds_in(&text, "types.rs", &["openapi_runtime::media_type!(TextCsvMedia, \"text/csv\");"]);
    holds_in(&text, "traits.rs", &["Result<openapi_runtime::Content<TextCsvMedia>,"]);
}

#[test]
fn default_response_of_another_shape_is_returned_by_the_handler() {
    let text = with_response(
        "'201': { description: Done. }, default: { description: Other., content: { \
         application/json: { schema: { type: object, properties: { why: { type: string } } } } } }",
    );
    holds_in(&text, "types.rs", &["Default(StatusCode, CreateLoanResponseBodyDefault),"]);
    holds_in(&text, "routes.rs", &["; Default CreateLoanResponseBodyDefault }"]);
}

#[test]
fn objects_in_a_query_are_read_as_their_style_writes_them() {
    let object = "schema: { type: object, properties: { a: { type: integer } } }";
    for (style, expected) in [
        ("style: deepObject", "Reader::new(request, &[\"f[]\", \"f\"]);"),
        (
            "style: deepObject",
            "reader .query_in::<ListLoansF>(\"f\", openapi_runtime::reading::Encoding::Brackets)",
        ),
        ("style: form", "Encoding::Exploded(&[\"a\"])"),
        ("style: form, explode: false", "Encoding::Separated(',')"),
    ] {
        let text = listed(&format!("name: f, in: query, {style}, {object}"));
        let file = super::file_of(&text, "decode.rs");
        let plain = |text: &str| text.replace(' ', "");
        assert!(plain(&file).contains(&plain(expected)), "no {expected} in {file}");
    }
    let text =
        listed(&format!("name: f, in: query, content: {{ application/json: {{ {object} }} }}"));
    holds_in(&text, "decode.rs", &["Encoding::Json"]);
}

#[test]
fn empty_value_is_the_same_as_none() {
    let text = listed("name: f, in: query, allowEmptyValue: true, schema: { type: integer }");
    holds_in(&text, "decode.rs", &["reader.ignore_empty(\"f\");"]);
    let text = listed("name: f, in: query, allowEmptyValue: true, schema: { type: string }");
    assert!(!super::file_of(&text, "decode.rs").contains("ignore_empty"));
}

#[test]
fn default_of_a_query_is_a_value() {
    let text = listed("name: f, in: query, schema: { type: string, enum: [a, b], default: b }");
    holds_in(
        &text,
        "types.rs",
        &["pub f: ListLoansF,", "pub fn default_f() -> ListLoansF { ListLoansF::B }"],
    );
    holds_in(&text, "decode.rs", &["f?.unwrap_or_else(ListLoansQuery::default_f)"]);
}

#[test]
fn parameter_may_have_any_name() {
    let text = listed("name: reader, in: query, schema: { type: string }");
    holds_in(&text, "decode.rs", &["let reader_parameter = reader.optional_query(\"reader\");"]);
}

#[test]
fn list_of_errors_is_filled() {
    let text = with_response(
        "'204': { description: Done. }, '500': { description: Failed., content: { \
         application/json: { schema: { $ref: '#/components/schemas/Errors' } } } }",
    )
    .replace(
        "    Plain:",
        "    Errors: { type: object, properties: { errors: { type: array, items: { type: object, \
         properties: { message: { type: string }, code: { type: integer }, status: { type: \
         integer } } } } } }\n    Plain:",
    );
    let document = Document::parse("library.yaml", &text).unwrap();
    assert_eq!(coverage(&document, &config()).unwrap().generated.len(), 2);
    holds_in(
        &text,
        "types.rs",
        &[
            "let message = openapi_runtime::message_with(message, details);",
            "code: Some(self.status().as_u16().into()), status: \
             Some(self.status().as_u16().into()),",
        ],
    );
}
