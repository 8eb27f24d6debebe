//! Documents in JSON have places as exact as in YAML.

use openapi_document::Document;
use serde_json::Value;

const TEXT: &str = concat!(
    r##"{
  "openapi": "3.0.0",
  "info": { "title": "Ünïcode \ud83d\ude00 \"quoted\"", "version": "1" },
  "paths": {},
  "components": {
    "schemas": {
      "Pet": { "type": "object", "properties": { "##,
    r##""a/b~c": { "enum": [1, -2.5e3, true, null, "x"] } } }
    }
  }
}
"##
);

#[test]
fn surrogate_pairs_and_quotes_are_read() {
    let document = Document::parse("api.json", TEXT).unwrap();
    assert_eq!(document.value()["info"]["title"], "Ünïcode 😀 \"quoted\"");
}

#[test]
fn places_count_characters() {
    let document = Document::parse("api.json", TEXT).unwrap();
    let place = |pointer| document.place(pointer).to_string();
    assert_eq!(place("/openapi"), "api.json:2:3");
    assert_eq!(place("/info/version"), "api.json:3:57");
    let values = "/components/schemas/Pet/properties/a~1b~0c/enum";
    assert_eq!(place(values), "api.json:7:61");
    assert_eq!(place(&format!("{values}/3")), "api.json:7:87");
}

#[test]
fn text_that_begins_with_a_brace_is_json_under_any_name() {
    let document = Document::parse("-", TEXT).unwrap();
    assert_eq!(document.value()["info"]["title"], "Ünïcode 😀 \"quoted\"");
    let flow = "{ openapi: 3.0.3, info: { title: T, version: '1' }, paths: {} }";
    let document = Document::parse("-", flow).unwrap();
    assert_eq!(document.value()["paths"], Value::Object(serde_json::Map::new()));
}

#[test]
fn broken_json_is_an_error_where_it_breaks() {
    let error = Document::parse("api.json", "{\n  \"openapi\": \"3.0.0\",\n}\n").unwrap_err();
    assert_eq!(error.to_string(), "api.json:3:1: invalid JSON: trailing comma");
    let error = Document::parse("api.json", "").unwrap_err();
    assert_eq!(error.to_string(), "api.json:1:1: invalid JSON: EOF while parsing a value");
}

#[test]
fn duplicate_key_is_an_error_with_both_lines() {
    let text = "{\n  \"openapi\": \"3.0.0\",\n  \"\\u006fpenapi\": \"3.0.0\"\n}";
    let error = Document::parse("api.json", text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "api.json:3:3: duplicate key `openapi`, first in line 2; remove one of the two"
    );
}

#[test]
fn byte_order_mark_is_no_part_of_the_text() {
    let document = Document::parse("api.json", &format!("\u{feff}{TEXT}")).unwrap();
    assert_eq!(document.place("/openapi").to_string(), "api.json:2:3");
}
