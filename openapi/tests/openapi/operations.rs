//! Operations have all their parts, with references resolved, in the order of the document.

use std::fs;

use openapi_document::{Document, Idempotency, Location, Method, Operation, Status};

use crate::support::{data, document, load};

fn store() -> Document {
    load("store.yaml")
}

fn replace_pet(document: &Document) -> &Operation {
    &document.operations()[0]
}

#[test]
fn operations_come_in_document_order() {
    let document = store();
    let names =
        document.operations().iter().map(|operation| (operation.method, operation.id.as_str()));
    let expected = [(Method::Put, "replacePet"), (Method::Get, "get_/pets/{id}")];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn operation_has_its_texts_and_extensions() {
    let document = store();
    let operation = replace_pet(&document);
    assert_eq!(operation.path, "/pets/{id}");
    assert_eq!(operation.tag.as_deref(), Some("pets"));
    assert_eq!(operation.profile.as_deref(), Some("core"));
    assert_eq!(operation.scope.as_deref(), Some("pets:write"));
    assert_eq!(operation.idempotency, Idempotency::ByKey);
    assert_eq!(operation.summary.as_deref(), Some("Replace a pet"));
    assert_eq!(operation.description.as_deref(), Some("All of it."));
    assert_eq!(document.place(&operation.pointer).to_string(), "api.yaml:10:5");
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
fn own_parameter_replaces_the_shared_one_of_its_name() {
    let document = store();
    let parameters: Vec<_> = replace_pet(&document)
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.location, parameter.required))
        .collect();
    let expected = [
        ("id", Location::Path, true),
        ("trace", Location::Header, true),
        ("dry", Location::Query, false),
    ];
    assert_eq!(parameters, expected);
    let shared = &document.operations()[1].parameters;
    assert_eq!((shared.len(), shared[1].required), (2, false));
}

#[test]
fn parameter_leads_to_its_schema_and_definition() {
    let document = store();
    let [id, trace, dry] = replace_pet(&document).parameters.as_slice() else {
        panic!("three parameters");
    };
    let of_item = "/paths/~1pets~1{id}/parameters/0/schema";
    assert_eq!(id.schema_pointer.as_deref(), Some(of_item));
    let of_content = "/paths/~1pets~1{id}/put/parameters/0/content/text~1plain/schema";
    assert_eq!(trace.schema_pointer.as_deref(), Some(of_content));
    assert_eq!(dry.pointer, "/components/parameters/Dry");
    assert_eq!(dry.description.as_deref(), Some("Try only."));
}

#[test]
fn body_is_resolved() {
    let document = store();
    let body = replace_pet(&document).body.as_ref().unwrap();
    assert!(body.required);
    assert_eq!(body.pointer, "/components/requestBodies/Pet");
    let [json] = body.content.as_slice() else {
        panic!("one media type");
    };
    assert_eq!(json.content_type, "application/json");
    let schema = document.resolve(json.schema_pointer.as_ref().unwrap()).unwrap();
    assert_eq!(schema.pointer, "/components/schemas/Pet");
    assert_eq!(json.examples[0].value["name"], "Ada");
}

#[test]
fn responses_are_resolved_with_headers_and_error_codes() {
    let document = store();
    let [default, range, ok] = replace_pet(&document).responses.as_slice() else {
        panic!("three responses");
    };
    assert_eq!(default.status, Status::Default);
    assert_eq!((range.status, range.description.as_str()), (Status::Range(4), "gone"));
    assert_eq!(range.error_codes, ["NOT_FOUND", "GONE"]);
    assert_eq!(ok.status, Status::Code(200));
    assert_eq!((ok.headers[0].name.as_str(), ok.headers[0].required), ("x-request-id", true));
    assert_eq!(ok.headers[0].description.as_deref(), Some("For the log."));
    let example = &ok.content[0].examples[0];
    assert_eq!((example.name.as_deref(), &example.value["name"]), (Some("Rex"), &"Rex".into()));
    assert_eq!(example.pointer, "/components/examples/Rex/value");
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
fn unrouted_responses_are_reported() {
    let document = store();
    let [response] = document.unrouted_responses() else {
        panic!("one response");
    };
    assert_eq!((response.status, response.error_codes.len()), (Status::Code(404), 2));
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
fn operation_that_no_generator_supports_is_still_represented() {
    let document = load("unsupported.yaml");
    let [post, get] = document.operations() else {
        panic!("two operations");
    };
    assert_eq!(get.security, [vec![("key".to_owned(), vec![])]]);
    assert_eq!(post.security, [vec![], vec![("oauth".to_owned(), vec!["loans".to_owned()])]]);
    assert!(post.deprecated && !get.deprecated);
    let styles = post.parameters.iter().map(|found| (found.style.as_str(), found.explode));
    let styles: Vec<(&str, bool)> = styles.collect();
    assert_eq!(styles, [("form", true), ("pipeDelimited", false), ("form", true)]);
    assert_eq!(post.parameters[2].content_type.as_deref(), Some("application/json"));
    let body = post.body.as_ref().unwrap();
    assert!(!body.required);
    assert_eq!(body.content[0].content_type, "multipart/form-data");
    assert_eq!(body.content[1].schema_pointer, None);
    assert!(post.responses[0].content.is_empty());
    assert_eq!(post.responses[1].status, Status::Default);
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
