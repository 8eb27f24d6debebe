//! Positive controls: a rejection proves something only where the same request, without its one
//! fault, succeeds.

use super::{CaseContext, CaseOutcome, CaseResult};
use crate::exchange::{Request, Response};

const PREPARATION: &str = "The request that prepares the case did not succeed.";

impl CaseContext<'_> {
    /// Sends the control, which must succeed, and then the request that must be rejected; returns
    /// the response to the latter.
    /// Inconclusive: the control did not succeed.
    pub(crate) async fn refused(
        &mut self,
        request: Request,
        control: Request,
    ) -> CaseResult<Response> {
        let what = "The positive control did not succeed, so a rejection would prove nothing.";
        given(self.send(control).await?, what)?;
        self.send(request).await
    }

    /// Sends a control that many cases share. Which of them sends it depends on their order, so no
    /// recording holds the response.
    pub(crate) async fn send_control(&mut self, request: Request) -> CaseResult<Response> {
        self.unsteady.push(self.exchanges.len());
        self.send(request).await
    }

    /// Sends a request that prepares the case; it must succeed for the case to prove anything.
    /// Inconclusive: it did not succeed.
    pub(crate) async fn given(&mut self, request: Request) -> CaseResult<Response> {
        given(self.send(request).await?, PREPARATION)
    }

    /// Sends a preparing request past the proxy of a proof, because a value that a case restores
    /// must be the deployment's own. Inconclusive: it did not succeed.
    pub(crate) async fn given_directly(&mut self, request: Request) -> CaseResult<Response> {
        given(self.send_to_restore(request).await?, PREPARATION)
    }
}

fn given(response: Response, what: &str) -> CaseResult<Response> {
    if response.is_success() {
        return Ok(response);
    }
    Err(CaseOutcome::inconclusive(what, "200", response.status_and_body(), Some(response.exchange)))
}
