//! One schema: where it is used, and where it is declared by a name.

use heck::ToUpperCamelCase;
use openapi_document::pointer::join;
use serde_json::{Map, Value, json};

use super::{Lowering, combine, formats};
use crate::codegen::{config::Scalar, names};

/// What no generated type keeps, and what says nothing of a value.
const ANNOTATIONS: [&str; 5] = ["deprecated", "externalDocs", "readOnly", "writeOnly", "xml"];
const LIMITS: [&str; 4] = ["maxLength", "minLength", "pattern", "x-known-values"];

/// Where a schema is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Property,
    Parameter,
    /// A body, an item, or a value of a map.
    Other,
}

impl Lowering<'_> {
    /// A schema where it is used: a reference, a plain value, or a list.
    pub(super) fn used(&mut self, at: &str, schema: Value, hint: &str, place: Use) -> Value {
        let Value::Object(mut schema) = schema else {
            return schema;
        };
        if schema.contains_key("$ref") {
            return self.reference(at, schema, hint, place);
        }
        schema.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
        if let Some(part) = combine::only_part(&schema) {
            return self.only_part(at, schema, part, hint, place);
        }
        if combine::KEYWORDS.iter().any(|keyword| schema.contains_key(*keyword)) {
            let count = self.diagnostics.len();
            return match self.combined(at, &schema, hint) {
                Some(combined) => self.named(at, combined, hint, place),
                None => {
                    self.report_composition(at, &schema, "", count);
                    json!({})
                }
            };
        }
        let is_object = schema.contains_key("properties")
            || schema.contains_key("additionalProperties")
            || schema.get("type").is_some_and(|name| name == "object");
        infer_type(&mut schema);
        formats::drop_without_effect(&mut schema);
        if is_object || schema.contains_key("enum") {
            return self.named(at, schema, hint, place);
        }
        self.plain(at, schema, hint, place)
    }

    /// A list, text, number or boolean.
    fn plain(&mut self, at: &str, mut schema: Map<String, Value>, hint: &str, place: Use) -> Value {
        match schema.get("type").and_then(Value::as_str) {
            Some("array") => {
                schema.shift_remove("format");
                describe_default(&mut schema);
                if let Some(items) = schema.shift_remove("items") {
                    let items =
                        self.used(&join(at, "items"), items, &format!("{hint}-item"), Use::Other);
                    schema.insert("items".to_owned(), items);
                }
            }
            Some("string") => {
                if let Some((name, pattern)) = formats::of_text(&schema) {
                    return self.format(at, &schema, name, pattern, place);
                }
                schema.shift_remove("format");
                if LIMITS.iter().any(|limit| schema.contains_key(*limit)) {
                    return self.named(at, schema, hint, place);
                }
                keep_default(&mut schema, place);
            }
            Some("integer") => {
                formats::bound_integer(&mut schema);
                let is_default = place == Use::Parameter && schema.contains_key("default");
                if formats::is_bounded(&schema) || is_default {
                    return self.named(at, schema, hint, place);
                }
                keep_default(&mut schema, place);
            }
            Some("number") => {
                formats::plain_number(&mut schema);
                if formats::is_bounded(&schema) {
                    return self.named(at, schema, hint, place);
                }
                keep_default(&mut schema, place);
            }
            Some("boolean") => drop(schema.shift_remove("format")),
            _ => describe_default(&mut schema),
        }
        if place == Use::Parameter {
            schema.shift_remove("nullable");
        }
        Value::Object(schema)
    }

    /// A text with a format: the same schema for all of them.
    fn format(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        name: &str,
        pattern: &str,
        place: Use,
    ) -> Value {
        let declared = json!({ "type": "string", "pattern": pattern });
        let reference = self.name(at, name, declared);
        with_siblings(reference, schema, place != Use::Other)
    }

    /// A schema that needs a name, as the reference to it.
    fn named(&mut self, at: &str, mut schema: Map<String, Value>, hint: &str, place: Use) -> Value {
        let siblings: Map<String, Value> = ["nullable", "default"]
            .into_iter()
            .filter_map(|keyword| Some((keyword.to_owned(), schema.get(keyword)?.clone())))
            .filter(|(keyword, _)| keyword == "nullable" || !keeps_default(&schema, place))
            .collect();
        schema.shift_remove("nullable");
        if !keeps_default(&schema, place) {
            schema.shift_remove("default");
        }
        let is_scalar = !schema.get("type").is_some_and(|name| name == "object");
        let reference = self.name(at, hint, Value::Object(schema));
        let has_default = place != Use::Other && is_scalar;
        let mut used = with_siblings(reference, &siblings, has_default);
        if place == Use::Parameter
            && let Value::Object(used) = &mut used
        {
            used.shift_remove("nullable");
        }
        used
    }

    /// A reference; an alias is written out.
    fn reference(&mut self, at: &str, schema: Map<String, Value>, hint: &str, place: Use) -> Value {
        let component = self.component(&schema);
        if component.as_ref().is_some_and(|name| !self.aliases.contains(name)) {
            return Value::Object(schema);
        }
        // One step, so that a chain of names is followed name by name.
        let (to, written) = match &component {
            Some(name) => {
                let to = join(super::SCHEMAS, name);
                let written = self.document.value().pointer(&to).cloned();
                (to, written.unwrap_or_default())
            }
            None => match self.document.resolve(at) {
                Ok(target) => (target.pointer, target.value.clone()),
                Err(_) => return Value::Object(schema),
            },
        };
        if self.expanding.contains(&to) {
            self.report(at, "the schema contains itself", "name an object in between");
            return json!({});
        }
        self.expanding.push(to.clone());
        let hint = component.map_or_else(|| hint.to_owned(), |name| name.to_upper_camel_case());
        let written = self.used(&to, written, &hint, place);
        self.expanding.pop();
        self.moves.push((at.to_owned(), to));
        written
    }

    pub(super) fn declared(&mut self, at: &str, schema: Value, name: &str) -> Value {
        let Value::Object(mut schema) = schema else {
            return schema;
        };
        let mut unchanged = [Scalar::Money, Scalar::Timestamp, Scalar::Cursor].into_iter();
        if unchanged.any(|scalar| self.config.scalar(scalar) == name) {
            return Value::Object(schema);
        }
        schema.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
        if combine::KEYWORDS.iter().any(|keyword| schema.contains_key(*keyword)) {
            let count = self.diagnostics.len();
            match self.combined(at, &schema, name) {
                Some(combined)
                    if combined.contains_key("oneOf") || combined.contains_key("anyOf") =>
                {
                    return Value::Object(combined);
                }
                Some(combined) => schema = combined,
                None => {
                    self.report_composition(at, &schema, " in a named schema", count);
                    return json!({ "type": "object", "additionalProperties": true });
                }
            }
        }
        infer_type(&mut schema);
        formats::drop_without_effect(&mut schema);
        match schema.get("type").and_then(Value::as_str) {
            Some("string") => {
                formats::pattern_of_format(&mut schema);
                describe_default(&mut schema);
            }
            Some("integer") => formats::bound_integer(&mut schema),
            Some("number") => {
                formats::plain_number(&mut schema);
                describe_default(&mut schema);
            }
            Some("object") => self.object(at, &mut schema, name),
            None if ["properties", "additionalProperties"]
                .iter()
                .any(|keyword| schema.contains_key(*keyword)) =>
            {
                schema.insert("type".to_owned(), json!("object"));
                self.object(at, &mut schema, name);
            }
            _ => {}
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        Value::Object(schema)
    }

    /// Returns true if a default of the property or parameter can be written in Rust: of a single
    /// value that is not nullable.
    pub(super) fn has_literal(&self, property: &Map<String, Value>) -> bool {
        if property.get("nullable") == Some(&json!(true)) {
            return false;
        }
        let Some(default) = property.get("default") else {
            return false;
        };
        let part = property.get("allOf").and_then(|parts| parts.get(0)).and_then(Value::as_object);
        let Some(name) = part.and_then(|part| self.component(part)) else {
            return property.contains_key("type") && is_literal(&json!(property), default);
        };
        if [Scalar::Timestamp, Scalar::Cursor].map(|it| self.config.scalar(it)).contains(&&*name) {
            return false;
        }
        let added = self.added.iter().find(|(known, _)| *known == name).map(|(_, schema)| schema);
        let schema = added.or_else(|| self.document.value().pointer(&join(super::SCHEMAS, &name)));
        let is_set = |keyword: &str| schema.is_some_and(|schema| schema.get(keyword).is_some());
        let others = ["allOf", "anyOf", "nullable", "oneOf", "properties"];
        schema.is_some_and(|schema| is_literal(schema, default)) && !others.into_iter().any(is_set)
    }

    /// Reports a composition, unless a report about its parts has come to the `count` before.
    fn report_composition(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        place: &str,
        count: usize,
    ) {
        let keyword = combine::KEYWORDS.iter().find(|keyword| schema.contains_key(**keyword));
        let Some(keyword) = keyword.filter(|_| self.diagnostics.len() == count) else {
            return;
        };
        let (problem, help) = if *keyword == "allOf" {
            let problem = "of anything but open objects with properties is not supported";
            (problem, "write one schema with all its properties")
        } else {
            let problem = "is not supported beside other keywords";
            (problem, "leave out what is beside it")
        };
        self.report(&join(at, keyword), format!("`{keyword}`{place} {problem}"), help);
    }

    fn object(&mut self, at: &str, schema: &mut Map<String, Value>, name: &str) {
        schema.shift_remove("format");
        let required = schema.get("required").and_then(Value::as_array).cloned();
        let required = required.unwrap_or_default();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            let at = join(at, "properties");
            for (property, value) in properties.iter_mut() {
                let hint = format!("{name}-{}", names::variant(property));
                *value = self.used(&join(&at, property), value.take(), &hint, Use::Property);
                let is_required = required.iter().any(|name| name == property);
                if let Value::Object(value) = value
                    && (is_required || !self.has_literal(value))
                {
                    describe_default(value);
                }
            }
        }
        let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
        if schema.get("properties").is_some_and(is_empty) {
            schema.shift_remove("properties");
        }
        let has_properties = schema.contains_key("properties");
        match schema.get("additionalProperties").cloned() {
            Some(values) if values == json!(true) || is_empty(&values) => {
                schema.shift_remove("additionalProperties");
            }
            Some(values)
                if values.is_object() && (has_properties || !is_texts(schema, &values)) =>
            {
                let at = join(at, "additionalProperties");
                let values = self.used(&at, values, &format!("{name}-value"), Use::Other);
                schema.insert("additionalProperties".to_owned(), values);
            }
            _ => {}
        }
        let is_described = has_properties || schema.contains_key("required");
        if !is_described && !schema.contains_key("additionalProperties") {
            schema.insert("additionalProperties".to_owned(), json!(true));
        }
    }
}

