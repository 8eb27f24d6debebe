//! Bounds the statements that are made at once: in all, of one organisation, and one of each
//! payout. Attempts that wait hold no connection and no lines; each organisation has a limited
//! number of them.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    id::OrganizationId,
    permits::{QueueFull, Turn, Turns},
    telemetry::{GaugeGuard, Metrics},
};

const NEVER_CLOSED: &str = "this semaphore is never closed";

/// Limits of statements that are made at once, and of attempts that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RenderLimits {
    pub(crate) all: usize,
    pub(crate) per_organization: usize,
    /// Attempts of one organisation that wait.
    pub(crate) queued_per_organization: usize,
}

pub(crate) struct RenderQueue {
    all: Arc<Semaphore>,
    organizations: Turns<OrganizationId>,
    payouts: Turns<(OrganizationId, String)>,
    metrics: Metrics,
}

/// The right to make one statement; dropping it lets the next attempt begin.
pub(crate) struct RenderPermit {
    _payout: Turn,
    _organization: Turn,
    _all: OwnedSemaphorePermit,
    _running: GaugeGuard,
}

impl RenderQueue {
    pub(crate) fn new(limits: RenderLimits, metrics: Metrics) -> Self {
        let RenderLimits { all, per_organization, queued_per_organization } = limits;
        Self {
            all: Arc::new(Semaphore::new(all)),
            organizations: Turns::new(per_organization, queued_per_organization),
            // The organisation's own limit bounds these as well.
            payouts: Turns::new(1, per_organization + queued_per_organization),
            metrics,
        }
    }

    /// Waits until a statement of this payout may be made. Dropping the future leaves the queue.
    ///
    /// The semaphores serve in order of arrival, and no organisation has more than
    /// `per_organization` attempts before the one they share, so none waits behind another's queue.
    pub(crate) async fn permit(
        &self,
        organization: &OrganizationId,
        payout_id: &str,
    ) -> Result<RenderPermit, QueueFull> {
        let waiting = self.organizations.join(organization.clone())?;
        let queued = self.metrics.renders_queued.enter();
        // First: an attempt that waits for its payout must not hold the turn of another payout.
        let payout = (organization.clone(), payout_id.to_owned());
        let payout = self.payouts.join(payout)?.turn().await;
        let organization = waiting.turn().await;
        let all = Arc::clone(&self.all).acquire_owned().await.expect(NEVER_CLOSED);
        drop(queued);
        Ok(RenderPermit {
            _payout: payout,
            _organization: organization,
            _all: all,
            _running: self.metrics.renders_running.enter(),
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, poll};

    use super::*;

    #[tokio::test]
    async fn the_second_attempt_for_a_payout_waits_for_the_first_and_others_do_not() {
        let limits = RenderLimits { all: 9, per_organization: 9, queued_per_organization: 2 };
        let queue = RenderQueue::new(limits, Metrics::default());
        let (ours, other) = (OrganizationId::generate(), OrganizationId::generate());
        let first = queue.permit(&ours, "pay_1").await.unwrap();
        let mut second = Box::pin(queue.permit(&ours, "pay_1"));
        assert!(poll!(&mut second).is_pending());
        assert!(queue.permit(&ours, "pay_2").now_or_never().is_some());
        assert!(queue.permit(&other, "pay_1").now_or_never().is_some());
        drop(first);
        assert!(poll!(&mut second).is_ready());
    }
}
