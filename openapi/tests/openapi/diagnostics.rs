//! A broken document gets an error with file, line and column, and a fix where it is known.

use std::path::Path;

use openapi_document::Document;

use crate::support::diagnostic;

#[test]
fn missing_file_is_an_error_by_its_name() {
    let error = Document::load(Path::new("no/such/api.yaml")).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("no/such/api.yaml: cannot read the document: "), "{message}");
    assert!(error.diagnostic().is_none());
}

#[test]
fn broken_yaml_is_an_error_where_it_breaks() {
    let text = "openapi: 3.0.3\ninfo:\n  title: [unclosed\npaths: {}\n";
    assert_eq!(diagnostic(text), "api.yaml:4:6: invalid YAML: illegal placement of ':' indicator");
}

#[test]
fn tab_as_indentation_is_an_error_in_its_line() {
    let text = "openapi: 3.0.3\ninfo:\n\ttitle: T\n";
    assert_eq!(
        diagnostic(text),
        "api.yaml:3:2: invalid YAML: tabs disallowed within this context (block indentation); \
         indent with spaces"
    );
}

#[test]
fn empty_text_is_an_error() {
    assert_eq!(diagnostic("# nothing\n"), "api.yaml:1:1: the document is empty");
}

#[test]
fn list_is_no_document() {
    assert_eq!(diagnostic("- openapi: 3.0.3\n"), "api.yaml:1:1: an OpenAPI document is a mapping");
}

#[test]
fn wrong_version_is_an_error_with_the_version_to_write() {
    let head = "info: { title: T, version: '1' }\npaths: {}\n";
    assert_eq!(
        diagnostic(&format!("openapi: 3.2.0\n{head}")),
        "api.yaml:1:1: /openapi: OpenAPI 3.2.0 is not supported; write the document in `openapi: \
         3.0.3`"
    );
    assert_eq!(
        diagnostic(&format!("{head}swagger: '2.0'\n")),
        "api.yaml:3:1: /swagger: Swagger 2.0 is not supported; convert the document to `openapi: \
         3.0.3`"
    );
    assert_eq!(
        diagnostic(head),
        "api.yaml:1:1: the member `openapi` is missing; begin it with `openapi: 3.0.3`"
    );
    assert_eq!(
        diagnostic(&format!("openapi: 3.0\n{head}")),
        "api.yaml:1:1: /openapi: the version must be a string; write `openapi: 3.0.3`"
    );
}

#[test]
fn duplicate_key_is_an_error_with_both_lines() {
    let text = "openapi: 3.0.3\ninfo:\n  title: T\n  version: '1'\n  title: U\npaths: {}\n";
    assert_eq!(
        diagnostic(text),
        "api.yaml:5:3: duplicate key `title`, first in line 3; remove one of the two"
    );
}

#[test]
fn wrong_type_deep_inside_is_an_error_at_the_very_member() {
    let text = "\
openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /pets:
    get:
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema:
                type: object
                properties:
                  name:
                    type: string
                    minLength: many
";
    assert_eq!(
        diagnostic(text),
        "api.yaml:16:21: /paths/~1pets/get/responses/200/content/\
         application~1json/schema/properties/name/minLength: \
         invalid type: string \"many\", expected a whole number"
    );
}

#[test]
fn missing_description_is_an_error_at_the_response() {
    let text = "\
openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /pets:
    get:
      responses:
        '200': {}
";
    assert_eq!(
        diagnostic(text),
        "api.yaml:7:9: /paths/~1pets/get/responses/200: missing field `description`; every \
         response has a description, even a short one"
    );
}

#[test]
fn parameter_without_schema_is_an_error() {
    let text = "\
openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /pets:
    get:
      parameters:
        - { name: limit, in: query }
      responses: {}
";
    assert_eq!(
        diagnostic(text),
        "api.yaml:7:11: /paths/~1pets/get/parameters/0: `schema` is missing, and so is `content`"
    );
}

#[test]
fn schema_that_is_a_text_is_an_error() {
    let text = component("Pet: string");
    assert_eq!(
        diagnostic(&text),
        "api.yaml:6:5: /components/schemas/Pet: a schema must be a mapping"
    );
}

