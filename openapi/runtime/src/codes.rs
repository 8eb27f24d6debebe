//! The trait by which generated code describes the errors of the document.

use std::fmt::Debug;

use poem::{Response, http::StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::content::{JSON, json_response};

/// The error codes of a document, each with one status; the generated enum implements it.
pub trait ErrorCode: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The schema of errors, where their operation has no other.
    type Error: Serialize + Send + Sync;

    const MEDIA_TYPE: &'static str = JSON;

    /// The member with the details, as messages name it.
    const DETAILS: &'static str = "details";

    const INVALID_JSON: Self;
    const UNSUPPORTED_MEDIA_TYPE: Self;
    /// The request breaks rules of the document.
    const VALIDATION_FAILED: Self;
    /// The cursor is none of this list.
    const INVALID_CURSOR: Self = Self::VALIDATION_FAILED;
    const INTERNAL_ERROR: Self;
    /// There is no valid proof of who calls.
    const UNAUTHORIZED: Self;
    const NOT_FOUND: Self;
    const METHOD_NOT_ALLOWED: Self;
    const PAYLOAD_TOO_LARGE: Self;

    /// The code as the document writes it.
    fn as_str(self) -> &'static str;

    fn status(self) -> StatusCode;

    /// The error in the document's shape.
    fn error(self, message: String, details: Option<Value>) -> Self::Error;

    /// The response in a form of the document's errors, by its number in
    /// [`Operations::error_form`](crate::Operations::error_form).
    fn response(self, _form: usize, message: String, details: Option<Value>) -> Response {
        json_response(self.status(), Self::MEDIA_TYPE, &self.error(message, details))
    }
}

/// Fills a schema of errors by hand: one that `by-hand` names in `[error]` of `contract.toml`.
pub trait FillError<E>: ErrorCode {
    fn fill(self, message: String, details: Option<Value>) -> E;
}
