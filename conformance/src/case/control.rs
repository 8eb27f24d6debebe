//! Positive controls: a refusal proves something only where the same request, with the one broken element mended, succeeds.
//!
//! It refuses a negative case without a control.

use super::{context::CaseContext, outcome::CaseOutcome};
use crate::exchange::{Request, Response};

impl CaseContext<'_> {
    /// Makes the request that must be refused, and before it its control, which must succeed; returns the refusal.
    ///
    /// # Errors
    /// Inconclusive, where the control does not succeed.
    pub async fn refused(
        &mut self,
        request: Request,
        control: Request,
    ) -> Result<Response, CaseOutcome> {
        let control = self.send(control).await?;
        if !control.is_success() {
            return Err(CaseOutcome::inconclusive(
                "The positive control did not succeed, so a refusal would prove nothing.",
                "200",
                format!("{}\n{}", control.status_line(), control.shown()),
                Some(control.exchange),
            ));
        }
        self.send(request).await
    }

    /// Makes a request that only prepares something; it must succeed for the case to prove anything.
    ///
    /// # Errors
    /// Inconclusive, where it does not.
    pub async fn given(&mut self, request: Request) -> Result<Response, CaseOutcome> {
        let response = self.send(request).await?;
        if response.is_success() {
            return Ok(response);
        }
        Err(CaseOutcome::inconclusive(
            "What the case begins with did not succeed.",
            "200",
            format!("{}\n{}", response.status_line(), response.shown()),
            Some(response.exchange),
        ))
    }
}
