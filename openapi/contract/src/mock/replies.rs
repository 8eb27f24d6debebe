//! The answers of an operation, made when the mock starts: each response of the document, in each
//! of its media types, with each of its examples, else with a body that is made from the schema.

use std::sync::Arc;

use bytes::Bytes;
use openapi_document::{
    Direction, Document, Header, MediaType, Operation, Response as Documented, Status, Validator,
};
use poem::{
    Response,
    http::{HeaderName, HeaderValue, StatusCode},
};
use serde_json::{Value, json};

use super::{Rejection, prefer::Preference, text};
use crate::{
    codegen::{ErrorConfig, sample_of},
    validators::Validators,
};

pub(super) struct Replies {
    replies: Vec<Reply>,
    error: ErrorConfig,
}

pub(super) struct Reply {
    status: Status,
    /// The name of the example.
    example: Option<String>,
    media_type: Option<String>,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
    /// What the body is made from, and judged by, for errors that the mock finds.
    value: Value,
    codes: Vec<String>,
    validator: Option<Arc<Validator>>,
    /// The names of the properties that the schema has.
    properties: Vec<String>,
    /// Set where the request chooses a status of a range, or of `default`.
    chosen: Option<StatusCode>,
}

impl Replies {
    /// Prepares the answers; `notes` get what cannot be made.
    pub(super) fn of(
        document: &Document,
        operation: &Operation,
        error: &ErrorConfig,
        validators: &mut Validators<'_>,
        notes: &mut Vec<String>,
    ) -> Self {
        let mut replies = Vec::new();
        for response in &operation.responses {
            let headers = headers(document, &response.headers);
            if response.content.is_empty() {
                replies.push(Reply::of(response, None, None, headers.clone(), Value::Null));
            }
            for media in &response.content {
                let mut bodies: Vec<(Option<String>, Value)> =
                    media.examples.iter().map(|it| (it.name.clone(), it.value.clone())).collect();
                if bodies.is_empty() {
                    let made = media.schema_pointer.as_deref().map(|it| sample_of(document, it));
                    let mut made = made.unwrap_or(Value::Null);
                    if media.content_type.starts_with("application/problem+json") {
                        name_status(&mut made, response.status);
                    }
                    bodies.push((None, made));
                }
                for (name, value) in bodies {
                    let mut reply = Reply::of(response, Some(media), name, headers.clone(), value);
                    reply.check(document, media, validators, notes);
                    replies.push(reply);
                }
            }
        }
        Self { replies, error: error.clone() }
    }

    /// Returns the answer that a request chooses: a success, unless it prefers another one.
    pub(super) fn choose(
        &self,
        preference: &Preference,
        accept: Option<&str>,
    ) -> Result<Reply, (StatusCode, String)> {
        let of_status = |status: u16| {
            let matching = self.replies.iter().filter(move |reply| reply.status.matches(status));
            matching.map(|reply| reply.status).min()
        };
        let found = match preference.status {
            Some(status) => of_status(status),
            None => self.success(),
        };
        let Some(status) = found else {
            let wanted = preference.status.map_or("a success".to_owned(), |it| it.to_string());
            let mut known: Vec<_> = self.replies.iter().map(|it| it.status.to_string()).collect();
            known.dedup();
            let problem = format!("the document has no {wanted} here, but {}", known.join(", "));
            return Err((StatusCode::NOT_IMPLEMENTED, problem));
        };
        let named = |reply: &&Reply| match &preference.example {
            Some(name) => reply.example.as_ref() == Some(name),
            None => true,
        };
        let of_status = || self.replies.iter().filter(|reply| reply.status == status);
        if !of_status().any(|reply| named(&reply)) {
            let name = preference.example.as_deref().unwrap_or_default();
            let known: Vec<_> = of_status().filter_map(|reply| reply.example.as_deref()).collect();
            let problem = format!("{status} has no example `{name}`, but: {}", known.join(", "));
            return Err((StatusCode::NOT_IMPLEMENTED, problem));
        }
        let reply = accepted(of_status().filter(named), accept).ok_or_else(|| {
            let types: Vec<_> = of_status().filter_map(|it| it.media_type.as_deref()).collect();
            (StatusCode::NOT_ACCEPTABLE, format!("{status} is {}", types.join(", ")))
        })?;
        let chosen = preference.status.and_then(|status| StatusCode::from_u16(status).ok());
        Ok(Reply { chosen, ..reply.clone() })
    }

