//! Starts an operation that begins with a read beside its admission, so that a lone request waits
//! for one round trip to the database instead of two. The response is discarded unless the request
//! is admitted.

use std::sync::Arc;

use poem::http::Method;
use tokio::sync::watch;

use super::{
    admission::{AdmissionError, AdmissionRequest, Admitted, Verdict},
    handling::{Handler, HandlerRun, InvalidRequest, PendingRequest},
    in_flight::{InFlightLimiter, Owner},
    key::KeyHash,
    pipeline::Gate,
};
use crate::{problem::Failure, telemetry::log_context};

/// Most requests in flight with which one starts before its admission. Under more load a rejection
/// would waste the work.
const MAX_IN_FLIGHT: usize = 8;

/// Reports to a handler when its request is admitted.
#[derive(Clone, Debug)]
pub(super) struct AdmissionSignal(Option<watch::Receiver<bool>>);

impl AdmissionSignal {
    /// The signal of a handler that starts after the admission.
    pub(super) fn admitted() -> Self {
        Self(None)
    }

    /// Waits until the request is admitted.
    ///
    /// # Errors
    /// [`Failure::NotAdmitted`], which no client gets: the gate responds with its own reason.
    pub(super) async fn wait(&self) -> Result<(), Failure> {
        let Some(mut is_admitted) = self.0.clone() else {
            return Ok(());
        };
        let admitted = is_admitted.wait_for(|is_admitted| *is_admitted).await;
        admitted.map(drop).map_err(|_| Failure::NotAdmitted)
    }
}

impl<H: Handler> Gate<H> {
    /// Admits the request, and runs its handler meanwhile if the load is low.
    pub(super) async fn admit_concurrently(
        self: &Arc<Self>,
        request: AdmissionRequest,
        pending: Result<PendingRequest, InvalidRequest>,
    ) -> (Result<Admitted, AdmissionError>, Result<HandlerRun, InvalidRequest>) {
        let owner =
            pending.as_ref().ok().and_then(|pending| self.owner_in_advance(pending, request.key));
        let admitted = async {
            let admitted = self.admission.admit(request).await;
            if let Ok(Admitted { verdict: Verdict::ValidKey(admission), .. }) = &admitted {
                log_context::set_organization(&admission.organization);
            }
            admitted
        };
        match (pending, owner) {
            (Ok(pending), Some(owner)) => {
                let (sender, receiver) = watch::channel(false);
                let decided = async {
                    let admitted = admitted.await;
                    if admitted.as_ref().is_ok_and(|admitted| admitted.verdict.is_admitted()) {
                        sender.send_replace(true);
                    }
                    drop(sender);
                    admitted
                };
                let response = self.handle(pending, owner, AdmissionSignal(Some(receiver)));
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

    /// Returns the key's owner if the request may start before it is admitted: it changes nothing,
    /// or waits for its [`AdmissionSignal`] before it does.
    fn owner_in_advance(&self, pending: &PendingRequest, key: KeyHash) -> Option<Owner> {
        let info = pending.operation.info();
        let begins_with_read = info.method == Method::GET
            || info.begins_with_read
            || pending.request.idempotent_request.is_some();
        begins_with_read.then(|| owner_if_idle(&self.in_flight, key)).flatten()
    }
}

/// Returns the key's owner if it is cached and few requests are in flight.
fn owner_if_idle(in_flight: &InFlightLimiter, key: KeyHash) -> Option<Owner> {
    let is_idle = in_flight.granted() <= MAX_IN_FLIGHT;
    is_idle.then(|| in_flight.owner(key)).flatten()
}

#[cfg(test)]
mod tests {
    use super::{
        super::in_flight::tests::{acquire, key, known, limiter, owner},
        *,
    };

    #[tokio::test(start_paused = true)]
    async fn owner_is_returned_while_few_are_in_flight() {
        let limiter = limiter(100, 100);
        let cached = known(&limiter, 'A');
        let mut permits: Vec<_> = (0..MAX_IN_FLIGHT).map(|_| acquire(&limiter, cached)).collect();
        assert_eq!(owner_if_idle(&limiter, cached), Some(owner('A')));
        assert_eq!(owner_if_idle(&limiter, key()), None);
        permits.push(acquire(&limiter, cached));
        assert_eq!(owner_if_idle(&limiter, cached), None);
        permits.pop();
        assert!(owner_if_idle(&limiter, cached).is_some());
    }
}
