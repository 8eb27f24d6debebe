//! The type of a property, an item or a parameter. Limits in place are not supported: a limited
//! value is a named schema, so that it is one type everywhere.

use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{Reader, component_of, schemas::rust_name, text};
use crate::codegen::model::Type;

/// A type and how it is used.
pub(super) struct Used {
    pub(super) value: Type,
    pub(super) nullable: bool,
    /// Its own description, or that of the schema it refers to.
    pub(super) description: String,
}

impl Used {
    /// The type of an item, of a value of a map, or of a body, which may be null itself.
    pub(super) fn in_a_whole(self) -> Type {
        match self.value {
            // Any value is null, too.
            Type::Any => Type::Any,
            value if self.nullable => Type::Nullable(Box::new(value)),
            value => value,
        }
    }
}

impl Reader<'_> {
    /// Reads the schema at a pointer, where a type is used.
    pub(super) fn property(&mut self, at: &str, value: &Value) -> Option<Used> {
        let schema = value.as_object()?;
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.named(at, reference);
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            return self.single(at, schema, parts);
        }
        if schema.contains_key("not") {
            let problem = "`not` is not supported: a Rust type has one shape";
            self.report(&join(at, "not"), problem, "write one schema, or two operations");
            return None;
        }
        let nullable = schema.get("nullable") == Some(&Value::Bool(true));
        let value = self.inline(at, schema)?;
        Some(Used { value, nullable, description: text(schema, "description") })
    }

    fn named(&mut self, at: &str, reference: &str) -> Option<Used> {
        let Some(component) = component_of(reference, "schemas") else {
            let help = "refer to `#/components/schemas/…`";
            self.report(at, format!("`{reference}` is not a named schema"), help);
            return None;
        };
        let schema = self.written(&join("/components/schemas", &component))?.as_object()?;
        Some(Used {
            value: Type::Named(rust_name(&component)),
            nullable: false,
            description: text(schema, "description"),
        })
    }

    /// `allOf` with one reference, which describes the reference, or makes it nullable.
    fn single(&mut self, at: &str, schema: &Map<String, Value>, parts: &[Value]) -> Option<Used> {
        let reference = parts.first()?.get("$ref")?.as_str()?;
        self.report_other_keywords(at, schema, &["allOf", "default", "nullable"]);
        self.report_another_type(at, schema, reference);
        let mut used = self.named(at, reference)?;
        used.nullable = schema.get("nullable") == Some(&Value::Bool(true));
        let own = text(schema, "description");
        if !own.is_empty() {
            used.description = own;
        }
        Some(used)
    }

    /// A `type` beside a reference must be that of the reference.
    fn report_another_type(&mut self, at: &str, schema: &Map<String, Value>, reference: &str) {
        let target = component_of(reference, "schemas")
            .and_then(|component| self.written(&join("/components/schemas", &component)));
        let meant = target.and_then(|target| target.get("type")).cloned();
        let Some(written) = schema.get("type").filter(|_| meant.is_some()) else {
            return;
        };
        if meant.as_ref() != Some(written) {
            self.report(
                &join(at, "type"),
                format!("`type: {written}` is not the type of `{reference}`"),
                "write the type of the schema that `allOf` names, or leave it out",
            );
        }
    }

    fn inline(&mut self, at: &str, schema: &Map<String, Value>) -> Option<Type> {
        match schema.get("type").and_then(Value::as_str) {
            None => {
                self.report_other_keywords(at, schema, &["nullable"]);
                Some(Type::Any)
            }
            Some("boolean") => {
                self.report_other_keywords(at, schema, &["default", "nullable"]);
                Some(Type::Boolean)
            }
            Some("string") => {
                self.report_limits(at, schema, &["default", "nullable"]);
                Some(Type::String)
            }
            Some("integer") => {
                self.report_limits(at, schema, &["default", "format", "nullable"]);
                let is_short = schema.get("format").and_then(Value::as_str) == Some("int32");
                Some(if is_short { Type::Integer32 } else { Type::Integer64 })
            }
            Some("number") => {
                self.report_limits(at, schema, &["default", "nullable"]);
                Some(Type::Number)
            }
            Some("array") => self.list(at, schema),
            Some(other) => {
                let problem = format!("the type `{other}` is not supported");
                self.report(at, problem, "an exact number is `#/components/schemas/Money`");
                None
            }
        }
    }

    fn report_limits(&mut self, at: &str, schema: &Map<String, Value>, known: &[&str]) {
        // `lower` has named the schemas with other limits.
        const LIMITS: [&str; 2] = ["format", "x-known-values"];
        let is_limit = |keyword: &&String| {
            LIMITS.contains(&keyword.as_str()) && !known.contains(&keyword.as_str())
        };
        let limits: Vec<&String> = schema.keys().filter(is_limit).collect();
        for limit in &limits {
            let problem =
                format!("`{limit}` in place is not supported: every use would be another type");
            let help = "name the schema under `components/schemas` and refer to it";
            self.report(&join(at, limit), problem, help);
        }
        let known: Vec<&str> =
            known.iter().copied().chain(limits.iter().map(|limit| limit.as_str())).collect();
        self.report_other_keywords(at, schema, &known);
    }

    fn list(&mut self, at: &str, schema: &Map<String, Value>) -> Option<Type> {
        self.report_other_keywords(
            at,
            schema,
            &["items", "maxItems", "minItems", "nullable", "uniqueItems"],
        );
        let at = join(at, "items");
        let items = self.property(&at, schema.get("items")?)?;
        self.report_property_keywords(&at);
        Some(Type::List {
            items: Box::new(items.in_a_whole()),
            min_items: schema.get("minItems").and_then(Value::as_u64).unwrap_or(0),
            max_items: schema.get("maxItems").and_then(Value::as_u64),
            unique: schema.get("uniqueItems") == Some(&Value::Bool(true)),
        })
    }
}
