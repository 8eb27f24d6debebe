//! Every documented answer of each operation as JSON, for servers that stand in for the real one in
//! tests: status, headers and body, and the places in a body that a newer server may change.
//!
//! Examples of the document come first. What has none is made from its schema; whatever does not
//! satisfy its schema is a diagnostic, so every answer in the file is valid.

mod places;
mod sample;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use openapi_document::{
    Diagnostic, Direction, Document, Header, MediaType, Operation, Response, pointer::join,
};
use serde::Serialize;
use serde_json::Value;

use self::places::{Places, Visitor};
use crate::codegen::{
    config::ErrorConfig,
    model::{self, Model, Scalar},
    read::{details_by_code, json_of},
};

/// The file: operations refer to responses by name, so a shared response is written once.
#[derive(Serialize)]
struct File {
    generated: String,
    operations: BTreeMap<String, OperationAnswers>,
    /// The responses outside of every operation, by status.
    unrouted: BTreeMap<u16, String>,
    responses: BTreeMap<String, ResponseAnswers>,
}

#[derive(Serialize)]
struct OperationAnswers {
    method: String,
    path: String,
    /// The name of the response of each status.
    responses: BTreeMap<u16, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResponseAnswers {
    headers: BTreeMap<String, String>,
    /// Those that a response may lack.
    optional_headers: BTreeMap<String, String>,
    media_type: Option<String>,
    /// At least one.
    bodies: Vec<Body>,
}

#[derive(Default, Serialize)]
struct Body {
    /// The name of the document's example; none where the schema made the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
    /// Of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    body: Value,
    #[serde(skip_serializing_if = "Places::is_empty")]
    places: Places,
}

/// The text of the file, for the document as written: the one that `read` rewrites lacks formats.
/// Deterministic.
pub(super) fn generate(model: &Model, document: &Document) -> Result<String, Vec<Diagnostic>> {
    let mut writer = Writer {
        document,
        error: &model.config.error,
        details: details_by_code(document, &model.config).into_iter().collect(),
        visitor: Visitor { document, cursor: model.config.scalar(Scalar::Cursor) },
        responses: BTreeMap::new(),
        diagnostics: Vec::new(),
    };
    let mut operations = BTreeMap::new();
    for operation in &model.operations {
        let documented = document.operations().iter().find(|known| known.id == operation.id);
        let documented = documented.expect("the model has operations of the document alone");
        operations.insert(operation.id.clone(), writer.operation(operation, documented));
    }
    let unrouted = document.unrouted_responses().iter().filter_map(|response| {
        let status = response.status.to_string().parse().ok()?;
        Some((status, writer.response(response, &format!("unrouted {status}"))))
    });
    let unrouted = unrouted.collect();
    if !writer.diagnostics.is_empty() {
        return Err(writer.diagnostics);
    }
    let generated = model.config.header();
    let file = File { generated, operations, unrouted, responses: writer.responses };
    let value = serde_json::to_value(file).expect("its keys are texts and numbers");
    Ok(text::of(&value))
}

/// A value of the schema at a pointer.
pub(crate) fn sample_of(document: &Document, schema: &str) -> Value {
    sample::of(document, schema)
}

struct Writer<'d> {
    document: &'d Document,
    error: &'d ErrorConfig,
    /// The component of the details of each code that has some.
    details: BTreeMap<String, String>,
    visitor: Visitor<'d>,
    responses: BTreeMap<String, ResponseAnswers>,
    diagnostics: Vec<Diagnostic>,
}

