//! Judges a request by the schemas of its operation: every parameter and the body.

use std::{borrow::Cow, sync::Arc};

use openapi_document::{Direction, Document, Location, Operation, Parameter, Shape, Validator};
use poem::http::{HeaderMap, header};
use serde_json::{Map, Value};

use crate::validators::Validators;

/// Why a request is rejected.
#[derive(Debug)]
pub(super) struct Rejection {
    /// The statuses for it, the best one first.
    pub(super) statuses: [u16; 2],
    /// The code of the runtime for it.
    pub(super) code: &'static str,
    /// Where, and what.
    pub(super) problems: Vec<(String, String)>,
}

pub(super) struct Judge {
    parameters: Vec<(Parameter, Expected)>,
    body_is_required: bool,
    /// By media type.
    bodies: Vec<(String, Expected)>,
}

/// What a value has to be.
#[derive(Default)]
struct Expected {
    shape: Shape,
    items: Shape,
    /// Of an object.
    properties: Vec<(String, Shape)>,
    validator: Option<Arc<Validator>>,
}

impl Expected {
    fn of(document: &Document, schema: Option<&str>, validators: &mut Validators<'_>) -> Self {
        let Some(schema) = schema else { return Self::default() };
        let shape = |pointer: &str| document.shape(pointer).unwrap_or_default();
        let own = shape(schema);
        let items = own.items.as_deref().map(shape).unwrap_or_default();
        let properties = own.properties.iter().map(|(name, at)| (name.clone(), shape(at)));
        let properties = properties.collect();
        let validator = validators.get(schema, Direction::Request);
        Self { shape: own, items, properties, validator }
    }

    /// Adds what is wrong with a value to the problems.
    fn check(&self, at: &str, value: &Value, problems: &mut Vec<(String, String)>) {
        let violations = self.validator.as_ref().map(|it| it.validate(value)).unwrap_or_default();
        problems.extend(violations.into_iter().map(|violation| {
            let at = format!("{at}{}", violation.pointer);
            (if at.is_empty() { "the body".to_owned() } else { at }, violation.message)
        }));
    }

    fn object<'t>(&self, pairs: impl Iterator<Item = (Cow<'t, str>, Cow<'t, str>)>) -> Value {
        let mut members = Map::new();
        for (name, text) in pairs {
            let shape = self.properties.iter().find(|(known, _)| *known == name);
            let shape = shape.map(|(_, shape)| shape);
            if shape.is_some_and(|shape| shape.is("array")) {
                let list = members.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                list.as_array_mut().expect("a list").push(Value::from(text));
            } else {
                let value = scalar(shape.unwrap_or(&Shape::default()), &text);
                members.insert(name.into_owned(), value);
            }
        }
        Value::Object(members)
    }
}

/// A text as the value that a schema expects; as a text where it is no such value.
fn scalar(shape: &Shape, text: &str) -> Value {
    let is_other = ["integer", "number", "boolean"].iter().any(|name| shape.is(name));
    let untyped = shape.keyword("type").is_none() && !shape.is("object");
    let value = serde_json::from_str(text).ok().filter(|value: &Value| {
        is_other && (value.is_number() || value.is_boolean())
            || untyped && shape.keyword("oneOf").or_else(|| shape.keyword("anyOf")).is_some()
    });
    value.unwrap_or_else(|| text.into())
}

impl Judge {
    pub(super) fn of(
        document: &Document,
        operation: &Operation,
        validators: &mut Validators<'_>,
    ) -> Self {
        let parameters = operation.parameters.iter();
        let parameters = parameters.map(|parameter| {
            let expected = Expected::of(document, parameter.schema_pointer.as_deref(), validators);
            (parameter.clone(), expected)
        });
        let parameters = parameters.collect();
        let content = operation.body.iter().flat_map(|body| &body.content);
        let bodies = content.map(|media| {
            let expected = Expected::of(document, media.schema_pointer.as_deref(), validators);
            (essence(&media.content_type), expected)
        });
        Self {
            parameters,
            body_is_required: operation.body.as_ref().is_some_and(|body| body.required),
            bodies: bodies.collect(),
        }
    }

