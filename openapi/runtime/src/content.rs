//! Bodies of responses: JSON of a type, or what a handler writes itself, such as a text or a file.

use std::{borrow::Cow, marker::PhantomData};

use poem::{Response, http::StatusCode};
use serde::Serialize;

/// Enough for a single resource; longer bodies grow.
const INITIAL_CAPACITY: usize = 1_024;

pub(crate) const JSON: &str = "application/json";

/// A media type of the document; the generated code names it.
pub trait MediaType: Send + Sync + 'static {
    /// Such as `text/csv`; with `*`, the handler says which one it is.
    const NAME: &'static str;
}

/// A body that a handler wrote itself, in a media type that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content<M> {
    bytes: Vec<u8>,
    content_type: Cow<'static, str>,
    media_type: PhantomData<fn() -> M>,
}

/// A type that a response can have as its body.
pub trait Written: Send + Sync {
    /// The response with status 200.
    fn into_body_response(self) -> Response;

    fn into_response_with(self, status: StatusCode) -> Response
    where
        Self: Sized,
    {
        let mut response = self.into_body_response();
        response.set_status(status);
        response
    }
}

impl<M: MediaType> Content<M> {
    /// A text or bytes of the documented media type.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let is_range = M::NAME.contains('*');
        let content_type = if is_range { "application/octet-stream" } else { M::NAME };
        Self::of_type(bytes, content_type)
    }

    /// The same with a content type of its own, such as `text/csv; charset=utf-8`, or one that a
    /// documented `image/*` includes.
    pub fn of_type(bytes: impl Into<Vec<u8>>, content_type: impl Into<Cow<'static, str>>) -> Self {
        Self { bytes: bytes.into(), content_type: content_type.into(), media_type: PhantomData }
    }
}

impl<T: Serialize + Send + Sync> Written for T {
    fn into_body_response(self) -> Response {
        json_response(StatusCode::OK, JSON, &self)
    }
}

/// JSON in a media type of its own, such as `application/problem+json`.
pub fn json_response(status: StatusCode, media_type: &str, body: &impl Serialize) -> Response {
    // Straight to bytes: the framework's `Json` would build a tree of values first.
    let mut text = Vec::with_capacity(INITIAL_CAPACITY);
    serde_json::to_writer(&mut text, body).expect("our types can be written to memory");
    Response::builder().status(status).content_type(media_type).body(text)
}

/// A text as it is, such as an error in `text/plain`.
pub fn text_response(status: StatusCode, media_type: &str, text: String) -> Response {
    Response::builder().status(status).content_type(media_type).body(text)
}

impl<M: MediaType> Written for Content<M> {
    fn into_body_response(self) -> Response {
        Response::builder().content_type(&self.content_type).body(self.bytes)
    }
}

/// Names a media type: `media_type!(TextCsvMedia, "text/csv");`.
#[macro_export]
macro_rules! media_type {
    ($name:ident, $media_type:literal) => {
        impl $crate::MediaType for $name {
            const NAME: &'static str = $media_type;
        }
    };
}
