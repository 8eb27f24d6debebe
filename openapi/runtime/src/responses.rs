//! The responses of operations, limited to the statuses that the document lists. Any other status
//! becomes a 500, whose cause says so.

use poem::{IntoResponse, Response};
#[cfg(feature = "poem-openapi")]
use poem_openapi::{
    ApiResponse,
    registry::{MetaResponses, Registry},
};

use crate::{ErrorCode, Problem};

/// The response of an operation.
#[derive(Debug)]
pub struct Answer(Response);

impl Answer {
    /// The response to what a handler of `operation` returned; `errors` are the statuses of the
    /// errors that the document lists.
    pub fn of<T, C: ErrorCode>(
        operation: &str,
        errors: &[u16],
        result: Result<T, Problem<C>>,
        success: impl FnOnce(T) -> Response,
    ) -> Self {
        let problem = match result {
            Ok(value) => return Self(success(value)),
            Err(problem) => problem,
        };
        let (status, code) = (problem.status().as_u16(), problem.code.as_str());
        if errors.contains(&status) {
            return Self(problem.into_response());
        }
        let cause = format!("the document lists no {status} {code} for {operation}");
        Self(Problem::<C>::internal().with_cause(cause).into_response())
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
