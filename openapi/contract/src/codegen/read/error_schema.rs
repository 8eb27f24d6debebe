//! The schema of errors: the configured one, else the one that most errors have, that a problem can
//! fill. A document without one gets a schema.

use std::collections::BTreeMap;

use openapi_document::Document;
use serde_json::{Value, json};

use super::{Reader, component, component_of, schemas::rust_name, used::Used};
use crate::codegen::{
    config::{Config, ErrorConfig},
    model::{Field, Kind, Object, Schema, Text, Type, kind, object},
};

/// The name of the schema for a document without one.
const FALLBACK: &str = "ServerError";

impl Reader<'_> {
    /// The name in Rust of the first candidate that a problem can fill.
    pub(super) fn error_schema(&mut self, schemas: &mut Vec<Schema>) -> String {
        let configured = &rust_name(&self.config.error.schema);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let responses =
            self.document.operations().iter().flat_map(|operation| &operation.responses);
        for response in responses.filter(|response| !response.status.is_success()) {
            for pointer in response.content.iter().filter_map(|media| media.schema_pointer.as_ref())
            {
                let read = self.places.get(pointer).and_then(|place| place.used.as_ref());
                let written = self.written(pointer).and_then(Value::as_object).and_then(component);
                let name = match read {
                    Some(Used { value: Type::Named(name), nullable: false, .. }) => name.clone(),
                    _ => written.map(|name| rust_name(&name)).unwrap_or_default(),
                };
                *counts.entry(name).or_default() += 1;
            }
        }
        // The configured one first, unless only others are used.
        let first = counts.contains_key(configured).then_some(configured);
        let mut candidates: Vec<(&String, &usize)> = counts.iter().collect();
        candidates.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let found = candidates.into_iter().map(|(name, _)| name);
        let mut names = first.into_iter().chain(found).chain([configured]);
        if let Some(name) = names.find(|name| self.is_fillable(schemas, name)) {
            return name.clone();
        }
        let mut name = FALLBACK.to_owned();
        while schemas.iter().any(|schema| schema.name == name) {
            name.push_str("Body");
        }
        schemas.push(self.fallback(name.clone()));
        name
    }

    fn fallback(&mut self, name: String) -> Schema {
        let ErrorConfig { code, message, details, .. } = &self.config.error;
        let text = json!({ "type": "string" });
        let schema = json!({
            "description": "An error of the server; the document has no schema for all errors.",
            "type": "object",
            "required": [code, message],
            "properties": { code: text, message: text, details: {} },
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        let read = self.declared("", &name, &name, schema).expect("it is an object of texts");
        Schema { name, ..read }
    }

    fn is_fillable(&self, schemas: &[Schema], name: &str) -> bool {
        let Some(error) = object(schemas, name) else { return false };
        // An object that only wraps the error, or a list of errors.
        let wrapped = error.wrapped(schemas).map(|(_, _, inner)| inner);
        [Some(error), wrapped].into_iter().flatten().any(|error| self.is_filled(schemas, error))
    }

    fn is_filled(&self, schemas: &[Schema], object: &Object) -> bool {
        let error = &self.config.error;
        let is_text = |field: &Field| match &field.value {
            Type::Named(name) => {
                matches!(kind(schemas, name), Some(Kind::Text(_) | Kind::Scalar(..)))
            }
            value => *value == Type::String,
        };
        let is_number = |field: &Field| {
            matches!(field.value, Type::Integer32 | Type::Integer64) && field.default.is_none()
        };
        // Rust's own default is a value of the type.
        let has_default = |field: &Field| match &field.value {
            Type::Named(name) => match kind(schemas, name) {
                Some(Kind::Text(text) | Kind::Scalar(_, text)) => {
                    *text == Text { max_length: text.max_length, ..Text::default() }
                }
                _ => false,
            },
            Type::String | Type::Boolean | Type::Number => field.default.is_none(),
            _ => is_number(field),
        };
        let is_filled = |field: &Field| {
            if field.name == error.message {
                is_text(field) && !field.nullable
            } else if field.name == error.code {
                // The status, where it is a number.
                !field.required || !field.nullable && (is_number(field) || is_text(field))
            } else if field.name == error.details {
                field.value == Type::Any && !field.required
            } else {
                !field.required || !field.nullable && has_default(field)
            }
        };
        object.fields.iter().any(|field| field.name == error.message)
            && object.fields.iter().all(is_filled)
    }
}

/// The schema of the details of each code: `x-by-code` of an error's details.
pub(crate) fn details_by_code(document: &Document, config: &Config) -> Vec<(String, String)> {
    let schemas = document.value()["components"]["schemas"].as_object().into_iter().flatten();
    let by_code = schemas.filter_map(|(_, schema)| {
        schema["properties"][&config.error.details]["x-by-code"].as_object()
    });
    let entry = |(code, schema): (&String, &Value)| {
        Some((code.clone(), component_of(schema["$ref"].as_str()?, "schemas")?))
    };
    by_code.flatten().filter_map(entry).collect()
}
