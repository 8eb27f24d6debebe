//! `allOf`, `anyOf` and `oneOf`: composed objects become one object, value sets one set, objects
//! that a member tells apart a union, and other schemas alternatives.

use std::collections::BTreeSet;

use openapi_document::{excludes_property, pointer::join};
use serde_json::{Map, Value, json};

use super::{
    Keywords, Reader, SCHEMAS, component, formats,
    null::without_null,
    objects::{MAX, MIN},
    union::variant,
    used::{Site, Use, Used},
};
use crate::codegen::model::{Alternatives, Kind};

const KEYWORDS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

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

/// A composition as one schema, or as a kind of type.
pub(super) enum Combined {
    Schema(Keywords),
    /// A union or alternatives.
    Kind(Kind),
}

/// The first keyword of a composition.
pub(super) fn keyword(schema: &Keywords) -> Option<&'static str> {
    KEYWORDS.into_iter().find(|keyword| schema.contains_key(*keyword))
}

/// The only part of a composition, if nothing beside it restricts the value.
pub(super) fn only_part(schema: &Keywords) -> Option<OnlyPart> {
    let is_sibling = |name: &String| SIBLINGS.contains(&name.as_str()) || name.starts_with("x-");
    let mut others = schema.keys().filter(|name| !is_sibling(name));
    let (Some(keyword), None) = (others.next(), others.next()) else {
        return None;
    };
    let parts = schema[keyword].as_array()?.iter().enumerate();
    let parts = parts.filter(|(_, part)| !part.is_null());
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
    let is_object = |part: &Keywords| part.get("type").is_none_or(|name| name == "object");
    part.as_object().is_some_and(|part| {
        part.keys().all(|name| is_description(name) || name == "type") && is_object(part)
    })
}

