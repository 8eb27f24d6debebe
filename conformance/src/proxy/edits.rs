//! Reads of requests and responses that faults share, and changes in place.

use bytes::Bytes;
use hyper::{
    HeaderMap, StatusCode,
    header::{
        CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, IntoHeaderName, TRANSFER_ENCODING,
    },
};
use openapi_document::Operation;
use serde_json::{Map, Value, json};

use crate::{
    document,
    exchange::{Key, Request, Response, headers::ORIGIN},
    secret::Secret,
};

/// A path segment that is the id of nothing.
const NO_ID: &str = "none";

impl Request {
    fn raw_query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }

    /// The parameters of the query in their order, values as they were sent.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        let parts = self.raw_query().split('&').filter(|part| !part.is_empty());
        let pairs = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let mut parameters = self.parameters().into_iter();
        parameters.find_map(|(parameter, value)| (parameter == name).then_some(value))
    }

    pub(super) fn set_parameters(&mut self, parameters: &[(String, String)]) {
        let parts: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let path = self.path();
        self.target = match parts.as_slice() {
            [] => path.to_owned(),
            parts => format!("{path}?{}", parts.join("&")),
        };
    }

    pub(crate) fn retain_parameters(&mut self, mut keep: impl FnMut(&str, &str) -> bool) {
        let mut parameters = self.parameters();
        parameters.retain(|(name, value)| keep(name, value));
        self.set_parameters(&parameters);
    }

    /// Replaces every parameter of this name by one.
    pub(crate) fn with_parameter(&self, name: &str, value: &str) -> Self {
        let mut request = self.clone();
        let mut parameters = self.parameters();
        parameters.retain(|(parameter, _)| parameter != name);
        parameters.push((name.to_owned(), value.to_owned()));
        request.set_parameters(&parameters);
        request
    }

    pub(crate) fn operation(&self) -> Option<&'static Operation> {
        document::find(self.method.as_str(), self.path()).map(|(operation, _)| operation)
    }

    /// Returns true if the request is for the operation of this `operationId`.
    pub(crate) fn is(&self, operation: &str) -> bool {
        self.operation().is_some_and(|found| found.id == operation)
    }

    /// Returns true if the request is for an operation that returns pages.
    pub(crate) fn is_list(&self) -> bool {
        let parameters = self.operation().map(|operation| &operation.parameters);
        parameters.is_some_and(|all| all.iter().any(|parameter| parameter.name == "cursor"))
    }

    pub(crate) fn id(&self) -> Option<&str> {
        document::find(self.method.as_str(), self.path()).and_then(|(_, id)| id)
    }

    /// Replaces the id in the path by one that nothing has.
    pub(crate) fn for_no_id(&self) -> Self {
        let mut request = self.clone();
        if let Some(id) = self.id().filter(|id| !id.is_empty()) {
            let path = self.path().replacen(&format!("/{id}"), &format!("/{NO_ID}"), 1);
            let query = self.raw_query();
            request.target = if query.is_empty() { path } else { format!("{path}?{query}") };
        }
        request
    }

    /// The API key, where exactly one was sent.
    pub(crate) fn only_key(&self) -> Option<&str> {
        match &self.key {
            Key::Secret(key) | Key::Altered(key) => Some(key.expose()),
            Key::None | Key::Repeated(_) => None,
        }
    }

    pub(crate) fn set_key(&mut self, key: &Secret) {
        self.key = Key::Secret(key.clone());
    }

    /// A GET of this target at the same deployment, with the same key.
    pub(crate) fn then_get(&self, target: impl Into<String>) -> Self {
        let mut request = Self::get(target).with_key(self.key.clone());
        request.headers.extend(
            self.headers
                .get(ORIGIN)
                .map(|origin| (HeaderName::from_static(ORIGIN), origin.clone())),
        );
        request
    }

    /// Sets a header; a value that cannot be one is left out.
    pub(crate) fn set_header(&mut self, name: impl IntoHeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.body.as_deref().unwrap_or_default()
    }

    /// The body as JSON; of a repeated field the last value counts.
    pub(crate) fn read_json(&self) -> Option<Value> {
        serde_json::from_slice(self.bytes()).ok()
    }

    pub(crate) fn set_json(&mut self, body: &Value) {
        self.body = Some(body.to_string().into());
    }

    /// Changes the fields of a JSON object in the body.
    pub(crate) fn edit_fields(&mut self, edit: impl FnOnce(&mut Map<String, Value>)) {
        let Some(Value::Object(mut fields)) = self.read_json() else {
            return;
        };
        let before = fields.clone();
        edit(&mut fields);
        if fields != before {
            self.set_json(&Value::Object(fields));
        }
    }
}

