//! The JSON Schema of target files, made from the types. Editors use it.

use schemars::{
    Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::Value;

use super::file::TargetFile;

/// The JSON Schema of target files (2020-12).
pub(super) fn target_schema() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<TargetFile>();
    RecursiveTransform(without_null).transform(&mut schema);
    schema.to_value()
}

/// TOML has no null: what is optional is left out. Defaults are in the descriptions.
fn without_null(schema: &mut Schema) {
    schema.remove("default");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
}

#[test]
fn published_schema_is_current_and_explains_every_field_without_null() {
    crate::tests::is_current("targets/target.schema.json", &target_schema());
    let mut rest = vec![(String::new(), target_schema())];
    while let Some((path, schema)) = rest.pop() {
        assert!(!schema.to_string().contains("null"), "{path}");
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            assert!(member["description"].is_string(), "{path}/{name}");
            rest.push((format!("{path}/{name}"), member.clone()));
        }
    }
}