/// The type of a value set that does not name it.
fn infer_type(schema: &mut Map<String, Value>) {
    if schema.contains_key("type") {
        return;
    }
    let Some(values) = schema.get("enum").and_then(Value::as_array) else {
        return;
    };
    let values: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
    let is_all = |is: fn(&Value) -> bool| values.iter().all(|value| is(value));
    let name = match () {
        () if values.is_empty() || is_all(Value::is_string) => "string",
        () if is_all(Value::is_boolean) => "boolean",
        () if is_all(Value::is_i64) => "integer",
        () if is_all(Value::is_number) => "number",
        () => "string",
    };
    schema.insert("type".to_owned(), json!(name));
}

/// Returns true if Rust can write the default of a schema of this type. One of another type is
/// reported where it is read.
fn is_literal(schema: &Value, default: &Value) -> bool {
    match schema.get("type").and_then(Value::as_str) {
        // `1.0` is a whole number, but no literal of one.
        Some("integer") => default.is_i64() || !default.is_number(),
        Some("boolean" | "number" | "string") | None => true,
        Some(_) => false,
    }
}

/// The values of a map that `read` knows as a map of texts.
fn is_texts(schema: &Map<String, Value>, values: &Value) -> bool {
    const KNOWN: [&str; 5] = ["type", "maxLength", "minLength", "description", "example"];
    let is_plain =
        |values: &Map<String, Value>| values.keys().all(|name| KNOWN.contains(&name.as_str()));
    // Only a map of texts has limits of its own.
    let is_limited =
        ["maxProperties", "x-property-names"].iter().any(|limit| schema.contains_key(*limit));
    values.get("type").is_some_and(|name| name == "string")
        && (is_limited || values.as_object().is_some_and(is_plain))
}

