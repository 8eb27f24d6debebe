//! Named schemas. Not supported: `not`, names that collide in Rust, and limits that no generated
//! type would keep.

use std::collections::BTreeMap;

use openapi_document::pointer::join;
use openapi_formats::Format;
use proc_macro2::Ident;
use serde_json::Value;
use strum::VariantArray as _;

use super::{
    Keywords, Names, Reader, SCHEMAS,
    compose::{self, Combined},
    formats,
    null::without_null,
    objects::{MAX, MIN},
    patterns, text,
    used::describe_default,
    uses::drop_annotations,
};
use crate::codegen::{
    Config,
    model::{Counts, Kind, Numbers, Scalar, Schema, Text, Type},
    names,
};

const PATTERN_MESSAGE: &str = "x-pattern-message";

/// The names of a type, and of its rules in the client.
const TYPES: &[fn(&str) -> Ident] =
    &[|name| names::type_name(&rust_name(name)), |name| names::constant_name(&rust_name(name))];

/// The names of a value of a set in the server and in the client.
const VARIANTS: &[fn(&str) -> Ident] = &[names::type_name, names::open_variant];

impl Reader<'_> {
    /// The schemas that the document names and those that have got a name, with the pointer of
    /// each.
    pub(super) fn schemas(&mut self) -> (Vec<Schema>, Vec<String>) {
        let mut declared = Vec::new();
        for (written, value) in self.members(SCHEMAS) {
            let component = self.renamed.get(written).unwrap_or(written);
            let is_another =
                component != written && self.written(&join(SCHEMAS, component)).is_some();
            if value.is_object() && !is_another && !self.aliases.contains(written) {
                let at = join(SCHEMAS, written);
                let component = self.config.names.get(&at).unwrap_or(component).clone();
                let camel = names::upper_camel(&component);
                let schema = without_null(self.document, value);
                let schema = self.declared(&at, &component, &camel, schema);
                declared.push((component, at, schema));
            }
        }
        self.places();
        declared.append(&mut self.added);
        let mut names = Names::new(TYPES, "the Rust type", "give one of them another name");
        let (mut schemas, mut pointers) = (Vec::new(), Vec::new());
        for (component, at, schema) in declared {
            self.check_name(&mut names, &at, &component);
            if let Some(schema) = schema {
                schemas.push(schema);
                pointers.push(at);
            }
        }
        self.property_rules(&mut schemas, &pointers);
        describe_fields(&mut schemas);
        self.check_unions(&schemas, &pointers);
        self.box_cycles(&mut schemas, &pointers);
        (schemas, pointers)
    }

    /// Reads a schema that has a name, which is `camel` in the names of schemas inside of it.
    pub(super) fn declared(
        &mut self,
        at: &str,
        component: &str,
        camel: &str,
        mut schema: Keywords,
    ) -> Option<Schema> {
        drop_annotations(&mut schema);
        if compose::keyword(&schema).is_some() {
            let count = self.diagnostics.len();
            match self.combined(at, &schema, camel) {
                Some(Combined::Schema(combined)) => schema = combined,
                Some(Combined::Kind(kind)) => {
                    if matches!(kind, Kind::Alternatives(_)) {
                        let known = compose::keyword(&schema).into_iter().collect::<Vec<_>>();
                        self.report_other_keywords(at, &schema, &known);
                    }
                    return Some(self.schema(at, component, &schema, kind));
                }
                None => {
                    self.report_composition(at, &schema, " in a named schema", count);
                    return Some(self.schema(at, component, &schema, Kind::ValueMap));
                }
            }
        }
        formats::infer_type(&mut schema);
        formats::drop_without_effect(&mut schema);
        if schema.contains_key("not") {
            let problem = "`not` in a named schema is not supported";
            self.report(&join(at, "not"), problem, "write one schema with all its properties");
            return None;
        }
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("string") => self.text_kind(at, component, &mut schema),
            Some("boolean") => self.constant(at, &schema),
            Some("integer") => Some(self.integer_kind(at, &mut schema)),
            Some("number") => Some(self.number_kind(at, &mut schema)),
            _ => self.object_kind(at, &mut schema, camel),
        };
        Some(self.schema(at, component, &schema, kind?))
    }

    pub(super) fn schema(
        &mut self,
        at: &str,
        component: &str,
        schema: &Keywords,
        kind: Kind,
    ) -> Schema {
        let transitions = self.transitions(at, schema, &kind);
        let (name, description) = (rust_name(component), text(schema, "description"));
        let count = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        let counts = Counts { min: count(MIN).unwrap_or(0), max: count(MAX) };
        let pointer = at.to_owned();
        Schema { name, description, pointer, kind, transitions, counts, same_as: None }
    }

    fn text_kind(&mut self, at: &str, component: &str, schema: &mut Keywords) -> Option<Kind> {
        let mut scalars = Scalar::VARIANTS.iter();
        let scalar = scalars.find(|scalar| self.config.scalar(**scalar) == component);
        let format = schema.shift_remove("format");
        // These types have a format of their own.
        let is_own = matches!(scalar, Some(Scalar::Money | Scalar::Timestamp | Scalar::Cursor));
        let format = format.filter(|_| !is_own);
        let format = format.as_ref().and_then(Value::as_str).and_then(Format::named);
        if !is_own {
            describe_default(schema);
        }
        let length = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        let mut text = Text {
            min_length: length("minLength").unwrap_or(0),
            max_length: length("maxLength"),
            pattern: self.pattern(at, schema),
            pattern_message: self.pattern_message(at, schema),
            format: format.map(|format| format.name.to_owned()),
            known_values: Vec::new(),
        };
        if let Some(scalar) = scalar {
            return Some(Kind::Scalar(*scalar, text));
        }
        if let Some(values) = schema.get("enum") {
            self.report_other_keywords(at, schema, &["enum"]);
            return self.texts(&join(at, "enum"), values).map(Kind::Enum);
        }
        let known = ["format", "maxLength", "minLength", "pattern"];
        self.report_other_keywords(at, schema, &known);
        if let Some(values) = schema.get("x-known-values") {
            text.known_values = self.texts(&join(at, "x-known-values"), values).unwrap_or_default();
        }
        Some(Kind::Text(text))
    }

    /// Reads `x-transitions`, which has a row for each value of the set.
    fn transitions(
        &mut self,
        at: &str,
        schema: &Keywords,
        kind: &Kind,
    ) -> Vec<(String, Vec<String>)> {
        let at = join(at, "x-transitions");
        let values = match kind {
            Kind::Enum(values) => values.as_slice(),
            Kind::Text(text) => &text.known_values,
            _ => &[],
        };
        let rows = schema.get("x-transitions").and_then(Value::as_object).into_iter().flatten();
        let rows: Vec<_> = rows.map(|(value, next)| (value.clone(), texts_of(next))).collect();
        let named = rows.iter().flat_map(|(value, next)| next.iter().chain([value]));
        for unknown in named.filter(|name| !values.contains(name)) {
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
        rows
    }

    /// A pattern with the same meaning in ECMA 262, which OpenAPI requires, and in Rust.
    fn pattern(&mut self, at: &str, schema: &Keywords) -> Option<String> {
        let pattern = schema.get("pattern")?.as_str()?;
        let Some(translated) = patterns::in_rust(pattern) else {
            let problem = "this pattern may mean something else in Rust than in JavaScript";
            let help = "write classes out, such as [0-9] for \\d, and no back-references";
            self.report(&join(at, "pattern"), problem, help);
            return None;
        };
        Some(translated)
    }

    fn pattern_message(&mut self, at: &str, schema: &Keywords) -> Option<String> {
        let message = schema.get(PATTERN_MESSAGE)?.as_str();
        if message.is_none() || !schema.contains_key("pattern") {
            let problem = format!("`{PATTERN_MESSAGE}` is a text beside a `pattern`");
            self.report(&join(at, PATTERN_MESSAGE), problem, "leave it out, or write both");
        }
        message.map(str::to_owned)
    }

    fn texts(&mut self, at: &str, values: &Value) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        let mut names = Names::new(VARIANTS, "the variant", "rename or remove one of them");
        for (index, value) in values.as_array()?.iter().enumerate() {
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

    fn number_kind(&mut self, at: &str, schema: &mut Keywords) -> Kind {
        formats::plain_number(schema);
        describe_default(schema);
        const BOUNDS: [&str; 6] =
            ["enum", "exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"];
        self.report_other_keywords(at, schema, &BOUNDS);
        Kind::Number(self.numbers(at, schema, Value::as_f64))
    }

    fn integer_kind(&mut self, at: &str, schema: &mut Keywords) -> Kind {
        formats::bound_integer(schema);
        self.report_other_keywords(
            at,
            schema,
            &["default", "enum", "format", "maximum", "minimum", "multipleOf"],
        );
        let mut rule = self.numbers(at, schema, Value::as_i64);
        for bound in ["minimum", "maximum"] {
            if schema.get(bound).is_some_and(|written| written.as_i64().is_none()) {
                let problem = format!("`{bound}` excludes every whole number of 64 bits");
                self.report(&join(at, bound), problem, "correct it, or send the number as a text");
            }
        }
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
        schema: &Keywords,
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

    fn constant(&mut self, at: &str, schema: &Keywords) -> Option<Kind> {
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

/// A field without a description has that of its schema.
fn describe_fields(schemas: &mut [Schema]) {
    let texts: BTreeMap<String, String> =
        schemas.iter().map(|schema| (schema.name.clone(), schema.description.clone())).collect();
    for schema in schemas {
        let Kind::Object(object) = &mut schema.kind else { continue };
        for field in object.fields.iter_mut().filter(|field| field.description.is_empty()) {
            if let Type::Named(name) = &field.value {
                field.description = texts.get(name).cloned().unwrap_or_default();
            }
        }
    }
}

fn texts_of(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

impl Reader<'_> {
    /// See [`name_of`].
    pub(super) fn name_of(&self, component: &str) -> String {
        name_of(self.config, component)
    }
}

/// The name of a component's type: that of the configuration, if it has one.
pub(in crate::codegen) fn name_of(config: &Config, component: &str) -> String {
    let chosen = config.names.get(&join(SCHEMAS, component));
    rust_name(chosen.map_or(component, String::as_str))
}

/// The name of the type: one that the generated code uses itself ends with `Schema`.
pub(super) fn rust_name(component: &str) -> String {
    let name = names::upper_camel(component);
    if names::is_reserved(&name) { format!("{name}Schema") } else { name }
}
