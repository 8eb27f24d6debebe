//! Positive controls: a rejection proves something only where the same request, without its one
//! fault, succeeds.

use super::{CaseContext, CaseOutcome, CaseResult};
use crate::exchange::{Request, Response};

impl CaseContext<'_> {
    /// Sends the control, which must succeed, and then the request that must be rejected; returns
    /// the response to the latter.
    ///
    /// # Errors
    /// Inconclusive: the control did not succeed.
    pub(crate) async fn refused(
        &mut self,
        request: Request,
        control: Request,
    ) -> CaseResult<Response> {
        let control = self.send(control).await?;
        if !control.is_success() {
            return Err(CaseOutcome::inconclusive(
                "The positive control did not succeed, so a rejection would prove nothing.",
                "200",
                control.status_and_body(),
                Some(control.exchange),
            ));
        }
        self.send(request).await
    }

    /// Sends a request that prepares the case; it must succeed for the case to prove anything.
    ///
    /// # Errors
    /// Inconclusive: it did not succeed.
    pub(crate) async fn given(&mut self, request: Request) -> CaseResult<Response> {
        given(self.send(request).await?)
    }

    /// The same past the proxy of a proof: a value that a case restores must be the
    /// deployment's own.
    ///
    /// # Errors
    /// Inconclusive: it did not succeed.
    pub(crate) async fn given_directly(&mut self, request: Request) -> CaseResult<Response> {
        given(self.send_to_restore(request).await?)
    }
}

fn given(response: Response) -> CaseResult<Response> {
    if response.is_success() {
        return Ok(response);
    }
    Err(CaseOutcome::inconclusive(
        "The request that prepares the case did not succeed.",
        "200",
        response.status_and_body(),
        Some(response.exchange),
    ))
}
