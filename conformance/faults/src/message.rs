//! Requests and responses as faults see them: whole in memory, with the reads and edits that faults
//! share.

use bytes::Bytes;
use hyper::{
    HeaderMap, Method, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue},
};
use openapi_document::Operation;
use serde_json::{Value, json};

use crate::operations;

/// The header that carries an API key (§5.1).
pub(crate) const KEY: HeaderName = HeaderName::from_static("x-api-key");
pub(crate) const VERSION: HeaderName = HeaderName::from_static("api-version");
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The headers of the minute's allowance and of the month's (§8).
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
pub(crate) const RATE_REMAINING: HeaderName =
    HeaderName::from_static("x-ratelimit-remaining-minute");
pub(crate) const CREDIT_LIMIT: HeaderName =
    HeaderName::from_static("x-service-credits-limit-month");
pub(crate) const CREDITS_REMAINING: HeaderName =
    HeaderName::from_static("x-service-credits-remaining-month");
/// A path segment that is the id of nothing.
const NO_ID: &str = "none";

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Scheme and authority of the deployment that it is for.
    pub(crate) origin: String,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.target.split_once('?').map_or(&self.target, |(path, _)| path)
    }

    pub(crate) fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }

    /// The parameters of the query in their order, values as they were sent.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        let parts = self.query().split('&').filter(|part| !part.is_empty());
        let pairs = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// The first value of a parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let mut parameters = self.parameters().into_iter();
        parameters.find_map(|(parameter, value)| (parameter == name).then_some(value))
    }

    pub(crate) fn set_parameters(&mut self, parameters: &[(String, String)]) {
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

    /// The same request with this parameter and no other of that name.
    pub(crate) fn with_parameter(&self, name: &str, value: &str) -> Self {
        let mut request = self.clone();
        let mut parameters = self.parameters();
        parameters.retain(|(parameter, _)| parameter != name);
        parameters.push((name.to_owned(), value.to_owned()));
        request.set_parameters(&parameters);
        request
    }

    pub(crate) fn operation(&self) -> Option<&'static Operation> {
        operations::find(self.method.as_str(), self.path()).map(|(operation, _)| operation)
    }

    /// Whether it is for the operation of this `operationId`.
    pub(crate) fn is(&self, operation: &str) -> bool {
        self.operation().is_some_and(|found| found.id == operation)
    }

    /// Whether it is for an operation that returns pages.
    pub(crate) fn is_list(&self) -> bool {
        let parameters = self.operation().map(|operation| &operation.parameters);
        parameters.is_some_and(|all| all.iter().any(|parameter| parameter.name == "cursor"))
    }

    pub(crate) fn id(&self) -> Option<&str> {
        operations::find(self.method.as_str(), self.path()).and_then(|(_, id)| id)
    }

    /// The same request for the id of nothing.
    pub(crate) fn for_no_id(&self) -> Self {
        let mut request = self.clone();
        if let Some(id) = self.id().filter(|id| !id.is_empty()) {
            let path = self.path().replacen(&format!("/{id}"), &format!("/{NO_ID}"), 1);
            let query = self.query();
            request.target = if query.is_empty() { path } else { format!("{path}?{query}") };
        }
        request
    }

    /// Its API key, where exactly one was sent.
    pub(crate) fn key(&self) -> Option<&str> {
        let mut keys = self.headers.get_all(KEY).iter();
        let key = keys.next()?.to_str().ok()?;
        keys.next().is_none().then_some(key)
    }

    pub(crate) fn with_key(&self, key: &str) -> Self {
        let mut request = self.clone();
        request.set_header(KEY, key);
        request
    }

    /// A GET of this target at the same deployment, with the same key.
    pub(crate) fn get(&self, target: impl Into<String>) -> Self {
        let mut headers = HeaderMap::new();
        headers.extend(self.headers.get(KEY).map(|key| (KEY, key.clone())));
        Self {
            method: Method::GET,
            origin: self.origin.clone(),
            target: target.into(),
            headers,
            body: Bytes::new(),
        }
    }

    /// Sets a header; a value that cannot be one is left out.
    pub(crate) fn set_header(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
    }

    /// The body, where it is JSON; of a repeated field the last value.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    pub(crate) fn set_json(&mut self, body: &Value) {
        self.body = body.to_string().into();
        self.headers.insert(CONTENT_LENGTH, self.body.len().into());
    }

    /// Changes the fields of a JSON object in the body.
    pub(crate) fn edit_fields(&mut self, edit: impl FnOnce(&mut serde_json::Map<String, Value>)) {
        let Some(Value::Object(mut fields)) = self.json() else {
            return;
        };
        let before = fields.clone();
        edit(&mut fields);
        if fields != before {
            self.set_json(&Value::Object(fields));
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Response {
    /// The proxy's own, where there is no other.
    pub(crate) fn bad_gateway(why: &str) -> Self {
        let body = format!("payout-faults: {why}\n").into();
        Self { status: StatusCode::BAD_GATEWAY, headers: HeaderMap::new(), body }
    }

    pub(crate) fn is(&self, status: u16) -> bool {
        self.status.as_u16() == status
    }

    pub(crate) fn is_error(&self, status: u16, code: &str) -> bool {
        self.is(status) && self.json().is_some_and(|body| body["error"]["code"] == code)
    }

    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The member `data` of a successful response.
    pub(crate) fn data(&self) -> Option<Value> {
        let body = self.status.is_success().then(|| self.json()).flatten()?;
        body.get("data").cloned()
    }

    pub(crate) fn issues(&self) -> Vec<Value> {
        let body = self.json().filter(|_| self.is(422)).unwrap_or_default();
        body["error"]["details"]["issues"].as_array().cloned().unwrap_or_default()
    }

    /// Of several issues, at least one in this place, only the first stays.
    pub(crate) fn keep_first_issue(&mut self, place: &str) {
        if self.issues().iter().any(|issue| issue["in"] == place) {
            self.edit_json(|body| {
                if let Some(Value::Array(issues)) = body.pointer_mut("/error/details/issues") {
                    issues.truncate(1);
                }
            });
        }
    }

    pub(crate) fn edit_json(&mut self, edit: impl FnOnce(&mut Value)) {
        let Some(mut body) = self.json() else {
            return;
        };
        let before = body.clone();
        edit(&mut body);
        if body != before {
            self.set_body(body.to_string());
        }
    }

    /// Changes every resource in `data`, whether it is one or a page.
    pub(crate) fn edit_resources(
        &mut self,
        mut edit: impl FnMut(&mut serde_json::Map<String, Value>),
    ) {
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

    /// Replaces the body, and the length with it.
    pub(crate) fn set_body(&mut self, body: impl Into<Bytes>) {
        self.body = body.into();
        self.headers.insert(CONTENT_LENGTH, self.body.len().into());
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

    /// A header that counts.
    pub(crate) fn number(&self, name: &HeaderName) -> Option<u64> {
        self.headers.get(name)?.to_str().ok()?.parse().ok()
    }

    /// Sets a header that counts.
    pub(crate) fn set_number(&mut self, name: HeaderName, value: u64) {
        self.headers.insert(name, value.into());
    }

    pub(crate) fn edit_header(&mut self, name: HeaderName, edit: impl FnOnce(&str) -> String) {
        let value = self.headers.get(&name).and_then(|value| value.to_str().ok()).map(edit);
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            self.headers.insert(name, value);
        }
    }
}
