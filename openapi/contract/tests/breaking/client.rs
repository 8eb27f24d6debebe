//! What the changes mean for the generated client: what may change a public item is major.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::support::{base, with};

const OPERATION: &str = "/paths/~1things~1{id}/post";
const THING: &str = "/components/schemas/Thing";

fn size(old: &Value, new: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, document) in [("old.json", old), ("new.json", new)] {
        fs::write(folder.path().join(name), document.to_string()).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
    command.args(["breaking", "old.json", "new.json", "--format", "json"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["versions"]["client"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn changes_of_types_and_of_their_names_are_major() {
    let schema = |schema: Value| (THING.to_owned(), schema);
    let at = |member: &str, value| (format!("{OPERATION}/{member}"), value);
    let text = json!({ "type": "string" });
    let thing = json!({ "type": "object", "properties": { "a": text, "b": text } });
    let edited = |pointer: &str, value: Value| schema(with(thing.clone(), pointer, &value));
    let component = |name: &str| (format!("/components/schemas/{name}"), text.clone());
    let sent = "requestBody/content/application~1json/schema";
    for (expected, edit) in [
        ("minor", at("deprecated", json!(true))),
        ("minor", edited("/properties/c", json!({ "type": "string" }))),
        ("major", edited("/properties/c", json!({ "type": "string", "readOnly": true }))),
        ("major", edited("/properties/b", Value::Null)),
        ("major", edited("/required", json!(["a"]))),
        ("major", edited("/properties/a/nullable", json!(true))),
        ("major", edited("/properties/a/enum", json!(["x"]))),
        ("major", edited("/properties/a/format", json!("uuid"))),
        ("major", edited("/properties/a/maxLength", json!(9))),
        ("major", at("responses/202", json!({ "description": "Later." }))),
        ("minor", at("responses/409", json!({ "description": "Taken." }))),
        ("major", at("responses/300", json!({ "description": "Many." }))),
        ("major", at(sent, thing.clone())),
        ("major", at("operationId", json!("updateThing"))),
        ("minor", component("Bill")),
        // The generator reports a name that it would give twice, and renames nothing.
        ("minor", component("ThingRequest")),
        ("minor", component("ChangeThingQuery")),
        // Until now this is the type of `NullableLoan`.
        ("major", component("Loan")),
        ("major", ("/components/schemas/Cow".to_owned(), Value::Null)),
    ] {
        let nullable = json!({ "type": "string", "nullable": true, "maxLength": 9 });
        let old = with(with(base(), THING, &thing), "/components/schemas/NullableLoan", &nullable);
        let new = with(old.clone(), &edit.0, &edit.1);
        // A component that nothing refers to is no change, so another one comes with it.
        let new = with(
            new,
            "/paths/~1others",
            &json!({ "get": {
            "operationId": "other", "responses": { "200": { "description": "Fine." } }
        } }),
        );
        assert_eq!(size(&old, &new), expected, "{edit:?}");
    }
    assert_eq!(size(&base(), &base()), "none");
    let described = with(base(), "/info/description", &json!("Things."));
    assert_eq!(size(&base(), &described), "none");
}

#[test]
fn equal_schemas_in_place_that_are_equal_no_more_are_major() {
    let text = json!({ "type": "string" });
    let part = json!({ "type": "object", "properties": { "x": text } });
    let thing = json!({ "type": "object", "properties": { "a": part, "b": part } });
    let old = with(base(), THING, &thing);
    let one = with(old.clone(), &format!("{THING}/properties/a/properties/y"), &text);
    assert_eq!(size(&old, &one), "major");
    let both = with(one, &format!("{THING}/properties/b/properties/y"), &text);
    assert_eq!(size(&old, &both), "minor");
}

#[test]
fn component_that_is_sent_and_was_only_received_is_major() {
    let at = format!("{OPERATION}/requestBody");
    let old = with(base(), &at, &Value::Null);
    let body = base().pointer(&at).unwrap().clone();
    let new = with(
        old.clone(),
        "/paths/~1others",
        &json!({ "post": {
        "requestBody": body, "responses": { "200": { "description": "Fine." } }
    } }),
    );
    assert_eq!(size(&old, &new), "major");
}