    fn success(&self) -> Option<Status> {
        let statuses = || self.replies.iter().map(|reply| reply.status);
        let least = |is_it: fn(Status) -> bool| statuses().filter(|it| is_it(*it)).min();
        least(Status::is_success).or_else(|| least(|it| !it.is_error()))
    }

    /// Returns the response to a request that the document does not allow, in the form of the
    /// document's error where it has one.
    pub(super) fn rejected(&self, rejection: &Rejection, accept: Option<&str>) -> Response {
        let Rejection { statuses, code, problems } = rejection;
        let matching = |status: u16| {
            let of_status = self.replies.iter().filter(move |it| it.status.matches(status));
            let best = of_status.clone().map(|reply| reply.status).min()?;
            let is_default = best == Status::Default;
            let reply = accepted(of_status.filter(move |it| it.status == best), accept)
                .filter(|_| !is_default || best != self.success().unwrap_or(Status::Code(0)))?;
            Some((is_default, status, reply))
        };
        // A status of its own is better than `default`.
        let found = statuses.iter().filter_map(|status| matching(*status)).min_by_key(|it| it.0);
        let words: Vec<String> =
            problems.iter().map(|(at, problem)| format!("{at}: {problem}")).collect();
        let Some((_, status, reply)) = found.filter(|(.., reply)| reply.is_json()) else {
            let status = StatusCode::from_u16(statuses[0]).unwrap_or(StatusCode::BAD_REQUEST);
            return text(status, &words.join("\n"));
        };
        let mut value = reply.value.clone();
        let is_ours = self.error.object(&mut value).is_some();
        let object = if is_ours { self.error.object(&mut value) } else { value.as_object_mut() };
        if let Some(members) = object {
            let mut set = |names: &[&str], new: Value| {
                let is_known = |name: &&&str| {
                    members.contains_key(**name) || reply.properties.iter().any(|it| it == **name)
                };
                if let Some(name) = names.iter().find(is_known) {
                    members.insert((*name).to_owned(), new);
                }
            };
            let reason = StatusCode::from_u16(status).ok().and_then(|it| it.canonical_reason());
            set(&["title"], reason.unwrap_or_default().into());
            set(&[&self.error.message, "detail", "message", "error"], words.join("; ").into());
            set(&["status"], status.into());
            if reply.codes.is_empty() || reply.codes.iter().any(|known| known == code) {
                set(&[&self.error.code], (*code).into());
            }
            // Those of the example are of another request.
            members.shift_remove(&self.error.details);
        }
        if is_ours && reply.properties.contains(&self.error.details) {
            let issues = problems.iter().map(|(at, it)| json!({ "path": at, "message": it }));
            let mut detailed = value.clone();
            detailed[&self.error.details] = json!({ "issues": issues.collect::<Vec<_>>() });
            if reply.validator.as_ref().is_some_and(|it| it.is_valid(&detailed)) {
                value = detailed;
            }
        }
        // An example that cannot tell what is wrong is better than a body that is none.
        let is_valid = reply.validator.as_ref().is_none_or(|it| it.is_valid(&value));
        let body = if is_valid { Bytes::from(value.to_string()) } else { reply.body.clone() };
        let status = StatusCode::from_u16(status).ok();
        Reply { chosen: status, body, ..reply.clone() }.response()
    }
}

/// Fills status and title of a problem that was made from its schema (RFC 9457).
fn name_status(problem: &mut Value, status: Status) {
    let (Status::Code(status), Some(members)) = (status, problem.as_object_mut()) else { return };
    let reason = StatusCode::from_u16(status).ok().and_then(|it| it.canonical_reason());
    for (name, value) in [("status", status.into()), ("title", reason.unwrap_or_default().into())] {
        if let Some(member) = members.get_mut(name) {
            *member = value;
        }
    }
}

impl Clone for Reply {
    /// A copy to be sent, which nothing is made from.
    fn clone(&self) -> Self {
        Self {
            status: self.status,
            example: None,
            media_type: self.media_type.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
            value: Value::Null,
            codes: Vec::new(),
            validator: None,
            properties: Vec::new(),
            chosen: self.chosen,
        }
    }
}

