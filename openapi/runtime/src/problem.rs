//! Every error of an API, before it becomes a response. The code decides the status, as the
//! document says.

use std::{error::Error, fmt, sync::Arc};

use poem::{IntoResponse, Response, http::StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{ErrorBody, ErrorCode};

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
    pub details: Option<Value>,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Which part of the request.
    pub location: Location,
    /// JSON pointer inside that part, such as `/domain`; for a parameter, `/` and its name.
    pub path: String,
    /// The kind of violation.
    pub code: IssueCode,
    /// What is wrong and how to fix it, without the field's name: "must have at most 200
    /// characters, has 201".
    pub message: String,
}

/// The part of a request that an issue is in; printed as `in`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Location {
    /// The JSON body.
    Body,
    /// The query string.
    Query,
    Path,
    Header,
}

/// The kinds of violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssueCode {
    /// A required field or parameter is missing.
    Required,
    /// The value has another type.
    WrongType,
    /// A text has too few characters, or a list too few items.
    TooShort,
    /// A text has too many characters, a list too many items, or a map too many names.
    TooLong,
    /// A number is below its minimum, or an instant is not later than another.
    TooSmall,
    /// A number is above its maximum.
    TooLarge,
    /// An amount must not be zero.
    Zero,
    /// A value is outside its value set.
    NotInEnum,
    /// A value must not be null.
    NotNullable,
    /// The body has a field that the request does not know.
    UnknownField,
    /// The query has a parameter that the operation does not know.
    UnknownParameter,
    /// A parameter is given more than once.
    RepeatedParameter,
    /// A text does not have its format.
    BadFormat,
    /// A value names something that does not exist.
    InvalidReference,
}

impl<C: ErrorCode> Problem<C> {
    /// A problem without details.
    #[must_use]
    pub fn new(code: C, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, cause: None }
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
        Self { details: Some(details.expect("the names of all members are texts")), ..self }
    }

    /// The request violates the document.
    #[must_use]
    pub fn invalid(issues: &[Issue]) -> Self {
        Self::of_issues(C::VALIDATION_FAILED, issues, ["breaks a rule", "break a rule"])
    }

    /// Values of the request do what `verb` says of one and of more; the first [`ISSUES_LIMIT`] of
    /// them are in `details.issues`.
    #[must_use]
    pub fn of_issues(code: C, issues: &[Issue], [one, more]: [&str; 2]) -> Self {
        let listed = issues.iter().take(ISSUES_LIMIT);
        let details: Vec<Value> = listed.map(Issue::to_json).collect();
        let message = values(issues.len(), one, more);
        Self::new(code, message).with_details(json!({ "issues": details }))
    }

    /// 500: the cause is in the log only, under the request id.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(
            C::INTERNAL_ERROR,
            "The server failed. The request id names this failure in its log.",
        )
    }

    /// The status that the document gives to the code.
    pub fn status(&self) -> StatusCode {
        self.code.status()
    }

    /// The error in the document's shape.
    pub fn into_error(self) -> C::Error {
        self.into_body().error
    }

    /// The body of its response.
    pub fn into_body(self) -> ErrorBody<C> {
        let Self { code, message, details, cause } = self;
        ErrorBody { code: code.as_str(), error: code.error(message, details), cause }
    }
}

/// The message of a problem for an error without a member for details: it names the issues.
#[must_use]
pub fn message_with(message: String, details: Option<Value>) -> String {
    let issues = details.as_ref().and_then(|details| details["issues"].as_array());
    let Some(issues) = issues else {
        return message;
    };
    let text = |issue: &Value, name: &str| issue[name].as_str().unwrap_or_default().to_owned();
    let issues = issues.iter().map(|issue| {
        format!("{} {} {}", text(issue, "in"), text(issue, "path"), text(issue, "message"))
    });
    let issues = issues.collect::<Vec<_>>().join("; ");
    let what = message.split("; details.issues").next().unwrap_or_default();
    format!("{what}: {issues}.")
}

/// The message of a problem with issues.
fn values(count: usize, one: &str, more: &str) -> String {
    match count {
        1 => format!("1 value of the request {one}; details.issues lists it."),
        2..=ISSUES_LIMIT => {
            format!("{count} values of the request {more}; details.issues lists them.")
        }
        _ => format!(
            "{count} values of the request {more}; details.issues lists the first {ISSUES_LIMIT}."
        ),
    }
}

impl<C: ErrorCode> IntoResponse for Problem<C> {
    fn into_response(self) -> Response {
        let status = self.status();
        self.into_body().with_status(status)
    }
}

impl Issue {
    /// An issue of the body, such as a reference to something unknown.
    pub fn body(path: impl Into<String>, code: IssueCode, message: impl Into<String>) -> Self {
        Self { location: Location::Body, path: path.into(), code, message: message.into() }
    }

    /// The issue as `details.issues` lists it.
    fn to_json(&self) -> Value {
        json!({
            "in": self.location.as_str(),
            "path": self.path,
            "code": self.code.as_str(),
            "message": self.message,
        })
    }
}

impl Location {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Query => "query",
            Self::Path => "path",
            Self::Header => "header",
        }
    }
}

impl IssueCode {
    /// The code as an issue lists it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "REQUIRED",
            Self::WrongType => "WRONG_TYPE",
            Self::TooShort => "TOO_SHORT",
            Self::TooLong => "TOO_LONG",
            Self::TooSmall => "TOO_SMALL",
            Self::TooLarge => "TOO_LARGE",
            Self::Zero => "ZERO",
            Self::NotInEnum => "NOT_IN_ENUM",
            Self::NotNullable => "NOT_NULLABLE",
            Self::UnknownField => "UNKNOWN_FIELD",
            Self::UnknownParameter => "UNKNOWN_PARAMETER",
            Self::RepeatedParameter => "REPEATED_PARAMETER",
            Self::BadFormat => "BAD_FORMAT",
            Self::InvalidReference => "INVALID_REFERENCE",
        }
    }
}
