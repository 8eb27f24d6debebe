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
    /// Positions in a list, which are null on its last page.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    cursors: BTreeSet<String>,
}

impl Places {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Visits a value with each schema that it has to satisfy.
pub(super) struct Visitor<'d> {
    pub(super) document: &'d Document,
    pub(super) cursor: &'d str,
}

impl Visitor<'_> {
    pub(super) fn places(&self, schema: Option<&str>, body: &Value) -> Places {
        let mut places = Places::default();
        if let Some(schema) = schema {
            self.visit(schema, body, "", &mut places);
        }
        places
    }

    /// Returns true for the schema of cursors and for the one whose values may be null, too.
    fn is_cursor(&self, schema: &str) -> bool {
        let name = schema.strip_prefix("/components/schemas/").unwrap_or_default();
        name.strip_prefix("Nullable").unwrap_or(name) == self.cursor
    }

    fn visit(&self, schema: &str, value: &Value, at: &str, places: &mut Places) {
        let Ok(schema) = self.document.resolve(schema) else {
            return;
        };
        for combined in ["allOf", "oneOf", "anyOf"] {
            let schemas = schema.value.get(combined).and_then(Value::as_array);
            let list = join(&schema.pointer, combined);
            for index in 0..schemas.map_or(0, Vec::len) {
                self.visit(&join(&list, &index.to_string()), value, at, places);
            }
        }
        let has = |keyword| schema.value.get(keyword).is_some();
        match value {
            Value::String(_) if has("enum") || has("x-known-values") => {
                places.sets.insert(at.to_owned());
            }
            Value::String(_) if schema.value.get("format").is_some_and(|name| name == "uri") => {
                places.links.insert(at.to_owned());
            }
            Value::String(_) if self.is_cursor(&schema.pointer) => {
                places.cursors.insert(at.to_owned());
            }
            Value::Object(members) => {
                if has("properties") {
                    places.objects.insert(at.to_owned());
                }
                let properties = join(&schema.pointer, "properties");
                for (name, member) in members {
                    let mut below = join(&properties, name);
                    if self.document.resolve(&below).is_err() {
                        below = join(&schema.pointer, "additionalProperties");
                    }
                    self.visit(&below, member, &join(at, name), places);
                }
            }
            Value::Array(items) => {
                let below = join(&schema.pointer, "items");
                for (index, item) in items.iter().enumerate() {
                    self.visit(&below, item, &join(at, &index.to_string()), places);
                }
            }
            _ => {}
        }
    }
}