impl Reply {
    fn of(
        response: &Documented,
        media: Option<&MediaType>,
        example: Option<String>,
        headers: Vec<(HeaderName, HeaderValue)>,
        value: Value,
    ) -> Self {
        let media_type = media.map(|media| media.content_type.replace("*/*", "application/json"));
        let mut reply = Self {
            status: response.status,
            example,
            media_type,
            headers,
            body: Bytes::new(),
            value,
            codes: response.error_codes.clone(),
            validator: None,
            properties: Vec::new(),
            chosen: None,
        };
        reply.body = match (&reply.value, &reply.media_type) {
            (_, None) => Bytes::new(),
            (Value::String(text), Some(_)) if !reply.is_json() => Bytes::from(text.clone()),
            (value, Some(_)) => Bytes::from(value.to_string()),
        };
        reply
    }

    fn is_json(&self) -> bool {
        let media_type = self.media_type.as_deref().unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        essence.ends_with("/json") || essence.ends_with("+json")
    }

    /// Notes a body that its schema does not allow.
    fn check(
        &mut self,
        document: &Document,
        media: &MediaType,
        validators: &mut Validators<'_>,
        notes: &mut Vec<String>,
    ) {
        let Some(schema) = media.schema_pointer.as_deref().filter(|_| self.is_json()) else {
            return;
        };
        let shape = document.shape(schema).unwrap_or_default();
        self.properties = shape.properties.into_iter().map(|(name, _)| name).collect();
        self.validator = validators.get(schema, Direction::Response);
        let violations = self.validator.as_ref().map(|it| it.validate(&self.value));
        let violations = violations.unwrap_or_default();
        if !violations.is_empty() {
            let place = document.place(&media.pointer);
            let all = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            notes.push(format!("{place}: the answer breaks its schema: {all}; add an `example`"));
        }
    }

    pub(super) fn response(&self) -> Response {
        let mut response = Response::builder().body(self.body.clone());
        response.set_status(self.chosen.unwrap_or_else(|| {
            let status = match self.status {
                Status::Code(status) => status,
                Status::Range(class) => class * 100,
                Status::Default => 200,
            };
            StatusCode::from_u16(status).unwrap_or(StatusCode::OK)
        }));
        let headers = response.headers_mut();
        headers.extend(self.headers.iter().cloned());
        if let Some(value) = self.media_type.as_ref().and_then(|it| it.parse().ok()) {
            headers.insert(poem::http::header::CONTENT_TYPE, value);
        }
        response
    }
}

fn headers(document: &Document, headers: &[Header]) -> Vec<(HeaderName, HeaderValue)> {
    let value = |header: &Header| {
        let written = document.resolve(&header.pointer).ok()?.value.get("example").cloned();
        let value =
            written.or_else(|| Some(sample_of(document, header.schema_pointer.as_deref()?)))?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some((header.name.parse().ok()?, text.parse().ok()?))
    };
    headers.iter().filter_map(value).collect()
}

/// Returns the reply that `Accept` prefers; the first one without that header.
fn accepted<'r>(
    replies: impl Iterator<Item = &'r Reply>,
    accept: Option<&str>,
) -> Option<&'r Reply> {
    let quality = |reply: &Reply| {
        let (Some(media_type), Some(accept)) = (&reply.media_type, accept) else { return 1000 };
        let own = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let ranges = accept.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let range = parts.next()?.to_ascii_lowercase();
            let exactness = match range.strip_suffix('*') {
                None if range == own => 2,
                Some(class) if class.len() > 2 && own.starts_with(class) => 1,
                Some("*/") => 0,
                _ => return None,
            };
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            let thousandths = |text: &str| {
                let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
                format!("{whole}{rest:0<3}").parse().ok()
            };
            Some((exactness, quality.and_then(thousandths).unwrap_or(1000_u32)))
        });
        ranges.max().map_or(0, |(_, quality)| quality)
    };
    let best = replies.map(|reply| (quality(reply), reply)).filter(|(quality, _)| *quality > 0);
    // The first one of equals.
    best.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, reply)| reply)
}
