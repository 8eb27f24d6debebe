//! Checks that every response keeps to the document.

use std::{path::Path, sync::LazyLock};

use hyper::header::CONTENT_TYPE;
use openapi_document::{Direction, Document, Operation};

use crate::server::Response;

pub static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/api.yaml");
    Document::load(&path).unwrap()
});

/// The schema of errors, also of those that belong to no operation.
const FAILURE: &str = "/components/schemas/Failure";

/// Returns the id of the operation; panics if the document does not have the response.
pub fn check(method: &str, path: &str, response: &Response) -> Option<String> {
    let path = path.split('?').next().unwrap_or_default();
    let operations = || DOCUMENT.operations().iter().filter(|known| fits(&known.path, path));
    let operation = operations().find(|operation| operation.method.as_str() == method);
    let schema = match operation {
        Some(operation) => {
            let documented = operation.response(response.status);
            let documented =
                documented.unwrap_or_else(|| panic!("{} {}", operation.id, response.status));
            for header in documented.headers.iter().filter(|header| header.required) {
                assert!(
                    response.headers.contains_key(&header.name),
                    "{} {response:?}",
                    header.name
                );
            }
            let written = response.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
            let mut media = documented.content.iter();
            let media = media.find(|media| Some(media.content_type.as_str()) == written);
            assert_eq!(media.is_none(), documented.content.is_empty(), "{response:?}");
            media.map(|media| {
                let schema = media.schema_pointer.as_deref().expect("every body has a schema");
                (schema, media.content_type.as_str())
            })
        }
        None => {
            let expected = if operations().next().is_some() { 405 } else { 404 };
            assert_eq!(response.status, expected, "{method} {path}");
            Some((FAILURE, "application/json"))
        }
    };
    let content_type = response.headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap());
    if let Some((schema, media_type)) = schema {
        let validator = DOCUMENT.validator(schema, Direction::Response).unwrap();
        let violations = validator.validate(&response.body);
        assert!(violations.is_empty(), "{method} {path}: {violations:?} in {response:?}");
        assert!(content_type.is_some_and(|written| written.starts_with(media_type)));
    } else {
        assert!(response.body.is_null(), "{method} {path}: {response:?}");
        assert_eq!(content_type, None, "{method} {path}");
    }
    operation.map(|operation| operation.id.clone())
}

/// Returns a path of the operation with any values for its parameters.
pub fn any_path(operation: &Operation) -> String {
    let segments = operation.path.split('/');
    segments
        .map(|segment| if segment.starts_with('{') { "1" } else { segment })
        .collect::<Vec<_>>()
        .join("/")
}

fn fits(template: &str, path: &str) -> bool {
    let (expected, given) = (template.split('/'), path.split('/'));
    expected.clone().count() == given.clone().count()
        && expected
            .zip(given)
            .all(|(expected, given)| expected.starts_with('{') || expected == given)
}
