//! The shortest way from a request to its handler: for servers that need nothing in between, such
//! as metering.

use std::future::Future;

use poem::{Endpoint, IntoResponse, Request, Response, http::header::ALLOW};

use crate::{Cause, ErrorCode, Found, Operations, Problem, RequestForm, find};

/// How large a body may be, in bytes, unless a service sets another limit.
pub const BODY_LIMIT: usize = 64 * 1024;

/// A generated contract with its handlers.
pub trait Contract: Send + Sync + 'static {
    type Operation: Operations + Send + Sync;
    type Arguments: Send;
    type Code: ErrorCode;
    type Caller: Send + Sync;

    /// Reads the parameters and the body of a request.
    fn decode(
        operation: Self::Operation,
        request: &RequestForm<'_>,
    ) -> Result<Self::Arguments, Problem<Self::Code>>;

    /// Who calls; a problem where nobody may.
    fn authenticate(
        &self,
        operation: Self::Operation,
        request: &Request,
    ) -> impl Future<Output = Result<Self::Caller, Problem<Self::Code>>> + Send;

    fn call(
        &self,
        caller: &Self::Caller,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Response> + Send;
}

/// Serves every operation of a contract: 404 and 405, then the caller, then the form of the
/// request, then its handler.
#[derive(Debug)]
pub struct Service<C> {
    contract: C,
    body_limit: usize,
    /// Other limits, by the ids of their operations.
    body_limits: Vec<(&'static str, usize)>,
}

impl<C: Contract> Service<C> {
    pub const fn new(contract: C) -> Self {
        Self { contract, body_limit: BODY_LIMIT, body_limits: Vec::new() }
    }

    /// Sets another limit of bodies, in bytes.
    #[must_use]
    pub fn with_body_limit(self, body_limit: usize) -> Self {
        Self { body_limit, ..self }
    }

    /// Sets the limit of the bodies of one operation, such as one that receives files.
    #[must_use]
    pub fn with_body_limit_of(mut self, operation: C::Operation, body_limit: usize) -> Self {
        self.body_limits.push((operation.info().id, body_limit));
        self
    }

    fn body_limit_of(&self, operation: C::Operation) -> usize {
        let own = self.body_limits.iter().rfind(|(id, _)| *id == operation.info().id);
        own.map_or(self.body_limit, |(_, body_limit)| *body_limit)
    }

    async fn respond(&self, mut request: Request) -> Result<Response, Response> {
        let (operation, path) = match find(request.method(), request.uri().path()) {
            Found::Operation { operation, path } => (operation, path),
            Found::MethodNotAllowed { allow } => {
                let message = format!("The path has the methods {allow}.");
                let problem = Problem::new(C::Code::METHOD_NOT_ALLOWED, message);
                let response = problem.into_response().with_header(ALLOW, allow);
                return Err(response.into_response());
            }
            Found::Unknown => {
                let message = "The API has no such path.";
                return Err(Problem::new(C::Code::NOT_FOUND, message).into_response());
            }
        };
        let refused = |problem: Problem<C::Code>| problem.into_response_of(operation);
        let caller = self.contract.authenticate(operation, &request).await.map_err(refused)?;
        let body_limit = self.body_limit_of(operation);
        let body = request.take_body().into_bytes_limit(body_limit).await;
        let body = body.map_err(|_| {
            let message = format!("The body has more than {body_limit} bytes.");
            refused(Problem::new(C::Code::PAYLOAD_TOO_LARGE, message))
        })?;
        let form = RequestForm {
            path: &path,
            query: request.uri().query(),
            headers: request.headers(),
            body: &body,
        };
        let arguments = C::decode(operation, &form).map_err(refused)?;
        Ok(self.contract.call(&caller, arguments).await)
    }
}

impl<C: Contract> Endpoint for Service<C> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let response = self.respond(request).await.unwrap_or_else(|refused| refused);
        if let Some(Cause(error)) = response.extensions().get() {
            tracing::error!(%error, "a request failed");
        }
        Ok(response)
    }
}
