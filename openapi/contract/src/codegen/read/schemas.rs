//! Named schemas. Not supported: `not`, names that collide in Rust, and limits that no generated
//! type would keep.

use std::collections::BTreeMap;

use heck::ToUpperCamelCase;
use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{Names, Reader, patterns, text, union};
use crate::codegen::{
    model::{Integer, Kind, Number, Scalar, Schema, Text},
    names,
};

const SCHEMAS: &str = "/components/schemas";
const PATTERN_MESSAGE: &str = "x-pattern-message";

impl Reader<'_> {
    /// The named schemas, and the pointer of each.
    pub(super) fn schemas(&mut self) -> (Vec<Schema>, Vec<String>) {
        let mut taken: BTreeMap<String, &String> = BTreeMap::new();
        let mut schemas = Vec::new();
        let mut pointers = Vec::new();
        for (component, value) in self.members(SCHEMAS) {
            let at = join(SCHEMAS, component);
            let Some(schema) = value.as_object() else {
                continue;
            };
            let name = rust_name(component);
            if let Some(first) = taken.insert(name.clone(), component) {
                let problem =
                    format!("`{first}` and `{component}` would both be the Rust type `{name}`");
                self.report(&at, problem, "give one of them another name");
            }
            if let Some(kind) = self.kind(&at, component, schema) {
                let transitions = self.transitions(component, &kind);
                let description = text(schema, "description");
                schemas.push(Schema { name, description, kind, transitions });
                pointers.push(at);
            }
        }
        self.property_rules(&mut schemas, &pointers);
        self.check_unions(&schemas, &pointers);
        self.box_cycles(&mut schemas, &pointers);
        (schemas, pointers)
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
            Some("boolean") if schema.contains_key("enum") => self.constant(at, schema),
            Some("integer") => Some(self.integer_kind(at, schema)),
            Some("number") => Some(self.number_kind(at, schema)),
            Some("object") => self.object_kind(at, schema),
            other => {
                let problem = format!("a named schema of type {other:?} is not supported");
                self.report(at, problem, "write it where it is used");
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
            (&own.money, Scalar::Money),
            (&own.money_sum, Scalar::MoneySum),
            (&own.timestamp, Scalar::Timestamp),
            (&own.request_timestamp, Scalar::RequestTimestamp),
            (&own.cursor, Scalar::Cursor),
        ];
        let length = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        let mut text = Text {
            min_length: length("minLength").unwrap_or(0),
            max_length: length("maxLength"),
            pattern: self.pattern(at, schema),
            pattern_message: self.pattern_message(at, schema),
            known_values: Vec::new(),
        };
        if let Some((_, scalar)) = scalars.into_iter().find(|(name, _)| *name == component) {
            return Some(Kind::Scalar(scalar, text));
        }
        if schema.contains_key("enum") {
            self.report_other_keywords(at, schema, &["enum"]);
            return self.texts(&join(at, "enum")).map(Kind::Enum);
        }
        let known = ["format", "maxLength", "minLength", "pattern"];
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
        if schema.contains_key("x-known-values") {
            text.known_values = self.texts(&join(at, "x-known-values")).unwrap_or_default();
        }
        Some(Kind::Text(text))
    }

    /// Reads `x-transitions`, which has a row for each value of the set.
    fn transitions(&mut self, component: &str, kind: &Kind) -> Vec<(String, Vec<String>)> {
        let at = join(&join(SCHEMAS, component), "x-transitions");
        let values = match kind {
            Kind::Enum(values) => values.as_slice(),
            Kind::Text(text) => &text.known_values,
            _ => &[],
        };
        let rows = self.document.transitions(component);
        let named = rows.iter().flat_map(|(value, next)| next.iter().chain([value]));
        for unknown in named.filter(|name| !values.iter().any(|value| value == *name)) {
            let problem = format!("`{unknown}` is not a value of the set");
            self.report(&at, problem, "correct it, or add it to the set");
        }
        let has_row = |value: &String| rows.iter().any(|(from, _)| from == value);
        if !rows.is_empty()
            && let Some(missing) = values.iter().find(|value| !has_row(value))
        {
            let help = "add a row; `[]` for a value that nothing follows";
            self.report(&at, format!("`{missing}` has no row"), help);
        }
        let owned = |values: &Vec<&str>| values.iter().map(|value| (*value).to_owned()).collect();
        rows.iter().map(|(value, next)| ((*value).to_owned(), owned(next))).collect()
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

    fn pattern_message(&mut self, at: &str, schema: &Map<String, Value>) -> Option<String> {
        let message = schema.get(PATTERN_MESSAGE)?.as_str();
        if message.is_none() || !schema.contains_key("pattern") {
            let problem = format!("`{PATTERN_MESSAGE}` is a text beside a `pattern`");
            self.report(&join(at, PATTERN_MESSAGE), problem, "leave it out, or write both");
        }
        message.map(str::to_owned)
    }

    /// A list of texts whose names in Rust are distinct.
    fn texts(&mut self, at: &str) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        let mut names = Names::new(names::variant);
        for (index, value) in self.written(at)?.as_array()?.iter().enumerate() {
            let at = join(at, &index.to_string());
            let Some(text) = value.as_str() else {
                self.report(&at, "a value of a set of texts must be a text", "write a text");
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
        const BOUNDS: [&str; 6] =
            ["enum", "exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"];
        self.report_other_keywords(at, schema, &BOUNDS);
        let number = |member: &str| schema.get(member).and_then(Value::as_f64);
        let is_set = |member: &str| schema.get(member) == Some(&Value::Bool(true));
        Kind::Number(Number {
            minimum: number("minimum"),
            maximum: number("maximum"),
            excludes_minimum: is_set("exclusiveMinimum"),
            excludes_maximum: is_set("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            values: self.numbers(at, schema, Value::as_f64),
        })
    }

    fn integer_kind(&mut self, at: &str, schema: &Map<String, Value>) -> Kind {
        self.report_other_keywords(
            at,
            schema,
            &["default", "enum", "format", "maximum", "minimum", "multipleOf"],
        );
        let (min, max) = match schema.get("format").and_then(Value::as_str) {
            Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        let number = |member: &str| schema.get(member).and_then(Value::as_i64);
        let minimum = number("minimum").unwrap_or(min).max(min);
        let maximum = number("maximum").unwrap_or(max).min(max);
        let default = number("default");
        let values = self.numbers(at, schema, Value::as_i64);
        let multiple_of = number("multipleOf").filter(|step| *step > 0);
        if schema.contains_key("multipleOf") && multiple_of.is_none() {
            let problem = "`multipleOf` of an integer is a whole number above zero here";
            self.report(&join(at, "multipleOf"), problem, "write such a number, or leave it out");
        }
        let is_outside = |value: i64| {
            value < minimum
                || value > maximum
                || !(values.is_empty() || values.contains(&value))
                || multiple_of.is_some_and(|step| value % step != 0)
        };
        if minimum > maximum || default.is_some_and(is_outside) {
            let problem = "the bounds and the default contradict each other";
            self.report(at, problem, "let minimum <= default <= maximum");
        }
        Kind::Integer(Integer { minimum, maximum, default, multiple_of, values })
    }

    /// The values of a set of numbers.
    fn numbers<T>(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        read: fn(&Value) -> Option<T>,
    ) -> Vec<T> {
        let at = join(at, "enum");
        let mut numbers = Vec::new();
        for (index, value) in
            schema.get("enum").and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            match read(value) {
                Some(number) => numbers.push(number),
                None => {
                    let problem = format!("the value {value} does not have the type of the set");
                    self.report(
                        &join(&at, &index.to_string()),
                        problem,
                        "write a number of this type",
                    );
                }
            }
        }
        numbers
    }

    /// A boolean with one value.
    fn constant(&mut self, at: &str, schema: &Map<String, Value>) -> Option<Kind> {
        self.report_other_keywords(at, schema, &["enum"]);
        match schema.get("enum")?.as_array()?.as_slice() {
            [Value::Bool(value)] => Some(Kind::Constant(*value)),
            _ => {
                let problem = "a value set of a boolean has one value";
                self.report(&join(at, "enum"), problem, "leave it out, or write one boolean");
                None
            }
        }
    }
}

/// The name of the type: one that the generated code uses itself ends with `Schema`.
pub(super) fn rust_name(component: &str) -> String {
    let name = component.to_upper_camel_case();
    if names::is_reserved(&name) { format!("{name}Schema") } else { name }
}
