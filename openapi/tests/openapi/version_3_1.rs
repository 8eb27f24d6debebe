//! A document of OpenAPI 3.1 is read in the form of 3.0; `tests/data/rejected/3.1-*.yaml` has what
//! 3.0 cannot express.

use openapi_document::Document;
use serde_json::json;

use crate::support::{document, load};

const HEAD: &str = "openapi: 3.1.0\ninfo: { title: Loans, version: '1' }\n";

fn notes(document: &Document) -> Vec<String> {
    document.notes().iter().map(ToString::to_string).collect()
}

#[test]
fn keywords_of_3_1_become_those_of_3_0() {
    let (written, expected) = (load("3.1.yaml"), load("3.1-as-3.0.yaml"));
    for (name, expected) in expected.value()["components"]["schemas"].as_object().unwrap() {
        assert_eq!(written.value()["components"]["schemas"][name], *expected, "{name}");
    }
    assert_eq!(
        notes(&written),
        ["api.yaml:16:42: /components/schemas/NullableHasNoEffect/nullable: `nullable` has no \
          effect in OpenAPI 3.1, where null is a type"]
    );
}

#[test]
fn document_of_3_1_may_lack_paths_and_have_webhooks() {
    let document = document(
        "openapi: 3.1.1\ninfo: { title: T, summary: S, version: '1', license: { name: MIT, \
         identifier: MIT } }\nwebhooks: { overdue: {} }\ncomponents: { securitySchemes: { tls: { \
         type: mutualTLS } } }\n",
    );
    assert!(document.operations().is_empty());
    assert_eq!(document.value()["info"]["license"], json!({ "name": "MIT" }));
    assert_eq!(
        notes(&document),
        [
            "api.yaml:3:1: /webhooks: webhooks are not part of OpenAPI 3.0 and are left out",
            "api.yaml:4:34: /components/securitySchemes/tls: `mutualTLS` is not part of OpenAPI \
             3.0 and is left out",
        ]
    );
}

#[test]
fn path_items_and_definitions_are_rewritten_where_references_lead() {
    let document = document(&format!(
        "{HEAD}paths: {{ /loans: {{ $ref: '#/components/pathItems/Loans' }} }}
components:
  schemas:
    Loan:
      $defs: {{ Due: {{ type: [string, 'null'] }} }}
      properties: {{ due: {{ $ref: '#/components/schemas/Loan/$defs/Due' }} }}
  pathItems:
    Loans: {{ get: {{ parameters: [{{ name: q, in: query, schema: {{ type: [string] }} }}] }} }}
"
    ));
    let [operation] = document.operations() else {
        panic!("one operation");
    };
    let schema = operation.parameters[0].schema_pointer.as_deref().unwrap();
    assert_eq!(document.resolve(schema).unwrap().value["type"], "string");
    let due = document.resolve("/components/schemas/Loan/properties/due").unwrap();
    assert_eq!(due.value["nullable"], true);
}

#[test]
fn keywords_of_3_1_mean_nothing_in_3_0() {
    let schemas = "paths: {}\ncomponents: { schemas: { Loan: { type: string, examples: [A] } } }\n";
    let document = document(&format!("{HEAD}{schemas}").replace("3.1.0", "3.0.3"));
    assert!(document.value()["components"]["schemas"]["Loan"].get("examples").is_some());
}