impl Writer<'_> {
    fn operation(
        &mut self,
        operation: &model::Operation,
        documented: &Operation,
    ) -> OperationAnswers {
        // The model has the statuses that a range or `default` stands for.
        let responses = operation.statuses().into_iter().filter_map(|status| {
            let response = documented.response(status)?;
            Some((status, self.response(response, &format!("{} {status}", operation.id))))
        });
        let responses = responses.collect();
        OperationAnswers {
            method: operation.method.clone(),
            path: operation.path.clone(),
            responses,
        }
    }

    /// Adds a response, once; its name, which is that of its component if it has one.
    fn response(&mut self, response: &Response, name: &str) -> String {
        let component = response.pointer.strip_prefix("/components/responses/");
        let name = component.unwrap_or(name).to_owned();
        if !self.responses.contains_key(&name) {
            let (required, optional) = response.headers.iter().partition(|header| header.required);
            let media = json_of(&response.content);
            let answers = ResponseAnswers {
                headers: self.headers(required),
                optional_headers: self.headers(optional),
                media_type: media.map(|media| media.content_type.clone()),
                bodies: match media {
                    Some(media) => self.bodies(response, media),
                    None => vec![Body::default()],
                },
            };
            self.responses.insert(name.clone(), answers);
        }
        name
    }

    fn headers(&mut self, headers: Vec<&Header>) -> BTreeMap<String, String> {
        let text = |value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let values = headers.into_iter().map(|header| {
            let resolved = self.document.resolve(&header.pointer).ok();
            let example = resolved.and_then(|header| header.value.get("example")).cloned();
            let schema = header.schema_pointer.as_deref();
            let value = example.unwrap_or_else(|| self.sample(schema));
            self.check(&header.pointer, schema, &value);
            (header.name.to_ascii_lowercase(), text(value))
        });
        values.collect()
    }

    /// The examples of a response, and a made body for each code without one.
    fn bodies(&mut self, response: &Response, media: &MediaType) -> Vec<Body> {
        let schema = media.schema_pointer.as_deref();
        let is_error = response.status.is_error();
        let examples = media.examples.iter().map(|example| {
            let code = self.error.code_in(&example.value).filter(|_| is_error);
            (example.name.clone(), code.map(str::to_owned), example.value.clone())
        });
        let mut bodies: Vec<_> = examples.collect();
        for code in &response.error_codes {
            if !bodies.iter().any(|(_, known, _)| known.as_ref() == Some(code)) {
                let mut body = self.sample(schema);
                let details = self.details.get(code).map(|component| {
                    sample::of(self.document, &join("/components/schemas", component))
                });
                self.error.set_code(&mut body, code, details);
                bodies.push((None, Some(code.clone()), body));
            }
        }
        if bodies.is_empty() {
            bodies.push((None, None, self.sample(schema)));
        }
        let with_places = bodies.into_iter().map(|(example, code, body)| {
            self.check(&media.pointer, schema, &body);
            let places = self.visitor.places(schema, &body);
            Body { example, code, body, places }
        });
        with_places.collect()
    }

    fn sample(&self, schema: Option<&str>) -> Value {
        schema.map_or(Value::Null, |schema| sample::of(self.document, schema))
    }

    fn check(&mut self, owner: &str, schema: Option<&str>, value: &Value) {
        let Some(schema) = schema else {
            return;
        };
        let problem = match self.document.validator(schema, Direction::Response) {
            Ok(validator) => validator.validate(value).first().map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        };
        self.diagnostics.extend(problem.map(|problem| Diagnostic {
            place: self.document.place(owner),
            pointer: owner.to_owned(),
            problem: format!("no answer can be made of this: {problem}"),
            help: Some("add an `example` that satisfies the schema".to_owned()),
        }));
    }
}

impl ErrorConfig {
    /// The object of an error's body that has its code: the body, or the one object inside.
    pub(crate) fn object<'b>(
        &self,
        body: &'b mut Value,
    ) -> Option<&'b mut serde_json::Map<String, Value>> {
        let members = body.as_object_mut()?;
        if members.contains_key(&self.code) {
            return Some(members);
        }
        let mut objects = members.values_mut().filter_map(Value::as_object_mut);
        objects.find(|object| object.contains_key(&self.code))
    }

    fn code_in<'b>(&self, body: &'b Value) -> Option<&'b str> {
        let code = |value: &'b Value| value.get(&self.code)?.as_str();
        code(body).or_else(|| body.as_object()?.values().find_map(code))
    }

    /// Makes the example of one code that of another.
    fn set_code(&self, body: &mut Value, code: &str, details: Option<Value>) {
        if let Some(object) = self.object(body) {
            object.shift_remove(&self.details);
            object.extend(details.map(|details| (self.details.clone(), details)));
            object.insert(self.code.clone(), code.into());
            object.insert(self.message.clone(), format!("An example of {code}.").into());
        }
    }
}