#[test]
fn unknown_type_is_an_error_with_the_known_ones() {
    assert_eq!(
        diagnostic(&component("Pet: { type: strnig }")),
        "api.yaml:6:12: /components/schemas/Pet/type: `strnig` is not a type of OpenAPI 3.0; \
         known types: array, boolean, integer, number, object, string"
    );
    assert_eq!(
        diagnostic(&component("Pet: { type: 'null' }")),
        "api.yaml:6:12: /components/schemas/Pet/type: `null` is not a type of OpenAPI 3.0; write \
         `nullable: true` next to the type"
    );
}

#[test]
fn pattern_that_does_not_compile_is_an_error() {
    assert_eq!(
        diagnostic(&component("Pet: { type: string, pattern: '[a-' }")),
        "api.yaml:6:26: /components/schemas/Pet/pattern: the pattern \"[a-\" is not a regular \
         expression"
    );
}

#[test]
fn dangling_reference_is_an_error_with_the_names_that_exist() {
    let text = component("Pet: { $ref: '#/components/schemas/Dog' }\n    Cat: { type: object }");
    assert_eq!(
        diagnostic(&text),
        "api.yaml:6:5: /components/schemas/Pet: `$ref: #/components/schemas/Dog` leads nowhere; \
         known names: Pet, Cat"
    );
}

#[test]
fn reference_out_of_the_document_is_an_error() {
    let text = component("Pet: { type: array, items: { $ref: 'pets.yaml#/Pet' } }");
    assert_eq!(
        diagnostic(&text),
        "api.yaml:6:25: /components/schemas/Pet/items: `$ref: pets.yaml#/Pet` leaves this \
         document; the document is one file: include what it refers to"
    );
}

#[test]
fn reference_that_is_no_pointer_is_an_error() {
    assert_eq!(
        diagnostic(&component("Pet: { $ref: '#Pet' }")),
        "api.yaml:6:5: /components/schemas/Pet: `$ref: #Pet` is not a JSON pointer; write it as \
         `#/components/…`"
    );
    assert_eq!(
        diagnostic(&component("Pet: { $ref: 7 }")),
        "api.yaml:6:12: /components/schemas/Pet/$ref: a reference must be a text such as \
         `#/components/schemas/Name`"
    );
}

#[test]
fn circle_of_references_is_an_error_with_the_whole_circle() {
    let text = component(
        "A: { $ref: '#/components/schemas/B' }\n    B: { $ref: '#/components/schemas/A' }",
    );
    assert_eq!(
        diagnostic(&text),
        "api.yaml:6:5: /components/schemas/A: the reference leads back to itself: \
         /components/schemas/A -> /components/schemas/B -> /components/schemas/A"
    );
}

#[test]
fn reference_to_another_kind_is_an_error() {
    let text = "\
openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /pets:
    get:
      responses:
        '200': { $ref: '#/components/schemas/Pet' }
components:
  schemas:
    Pet: { type: object }
";
    assert_eq!(
        diagnostic(text),
        "api.yaml:7:9: /paths/~1pets/get/responses/200: expected a response, the reference leads \
         to a schema"
    );
}

#[test]
fn reference_in_an_example_is_data() {
    let text = component("Pet: { type: object, example: { $ref: 'nowhere.yaml' } }");
    assert!(Document::parse("api.yaml", &text).is_ok());
}

#[test]
fn shared_operation_id_is_an_error_with_both_places() {
    let text = "\
openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /pets:
    get:
      operationId: pets
      responses: {}
    post:
      operationId: pets
      responses: {}
";
    assert_eq!(
        diagnostic(text),
        "api.yaml:9:7: /paths/~1pets/post/operationId: the operationId `pets` is taken by GET \
         /pets at api.yaml:6:7; give each operation its own id"
    );
}

#[test]
fn unknown_status_is_an_error() {
    let text = "\
openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /pets:
    get:
      responses:
        '6XX': { description: beyond }
";
    assert_eq!(
        diagnostic(text),
        "api.yaml:7:9: /paths/~1pets/get/responses/6XX: `6XX` is not a status; write a code such \
         as 404, a range such as 4XX, or default"
    );
}

fn component(schemas: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{ title: T, version: '1' }}\npaths: {{}}\ncomponents:\n  \
         schemas:\n    {schemas}\n"
    )
}
