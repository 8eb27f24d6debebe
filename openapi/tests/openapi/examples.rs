//! Every example is found, with its place, schema and direction.

use openapi_document::Direction;

use crate::support::document;

#[test]
fn examples_are_found_in_every_object() {
    let document = document(
        "\
openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /pets:
    post:
      parameters:
        - { name: limit, in: query, example: 1, schema: { type: integer } }
      requestBody:
        content:
          application/json:
            schema: { type: object, example: { a: 1 } }
            examples:
              Two: { value: { a: 2 } }
              Elsewhere: { externalValue: 'https://pets.example/3.json' }
      responses:
        '200':
          description: ok
          headers:
            x-id: { schema: { type: string, example: h } }
          content:
            application/json: { example: { example: 4 } }
components:
  schemas:
    Pet: { type: object, properties: { example: { type: string, example: x } } }
",
    );
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
