//! Positive controls: a refusal proves something only where the same request, with the one broken element mended, succeeds.
//!
//! It refuses a negative case without a twin.

use super::{scene::Scene, stop::Stop};
use crate::exchange::{Answer, Call};

impl Scene<'_> {
    /// Makes the call that must be refused, and before it its twin, which must succeed; answers with the refusal.
    ///
    /// # Errors
    /// Inconclusive, where the twin does not succeed.
    pub async fn refused(&mut self, call: Call, twin: Call) -> Result<Answer, Stop> {
        let control = self.send(twin).await?;
        if !control.is_success() {
            return Err(Stop::inconclusive(
                "The positive control did not succeed, so a refusal would prove nothing.",
                "200",
                format!("{}\n{}", control.status_line(), control.shown()),
                Some(control.exchange),
            ));
        }
        self.send(call).await
    }

    /// Makes a call that only prepares something; it must succeed for the case to prove anything.
    ///
    /// # Errors
    /// Inconclusive, where it does not.
    pub async fn given(&mut self, call: Call) -> Result<Answer, Stop> {
        let answer = self.send(call).await?;
        if answer.is_success() {
            return Ok(answer);
        }
        Err(Stop::inconclusive(
            "What the case begins with did not succeed.",
            "200",
            format!("{}\n{}", answer.status_line(), answer.shown()),
            Some(answer.exchange),
        ))
    }
}
