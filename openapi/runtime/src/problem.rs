//! Every error of an API, before it becomes a response. The code decides the status, as the
//! document says.

use std::{error::Error, fmt, sync::Arc};

use poem::{
    IntoResponse, Response,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{ErrorCode, Operations};

/// How many issues a response lists: a small request with thousands of unknown names must not get a
/// large response.
pub const ISSUES_LIMIT: usize = 100;

/// One error, as the caller sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem<C> {
    /// The stable code, which also decides the status.
    pub code: C,
    /// The text for people: what is wrong and how to fix it. Never a secret.
    pub message: String,
    /// Structured details, where the code has them.
    pub details: Option<Box<Value>>,
    /// Headers of the response, such as `Retry-After`.
    pub headers: Option<Box<HeaderMap>>,
    /// What happened, for the log; never sent.
    pub cause: Option<Cause>,
}

/// The error behind a failed request. The response carries it in its extensions, for the log.
#[derive(Clone)]
pub struct Cause(pub Arc<dyn Error + Send + Sync>);

impl fmt::Debug for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

/// One violation, as `details.issues` of a 422 lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    #[serde(rename = "in")]
    pub location: Location,
    /// JSON pointer inside that part, such as `/domain`; for a parameter, `/` and its name.
    pub path: String,
    pub code: IssueCode,
    /// What is wrong and how to fix it, without the field's name: "must have at most 200
    /// characters, has 201".
    pub message: String,
}

/// The part of a request that an issue is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Location {
    Body,
    Query,
    Path,
    Header,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum IssueCode {
    Required,
    WrongType,
    /// A text has too few characters, or a list too few items.
    TooShort,
    /// A text has too many characters, a list too many items, or a map too many names.
    TooLong,
    /// A number is below its minimum, or an instant is too early, such as not later than another.
    TooSmall,
    /// A number is above its maximum, or an instant is too late.
    TooLarge,
    Zero,
    NotInEnum,
    NotNullable,
    /// The body has a field that the request does not know.
    UnknownField,
    /// The body has a field beside another one that excludes it.
    Excluded,
    /// The query has a parameter that the operation does not know.
    UnknownParameter,
    RepeatedParameter,
    BadFormat,
    /// A value names something that does not exist.
    InvalidReference,
}

impl<C: ErrorCode> Problem<C> {
    pub fn new(code: C, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, headers: None, cause: None }
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.get_or_insert_default().append(name, value);
        self
    }

    /// Adds what happened, for the log.
    #[must_use]
    pub fn with_cause(self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { cause: Some(Cause(cause.into().into())), ..self }
    }

    /// Adds `details`, whose type is one of the document's.
    #[must_use]
    pub fn with_details(self, details: impl Serialize) -> Self {
        let details = serde_json::to_value(details);
        let details = details.expect("the names of all members are texts");
        Self { details: Some(Box::new(details)), ..self }
    }

    /// The request violates the document.
    pub fn invalid(issues: &[Issue]) -> Self {
        Self::of_issues(C::VALIDATION_FAILED, issues, ["breaks a rule", "break a rule"])
    }

    /// Values of the request do what `verb` says of one and of more; the first [`ISSUES_LIMIT`] of
    /// them are in `details.issues`.
    pub fn of_issues(code: C, issues: &[Issue], [one, more]: [&str; 2]) -> Self {
        let listed = &issues[..issues.len().min(ISSUES_LIMIT)];
        let message = values(issues.len(), one, more, C::DETAILS);
        Self::new(code, message).with_details(json!({ "issues": listed }))
    }

    /// 500: the cause is in the log only, under the request id.
    pub fn internal() -> Self {
        Self::new(
            C::INTERNAL_ERROR,
            "The server failed. The request id names this failure in its log.",
        )
    }

    pub fn status(&self) -> StatusCode {
        self.code.status()
    }

    /// The error of an operation, in the form that the document gives it.
    pub fn into_response_of(self, operation: impl Operations) -> Response {
        let form = operation.error_form(self.status().as_u16());
        self.into_response_in(form)
    }

    fn into_response_in(self, form: usize) -> Response {
        let Self { code, message, details, headers, cause } = self;
        let mut response = code.response(form, message, details.map(|details| *details));
        response.headers_mut().extend(headers.map(|headers| *headers).unwrap_or_default());
        response.extensions_mut().insert(AnsweredCode(code.as_str()));
        if let Some(cause) = cause {
            response.extensions_mut().insert(cause);
        }
        response
    }
}

/// The message of a problem for an error without a member for details: it names the issues.
pub fn message_with(message: String, details: Option<Value>) -> String {
    let issues = details.as_ref().and_then(|details| details["issues"].as_array());
    let Some(issues) = issues else {
        return message;
    };
    let issues = issues.iter().map(|issue| {
        // The body as a whole has an empty path.
        let words = ["in", "path", "message"].map(|name| issue[name].as_str().unwrap_or_default());
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    });
    let issues = issues.collect::<Vec<_>>().join("; ");
    let end = message.find(".issues list").and_then(|at| message[..at].rfind("; "));
    let what = &message[..end.unwrap_or(message.len())];
    format!("{what}: {issues}.")
}

/// The first characters of a message, of which the document allows so many.
pub fn shortened(message: String, max_length: usize) -> String {
    match message.char_indices().nth(max_length) {
        Some((end, _)) => message[..end].to_owned(),
        None => message,
    }
}

/// The message of a problem with issues; `details` is the member that lists them.
fn values(count: usize, one: &str, more: &str, details: &str) -> String {
    let issues = format!("{details}.issues");
    match count {
        1 => format!("1 value of the request {one}; {issues} lists it."),
        2..=ISSUES_LIMIT => format!("{count} values of the request {more}; {issues} lists them."),
        _ => format!(
            "{count} values of the request {more}; {issues} lists the first {ISSUES_LIMIT}."
        ),
    }
}

/// The code of an error, in the response's extensions, so that the log need not parse the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredCode(pub &'static str);

impl<C: ErrorCode> IntoResponse for Problem<C> {
    fn into_response(self) -> Response {
        self.into_response_in(0)
    }
}

impl Issue {
    /// An issue of the body, such as a reference to something unknown.
    pub fn body(path: impl Into<String>, code: IssueCode, message: impl Into<String>) -> Self {
        Self { location: Location::Body, path: path.into(), code, message: message.into() }
    }
}
