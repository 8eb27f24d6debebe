//! Bounds the statements that are made at once: in all, of one organisation, and one of each
//! payout. Attempts that wait hold no connection and no lines; each organisation has a limited
//! number of them.

use std::sync::Arc;

use tokio::sync::{Mutex as PayoutLock, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use crate::{
    id::OrganizationId,
    permits::{QueueFull, Shared, Turn, Turns},
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

#[derive(Debug)]
pub(crate) struct RenderQueue {
    all: Arc<Semaphore>,
    organizations: Turns<OrganizationId>,
    payouts: Shared<(OrganizationId, String), PayoutLock<()>>,
    metrics: Metrics,
}

/// The right to make one statement; dropping it lets the next attempt begin.
#[derive(Debug)]
pub(crate) struct RenderPermit {
    _payout: OwnedMutexGuard<()>,
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
            payouts: Shared::default(),
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
        let payout = self.payouts.get(payout, PayoutLock::default).lock_owned().await;
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

    const LIMITS: RenderLimits =
        RenderLimits { all: 2, per_organization: 1, queued_per_organization: 2 };

    fn organization(last: char) -> OrganizationId {
        OrganizationId::parse(&format!("org_01JV3N8Q5RHWXK2M4P6S7T9V0{last}")).unwrap()
    }

    #[tokio::test]
    async fn the_second_attempt_for_a_payout_waits_for_the_first_and_others_do_not() {
        let queue = RenderQueue::new(
            RenderLimits { all: 9, per_organization: 9, ..LIMITS },
            Metrics::default(),
        );
        let (ours, other) = (organization('A'), organization('B'));
        let first = queue.permit(&ours, "pay_1").await.unwrap();
        let mut second = Box::pin(queue.permit(&ours, "pay_1"));
        assert!(poll!(&mut second).is_pending());
        assert!(queue.permit(&ours, "pay_2").now_or_never().is_some());
        assert!(queue.permit(&other, "pay_1").now_or_never().is_some());
        drop(first);
        assert!(poll!(&mut second).is_ready());
    }

    #[tokio::test]
    async fn one_organization_cannot_take_the_place_of_another() {
        let queue = RenderQueue::new(LIMITS, Metrics::default());
        let (noisy, quiet) = (organization('A'), organization('B'));
        let _running = queue.permit(&noisy, "pay_1").await.unwrap();
        let mut waiting = Box::pin(queue.permit(&noisy, "pay_2"));
        assert!(poll!(&mut waiting).is_pending());
        let begun = queue.permit(&quiet, "pay_1").now_or_never().unwrap();
        assert!(begun.is_ok());
    }

    #[tokio::test]
    async fn full_queue_of_one_organization_is_reported_at_once_and_is_no_other_ones() {
        let queue = RenderQueue::new(RenderLimits { all: 1, ..LIMITS }, Metrics::default());
        let (noisy, quiet) = (organization('A'), organization('B'));
        let running = queue.permit(&noisy, "pay_1").await.unwrap();
        let mut second = Box::pin(queue.permit(&noisy, "pay_2"));
        let mut third = Box::pin(queue.permit(&noisy, "pay_3"));
        assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
        let fourth = queue.permit(&noisy, "pay_4").now_or_never().unwrap();
        assert_eq!(fourth.unwrap_err(), QueueFull);
        let mut others = Box::pin(queue.permit(&quiet, "pay_1"));
        assert!(poll!(&mut others).is_pending());
        drop(running);
        assert!(poll!(&mut second).is_pending(), "the other one was first");
        assert!(poll!(&mut others).is_ready());
    }

    #[tokio::test]
    async fn attempt_that_is_given_up_leaves_its_place_in_the_queue() {
        let queue = RenderQueue::new(LIMITS, Metrics::default());
        let ours = organization('A');
        let running = queue.permit(&ours, "pay_1").await.unwrap();
        for _ in 0..10 {
            let mut given_up = Box::pin(queue.permit(&ours, "pay_2"));
            assert!(poll!(&mut given_up).is_pending());
        }
        drop(running);
        assert!(queue.permit(&ours, "pay_3").now_or_never().is_some());
    }

    #[tokio::test]
    async fn attempts_that_ended_leave_nothing_behind() {
        let queue = RenderQueue::new(LIMITS, Metrics::default());
        let ours = organization('A');
        for payout in (0..100).map(|payout| format!("pay_{payout}")) {
            drop(queue.permit(&ours, &payout).await.unwrap());
        }
        let _last = queue.permit(&organization('B'), "pay_last").await.unwrap();
        assert_eq!(queue.organizations.keys(), 1);
        assert_eq!(queue.payouts.len(), 1);
    }
}
