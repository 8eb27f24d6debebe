//! Runs the operation within its time limit. A handler that takes longer gets a 503 and still runs
//! to its end.

use std::sync::Arc;

use poem::{IntoResponse, Response, http::Method};
use tokio::sync::watch;

use super::{
    admission::{AdmissionError, AdmissionRequest, Admitted, Verdict},
    caller::Caller,
    in_flight::{Owner, Permit},
    pipeline::Gate,
    run_to_completion::{self, RunToCompletion},
    validation::ValidRequest,
};
use crate::{
    contract::{Arguments, Operation, Problem, Routes, traits::Handlers},
    problem::Failure,
    telemetry::log_context,
};

/// Answers the requests that the gate admits.
pub trait Handler: Send + Sync + 'static {
    /// The response of the operation whose arguments these are.
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
    operation: Operation,
    request: ValidRequest,
    request_id: Arc<str>,
    /// Held until the handler has ended, which may be after the response.
    permit: Permit,
}

/// How far the handler is when the verdict arrives.
pub(super) enum HandlerRun {
    /// It starts once the request is admitted.
    Deferred(Box<PendingRequest>),
    /// It ran concurrently with the admission; its response is discarded unless the request is
    /// admitted.
    Speculative(Response),
}

/// A request whose form is invalid.
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

    /// Whether it may start before the request is admitted: it changes nothing, or waits for
    /// [`Caller::admitted`] before it does.
    fn begins_with_a_read(&self) -> bool {
        let info = self.operation.info();
        info.method == Method::GET
            || self.operation == Operation::GenerateStatement
            || self.request.idempotent_request.is_some()
    }
}

impl<H: Handler> Gate<H> {
    /// Admits the request. At low load an operation that begins with a read runs concurrently; its
    /// response is discarded unless admission succeeds. Under load that would be work that a
    /// rejection wastes.
    pub(super) async fn admit_concurrently(
        self: &Arc<Self>,
        request: AdmissionRequest,
        pending: Result<PendingRequest, InvalidRequest>,
    ) -> (Result<Admitted, AdmissionError>, Result<HandlerRun, InvalidRequest>) {
        let admitted = async {
            let admitted = self.admission.admit(request).await;
            if let Ok(Admitted { verdict: Verdict::ValidKey(admission), .. }) = &admitted {
                log_context::set_organization(&admission.organization);
            }
            admitted
        };
        let owner = match &pending {
            Ok(pending) if pending.begins_with_a_read() => {
                self.in_flight.cached_owner_if_idle(request.key)
            }
            _ => None,
        };
        match (pending, owner) {
            (Ok(pending), Some(owner)) => {
                let (is_admitted, receiver) = watch::channel(false);
                let decided = async {
                    let admitted = admitted.await;
                    if admitted.as_ref().is_ok_and(|admitted| admitted.verdict.is_admitted()) {
                        is_admitted.send_replace(true);
                    }
                    drop(is_admitted);
                    admitted
                };
                let response = self.handle(pending, owner, Some(receiver));
                // The admission takes longer, so it begins first.
                let (admitted, response) = tokio::join!(decided, response);
                (admitted, Ok(HandlerRun::Speculative(response)))
            }
            (pending, _) => {
                let run = pending.map(|pending| HandlerRun::Deferred(Box::new(pending)));
                (admitted.await, run)
            }
        }
    }

    /// Runs the handler for the owner of the key.
    pub(super) async fn handle(
        self: &Arc<Self>,
        pending: PendingRequest,
        owner: Owner,
        is_admitted: Option<watch::Receiver<bool>>,
    ) -> Response {
        let PendingRequest { operation, request, request_id, permit } = pending;
        let ValidRequest { arguments, idempotent_request } = request;
        let Owner { organization, key_id } = owner;
        let caller = Caller {
            organization,
            key_id,
            request_id,
            is_admitted,
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
