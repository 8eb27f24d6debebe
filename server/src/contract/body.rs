//! The JSON body of requests and responses. The request's body was read, validated and parsed
//! before the routes and travels in the request's extensions; the framework's `Json` would parse it
//! again.

use poem::{IntoResponse, Request, RequestBody, Response, Result, http::StatusCode};
use poem_openapi::{
    ApiResponse, impl_apirequest_for_payload,
    payload::{ParsePayload, Payload},
    registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchemaRef, Registry},
    types::{ParseFromJSON, ToJSON, Type},
};
use serde_json::Value;

use super::validation::is_json;

/// Enough for a single resource; longer bodies grow.
const INITIAL_CAPACITY: usize = 1_024;

/// A body of type `application/json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body<T>(pub(crate) T);

/// The request's body as [`decode`](super::decode()) returned it, for the request's extensions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsedBody(pub(crate) Value);

/// The code of an error, in the response's extensions, so that the log need not parse the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnsweredCode(pub(crate) String);

impl<T: Type> Payload for Body<T> {
    const CONTENT_TYPE: &'static str = "application/json";

    fn check_content_type(content_type: &str) -> bool {
        is_json(content_type)
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: ParseFromJSON> ParsePayload for Body<T> {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, _body: &mut RequestBody) -> Result<Self> {
        let parsed = request.extensions().get::<ParsedBody>().cloned();
        let ParsedBody(value) =
            parsed.ok_or_else(|| unchecked("the request has no parsed body"))?;
        let body =
            T::parse_from_json(Some(value)).map_err(|error| unchecked(&error.into_message()))?;
        Ok(Self(body))
    }
}

impl<T: ToJSON> IntoResponse for Body<T> {
    fn into_response(self) -> Response {
        let value = self.0.to_json().unwrap_or_default();
        let mut text = Vec::with_capacity(INITIAL_CAPACITY);
        serde_json::to_writer(&mut text, &value).expect("a value can be written to memory");
        let response = Response::builder().content_type(<Self as Payload>::CONTENT_TYPE);
        let mut response = response.body(text);
        let code = value.get("error").and_then(|error| error["code"].as_str());
        if let Some(code) = code {
            response.extensions_mut().insert(AnsweredCode(code.to_owned()));
        }
        response
    }
}

impl<T: ToJSON> ApiResponse for Body<T> {
    fn meta() -> MetaResponses {
        MetaResponses {
            responses: vec![MetaResponse {
                description: "",
                status: Some(StatusCode::OK.as_u16()),
                status_range: None,
                content: vec![MetaMediaType {
                    content_type: <Self as Payload>::CONTENT_TYPE,
                    schema: <Self as Payload>::schema_ref(),
                }],
                headers: Vec::new(),
            }],
        }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl_apirequest_for_payload!(Body<T>, T: ParseFromJSON);

/// A request that reaches the routes without validation is a bug of the server.
fn unchecked(reason: &str) -> poem::Error {
    tracing::error!(reason, "a request's body reached the routes without validation");
    poem::Error::from_response(super::Problem::internal().into_response())
}
