//! A schema of OpenAPI 3.1, which is JSON Schema 2020-12, as a schema object of 3.0.

use serde_json::{Map, Value, json};

use super::{BASE_DIALECT, Rewrite, bounds, null};
use crate::{error::DocumentError, pointer::join, structure::Kind};

/// Keywords without a counterpart in 3.0, each with help.
const INEXPRESSIBLE: [(&str, &str); 18] = [
    ("$anchor", "refer by a JSON pointer, such as `#/components/schemas/Name`"),
    ("$dynamicAnchor", "write the recursive schema as a component and refer to it"),
    ("$dynamicRef", "refer with `$ref`"),
    ("$id", "refer by a JSON pointer, such as `#/components/schemas/Name`"),
    ("$recursiveRef", "refer with `$ref`"),
    ("contains", "describe the rule in words"),
    ("dependentRequired", "describe the rule in words, or write `oneOf`"),
    ("dependentSchemas", "write `oneOf`"),
    ("else", "write `oneOf` with one schema for each case"),
    ("if", "write `oneOf` with one schema for each case"),
    ("maxContains", "describe the rule in words"),
    ("minContains", "describe the rule in words"),
    ("patternProperties", "write `additionalProperties`"),
    ("prefixItems", "write an object with a property for each element"),
    ("then", "write `oneOf` with one schema for each case"),
    ("unevaluatedItems", "write an object with a property for each element"),
    ("unevaluatedProperties", "write `additionalProperties` in a schema without `allOf`"),
    ("$vocabulary", "leave it out"),
];

/// Keywords that only annotate, and that 3.0 lacks.
const ANNOTATIONS: [&str; 4] = ["$comment", "contentEncoding", "contentMediaType", "contentSchema"];

impl Rewrite<'_> {
    pub(super) fn schema(&mut self, at: &str, value: &mut Value) -> Result<(), DocumentError> {
        match value {
            // Where 3.0 has booleans itself, they stay.
            Value::Bool(_) if at.ends_with("/additionalProperties") => return Ok(()),
            Value::Bool(true) => *value = json!({}),
            Value::Bool(false) => *value = json!({ "not": {} }),
            _ => {}
        }
        let Some(members) = value.as_object_mut() else {
            return Ok(());
        };
        self.check_expressible(at, members)?;
        self.drop_nullable(at, members);
        if let Some(definitions) = members.get_mut("$defs").and_then(Value::as_object_mut) {
            let at = join(at, "$defs");
            for (name, definition) in definitions {
                self.visit(Kind::Schema, &join(&at, name), definition)?;
            }
        }
        if let Some(format) = format_of_content(members) {
            members.entry("format").or_insert_with(|| json!(format));
        }
        members.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
        if let Some(constant) = members.shift_remove("const") {
            members.insert("enum".to_owned(), json!([constant]));
        }
        if let Some(Value::Array(examples)) = members.shift_remove("examples")
            && let Some(first) = examples.into_iter().next()
        {
            members.entry("example").or_insert(first);
        }
        if let Some(names) = members.shift_remove("propertyNames") {
            members.insert("x-property-names".to_owned(), names);
        }
        bounds::to_flags(members);
        self.types(at, members)?;
        self.reference_in_all_of(at, members);
        Ok(())
    }

    /// `nullable` is a keyword of 3.0 alone, where it would have an effect.
    fn drop_nullable(&mut self, at: &str, members: &mut Map<String, Value>) {
        if members.shift_remove("nullable") == Some(json!(true)) {
            let problem = "`nullable` has no effect in OpenAPI 3.1, where null is a type";
            self.note(&join(at, "nullable"), problem);
        }
    }

    fn check_expressible(
        &self,
        at: &str,
        members: &mut Map<String, Value>,
    ) -> Result<(), DocumentError> {
        if let Some(dialect) = members.shift_remove("$schema")
            && dialect != BASE_DIALECT
            && dialect != "https://json-schema.org/draft/2020-12/schema"
        {
            let problem = format!("the JSON Schema dialect {dialect} is not supported");
            let error = self.source.error(&join(at, "$schema"), problem);
            return Err(error.with_help("leave `$schema` out"));
        }
        let found = INEXPRESSIBLE.iter().find(|(keyword, _)| members.contains_key(*keyword));
        let Some((keyword, help)) = found else {
            return Ok(());
        };
        let problem = format!("`{keyword}` cannot be expressed in OpenAPI 3.0");
        Err(self.source.error(&join(at, keyword), problem).with_help(*help))
    }

    /// A list of types becomes one type, nullable where the list has null; null alone becomes an
    /// enum.
    fn types(&mut self, at: &str, members: &mut Map<String, Value>) -> Result<(), DocumentError> {
        let names = match members.get("type") {
            Some(Value::Array(names)) => names.clone(),
            Some(name) => vec![name.clone()],
            None => return Ok(()),
        };
        let has_null = names.contains(&json!("null"));
        let mut others: Vec<&Value> = names.iter().filter(|name| **name != "null").collect();
        match (others.pop(), others.is_empty()) {
            (None, _) if has_null => null::as_enum(members),
            (Some(only), true) => {
                members.insert("type".to_owned(), only.clone());
                if has_null {
                    members.insert("nullable".to_owned(), json!(true));
                    self.source.note_move(join(at, "nullable"), &join(at, "type"));
                }
            }
            _ => {
                let names = json!(names);
                let at = join(at, "type");
                let error = self.source.error(&at, format!("`type: {names}` is not one type"));
                return Err(error.with_help("write `oneOf` with one schema for each type"));
            }
        }
        Ok(())
    }

    /// In 3.0 a `$ref` has no siblings: it becomes a part of `allOf`.
    fn reference_in_all_of(&mut self, at: &str, members: &mut Map<String, Value>) {
        let has_siblings = members.len() > 1;
        let Some(reference) = members.get("$ref").filter(|_| has_siblings).cloned() else {
            return;
        };
        members.shift_remove("$ref");
        let parts = members.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(parts) = parts {
            let part = join(&join(at, "allOf"), &parts.len().to_string());
            self.source.note_move(join(&part, "$ref"), &join(at, "$ref"));
            parts.push(json!({ "$ref": reference }));
        }
    }
}

/// The format of 3.0 for content in a text.
fn format_of_content(members: &Map<String, Value>) -> Option<&'static str> {
    match (members.get("contentEncoding"), members.get("contentMediaType")) {
        (Some(encoding), _) if encoding == "base64" => Some("byte"),
        (None, Some(media_type)) if media_type == "application/octet-stream" => Some("binary"),
        _ => None,
    }
}
