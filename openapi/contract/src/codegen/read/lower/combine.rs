//! `allOf`, `anyOf` and `oneOf`: composed objects become one object, value sets one set, and
//! objects that a member tells apart keep `oneOf`, with their references and the values of the
//! member; other alternatives keep their keyword.

use heck::ToUpperCamelCase;
use openapi_document::pointer::join;
use serde_json::{Map, Value, json};

use super::{Lowering, schema::Use};

pub(super) const KEYWORDS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// What may be beside the only part of a composition.
const SIBLINGS: [&str; 6] = ["default", "description", "example", "nullable", "title", "type"];

/// What describes a value, and excludes none.
const DESCRIPTIONS: [&str; 9] = [
    "deprecated",
    "description",
    "example",
    "externalDocs",
    "nullable",
    "readOnly",
    "title",
    "writeOnly",
    "xml",
];

/// The part of a composition that says which values there are.
#[derive(Debug)]
pub(super) struct OnlyPart {
    keyword: String,
    /// Its place among the parts, of which the others only describe.
    index: usize,
    part: Value,
}

/// The only part of a composition, if nothing beside it restricts the value.
pub(super) fn only_part(schema: &Map<String, Value>) -> Option<OnlyPart> {
    let is_sibling = |name: &String| SIBLINGS.contains(&name.as_str()) || name.starts_with("x-");
    let mut others = schema.keys().filter(|name| !is_sibling(name));
    let (Some(keyword), None) = (others.next(), others.next()) else {
        return None;
    };
    let parts = schema[keyword].as_array()?.iter().enumerate();
    let mut parts = parts.filter(|(_, part)| keyword != "allOf" || !only_describes(part));
    match (parts.next(), parts.next()) {
        (Some((index, part)), None) if KEYWORDS.contains(&keyword.as_str()) => {
            Some(OnlyPart { keyword: keyword.clone(), index, part: part.clone() })
        }
        _ => None,
    }
}

/// Returns true if a part of `allOf` accepts whatever the other parts accept. Its `nullable` does
/// not change what those accept.
fn only_describes(part: &Value) -> bool {
    let is_description =
        |name: &String| DESCRIPTIONS.contains(&name.as_str()) || name.starts_with("x-");
    let is_object =
        |part: &Map<String, Value>| part.get("type").is_none_or(|name| name == "object");
    part.as_object().is_some_and(|part| {
        part.keys().all(|name| is_description(name) || name == "type") && is_object(part)
    })
}