impl Reader<'_> {
    pub(super) fn only_part(
        &mut self,
        site: Site<'_>,
        mut schema: Keywords,
        OnlyPart { keyword, index, part }: OnlyPart,
    ) -> Option<Used> {
        let at = site.at;
        let mut is_part_of_all = keyword == "allOf";
        if let Some(Value::Array(parts)) = schema.shift_remove(&keyword) {
            is_part_of_all |= parts.contains(&Value::Null);
            let described = parts.iter().find_map(|part| part.get("description").cloned());
            if let Some(description) = described.filter(|_| part.get("description").is_none()) {
                schema.entry("description").or_insert(description);
            }
        }
        let named = part.as_object().and_then(component).filter(|_| is_part_of_all);
        if let Some(name) =
            named.filter(|name| !self.aliases.contains(name) && !self.renamed.contains_key(name))
        {
            self.report_another_type(at, &schema, &name);
            return Some(self.beside(site, &name, &schema));
        }
        let part_at = join(&join(at, &keyword), &index.to_string());
        let used = self.written_use(site.part(&part_at, site.hint), &part)?;
        schema.shift_remove("default");
        Some(used.with(site, &schema))
    }

    /// A `type` beside a reference must be that of the reference.
    fn report_another_type(&mut self, at: &str, schema: &Keywords, component: &str) {
        let named = self.component(component);
        let meant = named.as_ref().and_then(formats::type_of);
        if let (Some(written), Some(meant)) = (schema.get("type"), meant)
            && written != meant
        {
            self.report(
                &join(at, "type"),
                format!("`type: {written}` is not the type of `#{}`", join(SCHEMAS, component)),
                "write the type of the schema that `allOf` names, or leave it out",
            );
        }
    }

    /// One schema or kind for a composition; none where it has no Rust type.
    pub(super) fn combined(&mut self, at: &str, schema: &Keywords, name: &str) -> Option<Combined> {
        if schema.contains_key("allOf") {
            return self.merged(at, schema).map(Combined::Schema);
        }
        let keyword = if schema.contains_key("oneOf") { "oneOf" } else { "anyOf" };
        let alternatives = schema.get(keyword)?.as_array()?;
        if let Some(set) = value_set(schema, keyword, alternatives) {
            return Some(Combined::Schema(set));
        }
        if beside_null(schema, keyword).is_some() {
            return self.merged(at, schema).map(Combined::Schema);
        }
        let told_apart = self.told_apart(at, schema, keyword, name).map(Kind::Union);
        let kind = told_apart.or_else(|| self.alternatives(at, schema, keyword, name));
        kind.map(Combined::Kind)
    }

    /// Alternatives that no member tells apart, each as it is used.
    fn alternatives(
        &mut self,
        at: &str,
        schema: &Keywords,
        keyword: &str,
        name: &str,
    ) -> Option<Kind> {
        let is_sibling = |known: &String| {
            known == keyword || SIBLINGS.contains(&known.as_str()) || known.starts_with("x-")
        };
        if !schema.keys().all(is_sibling) {
            return None;
        }
        let is_exclusive = keyword == "oneOf";
        let mut names = BTreeSet::new();
        let mut variants = Vec::new();
        let alternatives = schema.get(keyword)?.as_array()?.iter().enumerate();
        for (index, alternative) in alternatives.filter(|(_, it)| !it.is_null()) {
            let at = join(&join(at, keyword), &index.to_string());
            let title = alternative.get("title").and_then(Value::as_str);
            let hint = format!("{name}-{}", title.map_or_else(|| index.to_string(), str::to_owned));
            let Some(value) = self.whole(Site::new(&at, &hint, Use::Alternative), alternative)
            else {
                continue;
            };
            let mut name = variant(&value);
            if !names.insert(name.clone()) {
                if is_exclusive {
                    let problem = format!("two alternatives would both be the variant `{name}`");
                    self.report(&at, problem, "write `anyOf`, or leave one of them out");
                }
                name = format!("{name}{}", index + 1);
                names.insert(name.clone());
            }
            variants.push((name, value));
        }
        Some(Kind::Alternatives(Alternatives { is_exclusive, variants }))
    }

    /// Reports a composition, unless a report about its parts has come to the `count` before.
    pub(super) fn report_composition(
        &mut self,
        at: &str,
        schema: &Keywords,
        place: &str,
        count: usize,
    ) {
        let Some(keyword) = keyword(schema).filter(|_| self.diagnostics.len() == count) else {
            return;
        };
        let (problem, help) = if keyword == "allOf" {
            let problem = "of anything but open objects with properties is not supported";
            (problem, "write one schema with all its properties")
        } else {
            let problem = "is not supported beside other keywords";
            (problem, "leave out what is beside it")
        };
        self.report(&join(at, keyword), format!("`{keyword}`{place} {problem}"), help);
    }

    /// The properties of all parts of `allOf`, and of an alternative beside null: objects.
    fn merged(&mut self, at: &str, schema: &Keywords) -> Option<Keywords> {
        let mut merged = schema.clone();
        let all = merged.shift_remove("allOf").unwrap_or_else(|| json!([]));
        let place = |keyword: &str, index: usize| join(&join(at, keyword), &index.to_string());
        let mut parts: Vec<String> =
            (0..all.as_array()?.len()).map(|index| place("allOf", index)).collect();
        for keyword in ["anyOf", "oneOf"] {
            if let Some(index) = beside_null(&merged, keyword) {
                merged.shift_remove(keyword);
                parts.push(place(keyword, index));
            }
        }
        if ["anyOf", "oneOf", "not"].iter().any(|keyword| merged.contains_key(*keyword)) {
            return None;
        }
        merged.insert("type".to_owned(), json!("object"));
        let mut properties = Map::new();
        let mut required = Vec::new();
        for part in &parts {
            self.part(part, &mut properties, &mut required, &mut merged)?;
        }
        let excluded = properties.keys().find(|name| excludes_property(&json!(merged), name));
        if let Some(name) = excluded {
            let problem =
                format!("`additionalProperties: false` excludes `{name}` of another part");
            let help = "list it among the properties beside it, or leave the keyword out";
            self.report(&join(at, "additionalProperties"), problem, help);
            return None;
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
        properties: &mut Keywords,
        required: &mut Vec<Value>,
        limits: &mut Keywords,
    ) -> Option<()> {
        let target = self.document.resolve(at).ok()?;
        let (at, part) = (target.pointer, without_null(self.document, target.value));
        if self.expanding.contains(&at) {
            return None;
        }
        self.expanding.push(at.clone());
        let has_parts = part.contains_key("allOf")
            || ["anyOf", "oneOf"].iter().any(|it| beside_null(&part, it).is_some());
        let part = if has_parts { self.merged(&at, &part) } else { Some(part) };
        self.expanding.pop();
        let part = part?;
        const OF_OBJECTS: [&str; 7] =
            ["additionalProperties", "discriminator", MAX, MIN, "properties", "required", "type"];
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
        for (limit, is_stricter) in [(MIN, u64::gt as fn(&u64, &u64) -> bool), (MAX, u64::lt)] {
            let count = |schema: &Keywords| schema.get(limit).and_then(Value::as_u64);
            if let Some(own) = count(&part)
                && count(limits).is_none_or(|known| is_stricter(&own, &known))
            {
                limits.insert(limit.to_owned(), json!(own));
            }
        }
        let own = part.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        self.add_properties(&join(&at, "properties"), own, properties)?;
        required
            .extend(part.get("required").and_then(Value::as_array).cloned().into_iter().flatten());
        Some(())
    }

    fn add_properties(&mut self, at: &str, own: Keywords, properties: &mut Keywords) -> Option<()> {
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
            let component = schema.as_object().and_then(component);
            let at = component.map(|component| join(SCHEMAS, &component));
            let target = at.and_then(|at| self.document.value().pointer(&at));
            target.unwrap_or(schema).clone()
        };
        let (first, second) = (restrictions(&written(known)), restrictions(&written(&other)));
        let within = |inner: &Keywords, outer: &Keywords| {
            inner.iter().all(|(name, value)| outer.get(name) == Some(value))
        };
        let is_nullable = |schema: &Value| schema.get("nullable") == Some(&json!(true));
        let mut both = match () {
            () if within(&first, &second) => other.clone(),
            () if within(&second, &first) => known.clone(),
            () => return None,
        };
        let is_set =
            |keyword: &str| [known, &other].map(|it| it.get(keyword) == Some(&json!(true)));
        if let Some(both) = both.as_object_mut() {
            if !(is_nullable(known) && is_nullable(&other)) {
                both.shift_remove("nullable");
            }
            for keyword in ["readOnly", "writeOnly"] {
                if is_set(keyword).contains(&true) {
                    both.insert(keyword.to_owned(), json!(true));
                }
            }
        }
        Some(both)
    }
}

/// The index of the only alternative other than null.
fn beside_null(schema: &Keywords, keyword: &str) -> Option<usize> {
    let alternatives = schema.get(keyword)?.as_array().filter(|all| all.contains(&Value::Null))?;
    let mut others = alternatives.iter().enumerate().filter(|(_, it)| !it.is_null());
    let (index, _) = others.next()?;
    others.next().is_none().then_some(index)
}

/// The keywords of a schema that exclude values.
fn restrictions(schema: &Value) -> Keywords {
    let mut restrictions = schema.as_object().cloned().unwrap_or_default();
    restrictions.retain(|name, _| {
        !DESCRIPTIONS.contains(&name.as_str()) && name != "default" && !name.starts_with("x-")
    });
    restrictions
}

/// Alternatives that are all value sets are one value set.
fn value_set(schema: &Keywords, keyword: &str, alternatives: &[Value]) -> Option<Keywords> {
    let mut values = Vec::new();
    for alternative in alternatives.iter().filter(|alternative| !alternative.is_null()) {
        if alternative.get("type").is_some_and(|name| name != "string") {
            return None;
        }
        for value in alternative.get("enum")?.as_array()?.iter().filter(|value| !value.is_null()) {
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
