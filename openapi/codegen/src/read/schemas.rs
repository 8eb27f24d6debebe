//! Named schemas. Not supported: `not`, names that collide in Rust, and limits that no generated
//! type would keep.

use std::collections::BTreeMap;

use heck::ToUpperCamelCase;
use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{Names, Reader, patterns, text, union};
use crate::{
    model::{Integer, Kind, Number, Schema, Text},
    names,
};

const SCHEMAS: &str = "/components/schemas";

impl Reader<'_> {
    pub(super) fn schemas(&mut self) -> Vec<Schema> {
        let mut taken: BTreeMap<String, &String> = BTreeMap::new();
        let mut schemas = Vec::new();
        let mut pointers = Vec::new();
        for (component, value) in self.members(SCHEMAS) {
            let at = join(SCHEMAS, component);
            let Some(schema) = value.as_object() else {
                continue;
            };
            let name = rust_name(component, schema);
            if let Some(problem) = names::collision(&name) {
                self.report(&at, format!("`{name}`: {problem}"), "give the schema another name");
            }
            if let Some(first) = taken.insert(name.clone(), component) {
                let problem =
                    format!("`{first}` and `{component}` would both be the Rust type `{name}`");
                self.report(&at, problem, "give one of them another name");
            }
            if let Some(kind) = self.kind(&at, component, schema) {
                schemas.push(Schema { name, description: text(schema, "description"), kind });
                pointers.push(at);
            }
        }
        self.property_rules(&mut schemas, &pointers);
        self.check_unions(&schemas, &pointers);
        self.check_alternatives(&schemas, &pointers);
        self.check_size(&schemas, &pointers);
        schemas
    }

    fn kind(&mut self, at: &str, component: &str, schema: &Map<String, Value>) -> Option<Kind> {
        if let Some(union) = union::of(schema) {
            return Some(Kind::Union(union));
        }
        if let Some(alternatives) = self.alternatives(at, schema) {
            return Some(Kind::Alternatives(alternatives));
        }
        if !self.is_plain(at, schema) {
            return None;
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("string") => self.text_kind(at, component, schema),
            Some("integer") => self.integer_kind(at, schema),
            Some("number") => Some(self.number_kind(at, schema)),
            Some("object") => self.object_kind(at, schema),
            Some(other) => {
                let problem = format!("a named schema of type `{other}` is not supported");
                self.report(at, problem, "write it where it is used");
                None
            }
            None => {
                self.report(
                    at,
                    "a named schema has no `type`",
                    "give it one: string, integer or object",
                );
                None
            }
        }
    }

    /// Reports references to references, and alternatives.
    fn is_plain(&mut self, at: &str, schema: &Map<String, Value>) -> bool {
        for keyword in ["$ref", "allOf", "anyOf", "not", "oneOf"] {
            if schema.contains_key(keyword) {
                let problem = format!("`{keyword}` in a named schema is not supported");
                self.report(
                    &join(at, keyword),
                    problem,
                    "write one schema with all its properties",
                );
                return false;
            }
        }
        true
    }

    fn text_kind(
        &mut self,
        at: &str,
        component: &str,
        schema: &Map<String, Value>,
    ) -> Option<Kind> {
        let own = &self.config.scalars;
        let scalars = [
            (&own.money, Kind::Money),
            (&own.timestamp, Kind::Timestamp),
            (&own.cursor, Kind::Cursor),
        ];
        if let Some((_, kind)) = scalars.into_iter().find(|(name, _)| *name == component) {
            return Some(kind);
        }
        if schema.contains_key("enum") {
            self.report_other_keywords(at, schema, &["enum", "nullable"]);
            return self.texts(&join(at, "enum")).map(Kind::Enum);
        }
        let known = ["format", "maxLength", "minLength", "nullable", "pattern"];
        self.report_other_keywords(at, schema, &known);
        if let Some(format) = schema.get("format").and_then(Value::as_str)
            && !matches!(format, "uri" | "email" | "password")
        {
            let problem =
                format!("the format `{format}` is not supported: the server would not validate it");
            let help =
                "an instant is `#/components/schemas/Timestamp`; for other texts write a `pattern`";
            self.report(&join(at, "format"), problem, help);
        }
        let known_values = match schema.contains_key("x-known-values") {
            true => self.texts(&join(at, "x-known-values")).unwrap_or_default(),
            false => Vec::new(),
        };
        Some(Kind::Text(Text {
            min_length: schema.get("minLength").and_then(Value::as_u64).unwrap_or(0),
            max_length: schema.get("maxLength").and_then(Value::as_u64),
            pattern: self.pattern(at, schema),
            known_values,
        }))
    }

    /// A pattern with the same meaning in ECMA 262, which OpenAPI requires, and in Rust.
    fn pattern(&mut self, at: &str, schema: &Map<String, Value>) -> Option<String> {
        let pattern = schema.get("pattern")?.as_str()?;
        let Some(translated) = patterns::in_rust(pattern) else {
            let problem = "this pattern may mean something else in Rust than in JavaScript";
            let help = "write classes out, such as [0-9] for \\d, and no back-references";
            self.report(&join(at, "pattern"), problem, help);
            return None;
        };
        Some(translated)
    }

    /// A list of texts whose names in Rust are distinct.
    fn texts(&mut self, at: &str) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        let mut names = Names::new(names::variant);
        for (index, value) in self.written(at)?.as_array()?.iter().enumerate() {
            let at = join(at, &index.to_string());
            let Some(text) = value.as_str().filter(|text| text.chars().any(char::is_alphanumeric))
            else {
                self.report(
                    &at,
                    "a value of a set must be a text with a letter or digit",
                    "write such a text",
                );
                continue;
            };
            if let Some((rust, first)) = names.collision(text) {
                let problem = format!("`{first}` and `{text}` would both be the variant `{rust}`");
                self.report(&at, problem, "rename or remove one of them");
            }
            texts.push(text.to_owned());
        }
        if texts.is_empty() {
            self.report(at, "the set is empty", "give it a value, or leave it out");
        }
        Some(texts)
    }

    fn number_kind(&mut self, at: &str, schema: &Map<String, Value>) -> Kind {
        const BOUNDS: [&str; 5] =
            ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "nullable"];
        self.report_other_keywords(at, schema, &BOUNDS);
        let number = |member: &str| schema.get(member).and_then(Value::as_f64);
        let is_set = |member: &str| schema.get(member) == Some(&Value::Bool(true));
        Kind::Number(Number {
            minimum: number("minimum"),
            maximum: number("maximum"),
            excludes_minimum: is_set("exclusiveMinimum"),
            excludes_maximum: is_set("exclusiveMaximum"),
        })
    }

    fn integer_kind(&mut self, at: &str, schema: &Map<String, Value>) -> Option<Kind> {
        self.report_other_keywords(
            at,
            schema,
            &["default", "format", "maximum", "minimum", "nullable"],
        );
        let format = schema.get("format").and_then(Value::as_str).unwrap_or("int64");
        let (min, max) = match format {
            "int32" => (i64::from(i32::MIN), i64::from(i32::MAX)),
            "int64" => (i64::MIN, i64::MAX),
            other => {
                let problem = format!("`{other}` is not a format of an integer");
                self.report(&join(at, "format"), problem, "write int32 or int64");
                return None;
            }
        };
        let number = |member: &str| schema.get(member).and_then(Value::as_i64);
        let minimum = number("minimum").unwrap_or(min).max(min);
        let maximum = number("maximum").unwrap_or(max).min(max);
        let default = number("default");
        if minimum > maximum || default.is_some_and(|value| value < minimum || value > maximum) {
            let problem = "the bounds and the default contradict each other";
            self.report(at, problem, "let minimum <= default <= maximum");
        }
        Some(Kind::Integer(Integer { minimum, maximum, format: format.to_owned(), default }))
    }
}

/// `NullableDomain` is the text `Domain`, and `NullableLabels` the map `Labels`; their uses are
/// nullable.
pub(super) fn rust_name(component: &str, schema: &Map<String, Value>) -> String {
    let is_nullable = schema.get("nullable") == Some(&Value::Bool(true));
    let name = component.strip_prefix("Nullable").filter(|name| is_nullable && !name.is_empty());
    let name = name.unwrap_or(component);
    // Where it is a type's name already, acronyms stay as they are.
    let is_type = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric());
    if is_type { name.to_owned() } else { name.to_upper_camel_case() }
}
