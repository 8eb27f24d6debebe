//! Every example is found, with its place, schema and direction.

use openapi_document::Direction;

use crate::support::load;

#[test]
fn examples_are_found_in_every_object() {
    let document = load("examples.yaml");
    let examples = document.examples().unwrap();
    let found: Vec<_> = examples
        .iter()
        .map(|example| {
            let line = example.place.line;
            (line, example.value.to_string(), example.direction, example.schema_pointer.is_some())
        })
        .collect();
    let expected = [
        (7, "1", Direction::Request, true),
        (13, r#"{"a":2}"#, Direction::Request, true),
        (11, r#"{"a":1}"#, Direction::Request, true),
        (19, r#""h""#, Direction::Response, true),
        (21, r#"{"example":4}"#, Direction::Response, false),
        (24, r#""x""#, Direction::Either, true),
    ];
    let expected = expected.map(|(line, value, direction, has_schema)| {
        (line, value.to_owned(), direction, has_schema)
    });
    assert_eq!(found, expected);
    assert_eq!(examples[1].name.as_deref(), Some("Two"));
    let schema = "/paths/~1pets/post/requestBody/content/application~1json/schema";
    assert_eq!(examples[1].schema_pointer.as_deref(), Some(schema));
}
