//! The schemas of parameters, request bodies and responses, where each is written: shared ones
//! first.

use openapi_document::{Diagnostic, pointer::join};
use serde_json::{Map, Value};

use super::{
    Reader,
    bodies::rank,
    property_rules::OF_PROPERTIES,
    used::{Site, Use, Used},
};
use crate::codegen::{model::Format, names::words};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// A schema of a parameter or a body, and what is reported of it where it is read.
pub(super) struct Place {
    pub(super) used: Option<Used>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    pub(super) fn places(&mut self) {
        for (name, parameter) in self.members("/components/parameters") {
            let at = join("/components/parameters", name);
            self.parameter_at(&at, parameter, &format!("{name}-parameter"));
        }
        for section in ["/components/requestBodies", "/components/responses"] {
            for (name, owner) in self.members(section) {
                self.content(&join(section, name), owner, &format!("{name}-body"));
            }
        }
        for (path, item) in self.members("/paths").filter(|(path, _)| !path.starts_with("x-")) {
            self.parameters_of(&join("/paths", path), item, path);
            self.path_item(&join("/paths", path), item);
        }
        for (status, response) in self.members("/x-unrouted-responses") {
            let at = join("/x-unrouted-responses", status);
            self.content(&at, response, &format!("unrouted-{status}-body"));
        }
        self.header_places();
    }

    fn path_item(&mut self, at: &str, item: &Value) {
        let id = |operation: &Value| operation.get("operationId")?.as_str().map(str::to_owned);
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let (at, id) = (join(at, method), words(&id(operation).unwrap_or_default()));
            self.parameters_of(&at, operation, &id);
            if let Some(body) = operation.get("requestBody") {
                self.content(&join(&at, "requestBody"), body, &format!("{id}-request"));
            }
            let at = join(&at, "responses");
            let responses = || members(operation.get("responses"));
            let successes = responses().filter(|(status, _)| status.starts_with('2')).count();
            for (status, response) in responses() {
                let is_only = successes == 1 && status.starts_with('2');
                let status_name = if is_only { "" } else { status.as_str() };
                let hint = format!("{id}-response-body-{status_name}");
                self.content(&join(&at, status), response, &hint);
            }
        }
    }

    fn parameters_of(&mut self, at: &str, owner: &Value, id: &str) {
        let at = join(at, "parameters");
        let parameters = owner.get("parameters").and_then(Value::as_array).into_iter().flatten();
        for (index, parameter) in parameters.enumerate() {
            let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
            let hint = format!("{id}-{name}");
            self.parameter_at(&join(&at, &index.to_string()), parameter, &hint);
        }
    }

    fn parameter_at(&mut self, at: &str, parameter: &Value, hint: &str) {
        if let Some(schema) = parameter.get("schema") {
            let at = join(at, "schema");
            self.place(&at, schema, hint, Use::Parameter, &OF_PROPERTIES[1..]);
        }
        let at = join(at, "content");
        for (media_type, media) in members(parameter.get("content")) {
            if let Some(schema) = media.get("schema") {
                let at = join(&join(&at, media_type), "schema");
                self.place(&at, schema, hint, Use::Other, &[]);
            }
        }
    }

    /// The JSON, or the forms, of a body or a response. A second schema has its media type in its
    /// name.
    fn content(&mut self, at: &str, owner: &Value, hint: &str) {
        let at = join(at, "content");
        let read = members(owner.get("content")).filter_map(|(media_type, media)| {
            let is_read = !matches!(Format::of(media_type), Format::Text | Format::Bytes)
                || media_type == "*/*";
            Some((media_type, media.get("schema").filter(|_| is_read)?))
        });
        let mut read: Vec<_> = read.collect();
        read.sort_by_key(|(media_type, _)| rank(media_type));
        let first = read.first().map(|(_, schema)| *schema);
        for (media_type, schema) in read {
            let subtype = media_type.split(['/', ';']).nth(1).unwrap_or_default();
            let is_another = first.is_some_and(|first| first != schema);
            let hint = if is_another { format!("{hint}-{subtype}") } else { hint.to_owned() };
            let at = join(&join(&at, media_type), "schema");
            self.place(&at, schema, &hint, Use::Other, &OF_PROPERTIES);
        }
    }

    /// Reads a schema that has none of the keywords `without`.
    pub(super) fn place(
        &mut self,
        at: &str,
        schema: &Value,
        hint: &str,
        place: Use,
        without: &[&str],
    ) {
        let count = self.diagnostics.len();
        let used = self.used(Site::new(at, hint, place), schema);
        if let Some(used) = &used {
            self.report_elsewhere(used, without);
        }
        let diagnostics = self.diagnostics.split_off(count);
        self.places.insert(at.to_owned(), Place { used, diagnostics });
    }

    /// The type at a pointer; its diagnostics are reported where it is read first.
    pub(super) fn used_at(&mut self, at: &str) -> Option<Used> {
        let place = self.places.get_mut(at)?;
        self.diagnostics.append(&mut place.diagnostics);
        place.used.clone()
    }
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}
