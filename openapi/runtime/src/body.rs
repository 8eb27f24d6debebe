//! The bodies of responses as the framework sees them.

use poem::{IntoResponse, Response, http::StatusCode};
use poem_openapi::{payload::Payload, registry::MetaSchemaRef};

use crate::{Cause, ErrorCode, Written, any_schema, content::JSON};

/// The body of a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body<T>(pub T);

/// The body of an error.
#[derive(Debug)]
pub struct ErrorBody<C: ErrorCode> {
    /// The code, for the log.
    pub code: &'static str,
    /// The error in the document's shape.
    pub error: C::Error,
    /// The log reports it; the client never sees it.
    pub cause: Option<Cause>,
}

/// The code of an error, in the response's extensions, so that the log need not parse the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredCode(pub &'static str);

impl<T: Written> Payload for Body<T> {
    const CONTENT_TYPE: &'static str = T::CONTENT_TYPE;

    fn schema_ref() -> MetaSchemaRef {
        any_schema()
    }
}

impl<C: ErrorCode> Payload for ErrorBody<C> {
    const CONTENT_TYPE: &'static str = JSON;

    fn schema_ref() -> MetaSchemaRef {
        any_schema()
    }
}

impl<T: Written> IntoResponse for Body<T> {
    fn into_response(self) -> Response {
        self.0.into_body_response()
    }
}

impl<C: ErrorCode> IntoResponse for ErrorBody<C> {
    fn into_response(self) -> Response {
        let mut response = Body(self.error).into_response();
        response.extensions_mut().insert(AnsweredCode(self.code));
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(cause);
        }
        response
    }
}

impl<C: ErrorCode> ErrorBody<C> {
    /// The response with this status.
    pub fn with_status(self, status: StatusCode) -> Response {
        let mut response = self.into_response();
        response.set_status(status);
        response
    }
}
