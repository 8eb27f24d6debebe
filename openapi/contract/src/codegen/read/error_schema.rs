//! The usual form of errors: the configured schema, else the one that most errors have, that a
//! problem can fill. A document without one gets a schema.

use std::{cmp::Reverse, collections::BTreeMap};

use openapi_document::{Document, pointer::join};
use serde_json::{Value, json};

use super::{Reader, SCHEMAS, bodies::json_of, component_of, used::Used};
use crate::codegen::{
    config::{Config, ErrorConfig},
    model::{ErrorForm, Fill, Member, Schema, Type},
};

/// The name of the schema for a document without one.
const FALLBACK: &str = "ServerError";
const JSON: &str = "application/json";

impl Reader<'_> {
    /// The first candidate that a problem can fill.
    pub(super) fn usual_error(&mut self, schemas: &mut Vec<Schema>) -> ErrorForm {
        let configured = self.name_of(&self.config.error.schema);
        // Name and media type, each with its pointer and how often it is used.
        let mut counts: BTreeMap<(String, String), (String, usize)> = BTreeMap::new();
        let operations = self.document.operations().iter();
        let responses = operations.flat_map(|operation| &operation.responses);
        for response in responses.filter(|response| !response.status.is_success()) {
            let Some(media) = json_of(&response.content) else { continue };
            let Some(at) = &media.schema_pointer else { continue };
            let read = self.places.get(at).and_then(|place| place.used.as_ref());
            if let Some(Used { value: Type::Named(name), .. }) = read {
                let key = (name.clone(), media.content_type.trim().to_owned());
                counts.entry(key).or_insert_with(|| (at.clone(), 0)).1 += 1;
            }
        }
        let mut candidates: Vec<_> = counts.into_iter().collect();
        candidates.sort_by_key(|((name, _), (_, count))| (*name != configured, Reverse(*count)));
        // The configured one, though no operation has it.
        let at = join(SCHEMAS, &self.config.error.schema);
        if self.written(&at).is_some() {
            candidates.push(((configured, JSON.to_owned()), (at, 0)));
        }
        for ((schema, media_type), (at, _)) in candidates {
            if let Ok(fill) = self.fill(schemas, &schema, &media_type, &at) {
                return ErrorForm::Json { media_type, schema, fill };
            }
        }
        let mut name = FALLBACK.to_owned();
        while schemas.iter().any(|schema| schema.name == name) {
            name.push_str("Body");
        }
        schemas.push(self.fallback(name.clone()));
        let members = vec![Member::Code, Member::Message, Member::Details];
        let fill = Fill::Members { object: name.clone(), members };
        ErrorForm::Json { media_type: JSON.to_owned(), schema: name, fill }
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
