//! Documents of others: without our extensions, with schemas in place and compositions.

use openapi_document::Document;

use super::{config, file_of, holds_in};
use crate::coverage;

/// One operation with this body, and these schemas.
pub(super) fn library(body: &str, schemas: &str) -> String {
    format!(
        "openapi: 3.0.3
info: {{ title: Library, version: '1' }}
paths:
  /loans:
    post:
      operationId: createLoan
      requestBody:
        required: true
        content: {{ application/json: {{ schema: {body} }} }}
      responses: {{ '204': {{ description: Done. }} }}
    get:
      operationId: listLoans
      responses: {{ '204': {{ description: None. }} }}
components:
  schemas:
    Plain: {{ type: string }}
{schemas}"
    )
}

pub(super) const REFERENCE: &str = "{ $ref: '#/components/schemas/Loan' }";

/// The one reason why the operation is left out, with its pointer.
#[track_caller]
pub(super) fn left_out(body: &str, schemas: &str) -> String {
    let document = Document::parse("library.yaml", &library(body, schemas)).unwrap();
    let found = coverage(&document, &config()).unwrap();
    assert_eq!(found.generated, ["listLoans"]);
    let [operation] = found.left_out.as_slice() else {
        panic!("{:#?}", found.left_out);
    };
    assert_eq!((operation.id.as_str(), operation.method.as_str()), ("createLoan", "POST"));
    let [reason] = operation.reasons.as_slice() else {
        panic!("{:#?}", operation.reasons);
    };
    assert!(reason.help.is_some() && reason.place.line > 1, "{reason}");
    format!("{}: {}", reason.pointer, reason.problem)
}

#[test]
fn document_without_extensions_is_read() {
    let text = library("{ type: object, properties: { a: { type: number } } }", "");
    holds_in(&text, "operations.rs", &["scope: (),", "type Scope = ();"]);
    holds_in(
        &text,
        "traits.rs",
        &[
            "pub trait DefaultApi: Api { /// `POST /loans`, responds 204.",
            "Result<(), Self::Failure>",
        ],
    );
    holds_in(
        &text,
        "types.rs",
        &["pub struct CreateLoanRequest {", "pub a: Option<f64>,", "pub struct ServerError {"],
    );
}

#[test]
fn objects_told_apart_by_a_constant_are_an_enum() {
    let film = |name: &str, kind: &str| {
        format!(
            "    {name}: {{ type: object, required: [kind], properties: {{ kind: {{ type: string, \
             enum: [{kind}] }} }} }}\n"
        )
    };
    let loan = "    Loan: { oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: \
                '#/components/schemas/Film' }] }\n";
    let schemas = format!("{}{}{loan}", film("Book", "book"), film("Film", "film"));
    let text = library(REFERENCE, &schemas);
    holds_in(&text, "types.rs", &["union!(Loan, \"kind\", Book = \"book\", Film = \"film\");"]);
    let same = format!("{}{}{loan}", film("Book", "book"), film("Film", "book"));
    let text = library(REFERENCE, &same);
    holds_in(
        &text,
        "types.rs",
        &["alternatives!(Loan, one_of, Book(Book) = Book, Film(Film) = Film);"],
    );
}

#[test]
fn value_sets_that_are_alternatives_are_one_value_set() {
    let loan = "    Loan: { type: object, properties: { state: { oneOf: [{ type: string, enum: \
                [open] }, { type: string, enum: [closed] }] } } }\n";
    let text = library(REFERENCE, loan);
    holds_in(&text, "value_sets.rs", &["LoanState { Open = \"open\", Closed = \"closed\", }"]);
}

#[test]
fn parts_of_a_composition_are_merged_unless_they_contradict() {
    let part = "    Part: { type: object, required: [a], properties: { a: { type: string } } }\n";
    let loan = |property: &str| {
        format!(
            "{part}    Loan: {{ allOf: [{{ $ref: '#/components/schemas/Part' }}, {{ type: object, \
             properties: {{ {property} }} }}] }}\n"
        )
    };
    let text = library(REFERENCE, &loan("b: { type: boolean }"));
    holds_in(&text, "types.rs", &["pub struct Loan { pub a: String,", "pub b: Option<bool>, }"]);
    let found = left_out(REFERENCE, &loan("c: { not: {} }"));
    assert!(found.contains("`not`"), "{found}");
}

#[test]
fn formats_are_patterns_and_bounds() {
    let body = "{ type: object, properties: { a: { type: string, format: date-time }, b: { type: \
                integer, format: uint8 }, c: { type: string, format: any } } }";
    let text = file_of(&library(body, ""), "types.rs");
    for expected in [
        "pub a: Option<DateTimeText>,",
        "pub b: Option<CreateLoanRequestB>,",
        "integer!(CreateLoanRequestB, 0, 255, \"int64\");",
        "pub c: Option<String>,",
    ] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
}

#[test]
fn object_that_contains_itself_is_boxed() {
    let loan = "    Loan: { type: object, properties: { next: { $ref: \
                '#/components/schemas/Loan' }, fee: { $ref: '#/components/schemas/Fee' } } }\n    \
                Fee: { type: object, required: [of], properties: { of: { $ref: \
                '#/components/schemas/Loan' } } }\n";
    let text = library(REFERENCE, loan);
    holds_in(&text, "types.rs", &["pub next: Option<Box<Loan>>,", "pub fee: Option<Box<Fee>>,"]);
    holds_in(&text, "types.rs", &["pub of: Box<Loan>,"]);
    holds_in(&text, "decode.rs", &["fields.optional::<Box<Loan>>(\"next\")"]);
    let list = "    Loan: { type: object, properties: { next: { type: array, items: { $ref: \
                '#/components/schemas/Loan' } } } }\n";
    holds_in(&library(REFERENCE, list), "types.rs", &["pub next: Option<Vec<Loan>>,"]);
    let itself = "    Loan: { oneOf: [{ type: string }, { $ref: '#/components/schemas/Loan' }] }\n";
    let found = left_out(REFERENCE, itself);
    assert!(found.contains("`Loan` is an alternative of itself"), "{found}");
}

