//! The operation itself, within its time.
//!
//! It refuses to break a handler off: one whose time is up is answered 503, and goes on to its end.

use std::sync::Arc;

use poem::{Endpoint, IntoResponse, Request, Response};

use super::{
    caller::Caller,
    in_flight::Place,
    pipeline::Gate,
    unbroken::{self, Unbroken},
};
use crate::contract::{Decoded, Operation, ParsedBody, Problem};

impl<A, R> Gate<A, R>
where
    A: Send + Sync + 'static,
    R: Endpoint<Output = Response> + 'static,
{
    /// Lets the operation answer. Its place is taken until its work has ended, which may be after the answer.
    pub(super) async fn handle(
        self: &Arc<Self>,
        operation: Operation,
        mut request: Request,
        decoded: Decoded,
        caller: Caller,
        place: Place,
    ) -> Response {
        request.set_data(caller);
        if let Some(body) = decoded.body {
            request.extensions_mut().insert(ParsedBody(body));
        }
        let gate = Arc::clone(self);
        let work = async move {
            let _place = place;
            #[cfg(feature = "mutants")]
            let meant = request.extensions().get().copied();
            let work = gate.routes.call(request);
            #[cfg(feature = "mutants")]
            let work = crate::mutants::lists::meaning(meant, work);
            work.await
        };
        let work = Unbroken::new(&self.instruments.abandoned, work);
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
                tracing::error!(panic = unbroken::message(&*panic), "a handler panicked");
                Problem::internal().into_response()
            }
            Err(_) => {
                self.instruments.metrics.requests_late.inc();
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
