//! The document that the server publishes, and its schemas, compiled once.

use std::sync::LazyLock;

use openapi_document::{Direction, Document, Location, Operation, Validator};

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let text = payout_server::http::docs::DOCUMENT;
    Document::parse("api.yaml", text).expect("the document is sound")
});

/// The names and schemas of an operation's query parameters.
pub(super) fn query_parameters(operation_id: &str) -> Vec<(String, Validator)> {
    let is_it = |operation: &&Operation| operation.id == operation_id;
    let operation = DOCUMENT.operations().iter().find(is_it).expect("an operation of the document");
    let in_query =
        operation.parameters.iter().filter(|parameter| parameter.location == Location::Query);
    let named = in_query.map(|parameter| {
        let pointer = parameter.schema_pointer.as_deref().expect("each parameter has a schema");
        (parameter.name.clone(), validator(pointer))
    });
    named.collect()
}

/// The schema of a value of a request.
pub(super) fn validator(pointer: &str) -> Validator {
    DOCUMENT.validator(pointer, Direction::Request).expect("the document is sound")
}