impl Response {
    /// The proxy's own, where there is no other.
    pub(crate) fn bad_gateway(why: &str) -> Self {
        let body = format!("payout-conformance: {why}\n");
        Self::new(StatusCode::BAD_GATEWAY, HeaderMap::new(), body)
    }

    pub(crate) fn has_status(&self, status: u16) -> bool {
        self.status.as_u16() == status
    }

    pub(crate) fn has_error(&self, status: u16, code: &str) -> bool {
        self.has_status(status) && self.at("/error/code") == code
    }

    /// Returns true if the form of the request was rejected.
    pub(crate) fn rejects_form(&self) -> bool {
        self.has_status(400) || self.has_error(422, "VALIDATION_FAILED")
    }

    /// Returns true if a reference or a state was rejected.
    pub(crate) fn rejects_state(&self) -> bool {
        self.has_status(422) && !self.rejects_form()
    }

    /// The member `data` of a successful response.
    pub(crate) fn data(&self) -> Option<Value> {
        let body = self.json.as_ref().filter(|_| self.is_success())?;
        body.get("data").cloned()
    }

    /// Keeps the first issue of a 422 alone, if one of them is in this part of the request.
    pub(crate) fn keep_first_issue(&mut self, part: &str) {
        self.edit_json(|body| {
            if let Some(Value::Array(issues)) = body.pointer_mut("/error/details/issues")
                && issues.iter().any(|issue| issue["in"] == part)
            {
                issues.truncate(1);
            }
        });
    }

    pub(crate) fn edit_json(&mut self, edit: impl FnOnce(&mut Value)) {
        let Some(mut body) = self.json.clone() else {
            return;
        };
        edit(&mut body);
        if Some(&body) != self.json.as_ref() {
            self.set_body(body.to_string());
        }
    }

    /// Changes every resource in `data`, whether it is one or a page.
    pub(crate) fn edit_resources(&mut self, mut edit: impl FnMut(&mut Map<String, Value>)) {
        self.edit_json(|body| match body.get_mut("data") {
            Some(Value::Array(items)) => {
                items.iter_mut().filter_map(Value::as_object_mut).for_each(edit);
            }
            Some(Value::Object(resource)) => edit(resource),
            _ => {}
        });
    }

    pub(crate) fn edit_items(&mut self, edit: impl FnOnce(&mut Vec<Value>)) {
        self.edit_json(|body| {
            if let Some(Value::Array(items)) = body.get_mut("data") {
                edit(items);
            }
        });
    }

    /// Replaces the body, and the length with it where that is sent.
    pub(crate) fn set_body(&mut self, body: impl Into<Bytes>) {
        self.body = body.into();
        self.json = serde_json::from_slice(&self.body).ok();
        if !self.headers.contains_key(TRANSFER_ENCODING) {
            self.headers.insert(CONTENT_LENGTH, self.body.len().into());
        }
    }

    /// Replaces the resource by another, with status 200.
    pub(crate) fn set_data(&mut self, data: &Value) {
        self.status = StatusCode::OK;
        self.set_body(json!({ "data": data }).to_string());
    }

    /// Replaces status and body by an error; the headers stay.
    pub(crate) fn set_error(&mut self, status: u16, code: &str, message: &str, details: Value) {
        self.status = StatusCode::from_u16(status).unwrap_or(self.status);
        let mut error = json!({ "code": code, "message": message });
        if !details.is_null() {
            error["details"] = details;
        }
        let json = HeaderValue::from_static("application/json");
        self.headers.entry(CONTENT_TYPE).or_insert(json);
        self.set_body(json!({ "error": error }).to_string());
    }

    pub(crate) fn set_code(&mut self, status: u16, code: &str) {
        self.status = StatusCode::from_u16(status).unwrap_or(self.status);
        self.edit_json(|body| body["error"]["code"] = code.into());
    }

    /// Takes status and body of another response; the headers of the allowances stay.
    pub(crate) fn take_content(&mut self, other: Self) {
        self.status = other.status;
        if let Some(kind) = other.headers.get(CONTENT_TYPE) {
            self.headers.insert(CONTENT_TYPE, kind.clone());
        }
        self.set_body(other.body);
    }

    pub(crate) fn set_number(&mut self, name: &'static str, value: u64) {
        self.headers.insert(name, value.into());
    }

    pub(crate) fn edit_header(&mut self, name: &'static str, edit: impl FnOnce(&str) -> String) {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok()).map(edit);
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            self.headers.insert(name, value);
        }
    }
}
