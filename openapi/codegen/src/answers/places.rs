//! The places in a body that a newer server may change, found by its schema.

use std::collections::BTreeSet;

use openapi_document::{Document, pointer::join};
use serde::Serialize;
use serde_json::Value;

/// JSON pointers into a body.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Places {
    /// Objects with named properties, which may gain others.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    objects: BTreeSet<String>,
    /// Texts of a set of values, which may gain others.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    sets: BTreeSet<String>,
    /// Links, which lead to the server that answers.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    links: BTreeSet<String>,
}

impl Places {
    pub(super) fn of(document: &Document, schema: Option<&str>, body: &Value) -> Self {
        let mut places = Self::default();
        if let Some(schema) = schema {
            places.visit(document, schema, body, "");
        }
        places
    }

    fn visit(&mut self, document: &Document, schema: &str, value: &Value, at: &str) {
        let Ok(schema) = document.resolve(schema) else {
            return;
        };
        for combined in ["allOf", "oneOf", "anyOf"] {
            let schemas = schema.value.get(combined).and_then(Value::as_array);
            let list = join(&schema.pointer, combined);
            for index in 0..schemas.map_or(0, Vec::len) {
                self.visit(document, &join(&list, &index.to_string()), value, at);
            }
        }
        let has = |keyword| schema.value.get(keyword).is_some();
        match value {
            Value::String(_) if has("enum") || has("x-known-values") => {
                self.sets.insert(at.to_owned());
            }
            Value::String(_) if schema.value.get("format").is_some_and(|name| name == "uri") => {
                self.links.insert(at.to_owned());
            }
            Value::Object(members) => {
                if has("properties") {
                    self.objects.insert(at.to_owned());
                }
                let properties = join(&schema.pointer, "properties");
                for (name, member) in members {
                    let mut below = join(&properties, name);
                    if document.resolve(&below).is_err() {
                        below = join(&schema.pointer, "additionalProperties");
                    }
                    self.visit(document, &below, member, &join(at, name));
                }
            }
            Value::Array(items) => {
                let below = join(&schema.pointer, "items");
                for (index, item) in items.iter().enumerate() {
                    self.visit(document, &below, item, &join(at, &index.to_string()));
                }
            }
            _ => {}
        }
    }
}
