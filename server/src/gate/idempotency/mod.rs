//! Repeats the first response to an idempotency key byte for byte (X9). The response is stored in
//! the transaction of its work, so a crash keeps both or neither.
//!
//! The layer wraps all handlers. They borrow its transaction, which begins when it is first
//! borrowed; their commit becomes durable together with the response. Of several requests with one
//! key, the first that stores a response wins, and the work of the others is rolled back.

mod request;
pub mod store;

use poem::{
    Body, IntoResponse, Response,
    http::{HeaderName, HeaderValue, StatusCode, header},
};

pub(super) use self::request::IdempotentRequest;
use self::store::{FirstResponse, FirstResponses, KeepResponse};
use super::{Caller, Handler};
use crate::{
    contract::{Arguments, Problem, types::ErrorCode},
    permits::{QueueFull, Turns},
    postgres::{BatchLoader, BorrowedTransaction, SingleStatement, Tenants},
    problem::Failure,
};

/// Marks a response that repeats an earlier one.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

pub struct Idempotent<H> {
    tenants: Tenants,
    responses: BatchLoader<FirstResponses>,
    /// The requests that run on this server, by their locks; some wait without a transaction.
    running: Turns<i64>,
    handler: H,
}

impl<H> Idempotent<H> {
    /// Stores responses with the changes that `handler` makes by [`Caller::write`] and
    /// [`Caller::run`].
    pub fn new(tenants: Tenants, responses: BatchLoader<FirstResponses>, handler: H) -> Self {
        Self { tenants, responses, running: Turns::new(1, 0), handler }
    }
}

impl<H: Handler> Handler for Idempotent<H> {
    async fn handle(&self, caller: &Caller, arguments: Box<Arguments>) -> Response {
        let Some(request) = caller.idempotent_request.as_deref() else {
            return self.handler.handle(caller, arguments).await;
        };
        // Boxed: else the future of every request without a key has room for all of this.
        let response = Box::pin(self.once(caller, request, arguments)).await;
        response.unwrap_or_else(|failure| Problem::from(failure).into_response())
    }
}

impl<H: Handler> Idempotent<H> {
    /// Runs the work, unless a response is stored. `running` and the transaction's lock only show
    /// that another request with the key still runs, here or on another server. The key's row,
    /// which is unique, decides.
    async fn once(
        &self,
        caller: &Caller,
        request: &IdempotentRequest,
        arguments: Box<Arguments>,
    ) -> Result<Response, Failure> {
        if let Some(repeated) = self.repeated(caller, request).await? {
            return Ok(repeated);
        }
        caller.admitted().await?;
        let lock = request.lock(&caller.organization);
        let running = self.running.join(lock);
        let _running = running.map_err(|QueueFull| Failure::IdempotencyInProgress)?;
        let transaction = BorrowedTransaction::new(lock);
        let worker = Caller { transaction: Some(transaction.clone()), ..caller.clone() };
        let response = self.handler.handle(&worker, arguments).await;
        if !is_kept(response.status()) {
            return Ok(response);
        }
        let returned = transaction.take_back()?;
        let (parts, body) = response.into_parts();
        let body = body.into_bytes().await;
        let body = body.map_err(|error| Failure::Internal(error.to_string()))?;
        let (organization, status) = (&caller.organization, parts.status.as_u16());
        let keep = KeepResponse { organization, request, status, body: &body };
        let is_first = match returned {
            Some((mut transaction, true)) => {
                let is_first = keep.run(&mut transaction).await?;
                if is_first {
                    transaction.commit().await?;
                }
                is_first
            }
            not_committed => {
                drop(not_committed);
                self.tenants.run(&keep).await?
            }
        };
        if is_first {
            return Ok(Response::from_parts(parts, Body::from_bytes(body)));
        }
        self.repeated(caller, request).await?.ok_or(Failure::IdempotencyInProgress)
    }

    async fn repeated(
        &self,
        caller: &Caller,
        request: &IdempotentRequest,
    ) -> Result<Option<Response>, Failure> {
        let first = self.responses.get(caller.organization.clone(), &request.id()).await?;
        first
            .map(|first| if first.is_of(request) { replayed(first) } else { Ok(reused()) })
            .transpose()
    }
}

/// Returns true for a response of the work itself. After a failure of the server the next request
/// may succeed, so that response is not stored.
fn is_kept(status: StatusCode) -> bool {
    status.is_success()
        || matches!(status, StatusCode::NOT_FOUND | StatusCode::UNPROCESSABLE_ENTITY)
}

fn replayed(first: FirstResponse) -> Result<Response, Failure> {
    let status = u16::try_from(first.status).ok().and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.ok_or_else(|| {
        Failure::Internal(format!("the database holds the status {}", first.status))
    })?;
    let json = HeaderValue::from_static("application/json");
    let response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, json)
        .header(REPLAYED, HeaderValue::from_static("true"));
    Ok(response.body(first.body))
}

fn reused() -> Response {
    let message = "This idempotency-key was used with another body or path. \
                   Use a new key for a new request.";
    let problem = Problem::new(ErrorCode::IdempotencyKeyReused, message);
    problem.with_details(serde_json::json!({})).into_response()
}
