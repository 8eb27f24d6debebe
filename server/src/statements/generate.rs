//! Generates a statement: links to the current PDF, or has it made, in turn, with as many at once
//! as the limits allow (§4.7).

use std::{sync::Arc, time::Duration};

use tokio_util::task::TaskTracker;

use super::{
    assets::Asset,
    document::FontsError,
    links::{DownloadUrls, LinkSigner},
    making::{Found, Job, Maker},
    options::StatementOptions,
    render_queue::{QueueFull, RenderQueue},
    storage::{SignedUrl, Storage},
    store::StatementsByPayout,
};
use crate::{
    failure::Failure,
    gate::Caller,
    http::log_context,
    postgres::{BatchLoader, Tenants},
    telemetry::Telemetry,
};

/// Generates statements, and links to them.
#[derive(Debug)]
pub struct Statements {
    urls: DownloadUrls,
    maker: Maker,
    states: BatchLoader<StatementsByPayout>,
    queue: RenderQueue,
    wait_limit: Duration,
    detached_tasks: TaskTracker,
}

impl Statements {
    /// Looks up current PDFs in `states`, stores PDFs in `storage`, and links to them with `signer`
    /// where the storage signs no links.
    /// Renders that outlive their request are among the detached tasks of `telemetry`.
    ///
    /// # Errors
    /// The fonts cannot be used.
    pub(crate) fn new(
        options: &StatementOptions,
        storage: Storage,
        signer: LinkSigner,
        states: BatchLoader<StatementsByPayout>,
        telemetry: &Telemetry,
    ) -> Result<Self, FontsError> {
        let lifetime_seconds = options.links.link_lifetime_seconds;
        Ok(Self {
            urls: DownloadUrls::new(storage.clone(), signer, lifetime_seconds),
            maker: Maker::new(storage, &options.fonts)?,
            states,
            queue: RenderQueue::new(options.render_limits(), telemetry.metrics.clone()),
            wait_limit: Duration::from_secs(options.statement_seconds),
            detached_tasks: telemetry.detached_tasks.clone(),
        })
    }

    /// The payout's current PDF, made if there is none, and a new link to it.
    ///
    /// # Errors
    /// In this order (S1): no such payout; no lines to print, or too many; billing information
    /// incomplete. Then: too many attempts wait, the statement took too long, the database or the
    /// storage is unavailable.
    pub(crate) async fn generate(
        self: &Arc<Self>,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<(Asset, SignedUrl), Failure> {
        let state = self.states.get(caller.organization.clone(), payout_id).await?;
        let state = state.ok_or(Failure::NotFound("payout"))?;
        let (asset, now) = match state.current {
            Some(asset) if !asset.is_damaged => (asset, state.now),
            _ => {
                caller.admitted().await?;
                let made = self.make_in_turn(tenants, caller, payout_id);
                // An attempt that has not begun by then is dropped.
                let made = tokio::time::timeout(self.wait_limit, made).await;
                made.unwrap_or(Err(Failure::TooLate(self.wait_limit)))?
            }
        };
        let link = self.urls.sign(&caller.organization, &asset, now).await?;
        Ok((asset, link))
    }

    /// Waits for a permit, then makes the PDF in a task that ends by itself: the next call finds
    /// its PDF even if this caller gives up.
    async fn make_in_turn(
        self: &Arc<Self>,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<Found, Failure> {
        let permit = self.queue.permit(&caller.organization, payout_id).await?;
        let (statements, tenants) = (Arc::clone(self), tenants.clone());
        let (caller, payout_id) = (caller.clone(), payout_id.to_owned());
        let making = self.detached_tasks.spawn(log_context::kept(async move {
            // Held until the PDF is stored: it bounds what is held in memory as well.
            let _permit = permit;
            let job = Job {
                maker: &statements.maker,
                tenants: &tenants,
                organization: &caller.organization,
                payout_id: &payout_id,
                actor: &caller.key_id,
                request_id: Some(&caller.request_id),
            };
            job.current().await
        }));
        making.await.unwrap_or_else(|error| {
            Err(Failure::Internal(format!("making a statement failed: {error}")))
        })
    }
}

impl From<QueueFull> for Failure {
    fn from(_: QueueFull) -> Self {
        Self::QueueFull("statements")
    }
}