impl Lowering<'_> {
    pub(super) fn only_part(
        &mut self,
        at: &str,
        mut schema: Map<String, Value>,
        OnlyPart { keyword, index, part }: OnlyPart,
        hint: &str,
        place: Use,
    ) -> Value {
        let part_at = join(&join(at, &keyword), &index.to_string());
        if let Some(Value::Array(parts)) = schema.get_mut(&keyword) {
            let described = parts.iter().find_map(|part| part.get("description").cloned());
            *parts = vec![part.clone()];
            if let Some(description) = described.filter(|_| part.get("description").is_none()) {
                schema.entry("description").or_insert(description);
            }
        }
        let is_name = |part: &Value| {
            let component = part.as_object().and_then(|part| self.component(part));
            component.is_some_and(|name| !self.aliases.contains(&name))
        };
        if keyword == "allOf" && is_name(&part) {
            return Value::Object(schema);
        }
        let written = self.used(&part_at, part, hint, place);
        schema.shift_remove(&keyword);
        schema.shift_remove("type");
        match written {
            written if written.get("$ref").is_some() => {
                schema.insert("allOf".to_owned(), json!([written]));
                schema.shift_remove("default");
                Value::Object(schema)
            }
            Value::Object(mut written) => {
                schema.shift_remove("default");
                written.extend(schema);
                Value::Object(written)
            }
            other => other,
        }
    }

    /// One schema for a composition; none where it has no Rust type.
    pub(super) fn combined(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        name: &str,
    ) -> Option<Map<String, Value>> {
        if schema.contains_key("allOf") {
            return self.merged(at, schema);
        }
        let keyword = if schema.contains_key("oneOf") { "oneOf" } else { "anyOf" };
        let alternatives = schema.get(keyword)?.as_array()?;
        if let Some(set) = value_set(schema, keyword, alternatives) {
            return Some(set);
        }
        let told_apart = match keyword {
            "oneOf" => self.told_apart(at, schema, alternatives, name),
            _ => None,
        };
        told_apart.or_else(|| self.alternatives(at, schema, keyword, name))
    }

    /// Alternatives that no member tells apart, each as it is used.
    fn alternatives(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        keyword: &str,
        name: &str,
    ) -> Option<Map<String, Value>> {
        let is_sibling = |known: &String| {
            known == keyword || SIBLINGS.contains(&known.as_str()) || known.starts_with("x-")
        };
        if !schema.keys().all(is_sibling) {
            return None;
        }
        let mut union = schema.clone();
        union.shift_remove("type");
        for (index, alternative) in union[keyword].as_array_mut()?.iter_mut().enumerate() {
            let at = join(&join(at, keyword), &index.to_string());
            let title = alternative.get("title").and_then(Value::as_str);
            let hint = format!("{name}-{}", title.map_or_else(|| index.to_string(), str::to_owned));
            *alternative = self.used(&at, alternative.take(), &hint, Use::Other);
        }
        Some(union)
    }

    /// The properties of all parts of `allOf`, which are objects.
    fn merged(&mut self, at: &str, schema: &Map<String, Value>) -> Option<Map<String, Value>> {
        let mut merged = schema.clone();
        let parts = merged.shift_remove("allOf")?;
        if ["anyOf", "oneOf", "not"].iter().any(|keyword| merged.contains_key(*keyword)) {
            return None;
        }
        merged.insert("type".to_owned(), json!("object"));
        let mut properties = Map::new();
        let mut required = Vec::new();
        for index in 0..parts.as_array()?.len() {
            let at = join(&join(at, "allOf"), &index.to_string());
            self.part(&at, &mut properties, &mut required)?;
        }
        let own = merged.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        self.add_properties(&join(at, "properties"), own, &mut properties)?;
        let own = merged.get("required").and_then(Value::as_array).cloned();
        required.extend(own.into_iter().flatten());
        required.dedup();
        merged.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            merged.insert("required".to_owned(), Value::Array(required));
        }
        Some(merged)
    }

    fn part(
        &mut self,
        at: &str,
        properties: &mut Map<String, Value>,
        required: &mut Vec<Value>,
    ) -> Option<()> {
        let target = self.document.resolve(at).ok()?;
        let (at, part) = (target.pointer.clone(), target.value.as_object()?.clone());
        if self.expanding.contains(&at) {
            return None;
        }
        self.expanding.push(at.clone());
        let part = if part.contains_key("allOf") { self.merged(&at, &part) } else { Some(part) };
        self.expanding.pop();
        let part = part?;
        const OF_OBJECTS: [&str; 5] =
            ["additionalProperties", "discriminator", "properties", "required", "type"];
        let is_known = |name: &String| {
            [&OF_OBJECTS[..], &DESCRIPTIONS].concat().contains(&name.as_str())
                || name.starts_with("x-")
        };
        let is_object = part.get("type").is_none_or(|name| name == "object");
        let is_open = part
            .get("additionalProperties")
            .is_none_or(|extra| *extra == json!(true) || *extra == json!({}));
        if !is_open || !is_object || !part.keys().all(is_known) {
            return None;
        }
        let own = part.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        self.add_properties(&join(&at, "properties"), own, properties)?;
        required
            .extend(part.get("required").and_then(Value::as_array).cloned().into_iter().flatten());
        Some(())
    }

    fn add_properties(
        &mut self,
        at: &str,
        own: Map<String, Value>,
        properties: &mut Map<String, Value>,
    ) -> Option<()> {
        for (name, property) in own {
            let Some(both) = self.both(properties.get(&name), property) else {
                let problem = format!("two parts of `allOf` have different properties `{name}`");
                self.report(&join(at, &name), problem, "let one part have it, or write one schema");
                return None;
            };
            properties.insert(name, both);
        }
        Some(())
    }

    /// The schema of the values that both schemas accept, where one of them says all of it.
    fn both(&self, known: Option<&Value>, other: Value) -> Option<Value> {
        let Some(known) = known else {
            return Some(other);
        };
        // An alias and what is written out are one schema.
        let written = |schema: &Value| {
            let component = schema.as_object().and_then(|schema| self.component(schema));
            let at = component.map(|component| join(super::SCHEMAS, &component));
            let target = at.and_then(|at| self.document.value().pointer(&at));
            target.unwrap_or(schema).clone()
        };
        let (first, second) = (restrictions(&written(known)), restrictions(&written(&other)));
        let within = |inner: &Map<String, Value>, outer: &Map<String, Value>| {
            inner.iter().all(|(name, value)| outer.get(name) == Some(value))
        };
        let is_nullable = |schema: &Value| schema.get("nullable") == Some(&json!(true));
        let mut both = match () {
            () if within(&first, &second) => other.clone(),
            () if within(&second, &first) => known.clone(),
            () => return None,
        };
        if let Some(both) = both.as_object_mut()
            && !(is_nullable(known) && is_nullable(&other))
        {
            both.shift_remove("nullable");
        }
        Some(both)
    }

    /// `oneOf` objects with a discriminator, or with a member that is another constant in each.
    fn told_apart(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        alternatives: &[Value],
        name: &str,
    ) -> Option<Map<String, Value>> {
        let pointers: Vec<String> = (0..alternatives.len())
            .map(|index| join(&join(at, "oneOf"), &index.to_string()))
            .collect();
        let written = schema.get("discriminator").and_then(Value::as_object);
        let member = match written {
            Some(discriminator) => discriminator.get("propertyName")?.as_str()?.to_owned(),
            None => self.member_with_constants(&pointers)?,
        };
        let mapping = written.and_then(|written| written.get("mapping")).and_then(Value::as_object);
        let mut references = Vec::new();
        let mut values = Map::new();
        for (pointer, alternative) in pointers.iter().zip(alternatives) {
            let component = alternative.as_object().and_then(|known| self.component(known));
            let constant = self.constant(pointer, &member);
            let value = match (&component, mapping) {
                (Some(component), Some(mapping)) => mapping
                    .iter()
                    .find(|(_, target)| leads_to(target, component))
                    .map(|(value, _)| value.clone())
                    .or(constant)
                    .unwrap_or_else(|| component.clone()),
                (Some(component), None) => constant.unwrap_or_else(|| component.clone()),
                (None, _) => constant?,
            };
            let hint = format!("{name}-{}", value.to_upper_camel_case());
            let reference = self.used(pointer, alternative.clone(), &hint, Use::Other);
            let target = reference.get("$ref")?.clone();
            references.push(reference);
            values.insert(value, target);
        }
        let mut union = schema.clone();
        union.insert("oneOf".to_owned(), Value::Array(references));
        let discriminator = json!({ "propertyName": member, "mapping": values });
        union.insert("discriminator".to_owned(), discriminator);
        union.shift_remove("type");
        Some(union)
    }

    /// The required member that is a constant in every alternative, and never the same one.
    fn member_with_constants(&self, pointers: &[String]) -> Option<String> {
        let first = self.document.resolve(pointers.first()?).ok()?.value;
        let mut names = first.get("properties")?.as_object()?.keys();
        let found = names.find(|name| {
            let constants = pointers.iter().map(|pointer| self.constant(pointer, name));
            let constants: Option<Vec<String>> = constants.collect();
            constants.is_some_and(|mut constants| {
                constants.sort();
                constants.windows(2).all(|pair| pair[0] != pair[1])
            })
        });
        found.cloned()
    }

    fn constant(&self, pointer: &str, member: &str) -> Option<String> {
        let object = self.document.resolve(pointer).ok()?;
        let is_required = object.value.get("required")?.as_array()?.contains(&json!(member));
        let property = join(&join(&object.pointer, "properties"), member);
        let property = self.document.resolve(&property).ok()?.value;
        match property.get("enum")?.as_array()?.as_slice() {
            [Value::String(constant)] if is_required => Some(constant.clone()),
            _ => None,
        }
    }
}

