//! Operations have all their parts, with references resolved, in the order of the document.

use std::fs;

use openapi_document::{Document, Idempotency, Operation, Status};

use crate::support::{Expected, data, document, load};

/// A text file beside each document of `tests/data` has what is read of it, examples included.
#[test]
fn operations_and_examples_are_read_as_the_files_say() {
    let mut expected = Expected::default();
    for name in ["examples", "store", "unsupported"] {
        let document = load(&format!("{name}.yaml"));
        let (operations, unrouted) = (document.operations(), document.unrouted_responses());
        let examples = document.examples().unwrap();
        let found = format!("{operations:#?}\n{unrouted:#?}\n{examples:#?}\n");
        expected.check(data(&format!("{name}.txt")), &found);
    }
    expected.end();
}

fn store() -> Document {
    load("store.yaml")
}

fn replace_pet(document: &Document) -> &Operation {
    &document.operations()[0]
}

#[test]
fn idempotency_is_true_or_key() {
    let text = fs::read_to_string(data("store.yaml")).unwrap();
    let idempotency = |value: &str| {
        let written = format!("x-idempotent: {value}");
        let document = document(&text.replace("x-idempotent: key", &written));
        replace_pet(&document).idempotency
    };
    assert_eq!(idempotency("true"), Idempotency::ByNature);
    for other in ["false", "yes", "1"] {
        assert_eq!(idempotency(other), Idempotency::None, "{other}");
    }
    assert_eq!(store().operations()[1].idempotency, Idempotency::None);
}

#[test]
fn most_exact_response_answers_for_a_code() {
    let document = store();
    let status = |code| replace_pet(&document).response(code).unwrap().status;
    assert_eq!(status(200), Status::Code(200));
    assert_eq!(status(404), Status::Range(4));
    assert_eq!(status(500), Status::Default);
}

#[test]
fn status_reads_and_shows_itself() {
    for text in ["200", "4XX", "default"] {
        assert_eq!(text.parse::<Status>().unwrap().to_string(), text);
    }
    for text in ["99", "600", "6XX", "0XX", "XX", "2xX", "ok", ""] {
        assert!(text.parse::<Status>().is_err(), "{text}");
    }
    assert!(Status::Code(204).is_success() && !Status::Default.is_success());
    assert!(Status::Range(5).is_error() && !Status::Range(3).is_error());
}

#[test]
fn document_of_megabytes_is_loaded_in_a_moment() {
    let operation = |index: usize| {
        format!(
            "\"/loans/{index}\": {{ \"get\": {{ \"operationId\": \"loan{index}\", \"parameters\": \
             [{{ \"name\": \"q\", \"in\": \"query\", \"schema\": {{ \"type\": \"string\" }} }}], \
             \"responses\": {{ \"200\": {{ \"description\": \"{}\", \"content\": {{ \
             \"application/json\": {{ \"schema\": {{ \"$ref\": \"#/components/schemas/Loan\" }} }} \
             }} }} }} }} }}",
            "a loan ".repeat(100)
        )
    };
    let paths: Vec<String> = (0..5_000).map(operation).collect();
    let text = format!(
        "{{ \"openapi\": \"3.0.3\", \"info\": {{ \"title\": \"T\", \"version\": \"1\" }}, \
         \"paths\": {{ {} }}, \
         \"components\": {{ \"schemas\": {{ \"Loan\": {{ \"type\": \"object\" }} }} }} }}",
        paths.join(", ")
    );
    assert!(text.len() > 4_000_000);
    let begin = std::time::Instant::now();
    let document = Document::parse("big.json", &text).unwrap();
    assert_eq!(document.operations().len(), 5_000);
    // A quadratic step would take minutes.
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}
