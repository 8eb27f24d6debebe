//! The places outside of schemas that have schemas: parameters, request bodies, and responses.

use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{
    Lowering,
    schema::{Use, describe_default},
};

use crate::codegen::model::Format;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

impl Lowering<'_> {
    pub(super) fn places(&mut self, document: &mut Value) {
        for (section, suffix) in
            [("parameters", "-parameter"), ("requestBodies", "-body"), ("responses", "-body")]
        {
            let at = join("/components", section);
            for (name, value) in members(document.pointer_mut(&at)) {
                let at = join(&at, name);
                match section {
                    "parameters" => self.parameter(&at, value, &format!("{name}{suffix}")),
                    _ => self.content(&at, value, &format!("{name}{suffix}")),
                }
            }
        }
        for (path, item) in members(document.get_mut("paths")) {
            if !path.starts_with("x-") {
                self.path_item(&join("/paths", path), item);
            }
        }
        let at = "/x-unrouted-responses";
        for (status, response) in members(document.pointer_mut(at)) {
            self.content(&join(at, status), response, &format!("unrouted-{status}-body"));
        }
    }

    fn path_item(&mut self, at: &str, item: &mut Value) {
        let first = METHODS
            .iter()
            .find_map(|method| item.get(*method)?.get("operationId")?.as_str().map(str::to_owned));
        self.parameters(at, item, &first.unwrap_or_default());
        for method in METHODS {
            let Some(operation) = item.get_mut(method) else {
                continue;
            };
            let id = operation.get("operationId").and_then(Value::as_str);
            let id = id.unwrap_or_default().to_owned();
            let at = join(at, method);
            self.parameters(&at, operation, &id);
            if let Some(body) = operation.get_mut("requestBody") {
                self.content(&join(&at, "requestBody"), body, &format!("{id}-request"));
            }
            let at = join(&at, "responses");
            let responses: Vec<_> = members(operation.get_mut("responses")).collect();
            let successes = responses.iter().filter(|(status, _)| status.starts_with('2')).count();
            for (status, response) in responses {
                let is_only = successes == 1 && status.starts_with('2');
                let status_name = if is_only { "" } else { status.as_str() };
                let hint = format!("{id}-response-body-{status_name}");
                self.content(&join(&at, status), response, &hint);
            }
        }
    }

    fn parameters(&mut self, at: &str, owner: &mut Value, id: &str) {
        let at = join(at, "parameters");
        let parameters = owner.get_mut("parameters").and_then(Value::as_array_mut);
        for (index, parameter) in parameters.into_iter().flatten().enumerate() {
            let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
            let hint = format!("{id}-{name}");
            self.parameter(&join(&at, &index.to_string()), parameter, &hint);
        }
    }

    fn parameter(&mut self, at: &str, parameter: &mut Value, hint: &str) {
        let is_query = parameter.get("in").is_some_and(|location| location == "query");
        let is_required = parameter.get("required") == Some(&Value::Bool(true));
        if let Some(schema) = parameter.get_mut("schema") {
            *schema = self.used(&join(at, "schema"), schema.take(), hint, Use::Parameter);
            if let Value::Object(schema) = schema
                && (!is_query || is_required || !self.has_literal(schema))
            {
                describe_default(schema);
            }
        }
        let at = join(at, "content");
        for (media_type, media) in members(parameter.get_mut("content")) {
            if let Some(schema) = media.get_mut("schema") {
                let at = join(&join(&at, media_type), "schema");
                *schema = self.used(&at, schema.take(), hint, Use::Other);
            }
        }
    }

    /// The JSON, or the form, of a body or a response.
    fn content(&mut self, at: &str, owner: &mut Value, hint: &str) {
        let at = join(at, "content");
        for (media_type, media) in members(owner.get_mut("content")) {
            if !matches!(Format::of(media_type), Format::Json | Format::Form) {
                continue;
            }
            if let Some(schema) = media.get_mut("schema") {
                let at = join(&join(&at, media_type), "schema");
                *schema = self.used(&at, schema.take(), hint, Use::Other);
            }
        }
    }
}

fn members(value: Option<&mut Value>) -> impl Iterator<Item = (&String, &mut Value)> {
    value.and_then(Value::as_object_mut).into_iter().flat_map(Map::iter_mut)
}