/// A named whole number has its default itself, for parameters.
fn keeps_default(schema: &Map<String, Value>, place: Use) -> bool {
    place == Use::Parameter && schema.get("type").is_some_and(|name| name == "integer")
}

/// The reference with what is said of its use.
fn with_siblings(reference: Value, siblings: &Map<String, Value>, keeps_default: bool) -> Value {
    let is_nullable = siblings.get("nullable") == Some(&json!(true));
    let default = siblings.get("default").filter(|_| keeps_default && !is_nullable);
    if !is_nullable && default.is_none() {
        return reference;
    }
    let mut used = Map::new();
    used.insert("allOf".to_owned(), json!([reference]));
    if is_nullable {
        used.insert("nullable".to_owned(), json!(true));
    }
    used.extend(default.map(|default| ("default".to_owned(), default.clone())));
    Value::Object(used)
}

/// Only a property or a parameter has a default.
fn keep_default(schema: &mut Map<String, Value>, place: Use) {
    if place == Use::Other {
        describe_default(schema);
    }
}

/// A default that no generated type has: the handler applies it.
pub(super) fn describe_default(schema: &mut Map<String, Value>) {
    let Some(default) = schema.shift_remove("default") else {
        return;
    };
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default().trim();
    let described = format!("{description}\n\nWhere it is absent: `{default}`.");
    schema.insert("description".to_owned(), json!(described.trim()));
}
