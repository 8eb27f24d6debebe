//! The JSON bodies of responses, written straight to bytes: the framework's `Json` would build a
//! tree of values first.

use poem::{IntoResponse, Response, http::StatusCode};
use poem_openapi::{
    payload::Payload,
    registry::{MetaSchemaRef, Registry},
    types::Type,
};
use serde::Serialize;

use crate::ErrorCode;

/// Enough for a single resource; longer bodies grow.
const INITIAL_CAPACITY: usize = 1_024;

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
}

/// The code of an error, in the response's extensions, so that the log need not parse the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredCode(pub &'static str);

impl<T: Type> Payload for Body<T> {
    const CONTENT_TYPE: &'static str = "application/json";

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<C: ErrorCode> Payload for ErrorBody<C> {
    const CONTENT_TYPE: &'static str = Body::<C::Error>::CONTENT_TYPE;

    fn schema_ref() -> MetaSchemaRef {
        C::Error::schema_ref()
    }

    fn register(registry: &mut Registry) {
        C::Error::register(registry);
    }
}

impl<T: Serialize + Type> IntoResponse for Body<T> {
    fn into_response(self) -> Response {
        let mut text = Vec::with_capacity(INITIAL_CAPACITY);
        serde_json::to_writer(&mut text, &self.0).expect("our types can be written to memory");
        Response::builder().content_type(Self::CONTENT_TYPE).body(text)
    }
}

impl<C: ErrorCode> IntoResponse for ErrorBody<C> {
    fn into_response(self) -> Response {
        let mut response = Body(self.error).into_response();
        response.extensions_mut().insert(AnsweredCode(self.code));
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
