//! Named schemas. Not supported: `not`, names that collide in Rust, and limits that no generated
//! type would keep.

use heck::ToUpperCamelCase;
use openapi_document::pointer::join;
use serde_json::{Map, Value};
use strum::VariantArray as _;

use super::{Names, Reader, patterns, text, union};
use crate::codegen::{
    model::{Kind, Numbers, Scalar, Schema, Text},
    names,
};

const SCHEMAS: &str = "/components/schemas";
const PATTERN_MESSAGE: &str = "x-pattern-message";

impl Reader<'_> {
    /// The named schemas, and the pointer of each.
    pub(super) fn schemas(&mut self) -> (Vec<Schema>, Vec<String>) {
        let mut names = Names::new(rust_name, "the Rust type", "give one of them another name");
        let mut schemas = Vec::new();
        let mut pointers = Vec::new();
        for (component, value) in self.members(SCHEMAS) {
            let at = join(SCHEMAS, component);
            let Some(schema) = value.as_object() else {
                continue;
            };
            let name = rust_name(component);
            self.check_name(&mut names, &at, component);
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
        if schema.contains_key("not") {
            let problem = "`not` in a named schema is not supported";
            self.report(&join(at, "not"), problem, "write one schema with all its properties");
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

    fn text_kind(
        &mut self,
        at: &str,
        component: &str,
        schema: &Map<String, Value>,
    ) -> Option<Kind> {
        let length = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        let mut text = Text {
            min_length: length("minLength").unwrap_or(0),
            max_length: length("maxLength"),
            pattern: self.pattern(at, schema),
            pattern_message: self.pattern_message(at, schema),
            known_values: Vec::new(),
        };
        let mut scalars = Scalar::VARIANTS.iter();
        if let Some(scalar) = scalars.find(|scalar| self.config.scalar(**scalar) == component) {
            return Some(Kind::Scalar(*scalar, text));
        }
        if schema.contains_key("enum") {
            self.report_other_keywords(at, schema, &["enum"]);
            return self.texts(&join(at, "enum")).map(Kind::Enum);
        }
        let known = ["format", "maxLength", "minLength", "pattern"];
        self.report_other_keywords(at, schema, &known);
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

    fn texts(&mut self, at: &str) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        let mut names = Names::new(names::variant, "the variant", "rename or remove one of them");
        for (index, value) in self.written(at)?.as_array()?.iter().enumerate() {
            let at = join(at, &index.to_string());
            let Some(text) = value.as_str() else {
                self.report(&at, "a value of a set of texts must be a text", "write a text");
                continue;
            };
            self.check_name(&mut names, &at, text);
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
        Kind::Number(self.numbers(at, schema, Value::as_f64))
    }

    fn integer_kind(&mut self, at: &str, schema: &Map<String, Value>) -> Kind {
        self.report_other_keywords(
            at,
            schema,
            &["default", "enum", "format", "maximum", "minimum", "multipleOf"],
        );
        let mut rule = self.numbers(at, schema, Value::as_i64);
        if schema.get("format").is_some_and(|format| format == "int32") {
            let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
            rule.minimum = rule.minimum.max(Some(least));
            rule.maximum = Some(rule.maximum.map_or(most, |maximum| maximum.min(most)));
        }
        rule.multiple_of = rule.multiple_of.filter(|step| *step > 0);
        if schema.contains_key("multipleOf") && rule.multiple_of.is_none() {
            let problem = "`multipleOf` of an integer is a whole number above zero here";
            self.report(&join(at, "multipleOf"), problem, "write such a number, or leave it out");
        }
        let (least, most) = (rule.minimum.unwrap_or(i64::MIN), rule.maximum.unwrap_or(i64::MAX));
        let default = schema.get("default").and_then(Value::as_i64);
        let is_outside = |value: i64| {
            !(least..=most).contains(&value)
                || !(rule.values.is_empty() || rule.values.contains(&value))
                || rule.multiple_of.is_some_and(|step| value % step != 0)
        };
        if least > most || default.is_some_and(is_outside) {
            let problem = "the bounds and the default contradict each other";
            self.report(at, problem, "let minimum <= default <= maximum");
        }
        Kind::Integer(rule, default)
    }

    fn numbers<T>(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        read: fn(&Value) -> Option<T>,
    ) -> Numbers<T> {
        let number = |member: &str| schema.get(member).and_then(read);
        let is_set = |member: &str| schema.get(member) == Some(&Value::Bool(true));
        let mut values = Vec::new();
        let written = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        for (index, value) in written.enumerate() {
            values.extend(read(value));
            if read(value).is_none() {
                let at = join(&join(at, "enum"), &index.to_string());
                let problem = format!("the value {value} does not have the type of the set");
                self.report(&at, problem, "write a number of this type");
            }
        }
        Numbers {
            minimum: number("minimum"),
            maximum: number("maximum"),
            excludes_minimum: is_set("exclusiveMinimum"),
            excludes_maximum: is_set("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            values,
        }
    }

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
