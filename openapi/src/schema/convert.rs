//! One schema and those it refers to, as one self-contained JSON Schema. Each of those becomes a
//! member of `$defs`, so recursion works.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::{
    discriminator::{Discriminator, Form},
    keywords::{self, Direction},
    sent::is_sent,
};
use crate::{
    error::DocumentError,
    pointer::{self, join},
    source::Source,
};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A schema as JSON Schema 2020-12; its errors are at `pointer`.
pub(crate) fn convert(
    source: &Source,
    pointer: &str,
    value: &Value,
    direction: Direction,
) -> Result<Value, DocumentError> {
    let mut conversion = Conversion {
        source,
        direction,
        names: HashMap::new(),
        taken: HashSet::new(),
        pending: Vec::new(),
    };
    let mut definitions = Map::new();
    let converted = conversion.schema(pointer, value)?;
    while let Some((name, at)) = conversion.pending.pop() {
        let value = source.resolve(&at)?.value;
        definitions.insert(name, conversion.schema(&at, value)?);
    }
    let mut root = Map::new();
    root.insert("$schema".to_owned(), json!(DIALECT));
    if let Value::Object(members) = converted {
        root.extend(members);
    }
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Ok(Value::Object(root))
}

struct Conversion<'source> {
    source: &'source Source,
    direction: Direction,
    /// Names under `$defs` by the pointer of the schema.
    names: HashMap<String, String>,
    taken: HashSet<String>,
    /// Named, but not yet converted.
    pending: Vec<(String, String)>,
}

impl Conversion<'_> {
    fn schema(&mut self, at: &str, value: &Value) -> Result<Value, DocumentError> {
        // Siblings of `$ref` are ignored (OpenAPI 3.0.3 § 4.7.23).
        if let Some(reference) = pointer::reference_in(value) {
            let (target, _) = self.source.follow(at, reference)?;
            let target = self.source.resolve(&target)?.pointer;
            let name = self.name(target);
            return Ok(json!({ "$ref": format!("#/$defs/{name}") }));
        }
        let Some(members) = value.as_object() else {
            return Err(self.source.error(at, "a schema must be a mapping"));
        };
        let mut converted = Map::new();
        for (keyword, value) in members {
            let at = join(at, keyword);
            if let Some(value) = self.keyword(keyword, &at, value)? {
                converted.insert(keyword.clone(), value);
            }
        }
        keywords::convert_bounds(members, &mut converted);
        keywords::convert_rules(members, &mut converted);
        keywords::report_unknown_members(&mut converted);
        self.convert_required(members, &mut converted);
        keywords::add_rules(&mut converted, self.rules_by_code(at, members)?);
        self.name_forms(at, value, &mut converted);
        keywords::convert_nullable(members, &mut converted);
        Ok(Value::Object(converted))
    }

    fn keyword(
        &mut self,
        name: &str,
        at: &str,
        value: &Value,
    ) -> Result<Option<Value>, DocumentError> {
        Ok(match name {
            "dependentSchemas" | "patternProperties" => Some(self.schemas_by_name(at, value)?),
            "properties" => {
                let mut schemas = self.schemas_by_name(at, value)?;
                self.ignore_read_only(value, &mut schemas);
                Some(schemas)
            }
            "allOf" | "oneOf" | "anyOf" | "prefixItems" => Some(self.schema_list(at, value)?),
            "additionalProperties" if value.is_boolean() => Some(value.clone()),
            "additionalProperties"
            | "contains"
            | "else"
            | "if"
            | "items"
            | "not"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties" => Some(self.schema(at, value)?),
            name if keywords::UNCHANGED.contains(&name) => Some(value.clone()),
            _ => None,
        })
    }

    fn schemas_by_name(&mut self, at: &str, value: &Value) -> Result<Value, DocumentError> {
        let mut converted = Map::new();
        for (name, schema) in value.as_object().into_iter().flatten() {
            converted.insert(name.clone(), self.schema(&join(at, name), schema)?);
        }
        Ok(Value::Object(converted))
    }

    /// The value of a `readOnly` property is ignored in a request.
    fn ignore_read_only(&self, properties: &Value, converted: &mut Value) {
        for (name, property) in properties.as_object().into_iter().flatten() {
            if self.direction == Direction::Request
                && !is_sent(self.source, property, self.direction)
            {
                converted[name] = Value::Bool(true);
            }
        }
    }

    fn schema_list(&mut self, at: &str, value: &Value) -> Result<Value, DocumentError> {
        let schemas = value.as_array().into_iter().flatten().enumerate();
        schemas.map(|(index, schema)| self.schema(&join(at, &index.to_string()), schema)).collect()
    }

    /// `x-by-code` of a property: its schema for each value of the property `code` beside it.
    fn rules_by_code(
        &mut self,
        at: &str,
        members: &Map<String, Value>,
    ) -> Result<Vec<Value>, DocumentError> {
        let mut rules = Vec::new();
        let properties = members.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, property) in properties {
            let by_code = join(&join(&join(at, "properties"), name), "x-by-code");
            let schemas = property.get("x-by-code").and_then(Value::as_object);
            for (code, schema) in schemas.into_iter().flatten() {
                let is_so =
                    json!({ "required": ["code"], "properties": { "code": { "const": code } } });
                let schema = self.schema(&join(&by_code, code), schema)?;
                let then = json!({ "required": [name], "properties": { name: schema } });
                rules.push(json!({ "if": is_so, "then": then }));
            }
        }
        Ok(rules)
    }

    /// Lets each form of a union have only the names that the discriminator gives it.
    fn name_forms(&self, at: &str, schema: &Value, converted: &mut Map<String, Value>) {
        let found = Discriminator::of(self.source, at, schema);
        let Some(found) = found.filter(|found| found.is_union && found.faults.is_empty()) else {
            return;
        };
        for Form { names, pointer } in found.forms {
            let own = pointer.strip_prefix(at).unwrap_or_default();
            let form = own.strip_prefix('/').and_then(|own| own.split_once('/'));
            let form = form.and_then(|(list, index)| {
                converted.get_mut(list)?.get_mut(index.parse::<usize>().ok()?)
            });
            if let Some(form) = form {
                let property = &found.property;
                let named = json!({
                    "required": [property],
                    "properties": { property: { "enum": names } },
                });
                *form = json!({ "allOf": [form.take(), named] });
            }
        }
    }

    /// A property is not required in the direction in which it is not sent (§ 4.7.24.1).
    fn convert_required(&self, members: &Map<String, Value>, converted: &mut Map<String, Value>) {
        let Some(Value::Array(required)) = converted.get_mut("required") else {
            return;
        };
        required.retain(|name| {
            let Some(name) = name.as_str() else {
                return false;
            };
            let declared = members.get("properties").and_then(|all| all.get(name));
            declared.is_none_or(|property| is_sent(self.source, property, self.direction))
        });
        if required.is_empty() {
            converted.remove("required");
        }
    }

    /// The name of a schema under `$defs`; for a component, its own.
    fn name(&mut self, target: String) -> String {
        if let Some(name) = self.names.get(&target) {
            return name.clone();
        }
        let readable = target.strip_prefix("/components/schemas/").unwrap_or(&target);
        // Only characters without a meaning in a pointer or a URI, so that no escaping is needed.
        let safe = |character: char| {
            if character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_') {
                character
            } else {
                '_'
            }
        };
        let mut name: String = readable.chars().map(safe).collect();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        self.names.insert(target.clone(), name.clone());
        self.pending.push((name.clone(), target));
        name
    }
}
