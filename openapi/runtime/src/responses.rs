//! The responses of operations, limited to the statuses that the document lists. Any other status
//! becomes a 500, whose cause says so, and so does a header with a value that no header can have.

use std::fmt::Display;

use poem::{IntoResponse, Response, http::HeaderValue};
#[cfg(feature = "poem-openapi")]
use poem_openapi::{
    ApiResponse,
    registry::{MetaResponses, Registry},
};

use crate::{ErrorCode, Operations, Problem};

/// The response of an operation.
#[derive(Debug)]
pub struct Answer(Response);

impl Answer {
    /// The response to what a handler of `operation` returned; `errors` are the statuses of the
    /// errors that the document lists.
    pub fn of<T, C: ErrorCode>(
        operation: impl Operations,
        errors: &[u16],
        result: Result<T, Problem<C>>,
        success: impl FnOnce(T) -> Response,
    ) -> Self {
        let id = operation.info().id;
        let cause = match result {
            Ok(value) => {
                let response = success(value);
                match response.extensions().get() {
                    None => return Self(response),
                    Some(InvalidHeader(name)) => {
                        format!("{id} returned a `{name}` with a character that no header has")
                    }
                }
            }
            Err(problem) if errors.contains(&problem.status().as_u16()) => {
                return Self(problem.into_response_of(operation));
            }
            Err(problem) => {
                let (status, code) = (problem.status().as_u16(), problem.code.as_str());
                format!("the document lists no {status} {code} for {id}")
            }
        };
        Self(Problem::<C>::internal().with_cause(cause).into_response_of(operation))
    }
}

/// Adds the headers of the document to a response.
pub trait DocumentedHeaders: Sized {
    #[must_use]
    fn documented_header(self, name: &'static str, value: Option<&impl Display>) -> Self;
}

/// The header of a response with a value that no header can have.
#[derive(Clone)]
struct InvalidHeader(&'static str);

impl DocumentedHeaders for Response {
    fn documented_header(mut self, name: &'static str, value: Option<&impl Display>) -> Self {
        match value.map(|value| HeaderValue::try_from(value.to_string())) {
            Some(Ok(value)) => drop(self.headers_mut().insert(name, value)),
            Some(Err(_)) => drop(self.extensions_mut().insert(InvalidHeader(name))),
            None => {}
        }
        self
    }
}

/// The values of a list in a header.
#[derive(Debug)]
pub struct Joined<'a, T>(pub &'a [T]);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, value) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(formatter, "{separator}{value}")?;
        }
        Ok(())
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        self.0
    }
}

/// The framework learns nothing of the responses: the server publishes the document itself.
#[cfg(feature = "poem-openapi")]
impl ApiResponse for Answer {
    fn meta() -> MetaResponses {
        MetaResponses { responses: Vec::new() }
    }

    fn register(_registry: &mut Registry) {}
}