#[test]
fn reason_in_place_has_the_pointer_of_the_text() {
    let body = "{ type: object, properties: { a: { type: object, properties: { b: { type: array, \
                contains: {}, items: {} } } } } }";
    assert_eq!(
        left_out(body, ""),
        "/paths/~1loans/post/requestBody/content/application~1json/schema/properties/a/properties/\
         b/contains: `contains` is not supported here: the generated code would lose it"
    );
}

#[test]
fn what_is_left_out_is_not_generated() {
    let text = library("{ not: {} }", "");
    let document = Document::parse("library.yaml", &text).unwrap();
    let mut config = crate::Config { client: None, ..config() };
    assert!(crate::generate(&document, &[], &config).is_err());
    config.leave_out = vec!["createLoan".to_owned()];
    let artifacts = crate::generate(&document, &[], &config).unwrap();
    assert!(artifacts.iter().all(|file| !file.text.contains("createLoan")));
    assert!(artifacts.iter().any(|file| file.text.contains("listLoans")));
    config.leave_out.push("lend".to_owned());
    let error = crate::generate(&document, &[], &config).unwrap_err().to_string();
    assert!(error.contains("`leave-out` names `lend`"), "{error}");
}

#[test]
fn path_without_operations_is_no_reason() {
    let path = |name: &str, value: &str| {
        format!(
            "  /{name}:\n    parameters: [{{ name: a, in: query, schema: {{ type: string, enum: \
             [{value}] }} }}]\n"
        )
    };
    let paths = format!("paths:\n{}{}", path("films", "x"), path("books", "y"));
    let text = library("{ type: string }", "").replace("paths:\n", &paths);
    let document = Document::parse("library.yaml", &text).unwrap();
    let found = coverage(&document, &config()).unwrap();
    assert_eq!((found.generated.len(), found.left_out.len()), (2, 0));
}

#[test]
fn alternatives_are_an_enum_unless_one_would_lose_properties() {
    let either = |keyword: &str, others: &str| {
        let loan = format!("    Loan: {{ {keyword}: [{{ type: string }}, {others}] }}\n");
        library(REFERENCE, &loan)
    };
    let holds = |text: &str, expected: &[&str]| holds_in(text, "types.rs", expected);
    holds(
        &either("anyOf", "{ type: integer }"),
        &[
            "pub enum Loan { Text(String), Integer(i64), }",
            "alternatives!(Loan, any_of, Text(String) = String, Integer(i64) = i64);",
            "alternatives_in_text!(Loan, any_of, Text(String), Integer(i64));",
        ],
    );
    let objects = "{ type: object, properties: { a: { type: string } } }, { type: object, \
                   properties: { b: { type: string } } }";
    holds(&either("oneOf", objects), &["Text(String), Loan1(Loan1), Loan2(Loan2), }"]);
    let property = |alternatives: &str| {
        let loan = format!("    Loan: {{ properties: {{ a: {{ {alternatives} }} }} }}\n");
        library(REFERENCE, &loan)
    };
    let (text, number) = ("{ type: string, nullable: true }", "{ type: integer, nullable: true }");
    holds(&property(&format!("anyOf: [{text}, {number}]")), &["pub a: MaybeUndefined<LoanA>,"]);
    holds(&property(&format!("oneOf: [{text}, {number}]")), &["pub a: Option<LoanA>,"]);
    let several = format!("    Loan: {{ anyOf: [{objects}] }}\n");
    let found = left_out(REFERENCE, &several);
    assert!(found.contains("`anyOf` of several objects is not supported"), "{found}");
    let twice = "    Loan: { oneOf: [{ type: string }, { type: string, format: any }] }\n";
    let found = left_out(REFERENCE, twice);
    assert!(found.contains("would both be the variant `Text`"), "{found}");
}

#[test]
fn bounds_of_numbers_and_unique_items_are_kept() {
    let body = "{ type: object, properties: { a: { type: number, minimum: 0, exclusiveMinimum: \
                true, maximum: 2.5 }, b: { type: integer, minimum: 3, exclusiveMinimum: true }, c: \
                { type: array, uniqueItems: true, items: {} } } }";
    let text = library(body, "");
    holds_in(
        &text,
        "types.rs",
        &[
            "number!(CreateLoanRequestA, openapi_runtime::reading::Number::ANY.more_than(0.0)\
             .at_most(2.5));",
            "integer!(CreateLoanRequestB, 4, 9223372036854775807, \"int64\");",
        ],
    );
    holds_in(&text, "decode.rs", &["openapi_runtime::reading::Unique<"]);
}

#[test]
fn multipart_alone_is_left_out_and_beside_json_it_is_ignored() {
    let only = library("{}", "").replace("application/json", "multipart/form-data");
    let document = Document::parse("library.yaml", &only).unwrap();
    let found = coverage(&document, &config()).unwrap();
    assert!(found.left_out[0].reasons[0].problem.contains("`multipart/form-data`"));
    let both = library("{}", "")
        .replace("application/json: {", "multipart/form-data: {}, application/json: {");
    holds_in(&both, "traits.rs", &["body: Value"]);
}
