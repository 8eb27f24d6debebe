//! Every error of the API, before it becomes a response (decisions, "Errors"). The code decides the
//! status, as the document says.

use poem::{IntoResponse, Response, http::StatusCode};
use serde_json::{Value, json};

use super::{
    body::ErrorBody,
    types::{Error, ErrorCode, ErrorObject},
};

/// How many issues a response lists: a small request with thousands of unknown names must not get a
/// large response.
pub const ISSUES_LIMIT: usize = 100;

/// One error, as the caller sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The stable code, which also decides the status.
    pub code: ErrorCode,
    /// The text for people: what is wrong and how to fix it. Never a secret.
    pub message: String,
    /// Structured details, where the code has them.
    pub details: Option<Value>,
    /// What happened, for the log; never sent.
    pub cause: Option<Box<str>>,
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
    /// A value names something that the organisation does not have.
    InvalidReference,
}

impl Problem {
    /// A problem without details.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, cause: None }
    }

    /// The same problem with what happened, for the log.
    #[must_use]
    pub fn with_cause(self, cause: String) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }

    pub fn log_cause(&self, operation: &str) {
        if let Some(cause) = &self.cause {
            let code = self.code.as_str();
            tracing::error!(operation, code, cause, "a request failed");
        }
    }

    /// The same problem with `details`.
    pub(crate) fn with_details(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }

    /// 422: the request violates the document.
    pub(crate) fn invalid(issues: &[Issue]) -> Self {
        let values = values(issues.len(), "breaks a rule", "break a rule");
        Self::new(ErrorCode::ValidationFailed, values).with_issues(issues)
    }

    /// 422: the request names things that the organisation does not have (R2).
    pub(crate) fn invalid_references(issues: &[Issue]) -> Self {
        let what = "something that the organisation does not have";
        let values = values(issues.len(), &format!("names {what}"), &format!("name {what}"));
        Self::new(ErrorCode::InvalidReference, values).with_issues(issues)
    }

    /// 500: the cause is in the log only, under the request id.
    pub(crate) fn internal() -> Self {
        Self::new(
            ErrorCode::InternalError,
            "The server failed. The request id names this failure in its log.",
        )
    }

    /// 503: overload, shutdown, or no database.
    pub(crate) fn unavailable() -> Self {
        Self::new(
            ErrorCode::ServiceUnavailable,
            "The service is not available now. Try again later.",
        )
    }

    /// The same problem with the first [`ISSUES_LIMIT`] issues in `details.issues`.
    fn with_issues(self, issues: &[Issue]) -> Self {
        let listed = issues.iter().take(ISSUES_LIMIT);
        let issues: Vec<Value> = listed.map(Issue::to_json).collect();
        self.with_details(json!({ "issues": issues }))
    }

    /// The status that the document gives to the code.
    pub const fn status(&self) -> StatusCode {
        self.code.status()
    }

    /// The error in the document's shape.
    pub fn into_error(self) -> Error {
        self.into_body().error
    }

    pub(crate) fn into_body(self) -> ErrorBody {
        let code = self.code.as_str();
        let Self { message, details, .. } = self;
        let error = Error { error: ErrorObject { code: code.to_owned(), message, details } };
        ErrorBody { code, error }
    }
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

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        self.into_body().with_status(status)
    }
}

impl Issue {
    /// An issue of the body, such as an unknown tier.
    pub(crate) fn body(
        path: impl Into<String>,
        code: IssueCode,
        message: impl Into<String>,
    ) -> Self {
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
    pub(crate) const fn as_str(self) -> &'static str {
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
