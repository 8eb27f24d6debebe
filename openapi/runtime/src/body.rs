//! The body of a success as the framework sees it.

use poem::{IntoResponse, Response};
use poem_openapi::{payload::Payload, registry::MetaSchemaRef};

use crate::content::{Written, any_schema};

/// The body of a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body<T>(pub T);

impl<T: Written> Payload for Body<T> {
    const CONTENT_TYPE: &'static str = T::CONTENT_TYPE;

    fn schema_ref() -> MetaSchemaRef {
        any_schema()
    }
}

impl<T: Written> IntoResponse for Body<T> {
    fn into_response(self) -> Response {
        self.0.into_body_response()
    }
}
