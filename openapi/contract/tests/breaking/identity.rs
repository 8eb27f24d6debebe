//! Edits that are no change, and the identity of a change.

use std::path::Path;

use openapi_contract::breaking::changes;
use openapi_document::Document;
use serde_json::{Value, json};

use crate::support::{base, compare, document, rules, thing, with};

const THING: &str = "/components/schemas/Thing";

fn pet() -> Value {
    json!({
        "type": "object",
        "required": ["name"],
        "properties": { "name": { "type": "string" }, "age": { "type": "integer" } }
    })
}

#[test]
fn circular_schema_is_compared_once() {
    let tree = |name: &str| {
        json!({ "type": "object", "properties": {
            "children": { "type": "array", "items": thing() }, name: { "type": "string" }
        } })
    };
    let (old, new) = (with(base(), THING, &tree("a")), with(base(), THING, &tree("b")));
    let changes = compare(&old, &new);
    assert_eq!(
        rules(&changes),
        [
            "request-optional-property-added compatible",
            "request-property-removed warning",
            "response-optional-property-added compatible",
            "response-property-removed breaking",
        ]
    );
    let removed = changes.iter().find(|one| one.rule == "response-property-removed").unwrap();
    assert_eq!(removed.first().1.path(), "a");
    assert_eq!(removed.sentence, "A client that reads `a` no longer gets it.");
}

#[test]
fn change_of_a_shared_component_is_one_entry_with_its_operations() {
    let shared = |document: Value| {
        let operation = base().pointer("/paths/~1things~1{id}/post").unwrap().clone();
        let operation = with(json!({ "get": operation }), "/get/operationId", &json!("getThing"));
        with(document, "/paths/~1things", &operation)
    };
    let old = shared(with(base(), THING, &pet()));
    let new = with(old.clone(), &format!("{THING}/properties/age"), &json!(null));
    let changes = compare(&old, &new);
    assert_eq!(changes.len(), 2, "{changes:#?}");
    for change in changes {
        let operations: Vec<&String> = change.locations.keys().collect();
        assert_eq!(operations, ["GET /things", "POST /things/{id}"]);
        assert_eq!((&*change.place.file, change.first().1.path()), ("old.json", "age".to_owned()));
    }
}

#[test]
fn fingerprint_is_independent_of_unrelated_edits() {
    let old = with(base(), THING, &pet());
    let new = with(old.clone(), &format!("{THING}/properties/age"), &json!(null));
    let before = compare(&old, &new);
    let elsewhere = |document: Value| {
        let description = json!("Now\nof\nseveral\nlines.");
        let document = with(document, "/info/description", &description);
        let parameter = json!({ "name": "a", "in": "query", "schema": {} });
        let document = with(document, "/paths/~1things~1{id}/post/parameters/2", &parameter);
        with(document, &format!("{THING}/properties/colour"), &json!({ "type": "string" }))
    };
    let after = compare(&old, &elsewhere(new));
    for change in &before {
        assert!(after.iter().any(|other| other.fingerprint == change.fingerprint), "{change:#?}");
    }
    assert!(after.len() > before.len());
    let mut fingerprints: Vec<&str> = after.iter().map(|one| one.fingerprint.as_str()).collect();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), after.len(), "two changes have one fingerprint");
}

#[test]
fn parameter_of_the_path_is_found_by_its_position() {
    let operation = |names: [&str; 2]| {
        let parameter = |name: &str| {
            let schema = json!({ "type": "string" });
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        };
        let path = format!("/paths/~1{{{}}}~1{{{}}}", names[0], names[1]);
        let parameters = json!([parameter(names[1]), parameter(names[0])]);
        let responses = json!({ "200": { "description": "Fine." } });
        let item = json!({ "get": { "parameters": parameters, "responses": responses } });
        with(base(), &path, &item)
    };
    let changes = compare(&operation(["idx", "id"]), &operation(["index", "id"]));
    assert_eq!(rules(&changes), ["path-parameter-renamed warning"]);
    assert_eq!(changes[0].first().0, "GET /{index}/{id}");
}

#[test]
fn document_with_references_in_its_data_is_equal_to_itself() {
    let reference = json!({ "$ref": "./a.yaml", "list": [{ "$ref": "#/nowhere" }] });
    let schema = json!({
        "type": "object", "example": reference, "x-source": reference, "default": reference,
        "properties": { "example": thing(), "a": { "enum": [reference], "x-more": reference } },
    });
    let old = with(base(), THING, &schema);
    let at = "/paths/~1things~1{id}/post/requestBody/content/application~1json/examples";
    let old = with(old, at, &json!({ "one": { "value": reference } }));
    let old = with(old, "/info/x-source", &reference);
    assert_eq!(rules(&compare(&old, &old)), [] as [&str; 0]);
    let new = with(old.clone(), &format!("{THING}/example/list"), &json!([]));
    let found = rules(&compare(&old, &new));
    assert_eq!(found, ["example-changed compatible"]);
}

#[test]
fn webhooks_are_compared_as_a_whole() {
    let body = json!({ "content": { "application/json": { "schema": thing() } } });
    let hook = json!({ "done": { "post": { "requestBody": body } } });
    let old = with(with(base(), "/openapi", &json!("3.1.0")), "/webhooks", &hook);
    assert_eq!(rules(&compare(&old, &old)), [] as [&str; 0]);
    let described = with(old.clone(), "/webhooks/done/post/summary", &json!("It is done."));
    assert_eq!(rules(&compare(&old, &described)), [] as [&str; 0]);
    let without = with(old.clone(), "/webhooks", &json!({}));
    let found = compare(&old, &without);
    assert_eq!(rules(&found), ["part-changed warning"]);
    assert_eq!(
        found[0].sentence,
        "`webhooks` of the operation changes, which is compared as a whole."
    );
    let retyped = with(old.clone(), THING, &json!({ "type": "array" }));
    assert!(rules(&compare(&old, &retyped)).contains(&"part-changed warning".to_owned()));
}

#[test]
fn elements_of_any_type_are_as_written_or_not() {
    let old = with(base(), "/openapi", &json!("3.1.0"));
    let old = with(old, THING, &json!({ "type": "array", "items": {} }));
    let new = with(old.clone(), THING, &json!({ "type": "array" }));
    for (one, other) in [(&old, &new), (&new, &old)] {
        assert_eq!(rules(&compare(one, other)), [] as [&str; 0]);
    }
}

#[test]
fn inlining_every_reference_of_a_whole_document_is_no_change() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api.yaml");
    let old = Document::load(&path).unwrap();
    let mut inlined = old.value().clone();
    for part in ["paths", "x-headers", "x-unrouted-responses"] {
        inlined[part] = inline(old.value(), &old.value()[part]);
    }
    for kind in ["schemas", "parameters", "headers", "responses"] {
        inlined["components"][kind] = json!({});
    }
    let new = document("new.json", &inlined);
    assert!(changes(&old, &new).is_empty(), "{:#?}", changes(&old, &new));
    assert!(changes(&new, &old).is_empty(), "{:#?}", changes(&new, &old));
}

fn inline(document: &Value, value: &Value) -> Value {
    if let Some(target) = value.get("$ref").and_then(Value::as_str) {
        let target = document.pointer(target.trim_start_matches('#')).unwrap();
        return inline(document, target);
    }
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), inline(document, value))).collect()
        }
        Value::Array(elements) => {
            elements.iter().map(|element| inline(document, element)).collect()
        }
        plain => plain.clone(),
    }
}
