//! The trait by which generated code describes the errors of the document.

use std::fmt::Debug;

use poem::http::StatusCode;
use serde::Serialize;
use serde_json::Value;

/// The error codes of a document, each with one status; the generated enum implements it.
pub trait ErrorCode: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The schema of every error.
    type Error: Serialize + Send + Sync;

    const INVALID_JSON: Self;
    const UNSUPPORTED_MEDIA_TYPE: Self;
    /// The request breaks rules of the document.
    const VALIDATION_FAILED: Self;
    /// The cursor is none of this list.
    const INVALID_CURSOR: Self = Self::VALIDATION_FAILED;
    const INTERNAL_ERROR: Self;

    /// The member of the error that has the issues.
    const DETAILS: &'static str = "details";

    const NOT_FOUND: Option<Self> = None;
    const METHOD_NOT_ALLOWED: Option<Self> = None;
    const PAYLOAD_TOO_LARGE: Option<Self> = None;

    /// The code as the document writes it.
    fn as_str(self) -> &'static str;

    fn status(self) -> StatusCode;

    /// The error in the document's shape.
    fn error(self, message: String, details: Option<Value>) -> Self::Error;
}
