//! A schema of OpenAPI 3.1, which is JSON Schema 2020-12, as a schema object of 3.0.

use serde_json::{Map, Value, json};

use super::{BASE_DIALECT, Rewrite};
use crate::{error::DocumentError, pointer::join};

/// Keywords of other ways to refer, each with help.
const INEXPRESSIBLE: [(&str, &str); 6] = [
    ("$anchor", "refer by a JSON pointer, such as `#/components/schemas/Name`"),
    ("$dynamicAnchor", "write the recursive schema as a component and refer to it"),
    ("$dynamicRef", "refer with `$ref`"),
    ("$id", "refer by a JSON pointer, such as `#/components/schemas/Name`"),
    ("$recursiveRef", "refer with `$ref`"),
    ("$vocabulary", "leave it out"),
];

/// Keywords that only annotate, and that 3.0 lacks.
const ANNOTATIONS: [&str; 2] = ["$comment", "contentSchema"];

/// Keywords about content that no format of 3.0 says, and their extensions.
const CONTENT: [(&str, &str); 2] =
    [("contentEncoding", "x-content-encoding"), ("contentMediaType", "x-content-media-type")];

impl Rewrite<'_> {
    pub(super) fn schema(&mut self, at: &str, value: &mut Value) -> Result<(), DocumentError> {
        if value.is_boolean() {
            *value = of_boolean(value);
        }
        let Some(members) = value.as_object_mut() else {
            return Ok(());
        };
        self.check_expressible(at, members)?;
        self.drop_nullable(at, members);
        if let Some((keyword, format)) = format_of_content(members) {
            members.shift_remove(keyword);
            members.entry("format").or_insert_with(|| json!(format));
        }
        for (keyword, extension) in CONTENT {
            if let Some(content) = members.shift_remove(keyword) {
                members.insert(extension.to_owned(), content);
            }
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
        bounds_to_flags(members);
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
        let found = INEXPRESSIBLE.iter().filter(|(keyword, _)| members.contains_key(*keyword));
        DocumentError::all(found.map(|(keyword, help)| {
            let problem = format!("`{keyword}` cannot be expressed in OpenAPI 3.0");
            Err(self.source.error(&join(at, keyword), problem).with_help(*help))
        }))
    }

    /// A list of one type becomes this type, nullable where the list has null; null alone becomes
    /// an enum, and several types become alternatives.
    fn types(&mut self, at: &str, members: &mut Map<String, Value>) -> Result<(), DocumentError> {
        let names = match members.get("type") {
            Some(Value::Array(names)) => names.clone(),
            Some(name) => vec![name.clone()],
            None => return Ok(()),
        };
        let has_null = names.contains(&json!("null"));
        let mut others: Vec<&Value> = names.iter().filter(|name| **name != "null").collect();
        match (others.pop(), others.is_empty()) {
            (None, _) if has_null => null_as_enum(members),
            (Some(only), true) => {
                members.insert("type".to_owned(), only.clone());
                if has_null {
                    members.insert("nullable".to_owned(), json!(true));
                    self.source.note_move(join(at, "nullable"), &join(at, "type"));
                }
            }
            (None, _) => {
                let error = self.source.error(&join(at, "type"), "the list of types is empty");
                return Err(error.with_help("name a type, or leave the list out"));
            }
            _ => self.alternatives_of_types(at, members, &names),
        }
        Ok(())
    }

    /// Several types become alternatives, each with the keywords of its type.
    fn alternatives_of_types(
        &mut self,
        at: &str,
        members: &mut Map<String, Value>,
        names: &[Value],
    ) {
        let (all_at, any_at) = (join(at, "allOf"), join(at, "anyOf"));
        let count = members.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
        let has_others = members.contains_key("anyOf");
        let part_of_all = join(&join(&all_at, &count.to_string()), "anyOf");
        let list = if has_others { part_of_all } else { any_at };
        let alternative = |(index, name): (usize, &Value)| {
            let part = join(&list, &index.to_string());
            self.source.note_move(part.clone(), &join(at, "type"));
            self.source.note_move(join(&part, "type"), &join(at, "type"));
            if name == "null" {
                return json!({ "enum": [null] });
            }
            let mut alternative = json!({ "type": name });
            for keyword in keywords_of(name).iter().filter(|it| members.contains_key(**it)) {
                self.source.note_move(join(&part, keyword), &join(at, keyword));
                alternative[*keyword] = members[*keyword].clone();
            }
            alternative
        };
        let alternatives: Vec<Value> = names.iter().enumerate().map(alternative).collect();
        let is_moved = |keyword: &str| names.iter().any(|it| keywords_of(it).contains(&keyword));
        members.retain(|keyword, _| keyword != "type" && !is_moved(keyword));
        if !has_others {
            members.insert("anyOf".to_owned(), json!(alternatives));
        } else if let Some(parts) =
            members.entry("allOf").or_insert_with(|| json!([])).as_array_mut()
        {
            parts.push(json!({ "anyOf": alternatives }));
        }
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

/// The keywords that exclude values of a type alone.
fn keywords_of(name: &Value) -> &'static [&'static str] {
    const OF_NUMBERS: [&str; 6] =
        ["exclusiveMaximum", "exclusiveMinimum", "format", "maximum", "minimum", "multipleOf"];
    match name.as_str() {
        Some("array") => &["items", "maxItems", "minItems", "prefixItems", "uniqueItems"],
        Some("integer" | "number") => &OF_NUMBERS,
        Some("object") => &[
            "additionalProperties",
            "maxProperties",
            "minProperties",
            "patternProperties",
            "properties",
            "required",
            "x-property-names",
        ],
        Some("string") => &["format", "maxLength", "minLength", "pattern"],
        _ => &[],
    }
}

/// The schema that accepts every value, or none.
pub(super) fn of_boolean(schema: &Value) -> Value {
    if *schema == true { json!({}) } else { json!({ "not": {} }) }
}

/// The keyword for content in a text that a format of 3.0 replaces, and the format.
fn format_of_content(members: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
    match (members.get("contentEncoding"), members.get("contentMediaType")) {
        (Some(encoding), _) if encoding == "base64" => Some(("contentEncoding", "byte")),
        (None, Some(media_type)) if media_type == "application/octet-stream" => {
            Some(("contentMediaType", "binary"))
        }
        _ => None,
    }
}

/// Exclusive bounds are numbers in 3.1, flags beside `minimum` and `maximum` in 3.0.
fn bounds_to_flags(members: &mut Map<String, Value>) {
    bound_to_flag(members, "minimum", "exclusiveMinimum", |exclusive, bound| exclusive >= bound);
    bound_to_flag(members, "maximum", "exclusiveMaximum", |exclusive, bound| exclusive <= bound);
}

/// Keeps the stricter of two bounds.
#[expect(clippy::disallowed_types, reason = "a number of the document, no money")]
fn bound_to_flag(
    members: &mut Map<String, Value>,
    bound: &str,
    exclusive: &str,
    is_stricter: fn(f64, f64) -> bool,
) {
    let Some(limit) = members.get(exclusive).filter(|limit| limit.is_number()).cloned() else {
        return;
    };
    members.shift_remove(exclusive);
    let other = members.get(bound).and_then(Value::as_f64);
    let number = limit.as_f64().unwrap_or_default();
    if other.is_none_or(|other| is_stricter(number, other)) {
        members.insert(bound.to_owned(), limit);
        members.insert(exclusive.to_owned(), json!(true));
    }
}

/// Writes a schema whose only type is null as an enum of null alone. An enum without null beside it
/// leaves no value at all.
fn null_as_enum(members: &mut Map<String, Value>) {
    members.shift_remove("type");
    match members.get("enum").and_then(Value::as_array) {
        Some(values) if !values.contains(&Value::Null) => {
            members.insert("not".to_owned(), json!({}));
        }
        _ => {
            members.insert("enum".to_owned(), json!([null]));
        }
    }
}