/// The keywords of a schema that exclude values.
fn restrictions(schema: &Value) -> Map<String, Value> {
    let mut restrictions = schema.as_object().cloned().unwrap_or_default();
    restrictions.retain(|name, _| {
        !DESCRIPTIONS.contains(&name.as_str()) && name != "default" && !name.starts_with("x-")
    });
    restrictions
}

/// Returns true if the target in a mapping, a name or a reference, is this component.
fn leads_to(target: &Value, component: &str) -> bool {
    let target = target.as_str().unwrap_or_default();
    target == component || target.strip_prefix("#/components/schemas/") == Some(component)
}

/// Alternatives that are all value sets are one value set.
fn value_set(
    schema: &Map<String, Value>,
    keyword: &str,
    alternatives: &[Value],
) -> Option<Map<String, Value>> {
    let mut values = Vec::new();
    for alternative in alternatives {
        if alternative.get("type").is_some_and(|name| name != "string") {
            return None;
        }
        for value in alternative.get("enum")?.as_array()? {
            if !value.is_string() || values.contains(value) {
                return None;
            }
            values.push(value.clone());
        }
    }
    let mut set = schema.clone();
    set.shift_remove(keyword);
    set.insert("type".to_owned(), json!("string"));
    set.insert("enum".to_owned(), Value::Array(values));
    Some(set)
}
