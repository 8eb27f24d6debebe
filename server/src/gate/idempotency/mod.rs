//! Idempotent requests (X9): the first response to an idempotency key is kept in the transaction of
//! its work, so that a crash keeps both or neither, and is repeated byte for byte.
//!
//! The layer stands around all handlers. It lends them its transaction; what they commit becomes
//! durable together with the response.

mod request;
pub mod store;

use poem::{
    Body, IntoResponse, Response,
    http::{HeaderName, HeaderValue, StatusCode, header},
};

pub(super) use self::request::IdempotentRequest;
use self::store::FirstResponse;
use super::{Caller, Handler};
use crate::{
    contract::{Arguments, Problem, types::ErrorCode},
    failure::Failure,
    tenant::{BorrowedTransaction, Tenants},
};

/// On a response that repeats an earlier one.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Handlers whose requests with an idempotency key are done once.
#[derive(Debug)]
pub struct Idempotent<H> {
    tenants: Tenants,
    handler: H,
}

impl<H> Idempotent<H> {
    /// Keeps responses with the changes that `handler` makes by [`Caller::write`].
    pub const fn new(tenants: Tenants, handler: H) -> Self {
        Self { tenants, handler }
    }
}

impl<H: Handler> Handler for Idempotent<H> {
    async fn handle(&self, caller: &Caller, arguments: Arguments) -> Response {
        let Some(request) = caller.idempotent_request.as_deref() else {
            return self.handler.handle(caller, arguments).await;
        };
        let response = self.once(caller, request, arguments).await;
        response.unwrap_or_else(|failure| {
            let problem = Problem::from(failure);
            problem.log_cause(request.operation);
            problem.into_response()
        })
    }
}

impl<H: Handler> Idempotent<H> {
    async fn once(
        &self,
        caller: &Caller,
        request: &IdempotentRequest,
        arguments: Arguments,
    ) -> Result<Response, Failure> {
        let lock = request.lock(&caller.organization);
        let Some(mut transaction) = self.tenants.write_alone(&caller.organization, lock).await?
        else {
            return Ok(in_progress());
        };
        if let Some(first) = store::first_response(&mut transaction, request).await? {
            // The lock ends with it: the next request must not find this one running.
            transaction.commit().await?;
            let is_same = first.request_hash == request.hash;
            return if is_same { replayed(first) } else { Ok(reused()) };
        }
        let transaction = BorrowedTransaction::new(transaction);
        let caller = Caller { transaction: Some(transaction.clone()), ..caller.clone() };
        let response = self.handler.handle(&caller, arguments).await;
        if !is_kept(response.status()) {
            return Ok(response);
        }
        let returned = transaction.take_back();
        let (mut transaction, is_committed) = returned
            .ok_or_else(|| Failure::Internal("the handler still has its transaction".into()))?;
        if !is_committed {
            transaction.undo_work().await?;
        }
        let (parts, body) = response.into_parts();
        let body = body.into_bytes().await;
        let body = body.map_err(|error| Failure::Internal(error.to_string()))?;
        store::keep(&mut transaction, request, parts.status.as_u16(), &body).await?;
        transaction.commit().await?;
        Ok(Response::from_parts(parts, Body::from_bytes(body)))
    }
}

/// A response of the work itself. Not a failure of the server: the next request may succeed.
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

fn in_progress() -> Response {
    let message = "Another request with this idempotency-key is still running. \
                   Send this one again in a moment.";
    Problem::new(ErrorCode::IdempotencyInProgress, message).into_response()
}

fn reused() -> Response {
    let message = "This idempotency-key was used with another body or path. \
                   Use a new key for a new request.";
    let problem = Problem::new(ErrorCode::IdempotencyKeyReused, message);
    problem.with_details(serde_json::json!({})).into_response()
}
