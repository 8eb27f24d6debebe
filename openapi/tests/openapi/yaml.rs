//! Documents are YAML 1.2 with the core schema. `tests/data/rejected/yaml-*.yaml` has constructs on
//! which readers disagree.

use serde_json::json;

use crate::support::document;

const HEAD: &str = "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\n";

#[test]
fn plain_scalars_follow_the_core_schema() {
    let text = format!(
        "{HEAD}x-texts: [no, yes, on, off, 3.0.3, 2026-05-20, 1_000, +, ., 0x, e3, 0x+1, '12', \
         inf, !!str 12]\nx-others: [012, -12, +12, 0x1F, 0o17, 1.50, .5, 1., 1e3, ~, True]\n"
    );
    let value = document(&text).value().clone();
    assert!(value["x-texts"].as_array().unwrap().iter().all(|text| text.is_string()), "{value}");
    let expected = json!([12, -12, 12, 31, 15, 1.5, 0.5, 1.0, 1e3, null, true]);
    assert_eq!(value["x-others"], expected);
}

#[test]
fn keys_are_texts_whatever_they_look_like() {
    let text = format!("{HEAD}x-values: {{ 200: a, true: b }}\n");
    assert_eq!(document(&text).value()["x-values"], json!({"200": "a", "true": "b"}));
}

#[test]
fn members_keep_their_order() {
    let text = format!("{HEAD}x-values: {{ zebra: 1, ape: 2, lion: 3 }}\n");
    let document = document(&text);
    let names: Vec<&String> = document.value()["x-values"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["zebra", "ape", "lion"]);
}

#[test]
fn alias_repeats_its_anchor() {
    let text = format!("{HEAD}x-first: &one {{ a: [1] }}\nx-second: *one\n");
    let document = document(&text);
    assert_eq!(document.value()["x-second"], json!({"a": [1]}));
    assert_eq!(document.place("/x-second/a/0").to_string(), "api.yaml:5:1");
}

#[test]
fn places_are_those_of_keys_and_elements() {
    let text = format!(
        "{HEAD}components:\n  schemas:\n    Pet:\n      type: string\n      enum:\n        - \
         a\n        \
         - b\n"
    );
    let document = document(&text);
    let place = |pointer| document.place(pointer).to_string();
    assert_eq!(place(""), "api.yaml:1:1");
    assert_eq!(place("/components/schemas/Pet"), "api.yaml:6:5");
    assert_eq!(place("/components/schemas/Pet/enum/1"), "api.yaml:10:11");
    assert_eq!(place("/components/schemas/Pet/minLength"), "api.yaml:6:5");
    assert_eq!(place("/nowhere"), "api.yaml:1:1");
}
