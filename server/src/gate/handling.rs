//! The operation itself, within its time.
//!
//! It refuses to break a handler off: one whose time is up is answered 503, and goes on to its end.

use std::sync::Arc;

use poem::{Endpoint, IntoResponse, Request, Response, http::Method};

use super::{
    admission::{AdmissionError, AdmissionRequest, Admitted},
    caller::Caller,
    in_flight::{Owner, Place},
    pipeline::Gate,
    run_to_completion::{self, RunToCompletion},
};
use crate::contract::{Decoded, Operation, ParsedBody, Problem};

/// What a request of sound form asks of its operation.
pub(super) struct PendingRequest {
    pub(super) operation: Operation,
    pub(super) request: Request,
    pub(super) decoded: Decoded,
    pub(super) request_id: Arc<str>,
    /// Taken until the work has ended, which may be after the answer.
    pub(super) place: Place,
}

/// How far the operation's own work is, once the request is decided on.
pub(super) enum Work {
    /// It begins when the request is admitted.
    Due(Box<PendingRequest>),
    /// A read that went on beside the admission; told only where the request is admitted.
    Done(Response),
}

/// What will not become an errand, for its form.
pub(super) struct Refused {
    pub(super) fault: Box<Problem>,
    /// Taken until it is told.
    _place: Place,
}

impl PendingRequest {
    /// What a request of this form asks.
    pub(super) fn of(
        operation: Operation,
        request: Request,
        form: Result<Decoded, Problem>,
        request_id: &Arc<str>,
        place: Place,
    ) -> Result<Self, Refused> {
        match form {
            Ok(decoded) => Ok(Self {
                operation,
                request,
                decoded,
                request_id: Arc::clone(request_id),
                place,
            }),
            Err(fault) => Err(Refused {
                fault: Box::new(fault),
                _place: place,
            }),
        }
    }

    /// Whether it may begin before the request is admitted, and be forgotten where it is not.
    pub(super) fn only_reads(&self) -> bool {
        self.operation.info().method == Method::GET
    }

    fn caller(&self, owner: Owner) -> Caller {
        Caller {
            organization: owner.organization,
            key_id: owner.key_id,
            request_id: Arc::clone(&self.request_id),
        }
    }
}

impl<R> Gate<R>
where
    R: Endpoint<Output = Response> + 'static,
{
    /// Has the request admitted. While few are in flight a read goes on beside it: it changes nothing, and is told only where
    /// the request is admitted. Where many are, it would be work that a refusal throws away.
    pub(super) async fn admit_concurrently(
        self: &Arc<Self>,
        asked: AdmissionRequest,
        errand: Result<PendingRequest, Refused>,
    ) -> (Result<Admitted, AdmissionError>, Result<Work, Refused>) {
        let admitted = self.admission.admit(asked);
        let early = match &errand {
            Ok(errand) if errand.only_reads() => self.in_flight.cached_owner_if_idle(asked.key),
            _ => None,
        };
        match (errand, early) {
            (Ok(errand), Some(owner)) => {
                let (admitted, response) = tokio::join!(admitted, self.handle(errand, owner));
                (admitted, Ok(Work::Done(response)))
            }
            (errand, _) => {
                let admitted = admitted.await;
                (admitted, errand.map(|errand| Work::Due(Box::new(errand))))
            }
        }
    }

    /// Lets the operation answer the owner of a key.
    pub(super) async fn handle(self: &Arc<Self>, errand: PendingRequest, owner: Owner) -> Response {
        let caller = errand.caller(owner);
        let PendingRequest {
            operation,
            mut request,
            decoded,
            place,
            ..
        } = errand;
        request.set_data(caller);
        if let Some(body) = decoded.body {
            request.extensions_mut().insert(ParsedBody(body));
        }
        let gate = Arc::clone(self);
        let work = async move {
            let _place = place;
            gate.routes.call(request).await
        };
        let work = RunToCompletion::new(&self.telemetry.detached_tasks, work);
        let time = match operation {
            Operation::GenerateStatement => self.options.statement,
            _ => self.options.request,
        };
        match tokio::time::timeout(time, work).await {
            Ok(Ok(Ok(response))) => only_documented(operation, response),
            Ok(Ok(Err(error))) => {
                // The form was sound and the operation is known: a refusal of the framework is a defect of ours.
                tracing::error!(%error, "the framework refused what the form had passed");
                Problem::internal().into_response()
            }
            Ok(Err(panic)) => {
                tracing::error!(
                    panic = run_to_completion::message(&*panic),
                    "a handler panicked"
                );
                Problem::internal().into_response()
            }
            Err(_) => {
                self.telemetry.metrics.requests_late.inc();
                tracing::error!(
                    operation = operation.info().id,
                    ?time,
                    "a request took too long"
                );
                Problem::unavailable().into_response()
            }
        }
    }
}

/// The last fence: a status that the document does not name for this operation is a defect, and leaves as a 500, before
/// its credit is settled.
fn only_documented(operation: Operation, response: Response) -> Response {
    let status = response.status().as_u16();
    if operation.info().statuses.contains(&status) {
        return response;
    }
    tracing::error!(
        operation = operation.info().id,
        status,
        "an undocumented status"
    );
    Problem::internal().into_response()
}
