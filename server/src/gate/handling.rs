//! Runs the operation within its time limit. If the handler takes longer, the client gets a 503 and
//! the handler still runs to its end.

use std::sync::Arc;

use poem::{IntoResponse, Response};

use super::{
    caller::Caller,
    in_flight::{Owner, Permit},
    pipeline::Gate,
    run_to_completion::{self, RunToCompletion},
    speculation::AdmissionSignal,
    validation::ValidRequest,
};
use crate::{
    contract::{Arguments, Operation, Problem, Routes, traits::Handlers},
    problem::Failure,
};

pub trait Handler: Send + Sync + 'static {
    fn handle(
        &self,
        caller: &Caller,
        arguments: Box<Arguments>,
    ) -> impl Future<Output = Response> + Send;
}

impl<A: Handlers<Caller = Caller>> Handler for Routes<A> {
    async fn handle(&self, caller: &Caller, arguments: Box<Arguments>) -> Response {
        self.call(caller, *arguments).await
    }
}

/// A well-formed request that its operation has not handled yet.
pub(super) struct PendingRequest {
    pub(super) operation: Operation,
    pub(super) request: ValidRequest,
    request_id: Arc<str>,
    /// Held until the handler has ended, which may be after the response.
    permit: Permit,
}

/// The handler when the verdict arrives.
pub(super) enum HandlerRun {
    Deferred(Box<PendingRequest>),
    /// The handler ran during the admission; its response is discarded unless the request is
    /// admitted.
    Speculative(Response),
}

pub(super) struct InvalidRequest {
    pub(super) problem: Box<Problem>,
    /// Held until the verdict.
    _permit: Permit,
}

impl PendingRequest {
    pub(super) fn of(
        operation: Operation,
        request: Result<ValidRequest, Problem>,
        request_id: &Arc<str>,
        permit: Permit,
    ) -> Result<Self, InvalidRequest> {
        match request {
            Ok(request) => {
                Ok(Self { operation, request, request_id: Arc::clone(request_id), permit })
            }
            Err(problem) => Err(InvalidRequest { problem: Box::new(problem), _permit: permit }),
        }
    }
}

impl<H: Handler> Gate<H> {
    pub(super) async fn handle(
        self: &Arc<Self>,
        pending: PendingRequest,
        owner: Owner,
        admission: AdmissionSignal,
    ) -> Response {
        let PendingRequest { operation, request, request_id, permit } = pending;
        let ValidRequest { arguments, idempotent_request } = request;
        let Owner { organization, key_id } = owner;
        let caller = Caller {
            organization,
            key_id,
            request_id,
            admission,
            idempotent_request,
            transaction: None,
        };
        let gate = Arc::clone(self);
        let handler = async move {
            let _permit = permit;
            gate.handler.handle(&caller, arguments).await
        };
        let handler = RunToCompletion::new(&self.telemetry.detached_tasks, handler);
        let time = match operation.info().time_limit {
            Some(limit) => limit.max(self.options.long_request),
            None => self.options.request,
        };
        match tokio::time::timeout(time, handler).await {
            Ok(Ok(response)) => response,
            Ok(Err(panic)) => {
                let panic = run_to_completion::message(&*panic);
                let cause = format!("a handler panicked: {panic}");
                Problem::internal().with_cause(cause).into_response()
            }
            Err(_) => Problem::from(Failure::too_late(time)).into_response(),
        }
    }
}
