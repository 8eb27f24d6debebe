//! A schema where it is used: a reference, a single value or a list in place, or another schema in
//! place, which gets a name by its path.

use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{
    Keywords, Reader, SCHEMAS, component,
    compose::{self, Combined},
    formats,
    null::{meaning, without_null},
    property_rules::OF_PROPERTIES,
    schemas::rust_name,
    text,
    used::{Site, Use, Used, describe_default},
};
use crate::codegen::{
    config::Scalar,
    model::{Kind, Type},
    names,
};

/// These say nothing of a value, and no generated type keeps them.
const ANNOTATIONS: [&str; 5] = ["deprecated", "externalDocs", "readOnly", "writeOnly", "xml"];
/// The limits of a text that make it a type of its own.
const LIMITS: [&str; 4] = ["maxLength", "minLength", "pattern", "x-known-values"];

impl Reader<'_> {
    /// Reads a schema where it is used; none where it has no type, which is reported.
    pub(super) fn used(&mut self, mut site: Site<'_>, schema: &Value) -> Option<Used> {
        let may_be_null = matches!(site.place, Use::Property | Use::Other);
        if may_be_null && self.document.names_null(schema) {
            if self.document.is_null_alone(schema) {
                let help = "leave it out, or write a type that may be null";
                self.report(site.at, "a value that is always null has no Rust type", help);
                return Some(Used::new(site, Type::Any, &Map::new()));
            }
            site.is_nullable = self.document.admits_null(schema);
        }
        let mut used = self.written_use(site, schema)?;
        if site.place.has_default() && (used.nullable || !used.has_literal) {
            used.describe_default();
        }
        Some(used)
    }

    /// Reads the schema of an item, an alternative or a value of a map.
    pub(super) fn whole(&mut self, site: Site<'_>, schema: &Value) -> Option<Type> {
        let used = self.used(site, schema)?;
        self.report_elsewhere(&used, &OF_PROPERTIES);
        Some(used.in_a_whole())
    }

    pub(super) fn written_use(&mut self, site: Site<'_>, schema: &Value) -> Option<Used> {
        let mut schema = schema.is_object().then(|| without_null(self.document, schema))?;
        if schema.contains_key("$ref") {
            return self.reference(site, &schema);
        }
        drop_annotations(&mut schema);
        if let Some(part) = compose::only_part(&schema) {
            return self.only_part(site, schema, part);
        }
        if compose::keyword(&schema).is_some() {
            return Some(self.composed(site, schema));
        }
        let is_object = formats::type_of(&schema) == Some("object");
        formats::infer_type(&mut schema);
        formats::drop_without_effect(&mut schema);
        let is_named = match schema.get("type").and_then(Value::as_str) {
            _ if is_object || schema.contains_key("enum") => true,
            Some("string") => {
                if let Some(format) = formats::of_text(&schema) {
                    // The same schema for all texts with this format.
                    let kept = ["default", "format", "type"];
                    schema.retain(|keyword, _| kept.contains(&keyword.as_str()));
                    let hint = &format!("{}-text", format.name);
                    return Some(self.named(Site { hint, ..site }, schema, None));
                }
                LIMITS.iter().any(|limit| schema.contains_key(*limit))
            }
            Some("integer") => {
                formats::bound_integer(&mut schema);
                let is_default = site.place == Use::Parameter && schema.contains_key("default");
                formats::is_bounded(&schema) || is_default
            }
            Some("number") => {
                formats::plain_number(&mut schema);
                formats::is_bounded(&schema)
            }
            _ => false,
        };
        match is_named {
            true => Some(self.named(site, schema, None)),
            false => self.in_place(site, schema),
        }
    }

    fn composed(&mut self, site: Site<'_>, mut schema: Keywords) -> Used {
        let count = self.diagnostics.len();
        match self.combined(site.at, &schema, site.hint) {
            Some(Combined::Schema(combined)) => self.named(site, combined, None),
            Some(Combined::Kind(kind)) => {
                schema.shift_remove("type");
                self.named(site, schema, Some(kind))
            }
            None => {
                self.report_composition(site.at, &schema, "", count);
                Used::new(site, Type::Any, &Map::new())
            }
        }
    }

    /// A list, text, number, boolean, or any value.
    fn in_place(&mut self, site: Site<'_>, mut schema: Keywords) -> Option<Used> {
        let at = site.at;
        if schema.contains_key("not") {
            let problem = "`not` is not supported: a Rust type has one shape";
            self.report(&join(at, "not"), problem, "write one schema, or two operations");
            return None;
        }
        let name = schema.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let known: &[&str] = match name.as_str() {
            "array" => &["items", "maxItems", "minItems", "nullable", "uniqueItems"],
            "integer" => &["default", "format", "nullable"],
            "" => &["nullable"],
            _ => &["default", "nullable"],
        };
        let has_default = name == "boolean" || site.place.has_default();
        if !known.contains(&"default") || !has_default {
            describe_default(&mut schema);
        }
        match name.as_str() {
            "integer" | "number" => self.report_limits(at, &schema, known),
            _ => {
                // Any other format is only a hint.
                schema.retain(|keyword, _| keyword != "format" || name.is_empty());
                self.report_other_keywords(at, &schema, known);
            }
        }
        let value = match name.as_str() {
            "boolean" => Type::Boolean,
            "string" => Type::String,
            "integer" if schema.get("format").is_some_and(|it| it == "int32") => Type::Integer32,
            "integer" => Type::Integer64,
            "number" => Type::Number,
            "array" => self.list(at, &schema, site.hint)?,
            _ => Type::Any,
        };
        let default = schema.get("default");
        let mut used = Used::new(site, value, &schema);
        used.has_literal = default.is_none_or(|default| is_literal(&schema, default));
        used.text = (used.value == Type::String).then_some(schema);
        Some(used)
    }

    fn list(&mut self, at: &str, schema: &Keywords, hint: &str) -> Option<Type> {
        let (at, hint) = (join(at, "items"), format!("{hint}-item"));
        let items = self.whole(Site::new(&at, &hint, Use::Other), schema.get("items")?)?;
        Some(Type::List {
            items: Box::new(items),
            min_items: schema.get("minItems").and_then(Value::as_u64).unwrap_or(0),
            max_items: schema.get("maxItems").and_then(Value::as_u64),
            unique: schema.get("uniqueItems") == Some(&Value::Bool(true)),
        })
    }

    /// Reports limits of a value in place: a limited value has a name, so that it is one type
    /// everywhere.
    fn report_limits(&mut self, at: &str, schema: &Keywords, known: &[&str]) {
        // Schemas with other limits have got names.
        let limits = ["format", "x-known-values"].into_iter();
        let limits = limits.filter(|limit| schema.contains_key(*limit) && !known.contains(limit));
        let limits: Vec<&str> = limits.collect();
        for limit in &limits {
            let problem =
                format!("`{limit}` in place is not supported: every use would be another type");
            let help = "name the schema under `components/schemas` and refer to it";
            self.report(&join(at, limit), problem, help);
        }
        self.report_other_keywords(at, schema, &[known, &limits].concat());
    }

    /// A schema that needs a name; unions come with their kind.
    fn named(&mut self, site: Site<'_>, mut schema: Keywords, kind: Option<Kind>) -> Used {
        let Site { at, hint, place, is_nullable } = site;
        let name = schema.get("type").and_then(Value::as_str);
        let is_object = name == Some("object");
        // A named whole number has its default itself, for parameters.
        let keeps_default = place == Use::Parameter && name == Some("integer");
        let mut siblings = Map::new();
        if !keeps_default
            && let Some((keyword, default)) = schema.shift_remove_entry("default")
            && place.has_default()
            && !is_object
            && !is_nullable
        {
            siblings.insert(keyword, default);
        }
        let has_literal = siblings.get("default").is_none_or(|it| is_literal_of(&schema, it));
        let value = Type::Named(self.name(at, hint, schema, kind));
        Used { has_literal, ..Used::new(site, value, &siblings) }
    }

    /// A reference; an alias is written out.
    fn reference(&mut self, site: Site<'_>, schema: &Keywords) -> Option<Used> {
        let component = component(schema);
        if let Some(name) = component.as_ref().filter(|name| !self.aliases.contains(*name)) {
            return Some(self.named_reference(site, name, schema));
        }
        // One step, so that a chain of names is followed name by name.
        let (to, written) = match &component {
            Some(name) => {
                let to = join(SCHEMAS, name);
                let written = self.written(&to)?;
                (to, written)
            }
            None => {
                let document = self.document;
                let target = document.resolve(site.at).ok()?;
                (target.pointer, target.value)
            }
        };
        if self.expanding.contains(&to) {
            let help = "name an object in between";
            self.report(site.at, "the schema contains itself", help);
            return Some(Used::new(site, Type::Any, &Map::new()));
        }
        self.expanding.push(to.clone());
        let hint = component.map_or_else(|| site.hint.to_owned(), |name| names::upper_camel(&name));
        let used = self.written_use(site.part(&to, &hint), written);
        self.expanding.pop();
        used.map(|used| Used { nullable: site.is_nullable, ..used })
    }

    fn named_reference(&mut self, site: Site<'_>, name: &str, schema: &Keywords) -> Used {
        let mut used = Used::new(site, Type::Named(self.name_of(name)), schema);
        used.description.clear();
        if site.is_nullable {
            self.report_beside_reference(site.at, &used.keywords);
            used.keywords.clear();
        } else if site.place.has_default() {
            used.keywords.shift_remove("default");
        }
        used.is_reference = !site.is_nullable;
        if let Some(renamed) = self.renamed.get(name) {
            let written = self.written(&join(SCHEMAS, name)).and_then(Value::as_object);
            used.description = written.map(|it| text(it, "description")).unwrap_or_default();
            used.value = Type::Named(self.name_of(renamed));
        }
        used
    }

    /// A component, with what is said beside the reference.
    pub(super) fn beside(&self, site: Site<'_>, name: &str, schema: &Keywords) -> Used {
        let used = Used::new(site, Type::Named(self.name_of(name)), schema);
        let has_own_form =
            [Scalar::Timestamp, Scalar::Cursor].map(|it| self.config.scalar(it)).contains(&name);
        let named = self.component(name).filter(|_| !has_own_form);
        let has_literal = used
            .keywords
            .get("default")
            .is_none_or(|default| named.is_some_and(|named| is_literal_of(&named, default)));
        Used { has_literal, ..used }
    }

    /// Names a schema that is written in place, by its path or by the configuration. The same
    /// schema has the same type at several places; another one of the name is reported.
    fn name(&mut self, at: &str, hint: &str, schema: Keywords, kind: Option<Kind>) -> String {
        let pointer = self.document.origin(at);
        let chosen = self.config.names.get(&pointer);
        let hint = chosen.map_or(hint, String::as_str);
        // Twice, because `a-b` becomes `AB` and then `Ab`.
        let name = names::upper_camel(&names::upper_camel(hint));
        let written = meaning(schema.clone());
        if let Some((known, first)) = self.names.get(&name) {
            if *known != written {
                let first = self.document.place(first);
                let problem = format!(
                    "this schema in place would be the type `{name}`, and so would the one at \
                     {first}"
                );
                let help = format!(
                    "name one under `components/schemas`, or write `names = {{ {pointer:?} = \
                     \"{name}Other\" }}` in contract.toml"
                );
                self.report_collision(at, problem, help);
            }
            return rust_name(&name);
        }
        self.names.insert(name.clone(), (written, at.to_owned()));
        let schema = match kind {
            Some(kind) => Some(self.schema(at, &name, &schema, kind)),
            None => self.declared(at, &name, &name, schema),
        };
        let rust = rust_name(&name);
        self.added.push((name, at.to_owned(), schema));
        rust
    }
}

pub(super) fn drop_annotations(schema: &mut Keywords) {
    schema.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
}

/// Returns true if Rust can write the default of a schema of this type. One of another type is
/// reported where it is read.
fn is_literal(schema: &Keywords, default: &Value) -> bool {
    match schema.get("type").and_then(Value::as_str) {
        // `1.0` is a whole number, but no literal of one.
        Some("integer") => default.is_i64() || !default.is_number(),
        Some("boolean" | "number" | "string") | None => true,
        Some(_) => false,
    }
}

/// Like `is_literal`, for a schema that becomes a named type.
fn is_literal_of(schema: &Keywords, default: &Value) -> bool {
    let others = ["additionalProperties", "allOf", "anyOf", "nullable", "oneOf", "properties"];
    is_literal(schema, default) && !others.iter().any(|keyword| schema.contains_key(*keyword))
}