    pub(super) fn judge(
        &self,
        path: &[(String, String)],
        query: Option<&str>,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), Rejection> {
        let mut problems = Vec::new();
        let query: Vec<_> = form_urlencoded::parse(query.unwrap_or_default().as_bytes()).collect();
        for (parameter, expected) in &self.parameters {
            let Parameter { name, location, required, .. } = parameter;
            let texts: Vec<Cow<'_, str>> = match location {
                Location::Path => {
                    path.iter().filter(|it| it.0 == *name).map(|it| (&*it.1).into()).collect()
                }
                Location::Query => {
                    query.iter().filter(|it| it.0 == *name).map(|it| it.1.clone()).collect()
                }
                Location::Header => {
                    let values = headers.get_all(name.as_str()).iter();
                    values.map(|it| String::from_utf8_lossy(it.as_bytes())).collect()
                }
                Location::Cookie => {
                    cookies(headers).filter(|it| it.0 == *name).map(|it| it.1.into()).collect()
                }
            };
            let at = format!("{location} {name}");
            match value(parameter, expected, texts, &query) {
                Ok(Some(value)) => expected.check(&at, &value, &mut problems),
                Ok(None) if *required => problems.push((at, "is required".to_owned())),
                Ok(None) => {}
                Err(problem) => problems.push((at, problem)),
            }
        }
        self.judge_body(headers, body, &mut problems)?;
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Rejection { statuses: [422, 400], code: "VALIDATION_FAILED", problems }),
        }
    }

    fn judge_body(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        problems: &mut Vec<(String, String)>,
    ) -> Result<(), Rejection> {
        let rejection = |statuses, code, problem: String| {
            Err(Rejection { statuses, code, problems: vec![("the body".to_owned(), problem)] })
        };
        if body.is_empty() {
            if self.body_is_required {
                problems.push(("the body".to_owned(), "is required".to_owned()));
            }
            return Ok(());
        }
        if self.bodies.is_empty() {
            return Ok(());
        }
        let given = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let given = essence(given.unwrap_or_default());
        let is_it = |known: &str| match known.strip_suffix('*') {
            Some(class) => known == "*/*" || given.starts_with(class),
            None => known == given,
        };
        let Some((_, expected)) = self.bodies.iter().find(|(known, _)| is_it(known)) else {
            let known: Vec<&str> = self.bodies.iter().map(|(known, _)| known.as_str()).collect();
            let problem = format!("is `{given}`, and may be {}", known.join(", "));
            return rejection([415, 400], "UNSUPPORTED_MEDIA_TYPE", problem);
        };
        if given.ends_with("/json") || given.ends_with("+json") {
            match serde_json::from_slice(body) {
                Ok(value) => expected.check("", &value, problems),
                Err(error) => {
                    let problem = format!("is no JSON: {error}");
                    return rejection([400, 422], "INVALID_JSON", problem);
                }
            }
        } else if given == "application/x-www-form-urlencoded" {
            expected.check("", &expected.object(form_urlencoded::parse(body)), problems);
        } else if given.starts_with("text/") {
            expected.check("", &String::from_utf8_lossy(body).into(), problems);
        }
        Ok(())
    }
}

/// The value of a parameter; `None` if the request has none.
fn value(
    parameter: &Parameter,
    expected: &Expected,
    texts: Vec<Cow<'_, str>>,
    query: &[(Cow<'_, str>, Cow<'_, str>)],
) -> Result<Option<Value>, String> {
    let Parameter { name, style, explode, content_type, .. } = parameter;
    let separator = match style.as_str() {
        "spaceDelimited" => ' ',
        "pipeDelimited" => '|',
        _ => ',',
    };
    if expected.shape.is("object") && content_type.is_none() {
        let inside = |key: &Cow<'_, str>| match style.as_str() {
            "deepObject" => {
                let inner = key.strip_prefix(name.as_str())?.strip_prefix('[')?;
                Some(inner.strip_suffix(']')?.to_owned())
            }
            _ => Some(key.clone().into_owned()),
        };
        if parameter.location == Location::Query && (*explode || style == "deepObject") {
            let own = query.iter().filter_map(|(key, value)| {
                let key = inside(key)?;
                let is_own = style == "deepObject"
                    || expected.properties.iter().any(|(known, _)| *known == key);
                is_own.then(|| (key.into(), value.clone()))
            });
            let own: Vec<_> = own.collect();
            return Ok((!own.is_empty()).then(|| expected.object(own.into_iter())));
        }
        let Some(first) = texts.first() else { return Ok(None) };
        // `a=1,b=2`, or `a,1,b,2`.
        let parts: Vec<&str> = first.split(separator).flat_map(|part| part.split('=')).collect();
        let pairs = parts.chunks(2).map(|pair| (pair[0].into(), pair[pair.len() - 1].into()));
        return Ok(Some(expected.object(pairs)));
    }
    let Some(first) = texts.first() else { return Ok(None) };
    if content_type.as_deref().is_some_and(|it| it.contains("json")) {
        return serde_json::from_str(first)
            .map(Some)
            .map_err(|error| format!("is no JSON: {error}"));
    }
    if !expected.shape.is("array") {
        let is_repeated = texts.len() > 1 && parameter.location == Location::Query;
        let value = || Some(scalar(&expected.shape, first));
        return if is_repeated { Err("is there twice".to_owned()) } else { Ok(value()) };
    }
    let is_joined = !explode || parameter.location != Location::Query;
    let texts: Vec<String> = match is_joined {
        true => {
            texts.iter().flat_map(|it| it.split(separator)).map(|it| it.trim().to_owned()).collect()
        }
        false => texts.iter().map(|it| it.clone().into_owned()).collect(),
    };
    Ok(Some(texts.iter().map(|text| scalar(&expected.items, text)).collect()))
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (String, String)> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
    let pairs = values.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// A media type without its parameters, in lower case.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
